// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The built robot as plain arrays, for the rooms above: scene, check, motion. Constant after berth_robot_build.
//
// Links that are joined by fixed joints only are one rigid body: a *frame*. Frame 0 is fixed to the base. Every
// other frame is moved by one joint against its parent frame and has the axes of that joint's child link. Frames
// are in preorder, so the subtree of frame f is the range [f, frames[f].end): what moves when f's joint moves.

#ifndef BI_ROBOT_H
#define BI_ROBOT_H

#include <berth/lab/robot.h>

#include "base/arena.h"
#include "math/math.h"
#include "robot/names.h"
#include "simd/simd.h"

/// Most links (and joints), solids, links with collision geometry: what a hostile file may cost.
enum {
    BI_ROBOT_LINK_MAX = 100000,
    BI_ROBOT_SOLID_MAX = 100000,
    BI_ROBOT_GEOMETRY_MAX = 4096,
    BI_ROBOT_LIST_MAX = 10000  ///< named states; groups
};

/// How a frame moves: the joint's type, and whether its axis is one of x, y, z (then the step is shorter).
typedef enum FrameMotion {
    FRAME_STILL = 0,  // frame 0 only
    FRAME_TURN_X,
    FRAME_TURN_Y,
    FRAME_TURN_Z,
    FRAME_TURN,
    FRAME_SLIDE,
    FRAME_PLANAR,
    FRAME_FLOATING
} FrameMotion;

typedef struct RobotFrame {
    int32_t parent;  ///< frame; -1 for frame 0
    int32_t end;     ///< one past the last frame of its subtree
    int32_t joint;   ///< that moves it; -1 for frame 0
    int32_t value;   ///< first value of a state that it reads (a mimic reads its leader's); -1 for frame 0
    int32_t
        link;  ///< the joint's child link, whose frame this is; the root link for frame 0, -1 when that moves
    FrameMotion motion;
    double
        multiplier;  ///< joint value = multiplier * values[value] + offset (turning and sliding joints); an axis
    double offset;           ///< along -x, -y or -z is stored as +x, +y, +z with both negated
    Vec3 axis;               ///< unit, in the joint's frame and in this one (a turn leaves it where it is)
    Vec3 across[2];          ///< planar joints: the directions of x and y in the joint's frame
    Pose parent_from_joint;  ///< in the parent *frame*, fixed joints multiplied in
} RobotFrame;

typedef struct RobotLink {
    const char* name;
    int32_t parent_joint;  ///< -1 for the root
    int32_t frame;
    int32_t first_solid, solid_count;
    int32_t geometry;         ///< its number among links with solids, or -1
    int32_t open_mesh_count;  ///< open meshes that spheres stand for
    Pose frame_from_link;
} RobotLink;

typedef struct RobotSolid {
    int32_t link, frame;
    BerthSolid* solid;
    const char* source;
    Pose frame_from_solid;
    Pose link_from_solid;
    Vec3 centre;    ///< a ball that contains it, in the frame
    double radius;  ///< rounded up
} RobotSolid;

/// One number of a state.
typedef struct RobotValue {
    int32_t joint, component;
    BerthJointType type;
    bool has_limits;
    double lower, upper;
} RobotValue;

typedef struct RobotState {
    const char* group;
    const char* name;
    double* values;  ///< value_count, of which only
    uint8_t* named;  ///< these are written
} RobotState;

typedef struct RobotGroup {
    const char* name;
    int32_t* joints;
    int32_t joint_count;
} RobotGroup;

/// A pair of links (a < b) that was listed as disabled.
typedef struct RobotPairReason {
    int32_t a, b;
    const char* reason;
} RobotPairReason;

