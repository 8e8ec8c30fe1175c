// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Segments on many threads, one BerthMotionChecker per thread. A trajectory ends at its first collision; only segments
// before it are counted, so that the answer is the same for every number of threads.

#include <math.h>
#include <stdlib.h>

#include "cli/path/path.h"

typedef struct Tools {
    BerthMotionChecker* motion;
    BerthCurve* curves;
} Tools;

PathCounts path_empty_counts(void) {
    const BerthClearance none = {.lower = INFINITY, .upper = INFINITY, .body_a = -1, .body_b = -1};
    return (PathCounts){.self = none, .environment = none};
}

void path_add_counts(PathCounts* sum, const PathCounts* more) {
    answer_counts_add(&sum->answers, &more->answers);
    sum->sampled_count += more->sampled_count;
    berth_clearance_lower(&sum->self, &more->self);
    berth_clearance_lower(&sum->environment, &more->environment);
    sum->hit = sum->hit.found ? sum->hit : more->hit;
    sum->unknown = sum->unknown.found ? sum->unknown : more->unknown;

    berth_motion_stats_add(&sum->stats, &more->stats);
}

BerthVerdict path_verdict(const PathJob* job) {
    const PathCounts* c = &job->counts;
    if (c->hit.found) {
        return BERTH_COLLISION;
    }
    return c->answers.free_count == job->segment_count && c->answers.done == job->segment_count
               ? BERTH_FREE
               : BERTH_UNKNOWN;
}

BerthStatus path_segment(const PathJob* job, int32_t index, BerthCurve* curves, BerthSegment* out) {
    if (job->segments != NULL) {
        *out = berth_segments_segment(job->segments, index);
        return BERTH_OK;
    }
    return berth_trajectory_segment(job->trajectory, job->question->scene, index, job->interpolation, curves,
                                    out);
}

BerthClearance path_clearance(const BerthClearance* self, const BerthClearance* environment) {
    BerthClearance least = *environment;
    berth_clearance_lower(&least, self);
    return least;
}

bool path_is_self_pair(const PathJob* job, int32_t body_a, int32_t body_b) {
    const BerthBodyInfo a = berth_scene_body(job->question->scene, body_a);
    const BerthBodyInfo b = berth_scene_body(job->question->scene, body_b);
    return a.robot >= 0 && a.robot == b.robot && a.object.age == 0 && b.object.age == 0;
}

bool path_is_late(const PathJob* job) {
    return (job->deadline < INFINITY && cli_seconds() > job->deadline) ||
           (job->stop != NULL && job->stop(job->stop_user));
}

bool path_interrupted(void* user) {
    return cli_interrupted() || path_is_late(user);
}

static void close_worker(void* user, void* given) {
    (void)user;
    Tools* tools = given;
    if (tools != NULL) {
        berth_motion_checker_destroy(tools->motion);
        free(tools->curves);
        free(tools);
    }
}

static BerthStatus open_worker(void* user, void** out) {
    PathJob* job = user;
    Tools* tools = calloc(1, sizeof *tools);
    BerthCurve* curves = calloc((size_t)job->question->value_count + 1, sizeof *curves);
    if (tools == NULL || curves == NULL) {
        free(tools);
        free(curves);
        return BERTH_ERR_MEMORY;
    }

    tools->curves = curves;
    BerthMotionCheckerDef def = job->def;
    def.cancelled = path_interrupted;
    def.cancelled_user = job;

    const BerthStatus status = berth_motion_checker_create(job->question->scene, &def, &tools->motion);
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

    one.answers = answer_counts_of(result->verdict, result->outside_limits, result->proven_count);
    one.stats = result->stats;

    switch (result->verdict) {
    case BERTH_FREE:
        one.self = result->self;
        one.environment = result->environment;
        one.self.segment = one.environment.segment = segment;
        break;
    case BERTH_COLLISION:
        one.hit = finding;
        break;
    case BERTH_UNKNOWN:
        one.sampled_count = result->sampled_free;
        one.unknown = finding;
        break;
    }

    return one;
}

// A trajectory gets one answer: where it touches first, or its clearance.
static bool wants_one_answer(const PathJob* job) {
    return job->segments == NULL && !job->question->options->summary;
}

// The first contact was not requested, but text output shows it: it is searched for in a segment known to collide. Until
// then a query may stop at the verdict. If the search finds none, the known hit bounds it.
static BerthStatus find_contact_to_show(BerthMotionChecker* motion, const BerthSegment* segment,
                                        BerthMotionResult* result) {
    const BerthMotionRequest request = {.first_contact = true};
    BerthMotionResult first;
    const BerthStatus status = berth_motion_check_segment(motion, segment, &request, &first);
    if (status != BERTH_OK) {
        return status;
    }

    berth_motion_stats_add(&first.stats, &result->stats);
    if (first.verdict == BERTH_COLLISION) {
        *result = first;
    } else {
        result->t_low = 0.0;
        result->t_high = result->t;
        result->stats = first.stats;
    }
    return BERTH_OK;
}

