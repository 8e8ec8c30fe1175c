// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Batches, which ask lanes first, against checkers that know no lanes, on rows of many robots of balls: never free against
// collision; where one proves what the other leaves unknown, the gap is within delta of the margin.
// test-share: 0.4

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include <berth/batch.h>

#include "support/rigs.h"
#include "support/segments.h"
#include "support/setting.h"

enum { RIGS = 170, ROWS = 200 };

typedef struct Count {
    int64_t rows, free, hits, unknown, differ, wrong;
} Count;

/// Rows of one rig.
typedef struct Rows {
    Rig* rig;
    BerthBatchKind kind;
    int size;
    double values[ROWS][2 * RIG_VALUES];
    uint8_t verdicts[ROWS];
    Count* count;
} Rows;

static void fill_rows(Rows* rows, Random* random) {
    const int n = rows->rig->value_count;
    for (int i = 0; i < ROWS; ++i) {
        double* row = &rows->values[0][0] + (ptrdiff_t)i * rows->size;
        rig_values(rows->rig, random, i % 8 == 0, row);
        if (rows->kind == BERTH_BATCH_SEGMENTS) {
            double other[RIG_VALUES] = {0};
            rig_values(rows->rig, random, i % 8 == 0, other);
            const double share = segment_log_between(random, 0.005, 0.6);
            for (int k = 0; k < n; ++k) {
                row[n + k] = row[k] + share * (other[k] - row[k]);
            }
        }
    }
}

static void ask_batch(Rows* rows) {
    BerthBatchDef def = berth_default_batch_def();
    BerthBatch* batch = NULL;
    BerthBatchResult result;
    def.kind = rows->kind;
    def.margin = rows->rig->margin;
    def.self_margin = rows->rig->self_margin;
    def.threads = 1;
    def.expected_rows = INT64_MAX;  // so that a layout pays
    assert_int_equal(berth_batch_create(rows->rig->scene, &def, &batch), BERTH_OK);
    assert_int_equal(berth_batch_row_size(batch), rows->size);
    assert_int_equal(berth_batch_ask(batch, &rows->values[0][0], ROWS, rows->verdicts, NULL, &result),
                     BERTH_OK);
    rows->count->free += result.free_count;
    rows->count->hits += result.collision_count;
    rows->count->unknown += result.unknown_count;
    berth_batch_destroy(batch);
}

// The smallest gap of pairs that move, margins taken off.
static double least_gap(const Rows* rows, const double* row) {
    if (rows->kind == BERTH_BATCH_STATES) {
        return rig_gap(rows->rig, row);
    }
    Course course = {.count = rows->rig->value_count};
    for (int i = 0; i < course.count; ++i) {
        course.from[i] = row[i];
        course.to[i] = row[course.count + i];
    }
    const double speed = rig_speed(rows->rig, course.from, course.to);
    return course_lowest(&course, speed, 1e-7, -1e-3, 400, rig_gap, rows->rig).gap;
}

static void compare(Rows* rows, int i, const double* row, BerthVerdict plain) {
    const BerthVerdict verdict = (BerthVerdict)rows->verdicts[i];
    Count* count = rows->count;
    count->rows += 1;
    if (verdict == plain) {
        return;
    }

    count->differ += 1;
    const double gap = least_gap(rows, row);
    const double delta = berth_default_batch_def().delta;
    const bool opposite = verdict != BERTH_UNKNOWN && plain != BERTH_UNKNOWN;
    if (opposite || !(fabs(gap) <= delta * 1.01 + 1e-9)) {
        count->wrong += 1;
        print_error("rig %llu row %d: batch says %d, the checker %d, gap %.9g\n",
                    (unsigned long long)rows->rig->seed, i, (int)verdict, (int)plain, gap);
    }
}

static void ask_states(Rows* rows) {
    BerthCheckerDef def = berth_default_checker_def();
    BerthChecker* checker = NULL;
    def.margin = rows->rig->margin;
    def.self_margin = rows->rig->self_margin;
    assert_int_equal(berth_checker_create(rows->rig->scene, &def, &checker), BERTH_OK);
    for (int i = 0; i < ROWS; ++i) {
        const double* row = &rows->values[0][0] + (ptrdiff_t)i * rows->size;
        const BerthCheckRequest request = {0};
        BerthCheckResult result;
        assert_int_equal(berth_check_state(checker, row, &request, &result), BERTH_OK);
        compare(rows, i, row, result.verdict);
    }
    berth_checker_destroy(checker);
}

static void ask_segments(Rows* rows) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    def.margin = rows->rig->margin;
    def.self_margin = rows->rig->self_margin;
    assert_int_equal(berth_motion_checker_create(rows->rig->scene, &def, &motion), BERTH_OK);
    for (int i = 0; i < ROWS; ++i) {
        const double* row = &rows->values[0][0] + (ptrdiff_t)i * rows->size;
        const BerthSegment segment = {.value_count = rows->size / 2, .from = row, .to = row + rows->size / 2};
        const BerthMotionRequest request = {0};
        BerthMotionResult result;
        assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &result), BERTH_OK);
        compare(rows, i, row, result.verdict);
    }
    berth_motion_checker_destroy(motion);
}

static void compare_all(BerthBatchKind kind, const char* what) {
    Count count = {0};
    const int rigs = test_scaled(RIGS);
    for (int r = 0; r < rigs; ++r) {
        static Rows rows;
        Random random = {(uint64_t)r + 31};
        rows = (Rows){.rig = rig_make((uint64_t)r + 5000), .kind = kind, .count = &count};
        rows.size = rows.rig->value_count * (kind == BERTH_BATCH_SEGMENTS ? 2 : 1);
        fill_rows(&rows, &random);
        ask_batch(&rows);
        kind == BERTH_BATCH_SEGMENTS ? ask_segments(&rows) : ask_states(&rows);
        rig_destroy(rows.rig);
    }
    print_message(
        "report batch lanes, %s: %lld rows, %lld free, %lld hits, %lld unknown; %lld answers differ, within "
        "delta\n",
        what, (long long)count.rows, (long long)count.free, (long long)count.hits, (long long)count.unknown,
        (long long)count.differ);
    assert_int_equal(count.wrong, 0);
    assert_true(count.free > 0 && count.hits > 0);
}

static void test_states(void** state) {
    (void)state;
    compare_all(BERTH_BATCH_STATES, "states");
}

static void test_segments(void** state) {
    (void)state;
    compare_all(BERTH_BATCH_SEGMENTS, "segments");
}

int test_batch_lanes(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_segments),
    };
    return cmocka_run_group_tests_name("batch: lanes", tests, NULL, NULL);
}
