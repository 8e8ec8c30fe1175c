// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The guard's loop: messages in, a permit or STOP out every cycle. What `berth monitor` asks of it. docs/theory/monitor.md says
// what it promises. It can only take permission away, behind a rated device.

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
    GUARD_INTERRUPTED = 130  ///< a replay was cut short
};

/// What a fault laboratory may ask for, at one cycle.
typedef enum GuardFault {
    GUARD_FAULT_NONE = 0,
    GUARD_FAULT_DELAY,     ///< the cycle takes `fault_seconds` longer
    GUARD_FAULT_HANG,      ///< the cycle never ends
    GUARD_FAULT_ROUNDING,  ///< the processor rounds upward from there on
    GUARD_FAULT_FLUSH,     ///< the processor flushes small numbers to zero from there on
    GUARD_FAULT_MODEL,     ///< one bit of the model in memory changes
} GuardFault;

typedef struct GuardSettings {
    const BerthScene* scene;
    const BerthIoOptions* io;
    const char* scene_name;
    BerthMonitorDef def;  ///< its sources are those of the command line
    BerthMonitorLab lab;  ///< for `def`
    const char* input;
    const char* outputs[GUARD_LIST_MAX];  ///< udp:HOST:PORT, json:HOST:PORT
    int output_count;
    const char* from[GUARD_LIST_MAX];  ///< HOST or HOST:PORT that may send; none: any, on loopback only
    int from_count;
    const char* topics[GUARD_LIST_MAX];  ///< ROS 2 topics of clouds, objects and transforms
    int topic_count;
    const char* frames[GUARD_LIST_MAX];  ///< frames in which they are told
    int frame_count;
    const char* key;     ///< file with the key that messages are signed with, or null
    bool trust_network;  ///< what is not signed is believed on other interfaces than loopback, too
    const char* log;     ///< file, or null
    const char* stats;   ///< file, or null
    const char* rows;    ///< file with a row a cycle, or null
    int rows_every;      ///< of so many cycles one, and those that change something
    int64_t rows_most;   ///< no more rows than this
    bool json, quiet;
    bool fast;           ///< replay with simulated time, as fast as possible
    bool not_real_time;  ///< do not ask for real-time rights
    bool auto_start;     ///< replay: reset after every fault
    bool objects_stand;  ///< replay: moving objects are where the scene has them
    bool differences;    ///< replay: speeds are differences of rows
    bool interpolate;    ///< replay: a message every cycle, on the motion between rows
    double rate;         ///< rows a second of a file without times; 0: one a cycle
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

/// What went wrong before the first cycle.
typedef struct GuardError {
    int status;
    bool about_file;  ///< the text begins with the file's name
    char text[600];
    bool assumed;  ///< no error: the run took something without proof that the scene does not list
} GuardError;

/// Standard files that are closed are held, so that no file or socket is opened in their place and written to as if it were one; what
/// is written to them still fails. Before anything is opened.
void guard_hold_standard_files(void);
/// Runs to the end and returns the exit status. Before the first cycle: GUARD_WRONG or GUARD_MACHINE with a text.
int guard_run(const GuardSettings* settings, GuardError* error);
/// Keeps a text; returns false.
bool guard_fail(GuardError* error, int status, const char* format, ...) __attribute__((format(printf, 3, 4)));

#endif
