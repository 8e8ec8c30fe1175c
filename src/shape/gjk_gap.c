// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// GJK (Gilbert, Johnson & Keerthi 1988) on the cores of two shapes. Hot file.
// The nearest simplex is found by comparing its features, each solved from its own best corner, so a bad one
// loses instead of misleading. The answer never rests on convergence: `upper` is the distance of two points
// of the bodies, `lower` is f(n) for one direction n, evaluated at the end with exact supports (core.h).
// Entries: bi_gjk_gap, bi_gjk_gap_if_apart, bi_overlap_gap_along.

#include "shape/pair.h"

/// Most steps; random pairs need 3 to 20 (test_shape_gap records the worst). At the cap the bounds are still
/// true.
#define GJK_STEPS_MAX 96
/// Points of D nearer to the origin than this many u * scale are at the origin: D's points are no better
/// known.
#define GJK_TOUCH_ULPS 4.0
/// Overlapping cores are looked at this much (by scale) further apart than touching, at most so many times.
#define PUSH_MARGIN 0x1p-8
#define CLIMBS_MAX 8
/// Cores this near (by scale) without a plane between them are looked at again,
#define NEARLY_TOUCHING 1e-6
/// and this near they touch: a can that lies on a table.
#define TOUCHING 0x1p-41
/// A tetrahedron flatter than this (volume by product of edges) has no inside that could be trusted.
#define GJK_FLAT 1e-13

typedef struct Feature {
    double d_sq;
    double share[3];
} Feature;

static Feature nearest_of_edge(Vec3 p, Vec3 q) {
    const Vec3 d = v3_sub(q, p);
    const double dd = v3_length_sq(d);
    const double s = dd > 0.0 ? clamp(-v3_dot(d, p) / dd, 0.0, 1.0) : 0.0;
    const Vec3 v = s < 1.0 ? v3_mad(p, s, d) : q;
    return (Feature){v3_length_sq(v), {1.0 - s, s, 0.0}};
}

// The point of triangle w that is nearest to the origin.
static Feature nearest_of_triangle(const Vec3 w[3]) {
    Feature best = {INFINITY, {1.0, 0.0, 0.0}};
    double longest = -1.0;
    int corner = 0;

    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3, other = (i + 2) % 3;
        const Feature edge = nearest_of_edge(w[i], w[k]);
        if (edge.d_sq < best.d_sq) {
            best.d_sq = edge.d_sq;
            best.share[i] = edge.share[0];
            best.share[k] = edge.share[1];
            best.share[other] = 0.0;
        }

        const double length_sq = v3_length_sq(v3_sub(w[k], w[i]));
        if (length_sq > longest) {
            longest = length_sq;
            corner = other;  // the largest corner is opposite to the longest edge
        }
    }

    // The inside, solved from the largest corner.
    const int p = (corner + 1) % 3, q = (corner + 2) % 3;
    const Vec3 o = w[corner], e0 = v3_sub(w[p], o), e1 = v3_sub(w[q], o), n = v3_cross(e0, e1);
    const double nn = v3_length_sq(n);
    if (nn > 0.0) {
        const double v = -v3_dot(v3_cross(o, e1), n) / nn;
        const double u = -v3_dot(v3_cross(e0, o), n) / nn;
        if (v > 0.0 && u > 0.0 && v + u < 1.0) {
            const double d_sq = v3_length_sq(v3_mad(v3_mad(o, v, e0), u, e1));
            if (d_sq <= best.d_sq) {
                best.d_sq = d_sq;
                best.share[corner] = 1.0 - v - u;
                best.share[p] = v;
                best.share[q] = u;
            }
        }
    }

    return best;
}

static const int face_of[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};  // and its apex

// Nearest face of a tetrahedron; false when the origin is inside. Faces that have the origin on the apex's
// side cannot be nearest, unless all is so flat that sides mean nothing.
static bool nearest_of_tetrahedron(const Simplex* s, Feature* best, int* best_face) {
    const Vec3 o = s->point[0].w;
    const Vec3 e0 = v3_sub(s->point[1].w, o), e1 = v3_sub(s->point[2].w, o), e2 = v3_sub(s->point[3].w, o);
    const double volume = v3_dot(v3_cross(e0, e1), e2);
    const double product_sq = v3_length_sq(e0) * v3_length_sq(e1) * v3_length_sq(e2);
    const bool flat = !(volume * volume > GJK_FLAT * GJK_FLAT * product_sq);

    best->d_sq = INFINITY;
    for (int f = 0; f < 4; f++) {
        const Vec3 w[3] = {s->point[face_of[f][0]].w, s->point[face_of[f][1]].w, s->point[face_of[f][2]].w};
        const Vec3 n = v3_cross(v3_sub(w[1], w[0]), v3_sub(w[2], w[0]));
        const double apex = v3_dot(n, v3_sub(s->point[face_of[f][3]].w, w[0])), origin = -v3_dot(n, w[0]);
        if (flat || (apex > 0.0 ? origin <= 0.0 : origin >= 0.0)) {
            const Feature face = nearest_of_triangle(w);
            if (face.d_sq < best->d_sq) {
                *best = face;
                *best_face = f;
            }
        }
    }

    return best->d_sq < INFINITY;
}

