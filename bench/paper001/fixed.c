// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// FIXED-RES-BISECTION as the paper describes it: level by level, at each configuration all pairs that balls do not part on
// the whole segment (the same that ADAPTIVE-BISECTION queues), each by pure collision on its RSS trees from the roots. The
// library's own `fixed` asks its static check, which leaves out most pairs by balls before it comes to any tree.

#include <math.h>
#include <stdlib.h>

#include "motion/motion.h"
#include "paper001/paper.h"
#include "support/cell.h"
#include "support/clock.h"
#include "tree/rss.h"

enum { PAIRS = 4096, LEVELS = 20 };

struct PaperFixed {
    PaperCell* cell;
    BerthMotionChecker* motion;  // for the bounds that part pairs
    BerthTreeQuery* trees;
    double resolution;
    int32_t pairs[PAIRS];  // of the scene
    int32_t pair_count;
};

PaperFixed* paper_fixed_create(PaperCell* cell, double resolution) {
    const PaperMethod method = {"adaptive", BERTH_METHOD_ADAPTIVE, BERTH_DISTANCE_GREEDY, 0.005, 0, 0};
    PaperFixed* fixed = calloc(1, sizeof *fixed);
    fixed->cell = cell;
    fixed->resolution = resolution;
    fixed->motion = paper_motion(cell, &method);
    if (berth_tree_query_create(1 << 30, NULL, &fixed->trees) != BERTH_OK ||
        berth_tree_query_use(fixed->trees, BERTH_ENGINE_RSS, NULL, 0) != BERTH_OK) {
        bench_die("trees");
    }
    return fixed;
}

void paper_fixed_destroy(PaperFixed* fixed) {
    berth_tree_query_destroy(fixed->trees);
    berth_motion_checker_destroy(fixed->motion);
    free(fixed);
}

static void choose_pairs(PaperFixed* fixed, const BerthSegment* segment) {
    BerthMotionChecker* motion = fixed->motion;
    const Span whole = {0.5, 0.5};
    bi_motion_rates(motion, segment, whole);
    if (!bi_motion_place(motion, whole)) {
        bench_die("a segment");
    }
    fixed->pair_count = 0;
    for (int32_t i = 0; i < motion->pair_count && fixed->pair_count < PAIRS; ++i) {
        const ScenePair* pair = &motion->scene->pairs[motion->pairs[i].pair];
        const CheckBody* a = &motion->checker->bodies[pair->body_a];
        const CheckBody* b = &motion->checker->bodies[pair->body_b];
        const double apart = v3_distance(a->centre, b->centre) - a->radius - b->radius;
        if (!(apart > 0.5 * bi_motion_pair_lambda(motion, i, whole))) {
            fixed->pairs[fixed->pair_count++] = motion->pairs[i].pair;
        }
    }
}

static bool pair_hits(PaperFixed* fixed, const ScenePair* pair, PaperSum* sum) {
    const BerthScene* scene = fixed->cell->scene;
    const Pose* poses = fixed->cell->checker->world_from_part;
    const SceneBody* a = &scene->bodies[pair->body_a];
    const SceneBody* b = &scene->bodies[pair->body_b];
    const SolidRequest request = {.slack = 1e-12};
    for (int32_t i = a->first_part; i < a->first_part + a->part_count; ++i) {
        for (int32_t k = b->first_part; k < b->first_part + b->part_count; ++k) {
            const BerthSolid* one = scene->parts[i].solid;
            const BerthSolid* two = scene->parts[k].solid;
            const Pose between = pose_between(&poses[i], &poses[k]);
            sum->bv += 1;
            if (bi_rss_gap(&one->rss->nodes[0], &two->rss->nodes[0], &between) > 0.0) {
                continue;
            }
            BerthTreeAnswer answer;
            bi_solid_query(fixed->trees, one, two, &between, &request, &answer);
            sum->bv += answer.counters.bv_tests;
            sum->tri += answer.counters.leaf_tests;
            if (answer.verdict == BERTH_COLLISION) {
                return true;
            }
        }
    }
    return false;
}

static bool state_hits(PaperFixed* fixed, const BerthSegment* segment, double t, PaperSum* sum) {
    double values[PAPER_VALUES];
    berth_segment_values(fixed->cell->scene, segment, t, values);
    if (!bi_check_place(fixed->cell->checker, values)) {
        bench_die("a configuration");
    }
    sum->configurations += 1;
    bool hit = false;
    for (int32_t i = 0; i < fixed->pair_count && !hit; ++i) {
        hit = pair_hits(fixed, &fixed->cell->scene->pairs[fixed->pairs[i]], sum);
    }
    return hit;
}

void paper_fixed_ask(PaperFixed* fixed, const double* from, const double* to, PaperSum* sum) {
    const BerthSegment segment = {.value_count = fixed->cell->scene->value_count, .from = from, .to = to};
    double longest = 0.0;
    for (int32_t i = 0; i < segment.value_count; ++i) {
        longest = fmax(longest, fabs(to[i] - from[i]));
    }
    const double t0 = bench_now();
    choose_pairs(fixed, &segment);
    const int64_t before = sum->bv;
    bool hit = state_hits(fixed, &segment, 0.0, sum) || state_hits(fixed, &segment, 1.0, sum);
    sum->ends_bv += sum->bv - before;
    for (int level = 0; level < LEVELS && !hit && longest / (double)(1 << level) > fixed->resolution;
         ++level) {
        const int count = 1 << level;
        for (int i = 0; i < count && !hit; ++i) {
            hit = state_hits(fixed, &segment, (i + 0.5) / count, sum);
        }
    }
    sum->seconds += bench_now() - t0;
    sum->segments += 1;
    sum->verdicts[hit ? BERTH_COLLISION : BERTH_UNKNOWN] += 1;
}
