// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Simple covers of a fit's points, one after the other.

#ifndef BI_COVER_STARTS_H
#define BI_COVER_STARTS_H

#include "base/sort.h"
#include "cover/cover.h"

/// The kinds of simple covers.
enum { COVER_START_GRID, COVER_START_OCTREE, COVER_START_MEDIAL, COVER_START_COUNT };

/// One simple cover of the points: not proven, and without a skin.
typedef struct CoverStart {
    Ball* balls;
    int32_t count;
    bool waiting;  ///< made, and not given out yet
    bool ended;    ///< there is no further one of its kind
} CoverStart;

/// A cell of an octree and its points.
typedef struct Octant {
    Vec3 centre;
    double half;
    int32_t first, count;
} Octant;

/// Where each kind has got to. Everything is in the body's arena.
typedef struct CoverStarts {
    CoverFit* fit;
    size_t point_count;  ///< of the fit, without points that were added later
    CoverStart kinds[COVER_START_COUNT];
    int32_t grid_side;
    SortItem* cells;  ///< of each point in a grid, and room to sort them
    int32_t* order;
    int32_t* scratch;
    Octant* octants;
    double reach;        ///< of the last greedy cover
    double reach_found;  ///< of the last one that was given out; 0: none yet
} CoverStarts;

BerthStatus bi_cover_starts_create(CoverFit* fit, CoverStarts* out);
/// The next start that has at most `most` balls, of any kind; null when there is none. It is good until the next call, and
/// the fit's balls are not kept.
BerthStatus bi_cover_next_start(CoverStarts* starts, int32_t most, const CoverStart** out);

#endif
