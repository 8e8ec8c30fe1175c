// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Sphere trees: every triangle is proven to lie under them in exact arithmetic, on meshes made by code, on all models and on
// all shared robots; answers of spheres, RSS and boxes are the same and those of the exact oracle; ranges; budgets; memory.
// test-share: 0.2

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/exact.h"
#include "robot/robot.h"
#include "scene/scene.h"
#include "shape/gap.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/starve.h"
#include "tree/rss.h"
#include "tree/sphere.h"

// ---- containment -----------------------------------------------------------------------------------------------

// Decided in long double where that is certain (its error is below 1e-18 of the squares), else by GMP.
static bool ball_holds(const SphereNode* node, Vec3 p) {
    long double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const long double d = (long double)v3_at(p, axis) - v3_at(node->centre, axis);
        sum += d * d;
    }
    if (sum < (long double)node->radius * node->radius * (1 - 1e-17L)) {
        return true;
    }
    const double c[3] = {node->centre.x, node->centre.y, node->centre.z}, x[3] = {p.x, p.y, p.z};
    return exact_ball_contains(c, node->radius, x) != 0;
}

// Is there a way from the root to a leaf of this triangle on which every ball holds all the points?
static bool under_spheres(const SphereTree* tree, const Vec3* points, int count, int32_t triangle) {
    int32_t stack[1024];
    int32_t waiting = 0;
    stack[waiting++] = 0;
    while (waiting > 0) {
        const SphereNode* node = &tree->nodes[stack[--waiting]];
        bool held = true;
        for (int k = 0; k < count && held; ++k) {
            held = ball_holds(node, points[k]);
        }
        if (held && sphere_is_leaf(node) && sphere_triangle(node) == triangle) {
            return true;
        }
        for (int32_t i = 0; held && i < node->count; ++i) {
            assert_true(waiting < 1024);
            stack[waiting++] = node->child + i;
        }
    }
    return false;
}

typedef struct Patch {
    Vec3 p[3];
    int depth;
} Patch;

// Proves a whole triangle: corners under one way of balls are a proof for all between them, because balls are convex;
// where there is no such way the triangle is halved.
static bool triangle_is_covered(const SphereTree* tree, const Vec3 p[3], int32_t triangle) {
    Patch stack[64];
    int waiting = 0;
    stack[waiting++] = (Patch){{p[0], p[1], p[2]}, 0};
    while (waiting > 0) {
        const Patch t = stack[--waiting];
        if (under_spheres(tree, t.p, 3, triangle)) {
            continue;
        }
        if (t.depth >= 14) {
            return false;
        }
        int longest = 0;
        for (int k = 1; k < 3; ++k) {
            longest =
                v3_distance(t.p[k], t.p[(k + 1) % 3]) > v3_distance(t.p[longest], t.p[(longest + 1) % 3])
                    ? k
                    : longest;
        }
        const Vec3 a = t.p[longest], b = t.p[(longest + 1) % 3], c = t.p[(longest + 2) % 3];
        const Vec3 middle = v3_scale(v3_add(a, b), 0.5);
        stack[waiting++] = (Patch){{a, middle, c}, t.depth + 1};
        stack[waiting++] = (Patch){{middle, b, c}, t.depth + 1};
    }
    return true;
}

// Triangles that are not covered, of every `step`-th.
static int uncovered(const BerthSolid* solid, int step) {
    int bad = 0;
    for (int32_t i = 0; i < solid->mesh->info.triangle_count; i += step) {
        Vec3 p[3];
        mesh_triangle(solid->mesh, i, p);
        bad += !triangle_is_covered(solid->spheres, p, i);
    }
    return bad;
}

static void check_structure(const SphereTree* tree) {
    int32_t leaves = 0;
    for (int32_t i = 0; i < tree->node_count; ++i) {
        const SphereNode* node = &tree->nodes[i];
        leaves += sphere_is_leaf(node);
        assert_true(node->radius >= 0.0);
        assert_true(node->count == 0 || (node->count >= 2 && node->count <= tree->arity));
        assert_true(node->count == 0 || (node->child > i && node->child + node->count <= tree->node_count));
    }
    assert_int_equal(leaves, tree->leaf_count);
    assert_true(tree->depth <= SPHERE_DEPTH_MAX);
}

