// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Blocks of segments: robots of the shared folder among eight kinds of things, and random robots in random worlds.
// The smallest gap of every segment is searched with up to 1,000 configurations, finer where bodies come close, and
// fewer only where a crude bound of speed leaves no room for a smaller gap. At that configuration, and at others picked
// at random, free segments are judged by code that shares nothing with the checker: the brute model in long double, FCL. A share of
// the free segments goes before such code as a whole: FCL and KDL (support/judge.h) or the brute model, up to 300
// configurations each.

#include "soundness/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cells.h"
#include "support/graze.h"
#include "support/judge.h"
#include "support/robots.h"
#include "support/setting.h"

enum {
    CELL_GRAZES = 60,
    WORLD_GRAZES = 12,
    WORLDS = 6,
    SAMPLES = 1000,
    FEWEST = 200,
    WHOLE_SAMPLES = 300,
    PARTS = 6
};
static const double accuracy = 1e-6, band = 1.1e-4, far = 2e-3;
static const double peers_agree = 1e-9;  // FCL and KDL, as in support/judge.c
static const double bound_slack = 1e-9;  // states of a part differ from those of the whole by rounding

const char* const run_kinds[RUN_KINDS] = {"panda",        "panda_capsules", "fanuc",
                                          "ur5",          "random convex",  "random meshes",
                                          "random sizes", "random sliding", "random grid"};
static const double reach[4] = {1.5, 1.5, 2.2, 1.3};
static const int every[4] = {12, 1, 12, 12};  // rounds: meshes take ten times as long as all else
static const WorldStyle style[RUN_KINDS - 4] = {WORLD_CONVEX, WORLD_PLAIN, WORLD_UNEVEN, WORLD_SLIDING,
                                                WORLD_GRID};

/// One setting with what is asked in it: either a cell or a world.
typedef struct Stage {
    Random random;
    Cell* cell;
    World* world;
    BerthChecker* checker;
    SegmentAsk asks[2];
    BerthMotionChecker* motions[2];
    RunCount* out;
    double whole_gap;          // of a world, by the brute model at the lowest point of the last whole motion
    Judge* judge;              // of a cell; null: it is not judged as a whole
    int64_t share, next_free;  // every share-th
} Stage;

static double speed_of(Stage* stage, const Course* course) {
    return stage->cell != NULL ? cell_speed(stage->cell, course) : course_speed(course, stage->world);
}

// A free answer at one more state, by independent code.
static void judge_state(Stage* stage, const Course* course, double t, const SegmentAsk* ask) {
    double values[COURSE_VALUES];
    course_values(course, t, values);
    double gap = INFINITY;
    bool hit = false;
    if (stage->cell != NULL) {
        gap = cell_brute_gap(stage->cell, values, 1.0);
        hit = cell_peers_collide(stage->cell, values);
    } else {
        gap = course_brute_gap(stage->world, values);
    }
    stage->out->independent += 1;
    if (hit || !(gap > ask->margin - 1e-11)) {
        stage->out->count.refuted += 1;
        segment_wrong(&stage->out->count, "FREE (%s), but at %.17g the gap is %.6g%s (margin %g)",
                      berth_method_name(ask->method), t, gap, hit ? " and FCL says that meshes collide" : "",
                      ask->margin);
    }
}

// The brute model holds every triangle against every other: worlds of many are judged more rarely, as robots with meshes are.
static int64_t rarely_of(const World* world) {
    enum { QUICK = 4000 };  // pairs of triangles
    int64_t pairs = 0;
    for (int i = 0; i < world->brute.body_count; ++i) {
        for (int k = 0; k < i; ++k) {
            const BruteBody *a = &world->brute.bodies[i], *b = &world->brute.bodies[k];
            for (int p = 0; p < a->part_count * b->part_count; ++p) {
                const int32_t triangles_a = a->parts[p / b->part_count].triangle_count;
                const int32_t triangles_b = b->parts[p % b->part_count].triangle_count;
                pairs += (int64_t)(triangles_a > 0 ? triangles_a : 1) * (triangles_b > 0 ? triangles_b : 1);
            }
        }
    }
    return 1 + pairs / QUICK;
}

static double judge_slack(Stage* stage, const Course* course) {
    return stage->cell != NULL ? peers_agree : segment_slack(stage->world, course);
}

