// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Meshes: welding, closedness, pieces, cavities, convexity, containment against exact arithmetic.
// test-share: 0.4

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "mesh/mesh.h"
#include "mesh/mesh_build.h"
#include "oracle/exact.h"
#include "shape/gap.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

// ---- surfaces made by code -----------------------------------------------------------------------------------

enum { SURFACE_MAX = 4096 };
typedef struct Surface {
    Vec3 v[SURFACE_MAX];
    int32_t t[3 * SURFACE_MAX];
    int32_t vertex_count, triangle_count;
} Surface;

static void add_triangle(Surface* s, int32_t a, int32_t b, int32_t c) {
    assert_true(s->triangle_count < SURFACE_MAX);
    int32_t* corner = s->t + 3 * s->triangle_count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

// A closed grid of rows x columns; with poles it is a ball, without a torus.
static void add_grid(Surface* s, int rows, int columns, bool poles, Random* random) {
    const int32_t first = s->vertex_count;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < columns; k++) {
            const double u = 2 * 3.14159265358979 * k / columns;
            const double w =
                poles ? 3.14159265358979 * (i + 1) / (rows + 1) : 2 * 3.14159265358979 * i / rows;
            const double bump = bi_random_between(random, 0.95, 1.0);
            const double out = poles ? sin(w) : 1.0 + 0.4 * cos(w);
            s->v[s->vertex_count++] =
                v3_scale(v3(out * cos(u), out * sin(u), poles ? cos(w) : 0.4 * sin(w)), bump);
        }
    }
    const int row_count = poles ? rows - 1 : rows;
    for (int i = 0; i < row_count; i++) {
        for (int k = 0; k < columns; k++) {
            const int32_t a = first + i * columns + k, b = first + i * columns + (k + 1) % columns;
            const int32_t c = first + (i + 1) % rows * columns + k,
                          d = first + (i + 1) % rows * columns + (k + 1) % columns;
            add_triangle(s, a, poles ? c : b, poles ? b : c);
            add_triangle(s, b, poles ? c : d, poles ? d : c);
        }
    }
    if (poles) {
        const int32_t north = s->vertex_count, south = north + 1;
        s->v[s->vertex_count++] = v3(0, 0, 1);
        s->v[s->vertex_count++] = v3(0, 0, -1);
        for (int k = 0; k < columns; k++) {
            add_triangle(s, north, first + k, first + (k + 1) % columns);
            add_triangle(s, south, first + (rows - 1) * columns + (k + 1) % columns,
                         first + (rows - 1) * columns + k);
        }
    }
}

