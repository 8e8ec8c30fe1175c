// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Records that rely on a robot's proven table. Two things are checked here and nowhere else in a
// verification: that the segment keeps the joint limits, tracking error included, by separate code; and that
// the table is true, by proving again the gaps that are relied on (by the proof room, not by the search).
// Entries: bi_verify_table, bi_verify_reprove_table_pairs.

#include <stdlib.h>
#include <string.h>

#include <berth/proof.h>

#include "certificate/verify.h"

// Control points are rounded, here in another order than in the search, which allows for half of it.
static const double ROUNDING_MOST = 0.2 * BI_PROOF_WIDER;

// A polynomial of degree 5 lies between its control points. From its terms by repeated sums: a[k] / C(5, k), then each
// pass adds the point before.
static void control_points(const double term[BERTH_CURVE_TERMS], double b[BERTH_CURVE_TERMS]) {
    static const double ways[BERTH_CURVE_TERMS] = {1, 5, 10, 10, 5, 1};
    for (int i = 0; i < BERTH_CURVE_TERMS; ++i) {
        b[i] = term[i] / ways[i];
    }
    for (int pass = 1; pass < BERTH_CURVE_TERMS; ++pass) {
        for (int i = BERTH_CURVE_TERMS - 1; i >= pass; --i) {
            b[i] += b[i - 1];
        }
    }
}

static bool value_within(const BerthSegment* segment, int32_t at, double error, const RobotValue* value) {
    const double size = 1.0 + fabs(value->lower) + fabs(value->upper);
    const double slack = segment->curves != NULL ? ROUNDING_MOST * size : 0.0;
    const double lost = segment->curves != NULL ? fabs(segment->curves[at].error) : 0.0;
    const double low = value->lower + error + lost - slack, high = value->upper - error - lost + slack;
    bool within = segment->from[at] >= low && segment->from[at] <= high && segment->to[at] >= low &&
                  segment->to[at] <= high;

    if (segment->curves != NULL) {
        double b[BERTH_CURVE_TERMS];
        control_points(segment->curves[at].term, b);
        for (int i = 0; i < BERTH_CURVE_TERMS; ++i) {
            within = within && b[i] >= low && b[i] <= high;
        }
    }
    return within;
}

double bi_verify_table(const Verifier* verifier, int32_t pair_index) {
    const BerthScene* scene = verifier->scene;
    const ScenePair* pair = &scene->pairs[pair_index];
    const SceneBody* a = &scene->bodies[pair->body_a];
    const SceneBody* b = &scene->bodies[pair->body_b];
    if (!(pair->proven_gap > 0.0) || a->robot < 0 || a->robot != b->robot || a->object >= 0 ||
        b->object >= 0) {
        return -(double)INFINITY;
    }

    const SceneRobot* robot = &scene->robots[a->robot];
    for (int32_t i = 0; i < robot->value_count; ++i) {
        const RobotValue* value = &robot->robot->values[i];
        const int32_t at = robot->first_value + i;
        if (value->has_limits && !value_within(verifier->segment, at, verifier->tracking_error[at], value)) {
            return -(double)INFINITY;
        }
    }
    return pair->proven_gap;
}

// ---- is the table true ---------------------------------------------------------------------------------------

// Proves the gaps of one robot's pairs that are marked. The first that is not proven is left in `*failed`.
static BerthStatus prove_robot(const BerthScene* scene, int32_t robot, const uint8_t* used,
                               const BerthAllocator* from, int32_t* failed) {
    const BerthProofDef def = berth_default_proof_def();
    BerthProofModel* model = NULL;
    BerthProver* prover = NULL;
    BerthStatus status = berth_proof_model_create(scene->robots[robot].robot, from, &model);
    if (status == BERTH_OK) {
        status = berth_prover_create(model, &def, from, &prover);
    }

    for (int32_t i = 0; i < scene->pair_count && status == BERTH_OK && *failed < 0; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        const SceneBody* a = &scene->bodies[pair->body_a];
        const SceneBody* b = &scene->bodies[pair->body_b];
        if (used[i] && a->robot == robot &&
            !berth_prover_confirm(prover, a->link, b->link, pair->proven_gap + pair->padding)) {
            *failed = i;
        }
    }

    berth_prover_destroy(prover);
    berth_proof_model_destroy(model);
    return status;
}

BerthStatus bi_verify_reprove_table_pairs(const BerthCertificate* certificate, const BerthScene* scene,
                                          const BerthAllocator* from, int32_t* count, int32_t* failed) {
    *count = 0;
    *failed = -1;
    uint8_t* used = bi_take(from, (size_t)scene->pair_count, 1);
    if (used == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "certificate: out of memory while it is verified");
    }

    // Records were checked before: their pairs are pairs of the scene.
    for (int64_t i = 0; i < certificate->record_count; ++i) {
        const CertificateRecord* record = &certificate->records[i];
        if (record->kind == PROOF_TABLE && !used[record->pair]) {
            used[record->pair] = 1;
            *count += 1;
        }
    }

    BerthStatus status = BERTH_OK;
    for (int32_t r = 0; r<scene->robot_count&& * count> 0 && status == BERTH_OK; ++r) {
        status = prove_robot(scene, r, used, from, failed);
    }
    bi_give(from, used, (size_t)scene->pair_count, 1);
    return status;
}
