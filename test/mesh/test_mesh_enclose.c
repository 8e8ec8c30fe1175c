// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Fitted capsules and boxes contain what they were fitted to - in long double, with no tolerance - and are about as small
// as bodies that are known to contain it.
// test-share: 0.3

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/math.h"
#include "mesh/enclose.h"
#include "oracle/exact.h"
#include "shape/gap.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

enum { POINTS = 200 };

static double between(Random* random, double low, double high) {
    return bi_random_between(random, low, high);
}

static long double outside_of_capsule(const Capsule* c, const Ball* ball) {
    const long double d[3] = {(long double)c->end[1].x - c->end[0].x, (long double)c->end[1].y - c->end[0].y,
                              (long double)c->end[1].z - c->end[0].z};
    const long double p[3] = {(long double)ball->centre.x - c->end[0].x,
                              (long double)ball->centre.y - c->end[0].y,
                              (long double)ball->centre.z - c->end[0].z};
    const long double sq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    long double t = sq > 0 ? (p[0] * d[0] + p[1] * d[1] + p[2] * d[2]) / sq : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    long double out = 0;
    for (int k = 0; k < 3; ++k) {
        out += (p[k] - t * d[k]) * (p[k] - t * d[k]);
    }
    return sqrtl(out) + ball->radius - c->radius;
}

static long double outside_of_box(const BerthShape* box, const Pose* pose, const Ball* ball) {
    const long double t[3] = {(long double)ball->centre.x - pose->t.x,
                              (long double)ball->centre.y - pose->t.y,
                              (long double)ball->centre.z - pose->t.z};
    const Vec3 axes[3] = {pose->x, pose->y, pose->z};
    const double half[3] = {box->as.box.half.x, box->as.box.half.y, box->as.box.half.z};
    long double most = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        const long double at = t[0] * axes[k].x + t[1] * axes[k].y + t[2] * axes[k].z;
        const long double out = (at < 0 ? -at : at) + ball->radius - half[k];
        most = out > most ? out : most;
    }
    return most;
}

// Clouds, planes, lines, points; with radii or without; far from the origin at times.
static int32_t random_balls(Random* random, Ball* balls) {
    const int32_t count = 1 + (int32_t)between(random, 0, between(random, 0, 1) < 0.3 ? 4 : POINTS - 1);
    const int flat = (int)between(random, 0, 4);
    const double away = between(random, 0, 1) < 0.1 ? 1000.0 : 0.0;
    const double thick = between(random, 0, 1) < 0.5 ? 0.0 : 0.1;
    for (int32_t i = 0; i < count; ++i) {
        const double x = between(random, -1, 1);
        balls[i].centre = v3(away + x, flat > 0 ? 0.3 * x : between(random, -0.4, 0.4),
                             flat > 1 ? 0.0 : between(random, -0.2, 0.2));
        balls[i].centre = flat > 2 ? v3(0.1, 0.2, 0.3) : balls[i].centre;
        balls[i].radius = between(random, 0, 1) * thick;
    }
    return count;
}

static void fits_contain(void** state) {
    (void)state;
    Random random = {5};
    Ball balls[POINTS];
    Ball scratch[POINTS];
    const int cases = test_scaled(300);
    for (int n = 0; n < cases; ++n) {
        const int32_t count = random_balls(&random, balls);
        const Capsule capsule = bi_capsule_around(balls, count, scratch);
        Pose pose;
        const BerthShape box = bi_box_around(balls, count, &pose);
        for (int32_t i = 0; i < count; ++i) {
            assert_true(outside_of_capsule(&capsule, &balls[i]) <= 0);
            assert_true(outside_of_box(&box, &pose, &balls[i]) <= 0);
        }
    }
}

static Vec3 random_unit(Random* random) {
    return v3_unit_or(v3(between(random, -1, 1), between(random, -1, 1), between(random, -1, 1)),
                      v3(1, 0, 0));
}

