// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Motions by a function and bounds of its speed: swinging joints against dense sampling by the static check, straight lines
// against the same segment without a function, functions that lie, functions that are refused.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/arms.h"
#include "support/segments.h"
#include "support/setting.h"

/// value(t) = middle + swing sin(rate t + phase)
typedef struct Swing {
    int count;
    double middle[COURSE_VALUES], swing[COURSE_VALUES], rate[COURSE_VALUES], phase[COURSE_VALUES];
} Swing;

static void swing_values(void* user, double t, double* values) {
    const Swing* s = user;
    for (int i = 0; i < s->count; ++i) {
        values[i] = s->middle[i] + s->swing[i] * sin(s->rate[i] * t + s->phase[i]);
    }
}

static void straight_values(void* user, double t, double* values) {
    const Course* course = user;
    for (int i = 0; i < course->count; ++i) {
        values[i] = course->from[i] + t * (course->to[i] - course->from[i]);
    }
}

static bool has_quaternion(const Course* course) {
    return course->quat_count > 0;
}

typedef struct Setting {
    World* world;
    Course course;
    double speeds[COURSE_VALUES];
    BerthMotionChecker* motion;
    BerthChecker* checker;
} Setting;

// A world without floating joints, and a random segment in it.
static void open_setting(Setting* s, Random* random, BerthMethod method) {
    do {
        s->world = segment_world(random, random->state % 2 == 0 ? WORLD_PLAIN : WORLD_CONVEX);
        segment_random(random, s->world, &s->course);
        if (has_quaternion(&s->course)) {
            world_destroy(s->world);
            s->world = NULL;
        }
    } while (s->world == NULL);
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.method = method;
    def.interval_budget = 20000;
    assert_int_equal(berth_motion_checker_create(s->world->scene, &def, &s->motion), BERTH_OK);
    s->checker = segment_checker(s->world->scene);
}

static void close_setting(Setting* s) {
    berth_checker_destroy(s->checker);
    berth_motion_checker_destroy(s->motion);
    world_destroy(s->world);
}

static BerthVerdict state_verdict(Setting* s, const double* values) {
    const BerthCheckRequest request = {0};
    BerthCheckResult result;
    assert_int_equal(berth_check_state(s->checker, values, &request, &result), BERTH_OK);
    return result.verdict;
}

static void swinging_joints(void** state) {
    (void)state;
    static Setting s;
    static Swing swing;
    int free = 0, hits = 0, unknown = 0;
    const int cases = test_scaled(160);
    for (int n = 0; n < cases; ++n) {
        Random random = {(uint64_t)n + 5100};
        open_setting(&s, &random, segment_methods[n % SEGMENT_METHODS]);
        const double size = n % 2 == 0 ? 0.05 : 0.4;
        swing.count = s.course.count;
        for (int i = 0; i < swing.count; ++i) {
            swing.middle[i] = s.course.from[i];
            swing.swing[i] = size * bi_random_between(&random, -1.0, 1.0);
            swing.rate[i] = bi_random_between(&random, 0.0, 6.0);
            swing.phase[i] = bi_random_between(&random, 0.0, 6.28);
            s.speeds[i] = fabs(swing.swing[i] * swing.rate[i]);
        }
        swing_values(&swing, 0.0, s.course.from);
        swing_values(&swing, 1.0, s.course.to);
        const BerthSegment segment = {
            .value_count = s.course.count, .from = s.course.from, .to = s.course.to};
        const BerthMotionFunction function = {swing_values, &swing, s.speeds};
        const BerthMotionRequest request = {.function = &function, .first_contact = n % 5 == 0};
        BerthMotionResult r;
        assert_int_equal(berth_motion_check_segment(s.motion, &segment, &request, &r), BERTH_OK);
        double values[COURSE_VALUES];
        for (int k = 0; r.verdict == BERTH_FREE && k <= 400; ++k) {
            swing_values(&swing, k / 400.0, values);
            assert_int_not_equal(state_verdict(&s, values), BERTH_COLLISION);
        }
        if (r.verdict == BERTH_COLLISION) {
            swing_values(&swing, r.t, values);
            assert_int_equal(state_verdict(&s, values), BERTH_COLLISION);
        }
        free += r.verdict == BERTH_FREE;
        hits += r.verdict == BERTH_COLLISION;
        unknown += r.verdict == BERTH_UNKNOWN && segment_methods[n % SEGMENT_METHODS] != BERTH_METHOD_FIXED;
        close_setting(&s);
    }
    print_message("report functions: %d free, %d hits, %d unknown of %d\n", free, hits, unknown, cases);
    assert_true(!test_is_whole() || (free > cases / 10 && hits > 0));
    assert_true(unknown < cases / 4);
}

static void straight_lines_are_straight_lines(void** state) {
    (void)state;
    static Setting s;
    int same = 0;
    const int cases = test_scaled(120);
    for (int n = 0; n < cases; ++n) {
        Random random = {(uint64_t)n + 9100};
        open_setting(&s, &random, n % 2 == 0 ? BERTH_METHOD_ADAPTIVE : BERTH_METHOD_DEFAULT);
        s.course.curved = false;
        for (int i = 0; i < s.course.count; ++i) {
            s.speeds[i] = fabs(s.course.to[i] - s.course.from[i]);
        }
        const BerthSegment segment = {
            .value_count = s.course.count, .from = s.course.from, .to = s.course.to};
        const BerthMotionFunction function = {straight_values, &s.course, s.speeds};
        const BerthMotionRequest with = {.function = &function}, without = {0};
        BerthMotionResult a, b;
        assert_int_equal(berth_motion_check_segment(s.motion, &segment, &with, &a), BERTH_OK);
        assert_int_equal(berth_motion_check_segment(s.motion, &segment, &without, &b), BERTH_OK);
        assert_true(a.verdict == b.verdict || a.verdict == BERTH_UNKNOWN || b.verdict == BERTH_UNKNOWN);
        same += a.verdict == b.verdict;
        close_setting(&s);
    }
    assert_true(same > cases * 8 / 10);
}

