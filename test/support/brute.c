// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Gaps of parts by slow means: a min-norm search over all subsets of a simplex for convex cores (spheres and capsules
// are points and segments with a radius), all pairs of features for triangles, solid angles for containment.

#include "support/brute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- vectors ------------------------------------------------------------------------------------------------

Lv lv(Real x, Real y, Real z) {
    return (Lv){x, y, z};
}

Lv lv_sub(Lv a, Lv b) {
    return lv(a.x - b.x, a.y - b.y, a.z - b.z);
}

Lv lv_add(Lv a, Lv b) {
    return lv(a.x + b.x, a.y + b.y, a.z + b.z);
}

Lv lv_scale(Lv a, Real s) {
    return lv(a.x * s, a.y * s, a.z * s);
}

Real lv_dot(Lv a, Lv b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

Real lv_length(Lv a) {
    return sqrtl(lv_dot(a, a));
}

static Lv lv_cross(Lv a, Lv b) {
    return lv(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

Lv lv_of(BerthVec3 a) {
    return lv(a.x, a.y, a.z);
}

Lpose lpose_of(const BerthPose* pose) {
    return (Lpose){lv_of(pose->x), lv_of(pose->y), lv_of(pose->z), lv_of(pose->t)};
}

static Lv turn(const Lpose* pose, Lv p) {
    return lv_add(lv_add(lv_scale(pose->x, p.x), lv_scale(pose->y, p.y)), lv_scale(pose->z, p.z));
}

// The transposed rotation.
static Lv unturn(const Lpose* pose, Lv p) {
    return lv(lv_dot(pose->x, p), lv_dot(pose->y, p), lv_dot(pose->z, p));
}

Lv lpose_apply(const Lpose* pose, Lv p) {
    return lv_add(turn(pose, p), pose->t);
}

Lpose lpose_multiply(const Lpose* a, const Lpose* b) {
    return (Lpose){turn(a, b->x), turn(a, b->y), turn(a, b->z), lpose_apply(a, b->t)};
}

// ---- parts --------------------------------------------------------------------------------------------------

static void* grab(size_t count, size_t size) {
    void* block = calloc(count == 0 ? 1 : count, size);
    if (block == NULL) {
        abort();
    }
    return block;
}

static BrutePart with_points(int kind, const BerthVec3* points, int32_t count) {
    BrutePart part = {.kind = kind, .point_count = count};
    part.points = grab((size_t)count, sizeof *part.points);
    part.corners = grab((size_t)count, sizeof *part.corners);
    memcpy(part.points, points, (size_t)count * sizeof *points);
    return part;
}

BrutePart brute_shape(const BerthShape* shape) {
    BrutePart part = {0};
    if (shape->kind == BERTH_TRIANGLE) {
        part = with_points(BERTH_TRIANGLE, shape->as.triangle.point, 3);
    } else if (shape->kind == BERTH_BOX) {
        const BerthVec3 h = shape->as.box.half;
        BerthVec3 corners[8];
        for (int k = 0; k < 8; ++k) {
            corners[k] = (BerthVec3){k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z};
        }
        part = with_points(BERTH_BOX, corners, 8);
    }
    part.kind = (int)shape->kind;
    part.shape = *shape;
    return part;
}

BrutePart brute_hull(const BerthVec3* points, int32_t count) {
    return with_points(BERTH_HULL, points, count);
}

static int32_t root_of(int32_t* parent, int32_t i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

// One vertex of each connected piece, vertices at equal places being one.
static void find_pieces(BrutePart* part) {
    int32_t* parent = grab((size_t)part->point_count, sizeof *parent);
    for (int32_t i = 0; i < part->point_count; ++i) {
        parent[i] = i;
        for (int32_t k = 0; part->point_count < 2000 && k < i; ++k) {
            const BerthVec3 p = part->points[i];
            const BerthVec3 q = part->points[k];
            if (p.x == q.x && p.y == q.y && p.z == q.z) {
                parent[i] = k;
                break;
            }
        }
    }
    for (int32_t t = 0; t < part->triangle_count; ++t) {
        const int32_t* v = part->triangles + 3 * t;
        parent[root_of(parent, v[1])] = root_of(parent, v[0]);
        parent[root_of(parent, v[2])] = root_of(parent, v[0]);
    }
    bool* seen = grab((size_t)part->point_count, sizeof *seen);
    part->pieces = grab((size_t)part->point_count, sizeof *part->pieces);
    for (int32_t t = 0; t < part->triangle_count; ++t) {
        const int32_t root = root_of(parent, part->triangles[3 * t]);
        if (!seen[root]) {
            seen[root] = true;
            part->pieces[part->piece_count++] = part->triangles[3 * t];
        }
    }
    free(seen);
    free(parent);
}

BrutePart brute_mesh(const BerthVec3* points, int32_t point_count, const int32_t* triangles,
                     int32_t triangle_count, bool closed) {
    BrutePart part = with_points(BRUTE_MESH, points, point_count);
    part.triangle_count = triangle_count;
    part.closed = closed;
    part.triangles = grab((size_t)triangle_count * 3, sizeof *part.triangles);
    memcpy(part.triangles, triangles, (size_t)triangle_count * 3 * sizeof *triangles);
    part.middles = grab((size_t)triangle_count, sizeof *part.middles);
    part.widths = grab((size_t)triangle_count, sizeof *part.widths);
    part.quick = grab((size_t)triangle_count * 4, sizeof *part.quick);
    find_pieces(&part);
    return part;
}

BrutePart brute_solid(const BerthSolid* solid) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    if (mesh != NULL) {
        const BerthMeshInfo info = berth_mesh_info(mesh);
        return brute_mesh(berth_mesh_vertices(mesh), info.vertex_count, berth_mesh_triangles(mesh),
                          info.triangle_count, info.watertight);
    }
    return brute_shape(berth_solid_shape(solid));
}

void brute_free_part(BrutePart* part) {
    free(part->points);
    free(part->triangles);
    free(part->pieces);
    free(part->corners);
    free(part->middles);
    free(part->widths);
    free(part->quick);
    *part = (BrutePart){0};
}

static Real round_radius(const BrutePart* part) {
    const BerthShape* s = &part->shape;
    switch (part->kind) {
    case BERTH_SPHERE:
        return s->as.sphere.radius;
    case BERTH_CAPSULE:
        return (Real)s->as.capsule.radius + (Real)s->as.capsule.length / 2;
    case BERTH_CYLINDER:
        return hypotl(s->as.cylinder.radius, (Real)s->as.cylinder.length / 2);
    case BERTH_CONE:
        return hypotl(s->as.cone.radius, (Real)s->as.cone.length / 2);
    default:
        return INFINITY;
    }
}

static void pose_triangles(BrutePart* part) {
    for (int32_t t = 0; t < part->triangle_count; ++t) {
        const int32_t* v = part->triangles + 3 * t;
        const Lv a = part->corners[v[0]];
        const Lv b = part->corners[v[1]];
        const Lv c = part->corners[v[2]];
        const Lv m = lv_scale(lv_add(lv_add(a, b), c), 1.0L / 3);
        part->middles[t] = m;
        part->widths[t] =
            fmaxl(lv_length(lv_sub(a, m)), fmaxl(lv_length(lv_sub(b, m)), lv_length(lv_sub(c, m)))) *
            (1 + 1e-12L);
        double* quick = part->quick + 4 * t;
        quick[0] = (double)m.x;
        quick[1] = (double)m.y;
        quick[2] = (double)m.z;
        quick[3] = (double)part->widths[t];
    }
}

void brute_pose_part(BrutePart* part, const Lpose* world_from_body) {
    part->world = lpose_multiply(world_from_body, &part->body_from_part);
    part->centre = part->world.t;
    part->radius = round_radius(part);
    if (part->point_count > 0) {
        Lv sum = lv(0, 0, 0);
        for (int32_t i = 0; i < part->point_count; ++i) {
            part->corners[i] = lpose_apply(&part->world, lv_of(part->points[i]));
            sum = lv_add(sum, part->corners[i]);
        }
        part->centre = lv_scale(sum, 1.0L / part->point_count);
        part->radius = 0;
        for (int32_t i = 0; i < part->point_count; ++i) {
            part->radius = fmaxl(part->radius, lv_length(lv_sub(part->corners[i], part->centre)));
        }
    }
    part->radius *= 1 + 1e-12L;
    part->reach = lv_length(part->centre) + (isfinite(part->radius) ? part->radius : 0);
    pose_triangles(part);
}

// ---- convex cores -------------------------------------------------------------------------------------------

// What is left of a part when its rounding is taken off: what spheres and capsules add to a point or a segment.
static Real rounding(const BrutePart* part) {
    return part->kind == BERTH_SPHERE    ? (Real)part->shape.as.sphere.radius
           : part->kind == BERTH_CAPSULE ? (Real)part->shape.as.capsule.radius
                                         : 0;
}

static Lv farthest_of(const Lv* points, int32_t count, Lv d) {
    int32_t best = 0;
    Real most = -INFINITY;
    for (int32_t i = 0; i < count; ++i) {
        const Real along = lv_dot(points[i], d);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return points[best];
}

// The farthest point of the core along d.
static Lv farthest(const BrutePart* part, Lv d) {
    if (part->point_count > 0) {
        return farthest_of(part->corners, part->point_count, d);
    }
    const Lv l = unturn(&part->world, d);
    const Real flat = hypotl(l.x, l.y);
    Lv p = lv(0, 0, 0);
    if (part->kind == BERTH_CAPSULE) {
        p.z = (l.z < 0 ? -0.5L : 0.5L) * (Real)part->shape.as.capsule.length;
    } else if (part->kind == BERTH_CYLINDER) {
        const Real r = part->shape.as.cylinder.radius;
        p = flat > 0 ? lv(r * l.x / flat, r * l.y / flat, 0) : p;
        p.z = (l.z < 0 ? -0.5L : 0.5L) * (Real)part->shape.as.cylinder.length;
    } else if (part->kind == BERTH_CONE) {
        const Real r = part->shape.as.cone.radius;
        const Real half = 0.5L * (Real)part->shape.as.cone.length;
        const Lv rim = flat > 0 ? lv(r * l.x / flat, r * l.y / flat, -half) : lv(0, 0, -half);
        p = lv_dot(rim, l) > half * l.z ? rim : lv(0, 0, half);
    }
    return lpose_apply(&part->world, p);
}

Real brute_width(const BrutePart* a, const BrutePart* b, Lv n) {
    const Lv back = lv_scale(n, -1);
    return lv_dot(lv_sub(farthest(a, n), farthest(b, back)), n) + rounding(a) + rounding(b);
}

typedef struct Simplex {
    Lv a[4], b[4], w[4];  // w = a - b
    int count;
} Simplex;

// Weights of the point nearest to the origin in the plane of a subset, by elimination with pivots. False when the
// subset is degenerate or the point is not inside of it.
static bool subset_nearest(const Simplex* s, const int* pick, int count, Real* weight) {
    Real m[3][4] = {{0}};
    const int n = count - 1;
    for (int i = 0; i < n; ++i) {
        const Lv ei = lv_sub(s->w[pick[i + 1]], s->w[pick[0]]);
        for (int k = 0; k < n; ++k) {
            m[i][k] = lv_dot(ei, lv_sub(s->w[pick[k + 1]], s->w[pick[0]]));
        }
        m[i][3] = -lv_dot(ei, s->w[pick[0]]);
    }
    for (int i = 0; i < n; ++i) {
        int top = i;
        for (int k = i + 1; k < n; ++k) {
            top = fabsl(m[k][i]) > fabsl(m[top][i]) ? k : top;
        }
        if (!(fabsl(m[top][i]) > 0)) {
            return false;
        }
        for (int c = 0; c < 4; ++c) {
            const Real swap = m[i][c];
            m[i][c] = m[top][c];
            m[top][c] = swap;
        }
        for (int k = 0; k < n; ++k) {
            if (k != i) {
                const Real f = m[k][i] / m[i][i];
                for (int c = 0; c < 4; ++c) {
                    m[k][c] -= f * m[i][c];
                }
            }
        }
    }
    weight[0] = 1;
    bool inside = true;
    for (int i = 0; i < n; ++i) {
        weight[i + 1] = m[i][3] / m[i][i];
        weight[0] -= weight[i + 1];
        inside = inside && weight[i + 1] >= 0;
    }
    return inside && weight[0] >= 0;
}

// The nearest point of the simplex to the origin by trying every subset; keeps the subset. Returns its length.
static Real reduce(Simplex* s, Lv* v, Lv* pa, Lv* pb) {
    Real best = INFINITY;
    Simplex kept = {.count = 0};
    for (int mask = 1; mask < 1 << s->count; ++mask) {
        int pick[4];
        int count = 0;
        for (int i = 0; i < s->count; ++i) {
            if (mask >> i & 1) {
                pick[count++] = i;
            }
        }
        Real weight[4];
        if (!subset_nearest(s, pick, count, weight)) {
            continue;
        }
        Lv qa = lv(0, 0, 0), qb = lv(0, 0, 0), q = lv(0, 0, 0);
        for (int i = 0; i < count; ++i) {
            qa = lv_add(qa, lv_scale(s->a[pick[i]], weight[i]));
            qb = lv_add(qb, lv_scale(s->b[pick[i]], weight[i]));
            q = lv_add(q, lv_scale(s->w[pick[i]], weight[i]));
        }
        const Real length = lv_length(q);
        if (length < best) {
            best = length;
            *v = q;
            *pa = qa;
            *pb = qb;
            kept.count = count;
            for (int i = 0; i < count; ++i) {
                kept.a[i] = s->a[pick[i]];
                kept.b[i] = s->b[pick[i]];
                kept.w[i] = s->w[pick[i]];
            }
        }
    }
    *s = kept;
    return best;
}

// Distance of two cores; below some 1e-18 of their size it is an overlap.
static BruteGap core_gap(const BrutePart* a, const BrutePart* b) {
    Simplex s = {.count = 1};
    const Lv start = lv_sub(b->centre, a->centre);
    s.a[0] = farthest(a, start);
    s.b[0] = farthest(b, lv_scale(start, -1));
    s.w[0] = lv_sub(s.a[0], s.b[0]);
    BruteGap gap = {.lower = -INFINITY, .upper = INFINITY};
    Lv v = s.w[0], pa = s.a[0], pb = s.b[0];
    const Real tiny = 1e-18L * (a->radius + b->radius + lv_length(start));
    int stuck = 0;
    for (int round = 0; round < 300; ++round) {
        const Real length = reduce(&s, &v, &pa, &pb);
        if (length < gap.upper) {
            stuck = 0;
            gap.upper = length;
            gap.point_a = pa;
            gap.point_b = pb;
        } else if (++stuck > 3) {
            break;
        }
        if (length <= (s.count == 4 ? 1000 * tiny : tiny)) {
            gap.upper = 0;  // the origin is in the difference
            gap.lower = -INFINITY;
            return gap;
        }
        if (s.count == 4) {
            break;  // too flat to go on: what is known stays true
        }
        const Lv far_a = farthest(a, lv_scale(v, -1));
        const Lv far_b = farthest(b, v);
        const Lv w = lv_sub(far_a, far_b);
        gap.lower = fmaxl(gap.lower, lv_dot(v, w) / length);
        if (gap.upper - gap.lower <= tiny) {
            break;
        }
        s.a[s.count] = far_a;
        s.b[s.count] = far_b;
        s.w[s.count++] = w;
    }
    gap.lower -= tiny;
    return gap;
}

static BruteGap convex_gap(const BrutePart* a, const BrutePart* b) {
    BruteGap gap = core_gap(a, b);
    const Real round = rounding(a) + rounding(b);
    gap.lower -= round;
    gap.upper -= round;
    return gap;
}

// ---- triangles ----------------------------------------------------------------------------------------------

typedef struct Nearest {
    Real sq;
    Lv a, b;
} Nearest;

static void offer(Nearest* best, Lv a, Lv b) {
    const Lv d = lv_sub(a, b);
    const Real sq = lv_dot(d, d);
    if (sq < best->sq) {
        *best = (Nearest){sq, a, b};
    }
}

static Lv on_segment(Lv p, Lv a, Lv b) {
    const Lv ab = lv_sub(b, a);
    const Real sq = lv_dot(ab, ab);
    const Real t = sq > 0 ? lv_dot(lv_sub(p, a), ab) / sq : 0;
    return t <= 0 ? a : t >= 1 ? b : lv_add(a, lv_scale(ab, t));
}

static void offer_edges(Nearest* best, Lv p, Lv q, Lv r, Lv s) {
    offer(best, p, on_segment(p, r, s));
    offer(best, q, on_segment(q, r, s));
    offer(best, on_segment(r, p, q), r);
    offer(best, on_segment(s, p, q), s);
    const Lv u = lv_sub(q, p), v = lv_sub(s, r), w = lv_sub(p, r);
    const Lv n = lv_cross(u, v);
    const Real nn = lv_dot(n, n);
    if (nn > 0) {
        const Real t = lv_dot(lv_cross(v, w), n) / nn;
        const Real k = lv_dot(lv_cross(u, w), n) / nn;
        if (t > 0 && t < 1 && k > 0 && k < 1) {
            offer(best, lv_add(p, lv_scale(u, t)), lv_add(r, lv_scale(v, k)));
        }
    }
}

// Is p, which is in the triangle's plane or projected into it, within the triangle?
static bool within(Lv p, const Lv* t, Lv n) {
    for (int k = 0; k < 3; ++k) {
        const Lv edge = lv_sub(t[(k + 1) % 3], t[k]);
        if (!(lv_dot(lv_cross(edge, lv_sub(p, t[k])), n) >= 0)) {
            return false;
        }
    }
    return true;
}

// Corners of one triangle over the other's face, and its edges through it.
static void offer_face(Nearest* best, const Lv* of, const Lv* face, bool swapped) {
    const Lv n = lv_cross(lv_sub(face[1], face[0]), lv_sub(face[2], face[0]));
    const Real nn = lv_dot(n, n);
    if (!(nn > 0)) {
        return;
    }
    Real height[3];
    for (int k = 0; k < 3; ++k) {
        height[k] = lv_dot(lv_sub(of[k], face[0]), n);
        const Lv foot = lv_sub(of[k], lv_scale(n, height[k] / nn));
        if (within(foot, face, n)) {
            offer(best, swapped ? foot : of[k], swapped ? of[k] : foot);
        }
    }
    for (int k = 0; k < 3; ++k) {
        const int m = (k + 1) % 3;
        if ((height[k] > 0 && height[m] < 0) || (height[k] < 0 && height[m] > 0)) {
            const Real t = height[k] / (height[k] - height[m]);
            const Lv p = lv_add(of[k], lv_scale(lv_sub(of[m], of[k]), t));
            if (within(p, face, n)) {
                offer(best, p, p);
            }
        }
    }
}

static void offer_triangles(Nearest* best, const Lv* a, const Lv* b) {
    offer_face(best, a, b, false);
    offer_face(best, b, a, true);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            offer_edges(best, a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3]);
        }
    }
}

static void corners_of(const BrutePart* mesh, int32_t t, Lv out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = mesh->corners[mesh->triangles[3 * t + k]];
    }
}

