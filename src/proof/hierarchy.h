// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The robot as a hierarchy of balls along its kinematic tree, and what is proven about its pairs within limits
// (paper 002, sections III and IV; errata 3.3 and 3.4). Constant once made; may be shared between threads.
//
//   R_f   what is fixed to frame f, in f's axes
//   MR_f  R_f and the M of f's children, in f's axes: f's whole subtree, for any values of its joints
//   M_f   MR_f moved by f's own joint, in the axes of f's parent
//
// A table entry is not a truth value but a distance: a proven lower bound of the gap in every configuration within
// limits. The paper's `true` is "entry > margin"; its conjunctions are minima, and an empty one is +infinity. So one
// table serves every margin, and distance queries as well. Pairs that the robot's rules skip are +infinity: declared,
// not proven; those of the robot's proven table have at least the gap that it proves. -infinity is "nothing known".
// Nothing here holds for a state outside the limits.

#ifndef BI_HIERARCHY_H
#define BI_HIERARCHY_H

#include <berth/proof.h>

#include <float.h>

#include "robot/range.h"
#include "robot/robot.h"

/// With more frames there is no hierarchy, since its tables are square. Real robots have fewer.
enum { BI_HIERARCHY_FRAME_MAX = 2048 };

/// The entry of a pair that a prover found never to touch: above 0, and no more is known.
#define BI_HIERARCHY_NEVER FLT_MIN

typedef enum HierarchyMethod {
    HIERARCHY_BALLS = 0,  ///< balls carried up the chains: no sampling, always sound
    HIERARCHY_SAMPLED     ///< the paper's: hulls of sampled joints, with the error that errata 3.3 corrects
} HierarchyMethod;

typedef struct HierarchyDef {
    HierarchyMethod method;
    double step;                 ///< SAMPLED: most radians between two samples of a joint, > 0
    const BerthProofDef* proof;  ///< null, or: pairs that balls leave open are put to a prover
    BerthAllocator allocator;
} HierarchyDef;
HierarchyDef bi_hierarchy_default_def(void);

typedef struct Hierarchy {
    BerthAllocator allocator;
    Arena arena;              ///< everything below
    const BerthRobot* robot;  ///< borrowed
    int32_t frame_count, geometry_count;
    double *low, *high;    ///< the limits, value_count each; infinite where there are none
    Ball* rigid;           ///< R, one a frame; empty where nothing is fixed to it
    Ball* motion;          ///< M; that of frame 0 is its MR
    Ball* both;            ///< MR
    float* links;          ///< of two links with geometry: lower triangle, as BerthRobot.rules
    float* base;           ///< Eq. (1), of two frames: square
    float* rigid_motion;   ///< Eq. (3), of R_i and M_j: square
    float* motion_motion;  ///< Eq. (4), of M_i and M_j: square
    float* self_free;      ///< Eq. (12), scfree: least over all pairs within a frame's subtree
} Hierarchy;

/// BERTH_ERR_CAPACITY for a robot of more than BI_HIERARCHY_FRAME_MAX frames.
BerthStatus bi_hierarchy_create(const BerthRobot* robot, const HierarchyDef* def, Hierarchy** out);
void bi_hierarchy_destroy(Hierarchy* hierarchy);

/// A ball around everything that is fixed to a link, in the axes of its frame. Empty for a link without geometry.
Ball bi_hierarchy_link_ball(const BerthRobot* robot, int32_t link);
/// How far two balls in the same axes are apart at least, rounding taken off; -infinity when one has no bound.
double bi_hierarchy_ball_gap(Ball a, Ball b);

static inline float bi_hierarchy_entry(const float* square, int32_t frame_count, int32_t i, int32_t j) {
    return square[(size_t)i * (size_t)frame_count + (size_t)j];
}
/// Of two different links with geometry, by BerthRobot.links[].geometry.
static inline float bi_hierarchy_link_gap(const Hierarchy* hierarchy, int32_t a, int32_t b) {
    const size_t high = (size_t)(a > b ? a : b);
    const size_t low = (size_t)(a > b ? b : a);
    return hierarchy->links[high * (high - 1) / 2 + low];
}

// What the makers share.

/// The links with geometry in the order of their frames: those of a frame's subtree are one range.
typedef struct HierarchyLinks {
    int32_t count;
    int32_t* link;   ///< count
    int32_t* first;  ///< frame_count + 1: where each frame's links begin
} HierarchyLinks;

/// Enters a lower bound, rounded down, for two links with geometry.
void bi_hierarchy_set_link_gap(Hierarchy* hierarchy, int32_t link_a, int32_t link_b, double least);
/// SAMPLED: fills balls and `links`.
BerthStatus bi_hierarchy_sample(Hierarchy* hierarchy, const HierarchyDef* def, const HierarchyLinks* links);

#endif
