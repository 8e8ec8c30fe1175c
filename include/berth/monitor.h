// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Monitor: a guard over arms and moving things whose motions are not known beforehand. Joint angles in, a permit that
// expires or STOP out. Pure: time and messages are passed in, so that a test runs years in minutes; the loop, sockets
// and logs are the program's. It can only take permission away, behind a rated device.

#ifndef BERTH_MONITOR_H
#define BERTH_MONITOR_H

#include <berth/check.h>
#include <berth/field.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The logic of a guard over one scene. Fixed memory; time and messages are passed in. One thread at a time.
typedef struct BerthMonitor BerthMonitor;

/// Protective separation distance (ISO/TS 15066): S_h + S_r + S_s + C + Z_d + Z_r. Every term must be given.
typedef struct BerthSeparation {
    double person_speed;        ///< metres per second; 1.6 when it is not measured
    double robot_speed;         ///< toward the person
    double reaction;            ///< T_r, seconds: until braking begins
    double stopping;            ///< T_s, seconds: from there to standstill
    double braking;             ///< S_s, metres; < 0: robot_speed * stopping / 2, for constant braking only
    double intrusion;           ///< C
    double person_uncertainty;  ///< Z_d
    double robot_uncertainty;   ///< Z_r
} BerthSeparation;
/// Metres, rounded up. A term that is missing (NaN) or negative is an error, not 0 (`braking` alone may be negative,
/// see there); `out` is +infinity then.
BERTH_API BerthStatus berth_separation_distance(const BerthSeparation* terms, double* out);

/// Why there is no permit.
typedef enum BerthStop {
    BERTH_STOP_NONE = 0,  ///< there is one
    BERTH_STOP_RESET,     ///< waits for a reset, and for good messages after it
    BERTH_STOP_NO_STATE,  ///< nothing was received from a source, or nothing good since its last fault
    BERTH_STOP_LATE,      ///< the last message is too old
    BERTH_STOP_SEQUENCE,  ///< a sender went backwards or began anew
    BERTH_STOP_SKEW,      ///< a sender's clock is off, goes back, jumps, or falls behind
    BERTH_STOP_VALUE,     ///< a value is no number
    BERTH_STOP_LIMIT,     ///< a joint is outside of its limits
    BERTH_STOP_JUMP,      ///< a joint moved faster than it can, or says so
    BERTH_STOP_OBJECT,    ///< a moving object, person or cloud was not received, or too long ago
    BERTH_STOP_NEAR,      ///< two bodies are nearer than they may be
    BERTH_STOP_UNKNOWN,   ///< a distance could not be told
    BERTH_STOP_OVERRUN,   ///< the cycle took too long, or began too late
    BERTH_STOP_NUMBERS,   ///< the processor rounds in another way than at the start
    BERTH_STOP_MODEL,     ///< the model in memory has changed, or a switch is unknown or too old
    BERTH_STOP_END,       ///< the monitor is ending
    BERTH_STOP_COUNT      ///< how many there are
} BerthStop;
/// "none", "reset", "no_state", ...
BERTH_API const char* berth_stop_name(BerthStop stop);

/// Who reports which values: several senders may share a robot. Every value belongs to exactly one sender.
typedef struct BerthMonitorSource {
    const char* name;       ///< of the sender
    const int32_t* values;  ///< of the scene; null with count 0: all of them
    int32_t value_count;    ///< of `values`
} BerthMonitorSource;

/// Cells of a map that changes while the guard runs. Their number is fixed; what is in them comes as messages.
typedef struct BerthMonitorGrid {
    int32_t size[3];            ///< cells along each axis, 1 to 256
    double resolution;          ///< metres a cell, > 0
    BerthPose world_from_grid;  ///< cell (0, 0, 0) begins at the grid's origin
    bool unknown_is_free;       ///< false: unknown cells are obstacles
    bool outside_is_free;       ///< false: what is outside of the cells is an obstacle
    int32_t nodes;  ///< most nodes that a cycle may open; when they are spent that is STOP. 0: 50,000
} BerthMonitorGrid;

