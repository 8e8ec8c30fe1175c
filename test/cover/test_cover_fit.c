// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Covering balls. What they contain is asked in exact arithmetic about dense points of surface and inside; what the proof
// says is held against points that are outside; what is measured against formulas and brute force.
// test-share: 1

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <berth/berth.h>

#include "cover/many.h"
#include "oracle/exact.h"
#include "scene/scene.h"
#include "shape/gap.h"
#include "support/covered.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/starve.h"

static bool never(void* user) {
    (void)user;
    return false;
}

static const CoverStop no_stop = {never, NULL};

// ---- is a point in a ball, exactly? --------------------------------------------------------------------------

static bool in_a_ball(const BerthBall* balls, int32_t count, Vec3 p) {
    for (int32_t i = 0; i < count; ++i) {
        if (ball_has(balls[i].centre, balls[i].radius, p)) {
            return true;
        }
    }
    return false;
}

// How many of `samples` points of each triangle, and of the corners, are in no ball.
static int64_t surface_outside(const BerthMesh* mesh, const Pose* pose, const BerthBall* balls, int32_t count,
                               int32_t samples, Random* random) {
    int64_t outside = 0;
    for (int32_t i = 0; i < mesh->info.triangle_count; ++i) {
        Vec3 t[3];
        mesh_triangle(mesh, i, t);
        for (int32_t k = 0; k < 3 + samples; ++k) {
            const Vec3 p = k < 3 ? t[k] : random_on_triangle(t, random);
            outside += in_a_ball(balls, count, pose_apply(pose, p)) ? 0 : 1;
        }
    }
    return outside;
}

static int64_t inside_outside(const BerthSolid* solid, const Pose* pose, const BerthBall* balls,
                              int32_t count, int32_t samples, Random* random) {
    int64_t outside = 0;
    for (int32_t k = 0; k < samples; ++k) {
        const Vec3 p = v3(bi_random_between(random, solid->low.x, solid->high.x),
                          bi_random_between(random, solid->low.y, solid->high.y),
                          bi_random_between(random, solid->low.z, solid->high.z));
        const bool inside =
            solid->is_mesh
                ? bi_mesh_contains_slow(solid->mesh, p)
                : berth_shape_gap(&solid->shape, &(BerthPose){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}},
                                  &(BerthShape){.kind = BERTH_SPHERE},
                                  &(BerthPose){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, p})
                          .upper <= 0.0;
        outside += inside && !in_a_ball(balls, count, pose_apply(pose, p)) ? 1 : 0;
    }
    return outside;
}

// Points of a solid that no ball has.
static int64_t solid_outside(const BerthSolid* solid, const Pose* pose, const BerthSphereGroup* group,
                             Random* random) {
    int64_t outside = 0;
    if (solid->is_mesh) {
        const int32_t each = 1 + 4000 / solid->mesh->info.triangle_count;
        outside += surface_outside(solid->mesh, pose, group->balls, group->count, each, random);
    } else {
        for (int32_t k = 0; k < 2000; ++k) {
            const Vec3 d = v3(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1),
                              bi_random_between(random, -1, 1));
            // The farthest point of a round shape is rounded, perhaps outward.
            const Vec3 far = pose_apply(pose, v3_scale(bi_shape_support(&solid->shape, d), 1.0 - 1e-14));
            outside += in_a_ball(group->balls, group->count, far) ? 0 : 1;
        }
    }
    if (solid->closed) {
        outside +=
            inside_outside(solid, pose, group->balls, group->count,
                           solid->is_mesh && solid->mesh->info.triangle_count > 500 ? 60 : 400, random);
    }
    return outside;
}

// ---- covers --------------------------------------------------------------------------------------------------

static BerthSpheresDef quick_def(int32_t count) {
    BerthSpheresDef def = berth_default_spheres_def();
    def.count = count;
    def.effort = 0.02;
    return def;
}

