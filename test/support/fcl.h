// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Our geometry as FCL's, for tests and benchmarks. Needs the oracles (BERTH_HAVE_ORACLES), and nothing of cmocka.

#ifndef TEST_SUPPORT_FCL_H
#define TEST_SUPPORT_FCL_H

#include <berth/tree.h>

#include "oracle/peer_fcl.h"

/// A sphere, capsule, box, cylinder or cone; null for what FCL has no like of.
PeerFcl* fcl_shape(const BerthShape* shape);
/// A mesh as its surface, or a shape; null likewise.
PeerFcl* fcl_solid(const BerthSolid* solid);
/// A pose as twelve doubles: rotation row by row, then translation.
void fcl_rows(const BerthPose* pose, double out[12]);

#endif
