// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random segments, what is asked about them, and how answers are judged.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/segments.h"

void segment_wrong(SegmentCount* count, const char* format, ...) {
    if (count->wrong++ >= 20) {
        return;
    }
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "WRONG %s seed %lld segment %lld: %s\n", count->what, (long long)count->seed,
            (long long)count->segments, text);
}

void segment_settle(const SegmentCount* c) {
    print_message(
        "report %s: %lld segments (%lld grazing), %lld asks, %lld samples; %lld free, %lld hits, %lld "
        "unknown (%lld "
        "budget, %lld numeric); false alarms beyond the band %lld, beyond 1 mm %lld of %lld; deep but "
        "unknown %lld\n",
        c->what, (long long)c->segments, (long long)c->grazing, (long long)c->asks, (long long)c->samples,
        (long long)c->free, (long long)c->hits, (long long)c->unknown, (long long)c->budget,
        (long long)c->numeric, (long long)c->alarms, (long long)c->alarms_millimetre, (long long)c->far,
        (long long)c->blunt);
    if (c->wrong > 0) {
        fail_msg("%s: %lld wrong answers", c->what, (long long)c->wrong);
    }
}

int segment_pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

double segment_log_between(Random* random, double low, double high) {
    return exp(bi_random_between(random, log(low), log(high)));
}

// ---- courses ------------------------------------------------------------------------------------------------

// A cubic or quintic from the ends with velocities (and accelerations) of any kind, so that it overshoots.
void segment_bend(Random* random, Course* course, double wild) {
    course->curved = true;
    for (int i = 0; i < course->count; ++i) {
        const double span = course->to[i] - course->from[i];
        double* term = course->curves[i].term;
        memset(&course->curves[i], 0, sizeof course->curves[i]);
        term[0] = course->from[i];
        double rest = span;
        const int degree = segment_pick(random, 2) == 0 ? 3 : 5;
        for (int k = 2; k <= degree; ++k) {
            term[k] = wild * (fabs(span) + 0.01) * bi_random_between(random, -1, 1);
            rest -= term[k];
        }
        term[1] = rest;
    }
    for (int n = 0; n < course->quat_count; ++n) {  // said to be ignored: nonsense there must do no harm
        for (int k = 0; k < 4; ++k) {
            memset(&course->curves[course->quats[n] + k], 0, sizeof(BerthCurve));
            course->curves[course->quats[n] + k].term[0] = course->from[course->quats[n] + k];
            course->curves[course->quats[n] + k].term[1] =
                course->to[course->quats[n] + k] - course->from[course->quats[n] + k];
        }
    }
}

void segment_random(Random* random, const World* world, Course* course) {
    double other[COURSE_VALUES];
    course_of_world(course, world);
    world_values(world, random, course->from);
    world_values(world, random, other);
    const double size = segment_log_between(random, 0.003, 1);
    const bool one = segment_pick(random, 4) == 0;  // only one value moves
    const int only = course->count > 0 ? segment_pick(random, course->count) : 0;
    for (int i = 0; i < course->count; ++i) {
        const double step = one && i != only ? 0.0 : size;
        course->to[i] = course->from[i] + step * (other[i] - course->from[i]);
    }
    if (world->style != WORLD_GRID && segment_pick(random, 30) == 0) {  // many turns
        for (int i = 0; i < course->count; ++i) {
            course->to[i] += segment_pick(random, 5) == 0 ? bi_random_between(random, -20, 20) : 0;
        }
    }
    for (int n = 0; n < course->quat_count; ++n) {
        double* q = course->to + course->quats[n];
        if (segment_pick(random, 3) == 0) {  // another sign and size is the same rotation
            const double scale = -bi_random_between(random, 0.5, 2);
            for (int k = 0; k < 4; ++k) {
                q[k] *= scale;
            }
        }
        if (v3_dot(v3(q[0], q[1], q[2]), v3(q[0], q[1], q[2])) + q[3] * q[3] < 1e-6) {
            q[3] = 1;
        }
    }
    course->curved = false;
    if (segment_pick(random, 4) == 0) {
        segment_bend(random, course, 1.0);
    }
    if (segment_pick(random, 40) == 0) {
        memcpy(course->to, course->from, sizeof course->to);
        course->curved = false;
    }
}

// ---- judging one answer ---------------------------------------------------------------------------------------

