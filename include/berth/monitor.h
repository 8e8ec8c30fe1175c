// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Monitor: a guard over arms and moving things whose motions are not known in advance. Joint positions go in;
// a permit that expires, or STOP, comes out. Pure logic: time and messages are passed in, so that a test can
// run years in minutes; the loop, the sockets and the logs are the program's. It can only withdraw
// permission, and works behind a rated safety device.

#ifndef BERTH_MONITOR_H
#define BERTH_MONITOR_H

#include <berth/check.h>
#include <berth/field.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The logic of a guard over one scene. Fixed memory; time and messages are passed in. One thread at a time.
typedef struct BerthMonitor BerthMonitor;

/// Terms of the protective separation distance (ISO/TS 15066): S_h + S_r + S_s + C + Z_d + Z_r. All must be
/// given.
typedef struct BerthSeparation {
    double person_speed;        ///< metres per second; 1.6 when it is not measured
    double robot_speed;         ///< toward the person, metres per second
    double reaction;            ///< T_r, seconds: until braking begins
    double stopping;            ///< T_s, seconds: from the beginning of braking to standstill
    double braking;             ///< S_s, metres; < 0: robot_speed * stopping / 2, for constant braking only
    double intrusion;           ///< C, metres
    double person_uncertainty;  ///< Z_d, metres
    double robot_uncertainty;   ///< Z_r, metres
} BerthSeparation;
/// The protective separation distance in metres, rounded up. A term that is missing (NaN) or negative (only
/// `braking` may be) is BERTH_ERR_ARGUMENT, never taken as 0; `out` is +infinity then.
BERTH_API BerthStatus berth_separation_distance(const BerthSeparation* terms, double* out);

/// Why there is no permit.
typedef enum BerthStop {
    BERTH_STOP_NONE = 0,  ///< there is one
    BERTH_STOP_RESET,     ///< a reset is needed, and good messages after it
    BERTH_STOP_NO_STATE,  ///< a source has sent nothing yet, or nothing good since its last fault
    BERTH_STOP_LATE,      ///< the last message is too old
    BERTH_STOP_SEQUENCE,  ///< the sequence numbers of a sender went back, or its stream changed
    BERTH_STOP_SKEW,      ///< a sender's clock is off, goes back, jumps, or falls behind
    BERTH_STOP_VALUE,     ///< a value is not a number
    BERTH_STOP_LIMIT,     ///< a joint is outside its limits
    BERTH_STOP_JUMP,      ///< a joint moved, or reports that it moves, faster than it can
    BERTH_STOP_OBJECT,    ///< a moving object, person or cloud was not received, or not recently enough
    BERTH_STOP_NEAR,      ///< two bodies are nearer than they may be
    BERTH_STOP_UNKNOWN,   ///< a distance could not be determined
    BERTH_STOP_OVERRUN,   ///< the cycle took too long, or began too late
    BERTH_STOP_NUMBERS,   ///< the processor does not round as it did at the start
    BERTH_STOP_MODEL,     ///< the model in memory has changed, or a switch is unknown or too old
    BERTH_STOP_END,       ///< the monitor is ending
    BERTH_STOP_COUNT      ///< how many there are
} BerthStop;
/// "none", "reset", "no_state", ...
BERTH_API const char* berth_stop_name(BerthStop stop);

/// A sender of joint states and the values that it reports. Several senders may share a robot. Every value
/// belongs to exactly one sender.
typedef struct BerthMonitorSource {
    const char* name;       ///< of the sender
    const int32_t* values;  ///< indexes of values of the scene; null with count 0: all of them
    int32_t value_count;    ///< of `values`
} BerthMonitorSource;

/// The grid of a map that changes while the guard runs. The number of cells is fixed; their contents come as
/// messages.
typedef struct BerthMonitorGrid {
    int32_t size[3];            ///< cells along each axis, 1 to 256
    double resolution;          ///< metres per cell, > 0
    BerthPose world_from_grid;  ///< the grid's origin is the lower corner of cell (0, 0, 0)
    bool unknown_is_free;       ///< false: unknown cells are obstacles
    bool outside_is_free;       ///< false: everything outside the cells is an obstacle
    int32_t nodes;  ///< most nodes that a cycle may open; when they are spent, the answer is STOP. 0: 50,000
} BerthMonitorGrid;

