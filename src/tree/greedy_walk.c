// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// GREEDY-DIST for any two solids: on RSS trees when both are meshes, otherwise, and for the engine of
// spheres, by a distance with a loose tolerance.
// Entry: bi_solid_greedy_distance.

#include "math/math.h"
#include "tree/rss.h"
#include "tree/solid.h"

// lower >= upper / 2: about what GREEDY-DIST gives, at about its cost.
#define LOOSE_TOLERANCE 1.0

static double greedy_by_distance(BerthTreeQuery* query, const BerthSolid* a, const BerthSolid* b,
                                 const Pose* a_from_b, double delta, double slack, BerthCounters* counters) {
    SolidRequest request = {.min_d = delta,
                            .stop_d = delta,
                            .max_d = INFINITY,
                            .tolerance = LOOSE_TOLERANCE,
                            .slack = slack,
                            .sorted = true};

    BerthTreeAnswer answer;
    bi_solid_query(query, a, b, a_from_b, &request, &answer);
    counters_add(counters, &answer.counters);

    if (answer.verdict == BERTH_UNKNOWN && answer.reason == BERTH_REASON_NUMERIC && answer.upper > delta) {
        request.tolerance = 0.0;  // between delta and twice delta: the loose bound was too loose
        bi_solid_query(query, a, b, a_from_b, &request, &answer);
        counters_add(counters, &answer.counters);
    }
    return answer.verdict == BERTH_FREE ? answer.lower : 0.0;
}

double bi_solid_greedy_distance(BerthTreeQuery* query, const BerthSolid* a, const BerthSolid* b,
                                const Pose* a_from_b, double delta, double slack, BerthCounters* counters) {
    if (!v3_finite(a_from_b->t) || !v3_finite(a_from_b->x) || !v3_finite(a_from_b->y) ||
        !v3_finite(a_from_b->z)) {
        return 0.0;
    }

    const RssTree* tree_a = solid_rss(a);
    const RssTree* tree_b = solid_rss(b);
    if (tree_a == NULL || tree_b == NULL || query->engine == BERTH_ENGINE_SPHERES) {
        return greedy_by_distance(query, a, b, a_from_b, delta, slack, counters);
    }

    const double found =
        bi_rss_greedy_distance(tree_a, tree_b, a_from_b, delta, slack, query->node_budget, counters);
    Vec3 point;
    return found > delta && !bi_solid_find_nested(a, b, a_from_b, &point) ? found : 0.0;
}