/// What a sensor sees, as points or as a map. Declared at the start: its memory is fixed then. Points are compared with every body
/// that joints move. Silence, and an empty cloud of a sensor that does not say that it lives, are unknown, so STOP.
typedef struct BerthMonitorCloud {
    const char* name;  ///< of the sensor
    /// Most points of one cloud, > 0; more are STOP, never cut. Of a map: most cells that one message's update changes, and
    /// half of those that all of them may change between two cycles; what is more is dropped, as if it had been lost
    int32_t capacity;
    double radius;                 ///< metres: all that is there is within this of a point
    double speed;                  ///< metres per second at which what is seen moves, at most
    double uncertainty;            ///< metres that a point may be off
    double intrusion;              ///< metres that something may reach before it is seen
    bool person;                   ///< it may be people: the robot's uncertainty is added
    double latency;                ///< seconds from seeing to arriving, at most; 0: the safety's
    double silence;                ///< longest time without a cloud; 0: the safety's
    const char* const* ignore;     ///< names of bodies that it is not compared with
    int32_t ignore_count;          ///< of `ignore`
    const BerthMonitorGrid* grid;  ///< it sends cells (berth_monitor_receive_cells); null: points
} BerthMonitorCloud;

/// One of the alternatives of a choice.
typedef struct BerthMonitorOption {
    const char* name;           ///< of the option
    const char* const* bodies;  ///< links and objects that are there while this option is in force
    int32_t body_count;         ///< of `bodies`
} BerthMonitorOption;
/// Models that can be switched between cycles: a gripper's coarse and detailed model, a part in the hand, on the table
/// or away. A body that some option names is there exactly while that option is in force; bodies that no option names
/// always are.
typedef struct BerthMonitorChoice {
    const char* name;                   ///< of the choice
    const BerthMonitorOption* options;  ///< the first one is in force at the start
    int32_t option_count;               ///< of `options`
    /// Longest time without a message that says which one is in force; 0: such a message comes only when it changes
    double silence;
} BerthMonitorChoice;

/// Choices for comparisons: berth/lab/monitor.h.
typedef struct BerthMonitorLab BerthMonitorLab;

/// Start from berth_default_monitor_def().
typedef struct BerthMonitorDef {
    BerthSafety safety;                 ///< all zero: the scene's
    const BerthMonitorSource* sources;  ///< null: one, "state", with all values
    int32_t source_count;               ///< of `sources`
    double valid_for;                   ///< seconds that a permit lives, > 0
    /// Seconds between a sender's stamp and its receipt; +infinity: there is no clock in common, and stamps are held
    /// against each other only: they must advance, and what they fall behind is age
    double skew_limit;
    /// Seconds a second by which a sender's clock may run slower or faster than the receiver's, 0 to 0.01
    double clock_drift;
    double jump_slack;  ///< radian or metre that a joint may seem to jump more than its speed allows
    /// Radian, and metre of what slides, that a joint may be beyond its limits: encoders of joints that sit there
    double limit_tolerance[2];
    uint64_t reorder;  ///< messages that come late by at most so many are ignored; earlier ones are a fault
    int32_t good_needed;  ///< good messages of each sender after a reset before there is a permit again, > 0
    double model_error;   ///< metres that bodies may be larger than their models
    double tracking_error;     ///< radian or metre that each joint may be off what is reported
    double robot_uncertainty;  ///< Z_r of persons' separation, metres
    bool speed_scale;          ///< permits carry a scale of speeds: more pairs are measured
    bool fixed_buffers;        ///< largest speeds always, not those that are reported
    bool latch_near;           ///< STOP for nearness waits for a reset too
    /// Metres per second, > 0: permits may say RETREAT (BerthPermit.retreat); 0: they never do
    double crawl;
    bool refine;                        ///< where simple bodies are too near the meshes decide
    int32_t refine_nodes;               ///< tree nodes that one such pair may open
    int32_t capsules;                   ///< most capsules that a mesh of a link becomes
    int32_t boxes;                      ///< most boxes that a mesh of an object becomes
    const BerthMonitorCloud* clouds;    ///< sensors that send points; null: none
    int32_t cloud_count;                ///< of `clouds`
    const BerthMonitorChoice* choices;  ///< models that can be switched; null: none
    int32_t choice_count;               ///< of `choices`
    /// Kilograms: what an arm with its brakes weighs where the load is (docs/theory/monitor.md). An attached mass m makes
    /// decelerations smaller by load_mass / (load_mass + m).
    double load_mass;
    int32_t refine_cycle_nodes;       ///< tree nodes that all such pairs of a cycle may open together
    bool (*refine_stop)(void* user);  ///< asked before each such pair; true: no time is left. May be null
    void* refine_user;                ///< passed to `refine_stop`
    const BerthMonitorLab* lab;       ///< null: the fastest. Read at creation only
    BerthAllocator allocator;         ///< all zero: the C library's heap
    uint32_t stamp;                   ///< set by the default function; ties the def to this library version
} BerthMonitorDef;
/// The def to start from: the scene's safety, one source, permits of 3 ms, no clock in common, clock_drift 1e-4, jump_slack 0.01,
/// limit_tolerance 1 mrad and 0.1 mm, reorder 8, good_needed 10, no errors or uncertainties, a speed scale, no retreat, 2 capsules, 16 boxes, load_mass 1 kg, no refining (2,000
/// nodes a pair and 20,000 a cycle when it is switched on).
BERTH_API BerthMonitorDef berth_default_monitor_def(void);

