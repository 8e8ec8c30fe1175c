// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Points that a sensor sees: nearest ones as by looking at all of them; and silence, blindness, clouds in pieces and clouds that
// do not fit take the permit away (docs/reference/safety.md, row 18).

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/math.h"
#include "monitor/monitor.h"
#include "support/guard.h"
#include "support/setting.h"

static const BerthJointLimit slow = {1.0, 4.0, 8.0};

static const BerthMonitorCloud camera = {
    .name = "camera", .capacity = KIT_POINTS, .radius = 0.01, .speed = 0.5, .uncertainty = 0.02};

static void open_cloud(GuardKit* kit, const BerthMonitorCloud* cloud, const char* urdf) {
    kit_open(kit, urdf, NULL, false, slow);
    kit->def.clouds = cloud;
    kit->def.cloud_count = 1;
    kit->def.good_needed = 3;
    kit_start(kit);
}

static void expect(BerthPermit permit, BerthStop reason) {
    if (permit.reason != reason) {
        fail_msg("expected %s, got %s", berth_stop_name(reason), berth_stop_name(permit.reason));
    }
}

// A STOP that stays until somebody asks.
static void expect_latched(GuardKit* kit, BerthStop reason) {
    expect(kit_cycle(kit), reason);
    for (int i = 0; i < 10; ++i) {
        kit_say(kit);
        assert_false(kit_cycle(kit).go);
    }
    expect(kit_wake(kit), BERTH_STOP_NONE);
}

static BerthMonitorPoints part_of(GuardKit* kit, int32_t first, int32_t count, int32_t total) {
    return (BerthMonitorPoints){.stream = kit->stream,
                                .sequence = kit->sequence,
                                .stamp = kit->now,
                                .received = kit->now,
                                .first = first,
                                .total = total,
                                .alive = true,
                                .points = kit->points[0] + (first < KIT_POINTS ? first : 0),
                                .count = count};
}

static void silence_and_blindness_stop(void** state) {
    (void)state;
    static GuardKit kit;
    open_cloud(&kit, &camera, kit_arm);
    expect(kit_wake(&kit), BERTH_STOP_NONE);  // a sensor that lives and sees nothing: free space
    for (int i = 0; i < 5; ++i) {
        kit_say_joints(&kit);
        expect(kit_cycle(&kit), BERTH_STOP_NONE);
    }
    kit_say_joints(&kit);
    expect_latched(&kit, BERTH_STOP_OBJECT);
    kit.sequence += 1;
    BerthMonitorPoints blind = part_of(&kit, 0, 0, 0);
    blind.alive = false;
    kit_say_joints(&kit);
    berth_monitor_receive_points(kit.monitor, &blind);
    const BerthPermit permit = kit_cycle(&kit);
    assert_int_equal(permit.cloud, 0);
    expect(permit, BERTH_STOP_OBJECT);
    expect(kit_wake(&kit), BERTH_STOP_NONE);
    kit_close(&kit);
}

static void what_does_not_fit_stops(void** state) {
    (void)state;
    static GuardKit kit;
    open_cloud(&kit, &camera, kit_arm);
    for (int i = 0; i < KIT_POINTS; ++i) {
        kit.points[0][i] = (BerthVec3){3.0 + 0.001 * i, 0.0, 0.0};
    }
    kit.point_count[0] = KIT_POINTS;
    expect(kit_wake(&kit), BERTH_STOP_NONE);  // exactly as many as there is room for
    kit.sequence += 1;
    BerthMonitorPoints many = part_of(&kit, 0, KIT_POINTS, KIT_POINTS + 1);
    kit_say_joints(&kit);
    berth_monitor_receive_points(kit.monitor, &many);
    assert_int_equal(berth_monitor_counters(kit.monitor).overflows, 1);
    expect_latched(&kit, BERTH_STOP_OBJECT);
    const double bad[] = {NAN, INFINITY, -INFINITY, 1.1e7};
    for (int n = 0; n < 12; ++n) {
        const int at = 37 * n % KIT_POINTS;
        const BerthVec3 keep = kit.points[0][at];
        (&kit.points[0][at].x)[n % 3] = bad[n / 3];
        kit_say(&kit);
        kit.points[0][at] = keep;
        expect_latched(&kit, BERTH_STOP_VALUE);
    }
    BerthMonitorPoints wrong = part_of(&kit, 0, 1, 1);
    const int64_t before = berth_monitor_counters(kit.monitor).malformed;
    wrong.cloud = 1;
    berth_monitor_receive_points(kit.monitor, &wrong);
    wrong.cloud = -1;
    berth_monitor_receive_points(kit.monitor, &wrong);
    wrong = part_of(&kit, 3, 2, 4);
    berth_monitor_receive_points(kit.monitor, &wrong);
    wrong = part_of(&kit, INT32_MAX, 1, INT32_MAX);
    berth_monitor_receive_points(kit.monitor, &wrong);
    wrong = part_of(&kit, 0, 1, 1);
    wrong.points = NULL;
    berth_monitor_receive_points(kit.monitor, &wrong);
    wrong = part_of(&kit, 0, 1, 1);
    wrong.received = NAN;
    berth_monitor_receive_points(kit.monitor, &wrong);
    assert_int_equal(berth_monitor_counters(kit.monitor).malformed, before + 6);
    kit_close(&kit);
}