static void every_triangle_is_covered(void** state) {
    (void)state;
    Random random = {81};
    for (int round = 0; round < test_scaled(96); ++round) {
        BerthSolid* solid = test_solid((TestMeshKind)(round % TEST_MESH_KIND_COUNT),
                                       12 + (int)(bi_random_next(&random) % 400), 0.5, &random);
        BerthSphereTreeDef def = berth_default_sphere_tree_def();
        def.rule = (BerthSphereRule)(round / 6 % BERTH_SPHERES_RULE_COUNT);
        def.arity = 2 + (int32_t)(bi_random_next(&random) % 7);
        def.aspect = bi_random_between(&random, 1.5, 10);
        def.leaf_size = round % 3 == 0 ? 0.0 : bi_random_between(&random, 0.01, 0.5);
        assert_int_equal(berth_solid_add_spheres(solid, &def), BERTH_OK);
        check_structure(solid->spheres);
        assert_int_equal(uncovered(solid, 1), 0);
        berth_solid_destroy(solid);
    }
}

// Meshes that are hard to cut: needles, points and segments in the guise of triangles, far from the origin.
static void hard_triangles_are_covered(void** state) {
    (void)state;
    const Vec3 needle[3] = {{0, 0, 0}, {1, 0, 0}, {0.3, 1e-9, 0}};
    const Vec3 far_off[3] = {{9e6, 9e6, 0}, {9e6 + 1e-3, 9e6, 0}, {9e6, 9e6 + 1e-3, 5}};
    const Vec3 line[3] = {{0, 0, 0}, {0.5, 0.5, 0.5}, {1, 1, 1}};
    const Vec3* sets[3] = {needle, far_off, line};
    for (int i = 0; i < 3; ++i) {
        const int32_t one[3] = {0, 1, 2};
        BerthMesh* mesh = NULL;
        if (berth_mesh_create(sets[i], 3, one, 1, NULL, &mesh) != BERTH_OK) {
            continue;  // refused: a mesh needs an area
        }
        BerthSolid* solid = NULL;
        assert_int_equal(berth_solid_from_mesh(mesh, NULL, &solid), BERTH_OK);
        const BerthSphereTreeDef def = berth_default_sphere_tree_def();
        assert_int_equal(berth_solid_add_spheres(solid, &def), BERTH_OK);
        assert_int_equal(uncovered(solid, 1), 0);
        assert_true(solid->spheres->leaf_count <= 4096 + 4);
        berth_solid_destroy(solid);
    }
}

// Every point of a shape's volume is under its spheres.
static void shapes_are_covered(void** state) {
    (void)state;
    Random random = {82};
    for (int round = 0; round < test_scaled(240); ++round) {
        const BerthShapeKind kind = (BerthShapeKind)(round % BERTH_HULL);
        const BerthShape shape = test_shape(kind, 0.4, &random);
        BerthSolid* solid = NULL;
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        BerthSphereTreeDef def = berth_default_sphere_tree_def();
        def.rule = (BerthSphereRule)(round / 6 % BERTH_SPHERES_RULE_COUNT);
        def.arity = 2 + round % 7;
        def.leaf_size = round % 2 == 0 ? 0.0 : bi_random_between(&random, 0.01, 0.3);
        assert_int_equal(berth_solid_add_spheres(solid, &def), BERTH_OK);
        check_structure(solid->spheres);
        for (int k = 0; k < 100; ++k) {
            // A point between two points of the surface.
            Vec3 ends[2];
            for (int e = 0; e < 2; ++e) {
                const Vec3 d = v3(bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1),
                                  bi_random_between(&random, -1, 1));
                ends[e] = bi_shape_support(&shape, d);
            }
            const Vec3 p = v3_lerp(ends[0], ends[1], k % 5 == 0 ? 0.0 : bi_random_between(&random, 0, 1));
            assert_true(under_spheres(solid->spheres, &p, 1, 0));
        }
        berth_solid_destroy(solid);
    }
    BerthShape space;
    assert_int_equal(berth_shape_halfspace(v3(0, 0, 1), 0, &space), BERTH_OK);
    BerthSolid* solid = NULL;
    assert_int_equal(berth_solid_from_shape(&space, NULL, &solid), BERTH_OK);
    const BerthSphereTreeDef def = berth_default_sphere_tree_def();
    assert_int_equal(berth_solid_add_spheres(solid, &def), BERTH_OK);
    assert_null(solid->spheres);
    berth_solid_destroy(solid);
}

