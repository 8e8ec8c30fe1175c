// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which obstacles can be nearest to some point of a node W: those with mindist(W, O) <= min over O' of maxdist(W, O') (NOTES 5.7). No other is, since O' is
// nearer everywhere in W.

#ifndef BI_CANDIDATES_H
#define BI_CANDIDATES_H

#include "field/field.h"

typedef struct Candidate {
    int32_t low[3], high[3];  ///< cells, from W's corner
    int64_t least;            ///< key of W and the obstacle: L1 distance, or the squared Euclidean one
    uint32_t obstacle;
} Candidate;

typedef struct Candidates {
    const BerthField* field;
    BerthMetric metric;
    GrowList items;  ///< Candidate
    int64_t least;   ///< least key of W and any obstacle; -1: there is none
    uint32_t last;   ///< obstacle that gave the last `greatest`, a first guess for the next; UINT32_MAX: none
    int64_t greatest;  ///< no point of W has its nearest obstacle further (as a key)
} Candidates;

void bi_candidates_init(Candidates* candidates, const BerthField* field, BerthMetric metric);
void bi_candidates_free(Candidates* candidates);
/// All candidates of the node. With `parent` (grey) only obstacles in the parent's other children count.
BerthStatus bi_candidates_find(Candidates* candidates, const FieldNode* w, const FieldNode* parent);

#endif
