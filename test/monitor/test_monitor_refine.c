// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The exact second look, on two Pandas that stand close: held against the distances of berth_check_state, it never permits what is
// nearer than it must be, and does not cry wolf where everything is far enough apart.
// test-share: 0.25

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <berth/io.h>
#include <berth/monitor.h>

#include "math/math.h"
#include "support/setting.h"

enum { VALUES_MAX = 32, BODIES_MAX = 64 };

typedef struct Pandas {
    BerthScene* scene;
    BerthChecker* checker;
    BerthMonitor* monitor;
    int32_t count, bodies;
    double q[VALUES_MAX], still[VALUES_MAX], low[VALUES_MAX], high[VALUES_MAX];
    uint64_t sequence;
    double now;
} Pandas;

static const BerthSafety safety = {
    .period = 0.001, .latency = 0.001, .reaction = 0.004, .silence = 0.005, .margin = 0.002};

static bool read_pandas(Pandas* p) {
#define PANDAS "robots/moveit_resources_dual_arm_panda_moveit_config/config/"
    char urdf[1024];
    char srdf[1024];
    memset(p, 0, sizeof *p);
    if (!test_shared_path(urdf, sizeof urdf, PANDAS "dual_panda_close.urdf") ||
        !test_shared_path(srdf, sizeof srdf, PANDAS "panda.srdf")) {
        return false;
    }
    BerthIoOptions options = berth_default_io_options();
    options.srdf = srdf;
    if (berth_io_read_scene(urdf, &options, &p->scene) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    p->count = berth_scene_value_count(p->scene);
    assert_true(p->count <= VALUES_MAX);
    const BerthRobot* robot = berth_scene_robot(p->scene, 0, NULL, NULL);
    for (int32_t j = 0; j < berth_robot_joint_count(robot); ++j) {
        const BerthJointInfo info = berth_robot_joint(robot, j);
        assert_int_equal(berth_scene_set_joint_limit(p->scene, 0, j, &(BerthJointLimit){1.0, 4.0, 8.0}),
                         BERTH_OK);
        for (int32_t k = 0; info.first_value >= 0 && k < info.value_count; ++k) {
            p->low[info.first_value + k] = info.has_limits ? info.lower : -3.0;
            p->high[info.first_value + k] = info.has_limits ? info.upper : 3.0;
        }
    }
    const BerthCheckerDef checker = berth_default_checker_def();
    assert_int_equal(berth_checker_create(p->scene, &checker, &p->checker), BERTH_OK);
    p->bodies = berth_scene_body_count(p->scene);
    assert_true(p->bodies <= BODIES_MAX);
    return true;
}

static BerthMonitor* make_monitor(const Pandas* p, bool refine, int32_t nodes, bool (*stop)(void*)) {
    BerthMonitorDef def = berth_default_monitor_def();
    BerthMonitor* monitor = NULL;
    def.safety = safety;
    def.good_needed = 1;
    def.jump_slack = 100.0;
    def.model_error = 0.0005;
    def.refine = refine;
    def.refine_nodes = nodes < 20000 ? nodes : 20000;
    def.refine_cycle_nodes = nodes;
    def.refine_stop = stop;
    if (berth_monitor_create(p->scene, &def, &monitor) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return monitor;
}

// A value that is none: where the arms were is forgotten, and the leap to the next state is not seen as a speed.
static void forget(Pandas* p, BerthMonitor* monitor) {
    const double kept = p->q[0];
    const BerthMonitorMessage message = {.stream = 1,
                                         .sequence = ++p->sequence,
                                         .stamp = NAN,
                                         .received = p->now,
                                         .positions = p->q,
                                         .count = p->count};
    BerthPermit ignored;
    p->q[0] = NAN;
    berth_monitor_receive(monitor, &message);
    p->q[0] = kept;
    berth_monitor_cycle(monitor, p->now, &ignored);
}

static BerthPermit ask(Pandas* p, BerthMonitor* monitor) {
    forget(p, monitor);
    const BerthMonitorMessage message = {.stream = 1,
                                         .sequence = ++p->sequence,
                                         .stamp = NAN,
                                         .received = p->now,
                                         .positions = p->q,
                                         .velocities = p->still,
                                         .count = p->count};
    BerthPermit permit;
    berth_monitor_reset(monitor);
    berth_monitor_receive(monitor, &message);
    berth_monitor_cycle(monitor, p->now, &permit);
    return permit;
}

static void next_state(Pandas* p, Random* random) {
    // Half of the states near the last one, so that the arms stay close to each other.
    const bool small = bi_random_next(random) % 2 == 0;
    for (int32_t i = 0; i < p->count; ++i) {
        const double wide = p->high[i] - p->low[i];
        const double to = small ? p->q[i] + bi_random_between(random, -0.1, 0.1) * wide
                                : bi_random_between(random, p->low[i], p->high[i]);
        p->q[i] = fmin(fmax(to, p->low[i]), p->high[i]);
    }
    p->now += 0.001;
}

/// What a state is, by the distances of its pairs.
typedef struct Truth {
    bool may_go;   ///< no pair is proven nearer than margin and model errors
    bool must_go;  ///< every pair is further apart than its buffers could ever ask for
} Truth;

static Truth truth_of(Pandas* p, const BerthMonitor* monitor) {
    double reach[BODIES_MAX] = {0.0};
    for (int32_t i = 0; i < berth_monitor_body_count(monitor); ++i) {
        const BerthSimpleBody body = berth_monitor_body(monitor, i);
        reach[body.body] = fmax(reach[body.body], body.buffer);
    }
    const BerthCheckRequest request = {.distance = true, .all = true};
    BerthCheckResult result;
    assert_int_equal(berth_check_state(p->checker, p->q, &request, &result), BERTH_OK);
    Truth truth = {result.verdict != BERTH_COLLISION, result.verdict == BERTH_FREE};
    const double least = safety.margin + 2 * 0.0005;
    for (int32_t i = 0; i < result.pair_count; ++i) {
        const BerthPairGap* pair = &result.pairs[i];
        truth.may_go = truth.may_go && pair->upper > least;
        truth.must_go =
            truth.must_go && pair->lower > (least + reach[pair->body_a] + reach[pair->body_b]) * (1 + 1e-9);
    }
    return truth;
}

// Both tests ask the same monitor without a second look: covering the robots takes a second or two.
static Pandas pandas;
static BerthMonitor* plain_monitor;

static int open_pandas(void** state) {
    (void)state;
    if (read_pandas(&pandas)) {
        plain_monitor = make_monitor(&pandas, false, 20000, NULL);
    }
    return 0;
}

static int close_pandas(void** state) {
    (void)state;
    berth_monitor_destroy(plain_monitor);
    berth_checker_destroy(pandas.checker);
    berth_scene_destroy(pandas.scene);
    return 0;
}

static void meshes_decide(void** state) {
    (void)state;
    if (plain_monitor == NULL) {
        TEST_SKIP("the folder of shared robots is not there");
    }
    Pandas* p = &pandas;
    BerthMonitor* plain = plain_monitor;
    BerthMonitor* fine = make_monitor(p, true, 1 << 24, NULL);
    BerthMonitor* poor = make_monitor(p, true, 60, NULL);
    Random random = {2};
    int64_t plain_go = 0;
    int64_t fine_go = 0;
    int64_t poor_go = 0;
    int64_t must = 0;
    for (int n = 0; n < test_scaled(100); ++n) {
        next_state(p, &random);
        const bool goes[3] = {ask(p, plain).go, ask(p, fine).go, ask(p, poor).go};
        const Truth truth = truth_of(p, fine);
        if ((goes[0] || goes[1] || goes[2]) && !truth.may_go) {
            fail_msg("state %d: a permit (%d %d %d), and something is nearer than it may be", n, goes[0],
                     goes[1], goes[2]);
        }
        if (truth.must_go && !goes[1]) {
            fail_msg("state %d: it cries wolf", n);
        }
        assert_true(goes[1] || !goes[0]);  // a second look takes no permit away
        assert_true(goes[1] || !goes[2]);
        plain_go += goes[0];
        fine_go += goes[1];
        poor_go += goes[2];
        must += truth.must_go;
    }
    const BerthMonitorCounters c = berth_monitor_counters(fine);
    const BerthMonitorCounters few = berth_monitor_counters(poor);
    print_message(
        "permits: %lld by capsules, %lld by meshes (%lld pairs asked, %lld far enough), %lld with few nodes "
        "(%lld pairs had none); %lld states are surely good\n",
        (long long)plain_go, (long long)fine_go, (long long)c.refined, (long long)c.refined_free,
        (long long)poor_go, (long long)few.refine_spent, (long long)must);
    assert_true(poor_go <= fine_go);
    // So that the test could fail; few states need not hold one of each.
    assert_true(!test_is_whole() || (fine_go > plain_go && must > 0 && few.refine_spent > 0));
    berth_monitor_destroy(fine);
    berth_monitor_destroy(poor);
}

static bool always(void* user) {
    (void)user;
    return true;
}

static void no_time_is_no_second_look(void** state) {
    (void)state;
    if (plain_monitor == NULL) {
        TEST_SKIP("the folder of shared robots is not there");
    }
    Pandas* p = &pandas;
    BerthMonitor* plain = plain_monitor;
    BerthMonitor* hurried = make_monitor(p, true, 20000, always);
    Random random = {2};
    for (int n = 0; n < test_scaled(30); ++n) {
        next_state(p, &random);
        assert_int_equal(ask(p, plain).go, ask(p, hurried).go);
    }
    const BerthMonitorCounters c = berth_monitor_counters(hurried);
    assert_true(c.refine_spent == c.refined && c.refined_free == 0);
    assert_true(!test_is_whole() || c.refined > 0);
    berth_monitor_destroy(hurried);
}

int test_monitor_refine(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_decide),
        cmocka_unit_test(no_time_is_no_second_look),
    };
    return cmocka_run_group_tests(tests, open_pandas, close_pandas);
}
