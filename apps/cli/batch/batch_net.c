// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Many processes. The first one has the file: it hands out units, about a second's worth at a time, processes some itself, and
// writes the answers that come back. The others read the same scene and rows, and send answers. If one fails, mpirun ends them
// all, and --resume does what was not written.
// Entries: batch_net_size, batch_net_rank, batch_net_run.

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "mpi/transport.h"

#ifndef BATCH_MODULE_FROM_PROGRAM
#define BATCH_MODULE_FROM_PROGRAM "../libexec/berth"
#endif

enum { HANDOUT_MOST = 4096, POLL_NANOSECONDS = 300000 };

/// Kinds of messages.
enum {
    SAY_HELLO = 1,  ///< to the first: what this process reads, as a PartHeader
    SAY_ASK,        ///< to the first: a Request, after all earlier units have been sent
    SAY_UNIT,       ///< to the first: a finished unit
    SAY_FAILED,     ///< to the first: a Request; the reason was already printed
    SAY_WORK,       ///< to another: unit numbers
    SAY_END         ///< to another: there is no more
};

typedef struct Request {
    int64_t want;      ///< units
    int64_t unit_end;  ///< units that the file has, or -1
    int64_t exit_status;
} Request;

// ---- what mpirun says --------------------------------------------------------------------------------------------

static int read_number(const char* const* names, int otherwise) {
    for (int i = 0; names[i] != NULL; ++i) {
        const char* text = getenv(names[i]);
        if (text != NULL && text[0] >= '0' && text[0] <= '9') {
            return atoi(text);
        }
    }
    return otherwise;
}

int batch_net_size(void) {
    static const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
    return read_number(names, 1);
}

int batch_net_rank(void) {
    static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", NULL};
    return batch_net_size() > 1 ? read_number(names, 0) : 0;
}

// ---- the module --------------------------------------------------------------------------------------------------

// Beside the program, or at the installed place relative to it.
static void* open_module(void) {
    char own[PATH_MAX];
    if (realpath("/proc/self/exe", own) == NULL) {
        return NULL;
    }
    *strrchr(own, '/') = '\0';

    static const char* const folders[] = {"", BATCH_MODULE_FROM_PROGRAM "/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
        char path[2 * PATH_MAX];
        (void)snprintf(path, sizeof path, "%s/%s" BATCH_TRANSPORT_FILE, own, folders[i]);
        // Open MPI's own plug-ins look for its symbols.
        void* module = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
        if (module != NULL) {
            return module;
        }
    }
    return NULL;
}

static int start_transport(const BatchTransport** out) {
    void* module = open_module();
    const union {
        void* data;
        BatchTransportEntry* function;
    } entry = {module != NULL ? dlsym(module, BATCH_TRANSPORT_ENTRY) : NULL};
    if (entry.data == NULL) {
        return cli_reject("batch",
                          "mpirun started %d processes, but this berth was built without MPI (Debian: "
                          "libopenmpi-dev); start one process, or build it with MPI",
                          batch_net_size());
    }

    int rank = 0, size = 0;
    *out = entry.function();
    if ((*out)->start(&rank, &size) != 0) {
        fputs("berth batch: MPI could not be started\n", stderr);
        return EXIT_MACHINE;
    }
    if (size != batch_net_size() || rank != batch_net_rank()) {
        return cli_reject(
            "batch", "mpirun started %d processes, but MPI sees %d: berth was built with a different MPI",
            batch_net_size(), size);
    }
    return EXIT_FREE;
}

static void pause_briefly(void) {
    const struct timespec pause = {0, POLL_NANOSECONDS};
    (void)nanosleep(&pause, NULL);
}

static int lost_connection(void) {
    fputs("berth batch: a message between processes failed\n", stderr);
    return EXIT_MACHINE;
}

// About a second's worth of units, estimated from the last handout.
static int64_t next_want(const BatchJob* job, int64_t count, double seconds) {
    const int64_t least = berth_batch_worker_count(job->batch);
    const double wanted = seconds > 1e-6 ? (double)count / seconds : (double)HANDOUT_MOST;
    if (!(wanted > (double)least)) {
        return least;
    }
    return wanted < HANDOUT_MOST ? (int64_t)wanted : HANDOUT_MOST;
}

// ---- units as messages -------------------------------------------------------------------------------------------

static size_t unit_bytes(const BatchJob* job) {
    const bool bounds = job->question->options->clearance != NULL;
    return sizeof(UnitRecord) + (size_t)job->unit_rows * (bounds ? 1 + sizeof(double) : 1);
}

static void pack_unit(const BatchJob* job, const UnitAnswer* answer, char* bytes) {
    const size_t rows = (size_t)answer->record.row_count;
    memset(bytes, 0, unit_bytes(job));
    memcpy(bytes, &answer->record, sizeof answer->record);
    memcpy(bytes + sizeof answer->record, answer->verdicts, rows);
    if (answer->clearances != NULL) {
        memcpy(bytes + sizeof answer->record + job->unit_rows, answer->clearances, rows * sizeof(double));
    }
}

