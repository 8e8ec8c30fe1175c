// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes and destroys solids and query scratch, and the public questions on them.

#include "tree/solid.h"

#include <float.h>

#include "math/math.h"
#include "shape/gap.h"
#include "tree/rss.h"

static void set_bounds(BerthSolid* solid) {
    if (solid->is_mesh) {
        solid->low = solid->mesh->info.low;
        solid->high = solid->mesh->info.high;
        solid->centre = v3_scale(v3_add(solid->low, solid->high), 0.5);
        double farthest_sq = 0.0;
        double extent_sq = 0.0;
        for (int32_t i = 0; i < solid->mesh->info.vertex_count; ++i) {
            farthest_sq = fmax(farthest_sq, v3_length_sq(v3_sub(solid->mesh->vertices[i], solid->centre)));
            extent_sq = fmax(extent_sq, v3_length_sq(solid->mesh->vertices[i]));
        }
        solid->radius = sqrt(farthest_sq) * (1.0 + 8.0 * BI_ULP);
        solid->extent = sqrt(extent_sq) * (1.0 + 8.0 * BI_ULP);
        return;
    }
    const Pose still = pose_identity();
    bi_shape_bounds(&solid->shape, &still, &solid->low, &solid->high);
    bi_shape_ball(&solid->shape, &solid->centre, &solid->radius);
    solid->extent = solid->shape.kind == BERTH_HALFSPACE ? fabs(solid->shape.as.halfspace.offset)
                                                         : v3_length(solid->centre) + solid->radius;
}

// One point and the box of every connected piece: if surfaces do not cross, a piece is inside or outside as a whole.
static bool find_pieces(BerthSolid* solid) {
    const BerthMesh* mesh = solid->mesh;
    const int32_t count = solid->is_mesh ? mesh->info.component_count : 1;
    solid->pieces = bi_take(&solid->allocator, (size_t)count, sizeof *solid->pieces);
    if (solid->pieces == NULL) {
        return false;
    }
    solid->piece_count = count;
    if (!solid->is_mesh) {
        solid->pieces[0] = (SolidPiece){solid->centre, solid->low, solid->high};
        if (solid->shape.kind == BERTH_TRIANGLE) {
            solid->pieces[0].point = solid->shape.as.triangle.point[0];
        }
        return true;
    }
    for (int32_t i = 0; i < count; ++i) {
        solid->pieces[i].low = v3(DBL_MAX, DBL_MAX, DBL_MAX);
        solid->pieces[i].high = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    }
    for (int32_t i = 0; i < mesh->info.triangle_count; ++i) {
        SolidPiece* piece = &solid->pieces[mesh->component[i]];
        Vec3 p[3];
        mesh_triangle(mesh, i, p);
        piece->point = p[0];
        for (int k = 0; k < 3; ++k) {
            piece->low = v3_min(piece->low, p[k]);
            piece->high = v3_max(piece->high, p[k]);
        }
    }
    return true;
}

static BerthStatus finish(BerthSolid* solid, BerthSolid** out) {
    set_bounds(solid);
    BerthStatus status = bi_box_build(solid);
    if (status == BERTH_OK && !find_pieces(solid)) {
        status = bi_fail(BERTH_ERR_MEMORY, "solid: out of memory");
    }
    if (status == BERTH_OK && solid->is_mesh) {
        status = bi_rss_build(solid->mesh, &solid->allocator, &solid->rss);
    }
    if (status != BERTH_OK) {
        berth_solid_destroy(solid);
        return status;
    }
    *out = solid;
    return BERTH_OK;
}

static BerthSolid* new_solid(const BerthAllocator* allocator) {
    const BerthAllocator from = bi_allocator_or_default(allocator);
    BerthSolid* solid = bi_take(&from, 1, sizeof *solid);
    if (solid != NULL) {
        solid->allocator = from;
    } else {
        bi_fail(BERTH_ERR_MEMORY, "solid: out of memory");
    }
    return solid;
}

