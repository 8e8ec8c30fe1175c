// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A laboratory of faults in simulated time (docs/reference/safety.md): an arm, a cart, a person, a sensor and a gripper are told about, and now and
// then something is wrong. An oracle keeps its own account of what was sent, by what was done to it and not by looking at it; a
// permit that it would not give fails, and so does a STOP that it cannot explain.

#include <berth/lab/monitor.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/math.h"
#include "support/guard.h"
#include "support/setting.h"

/// Who can be silent or wrong.
enum { JOINTS, CART, PERSON, CAMERA, GRIPPER, CHANNELS };
enum { HISTORY = 64, GOOD_NEEDED = 3 };
static const double SILENCE[CHANNELS] = {0.005, 0.005, 0.005, 0.02, 0.03};

/// What the oracle knows of a channel.
typedef struct Account {
    uint64_t stream, sequence;  ///< the newest that was sent well
    double received;            ///< of the newest good message; -infinity: none
    int good;                   ///< since the last reset
    int mute;                   ///< cycles that it will still be silent
    bool future;
    uint64_t old[HISTORY];  ///< sequences that were sent
    int old_count;
} Account;

typedef struct Lab {
    GuardKit kit;
    Random random;
    Account channels[CHANNELS];
    bool asked;    ///< for permits, since the last fault
    bool broken;   ///< something was wrong since then
    bool running;  ///< permits were given, and nothing was wrong since
    int64_t faults, permits, stops, by_kind[64];
} Lab;

static uint64_t pick(Lab* lab, uint64_t count) {
    return bi_random_next(&lab->random) % count;
}

// ---- well-formed messages, through the bytes of the wire -----------------------------------------------------

static void hear_wire(Lab* lab, const BerthWireMessage* m, double received) {
    GuardKit* kit = &lab->kit;
    if (m->kind == BERTH_WIRE_STATE) {
        const BerthMonitorMessage message = {.source = berth_monitor_find_source(kit->monitor, m->name),
                                             .stream = m->stream,
                                             .sequence = m->sequence,
                                             .stamp = m->stamp,
                                             .received = received,
                                             .positions = m->positions,
                                             .velocities = m->has_velocities ? m->velocities : NULL,
                                             .count = m->count};
        berth_monitor_receive(kit->monitor, &message);
    } else if (m->kind == BERTH_WIRE_POSE) {
        const BerthMonitorPose message = {.object = berth_scene_find_object(kit->scene, m->name),
                                          .stream = m->stream,
                                          .sequence = m->sequence,
                                          .stamp = m->stamp,
                                          .received = received,
                                          .pose = m->pose};
        berth_monitor_receive_pose(kit->monitor, &message);
    } else if (m->kind == BERTH_WIRE_CLOUD) {
        const BerthMonitorPoints message = {.cloud = berth_monitor_find_cloud(kit->monitor, m->name),
                                            .stream = m->stream,
                                            .sequence = m->sequence,
                                            .stamp = m->stamp,
                                            .received = received,
                                            .first = m->first,
                                            .total = m->total,
                                            .alive = m->alive,
                                            .points = m->points,
                                            .count = m->point_count};
        berth_monitor_receive_points(kit->monitor, &message);
    } else if (m->kind == BERTH_WIRE_SWITCH) {
        const int32_t choice = berth_monitor_find_choice(kit->monitor, m->name);
        const BerthMonitorSwitch message = {
            .choice = choice,
            .option = berth_monitor_find_option(kit->monitor, choice, m->option),
            .stream = m->stream,
            .sequence = m->sequence,
            .stamp = m->stamp,
            .received = received};
        berth_monitor_switch(kit->monitor, &message);
    }
}

