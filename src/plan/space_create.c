// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes a space: which values may change, their limits, kinds and weights; and the checker that answers.
// Entries: bi_space_create, bi_space_destroy, bi_space_begin.

#include "plan/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What a search reaches beyond start and goals where nothing limits it.
static const double TURN_BEYOND = 3.14159265358979323846;  // radian
static const double FULL_TURN = 6.28318530717958647692;
static const double SLIDE_BEYOND = 1.0;  // metre, or the distance between them where that is more

static bool is_stopped(void* user) {
    return bi_space_poll_stop(user) != SPACE_GOES_ON;
}

static SpaceAxis make_axis(const BerthJointInfo* joint, int32_t part, int32_t value) {
    SpaceAxis axis = {
        .value = value, .quat_first = -1, .limit_low = -INFINITY, .limit_high = INFINITY, .weight = 1.0};
    switch (joint->type) {
    case BERTH_JOINT_REVOLUTE:
    case BERTH_JOINT_PRISMATIC:
        if (joint->has_limits) {
            axis.limit_low = joint->lower;
            axis.limit_high = joint->upper;
        } else {
            axis.kind = joint->type == BERTH_JOINT_REVOLUTE ? SPACE_TURN : SPACE_SLIDE;
        }
        break;
    case BERTH_JOINT_FLOATING:
        axis.kind = part >= 3 ? SPACE_QUAT : SPACE_SLIDE;
        break;
    case BERTH_JOINT_PLANAR:
        axis.kind = part == 2 ? SPACE_TURN : SPACE_SLIDE;
        break;
    case BERTH_JOINT_CONTINUOUS:
    case BERTH_JOINT_FIXED:
        axis.kind = SPACE_TURN;
        break;
    }

    return axis;
}

// A joint that follows another by a ratio is elsewhere after a whole turn of the other.
static bool is_followed(const BerthRobot* robot, const BerthJointInfo* joint) {
    for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
        const int32_t mimic = berth_robot_joint(robot, i).mimic;
        if (mimic >= 0 && berth_robot_joint(robot, mimic).first_value == joint->first_value) {
            return true;
        }
    }
    return false;
}

static bool can_wrap(const BerthRobot* robot, const BerthJointInfo* joint, int32_t part) {
    const bool turns =
        joint->type == BERTH_JOINT_CONTINUOUS || (joint->type == BERTH_JOINT_PLANAR && part == 2);
    return turns && !is_followed(robot, joint);
}

// A value that may change becomes an axis. The four of an orientation change together.
static BerthStatus add_joint(PlanSpace* space, const BerthRobot* robot, const BerthJointInfo* joint,
                             int32_t first) {
    const BerthPlannerDef* def = &space->def;
    for (int32_t part = 0; part < joint->value_count; ++part) {
        const int32_t value = first + joint->first_value + part;
        SpaceAxis axis = make_axis(joint, part, value);
        const int32_t leader = axis.kind == SPACE_QUAT ? value - (part - 3) : value;
        if (def->moves != NULL && def->moves[value] != def->moves[leader]) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "planner def: of the orientation of '%s' all four values may change, or none",
                           joint->name);
        }
        if (def->moves != NULL && !def->moves[value]) {
            continue;
        }
        if (axis.kind == SPACE_QUAT) {
            axis.quat_first = space->dimension - (part - 3);
            space->has_quats = true;
        }
        axis.wraps = def->wrap && can_wrap(robot, joint, part);
        space->wrap_count += axis.wraps;
        axis.weight = def->weights != NULL ? def->weights[leader] : 1.0;
        if (!(axis.weight > 0.0 && axis.weight <= 1e6)) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "planner def: the weight of '%s' is %g, must be > 0 and at most 1e6", joint->name,
                           axis.weight);
        }
        space->axes[space->dimension++] = axis;
    }

    return BERTH_OK;
}

// The joint whose values begin there: a free base is the last joint, and its values are the first.
static bool find_joint(const BerthRobot* robot, int32_t value, BerthJointInfo* out) {
    for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
        *out = berth_robot_joint(robot, i);
        if (out->first_value == value && out->value_count > 0) {
            return true;
        }
    }
    return false;
}

