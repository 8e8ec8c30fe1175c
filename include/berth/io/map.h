// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Map files: OctoMap, ROS map_server, .npy volumes, .lin, berth's own .bmap; maps made of clouds, meshes and
// scenes.

#ifndef BERTH_IO_MAP_H
#define BERTH_IO_MAP_H

#include <berth/field.h>
#include <berth/io/syntax.h>
#include <berth/occupancy.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A map and its bytes: a .bmap stays a memory-mapped file, everything else is built in memory.
typedef struct BerthMap BerthMap;

/// How a file becomes a map. Start from berth_default_map_options().
typedef struct BerthMapOptions {
    /// Metres per cell. Required for .npy volumes, clouds, meshes and scenes; optional for .lin (0: 1 m); an
    /// error for files that state their own: OctoMap, map_server, .bmap
    double resolution;
    /// `origin` is given. Otherwise .npy and .lin begin at 0, and clouds, meshes and scenes where they need
    /// to. An error for the files for which a resolution is one
    bool has_origin;
    BerthVec3 origin;  ///< corner of cell (0, 0, 0)
    /// For clouds, meshes and scenes: 2^levels cells a side, at most 16; < 0: as many as they need
    int32_t levels;
    double radius;  ///< for clouds: points are balls of this radius, metres
    /// `unknown_is_free` is given. Otherwise a .bmap is as it was built; for clouds, meshes and scenes, what
    /// they do not touch is free; for all others, unknown cells are obstacles
    bool unknown_given;
    bool unknown_is_free;  ///< unknown cells are not obstacles
    /// The caller rotates the map by BerthMapFacts.yaw; otherwise rotated files (map_server's origin has a
    /// yaw) are refused
    bool obey_yaw;
    uint32_t parts;       ///< BerthFieldPart, combined with |; a .bmap that has them keeps all its parts
    size_t memory_limit;  ///< bytes; 0: 4 GB. What needs more is refused, with a text that says how much
    bool (*progress)(void* user, double share);  ///< as in BerthFieldDef; may be null
    void* progress_user;                         ///< passed to `progress`
    uint32_t stamp;  ///< set by the default function; ties the def to this library version
} BerthMapOptions;
/// The options to start from: as the file says, no parts.
BERTH_API BerthMapOptions berth_default_map_options(void);

/// What is known about a map besides its field.
typedef struct BerthMapFacts {
    const char* format;   ///< "lin", "octomap", "map_server", "npy", "points", "mesh", "scene" or "bmap"
    int64_t points;       ///< for a cloud: points that were used
    int64_t dropped;      ///< for a cloud: points that were left out: NaN, infinite or outside
    int64_t open_meshes;  ///< meshes of which only the surface is occupied
    /// Cells that are free because rays of scans passed them: an assumption about the sensor
    int64_t cleared;
    /// Radians by which the cells are rotated about their origin (counterclockwise, in the plane); a field
    /// itself is never rotated
    double yaw;
    bool background_taken_free;  ///< nothing shows that the other cells are free: clouds, meshes and scenes
    uint64_t file_bytes;         ///< size of the file
} BerthMapFacts;

/// Opens a map. By extension: .lin, .bt and .ot, .yaml of ROS map_server (with its PGM or PNG), .npy, .pcd
/// .ply .xyz .csv .txt .pts (points), .stl .obj .dae .gltf .glb (meshes), .yaml scenes (their stationary
/// objects), .bmap. A PLY with faces is a mesh. Rotated images (yaw) are refused unless `obey_yaw`. A
/// memory-mapped file must not be overwritten in place (berth replaces files by renaming).
BERTH_API BerthStatus berth_io_open_map(const char* path, const BerthMapOptions* map_options,
                                        const BerthIoOptions* options, BerthMap** out);
/// Frees a map and its field; null is fine.
BERTH_API void berth_io_close_map(BerthMap* map);
/// The map's field; lives as long as the map.
BERTH_API const BerthField* berth_map_field(const BerthMap* map);
/// Builds the parts that the map does not have yet. Of the map options, memory limit and progress are used.
/// On failure the map is as before.
BERTH_API BerthStatus berth_map_add_parts(BerthMap* map, uint32_t parts, const BerthMapOptions* map_options,
                                          const BerthIoOptions* options);
/// What is known about the map besides its field.
BERTH_API BerthMapFacts berth_map_facts(const BerthMap* map);
/// Reads the field alone, completely in memory; free it with berth_field_destroy. As berth_io_open_map, but
/// without scenes: this is how scenes read their maps. `facts` may be null.
BERTH_API BerthStatus berth_io_read_field(const char* path, const BerthMapOptions* map_options,
                                          const BerthIoOptions* options, BerthField** out,
                                          BerthMapFacts* facts);
