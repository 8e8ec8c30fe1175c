// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// FIXED: samples of a segment, coarse to fine. By the static check, or, for comparison, as in paper 001: pure
// collision tests of all pairs that balls do not separate on the whole segment, from the roots of their
// trees.
// Entry: bi_motion_test_samples.

#include "motion/motion.h"
#include "tree/rss.h"

static const Span whole = {0.5, 0.5};

// Lists the pairs that balls do not part on the whole segment in the first level, which samples do not need.
static void list_pairs(SegmentQuery* query) {
    BerthMotionChecker* motion = query->motion;
    Level* level = &motion->levels[0];
    level->pair_count = 0;
    bi_motion_rates(motion, query->segment, whole);
    const bool placed = bi_motion_place(motion, whole);

    for (int32_t i = 0; i < motion->pair_count; ++i) {
        const ScenePair* pair = &motion->scene->pairs[motion->pairs[i].pair];
        const CheckBody* a = &motion->checker->bodies[pair->body_a];
        const CheckBody* b = &motion->checker->bodies[pair->body_b];
        const double away = v3_distance(a->centre, b->centre) - a->radius - b->radius - pair->padding -
                            bi_check_reach(motion->checker, pair) - bi_motion_margin(motion, pair) -
                            BI_DISTANCE_SLACK * (a->size + b->size);
        if (!placed || !(away > 0.5 * bi_motion_pair_lambda(motion, i, whole))) {
            level->pairs[level->pair_count++] = i;
        }
    }
}

// May the pair touch, by all its parts? Only surfaces are looked at.
static bool test_surfaces(SegmentQuery* query, const ScenePair* pair) {
    const BerthMotionChecker* motion = query->motion;
    const BerthChecker* checker = motion->checker;
    const SceneBody* a = &motion->scene->bodies[pair->body_a];
    const SceneBody* b = &motion->scene->bodies[pair->body_b];
    const double needed =
        bi_motion_margin(motion, pair) + pair->padding + bi_check_reach(checker, pair) +
        BI_DISTANCE_SLACK * (checker->bodies[pair->body_a].size + checker->bodies[pair->body_b].size);

    for (int32_t k = 0; k < a->part_count * b->part_count; ++k) {
        const int32_t i = a->first_part + k / b->part_count;
        const int32_t j = b->first_part + k % b->part_count;
        const RssTree* tree_a = solid_rss(motion->scene->parts[i].solid);
        const RssTree* tree_b = solid_rss(motion->scene->parts[j].solid);
        if (tree_a == NULL || tree_b == NULL) {
            return true;  // the static check knows shapes
        }
        const Pose a_from_b = pose_between(&checker->world_from_part[i], &checker->world_from_part[j]);
        if (bi_rss_test_touch(tree_a, tree_b, &a_from_b, needed, checker->query->node_budget,
                              &query->stats->counters)) {
            return true;
        }
    }
    return false;
}

// A sample by pure collision tests. A touch is confirmed by the static check of the pair, which has the witness.
static BerthStatus test_by_collision(SegmentQuery* query, double t) {
    BerthMotionChecker* motion = query->motion;
    bi_motion_values(motion, query->segment, t, motion->values);
    if (!bi_check_place(motion->checker, motion->values)) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }
    query->stats->configurations += 1;

    const Level* level = &motion->levels[0];
    for (int32_t i = 0; i < level->pair_count && query->hit_t > 1.0; ++i) {
        const ScenePair* pair = &motion->scene->pairs[motion->pairs[level->pairs[i]].pair];
        query->stats->pair_tests += 1;
        if (!test_surfaces(query, pair)) {
            continue;
        }
        const PairRequest wanted = {.max_d = bi_motion_margin(motion, pair)};
        BerthTreeAnswer answer;
        bi_check_pair(motion->checker, pair, &wanted, &answer);
        counters_add(&query->stats->counters, &answer.counters);
        if (answer.verdict == BERTH_COLLISION) {
            bi_motion_query_note_collision(query, t, pair, answer.meeting);
        }
    }
    return BERTH_OK;
}

static BerthStatus test_sample(SegmentQuery* query, double t) {
    BerthVerdict verdict;
    return query->motion->distance == BERTH_DISTANCE_COLLISION
               ? test_by_collision(query, t)
               : bi_motion_query_check_state(query, t, &verdict);
}

BerthStatus bi_motion_test_samples(SegmentQuery* query) {
    const BerthSegment* s = query->segment;
    double longest = 0.0;
    for (int32_t i = 0; i < s->value_count; ++i) {
        double length = s->curves == NULL ? fabs(s->to[i] - s->from[i]) : 0.0;
        for (int k = 1; s->curves != NULL && k < BERTH_CURVE_TERMS; ++k) {
            length += k * fabs(s->curves[i].term[k]);  // a bound of the speed, so of any step
        }
        if (query->motion->function != NULL) {
            length = query->motion->function->speeds[i];
        }
        longest = fmax(longest, length);
    }

    // As deep as the resolution requires.
    int level = 0;
    while (level < 40 && longest / (double)((uint64_t)1 << level) > query->motion->resolution) {
        level += 1;
    }

    if (query->motion->distance == BERTH_DISTANCE_COLLISION && level > 0) {
        list_pairs(query);
    }
    for (int l = 0; l < level && query->hit_t > 1.0; ++l) {
        const uint64_t count = (uint64_t)1 << l;
        for (uint64_t i = 0; i < count && query->hit_t > 1.0; ++i) {
            if (query->intervals_left-- <= 0 || bi_motion_query_cancelled(query)) {
                query->full = true;
                return BERTH_OK;
            }
            const BerthStatus status = test_sample(query, ((double)i + 0.5) / (double)count);
            if (status != BERTH_OK) {
                return status;
            }
        }
    }

    query->out->sampled_free = query->hit_t > 1.0;
    return BERTH_OK;
}
