// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What all readers and writers share: options, warnings, packages; files that are written together.

#ifndef BERTH_IO_SYNTAX_H
#define BERTH_IO_SYNTAX_H

#include <berth/field.h>
#include <berth/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The files of one piece of work: those that were read, and those that are to be written. Files are written together, all or
/// none, and never over one that was read. Not for several threads at once.
typedef struct BerthFiles BerthFiles;

/// What a URDF draws of a link. It is for pictures: nothing that is checked knows it.
typedef struct BerthVisual {
    const char* link;            ///< its name; null: a robot begins, and nothing else is told here
    BerthPose link_from_visual;  ///< where it is on the link
    const char* mesh;            ///< its file, or null: `shape`
    BerthVec3 scale;             ///< of the mesh
    BerthShape shape;            ///< when there is no mesh
    bool has_colour;             ///< `colour` is given
    double colour[4];            ///< red, green, blue, alpha, 0 to 1
} BerthVisual;

/// How files are read. Start from berth_default_io_options(); where a function takes options, null means just these.
typedef struct BerthIoOptions {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    /// Called once a warning with one line of text, which begins with FILE:LINE or FILE. May be null.
    void (*warn)(void* user, const char* text);
    void* user;                   ///< passed to `warn`
    const char* const* packages;  ///< NAME=DIR, searched first
    int32_t package_count;        ///< of `packages`
    const char* srdf;             ///< for a bare URDF, or null
    /// URDF for scene files that hold no robot (MoveIt .scene, MotionBenchMaker), or null
    const char* robot;
    /// Readers note in it what they read, and writers leave in it what they write: nothing is in its place until
    /// berth_io_files_commit(). Null: nothing is noted, and a writer puts its file in its place at once. Borrowed.
    BerthFiles* files;
    /// Asked now and then while a file is read, from the calling thread; true ends it with BERTH_ERR_CANCELLED. May be null
    bool (*cancelled)(void* user);
    void* cancelled_user;  ///< passed to `cancelled`
    /// Told now and then which file is read and how much of it was, 0 to 1. May be null
    void (*progress)(void* user, const char* path, double share);
    void* progress_user;  ///< passed to `progress`
    /// Scene files that hold no robot are read without one when `robot` is null: what stands in the world. What they say
    /// about a robot (its state, what it holds, pairs that may touch) is left out, with a warning
    bool world_only;
    /// Pairs of an SRDF's proven table are proven again when it is read; what is not proven is checked, with a warning.
    bool prove;
    /// Robots are asked as spheres: berth_robot_use_spheres, with at most 32 spheres a link that protrude by 10 mm where so many can. Scenes
    /// then assume `spheres_only`. What is attached to robots, and obstacles, stay what they are
    bool spheres_only;
    /// Told what a URDF draws of its links, robot after robot; visuals that are wrong are left out. Texts are borrowed during the call.
    /// May be null
    void (*visual)(void* user, const BerthVisual* visual);
    void* visual_user;  ///< passed to `visual`
    /// Told of the map that an object of a scene is made of; the field is borrowed during the call. May be null
    void (*field)(void* user, const char* object, const BerthField* field);
    void* field_user;       ///< passed to `field`
    bool ignore_dae_units;  ///< numbers of a COLLADA file are metres, whatever unit it states
    uint32_t stamp;         ///< set by the default function; ties the def to this library version
} BerthIoOptions;

/// The options to start from: no packages, no SRDF, no robot, warnings are dropped, nobody is asked or told.
BERTH_API BerthIoOptions berth_default_io_options(void);

/// Nothing read, nothing to write. `allocator` may be null: the C library's heap.
BERTH_API BerthStatus berth_io_files_create(const BerthAllocator* allocator, BerthFiles** out);

/// Ends it. What was not committed was never there. Null is fine.
BERTH_API void berth_io_files_destroy(BerthFiles* files);

/// Keeps the SHA-256 of every file that is read whole from now on (scenes, robots, meshes, trajectories), or keeps none any more:
/// certificates list them. Files that are read piece by piece have none.
BERTH_API void berth_io_files_keep_sums(BerthFiles* files, bool keep);

/// Counts the bytes as a file that was read whole, where sums are kept: a motion that is written along with its certificate.
BERTH_API BerthStatus berth_io_files_add_bytes(BerthFiles* files, const char* path, const void* bytes,
                                               size_t size);

/// What `other` was read for counts as read by `files` too, with its sums: for work that uses what was read before.
BERTH_API BerthStatus berth_io_files_add(BerthFiles* files, const BerthFiles* other);

/// Says that `path` will be written, before any work. From now on it cannot be read (a reader that meets it, under whatever
/// name, returns BERTH_ERR_ARGUMENT) nor be reserved again; one that was read already is refused here. Devices and pipes
/// may be reserved, and read, as often as wanted.
BERTH_API BerthStatus berth_io_files_reserve(BerthFiles* files, const char* path);

/// Could `path` be written now? By writing an empty file without a name in its folder: the status and the text that
/// berth_io_files_write() would give. Leaves nothing behind.
BERTH_API BerthStatus berth_io_files_try(BerthFiles* files, const char* path);

/// Writes the bytes to a file without a name in the folder of `path` (with a random one where the file system knows no
/// other way) and syncs it. A link stays one: what it leads to is meant. The mode is that of the file that is there, else
/// 0666 less the umask. BERTH_ERR_ARGUMENT: `path` was read, is written already, is no regular file, cannot be written by
/// this user, or is there though not `replace`. BERTH_ERR_SYSTEM: the disk is full, or fails.
BERTH_API BerthStatus berth_io_files_write(BerthFiles* files, const char* path, const void* bytes,
                                           size_t size, bool replace);

/// What berth_io_files_write_pieces writes next: `*size` bytes at `*bytes`, which stay until it is called again; 0 at the end.
/// Anything but BERTH_OK ends the writing.
typedef BerthStatus BerthNextPiece(void* user, const void** bytes, size_t* size);

/// As berth_io_files_write, of bytes that need not be in memory at once.
BERTH_API BerthStatus berth_io_files_write_pieces(BerthFiles* files, const char* path, BerthNextPiece* next,
                                                  void* user, bool replace);

/// Puts everything that was written in its place, in the order of writing, and syncs the folders. When one cannot be put
/// there or synced, those before it are taken back and what was there before is there again. Whoever looks, and whenever
/// the program ends, sees the whole old file or the whole new one.
BERTH_API BerthStatus berth_io_files_commit(BerthFiles* files);

#ifdef __cplusplus
}
#endif
#endif
