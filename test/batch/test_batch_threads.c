// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-labels: threads
// Many rows on many threads: the verdicts and bounds of one checker that is asked one row after the other, for every number
// of threads; the first wrong row is named; what is cancelled keeps what lies before it; no memory is lost.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <berth/batch.h>

#include "support/setting.h"
#include "support/starve.h"
#include "support/verdicts.h"

enum { VALUE_MAX = 300, THREADS_MAX = 5 };

/// Rows of a random world, and what a single checker says of them.
typedef struct Rows {
    World* world;
    BerthBatchKind kind;
    int count, row_size;
    double* values;
    uint8_t* verdicts;
    double* clearances;
    BerthBatchResult counts;
} Rows;

// ---- the slow way ------------------------------------------------------------------------------------------------

static void count_verdict(Rows* rows, int row, BerthVerdict verdict, double clearance, int outside) {
    rows->verdicts[row] = (uint8_t)verdict;
    rows->clearances[row] = clearance;
    rows->counts.free_count += verdict == BERTH_FREE;
    rows->counts.collision_count += verdict == BERTH_COLLISION;
    rows->counts.unknown_count += verdict == BERTH_UNKNOWN;
    if (outside > 0 && rows->counts.outside_rows++ == 0) {
        rows->counts.first_outside = row;
    }
    rows->counts.outside_count += outside;
    rows->counts.finished += 1;
}

static void ask_states(Rows* rows) {
    const BerthCheckerDef def = berth_default_checker_def();
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(rows->world->scene, &def, &checker), BERTH_OK);

    const bool pairs = berth_scene_pair_count(rows->world->scene) > 0;
    for (int i = 0; i < rows->count; ++i) {
        const double* values = rows->values + (ptrdiff_t)i * rows->row_size;
        const BerthCheckRequest request = {.distance = true};
        BerthCheckResult result;
        int32_t outside = 0;
        assert_int_equal(berth_check_state(checker, values, &request, &result), BERTH_OK);
        assert_int_equal(berth_scene_check_values(rows->world->scene, values, &outside, NULL), BERTH_OK);
        double clearance = pairs ? -INFINITY : INFINITY;
        if (result.has_clearance) {
            clearance = result.clearance.lower;
        }
        count_verdict(rows, i, result.verdict, clearance, outside);
    }
    berth_checker_destroy(checker);
}

static void ask_segments(Rows* rows) {
    const BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    assert_int_equal(berth_motion_checker_create(rows->world->scene, &def, &motion), BERTH_OK);

    for (int i = 0; i < rows->count; ++i) {
        const double* from = rows->values + (ptrdiff_t)i * rows->row_size;
        const BerthSegment segment = {
            .value_count = rows->row_size / 2, .from = from, .to = from + rows->row_size / 2};
        const BerthMotionRequest request = {.sharp_clearance = true};
        BerthMotionResult result;
        assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &result), BERTH_OK);
        const double clearance = result.verdict == BERTH_FREE
                                     ? fmin(result.self.lower, result.environment.lower)
                                     : (double)-INFINITY;
        count_verdict(rows, i, result.verdict, clearance, result.outside_limits);
    }
    berth_motion_checker_destroy(motion);
}

static Rows make_rows(Random* random, BerthBatchKind kind, int count) {
    const WorldPlan plan = {.style = WORLD_CONVEX, .robots = 1 + (int)(kind != 0), .joints = 4, .objects = 3};
    Rows rows = {.world = world_make(random, &plan), .kind = kind, .count = count};
    const int values = rows.world->brute.value_count;
    rows.row_size = kind == BERTH_BATCH_SEGMENTS ? 2 * values : values;
    rows.values = calloc((size_t)count * (size_t)rows.row_size + 1, sizeof *rows.values);
    rows.verdicts = calloc((size_t)count, 1);
    rows.clearances = calloc((size_t)count, sizeof *rows.clearances);
    rows.counts.first_outside = rows.counts.failed_row = -1;
    assert_true(rows.values != NULL && rows.verdicts != NULL && rows.clearances != NULL);

    for (int i = 0; i < count * rows.row_size; i += values) {
        world_values(rows.world, random, rows.values + i);
    }
    // Segments are short, so that not all of them collide.
    for (int i = 0; kind == BERTH_BATCH_SEGMENTS && i < count; ++i) {
        double* from = rows.values + (ptrdiff_t)i * rows.row_size;
        for (int k = 0; k < values; ++k) {
            from[values + k] = from[k] + 0.02 * (from[values + k] - from[k]);
        }
    }
    kind == BERTH_BATCH_STATES ? ask_states(&rows) : ask_segments(&rows);
    return rows;
}

