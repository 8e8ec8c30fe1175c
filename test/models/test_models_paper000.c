// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The three tasks of paper 000 have their cycles, keep the arms' limits, and run as they are told there: the first one clean, the
// second until the left arm is in the table, the third until the right one is. Under the guard the first has its permit in
// every cycle; the others lose it early enough that arms which then brake touch nothing.

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <berth/berth.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/program.h"

enum { VALUES = 14 };

#define ROW_SECONDS 0.03
#define BRAKING 20.0  // rad/s^2, as testbed.yaml says

typedef struct Replay {
    BerthScene* scene;
    BerthTrajectory rows;
    BerthMonitor* monitor;
    BerthChecker* checker;
} Replay;

static Replay open_replay(int task) {
    Replay r = {0};
    char name[64];
    snprintf(name, sizeof name, "two_arms/task%d.csv", task);
    const BerthIoOptions options = berth_default_io_options();
    assert_int_equal(berth_io_read_scene(program_model("two_arms/testbed.yaml"), &options, &r.scene),
                     BERTH_OK);
    if (berth_io_read_trajectory(program_model(name), r.scene, &options, &r.rows) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    BerthMonitorDef def = berth_default_monitor_def();
    def.valid_for = ROW_SECONDS;
    def.good_needed = 1;
    if (berth_monitor_create(r.scene, &def, &r.monitor) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    const BerthCheckerDef checker = berth_default_checker_def();
    assert_int_equal(berth_checker_create(r.scene, &checker, &r.checker), BERTH_OK);
    assert_int_equal(r.rows.value_count, VALUES);
    return r;
}

static void close_replay(Replay* r) {
    berth_io_free_trajectory(&r->rows);
    berth_checker_destroy(r->checker);
    berth_monitor_destroy(r->monitor);
    berth_scene_destroy(r->scene);
}

static BerthVerdict verdict_at(Replay* r, const double* values) {
    const BerthCheckRequest request = {0};
    BerthCheckResult result;
    assert_int_equal(berth_check_state(r->checker, values, &request, &result), BERTH_OK);
    return result.verdict;
}

static BerthPermit run_row(Replay* r, int row) {
    const double now = r->rows.times[row];
    const BerthMonitorMessage message = {.sequence = (uint64_t)row + 1,
                                         .stream = 1,
                                         .stamp = NAN,
                                         .received = now,
                                         .positions = r->rows.positions + (size_t)row * VALUES,
                                         .velocities = r->rows.velocities + (size_t)row * VALUES,
                                         .count = VALUES};
    berth_monitor_receive(r->monitor, &message);
    BerthPermit permit;
    berth_monitor_cycle(r->monitor, now, &permit);
    berth_monitor_seal(r->monitor, now + 0.001, &permit);
    return permit;
}

// The permit of this row did not come: the last one ends after a cycle, the arms go on for the reaction time and then brake.
static void stops_untouched(Replay* r, int row) {
    const double* now = r->rows.positions + (size_t)row * VALUES;
    const double* speed = r->rows.velocities + (size_t)row * VALUES;
    const double last[] = {0.0, ROW_SECONDS, ROW_SECONDS + 0.015, ROW_SECONDS + 0.015 + 0.002};
    double values[VALUES];
    for (size_t k = 0; k < sizeof last / sizeof last[0]; ++k) {
        for (int i = 0; i < VALUES; ++i) {
            values[i] = now[i] + speed[i] * last[k] + copysign(0.5 * speed[i] * speed[i] / BRAKING, speed[i]);
        }
        assert_int_equal(verdict_at(r, values), BERTH_FREE);
    }
}

/// Where a task ends by itself, and where the guard ends it.
typedef struct Outcome {
    int first_hit;   // row, or -1
    int first_stop;  // row, or -1
    BerthPermit stop;
} Outcome;

static Outcome run_task(Replay* r) {
    Outcome out = {.first_hit = -1, .first_stop = -1};
    berth_monitor_reset(r->monitor);
    for (int row = 0; row < r->rows.row_count; ++row) {
        const BerthVerdict verdict = verdict_at(r, r->rows.positions + (size_t)row * VALUES);
        assert_int_not_equal(verdict, BERTH_UNKNOWN);
        const BerthPermit permit = run_row(r, row);
        out.first_hit = out.first_hit < 0 && verdict == BERTH_COLLISION ? row : out.first_hit;
        if (!permit.go && out.first_stop < 0) {
            out.first_stop = row;
            out.stop = permit;
        }
    }
    return out;
}

static void limits_are_kept(void** state) {
    (void)state;
    static const int rows[] = {1000, 150, 2000};
    for (int task = 1; task <= 3; ++task) {
        Replay r = open_replay(task);
        assert_int_equal(r.rows.row_count, rows[task - 1]);
        assert_non_null(r.rows.times);
        assert_non_null(r.rows.velocities);
        int32_t value = 0;
        for (int32_t arm = 0; arm < 2; ++arm) {
            const BerthRobot* robot = berth_scene_robot(r.scene, arm, NULL, NULL);
            for (int32_t j = 0; j < berth_robot_joint_count(robot); ++j, ++value) {
                const BerthJointInfo info = berth_robot_joint(robot, j);
                for (int row = 0; row < r.rows.row_count; ++row) {
                    const double q = r.rows.positions[row * VALUES + value];
                    const double v = r.rows.velocities[row * VALUES + value];
                    assert_true(q >= info.lower && q <= info.upper && fabs(v) <= info.velocity);
                    if (row > 0) {
                        // Velocities are the motion's own: the trapezoid rule finds its steps again.
                        const double before = r.rows.velocities[(row - 1) * VALUES + value];
                        const double step = q - r.rows.positions[(row - 1) * VALUES + value];
                        assert_true(fabs(step - 0.5 * (v + before) * ROW_SECONDS) < 2e-5);
                        assert_true(fabs(v - before) <= 1.0 * ROW_SECONDS);
                    }
                }
            }
        }
        assert_int_equal(value, VALUES);
        close_replay(&r);
    }
}

static void first_task_runs_clean(void** state) {
    (void)state;
    Replay r = open_replay(1);
    const Outcome out = run_task(&r);
    if (out.first_stop >= 0) {
        fail_msg("row %d: %s, %.1f of %.1f mm", out.first_stop, berth_stop_name(out.stop.reason),
                 out.stop.distance * 1e3, out.stop.required * 1e3);
    }
    assert_int_equal(out.first_hit, -1);
    assert_int_equal(berth_monitor_counters(r.monitor).permits, r.rows.row_count);
    close_replay(&r);
}

static void collides_and_is_stopped(int task, const char* link) {
    Replay r = open_replay(task);
    const Outcome out = run_task(&r);
    assert_true(out.first_hit > 0);
    assert_true(out.first_stop > 0 && out.first_stop < out.first_hit);
    assert_int_equal(out.stop.reason, BERTH_STOP_NEAR);
    assert_string_equal(berth_scene_body_name(r.scene, out.stop.body_a), link);
    assert_string_equal(berth_scene_body_name(r.scene, out.stop.body_b), "front_table");
    assert_true(out.stop.distance > 0.0 && out.stop.distance <= out.stop.required);
    assert_true(out.stop.approach > 0.0);
    stops_untouched(&r, out.first_stop);
    // Not before it has to: at full stretch and speed the buffer is the paper's 1 to 3 in and what it leaves out.
    assert_true(out.stop.required < 0.12);
    print_message("task %d: in contact at row %d, stopped at row %d, %.1f mm before it\n", task,
                  out.first_hit, out.first_stop, out.stop.distance * 1e3);
    close_replay(&r);
}

static void second_task_ends_before_the_table(void** state) {
    (void)state;
    collides_and_is_stopped(2, "left/link7");
}

static void third_task_ends_before_the_table(void** state) {
    (void)state;
    collides_and_is_stopped(3, "right/link7");
}

int test_models_paper000(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(first_task_runs_clean),
        cmocka_unit_test(second_task_ends_before_the_table),
        cmocka_unit_test(third_task_ends_before_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
