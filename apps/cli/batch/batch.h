// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth batch`: rows that are read piece by piece, what is finished and where it lies, the work on it.
//
// Rows are taken in units of a fixed size. A unit's answer is a record and a payload: verdicts, and bounds where they are
// wanted. Finished units lie in OUT.npy.part, each at its place, and are copied to OUT.npy when none is missing.

#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include <pthread.h>

#include "cli/question.h"

enum {
    UNIT_STATES = 4096,   ///< rows of a unit
    UNIT_SEGMENTS = 256,  ///< the same of segments, which take longer
    PART_HEADER = 4096,   ///< bytes before the first unit of a .part
    BATCH_TEXT = 2400     ///< bytes of a message
};

// ---- units -----------------------------------------------------------------------------------------------------

/// What is known of a finished unit. As it lies in the file: no gaps, little-endian.
typedef struct UnitRecord {
    uint64_t check;         ///< over all of what follows and the payload: a torn or foreign unit is none
    uint64_t input;         ///< hash of the rows that were asked about
    int64_t unit;           ///< its number
    int64_t outside_count;  ///< values outside joint limits
    int32_t row_count;
    int32_t outside_rows;
    int32_t first_outside;  ///< in the unit, or -1
    int32_t proven_count;
    int32_t counts[3];  ///< by BerthVerdict
    int32_t reserved;
} UnitRecord;

/// A unit on its way: from a thread, or from another machine, to the file.
typedef struct UnitAnswer {
    UnitRecord record;
    uint8_t* verdicts;   ///< unit_rows
    double* clearances;  ///< unit_rows, or null
    int exit_status;     ///< not EXIT_FREE: it failed, and `text` says why
    char text[BATCH_TEXT];
} UnitAnswer;

uint64_t batch_hash(uint64_t seed, const void* bytes, size_t size);

// ---- unfinished work -------------------------------------------------------------------------------------------

/// OUT.npy.part: a header of lines for people and programs, then units at their places.
typedef struct BatchPart {
    char path[4200];
    int descriptor;  ///< < 0: closed
    int32_t unit_rows;
    bool clearances;
    size_t stride;        ///< bytes of a unit
    char* buffer;         ///< of one unit
    int64_t known_units;  ///< places that the file has when it is opened again
    uint8_t* done;        ///< known_units: it is finished, and whole
    int64_t done_count;
    bool any_written;  ///< a unit was written, or was there
} BatchPart;

/// What a .part must agree in to be gone on with: the lines of its header.
typedef struct PartHeader {
    char lines[PART_HEADER];
} PartHeader;

/// Makes the file, or with --resume opens the one that is there. EXIT_FREE, or a status after a message.
int part_open(BatchPart* part, const Question* question, const PartHeader* header, int32_t unit_rows);
/// Reads unit `unit`; false when it is not there, or not whole.
bool part_read_unit(BatchPart* part, int64_t unit, UnitAnswer* out);
/// Sets the record's check and writes the unit. EXIT_FREE, or a status after a message.
int part_write_unit(BatchPart* part, UnitAnswer* answer);
/// Copies all units to `output`, and bounds to `clearance_output` (may be null), and removes the file. EXIT_FREE, or a status
/// after a message.
int part_finish(BatchPart* part, int64_t row_count, const char* output, const char* clearance_output);
/// Closes it; removes it when nothing was written. A part that was never opened is fine.
void part_close(BatchPart* part);

// ---- the job ---------------------------------------------------------------------------------------------------

/// Which units to work on: some that are listed, then all from `next` on.
typedef struct UnitList {
    const int64_t* units;
    int64_t count;
    int64_t next;   ///< the first unit behind them
    int64_t after;  ///< how many there are from `next` on; -1: until the end of the file
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
    BatchPart part;     ///< closed when there is no -o

    // what came out; guarded by the mutex
    pthread_mutex_t mutex;
    int64_t unit_end;    ///< units of all rows; -1: not known yet
    int64_t unit_count;  ///< that are finished
    AnswerCounts counts;
    int64_t outside_rows, first_outside;
    int64_t resumed;  ///< rows that were there already
    double seconds;   ///< of checking
    double start, shown;
    bool verifying;  ///< units that are there are compared with the rows
} BatchJob;

/// Works on these units and gives each to `accept`, in order, from one thread. EXIT_FREE; EXIT_INTERRUPTED when it was
/// stopped; else a status after a message.
int batch_run_units(BatchJob* job, const UnitList* list, int (*accept)(BatchJob* job, UnitAnswer* answer));
/// Adds a finished unit to the counts and to the file, and tells how far it is. Any thread. EXIT_FREE, or a status after a
/// message.
int batch_accept(BatchJob* job, UnitAnswer* answer);
/// Before anything is added to what is there: is all of it of these rows? Then `*holes` (to be freed, also after a failure) has
/// the units that are missing among the places that the file has. As batch_run_units.
int batch_compare_done(BatchJob* job, int64_t** holes, int64_t* hole_count);
/// The file has so many units; -1 says nothing. Any thread.
void batch_note_end(BatchJob* job, int64_t unit_end);
/// All of the work: what is there is compared, the rest is asked. As batch_run_units.
int batch_run(BatchJob* job);
/// Ends the line that tells how far it is.
void batch_end_progress(BatchJob* job);

// ---- many machines ---------------------------------------------------------------------------------------------

/// How many processes mpirun started, this one among them; 1 without it.
int batch_net_size(void);
/// Which of them this one is, as far as the environment says.
int batch_net_rank(void);
/// All of the work on all of them. The first one has the file and the answer; the others return EXIT_FREE when it has all.
int batch_net_run(BatchJob* job, const PartHeader* header);

#endif