int brute_winding(const BrutePart* mesh, Lv point) {
    Real sum = 0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        Lv p[3];
        Real l[3];
        corners_of(mesh, t, p);
        for (int k = 0; k < 3; ++k) {
            p[k] = lv_sub(p[k], point);
            l[k] = lv_length(p[k]);
        }
        const Real det = lv_dot(p[0], lv_cross(p[1], p[2]));
        const Real low = l[0] * l[1] * l[2] + lv_dot(p[0], p[1]) * l[2] + lv_dot(p[1], p[2]) * l[0] +
                         lv_dot(p[2], p[0]) * l[1];
        sum += 2 * atan2l(det, low);
    }
    return (int)lrintl(sum / (4 * 3.14159265358979323846264338327950288L));
}

static bool is_inside(const BrutePart* mesh, Lv point) {
    return mesh->closed && lv_length(lv_sub(point, mesh->centre)) <= mesh->radius &&
           brute_winding(mesh, point) != 0;
}

static const BruteGap overlap = {.lower = -INFINITY, .upper = 0};

// Squared distance of two middles, in double. The first look is for leaving out what is far: it may be off by this share of
// the largest coordinate, which is far above rounding and far below what it leaves out.
#define QUICK_SLACK 1e-12L
static double quick_sq(const double* a, const double* b) {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

// Middles are points of their triangles: the gap is not larger than between the nearest two.
static Real nearest_middles(const BrutePart* a, const BrutePart* b) {
    double least = INFINITY;
    for (int32_t i = 0; i < a->triangle_count; ++i) {
        for (int32_t k = 0; k < b->triangle_count; ++k) {
            least = fmin(least, quick_sq(a->quick + 4 * i, b->quick + 4 * k));
        }
    }
    return sqrtl((Real)least);
}

static BruteGap mesh_mesh_gap(const BrutePart* a, const BrutePart* b) {
    Nearest best = {.sq = INFINITY};
    const Real off = QUICK_SLACK * (a->reach + b->reach);
    Real limit = nearest_middles(a, b) + off;
    for (int32_t i = 0; i < a->triangle_count; ++i) {
        if (lv_length(lv_sub(a->middles[i], b->centre)) - a->widths[i] - b->radius > limit) {
            continue;
        }
        Lv ta[3];
        corners_of(a, i, ta);
        for (int32_t k = 0; k < b->triangle_count; ++k) {
            const double reach = (double)(limit + off + a->widths[i] + b->widths[k]);
            if (quick_sq(a->quick + 4 * i, b->quick + 4 * k) > reach * reach) {
                continue;
            }
            Lv tb[3];
            corners_of(b, k, tb);
            offer_triangles(&best, ta, tb);
            limit = fminl(limit, sqrtl(best.sq));
            if (limit == 0) {
                return overlap;
            }
        }
    }
    limit = sqrtl(best.sq);
    for (int32_t i = 0; i < b->piece_count; ++i) {
        if (is_inside(a, b->corners[b->pieces[i]])) {
            return overlap;
        }
    }
    for (int32_t i = 0; i < a->piece_count; ++i) {
        if (is_inside(b, a->corners[a->pieces[i]])) {
            return overlap;
        }
    }
    const Real slack = 1e-18L * (a->radius + b->radius + lv_length(lv_sub(a->centre, b->centre)));
    return (BruteGap){limit - slack, limit, best.a, best.b};
}

static BrutePart one_triangle(const BrutePart* mesh, int32_t t, Lv corners[3]) {
    corners_of(mesh, t, corners);
    return (BrutePart){.kind = BERTH_TRIANGLE,
                       .point_count = 3,
                       .corners = corners,
                       .centre = mesh->middles[t],
                       .radius = mesh->widths[t]};
}

static BruteGap convex_mesh_gap(const BrutePart* a, const BrutePart* mesh) {
    const Real round = rounding(a);
    if (is_inside(mesh, a->centre)) {
        BruteGap in = overlap;
        in.upper -= round;
        return in;
    }
    const Real off = QUICK_SLACK * (a->reach + mesh->reach);
    BruteGap best = {.lower = INFINITY, .upper = INFINITY};
    for (int pass = 0; pass < 2; ++pass) {  // the likely nearest one first
        int32_t first = 0;
        Real nearest = INFINITY;
        for (int32_t t = 0; t < mesh->triangle_count; ++t) {
            const double at[3] = {(double)a->centre.x, (double)a->centre.y, (double)a->centre.z};
            const Real apart =
                (Real)sqrt(quick_sq(mesh->quick + 4 * t, at)) - mesh->widths[t] - off;  // or further
            if (pass == 0) {
                first = apart < nearest ? t : first;
                nearest = fminl(nearest, apart);
                continue;
            }
            if (apart - a->radius > best.upper) {
                continue;
            }
            Lv corners[3];
            const BrutePart triangle = one_triangle(mesh, t, corners);
            const BruteGap gap = convex_gap(a, &triangle);
            best.lower = fminl(best.lower, gap.lower);
            if (gap.upper < best.upper) {
                best.upper = gap.upper;
                best.point_a = gap.point_a;
                best.point_b = gap.point_b;
            }
            if (gap.upper <= -round) {
                return best;
            }
        }
        if (pass == 0) {
            Lv corners[3];
            const BrutePart triangle = one_triangle(mesh, first, corners);
            best = convex_gap(a, &triangle);
        }
    }
    // A sphere or capsule whose core is clear of the surface is as deep as it reaches over it: see brute.h.
    return best;
}

// ---- half-spaces --------------------------------------------------------------------------------------------

// Where the half-space is, its normal carried as planes are (by the inverse transposed, which is not quite R).
static Real posed_plane(const BrutePart* part, Lv* normal) {
    const Lpose* p = &part->world;
    const Lv n = lv_of(part->shape.as.halfspace.normal);
    const Lv yz = lv_cross(p->y, p->z), zx = lv_cross(p->z, p->x), xy = lv_cross(p->x, p->y);
    const Real det = lv_dot(p->x, yz);
    const Lv m = lv_scale(lv_add(lv_add(lv_scale(yz, n.x), lv_scale(zx, n.y)), lv_scale(xy, n.z)), 1 / det);
    const Real length = lv_length(m);
    *normal = lv_scale(m, 1 / length);
    return (Real)part->shape.as.halfspace.offset / length + lv_dot(*normal, p->t);
}

static BruteGap plane_gap(const BrutePart* plane, const BrutePart* b) {
    Lv n;
    const Real offset = posed_plane(plane, &n);
    if (b->kind == BERTH_HALFSPACE) {
        Lv m;
        const Real other = posed_plane(b, &m);
        if (lv_length(lv_add(n, m)) > 1e-14L) {
            return (BruteGap){.lower = -INFINITY, .upper = -INFINITY};
        }
        return (BruteGap){.lower = -INFINITY, .upper = -(offset + other)};
    }
    const Lv deepest = farthest(b, lv_scale(n, -1));
    const Real gap = lv_dot(deepest, n) - offset - rounding(b);
    return (BruteGap){gap, gap, lv_sub(deepest, lv_scale(n, gap + rounding(b))), deepest};
}

static BruteGap swapped(BruteGap gap) {
    const Lv a = gap.point_a;
    gap.point_a = gap.point_b;
    gap.point_b = a;
    return gap;
}

BruteGap brute_gap(const BrutePart* a, const BrutePart* b) {
    if (a->kind == BERTH_HALFSPACE) {
        return plane_gap(a, b);
    }
    if (b->kind == BERTH_HALFSPACE) {
        return swapped(plane_gap(b, a));
    }
    if (a->kind == BRUTE_MESH && b->kind == BRUTE_MESH) {
        return mesh_mesh_gap(a, b);
    }
    if (b->kind == BRUTE_MESH) {
        return convex_mesh_gap(a, b);
    }
    return a->kind == BRUTE_MESH ? swapped(convex_mesh_gap(b, a)) : convex_gap(a, b);
}

Real brute_point_gap(const BrutePart* part, Lv point) {
    const BrutePart dot = {.kind = BERTH_TRIANGLE, .point_count = 1, .corners = &point, .centre = point};
    const BruteGap gap = brute_gap(part, &dot);
    return fmaxl(gap.upper, 0);
}
