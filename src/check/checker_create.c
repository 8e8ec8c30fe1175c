// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes and destroys checkers: measures the scene, takes all memory, and answers once what never changes.
// Entries: berth_default_checker_def, berth_checker_create, berth_checker_destroy, berth_checker_stats.

#include <string.h>

#include "check/check.h"

BerthCheckerDef berth_default_checker_def(void) {
    return (BerthCheckerDef){
        .margin = 0.0, .self_margin = -1.0, .node_budget = 10000000, .stamp = BI_DEF_STAMP};
}

static BerthCheckerLab lab_of(const BerthCheckerDef* def) {
    if (def->lab == NULL) {
        return (BerthCheckerLab){.engine = BERTH_ENGINE_DEFAULT, .tables = BERTH_TABLES_BALLS};
    }
    return *def->lab;
}

static BerthStatus check_def(const BerthScene* scene, const BerthCheckerDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "checker def: start from berth_default_checker_def()");
    }

    if (!isfinite(def->margin) || def->margin < 0.0 || def->margin > BI_COORDINATE_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "checker def: margin is %g m, must be from 0 to %g", def->margin,
                       BI_COORDINATE_MAX);
    }
    if (!(def->self_margin <= BI_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "checker def: self margin is %g m, must be at most %g",
                       def->self_margin, BI_COORDINATE_MAX);
    }
    const BerthCheckerLab lab = lab_of(def);
    if ((int)lab.engine < 0 || lab.engine >= BERTH_ENGINE_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "checker def: engine %d is not known", (int)lab.engine);
    }
    if ((int)lab.tables < 0 || lab.tables >= BERTH_TABLES_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "checker def: tables %d are not known", (int)lab.tables);
    }
    if ((int)lab.subtrees < 0 || lab.subtrees >= BERTH_SUBTREES_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "checker def: balls of subtrees %d are not known",
                       (int)lab.subtrees);
    }
    if (def->node_budget <= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "checker def: node budget is %d, must be > 0", def->node_budget);
    }

    if (scene == NULL || !scene->committed) {
        return bi_fail(BERTH_ERR_ARGUMENT, "checker: the scene is not committed");
    }
    return BERTH_OK;
}

// Offsets along the chains that no value changes: the numbers that kinematics adds up.
static double robot_size(const SceneRobot* robot) {
    double size = v3_length(robot->world_from_base.t);
    for (int32_t i = 0; i < robot->robot->frame_count; ++i) {
        size += v3_length(robot->robot->frames[i].parent_from_joint.t) + fabs(robot->robot->frames[i].offset);
    }
    return size;
}

// A ball around all parts of a body: around the middle of the balls' common box.
static void measure_body(const BerthScene* scene, const SceneBody* body, CheckBody* out) {
    const ScenePart* parts = scene->parts + body->first_part;
    Vec3 low = v3(INFINITY, INFINITY, INFINITY);
    Vec3 high = v3_neg(low);

    for (int32_t i = 0; i < body->part_count; ++i) {
        const BerthSolid* solid = parts[i].solid;
        const Vec3 c = pose_apply(&parts[i].frame_from_part, solid->centre);
        const Vec3 r = v3(solid->radius, solid->radius, solid->radius);
        low = v3_min(low, v3_sub(c, r));
        high = v3_max(high, v3_add(c, r));

        const double size = v3_length(parts[i].frame_from_part.t) + solid->extent;
        out->still_size = fmax(out->still_size, size);
    }

    const bool bounded = v3_finite(low) && v3_finite(high);
    out->local_centre = bounded ? v3_scale(v3_add(low, high), 0.5) : v3(0, 0, 0);
    for (int32_t i = 0; bounded && i < body->part_count; ++i) {
        const Vec3 c = pose_apply(&parts[i].frame_from_part, parts[i].solid->centre);
        out->radius = fmax(out->radius, v3_distance(c, out->local_centre) + parts[i].solid->radius);
    }

    out->radius = bounded ? out->radius * (1.0 + 16.0 * BI_ULP) : (double)INFINITY;
}

static void measure_bodies(BerthChecker* checker) {
    const BerthScene* scene = checker->scene;
    for (int32_t i = 0; i < scene->body_count; ++i) {
        CheckBody* body = &checker->bodies[i];
        measure_body(scene, &scene->bodies[i], body);
        if (scene->bodies[i].robot >= 0) {
            body->still_size += robot_size(&scene->robots[scene->bodies[i].robot]);
        }
        body->size = body->still_size;
        body->centre = body->local_centre;
    }

    for (int32_t i = 0; i < scene->part_count; ++i) {
        checker->world_from_part[i] = scene->parts[i].frame_from_part;
    }
}

