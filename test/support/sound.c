// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Edges and states of a place through the fast engine.

#include "support/sound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "batch/batch.h"
#include "check/check.h"
#include "support/lanes_ask.h"
#include "support/segments.h"

enum { HALVINGS = 10, BUDGET = 20000 };
static const double agree = 1e-9;  // metres that the sceptic's rounding may be off
static const double far = 1e-3;    // metres: an edge with more to spare is expected to be free

/// A place with the engine, once an instruction set.
struct SoundStage {
    Place place;
    BerthBatch* batch;  // of segments
    BerthChecker* checker;
    BerthLanes lanes[SIMD_ISA_COUNT];
    LanesQuery* query[SIMD_ISA_COUNT];  // null: this machine has no such set
    LanesQuery* own;                    // the batch's
    bool quiet;                         // complaints are expected
    uint64_t seed;

    // Of what is asked now.
    const SoundPlan* plan;
    Random random;
    SoundCount* count;
};
typedef SoundStage Engine;

static void open_engine(Engine* engine) {
    BerthBatchDef def = berth_default_batch_def();
    def.kind = BERTH_BATCH_SEGMENTS;
    def.margin = engine->place.margin;
    def.self_margin = 0.0;
    def.threads = 1;
    def.expected_rows = INT64_MAX;
    assert_int_equal(berth_batch_create(engine->place.scene, &def, &engine->batch), BERTH_OK);
    assert_non_null(engine->batch->lanes);
    BerthCheckerDef checker = berth_default_checker_def();
    checker.margin = engine->place.margin;
    checker.self_margin = 0.0;
    assert_int_equal(berth_checker_create(engine->place.scene, &checker, &engine->checker), BERTH_OK);

    engine->own = engine->batch->workers[0].motion->lanes;
    for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
        engine->lanes[isa] = *engine->batch->lanes;
        engine->lanes[isa].kernels = bi_simd_kernels_for((SimdIsa)isa);
        if (engine->lanes[isa].kernels != NULL) {
            assert_int_equal(bi_lanes_query_create(&engine->lanes[isa], &engine->query[isa]), BERTH_OK);
        }
    }
}

static void close_engine(Engine* engine) {
    for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
        bi_lanes_query_destroy(engine->query[isa]);
    }
    engine->batch->workers[0].motion->lanes = engine->own;
    berth_batch_destroy(engine->batch);
    berth_checker_destroy(engine->checker);
    place_close(&engine->place);
}

// ---- edges --------------------------------------------------------------------------------------------------------

// The verdict of a segment as planners get it, with one set's lanes.
static BerthVerdict final_verdict(Engine* engine, LanesQuery* query, const Course* course) {
    double row[2 * COURSE_VALUES];
    uint8_t verdict = BERTH_UNKNOWN;
    BerthBatchResult result;
    memcpy(row, course->from, (size_t)course->count * sizeof *row);
    memcpy(row + course->count, course->to, (size_t)course->count * sizeof *row);
    engine->batch->workers[0].motion->lanes = query;
    assert_int_equal(berth_batch_ask(engine->batch, row, 1, &verdict, NULL, &result), BERTH_OK);
    return (BerthVerdict)verdict;
}

// Of what lanes left open, in any order.
static uint64_t sum_of_open(const LanesQuery* query) {
    uint64_t sum = (uint64_t)query->open_count;
    for (int i = 0; i < query->open_count; ++i) {
        const LanesOpen* open = &query->open[i];
        uint64_t mixed = open->index * 0x9e3779b97f4a7c15u + (uint64_t)open->level;
        mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u + (uint64_t)(open->body_a + 1) * 4096 +
                (uint64_t)(open->body_b + 1);
        sum += (mixed ^ mixed >> 32) * 0x94d049bb133111ebu;
    }
    return sum;
}

// The same question to every set's lanes: the same verdict, and the same that is left open; else the final verdicts are compared.
static void compare_sets(Engine* engine, const Course* course, BerthVerdict verdict,
                         const LanesSegmentAnswer* own) {
    for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
        LanesQuery* query = engine->query[isa];
        if (query == NULL) {
            continue;
        }
        const LanesSegmentAnswer answer = lanes_ask_course(query, course, engine->batch->def.delta, 0);
        const bool same_open = sum_of_open(query) == sum_of_open(engine->own);
        if (answer.verdict != own->verdict || answer.open_complete != own->open_complete ||
            (own->verdict == LANES_OPEN && !same_open)) {
            engine->count->differ_lanes += 1;
            engine->count->differ += final_verdict(engine, query, course) != verdict;
            engine->batch->workers[0].motion->lanes = engine->own;
        }
    }
}

