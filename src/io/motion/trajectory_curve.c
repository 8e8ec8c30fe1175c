// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Rows to segments: straight lines, and the cubic and quintic polynomials that ROS's
// joint_trajectory_controller follows between two points (Hermite: they meet position and velocity, quintics
// also acceleration, at both ends). Their terms are scene/curve.c's.
// Entries: berth_interpolation_name, berth_trajectory_interpolation, berth_trajectory_segment_count,
// berth_trajectory_segment, berth_trajectory_wrap, berth_segments_wrap; for trajectory_merge.c
// bi_io_segment_curves.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/motion/table.h"
#include "io/motion/trajectory.h"
#include "math/math.h"
#include "math/tolerance.h"
#include "scene/segment.h"

static const double full_turn = 6.283185307179586477;
static const double half_turn = 3.141592653589793238;

// ---- curves ------------------------------------------------------------------------------------------------

static CurveEnd segment_end(const BerthTrajectory* t, int32_t row, int32_t value, double duration) {
    const size_t at = (size_t)row * (size_t)t->value_count + (size_t)value;
    return (CurveEnd){t->positions[at], t->velocities != NULL ? t->velocities[at] * duration : 0.0,
                      t->accelerations != NULL ? t->accelerations[at] * duration * duration : 0.0};
}

// ---- what to run along -------------------------------------------------------------------------------------

const char* berth_interpolation_name(BerthInterpolation interpolation) {
    static const char* const names[] = {"linear", "cubic", "quintic"};
    return (int)interpolation >= 0 && interpolation <= BERTH_INTERPOLATION_QUINTIC ? names[interpolation]
                                                                                   : "unknown";
}

BerthStatus berth_trajectory_interpolation(const BerthTrajectory* t, BerthInterpolation* out) {
    if (t == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "trajectory interpolation: give a trajectory and a place");
    }

    *out = BERTH_INTERPOLATION_LINEAR;
    if (t->velocities != NULL) {
        *out = t->accelerations != NULL ? BERTH_INTERPOLATION_QUINTIC : BERTH_INTERPOLATION_CUBIC;
    }

    // One row has nothing between rows.
    if (t->row_count < 2) {
        return BERTH_OK;
    }
    if (t->accelerations != NULL && t->velocities == NULL) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: accelerations are given without velocities: how values run between rows needs "
                       "both, or linear interpolation",
                       t->path);
    }
    if (t->velocities != NULL && t->times == NULL) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: velocities are given without times: how values run between rows needs both, or "
                       "linear interpolation",
                       t->path);
    }
    return BERTH_OK;
}

// ---- segments of a trajectory ------------------------------------------------------------------------------

int32_t berth_trajectory_segment_count(const BerthTrajectory* t) {
    if (t == NULL) {
        return 0;
    }
    return t->row_count > 1 ? t->row_count - 1 : t->row_count;
}

static BerthStatus fail_row_prefix(const BerthTrajectory* t, int32_t row) {
    return bi_io_fail_at(t->path, t->lines[row], t->binary);
}

static BerthStatus check_has_data_for(const BerthTrajectory* t, BerthInterpolation interpolation) {
    const char* name = interpolation == BERTH_INTERPOLATION_CUBIC ? "cubic" : "quintic";
    const char* missing = NULL;
    if (t->velocities == NULL) {
        missing = "velocities";
    } else if (t->accelerations == NULL && interpolation == BERTH_INTERPOLATION_QUINTIC) {
        missing = "accelerations";
    } else if (t->times == NULL) {
        missing = "times";
    }

    if (missing != NULL) {
        return bi_fail(BERTH_ERR_PARSE, "%s: %s interpolation needs %s, and the trajectory has none", t->path,
                       name, missing);
    }
    return BERTH_OK;
}

// A quaternion has no cubic; it may stand still.
static BerthStatus check_no_turns(const BerthTrajectory* t, const BerthScene* scene,
                                  const BerthSegment* segment, int32_t row) {
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t j = 0; j < robot->joint_count; ++j) {
            const BerthJointInfo joint = berth_robot_joint(robot->robot, j);
            const int32_t quat = robot->first_value + joint.first_value + 3;

            if (joint.type == BERTH_JOINT_FLOATING && joint.first_value >= 0 &&
                memcmp(segment->from + quat, segment->to + quat, 4 * sizeof(double)) != 0) {
                bi_fail(BERTH_ERR_PARSE,
                        "floating joint '%.200s' turns: cubic and quintic interpolation are for joints of "
                        "one value",
                        joint.name);
                return fail_row_prefix(t, row);
            }
        }
    }
    return BERTH_OK;
}

