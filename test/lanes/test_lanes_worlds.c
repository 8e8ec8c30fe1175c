// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-share: 0.3
// Random worlds of all kinds of bodies (meshes open and closed, hulls, cones, attached objects, planar and sliding joints, mimics,
// several robots, paddings, margins), and robots of files among boxes and rods: what lanes call free survives a search for the
// smallest gap, and the long double model where it is near; what they call a hit the checker of states confirms.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>

#include <cmocka.h>

#include "check/check.h"
#include "lanes/lanes.h"
#include "support/lanes_ask.h"
#include "support/robots.h"
#include "support/segments.h"
#include "support/setting.h"

enum { WORLDS = 90, EDGES = 60, ROBOT_EDGES = 80, LONG_EDGES = 3000 };

typedef struct Count {
    int64_t layouts, free, hits, open, states_free, states_hit, states_open, wrong;
    double nearest;  ///< smallest gap that was found on a free segment, margin taken off
    const char* what;
    int64_t seed;
} Count;

/// A scene with its layout and the checker that answers are held against.
typedef struct Bench {
    BerthScene* scene;
    World* world;  ///< or null
    BerthLanes* lanes;
    LanesQuery* query;
    BerthChecker* checker;  ///< of gaps: without a margin
    double margin;
    Random random;
    Count* count;
} Bench;

// Lanes answer for pairs that move: one of the others that is nearer than the margin hides what they say.
static bool are_constants_free(const Bench* bench) {
    bool free = true;
    for (int32_t i = 0; i < bench->checker->constant_count; ++i) {
        const BerthTreeAnswer* answer = &bench->checker->constants[i].answer;
        free = free && answer->verdict == BERTH_FREE;
    }
    return free;
}

static bool open_bench(Bench* bench) {
    BerthLanesDef def = berth_default_lanes_def();
    def.margin = bench->margin;
    def.expected_segments =
        bench->count->layouts % 2;  // every other one for so few that robots are not searched
    BerthCheckerDef with_margin = berth_default_checker_def();
    with_margin.margin = bench->margin;
    assert_int_equal(berth_checker_create(bench->scene, &with_margin, &bench->checker), BERTH_OK);
    const bool free = are_constants_free(bench);
    berth_checker_destroy(bench->checker);
    bench->checker = segment_checker(bench->scene);
    if (!free || bench->scene->pair_count == 0) {
        return false;
    }

    assert_int_equal(berth_lanes_create(bench->scene, &def, &bench->lanes), BERTH_OK);
    if (bench->lanes != NULL) {
        assert_int_equal(bi_lanes_query_create(bench->lanes, &bench->query), BERTH_OK);
        bench->count->layouts += 1;
    }
    return bench->lanes != NULL;
}

static void close_bench(Bench* bench) {
    bi_lanes_query_destroy(bench->query);
    berth_lanes_destroy(bench->lanes);
    berth_checker_destroy(bench->checker);
}

static void complain(const Bench* bench, const char* what, double gap, const double* values) {
    if (bench->count->wrong++ < 10) {
        print_error("WRONG %s %lld: %s, gap %.9g at", bench->count->what, (long long)bench->count->seed, what,
                    gap);
        for (int i = 0; i < bench->scene->value_count; ++i) {
            print_error(" %.17g", values[i]);
        }
        print_error("\n");
    }
}

static void report(const Count* c) {
    print_message(
        "report lanes %s: %lld layouts; segments %lld free, %lld hits, %lld open; states %lld free, %lld "
        "hits, %lld open; "
        "nearest free %.2g m\n",
        c->what, (long long)c->layouts, (long long)c->free, (long long)c->hits, (long long)c->open,
        (long long)c->states_free, (long long)c->states_hit, (long long)c->states_open, c->nearest);
    assert_int_equal(c->wrong, 0);
}

// ---- judging ------------------------------------------------------------------------------------------------------

// A gap that the checker found too small: the long double model has the last word, where there is one.
static void judge_free(Bench* bench, const double* values, double gap) {
    if (gap > bench->margin - 1e-12) {
        return;
    }
    const double true_gap = bench->world != NULL ? course_brute_gap(bench->world, values) : gap;
    if (!(true_gap > bench->margin - 1e-12)) {
        complain(bench, "free is not", true_gap, values);
    }
}