/// Takes all its memory here. The scene is borrowed, must be committed and must not be edited. Refuses a scene without
/// `safety` (unless the def has it), joints without a velocity, joints with neither deceleration nor acceleration
/// (berth_monitor_braking_assumed), and bodies that it cannot bound. Texts and lists of the def are copied. Begins in
/// STOP: it needs a reset.
BERTH_API BerthStatus berth_monitor_create(const BerthScene* scene, const BerthMonitorDef* def,
                                           BerthMonitor** out);
/// Frees a monitor; null is fine.
BERTH_API void berth_monitor_destroy(BerthMonitor* monitor);

/// One message about joints. Times are seconds of one clock that never jumps; only `stamp` is the sender's.
typedef struct BerthMonitorMessage {
    int32_t source;     ///< by the order of the def
    uint64_t stream;    ///< another one: the sender began anew
    uint64_t sequence;  ///< grows by one a message
    double stamp;       ///< NaN: none
    /// Number of the last permit that the sender had received when it sampled: the sample is no older than that permit. 0: not told
    uint64_t echo;
    double received;           ///< when it was received
    const double* positions;   ///< of the source's values, in their order
    const double* velocities;  ///< or null: not reported
    int32_t count;             ///< must be the source's
} BerthMonitorMessage;
/// Newest wins. What is wrong with it is counted, and stops as the table in docs/theory/monitor.md (STOP) says.
BERTH_API void berth_monitor_receive(BerthMonitor* monitor, const BerthMonitorMessage* message);

/// One message about an object that moves by itself, or a person.
typedef struct BerthMonitorPose {
    BerthObjectId object;  ///< which one
    uint64_t stream;       ///< another one: the sender began anew
    uint64_t sequence;     ///< grows by one a message
    double stamp;          ///< the sender's time; NaN: none
    double received;       ///< when it was received
    BerthPose pose;        ///< world_from_object
} BerthMonitorPose;
/// Newest wins, as for joints.
BERTH_API void berth_monitor_receive_pose(BerthMonitor* monitor, const BerthMonitorPose* message);

