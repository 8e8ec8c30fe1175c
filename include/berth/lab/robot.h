// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, robot: adding proven tables to a robot directly, and what became of them. Readers of files
// (berth/io/robot.h) add the tables that they read, and warn of those that do not count.

#ifndef BERTH_LAB_ROBOT_H
#define BERTH_LAB_ROBOT_H

#include <berth/robot.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Adds a table to the robot being built; copied. Of the pairs that are disabled, those in a table of this
/// robot are skipped where its proof holds; those in any other table are checked. At most 16 tables.
BERTH_API BerthStatus berth_robot_add_proven_table(BerthRobotBuilder* builder, const BerthProvenTable* table);
/// What became of a proven table.
typedef enum BerthTableUse {
    BERTH_TABLE_USED = 0,     ///< it is for this robot
    BERTH_TABLE_OTHER_ROBOT,  ///< geometry, joints, limits or names differ: its pairs are checked
    BERTH_TABLE_EDITED,       ///< its sum is wrong: its pairs are checked
    /// It is for the geometry that spheres replaced: its pairs are checked, except those that a reader of
    /// files proves for the spheres
    BERTH_TABLE_OF_ORIGINAL
} BerthTableUse;
/// The number of proven tables that were added.
BERTH_API int32_t berth_robot_table_count(const BerthRobot* robot);
/// What became of one of them.
BERTH_API BerthTableUse berth_robot_table_use(const BerthRobot* robot, int32_t table);
/// The gap that a table proves for a pair whose rule is BERTH_PAIR_PROVEN, while every value is within its
/// limits; otherwise 0.
BERTH_API double berth_robot_proven_gap(const BerthRobot* robot, int32_t link_a, int32_t link_b);

/// The number of links with geometry that are checked as spheres since berth_robot_use_spheres was called,
/// including those that were spheres already; 0 when it was not called.
BERTH_API int32_t berth_robot_sphere_link_count(const BerthRobot* robot);

#ifdef __cplusplus
}
#endif
#endif
