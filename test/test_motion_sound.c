// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random segments of random robots and of real ones, half of them made to graze. What is called free must survive a
// search for its smallest gap (branch and bound over samples with a crude speed, judged by the brute model); what is
// called a hit must be one where it says; UNKNOWN is for gaps within the band, and exceptions are counted.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <berth/io.h>

#include "math/math.h"
#include "support/courses.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/verdicts.h"

#if BERTH_HAVE_ORACLES
#include "oracle/peer_fcl.h"
#endif

enum { SEARCH = 400 };

typedef struct Count {
    const char* what;
    int64_t seed;
    int64_t segments, free, hits, unknown, budget, numeric, grazing, samples;
    int64_t asks, planes;               // planes: of segments with moving half-spaces, which are never proven
    int64_t alarms, alarms_millimetre;  // UNKNOWN although the gap is beyond the band; beyond 1 mm
    int64_t far;                        // segments whose gap is beyond the margin by 1 mm and more
    int64_t blunt;                      // UNKNOWN although deeper than 1 mm
    double loosest, tightest;           // clearance told / true, of free ones
    int64_t wrong;
} Count;

static void wrong(Count* count, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void wrong(Count* count, const char* format, ...) {
    if (count->wrong++ >= 20) {
        return;
    }
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_message("WRONG %s seed %lld segment %lld: %s\n", count->what, (long long)count->seed,
                  (long long)count->segments, text);
}

static void settle_count(const Count* c) {
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

static int pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

static double log_between(Random* random, double low, double high) {
    return exp(bi_random_between(random, log(low), log(high)));
}

// ---- courses ------------------------------------------------------------------------------------------------

// A cubic or quintic from the ends with velocities (and accelerations) of any kind, so that it overshoots.
static void bend(Random* random, Course* course, double wild) {
    course->curved = true;
    for (int i = 0; i < course->count; ++i) {
        const double span = course->to[i] - course->from[i];
        double* term = course->curves[i].term;
        memset(term, 0, sizeof course->curves[i].term);
        term[0] = course->from[i];
        double rest = span;
        const int degree = pick(random, 2) == 0 ? 3 : 5;
        for (int k = 2; k <= degree; ++k) {
            term[k] = wild * (fabs(span) + 0.01) * bi_random_between(random, -1, 1);
            rest -= term[k];
        }
        term[1] = rest;
    }
    for (int n = 0; n < course->quat_count; ++n) {  // said to be ignored: nonsense there must do no harm
        for (int k = 0; k < 4; ++k) {
            memset(course->curves[course->quats[n] + k].term, 0, sizeof(BerthCurve));
            course->curves[course->quats[n] + k].term[0] = course->from[course->quats[n] + k];
            course->curves[course->quats[n] + k].term[1] =
                course->to[course->quats[n] + k] - course->from[course->quats[n] + k];
        }
    }
}

static void random_course(Random* random, const World* world, Course* course) {
    double other[COURSE_VALUES];
    course_of_world(course, world);
    world_values(world, random, course->from);
    world_values(world, random, other);
    const double size = log_between(random, 0.003, 1);
    const bool one = pick(random, 4) == 0;  // only one value moves
    const int only = course->count > 0 ? pick(random, course->count) : 0;
    for (int i = 0; i < course->count; ++i) {
        const double step = one && i != only ? 0.0 : size;
        course->to[i] = course->from[i] + step * (other[i] - course->from[i]);
    }
    if (world->style != WORLD_GRID && pick(random, 30) == 0) {  // many turns
        for (int i = 0; i < course->count; ++i) {
            course->to[i] += pick(random, 5) == 0 ? bi_random_between(random, -20, 20) : 0;
        }
    }
    for (int n = 0; n < course->quat_count; ++n) {
        double* q = course->to + course->quats[n];
        if (pick(random, 3) == 0) {  // another sign and size is the same rotation
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
    if (pick(random, 4) == 0) {
        bend(random, course, 1.0);
    }
    if (pick(random, 40) == 0) {
        memcpy(course->to, course->from, sizeof course->to);
        course->curved = false;
    }
}

// ---- judging one answer ---------------------------------------------------------------------------------------

typedef struct Ask {
    double margin, delta;
    BerthMethod method;
    const double* error;
    bool first_contact;
} Ask;

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

static void judge_hit(World* world, const Course* course, const Ask* ask, const BerthMotionResult* r,
                      Count* count) {
    double values[COURSE_VALUES];
    if (!(r->t >= 0 && r->t <= 1)) {
        wrong(count, "HIT at t = %.17g", r->t);
        return;
    }
    course_values(course, r->t, values);
    brute_pose_world(&world->brute, values);
    const BruteBody* a = body_of(world, r->body_a);
    const BruteBody* b = body_of(world, r->body_b);
    if (a == NULL || b == NULL || !brute_is_checked(&world->brute, a, b)) {
        wrong(count, "HIT of bodies %d and %d, which are no pair", r->body_a, r->body_b);
        return;
    }
    const BruteGap gap = brute_body_gap(&world->brute, a, b);
    const double slack = 1e-12 + 20 * slack_of(course, reach_of(world));
    if (!(gap.lower <= ask->margin + slack)) {
        wrong(count, "HIT of %s and %s at %.17g, but the gap is %.6Lg (margin %g)", a->name, b->name, r->t,
              gap.lower, ask->margin);
    }
    const Real near =
        fmaxl(brute_body_point_gap(a, lv_of(r->point)), brute_body_point_gap(b, lv_of(r->point)));
    const Real allowed = fmax(0, ask->margin) + brute_padding(&world->brute, a, b) + slack + 1e-9L;
    if (!(near <= allowed)) {
        wrong(count, "HIT's point is %.6Lg away from %s and %s", near, a->name, b->name);
    }
}

// A half-space that moves has no bounded motion; UNKNOWN is all that is said about it.
static bool has_moving_plane(const World* world) {
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
static void judge(World* world, const Course* course, const Ask* ask, const BerthMotionResult* r,
                  const Lowest* lowest, Count* count) {
    double values[COURSE_VALUES];
    course_values(course, lowest->t, values);
    const double gap = course_brute_gap(world, values);
    const double slack = slack_of(course, reach_of(world));
    count->asks += 1;
    count->free += r->verdict == BERTH_FREE;
    count->hits += r->verdict == BERTH_HIT;
    count->unknown += r->verdict == BERTH_UNKNOWN;
    const bool far = lowest->bound > ask->margin + 1e-3;
    count->far += far && !has_moving_plane(world);
    if (r->verdict == BERTH_FREE) {
        if (!(gap > ask->margin - slack)) {
            wrong(count, "FREE, but the gap at %.17g is %.6g (margin %g, found %.6g, method %s)", lowest->t,
                  gap, ask->margin, lowest->gap, berth_method_name(ask->method));
        }
        if (!(r->clearance <= gap + slack) || !(r->clearance >= ask->margin)) {
            wrong(count, "FREE with clearance %.12g, but the gap at %.17g is %.12g (margin %g)", r->clearance,
                  lowest->t, gap, ask->margin);
        }
    } else if (r->verdict == BERTH_HIT) {
        judge_hit(world, course, ask, r, count);
    } else {
        count->budget += r->reason == BERTH_REASON_BUDGET;
        count->numeric += r->reason == BERTH_REASON_NUMERIC;
        if (lowest->bound > ask->margin + ask->delta + 1e-9 && !has_moving_plane(world) &&
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
            wrong(count, "UNKNOWN without a reason");
        }
    }
}

static BerthMotion* motion_of(const BerthScene* scene, const Ask* ask) {
    BerthMotionDef def = berth_default_motion_def();
    def.margin = ask->margin;
    def.delta = ask->delta;
    def.method = ask->method;
    def.tracking_error = ask->error;
    // First-order bounds on close surfaces need very many intervals, and the refined method very many triangles in each.
    def.interval_budget = ask->method == BERTH_METHOD_REFINED    ? 300
                          : ask->method == BERTH_METHOD_ADAPTIVE ? 3000
                                                                 : def.interval_budget;
    BerthMotion* motion = NULL;
    const BerthStatus status = berth_motion_create(scene, &def, &motion);
    if (status != BERTH_OK) {
        fail_msg("motion: %s", berth_error_text());
    }
    return motion;
}

static BerthChecker* checker_of(const BerthScene* scene) {
    BerthCheckerDef def = berth_default_checker_def();
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
    return checker;
}

static const BerthMethod methods[] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_SECOND_ORDER, BERTH_METHOD_ADAPTIVE,
                                      BERTH_METHOD_REFINED};
enum { METHODS = 4 };

static BerthMotionResult ask_segment(BerthMotion* motion, const Course* course, bool first_contact) {
    const BerthSegment segment = course_segment(course);
    const BerthMotionRequest request = {.first_contact = first_contact};
    BerthMotionResult result;
    memset(&result, 0xaa, sizeof result);
    const BerthStatus status = berth_motion_segment(motion, &segment, &request, &result);
    if (status != BERTH_OK) {
        fail_msg("segment: %s", berth_status_name(status));
    }
    return result;
}

static Ask random_ask(Random* random) {
    static const double margins[6] = {0, 0, 0, 0.001, 0.02, 1e-5};
    static const double deltas[4] = {1e-4, 1e-4, 1e-3, 1e-6};
    Ask ask = {.margin = margins[pick(random, 6)],
               .delta = deltas[pick(random, 4)],
               .method = methods[pick(random, METHODS)]};
    return ask;
}

// ---- random worlds --------------------------------------------------------------------------------------------

static World* random_world(Random* random, WorldStyle style) {
    const WorldPlan plan = {.style = style,
                            .robots = pick(random, 5) == 0 ? 2 : 1,
                            .joints = 1 + pick(random, 5),
                            .objects = 2 + pick(random, 4)};
    return world_make(random, &plan);
}

// From a free state where there is one.
static void free_course(Random* random, World* world, BerthChecker* checker, Course* course) {
    for (int tries = 0; tries < 8; ++tries) {
        random_course(random, world, course);
        if (course_checker_gap(checker, course->from) > 0) {
            break;
        }
    }
}

static void plain_segments(WorldStyle style, int worlds, int each, const char* what) {
    Count count = {.what = what};
    for (int w = 0; w < worlds; ++w) {
        Random random = {(uint64_t)(w * 10 + (int)style + 77)};
        count.seed = w;
        World* world = random_world(&random, style);
        BerthChecker* checker = checker_of(world->scene);
        Ask asks[2] = {random_ask(&random), random_ask(&random)};
        BerthMotion* motions[2] = {motion_of(world->scene, &asks[0]), motion_of(world->scene, &asks[1])};
        Course course;
        for (int i = 0; i < each; ++i) {
            free_course(&random, world, checker, &course);
            const bool brute = i % 32 == 0 && style == WORLD_CONVEX;  // the search itself by other code
            const double floor = fmin(asks[0].margin, asks[1].margin) - 1e-3;
            const Lowest lowest = course_lowest(&course, course_speed(&course, world), 1e-5, floor, SEARCH,
                                                brute ? course_brute_gap : course_checker_gap,
                                                brute ? (void*)world : (void*)checker);
            count.segments += 1;
            count.samples += lowest.samples;
            for (int k = 0; k < 2; ++k) {
                const BerthMotionResult r = ask_segment(motions[k], &course, i % 4 == 0);
                judge(world, &course, &asks[k], &r, &lowest, &count);
            }
        }
        berth_motion_destroy(motions[0]);
        berth_motion_destroy(motions[1]);
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    settle_count(&count);
}

static void test_convex(void** state) {
    (void)state;
    plain_segments(WORLD_CONVEX, test_scaled(240), 32, "convex");
}

static void test_plain(void** state) {
    (void)state;
    plain_segments(WORLD_PLAIN, test_scaled(40), 32, "plain");
}

static void test_grid(void** state) {
    (void)state;
    plain_segments(WORLD_GRID, test_scaled(20), 32, "grid");
}

static void test_far(void** state) {
    (void)state;
    plain_segments(WORLD_FAR, test_scaled(16), 32, "far");
}

static void test_uneven(void** state) {
    (void)state;
    plain_segments(WORLD_UNEVEN, test_scaled(20), 32, "uneven");
}

static void test_sliding(void** state) {
    (void)state;
    plain_segments(WORLD_SLIDING, test_scaled(25), 32, "sliding");
}

// ---- grazing --------------------------------------------------------------------------------------------------

// The same motion backwards.
static Course reversed(const Course* course) {
    Course back = *course;
    memcpy(back.from, course->to, sizeof back.from);
    memcpy(back.to, course->from, sizeof back.to);
    return back;
}

// Part of a straight course.
static Course part_of(const Course* course, double from, double to) {
    Course part = *course;
    course_values(course, from, part.from);
    course_values(course, to, part.to);
    return part;
}

static void ask_grazing(World* world, BerthChecker* checker, BerthMotion* motion, const Ask* ask,
                        const Course* course, double speed, Count* count) {
    const Lowest lowest =
        course_lowest(course, speed, 1e-7, ask->margin - 2e-4, 160, course_checker_gap, checker);
    count->segments += 1;
    count->grazing += fabs(lowest.gap - ask->margin) <= 1.1e-4;
    count->samples += lowest.samples;
    const BerthMotionResult r = ask_segment(motion, course, false);
    judge(world, course, ask, &r, &lowest, count);
}

static void grazing_segments(WorldStyle style, int worlds, const char* what) {
    Count count = {.what = what};
    for (int w = 0; w < worlds; ++w) {
        Random random = {(uint64_t)(w * 10 + (int)style + 7777)};
        count.seed = w;
        const Ask ask = random_ask(&random);
        World* world = random_world(&random, style);
        BerthChecker* checker = checker_of(world->scene);
        Course course;
        free_course(&random, world, checker, &course);
        berth_checker_destroy(checker);
        const double speed = course_speed(&course, world);
        static const double offs[6] = {1e-4, 1e-4, 1e-6, 1e-6, 1e-8, 5e-5};
        const double off = offs[pick(&random, 6)] * bi_random_between(&random, -1, 1);
        const double target = ask.margin + off + (pick(&random, 4) == 0 ? ask.delta : 0.0);
        Lowest lowest;
        // Where the margin is 0 a gap below it cannot be measured: come near, then go the rest of the way.
        const bool done = course_graze(world, &course, speed, fmax(target, 2e-5), &lowest);
        if (done) {
            if (target < 2e-5) {
                course_graze(world, &course, speed, target, &lowest);
            }
            checker = checker_of(world->scene);
            BerthMotion* motion = motion_of(world->scene, &ask);
            ask_grazing(world, checker, motion, &ask, &course, speed, &count);
            if (!course.curved) {
                const Course back = reversed(&course);
                ask_grazing(world, checker, motion, &ask, &back, speed, &count);
                for (int k = 0; k < 8; ++k) {
                    const double wide = log_between(&random, 1e-4, 0.5);
                    const double a = fmax(0, lowest.t - wide * bi_random_between(&random, 0, 1));
                    const double b = fmin(1, lowest.t + wide * bi_random_between(&random, 0, 1));
                    if (b - a > 1e-9) {
                        const Course part = part_of(&course, a, b);
                        ask_grazing(world, checker, motion, &ask, &part, speed * (b - a) * 1.0001, &count);
                    }
                }
            }
            berth_motion_destroy(motion);
            berth_checker_destroy(checker);
        }
        world_destroy(world);
    }
    settle_count(&count);
    assert_true(count.grazing * 4 > count.segments);  // or this test is about something else
}

static void test_grazing_convex(void** state) {
    (void)state;
    grazing_segments(WORLD_CONVEX, test_scaled(2000), "grazing convex");
}

static void test_grazing_plain(void** state) {
    (void)state;
    grazing_segments(WORLD_PLAIN, test_scaled(350), "grazing plain");
}

static void test_grazing_uneven(void** state) {
    (void)state;
    grazing_segments(WORLD_UNEVEN, test_scaled(150), "grazing uneven");
}

// ---- tracking errors ------------------------------------------------------------------------------------------

// The state at t with every value off by its error, up or down, whichever brings the bodies nearer: one value after the
// other, then once more.
static double worst_error(const Course* course, const double* error, double t, BerthChecker* checker) {
    double values[COURSE_VALUES];
    course_values(course, t, values);
    double best = course_checker_gap(checker, values);
    double sign[COURSE_VALUES] = {0};
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < course->count; ++i) {
            for (int side = -1; side <= 1; side += 2) {
                const double before = values[i];
                values[i] += (side - sign[i]) * error[i];
                const double gap = course_checker_gap(checker, values);
                if (gap < best) {
                    best = gap;
                    sign[i] = side;
                } else {
                    values[i] = before;
                }
            }
        }
    }
    return best;
}

// The largest of the errors, doubled again and again, that is still called free: then the bound is used up.
static double largest_free(World* world, Ask ask, const Course* course, double* error,
                           BerthMotionResult* out) {
    double unit[COURSE_VALUES], scale = 1e-5, best = 0;
    memcpy(unit, error, sizeof unit);
    ask.error = error;
    for (int k = 0; k < 40; ++k) {
        for (int i = 0; i < course->count; ++i) {
            error[i] = scale * unit[i];
        }
        BerthMotion* motion = motion_of(world->scene, &ask);
        const BerthMotionResult r = ask_segment(motion, course, false);
        berth_motion_destroy(motion);
        if (r.verdict != BERTH_FREE || scale > 3) {
            break;
        }
        *out = r;
        best = scale;
        scale *= 2.5;
    }
    for (int i = 0; i < course->count; ++i) {
        error[i] = best * unit[i];
    }
    return best;
}

static void test_errors(void** state) {
    (void)state;
    Count count = {.what = "errors"};
    int64_t reached = 0;
    for (int w = 0; w < test_scaled(80); ++w) {
        Random random = {(uint64_t)w + 51000};
        count.seed = w;
        World* world = random_world(&random, WORLD_CONVEX);
        BerthChecker* checker = checker_of(world->scene);
        double error[COURSE_VALUES];
        const int only = pick(&random, world->brute.value_count + 1);
        for (int i = 0; i < world->brute.value_count; ++i) {  // of one value, or of all
            error[i] = w % 2 == 0 && i != only ? 0.0 : bi_random_between(&random, 0.1, 1);
        }
        const Ask ask = random_ask(&random);
        Course course;
        BerthMotionResult r = {0};
        free_course(&random, world, checker, &course);
        const double scale = largest_free(world, ask, &course, error, &r);
        count.segments += 1;
        count.free += scale > 0;
        if (scale > 0) {
            const Lowest lowest = course_lowest(&course, course_speed(&course, world), 1e-4, ask.margin, 100,
                                                course_checker_gap, checker);
            for (int k = 0; k < 8; ++k) {
                const double t = k == 0 ? lowest.t : bi_random_between(&random, 0, 1);
                const double gap = worst_error(&course, error, t, checker);
                reached += k == 0 && gap < 0.5 * lowest.gap;
                if (!(gap > ask.margin) || !(gap >= r.clearance - 1e-12)) {
                    wrong(&count, "FREE (%s, clearance %g, margin %g), but an error of %g leaves %g at %.17g",
                          berth_method_name(ask.method), r.clearance, ask.margin, scale, gap, t);
                }
            }
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    settle_count(&count);
    print_message("report errors: took away half of the clearance and more %lld times\n", (long long)reached);
    assert_true(count.free > 0);
}

// ---- real robots ----------------------------------------------------------------------------------------------

typedef struct Cell {
    const char* name;
    BerthScene* scene;
    const BerthRobot* robot;
    BerthChecker* checker;
    double reach;  // no point is farther than this from any axis
} Cell;

static void add_box(BerthScene* scene, const char* name, BerthVec3 size, BerthPose pose) {
    BerthShape shape;
    BerthObjectDef def = berth_default_object_def();
    def.name = name;
    def.pose = pose;
    assert_int_equal(berth_shape_box(size, &shape), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &def.solid), BERTH_OK);
    assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
}

// A scene of some kind around a robot: posts, boards, thin rods, meshes, a floor.
static void furnish(Random* random, BerthScene* scene, int kind) {
    static const BerthShapeKind kinds[5] = {BERTH_BOX, BERTH_CYLINDER, BERTH_CAPSULE, BERTH_SPHERE,
                                            BERTH_CONE};
    for (int i = 0; i < 6; ++i) {
        char name[32];
        snprintf(name, sizeof name, "thing%d", i);
        BerthPose pose = test_pose(random, 0.0);
        const double turn = bi_random_between(random, 0, 6.28), away = bi_random_between(random, 0.45, 0.9);
        pose.t = v3(away * cos(turn), away * sin(turn), bi_random_between(random, 0.1, 1.1));
        if (kind % 4 == 0) {  // boards
            add_box(scene, name, v3(0.4, 0.3, 0.01), pose);
            continue;
        }
        BerthObjectDef def = berth_default_object_def();
        def.name = name;
        def.pose = pose;
        if (kind % 4 == 1) {  // thin rods: what samples miss
            BerthShape rod;
            assert_int_equal(berth_shape_cylinder(0.003, 0.8, &rod), BERTH_OK);
            assert_int_equal(berth_solid_from_shape(&rod, NULL, &def.solid), BERTH_OK);
        } else if (kind % 4 == 2) {
            def.solid = test_solid(i % 2 == 0 ? TEST_MESH_TORUS : TEST_MESH_BALL, 200, 0.15, random);
        } else {
            const BerthShape shape = test_shape(kinds[i % 5], 0.12, random);
            assert_int_equal(berth_solid_from_shape(&shape, NULL, &def.solid), BERTH_OK);
        }
        assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
    }
    if (kind >= 4) {
        BerthObjectDef def = berth_default_object_def();
        BerthShape floor;
        def.name = "floor";
        assert_int_equal(berth_shape_halfspace(v3(0, 0, 1), -0.3, &floor), BERTH_OK);
        assert_int_equal(berth_solid_from_shape(&floor, NULL, &def.solid), BERTH_OK);
        assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
    }
}

static double cell_gap(void* user, const double* values) {
    const Cell* cell = user;
    const BerthCheckRequest request = {.distance = true, .tolerance = 0.02};
    BerthCheckResult r;
    assert_int_equal(berth_check_state(cell->checker, values, &request, &r), BERTH_OK);
    return r.verdict != BERTH_HIT && r.has_clearance ? r.clearance.lower : 0.0;
}

static void cell_values(Random* random, const Cell* cell, double* values) {
    for (int i = 0; i < berth_robot_joint_count(cell->robot); ++i) {
        const BerthJointInfo joint = berth_robot_joint(cell->robot, i);
        if (joint.first_value >= 0 && joint.value_count == 1) {
            const bool limits = joint.has_limits && joint.type != BERTH_JOINT_CONTINUOUS;
            values[joint.first_value] =
                bi_random_between(random, limits ? joint.lower : -3, limits ? joint.upper : 3);
        }
    }
}

#if BERTH_HAVE_ORACLES
static PeerFcl* peer_of(const BerthSolid* solid) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    if (mesh != NULL) {
        const BerthMeshInfo info = berth_mesh_info(mesh);
        return peer_fcl_mesh((const double*)berth_mesh_vertices(mesh), info.vertex_count,
                             berth_mesh_triangles(mesh), info.triangle_count);
    }
    const BerthShape* s = berth_solid_shape(solid);
    return s->kind == BERTH_BOX
               ? peer_fcl_box(2 * s->as.box.half.x, 2 * s->as.box.half.y, 2 * s->as.box.half.z)
               : NULL;
}

typedef struct Peer {
    int body;
    PeerFcl* peer;
    BerthPose in_body;
    double pose[12];
} Peer;

static int make_peers(const Cell* cell, Peer* out, int capacity) {
    int count = 0;
    for (int b = 0; b < berth_scene_body_count(cell->scene); ++b) {
        const BerthBodyInfo info = berth_scene_body(cell->scene, b);
        for (int i = 0; i < info.part_count && count < capacity; ++i) {
            BerthPose pose;
            BerthObjectInfo object = {.pose = berth_pose_identity()};
            const BerthSolid* solid = info.object.age == 0
                                          ? berth_robot_solid(cell->robot, info.link, i, &pose, NULL)
                                          : berth_scene_object_part(cell->scene, info.object, i, &pose);
            if (info.object.age != 0) {
                assert_int_equal(berth_scene_object(cell->scene, info.object, &object), BERTH_OK);
            }
            PeerFcl* peer = peer_of(solid);
            if (peer != NULL) {
                out[count++] = (Peer){b, peer, berth_pose_multiply(&object.pose, &pose), {0}};
            }
        }
    }
    return count;
}

// FCL at one state: does any pair that is checked collide? Meshes and boxes only, which it knows exactly.
static bool peers_collide(const Cell* cell, Peer* peers, int count, const double* values) {
    BerthPose links[64];
    const BerthPose identity = berth_pose_identity();
    assert_true(berth_robot_link_count(cell->robot) <= 64);
    berth_robot_link_poses(cell->robot, &identity, values, links);
    for (int i = 0; i < count; ++i) {
        const BerthBodyInfo info = berth_scene_body(cell->scene, peers[i].body);
        const BerthPose pose =
            info.link >= 0 ? berth_pose_multiply(&links[info.link], &peers[i].in_body) : peers[i].in_body;
        test_rotation(&pose, peers[i].pose);
        peers[i].pose[9] = pose.t.x, peers[i].pose[10] = pose.t.y, peers[i].pose[11] = pose.t.z;
    }
    for (int p = 0; p < berth_scene_pair_count(cell->scene); ++p) {
        int32_t a = -1, b = -1;
        berth_scene_pair(cell->scene, p, &a, &b);
        for (int i = 0; i < count; ++i) {
            for (int k = 0; peers[i].body == a && k < count; ++k) {
                if (peers[k].body == b &&
                    peer_fcl_collide(peers[i].peer, peers[i].pose, peers[k].peer, peers[k].pose)) {
                    return true;
                }
            }
        }
    }
    return false;
}
#endif

static void judge_robot(Cell* cell, const Course* course, const Ask* ask, const BerthMotionResult* r,
                        const Lowest* lowest, Count* count) {
    double values[COURSE_VALUES];
    const bool far = lowest->bound > ask->margin + 1e-3;
    count->asks += 1;
    count->free += r->verdict == BERTH_FREE;
    count->hits += r->verdict == BERTH_HIT;
    count->unknown += r->verdict == BERTH_UNKNOWN;
    count->far += far;
    if (r->verdict == BERTH_FREE) {
        course_values(course, lowest->t, values);
        const double gap = course_checker_gap(cell->checker, values);
        if (!(gap > ask->margin) || !(r->clearance <= gap + 1e-12) || !(r->clearance >= ask->margin)) {
            wrong(count, "FREE (%s) with clearance %.12g, but the gap at %.17g is %.12g (margin %g)",
                  berth_method_name(ask->method), r->clearance, lowest->t, gap, ask->margin);
        }
    } else if (r->verdict == BERTH_HIT) {
        BerthCheckerDef def = berth_default_checker_def();
        def.margin = ask->margin + 1e-12;
        BerthChecker* checker = NULL;
        assert_int_equal(berth_checker_create(cell->scene, &def, &checker), BERTH_OK);
        course_values(course, r->t, values);
        const BerthCheckRequest request = {.all = true};
        BerthCheckResult state;
        assert_int_equal(berth_check_state(checker, values, &request, &state), BERTH_OK);
        bool listed = false;
        for (int32_t i = 0; i < state.hit_count; ++i) {
            listed = listed || (state.hits[i].body_a == r->body_a && state.hits[i].body_b == r->body_b) ||
                     (state.hits[i].body_a == r->body_b && state.hits[i].body_b == r->body_a);
        }
        if (!listed) {
            wrong(count, "HIT (%s) of %d and %d at %.17g, which the static check does not see",
                  berth_method_name(ask->method), r->body_a, r->body_b, r->t);
        }
        berth_checker_destroy(checker);
    } else {
        count->budget += r->reason == BERTH_REASON_BUDGET;
        count->numeric += r->reason == BERTH_REASON_NUMERIC;
        const bool spent = r->reason == BERTH_REASON_BUDGET;
        count->alarms += lowest->bound > ask->margin + ask->delta + 1e-9 && !spent;
        count->alarms_millimetre += far && !spent;
        if (r->reason == BERTH_REASON_NONE) {
            wrong(count, "UNKNOWN without a reason");
        }
    }
}

static void robot_segments(const char* name, double reach, int scenes, int each, double tip) {
    const TestRobot* which = test_robots;
    while (which->name != NULL && strcmp(which->name, name) != 0) {
        ++which;
    }
    BerthRobot* robot = test_read_robot(which, true, true);
    if (robot == NULL) {
        TEST_SKIP("%s is not in the shared folder", name);
    }
    Count count = {.what = name};
    int64_t crossed = 0;
    for (int s = 0; s < scenes; ++s) {
        Random random = {(uint64_t)(1000 + s)};
        Cell cell = {.name = name, .robot = robot, .reach = reach};
        count.seed = s;
        assert_int_equal(berth_scene_create(NULL, &cell.scene), BERTH_OK);
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        def.robot = robot;
        def.padding = s % 3 == 2 ? 0.004 : 0.0;
        assert_int_equal(berth_scene_add_robot(cell.scene, &def, NULL), BERTH_OK);
        furnish(&random, cell.scene, s);
        assert_int_equal(berth_scene_commit(cell.scene), BERTH_OK);
        for (int i = 0; i < berth_scene_body_count(cell.scene); ++i) {  // the base stands on the floor
            const BerthBodyInfo info = berth_scene_body(cell.scene, i);
            if (info.fixed && info.link >= 0 && s >= 4) {
                assert_int_equal(berth_scene_allow(cell.scene, info.name, "floor"), BERTH_OK);
            }
        }
        assert_int_equal(berth_scene_commit(cell.scene), BERTH_OK);
        cell.checker = checker_of(cell.scene);
        Ask asks[METHODS - 1];
        BerthMotion* motions[METHODS - 1];
        for (int k = 0; k < METHODS - 1; ++k) {
            asks[k] = random_ask(&random);
            asks[k].method = methods[k + 1];
            asks[k].margin = k == 0 ? 0.0 : asks[k].margin;
            motions[k] = motion_of(cell.scene, &asks[k]);
        }
#if BERTH_HAVE_ORACLES
        Peer peers[128];
        const int peer_count = make_peers(&cell, peers, 128);
#endif
        Course course = {.count = berth_scene_value_count(cell.scene)};
        for (int i = 0; i < each; ++i) {
            for (int tries = 0; tries < 40; ++tries) {
                berth_robot_default_values(robot, course.from);
                cell_values(&random, &cell, course.from);
                if (cell_gap(&cell, course.from) > 0) {
                    break;
                }
            }
            double other[COURSE_VALUES];
            berth_robot_default_values(robot, other);
            cell_values(&random, &cell, other);
            const double size = log_between(&random, 0.01, tip);
            double way = 0;
            for (int k = 0; k < course.count; ++k) {
                course.to[k] = course.from[k] + size * (other[k] - course.from[k]);
            }
            course.curved = false;
            if (i % 4 == 3) {
                bend(&random, &course, 0.5);
            }
            for (int k = 0; k < course.count; ++k) {
                way += course_rate(&course, k);
            }
            const Lowest lowest = course_lowest(&course, way * reach, 1e-5, -1e-3, SEARCH, cell_gap, &cell);
            count.segments += 1;
            count.grazing += fabs(lowest.gap) < 1e-4;
            count.samples += lowest.samples;
            bool free = false;
            for (int k = 0; k < METHODS - 1; ++k) {
                const BerthMotionResult r = ask_segment(motions[k], &course, i % 8 == 0);
                judge_robot(&cell, &course, &asks[k], &r, &lowest, &count);
                free = free || r.verdict == BERTH_FREE;
            }
#if BERTH_HAVE_ORACLES
            for (int k = 0; free && i % 8 == 0 && k < 8; ++k) {
                double values[COURSE_VALUES];
                course_values(&course, k == 0 ? lowest.t : bi_random_between(&random, 0, 1), values);
                crossed += 1;
                if (peers_collide(&cell, peers, peer_count, values) && lowest.gap > 1e-9) {
                    wrong(&count, "FREE, but FCL says that state %d collides (gap %g)", k, lowest.gap);
                }
            }
#endif
        }
#if BERTH_HAVE_ORACLES
        for (int i = 0; i < peer_count; ++i) {
            peer_fcl_destroy(peers[i].peer);
        }
#endif
        for (int k = 0; k < METHODS - 1; ++k) {
            berth_motion_destroy(motions[k]);
        }
        berth_checker_destroy(cell.checker);
        berth_scene_destroy(cell.scene);
    }
    berth_robot_destroy(robot);
    print_message("report %s: %lld states of free segments crossed with FCL\n", name, (long long)crossed);
    settle_count(&count);
}

static void test_panda(void** state) {
    (void)state;
    robot_segments("panda", 1.5, 8, test_scaled(20), 0.4);
}

static void test_panda_capsules(void** state) {
    (void)state;
    robot_segments("panda_capsules", 1.5, 8, test_scaled(40), 0.4);
}

static void test_fanuc(void** state) {
    (void)state;
    robot_segments("fanuc", 2.2, 8, test_scaled(8), 0.3);
}

static void test_ur5(void** state) {
    (void)state;
    robot_segments("ur5", 1.3, 8, test_scaled(20), 0.3);
}

int test_motion_sound(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convex),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_grazing_convex),
        cmocka_unit_test(test_grazing_plain),
        cmocka_unit_test(test_grazing_uneven),
        cmocka_unit_test(test_panda),
        cmocka_unit_test(test_panda_capsules),
        cmocka_unit_test(test_fanuc),
        cmocka_unit_test(test_ur5),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
