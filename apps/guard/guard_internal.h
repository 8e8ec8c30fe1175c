// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Internal to a running guard. One thread, the loop, owns everything except the
// reading end of the event ring, which belongs to the log writer's thread.

#ifndef GUARD_INTERNAL_H
#define GUARD_INTERNAL_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "dds.h"
#include "guard.h"
#include "line.h"
#include "machine.h"

enum {
    DRAIN_MAX = 32,    ///< most messages processed in a cycle
    RING_SIZE = 1024,  ///< most events queued for the log writer
    INPUT_BUFFER = 1 << 16,
    EXCEPTIONS_MAX = 24,
    HISTOGRAM_BINS = 4096
};

// ---- counting ------------------------------------------------------------------------------------------------

/// Counts per microsecond; the last bin counts everything above. Written by the loop, read by the log writer.
typedef struct Histogram {
    _Atomic uint32_t bins[HISTOGRAM_BINS];
    _Atomic uint32_t maximum;  ///< microseconds
    _Atomic uint64_t count;
} Histogram;
void histogram_add(Histogram* histogram, double seconds);
/// The microseconds within which a given share of the counts lies; the bin's upper end.
double histogram_quantile(const Histogram* histogram, double share);

/// What became of the received messages.
typedef struct MessageCounts {
    int64_t datagrams, taken;
    int64_t malformed;  ///< wrong length, magic, version, checksum or text
    int64_t strangers;  ///< sender not declared
    int64_t nameless;   ///< no source or object has that name
    int64_t forged;     ///< with a key: not signed, or signed with another key
    int64_t replayed;   ///< with a key: signed under a nonce other than the present one
    int64_t misfits;    ///< states for another model, or for other joints
    int64_t resets;
    int64_t full;      ///< cycles that left messages for the next one
    int64_t unqueued;  ///< dropped by the kernel: full queue, or undeclared sender
} MessageCounts;

typedef struct GuardCounts {
    BerthMonitorCounters monitor;
    MessageCounts message_counts;
    int64_t sent, unsent;
    int64_t late;           ///< cycles that were missed or started too late
    int64_t unwritten;      ///< events dropped because the log writer was too slow
    int64_t rows_left_out;  ///< --rows: beyond --rows-most, or the log writer was too slow
    int64_t page_faults;
} GuardCounts;

// ---- events: from the loop to the log writer --------------------------------------------------------------------

typedef enum EventKind {
    EVENT_START,
    EVENT_CHANGE,
    EVENT_DROPPED,
    EVENT_STATUS,
    EVENT_STATS_REQUEST,
    EVENT_ROW,  ///< for --rows; without counts
    EVENT_END
} EventKind;

typedef struct Event {
    EventKind kind;
    int64_t cycle;
    double time;     ///< seconds since the start
    int64_t hidden;  ///< earlier changes that were not reported
    double took;     ///< EVENT_ROW: seconds from the start of the cycle until its permit was sent
    uint64_t nonce;  ///< with a key: messages must be signed under it
    BerthPermit permit;
    GuardCounts counts;
} Event;

typedef struct EventRing {
    Event events[RING_SIZE];
    atomic_size_t head, tail;  ///< head is written by the loop, tail by the log writer
} EventRing;
/// Whether at most half of it is used: rows leave the rest to events that must be reported.
bool event_ring_has_room(const EventRing* ring);
/// False if it is full.
bool event_ring_push(EventRing* ring, const Event* event);
bool event_ring_pop(EventRing* ring, Event* event);

