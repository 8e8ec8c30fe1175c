// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What a worker does with the rows that it took. This is where the engine is chosen: ask_states and ask_segments get up
// to a chunk of rows at a time, and nothing above them knows how they are answered.
// Entries: bi_batch_ask_rows, bi_batch_no_result, bi_batch_add_result.

#include "batch/batch.h"

#include <math.h>
#include <stdlib.h>

BerthBatchResult bi_batch_no_result(void) {
    return (BerthBatchResult){.first_outside = -1, .failed_row = -1};
}

static int64_t first_of(int64_t a, int64_t b) {
    if (a < 0 || b < 0) {
        return a < 0 ? b : a;
    }
    return a < b ? a : b;
}

void bi_batch_add_result(BerthBatchResult* sum, const BerthBatchResult* more, int64_t first) {
    const int64_t outside = more->first_outside >= 0 ? first + more->first_outside : -1;
    sum->free_count += more->free_count;
    sum->collision_count += more->collision_count;
    sum->unknown_count += more->unknown_count;
    sum->outside_count += more->outside_count;
    sum->outside_rows += more->outside_rows;
    sum->first_outside = first_of(sum->first_outside, outside);
    sum->proven_count = more->proven_count > sum->proven_count ? more->proven_count : sum->proven_count;
}

static void count_row(BerthBatchResult* out, BerthVerdict verdict, int32_t outside, int32_t proven) {
    out->free_count += verdict == BERTH_FREE;
    out->collision_count += verdict == BERTH_COLLISION;
    out->unknown_count += verdict == BERTH_UNKNOWN;
    if (outside > 0) {
        out->first_outside = out->outside_rows == 0 ? out->finished : out->first_outside;
        out->outside_count += outside;
        out->outside_rows += 1;
    }
    out->proven_count = proven > out->proven_count ? proven : out->proven_count;
    out->finished += 1;
}

/// More pairs of a state that are open, and the whole state is asked.
enum { OPEN_PAIRS = 16, PROBE_VALUES = 128, CROWD_WINDOW = 32, CROWD_LEAST = 4 };

// ---- states ----------------------------------------------------------------------------------------------------

// A lower bound that holds in any case: nothing is known of how deep a collision is.
static double state_clearance(const BerthBatch* batch, const BerthCheckResult* result) {
    if (result->verdict == BERTH_COLLISION) {
        return -INFINITY;
    }
    if (result->has_clearance) {
        return result->clearance.lower;
    }
    return berth_scene_pair_count(batch->scene) == 0 ? INFINITY : -INFINITY;
}

static BerthStatus ask_state(BatchWorker* worker, const double* values, const BerthCheckRequest* request,
                             int32_t* outside, BerthCheckResult* result) {
    const BerthStatus status = berth_scene_check_values(worker->batch->scene, values, outside, NULL);
    return status == BERTH_OK ? berth_check_state(worker->checker, values, request, result) : status;
}

// One state by the bodies themselves.
static BerthStatus ask_one_state(BatchWorker* worker, const BatchRows* rows, int64_t row,
                                 const BerthCheckRequest* request, BerthBatchResult* out) {
    const BerthBatch* batch = worker->batch;
    int32_t outside = 0;
    BerthCheckResult result;
    const BerthStatus status =
        ask_state(worker, rows->rows + row * batch->row_size, request, &outside, &result);
    if (status != BERTH_OK) {
        return status;
    }

    rows->verdicts[row] = (uint8_t)result.verdict;
    if (rows->clearances != NULL) {
        rows->clearances[row] = state_clearance(batch, &result);
    }
    count_row(out, result.verdict, outside, result.proven_count);
    return BERTH_OK;
}

// One state of which lanes left only some pairs open. False where that is more than pairs can tell.
static bool ask_open_state(BatchWorker* worker, const BatchRows* rows, int64_t row, int32_t lane,
                           BerthBatchResult* out, BerthStatus* status) {
    const BerthBatch* batch = worker->batch;
    int32_t bodies[OPEN_PAIRS][2], pairs[OPEN_PAIRS];
    const int32_t count = bi_lanes_open_pairs(worker->lanes, lane, bodies, OPEN_PAIRS);
    for (int32_t i = 0; i < count; ++i) {
        pairs[i] = bi_scene_find_pair(batch->scene, bodies[i][0], bodies[i][1]);
        if (pairs[i] < 0) {
            return false;
        }
    }
    if (count <= 0) {
        return false;
    }

    BerthCheckResult result;
    *status = bi_check_open(worker->checker, rows->rows + row * batch->row_size, pairs, count, &result);
    if (*status == BERTH_OK) {
        rows->verdicts[row] = (uint8_t)result.verdict;
        count_row(out, result.verdict, 0, result.proven_count);
    }
    return true;
}