static void meshes_are_covered(void** state) {
    (void)state;
    Random random = {11};
    const int32_t budgets[] = {1, 4, 9};
    for (int32_t round = 0; round < test_scaled(1); ++round) {
        for (int32_t kind = 0; kind < TEST_MESH_KIND_COUNT; ++kind) {
            BerthSolid* solid = test_solid((TestMeshKind)kind, 60 + 40 * kind, 0.3, &random);
            assert_non_null(solid);
            for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; ++b) {
                if (!test_is_whole() && (int32_t)b != kind % 3) {
                    continue;  // fits take the time: one budget each
                }
                BerthSpheresDef def = quick_def(budgets[b]);
                def.seed = (uint64_t)(round + 1);
                BerthSpheres* spheres = NULL;
                assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_OK);
                assert_int_equal(berth_spheres_group_count(spheres), 1);
                const BerthSphereGroup group = berth_spheres_group(spheres, 0);
                assert_true(group.covered && group.has_geometry);
                assert_true(group.count >= 1 && group.count <= budgets[b]);
                assert_int_equal(group.open_meshes, solid->closed ? 0 : 1);
                assert_true(!solid->closed || group.volume >= 0.99 * group.solid_volume);
                const Pose still = pose_identity();
                assert_int_equal(solid_outside(solid, &still, &group, &random), 0);
                berth_spheres_destroy(spheres);
            }
            berth_solid_destroy(solid);
        }
    }
}

static void shapes_are_covered(void** state) {
    (void)state;
    Random random = {12};
    static const BerthShapeKind kinds[] = {BERTH_SPHERE, BERTH_CAPSULE, BERTH_BOX, BERTH_CYLINDER,
                                           BERTH_CONE};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        const BerthShape shape = test_shape(kinds[k], 0.2, &random);
        BerthSolid* solid = NULL;
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        const int32_t fewest = test_is_whole() ? 1 : 4, most = test_is_whole() ? 7 : 4;
        for (int32_t count = fewest; count <= most; count += 3) {
            const BerthSpheresDef def = quick_def(count);
            BerthSpheres* spheres = NULL;
            assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_OK);
            const BerthSphereGroup group = berth_spheres_group(spheres, 0);
            assert_true(group.covered);
            const Pose still = pose_identity();
            assert_int_equal(solid_outside(solid, &still, &group, &random), 0);
            if (kinds[k] == BERTH_SPHERE) {  // a sphere is its own cover
                assert_int_equal(group.count, 1);
                assert_true(group.balls[0].radius == shape.as.sphere.radius && group.protrusion == 0.0);
            }
            berth_spheres_destroy(spheres);
        }
        berth_solid_destroy(solid);
    }
    // Flat boxes have no volume, but must be covered as well.
    BerthShape flat;
    assert_int_equal(berth_shape_box(v3(0.3, 0.2, 0.0), &flat), BERTH_OK);
    BerthSolid* plate = NULL;
    assert_int_equal(berth_solid_from_shape(&flat, NULL, &plate), BERTH_OK);
    const BerthSpheresDef def = quick_def(6);
    BerthSpheres* spheres = NULL;
    assert_int_equal(berth_solid_fit_spheres(plate, &def, &spheres), BERTH_OK);
    const BerthSphereGroup group = berth_spheres_group(spheres, 0);
    const Pose still = pose_identity();
    assert_int_equal(solid_outside(plate, &still, &group, &random), 0);
    berth_spheres_destroy(spheres);
    berth_solid_destroy(plate);
}

// Hulls of random points: many faces, few corners, and flat ones that are thicker than nothing.
static void hulls_are_covered(void** state) {
    (void)state;
    Random random = {14};
    for (int round = 0; round < test_scaled(6); ++round) {
        BerthVec3 points[120];
        const int32_t count = round % 3 == 0 ? 5 : round % 3 == 1 ? 40 : 120;
        const double thin = round % 2 == 0 ? 1.0 : 0.02;
        for (int32_t i = 0; i < count; ++i) {
            points[i] = v3(bi_random_between(&random, -0.2, 0.2), bi_random_between(&random, -0.3, 0.3),
                           thin * bi_random_between(&random, -0.2, 0.2));
        }
        BerthHull* hull = NULL;
        BerthSolid* solid = NULL;
        assert_int_equal(berth_hull_create(points, count, NULL, &hull), BERTH_OK);
        assert_int_equal(berth_solid_from_hull(hull, NULL, &solid), BERTH_OK);
        for (int32_t budget = 1; budget <= 9; budget += 4) {
            const BerthSpheresDef def = quick_def(budget);
            BerthSpheres* spheres = NULL;
            assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_OK);
            const BerthSphereGroup group = berth_spheres_group(spheres, 0);
            assert_true(group.covered && group.count <= budget);
            const Pose still = pose_identity();
            assert_int_equal(solid_outside(solid, &still, &group, &random), 0);
            for (int32_t i = 0; i < count; ++i) {
                assert_true(in_a_ball(group.balls, group.count, points[i]));
            }
            berth_spheres_destroy(spheres);
        }
        berth_solid_destroy(solid);
    }
}

