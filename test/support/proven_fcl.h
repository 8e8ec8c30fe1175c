// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// FCL as the judge of pairs that a table proves apart: in a state that was called free, are they? Needs the oracles.

#ifndef TEST_SUPPORT_PROVEN_FCL_H
#define TEST_SUPPORT_PROVEN_FCL_H

#include "oracle/peer_fcl.h"
#include "scene/scene.h"

enum { PROVEN_SOLID_MAX = 256 };

/// One robot's solids as FCL's.
typedef struct ProvenJudge {
    const BerthRobot* robot;
    PeerFcl* peers[PROVEN_SOLID_MAX];
    int64_t asked, wrong;
} ProvenJudge;

void proven_judge_open(ProvenJudge* judge, const BerthRobot* robot);
void proven_judge_close(ProvenJudge* judge);
/// A state of a scene with that robot alone was called free with this margin: counts the proven pairs that FCL does not find
/// further apart.
void proven_judge_state(ProvenJudge* judge, const BerthScene* scene, const double* values, double margin);

#endif
