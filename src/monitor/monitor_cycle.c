// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One cycle: is everything fresh, is everything far enough apart? Anything unknown is STOP, and a fault is
// latched until permits are requested again and good messages have been received.
// Entries: berth_monitor_cycle, at the end, and berth_monitor_seal, which ends it.

#include <string.h>

#include "math/math.h"
#include "monitor/monitor.h"
#include "shape/gap.h"

const char* berth_stop_name(BerthStop stop) {
    static const char* const names[BERTH_STOP_COUNT] = {
        "none", "reset",  "no_state", "late",    "sequence", "skew",    "value", "limit",
        "jump", "object", "near",     "unknown", "overrun",  "numbers", "model", "end"};
    return (int)stop >= 0 && stop < BERTH_STOP_COUNT ? names[stop] : "unknown";
}

// Times beyond so many periods have no room left for parts of one: a tenth of a thousandth at 35 years of milliseconds.
#define PERIODS_MOST 0x1p40

// The first source that never sent a state, or -1.
static int32_t find_silent_source(const BerthMonitor* monitor) {
    for (int32_t i = 0; i < monitor->source_count; ++i) {
        if (!monitor->source_tracks[i].heard) {
            return i;
        }
    }
    return -1;
}

// A receipt later than now is a clock that jumped: it would become fresh when that time comes, so it is not believed.
// An echo is older than its state by the way of the permit and by the time until the sender sampled, which is a period and a silence
// at most.
static bool check_fresh(const BerthMonitor* monitor, Track* track, double now, double most) {
    const double age = now - track->received;
    if (track->heard && !(age >= 0.0)) {
        track->heard = track->stamped = false;  // what its stamp was compared with is wrong, too
    }
    return track->heard && age + track->behind <= most &&
           track->echoed_behind <= most + monitor->safety.period;
}

static void judge_ages(BerthMonitor* monitor, double now) {
    for (int32_t i = 0; i < monitor->source_count; ++i) {
        if (!check_fresh(monitor, &monitor->source_tracks[i], now, monitor->safety.silence)) {
            bi_monitor_fault(monitor, BERTH_STOP_LATE, fault_at_source(i));
        }
    }

    for (int32_t i = 0; i < monitor->object_count; ++i) {
        if (!check_fresh(monitor, &monitor->object_tracks[i], now, monitor->safety.silence)) {
            bi_monitor_fault(monitor, BERTH_STOP_OBJECT, fault_at_body(monitor->objects[i].body));
        }
    }

    for (int32_t i = 0; i < monitor->cloud_count; ++i) {
        if (!check_fresh(monitor, &monitor->cloud_tracks[i], now, monitor->clouds[i].silence)) {
            bi_monitor_fault(monitor, BERTH_STOP_OBJECT, fault_at_cloud(i));
        }
    }

    for (int32_t i = 0; i < monitor->choice_count; ++i) {
        const double silence = monitor->choices[i].silence;
        if (silence > 0.0 && !check_fresh(monitor, &monitor->choice_tracks[i], now, silence)) {
            bi_monitor_fault(monitor, BERTH_STOP_MODEL, fault_at_choice(i));
        }
    }
}

static bool all_good(const Track* tracks, int32_t count, int32_t needed) {
    for (int32_t i = 0; i < count; ++i) {
        if (tracks[i].good < needed) {
            return false;
        }
    }
    return true;
}

// A choice is sent again and again, or once: then what was sent last is in force, unless that was refused, as from a sender
// that began anew. What such a one means is not known until it sends it again.
static bool is_choice_good(const BerthMonitor* monitor, int32_t choice) {
    const Track* track = &monitor->choice_tracks[choice];
    return monitor->choices[choice].silence > 0.0 ? track->good >= monitor->def.good_needed
                                                  : track->heard || !track->known;
}

static bool may_unlatch(const BerthMonitor* monitor) {
    const int32_t needed = monitor->def.good_needed;
    bool good = monitor->reset_asked && all_good(monitor->source_tracks, monitor->source_count, needed) &&
                all_good(monitor->object_tracks, monitor->object_count, needed) &&
                all_good(monitor->cloud_tracks, monitor->cloud_count, needed);
    for (int32_t i = 0; i < monitor->choice_count; ++i) {
        good = good && is_choice_good(monitor, i);
    }
    return good;
}

