// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A scene laid out for wide lanes: robots as balls that cover them, obstacles as boxes, cylinders and
// half-spaces around them. What it calls free is free, for the bodies themselves; what it calls a hit is a
// hit; everything else is open, and goes to check and motion. docs/theory/lanes.md has the layout and the
// proofs.
//
// From a scene to an answer: berth_lanes_create (lanes_create.c) lays out frames, balls, items and fields,
// once; bi_lanes_ask_states (states.c) and bi_lanes_ask_segments (segment.c) fill blocks of LANES and call
// the kernel (simd/lane_kernel.h).

#ifndef BI_LANES_H
#define BI_LANES_H

#include <berth/lanes.h>

#include "robot/robot.h"
#include "scene/scene.h"
#include "shape/ball.h"
#include "simd/simd.h"

enum {
    LANES_GROUPS_MAX = 512,  ///< more: the scene is not for lanes
    LANES_PAIRS_MAX = 4096,
    LANES_FIELDS_MAX = 8,
    LANES_SET_WORDS = (LANES_GROUPS_MAX + LANES_PAIRS_MAX) / 64,
    LANES_ENTRIES = 4096  ///< open clusters of one block
};

/// What a value may be for the layout to hold: limits, or how far unlimited slides are laid out for.
typedef struct LanesRange {
    double low, high;
    bool turns;  ///< no limits count: any angle is brought into them
} LanesRange;

/// A joint above a group, and how far the group's points can be from its axis.
typedef struct LanesLever {
    int32_t frame;  ///< of lanes
    int32_t value;  ///< of the state
    bool turns;     ///< else it slides
    double share;   ///< |multiplier|
    double lever;   ///< metres; 1 for a slide
} LanesLever;

typedef struct LanesGroup {
    const LanesLever* levers;  ///< from the base outward
    int32_t lever_count;
    Ball reach;          ///< no centre of its balls leaves it, in lane coordinates
    double leaf_radius;  ///< of the largest of them
} LanesGroup;

typedef struct LanesPair {
    int32_t shared;  ///< joints that carry both alike
    bool proven;     ///< a table proves it within limits
} LanesPair;

/// Balls of one body.
typedef struct LanesBody {
    int32_t group;      ///< -1: it is an obstacle
    const Ball* balls;  ///< in its frame (in the world without one)
    int32_t ball_count;
    bool exact;          ///< the balls are the body
    const Ball* inside;  ///< else: balls that lie in it
    int32_t inside_count;
    int32_t deep_count;  ///< of these and of those behind them, for charts
} LanesBody;

enum {
    LANES_FLOAT_ANGLES = 5,  ///< turns about z, y, z, y and z
    LANES_FLOAT_TURN = 2     ///< the one that moves on a segment
};

/// A floating joint: its position is three slides, and its orientation these turns.
typedef struct LanesFloat {
    int32_t value;      ///< the first of its seven
    int32_t first_row;  ///< of the kernel's values: LANES_FLOAT_ANGLES rows
} LanesFloat;

struct BerthLanes {
    BerthAllocator allocator;
    Arena arena;
    const BerthScene* scene;
    uint64_t generation;
    double margin, self_margin;
    const SimdKernels* kernels;
    Pose world_from_lane;  ///< so that obstacles are near its origin and many of them along its axes
    LaneModel model;
    int32_t
        state_size;  ///< values of a state; the kernel's rows are these, and the angles of floating joints
    LanesRange* ranges;  ///< by row of the kernel's values
    LanesFloat* floats;
    int32_t float_count;
    LanesGroup* groups;
    LanesPair* pairs;
    float* frame_levers;  ///< by frame: of the group that it can carry furthest
    int32_t* all_groups;  ///< those with a field, from the tips inward
    int32_t all_group_count;
    int32_t* all_pairs;
    int32_t* unproven_pairs;  ///< those that are checked within limits
    int32_t all_pair_count, unproven_pair_count;
    bool every_item;          ///< all obstacles are items: nothing is left out
    double reach;             ///< no point is further from the origin
    int32_t set_words;        ///< of 64 groups and pairs each
    const LanesBody* bodies;  ///< by body of the scene, those that move or belong to a robot
};

