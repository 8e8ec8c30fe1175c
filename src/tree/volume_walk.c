// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The walk over two trees of volumes: sphere trees, RSS trees, or one of them and a shape, in any mixture.
// Depth first, nearest child first. A child may protrude from its parent (compact spheres), but its contents
// do not: the bound of a pair is the larger of its own and its parent's. Leaves fall through to triangles, so
// answers are those of the mesh.
// Entry: bi_volume_walk.

#include "math/math.h"
#include "shape/gap.h"
#include "tree/rss.h"
#include "tree/sphere.h"
#include "tree/walk.h"

// Every level of either tree leaves at most arity - 1 pairs behind it.
enum { STACK_MAX = (SPHERE_DEPTH_MAX + RSS_DEPTH_MAX) * SPHERE_ARITY_MAX, MEASURED = 64 };

typedef enum VolumeKind { VOLUME_SPHERE = 0, VOLUME_RSS, VOLUME_SHAPE, VOLUME_KIND_COUNT } VolumeKind;

/// One of the two solids as the walk sees it. A shape is one leaf.
typedef struct Side {
    VolumeKind kind;
    const BerthSolid* solid;
    const SphereNode* spheres;
    const RssNode* rss;
} Side;

typedef struct VolumePair {
    int32_t a, b;
    double bound;
    Vec3 centre;  // of B's sphere, in A's frame
} VolumePair;

typedef struct VolumeWalk {
    Walk* walk;
    Side a, b;
    Pose b_from_a;
    double best;    // upper for which the direction below was turned
    Vec3 normal_b;  // the direction of the best pair, in B's frame
    double shift;   // what B's origin is ahead along it
    uint64_t
        measured[MEASURED];  // pairs of triangles that need no second look: a triangle has several leaves
} VolumeWalk;

typedef double (*VolumeGap)(const VolumeWalk* v, const VolumePair* p);

static Side side_of(const BerthTreeQuery* query, const BerthSolid* solid) {
    Side side = {.kind = VOLUME_SHAPE, .solid = solid};
    const SphereTree* spheres =
        solid->is_mesh && query->engine == BERTH_ENGINE_SPHERES ? bi_tree_query_spheres(query, solid) : NULL;
    if (spheres != NULL) {
        side.kind = VOLUME_SPHERE;
        side.spheres = spheres->nodes;
    } else if (solid->is_mesh) {
        side.kind = VOLUME_RSS;
        side.rss = solid_rss(solid)->nodes;
    }
    return side;
}

static int32_t side_children(const Side* side, int32_t node, int32_t* first) {
    switch (side->kind) {
    case VOLUME_SPHERE:
        *first = side->spheres[node].child;
        return side->spheres[node].count;
    case VOLUME_RSS:
        *first = side->rss[node].child;
        return rss_is_leaf(&side->rss[node]) ? 0 : 2;
    default:
        return 0;
    }
}

static double side_size(const Side* side, int32_t node) {
    if (side->kind == VOLUME_SPHERE) {
        return side->spheres[node].radius;
    }
    return side->kind == VOLUME_RSS ? rss_size(&side->rss[node]) : 0.0;
}

static int32_t side_triangle(const Side* side, int32_t leaf) {
    return side->kind == VOLUME_SPHERE ? sphere_triangle(&side->spheres[leaf])
                                       : solid_rss(side->solid)->source[rss_leaf(&side->rss[leaf])];
}

// ---- gaps of two volumes: labelled by A, then B --------------------------------------------------------------

static inline double sphere_sphere(const VolumeWalk* v, const VolumePair* p) {
    const SphereNode* a = &v->a.spheres[p->a];
    return v3_distance(a->centre, p->centre) - a->radius - v->b.spheres[p->b].radius;
}

static double sphere_rss(const VolumeWalk* v, const VolumePair* p) {
    const SphereNode* a = &v->a.spheres[p->a];
    return bi_rss_ball_gap(&v->b.rss[p->b], pose_apply(&v->b_from_a, a->centre), a->radius);
}

static double rss_sphere(const VolumeWalk* v, const VolumePair* p) {
    return bi_rss_ball_gap(&v->a.rss[p->a], p->centre, v->b.spheres[p->b].radius);
}

static double rss_rss(const VolumeWalk* v, const VolumePair* p) {
    return bi_rss_gap(&v->a.rss[p->a], &v->b.rss[p->b], v->walk->a_from_b);
}

static double ball_shape_gap(const BerthShape* shape, Vec3 centre, double radius, double stop_above) {
    const BerthShape ball = {.kind = BERTH_SPHERE, .as.sphere.radius = radius};
    const Pose at = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, centre};
    return bi_shape_gap(shape, &ball, &at, stop_above).lower;
}

