// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Solids and the walk over boxes: cover, collide and distance against exact brute force, containment, budgets,
// instruction sets, memory that runs out.
// test-share: 0.2

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>

#include "oracle/exact.h"
#include "shape/gap.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"
#include "tree/solid.h"

// Every leaf is inside every box above it.
static void boxes_cover_their_leaves(void** state) {
    (void)state;
    Random random = {11};
    for (int round = 0; round < test_scaled(60); ++round) {
        BerthSolid* s =
            test_solid((TestMeshKind)(round % TEST_MESH_KIND_COUNT), 20 + round * 30, 0.5, &random);
        assert_non_null(s);
        int32_t* seen = calloc((size_t)s->triangle_count, sizeof *seen);
        for (int32_t node = 0; node < s->node_count; ++node) {
            for (int lane = 0; lane < s->links[node].count; ++lane) {
                // All leaves below this lane, found by going down to the bottoms.
                int32_t stack[4096];
                int32_t count = 0;
                int32_t first = s->links[node].first + lane;
                int32_t leaf_begin = first, leaf_end = first + 1;
                if (!s->links[node].bottom) {
                    stack[count++] = first;
                }
                do {
                    if (count > 0) {
                        const BoxLink* link = &s->links[stack[--count]];
                        leaf_begin = link->first;
                        leaf_end = link->bottom ? link->first + link->count : link->first;
                        for (int k = 0; !link->bottom && k < link->count; ++k) {
                            stack[count++] = link->first + k;
                        }
                    }
                    for (int32_t leaf = leaf_begin; leaf < leaf_end; ++leaf) {
                        seen[leaf] += s->links[node].bottom;
                        for (int k = 0; k < 3; ++k) {
                            for (int axis = 0; axis < 3; ++axis) {
                                const double x = v3_at(s->triangles[leaf].point[k], axis);
                                const double c = (double)s->nodes[node].centre[axis][lane];
                                const double h = (double)s->nodes[node].half[axis][lane];
                                assert_true(x >= c - h && x <= c + h);
                            }
                        }
                    }
                } while (count > 0);
            }
        }
        for (int32_t i = 0; i < s->triangle_count; ++i) {
            assert_int_equal(seen[i], 1);
        }
        free(seen);
        berth_solid_destroy(s);
    }
}

typedef struct Truth {
    double lower, upper;
} Truth;

static Truth true_distance(const BerthSolid* a, const BerthSolid* b, const Pose* a_from_b) {
    double turn[9];
    const double t[3] = {a_from_b->t.x, a_from_b->t.y, a_from_b->t.z};
    test_rotation(a_from_b, turn);
    Truth truth;
    exact_meshes_distance_bracket((const double*)a->mesh->vertices, a->mesh->triangles,
                                  a->mesh->info.triangle_count, (const double*)b->mesh->vertices,
                                  b->mesh->triangles, b->mesh->info.triangle_count, turn, t, &truth.lower,
                                  &truth.upper);
    return truth;
}

// Random meshes in random poses, many of them touching or nearly so: verdicts and bounds against exact arithmetic.
static void distances_are_exact(void** state) {
    (void)state;
    Random random = {5};
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 30, NULL, &query), BERTH_OK);
    int hits = 0, unknown = 0, nested = 0;
    const int rounds = test_scaled(400);
    for (int round = 0; round < rounds; ++round) {
        BerthSolid* a = test_solid((TestMeshKind)(round % TEST_MESH_KIND_COUNT), 24, 0.5, &random);
        BerthSolid* b = test_solid((TestMeshKind)(round / 6 % TEST_MESH_KIND_COUNT), 24, 0.3, &random);
        const Pose still = pose_identity();
        Pose pose = test_pose(&random, 0.9);
        for (int step = 0; step < 3; ++step) {
            const Truth truth = true_distance(a, b, &pose);
            const BerthTreeRequest request = berth_default_tree_request();
            const BerthTreeAnswer d = berth_tree_distance(query, a, &still, b, &pose, &request);
            const BerthTreeAnswer c = berth_tree_collide(query, a, &still, b, &pose, 0.0);
            assert_int_equal(c.verdict, d.verdict);
            assert_int_equal(c.contained, d.contained);
            if (d.contained) {
                nested += 1;
            } else {
                assert_true(d.lower <= truth.upper);
                assert_true(fabs(d.upper - truth.upper) <= 64 * BI_ULP * 4);
                assert_true(d.verdict != BERTH_FREE || truth.lower > 0.0);
                assert_true(d.verdict != BERTH_COLLISION || truth.upper <= 64 * BI_ULP * 4);
                assert_true(fabs(v3_distance(d.point_a, d.point_b) - d.upper) < 1e-14);
            }
            hits += d.verdict == BERTH_COLLISION;
            unknown += d.verdict == BERTH_UNKNOWN;
            // Next: moved along the normal until they nearly touch, then until they just overlap.
            const double gap = step == 0 ? 1e-9 : -1e-9;
            pose.t = v3_mad(pose.t, -(d.upper - gap), d.normal);
        }
        berth_solid_destroy(a);
        berth_solid_destroy(b);
    }
    assert_true(hits > rounds / 2 && hits < 3 * rounds);
    assert_true(nested > 0 || rounds < 300);  // about one in a hundred
    assert_true(unknown <= rounds / 50);
    berth_tree_query_destroy(query);
}

