// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lines of text: recorded messages in JSON, with the time of their stamps; or live on standard input, in JSON or as rows
// under a header of joint names, with the time of their arrival.
// Entries: input_open_record, input_drain_record, input_open_stream, input_drain_stream.

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard_internal.h"

// ---- recorded ------------------------------------------------------------------------------------------------

static bool read_whole_file(const char* path, Input* input, GuardError* error) {
    enum { FILE_BYTES_MAX = 1 << 30 };
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return guard_fail(error, GUARD_WRONG, "%s: %s", path, strerror(errno));
    }

    struct stat info;
    bool good = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= FILE_BYTES_MAX;
    if (!good) {
        (void)fclose(file);
        return guard_fail(error, GUARD_WRONG, "%s: expected a regular file of at most 1 GiB", path);
    }

    const size_t size = (size_t)info.st_size;
    input->text = malloc(size + 1);
    good = input->text != NULL && fread(input->text, 1, size, file) == size;
    (void)fclose(file);

    input->text_size = good ? size : 0;
    return good || guard_fail(error, GUARD_MACHINE, "%s: could not be read", path);
}

// The next line that is not empty; false at the end.
static bool next_line(const Input* input, size_t* at, const char** line, size_t* size) {
    while (*at < input->text_size) {
        const char* begin = input->text + *at;
        const char* end = memchr(begin, '\n', input->text_size - *at);
        *size = end != NULL ? (size_t)(end - begin) : input->text_size - *at;
        *at += *size + (end != NULL);
        *line = begin;
        if (*size > 0 && begin[*size - 1] == '\r') {
            *size -= 1;
        }
        if (*size > 0) {
            return true;
        }
    }
    return false;
}

static int line_number_of(const Input* input, const char* line) {
    int number = 1;
    for (const char* c = input->text; c < line; ++c) {
        number += *c == '\n';
    }
    return number;
}

// What is wrong with a line; null: nothing.
static const char* line_fault(Guard* guard, const char* line, size_t size, double last) {
    if (size > BERTH_WIRE_SIZE) {
        return "the line is longer than any message";
    }
    if (berth_wire_read(line, size, &guard->message) != BERTH_OK) {
        return berth_error_text();
    }
    return isfinite(guard->message.stamp) && guard->message.stamp >= last
               ? NULL
               : "expected a stamp that is not earlier than the last one";
}

bool input_open_record(Guard* guard, GuardError* error) {
    Input* input = &guard->input;
    const char* path = guard->settings->input;
    size_t at = 0, size = 0;
    const char* line = NULL;
    double last = -INFINITY;

    error->about_file = true;
    if (!read_whole_file(path, input, error)) {
        return false;
    }

    while (next_line(input, &at, &line, &size)) {
        const char* fault = line_fault(guard, line, size, last);
        if (fault != NULL) {
            return guard_fail(error, GUARD_WRONG, "%s:%d: %s", path, line_number_of(input, line), fault);
        }
        input->first_stamp = isfinite(last) ? input->first_stamp : guard->message.stamp;
        last = guard->message.stamp;
    }

    if (!isfinite(last)) {
        return guard_fail(error, GUARD_WRONG, "%s: it contains no message", path);
    }

    error->about_file = false;
    return true;
}

void input_drain_record(Guard* guard, double now) {
    Input* input = &guard->input;
    const double until = now + 1e-6 * guard->safety.period;
    for (int i = 0; i < DRAIN_MAX; ++i) {
        size_t at = input->text_offset, size = 0;
        const char* line = NULL;
        if (!next_line(input, &at, &line, &size)) {
            input->ended = true;
            return;
        }

        if (berth_wire_read(line, size, &guard->message) != BERTH_OK) {
            guard->message_counts.malformed += 1;  // it was valid at the start: the memory has changed
            input->text_offset = at;
            continue;
        }

        const double when = guard->message.stamp - input->first_stamp;
        if (!(when <= until)) {
            return;
        }

        input->text_offset = at;
        guard->message.stamp = when;  // by the replay's own clock
        messages_deliver(guard, when < now ? when : now);
    }

    guard->message_counts.full += 1;
}

// ---- live: standard input ------------------------------------------------------------------------------------

bool input_open_stream(Guard* guard, GuardError* error) {
    Input* input = &guard->input;
    struct stat info;
    if (fstat(STDIN_FILENO, &info) != 0) {
        return guard_fail(error, GUARD_WRONG, "standard input: %s", strerror(errno));
    }
    if ((fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE) == O_WRONLY) {
        return guard_fail(error, GUARD_WRONG, "standard input is closed");
    }
    if (S_ISREG(info.st_mode)) {
        return guard_fail(
            error, GUARD_WRONG,
            "standard input is a file, but '-' is live input; replay a recorded file with --input FILE");
    }

    input->empty_at = machine_monotonic_seconds();
    input->text = calloc(INPUT_BUFFER, 1);
    input->columns = calloc(2 * (size_t)guard->value_count + 1, sizeof *input->columns);
    return (input->text != NULL && input->columns != NULL) ||
           guard_fail(error, GUARD_MACHINE, "out of memory");
}

/// Iterates over the cells of a row.
typedef struct RowCells {
    const char *at, *end;
    const char* cell;  // the present one, without spaces and quotes
    size_t size;
} RowCells;

static RowCells row_cells(const char* line, size_t size) {
    return (RowCells){.at = line, .end = line + size};
}