// In the order of values.
static BerthStatus add_axes(PlanSpace* space) {
    int32_t first = 0;
    for (int32_t r = 0; r < berth_scene_robot_count(space->scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(space->scene, r, NULL, NULL);
        BerthJointInfo joint;
        for (int32_t value = 0; value < berth_robot_value_count(robot); value += joint.value_count) {
            if (!find_joint(robot, value, &joint)) {
                return bi_fail(BERTH_ERR_ARGUMENT, "planner: value %d belongs to no joint", (int)value);
            }
            const BerthStatus status = add_joint(space, robot, &joint, first);
            if (status != BERTH_OK) {
                return status;
            }
        }
        first += berth_robot_value_count(robot);
    }

    return space->dimension > 0 ? BERTH_OK
                                : bi_fail(BERTH_ERR_ARGUMENT, "planner: there is no value that may change");
}

static BerthStatus create_motion(PlanSpace* space) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.margin = space->def.margin;
    def.self_margin = space->def.self_margin;
    def.delta = space->def.delta;
    def.cancelled = is_stopped;
    def.cancelled_user = space;
    def.allocator = space->allocator;
    def.lanes = space->def.lanes;
    if (space->def.lab != NULL) {
        def.method = space->def.lab->method;
        def.lab = space->def.lab->motion;
    }
    return berth_motion_checker_create(space->scene, &def, &space->motion);
}

// ---- lanes -----------------------------------------------------------------------------------------------------

/// A layout that pays after so few edges is made at once.
enum { LANES_AT_ONCE = 64 };
/// What most questions ask about, shortening included: too few to search the robot for.
enum { LANES_EDGES = 2000 };

BerthStatus bi_space_use_lanes(PlanSpace* space) {
    BerthStatus status = BERTH_OK;
    if (space->idle_lanes != NULL) {
        space->motion->lanes = space->idle_lanes;
        space->idle_lanes = NULL;
        return status;
    }

    if (space->own_lanes == NULL) {
        BerthLanesDef def = berth_default_lanes_def();
        def.margin = space->def.margin;
        def.self_margin = space->def.self_margin;
        def.expected_segments = LANES_EDGES;
        def.allocator = space->allocator;
        status = berth_lanes_create(space->scene, &def, &space->own_lanes);
    }
    if (status == BERTH_OK && space->own_lanes != NULL) {
        status = bi_motion_use_lanes(space->motion, space->own_lanes);
    }
    if (space->motion->lanes == NULL) {
        space->lanes_from = INT64_MAX;  // the scene does not fit, or has what lanes do not look at
    }
    return status;
}

// Where the caller did not choose what answers.
static BerthStatus plan_lanes(PlanSpace* space, const BerthPlannerDef* def) {
    space->lanes_from = INT64_MAX;
    if (def->lanes != NULL || def->lab != NULL) {
        return BERTH_OK;
    }
    if (!space->scene->committed) {
        return BERTH_OK;
    }
    space->lanes_from = bi_lanes_segments_to_pay(space->scene);
    if (space->lanes_from > LANES_AT_ONCE) {
        return BERTH_OK;
    }
    space->lanes_from = 0;
    return bi_space_use_lanes(space);
}

// A new question begins without them, unless they are there from the start.
static void rest_lanes(PlanSpace* space) {
    if (space->own_lanes != NULL && space->lanes_from > 0 && space->motion->lanes != NULL) {
        space->idle_lanes = space->motion->lanes;
        space->motion->lanes = NULL;
    }
}

BerthStatus bi_space_create(const BerthScene* scene, const BerthPlannerDef* def, PlanSpace* out) {
    *out = (PlanSpace){.allocator = bi_allocator_or_default(&def->allocator),
                       .scene = scene,
                       .def = *def,
                       .value_count = berth_scene_value_count(scene)};
    const size_t values = (size_t)out->value_count;
    out->axes = bi_take(&out->allocator, values, sizeof *out->axes);
    out->rest = bi_take(&out->allocator, values, sizeof *out->rest);
    out->edge = bi_take(&out->allocator, 3 * values, sizeof *out->edge);
    if (out->axes == NULL || out->rest == NULL || out->edge == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "planner: out of memory");
    }

    BerthStatus status = create_motion(out);
    if (status == BERTH_OK) {
        status = add_axes(out);
    }
    if (status == BERTH_OK) {
        status = plan_lanes(out, def);
    }
    out->resolution = def->lab != NULL ? def->lab->resolution : 0.0;
    // What they point to is the caller's.
    out->def.lab = NULL;
    out->def.weights = NULL;
    out->def.moves = NULL;
    return status;
}

void bi_space_destroy(PlanSpace* space) {
    const size_t values = (size_t)space->value_count;
    bi_lanes_query_destroy(space->idle_lanes);
    berth_motion_checker_destroy(space->motion);
    berth_lanes_destroy(space->own_lanes);
    bi_give(&space->allocator, space->axes, values, sizeof *space->axes);
    bi_give(&space->allocator, space->rest, values, sizeof *space->rest);
    bi_give(&space->allocator, space->edge, 3 * values, sizeof *space->edge);
}

// ---- a new question --------------------------------------------------------------------------------------------