static void robot_is_covered(const char* name, const BerthRobot* robot, int32_t extra, double effort) {
    int32_t bodies = 0;
    for (int32_t i = 0; i < berth_robot_link_count(robot); ++i) {
        bodies += berth_robot_link(robot, i).solid_count > 0 ? 1 : 0;
    }
    BerthSpheresDef def = berth_default_spheres_def();
    def.count = bodies + extra;
    def.effort = effort;
    BerthSpheres* spheres = NULL;
    if (berth_robot_fit_spheres(robot, -1, &def, &spheres) != BERTH_OK) {
        fail_msg("%s: %s", name, berth_error_text());
    }
    Random random = {13};
    int32_t total = 0;
    for (int32_t i = 0; i < berth_robot_link_count(robot); ++i) {
        const BerthSphereGroup group = berth_spheres_group(spheres, i);
        const BerthLinkInfo link = berth_robot_link(robot, i);
        total += group.count;
        assert_true(group.has_geometry == (link.solid_count > 0));
        for (int32_t k = 0; k < link.solid_count; ++k) {
            Pose pose;
            const BerthSolid* solid = berth_robot_solid(robot, i, k, &pose, NULL);
            const int64_t outside = solid_outside(solid, &pose, &group, &random);
            if (!group.covered || outside != 0) {
                fail_msg("%s, %s: covered %d, %lld points outside", name, link.name, (int)group.covered,
                         (long long)outside);
            }
        }
    }
    assert_true(total <= def.count);
    berth_spheres_destroy(spheres);
}

static void named_is_covered(const TestRobot* named, int32_t extra, double effort) {
    BerthRobot* robot = test_read_robot(named, false, true);
    assert_non_null(robot);
    robot_is_covered(named->name, robot, extra, effort);
    berth_robot_destroy(robot);
}

// What models/ makes: robots whole (the humanoid of the kitchen in long runs, it takes ten seconds), of the objects every
// fourteenth (all in long runs). Fits, not proofs, take the time, so that sanitizers see the smallest.
static void models_are_covered(void** state) {
    (void)state;
    static const char* const names[] = {"arm6", "two_arms", "kitchen", "car6_small"};
    Random random = {15};
    for (size_t m = 0; m < sizeof names / sizeof names[0]; ++m) {
        const bool kitchen = strcmp(names[m], "kitchen") == 0;
        if (!test_is_whole() && (kitchen || strcmp(names[m], "two_arms") == 0)) {
            continue;
        }
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/models/%s/cell.yaml", BERTH_BUILD_DIR, names[m]);
        const BerthIoOptions options = berth_default_io_options();
        BerthScene* scene = NULL;
        if (berth_io_read_scene(path, &options, &scene) != BERTH_OK ||
            berth_scene_commit(scene) != BERTH_OK) {
            fail_msg("%s: %s", path, berth_error_text());
        }
        for (int32_t r = 0; r < scene->robot_count; ++r) {
            if (!test_is_long() && (kitchen || r > 0)) {
                break;  // the second of two arms is the first again
            }
            robot_is_covered(names[m], scene->robots[r].robot, 0, 0.0);
        }
        const int32_t usual = test_is_whole() ? 14 : 28;
        const int32_t step = test_is_long() ? 1 : usual;
        for (int32_t i = scene->moved_body_count; i < scene->body_count; i += step) {
            const BerthSolid* solid = scene->parts[scene->bodies[i].first_part].solid;
            if (!(solid->radius < INFINITY)) {
                continue;
            }
            BerthSpheresDef def = quick_def(3);
            def.effort = 0.0;
            BerthSpheres* spheres = NULL;
            assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_OK);
            const BerthSphereGroup group = berth_spheres_group(spheres, 0);
            const Pose still = pose_identity();
            assert_true(group.covered);
            assert_int_equal(solid_outside(solid, &still, &group, &random), 0);
            berth_spheres_destroy(spheres);
        }
        berth_scene_destroy(scene);
    }
}