struct BerthRobot {
    BerthAllocator allocator;
    Arena arena;  ///< everything below but the solids
    const SimdKernels* kernels;
    const char* name;
    int32_t link_count, joint_count, frame_count, solid_count, value_count, geometry_count;
    int32_t state_count, group_count, reason_count, table_count;
    RobotFrame* frames;
    RobotLink* links;
    BerthJointInfo* joints;
    RobotSolid* solids;  ///< by link
    RobotValue* values;
    uint8_t* rules;  ///< BerthPairRule of links with geometry, lower triangle: see bi_robot_pair_rule
    RobotPairReason* reasons;  ///< sorted
    double* proven;  ///< gaps of pairs by the same numbers, 0 where there is no proof; null without any
    BerthTableUse* tables;  ///< what became of each
    RobotState* states;
    RobotGroup* groups;
    NameTable link_names, joint_names;
    double reach;
    int32_t sphere_link_count;  ///< links that are checked as spheres by berth_robot_use_spheres
    bool listed_pairs;          ///< an SRDF or the caller listed them; false: the default rule
};

/// Where every frame is: world_from_frame[frame_count]. No allocation. NaN values give NaN poses.
void bi_robot_frame_poses(const BerthRobot* robot, const Pose* world_from_base, const double* values,
                          Pose* world_from_frame);
/// The same, bit for bit, when `world_from_frame` holds the frames of `old_values` at the same base: only what a
/// changed value moves is computed again.
void bi_robot_frame_poses_update(const BerthRobot* robot, const Pose* world_from_base,
                                 const double* old_values, const double* new_values, Pose* world_from_frame);
/// One frame out of its parent: the step of which the two above are made.
void bi_robot_frame_step(const RobotFrame* frame, const Pose* world_from_parent, const double* values,
                         Pose* world_from_frame);
/// berth_robot_point_jacobian with the frames already known.
void bi_robot_jacobian(const BerthRobot* robot, const Pose* world_from_frame, const double* values,
                       int32_t frame, Vec3 point, Vec3* columns);

/// The place of two different links with geometry in `rules` and `proven`.
static inline size_t bi_robot_pair_index(const BerthRobot* robot, int32_t link_a, int32_t link_b) {
    const int32_t a = robot->links[link_a].geometry;
    const int32_t b = robot->links[link_b].geometry;
    const size_t high = (size_t)(a > b ? a : b);
    const size_t low = (size_t)(a > b ? b : a);
    return high * (high - 1) / 2 + low;
}

/// The rule for two links, without its text.
static inline BerthPairRule bi_robot_pair_rule(const BerthRobot* robot, int32_t link_a, int32_t link_b) {
    const int32_t a = robot->links[link_a].geometry;
    const int32_t b = robot->links[link_b].geometry;
    if (link_a == link_b) {
        return BERTH_PAIR_RIGID;
    }
    if (a < 0 || b < 0) {
        return BERTH_PAIR_NO_GEOMETRY;
    }
    return (BerthPairRule)robot->rules[bi_robot_pair_index(robot, link_a, link_b)];
}

/// The gap that a table proves for two links, within limits; 0 where there is no proof.
double bi_robot_proven_gap(const BerthRobot* robot, int32_t link_a, int32_t link_b);
/// The proof of a pair did not hold when it was tried again: it is checked from now on. For readers, before anybody else
/// has the robot.
void bi_robot_drop_proof(BerthRobot* robot, int32_t link_a, int32_t link_b);
/// The gap that a table proves for two links as they were before spheres replaced them, where they are checked; else 0.
double bi_robot_original_gap(const BerthRobot* robot, int32_t link_a, int32_t link_b);
/// Two links of which that is told are proven apart by `gap` within limits as they are now. For readers, likewise.
void bi_robot_enter_proof(BerthRobot* robot, int32_t link_a, int32_t link_b, double gap);

/// How many values a joint of this type has.
int32_t bi_joint_value_count(BerthJointType type);
/// A random state within limits: +-pi where there are none to turn, +-1 m where there are none to slide.
void bi_robot_random_values(const BerthRobot* robot, Random* random, double* values);

#endif