// Keeps the part of the simplex that holds its point nearest to the origin, and gives that point. False when
// the origin is inside.
static bool reduce_to_nearest(Simplex* s, Vec3* v) {
    Feature best = {INFINITY, {1.0, 0.0, 0.0}};
    int index[3] = {0, 1, 2};
    if (s->count == 2) {
        best = nearest_of_edge(s->point[0].w, s->point[1].w);
    } else if (s->count == 3) {
        const Vec3 w[3] = {s->point[0].w, s->point[1].w, s->point[2].w};
        best = nearest_of_triangle(w);
    } else if (s->count == 4) {
        int face = 0;
        if (!nearest_of_tetrahedron(s, &best, &face)) {
            return false;
        }
        for (int k = 0; k < 3; k++) {
            index[k] = face_of[face][k];
        }
    }

    const int used = s->count < 3 ? s->count : 3;
    DiffPoint kept[3];
    int count = 0;
    Vec3 sum = {0.0, 0.0, 0.0};

    for (int k = 0; k < used; k++) {
        if (best.share[k] > 0.0) {
            kept[count] = s->point[index[k]];
            s->share[count] = best.share[k];
            sum = v3_mad(sum, best.share[k], kept[count].w);
            count++;
        }
    }

    for (int k = 0; k < count; k++) {
        s->point[k] = kept[k];
    }
    s->count = count;
    *v = sum;
    return true;
}

static bool already_in(const Simplex* s, Vec3 w) {
    for (int i = 0; i < s->count; i++) {
        if (s->point[i].w.x == w.x && s->point[i].w.y == w.y && s->point[i].w.z == w.z) {
            return true;
        }
    }
    return false;
}

// f(n) of the cores with exact supports.
static double certified_bound(CorePair* pair, Vec3 n) {
    return v3_dot(n, pair_support(pair, n, true).w);
}

// Cores apart: bounds and witnesses of the cores.
static void answer_apart(CorePair* pair, const Simplex* s, Vec3 v, BerthGap* gap) {
    gap->point_a = gap->point_b = v3(0.0, 0.0, 0.0);
    for (int i = 0; i < s->count; i++) {
        gap->point_a = v3_mad(gap->point_a, s->share[i], s->point[i].a);
        gap->point_b = v3_mad(gap->point_b, s->share[i], s->point[i].b);
    }

    gap->upper = v3_length(v);
    gap->normal = v3_unit_or(v, v3(0.0, 0.0, 1.0));
    gap->lower = certified_bound(pair, gap->normal);
    if (s->count == 3 && !(gap->lower > (1.0 - 4.0 * BI_GJK_RELATIVE) * gap->upper)) {
        // Near bodies: v is short and its direction is rounding, but the face it stands on is long.
        Vec3 n = v3_cross(v3_sub(s->point[1].w, s->point[0].w), v3_sub(s->point[2].w, s->point[0].w));
        n = v3_unit_or(v3_dot(n, v) < 0.0 ? v3_neg(n) : n, gap->normal);
        const double lower = certified_bound(pair, n);
        if (lower > gap->lower) {
            gap->lower = lower;
            gap->normal = n;
        }
    }
}

// Adds the balls around the cores and the slack: what was said about the cores becomes true of the shapes.
static void add_radii(const CorePair* pair, BerthGap* gap) {
    const double radii = pair->a.radius + pair->b.radius;
    gap->point_a = v3_mad(gap->point_a, pair->a.radius, gap->normal);
    gap->point_b = v3_mad(gap->point_b, -pair->b.radius, gap->normal);
    gap->upper -= radii;
    gap->lower -= radii + pair->a.outside + pair->b.outside + BI_DISTANCE_SLACK * pair->scale;
    gap->lower = smaller(gap->lower, gap->upper);
}

// Two cores: the simplex that holds the nearest point v of D that was found, and one around the origin when
// they overlap.
typedef struct GjkRun {
    Simplex s, around;
    Vec3 v;
    int steps;
    bool overlap;
} GjkRun;