static double sphere_shape(const VolumeWalk* v, const VolumePair* p) {
    const SphereNode* a = &v->a.spheres[p->a];
    return ball_shape_gap(&v->b.solid->shape, pose_apply(&v->b_from_a, a->centre), a->radius, v->walk->cut);
}

static double shape_sphere(const VolumeWalk* v, const VolumePair* p) {
    return ball_shape_gap(&v->a.solid->shape, p->centre, v->b.spheres[p->b].radius, v->walk->cut);
}

static double rss_shape(const VolumeWalk* v, const VolumePair* p) {
    return bi_rss_shape_gap(&v->a.rss[p->a], &v->b.solid->shape, v->walk->a_from_b, v->walk->cut);
}

static double shape_rss(const VolumeWalk* v, const VolumePair* p) {
    return bi_rss_shape_gap(&v->b.rss[p->b], &v->a.solid->shape, &v->b_from_a, v->walk->cut);
}

// ---- leaves ----------------------------------------------------------------------------------------------------

// True when this pair was measured before; remembers it.
static bool mark_measured(VolumeWalk* v, int32_t a, int32_t b) {
    const uint64_t key = (uint64_t)(uint32_t)(a + 1) << 32 | (uint32_t)b;
    uint64_t* place = &v->measured[((uint32_t)a * 31u + (uint32_t)b) % MEASURED];
    if (*place == key) {
        return true;
    }
    *place = key;
    return false;
}

// The direction of the best pair so far separates most other pairs by more than the cut (docs/theory/tree.md).
static bool try_best_direction(VolumeWalk* v, const Vec3 ta[3], const Vec3 tb[3]) {
    const Walk* walk = v->walk;
    const Vec3 n = walk->out->normal;

    if (v->best != walk->out->upper) {
        v->best = walk->out->upper;
        v->normal_b = pose_turn_back(walk->a_from_b, n);
        v->shift = v3_dot(n, walk->a_from_b->t);
    }

    const double high = fmax(v3_dot(n, ta[0]), fmax(v3_dot(n, ta[1]), v3_dot(n, ta[2])));
    const double low =
        fmin(v3_dot(v->normal_b, tb[0]), fmin(v3_dot(v->normal_b, tb[1]), v3_dot(v->normal_b, tb[2])));
    return low + v->shift - high > walk->cut + walk->request->slack;
}

static void test_leaves(VolumeWalk* v, int32_t a, int32_t b) {
    const bool a_is_mesh = v->a.kind != VOLUME_SHAPE;
    const bool b_is_mesh = v->b.kind != VOLUME_SHAPE;
    const int32_t ia = a_is_mesh ? side_triangle(&v->a, a) : 0;
    const int32_t ib = b_is_mesh ? side_triangle(&v->b, b) : 0;
    if (mark_measured(v, ia, ib)) {
        return;
    }

    Vec3 ta[3];
    Vec3 tb[3];
    if (a_is_mesh) {
        mesh_triangle(v->a.solid->mesh, ia, ta);
    }
    if (b_is_mesh) {
        mesh_triangle(v->b.solid->mesh, ib, tb);
    }

    if (!a_is_mesh || !b_is_mesh) {
        bi_walk_test_shape(v->walk, a_is_mesh ? ta : tb, a_is_mesh ? ia : ib);
    } else if (!try_best_direction(v, ta, tb)) {
        bi_walk_test_triangles(v->walk, ta, tb, ia, ib);
    }
}

/// Which side of a pair is opened, and its children.
typedef struct Opening {
    bool open_a, other_is_leaf;
    int32_t first, count;
} Opening;

// ---- the walk --------------------------------------------------------------------------------------------------

/// The side that is at a leaf while the other is opened: its triangle, in A's frame, when spheres are compared with it.
typedef struct Facing {
    bool used;
    Vec3 triangle[3];
} Facing;

static Facing facing_leaf(const VolumeWalk* v, const VolumePair* top, bool open_a) {
    const Side* leaf = open_a ? &v->b : &v->a;
    const Side* opened = open_a ? &v->a : &v->b;
    Facing facing = {.used = leaf->kind != VOLUME_SHAPE && opened->kind == VOLUME_SPHERE};
    if (facing.used) {
        mesh_triangle(leaf->solid->mesh, side_triangle(leaf, open_a ? top->b : top->a), facing.triangle);
        for (int k = 0; open_a && k < 3; ++k) {
            facing.triangle[k] = pose_apply(v->walk->a_from_b, facing.triangle[k]);
        }
    }

    return facing;
}

