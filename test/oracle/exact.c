// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Exact oracle, see exact.h. Layers from the bottom: a pool of GMP integers; a Case, that is a list of points
// with one power-of-two scale; sign predicates, where plain doubles answer if their rounding error provably
// cannot change the sign; touching; squared distances as integer ratios; triangles, hulls, meshes on top.
// Distances follow one rule: disjoint convex sets are nearest at vertex-face, edge-edge or vertex-edge pairs,
// and a candidate that does not apply (foot outside, parallel lines) is covered by a lower one.
// One file, because the brief of an oracle is that one can read it from top to bottom and believe it.
#include "exact.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// ---- pool of integers -------------------------------------------------------------------------------------

enum { POOL_SIZE = 512, POINT_MAX = 2 * EXACT_CONVEX_MAX };

typedef struct Pool {
    int used, ready;  // cells below `ready` are initialised, cells below `used` are lent
    mpz_t cell[POOL_SIZE];
} Pool;

static mpz_ptr pool_take(Pool* pool) {
    if (pool->used == POOL_SIZE) {
        abort();
    }
    if (pool->used == pool->ready) {
        mpz_init(pool->cell[pool->ready++]);
    }
    return pool->cell[pool->used++];
}

static void pool_close(Pool* pool) {
    for (int i = 0; i < pool->ready; i++) {
        mpz_clear(pool->cell[i]);
    }
}

typedef struct Vec {
    mpz_ptr x[3];
} Vec;

static Vec vec_take(Pool* pool) {
    Vec v;
    for (int k = 0; k < 3; k++) {
        v.x[k] = pool_take(pool);
    }
    return v;
}

static void vec_sub(Vec out, Vec a, Vec b) {
    for (int k = 0; k < 3; k++) {
        mpz_sub(out.x[k], a.x[k], b.x[k]);
    }
}

static void vec_cross(Vec out, Vec a, Vec b) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        mpz_mul(out.x[k], a.x[i], b.x[j]);
        mpz_submul(out.x[k], a.x[j], b.x[i]);
    }
}

static void vec_dot(mpz_ptr out, Vec a, Vec b) {
    mpz_mul(out, a.x[0], b.x[0]);
    mpz_addmul(out, a.x[1], b.x[1]);
    mpz_addmul(out, a.x[2], b.x[2]);
}

static bool vec_is_zero(Vec a) {
    return mpz_sgn(a.x[0]) == 0 && mpz_sgn(a.x[1]) == 0 && mpz_sgn(a.x[2]) == 0;
}

// ---- doubles to integers, ratios to doubles ---------------------------------------------------------------

// x = *odd * 2^result, with *odd odd or zero.
static long split(double x, int64_t* odd) {
    int exponent;
    int64_t mantissa = (int64_t)ldexp(frexp(x, &exponent), 53);
    if (mantissa == 0) {
        *odd = 0;
        return LONG_MAX;
    }
    int zeros = __builtin_ctzll((unsigned long long)mantissa);
    *odd = mantissa / ((int64_t)1 << zeros);
    return (long)exponent - 53 + zeros;
}

// The largest e so that all values are integers times 2^e (0 if all are zero).
static long common_exponent(const double* values, int count, long least) {
    for (int i = 0; i < count; i++) {
        int64_t odd;
        long e = split(values[i], &odd);
        least = e < least ? e : least;
    }
    return least;
}

static void set_scaled(mpz_ptr out, double x, long exponent) {
    int64_t odd;
    long e = split(x, &odd);
    mpz_set_si(out, (long)odd);
    if (odd != 0) {
        mpz_mul_2exp(out, out, (mp_bitcnt_t)(e - exponent));
    }
}

typedef struct Bracket {
    double lower, upper, nearest;
} Bracket;

static Bracket bracket_of_mantissa(double mantissa, bool exact, bool round_up, long exponent) {
    Bracket out;
    int e = (int)exponent;
    out.lower = ldexp(mantissa, e);
    out.upper = exact ? out.lower : ldexp(mantissa + 1, e);
    out.nearest = round_up ? out.upper : out.lower;
    if (isinf(out.lower)) {
        out.lower = DBL_MAX;
        out.upper = (double)INFINITY;
    } else if (out.upper < 2 * DBL_MIN && ldexp(out.lower, -e) != mantissa) {  // ldexp itself rounded
        out.lower = out.lower > 0 ? nextafter(out.lower, 0) : 0;
        out.upper = nextafter(out.upper, (double)INFINITY);
        out.nearest = out.nearest > 0 ? out.nearest : DBL_TRUE_MIN;
    }
    return out;
}

// Bracket of num / den * 2^exponent, or of its square root; num >= 0, den > 0, exponent even if `root`.
static Bracket bracket_of_ratio(mpz_srcptr num, mpz_srcptr den, long exponent, bool root) {
    if (mpz_sgn(num) == 0) {
        return (Bracket){0, 0, 0};
    }
    mpz_t q, r, shifted;
    mpz_inits(q, r, shifted, NULL);
    // Shift so that the truncated quotient (or its root) keeps at least 64 bits.
    long shift = (root ? 132 : 66) - ((long)mpz_sizeinbase(num, 2) - (long)mpz_sizeinbase(den, 2));
    shift += root && shift % 2 != 0;
    if (shift >= 0) {
        mpz_mul_2exp(shifted, num, (mp_bitcnt_t)shift);
        mpz_tdiv_qr(q, r, shifted, den);
    } else {
        mpz_mul_2exp(shifted, den, (mp_bitcnt_t)-shift);
        mpz_tdiv_qr(q, r, num, shifted);
    }
    bool exact = mpz_sgn(r) == 0;
    exponent -= shift;
    if (root) {
        mpz_sqrtrem(q, r, q);
        exact = exact && mpz_sgn(r) == 0;
        exponent /= 2;
    }
    mp_bitcnt_t drop = mpz_sizeinbase(q, 2) - 53;
    exact = exact && mpz_scan1(q, 0) >= drop;
    bool round_up = !exact && mpz_tstbit(q, drop - 1) != 0;
    mpz_tdiv_q_2exp(q, q, drop);
    Bracket out = bracket_of_mantissa(mpz_get_d(q), exact, round_up, exponent + (long)drop);
    mpz_clears(q, r, shifted, NULL);
    return out;
}

static double nearest_of_ratio(mpz_ptr num, mpz_srcptr den, long exponent) {
    bool negative = mpz_sgn(num) < 0;
    mpz_abs(num, num);
    double value = bracket_of_ratio(num, den, exponent, false).nearest;
    return negative ? -value : value;
}

// ---- a list of points with one scale ----------------------------------------------------------------------

