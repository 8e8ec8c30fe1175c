// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Hulls against brute force: no point outside, every vertex needed, faces closed and outward; flat, straight, single and
// far sets; `outside` against exact distances.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "math/math.h"
#include "oracle/exact.h"
#include "shape/hull.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

enum { POINTS_MAX = 4000 };
static Vec3 g_points[POINTS_MAX];

static BerthHull* make(int32_t count) {
    BerthHull* hull = NULL;
    if (berth_hull_create(g_points, count, NULL, &hull) != BERTH_OK) {
        fail_msg("hull refused: %s", berth_error_text());
    }
    return hull;
}

static double between(Random* random, double low, double high) {
    return bi_random_between(random, low, high);
}

// Sets that hulls meet: clouds, spheres, grids with many coplanar points, prisms in float, needles, far away.
static int32_t fill(int kind, int32_t count, Random* random) {
    for (int32_t i = 0; i < count; i++) {
        const double x = between(random, -1, 1), y = between(random, -1, 1), z = between(random, -1, 1);
        const Vec3 p = v3(x, y, z);  // arguments of a call would come in any order
        const double angle = 2 * 3.14159265358979 * (double)(i % 12) / 12;
        switch (kind) {
        case 0:
            g_points[i] = p;
            break;
        case 1:
            g_points[i] = v3_unit_or(p, v3(1, 0, 0));
            break;
        case 2:
            g_points[i] = v3(0.1 * (i % 5), 0.1 * (i / 5 % 5), 0.1 * (i / 25));
            break;
        case 3:
            g_points[i] =
                v3((double)(float)cos(angle), (double)(float)sin(angle), (double)(float)(0.3 * (i / 12)));
            break;
        case 4:
            g_points[i] = v3(1e-4 * p.x, 1e-4 * p.y, p.z);
            break;
        case 5:
            g_points[i] = v3_add(p, v3(1e6, -1e6, 1e5));
            break;
        case 6:
            g_points[i] = v3_scale(p, 1e-6);
            break;
        default:
            g_points[i] = v3(p.x, p.y, 1e-11 * p.z);
        }
    }
    if (count > 10 && kind != 2) {
        g_points[count - 1] = g_points[0];  // there twice
        g_points[count - 2] = v3_lerp(g_points[1], g_points[2], 0.5);
    }
    return count;
}

static double extent(int32_t count) {
    double most = 0.0;
    for (int32_t i = 0; i < count; i++) {
        most = fmax(most, v3_length(g_points[i]));
    }
    return most;
}

static double height_over(const BerthHull* hull, int32_t face, Vec3 p) {
    const int32_t* corner = hull->faces + 3 * (size_t)face;
    const Vec3 a = hull->vertices[corner[0]];
    const Vec3 normal = v3_cross(v3_sub(hull->vertices[corner[1]], a), v3_sub(hull->vertices[corner[2]], a));
    return v3_dot(v3_unit_or(normal, v3(0, 0, 0)), v3_sub(p, a));
}

// Longest side squared over area: how much a needle's normal turns when a corner is rounded.
static double slenderness(const BerthHull* hull, int32_t face) {
    const int32_t* corner = hull->faces + 3 * (size_t)face;
    const Vec3 a = hull->vertices[corner[0]], b = hull->vertices[corner[1]], c = hull->vertices[corner[2]];
    const double side_sq =
        fmax(v3_length_sq(v3_sub(a, b)), fmax(v3_length_sq(v3_sub(b, c)), v3_length_sq(v3_sub(c, a))));
    return side_sq / v3_length(v3_cross(v3_sub(b, a), v3_sub(c, a)));
}

static void check_ball(const BerthHull* hull) {
    for (int32_t i = 0; i < hull->vertex_count; i++) {
        const Vec3 v = hull->vertices[i];
        assert_true(exact_ball_contains((const double*)&hull->centre, hull->radius, (const double*)&v));
    }
}

// Every face edge once in either direction, and neighbours are exactly the edges.
static void check_graph(const BerthHull* hull) {
    const int32_t edge_count = 3 * hull->face_count;
    assert_int_equal(hull->vertex_count - edge_count / 2 + hull->face_count, 2);  // Euler
    for (int32_t i = 0; i < edge_count; i++) {
        const int32_t a = hull->faces[i], b = hull->faces[i % 3 == 2 ? i - 2 : i + 1];
        int same = 0, opposite = 0;
        for (int32_t k = 0; k < edge_count; k++) {
            const int32_t c = hull->faces[k], d = hull->faces[k % 3 == 2 ? k - 2 : k + 1];
            same += a == c && b == d;
            opposite += a == d && b == c;
        }
        assert_int_equal(same, 1);
        assert_int_equal(opposite, 1);
        if (hull->neighbour_count > 0) {
            bool found = false;
            for (int32_t k = hull->first_neighbour[a]; k < hull->first_neighbour[a + 1]; k++) {
                found = found || hull->neighbours[k] == b;
            }
            assert_true(found);
        }
    }
    if (hull->neighbour_count > 0) {
        assert_int_equal(hull->neighbour_count, edge_count);
        assert_int_equal(hull->first_neighbour[hull->vertex_count], edge_count);
    }
}

