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

/// The files of one job: those that were read, and those that are to be written. Files are written together,
/// all or none, and never over one that was read. Not for several threads at once.
typedef struct BerthFiles BerthFiles;

/// What a URDF draws of a link. For pictures only: checks do not use it.
typedef struct BerthVisual {
    const char* link;  ///< name of the link; null: a new robot begins, and all other fields are empty
    BerthPose link_from_visual;  ///< its pose on the link
    const char* mesh;            ///< its file, or null: see `shape`
    BerthVec3 scale;             ///< of the mesh
    BerthShape shape;            ///< when there is no mesh
    bool has_colour;             ///< `colour` is given
    double colour[4];            ///< red, green, blue, alpha, 0 to 1
} BerthVisual;

/// How files are read. Start from berth_default_io_options(); where a function takes these options, null
/// means the default ones.
typedef struct BerthIoOptions {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    /// Called once for each warning, with one line of text that begins with FILE:LINE or FILE. May be null
    void (*warn)(void* user, const char* text);
    void* user;                   ///< passed to `warn`
    const char* const* packages;  ///< NAME=DIR, searched first for package:// names
    int32_t package_count;        ///< of `packages`
    const char* srdf;             ///< for a bare URDF, or null
    const char* robot;  ///< URDF for scene files without a robot (MoveIt .scene, MotionBenchMaker), or null
    /// Readers note in it what they read, and writers leave in it what they write: nothing replaces an
    /// existing file until berth_io_files_commit(). Null: nothing is noted, and a writer puts its file in
    /// place at once. Borrowed
    BerthFiles* files;
    /// Polled while a file is read, on the calling thread; true ends reading with BERTH_ERR_CANCELLED. May be
    /// null
    bool (*cancelled)(void* user);
    void* cancelled_user;  ///< passed to `cancelled`
    /// Called from time to time with the file that is being read and the share of it that was, 0 to 1. May be
    /// null
    void (*progress)(void* user, const char* path, double share);
    void* progress_user;  ///< passed to `progress`
    /// When `robot` is null, scene files without a robot are read without one: only what stands in the world.
    /// What they say about a robot (its state, attached objects, pairs that may touch) is left out, with a
    /// warning
    bool world_only;
    /// The pairs of an SRDF's proven table are proven again when it is read; a pair that is not proven is
    /// checked, with a warning
    bool prove;
    /// Robots are checked as spheres: berth_robot_use_spheres, with at most 32 spheres per link that protrude
    /// by 10 mm where that many can. Scenes then assume `spheres_only`. Attached objects and obstacles stay
    /// as they are
    bool spheres_only;
    /// Called for everything that a URDF draws of its links, robot after robot; faulty visuals are left out.
    /// Texts are borrowed during the call. May be null
    void (*visual)(void* user, const BerthVisual* visual);
    void* visual_user;  ///< passed to `visual`
    /// Called with the map that an object of a scene is made from; the field is borrowed during the call. May
    /// be null
    void (*field)(void* user, const char* object, const BerthField* field);
    void* field_user;       ///< passed to `field`
    bool ignore_dae_units;  ///< the numbers of a COLLADA file are metres, whatever unit it states
    uint32_t stamp;         ///< set by the default function; ties the def to this library version
} BerthIoOptions;

/// The options to start from: no packages, no SRDF, no robot, warnings are dropped, no callbacks.
BERTH_API BerthIoOptions berth_default_io_options(void);

/// An empty list of files. `allocator` may be null: the C library's heap.
BERTH_API BerthStatus berth_io_files_create(const BerthAllocator* allocator, BerthFiles** out);

/// Frees the list. What was not committed is discarded. Null is fine.
BERTH_API void berth_io_files_destroy(BerthFiles* files);

/// Keeps the SHA-256 of every file that is read completely from now on (scenes, robots, meshes,
/// trajectories), for certificates to list; or stops keeping them. Files that are read piece by piece have
/// none.
BERTH_API void berth_io_files_keep_sums(BerthFiles* files, bool keep);

/// Where sums are kept, adds these bytes as a file that was read: for a motion that is written along with its
/// certificate.
BERTH_API BerthStatus berth_io_files_add_bytes(BerthFiles* files, const char* path, const void* bytes,
                                               size_t size);

/// Files that were read into `other` count as read into `files` too, with their sums: for work that uses what
/// was read before.
BERTH_API BerthStatus berth_io_files_add(BerthFiles* files, const BerthFiles* other);

/// Announces that `path` will be written, before any work is done. From now on it can neither be read (a
/// reader that meets it, under whatever name, returns BERTH_ERR_ARGUMENT) nor be reserved again; a file that
/// was already read is refused here. Devices and pipes may be reserved and read repeatedly.
BERTH_API BerthStatus berth_io_files_reserve(BerthFiles* files, const char* path);

/// Could `path` be written now? Tries by writing an empty file without a name in its folder: status and text
/// are those that berth_io_files_write() would give. Leaves nothing behind.
BERTH_API BerthStatus berth_io_files_try(BerthFiles* files, const char* path);

/// Writes the bytes to a file without a name in the folder of `path` (with a random name where the file
/// system requires one) and syncs it. A symbolic link is followed and stays. The mode is that of the existing
/// file, otherwise 0666 less the umask. BERTH_ERR_ARGUMENT: `path` was read, was written already, is not a
/// regular file, cannot be written by this user, or exists and `replace` is false. BERTH_ERR_SYSTEM: the disk
/// is full or fails.
BERTH_API BerthStatus berth_io_files_write(BerthFiles* files, const char* path, const void* bytes,
                                           size_t size, bool replace);

/// Supplies the next bytes for berth_io_files_write_pieces: `*size` bytes at `*bytes`, which must stay valid
/// until the next call; 0 at the end. Anything but BERTH_OK ends the writing.
typedef BerthStatus BerthNextPiece(void* user, const void** bytes, size_t* size);

/// As berth_io_files_write, for bytes that need not be in memory at once.
BERTH_API BerthStatus berth_io_files_write_pieces(BerthFiles* files, const char* path, BerthNextPiece* next,
                                                  void* user, bool replace);

/// Puts everything that was written in place, in the order of writing, and syncs the folders. If one file
/// cannot be put in place or synced, those before it are undone and the old files are there again. At any
/// moment, also if the program ends, each file is either completely old or completely new.
BERTH_API BerthStatus berth_io_files_commit(BerthFiles* files);

#ifdef __cplusplus
}
#endif
#endif