// Greedy balls hold their children's; compact ones are never larger.
static void compact_is_not_larger(void** state) {
    (void)state;
    Random random = {83};
    for (int round = 0; round < test_scaled(60); ++round) {
        BerthSolid* solid = test_solid((TestMeshKind)(round % TEST_MESH_KIND_COUNT), 300, 0.5, &random);
        double sum[2] = {0, 0};
        for (int rule = 0; rule < 2; ++rule) {
            BerthSphereTreeDef def = berth_default_sphere_tree_def();
            def.rule = rule == 0 ? BERTH_SPHERES_COMPACT : BERTH_SPHERES_GREEDY;
            def.arity = 2 + round % 3;
            assert_int_equal(berth_solid_add_spheres(solid, &def), BERTH_OK);
            const SphereTree* tree = solid->spheres;
            for (int32_t i = 0; i < tree->node_count; ++i) {
                const SphereNode* node = &tree->nodes[i];
                sum[rule] += node->radius;
                for (int32_t k = 0; rule == 1 && k < node->count; ++k) {
                    const SphereNode* child = &tree->nodes[node->child + k];
                    assert_true(v3_distance(child->centre, node->centre) + child->radius <=
                                node->radius * (1 + 1e-12));
                }
            }
        }
        assert_true(sum[0] <= sum[1] * (1 + 1e-12));
        berth_solid_destroy(solid);
    }
}

// All meshes of the shared robots: every eighth triangle, all of them from a scale of 10 on.
static void robots_are_covered(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("no shared robots");
    }
    const int step = test_scaled(100) >= 1000 ? 1 : 8;
    int64_t triangles = 0, leaves = 0, meshes = 0;
    for (int i = 0; test_robots[i].name != NULL; ++i) {
        if (!test_robot_is_due(&test_robots[i]) ||
            (i > 0 && strcmp(test_robots[i].urdf, test_robots[i - 1].urdf) == 0)) {
            continue;
        }
        BerthRobot* robot = test_read_robot(&test_robots[i], false, true);
        assert_non_null(robot);
        for (int32_t k = 0; k < robot->solid_count; ++k) {
            BerthSolid* solid = robot->solids[k].solid;
            if (solid->is_mesh) {
                const BerthSphereTreeDef def = berth_default_sphere_tree_def();
                assert_int_equal(berth_solid_add_spheres(solid, &def), BERTH_OK);
                assert_int_equal(uncovered(solid, step), 0);
                triangles += solid->triangle_count;
                leaves += solid->spheres->leaf_count;
                meshes += 1;
            }
        }
        berth_robot_destroy(robot);
    }
    print_message("report robots covered: %lld meshes, %lld triangles, %lld leaves\n", (long long)meshes,
                  (long long)triangles, (long long)leaves);
    assert_true(triangles > (test_is_whole() ? 100000 : 10000));
}

// The meshes of every model that this build made, robots and surroundings.
static void models_are_covered(void** state) {
    (void)state;
    DIR* folder = opendir(BERTH_BUILD_DIR "/models");
    if (folder == NULL) {
        TEST_SKIP("no models in this build");
    }
    const int step = test_scaled(100) >= 1000 ? 1 : 8;
    int64_t triangles = 0, models = 0;
    for (const struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[1024];
        (void)snprintf(path, sizeof path, BERTH_BUILD_DIR "/models/%s/cell.yaml", entry->d_name);
        const BerthIoOptions options = berth_default_io_options();
        BerthScene* scene = NULL;
        if (entry->d_name[0] == '.' || berth_io_read_scene(path, &options, &scene) != BERTH_OK) {
            continue;
        }
        models += 1;
        for (int32_t i = 0; i < scene->part_count; ++i) {
            BerthSolid own = *scene->parts[i].solid;  // its tree is made beside it: the scene is constant
            if (own.is_mesh) {
                const BerthSphereTreeDef def = berth_default_sphere_tree_def();
                assert_int_equal(bi_tree_sphere_build(&own, &def, &own.allocator, &own.spheres), BERTH_OK);
                assert_int_equal(uncovered(&own, step), 0);
                triangles += own.triangle_count;
                bi_tree_sphere_destroy(own.spheres);
            }
        }
        berth_scene_destroy(scene);
    }
    (void)closedir(folder);
    print_message("report models covered: %lld models, %lld triangles\n", (long long)models,
                  (long long)triangles);
    assert_true(models > 5);
}

// ---- answers ---------------------------------------------------------------------------------------------------

