// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Building bodies piece by piece: the functions of world_create.c that scene_create.c uses.

#ifndef BI_CONTACT_CREATE_H
#define BI_CONTACT_CREATE_H

#include "contact/contact.h"

/// A body without pieces; `def->pieces` is not looked at.
BerthStatus bi_contact_begin_body(BerthContactWorld* world, const BerthContactBodyDef* def, Body* out);
BerthStatus bi_contact_add_piece(BerthContactWorld* world, Body* body, const BerthContactPiece* def);
/// Null when there is no memory. The piece belongs to the world: fill it at once.
Piece* bi_contact_new_piece(BerthContactWorld* world, Body* body);
/// The hull of points in the body's frame. `outside`: the true body may reach that much further.
BerthStatus bi_contact_piece_from_points(BerthContactWorld* world, const Vec3* points, int32_t count,
                                         double outside, int32_t levels, Piece* out);
/// Measures the body and adds it to the world.
BerthStatus bi_contact_end_body(BerthContactWorld* world, Body* body);
/// Makes the pieces of a body disjoint, and those that are convex together one.
BerthStatus bi_contact_tidy_union(BerthContactWorld* world, Body* body);
/// Where one ball of a body ends and the next begins; counts parts whose common volume counts twice all the same.
BerthStatus bi_contact_part_round(BerthContactWorld* world, const Body* body);
/// Which faces of pieces lie against each other.
BerthStatus bi_contact_find_covers(BerthContactWorld* world, const Body* body);
/// With the one of stiffness and foundation that is missing.
BerthMaterial bi_contact_whole_material(const BerthMaterial* material);
/// One more thing that is taken without proof; texts are copied.
BerthStatus bi_contact_assume(BerthContactWorld* world, const char* what, const char* detail, int32_t count);

#endif