static void free_rows(Rows* rows) {
    free(rows->values);
    free(rows->verdicts);
    free(rows->clearances);
    world_destroy(rows->world);
}

static BerthBatch* make_batch(const Rows* rows, int threads) {
    BerthBatchDef def = berth_default_batch_def();
    def.kind = rows->kind;
    def.threads = threads;
    BerthBatch* batch = NULL;
    assert_int_equal(berth_batch_create(rows->world->scene, &def, &batch), BERTH_OK);
    assert_int_equal(berth_batch_row_size(batch), rows->row_size);
    assert_true(threads == 0 || berth_batch_worker_count(batch) == threads);
    return batch;
}

// ---- the same for every number of threads ------------------------------------------------------------------------

static void expect_counts(const BerthBatchResult* got, const BerthBatchResult* expected) {
    assert_int_equal(got->finished, expected->finished);
    assert_int_equal(got->free_count, expected->free_count);
    assert_int_equal(got->collision_count, expected->collision_count);
    assert_int_equal(got->unknown_count, expected->unknown_count);
    assert_int_equal(got->outside_count, expected->outside_count);
    assert_int_equal(got->outside_rows, expected->outside_rows);
    assert_int_equal(got->first_outside, expected->first_outside);
    assert_int_equal(got->failed_row, -1);
}

static void expect_same(const Rows* rows, int threads) {
    BerthBatch* batch = make_batch(rows, threads);
    uint8_t* verdicts = calloc((size_t)rows->count + 1, 1);
    double* clearances = calloc((size_t)rows->count, sizeof *clearances);
    assert_true(verdicts != NULL && clearances != NULL);
    verdicts[rows->count] = 77;

    // Twice with bounds, once without; the threads stay.
    for (int turn = 0; turn < 3; ++turn) {
        BerthBatchResult counts;
        memset(verdicts, 9, (size_t)rows->count);
        assert_int_equal(berth_batch_ask(batch, rows->values, rows->count, verdicts,
                                         turn < 2 ? clearances : NULL, &counts),
                         BERTH_OK);
        expect_counts(&counts, &rows->counts);
        assert_memory_equal(verdicts, rows->verdicts, (size_t)rows->count);
        assert_memory_equal(clearances, rows->clearances, (size_t)rows->count * sizeof *clearances);
    }

    // The last worker alone.
    BerthBatchResult counts;
    memset(verdicts, 9, (size_t)rows->count);
    assert_int_equal(
        berth_batch_ask_worker(batch, threads - 1, rows->values, rows->count, verdicts, NULL, &counts),
        BERTH_OK);
    expect_counts(&counts, &rows->counts);
    assert_memory_equal(verdicts, rows->verdicts, (size_t)rows->count);
    assert_int_equal(verdicts[rows->count], 77);

    free(verdicts);
    free(clearances);
    berth_batch_destroy(batch);
}

static void threads_agree(void** state) {
    (void)state;
    Random random = {5};
    int64_t sums[3] = {0};
    for (int i = 0; i < test_scaled(8) + 7; ++i) {
        const bool segments = i % 2 == 1;
        Rows rows = make_rows(&random, segments ? BERTH_BATCH_SEGMENTS : BERTH_BATCH_STATES,
                              segments ? 71 + 20 * i : 2100 + 217 * i);
        for (int threads = 1; threads <= THREADS_MAX; ++threads) {
            expect_same(&rows, threads);
        }
        sums[0] += rows.counts.free_count;
        sums[1] += rows.counts.collision_count;
        free_rows(&rows);
    }
    assert_true(sums[0] > 50 && sums[1] > 50);  // both were asked about
}