static void build(Lab* lab, int channel, BerthWireMessage* m) {
    static const char* const names[CHANNELS] = {"state", "cart", "worker", "camera", "gripper"};
    static const BerthWireKind kinds[CHANNELS] = {BERTH_WIRE_STATE, BERTH_WIRE_POSE, BERTH_WIRE_POSE,
                                                  BERTH_WIRE_CLOUD, BERTH_WIRE_SWITCH};
    GuardKit* kit = &lab->kit;
    memset(m, 0, sizeof *m);
    m->kind = kinds[channel];
    m->stream = lab->channels[channel].stream;
    m->sequence = lab->channels[channel].sequence + 1;
    m->stamp = kit->now;
    strcpy(m->name, names[channel]);
    m->count = channel == JOINTS ? kit->count : 0;
    m->has_velocities = channel == JOINTS;
    for (int32_t i = 0; i < m->count; ++i) {
        m->positions[i] = kit->q[i];
    }
    m->pose = channel == CART || channel == PERSON ? kit->objects[channel - CART].pose
                                                   : kit_at((BerthVec3){0, 0, 0});
    if (channel == CAMERA) {
        m->alive = true;
        m->total = m->point_count = (int32_t)pick(lab, 6);
        for (int32_t i = 0; i < m->total; ++i) {
            m->points[i] = (BerthVec3){4.0 + 0.01 * i, 1.0, 0.0};
        }
    }
    if (channel == GRIPPER) {
        strcpy(m->option, pick(lab, 2) == 0 ? "coarse" : "fine");
    }
}

static void remember(Account* a, uint64_t sequence) {
    a->sequence = sequence;
    a->old[a->old_count++ % HISTORY] = sequence;
}

// As bytes or as a line of JSON, and back.
static void send(Lab* lab, const BerthWireMessage* m, double received) {
    static char bytes[4 * BERTH_WIRE_SIZE];
    BerthWireMessage back;
    const size_t size = pick(lab, 16) == 0 ? berth_wire_write_json(m, bytes, sizeof bytes)
                                           : berth_wire_write(m, bytes, sizeof bytes);
    assert_true(size > 0);
    assert_int_equal(berth_wire_read(bytes, size, &back), BERTH_OK);
    hear_wire(lab, &back, received);
}

static void send_good(Lab* lab, int channel) {
    Account* a = &lab->channels[channel];
    BerthWireMessage m;
    build(lab, channel, &m);
    send(lab, &m, lab->kit.now);
    if (a->received > lab->kit.now) {
        return;  // its clock was ahead: what it says now is stale
    }
    remember(a, m.sequence);
    a->received = lab->kit.now;
    a->good += 1;
}

// ---- what goes wrong -----------------------------------------------------------------------------------------

static void is_broken(Lab* lab) {
    lab->broken = true;
    lab->asked = lab->running = false;
}

/// What a channel told is not believed any more: it has to tell it anew.
static void is_lost(Lab* lab, int channel) {
    lab->channels[channel].received = -INFINITY;
    is_broken(lab);
}

// What came from later than now is not believed, as soon as somebody looks; and nobody looks before there is a state.
static void forget_the_future(Lab* lab, double now) {
    for (int i = 0; i < CHANNELS && lab->channels[JOINTS].received != -INFINITY; ++i) {
        lab->channels[i].future = lab->channels[i].received > now;
    }
    for (int i = 0; i < CHANNELS; ++i) {
        lab->channels[i].received = lab->channels[i].future ? -INFINITY : lab->channels[i].received;
        lab->channels[i].future = false;
    }
}

typedef void Fault(Lab* lab);

static void falls_silent(Lab* lab) {
    lab->channels[pick(lab, CHANNELS)].mute = 1 + (int)pick(lab, 40);
}

static void comes_twice(Lab* lab) {
    const int channel = (int)pick(lab, CHANNELS);
    BerthWireMessage m;
    build(lab, channel, &m);
    m.sequence = lab->channels[channel].sequence;
    send(lab, &m, lab->kit.now);
}

// Old messages within the window are ignored; further back, the sender is not what it was.
static void is_replayed(Lab* lab) {
    const int channel = (int)pick(lab, CHANNELS);
    Account* a = &lab->channels[channel];
    BerthWireMessage m;
    build(lab, channel, &m);
    const int kept = a->old_count < HISTORY ? a->old_count : HISTORY;
    if (kept == 0) {
        return;
    }
    m.sequence = a->old[pick(lab, (uint64_t)kept)];
    if (m.sequence > a->sequence) {
        return;  // after it began anew, that number is still to come
    }
    send(lab, &m, lab->kit.now);
    if (a->sequence - m.sequence > lab->kit.def.reorder) {
        a->sequence = m.sequence;  // where it begins anew
        is_lost(lab, channel);
    }
}