/// Is the file a map, by its name: .lin, .bt, .ot, .bmap; or an existing .yaml (.yml) with a line "image:"?
BERTH_API bool berth_io_is_map(const char* path);

/// Reads the log-odds of an OctoMap: those of an .ot as they are; the leaves of a .bt get those of
/// `def->least` and `def->most`, as OctoMap reads them. Of `def`, probabilities, memory limit, progress and
/// allocator are used; null: the default.
BERTH_API BerthStatus berth_io_read_occupancy(const char* path, const BerthOccupancyDef* def,
                                              const BerthIoOptions* options, BerthOccupancy** out);
/// Writes log-odds as OctoMap's .ot, to a temporary file that is then renamed. Only with dim 3 and OctoMap's
/// cells (berth_default_occupancy_def), otherwise BERTH_ERR_UNSUPPORTED.
BERTH_API BerthStatus berth_io_write_occupancy(const char* path, const BerthOccupancy* occupancy,
                                               const BerthIoOptions* options);
/// Makes a map from log-odds, as berth_io_read_field makes one from an OctoMap: cropped to what is known.
/// `name` begins the texts of errors and warnings. Of the map options, unknown, parts, memory limit and
/// progress are used.
BERTH_API BerthStatus berth_io_field_from_occupancy(const char* name, const BerthOccupancy* occupancy,
                                                    const BerthMapOptions* map_options,
                                                    const BerthIoOptions* options, BerthField** out);

/// Applies to this map the changes of a tree that was made from it (berth_io_read_occupancy,
/// berth_occupancy_from_field). Distances follow and equal those of a newly built map. If a changed cell lies
/// outside the map, the map is built anew, larger, with the same parts (`grown`, may be null). `cleared` more
/// cells are free because rays passed them. On failure the map is as before.
BERTH_API BerthStatus berth_map_update(BerthMap* map, const BerthOccupancy* occupancy, int64_t cleared,
                                       const BerthMapOptions* map_options, const BerthIoOptions* options,
                                       bool* grown);

/// Writes a map, to a temporary file that is then renamed. By extension: .bmap (everything, with a checksum),
/// .lin (obstacles; cells 1 wide, from 0; sizes are rounded up to powers of two, and what is then outside the
/// map is occupied unless the field takes unknown cells as free, with a warning), .bt (dim 3; occupied and
/// free leaves), .ot (the same, with the least and most log-odds that OctoMap keeps), .npy (int8: -1 unknown,
/// 0 free, 1 occupied; the map's size), .yaml (dim 2; with an image NAME.pgm beside it). `facts` may be null.
BERTH_API BerthStatus berth_io_write_map(const char* path, const BerthField* field,
                                         const BerthMapFacts* facts, const BerthIoOptions* options);

/// Writes the signed distance of every cell's centre, metres, as .npy of float64, shape (x, y, z), in the
/// plane (x, y): outside obstacles the distance to the nearest obstacle, inside minus the distance to the
/// nearest place outside; inf (inside: -inf) when there is none. The numbers are exact up to the rounding of
/// one square root and one product. Or the `gradient`: unit vectors in a last axis of 3 (2), 0 where the
/// distance is infinite. `outside_occupied`: what is outside the map is an obstacle. Of the map options,
/// memory limit and progress are used.
BERTH_API BerthStatus berth_io_write_esdf(const char* path, const BerthField* field, bool gradient,
                                          bool outside_occupied, const BerthMapOptions* map_options,
                                          const BerthIoOptions* options);
/// Writes an image of the layer of cells at height `z` (in the plane: of all cells), one pixel per cell, +y
/// up, as .png or .svg: occupied cells black, unknown ones grey, free ones from blue to white by their
/// distance from obstacles, relative to the largest in the slice.
BERTH_API BerthStatus berth_io_write_slice(const char* path, const BerthField* field, double z,
                                           const BerthMapOptions* map_options, const BerthIoOptions* options);
/// Writes the surface of the occupied cells (unknown ones do not count) as a binary PLY, dim 3 only: two
/// triangles for each face of an occupied cell whose neighbour is not occupied, normals outward, equal
/// corners welded.
BERTH_API BerthStatus berth_io_write_surface(const char* path, const BerthField* field,
                                             const BerthMapOptions* map_options,
                                             const BerthIoOptions* options);

#ifdef __cplusplus
}
#endif
#endif
