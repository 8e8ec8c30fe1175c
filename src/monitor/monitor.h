// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of a monitor: what is constant after the start (and summed, monitor_model.c), and what cycles
// and messages change. docs/theory/monitor.md derives buffers and the time that they must cover.

#ifndef BI_MONITOR_H
#define BI_MONITOR_H

#include <berth/lab/index.h>
#include <berth/lab/monitor.h>

#include "base/arena.h"
#include "base/sha256.h"
#include "check/check.h"
#include "mesh/enclose.h"
#include "occupancy/live_cells.h"
#include "shape/ball.h"

enum { SIMPLE_BODY_POINTS = 8 };

/// Every product and sum of a bound is rounded up by this: more than a chain of fifty operations can lose.
#define BI_MONITOR_GROWN (1.0 + 0x1p-40)

/// A simple body around a part of a body of the scene, or around a piece of one. Constant.
typedef struct SimpleBody {
    int32_t body, frame;  ///< of the scene; frame -1: the world, or `object`
    int32_t object;       ///< of the monitor's moving objects, -1: none
    BerthShape shape;
    Pose frame_from_shape;
    Ball points[SIMPLE_BODY_POINTS];  ///< in the frame: their hull contains the shape
    int32_t point_count;
    int32_t first_row, row_count;  ///< of its chain; row 0 is "nothing moves"
    int32_t indexed;               ///< in the index
    int32_t choice, option;        ///< it is there while that option is in force; -1: always
} SimpleBody;

/// A joint of a robot. Constant.
typedef struct MonitorJoint {
    double velocity, acceleration, deceleration;  ///< limits; acceleration +infinity when it is not known
} MonitorJoint;

/// What a joint can do from a sample to standstill, from its speed now.
typedef struct JointNow {
    double turn, slide;  ///< radian and metre
    double stopping;     ///< seconds of braking
    bool within;         ///< it cannot leave its limits until then, tracking error included
} JointNow;

/// What everything can do from its sample to standstill, with the speeds that it has or with others.
typedef struct Buffers {
    JointNow* joints;     ///< by scene frame
    double* row_sum;      ///< how far a simple body's points can go by the joints up to this row of its chain
    double* cloud_reach;  ///< metres that what is seen can go, by cloud
} Buffers;

/// What a cycle measured, for the speed scale.
typedef struct ScalePair {
    int32_t a, b;      ///< simple bodies; b -1: a point of
    int32_t cloud;     ///< this
    int32_t pair;      ///< of the scene, or -1
    double gap;        ///< a lower bound
    double unchanged;  ///< what there must be between them if nothing could go anywhere
} ScalePair;

/// What is known of one sender: of joints, a pose, points, or a choice.
typedef struct Track {
    uint64_t stream, sequence;  ///< of the last message that counts
    double received;
    int32_t good;  ///< messages since the last reset
    bool known;    ///< stream and sequence are
    bool heard;    ///< and what it reported is still accepted
    bool
        stamped;  ///< what follows is known: of the last message that counts, also after a fault of the same stream
    double stamp;     ///< of the sender's clock
    double judged;    ///< its receipt
    double least;     ///< receipt less stamp: the least so far, risen by the drift until then
    double floor;     ///< receipt less stamp: no message can have less than this,
    double anchored;  ///< less the drift since then
    bool echoes;      ///< it reports which permit it saw
    double behind;  ///< seconds that it was older than the quickest message at its receipt; 0 without stamps
    double
        echoed_behind;  ///< and older than the latency, at most, by the permit that it echoed; 0 without one
} Track;

/// What a sender's clock is compared with.
typedef struct TrackClock {
    double stamp, received;
    double latency, silence;  ///< of this kind of sender
    double
        echo_age;  ///< seconds that it is old at its receipt, at most, by the permit that it echoes; NaN: none
} TrackClock;

typedef struct MonitorSource {
    const char* name;
    int32_t* values;
    int32_t value_count;
} MonitorSource;

