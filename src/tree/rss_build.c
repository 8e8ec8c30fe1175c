// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Builds RSS trees top down. The axes of a volume are the principal directions of its vertices; the rectangle
// is as small as the radius (half the thickness) allows; finally the radius is raised until every vertex is
// inside, so the cover does not depend on the fit.
// Entry: bi_rss_build.

#include <float.h>
#include <stdatomic.h>
#include <string.h>

#include "base/threads.h"
#include "math/math.h"
#include "tree/rss.h"

enum {
    BALANCED_BELOW = 40,
    SHARED_FROM = 4096  // triangles: about a millisecond of work, which another thread may take
};

// Principal directions of a symmetric matrix by Jacobi rotations, largest spread first.
static void principal_axes(double m[3][3], Vec3 axis[3]) {
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    for (int sweep = 0; sweep < 24; ++sweep) {
        double m_before[3][3];
        double v_before[3][3];
        memcpy(m_before, m, sizeof m_before);
        memcpy(v_before, v, sizeof v_before);

        for (int k = 0; k < 3; ++k) {
            const int p = k == 2 ? 1 : 0;
            const int q = k == 0 ? 1 : 2;
            if (!(fabs(m[p][q]) > 1e-300)) {
                continue;
            }

            const double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            const double t = (theta >= 0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
            const double c = 1.0 / sqrt(t * t + 1.0);
            const double s = t * c;

            for (int i = 0; i < 3; ++i) {
                const double ip = m[i][p];
                const double iq = m[i][q];
                m[i][p] = c * ip - s * iq;
                m[i][q] = s * ip + c * iq;
            }
            for (int i = 0; i < 3; ++i) {
                const double pi = m[p][i];
                const double qi = m[q][i];
                m[p][i] = c * pi - s * qi;
                m[q][i] = s * pi + c * qi;
                const double vp = v[i][p];
                const double vq = v[i][q];
                v[i][p] = c * vp - s * vq;
                v[i][q] = s * vp + c * vq;
            }
        }

        // A sweep that changed nothing is repeated by all that follow.
        if (memcmp(m_before, m, sizeof m_before) == 0 && memcmp(v_before, v, sizeof v_before) == 0) {
            break;
        }
    }

    // Largest spread first.
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2 - i; ++j) {
            if (m[order[j]][order[j]] < m[order[j + 1]][order[j + 1]]) {
                const int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
        }
    }

    const Vec3 x = v3(v[0][order[0]], v[1][order[0]], v[2][order[0]]);
    const Vec3 y = v3(v[0][order[1]], v[1][order[1]], v[2][order[1]]);
    axis[0] = v3_unit_or(x, v3(1, 0, 0));

    const Vec3 side = v3_sub(y, v3_scale(axis[0], v3_dot(axis[0], y)));
    axis[1] = v3_unit_or(side, v3_any_normal(axis[0]));
    axis[2] = v3_cross(axis[0], axis[1]);
}

// The mean of the corners of some triangles, and how they spread around it.
static void spread_of(const Triangle* triangles, int32_t count, Vec3* mean, double m[3][3]) {
    Vec3 sum = v3(0, 0, 0);
    for (int32_t i = 0; i < count; ++i) {
        const Vec3* p = triangles[i].point;
        sum = v3_add(sum, v3_add(p[0], v3_add(p[1], p[2])));
    }
    *mean = v3_scale(sum, 1.0 / (3.0 * count));

    double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const Vec3 d = v3_sub(triangles[i].point[k], *mean);
            xx += d.x * d.x;
            xy += d.x * d.y;
            xz += d.x * d.z;
            yy += d.y * d.y;
            yz += d.y * d.z;
            zz += d.z * d.z;
        }
    }

    const double whole[3][3] = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
    memcpy(m, whole, sizeof whole);
}

