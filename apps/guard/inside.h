// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The inside of a running guard. One thread, the loop, owns everything but the ring's far end, which is the scribe's.

#ifndef GUARD_INSIDE_H
#define GUARD_INSIDE_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "dds.h"
#include "guard.h"
#include "line.h"
#include "machine.h"

enum {
    DRAIN_MAX = 32,    ///< messages taken in a cycle
    RING_SIZE = 1024,  ///< notes under way to the scribe
    INPUT_BUFFER = 1 << 16,
    EXCEPTIONS_MAX = 24,
    BINS = 4096
};

// ---- counting ------------------------------------------------------------------------------------------------

/// How many fell into each microsecond; the last bin takes the rest. Written by the loop, read by the scribe.
typedef struct Histogram {
    _Atomic uint32_t bins[BINS];
    _Atomic uint32_t most;  ///< microseconds
    _Atomic uint64_t count;
} Histogram;
void histogram_add(Histogram* histogram, double seconds);
/// Microseconds that a share of all stayed within; the bin's upper end.
double histogram_at(const Histogram* histogram, double share);

/// What became of bytes that came.
typedef struct MailCounts {
    int64_t datagrams, taken;
    int64_t malformed;  ///< length, magic, version, checksum, text that is none
    int64_t strangers;  ///< sender not declared
    int64_t nameless;   ///< no source or object of that name
    int64_t resets;
    int64_t full;      ///< cycles that left messages for the next one
    int64_t unqueued;  ///< that the kernel dropped: its queue was full, or they were of strangers
} MailCounts;

typedef struct Tally {
    BerthMonitorCounters monitor;
    MailCounts mail;
    int64_t sent, unsent;
    int64_t late;       ///< cycles that were missed or began too late
    int64_t unwritten;  ///< notes that were dropped because the scribe was behind
    int64_t page_faults;
} Tally;

// ---- notes: from the loop to the scribe -----------------------------------------------------------------------

typedef enum NoteKind { NOTE_START, NOTE_CHANGE, NOTE_MAIL, NOTE_STATUS, NOTE_ASKED, NOTE_END } NoteKind;

typedef struct Note {
    NoteKind kind;
    int64_t cycle;
    double time;     ///< seconds since the start
    int64_t hidden;  ///< changes that were not told before this one
    BerthPermit permit;
    Tally tally;
} Note;

typedef struct Ring {
    Note notes[RING_SIZE];
    atomic_size_t head, tail;  ///< written by the loop, by the scribe
} Ring;
/// False when it is full.
bool ring_push(Ring* ring, const Note* note);
bool ring_pop(Ring* ring, Note* note);

typedef struct Scribe {
    pthread_t thread;
    bool runs;
    int log, out;  ///< files; -1: none
    bool patient;  ///< a replay waits for its readers, a live guard does not
    atomic_bool done, finished;
    atomic_llong dropped;  ///< lines that could not be written
    bool out_lost;         ///< lines of standard output
    int out_error;
    Line line;
} Scribe;

// ---- the loop's parts ------------------------------------------------------------------------------------------

typedef struct Address {
    struct sockaddr_storage at;
    socklen_t size;
    bool any_port;
} Address;

typedef enum InputKind {
    INPUT_FILE,
    INPUT_RECORD,
    INPUT_STREAM,
    INPUT_UDP,
    INPUT_DDS,
    INPUT_MOTION
} InputKind;

typedef struct Input {
    InputKind kind;
    bool ended;
    // a file of rows
    BerthTrajectory rows;
    int32_t next, unnamed;  ///< row; values that the file does not have
    bool differs;           ///< velocities are differences of rows
    double*
        differences;  ///< velocities by differences of rows; of a motion made up: how far each value swings
    // lines: recorded in memory, or from standard input
    char* text;
    size_t text_size, text_at;
    double first_stamp;
    bool skipping;  ///< the rest of a line that is too long
    int32_t* columns;
    int32_t column_count;
    // datagrams
    int file;
    int port;
    Address from[GUARD_LIST_MAX];
    int from_count;
    double empty_at, offset;  ///< when there was last nothing left; wall clock less monotonic
    bool jumped;              ///< the wall clock did since then: stamps of what is left tell nothing
    struct Datagrams* datagrams;
} Input;

typedef struct Output {
    int file;
    int count;  ///< of addresses
    bool dds;
    Address to[GUARD_LIST_MAX];
    bool json[GUARD_LIST_MAX];
    uint64_t stream;
    int64_t sent, unsent;
    char bytes[4096];
} Output;

typedef struct Exception {
    int64_t cycle;
    double cpu, wake, took;
    BerthStop reason;
} Exception;