/// One value of the scene. Constant.
typedef struct MonitorValue {
    double velocity;      ///< largest
    double acceleration;  ///< +infinity when it is not known
    double deceleration;
    double lower, upper;  ///< infinite when there are no limits
    bool wraps;           ///< turns round and round, and nothing else reads it: 2 pi is where it was
} MonitorValue;

/// What was heard of a value over a while, to compare what it says with what it does.
typedef struct ValueTrail {
    double from;          ///< where it was then
    double way;           ///< and how far it can have moved since, if its reports are true
    double peak;          ///< the largest speed since, if so
    double older, newer;  ///< where it was at two moments a short while ago: how fast it is seen to go
} ValueTrail;

/// The moments of a source's trails.
typedef struct SourceTrail {
    double since;                     ///< of `from`
    double older, newer;              ///< receipts
    double older_stamp, newer_stamp;  ///< and stamps; NaN: none
} SourceTrail;

enum { HISTORY = 64, WINDOWS = 7 };

/// When the last messages of a source came, newest at `at`. Where its values were then is in BerthMonitor.history.
typedef struct SourceHistory {
    double received[HISTORY], stamp[HISTORY];
    int32_t at, count;
} SourceHistory;

/// Where a pair of the scene that is too near was when a retreat began.
typedef struct RetreatPair {
    double start;      ///< its gap then: the retreat
    uint64_t episode;  ///< of this one
    double gap;        ///< the least of a simple body
    uint64_t cycle;    ///< in this cycle
} RetreatPair;

/// A floating base: its orientation is four values of one source. Constant.
typedef struct MonitorFloatingBase {
    int32_t source;
    int32_t at[4];    ///< of the source's values: qx qy qz qw
    double velocity;  ///< radian per second
} MonitorFloatingBase;

/// An object that moves by itself. Constant.
typedef struct MonitorObject {
    BerthObjectId id;
    int32_t body;
    double speed, intrusion, uncertainty;
    bool person;
} MonitorObject;

/// What a sensor sees. Constant.
typedef struct MonitorCloud {
    const char* name;
    int32_t capacity;
    double radius, speed, uncertainty, intrusion, latency, silence;
    bool person;
    int32_t cells;        ///< of its grid, an axis
    const bool* ignored;  ///< by body of the scene
    bool is_map;
    BerthMonitorGrid grid;  ///< of a map
} MonitorCloud;

enum { UPDATE_PARTS_MAX = 65536 };

/// An update of a map as far as it came.
typedef struct UpdateNow {
    bool is_coming, alive;
    uint64_t stream, sequence, since;
    BerthCellColour rest;
    double stamp, received;
    int32_t parts, part_count;
    int64_t named;   ///< cells, so far
    uint64_t* came;  ///< a bit a part
} UpdateNow;

/// A map: the cells that cycles ask, and those that a new whole is made in. They change places when it is complete.
typedef struct MapNow {
    LiveCells cells, next;
    bool known;                 ///< cells are what the sender had at `sequence` of `stream`
    uint64_t stream, sequence;  ///< of the last update that is in `cells`
    UpdateNow whole, changes;
    uint64_t* kept;  ///< a bit a cell: what the coming whole names an obstacle, where its rest is one, too
    BerthCellRun* runs;  ///< of `changes`; at most the capacity
    int32_t run_count;
    int64_t cells_left;   ///< that may be set until the next cycle
    bool may_begin;       ///< a whole, until the next cycle: it costs a copy of all bits
    int32_t nodes_left;   ///< that may be opened in this cycle
    const uint8_t* full;  ///< bits of a map that is all obstacles
} MapNow;

static inline size_t kept_words(const int32_t size[3]) {
    return ((size_t)size[0] * (size_t)size[1] * (size_t)size[2] + 63) / 64;
}

/// The points of a cloud, sorted by the cells of a grid around them; and the next cloud as far as it came.
typedef struct CloudNow {
    Vec3* points;
    int32_t count;
    Vec3 low;            ///< corner of the grid
    double per_cell[3];  ///< cells a metre
    int32_t* first;      ///< of each cell's points; cells^3 + 1
    Vec3* coming;
    uint64_t* came;  ///< a bit a point
    int32_t coming_total, coming_count;
    uint64_t coming_stream, coming_sequence;
    double coming_stamp, coming_received;
    bool coming_alive, is_coming;
    MapNow* map;  ///< null: points
} CloudNow;