static void judge_hit(Bench* bench, const double* values) {
    const double gap = course_checker_gap(bench->checker, values);
    if (!(gap <= bench->margin + 1e-9)) {
        complain(bench, "hit is none", gap, values);
    }
}

static void ask_segment(Bench* bench, const Course* course, double speed) {
    const double tight = segment_log_between(&bench->random, 1e-6, 1e-3);
    const LanesSegmentAnswer answer = lanes_ask_course(
        bench->query, course, tight, segment_pick(&bench->random, 8) * segment_pick(&bench->random, 4));
    double values[COURSE_VALUES];
    bench->count->free += answer.verdict == LANES_FREE;
    bench->count->hits += answer.verdict == LANES_HIT;
    bench->count->open += answer.verdict == LANES_OPEN;
    if (answer.verdict == LANES_HIT) {
        course_values(course, answer.t, values);
        judge_hit(bench, values);
    }
    if (answer.verdict == LANES_FREE) {
        const Lowest lowest = course_near(course, speed, 1e-6, bench->margin - 1e-3, bench->margin + 2e-4, 40,
                                          course_checker_gap, bench->checker);
        course_values(course, lowest.t, values);
        bench->count->nearest = fmin(bench->count->nearest, lowest.gap - bench->margin);
        judge_free(bench, values, lowest.gap);
    }
}

static void ask_states(Bench* bench, double rows[LANES][COURSE_VALUES]) {
    uint8_t verdicts[LANES];
    (void)bi_lanes_ask_states(bench->query, rows[0], COURSE_VALUES, LANES, verdicts);
    for (int i = 0; i < LANES; ++i) {
        bench->count->states_free += verdicts[i] == LANES_FREE;
        bench->count->states_hit += verdicts[i] == LANES_HIT;
        bench->count->states_open += verdicts[i] == LANES_OPEN;
        if (verdicts[i] == LANES_FREE) {
            judge_free(bench, rows[i], course_checker_gap(bench->checker, rows[i]));
        } else if (verdicts[i] == LANES_HIT) {
            judge_hit(bench, rows[i]);
        }
    }
}

// ---- random worlds ------------------------------------------------------------------------------------------------

static void look_at_world(Bench* bench) {
    double rows[LANES][COURSE_VALUES] = {{0}};
    for (int i = 0; i < LANES; ++i) {
        world_values(bench->world, &bench->random, rows[i]);
    }
    ask_states(bench, rows);
    for (int e = 0; e < EDGES; ++e) {
        Course course;
        segment_random(&bench->random, bench->world, &course);
        course.curved = false;
        ask_segment(bench, &course, course_speed(&course, bench->world));
    }
}

static void test_worlds(void** state) {
    (void)state;
    Count count = {.what = "worlds", .nearest = INFINITY};
    const int worlds = test_scaled(WORLDS);
    for (int w = 0; w < worlds; ++w) {
        Random random = {(uint64_t)w * 7919 + 5};
        const WorldPlan plan = {.style = (WorldStyle)(w % WORLD_STYLE_COUNT),
                                .robots = 1 + w % 3 / 2,
                                .joints = 6,
                                .objects = 1 + segment_pick(&random, 5),
                                .no_allow = w % 2 == 0};
        Bench bench = {.world = world_make(&random, &plan), .random = random, .count = &count};
        bench.scene = bench.world->scene;
        bench.margin = w % 4 == 0 ? bi_random_between(&bench.random, 0, 0.02) : 0.0;
        count.seed = w;
        if (bench.world->brute.value_count > 0 && open_bench(&bench)) {
            look_at_world(&bench);
        }
        close_bench(&bench);
        world_destroy(bench.world);
    }
    report(&count);
    assert_true(worlds < 40 || (count.free > 0 && count.hits > 0));  // few worlds need not have either
}

// ---- robots of files ----------------------------------------------------------------------------------------------