static void count_proven_pairs(BerthChecker* checker) {
    const BerthScene* scene = checker->scene;
    for (int32_t i = 0; i < scene->pair_count && scene->proven_count > 0; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        if (pair->proven_gap > bi_check_margin(checker, pair)) {
            checker->proven[scene->bodies[pair->body_a].robot] += 1;
        }
    }
}

// Pairs that never move against each other are answered here, in their own frame, and never asked again.
static void answer_constants(BerthChecker* checker) {
    const BerthScene* scene = checker->scene;
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        if (bi_check_is_constant(checker, &scene->pairs[i])) {
            CheckConstant* constant = &checker->constants[checker->constant_count++];
            constant->pair = i;
            const PairRequest wanted = {.max_d = INFINITY, .distance = true, .true_gap = true};
            bi_check_pair(checker, &scene->pairs[i], &wanted, &constant->answer);
        }
    }
}

static bool take_arrays(BerthChecker* c) {
    const BerthAllocator* from = &c->allocator;
    c->values = bi_take(from, (size_t)c->value_count, sizeof *c->values);
    c->world_from_frame = bi_take(from, (size_t)c->frame_count, sizeof *c->world_from_frame);
    c->world_from_part = bi_take(from, (size_t)c->part_count, sizeof *c->world_from_part);
    c->placed = bi_take(from, (size_t)c->body_count, sizeof *c->placed);
    c->moved = bi_take(from, (size_t)c->robot_count, sizeof *c->moved);
    c->proven = bi_take(from, (size_t)c->robot_count, sizeof *c->proven);
    c->bodies = bi_take(from, (size_t)c->body_count, sizeof *c->bodies);
    c->candidates = bi_take(from, (size_t)c->pair_count, sizeof *c->candidates);
    c->constants = bi_take(from, (size_t)c->pair_count, sizeof *c->constants);
    c->hits = bi_take(from, (size_t)c->pair_count, sizeof *c->hits);
    c->pairs = bi_take(from, (size_t)c->pair_count, sizeof *c->pairs);
    c->columns = bi_take(from, 2 * (size_t)c->value_count, sizeof *c->columns);

    return c->values && c->world_from_frame && c->world_from_part && c->placed && c->moved && c->proven &&
           c->bodies && c->candidates && c->constants && c->hits && c->pairs && c->columns;
}

// Sphere trees that the scene's solids lack are made here, under the checker's allocator, and live as long as it.
static BerthStatus use_engine(BerthChecker* checker, BerthEngine engine) {
    const BerthScene* scene = checker->scene;
    const size_t count = (size_t)scene->part_count;
    const BerthSolid** solids = bi_take(&checker->allocator, count, sizeof *solids);
    if (solids == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "checker of %d bodies and %d pairs: out of memory",
                       scene->body_count, scene->pair_count);
    }

    for (size_t i = 0; i < count; ++i) {
        solids[i] = scene->parts[i].solid;
    }

    const BerthStatus status = berth_tree_query_use(checker->query, engine, solids, scene->part_count);
    bi_give(&checker->allocator, solids, count, sizeof *solids);
    return status;
}

BerthStatus bi_check_lanes_match(const BerthScene* scene, const BerthLanes* lanes, double margin,
                                 double self_margin) {
    if (lanes == NULL) {
        return BERTH_OK;
    }
    if (lanes->scene != scene || lanes->generation != scene->generation) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "checker def: its lanes lay out another scene, or this one before it was edited");
    }
    if (lanes->margin != margin || lanes->self_margin != self_margin) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "checker def: margins are %g and %g m, those of its lanes %g and %g m", margin,
                       self_margin, lanes->margin, lanes->self_margin);
    }
    return BERTH_OK;
}

bool bi_check_constants_free(const BerthChecker* checker) {
    bool free = true;
    for (int32_t i = 0; i < checker->constant_count; ++i) {
        free = free && checker->constants[i].answer.verdict == BERTH_FREE;
    }
    return free;
}

// A pair that never changes and is not free makes every state collide, or unknown: lanes would not see it.
static BerthStatus use_lanes(BerthChecker* checker, const BerthCheckerDef* def, bool reaches) {
    const BerthStatus status =
        bi_check_lanes_match(checker->scene, def->lanes, checker->margin, checker->self_margin);
    if (status != BERTH_OK || def->lanes == NULL || reaches || !bi_check_constants_free(checker)) {
        return status;
    }
    return bi_lanes_query_create(def->lanes, &checker->lanes);
}

