// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-share: 0.25
// Robots of balls, 0.1 m to 100 m large, at the origin and far from it: what lanes call free has no state with a gap below 0 by
// formulas in double, what they call a hit is one, and every instruction set says the same. Many questions are moved to where the gap
// is within 0.1 mm of nothing.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "lanes/lanes.h"
#include "support/graze.h"
#include "support/lanes_ask.h"
#include "support/rigs.h"
#include "support/segments.h"
#include "support/setting.h"

enum { RIGS = 160, EDGES = 330, SEAM_EDGES = 24, STATE_BLOCKS = 72, SEAM_BLOCKS = 8 };

/// What came out, over all rigs.
typedef struct Count {
    int64_t layouts, free, hits, open, within, seams, gave_up, wrong;
    double nearest;  ///< smallest gap of what was called free, per metre of the robot
    uint64_t seed;
    bool quiet;  ///< wrong answers are expected
} Count;

/// A rig and its layout.
typedef struct Bench {
    Rig* rig;
    BerthLanes* lanes;
    LanesQuery* query;
    Random random;
    Count* count;
} Bench;

static bool open_bench(Bench* bench, uint64_t seed, Count* count) {
    *bench = (Bench){.rig = rig_make(seed), .random = {seed + 77}, .count = count};
    count->seed = seed;
    BerthLanesDef def = berth_default_lanes_def();
    def.margin = bench->rig->margin;
    def.self_margin = bench->rig->self_margin;
    def.expected_segments = (int64_t)(seed % 2);  // every other one for so few that robots are not searched
    assert_int_equal(berth_lanes_create(bench->rig->scene, &def, &bench->lanes), BERTH_OK);
    if (bench->lanes != NULL) {
        assert_int_equal(bi_lanes_query_create(bench->lanes, &bench->query), BERTH_OK);
        count->layouts += 1;
    }
    return bench->lanes != NULL;
}

static void close_bench(Bench* bench) {
    bi_lanes_query_destroy(bench->query);
    berth_lanes_destroy(bench->lanes);
    rig_destroy(bench->rig);
}

static void complain(Count* count, const char* what, double gap, const double* values, int value_count) {
    if (count->wrong++ < 20 && !count->quiet) {
        print_error("rig %llu: %s, gap %.9g at", (unsigned long long)count->seed, what, gap);
        for (int i = 0; i < value_count; ++i) {
            print_error(" %.17g", values[i]);
        }
        print_error("\n");
    }
}

static void note_verdict(Count* count, LanesVerdict verdict, bool within) {
    count->free += verdict == LANES_FREE;
    count->hits += verdict == LANES_HIT;
    count->open += verdict == LANES_OPEN;
    count->within += within;
}

static void report(const char* what, const Count* c) {
    print_message(
        "report lanes %s: %lld layouts; %lld free, %lld hits, %lld open; %lld within limits, %lld moved to "
        "the seam; given up by some instruction sets only %lld; nearest free %.2g of the robot's size\n",
        what, (long long)c->layouts, (long long)c->free, (long long)c->hits, (long long)c->open,
        (long long)c->within, (long long)c->seams, (long long)c->gave_up, c->nearest);
    assert_int_equal(c->wrong, 0);
    assert_true(c->gave_up <= 1 + (c->free + c->hits) / 1000);
    assert_true(c->free > c->layouts && c->hits > c->layouts / 2);
}

// ---- states -----------------------------------------------------------------------------------------------------

static void judge_state(Bench* bench, const double* values, LanesVerdict verdict) {
    Count* count = bench->count;
    if (verdict == LANES_OPEN) {
        return;
    }
    const double gap = rig_gap(bench->rig, values);
    const double rounding = 1e-13 * (bench->rig->size + 100.0);
    if (verdict == LANES_FREE) {
        count->nearest = fmin(count->nearest, gap / bench->rig->size);
        if (!(gap > -rounding)) {
            complain(count, "free is not", gap, values, bench->rig->value_count);
        }
    } else if (!(gap <= 1e-9)) {
        complain(count, "hit is none", gap, values, bench->rig->value_count);
    }
}

static void ask_states(Bench* bench, double rows[LANES][RIG_VALUES]) {
    uint8_t verdicts[SIMD_ISA_COUNT][LANES];
    const int count = 1 + segment_pick(&bench->random, LANES);
    bool within = false;
    for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
        const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
        if (kernels != NULL) {
            bench->lanes->kernels = kernels;
            within = bi_lanes_ask_states(bench->query, rows[0], RIG_VALUES, count, verdicts[isa]);
        } else {
            memcpy(verdicts[isa], verdicts[0], LANES);
        }
    }

    for (int i = 0; i < count; ++i) {
        const LanesVerdict verdict = (LanesVerdict)verdicts[0][i];
        for (int isa = 1; isa < SIMD_ISA_COUNT; ++isa) {
            if (verdicts[isa][i] != verdicts[0][i]) {
                complain(bench->count, "instruction sets differ", isa, rows[i], bench->rig->value_count);
            }
        }
        note_verdict(bench->count, verdict, within);
        if (within && !rig_is_within(bench->rig, rows[i])) {
            complain(bench->count, "within limits is not", 0.0, rows[i], bench->rig->value_count);
        }
        judge_state(bench, rows[i], verdict);
    }
}