static void add_obstacle(Bench* bench, int i) {
    Random* random = &bench->random;
    char name[16];
    BerthPose pose = berth_pose_identity();
    const double angle = bi_random_between(random, -3, 3), far = bi_random_between(random, 0.35, 0.9);
    pose.t = v3(far * cos(angle), far * sin(angle), bi_random_between(random, 0, 1.2));
    snprintf(name, sizeof name, "o%d", i);
    BerthStatus status;
    if (i % 4 == 0) {  // a thin rod, a thin plate, a box, a ball
        status = berth_scene_add_cylinder(bench->scene, name, 0.001, 0.5, &pose, NULL);
    } else if (i % 4 == 1) {
        status = berth_scene_add_box(bench->scene, name, v3(0.3, 0.2, 0.0015), &pose, NULL);
    } else if (i % 4 == 2) {
        status = berth_scene_add_box(bench->scene, name, v3(0.1, 0.1, 0.1), &pose, NULL);
    } else {
        status = berth_scene_add_sphere(bench->scene, name, 0.05, pose.t, NULL);
    }
    assert_int_equal(status, BERTH_OK);
}

static void any_robot_state(Bench* bench, double* values) {
    const BerthRobot* robot = bench->scene->robots[0].robot;
    for (int i = 0; i < bench->scene->value_count; ++i) {
        const RobotValue* value = &robot->values[i];
        const double low = value->has_limits ? value->lower : -4.0,
                     high = value->has_limits ? value->upper : 4.0;
        values[i] = bi_random_between(&bench->random, low, high);
    }
}

static void look_at_robot(Bench* bench, int edges) {
    double rows[LANES][COURSE_VALUES] = {{0}};
    for (int i = 0; i < LANES; ++i) {
        any_robot_state(bench, rows[i]);
    }
    ask_states(bench, rows);
    for (int e = 0; e < edges; ++e) {
        Course course = {.count = bench->scene->value_count};
        double other[COURSE_VALUES] = {0}, speed = 0.0;
        any_robot_state(bench, course.from);
        any_robot_state(bench, other);
        const double share = segment_log_between(&bench->random, 0.01, 0.5);
        for (int i = 0; i < course.count; ++i) {
            course.to[i] = course.from[i] + share * (other[i] - course.from[i]);
            speed += 2.0 * 2.0 * fabs(course.to[i] - course.from[i]);  // nothing reaches further than 2 m
        }
        ask_segment(bench, &course, speed);
    }
}

static void test_robots_of_files(void** state) {
    (void)state;
    static const char* const names[] = {"panda_spheres",  "panda_mbm",   "ur5", "fanuc",
                                        "panda_capsules", "romeo_small", "pr2"};
    Count count = {.nearest = INFINITY};
    const size_t most = test_is_long() ? sizeof names / sizeof names[0] : 5;
    for (size_t n = 0; n < most; ++n) {
        Bench bench = {.random = {n + 9}, .count = &count};
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        def.robot = test_read_robot_if_there(test_robot_named(names[n]), true);
        if (def.robot == NULL) {
            TEST_SKIP("robots of files: %s is not there", names[n]);
        }
        def.own = true;
        count.what = names[n];
        assert_int_equal(berth_scene_create(NULL, &bench.scene), BERTH_OK);
        assert_int_equal(berth_scene_add_robot(bench.scene, &def, NULL), BERTH_OK);
        for (int i = 0; i < (n % 2 == 0 ? 8 : 70); ++i) {
            add_obstacle(&bench, i);
        }
        assert_int_equal(berth_scene_commit(bench.scene), BERTH_OK);
        if (open_bench(&bench)) {
            look_at_robot(&bench, test_scaled(test_is_long() ? LONG_EDGES : ROBOT_EDGES));
        }
        report(&count);
        close_bench(&bench);
        berth_scene_destroy(bench.scene);
    }
    assert_true(count.layouts > 0 && count.free > 0 && count.hits > 0);
}

int test_lanes_worlds(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worlds),
        cmocka_unit_test(test_robots_of_files),
    };
    return cmocka_run_group_tests_name("lanes: worlds", tests, NULL, NULL);
}
