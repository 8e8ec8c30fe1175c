// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// EPA (van den Bergen 2001): how deep the origin lies in the difference set D of two overlapping cores. Hot
// file: fixed arrays, hard caps. A closed surface of triangles grows inside D. Its nearest face says the
// depth is at least `dist`; the support beyond that face says how much it is at most. Growing stops when they
// meet, when an array is full, or when rounding folds the surface; the two bounds are true at any of these.
// Entry: bi_epa_depth.

#include "shape/core.h"

#define EPA_POINTS_MAX 96
#define EPA_FACES_MAX (2 * EPA_POINTS_MAX)
#define EPA_EDGES_MAX 96
/// A point sees a face when it is this many u * scale before it: on discs many points are in one plane up to
/// rounding, and deciding by that would fold the surface (measured: 2 u fold twice as often as 64 u).
#define EPA_SEES_ULPS 64.0
/// Heights below this many u * scale are zero: points of D carry that much rounding.
#define EPA_FLAT_ULPS 16.0

typedef struct EpaFace {
    int corner[3];  // outward winding
    Vec3 normal;    // unit, outward; zero for a face without area, which is never the nearest
    double dist;    // of its plane from the origin
} EpaFace;

typedef struct Surface {
    DiffPoint point[EPA_POINTS_MAX];
    EpaFace face[EPA_FACES_MAX];
    int edge[EPA_EDGES_MAX][2];
    int point_count, face_count, edge_count;
} Surface;

static DiffPoint support_out(CorePair* pair, Vec3 outward) {
    return pair_support(pair, v3_neg(outward), true);
}

static void set_surface_face(Surface* s, EpaFace* face, int i, int j, int k) {
    const Vec3 p = s->point[i].w;
    const Vec3 e0 = v3_sub(s->point[j].w, p), e1 = v3_sub(s->point[k].w, p), n = v3_cross(e0, e1);
    const double nn = v3_length_sq(n);

    face->corner[0] = i;
    face->corner[1] = j;
    face->corner[2] = k;

    if (nn > BI_ULP * BI_ULP * v3_length_sq(e0) * v3_length_sq(e1)) {
        face->normal = v3_scale(n, 1.0 / sqrt(nn));
        // Rounding of the plane is least when it is taken from the corner nearest to the origin.
        const double d0 = v3_dot(face->normal, p), d1 = v3_dot(face->normal, s->point[j].w);
        const double d2 = v3_dot(face->normal, s->point[k].w);
        face->dist = smaller(d0, smaller(d1, d2));
    } else {
        face->normal = v3(0.0, 0.0, 0.0);
        face->dist = INFINITY;
    }
}

// ---- the first tetrahedron -----------------------------------------------------------------------------

// Of the supports along +d and -d, the one that is farther from point 0 along d; its height, unsigned.
static double farther_support(CorePair* pair, Vec3 origin, Vec3 d, DiffPoint* out) {
    const DiffPoint ahead = support_out(pair, d), back = support_out(pair, v3_neg(d));
    const double up = v3_dot(d, v3_sub(ahead.w, origin)), down = v3_dot(d, v3_sub(origin, back.w));
    *out = up >= down ? ahead : back;
    return larger(up, down);
}

// Adds points until four span a volume. Returns false when D is flat, with a unit normal of it.
static bool find_first_tetrahedron(CorePair* pair, Surface* s, double flat, Vec3* flat_normal) {
    static const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    // From one point: the farthest one along an axis.
    if (s->point_count == 1) {
        double best = flat;
        for (int i = 0; i < 3; i++) {
            DiffPoint p;
            const double height = farther_support(pair, s->point[0].w, axes[i], &p);
            if (height > best) {
                best = height;
                s->point[1] = p;
                s->point_count = 2;
            }
        }
    }

    if (s->point_count == 1) {
        *flat_normal = axes[2];
        return false;
    }

    // From two: the farthest one across their line.
    if (s->point_count == 2) {
        const Vec3 d = v3_unit_or(v3_sub(s->point[1].w, s->point[0].w), axes[0]);
        const Vec3 side = v3_any_normal(d), other_side = v3_cross(d, side);
        DiffPoint p, q;
        const double height = farther_support(pair, s->point[0].w, side, &p);
        const double other = farther_support(pair, s->point[0].w, other_side, &q);
        if (!(larger(height, other) > flat)) {
            *flat_normal = side;
            return false;
        }

        s->point[2] = height > other ? p : q;
        s->point_count = 3;
    }

    // From three: the farthest one across their plane.
    if (s->point_count == 3) {
        const Vec3 o = s->point[0].w;
        const Vec3 n = v3_cross(v3_sub(s->point[1].w, o), v3_sub(s->point[2].w, o));
        *flat_normal = v3_unit_or(n, axes[2]);
        if (!(farther_support(pair, o, *flat_normal, &s->point[3]) > flat)) {
            return false;
        }
        s->point_count = 4;
    }

    return true;
}

static int lightest_corner(const double share[3]) {
    if (share[0] < share[1]) {
        return share[0] < share[2] ? 0 : 2;
    }
    return share[1] < share[2] ? 1 : 2;
}

// A triangle from GJK that is nearly a segment gives no normal: go on from its two heaviest corners.
static void load_simplex(Surface* s, const Simplex* start, double flat) {
    s->point_count = start->count;
    s->face_count = s->edge_count = 0;
    for (int i = 0; i < start->count; i++) {
        s->point[i] = start->point[i];
    }

    if (start->count == 3) {
        const Vec3 e0 = v3_sub(s->point[1].w, s->point[0].w), e1 = v3_sub(s->point[2].w, s->point[0].w);
        const Vec3 e2 = v3_sub(e1, e0);
        const double longest_sq = larger(v3_length_sq(e0), larger(v3_length_sq(e1), v3_length_sq(e2)));
        if (!(v3_length_sq(v3_cross(e0, e1)) > flat * flat * longest_sq)) {
            s->point[lightest_corner(start->share)] = s->point[2];
            s->point_count = 2;
        }
    }

    if (s->point_count == 2 && !(v3_distance(s->point[0].w, s->point[1].w) > flat)) {
        s->point_count = 1;
    }
}

