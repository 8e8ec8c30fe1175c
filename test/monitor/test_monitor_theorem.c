// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The theorems of docs/theory/monitor.md: with GO never nearer than the margin, retreating never nearer than where the retreat began
// less V times the horizon. An arm with a ball at its tip goes wherever it is worst, as fast as its limits allow; messages take as long
// as they may or get lost, permits are used for as long as they last, and brakes bite as late as was declared. Where the ball is, is
// worked out here by hand, and how far from the obstacle: a ball or a box. A million approaches: BERTH_TEST_SCALE=500.
// test-share: 0.5

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

enum {
    JOINTS = 3,
    LATENCY = 2,
    SILENCE = 4,
    REACTION = 3,
    LIFE = 3,
    STEPS = 220,
    QUEUE = 8,
    APPROACHES = 50
};
static const double P = 0.001;  // the period, and the step of the simulation
static const double upper = 0.5, lower = 0.4, tip = 0.06, margin = 0.01;

static const char arm_text[] =
    "<robot name='r'><link name='base'/><link name='one'/><link name='two'/>"
    "<link name='ball'><collision><origin xyz='0.4 0 0'/><geometry><sphere radius='0.06'/></geometry>"
    "</collision></link>"
    "<joint name='a' type='continuous'><parent link='base'/><child link='one'/><axis xyz='0 0 1'/>"
    "<limit velocity='2' effort='1'/></joint>"
    "<joint name='b' type='continuous'><parent link='one'/><child link='two'/><axis xyz='0 1 0'/>"
    "<limit velocity='2' effort='1'/></joint>"
    "<joint name='c' type='continuous'><parent link='two'/><child link='ball'/><origin xyz='0.5 0 0'/>"
    "<axis xyz='0 1 0'/><limit velocity='2' effort='1'/></joint></robot>";

/// What stands, as this test sees it.
typedef struct Obstacle {
    bool is_box;
    double at[3], half[3], radius;
} Obstacle;

typedef struct World {
    GuardKit kit;
    Obstacle obstacle;
    BerthJointLimit limit;
    double crawl, noise;
} World;

// Where the ball is: the upper arm turns about z, then it and the lower one about y.
static double distance_of(const Obstacle* o, const double q[JOINTS]) {
    const double out = upper * cos(q[1]) + lower * cos(q[1] + q[2]);
    const double p[3] = {out * cos(q[0]), out * sin(q[0]), -upper * sin(q[1]) - lower * sin(q[1] + q[2])};
    double sum = 0.0;
    double inside = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double away = fabs(p[k] - o->at[k]) - o->half[k];
        inside = fmax(inside, away);
        sum += o->is_box ? fmax(away, 0.0) * fmax(away, 0.0) : (p[k] - o->at[k]) * (p[k] - o->at[k]);
    }
    if (o->is_box && inside < 0.0) {
        return inside - tip;
    }
    return sqrt(sum) - tip - (o->is_box ? 0.0 : o->radius);
}

static double between(Random* random, double low, double high) {
    return bi_random_between(random, low, high);
}

static bool chance(Random* random, double share) {
    return bi_random_between(random, 0.0, 1.0) < share;
}

static void open_world(World* world, Random* random) {
    world->limit =
        (BerthJointLimit){between(random, 0.3, 2.0), between(random, 1.0, 9.0), between(random, 2.0, 12.0)};
    world->crawl = between(random, 0.1, 2.0);
    world->noise = chance(random, 0.3) ? between(random, 0.0, 3e-4) : 0.0;
    kit_open(&world->kit, arm_text, NULL, false, world->limit);

    BerthMonitorDef* def = &world->kit.def;
    def->safety.period = P;
    def->safety.latency = LATENCY * P;
    def->safety.silence = SILENCE * P;
    def->safety.reaction = REACTION * P;
    def->safety.margin = margin;
    def->safety.noise = world->noise;
    def->safety.hysteresis = chance(random, 0.5) ? 0.002 : 0.0;
    def->valid_for = LIFE * P;
    def->good_needed = 2;
    def->crawl = world->crawl;
    def->speed_scale = false;

    Obstacle* o = &world->obstacle;
    const double side = between(random, 0.0, 6.28), away = between(random, 0.4, 0.9);
    *o = (Obstacle){.is_box = chance(random, 0.5),
                    .at = {away * cos(side), away * sin(side), between(random, -0.5, 0.5)},
                    .radius = between(random, 0.05, 0.3)};
    BerthShape shape;
    if (o->is_box) {
        for (int k = 0; k < 3; ++k) {
            o->half[k] = between(random, 0.03, 0.25);
        }
        const BerthVec3 size = {2.0 * o->half[0], 2.0 * o->half[1], 2.0 * o->half[2]};
        assert_int_equal(berth_shape_box(size, &shape), BERTH_OK);
    } else {
        assert_int_equal(berth_shape_sphere(o->radius, &shape), BERTH_OK);
    }
    kit_add(&world->kit, "post", &shape, (BerthVec3){o->at[0], o->at[1], o->at[2]}, NULL);
    kit_start(&world->kit);
}

