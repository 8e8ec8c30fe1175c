// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Distances of segments, points and triangles. Hot file: nothing here allocates, branches on a bad normal, or
// trusts a formula that is ill-conditioned for slivers. docs/theory/shape.md has the error analysis; in short:
//   - every candidate is a pair of points of the two bodies, so an error can only miss the nearest pair;
//   - nearly parallel segments: s comes from cross products, whose error shrinks with the angle (the usual
//     determinant a e - b b loses half of all digits there);
//   - faces are looked at from their largest corner, and a triangle that is flat even there is cut into two
//     right-angled ones, so a normal has the relative error of its entries;
//   - an early answer needs a separating plane, with more room than the plane's own error.
// Entries: bi_line_segments_distance_sq, bi_point_triangle_distance_sq, bi_triangle_distance_sq, bi_triangles_apart.

#include "math/tolerance.h"
#include "shape/gap.h"

/// Triangles nearer than this many u * R count as touching (R: at least every difference of two corners).
#define TOUCH_ULPS 1.0
/// A plane may separate with less room than its own error when V is at least this share of R, and the third
/// corners lie behind it by at least this share: squares, so 2^-29 and 2^-10.
#define PLANE_MIN_SQ 0x1p-58
#define PLANE_ROOM_SQ 0x1p-20
/// An axis shorter than the root of this proves nothing: its square may have lost digits to underflow.
#define AXIS_MIN_SQ 1e-250

// ---- segments ------------------------------------------------------------------------------------------

static inline double clamp01(double x) {
    const double low = x > 0.0 ? x : 0.0;  // both lines compile to one minimum or maximum, without a jump
    return low < 1.0 ? low : 1.0;
}

// 1 / length_sq, and 0 for an edge that is a point.
static inline double inverse_or_zero(double length_sq) {
    return length_sq >= 0x1p-1022 ? 1.0 / length_sq : 0.0;
}

// The vector from the nearest point p0 + s d1 of one segment to the nearest point q0 + t d2 of the other;
// r = q0 - p0, inverse1 = 1 / d1.d1, inverse2 = 1 / d2.d2. The last projection is needed when t was clamped,
// changes nothing when it was not, and is cheaper than asking.
static inline Vec3 edge_edge(Vec3 r, Vec3 d1, Vec3 d2, double inverse1, double inverse2, double* s,
                             double* t) {
    const Vec3 n = v3_cross(d1, d2);
    const double s_line = clamp01(v3_dot(v3_cross(r, d2), n) * inverse_or_zero(v3_length_sq(n)));
    *t = clamp01(-v3_dot(d2, v3_mad(r, -s_line, d1)) * inverse2);
    const Vec3 end = v3_mad(r, *t, d2);
    *s = clamp01(v3_dot(d1, end) * inverse1);
    return v3_mad(end, -*s, d1);
}

// p + s d, and exactly the end point at s = 1.
static inline Vec3 point_on_edge(Vec3 p, Vec3 d, Vec3 end, double s) {
    return s < 1.0 ? v3_mad(p, s, d) : end;
}

double bi_line_segments_distance_sq(Vec3 p0, Vec3 p1, Vec3 q0, Vec3 q1, Vec3* point_p, Vec3* point_q) {
    const Vec3 d1 = v3_sub(p1, p0), d2 = v3_sub(q1, q0);
    double s, t;
    const Vec3 v = edge_edge(v3_sub(q0, p0), d1, d2, inverse_or_zero(v3_length_sq(d1)),
                             inverse_or_zero(v3_length_sq(d2)), &s, &t);
    *point_p = point_on_edge(p0, d1, p1, s);
    *point_q = point_on_edge(q0, d2, q1, t);
    return v3_length_sq(v);
}

// ---- faces ---------------------------------------------------------------------------------------------

// A triangle seen from a corner whose sine is not small: points origin + v e0 + w e1.
typedef struct Face {
    Vec3 origin, e0, e1, normal;
    double normal_sq;
} Face;