// False if there is none left.
static bool next_cell(RowCells* row) {
    if (row->at > row->end) {
        return false;
    }

    const char* stop = row->at;
    while (stop < row->end && *stop != ',') {
        ++stop;
    }

    // Strip blanks and quotes at both ends.
    const char* from = row->at;
    const char* to = stop;
    while (from < to && (*from == ' ' || *from == '\t' || *from == '"')) {
        ++from;
    }
    while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '"' || to[-1] == '\r')) {
        --to;
    }

    row->cell = from;
    row->size = (size_t)(to - from);
    row->at = stop + 1;
    return true;
}

// The meaning of a column: a value, a value's velocity (numbered after the values), or -1 for the time. -2: none of these.
static int32_t find_column(const Guard* guard, const char* cell, size_t size) {
    char name[256];
    if (size == 0 || size >= sizeof name) {
        return -2;
    }

    memcpy(name, cell, size);
    name[size] = '\0';
    if (strcmp(name, "time") == 0) {
        return -1;
    }

    char* colon = strrchr(name, ':');
    const bool velocity = colon != NULL && strcmp(colon, ":velocity") == 0;
    if (velocity) {
        *colon = '\0';
    }

    const int32_t value = berth_scene_find_value(guard->settings->scene, name);
    if (value < 0) {
        return -2;
    }
    return velocity ? value + guard->value_count : value;
}

// Every value must have exactly one column: values that are not sent are unknown.
static bool read_header(Guard* guard, const char* line, size_t size) {
    Input* input = &guard->input;
    RowCells row = row_cells(line, size);
    int32_t count = 0, values = 0;

    while (next_cell(&row)) {
        const int32_t column = find_column(guard, row.cell, row.size);
        if (column == -2 || count >= 2 * guard->value_count + 1) {
            return false;
        }

        for (int32_t i = 0; i < count; ++i) {
            if (input->columns[i] == column) {
                return false;
            }
        }

        input->columns[count++] = column;
        values += column >= 0 && column < guard->value_count;
    }

    input->column_count = values == guard->value_count ? count : 0;
    return input->column_count > 0;
}

static bool read_cell(const char* cell, size_t size, double* out) {
    char text[64];
    if (size == 0 || size >= sizeof text) {
        return false;
    }
    memcpy(text, cell, size);
    text[size] = '\0';
    char* end = NULL;
    *out = strtod(text, &end);  // "nan" is accepted here: the monitor stops at it
    return *end == '\0';
}

static bool deliver_row(Guard* guard, const char* line, size_t size, double received) {
    Input* input = &guard->input;
    RowCells row = row_cells(line, size);
    int32_t count = 0, velocity_count = 0;

    while (next_cell(&row)) {
        double number = 0.0;
        if (count >= input->column_count || !read_cell(row.cell, row.size, &number)) {
            return false;
        }

        const int32_t column = input->columns[count++];
        if (column >= guard->value_count) {
            guard->velocities[column - guard->value_count] = number;
            velocity_count += 1;
        } else if (column >= 0) {
            guard->positions[column] = number;
        }
    }

    if (count != input->column_count) {
        return false;
    }

    const uint64_t sequence = (uint64_t)++input->next;
    messages_deliver_values(guard, sequence, guard->positions,
                            velocity_count == guard->value_count ? guard->velocities : NULL, received);
    return true;
}

static void deliver_line(Guard* guard, const char* line, size_t size, double received) {
    Input* input = &guard->input;
    if (size == 0) {
        return;
    }
    guard->message_counts.datagrams += 1;

    if (line[0] == '{') {
        messages_receive(guard, line, size, received);
    } else if (input->column_count == 0) {
        guard->message_counts.malformed += !read_header(guard, line, size);
    } else {
        guard->message_counts.malformed += !deliver_row(guard, line, size, received);
    }
}

// Processes whole lines in the buffer, at most `left`; the rest moves to its front.
static void deliver_lines(Guard* guard, double received, int* left) {
    Input* input = &guard->input;
    size_t begin = 0;

    for (; *left > 0; --*left) {
        const char* end = memchr(input->text + begin, '\n', input->text_size - begin);
        if (end == NULL) {
            break;
        }
        const size_t size = (size_t)(end - input->text) - begin;

        if (!input->skipping) {
            const bool returned = size > 0 && input->text[begin + size - 1] == '\r';
            deliver_line(guard, input->text + begin, size - returned, received);
        }

        input->skipping = false;
        begin += size + 1;
    }

    memmove(input->text, input->text + begin, input->text_size - begin);
    input->text_size -= begin;

    if (input->text_size == INPUT_BUFFER && memchr(input->text, '\n', INPUT_BUFFER) == NULL) {
        guard->message_counts.malformed += !input->skipping;  // the line is too long
        input->skipping = true;
        input->text_size = 0;
    }
}

static bool is_readable(void) {
    struct pollfd one = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

void input_drain_stream(Guard* guard, double now) {
    Input* input = &guard->input;
    int left = DRAIN_MAX;
    // A line arrived after the input was last empty: its age is assumed to count from that moment.
    deliver_lines(guard, input->empty_at, &left);

    bool more = is_readable();
    if (more && input->text_size < INPUT_BUFFER) {
        const ssize_t got =
            read(STDIN_FILENO, input->text + input->text_size, INPUT_BUFFER - input->text_size);
        input->text_size += got > 0 ? (size_t)got : 0;
        deliver_lines(guard, input->empty_at, &left);
        more = got != 0 && is_readable();
        input->ended = got == 0 && left > 0;
    }

    if (left > 0 && !more) {
        input->empty_at = now;
    } else {
        guard->message_counts.full += 1;
    }
}