typedef struct Case {
    const double* given;  // the points as doubles, null if they only exist as integers
    int count;
    bool loaded;    // point[] is filled
    long exponent;  // true coordinate = point * 2^exponent
    Vec point[POINT_MAX];
    Pool pool;
} Case;

static void case_open(Case* c, const double* given, int count) {
    c->given = given;
    c->count = count;
    c->loaded = false;
    c->pool.used = c->pool.ready = 0;
}

static void case_load(Case* c) {
    if (c->loaded) {
        return;
    }
    c->exponent = common_exponent(c->given, 3 * c->count, LONG_MAX);
    if (c->exponent == LONG_MAX) {
        c->exponent = 0;
    }
    for (int i = 0; i < c->count; i++) {
        c->point[i] = vec_take(&c->pool);
        for (int k = 0; k < 3; k++) {
            set_scaled(c->point[i].x[k], c->given[3 * i + k], c->exponent);
        }
    }
    c->loaded = true;
}

// Points 0..2 from a as they are, 3..5 = rot b + t, all in integers.
static void case_open_posed(Case* c, const double a[9], const double b[9], const double rot[9],
                            const double t[3]) {
    case_open(c, NULL, 6);
    long fixed = common_exponent(t, 3, common_exponent(a, 9, LONG_MAX));
    long rot_exponent = common_exponent(rot, 9, LONG_MAX), b_exponent = common_exponent(b, 9, LONG_MAX);
    rot_exponent = rot_exponent == LONG_MAX ? 0 : rot_exponent;
    b_exponent = b_exponent == LONG_MAX ? 0 : b_exponent;
    long product = rot_exponent + b_exponent;
    c->exponent = fixed < product ? fixed : product;
    mpz_ptr r = pool_take(&c->pool), x = pool_take(&c->pool);
    for (int i = 0; i < 6; i++) {
        c->point[i] = vec_take(&c->pool);
        for (int k = 0; k < 3; k++) {
            mpz_ptr out = c->point[i].x[k];
            set_scaled(out, i < 3 ? a[3 * i + k] : t[k], c->exponent);
            for (int j = 0; i >= 3 && j < 3; j++) {
                set_scaled(r, rot[3 * k + j], rot_exponent);
                set_scaled(x, b[3 * (i - 3) + j], b_exponent);
                mpz_mul(x, x, r);
                mpz_mul_2exp(x, x, (mp_bitcnt_t)(product - c->exponent));
                mpz_add(out, out, x);
            }
        }
    }
    c->loaded = true;
}

// ---- signs ------------------------------------------------------------------------------------------------

// A double determinant is believed when it exceeds 32 (16) unit roundoffs of the sum of its absolute terms:
// the entries are differences with one rounding each, and every term meets at most nine (five) roundings in
// all. The two range limits keep overflow and underflow out of that argument.
static const double filter_relative = 32 * DBL_EPSILON / 2;
static const double filter_largest = 1e90;
static const double filter_smallest = 1e-220;

static int sign_of(double x) {
    return (x > 0) - (x < 0);
}

static int trusted_sign(double det, double sum, double largest) {
    bool trusted =
        largest < filter_largest && fabs(det) > filter_smallest && fabs(det) > filter_relative * sum;
    return trusted ? sign_of(det) : 0;
}

// Sign of det[u v w], 0 if unknown. Entries carry at most one rounding.
static int filter_det3(const double u[3], const double v[3], const double w[3]) {
    double det = 0, sum = 0, largest = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double left = v[i] * w[j], right = v[j] * w[i];
        det += u[k] * (left - right);
        sum += fabs(u[k]) * (fabs(left) + fabs(right));
        largest = fmax(largest, fmax(fabs(u[k]), fmax(fabs(v[k]), fabs(w[k]))));
    }
    return trusted_sign(det, sum, largest);
}

static void difference(const Case* c, double out[3], int i, int from) {
    for (int k = 0; k < 3; k++) {
        out[k] = c->given[3 * i + k] - c->given[3 * from + k];
    }
}

// Sign of det[u, pj - pi, pk - pi]
static int exact_det3(Case* c, Vec u, int i, int j, int k) {
    int mark = c->pool.used;
    Vec v = vec_take(&c->pool), w = vec_take(&c->pool), n = vec_take(&c->pool);
    mpz_ptr det = pool_take(&c->pool);
    vec_sub(v, c->point[j], c->point[i]);
    vec_sub(w, c->point[k], c->point[i]);
    vec_cross(n, v, w);
    vec_dot(det, u, n);
    c->pool.used = mark;
    return mpz_sgn(det);
}

// On which side of the plane (i j k) point l lies: positive where (pj-pi) x (pk-pi) points to.
static int side(Case* c, int i, int j, int k, int l) {
    if (c->given) {
        double u[3], v[3], w[3];
        difference(c, u, l, i);
        difference(c, v, j, i);
        difference(c, w, k, i);
        int sign = filter_det3(u, v, w);
        if (sign != 0) {
            return sign;
        }
    }
    case_load(c);
    int mark = c->pool.used;
    Vec u = vec_take(&c->pool);
    vec_sub(u, c->point[l], c->point[i]);
    int sign = exact_det3(c, u, i, j, k);
    c->pool.used = mark;
    return sign;
}

static int filter_turn(const Case* c, int axis, int i, int j, int k) {
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    double u[3], v[3];
    difference(c, u, j, i);
    difference(c, v, k, i);
    double left = u[x] * v[y], right = u[y] * v[x];
    double largest = fmax(fmax(fabs(u[x]), fabs(u[y])), fmax(fabs(v[x]), fabs(v[y])));
    return trusted_sign(left - right, fabs(left) + fabs(right), largest);
}

static int exact_turn(Case* c, int axis, int i, int j, int k) {
    case_load(c);
    int mark = c->pool.used, x = (axis + 1) % 3, y = (axis + 2) % 3;
    Vec u = vec_take(&c->pool), v = vec_take(&c->pool);
    mpz_ptr det = pool_take(&c->pool);
    vec_sub(u, c->point[j], c->point[i]);
    vec_sub(v, c->point[k], c->point[i]);
    mpz_mul(det, u.x[x], v.x[y]);
    mpz_submul(det, u.x[y], v.x[x]);
    c->pool.used = mark;
    return mpz_sgn(det);
}

// Sign of component `axis` of (pj-pi) x (pk-pi): the turn seen along that axis.
static int turn(Case* c, int axis, int i, int j, int k) {
    int sign = c->given ? filter_turn(c, axis, i, j, k) : 0;
    return sign != 0 ? sign : exact_turn(c, axis, i, j, k);
}

