// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The simple bodies that are guarded: shapes as they are, meshes covered by a few capsules or boxes, each
// with the chain of joints that moves it; and the index that contains them.
// Entries: bi_monitor_add_simple_bodies, bi_monitor_fill_index; bi_simple_body_fit_part.

#include <string.h>

#include "math/math.h"
#include "mesh/mesh.h"
#include "monitor/monitor.h"
#include "tree/cells.h"

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
}

static int32_t object_of(const BerthMonitor* m, int32_t body) {
    for (int32_t i = 0; i < m->object_count; ++i) {
        if (m->objects[i].body == body) {
            return i;
        }
    }
    return -1;
}

// ---- simple bodies ---------------------------------------------------------------------------------------

// Few points whose hull contains the shape: its own, or the ends of a capsule around them.
static BerthStatus set_points(const BerthAllocator* from, SimpleBody* simple) {
    const int32_t count =
        bi_shape_points(&simple->shape, &simple->frame_from_shape, simple->points, SIMPLE_BODY_POINTS);
    simple->point_count = count;
    if (count <= SIMPLE_BODY_POINTS) {
        return BERTH_OK;
    }

    Ball* balls = bi_take(from, 2 * (size_t)count, sizeof *balls);
    if (balls == NULL) {
        return no_memory();
    }

    bi_shape_points(&simple->shape, &simple->frame_from_shape, balls, count);
    const Capsule around = bi_capsule_around(balls, count, balls + count);
    simple->points[0] = (Ball){around.end[0], around.radius};
    simple->points[1] = (Ball){around.end[1], around.radius};

    simple->point_count = 2;
    bi_give(from, balls, 2 * (size_t)count, sizeof *balls);
    return BERTH_OK;
}

static BerthStatus add_simple_body(BerthMonitor* m, int32_t body_index, const BerthShape* shape,
                                   const Pose* frame_from_shape) {
    const SceneBody* body = &m->scene->bodies[body_index];
    if (m->simple_count >= m->simple_capacity) {
        return bi_fail(BERTH_ERR_CAPACITY, "monitor: more than %d simple bodies", m->simple_capacity);
    }

    SimpleBody* simple = &m->simple_bodies[m->simple_count++];
    memset(simple, 0, sizeof *simple);  // holes too: it is summed up by bytes
    simple->body = body_index;
    simple->frame = body->frame;
    simple->object = object_of(m, body_index);
    simple->shape = *shape;
    simple->frame_from_shape = *frame_from_shape;
    simple->choice = simple->option = -1;

    if (simple->object >= 0) {
        const Pose object_from_world = pose_inverse(&m->object_pose[simple->object]);
        simple->frame_from_shape = pose_mul(&object_from_world, frame_from_shape);
    }

    if (shape->kind == BERTH_HALFSPACE && (simple->frame >= 0 || simple->object >= 0)) {
        const bool map = body->object >= 0 && m->scene->objects[body->object].solid->cells != NULL;
        return bi_fail(BERTH_ERR_ARGUMENT,
                       map ? "monitor: '%s' is a map that moves and takes what is outside of it as occupied; "
                             "nothing bounds how far that goes ('outside: free' was expected)"
                           : "monitor: '%s' is a half-space that moves, and nothing bounds its points",
                       body->name);
    }

    return set_points(&m->allocator, simple);
}

// A map becomes boxes around its cells, as many as there may be: whole rooms are mostly empty.
static BerthStatus fit_map(const CellIndex* cells, const BerthAllocator* from, MeshEnclosure* pieces) {
    SolidBox boxes[BI_MESH_PIECES_MAX];
    const BerthStatus status = bi_cell_boxes(cells, BI_MESH_PIECES_MAX, from, boxes, &pieces->count);
    for (int32_t i = 0; status == BERTH_OK && i < pieces->count; ++i) {
        const Vec3 c = v3_scale(v3_add(boxes[i].low, boxes[i].high), 0.5);
        // Both sides, whatever rounding did to the middle.
        Vec3 half = v3_max(v3_sub(boxes[i].high, c), v3_sub(c, boxes[i].low));
        half = v3(bi_next_up(half.x), bi_next_up(half.y), bi_next_up(half.z));
        pieces->shapes[i] = (BerthShape){.kind = BERTH_BOX, .as.box.half = half};
        pieces->poses[i] = pose_identity();
        pieces->poses[i].t = c;
    }
    return status;
}

