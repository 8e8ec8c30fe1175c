// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One configuration. Balls first; the remaining pairs are examined nearest first, and the best gap so far is
// passed on as the range of the next. FREE needs a proof for every pair, COLLISION a witness, everything else
// is UNKNOWN.
// Entries: berth_check_state, berth_check_self, bi_check_by_bodies, bi_check_open.

#include "check/check.h"

// Nodes that every pair may open before any may open more, where there are more than a few. Of Romeo's colliding states
// 9 in 10 show within them; a handful of pairs near each other is mostly a free state, which would only lose time.
enum { TRY_NODES = 8, TRY_COUNT = 10 };

typedef struct Check {
    BerthChecker* checker;
    const BerthCheckRequest* request;
    int32_t robot;  // whose own pairs alone are asked about; -1: all pairs of the scene
    BerthCheckResult* out;
    double lower;  // smallest proven lower bound over the pairs looked at
    bool unknown;
    bool each_gap;  // every pair's distance is wanted
} Check;

// bi_check_pair_bound without a root: true only when proven further apart than `limit`.
static bool pair_balls_apart(const BerthChecker* checker, const ScenePair* pair, double limit) {
    const CheckBody* a = &checker->bodies[pair->body_a];
    const CheckBody* b = &checker->bodies[pair->body_b];
    const double padding = bi_check_padding(checker, pair);
    const double reach =
        a->radius + b->radius + padding + limit + 2.0 * BI_DISTANCE_SLACK * (a->size + b->size);
    return v3_length_sq(v3_sub(a->centre, b->centre)) > reach * reach;
}

// Nearest first; of equally near ones, in the order of the scene, however they were found.
static bool comes_after(const CheckCandidate* a, const CheckCandidate* b) {
    return a->bound > b->bound || (a->bound == b->bound && a->pair > b->pair);
}