enum { SOLIDS = 12 };

typedef struct Cast {
    BerthSolid* solids[SOLIDS];
    BerthTreeQuery* query[3];
} Cast;

// The first half of the solids has no tree of its own: the query makes theirs, or uses RSS where `half`.
static Cast make_cast(Random* random, bool half) {
    Cast cast;
    for (int i = 0; i < SOLIDS; ++i) {
        cast.solids[i] = test_solid((TestMeshKind)(i % TEST_MESH_KIND_COUNT), i < 6 ? 30 : 90, 0.4, random);
        assert_non_null(cast.solids[i]);
        if (i >= 6) {
            BerthSphereTreeDef def = berth_default_sphere_tree_def();
            def.rule = (BerthSphereRule)(i % BERTH_SPHERES_RULE_COUNT);
            def.arity = 2 + i % 4;
            def.leaf_size = i % 2 == 0 ? 0.0 : 0.05;
            assert_int_equal(berth_solid_add_spheres(cast.solids[i], &def), BERTH_OK);
        }
    }
    for (int e = 0; e < 3; ++e) {
        assert_int_equal(berth_tree_query_create(1 << 30, NULL, &cast.query[e]), BERTH_OK);
        assert_int_equal(berth_tree_query_use(cast.query[e], (BerthEngine)e,
                                              (const BerthSolid* const*)cast.solids, half ? 3 : SOLIDS),
                         BERTH_OK);
    }
    return cast;
}

static void free_cast(Cast* cast) {
    for (int e = 0; e < 3; ++e) {
        berth_tree_query_destroy(cast->query[e]);
    }
    for (int i = 0; i < SOLIDS; ++i) {
        berth_solid_destroy(cast->solids[i]);
    }
}

// 100,000 pairs: exact distance, collide, tolerance and range by all three engines.
static void engines_agree(void** state) {
    (void)state;
    Random random = {84};
    int64_t hits = 0, nested = 0, ranges[4] = {0, 0, 0, 0};
    for (int half = 0; half < 2; ++half) {
        Cast cast = make_cast(&random, half == 1);
        for (int round = 0; round < test_scaled(50000); ++round) {
            const BerthSolid* a = cast.solids[bi_random_next(&random) % SOLIDS];
            const BerthSolid* b = cast.solids[bi_random_next(&random) % SOLIDS];
            const Pose pa = test_pose(&random, 0.5), pb = test_pose(&random, 0.5);
            BerthTreeRequest request = berth_default_tree_request();
            const BerthTreeAnswer truth = berth_tree_distance(cast.query[0], a, &pa, b, &pb, &request);
            hits += truth.verdict == BERTH_COLLISION;
            nested += truth.contained;
            const double margin = round % 2 == 0 ? 0.0 : bi_random_between(&random, 0, 0.2);
            const BerthVerdict touch = berth_tree_collide(cast.query[0], a, &pa, b, &pb, margin).verdict;
            for (int e = 1; e < 3; ++e) {
                request = berth_default_tree_request();
                // One question a round: the exact distance, the verdict, or a range with a tolerance.
                if (round % 3 == 0) {
                    const BerthTreeAnswer d = berth_tree_distance(cast.query[e], a, &pa, b, &pb, &request);
                    assert_true(d.upper == truth.upper && d.verdict == truth.verdict);
                    assert_true(d.contained == truth.contained && d.lower <= d.upper);
                    assert_true(fabs(v3_distance(d.point_a, d.point_b) - d.upper) < 1e-13);
                } else if (round % 3 == 1) {
                    assert_int_equal(berth_tree_collide(cast.query[e], a, &pa, b, &pb, margin).verdict,
                                     touch);
                } else {
                    const double alpha = bi_random_between(&random, 0, 0.5);
                    request.tolerance = alpha / (1 - alpha);
                    request.min_d = bi_random_between(&random, 0, 0.1);
                    request.max_d = request.min_d + bi_random_between(&random, 0, 0.5);
                    const BerthTreeAnswer d = berth_tree_distance(cast.query[e], a, &pa, b, &pb, &request);
                    ranges[d.range] += 1;
                    const double gap = truth.upper, slack = 1e-12;
                    assert_true(d.lower <= gap + slack && d.upper >= gap - slack);
                    assert_true(d.range != BERTH_ABOVE_MAX || gap > request.max_d - slack);
                    assert_true(d.range != BERTH_BELOW_MIN || gap <= request.min_d + slack);
                    if (d.range == BERTH_IN_RANGE) {
                        assert_true(d.upper <= request.max_d && d.lower > request.min_d);
                        assert_true(fabs(v3_distance(d.point_a, d.point_b) - d.upper) < 1e-13);
                        assert_true((1 - alpha) * d.upper <= d.lower + slack);
                    }
                    // Only the ends of the range may be left open, and only within the tolerance.
                    if (gap * (1 - alpha) > request.max_d + slack) {
                        assert_true(d.range == BERTH_ABOVE_MAX);
                    } else if (gap <= request.min_d - slack) {
                        assert_true(d.range == BERTH_BELOW_MIN);
                    } else if (gap > request.min_d + slack && gap / (1 - alpha) < request.max_d - slack) {
                        assert_true(d.range == BERTH_IN_RANGE);
                    }
                }
            }
        }
        free_cast(&cast);
    }
    if (getenv("BERTH_TEST_VERBOSE") != NULL) {
        printf("%lld hits, %lld nested; open %lld, in %lld, below %lld, above %lld\n", (long long)hits,
               (long long)nested, (long long)ranges[0], (long long)ranges[1], (long long)ranges[2],
               (long long)ranges[3]);
    }
    assert_true(hits > test_scaled(1000) && ranges[1] > 0 && ranges[2] > 0 && ranges[3] > 0);
}

