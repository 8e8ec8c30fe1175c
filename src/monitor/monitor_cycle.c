// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One cycle: is everything fresh, is everything far enough apart? Whatever is not known is STOP, and a fault is latched until
// somebody asks for permits again and good messages have come.

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

static bool all_heard(const BerthMonitor* monitor, int32_t* source) {
    for (int32_t i = 0; i < monitor->source_count; ++i) {
        if (!monitor->sources[i].heard) {
            *source = i;
            return false;
        }
    }
    return true;
}

static void judge_ages(BerthMonitor* monitor, double now) {
    const double most = monitor->safety.silence;
    for (int32_t i = 0; i < monitor->source_count; ++i) {
        // A receipt later than now is a clock that jumped: not fresh either.
        const double age = now - monitor->sources[i].received;
        if (monitor->sources[i].heard && !(age >= 0.0 && age <= most)) {
            bi_monitor_fault(monitor, BERTH_STOP_LATE, -1, i);
        }
    }
    for (int32_t i = 0; i < monitor->object_count; ++i) {
        const double age = now - monitor->objects[i].received;
        if (!monitor->objects[i].heard || !(age >= 0.0 && age <= most)) {
            bi_monitor_fault(monitor, BERTH_STOP_OBJECT, -1, -1);
        }
    }
}

static bool may_unlatch(const BerthMonitor* monitor) {
    if (!monitor->reset_asked) {
        return false;
    }
    for (int32_t i = 0; i < monitor->source_count; ++i) {
        if (monitor->sources[i].good < monitor->def.good_needed) {
            return false;
        }
    }
    for (int32_t i = 0; i < monitor->object_count; ++i) {
        if (monitor->objects[i].good < monitor->def.good_needed) {
            return false;
        }
    }
    return true;
}

// ---- pairs -----------------------------------------------------------------------------------------------

/// A pair of guards and what there must be between them.
typedef struct GuardPair {
    const Guard* a;
    const Guard* b;
    const ScenePair* pair;
    double required;
    BerthGap gap;
} GuardPair;

// Joints that move both alike move neither against the other.
static double reach_beyond(const BerthMonitor* monitor, const Guard* a, const Guard* b) {
    const int32_t* frame_a = monitor->row_frame + a->first_row;
    const int32_t* frame_b = monitor->row_frame + b->first_row;
    const double* sum_a = monitor->row_sum + a->first_row;
    const double* sum_b = monitor->row_sum + b->first_row;
    int32_t row = 0;
    while (row + 1 < a->row_count && row + 1 < b->row_count && frame_a[row + 1] == frame_b[row + 1]) {
        row += 1;
    }
    const double both = sum_a[a->row_count - 1] + sum_b[b->row_count - 1];
    const double common = row > 0 ? sum_a[row] + sum_b[row] : 0.0;
    return both - common + 0x1p-40 * both;
}

static double speed_along(const BerthMonitor* monitor, const Guard* guard, Vec3 point, Vec3 n) {
    const BerthScene* scene = monitor->scene;
    double speed = guard->object >= 0 ? monitor->objects[guard->object].speed : 0.0;
    for (int32_t k = 1; k < guard->row_count; ++k) {
        const int32_t at = monitor->row_frame[guard->first_row + k];
        const SceneRobot* robot = &scene->robots[scene->bodies[guard->body].robot];
        const RobotFrame* f = &robot->robot->frames[at - robot->first_frame];
        const Pose* pose = &monitor->checker->world_from_frame[at];
        const Vec3 axis = pose_turn(pose, f->axis);
        const Vec3 lever = f->motion == FRAME_SLIDE ? axis : v3_cross(axis, v3_sub(point, pose->t));
        const int32_t value = robot->first_value + f->value;
        if (f->motion == FRAME_PLANAR) {
            speed += monitor->speeds[value] + monitor->speeds[value + 1] +
                     fabs(v3_dot(n, lever)) * monitor->speeds[value + 2];
        } else if (isfinite(monitor->told[value])) {
            speed += v3_dot(n, lever) * f->multiplier * monitor->told[value];
        } else {
            speed += fabs(v3_dot(n, lever) * f->multiplier) * monitor->speeds[value];
        }
    }
    return speed;
}

static void tell_pair(const BerthMonitor* monitor, const GuardPair* pair, BerthPermit* out) {
    out->body_a = pair->a->body;
    out->body_b = pair->b->body;
    out->distance = pair->gap.lower;
    out->required = pair->required;
    out->point_a = pair->gap.point_a;
    out->point_b = pair->gap.point_b;
    const Vec3 n = pair->gap.normal;
    out->approach = speed_along(monitor, pair->a, pair->gap.point_a, n) +
                    speed_along(monitor, pair->b, pair->gap.point_b, v3_neg(n));
    out->time_to_contact =
        out->approach > 0.0 ? fmax(pair->gap.lower, 0.0) / out->approach : (double)INFINITY;
}

// The meshes themselves, where simple bodies are too near. True when they are proven far enough apart.
static bool refine(BerthMonitor* monitor, const GuardPair* pair) {
    if (!monitor->def.refine || pair->a->object >= 0 || pair->b->object >= 0) {
        return false;
    }
    monitor->counters.refined += 1;
    const double wanted = pair->required - pair->pair->padding;
    const PairRequest request = {.max_d = wanted, .enough = wanted};
    BerthTreeAnswer answer;
    bi_check_pair(monitor->checker, pair->pair, &request, &answer);
    return answer.lower + pair->pair->padding > pair->required;
}