BerthStatus bi_checker_create(const BerthScene* scene, const BerthCheckerDef* def, bool reaches,
                              BerthChecker** out) {
    *out = NULL;
    BerthStatus status = check_def(scene, def);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    BerthChecker* checker = bi_take(&from, 1, sizeof *checker);
    if (checker == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "checker: out of memory");
    }

    checker->allocator = from;
    checker->scene = scene;
    checker->generation = scene->generation;
    checker->margin = def->margin;
    checker->self_margin = def->self_margin >= 0.0 ? def->self_margin : def->margin;
    checker->reaches = reaches;
    checker->body_count = scene->body_count;
    checker->part_count = scene->part_count;
    checker->pair_count = scene->pair_count;
    checker->value_count = scene->value_count;
    checker->frame_count = scene->frame_count;
    checker->robot_count = scene->robot_count;

    const BerthCheckerLab lab = lab_of(def);
    status = berth_tree_query_create(def->node_budget, &from, &checker->query);
    if (status == BERTH_OK && lab.engine != BERTH_ENGINE_DEFAULT) {
        status = use_engine(checker, lab.engine);
    }
    if (status == BERTH_OK && !take_arrays(checker)) {
        status = bi_fail(BERTH_ERR_MEMORY, "checker of %d bodies and %d pairs: out of memory",
                         scene->body_count, scene->pair_count);
    }
    if (status == BERTH_OK) {
        measure_bodies(checker);
        status = bi_check_prepare_comparisons(checker, &lab);
    }

    if (status != BERTH_OK) {
        berth_checker_destroy(checker);
        return status;
    }

    answer_constants(checker);
    count_proven_pairs(checker);
    status = use_lanes(checker, def, reaches);
    if (status != BERTH_OK) {
        berth_checker_destroy(checker);
        return status;
    }
    *out = checker;
    return BERTH_OK;
}

BerthStatus berth_checker_create(const BerthScene* scene, const BerthCheckerDef* def, BerthChecker** out) {
    return bi_checker_create(scene, def, false, out);
}

void berth_checker_destroy(BerthChecker* c) {
    if (c == NULL) {
        return;
    }

    const BerthAllocator from = c->allocator;
    bi_give(&from, c->values, (size_t)c->value_count, sizeof *c->values);
    bi_give(&from, c->world_from_frame, (size_t)c->frame_count, sizeof *c->world_from_frame);
    bi_give(&from, c->world_from_part, (size_t)c->part_count, sizeof *c->world_from_part);
    bi_give(&from, c->placed, (size_t)c->body_count, sizeof *c->placed);
    bi_give(&from, c->moved, (size_t)c->robot_count, sizeof *c->moved);
    bi_give(&from, c->proven, (size_t)c->robot_count, sizeof *c->proven);
    bi_give(&from, c->bodies, (size_t)c->body_count, sizeof *c->bodies);
    bi_give(&from, c->candidates, (size_t)c->pair_count, sizeof *c->candidates);
    bi_give(&from, c->constants, (size_t)c->pair_count, sizeof *c->constants);
    bi_give(&from, c->hits, (size_t)c->pair_count, sizeof *c->hits);
    bi_give(&from, c->pairs, (size_t)c->pair_count, sizeof *c->pairs);
    bi_give(&from, c->columns, 2 * (size_t)c->value_count, sizeof *c->columns);

    bi_lanes_query_destroy(c->lanes);
    bi_compare_destroy(&c->comparisons);
    berth_tree_query_destroy(c->query);
    bi_give(&from, c, 1, sizeof *c);
}

BerthCheckerStats berth_checker_stats(const BerthChecker* c) {
    BerthCheckerStats stats = c->stats;
    stats.stack_high_water = c->query->stack_high_water;
    stats.bytes = sizeof *c + c->comparisons.arena.total + (c->lanes != NULL ? c->lanes->bytes : 0) +
                  bi_tree_query_bytes(c->query) +
                  (size_t)c->value_count * (sizeof *c->values + 2 * sizeof *c->columns) +
                  (size_t)c->frame_count * sizeof *c->world_from_frame +
                  (size_t)c->part_count * sizeof *c->world_from_part +
                  (size_t)c->robot_count * (sizeof *c->moved + sizeof *c->proven) +
                  (size_t)c->body_count * (sizeof *c->bodies + sizeof *c->placed) +
                  (size_t)c->pair_count *
                      (sizeof *c->candidates + sizeof *c->constants + sizeof *c->hits + sizeof *c->pairs);
    return stats;
}
