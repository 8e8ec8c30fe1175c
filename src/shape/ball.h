// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Balls that contain points. Every maker ends with a pass over all points that raises the radius, rounded up: what it
// says is contained is contained, whatever the search before did.

#ifndef BI_BALL_H
#define BI_BALL_H

#include "math/vec3.h"

typedef struct Ball {
    Vec3 centre;
    double radius;  ///< < 0: empty
} Ball;

#endif
