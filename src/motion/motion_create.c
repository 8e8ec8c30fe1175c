// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes and destroys motion queries: hulls of bodies, chains above them, where the chains of a pair part.
// Entries: berth_default_motion_checker_def, berth_motion_checker_create, berth_motion_checker_destroy.

#include <string.h>

#include "motion/motion_queue.h"
#include "shape/enclose.h"
#include "shape/hull.h"

enum {
    INTERVAL_CAPACITY = 1 << 15,  // of one level; more is UNKNOWN
    LIST_CAPACITY = 1 << 18       // open pairs of one level, beyond four times all pairs
};

/// With delta = 0, metres: where the local method takes over. Shorter makes more intervals, longer more work on each.
#define LOCAL_FROM 5e-2
/// And where it has the last word: before that, halves of the time have fewer pairs within reach.
#define LOCAL_LAST 2e-3

BerthMotionCheckerDef berth_default_motion_checker_def(void) {
    return (BerthMotionCheckerDef){.margin = 0.0,
                                   .self_margin = -1.0,
                                   .delta = 1e-4,
                                   .method = BERTH_METHOD_DEFAULT,
                                   .resolution = 0.01,
                                   .interval_budget = 10000000,
                                   .node_budget = berth_default_checker_def().node_budget,
                                   .stamp = BI_DEF_STAMP};
}

BerthMotionLab berth_default_motion_lab(void) {
    return (BerthMotionLab){.distance_error = 0.5};
}

static BerthMotionLab lab_of(const BerthMotionCheckerDef* def) {
    return def->lab != NULL ? *def->lab : berth_default_motion_lab();
}

// What ADAPTIVE can do for comparison.
static BerthStatus check_search(const BerthMotionCheckerDef* def) {
    const BerthMotionLab lab = lab_of(def);
    if ((int)lab.distance < 0 || lab.distance >= BERTH_DISTANCE_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion def: distance work %d is not known", (int)lab.distance);
    }
    if (lab.distance == BERTH_DISTANCE_COLLISION && def->method != BERTH_METHOD_FIXED) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "motion def: a collision test gives no distance, so it is for samples only (method "
                       "fixed), not for method %s",
                       berth_method_name(def->method));
    }

    if (!(lab.distance_error > 0.0) || !(lab.distance_error < 1.0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion def: distance error is %g, must be > 0 and < 1",
                       lab.distance_error);
    }

    if ((int)lab.cover < 0 || lab.cover >= BERTH_COVER_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion def: cover %d is not known", (int)lab.cover);
    }
    if ((int)lab.bound < 0 || lab.bound >= BERTH_BOUND_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion def: bound %d is not known", (int)lab.bound);
    }
    if ((int)lab.order < 0 || lab.order >= BERTH_ORDER_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion def: order %d is not known", (int)lab.order);
    }
    return BERTH_OK;
}

static BerthStatus check_def(const BerthScene* scene, const BerthMotionCheckerDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion def: start from berth_default_motion_checker_def()");
    }
    if (!(def->delta >= 0.0) || !(def->delta <= BI_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion def: delta is %g m, must be >= 0", def->delta);
    }
    if (!(def->resolution > 0.0) || !(def->resolution <= BI_ANGLE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion def: resolution is %g, must be > 0", def->resolution);
    }

    if (def->interval_budget <= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion def: interval budget is %lld, must be > 0",
                       (long long)def->interval_budget);
    }
    if ((int)def->moving < 0 || def->moving >= BERTH_MOVING_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion def: moving %d is not known", (int)def->moving);
    }
    if ((int)def->method < 0 || def->method >= BERTH_METHOD_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion def: method %d is not known", (int)def->method);
    }

    BerthStatus status = check_search(def);
    for (int32_t i = 0;
         status == BERTH_OK && def->tracking_error != NULL && i < berth_scene_value_count(scene); ++i) {
        if (!(def->tracking_error[i] >= 0.0) || !(def->tracking_error[i] <= BI_ANGLE_MAX)) {
            return bi_fail(BERTH_ERR_ARGUMENT, "motion def: tracking error %d is %g, must be >= 0", (int)i,
                           def->tracking_error[i]);
        }
    }
    return status;
}

