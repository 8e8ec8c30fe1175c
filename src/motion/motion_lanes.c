// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Straight segments by lanes: balls in wide registers prove most of them free, or find a hit, many segments
// at a time; what they leave open is decided by the bodies, pair by pair, each on the interval on which it is
// open.
// Entries: bi_motion_ask_lanes, then bi_motion_finish_lane_answer for each segment; bi_motion_check_by_lanes
// for one alone.

#include <string.h>

#include "motion/motion.h"

enum {
    OPEN_PAIRS = 16,    // of one interval that are looked at together
    VALUES_MOST = 128,  // of a state that is looked at
    CROWD_WINDOW = 32,  // what is open on one interval is noted soon after each other
    CROWD_LEAST = 4     // two or three open pairs are mostly near misses
};

// ---- what is open -----------------------------------------------------------------------------------------------

static bool comes_before(const MotionOpen* a, const MotionOpen* b) {
    return a->level != b->level ? a->level < b->level : a->index < b->index;
}

// Large intervals first, as bi_motion_check_open wants them.
static void sort_open(MotionOpen* open, int32_t count) {
    for (int32_t i = 1; i < count; ++i) {
        const MotionOpen key = open[i];
        int32_t j = i;
        for (; j > 0 && comes_before(&key, &open[j - 1]); --j) {
            open[j] = open[j - 1];
        }
        open[j] = key;
    }
}

static int32_t find_pair(const BerthMotionChecker* motion, const LanesOpen* open) {
    const int32_t low = open->body_a < open->body_b ? open->body_a : open->body_b;
    const int32_t high = open->body_a < open->body_b ? open->body_b : open->body_a;
    return low >= 0 ? bi_motion_find_pair(motion, low, high) : -1;
}

// What lanes left open, as pairs of the motion, each on one interval: planes of bodies reach further than balls, so one long
// interval is cheaper than many short ones. False where that is more than pairs can tell.
static bool list_open(BerthMotionChecker* motion, int32_t number, int32_t* count) {
    const LanesQuery* lanes = motion->lanes;
    MotionOpen* list = motion->open;
    *count = 0;
    for (int32_t i = 0; i < lanes->open_count; ++i) {
        const LanesOpen* open = &lanes->open[i];
        if (open->segment != number) {
            continue;
        }
        const int32_t pair = find_pair(motion, open);
        if (pair < 0) {
            return false;
        }

        int32_t at = 0;
        while (at < *count && list[at].pair != pair) {
            at += 1;
        }
        if (at == *count) {
            list[(*count)++] = (MotionOpen){open->index, open->level, pair};
        } else {
            lanes_widen(&list[at].index, &list[at].level, open->index, open->level);
        }
    }
    sort_open(list, *count);
    return true;
}

// ---- collisions -------------------------------------------------------------------------------------------------

// Do any of these pairs of the scene collide at t? Then that is the result.
static bool find_hit_at(BerthMotionChecker* motion, const BerthSegment* segment, double t,
                        const int32_t* pairs, int32_t count, BerthMotionResult* out) {
    double values[VALUES_MOST];
    BerthCheckResult result;
    if (segment->value_count > VALUES_MOST) {
        return false;
    }
    berth_segment_values(motion->scene, segment, t, values);
    const BerthStatus status = bi_check_open(motion->checker, values, pairs, count, &result);
    berth_motion_stats_add(&out->stats, &(BerthMotionStats){.configurations = 1, .pair_tests = count});
    if (status != BERTH_OK || result.verdict != BERTH_COLLISION) {
        return false;
    }

    out->verdict = BERTH_COLLISION;
    out->t = t;
    out->body_a = result.hits[0].body_a;
    out->body_b = result.hits[0].body_b;
    out->point = result.hits[0].point;
    return true;
}

static bool is_same_interval(const LanesOpen* a, const LanesOpen* b) {
    return a->segment == b->segment && a->index == b->index && a->level == b->level;
}

// The interval of a segment on which most pairs are open, at least CROWD_LEAST; or null: two or three are mostly near misses. What
// is open on one interval is noted soon after each other.
static const LanesOpen* find_crowded(const LanesQuery* lanes, int32_t segment) {
    const LanesOpen* best = NULL;
    int32_t most = CROWD_LEAST - 1;
    for (int32_t i = 0; i < lanes->open_count; ++i) {
        const int32_t end = i + CROWD_WINDOW < lanes->open_count ? i + CROWD_WINDOW : lanes->open_count;
        int32_t count = 0;
        for (int32_t k = i; k < end && lanes->open[i].segment == segment; ++k) {
            count += is_same_interval(&lanes->open[i], &lanes->open[k]);
        }
        if (count > most) {
            most = count;
            best = &lanes->open[i];
        }
    }
    return best;
}