typedef struct LogWriter {
    pthread_t thread;
    bool runs;
    int log, out, rows;      ///< files; -1: none
    bool waits_for_readers;  ///< true for a replay, false for a live guard
    atomic_bool done, finished;
    atomic_llong dropped;  ///< lines that could not be written
    bool out_lost;         ///< lines of standard output were lost
    int out_error;
    long long log_lost;  ///< lost lines of the log
    int log_error;
    long long rows_lost;  ///< rows that could not be written
    int rows_error;
    int stats_error;   ///< errno of the last attempt to write the statistics; 0: it succeeded
    char stats[4096];  ///< their file, with links resolved
    Line line;
} LogWriter;

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
    int32_t next, unnamed_count;  ///< row; number of values missing in the file
    bool uses_differences;        ///< velocities are computed from differences of rows
    double*
        differences;  ///< velocities from differences of rows; for a generated motion: the amplitude of each value
    BerthInterpolation between;  ///< interpolation from row to row
    BerthCurve* curves;          ///< of the segment between two rows
    double* speeds;              ///< velocities at a point of it
    BerthVec3* seen;             ///< for a generated motion: the points of its clouds
    // lines: recorded in memory, or from standard input
    char* text;
    size_t text_size, text_offset;
    double first_stamp;
    bool skipping;  ///< skipping the rest of a line that is too long
    int32_t* columns;
    int32_t column_count;
    // datagrams
    int file;
    int port;
    Address from[GUARD_LIST_MAX];
    int from_count;
    bool beyond_loopback;           ///< other machines may send
    double empty_at, clock_offset;  ///< when the queue was last empty; wall clock minus monotonic clock
    bool clock_jumped;  ///< the wall clock has jumped since then: stamps of queued messages are meaningless
    bool unstamped;     ///< the kernel does not say when datagrams came
    struct Datagrams* datagrams;
} Input;

typedef struct Output {
    int file;
    int count;  ///< of addresses
    bool dds;
    Address to[GUARD_LIST_MAX];
    bool json[GUARD_LIST_MAX];
    uint64_t answers[GUARD_LIST_MAX];  ///< with a key: stream of the last message from there; 0: none
    uint64_t stream;
    int64_t sent, unsent;
    char bytes[4096];
} Output;

/// Which addresses may send.
typedef struct Trust {
    bool has_key, was_faulty;
    BerthWireKey key;
    uint64_t nonce;
} Trust;

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
    Watchdog watchdog;
    Input input;
    Output output;
    Dds* dds;               ///< null: DDS is used neither for input nor for output
    Sensed* sensed;         ///< null: no cloud or pose is received through DDS
    DdsCounts dds_counted;  ///< what message_counts already includes
    LogWriter log_writer;
    EventRing event_ring;
    Trust trust;
    const struct sockaddr_storage* sender;  ///< of the current message; null: it is not a datagram
    BerthWireMessage message;
    double* positions;
    double* velocities;
    double *source_positions,
        *source_velocities;  ///< scratch for one source, which may have more values than any message
    int32_t value_count;
    size_t model_slice_bytes;                  ///< bytes of the model that are verified in a cycle
    BerthObjectId movers[GUARD_LIST_MAX * 8];  ///< objects that move on their own
    int32_t mover_count;
    uint64_t reset_stream, reset_sequence;
    double last_fault_time;  ///< start of the last cycle with a fault
    MessageCounts message_counts;
    // time
    bool replay;
    double start;      ///< CLOCK_MONOTONIC of tick 0
    double time_zero;  ///< CLOCK_MONOTONIC at which the monitor's time is 0
    int64_t tick, cycle;
    int64_t late, late_permits;
    double now, last_now, first_time;  ///< the monitor's time in this cycle, the previous one and the first
    // what was reported
    BerthPermit last_permit, nearest_permit;
    int64_t nearest_cycle;
    bool reported_start, had_permit;
    int64_t near_stops, other_stops;
    double event_credit, credit_time, last_status;
    int64_t hidden, unwritten, reported_dropped;
    int64_t row_count, rows_left_out;
    Event event;
    // measured
    Histogram cpu, wake, took;
    Exception exceptions[EXCEPTIONS_MAX];
    int64_t exception_count;
} Guard;

/// The monitor's present time: CLOCK_MONOTONIC, or the replay's own time.
double guard_time(const Guard* guard);
GuardCounts guard_counts(const Guard* guard);

