// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The speed scale of a permit: the largest share of their velocity limits, in steps of 1 / SCALE_STEPS, at which all joints could go
// right now and everything would still be far enough apart. Advice for a controller that would rather slow down than be
// stopped; permits do not depend on it. Distances were measured by this cycle, of all pairs that are near at the largest speeds, so
// a step is tried by buffers alone. These grow with speeds, so steps are found by halving.
// Entry: bi_monitor_find_scale.

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

// Where meshes were asked they may know of a larger gap.
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