// A sphere against the triangle itself: a leaf's ball is round, what is in it is flat.
static double facing_gap(const VolumeWalk* v, const VolumePair* p, bool open_a, const Facing* facing) {
    const Vec3 centre = open_a ? v->a.spheres[p->a].centre : p->centre;
    const double radius = open_a ? v->a.spheres[p->a].radius : v->b.spheres[p->b].radius;

    Vec3 nearest;
    return sqrt(bi_point_triangle_distance_sq(centre, facing->triangle, &nearest)) - radius;
}

// Puts the children of one side with the other on the stack, nearest on top. Returns the new count.
static inline int32_t open_volume_pair(const VolumeWalk* v, const VolumePair* top, const Opening* o,
                                       VolumeGap gap, VolumePair* stack, int32_t count) {
    const int32_t base = count;
    const bool turn = v->b.kind == VOLUME_SPHERE && (!o->open_a || v->walk->query->plain_centres);

    Facing facing = {.used = false};
    if (o->other_is_leaf) {
        facing = facing_leaf(v, top, o->open_a);
    }

    v->walk->out->counters.bv_tests += o->count;
    for (int32_t i = o->first; i < o->first + o->count; ++i) {
        VolumePair pair = *top;
        if (o->open_a) {
            pair.a = i;
        } else {
            pair.b = i;
        }
        if (turn) {
            pair.centre = pose_apply(v->walk->a_from_b, v->b.spheres[pair.b].centre);
        }

        double own = gap(v, &pair);
        if (facing.used && !(own > v->walk->cut)) {
            own = fmax(own, facing_gap(v, &pair, o->open_a, &facing));
        }

        pair.bound = own > pair.bound ? own : pair.bound;
        if (pair.bound > v->walk->cut) {
            continue;
        }

        int32_t at = count++;
        for (; at > base && stack[at - 1].bound < pair.bound; --at) {
            stack[at] = stack[at - 1];
        }
        stack[at] = pair;
    }

    return count;
}

static inline bool walk_with(VolumeWalk* v, VolumeGap gap) {
    Walk* walk = v->walk;
    VolumePair stack[STACK_MAX];
    int32_t count = 0;

    stack[count++] = (VolumePair){.bound = -INFINITY};
    if (v->b.kind == VOLUME_SPHERE) {
        stack[0].centre = pose_apply(walk->a_from_b, v->b.spheres[0].centre);
    }

    while (count > 0 && !walk_is_done(walk)) {
        const VolumePair top = stack[--count];
        if (top.bound > walk->cut) {
            continue;
        }

        if (walk->nodes_left-- <= 0) {
            return false;
        }

        int32_t first_a = 0;
        int32_t first_b = 0;
        const int32_t children_a = side_children(&v->a, top.a, &first_a);
        const int32_t children_b = side_children(&v->b, top.b, &first_b);
        if (children_a == 0 && children_b == 0) {
            test_leaves(v, top.a, top.b);
            continue;
        }

        // Never a leaf, else the bigger volume: it depends on the volumes only.
        const bool open_a =
            children_b == 0 || (children_a > 0 && side_size(&v->a, top.a) >= side_size(&v->b, top.b));
        const Opening opening = {open_a, (open_a ? children_b : children_a) == 0, open_a ? first_a : first_b,
                                 open_a ? children_a : children_b};

        BI_ASSERT(count + SPHERE_ARITY_MAX <= STACK_MAX);
        count = open_volume_pair(v, &top, &opening, gap, stack, count);
    }
    return true;
}

static bool walk_spheres(VolumeWalk* v) {
    return walk_with(v, sphere_sphere);
}

bool bi_volume_walk(Walk* walk) {
    // Rows: A. Columns: B. Two shapes have no trees and do not come here.
    static const VolumeGap gaps[VOLUME_KIND_COUNT][VOLUME_KIND_COUNT] = {
        [VOLUME_SPHERE] = {sphere_sphere, sphere_rss, sphere_shape},
        [VOLUME_RSS] = {rss_sphere, rss_rss, rss_shape},
        [VOLUME_SHAPE] = {shape_sphere, shape_rss, NULL},
    };
    VolumeWalk v = {.walk = walk,
                    .a = side_of(walk->query, walk->a),
                    .b = side_of(walk->query, walk->b),
                    .b_from_a = pose_inverse(walk->a_from_b),
                    .best = -1.0};
    if (v.a.kind == VOLUME_SPHERE && v.b.kind == VOLUME_SPHERE) {
        return walk_spheres(&v);
    }

    const VolumeGap gap = gaps[v.a.kind][v.b.kind];
    return gap != NULL && walk_with(&v, gap);
}
