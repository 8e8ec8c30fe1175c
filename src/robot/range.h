// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Where something fixed to a link can be while joints move within a box of values: balls carried along the chain
// (NOTES 2.3 a, 3.3). Sound for every configuration of the box, rounding included.

#ifndef BI_RANGE_H
#define BI_RANGE_H

#include "robot/robot.h"
#include "shape/ball.h"

/// A ball, in the axes of frame `ancestor`, that contains `ball`, fixed to frame `frame`, for all values in [low, high].
/// Infinite where a joint between has no limits that bound it.
Ball bi_range_ball(const BerthRobot* robot, int32_t frame, int32_t ancestor, Ball ball, const double* low,
                   const double* high);

#endif