static inline void set_face(Face* face, Vec3 origin, Vec3 p, Vec3 q) {
    face->origin = origin;
    face->e0 = v3_sub(p, origin);
    face->e1 = v3_sub(q, origin);
    face->normal = v3_cross(face->e0, face->e1);
    face->normal_sq = v3_length_sq(face->normal);
}

// One face, or two when the largest corner is wider than 135 degrees: cut at the foot of the height. The foot
// is rounded, which moves the surface by a rounding error and no more.
static int make_faces(const Vec3 t[3], Face faces[2]) {
    const double l0 = v3_length_sq(v3_sub(t[1], t[0]));
    const double l1 = v3_length_sq(v3_sub(t[2], t[1]));
    const double l2 = v3_length_sq(v3_sub(t[0], t[2]));
    int corner = l1 >= l2 ? 0 : 1;  // the largest one, opposite to the longest edge
    if (l0 >= l1 && l0 >= l2) {
        corner = 2;
    }

    const Vec3 o = t[corner], p = t[(corner + 1) % 3], q = t[(corner + 2) % 3];
    const Vec3 e0 = v3_sub(p, o), e1 = v3_sub(q, o);
    const double dot = v3_dot(e0, e1);
    if (dot < 0.0 && dot * dot > 0.5 * (v3_length_sq(e0) * v3_length_sq(e1))) {
        const Vec3 longest = v3_sub(q, p);
        const double share = clamp(-v3_dot(e0, longest) / v3_length_sq(longest), 0.0, 1.0);
        const Vec3 foot = v3_mad(p, share, longest);
        set_face(&faces[0], foot, o, p);
        set_face(&faces[1], foot, o, q);
        return 2;
    }

    set_face(&faces[0], o, p, q);
    return 1;
}

// Where r (from the face's origin) meets the face along its normal; false beside it.
static inline bool find_foot_on_face(const Face* face, Vec3 r, double* v, double* w) {
    const double inverse = 1.0 / face->normal_sq;
    *v = v3_dot(v3_cross(r, face->e1), face->normal) * inverse;
    *w = v3_dot(v3_cross(face->e0, r), face->normal) * inverse;
    return *v >= 0.0 && *w >= 0.0 && *v + *w <= 1.0;
}

double bi_point_triangle_distance_sq(Vec3 p, const Vec3 t[3], Vec3* nearest) {
    double best = INFINITY, v, w;
    for (int i = 0; i < 3; i++) {
        const Vec3 end = t[(i + 1) % 3];
        const Vec3 d = v3_sub(end, t[i]), r = v3_sub(p, t[i]);
        const double dd = v3_length_sq(d);
        const double s = dd > 0.0 ? clamp(v3_dot(d, r) / dd, 0.0, 1.0) : 0.0;
        const double d_sq = v3_length_sq(v3_mad(r, -s, d));
        if (!(d_sq >= best)) {  // NaN enters, and stays
            best = d_sq;
            *nearest = point_on_edge(t[i], d, end, s);
        }
    }

    Face faces[2];
    const int count = make_faces(t, faces);
    for (int i = 0; i < count; i++) {
        const Vec3 r = v3_sub(p, faces[i].origin);
        if (find_foot_on_face(&faces[i], r, &v, &w)) {
            const double d_sq = v3_length_sq(v3_mad(v3_mad(r, -v, faces[i].e0), -w, faces[i].e1));
            if (d_sq < best) {
                best = d_sq;
                *nearest = v3_mad(v3_mad(faces[i].origin, v, faces[i].e0), w, faces[i].e1);
            }
        }
    }

    return best;
}

// ---- two triangles -------------------------------------------------------------------------------------

typedef struct Nearest {
    double d_sq;
    Vec3 point_a, point_b;
} Nearest;

// The plane at right angles to v (from p to q) leaves all of A on p's side and all of B on q's side, so the
// triangles are |v| apart. `third_*` are the corners that are not on the two edges; v is the nearest vector
// of the edges, whose direction has an error of at most 2 sqrt(u R / |v|).
static inline bool plane_separates(Vec3 v, double v_sq, Vec3 third_a, Vec3 third_b, double r_sq) {
    const double behind = v3_dot(third_a, v), before = v3_dot(third_b, v);
    const double room_sq = PLANE_ROOM_SQ * r_sq * v_sq;
    return behind < 0.0 && before > 0.0 && behind * behind > room_sq && before * before > room_sq &&
           v_sq > PLANE_MIN_SQ * r_sq;
}

