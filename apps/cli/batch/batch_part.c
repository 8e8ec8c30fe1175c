// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Unfinished work. A unit is written to its position in one piece, with a checksum over all of it. Whenever the program or the
// machine stops, a unit is either intact or done again. Nothing else has to be kept consistent with it.
// Entries: part_open, part_read_unit, part_write_unit, part_finish, part_close, batch_hash.

#include "cli/batch/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files.h"

static const char MAGIC[] = "berth batch, unfinished work, 1\n";
enum { MAGIC_SIZE = sizeof MAGIC - 1, NPY_HEADER = 128, PIECE_UNITS = 64 };

// ---- hashing ---------------------------------------------------------------------------------------------------

static uint64_t turn(uint64_t x, int by) {
    return x << by | x >> (64 - by);
}

// Detects accidents, not manipulation. Four lanes of multiplications by odd numbers, which any change of one word changes;
// SHA-256 would cost more than the fastest checks.
uint64_t batch_hash(uint64_t seed, const void* bytes, size_t size) {
    const uint64_t k1 = 0x9E3779B97F4A7C15u, k2 = 0xD1B54A32D192ED03u;
    uint64_t lanes[4] = {seed + k1, seed ^ k2, seed * k1 + 1, ~seed};
    const char* at = bytes;
    size_t left = size;
    for (; left > 0; left -= left < 32 ? left : 32, at += 32) {
        uint64_t words[4] = {0};
        memcpy(words, at, left < 32 ? left : 32);
        for (int i = 0; i < 4; ++i) {
            lanes[i] = turn(lanes[i] ^ words[i], 29) * k1 + k2;
        }
    }

    uint64_t hash = size * k2;
    for (int i = 0; i < 4; ++i) {
        hash = (hash ^ lanes[i] ^ lanes[i] >> 32) * k1;
        hash ^= hash >> 29;
    }
    return hash;
}

// ---- reading and writing ---------------------------------------------------------------------------------------

