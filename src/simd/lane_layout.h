// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Robots and scenes as the lane kernel reads them: plain arrays that the room `lanes` fills. A block is LANES
// configurations (or intervals of a motion) side by side, whatever the width of the instruction set, so that
// the same tests are done everywhere. All numbers are floats; radii are enlarged by more than their rounding
// (docs/theory/simd.md, Lanes), so that "apart" is a proof.

#ifndef BI_LANE_LAYOUT_H
#define BI_LANE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LANES = 16,              ///< configurations in a block
    LANE_MASK_ITEMS = 64,    ///< up to this many items are bits of a field
    LANE_SLABS = 64,         ///< of such a field, along each axis
    LANE_ALONE_LEAVES = 64,  ///< of a group, for pairs that are tested lane by lane
    LANE_FLOOR_LEVELS = 9,   ///< sizes of cells of a floor
    LANE_LEVER_ROWS = 4,     ///< of levers of groups side by side, at most
    LANE_ALL_BITS = 0xffff
};

typedef enum LaneMotion {
    LANE_TURN = 0,  ///< about z
    LANE_SLIDE      ///< along z
} LaneMotion;

/// What stands between a frame's parent and its joint, from the cheapest to the dearest.
typedef enum LaneAxes {
    LANE_AXES_SAME = 0,  ///< no rotation
    LANE_AXES_ABOUT_X,  ///< a quarter turn about x: y is sign[1] times the parent's z, z is sign[2] times its y
    LANE_AXES_SWAPPED,  ///< a permutation with signs: column k is sign[k] times the parent's column from[k]
    LANE_AXES_TURNED    ///< any rotation
} LaneAxes;

/// A frame that a joint moves. Its axes are chosen so that the joint's axis is z.
typedef struct KernelFrame {
    int32_t parent;  ///< -1: the world
    int32_t motion;  ///< LaneMotion
    int32_t value;   ///< row of the question's values
    int32_t axes;    ///< LaneAxes
    int32_t from[3];
    float sign[3];
    float multiplier, offset;  ///< joint value = multiplier * value + offset
    float turn[3][3];          ///< parent_from_joint by columns
    float t[3];
} KernelFrame;

/// A ball of a frame.
typedef struct LaneBall {
    float centre[3];
    float radius;  ///< enlarged
    float sure;    ///< a ball of this radius is inside the body for certain, or LANE_UNSURE
} LaneBall;

/// Leaf balls that are near each other, all of one body, in one ball.
typedef struct LaneCluster {
    LaneBall ball;
    int32_t first_leaf, leaf_count;
    int32_t group, body;
    bool exact;  ///< its leaves are the body, not only around it
} LaneCluster;

/// LANES leaf balls of a group side by side.
typedef struct LaneRow {
    float x[LANES], y[LANES], z[LANES];
    float radius[LANES], sure[LANES];
} LaneRow;

/// How far one unit of a frame's joint can carry a group, metres.
typedef struct KernelLever {
    int32_t frame;
    float lever;
} KernelLever;

/// Balls that share a frame, the items they are compared with, and their partners.
typedef struct KernelGroup {
    LaneBall ball;
    int32_t frame;  ///< -1: it stands still
    int32_t field;  ///< -1: it is compared with no item
    int32_t first_cluster, cluster_count;
    int32_t first_leaf, leaf_count;  ///< of all its clusters
    int32_t first_row, row_count;    ///< the same leaves in rows, the last one filled up
    int32_t first_sure_row,
        sure_count;  ///< balls inside of its bodies for certain, in rows: where leaves are the bodies, these
    int32_t first_lever, lever_count;  ///< of all joints above it
    float extra;                       ///< what is added to radii against items: padding, margin
    float rate_loss;                   ///< rounding of a velocity, per sum of all rates
    uint64_t near;                     ///< of a field with few items: those that it can get near to at all
} KernelGroup;

/// A gap that two groups keep on whole boxes of the two values between them: on a cell and the cells around it, for cells of
/// several sizes, each level's twice as wide as those of the one before.
typedef struct LaneFloor {
    int32_t level_count;              ///< 0: there is none
    bool for_states;                  ///< it tells more than the chart even where nothing moves
    float base[LANE_FLOOR_LEVELS];    ///< where a level begins in `gap`,
    float stride[LANE_FLOOR_LEVELS];  ///< and its cells along the second value; whole numbers
    float inverse_width[2];           ///< of the cells of the first level, rounded up
    float scale;                      ///< so many of them are one of the chart's, along either value
    const float* gap;                 ///< not above 0: nothing is known
} LaneFloor;