static GjkRun run_gjk(CorePair* pair, Vec3 first, double stop) {
    GjkRun run = {.s = {.count = 1, .share = {1.0}}};
    const double touch = GJK_TOUCH_ULPS * BI_ULP * pair->scale;
    run.s.point[0] = pair_support(pair, first, false);
    run.v = run.s.point[0].w;
    double v_sq = v3_length_sq(run.v);

    for (; run.steps < GJK_STEPS_MAX; run.steps++) {
        if (!(v_sq > touch * touch)) {
            run.around = run.s;
            run.overlap = true;
            break;
        }

        const DiffPoint point = pair_support(pair, run.v, false);
        const double along = v3_dot(run.v, point.w);
        if (v_sq - along <= BI_GJK_RELATIVE * v_sq || already_in(&run.s, point.w)) {
            break;
        }

        if (stop > 0.0 && along > 0.0 && along * along > stop * stop * v_sq &&
            certified_bound(pair, v3_scale(run.v, 1.0 / sqrt(v_sq))) > stop) {
            break;
        }

        Simplex next = run.s;
        next.point[next.count++] = point;
        Vec3 next_v;
        if (!reduce_to_nearest(&next, &next_v)) {
            run.around = next;
            run.overlap = true;
            break;
        }

        const double next_sq = v3_length_sq(next_v);
        if (!(next_sq < v_sq)) {
            break;  // rounding: as near as it gets
        }

        run.s = next;
        run.v = next_v;
        v_sq = next_sq;
    }
    return run;
}

// Overlapping cores: pushed apart along n they have a nearest vector v, and f(v / |v|) >= f(n), for
// |v| = f'(v / |v|) >= f'(n) after the push. So n climbs, and the nearest points become the deepest ones.
static void climb_normal(CorePair* pair, BerthGap* gap) {
    const Pose* a_from_b = pair->a_from_b;
    for (int i = 0; i < CLIMBS_MAX; i++) {
        const Vec3 n = gap->normal;
        const double push = PUSH_MARGIN * pair->scale - smaller(gap->lower, 0.0);
        Pose pushed = *a_from_b;
        pushed.t = v3_mad(pushed.t, push, n);
        pair->a_from_b = &pushed;

        const GjkRun run = run_gjk(pair, n, INFINITY);
        gap->iterations += run.steps;
        BerthGap apart = *gap;
        answer_apart(pair, &run.s, run.v, &apart);
        pair->a_from_b = a_from_b;

        gap->point_a = apart.point_a;
        gap->point_b = v3_mad(apart.point_b, -push, n);

        const double f = smaller(certified_bound(pair, apart.normal), gap->upper);
        const double gain = f - gap->lower;
        if (gain > 0.0) {
            gap->lower = f;
            gap->normal = apart.normal;
        }

        if (!(gain > 16.0 * BI_ULP * pair->scale)) {
            break;
        }
    }
}

// The point of a triangle in the half plane (distance from the axis, z) that is nearest to (x, z): a cone, cut.
static void nearest_of_cut_cone(double radius, double half, double* x, double* z) {
    const double px = *x, pz = *z, slope_x = radius, slope_z = -2.0 * half;  // from the tip to the rim
    const bool below_slope = slope_z * px - slope_x * (pz - half) >= 0.0;
    if (pz >= -half && below_slope) {
        return;
    }

    const double t =
        clamp((slope_x * px + slope_z * (pz - half)) / (slope_x * slope_x + slope_z * slope_z), 0.0, 1.0);
    const double side_x = t * slope_x, side_z = half + t * slope_z, base_x = smaller(px, radius);
    const double side = (side_x - px) * (side_x - px) + (side_z - pz) * (side_z - pz);
    const double base = (base_x - px) * (base_x - px) + (half + pz) * (half + pz);

    *x = side < base ? side_x : base_x;
    *z = side < base ? side_z : -half;
}

// The point of a core that is nearest to p, all in the shape's frame. Round ones by formulas, as GJK only creeps up to
// them; for the others it ends.
static Vec3 nearest_of_core(const Core* core, Vec3 p) {
    const BerthShape* s = core->shape;
    if (s->kind == BERTH_CYLINDER || s->kind == BERTH_CONE) {
        const double around = sqrt(p.x * p.x + p.y * p.y);
        double x = around, z = p.z;
        if (s->kind == BERTH_CYLINDER) {
            x = smaller(x, s->as.cylinder.radius);
            z = clamp(z, -0.5 * s->as.cylinder.length, 0.5 * s->as.cylinder.length);
        } else {
            nearest_of_cut_cone(s->as.cone.radius, 0.5 * s->as.cone.length, &x, &z);
        }

        const double shrink = around > 0.0 ? x / around : 0.0;
        return x < around ? v3(shrink * p.x, shrink * p.y, z) : v3(p.x, p.y, z);
    }

    const BerthShape point = {.kind = BERTH_SPHERE};
    const Pose point_from_shape = {v3(1.0, 0.0, 0.0), v3(0.0, 1.0, 0.0), v3(0.0, 0.0, 1.0), v3_neg(p)};
    CorePair pair = {core_of(&point), *core, &point_from_shape, shape_size(s) + v3_length(p)};
    const GjkRun run = run_gjk(&pair, v3_unit_or(v3_neg(p), v3(1.0, 0.0, 0.0)), INFINITY);
    return run.overlap ? p : v3_add(p, run.v);
}

