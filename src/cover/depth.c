// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How deep is a point in a body? The nearest point of a mesh, and whether a point is hidden, through the tree
// of boxes.
// Entries: bi_cover_surface_distance, bi_cover_depth.

#include <float.h>

#include "cover/cover.h"
#include "shape/gap.h"

enum { NODE_STACK = BOX_LANES * SOLID_DEPTH_MAX };

typedef struct NearEntry {
    int32_t node;
    float bound_sq;
} NearEntry;

// Squared distance to a box; boxes are rounded outward, so float's own rounding is all there is to take off.
static float box_distance_sq(const BoxNode* node, int lane, const float p[3]) {
    float sum = 0.0f;
    for (int axis = 0; axis < 3; ++axis) {
        const float away = fabsf(p[axis] - node->centre[axis][lane]) - node->half[axis][lane];
        sum += away > 0.0f ? away * away : 0.0f;
    }
    return sum * 0.99999f;
}

double bi_cover_surface_distance(const BerthSolid* solid, Vec3 point, double limit, Vec3* nearest) {
    NearEntry stack[NODE_STACK];
    int32_t count = 0;
    const float p[3] = {(float)point.x, (float)point.y, (float)point.z};
    // A float point is off by less than this, and so are distances to it.
    const double off = 4.0 * BI_ULP_F * (solid->extent + v3_length(point));
    double best_sq = limit < 1e150 ? limit * limit : DBL_MAX;
    Vec3 found = point;

    // Depth first, the nearest child on top; boxes beyond the best so far are left out.
    stack[count++] = (NearEntry){0, 0.0f};
    while (count > 0) {
        const NearEntry entry = stack[--count];
        double reach = sqrt(best_sq) + off;
        if ((double)entry.bound_sq > reach * reach) {
            continue;
        }

        const BoxLink* link = &solid->links[entry.node];
        const BoxNode* node = &solid->nodes[entry.node];
        const int32_t first = count;
        for (int lane = 0; lane < link->count; ++lane) {
            const float bound_sq = box_distance_sq(node, lane, p);
            if ((double)bound_sq > reach * reach) {
                continue;
            }

            if (link->bottom) {
                const Vec3* triangle = solid->triangles[link->first + lane].point;
                if (cover_plane_is_beyond(point, triangle, reach)) {
                    continue;
                }
                Vec3 on;
                const double sq = bi_point_triangle_distance_sq(point, triangle, &on);
                if (sq < best_sq) {
                    best_sq = sq;
                    found = on;
                    reach = sqrt(best_sq) + off;
                }
                continue;
            }
            // The nearest ends up on top.
            int32_t at = count++;
            for (; at > first && stack[at - 1].bound_sq < bound_sq; --at) {
                stack[at] = stack[at - 1];
            }
            stack[at] = (NearEntry){link->first + lane, bound_sq};
        }
    }

    if (nearest != NULL) {
        *nearest = found;
    }
    return sqrt(best_sq);
}

// Does a line along an axis through the point meet the surface on both sides of it?
static bool hidden_along(const BerthSolid* solid, Vec3 point, int axis) {
    const int axis_u = (axis + 1) % 3, axis_v = (axis + 2) % 3;
    const double pu = v3_at(point, axis_u), pv = v3_at(point, axis_v), pw = v3_at(point, axis);

    int32_t stack[NODE_STACK];
    int32_t count = 0;
    bool above = false, below = false;

    stack[count++] = 0;
    while (count > 0 && !(above && below)) {
        const int32_t at = stack[--count];
        const BoxLink* link = &solid->links[at];
        const BoxNode* node = &solid->nodes[at];

        for (int lane = 0; lane < link->count; ++lane) {
            if (fabs((double)node->centre[axis_u][lane] - pu) > (double)node->half[axis_u][lane] ||
                fabs((double)node->centre[axis_v][lane] - pv) > (double)node->half[axis_v][lane]) {
                continue;
            }

            if (!link->bottom) {
                stack[count++] = link->first + lane;
                continue;
            }

            // Where the line meets the triangle's plane: all weights of one sign mean within it.
            const Vec3* t = solid->triangles[link->first + lane].point;
            double weight[3];
            for (int k = 0; k < 3; ++k) {
                const Vec3 a = t[(k + 1) % 3], b = t[(k + 2) % 3];
                weight[k] = (v3_at(a, axis_u) - pu) * (v3_at(b, axis_v) - pv) -
                            (v3_at(a, axis_v) - pv) * (v3_at(b, axis_u) - pu);
            }

            const double sum = weight[0] + weight[1] + weight[2];
            const bool one_side = (weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0) ||
                                  (weight[0] <= 0.0 && weight[1] <= 0.0 && weight[2] <= 0.0);
            if (!one_side || sum == 0.0) {
                continue;
            }

            const double height = (weight[0] * v3_at(t[0], axis) + weight[1] * v3_at(t[1], axis) +
                                   weight[2] * v3_at(t[2], axis)) /
                                  sum;
            above = above || height >= pw;
            below = below || height <= pw;
        }
    }
    return above && below;
}

static bool part_holds(const CoverPart* part, Vec3 point) {
    const BerthSolid* solid = part->solid;
    if (point.x < solid->low.x || point.y < solid->low.y || point.z < solid->low.z ||
        point.x > solid->high.x || point.y > solid->high.y || point.z > solid->high.z) {
        return false;
    }

    if (part->closed) {
        return bi_solid_contains(solid, point);
    }
    return hidden_along(solid, point, 0) && hidden_along(solid, point, 1) && hidden_along(solid, point, 2);
}

double bi_cover_depth(const CoverBody* body, Vec3 point) {
    double deepest = -DBL_MAX;
    for (int32_t i = 0; i < body->part_count; ++i) {
        const CoverPart* part = &body->parts[i];
        const Vec3 at = pose_apply_back(&part->body_from_solid, point);
        const bool holds = part_holds(part, at);
        if (!holds && deepest > 0.0) {
            continue;
        }
        const double away = bi_cover_surface_distance(part->solid, at, holds ? DBL_MAX : -deepest, NULL);
        const double depth = holds ? away : -away;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}