static void begins_anew(Lab* lab) {
    const int channel = (int)pick(lab, CHANNELS);
    Account* a = &lab->channels[channel];
    a->stream = bi_random_next(&lab->random);
    a->sequence = pick(lab, 2) == 0 ? 0 : a->sequence;
    BerthWireMessage m;
    build(lab, channel, &m);
    send(lab, &m, lab->kit.now);
    a->sequence = m.sequence;
    is_lost(lab, channel);
}

static void leaps_forward(Lab* lab) {
    const int channel = (int)pick(lab, CHANNELS);
    if (lab->channels[channel].mute == 0) {  // the next one is sent in this cycle
        lab->channels[channel].sequence += 1 + pick(lab, 1000000);
    }
}

static double no_number(Lab* lab) {
    const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    return bad[pick(lab, 4)];
}

// Written into the bytes: JSON has no word for it.
static void send_bytes(Lab* lab, const BerthWireMessage* m) {
    static char bytes[4 * BERTH_WIRE_SIZE];
    BerthWireMessage back;
    const size_t size = berth_wire_write(m, bytes, sizeof bytes);
    assert_true(size > 0);
    if (berth_wire_read(bytes, size, &back) == BERTH_OK) {
        hear_wire(lab, &back, lab->kit.now);
    }
}

static void is_no_number(Lab* lab) {
    const int channel = (int)pick(lab, GRIPPER);
    BerthWireMessage m;
    build(lab, channel, &m);
    if (channel == JOINTS) {
        *(pick(lab, 2) == 0 ? &m.positions[pick(lab, (uint64_t)m.count)]
                            : &m.velocities[pick(lab, (uint64_t)m.count)]) = no_number(lab);
    } else if (channel == CAMERA) {
        m.total = m.point_count = m.total > 0 ? m.total : 1;
        (&m.points[0].x)[pick(lab, 3 * (uint64_t)m.total)] = no_number(lab);
    } else {
        (&m.pose.x.x)[pick(lab, 12)] = no_number(lab);
    }
    send_bytes(lab, &m);
    is_lost(lab, channel);
}

static void is_beyond(Lab* lab) {
    BerthWireMessage m;
    build(lab, JOINTS, &m);
    if (lab->channels[JOINTS].received == -INFINITY) {
        return;  // nobody knows where it was, so it cannot jump
    }
    switch (pick(lab, 4)) {
    case 0:
        m.positions[1] = nextafter(2.5, 3.0);
        break;
    case 1:
        m.positions[1] = nextafter(-2.5, -3.0);
        break;
    case 2:
        m.positions[pick(lab, 2)] += 2.3;  // however long it was silent
        break;
    default:
        m.velocities[pick(lab, 2)] = 1.1;
        break;
    }
    send(lab, &m, lab->kit.now);
    is_lost(lab, JOINTS);
}

static void is_no_place(Lab* lab) {
    const int channel = pick(lab, 2) == 0 ? CART : PERSON;
    BerthWireMessage m;
    build(lab, channel, &m);
    if (lab->channels[channel].received == -INFINITY) {
        return;
    }
    switch (pick(lab, 4)) {
    case 0:
        m.pose.t.x += 50.0;
        break;
    case 1:
        m.pose.x = (BerthVec3){-1, 0, 0};  // a mirror
        break;
    case 2:
        m.pose.y.x = 1e-3;  // askew
        m.pose.y.y = sqrt(1.0 - 1e-6);
        m.pose.z.z = m.pose.y.y;
        break;
    default:
        m.pose.t.z = 2e7;
        break;
    }
    send(lab, &m, lab->kit.now);
    is_lost(lab, channel);
}