static void real_robots_are_covered(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not here");
    }
    for (const TestRobot* robot = test_robots; robot->name != NULL; ++robot) {
        const bool is_again = robot > test_robots && strcmp(robot->urdf, robot[-1].urdf) == 0;
        const bool small = strcmp(robot->name, "panda") == 0 || strcmp(robot->name, "panda_spheres") == 0;
        const bool large = strcmp(robot->name, "romeo_small") == 0 && !test_is_long();
        if (is_again || large || !test_robot_is_due_to_long_work(robot) || !(small || test_is_whole())) {
            continue;
        }
        named_is_covered(robot, 0, 0.0);  // one ball each
        if (test_is_long() || (small && test_is_whole())) {
            named_is_covered(robot, test_is_long() ? 40 : 12, small ? 0.01 : 0.05);
        }
    }
}

// ---- the proof -----------------------------------------------------------------------------------------------

// Covers whose balls shrink, move or go: as long as the proof says covered, no point is outside.
static void a_proof_is_never_refuted(void** state) {
    (void)state;
    Random random = {14};
    int64_t proven = 0, refuted = 0, open = 0;
    for (int32_t round = 0; round < test_scaled(6); ++round) {
        BerthSolid* solid = test_solid((TestMeshKind)(round % TEST_MESH_KIND_COUNT), 80, 0.3, &random);
        BerthSpheres* spheres = NULL;
        const BerthSpheresDef def = quick_def(2 + round % 5);
        assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_OK);
        const BerthSphereGroup group = berth_spheres_group(spheres, 0);
        CoverBody* body = NULL;
        const CoverPiece piece = {solid, pose_identity()};
        assert_int_equal(bi_cover_body_create(&piece, 1, BERTH_METRIC_L2, NULL, &body), BERTH_OK);
        for (int32_t trial = 0; trial < 12; ++trial) {
            Ball balls[16];
            BerthBall same[16];
            for (int32_t i = 0; i < group.count; ++i) {
                const double change = pow(10.0, bi_random_between(&random, -6.0, -1.0));
                balls[i] = (Ball){group.balls[i].centre, group.balls[i].radius};
                balls[i].radius *= 1.0 + change * bi_random_between(&random, -1.0, 0.5);
                same[i] = (BerthBall){balls[i].centre, balls[i].radius};
            }
            CoverProof proof;
            const CoverQuestion question = {.leaf = body->diagonal / 300.0, .stop = no_stop};
            assert_int_equal(bi_cover_prove(body, balls, group.count, &question, &proof), BERTH_OK);
            const BerthSphereGroup shrunk = {.balls = same, .count = group.count};
            const Pose still = pose_identity();
            const int64_t outside = solid_outside(solid, &still, &shrunk, &random);
            proven += proof.covered ? 1 : 0;
            refuted += proof.covered && outside > 0 ? 1 : 0;
            open += outside > 0 ? 1 : 0;
        }
        bi_cover_body_destroy(body);
        berth_spheres_destroy(spheres);
        berth_solid_destroy(solid);
    }
    assert_int_equal(refuted, 0);
    assert_true((proven > 0 && open > 0) || test_scaled(6) < 6);  // both happened, so the test could fail
}