static void fits_are_small(void** state) {
    (void)state;
    Random random = {6};
    Ball balls[POINTS];
    Ball scratch[POINTS];
    const int cases = test_scaled(60);
    int large = 0;
    for (int n = 0; n < cases; ++n) {
        const Pose pose = bi_pose_from_unit_quat(bi_random_quat(&random), random_unit(&random));
        const Capsule known = {{pose.t, v3_mad(pose.t, between(&random, 0, 2), pose.z)},
                               between(&random, 0.05, 0.5)};
        for (int i = 0; i < POINTS; ++i) {
            const Vec3 on = v3_lerp(known.end[0], known.end[1], between(&random, 0, 1));
            balls[i] = (Ball){v3_mad(on, known.radius, random_unit(&random)), 0.0};
        }
        const Capsule capsule = bi_capsule_around(balls, POINTS, scratch);
        assert_true(bi_capsule_volume(&capsule) <= 1.03 * bi_capsule_volume(&known));
        const BerthShape block = {
            .kind = BERTH_BOX,
            .as.box.half = {between(&random, 0.01, 1), between(&random, 0.01, 1), between(&random, 0.01, 1)}};
        const int32_t count = bi_shape_points(&block, &pose, balls, POINTS);
        assert_int_equal(count, 8);
        Pose found;
        const Vec3 half = bi_box_around(balls, count, &found).as.box.half;
        const Vec3 wanted = block.as.box.half;
        large += !(half.x * half.y * half.z <= 1.02 * wanted.x * wanted.y * wanted.z);
    }
    print_message("%d of %d boxes are more than 2 %% too large\n", large, cases);
    assert_true(20 * large <= cases);  // a search can be stuck
}

// Points of a shape contain it: no direction in which the shape reaches further.
static void points_contain_the_shape(void** state) {
    (void)state;
    Random random = {7};
    Ball balls[POINTS];
    const int cases = test_scaled(20000);
    for (int n = 0; n < cases; ++n) {
        BerthShape shape;
        const double r = between(&random, 0.01, 1);
        const double l = between(&random, 0.01, 2);
        switch (n % 5) {
        case 0:
            assert_int_equal(berth_shape_sphere(r, &shape), BERTH_OK);
            break;
        case 1:
            assert_int_equal(berth_shape_capsule(r, l, &shape), BERTH_OK);
            break;
        case 2:
            assert_int_equal(berth_shape_cylinder(r, l, &shape), BERTH_OK);
            break;
        case 3:
            assert_int_equal(berth_shape_cone(r, l, &shape), BERTH_OK);
            break;
        default:
            assert_int_equal(berth_shape_box((BerthVec3){r, l, 0.2}, &shape), BERTH_OK);
            break;
        }
        const Pose pose = bi_pose_from_unit_quat(bi_random_quat(&random), random_unit(&random));
        const int32_t count = bi_shape_points(&shape, &pose, balls, POINTS);
        const Vec3 direction = random_unit(&random);
        const Vec3 far = pose_apply(&pose, bi_shape_support(&shape, pose_turn_back(&pose, direction)));
        double most = -INFINITY;
        for (int32_t i = 0; i < count; ++i) {
            most = fmax(most, v3_dot(direction, balls[i].centre) + balls[i].radius);
        }
        assert_true(v3_dot(direction, far) <= most + 1e-14);
    }
}

static bool is_covered(const MeshEnclosure* pieces, Vec3 p) {
    const Ball point = {p, 0.0};
    for (int32_t i = 0; i < pieces->count; ++i) {
        const BerthShape* shape = &pieces->shapes[i];
        const Pose* pose = &pieces->poses[i];
        const double half = 0.5 * shape->as.capsule.length;
        const Capsule capsule = {{v3_mad(pose->t, -half, pose->z), v3_mad(pose->t, half, pose->z)},
                                 shape->as.capsule.radius};
        // The ends are rounded here.
        if (shape->kind == BERTH_BOX ? outside_of_box(shape, pose, &point) <= 0
                                     : outside_of_capsule(&capsule, &point) <= 1e-15) {
            return true;
        }
    }
    return false;
}