/// A message on its way.
typedef struct Sample {
    double q[JOINTS], v[JOINTS], stamp;
    int arrives;
} Sample;

typedef struct Approach {
    double q[JOINTS], v[JOINTS];
    Sample queue[QUEUE];
    int queued;
    Sample heard;
    int lost_in_row, last_arrival;
    int until;        ///< step at which brakes bite
    bool retreats;    ///< the last permit was RETREAT
    bool in_retreat;  ///< of an episode, and where it began
    double start, allowed;
    int panic;          ///< step from which on it goes the wrong way as hard as it can
    double cruise;      ///< speed until then, a share of the largest
    bool lies, inside;  ///< tells 0; was stopped inside of the margin
    double floor;       ///< metres that there always are until the first GO
} Approach;

typedef struct Count {
    int64_t approaches, go, stops, retreats, episodes, faults;
    double least_go;       ///< metres more than the margin
    double least_retreat;  ///< metres more than what may be lost
} Count;

// Which way each joint has to go for the tip to come nearer.
static void nearer(const World* world, const double q[JOINTS], double out[JOINTS]) {
    const double here = distance_of(&world->obstacle, q);
    for (int k = 0; k < JOINTS; ++k) {
        double there[JOINTS] = {q[0], q[1], q[2]};
        there[k] += 1e-5;
        out[k] = distance_of(&world->obstacle, there) < here ? 1.0 : -1.0;
    }
}

static void drive_step(const World* world, Approach* a, int step) {
    const BerthJointLimit* limit = &world->limit;
    double toward[JOINTS];
    nearer(world, a->q, toward);
    for (int k = 0; k < JOINTS; ++k) {
        const double v = a->v[k];
        if (step >= a->until) {  // it brakes
            const double slower = fmax(fabs(v) - limit->deceleration * P, 0.0);
            const double way =
                slower > 0.0 ? 0.5 * (fabs(v) + slower) * P : 0.5 * v * v / limit->deceleration;
            a->q[k] += copysign(way, v);
            a->v[k] = copysign(slower, v);
            continue;
        }

        // Toward it as fast as it may, or at a speed until it panics; backing out slowly.
        double wish = step >= a->panic ? limit->velocity : a->cruise * limit->velocity;
        wish *= a->retreats && step < a->panic ? -0.05 * toward[k] : toward[k];
        const double next = v + fmin(fmax(wish - v, -limit->acceleration * P), limit->acceleration * P);
        a->q[k] += 0.5 * (v + next) * P;
        a->v[k] = next;
    }
}

// A sample is taken now, and arrives as late as it may, sooner or not at all.
static void send(const World* world, Approach* a, int step, Random* random) {
    const bool lost = a->lost_in_row < SILENCE - LATENCY - 1 && chance(random, 0.2);
    a->lost_in_row = lost ? a->lost_in_row + 1 : 0;
    if (lost || a->queued == QUEUE) {
        return;
    }
    Sample* s = &a->queue[a->queued++];
    *s = (Sample){
        .stamp = world->kit.now,
        .arrives = step + (chance(random, 0.7) ? LATENCY : (int)(bi_random_next(random) % (LATENCY + 1)))};
    a->last_arrival = s->arrives = s->arrives > a->last_arrival ? s->arrives : a->last_arrival;
    for (int k = 0; k < JOINTS; ++k) {
        s->q[k] = a->q[k] + between(random, -world->noise, world->noise);
        s->v[k] = a->lies ? 0.0 : a->v[k];
    }
}

static void deliver(World* world, Approach* a, int step) {
    int left = 0;
    for (int i = 0; i < a->queued; ++i) {
        if (a->queue[i].arrives > step) {
            a->queue[left++] = a->queue[i];
            continue;
        }
        a->heard = a->queue[i];
        memcpy(world->kit.q, a->heard.q, sizeof a->heard.q);
        memcpy(world->kit.qd, a->heard.v, sizeof a->heard.v);
        BerthMonitorMessage message = kit_message(&world->kit);
        message.stamp = a->heard.stamp;
        berth_monitor_receive(world->kit.monitor, &message);
    }
    a->queued = left;
}

