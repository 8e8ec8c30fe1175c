// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Finds the pairs of bodies that must be examined, by going through the list of comparisons (compare.h).
// Pairs that are left out are proven further apart than the limit: by balls in this state, or by a table for
// all states within limits.
// Entries: bi_compare_within_limits, bi_compare_place_balls, then bi_compare_within or bi_compare_nearest.

#include "check/check.h"

bool bi_compare_within_limits(const CompareList* list, const double* values, int32_t value_count) {
    bool inside = true;
    for (int32_t i = 0; i < value_count; ++i) {
        inside &= values[i] >= list->low[i] && values[i] <= list->high[i];
    }
    return inside;
}

void bi_compare_place_balls(BerthChecker* checker) {
    CompareList* list = &checker->comparisons;
    for (int32_t i = 0; i < list->moved_body_count; ++i) {
        const CheckBody* body = &checker->bodies[i];
        list->placed[i] = (PlacedBall){body->centre, body->radius + 2.0 * BI_DISTANCE_SLACK * body->size};
    }

    for (int32_t i = list->body_count; i < list->moved_end; ++i) {
        const CompareBall* ball = &list->balls[i];
        if (ball->frame < 0) {
            continue;
        }
        const CheckMoved* moved = &checker->moved[ball->robot];
        const double size = bi_check_scene_radius(ball->still_size, moved);
        list->placed[i] = (PlacedBall){pose_apply(&checker->world_from_frame[ball->frame], ball->local),
                                       ball->radius + 2.0 * BI_DISTANCE_SLACK * size};
    }
}

// True only when proven: the balls, as padded as any pair below, are further apart than `limit`.
static inline bool step_balls_apart(const PlacedBall* placed, const CompareStep* step, double limit) {
    const PlacedBall* a = &placed[step->a];
    const PlacedBall* b = &placed[step->b];
    const double reach = a->reach + b->reach + (double)step->padding + limit;
    return v3_length_sq(v3_sub(a->centre, b->centre)) > reach * reach;
}

static inline bool step_is_apart(const PlacedBall* placed, const CompareStep* step, double limit) {
    return (double)step->least > limit || step_balls_apart(placed, step, limit);
}

// Pairs that a table proves apart are in no list for the margin, so tables need not be asked here. Whether a pair is kept
// is not branched on: it cannot be foreseen, and guessing wrong costs more than writing it down.
int32_t bi_compare_within(BerthChecker* checker, const CompareStep* steps, CompareRange range, double limit) {
    const PlacedBall* placed = checker->comparisons.placed;
    CheckCandidate* found = checker->candidates;
    int32_t count = 0;

    for (int32_t i = range.first; i < range.end;) {
        const CompareStep* step = &steps[i];
        const bool apart = step_balls_apart(placed, step, limit);
        if (step->pair >= 0) {
            found[count].pair = step->pair;
            count += !apart;
            ++i;
        } else {
            i += apart ? step->skip : 1;
        }
    }

    // What is left gets its exact bound.
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t pair = found[i].pair;
        const double bound = bi_check_pair_bound(checker, &checker->scene->pairs[pair]);
        found[kept] = (CheckCandidate){bound, pair};
        kept += !(bound > limit);
    }
    return kept;
}

int32_t bi_compare_nearest(BerthChecker* checker, const CompareStep* steps, CompareRange range,
                           double least_limit, double most_limit) {
    const PlacedBall* placed = checker->comparisons.placed;
    double limit = most_limit;
    int32_t count = 0;

    for (int32_t i = range.first; i < range.end;) {
        const CompareStep* step = &steps[i];
        if (step_is_apart(placed, step, limit)) {
            i += step->skip;
            continue;
        }

        if (step->pair >= 0) {
            const ScenePair* pair = &checker->scene->pairs[step->pair];
            const CheckBody* a = &checker->bodies[pair->body_a];
            const CheckBody* b = &checker->bodies[pair->body_b];
            checker->candidates[count++] = (CheckCandidate){bi_check_pair_bound(checker, pair), step->pair};

            // No body is empty: the two have points that are at most this far apart.
            const PlacedBall *pa = &placed[step->a], *pb = &placed[step->b];
            const double most = v3_distance(a->centre, b->centre) * (1.0 + 8.0 * BI_ULP) + pa->reach +
                                pb->reach - pair->padding;
            if (most < limit) {
                limit = most > least_limit ? most : least_limit;
            }
        }
        ++i;
    }

    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (!(checker->candidates[i].bound > limit)) {
            checker->candidates[kept++] = checker->candidates[i];
        }
    }
    return kept;
}
