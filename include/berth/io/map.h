// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Map files: OctoMap, ROS map_server, .npy volumes, .lin, berth's own; maps made of clouds, meshes and scenes.

#ifndef BERTH_IO_MAP_H
#define BERTH_IO_MAP_H

#include <berth/field.h>
#include <berth/io/syntax.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A map and where its bytes are: a .bmap stays a mapped file, everything else is built in memory.
typedef struct BerthMap BerthMap;

/// How a file becomes a map. Start from berth_default_map_options().
typedef struct BerthMapOptions {
    /// Metres a cell: needed for .npy volumes, clouds, meshes and scenes; may be given for .lin (0: 1 m); an error for
    /// files that have their own: OctoMap, map_server, .bmap
    double resolution;
    /// Else .npy and .lin begin at 0, clouds, meshes and scenes where they need it. An error where a resolution is one
    bool has_origin;
    BerthVec3 origin;  ///< corner of cell (0, 0, 0)
    int32_t levels;    ///< clouds, meshes and scenes: 2^levels cells a side, at most 16; < 0: as they need
    double radius;     ///< clouds: points are balls of this radius, metres
    /// Else .bmap: as it was built; clouds, meshes and scenes: what they do not touch is free; all other: unknown cells
    /// are obstacles
    bool unknown_given;
    bool unknown_is_free;  ///< when given: unknown cells are no obstacles
    uint32_t parts;        ///< BerthFieldPart; a .bmap that has them keeps all that it has
    size_t memory_limit;   ///< bytes; 0: 4 GB. What would need more is refused with how much that is
    bool (*progress)(void* user, double share);  ///< as in BerthFieldDef; may be null
    void* progress_user;                         ///< passed to `progress`
    uint32_t stamp;  ///< set by the default function; ties the def to this library version
} BerthMapOptions;
/// The options to start from: what the file says, no parts.
BERTH_API BerthMapOptions berth_default_map_options(void);

/// What is known about a map beside its field.
typedef struct BerthMapFacts {
    const char* format;   ///< "lin", "octomap", "map_server", "npy", "points", "mesh", "scene" or "bmap"
    int64_t points;       ///< of a cloud: taken
    int64_t dropped;      ///< of a cloud: left out because they are NaN, infinite or outside
    int64_t open_meshes;  ///< meshes of which only the surface is occupied
    bool background_taken_free;  ///< nothing says that the rest is free: clouds, meshes and scenes
    uint64_t file_bytes;         ///< size of the file
} BerthMapFacts;

/// By extension: .lin, .bt and .ot, .yaml of ROS' map_server (with its PGM or PNG), .npy, .pcd .ply .xyz .csv .txt .pts
/// (points), .stl .obj .dae .gltf .glb (meshes), .yaml scenes (their standing objects), .bmap. A PLY with faces is a
/// mesh. Images that are turned (yaw) are refused. A file that is mapped must not be written over in place (berth
/// renames).
BERTH_API BerthStatus berth_io_open_map(const char* path, const BerthMapOptions* map_options,
                                        const BerthIoOptions* options, BerthMap** out);
/// Frees a map and its field; null is fine.
BERTH_API void berth_io_close_map(BerthMap* map);
/// The map's field; lives as long as the map.
BERTH_API const BerthField* berth_map_field(const BerthMap* map);
/// What is known about the map beside its field.
BERTH_API BerthMapFacts berth_map_facts(const BerthMap* map);
/// The field alone, whole in memory, to be freed by berth_field_destroy. As berth_io_open_map, but scenes are not read:
/// this is what scenes read their maps with. `facts` may be null.
BERTH_API BerthStatus berth_io_read_field(const char* path, const BerthMapOptions* map_options,
                                          const BerthIoOptions* options, BerthField** out,
                                          BerthMapFacts* facts);
/// Is it a map by its name: .lin, .bt, .ot, .bmap; or a .yaml (.yml) file that is there and has a line "image:"?
BERTH_API bool berth_io_is_map(const char* path);

/// By extension, written beside and renamed: .bmap (everything, with a checksum), .lin (obstacles; cells 1 wide from 0;
/// its sizes are powers of two, and what is then outside of the map is occupied unless the field takes unknown cells as
/// free, with a warning), .bt (3-D; occupied and free leaves), .npy (int8: -1 unknown, 0 free, 1 occupied; the map's
/// size), .yaml (2-D; with an image NAME.pgm beside it). `facts` may be null.
BERTH_API BerthStatus berth_io_write_map(const char* path, const BerthField* field,
                                         const BerthMapFacts* facts, const BerthIoOptions* options);

#ifdef __cplusplus
}
#endif
#endif