// An axis along which the three points are seen as a proper triangle, -1 if they are on one line.
static int open_axis(Case* c, int i, int j, int k) {
    for (int axis = 0; c->given && axis < 3; axis++) {
        if (filter_turn(c, axis, i, j, k) != 0) {
            return axis;
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        if (exact_turn(c, axis, i, j, k) != 0) {
            return axis;
        }
    }
    return -1;
}

static int compare(Case* c, int i, int j, int axis) {
    if (c->given) {
        double x = c->given[3 * i + axis], y = c->given[3 * j + axis];
        return (x > y) - (x < y);
    }
    return mpz_cmp(c->point[i].x[axis], c->point[j].x[axis]);
}

// ---- touching ---------------------------------------------------------------------------------------------

// Do the boxes of segments pq and rs meet? Decides for segments on one line.
static bool boxes_meet(Case* c, int p, int q, int r, int s) {
    for (int axis = 0; axis < 3; axis++) {
        int low_a = compare(c, p, q, axis) <= 0 ? p : q, low_b = compare(c, r, s, axis) <= 0 ? r : s;
        int high_a = p + q - low_a, high_b = r + s - low_b;
        if (compare(c, high_a, low_b, axis) < 0 || compare(c, high_b, low_a, axis) < 0) {
            return false;
        }
    }
    return true;
}

// Segments in one plane that `axis` sees as a plane, or on one line.
static bool flat_segments_touch(Case* c, int axis, int p, int q, int r, int s) {
    int pq_r = turn(c, axis, p, q, r), pq_s = turn(c, axis, p, q, s);
    int rs_p = turn(c, axis, r, s, p), rs_q = turn(c, axis, r, s, q);
    if (pq_r * pq_s > 0 || rs_p * rs_q > 0) {
        return false;
    }
    bool one_line = pq_r == 0 && pq_s == 0 && rs_p == 0 && rs_q == 0;
    return !one_line || boxes_meet(c, p, q, r, s);
}

static bool segments_touch(Case* c, int p, int q, int r, int s) {
    if (!boxes_meet(c, p, q, r, s) || side(c, p, q, r, s) != 0) {
        return false;
    }
    const int triple[4][3] = {{p, q, r}, {p, q, s}, {r, s, p}, {r, s, q}};
    for (int i = 0; i < 4; i++) {
        int axis = open_axis(c, triple[i][0], triple[i][1], triple[i][2]);
        if (axis >= 0) {
            return flat_segments_touch(c, axis, p, q, r, s);
        }
    }
    // No proper triple: every point of one segment is on the line of the other unless that one is a point.
    return boxes_meet(c, p, q, r, s);
}

static bool one_sign(int a, int b, int c) {
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

static bool segment_touches_triangle(Case* k, int p, int q, int a, int b, int c) {
    int axis = open_axis(k, a, b, c);
    if (axis < 0) {  // a needle or a point is the union of its edges
        return segments_touch(k, p, q, a, b) || segments_touch(k, p, q, b, c) ||
               segments_touch(k, p, q, c, a);
    }
    int side_p = side(k, a, b, c, p), side_q = side(k, a, b, c, q);
    if (side_p * side_q > 0) {
        return false;
    }
    if (side_p != 0 || side_q != 0) {  // the line pq meets the plane in one point of the segment
        return one_sign(side(k, p, q, a, b), side(k, p, q, b, c), side(k, p, q, c, a));
    }
    return one_sign(turn(k, axis, a, b, p), turn(k, axis, b, c, p), turn(k, axis, c, a, p)) ||
           flat_segments_touch(k, axis, p, q, a, b) || flat_segments_touch(k, axis, p, q, b, c) ||
           flat_segments_touch(k, axis, p, q, c, a);
}

// Triangles 0 1 2 and 3 4 5 touch iff an edge of one touches the other: two crossing planes share a segment
// whose ends are on edges, and in one plane containment puts every edge inside.
static bool triangles_touch(Case* c) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (segment_touches_triangle(c, i, j, 3, 4, 5) ||
            segment_touches_triangle(c, 3 + i, 3 + j, 0, 1, 2)) {
            return true;
        }
    }
    return false;
}

// Strictly on one side of the other's plane: settles most pairs before the six edge tests repeat these signs.
static bool plane_separates(Case* c, int face, int other) {
    int s = side(c, face, face + 1, face + 2, other);
    return s != 0 && s == side(c, face, face + 1, face + 2, other + 1) &&
           s == side(c, face, face + 1, face + 2, other + 2);
}

static bool case_triangles_touch(Case* c) {
    return !plane_separates(c, 0, 3) && !plane_separates(c, 3, 0) && triangles_touch(c);
}

// ---- squared distances ------------------------------------------------------------------------------------

// The nearest pair found so far: squared distance num / den in units of 4^exponent, and where it was found.
typedef enum FeatureKind { VERTEX_FACE, EDGE_EDGE, VERTEX_EDGE } FeatureKind;

typedef struct Feature {
    FeatureKind kind;
    int index[4];  // vertex then face or edge; or two edges
} Feature;

typedef struct Nearest {
    bool found;
    mpz_ptr num, den;
    Feature feature;
} Nearest;

// Scratch of the three candidates. Positions on the features are weight / den.
typedef struct Scratch {
    Vec u, v, w, n, m;
    mpz_ptr num, den, weight[2], product[2];
} Scratch;

static Scratch scratch_take(Pool* pool) {
    Scratch s = {vec_take(pool), vec_take(pool), vec_take(pool), vec_take(pool), vec_take(pool),
                 NULL,           NULL,           {NULL, NULL},   {NULL, NULL}};
    s.num = pool_take(pool);
    s.den = pool_take(pool);
    for (int i = 0; i < 2; i++) {
        s.weight[i] = pool_take(pool);
        s.product[i] = pool_take(pool);
    }
    return s;
}

static Nearest nearest_take(Pool* pool) {
    Nearest best = {false, pool_take(pool), pool_take(pool), {VERTEX_FACE, {0}}};
    return best;
}

static void nearest_keep(Nearest* best, const Scratch* s, Feature feature) {
    if (best->found) {
        mpz_mul(s->product[0], s->num, best->den);
        mpz_mul(s->product[1], best->num, s->den);
        if (mpz_cmp(s->product[0], s->product[1]) >= 0) {
            return;
        }
    }
    best->found = true;
    mpz_set(best->num, s->num);
    mpz_set(best->den, s->den);
    best->feature = feature;
}

// (w . n)^2 / n . n, with n . n in den already.
static void plane_distance(const Scratch* s) {
    vec_dot(s->num, s->w, s->n);
    mpz_mul(s->num, s->num, s->num);
}

