// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Motions that were found free, with their certificates.

#include "support/proofs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "math/math.h"

void proof_open(ProofCase* c, const BerthScene* scene, double margin, double error, BerthMethod method) {
    memset(c, 0, sizeof *c);
    c->value_count = berth_scene_value_count(scene);
    assert_true(c->value_count <= PROOF_VALUES);
    c->def = berth_default_motion_checker_def();
    c->def.margin = margin;
    c->def.method = method;
    for (int i = 0; i < c->value_count; ++i) {
        c->errors[i] = error;
    }
    c->def.tracking_error = c->errors;
    assert_int_equal(berth_motion_checker_create(scene, &c->def, &c->motion), BERTH_OK);
    assert_int_equal(berth_certificate_create(c->motion, NULL, &c->certificate), BERTH_OK);
}

void proof_close(ProofCase* c) {
    berth_certificate_destroy(c->certificate);
    berth_motion_checker_destroy(c->motion);
}

void proof_make_segment(ProofCase* c, int at, bool curved, Random* random) {
    c->segments[at] = (BerthSegment){.value_count = c->value_count, .from = c->from[at], .to = c->to[at]};
    for (int i = 0; curved && i < c->value_count; ++i) {
        const double way = c->to[at][i] - c->from[at][i];
        const double sway = bi_random_between(random, -0.3, 0.3) * way;
        c->curves[at][i] =
            (BerthCurve){.term = {c->from[at][i], sway, 3.0 * way - 2.0 * sway, sway - 2.0 * way, 0, 0}};
        c->segments[at].curves = c->curves[at];
    }
}

bool proof_add(ProofCase* c, const double* from, const double* to, bool curved, Random* random) {
    const size_t size = (size_t)c->value_count * sizeof *from;
    const int at = c->count;
    memcpy(c->from[at], from, size);
    memcpy(c->to[at], to, size);
    proof_make_segment(c, at, curved, random);
    BerthMotionRequest request = {0};
    BerthMotionResult result;
    BerthStatus status = berth_motion_check_segment(c->motion, &c->segments[at], &request, &result);
    if (status != BERTH_OK || result.verdict != BERTH_FREE) {
        return false;
    }
    request.certificate = c->certificate;
    status = berth_motion_check_segment(c->motion, &c->segments[at], &request, &result);
    assert_int_equal(status, BERTH_OK);
    assert_int_equal(result.verdict, BERTH_FREE);
    c->count += 1;
    return true;
}

// Half a way to another state, or a short one; quaternions go to another orientation whole.
void proof_random(ProofCase* c, const World* world, Random* random, int tries, int most) {
    double from[PROOF_VALUES];
    double to[PROOF_VALUES];
    for (int i = 0; i < tries && c->count < most; ++i) {
        world_values(world, random, from);
        world_values(world, random, to);
        const double share = bi_random_between(random, 0.0, i % 2 == 0 ? 0.5 : 0.05);
        bool curved = i % 3 == 0;
        for (int k = 0; k < c->value_count; ++k) {
            to[k] = from[k] + share * (to[k] - from[k]);
        }
        proof_add(c, from, to, curved, random);
    }
}

BerthStatus proof_verify(const BerthCertificate* certificate, const BerthScene* scene,
                         const BerthSegment* segments, int64_t segment_count,
                         const BerthMotionCheckerDef* def, BerthCertificateReport* report) {
    const BerthVerifyDef asked = berth_motion_verify_def(def);
    return berth_certificate_verify(certificate, scene, segments, segment_count, &asked, report);
}