/// Points of a cloud, all of them or a part: a cloud is complete, and fresh, when every point of `total` came.
typedef struct BerthMonitorPoints {
    int32_t cloud;      ///< by the order of the def
    uint64_t stream;    ///< another one: the sender began anew
    uint64_t sequence;  ///< of the cloud, the same in all of its parts
    double stamp;       ///< the sender's time; NaN: none
    double received;    ///< when it was received: the age of a cloud is that of its first part
    int32_t first;      ///< the number of the first of these points
    int32_t total;      ///< points of the whole cloud
    bool alive;         ///< the sensor says that it lives and looks: its empty cloud is free space
    /// In the world. One that is no number makes all of it a fault: what is there is not known
    const BerthVec3* points;
    int32_t count;  ///< points of this part
} BerthMonitorPoints;
/// A part of a cloud; the last one that is missing completes it.
BERTH_API void berth_monitor_receive_points(BerthMonitor* monitor, const BerthMonitorPoints* message);

/// Cells one behind the other: their numbers go along x, then y, then z.
typedef struct BerthCellRun {
    uint32_t first;          ///< number of the first one
    uint32_t count;          ///< > 0
    BerthCellColour colour;  ///< of all of them
} BerthCellRun;

/// Cells of a map: what changed since an earlier update, or all of them. In parts; it counts when every part came. Each cell is named at
/// most once.
typedef struct BerthMonitorCells {
    int32_t cloud;      ///< by the order of the def: one with a grid
    uint64_t stream;    ///< another one: the sender began anew
    uint64_t sequence;  ///< of the update, the same in all of its parts
    double stamp;       ///< the sender's time; NaN: none
    double received;    ///< when it was received: the age of an update is that of its first part
    bool whole;         ///< all cells: those that no part names are of the colour `rest`. False: what changed
    BerthCellColour rest;  ///< of a whole: FREE or UNKNOWN
    /// Of changes: every cell that changed after the update with this sequence is in it. One that rests on an update that did not come is
    /// dropped, so a sender that names the changes of its last few updates outlives the loss of as many
    uint64_t since;
    int32_t part;   ///< number of this part
    int32_t parts;  ///< how many there are: 1 to 65,536
    bool alive;     ///< the sensor says that it lives and looks: nothing changed is an answer then only
    const BerthCellRun* runs;  ///< of this part
    int32_t count;             ///< of `runs`
} BerthMonitorCells;
/// A part of an update; the last one that is missing completes it. Before a whole came, and after any fault of this map, changes
/// say nothing: there is no permit until a whole has come.
BERTH_API void berth_monitor_receive_cells(BerthMonitor* monitor, const BerthMonitorCells* message);

/// Another option of a choice is in force from the next cycle on. One that was not declared (-1) is a fault, MODEL.
typedef struct BerthMonitorSwitch {
    int32_t choice;     ///< by the order of the def
    int32_t option;     ///< of that choice, by the order of the def
    uint64_t stream;    ///< another one: the sender began anew
    uint64_t sequence;  ///< grows by one a message
    double stamp;       ///< the sender's time; NaN: none
    double received;    ///< when it was received
} BerthMonitorSwitch;
/// The next cycle begins with it.
BERTH_API void berth_monitor_switch(BerthMonitor* monitor, const BerthMonitorSwitch* message);
/// By name; -1 when there is none.
BERTH_API int32_t berth_monitor_find_source(const BerthMonitor* monitor, const char* name);
/// A cloud by name; -1 when there is none.
BERTH_API int32_t berth_monitor_find_cloud(const BerthMonitor* monitor, const char* name);
/// A choice by name; -1 when there is none.
BERTH_API int32_t berth_monitor_find_choice(const BerthMonitor* monitor, const char* name);
/// An option of a choice by name; -1 when there is none.
BERTH_API int32_t berth_monitor_find_option(const BerthMonitor* monitor, int32_t choice, const char* name);

/// At the start and after a fault: asks for permits. They come after `good_needed` good messages of each source, moving
/// object, person, cloud, and choice with a silence.
BERTH_API void berth_monitor_reset(BerthMonitor* monitor);
/// No permits any more: every further cycle is STOP, END.
BERTH_API void berth_monitor_end(BerthMonitor* monitor);

