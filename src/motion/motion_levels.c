// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A segment, level by level: all intervals of one length before the next shorter ones, so that a collision is met early
// and a proof costs no more. Configurations are addressed by dyadic numbers and evaluated from the segment itself.
// Entry: berth_motion_check_segment, at the end: it checks the ends, then what is between them, then concludes. The functions
// bi_motion_query_... keep what was found; the queues of motion_adaptive.c use them too.

#include <float.h>
#include <string.h>

#include "motion/motion_queue.h"
#include "scene/segment.h"

static const Span whole = {0.5, 0.5};

/// Times are exact to here; shorter intervals could not be distinguished.
enum { LEVEL_MAX = 50 };

SegmentQuery bi_motion_query(BerthMotionChecker* motion, const BerthSegment* segment,
                             const BerthMotionRequest* request, BerthMotionResult* out) {
    return (SegmentQuery){.motion = motion,
                          .segment = segment,
                          .request = request,
                          .out = out,
                          .stats = &out->stats,
                          .clearances = {INFINITY, INFINITY},
                          .hit_t = 2.0,
                          .close_t = 2.0,
                          .intervals_left = motion->interval_budget,
                          .queue = motion->queue,
                          .heap = {-1, 0},
                          .order = motion->order,
                          .length = 1.0,
                          .band_left = -1};
}

void bi_motion_query_note_collision(SegmentQuery* query, double t, const ScenePair* pair, Vec3 point) {
    if (t < query->hit_t) {
        query->hit_t = t;
        query->out->t = t;
        query->out->body_a = pair->body_a;
        query->out->body_b = pair->body_b;
        query->out->point = point;
    }
}

void bi_motion_query_note_close(SegmentQuery* query, double t_low, double t_high, const ScenePair* pair) {
    if (t_low < query->close_t) {
        query->close_t = t_low;
        if (query->hit_t > 1.0) {
            query->out->t_low = t_low;
            query->out->t_high = t_high;
            query->out->body_a = pair->body_a;
            query->out->body_b = pair->body_b;
        }
    }
}

// One configuration by the static check: every pair, constant ones too.
BerthStatus bi_motion_query_check_state(SegmentQuery* query, double t, BerthVerdict* verdict) {
    BerthMotionChecker* motion = query->motion;
    bi_motion_values(motion, query->segment, t, motion->values);
    const BerthCheckRequest request = {0};
    BerthCheckResult result;
    const BerthStatus status = berth_check_state(motion->checker, motion->values, &request, &result);
    *verdict = result.verdict;
    query->stats->configurations += 1;
    counters_add(&query->stats->counters, &result.counters);
    if (status == BERTH_OK && result.verdict == BERTH_COLLISION) {
        const ScenePair pair = {.body_a = result.hits[0].body_a, .body_b = result.hits[0].body_b};
        bi_motion_query_note_collision(query, t, &pair, result.hits[0].point);
    }
    return status;
}

// Pairs that never change: their verdict is that of any configuration.
void bi_motion_query_check_constants(SegmentQuery* query) {
    const BerthChecker* checker = query->motion->checker;
    for (int32_t i = 0; i < checker->constant_count; ++i) {
        const BerthTreeAnswer* answer = &checker->constants[i].answer;
        const ScenePair* pair = &query->motion->scene->pairs[checker->constants[i].pair];
        if (answer->verdict == BERTH_UNKNOWN) {
            bi_motion_query_note_close(query, 0.0, 1.0, pair);
        } else {
            query->clearances[pair->self] = fmin(query->clearances[pair->self], answer->lower);
        }
    }
}

// Something ran out while this pair (of motion->pairs) was open.
static void end_for_budget(SegmentQuery* query, Span span, int32_t index) {
    query->full = true;
    bi_motion_query_note_close(query, span.middle - span.half, span.middle + span.half,
                               &query->motion->scene->pairs[query->motion->pairs[index].pair]);
}

// Of a motion that tracking error leaves unproven somewhere only a witness is still looked for, and that is about the commanded
// motion. Who wants the earliest contact or a proof of a part wants all of it.
bool bi_motion_query_may_give_up(const SegmentQuery* query) {
    return query->motion->has_error && !query->hopeless && !query->request->first_contact &&
           query->request->certificate == NULL;
}

