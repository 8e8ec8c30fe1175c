// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Frames of all robots in the form of the kernel: axes are z, the world's origin is at the first robot's
// base, planar joints are two slides and a turn. Each frame carries a bound of what floats can lose on the
// way to it (docs/theory/lanes.md, Rounding).
// Entries: bi_lanes_make_frames, bi_lanes_frame_pose.

#include <string.h>

#include "lanes/lanes.h"
#include "tree/solid.h"

/// How far a slide without limits is laid out for, metres.
#define SLIDE_MOST 20.0
/// Angles are brought to within half a turn, or are within limits.
#define ANGLE_MOST 8.0

/// One elementary motion.
typedef struct Step {
    bool turns;
    Vec3 axis;
    int32_t value;
    double multiplier, offset;
} Step;

// A rotation whose z is the axis; of the axes themselves a permutation, which costs the kernel nothing.
static Pose axes_with_z(Vec3 axis) {
    const Vec3 o = v3(0, 0, 0);
    if (axis.x == 1.0) {
        return (Pose){v3(0, 1, 0), v3(0, 0, 1), v3(1, 0, 0), o};
    }
    if (axis.y == 1.0) {
        return (Pose){v3(0, 0, 1), v3(1, 0, 0), v3(0, 1, 0), o};
    }
    if (axis.z == 1.0) {
        return (Pose){v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1), o};
    }
    const Vec3 x = v3_any_normal(axis);
    return (Pose){x, v3_cross(axis, x), axis, o};
}

// Entries that are 0, 1 or -1 up to a float's rounding become so: files write right angles with eight digits or more.
static double snapped(double x) {
    const double whole = nearbyint(x);
    return fabs(x - whole) < 2.0 * LANES_U ? whole : x;
}

static LaneAxes axes_of(const KernelFrame* frame, bool swapped) {
    if (!swapped) {
        return LANE_AXES_TURNED;
    }
    if (frame->from[0] != 0 || frame->sign[0] < 0.0f) {
        return LANE_AXES_SWAPPED;
    }
    if (frame->from[1] == 2) {
        return LANE_AXES_ABOUT_X;
    }
    return frame->sign[1] > 0.0f && frame->sign[2] > 0.0f ? LANE_AXES_SAME : LANE_AXES_SWAPPED;
}

static void write_frame(KernelFrame* out, const Pose* parent_from_joint) {
    const Vec3 columns[3] = {parent_from_joint->x, parent_from_joint->y, parent_from_joint->z};
    bool swapped = true;
    for (int k = 0; k < 3; ++k) {
        for (int row = 0; row < 3; ++row) {
            const double entry = snapped(v3_at(columns[k], row));
            out->turn[k][row] = (float)entry;
            if (fabs(entry) == 1.0) {
                out->from[k] = row;
                out->sign[k] = (float)entry;
            } else if (entry != 0.0) {
                swapped = false;
            }
        }
    }
    out->axes = (int32_t)axes_of(out, swapped);

    out->t[0] = (float)parent_from_joint->t.x;
    out->t[1] = (float)parent_from_joint->t.y;
    out->t[2] = (float)parent_from_joint->t.z;
}

// What this frame adds to the rounding of its parent. Each entry of a product of rotations is off by 6 u, each of a turn by the
// angle's error and 6 u more; as matrices by three times that. Entries that were snapped are off by 2 u.
static void bound_errors(LanesBuild* build, int32_t index, const KernelFrame* frame, const Pose* joint,
                         double value_most) {
    LanesFrame* out = &build->frames[index];
    const LanesFrame none = {0};
    const LanesFrame* parent = frame->parent >= 0 ? &build->frames[frame->parent] : &none;
    const double arm = v3_length(joint->t);
    const bool turns = frame->motion == LANE_TURN;
    const double slide = turns ? 0.0 : value_most;

    out->far = parent->far + arm + slide;
    out->turn_error = parent->turn_error + (frame->axes != LANE_AXES_TURNED ? 6.0 : 24.0) * LANES_U;
    out->place_error = parent->place_error + parent->turn_error * arm + 8.0 * LANES_U * out->far;
    const double value_error = 8.0 * LANES_U * value_most;
    if (turns) {
        out->turn_error += value_error + 24.0 * LANES_U;
    } else {
        out->place_error += value_error + out->turn_error * slide + 4.0 * LANES_U * out->far;
    }
}

static double largest_value(const LanesBuild* build, const Step* step) {
    const LanesRange* range = &build->lanes->ranges[step->value];
    const double most = step->turns && range->turns ? ANGLE_MOST : fmax(fabs(range->low), fabs(range->high));
    return fabs(step->multiplier) * most + fabs(step->offset);
}

