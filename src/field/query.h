// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A query in cells, and the answer of each part. Keys: L1 distances as they are, Euclidean ones squared;
// monotone, so they are compared without roots.

#ifndef BI_FIELD_QUERY_H
#define BI_FIELD_QUERY_H

#include "field/field.h"

/// Where a ball is, in cells.
typedef struct CellPoint {
    double at[3];
    int32_t cell[3];  ///< the cell that holds it, moved into the root when it is outside
    double slack;     ///< distances computed from it are off by at most this many cells
    bool exact;       ///< the three coordinates are whole multiples of 1/256 and nothing was rounded
    bool inside;      ///< of the map's size
    bool in_root;
    bool finite;
} CellPoint;

/// The nearest obstacle.
typedef struct FieldNear {
    double key;         ///< +infinity: none nearer than requested
    uint32_t obstacle;  ///< solid leaf; UINT32_MAX: none
    int32_t steps;
} FieldNear;

static inline double point_interval_gap(double x, double low, double high) {
    if (x < low) {
        return low - x;
    }
    return x > high ? x - high : 0.0;
}

/// The key of an obstacle's box.
static inline double leaf_key(const BerthField* field, PackedLeaf leaf, const double at[3],
                              BerthMetric metric) {
    double key = 0.0;
    const double width = (double)leaf_width(leaf);
    for (int axis = 0; axis < field->info.dim; ++axis) {
        const double low = (double)leaf_low(leaf, axis);
        const double gap = point_interval_gap(at[axis], low, low + width);
        key += metric == BERTH_METRIC_L1 ? gap : gap * gap;
    }
    return key;
}

static inline double metric_distance(double key, BerthMetric metric) {
    return metric == BERTH_METRIC_L1 ? key : sqrt(key);
}

/// What a part knows without a search: the distance is in [low, high] cells, up to the point's slack.
typedef struct FieldBounds {
    double low, high;
    bool known;  ///< `near` is the answer
    FieldNear near;
} FieldBounds;

FieldBounds bi_field_bounds(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                            const CellPoint* point);
/// At most so many balls are kept undecided.
enum { FIELD_OPEN_MOST = 64, FIELD_HIT = -1, FIELD_TOO_MANY = -2 };
/// One lookup per ball (x y z radius) in the dense map of the method (DM or EUCLID), until one is proven to collide: FIELD_HIT. Else the number of
/// balls that this does not decide, and their indexes; FIELD_TOO_MANY when `open` has no room for them.
int bi_field_look_at_all(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                         const double* balls, size_t count, size_t open[FIELD_OPEN_MOST]);
/// The verdicts of at most LOOKS_MOST balls, each by one lookup and, where that is not enough, by a closer one; UNKNOWN where neither
/// decides.
void bi_field_quick_verdicts(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                             const double* balls, int count, BerthVerdict* verdicts);
/// The verdict about one ball by the value of its cell, and in a Euclidean map by the exact distance to the cell's centre and by cells along
/// the slope.
BerthVerdict bi_field_closer_look(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                                  const double ball[4]);

/// The obstacle with the least key, when that is at most `limit`; of equal ones the first that is met.
FieldNear bi_field_search_nearest(const BerthField* field, const CellPoint* point, BerthMetric metric,
                                  double limit);
/// Is there one with key <= limit?
FieldNear bi_field_search_touching(const BerthField* field, const CellPoint* point, BerthMetric metric,
                                   double limit);
/// The same as the thesis searched it.
FieldNear bi_field_search_as_thesis(const BerthField* field, const CellPoint* point, BerthMetric metric,
                                    double limit);
/// The L1 distance by perimeter functions. The point is in the root.
FieldNear bi_eodm_nearest(const BerthField* field, const CellPoint* point);
/// The same when it is at most `limit`, else none: faces that are further away are skipped.
FieldNear bi_eodm_within(const BerthField* field, const CellPoint* point, double limit);
/// `near` becomes the nearer of itself and of what the strips [first, end) of a plane know, `width` cells across from their corner: the
/// point is m before the plane, its foot at (u, v) of it.
void bi_eodm_ask_face(const BerthField* field, uint32_t first, uint32_t end, double m, double u, double v,
                      double width, FieldNear* near);
/// Over the candidate list of the leaf, any metric that the lists are for (L2). The point is in the root.
FieldNear bi_field_nearest_of_list(const BerthField* field, const CellPoint* point);

CellPoint bi_field_cell_point(const BerthField* field, BerthVec3 centre);

#endif