/// A sensor that sends points or a map. Declared at the start, which fixes its memory. Its points are
/// compared with every body that joints move. Silence is unknown, hence STOP, and so is an empty cloud unless
/// the sensor says that it is alive.
typedef struct BerthMonitorCloud {
    const char* name;  ///< of the sensor
    /// Most points of one cloud, > 0; more are STOP, points are never dropped. For a map: most cells that the
    /// changes of one update may name (more are STOP); between two cycles twice as many may be set, and an
    /// update beyond that is dropped as if it had been lost
    int32_t capacity;
    double radius;                 ///< metres: every obstacle lies within this distance of a point
    double speed;                  ///< largest speed of what is seen, metres per second
    double uncertainty;            ///< largest error of a point, metres
    double intrusion;              ///< metres that something may reach in before it is seen
    bool person;                   ///< it may show people: the robot's uncertainty is added
    double latency;                ///< longest time from measurement to arrival, seconds; 0: the safety's
    double silence;                ///< longest time without a cloud, seconds; 0: the safety's
    const char* const* ignore;     ///< names of bodies that it is not compared with
    int32_t ignore_count;          ///< of `ignore`
    const BerthMonitorGrid* grid;  ///< the sensor sends cells (berth_monitor_receive_cells); null: points
} BerthMonitorCloud;

/// One of the alternatives of a choice.
typedef struct BerthMonitorOption {
    const char* name;           ///< of the option
    const char* const* bodies;  ///< links and objects that are present while this option is in force
    int32_t body_count;         ///< of `bodies`
} BerthMonitorOption;
/// Models that can be switched between cycles: a coarse and a detailed model of a gripper; a part in the
/// hand, on the table or away. A body that some option names is present exactly while that option is in
/// force; all other bodies are always present.
typedef struct BerthMonitorChoice {
    const char* name;                   ///< of the choice
    const BerthMonitorOption* options;  ///< the first one is in force at the start
    int32_t option_count;               ///< of `options`
    /// Longest time without a message that says which option is in force, seconds; 0: such a message comes
    /// only when it changes
    double silence;
} BerthMonitorChoice;

/// Settings for comparisons: berth/lab/monitor.h.
typedef struct BerthMonitorLab BerthMonitorLab;

/// Start from berth_default_monitor_def().
typedef struct BerthMonitorDef {
    BerthSafety safety;                 ///< all zero: the scene's
    const BerthMonitorSource* sources;  ///< null: one source, "state", with all values
    int32_t source_count;               ///< of `sources`
    double valid_for;                   ///< lifetime of a permit, seconds, > 0
    /// Largest difference between a sender's stamp and its receipt, seconds. +infinity: there is no common
    /// clock, and stamps are compared with each other only: they must advance, and what they fall behind
    /// counts as age
    double skew_limit;
    /// Seconds per second by which a sender's clock may run slower or faster than the receiver's, 0 to 0.01
    double clock_drift;
    double jump_slack;  ///< radian or metre by which a step of a joint may exceed what its speed allows
    /// Radian, and metre for sliding joints, by which a joint may exceed its limits: for encoders of joints
    /// that rest at a limit
    double limit_tolerance[2];
    /// Messages that are late by at most this many sequence numbers are ignored; later ones are a fault
    uint64_t reorder;
    int32_t good_needed;  ///< good messages of each sender needed after a reset before there is a permit, > 0
    double model_error;   ///< metres by which bodies may exceed their models
    double tracking_error;     ///< radian or metre by which each joint may differ from what is reported
    double robot_uncertainty;  ///< Z_r of the protective separation distance, metres
    bool speed_scale;          ///< permits carry a speed scale: more pairs are measured
    bool fixed_buffers;        ///< buffers are for the largest speeds, not for those that are reported
    bool latch_near;           ///< STOP for nearness needs a reset too
    double crawl;  ///< metres per second, > 0: permits may say RETREAT (BerthPermit.retreat); 0: never
    bool refine;   ///< where simple bodies are too near, the meshes decide
    int32_t refine_nodes;               ///< most tree nodes that one such pair may open
    int32_t capsules;                   ///< most capsules that cover a mesh of a link
    int32_t boxes;                      ///< most boxes that cover a mesh of an object
    const BerthMonitorCloud* clouds;    ///< sensors that send points or maps; null: none
    int32_t cloud_count;                ///< of `clouds`
    const BerthMonitorChoice* choices;  ///< models that can be switched; null: none
    int32_t choice_count;               ///< of `choices`
    /// Kilograms: what an arm with its brakes weighs as felt at the load (docs/theory/monitor.md). An
    /// attached mass m reduces decelerations by the factor load_mass / (load_mass + m)
    double load_mass;
    int32_t refine_cycle_nodes;       ///< most tree nodes that all such pairs of a cycle may open together
    bool (*refine_stop)(void* user);  ///< called before each such pair; true: no time is left. May be null
    void* refine_user;                ///< passed to `refine_stop`
    const BerthMonitorLab* lab;       ///< null: the fastest. Read at creation only
    BerthAllocator allocator;         ///< all zero: the C library's heap
    uint32_t stamp;                   ///< set by the default function; ties the def to this library version
} BerthMonitorDef;
/// The def to start from: the scene's safety, one source, permits of 3 ms, no common clock, clock_drift 1e-4,
/// jump_slack 0.01, limit_tolerance 1 mrad and 0.1 mm, reorder 8, good_needed 10, no errors or uncertainties,
/// a speed scale, no retreat, 2 capsules, 16 boxes, load_mass 1 kg, no refining (if switched on: 2,000 nodes
/// per pair and 20,000 per cycle).
BERTH_API BerthMonitorDef berth_default_monitor_def(void);

