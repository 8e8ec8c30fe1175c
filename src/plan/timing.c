// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The times of a motion: its straight segments at trapezoidal speed, its corners rounded by parabolas where
// these are proven free; otherwise it stops there. Values follow cubics between rows (time, value, velocity),
// as a reader of the written file does; every phase here is a quadratic of time, which these cubics represent
// exactly.
//
// A blend of radius r at a corner C between unit directions d1 and d2 runs from A = C - r d1 to B = C + r d2
// at constant acceleration: (1-t)^2 A + 2 t (1-t) C + t^2 B. Its shape does not depend on its duration, so it
// is proven first. It is entered and left at path speed w = 2 r / T, and its acceleration is 2 r (d2 - d1) /
// T^2.
// Entries: berth_planner_time, bi_timing_segment, bi_timing_free.

#include <math.h>
#include <string.h>

#include "plan/plan.h"
#include "scene/segment.h"

// Radii of blends are this share of the shorter edge beside the corner, or halves of it: something stays straight between two.
static const double BLEND_SHARE = 0.45;
enum { BLEND_TRIES = 5, SCALE_TRIES = 50 };
// Times are whole nanoseconds, as messages have them. Phases that are shorter than SHORTEST are joined to their neighbours: there
// rounded times would be felt in accelerations.
static const double BLEND_SHORTEST = 0.01, SHORTEST = 1e-3, NANO = 1e-9;
// Where no acceleration is given, the largest speed is reached in this time, seconds.
static const double DEFAULT_RAMP = 0.5;

// ---- memory --------------------------------------------------------------------------------------------------------

enum { CORNER_NUMBERS = 3, ROWS_A_POINT = 4 };

static bool reserve(PlanTiming* timing, const BerthAllocator* allocator, int32_t points, int32_t values) {
    if (points <= timing->point_capacity) {
        return true;
    }
    bi_timing_free(timing, allocator);

    const size_t corners = 2 * (size_t)points, each = (size_t)values;
    const size_t rows = ROWS_A_POINT * corners;
    timing->row_numbers = rows * (2 * each + 1);
    timing->corner_numbers = CORNER_NUMBERS * corners + 4 * each;
    timing->knot_capacity = rows;
    timing->value_count = values;
    timing->times = bi_take(allocator, timing->row_numbers, sizeof *timing->times);
    timing->radii = bi_take(allocator, timing->corner_numbers, sizeof *timing->radii);
    timing->knots = bi_take(allocator, timing->knot_capacity, sizeof *timing->knots);
    timing->curves = bi_take(allocator, each, sizeof *timing->curves);
    if (timing->times == NULL || timing->radii == NULL || timing->knots == NULL || timing->curves == NULL) {
        bi_timing_free(timing, allocator);
        return false;
    }

    timing->point_capacity = 2 * points;
    timing->rows = timing->times + rows;
    timing->velocities = timing->rows + rows * each;
    timing->speeds = timing->radii + corners;
    timing->lengths = timing->speeds + corners;
    timing->velocity_limits = timing->lengths + corners;
    timing->acceleration_limits = timing->velocity_limits + each;
    timing->before = timing->acceleration_limits + each;
    timing->behind = timing->before + each;
    return true;
}

void bi_timing_free(PlanTiming* timing, const BerthAllocator* allocator) {
    bi_give(allocator, timing->times, timing->row_numbers, sizeof *timing->times);
    bi_give(allocator, timing->radii, timing->corner_numbers, sizeof *timing->radii);
    bi_give(allocator, timing->knots, timing->knot_capacity, sizeof *timing->knots);
    bi_give(allocator, timing->curves, (size_t)timing->value_count, sizeof *timing->curves);
    *timing = (PlanTiming){.row_count = 0};
}

// ---- limits --------------------------------------------------------------------------------------------------------

// Does a value differ anywhere on the path?
static bool changes(const PlanPath* path, int32_t axis) {
    for (int32_t i = 1; i < path->count; ++i) {
        if (plan_path_point(path, i)[axis] != plan_path_point(path, 0)[axis]) {
            return true;
        }
    }
    return false;
}

static double first_given(double given, double other) {
    return given > 0.0 ? given : other;
}