// Small balls all over a cube's surface leave a hole inside. One more in the middle closes it.
static void a_hole_inside_is_seen(void** state) {
    (void)state;
    enum { SIDE = 9 };
    static Ball balls[SIDE * SIDE * SIDE];
    BerthShape cube;
    BerthSolid* solid = NULL;
    assert_int_equal(berth_shape_box(v3(1, 1, 1), &cube), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&cube, NULL, &solid), BERTH_OK);
    CoverBody* body = NULL;
    const CoverPiece piece = {solid, pose_identity()};
    assert_int_equal(bi_cover_body_create(&piece, 1, BERTH_METRIC_L2, NULL, &body), BERTH_OK);
    int32_t count = 0;
    for (int32_t i = 0; i < SIDE * SIDE * SIDE; ++i) {
        const int32_t x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        if (x == 0 || y == 0 || z == 0 || x == SIDE - 1 || y == SIDE - 1 || z == SIDE - 1) {
            balls[count++] = (Ball){
                v3((x / (SIDE - 1.0)) - 0.5, (y / (SIDE - 1.0)) - 0.5, (z / (SIDE - 1.0)) - 0.5), 0.12};
        }
    }
    CoverProof proof;
    const CoverQuestion question = {.leaf = 0.01, .stop = no_stop};
    assert_int_equal(bi_cover_prove(body, balls, count, &question, &proof), BERTH_OK);
    assert_false(proof.covered);
    balls[count++] = (Ball){v3(0, 0, 0), 0.7};
    assert_int_equal(bi_cover_prove(body, balls, count, &question, &proof), BERTH_OK);
    assert_true(proof.covered);
    assert_int_equal(bi_cover_prove(body, balls, 0, &question, &proof), BERTH_OK);
    assert_false(proof.covered);
    balls[0].radius = (double)NAN;  // proves nothing, disturbs nothing
    assert_int_equal(bi_cover_prove(body, balls, 1, &question, &proof), BERTH_OK);
    assert_false(proof.covered);
    bi_cover_body_destroy(body);
    berth_solid_destroy(solid);
}

// ---- measures ------------------------------------------------------------------------------------------------

static void volumes_are_right(void** state) {
    (void)state;
    const double pi = 3.14159265358979323846;
    const Ball one = {{0.3, -0.2, 5.0}, 0.5};
    const CoverLines fine = {BERTH_METRIC_L2, 0, v3(0.1, 0.2, 0.3), 0.005};
    const CoverLines lines = {BERTH_METRIC_L2, 1, v3(0.1, 0.2, 0.3), 0.01};
    assert_true(fabs(bi_cover_union_volume(&one, 1, &fine) / (4.0 / 3.0 * pi * 0.125) - 1.0) < 2e-3);
    // Two unit balls at distance d overlap in a lens of pi (4 + d) (2 - d)^2 / 12.
    Random random = {15};
    for (int32_t i = 0; i < 20; ++i) {
        const double d = bi_random_between(&random, 0.05, 1.95);
        Ball two[2] = {{{0, 0, 0}, 1.0}, {{0, 0, 0}, 1.0}};
        const BerthPose turned = test_pose(&random, 3.0);
        two[0].centre = turned.t;
        two[1].centre = v3_mad(turned.t, d, turned.x);
        const double exact = 8.0 / 3.0 * pi - pi * (4.0 + d) * (2.0 - d) * (2.0 - d) / 12.0;
        assert_true(fabs(bi_cover_union_volume(two, 2, &lines) / exact - 1.0) < 2e-3);
    }
}

static double brute_distance(const BerthMesh* mesh, Vec3 p) {
    double least = INFINITY;
    for (int32_t i = 0; i < mesh->info.triangle_count; ++i) {
        Vec3 t[3], on;
        mesh_triangle(mesh, i, t);
        least = fmin(least, bi_point_triangle_distance_sq(p, t, &on));
    }
    return sqrt(least);
}