// The same with a plane that need not be the nearest: no corner may cross it by more than rounding.
static inline bool plane_separates_all(Vec3 v, double v_sq, const Vec3 a[3], const Vec3 b[3], Vec3 p, Vec3 q,
                                       double r_sq) {
    double over = 0.0;
    for (int i = 0; i < 3; i++) {
        const double over_a = v3_dot(v3_sub(a[i], p), v), over_b = v3_dot(v3_sub(q, b[i]), v);
        over = over_a > over ? over_a : over;
        over = over_b > over ? over_b : over;
    }
    return over * over <= 0.25 * BI_ULP * BI_ULP * r_sq * v_sq;
}

// A plane of one triangle with all of the other on one side, its nearest corner straight over the face:
// nothing is nearer. h: heights of the corners times |normal|; d_sq: of corner i. The face's own corners are
// looked at too, because a sliver as thin as rounding may have a wrong normal.
static bool face_separates(const Face* face, const Vec3 own[3], const double h[3], int i, double d_sq,
                           double r_sq) {
    const double sign = h[i] > 0.0 ? 1.0 : -1.0, least = sign * h[i];
    if (!(least > 0.0 && sign * h[0] >= least && sign * h[1] >= least && sign * h[2] >= least)) {
        return false;
    }

    const double slack = 0.5 * BI_ULP * sqrt(r_sq * face->normal_sq);
    for (int k = 0; k < 3; k++) {
        if (!(sign * v3_dot(v3_sub(own[k], face->origin), face->normal) <= slack)) {
            return false;
        }
    }
    return sqrt(d_sq * face->normal_sq) <= least + slack;
}

// Corners of one triangle over a face of the other, and its edges through it. `best->point_a` belongs to the
// face's side when `swapped` is false. Returns true when the distance is settled: an edge passes through, or
// the face's plane separates.
static bool try_face(const Face* face, const Vec3 own[3], const Vec3 other[3], bool swapped, double r_sq,
                     Nearest* best) {
    Vec3 r[3];
    double h[3], v, w;
    if (!(face->normal_sq > 0.0)) {
        return false;  // a segment or a point: its edges say everything
    }

    for (int i = 0; i < 3; i++) {
        r[i] = v3_sub(other[i], face->origin);
        h[i] = v3_dot(r[i], face->normal);
    }

    // Corners over the face.
    for (int i = 0; i < 3; i++) {
        if (!(h[i] * h[i] < best->d_sq * face->normal_sq) || !find_foot_on_face(face, r[i], &v, &w)) {
            continue;
        }
        const Vec3 offset = v3_mad(v3_mad(r[i], -v, face->e0), -w, face->e1);
        const double d_sq = v3_length_sq(offset);
        if (d_sq < best->d_sq) {
            const Vec3 on_face = v3_mad(v3_mad(face->origin, v, face->e0), w, face->e1);
            *best = swapped ? (Nearest){d_sq, other[i], on_face} : (Nearest){d_sq, on_face, other[i]};
            if (face_separates(face, own, h, i, d_sq, r_sq)) {
                return true;
            }
        }
    }

    // Edges through the face.
    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3;
        if (!((h[i] <= 0.0 && h[k] >= 0.0) || (h[i] >= 0.0 && h[k] <= 0.0)) || h[i] == h[k]) {
            continue;
        }
        const Vec3 through = v3_mad(r[i], h[i] / (h[i] - h[k]), v3_sub(other[k], other[i]));
        if (find_foot_on_face(face, through, &v, &w)) {
            best->d_sq = 0.0;
            best->point_a = best->point_b = v3_add(face->origin, through);
            return true;
        }
    }
    return false;
}

