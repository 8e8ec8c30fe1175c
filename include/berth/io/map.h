// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Map files: OctoMap, ROS map_server, .npy volumes, .lin, berth's own; maps made of clouds, meshes and scenes.

#ifndef BERTH_IO_MAP_H
#define BERTH_IO_MAP_H

#include <berth/field.h>
#include <berth/io/syntax.h>
#include <berth/occupancy.h>

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
    /// The caller turns the map by BerthMapFacts.yaw; else files that are turned (map_server's origin has a yaw) are refused
    bool obey_yaw;
    uint32_t parts;       ///< BerthFieldPart; a .bmap that has them keeps all that it has
    size_t memory_limit;  ///< bytes; 0: 4 GB. What would need more is refused with how much that is
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
    int64_t
        cleared;  ///< cells that are free because rays of scans passed them: an assumption about the sensor
    /// Radians by which the cells are turned about their origin (counterclockwise, in the plane); a field itself is never turned
    double yaw;
    bool background_taken_free;  ///< nothing says that the rest is free: clouds, meshes and scenes
    uint64_t file_bytes;         ///< size of the file
} BerthMapFacts;

/// By extension: .lin, .bt and .ot, .yaml of ROS' map_server (with its PGM or PNG), .npy, .pcd .ply .xyz .csv .txt .pts
/// (points), .stl .obj .dae .gltf .glb (meshes), .yaml scenes (their standing objects), .bmap. A PLY with faces is a
/// mesh. Images that are turned (yaw) are refused unless `obey_yaw`. A file that is mapped must not be written over in place (berth
/// renames).
BERTH_API BerthStatus berth_io_open_map(const char* path, const BerthMapOptions* map_options,
                                        const BerthIoOptions* options, BerthMap** out);
/// Frees a map and its field; null is fine.
BERTH_API void berth_io_close_map(BerthMap* map);
/// The map's field; lives as long as the map.
BERTH_API const BerthField* berth_map_field(const BerthMap* map);
/// Builds structures that the map does not have yet. Of the map options limit and progress are used. On failure it is as before.
BERTH_API BerthStatus berth_map_add_parts(BerthMap* map, uint32_t parts, const BerthMapOptions* map_options,
                                          const BerthIoOptions* options);
/// What is known about the map beside its field.
BERTH_API BerthMapFacts berth_map_facts(const BerthMap* map);
/// The field alone, whole in memory, to be freed by berth_field_destroy. As berth_io_open_map, but scenes are not read:
/// this is what scenes read their maps with. `facts` may be null.
BERTH_API BerthStatus berth_io_read_field(const char* path, const BerthMapOptions* map_options,
                                          const BerthIoOptions* options, BerthField** out,
                                          BerthMapFacts* facts);
/// Is it a map by its name: .lin, .bt, .ot, .bmap; or a .yaml (.yml) file that is there and has a line "image:"?
BERTH_API bool berth_io_is_map(const char* path);

/// How likely the cells of an OctoMap are occupied: the log-odds of an .ot; a .bt's leaves get those of `def->least` and `def->most`,
/// as OctoMap reads them. Of `def` chances, limit, progress and allocator are used; null: the default one's.
BERTH_API BerthStatus berth_io_read_occupancy(const char* path, const BerthOccupancyDef* def,
                                              const BerthIoOptions* options, BerthOccupancy** out);
/// Writes it as OctoMap's .ot, beside and renamed, log-odds and all. Only in space, and where the cells are OctoMap's
/// (berth_default_occupancy_def), else BERTH_ERR_UNSUPPORTED.
BERTH_API BerthStatus berth_io_write_occupancy(const char* path, const BerthOccupancy* occupancy,
                                               const BerthIoOptions* options);
/// A map of what is known in it, as berth_io_read_field makes one of an OctoMap: cut to what is known. `name` stands before
/// texts. Of the map options unknown, parts, limit and progress are used.
BERTH_API BerthStatus berth_io_field_from_occupancy(const char* name, const BerthOccupancy* occupancy,
                                                    const BerthMapOptions* map_options,
                                                    const BerthIoOptions* options, BerthField** out);

/// Puts the changes of a tree that was made from this map (berth_io_read_occupancy, berth_occupancy_from_field) into it:
/// its distances follow, and are what a map built anew would have. Where a cell that changed is outside of the map, it is built anew, larger,
/// with the same structures (`grown`, may be null). `cleared` more cells are free because rays passed them. On failure the map is
/// as before.
BERTH_API BerthStatus berth_map_update(BerthMap* map, const BerthOccupancy* occupancy, int64_t cleared,
                                       const BerthMapOptions* map_options, const BerthIoOptions* options,
                                       bool* grown);

/// By extension, written beside and renamed: .bmap (everything, with a checksum), .lin (obstacles; cells 1 wide from 0;
/// its sizes are powers of two, and what is then outside of the map is occupied unless the field takes unknown cells as
/// free, with a warning), .bt (3-D; occupied and free leaves), .ot (the same, with the least and most log-odds that OctoMap keeps), .npy (int8: -1 unknown, 0 free, 1 occupied; the map's
/// size), .yaml (2-D; with an image NAME.pgm beside it). `facts` may be null.
BERTH_API BerthStatus berth_io_write_map(const char* path, const BerthField* field,
                                         const BerthMapFacts* facts, const BerthIoOptions* options);

/// The signed distance of every cell's centre, metres, as .npy of float64, shape (x, y, z), in the plane (x, y): to the nearest
/// obstacle outside of obstacles, minus the distance to the nearest place that is none inside; inf (-inf inside) where there is
/// none. The numbers are exact but for the rounding of a root and a product. Or their `gradient`: unit vectors in a last axis of
/// 3 (2), 0 where the distance is infinite. `outside_occupied`: what is outside of the map is an obstacle. Of the map options limit and
/// progress are used.
BERTH_API BerthStatus berth_io_write_esdf(const char* path, const BerthField* field, bool gradient,
                                          bool outside_occupied, const BerthMapOptions* map_options,
                                          const BerthIoOptions* options);
/// A picture of the layer of cells at height `z` (in the plane: of all cells), a pixel a cell, +y up, as .png or .svg: occupied cells
/// black, unknown ones grey, free ones from blue to white by their distance from obstacles, relative to the largest in the slice.
BERTH_API BerthStatus berth_io_write_slice(const char* path, const BerthField* field, double z,
                                           const BerthMapOptions* map_options, const BerthIoOptions* options);
/// The surface of the occupied cells (unknown ones count as none), 3-D, as a binary PLY: two triangles for each face of a cell behind which
/// nothing is occupied, normals outward, equal corners are one vertex.
BERTH_API BerthStatus berth_io_write_surface(const char* path, const BerthField* field,
                                             const BerthMapOptions* map_options,
                                             const BerthIoOptions* options);

#ifdef __cplusplus
}
#endif
#endif