// To the nearest, and with denormal numbers: what every bound was derived for. Found by arithmetic, so it costs nothing.
static bool numbers_are_right(void) {
    const volatile double one = 1.0;
    const volatile double half_ulp = 0x1p-53;
    const volatile double tiny = 0x1p-1060;
    return one + half_ulp == 1.0 && -one - half_ulp == -1.0 && one + 1.5 * half_ulp > 1.0 && tiny * 0.5 > 0.0;
}

// ---- pairs -----------------------------------------------------------------------------------------------

/// A pair of simple bodies, or one and a point of a cloud, and what there must be between them.
typedef struct NearPair {
    const SimpleBody* a;
    const SimpleBody* b;  ///< null: a point of
    int32_t cloud;        ///< this
    int32_t pair;         ///< of the scene, or -1
    double required;
    BerthGap gap;
} NearPair;

/// What a cycle has found so far.
typedef struct CycleFinding {
    BerthPermit* out;  ///< keeps the pair that is worst
    double worst;      ///< metres that it has to spare
    BerthStop stop;
    bool may_retreat;  ///< nothing is too near that forbids it
} CycleFinding;

// Joints that move both alike move neither against the other.
double bi_monitor_combined_reach(const BerthMonitor* monitor, const Buffers* buffers, const SimpleBody* a,
                                 const SimpleBody* b) {
    const int32_t* frame_a = monitor->row_frame + a->first_row;
    const int32_t* frame_b = monitor->row_frame + b->first_row;
    const double* sum_a = buffers->row_sum + a->first_row;
    const double* sum_b = buffers->row_sum + b->first_row;
    int32_t row = 0;
    while (row + 1 < a->row_count && row + 1 < b->row_count && frame_a[row + 1] == frame_b[row + 1]) {
        row += 1;
    }
    const double both = sum_a[a->row_count - 1] + sum_b[b->row_count - 1];
    const double common = row > 0 ? sum_a[row] + sum_b[row] : 0.0;
    return both - common + 0x1p-40 * both;
}

/// How fast a point goes along a direction, and how much faster it can get with the joints where they are.
typedef struct Approach {
    double speed;         // as it was reported or seen
    double begin;         // as it may be at once: accelerations that are not known have no limit
    double most;          // as it can be
    double acceleration;  // from `begin` on
} Approach;

// Metres a radian, or a metre, that a joint does not move a point along a direction: what rounding leaves of a lever across it.
#define LEVER_LEAST 1e-9

// One joint's part. What is not known to have an acceleration may be as fast as it can be at once.
static void add_joint(Approach* sum, double along, double speed, const MonitorJoint* joint) {
    if (fabs(along) < LEVER_LEAST) {
        return;  // else it would be there after 10^15 seconds
    }
    const bool sudden = !(joint->acceleration < (double)INFINITY);
    const double most = fabs(along) * joint->velocity;
    sum->most += most;
    sum->speed += speed;
    sum->begin += sudden ? most : fmin(speed, most);
    sum->acceleration += sudden ? 0.0 : fabs(along) * joint->acceleration;
}

