// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Many states on many threads, one checker per thread; if only counts are needed, by the batch room.
// Entry: check_run.

#include "cli/check/check.h"

static BerthStatus open_worker(void* user, void** tools) {
    const CheckJob* job = user;
    BerthChecker* checker = NULL;
    const BerthStatus status = berth_checker_create(job->question->scene, &job->def, &checker);
    *tools = checker;
    return status;
}

static void close_worker(void* user, void* tools) {
    (void)user;
    berth_checker_destroy(tools);
}

static BerthStatus check_one(void* user, void* tools, int32_t state, Text* text, void* counts,
                             ChunkEnd* end) {
    (void)end;
    const CheckJob* job = user;
    const Question* question = job->question;
    const double* values = job->rows + (size_t)state * (size_t)question->value_count;

    int32_t outside = 0;
    BerthStatus status = berth_scene_check_values(question->scene, values, &outside, NULL);
    BerthCheckResult result;
    if (status == BERTH_OK) {
        status = berth_check_state(tools, values, &job->request, &result);
    }
    if (status != BERTH_OK) {
        return status;
    }

    if (!question->options->summary) {
        check_write_answer(text, job, state, &result, outside);
    }
    const AnswerCounts one = answer_counts_of(result.verdict, outside, result.proven_count);
    answer_counts_add(counts, &one);
    return BERTH_OK;
}

static int64_t add_counts(void* user, const void* counts) {
    CheckJob* job = user;
    answer_counts_add(&job->counts, counts);
    return job->counts.done;
}

// Only the counts of verdicts are needed, with no particular engine.
static bool wants_counts_alone(const CheckJob* job) {
    const Options* options = job->question->options;
    return options->summary && !job->request.distance && !job->request.all && options->engine == NULL &&
           row_counts_pay(job->row_count);
}

static int count_states(CheckJob* job) {
    RowCounts rows = {.question = job->question,
                      .def = berth_default_batch_def(),
                      .items = "states",
                      .rows = job->rows,
                      .row_count = job->row_count};
    rows.def.kind = BERTH_BATCH_STATES;
    rows.def.margin = job->def.margin;
    rows.def.self_margin = job->def.self_margin;

    const int status = row_counts_run(&rows);
    job->counts = rows.counts;
    job->seconds = rows.seconds;
    return status;
}

int check_run(CheckJob* job) {
    if (wants_counts_alone(job)) {
        return count_states(job);
    }

    BerthLanes* lanes = NULL;
    const bool verdicts_alone = !job->request.distance && !job->request.all;
    int status = verdicts_alone ? question_make_lanes(job->question, job->def.margin, job->def.self_margin,
                                                      job->row_count, 0, &lanes)
                                : EXIT_FREE;
    if (status != EXIT_FREE) {
        return status;
    }
    job->def.lanes = lanes;

    const AnswerCounts empty = {0};
    AnswerRun run = {.question = job->question,
                     .user = job,
                     .items = "states",
                     .item_count = job->row_count,
                     .chunk_size = 64,
                     .empty_counts = &empty,
                     .counts_size = sizeof empty,
                     .open_worker = open_worker,
                     .close_worker = close_worker,
                     .answer = check_one,
                     .add_counts = add_counts};
    status = answer_run(&run);
    job->seconds = run.seconds;
    job->def.lanes = NULL;
    berth_lanes_destroy(lanes);
    return status;
}
