// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A second opinion about whole segments that shares no code with the product: KDL says where links are (from the URDF
// itself, read by urdfdom), FCL how far apart, and values over t are formulas of its own. It knows no bound of any kind:
// it looks at a thousand configurations and then closer where bodies are nearest. What it takes from the scene is data:
// vertices and sizes of parts, where they sit in their bodies, and which pairs are checked.

#ifndef TEST_SUPPORT_JUDGE_H
#define TEST_SUPPORT_JUDGE_H

#include "support/segments.h"

enum { JUDGE_SAMPLES = 1000, JUDGE_CLOSER = 5, JUDGE_STEPS = 32 };

typedef struct Judge Judge;

/// What it found on a segment.
typedef struct JudgeFound {
    double gap, t;                ///< the smallest, paddings taken off; at most 0 in a collision
    const char *body_a, *body_b;  ///< that are nearest there
    int samples;
} JudgeFound;

/// About a committed scene with one robot at the origin. `padding` is between the robot and objects. Null, after a
/// message, without FCL and KDL, when KDL refuses the URDF, or when a part is of a kind that it does not know.
Judge* judge_open(const BerthScene* scene, const BerthRobot* robot, const char* urdf, double padding);
void judge_close(Judge* judge);
/// The smallest gap in one state: a CourseGap. Meshes are surfaces to FCL; cylinders and cones are prisms and pyramids
/// inside of them. So it may be too large, and never too small by more than a few 1e-15 of the sizes.
double judge_gap(void* judge, const double* values);
/// JUDGE_SAMPLES configurations evenly, then JUDGE_STEPS golden sections at the JUDGE_CLOSER lowest dips. Straight and curved
/// values; no quaternions, which KDL has not.
JudgeFound judge_course(Judge* judge, const Course* course);
/// Complains, and counts as refuted, when a FREE segment has a gap below the clearance that was claimed for it.
JudgeFound judge_free(Judge* judge, const Course* course, const SegmentAsk* ask, const BerthMotionResult* r,
                      SegmentCount* count);

#endif