// ---- messages in ---------------------------------------------------------------------------------------------

bool input_open(Guard* guard, GuardError* error);
void input_close(Guard* guard);
/// Passes the messages received up to `now` to the monitor, at most DRAIN_MAX.
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
/// Makes the kernel drop datagrams from undeclared senders. False if it cannot.
bool filter_attach(const Input* input);
/// How many datagrams the kernel dropped.
void filter_count(Guard* guard);
bool input_open_motion(Guard* guard, GuardError* error);
void input_drain_motion(Guard* guard, double now);
/// Opens DDS for input and output; does nothing if neither uses it.
bool ros_open(Guard* guard, GuardError* error);
void ros_close(Guard* guard);
void ros_drain(Guard* guard, double now);

/// Reads HOST:PORT, or HOST alone for any port.
bool address_read(const char* text, bool needs_port, Address* out, GuardError* error);
bool address_is_loopback(const Address* address);
bool address_matches(const Address* declared, const struct sockaddr_storage* sender);

/// Reads the key, if there is one. Call it before anything else is opened.
bool trust_open(Guard* guard, GuardError* error);
/// 53 random bits; *good is false if none are available.
uint64_t trust_draw(bool* good);
/// Whether messages may be sent to or received from there.
bool trust_check_address(const Guard* guard, const char* option, const char* text, const Address* address,
                         GuardError* error);
bool trust_check_dds(const Guard* guard, GuardError* error);
/// Whether guard->message, read from these bytes, was signed with the key and under the present nonce. Counts those that
/// were not.
bool trust_admit(Guard* guard, const void* bytes);
/// Call it after each cycle: the nonce changes when a fault begins.
void trust_renew_nonce(Guard* guard, bool fault);
/// Signs a written message if there is a key. Returns its size; 0 if there is not enough room.
size_t trust_sign(const Guard* guard, void* bytes, size_t size, size_t room, uint64_t answer);

/// Decodes one message of either form and delivers it.
void messages_receive(Guard* guard, const void* bytes, size_t size, double received);
/// Delivers the message in guard->message to the monitor.
void messages_deliver(Guard* guard, double received);
/// Delivers the values of all joints, in the scene's order, to the sources that have them.
void messages_deliver_values(Guard* guard, uint64_t sequence, const double* positions,
                             const double* velocities, double received);
/// Delivers the poses that moving objects have in the scene.
void messages_deliver_standing_objects(Guard* guard, uint64_t sequence, double received);
void guard_reset_monitor(Guard* guard);

// ---- permits out ---------------------------------------------------------------------------------------------

bool output_open(Guard* guard, GuardError* error);
void output_send(Guard* guard, const BerthPermit* permit);
void output_close(Guard* guard);

// ---- texts ---------------------------------------------------------------------------------------------------

bool log_writer_start(Guard* guard, GuardError* error);
/// What the guard itself assumes, besides what the scene assumes.
typedef struct GuardAssumed {
    const char *what, *words;
    int64_t count;  ///< 0: does not apply
} GuardAssumed;
enum { GUARD_ASSUMED_COUNT = 9 };
/// Returns the sum of the counts. The caller passes the number of `unstamped` messages, because the monitor's counters
/// belong to the loop; the log writer, another thread, gets them from its event.
int64_t guard_list_assumed(const Guard* guard, int64_t unstamped, GuardAssumed out[GUARD_ASSUMED_COUNT]);
/// Writes the events that are still in the ring; waits at most so many seconds.
void log_writer_stop(Guard* guard, double seconds);
/// After the end: whether something that had to be written was not; with a text.
bool log_writer_report_loss(const Guard* guard, GuardError* error);
/// The first line of --rows.
extern const char event_row_header[];
void event_write(const Guard* guard, const Event* event, bool json, Line* line);
/// Writes the measurements to standard output; false on failure. Called in the loop's thread, after the log writer has ended.
bool bench_print(Guard* guard);
void stats_write(const Guard* guard, const Event* event, Line* line);

#endif
