// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of BerthMap, and the steps from bytes to a field.

#ifndef BI_IO_MAP_FILE_H
#define BI_IO_MAP_FILE_H

#include <berth/io/map.h>
#include <berth/mesh.h>
#include <berth/shape.h>

#include "io/cloud/cloud.h"
#include "io/map/map_cells.h"

struct BerthMap {
    BerthAllocator allocator;
    BerthField* field;
    BerthMapFacts facts;
    void* mapping;  ///< a .bmap in place, or null
    size_t mapping_size;
};

typedef struct MapJob MapJob;
/// Makes a field of the scene file that the job names.
typedef BerthStatus MapFromScene(MapJob* job, BerthField** out);

/// What readers need to know.
struct MapJob {
    const char* path;
    BerthMapOptions map;
    BerthIoOptions io;
    BerthMapFacts facts;
    MapFromScene* from_scene;  ///< null for a map that a scene names: a scene could name itself
};

/// The default def with what the job says: parts, limit, progress, allocator.
BerthFieldDef bi_map_field_def(const MapJob* job);
/// Cells to a field. The cells of a tree that says nothing of most of space are cut to what is known, with a cell around.
BerthStatus bi_map_from_cells(const MapJob* job, const MapCells* cells, BerthField** out);
/// Points to a field; counts what was dropped.
BerthStatus bi_map_from_points(MapJob* job, const PointCloud* cloud, BerthField** out);
BerthStatus bi_map_from_mesh(MapJob* job, const BerthMesh* mesh, BerthField** out);
/// MEMORY, with how much would be needed, when things would take more cells than the limit allows: told before any is made.
BerthStatus bi_map_check_mesh(const MapJob* job, const BerthFieldDef* def, const BerthMesh* mesh,
                              const BerthPose* pose);
BerthStatus bi_map_check_points(const MapJob* job, const BerthFieldDef* def, const PointCloud* cloud);
BerthStatus bi_map_check_shape(const MapJob* job, const BerthFieldDef* def, const BerthShape* shape,
                               const BerthPose* pose);
/// Where cells begin and how many there are: as the options say, or so that the box fits, with a cell around.
BerthStatus bi_map_set_grid(const MapJob* job, BerthVec3 low, BerthVec3 high, BerthFieldDef* def);
/// The leaves of a field that are not free (and the free ones too, when `all`) as nodes.
BerthStatus bi_map_cells_from_field(const BerthField* field, bool all, MapCells* out);

/// berth_io_open_map with a reader of scenes, which are above this room.
BerthStatus bi_map_open(const char* path, const BerthMapOptions* map_options, const BerthIoOptions* options,
                        MapFromScene* from_scene, BerthMap** out);

/// Bytes of the field as one block: no pointers, little-endian, versioned; sections start at multiples of 64.
size_t bi_bmap_block_size(const BerthField* field);
/// Writes the block; `size` >= bi_bmap_block_size, else BERTH_ERR_CAPACITY. Equal fields give equal bytes.
BerthStatus bi_bmap_write_block(const BerthField* field, void* block, size_t size);
/// A field from such a block. Every index and order in it is checked, so that no question can leave the block;
/// BERTH_ERR_PARSE, "byte N: ...", when it is not whole. With `proven` the parts are also built anew and compared, so
/// that distances cannot lie; without it a block that was damaged (no checksum of its own) or forged may tell wrong
/// ones. `borrow`: the block (64-byte aligned) is used where it is and must outlive the field; else it is copied.
BerthStatus bi_bmap_read_block(const void* block, size_t size, bool borrow, bool proven,
                               const BerthAllocator* allocator, BerthField** out);
/// A .bmap in memory. `borrow`: the bytes (64-byte aligned) outlive the field.
BerthStatus bi_bmap_parse(const char* path, const void* data, size_t size, bool borrow,
                          const BerthAllocator* allocator, BerthMapFacts* facts, BerthField** out);
/// A .bmap's bytes, in `out`.
BerthStatus bi_bmap_bytes(const char* path, const BerthField* field, const BerthMapFacts* facts,
                          FileBytes* out);
bool bi_bmap_has_magic(const void* data, size_t size);
/// Writes the magic, the size and the checksums that the bytes should have into their header. The writer's last step; also
/// for fuzzing, which finds nothing behind a checksum. Nothing when they are fewer than a header.
void bi_bmap_write_checksums(void* data, size_t size);

#endif