// Moves one value until the gap is `target`, by secants.
static bool move_to_seam(Bench* bench, double* values, double target) {
    const int value = segment_pick(&bench->random, bench->rig->value_count);
    double x = values[value], gap = rig_gap(bench->rig, values);
    double step = 1e-3 * (gap > 0.0 ? 1.0 : -1.0);
    for (int i = 0; i < 12; ++i) {
        if (fabs(gap - target) < 1e-9) {
            return true;
        }
        values[value] = x + step;
        const double next = rig_gap(bench->rig, values);
        const double slope = (next - gap) / step;
        x = values[value];
        gap = next;
        step = fabs(slope) > 1e-6 * bench->rig->size ? (target - gap) / slope : 0.1;
        step = fmin(fmax(step, -0.3), 0.3);
    }
    return fabs(gap - target) < 1e-6;
}

static double any_target(Bench* bench) {
    const double size = segment_log_between(&bench->random, 1e-7, 1e-4) * fmax(bench->rig->size, 0.1);
    return segment_pick(&bench->random, 3) == 0 ? -size : size;
}

static void test_states(void** state) {
    (void)state;
    Count count = {.nearest = INFINITY};
    const int rigs = test_scaled(RIGS);
    for (int r = 0; r < rigs; ++r) {
        Bench bench;
        const bool held = open_bench(&bench, (uint64_t)r, &count);
        for (int b = 0; held && b < STATE_BLOCKS + SEAM_BLOCKS; ++b) {
            double rows[LANES][RIG_VALUES] = {{0}};
            for (int i = 0; i < LANES; ++i) {
                rig_values(bench.rig, &bench.random, b % 4 == 0, rows[i]);
                count.seams += b >= STATE_BLOCKS && move_to_seam(&bench, rows[i], any_target(&bench));
            }
            ask_states(&bench, rows);
        }
        close_bench(&bench);
    }
    report("states of rigs", &count);
}

// ---- segments ---------------------------------------------------------------------------------------------------

// Wider registers see more of a block before they stop at a hit, so it may be another one.
static bool same_answer(const LanesSegmentAnswer* a, const LanesSegmentAnswer* b, int32_t open_a,
                        int32_t open_b) {
    const bool same_open = a->open_complete == b->open_complete && open_a == open_b;
    return a->verdict == b->verdict && a->within == b->within && (a->verdict != LANES_OPEN || same_open);
}

// Narrow registers note an open pair once for each part of a block, so their lists are full before: then they give up, and only then.
static bool gave_up(const LanesSegmentAnswer* answer) {
    return answer->verdict == LANES_OPEN && !answer->open_complete;
}

// Plain C emulates fused products, which takes long: it is asked now and then.
enum { PLAIN_EVERY = 8 };

static LanesSegmentAnswer ask_all(Bench* bench, const Course* course, double tight) {
    LanesSegmentAnswer first = {.verdict = LANES_OPEN};
    int32_t open = -1;
    const int company =
        segment_pick(&bench->random, 3) == 0 ? segment_pick(&bench->random, LANES_SEGMENTS) : 0;
    const bool plain = bi_simd_kernels()->isa == SIMD_PLAIN || segment_pick(&bench->random, PLAIN_EVERY) == 0;
    for (int isa = plain ? SIMD_PLAIN : SIMD_PLAIN + 1; isa < SIMD_ISA_COUNT; ++isa) {
        const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
        if (kernels == NULL) {
            continue;
        }
        bench->lanes->kernels = kernels;
        const LanesSegmentAnswer answer = lanes_ask_course(bench->query, course, tight, company);
        if (open < 0) {
            first = answer;
            open = bench->query->open_count;
        } else if (gave_up(&first) != gave_up(&answer)) {
            bench->count->gave_up += 1;
        } else if (!same_answer(&first, &answer, open, bench->query->open_count)) {
            complain(bench->count, "instruction sets differ", isa, course->from, course->count);
        }
    }
    return first;
}

