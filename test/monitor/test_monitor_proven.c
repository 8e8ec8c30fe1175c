// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The monitor and pairs that are proven apart within joint limits: a link that passes another nearer than it can stop stops
// the arm, though they never touch; with its table it goes on, but not where its joints cannot stop before their limits, nor where the gap does not
// exceed the margin. Held against the distances of berth_check_state.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <berth/io.h>
#include <berth/monitor.h>

#include "math/math.h"
#include "support/expect.h"
#include "support/proven.h"
#include "support/setting.h"

int test_monitor_proven(void);

enum { VALUES_MAX = 16 };
static const double model_error = 0.0005;

typedef struct Arm {
    BerthRobot* robot;
    BerthScene* scene;
    BerthMonitor* monitor;
    uint64_t sequence;
} Arm;

static void arm_open(Arm* arm, BerthRobot* robot, double margin) {
    *arm = (Arm){.robot = robot};
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = robot;
    assert_int_equal(berth_scene_create(NULL, &arm->scene), BERTH_OK);
    assert_int_equal(berth_scene_add_robot(arm->scene, &def, NULL), BERTH_OK);
    for (int32_t j = 0; j < berth_robot_joint_count(robot); ++j) {
        assert_int_equal(berth_scene_set_joint_limit(arm->scene, 0, j, &(BerthJointLimit){1.0, 4.0, 8.0}),
                         BERTH_OK);
    }
    assert_int_equal(berth_scene_commit(arm->scene), BERTH_OK);

    BerthMonitorDef monitor = berth_default_monitor_def();
    monitor.safety =
        (BerthSafety){.period = 0.001, .latency = 0.001, .reaction = 0.1, .silence = 0.005, .margin = margin};
    monitor.good_needed = 1;
    monitor.jump_slack = 100.0;
    monitor.model_error = model_error;
    if (berth_monitor_create(arm->scene, &monitor, &arm->monitor) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
}

static void arm_close(Arm* arm) {
    berth_monitor_destroy(arm->monitor);
    berth_scene_destroy(arm->scene);
    berth_robot_destroy(arm->robot);
}

// A permit for an arm that stands there. What is no number in between makes it forget where the arm was.
static BerthPermit ask(Arm* arm, const double* q, double now) {
    const int32_t count = berth_scene_value_count(arm->scene);
    double still[VALUES_MAX] = {0}, none[VALUES_MAX];
    memcpy(none, q, sizeof none);
    none[0] = NAN;
    BerthMonitorMessage message = {.stream = 1,
                                   .sequence = ++arm->sequence,
                                   .stamp = NAN,
                                   .received = now,
                                   .positions = none,
                                   .velocities = still,
                                   .count = count};
    BerthPermit permit;
    berth_monitor_receive(arm->monitor, &message);
    berth_monitor_cycle(arm->monitor, now, &permit);
    message.sequence = ++arm->sequence;
    message.positions = q;
    berth_monitor_reset(arm->monitor);
    berth_monitor_receive(arm->monitor, &message);
    berth_monitor_cycle(arm->monitor, now, &permit);
    return permit;
}

// Is some pair nearer than margin and model errors?
static bool is_too_near(BerthChecker* checker, const double* q, double margin) {
    const BerthCheckRequest request = {.distance = true, .all = true};
    BerthCheckResult result;
    assert_int_equal(berth_check_state(checker, q, &request, &result), BERTH_OK);
    bool near = result.verdict == BERTH_COLLISION;
    for (int32_t i = 0; i < result.pair_count; ++i) {
        near = near || !(result.pairs[i].upper > margin + 2.0 * model_error);
    }
    return near;
}

// Returns how many permits are due to proofs.
static int64_t compare(const char* path, const char* text, double margin) {
    const BerthIoOptions options = berth_default_io_options();
    BerthRobot *with = NULL, *without = NULL;
    assert_int_equal(proven_read_file(path, text, NULL, 0, &options, &with), BERTH_OK);
    assert_int_equal(proven_read_file(path, NULL, NULL, 0, &options, &without), BERTH_OK);
    Arm proven, plain;
    arm_open(&proven, with, margin);
    arm_open(&plain, without, margin);
    BerthChecker* checker = NULL;
    const BerthCheckerDef def = berth_default_checker_def();
    assert_int_equal(berth_checker_create(plain.scene, &def, &checker), BERTH_OK);
    const int32_t count = berth_scene_value_count(plain.scene);
    assert_true(count <= VALUES_MAX);
    BerthProvenLimit limits[VALUES_MAX];
    assert_int_equal(berth_robot_limits(with, limits), count);  // all of them have some

    Random random = {91};
    int64_t more = 0, goes = 0, at_limits = 0;
    const int states = test_scaled(3000) + 100;
    for (int n = 0; n < states; ++n) {
        double q[VALUES_MAX] = {0};
        const bool edge = n % 4 == 0;  // every joint on one of its limits
        for (int32_t i = 0; i < count; ++i) {
            const double inside = bi_random_between(&random, limits[i].lower, limits[i].upper);
            q[i] = edge ? (bi_random_next(&random) % 2 == 0 ? limits[i].lower : limits[i].upper) : inside;
        }

        const bool go = ask(&proven, q, 0.001 * n).go, plain_go = ask(&plain, q, 0.001 * n).go;
        assert_true(go || !plain_go);  // a proof takes no permit away
        assert_true(!edge || go == plain_go);
        assert_false(go && is_too_near(checker, q, margin));
        more += go && !plain_go;
        goes += go;
        at_limits += edge && plain_go;
    }

    print_message(
        "report margin %g: %d pairs proven; %lld of %d permits, %lld of them by proofs, %lld on limits\n",
        margin, (int)berth_monitor_proven_count(proven.monitor), (long long)goes, states, (long long)more,
        (long long)at_limits);
    assert_int_equal(berth_monitor_proven_count(plain.monitor), 0);
    berth_checker_destroy(checker);
    arm_close(&proven);
    arm_close(&plain);
    return more;
}

// A ball that goes round the base at the end of two turns and passes it at 6 mm: nearer than it can stop, and never nearer
// than that.
#define ROUND                                                                                             \
    "<robot name='r'>"                                                                                    \
    "<link name='base'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"         \
    "<link name='arm'><collision><origin xyz='0.5 0 0'/><geometry><sphere radius='0.05'/></geometry>"     \
    "</collision></link>"                                                                                 \
    "<link name='back'><collision><origin xyz='-0.344 0 0'/><geometry><sphere radius='0.05'/></geometry>" \
    "</collision></link>"                                                                                 \
    "<joint name='j1' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>"        \
    "<limit lower='-2' upper='2' velocity='1' effort='1'/></joint>"                                       \
    "<joint name='j2' type='revolute'><parent link='arm'/><child link='back'/><origin xyz='0.5 0 0'/>"    \
    "<axis xyz='0 0 1'/><limit lower='-0.4' upper='0.4' velocity='1' effort='1'/></joint></robot>"

static void proofs_hold_away_from_limits(void** state) {
    (void)state;
    const char* path = expect_written("round.urdf", ROUND);
    const BerthIoOptions options = berth_default_io_options();
    BerthRobot* plain = NULL;
    assert_int_equal(proven_read_file(path, NULL, NULL, 0, &options, &plain), BERTH_OK);

    ProvenSheet* sheet = malloc(sizeof *sheet);
    assert_non_null(sheet);
    proven_make(plain, sheet);
    assert_int_equal(sheet->table.pair_count, 1);
    assert_true(sheet->pairs[0].gap > 0.005 && sheet->pairs[0].gap <= 0.006);
    char* text = proven_text(sheet);
    berth_robot_destroy(plain);

    assert_true(compare(path, text, 0.002) > 0);
    assert_int_equal(compare(path, text, 0.0055), 0);  // with the model errors more than the gap
    free(text);
    free(sheet);
}

int test_monitor_proven(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proofs_hold_away_from_limits),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
