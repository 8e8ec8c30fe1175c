// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-labels: threads
// Trees that several threads build have the bytes that one builds, and an RSS tree that several threads ask for is made once.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <pthread.h>
#include <string.h>

#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"
#include "tree/rss.h"

enum { LARGE = 10000, ASKING = 4 };

static bool same_rss(const RssTree* a, const RssTree* b) {
    bool same = a->triangle_count == b->triangle_count && a->depth == b->depth;
    for (int32_t i = 0; same && i < 2 * a->triangle_count - 1; ++i) {
        const RssNode *one = &a->nodes[i], *other = &b->nodes[i];
        same = memcmp(one->axis, other->axis, sizeof one->axis) == 0 &&
               memcmp(&one->centre, &other->centre, sizeof one->centre) == 0 &&
               memcmp(one->half, other->half, sizeof one->half) == 0 && one->radius == other->radius &&
               one->child == other->child;
    }
    return same && memcmp(a->source, b->source, (size_t)a->triangle_count * sizeof *a->source) == 0;
}

static bool same_boxes(const BerthSolid* a, const BerthSolid* b) {
    bool same = a->node_count == b->node_count && a->depth == b->depth && a->bottom_count == b->bottom_count;
    for (int32_t i = 0; same && i < a->node_count; ++i) {
        const BoxLink *one = &a->links[i], *other = &b->links[i];
        same = one->first == other->first && one->corners == other->corners && one->count == other->count &&
               one->bottom == other->bottom;
    }
    for (int32_t i = 0; same && i < a->bottom_count; ++i) {
        same = memcmp(a->corners[i].corner, b->corners[i].corner, sizeof a->corners[i].corner) == 0;
    }
    return same && memcmp(a->nodes, b->nodes, (size_t)a->node_count * sizeof *a->nodes) == 0 &&
           memcmp(a->source, b->source, (size_t)a->triangle_count * sizeof *a->source) == 0 &&
           memcmp(a->triangles, b->triangles, (size_t)a->triangle_count * sizeof *a->triangles) == 0;
}

// The boxes of a mesh alone, by so many threads.
static BerthSolid boxes_by(const BerthSolid* solid, int32_t threads) {
    BerthSolid boxes = {.allocator = solid->allocator, .is_mesh = true, .mesh = solid->mesh};
    assert_int_equal(bi_tree_box_build(&boxes, threads), BERTH_OK);
    return boxes;
}

static void give_boxes(BerthSolid* boxes) {
    const BerthAllocator* from = &boxes->allocator;
    bi_give(from, boxes->nodes, (size_t)boxes->node_count, sizeof *boxes->nodes);
    bi_give(from, boxes->links, (size_t)boxes->node_count, sizeof *boxes->links);
    bi_give(from, boxes->corners, (size_t)boxes->bottom_count, sizeof *boxes->corners);
    bi_give(from, boxes->triangles, (size_t)boxes->triangle_count, sizeof *boxes->triangles);
    bi_give(from, boxes->source, (size_t)boxes->triangle_count, sizeof *boxes->source);
}

static void threads_change_no_byte(void** state) {
    (void)state;
    Random random = {71};
    for (int kind = 0; kind < TEST_MESH_KIND_COUNT; ++kind) {
        BerthSolid* solid = test_solid((TestMeshKind)kind, LARGE, 0.5, &random);
        RssTree* one = NULL;
        assert_int_equal(bi_rss_build(solid->mesh, 1, &solid->allocator, &one), BERTH_OK);
        BerthSolid alone = boxes_by(solid, 1);

        for (int32_t threads = 2; threads <= 5; threads += 3) {
            RssTree* many = NULL;
            assert_int_equal(bi_rss_build(solid->mesh, threads, &solid->allocator, &many), BERTH_OK);
            assert_true(same_rss(one, many));
            bi_rss_destroy(many);

            BerthSolid boxes = boxes_by(solid, threads);
            assert_true(same_boxes(&alone, &boxes));
            give_boxes(&boxes);
        }

        give_boxes(&alone);
        bi_rss_destroy(one);
        berth_solid_destroy(solid);
    }
}

/// One that asks, and what it got.
typedef struct Asking {
    const BerthSolid* solid;
    const RssTree* got;
} Asking;

static void* ask(void* user) {
    Asking* asking = user;
    asking->got = bi_solid_need_rss(asking->solid) == BERTH_OK ? solid_rss(asking->solid) : NULL;
    return NULL;
}

static void all_get_the_same_tree(void** state) {
    (void)state;
    Random random = {72};
    for (int round = 0; round < test_scaled(20); ++round) {
        BerthSolid* solid = test_solid((TestMeshKind)(round % TEST_MESH_KIND_COUNT), 400, 0.5, &random);
        assert_null(solid_rss(solid));
        const size_t before = berth_solid_bytes(solid);

        Asking asking[ASKING];
        pthread_t threads[ASKING];
        for (int i = 0; i < ASKING; ++i) {
            asking[i] = (Asking){solid, NULL};
            assert_int_equal(pthread_create(&threads[i], NULL, ask, &asking[i]), 0);
        }
        for (int i = 0; i < ASKING; ++i) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_non_null(asking[i].got);
            assert_ptr_equal(asking[i].got, asking[0].got);
        }
        assert_true(berth_solid_bytes(solid) == before + bi_rss_bytes(asking[0].got));
        berth_solid_destroy(solid);
    }
}

static BerthStatus need_tree(void* user, const BerthAllocator* allocator) {
    (void)user;
    const BerthVec3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t t[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    BerthStatus status = berth_mesh_create(v, 4, t, 4, allocator, &mesh);
    if (status == BERTH_OK) {
        status = berth_solid_from_mesh(mesh, allocator, &solid);
    }
    if (status == BERTH_OK) {
        status = bi_solid_need_rss(solid);
        assert_true((status == BERTH_OK) == (solid_rss(solid) != NULL));
    }
    berth_solid_destroy(solid);
    return status;
}

static void memory_may_run_out(void** state) {
    (void)state;
    assert_true(starve(need_tree, NULL) > 12);
}

int test_tree_threads(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_change_no_byte),
                                       cmocka_unit_test(all_get_the_same_tree),
                                       cmocka_unit_test(memory_may_run_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
