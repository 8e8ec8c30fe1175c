// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The guard's loop: receives messages, and sends a permit or STOP every cycle. This is its interface to `berth monitor`.
// docs/theory/monitor.md says what it promises. It can only take permission away, behind a rated device.

#ifndef GUARD_H
#define GUARD_H

#include <berth/berth.h>
#include <berth/lab/monitor.h>

#define GUARD_SENTENCE "it can only take permission away, behind a rated device"

enum { GUARD_LIST_MAX = 32 };

/// Exit statuses beyond those of every command.
enum {
    GUARD_CLEAN = 0,
    GUARD_NEAR = 1,     ///< a replay stopped because bodies came too near
    GUARD_WRONG = 2,    ///< the request is wrong
    GUARD_STOPPED = 3,  ///< a replay stopped for another reason, or never had a permit
    GUARD_MACHINE = 4,
    GUARD_HUNG = 5,          ///< the watchdog ended it
    GUARD_INTERRUPTED = 130  ///< a replay was interrupted
};

/// Faults that can be injected at one cycle, for tests.
typedef enum GuardFault {
    GUARD_FAULT_NONE = 0,
    GUARD_FAULT_DELAY,     ///< the cycle takes `fault_seconds` longer
    GUARD_FAULT_HANG,      ///< the cycle never ends
    GUARD_FAULT_ROUNDING,  ///< the processor rounds upward from then on
    GUARD_FAULT_FLUSH,     ///< the processor flushes small numbers to zero from then on
    GUARD_FAULT_MODEL,     ///< one bit of the model in memory changes
} GuardFault;

typedef struct GuardSettings {
    const BerthScene* scene;
    const BerthIoOptions* io;
    const char* scene_name;
    BerthMonitorDef def;  ///< its sources come from the command line
    BerthMonitorLab lab;  ///< for `def`
    const char* input;
    const char* outputs[GUARD_LIST_MAX];  ///< udp:HOST:PORT, json:HOST:PORT
    int output_count;
    const char* from[GUARD_LIST_MAX];  ///< HOST or HOST:PORT that may send; none: any, on loopback only
    int from_count;
    const char* topics[GUARD_LIST_MAX];  ///< ROS 2 topics of clouds, objects and transforms
    int topic_count;
    const char* frames[GUARD_LIST_MAX];  ///< frames of their messages
    int frame_count;
    const char* key;     ///< file with the key that messages are signed with, or null
    bool trust_network;  ///< unsigned messages are accepted on interfaces other than loopback, too
    const char* log;     ///< file, or null
    const char* stats;   ///< file, or null
    const char* rows;    ///< file with one row per cycle, or null
    int rows_every;      ///< one row for this many cycles, and one for each change
    int64_t rows_most;   ///< the most rows to write
    bool json, quiet;
    bool fast;           ///< replay with simulated time, as fast as possible
    bool not_real_time;  ///< do not ask for real-time rights
    bool auto_start;     ///< replay: reset after every fault
    bool objects_stand;  ///< replay: moving objects stay where the scene has them
    bool differences;    ///< replay: speeds are computed from differences of rows
    bool interpolate;    ///< replay: a message every cycle, on the motion between rows
    double rate;         ///< rows per second of a file without times; 0: one per cycle
    double speed;        ///< of a replay; 1: as recorded
    int64_t cycles;      ///< 0: no end
    double seconds;      ///< 0: no end
    bool bench;
    int priority;     ///< of SCHED_FIFO
    double watchdog;  ///< seconds
    GuardFault fault;
    int64_t fault_cycle;
    double fault_seconds;
} GuardSettings;

/// An error before the first cycle.
typedef struct GuardError {
    int status;
    bool about_file;  ///< the text begins with the name of the file
    char text[600];
    bool assumed;  ///< not an error: the run assumed something that the scene does not list
} GuardError;

/// Occupies the descriptors of closed standard files, so that no other file or socket gets their numbers and is written
/// to by mistake; writing to them still fails. Call it before anything is opened.
void guard_hold_standard_files(void);
/// Runs to the end and returns the exit status. An error before the first cycle gives GUARD_WRONG or GUARD_MACHINE, with
/// a text.
int guard_run(const GuardSettings* settings, GuardError* error);
/// Stores an error text; returns false.
bool guard_fail(GuardError* error, int status, const char* format, ...) __attribute__((format(printf, 3, 4)));

#endif
