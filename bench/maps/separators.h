// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// EODM as paper 004 stores it (section 3.3, appendices A and B): not functions on the faces of every free leaf, but a binary tree of
// separators for each axis, shared by all leaves. A separator is a whole plane across the map (a line, in the plane); it has a grid of
// what lies beyond it on either side, and every leaf links to the grids of its faces. Measured beside EODM, and compared with it.

#ifndef BENCH_MAPS_SEPARATORS_H
#define BENCH_MAPS_SEPARATORS_H

#include "field/query.h"

#define SEPARATOR_NONE UINT32_MAX

typedef struct Separator {
    int32_t at;            ///< cells
    uint32_t left, right;  ///< separators at smaller and at larger places; SEPARATOR_NONE
} Separator;

typedef struct SeparatorTrees {
    const BerthField* field;  ///< the tree of the map; borrowed
    uint32_t roots[3];        ///< of the tree of separators across each axis
    Separator* separators;
    uint32_t* links;  ///< a row of faces for each slot: the grid
    uint32_t*
        grids;  ///< the first strip of each; two for each separator (obstacles below it, above it), and one more
    BerthField functions;                            ///< nothing but the strips and pieces of all grids
    size_t separator_count, grid_count, link_count;  ///< grids: that some leaf links to
    size_t strip_count, piece_count;
} SeparatorTrees;

/// Of a field with its tree. Null: no memory; the text says so.
SeparatorTrees* map_separators_create(const BerthField* field);
void map_separators_destroy(SeparatorTrees* trees);
/// Bytes, without the map's tree.
uint64_t map_separators_bytes(const SeparatorTrees* trees);
/// The nearest obstacle by L1 when it is at most `limit` cells away, as bi_eodm_within. The point is in the root.
FieldNear map_separators_within(const SeparatorTrees* trees, const CellPoint* point, double limit);

#endif