/// Takes all its memory here. The scene must be committed, is borrowed until the monitor is destroyed, and
/// must not be edited meanwhile. Refuses a scene without `safety` (unless the def has it), joints without a
/// velocity, joints with neither deceleration nor acceleration (see berth_monitor_braking_assumed), and
/// bodies that it cannot bound. Texts and lists of the def are copied. The monitor begins in STOP and needs a
/// reset.
BERTH_API BerthStatus berth_monitor_create(const BerthScene* scene, const BerthMonitorDef* def,
                                           BerthMonitor** out);
/// Frees a monitor; null is fine.
BERTH_API void berth_monitor_destroy(BerthMonitor* monitor);

/// One message about joints. Times are seconds of one clock that never jumps; only `stamp` is of the sender's
/// clock.
typedef struct BerthMonitorMessage {
    int32_t source;     ///< index in the def's list
    uint64_t stream;    ///< identifies a run of the sender: a new one means that it restarted
    uint64_t sequence;  ///< grows by one per message
    double stamp;       ///< the sender's time of sampling; NaN: none
    /// Number of the last permit that the sender had received when it sampled, which bounds the age of the
    /// sample: it is no older than that permit. 0: none
    uint64_t echo;
    double received;           ///< when it was received
    const double* positions;   ///< of the source's values, in their order
    const double* velocities;  ///< the same of their velocities, or null: not reported
    int32_t count;             ///< must equal the source's
} BerthMonitorMessage;
/// The newest message counts. Anything wrong with it is counted, and is STOP as the table in
/// docs/theory/monitor.md (STOP) says. Called in every cycle.
BERTH_API void berth_monitor_receive(BerthMonitor* monitor, const BerthMonitorMessage* message);

/// One message about a person or an object that moves by itself.
typedef struct BerthMonitorPose {
    BerthObjectId object;  ///< which one
    uint64_t stream;       ///< identifies a run of the sender: a new one means that it restarted
    uint64_t sequence;     ///< grows by one per message
    double stamp;          ///< the sender's time; NaN: none
    double received;       ///< when it was received
    BerthPose pose;        ///< world_from_object
} BerthMonitorPose;
/// The newest message counts, as for joints.
BERTH_API void berth_monitor_receive_pose(BerthMonitor* monitor, const BerthMonitorPose* message);

