// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Many configurations, LANES at a time.
// Entries: bi_lanes_ask_states, bi_lanes_open_pairs, bi_lanes_hit_bodies.

#include "lanes/lanes.h"
#include "lanes/values.h"

// Rows of values for a block. States that the layout does not cover are not tested; lanes without a state repeat the first
// one, so that what is near any lane stays little.
static uint32_t fill_values(LanesQuery* query, const double* values, int64_t stride, int32_t count,
                            bool* within) {
    const BerthLanes* lanes = query->lanes;
    uint32_t asked = (1u << count) - 1u;
    *within = true;
    for (int32_t v = 0; v < lanes->state_size; ++v) {
        const LanesRange* range = &lanes->ranges[v];
        float* row = query->values + v * LANES;
        for (int32_t lane = 0; lane < count; ++lane) {
            double value = values[lane * stride + v];
            if (!(value >= range->low && value <= range->high)) {
                *within = false;
                value = lanes_bring_into_range(range, value);
                asked &= ~((uint32_t) !(value == value) << lane);
                value = value == value ? value : 0.0;
            }
            row[lane] = (float)value;
        }

        for (int32_t lane = count; lane < LANES; ++lane) {
            row[lane] = row[0];
        }
    }

    for (int32_t lane = 0; lanes->float_count > 0 && lane < LANES; ++lane) {
        const double* state = values + (lane < count ? lane : 0) * stride;
        if (!bi_lanes_read_floats(lanes, state, query->values + lane, LANES)) {
            *within = *within && lane >= count;
            asked &= ~(1u << lane);
        }
    }
    return asked;
}

bool bi_lanes_ask_states(LanesQuery* query, const double* values, int64_t stride, int32_t count,
                         uint8_t* verdicts) {
    const BerthLanes* lanes = query->lanes;
    bool within = false;
    const uint32_t asked = fill_values(query, values, stride, count, &within);
    const LaneQuestion question = {.values = query->values,
                                   .groups = lanes->all_groups,
                                   .group_count = lanes->all_group_count,
                                   .pairs = within ? lanes->unproven_pairs : lanes->all_pairs,
                                   .pair_count = within ? lanes->unproven_pair_count : lanes->all_pair_count,
                                   .lanes = asked,
                                   .within = within};
    lanes->kernels->lane_block(&lanes->model, &question, &query->scratch, &query->answer);
    query->blocks += 1;

    const uint32_t free = asked & ~query->answer.open, hit = asked & query->answer.hit;
    for (int32_t lane = 0; lane < count; ++lane) {
        const uint32_t bit = 1u << lane;
        verdicts[lane] = (uint8_t)((free & bit) != 0 ? LANES_FREE : LANES_OPEN);
        if ((hit & bit) != 0) {
            verdicts[lane] = LANES_HIT;
        }
    }
    return within;
}

void bi_lanes_bodies_of_entry(const BerthLanes* lanes, const LaneEntry* entry, int32_t* body_a,
                              int32_t* body_b) {
    const LaneCluster* cluster = &lanes->model.clusters[entry->cluster];
    *body_a = cluster->body;
    *body_b = -1;
    if (entry->other <= -2) {
        *body_b = lanes->model.clusters[-2 - entry->other].body;
    } else if (entry->other >= 0) {
        *body_b = lanes->model.fields[lanes->model.groups[cluster->group].field].items[entry->other].body;
    }
}

int32_t bi_lanes_open_pairs(const LanesQuery* query, int32_t lane, int32_t (*pairs)[2], int32_t most) {
    int32_t count = 0;
    for (int32_t i = 0; i < query->answer.count; ++i) {
        const LaneEntry* entry = &query->answer.entries[i];
        if ((entry->open >> lane & 1u) == 0) {
            continue;
        }
        int32_t a, b;
        bi_lanes_bodies_of_entry(query->lanes, entry, &a, &b);
        if (b < 0) {
            return -1;
        }

        const int32_t low = a < b ? a : b, high = a < b ? b : a;
        int32_t at = 0;
        while (at < count && (pairs[at][0] != low || pairs[at][1] != high)) {
            at += 1;
        }
        if (at == most) {
            return -1;
        }
        if (at == count) {
            pairs[count][0] = low;
            pairs[count++][1] = high;
        }
    }
    return query->answer.full ? -1 : count;
}

bool bi_lanes_hit_bodies(const LanesQuery* query, int32_t lane, int32_t* body_a, int32_t* body_b) {
    for (int32_t i = 0; i < query->answer.count; ++i) {
        const LaneEntry* entry = &query->answer.entries[i];
        if ((entry->hit >> lane & 1u) != 0) {
            bi_lanes_bodies_of_entry(query->lanes, entry, body_a, body_b);
            return *body_b >= 0;
        }
    }
    return false;
}
