// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The exact second look: where simple bodies are too near, the meshes decide, as long as the cycle has nodes
// and time left. What they cannot prove stays too near.

#include "monitor/monitor.h"

bool bi_monitor_refine_pair(BerthMonitor* monitor, int32_t at) {
    const ScenePair* pair = &monitor->scene->pairs[at];
    const double wanted = monitor->refine_wanted[at];
    monitor->refine_lower[at] = -(double)INFINITY;
    monitor->counters.refined += 1;

    const bool no_time =
        monitor->def.refine_stop != NULL && monitor->def.refine_stop(monitor->def.refine_user);
    if (no_time || monitor->refine_left <= 0 || !(wanted < BI_COORDINATE_MAX)) {
        monitor->counters.refine_spent += 1;
        return false;
    }

    // The limit is of parts; a body has several. What one pair of bodies opens is taken off what the others have.
    const int32_t most = monitor->def.refine_nodes;
    const int64_t parts = (int64_t)monitor->scene->bodies[pair->body_a].part_count *
                          monitor->scene->bodies[pair->body_b].part_count;
    const int64_t share = monitor->refine_left / parts;
    monitor->checker->query->node_budget = share < most ? (int32_t)share : most;
    const int64_t before = monitor->checker->stats.nodes_opened;

    // Gaps come without the padding that `wanted` has in it.
    const double limit = (wanted - pair->padding) * BI_MONITOR_GROWN;
    const PairRequest request = {.max_d = limit, .enough = limit};
    BerthTreeAnswer answer;
    bi_check_pair(monitor->checker, pair, &request, &answer);

    const int64_t opened = monitor->checker->stats.nodes_opened - before;
    monitor->refine_left -= opened < monitor->refine_left ? (int32_t)opened : monitor->refine_left;

    const double unpadded = answer.lower + pair->padding;
    monitor->refine_lower[at] = unpadded - BI_ULP * fabs(unpadded);
    monitor->counters.refined_free += monitor->refine_lower[at] > wanted;
    return monitor->refine_lower[at] > wanted;
}