// Range and tolerance: the answer is allowed to stop early, never to be wrong.
static void range_and_tolerance_hold(void** state) {
    (void)state;
    Random random = {6};
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 30, NULL, &query), BERTH_OK);
    BerthSolid* solids[6];
    for (int i = 0; i < 6; ++i) {
        solids[i] = test_solid((TestMeshKind)i, 400, 0.4, &random);
    }
    for (int round = 0; round < test_scaled(20000); ++round) {
        const BerthSolid* a = solids[round % 6];
        const BerthSolid* b = solids[round / 6 % 6];
        const Pose pa = test_pose(&random, 1.0), pb = test_pose(&random, 1.0);
        BerthTreeRequest request = berth_default_tree_request();
        const double exact = berth_tree_distance(query, a, &pa, b, &pb, &request).upper;
        request.tolerance = bi_random_between(&random, 0, 1);
        const BerthTreeAnswer loose = berth_tree_distance(query, a, &pa, b, &pb, &request);
        assert_true(loose.lower <= exact && loose.upper >= exact);
        assert_true(loose.upper <= 0 || loose.lower + 1e-12 >= loose.upper / (1 + request.tolerance));
        request.tolerance = 0;
        request.min_d = bi_random_between(&random, 0, 0.5);
        request.max_d = request.min_d + bi_random_between(&random, 0, 0.5);
        const BerthTreeAnswer ranged = berth_tree_distance(query, a, &pa, b, &pb, &request);
        assert_true(ranged.lower <= exact &&
                    (ranged.upper >= exact - 1e-15 || ranged.upper <= request.min_d));
        assert_int_equal(ranged.verdict, exact <= request.min_d ? BERTH_COLLISION : BERTH_FREE);
        if (exact > request.max_d + 1e-12) {
            assert_true(ranged.lower > request.max_d - 1e-12);
        } else if (exact > request.min_d) {
            assert_true(ranged.upper == exact);
        }
        BerthCounters counters = {0};
        const double delta = bi_random_between(&random, 0, 0.3);
        const double greedy = berth_tree_greedy(query, a, &pa, b, &pb, delta, &counters);
        assert_true(exact > delta ? greedy > delta - 1e-12 && greedy <= exact : greedy == 0.0);
    }
    for (int i = 0; i < 6; ++i) {
        berth_solid_destroy(solids[i]);
    }
    berth_tree_query_destroy(query);
}

// Triangle caching along a slow motion: the same gaps, with less work; a nonsense cache does no harm.
static void caching_changes_no_answer(void** state) {
    (void)state;
    Random random = {13};
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 30, NULL, &query), BERTH_OK);
    BerthSolid* a = test_solid(TEST_MESH_TORUS, 900, 0.5, &random);
    BerthSolid* b = test_solid(TEST_MESH_BALL, 900, 0.3, &random);
    int64_t work = 0, cached_work = 0;
    for (int run = 0; run < test_scaled(50); ++run) {
        const Pose still = test_pose(&random, 1.0);
        Pose pose = test_pose(&random, 1.0);
        const Vec3 step = v3_scale(test_pose(&random, 1.0).t, 0.002);
        BerthTreeAnswer last = {.triangle_a = 1 << 30, .triangle_b = -5};
        for (int i = 0; i < 50; ++i) {
            BerthTreeRequest request = berth_default_tree_request();
            const BerthTreeAnswer fresh = berth_tree_distance(query, a, &still, b, &pose, &request);
            request.last = &last;
            const BerthTreeAnswer cached = berth_tree_distance(query, a, &still, b, &pose, &request);
            assert_true(cached.verdict == fresh.verdict && cached.upper == fresh.upper);
            work += fresh.counters.bv_tests;
            cached_work += cached.counters.bv_tests;
            last = cached;
            pose.t = v3_add(pose.t, step);
        }
    }
    assert_true(!test_is_whole() || cached_work < work);  // of many queries; a few can have bad luck
    berth_solid_destroy(a);
    berth_solid_destroy(b);
    berth_tree_query_destroy(query);
}

