// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How each pair is computed, and what is done to every answer: NaN proves nothing, nearer than rounding can
// resolve is touching, lower <= upper.
// Entries: bi_shape_gap, bi_shape_gap_if_apart, berth_shape_gap.

#include "shape/pair.h"

/// A positive `upper` below this many u * scale is touching: it is less than the witnesses' own rounding.
#define TOUCH_ULPS 4.0

// The cells of the matrix: which pair function answers. A comes first; THIN: capsule and triangle, whose cores have no
// volume; HALF: a half-space.
#define SPHERE_ANY bi_sphere_any_gap
#define ANY_SPHERE bi_any_sphere_gap
#define THIN_THIN bi_thin_gap
#define BOX_BOX bi_box_box_gap
#define GJK_EPA bi_gjk_gap
#define ANY_HALF bi_any_halfspace_gap
#define HALF_ANY bi_halfspace_any_gap
#define HALF_HALF bi_halfspaces_gap

// clang-format off
static const PairGap pair_gap_of[BERTH_SHAPE_KIND_COUNT][BERTH_SHAPE_KIND_COUNT] = {
    // A         B:  sphere      capsule     box         cylinder    cone        triangle    hull        halfspace
    /* sphere    */ {SPHERE_ANY, SPHERE_ANY, SPHERE_ANY, SPHERE_ANY, SPHERE_ANY, SPHERE_ANY, GJK_EPA,    ANY_HALF},
    /* capsule   */ {ANY_SPHERE, THIN_THIN,  GJK_EPA,    GJK_EPA,    GJK_EPA,    THIN_THIN,  GJK_EPA,    ANY_HALF},
    /* box       */ {ANY_SPHERE, GJK_EPA,    BOX_BOX,    GJK_EPA,    GJK_EPA,    GJK_EPA,    GJK_EPA,    ANY_HALF},
    /* cylinder  */ {ANY_SPHERE, GJK_EPA,    GJK_EPA,    GJK_EPA,    GJK_EPA,    GJK_EPA,    GJK_EPA,    ANY_HALF},
    /* cone      */ {ANY_SPHERE, GJK_EPA,    GJK_EPA,    GJK_EPA,    GJK_EPA,    GJK_EPA,    GJK_EPA,    ANY_HALF},
    /* triangle  */ {ANY_SPHERE, THIN_THIN,  GJK_EPA,    GJK_EPA,    GJK_EPA,    THIN_THIN,  GJK_EPA,    ANY_HALF},
    /* hull      */ {GJK_EPA,    GJK_EPA,    GJK_EPA,    GJK_EPA,    GJK_EPA,    GJK_EPA,    GJK_EPA,    ANY_HALF},
    /* halfspace */ {HALF_ANY,   HALF_ANY,   HALF_ANY,   HALF_ANY,   HALF_ANY,   HALF_ANY,   HALF_ANY,   HALF_HALF},
};
// clang-format on

// Finite in all entries: a sum of absolute values is NaN or infinite when one of them is.
static bool pose_is_finite(const Pose* p) {
    const Vec3 sum = v3_add(v3_add(v3_abs(p->x), v3_abs(p->y)), v3_add(v3_abs(p->z), v3_abs(p->t)));
    return sum.x + sum.y + sum.z < INFINITY;
}

static bool kind_is_known(const BerthShape* shape) {
    return (unsigned)shape->kind < BERTH_SHAPE_KIND_COUNT;
}

static BerthGap gap_by(PairGap pair_gap, const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                       double stop_above) {
    const double scale = pair_scale(a, b, a_from_b);
    BerthGap gap = pair_gap(a, b, a_from_b, stop_above);
    if (!(scale < INFINITY) || !(gap.lower < INFINITY) ||
        !(gap.upper > -INFINITY || gap.lower == -INFINITY)) {
        return gap_unknown();
    }

    if (gap.upper > 0.0 && gap.upper <= TOUCH_ULPS * BI_ULP * scale) {
        gap.upper = 0.0;
    }
    gap.lower = smaller(gap.lower, gap.upper);
    return gap;
}

BerthGap bi_shape_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above) {
    if (!kind_is_known(a) || !kind_is_known(b) || !pose_is_finite(a_from_b)) {
        return gap_unknown();
    }
    return gap_by(pair_gap_of[a->kind][b->kind], a, b, a_from_b, stop_above);
}

BerthGap bi_shape_gap_if_apart(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                               double stop_above) {
    if (!kind_is_known(a) || !kind_is_known(b) || !pose_is_finite(a_from_b)) {
        return gap_unknown();
    }
    const PairGap pair_gap = pair_gap_of[a->kind][b->kind];
    return gap_by(pair_gap == GJK_EPA ? bi_gjk_gap_if_apart : pair_gap, a, b, a_from_b, stop_above);
}

BerthGap berth_shape_gap(const BerthShape* a, const BerthPose* world_from_a, const BerthShape* b,
                         const BerthPose* world_from_b) {
    if (a == NULL || b == NULL || world_from_a == NULL || world_from_b == NULL ||
        !pose_is_finite(world_from_a) || !pose_is_finite(world_from_b)) {
        return gap_unknown();
    }

    const Pose a_from_b = pose_between(world_from_a, world_from_b);
    BerthGap gap = bi_shape_gap(a, b, &a_from_b, INFINITY);
    const double reach = v3_length(world_from_a->t) + v3_length(world_from_b->t);
    gap.lower -= BI_DISTANCE_SLACK * reach;
    if (gap.upper > 0.0 && gap.upper <= TOUCH_ULPS * BI_ULP * reach) {
        gap.upper = 0.0;
    }

    gap.point_a = pose_apply(world_from_a, gap.point_a);
    gap.point_b = pose_apply(world_from_a, gap.point_b);
    gap.normal = pose_turn(world_from_a, gap.normal);
    return gap;
}
