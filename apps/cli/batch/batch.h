// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth batch`: reading rows piece by piece, keeping what is finished, and the work itself.
//
// Rows are processed in units of a fixed size. A unit's answer is a record and a payload: verdicts, and bounds if requested.
// Finished units are in OUT.npy.part, each at its own position, and are copied to OUT.npy when none is missing.

#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include <pthread.h>

#include "cli/question.h"

enum {
    UNIT_STATES = 4096,   ///< rows of a unit
    UNIT_SEGMENTS = 256,  ///< the same for segments, which take longer
    PART_HEADER = 4096,   ///< bytes before the first unit of a .part
    BATCH_TEXT = 2400     ///< bytes of a message
};

// ---- units -----------------------------------------------------------------------------------------------------

/// The record of a finished unit, laid out as in the file: no gaps, little-endian.
typedef struct UnitRecord {
    uint64_t check;  ///< checksum over what follows and the payload: a damaged or foreign unit does not count
    uint64_t input;  ///< hash of its rows
    int64_t unit;    ///< its number
    int64_t outside_count;  ///< values outside joint limits
    int32_t row_count;
    int32_t outside_rows;
    int32_t first_outside;  ///< in the unit, or -1
    int32_t proven_count;
    int32_t counts[3];  ///< by BerthVerdict
    int32_t reserved;
} UnitRecord;

/// A unit in transit: from a thread, or from another machine, to the file.
typedef struct UnitAnswer {
    UnitRecord record;
    uint8_t* verdicts;   ///< unit_rows
    double* clearances;  ///< unit_rows, or null
    int exit_status;     ///< not EXIT_FREE: it failed, and `text` gives the reason
    char text[BATCH_TEXT];
} UnitAnswer;

uint64_t batch_hash(uint64_t seed, const void* bytes, size_t size);

// ---- unfinished work -------------------------------------------------------------------------------------------

/// OUT.npy.part: a header of lines for people and programs, then units at fixed positions.
typedef struct BatchPart {
    char path[4200];
    int descriptor;  ///< < 0: closed
    int32_t unit_rows;
    bool clearances;
    size_t stride;        ///< bytes of a unit
    char* buffer;         ///< of one unit
    int64_t known_units;  ///< number of units that fit in the file when it is opened again
    uint8_t* done;        ///< known_units entries: the unit is finished and intact
    int64_t done_count;
    bool any_written;  ///< a unit was written, or already existed
} BatchPart;

/// What must match for a .part to be resumed: the lines of its header.
typedef struct PartHeader {
    char lines[PART_HEADER];
} PartHeader;

/// Creates the file, or with --resume opens the existing one. EXIT_FREE, or a status after a message.
int part_open(BatchPart* part, const Question* question, const PartHeader* header, int32_t unit_rows);
/// Reads unit `unit`; false if it is missing or damaged.
bool part_read_unit(BatchPart* part, int64_t unit, UnitAnswer* out);
/// Sets the record's checksum and writes the unit. EXIT_FREE, or a status after a message.
int part_write_unit(BatchPart* part, UnitAnswer* answer);
/// Copies all units to `output`, and bounds to `clearance_output` (may be null), and removes the file. EXIT_FREE, or a status
/// after a message.
int part_finish(BatchPart* part, int64_t row_count, const char* output, const char* clearance_output);
/// Closes the file, and removes it if nothing was written. May be called for a part that was never opened.
void part_close(BatchPart* part);

// ---- the job ---------------------------------------------------------------------------------------------------

/// Which units to work on: those in the list, then all from `next` on.
typedef struct UnitList {
    const int64_t* units;
    int64_t count;
    int64_t next;   ///< the first unit after them
    int64_t after;  ///< how many units from `next` on; -1: to the end of the file
} UnitList;

typedef struct BatchJob {
    Question* question;
    BerthBatchDef def;
    const char* file;   ///< of rows
    const char* items;  ///< "states" or "segments"
    BerthRows* rows;
    BerthBatch* batch;
    int32_t unit_rows;
    int64_t row_count;  ///< -1: not known yet
    BatchPart part;     ///< closed if there is no -o

    // results; guarded by the mutex
    pthread_mutex_t mutex;
    int64_t unit_end;    ///< number of units of all rows; -1: not known yet
    int64_t unit_count;  ///< number of finished units
    AnswerCounts counts;
    int64_t outside_rows, first_outside;
    int64_t resumed;  ///< rows that were already done
    double seconds;   ///< of checking
    double start, shown;
    bool verifying;  ///< existing units are being compared with the rows
} BatchJob;

/// Works on these units and gives each to `accept`, in order, from one thread. EXIT_FREE; EXIT_INTERRUPTED when it was
/// stopped; else a status after a message.
int batch_run_units(BatchJob* job, const UnitList* list, int (*accept)(BatchJob* job, UnitAnswer* answer));
/// Adds a finished unit to the counts and to the file, and shows the progress. Any thread. EXIT_FREE, or a status after a
/// message.
int batch_accept(BatchJob* job, UnitAnswer* answer);
/// Before anything is added to an existing file: checks that all of its units belong to these rows. `*holes` (to be
/// freed, also after a failure) then lists the missing units. Returns as batch_run_units.
int batch_compare_done(BatchJob* job, int64_t** holes, int64_t* hole_count);
/// Tells the job how many units the file has; -1: unknown. Any thread.
void batch_note_end(BatchJob* job, int64_t unit_end);
/// All of the work: existing units are compared, the rest is computed. Returns as batch_run_units.
int batch_run(BatchJob* job);
/// Ends the progress line.
void batch_end_progress(BatchJob* job);

// ---- many machines ---------------------------------------------------------------------------------------------

/// How many processes mpirun started, including this one; 1 without mpirun.
int batch_net_size(void);
/// The rank of this process according to the environment.
int batch_net_rank(void);
/// All of the work, shared by all processes. The first one has the file and the answer; the others return EXIT_FREE when
/// it is complete.
int batch_net_run(BatchJob* job, const PartHeader* header);

#endif
