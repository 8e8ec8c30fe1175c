// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Builds spherical octrees: breadth first, each node's features selected from its parent's. That is
// sufficient because a child's ball lies inside its parent's: its centre is at most half the radius away, its
// radius is half.
// Entries: bi_octree_build, bi_octree_levels.

#include <math.h>

#include "base/base.h"
#include "math/tolerance.h"
#include "tree/ball_octree.h"

typedef struct Build {
    BallOctreeSurface surface;
    Arena* arena;   // what stays
    Arena scratch;  // what does not
    Vec3* normals;  // of faces, unit
    double slack;   // metres for rounding; a parent has more of it than its children
    BallOctreeNode* nodes;
    double* half;  // edge of each node's cube, halved
    int32_t node_count;
    size_t node_capacity, half_capacity;
    int32_t* pool;  // features of nodes
    size_t pool_count, pool_capacity;
    int32_t* kept;  // features of leaves
    size_t kept_count, kept_capacity;
} Build;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "spherical octree: out of memory");
}

static double point_segment_distance(Vec3 p, Vec3 a, Vec3 b) {
    const Vec3 d = v3_sub(b, a);
    const double along = v3_dot(v3_sub(p, a), d), length_sq = v3_length_sq(d);
    double t = 0.0;
    if (!(along <= 0.0) && length_sq > 0.0) {
        t = along >= length_sq ? 1.0 : along / length_sq;
    }
    return v3_distance(p, v3_mad(a, t, d));
}

// Distance of a point to a convex face.
static double point_face_distance(const Build* build, Vec3 p, int32_t face) {
    const BallOctreeSurface* s = &build->surface;
    const int32_t first = s->first_loop[face], end = s->first_loop[face + 1];
    const Vec3 n = build->normals[face];

    bool inside = true;
    double nearest = INFINITY;

    for (int32_t k = first; k < end; ++k) {
        const Vec3 a = s->vertices[s->loop[k]], b = s->vertices[s->loop[k + 1 < end ? k + 1 : first]];
        inside = inside && v3_dot(v3_cross(n, v3_sub(b, a)), v3_sub(p, a)) >= 0.0;
        nearest = fmin(nearest, point_segment_distance(p, a, b));
    }

    return inside ? fmin(nearest, fabs(v3_dot(n, v3_sub(p, s->vertices[s->loop[first]])))) : nearest;
}

static void find_normals(Build* build) {
    const BallOctreeSurface* s = &build->surface;
    for (int32_t f = 0; f < s->face_count; ++f) {
        const Vec3 origin = s->vertices[s->loop[s->first_loop[f]]];
        Vec3 sum = v3(0.0, 0.0, 0.0);
        for (int32_t k = s->first_loop[f] + 1; k + 1 < s->first_loop[f + 1]; ++k) {
            sum = v3_add(sum, v3_cross(v3_sub(s->vertices[s->loop[k]], origin),
                                       v3_sub(s->vertices[s->loop[k + 1]], origin)));
        }
        build->normals[f] = v3_unit_or(sum, v3(0.0, 0.0, 1.0));
    }
}

// Does feature i of a kind (0 vertex, 1 edge, 2 face) meet the ball?
static bool feature_meets_ball(const Build* build, int kind, int32_t i, Vec3 centre, double radius) {
    const BallOctreeSurface* s = &build->surface;
    if (kind == 0) {
        return !(v3_distance(centre, s->vertices[i]) > radius);
    }
    if (kind == 1) {
        const Vec3 a = s->vertices[s->edges[2 * i]], b = s->vertices[s->edges[2 * i + 1]];
        return !(point_segment_distance(centre, a, b) > radius);
    }
    return !(point_face_distance(build, centre, i) > radius);
}

static BallOctreeType strongest_type(const BallOctreeNode* node) {
    if (node->vertex_count > 0) {
        return BALL_OCTREE_VERTEX;
    }
    if (node->edge_count > 0) {
        return BALL_OCTREE_EDGE;
    }
    return node->face_count > 0 ? BALL_OCTREE_FACE : BALL_OCTREE_NONE;
}

