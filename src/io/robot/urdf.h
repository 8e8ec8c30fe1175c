// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Reading a URDF, and the SRDF that goes with it, into a robot builder.

#ifndef BI_IO_URDF_H
#define BI_IO_URDF_H

#include <berth/io/robot.h>

#include "io/syntax/xml.h"
#include "robot/builder.h"

/// The bytes of a file, and its path for messages and relative names.
typedef struct RobotText {
    const char* path;
    const char* data;
    size_t size;
} RobotText;

/// What is requested besides the files.
typedef struct RobotRequest {
    BerthRobotOptions robot;  ///< its SRDF and stamp are not looked at
    bool no_files;            ///< for fuzzing: nothing on disk is looked at, every mesh is a box of 0.1 m
    const BerthIoOptions* options;
} RobotRequest;

/// A reading in progress.
typedef struct RobotRead {
    const RobotRequest* ask;
    Arena* arena;
    BerthRobotBuilder* builder;
    XmlFile urdf, srdf;
    const XmlNode** link_nodes;   ///< by link index
    const XmlNode** joint_nodes;  ///< by joint index
    size_t link_capacity, joint_capacity;
    const char* warned[32];  ///< names of unknown elements that were mentioned already
    int32_t warned_count;
    const XmlNode* table_nodes[BI_ROBOT_TABLE_MAX];  ///< proven tables of the SRDF
    int32_t table_count;
    int64_t triangle_count;  ///< of collision meshes so far
    int32_t visual_count;    ///< visual meshes that were looked for
} RobotRead;

/// Most triangles of all collision meshes of a robot, so that a small file cannot ask for all memory.
enum { BI_URDF_TRIANGLE_MAX = 5000000, BI_URDF_VISUAL_MAX = 10000 };

/// Links, joints and geometry of read->urdf.root into the builder.
BerthStatus bi_urdf_read(RobotRead* read);
/// One <link>'s collisions and visuals.
BerthStatus bi_urdf_read_link(RobotRead* read, const XmlNode* node, int32_t link);
/// One <joint>.
BerthStatus bi_urdf_read_joint(RobotRead* read, const XmlNode* node);
/// <origin> of `node`, identity when there is none.
BerthStatus bi_urdf_read_origin(const XmlFile* file, const XmlNode* node, Pose* out);
/// Warns once about each kind of element in `node` that is not among `known` (ends with null).
void bi_urdf_warn_unknown(RobotRead* read, const XmlNode* node, const char* const* known);

/// Pairs, groups, states and the free base of read->srdf.root into the builder.
BerthStatus bi_srdf_read(RobotRead* read);
/// Its groups.
BerthStatus bi_srdf_read_groups(RobotRead* read);

/// berth_io_read_robot for bytes in memory. `srdf` may be null.
BerthStatus bi_io_robot_from_text(const RobotText* urdf, const RobotText* srdf, const RobotRequest* ask,
                                  BerthRobot** out);

#endif