// Three times as fast in the middle as it says: where that is seen, nothing is free.
static void crooked_values(void* user, double t, double* values) {
    straight_values(user,
                    t < 0.4   ? 0.5 * t
                    : t < 0.6 ? 0.2 + 3.0 * (t - 0.4)
                              : 1.0 - 0.5 * (1.0 - t),
                    values);
}

static void liars_and_wrong_requests(void** state) {
    (void)state;
    static Setting s;
    for (int n = 0; n < test_scaled(20); ++n) {
        Random random = {(uint64_t)n + 12100};
        open_setting(&s, &random, n % 2 == 0 ? BERTH_METHOD_ADAPTIVE : BERTH_METHOD_DEFAULT);
        s.course.curved = false;
        double longest = 0.0;
        for (int i = 0; i < s.course.count; ++i) {
            s.speeds[i] = fabs(s.course.to[i] - s.course.from[i]);
            longest = fmax(longest, s.speeds[i]);
        }
        const BerthSegment segment = {
            .value_count = s.course.count, .from = s.course.from, .to = s.course.to};
        BerthMotionFunction function = {crooked_values, &s.course, s.speeds};
        BerthMotionRequest request = {.function = &function};
        BerthMotionResult r;
        assert_int_equal(berth_motion_check_segment(s.motion, &segment, &request, &r), BERTH_OK);
        // Ends and the middle keep to it; what is asked between them does not. A proof that needs none of that may stand.
        if (r.verdict == BERTH_FREE) {
            assert_true(r.stats.configurations <= 3 || longest == 0.0);
        }
        for (int k = 0; k < 2 && s.course.count > 0; ++k) {
            s.speeds[0] = k == 0 ? NAN : -1.0;
            assert_int_equal(berth_motion_check_segment(s.motion, &segment, &request, &r),
                             BERTH_ERR_ARGUMENT);
        }
        function.values = NULL;
        assert_int_equal(berth_motion_check_segment(s.motion, &segment, &request, &r), BERTH_ERR_ARGUMENT);
        close_setting(&s);
    }
}

// Who leaves the limits of +-2 between its ends, by a thousand samples: nobody is missed, and hardly anybody accused.
static void curves_and_limits(void** state) {
    (void)state;
    BerthScene* scene = NULL;
    BerthMotionChecker* motion = NULL;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    BerthSceneRobotDef robot = berth_default_scene_robot_def();
    robot.robot = test_arm(false, NULL);
    robot.own = true;
    assert_int_equal(berth_scene_add_robot(scene, &robot, NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    const BerthMotionCheckerDef def = berth_default_motion_checker_def();
    assert_int_equal(berth_motion_checker_create(scene, &def, &motion), BERTH_OK);
    const int32_t count = berth_scene_value_count(scene);
    double from[16] = {0}, to[16] = {0};
    BerthCurve curves[16] = {{.term = {0}}};
    assert_true(count <= 16);
    Random random = {31};
    int left = 0, kept = 0, accused = 0;
    for (int n = 0; n < test_scaled(3000); ++n) {
        // From a to b: at rest at both ends, or with any speed and bend.
        const double a = bi_random_between(&random, -2, 2), b = bi_random_between(&random, -2, 2);
        const bool rests = n % 3 == 0;
        const double v = rests ? 0 : bi_random_between(&random, -3, 3),
                     c = rests ? 0 : bi_random_between(&random, -3, 3);
        const double d = b - a - v - c;
        curves[0] = (BerthCurve){.term = {a, v, c, 10 * d, -15 * d, 6 * d}};
        from[0] = a;
        to[0] = b;
        double most = 0;
        for (int i = 0; i <= 1000; ++i) {
            const double t = i / 1000.0;
            most = fmax(most, fabs(a + t * (v + t * (c + t * d * (10 + t * (-15 + t * 6))))));
        }
        const BerthSegment segment = {.from = from, .to = to, .curves = curves, .value_count = count};
        BerthMotionResult result;
        const BerthMotionRequest request = {0};
        assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &result), BERTH_OK);
        assert_true(result.outside_limits >= (most > 2 + 1e-12));
        assert_true(!rests || result.outside_limits == 0);
        left += most > 2;
        kept += most <= 2;
        accused += most <= 2 && result.outside_limits > 0;
    }
    print_message("%d leave their limits, %d keep them, %d of these are accused\n", left, kept, accused);
    assert_true(left > 0 && kept > 0 && accused <= kept / 50);
    berth_motion_checker_destroy(motion);
    berth_scene_destroy(scene);
}

int test_motion_function(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(swinging_joints),
        cmocka_unit_test(straight_lines_are_straight_lines),
        cmocka_unit_test(liars_and_wrong_requests),
        cmocka_unit_test(curves_and_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