/// Points of a cloud, all of them or a part. A cloud is complete, and fresh, when all `total` points have
/// been received.
typedef struct BerthMonitorPoints {
    int32_t cloud;      ///< index in the def's list
    uint64_t stream;    ///< identifies a run of the sender: a new one means that it restarted
    uint64_t sequence;  ///< of the cloud; the same in all of its parts
    double stamp;       ///< the sender's time; NaN: none
    double received;    ///< when it was received; the age of a cloud is that of its first part
    int32_t first;      ///< index of the first of these points in the cloud
    int32_t total;      ///< points of the whole cloud
    bool alive;         ///< the sensor states that it is working: only then is an empty cloud free space
    /// In the world. A coordinate that is not a number makes the whole cloud a fault: what is there is not
    /// known
    const BerthVec3* points;
    int32_t count;  ///< points of this part
} BerthMonitorPoints;
/// Receives a part of a cloud; the last missing part completes it.
BERTH_API void berth_monitor_receive_points(BerthMonitor* monitor, const BerthMonitorPoints* message);

/// Consecutive cells. Cells are numbered along x, then y, then z.
typedef struct BerthCellRun {
    uint32_t first;          ///< number of the first cell
    uint32_t count;          ///< > 0
    BerthCellColour colour;  ///< of all of them
} BerthCellRun;

/// Cells of a map: those that changed since an earlier update, or all of them. Sent in parts, and in force
/// when all parts have been received. A cell that is named twice is an obstacle if either name is one.
typedef struct BerthMonitorCells {
    int32_t cloud;      ///< index in the def's list: one with a grid
    uint64_t stream;    ///< identifies a run of the sender: a new one means that it restarted
    uint64_t sequence;  ///< of the update; the same in all of its parts
    double stamp;       ///< the sender's time; NaN: none
    double received;    ///< when it was received; the age of an update is that of its first part
    bool whole;  ///< true: all cells, and those that no part names have the colour `rest`; false: changes
    BerthCellColour rest;  ///< of a whole map: FREE or UNKNOWN
    /// Of changes: they name every cell that changed after the update with this sequence. If that update was
    /// not received they are dropped, so a sender that repeats the changes of its last few updates survives
    /// the loss of that many
    uint64_t since;
    int32_t part;   ///< number of this part, from 0
    int32_t parts;  ///< how many parts there are: 1 to 65,536
    bool alive;     ///< the sensor states that it is working: only then does "nothing changed" count
    const BerthCellRun* runs;  ///< of this part
    int32_t count;             ///< of `runs`
} BerthMonitorCells;
/// Receives a part of an update; the last missing part completes it. Before a whole map was received, and
/// after any fault of this map, changes are ignored: there is no permit until a whole map has been received.
BERTH_API void berth_monitor_receive_cells(BerthMonitor* monitor, const BerthMonitorCells* message);

/// Puts another option of a choice in force from the next cycle on. An option that was not declared (-1) is a
/// fault, MODEL, and there is no permit until one that was declared has been received.
typedef struct BerthMonitorSwitch {
    int32_t choice;     ///< index in the def's list
    int32_t option;     ///< index in the choice's list
    uint64_t stream;    ///< identifies a run of the sender: a new one means that it restarted
    uint64_t sequence;  ///< grows by one per message
    double stamp;       ///< the sender's time; NaN: none
    double received;    ///< when it was received
} BerthMonitorSwitch;
/// The next cycle begins with the new option.
BERTH_API void berth_monitor_switch(BerthMonitor* monitor, const BerthMonitorSwitch* message);
/// A source by name; -1 when there is none.
BERTH_API int32_t berth_monitor_find_source(const BerthMonitor* monitor, const char* name);
/// A cloud by name; -1 when there is none.
BERTH_API int32_t berth_monitor_find_cloud(const BerthMonitor* monitor, const char* name);
/// A choice by name; -1 when there is none.
BERTH_API int32_t berth_monitor_find_choice(const BerthMonitor* monitor, const char* name);
/// An option of a choice by name; -1 when there is none.
BERTH_API int32_t berth_monitor_find_option(const BerthMonitor* monitor, int32_t choice, const char* name);

/// Requests permits, at the start and after a fault. They follow after `good_needed` good messages of each
/// source, moving object, person, cloud, and choice with a silence, and one of a choice without a silence whose
/// last message was refused.
BERTH_API void berth_monitor_reset(BerthMonitor* monitor);
/// No more permits: every further cycle is STOP, END.
BERTH_API void berth_monitor_end(BerthMonitor* monitor);