static BerthStatus check_segment(void* user, void* given, int32_t index, Text* text, void* counts,
                                 ChunkEnd* end) {
    PathJob* job = user;
    const Tools* tools = given;
    const bool ends_at_hit = wants_one_answer(job) && job->all == NULL;

    // A summary needs only the verdicts.
    const Options* options = job->question->options;
    const BerthMotionRequest request = {.first_contact = options->first_contact,
                                        .sharp_clearance = !options->summary && !options->no_clearance};
    BerthSegment segment;
    BerthMotionResult result = {
        .reason = BERTH_REASON_BUDGET, .t_high = 1.0, .body_a = -1, .body_b = -1};  // if --time is over
    BerthStatus status = path_segment(job, index, tools->curves, &segment);
    // After --time is over, many segments are skipped; each segment of a trajectory is still checked briefly, to name a pair.
    if (status == BERTH_OK && (job->segments == NULL || !path_is_late(job))) {
        status = berth_motion_check_segment(tools->motion, &segment, &request, &result);
    }
    if (status == BERTH_OK && result.verdict == BERTH_COLLISION && job->first_contact &&
        !request.first_contact) {
        status = find_contact_to_show(tools->motion, &segment, &result);
    }
    if (status != BERTH_OK) {
        return status;
    }

    if (result.verdict == BERTH_UNKNOWN && cli_interrupted()) {  // it was interrupted: no answer
        *end = CHUNK_CUT;
        return BERTH_OK;
    }

    const PathCounts one = count_one(index, &result);
    path_add_counts(counts, &one);
    if (job->all != NULL) {
        job->all[index] = result;
    }
    if (job->segments != NULL && !job->question->options->summary) {
        path_write_line(text, job, index, &result);
    }
    if (ends_at_hit && result.verdict == BERTH_COLLISION) {
        *end = CHUNK_LAST;
    }
    return BERTH_OK;
}

static int64_t add_counts(void* user, const void* counts) {
    PathJob* job = user;
    path_add_counts(&job->counts, counts);
    return job->counts.answers.done;
}

// --time is for all segments together.
static double find_deadline(const PathJob* job) {
    const double seconds = job->question->options->time;
    return seconds > 0.0 ? cli_seconds() + seconds : INFINITY;
}

// Only the counts of verdicts are needed, with no particular method.
static bool wants_counts_alone(const PathJob* job) {
    const Options* options = job->question->options;
    const bool special = options->method != NULL || options->engine != NULL || options->time > 0.0 ||
                         options->tracking_error != NULL || options->certificate != NULL ||
                         job->first_contact;
    return job->segments != NULL && options->summary && !special && row_counts_pay(job->segment_count);
}

static int count_segments(PathJob* job) {
    RowCounts rows = {.question = job->question,
                      .def = berth_default_batch_def(),
                      .items = "segments",
                      .rows = job->segments->values,
                      .row_count = job->segment_count};
    rows.def.kind = BERTH_BATCH_SEGMENTS;
    rows.def.margin = job->def.margin;
    rows.def.self_margin = job->def.self_margin;
    rows.def.delta = job->def.delta;

    const int status = row_counts_run(&rows);
    job->counts.answers = rows.counts;
    job->seconds = rows.seconds;
    return status;
}

int path_run(PathJob* job) {
    if (wants_counts_alone(job)) {
        return count_segments(job);
    }

    // Lanes give only verdicts.
    BerthLanes* lanes = NULL;
    const Options* options = job->question->options;
    const bool verdicts_alone = (options->summary || options->no_clearance) && !job->first_contact;
    int status = verdicts_alone ? question_make_lanes(job->question, job->def.margin, job->def.self_margin, 0,
                                                      job->segment_count, &lanes)
                                : EXIT_FREE;
    if (status != EXIT_FREE) {
        return status;
    }
    job->def.lanes = lanes;
    job->deadline = find_deadline(job);

    const PathCounts empty = path_empty_counts();
    AnswerRun run = {.question = job->question,
                     .user = job,
                     .items = "segments",
                     .item_count = job->segment_count,
                     .chunk_size = 16,
                     .empty_counts = &empty,
                     .counts_size = sizeof empty,
                     .open_worker = open_worker,
                     .close_worker = close_worker,
                     .answer = check_segment,
                     .add_counts = add_counts};
    status = answer_run(&run);
    job->seconds = run.seconds;
    job->def.lanes = NULL;
    berth_lanes_destroy(lanes);
    return status;
}
