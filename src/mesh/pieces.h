// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Unions of convex polyhedra: cut by planes, subtracted from each other, merged where the union is convex,
// and found in closed meshes.

#ifndef BI_PIECES_H
#define BI_PIECES_H

#include "base/arena.h"
#include "mesh/mesh.h"

/// One convex polyhedron: its vertices and triangles, outward.
typedef struct ConvexPiece {
    Vec3* points;
    int32_t* faces;  ///< 3 * face_count
    int32_t count, face_count;
    double volume;
    Vec3 low, high;
    int32_t tag;  ///< the caller's; -1 when pieces of different tags were made one
} ConvexPiece;

/// A list of them; everything is in the arena.
typedef struct ConvexPieces {
    Arena arena;
    ConvexPiece* items;
    int32_t count;
    size_t capacity;
    double near;  ///< metres: planes and points that are nearer than this are the same; 1e-10 of the size
} ConvexPieces;

/// An empty list. `size`: largest distance of any two points that will be in it.
void bi_pieces_init(ConvexPieces* pieces, const BerthAllocator* allocator, double size);
void bi_pieces_free(ConvexPieces* pieces);
/// Adds the hull of points; nothing when it has no volume.
BerthStatus bi_pieces_add(ConvexPieces* pieces, const Vec3* points, int32_t count, int32_t tag);
/// Makes them disjoint: what a piece has in common with earlier ones is taken away from it. `most`: of pieces in the end;
/// false in `*done` when there are more, and the list is of no use then.
BerthStatus bi_pieces_make_disjoint(ConvexPieces* pieces, int32_t most, bool* done);
/// Makes disjoint pieces one where their union is convex (1e-9 of the volume).
BerthStatus bi_pieces_merge(ConvexPieces* pieces);
/// Cuts a closed mesh into disjoint convex pieces by planes of its faces. `*done` false: it takes more than `most`
/// pieces, or the volumes of pieces and mesh differ by more than 1e-9: the list is of no use then.
BerthStatus bi_pieces_from_mesh(ConvexPieces* pieces, const BerthMesh* mesh, int32_t most, bool* done);
/// Cuts the union of disjoint pieces anew, from its outer surface, into `out`, an empty list: the same solid gives the
/// same pieces whatever it was made of. Tags are 0.
BerthStatus bi_pieces_recut(ConvexPieces* out, const ConvexPieces* from, int32_t most, bool* done);

#endif