/// As berth_lanes_create, with the kernels of one instruction set.
BerthStatus bi_lanes_create(const BerthScene* scene, const BerthLanesDef* def, const SimdKernels* kernels,
                            BerthLanes** out);

/// From how many segments on a layout for that many takes less time than it saves; INT64_MAX: never.
int64_t bi_lanes_segments_to_pay(const BerthScene* scene);

typedef enum LanesVerdict { LANES_OPEN = 0, LANES_FREE, LANES_HIT } LanesVerdict;

/// A part of a segment on which two bodies are not proven apart.
typedef struct LanesOpen {
    uint64_t index;  ///< of the interval [index, index + 1] / 2^level
    int32_t level;
    int32_t segment;         ///< of those that were checked together
    int32_t body_a, body_b;  ///< body_b -1: any obstacle
} LanesOpen;

/// The interval [*index, *index + 1] / 2^*level becomes the smallest dyadic one that holds the other one too.
static inline void lanes_widen(uint64_t* index, int32_t* level, uint64_t other, int32_t other_level) {
    while (*level > other_level) {
        *index >>= 1;
        *level -= 1;
    }

    other >>= other_level - *level;
    while (*index != other) {
        *index >>= 1;
        other >>= 1;
        *level -= 1;
    }
}

/// An interval that waits: [index, index + 1] / 2^level of a segment.
typedef struct LanesInterval {
    uint32_t index;
    int16_t level, segment;
    int32_t set;
} LanesInterval;

typedef struct LanesSegmentAnswer {
    LanesVerdict verdict;
    bool open_complete;  ///< OPEN: all that is open is in query->open
    bool within;         ///< all values are numbers within limits
    double t;            ///< HIT: when
    int32_t body_a, body_b;
} LanesSegmentAnswer;

/// Segments that are asked together, intervals that wait, and parts that may be open; of these, so many before those of two bodies
/// are told as one.
enum { LANES_SEGMENTS = 32, LANES_STACK = 2048, LANES_OPEN_MAX = 768, LANES_OPEN_APART = 192 };

/// Everything a query writes: one a thread.
typedef struct LanesQuery {
    const BerthLanes* lanes;
    LaneScratch scratch;
    LaneAnswer answer;
    float *values, *goes;                  ///< of a block: value_count rows each
    float *segment_values, *segment_goes;  ///< by segment, value_count each
    float* segment_speeds;                 ///< of any point, per unit of segment time
    _Alignas(64) float middle[LANES];
    _Alignas(64) float half[LANES];
    float* turn_sums;  ///< by frame
    int32_t *groups, *pairs;
    LanesInterval* stack;
    uint64_t* sets;  ///< of the stack's intervals, set_words each
    LanesOpen open[LANES_OPEN_MAX];
    int32_t open_count;
    int64_t blocks;            ///< evaluated so far
    size_t bytes;              ///< of it all
    BerthAllocator allocator;  ///< a copy: the layout may be gone before what borrows it
} LanesQuery;
BerthStatus bi_lanes_query_create(const BerthLanes* lanes, LanesQuery** out);
void bi_lanes_query_destroy(LanesQuery* query);

/// Verdicts (LanesVerdict) of up to LANES states, `stride` doubles apart. True when all values are numbers within the
/// layout's ranges, so within limits.
bool bi_lanes_ask_states(LanesQuery* query, const double* values, int64_t stride, int32_t count,
                         uint8_t* verdicts);

/// The angles of all floating joints of a state, as rows that are `stride` apart. False where an orientation is none.
bool bi_lanes_read_floats(const BerthLanes* lanes, const double* state, float* rows, int32_t stride);
/// Of a segment: where they start and how far they go.
bool bi_lanes_read_float_arcs(const BerthLanes* lanes, const double* from, const double* to, float* values,
                              float* goes);