/// What one cycle decided.
typedef struct BerthPermit {
    uint64_t sequence;  ///< grows by one a cycle
    bool go;            ///< permitted until `valid_until`; false: STOP
    /// With STOP for nearness and `crawl`: until `valid_until` an arm may be backed out, away from everything that is too near and no
    /// faster than `crawl`. A receiver that does not know this stops
    bool retreat;
    double
        valid_until;    ///< of the clock that is passed in; for STOP without retreat the time of the decision
    BerthStop reason;   ///< why there is none; NONE when there is one
    BerthStop cause;    ///< what is latched and waits for a reset; NONE: nothing
    int32_t value;      ///< VALUE, LIMIT, JUMP: which; -1 otherwise
    int32_t source;     ///< LATE, SEQUENCE, SKEW, NO_STATE: whose; -1 otherwise
    int32_t body_a;     ///< nearest to its limit; -1 when there is no pair near
    int32_t body_b;     ///< the other body of that pair; -1 when there is none
    double distance;    ///< of these two, a lower bound
    double required;    ///< and what there must be
    BerthVec3 point_a;  ///< nearest point of the first, in the world
    BerthVec3 point_b;  ///< nearest point of the second, in the world
    double approach;  ///< metres per second at which they come nearer; what is not reported counts as fastest
    /// Seconds at the earliest: from this speed on as fast as accelerations and velocity limits allow; +infinity: never
    double time_to_contact;
    uint8_t model[32];  ///< hash of scene, settings, what can be chosen and what is
    /// Whose point the second body is (body_b is -1 then), or whose fault it is; -1 otherwise
    int32_t cloud;
    /// OBJECT, VALUE, JUMP, SEQUENCE, SKEW: the body of the moving object whose fault it is; -1 otherwise
    int32_t object;
    int32_t choice;  ///< MODEL, SEQUENCE, SKEW: the switch whose fault it is; -1 otherwise
    /// With `speed_scale`, 0 to 1: the largest share of their velocity limits, in steps of 1/32, at which all joints could go right now
    /// and this would be a permit. Advice: permits do not depend on it. 0 also where there is none for another reason than nearness
    double scale;
    int32_t scale_a;      ///< what a larger scale would bring too near; -1: nothing, at 1
    int32_t scale_b;      ///< and the other body; -1: none
    int32_t scale_cloud;  ///< or whose point it is; -1: no cloud's
    double age;  ///< seconds since the receipt of the oldest state that it rests on; NaN when there is none
} BerthPermit;
/// The decision of one cycle that began at `now`. Not yet to be sent: seal it, also when it is STOP.
BERTH_API void berth_monitor_cycle(BerthMonitor* monitor, double now, BerthPermit* out);
/// When the cycle is over: one that took longer than a period becomes STOP, OVERRUN. Counts the decision. Then it may
/// be sent.
BERTH_API void berth_monitor_seal(BerthMonitor* monitor, double finished, BerthPermit* permit);
/// Reports what the surroundings found wrong: OVERRUN, NUMBERS, MODEL. Latched. What is no reason becomes UNKNOWN.
BERTH_API void berth_monitor_fault(BerthMonitor* monitor, BerthStop stop);