// Adds a node whose features are picked from those of `parent` (-1: all). `*met`: its ball meets the surface.
static BerthStatus add_node(Build* build, int32_t parent, Vec3 centre, double half, int level, bool* met) {
    BallOctreeNode node = {.centre = centre, .first = -1, .level = (uint8_t)level};
    node.radius = half * sqrt(3.0) + build->slack * (BALL_OCTREE_LEVEL_MAX + 1 - level);

    const BallOctreeSurface* s = &build->surface;
    const BallOctreeNode above = parent >= 0 ? build->nodes[parent] : node;
    const int32_t all[3] = {s->vertex_count, s->edge_count, s->face_count};
    const int32_t some[3] = {above.vertex_count, above.edge_count, above.face_count};
    int32_t* const counts[3] = {&node.vertex_count, &node.edge_count, &node.face_count};
    const int32_t* const from = parent >= 0 ? some : all;

    const size_t most = (size_t)from[0] + (size_t)from[1] + (size_t)from[2];
    int32_t* pool = bi_arena_grow(&build->scratch, build->pool, build->pool_count, build->pool_count + most,
                                  &build->pool_capacity, sizeof *pool);
    if (pool == NULL || build->pool_count + most > INT32_MAX) {
        return no_memory();
    }

    build->pool = pool;
    node.items = (int32_t)build->pool_count;
    int32_t place = above.items;

    for (int kind = 0; kind < 3; ++kind) {
        for (int32_t i = 0; i < from[kind]; ++i, ++place) {
            const int32_t feature = parent >= 0 ? pool[place] : i;
            if (feature_meets_ball(build, kind, feature, centre, node.radius)) {
                pool[build->pool_count++] = feature;
                ++*counts[kind];
            }
        }
    }

    node.type = (uint8_t)strongest_type(&node);
    *met = node.type != BALL_OCTREE_NONE;
    if (!*met) {
        return BERTH_OK;
    }

    const size_t count = (size_t)build->node_count;
    BallOctreeNode* nodes =
        bi_arena_grow(&build->scratch, build->nodes, count, count + 1, &build->node_capacity, sizeof *nodes);
    double* halves =
        bi_arena_grow(&build->scratch, build->half, count, count + 1, &build->half_capacity, sizeof *halves);
    if (nodes == NULL || halves == NULL) {
        return no_memory();
    }

    build->nodes = nodes;
    build->half = halves;
    nodes[count] = node;
    halves[count] = half;
    ++build->node_count;
    return BERTH_OK;
}

static BerthStatus split_node(Build* build, int32_t parent) {
    const Vec3 centre = build->nodes[parent].centre;
    const double half = 0.5 * build->half[parent];
    const int level = build->nodes[parent].level + 1;
    const int32_t first = build->node_count;

    for (int octant = 0; octant < 8; ++octant) {
        const Vec3 at = v3(centre.x + (octant & 1 ? half : -half), centre.y + (octant & 2 ? half : -half),
                           centre.z + (octant & 4 ? half : -half));
        bool met = false;
        const BerthStatus status = add_node(build, parent, at, half, level, &met);
        if (status != BERTH_OK) {
            return status;
        }
    }

    BallOctreeNode* node = &build->nodes[parent];
    node->first = first;
    node->count = (uint8_t)(build->node_count - first);
    return BERTH_OK;
}