// Parts in any order, twice, or with one missing: only a whole cloud is fresh, and it is as old as its first part.
static void parts_make_a_whole(void** state) {
    (void)state;
    static GuardKit kit;
    Random random = {9};
    open_cloud(&kit, &camera, kit_arm);
    for (int i = 0; i < KIT_POINTS; ++i) {
        kit.points[0][i] = (BerthVec3){3.0, 0.001 * i, 0.0};
    }
    expect(kit_wake(&kit), BERTH_STOP_NONE);
    for (int n = 0; n < test_scaled(3000); ++n) {
        const int32_t total = 1 + (int32_t)(bi_random_next(&random) % KIT_POINTS);
        int32_t cuts[8] = {0};
        const int pieces = 1 + (int)(bi_random_next(&random) % 6);
        for (int i = 1; i < pieces; ++i) {
            cuts[i] = (int32_t)(bi_random_next(&random) % (uint64_t)(total + 1));
        }
        cuts[pieces] = total;
        for (int i = 1; i < pieces; ++i) {
            for (int k = i; k > 1 && cuts[k] < cuts[k - 1]; --k) {
                const int32_t keep = cuts[k];
                cuts[k] = cuts[k - 1];
                cuts[k - 1] = keep;
            }
        }
        const bool lose = bi_random_next(&random) % 4 == 0;
        const int lost = (int)(bi_random_next(&random) % (uint64_t)pieces);
        const int64_t before = berth_monitor_counters(kit.monitor).clouds;
        kit.sequence += 1;
        for (int i = 0; i < pieces; ++i) {
            const int at = (int)((uint64_t)(i * 5 + n) % (uint64_t)pieces);  // 5 and 2, 3, 4, 6 share nothing
            if (pieces == 5 || (lose && at == lost)) {
                continue;
            }
            const BerthMonitorPoints part = part_of(&kit, cuts[at], cuts[at + 1] - cuts[at], total);
            berth_monitor_receive_points(kit.monitor, &part);
            berth_monitor_receive_points(kit.monitor, &part);
        }
        const bool whole = pieces != 5 && !(lose && cuts[lost + 1] > cuts[lost]);
        assert_int_equal(berth_monitor_counters(kit.monitor).clouds - before, whole);
        if (whole) {
            assert_int_equal(kit.monitor->clouds_now[0].count, total);
        }
    }
    expect(kit_wake(&kit), BERTH_STOP_NONE);
    // The first half comes, the second four cycles later: six cycles after the first half it is too late.
    kit.sequence += 1;
    const BerthMonitorPoints first = part_of(&kit, 0, 10, 20);
    BerthMonitorPoints second = part_of(&kit, 10, 10, 20);
    berth_monitor_receive_points(kit.monitor, &first);
    for (int i = 0; i < 4; ++i) {
        kit_say_joints(&kit);
        expect(kit_cycle(&kit), BERTH_STOP_NONE);
    }
    second.received = kit.now;
    berth_monitor_receive_points(kit.monitor, &second);
    kit_say_joints(&kit);
    expect(kit_cycle(&kit), BERTH_STOP_NONE);
    for (int i = 0; i < 2; ++i) {
        kit_say_joints(&kit);
        (void)kit_cycle(&kit);  // five milliseconds old, or a little more
    }
    kit_say_joints(&kit);
    assert_false(kit_cycle(&kit).go);
    kit_close(&kit);
}

// Every guard against every point, one after the other.
static BerthStop brute(const GuardKit* kit, double* worst) {
    const BerthMonitor* m = kit->monitor;
    BerthStop stop = BERTH_STOP_NONE;
    *worst = INFINITY;
    for (int32_t g = 0; g < m->simple_count; ++g) {
        const BerthSimpleBody body = berth_monitor_body(m, g);
        const double reach = camera.speed * (berth_monitor_horizon(m, 0.0) + 0.25) + camera.uncertainty;
        for (int32_t i = 0; i < kit->point_count[0]; ++i) {
            const BerthShape ball = {.kind = BERTH_SPHERE, .as.sphere.radius = camera.radius};
            const BerthPose at = kit_at(kit->points[0][i]);
            const double gap = berth_shape_gap(&body.shape, &body.pose, &ball, &at).lower;
            const double required = m->safety.margin + body.buffer + reach;
            const double spare = gap - required;
            *worst = spare < *worst ? spare : *worst;
            stop = spare > 0.0 ? stop : BERTH_STOP_NEAR;
        }
    }
    return stop;
}