// Foot of p in the plane of a b c is a + (weight0 (b-a) + weight1 (c-a)) / den; false if outside or no plane.
static bool vertex_face(const Case* k, const Scratch* s, const int f[4]) {
    vec_sub(s->u, k->point[f[2]], k->point[f[1]]);
    vec_sub(s->v, k->point[f[3]], k->point[f[1]]);
    vec_sub(s->w, k->point[f[0]], k->point[f[1]]);
    vec_cross(s->n, s->u, s->v);
    if (vec_is_zero(s->n)) {
        return false;
    }
    vec_cross(s->m, s->w, s->v);
    vec_dot(s->weight[0], s->m, s->n);
    if (mpz_sgn(s->weight[0]) < 0) {
        return false;
    }
    vec_cross(s->m, s->u, s->w);
    vec_dot(s->weight[1], s->m, s->n);
    if (mpz_sgn(s->weight[1]) < 0) {
        return false;
    }
    vec_dot(s->den, s->n, s->n);
    mpz_add(s->num, s->weight[0], s->weight[1]);
    if (mpz_cmp(s->num, s->den) > 0) {
        return false;
    }
    plane_distance(s);
    return true;
}

// Common perpendicular of p q and r t, from s u - t v + k n = w with n = u x v; false if it misses a segment.
static bool edge_edge(const Case* k, const Scratch* s, const int f[4]) {
    vec_sub(s->u, k->point[f[1]], k->point[f[0]]);
    vec_sub(s->v, k->point[f[3]], k->point[f[2]]);
    vec_sub(s->w, k->point[f[2]], k->point[f[0]]);
    vec_cross(s->n, s->u, s->v);
    if (vec_is_zero(s->n)) {
        return false;
    }
    vec_dot(s->den, s->n, s->n);
    vec_cross(s->m, s->w, s->v);
    vec_dot(s->weight[0], s->m, s->n);
    if (mpz_sgn(s->weight[0]) < 0 || mpz_cmp(s->weight[0], s->den) > 0) {
        return false;
    }
    vec_cross(s->m, s->w, s->u);
    vec_dot(s->weight[1], s->m, s->n);
    if (mpz_sgn(s->weight[1]) < 0 || mpz_cmp(s->weight[1], s->den) > 0) {
        return false;
    }
    plane_distance(s);
    return true;
}

// Nearest point of the segment a b to p is a + weight0 (b-a) / den. Always applies.
static void vertex_edge(const Case* k, const Scratch* s, const int f[4]) {
    vec_sub(s->u, k->point[f[2]], k->point[f[1]]);
    vec_sub(s->w, k->point[f[0]], k->point[f[1]]);
    vec_dot(s->weight[0], s->w, s->u);
    vec_dot(s->den, s->u, s->u);
    if (mpz_sgn(s->weight[0]) <= 0) {
        mpz_set_ui(s->weight[0], 0);
        mpz_set_ui(s->den, 1);
        vec_dot(s->num, s->w, s->w);
    } else if (mpz_cmp(s->weight[0], s->den) >= 0) {
        mpz_set_ui(s->weight[0], 1);
        mpz_set_ui(s->den, 1);
        vec_sub(s->w, s->w, s->u);
        vec_dot(s->num, s->w, s->w);
    } else {
        vec_dot(s->num, s->w, s->w);
        mpz_mul(s->num, s->num, s->den);
        mpz_submul(s->num, s->weight[0], s->weight[0]);
    }
}

static void try_vertex_face(const Case* c, const Scratch* s, Nearest* best, int p, const int face[3]) {
    Feature feature = {VERTEX_FACE, {p, face[0], face[1], face[2]}};
    if (vertex_face(c, s, feature.index)) {
        nearest_keep(best, s, feature);
    }
}

static void try_edge_edge(const Case* c, const Scratch* s, Nearest* best, const int e[2], const int f[2]) {
    Feature feature = {EDGE_EDGE, {e[0], e[1], f[0], f[1]}};
    if (edge_edge(c, s, feature.index)) {
        nearest_keep(best, s, feature);
    }
}

static void try_vertex_edge(const Case* c, const Scratch* s, Nearest* best, int p, const int e[2]) {
    Feature feature = {VERTEX_EDGE, {p, e[0], e[1], 0}};
    vertex_edge(c, s, feature.index);
    nearest_keep(best, s, feature);
}

// Over all features of triangles 0 1 2 and 3 4 5. Right for triangles that do not pierce each other.
static Nearest triangles_nearest(Case* c, const Scratch* s) {
    case_load(c);
    Nearest best = nearest_take(&c->pool);
    for (int first = 0; first <= 3; first += 3) {
        int other = 3 - first;
        const int face[3] = {other, other + 1, other + 2};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                const int edge[2] = {other + j, other + (j + 1) % 3},
                          own[2] = {first + i, first + (i + 1) % 3};
                try_vertex_edge(c, s, &best, first + i, edge);
                if (first == 0) {
                    try_edge_edge(c, s, &best, own, edge);
                }
            }
            try_vertex_face(c, s, &best, first + i, face);
        }
    }
    return best;
}

// out = base + (weight0 (tip0 - base) + weight1 (tip1 - base)) / den, rounded. weight1 may be null.
static void round_point(Case* c, double out[3], int base, int tip0, mpz_srcptr weight0, int tip1,
                        mpz_srcptr weight1, mpz_srcptr den) {
    int mark = c->pool.used;
    mpz_ptr value = pool_take(&c->pool), edge = pool_take(&c->pool);
    for (int k = 0; k < 3; k++) {
        mpz_srcptr origin = c->point[base].x[k];
        mpz_mul(value, origin, den);
        mpz_sub(edge, c->point[tip0].x[k], origin);
        mpz_addmul(value, edge, weight0);
        if (weight1) {
            mpz_sub(edge, c->point[tip1].x[k], origin);
            mpz_addmul(value, edge, weight1);
        }
        out[k] = nearest_of_ratio(value, den, c->exponent);
    }
    c->pool.used = mark;
}

// The two nearest points on a feature pair, `first` on the one that holds index[0].
static void round_feature(Case* c, const Scratch* s, Feature feature, double first[3], double second[3]) {
    const int* f = feature.index;
    switch (feature.kind) {
    case VERTEX_FACE:
        vertex_face(c, s, f);
        round_point(c, second, f[1], f[2], s->weight[0], f[3], s->weight[1], s->den);
        break;
    case EDGE_EDGE:
        edge_edge(c, s, f);
        round_point(c, first, f[0], f[1], s->weight[0], 0, NULL, s->den);
        round_point(c, second, f[2], f[3], s->weight[1], 0, NULL, s->den);
        return;
    case VERTEX_EDGE:
        vertex_edge(c, s, f);
        round_point(c, second, f[1], f[2], s->weight[0], 0, NULL, s->den);
        break;
    }
    mpz_set_ui(s->weight[0], 0);
    mpz_set_ui(s->den, 1);
    round_point(c, first, f[0], f[0], s->weight[0], 0, NULL, s->den);
}

