// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// States in which two links touch: the exact query at one state, and descent on the distance of their nearest
// points towards contact. A state that is found is a witness; not finding one means nothing.

#include <string.h>

#include "math/math.h"
#include "proof/proof.h"

enum { DESCENT_STEPS = 40, HALVINGS = 6 };
// No step turns a joint further than this (radian), nor slides one further (metre): beyond, the gradient is of no use.
static const double STEP_MOST = 0.4;
// Where an overlap is aimed at rather than a touch: the step is this much longer than the distance says.
static const double OVERSHOOT = 1.05, OVERSHOOT_METRES = 1e-4;

BerthTreeAnswer bi_proof_ask_solids(BerthProver* prover, int32_t solid_a, int32_t solid_b, double max_d) {
    const Chain* chain = &prover->chain;
    const RobotSolid* a = &chain->robot->solids[solid_a];
    const RobotSolid* b = &chain->robot->solids[solid_b];
    const Pose pose_a = pose_mul(&chain->pose[0], &a->frame_from_solid);
    const Pose pose_b = pose_mul(&chain->pose[1], &b->frame_from_solid);

    BerthTreeRequest request = berth_default_tree_request();
    request.max_d = max_d;
    return berth_tree_distance(prover->query, a->solid, &pose_a, b->solid, &pose_b, &request);
}

BerthVerdict bi_proof_ask_links(BerthProver* prover, double max_d, BerthTreeAnswer* out) {
    Chain* chain = &prover->chain;
    const RobotLink* a = &chain->robot->links[chain->link_a];
    const RobotLink* b = &chain->robot->links[chain->link_b];
    BerthVerdict verdict = BERTH_FREE;

    bi_chain_place(chain, NULL);
    *out = (BerthTreeAnswer){.lower = INFINITY, .upper = INFINITY};

    for (int64_t i = 0; i < (int64_t)a->solid_count * b->solid_count; ++i) {
        const int32_t solid_a = a->first_solid + (int32_t)(i / b->solid_count);
        const int32_t solid_b = b->first_solid + (int32_t)(i % b->solid_count);
        const RobotSolid* sa = &chain->robot->solids[solid_a];
        const RobotSolid* sb = &chain->robot->solids[solid_b];

        const double apart =
            v3_distance(pose_apply(&chain->pose[0], sa->centre), pose_apply(&chain->pose[1], sb->centre));
        const double least = apart - sa->radius - sb->radius - BI_PROOF_SLACK * chain->scale;
        const double enough = max_d < out->upper ? max_d : out->upper;
        if (least > 0.0 && least > enough) {
            out->lower = fmin(out->lower, least);
            continue;
        }

        const BerthTreeAnswer answer = bi_proof_ask_solids(prover, solid_a, solid_b, enough);
        if (answer.verdict == BERTH_COLLISION) {
            *out = answer;
            return BERTH_COLLISION;
        }

        verdict = answer.verdict == BERTH_FREE ? verdict : BERTH_UNKNOWN;
        const double lower = fmin(out->lower, answer.lower);
        if (answer.upper < out->upper) {
            *out = answer;
        }
        out->lower = lower;
    }
    return verdict;
}

// How the distance of the two witness points changes with each variable.
static double find_gradient(BerthProver* prover, const BerthTreeAnswer* nearest) {
    const Chain* chain = &prover->chain;
    const Vec3 n = v3_unit_or(v3_sub(nearest->point_b, nearest->point_a), nearest->normal);
    memset(prover->gradient, 0, (size_t)chain->variable_count * sizeof *prover->gradient);

    for (int32_t k = 0; k < chain->joint_count; ++k) {
        const ChainJoint* joint = &chain->joints[k];
        const Vec3 p = joint->up ? nearest->point_a : nearest->point_b;
        const Vec3 v = joint->slide ? chain->axis[k] : v3_cross(chain->axis[k], v3_sub(p, chain->origin[k]));
        const double rate = chain->robot->frames[joint->frame].multiplier * (joint->up ? -1.0 : 1.0);
        prover->gradient[joint->variable] += rate * v3_dot(n, v);
    }

    // Of what points out of the range nothing can be used.
    double sum = 0.0;
    for (int32_t i = 0; i < chain->variable_count; ++i) {
        const ChainVariable* variable = &chain->variables[i];
        const double value = chain->values[variable->value];
        const bool blocked = (prover->gradient[i] > 0.0 && !(value > variable->low)) ||
                             (prover->gradient[i] < 0.0 && !(value < variable->high));
        prover->gradient[i] = blocked ? 0.0 : prover->gradient[i];
        sum += prover->gradient[i] * prover->gradient[i];
    }
    return sum;
}

static void step_from(BerthProver* prover, const double* start, double length) {
    Chain* chain = &prover->chain;
    for (int32_t i = 0; i < chain->variable_count; ++i) {
        const ChainVariable* variable = &chain->variables[i];
        const double step = clamp(length * prover->gradient[i], -STEP_MOST, STEP_MOST);
        chain->values[variable->value] = clamp(start[i] - step, variable->low, variable->high);
    }
}

static void save_values(const Chain* chain, double* to) {
    for (int32_t i = 0; i < chain->variable_count; ++i) {
        to[i] = chain->values[chain->variables[i].value];
    }
}

static void load_values(Chain* chain, const double* from) {
    for (int32_t i = 0; i < chain->variable_count; ++i) {
        chain->values[chain->variables[i].value] = from[i];
    }
}

bool bi_proof_descend_to_touch(BerthProver* prover, double* least) {
    Chain* chain = &prover->chain;
    BerthTreeAnswer here;
    BerthVerdict verdict = bi_proof_ask_links(prover, INFINITY, &here);

    for (int step = 0; step < DESCENT_STEPS && verdict == BERTH_FREE; ++step) {
        *least = fmin(*least, here.upper);
        const double slope_sq = find_gradient(prover, &here);
        if (!(slope_sq > 0.0) || !(here.upper < INFINITY)) {
            break;
        }

        save_values(chain, prover->trial);
        double length = (OVERSHOOT * here.upper + OVERSHOOT_METRES) / slope_sq;
        BerthTreeAnswer there = here;
        bool nearer = false;

        for (int half = 0; half < HALVINGS && !nearer; ++half, length *= 0.5) {
            step_from(prover, prover->trial, length);
            verdict = bi_proof_ask_links(prover, here.upper, &there);
            nearer = verdict != BERTH_FREE || there.upper < here.upper;
        }

        if (!nearer) {
            load_values(chain, prover->trial);
            break;
        }

        here = there;
    }

    *least = verdict == BERTH_COLLISION ? 0.0 : *least;
    return verdict == BERTH_COLLISION;
}

void bi_proof_set_random_state(BerthProver* prover, Random* random) {
    Chain* chain = &prover->chain;
    for (int32_t i = 0; i < chain->variable_count; ++i) {
        const ChainVariable* variable = &chain->variables[i];
        const double low = fmax(variable->low, -BI_COORDINATE_MAX),
                     high = fmin(variable->high, BI_COORDINATE_MAX);
        chain->values[variable->value] = bi_random_between(random, low, high);
    }
}