typedef struct Guard {
    const GuardSettings* settings;
    BerthMonitor* monitor;
    BerthSafety safety;
    Machine machine;
    Watchdog dog;
    Input input;
    Output output;
    Dds* dds;            ///< null: neither heard nor told
    DdsCounts dds_told;  ///< what is in `mail` already
    Scribe scribe;
    Ring ring;
    BerthWireMessage message;
    double* positions;
    double* velocities;
    int32_t value_count;
    size_t slice;                              ///< bytes of the model that are looked at in a cycle
    BerthObjectId movers[GUARD_LIST_MAX * 8];  ///< objects that move by themselves
    int32_t mover_count;
    uint64_t reset_stream, reset_sequence;
    double fault_at;  ///< beginning of the last cycle in which something was wrong
    MailCounts mail;
    // time
    bool replay;
    double start;  ///< CLOCK_MONOTONIC of tick 0
    double zero;   ///< CLOCK_MONOTONIC at which the monitor's time is 0
    int64_t tick, cycle;
    int64_t late, late_permits;
    double now, last_now, first_time;  ///< of this cycle, the one before, the first: the monitor's time
    // what is told
    BerthPermit last, nearest;
    int64_t nearest_cycle;
    bool told, permitted;
    int64_t near_stops, other_stops;
    double note_credit, credit_time, last_status;
    int64_t hidden, unwritten, told_dropped;
    Note note;
    // measured
    Histogram cpu, wake, took;
    Exception exceptions[EXCEPTIONS_MAX];
    int64_t exception_count;
} Guard;

/// The monitor's time now: CLOCK_MONOTONIC, or the replay's own.
double guard_time(const Guard* guard);
Tally guard_tally(const Guard* guard);

// ---- messages in ---------------------------------------------------------------------------------------------

bool input_open(Guard* guard, GuardError* error);
void input_close(Guard* guard);
/// Hands what came up to `now` to the monitor: at most DRAIN_MAX messages.
void input_drain(Guard* guard, double now);

bool input_open_rows(Guard* guard, GuardError* error);
void input_drain_rows(Guard* guard, double now);
bool input_open_record(Guard* guard, GuardError* error);
void input_drain_record(Guard* guard, double now);
bool input_open_stream(Guard* guard, GuardError* error);
void input_drain_stream(Guard* guard, double now);
bool input_open_udp(Guard* guard, const char* address, GuardError* error);
void input_drain_udp(Guard* guard, double now);
void input_close_udp(Guard* guard);
/// Lets the kernel turn strangers away. False when it cannot.
bool filter_attach(const Input* input);
/// How many datagrams the kernel dropped.
void filter_count(Guard* guard);
bool input_open_motion(Guard* guard, GuardError* error);
void input_drain_motion(Guard* guard, double now);
/// DDS, for input and output together; nothing when neither asks for it.
bool ros_open(Guard* guard, GuardError* error);
void ros_close(Guard* guard);
void ros_drain(Guard* guard, double now);

/// HOST:PORT, or HOST alone when any port will do.
bool address_read(const char* text, bool needs_port, Address* out, GuardError* error);
bool address_is_loopback(const Address* address);
bool address_matches(const Address* declared, const struct sockaddr_storage* sender);

/// One message in either form.
void mail_take(Guard* guard, const void* bytes, size_t size, double received);
/// The one in guard->message.
void mail_deliver(Guard* guard, double received);
/// Values of all joints, in the scene's order, to the sources that tell them.
void mail_values(Guard* guard, uint64_t sequence, const double* positions, const double* velocities,
                 double received);
/// Moving objects stand where the scene has them.
void mail_standing(Guard* guard, uint64_t sequence, double received);
void mail_reset(Guard* guard);

// ---- permits out ---------------------------------------------------------------------------------------------

bool output_open(Guard* guard, GuardError* error);
void output_send(Guard* guard, const BerthPermit* permit);
void output_close(Guard* guard);

// ---- texts ---------------------------------------------------------------------------------------------------

bool scribe_start(Guard* guard, GuardError* error);
/// What the guard itself takes without proof, beside the scene's.
typedef struct GuardAssumed {
    const char *what, *words;
    int64_t count;  ///< 0: not here
} GuardAssumed;
enum { GUARD_ASSUMED_COUNT = 4 };
/// Returns the sum of the counts.
int64_t guard_assumed(const Guard* guard, GuardAssumed out[GUARD_ASSUMED_COUNT]);
/// Waits for what is under way; at most so many seconds.
void scribe_stop(Guard* guard, double seconds);
void event_write(const Guard* guard, const Note* note, bool json, Line* line);
/// Writes what was measured to standard output. In the loop's thread, after the scribe.
void bench_print(Guard* guard);
void stats_write(const Guard* guard, const Note* note, Line* line);

#endif