// An edge goes through the other triangle and no two features meet: the common point by the heights of its
// ends.
static void round_piercing(Case* c, const Scratch* s, double out[3]) {
    for (int i = 0; i < 6; i++) {
        int first = i < 3 ? 0 : 3, other = 3 - first, p = i, q = first + (i - first + 1) % 3;
        bool crosses = side(c, other, other + 1, other + 2, p) * side(c, other, other + 1, other + 2, q) < 0;
        if (!crosses || !segment_touches_triangle(c, p, q, other, other + 1, other + 2)) {
            continue;
        }
        vec_sub(s->u, c->point[other + 1], c->point[other]);
        vec_sub(s->v, c->point[other + 2], c->point[other]);
        vec_cross(s->n, s->u, s->v);
        vec_sub(s->w, c->point[p], c->point[other]);
        vec_dot(s->weight[0], s->n, s->w);
        vec_sub(s->w, c->point[p], c->point[q]);
        vec_dot(s->den, s->n, s->w);
        if (mpz_sgn(s->den) < 0) {
            mpz_neg(s->den, s->den);
            mpz_neg(s->weight[0], s->weight[0]);
        }
        round_point(c, out, p, q, s->weight[0], 0, NULL, s->den);
        return;
    }
    abort();
}

static Bracket case_triangles_distance(Case* c, double* witness_a, double* witness_b, bool root) {
    bool touching = case_triangles_touch(c);
    if (touching && !witness_a && !witness_b) {
        return (Bracket){0, 0, 0};
    }
    Scratch s = scratch_take(&c->pool);
    Nearest best = triangles_nearest(c, &s);
    double first[3], second[3];
    if (touching && mpz_sgn(best.num) != 0) {
        round_piercing(c, &s, first);
        memcpy(second, first, sizeof first);
    } else if (witness_a || witness_b) {
        round_feature(c, &s, best.feature, first, second);
    }
    bool swapped = best.feature.index[0] >= 3;
    if (witness_a) {
        memcpy(witness_a, swapped ? second : first, sizeof first);
    }
    if (witness_b) {
        memcpy(witness_b, swapped ? first : second, sizeof first);
    }
    return touching ? (Bracket){0, 0, 0} : bracket_of_ratio(best.num, best.den, 2 * c->exponent, root);
}

// ---- triangles --------------------------------------------------------------------------------------------

static void open_two(Case* c, double points[18], const double a[9], const double b[9]) {
    memcpy(points, a, 9 * sizeof *a);
    memcpy(points + 9, b, 9 * sizeof *b);
    case_open(c, points, 6);
}

int exact_triangles_touch(const double a[9], const double b[9]) {
    Case c;
    double points[18];
    open_two(&c, points, a, b);
    bool touch = case_triangles_touch(&c);
    pool_close(&c.pool);
    return touch;
}

int exact_triangles_touch_posed(const double a[9], const double b[9], const double rot_b[9],
                                const double t_b[3]) {
    Case c;
    case_open_posed(&c, a, b, rot_b, t_b);
    bool touch = case_triangles_touch(&c);
    pool_close(&c.pool);
    return touch;
}

static Bracket two_triangles(const double a[9], const double b[9], double* witness_a, double* witness_b,
                             bool root) {
    Case c;
    double points[18];
    open_two(&c, points, a, b);
    Bracket out = case_triangles_distance(&c, witness_a, witness_b, root);
    pool_close(&c.pool);
    return out;
}

double exact_triangles_distance(const double a[9], const double b[9], double witness_a[3],
                                double witness_b[3]) {
    return two_triangles(a, b, witness_a, witness_b, true).nearest;
}

static void give(Bracket value, double* lower, double* upper) {
    *lower = value.lower;
    *upper = value.upper;
}

void exact_triangles_distance_bracket(const double a[9], const double b[9], double* lower, double* upper) {
    give(two_triangles(a, b, NULL, NULL, true), lower, upper);
}

void exact_triangles_distance_posed_bracket(const double a[9], const double b[9], const double rot_b[9],
                                            const double t_b[3], double* lower, double* upper) {
    Case c;
    case_open_posed(&c, a, b, rot_b, t_b);
    give(case_triangles_distance(&c, NULL, NULL, true), lower, upper);
    pool_close(&c.pool);
}

static void corners(double out[9], const double a[3], const double b[3], const double c[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = a[k];
        out[3 + k] = b[k];
        out[6 + k] = c[k];
    }
}

void exact_point_triangle_sq_bracket(const double p[3], const double triangle[9], double* lower,
                                     double* upper) {
    double point[9];
    corners(point, p, p, p);
    give(two_triangles(point, triangle, NULL, NULL, false), lower, upper);
}

void exact_segment_segment_sq_bracket(const double p[3], const double q[3], const double r[3],
                                      const double s[3], double* lower, double* upper) {
    double a[9], b[9];
    corners(a, p, q, q);
    corners(b, r, s, s);
    give(two_triangles(a, b, NULL, NULL, false), lower, upper);
}

int exact_ball_contains(const double c[3], double r, const double p[3]) {
    const double points[9] = {c[0], c[1], c[2], p[0], p[1], p[2], r, 0, 0};
    Case k;
    case_open(&k, points, 3);
    case_load(&k);
    Vec v = vec_take(&k.pool);
    mpz_ptr distance_sq = pool_take(&k.pool), r_sq = pool_take(&k.pool);
    vec_sub(v, k.point[1], k.point[0]);
    vec_dot(distance_sq, v, v);
    vec_dot(r_sq, k.point[2], k.point[2]);
    bool inside = r >= 0 && mpz_cmp(distance_sq, r_sq) <= 0;
    pool_close(&k.pool);
    return inside;
}

// ---- small convex sets ------------------------------------------------------------------------------------

enum {
    FACE_MAX = EXACT_CONVEX_MAX * (EXACT_CONVEX_MAX - 1) * (EXACT_CONVEX_MAX - 2) / 6,
    EDGE_MAX = EXACT_CONVEX_MAX * (EXACT_CONVEX_MAX - 1) / 2
};

