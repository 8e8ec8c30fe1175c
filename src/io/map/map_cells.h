// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What a file says about space, before any structure is built from it: cells that are occupied, free or
// unknown, as cubes of cells (trees) or one by one (images, volumes); and the readers of bytes, which fuzzing
// calls.

#ifndef BI_IO_MAP_CELLS_H
#define BI_IO_MAP_CELLS_H

#include <berth/occupancy.h>

#include "io/syntax/text_out.h"

enum {
    BI_MAP_LEVELS_MAX = BERTH_FIELD_LEVELS_MAX,  ///< cells are 2^16 a side at most
    BI_MAP_SIDE_MAX = 1 << BI_MAP_LEVELS_MAX
};
/// Most bytes that the cells of a file may take where nothing else was said.
#define BI_MAP_MEMORY ((size_t)4 << 30)

/// A cube (in 2-D a square) of 2^scale cells a side, all of one state; x, y, z are its lowest cell.
typedef struct CellNode {
    uint16_t x, y, z;
    uint8_t scale, state;  ///< a BerthCellColour
} CellNode;

typedef struct MapCells {
    BerthAllocator allocator;
    size_t memory_limit;
    const BerthIoOptions* options;  ///< asked whether to stop; may be null
    const char* path;               ///< what is read, for `options`
    int32_t dimensions;             ///< 2 or 3
    int32_t size[3];                ///< cells a side, 1 to BI_MAP_SIDE_MAX; in 2-D size[2] is 1
    double resolution;              ///< metres a cell
    BerthVec3 origin;               ///< lowest corner of cell `first`
    int32_t first[3];               ///< mostly (0, 0, 0)
    BerthCellColour rest;           ///< of what neither a node nor the grid says
    double yaw;                     ///< radians by which all is turned about the origin
    CellNode* nodes;                ///< none overlaps another
    size_t count, capacity;
    uint8_t* grid;  ///< or null: the BerthCellColour of all cells, x fastest, then y
} MapCells;

/// Cleared, with the allocator and limit to use (0: BI_MAP_MEMORY).
void bi_map_cells_init(MapCells* cells, const BerthAllocator* allocator, size_t memory_limit);
void bi_map_cells_free(MapCells* cells);
/// Adds a node. BERTH_ERR_MEMORY, or BERTH_ERR_CAPACITY with a text when the limit is reached.
BerthStatus bi_map_cells_add(MapCells* cells, CellNode node);
/// The order in which a walk down the tree meets nodes: the bits of their lowest cells, interleaved.
uint64_t bi_map_cells_tree_order(const CellNode* node);
/// Makes the grid for `size`, its cells not set; says how much it would need when that is more than the limit.
BerthStatus bi_map_cells_allocate_grid(MapCells* cells, const char* path);
/// Cells of a grid.
size_t bi_map_cells_grid_count(const MapCells* cells);
/// Box [low, high) of what a node or the grid says is of one of the colours (bits, 1 << BerthCellColour). False: there is
/// nothing.
bool bi_map_cells_bounds(const MapCells* cells, unsigned colours, int32_t low[3], int32_t high[3]);
/// BERTH_OK when the resolution can be one: in [1e-9, 1e6] m. `place` stands before the text.
BerthStatus bi_map_cells_check_resolution(const char* place, double resolution);

/// The thesis' list of black nodes. `path` stands at the front of texts.
BerthStatus bi_io_parse_lin(const char* path, const char* data, size_t size, MapCells* out);
/// OctoMap's .bt, also the oldest kind, and .ot.
BerthStatus bi_io_parse_octomap(const char* path, const char* data, size_t size, MapCells* out);
/// The same with log-odds: those of a .ot, OctoMap's least and most for the leaves of a .bt. Of `def` chances, limit, progress and
/// allocator are used.
BerthStatus bi_io_parse_octomap_odds(const char* path, const char* data, size_t size,
                                     const BerthOccupancyDef* def, BerthOccupancy** out);
/// Do these bytes begin like one of OctoMap's files?
bool bi_io_is_octomap(const char* data, size_t size);
/// A NumPy volume (x, y, z), or (x, y); `resolution` and `origin` are set by the caller.
BerthStatus bi_io_parse_npy_volume(const char* path, const char* data, size_t size, MapCells* out);

/// How ROS' map_server describes an image.
typedef struct MapServer {
    char image[1024];  ///< as the file names it
    double resolution, origin[3];
    double occupied_threshold, free_threshold;
    bool negate;
    bool raw;
} MapServer;
BerthStatus bi_io_parse_map_server(const char* path, const char* data, size_t size,
                                   const BerthAllocator* allocator, MapServer* out);
/// Is this text such a description: does it have a line that begins with "image:"?
bool bi_io_is_map_server(const char* data, size_t size);
/// Or has it lines of one and none of a scene: then what is missing should be named.
bool bi_io_is_like_map_server(const char* data, size_t size);

/// Grey levels, row 0 at the top.
typedef struct GreyImage {
    BerthAllocator allocator;
    const BerthIoOptions* options;  ///< asked whether to stop; may be null
    int32_t width, height;
    int32_t white;    ///< largest value
    uint16_t* grey;   ///< width * height
    uint8_t* opaque;  ///< or null: 0 where a pixel can be seen through
} GreyImage;
void bi_image_free(GreyImage* image);
/// Room for width * height pixels, not set; the limit as in bi_map_cells_allocate_grid.
BerthStatus bi_image_allocate(const char* path, int64_t width, int64_t height, bool opaque,
                              size_t memory_limit, GreyImage* image);
/// `image` has its allocator; the rest is set. To be freed also after a failure.
BerthStatus bi_io_parse_pgm(const char* path, const char* data, size_t size, size_t memory_limit,
                            GreyImage* image);
BerthStatus bi_io_parse_png(const char* path, const char* data, size_t size, size_t memory_limit,
                            GreyImage* image);
/// PGM or PNG, by their first bytes.
BerthStatus bi_io_parse_image(const char* path, const char* data, size_t size, size_t memory_limit,
                              GreyImage* image);
/// Red, green and blue a pixel, row 0 at the top, as a PNG.
BerthStatus bi_io_png_bytes(const char* path, int32_t width, int32_t height, const uint8_t* pixels,
                            TextOut* out);
/// Image and description to cells. The row at the bottom is y = 0.
BerthStatus bi_map_cells_from_image(const char* path, const MapServer* server, const GreyImage* image,
                                    MapCells* out);

/// How many cells a .lin has beyond the map's size, because its sizes are powers of two. `occupied`: adds nodes for them, so
/// that what was not observed does not become free. No node may reach beyond the map's size.
BerthStatus bi_io_lin_add_outside(MapCells* cells, bool occupied, uint64_t* count);
/// The nodes that are occupied, or unknown when that counts as occupied, as .lin.
BerthStatus bi_io_lin_text(const MapCells* cells, bool unknown_too, TextOut* out);
/// The nodes as .bt. The origin must be a whole number of cells from 0, and all within OctoMap's cube; nodes in any order.
BerthStatus bi_io_octomap_bytes(const char* path, const MapCells* cells, TextOut* out);
/// A tree of log-odds as .ot. It must be OctoMap's cube.
BerthStatus bi_io_octomap_odds_bytes(const char* path, const BerthOccupancy* odds, TextOut* out);

#endif
