// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Edges that are sampled and not proven, for the comparison of BerthPlannerLab.

#ifndef BI_PLAN_SAMPLED_H
#define BI_PLAN_SAMPLED_H

#include "base/list.h"
#include "plan/space.h"

typedef struct SampledEdge {
    double length;
    int32_t halved;  ///< so often, and no middle was in the way
    int32_t next;    ///< that is not in use
} SampledEdge;

typedef struct SampledEdges {
    PlanSpace* space;
    GrowList edges, points;  ///< points: both ends of each
    int32_t unused;
} SampledEdges;

void bi_sampled_create(SampledEdges* edges, PlanSpace* space);
void bi_sampled_destroy(SampledEdges* edges);
/// Both ends are free. A number; -1 when there is no memory.
int32_t bi_sampled_add(SampledEdges* edges, const double* from, const double* to);
void bi_sampled_drop(SampledEdges* edges, int32_t number);
/// Are all middles free, down to the space's resolution, of the longest pieces first? `*blocked` is the place in `numbers` of an edge
/// of which one is not; -1: there is none.
BerthStatus bi_sampled_check(SampledEdges* edges, const int32_t* numbers, int32_t count, int32_t* blocked);

#endif