static bool read_all(int descriptor, void* bytes, size_t size, int64_t offset) {
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(descriptor, (char*)bytes + done, size - done, offset + (int64_t)done);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            errno = got == 0 ? EIO : errno;
            return false;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool write_all(int descriptor, const void* bytes, size_t size, int64_t offset) {
    for (size_t done = 0; done < size;) {
        const ssize_t put =
            pwrite(descriptor, (const char*)bytes + done, size - done, offset + (int64_t)done);
        if (put == 0 || (put < 0 && errno != EINTR)) {
            errno = put == 0 ? ENOSPC : errno;
            return false;
        }
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

static int64_t unit_offset(const BatchPart* part, int64_t unit) {
    return PART_HEADER + unit * (int64_t)part->stride;
}

static uint64_t unit_check(const BatchPart* part, const char* bytes) {
    const size_t begin = offsetof(UnitRecord, input);
    return batch_hash(1, bytes + begin, part->stride - begin);
}

bool part_read_unit(BatchPart* part, int64_t unit, UnitAnswer* out) {
    if (!read_all(part->descriptor, part->buffer, part->stride, unit_offset(part, unit))) {
        return false;
    }
    memcpy(&out->record, part->buffer, sizeof out->record);
    if (out->record.check != unit_check(part, part->buffer) || out->record.unit != unit ||
        out->record.row_count <= 0 || out->record.row_count > part->unit_rows) {
        return false;
    }

    const char* payload = part->buffer + sizeof out->record;
    if (out->verdicts != NULL) {
        memcpy(out->verdicts, payload, (size_t)part->unit_rows);
    }
    if (out->clearances != NULL && part->clearances) {
        memcpy(out->clearances, payload + part->unit_rows, (size_t)part->unit_rows * sizeof(double));
    }
    return true;
}

int part_write_unit(BatchPart* part, UnitAnswer* answer) {
    const size_t rows = (size_t)answer->record.row_count;
    char* payload = part->buffer + sizeof answer->record;
    memset(payload, 0, part->stride - sizeof answer->record);
    memcpy(payload, answer->verdicts, rows);
    if (part->clearances) {
        memcpy(payload + part->unit_rows, answer->clearances, rows * sizeof(double));
    }

    memcpy(part->buffer, &answer->record, sizeof answer->record);
    answer->record.check = unit_check(part, part->buffer);
    memcpy(part->buffer, &answer->record, sizeof answer->record);
    if (!write_all(part->descriptor, part->buffer, part->stride, unit_offset(part, answer->record.unit))) {
        return files_report_error(part->path, "cannot be written");
    }
    part->any_written = true;
    return EXIT_FREE;
}

// ---- opening ---------------------------------------------------------------------------------------------------

static int refuse(const BatchPart* part, const char* text) {
    fprintf(stderr, "%s: %s\n", part->path, text);
    return EXIT_WRONG;
}

// A process that uses the file holds a lock on it. A file system without locks is trusted.
static bool is_in_use(const BatchPart* part) {
    return flock(part->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// An interrupted call is repeated.
static bool make_empty(int descriptor) {
    int status;
    do {
        status = ftruncate(descriptor, 0);
    } while (status != 0 && errno == EINTR);
    return status == 0;
}

static int open_again(const char* path, int flags) {
    int descriptor;
    do {
        descriptor = open(path, flags, 0666);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

static int write_header(BatchPart* part, const PartHeader* header) {
    if (!make_empty(part->descriptor) ||
        !write_all(part->descriptor, header->lines, sizeof header->lines, 0)) {
        const int status = files_report_error(part->path, "cannot be written");
        (void)unlink(part->path);
        return status;
    }
    return EXIT_FREE;
}

// The first line of the given header that differs from the other one.
static void find_difference(const char* there, const char* wanted, char* text, size_t size) {
    while (*there != '\0' && *wanted != '\0') {
        const size_t a = strcspn(there, "\n"), b = strcspn(wanted, "\n");
        if (a != b || memcmp(there, wanted, a) != 0) {
            (void)snprintf(text, size, "was made with '%.*s', this run has '%.*s'", (int)(a < 300 ? a : 300),
                           there, (int)(b < 300 ? b : 300), wanted);
            return;
        }
        there += a + (there[a] == '\n');
        wanted += b + (wanted[b] == '\n');
    }
    (void)snprintf(text, size, "was made by another version of berth");
}

static int compare_headers(const BatchPart* part, const PartHeader* header) {
    PartHeader there;
    if (!read_all(part->descriptor, there.lines, sizeof there.lines, 0)) {
        return files_report_error(part->path, "cannot be read");
    }
    if (memcmp(there.lines, header->lines, sizeof there.lines) == 0) {
        return EXIT_FREE;
    }

    char text[900], whole[1100];
    there.lines[sizeof there.lines - 1] = '\0';
    find_difference(there.lines, header->lines, text, sizeof text);
    (void)snprintf(whole, sizeof whole, "cannot be resumed: it %s", text);
    return refuse(part, whole);
}

// Finds the units that exist and are intact.
static int find_done(BatchPart* part, int64_t size) {
    part->known_units = (size - PART_HEADER) / (int64_t)part->stride;
    part->done = calloc((size_t)part->known_units + 1, 1);
    if (part->done == NULL) {
        return cli_out_of_memory();
    }

    UnitAnswer answer = {.verdicts = NULL};
    for (int64_t i = 0; i < part->known_units && !cli_interrupted(); ++i) {
        part->done[i] = part_read_unit(part, i, &answer);
        part->done_count += part->done[i];
    }
    part->any_written = part->done_count > 0;
    return EXIT_FREE;
}

// A file that ends within its header comes from a program that stopped at that point.
static int take_up(BatchPart* part, const Options* options, const PartHeader* header) {
    struct stat state;
    if (fstat(part->descriptor, &state) != 0) {
        return files_report_error(part->path, "cannot be examined");
    }

    char begin[MAGIC_SIZE] = "";
    const size_t size = state.st_size < MAGIC_SIZE ? (size_t)state.st_size : MAGIC_SIZE;
    if (!read_all(part->descriptor, begin, size, 0)) {
        return files_report_error(part->path, "cannot be read");
    }
    if (memcmp(begin, MAGIC, size) != 0) {
        part->any_written = true;  // not a file of ours: do not remove it
        return refuse(part, "is not unfinished work of berth batch; choose another -o");
    }
    if (is_in_use(part)) {
        part->any_written = true;
        return refuse(part, "another run is using it");
    }

    // If nothing is finished, nothing can be lost.
    if (options->force || state.st_size <= PART_HEADER) {
        return write_header(part, header);
    }
    part->any_written = true;
    if (!options->resume) {
        return refuse(part, "contains unfinished work: continue with --resume, or start anew with --force");
    }
    const int status = compare_headers(part, header);
    return status == EXIT_FREE ? find_done(part, state.st_size) : status;
}

static int open_file(BatchPart* part, bool* is_new) {
    *is_new = true;
    part->descriptor = open_again(part->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC);
    if (part->descriptor < 0 && errno == EEXIST) {
        *is_new = false;
        part->descriptor = open_again(part->path, O_RDWR | O_CLOEXEC);
    }
    return part->descriptor >= 0 ? EXIT_FREE : files_report_error(part->path, "cannot be written");
}

int part_open(BatchPart* part, const Question* question, const PartHeader* header, int32_t unit_rows) {
    const Options* options = question->options;
    const int length = snprintf(part->path, sizeof part->path, "%s.part", options->output);
    if (length <= 0 || (size_t)length >= sizeof part->path) {
        return cli_reject(question->command, "-o: the name is too long");
    }

    part->unit_rows = unit_rows;
    part->clearances = options->clearance != NULL;
    part->stride = sizeof(UnitRecord) + (size_t)unit_rows * (part->clearances ? 1 + sizeof(double) : 1);
    part->buffer = malloc(part->stride);
    if (part->buffer == NULL) {
        return cli_out_of_memory();
    }

    bool is_new = false;
    const int status = open_file(part, &is_new);
    if (status != EXIT_FREE) {
        return status;
    }
    if (is_new) {
        (void)is_in_use(part);
        return write_header(part, header);
    }
    return take_up(part, options, header);
}

void part_close(BatchPart* part) {
    if (part->descriptor >= 0) {
        if (!part->any_written) {
            (void)unlink(part->path);
        }
        (void)close(part->descriptor);
        part->descriptor = -1;
    }
    free(part->buffer);
    free(part->done);
    part->buffer = NULL;
    part->done = NULL;
}

// ---- the output ------------------------------------------------------------------------------------------------

/// An array being copied from the units to a file.
typedef struct ArrayCopy {
    BatchPart* part;
    int64_t unit, row_count;
    bool bounds;
    bool began;
    bool damaged;  // a unit differs from what was written
    char header[NPY_HEADER];
    uint8_t* verdicts;
    double* clearances;
} ArrayCopy;

static void write_npy_header(ArrayCopy* copy) {
    memset(copy->header, ' ', sizeof copy->header);
    memcpy(copy->header, "\x93NUMPY\x01\x00\x76\x00", 10);
    const int length = snprintf(copy->header + 10, sizeof copy->header - 10,
                                "{'descr': '%s', 'fortran_order': False, 'shape': (%lld,), }",
                                copy->bounds ? "<f8" : "|u1", (long long)copy->row_count);
    copy->header[10 + length] = ' ';
    copy->header[NPY_HEADER - 1] = '\n';
}

// The next units, as many as fit.
static BerthStatus next_piece(void* user, const void** bytes, size_t* size) {
    ArrayCopy* copy = user;
    if (!copy->began) {
        copy->began = true;
        *bytes = copy->header;
        *size = sizeof copy->header;
        return BERTH_OK;
    }

    if (cli_interrupted()) {
        return BERTH_ERR_CANCELLED;
    }
    const int64_t each = copy->part->unit_rows;
    size_t rows = 0;
    for (int i = 0; i < PIECE_UNITS && copy->unit * each < copy->row_count; ++i, ++copy->unit) {
        UnitAnswer answer = {.verdicts = copy->bounds ? NULL : copy->verdicts + rows,
                             .clearances = copy->bounds ? copy->clearances + rows : NULL};
        if (!part_read_unit(copy->part, copy->unit, &answer)) {
            copy->damaged = true;
            return BERTH_ERR_SYSTEM;
        }
        rows += (size_t)answer.record.row_count;
    }

    *bytes = copy->bounds ? (const void*)copy->clearances : copy->verdicts;
    *size = copy->bounds ? rows * sizeof(double) : rows;
    return BERTH_OK;
}

static int copy_array(ArrayCopy* copy, const char* path) {
    write_npy_header(copy);
    const BerthStatus status = berth_io_files_write_pieces(files_of_program(), path, next_piece, copy, true);
    if (copy->damaged) {
        fprintf(stderr,
                "%s: unit %lld was changed in the meantime, or cannot be read; --resume does it again\n",
                copy->part->path, (long long)copy->unit);
        return EXIT_MACHINE;
    }
    return status == BERTH_ERR_CANCELLED ? EXIT_INTERRUPTED : cli_exit_status(status);
}

static int write_array(BatchPart* part, int64_t row_count, bool bounds, const char* path) {
    const size_t most = (size_t)part->unit_rows * PIECE_UNITS;
    ArrayCopy copy = {.part = part, .row_count = row_count, .bounds = bounds};
    copy.verdicts = bounds ? NULL : malloc(most);
    copy.clearances = bounds ? malloc(most * sizeof(double)) : NULL;
    const bool room = copy.verdicts != NULL || copy.clearances != NULL;
    const int status = room ? copy_array(&copy, path) : cli_out_of_memory();

    free(copy.verdicts);
    free(copy.clearances);
    return status;
}

int part_finish(BatchPart* part, int64_t row_count, const char* output, const char* clearance_output) {
    int status = write_array(part, row_count, false, output);
    if (status == EXIT_FREE && clearance_output != NULL) {
        status = write_array(part, row_count, true, clearance_output);
    }
    if (status == EXIT_FREE) {
        status = files_commit();
    }
    if (status == EXIT_FREE) {
        part->any_written = false;  // its contents are now in the output
    }
    return status;
}