// Against exact arithmetic over all pairs of triangles, many of them nearly touching.
static void spheres_are_exact(void** state) {
    (void)state;
    Random random = {85};
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 30, NULL, &query), BERTH_OK);
    for (int round = 0; round < test_scaled(120); ++round) {
        BerthSolid* s[2] = {test_solid((TestMeshKind)(round % TEST_MESH_KIND_COUNT), 24, 0.5, &random),
                            test_solid((TestMeshKind)(round / 6 % TEST_MESH_KIND_COUNT), 24, 0.3, &random)};
        assert_int_equal(berth_tree_query_use(query, BERTH_ENGINE_SPHERES, (const BerthSolid* const*)s, 2),
                         BERTH_OK);
        const Pose still = pose_identity();
        Pose pose = test_pose(&random, 0.9);
        for (int step = 0; step < 3; ++step) {
            double turn[9], lower, upper;
            const double t[3] = {pose.t.x, pose.t.y, pose.t.z};
            test_rotation(&pose, turn);
            exact_meshes_distance_bracket((const double*)s[0]->mesh->vertices, s[0]->mesh->triangles,
                                          s[0]->mesh->info.triangle_count,
                                          (const double*)s[1]->mesh->vertices, s[1]->mesh->triangles,
                                          s[1]->mesh->info.triangle_count, turn, t, &lower, &upper);
            const BerthTreeRequest request = berth_default_tree_request();
            const BerthTreeAnswer d = berth_tree_distance(query, s[0], &still, s[1], &pose, &request);
            const BerthTreeAnswer c = berth_tree_collide(query, s[0], &still, s[1], &pose, 0.0);
            assert_true(c.verdict == d.verdict && c.contained == d.contained);
            if (!d.contained) {
                assert_true(d.lower <= upper && fabs(d.upper - upper) <= 256 * BI_ULP);
                assert_true(d.verdict != BERTH_FREE || lower > 0.0);
                assert_true(d.verdict != BERTH_COLLISION || upper <= 256 * BI_ULP);
            }
            pose.t = v3_mad(pose.t, -(d.upper - (step == 0 ? 1e-9 : -1e-9)), d.normal);
        }
        berth_solid_destroy(s[0]);
        berth_solid_destroy(s[1]);
    }
    berth_tree_query_destroy(query);
}