/// The hull that points are being added to.
typedef struct HullFill {
    BerthMotionChecker* motion;
    MotionHull* hull;
    int32_t count;
} HullFill;

static void add_point(void* user, Ball point) {
    HullFill* fill = user;
    MotionHull* hull = fill->hull;
    float* at = fill->motion->points + hull->first + fill->count;
    at[0] = (float)point.centre.x;
    at[hull->stride] = (float)point.centre.y;
    at[2 * hull->stride] = (float)point.centre.z;
    at[3 * hull->stride] = (float)point.radius;
    hull->size = fmax(hull->size, v3_length(point.centre) + point.radius);
    fill->count += 1;
}

static BerthStatus make_hulls(BerthMotionChecker* motion) {
    const BerthScene* scene = motion->scene;
    for (int32_t i = 0; i < scene->part_count; ++i) {
        const BerthSolid* solid = scene->parts[i].solid;
        motion->part_hulls[i] = solid->shape;

        if (solid->is_mesh) {
            Vec3 corners[8];  // of a map: its box is little larger than its hull, and found at once
            for (int k = 0; k < 8; ++k) {
                corners[k] = v3(k & 1 ? solid->high.x : solid->low.x, k & 2 ? solid->high.y : solid->low.y,
                                k & 4 ? solid->high.z : solid->low.z);
            }

            const bool map = solid->cells != NULL;
            BerthStatus status = berth_hull_create(map ? corners : solid->mesh->vertices,
                                                   map ? 8 : solid->mesh->info.vertex_count,
                                                   &motion->allocator, &motion->owned_hulls[i]);
            if (status == BERTH_OK) {
                status = berth_shape_hull(motion->owned_hulls[i], &motion->part_hulls[i]);
            }
            if (status != BERTH_OK) {
                return status;
            }
        }
    }
    return BERTH_OK;
}

// The local method and those of paper 001 go down RSS trees.
static BerthStatus need_trees(const BerthScene* scene) {
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < scene->part_count && status == BERTH_OK; ++i) {
        status = bi_solid_need_rss(scene->parts[i].solid);
    }
    return status;
}

// Where each body's points will be; returns the floats needed.
static int32_t lay_out_points(BerthMotionChecker* motion) {
    const BerthScene* scene = motion->scene;
    int32_t next = 0;
    for (int32_t i = 0; i < scene->body_count; ++i) {
        const SceneBody* body = &scene->bodies[i];
        int32_t count = 0;
        bool bounded = true;
        for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
            bounded = bounded && motion->part_hulls[p].kind != BERTH_HALFSPACE;
            count += bi_shape_points(&motion->part_hulls[p], &scene->parts[p].frame_from_part, NULL, 0);
        }
        const int32_t stride = bounded ? (count + HULL_STEP - 1) / HULL_STEP * HULL_STEP : 0;
        motion->bodies[i].hull = (MotionHull){next, stride, 0.0};
        next += 4 * stride;
    }
    return next;
}

static void collect_points(BerthMotionChecker* motion) {
    const BerthScene* scene = motion->scene;
    for (int32_t i = 0; i < scene->body_count; ++i) {
        const SceneBody* body = &scene->bodies[i];
        HullFill fill = {motion, &motion->bodies[i].hull, 0};
        for (int32_t p = body->first_part; fill.hull->stride > 0 && p < body->first_part + body->part_count;
             ++p) {
            bi_shape_each_enclosing_point(&motion->part_hulls[p], &scene->parts[p].frame_from_part, add_point,
                                          &fill);
        }
        for (float* at = motion->points + fill.hull->first; fill.count < fill.hull->stride; ++fill.count) {
            for (int32_t axis = 0; axis < 4; ++axis) {
                at[axis * fill.hull->stride + fill.count] = at[axis * fill.hull->stride];
            }
        }
    }
}

