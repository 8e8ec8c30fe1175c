// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes a monitor: what is not said is refused here, not guessed in a cycle. Meshes become a few capsules or boxes that
// cover them; the rest of the scene's shapes are taken as they are.

#include <string.h>

#include "math/math.h"
#include "monitor/monitor.h"
#include "motion/certificate.h"
#include "shape/fit.h"
#include "shape/mesh.h"

BerthMonitorDef berth_default_monitor_def(void) {
    return (BerthMonitorDef){.valid_for = 0.003,
                             .skew_limit = (double)INFINITY,
                             .jump_slack = 0.01,
                             .reorder = 8,
                             .good_needed = 10,
                             .refine_nodes = 2000,
                             .capsules = 2,
                             .boxes = 16,
                             .stamp = BI_DEF_STAMP};
}

static BerthStatus check_positive(const char* name, double value) {
    if (!(value > 0.0 && value < (double)INFINITY)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor: %s is %g, must be given and above 0", name, value);
    }
    return BERTH_OK;
}

static BerthStatus check_not_negative(const char* name, double value) {
    if (!(value >= 0.0 && value < (double)INFINITY)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor: %s is %g, must be at least 0", name, value);
    }
    return BERTH_OK;
}

static BerthStatus check_def(const BerthScene* scene, const BerthMonitorDef* def, BerthSafety* safety) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor def: start from berth_default_monitor_def()");
    }
    if (scene == NULL || !scene->committed) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor: the scene is not committed");
    }
    *safety = def->safety;
    const BerthSafety none = {0};
    if (memcmp(safety, &none, sizeof none) == 0 && !berth_scene_safety(scene, safety)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor: the scene has no 'safety: {period, latency, reaction, silence, margin}'");
    }
    const struct {
        const char* name;
        double value;
        bool positive;
    } rules[] = {
        {"safety period", safety->period, true},        {"safety silence", safety->silence, true},
        {"safety latency", safety->latency, false},     {"safety reaction", safety->reaction, false},
        {"safety margin", safety->margin, false},       {"permit's life", def->valid_for, true},
        {"jump slack", def->jump_slack, false},         {"model error", def->model_error, false},
        {"tracking error", def->tracking_error, false}, {"robot uncertainty", def->robot_uncertainty, false},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        const BerthStatus status = rules[i].positive ? check_positive(rules[i].name, rules[i].value)
                                                     : check_not_negative(rules[i].name, rules[i].value);
        if (status != BERTH_OK) {
            return status;
        }
    }
    if (!(def->skew_limit > 0.0) || def->good_needed < 1 || def->refine_nodes < 1 || def->capsules < 1 ||
        def->boxes < 1) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor def: skew limit, good messages, refine nodes, capsules and boxes must "
                       "be above 0");
    }
    return BERTH_OK;
}

static void* take(BerthMonitor* m, size_t count, size_t size) {
    m->bytes += count * size;
    return bi_take(&m->allocator, count, size);
}

// ---- joints ----------------------------------------------------------------------------------------------

static BerthStatus read_joint(BerthMonitor* m, const SceneRobot* robot, int32_t frame) {
    const RobotFrame* f = &robot->robot->frames[frame];
    const int32_t at = robot->robot->values[f->value].joint;  // a follower goes as its leader
    const BerthJointInfo* info = &robot->robot->joints[at];
    const BerthJointLimit* given = &robot->limits[at];
    GuardJoint* joint = &m->joints[robot->first_frame + frame];
    joint->velocity = given->velocity > 0.0 ? given->velocity : info->velocity;
    joint->acceleration = given->acceleration > 0.0 ? given->acceleration : (double)INFINITY;
    joint->deceleration = given->deceleration > 0.0 ? given->deceleration : given->acceleration;
    if (f->motion == FRAME_FLOATING) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor: joint '%s' is floating, and nothing bounds its speed",
                       info->name);
    }
    if (!(joint->velocity > 0.0 && joint->velocity < (double)INFINITY)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor: joint '%s' has no velocity limit: give 'limits: {%s: {velocity, "
                       "acceleration, deceleration}}' in the scene",
                       info->name, info->name);
    }
    if (!(joint->deceleration > 0.0 && joint->deceleration < (double)INFINITY)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor: joint '%s' has no deceleration: how it brakes must be given by 'limits: "
                       "{%s: {deceleration}}' in the scene",
                       info->name, info->name);
    }
    for (int32_t k = 0; k < (f->motion == FRAME_PLANAR ? 3 : 1); ++k) {
        m->limits[robot->first_value + f->value + k] = joint->velocity;
    }
    return BERTH_OK;
}