// Meshes against shapes of every kind, both ways round.
static void engines_agree_on_shapes(void** state) {
    (void)state;
    Random random = {86};
    Cast cast = make_cast(&random, true);
    for (int round = 0; round < test_scaled(3000); ++round) {
        const BerthSolid* mesh = cast.solids[bi_random_next(&random) % SOLIDS];
        BerthShape shape = test_shape((BerthShapeKind)(round % BERTH_HULL), 0.3, &random);
        BerthSolid* other = NULL;
        if (round % 7 == 6) {
            assert_int_equal(berth_shape_halfspace(v3(0, 0, 1), 0.1, &shape), BERTH_OK);
        }
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &other), BERTH_OK);
        const BerthSolid* a = round % 2 == 0 ? mesh : other;
        const BerthSolid* b = round % 2 == 0 ? other : mesh;
        const Pose pa = test_pose(&random, 0.5), pb = test_pose(&random, 0.5);
        const BerthTreeRequest request = berth_default_tree_request();
        const BerthTreeAnswer truth = berth_tree_distance(cast.query[0], a, &pa, b, &pb, &request);
        const BerthTreeAnswer touch = berth_tree_collide(cast.query[0], a, &pa, b, &pb, 0.01);
        for (int e = 1; e < 3; ++e) {
            const BerthTreeAnswer d = berth_tree_distance(cast.query[e], a, &pa, b, &pb, &request);
            assert_true(fabs(d.upper - truth.upper) <= 1e-9);
            assert_true(d.verdict == truth.verdict || d.verdict == BERTH_UNKNOWN ||
                        truth.verdict == BERTH_UNKNOWN);
            const BerthTreeAnswer c = berth_tree_collide(cast.query[e], a, &pa, b, &pb, 0.01);
            assert_true(c.verdict == touch.verdict || c.verdict == BERTH_UNKNOWN ||
                        touch.verdict == BERTH_UNKNOWN);
            assert_true(c.verdict == touch.verdict || fabs(truth.upper - 0.01) < 1e-9);
        }
        berth_solid_destroy(other);
    }
    free_cast(&cast);
}

// GREEDY-DIST by every engine is 0 or a lower bound above delta.
static void greedy_is_a_bound(void** state) {
    (void)state;
    Random random = {87};
    Cast cast = make_cast(&random, false);
    for (int round = 0; round < test_scaled(2000); ++round) {
        const BerthSolid* a = cast.solids[bi_random_next(&random) % SOLIDS];
        const BerthSolid* b = cast.solids[bi_random_next(&random) % SOLIDS];
        const Pose pa = test_pose(&random, 0.6), pb = test_pose(&random, 0.6);
        const BerthTreeRequest request = berth_default_tree_request();
        const double gap = berth_tree_distance(cast.query[0], a, &pa, b, &pb, &request).upper;
        const double delta = round % 2 == 0 ? 0.0 : 0.05;
        for (int e = 0; e < 3; ++e) {
            BerthCounters counters = {0};
            const double bound = berth_tree_greedy(cast.query[e], a, &pa, b, &pb, delta, &counters);
            assert_true(gap > delta + 1e-12 ? bound > delta && bound <= gap : bound == 0.0 || bound <= gap);
        }
    }
    free_cast(&cast);
}

// ---- budgets, memory, wrong input --------------------------------------------------------------------------------

static void spent_budgets_are_unknown(void** state) {
    (void)state;
    Random random = {88};
    BerthSolid* s[2] = {test_solid(TEST_MESH_TORUS, 400, 0.4, &random),
                        test_solid(TEST_MESH_TORUS, 400, 0.4, &random)};
    const Pose still = pose_identity();
    Pose near = still;
    near.t = v3(0.05, 0.02, 0.16);
    for (int e = 1; e < 3; ++e) {
        for (int32_t budget = 1; budget < 100000; budget *= 3) {
            BerthTreeQuery* query = NULL;
            assert_int_equal(berth_tree_query_create(budget, NULL, &query), BERTH_OK);
            assert_int_equal(berth_tree_query_use(query, (BerthEngine)e, (const BerthSolid* const*)s, 2),
                             BERTH_OK);
            const BerthTreeRequest request = berth_default_tree_request();
            const BerthTreeAnswer d = berth_tree_distance(query, s[0], &still, s[1], &near, &request);
            assert_true(budget > 10 || d.verdict == BERTH_UNKNOWN);
            assert_true(d.verdict != BERTH_UNKNOWN || d.reason == BERTH_REASON_BUDGET);
            Pose lost = near;
            lost.t.x = NAN;
            assert_int_equal(berth_tree_collide(query, s[0], &still, s[1], &lost, 0).verdict, BERTH_UNKNOWN);
            berth_tree_query_destroy(query);
        }
    }
    berth_solid_destroy(s[0]);
    berth_solid_destroy(s[1]);
}