static bool try_faces(const Vec3 own[3], const Vec3 other[3], bool swapped, double r_sq, Nearest* best) {
    Face faces[2];
    const int count = make_faces(own, faces);
    return try_face(&faces[0], own, other, swapped, r_sq, best) ||
           (count > 1 && try_face(&faces[1], own, other, swapped, r_sq, best));
}

static const int mod3[5] = {0, 1, 2, 0, 1};

// The edge whose two corners lie farther along v than the third: edge k is opposite to corner (k + 2) % 3.
static inline int edge_before(const Vec3 edge[3], Vec3 v) {
    const double h1 = v3_dot(edge[0], v), h2 = -v3_dot(edge[2], v);  // of corners 1 and 2 above corner 0
    const int lowest_of_two = h1 < h2 ? 2 : 0;                       // edge 2 is opposite to corner 1
    const double low = h1 < h2 ? h1 : h2;
    return low < 0.0 ? lowest_of_two : 1;
}

// Two triangles with their edges (edge k runs from corner k to the next).
typedef struct TrianglePair {
    const Vec3 *a, *b;
    Vec3 edge_a[3], edge_b[3];
    double inverse_a[3], inverse_b[3];  // 1 / squared lengths, or 0
    double r_sq;                        // bounds the square of every difference of two corners
} TrianglePair;

static inline bool set_triangle_pair(TrianglePair* pair, const Vec3 a[3], const Vec3 b[3]) {
    pair->a = a;
    pair->b = b;
    pair->r_sq = v3_length_sq(v3_sub(b[0], a[0]));
    for (int i = 0; i < 3; i++) {
        pair->edge_a[i] = v3_sub(a[mod3[i + 1]], a[i]);
        pair->edge_b[i] = v3_sub(b[mod3[i + 1]], b[i]);
        const double la = v3_length_sq(pair->edge_a[i]), lb = v3_length_sq(pair->edge_b[i]);
        pair->r_sq += la + lb;
        pair->inverse_a[i] = inverse_or_zero(la);
        pair->inverse_b[i] = inverse_or_zero(lb);
    }
    pair->r_sq *= 3.0;
    return pair->r_sq < INFINITY;
}

// Edge i of A and edge j of B. Returns true when the distance is settled by a plane between the triangles.
static inline bool try_edges(const TrianglePair* pair, int i, int j, Nearest* best) {
    double s, t;
    const Vec3 *a = pair->a, *b = pair->b;
    const Vec3 v = edge_edge(v3_sub(b[j], a[i]), pair->edge_a[i], pair->edge_b[j], pair->inverse_a[i],
                             pair->inverse_b[j], &s, &t);
    const double v_sq = v3_length_sq(v);
    if (!(v_sq <= best->d_sq)) {
        return false;
    }

    const Vec3 p = point_on_edge(a[i], pair->edge_a[i], a[mod3[i + 1]], s);
    const Vec3 q = point_on_edge(b[j], pair->edge_b[j], b[mod3[j + 1]], t);
    *best = (Nearest){v_sq, p, q};
    return plane_separates(v, v_sq, v3_sub(a[mod3[i + 2]], p), v3_sub(b[mod3[j + 2]], q), pair->r_sq) ||
           plane_separates_all(v, v_sq, a, b, p, q, pair->r_sq);
}

// The likeliest first: edges that face each other, seen along the line of centres and then along the nearest
// points found; the faces; all other pairs of edges. Most are settled by the first
// (separated triangles: 1.5 pairs of edges on average).
static void find_nearest(const TrianglePair* pair, Nearest* best) {
    const Vec3 *a = pair->a, *b = pair->b;
    Vec3 toward = v3_sub(v3_add(v3_add(b[0], b[1]), b[2]), v3_add(v3_add(a[0], a[1]), a[2]));
    unsigned done = 0;

    for (int guess = 0; guess < 3; guess++) {
        const int i = edge_before(pair->edge_a, toward), j = edge_before(pair->edge_b, v3_neg(toward));
        const unsigned bit = 1u << (3 * i + j);
        if ((done & bit) != 0) {
            break;
        }
        done |= bit;
        if (try_edges(pair, i, j, best)) {
            return;
        }
        toward = v3_sub(best->point_b, best->point_a);
    }

    if (try_faces(a, b, false, pair->r_sq, best) || try_faces(b, a, true, pair->r_sq, best)) {
        return;
    }

    for (int k = 0; k < 9; k++) {
        if ((done & 1u << k) == 0 && try_edges(pair, k / 3, k % 3, best)) {
            return;
        }
    }
}