// A whole free segment before code that shares nothing with the checker, for the largest clearance that was claimed: FCL and
// KDL about real robots, the brute model about random ones. The lowest bound left is looked at next, so that 300
// configurations go where they may refute, and none are left to look at where the crude speed alone proves the claim again.
static void judge_whole(Stage* stage, const Course* course, const SegmentAsk* ask,
                        const BerthMotionResult* r) {
    RunCount* out = stage->out;
    if (stage->share == 0 || (stage->cell != NULL && stage->judge == NULL) ||
        stage->next_free++ % stage->share != 0) {
        return;
    }

    const double claimed = fmax(r->clearance, ask->margin), slack = judge_slack(stage, course);
    const bool peers = stage->cell != NULL;
    const Lowest found =
        course_near(course, speed_of(stage, course), slack, claimed - slack, claimed, WHOLE_SAMPLES,
                    peers ? judge_gap : course_brute_gap, peers ? (void*)stage->judge : (void*)stage->world);
    const bool bounded = peers || !segment_moves_plane(stage->world);
    const bool nothing_near = found.gap == (double)INFINITY;  // whatever was claimed

    out->dense += 1;
    out->dense_samples += found.samples;
    out->dense_proven += nothing_near || (bounded && found.bound >= claimed - slack);
    if (!(found.gap > claimed - slack) && !nothing_near) {
        out->count.refuted += 1;
        segment_wrong(&out->count, "FREE (%s, margin %g) with clearance %.12g, but %s find %.12g at %.17g",
                      berth_method_name(ask->method), ask->margin, r->clearance,
                      peers ? "FCL and KDL" : "brute gaps", found.gap, found.t);
    }
}

// A course that is a part of another, backwards or not, and has its lowest point in it: lowest there at `t`, and no lower
// than that other's bound. Nothing to search again where that bound is tight, or where it is all of the other; else as densely.
typedef struct Known {
    const Lowest* whole;
    double t, share;  // of the other course
} Known;

static Lowest lowest_of(Stage* stage, const Course* course, int64_t number, const Known* known) {
    const double margin = stage->asks[0].margin, floor = margin - 2e-4;
    const bool brute = stage->world != NULL && stage->world->style == WORLD_CONVEX && number % 32 == 0;
    CourseGap* const gap_at = brute ? course_brute_gap : stage->cell != NULL ? cell_gap : course_checker_gap;
    void* const user = brute                 ? (void*)stage->world
                       : stage->cell != NULL ? (void*)stage->cell
                                             : stage->checker;
    int budget = brute ? 200 : SAMPLES;
    Lowest inherited = {.gap = INFINITY};
    if (known != NULL && !brute) {
        double values[COURSE_VALUES];
        course_values(course, known->t, values);
        inherited = (Lowest){known->t, gap_at(user, values), known->whole->bound - bound_slack, 1};
        if (inherited.gap <= floor || inherited.bound >= inherited.gap - accuracy || known->share == 1.0) {
            return inherited;
        }
        budget = FEWEST + (int)(SAMPLES * known->share);
    }
    Lowest out =
        course_near(course, speed_of(stage, course), accuracy, floor, margin + far, budget, gap_at, user);
    if (inherited.gap < out.gap) {
        out.gap = inherited.gap;
        out.t = inherited.t;
    }
    return out;
}

static Lowest ask_all(Stage* stage, const Course* course, int64_t number, const Known* known) {
    SegmentCount* count = &stage->out->count;
    const double margin = stage->asks[0].margin;
    const Lowest lowest = lowest_of(stage, course, number, known);
    // A part's lowest state is that of the whole but for the last bits of its values, unless it has one of its own: judged once.
    double judged = stage->whole_gap;
    if (stage->world != NULL && (known == NULL || lowest.t != known->t)) {
        double values[COURSE_VALUES];
        course_values(course, lowest.t, values);
        judged = course_brute_gap(stage->world, values);
    }
    stage->whole_gap = known == NULL ? judged : stage->whole_gap;
    count->segments += 1;
    count->samples += lowest.samples;
    count->grazing += fabs(lowest.gap - margin) <= band;
    stage->out->exhausted +=
        lowest.bound >= lowest.gap - accuracy || lowest.bound > margin + far || lowest.gap <= margin - 2e-4;
    BerthMotionResult best = {.clearance = -INFINITY};
    int free = -1;
    for (int k = 0; k < (number % 4 == 0 ? 2 : 1); ++k) {
        const BerthMotionResult r = segment_ask(stage->motions[k], course, number % 8 == 0);
        if (stage->cell != NULL) {
            cell_judge(stage->cell, course, &stage->asks[k], &r, &lowest, count);
        } else {
            segment_judge_by(stage->world, course, &stage->asks[k], &r, &lowest, judged, count);
        }
        if (r.verdict == BERTH_FREE && r.clearance > best.clearance) {
            best = r;
            free = k;
        }
    }
    if (free >= 0) {
        judge_whole(stage, course, &stage->asks[free], &best);
    }
    if (free >= 0 && known == NULL) {  // else it was judged with the whole
        judge_state(stage, course, lowest.t, &stage->asks[0]);
    }
    if (free >= 0 && number % 4 == 0) {
        judge_state(stage, course, bi_random_between(&stage->random, 0, 1), &stage->asks[0]);
    }
    return lowest;
}

static void new_course(Stage* stage, Course* course) {
    if (stage->world != NULL) {
        segment_free(&stage->random, stage->world, stage->checker, course);
        return;
    }
    cell_course(&stage->random, stage->cell, segment_log_between(&stage->random, 0.005, 0.8), course);
    if (segment_pick(&stage->random, 4) == 0) {
        segment_bend(&stage->random, course, 0.5);
    }
}

