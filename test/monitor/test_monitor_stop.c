// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Arms that do what a wild hand tells them, under the guard: messages come late, in disorder, or not at all; a permit that is
// gone is noticed, brakes bite after the reaction time, and until then the arms do their worst. Whatever happens, nothing touches.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <berth/io.h>
#include <berth/monitor.h>

#include "math/math.h"
#include "support/program.h"
#include "support/setting.h"

enum { VALUES_MAX = 32, MAIL_MAX = 64 };

/// A message under way.
typedef struct Mail {
    double arrives;
    uint64_t sequence;
    double position[VALUES_MAX], velocity[VALUES_MAX];
    bool used;
} Mail;

typedef struct Arms {
    BerthScene* scene;
    BerthMonitor* monitor;
    BerthChecker* checker;
    Random random;
    BerthSafety safety;
    int32_t count;
    double velocity, acceleration, deceleration;
    double q[VALUES_MAX], qd[VALUES_MAX], wish[VALUES_MAX];
    double low[VALUES_MAX], high[VALUES_MAX];
    Mail mail[MAIL_MAX];
    uint64_t stream, sequence;
    double now, valid_until, lost_since;
    int64_t near_stops, checks, go_cycles;
    bool tell_speeds;
} Arms;

static double between(Arms* a, double low, double high) {
    return bi_random_between(&a->random, low, high);
}