// The permit counts from the end of its cycle on for as long as it lives, and brakes bite later than that.
static void decide(World* world, Approach* a, int step, Count* count) {
    const BerthPermit permit = kit_cycle(&world->kit);
    count->go += permit.go;
    count->retreats += permit.retreat;
    count->faults += !permit.go && permit.reason != BERTH_STOP_NEAR;
    if (permit.go || permit.retreat) {
        a->until = step + 1 + LIFE + REACTION;
        a->retreats = permit.retreat;
    }
    if (permit.go) {
        a->in_retreat = false;
        a->floor = margin;
    }
    if (permit.retreat) {
        // What is heard is off by the noise; what it was when the sample was taken is at least this.
        const double heard = distance_of(&world->obstacle, a->heard.q);
        if (!a->in_retreat) {
            a->in_retreat = true;
            a->start = heard;
            count->episodes += 1;
            a->panic = step + (int)(a->cruise * 60.0);  // backs out for a while, then turns
        }
        a->allowed = world->crawl * berth_monitor_horizon(world->kit.monitor, permit.age);
    }
}

static void check(const World* world, const Approach* a, Count* count) {
    const double gap = distance_of(&world->obstacle, a->q);
    const double least = a->in_retreat ? fmin(margin, a->start - a->allowed) : a->floor;
    if (!(gap >= least - 1e-9)) {
        fail_msg("%s: %.9f m apart, at least %.9f were promised", a->in_retreat ? "retreating" : "with GO",
                 gap, least);
    }
    if (a->in_retreat) {
        count->least_retreat = fmin(count->least_retreat, gap - least);
    } else if (a->floor == margin) {
        count->least_go = fmin(count->least_go, gap - least);
    }
}

// Somewhere at rest that is far enough away, and the guard permits; or inside of the margin, where it was stopped.
static bool begin(World* world, bool inside, Approach* a, Random* random) {
    GuardKit* kit = &world->kit;
    *a = (Approach){.panic = (int)(bi_random_next(random) % STEPS),
                    .cruise = chance(random, 0.3) ? 1.0 : between(random, 0.0, 1.0),
                    .inside = inside,
                    .lies = chance(random, 0.2)};
    for (int k = 0; k < JOINTS; ++k) {
        a->q[k] = between(random, -3.0, 3.0);
    }
    const double gap = distance_of(&world->obstacle, a->q);
    if (!(a->inside ? gap > 0.0 && gap < margin : gap > 0.02 && gap < 0.2)) {
        return false;
    }
    a->floor = fmin(margin, gap);
    memcpy(kit->q, a->q, sizeof a->q);
    memset(kit->qd, 0, sizeof kit->qd);
    kit->stream += 1;
    kit_say(kit);
    (void)kit_cycle(kit);
    const BerthPermit permit = kit_wake(kit);
    memcpy(a->heard.q, a->q, sizeof a->q);
    a->until = -1;
    return a->inside ? permit.reason == BERTH_STOP_NEAR : permit.go;
}

static void run(World* world, Random* random, Count* count) {
    Approach a;
    const bool inside = chance(random, 0.4);
    while (!begin(world, inside, &a, random)) {
    }
    count->approaches += 1;
    bool stopped = false;
    for (int step = 0; step < STEPS; ++step) {
        deliver(world, &a, step);
        decide(world, &a, step, count);
        send(world, &a, step, random);
        check(world, &a, count);
        drive_step(world, &a, step);
        stopped = stopped || step >= a.until;
    }
    count->stops += stopped;
}

static void never_nearer(void** state) {
    (void)state;
    static World world;
    Random random = {2026};
    Count count = {.least_go = INFINITY, .least_retreat = INFINITY};
    const int worlds = test_scaled(2000) / APPROACHES;
    for (int n = 0; n < (worlds > 4 ? worlds : 4); ++n) {
        open_world(&world, &random);
        for (int i = 0; i < APPROACHES; ++i) {
            run(&world, &random, &count);
        }
        kit_close(&world.kit);
    }
    print_message(
        "report %lld approaches, %lld stopped, %lld cycles with GO, %lld of %lld retreats, %lld with a "
        "fault\n",
        (long long)count.approaches, (long long)count.stops, (long long)count.go, (long long)count.retreats,
        (long long)count.episodes, (long long)count.faults);
    print_message("report at least %.6f mm more than the margin, and than what a retreat may lose %.6f mm\n",
                  1e3 * count.least_go, 1e3 * count.least_retreat);
    assert_true(count.stops > count.approaches / 4 && count.episodes > count.approaches / 20);
}

int test_monitor_theorem(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_nearer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