BerthStatus berth_solid_from_shape(const BerthShape* shape, const BerthAllocator* allocator,
                                   BerthSolid** out) {
    *out = NULL;
    if (shape == NULL || (int)shape->kind < 0 || shape->kind >= BERTH_SHAPE_KIND_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "solid: the shape has no known kind");
    }
    BerthSolid* solid = new_solid(allocator);
    if (solid == NULL) {
        return BERTH_ERR_MEMORY;
    }
    solid->shape = *shape;
    solid->closed = true;
    return finish(solid, out);
}

BerthStatus berth_solid_from_hull(BerthHull* hull, const BerthAllocator* allocator, BerthSolid** out) {
    *out = NULL;
    BerthSolid* solid = new_solid(allocator);
    if (solid == NULL) {
        berth_hull_destroy(hull);
        return BERTH_ERR_MEMORY;
    }
    solid->hull = hull;
    solid->closed = true;
    const BerthStatus status = berth_shape_hull(hull, &solid->shape);
    if (status != BERTH_OK) {
        berth_solid_destroy(solid);
        return status;
    }
    return finish(solid, out);
}

BerthStatus berth_solid_from_mesh(BerthMesh* mesh, const BerthAllocator* allocator, BerthSolid** out) {
    *out = NULL;
    if (mesh == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "solid: no mesh");
    }
    BerthSolid* solid = new_solid(allocator);
    if (solid == NULL) {
        berth_mesh_destroy(mesh);
        return BERTH_ERR_MEMORY;
    }
    solid->mesh = mesh;
    solid->is_mesh = true;
    solid->closed = mesh->info.watertight;
    return finish(solid, out);
}

void berth_solid_destroy(BerthSolid* solid) {
    if (solid == NULL) {
        return;
    }
    const BerthAllocator from = solid->allocator;
    bi_give(&from, solid->nodes, (size_t)solid->node_capacity, sizeof *solid->nodes);
    bi_give(&from, solid->links, (size_t)solid->node_capacity, sizeof *solid->links);
    bi_give(&from, solid->corners, (size_t)solid->bottom_count, sizeof *solid->corners);
    bi_give(&from, solid->triangles, (size_t)solid->triangle_count, sizeof *solid->triangles);
    bi_give(&from, solid->source, (size_t)solid->triangle_count, sizeof *solid->source);
    bi_give(&from, solid->pieces, (size_t)solid->piece_count, sizeof *solid->pieces);
    bi_rss_destroy(solid->rss);
    berth_hull_destroy(solid->hull);
    berth_mesh_destroy(solid->mesh);
    bi_give(&from, solid, 1, sizeof *solid);
}

const BerthMesh* berth_solid_mesh(const BerthSolid* solid) {
    return solid->mesh;
}

const BerthShape* berth_solid_shape(const BerthSolid* solid) {
    return solid->is_mesh ? NULL : &solid->shape;
}

size_t berth_solid_bytes(const BerthSolid* solid) {
    size_t bytes = sizeof *solid;
    bytes += (size_t)solid->node_capacity * (sizeof *solid->nodes + sizeof *solid->links);
    bytes += (size_t)solid->triangle_count * (sizeof *solid->triangles + sizeof *solid->source);
    bytes += (size_t)solid->bottom_count * sizeof *solid->corners;
    bytes += (size_t)solid->piece_count * sizeof *solid->pieces;
    if (solid->is_mesh) {
        bytes += (size_t)solid->mesh->info.vertex_count * sizeof(Vec3);
        bytes += (size_t)solid->mesh->info.triangle_count * 4 * sizeof(int32_t);
        bytes += bi_rss_bytes(solid->rss);
    }
    if (solid->hull != NULL) {
        bytes += (size_t)solid->hull->vertex_count * sizeof(Vec3) +
                 (size_t)solid->hull->face_count * 3 * sizeof(int32_t);
    }
    return bytes;
}