static Approach approach_along(const BerthMonitor* monitor, const SimpleBody* simple, Vec3 point, Vec3 n) {
    const BerthScene* scene = monitor->scene;
    const double own = simple->object >= 0 ? monitor->objects[simple->object].speed : 0.0;
    Approach sum = {own, own, own, 0.0};

    for (int32_t k = 1; k < simple->row_count; ++k) {
        const int32_t at = monitor->row_frame[simple->first_row + k];
        const SceneRobot* robot = &scene->robots[scene->bodies[simple->body].robot];
        const RobotFrame* f = &robot->robot->frames[at - robot->first_frame];
        const Pose* pose = &monitor->checker->world_from_frame[at];
        const MonitorJoint* joint = &monitor->joints[at];

        const Vec3 axis = pose_turn(pose, f->axis);
        const Vec3 lever = f->motion == FRAME_SLIDE ? axis : v3_cross(axis, v3_sub(point, pose->t));
        const int32_t value = robot->first_value + f->value;
        const double along = v3_dot(n, lever) * f->multiplier;

        // What the joint does to the point, as fast as it was reported or seen to go, or as it can be.
        if (f->motion == FRAME_FLOATING || f->motion == FRAME_PLANAR) {
            const int slides = f->motion == FRAME_FLOATING ? 3 : 2;
            for (int i = 0; i < slides; ++i) {
                add_joint(&sum, 1.0, monitor->speeds[value + i], joint);
            }
            const double turn = slides == 3 ? v3_distance(point, pose->t) : fabs(v3_dot(n, lever));
            add_joint(&sum, turn, turn * (slides == 3 ? joint->velocity : monitor->speeds[value + 2]), joint);
        } else if (isfinite(monitor->taken[value])) {
            add_joint(&sum, along, along * monitor->taken[value], joint);
        } else {
            add_joint(&sum, along, fabs(along) * monitor->speeds[value], joint);
        }
    }
    return sum;
}

// Seconds until a way is gone at the earliest: faster and faster up to the largest speed, then at that.
static double earliest_contact(double way, const Approach* approach) {
    const double v = approach->begin, a = approach->acceleration;
    if (!(way > 0.0)) {
        return 0.0;
    }
    if (!(a > 0.0)) {
        return v > 0.0 ? way / v : (double)INFINITY;
    }

    const double rising = (approach->most - v) / a;
    const double risen = (v + 0.5 * a * rising) * rising;
    if (way > risen) {
        return rising + (way - risen) / approach->most;
    }
    const double root = sqrt(v * v + 2.0 * a * way);
    return v > 0.0 ? 2.0 * way / (root + v) : (root - v) / a;
}

static void describe_pair(const BerthMonitor* monitor, const NearPair* pair, BerthPermit* out) {
    out->body_a = pair->a->body;
    out->body_b = pair->b != NULL ? pair->b->body : -1;
    out->cloud = pair->cloud;
    out->distance = pair->gap.lower;
    out->required = pair->required;
    out->point_a = pair->gap.point_a;
    out->point_b = pair->gap.point_b;

    const Vec3 n = pair->gap.normal;
    Approach sum = approach_along(monitor, pair->a, pair->gap.point_a, n);
    if (pair->b != NULL) {
        const Approach other = approach_along(monitor, pair->b, pair->gap.point_b, v3_neg(n));
        sum.speed += other.speed;
        sum.begin += other.begin;
        sum.most += other.most;
        sum.acceleration += other.acceleration;
    } else {
        const double own = monitor->clouds[pair->cloud].speed;
        sum.speed += own;
        sum.begin += own;
        sum.most += own;
    }
    out->approach = sum.speed;
    out->time_to_contact = earliest_contact(pair->gap.lower, &sum);
}

// Nobody knows where people, things that move by themselves and points go: only what stands, and arms, may be too near.
static bool judge_retreat_from(BerthMonitor* monitor, const NearPair* pair) {
    if (pair->b == NULL || pair->a->object >= 0 || pair->b->object >= 0) {
        return false;
    }
    const bool asked = monitor->def.refine && monitor->refine_stamp[pair->pair] == 2 * monitor->sequence + 1;
    const double gap = asked ? fmax(pair->gap.lower, monitor->refine_lower[pair->pair]) : pair->gap.lower;
    return bi_monitor_judge_retreat(monitor, pair->a, pair->b, pair->pair, gap, &pair->gap);
}