// Where most pairs are open there is mostly a collision, which one state shows sooner than the whole way does.
static bool probe_crowded(BerthMotionChecker* motion, const BerthSegment* segment, int32_t number,
                          BerthMotionResult* out) {
    const LanesQuery* lanes = motion->lanes;
    const LanesOpen* crowded = find_crowded(lanes, number);
    if (crowded == NULL) {
        return false;
    }

    int32_t pairs[OPEN_PAIRS], count = 0;
    for (int32_t i = 0; i < lanes->open_count && count < OPEN_PAIRS; ++i) {
        const int32_t pair =
            is_same_interval(&lanes->open[i], crowded) ? find_pair(motion, &lanes->open[i]) : -1;
        if (pair >= 0) {
            pairs[count++] = motion->pairs[pair].pair;
        }
    }
    const double t = ((double)crowded->index + 0.5) / (double)((uint64_t)1 << crowded->level);
    return find_hit_at(motion, segment, t, pairs, count, out);
}

// ---- questions --------------------------------------------------------------------------------------------------

void bi_motion_ask_lanes(BerthMotionChecker* motion, const double* rows, int64_t stride, int32_t count) {
    bi_lanes_ask_segments(motion->lanes, rows, stride, count, motion->delta, motion->lane_answers);
}

static int32_t count_proven(const BerthMotionChecker* motion) {
    int32_t count = 0;
    for (int32_t r = 0; r < motion->checker->robot_count; ++r) {
        count += motion->checker->proven[r];
    }
    return count;
}

static void conclude_free(const BerthMotionChecker* motion, BerthMotionResult* out) {
    out->verdict = BERTH_FREE;
    out->clearance = fmin(motion->margin, motion->self_margin);
    out->self.lower = motion->self_margin;
    out->environment.lower = motion->margin;
}

bool bi_motion_finish_lane_answer(BerthMotionChecker* motion, const BerthSegment* segment, int32_t number,
                                  BerthStatus* status, BerthMotionResult* out) {
    const LanesSegmentAnswer* answer = &motion->lane_answers[number];
    *status = BERTH_OK;
    *out = bi_motion_no_result();
    if (!answer->within) {
        return false;
    }

    int32_t count = 0;
    if (answer->verdict == LANES_FREE) {
        conclude_free(motion, out);
    } else if (answer->verdict == LANES_HIT) {
        out->verdict = BERTH_COLLISION;
        out->t = answer->t;
        out->body_a = answer->body_a;
        out->body_b = answer->body_b;
    } else if (!probe_crowded(motion, segment, number, out)) {
        if (!answer->open_complete || !list_open(motion, number, &count)) {
            return false;
        }
        *status = bi_motion_check_open(motion, segment, motion->open, count, out);
    }
    out->proven_count = count_proven(motion);
    return true;
}

// A hit of balls inside of two bodies: where they touch is for the bodies to say.
static bool find_witness(BerthMotionChecker* motion, const BerthSegment* segment, BerthMotionResult* out) {
    const LanesOpen hit = {.body_a = out->body_a, .body_b = out->body_b};
    const int32_t pair = find_pair(motion, &hit);
    return pair >= 0 && find_hit_at(motion, segment, out->t, &motion->pairs[pair].pair, 1, out);
}

bool bi_motion_check_by_lanes(BerthMotionChecker* motion, const BerthSegment* segment, BerthStatus* status,
                              BerthMotionResult* out) {
    const int32_t values = segment->value_count;
    memcpy(motion->lane_rows, segment->from, (size_t)values * sizeof *segment->from);
    memcpy(motion->lane_rows + values, segment->to, (size_t)values * sizeof *segment->to);
    bi_motion_ask_lanes(motion, motion->lane_rows, 2 * (int64_t)values, 1);
    const bool settled = bi_motion_finish_lane_answer(motion, segment, 0, status, out);
    return settled && (motion->lane_answers[0].verdict != LANES_HIT || find_witness(motion, segment, out));
}
