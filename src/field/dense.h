// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Dense maps over the cells of the map's size, x fastest. Both are exact whole numbers, so that a map that was updated equals one that was made anew.

#ifndef BI_DENSE_H
#define BI_DENSE_H

#include "field/field.h"

/// L1 distance of cell indices: nothing blocks the wave, so it is the sum over the axes, in two sweeps each.
BerthStatus bi_field_make_l1(BerthField* field, const BerthFieldDef* def, double share_from, double share_to);
/// Lets the wave of the L1 map run over a box of cells (low <= cell < high) from the values that are in it. `def` for progress; may
/// be null: then it does not fail.
BerthStatus bi_field_spread_l1(BerthField* field, const BerthFieldDef* def, double share,
                               const int32_t low[3], const int32_t high[3]);
/// Squared Euclidean distance of cell centres to the nearest obstacle, half cells.
BerthStatus bi_field_make_euclid(BerthField* field, const BerthFieldDef* def, double share_from,
                                 double share_to);

#endif