// Many states by lanes; what those leave open, and rows with values beyond limits, by the bodies themselves.
static BerthStatus ask_states_by_lanes(BatchWorker* worker, const BatchRows* rows, BerthBatchResult* out) {
    const BerthBatch* batch = worker->batch;
    const BerthCheckRequest request = {0};
    for (int64_t first = 0; first < rows->count; first += LANES) {
        if (bi_batch_cancelled(batch)) {
            return BERTH_ERR_CANCELLED;
        }
        uint8_t verdicts[LANES];
        const int32_t count = rows->count - first < LANES ? (int32_t)(rows->count - first) : LANES;
        const bool within = bi_lanes_ask_states(worker->lanes, rows->rows + first * batch->row_size,
                                                batch->row_size, count, verdicts);

        for (int32_t i = 0; i < count; ++i) {
            BerthStatus status = BERTH_OK;
            if (!within || verdicts[i] == LANES_OPEN) {
                if (!within || !ask_open_state(worker, rows, first + i, i, out, &status)) {
                    status = ask_one_state(worker, rows, first + i, &request, out);
                }
                if (status != BERTH_OK) {
                    return status;
                }
                continue;
            }
            const BerthVerdict verdict = verdicts[i] == LANES_FREE ? BERTH_FREE : BERTH_COLLISION;
            rows->verdicts[first + i] = (uint8_t)verdict;
            count_row(out, verdict, 0, batch->proven_count);
        }
    }
    return BERTH_OK;
}