// Around the middle, so far that no gap changes by more than delta.
static void note_hopeless(SegmentQuery* query, Span span, int32_t index) {
    const BerthMotionChecker* motion = query->motion;
    const double travel = bi_motion_bound_pair_rates(motion, index, span.half).speed * span.half;
    const double share = 2.0 * travel > motion->delta ? motion->delta / (2.0 * travel) : 1.0;
    query->hopeless = true;
    bi_motion_query_note_close(query, span.middle - share * span.half, span.middle + share * span.half,
                               &motion->scene->pairs[motion->pairs[index].pair]);
}

// One open pair on the interval. It is appended to `to` when it stays open; false when the query is over.
static bool try_pair(SegmentQuery* query, int32_t index, Span span, Level* to, bool* hit_here) {
    BerthMotionChecker* motion = query->motion;
    const ScenePair* pair = &motion->scene->pairs[motion->pairs[index].pair];
    PairProof proof = {.clearance = &query->clearances[pair->self],
                       .stats = query->stats,
                       .recorded = query->request->certificate != NULL,
                       .certificate = query->request->certificate,
                       .first_contact = query->request->first_contact,
                       .commanded = query->hopeless,
                       .may_give_up = bi_motion_query_may_give_up(query)};
    const PairState state = bi_motion_prove_pair(motion, index, span, &proof);
    if (proof.hopeless) {
        note_hopeless(query, span, index);
    }

    // A collision ends the query, unless the earliest contact is wanted.
    if (proof.spent) {
        end_for_budget(query, span, index);
        return false;
    }
    if (state == PAIR_COLLISION) {
        bi_motion_query_note_collision(query, proof.t, pair, proof.hit.meeting);
        *hit_here = *hit_here || proof.t <= span.middle;
        if (!query->request->first_contact) {
            return false;
        }
    }

    if (state == PAIR_FREE && query->request->certificate != NULL && !proof.listed) {
        const CertificateRecord record = {.pair = motion->pairs[index].pair,
                                          .kind = (uint8_t)proof.kind,
                                          .bound = proof.bound,
                                          .direction = proof.direction};
        BerthCertificate* certificate = query->request->certificate;
        const double margin = bi_motion_margin(motion, pair);
        const PlaneBodies bodies = {.scene = motion->scene,
                                    .hulls = motion->part_hulls,
                                    .world_from_part = motion->checker->world_from_part};
        const bool added =
            proof.kind == PROOF_DISTANCE
                ? bi_certificate_record_distance(certificate, &bodies, span, margin, proof.taken, &record)
                : bi_certificate_record_proof(certificate, span, margin, &record);
        query->full = query->full || !added;
    }

    // What is neither free nor settled goes on to the halves.
    if (state == PAIR_CLOSE || (state == PAIR_COLLISION && proof.tight)) {
        bi_motion_query_note_close(query, proof.t_low, span.middle + span.half, pair);
    } else if (state == PAIR_COLLISION || state == PAIR_OPEN) {
        if (to->pair_count >= motion->list_capacity) {
            end_for_budget(query, span, index);
            return false;
        }
        to->pairs[to->pair_count++] = index;
    }
    return true;
}

// Every pair that is open on the interval. Those that stay open go on to its halves, in `to`.
static void try_interval(SegmentQuery* query, const Interval* interval, int level, const Level* from,
                         Level* to) {
    BerthMotionChecker* motion = query->motion;
    const double width = 1.0 / (double)((uint64_t)1 << level);
    const double start = (double)interval->index * width;
    if (start >= query->hit_t) {
        return;  // a witness stands before it
    }

    // Place the middle configuration, with bounds on the whole interval.
    const Span span = {start + 0.5 * width, 0.5 * width};
    query->stats->intervals += 1;
    query->stats->configurations += 1;
    bi_motion_rates(motion, query->segment, span);
    if (!bi_motion_place(motion, span)) {
        end_for_budget(query, span, from->pairs[interval->first]);
        return;
    }

    const int32_t first = to->pair_count;
    bool hit_here = false;
    for (int32_t k = interval->first; k < interval->first + interval->count; ++k) {
        if (!try_pair(query, from->pairs[k], span, to, &hit_here)) {
            return;
        }
    }

    const int32_t count = to->pair_count - first;
    if (count == 0) {
        return;
    }
    if (level >= LEVEL_MAX || to->interval_count + 2 > motion->interval_capacity) {
        end_for_budget(query, span, to->pairs[first]);
        return;
    }
    to->intervals[to->interval_count++] = (Interval){2 * interval->index, first, count};
    if (!hit_here) {
        to->intervals[to->interval_count++] = (Interval){2 * interval->index + 1, first, count};
    }
}