// Dropped by whoever sees it first: bytes that are damaged, cut, or mere noise.
static void is_damaged(Lab* lab) {
    static char bytes[4 * BERTH_WIRE_SIZE];
    BerthWireMessage m;
    BerthWireMessage back;
    build(lab, (int)pick(lab, CHANNELS), &m);
    size_t size = pick(lab, 2) == 0 ? berth_wire_write_json(&m, bytes, sizeof bytes)
                                    : berth_wire_write(&m, bytes, sizeof bytes);
    switch (pick(lab, 3)) {
    case 0:
        bytes[pick(lab, size)] ^= (char)(1 << pick(lab, 7));
        break;
    case 1:
        size = (size_t)pick(lab, size);
        break;
    default:
        for (size_t i = 0; i < size; ++i) {
            bytes[i] = (char)bi_random_next(&lab->random);
        }
        break;
    }
    if (berth_wire_read(bytes, size, &back) == BERTH_OK) {
        fail_msg("damaged bytes were read");
    }
}

static void is_of_another_size(Lab* lab) {
    BerthWireMessage m;
    build(lab, JOINTS, &m);
    m.count = pick(lab, 2) == 0 ? m.count - 1 : m.count + 1 + (int32_t)pick(lab, 100);
    send(lab, &m, lab->kit.now);
    build(lab, JOINTS, &m);
    strcpy(m.name, "nobody");
    send(lab, &m, lab->kit.now);
    build(lab, CART, &m);
    strcpy(m.name, "nobody");
    send(lab, &m, lab->kit.now);
    build(lab, CAMERA, &m);
    strcpy(m.name, "nobody");
    send(lab, &m, lab->kit.now);
    build(lab, JOINTS, &m);
    hear_wire(lab, &m, no_number(lab));  // received at no time
}

static void has_another_clock(Lab* lab) {
    const int channel = (int)pick(lab, CHANNELS);
    const double off[] = {3600.0, -3600.0, 0.11, -0.11, NAN, INFINITY};
    BerthWireMessage m;
    build(lab, channel, &m);
    m.stamp += off[pick(lab, 6)];
    send_bytes(lab, &m);
    is_broken(lab);
    lab->channels[channel].received = -INFINITY;
}

static void comes_from_the_future(Lab* lab) {
    const int channel = (int)pick(lab, CHANNELS);
    BerthWireMessage m;
    build(lab, channel, &m);
    const double when = lab->kit.now + 0.02;
    m.stamp = when;
    send(lab, &m, when);
    if (lab->channels[channel].received <= when) {  // it has no age: the next cycle finds out
        remember(&lab->channels[channel], m.sequence);
        lab->channels[channel].received = when;
        lab->channels[channel].good += 1;
    }
}

static void wakes_late(Lab* lab) {
    lab->kit.now += lab->kit.def.safety.period * (double)(1 + pick(lab, 30));
    is_broken(lab);
}

static void goes_back_in_time(Lab* lab) {
    BerthPermit permit;
    const double when = lab->kit.now - lab->kit.def.safety.period * (1.5 + (double)pick(lab, 3));
    berth_monitor_cycle(lab->kit.monitor, when, &permit);
    assert_false(permit.go);
    is_broken(lab);
    forget_the_future(lab, when);
    lab->kit.now = when + lab->kit.def.safety.period;
}

static void has_no_time(Lab* lab) {
    BerthPermit permit;
    const double when[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e12};
    const double now = when[pick(lab, 6)];
    berth_monitor_cycle(lab->kit.monitor, now, &permit);
    assert_false(permit.go);
    berth_monitor_seal(lab->kit.monitor, now, &permit);
    assert_false(permit.go);
    is_broken(lab);
}

static void takes_too_long(Lab* lab) {
    BerthPermit permit;
    const double late[] = {1.001, 2.0, 100.0, -0.001, NAN, INFINITY};
    for (int i = 0; i < CHANNELS; ++i) {
        send_good(lab, i);
    }
    berth_monitor_cycle(lab->kit.monitor, lab->kit.now, &permit);
    if (permit.go) {
        is_broken(lab);
    }
    berth_monitor_seal(lab->kit.monitor, lab->kit.now + late[pick(lab, 6)] * lab->kit.def.safety.period,
                       &permit);
    assert_false(permit.go);
    lab->kit.now += lab->kit.def.safety.period;
    lab->asked = lab->asked && !lab->broken;
}

