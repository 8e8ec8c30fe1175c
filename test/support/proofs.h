// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Motions that were found free, with their certificates.

#ifndef TEST_SUPPORT_PROOFS_H
#define TEST_SUPPORT_PROOFS_H

#include <berth/motion.h>

#include "certificate/certificate.h"
#include "support/worlds.h"

enum { PROOF_VALUES = 200, PROOF_SEGMENTS = 64 };

/// A motion, its certificate, and what was asked.
typedef struct ProofCase {
    int32_t value_count;
    int count;
    double from[PROOF_SEGMENTS][PROOF_VALUES], to[PROOF_SEGMENTS][PROOF_VALUES];
    BerthCurve curves[PROOF_SEGMENTS][PROOF_VALUES];
    BerthSegment segments[PROOF_SEGMENTS];
    double errors[PROOF_VALUES];
    BerthMotionCheckerDef def;
    BerthMotionChecker* motion;
    BerthCertificate* certificate;
} ProofCase;

/// A motion and an empty certificate on this scene; every value may be off by `error`.
void proof_open(ProofCase* c, const BerthScene* scene, double margin, double error, BerthMethod method);
void proof_close(ProofCase* c);
/// Segment `at` from the values that stand there; curved ones sway.
void proof_make_segment(ProofCase* c, int at, bool curved, Random* random);
/// Records the segment from `from` to `to` when it is free; forgets it otherwise.
bool proof_add(ProofCase* c, const double* from, const double* to, bool curved, Random* random);
/// Random ones, until `most` are free. Half a way to another state, or a short one.
void proof_random(ProofCase* c, const World* world, Random* random, int tries, int most);

/// Verifies against what a motion checker with this def proves.
BerthStatus proof_verify(const BerthCertificate* certificate, const BerthScene* scene,
                         const BerthSegment* segments, int64_t segment_count,
                         const BerthMotionCheckerDef* def, BerthCertificateReport* report);

#endif
