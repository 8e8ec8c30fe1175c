// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A point of both bodies. Deepest points say how far to move apart, and need not be in the other body: a
// plate in a block, anything below a plane. Two convex bodies that overlap have a common point. It is looked
// for where they are deepest; where that fails, each body gives the half-space that cuts the point off, and
// the point moves to the nearest one of both half-spaces, until neither cuts.
// Entry: bi_solid_find_meeting_point.

#include "math/math.h"
#include "shape/gap.h"
#include "tree/solid.h"

/// Rounds of cuts. Bodies that overlap by more than rounding need a few; the rest touch, where cuts come near slowly,
/// and a nanometre (by scale) is near enough.
enum { ROUNDS_MAX = 100 };
#define NEAR_ENOUGH 1e-9
/// A point this far outside, by scale, is on the surface.
#define ON_SURFACE (8.0 * BI_DISTANCE_SLACK)

/// Planes whose normals enclose less than the root of this meet nowhere near.
#define PARALLEL 1e-12

// The convex bodies that met: a shape, or the triangle of a mesh.
typedef struct Piece {
    BerthShape shape;
    Pose pose;  // in A's frame
} Piece;

static Piece piece_of(const BerthSolid* solid, int32_t triangle, Pose pose) {
    Piece piece = {solid->shape, pose};
    if (solid->is_mesh) {
        piece.shape = (BerthShape){.kind = BERTH_TRIANGLE};
        mesh_triangle(solid->mesh, triangle, piece.shape.as.triangle.point);
    }
    return piece;
}

/// A half-space that holds a piece: normal . x <= offset. All zero holds everything.
typedef struct Cut {
    Vec3 normal;
    double offset;
} Cut;

// How far p is outside of the piece; then `cut` becomes the half-space at the piece's point nearest to p.
static double find_cut(const Piece* piece, Vec3 p, Cut* cut) {
    const BerthShape dot = {.kind = BERTH_SPHERE};
    Pose dot_from_piece = piece->pose;
    dot_from_piece.t = v3_sub(dot_from_piece.t, p);
    const BerthGap gap = bi_shape_gap(&dot, &piece->shape, &dot_from_piece, INFINITY);
    if (!(gap.upper > 0.0)) {
        return 0.0;
    }

    cut->normal = v3_neg(gap.normal);  // it points from the dot to the piece
    cut->offset = v3_dot(cut->normal, p) - gap.upper;
    return gap.upper;
}

// The point of both half-spaces that is nearest to p.
static Vec3 nearest_in_both(Vec3 p, const Cut* a, const Cut* b) {
    const double over_a = v3_dot(a->normal, p) - a->offset;
    const double over_b = v3_dot(b->normal, p) - b->offset;
    const double c = v3_dot(a->normal, b->normal);
    if (over_a >= over_b && !(over_b - c * over_a > 0.0)) {
        return v3_mad(p, over_a > 0.0 ? -over_a : 0.0, a->normal);
    }
    if (over_b >= over_a && !(over_a - c * over_b > 0.0)) {
        return v3_mad(p, over_b > 0.0 ? -over_b : 0.0, b->normal);
    }

    const double det = 1.0 - c * c;
    if (!(det > PARALLEL)) {
        return v3_mad(p, -over_a, a->normal);
    }

    const Vec3 step =
        v3_mad(v3_scale(a->normal, (over_a - c * over_b) / det), (over_b - c * over_a) / det, b->normal);
    return v3_sub(p, step);
}

Vec3 bi_solid_find_meeting_point(const BerthSolid* a, const BerthSolid* b, const Pose* a_from_b,
                                 const BerthTreeAnswer* answer) {
    const Vec3 middle = v3_scale(v3_add(answer->point_a, answer->point_b), 0.5);
    if (!(answer->upper <= 0.0) || answer->contained || (a->is_mesh && b->is_mesh)) {
        return middle;
    }

    if (a->is_mesh && answer->triangle_a < 0) {
        return answer->point_a;  // a vertex below a plane
    }
    if (b->is_mesh && answer->triangle_b < 0) {
        return answer->point_b;
    }

    const Piece pa = piece_of(a, answer->triangle_a, pose_identity());
    const Piece pb = piece_of(b, answer->triangle_b, *a_from_b);
    if (pa.shape.kind == BERTH_TRIANGLE && pb.shape.kind == BERTH_TRIANGLE) {
        Vec3 posed[3];  // two planes cut all along their line: triangles know where they cross
        for (int k = 0; k < 3; ++k) {
            posed[k] = pose_apply(a_from_b, pb.shape.as.triangle.point[k]);
        }

        Vec3 on_a;
        Vec3 on_b;
        bi_triangle_distance_sq(pa.shape.as.triangle.point, posed, &on_a, &on_b);
        return on_a;
    }

    const double scale = v3_length(middle) + v3_length(a_from_b->t);
    const double near = ON_SURFACE * scale;
    const double enough = NEAR_ENOUGH * scale;

    const Vec3 starts[3] = {middle, answer->point_a, answer->point_b};
    Cut cut_a = {{0, 0, 0}, 0.0};
    Cut cut_b = cut_a;
    Vec3 best = middle;
    Vec3 p = middle;
    double best_off = INFINITY;

    for (int i = 0; i < 3 + ROUNDS_MAX && best_off > (i < 3 ? near : enough); ++i) {
        if (i < 3) {
            p = starts[i];
        } else {
            p = nearest_in_both(i == 3 ? best : p, &cut_a, &cut_b);
        }
        const double off = find_cut(&pa, p, &cut_a) + find_cut(&pb, p, &cut_b);
        if (off < best_off) {
            best_off = off;
            best = p;
        }
    }

    return best;
}
