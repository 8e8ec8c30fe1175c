// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Is a point inside a closed mesh? For a map its cells are looked up. Otherwise by signed crossings of an
// axis-parallel ray, found through the tree of boxes. A ray that passes too near an edge to decide is
// abandoned for the next of six. When all six fail - as when bodies are placed on each other's axes - slanted
// rays over all triangles decide.
// Entry: bi_solid_contains.

#include <float.h>

#include "math/math.h"
#include "shape/gap.h"
#include "tree/cells.h"

enum { NODE_STACK = BOX_LANES * SOLID_DEPTH_MAX };

typedef enum Crossing { CROSS_NONE, CROSS_UP, CROSS_DOWN, CROSS_UNSURE } Crossing;

/// A ray from `p` along +axis or -axis; u and v are the two other axes.
typedef struct AxisRay {
    double p, u, v;
    double sign;  // +1 or -1: direction along the axis
    int axis, axis_u, axis_v;
    double size;  // coordinates are at most this: scale of rounding
} AxisRay;

// Sign of the area of (a, b, origin) in the (u, v) plane, 0 when rounding leaves it open.
static int sign_of_area(double au, double av, double bu, double bv) {
    const double left = au * bv;
    const double right = av * bu;
    const double area = left - right;
    const double error = 8.0 * BI_ULP * (fabs(left) + fabs(right));
    if (area > error) {
        return 1;
    }
    return area < -error ? -1 : 0;
}

static Crossing cross_triangle(const AxisRay* ray, const Vec3 point[3]) {
    double u[3];
    double v[3];
    double h[3];
    for (int i = 0; i < 3; ++i) {
        // Each difference is rounded once; what that may change is covered by the margin below.
        u[i] = v3_at(point[i], ray->axis_u) - ray->u;
        v[i] = v3_at(point[i], ray->axis_v) - ray->v;
        h[i] = (v3_at(point[i], ray->axis) - ray->p) * ray->sign;
    }

    if (h[0] < 0 && h[1] < 0 && h[2] < 0) {
        return CROSS_NONE;
    }
    if ((u[0] > 0 && u[1] > 0 && u[2] > 0) || (u[0] < 0 && u[1] < 0 && u[2] < 0) ||
        (v[0] > 0 && v[1] > 0 && v[2] > 0) || (v[0] < 0 && v[1] < 0 && v[2] < 0)) {
        return CROSS_NONE;
    }

    const int s0 = sign_of_area(u[0], v[0], u[1], v[1]);
    const int s1 = sign_of_area(u[1], v[1], u[2], v[2]);
    const int s2 = sign_of_area(u[2], v[2], u[0], v[0]);
    if ((s0 > 0 || s1 > 0 || s2 > 0) && (s0 < 0 || s1 < 0 || s2 < 0)) {
        return CROSS_NONE;  // two sides disagree for sure: the ray passes by, whatever the third is
    }
    if (s0 == 0 || s1 == 0 || s2 == 0) {
        return CROSS_UNSURE;
    }

    if (h[0] > 0 && h[1] > 0 && h[2] > 0) {
        return s0 > 0 ? CROSS_UP : CROSS_DOWN;
    }

    // The plane's height over the ray's foot, by areas: weights are positive.
    const double w0 = u[1] * v[2] - v[1] * u[2];
    const double w1 = u[2] * v[0] - v[2] * u[0];
    const double w2 = u[0] * v[1] - v[0] * u[1];
    const double height = (w0 * h[0] + w1 * h[1] + w2 * h[2]) / (w0 + w1 + w2);

    const double error = 64.0 * BI_ULP * ray->size;
    if (!(fabs(height) > error)) {
        return CROSS_UNSURE;
    }
    if (height < 0) {
        return CROSS_NONE;
    }
    return s0 > 0 ? CROSS_UP : CROSS_DOWN;
}

static bool box_in_way(const AxisRay* ray, const BoxNode* node, int lane) {
    const double slack = 4.0 * BI_ULP_F * ray->size;
    const double u =
        fabs((double)node->centre[ray->axis_u][lane] - ray->u) - (double)node->half[ray->axis_u][lane];
    const double v =
        fabs((double)node->centre[ray->axis_v][lane] - ray->v) - (double)node->half[ray->axis_v][lane];
    const double ahead =
        ((double)node->centre[ray->axis][lane] - ray->p) * ray->sign + (double)node->half[ray->axis][lane];
    return u <= slack && v <= slack && ahead >= -slack;
}

// Winding number along the ray; false when it cannot be decided.
static bool count_crossings(const BerthSolid* solid, const AxisRay* ray, int32_t* winding) {
    int32_t stack[NODE_STACK];
    int32_t count = 0;
    stack[count++] = 0;
    *winding = 0;

    while (count > 0) {
        const int32_t at = stack[--count];
        const BoxLink* link = &solid->links[at];
        for (int lane = 0; lane < link->count; ++lane) {
            if (!box_in_way(ray, &solid->nodes[at], lane)) {
                continue;
            }

            if (!link->bottom) {
                BI_ASSERT(count < NODE_STACK);
                stack[count++] = link->first + lane;
                continue;
            }

            const Crossing crossing = cross_triangle(ray, solid->triangles[link->first + lane].point);
            if (crossing == CROSS_UNSURE) {
                return false;
            }
            if (crossing != CROSS_NONE) {
                *winding += crossing == CROSS_UP ? 1 : -1;
            }
        }
    }
    return true;
}

bool bi_solid_contains(const BerthSolid* solid, Vec3 point) {
    if (solid->cells != NULL) {
        return bi_cell_index_may_contain(solid->cells, point);
    }

    for (int attempt = 0; attempt < 6; ++attempt) {
        AxisRay ray = {.axis = attempt % 3, .sign = attempt < 3 ? 1.0 : -1.0};
        ray.axis_u = (ray.axis + 1) % 3;
        ray.axis_v = (ray.axis + 2) % 3;
        ray.p = v3_at(point, ray.axis);
        ray.u = v3_at(point, ray.axis_u);
        ray.v = v3_at(point, ray.axis_v);
        ray.size = solid->extent + v3_length(point);

        int32_t winding = 0;
        if (count_crossings(solid, &ray, &winding)) {
            return winding != 0;
        }
    }

    return bi_mesh_contains_slow(solid->mesh, point);
}