// Points of the surface and, where there is one, of the inside: none is outside all pieces.
static void check_cover(const BerthMesh* mesh, const MeshEnclosure* pieces, Random* random, int* inside) {
    const BerthMeshInfo info = berth_mesh_info(mesh);
    const Vec3* vertices = (const Vec3*)berth_mesh_vertices(mesh);
    const int32_t* triangles = berth_mesh_triangles(mesh);
    for (int n = 0; n < 2000; ++n) {
        const int32_t* corner = triangles + 3 * (int32_t)between(random, 0, info.triangle_count);
        const double u = between(random, 0, 1), v = between(random, 0, 1 - u);
        const Vec3 p = vertices[corner[0]], q = vertices[corner[1]], r = vertices[corner[2]];
        const Vec3 at = v3_add(v3_scale(p, 1 - u - v), v3_add(v3_scale(q, u), v3_scale(r, v)));
        if (!is_covered(pieces, n % 10 == 0 ? p : at)) {
            fail_msg("a point of the surface, %.17g %.17g %.17g, is in none of %d pieces", at.x, at.y, at.z,
                     pieces->count);
        }
    }
    for (int n = 0; info.watertight && n < 300; ++n) {
        const Vec3 at = v3(between(random, info.low.x, info.high.x), between(random, info.low.y, info.high.y),
                           between(random, info.low.z, info.high.z));
        const double p[3] = {at.x, at.y, at.z};
        if (!is_covered(pieces, at)) {
            assert_int_equal(exact_point_in_mesh(p, &vertices[0].x, triangles, info.triangle_count), 0);
            *inside += 1;
        }
    }
}

static void pieces_cover_meshes(void** state) {
    (void)state;
    Random random = {8};
    const int cases = test_scaled(24);
    int outside_points = 0;
    for (int n = 0; n < cases; ++n) {
        BerthMesh* mesh = test_mesh((TestMeshKind)(n / 2 % TEST_MESH_KIND_COUNT), 300, 1.0, &random);
        assert_non_null(mesh);
        double last = INFINITY;
        const double gain = n % 2 == 0 ? 0.02 : -INFINITY;  // cut whatever it costs: more corners inside
        for (int most = 1; most <= 16; most *= 4) {
            MeshEnclosure pieces;
            const BerthShapeKind kind = n / (2 * TEST_MESH_KIND_COUNT) % 2 == 0 ? BERTH_BOX : BERTH_CAPSULE;
            assert_int_equal(bi_mesh_enclose(mesh, kind, most, gain, NULL, &pieces), BERTH_OK);
            assert_true(pieces.count >= 1 && pieces.count <= most);
            assert_true(gain < 0.0 ? pieces.count > most / 2 : pieces.volume <= last);
            last = pieces.volume;
            check_cover(mesh, &pieces, &random, &outside_points);
        }
        berth_mesh_destroy(mesh);
    }
    assert_true(outside_points > 100);  // the pieces leave something out, so the question is one
}

static BerthStatus enclose(void* mesh, const BerthAllocator* allocator) {
    MeshEnclosure pieces;
    return bi_mesh_enclose(mesh, BERTH_CAPSULE, 2, 0.02, allocator, &pieces);
}

static void a_fit_without_memory_fails(void** state) {
    (void)state;
    Random random = {9};
    BerthMesh* mesh = test_mesh(TEST_MESH_TORUS, 200, 1.0, &random);
    assert_true(starve(enclose, mesh) < 1000);
    berth_mesh_destroy(mesh);
}

int test_mesh_enclose(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_contain),
        cmocka_unit_test(fits_are_small),
        cmocka_unit_test(points_contain_the_shape),
        cmocka_unit_test(pieces_cover_meshes),
        cmocka_unit_test(a_fit_without_memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