// Up to a chunk of states.
static BerthStatus ask_states(BatchWorker* worker, const BatchRows* rows, BerthBatchResult* out) {
    const BerthCheckRequest request = {.distance = rows->clearances != NULL};
    if (worker->lanes != NULL && rows->clearances == NULL) {
        return ask_states_by_lanes(worker, rows, out);
    }

    for (int64_t i = 0; i < rows->count; ++i) {
        if (i % BI_BATCH_CANCEL_EVERY == 0 && bi_batch_cancelled(worker->batch)) {
            return BERTH_ERR_CANCELLED;
        }
        const BerthStatus status = ask_one_state(worker, rows, i, &request, out);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

// ---- segments --------------------------------------------------------------------------------------------------

// Both ends are states; the checker itself leaves no text about what is wrong with one.
static BerthStatus check_ends(const BerthBatch* batch, const BerthSegment* segment) {
    const BerthStatus status = berth_scene_check_values(batch->scene, segment->from, NULL, NULL);
    return status == BERTH_OK ? berth_scene_check_values(batch->scene, segment->to, NULL, NULL) : status;
}

static int compare_open(const void* a, const void* b) {
    const MotionOpen *first = a, *second = b;
    if (first->level != second->level) {
        return first->level < second->level ? -1 : 1;
    }
    return (first->index > second->index) - (first->index < second->index);
}

// The smallest dyadic interval that holds both.
static void widen(MotionOpen* open, uint64_t index, int32_t level) {
    while (open->level > level) {
        open->index >>= 1;
        open->level -= 1;
    }
    index >>= level - open->level;
    while (open->index != index) {
        open->index >>= 1;
        index >>= 1;
        open->level -= 1;
    }
}

// What lanes left open, as pairs of the motion, each on one interval: planes of bodies reach further than balls, so one long
// interval is cheaper than many short ones. False where that is more than pairs can tell.
static bool list_open(BatchWorker* worker, int32_t segment, int32_t* count) {
    const LanesQuery* lanes = worker->lanes;
    *count = 0;
    for (int32_t i = 0; i < lanes->open_count; ++i) {
        const LanesOpen* open = &lanes->open[i];
        if (open->segment != segment) {
            continue;
        }
        const int32_t low = open->body_a < open->body_b ? open->body_a : open->body_b;
        const int32_t high = open->body_a < open->body_b ? open->body_b : open->body_a;
        const int32_t pair = low >= 0 ? bi_motion_find_pair(worker->motion, low, high) : -1;
        if (pair < 0) {
            return false;
        }

        int32_t at = 0;
        while (at < *count && worker->open[at].pair != pair) {
            at += 1;
        }
        if (at == *count) {
            worker->open[(*count)++] = (MotionOpen){open->index, open->level, pair};
        } else {
            widen(&worker->open[at], open->index, open->level);
        }
    }
    qsort(worker->open, (size_t)*count, sizeof *worker->open, compare_open);
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

// Where most pairs are open there is mostly a collision, which one state shows sooner than the whole way does. True when it does.
static bool probe_crowded(BatchWorker* worker, const BerthSegment* segment, int32_t index) {
    const BerthBatch* batch = worker->batch;
    const LanesQuery* lanes = worker->lanes;
    const LanesOpen* crowded = find_crowded(lanes, index);
    if (crowded == NULL || batch->value_count > PROBE_VALUES) {
        return false;
    }

    int32_t pairs[OPEN_PAIRS], count = 0;
    for (int32_t i = 0; i < lanes->open_count && count < OPEN_PAIRS; ++i) {
        const LanesOpen* open = &lanes->open[i];
        const int32_t low = open->body_a < open->body_b ? open->body_a : open->body_b;
        const int32_t high = open->body_a < open->body_b ? open->body_b : open->body_a;
        if (is_same_interval(open, crowded) && low >= 0) {
            pairs[count] = bi_scene_find_pair(batch->scene, low, high);
            count += pairs[count] >= 0;
        }
    }

    double values[PROBE_VALUES];
    BerthCheckResult result;
    const double t = ((double)crowded->index + 0.5) / (double)((uint64_t)1 << crowded->level);
    berth_segment_values(batch->scene, segment, t, values);
    return bi_check_open(worker->motion->checker, values, pairs, count, &result) == BERTH_OK &&
           result.verdict == BERTH_COLLISION;
}

// What lanes made of a segment is the answer, or what they left open is settled by the bodies themselves. False where neither is.
static bool finish_lanes(BatchWorker* worker, const BerthSegment* segment, int32_t index,
                         const LanesSegmentAnswer* answer, BerthStatus* status, BerthMotionResult* result) {
    const BerthBatch* batch = worker->batch;
    *status = BERTH_OK;
    *result = bi_motion_no_result();
    if (!answer->within) {
        return false;
    }

    int32_t count = 0;
    if (answer->verdict == LANES_OPEN) {
        if (probe_crowded(worker, segment, index)) {
            result->verdict = BERTH_COLLISION;
        } else if (!answer->open_complete || !list_open(worker, index, &count)) {
            return false;
        } else {
            *status = bi_motion_check_open(worker->motion, segment, worker->open, count, result);
        }
    } else {
        result->verdict = answer->verdict == LANES_FREE ? BERTH_FREE : BERTH_COLLISION;
    }
    result->proven_count = batch->proven_count;
    return true;
}

// One segment of those that lanes were asked about, or not: `answer` is null then.
static BerthStatus ask_segment(BatchWorker* worker, const BatchRows* rows, int64_t row, int32_t index,
                               const LanesSegmentAnswer* answer, BerthMotionResult* result) {
    const BerthBatch* batch = worker->batch;
    const double* from = rows->rows + row * batch->row_size;
    const BerthSegment segment = {
        .value_count = batch->value_count, .from = from, .to = from + batch->value_count};
    BerthStatus status;
    if (answer != NULL && finish_lanes(worker, &segment, index, answer, &status, result)) {
        return status;
    }

    const BerthMotionRequest request = {.sharp_clearance = rows->clearances != NULL};
    status = check_ends(batch, &segment);
    return status == BERTH_OK ? berth_motion_check_segment(worker->motion, &segment, &request, result)
                              : status;
}

static void note_segment(const BatchRows* rows, int64_t row, const BerthMotionResult* result,
                         BerthBatchResult* out) {
    rows->verdicts[row] = (uint8_t)result->verdict;
    if (rows->clearances != NULL) {
        rows->clearances[row] = result->verdict == BERTH_FREE
                                    ? fmin(result->self.lower, result->environment.lower)
                                    : (double)-INFINITY;
    }
    count_row(out, result->verdict, result->outside_limits, result->proven_count);
}

// Up to LANES_SEGMENTS at a time: lanes ask all of them together.
static BerthStatus ask_segments(BatchWorker* worker, const BatchRows* rows, BerthBatchResult* out) {
    const BerthBatch* batch = worker->batch;
    const bool by_lanes = worker->lanes != NULL && rows->clearances == NULL;
    LanesSegmentAnswer answers[LANES_SEGMENTS];

    for (int64_t first = 0; first < rows->count; first += LANES_SEGMENTS) {
        const int64_t left = rows->count - first;
        const int32_t count = left < LANES_SEGMENTS ? (int32_t)left : LANES_SEGMENTS;
        if (by_lanes) {
            bi_lanes_ask_segments(worker->lanes, rows->rows + first * batch->row_size, batch->row_size, count,
                                  batch->def.delta, answers);
        }
        for (int32_t i = 0; i < count; ++i) {
            if (bi_batch_cancelled(batch)) {
                return BERTH_ERR_CANCELLED;
            }
            BerthMotionResult result;
            const BerthStatus status =
                ask_segment(worker, rows, first + i, i, by_lanes ? &answers[i] : NULL, &result);
            if (status != BERTH_OK) {
                return status;
            }
            if (result.verdict == BERTH_UNKNOWN && bi_batch_cancelled(batch)) {
                return BERTH_ERR_CANCELLED;  // it was cut short: no answer
            }
            note_segment(rows, first + i, &result, out);
        }
    }
    return BERTH_OK;
}

BerthStatus bi_batch_ask_rows(BatchWorker* worker, const BatchRows* rows, BerthBatchResult* out) {
    *out = bi_batch_no_result();
    return worker->checker != NULL ? ask_states(worker, rows, out) : ask_segments(worker, rows, out);
}