// Every instruction set gives the same answer, bit for bit.
static void instruction_sets_agree(void** state) {
    (void)state;
    Random random = {7};
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 30, NULL, &query), BERTH_OK);
    BerthSolid* a = test_solid(TEST_MESH_TORUS, 1500, 0.5, &random);
    BerthSolid* b = test_solid(TEST_MESH_BALL, 900, 0.3, &random);
    int sets = 0;
    for (int round = 0; round < test_scaled(20000); ++round) {
        const Pose pa = test_pose(&random, 0.6), pb = test_pose(&random, 0.6);
        const BerthTreeRequest request = berth_default_tree_request();
        query->kernels = bi_simd_kernels_for(SIMD_PLAIN);
        const BerthTreeAnswer plain = berth_tree_distance(query, a, &pa, b, &pb, &request);
        const BerthTreeAnswer plain_hit = berth_tree_collide(query, a, &pa, b, &pb, 0.01);
        sets = 1;
        for (int isa = SIMD_PLAIN + 1; isa < SIMD_ISA_COUNT; ++isa) {
            if (bi_simd_kernels_for((SimdIsa)isa) == NULL) {
                continue;
            }
            sets += 1;
            query->kernels = bi_simd_kernels_for((SimdIsa)isa);
            const BerthTreeAnswer other = berth_tree_distance(query, a, &pa, b, &pb, &request);
            assert_true(other.verdict == plain.verdict && other.upper == plain.upper &&
                        other.lower == plain.lower);
            assert_memory_equal(&other.point_a, &plain.point_a, sizeof other.point_a);
            assert_int_equal(other.counters.leaf_tests, plain.counters.leaf_tests);
            const BerthTreeAnswer hit = berth_tree_collide(query, a, &pa, b, &pb, 0.01);
            assert_true(hit.verdict == plain_hit.verdict && hit.upper == plain_hit.upper);
        }
    }
    printf("%d instruction sets compared\n", sets);
    berth_solid_destroy(a);
    berth_solid_destroy(b);
    berth_tree_query_destroy(query);
}

// A body wholly inside a closed mesh collides; in the cavity of a hollow one, or inside an open one, it does not.
static void insides_collide(void** state) {
    (void)state;
    Random random = {8};
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 30, NULL, &query), BERTH_OK);
    BerthSolid* ball = test_solid(TEST_MESH_BALL, 500, 1.0, &random);
    BerthSolid* hollow = test_solid(TEST_MESH_HOLLOW, 500, 1.0, &random);
    BerthSolid* small = test_solid(TEST_MESH_TORUS, 60, 0.1, &random);
    BerthShape sphere;
    berth_shape_sphere(0.05, &sphere);
    BerthSolid* shape = NULL;
    assert_int_equal(berth_solid_from_shape(&sphere, NULL, &shape), BERTH_OK);
    assert_true(ball->closed && hollow->closed && hollow->piece_count == 2);
    const BerthSolid* inner[2] = {small, shape};
    for (int round = 0; round < test_scaled(5000); ++round) {
        const BerthSolid* in = inner[round % 2];
        const Pose still = test_pose(&random, 5.0);
        const Pose local = test_pose(&random, 0.15);
        const Pose at = pose_mul(&still, &local);
        BerthTreeAnswer answer = berth_tree_collide(query, ball, &still, in, &at, 0.0);
        assert_true(answer.verdict == BERTH_COLLISION && answer.contained);
        answer = berth_tree_collide(query, in, &at, ball, &still, 0.0);
        assert_true(answer.verdict == BERTH_COLLISION && answer.contained);
        assert_int_equal(berth_tree_collide(query, hollow, &still, in, &at, 0.0).verdict, BERTH_FREE);
        assert_int_equal(berth_tree_collide(query, in, &at, hollow, &still, 0.0).verdict, BERTH_FREE);
    }
    berth_solid_destroy(ball);
    berth_solid_destroy(hollow);
    berth_solid_destroy(small);
    berth_solid_destroy(shape);
    berth_tree_query_destroy(query);
}