static void is_told_a_fault(Lab* lab) {
    const int reasons[] = {
        BERTH_STOP_OVERRUN, BERTH_STOP_NUMBERS, BERTH_STOP_MODEL, BERTH_STOP_NONE, BERTH_STOP_RESET, -5, 1000,
        BERTH_STOP_END};
    berth_monitor_fault(lab->kit.monitor, (BerthStop)reasons[pick(lab, 8)]);
    is_broken(lab);
}

static void rounds_otherwise(Lab* lab) {
    const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    BerthPermit permit;
    fesetround(modes[pick(lab, 3)]);
    berth_monitor_cycle(lab->kit.monitor, lab->kit.now, &permit);
    fesetround(FE_TONEAREST);
    assert_false(permit.go);
    lab->kit.now += lab->kit.def.safety.period;
    is_broken(lab);
}

static void is_blind(Lab* lab) {
    BerthWireMessage m;
    build(lab, CAMERA, &m);
    const bool full = pick(lab, 2) == 0;
    m.alive = full;
    m.total = full ? 65 + (int32_t)pick(lab, 100000) : 0;
    m.point_count = full ? 10 : 0;
    send(lab, &m, lab->kit.now);
    is_lost(lab, CAMERA);
}

// One part of several, and no more of them: not a cloud.
static void is_a_part(Lab* lab) {
    BerthWireMessage m;
    if (lab->channels[CAMERA].mute > 0) {
        return;  // the account of numbers needs the next one now
    }
    build(lab, CAMERA, &m);
    m.total = 2 + (int32_t)pick(lab, 60);
    m.point_count = 1 + (int32_t)pick(lab, (uint64_t)m.total - 1);
    m.first = (int32_t)pick(lab, (uint64_t)(m.total - m.point_count + 1));
    for (int32_t i = 0; i < m.point_count; ++i) {
        m.points[i] = (BerthVec3){4.0, 0.0, 0.0};
    }
    send(lab, &m, lab->kit.now);
    lab->channels[CAMERA].sequence += 1;  // the next one is another cloud
}

static void is_not_declared(Lab* lab) {
    BerthWireMessage m;
    build(lab, GRIPPER, &m);
    const bool of_gripper = pick(lab, 2) == 0;
    strcpy(of_gripper ? m.option : m.name, "glue");
    send(lab, &m, lab->kit.now);
    if (of_gripper) {
        lab->channels[GRIPPER].received = -INFINITY;  // what it holds is unknown until it says so again
    }
    is_broken(lab);
}

static void loses_a_bit(Lab* lab) {
    const size_t bytes = berth_monitor_model_bytes(lab->kit.monitor);
    const size_t bit = (size_t)pick(lab, 8 * (uint64_t)bytes);
    berth_monitor_test_flip_bit(lab->kit.monitor, bit);
    bool good = true;
    for (size_t done = 0; done <= 2 * bytes + 4096; done += 4096) {
        good = berth_monitor_check_model(lab->kit.monitor, 4096) && good;
    }
    if (good) {
        fail_msg("bit %zu of %zu bytes is turned, and nobody saw it", bit, bytes);
    }
    berth_monitor_test_flip_bit(lab->kit.monitor, bit);
    is_broken(lab);
}

static void is_flooded(Lab* lab) {
    for (int i = 0; i < 100; ++i) {
        send_good(lab, (int)pick(lab, CHANNELS));
    }
}

static void is_tiny(Lab* lab) {
    lab->kit.q[0] += pick(lab, 2) == 0 ? DBL_TRUE_MIN : -DBL_TRUE_MIN;
    lab->kit.q[1] = pick(lab, 2) == 0 ? -0.0 : DBL_TRUE_MIN;
}