// One joint's limits; `ratio` is how much faster than the value it moves.
static void limit_value(PlanTiming* timing, int32_t axis, double velocity, const BerthJointLimit* limit,
                        double ratio) {
    double acceleration = first_given(limit->acceleration, limit->deceleration);
    if (limit->acceleration > 0.0 && limit->deceleration > 0.0) {
        acceleration = fmin(limit->acceleration, limit->deceleration);
    }
    if (velocity > 0.0 && ratio > 0.0) {
        timing->velocity_limits[axis] = fmin(timing->velocity_limits[axis], velocity / ratio);
    }
    if (acceleration > 0.0 && ratio > 0.0) {
        timing->acceleration_limits[axis] = fmin(timing->acceleration_limits[axis], acceleration / ratio);
    }
}

// All joints that move with a value of the scene: its own, and those that follow it.
static void gather_limits(const PlanSpace* space, PlanTiming* timing, int32_t axis) {
    const int32_t value = space->axes[axis].value;
    const BerthScene* scene = space->scene;
    timing->velocity_limits[axis] = timing->acceleration_limits[axis] = INFINITY;

    for (int32_t r = 0, first = 0; r < berth_scene_robot_count(scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
        for (int32_t j = 0; j < berth_robot_joint_count(robot); ++j) {
            const BerthJointInfo joint = berth_robot_joint(robot, j);
            const BerthJointInfo moved = joint.mimic >= 0 ? berth_robot_joint(robot, joint.mimic) : joint;
            const int32_t at = first + moved.first_value;
            if (moved.first_value >= 0 && value >= at && value < at + moved.value_count) {
                const BerthJointLimit limit = berth_scene_joint_limit(scene, r, j);
                limit_value(timing, axis, first_given(limit.velocity, joint.velocity), &limit,
                            joint.mimic >= 0 ? fabs(joint.mimic_multiplier) : 1.0);
            }
        }
        first += berth_robot_value_count(robot);
    }
}

// A scene gives limits by a robot's joint: without the robot's name, and one entry for all values of a joint.
static const char* joint_of_value(const BerthScene* scene, int32_t value) {
    for (int32_t r = 0, first = 0; r < berth_scene_robot_count(scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
        for (int32_t j = 0; j < berth_robot_joint_count(robot); ++j) {
            const BerthJointInfo joint = berth_robot_joint(robot, j);
            const int32_t at = first + joint.first_value;
            if (joint.mimic < 0 && joint.first_value >= 0 && value >= at && value < at + joint.value_count) {
                return joint.name;
            }
        }
        first += berth_robot_value_count(robot);
    }
    return "JOINT";
}

static BerthStatus find_limits(const BerthPlanner* planner, PlanTiming* timing) {
    const PlanSpace* space = &planner->space;
    timing->default_accelerations = 0;
    for (int32_t i = 0; i < space->dimension; ++i) {
        char name[256];
        gather_limits(space, timing, i);
        if (!changes(&planner->path, i)) {
            continue;
        }

        berth_scene_value_name(space->scene, space->axes[i].value, name, sizeof name);
        if (space->axes[i].kind == SPACE_QUAT) {
            return bi_fail(BERTH_ERR_UNSUPPORTED,
                           "timed motion: %s turns: velocities are for joints of one value", name);
        }
        if (!(timing->velocity_limits[i] < (double)INFINITY)) {
            return bi_fail(
                BERTH_ERR_ARGUMENT,
                "timed motion: '%s' has no velocity limit: give its robot 'limits: {%s: {velocity, "
                "acceleration}}' in the scene, or the joint a velocity in the URDF",
                name, joint_of_value(space->scene, space->axes[i].value));
        }

        if (!(timing->acceleration_limits[i] < (double)INFINITY)) {
            timing->acceleration_limits[i] = timing->velocity_limits[i] / DEFAULT_RAMP;
            timing->default_accelerations += 1;
        }
    }
    return BERTH_OK;
}

// ---- geometry ------------------------------------------------------------------------------------------------------

// The share of one value in a step of length 1 along an edge.
static double direction(const BerthPlanner* planner, int32_t edge, int32_t axis) {
    const double *from = plan_path_point(&planner->path, edge),
                 *to = plan_path_point(&planner->path, edge + 1);
    const double length = planner->timing.lengths[edge];
    return length > 0.0 ? (to[axis] - from[axis]) / length : 0.0;
}

static void measure(BerthPlanner* planner) {
    const PlanPath* path = &planner->path;
    for (int32_t edge = 0; edge + 1 < path->count; ++edge) {
        double sum = 0.0;
        for (int32_t i = 0; i < path->dimension; ++i) {
            const double step = plan_path_point(path, edge + 1)[i] - plan_path_point(path, edge)[i];
            sum += step * step;
        }
        planner->timing.lengths[edge] = sqrt(sum);
    }
}

// The state at a distance from the edge's first point; exactly its ends at both.
static void state_on_edge(const BerthPlanner* planner, int32_t edge, double distance, double* state) {
    const PlanPath* path = &planner->path;
    double* point = planner->scratch;
    bi_space_between(&planner->space, plan_path_point(path, edge), plan_path_point(path, edge + 1),
                     planner->timing.lengths[edge] > 0.0 ? distance / planner->timing.lengths[edge] : 0.0,
                     point);
    bi_space_state_from_point(&planner->space, point, state);
}

// Is the parabola at a corner proven free?
static BerthStatus ask_blend(BerthPlanner* planner, int32_t corner, double radius, bool* is_free) {
    PlanTiming* timing = &planner->timing;
    PlanSpace* space = &planner->space;
    state_on_edge(planner, corner - 1, timing->lengths[corner - 1] - radius, timing->before);
    state_on_edge(planner, corner, radius, timing->behind);
    for (int32_t i = 0; i < space->value_count; ++i) {
        timing->curves[i] = bi_curve_line((CurveEnd){.position = timing->before[i]},
                                          (CurveEnd){.position = timing->behind[i]});
    }
    for (int32_t i = 0; i < space->dimension; ++i) {
        const int32_t value = space->axes[i].value;
        timing->curves[value] = bi_curve_cubic(
            (CurveEnd){timing->before[value], 2.0 * radius * direction(planner, corner - 1, i), 0.0},
            (CurveEnd){timing->behind[value], 2.0 * radius * direction(planner, corner, i), 0.0});
    }

    const BerthSegment segment = {.value_count = space->value_count,
                                  .from = timing->before,
                                  .to = timing->behind,
                                  .curves = timing->curves};
    const BerthMotionRequest request = {0};
    BerthMotionResult result;
    const BerthStatus status = bi_motion_check_by_bodies(space->motion, &segment, &request, &result);
    *is_free = status == BERTH_OK && result.verdict == BERTH_FREE;
    if (status == BERTH_OK && bi_space_poll_stop(space) == SPACE_CANCELLED) {
        return BERTH_ERR_CANCELLED;
    }
    return status;
}

// The largest of a few radii whose parabola is free; 0 where none is.
static BerthStatus find_blends(BerthPlanner* planner) {
    PlanTiming* timing = &planner->timing;
    const int32_t last = planner->path.count - 1;
    timing->radii[0] = timing->radii[last] = 0.0;

    for (int32_t corner = 1; corner < last; ++corner) {
        bool is_free = false;
        double radius = BLEND_SHARE * fmin(timing->lengths[corner - 1], timing->lengths[corner]);
        for (int i = 0; i < BLEND_TRIES && radius > 0.0 && !is_free; ++i) {
            const BerthStatus status = ask_blend(planner, corner, radius, &is_free);
            if (status != BERTH_OK) {
                return status;
            }
            radius = is_free ? radius : 0.5 * radius;
        }
        timing->radii[corner] = is_free ? radius : 0.0;
    }
    return BERTH_OK;
}

// ---- speeds --------------------------------------------------------------------------------------------------------

/// How fast a step along an edge may be, and become.
typedef struct EdgeLimits {
    double speed, acceleration;
} EdgeLimits;

static EdgeLimits limits_of_edge(const BerthPlanner* planner, int32_t edge) {
    const PlanTiming* timing = &planner->timing;
    EdgeLimits limits = {INFINITY, INFINITY};
    for (int32_t i = 0; i < planner->path.dimension; ++i) {
        const double share = fabs(direction(planner, edge, i));
        if (share > 0.0) {
            limits.speed = fmin(limits.speed, timing->velocity_limits[i] / share);
            limits.acceleration = fmin(limits.acceleration, timing->acceleration_limits[i] / share);
        }
    }
    return limits;
}

// The largest path speed at which a corner's parabola keeps the limits.
static double speed_of_blend(const BerthPlanner* planner, int32_t corner) {
    const PlanTiming* timing = &planner->timing;
    const double radius = timing->radii[corner];
    double duration = BLEND_SHORTEST;
    for (int32_t i = 0; i < planner->path.dimension && radius > 0.0; ++i) {
        const double before = direction(planner, corner - 1, i), behind = direction(planner, corner, i);
        const double most = fmax(fabs(before), fabs(behind));
        if (most > 0.0) {
            duration = fmax(duration, 2.0 * radius * most / timing->velocity_limits[i]);
            duration =
                fmax(duration, sqrt(2.0 * radius * fabs(behind - before) / timing->acceleration_limits[i]));
        }
    }
    return 2.0 * radius / duration;
}

// Speeds at corners such that every edge between them can be braked and accelerated on.
static void find_speeds(BerthPlanner* planner) {
    PlanTiming* timing = &planner->timing;
    const int32_t last = planner->path.count - 1;
    for (int32_t i = 0; i <= last; ++i) {
        timing->speeds[i] = timing->radii[i] > 0.0 ? speed_of_blend(planner, i) : 0.0;
    }

    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t k = 0; k < last; ++k) {
            const int32_t edge = pass == 0 ? last - 1 - k : k;
            const int32_t from = pass == 0 ? edge + 1 : edge, to = pass == 0 ? edge : edge + 1;
            const double straight = timing->lengths[edge] - timing->radii[edge] - timing->radii[edge + 1];
            const double most = sqrt(timing->speeds[from] * timing->speeds[from] +
                                     2.0 * limits_of_edge(planner, edge).acceleration * straight);
            timing->speeds[to] = timing->lengths[edge] > 0.0 ? fmin(timing->speeds[to], most) : 0.0;
        }
    }
}

