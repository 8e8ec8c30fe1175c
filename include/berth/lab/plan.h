// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, plan: the planners that the tables of paper 001 compare (V-D).

#ifndef BERTH_LAB_PLAN_H
#define BERTH_LAB_PLAN_H

#include <berth/lab/motion.h>
#include <berth/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// For BerthPlannerDef.lab. All zero is the default.
struct BerthPlannerLab {
    BerthMethod method;            ///< by which edges are proven; not FIXED
    const BerthMotionLab* motion;  ///< settings of that method; null: the default. Read at creation only
    /// Of SBL. Above 0 its edges are **sampled**, not proven: bisected, longest piece first, until pieces are
    /// shorter than this (in the units of BerthPlanResult.length). A motion that it finds may collide;
    /// berth_planner_certify decides whether it does
    double resolution;
};

#ifdef __cplusplus
}
#endif
#endif