// ---- what goes wrong ---------------------------------------------------------------------------------------------

// Two rows are none: the first is named, whoever came to the other one first.
static void first_wrong_row_is_named(void** state) {
    (void)state;
    Random random = {6};
    Rows rows = make_rows(&random, BERTH_BATCH_STATES, 9000);
    while (rows.row_size == 0) {  // all joints are fixed: no value could be wrong
        free_rows(&rows);
        rows = make_rows(&random, BERTH_BATCH_STATES, 9000);
    }
    uint8_t* verdicts = calloc((size_t)rows.count, 1);
    assert_non_null(verdicts);
    rows.values[(ptrdiff_t)5000 * rows.row_size] = NAN;
    rows.values[(ptrdiff_t)5700 * rows.row_size] = INFINITY;

    for (int threads = 1; threads <= 4; ++threads) {
        BerthBatch* batch = make_batch(&rows, threads);
        BerthBatchResult counts;
        memset(verdicts, 9, (size_t)rows.count);
        assert_int_equal(berth_batch_ask(batch, rows.values, rows.count, verdicts, NULL, &counts),
                         BERTH_ERR_ARGUMENT);
        assert_int_equal(counts.failed_row, 5000);
        assert_non_null(strstr(berth_error_text(), "state 5000: "));

        // All before its chunk is there, nothing behind it.
        assert_int_equal(counts.finished, 4 * 1024);
        assert_memory_equal(verdicts, rows.verdicts, (size_t)counts.finished);
        for (int i = (int)counts.finished; i < rows.count; ++i) {
            assert_int_equal(verdicts[i], BERTH_UNKNOWN);
        }
        assert_int_equal(counts.free_count + counts.collision_count + counts.unknown_count, counts.finished);
        berth_batch_destroy(batch);
    }
    free(verdicts);
    free_rows(&rows);
}

static bool after_some(void* user) {
    return atomic_fetch_sub((atomic_int*)user, 1) <= 0;
}

static void cancelled_keeps_a_beginning(void** state) {
    (void)state;
    Random random = {7};
    for (int kind = 0; kind < 2; ++kind) {
        Rows rows = make_rows(&random, (BerthBatchKind)kind, kind == 0 ? 20000 : 600);
        uint8_t* verdicts = calloc((size_t)rows.count, 1);
        assert_non_null(verdicts);
        for (int i = 0; i < test_scaled(30) + 3; ++i) {
            atomic_int left = i == 0 ? 0 : (int)bi_random_between(&random, 0.0, 400.0);
            BerthBatchDef def = berth_default_batch_def();
            def.kind = rows.kind;
            def.threads = 1 + i % 4;
            def.cancelled = after_some;
            def.cancelled_user = &left;
            BerthBatch* batch = NULL;
            assert_int_equal(berth_batch_create(rows.world->scene, &def, &batch), BERTH_OK);

            BerthBatchResult counts;
            memset(verdicts, 9, (size_t)rows.count);
            const BerthStatus status =
                berth_batch_ask(batch, rows.values, rows.count, verdicts, NULL, &counts);
            assert_true(status == BERTH_ERR_CANCELLED ||
                        (status == BERTH_OK && counts.finished == rows.count));
            assert_true(i > 0 || counts.finished == 0);
            assert_memory_equal(verdicts, rows.verdicts, (size_t)counts.finished);
            for (int k = (int)counts.finished; k < rows.count; ++k) {
                assert_int_equal(verdicts[k], BERTH_UNKNOWN);
            }
            berth_batch_destroy(batch);
        }
        free(verdicts);
        free_rows(&rows);
    }
}

static void note_progress(void* user, int64_t done, int64_t count) {
    int64_t* last = user;
    assert_true(done >= *last && done <= count);
    *last = done;
}