BerthStatus bi_simple_body_fit_part(const BerthScene* scene, int32_t body, int32_t part,
                                    const BerthMonitorDef* def, const BerthAllocator* from,
                                    MeshEnclosure* pieces) {
    const BerthSolid* solid = scene->parts[part].solid;
    if (!solid->is_mesh) {
        pieces->count = 1;
        pieces->shapes[0] = solid->shape;
        pieces->poses[0] = pose_identity();
        return BERTH_OK;
    }

    if (solid->cells != NULL) {
        return fit_map(solid->cells, from, pieces);
    }

    if (solid->closed && !solid->mesh->info.watertight) {
        // Its inside is not known here: boxes around the surface would leave it open.
        return bi_fail(BERTH_ERR_UNSUPPORTED, "monitor: '%s' has an inside that its surface does not bound",
                       scene->bodies[body].name);
    }

    const bool moves = scene->bodies[body].frame >= 0;
    return bi_mesh_enclose(solid->mesh, moves ? BERTH_CAPSULE : BERTH_BOX, moves ? def->capsules : def->boxes,
                           0.1, from, pieces);
}

static BerthStatus add_part(BerthMonitor* m, int32_t body, int32_t part, MeshEnclosure* pieces) {
    BerthStatus status = bi_simple_body_fit_part(m->scene, body, part, &m->def, &m->allocator, pieces);
    const Pose* frame_from_part = &m->scene->parts[part].frame_from_part;
    for (int32_t i = 0; status == BERTH_OK && i < pieces->count; ++i) {
        const bool whole = !m->scene->parts[part].solid->is_mesh;
        const Pose frame_from_piece = whole ? *frame_from_part : pose_mul(frame_from_part, &pieces->poses[i]);
        status = add_simple_body(m, body, &pieces->shapes[i], &frame_from_piece);
    }
    return status;
}

static BerthStatus add_all_bodies(BerthMonitor* m) {
    MeshEnclosure* pieces = bi_take(&m->allocator, 1, sizeof *pieces);
    if (pieces == NULL) {
        return no_memory();
    }
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; status == BERTH_OK && i < m->scene->body_count; ++i) {
        const SceneBody* body = &m->scene->bodies[i];
        for (int32_t p = body->first_part; status == BERTH_OK && p < body->first_part + body->part_count;
             ++p) {
            status = add_part(m, i, p, pieces);
        }
    }
    bi_give(&m->allocator, pieces, 1, sizeof *pieces);
    return status;
}

static int32_t chain_length(const BerthScene* scene, const SimpleBody* simple) {
    int32_t count = 1;
    if (simple->frame >= 0) {
        const SceneRobot* robot = &scene->robots[scene->bodies[simple->body].robot];
        for (int32_t f = simple->frame - robot->first_frame; f > 0; f = robot->robot->frames[f].parent) {
            count += 1;
        }
    }
    return count;
}

static bool take_buffers(BerthMonitor* m, Buffers* out) {
    out->joints = bi_monitor_take(m, (size_t)m->scene->frame_count, sizeof *out->joints);
    out->row_sum = bi_monitor_take(m, (size_t)m->row_total, sizeof *out->row_sum);
    out->cloud_reach = bi_monitor_take(m, (size_t)m->def.cloud_count, sizeof *out->cloud_reach);
    return out->joints != NULL && out->row_sum != NULL && out->cloud_reach != NULL;
}

// What is near by the index, and of each cloud one point for each simple body.
static bool take_scale_pairs(BerthMonitor* m) {
    const size_t most = (size_t)m->near_capacity + (size_t)m->simple_count * (size_t)m->def.cloud_count;
    m->scale_pairs = bi_monitor_take(m, most, sizeof *m->scale_pairs);
    return m->scale_pairs != NULL;
}

static BerthStatus add_chain_rows(BerthMonitor* m) {
    m->row_total = 0;
    for (int32_t i = 0; i < m->simple_count; ++i) {
        m->simple_bodies[i].first_row = m->row_total;
        m->simple_bodies[i].row_count = chain_length(m->scene, &m->simple_bodies[i]);
        m->row_total += m->simple_bodies[i].row_count;
    }

    m->row_frame = bi_monitor_take(m, (size_t)m->row_total, sizeof *m->row_frame);
    m->row_lever = bi_monitor_take(m, (size_t)m->row_total, sizeof *m->row_lever);
    if (m->row_frame == NULL || m->row_lever == NULL || !take_buffers(m, &m->now) ||
        (m->def.speed_scale &&
         (!take_buffers(m, &m->fastest) || !take_buffers(m, &m->trial) || !take_scale_pairs(m)))) {
        return no_memory();
    }

    // The frames above each, from its own to the base.
    for (int32_t i = 0; i < m->simple_count; ++i) {
        const SimpleBody* simple = &m->simple_bodies[i];
        m->row_frame[simple->first_row] = -1;

        if (simple->row_count > 1) {
            const SceneRobot* robot = &m->scene->robots[m->scene->bodies[simple->body].robot];
            int32_t f = simple->frame - robot->first_frame;
            for (int32_t row = simple->row_count - 1; row > 0; --row) {
                m->row_frame[simple->first_row + row] = robot->first_frame + f;
                f = robot->robot->frames[f].parent;
            }
        }
    }
    return BERTH_OK;
}