static void open_arms(Arms* a, const char* cell, bool tell_speeds, bool refine, uint64_t seed) {
    memset(a, 0, sizeof *a);
    a->random.state = seed;
    a->tell_speeds = tell_speeds;
    const BerthIoOptions options = berth_default_io_options();
    assert_int_equal(berth_io_read_scene(program_model(cell), &options, &a->scene), BERTH_OK);
    a->count = berth_scene_value_count(a->scene);
    assert_true(a->count <= VALUES_MAX);
    a->velocity = 1.5;
    a->acceleration = 6.0;
    a->deceleration = 8.0;
    a->safety =
        (BerthSafety){.period = 0.004, .latency = 0.006, .reaction = 0.01, .silence = 0.02, .margin = 0.0};
    int32_t value = 0;
    for (int32_t r = 0; r < berth_scene_robot_count(a->scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(a->scene, r, NULL, NULL);
        for (int32_t j = 0; j < berth_robot_joint_count(robot); ++j) {
            const BerthJointInfo info = berth_robot_joint(robot, j);
            const BerthJointLimit limit = {a->velocity, a->acceleration, a->deceleration};
            assert_int_equal(berth_scene_set_joint_limit(a->scene, r, j, &limit), BERTH_OK);
            for (int32_t k = 0; k < info.value_count; ++k, ++value) {
                a->low[value] = info.has_limits ? info.lower : -3.0;
                a->high[value] = info.has_limits ? info.upper : 3.0;
            }
        }
    }
    assert_int_equal(value, a->count);
    BerthMonitorDef def = berth_default_monitor_def();
    def.safety = a->safety;
    def.good_needed = 2;
    def.refine = refine;
    const BerthStatus status = berth_monitor_create(a->scene, &def, &a->monitor);
    if (status != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    const BerthCheckerDef checker = berth_default_checker_def();
    assert_int_equal(berth_checker_create(a->scene, &checker, &a->checker), BERTH_OK);
}

static void close_arms(Arms* a) {
    berth_checker_destroy(a->checker);
    berth_monitor_destroy(a->monitor);
    berth_scene_destroy(a->scene);
}

static BerthVerdict verdict_of(Arms* a) {
    const BerthCheckRequest request = {0};
    BerthCheckResult result;
    a->checks += 1;
    assert_int_equal(berth_check_state(a->checker, a->q, &request, &result), BERTH_OK);
    return result.verdict;
}

// Somewhere free, at rest: a new run of the senders.
static void begin_run(Arms* a) {
    do {
        for (int32_t i = 0; i < a->count; ++i) {
            a->q[i] = between(a, a->low[i], a->high[i]);
            a->qd[i] = 0.0;
        }
    } while (verdict_of(a) != BERTH_FREE);
    a->stream += 1;
    memset(a->mail, 0, sizeof a->mail);
    a->valid_until = a->now - 1.0;
    a->lost_since = a->now - 1.0;
}

static void send_mail(Arms* a) {
    a->sequence += 1;
    if (between(a, 0, 1) < 0.15) {
        return;  // lost
    }
    for (int i = 0; i < MAIL_MAX; ++i) {
        Mail* mail = &a->mail[i];
        if (!mail->used) {
            mail->used = true;
            mail->sequence = a->sequence;
            mail->arrives = a->now + between(a, 0.0, a->safety.latency);
            memcpy(mail->position, a->q, sizeof mail->position);
            memcpy(mail->velocity, a->qd, sizeof mail->velocity);
            return;
        }
    }
}

static void deliver_mail(Arms* a) {
    for (int i = 0; i < MAIL_MAX; ++i) {
        Mail* mail = &a->mail[i];
        if (mail->used && mail->arrives <= a->now) {
            const BerthMonitorMessage message = {.stream = a->stream,
                                                 .sequence = mail->sequence,
                                                 .stamp = NAN,
                                                 .received = mail->arrives,
                                                 .positions = mail->position,
                                                 .velocities = a->tell_speeds ? mail->velocity : NULL,
                                                 .count = a->count};
            berth_monitor_receive(a->monitor, &message);
            mail->used = false;
        }
    }
}

static void think(Arms* a) {
    BerthPermit permit;
    berth_monitor_cycle(a->monitor, a->now, &permit);
    berth_monitor_seal(a->monitor, a->now + between(a, 0.0, a->safety.period), &permit);
    if (permit.go) {
        a->valid_until = permit.valid_until;
        a->go_cycles += 1;
    } else {
        // STOP is said at the end of the cycle at the latest, and revokes.
        a->valid_until = fmin(a->valid_until, a->now + a->safety.period);
    }
    a->near_stops += permit.reason == BERTH_STOP_NEAR;
}

// What the arms do in `step` seconds.
static void move(Arms* a, double step) {
    const bool permitted = a->now <= a->valid_until;
    a->lost_since = permitted ? a->now : a->lost_since;
    const bool brakes = a->now - a->lost_since > a->safety.reaction;
    for (int32_t i = 0; i < a->count; ++i) {
        double wish = a->wish[i];
        // Ends of travel are the arm's own business: it brakes in time.
        const double room = wish > 0.0 ? a->high[i] - a->q[i] : a->q[i] - a->low[i];
        if (room < a->velocity * a->velocity / (2.0 * a->acceleration) + 0.05) {
            wish = 0.0;
        }
        const double change = (brakes ? a->deceleration : a->acceleration) * step;
        const double target = brakes ? 0.0 : wish;
        a->qd[i] = target > a->qd[i] ? fmin(target, a->qd[i] + change) : fmax(target, a->qd[i] - change);
        a->q[i] += a->qd[i] * step;
        a->q[i] = fmin(fmax(a->q[i], a->low[i]), a->high[i]);
    }
}

static void new_wish(Arms* a) {
    const bool fast = between(a, 0, 1) < 0.7;
    for (int32_t i = 0; i < a->count; ++i) {
        a->wish[i] = fast ? (between(a, 0, 1) < 0.5 ? -a->velocity : a->velocity)
                          : between(a, -a->velocity, a->velocity);
    }
}

static void run_arms(const char* cell, bool tell_speeds, bool refine, int runs, int64_t* near_stops,
                     int64_t* go_cycles) {
    static Arms a;
    open_arms(&a, cell, tell_speeds, refine, 31);
    const int steps = 4;
    for (int run = 0; run < runs; ++run) {
        begin_run(&a);
        for (int cycle = 0; cycle < 400; ++cycle) {
            if (cycle % 80 == 0) {
                new_wish(&a);
            }
            if (cycle % 40 == 3) {
                berth_monitor_reset(a.monitor);
            }
            send_mail(&a);
            for (int k = 0; k < steps; ++k) {
                deliver_mail(&a);
                if (k == 0) {
                    think(&a);
                }
                move(&a, a.safety.period / steps);
                a.now += a.safety.period / steps;
            }
            if (cycle % 3 == 0 && verdict_of(&a) == BERTH_COLLISION) {
                fail_msg("%s, speeds %stold: run %d, cycle %d: the arms touch", cell,
                         tell_speeds ? "" : "not ", run, cycle);
            }
        }
    }
    *near_stops += a.near_stops;
    *go_cycles += a.go_cycles;
    close_arms(&a);
}

// ---- a cart that goes where it likes -------------------------------------------------------------------------

static const double CART_SPEED = 0.6;

/// A box that moves by itself among the arms, and where it truly is: in a scene of its own, which the monitor does not see.
typedef struct Cart {
    BerthScene* truth;
    BerthObjectId id, true_id;
    Vec3 at, goal;
    uint64_t sequence;
    struct {
        double arrives;
        uint64_t sequence;
        Vec3 at;
        bool used;
    } mail[MAIL_MAX];
} Cart;

static BerthObjectId add_cart(BerthScene* scene, bool moving) {
    BerthShape box;
    BerthObjectDef def = berth_default_object_def();
    BerthObjectId id = {0, 0};
    assert_int_equal(berth_shape_box((BerthVec3){0.15, 0.2, 0.25}, &box), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&box, NULL, &def.solid), BERTH_OK);
    def.name = "cart";
    def.pose.t = (BerthVec3){0.0, 0.0, 3.0};
    def.moving = moving;
    def.speed = moving ? CART_SPEED : 0.0;
    assert_int_equal(berth_scene_add_object(scene, &def, &id), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    return id;
}

static BerthPose cart_pose(Vec3 at) {
    BerthPose pose = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    pose.t = (BerthVec3){at.x, at.y, at.z};
    return pose;
}

static void send_cart(Arms* a, Cart* cart) {
    cart->sequence += 1;
    for (int i = 0; i < MAIL_MAX && between(a, 0, 1) > 0.15; ++i) {
        if (!cart->mail[i].used) {
            cart->mail[i].used = true;
            cart->mail[i].arrives = a->now + between(a, 0.0, a->safety.latency);
            cart->mail[i].sequence = cart->sequence;
            cart->mail[i].at = cart->at;
            return;
        }
    }
}

static void deliver_cart(Arms* a, Cart* cart) {
    for (int i = 0; i < MAIL_MAX; ++i) {
        if (cart->mail[i].used && cart->mail[i].arrives <= a->now) {
            const BerthMonitorPose message = {.object = cart->id,
                                              .stream = a->stream,
                                              .sequence = cart->mail[i].sequence,
                                              .stamp = NAN,
                                              .received = cart->mail[i].arrives,
                                              .pose = cart_pose(cart->mail[i].at)};
            berth_monitor_receive_pose(a->monitor, &message);
            cart->mail[i].used = false;
        }
    }
}

static void move_cart(Arms* a, Cart* cart, double step) {
    const Vec3 way = v3_sub(cart->goal, cart->at);
    if (v3_length(way) < 0.02) {
        cart->goal = v3(between(a, -1.0, 1.0), between(a, -1.0, 1.0), between(a, 0.3, 1.6));
    }
    cart->at = v3_mad(cart->at, CART_SPEED * step, v3_unit_or(way, v3(1, 0, 0)));
}

static bool arms_move(const Arms* a) {
    double fastest = 0.0;
    for (int32_t i = 0; i < a->count; ++i) {
        fastest = fmax(fastest, fabs(a->qd[i]));
    }
    return fastest > 1e-9;
}

// Does the cart touch an arm, where both truly are?
static bool cart_touches(const Arms* a, Cart* cart) {
    const BerthPose pose = cart_pose(cart->at);
    const BerthCheckerDef def = berth_default_checker_def();
    const BerthCheckRequest request = {.all = true};
    BerthCheckResult result;
    BerthChecker* checker = NULL;
    assert_int_equal(berth_scene_set_object_pose(cart->truth, cart->true_id, &pose), BERTH_OK);
    assert_int_equal(berth_scene_commit(cart->truth), BERTH_OK);
    assert_int_equal(berth_checker_create(cart->truth, &def, &checker), BERTH_OK);
    assert_int_equal(berth_check_state(checker, a->q, &request, &result), BERTH_OK);
    const int32_t body = berth_scene_object_body(cart->truth, cart->true_id);
    bool touches = false;
    for (int32_t i = 0; i < result.hit_count; ++i) {
        touches = touches || result.hits[i].body_a == body || result.hits[i].body_b == body;
    }
    berth_checker_destroy(checker);
    return touches;
}

static void run_cart(Arms* a, Cart* cart, int64_t* stood) {
    begin_run(a);
    memset(cart->mail, 0, sizeof cart->mail);
    do {
        cart->at = v3(between(a, -1.5, 1.5), between(a, -1.5, 1.5), between(a, 0.3, 2.0));
    } while (cart_touches(a, cart));
    for (int cycle = 0; cycle < 500; ++cycle) {
        if (cycle % 80 == 0) {
            new_wish(a);
        }
        if (cycle % 40 == 3) {
            berth_monitor_reset(a->monitor);
        }
        send_mail(a);
        send_cart(a, cart);
        for (int k = 0; k < 4; ++k) {
            deliver_mail(a);
            deliver_cart(a, cart);
            if (k == 0) {
                think(a);
            }
            move(a, a->safety.period / 4);
            move_cart(a, cart, a->safety.period / 4);
            a->now += a->safety.period / 4;
        }
        if (cycle % 4 == 0 && cart_touches(a, cart)) {
            if (arms_move(a)) {
                fail_msg("cycle %d: the cart touches an arm that still moves", cycle);
            }
            *stood += 1;  // it drove into an arm that stands: nobody but the cart could help that
            return;
        }
    }
}

static void carts_touch_standing_arms_only(void** state) {
    (void)state;
    static Arms a;
    static Cart cart;
    int64_t stood = 0;
    open_arms(&a, "two_arms/cell.yaml", true, false, 57);
    berth_monitor_destroy(a.monitor);
    berth_checker_destroy(a.checker);
    memset(&cart, 0, sizeof cart);
    cart.id = add_cart(a.scene, true);
    const BerthIoOptions options = berth_default_io_options();
    assert_int_equal(berth_io_read_scene(program_model("two_arms/cell.yaml"), &options, &cart.truth),
                     BERTH_OK);
    cart.true_id = add_cart(cart.truth, false);
    BerthMonitorDef def = berth_default_monitor_def();
    def.safety = a.safety;
    def.good_needed = 2;
    assert_int_equal(berth_monitor_create(a.scene, &def, &a.monitor), BERTH_OK);
    const BerthCheckerDef checker = berth_default_checker_def();
    assert_int_equal(berth_checker_create(a.scene, &checker, &a.checker), BERTH_OK);
    for (int run = 0; run < test_scaled(30); ++run) {
        run_cart(&a, &cart, &stood);
    }
    print_message("%lld cycles with a permit, %lld times a cart drove into a standing arm\n",
                  (long long)a.go_cycles, (long long)stood);
    assert_true(a.go_cycles > 0 && (stood > 0 || test_scaled(30) < 30));
    berth_scene_destroy(cart.truth);
    close_arms(&a);
}

static void nothing_ever_touches(void** state) {
    (void)state;
    int64_t near_stops = 0;
    int64_t go_cycles = 0;
    run_arms("two_arms/cell.yaml", true, false, test_scaled(12), &near_stops, &go_cycles);
    run_arms("two_arms/cell.yaml", true, true, test_scaled(8), &near_stops, &go_cycles);
    run_arms("two_arms/cell.yaml", false, false, test_scaled(6), &near_stops, &go_cycles);
    print_message("%lld cycles with a permit, %lld stops for nearness\n", (long long)go_cycles,
                  (long long)near_stops);
    assert_true(go_cycles > 100 && near_stops > 100);
}

int test_monitor_stop(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_ever_touches),
        cmocka_unit_test(carts_touch_standing_arms_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