// ---- the others --------------------------------------------------------------------------------------------------

static const BatchTransport* net;
static char* net_unit;  // bytes of one unit

static int send_unit(BatchJob* job, UnitAnswer* answer) {
    pack_unit(job, answer, net_unit);
    return net->send(0, SAY_UNIT, net_unit, unit_bytes(job)) == 0 ? EXIT_FREE : lost_connection();
}

// Waits for the first process: units to work on, or none. EXIT_FREE, or a status.
static int await_work(int64_t* units, int64_t* count) {
    for (;;) {
        int there = 0, from = 0, kind = 0;
        size_t size = 0;
        if (net->look(&there, &from, &kind, &size) != 0 ||
            (there != 0 &&
             (size > HANDOUT_MOST * sizeof *units || net->receive(from, kind, units, size) != 0))) {
            return lost_connection();
        }

        if (there != 0) {
            *count = kind == SAY_WORK ? (int64_t)(size / sizeof *units) : 0;
            return EXIT_FREE;
        }
        if (cli_interrupted()) {
            return EXIT_INTERRUPTED;
        }
        pause_briefly();
    }
}

static int run_other(BatchJob* job, const PartHeader* header) {
    static int64_t units[HANDOUT_MOST];
    Request request = {.want = berth_batch_worker_count(job->batch)};
    if (net->send(0, SAY_HELLO, header, sizeof *header) != 0) {
        return lost_connection();
    }

    int status = EXIT_FREE;
    for (;;) {
        request.unit_end = job->unit_end;
        request.exit_status = status;
        int64_t count = 0;
        if (net->send(0, status == EXIT_FREE ? SAY_ASK : SAY_FAILED, &request, sizeof request) != 0) {
            return lost_connection();
        }
        const int answered = await_work(units, &count);
        if (answered != EXIT_FREE || count == 0) {
            return answered != EXIT_FREE ? answered : status;
        }

        const double start = cli_seconds();
        const UnitList list = {.units = units, .count = count};
        status = batch_run_units(job, &list, send_unit);
        if (status == EXIT_INTERRUPTED) {
            return status;
        }
        request.want = next_want(job, count, cli_seconds() - start);
    }
}

// ---- the first one -----------------------------------------------------------------------------------------------

/// Which process has which work.
typedef struct Handout {
    BatchJob* job;
    const PartHeader* header;
    pthread_mutex_t mutex;
    // guarded by the mutex
    const int64_t* holes;
    int64_t hole_count, next_hole, next_unit;
    int failure;    // the first one, or EXIT_FREE
    bool own_done;  // the work of this process
} Handout;

static int64_t units_left(const Handout* handout) {
    const int64_t end = handout->job->unit_end;
    const int64_t behind = end >= 0 && end < handout->next_unit ? 0 : end - handout->next_unit;
    return handout->hole_count - handout->next_hole + (end >= 0 ? behind : INT64_MAX / 2);
}

// At most `want` units, fewer towards the end, so that all processes end together.
static int64_t hand_out(Handout* handout, int64_t want, int64_t* units) {
    pthread_mutex_lock(&handout->mutex);
    pthread_mutex_lock(&handout->job->mutex);
    const int64_t left = units_left(handout);
    pthread_mutex_unlock(&handout->job->mutex);

    const int64_t share = left / (2 * batch_net_size()) + 1;
    int64_t count = want < share ? want : share;
    count = count < left ? count : left;
    count = count < HANDOUT_MOST ? count : HANDOUT_MOST;
    count = handout->failure == EXIT_FREE && count > 0 ? count : 0;
    for (int64_t i = 0; i < count; ++i) {
        if (handout->next_hole < handout->hole_count) {
            units[i] = handout->holes[handout->next_hole++];
        } else {
            units[i] = handout->next_unit++;
        }
    }
    pthread_mutex_unlock(&handout->mutex);
    return count;
}

static void note_failure(Handout* handout, int status) {
    pthread_mutex_lock(&handout->mutex);
    handout->failure = handout->failure == EXIT_FREE ? status : handout->failure;
    pthread_mutex_unlock(&handout->mutex);
}

// The work of this process itself, besides handing out units.
static void* work_here(void* user) {
    Handout* handout = user;
    BatchJob* job = handout->job;
    int64_t* units = malloc(HANDOUT_MOST * sizeof *units);
    int64_t want = berth_batch_worker_count(job->batch);
    int status = units != NULL ? EXIT_FREE : cli_out_of_memory();

    while (status == EXIT_FREE) {
        const UnitList list = {.units = units, .count = hand_out(handout, want, units)};
        if (list.count == 0) {
            break;
        }
        const double start = cli_seconds();
        status = batch_run_units(job, &list, batch_accept);
        want = next_want(job, list.count, cli_seconds() - start);
    }

    free(units);
    if (status != EXIT_FREE) {
        note_failure(handout, status);
    }
    pthread_mutex_lock(&handout->mutex);
    handout->own_done = true;
    pthread_mutex_unlock(&handout->mutex);
    return NULL;
}

