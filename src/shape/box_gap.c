// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Box against box. The faces of the difference set have 15 normals: 3 + 3 of the boxes, 9 of pairs of edges.
// The largest f(n) of these is the gap when the boxes overlap, and its sign is always the sign of the gap;
// GJK gives the distance. In A's frame the cross products need no arithmetic at all, so nearly parallel edges
// do no harm. Hot file.
// Entry: bi_box_box_gap.

#include "shape/pair.h"

typedef struct BestAxis {
    double f;
    Vec3 normal;
} BestAxis;

// f(n) or f(-n), the larger one: half widths of both along n against the distance of the centres.
static inline void try_axis(Vec3 n, Vec3 half_a, Vec3 half_b, const Pose* p, BestAxis* best) {
    const double centres = v3_dot(n, p->t);
    const double width_a = fabs(n.x) * half_a.x + fabs(n.y) * half_a.y + fabs(n.z) * half_a.z;
    const double width_b = fabs(v3_dot(n, p->x)) * half_b.x + fabs(v3_dot(n, p->y)) * half_b.y +
                           fabs(v3_dot(n, p->z)) * half_b.z;
    const double f = fabs(centres) - width_a - width_b;
    if (f > best->f) {
        best->f = f;
        best->normal = centres >= 0.0 ? n : v3_neg(n);
    }
}

static BestAxis best_separating_axis(Vec3 half_a, Vec3 half_b, const Pose* p) {
    static const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const Vec3 columns[3] = {p->x, p->y, p->z};
    BestAxis best = {-INFINITY, axes[2]};

    // Normals of faces.
    for (int i = 0; i < 3; i++) {
        try_axis(axes[i], half_a, half_b, p, &best);
        try_axis(columns[i], half_a, half_b, p, &best);
    }

    // Normals of pairs of edges.
    for (int j = 0; j < 3; j++) {
        const Vec3 b = columns[j];
        const Vec3 crossed[3] = {{0.0, -b.z, b.y}, {b.z, 0.0, -b.x}, {-b.y, b.x, 0.0}};
        for (int i = 0; i < 3; i++) {
            const Vec3 n = v3_unit_or(crossed[i], axes[i]);
            try_axis(n, half_a, half_b, p, &best);
        }
    }
    return best;
}

BerthGap bi_box_box_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above) {
    const double scale = pair_scale(a, b, a_from_b);
    const BestAxis best = best_separating_axis(a->as.box.half, b->as.box.half, a_from_b);
    if (best.f - BI_DISTANCE_SLACK * scale > stop_above) {
        BerthGap gap = gap_unknown();
        gap.lower = best.f - BI_DISTANCE_SLACK * scale;
        gap.normal = best.normal;
        return gap;
    }

    // Apart: GJK measures the distance.
    if (best.f > BI_DISTANCE_SLACK * scale) {
        BerthGap gap = bi_gjk_gap(a, b, a_from_b, stop_above);
        gap.lower = larger(gap.lower, smaller(best.f - BI_DISTANCE_SLACK * scale, gap.upper));
        return gap;
    }

    return bi_overlap_gap_along(a, b, a_from_b, best.f, best.normal, scale);
}