// A motion, the same backwards, and parts of it around where it comes nearest.
static int ask_parts(Stage* stage, const Course* course, int64_t number) {
    Random* random = &stage->random;
    const Lowest whole = ask_all(stage, course, number, NULL);
    if (course->curved) {
        return 1;
    }
    const Course back = course_reversed(course);
    (void)ask_all(stage, &back, number + 1, &(Known){&whole, 1 - whole.t, 1.0});
    for (int k = 0; k < PARTS; ++k) {
        const double wide = segment_log_between(random, 1e-3, 0.5);
        const double a = fmax(0, whole.t - wide * bi_random_between(random, 0, 1));
        const double b = fmin(1, whole.t + wide * bi_random_between(random, 0, 1));
        const Course part = course_part(course, a, b);
        (void)ask_all(stage, &part, number + 2 + k, &(Known){&whole, (whole.t - a) / (b - a), b - a});
    }
    return 2 + PARTS;
}

static int graze(Stage* stage, int64_t number) {
    static const double offs[6] = {1e-4, 1e-4, 1e-6, 1e-6, 1e-8, 5e-5};
    Course course;
    Lowest lowest;
    Random* random = &stage->random;
    new_course(stage, &course);
    const double target =
        stage->asks[0].margin + offs[segment_pick(random, 6)] * bi_random_between(random, -1, 1);
    return course_shift_to(&course, speed_of(stage, &course), target, course_checker_gap, stage->checker,
                           &lowest)
               ? ask_parts(stage, &course, number)
               : 0;
}

static void run_stage(Stage* stage, int grazes) {
    static const double margins[4] = {0, 0, 0, 1e-3};
    stage->asks[0] = segment_random_ask(&stage->random);
    stage->asks[0].method = BERTH_METHOD_DEFAULT;
    stage->asks[0].margin = margins[segment_pick(&stage->random, 4)];
    stage->asks[1] = segment_random_ask(&stage->random);
    stage->asks[1].margin = stage->asks[0].margin;
    for (int k = 0; k < 2; ++k) {
        stage->motions[k] =
            segment_motion(stage->cell != NULL ? stage->cell->scene : stage->world->scene, &stage->asks[k]);
    }
    int number = 0;
    for (int tries = 0; tries < 4 * grazes && number < grazes; ++tries) {
        number += graze(stage, number);
    }
    for (const int end = number > 0 ? 2 * number : PARTS; number < end;) {
        Course course;
        new_course(stage, &course);
        number += ask_parts(stage, &course, number);
    }
    berth_motion_checker_destroy(stage->motions[0]);
    berth_motion_checker_destroy(stage->motions[1]);
}

static const TestRobot* which_of(int kind) {
    const TestRobot* which = test_robots;
    while (which->name != NULL && strcmp(which->name, run_kinds[kind]) != 0) {
        ++which;
    }
    return which;
}

static BerthRobot* robot_of(int kind) {
    static BerthRobot* robots[4];  // read once, kept until the program ends
    if (robots[kind] == NULL) {
        robots[kind] = test_read_robot(which_of(kind), true, true);
    }
    return robots[kind];
}

static Judge* judge_of(const Cell* cell, int kind) {
    char urdf[4096];
    return test_shared_path(urdf, sizeof urdf, which_of(kind)->urdf)
               ? judge_open(cell->scene, cell->robot, urdf, cell->padding)
               : NULL;
}

void run_block(uint64_t seed, int64_t block, int64_t share, RunCount counts[RUN_KINDS]) {
    const int kind = (int)(block % RUN_KINDS);
    const int64_t round = block / RUN_KINDS;
    Stage stage = {.random = {seed * 0x9e3779b97f4a7c15u + (uint64_t)block}, .out = &counts[kind]};
    stage.out->count.what = run_kinds[kind];
    stage.out->count.seed = block;
    (void)bi_random_next(&stage.random);
    stage.share = share;
    stage.next_free = round;  // not always the first of a block
    if (kind < 4) {
        BerthRobot* robot = round % every[kind] == 0 ? robot_of(kind) : NULL;
        if (robot == NULL) {
            return;  // not its turn, or no shared folder: nothing is counted for it
        }
        Cell cell = cell_open(&stage.random, run_kinds[kind], robot, reach[kind],
                              (int)(round / every[kind] % CELL_KINDS));
        stage.cell = &cell;
        stage.checker = cell.checker;
        stage.judge = share > 0 ? judge_of(&cell, kind) : NULL;
        run_stage(&stage, CELL_GRAZES);
        judge_close(stage.judge);
        cell_close(&cell);
        return;
    }
    for (int w = 0; w < WORLDS; ++w) {
        stage.world = segment_world(&stage.random, style[kind - 4]);
        stage.share = share * rarely_of(stage.world);
        stage.checker = segment_checker(stage.world->scene);
        run_stage(&stage, WORLD_GRAZES);
        berth_checker_destroy(stage.checker);
        world_destroy(stage.world);
    }
}
