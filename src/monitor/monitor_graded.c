// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What a permit says beyond GO and STOP: the speed scale, and RETREAT.
//
// The speed scale is the largest share of their velocity limits, in steps of 1 / SCALE_STEPS, at which all
// joints could move at this moment and everything would still be far enough apart. It is advice for a
// controller that would rather slow down than be stopped; permits do not depend on it. Distances were
// measured by this cycle, for all pairs that are near at the largest speeds, so a step is tested by buffers
// alone. These grow with speeds, so steps are found by bisection.
//
// RETREAT lets an arm that was stopped near something be backed out. Its proof needs no promise of a
// controller: while it is given no pair that is too near can come nearer than its gap when the retreat began
// less `crawl` times the horizon (docs/theory/monitor.md).
// Entries: bi_monitor_find_scale; bi_monitor_judge_retreat, bi_monitor_begin_retreat.

#include "math/math.h"
#include "monitor/monitor.h"

enum { SCALE_STEPS = 32 };

// Metres, or NaN, that a pair has to spare with these buffers.
static double spare_of(const BerthMonitor* monitor, const Buffers* buffers, const ScalePair* pair) {
    const SimpleBody* a = &monitor->simple_bodies[pair->a];
    const double reach =
        pair->b >= 0 ? bi_monitor_combined_reach(monitor, buffers, a, &monitor->simple_bodies[pair->b])
                     : bi_simple_body_reach(buffers, a) + buffers->cloud_reach[pair->cloud];
    return pair->gap - monitor_required(pair->unchanged, reach);
}

static bool is_proven(const BerthMonitor* monitor, const Buffers* buffers, const ScalePair* pair) {
    return pair->b >= 0 && monitor->scene->proven_count > 0 &&
           bi_monitor_is_proven(monitor, buffers, pair->pair);
}

// The pair that lacks most of what is required, or -1: everything is far enough apart.
static int32_t find_most_lacking(const BerthMonitor* monitor, const Buffers* buffers) {
    int32_t lacking = -1;
    double least = INFINITY;
    for (int32_t i = 0; i < monitor->scale_count; ++i) {
        const ScalePair* pair = &monitor->scale_pairs[i];
        const double spare = spare_of(monitor, buffers, pair);
        if (spare > 0.0 || is_proven(monitor, buffers, pair)) {
            continue;
        }
        if (lacking < 0 || !(spare >= least)) {
            least = spare;
            lacking = i;
        }
    }
    return lacking;
}

// Where meshes were measured they may show a larger gap.
static void take_refined(BerthMonitor* monitor) {
    for (int32_t i = 0; i < monitor->scale_count && monitor->def.refine; ++i) {
        ScalePair* pair = &monitor->scale_pairs[i];
        const bool asked = pair->pair >= 0 && monitor->refine_stamp[pair->pair] == 2 * monitor->sequence + 1;
        if (asked && monitor->refine_lower[pair->pair] > pair->gap) {
            pair->gap = monitor->refine_lower[pair->pair];
        }
    }
}

void bi_monitor_find_scale(BerthMonitor* monitor, double now, BerthPermit* out) {
    take_refined(monitor);
    int32_t limit = find_most_lacking(monitor, &monitor->fastest);
    if (limit < 0) {
        out->scale = 1.0;
        return;
    }

    int low = -1, high = SCALE_STEPS;  // steps that hold, and that do not
    while (high - low > 1) {
        const int middle = (low + high) / 2;  // -1 and 1: 0
        bi_monitor_find_buffers(monitor, now, (double)middle / SCALE_STEPS, &monitor->trial);
        const int32_t lacking = find_most_lacking(monitor, &monitor->trial);
        if (lacking < 0) {
            low = middle;
        } else {
            high = middle;
            limit = lacking;
        }
    }

    const ScalePair* pair = &monitor->scale_pairs[limit];
    out->scale = low > 0 ? (double)low / SCALE_STEPS : 0.0;
    out->scale_a = monitor->simple_bodies[pair->a].body;
    out->scale_b = pair->b >= 0 ? monitor->simple_bodies[pair->b].body : -1;
    out->scale_cloud = pair->b >= 0 ? -1 : pair->cloud;
}