static const struct {
    const char* name;
    Fault* fault;
} faults[] = {{"silence", falls_silent},
              {"duplicates", comes_twice},
              {"replays", is_replayed},
              {"new streams", begins_anew},
              {"losses", leaps_forward},
              {"no numbers", is_no_number},
              {"limits, jumps, speeds", is_beyond},
              {"poses that are none", is_no_place},
              {"damaged bytes", is_damaged},
              {"wrong sizes, names, times", is_of_another_size},
              {"clocks", has_another_clock},
              {"messages from the future", comes_from_the_future},
              {"late cycles", wakes_late},
              {"cycles back in time", goes_back_in_time},
              {"cycles at no time", has_no_time},
              {"long cycles", takes_too_long},
              {"faults told", is_told_a_fault},
              {"rounding", rounds_otherwise},
              {"blind sensors", is_blind},
              {"clouds in part", is_a_part},
              {"options not declared", is_not_declared},
              {"bits turned over", loses_a_bit},
              {"floods", is_flooded},
              {"tiny numbers", is_tiny}};
enum { FAULTS = sizeof faults / sizeof faults[0] };

// ---- the run -------------------------------------------------------------------------------------------------

static void open_lab(Lab* lab, uint64_t seed) {
    static const BerthMonitorCloud camera = {.name = "camera",
                                             .capacity = 64,
                                             .radius = 0.01,
                                             .speed = 0.5,
                                             .uncertainty = 0.02,
                                             .latency = 0.005,
                                             .silence = 0.02};
    static const char* const coarse[] = {"glove"};
    static const char* const fine[] = {"finger"};
    static const BerthMonitorOption options[] = {{"coarse", coarse, 1}, {"fine", fine, 1}};
    static const BerthMonitorChoice gripper = {
        .name = "gripper", .options = options, .option_count = 2, .silence = 0.03};
    memset(lab, 0, sizeof *lab);
    lab->random.state = seed;
    kit_open(&lab->kit, kit_arm, NULL, false, (BerthJointLimit){1.0, 4.0, 8.0});
    BerthShape ball;
    assert_int_equal(berth_shape_sphere(0.1, &ball), BERTH_OK);
    BerthObjectDef def = berth_default_object_def();
    def.moving = true;
    def.speed = 1.0;
    kit_add(&lab->kit, "cart", &ball, (BerthVec3){5, 0, 0}, &def);
    def.moving = false;
    def.person = true;
    def.speed = 1.6;
    def.intrusion = 0.2;
    def.uncertainty = 0.1;
    kit_add(&lab->kit, "worker", &ball, (BerthVec3){-5, 0, 0}, &def);
    def = berth_default_object_def();
    def.attach = "two";
    def.mass = 0.5;
    kit_add(&lab->kit, "glove", &ball, (BerthVec3){0.5, 0, 0}, &def);
    assert_int_equal(berth_shape_sphere(0.05, &ball), BERTH_OK);
    kit_add(&lab->kit, "finger", &ball, (BerthVec3){0.5, 0, 0}, &def);
    lab->kit.def.clouds = &camera;
    lab->kit.def.cloud_count = 1;
    lab->kit.def.choices = &gripper;
    lab->kit.def.choice_count = 1;
    lab->kit.def.good_needed = GOOD_NEEDED;
    lab->kit.def.skew_limit = 0.1;
    kit_start(&lab->kit);
    for (int i = 0; i < CHANNELS; ++i) {
        lab->channels[i] = (Account){.stream = 1 + (uint64_t)i, .received = -INFINITY};
    }
}

static void ask(Lab* lab) {
    berth_monitor_reset(lab->kit.monitor);
    lab->asked = true;
    lab->broken = false;
    for (int i = 0; i < CHANNELS; ++i) {
        lab->channels[i].good = 0;
    }
}

// Would a permit be right now? A silence that is noticed is a fault of its own.
static bool would_permit(Lab* lab) {
    bool fresh = true;
    bool good = true;
    if (lab->channels[JOINTS].received == -INFINITY) {
        return false;  // nothing is judged before there is a state
    }
    for (int i = 0; i < CHANNELS; ++i) {
        const double age = lab->kit.now - lab->channels[i].received;
        fresh = fresh && age >= 0.0 && age <= SILENCE[i];
        good = good && lab->channels[i].good >= GOOD_NEEDED;
    }
    forget_the_future(lab, lab->kit.now);
    if (!fresh) {
        is_broken(lab);
    }
    lab->running = lab->running || (fresh && good && lab->asked);
    return fresh && lab->running;
}