// The gap of two guards against what there must be. `out` keeps the pair that is worst.
static BerthStop judge_pair(BerthMonitor* monitor, const BerthIndexPair* near, BerthPermit* out,
                            double* worst) {
    const Guard* a = &monitor->guards[monitor->guard_of[near->a]];
    const Guard* b = &monitor->guards[monitor->guard_of[near->b]];
    const int32_t at = monitor->pair_of[a->body * monitor->scene->body_count + b->body];
    GuardPair pair = {.a = a, .b = b, .pair = &monitor->scene->pairs[at]};
    pair.required = monitor->safety.margin + 2.0 * monitor->def.model_error + pair.pair->padding +
                    reach_beyond(monitor, a, b);
    monitor->counters.distances += 1;
    pair.gap = berth_shape_gap(&a->shape, (const BerthPose*)&a->pose, &b->shape, (const BerthPose*)&b->pose);
    const double spare = pair.gap.lower - pair.required;
    const bool is_free = spare > 0.0 || refine(monitor, &pair);
    const double rank = is_free && !(spare > 0.0) ? 0.0 : spare;
    if (!(rank >= *worst)) {
        *worst = rank > -(double)INFINITY ? rank : -(double)INFINITY;
        tell_pair(monitor, &pair, out);
    }
    return is_free ? BERTH_STOP_NONE : isfinite(pair.gap.lower) ? BERTH_STOP_NEAR : BERTH_STOP_UNKNOWN;
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
    BerthStop worst = BERTH_STOP_NONE;
    double least = (double)INFINITY;
    for (int32_t i = 0; i < count; ++i) {
        const BerthStop stop = judge_pair(monitor, &monitor->near[i], out, &least);
        worst = stop > worst ? stop : worst;
    }
    return worst;
}

// ---- the cycle -------------------------------------------------------------------------------------------

static BerthStop decide(BerthMonitor* monitor, double now, BerthPermit* out) {
    if (monitor->ended) {
        return BERTH_STOP_END;
    }
    int32_t silent = -1;
    if (!all_heard(monitor, &silent)) {
        out->source = silent;
        const bool quiet = monitor->pending == BERTH_STOP_NONE;
        return quiet ? BERTH_STOP_NO_STATE : monitor->pending;
    }
    judge_ages(monitor, now);
    if (monitor->last_cycle > -(double)INFINITY &&
        !(now - monitor->last_cycle <= 1.5 * monitor->safety.period)) {
        bi_monitor_fault(monitor, BERTH_STOP_OVERRUN, -1, -1);
    }
    // Looked at in every cycle, also when there will be no permit: people want to see what is near.
    const BerthStop near = judge_pairs(monitor, now, out);
    if (near == BERTH_STOP_UNKNOWN || (near == BERTH_STOP_NEAR && monitor->def.latch_near)) {
        bi_monitor_fault(monitor, near, -1, -1);
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
    }
    return near;
}

void berth_monitor_cycle(BerthMonitor* monitor, double now, BerthPermit* out) {
    *out = (BerthPermit){.sequence = ++monitor->sequence,
                         .valid_until = now,
                         .value = -1,
                         .source = -1,
                         .body_a = -1,
                         .body_b = -1,
                         .distance = (double)INFINITY,
                         .time_to_contact = (double)INFINITY};
    memcpy(out->model, monitor->model, sizeof out->model);
    monitor->counters.cycles += 1;
    const BerthStop stop = isfinite(now) ? decide(monitor, now, out) : BERTH_STOP_UNKNOWN;
    out->reason = stop;
    out->cause = monitor->latched;
    if (monitor->pending != BERTH_STOP_NONE && stop == monitor->pending) {
        out->value = monitor->fault_value;
        out->source = monitor->fault_source;
    }
    out->go = stop == BERTH_STOP_NONE;
    out->valid_until = out->go ? now + monitor->def.valid_for : now;
    monitor->pending = BERTH_STOP_NONE;
    monitor->last_cycle = now;
}

void berth_monitor_seal(BerthMonitor* monitor, double finished, BerthPermit* permit) {
    const double started = monitor->last_cycle;
    if (permit->go && !(finished >= started && finished - started <= monitor->safety.period)) {
        bi_monitor_fault(monitor, BERTH_STOP_OVERRUN, -1, -1);
        monitor->pending = BERTH_STOP_NONE;  // this permit tells it
        permit->go = false;
        permit->reason = BERTH_STOP_OVERRUN;
        permit->cause = BERTH_STOP_OVERRUN;
        permit->valid_until = started;
    }
    monitor->counters.permits += permit->go;
    monitor->counters.stops[permit->reason] += 1;
}

BerthMonitorCounters berth_monitor_counters(const BerthMonitor* monitor) {
    return monitor->counters;
}

int32_t berth_monitor_body_count(const BerthMonitor* monitor) {
    return monitor->guard_count;
}

BerthGuardBody berth_monitor_body(const BerthMonitor* monitor, int32_t index) {
    const Guard* guard = &monitor->guards[index];
    BerthGuardBody out = {.body = guard->body, .shape = guard->shape};
    out.pose = *(const BerthPose*)&guard->pose;
    out.buffer = monitor->row_sum[guard->first_row + guard->row_count - 1];
    return out;
}

size_t berth_monitor_bytes(const BerthMonitor* monitor) {
    return monitor->bytes;
}