static BerthStatus read_joints(BerthMonitor* m) {
    for (int32_t r = 0; r < m->scene->robot_count; ++r) {
        for (int32_t f = 1; f < m->scene->robots[r].frame_count; ++f) {
            const BerthStatus status = read_joint(m, &m->scene->robots[r], f);
            if (status != BERTH_OK) {
                return status;
            }
        }
    }
    // A value that moves nothing may do as it likes.
    for (int32_t i = 0; i < m->scene->value_count; ++i) {
        m->limits[i] = m->limits[i] > 0.0 ? m->limits[i] : (double)INFINITY;
    }
    return BERTH_OK;
}

// ---- sources and objects ---------------------------------------------------------------------------------

static BerthStatus read_sources(BerthMonitor* m) {
    const int32_t values = m->scene->value_count;
    int32_t used = 0;
    for (int32_t i = 0; i < m->source_count; ++i) {
        const bool all = m->def.sources == NULL || m->def.sources[i].values == NULL;
        const int32_t count = all ? values : m->def.sources[i].value_count;
        m->sources[i].values = m->source_values + used;
        m->sources[i].value_count = count;
        for (int32_t k = 0; k < count; ++k) {
            const int32_t at = all ? k : m->def.sources[i].values[k];
            if (at < 0 || at >= values || used >= values || m->told[at] != 0.0) {
                return bi_fail(BERTH_ERR_ARGUMENT,
                               "monitor: source %d tells value %d, which there is not or which another "
                               "one tells",
                               i, at);
            }
            m->source_values[used++] = at;
            m->told[at] = NAN;
        }
    }
    if (used < values) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor: %d of %d values are told by no source", values - used,
                       values);
    }
    return BERTH_OK;
}