static bool search_goes_on(const SegmentQuery* query) {
    return !query->full && (query->request->first_contact || query->hit_t > 1.0);
}

static void search_levels(SegmentQuery* query) {
    BerthMotionChecker* motion = query->motion;
    Level* from = &motion->levels[0];
    Level* to = &motion->levels[1];

    // The whole segment, with every pair open that no table proves, and no plane known.
    bi_motion_find_within(motion, query->segment);
    from->pair_count = 0;
    for (int32_t i = 0; i < motion->pair_count; ++i) {
        motion->normals[i] = v3(0, 0, 0);
        if (!bi_motion_query_skip_proven(query, i)) {
            from->pairs[from->pair_count++] = i;  // the list holds all pairs by its size
        }
    }
    if (from->pair_count == 0) {
        return;  // nothing moves against anything, or all of it is proven
    }
    from->interval_count = 1;
    from->intervals[0] = (Interval){0, 0, from->pair_count};

    for (int level = 0; level <= LEVEL_MAX && from->interval_count > 0 && search_goes_on(query); ++level) {
        to->interval_count = 0;
        to->pair_count = 0;
        for (int32_t i = 0; i < from->interval_count && search_goes_on(query); ++i) {
            if (query->intervals_left-- <= 0 || bi_motion_query_cancelled(query)) {
                end_for_budget(query, whole, from->pairs[from->intervals[i].first]);
                break;
            }
            try_interval(query, &from->intervals[i], level, from, to);
        }

        // What is left is the next level.
        Level* swap = from;
        from = to;
        to = swap;
    }
}

void bi_motion_query_conclude(SegmentQuery* query) {
    BerthMotionResult* out = query->out;
    const bool samples = query->motion->method == BERTH_METHOD_FIXED;

    if (query->hit_t <= 1.0) {
        out->verdict = BERTH_COLLISION;
        out->t_high = query->hit_t;
        out->t_low = query->close_t < query->hit_t ? query->close_t : query->hit_t;
        if (query->full) {
            out->t_low = 0.0;
        }
    } else if (query->full) {
        out->reason = BERTH_REASON_BUDGET;
        out->t_low = 0.0;
        out->t_high = 1.0;
    } else if (query->close_t <= 1.0) {
        out->reason =
            query->motion->delta > 0.0 || query->hopeless ? BERTH_REASON_TOO_CLOSE : BERTH_REASON_NUMERIC;
    } else if (samples) {
        out->reason = BERTH_REASON_BUDGET;
        out->t_high = 1.0;
    } else {
        out->verdict = BERTH_FREE;
        out->t_high = 1.0;
        out->environment.lower = query->clearances[false];
        out->self.lower = query->clearances[true];
        out->clearance = fmin(out->environment.lower, out->self.lower);
    }
}

void berth_motion_stats_add(BerthMotionStats* sum, const BerthMotionStats* more) {
    sum->configurations += more->configurations;
    sum->intervals += more->intervals;
    sum->pair_tests += more->pair_tests;
    counters_add(&sum->counters, &more->counters);
}

// Queues look at the ends of the segment themselves. Certificates list proofs at middles: those are found level by level.
static bool uses_queue(const SegmentQuery* query) {
    return query->queue != NULL && query->request->certificate == NULL;
}