static void add_box(Surface* s, Vec3 low, Vec3 high) {
    static const int32_t corners[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                        2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    const int32_t first = s->vertex_count;
    for (int i = 0; i < 8; i++) {
        s->v[s->vertex_count++] = v3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    }
    for (int i = 0; i < 12; i++) {
        add_triangle(s, first + corners[3 * i], first + corners[3 * i + 1], first + corners[3 * i + 2]);
    }
}

static void turn_range(Surface* s, int32_t from, int32_t to) {
    for (int32_t i = from; i < to; i++) {
        const int32_t swap = s->t[3 * i];
        s->t[3 * i] = s->t[3 * i + 1];
        s->t[3 * i + 1] = swap;
    }
}

static void add_random_closed(Surface* s, Random* random) {
    const int32_t first = s->vertex_count;
    switch (bi_random_next(random) % 3) {
    case 0:
        add_box(s, v3(-1, -1, -1), v3(bi_random_next(random) % 2 ? 0 : 1, 1, 1));
        break;
    case 1:
        add_grid(s, 3 + (int)(bi_random_next(random) % 5), 3 + (int)(bi_random_next(random) % 8), true,
                 random);
        break;
    default:
        add_grid(s, 3 + (int)(bi_random_next(random) % 5), 5 + (int)(bi_random_next(random) % 8), false,
                 random);
    }
    const BerthQuat turn =
        bi_random_next(random) % 3 ? bi_random_quat(random) : (BerthQuat){0, 0, 0, 1};  // or along the axes
    const Pose pose = bi_pose_from_unit_quat(turn, v3(0, 0, 0));
    for (int32_t i = first; i < s->vertex_count; i++) {
        s->v[i] = pose_apply(&pose, s->v[i]);
    }
}

static BerthMesh* make(const Surface* s) {
    BerthMesh* mesh = NULL;
    const BerthStatus status = berth_mesh_create(s->v, s->vertex_count, s->t, s->triangle_count, NULL, &mesh);
    if (status != BERTH_OK) {
        fail_msg("mesh refused: %s", berth_error_text());
    }
    return mesh;
}

static double signed_volume(const Surface* s) {
    double sum = 0.0;
    for (int32_t i = 0; i < s->triangle_count; i++) {
        sum += v3_dot(s->v[s->t[3 * i]], v3_cross(s->v[s->t[3 * i + 1]], s->v[s->t[3 * i + 2]])) / 6.0;
    }
    return sum;
}

// Every triangle with corners of its own, in another order, turned round, with some zeros negative.
static void explode(const Surface* s, Surface* out, Random* random) {
    static int32_t order[SURFACE_MAX];
    *out = (Surface){.triangle_count = 0};
    for (int32_t i = 0; i < s->triangle_count; i++) {
        const int32_t k = (int32_t)(bi_random_next(random) % (uint64_t)(i + 1));
        order[i] = order[k];
        order[k] = i;
    }
    for (int32_t i = 0; i < s->triangle_count; i++) {
        const int32_t turn = (int32_t)(bi_random_next(random) % 3);
        for (int32_t k = 0; k < 3; k++) {
            Vec3 p = s->v[s->t[3 * order[i] + (k + turn) % 3]];
            p.x = p.x == 0.0 && bi_random_next(random) % 2 ? -0.0 : p.x;
            out->v[out->vertex_count++] = p;
        }
        add_triangle(out, 3 * i, 3 * i + 1, 3 * i + 2);
    }
}

// ---- tests ----------------------------------------------------------------------------------------------------

static Surface g_a, g_b;

static void box_is_known(void** state) {
    (void)state;
    g_a = (Surface){.triangle_count = 0};
    add_box(&g_a, v3(-1, 2, 0), v3(0, 4, 3));
    BerthMesh* mesh = make(&g_a);
    const BerthMeshInfo info = berth_mesh_info(mesh);
    assert_int_equal(info.vertex_count, 8);
    assert_int_equal(info.triangle_count, 12);
    assert_int_equal(info.degenerate_count + info.duplicate_count + info.open_edge_count, 0);
    assert_int_equal(info.component_count, 1);
    assert_true(info.watertight);
    assert_true(info.convex);
    assert_true(fabs(info.volume - 6.0) < 1e-14);
    assert_true(fabs(info.area - 22.0) < 1e-14);
    assert_true(info.low.x == -1 && info.low.y == 2 && info.low.z == 0);
    assert_true(info.high.x == 0 && info.high.y == 4 && info.high.z == 3);
    berth_mesh_destroy(mesh);
}

// Whatever order, rotation, sign of zero or orientation the triangles come in: the same closed solid.
static void soups_weld(void** state) {
    (void)state;
    Random random = {11};
    for (int round = 0; round < test_scaled(400); round++) {
        g_a = (Surface){.triangle_count = 0};
        add_random_closed(&g_a, &random);
        const double volume = fabs(signed_volume(&g_a));
        if (round % 2 == 1) {
            turn_range(&g_a, 0, g_a.triangle_count);
        }
        explode(&g_a, &g_b, &random);
        BerthMesh* mesh = make(&g_b);
        const BerthMeshInfo info = berth_mesh_info(mesh);
        assert_int_equal(info.vertex_count, g_a.vertex_count);
        assert_int_equal(info.triangle_count, g_a.triangle_count);
        assert_true(info.watertight);
        assert_int_equal(info.component_count, 1);
        assert_true(fabs(info.volume - volume) < 1e-12);
        // Outward: the sum of the triangles as they are now is positive.
        double sum = 0.0;
        for (int32_t i = 0; i < info.triangle_count; i++) {
            Vec3 t[3];
            mesh_triangle(mesh, i, t);
            sum += v3_dot(t[0], v3_cross(t[1], t[2])) / 6.0;
        }
        assert_true(sum > 0.5 * volume);
        berth_mesh_destroy(mesh);
    }
}

// Edges not shared by exactly two triangles in opposite directions, by looking at all pairs.
static int32_t open_edges_slowly(const Surface* s) {
    const int32_t count = 3 * s->triangle_count;
    int32_t open = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t a = s->t[i], b = s->t[i % 3 == 2 ? i - 2 : i + 1];
        int same = 0, opposite = 0;
        bool first = true;
        for (int32_t k = 0; k < count; k++) {
            const int32_t c = s->t[k], d = s->t[k % 3 == 2 ? k - 2 : k + 1];
            same += c == a && d == b;
            opposite += c == b && d == a;
            first = first && !(k < i && ((c == a && d == b) || (c == b && d == a)));
        }
        open += first && !(same == 1 && opposite == 1);
    }
    return open;
}