typedef struct MonitorOption {
    const char* name;
} MonitorOption;

typedef struct MonitorChoice {
    const char* name;
    MonitorOption* options;
    int32_t option_count;
    double silence;
} MonitorChoice;

/// Where a choice stands.
typedef struct ChoiceNow {
    int32_t active, wanted;
} ChoiceNow;

/// Memory that must not change.
typedef struct ModelRegion {
    const void* start;
    size_t size;
    uint64_t sum;
} ModelRegion;

enum { PERMIT_TIMES = 256 };

/// Who a fault is about; -1 where it is not.
typedef struct FaultAt {
    int32_t value, source, cloud, body, choice;
} FaultAt;
#define FAULT_ANYWHERE ((FaultAt){-1, -1, -1, -1, -1})

static inline FaultAt fault_at_value(int32_t value, int32_t source) {
    return (FaultAt){value, source, -1, -1, -1};
}
static inline FaultAt fault_at_source(int32_t source) {
    return (FaultAt){-1, source, -1, -1, -1};
}
static inline FaultAt fault_at_cloud(int32_t cloud) {
    return (FaultAt){-1, -1, cloud, -1, -1};
}
static inline FaultAt fault_at_body(int32_t body) {
    return (FaultAt){-1, -1, -1, body, -1};
}
static inline FaultAt fault_at_choice(int32_t choice) {
    return (FaultAt){-1, -1, -1, -1, choice};
}

struct BerthMonitor {
    BerthAllocator allocator;
    Arena arena;  ///< all arrays below
    BerthMonitorDef def;
    BerthSafety safety;
    const BerthScene* scene;
    uint64_t generation;  ///< of the scene at the start
    BerthChecker* checker;
    BerthIndex* index;

    // Constant after the start.
    SimpleBody* simple_bodies;
    int32_t simple_count, simple_capacity;
    int32_t* simple_of;  ///< by body of the index
    int32_t* row_frame;  ///< scene frame of each chain row; -1 in row 0
    int32_t row_total;
    MonitorJoint* joints;  ///< by scene frame
    MonitorValue* limits;  ///< by value of the scene
    MonitorSource* sources;
    int32_t source_count;
    int32_t* source_values;  ///< of all sources
    MonitorFloatingBase* floats;
    int32_t float_count;
    MonitorObject* objects;
    int32_t object_count;
    MonitorCloud* clouds;
    int32_t cloud_count;
    MonitorChoice* choices;
    int32_t choice_count;
    int32_t* pair_row;  ///< by body: its row of pair_of, or -1: it never moves
    int32_t* pair_of;   ///< pair of the scene by row and body; -1: not checked
    double* masses;     ///< of the bodies of the scene that are attached, by body
    ModelRegion* regions;
    int32_t region_count;
    size_t model_bytes;

