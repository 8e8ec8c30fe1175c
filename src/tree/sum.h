// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The contents of a hash over geometry, by which certificates and proven tables identify a robot or a scene.

#ifndef BI_SUM_H
#define BI_SUM_H

#include <berth/tree.h>

#include "base/sha256.h"
#include "math/vec3.h"

/// Three numbers.
void bi_sum_vector(Sha256* sha, Vec3 v);
/// Twelve numbers: the axes, then the place.
void bi_sum_pose(Sha256* sha, const Pose* pose);
/// The shape or mesh as queries use it: a hull's vertices when it is one.
void bi_sum_solid(Sha256* sha, const BerthSolid* solid);

#endif
