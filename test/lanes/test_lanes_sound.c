// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-share: 0.1
// test-timeout: 1800
// Real arms among real things, asked as planners ask: lanes first, then the bodies themselves. What is called free is sampled by
// the sceptic's model (support/dense.h), which must find no meeting; of edges that keep more than 1 mm nearly none may end
// otherwise than free; every instruction set gives the same verdict. Some edges graze (in the long form half of them): halved between one that is free and
// one that is not. 50,000 edges in the long form.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "support/segments.h"
#include "support/setting.h"
#include "support/sound.h"

enum { EDGES = 50000, STATES = 200000 };

static void report(const SoundCount* c) {
    char text[1024];
    sound_tell(c, text, sizeof text);
    print_message("report lanes sound, %s\n", text);
}

// All robots; each in all kinds of places in runs with all cases, else in one.
static void test_edges(void** state) {
    (void)state;
    const int kinds = test_is_long() ? PLACE_KINDS : 1;
    const int places = PLACE_ROBOTS * kinds * (test_is_whole() ? 1 : 4);  // few where sanitizers look
    const SoundPlan whole = {.edges = test_scaled(EDGES) / places,
                             .states = test_scaled(STATES) / places,
                             .grazing_every = test_is_long() ? 1 : 8,
                             .finest = test_is_long() ? 1e-5 : 1e-4,
                             .self_depth = test_is_long() ? 5 : 2};
    SoundCount all = {.nearest = INFINITY};
    for (int i = 0; i < PLACE_ROBOTS * kinds; ++i) {
        const int robot = i % PLACE_ROBOTS, kind = (i / PLACE_ROBOTS + robot) % PLACE_KINDS;
        if (!test_is_whole() && robot % 2 == 1) {
            continue;  // layouts take the time there
        }
        SoundCount count = {.nearest = INFINITY};
        SoundPlan plan = whole;
        if (robot >= PLACE_PR2_ARM &&
            !test_is_long()) {  // links that nest in each other: the sceptic takes long
            plan.edges /= 10;
            plan.states /= 10;
        }
        if (!sound_place((PlaceRobot)robot, (PlaceKind)kind, 1, &plan, &count)) {
            TEST_SKIP("sound: files of %s are not there", place_robot_names[robot]);
        }
        report(&count);
        sound_add(&all, &count);
    }
    place_forget_robots();
    report(&all);

    assert_int_equal(all.refuted, 0);
    assert_int_equal(all.states_refuted, 0);
    assert_int_equal(all.states_unseen, 0);
    assert_int_equal(all.differ, 0);
    assert_true(1000 * all.alarms <= all.far);
    assert_true(all.free > all.edges / 10 && all.hits > all.edges / 50 && all.grazing > 0);
}

// The judge can refute: where he takes everything to be 2 mm nearer than it is, edges that graze are wrong in his eyes.
static void test_refutes(void** state) {
    (void)state;
    const SoundPlan plan = {.edges = 60, .grazing_every = 1, .finest = 1e-4, .self_depth = 0};
    SoundCount count = {.nearest = INFINITY};
    SoundStage* stage = sound_open(PLACE_UR5, PLACE_THIN, 1, 2e-3);
    if (stage == NULL) {
        TEST_SKIP("sound: files of the UR5 are not there");
    }
    sound_ask(stage, 0, &plan, &count);
    sound_close(stage);
    place_forget_robots();
    print_message("report lanes sound: %lld of %lld free edges refuted by a sceptic who is 2 mm off\n",
                  (long long)count.refuted, (long long)count.free);
    assert_true(count.refuted >= 5);
}

typedef struct Strength {
    int64_t courses, proven, samples;
    int64_t self_proven, self_samples;
    int64_t deep, deep_found;      // meetings of 0.1 mm that a search by samples alone finds
    int64_t slight, slight_found;  // of 0.1 um
} Strength;