// What was found about one pair. `is_free` by its meshes, though its simple bodies are too near: it has nothing to spare.
static void note_pair(BerthMonitor* monitor, const NearPair* pair, bool is_free, CycleFinding* found) {
    const double spare = pair->gap.lower - pair->required;
    const double rank = is_free && !(spare > 0.0) ? 0.0 : spare;
    if (!(rank >= found->worst)) {
        found->worst = rank > -(double)INFINITY ? rank : -(double)INFINITY;
        describe_pair(monitor, pair, found->out);
    }

    BerthStop stop = BERTH_STOP_NONE;
    if (!is_free) {
        stop = isfinite(pair->gap.lower) ? BERTH_STOP_NEAR : BERTH_STOP_UNKNOWN;
    }
    found->stop = stop > found->stop ? stop : found->stop;
    if (found->may_retreat && !is_free) {
        found->may_retreat = judge_retreat_from(monitor, pair);
    }
}

static int32_t frame_of(const BerthMonitor* monitor, const SceneBody* body) {
    return body->frame >= 0 ? body->frame - monitor->scene->robots[body->robot].first_frame : 0;
}

static double required_of_proofs(const BerthMonitor* monitor) {
    return (monitor->safety.margin + 2.0 * monitor->def.model_error) * BI_MONITOR_GROWN;
}

int32_t berth_monitor_proven_count(const BerthMonitor* monitor) {
    int32_t count = 0;
    for (int32_t i = 0; i < monitor->scene->pair_count; ++i) {
        count += monitor->scene->pairs[i].proven_gap > required_of_proofs(monitor);
    }
    return count;
}

// The proof holds while the joints between the two links are within their limits; the others move both alike, or neither.
bool bi_monitor_is_proven(const BerthMonitor* monitor, const Buffers* buffers, int32_t at) {
    const BerthScene* scene = monitor->scene;
    const ScenePair* pair = &scene->pairs[at];
    if (!(pair->proven_gap > required_of_proofs(monitor))) {
        return false;
    }

    const SceneBody* body = &scene->bodies[pair->body_a];
    const SceneRobot* robot = &scene->robots[body->robot];
    int32_t a = frame_of(monitor, body), b = frame_of(monitor, &scene->bodies[pair->body_b]);
    while (a != b) {  // parents come first
        const int32_t deeper = a > b ? a : b;
        if (!buffers->joints[robot->first_frame + deeper].within) {
            return false;
        }
        if (a > b) {
            a = robot->robot->frames[a].parent;
        } else {
            b = robot->robot->frames[b].parent;
        }
    }
    return true;
}

static int32_t pair_of_bodies(const BerthMonitor* monitor, const SimpleBody* a, const SimpleBody* b) {
    const size_t bodies = (size_t)monitor->scene->body_count;
    const int32_t row = monitor->pair_row[a->body];
    const size_t at = row >= 0 ? (size_t)row * bodies + (size_t)b->body
                               : (size_t)monitor->pair_row[b->body] * bodies + (size_t)a->body;
    return monitor->pair_of[at];
}

// What there must be between two simple bodies of a pair, if nothing could go anywhere.
static double unchanged_of(const BerthMonitor* monitor, int32_t pair) {
    return monitor->safety.margin + 2.0 * monitor->def.model_error + monitor->scene->pairs[pair].padding;
}

// After a stop for nearness there is a permit only when there is more room than it needs: noise at the border would else give and take
// it hundreds of times a second.
static double held_back(const BerthMonitor* monitor) {
    return monitor->held ? monitor->safety.hysteresis : 0.0;
}

static NearPair measure_pair(BerthMonitor* monitor, const BerthIndexPair* near) {
    const int32_t at_a = monitor->simple_of[near->a];
    const int32_t at_b = monitor->simple_of[near->b];
    const SimpleBody* a = &monitor->simple_bodies[at_a];
    const SimpleBody* b = &monitor->simple_bodies[at_b];

    NearPair pair = {.a = a, .b = b, .cloud = -1, .pair = pair_of_bodies(monitor, a, b)};
    pair.required = monitor_required(unchanged_of(monitor, pair.pair) + held_back(monitor),
                                     bi_monitor_combined_reach(monitor, &monitor->now, a, b));

    monitor->counters.distances += 1;
    pair.gap =
        berth_shape_gap(&a->shape, &monitor->simple_pose[at_a], &b->shape, &monitor->simple_pose[at_b]);
    return pair;
}

