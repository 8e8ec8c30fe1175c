// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, field: questions answered by one structure instead of the best that is there, and what the structures hold, for
// comparisons and pictures (all methods give the same answers); fields built of codes, made again with other parts, and
// as one block of bytes, for those who write map files.

#ifndef BERTH_LAB_FIELD_H
#define BERTH_LAB_FIELD_H

#include <berth/field.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a question is answered. All give the same answers.
typedef enum BerthFieldMethod {
    BERTH_FIELD_BY_BEST = 0,  ///< the fastest part that is there
    BERTH_FIELD_BY_OCTREE,    ///< the tree, nearest first, what is too far left out
    BERTH_FIELD_BY_THESIS,    ///< the tree as the thesis searched it: depth first, every grey node opened
    BERTH_FIELD_BY_ODM,       ///< nodal separations first, then the tree
    BERTH_FIELD_BY_EODM,      ///< perimeter functions
    BERTH_FIELD_BY_DM,        ///< the dense L1 map
    BERTH_FIELD_BY_EUCLID,    ///< the dense Euclidean map
    BERTH_FIELD_BY_LISTS,     ///< candidate lists
    BERTH_FIELD_METHOD_COUNT  ///< how many there are
} BerthFieldMethod;
/// "best", "octree", "thesis", "odm", "eodm", "dm", "euclid", "lists"; else "".
BERTH_API const char* berth_field_method_name(BerthFieldMethod method);

/// The method that BERTH_FIELD_BY_BEST is for this metric.
BERTH_API BerthFieldMethod berth_field_best_method(const BerthField* field, BerthMetric metric);
/// As berth_field_query, by one method. BERTH_ERR_ARGUMENT when its part is not there: the answer is UNKNOWN then.
BERTH_API BerthStatus berth_field_query_by(const BerthField* field, BerthFieldMethod method,
                                           BerthMetric metric, BerthVec3 centre, double radius,
                                           BerthFieldAnswer* out);
/// As berth_field_ball, by one method; UNKNOWN when its part is not there.
BERTH_API BerthVerdict berth_field_ball_by(const BerthField* field, BerthFieldMethod method,
                                           BerthMetric metric, BerthVec3 centre, double radius);
/// As berth_field_balls, by one method; UNKNOWN when its part is not there.
BERTH_API BerthVerdict berth_field_balls_by(const BerthField* field, BerthFieldMethod method,
                                            BerthMetric metric, const double* balls, size_t count,
                                            BerthVerdict* verdicts);
/// As berth_field_clearance, by one method; -infinity when its part is not there.
BERTH_API double berth_field_clearance_by(const BerthField* field, BerthFieldMethod method,
                                          BerthMetric metric, const double* balls, size_t count,
                                          double enough, size_t* worst);
/// The dense L1 map: the distance of the cell's index to the nearest obstacle cell's index, in cells, at most 65535; -1
/// when there is no obstacle, no such map, or the cell is outside of the size.
BERTH_API int64_t berth_field_dm_at(const BerthField* field, int32_t x, int32_t y, int32_t z);
/// The dense Euclidean map: the squared distance of the cell's *centre* to the nearest obstacle (as a closed set), in
/// half cells: a whole number; -1 as above.
BERTH_API int64_t berth_field_euclid_at(const BerthField* field, int32_t x, int32_t y, int32_t z);
/// Least and greatest separation of the free node that holds the cell, in cells (ODM): L1 balls around points of the
/// node are free below `least` and hit from `greatest` on. False when there is no such node or map.
BERTH_API bool berth_field_separation(const BerthField* field, int32_t x, int32_t y, int32_t z,
                                      int64_t* least, int64_t* greatest);

/// One interval of a perimeter function, for pictures. Positions and values in cells, positions in the root's frame.
typedef struct BerthFieldInterval {
    int32_t face;  ///< 0 -x, 1 +x, 2 -y, 3 +y, 4 -z, 5 +z
    /// In the plane 0; in space 0: in the strip, 1: beyond its upper line, 2: beyond its lower line
    int32_t function;
    double strip_low;   ///< where the strip begins along the second axis of the face (space only)
    double strip_high;  ///< and where it ends
    double from;        ///< where the interval begins along the first axis of the face
    double to;          ///< and where it ends
    int32_t slope;      ///< the distance from the face is value + slope * position: 1, -1 or 0
    double value;       ///< cells
    int64_t obstacle;   ///< whose distance it is, as berth_field_solid_leaf counts them
} BerthFieldInterval;
/// The intervals of the free node that holds the cell. Returns how many there are; at most `capacity` are written.
/// Global EODM only, else 0.
BERTH_API int64_t berth_field_intervals(const BerthField* field, int32_t x, int32_t y, int32_t z,
                                        BerthFieldInterval* out, int64_t capacity);

// ---- building, by codes -------------------------------------------------------------------------------------------------

/// A tree node. Codes out of range for their level: BERTH_ERR_ARGUMENT.
BERTH_API BerthStatus berth_field_add_node(BerthFieldBuilder* builder, uint64_t code, int32_t level,
                                           BerthCellColour colour);
/// How many nodes a box of cells, low <= cell < high on each of the `dim` axes, is made of: what berth_field_add_box would add, told
/// before it is. Few where its corners are multiples of large powers of two, as many as its surface has cells where they are not.
BERTH_API uint64_t berth_field_box_nodes(int32_t dim, const int32_t low[3], const int32_t high[3]);
/// True when two things that were added overlap (files of disjoint nodes must not have any); gives the codes and levels
/// of two nodes that do. Costs a sort. Also false when there is no memory for it.
BERTH_API bool berth_field_find_overlap(BerthFieldBuilder* builder, uint64_t code[2], int32_t level[2]);
/// Bytes that the dense parts of the def will need, before work starts; 0 for a def that is wrong.
BERTH_API uint64_t berth_field_dense_bytes(const BerthFieldDef* def);
/// The same cells with other parts, another choice for unknown cells, another allocator: everything of the def but dim,
/// levels, resolution, origin, size and background, which are taken from the field.
BERTH_API BerthStatus berth_field_remake(const BerthField* field, const BerthFieldDef* def, BerthField** out);

#ifdef __cplusplus
}
#endif
#endif