static void hulls_hold_all_points(void** state) {
    (void)state;
    Random random = {21};
    for (int round = 0; round < test_scaled(400); round++) {
        const int kind = round % 8;
        const int32_t count = fill(kind, 4 + (int32_t)(bi_random_next(&random) % 120), &random);
        BerthHull* hull = make(count);
        const double reach = extent(count);
        assert_true(hull->vertex_count >= 1 && hull->vertex_count <= count);
        assert_true(hull->outside >= 0.0 && hull->outside < 1e-13 * reach);
        for (int32_t face = 0; face < hull->face_count; face++) {
            for (int32_t i = 0; i < count; i++) {
                assert_true(height_over(hull, face, g_points[i]) <=
                            hull->outside + 1e-14 * reach * slenderness(hull, face));
            }
        }
        if (hull->face_count > 0) {
            check_graph(hull);
            assert_true(height_over(hull, 0, hull->centre) <= 1e-14 * reach);
        }
        check_ball(hull);
        berth_hull_destroy(hull);
    }
}

// The distance of every input point from the hull of the vertices is at most `outside`, exactly.
static void outside_is_a_bound(void** state) {
    (void)state;
    Random random = {22};
    int measured = 0;
    for (int round = 0; round < test_scaled(160); round++) {
        const int kind = round % 8;
        const int32_t count = fill(kind, 4 + (int32_t)(bi_random_next(&random) % 24), &random);
        BerthHull* hull = make(count);
        if (hull->vertex_count <= EXACT_CONVEX_MAX) {
            for (int32_t i = 0; i < count; i++) {
                double lower = 0.0, upper = 0.0;
                exact_convex_distance_bracket((const double*)hull->vertices, hull->vertex_count,
                                              (const double*)&g_points[i], 1, &lower, &upper);
                assert_true(lower <= hull->outside);
                measured++;
            }
        }
        berth_hull_destroy(hull);
    }
    assert_true(measured > test_scaled(60));
}

// Without one of its vertices the hull is smaller.
static void vertices_are_needed(void** state) {
    (void)state;
    Random random = {23};
    int checked = 0;
    for (int round = 0; round < test_scaled(60); round++) {
        const int32_t count = fill(round % 3 == 0 ? 2 : 0, 30, &random);
        BerthHull* hull = make(count);
        for (int32_t i = 0; i < hull->vertex_count && hull->vertex_count <= EXACT_CONVEX_MAX; i++) {
            static Vec3 others[EXACT_CONVEX_MAX];
            int32_t other_count = 0;
            for (int32_t k = 0; k < hull->vertex_count; k++) {
                if (k != i) {
                    others[other_count++] = hull->vertices[k];
                }
            }
            double lower = 0.0, upper = 0.0;
            const int touches = exact_convex_distance_bracket(
                (const double*)others, other_count, (const double*)&hull->vertices[i], 1, &lower, &upper);
            assert_int_equal(touches, 0);
            assert_true(upper > 0.0);
            checked++;
        }
        berth_hull_destroy(hull);
    }
    assert_true(checked > test_scaled(60));
}

static void flat_straight_and_single_sets(void** state) {
    (void)state;
    Random random = {24};
    for (int round = 0; round < test_scaled(300); round++) {
        const Pose pose = test_pose(&random, 2.0);
        const int32_t count = 3 + (int32_t)(bi_random_next(&random) % 40);
        const int dimension = round % 3;
        for (int32_t i = 0; i < count; i++) {
            const double u = between(&random, -1, 1), w = between(&random, -1, 1);
            g_points[i] = pose_apply(&pose, v3(dimension > 0 ? u : 0, dimension > 1 ? w : 0, 0));
        }
        BerthHull* hull = make(count);
        assert_int_equal(hull->face_count, 0);
        assert_true(dimension > 0 || hull->vertex_count == 1);
        assert_true(dimension != 1 || hull->vertex_count == 2);
        assert_true(dimension != 2 || hull->vertex_count >= 3);
        assert_true(hull->outside < 1e-13);
        for (int32_t i = 0; i < count && hull->vertex_count <= EXACT_CONVEX_MAX; i++) {
            double lower = 0.0, upper = 0.0;
            exact_convex_distance_bracket((const double*)hull->vertices, hull->vertex_count,
                                          (const double*)&g_points[i], 1, &lower, &upper);
            assert_true(lower <= hull->outside);
        }
        check_ball(hull);
        berth_hull_destroy(hull);
    }
    // A square with points along its sides: four corners are left.
    for (int32_t i = 0; i < 40; i++) {
        const double t = (double)(i % 10) / 10;
        const int side = i / 10;
        g_points[i] = v3(side == 0   ? t
                         : side == 1 ? 1
                         : side == 2 ? 1 - t
                                     : 0,
                         0.25,
                         side == 0   ? 0
                         : side == 1 ? t
                         : side == 2 ? 1
                                     : 1 - t);
    }
    BerthHull* hull = make(40);
    assert_int_equal(hull->vertex_count, 4);
    berth_hull_destroy(hull);
    // Smaller than a double can square: one point, and what it leaves out is said.
    g_points[0] = v3(0, 0, 0);
    g_points[1] = v3(1e-200, 0, 0);
    hull = make(2);
    assert_int_equal(hull->vertex_count, 1);
    assert_true(hull->outside >= 1e-200);
    berth_hull_destroy(hull);
}