// A set of triples and pairs whose triangles and segments cover the boundary (of a solid) or the set (if
// flat).
typedef struct Hull {
    int first, count;  // its points in the case
    int dimension;
    int face_count, edge_count;
    int face[FACE_MAX][3];
    signed char inner[FACE_MAX];  // the side of the face on which a solid lies
    int edge[EDGE_MAX][2];
} Hull;

static int hull_dimension(Case* c, int first, int end) {
    int dimension = 0, found[3] = {first, 0, 0};
    for (int i = first + 1; i < end; i++) {
        bool grows = false;
        if (dimension == 0) {
            grows = compare(c, first, i, 0) || compare(c, first, i, 1) || compare(c, first, i, 2);
        } else if (dimension == 1) {
            grows = open_axis(c, found[0], found[1], i) >= 0;
        } else {
            grows = side(c, found[0], found[1], found[2], i) != 0;
        }
        if (grows && ++dimension == 3) {
            return 3;
        }
        if (grows) {
            found[dimension] = i;
        }
    }
    return dimension;
}

// The side of plane (i j k) that holds all points: 0 if both do.
static int supporting_side(Case* c, const Hull* h, int i, int j, int k) {
    int seen = 0;
    for (int l = h->first; l < h->first + h->count; l++) {
        int s = l == i || l == j || l == k ? 0 : side(c, i, j, k, l);
        if (s * seen < 0) {
            return 0;
        }
        seen = s != 0 ? s : seen;
    }
    return seen;
}

static void hull_add_face(Hull* h, int i, int j, int k, int inner, bool is_edge[POINT_MAX][POINT_MAX]) {
    int* face = h->face[h->face_count];
    face[0] = i;
    face[1] = j;
    face[2] = k;
    h->inner[h->face_count++] = (signed char)inner;
    is_edge[i][j] = is_edge[j][k] = is_edge[i][k] = true;
}

static void hull_build(Hull* h, Case* c, int first, int count) {
    int end = first + count;
    bool is_edge[POINT_MAX][POINT_MAX];
    h->first = first;
    h->count = count;
    h->dimension = hull_dimension(c, first, end);
    h->face_count = h->edge_count = 0;
    for (int i = first; i < end; i++) {
        for (int j = first; j < end; j++) {
            is_edge[i][j] = h->dimension < 3;
        }
    }
    for (int i = first; h->dimension >= 2 && i < end; i++) {
        for (int j = i + 1; j < end; j++) {
            for (int k = j + 1; k < end; k++) {
                if (open_axis(c, i, j, k) < 0) {
                    continue;
                }
                int inner = h->dimension == 3 ? supporting_side(c, h, i, j, k) : 0;
                if (h->dimension == 2 || inner != 0) {
                    hull_add_face(h, i, j, k, inner, is_edge);
                }
            }
        }
    }
    for (int i = first; i < end; i++) {
        for (int j = i + 1; j < end; j++) {
            if (is_edge[i][j]) {
                h->edge[h->edge_count][0] = i;
                h->edge[h->edge_count++][1] = j;
            }
        }
    }
    if (h->edge_count == 0) {  // a single point is an edge of no length
        h->edge[0][0] = h->edge[0][1] = first;
        h->edge_count = 1;
    }
}

static bool hull_holds(Case* c, const Hull* h, int point) {
    for (int f = 0; f < h->face_count; f++) {
        const int* face = h->face[f];
        if (side(c, face[0], face[1], face[2], point) * h->inner[f] < 0) {
            return false;
        }
    }
    return h->dimension == 3;
}

static bool edges_meet_faces(Case* c, const Hull* a, const Hull* b) {
    for (int e = 0; e < a->edge_count; e++) {
        for (int f = 0; f < b->face_count; f++) {
            const int* face = b->face[f];
            if (segment_touches_triangle(c, a->edge[e][0], a->edge[e][1], face[0], face[1], face[2])) {
                return true;
            }
        }
    }
    return false;
}

static bool edges_meet_edges(Case* c, const Hull* a, const Hull* b) {
    for (int e = 0; e < a->edge_count; e++) {
        for (int f = 0; f < b->edge_count; f++) {
            if (segments_touch(c, a->edge[e][0], a->edge[e][1], b->edge[f][0], b->edge[f][1])) {
                return true;
            }
        }
    }
    return false;
}

// Either a point of one is inside the solid other, or the covers meet, and then an edge of one is involved.
static bool hulls_touch(Case* c, const Hull* a, const Hull* b) {
    return hull_holds(c, a, b->first) || hull_holds(c, b, a->first) || edges_meet_faces(c, a, b) ||
           edges_meet_faces(c, b, a) || edges_meet_edges(c, a, b);
}

static void vertices_to_cover(Case* c, const Scratch* s, Nearest* best, const Hull* a, const Hull* b) {
    for (int i = a->first; i < a->first + a->count; i++) {
        for (int f = 0; f < b->face_count; f++) {
            try_vertex_face(c, s, best, i, b->face[f]);
        }
        for (int e = 0; e < b->edge_count; e++) {
            try_vertex_edge(c, s, best, i, b->edge[e]);
        }
    }
}

// Memory of one question about two convex sets: large, so it is on the heap.
typedef struct ConvexCase {
    Case c;
    double points[3 * POINT_MAX];
    Hull a, b;
} ConvexCase;

static ConvexCase* convex_open(const double* a, int count_a, const double* b, int count_b) {
    if (count_a < 1 || count_a > EXACT_CONVEX_MAX || count_b < 1 || count_b > EXACT_CONVEX_MAX) {
        return NULL;
    }
    ConvexCase* k = malloc(sizeof *k);
    if (!k) {
        abort();
    }
    memcpy(k->points, a, 3 * (size_t)count_a * sizeof *a);
    memcpy(k->points + 3 * (size_t)count_a, b, 3 * (size_t)count_b * sizeof *b);
    case_open(&k->c, k->points, count_a + count_b);
    case_load(&k->c);  // before any scratch is marked, so that the points stay
    hull_build(&k->a, &k->c, 0, count_a);
    hull_build(&k->b, &k->c, count_a, count_b);
    return k;
}

static void convex_close(ConvexCase* k) {
    pool_close(&k->c.pool);
    free(k);
}