// ---- retreat -------------------------------------------------------------------------------------------------

// Metres per second that are no motion: what rounding makes of velocities across the connecting line. How far such a pair can come
// nearer is bounded without it.
#define RETREAT_STILL 1e-6

/// Speeds along a direction, by what joints tell and by what is seen of them.
typedef struct Rates {
    double told, seen;
} Rates;

static void add_rate(Rates* sum, double along, double told, double seen) {
    sum->told += along * told;
    sum->seen += along * seen;
}

// How fast a point goes along n. Values that are not reported have no rate (NaN); a base that drives or floats may go any way.
static Rates rate_along(const BerthMonitor* monitor, const SimpleBody* simple, Vec3 point, Vec3 n) {
    const BerthScene* scene = monitor->scene;
    Rates sum = {0.0, 0.0};
    for (int32_t k = 1; k < simple->row_count; ++k) {
        const int32_t at = monitor->row_frame[simple->first_row + k];
        const SceneRobot* robot = &scene->robots[scene->bodies[simple->body].robot];
        const RobotFrame* f = &robot->robot->frames[at - robot->first_frame];
        const Pose* pose = &monitor->checker->world_from_frame[at];
        const int32_t value = robot->first_value + f->value;

        const Vec3 axis = pose_turn(pose, f->axis);
        const Vec3 lever = f->motion == FRAME_SLIDE ? axis : v3_cross(axis, v3_sub(point, pose->t));
        if (f->motion == FRAME_PLANAR) {
            for (int i = 0; i < 2; ++i) {
                add_rate(&sum, 1.0, fabs(monitor->told[value + i]), fabs(monitor->seen[value + i]));
            }
            add_rate(&sum, v3_dot(n, lever), monitor->told[value + 2], monitor->seen[value + 2]);
        } else if (f->motion == FRAME_FLOATING) {
            add_rate(&sum, monitor->joints[at].velocity, 1.0, 1.0);  // its rotation is never reported
        } else {
            add_rate(&sum, v3_dot(n, lever) * f->multiplier, monitor->told[value], monitor->seen[value]);
        }
    }
    return sum;
}

bool bi_monitor_judge_retreat(BerthMonitor* monitor, const SimpleBody* a, const SimpleBody* b, int32_t pair,
                              double gap, const BerthGap* measured) {
    // Until everything stands still it cannot come nearer than by this, whatever joints do.
    const double reach = bi_monitor_combined_reach(monitor, &monitor->now, a, b) * BI_MONITOR_GROWN;
    if (!(reach <= monitor->retreat_most)) {
        return false;
    }

    // It goes away, or stands, both by what is reported and by what is seen.
    const Rates rate_a = rate_along(monitor, a, measured->point_a, measured->normal);
    const Rates rate_b = rate_along(monitor, b, measured->point_b, v3_neg(measured->normal));
    if (!(rate_a.told + rate_b.told <= RETREAT_STILL && rate_a.seen + rate_b.seen <= RETREAT_STILL)) {
        return false;
    }

    RetreatPair* retreat = &monitor->retreats[pair];
    const bool first = retreat->cycle != monitor->sequence;
    retreat->gap = first ? gap : fmin(gap, retreat->gap);
    retreat->cycle = monitor->sequence;

    // What it lost since the retreat began and what it can lose now are together no more than may be lost.
    return retreat->episode != monitor->episode || gap - reach >= retreat->start - monitor->retreat_most;
}

void bi_monitor_begin_retreat(BerthMonitor* monitor) {
    for (int32_t i = 0; i < monitor->scene->pair_count; ++i) {
        RetreatPair* retreat = &monitor->retreats[i];
        if (retreat->cycle == monitor->sequence && retreat->episode != monitor->episode) {
            retreat->episode = monitor->episode;
            retreat->start = retreat->gap;
        }
    }
}