static int32_t chain_length(const BerthScene* scene, const SceneBody* body) {
    int32_t count = 1;
    if (body->frame >= 0) {
        const SceneRobot* robot = &scene->robots[body->robot];
        for (int32_t f = body->frame - robot->first_frame; f > 0; f = robot->robot->frames[f].parent) {
            count += 1;
        }
    }
    return count;
}

/// The body's points, measured from the axis of its own joint, which does not move relative to them.
typedef struct OwnAxis {
    Vec3 axis;
    double most;  // metres from it
} OwnAxis;

static void hold_against_axis(void* user, Ball point) {
    OwnAxis* own = user;
    const double away = v3_length(v3_cross(own->axis, point.centre)) + point.radius;
    own->most = fmax(own->most, away);
}

// A little more than it is, so that a verifier which measures it in another way comes to no more.
#define OWN_LEVER_GROWN 1.002

// A rod that spins about its length moves its points no further than it is thick, which a ball around it does not tell
// (paper 001, IV-C, where i = k).
static double find_own_lever(const BerthMotionChecker* motion, int32_t index, Vec3 axis) {
    const SceneBody* body = &motion->scene->bodies[index];
    OwnAxis own = {axis, 0.0};
    for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
        if (motion->part_hulls[p].kind == BERTH_HALFSPACE) {
            return (double)INFINITY;
        }
        bi_shape_each_enclosing_point(&motion->part_hulls[p], &motion->scene->parts[p].frame_from_part,
                                      hold_against_axis, &own);
    }
    return own.most * OWN_LEVER_GROWN + BI_DISTANCE_SLACK * motion->checker->bodies[index].still_size;
}

// The body's ball, carried inward with every joint free to turn all the way: how far each axis can ever be.
static void find_farthest_levers(BerthMotionChecker* motion, int32_t index) {
    const SceneBody* body = &motion->scene->bodies[index];
    const MotionBody* chain = &motion->bodies[index];
    if (body->frame < 0) {
        return;
    }

    const SceneRobot* robot = &motion->scene->robots[body->robot];
    Ball always = {motion->checker->bodies[index].local_centre, motion->checker->bodies[index].radius};
    Ball limited = always;

    for (int32_t row = chain->chain_count - 1; row > 0; --row) {
        const RobotFrame* f =
            &robot->robot->frames[motion->chain_frame[chain->first_chain + row] - robot->first_frame];
        double* far = &motion->chain_far[chain->first_chain + row];
        double* global = &motion->chain_global[chain->first_chain + row];
        *far = bi_global_lever(f, always);
        *global = bi_global_lever(f, limited);
        if (row == chain->chain_count - 1 && f->motion != FRAME_FLOATING) {
            const double own = find_own_lever(motion, index, f->axis);
            *far = fmin(own, *far);
            *global = fmin(own, *global);
        }

        always = bi_global_carry(robot->robot, f, always, false);
        limited = bi_global_carry(robot->robot, f, limited, true);
    }
}

static void make_chains(BerthMotionChecker* motion) {
    const BerthScene* scene = motion->scene;
    int32_t next = 0;

    for (int32_t i = 0; i < scene->body_count; ++i) {
        MotionBody* body = &motion->bodies[i];
        body->first_chain = next;
        body->chain_count = chain_length(scene, &scene->bodies[i]);
        next += body->chain_count;

        motion->chain_frame[body->first_chain] = -1;
        // The frames above the body, from its own to the base.
        if (body->chain_count > 1) {
            const SceneRobot* robot = &scene->robots[scene->bodies[i].robot];
            int32_t f = scene->bodies[i].frame - robot->first_frame;
            for (int32_t row = body->chain_count - 1; row > 0; --row) {
                motion->chain_frame[body->first_chain + row] = robot->first_frame + f;
                f = robot->robot->frames[f].parent;
            }
        }
        find_farthest_levers(motion, i);
    }
}