static void holes_and_turned_triangles_open(void** state) {
    (void)state;
    Random random = {12};
    for (int round = 0; round < test_scaled(150); round++) {
        g_a = (Surface){.triangle_count = 0};
        add_random_closed(&g_a, &random);
        const int32_t changes = 1 + (int32_t)(bi_random_next(&random) % 4);
        for (int32_t i = 0; i < changes; i++) {
            const int32_t k = (int32_t)(bi_random_next(&random) % (uint64_t)g_a.triangle_count);
            if (round % 2 == 0) {
                g_a.triangle_count--;
                memmove(g_a.t + 3 * k, g_a.t + 3 * g_a.triangle_count, 3 * sizeof(int32_t));
            } else {
                turn_range(&g_a, k, k + 1);
            }
        }
        BerthMesh* mesh = make(&g_a);
        const int32_t expected = open_edges_slowly(&g_a);
        assert_int_equal(berth_mesh_info(mesh).open_edge_count, expected);
        assert_int_equal(berth_mesh_info(mesh).watertight, expected == 0);
        assert_true(berth_mesh_info(mesh).watertight || berth_mesh_info(mesh).volume == 0.0);
        berth_mesh_destroy(mesh);
    }
}

static void duplicates_and_degenerates_are_counted(void** state) {
    (void)state;
    g_a = (Surface){.triangle_count = 0};
    add_box(&g_a, v3(0, 0, 0), v3(1, 1, 1));
    add_triangle(&g_a, 2, 1, 0);  // triangle 0, turned round
    add_triangle(&g_a, 1, 2, 3);
    add_triangle(&g_a, 5, 5, 7);
    g_a.v[g_a.vertex_count++] = v3(1, 0, 0);  // vertex 1 again
    add_triangle(&g_a, 1, 8, 7);
    BerthMesh* mesh = make(&g_a);
    assert_int_equal(berth_mesh_info(mesh).duplicate_count, 2);
    assert_int_equal(berth_mesh_info(mesh).degenerate_count, 2);
    assert_int_equal(berth_mesh_info(mesh).triangle_count, 12);
    assert_true(berth_mesh_info(mesh).watertight);
    berth_mesh_destroy(mesh);
    // Opposite sides of one triangle are not the same: a closed pillow without volume.
    const Vec3 corner[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int32_t pillow[6] = {0, 1, 2, 0, 2, 1};
    assert_int_equal(berth_mesh_create(corner, 3, pillow, 2, NULL, &mesh), BERTH_OK);
    assert_int_equal(berth_mesh_info(mesh).triangle_count, 2);
    assert_int_equal(berth_mesh_info(mesh).duplicate_count, 0);
    assert_true(berth_mesh_info(mesh).watertight);
    assert_false(berth_mesh_info(mesh).convex);
    assert_true(berth_mesh_info(mesh).volume == 0.0);
    berth_mesh_destroy(mesh);
}

// A line or a point that is no other triangle's is lost with its triangle, and that is told.
static void lost_lines_are_counted(void** state) {
    (void)state;
    static const struct {
        int32_t a, b, c, lost;
    } cases[] = {{0, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {5, 5, 5, 0},
                 {8, 8, 8, 1}, {8, 8, 9, 1}, {0, 8, 8, 1}, {0, 7, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        g_a = (Surface){.triangle_count = 0};
        add_box(&g_a, v3(0, 0, 0), v3(1, 1, 1));
        g_a.v[g_a.vertex_count++] = v3(3, 0, 0);
        g_a.v[g_a.vertex_count++] = v3(4, 0, 0);
        add_triangle(&g_a, cases[i].a, cases[i].b, cases[i].c);
        add_triangle(&g_a, cases[i].c, cases[i].a, cases[i].b);  // once is enough
        BerthMesh* mesh = make(&g_a);
        assert_int_equal(berth_mesh_info(mesh).degenerate_count, 2);
        assert_int_equal(berth_mesh_info(mesh).lost_count, cases[i].lost);
        assert_true(berth_mesh_info(mesh).watertight);
        berth_mesh_destroy(mesh);
    }
}

// A T-junction closed by a triangle on a line: it may go from a closed mesh, and must stay in an open one.
static void triangles_on_a_line_go_only_when_covered(void** state) {
    (void)state;
    g_a = (Surface){.triangle_count = 0};
    add_box(&g_a, v3(0, 0, 0), v3(1, 1, 1));
    // Edge 1-2 is shared by triangles 0 (0 2 1) and 1 (1 2 3). Put vertex 8 in its middle, split triangle 1 only.
    g_a.v[g_a.vertex_count++] = v3(0.5, 0.5, 0);
    g_a.t[3] = 1, g_a.t[4] = 8, g_a.t[5] = 3;
    add_triangle(&g_a, 8, 2, 3);
    add_triangle(&g_a, 1, 2, 8);
    BerthMesh* mesh = make(&g_a);
    assert_true(berth_mesh_info(mesh).watertight);
    assert_int_equal(berth_mesh_info(mesh).degenerate_count, 1);
    assert_int_equal(berth_mesh_info(mesh).triangle_count, 13);
    assert_true(fabs(berth_mesh_info(mesh).volume - 1.0) < 1e-14);
    assert_true(bi_mesh_contains_slow(mesh, v3(0.5, 0.5, 0.25)));
    berth_mesh_destroy(mesh);
    g_a.t[6] = g_a.t[7];  // a hole
    mesh = make(&g_a);
    assert_false(berth_mesh_info(mesh).watertight);
    assert_int_equal(berth_mesh_info(mesh).degenerate_count, 1);  // the one with a corner twice
    assert_int_equal(berth_mesh_info(mesh).triangle_count, 13);
    berth_mesh_destroy(mesh);
    // A closed piece that has nothing but such triangles is kept: nobody else covers it.
    const Vec3 line[3] = {{0, 0, 0}, {1, 1, 1}, {3, 3, 3}};
    const int32_t both[6] = {0, 1, 2, 0, 2, 1};
    assert_int_equal(berth_mesh_create(line, 3, both, 2, NULL, &mesh), BERTH_OK);
    assert_int_equal(berth_mesh_info(mesh).triangle_count, 2);
    berth_mesh_destroy(mesh);
}

static void points_on_a_line_are_exact(void** state) {
    (void)state;
    Random random = {13};
    for (int round = 0; round < test_scaled(100000); round++) {
        // Integer multiples of a small integer direction, scaled by a power of two: exactly on a line.
        int64_t d[3], o[3];
        for (int i = 0; i < 3; i++) {
            d[i] = (int64_t)(bi_random_next(&random) % 2001) - 1000;
            o[i] = (int64_t)(bi_random_next(&random) % 2000001) - 1000000;
        }
        const int64_t k = (int64_t)(bi_random_next(&random) % 1000) + 1,
                      m = -(int64_t)(bi_random_next(&random) % 1000) - 1;
        const double scale = ldexp(1.0, (int)(bi_random_next(&random) % 40) - 30);
        Vec3 p[3];
        for (int i = 0; i < 3; i++) {
            const int64_t f = i == 0 ? 0 : i == 1 ? k : m;
            p[i] = v3(scale * (double)(o[0] + f * d[0]), scale * (double)(o[1] + f * d[1]),
                      scale * (double)(o[2] + f * d[2]));
        }
        assert_true(bi_points_on_line(p[0], p[1], p[2]));
        if (d[1] != 0 || d[2] != 0) {
            p[2].x = nextafter(p[2].x, 1e9);
            assert_false(bi_points_on_line(p[0], p[1], p[2]));
        }
    }
    assert_false(bi_points_on_line(v3(0, 0, 0), v3(1e-200, 0, 0), v3(0, 1e-200, 0)));
}

static void cavities_stay_and_inverted_pieces_turn(void** state) {
    (void)state;
    Random random = {14};
    for (int round = 0; round < 16; round++) {
        const bool outer_in = round & 1, inner_in = round & 2, aside_in = round & 4, deeper = round & 8;
        g_a = (Surface){.triangle_count = 0};
        add_box(&g_a, v3(-4, -4, -4), v3(4, 4, 4));
        add_box(&g_a, v3(-2, -2, -2), v3(2, 2, 2));
        add_box(&g_a, v3(10, -1, -1), v3(12, 1, 1));
        if (deeper) {
            add_box(&g_a, v3(-1, -1, -1), v3(1, 1, 1));  // an island, outward
        }
        turn_range(&g_a, 0, outer_in ? 12 : 0);
        turn_range(&g_a, 12, inner_in ? 24 : 12);
        turn_range(&g_a, 24, aside_in ? 36 : 24);
        explode(&g_a, &g_b, &random);
        BerthMesh* mesh = make(&g_b);
        const bool hollow = inner_in && !outer_in;  // only then is the inner box a cavity
        const BerthMeshInfo info = berth_mesh_info(mesh);
        assert_int_equal(info.component_count, deeper ? 4 : 3);
        assert_true(info.watertight);
        assert_false(info.convex);
        assert_true(fabs(info.volume - (512.0 + (hollow ? -64.0 : 64.0) + 8.0 + (deeper ? 8.0 : 0.0))) <
                    1e-10);
        assert_true(bi_mesh_contains_slow(mesh, v3(3, 3, 3)));
        assert_int_equal(bi_mesh_contains_slow(mesh, v3(1.5, 1.5, 1.5)), !hollow);
        assert_int_equal(bi_mesh_contains_slow(mesh, v3(0.5, 0.5, 0.5)), !hollow || deeper);
        assert_true(bi_mesh_contains_slow(mesh, v3(11, 0, 0)));
        assert_false(bi_mesh_contains_slow(mesh, v3(7, 0, 0)));
        berth_mesh_destroy(mesh);
    }
}

// A cavity whose first corner lies on the outer surface was turned outward: no ray from there is sure.
static void a_cavity_may_touch_the_outside(void** state) {
    (void)state;
    for (int inward = 0; inward < 2; inward++) {
        g_a = (Surface){.triangle_count = 0};
        static const Vec3 corners[4] = {{4, 0, 0}, {1, 1, 0}, {1, -1, 1}, {1, -1, -1}};
        memcpy(g_a.v, corners, sizeof corners);
        g_a.vertex_count = 4;
        for (int k = 0; k < 4; k++) {
            const int a = k, b = (k + 1) % 4, c = (k + 2) % 4;
            add_triangle(&g_a, a, k % 2 ? b : c, k % 2 ? c : b);
        }
        turn_range(&g_a, 0, inward ? 4 : 0);
        add_box(&g_a, v3(-4, -4, -4), v3(4, 4, 4));
        BerthMesh* mesh = make(&g_a);
        const BerthMeshInfo info = berth_mesh_info(mesh);
        assert_true(info.watertight);
        assert_true(fabs(fabs(info.volume - 512.0) - 2.0) < 1e-9);
        assert_int_equal(bi_mesh_contains_slow(mesh, v3(1.75, -0.25, 0)), info.volume > 512.0);
        if (inward == 0) {
            g_b = g_a;
        } else {
            // One of the two windings is a cavity, the other is not.
            BerthMesh* other = make(&g_b);
            assert_true(fabs(info.volume - berth_mesh_info(other).volume) > 3.0);
            berth_mesh_destroy(other);
        }
        berth_mesh_destroy(mesh);
    }
}

static double nearest_surface_sq(const BerthMesh* mesh, Vec3 p) {
    double least = INFINITY;
    for (int32_t i = 0; i < mesh->info.triangle_count; i++) {
        Vec3 t[3];
        mesh_triangle(mesh, i, t);
        double lower = 0.0, upper = 0.0;
        exact_point_triangle_sq_bracket((const double*)&p, (const double*)t, &lower, &upper);
        least = upper < least ? upper : least;
    }
    return least;
}

// A point of the surface or of space; those on corners, edges and faces are where ray casters go wrong.
static Vec3 random_point(const BerthMesh* mesh, Random* random) {
    Vec3 t[3];
    mesh_triangle(mesh, (int32_t)(bi_random_next(random) % (uint64_t)mesh->info.triangle_count), t);
    const double u = bi_random_between(random, 0, 1), w = bi_random_between(random, 0, 1 - u);
    const Vec3 on_face = v3_add(v3_add(v3_scale(t[0], u), v3_scale(t[1], w)), v3_scale(t[2], 1 - u - w));
    switch (bi_random_next(random) % 6) {
    case 0:
        return t[0];
    case 1:
        return v3_lerp(t[0], t[1], 0.5);
    case 2:
        return on_face;
    case 3:
        return v3_scale(on_face, 1 + 1e-13 * bi_random_between(random, -1, 1));
    case 4:
        return v3_scale(on_face, bi_random_between(random, 0, 1.2));
    default:
        return v3_scale(on_face, bi_random_between(random, 1, 2));
    }
}

static void containment_is_exact(void** state) {
    (void)state;
    Random random = {15};
    int inside = 0, outside = 0, on = 0, cautious = 0;
    for (int round = 0; round < test_scaled(300); round++) {
        g_a = (Surface){.triangle_count = 0};
        add_random_closed(&g_a, &random);
        BerthMesh* mesh = make(&g_a);
        for (int i = 0; i < 100; i++) {
            const Vec3 p = random_point(mesh, &random);
            const int winding = exact_point_in_mesh((const double*)&p, (const double*)mesh->vertices,
                                                    mesh->triangles, mesh->info.triangle_count);
            const bool answer = bi_mesh_contains_slow(mesh, p);
            assert_int_not_equal(winding, EXACT_NO_RAY);
            inside += winding != EXACT_ON_SURFACE && winding != 0;
            on += winding == EXACT_ON_SURFACE;
            if (winding != 0) {
                assert_true(answer);
                continue;
            }
            outside++;
            if (answer) {  // allowed only where rounding cannot tell
                cautious++;
                assert_true(nearest_surface_sq(mesh, p) < 1e-28);
            }
        }
        berth_mesh_destroy(mesh);
    }
    assert_true(inside > 0 && outside > 0 && on > 0 && cautious > 0);
}

static void nan_is_inside(void** state) {
    (void)state;
    g_a = (Surface){.triangle_count = 0};
    add_box(&g_a, v3(-1, -1, -1), v3(1, 1, 1));
    BerthMesh* mesh = make(&g_a);
    assert_true(bi_mesh_contains_slow(mesh, v3(NAN, 0, 0)));
    assert_true(bi_mesh_contains_slow(mesh, v3(0, 0, INFINITY)));
    berth_mesh_destroy(mesh);
}

static void convex_is_meant(void** state) {
    (void)state;
    Random random = {16};
    int convex_count = 0;
    for (int round = 0; round < test_scaled(300); round++) {
        g_a = (Surface){.triangle_count = 0};
        add_random_closed(&g_a, &random);
        if (round % 3 == 0) {
            g_a = (Surface){.triangle_count = 0};
            add_box(&g_a, v3(-1, -2, -3), v3(1, 2, 3));
            const Pose pose = bi_pose_from_unit_quat(bi_random_quat(&random), v3(4, 5, 6));
            for (int32_t i = 0; i < 8; i++) {
                g_a.v[i] = pose_apply(&pose, g_a.v[i]);
            }
        }
        BerthMesh* mesh = make(&g_a);
        const BerthMeshInfo info = berth_mesh_info(mesh);
        double worst = -INFINITY;
        for (int32_t i = 0; i < info.triangle_count; i++) {
            Vec3 t[3];
            mesh_triangle(mesh, i, t);
            const Vec3 normal = v3_unit_or(v3_cross(v3_sub(t[1], t[0]), v3_sub(t[2], t[0])), v3(0, 0, 0));
            for (int32_t k = 0; k < info.vertex_count; k++) {
                const double height = v3_dot(normal, v3_sub(mesh->vertices[k], t[0]));
                worst = height > worst ? height : worst;
            }
        }
        convex_count += info.convex;
        assert_true(!info.convex || worst < 1e-9);
        assert_true(info.convex || worst > 1e-13);
        assert_true(round % 3 != 0 || info.convex);
        berth_mesh_destroy(mesh);
    }
    assert_true(convex_count > 0);
    // A nanometre is not rounding.
    g_a = (Surface){.triangle_count = 0};
    add_box(&g_a, v3(0, 0, 0), v3(1, 1, 1));
    g_a.v[7].z -= 1e-9;
    BerthMesh* mesh = make(&g_a);
    const bool dented = berth_mesh_info(mesh).convex;
    berth_mesh_destroy(mesh);
    g_a.v[7].z += 2e-9;
    mesh = make(&g_a);
    assert_false(dented && berth_mesh_info(mesh).convex);  // one of the two folds inward
    berth_mesh_destroy(mesh);
}

static void wrong_input_is_named(void** state) {
    (void)state;
    const int32_t good[3] = {0, 1, 2}, high[3] = {0, 1, 3}, low[3] = {0, -1, 2}, same[3] = {0, 1, 1};
    const double bad[4] = {NAN, INFINITY, -INFINITY, 1.0001e7};
    BerthMesh* mesh = (BerthMesh*)&g_a;
    for (int i = 0; i < 4; i++) {
        Vec3 v[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        v[2].y = bad[i];
        assert_int_equal(berth_mesh_create(v, 3, good, 1, NULL, &mesh), BERTH_ERR_ARGUMENT);
        assert_null(mesh);
        assert_non_null(strstr(berth_error_text(), "vertex 2 has y ="));
    }
    const Vec3 v[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    assert_int_equal(berth_mesh_create(v, 3, high, 1, NULL, &mesh), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "names vertex 3"));
    assert_int_equal(berth_mesh_create(v, 3, low, 1, NULL, &mesh), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "names vertex -1"));
    assert_int_equal(berth_mesh_create(v, 3, same, 1, NULL, &mesh), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_mesh_create(v, 3, good, 0, NULL, &mesh), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_mesh_create(v, 0, good, 1, NULL, &mesh), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_mesh_create(NULL, 3, good, 1, NULL, &mesh), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_mesh_create(v, 3, good, 20000001, NULL, &mesh), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "20000000"));
    assert_int_equal(berth_mesh_create(v, 3, good, 1, NULL, NULL), BERTH_ERR_ARGUMENT);
    berth_mesh_destroy(NULL);
    assert_int_equal(berth_mesh_create(v, 3, good, 1, NULL, &mesh), BERTH_OK);
    assert_int_equal(berth_mesh_info(mesh).open_edge_count, 3);
    berth_mesh_destroy(mesh);
}

static BerthStatus make_mesh(void* user, const BerthAllocator* allocator) {
    const Surface* surface = user;
    BerthMesh* mesh = NULL;
    const BerthStatus status = berth_mesh_create(surface->v, surface->vertex_count, surface->t,
                                                 surface->triangle_count, allocator, &mesh);
    berth_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    Random random = {17};
    g_a = (Surface){.triangle_count = 0};
    add_box(&g_a, v3(-4, -4, -4), v3(4, 4, 4));
    add_grid(&g_a, 4, 6, true, &random);
    turn_range(&g_a, 12, g_a.triangle_count);
    assert_true(starve(make_mesh, &g_a) < 1000);
}

// The hash of weld.c and its inverse: a file can be made so that all of its points fall on one place of a table.
static uint64_t mix(uint64_t key) {
    key ^= key >> 32;
    key *= 0x9E3779B97F4A7C15u;
    key ^= key >> 29;
    key *= 0xBF58476D1CE4E5B9u;
    return key ^ key >> 32;
}

static uint64_t unshift(uint64_t value, int shift) {
    uint64_t out = value;
    for (int i = 0; i < 64; i += shift) {
        out = value ^ out >> shift;
    }
    return out;
}

static uint64_t inverse_of(uint64_t odd) {
    uint64_t out = odd;
    for (int i = 0; i < 6; i++) {
        out *= 2 - odd * out;
    }
    return out;
}

static uint64_t unmix(uint64_t hash) {
    hash = unshift(hash, 32) * inverse_of(0xBF58476D1CE4E5B9u);
    hash = unshift(hash, 29) * inverse_of(0x9E3779B97F4A7C15u);
    return unshift(hash, 32);
}

// A point with this hash, any other coordinates.
static Vec3 point_with_hash(uint64_t hash, Random* random) {
    for (;;) {
        Vec3 point = v3(0.0, bi_random_between(random, -1, 1), bi_random_between(random, -1, 1));
        uint64_t bits[3];
        memcpy(bits, &point, sizeof bits);
        bits[0] = unmix(hash) - mix(bits[1] + mix(bits[2]));
        memcpy(&point, bits, sizeof bits);
        if (fabs(point.x) <= 1e7) {
            return point;
        }
    }
}

enum { HOSTILE = 600 };

static void hostile_points_weld(void** state) {
    (void)state;
    Random random = {91};
    static Vec3 points[3 * HOSTILE], given[3 * HOSTILE];
    static int32_t corners[3 * HOSTILE];
    for (int i = 0; i < 3 * HOSTILE; i++) {  // every point twice, somewhere
        points[i] = i % 2 == 0 ? point_with_hash(12345, &random)
                               : points[2 * (bi_random_next(&random) % (uint64_t)(i / 2 + 1))];
        given[i] = points[i];
        corners[i] = i;
    }

    MeshBuild build = {.allocator = berth_default_allocator(),
                       .info = {.vertex_count = 3 * HOSTILE, .triangle_count = HOSTILE},
                       .vertices = points,
                       .triangles = corners,
                       .vertex_capacity = 3 * HOSTILE,
                       .triangle_capacity = HOSTILE,
                       .threads = 2};
    assert_int_equal(bi_mesh_weld(&build), BERTH_OK);
    assert_int_equal(build.sorted_count, 1);

    // What is left names the first of equal points, in the order given.
    int32_t kept = 0;
    for (int i = 0; i < HOSTILE; i++) {
        int32_t first[3];
        for (int k = 0; k < 3; k++) {
            first[k] = 0;
            while (v3_distance(given[first[k]], given[3 * i + k]) != 0.0) {
                first[k]++;
            }
        }
        if (first[0] == first[1] || first[1] == first[2] || first[2] == first[0]) {
            continue;
        }
        assert_memory_equal(corners + 3 * kept, first, sizeof first);
        kept++;
    }
    assert_int_equal(kept, build.info.triangle_count);
    assert_true(kept > HOSTILE / 2);
}

static void hostile_triangles_are_compared(void** state) {
    (void)state;
    enum { POINTS = 400 };
    Random random = {92};
    static Vec3 points[POINTS];
    static int32_t corners[3 * HOSTILE];
    for (int i = 0; i < POINTS; i++) {
        points[i] = v3(i, i % 7, i % 11);
    }

    // Triangles whose hash is one of the first of 512 places of the first of four tables; then each again, turned.
    int count = 0;
    while (count < HOSTILE / 2) {
        const uint64_t a = bi_random_next(&random) % (POINTS - 2);
        const uint64_t b = a + 1 + bi_random_next(&random) % (POINTS - 1 - a);
        const uint64_t c = a + 1 + bi_random_next(&random) % (POINTS - 1 - a);
        const uint64_t hash = mix(a + mix(b << 32 | c));
        if (b == c || hash % 4 != 0 || (hash / 4) % 512 >= 8) {
            continue;
        }
        bool known = false;
        for (int i = 0; i < count; i++) {
            known = known || (corners[3 * i] == (int32_t)a && corners[3 * i + 1] == (int32_t)b &&
                              corners[3 * i + 2] == (int32_t)c);
        }
        if (!known) {
            const int32_t turned[3] = {(int32_t)b, (int32_t)c, (int32_t)a};
            const int32_t plain[3] = {(int32_t)a, (int32_t)b, (int32_t)c};
            memcpy(corners + 3 * (HOSTILE / 2 + count), turned, sizeof turned);
            memcpy(corners + 3 * count++, plain, sizeof plain);
        }
    }

    MeshBuild build = {.allocator = berth_default_allocator(),
                       .info = {.vertex_count = POINTS, .triangle_count = HOSTILE},
                       .vertices = points,
                       .triangles = corners,
                       .vertex_capacity = POINTS,
                       .triangle_capacity = HOSTILE,
                       .threads = 2};
    assert_int_equal(bi_mesh_weld(&build), BERTH_OK);
    assert_int_equal(build.sorted_count, 1);
    assert_int_equal(build.info.duplicate_count, HOSTILE / 2);
    assert_int_equal(build.info.triangle_count, HOSTILE / 2);
}

// A vertex with more edges than are sorted one by one: a fan, closed below.
static void fans_are_closed(void** state) {
    (void)state;
    static Surface s;
    const int32_t sides[] = {3, 24, 25, 100, 2000};
    for (size_t k = 0; k < sizeof sides / sizeof sides[0]; k++) {
        s.vertex_count = s.triangle_count = 0;
        s.v[s.vertex_count++] = v3(0, 0, 1);
        s.v[s.vertex_count++] = v3(0, 0, -1);
        for (int32_t i = 0; i < sides[k]; i++) {
            const double angle = 2 * 3.14159265358979 * i / sides[k];
            s.v[s.vertex_count++] = v3(cos(angle), sin(angle), 0);
        }
        for (int32_t i = 0; i < sides[k]; i++) {
            add_triangle(&s, 0, 2 + i, 2 + (i + 1) % sides[k]);
            add_triangle(&s, 1, 2 + (i + 1) % sides[k], 2 + i);
        }

        BerthMesh* mesh = NULL;
        assert_int_equal(berth_mesh_create(s.v, s.vertex_count, s.t, s.triangle_count, NULL, &mesh),
                         BERTH_OK);
        assert_true(mesh->info.watertight && mesh->info.component_count == 1);
        berth_mesh_destroy(mesh);

        assert_int_equal(berth_mesh_create(s.v, s.vertex_count, s.t, s.triangle_count - 1, NULL, &mesh),
                         BERTH_OK);
        assert_true(!mesh->info.watertight && mesh->info.open_edge_count == 3);
        berth_mesh_destroy(mesh);
    }
}

static void sorting_is_stable(void** state) {
    (void)state;
    enum { COUNT = 3000 };
    static SortItem items[2 * COUNT];
    Random random = {18};
    for (int round = 0; round < 60; round++) {
        const uint64_t mask = round % 3 == 0 ? 0xFF : round % 3 == 1 ? UINT64_MAX : 0xFF00000000FF0000u;
        for (uint32_t i = 0; i < COUNT; i++) {
            items[i] = (SortItem){bi_random_next(&random) & mask, i};
        }
        bi_sort_items(items, items + COUNT, COUNT);
        for (uint32_t i = 1; i < COUNT; i++) {
            assert_true(items[i - 1].key < items[i].key ||
                        (items[i - 1].key == items[i].key && items[i - 1].index < items[i].index));
        }
    }
    const double value[] = {-DBL_MAX, -1.5, -1e-310, -0.0, 0.0, 1e-310, 1.0, DBL_MAX};
    for (size_t i = 1; i < sizeof value / sizeof value[0]; i++) {
        assert_true(bi_sort_key(value[i - 1]) < bi_sort_key(value[i]));
    }
}

int test_mesh_surface(void);
int test_mesh_surface(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_is_known),
        cmocka_unit_test(soups_weld),
        cmocka_unit_test(holes_and_turned_triangles_open),
        cmocka_unit_test(duplicates_and_degenerates_are_counted),
        cmocka_unit_test(lost_lines_are_counted),
        cmocka_unit_test(triangles_on_a_line_go_only_when_covered),
        cmocka_unit_test(points_on_a_line_are_exact),
        cmocka_unit_test(cavities_stay_and_inverted_pieces_turn),
        cmocka_unit_test(a_cavity_may_touch_the_outside),
        cmocka_unit_test(containment_is_exact),
        cmocka_unit_test(nan_is_inside),
        cmocka_unit_test(convex_is_meant),
        cmocka_unit_test(wrong_input_is_named),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(hostile_points_weld),
        cmocka_unit_test(hostile_triangles_are_compared),
        cmocka_unit_test(fans_are_closed),
        cmocka_unit_test(sorting_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
