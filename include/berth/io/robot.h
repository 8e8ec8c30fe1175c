// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Robot files: URDF and SRDF; covering spheres written into them.

#ifndef BERTH_IO_ROBOT_H
#define BERTH_IO_ROBOT_H

#include <berth/io/syntax.h>
#include <berth/robot.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a URDF becomes a robot. Start from berth_default_robot_options(); where a function takes them, null means just these.
typedef struct BerthRobotOptions {
    /// Path of the SRDF: pairs that are not checked, groups, named states. Null: `srdf` of BerthIoOptions; without either
    /// the default rule about pairs holds
    const char* srdf;
    /// The SRDF's first planar or floating virtual joint of the root link becomes a joint of the state
    bool free_base;
    const char* const* hull_links;  ///< names of links whose meshes become hulls ("*" for all)
    int32_t hull_link_count;        ///< of `hull_links`
    uint32_t stamp;                 ///< set by the default function; ties the options to this library version
} BerthRobotOptions;
/// The options to start from: no SRDF of its own, a fixed base, meshes as they are.
BERTH_API BerthRobotOptions berth_default_robot_options(void);

/// A URDF, and the SRDF that goes with it.
BERTH_API BerthStatus berth_io_read_robot(const char* urdf_path, const BerthRobotOptions* robot_options,
                                          const BerthIoOptions* options, BerthRobot** out);
/// Balls that cover the robot's links: berth/cover.h makes them.
typedef struct BerthSpheres BerthSpheres;
/// Copies a URDF with the collisions of all links that have spheres replaced by these; everything else stays as it is.
/// The spheres are of this robot, as read from that file. Written beside and renamed.
BERTH_API BerthStatus berth_io_write_spherized(const char* path, const char* urdf_path,
                                               const BerthRobot* robot, const BerthSpheres* spheres,
                                               const BerthIoOptions* options);
/// An SRDF with MoveIt's link_sphere_approximation of all links that have spheres: a copy of `srdf_path`, or, when that
/// is null, nothing but these.
BERTH_API BerthStatus berth_io_write_sphere_srdf(const char* path, const char* srdf_path,
                                                 const BerthRobot* robot, const BerthSpheres* spheres,
                                                 const BerthIoOptions* options);
/// A URDF of one link, with the spheres of one body (group 0).
BERTH_API BerthStatus berth_io_write_sphere_body(const char* path, const char* name,
                                                 const BerthSpheres* spheres, const BerthIoOptions* options);

/// An SRDF as a document, apart from any robot.
typedef struct BerthSrdf BerthSrdf;
/// One disable_collisions or enable_collisions.
typedef struct BerthSrdfPair {
    const char* link_a;   ///< one link
    const char* link_b;   ///< the other
    const char* reason;   ///< or null
    const char* comment;  ///< written behind it; null: none. Null in what was read
    bool enable;          ///< enable_collisions: else disable_collisions
    int32_t line;         ///< where it stands in the file; not written
} BerthSrdfPair;
/// Reads an SRDF as a document: names are not looked up in any robot.
BERTH_API BerthStatus berth_io_read_srdf(const char* path, const BerthIoOptions* options, BerthSrdf** out);
/// Frees a document; null is fine.
BERTH_API void berth_io_free_srdf(BerthSrdf* srdf);
/// Its pairs, in the order of the file; texts are borrowed.
BERTH_API int32_t berth_srdf_pair_count(const BerthSrdf* srdf);
/// One of its pairs; texts are borrowed from the document.
BERTH_API BerthSrdfPair berth_srdf_pair(const BerthSrdf* srdf, int32_t index);
/// What an SRDF is to say. Start from berth_default_srdf_def(). Everything is borrowed during the call.
typedef struct BerthSrdfDef {
    const char* name;     ///< of the robot
    const char* comment;  ///< at the top; null: none
    /// Everything of this document is kept but its pairs, disable_default_collisions, proven tables and comments; null: none
    const BerthSrdf* rest;
    const BerthSrdfPair* pairs;  ///< that are, or are not, checked
    int32_t pair_count;          ///< of `pairs`
    /// At the end, where other readers skip what they do not know; null: none
    const BerthProvenTable* table;
    uint32_t stamp;  ///< set by the default function; ties the def to this library version
} BerthSrdfDef;
/// The def to start from: a robot "" without pairs.
BERTH_API BerthSrdfDef berth_default_srdf_def(void);
/// The text of such an SRDF, to be freed by berth_io_free_srdf_text.
BERTH_API BerthStatus berth_io_srdf_text(const BerthSrdfDef* def, const BerthIoOptions* options, char** text,
                                         size_t* size);
/// Frees what berth_io_srdf_text gave, with the same options; null is fine.
BERTH_API void berth_io_free_srdf_text(const BerthIoOptions* options, char* text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