static void make_pairs(BerthMotionChecker* motion) {
    const BerthScene* scene = motion->scene;
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        if (bi_check_is_constant(motion->checker, pair)) {
            continue;
        }

        // Their chains are alike up to the lowest common ancestor.
        const MotionBody* a = &motion->bodies[pair->body_a];
        const MotionBody* b = &motion->bodies[pair->body_b];
        const int32_t* frame_a = motion->chain_frame + a->first_chain;
        const int32_t* frame_b = motion->chain_frame + b->first_chain;
        int32_t row = 0;
        while (row + 1 < a->chain_count && row + 1 < b->chain_count && frame_a[row + 1] == frame_b[row + 1]) {
            row += 1;
        }

        MotionPair* ends = &motion->pairs[motion->pair_count++];
        *ends = (MotionPair){i, row, row, frame_a[row], -1, false};

        // Bodies without an end: one that is a single half-space holds the planes in its own frame.
        for (int side = 0; side < 2; ++side) {
            const int32_t index = side == 0 ? pair->body_a : pair->body_b;
            const SceneBody* body = &scene->bodies[index];
            const MotionBody* other = side == 0 ? b : a;
            const bool unbounded = motion->bodies[index].hull.stride == 0;
            ends->endless = ends->endless || (unbounded && motion->bodies[index].chain_count > 1);
            if (body->part_count == 1 && unbounded && other->hull.stride > 0) {
                ends->half_space = side;
                ends->ancestor = body->frame;
            }
        }
    }
}

static bool take_arrays(BerthMotionChecker* m) {
    const BerthScene* scene = m->scene;
    const BerthAllocator* from = &m->allocator;
    m->interval_capacity = INTERVAL_CAPACITY;
    m->list_capacity = LIST_CAPACITY + 4 * (scene->pair_count < (1 << 28) ? scene->pair_count : 1 << 28);

    m->values = bi_take(from, (size_t)scene->value_count, sizeof *m->values);
    m->tracking_error = bi_take(from, (size_t)scene->value_count, sizeof *m->tracking_error);
    m->within = bi_take(from, (size_t)scene->robot_count, sizeof *m->within);
    m->rates = bi_take(from, (size_t)scene->frame_count, sizeof *m->rates);
    m->twists = bi_take(from, (size_t)scene->frame_count, sizeof *m->twists);
    m->bodies = bi_take(from, (size_t)scene->body_count, sizeof *m->bodies);
    m->pairs = bi_take(from, (size_t)scene->pair_count, sizeof *m->pairs);
    m->normals = bi_take(from, (size_t)scene->pair_count, sizeof *m->normals);
    m->part_hulls = bi_take(from, (size_t)scene->part_count, sizeof *m->part_hulls);
    m->owned_hulls = bi_take(from, (size_t)scene->part_count, sizeof *m->owned_hulls);

    for (int32_t i = 0; i < scene->body_count; ++i) {
        m->chain_total += chain_length(scene, &scene->bodies[i]);
    }
    m->chains = bi_take(from, (size_t)m->chain_total, sizeof *m->chains);
    m->chain_frame = bi_take(from, (size_t)m->chain_total, sizeof *m->chain_frame);
    m->chain_far = bi_take(from, (size_t)m->chain_total, sizeof *m->chain_far);
    m->chain_global = bi_take(from, (size_t)m->chain_total, sizeof *m->chain_global);
    m->local_items = bi_take(from, LOCAL_ITEMS, sizeof *m->local_items);
    m->chain_lever = bi_take(from, (size_t)m->chain_total, sizeof *m->chain_lever);

    bool ok = m->values && m->tracking_error && m->within && m->rates && m->twists && m->bodies && m->pairs &&
              m->normals && m->part_hulls && m->owned_hulls && m->chains && m->chain_frame && m->chain_far &&
              m->chain_global && m->chain_lever && m->local_items;

    for (int i = 0; i < 2; ++i) {
        m->levels[i].intervals = bi_take(from, (size_t)m->interval_capacity, sizeof(Interval));
        m->levels[i].pairs = bi_take(from, (size_t)m->list_capacity, sizeof(int32_t));
        ok = ok && m->levels[i].intervals && m->levels[i].pairs;
    }

    return ok;
}