/// The decision of one cycle.
typedef struct BerthPermit {
    uint64_t sequence;  ///< grows by one per cycle
    bool go;            ///< permitted until `valid_until`; false: STOP
    /// With STOP for nearness and `crawl`: until `valid_until` the arm may be backed out, away from
    /// everything that is too near and no faster than `crawl`. A receiver that does not know this flag stops
    bool retreat;
    /// On the clock that is passed in; for STOP without retreat, the time of the decision
    double valid_until;
    BerthStop reason;   ///< why it is STOP; NONE for a permit
    BerthStop cause;    ///< the latched fault that needs a reset; NONE: none
    int32_t value;      ///< for VALUE, LIMIT, JUMP: the value; otherwise -1
    int32_t source;     ///< for LATE, SEQUENCE, SKEW, NO_STATE: the source; otherwise -1
    int32_t body_a;     ///< a body of the pair that is nearest to its limit; -1 when no pair is near
    int32_t body_b;     ///< the other body of that pair; -1 when there is none
    double distance;    ///< lower bound of the distance of these two
    double required;    ///< the distance that they must have
    BerthVec3 point_a;  ///< nearest point of the first body, in the world
    BerthVec3 point_b;  ///< nearest point of the second body, in the world
    /// Speed at which they approach each other, metres per second; where velocities are not reported, the
    /// largest possible
    double approach;
    /// Earliest possible, seconds: from the present speed on as fast as accelerations and velocity limits
    /// allow; +infinity: never
    double time_to_contact;
    uint8_t model[32];  ///< hash of the scene, the settings, all choices and the options in force
    /// The cloud that the second body is a point of (body_b is -1 then), or that a fault is about; otherwise
    /// -1
    int32_t cloud;
    /// For OBJECT, VALUE, JUMP, SEQUENCE, SKEW: the body of the moving object that the fault is about;
    /// otherwise -1
    int32_t object;
    int32_t choice;  ///< for MODEL, SEQUENCE, SKEW: the choice that the fault is about; otherwise -1
    /// With `speed_scale`, 0 to 1, in steps of 1/32: the largest fraction of their velocity limits at which
    /// all joints could move at this moment and this would still be a permit. Advice: permits do not depend
    /// on it. 0 also when the STOP is for another reason than nearness
    double scale;
    int32_t scale_a;      ///< body that a larger scale would bring too near to something; -1: none, at 1
    int32_t scale_b;      ///< the other body; -1: none
    int32_t scale_cloud;  ///< or the cloud with the point; -1: none
    double age;  ///< seconds since the oldest state that it rests on was received; NaN when there is none
} BerthPermit;
/// The decision of one cycle that began at `now`. It must be sealed before it is sent, also when it is STOP.
BERTH_API void berth_monitor_cycle(BerthMonitor* monitor, double now, BerthPermit* out);
/// Ends a cycle: a decision that took longer than a period becomes STOP, OVERRUN. Counts the decision, which
/// may then be sent.
BERTH_API void berth_monitor_seal(BerthMonitor* monitor, double finished, BerthPermit* permit);
/// Reports a fault that the caller has found: OVERRUN, NUMBERS, MODEL. Latched. Anything that is not a reason
/// becomes UNKNOWN.
BERTH_API void berth_monitor_fault(BerthMonitor* monitor, BerthStop stop);

