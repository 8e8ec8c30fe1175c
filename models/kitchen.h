// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How the kitchen is put together: parts that are placed and turned as a whole, each time as an object of its own.

#ifndef MODELS_KITCHEN_H
#define MODELS_KITCHEN_H

#include "models/kit.h"

#define KITCHEN_PIECES_MAX 480

typedef struct Kitchen {
    Piece pieces[KITCHEN_PIECES_MAX];  ///< those of one object stand together
    int count;                         ///< KITCHEN_PIECES_MAX when there were too many
} Kitchen;

/// Adds a copy of the parts as the object `owner` (or to it, when it was the last), turned about z by quarters.
void bi_kitchen_put(Kitchen* kitchen, const char* owner, const Piece* parts, int count, BerthVec3 at,
                    int quarters);
/// Dishes, fruit, pots, small machines and the lamp.
void bi_kitchen_add_things(Kitchen* kitchen);

#define KITCHEN_PUT(kitchen, owner, parts, x, y, z, quarters)                      \
    bi_kitchen_put(kitchen, owner, parts, (int)(sizeof(parts) / sizeof(parts)[0]), \
                   (BerthVec3){(x), (y), (z)}, quarters)
#define KITCHEN_BOARD(sx, sy, sz, x, y, z) \
    { .size = {(sx), (sy), (sz)}, .chamfer = 0.003, .place = {(x), (y), (z)}, .weight = 0.3 }

#endif
