// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, field: queries answered by one given structure instead of the best available, and the contents of the
// structures, for comparisons and pictures (all methods give the same answers); building fields from codes
// and remaking them with other parts, for programs that write map files.

#ifndef BERTH_LAB_FIELD_H
#define BERTH_LAB_FIELD_H

#include <berth/field.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a query is answered. All methods give the same answers.
typedef enum BerthFieldMethod {
    BERTH_FIELD_BY_BEST = 0,  ///< the fastest part that the field has
    BERTH_FIELD_BY_OCTREE,    ///< the tree, nearest nodes first, pruning those that are too far
    BERTH_FIELD_BY_THESIS,    ///< the tree as searched in the thesis: depth first, opening every grey node
    BERTH_FIELD_BY_ODM,       ///< nodal separation first, then the tree
    BERTH_FIELD_BY_EODM,      ///< perimeter functions
    BERTH_FIELD_BY_DM,        ///< the dense L1 map
    BERTH_FIELD_BY_EUCLID,    ///< the dense Euclidean map
    BERTH_FIELD_BY_LISTS,     ///< candidate lists
    BERTH_FIELD_METHOD_COUNT  ///< how many there are
} BerthFieldMethod;
/// "best", "octree", "thesis", "odm", "eodm", "dm", "euclid", "lists"; otherwise "".
BERTH_API const char* berth_field_method_name(BerthFieldMethod method);

/// The method that BERTH_FIELD_BY_BEST uses for this metric.
BERTH_API BerthFieldMethod berth_field_best_method(const BerthField* field, BerthMetric metric);
/// As berth_field_query, by one method. BERTH_ERR_ARGUMENT when the field lacks the part; the answer is
/// UNKNOWN then.
BERTH_API BerthStatus berth_field_query_by(const BerthField* field, BerthFieldMethod method,
                                           BerthMetric metric, BerthVec3 centre, double radius,
                                           BerthFieldAnswer* out);
/// As berth_field_ball, by one method; UNKNOWN when the field lacks the part.
BERTH_API BerthVerdict berth_field_ball_by(const BerthField* field, BerthFieldMethod method,
                                           BerthMetric metric, BerthVec3 centre, double radius);
/// As berth_field_balls, by one method; UNKNOWN when the field lacks the part.
BERTH_API BerthVerdict berth_field_balls_by(const BerthField* field, BerthFieldMethod method,
                                            BerthMetric metric, const double* balls, size_t count,
                                            BerthVerdict* verdicts);
/// As berth_field_clearance, by one method; -infinity when the field lacks the part.
BERTH_API double berth_field_clearance_by(const BerthField* field, BerthFieldMethod method,
                                          BerthMetric metric, const double* balls, size_t count,
                                          double enough, size_t* worst);
/// From the dense L1 map: the distance from the cell's index to the nearest obstacle cell's index, in cells,
/// at most 65535; -1 when there is no obstacle, no such map, or the cell is outside the map's size.
BERTH_API int64_t berth_field_dm_at(const BerthField* field, int32_t x, int32_t y, int32_t z);
/// From the dense Euclidean map: the squared distance from the cell's *centre* to the nearest obstacle (as a
/// closed set), in half cells: an integer; -1 as above.
BERTH_API int64_t berth_field_euclid_at(const BerthField* field, int32_t x, int32_t y, int32_t z);
/// Least and greatest separation of the free node that contains the cell, in cells (ODM): L1 balls around
/// points of the node are free for radii below `least` and collide from `greatest` on. False when there is no
/// such node or map.
BERTH_API bool berth_field_separation(const BerthField* field, int32_t x, int32_t y, int32_t z,
                                      int64_t* least, int64_t* greatest);

/// One interval of a perimeter function, for pictures. Positions and values in cells, positions in the root's
/// frame.
typedef struct BerthFieldInterval {
    int32_t face;  ///< 0 -x, 1 +x, 2 -y, 3 +y, 4 -z, 5 +z
    /// In the plane 0; in space 0: in the strip, 1: beyond its upper line, 2: beyond its lower line
    int32_t function;
    double strip_low;   ///< start of the strip along the second axis of the face (space only)
    double strip_high;  ///< and its end
    double from;        ///< start of the interval along the first axis of the face
    double to;          ///< and its end
    int32_t slope;      ///< the distance from the face is value + slope * position: 1, -1 or 0
    double value;       ///< cells
    int64_t obstacle;   ///< the obstacle at that distance, an index of berth_field_solid_leaf
} BerthFieldInterval;
/// The intervals of the free node that contains the cell. Returns how many there are; at most `capacity` are
/// written. Global EODM only, otherwise 0.
BERTH_API int64_t berth_field_intervals(const BerthField* field, int32_t x, int32_t y, int32_t z,
                                        BerthFieldInterval* out, int64_t capacity);

// ---- building, by codes -----------------------------------------------------------------------------------

/// Adds a tree node. BERTH_ERR_ARGUMENT when the code is out of range for its level.
BERTH_API BerthStatus berth_field_add_node(BerthFieldBuilder* builder, uint64_t code, int32_t level,
                                           BerthCellColour colour);
/// The number of nodes that berth_field_add_box would add for a box of cells, low <= cell < high on each of
/// the `dim` axes. Few where its corners are multiples of large powers of two; where they are not, about as
/// many as its surface has cells.
BERTH_API uint64_t berth_field_box_nodes(int32_t dim, const int32_t low[3], const int32_t high[3]);
/// True when two things that were added overlap (which files of disjoint nodes must not contain); returns the
/// codes and levels of two such nodes. Costs a sort. Also false when there is not enough memory for it.
BERTH_API bool berth_field_find_overlap(BerthFieldBuilder* builder, uint64_t code[2], int32_t level[2]);
/// Bytes that the dense parts of the def will need; 0 for an invalid def.
BERTH_API uint64_t berth_field_dense_bytes(const BerthFieldDef* def);
/// The same cells with other parts, another treatment of unknown cells, another allocator: everything is
/// taken from the def except dim, levels, resolution, origin, size and background, which are the field's.
BERTH_API BerthStatus berth_field_remake(const BerthField* field, const BerthFieldDef* def, BerthField** out);

#ifdef __cplusplus
}
#endif
#endif
