// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A robot under construction: what was added, in order, unchecked as a whole.

#ifndef BI_ROBOT_BUILDER_H
#define BI_ROBOT_BUILDER_H

#include "robot/robot.h"

typedef struct BuildSolid {
    BerthSolid* solid;
    const char* source;
    int32_t link;
    Pose link_from_solid;
} BuildSolid;

typedef struct BuildJoint {
    BerthJointDef def;          // name and mimic are copies
    int32_t root, depth;        // build: the joint it follows in the end, or itself
    double multiplier, offset;  // build: value = multiplier * root's value + offset
    bool rigid;                 // build: fixed, or follows something that never moves
} BuildJoint;

typedef struct BuildState {
    const char* group;
    const char* name;
} BuildState;

typedef struct BuildStateValue {
    int32_t state, joint, count;  // joint -1: the free base
    double values[7];
} BuildStateValue;

typedef struct BuildPair {
    int32_t a, b;  // a < b
    const char* reason;
} BuildPair;

enum { BI_ROBOT_TABLE_MAX = 16 };

struct BerthRobotBuilder {
    BerthAllocator allocator;
    Arena arena;
    const char* name;
    const char** links;
    BuildJoint* joints;
    BuildSolid* solids;
    BuildState* states;
    BuildStateValue* state_values;
    RobotGroup* groups;
    BuildPair* disabled;
    BuildPair* enabled;
    BerthProvenTable tables[BI_ROBOT_TABLE_MAX];
    int32_t table_count;
    uint8_t* link_disabled;  // disable_default_collisions: link_count at the time of the first call, grown
    size_t link_count, joint_count, solid_count, state_count, state_value_count, group_count, disabled_count,
        enabled_count;
    size_t link_capacity, joint_capacity, solid_capacity, state_capacity, state_value_capacity,
        group_capacity, disabled_capacity, enabled_capacity, link_disabled_count;
    NameTable link_names, joint_names;
    const char* base_name;  // free base, or null
    BerthJointType base_type;
    bool listed_pairs;
    double sphere_protrusion;           // berth_robot_use_spheres
    int32_t sphere_most;                // 0: the geometry stays as it is
    char original_sum[BERTH_SUM_TEXT];  // of the robot whose geometry spheres replaced; empty: none did
};

/// For readers: an item that was added already. -1 when there is none of that name.
int32_t bi_robot_builder_find_link(const BerthRobotBuilder* builder, const char* name);
int32_t bi_robot_builder_find_joint(const BerthRobotBuilder* builder, const char* name);
/// No pair of this link is checked unless it was enabled (SRDF: disable_default_collisions). Lists pairs.
BerthStatus bi_robot_builder_disable_link(BerthRobotBuilder* builder, int32_t link);

/// Frees what is in it, solids too.
void bi_robot_builder_clear(BerthRobotBuilder* builder);

// The parts of berth_robot_build that have files of their own.
/// Fills rules and reasons from the builder's lists, or by the default rule. The builder's arena is scratch. Tables come later.
BerthStatus bi_robot_find_pairs(BerthRobot* robot, BerthRobotBuilder* builder);
/// Settles what the builder's tables say about disabled pairs: proven, or checked after all.
BerthStatus bi_robot_apply_tables(BerthRobot* robot, const BerthRobotBuilder* builder);
/// Replaces the geometry of links by covering spheres, in the builder: its solids are the robot's then, to be filled in again.
/// `*fault` is the link that failed, or -1.
BerthStatus bi_robot_cover_links(BerthRobot* robot, BerthRobotBuilder* builder, int32_t* fault);
/// The ball of a solid in its own frame, rounded up.
void bi_robot_solid_ball(const BerthSolid* solid, Vec3* centre, double* radius);
/// Sets robot->reach: no point of a solid and no link's origin is ever further than this from the base's origin.
BerthStatus bi_robot_find_reach(BerthRobot* robot, Arena* scratch);

#endif
