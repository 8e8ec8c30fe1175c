// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes and destroys batches: one checker per worker, all of them before the first query.
// Entries: berth_default_batch_def, berth_batch_create, berth_batch_destroy, berth_batch_worker_count,
// berth_batch_row_size.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // sysconf
#endif

#include "batch/batch.h"

#include <unistd.h>

enum { THREADS_MAX = 1024 };

BerthBatchDef berth_default_batch_def(void) {
    const BerthMotionCheckerDef motion = berth_default_motion_checker_def();
    return (BerthBatchDef){.kind = BERTH_BATCH_STATES,
                           .self_margin = motion.self_margin,
                           .delta = motion.delta,
                           .node_budget = motion.node_budget,
                           .interval_budget = motion.interval_budget,
                           .stamp = BI_DEF_STAMP};
}

// Margins, budgets and the scene are judged by the checkers that are made of them.
static BerthStatus check_def(const BerthScene* scene, const BerthBatchDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "batch def: start from berth_default_batch_def()");
    }
    if ((int)def->kind < 0 || def->kind >= BERTH_BATCH_KIND_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "batch def: kind %d is not known", (int)def->kind);
    }
    if (def->threads < 0 || def->threads > THREADS_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "batch def: %d threads, must be from 0 to %d", (int)def->threads,
                       THREADS_MAX);
    }
    return scene != NULL ? BERTH_OK : bi_fail(BERTH_ERR_ARGUMENT, "batch: a scene is expected");
}

static int32_t count_workers(const BerthBatchDef* def) {
    long count = def->threads > 0 ? def->threads : sysconf(_SC_NPROCESSORS_ONLN);
    count = count < 1 ? 1 : count;
    return count > THREADS_MAX ? THREADS_MAX : (int32_t)count;
}

static BerthStatus create_checker(const BerthBatch* batch, BerthChecker** out) {
    BerthCheckerDef def = berth_default_checker_def();
    def.margin = batch->def.margin;
    def.self_margin = batch->def.self_margin;
    def.node_budget = batch->def.node_budget;
    def.lanes = batch->lanes;
    def.allocator = batch->def.allocator;
    return berth_checker_create(batch->scene, &def, out);
}

static BerthStatus create_motion_checker(const BerthBatch* batch, BerthMotionChecker** out) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.margin = batch->def.margin;
    def.self_margin = batch->def.self_margin;
    def.delta = batch->def.delta;
    def.node_budget = batch->def.node_budget;
    def.interval_budget = batch->def.interval_budget;
    def.cancelled = batch->def.cancelled;
    def.cancelled_user = batch->def.cancelled_user;
    def.lanes = batch->lanes;
    def.allocator = batch->def.allocator;
    return berth_motion_checker_create(batch->scene, &def, out);
}

static BerthStatus create_workers(BerthBatch* batch) {
    batch->workers = bi_take(&batch->def.allocator, (size_t)batch->worker_count, sizeof *batch->workers);
    if (batch->workers == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "batch: out of memory");
    }

    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < batch->worker_count && status == BERTH_OK; ++i) {
        BatchWorker* worker = &batch->workers[i];
        worker->batch = batch;
        status = batch->def.kind == BERTH_BATCH_STATES ? create_checker(batch, &worker->checker)
                                                       : create_motion_checker(batch, &worker->motion);
    }
    return status;
}

// The layout for wide lanes, where the scene fits it and there are rows enough to pay for it.
static BerthStatus create_lanes(BerthBatch* batch) {
    const bool states = batch->def.kind == BERTH_BATCH_STATES;
    const int64_t rows = batch->def.expected_rows;
    if (!batch->scene->committed || !berth_lanes_pay(batch->scene, states ? rows : 0, states ? 0 : rows)) {
        return BERTH_OK;  // checkers say what is wrong with a scene that is not committed
    }

    BerthLanesDef def = berth_default_lanes_def();
    def.margin = batch->def.margin;
    def.self_margin = batch->def.self_margin;
    def.expected_states = states ? rows : 0;
    def.expected_segments = states ? 0 : rows;
    def.allocator = batch->def.allocator;
    return berth_lanes_create(batch->scene, &def, &batch->lanes);
}

static void count_proven(BerthBatch* batch) {
    const BerthScene* scene = batch->scene;
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        const double self = batch->def.self_margin >= 0.0 ? batch->def.self_margin : batch->def.margin;
        batch->proven_count += !pair->constant && pair->proven_gap > (pair->self ? self : batch->def.margin);
    }
}

BerthStatus berth_batch_create(const BerthScene* scene, const BerthBatchDef* def, BerthBatch** out) {
    if (out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "batch: a place for the result is expected");
    }
    *out = NULL;
    BerthStatus status = check_def(scene, def);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator allocator = bi_allocator_or_default(&def->allocator);
    BerthBatch* batch = bi_take(&allocator, 1, sizeof *batch);
    if (batch == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "batch: out of memory");
    }

    batch->def = *def;
    batch->def.allocator = allocator;
    batch->scene = scene;
    batch->value_count = berth_scene_value_count(scene);
    batch->row_size = def->kind == BERTH_BATCH_SEGMENTS ? 2 * batch->value_count : batch->value_count;
    batch->worker_count = count_workers(def);
    batch->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    batch->work = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    batch->idle = (pthread_cond_t)PTHREAD_COND_INITIALIZER;

    status = create_lanes(batch);
    if (status == BERTH_OK) {
        status = create_workers(batch);
        count_proven(batch);
    }
    if (status != BERTH_OK) {
        berth_batch_destroy(batch);
        return status;
    }
    *out = batch;
    return BERTH_OK;
}

void berth_batch_destroy(BerthBatch* batch) {
    if (batch == NULL) {
        return;
    }

    bi_batch_end_threads(batch);
    for (int32_t i = 0; batch->workers != NULL && i < batch->worker_count; ++i) {
        berth_checker_destroy(batch->workers[i].checker);
        berth_motion_checker_destroy(batch->workers[i].motion);
    }
    berth_lanes_destroy(batch->lanes);

    const BerthAllocator allocator = batch->def.allocator;
    bi_give(&allocator, batch->workers, (size_t)batch->worker_count, sizeof *batch->workers);
    bi_give(&allocator, batch, 1, sizeof *batch);
}

int32_t berth_batch_worker_count(const BerthBatch* batch) {
    return batch != NULL ? batch->worker_count : 0;
}

int32_t berth_batch_row_size(const BerthBatch* batch) {
    return batch != NULL ? batch->row_size : 0;
}