// ---- phases --------------------------------------------------------------------------------------------------------

static void add_knot(PlanTiming* timing, TimingKnot knot) {
    timing->knots[timing->knot_count++] = knot;
}

// Drops phases that are too short to be timed well: their time goes to a neighbour.
static void join_short(double* duration, double* peak, double length, double from, double to) {
    if (duration[1] < SHORTEST && duration[0] + duration[2] >= SHORTEST) {
        const double ramps = duration[0] + duration[2];
        const double share = duration[0] / ramps;
        duration[0] += share * duration[1];
        duration[2] += (1.0 - share) * duration[1];
        duration[1] = 0.0;
        *peak = (2.0 * length - from * duration[0] - to * duration[2]) / (duration[0] + duration[2]);
    }
}

// The straight part of an edge: faster, at its largest speed, slower.
static void add_straight(BerthPlanner* planner, int32_t edge) {
    PlanTiming* timing = &planner->timing;
    const EdgeLimits limits = limits_of_edge(planner, edge);
    const double begin = timing->radii[edge], end = timing->lengths[edge] - timing->radii[edge + 1];
    const double length = end - begin, from = timing->speeds[edge], to = timing->speeds[edge + 1];
    if (!(timing->lengths[edge] > 0.0)) {
        add_knot(timing, (TimingKnot){edge, 0.0, 0.0, SHORTEST});
        return;
    }

    double peak = fmin(limits.speed, sqrt(limits.acceleration * length + 0.5 * (from * from + to * to)));
    peak = fmax(peak, fmax(from, to));
    double duration[3] = {(peak - from) / limits.acceleration, 0.0, (peak - to) / limits.acceleration};
    const double ramps = 0.5 * ((peak + from) * duration[0] + (peak + to) * duration[2]);
    duration[1] = fmax(0.0, (length - ramps) / peak);

    // Something that short from rest to rest is one cubic.
    const double sum = duration[0] + duration[1] + duration[2];
    if (from == 0.0 && to == 0.0 && sum < 4.0 * SHORTEST) {
        const double one = fmax(sqrt(6.0 * length / limits.acceleration), 1.5 * length / limits.speed);
        add_knot(timing, (TimingKnot){edge, end, 0.0, fmax(one, SHORTEST)});
        return;
    }

    join_short(duration, &peak, length, from, to);
    const double reached = begin + 0.5 * (from + peak) * duration[0];
    const double left = end - 0.5 * (peak + to) * duration[2];
    double due = duration[0];
    if (duration[0] >= SHORTEST && sum - duration[0] >= SHORTEST) {
        add_knot(timing, (TimingKnot){edge, reached, peak, due});
        due = 0.0;
    }
    due += duration[1];
    if (duration[1] >= SHORTEST && due >= SHORTEST && duration[2] >= SHORTEST) {
        add_knot(timing, (TimingKnot){edge, left, peak, due});
        due = 0.0;
    }
    add_knot(timing, (TimingKnot){edge, end, to, due + duration[2]});
}