static void distances_are_those_of_brute_force(void** state) {
    (void)state;
    Random random = {16};
    for (int32_t kind = 0; kind < TEST_MESH_KIND_COUNT; ++kind) {
        BerthSolid* solid = test_solid((TestMeshKind)kind, 150, 0.3, &random);
        for (int32_t i = 0; i < test_scaled(300); ++i) {
            const Vec3 p = v3(bi_random_between(&random, -0.6, 0.6), bi_random_between(&random, -0.6, 0.6),
                              bi_random_between(&random, -0.6, 0.6));
            Vec3 on;
            const double away = bi_cover_surface_distance(solid, p, INFINITY, &on);
            assert_true(fabs(away - brute_distance(solid->mesh, p)) < 1e-14);
            assert_true(fabs(v3_distance(p, on) - away) < 1e-14);
        }
        berth_solid_destroy(solid);
    }
}

// No point of a ball is further away than is said, and what is said is not far off.
static void protrusion_is_a_bound(void** state) {
    (void)state;
    Random random = {17};
    for (int32_t kind = 0; kind <= TEST_MESH_BOX; ++kind) {
        BerthSolid* solid = test_solid((TestMeshKind)kind, 120, 0.3, &random);
        const BerthSpheresDef def = quick_def(5);
        BerthSpheres* spheres = NULL;
        assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_OK);
        const BerthSphereGroup group = berth_spheres_group(spheres, 0);
        double most = 0.0;
        for (int32_t i = 0; i < 4000; ++i) {
            const BerthBall* ball = &group.balls[i % group.count];
            const Vec3 u = v3_unit_or(v3(bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1),
                                         bi_random_between(&random, -1, 1)),
                                      v3(1, 0, 0));
            const Vec3 p = v3_mad(ball->centre, ball->radius, u);
            if (!bi_mesh_contains_slow(solid->mesh, p)) {
                most = fmax(most, brute_distance(solid->mesh, p));
            }
        }
        assert_true(most <= group.protrusion);
        assert_true(most > 0.4 * group.protrusion);
        assert_true(group.mean_protrusion > 0.0 && group.mean_protrusion <= group.protrusion);
        berth_spheres_destroy(spheres);
        berth_solid_destroy(solid);
    }
}

static void a_protrusion_is_kept(void** state) {
    (void)state;
    Random random = {18};
    const double limits[] = {0.1, 0.035};
    const size_t limit_count = test_is_whole() ? 2 : 1;
    for (int32_t kind = 0; kind <= TEST_MESH_SHEET; ++kind) {
        BerthSolid* solid = test_solid((TestMeshKind)kind, 120, 0.2, &random);
        int32_t before = 0;
        for (size_t i = 0; i < limit_count; ++i) {
            BerthSpheresDef def = berth_default_spheres_def();
            def.protrusion = limits[i];
            BerthSpheres* spheres = NULL;
            if (berth_solid_fit_spheres(solid, &def, &spheres) != BERTH_OK) {
                fail_msg("kind %d, %g m: %s", (int)kind, limits[i], berth_error_text());
            }
            const BerthSphereGroup group = berth_spheres_group(spheres, 0);
            assert_true(group.covered && group.protrusion <= limits[i]);
            assert_true(group.count >= before);
            before = group.count;
            const Pose still = pose_identity();
            assert_int_equal(solid_outside(solid, &still, &group, &random), 0);
            berth_spheres_destroy(spheres);
        }
        berth_solid_destroy(solid);
    }
}

// ---- the rest ------------------------------------------------------------------------------------------------

static void the_same_for_every_number_of_threads(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not here");
    }
    BerthRobot* robot = test_read_robot(&test_robots[0], false, true);
    BerthSpheres* spheres[3] = {NULL};
    for (int32_t i = 0; i < 3; ++i) {
        if (!test_is_whole() && i == 1) {
            continue;
        }
        BerthSpheresDef def = quick_def(14);
        def.threads = i + 1;
        def.effort = test_is_whole() ? 0.01 : 0.0;
        assert_int_equal(berth_robot_fit_spheres(robot, -1, &def, &spheres[i]), BERTH_OK);
        assert_int_equal(spheres[i]->ball_count, spheres[0]->ball_count);
        assert_memory_equal(spheres[i]->balls, spheres[0]->balls,
                            (size_t)spheres[0]->ball_count * sizeof *spheres[0]->balls);
    }
    for (int32_t i = 0; i < 3; ++i) {
        berth_spheres_destroy(spheres[i]);
    }
    berth_robot_destroy(robot);
}