static void complain(const Engine* engine, const char* what, const Course* course, double t, double gap) {
    if (engine->quiet) {
        return;
    }
    print_error("WRONG %s: %s: gap %.9g at t %.17g between %s and %s\n", engine->place.label, what, gap, t,
                dense_nearest(engine->place.dense, 0), dense_nearest(engine->place.dense, 1));
    for (int i = 0; i < 2 * course->count; ++i) {
        print_error("%s%.17g", i % course->count == 0 ? "\n  " : " ",
                    i < course->count ? course->from[i] : course->to[i - course->count]);
    }
    print_error("\n");
}

static DenseLook look_at(Engine* engine, const Course* course, double clearance, double finest) {
    const DenseEffort effort = {clearance, finest, engine->plan->self_depth, BUDGET};
    const DenseLook look = dense_look_along(engine->place.dense, course, &effort);
    engine->count->samples += look.states;
    return look;
}

// Does it keep more than 1 mm? Then there is no more to be asked: the sceptic's bounds prove it, but within the robot.
static bool is_far(Engine* engine, const Course* course, DenseLook* look) {
    *look = look_at(engine, course, far, 0.1 * far);
    return !look->ended && look->proven;
}

static void judge_free(Engine* engine, const Course* course, bool grazes) {
    SoundCount* count = engine->count;
    DenseLook look = {0};
    const bool keeps = !grazes && is_far(engine, course, &look);
    count->far += keeps;
    if (!keeps) {
        look = look_at(engine, course, 0.0, engine->plan->finest);
    }
    count->nearest = fmin(count->nearest, look.gap);
    count->proven += look.proven;
    count->spent += look.spent;
    if (look.ended) {
        count->refuted += 1;
        complain(engine, "free is refuted", course, look.t, look.gap);
    }
}

// Is it far from everything all the same? A hit has a witness, which the sceptic must see, or nearly; what is unknown
// is searched.
static void judge_other(Engine* engine, const Course* course, BerthVerdict verdict) {
    Dense* dense = engine->place.dense;
    const BerthSegment segment = course_segment(course);
    const BerthMotionRequest request = {0};
    BerthMotionResult result;
    DenseLook look;
    double values[COURSE_VALUES];
    assert_int_equal(
        berth_motion_check_segment(engine->batch->workers[0].motion, &segment, &request, &result), BERTH_OK);
    if (result.verdict == BERTH_COLLISION) {
        course_values(course, result.t, values);
        if (isfinite(dense_nearer_than(dense, values, far))) {
            return;
        }
    }
    if (is_far(engine, course, &look)) {
        engine->count->far += 1;
        engine->count->alarms += 1;
        complain(engine, verdict == BERTH_UNKNOWN ? "far, and unknown" : "far, and a hit", course, look.t,
                 look.gap);
    }
}

static BerthVerdict ask_edge(Engine* engine, const Course* course, bool grazes) {
    SoundCount* count = engine->count;
    const BerthVerdict verdict = final_verdict(engine, engine->own, course);
    const LanesSegmentAnswer own = lanes_ask_course(engine->own, course, engine->batch->def.delta, 0);
    count->edges += 1;
    count->grazing += grazes;
    count->free += verdict == BERTH_FREE;
    count->hits += verdict == BERTH_COLLISION;
    count->unknown += verdict == BERTH_UNKNOWN;
    count->by_lanes += own.verdict != LANES_OPEN;
    compare_sets(engine, course, verdict, &own);
    if (verdict == BERTH_FREE) {
        judge_free(engine, course, grazes);
    } else if (!grazes) {  // those were chosen because they are not free
        judge_other(engine, course, verdict);
    }
    return verdict;
}

// Between one that is free and one that is not, halved until they are nearly the same.
static void ask_grazing(Engine* engine, Course free, Course hit) {
    for (int k = 0; k < HALVINGS; ++k) {
        Course middle = free;
        for (int i = 0; i < free.count; ++i) {
            middle.from[i] = 0.5 * (free.from[i] + hit.from[i]);
            middle.to[i] = 0.5 * (free.to[i] + hit.to[i]);
        }
        if (final_verdict(engine, engine->own, &middle) == BERTH_FREE) {
            free = middle;
        } else {
            hit = middle;
        }
    }
    (void)ask_edge(engine, &free, true);
}