static void polygons_have_neighbours(void** state) {
    (void)state;
    for (int32_t i = 0; i < 200; i++) {
        const double angle = 2 * 3.14159265358979 * i / 200;
        g_points[(i * 77) % 200] = v3(cos(angle), 0.5, sin(angle));
    }
    BerthHull* hull = make(200);
    assert_int_equal(hull->vertex_count, 200);
    assert_int_equal(hull->neighbour_count, 400);
    for (int32_t i = 0; i < 200; i++) {
        for (int32_t k = 0; k < 2; k++) {
            const Vec3 other = hull->vertices[hull->neighbours[hull->first_neighbour[i] + k]];
            assert_true(v3_distance(hull->vertices[i], other) < 0.0315);
        }
    }
    berth_hull_destroy(hull);
}

static void wrong_input_is_named(void** state) {
    (void)state;
    BerthHull* hull = NULL;
    const double bad[3] = {NAN, -INFINITY, 2e7};
    for (int i = 0; i < 3; i++) {
        for (int32_t k = 0; k < 5; k++) {
            g_points[k] = v3(k, k * k, k % 2);
        }
        g_points[3].z = bad[i];
        assert_int_equal(berth_hull_create(g_points, 5, NULL, &hull), BERTH_ERR_ARGUMENT);
        assert_null(hull);
        assert_non_null(strstr(berth_error_text(), "point 3 has z ="));
    }
    assert_int_equal(berth_hull_create(g_points, 0, NULL, &hull), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_hull_create(NULL, 3, NULL, &hull), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_hull_create(g_points, 3, NULL, NULL), BERTH_ERR_ARGUMENT);
    berth_hull_destroy(NULL);
}

static BerthStatus make_hull(void* count, const BerthAllocator* allocator) {
    BerthHull* hull = NULL;
    const BerthStatus status = berth_hull_create(g_points, *(const int32_t*)count, allocator, &hull);
    berth_hull_destroy(hull);
    return status;
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    Random random = {25};
    for (int kind = 0; kind < 3; kind++) {
        int32_t count = fill(kind == 0 ? 0 : 1, 200, &random);
        for (int32_t i = 0; i < count && kind == 2; i++) {
            g_points[i].z = 0.0;
        }
        assert_true(starve(make_hull, &count) < 1000);
    }
}

// qhull likes to explain itself on standard error; nothing may reach it. Thin, cospherical and doubled points.
static void nothing_is_printed(void** state) {
    (void)state;
    fflush(stdout);
    fflush(stderr);
    FILE* sink = tmpfile();
    assert_non_null(sink);
    const int old_out = dup(1), old_err = dup(2);
    dup2(fileno(sink), 1);
    dup2(fileno(sink), 2);
    Random random = {26};
    bool all_made = true;
    for (int round = 0; round < 60; round++) {
        const double thin = pow(10.0, -(double)(round % 20));
        for (int32_t i = 0; i < 300; i++) {
            g_points[i] = v3(0.1 * (i % 10), 0.1 * (i / 10 % 10), thin * (i / 100));
            if (round >= 40) {
                g_points[i] =
                    v3(g_points[i].x + thin * between(&random, -1, 1), g_points[i].y, g_points[i].z);
            }
        }
        BerthHull* hull = NULL;
        all_made = berth_hull_create(g_points, 300, NULL, &hull) == BERTH_OK && all_made;
        berth_hull_destroy(hull);
    }
    fflush(stdout);
    fflush(stderr);
    dup2(old_out, 1);
    dup2(old_err, 2);
    close(old_out);
    close(old_err);
    const long written = (fseek(sink, 0, SEEK_END), ftell(sink));
    fclose(sink);
    assert_true(all_made);
    assert_int_equal(written, 0);
}

int test_mesh_hull(void);
int test_mesh_hull(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_hold_all_points),     cmocka_unit_test(outside_is_a_bound),
        cmocka_unit_test(vertices_are_needed),       cmocka_unit_test(flat_straight_and_single_sets),
        cmocka_unit_test(polygons_have_neighbours),  cmocka_unit_test(wrong_input_is_named),
        cmocka_unit_test(every_allocation_may_fail), cmocka_unit_test(nothing_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