const char* berth_engine_name(BerthEngine engine) {
    static const char* const names[BERTH_ENGINE_COUNT] = {"boxes", "rss", "spheres"};
    return (int)engine >= 0 && engine < BERTH_ENGINE_COUNT ? names[engine] : "unknown";
}

BerthStatus berth_tree_query_create(int32_t node_budget, const BerthAllocator* allocator,
                                    BerthTreeQuery** out) {
    *out = NULL;
    if (node_budget <= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "tree query: node budget is %d, must be > 0", node_budget);
    }
    const BerthAllocator from = bi_allocator_or_default(allocator);
    const int32_t capacity = 2 * SOLID_DEPTH_MAX * BOX_PAIRS;
    BerthTreeQuery* query = bi_take(&from, 1, sizeof *query);
    SolidPairEntry* stack = bi_take(&from, (size_t)capacity, sizeof *stack);
    if (query == NULL || stack == NULL) {
        bi_give(&from, query, 1, sizeof *query);
        bi_give(&from, stack, (size_t)capacity, sizeof *stack);
        return bi_fail(BERTH_ERR_MEMORY, "tree query: out of memory");
    }
    *query = (BerthTreeQuery){.allocator = from,
                              .kernels = bi_simd_kernels(),
                              .node_budget = node_budget,
                              .stack_capacity = capacity,
                              .stack = stack};
    *out = query;
    return BERTH_OK;
}

void berth_tree_query_destroy(BerthTreeQuery* query) {
    if (query != NULL) {
        const BerthAllocator from = query->allocator;
        bi_give(&from, query->stack, (size_t)query->stack_capacity, sizeof *query->stack);
        bi_give(&from, query, 1, sizeof *query);
    }
}

BerthTreeRequest berth_default_tree_request(void) {
    return (BerthTreeRequest){.min_d = 0.0, .max_d = INFINITY, .tolerance = 0.0};
}

static BerthTreeAnswer ask(BerthTreeQuery* query, const BerthSolid* a, const BerthPose* world_from_a,
                           const BerthSolid* b, const BerthPose* world_from_b, SolidRequest* request) {
    const Pose a_from_b = pose_between(world_from_a, world_from_b);
    request->slack = bi_solid_slack(a, world_from_a, b, world_from_b);
    BerthTreeAnswer answer;
    bi_solid_query(query, a, b, &a_from_b, request, &answer);
    answer.point_a = pose_apply(world_from_a, answer.point_a);
    answer.point_b = pose_apply(world_from_a, answer.point_b);
    answer.meeting = pose_apply(world_from_a, answer.meeting);
    answer.normal = pose_turn(world_from_a, answer.normal);
    return answer;
}

BerthTreeAnswer berth_tree_collide(BerthTreeQuery* query, const BerthSolid* a, const BerthPose* world_from_a,
                                   const BerthSolid* b, const BerthPose* world_from_b, double margin) {
    SolidRequest request = {.min_d = margin, .max_d = margin, .stop_d = margin};
    return ask(query, a, world_from_a, b, world_from_b, &request);
}

BerthTreeAnswer berth_tree_distance(BerthTreeQuery* query, const BerthSolid* a, const BerthPose* world_from_a,
                                    const BerthSolid* b, const BerthPose* world_from_b,
                                    const BerthTreeRequest* given) {
    SolidRequest request = {.min_d = given->min_d,
                            .stop_d = given->min_d,
                            .max_d = given->max_d,
                            .tolerance = given->tolerance,
                            .last = given->last,
                            .sorted = true};
    return ask(query, a, world_from_a, b, world_from_b, &request);
}

double berth_tree_greedy(BerthTreeQuery* query, const BerthSolid* a, const BerthPose* world_from_a,
                         const BerthSolid* b, const BerthPose* world_from_b, double delta,
                         BerthCounters* counters) {
    const Pose a_from_b = pose_between(world_from_a, world_from_b);
    const double slack = bi_solid_slack(a, world_from_a, b, world_from_b);
    return bi_solid_greedy(query, a, b, &a_from_b, delta, slack, counters);
}