static void queries_take_no_memory(void** state) {
    (void)state;
    Random random = {89};
    TestAllocator counts = {.fail_at = -1};
    const BerthAllocator allocator = test_allocator(&counts);
    BerthSolid* s[2] = {test_solid(TEST_MESH_BALL, 200, 0.4, &random),
                        test_solid(TEST_MESH_SOUP, 200, 0.4, &random)};
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 30, &allocator, &query), BERTH_OK);
    assert_int_equal(berth_tree_query_use(query, BERTH_ENGINE_SPHERES, (const BerthSolid* const*)s, 2),
                     BERTH_OK);
    const int64_t taken = counts.taken;
    for (int round = 0; round < test_scaled(2000); ++round) {
        const Pose pa = test_pose(&random, 0.5), pb = test_pose(&random, 0.5);
        (void)berth_tree_collide(query, s[0], &pa, s[1], &pb, 0.01);
    }
    assert_true(counts.taken == taken);
    assert_true(bi_tree_query_bytes(query) >= (size_t)counts.live_bytes / 2);
    berth_tree_query_destroy(query);
    assert_true(counts.live == 0 && counts.live_bytes == 0);
    berth_solid_destroy(s[0]);
    berth_solid_destroy(s[1]);
}

static BerthStatus make_spheres(void* user, const BerthAllocator* allocator) {
    BerthSolid** meshes = user;
    Random random = {91};
    const BerthShape cylinder = test_shape(BERTH_CYLINDER, 0.3, &random);
    const BerthSphereTreeDef def = berth_default_sphere_tree_def();
    BerthSolid* s[3] = {meshes[0], meshes[1], NULL};
    BerthTreeQuery* query = NULL;
    BerthStatus status = berth_solid_from_shape(&cylinder, allocator, &s[2]);
    if (status == BERTH_OK) {
        status = berth_solid_add_spheres(s[2], &def);
    }
    if (status == BERTH_OK) {
        status = berth_tree_query_create(1000, allocator, &query);
    }
    if (status == BERTH_OK) {
        status = berth_tree_query_use(query, BERTH_ENGINE_SPHERES, (const BerthSolid* const*)s, 3);
    }
    berth_tree_query_destroy(query);
    berth_solid_destroy(s[2]);
    return status;
}

static void memory_may_run_out_anywhere(void** state) {
    (void)state;
    Random random = {90};
    BerthSolid* meshes[2] = {test_solid(TEST_MESH_BALL, 60, 0.4, &random),
                             test_solid(TEST_MESH_SOUP, 60, 0.4, &random)};
    const int64_t requests = starve(make_spheres, meshes);
    assert_true(requests > 8 && requests < 30);
    berth_solid_destroy(meshes[0]);
    berth_solid_destroy(meshes[1]);
}

static void wrong_defs_are_named(void** state) {
    (void)state;
    Random random = {91};
    BerthSolid* solid = test_solid(TEST_MESH_BOX, 12, 0.4, &random);
    BerthSphereTreeDef wrong[6];
    for (int i = 0; i < 6; ++i) {
        wrong[i] = berth_default_sphere_tree_def();
    }
    wrong[0].stamp = 0;
    wrong[1].arity = 1;
    wrong[2].arity = 9;
    wrong[3].leaf_size = NAN;
    wrong[4].aspect = 1;
    wrong[5].rule = BERTH_SPHERES_RULE_COUNT;
    const char* words[6] = {
        "berth_default_sphere_tree_def", "arity is 1", "arity is 9", "leaf size", "aspect", "rule"};
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(berth_solid_add_spheres(solid, &wrong[i]), BERTH_ERR_ARGUMENT);
        assert_non_null(strstr(berth_error_text(), words[i]));
    }
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(10, NULL, &query), BERTH_OK);
    assert_int_equal(berth_tree_query_use(query, BERTH_ENGINE_COUNT, NULL, 0), BERTH_ERR_ARGUMENT);
    berth_tree_query_destroy(query);
    berth_solid_destroy(solid);
}

int test_tree_sphere(void);
int test_tree_sphere(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_triangle_is_covered),
        cmocka_unit_test(hard_triangles_are_covered),
        cmocka_unit_test(shapes_are_covered),
        cmocka_unit_test(compact_is_not_larger),
        cmocka_unit_test(robots_are_covered),
        cmocka_unit_test(models_are_covered),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(spheres_are_exact),
        cmocka_unit_test(engines_agree_on_shapes),
        cmocka_unit_test(greedy_is_a_bound),
        cmocka_unit_test(spent_budgets_are_unknown),
        cmocka_unit_test(queries_take_no_memory),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(wrong_defs_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
