// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Convex parts of a robot's solids, for proofs. A shape is its own only part. A mesh is a binary tree of
// hulls: its triangles are divided along the longest side of the box of their centres until a hull is near
// enough to its surface.
// Entry: berth_proof_model_create.

#include <string.h>

#include "math/math.h"
#include "proof/proof.h"
#include "shape/gap.h"

enum {
    LEAF_TRIANGLES = 6,  // fewer are not split: their hull is nearly their surface
    DEPTH_MAX = 6,       // 64 leaves a mesh; twice as many proved no more pairs of the shared robots
    STACK = 2 * DEPTH_MAX + 2
};

// Memory for cutting up one mesh: as large as the largest.
typedef struct Cutter {
    BerthProofModel* model;
    const BerthMesh* mesh;
    int32_t solid;
    int32_t* order;     // triangles
    int32_t* seen;      // per vertex: number of the hull it was last given to
    Vec3* points;       // of one hull
    BerthHull** hulls;  // by part
    int32_t stamp;
} Cutter;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "proof: out of memory");
}

static void set_box(ProofPart* part, Vec3 low, Vec3 high) {
    const Vec3 slack = v3_scale(v3_add(v3_abs(low), v3_abs(high)), BI_DISTANCE_SLACK);
    part->centre = v3_lerp(low, high, 0.5);
    part->half = v3_add(v3_scale(v3_sub(high, low), 0.5), slack);
    part->half = v3_add(part->half, v3(part->outside, part->outside, part->outside));
    part->size = v3_length(part->half);
}

// Points whose motion bounds how the distance changes: of round shapes those of the core within, since the rest of it is
// a radius around them wherever they are.
static BerthShape core_shape(const BerthShape* shape) {
    BerthShape core = *shape;
    if (shape->kind == BERTH_SPHERE) {
        core.as.sphere.radius = 0.0;
    } else if (shape->kind == BERTH_CAPSULE) {
        core.as.capsule.radius = 0.0;
    }
    return core;
}

static void set_shape_part(ProofPart* part, const BerthShape* shape, int32_t solid) {
    Vec3 low, high;
    const Pose still = pose_identity();
    const BerthShape core = core_shape(shape);
    *part = (ProofPart){.shape = *shape, .child = -1, .solid = solid};
    part->outside = shape->kind == BERTH_HULL ? shape->as.hull.hull->outside : 0.0;

    bi_shape_bounds(&core, &still, &low, &high);
    set_box(part, low, high);
}

// The hull of some triangles of the mesh becomes the part's shape.
static BerthStatus set_hull_part(Cutter* cutter, int32_t part, const int32_t* triangles, int32_t count) {
    const BerthMesh* mesh = cutter->mesh;
    const int32_t stamp = ++cutter->stamp;
    int32_t points = 0;

    for (int32_t i = 0; i < 3 * count; ++i) {
        const int32_t v = berth_mesh_triangles(mesh)[3 * triangles[i / 3] + i % 3];
        if (cutter->seen[v] != stamp) {
            cutter->seen[v] = stamp;
            cutter->points[points++] = berth_mesh_vertices(mesh)[v];
        }
    }

    const BerthStatus status =
        berth_hull_create(cutter->points, points, &cutter->model->allocator, &cutter->hulls[part]);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthShape shape = {.kind = BERTH_HULL, .as.hull.hull = cutter->hulls[part]};
    set_shape_part(&cutter->model->parts[part], &shape, cutter->solid);
    return BERTH_OK;
}

static Vec3 triangle_centre(const BerthMesh* mesh, int32_t triangle) {
    const int32_t* t = &berth_mesh_triangles(mesh)[3 * triangle];
    const Vec3* v = berth_mesh_vertices(mesh);
    return v3_scale(v3_add(v3_add(v[t[0]], v[t[1]]), v[t[2]]), 1.0 / 3.0);
}

// Triangles left of the middle of their centres' box come first; half and half when that leaves a side empty.
static int32_t halve_triangles(const BerthMesh* mesh, int32_t* order, int32_t count) {
    Vec3 low = triangle_centre(mesh, order[0]), high = low;
    for (int32_t i = 1; i < count; ++i) {
        low = v3_min(low, triangle_centre(mesh, order[i]));
        high = v3_max(high, triangle_centre(mesh, order[i]));
    }

    const Vec3 size = v3_sub(high, low);
    const int axis = box_longest_axis(size);
    const double middle = 0.5 * (v3_at(low, axis) + v3_at(high, axis));

    int32_t left = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (v3_at(triangle_centre(mesh, order[i]), axis) < middle) {
            const int32_t other = order[left];
            order[left++] = order[i];
            order[i] = other;
        }
    }

    return left > 0 && left < count ? left : count / 2;
}

typedef struct CutTask {
    int32_t part, first, count, depth;
} CutTask;