static void judge_segment(Bench* bench, const Course* course, const LanesSegmentAnswer* answer) {
    Count* count = bench->count;
    const double rounding = 1e-13 * (bench->rig->size + 100.0);
    double values[COURSE_VALUES];
    note_verdict(count, answer->verdict, answer->within);
    if (answer->within &&
        !(rig_is_within(bench->rig, course->from) && rig_is_within(bench->rig, course->to))) {
        complain(count, "within limits is not", 0.0, course->from, course->count);
    }
    if (answer->verdict == LANES_HIT) {
        course_values(course, answer->t, values);
        const double gap = rig_gap(bench->rig, values);
        if (!(gap <= 1e-9)) {
            complain(count, "hit is none", gap, values, course->count);
        }
    }
    if (answer->verdict != LANES_FREE) {
        return;
    }

    const double speed = rig_speed(bench->rig, course->from, course->to);
    const double enough = 2e-4 * bench->rig->size;
    const Lowest lowest =
        course_near(course, speed, 1e-7 * bench->rig->size, -1e-3, enough, 60, rig_gap, bench->rig);
    count->nearest = fmin(count->nearest, lowest.gap / bench->rig->size);
    if (!(lowest.gap > -rounding)) {
        course_values(course, lowest.t, values);
        complain(count, "free segment is not", lowest.gap, values, course->count);
    }
}

static void any_course(Bench* bench, Course* course) {
    Random* random = &bench->random;
    double other[RIG_VALUES] = {0};
    const bool wild = segment_pick(random, 4) == 0;
    *course = (Course){.count = bench->rig->value_count};
    rig_values(bench->rig, random, wild, course->from);
    rig_values(bench->rig, random, wild, other);
    const double share = segment_log_between(random, 0.002, 1);
    const bool one = segment_pick(random, 4) == 0;
    const int only = segment_pick(random, course->count);
    for (int i = 0; i < course->count; ++i) {
        course->to[i] = course->from[i] + (one && i != only ? 0.0 : share) * (other[i] - course->from[i]);
    }
}

// A short course past something, moved until its smallest gap is next to nothing.
static bool seam_course(Bench* bench, Course* course) {
    Lowest lowest;
    double other[RIG_VALUES] = {0};
    *course = (Course){.count = bench->rig->value_count};
    rig_values(bench->rig, &bench->random, segment_pick(&bench->random, 4) == 0, course->from);
    (void)move_to_seam(bench, course->from, 2e-3 * bench->rig->size);
    rig_values(bench->rig, &bench->random, false, other);
    const double share = segment_log_between(&bench->random, 1e-4, 0.3);
    for (int i = 0; i < course->count; ++i) {
        const double step = 0.5 * share * (other[i] - course->from[i]);
        course->to[i] = course->from[i] + step;
        course->from[i] -= step;
    }
    const double speed = rig_speed(bench->rig, course->from, course->to);
    return course_shift_to(course, speed, fabs(any_target(bench)), rig_gap, bench->rig, &lowest);
}

static void test_segments(void** state) {
    (void)state;
    Count count = {.nearest = INFINITY};
    const int rigs = test_scaled(RIGS);
    for (int r = 0; r < rigs; ++r) {
        Bench bench;
        const bool held = open_bench(&bench, (uint64_t)r, &count);
        for (int e = 0; held && e < EDGES + SEAM_EDGES; ++e) {
            Course course;
            if (e < EDGES) {
                any_course(&bench, &course);
            } else {
                count.seams += seam_course(&bench, &course);
            }
            const double tight = segment_log_between(&bench.random, 1e-6, 1e-3) * bench.rig->size;
            const LanesSegmentAnswer answer = ask_all(&bench, &course, tight);
            judge_segment(&bench, &course, &answer);
        }
        close_bench(&bench);
    }
    report("segments of rigs", &count);
}

// ---- the judge itself -------------------------------------------------------------------------------------------

// Balls that are a little too small must be found out, or all of the above shows nothing.
static void test_small_balls_are_found_out(void** state) {
    (void)state;
    Count count = {.nearest = INFINITY, .quiet = true};
    for (int r = 0; r < 12; ++r) {
        Bench bench;
        const bool held = open_bench(&bench, (uint64_t)r, &count);
        LaneBall* leaves = held ? (LaneBall*)(uintptr_t)bench.lanes->model.leaves : NULL;
        for (int32_t i = 0; held && i < bench.lanes->model.leaf_count; ++i) {
            leaves[i].radius *= 0.97f;
        }
        LaneRow* rows = held ? (LaneRow*)(uintptr_t)bench.lanes->model.rows : NULL;
        for (int32_t i = 0; held && i < bench.lanes->model.row_count * LANES; ++i) {
            rows[i / LANES].radius[i % LANES] *= 0.97f;
        }
        for (int e = 0; held && e < EDGES / 4; ++e) {
            Course course;
            (void)(e % 4 == 0 ? seam_course(&bench, &course) : (any_course(&bench, &course), true));
            const LanesSegmentAnswer answer = lanes_ask_course(bench.query, &course, 1e-4, e % 7);
            judge_segment(&bench, &course, &answer);
        }
        close_bench(&bench);
    }
    print_message("report lanes judge: %lld wrong answers of balls that are 3 %% too small\n",
                  (long long)count.wrong);
    assert_true(count.wrong > 0);
}

int test_lanes_rigs(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_small_balls_are_found_out),
    };
    return cmocka_run_group_tests_name("lanes: robots of balls", tests, NULL, NULL);
}
