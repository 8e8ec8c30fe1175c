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
                             .samples = test_is_long() ? 100 : 12,
                             .self_samples = test_is_long() ? 20 : 2};
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
    const SoundPlan plan = {
        .edges = 60, .states = 0, .grazing_every = 1, .samples = 16, .self_samples = 1, .doubt = 2e-3};
    SoundCount count = {.nearest = INFINITY};
    if (!sound_place(PLACE_UR5, PLACE_THIN, 1, &plan, &count)) {
        TEST_SKIP("sound: files of the UR5 are not there");
    }
    place_forget_robots();
    print_message("report lanes sound: %lld of %lld free edges refuted by a sceptic who is 2 mm off\n",
                  (long long)count.refuted, (long long)count.free);
    assert_true(count.refuted >= 5);
}

int test_lanes_sound(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_refutes),
    };
    return cmocka_run_group_tests_name("lanes: sound", tests, NULL, NULL);
}