static void progress_is_told(void** state) {
    (void)state;
    Random random = {8};
    Rows rows = make_rows(&random, BERTH_BATCH_STATES, 5000);
    uint8_t verdicts[5000];
    int64_t last = 0;
    BerthBatchDef def = berth_default_batch_def();
    def.threads = 1;
    def.progress = note_progress;
    def.progress_user = &last;
    BerthBatch* batch = NULL;
    BerthBatchResult counts;
    assert_int_equal(berth_batch_create(rows.world->scene, &def, &batch), BERTH_OK);
    assert_int_equal(berth_batch_ask(batch, rows.values, rows.count, verdicts, NULL, &counts), BERTH_OK);
    assert_int_equal(last, 5000);
    berth_batch_destroy(batch);
    free_rows(&rows);
}

static void wrong_requests_are_refused(void** state) {
    (void)state;
    Random random = {9};
    Rows rows = make_rows(&random, BERTH_BATCH_STATES, 10);
    const BerthScene* scene = rows.world->scene;
    uint8_t verdicts[10];
    BerthBatchResult counts;
    BerthBatch* batch = NULL;
    BerthBatchDef def = berth_default_batch_def();

    BerthBatchDef wrong[6] = {def, def, def, def, def, {0}};
    wrong[0].kind = BERTH_BATCH_KIND_COUNT;
    wrong[1].threads = -1;
    wrong[2].threads = 100000;
    wrong[3].margin = NAN;
    wrong[4].node_budget = 0;
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(berth_batch_create(scene, &wrong[i], &batch), BERTH_ERR_ARGUMENT);
        assert_null(batch);
        assert_true(berth_error_text()[0] != '\0');
    }
    assert_int_equal(berth_batch_create(NULL, &def, &batch), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_batch_create(scene, NULL, &batch), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_batch_create(scene, &def, NULL), BERTH_ERR_ARGUMENT);

    batch = make_batch(&rows, 2);
    assert_int_equal(berth_batch_ask(NULL, rows.values, 10, verdicts, NULL, &counts), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_batch_ask(batch, NULL, 10, verdicts, NULL, &counts), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_batch_ask(batch, rows.values, 10, NULL, NULL, &counts), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_batch_ask(batch, rows.values, -1, verdicts, NULL, &counts), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_batch_ask(batch, rows.values, 10, verdicts, NULL, NULL), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_batch_ask_worker(batch, 2, rows.values, 10, verdicts, NULL, &counts),
                     BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_batch_ask(batch, NULL, 0, NULL, NULL, &counts), BERTH_OK);
    assert_int_equal(counts.finished, 0);

    // An edited scene makes it stale; nothing is called free.
    const BerthPose there = rows.world->poses[0];
    world_move_object(rows.world, 0, &there);
    memset(verdicts, BERTH_FREE, sizeof verdicts);
    assert_int_equal(berth_batch_ask(batch, rows.values, 10, verdicts, NULL, &counts), BERTH_ERR_STALE);
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(verdicts[i], BERTH_UNKNOWN);
    }
    berth_batch_destroy(batch);
    berth_batch_destroy(NULL);
    free_rows(&rows);
}

// ---- memory ------------------------------------------------------------------------------------------------------

static BerthStatus try_once(void* user, const BerthAllocator* allocator) {
    const Rows* rows = user;
    BerthBatchDef def = berth_default_batch_def();
    def.kind = rows->kind;
    def.threads = 3;
    def.allocator = *allocator;
    BerthBatch* batch = NULL;
    BerthStatus status = berth_batch_create(rows->world->scene, &def, &batch);

    // Asking takes nothing.
    TestAllocator* counts = allocator->user;
    const int64_t before = counts->taken;
    uint8_t verdicts[64];
    BerthBatchResult result;
    if (status == BERTH_OK) {
        status = berth_batch_ask(batch, rows->values, rows->count, verdicts, NULL, &result);
    }
    assert_int_equal(counts->taken, before);
    berth_batch_destroy(batch);
    return status;
}

static void no_memory_is_lost(void** state) {
    (void)state;
    Random random = {10};
    for (int kind = 0; kind < 2; ++kind) {
        Rows rows = make_rows(&random, (BerthBatchKind)kind, 40);
        assert_true(starve(try_once, &rows) > 5);
        free_rows(&rows);
    }
}

int test_batch_threads(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(first_wrong_row_is_named),
        cmocka_unit_test(cancelled_keeps_a_beginning),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(no_memory_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