// Points against the exact winding number, also on axis-parallel rays through vertices and edges.
static void containment_is_exact(void** state) {
    (void)state;
    Random random = {9};
    for (int kind = TEST_MESH_BALL; kind <= TEST_MESH_HOLLOW; ++kind) {
        BerthSolid* s = test_solid((TestMeshKind)kind, 60, 1.0, &random);
        assert_true(s->closed);
        int inside = 0;
        for (int round = 0; round < test_scaled(1500); ++round) {
            Vec3 p = test_pose(&random, 1.0).t;
            if (round % 3 == 0) {  // straight below, beside or before a vertex
                const Vec3 v = s->mesh->vertices[round % s->mesh->info.vertex_count];
                p = round % 2 ? v3(v.x, v.y, p.z) : v3(p.x, v.y, v.z);
            }
            const double point[3] = {p.x, p.y, p.z};
            const int winding = exact_point_in_mesh(point, (const double*)s->mesh->vertices,
                                                    s->mesh->triangles, s->mesh->info.triangle_count);
            if (winding != EXACT_ON_SURFACE) {
                assert_int_equal(bi_solid_contains(s, p), winding != 0);
                inside += winding != 0;
            }
        }
        assert_true(inside > 0);
        berth_solid_destroy(s);
    }
}

// A mesh and a shape: against the gap of the shape and every triangle, one by one.
static void mesh_against_shapes(void** state) {
    (void)state;
    Random random = {10};
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 30, NULL, &query), BERTH_OK);
    BerthSolid* meshes[3] = {test_solid(TEST_MESH_TORUS, 300, 0.5, &random),
                             test_solid(TEST_MESH_SHEET, 200, 0.5, &random),
                             test_solid(TEST_MESH_SOUP, 100, 0.5, &random)};
    for (int round = 0; round < test_scaled(3000); ++round) {
        const BerthSolid* mesh = meshes[round % 3];
        BerthShape shape = test_shape((BerthShapeKind)(round % (BERTH_TRIANGLE + 1)), 0.3, &random);
        if (round % 11 == 0) {
            berth_shape_halfspace(test_pose(&random, 1.0).x, bi_random_between(&random, -1, 1), &shape);
        }
        BerthSolid* solid = NULL;
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        const Pose pa = pose_identity(), pb = test_pose(&random, 0.8);
        double least = INFINITY;
        for (int32_t i = 0; i < mesh->triangle_count; ++i) {
            BerthShape t;
            berth_shape_triangle(mesh->triangles[i].point, &t);
            least = fmin(least, fmax(0.0, bi_shape_gap(&t, &shape, &pb, INFINITY).upper));
        }
        const BerthTreeRequest request = berth_default_tree_request();
        const BerthTreeAnswer d = berth_tree_distance(query, mesh, &pa, solid, &pb, &request);
        const BerthTreeAnswer swapped = berth_tree_distance(query, solid, &pb, mesh, &pa, &request);
        if (!d.contained) {
            const double gap = fmax(0.0, d.upper);
            assert_true(fabs(gap - least) <= 1e-9 * (1 + least));
            assert_true(d.lower <= least + 1e-15);
        }
        assert_int_equal(swapped.verdict, d.verdict);
        assert_true(fabs(swapped.upper - d.upper) < 1e-8);
        berth_solid_destroy(solid);
    }
    for (int i = 0; i < 3; ++i) {
        berth_solid_destroy(meshes[i]);
    }
    berth_tree_query_destroy(query);
}

