// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Is a piece of one body inside another, closed one, whose surface is apart from it? Every piece is wholly
// inside or wholly outside, so one point of each is tested. A map or a cloud may have very many pieces: a
// tree over their points leaves out those that are outside the body's box, and where no surface passes
// through a box of points, one of them answers for all.
// Entry: bi_solid_find_piece_inside.

#include "math/math.h"
#include "tree/solid.h"

enum { NODE_STACK = BOX_LANES * SOLID_DEPTH_MAX, PIECE_STACK = 64 };

/// A box in the outer body's frame, and what rounding may have moved it by.
typedef struct OuterBox {
    Vec3 centre, half;
    double slack;
} OuterBox;

static OuterBox box_of(const Pose* outer_from_inner, Vec3 low, Vec3 high, double size) {
    const Vec3 half = v3_scale(v3_sub(high, low), 0.5);
    OuterBox box = {.centre = pose_apply(outer_from_inner, v3_scale(v3_add(low, high), 0.5))};
    box.half =
        v3_mad(v3_mad(v3_scale(v3_abs(outer_from_inner->x), half.x), half.y, v3_abs(outer_from_inner->y)),
               half.z, v3_abs(outer_from_inner->z));
    box.slack = BI_DISTANCE_SLACK * (size + v3_length(box.centre) + v3_length(half));
    return box;
}

static bool box_misses(const OuterBox* box, Vec3 low, Vec3 high) {
    const Vec3 far =
        v3_max(v3_sub(v3_sub(low, box->centre), box->half), v3_sub(v3_sub(box->centre, box->half), high));
    return far.x > box->slack || far.y > box->slack || far.z > box->slack;
}

// May a triangle of the solid pass through the box? By the boxes of its tree.
static bool surface_may_pass(const BerthSolid* solid, const OuterBox* box) {
    int32_t stack[NODE_STACK];
    int32_t count = 0;
    const double slack = box->slack + 4.0 * BI_ULP_F * solid->extent;

    stack[count++] = 0;
    while (count > 0) {
        const int32_t at = stack[--count];
        const BoxLink* link = &solid->links[at];
        const BoxNode* node = &solid->nodes[at];

        for (int lane = 0; lane < link->count; ++lane) {
            const Vec3 c = v3((double)node->centre[0][lane], (double)node->centre[1][lane],
                              (double)node->centre[2][lane]);
            const Vec3 h =
                v3((double)node->half[0][lane], (double)node->half[1][lane], (double)node->half[2][lane]);
            const Vec3 apart = v3_sub(v3_abs(v3_sub(c, box->centre)), v3_add(h, box->half));
            if (apart.x > slack || apart.y > slack || apart.z > slack) {
                continue;
            }

            if (link->bottom) {
                return true;
            }

            BI_ASSERT(count < NODE_STACK);
            stack[count++] = link->first + lane;
        }
    }
    return false;
}

static bool point_inside(const BerthSolid* outer, Vec3 p) {
    const double slack = BI_DISTANCE_SLACK * (outer->extent + v3_length(p));
    const OuterBox box = {p, {0, 0, 0}, slack};
    return !box_misses(&box, outer->low, outer->high) && bi_solid_contains(outer, p);
}

// Pieces one by one.
static bool find_piece_inside(const BerthSolid* outer, const BerthSolid* inner, const Pose* outer_from_inner,
                              int32_t begin, int32_t end, Vec3* point) {
    for (int32_t i = begin; i < end; ++i) {
        *point = pose_apply(outer_from_inner, inner->pieces[i].point);
        if (point_inside(outer, *point)) {
            return true;
        }
    }
    return false;
}

bool bi_solid_find_piece_inside(const BerthSolid* outer, const BerthSolid* inner,
                                const Pose* outer_from_inner, Vec3* point) {
    if (!outer->is_mesh || !outer->closed) {
        return false;
    }
    if (inner->piece_nodes == NULL) {
        return find_piece_inside(outer, inner, outer_from_inner, 0, inner->piece_count, point);
    }

    int32_t stack[PIECE_STACK];
    int32_t count = 0;
    stack[count++] = 0;
    while (count > 0) {
        const int32_t at = stack[--count];
        const PieceNode* node = &inner->piece_nodes[at];
        const OuterBox box = box_of(outer_from_inner, node->low, node->high, outer->extent + inner->extent);
        if (box_misses(&box, outer->low, outer->high)) {
            continue;
        }

        const bool leaf = node->second < 0;
        if (leaf || !surface_may_pass(outer, &box)) {
            if (find_piece_inside(outer, inner, outer_from_inner, node->begin,
                                  leaf ? node->end : node->begin + 1, point)) {
                return true;
            }
            continue;
        }

        BI_ASSERT(count + 2 <= PIECE_STACK);
        stack[count++] = node->second;
        stack[count++] = at + 1;
    }
    return false;
}