static BerthStatus read_objects(BerthMonitor* m) {
    const BerthScene* scene = m->scene;
    for (int32_t i = 0; i < scene->object_count; ++i) {
        const SceneObject* object = &scene->objects[i];
        if (!object->used || !(object->moving || object->person) || object->robot >= 0) {
            continue;
        }
        GuardObject* guard = &m->objects[m->object_count++];
        *guard = (GuardObject){.id = {(uint32_t)i, object->age},
                               .body = object->body,
                               .speed = object->speed,
                               .intrusion = object->intrusion,
                               .uncertainty = object->uncertainty,
                               .person = object->person,
                               .pose = object->pose};
        const BerthStatus status = check_not_negative(object->name, object->speed);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

static int32_t object_of(const BerthMonitor* m, int32_t body) {
    for (int32_t i = 0; i < m->object_count; ++i) {
        if (m->objects[i].body == body) {
            return i;
        }
    }
    return -1;
}

// ---- guards ----------------------------------------------------------------------------------------------

// Few points whose hull contains the shape: its own, or the ends of a capsule around them.
static BerthStatus set_points(BerthMonitor* m, Guard* guard) {
    const int32_t count = bi_fit_points(&guard->shape, &guard->frame_from_shape, guard->points, GUARD_POINTS);
    guard->point_count = count;
    if (count <= GUARD_POINTS) {
        return BERTH_OK;
    }
    Ball* balls = bi_take(&m->allocator, 2 * (size_t)count, sizeof *balls);
    if (balls == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
    }
    bi_fit_points(&guard->shape, &guard->frame_from_shape, balls, count);
    const Capsule around = bi_fit_capsule(balls, count, balls + count);
    guard->points[0] = (Ball){around.end[0], around.radius};
    guard->points[1] = (Ball){around.end[1], around.radius};
    guard->point_count = 2;
    bi_give(&m->allocator, balls, 2 * (size_t)count, sizeof *balls);
    return BERTH_OK;
}

static BerthStatus add_guard(BerthMonitor* m, int32_t body_index, const BerthShape* shape,
                             const Pose* frame_from_shape) {
    const SceneBody* body = &m->scene->bodies[body_index];
    if (m->guard_count >= m->guard_capacity) {
        return bi_fail(BERTH_ERR_CAPACITY, "monitor: more than %d simple bodies", m->guard_capacity);
    }
    Guard* guard = &m->guards[m->guard_count++];
    *guard = (Guard){.body = body_index,
                     .frame = body->frame,
                     .object = object_of(m, body_index),
                     .shape = *shape,
                     .frame_from_shape = *frame_from_shape};
    if (guard->object >= 0) {
        const Pose object_from_world = pose_inverse(&m->objects[guard->object].pose);
        guard->frame_from_shape = pose_mul(&object_from_world, frame_from_shape);
    }
    if (shape->kind == BERTH_HALFSPACE && (guard->frame >= 0 || guard->object >= 0)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor: '%s' is a half-space that moves, and nothing bounds its points", body->name);
    }
    return set_points(m, guard);
}

static BerthStatus add_part(BerthMonitor* m, int32_t body, int32_t part, FitPieces* pieces) {
    const BerthSolid* solid = m->scene->parts[part].solid;
    const Pose* frame_from_part = &m->scene->parts[part].frame_from_part;
    if (!solid->is_mesh) {
        return add_guard(m, body, &solid->shape, frame_from_part);
    }
    const bool moves = m->scene->bodies[body].frame >= 0;
    BerthStatus status = bi_fit_mesh(solid->mesh, moves ? BERTH_CAPSULE : BERTH_BOX,
                                     moves ? m->def.capsules : m->def.boxes, 0.1, &m->allocator, pieces);
    for (int32_t i = 0; status == BERTH_OK && i < pieces->count; ++i) {
        const Pose frame_from_piece = pose_mul(frame_from_part, &pieces->poses[i]);
        status = add_guard(m, body, &pieces->shapes[i], &frame_from_piece);
    }
    return status;
}

static BerthStatus add_guards(BerthMonitor* m) {
    FitPieces* pieces = bi_take(&m->allocator, 1, sizeof *pieces);
    BerthStatus status = pieces != NULL ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
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

static int32_t chain_length(const BerthScene* scene, const Guard* guard) {
    int32_t count = 1;
    if (guard->frame >= 0) {
        const SceneRobot* robot = &scene->robots[scene->bodies[guard->body].robot];
        for (int32_t f = guard->frame - robot->first_frame; f > 0; f = robot->robot->frames[f].parent) {
            count += 1;
        }
    }
    return count;
}

static BerthStatus add_rows(BerthMonitor* m) {
    m->row_total = 0;
    for (int32_t i = 0; i < m->guard_count; ++i) {
        m->guards[i].first_row = m->row_total;
        m->guards[i].row_count = chain_length(m->scene, &m->guards[i]);
        m->row_total += m->guards[i].row_count;
    }
    m->row_frame = take(m, (size_t)m->row_total, sizeof *m->row_frame);
    m->row_sum = take(m, (size_t)m->row_total, sizeof *m->row_sum);
    m->row_lever = take(m, (size_t)m->row_total, sizeof *m->row_lever);
    if (m->row_frame == NULL || m->row_sum == NULL || m->row_lever == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
    }
    for (int32_t i = 0; i < m->guard_count; ++i) {
        const Guard* guard = &m->guards[i];
        m->row_frame[guard->first_row] = -1;
        if (guard->row_count > 1) {
            const SceneRobot* robot = &m->scene->robots[m->scene->bodies[guard->body].robot];
            int32_t f = guard->frame - robot->first_frame;
            for (int32_t row = guard->row_count - 1; row > 0; --row) {
                m->row_frame[guard->first_row + row] = robot->first_frame + f;
                f = robot->robot->frames[f].parent;
            }
        }
    }
    return BERTH_OK;
}

// ---- the index -------------------------------------------------------------------------------------------

// A cube around everything that has an end, and as much again around that: what leaves it is compared with all.
static void set_cube(const BerthMonitor* m, BerthIndexDef* def) {
    double reach = 1.0;
    for (int32_t i = 0; i < m->guard_count; ++i) {
        for (int32_t k = 0; k < m->guards[i].point_count; ++k) {
            const Ball* ball = &m->guards[i].points[k];
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

static BerthStatus fill_index(BerthMonitor* m) {
    BerthIndexDef def = berth_default_index_def();
    set_cube(m, &def);
    def.body_limit = def.mover_limit = m->guard_count > 0 ? m->guard_count : 1;
    def.place_limit = 64 * def.body_limit + 4096;
    def.allocator = m->allocator;
    BerthStatus status = berth_index_create(&def, &m->index);
    for (int32_t i = 0; status == BERTH_OK && i < m->guard_count; ++i) {
        Guard* guard = &m->guards[i];
        const bool moves = guard->row_count > 1 || guard->object >= 0;
        const double own =
            0.5 * m->safety.margin + m->def.model_error + m->scene->bodies[guard->body].padding;
        guard->pose = guard->frame_from_shape;
        status = berth_index_add(m->index, &guard->shape, (const BerthPose*)&guard->pose, own, moves,
                                 &guard->indexed);
        if (status == BERTH_OK) {
            m->guard_of[guard->indexed] = i;
        }
    }
    const int32_t bodies = m->scene->body_count;
    for (int32_t i = 0; status == BERTH_OK && i < m->guard_count; ++i) {
        for (int32_t j = i + 1; j < m->guard_count; ++j) {
            const bool asked = m->pair_of[m->guards[i].body * bodies + m->guards[j].body] >= 0;
            berth_index_allow(m->index, m->guards[i].indexed, m->guards[j].indexed, !asked);
        }
    }
    m->bytes += status == BERTH_OK ? berth_index_stats(m->index).bytes : 0;
    return status;
}

static void find_pairs(BerthMonitor* m) {
    const int32_t bodies = m->scene->body_count;
    for (int32_t i = 0; i < bodies * bodies; ++i) {
        m->pair_of[i] = -1;
    }
    for (int32_t i = 0; i < m->scene->pair_count; ++i) {
        const ScenePair* pair = &m->scene->pairs[i];
        m->pair_of[pair->body_a * bodies + pair->body_b] = i;
        m->pair_of[pair->body_b * bodies + pair->body_a] = i;
    }
}

static void hash_model(BerthMonitor* m) {
    Sha256 sha;
    bi_certificate_hash_scene(m->scene, m->model);
    bi_sha256_init(&sha);
    bi_sha256_add(&sha, m->model, sizeof m->model);
    const double numbers[] = {
        m->safety.period,        m->safety.latency,         m->safety.reaction,
        m->safety.silence,       m->safety.margin,          m->def.valid_for,
        m->def.model_error,      m->def.tracking_error,     m->def.robot_uncertainty,
        m->def.jump_slack,       m->def.refine ? 1.0 : 0.0, m->def.fixed_buffers ? 1.0 : 0.0,
        (double)m->def.capsules, (double)m->def.boxes};
    bi_sha256_add(&sha, numbers, sizeof numbers);
    for (int32_t i = 0; i < m->scene->frame_count; ++i) {
        const double limits[3] = {m->joints[i].velocity, m->joints[i].acceleration,
                                  m->joints[i].deceleration};
        bi_sha256_add(&sha, limits, sizeof limits);
    }
    bi_sha256_end(&sha, m->model);
}

static bool take_arrays(BerthMonitor* m) {
    enum { MESH_PIECES = BI_FIT_PIECES_MAX };
    const BerthScene* scene = m->scene;
    const size_t values = (size_t)scene->value_count;
    m->source_count = m->def.sources != NULL ? m->def.source_count : 1;
    m->guard_capacity = 0;
    for (int32_t i = 0; i < scene->part_count; ++i) {
        m->guard_capacity += scene->parts[i].solid->is_mesh ? MESH_PIECES : 1;
    }
    m->near_capacity = 65536;
    m->guards = take(m, (size_t)m->guard_capacity, sizeof *m->guards);
    m->guard_of = take(m, (size_t)m->guard_capacity, sizeof *m->guard_of);
    m->near = take(m, (size_t)m->near_capacity, sizeof *m->near);
    m->joints = take(m, (size_t)scene->frame_count, sizeof *m->joints);
    m->sources = take(m, (size_t)m->source_count, sizeof *m->sources);
    m->source_values = take(m, values, sizeof *m->source_values);
    m->objects = take(m, (size_t)scene->object_count, sizeof *m->objects);
    m->pair_of = take(m, (size_t)scene->body_count * (size_t)scene->body_count, sizeof *m->pair_of);
    m->limits = take(m, values, sizeof *m->limits);
    m->values = take(m, values, sizeof *m->values);
    m->speeds = take(m, values, sizeof *m->speeds);
    m->told = take(m, values, sizeof *m->told);
    return m->guards && m->guard_of && m->near && m->joints && m->sources && m->source_values && m->objects &&
           m->pair_of && m->limits && m->values && m->speeds && m->told;
}

static BerthStatus make_checker(BerthMonitor* m) {
    BerthCheckerDef def = berth_default_checker_def();
    def.node_budget = m->def.refine_nodes;
    def.allocator = m->allocator;
    return berth_checker_create(m->scene, &def, &m->checker);
}

BerthStatus berth_monitor_create(const BerthScene* scene, const BerthMonitorDef* def, BerthMonitor** out) {
    *out = NULL;
    BerthSafety safety = {0};
    BerthStatus status = check_def(scene, def, &safety);
    if (status != BERTH_OK) {
        return status;
    }
    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    BerthMonitor* m = bi_take(&from, 1, sizeof *m);
    if (m == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
    }
    m->allocator = from;
    m->def = *def;
    m->safety = safety;
    m->scene = scene;
    m->latched = BERTH_STOP_RESET;
    m->last_cycle = -(double)INFINITY;
    status = take_arrays(m) ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
    BerthStatus (*const steps[])(BerthMonitor*) = {read_joints,  read_sources, read_objects,
                                                   make_checker, add_guards,   add_rows};
    for (size_t i = 0; status == BERTH_OK && i < sizeof steps / sizeof steps[0]; ++i) {
        status = steps[i](m);
    }
    if (status == BERTH_OK) {
        find_pairs(m);
        status = fill_index(m);
    }
    if (status != BERTH_OK) {
        berth_monitor_destroy(m);
        return status;
    }
    hash_model(m);
    *out = m;
    return BERTH_OK;
}

void berth_monitor_destroy(BerthMonitor* m) {
    if (m == NULL) {
        return;
    }
    const BerthAllocator from = m->allocator;
    const BerthScene* scene = m->scene;
    const size_t values = (size_t)scene->value_count;
    berth_index_destroy(m->index);
    berth_checker_destroy(m->checker);
    bi_give(&from, m->row_frame, (size_t)m->row_total, sizeof *m->row_frame);
    bi_give(&from, m->row_sum, (size_t)m->row_total, sizeof *m->row_sum);
    bi_give(&from, m->row_lever, (size_t)m->row_total, sizeof *m->row_lever);
    bi_give(&from, m->guards, (size_t)m->guard_capacity, sizeof *m->guards);
    bi_give(&from, m->guard_of, (size_t)m->guard_capacity, sizeof *m->guard_of);
    bi_give(&from, m->near, (size_t)m->near_capacity, sizeof *m->near);
    bi_give(&from, m->joints, (size_t)scene->frame_count, sizeof *m->joints);
    bi_give(&from, m->sources, (size_t)m->source_count, sizeof *m->sources);
    bi_give(&from, m->source_values, values, sizeof *m->source_values);
    bi_give(&from, m->objects, (size_t)scene->object_count, sizeof *m->objects);
    bi_give(&from, m->pair_of, (size_t)scene->body_count * (size_t)scene->body_count, sizeof *m->pair_of);
    bi_give(&from, m->limits, values, sizeof *m->limits);
    bi_give(&from, m->values, values, sizeof *m->values);
    bi_give(&from, m->speeds, values, sizeof *m->speeds);
    bi_give(&from, m->told, values, sizeof *m->told);
    bi_give(&from, m, 1, sizeof *m);
}