// A triangle's own axes: along its longest edge, and its plane. Principal directions would be as good, but these
// make the rectangle flat in the triangle's plane to the last bit.
static void triangle_axes(const Vec3 p[3], Vec3 axis[3]) {
    Vec3 longest = v3_sub(p[1], p[0]);
    for (int k = 1; k < 3; ++k) {
        const Vec3 edge = v3_sub(p[(k + 1) % 3], p[k]);
        longest = v3_length_sq(edge) > v3_length_sq(longest) ? edge : longest;
    }
    axis[0] = v3_unit_or(longest, v3(1, 0, 0));

    const Vec3 normal = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
    const Vec3 side = v3_cross(normal, axis[0]);
    axis[1] = v3_unit_or(v3_sub(side, v3_scale(axis[0], v3_dot(axis[0], side))), v3_any_normal(axis[0]));
    axis[2] = v3_cross(axis[0], axis[1]);
}

// Coordinates of a point along a volume's axes, from `origin`.
static Vec3 local_point(const RssNode* node, Vec3 point, Vec3 origin) {
    const Vec3 d = v3_sub(point, origin);
    return v3(v3_dot(node->axis[0], d), v3_dot(node->axis[1], d), v3_dot(node->axis[2], d));
}

/// Plain comparisons: the C library's functions are calls, and look for NaN, which no mesh has.
static inline double smaller(double a, double b) {
    return b < a ? b : a;
}
static inline double larger(double a, double b) {
    return b > a ? b : a;
}

typedef struct Rectangle {
    double low[2], high[2], z, radius;
} Rectangle;

// How thick the triangles are along the third axis decides the radius.
static void fit_thickness(const RssNode* node, const Triangle* triangles, int32_t count, Vec3 origin,
                          Rectangle* r) {
    double low = DBL_MAX;
    double high = -DBL_MAX;
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double z = v3_dot(node->axis[2], v3_sub(triangles[i].point[k], origin));
            low = smaller(low, z);
            high = larger(high, z);
        }
    }
    *r = (Rectangle){{DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX}, 0.5 * (low + high), 0.5 * (high - low)};
}

// How far the middles of the sides must reach with that radius.
static void fit_sides(const RssNode* node, const Triangle* triangles, int32_t count, Vec3 origin,
                      Rectangle* r) {
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const Vec3 p = local_point(node, triangles[i].point[k], origin);
            if (p.x >= r->low[0] && p.x <= r->high[0] && p.y >= r->low[1] && p.y <= r->high[1]) {
                continue;  // a reach of 0 or more moves nothing
            }

            const double reach = sqrt(larger(0.0, r->radius * r->radius - (p.z - r->z) * (p.z - r->z)));
            r->low[0] = smaller(r->low[0], p.x + reach);
            r->high[0] = larger(r->high[0], p.x - reach);
            r->low[1] = smaller(r->low[1], p.y + reach);
            r->high[1] = larger(r->high[1], p.y - reach);
        }
    }

    for (int c = 0; c < 2; ++c) {
        if (r->low[c] > r->high[c]) {
            r->low[c] = r->high[c] = 0.5 * (r->low[c] + r->high[c]);
        }
    }
}

// A point outside of a corner moves that corner out along its diagonal.
static void move_corner(Rectangle* r, Vec3 p) {
    const double dx = larger(r->low[0] - p.x, p.x - r->high[0]);
    const double dy = larger(r->low[1] - p.y, p.y - r->high[1]);
    if (!(dx > 0 && dy > 0)) {
        return;
    }

    const double reach_sq = larger(0.0, r->radius * r->radius - (p.z - r->z) * (p.z - r->z));
    if (!(dx * dx + dy * dy > reach_sq)) {
        return;
    }

    // (dx - g)^2 + (dy - g)^2 = reach^2, the smaller root
    const double sum = dx + dy;
    const double root = 2.0 * reach_sq - (dx - dy) * (dx - dy);
    const double g = root > 0 ? 0.5 * (sum - sqrt(root)) : smaller(dx, dy);

    if (p.x < r->low[0]) {
        r->low[0] -= g;
    } else {
        r->high[0] += g;
    }
    if (p.y < r->low[1]) {
        r->low[1] -= g;
    } else {
        r->high[1] += g;
    }
}

// The rectangle that a radius of half the thickness allows, corners first ignored, then moved out along diagonals.
static Rectangle fit_rectangle(const RssNode* node, const Triangle* triangles, int32_t count, Vec3 origin) {
    Rectangle r;
    fit_thickness(node, triangles, count, origin, &r);
    fit_sides(node, triangles, count, origin, &r);
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            move_corner(&r, local_point(node, triangles[i].point[k], origin));
        }
    }
    return r;
}

