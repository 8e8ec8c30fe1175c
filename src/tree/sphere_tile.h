// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The input of sphere trees: a body divided into small convex pieces, each given by the same number of
// points.

#ifndef BI_SPHERE_TILE_H
#define BI_SPHERE_TILE_H

#include "tree/sphere.h"

/// The body lies in the union over all pieces of (hull of the piece's points, grown by `swell`).
typedef struct SphereTiles {
    Vec3* points;      ///< `stride` a piece
    int32_t* sources;  ///< triangle of the mesh, or 0
    int32_t count, stride;
    double swell;  ///< radius of a round body, and what rounding may have moved corners by
} SphereTiles;

/// Cuts a mesh's triangles, or a shape's volume, into pieces about `leaf_size` in radius, and triangles into pieces no
/// longer than `aspect` times the triangle's height. Pieces are bounded in number: where these would give more, both are
/// enlarged.
BerthStatus bi_tree_sphere_tile(const BerthSolid* solid, double leaf_size, double aspect,
                                const BerthAllocator* allocator, SphereTiles* out);
void bi_tree_sphere_tiles_free(SphereTiles* tiles, const BerthAllocator* allocator);

#endif