// As planners do it: most begin where the robot is free.
static void draw_course(Engine* engine, Course* course) {
    static double rows[LANES][COURSE_VALUES];
    uint8_t verdicts[LANES];
    for (int i = 0; i < LANES; ++i) {
        place_values(&engine->place, &engine->random, rows[i]);
    }
    (void)bi_lanes_ask_states(engine->own, rows[0], COURSE_VALUES, LANES, verdicts);
    int chosen = 0;
    for (int i = 1; i < LANES && verdicts[chosen] != LANES_FREE; ++i) {
        chosen = verdicts[i] == LANES_FREE ? i : chosen;
    }
    const double share = segment_log_between(&engine->random, 0.02, 1.0);
    double other[COURSE_VALUES];
    place_values(&engine->place, &engine->random, other);
    *course = (Course){.count = engine->place.scene->value_count};
    for (int i = 0; i < course->count; ++i) {
        course->from[i] = rows[chosen][i];
        course->to[i] = rows[chosen][i] + share * (other[i] - rows[chosen][i]);
    }
}

static void ask_edges(Engine* engine, int edges) {
    Course free = {0}, hit = {0};
    for (int e = 0; e < edges; ++e) {
        Course course;
        draw_course(engine, &course);
        const BerthVerdict verdict = ask_edge(engine, &course, false);
        free = verdict == BERTH_FREE ? course : free;
        hit = verdict == BERTH_COLLISION ? course : hit;
        if (free.count > 0 && hit.count > 0 && e % engine->plan->grazing_every == 0 && ++e < edges) {
            ask_grazing(engine, free, hit);
        }
    }
}

// ---- states -------------------------------------------------------------------------------------------------------

static void complain_state(Engine* engine, const double* values, LanesVerdict verdict, double gap) {
    if (engine->quiet) {
        return;
    }
    const BerthCheckRequest request = {0};
    BerthCheckResult result;
    assert_int_equal(berth_check_state(engine->checker, values, &request, &result), BERTH_OK);
    print_error("WRONG %s: a state that lanes call %d and the checker %d has the gap %.9g:",
                engine->place.label, (int)verdict, (int)result.verdict, gap);
    if (result.verdict == BERTH_COLLISION) {
        print_error(" %s %s", berth_scene_body_name(engine->place.scene, result.hits[0].body_a),
                    berth_scene_body_name(engine->place.scene, result.hits[0].body_b));
    }
    for (int i = 0; i < engine->place.scene->value_count; ++i) {
        print_error(" %.17g", values[i]);
    }
    print_error("\n");
}

static void judge_state(Engine* engine, const double* values, LanesVerdict verdict) {
    SoundCount* count = engine->count;
    if (verdict == LANES_OPEN) {
        return;
    }
    const double gap = dense_nearer_than(engine->place.dense, values, verdict == LANES_FREE ? -agree : far);
    const bool refuted = verdict == LANES_FREE && gap < -agree, unseen = verdict == LANES_HIT && !(gap < far);
    count->states_judged += 1;
    count->states_refuted += refuted;
    count->states_unseen += unseen;
    if (refuted || unseen) {
        complain_state(engine, values, verdict, gap);
    }
}

// What one leaves open the bodies decide: then they must say the same as what the other one says.
static bool differ_in_the_end(Engine* engine, const double* values, uint8_t one, uint8_t other) {
    const BerthCheckRequest request = {0};
    BerthCheckResult result;
    assert_int_equal(berth_check_state(engine->checker, values, &request, &result), BERTH_OK);
    const BerthVerdict wanted = one == LANES_FREE || other == LANES_FREE ? BERTH_FREE : BERTH_COLLISION;
    const bool opposed = one != LANES_OPEN && other != LANES_OPEN;
    return opposed || result.verdict != wanted;
}