static void sift_down(CheckCandidate* heap, int32_t at, int32_t count) {
    const CheckCandidate moved = heap[at];
    for (int32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && comes_after(&heap[child + 1], &heap[child])) {
            child += 1;
        }
        if (!comes_after(&heap[child], &moved)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

// Nearest first. Insertion for the few that a state usually has, a heap for crowds.
static void sort_candidates(CheckCandidate* list, int32_t count) {
    if (count > 48) {
        for (int32_t i = count / 2 - 1; i >= 0; --i) {
            sift_down(list, i, count);
        }
        for (int32_t end = count - 1; end > 0; --end) {
            const CheckCandidate last = list[end];
            list[end] = list[0];
            list[0] = last;
            sift_down(list, 0, end);
        }
        return;
    }

    for (int32_t i = 1; i < count; ++i) {
        const CheckCandidate key = list[i];
        int32_t j = i;
        for (; j > 0 && comes_after(&list[j - 1], &key); --j) {
            list[j] = list[j - 1];
        }
        list[j] = key;
    }
}

static bool is_asked(const Check* check, const ScenePair* pair) {
    const SceneBody* bodies = check->checker->scene->bodies;
    return check->robot < 0 ||
           (bodies[pair->body_a].robot == check->robot && bodies[pair->body_b].robot == check->robot);
}

// Pairs whose balls do not prove them further apart than `limit`: every pair is compared.
static int32_t compare_all(const Check* check, double limit) {
    BerthChecker* checker = check->checker;
    const BerthScene* scene = checker->scene;
    int32_t count = 0;
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        if (bi_check_is_constant(checker, pair) || !is_asked(check, pair) ||
            pair_balls_apart(checker, pair, limit)) {
            continue;
        }

        const double bound = bi_check_pair_bound(checker, pair);
        if (!(bound > limit)) {
            checker->candidates[count++] = (CheckCandidate){bound, i};
        }
    }
    return count;
}

// Clearances above this need not be told apart; no margin is larger.
static double farthest_asked(const Check* check) {
    const double far = check->request->far_enough;
    return far > 0.0 ? fmax(far, bi_check_margin_most(check->checker)) : (double)INFINITY;
}

// Pairs that have to be looked at, nearest first.
static int32_t find_candidates(const Check* check) {
    BerthChecker* checker = check->checker;
    const CompareList* list = &checker->comparisons;
    const bool distance = check->request->distance;
    int32_t count = 0;

    if (check->each_gap || !checker->has_comparisons ||
        !bi_compare_within_limits(list, checker->values, checker->value_count)) {
        const double within = check->each_gap ? (double)INFINITY : farthest_asked(check);
        count = compare_all(check, distance ? within : bi_check_margin_most(checker));
    } else {
        bi_compare_place_balls(checker);
        // Who proves a clearance raises the margin for a while: then what is near is not only what the list says.
        const bool every = distance || bi_check_margin_most(checker) > list->margin;
        const CompareRange all = {0, every ? list->every_count : list->near_count};
        const CompareRange* self = every ? list->every_self : list->near_self;
        const CompareRange range = check->robot < 0 ? all : self[check->robot];
        if (distance) {
            count = bi_compare_nearest(checker, list->every, range, bi_check_margin_most(checker),
                                       farthest_asked(check));
        } else {
            count = bi_compare_within(checker, every ? list->every : list->near, range,
                                      bi_check_margin_most(checker));
        }
    }

    sort_candidates(checker->candidates, count);
    return count;
}

static void add_hit(Check* check, const ScenePair* pair, const BerthTreeAnswer* answer) {
    BerthHit* hit = &check->checker->hits[check->out->hit_count++];
    *hit = (BerthHit){.body_a = pair->body_a, .body_b = pair->body_b};
    hit->point = answer->meeting;

    // Padded bodies that overlap by less than their padding have a depth although the bodies are apart.
    const double padding = bi_check_padding(check->checker, pair);
    hit->has_depth = answer->has_depth || (answer->upper < 0.0 && answer->upper > -padding);
    hit->depth = hit->has_depth && answer->upper < 0.0 ? -answer->upper : 0.0;
    hit->has_normal = v3_length_sq(answer->normal) > 0.5;
    hit->normal = answer->normal;
}

static void note_pair(Check* check, const ScenePair* pair, const BerthTreeAnswer* answer) {
    BerthCheckResult* out = check->out;
    counters_add(&out->counters, &answer->counters);

    const BerthPairGap gap = {pair->body_a,  pair->body_b,    answer->lower,
                              answer->upper, answer->point_a, answer->point_b};
    if (answer->verdict == BERTH_COLLISION) {
        add_hit(check, pair, answer);
    } else if (answer->verdict != BERTH_FREE && !check->unknown) {
        check->unknown = true;
        out->reason = answer->reason;
        out->unknown_a = pair->body_a;
        out->unknown_b = pair->body_b;
    }

    if (answer->upper < out->clearance.upper) {
        out->clearance = gap;
    }
    if (answer->lower < check->lower) {
        check->lower = answer->lower;
    }

    if (check->each_gap) {
        check->checker->pairs[out->pair_count++] = gap;
    }
}

static bool is_finished(const Check* check) {
    return check->out->hit_count > 0 && !check->request->all;
}

static void check_constants(Check* check) {
    BerthChecker* checker = check->checker;
    for (int32_t i = 0; i < checker->constant_count && !is_finished(check); ++i) {
        const ScenePair* pair = &checker->scene->pairs[checker->constants[i].pair];
        if (!is_asked(check, pair)) {
            continue;
        }

        BerthTreeAnswer answer = checker->constants[i].answer;
        const int32_t frame = checker->scene->bodies[pair->body_a].frame;
        if (frame >= 0) {
            const Pose* world_from_frame = &checker->world_from_frame[frame];
            answer.point_a = pose_apply(world_from_frame, answer.point_a);
            answer.point_b = pose_apply(world_from_frame, answer.point_b);
            answer.meeting = pose_apply(world_from_frame, answer.meeting);
            answer.normal = pose_turn(world_from_frame, answer.normal);
        }

        answer.counters = (BerthCounters){0};  // they cost this query nothing
        note_pair(check, pair, &answer);
    }
}

// One hit will do: every pair gets a few nodes before any gets many. Deep hits show within them, and two bodies that are
// close but apart, which take the longest, wait until the others had their chance. Returns how many are left, in order.
static int32_t try_candidates(Check* check, int32_t count) {
    BerthChecker* checker = check->checker;
    int32_t left = 0;
    for (int32_t i = 0; i < count && !is_finished(check); ++i) {
        const CheckCandidate candidate = checker->candidates[i];
        const ScenePair* pair = &checker->scene->pairs[candidate.pair];
        const PairRequest wanted = {.max_d = bi_check_margin(checker, pair), .budget = TRY_NODES};
        BerthTreeAnswer answer;
        bi_check_pair(checker, pair, &wanted, &answer);

        if (answer.verdict == BERTH_UNKNOWN) {
            checker->candidates[left++] = candidate;
        } else {
            note_pair(check, pair, &answer);
        }
    }
    return left;
}

// Up to which gap a pair is looked into. Once something is near enough only the verdict is open.
static double range_of_pair(const Check* check, double margin) {
    const double found = check->out->clearance.upper;
    if (check->each_gap) {
        return (double)INFINITY;
    }
    if (!check->request->distance || found <= check->request->near_enough) {
        return margin;
    }
    return fmax(margin, fmin(found, farthest_asked(check)));
}

static void check_candidates(Check* check, int32_t count) {
    BerthChecker* checker = check->checker;
    const bool distance = check->request->distance;
    if (!distance && !check->request->all && count > TRY_COUNT) {
        count = try_candidates(check, count);
    }

    for (int32_t i = 0; i < count && !is_finished(check); ++i) {
        const CheckCandidate* candidate = &checker->candidates[i];
        const ScenePair* pair = &checker->scene->pairs[candidate->pair];
        const double margin = bi_check_margin(checker, pair);
        const double range = range_of_pair(check, margin);
        if (candidate->bound > range) {
            // Not looked into: its balls are what is known of it.
            check->lower = fmin(check->lower, candidate->bound);
            if (candidate->bound > bi_check_margin_most(checker)) {
                break;  // sorted: all that follow are as far
            }
            continue;
        }

        const PairRequest wanted = {.max_d = range,
                                    .tolerance = check->request->tolerance,
                                    .distance = distance,
                                    .true_gap = check->each_gap,
                                    .enough = check->request->near_enough};

        BerthTreeAnswer answer;
        bi_check_pair(checker, pair, &wanted, &answer);
        note_pair(check, pair, &answer);
    }
}

static void sort_gaps(BerthPairGap* gaps, int32_t count, CheckCandidate* order) {
    for (int32_t i = 0; i < count; ++i) {
        order[i] = (CheckCandidate){gaps[i].upper, i};
    }
    sort_candidates(order, count);

    // Apply the order in place, cycle by cycle.
    for (int32_t i = 0; i < count; ++i) {
        int32_t from = order[i].pair;
        while (from < i) {
            from = order[from].pair;
        }

        const BerthPairGap swap = gaps[i];
        gaps[i] = gaps[from];
        gaps[from] = swap;
        order[i].pair = from;
    }
}

static void conclude_verdict(Check* check) {
    BerthCheckResult* out = check->out;
    if (out->hit_count > 0) {
        out->verdict = BERTH_COLLISION;
        out->reason = BERTH_REASON_NONE;
        out->unknown_a = out->unknown_b = -1;
    } else if (!check->unknown) {
        out->verdict = BERTH_FREE;
    }

    // Farther than was asked: a pair that is known all the same need not be the nearest.
    const double far = farthest_asked(check);
    const bool is_far = out->clearance.upper > far && !check->each_gap && check->checker->pair_count > 0;
    if (is_far) {
        out->clearance = (BerthPairGap){.body_a = -1, .body_b = -1, .upper = INFINITY};
    }
    out->has_clearance =
        check->request->distance && out->hit_count == 0 && (out->clearance.body_a >= 0 || is_far);
    if (out->has_clearance) {
        out->clearance.lower = fmin(fmin(check->lower, far), out->clearance.upper);
    }

    out->hits = check->checker->hits;
    out->pairs = check->checker->pairs;
}

// Pairs that a robot's table proves apart: none of a robot one of whose values is outside its limits.
static int32_t count_proven(const BerthChecker* checker, int32_t robot) {
    int32_t count = 0;
    for (int32_t r = 0; r < checker->robot_count; ++r) {
        const bool asked = checker->proven[r] > 0 && (robot < 0 || robot == r);
        if (asked && bi_scene_within_limits(checker->scene, r, checker->values, checker->values)) {
            count += checker->proven[r];
        }
    }
    return count;
}

static bool is_request_good(const BerthCheckRequest* request) {
    const double near = request->near_enough;
    const double far = request->far_enough;
    return request->tolerance >= 0.0 && request->tolerance <= 1e3 && near >= 0.0 && near < (double)INFINITY &&
           far < (double)INFINITY && (far == 0.0 || far >= near);
}

// Nothing is known yet, and the state is placed.
static BerthStatus begin_check(BerthChecker* checker, int32_t robot, const double* values,
                               const BerthCheckRequest* request, BerthCheckResult* out) {
    *out = bi_check_no_result();
    if (!bi_check_is_current(checker)) {
        return bi_fail_quietly(BERTH_ERR_STALE);
    }
    if (robot >= checker->robot_count || !is_request_good(request) ||
        !bi_check_place_balls(checker, values)) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    out->reason = BERTH_REASON_NONE;
    checker->stats.queries += 1;
    return BERTH_OK;
}

static BerthStatus check_pairs(BerthChecker* checker, int32_t robot, const double* values,
                               const BerthCheckRequest* request, BerthCheckResult* out) {
    const BerthStatus status = begin_check(checker, robot, values, request, out);
    if (status != BERTH_OK) {
        return status;
    }
    Check check = {.checker = checker,
                   .request = request,
                   .robot = robot,
                   .out = out,
                   .lower = INFINITY,
                   .each_gap = request->distance && request->all};

    check_constants(&check);
    if (!is_finished(&check)) {
        check_candidates(&check, find_candidates(&check));
    }
    if (check.each_gap) {
        sort_gaps(checker->pairs, out->pair_count, checker->candidates);
    }

    conclude_verdict(&check);
    out->proven_count = count_proven(checker, robot);
    return BERTH_OK;
}

BerthStatus bi_check_open(BerthChecker* checker, const double* values, const int32_t* pairs, int32_t count,
                          BerthCheckResult* out) {
    const BerthCheckRequest request = {0};
    const BerthStatus status = begin_check(checker, -1, values, &request, out);
    if (status != BERTH_OK) {
        return status;
    }

    Check check = {.checker = checker, .request = &request, .robot = -1, .out = out, .lower = INFINITY};
    int32_t left = 0;
    for (int32_t i = 0; i < count; ++i) {
        const ScenePair* pair = &checker->scene->pairs[pairs[i]];
        const double margin = bi_check_margin(checker, pair);
        if (!pair_balls_apart(checker, pair, margin)) {
            checker->candidates[left++] = (CheckCandidate){bi_check_pair_bound(checker, pair), pairs[i]};
        }
    }
    sort_candidates(checker->candidates, left);
    check_candidates(&check, left);
    conclude_verdict(&check);
    out->proven_count = count_proven(checker, -1);
    return BERTH_OK;
}

BerthStatus bi_check_by_bodies(BerthChecker* checker, const double* values, const BerthCheckRequest* request,
                               BerthCheckResult* out) {
    return check_pairs(checker, -1, values, request, out);
}

BerthStatus berth_check_state(BerthChecker* checker, const double* values, const BerthCheckRequest* request,
                              BerthCheckResult* out) {
    const bool verdict_only = !request->distance && !request->all && is_request_good(request);
    if (checker->lanes != NULL && verdict_only && bi_check_is_current(checker) &&
        bi_check_state_by_lanes(checker, values, out)) {
        return BERTH_OK;
    }
    return check_pairs(checker, -1, values, request, out);
}

BerthStatus berth_check_self(BerthChecker* checker, int32_t robot, const double* values,
                             const BerthCheckRequest* request, BerthCheckResult* out) {
    if (robot < 0) {
        *out = bi_check_no_result();
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }
    return check_pairs(checker, robot, values, request, out);
}
