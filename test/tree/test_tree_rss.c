// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// RSS trees: every triangle inside every ancestor, gaps that are lower bounds and zero exactly when the volumes
// touch, and the same distances as the tree of boxes.
// test-share: 0.4

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <berth/lab/tree.h>
#include <stdlib.h>

#include "support/meshes.h"
#include "support/setting.h"
#include "tree/rss.h"

// In long double: distance of a point from the rectangle is at most the radius.
static bool inside(const RssNode* node, Vec3 p) {
    const long double dx = (long double)p.x - node->centre.x, dy = (long double)p.y - node->centre.y,
                      dz = (long double)p.z - node->centre.z;
    long double sq = 0;
    for (int k = 0; k < 3; ++k) {
        const Vec3 a = node->axis[k];
        const long double along = fabsl(dx * a.x + dy * a.y + dz * a.z);
        const long double over = along - (k < 2 ? (long double)node->half[k] : 0.0L);
        sq += over > 0 ? over * over : 0;
    }
    return sq <= (long double)node->radius * node->radius;
}

static void triangles_are_inside_every_ancestor(void** state) {
    (void)state;
    Random random = {21};
    for (int round = 0; round < test_scaled(60); ++round) {
        BerthSolid* s =
            test_solid((TestMeshKind)(round % TEST_MESH_KIND_COUNT), 10 + 40 * round, 0.5, &random);
        assert_int_equal(bi_solid_need_rss(s), BERTH_OK);
        const RssTree* tree = solid_rss(s);
        int32_t* parent = malloc((size_t)(2 * tree->triangle_count) * sizeof *parent);
        parent[0] = -1;
        int32_t leaves = 0;
        for (int32_t i = 0; i < 2 * tree->triangle_count - 1; ++i) {
            if (!rss_is_leaf(&tree->nodes[i])) {
                parent[tree->nodes[i].child] = parent[tree->nodes[i].child + 1] = i;
                continue;
            }
            leaves += 1;
            Vec3 p[3];
            mesh_triangle(tree->mesh, tree->source[rss_leaf(&tree->nodes[i])], p);
            for (int32_t up = i; up >= 0; up = parent[up]) {
                assert_true(inside(&tree->nodes[up], p[0]) && inside(&tree->nodes[up], p[1]) &&
                            inside(&tree->nodes[up], p[2]));
            }
        }
        assert_int_equal(leaves, tree->triangle_count);
        free(parent);
        berth_solid_destroy(s);
    }
}

static Vec3 rect_point(const RssNode* n, double u, double v) {
    return v3_mad(v3_mad(n->centre, u * n->half[0], n->axis[0]), v * n->half[1], n->axis[1]);
}

// The distance of two rectangles by alternating projections in many steps, an upper bound that converges.
static double slow_rect_distance(const RssNode* a, const RssNode* b, const Pose* a_from_b) {
    double best = INFINITY;
    for (int start = 0; start < 5; ++start) {
        Vec3 q = pose_apply(a_from_b, rect_point(b, start & 1 ? 1 : -1, start & 2 ? 1 : -1));
        if (start == 4) {
            q = pose_apply(a_from_b, b->centre);
        }
        Vec3 p = q;
        for (int step = 0; step < 3000; ++step) {
            const Vec3 d = v3_sub(q, a->centre);
            p = v3_mad(v3_mad(a->centre, clamp(v3_dot(d, a->axis[0]), -a->half[0], a->half[0]), a->axis[0]),
                       clamp(v3_dot(d, a->axis[1]), -a->half[1], a->half[1]), a->axis[1]);
            const Vec3 e = v3_sub(pose_apply_back(a_from_b, p), b->centre);
            q = pose_apply(
                a_from_b,
                v3_mad(v3_mad(b->centre, clamp(v3_dot(e, b->axis[0]), -b->half[0], b->half[0]), b->axis[0]),
                       clamp(v3_dot(e, b->axis[1]), -b->half[1], b->half[1]), b->axis[1]));
        }
        best = fmin(best, v3_distance(p, q));
    }
    return best;
}

static void gaps_are_the_distance_of_the_volumes(void** state) {
    (void)state;
    Random random = {22};
    BerthSolid* s = test_solid(TEST_MESH_SOUP, 200, 0.5, &random);
    assert_int_equal(bi_solid_need_rss(s), BERTH_OK);
    const int32_t count = 2 * solid_rss(s)->triangle_count - 1;
    int apart = 0;
    for (int round = 0; round < test_scaled(2000); ++round) {
        const RssNode* a = &solid_rss(s)->nodes[bi_random_next(&random) % (uint64_t)count];
        const RssNode* b = &solid_rss(s)->nodes[bi_random_next(&random) % (uint64_t)count];
        const Pose pose = test_pose(&random, 1.0);
        const double gap = bi_rss_gap(a, b, &pose) + a->radius + b->radius;
        const double slow = slow_rect_distance(a, b, &pose);
        assert_true(gap <= slow + 1e-12);  // a lower bound, and
        assert_true(gap >=
                    slow - 1e-3 * slow - 1e-4);  // not a bad one: projections converge slowly when crossing
        apart += gap > 0;
    }
    assert_true(apart > test_scaled(100));
    berth_solid_destroy(s);
}