/// Two groups with one or two values between them: how far they are apart at least, over a grid of these values.
typedef struct LaneChart {
    int32_t value[2];                       ///< rows of the question's values; of one value twice the same
    int32_t size[2];                        ///< cells; of one value the second is 1
    float origin[2], inverse[2], width[2];  ///< of the first cell, and of all
    float middle[2],
        period[2];   ///< whole turns are taken off so that a value is near its middle; 0: none are
    float lever[2];  ///< what one unit of the value can take off the gap
    /// At the middle of every cell: a gap that they keep at least; below 0 how deep a body of the one is in one of the other at least;
    /// LANE_UNSURE: neither is known. The second value runs fastest.
    const float* gap;
    int32_t deep[2];  ///< a cluster of each of these two bodies
    LaneFloor
        floor;  ///< of links that are so near each other that what the levers take off is mostly more than the gap
} LaneChart;

/// Two groups that move against each other.
typedef struct KernelPair {
    int32_t group_a, group_b;
    int32_t first_lever, lever_count;  ///< of the joints that carry only one of them
    int32_t ancestor;                  ///< the last frame that carries both, -1: none
    int32_t chart;                     ///< -1: none. It holds within limits only
    float extra;                       ///< padding and margin
    /// Within limits only these clusters, and only these leaves of them, can meet; null: all can.
    const struct LaneMeeting* meetings;
    int32_t meeting_count;
    /// For one lane alone: which leaves of the rows of the group that has more of them can meet each leaf of the other, within
    /// limits, and then wherever values are; by leaf and row. Null: too many leaves
    const uint16_t *meets, *exist;
    int32_t few;  ///< the group that has fewer leaves
} KernelPair;

/// Two clusters and their leaves that can meet.
typedef struct LaneMeeting {
    int32_t cluster_a, cluster_b;
    int32_t first, count;  ///< of its pairs of leaves
} LaneMeeting;

typedef enum LaneItemKind {
    LANE_BOX = 0,
    LANE_CYLINDER,
    LANE_SPACE  ///< everything below z = 0
} LaneItemKind;

/// An obstacle of many triangles as a grid of distances in an item's axes.
typedef struct LaneDense {
    float origin[3];  ///< corner of the first cell
    float cell, inverse;
    int32_t size[3];
    const float* least;  ///< from each cell's middle: no point of the obstacle is nearer
    const float* most;   ///< some point of it is not further; huge: none is known
    float sure;          ///< what is so near to such a point is in the obstacle for certain: padding
} LaneDense;

/// A convex obstacle that stands still: a box or a cylinder along z, with a radius around it (a ball, a capsule: boxes
/// without extent).
typedef struct LaneItem {
    float turn[3][3];  ///< item_from_world by rows
    float t[3];
    float half[3];          ///< of a cylinder: its radius, unused, half its length
    float radius;           ///< around it, enlarged
    float low[3], high[3];  ///< a box along the axes around all of that
    /// What is so near to the box or cylinder is in the obstacle for certain (it may be below 0), or LANE_UNSURE
    float sure;
    int32_t kind;   ///< LaneItemKind
    int32_t level;  ///< 1: `turn` is the identity
    int32_t body;
    const LaneDense* dense;  ///< of an item that is a box around many triangles; else null
} LaneItem;

/// Items, and where they are. Few: as bits of slabs along the axes. Many: on a grid of cells.
typedef struct LaneField {
    int32_t item_count;
    const LaneItem* items;

    // Few: by slab along each axis, the items that do not end before it (three rows), then those that do not begin behind
    // it (three rows). A place is in slab (place - origin) * scale; the last three rows have it negated.
    const uint64_t (*slabs)[LANE_SLABS];  ///< null: many
    float slab_origin[8], slab_scale[8];

    // Many. All items are in the box.
    float low[3], high[3];
    float origin[3];  ///< corner of the first cell
    float cell, inverse;
    int32_t size[3];
    const float* distance;  ///< at each cell's centre: no item is nearer
    const int32_t* first;   ///< of each cell's list of items within `reach`; one more than cells
    const int32_t* list;
    float reach;
} LaneField;