static const BruteBody* body_of(const World* world, int index) {
    for (int i = 0; i < world->brute.body_count; ++i) {
        if (world->brute.bodies[i].index == index) {
            return &world->brute.bodies[i];
        }
    }
    return NULL;
}

// Doubles carry values to 1e-16, levers and coordinates multiply that.
static double slack_of(const Course* course, Real reach) {
    double turns = 1;
    for (int i = 0; i < course->count; ++i) {
        turns += course_largest(course, i);
    }
    return 2e-15 * turns * (double)(1 + reach);
}

static Real reach_of(World* world) {
    Real reach = 1;
    for (int i = 0; i < world->brute.body_count; ++i) {
        const Real r = brute_reach(&world->brute.bodies[i], &world->brute.bodies[i]);
        reach = isfinite(r) ? fmaxl(reach, r) : reach;
    }
    return reach;
}

double segment_slack(World* world, const Course* course) {
    return slack_of(course, reach_of(world));
}

static void judge_hit(World* world, const Course* course, const SegmentAsk* ask, const BerthMotionResult* r,
                      SegmentCount* count) {
    double values[COURSE_VALUES];
    if (!(r->t >= 0 && r->t <= 1)) {
        segment_wrong(count, "HIT at t = %.17g", r->t);
        return;
    }
    course_values(course, r->t, values);
    brute_pose_world(&world->brute, values);
    const BruteBody* a = body_of(world, r->body_a);
    const BruteBody* b = body_of(world, r->body_b);
    if (a == NULL || b == NULL || !brute_is_checked(&world->brute, a, b)) {
        segment_wrong(count, "HIT of bodies %d and %d, which are no pair", r->body_a, r->body_b);
        return;
    }
    const BruteGap gap = brute_body_gap(&world->brute, a, b);
    const double reach = (double)reach_of(world);
    const double slack =
        1e-12 * (1 + reach) + 20 * slack_of(course, reach);  // docs/theory/shape.md: what touches
    if (!(gap.lower <= ask->margin + slack)) {
        segment_wrong(count, "HIT of %s and %s at %.17g, but the gap is %.6Lg (margin %g)", a->name, b->name,
                      r->t, gap.lower, ask->margin);
    }
    const Real near =
        fmaxl(brute_body_point_gap(a, lv_of(r->point)), brute_body_point_gap(b, lv_of(r->point)));
    const Real allowed = fmax(0, ask->margin) + brute_padding(&world->brute, a, b) + slack +
                         1e-5L * (1 + reach);  // docs/theory/shape.md: deepest points of round bodies
    if (!(near <= allowed)) {
        segment_wrong(count, "HIT's point is %.6Lg away from %s and %s", near, a->name, b->name);
    }
}

bool segment_moves_plane(const World* world) {
    for (int i = 0; i < world->brute.body_count; ++i) {
        const BruteBody* body = &world->brute.bodies[i];
        for (int k = 0; k < body->part_count; ++k) {
            if (body->robot >= 0 && body->parts[k].kind == BERTH_HALFSPACE) {
                return true;
            }
        }
    }
    return false;
}

// `lowest` is what a search found; brute decides at its t.
void segment_judge(World* world, const Course* course, const SegmentAsk* ask, const BerthMotionResult* r,
                   const Lowest* lowest, SegmentCount* count) {
    double values[COURSE_VALUES];
    course_values(course, lowest->t, values);
    segment_judge_by(world, course, ask, r, lowest, course_brute_gap(world, values), count);
}