static void both_trees_measure_the_same(void** state) {
    (void)state;
    Random random = {23};
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 30, NULL, &query), BERTH_OK);
    BerthSolid* solids[6];
    for (int i = 0; i < 6; ++i) {
        solids[i] = test_solid((TestMeshKind)i, 200, 0.4, &random);
    }
    for (int round = 0; round < test_scaled(10000); ++round) {
        const BerthSolid* a = solids[round % 6];
        const BerthSolid* b = solids[round / 6 % 6];
        const Pose pose = test_pose(&random, 1.0);
        const SolidRequest request = {.max_d = INFINITY, .slack = 1e-13, .sorted = true};
        BerthTreeAnswer boxes, rss;
        bi_solid_query(query, a, b, &pose, &request, &boxes);
        const BerthSolid* const both[2] = {a, b};
        assert_int_equal(berth_tree_query_use(query, BERTH_ENGINE_RSS, both, 2), BERTH_OK);
        bi_solid_query(query, a, b, &pose, &request, &rss);
        assert_int_equal(berth_tree_query_use(query, BERTH_ENGINE_DEFAULT, NULL, 0), BERTH_OK);
        assert_true(boxes.upper == rss.upper && boxes.verdict == rss.verdict);
        assert_true(boxes.contained == rss.contained);
        BerthCounters counters = {0};
        const double greedy =
            bi_rss_greedy_distance(solid_rss(a), solid_rss(b), &pose, 0.0, 1e-13, 1 << 30, &counters);
        assert_true(rss.contained       ? greedy > 0
                    : rss.upper > 1e-13 ? greedy > 0 && greedy <= rss.upper
                                        : greedy == 0.0);
        assert_true(bi_rss_greedy_distance(solid_rss(a), solid_rss(b), &pose, 0.0, 1e-13, 0, &counters) ==
                    -1.0);
        // Touch or not, of surfaces: as the distance says, but for rounding.
        const double needed = round % 3 == 0 ? 1e-13 : bi_random_between(&random, 0, 2 * fmax(rss.upper, 0));
        const bool touches = bi_rss_test_touch(solid_rss(a), solid_rss(b), &pose, needed, 1 << 30, &counters);
        assert_true(rss.contained || fabs(rss.upper - needed) < 1e-12 || touches == (rss.upper < needed));
        assert_true(bi_rss_test_touch(solid_rss(a), solid_rss(b), &pose, needed, 0, &counters));
    }
    for (int i = 0; i < 6; ++i) {
        berth_solid_destroy(solids[i]);
    }
    berth_tree_query_destroy(query);
}

// Whatever the number, the volumes hold every corner of the mesh; one is the root; there are no more than there are leaves.
static void volumes_for_pictures_hold_the_mesh(void** state) {
    (void)state;
    enum { MOST = 300 };
    Random random = {24};
    BerthSolid* s = test_solid(TEST_MESH_SOUP, 120, 0.5, &random);
    BerthRssVolume volumes[MOST];
    assert_int_equal(berth_solid_rss_volumes(s, volumes, 0), 0);
    assert_int_equal(berth_solid_rss_volumes(s, volumes, 1), 1);
    assert_int_equal(volumes[0].node, 0);

    const int32_t leaves = solid_rss(s)->triangle_count;
    static const int32_t wanted[] = {1, 2, 7, 40, MOST};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        const int32_t count = berth_solid_rss_volumes(s, volumes, wanted[i]);
        assert_int_equal(count, wanted[i] < leaves ? wanted[i] : leaves);
        for (int32_t t = 0; t < leaves; ++t) {
            Vec3 p[3];
            mesh_triangle(solid_rss(s)->mesh, t, p);
            bool held = false;
            for (int32_t k = 0; k < count && !held; ++k) {
                const BerthPose* pose = &volumes[k].solid_from_volume;
                const RssNode node = {{pose->x, pose->y, pose->z},
                                      pose->t,
                                      {volumes[k].half[0], volumes[k].half[1]},
                                      volumes[k].radius,
                                      -1};
                held = inside(&node, p[0]) && inside(&node, p[1]) && inside(&node, p[2]);
            }
            assert_true(held);
        }
    }
    berth_solid_destroy(s);

    BerthShape ball;
    assert_int_equal(berth_shape_sphere(0.2, &ball), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&ball, NULL, &s), BERTH_OK);
    assert_int_equal(berth_solid_rss_volumes(s, volumes, MOST), 0);
    berth_solid_destroy(s);
}

int test_tree_rss(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_inside_every_ancestor),
        cmocka_unit_test(gaps_are_the_distance_of_the_volumes),
        cmocka_unit_test(both_trees_measure_the_same),
        cmocka_unit_test(volumes_for_pictures_hold_the_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
