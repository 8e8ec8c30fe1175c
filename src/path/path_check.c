// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A whole path in one call: makes a checker, checks each segment, destroys it. For single queries; for
// frequent ones keep a checker.
// Entries: berth_motion_check_path, bi_path_check.

#include "path/path_check.h"

#include "motion/motion.h"

static BerthClearance no_clearance(double lower) {
    return (BerthClearance){.lower = lower, .upper = (double)INFINITY, .body_a = -1, .body_b = -1};
}

static void take_segment(const BerthMotionResult* answer, int32_t segment, BerthPathResult* out) {
    berth_motion_stats_add(&out->stats, &answer->stats);
    out->outside_limits += answer->outside_limits;

    if (answer->verdict == BERTH_FREE) {
        BerthClearance self = answer->self;
        BerthClearance environment = answer->environment;
        self.segment = environment.segment = segment;
        berth_clearance_lower(&out->self, &self);
        berth_clearance_lower(&out->environment, &environment);
        out->clearance = fmin(out->clearance, answer->clearance);
        return;
    }

    // The first segment that is not free is reported, unless a later one collides.
    const bool is_first = out->segment < 0;
    if (is_first || answer->verdict == BERTH_COLLISION) {
        out->verdict = answer->verdict;
        out->reason = answer->reason;
        out->segment = segment;
        out->t = answer->verdict == BERTH_COLLISION ? answer->t : answer->t_low;
        out->body_a = answer->body_a;
        out->body_b = answer->body_b;
        out->point = answer->point;
    }
}

static const BerthPathResult no_answer = {.segment = -1, .body_a = -1, .body_b = -1};

static BerthStatus check_segments(BerthMotionChecker* motion, int32_t segment_count, PathSegment* segment_at,
                                  void* user, BerthPathResult* out) {
    const BerthMotionRequest request = {.sharp_clearance = true};
    for (int32_t i = 0; i < segment_count && out->verdict != BERTH_COLLISION; ++i) {
        BerthSegment segment;
        BerthStatus status = segment_at(user, i, &segment);
        if (status != BERTH_OK) {
            return status;
        }

        BerthMotionResult answer;
        status = berth_motion_check_segment(motion, &segment, &request, &answer);
        if (status != BERTH_OK) {
            // A query leaves no text: its status says it all.
            return bi_fail(status, "path: segment %d: %s", (int)i, berth_status_meaning(status));
        }
        take_segment(&answer, i, out);
    }

    if (out->segment < 0) {
        out->verdict = BERTH_FREE;
    } else {
        out->clearance = 0.0;
        out->self = out->environment = no_clearance(0.0);
    }
    return BERTH_OK;
}

BerthStatus bi_path_check(const BerthScene* scene, double margin, int32_t segment_count, PathSegment* segment,
                          void* user, BerthPathResult* out) {
    *out = no_answer;
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.margin = margin;
    def.allocator = scene->allocator;
    BerthMotionChecker* motion = NULL;
    BerthStatus status = berth_motion_checker_create(scene, &def, &motion);
    if (status != BERTH_OK) {
        return status;
    }

    out->clearance = (double)INFINITY;
    out->self = out->environment = no_clearance((double)INFINITY);
    status = check_segments(motion, segment_count, segment, user, out);
    berth_motion_checker_destroy(motion);
    if (status != BERTH_OK) {
        *out = no_answer;
    }
    return status;
}

/// Rows with straight lines between them.
typedef struct PathRows {
    const double* rows;
    int32_t row_count, value_count;
} PathRows;

static BerthStatus segment_of_rows(void* user, int32_t index, BerthSegment* out) {
    const PathRows* path = user;
    const double* from = path->rows + (size_t)index * (size_t)path->value_count;
    *out = (BerthSegment){.value_count = path->value_count,
                          .from = from,
                          .to = path->row_count > 1 ? from + path->value_count : from};
    return BERTH_OK;
}

BerthStatus berth_motion_check_path(const BerthScene* scene, const double* rows, int32_t row_count,
                                    int32_t value_count, double margin, BerthPathResult* out) {
    if (out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "path: no result to write to (null)");
    }
    *out = no_answer;
    if (scene == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "path: no scene (null)");
    }
    if (value_count != scene->value_count) {
        return bi_fail(BERTH_ERR_ARGUMENT, "path: rows have %d values, the scene has %d", (int)value_count,
                       (int)scene->value_count);
    }
    if (rows == NULL || row_count < 1) {
        return bi_fail(BERTH_ERR_ARGUMENT, "path: it has %d rows, at least 1 is expected", (int)row_count);
    }

    for (int32_t row = 0; row < row_count; ++row) {
        const double* values = rows + (size_t)row * (size_t)value_count;
        const BerthStatus wrong = berth_scene_check_values(scene, values, NULL, NULL);
        if (wrong != BERTH_OK) {
            return bi_fail_prefix(wrong, "path: row %d", (int)row);
        }
    }

    PathRows path = {rows, row_count, value_count};
    return bi_path_check(scene, margin, row_count > 1 ? row_count - 1 : 1, segment_of_rows, &path, out);
}