// Nearer than rounding can tell, of differences (r_sq) and of the points themselves, is touching.
static inline double touching_is_zero(double d_sq, double r_sq, Vec3 p) {
    const double touch = TOUCH_ULPS * BI_ULP;
    return d_sq <= touch * touch * (r_sq + v3_length_sq(p)) ? 0.0 : d_sq;
}

double bi_triangle_distance_sq(const Vec3 a[3], const Vec3 b[3], Vec3* point_a, Vec3* point_b) {
    TrianglePair pair;
    Nearest best = {INFINITY, a[0], b[0]};
    const bool finite = set_triangle_pair(&pair, a, b);
    if (finite) {
        find_nearest(&pair, &best);
    }

    *point_a = best.point_a;
    *point_b = best.point_b;
    return finite ? touching_is_zero(best.d_sq, pair.r_sq, best.point_a) : NAN;
}

// ---- a quick proof of separation -----------------------------------------------------------------------

static inline double least_of(double x, double y, double z) {
    const double low = x < y ? x : y;
    return low < z ? low : z;
}

static inline double most_of(double x, double y, double z) {
    const double high = x > y ? x : y;
    return high > z ? high : z;
}

static inline bool axis_separates(Vec3 axis, const Vec3 a[3], const Vec3 b[3], double gap_and_slack) {
    const double a0 = v3_dot(axis, a[0]), a1 = v3_dot(axis, a[1]), a2 = v3_dot(axis, a[2]);
    const double b0 = v3_dot(axis, b[0]), b1 = v3_dot(axis, b[1]), b2 = v3_dot(axis, b[2]);
    const double forth = least_of(b0, b1, b2) - most_of(a0, a1, a2);
    const double back = least_of(a0, a1, a2) - most_of(b0, b1, b2);

    const double room = forth > back ? forth : back;
    const double axis_sq = v3_length_sq(axis);
    return axis_sq > AXIS_MIN_SQ && room > 0.0 && room * room > gap_and_slack * gap_and_slack * axis_sq;
}

bool bi_triangles_apart(const Vec3 a[3], const Vec3 b[3], double gap) {
    Vec3 high = v3_max(v3_max(v3_abs(a[0]), v3_abs(a[1])), v3_abs(a[2]));
    high = v3_max(high, v3_max(v3_max(v3_abs(b[0]), v3_abs(b[1])), v3_abs(b[2])));
    const double size = high.x + high.y + high.z;
    const double need = (gap < 0.0 ? 0.0 : gap) + BI_AXIS_SLACK * size;

    // NaN: v3_max may lose one, a sum does not.
    const Vec3 sum_a = v3_add(v3_add(a[0], a[1]), a[2]), sum_b = v3_add(v3_add(b[0], b[1]), b[2]);
    if (!(need < 1e150) || !v3_finite(sum_a) || !v3_finite(sum_b)) {
        return false;
    }

    if (axis_separates(v3_sub(sum_b, sum_a), a, b, need)) {
        return true;
    }

    const Vec3 ea[3] = {v3_sub(a[1], a[0]), v3_sub(a[2], a[1]), v3_sub(a[0], a[2])};
    const Vec3 eb[3] = {v3_sub(b[1], b[0]), v3_sub(b[2], b[1]), v3_sub(b[0], b[2])};
    if (axis_separates(v3_cross(ea[0], ea[1]), a, b, need) ||
        axis_separates(v3_cross(eb[0], eb[1]), a, b, need)) {
        return true;
    }

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (axis_separates(v3_cross(ea[i], eb[j]), a, b, need)) {
                return true;
            }
        }
    }
    return false;
}