int exact_convex_distance_bracket(const double* a, int count_a, const double* b, int count_b, double* lower,
                                  double* upper) {
    *lower = *upper = 0;
    ConvexCase* k = convex_open(a, count_a, b, count_b);
    if (!k) {
        return -1;
    }
    bool touching = hulls_touch(&k->c, &k->a, &k->b);
    if (!touching) {
        Scratch s = scratch_take(&k->c.pool);
        Nearest best = nearest_take(&k->c.pool);
        vertices_to_cover(&k->c, &s, &best, &k->a, &k->b);
        vertices_to_cover(&k->c, &s, &best, &k->b, &k->a);
        for (int e = 0; e < k->a.edge_count; e++) {
            for (int f = 0; f < k->b.edge_count; f++) {
                try_edge_edge(&k->c, &s, &best, k->a.edge[e], k->b.edge[f]);
            }
        }
        give(bracket_of_ratio(best.num, best.den, 2 * k->c.exponent, true), lower, upper);
    }
    convex_close(k);
    return touching;
}

// Overlap of the two sets along s->n (either way round), squared over n . n: a candidate for the depth.
static void try_direction(ConvexCase* k, const Scratch* s, Nearest* best) {
    if (vec_is_zero(s->n)) {
        return;
    }
    mpz_ptr low[2] = {s->w.x[0], s->w.x[1]}, high[2] = {s->m.x[0], s->m.x[1]};
    for (int i = 0; i < k->c.count; i++) {
        int which = i >= k->a.count;
        bool first = i == 0 || i == k->a.count;
        vec_dot(s->num, s->n, k->c.point[i]);
        if (first || mpz_cmp(s->num, low[which]) < 0) {
            mpz_set(low[which], s->num);
        }
        if (first || mpz_cmp(s->num, high[which]) > 0) {
            mpz_set(high[which], s->num);
        }
    }
    vec_dot(s->den, s->n, s->n);
    for (int which = 0; which < 2; which++) {
        mpz_sub(s->num, high[which], low[1 - which]);
        mpz_mul(s->num, s->num, s->num);
        nearest_keep(best, s, (Feature){VERTEX_FACE, {0}});
    }
}

static void try_face_normals(ConvexCase* k, const Scratch* s, Nearest* best, const Hull* h) {
    for (int f = 0; f < h->face_count; f++) {
        vec_sub(s->u, k->c.point[h->face[f][1]], k->c.point[h->face[f][0]]);
        vec_sub(s->v, k->c.point[h->face[f][2]], k->c.point[h->face[f][0]]);
        vec_cross(s->n, s->u, s->v);
        try_direction(k, s, best);
    }
}

// All directions of the faces of the difference set: faces of A, faces of B, edge x edge.
static Nearest least_overlap(ConvexCase* k, const Scratch* s) {
    Nearest best = nearest_take(&k->c.pool);
    try_face_normals(k, s, &best, &k->a);
    try_face_normals(k, s, &best, &k->b);
    for (int e = 0; e < k->a.edge_count; e++) {
        for (int f = 0; f < k->b.edge_count; f++) {
            vec_sub(s->u, k->c.point[k->a.edge[e][1]], k->c.point[k->a.edge[e][0]]);
            vec_sub(s->v, k->c.point[k->b.edge[f][1]], k->c.point[k->b.edge[f][0]]);
            vec_cross(s->n, s->u, s->v);
            try_direction(k, s, &best);
        }
    }
    return best;
}

int exact_convex_depth_bracket(const double* a, int count_a, const double* b, int count_b, double* lower,
                               double* upper) {
    *lower = *upper = 0;
    ConvexCase* k = convex_open(a, count_a, b, count_b);
    if (!k) {
        return -1;
    }
    bool touching = hulls_touch(&k->c, &k->a, &k->b);
    if (touching) {
        // A flat difference set has a direction of overlap zero among the candidates, or no candidate at all.
        Scratch s = scratch_take(&k->c.pool);
        Nearest best = least_overlap(k, &s);
        if (best.found) {
            give(bracket_of_ratio(best.num, best.den, 2 * k->c.exponent, true), lower, upper);
        }
    }
    convex_close(k);
    return touching;
}

// ---- meshes -----------------------------------------------------------------------------------------------

static void gather(double out[9], const double* vertices, const int32_t triangle[3]) {
    for (int i = 0; i < 3; i++) {
        memcpy(out + 3 * i, vertices + 3 * (ptrdiff_t)triangle[i], 3 * sizeof *out);
    }
}

// Sign of det[direction, pi - p0, pj - p0]
static int ray_side(Case* c, const int direction[3], int i, int j) {
    double u[3] = {direction[0], direction[1], direction[2]}, v[3], w[3];
    difference(c, v, i, 0);
    difference(c, w, j, 0);
    int sign = filter_det3(u, v, w);
    if (sign != 0) {
        return sign;
    }
    case_load(c);
    int mark = c->pool.used;
    Vec z = vec_take(&c->pool);
    for (int k = 0; k < 3; k++) {
        mpz_set_si(z.x[k], direction[k]);
    }
    sign = exact_det3(c, z, 0, i, j);
    c->pool.used = mark;
    return sign;
}

// Case 0 = p, 1 2 3 = triangle, p not on it. 2 = the ray grazes an edge or corner and cannot be used.
static int signed_crossing(Case* c, const int direction[3]) {
    int s[3] = {ray_side(c, direction, 1, 2), ray_side(c, direction, 2, 3), ray_side(c, direction, 3, 1)};
    if (!one_sign(s[0], s[1], s[2])) {
        return 0;
    }
    if (s[0] == 0 || s[1] == 0 || s[2] == 0) {
        return 2;
    }
    return side(c, 0, 1, 2, 3) == s[0] ? s[0] : 0;  // else the triangle is behind
}

static bool box_misses(const double p[3], const double t[9]) {
    for (int k = 0; k < 3; k++) {
        bool below = p[k] < t[k] && p[k] < t[3 + k] && p[k] < t[6 + k];
        bool above = p[k] > t[k] && p[k] > t[3 + k] && p[k] > t[6 + k];
        if (below || above) {
            return true;
        }
    }
    return false;
}

// Winding number seen along one ray, or EXACT_NO_RAY if it grazes something.
static int winding_along(const double p[3], const double* vertices, const int32_t* triangles, int32_t count,
                         const int direction[3]) {
    int winding = 0;
    for (int32_t i = 0; i < count; i++) {
        double points[12];
        memcpy(points, p, 3 * sizeof *p);
        gather(points + 3, vertices, triangles + 3 * (ptrdiff_t)i);
        Case c;
        case_open(&c, points, 4);
        int crossing = signed_crossing(&c, direction);
        pool_close(&c.pool);
        if (crossing == 2) {
            return EXACT_NO_RAY;
        }
        winding += crossing;
    }
    return winding;
}