    // What messages and cycles change.
    Pose* simple_pose;  ///< in the world, now
    bool* simple_shown;
    double* row_lever;  ///< of a simple body's points about the joint of this row, as the chain is now
    Buffers now;        ///< with the speeds that there are
    Buffers fastest;    ///< with the largest; what is near by these is measured
    Buffers trial;      ///< with those of a scale that is tried
    ScalePair* scale_pairs;
    int32_t scale_count;
    double* load_scale;  ///< by robot: what its load leaves of decelerations
    Track* source_tracks;
    SourceTrail* source_trails;
    Track* object_tracks;
    Pose* object_pose;
    Track* cloud_tracks;
    CloudNow* clouds_now;
    Track* choice_tracks;
    ChoiceNow* choices_now;
    bool switching;  ///< some wanted option is not active yet
    double* values;
    double* speeds;  ///< magnitudes; the limit where it is not reported
    double* told;    ///< velocities with sign; NaN where they are not reported
    double* taken;   ///< the larger of reported and seen, with sign; NaN where they are not reported
    double* seen;    ///< means over a while, with sign: what is beyond noise
    ValueTrail* trails;
    SourceHistory* histories;
    double* history;        ///< positions, HISTORY of them by value
    RetreatPair* retreats;  ///< by pair of the scene, with `crawl`
    double retreat_most;    ///< metres that a gap may shrink until everything stands still, in this cycle
    uint64_t
        episode;  ///< grows with each permit, and when a fault is over: retreats that began before are over, too
    bool held;  ///< stopped for nearness: there must be more than what is required, by the hysteresis
    double permit_time[PERMIT_TIMES];  ///< of the cycles of the last permits, by number
    BerthIndexPair* near;
    int32_t near_capacity;
    double* refine_wanted;   ///< by pair of the scene: the largest distance that this cycle requires,
    double* refine_lower;    ///< and what its meshes have
    uint64_t* refine_stamp;  ///< in the cycle with this number
    int32_t refine_left;     ///< nodes, this cycle
    int32_t model_at;        ///< region
    size_t model_offset;
    uint64_t model_sum;
    bool model_doubt;  ///< it was found changed, and no whole pass has found it right since
    uint64_t sequence;
    double last_cycle;
    bool has_cycle;
    BerthStop latched;  ///< NONE: permits may be given
    BerthStop pending;  ///< the fault that this cycle is to answer
    FaultAt fault_at;
    bool reset_asked, ended;
    int32_t braking_assumed;          ///< joints
    uint8_t base_model[SHA256_SIZE];  ///< without what is chosen
    uint8_t model[SHA256_SIZE];
    BerthMonitorCounters counters;
    size_t bytes;
};

/// Latches a fault. The permit reports the first one.
void bi_monitor_fault(BerthMonitor* monitor, BerthStop stop, FaultAt at);

/// What is to become of a message by its numbers: stale ones are counted, wrong ones begin anew after a reset.
typedef enum TrackOrder { ORDER_NEW, ORDER_OLD, ORDER_WRONG } TrackOrder;
TrackOrder bi_track_order(const BerthMonitor* monitor, const Track* track, uint64_t stream, uint64_t sequence,
                          double received);
/// Looks at the sender's clock: one that goes back, jumps, is too far behind, is off the skew limit, or is missing where it was, is
/// not believed any more, and a fault at `here`. True: go on.
bool bi_track_admit_clock(BerthMonitor* monitor, Track* track, const TrackClock* clock, FaultAt here);
/// A good message: the sender is believed.
void bi_track_accept(BerthMonitor* monitor, Track* track, uint64_t stream, uint64_t sequence,
                     const TrackClock* clock);
/// A wrong order: not believed any more, and these numbers are where it begins anew. Its clock is another one with another stream
/// only.
void bi_track_restart(Track* track, uint64_t stream, uint64_t sequence);
/// A rotation up to BI_ROTATION_NEAR, made exact: shapes are measured in its axes.
bool bi_monitor_make_rotation_exact(const Pose* p, Pose* out);
/// Looks at the order: a stale message is counted, a wrong one restarts the track and is a fault at `here`. True: it is a new one.
bool bi_track_admit(BerthMonitor* monitor, Track* track, uint64_t stream, uint64_t sequence, double received,
                    FaultAt here);
/// A sender with the latency and silence of the scene.
static inline TrackClock track_clock(const BerthMonitor* monitor, double stamp, double received) {
    return (TrackClock){stamp, received, monitor->safety.latency, monitor->safety.silence, (double)NAN};
}
/// Seconds, rounded up, or NaN: a message from the future has no age. What its stamp says is added.
double bi_track_age(const Track* track, double now);