// A search by the motion's method, when its ends are known to be free or it looks at them itself.
static BerthStatus search_by_method(SegmentQuery* query) {
    if (uses_queue(query)) {
        return bi_queue_run(query);
    }
    bi_motion_query_check_constants(query);
    search_levels(query);
    return BERTH_OK;
}

// Half of a curve by its control points (de Casteljau): the first half stays in b, the second goes to `second`.
static void halve_curve(double b[BERTH_CURVE_TERMS], double second[BERTH_CURVE_TERMS]) {
    double row[BERTH_CURVE_TERMS];
    memcpy(row, b, sizeof row);
    for (int level = 0; level < BERTH_CURVE_TERMS; ++level) {
        b[level] = row[0];
        second[BERTH_CURVE_TERMS - 1 - level] = row[BERTH_CURVE_TERMS - 1 - level];
        for (int i = 0; i + 1 < BERTH_CURVE_TERMS - level; ++i) {
            row[i] = 0.5 * (row[i] + row[i + 1]);
        }
    }
}

// A curve lies between its least and its greatest control point; those of its eighths are near to it.
static void range_of_curve(const double b[BERTH_CURVE_TERMS], double* low, double* high) {
    for (int eighth = 0; eighth < 8; ++eighth) {
        double part[BERTH_CURVE_TERMS], second[BERTH_CURVE_TERMS];
        memcpy(part, b, sizeof part);
        for (int half = 4; half > 0; half /= 2) {
            halve_curve(part, second);
            if ((eighth & half) != 0) {
                memcpy(part, second, sizeof part);
            }
        }
        for (int i = 0; i < BERTH_CURVE_TERMS; ++i) {
            *low = fmin(*low, part[i]);
            *high = fmax(*high, part[i]);
        }
    }
}

// Where a value can be on the way. A curve may leave the limits between two ends that keep them.
static void tight_value_range(const BerthSegment* segment, int32_t at, double* low, double* high) {
    *low = fmin(segment->from[at], segment->to[at]);
    *high = fmax(segment->from[at], segment->to[at]);
    if (segment->curves == NULL) {
        return;
    }

    double b[BERTH_CURVE_TERMS], sum = 0.0, least = INFINITY, most = -INFINITY;
    bi_curve_control_points(&segment->curves[at], b);
    for (int i = 0; i < BERTH_CURVE_TERMS; ++i) {
        sum += fabs(segment->curves[at].term[i]);
    }

    range_of_curve(b, &least, &most);
    const double rounding = 0x1p-46 * sum;  // an end that is on its limit is not beyond it
    *low = least < *low - rounding ? least : *low;
    *high = most > *high + rounding ? most : *high;
}

int32_t bi_motion_count_outside(const BerthMotionChecker* motion, const BerthSegment* segment) {
    const BerthScene* scene = motion->scene;
    int32_t count = 0;
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t i = 0; i < robot->value_count; ++i) {
            const RobotValue* v = &robot->robot->values[i];
            const int32_t at = robot->first_value + i;
            double low, high;
            tight_value_range(segment, at, &low, &high);
            const double away = motion->function != NULL ? 0.5 * motion->function->speeds[at] : 0.0;
            count += v->has_limits && !(low - away >= v->lower && high + away <= v->upper);
        }
    }
    return count;
}

static bool all_finite(const BerthSegment* segment) {
    double sum = 0.0;
    for (int32_t i = 0; i < segment->value_count; ++i) {
        sum += (segment->from[i] + segment->to[i]) * 0.0;
        for (int k = 0; segment->curves != NULL && k < BERTH_CURVE_TERMS; ++k) {
            sum += segment->curves[i].term[k] * 0.0;
        }
        if (segment->curves != NULL &&
            !(segment->curves[i].error >= 0.0 && segment->curves[i].error < INFINITY)) {
            return false;
        }
    }
    return sum == 0.0;
}

// Where objects may move, a segment without times says nothing about where they can be.
static bool has_good_times(const BerthSegment* segment) {
    return segment->timed && segment->start >= 0.0 && segment->start < (double)INFINITY &&
           segment->duration >= 0.0 && segment->duration < (double)INFINITY;
}