// Whatever the fit did: the radius is the largest distance of a vertex from the rectangle, rounded up.
static void raise_radius(RssNode* node, const Triangle* triangles, int32_t count) {
    double farthest_sq = 0.0;
    double size_sq = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const Vec3 p = local_point(node, triangles[i].point[k], node->centre);
            const double dx = larger(0.0, fabs(p.x) - node->half[0]);
            const double dy = larger(0.0, fabs(p.y) - node->half[1]);
            farthest_sq = larger(farthest_sq, dx * dx + dy * dy + p.z * p.z);
            size_sq = larger(size_sq, v3_length_sq(p));
        }
    }

    const double size = larger(v3_length(node->centre), sqrt(size_sq));
    node->radius = sqrt(farthest_sq) * (1.0 + 8.0 * BI_ULP) + 16.0 * BI_ULP * size;
}

static void fit_volume(RssNode* node, const Triangle* triangles, int32_t count, Vec3* mean) {
    double m[3][3];
    spread_of(triangles, count, mean, m);
    if (count == 1) {
        triangle_axes(triangles[0].point, node->axis);
    } else {
        principal_axes(m, node->axis);
    }

    const Rectangle r = fit_rectangle(node, triangles, count, *mean);
    node->half[0] = 0.5 * (r.high[0] - r.low[0]);
    node->half[1] = 0.5 * (r.high[1] - r.low[1]);

    Vec3 centre = v3_mad(*mean, 0.5 * (r.low[0] + r.high[0]), node->axis[0]);
    centre = v3_mad(centre, 0.5 * (r.low[1] + r.high[1]), node->axis[1]);
    node->centre = v3_mad(centre, r.z, node->axis[2]);

    raise_radius(node, triangles, count);
}

// ---- the tree -----------------------------------------------------------------------------------------------------

/// A subtree to be made: its root, and the first of the nodes below it. There are 2 n - 2 of those, so subtrees know their
/// places before they are made, and threads that make them come to the same tree.
typedef struct BuildTask {
    int32_t node, below, begin, end, depth;
} BuildTask;

typedef struct RssBuild {
    RssTree* tree;
    Triangle* triangles;  // in the order of `source`: going through a group reads memory in order
    atomic_int depth;
} RssBuild;

static Vec3 triangle_mean(const Triangle* t) {
    return v3_scale(v3_add(t->point[0], v3_add(t->point[1], t->point[2])), 1.0 / 3.0);
}

static void swap_triangles(RssBuild* build, int32_t i, int32_t k) {
    const Triangle triangle = build->triangles[i];
    build->triangles[i] = build->triangles[k];
    build->triangles[k] = triangle;

    const int32_t source = build->tree->source[i];
    build->tree->source[i] = build->tree->source[k];
    build->tree->source[k] = source;
}

static int32_t split_triangles(RssBuild* build, const BuildTask* task, Vec3 mean) {
    const RssNode* node = &build->tree->nodes[task->node];
    const Vec3 axis = node->half[0] >= node->half[1] ? node->axis[0] : node->axis[1];
    const double at = v3_dot(axis, mean);
    const bool balanced = task->depth > BALANCED_BELOW;
    int32_t first = task->begin;
    int32_t last = task->end - 1;

    while (!balanced && first <= last) {
        if (v3_dot(axis, triangle_mean(&build->triangles[first])) <= at) {
            first += 1;
        } else {
            swap_triangles(build, first, last);
            last -= 1;
        }
    }
    return first > task->begin && first < task->end ? first : task->begin + (task->end - task->begin) / 2;
}

static void note_depth(RssBuild* build, int depth) {
    int before = atomic_load(&build->depth);
    while (depth > before && !atomic_compare_exchange_weak(&build->depth, &before, depth)) {
        // another thread was deeper meanwhile, or not: look again
    }
}

