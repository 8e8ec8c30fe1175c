// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Segments on many threads: chunks of them, one BerthMotion a thread. A trajectory ends at its first collision; what is
// counted is what lies before it, so that the answer is the same for every number of threads.

#include <math.h>
#include <stdlib.h>

#include "cli/path/path.h"
#include "cli/worker_pool.h"

enum { CHUNK = 16 };

typedef struct Slot {
    Text text;
    PathCounts counts;
} Slot;

typedef struct Run {
    PathJob* job;
    Progress progress;
} Run;

typedef struct Tools {
    BerthMotion* motion;
    BerthCurve* curves;
} Tools;

PathCounts path_empty_counts(void) {
    return (PathCounts){.clearance = INFINITY};
}

void path_add_counts(PathCounts* sum, const PathCounts* more) {
    sum->done += more->done;
    sum->free_count += more->free_count;
    sum->collision_count += more->collision_count;
    sum->unknown_count += more->unknown_count;
    sum->sampled_count += more->sampled_count;
    sum->outside_count += more->outside_count;

    sum->clearance = more->clearance < sum->clearance ? more->clearance : sum->clearance;
    sum->hit = sum->hit.found ? sum->hit : more->hit;
    sum->unknown = sum->unknown.found ? sum->unknown : more->unknown;

    sum->stats.configurations += more->stats.configurations;
    sum->stats.intervals += more->stats.intervals;
    sum->stats.pair_tests += more->stats.pair_tests;
    sum->stats.counters.bv_tests += more->stats.counters.bv_tests;
    sum->stats.counters.leaf_tests += more->stats.counters.leaf_tests;
    sum->stats.counters.shape_tests += more->stats.counters.shape_tests;
}

BerthVerdict path_verdict(const PathJob* job) {
    const PathCounts* c = &job->counts;
    if (c->hit.found) {
        return BERTH_COLLISION;
    }
    return c->free_count == job->segment_count && c->done == job->segment_count ? BERTH_FREE : BERTH_UNKNOWN;
}

BerthStatus path_segment(const PathJob* job, int32_t index, BerthCurve* curves, BerthSegment* out) {
    if (job->segments != NULL) {
        *out = berth_segments_segment(job->segments, index);
        return BERTH_OK;
    }
    return berth_trajectory_segment(job->trajectory, job->scene, index, job->interpolation, curves, out);
}

bool path_interrupted(void* user) {
    (void)user;
    return cli_interrupted();
}

// ---- one thread's work ---------------------------------------------------------------------------------------

static void close_worker(void* user, void* given) {
    (void)user;
    Tools* tools = given;
    if (tools != NULL) {
        berth_motion_destroy(tools->motion);
        free(tools->curves);
        free(tools);
    }
}

static BerthStatus open_worker(void* user, void** out) {
    const PathJob* job = ((const Run*)user)->job;
    Tools* tools = calloc(1, sizeof *tools);
    BerthCurve* curves = calloc((size_t)job->value_count + 1, sizeof *curves);
    if (tools == NULL || curves == NULL) {
        free(tools);
        free(curves);
        return BERTH_ERR_MEMORY;
    }

    tools->curves = curves;
    BerthMotionDef def = job->def;
    def.cancelled = path_interrupted;

    const BerthStatus status = berth_motion_create(job->scene, &def, &tools->motion);
    if (status != BERTH_OK) {
        close_worker(user, tools);
        return status;
    }

    *out = tools;
    return BERTH_OK;
}

static PathCounts count_one(int32_t segment, const BerthMotionResult* result) {
    PathCounts one = path_empty_counts();
    const PathFinding finding = {true, segment, *result};

    one.done = 1;
    one.outside_count = result->outside_limits;
    one.stats = result->stats;

    switch (result->verdict) {
    case BERTH_FREE:
        one.free_count = 1;
        one.clearance = result->clearance;
        break;
    case BERTH_COLLISION:
        one.collision_count = 1;
        one.hit = finding;
        break;
    case BERTH_UNKNOWN:
        one.unknown_count = 1;
        one.sampled_count = result->sampled_free;
        one.unknown = finding;
        break;
    }

    return one;
}

static BerthStatus check_chunk(void* user, void* given, int32_t chunk, void* place, ChunkEnd* end) {
    const PathJob* job = ((const Run*)user)->job;
    const Tools* tools = given;
    Slot* slot = place;

    slot->counts = path_empty_counts();
    const int32_t left = job->segment_count - chunk * CHUNK;
    const int32_t size = left < CHUNK ? left : CHUNK;
    const bool ends_at_hit = job->segments == NULL && !job->options->summary;

    // A path gets a sharp clearance; of many segments only the verdicts count.
    const BerthMotionRequest request = {.first_contact = job->first_contact, .sharp_clearance = ends_at_hit};

    for (int32_t i = 0; i < size; ++i) {
        if (cli_interrupted()) {
            *end = CHUNK_CUT;
            return BERTH_OK;
        }

        const int32_t index = chunk * CHUNK + i;
        BerthSegment segment;
        BerthMotionResult result;
        BerthStatus status = path_segment(job, index, tools->curves, &segment);
        if (status == BERTH_OK) {
            status = berth_motion_segment(tools->motion, &segment, &request, &result);
        }
        if (status != BERTH_OK) {
            return status;
        }

        if (result.verdict == BERTH_UNKNOWN && cli_interrupted()) {  // it was cut short: no answer
            *end = CHUNK_CUT;
            return BERTH_OK;
        }

        const PathCounts one = count_one(index, &result);
        path_add_counts(&slot->counts, &one);
        if (job->segments != NULL && !job->options->summary) {
            path_write_line(&slot->text, job, index, &result);
        }

        if (ends_at_hit && result.verdict == BERTH_COLLISION) {
            *end = CHUNK_LAST;
            break;
        }
    }

    return slot->text.failed ? BERTH_ERR_MEMORY : BERTH_OK;
}

// ---- the main thread -----------------------------------------------------------------------------------------

static int take(void* user, void* place) {
    Run* run = user;
    PathJob* job = run->job;
    Slot* slot = place;
    path_add_counts(&job->counts, &slot->counts);
    const int status = slot->text.size > 0 ? cli_write_output(&slot->text) : EXIT_FREE;
    progress_show(&run->progress, job->options, job->counts.done, job->segment_count, "segments");
    return status;
}

static void clear_slot(void* user, void* place) {
    (void)user;
    text_free(&((Slot*)place)->text);
}

int path_run(PathJob* job) {
    Run run = {.job = job};
    WorkerPool pool = {.command = "path",
                       .user = &run,
                       .chunk_count = job->segment_count / CHUNK + (job->segment_count % CHUNK != 0),
                       .threads = job->options->threads,
                       .slot_size = sizeof(Slot),
                       .open_worker = open_worker,
                       .close_worker = close_worker,
                       .work = check_chunk,
                       .take = take,
                       .clear = clear_slot};

    const int status = worker_pool_run(&pool);
    progress_end(&run.progress);
    job->seconds = pool.seconds;
    return status != EXIT_FREE || pool.finished ? status : EXIT_INTERRUPTED;
}