// Appends one elementary motion below lane frame `parent`, which holds `parent_from_joint` in its robot frame's axes.
static int32_t append_frame(LanesBuild* build, int32_t parent, const Pose* world_from_base,
                            const Pose* parent_from_joint, const Step* step) {
    LaneModel* model = &build->lanes->model;
    const int32_t index = model->frame_count++;
    KernelFrame* frame = &build->lane_frames[index];
    const Pose axes = axes_with_z(step->axis);

    // In the parent's lane axes; at the base in lane coordinates.
    Pose from_parent;
    if (parent >= 0) {
        const Pose lane_from_frame = pose_inverse(&build->frames[parent].frame_from_lane);
        from_parent = pose_mul(&lane_from_frame, parent_from_joint);
    } else {
        const Pose world_from_joint = pose_mul(world_from_base, parent_from_joint);
        const Pose lane_from_world = pose_inverse(&build->lanes->world_from_lane);
        from_parent = pose_mul(&lane_from_world, &world_from_joint);
    }
    from_parent = pose_mul(&from_parent, &axes);

    *frame = (KernelFrame){.parent = parent,
                           .motion = step->turns ? LANE_TURN : LANE_SLIDE,
                           .value = step->value,
                           .multiplier = (float)step->multiplier,
                           .offset = (float)step->offset};
    write_frame(frame, &from_parent);
    build->frames[index] = (LanesFrame){.scene_frame = -1, .frame_from_lane = axes};

    const double most = largest_value(build, step);
    bound_errors(build, index, frame, &from_parent, most);
    build->holds = build->holds && (!step->turns || most <= (double)LANE_ANGLE_MOST) && most < 1e6;
    return index;
}

static int32_t append_joint(LanesBuild* build, const SceneRobot* robot, const RobotFrame* f, int32_t parent) {
    const int32_t value = robot->first_value + f->value;
    const Pose* base = &robot->world_from_base;
    if (f->motion != FRAME_PLANAR) {
        const Step step = {f->motion != FRAME_SLIDE, f->axis, value, f->multiplier, f->offset};
        return append_frame(build, parent, base, &f->parent_from_joint, &step);
    }

    const Pose none = {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1), v3(0, 0, 0)};
    const Step along = {false, f->across[0], value, 1.0, 0.0};
    const Step across = {false, f->across[1], value + 1, 1.0, 0.0};
    const Step turn = {true, f->axis, value + 2, 1.0, 0.0};
    const int32_t first = append_frame(build, parent, base, &f->parent_from_joint, &along);
    const int32_t second = append_frame(build, first, base, &none, &across);
    return append_frame(build, second, base, &none, &turn);
}

// Three slides, then the turns of its orientation (floats.c), all through one point: places lose nothing by them.
static int32_t append_floating(LanesBuild* build, const SceneRobot* robot, const RobotFrame* f,
                               int32_t parent) {
    BerthLanes* lanes = build->lanes;
    const Pose* base = &robot->world_from_base;
    const Pose none = pose_identity();
    const Vec3 x = v3(1, 0, 0), y = v3(0, 1, 0), z = v3(0, 0, 1);
    const Vec3 slides[3] = {x, y, z}, turns[LANES_FLOAT_ANGLES] = {z, y, z, y, z};
    LanesFloat* joint = &lanes->floats[build->float_count];
    joint->value = robot->first_value + f->value;
    joint->first_row = lanes->state_size + LANES_FLOAT_ANGLES * build->float_count++;

    int32_t index = parent;
    for (int k = 0; k < 3; ++k) {
        const Step step = {false, slides[k], joint->value + k, 1.0, 0.0};
        index = append_frame(build, index, base, k == 0 ? &f->parent_from_joint : &none, &step);
    }
    for (int k = 0; k < LANES_FLOAT_ANGLES; ++k) {
        const int32_t row = joint->first_row + k;
        lanes->ranges[row] = (LanesRange){-3.2, k == LANES_FLOAT_TURN ? 6.4 : 3.2, false};
        const Step step = {true, turns[k], row, 1.0, 0.0};
        const double place_error = build->frames[index].place_error;
        index = append_frame(build, index, base, &none, &step);
        build->frames[index].place_error = place_error;
    }
    return index;
}

// Limits where there are some. Angles without limits may be anything: whole turns are taken off.
static void find_ranges(LanesBuild* build) {
    const BerthScene* scene = build->scene;
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t i = 0; i < robot->value_count; ++i) {
            const RobotValue* value = &robot->robot->values[i];
            LanesRange* range = &build->lanes->ranges[robot->first_value + i];
            const bool base_turn = value->type == BERTH_JOINT_PLANAR && value->component == 2;
            range->turns =
                value->type == BERTH_JOINT_CONTINUOUS || value->type == BERTH_JOINT_REVOLUTE || base_turn;

            const double most = range->turns ? ANGLE_MOST : SLIDE_MOST;
            range->low = value->has_limits ? value->lower : -most;
            range->high = value->has_limits ? value->upper : most;
            // Limits beyond that are cut, never widened: what is within the range is within limits. Nothing is where none is left.
            if (range->turns) {
                range->low = fmax(range->low, -ANGLE_MOST);
                range->high = fmin(range->high, ANGLE_MOST);
            }
        }
    }
}

