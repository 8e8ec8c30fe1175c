// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A set of cells of a map as a solid. Its leaves are the triangles of the set's surface, axis-parallel
// rectangles on the borders of cells, so everything that is proven for meshes is proven for it; whether a
// point is inside is decided by the cells themselves. The surface is exact as a set: neighbouring rectangles
// need not share corners.
//
// Rooms of one row do not see each other: the cells come as plain cubes, from the room that knows the map.

#ifndef BI_CELLS_H
#define BI_CELLS_H

#include <math.h>

#include "math/morton.h"
#include "math/tolerance.h"
#include "tree/solid.h"

/// Cells are numbered below this on every axis.
enum { CELL_BITS = 17, CELL_SIDE_MAX = 1 << 16 };

/// width^dim cells from `low` on. Width is a power of two, and `low` a multiple of it.
typedef struct CellCube {
    int32_t low[3];
    int32_t width;
} CellCube;

typedef struct CellSet {
    int32_t dim;      ///< 2: squares, which reach over `height`
    int32_t size[3];  ///< cubes are cut where they reach beyond; in the plane size[2] is 1
    double resolution;
    Vec3 origin;         ///< of cell (0, 0, 0); z is not used in the plane
    double height[2];    ///< in the plane
    int64_t cube_count;  ///< none overlaps another
    const CellCube* cubes;
    int32_t triangle_limit;
    // What is told about the map, not used.
    uint64_t occupied, unknown;
    bool unknown_is_free, outside_is_free, unseen_is_free, from_open_meshes;
} CellSet;

/// Codes [first, end) of cells that belong to the set.
typedef struct CodeRange {
    uint64_t first, end;
} CodeRange;

struct CellIndex {
    BerthAllocator allocator;
    BerthCellsInfo info;
    int32_t size[3];
    Vec3 origin;
    CodeRange* ranges;  ///< sorted, apart
    size_t range_count, range_capacity;
};

/// A rectangle of the surface, in cells: on the plane `plane` of `axis`, from..to along the next axis, low..high along the one
/// after that. `up`: the set is below it, and its normal is the axis.
typedef struct CellFace {
    int32_t axis, plane;
    int32_t from, to, low, high;
    bool up;
} CellFace;

typedef struct CellFaces {
    CellFace* faces;
    int64_t count;  ///< of the surface; only `stored` are in the array when there are more than the limit
    int32_t stored, capacity, limit;
} CellFaces;

/// The surface of the set, rectangles merged along rows and then across them. To be freed with bi_cell_faces_free, also
/// after a failure.
BerthStatus bi_cell_faces(const CellSet* set, const BerthAllocator* allocator, CellFaces* out);
void bi_cell_faces_free(const BerthAllocator* allocator, CellFaces* faces);

/// Where border `i` of the cells of an axis is, metres: rounded once. The origin was rounded before, and the resolution is a
/// decimal number in most files: cell_border_error has that.
static inline double cell_border(const CellSet* set, int axis, int32_t i) {
    return set->dim == 2 && axis == 2 ? set->height[i] : fma(set->resolution, i, v3_at(set->origin, axis));
}
/// How far a border may be from where the map's file has it, along an axis, metres: rounding of the origin, of the resolution
/// and of the border, each at most u times these.
static inline double cell_border_error(double origin, double border) {
    return 4.0 * BI_ULP * (fabs(origin) + fabs(border));
}
/// A solid of the set, empty when no cell is in it; BERTH_ERR_CAPACITY when its surface has more than
/// triangle_limit triangles: the text says how many.
BerthStatus bi_solid_from_cells(const CellSet* set, const BerthAllocator* allocator, BerthSolid** out);
void bi_cell_index_destroy(CellIndex* index);
size_t bi_cell_index_bytes(const CellIndex* index);
typedef struct SolidBox {
    Vec3 low, high;
} SolidBox;
/// At most `most` boxes, in the map's frame, that hold all its cells together; they may overlap.
BerthStatus bi_cell_boxes(const CellIndex* index, int32_t most, const BerthAllocator* allocator,
                          SolidBox* boxes, int32_t* count);
/// True when the point is in the set, or too near its border to tell.
bool bi_cell_index_may_contain(const CellIndex* index, Vec3 point);

#endif
