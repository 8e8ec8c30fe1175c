// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, plan: the planners that paper 001's tables compare (V-D).

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
    const BerthMotionLab* motion;  ///< how; null: the default. Read at creation only
    /// Of SBL. Above 0 its edges are **sampled**, not proven: halved, longest piece first, until pieces are shorter than this (length as
    /// of BerthPlanResult); a motion that it finds may collide, and berth_planner_certify says whether it does.
    double resolution;
};

#ifdef __cplusplus
}
#endif
#endif
