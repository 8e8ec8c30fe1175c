// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Is a point inside a closed mesh? Signed crossings of a ray, counted only when every sign is certain; an
// uncertain ray is abandoned for the next of a fixed list. When all fail, the point is on the surface or as
// good as, and counts as inside. Also the exact test for three points on a line. docs/theory/mesh.md has the
// error bounds.
// Entries: bi_ray_add_crossings, bi_mesh_contains_slow, bi_points_on_line.

#include <float.h>

#include "math/tolerance.h"
#include "mesh/mesh_build.h"
#include "shape/gap.h"

// Rays that no modeller lines up with: quotients of small primes' square roots, all octants.
static const Vec3 g_rays[BI_RAY_COUNT] = {
    {0.4142135623730951, 0.7320508075688772, 0.5411961001461970},
    {-0.6180339887498949, 0.3819660112501052, 0.6872466010612969},
    {0.2360679774997897, -0.8740320488976421, 0.4246610214571284},
    {0.7639320225002103, 0.1458980337503154, -0.6285393610547089},
    {-0.3027756377319946, -0.5574438524302, -0.7730818512214433},
    {0.5278640450004206, -0.6457513110645906, -0.5518191617571635},
    {-0.8284271247461903, 0.4494897427831779, -0.3342370839142358},
    {-0.1715728752538099, -0.3166247903553998, 0.9329006225021477},
    {0.9083902156042711, 0.3589835361210481, 0.2142135623730955},
    {-0.0901699437494743, 0.9582575694955841, -0.2713160318547195},
    {0.6055512754639891, -0.3722813232690143, 0.7033008588991067},
    {-0.7416573867739413, -0.5825756949558398, 0.3325955157181921},
    {0.1231056256176605, 0.4403124237432849, -0.8893569612853713},
    {-0.4721359549995794, -0.8615528128088303, 0.1863390981249825},
    {0.3166247903554001, -0.1803398874989485, -0.9312614235981277},
    {-0.5505102572168221, 0.2679491924311228, 0.7906314157293181},
};

// Relative rounding of a 3 x 3 determinant of differences, against the sum of its terms' magnitudes: each
// term has two differences (or one difference and a constant), two products and takes part in at most three
// sums: below (2 + 2 + 3) u (1 + small); 16 u is named. The constant covers terms that underflow.
#define DETERMINANT_ERROR (16.0 * BI_ULP)
#define DETERMINANT_TINY (64.0 * DBL_MIN)

// a . (b x c), and what it may be wrong by.
static double determinant(Vec3 a, Vec3 b, Vec3 c, double* error) {
    const Vec3 plus = v3(b.y * c.z, b.z * c.x, b.x * c.y);
    const Vec3 minus = v3(b.z * c.y, b.x * c.z, b.y * c.x);
    const double size = v3_dot(v3_abs(a), v3_add(v3_abs(plus), v3_abs(minus)));
    *error = DETERMINANT_ERROR * size + DETERMINANT_TINY;
    return v3_dot(a, v3_sub(plus, minus));
}

static int sure_sign(double value, double error) {
    if (value > error) {
        return 1;
    }
    return value < -error ? -1 : 0;
}

// True when the whole triangle is behind the start of the ray.
static bool is_behind(Vec3 direction, const Vec3 corner[3]) {
    for (int i = 0; i < 3; i++) {
        const double size = v3_dot(v3_abs(direction), v3_abs(corner[i]));
        if (!(v3_dot(direction, corner[i]) < -(DETERMINANT_ERROR * size + DETERMINANT_TINY))) {
            return false;
        }
    }
    return true;
}