/// Seconds: that of the source whose last state is the oldest; NaN when one is from the future.
double bi_monitor_oldest_age(const BerthMonitor* monitor, double now);
/// Places all simple bodies for the newest values, with what each can do until everything stands still.
bool bi_monitor_place(BerthMonitor* monitor, double now);
/// What everything can do from where it is, as if every joint went at `scale` of its largest speed; < 0: at those that there are.
void bi_monitor_find_buffers(const BerthMonitor* monitor, double now, double scale, Buffers* out);
/// Metres that a simple body's points can go by joints.
static inline double bi_simple_body_reach(const Buffers* buffers, const SimpleBody* simple) {
    return buffers->row_sum[simple->first_row + simple->row_count - 1];
}
/// What there must be, with what can be gone.
static inline double monitor_required(double unchanged, double reach) {
    return (unchanged + reach) * BI_MONITOR_GROWN;
}
/// Metres that two can come nearer to each other.
double bi_monitor_combined_reach(const BerthMonitor* monitor, const Buffers* buffers, const SimpleBody* a,
                                 const SimpleBody* b);
/// Does its robot's table prove a pair of the scene apart by what is required, whatever its joints do until they stand?
bool bi_monitor_is_proven(const BerthMonitor* monitor, const Buffers* buffers, int32_t pair);
/// May an arm be backed out though this pair is too near? `gap` is a lower bound, measured between the points along the normal.
bool bi_monitor_judge_retreat(BerthMonitor* monitor, const SimpleBody* a, const SimpleBody* b, int32_t pair,
                              double gap, const BerthGap* measured);
/// It may, as far as all pairs are concerned: those that were not too near yet begin here.
void bi_monitor_begin_retreat(BerthMonitor* monitor);
/// The largest speed scale at which everything that this cycle measured would be far enough apart, and what limits it.
void bi_monitor_find_scale(BerthMonitor* monitor, double now, BerthPermit* out);

/// What there must be between a simple body and a point of a cloud, if nothing could go anywhere.
double bi_monitor_cloud_unchanged(const BerthMonitor* monitor, const SimpleBody* simple);
/// And with what it and the point can go.
double bi_monitor_cloud_required(const BerthMonitor* monitor, const Buffers* buffers,
                                 const SimpleBody* simple, int32_t cloud);
/// The point of a cloud that is nearest to a simple body, if it is nearer than `wanted`. False when something could not be measured.
typedef struct CloudNearest {
    int32_t point;  ///< -1: none near
    BerthGap gap;
} CloudNearest;
bool bi_monitor_cloud_nearest(BerthMonitor* monitor, int32_t simple, int32_t cloud, double wanted,
                              CloudNearest* out);
/// The same of a map: `point` is 0 when something is near.
bool bi_monitor_map_nearest(BerthMonitor* monitor, int32_t simple, int32_t cloud, double wanted,
                            CloudNearest* out);
/// A cycle begins: how much may be done for maps until the next one.
void bi_monitor_begin_maps(BerthMonitor* monitor);
/// Are two stamps the same, or neither there?
static inline bool is_same_stamp(double a, double b) {
    return a == b || (a != a && b != b);
}

/// Brings what is wanted into force: shows and hides simple bodies, weighs loads, and the hash.
void bi_monitor_apply_choices(BerthMonitor* monitor);
/// Asks meshes about the pairs that refine_wanted and refine_stamp name, as far as nodes last.
bool bi_monitor_refine_pair(BerthMonitor* monitor, int32_t pair);

/// Cold: the parts of making one.
/// The simple bodies of one part, in its frame: capsules for what joints move, boxes for the rest, shapes as they are.
BerthStatus bi_simple_body_fit_part(const BerthScene* scene, int32_t body, int32_t part,
                                    const BerthMonitorDef* def, const BerthAllocator* from,
                                    MeshEnclosure* pieces);
BerthStatus bi_monitor_add_simple_bodies(BerthMonitor* monitor);
BerthStatus bi_monitor_fill_index(BerthMonitor* monitor);
BerthStatus bi_monitor_add_clouds(BerthMonitor* monitor);
BerthStatus bi_monitor_add_choices(BerthMonitor* monitor);
BerthStatus bi_monitor_sum_model(BerthMonitor* monitor);
void bi_monitor_hash(BerthMonitor* monitor);
/// From the monitor's arena, cleared, counted; null when there is no memory.
void* bi_monitor_take(BerthMonitor* monitor, size_t count, size_t size);
uint64_t bi_model_sum(uint64_t sum, const void* bytes, size_t size);

#endif