// Lanes know straight segments of the default method, without tracking error, among objects that stand; and they do not look at
// pairs that never change.
BerthStatus bi_motion_use_lanes(BerthMotionChecker* motion, const BerthLanes* lanes) {
    const BerthStatus status =
        bi_check_lanes_match(motion->scene, lanes, motion->margin, motion->self_margin);
    const bool by_default =
        motion->method == BERTH_METHOD_DEFAULT || motion->method == BERTH_METHOD_SECOND_ORDER;
    if (status != BERTH_OK || lanes == NULL || !by_default || motion->has_error || motion->checker->reaches ||
        !bi_check_constants_free(motion->checker)) {
        return status;
    }

    const BerthAllocator* from = &motion->allocator;
    motion->lane_answers = bi_take(from, LANES_SEGMENTS, sizeof *motion->lane_answers);
    motion->open = bi_take(from, LANES_OPEN_MAX, sizeof *motion->open);
    motion->lane_rows = bi_take(from, 2 * (size_t)motion->scene->value_count, sizeof *motion->lane_rows);
    if (motion->lane_answers == NULL || motion->open == NULL || motion->lane_rows == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "motion: out of memory");
    }
    return bi_lanes_query_create(lanes, &motion->lanes);
}

static BerthStatus fill_motion(BerthMotionChecker* motion, const BerthMotionCheckerDef* def) {
    BerthCheckerDef checker = berth_default_checker_def();
    checker.margin = def->margin;
    checker.self_margin = def->self_margin;
    checker.node_budget = def->node_budget;
    const BerthCheckerLab checker_lab = {.engine = lab_of(def).engine};
    checker.lab = &checker_lab;
    checker.allocator = motion->allocator;

    const bool reaches = def->moving == BERTH_MOVING_REACH;
    BerthStatus status = bi_checker_create(motion->scene, &checker, reaches, &motion->checker);
    if (status == BERTH_OK && !take_arrays(motion)) {
        status = bi_fail(BERTH_ERR_MEMORY, "motion: out of memory");
    }
    if (status == BERTH_OK) {
        status = make_hulls(motion);
    }
    if (status == BERTH_OK) {
        status = need_trees(motion->scene);
    }
    if (status != BERTH_OK) {
        return status;
    }

    motion->float_count = lay_out_points(motion);
    motion->points = bi_take(&motion->allocator, (size_t)motion->float_count, sizeof *motion->points);
    if (motion->points == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "motion: out of memory");
    }

    if (def->tracking_error != NULL && motion->scene->value_count > 0) {
        memcpy(motion->tracking_error, def->tracking_error,
               (size_t)motion->scene->value_count * sizeof *def->tracking_error);
    }
    for (int32_t i = 0; i < motion->scene->value_count; ++i) {
        motion->has_error = motion->has_error || motion->tracking_error[i] > 0.0;
    }

    collect_points(motion);
    make_chains(motion);
    make_pairs(motion);
    status = bi_motion_use_lanes(motion, def->lanes);
    if (status != BERTH_OK) {
        return status;
    }

    if (def->method == BERTH_METHOD_ADAPTIVE || def->method == BERTH_METHOD_REFINED) {
        return bi_queue_create(motion, &motion->allocator, 0, &motion->queue);
    }
    return BERTH_OK;
}