static void make_first_faces(Surface* s) {
    const Vec3 o = s->point[0].w;
    const Vec3 n = v3_cross(v3_sub(s->point[1].w, o), v3_sub(s->point[2].w, o));
    const bool right = v3_dot(n, v3_sub(s->point[3].w, o)) > 0.0;
    const int i = 0, j = right ? 1 : 2, k = right ? 2 : 1;

    set_surface_face(s, &s->face[0], i, k, j);
    set_surface_face(s, &s->face[1], i, j, 3);
    set_surface_face(s, &s->face[2], j, k, 3);
    set_surface_face(s, &s->face[3], k, i, 3);
    s->face_count = 4;
}

// ---- growing -------------------------------------------------------------------------------------------

// An edge that two removed faces share is inside the hole; what stays is its rim.
static bool toggle_edge(Surface* s, int from, int to) {
    for (int i = 0; i < s->edge_count; i++) {
        if (s->edge[i][0] == to && s->edge[i][1] == from) {
            s->edge_count--;
            s->edge[i][0] = s->edge[s->edge_count][0];
            s->edge[i][1] = s->edge[s->edge_count][1];
            return true;
        }
    }

    if (s->edge_count >= EPA_EDGES_MAX) {
        return false;
    }

    s->edge[s->edge_count][0] = from;
    s->edge[s->edge_count][1] = to;
    s->edge_count++;
    return true;
}

static bool is_seen_from(const EpaFace* face, Vec3 w, double from) {
    return v3_dot(face->normal, w) > face->dist + from;  // false for a face without area
}

// Adds a point outside the surface: the faces it sees go, a cone from the rim to it comes. The rim need not
// be one ring: a cone over any rim closes the surface, and as the origin is behind every face that goes, the
// surface still goes around it once, even where rounding folds it. False, and nothing changed, when there is
// no room.
static bool grow_surface(Surface* s, const DiffPoint* p, double sees_from) {
    int seen = 0;
    s->edge_count = 0;

    // The rim of the faces it sees.
    for (int f = 0; f < s->face_count; f++) {
        if (is_seen_from(&s->face[f], p->w, sees_from)) {
            const int* c = s->face[f].corner;
            seen++;
            if (!toggle_edge(s, c[0], c[1]) || !toggle_edge(s, c[1], c[2]) || !toggle_edge(s, c[2], c[0])) {
                return false;
            }
        }
    }

    if (s->point_count >= EPA_POINTS_MAX || s->face_count - seen + s->edge_count > EPA_FACES_MAX) {
        return false;
    }

    int kept = 0;
    for (int f = 0; f < s->face_count; f++) {
        if (!is_seen_from(&s->face[f], p->w, sees_from)) {
            s->face[kept++] = s->face[f];
        }
    }

    const int apex = s->point_count++;
    s->point[apex] = *p;
    for (int i = 0; i < s->edge_count; i++) {
        set_surface_face(s, &s->face[kept++], s->edge[i][0], s->edge[i][1], apex);
    }
    s->face_count = kept;
    return true;
}

static int nearest_face(const Surface* s) {
    int best = 0;
    for (int f = 1; f < s->face_count; f++) {
        if (s->face[f].dist < s->face[best].dist) {
            best = f;
        }
    }
    return best;
}

// D has no volume, so the least push is along its normal, and of no length.
static void answer_flat(CorePair* pair, Vec3 normal, BerthGap* gap) {
    const double up = v3_dot(normal, pair_support(pair, normal, true).w);
    const double down = -v3_dot(normal, pair_support(pair, v3_neg(normal), true).w);
    gap->normal = up >= down ? normal : v3_neg(normal);
    gap->lower = larger(up, down);
    gap->upper = 0.0;
}

bool bi_epa_depth(CorePair* pair, const Simplex* start, BerthGap* gap) {
    Surface s;
    const double flat = EPA_FLAT_ULPS * BI_ULP * pair->scale, tiny = 2.0 * BI_ULP * pair->scale;
    const double sees_from = EPA_SEES_ULPS * BI_ULP * pair->scale;
    Vec3 flat_normal;

    load_simplex(&s, start, flat);
    if (!find_first_tetrahedron(pair, &s, flat, &flat_normal)) {
        answer_flat(pair, flat_normal, gap);
        return true;
    }

    make_first_faces(&s);
    double depth_most = INFINITY, depth_least = -INFINITY;
    int steps = 0;

    for (; steps < EPA_POINTS_MAX; steps++) {
        const EpaFace face = s.face[nearest_face(&s)];
        if (!(face.dist >= -flat)) {
            break;  // the origin is not inside, or rounding has folded the surface over it
        }
        depth_least = larger(depth_least, face.dist);

        const DiffPoint point = support_out(pair, face.normal);
        const double reach = v3_dot(face.normal, point.w);
        if (reach < depth_most) {
            depth_most = reach;
            gap->normal = v3_neg(face.normal);  // pushing B this way by `depth_most` parts the two for sure
        }

        if (!(reach - face.dist > BI_GJK_RELATIVE * reach + tiny) || !grow_surface(&s, &point, sees_from)) {
            break;
        }
    }

    gap->iterations = steps;
    gap->upper = depth_least > 0.0 ? -depth_least : 0.0;
    gap->lower = smaller(-depth_most, gap->upper);
    return depth_least > -INFINITY;
}
