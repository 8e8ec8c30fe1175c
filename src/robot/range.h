// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Where something fixed to a link can be while joints move within a box of values: balls carried along the
// chain (errata 2.3 a, 3.3). Valid for every configuration of the box, rounding included.

#ifndef BI_RANGE_H
#define BI_RANGE_H

#include "robot/robot.h"
#include "shape/ball.h"

/// A ball, in the axes of frame `ancestor`, that contains `ball`, fixed to frame `frame`, for all values in [low, high].
/// `ancestor` is `frame` or above it. Infinite where a joint between has no limits that bound it.
Ball bi_range_ball(const BerthRobot* robot, int32_t frame, int32_t ancestor, Ball ball, const double* low,
                   const double* high);
/// One step of it: the ball in the axes of the frame's parent.
Ball bi_range_step(const RobotFrame* frame, Ball ball, const double* low, const double* high);
/// The step the other way: a ball in the axes of the frame's parent, as the frame sees it. Turning and sliding joints;
/// infinite for others.
Ball bi_range_step_back(const RobotFrame* frame, Ball ball, const double* low, const double* high);
/// The joint's own value where the state's is in [low, high]: multiplier and offset applied. Turning and sliding joints.
void bi_range_joint_value(const RobotFrame* frame, const double* low, const double* high, double* joint_low,
                          double* joint_high);
/// The robot's limits as a box of values; infinite where there are none.
void bi_range_limits(const BerthRobot* robot, double* low, double* high);

#endif