// A spent budget and NaN poses prove nothing.
static void what_is_not_known_is_unknown(void** state) {
    (void)state;
    Random random = {12};
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(0, NULL, &query), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_tree_query_create(2, NULL, &query), BERTH_OK);
    BerthSolid* a = test_solid(TEST_MESH_SOUP, 3000, 1.0, &random);
    int unknown = 0;
    for (int round = 0; round < 2000; ++round) {
        const Pose pa = test_pose(&random, 1.5), pb = test_pose(&random, 1.5);
        const BerthTreeAnswer answer = berth_tree_collide(query, a, &pa, a, &pb, 0.0);
        unknown += answer.verdict == BERTH_UNKNOWN && answer.reason == BERTH_REASON_BUDGET;
    }
    assert_true(unknown > 1000);
    Pose bad = pose_identity();
    bad.t.y = (double)NAN;
    const Pose still = pose_identity();
    const BerthTreeAnswer nan = berth_tree_collide(query, a, &still, a, &bad, 0.0);
    assert_true(nan.verdict == BERTH_UNKNOWN && nan.reason == BERTH_REASON_NUMERIC);
    bad = pose_identity();
    bad.x.z = INFINITY;
    assert_int_equal(berth_tree_collide(query, a, &still, a, &bad, 0.0).verdict, BERTH_UNKNOWN);
    BerthCounters counters = {0};
    assert_true(berth_tree_greedy(query, a, &still, a, &bad, 0.0, &counters) == 0.0);
    berth_solid_destroy(a);
    berth_tree_query_destroy(query);
}

// A plate 1e-310 m thick (twelve triangles, scale: [1, 1, 1e-310] in a scene): 16 bins over its centroids have an
// infinite scale, 0 times it was NaN, and NaN as a bin wrote beyond the bins: SIGSEGV of `info`, `check` and all others.
static void extents_may_be_denormal(void** state) {
    (void)state;
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 20, NULL, &query), BERTH_OK);

    const double thin[] = {1e-300, 1e-307, 1e-308, 1e-310, 4.9e-324};
    for (int axes = 1; axes < 8; ++axes) {
        for (size_t i = 0; i < sizeof thin / sizeof *thin; ++i) {
            BerthVec3 v[8];
            for (int k = 0; k < 8; ++k) {
                v[k] = v3((k & 1 ? 1.0 : -1.0) * (axes & 1 ? thin[i] : 1.0),
                          (k & 2 ? 1.0 : -1.0) * (axes & 2 ? thin[i] : 1.0),
                          (k & 4 ? 1.0 : -1.0) * (axes & 4 ? thin[i] : 1.0));
            }
            const int32_t t[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                   2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

            BerthMesh* mesh = NULL;
            BerthSolid* plate = NULL;
            assert_int_equal(berth_mesh_create(v, 8, t, 12, NULL, &mesh), BERTH_OK);
            assert_int_equal(berth_solid_from_mesh(mesh, NULL, &plate), BERTH_OK);

            // Two of them, 3 m apart from middle to middle.
            const Pose still = pose_identity();
            Pose away = still;
            away.t.x = 3.0;
            const BerthTreeRequest request = berth_default_tree_request();
            const BerthTreeAnswer d = berth_tree_distance(query, plate, &still, plate, &away, &request);
            const double gap = axes & 1 ? 3.0 : 1.0;
            assert_int_equal(d.verdict, BERTH_FREE);
            assert_true(d.lower <= gap && gap <= d.upper && d.upper - d.lower < 1e-9);
            berth_solid_destroy(plate);
        }
    }
    berth_tree_query_destroy(query);
}

static BerthStatus make_all(void* user, const BerthAllocator* allocator) {
    (void)user;
    const BerthVec3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t t[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    BerthTreeQuery* query = NULL;
    BerthStatus status = berth_mesh_create(v, 4, t, 4, allocator, &mesh);
    if (status == BERTH_OK) {
        status = berth_solid_from_mesh(mesh, allocator, &solid);
    }
    if (status == BERTH_OK) {
        status = berth_tree_query_create(100, allocator, &query);
    }
    berth_tree_query_destroy(query);
    berth_solid_destroy(solid);
    return status;
}

static void memory_may_run_out_anywhere(void** state) {
    (void)state;
    assert_true(starve(make_all, NULL) > 8);
}

int test_tree_solid(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_cover_their_leaves),     cmocka_unit_test(distances_are_exact),
        cmocka_unit_test(range_and_tolerance_hold),     cmocka_unit_test(caching_changes_no_answer),
        cmocka_unit_test(instruction_sets_agree),       cmocka_unit_test(insides_collide),
        cmocka_unit_test(containment_is_exact),         cmocka_unit_test(mesh_against_shapes),
        cmocka_unit_test(what_is_not_known_is_unknown), cmocka_unit_test(extents_may_be_denormal),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
