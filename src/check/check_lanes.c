// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// States by lanes: balls in wide registers decide most of them, and the bodies those that are left open.
// docs/theory/lanes.md explains why the free and hit answers of lanes are valid. Pairs that never change are
// free where a checker keeps its lanes (checker_create.c).
// Entries: bi_check_state_by_lanes, bi_check_states.

#include "check/check.h"

/// More pairs of a state that are open, and the whole state is asked.
enum { OPEN_PAIRS = 16 };

// Pairs of the scene that lanes left open in a lane. False where that is more than pairs can tell.
static bool list_open(const BerthChecker* checker, int32_t lane, int32_t* pairs, int32_t* count) {
    int32_t bodies[OPEN_PAIRS][2];
    *count = bi_lanes_open_pairs(checker->lanes, lane, bodies, OPEN_PAIRS);
    for (int32_t i = 0; i < *count; ++i) {
        pairs[i] = bi_scene_find_pair(checker->scene, bodies[i][0], bodies[i][1]);
        if (pairs[i] < 0) {
            return false;
        }
    }
    return *count > 0;
}

// The two bodies of a hit are in each other for certain; where they touch is for the bodies themselves to say.
static bool find_witness(BerthChecker* checker, const double* values, BerthCheckResult* out) {
    int32_t a, b;
    if (!bi_lanes_hit_bodies(checker->lanes, 0, &a, &b)) {
        return false;
    }
    const int32_t pair = bi_scene_find_pair(checker->scene, a < b ? a : b, a < b ? b : a);
    return pair >= 0 && bi_check_open(checker, values, &pair, 1, out) == BERTH_OK &&
           out->verdict == BERTH_COLLISION;
}

static int32_t count_all_proven(const BerthChecker* checker) {
    int32_t count = 0;
    for (int32_t r = 0; r < checker->robot_count; ++r) {
        count += checker->proven[r];
    }
    return count;
}

bool bi_check_state_by_lanes(BerthChecker* checker, const double* values, BerthCheckResult* out) {
    uint8_t verdict;
    if (!bi_lanes_ask_states(checker->lanes, values, checker->value_count, 1, &verdict)) {
        return false;
    }

    int32_t pairs[OPEN_PAIRS], count;
    switch (verdict) {
    case LANES_FREE:
        *out = bi_check_no_result();
        out->verdict = BERTH_FREE;
        out->reason = BERTH_REASON_NONE;
        out->proven_count = count_all_proven(checker);
        checker->stats.queries += 1;
        return true;
    case LANES_HIT:
        return find_witness(checker, values, out);
    default:
        return list_open(checker, 0, pairs, &count) &&
               bi_check_open(checker, values, pairs, count, out) == BERTH_OK;
    }
}

BerthStatus bi_check_states(BerthChecker* checker, const double* values, int64_t stride, int32_t count,
                            uint8_t* verdicts, bool* within) {
    const BerthCheckRequest request = {0};
    *within = false;
    if (checker->lanes == NULL || !bi_check_is_current(checker)) {
        return BERTH_OK;
    }
    uint8_t asked[LANES];
    *within = bi_lanes_ask_states(checker->lanes, values, stride, count, asked);
    checker->stats.queries += *within ? count : 0;

    for (int32_t i = 0; *within && i < count; ++i) {
        verdicts[i] = (uint8_t)(asked[i] == LANES_FREE ? BERTH_FREE : BERTH_COLLISION);
        if (asked[i] != LANES_OPEN) {
            continue;
        }

        BerthCheckResult result;
        int32_t pairs[OPEN_PAIRS], open;
        const double* state = values + i * stride;
        const BerthStatus status = list_open(checker, i, pairs, &open)
                                       ? bi_check_open(checker, state, pairs, open, &result)
                                       : bi_check_by_bodies(checker, state, &request, &result);
        if (status != BERTH_OK) {
            return status;
        }
        verdicts[i] = (uint8_t)result.verdict;
    }
    return BERTH_OK;
}