/// What a monitor counted since it was made.
typedef struct BerthMonitorCounters {
    int64_t cycles;                    ///< decisions
    int64_t permits;                   ///< permits that were sealed
    int64_t stops[BERTH_STOP_COUNT];   ///< STOPs that were sealed, by reason
    int64_t messages;                  ///< received
    int64_t good;                      ///< messages that counted
    int64_t stale;                     ///< messages that came again or late, within `reorder`: ignored
    int64_t malformed;                 ///< messages that were not well formed
    int64_t pairs;                     ///< that the index found near
    int64_t distances;                 ///< that were computed
    int64_t refined;                   ///< pairs that the meshes looked at again
    int64_t faults[BERTH_STOP_COUNT];  ///< found or reported, whether or not there was a permit to take away
    int64_t refined_free;              ///< of those refined: proven far enough apart
    int64_t refine_spent;              ///< and: no nodes or time were left
    int64_t clouds;                    ///< and updates of maps: received whole
    int64_t incomplete;                ///< never completed, or rest on an update that did not come
    int64_t overflows;                 ///< clouds and updates of maps that were too large
    int64_t points;                    ///< compared with bodies
    int64_t switches;                  ///< of choices
    int64_t model_passes;              ///< of berth_monitor_check_model over all of it
    int64_t cells;                     ///< of maps: set by updates
    int64_t nodes;                     ///< of maps: opened
    /// Good messages with neither a stamp nor an echo: that they are no older than `latency` is assumed
    int64_t unstamped;
    int64_t retreats;  ///< permits to retreat that were sealed
} BerthMonitorCounters;
/// The counters as they are now.
BERTH_API BerthMonitorCounters berth_monitor_counters(const BerthMonitor* monitor);

/// One simple body that is guarded, as the last cycle left it.
typedef struct BerthSimpleBody {
    int32_t body;      ///< of the scene
    BerthShape shape;  ///< capsule, box or the scene's own shape
    BerthPose pose;    ///< in the world
    double buffer;     ///< metres that it can go until everything stands still
} BerthSimpleBody;
/// Simple bodies that are guarded.
BERTH_API int32_t berth_monitor_body_count(const BerthMonitor* monitor);
/// One of them, where the last cycle had it; 0 <= index < berth_monitor_body_count.
BERTH_API BerthSimpleBody berth_monitor_body(const BerthMonitor* monitor, int32_t index);
/// Seconds from a sample to the beginning of braking, for a message that was received `age` seconds ago.
BERTH_API double berth_monitor_horizon(const BerthMonitor* monitor, double age);
/// Bytes held.
BERTH_API size_t berth_monitor_bytes(const BerthMonitor* monitor);
/// What one value of the scene is taken to be able to do, the load that is in force counted. All zero for one that
/// moves nothing.
BERTH_API BerthJointLimit berth_monitor_limit(const BerthMonitor* monitor, int32_t value);
/// How many joints have no deceleration: they are taken to brake as hard as they accelerate. 0: nothing is assumed.
BERTH_API int32_t berth_monitor_braking_assumed(const BerthMonitor* monitor);
/// Pairs that their robot's table proves further apart than the margin and twice the model error: not looked at while the
/// joints between them can stop before their limits.
BERTH_API int32_t berth_monitor_proven_count(const BerthMonitor* monitor);

/// Compares the next `bytes` of what must not change - scene, robots, simple bodies, settings; with `refine` also
/// meshes - with the sums made at the start. False, and MODEL latched, when a part differs (from then on until a whole
/// pass is right), and when the scene was edited. A pass takes berth_monitor_model_bytes.
BERTH_API bool berth_monitor_check_model(BerthMonitor* monitor, size_t bytes);
/// Bytes of all that must not change.
BERTH_API size_t berth_monitor_model_bytes(const BerthMonitor* monitor);
/// How simple bodies cover one body of a scene, for people who want to see what is guarded.
typedef struct BerthSimpleBodyFit {
    int32_t count;       ///< simple bodies
    bool covered;        ///< proven: every point of the body is in one of them
    double volume;       ///< of them all, sum, m3
    double hull_volume;  ///< of the body's convex hull, m3; NaN when it has none
    /// Metres that those which were written reach beyond the body's convex hull, at most (an upper bound); NaN when it
    /// has none
    double protrusion;
} BerthSimpleBodyFit;
/// As a monitor of this def makes them. At most `capacity` are written to `bodies`, in the frame that the body moves
/// with (`buffer` is 0). The scene must be committed.
BERTH_API BerthStatus berth_simple_body_fit(const BerthScene* scene, int32_t body, const BerthMonitorDef* def,
                                            BerthSimpleBody* bodies, int32_t capacity,
                                            BerthSimpleBodyFit* out);

#ifdef __cplusplus
}
#endif
#endif
