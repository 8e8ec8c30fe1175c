// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What a checker determines about pairs when it is made: tables of its robots, and the list of comparisons
// that uses them.
// Entry: bi_check_prepare_comparisons.

#include "check/check.h"

static BerthStatus fill_hierarchies(const BerthScene* scene, BerthTables tables, const BerthAllocator* from,
                                    Hierarchy** out) {
    BerthProofDef proof = berth_default_proof_def();
    proof.samples = 0;  // they prove nothing
    proof.no_gaps = true;
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < scene->robot_count && status == BERTH_OK; ++i) {
        HierarchyDef def = bi_hierarchy_default_def();
        def.allocator = *from;
        def.proof = tables == BERTH_TABLES_PROVEN ? &proof : NULL;
        status = bi_hierarchy_create(scene->robots[i].robot, &def, &out[i]);
    }
    return status;
}

static BerthStatus make_comparisons(BerthChecker* checker, Hierarchy** hierarchies, bool swept) {
    const BerthScene* scene = checker->scene;
    CompareBall* bodies = bi_take(&checker->allocator, (size_t)scene->body_count, sizeof *bodies);
    if (bodies == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "checker: out of memory");
    }

    for (int32_t i = 0; i < scene->body_count; ++i) {
        const CheckBody* body = &checker->bodies[i];
        const SceneBody* s = &scene->bodies[i];
        bodies[i] = (CompareBall){body->local_centre, body->radius, body->still_size, s->frame,
                                  s->frame < 0 ? -1 : s->robot};
    }

    const CompareInput input = {scene, bodies, bi_check_margin_most(checker),
                                (const Hierarchy* const*)hierarchies, swept};
    const BerthStatus status = bi_compare_create(&input, &checker->allocator, &checker->comparisons);
    checker->has_comparisons = status == BERTH_OK;

    bi_give(&checker->allocator, bodies, (size_t)scene->body_count, sizeof *bodies);
    return status;
}

// Paddings in the list are of no time.
static bool has_growing_pair(const BerthChecker* checker) {
    for (int32_t i = 0; checker->reaches && i < checker->scene->pair_count; ++i) {
        if (scene_pair_reaches(&checker->scene->pairs[i])) {
            return true;
        }
    }
    return false;
}

BerthStatus bi_check_prepare_comparisons(BerthChecker* checker, const BerthCheckerLab* lab) {
    const BerthScene* scene = checker->scene;
    const BerthTables tables = lab->tables;
    bool has_room = scene->pair_count <= BI_COMPARE_PAIR_MAX;
    for (int32_t i = 0; i < scene->robot_count; ++i) {
        has_room = has_room && scene->robots[i].robot->frame_count <= BI_HIERARCHY_FRAME_MAX;
    }
    if (tables == BERTH_TABLES_NONE || !has_room || has_growing_pair(checker)) {
        return BERTH_OK;
    }

    const size_t count = (size_t)scene->robot_count;
    Hierarchy** hierarchies = bi_take(&checker->allocator, count, sizeof *hierarchies);
    if (hierarchies == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "checker: out of memory");
    }

    BerthStatus status = fill_hierarchies(scene, tables, &checker->allocator, hierarchies);
    if (status == BERTH_OK) {
        status = make_comparisons(checker, hierarchies, lab->subtrees == BERTH_SUBTREES_SWEPT);
    }

    for (size_t i = 0; i < count; ++i) {
        bi_hierarchy_destroy(hierarchies[i]);
    }
    bi_give(&checker->allocator, hierarchies, count, sizeof *hierarchies);
    return status;
}
