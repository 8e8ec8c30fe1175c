// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A chart in the making: what charts_create.c, which tells how far two groups are apart at the middles of cells, and
// floors_create.c, which tells what they keep on whole boxes of cells, both look at.

#ifndef BI_LANES_CHARTS_H
#define BI_LANES_CHARTS_H

#include "lanes/lanes.h"

/// One of the two values.
typedef struct ChartAxis {
    int32_t value;
    double low, high, lever;
    bool turns;  ///< whole turns may be taken off: it moves joints that turn, once for once
} ChartAxis;

typedef struct Charting {
    LanesBuild* build;
    const KernelPair* pair;
    int32_t shared;
    bool exact;  ///< balls are the bodies
    ChartAxis axes[2];
    int32_t axis_count;
    int32_t size[2];
    double width[2];  ///< of a cell
    double slack;     ///< metres
    BerthTreeQuery* query;
    float* gap;
    float* depth;     ///< of one body of each group in the other, by cell; 0: not known
    int32_t deep[2];  ///< these bodies; -1: nothing is known to be inside of any
    int32_t measured, measured_most;
    LaneFloor floor;
} Charting;

/// Cells [first, end) of each value.
typedef struct CellBox {
    int32_t first[2], end[2];
} CellBox;

/// Halves of a box of cells, across the way that is longer in metres. False: it is one cell.
bool bi_charts_halve(const Charting* c, const CellBox* box, CellBox halves[2]);
/// A group's lane frame in the frame that both share; of a group that stands still, in lane coordinates.
Pose bi_charts_shared_from_group(const Charting* c, int32_t group, const double at[2]);
/// A part of a body of a group, in the group's lane frame.
Pose bi_charts_group_from_part(const Charting* c, int32_t group, const ScenePart* part);
/// A lower bound of the gap of the bodies, no more than `enough`; 0 where they meet.
double bi_charts_body_gap(Charting* c, const Pose* a_from_b, double enough);

/// Makes the floor of a chart that has its gaps.
BerthStatus bi_charts_make_floor(Charting* c);

#endif