int exact_point_in_mesh(const double p[3], const double* vertices, const int32_t* triangles,
                        int32_t triangle_count) {
    double point[9];
    corners(point, p, p, p);
    for (int32_t i = 0; i < triangle_count; i++) {
        double t[9];
        gather(t, vertices, triangles + 3 * (ptrdiff_t)i);
        if (!box_misses(p, t) && exact_triangles_touch(point, t)) {
            return EXACT_ON_SURFACE;
        }
    }
    // Directions from a fixed generator: the same question always has the same answer, and is asked the same
    // way.
    uint64_t seed = 0x9e3779b97f4a7c15u;
    for (int attempt = 0; attempt < 100; attempt++) {
        int direction[3];
        for (int k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            direction[k] = (int)(seed >> 44) - (1 << 19);
        }
        int winding = winding_along(p, vertices, triangles, triangle_count, direction);
        if (winding != EXACT_NO_RAY) {
            return winding;
        }
    }
    return EXACT_NO_RAY;
}

// A box that surely contains a triangle, posed or not.
typedef struct Box {
    double low[3], high[3];
} Box;

// With a pose the corners are computed in double and widened by 8 unit roundoffs of the terms' absolute sum
// (they meet five), plus the smallest normal number for what underflows.
static Box* boxes_of(const double* vertices, const int32_t* triangles, int32_t count, const double* rot,
                     const double* t) {
    Box* box = malloc((size_t)(count > 0 ? count : 1) * sizeof *box);
    if (!box) {
        abort();
    }
    for (int32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            box[i].low[k] = (double)INFINITY;
            box[i].high[k] = -(double)INFINITY;
            for (int corner = 0; corner < 3; corner++) {
                const double* v = vertices + 3 * (ptrdiff_t)triangles[3 * (ptrdiff_t)i + corner];
                double x = v[k], slack = 0;
                if (rot) {
                    const double* r = rot + 3 * k;
                    x = r[0] * v[0] + r[1] * v[1] + r[2] * v[2] + t[k];
                    slack = fabs(r[0] * v[0]) + fabs(r[1] * v[1]) + fabs(r[2] * v[2]) + fabs(t[k]);
                    slack = slack * 8 * DBL_EPSILON + DBL_MIN;
                }
                box[i].low[k] = fmin(box[i].low[k], x - slack);
                box[i].high[k] = fmax(box[i].high[k], x + slack);
            }
        }
    }
    return box;
}

// A lower bound of the distance of two boxes. hypot, because squares would overflow or vanish.
static double box_gap(const Box* a, const Box* b) {
    double gap[3];
    for (int k = 0; k < 3; k++) {
        gap[k] = fmax(fmax(a->low[k] - b->high[k], b->low[k] - a->high[k]), 0);
    }
    return hypot(hypot(gap[0], gap[1]), gap[2]) * (1 - 16 * DBL_EPSILON);
}

static bool box_apart(const Box* a, const Box* b) {
    for (int k = 0; k < 3; k++) {
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) {
            return true;
        }
    }
    return false;
}

typedef struct Soup {
    const double* vertices;
    const int32_t* triangles;
    int32_t count;
} Soup;

static Bracket pair_distance(Soup a, int32_t i, Soup b, int32_t j, const double* rot, const double* t) {
    double ta[9], tb[9];
    Bracket out = {0, 0, 0};
    gather(ta, a.vertices, a.triangles + 3 * (ptrdiff_t)i);
    gather(tb, b.vertices, b.triangles + 3 * (ptrdiff_t)j);
    if (rot) {
        exact_triangles_distance_posed_bracket(ta, tb, rot, t, &out.lower, &out.upper);
    } else {
        exact_triangles_distance_bracket(ta, tb, &out.lower, &out.upper);
    }
    return out;
}

int exact_meshes_touch(const double* vertices_a, const int32_t* triangles_a, int32_t triangle_count_a,
                       const double* vertices_b, const int32_t* triangles_b, int32_t triangle_count_b,
                       const double* rot_b, const double* t_b) {
    Box* box_a = boxes_of(vertices_a, triangles_a, triangle_count_a, NULL, NULL);
    Box* box_b = boxes_of(vertices_b, triangles_b, triangle_count_b, rot_b, t_b);
    int touch = 0;
    for (int32_t i = 0; i < triangle_count_a && !touch; i++) {
        for (int32_t j = 0; j < triangle_count_b && !touch; j++) {
            if (box_apart(&box_a[i], &box_b[j])) {
                continue;
            }
            double ta[9], tb[9];
            gather(ta, vertices_a, triangles_a + 3 * (ptrdiff_t)i);
            gather(tb, vertices_b, triangles_b + 3 * (ptrdiff_t)j);
            touch = rot_b ? exact_triangles_touch_posed(ta, tb, rot_b, t_b) : exact_triangles_touch(ta, tb);
        }
    }
    free(box_a);
    free(box_b);
    return touch;
}

void exact_meshes_distance_bracket(const double* vertices_a, const int32_t* triangles_a,
                                   int32_t triangle_count_a, const double* vertices_b,
                                   const int32_t* triangles_b, int32_t triangle_count_b, const double* rot_b,
                                   const double* t_b, double* lower, double* upper) {
    Soup a = {vertices_a, triangles_a, triangle_count_a}, b = {vertices_b, triangles_b, triangle_count_b};
    Box* box_a = boxes_of(vertices_a, triangles_a, triangle_count_a, NULL, NULL);
    Box* box_b = boxes_of(vertices_b, triangles_b, triangle_count_b, rot_b, t_b);
    Bracket best = {(double)INFINITY, (double)INFINITY, 0};
    // Box centres choose a good first pair; after it the boxes rule out nearly everything.
    int32_t first_a = 0, first_b = 0;
    double least = (double)INFINITY;
    for (int32_t i = 0; i < a.count; i++) {
        for (int32_t j = 0; j < b.count; j++) {
            double far_sq = 0;
            for (int k = 0; k < 3; k++) {
                double d = (box_a[i].low[k] + box_a[i].high[k]) - (box_b[j].low[k] + box_b[j].high[k]);
                far_sq += d * d;
            }
            if (far_sq < least) {
                least = far_sq;
                first_a = i;
                first_b = j;
            }
        }
    }
    if (a.count > 0 && b.count > 0) {
        best = pair_distance(a, first_a, b, first_b, rot_b, t_b);
    }
    for (int32_t i = 0; i < a.count && best.upper > 0; i++) {
        for (int32_t j = 0; j < b.count && best.upper > 0; j++) {
            if (box_gap(&box_a[i], &box_b[j]) > best.upper) {
                continue;
            }
            Bracket pair = pair_distance(a, i, b, j, rot_b, t_b);
            best.lower = fmin(best.lower, pair.lower);
            best.upper = fmin(best.upper, pair.upper);
        }
    }
    free(box_a);
    free(box_b);
    give(best, lower, upper);
}