static void one_cycle(Lab* lab, const char* after) {
    for (int i = 0; i < CHANNELS; ++i) {
        Account* a = &lab->channels[i];
        const bool from_the_past =
            a->received > lab->kit.now;  // its clock was ahead; what it says now is stale
        if (a->mute > 0) {
            a->mute -= 1;
        } else if (from_the_past) {
            BerthWireMessage m;
            build(lab, i, &m);
            send(lab, &m, lab->kit.now);
        } else {
            send_good(lab, i);
        }
    }
    const bool allowed = would_permit(lab);
    const BerthPermit permit = kit_cycle(&lab->kit);
    if (permit.go != allowed) {
        for (int i = 0; i < CHANNELS; ++i) {
            print_message("channel %d: %g s old, %d good\n", i,
                          lab->kit.now - lab->kit.def.safety.period - lab->channels[i].received,
                          lab->channels[i].good);
        }
        print_message("fault %lld: %sasked, %sbroken\n", (long long)lab->faults, lab->asked ? "" : "not ",
                      lab->broken ? "" : "not ");
    }
    if (permit.go && !allowed) {
        fail_msg("a permit after %s that the oracle does not give", after);
    }
    if (!permit.go && allowed) {
        fail_msg("after %s: STOP (%s), and the oracle sees no reason", after, berth_stop_name(permit.reason));
    }
    lab->permits += permit.go;
    lab->stops += !permit.go;
}

static void no_permit_on_bad_input(void** state) {
    (void)state;
    static Lab lab;
    open_lab(&lab, 77);
    const int trials = test_scaled(40000);
    const char* last = "nothing";
    ask(&lab);
    for (int n = 0; n < trials; ++n) {
        const int at = (int)pick(&lab, FAULTS);
        if (at == 21 && pick(&lab, 8) != 0) {
            continue;  // a pass over the model takes long
        }
        last = faults[at].name;
        faults[at].fault(&lab);
        lab.faults += 1;
        lab.by_kind[at] += 1;
        const int cycles = 1 + (int)pick(&lab, 6);
        for (int i = 0; i < cycles; ++i) {
            one_cycle(&lab, last);
        }
        if (pick(&lab, 2) == 0) {
            ask(&lab);
            for (int i = 0; i < GOOD_NEEDED + (int)pick(&lab, 4); ++i) {
                one_cycle(&lab, last);
            }
        }
    }
    print_message("%lld faults, %lld permits, %lld stops, 0 permits that were wrong\n", (long long)lab.faults,
                  (long long)lab.permits, (long long)lab.stops);
    assert_true(lab.permits > trials / 10 && lab.stops > trials / 2);
    for (int i = 0; i < FAULTS; ++i) {
        assert_true(lab.by_kind[i] > 0 || trials < 1000);
    }
    kit_close(&lab.kit);
}

// Who fell silent is named, and nobody else.
static void the_silent_one_is_named(void** state) {
    (void)state;
    static Lab lab;
    for (int silent = 0; silent < CHANNELS; ++silent) {
        open_lab(&lab, 5);
        ask(&lab);
        BerthPermit permit = {0};
        bool went = false;
        for (int n = 0; n < 400 && !(went && !permit.go); ++n) {
            for (int i = 0; i < CHANNELS; ++i) {
                if (i != silent || !went) {
                    send_good(&lab, i);
                }
            }
            permit = kit_cycle(&lab.kit);
            went = went || permit.go;
        }
        assert_true(went && !permit.go);
        assert_int_equal(permit.source, silent == JOINTS ? 0 : -1);
        assert_int_equal(permit.cloud, silent == CAMERA ? 0 : -1);
        assert_int_equal(permit.choice, silent == GRIPPER ? 0 : -1);
        const char* name =
            permit.object >= 0 ? berth_scene_body_name(lab.kit.scene, permit.object) : "nobody";
        assert_string_equal(name, silent == CART ? "cart" : silent == PERSON ? "worker" : "nobody");
        assert_int_equal(permit.value, -1);
        kit_close(&lab.kit);
    }
}

int test_monitor_lab(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(no_permit_on_bad_input),
                                              cmocka_unit_test(the_silent_one_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