static void find_knots(BerthPlanner* planner) {
    PlanTiming* timing = &planner->timing;
    timing->knot_count = 0;
    add_knot(timing, (TimingKnot){0, 0.0, 0.0, 0.0});
    for (int32_t edge = 0; edge + 1 < planner->path.count; ++edge) {
        if (timing->radii[edge] > 0.0) {
            add_knot(timing, (TimingKnot){edge, timing->radii[edge], timing->speeds[edge],
                                          2.0 * timing->radii[edge] / timing->speeds[edge]});
        }
        add_straight(planner, edge);
    }
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static void write_rows(BerthPlanner* planner, double slower) {
    PlanTiming* timing = &planner->timing;
    const PlanSpace* space = &planner->space;
    const size_t values = (size_t)space->value_count;
    int64_t nanoseconds = 0;

    timing->row_count = timing->knot_count;
    for (int32_t row = 0; row < timing->row_count; ++row) {
        const TimingKnot* knot = &timing->knots[row];
        double* velocity = timing->velocities + values * (size_t)row;
        if (row > 0) {
            const double due = floor(knot->duration * slower / NANO + 0.5);
            nanoseconds += (int64_t)fmax(due, 1.0);
        }
        timing->times[row] = (double)(nanoseconds / 1000000000) + (double)(nanoseconds % 1000000000) / 1e9;

        state_on_edge(planner, knot->edge, knot->distance, timing->rows + values * (size_t)row);
        memset(velocity, 0, values * sizeof *velocity);
        for (int32_t i = 0; i < space->dimension; ++i) {
            velocity[space->axes[i].value] = knot->speed / slower * direction(planner, knot->edge, i);
        }
    }
}

// Between two rows: how much faster than allowed a cubic is at most; at most 1 where limits are kept.
static double excess_of(CurveEnd a, CurveEnd b, double duration, double velocity, double acceleration) {
    const BerthCurve curve = bi_curve_cubic(a, b);
    const double c1 = curve.term[1], c2 = curve.term[2], c3 = curve.term[3];
    double fastest = fmax(fabs(c1), fabs(c1 + 2.0 * c2 + 3.0 * c3));
    const double turn = -c2 / (3.0 * c3);
    if (turn > 0.0 && turn < 1.0) {
        fastest = fmax(fastest, fabs(c1 + 2.0 * c2 * turn + 3.0 * c3 * turn * turn));
    }
    const double hardest = fmax(fabs(2.0 * c2), fabs(2.0 * c2 + 6.0 * c3));
    return fmax(fastest / (duration * velocity), sqrt(hardest / acceleration) / duration);
}

static double find_excess(const BerthPlanner* planner) {
    const PlanTiming* timing = &planner->timing;
    const PlanSpace* space = &planner->space;
    double most = 0.0;

    for (int32_t row = 0; row + 1 < timing->row_count; ++row) {
        const double duration = timing->times[row + 1] - timing->times[row];
        for (int32_t i = 0; i < space->dimension; ++i) {
            if (space->axes[i].kind == SPACE_QUAT || !(timing->velocity_limits[i] < (double)INFINITY)) {
                continue;  // it does not change, or a joint without limits would have been refused
            }

            const size_t at = (size_t)row * (size_t)space->value_count + (size_t)space->axes[i].value;
            const size_t next = at + (size_t)space->value_count;
            const CurveEnd a = {timing->rows[at], timing->velocities[at] * duration, 0.0};
            const CurveEnd b = {timing->rows[next], timing->velocities[next] * duration, 0.0};
            most = fmax(
                most, excess_of(a, b, duration, timing->velocity_limits[i], timing->acceleration_limits[i]));
        }
    }
    return most;
}

// Rows whose cubics keep the limits: what rounding costs is made up for by going slower. False: they do not.
static bool find_rows(BerthPlanner* planner) {
    double slower = 1.0;
    find_speeds(planner);
    find_knots(planner);
    for (int i = 0; i < SCALE_TRIES; ++i) {
        write_rows(planner, slower);
        const double excess = find_excess(planner);
        if (excess <= 1.0) {
            return true;
        }
        slower *= excess * (1.0 + 1e-6);
    }
    return false;
}

void bi_timing_segment(BerthPlanner* planner, int32_t row, BerthSegment* out) {
    PlanTiming* timing = &planner->timing;
    const size_t values = (size_t)planner->space.value_count, first = values * (size_t)row;
    const double duration = timing->times[row + 1] - timing->times[row];
    *out = (BerthSegment){.value_count = planner->space.value_count,
                          .from = timing->rows + first,
                          .to = timing->rows + first + values,
                          .curves = timing->curves,
                          .timed = true,
                          .start = timing->times[row],
                          .duration = duration};
    for (size_t i = 0; i < values; ++i) {
        timing->curves[i] =
            bi_curve_cubic((CurveEnd){out->from[i], timing->velocities[first + i] * duration, 0.0},
                           (CurveEnd){out->to[i], timing->velocities[first + values + i] * duration, 0.0});
    }
}

// Parabolas as they were written: a corner whose one is not free any more is given up. `*given_up` counts them.
static BerthStatus ask_written_blends(BerthPlanner* planner, int32_t* given_up) {
    PlanTiming* timing = &planner->timing;
    *given_up = 0;
    for (int32_t row = 0; row + 1 < timing->row_count; ++row) {
        const int32_t corner = timing->knots[row + 1].edge;
        if (timing->knots[row].edge == corner || !(timing->radii[corner] > 0.0)) {
            continue;
        }

        BerthSegment segment;
        BerthMotionResult result;
        const BerthMotionRequest request = {0};
        bi_timing_segment(planner, row, &segment);
        const BerthStatus status =
            bi_motion_check_by_bodies(planner->space.motion, &segment, &request, &result);
        if (status != BERTH_OK) {
            return status;
        }

        if (result.verdict != BERTH_FREE) {
            timing->radii[corner] = 0.0;
            *given_up += 1;
        }
    }
    return bi_space_poll_stop(&planner->space) == SPACE_CANCELLED ? BERTH_ERR_CANCELLED : BERTH_OK;
}

// ---- all of it -----------------------------------------------------------------------------------------------------

static BerthStatus time_path(BerthPlanner* planner) {
    PlanTiming* timing = &planner->timing;
    measure(planner);
    BerthStatus status = find_blends(planner);
    for (int32_t given_up = 1; status == BERTH_OK && given_up > 0;) {
        if (!find_rows(planner)) {
            return BERTH_ERR_UNSUPPORTED;
        }
        status = ask_written_blends(planner, &given_up);
    }
    if (status == BERTH_OK) {
        timing->is_set = true;
    }
    return status;
}

static void tell(const BerthPlanner* planner, BerthPlanTimed* out) {
    const PlanTiming* timing = &planner->timing;
    *out = (BerthPlanTimed){.rows = timing->rows,
                            .velocities = timing->velocities,
                            .times = timing->times,
                            .row_count = timing->row_count,
                            .duration = timing->times[timing->row_count - 1],
                            .corner_count = planner->path.count - 2,
                            .default_accelerations = timing->default_accelerations};
    for (int32_t i = 1; i + 1 < planner->path.count; ++i) {
        out->blend_count += timing->radii[i] > 0.0;
    }
}

BerthStatus berth_planner_time(BerthPlanner* planner, BerthPlanTimed* out) {
    PlanTiming* timing = &planner->timing;
    *out = (BerthPlanTimed){.row_count = 0};
    BerthStatus status = bi_plan_check_found(planner);
    if (status != BERTH_OK) {
        return status;
    }
    timing->is_set = false;
    if (!reserve(timing, &planner->allocator, planner->path.count, planner->space.value_count)) {
        return bi_fail(BERTH_ERR_MEMORY, "timed motion: out of memory");
    }
    status = find_limits(planner, timing);
    if (status != BERTH_OK) {
        return status;
    }

    // A motion that was found in time is timed however late it is.
    planner->space.patient = true;
    planner->space.stop = SPACE_GOES_ON;
    status = time_path(planner);
    planner->space.patient = false;
    if (status != BERTH_OK) {
        return bi_fail(status, "timed motion: %s", berth_status_meaning(status));
    }
    tell(planner, out);
    return BERTH_OK;
}