// What is proven on a whole course no state of it refutes.
static void check_proof(Place* place, Random* random, const Course* course, Strength* sum) {
    const DenseEffort effort = {bi_random_between(random, 0.0, 0.03), 1e-4, 4, 2000};
    const DenseLook look = dense_look_along(place->dense, course, &effort);
    sum->courses += 1;
    sum->proven += look.proven;
    dense_look_closer(place->dense, 0.99, 0.03);
    for (int i = 0; i < 50 && look.proven; ++i) {
        double values[COURSE_VALUES];
        course_values(course, bi_random_between(random, 0.0, 1.0), values);
        assert_true(dense_environment_gap(place->dense, values) / 0.99 > effort.clearance - 1e-9);
        sum->samples += 1;
    }
    if (look.ended) {
        double values[COURSE_VALUES];
        course_values(course, look.t, values);
        assert_true(dense_gap(place->dense, values) <= effort.clearance);
    }
}

// The same within the robot.
static void check_self_proof(Place* place, Random* random, const Course* course, Strength* sum) {
    const DenseEffort effort = {bi_random_between(random, 0.0, 2e-3), 1e-4, 12, 4000};
    dense_doubt(place->dense, -1.0);  // nothing else is near
    const DenseLook look = dense_look_along(place->dense, course, &effort);
    dense_look_closer(place->dense, 0.99, 4e-3);
    sum->self_proven += look.self_proven;
    for (int i = 0; i < 8 && look.self_proven; ++i) {
        double values[COURSE_VALUES];
        course_values(course, bi_random_between(random, 0.0, 1.0), values);
        assert_true(dense_gap(place->dense, values) / 0.99 > effort.clearance - 1e-9);
        sum->self_samples += 1;
    }
    dense_doubt(place->dense, 1.0);
}

// Where a search by samples alone finds the smallest gap, and everything is that much nearer and a little more, there is a meeting,
// which must be found.
static void check_search(Place* place, const Course* course, Strength* sum) {
    static const double deeper[2] = {1e-4, 1e-7};
    dense_look_closer(place->dense, 0.99, 1e-4);
    const Lowest lowest = course_near(course, dense_speed(place->dense, course), 1e-6, -1e-9, 0.2, 60,
                                      dense_environment_gap, place->dense);
    if (!(lowest.gap > 0.0 && lowest.gap < 0.19)) {
        return;
    }
    for (int k = 0; k < 2; ++k) {
        const DenseEffort effort = {0.0, 1e-5, 0, 20000};
        const double nearer = lowest.gap / 0.99 + deeper[k];
        dense_doubt(place->dense, nearer);
        const DenseLook look = dense_look_along(place->dense, course, &effort);
        dense_doubt(place->dense, -nearer);
        assert_false(look.proven);
        *(k == 0 ? &sum->deep : &sum->slight) += 1;
        *(k == 0 ? &sum->deep_found : &sum->slight_found) += look.ended;
    }
}

// The judge's bounds are true, and he finds what samples alone find.
static void test_judge(void** state) {
    (void)state;
    Strength sum = {0};
    Random random = {11};
    const int courses = test_scaled(400) / PLACE_KINDS + 1;
    for (int kind = 0; kind < PLACE_KINDS; ++kind) {
        Place place;
        if (!place_open(&place, kind % 2 == 0 ? PLACE_UR5 : PLACE_PANDA, (PlaceKind)kind, 3)) {
            TEST_SKIP("sound: files of the UR5 or the Panda are not there");
        }
        for (int i = 0; i < courses; ++i) {
            Course course;
            place_course(&place, &random, &course);
            check_proof(&place, &random, &course, &sum);
            check_search(&place, &course, &sum);
            check_self_proof(&place, &random, &course, &sum);
        }
        place_close(&place);
    }
    place_forget_robots();

    print_message(
        "report lanes sound: the judge proves %lld of %lld courses, %lld samples agree; within the robot "
        "%lld, %lld "
        "agree\n",
        (long long)sum.proven, (long long)sum.courses, (long long)sum.samples, (long long)sum.self_proven,
        (long long)sum.self_samples);
    print_message("report lanes sound: he finds %lld of %lld meetings of 0.1 mm, %lld of %lld of 0.1 um\n",
                  (long long)sum.deep_found, (long long)sum.deep, (long long)sum.slight_found,
                  (long long)sum.slight);
    assert_int_equal(sum.deep_found, sum.deep);
    assert_true(100 * sum.slight_found >= 95 * sum.slight);
    assert_true(sum.proven > 0);
}

int test_lanes_sound(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_refutes),
        cmocka_unit_test(test_judge),
    };
    return cmocka_run_group_tests_name("lanes: sound", tests, NULL, NULL);
}
