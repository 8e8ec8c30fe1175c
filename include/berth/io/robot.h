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

/// A URDF, with the SRDF `srdf_path`, or options->srdf when that is null; without either the default rule about pairs
/// holds. `free_base`: the SRDF's first planar or floating virtual joint of the root link becomes a joint of the state.
/// `hull`: names of links whose meshes become hulls ("*" for all).
BERTH_API BerthStatus berth_io_read_robot(const char* urdf_path, const char* srdf_path, bool free_base,
                                          const char* const* hull, int32_t hull_count,
                                          const BerthIoOptions* options, BerthRobot** out);
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
/// The text of an SRDF for the robot `name` with these pairs, and everything of `rest` (may be null) but its own pairs,
/// disable_default_collisions and proven tables; comments of `rest` are not kept. `comment` (may be null) stands at the
/// top, `table` (may be null) at the end: what other readers do not know, they skip.
BERTH_API BerthStatus berth_io_srdf_text(const char* name, const BerthSrdf* rest, const char* comment,
                                         const BerthSrdfPair* pairs, int32_t count,
                                         const BerthProvenTable* table, const BerthIoOptions* options,
                                         char** text, size_t* size);
/// Frees what berth_io_srdf_text gave, with the same options; null is fine.
BERTH_API void berth_io_free_srdf_text(const BerthIoOptions* options, char* text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