BerthStatus berth_motion_checker_create(const BerthScene* scene, const BerthMotionCheckerDef* def,
                                        BerthMotionChecker** out) {
    *out = NULL;
    if (scene == NULL || !scene->committed) {
        return bi_fail(BERTH_ERR_ARGUMENT, "motion: the scene is not committed");
    }

    BerthStatus status = check_def(scene, def);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    BerthMotionChecker* motion = bi_take(&from, 1, sizeof *motion);
    if (motion == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "motion: out of memory");
    }

    motion->allocator = from;
    motion->scene = scene;
    motion->generation = scene->generation;
    motion->margin = def->margin;
    motion->self_margin = def->self_margin >= 0.0 ? def->self_margin : def->margin;
    motion->delta = def->delta;
    motion->local_from = def->delta > 0.0 ? def->delta : LOCAL_FROM;
    motion->local_last = def->delta > 0.0 ? def->delta : LOCAL_LAST;
    motion->resolution = def->resolution;
    motion->method = def->method;
    motion->interval_budget = def->interval_budget;
    const BerthMotionLab lab = lab_of(def);
    motion->distance = lab.distance;
    motion->distance_error = lab.distance_error;
    motion->cover = lab.cover;
    motion->bound = lab.bound;
    motion->order = lab.order;
    motion->cancelled = def->cancelled;
    motion->cancelled_user = def->cancelled_user;

    status = fill_motion(motion, def);
    if (status != BERTH_OK) {
        berth_motion_checker_destroy(motion);
        return status;
    }

    *out = motion;
    return BERTH_OK;
}

void berth_motion_checker_destroy(BerthMotionChecker* m) {
    if (m == NULL) {
        return;
    }

    const BerthAllocator from = m->allocator;
    for (int32_t i = 0; m->owned_hulls != NULL && i < m->checker->part_count; ++i) {
        berth_hull_destroy(m->owned_hulls[i]);
    }

    const size_t values = m->checker != NULL ? (size_t)m->checker->value_count : 0;
    const size_t robots = m->checker != NULL ? (size_t)m->checker->robot_count : 0;
    const size_t frames = m->checker != NULL ? (size_t)m->checker->frame_count : 0;
    const size_t bodies = m->checker != NULL ? (size_t)m->checker->body_count : 0;
    const size_t pairs = m->checker != NULL ? (size_t)m->checker->pair_count : 0;
    const size_t parts = m->checker != NULL ? (size_t)m->checker->part_count : 0;

    bi_give(&from, m->values, values, sizeof *m->values);
    bi_give(&from, m->lane_answers, LANES_SEGMENTS, sizeof *m->lane_answers);
    bi_give(&from, m->open, LANES_OPEN_MAX, sizeof *m->open);
    bi_give(&from, m->lane_rows, 2 * values, sizeof *m->lane_rows);
    bi_lanes_query_destroy(m->lanes);
    bi_give(&from, m->tracking_error, values, sizeof *m->tracking_error);
    bi_give(&from, m->within, robots, sizeof *m->within);
    bi_give(&from, m->rates, frames, sizeof *m->rates);
    bi_give(&from, m->twists, frames, sizeof *m->twists);
    bi_give(&from, m->bodies, bodies, sizeof *m->bodies);
    bi_give(&from, m->pairs, pairs, sizeof *m->pairs);
    bi_give(&from, m->normals, pairs, sizeof *m->normals);
    bi_give(&from, m->part_hulls, parts, sizeof *m->part_hulls);
    bi_give(&from, m->owned_hulls, parts, sizeof *m->owned_hulls);
    bi_give(&from, m->chains, (size_t)m->chain_total, sizeof *m->chains);
    bi_give(&from, m->chain_frame, (size_t)m->chain_total, sizeof *m->chain_frame);
    bi_give(&from, m->chain_far, (size_t)m->chain_total, sizeof *m->chain_far);
    bi_give(&from, m->chain_global, (size_t)m->chain_total, sizeof *m->chain_global);
    bi_give(&from, m->local_items, LOCAL_ITEMS, sizeof *m->local_items);
    bi_give(&from, m->chain_lever, (size_t)m->chain_total, sizeof *m->chain_lever);
    bi_give(&from, m->points, (size_t)m->float_count, sizeof *m->points);

    for (int i = 0; i < 2; ++i) {
        bi_give(&from, m->levels[i].intervals, (size_t)m->interval_capacity, sizeof(Interval));
        bi_give(&from, m->levels[i].pairs, (size_t)m->list_capacity, sizeof(int32_t));
    }

    bi_queue_destroy(m->queue);
    berth_checker_destroy(m->checker);
    bi_give(&from, m, 1, sizeof *m);
}