static BerthStatus cut_mesh(Cutter* cutter) {
    BerthProofModel* model = cutter->model;
    const int32_t count = berth_mesh_info(cutter->mesh).triangle_count;
    const bool convex = berth_mesh_info(cutter->mesh).convex;

    for (int32_t i = 0; i < count; ++i) {
        cutter->order[i] = i;
    }
    memset(cutter->seen, 0, (size_t)berth_mesh_info(cutter->mesh).vertex_count * sizeof *cutter->seen);
    cutter->stamp = 0;

    CutTask stack[STACK];
    int32_t depth = 0;
    stack[depth++] = (CutTask){cutter->solid, 0, count, 0};

    while (depth > 0) {
        const CutTask task = stack[--depth];
        const BerthStatus status = set_hull_part(cutter, task.part, cutter->order + task.first, task.count);
        if (status != BERTH_OK) {
            return status;
        }

        if (convex || task.depth >= DEPTH_MAX || task.count <= LEAF_TRIANGLES ||
            model->part_count + 2 > model->part_capacity) {
            continue;
        }

        const int32_t left = halve_triangles(cutter->mesh, cutter->order + task.first, task.count);
        const int32_t child = model->part_count;
        model->parts[task.part].child = child;
        model->part_count += 2;

        stack[depth++] = (CutTask){child + 1, task.first + left, task.count - left, task.depth + 1};
        stack[depth++] = (CutTask){child, task.first, left, task.depth + 1};
    }
    return BERTH_OK;
}

static BerthStatus cut_all_solids(Cutter* cutter) {
    const BerthRobot* robot = cutter->model->robot;
    for (int32_t i = 0; i < robot->solid_count; ++i) {
        const BerthSolid* solid = robot->solids[i].solid;
        const BerthShape* shape = berth_solid_shape(solid);
        cutter->solid = i;

        if (shape != NULL) {
            set_shape_part(&cutter->model->parts[i], shape, i);
            continue;
        }

        cutter->mesh = berth_solid_mesh(solid);
        const BerthStatus status = cut_mesh(cutter);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

// Room for all parts at once: they point to each other by index, hulls are owned by the parts that are hulls of meshes.
static BerthStatus make_parts(BerthProofModel* model) {
    const BerthRobot* robot = model->robot;
    int64_t parts = robot->solid_count;
    int32_t triangles = 0, vertices = 0;

    for (int32_t i = 0; i < robot->solid_count; ++i) {
        const BerthMesh* mesh = berth_solid_mesh(robot->solids[i].solid);
        if (mesh != NULL) {
            const BerthMeshInfo info = berth_mesh_info(mesh);
            triangles = info.triangle_count > triangles ? info.triangle_count : triangles;
            vertices = info.vertex_count > vertices ? info.vertex_count : vertices;
            const int64_t whole = (2 << DEPTH_MAX) - 2, few = 2 * (int64_t)info.triangle_count;
            if (!info.convex) {
                parts += few < whole ? few : whole;
            }
        }
    }

    Arena scratch;
    bi_arena_init(&scratch, &model->allocator, 0);
    Cutter cutter = {.model = model};
    cutter.order = bi_arena_take(&scratch, (size_t)triangles, sizeof *cutter.order);
    cutter.seen = bi_arena_take(&scratch, (size_t)vertices, sizeof *cutter.seen);
    cutter.points = bi_arena_take(&scratch, (size_t)vertices, sizeof *cutter.points);

    model->part_capacity = (int32_t)parts;
    model->part_count = robot->solid_count;
    model->parts = bi_arena_take(&model->arena, (size_t)parts, sizeof *model->parts);
    model->hulls = cutter.hulls = bi_arena_take(&model->arena, (size_t)parts, sizeof *cutter.hulls);

    const bool taken = cutter.order != NULL && cutter.seen != NULL && cutter.points != NULL &&
                       model->parts != NULL && cutter.hulls != NULL;
    const BerthStatus status = taken ? cut_all_solids(&cutter) : no_memory();
    bi_arena_free(&scratch);
    return status;
}

static int32_t deepest_frame(const BerthRobot* robot, int32_t* depth) {
    int32_t most = 0;
    for (int32_t f = 1; f < robot->frame_count; ++f) {
        depth[f] = depth[robot->frames[f].parent] + 1;
        most = depth[f] > most ? depth[f] : most;
    }
    return most;
}

BerthStatus berth_proof_model_create(const BerthRobot* robot, const BerthAllocator* allocator,
                                     BerthProofModel** out) {
    *out = NULL;
    if (robot == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "proof: no robot");
    }

    const BerthAllocator from = bi_allocator_or_default(allocator);
    BerthProofModel* model = bi_take(&from, 1, sizeof *model);
    if (model == NULL) {
        return no_memory();
    }

    model->allocator = from;
    model->robot = robot;
    bi_arena_init(&model->arena, &from, 0);

    int32_t* depth = bi_arena_take(&model->arena, (size_t)robot->frame_count, sizeof *depth);
    BerthStatus status = depth != NULL ? BERTH_OK : no_memory();
    if (status == BERTH_OK) {
        const int32_t most = 2 * deepest_frame(robot, depth);
        model->chain_most = most < BI_CHAIN_MAX ? most : BI_CHAIN_MAX;
        status = make_parts(model);
    }

    if (status != BERTH_OK) {
        berth_proof_model_destroy(model);
        return status;
    }

    *out = model;
    return BERTH_OK;
}

void berth_proof_model_destroy(BerthProofModel* model) {
    if (model == NULL) {
        return;
    }

    for (int32_t i = 0; model->hulls != NULL && i < model->part_count; ++i) {
        berth_hull_destroy(model->hulls[i]);
    }

    bi_arena_free(&model->arena);
    const BerthAllocator memory = model->allocator;
    bi_give(&memory, model, 1, sizeof *model);
}