static bool may_refine(const BerthMonitor* monitor, const NearPair* pair) {
    // The checker knows where joints are; not where things are that move by themselves.
    return monitor->def.refine && pair->a->object < 0 && pair->b->object < 0;
}

// For the speed scale, which is found when all are measured.
static void keep_for_scale(BerthMonitor* monitor, const NearPair* pair, double unchanged) {
    if (monitor->def.speed_scale) {
        monitor->scale_pairs[monitor->scale_count++] =
            (ScalePair){.a = (int32_t)(pair->a - monitor->simple_bodies),
                        .b = pair->b != NULL ? (int32_t)(pair->b - monitor->simple_bodies) : -1,
                        .cloud = pair->cloud,
                        .pair = pair->pair,
                        .gap = pair->gap.lower,
                        .unchanged = unchanged};
    }
}

static bool is_proven_now(const BerthMonitor* monitor, int32_t pair) {
    return monitor->scene->proven_count > 0 && bi_monitor_is_proven(monitor, &monitor->now, pair);
}

// Is a pair that is proven apart now so at any speed that is considered? Then there is nothing to measure.
static bool stays_proven(const BerthMonitor* monitor, int32_t pair) {
    return !monitor->def.speed_scale || bi_monitor_is_proven(monitor, &monitor->fastest, pair);
}

// First all pairs of simple bodies. Those that are too near and have meshes are kept at the front of the list; their meshes
// are measured afterwards, once for all simple bodies of two bodies.
static void judge_bodies(BerthMonitor* monitor, int32_t count, CycleFinding* found) {
    const uint64_t asked = 2 * monitor->sequence;
    int32_t open_count = 0;

    for (int32_t i = 0; i < count; ++i) {
        const BerthIndexPair* near = &monitor->near[i];
        const SimpleBody* a = &monitor->simple_bodies[monitor->simple_of[near->a]];
        const SimpleBody* b = &monitor->simple_bodies[monitor->simple_of[near->b]];
        const int32_t of_bodies = pair_of_bodies(monitor, a, b);
        const bool proven = is_proven_now(monitor, of_bodies);
        if (proven && stays_proven(monitor, of_bodies)) {
            continue;
        }

        const NearPair pair = measure_pair(monitor, near);
        keep_for_scale(monitor, &pair, unchanged_of(monitor, pair.pair));
        if (proven) {
            continue;
        }
        if (pair.gap.lower - pair.required > 0.0 || !may_refine(monitor, &pair)) {
            note_pair(monitor, &pair, pair.gap.lower - pair.required > 0.0, found);
            continue;
        }

        monitor->near[open_count++] = monitor->near[i];
        const bool first = monitor->refine_stamp[pair.pair] != asked;
        monitor->refine_stamp[pair.pair] = asked;
        if (first || !(pair.required <= monitor->refine_wanted[pair.pair])) {
            monitor->refine_wanted[pair.pair] = pair.required;
        }
    }

    monitor->refine_left = monitor->def.refine_cycle_nodes;
    for (int32_t i = 0; i < open_count; ++i) {
        const NearPair pair = measure_pair(monitor, &monitor->near[i]);
        if (monitor->refine_stamp[pair.pair] == asked) {
            monitor->refine_stamp[pair.pair] = asked + 1;
            bi_monitor_refine_pair(monitor, pair.pair);
        }
        note_pair(monitor, &pair, monitor->refine_lower[pair.pair] > pair.required, found);
    }
}

static void judge_clouds(BerthMonitor* monitor, CycleFinding* found) {
    for (int32_t c = 0; c < monitor->cloud_count; ++c) {
        for (int32_t i = 0; i < monitor->simple_count; ++i) {
            const SimpleBody* simple = &monitor->simple_bodies[i];
            if (simple->row_count == 1 || !monitor->simple_shown[i] ||
                monitor->clouds[c].ignored[simple->body]) {
                continue;
            }

            const double unchanged = bi_monitor_cloud_unchanged(monitor, simple);
            const double required =
                bi_monitor_cloud_required(monitor, &monitor->now, simple, c) + held_back(monitor);
            double wanted = required;
            if (monitor->def.speed_scale) {
                const double most = bi_monitor_cloud_required(monitor, &monitor->fastest, simple, c);
                wanted = most > wanted ? most : wanted;  // NaN stays
            }

            CloudNearest nearest;
            if (!bi_monitor_cloud_nearest(monitor, i, c, wanted, &nearest)) {
                found->stop = BERTH_STOP_UNKNOWN;
            } else if (nearest.point >= 0) {
                const NearPair pair = {
                    .a = simple, .cloud = c, .pair = -1, .required = required, .gap = nearest.gap};
                keep_for_scale(monitor, &pair, unchanged);
                note_pair(monitor, &pair, nearest.gap.lower - required > 0.0, found);
            }
        }
    }
}

