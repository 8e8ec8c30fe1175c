// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Robot files: URDF and SRDF, also with covering spheres.

#ifndef BERTH_IO_ROBOT_H
#define BERTH_IO_ROBOT_H

#include <berth/io/syntax.h>
#include <berth/robot.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a URDF becomes a robot. Start from berth_default_robot_options(); where a function takes these
/// options, null means the default ones.
typedef struct BerthRobotOptions {
    /// Path of the SRDF: disabled pairs, groups, named states. Null: `srdf` of BerthIoOptions; without
    /// either, the default rule for pairs holds
    const char* srdf;
    /// The SRDF's first planar or floating virtual joint of the root link becomes a joint with values in the
    /// state
    bool free_base;
    const char* const* hull_links;  ///< names of links whose meshes are replaced by their hulls ("*": all)
    int32_t hull_link_count;        ///< of `hull_links`
    uint32_t stamp;                 ///< set by the default function; ties the options to this library version
} BerthRobotOptions;
/// The options to start from: no SRDF of their own, a fixed base, meshes as they are.
BERTH_API BerthRobotOptions berth_default_robot_options(void);

/// Reads a URDF, and the SRDF that belongs to it.
BERTH_API BerthStatus berth_io_read_robot(const char* urdf_path, const BerthRobotOptions* robot_options,
                                          const BerthIoOptions* options, BerthRobot** out);
/// Balls that cover the robot's links: see berth/cover.h.
typedef struct BerthSpheres BerthSpheres;
/// Writes a copy of a URDF in which the collision geometry of all links that have spheres is replaced by
/// these; everything else stays as it is. The spheres must be of this robot, as read from that file. Written
/// to a temporary file that is then renamed.
BERTH_API BerthStatus berth_io_write_spherized(const char* path, const char* urdf_path,
                                               const BerthRobot* robot, const BerthSpheres* spheres,
                                               const BerthIoOptions* options);
/// Writes an SRDF with MoveIt's link_sphere_approximation of all links that have spheres: added to a copy of
/// `srdf_path`, or, when that is null, alone.
BERTH_API BerthStatus berth_io_write_sphere_srdf(const char* path, const char* srdf_path,
                                                 const BerthRobot* robot, const BerthSpheres* spheres,
                                                 const BerthIoOptions* options);
/// Writes a URDF of one link, with the spheres of one body (group 0).
BERTH_API BerthStatus berth_io_write_sphere_body(const char* path, const char* name,
                                                 const BerthSpheres* spheres, const BerthIoOptions* options);

/// An SRDF as a document, without a robot.
typedef struct BerthSrdf BerthSrdf;
/// One disable_collisions or enable_collisions element.
typedef struct BerthSrdfPair {
    const char* link_a;   ///< one link
    const char* link_b;   ///< the other
    const char* reason;   ///< or null
    const char* comment;  ///< written after it; null: none. Always null in what was read
    bool enable;          ///< true: enable_collisions, false: disable_collisions
    int32_t line;         ///< its line in the file; not written
} BerthSrdfPair;
/// Reads an SRDF as a document: its names are not checked against a robot.
BERTH_API BerthStatus berth_io_read_srdf(const char* path, const BerthIoOptions* options, BerthSrdf** out);
/// Frees a document; null is fine.
BERTH_API void berth_io_free_srdf(BerthSrdf* srdf);
/// The number of its pairs.
BERTH_API int32_t berth_srdf_pair_count(const BerthSrdf* srdf);
/// One of its pairs, in the order of the file; texts are borrowed from the document.
BERTH_API BerthSrdfPair berth_srdf_pair(const BerthSrdf* srdf, int32_t index);
/// The contents of an SRDF to be written. Start from berth_default_srdf_def(). Everything is borrowed during
/// the call.
typedef struct BerthSrdfDef {
    const char* name;     ///< of the robot
    const char* comment;  ///< at the top; null: none
    /// Everything of this document is kept except pairs, disable_default_collisions, proven tables and
    /// comments; null: none
    const BerthSrdf* rest;
    const BerthSrdfPair* pairs;     ///< disabled and enabled pairs
    int32_t pair_count;             ///< of `pairs`
    const BerthProvenTable* table;  ///< proven table, at the end, where other readers ignore it; null: none
    uint32_t stamp;                 ///< set by the default function; ties the def to this library version
} BerthSrdfDef;
/// The def to start from: robot "", no pairs.
BERTH_API BerthSrdfDef berth_default_srdf_def(void);
/// Makes the text of such an SRDF; free it with berth_io_free_srdf_text.
BERTH_API BerthStatus berth_io_srdf_text(const BerthSrdfDef* def, const BerthIoOptions* options, char** text,
                                         size_t* size);
/// Frees what berth_io_srdf_text returned, with the same options; null is fine.
BERTH_API void berth_io_free_srdf_text(const BerthIoOptions* options, char* text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