static void ask_states(Engine* engine, int states) {
    static double rows[LANES][COURSE_VALUES];
    SoundCount* count = engine->count;
    for (int first = 0; first < states; first += LANES) {
        uint8_t verdicts[LANES], other[LANES];
        for (int i = 0; i < LANES; ++i) {
            place_values(&engine->place, &engine->random, rows[i]);
        }
        (void)bi_lanes_ask_states(engine->own, rows[0], COURSE_VALUES, LANES, verdicts);
        for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
            if (engine->query[isa] == NULL) {
                continue;
            }
            (void)bi_lanes_ask_states(engine->query[isa], rows[0], COURSE_VALUES, LANES, other);
            for (int i = 0; i < LANES; ++i) {
                count->differ_lanes += other[i] != verdicts[i];
                count->differ +=
                    other[i] != verdicts[i] && differ_in_the_end(engine, rows[i], verdicts[i], other[i]);
            }
        }
        for (int i = 0; i < LANES; ++i) {
            count->states += 1;
            count->states_free += verdicts[i] == LANES_FREE;
            count->states_hit += verdicts[i] == LANES_HIT;
            count->states_open += verdicts[i] == LANES_OPEN;
            if (i == first / LANES % LANES) {  // the sceptic is slower: one of each block
                judge_state(engine, rows[i], (LanesVerdict)verdicts[i]);
            }
        }
    }
}

SoundStage* sound_open(PlaceRobot robot, PlaceKind kind, uint64_t seed, double doubt) {
    Engine* engine = calloc(1, sizeof *engine);
    if (!place_open(&engine->place, robot, kind, seed)) {
        free(engine);
        return NULL;
    }
    engine->seed = seed + 1000 * (uint64_t)robot + (uint64_t)kind;
    engine->quiet = doubt > 0.0;
    dense_doubt(engine->place.dense, doubt);
    open_engine(engine);
    return engine;
}

void sound_close(SoundStage* stage) {
    if (stage != NULL) {
        close_engine(stage);
        free(stage);
    }
}

void sound_ask(SoundStage* stage, uint64_t part, const SoundPlan* plan, SoundCount* count) {
    snprintf(count->label, sizeof count->label, "%s", stage->place.label);
    stage->plan = plan;
    stage->random = (Random){stage->seed + (part << 32)};
    stage->count = count;
    ask_edges(stage, plan->edges);
    ask_states(stage, plan->states);
}

bool sound_place(PlaceRobot robot, PlaceKind kind, uint64_t seed, const SoundPlan* plan, SoundCount* count) {
    SoundStage* stage = sound_open(robot, kind, seed, 0.0);
    if (stage == NULL) {
        return false;
    }
    sound_ask(stage, 0, plan, count);
    sound_close(stage);
    return true;
}

void sound_add(SoundCount* sum, const SoundCount* more) {
    snprintf(sum->label, sizeof sum->label, "all");
    sum->edges += more->edges;
    sum->grazing += more->grazing;
    sum->free += more->free;
    sum->hits += more->hits;
    sum->unknown += more->unknown;
    sum->by_lanes += more->by_lanes;
    sum->refuted += more->refuted;
    sum->proven += more->proven;
    sum->spent += more->spent;
    sum->far += more->far;
    sum->alarms += more->alarms;
    sum->samples += more->samples;
    sum->states += more->states;
    sum->states_free += more->states_free;
    sum->states_hit += more->states_hit;
    sum->states_open += more->states_open;
    sum->states_judged += more->states_judged;
    sum->states_refuted += more->states_refuted;
    sum->states_unseen += more->states_unseen;
    sum->differ += more->differ;
    sum->differ_lanes += more->differ_lanes;
    sum->nearest = fmin(sum->nearest, more->nearest);
}

void sound_tell(const SoundCount* c, char* text, size_t size) {
    snprintf(
        text, size,
        "%s: %lld edges (%lld grazing), %lld free, %lld hits, %lld unknown, %.1f %% by lanes; free "
        "refuted %lld, proven by the judge too %lld, his budget spent %lld, nearest %.2g m; of %lld beyond "
        "1 mm %lld not free; %lld samples; %lld states, %lld free, %lld hits, %lld open; judged %lld, "
        "refuted %lld, unseen %lld; verdicts that differ between sets %lld, in lanes %lld",
        c->label, (long long)c->edges, (long long)c->grazing, (long long)c->free, (long long)c->hits,
        (long long)c->unknown, 100.0 * (double)c->by_lanes / fmax(1.0, (double)c->edges),
        (long long)c->refuted, (long long)c->proven, (long long)c->spent, c->nearest, (long long)c->far,
        (long long)c->alarms, (long long)c->samples, (long long)c->states, (long long)c->states_free,
        (long long)c->states_hit, (long long)c->states_open, (long long)c->states_judged,
        (long long)c->states_refuted, (long long)c->states_unseen, (long long)c->differ,
        (long long)c->differ_lanes);
}