// A mimic's multiplier scales what whole turns do: those of its leader cannot be taken off then.
static void keep_followed_angles(LanesBuild* build, const SceneRobot* robot) {
    for (int32_t k = 1; k < robot->robot->frame_count; ++k) {
        const RobotFrame* f = &robot->robot->frames[k];
        const bool scaled = f->motion < FRAME_SLIDE && fabs(f->multiplier) != 1.0;
        const bool slid = f->motion == FRAME_SLIDE;
        if ((scaled || slid) && f->motion != FRAME_STILL) {
            build->lanes->ranges[robot->first_value + f->value].turns = false;
        }
    }
}

// ---- lane coordinates -----------------------------------------------------------------------------------------------

/// So many directions of boxes are counted, and so many boxes looked at.
enum { DIRECTIONS_MOST = 8, BOXES_MOST = 4096 };

// Do boxes of these two directions have parallel sides?
static bool same_sides(const Pose* a, const Pose* b) {
    const Vec3 axes[3] = {b->x, b->y, b->z};
    bool same = true;
    for (int k = 0; k < 3; ++k) {
        const Vec3 in_a = pose_turn_back(a, axes[k]);
        for (int row = 0; row < 3; ++row) {
            const double entry = fabs(v3_at(in_a, row));
            same = same && (entry < 1e-9 || entry > 1.0 - 1e-9);
        }
    }
    return same;
}

// The commonest direction of boxes that stand still: along the axes they cost the kernel least. Else the world's.
static Pose commonest_direction(const BerthScene* scene) {
    Pose directions[DIRECTIONS_MOST] = {pose_identity()};
    int32_t counts[DIRECTIONS_MOST] = {0}, known = 1, looked = 0, best = 0;
    for (int32_t b = scene->moved_body_count; b < scene->body_count && looked < BOXES_MOST; ++b) {
        const SceneBody* body = &scene->bodies[b];
        for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
            const ScenePart* part = &scene->parts[p];
            if (part->solid->is_mesh || part->solid->shape.kind != BERTH_BOX) {
                continue;
            }
            looked += 1;
            int32_t k = 0;
            while (k < known && !same_sides(&directions[k], &part->frame_from_part)) {
                k += 1;
            }
            if (k == known && known < DIRECTIONS_MOST) {
                directions[known++] = part->frame_from_part;
            }
            if (k < known) {
                counts[k] += 1;
            }
        }
    }

    for (int32_t k = 1; k < known; ++k) {
        best = counts[k] > counts[best] ? k : best;
    }
    directions[best].t = v3(0, 0, 0);
    return directions[best];
}

BerthStatus bi_lanes_make_frames(LanesBuild* build) {
    const BerthScene* scene = build->scene;
    BerthLanes* lanes = build->lanes;
    lanes->world_from_lane = commonest_direction(scene);
    if (scene->robot_count > 0) {
        lanes->world_from_lane.t = scene->robots[0].world_from_base.t;
    }
    find_ranges(build);
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        keep_followed_angles(build, &scene->robots[r]);
    }

    for (int32_t r = 0; r < scene->robot_count && build->holds; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        build->lane_frame[robot->first_frame] = -1;
        for (int32_t k = 1; k < robot->robot->frame_count && build->holds; ++k) {
            const RobotFrame* f = &robot->robot->frames[k];
            const int32_t parent = build->lane_frame[robot->first_frame + f->parent];
            const int32_t index = f->motion == FRAME_FLOATING ? append_floating(build, robot, f, parent)
                                                              : append_joint(build, robot, f, parent);
            build->frames[index].scene_frame = robot->first_frame + k;
            build->lane_frame[robot->first_frame + k] = index;
        }
    }
    lanes->model.value_count = lanes->state_size + LANES_FLOAT_ANGLES * lanes->float_count;
    return BERTH_OK;
}

Pose bi_lanes_frame_pose(const KernelFrame* frame, double q) {
    const float(*m)[3] = frame->turn;
    const Pose joint = {v3((double)m[0][0], (double)m[0][1], (double)m[0][2]),
                        v3((double)m[1][0], (double)m[1][1], (double)m[1][2]),
                        v3((double)m[2][0], (double)m[2][1], (double)m[2][2]),
                        v3((double)frame->t[0], (double)frame->t[1], (double)frame->t[2])};
    const double moved = (double)frame->multiplier * q + (double)frame->offset;
    const Pose move = frame->motion == LANE_TURN
                          ? bi_pose_axis_angle(v3(0, 0, 1), moved, v3(0, 0, 0))
                          : (Pose){v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1), v3(0, 0, moved)};
    return pose_mul(&joint, &move);
}