bool bi_motion_segment_is_valid(const BerthMotionChecker* motion, const BerthSegment* segment) {
    return segment->value_count == motion->scene->value_count && all_finite(segment) &&
           (!motion->checker->reaches || has_good_times(segment));
}

static BerthStatus check_function(const BerthMotionChecker* motion, const BerthMotionRequest* request) {
    const BerthScene* scene = motion->scene;
    if (request->certificate != NULL || request->function->values == NULL ||
        request->function->speeds == NULL) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    for (int32_t i = 0; i < scene->value_count; ++i) {
        if (!(request->function->speeds[i] >= 0.0 && request->function->speeds[i] < (double)INFINITY)) {
            return bi_fail_quietly(BERTH_ERR_ARGUMENT);
        }
    }

    // Speeds of values do not bound how fast a quaternion turns.
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        for (int32_t f = 1; f < scene->robots[r].robot->frame_count; ++f) {
            if (scene->robots[r].robot->frames[f].motion == FRAME_FLOATING) {
                return bi_fail_quietly(BERTH_ERR_UNSUPPORTED);
            }
        }
    }
    return BERTH_OK;
}

// ---- what another search left open ------------------------------------------------------------------------------

int32_t bi_motion_find_pair(const BerthMotionChecker* motion, int32_t body_a, int32_t body_b) {
    int32_t low = 0, high = motion->pair_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const ScenePair* pair = &motion->scene->pairs[motion->pairs[middle].pair];
        const bool before = pair->body_a < body_a || (pair->body_a == body_a && pair->body_b < body_b);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }

    const ScenePair* found = low < motion->pair_count ? &motion->scene->pairs[motion->pairs[low].pair] : NULL;
    return found != NULL && found->body_a == body_a && found->body_b == body_b ? low : -1;
}

// Intervals of this level join those that the level above left; false when they do not fit.
static bool add_open(SegmentQuery* query, Level* level, const MotionOpen* open, int32_t count) {
    const BerthMotionChecker* motion = query->motion;
    for (int32_t i = 0; i < count;) {
        if (level->interval_count >= motion->interval_capacity) {
            return false;
        }
        Interval* interval = &level->intervals[level->interval_count++];
        *interval = (Interval){open[i].index, level->pair_count, 0};

        for (; i < count && open[i].index == interval->index; ++i) {
            if (level->pair_count >= motion->list_capacity) {
                return false;
            }
            level->pairs[level->pair_count++] = open[i].pair;
            interval->count += 1;
        }
    }
    return true;
}

// One level: what is left of it goes to `to`. False when the query is over.
static bool search_level(SegmentQuery* query, int level, const Level* from, Level* to) {
    to->interval_count = to->pair_count = 0;
    for (int32_t i = 0; i < from->interval_count && search_goes_on(query); ++i) {
        if (query->intervals_left-- <= 0 || bi_motion_query_cancelled(query)) {
            end_for_budget(query, whole, from->pairs[from->intervals[i].first]);
            return false;
        }
        try_interval(query, &from->intervals[i], level, from, to);
    }
    return search_goes_on(query);
}

static void search_open(SegmentQuery* query, const MotionOpen* open, int32_t count) {
    BerthMotionChecker* motion = query->motion;
    Level* from = &motion->levels[0];
    Level* to = &motion->levels[1];
    from->interval_count = from->pair_count = 0;
    for (int32_t i = 0; i < count; ++i) {
        motion->normals[open[i].pair] = v3(0, 0, 0);
    }

    int32_t next = 0;
    for (int level = open[0].level; level <= LEVEL_MAX && (from->interval_count > 0 || next < count);
         ++level) {
        int32_t end = next;
        while (end < count && open[end].level == level) {
            end += 1;
        }
        if (!add_open(query, from, open + next, end - next)) {
            end_for_budget(query, whole, open[next].pair);
            return;
        }
        next = end;

        if (!search_level(query, level, from, to)) {
            return;
        }
        Level* swap = from;
        from = to;
        to = swap;
    }
}

