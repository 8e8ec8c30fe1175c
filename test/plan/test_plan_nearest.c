// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Nearest neighbours against looking at every point: points that are spread, in a heap, on a line in order, and all the same.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <cmocka.h>

#include "math/math.h"
#include "plan/nearest.h"
#include "support/setting.h"
#include "support/starve.h"

enum { POINTS = 3000, DIMENSION_MOST = 14, MANY = 12, KINDS = 5 };

static float any_float(Random* random, double low, double high) {
    return (float)bi_random_between(random, low, high);
}

static void make_point(Random* random, int kind, int dimension, int index, float* out) {
    for (int i = 0; i < dimension; ++i) {
        switch (kind) {
        case 0:
            out[i] = any_float(random, -3.0, 3.0);
            break;
        case 1:  // a heap, with few that are far away
            out[i] = any_float(random, -1.0, 1.0) * (index % 50 == 0 ? 1000.0f : 0.01f);
            break;
        case 2:  // on a line, in order
            out[i] = 0.01f * (float)index * (i % 2 == 0 ? 1.0f : -0.5f);
            break;
        case 3:  // few places, many times each
            out[i] = (float)(bi_random_next(random) % 3);
            break;
        default:
            out[i] = 0.5f;
            break;
        }
    }
}

static float distance_sq(const float* a, const float* b, int dimension) {
    float sum = 0.0f;
    for (int i = 0; i < dimension; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

static int compare_floats(const void* a, const void* b) {
    const float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static void check_query(const Nearest* nearest, const float* points, int count, const float* query,
                        float reach) {
    static float all[POINTS];
    const int dimension = nearest->dimension;
    int within = 0;
    for (int i = 0; i < count; ++i) {
        const float d = distance_sq(points + (ptrdiff_t)i * dimension, query, dimension);
        if (d < reach * reach) {
            all[within++] = d;
        }
    }
    qsort(all, (size_t)within, sizeof *all, compare_floats);

    NearestFound found[MANY];
    const int expected = within < MANY ? within : MANY;
    assert_int_equal(bi_nearest_find_many(nearest, query, reach, found, MANY), expected);
    for (int i = 0; i < expected; ++i) {
        assert_true(fabsf(found[i].distance_sq - all[i]) <= 1e-5f * all[i]);
        const float true_sq = distance_sq(points + (ptrdiff_t)found[i].id * dimension, query, dimension);
        assert_true(true_sq == found[i].distance_sq);
        for (int k = 0; k < i; ++k) {
            assert_true(found[k].id != found[i].id);
        }
    }
}

static int height_of(const Nearest* nearest, int32_t at) {
    int height = 0;
    for (; nearest->nodes[at].parent >= 0; at = nearest->nodes[at].parent) {
        height += 1;
    }
    return height;
}

// Points that came in order, or that were all the same, made a chain of leaves: 100,000 of them were 3,000 deep, and a search went
// down there by recursion.
static void check_flat(const Nearest* nearest) {
    int32_t leaves = 0, points = 0;
    for (int32_t i = 0; i < nearest->node_count; ++i) {
        const NearestNode* node = &nearest->nodes[i];
        if (node->axis >= 0) {
            assert_int_equal(node->points,
                             nearest->nodes[node->low].points + nearest->nodes[node->high].points);
            assert_int_equal(node->leaves,
                             nearest->nodes[node->low].leaves + nearest->nodes[node->high].leaves);
            continue;
        }
        assert_int_equal(node->points, nearest->filled[node->low]);
        assert_true(height_of(nearest, i) <= 2 * log2(nearest->leaf_count) + 5);
        leaves += 1;
        points += node->points;
    }
    assert_int_equal(leaves, nearest->leaf_count);
    assert_int_equal(points, nearest->count);
}

static void order_does_not_make_it_deep(void** state) {
    (void)state;
    const BerthAllocator allocator = berth_default_allocator();
    const int count = 2000 + test_scaled(100000);
    for (int kind = 0; kind < KINDS; ++kind) {
        Nearest nearest;
        Random random = {(uint64_t)kind};
        bi_nearest_init(&nearest, &allocator, 2);
        for (int i = 0; i < count; ++i) {
            float point[2];
            make_point(&random, kind, 2, i, point);
            assert_true(bi_nearest_add(&nearest, point, i));
        }
        check_flat(&nearest);
        bi_nearest_free(&nearest);
    }
}

static void nearest_is_nearest(void** state) {
    (void)state;
    static float points[POINTS * DIMENSION_MOST];
    const BerthAllocator allocator = berth_default_allocator();
    const int cases = test_scaled(60);
    for (int c = 0; c < cases; ++c) {
        Random random = {(uint64_t)c};
        const int dimension = 1 + (int)(bi_random_next(&random) % DIMENSION_MOST), kind = c % KINDS;
        const int count = 1 + (int)(bi_random_next(&random) % (c % 4 == 0 ? 70 : POINTS));
        Nearest nearest;
        bi_nearest_init(&nearest, &allocator, dimension);
        assert_int_equal(bi_nearest_find(&nearest, points).id, -1);

        for (int round = 0; round < 2; ++round) {  // cleared, it is as new
            bi_nearest_clear(&nearest);
            for (int i = 0; i < count; ++i) {
                float* point = points + (ptrdiff_t)i * dimension;
                make_point(&random, kind, dimension, i, point);
                assert_true(bi_nearest_add(&nearest, point, i));
            }
            assert_int_equal(nearest.count, count);
            check_flat(&nearest);
        }
        for (int q = 0; q < 40; ++q) {
            float query[DIMENSION_MOST];
            make_point(&random, q % 2 == 0 ? kind : 0, dimension, q * 7, query);
            check_query(&nearest, points, count, query, q % 3 == 0 ? 1.5f : INFINITY);
        }
        bi_nearest_free(&nearest);
    }
}

static BerthStatus add_some(void* user, const BerthAllocator* allocator) {
    (void)user;
    Nearest nearest;
    Random random = {7};
    bool has_room = true;
    bi_nearest_init(&nearest, allocator, 3);
    for (int i = 0; i < 2000 && has_room; ++i) {
        float point[3];
        make_point(&random, i < 1000 ? 0 : 2, 3, i, point);  // the second half in order: parts are built anew
        has_room = bi_nearest_add(&nearest, point, i);
        // What was added before is still found.
        assert_int_equal(nearest.count, has_room ? i + 1 : i);
    }
    bi_nearest_free(&nearest);
    return has_room ? BERTH_OK : BERTH_ERR_MEMORY;
}

static void memory_may_end(void** state) {
    (void)state;
    assert_true(starve(add_some, NULL) > 10);
}

int test_plan_nearest(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nearest_is_nearest),
                                       cmocka_unit_test(order_does_not_make_it_deep),
                                       cmocka_unit_test(memory_may_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