static BerthCurve make_curve(BerthInterpolation interpolation, CurveEnd a, CurveEnd b) {
    switch (interpolation) {
    case BERTH_INTERPOLATION_CUBIC:
        return bi_curve_cubic(a, b);
    case BERTH_INTERPOLATION_QUINTIC:
        return bi_curve_quintic(a, b);
    case BERTH_INTERPOLATION_LINEAR:
        break;
    }
    return bi_curve_line(a, b);
}

BerthStatus bi_io_segment_curves(const BerthTrajectory* t, int32_t row, BerthInterpolation interpolation,
                                 BerthCurve* curves) {
    const int32_t next = row + 1;
    const double duration = t->times != NULL ? t->times[next] - t->times[row] : 0.0;
    for (int32_t i = 0; i < t->value_count; ++i) {
        const CurveEnd a = segment_end(t, row, i, duration);
        const CurveEnd b = segment_end(t, next, i, duration);
        curves[i] = make_curve(interpolation, a, b);

        double most = 0.0;  // of |value| on the segment
        for (int k = 0; k < BERTH_CURVE_TERMS; ++k) {
            most += fabs(curves[i].term[k]);
        }

        if (interpolation != BERTH_INTERPOLATION_LINEAR && !(most <= BI_ANGLE_MAX)) {
            bi_fail(BERTH_ERR_PARSE, "value %d runs up to %g between this row and the next, beyond %g",
                    (int)i, most, BI_ANGLE_MAX);
            return fail_row_prefix(t, row);
        }
    }
    return BERTH_OK;
}

// When a segment begins and how long it takes, seconds since the start of the motion.
static void set_times(const BerthTrajectory* t, int32_t row, int32_t next, BerthSegment* out) {
    if (t->times == NULL) {
        return;
    }
    const bool starts_earlier = t->times_from_start && t->times[0] > 0.0;
    out->timed = true;
    out->start = t->times[row] - (starts_earlier ? 0.0 : t->times[0]);
    out->duration = t->times[next] - t->times[row];
}

BerthStatus berth_trajectory_segment(const BerthTrajectory* t, const BerthScene* scene, int32_t index,
                                     BerthInterpolation interpolation, BerthCurve* curves,
                                     BerthSegment* out) {
    const bool linear = interpolation == BERTH_INTERPOLATION_LINEAR;
    if (t == NULL || scene == NULL || out == NULL || index < 0 ||
        index >= berth_trajectory_segment_count(t) || t->value_count != scene->value_count ||
        (int)interpolation < 0 || interpolation > BERTH_INTERPOLATION_QUINTIC ||
        (!linear && curves == NULL && t->curves == NULL)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "trajectory segment: give a segment of the trajectory, its scene, an "
                       "interpolation, room for curves and a place");
    }

    const int32_t next = index + 1 < t->row_count ? index + 1 : index;
    const size_t each = (size_t)t->value_count;
    *out = (BerthSegment){.value_count = t->value_count,
                          .from = t->positions + (size_t)index * each,
                          .to = t->positions + (size_t)next * each};
    set_times(t, index, next, out);

    if (t->curves != NULL) {
        out->curves = next > index ? t->curves + (size_t)index * each : NULL;
        return BERTH_OK;
    }
    if (linear) {
        return BERTH_OK;
    }

    BerthStatus status = check_has_data_for(t, interpolation);
    if (next == index) {
        return status;  // a single row: nothing moves
    }
    if (status == BERTH_OK) {
        status = check_no_turns(t, scene, out, index);
    }
    if (status == BERTH_OK) {
        status = bi_io_segment_curves(t, index, interpolation, curves);
    }

    out->curves = curves;
    return status;
}

// ---- the shorter way round ---------------------------------------------------------------------------------

typedef enum WrapKind { WRAP_NEVER = 0, WRAP_TURN, WRAP_FOLLOWED } WrapKind;

// A joint that follows another by a ratio is elsewhere after a whole turn of the other.
static bool is_followed(const BerthRobot* robot, int32_t joint) {
    for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
        if (berth_robot_joint(robot, i).mimic == joint) {
            return true;
        }
    }
    return false;
}