/// Pairs of bodies that the last states left open in a lane, the smaller body first, each once. -1: more than `most`, or not all
/// are known.
int32_t bi_lanes_open_pairs(const LanesQuery* query, int32_t lane, int32_t (*pairs)[2], int32_t most);
/// Two bodies of which the last states found that they meet in a lane. False where they are not known.
bool bi_lanes_hit_bodies(const LanesQuery* query, int32_t lane, int32_t* body_a, int32_t* body_b);
/// The two bodies of an entry; body_b is -1: any obstacle.
void bi_lanes_bodies_of_entry(const BerthLanes* lanes, const LaneEntry* entry, int32_t* body_a,
                              int32_t* body_b);

/// Up to LANES_SEGMENTS straight segments: rows of two states each, `stride` doubles apart. Intervals on which no point moves
/// further than `tight` are not halved again.
void bi_lanes_ask_segments(LanesQuery* query, const double* rows, int64_t stride, int32_t count, double tight,
                           LanesSegmentAnswer* answers);

// ---- the parts of bi_lanes_create -------------------------------------------------------------------------------

/// Unit roundoff of the kernel's floats, and one of their sums and products enlarged.
#define LANES_U 0x1p-24
#define LANES_GROWN (1.0 + 16.0 * LANES_U)

/// What is known of a lane frame while the layout is made.
typedef struct LanesFrame {
    int32_t scene_frame;  ///< that it is the last one of, or -1: between (planar joints are three)
    Pose frame_from_lane;
    double turn_error, place_error;  ///< of the rotation as a matrix, and of the origin, metres
    double far;                      ///< the origin's largest distance from the world's
} LanesFrame;

typedef struct LanesBuild {
    BerthLanes* lanes;
    const BerthScene* scene;
    const BerthLanes* like;  ///< whose balls, charts and meetings are taken; null: all is made here
    bool quick;              ///< charts and meetings are left out
    bool holds;              ///< so far nothing was met that lanes do not hold
    int32_t float_count;     ///< of those that have frames
    LanesFrame* frames;
    int32_t* lane_frame;  ///< by scene frame: its last lane frame, or -1
    LanesBody* bodies;
    KernelFrame* lane_frames;
    KernelGroup* lane_groups;
    LaneCluster* clusters;
    LaneBall* leaves;
    KernelPair* lane_pairs;
    LaneField* fields;
    KernelLever* levers;
    const LaneChart* charts;
    LaneRow* rows;
    int32_t *leaf_clusters, *row_clusters;
    size_t lever_capacity;
    int32_t* first_body;  ///< of each group: a body of it
    double* most_radius;  ///< of each group: of its cluster balls
    size_t cluster_capacity, leaf_capacity;
    int32_t (*own_leaf_pairs)[2];
    const int32_t (*leaf_pairs)[2];
    int32_t leaf_pair_count;
    size_t leaf_pair_capacity;
} LanesBuild;

/// Are the robots, and what they hold, the same in both scenes, as far as balls of bodies go?
bool bi_lanes_have_same_robots(const LanesBuild* build, const BerthLanes* like);
/// And groups, pairs and ranges, too? Then charts and meetings hold for both.
bool bi_lanes_have_same_groups(const LanesBuild* build, const BerthLanes* like);
BerthStatus bi_lanes_make_frames(LanesBuild* build);
/// A frame in its parent, as the kernel has it, when its joint's value is `q`.
Pose bi_lanes_frame_pose(const KernelFrame* frame, double q);
bool bi_lanes_is_all_spheres(const BerthScene* scene, const SceneBody* body);
BerthStatus bi_lanes_make_balls(LanesBuild* build);
BerthStatus bi_lanes_make_groups(LanesBuild* build);
BerthStatus bi_lanes_make_charts(LanesBuild* build);
BerthStatus bi_lanes_make_meetings(LanesBuild* build);
BerthStatus bi_lanes_make_fields(LanesBuild* build);
/// About how many cells the grid of distances of an obstacle has; 0 for what has none.
double bi_lanes_dense_cells(const BerthSolid* solid);
/// The grid of distances of an obstacle of triangles, whose origin is the middle of its box. Null where balls do not get to it.
BerthStatus bi_lanes_make_dense(LanesBuild* build, const BerthSolid* solid, const Pose* lane_from_solid,
                                LaneDense** out);

#endif