// From a point of one core the other's nearest one: two points that are hardly further apart than the cores, though the
// place where these touch is known only to the root of that.
static void try_witness(const CorePair* pair, bool of_a, Vec3 p, BerthGap* gap) {
    const Vec3 other =
        of_a ? pose_apply(pair->a_from_b, nearest_of_core(&pair->b, pose_apply_back(pair->a_from_b, p)))
             : nearest_of_core(&pair->a, p);
    const double apart = v3_distance(p, other);
    if (apart < gap->upper) {
        gap->upper = apart;
        gap->point_a = of_a ? p : other;
        gap->point_b = of_a ? other : p;
    }
}

// Round bodies that touch: v shrinks slowly towards 0 and its direction is lost on the way. Look for the best
// normal from further away, and for points that are nearer to each other. Whatever is left between these is not
// called contact, unless it is of the size of rounding.
static void settle_touching(CorePair* pair, BerthGap* gap) {
    const double touch = GJK_TOUCH_ULPS * BI_ULP * pair->scale;
    if (gap->lower > touch || !(gap->upper <= NEARLY_TOUCHING * pair->scale)) {
        return;
    }

    BerthGap climbed = *gap;
    climb_normal(pair, &climbed);
    gap->lower = climbed.lower;
    gap->normal = climbed.normal;
    gap->iterations = climbed.iterations;
    if (gap->lower > touch) {
        return;
    }

    const Vec3 tries[4] = {gap->point_a, climbed.point_a, gap->point_b, climbed.point_b};
    for (int i = 0; i < 4 && gap->upper > TOUCHING * pair->scale; i++) {
        try_witness(pair, i < 2, tries[i], gap);
    }

    if (!(gap->upper > TOUCHING * pair->scale)) {
        gap->upper = 0.0;
    }
}

/// Whether it is looked for how deep cores are in each other.
typedef enum Depth { DEPTH_WANTED, DEPTH_LEFT_OUT } Depth;

static BerthGap gap_by_gjk(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above,
                           Depth depth) {
    CorePair pair = {core_of(a), core_of(b), a_from_b, 0.0};
    pair.scale = pair_scale(a, b, a_from_b);

    // The cores must be further apart than this for the shapes to be further apart than stop_above.
    const double stop = stop_above + pair.a.radius + pair.b.radius + pair.a.outside + pair.b.outside +
                        BI_DISTANCE_SLACK * pair.scale;
    const GjkRun run = run_gjk(&pair, v3_unit_or(a_from_b->t, v3(1.0, 0.0, 0.0)), stop);

    BerthGap gap = gap_unknown();
    if (run.overlap && depth == DEPTH_LEFT_OUT) {
        gap.iterations = run.steps;
        return gap;
    }
    if (run.overlap && bi_epa_depth(&pair, &run.around, &gap)) {
        climb_normal(&pair, &gap);
    } else {
        answer_apart(&pair, &run.s, run.v, &gap);
        settle_touching(&pair, &gap);
    }

    gap.iterations += run.steps;
    add_radii(&pair, &gap);
    return gap;
}

BerthGap bi_gjk_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above) {
    return gap_by_gjk(a, b, a_from_b, stop_above, DEPTH_WANTED);
}

BerthGap bi_gjk_gap_if_apart(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                             double stop_above) {
    return gap_by_gjk(a, b, a_from_b, stop_above, DEPTH_LEFT_OUT);
}

BerthGap bi_overlap_gap_along(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double f,
                              Vec3 n, double scale) {
    const double push = 2.0 * scale - f;
    Pose pushed = *a_from_b;
    pushed.t = v3_mad(pushed.t, push, n);

    BerthGap gap = bi_gjk_gap(a, b, &pushed, INFINITY);
    gap.point_b = v3_mad(gap.point_b, -push, n);
    gap.normal = n;
    gap.upper = smaller(f, 0.0);
    gap.lower = f - BI_DISTANCE_SLACK * scale;
    return gap;
}