void bi_ray_add_crossings(Vec3 p, int32_t index, const Vec3 t[3], RayCount* count) {
    if (!count->sure) {
        return;
    }

    const Vec3 direction = g_rays[index];
    const Vec3 corner[3] = {v3_sub(t[0], p), v3_sub(t[1], p), v3_sub(t[2], p)};
    double error = 0.0;
    int left_count = 0, right_count = 0;

    for (int k = 0; k < 3; k++) {
        const double side = determinant(direction, corner[k], corner[(k + 1) % 3], &error);
        const int sign = sure_sign(side, error);
        left_count += sign > 0 ? 1 : 0;
        right_count += sign < 0 ? 1 : 0;
        if (left_count > 0 && right_count > 0) {
            return;  // the line passes beside the triangle
        }
    }

    if (is_behind(direction, corner)) {
        return;
    }

    // All three sides agree, or the line passes too near an edge to tell, or something is NaN.
    int facing = 0;
    if (left_count == 3) {
        facing = 1;
    } else if (right_count == 3) {
        facing = -1;
    }
    const double volume = determinant(corner[0], corner[1], corner[2], &error);
    const int side_of_start = sure_sign(volume, error);
    if (facing == 0 || side_of_start == 0) {
        count->sure = false;
    } else if (side_of_start == facing) {
        count->winding += facing;
    }
}

bool bi_mesh_contains_slow(const BerthMesh* mesh, Vec3 p) {
    for (int32_t ray = 0; ray < BI_RAY_COUNT; ray++) {
        RayCount count = {0, true};
        for (int32_t i = 0; i < mesh->info.triangle_count && count.sure; i++) {
            Vec3 t[3];
            mesh_triangle(mesh, i, t);
            bi_ray_add_crossings(p, ray, t, &count);
        }
        if (count.sure) {
            return count.winding != 0;
        }
    }
    return true;
}

// ---- three points on a line, exactly -------------------------------------------------------------------

enum { PRODUCT_COUNT = 6, PART_COUNT = 2 * PRODUCT_COUNT };

// Products below this may lose bits to underflow: then nothing is claimed.
#define PRODUCT_SAFE 1e-270

// Adds `value` to a sum of parts that is kept without rounding (Knuth's two-sum, part by part).
static void add_exactly(double part[PART_COUNT], int count, double value) {
    for (int i = 0; i < count; i++) {
        const double sum = part[i] + value;
        const double rest = sum - part[i];
        part[i] = (part[i] - (sum - rest)) + (value - rest);
        value = sum;
    }
    part[count] = value;
}

// The area of the projected triangle is exactly 0: b x c - b x a - a x c = 0, all six products whole.
static bool is_flat_exactly(const double a[2], const double b[2], const double c[2]) {
    const double factor[PRODUCT_COUNT][2] = {{b[0], c[1]}, {-b[1], c[0]}, {-b[0], a[1]},
                                             {b[1], a[0]}, {-a[0], c[1]}, {a[1], c[0]}};
    double part[PART_COUNT] = {0.0};
    int count = 0;

    for (int i = 0; i < PRODUCT_COUNT; i++) {
        const double product = factor[i][0] * factor[i][1];
        if (factor[i][0] != 0.0 && factor[i][1] != 0.0 && !(fabs(product) > PRODUCT_SAFE)) {
            return false;
        }
        add_exactly(part, count++, fma(factor[i][0], factor[i][1], -product));
        add_exactly(part, count++, product);
    }

    for (int i = 0; i < PART_COUNT; i++) {
        if (part[i] != 0.0) {
            return false;
        }
    }
    return true;
}

// False when rounding alone shows that the projected triangle has an area.
static bool may_be_flat(const double a[2], const double b[2], const double c[2]) {
    const double left = (b[0] - a[0]) * (c[1] - a[1]);
    const double right = (b[1] - a[1]) * (c[0] - a[0]);
    return !(fabs(left - right) > DETERMINANT_ERROR * (fabs(left) + fabs(right)) + DETERMINANT_TINY);
}

bool bi_points_on_line(Vec3 a, Vec3 b, Vec3 c) {
    const double on_a[3][2] = {{a.x, a.y}, {a.y, a.z}, {a.z, a.x}};
    const double on_b[3][2] = {{b.x, b.y}, {b.y, b.z}, {b.z, b.x}};
    const double on_c[3][2] = {{c.x, c.y}, {c.y, c.z}, {c.z, c.x}};

    // The quick test first: nearly all triangles end there.
    for (int i = 0; i < 3; i++) {
        if (!may_be_flat(on_a[i], on_b[i], on_c[i])) {
            return false;
        }
    }

    for (int i = 0; i < 3; i++) {
        if (!is_flat_exactly(on_a[i], on_b[i], on_c[i])) {
            return false;
        }
    }
    return true;
}