static void wrong_requests_are_told(void** state) {
    (void)state;
    BerthShape shape;
    BerthSolid* solid = NULL;
    assert_int_equal(berth_shape_box(v3(0.1, 0.1, 0.1), &shape), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
    BerthSpheres* spheres = NULL;
    BerthSpheresDef def = {0};
    assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_ERR_ARGUMENT);
    const struct {
        int32_t count;
        double protrusion, effort;
    } wrong[] = {{-1, 0, 1},          {2000000, 0, 1},          {0, -0.1, 1},
                 {0, (double)NAN, 1}, {0, (double)INFINITY, 1}, {3, 0.1, 1},
                 {0, 0, -1},          {0, 0, (double)NAN},      {0, 0, 1000}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        def = berth_default_spheres_def();
        def.count = wrong[i].count;
        def.protrusion = wrong[i].protrusion;
        def.effort = wrong[i].effort;
        assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_ERR_ARGUMENT);
        assert_null(spheres);
    }
    // Thinner than any number of balls that is allowed.
    def = berth_default_spheres_def();
    def.protrusion = 1e-7;
    assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_ERR_CAPACITY);
    assert_non_null(strstr(berth_error_text(), "4096"));
    berth_solid_destroy(solid);
    assert_int_equal(berth_shape_halfspace(v3(0, 0, 1), 0.0, &shape), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
    def = berth_default_spheres_def();
    assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_ERR_UNSUPPORTED);
    berth_solid_destroy(solid);
}

static bool stop_at_once(void* user) {
    return ++*(int*)user > 3;
}

static void work_can_be_stopped(void** state) {
    (void)state;
    Random random = {19};
    BerthSolid* solid = test_solid(TEST_MESH_TORUS, 200, 0.3, &random);
    int asked = 0;
    BerthSpheresDef def = quick_def(5);
    def.stop = stop_at_once;
    def.user = &asked;
    BerthSpheres* spheres = NULL;
    assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_ERR_CANCELLED);
    assert_null(spheres);
    berth_solid_destroy(solid);
}

/// What is covered, and how.
typedef struct FitTry {
    const BerthSolid* solid;
    BerthSpheresDef def;
} FitTry;

static BerthStatus try_fit(void* user, const BerthAllocator* allocator) {
    const FitTry* fit = user;
    BerthSpheresDef def = fit->def;
    def.allocator = *allocator;
    BerthSpheres* spheres = (BerthSpheres*)user;
    const BerthStatus status = berth_solid_fit_spheres(fit->solid, &def, &spheres);
    assert_int_equal(spheres != NULL, status == BERTH_OK);
    berth_spheres_destroy(spheres);
    return status;
}

static void memory_may_fail_anywhere(void** state) {
    (void)state;
    Random random = {20};
    BerthSolid* solid = test_solid(TEST_MESH_BOX, 12, 0.3, &random);
    for (int32_t mode = 0; mode < 2; ++mode) {
        FitTry fit = {solid, quick_def(mode == 0 ? 3 : 0)};
        fit.def.protrusion = mode == 0 ? 0.0 : 0.15;
        fit.def.effort = 0.001;
        assert_true(starve(try_fit, &fit) > 0);
    }
    berth_solid_destroy(solid);
}

int test_cover_fit(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_covered),
        cmocka_unit_test(shapes_are_covered),
        cmocka_unit_test(hulls_are_covered),
        cmocka_unit_test(models_are_covered),
        cmocka_unit_test(real_robots_are_covered),
        cmocka_unit_test(a_proof_is_never_refuted),
        cmocka_unit_test(a_hole_inside_is_seen),
        cmocka_unit_test(volumes_are_right),
        cmocka_unit_test(distances_are_those_of_brute_force),
        cmocka_unit_test(protrusion_is_a_bound),
        cmocka_unit_test(a_protrusion_is_kept),
        cmocka_unit_test(the_same_for_every_number_of_threads),
        cmocka_unit_test(wrong_requests_are_told),
        cmocka_unit_test(work_can_be_stopped),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests_name("cover_fit", tests, NULL, NULL);
}