typedef struct LaneModel {
    int32_t frame_count, value_count, group_count, pair_count, cluster_count, leaf_count, field_count,
        lever_count, chart_count, row_count;
    const KernelFrame* frames;  ///< parents first
    const KernelGroup* groups;
    const LaneCluster* clusters;
    const LaneBall* leaves;
    const int32_t* leaf_clusters;
    const LaneRow* rows;
    const int32_t* row_clusters;  ///< LANES for each row: the cluster of each ball, or one of its body
    const KernelPair* pairs;
    const LaneField* fields;
    const KernelLever* levers;
    /// Levers of all groups side by side, LANES in a row, `lever_rows` rows a frame; after them the groups' `rate_loss`. For segments that
    /// are asked alone
    const float* group_levers;
    int32_t lever_rows;  ///< 0: there are too many groups
    const LaneChart* charts;
    const int32_t (*leaf_pairs)[2];  ///< of meetings
} LaneModel;

/// The query of a block. Rows of LANES floats, 64-byte aligned.
typedef struct LaneQuestion {
    const float* values;  ///< value_count rows: the state, or where each lane's segment starts
    const float* goes;    ///< value_count rows: how far the values go on the segment; null: nothing moves
    bool
        alike;  ///< with goes: all lanes are of one segment, a row of these two is one number, all halves are equal
    const float* middle;    ///< one row: of each interval, in segment time; with goes
    const float* half;      ///< one row: half the length of each interval
    const int32_t* groups;  ///< that are tested
    int32_t group_count;
    const int32_t* pairs;  ///< that are tested
    int32_t pair_count;
    uint32_t lanes;  ///< that are tested
    bool stop;       ///< at the first sure hit
    bool within;     ///< all values are within limits: meetings are all that can meet
} LaneQuestion;

/// What is not proven: one cluster against an item, or against another cluster.
typedef struct LaneEntry {
    int32_t cluster;
    int32_t other;  ///< item of the group's field; -1: any item; -2 - cluster: of the other group
    uint32_t open;  ///< lanes that are not proven
    uint32_t
        overlap;  ///< of these, where balls are within their radii at the middle: a shorter interval will not do
    uint32_t hit;  ///< where what is surely inside of both meets at the middle
} LaneEntry;

typedef struct LaneAnswer {
    LaneEntry* entries;
    int32_t count, capacity;
    uint32_t open, hit;  ///< over all entries
    uint32_t lately;     ///< open lanes of the present test
    bool full;           ///< not all entries fit: `open` is right all the same
} LaneAnswer;

/// What the kernel writes besides. Rows as above.
typedef struct LaneScratch {
    float* poses;   ///< 12 rows a frame: columns x, y, z, t
    float* twists;  ///< 6 rows a frame: spin, and the velocity at the world's origin; times half the interval
    float* turns;   ///< 2 rows a frame: sine and cosine, or how far it slides
    float*
        rates;  ///< 3 rows a frame: how fast it goes, the turns up to it, what they make of second derivatives
    float* groups;  ///< 6 rows a group: centre and step
    float*
        losses;  ///< 2 rows a group: what the interval adds to its radii, and rounding's part of it; or 2 numbers a group
    float* leaves;         ///< 6 rows a leaf
    float* clusters;       ///< 6 rows a cluster
    float* alone;          ///< 6 rows for each LANES of LANE_ALONE_LEAVES leaves
    uint64_t* group_done;  ///< the block that they were placed for
    uint64_t* cluster_done;
    uint64_t* leaves_done;  ///< by cluster
    uint64_t serial;
} LaneScratch;

typedef void (*LaneBlockKernel)(const LaneModel* model, const LaneQuestion* question, LaneScratch* scratch,
                                LaneAnswer* answer);

/// Nothing is inside for certain.
#define LANE_UNSURE (-1e30f)

/// More than floats lose of a value, radians or metres.
#define LANE_VALUE_SLACK 2e-5f

/// Angles beyond this must be brought nearer to 0 first.
#define LANE_ANGLE_MOST 8.5f

#endif
