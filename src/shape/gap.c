// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which pair is computed how, and what is done to every answer: NaN proves nothing, nearer than rounding can
// tell is touching, lower <= upper.

#include "shape/pair.h"

/// A positive `upper` below this many u * scale is touching: it is less than the witnesses' own rounding.
#define TOUCH_ULPS 4.0

#define SPHR bi_sphere_any_gap
#define REHS bi_any_sphere_gap
#define FLAT bi_flat_gap
#define BOXB bi_box_box_gap
#define GJKE bi_gjk_gap
#define HALF bi_any_halfspace_gap
#define FLAH bi_halfspace_any_gap
#define HAHA bi_halfspaces_gap

// clang-format off
static const PairGap matrix[BERTH_SHAPE_KIND_COUNT][BERTH_SHAPE_KIND_COUNT] = {
    //              sphere capsule box   cylinder cone triangle hull halfspace
    /* sphere    */ {SPHR,  SPHR,  SPHR,  SPHR,  SPHR,  SPHR,  GJKE,  HALF},
    /* capsule   */ {REHS,  FLAT,  GJKE,  GJKE,  GJKE,  FLAT,  GJKE,  HALF},
    /* box       */ {REHS,  GJKE,  BOXB,  GJKE,  GJKE,  GJKE,  GJKE,  HALF},
    /* cylinder  */ {REHS,  GJKE,  GJKE,  GJKE,  GJKE,  GJKE,  GJKE,  HALF},
    /* cone      */ {REHS,  GJKE,  GJKE,  GJKE,  GJKE,  GJKE,  GJKE,  HALF},
    /* triangle  */ {REHS,  FLAT,  GJKE,  GJKE,  GJKE,  FLAT,  GJKE,  HALF},
    /* hull      */ {GJKE,  GJKE,  GJKE,  GJKE,  GJKE,  GJKE,  GJKE,  HALF},
    /* halfspace */ {FLAH,  FLAH,  FLAH,  FLAH,  FLAH,  FLAH,  FLAH,  HAHA},
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

BerthGap bi_shape_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above) {
    if (!kind_is_known(a) || !kind_is_known(b) || !pose_is_finite(a_from_b)) {
        return gap_unknown();
    }
    const double scale = pair_scale(a, b, a_from_b);
    BerthGap gap = matrix[a->kind][b->kind](a, b, a_from_b, stop_above);
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