static int answer_request(Handout* handout, int from, const Request* request, bool* ended) {
    static int64_t units[HANDOUT_MOST];
    batch_note_end(handout->job, request->unit_end);
    if (request->exit_status != EXIT_FREE) {
        note_failure(handout, (int)request->exit_status);
    }

    const int64_t count = hand_out(handout, request->want, units);
    *ended = count == 0;
    const int kind = *ended ? SAY_END : SAY_WORK;
    return net->send(from, kind, units, (size_t)count * sizeof *units) == 0 ? EXIT_FREE : lost_connection();
}

static int accept_message(Handout* handout, int from, int kind, char* bytes, size_t size, int* ended_count) {
    BatchJob* job = handout->job;
    if (kind == SAY_HELLO && size == sizeof *handout->header) {
        if (memcmp(bytes, handout->header->lines, size) != 0) {
            note_failure(handout, cli_reject("batch",
                                             "process %d reads a different scene or different rows than the "
                                             "first process: do all machines "
                                             "see the same files?",
                                             from));
        }
        return EXIT_FREE;
    }

    if (kind == SAY_UNIT && size == unit_bytes(job)) {
        UnitAnswer answer = {.verdicts = (uint8_t*)bytes + sizeof(UnitRecord)};
        memcpy(&answer.record, bytes, sizeof answer.record);
        // Aligned, because it follows a record of 64 bytes and a multiple of 8 verdicts.
        answer.clearances = (double*)(void*)(bytes + sizeof(UnitRecord) + job->unit_rows);
        return batch_accept(job, &answer);
    }

    if ((kind == SAY_ASK || kind == SAY_FAILED) && size == sizeof(Request)) {
        Request request;
        bool ended = false;
        memcpy(&request, bytes, sizeof request);
        const int status = answer_request(handout, from, &request, &ended);
        *ended_count += ended;
        return status;
    }
    return lost_connection();
}

// Serves the others until each knows that there is no more work.
static int serve(Handout* handout, char* bytes, size_t capacity) {
    int ended_count = 0;
    for (;;) {
        int there = 0, from = 0, kind = 0;
        size_t size = 0;
        if (net->look(&there, &from, &kind, &size) != 0 || size > capacity ||
            (there != 0 && net->receive(from, kind, bytes, size) != 0)) {
            return lost_connection();
        }

        pthread_mutex_lock(&handout->mutex);
        const bool own_done = handout->own_done;
        pthread_mutex_unlock(&handout->mutex);
        if (there != 0) {
            const int status = accept_message(handout, from, kind, bytes, size, &ended_count);
            if (status != EXIT_FREE) {
                note_failure(handout, status);
            }
        } else if (ended_count == batch_net_size() - 1 && own_done) {
            return EXIT_FREE;
        } else if (cli_interrupted()) {
            return EXIT_INTERRUPTED;
        } else {
            pause_briefly();
        }
    }
}

static int run_first(BatchJob* job, const PartHeader* header) {
    Handout handout = {.job = job, .header = header, .mutex = PTHREAD_MUTEX_INITIALIZER};
    int64_t* holes = NULL;
    int status = batch_compare_done(job, &holes, &handout.hole_count);
    if (status != EXIT_FREE) {
        note_failure(&handout, status);  // the others must end, too
    }
    handout.holes = holes;
    handout.next_unit = job->part.known_units;

    const double start = cli_seconds();
    const size_t capacity = unit_bytes(job) > sizeof *header ? unit_bytes(job) : sizeof *header;
    char* bytes = aligned_alloc(64, (capacity + 63) / 64 * 64);
    pthread_t thread;
    const bool started = bytes != NULL && pthread_create(&thread, NULL, work_here, &handout) == 0;
    status = started ? serve(&handout, bytes, capacity) : cli_out_of_memory();
    if (started) {
        (void)pthread_join(thread, NULL);
    }

    batch_end_progress(job);
    job->seconds = cli_seconds() - start;
    free(bytes);
    free(holes);
    status = status == EXIT_FREE ? handout.failure : status;
    if (status == EXIT_FREE && job->unit_count != job->unit_end) {
        fputs("berth batch: some work was not finished; --resume completes it\n", stderr);
        return EXIT_MACHINE;
    }
    return status;
}

int batch_net_run(BatchJob* job, const PartHeader* header) {
    int status = start_transport(&net);
    if (status != EXIT_FREE) {
        return status;
    }
    net_unit = malloc(unit_bytes(job));
    if (net_unit == NULL) {
        return cli_out_of_memory();
    }

    status = batch_net_rank() == 0 ? run_first(job, header) : run_other(job, header);
    free(net_unit);
    // A process that was stopped does not wait for the others: mpirun ends them.
    if (status != EXIT_INTERRUPTED && net->stop() != 0 && status == EXIT_FREE) {
        return lost_connection();
    }
    return status;
}