BerthStatus bi_motion_check_open(BerthMotionChecker* motion, const BerthSegment* segment,
                                 const MotionOpen* open, int32_t count, BerthMotionResult* out) {
    *out = bi_motion_no_result();
    if (!motion->scene->committed || motion->scene->generation != motion->generation) {
        return bi_fail_quietly(BERTH_ERR_STALE);
    }
    if (!bi_motion_segment_is_valid(motion, segment)) {
        out->reason = BERTH_REASON_NUMERIC;
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    const BerthMotionRequest request = {0};
    motion->function = NULL;
    SegmentQuery query = bi_motion_query(motion, segment, &request, out);
    if (count > 0) {
        search_open(&query, open, count);
    }
    bi_motion_query_conclude(&query);
    return BERTH_OK;
}

// ---- a whole segment --------------------------------------------------------------------------------------------

// Both ends by the static check, then what is between them.
static BerthStatus check_ends_and_between(SegmentQuery* query) {
    if (uses_queue(query)) {
        return search_by_method(query);
    }

    BerthVerdict verdict;
    BerthStatus status = bi_motion_query_check_state(query, 0.0, &verdict);
    if (status == BERTH_OK && query->hit_t > 0.0) {
        status = bi_motion_query_check_state(query, 1.0, &verdict);
    }

    const bool ended = query->hit_t <= 0.0 || (query->hit_t <= 1.0 && !query->request->first_contact);
    if (status != BERTH_OK || ended) {
        return status;
    }
    return query->motion->method == BERTH_METHOD_FIXED ? bi_motion_test_samples(query)
                                                       : search_by_method(query);
}

BerthStatus bi_motion_check_by_bodies(BerthMotionChecker* motion, const BerthSegment* segment,
                                      const BerthMotionRequest* request, BerthMotionResult* out) {
    *out = bi_motion_no_result();
    if (!motion->scene->committed || motion->scene->generation != motion->generation) {
        return bi_fail_quietly(BERTH_ERR_STALE);
    }

    if (!bi_motion_segment_is_valid(motion, segment)) {
        out->reason = BERTH_REASON_NUMERIC;
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    motion->function = request->function;
    if (request->function != NULL) {
        const BerthStatus function_status = check_function(motion, request);
        if (function_status != BERTH_OK) {
            motion->function = NULL;
            return function_status;
        }
    }
    out->outside_limits = bi_motion_count_outside(motion, segment);

    SegmentQuery query = bi_motion_query(motion, segment, request, out);
    if (request->certificate != NULL) {
        const BerthStatus begun = bi_motion_record_segment(request->certificate, motion, segment);
        if (begun != BERTH_OK) {
            return begun;
        }
    }

    // The search, its verdict and what else was requested.
    BerthStatus status = check_ends_and_between(&query);
    if (status == BERTH_OK) {
        bi_motion_query_conclude(&query);
    }
    if (status == BERTH_OK && request->sharp_clearance && out->verdict == BERTH_FREE) {
        bi_motion_find_clearance(&query, out);
    }

    if (request->certificate != NULL) {
        const BerthStatus kept = bi_certificate_end(request->certificate, out->verdict == BERTH_FREE);
        if (status == BERTH_OK) {
            status = kept;
        }
    }

    motion->function = NULL;  // it is the caller's, and of this query only
    return status;
}

// Is only the verdict of a straight segment wanted? That is what lanes can give.
static bool is_for_lanes(const BerthMotionChecker* motion, const BerthSegment* segment,
                         const BerthMotionRequest* request) {
    return motion->lanes != NULL && segment->curves == NULL && request->function == NULL &&
           !request->first_contact && !request->sharp_clearance && request->certificate == NULL &&
           motion->scene->committed && motion->scene->generation == motion->generation &&
           bi_motion_segment_is_valid(motion, segment);
}

BerthStatus berth_motion_check_segment(BerthMotionChecker* motion, const BerthSegment* segment,
                                       const BerthMotionRequest* request, BerthMotionResult* out) {
    BerthStatus status;
    if (is_for_lanes(motion, segment, request) && bi_motion_check_by_lanes(motion, segment, &status, out)) {
        return status;
    }
    return bi_motion_check_by_bodies(motion, segment, request, out);
}
