// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What a worker does with the rows that it took. The engine is chosen here: ask_states and ask_segments get
// up to a chunk of rows at a time, and nothing above them knows how they are answered.
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

// Many states by lanes; rows with values beyond limits one by one.
static BerthStatus ask_states_by_lanes(BatchWorker* worker, const BatchRows* rows, BerthBatchResult* out) {
    const BerthBatch* batch = worker->batch;
    const BerthCheckRequest request = {0};
    for (int64_t first = 0; first < rows->count; first += LANES) {
        if (bi_batch_cancelled(batch)) {
            return BERTH_ERR_CANCELLED;
        }

        bool within;
        const int32_t count = rows->count - first < LANES ? (int32_t)(rows->count - first) : LANES;
        BerthStatus status = bi_check_states(worker->checker, rows->rows + first * batch->row_size,
                                             batch->row_size, count, rows->verdicts + first, &within);

        for (int32_t i = 0; i < count && status == BERTH_OK; ++i) {
            if (within) {
                count_row(out, (BerthVerdict)rows->verdicts[first + i], 0, batch->proven_count);
            } else {
                status = ask_one_state(worker, rows, first + i, &request, out);
            }
        }
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

// Up to a chunk of states.
static BerthStatus ask_states(BatchWorker* worker, const BatchRows* rows, BerthBatchResult* out) {
    const BerthCheckRequest request = {.distance = rows->clearances != NULL};
    if (worker->checker->lanes != NULL && rows->clearances == NULL) {
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

// One segment, the one with that number of those that lanes were asked about; -1: they were not asked.
static BerthStatus ask_segment(BatchWorker* worker, const BatchRows* rows, int64_t row, int32_t number,
                               BerthMotionResult* result) {
    const BerthBatch* batch = worker->batch;
    const double* from = rows->rows + row * batch->row_size;
    const BerthSegment segment = {
        .value_count = batch->value_count, .from = from, .to = from + batch->value_count};
    BerthStatus status;
    if (number >= 0 && bi_motion_finish_lane_answer(worker->motion, &segment, number, &status, result)) {
        return status;
    }

    const BerthMotionRequest request = {.sharp_clearance = rows->clearances != NULL};
    status = check_ends(batch, &segment);
    return status == BERTH_OK ? bi_motion_check_by_bodies(worker->motion, &segment, &request, result)
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
    const bool by_lanes = worker->motion->lanes != NULL && rows->clearances == NULL;

    for (int64_t first = 0; first < rows->count; first += LANES_SEGMENTS) {
        const int64_t left = rows->count - first;
        const int32_t count = left < LANES_SEGMENTS ? (int32_t)left : LANES_SEGMENTS;
        if (by_lanes) {
            bi_motion_ask_lanes(worker->motion, rows->rows + first * batch->row_size, batch->row_size, count);
        }
        for (int32_t i = 0; i < count; ++i) {
            if (bi_batch_cancelled(batch)) {
                return BERTH_ERR_CANCELLED;
            }
            BerthMotionResult result;
            const BerthStatus status = ask_segment(worker, rows, first + i, by_lanes ? i : -1, &result);
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
