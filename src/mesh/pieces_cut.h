// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Single convex polyhedra: the functions of pieces.c that pieces_mesh.c uses.

#ifndef BI_PIECES_CUT_H
#define BI_PIECES_CUT_H

#include "mesh/pieces.h"

/// The hull of points, in the list's arena but not in the list. Count 0: it has no volume.
BerthStatus bi_piece_make(ConvexPieces* pieces, const Vec3* points, int32_t count, int32_t tag,
                          ConvexPiece* out);
BerthStatus bi_pieces_append(ConvexPieces* pieces, const ConvexPiece* piece);
/// Both parts of a piece beside a plane; count 0: nothing is there.
BerthStatus bi_piece_cut(ConvexPieces* pieces, const ConvexPiece* piece, Vec3 normal, double offset,
                         ConvexPiece* below, ConvexPiece* above);
/// Unit normal and offset of a triangle; false when it has no area.
bool bi_piece_plane(const ConvexPiece* piece, int32_t face, Vec3* normal, double* offset);

#endif