void segment_judge_by(World* world, const Course* course, const SegmentAsk* ask, const BerthMotionResult* r,
                      const Lowest* lowest, double gap, SegmentCount* count) {
    const double slack = segment_slack(world, course);
    count->asks += 1;
    count->free += r->verdict == BERTH_FREE;
    count->hits += r->verdict == BERTH_COLLISION;
    count->unknown += r->verdict == BERTH_UNKNOWN;
    const bool far = lowest->bound > ask->margin + 1e-3;
    count->far += far && !segment_moves_plane(world);
    if (r->verdict == BERTH_FREE) {
        if (!(gap > ask->margin - slack)) {
            count->refuted += 1;
            segment_wrong(count, "FREE, but the gap at %.17g is %.6g (margin %g, found %.6g, method %s)",
                          lowest->t, gap, ask->margin, lowest->gap, berth_method_name(ask->method));
        }
        if (!(r->clearance <= gap + slack) || !(r->clearance >= ask->margin)) {
            segment_wrong(count, "FREE with clearance %.12g, but the gap at %.17g is %.12g (margin %g)",
                          r->clearance, lowest->t, gap, ask->margin);
        }
    } else if (r->verdict == BERTH_COLLISION) {
        judge_hit(world, course, ask, r, count);
    } else {
        count->budget += r->reason == BERTH_REASON_BUDGET;
        count->numeric += r->reason == BERTH_REASON_NUMERIC;
        if (lowest->bound > ask->margin + ask->delta + 1e-9 && !segment_moves_plane(world) &&
            r->reason != BERTH_REASON_BUDGET) {
            count->alarms += 1;
            count->alarms_millimetre += far;
            if (getenv("BERTH_TEST_ALARMS") != NULL) {
                print_message(
                    "alarm %s seed %lld segment %lld: bound %.6g delta %g reason %s t [%g %g] bodies "
                    "%d %d curved %d\n",
                    count->what, (long long)count->seed, (long long)count->segments, lowest->bound,
                    ask->delta, berth_reason_name(r->reason), r->t_low, r->t_high, r->body_a, r->body_b,
                    course->curved);
            }
        }
        count->blunt += gap < ask->margin - 1e-3;
        if (r->reason == BERTH_REASON_NONE) {
            segment_wrong(count, "UNKNOWN without a reason");
        }
    }
}

BerthMotionChecker* segment_motion(const BerthScene* scene, const SegmentAsk* ask) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.margin = ask->margin;
    def.delta = ask->delta;
    def.method = ask->method;
    def.tracking_error = ask->error;
    // First-order bounds on close surfaces need very many entries.
    const bool queued = ask->method == BERTH_METHOD_REFINED || ask->method == BERTH_METHOD_ADAPTIVE;
    def.interval_budget = queued ? 30000 : def.interval_budget;
    BerthMotionChecker* motion = NULL;
    const BerthStatus status = berth_motion_checker_create(scene, &def, &motion);
    if (status != BERTH_OK) {
        fail_msg("motion: %s", berth_error_text());
    }
    return motion;
}

BerthChecker* segment_checker(const BerthScene* scene) {
    BerthCheckerDef def = berth_default_checker_def();
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
    return checker;
}

const BerthMethod segment_methods[SEGMENT_METHODS] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_SECOND_ORDER,
                                                      BERTH_METHOD_ADAPTIVE, BERTH_METHOD_REFINED};
BerthMotionResult segment_ask(BerthMotionChecker* motion, const Course* course, bool first_contact) {
    const BerthSegment segment = course_segment(course);
    const BerthMotionRequest request = {.first_contact = first_contact};
    BerthMotionResult result;
    memset(&result, 0xaa, sizeof result);
    const BerthStatus status = berth_motion_check_segment(motion, &segment, &request, &result);
    if (status != BERTH_OK) {
        fail_msg("segment: %s", berth_status_name(status));
    }
    return result;
}

SegmentAsk segment_random_ask(Random* random) {
    static const double margins[6] = {0, 0, 0, 0.001, 0.02, 1e-5};
    static const double deltas[4] = {1e-4, 1e-4, 1e-3, 1e-6};
    SegmentAsk ask = {.margin = margins[segment_pick(random, 6)],
                      .delta = deltas[segment_pick(random, 4)],
                      .method = segment_methods[segment_pick(random, SEGMENT_METHODS)]};
    return ask;
}

// ---- random worlds --------------------------------------------------------------------------------------------

World* segment_world(Random* random, WorldStyle style) {
    const WorldPlan plan = {.style = style,
                            .robots = segment_pick(random, 5) == 0 ? 2 : 1,
                            .joints = 1 + segment_pick(random, 5),
                            .objects = 2 + segment_pick(random, 4)};
    return world_make(random, &plan);
}

// From a free state where there is one.
void segment_free(Random* random, World* world, BerthChecker* checker, Course* course) {
    for (int tries = 0; tries < 8; ++tries) {
        segment_random(random, world, course);
        if (course_checker_gap(checker, course->from) > 0) {
            break;
        }
    }
}

// The same motion backwards.
Course course_reversed(const Course* course) {
    Course back = *course;
    memcpy(back.from, course->to, sizeof back.from);
    memcpy(back.to, course->from, sizeof back.to);
    return back;
}

// Part of a straight course.
Course course_part(const Course* course, double from, double to) {
    Course part = *course;
    course_values(course, from, part.from);
    course_values(course, to, part.to);
    return part;
}