// Makes one subtree; large ones below it are handed over.
static void build_subtree(void* user, WorkList* list, const void* item) {
    RssBuild* build = user;
    BuildTask tasks[RSS_STACK];
    int32_t task_count = 0;
    int depth = 0;

    memcpy(&tasks[task_count++], item, sizeof *tasks);
    while (task_count > 0) {
        const BuildTask task = tasks[--task_count];
        RssNode* node = &build->tree->nodes[task.node];
        Vec3 mean;
        fit_volume(node, build->triangles + task.begin, task.end - task.begin, &mean);
        depth = task.depth > depth ? task.depth : depth;

        if (task.end - task.begin == 1) {
            node->child = -1 - task.begin;
            continue;
        }

        const int32_t middle = split_triangles(build, &task, mean);
        node->child = task.below;
        BI_ASSERT(task_count + 2 <= RSS_STACK && task.depth < RSS_DEPTH_MAX);

        // What is below the second child comes first.
        const int32_t below = task.below + 2;
        const BuildTask children[2] = {
            {task.below, below + 2 * (task.end - middle - 1), task.begin, middle, task.depth + 1},
            {task.below + 1, below, middle, task.end, task.depth + 1}};
        for (int i = 0; i < 2; ++i) {
            const bool large = children[i].end - children[i].begin >= SHARED_FROM;
            if (!large || !bi_work_add(list, &children[i])) {
                tasks[task_count++] = children[i];
            }
        }
    }
    note_depth(build, depth);
}

static RssTree* new_tree(const BerthMesh* mesh, const BerthAllocator* allocator) {
    RssTree* tree = bi_take(allocator, 1, sizeof *tree);
    if (tree == NULL) {
        return NULL;
    }

    const size_t count = (size_t)mesh->info.triangle_count;
    tree->allocator = *allocator;
    tree->mesh = mesh;
    tree->triangle_count = mesh->info.triangle_count;
    tree->nodes = bi_take_raw(allocator, 2 * count - 1, sizeof *tree->nodes);
    tree->source = bi_take_raw(allocator, count, sizeof *tree->source);
    if (tree->nodes == NULL || tree->source == NULL) {
        bi_rss_destroy(tree);
        return NULL;
    }
    return tree;
}

BerthStatus bi_rss_build(const BerthMesh* mesh, int32_t threads, const BerthAllocator* allocator,
                         RssTree** out) {
    *out = NULL;
    const size_t count = (size_t)mesh->info.triangle_count;
    RssBuild build = {.tree = new_tree(mesh, allocator),
                      .triangles = bi_take_raw(allocator, count, sizeof *build.triangles)};
    if (build.tree == NULL || build.triangles == NULL) {
        bi_rss_destroy(build.tree);
        bi_give(allocator, build.triangles, count, sizeof *build.triangles);
        return bi_fail(BERTH_ERR_MEMORY, "RSS tree of %d triangles: out of memory",
                       mesh->info.triangle_count);
    }

    for (int32_t i = 0; i < mesh->info.triangle_count; ++i) {
        build.tree->source[i] = i;
        mesh_triangle(mesh, i, build.triangles[i].point);
    }
    atomic_init(&build.depth, 0);

    const BuildTask all = {0, 1, 0, mesh->info.triangle_count, 1};
    bi_work_run(mesh->info.triangle_count >= 2 * SHARED_FROM ? threads : 1, build_subtree, &build, &all,
                sizeof all);
    build.tree->depth = atomic_load(&build.depth);

    bi_give(allocator, build.triangles, count, sizeof *build.triangles);
    *out = build.tree;
    return BERTH_OK;
}

void bi_rss_destroy(RssTree* tree) {
    if (tree != NULL) {
        const BerthAllocator from = tree->allocator;
        bi_give(&from, tree->nodes, 2 * (size_t)tree->triangle_count - 1, sizeof *tree->nodes);
        bi_give(&from, tree->source, (size_t)tree->triangle_count, sizeof *tree->source);
        bi_give(&from, tree, 1, sizeof *tree);
    }
}

size_t bi_rss_bytes(const RssTree* tree) {
    const size_t count = (size_t)tree->triangle_count;
    return sizeof *tree + (2 * count - 1) * sizeof(RssNode) + count * sizeof(int32_t);
}