BerthStatus bi_monitor_add_simple_bodies(BerthMonitor* m) {
    m->simple_capacity = 0;
    for (int32_t i = 0; i < m->scene->part_count; ++i) {
        m->simple_capacity += m->scene->parts[i].solid->is_mesh ? BI_MESH_PIECES_MAX : 1;
    }

    m->simple_bodies = bi_monitor_take(m, (size_t)m->simple_capacity, sizeof *m->simple_bodies);
    if (m->simple_bodies == NULL) {
        return no_memory();
    }

    BerthStatus status = add_all_bodies(m);
    if (status == BERTH_OK) {
        status = add_chain_rows(m);
    }

    m->simple_of = bi_monitor_take(m, (size_t)m->simple_count, sizeof *m->simple_of);
    m->simple_pose = bi_monitor_take(m, (size_t)m->simple_count, sizeof *m->simple_pose);
    m->simple_shown = bi_monitor_take(m, (size_t)m->simple_count, sizeof *m->simple_shown);

    if (status == BERTH_OK && (m->simple_of == NULL || m->simple_pose == NULL || m->simple_shown == NULL)) {
        status = no_memory();
    }
    return status;
}

// ---- the index -------------------------------------------------------------------------------------------

// A cube around everything that has an end, and as much again around that: what leaves it is compared with all.
static void set_index_cube(const BerthMonitor* m, BerthIndexDef* def) {
    double reach = 1.0;

    for (int32_t i = 0; i < m->simple_count; ++i) {
        for (int32_t k = 0; k < m->simple_bodies[i].point_count; ++k) {
            const Ball* ball = &m->simple_bodies[i].points[k];
            const double far = v3_length(ball->centre) + ball->radius;
            reach = far < 100.0 && far > reach ? far : reach;
        }
    }

    for (int32_t r = 0; r < m->scene->robot_count; ++r) {
        const double far =
            berth_robot_reach(m->scene->robots[r].robot) + v3_length(m->scene->robots[r].world_from_base.t);
        reach = far < 100.0 && far > reach ? far : reach;
    }

    reach *= 1.5;
    def->low = (BerthVec3){-reach, -reach, -reach};
    def->edge = 2.0 * reach;
    def->smallest = def->edge / 256.0;
}

static bool is_mover(const SimpleBody* simple) {
    return simple->row_count > 1 || simple->object >= 0;
}

static void allow_unasked_pairs(BerthMonitor* m) {
    const size_t bodies = (size_t)m->scene->body_count;
    for (int32_t i = 0; i < m->simple_count; ++i) {
        const int32_t row = m->pair_row[m->simple_bodies[i].body];
        for (int32_t j = 0; j < m->simple_count && row >= 0; ++j) {
            const bool asked = m->pair_of[(size_t)row * bodies + (size_t)m->simple_bodies[j].body] >= 0;
            berth_index_allow(m->index, m->simple_bodies[i].indexed, m->simple_bodies[j].indexed, !asked);
        }
    }
}

BerthStatus bi_monitor_fill_index(BerthMonitor* m) {
    BerthIndexDef def = berth_default_index_def();
    set_index_cube(m, &def);

    def.body_limit = m->simple_count > 0 ? m->simple_count : 1;
    def.mover_limit = 0;
    for (int32_t i = 0; i < m->simple_count; ++i) {
        def.mover_limit += is_mover(&m->simple_bodies[i]);
    }

    if (m->def.lab != NULL) {
        def.kind = m->def.lab->index;
        const bool own_limit = m->def.lab->leaf_limit > 0;
        def.leaf_limit = own_limit ? m->def.lab->leaf_limit : def.leaf_limit;
        def.merge_limit = own_limit ? def.leaf_limit / 2 : def.merge_limit;
    }
    def.entry_limit = 64 * def.body_limit + 4096;
    def.allocator = m->allocator;
    BerthStatus status = berth_index_create(&def, &m->index);

    for (int32_t i = 0; status == BERTH_OK && i < m->simple_count; ++i) {
        SimpleBody* simple = &m->simple_bodies[i];
        const double own = 0.5 * (m->safety.margin + m->safety.hysteresis) + m->def.model_error +
                           m->scene->bodies[simple->body].padding;

        m->simple_pose[i] = simple->frame_from_shape;
        status = berth_index_add(m->index, &simple->shape, &m->simple_pose[i], own, is_mover(simple),
                                 &simple->indexed);
        if (status == BERTH_OK) {
            m->simple_of[simple->indexed] = i;
            m->simple_shown[i] = true;
        }
    }

    if (status == BERTH_OK) {
        allow_unasked_pairs(m);
    }
    return status;
}