static void find_wrap_kinds(const BerthScene* scene, uint8_t* kinds) {
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t j = 0; j < robot->joint_count; ++j) {
            const BerthJointInfo joint = berth_robot_joint(robot->robot, j);
            const bool turns = joint.type == BERTH_JOINT_CONTINUOUS || joint.type == BERTH_JOINT_PLANAR;
            if (turns && joint.first_value >= 0) {
                const int32_t theta = joint.type == BERTH_JOINT_PLANAR ? 2 : 0;
                kinds[robot->first_value + joint.first_value + theta] =
                    is_followed(robot->robot, j) ? WRAP_FOLLOWED : WRAP_TURN;
            }
        }
    }
}

static BerthStatus fail_value(const BerthScene* scene, int32_t value, const char* text) {
    char name[256];
    berth_scene_value_name(scene, value, name, sizeof name);
    return bi_fail(BERTH_ERR_PARSE, "joint '%s' %s", name, text);
}

static BerthStatus wrap_value(const BerthScene* scene, int32_t value, WrapKind kind, double from,
                              double* to) {
    const double turns = floor((*to - from) / full_turn + 0.5);
    const double left = *to - turns * full_turn;

    if (fabs(fabs(left - from) - half_turn) < BI_HALF_TURN_NEAR) {
        return fail_value(scene, value,
                          "turns by half a turn: both ways round are as long; give a row in between");
    }
    if (turns != 0.0 && kind == WRAP_FOLLOWED) {
        return fail_value(scene, value, "would go the shorter way round, but other joints follow it");
    }

    if (turns != 0.0) {
        *to = left;
    }
    return BERTH_OK;
}

static BerthStatus wrap_row(const BerthScene* scene, const uint8_t* kinds, const double* from, double* to) {
    for (int32_t i = 0; i < scene->value_count; ++i) {
        if (kinds[i] == WRAP_NEVER) {
            continue;
        }
        const BerthStatus status = wrap_value(scene, i, (WrapKind)kinds[i], from[i], &to[i]);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

/// Pairs of states, of which the second is moved by whole turns.
typedef struct WrapPairs {
    const BerthAllocator* allocator;
    const char* path;
    const int64_t* lines;  // of the pairs
    bool binary;
    int32_t count;
    double* from;   // first state of the first pair; the second one stands behind it
    size_t stride;  // to the first state of the next pair
} WrapPairs;

static BerthStatus wrap_pairs(const WrapPairs* pairs, const BerthScene* scene) {
    const size_t each = (size_t)scene->value_count;
    uint8_t* kinds = bi_take(pairs->allocator, each, sizeof *kinds);
    if (kinds == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", pairs->path);
    }

    find_wrap_kinds(scene, kinds);
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < pairs->count && status == BERTH_OK; ++i) {
        double* from = pairs->from + (size_t)i * pairs->stride;
        status = wrap_row(scene, kinds, from, from + each);
        if (status != BERTH_OK) {
            (void)bi_io_fail_at(pairs->path, pairs->lines[i], pairs->binary);
        }
    }

    bi_give(pairs->allocator, kinds, each, sizeof *kinds);
    return status;
}

BerthStatus berth_trajectory_wrap(BerthTrajectory* t, const BerthScene* scene) {
    if (t == NULL || scene == NULL || t->value_count != scene->value_count) {
        return bi_fail(BERTH_ERR_ARGUMENT, "wrap: give a trajectory and its scene");
    }
    if (t->row_count < 2) {
        return BERTH_OK;
    }

    const WrapPairs pairs = {.allocator = &t->allocator,
                             .path = t->path,
                             .lines = t->lines + 1,
                             .binary = t->binary,
                             .count = t->row_count - 1,
                             .from = t->positions,
                             .stride = (size_t)t->value_count};
    return wrap_pairs(&pairs, scene);
}

BerthStatus berth_segments_wrap(BerthSegments* s, const BerthScene* scene) {
    if (s == NULL || scene == NULL || s->value_count != scene->value_count) {
        return bi_fail(BERTH_ERR_ARGUMENT, "wrap: give segments and their scene");
    }

    const WrapPairs pairs = {.allocator = &s->allocator,
                             .path = s->path,
                             .lines = s->lines,
                             .binary = s->binary,
                             .count = s->segment_count,
                             .from = s->values,
                             .stride = 2 * (size_t)s->value_count};
    return wrap_pairs(&pairs, scene);
}
