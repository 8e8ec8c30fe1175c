// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Builds RSS trees top down. The axes of a volume are the principal directions of its vertices; the rectangle is as
// small as the radius (half the thickness) allows; at last the radius is raised until every vertex is inside, so the
// cover does not rest on the fit.
//
// Entry: bi_rss_build.

#include <float.h>

#include "math/math.h"
#include "tree/rss.h"

enum { BALANCED_BELOW = 40 };

typedef struct BuildTask {
    int32_t node, begin, end, depth;
} BuildTask;

// Principal directions of a symmetric matrix by Jacobi rotations, largest spread first.
static void principal_axes(double m[3][3], Vec3 axis[3]) {
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    for (int sweep = 0; sweep < 24; ++sweep) {
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

static void spread_of(const RssTree* tree, int32_t begin, int32_t end, Vec3* mean, double m[3][3]) {
    Vec3 sum = v3(0, 0, 0);

    for (int32_t i = begin; i < end; ++i) {
        Vec3 p[3];
        mesh_triangle(tree->mesh, tree->source[i], p);
        sum = v3_add(sum, v3_add(p[0], v3_add(p[1], p[2])));
    }
    *mean = v3_scale(sum, 1.0 / (3.0 * (end - begin)));

    for (int i = 0; i < 9; ++i) {
        m[i / 3][i % 3] = 0.0;
    }

    for (int32_t i = begin; i < end; ++i) {
        Vec3 p[3];
        mesh_triangle(tree->mesh, tree->source[i], p);
        for (int k = 0; k < 3; ++k) {
            const Vec3 d = v3_sub(p[k], *mean);
            const double c[3] = {d.x, d.y, d.z};
            for (int j = 0; j < 9; ++j) {
                m[j / 3][j % 3] += c[j / 3] * c[j % 3];
            }
        }
    }
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

// Local coordinates of the k-th corner of the i-th triangle.
static Vec3 local_corner(const RssTree* tree, const RssNode* node, int32_t i, int k, Vec3 origin) {
    const int32_t vertex = tree->mesh->triangles[3 * (size_t)tree->source[i] + (size_t)k];
    const Vec3 d = v3_sub(tree->mesh->vertices[vertex], origin);
    return v3(v3_dot(node->axis[0], d), v3_dot(node->axis[1], d), v3_dot(node->axis[2], d));
}

typedef struct Rectangle {
    double low[2], high[2], z, radius;
} Rectangle;

// The rectangle that a radius of half the thickness allows, corners first ignored, then moved out along diagonals.
static Rectangle fit_rectangle(const RssTree* tree, const RssNode* node, int32_t begin, int32_t end,
                               Vec3 origin) {
    double z_low = DBL_MAX;
    double z_high = -DBL_MAX;

    // How thick it is decides the radius.
    for (int32_t i = begin; i < end; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double z = local_corner(tree, node, i, k, origin).z;
            z_low = z < z_low ? z : z_low;
            z_high = z > z_high ? z : z_high;
        }
    }

    Rectangle r = {{DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX}, 0.5 * (z_low + z_high), 0.5 * (z_high - z_low)};

    // How far the middles of its sides must reach with that radius.
    for (int32_t i = begin; i < end; ++i) {
        for (int k = 0; k < 3; ++k) {
            const Vec3 p = local_corner(tree, node, i, k, origin);
            const double reach = sqrt(fmax(0.0, r.radius * r.radius - (p.z - r.z) * (p.z - r.z)));
            r.low[0] = fmin(r.low[0], p.x + reach);
            r.high[0] = fmax(r.high[0], p.x - reach);
            r.low[1] = fmin(r.low[1], p.y + reach);
            r.high[1] = fmax(r.high[1], p.y - reach);
        }
    }

    for (int c = 0; c < 2; ++c) {
        if (r.low[c] > r.high[c]) {
            r.low[c] = r.high[c] = 0.5 * (r.low[c] + r.high[c]);
        }
    }

    // Corners that are still outside move their corner of the rectangle out.
    for (int32_t i = begin; i < end; ++i) {
        for (int k = 0; k < 3; ++k) {
            const Vec3 p = local_corner(tree, node, i, k, origin);
            const double dx = fmax(r.low[0] - p.x, p.x - r.high[0]);
            const double dy = fmax(r.low[1] - p.y, p.y - r.high[1]);
            const double reach_sq = fmax(0.0, r.radius * r.radius - (p.z - r.z) * (p.z - r.z));
            if (dx > 0 && dy > 0 && dx * dx + dy * dy > reach_sq) {
                // (dx - g)^2 + (dy - g)^2 = reach^2, the smaller root
                const double sum = dx + dy;
                const double root = 2.0 * reach_sq - (dx - dy) * (dx - dy);
                const double g = root > 0 ? 0.5 * (sum - sqrt(root)) : fmin(dx, dy);

                if (p.x < r.low[0]) {
                    r.low[0] -= g;
                } else {
                    r.high[0] += g;
                }
                if (p.y < r.low[1]) {
                    r.low[1] -= g;
                } else {
                    r.high[1] += g;
                }
            }
        }
    }

    return r;
}

// Whatever the fit did: the radius is the largest distance of a vertex from the rectangle, rounded up.
static void raise_radius(const RssTree* tree, RssNode* node, int32_t begin, int32_t end) {
    double farthest_sq = 0.0;
    double size = v3_length(node->centre);

    for (int32_t i = begin; i < end; ++i) {
        for (int k = 0; k < 3; ++k) {
            const Vec3 p = local_corner(tree, node, i, k, node->centre);
            const double dx = fmax(0.0, fabs(p.x) - node->half[0]);
            const double dy = fmax(0.0, fabs(p.y) - node->half[1]);
            farthest_sq = fmax(farthest_sq, dx * dx + dy * dy + p.z * p.z);
            size = fmax(size, v3_length(p));
        }
    }

    node->radius = sqrt(farthest_sq) * (1.0 + 8.0 * BI_ULP) + 16.0 * BI_ULP * size;
}

static void fit_volume(const RssTree* tree, RssNode* node, int32_t begin, int32_t end, Vec3* mean) {
    double m[3][3];
    spread_of(tree, begin, end, mean, m);

    if (end - begin == 1) {
        Vec3 p[3];
        mesh_triangle(tree->mesh, tree->source[begin], p);
        triangle_axes(p, node->axis);
    } else {
        principal_axes(m, node->axis);
    }

    const Rectangle r = fit_rectangle(tree, node, begin, end, *mean);
    node->half[0] = 0.5 * (r.high[0] - r.low[0]);
    node->half[1] = 0.5 * (r.high[1] - r.low[1]);

    Vec3 centre = v3_mad(*mean, 0.5 * (r.low[0] + r.high[0]), node->axis[0]);
    centre = v3_mad(centre, 0.5 * (r.low[1] + r.high[1]), node->axis[1]);
    node->centre = v3_mad(centre, r.z, node->axis[2]);

    raise_radius(tree, node, begin, end);
}

static Vec3 triangle_mean(const RssTree* tree, int32_t i) {
    Vec3 p[3];
    mesh_triangle(tree->mesh, tree->source[i], p);
    return v3_scale(v3_add(p[0], v3_add(p[1], p[2])), 1.0 / 3.0);
}

static int32_t split_triangles(RssTree* tree, const RssNode* node, int32_t begin, int32_t end, Vec3 mean,
                               bool balanced) {
    const Vec3 axis = node->half[0] >= node->half[1] ? node->axis[0] : node->axis[1];
    const double at = v3_dot(axis, mean);
    int32_t first = begin;
    int32_t last = end - 1;

    while (!balanced && first <= last) {
        if (v3_dot(axis, triangle_mean(tree, first)) <= at) {
            first += 1;
        } else {
            const int32_t swap = tree->source[first];
            tree->source[first] = tree->source[last];
            tree->source[last] = swap;
            last -= 1;
        }
    }

    return first > begin && first < end ? first : begin + (end - begin) / 2;
}

static void build_rss_nodes(RssTree* tree) {
    BuildTask tasks[RSS_STACK];
    int32_t task_count = 0;
    int32_t node_count = 1;

    tasks[task_count++] = (BuildTask){0, 0, tree->triangle_count, 1};
    while (task_count > 0) {
        const BuildTask task = tasks[--task_count];
        RssNode* node = &tree->nodes[task.node];
        Vec3 mean;
        fit_volume(tree, node, task.begin, task.end, &mean);
        tree->depth = task.depth > tree->depth ? task.depth : tree->depth;

        if (task.end - task.begin == 1) {
            node->child = -1 - task.begin;
            continue;
        }

        const int32_t middle =
            split_triangles(tree, node, task.begin, task.end, mean, task.depth > BALANCED_BELOW);
        node->child = node_count;
        BI_ASSERT(task_count + 2 <= RSS_STACK && task.depth < RSS_DEPTH_MAX);

        tasks[task_count++] = (BuildTask){node_count, task.begin, middle, task.depth + 1};
        tasks[task_count++] = (BuildTask){node_count + 1, middle, task.end, task.depth + 1};
        node_count += 2;
    }
}

BerthStatus bi_rss_build(const BerthMesh* mesh, const BerthAllocator* allocator, RssTree** out) {
    *out = NULL;
    const size_t count = (size_t)mesh->info.triangle_count;
    RssTree* tree = bi_take(allocator, 1, sizeof *tree);
    if (tree != NULL) {
        tree->allocator = *allocator;
        tree->mesh = mesh;
        tree->triangle_count = mesh->info.triangle_count;
        tree->nodes = bi_take(allocator, 2 * count - 1, sizeof *tree->nodes);
        tree->source = bi_take(allocator, count, sizeof *tree->source);
    }

    if (tree == NULL || tree->nodes == NULL || tree->source == NULL) {
        bi_rss_destroy(tree);
        return bi_fail(BERTH_ERR_MEMORY, "RSS tree of %d triangles: out of memory",
                       mesh->info.triangle_count);
    }

    for (int32_t i = 0; i < tree->triangle_count; ++i) {
        tree->source[i] = i;
    }
    build_rss_nodes(tree);

    *out = tree;
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