static BerthStop judge_pairs(BerthMonitor* monitor, double now, BerthPermit* out) {
    if (!bi_monitor_place(monitor, now)) {
        return BERTH_STOP_UNKNOWN;
    }
    const int32_t count = berth_index_pairs(monitor->index, monitor->near, monitor->near_capacity);
    if (count > monitor->near_capacity) {
        return BERTH_STOP_UNKNOWN;
    }
    monitor->counters.pairs += count;
    monitor->scale_count = 0;
    monitor->retreat_most = monitor->def.crawl * berth_monitor_horizon(monitor, out->age) / BI_MONITOR_GROWN;

    CycleFinding found = {.out = out,
                          .worst = (double)INFINITY,
                          .stop = BERTH_STOP_NONE,
                          .may_retreat = monitor->def.crawl > 0.0};
    judge_bodies(monitor, count, &found);
    judge_clouds(monitor, &found);
    monitor->held = found.stop != BERTH_STOP_NONE;
    out->retreat = found.may_retreat && found.stop == BERTH_STOP_NEAR;
    if (monitor->def.speed_scale && found.stop != BERTH_STOP_UNKNOWN) {
        bi_monitor_find_scale(monitor, now, out);
    }
    return found.stop;
}

// ---- the cycle -------------------------------------------------------------------------------------------

// What must be so before anything is looked at. Latches what is not.
static bool check_before_cycle(BerthMonitor* monitor, double now) {
    if (monitor->scene->generation != monitor->generation) {
        bi_monitor_fault(monitor, BERTH_STOP_MODEL, FAULT_ANYWHERE);  // what it points to may be gone
        return false;
    }
    if (!(fabs(now) <= PERIODS_MOST * monitor->safety.period)) {
        bi_monitor_fault(monitor, BERTH_STOP_UNKNOWN, FAULT_ANYWHERE);
        return false;
    }
    if (!numbers_are_right()) {
        bi_monitor_fault(monitor, BERTH_STOP_NUMBERS, FAULT_ANYWHERE);
        return false;
    }
    return true;
}

static BerthStop decide_stop(BerthMonitor* monitor, double now, BerthPermit* out) {
    if (!check_before_cycle(monitor, now)) {
        return monitor->pending;
    }

    const double passed = now - monitor->last_cycle;
    if (monitor->has_cycle && !(passed >= 0.0 && passed <= 1.5 * monitor->safety.period)) {
        bi_monitor_fault(monitor, BERTH_STOP_OVERRUN, FAULT_ANYWHERE);
    }
    bi_monitor_apply_choices(monitor);

    const int32_t silent = find_silent_source(monitor);
    if (silent >= 0) {
        out->source = silent;
        const bool quiet = monitor->pending == BERTH_STOP_NONE;
        return quiet ? BERTH_STOP_NO_STATE : monitor->pending;
    }

    out->age = bi_monitor_oldest_age(monitor, now);
    judge_ages(monitor, now);
    // Looked at in every cycle, also when there will be no permit: people want to see what is near.
    const BerthStop near = judge_pairs(monitor, now, out);
    if (near == BERTH_STOP_UNKNOWN || (near == BERTH_STOP_NEAR && monitor->def.latch_near)) {
        bi_monitor_fault(monitor, near, FAULT_ANYWHERE);
    }

    if (monitor->pending != BERTH_STOP_NONE) {
        return monitor->pending;
    }

    if (monitor->latched != BERTH_STOP_NONE) {
        if (!may_unlatch(monitor)) {
            return BERTH_STOP_RESET;
        }
        monitor->latched = BERTH_STOP_NONE;
        monitor->reset_asked = false;
        monitor->episode += 1;
    }
    return near;
}