/// Counts since the monitor was made.
typedef struct BerthMonitorCounters {
    int64_t cycles;                    ///< decisions
    int64_t permits;                   ///< permits that were sealed
    int64_t stops[BERTH_STOP_COUNT];   ///< STOPs that were sealed, by reason
    int64_t messages;                  ///< received
    int64_t good;                      ///< messages that were valid and new
    int64_t stale;                     ///< messages that were repeated or late, within `reorder`: ignored
    int64_t malformed;                 ///< messages that were not well-formed
    int64_t pairs;                     ///< pairs that the index found near
    int64_t distances;                 ///< distances that were computed
    int64_t refined;                   ///< pairs that were checked again by their meshes
    int64_t faults[BERTH_STOP_COUNT];  ///< found or reported, whether or not a permit was in force
    int64_t refined_free;              ///< of the refined: proven far enough apart
    int64_t refine_spent;              ///< of the refined: no nodes or time were left
    int64_t clouds;                    ///< clouds and updates of maps that were received completely
    /// Clouds and updates that were never completed, or rest on an update that was not received
    int64_t incomplete;
    int64_t overflows;     ///< clouds and updates that were too large
    int64_t points;        ///< points that were compared with bodies
    int64_t switches;      ///< switches of choices
    int64_t model_passes;  ///< complete passes of berth_monitor_check_model
    int64_t cells;         ///< cells of maps that were set by updates
    int64_t nodes;         ///< nodes of maps that were opened
    /// Good messages with neither a stamp nor an echo: that they are no older than `latency` is an assumption
    int64_t unstamped;
    int64_t retreats;  ///< permits to retreat that were sealed
} BerthMonitorCounters;
/// The counters as they are now.
BERTH_API BerthMonitorCounters berth_monitor_counters(const BerthMonitor* monitor);

/// One simple body that is guarded, in its state of the last cycle.
typedef struct BerthSimpleBody {
    int32_t body;      ///< index of its body in the scene
    BerthShape shape;  ///< capsule, box or the scene's own shape
    BerthPose pose;    ///< in the world
    double buffer;     ///< metres that it can move before everything stands still
} BerthSimpleBody;
/// The number of simple bodies that are guarded.
BERTH_API int32_t berth_monitor_body_count(const BerthMonitor* monitor);
/// One of them, where it was in the last cycle; 0 <= index < berth_monitor_body_count.
BERTH_API BerthSimpleBody berth_monitor_body(const BerthMonitor* monitor, int32_t index);
/// Seconds from a sample to the beginning of braking, for a message of age `age` seconds since its receipt.
BERTH_API double berth_monitor_horizon(const BerthMonitor* monitor, double age);
/// Bytes held.
BERTH_API size_t berth_monitor_bytes(const BerthMonitor* monitor);
/// The limits that are assumed for one value of the scene, including the effect of the load in force. All
/// zero for a value that moves nothing.
BERTH_API BerthJointLimit berth_monitor_limit(const BerthMonitor* monitor, int32_t value);
/// The number of joints without a given deceleration, which are assumed to brake as hard as they accelerate.
/// 0: nothing is assumed.
BERTH_API int32_t berth_monitor_braking_assumed(const BerthMonitor* monitor);
/// The number of pairs that their robot's table proves further apart than the margin plus twice the model
/// error. They are not looked at while the joints between them can stop within their limits.
BERTH_API int32_t berth_monitor_proven_count(const BerthMonitor* monitor);

/// Compares the next `bytes` of what must not change - scene, robots, simple bodies, settings; with `refine`
/// also meshes - with the sums made at the start. Returns false, and latches MODEL, when a part differs (and
/// from then on until a complete pass finds no difference), and when the scene was edited. A complete pass
/// takes berth_monitor_model_bytes.
BERTH_API bool berth_monitor_check_model(BerthMonitor* monitor, size_t bytes);
/// Bytes of everything that must not change.
BERTH_API size_t berth_monitor_model_bytes(const BerthMonitor* monitor);
/// How simple bodies cover one body of a scene, for inspection.
typedef struct BerthSimpleBodyFit {
    int32_t count;       ///< simple bodies
    bool covered;        ///< proven: every point of the body is in one of them
    double volume;       ///< sum of their volumes, m3
    double hull_volume;  ///< of the body's convex hull, m3; NaN when it has none
    /// Upper bound of how far those that were written reach beyond the body's convex hull, metres; NaN when
    /// it has none
    double protrusion;
} BerthSimpleBodyFit;
/// Covers one body as a monitor with this def would. At most `capacity` simple bodies are written to
/// `bodies`, in the frame that the body moves with (`buffer` is 0). The scene must be committed.
BERTH_API BerthStatus berth_simple_body_fit(const BerthScene* scene, int32_t body, const BerthMonitorDef* def,
                                            BerthSimpleBody* bodies, int32_t capacity,
                                            BerthSimpleBodyFit* out);

#ifdef __cplusplus
}
#endif
#endif