static BerthStatus check_state(const PlanSpace* space, const double* state, const char* what, int32_t index) {
    int32_t outside = 0, value = -1;
    char which[32] = "";
    if (index >= 0) {
        (void)snprintf(which, sizeof which, " %d", (int)index);
    }

    const BerthStatus status = berth_scene_check_values(space->scene, state, &outside, &value);
    if (status != BERTH_OK) {
        return bi_fail_prefix(status, "%s%s", what, which);
    }

    if (outside > 0) {
        char name[256];
        berth_scene_value_name(space->scene, value, name, sizeof name);
        double low = -INFINITY, high = INFINITY;
        for (int32_t i = 0; i < space->dimension; ++i) {
            if (space->axes[i].value == value) {
                low = space->axes[i].limit_low;
                high = space->axes[i].limit_high;
            }
        }
        return low < high ? bi_fail(BERTH_ERR_ARGUMENT, "%s%s: %s = %.9g is outside its limits %.9g .. %.9g",
                                    what, which, name, state[value], low, high)
                          : bi_fail(BERTH_ERR_ARGUMENT, "%s%s: %s = %.9g is outside its limits", what, which,
                                    name, state[value]);
    }

    return BERTH_OK;
}

// Values that may not change must be where they are at the start.
static BerthStatus check_rest(const PlanSpace* space, const double* goal, int32_t index) {
    int32_t axis = 0;
    for (int32_t value = 0; value < space->value_count; ++value) {
        if (axis < space->dimension && space->axes[axis].value == value) {
            axis += 1;
        } else if (goal[value] != space->rest[value]) {
            char name[256];
            berth_scene_value_name(space->scene, value, name, sizeof name);
            return bi_fail(
                BERTH_ERR_ARGUMENT,
                "goal %d: %s = %.9g, and %.9g at the start: it is not among the values that may change",
                (int)index, name, goal[value], space->rest[value]);
        }
    }
    return BERTH_OK;
}

bool bi_space_goal_state(const PlanSpace* space, const double* goal, int32_t which, double* out) {
    memcpy(out, goal, (size_t)space->value_count * sizeof *out);
    int32_t wrapping = 0;
    for (int32_t i = 0; i < space->dimension; ++i) {
        const SpaceAxis* axis = &space->axes[i];
        if (!axis->wraps) {
            continue;
        }

        const double start = space->rest[axis->value], given = goal[axis->value];
        double turns = floor((given - start) / FULL_TURN + 0.5);
        if (++wrapping == which) {
            const double nearest = given - turns * FULL_TURN;
            turns += nearest >= start ? 1.0 : -1.0;
            if (nearest == start) {
                return false;  // all the way round to where it is
            }
        }
        // What has no turn to take off stays what it is, to the last bit.
        out[axis->value] = turns != 0.0 ? given - turns * FULL_TURN : given;
    }
    return true;
}

static void set_range(SpaceAxis* axis, double least, double most) {
    double beyond = 0.0;
    if (axis->kind == SPACE_TURN) {
        beyond = TURN_BEYOND;
    } else if (axis->kind == SPACE_SLIDE) {
        beyond = fmax(SLIDE_BEYOND, most - least);
    }
    axis->low = fmax(axis->limit_low, axis->kind == SPACE_LINE ? axis->limit_low : least - beyond);
    axis->high = fmin(axis->limit_high, axis->kind == SPACE_LINE ? axis->limit_high : most + beyond);
    if (axis->kind == SPACE_QUAT) {
        axis->low = -1.0;
        axis->high = 1.0;
    }
}

// Around the start and all states that count as a goal.
static void set_axis_range(const PlanSpace* space, const BerthPlanQuery* query, SpaceAxis* axis) {
    double least = query->start[axis->value], most = least;
    for (int32_t i = 0; i < query->goal_count; ++i) {
        const double* goal = query->goals + (size_t)space->value_count * (size_t)i;
        for (int32_t which = 0; which <= space->wrap_count; ++which) {
            if (bi_space_goal_state(space, goal, which, space->edge)) {
                least = fmin(least, space->edge[axis->value]);
                most = fmax(most, space->edge[axis->value]);
            }
        }
    }
    set_range(axis, least, most);
}

BerthStatus bi_space_begin(PlanSpace* space, const BerthPlanQuery* query) {
    const size_t values = (size_t)space->value_count;
    space->random = (Random){space->def.seed};
    space->stop = SPACE_GOES_ON;
    space->stats = (BerthPlanStats){0};
    rest_lanes(space);

    BerthStatus status = check_state(space, query->start, "start", -1);
    if (status == BERTH_OK) {
        memcpy(space->rest, query->start, values * sizeof *space->rest);
    }
    for (int32_t i = 0; i < query->goal_count && status == BERTH_OK; ++i) {
        status = check_state(space, query->goals + values * (size_t)i, "goal", i);
        if (status == BERTH_OK) {
            status = check_rest(space, query->goals + values * (size_t)i, i);
        }
    }
    if (status != BERTH_OK) {
        return status;
    }

    for (int32_t a = 0; a < space->dimension; ++a) {
        set_axis_range(space, query, &space->axes[a]);
    }
    return BERTH_OK;
}