static void forget_scale(BerthPermit* permit) {
    permit->scale = 0.0;
    permit->scale_a = permit->scale_b = permit->scale_cloud = -1;
}

void berth_monitor_cycle(BerthMonitor* monitor, double now, BerthPermit* out) {
    *out = (BerthPermit){.sequence = ++monitor->sequence,
                         .valid_until = now,
                         .value = -1,
                         .source = -1,
                         .body_a = -1,
                         .body_b = -1,
                         .cloud = -1,
                         .object = -1,
                         .choice = -1,
                         .scale_a = -1,
                         .scale_b = -1,
                         .scale_cloud = -1,
                         .distance = (double)INFINITY,
                         .age = (double)NAN,
                         .time_to_contact = (double)INFINITY};

    monitor->counters.cycles += 1;
    bi_monitor_begin_maps(monitor);
    const BerthStop stop = monitor->ended ? BERTH_STOP_END : decide_stop(monitor, now, out);
    memcpy(out->model, monitor->model, sizeof out->model);
    out->reason = stop;
    out->cause = monitor->latched;

    if (monitor->pending != BERTH_STOP_NONE && stop == monitor->pending) {
        const FaultAt at = monitor->fault_at;
        out->value = at.value;
        out->source = at.source;
        out->cloud = at.cloud >= 0 ? at.cloud : out->cloud;
        out->object = at.body;
        out->choice = at.choice;
    }

    out->go = stop == BERTH_STOP_NONE;
    out->retreat = out->retreat && stop == BERTH_STOP_NEAR && monitor->latched == BERTH_STOP_NONE;
    if (out->retreat) {
        bi_monitor_begin_retreat(monitor);
    }
    monitor->episode += out->go;
    out->valid_until = out->go || out->retreat ? now + monitor->def.valid_for : now;
    monitor->permit_time[out->sequence % PERMIT_TIMES] = now;
    if (!out->go && stop != BERTH_STOP_NEAR) {
        forget_scale(out);  // there is nothing to slow down from
    }

    monitor->pending = BERTH_STOP_NONE;
    if (isfinite(now)) {
        monitor->last_cycle = now;
        monitor->has_cycle = true;
    }
}

void berth_monitor_seal(BerthMonitor* monitor, double finished, BerthPermit* permit) {
    const double started = monitor->last_cycle;
    const bool in_time = finished >= started && finished - started <= monitor->safety.period;
    if ((permit->go || permit->retreat) && !(in_time && permit->sequence == monitor->sequence)) {
        bi_monitor_fault(monitor, BERTH_STOP_OVERRUN, FAULT_ANYWHERE);
        monitor->pending = BERTH_STOP_NONE;  // this permit reports it
        permit->go = permit->retreat = false;
        permit->reason = BERTH_STOP_OVERRUN;
        permit->cause = BERTH_STOP_OVERRUN;
        permit->valid_until = started;
        forget_scale(permit);
    }
    monitor->counters.permits += permit->go;
    monitor->counters.retreats += permit->retreat;
    monitor->counters.stops[permit->reason] += 1;
}

BerthMonitorCounters berth_monitor_counters(const BerthMonitor* monitor) {
    return monitor->counters;
}

int32_t berth_monitor_body_count(const BerthMonitor* monitor) {
    return monitor->simple_count;
}

BerthSimpleBody berth_monitor_body(const BerthMonitor* monitor, int32_t index) {
    const SimpleBody* simple = &monitor->simple_bodies[index];
    return (BerthSimpleBody){.body = simple->body,
                             .shape = simple->shape,
                             .pose = monitor->simple_pose[index],
                             .buffer = bi_simple_body_reach(&monitor->now, simple)};
}

size_t berth_monitor_bytes(const BerthMonitor* monitor) {
    return monitor->bytes;
}