// Braking takes a quarter of a second here whatever the arm does: its largest speed by its deceleration.
static void nearest_points_as_by_looking_at_all(void** state) {
    (void)state;
    static GuardKit kit;
    Random random = {11};
    int64_t near = 0;
    int64_t go = 0;
    kit_open(&kit, kit_arm, NULL, false, (BerthJointLimit){1.0, 0.0, 4.0});
    kit.def.clouds = &camera;
    kit.def.cloud_count = 1;
    kit.def.good_needed = 1;
    kit.def.jump_slack = 10.0;
    kit_start(&kit);
    for (int n = 0; n < test_scaled(20000); ++n) {
        const double wide = bi_random_between(&random, 0.0, 3.0);
        const Vec3 middle = v3(bi_random_between(&random, -2, 2), bi_random_between(&random, -2, 2),
                               bi_random_between(&random, -0.5, 0.5));
        kit.point_count[0] = (int32_t)(bi_random_next(&random) % (n % 8 == 0 ? KIT_POINTS : 40));
        for (int32_t i = 0; i < kit.point_count[0]; ++i) {
            const double flat = n % 3 == 0 ? 0.0 : 1.0;
            kit.points[0][i] = v3_add(middle, v3(bi_random_between(&random, -wide, wide),
                                                 flat * bi_random_between(&random, -wide, wide),
                                                 bi_random_between(&random, -0.2, 0.2)));
        }
        kit.q[0] = bi_random_between(&random, -3.0, 3.0);
        kit.q[1] = bi_random_between(&random, -2.4, 2.4);
        berth_monitor_reset(kit.monitor);
        kit_say(&kit);
        const BerthPermit permit = kit_cycle(&kit);
        double worst = INFINITY;
        const BerthStop wanted = brute(&kit, &worst);
        if (fabs(worst) > 1e-9 && permit.reason != wanted) {
            fail_msg("case %d: %s instead of %s, %g m to spare", n, berth_stop_name(permit.reason),
                     berth_stop_name(wanted), worst);
        }
        if (wanted == BERTH_STOP_NEAR) {
            assert_true(permit.cloud == 0 && permit.body_b == -1);
            assert_true(fabs(permit.distance - permit.required - worst) < 1e-9);
        }
        near += wanted == BERTH_STOP_NEAR;
        go += permit.go;
    }
    print_message("%lld near, %lld permits\n", (long long)near, (long long)go);
    assert_true(near > 10 && go > 10);
    kit_close(&kit);
}

static void what_is_ignored_and_what_is_refused(void** state) {
    (void)state;
    static GuardKit kit;
    static const char* const names[] = {"one", "two"};
    BerthMonitorCloud cloud = camera;
    cloud.ignore = names;
    cloud.ignore_count = 1;
    open_cloud(&kit, &cloud, kit_arm);
    kit.points[0][0] = (BerthVec3){0.48, 0.0, 0.0};  // in link one, near link two
    kit.point_count[0] = 1;
    assert_int_equal(kit_wake(&kit).reason, BERTH_STOP_NEAR);
    kit.points[0][0] = (BerthVec3){0.1, 0.0, 0.0};  // in link one, far from link two
    assert_true(kit_wake(&kit).go);
    kit_close(&kit);
    cloud.ignore_count = 0;
    open_cloud(&kit, &cloud, kit_arm);
    kit.points[0][0] = (BerthVec3){0.1, 0.0, 0.0};
    kit.point_count[0] = 1;
    assert_int_equal(kit_wake(&kit).reason, BERTH_STOP_NEAR);
    kit_close(&kit);
    struct {
        double* at;
        double value;
    } wrong[] = {
        {&cloud.radius, NAN}, {&cloud.speed, -1.0}, {&cloud.uncertainty, INFINITY}, {&cloud.silence, NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        cloud = camera;
        *wrong[i].at = wrong[i].value;
        kit_open(&kit, kit_arm, NULL, false, slow);
        kit.def.clouds = &cloud;
        kit.def.cloud_count = 1;
        assert_int_equal(berth_scene_commit(kit.scene), BERTH_OK);
        assert_int_equal(berth_monitor_create(kit.scene, &kit.def, &kit.monitor), BERTH_ERR_ARGUMENT);
        kit_close(&kit);
    }
    cloud = camera;
    cloud.capacity = 0;
    kit_open(&kit, kit_arm, NULL, false, slow);
    kit.def.clouds = &cloud;
    kit.def.cloud_count = 1;
    assert_int_equal(berth_scene_commit(kit.scene), BERTH_OK);
    assert_int_equal(berth_monitor_create(kit.scene, &kit.def, &kit.monitor), BERTH_ERR_ARGUMENT);
    cloud.capacity = 5;
    cloud.ignore = names;
    cloud.ignore_count = 1;
    static const char* const nobody[] = {"nobody"};
    cloud.ignore = nobody;
    assert_int_equal(berth_monitor_create(kit.scene, &kit.def, &kit.monitor), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "nobody"));
    kit_close(&kit);
}

int test_monitor_clouds(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence_and_blindness_stop),
        cmocka_unit_test(what_does_not_fit_stops),
        cmocka_unit_test(parts_make_a_whole),
        cmocka_unit_test(nearest_points_as_by_looking_at_all),
        cmocka_unit_test(what_is_ignored_and_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