// A leaf keeps its features. A split node without children meets the surface only outside its cube: other nodes cover
// that, and it stays as an inner node that leads nowhere.
static BerthStatus store_leaves(Build* build, BallOctree* out) {
    for (int32_t i = 0; i < build->node_count; ++i) {
        BallOctreeNode* node = &build->nodes[i];
        const size_t count = (size_t)node->vertex_count + (size_t)node->edge_count + (size_t)node->face_count;

        if (node->first >= 0) {
            node->items = node->vertex_count = node->edge_count = node->face_count = 0;
            continue;
        }

        int32_t* kept = bi_arena_grow(&build->scratch, build->kept, build->kept_count,
                                      build->kept_count + count, &build->kept_capacity, sizeof *kept);
        if (kept == NULL) {
            return no_memory();
        }
        build->kept = kept;

        for (size_t k = 0; k < count; ++k) {
            kept[build->kept_count + k] = build->pool[node->items + (int32_t)k];
        }
        node->items = (int32_t)build->kept_count;
        build->kept_count += count;
        ++out->leaf_count;
    }

    BallOctreeNode* nodes = bi_arena_take(build->arena, (size_t)build->node_count, sizeof *nodes);
    int32_t* items = bi_arena_take(build->arena, build->kept_count + 1, sizeof *items);
    if (nodes == NULL || items == NULL) {
        return no_memory();
    }

    for (int32_t i = 0; i < build->node_count; ++i) {
        nodes[i] = build->nodes[i];
    }
    for (size_t i = 0; i < build->kept_count; ++i) {
        items[i] = build->kept[i];
    }

    out->nodes = nodes;
    out->node_count = build->node_count;
    out->items = items;
    out->item_count = (int32_t)build->kept_count;
    return BERTH_OK;
}

// Splitting a leaf of one corner, one edge or one face only makes more of the same.
static bool worth_splitting(const BallOctreeNode* node) {
    return node->vertex_count > 1 || node->edge_count > 3;
}

static BerthStatus build_octree_nodes(Build* build, int32_t levels, bool homogeneous) {
    const BallOctreeSurface* s = &build->surface;
    Vec3 low = s->vertices[0], high = low;
    for (int32_t i = 1; i < s->vertex_count; ++i) {
        low = v3_min(low, s->vertices[i]);
        high = v3_max(high, s->vertices[i]);
    }

    const Vec3 extent = v3_sub(high, low), farthest = v3_max(v3_abs(low), v3_abs(high));
    const double half = 0.5 * fmax(extent.x, fmax(extent.y, extent.z));
    build->slack = BI_DISTANCE_SLACK * (farthest.x + farthest.y + farthest.z + half);

    bool met = false;
    BerthStatus status = add_node(build, -1, v3_scale(v3_add(low, high), 0.5), half, 0, &met);

    for (int32_t i = 0; i < build->node_count && status == BERTH_OK; ++i) {
        const BallOctreeNode* node = &build->nodes[i];
        if (node->level < levels && (homogeneous || worth_splitting(node))) {
            status = split_node(build, i);
        }
    }

    return status;
}

BerthStatus bi_octree_build(const BallOctreeSurface* surface, int32_t levels, bool homogeneous, Arena* arena,
                            BallOctree* out) {
    *out = (BallOctree){.levels = levels};
    if (surface->vertex_count < 1 || levels < 0 || levels > BALL_OCTREE_LEVEL_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "spherical octree: %d vertices and %d levels; 0 to %d are expected",
                       (int)surface->vertex_count, (int)levels, BALL_OCTREE_LEVEL_MAX);
    }

    Build build = {.surface = *surface, .arena = arena};
    bi_arena_init(&build.scratch, &arena->allocator, 0);
    build.normals = bi_arena_take(&build.scratch, (size_t)surface->face_count + 1, sizeof *build.normals);
    BerthStatus status = build.normals != NULL ? BERTH_OK : no_memory();
    if (status == BERTH_OK) {
        find_normals(&build);
        status = build_octree_nodes(&build, levels, homogeneous);
    }
    if (status == BERTH_OK) {
        status = store_leaves(&build, out);
    }

    bi_arena_free(&build.scratch);
    return status;
}

int32_t bi_octree_levels(int32_t edge_count) {
    // Below, going down costs more than comparing everything; one or two levels never pay.
    if (edge_count < 72) {
        return 0;
    }
    return edge_count < 1024 ? 3 : 4;
}
