// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The second thread: takes events out of the ring and writes them to standard output, log and statistics. It may be slow,
// blocked or out of space; the loop does not know. Lines that cannot be written are counted, and the count is written when
// lines can be written again.
// Entries: log_writer_start, log_writer_stop.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "guard_internal.h"

/// A file that lines go to.
typedef struct Sink {
    int file;
    bool json, waits_for_readers, torn;
    long long lost;
} Sink;

static void pause_ms(double ms) {
    const struct timespec pause = {0, (long)(ms * 1e6)};
    (void)nanosleep(&pause, NULL);
}

// All of it, or what a live guard can have without waiting.
static bool write_bytes(Sink* sink, const char* bytes, size_t size) {
    size_t at = 0;
    while (at < size) {
        struct pollfd one = {.fd = sink->file, .events = POLLOUT};
        if (!sink->waits_for_readers && poll(&one, 1, 0) <= 0) {
            break;
        }
        const ssize_t wrote = write(sink->file, bytes + at, size - at);
        if (wrote <= 0 && !(wrote < 0 && errno == EINTR)) {
            break;
        }
        at += wrote > 0 ? (size_t)wrote : 0;
    }

    sink->torn = at < size && (at > 0 || sink->torn);
    return at == size;
}

static void report_lost_lines(Sink* sink) {
    char text[120];
    const int size = snprintf(
        text, sizeof text,
        sink->json ? "%s{\"event\": \"lost\", \"lines\": %lld}\n" : "%s%lld lines could not be written\n",
        sink->torn ? "\n" : "", sink->lost);
    if (write_bytes(sink, text, (size_t)size)) {
        sink->lost = 0;
    }
}

static void write_line(LogWriter* writer, Sink* sink, const Line* line) {
    if (sink->file < 0 || line->size == 0) {
        return;
    }
    if (sink->lost > 0) {
        report_lost_lines(sink);
    }

    if (sink->lost > 0 || !write_bytes(sink, line->text, line->size)) {
        if (sink->file == writer->out) {
            writer->out_error = writer->out_lost ? writer->out_error : errno;
            writer->out_lost = true;
        }
        sink->lost += 1;
        atomic_fetch_add(&writer->dropped, 1);
    }
}

// ---- statistics ----------------------------------------------------------------------------------------------

static int open_beside(const char* path, char* beside, size_t size) {
    if (snprintf(beside, size, "%s.new", path) >= (int)size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static bool can_write_stats(const char* path) {
    char beside[4096];
    struct stat there;
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return false;
    }
    const int file = open_beside(path, beside, sizeof beside);
    return file >= 0 && close(file) == 0 && unlink(beside) == 0;
}

static void rewrite_stats(Guard* guard, const Line* line) {
    char beside[4096];
    const char* path = guard->settings->stats;
    const int file = open_beside(path, beside, sizeof beside);
    const bool good = file >= 0 && write(file, line->text, line->size) == (ssize_t)line->size;
    if (file >= 0) {
        (void)close(file);
    }

    if (!good || rename(beside, path) != 0) {
        (void)unlink(beside);
        atomic_fetch_add(&guard->log_writer.dropped, 1);
    }
}

static void publish_stats(Guard* guard, const Event* event) {
    Line* line = &guard->log_writer.line;
    if (guard->settings->stats == NULL && event->kind != EVENT_STATS_REQUEST) {
        return;
    }

    line_clear(line);
    stats_write(guard, event, line);
    if (guard->settings->stats != NULL) {
        rewrite_stats(guard, line);
    } else {
        Sink sink = {.file = STDERR_FILENO};
        (void)write_bytes(&sink, line->text, line->size);
    }
}

static void write_event(Guard* guard, const Event* event, Sink* out, Sink* log) {
    LogWriter* writer = &guard->log_writer;
    const bool is_status = event->kind == EVENT_STATUS || event->kind == EVENT_STATS_REQUEST;
    if (is_status || event->kind == EVENT_END) {
        publish_stats(guard, event);
    }

    // People see changes; the log has the rest as well.
    const bool for_log = event->kind != EVENT_STATS_REQUEST;
    // Left out for people: with --quiet the beginning, of a bench the changes, which its list of exceptions has.
    const bool is_left_out =
        !guard->settings->json && ((event->kind == EVENT_START && guard->settings->quiet) ||
                                   (event->kind == EVENT_CHANGE && guard->settings->bench));
    const bool for_out = !is_status && event->kind != EVENT_DROPPED && !is_left_out;

    if (for_out || log->file >= 0) {
        line_clear(&writer->line);
        event_write(guard, event, guard->settings->json, &writer->line);
        write_line(writer, out, for_out ? &writer->line : &(Line){.size = 0});
        write_line(writer, log, for_log ? &writer->line : &(Line){.size = 0});
    }
}

static void* run_log_writer(void* user) {
    Guard* guard = user;
    LogWriter* writer = &guard->log_writer;
    Sink out = {
        .file = writer->out, .json = guard->settings->json, .waits_for_readers = writer->waits_for_readers};
    Sink log = {
        .file = writer->log, .json = guard->settings->json, .waits_for_readers = writer->waits_for_readers};

    static Event event;
    for (;;) {
        const bool last_round = atomic_load(&writer->done);
        while (event_ring_pop(&guard->event_ring, &event)) {
            event.counts.unwritten += atomic_load(&writer->dropped);
            write_event(guard, &event, &out, &log);
        }
        if (last_round) {
            break;
        }
        pause_ms(writer->waits_for_readers ? 0.2 : 2.0);
    }

    atomic_store(&writer->finished, true);
    return NULL;
}

// A folder that is not there or may not be written is a wrong request; the rest is the machine.
static bool fail_to_write(const char* option, const char* path, GuardError* error) {
    const int why = errno;
    const bool wrong = why == ENOENT || why == ENOTDIR || why == EACCES || why == EISDIR ||
                       why == ENAMETOOLONG || why == EROFS;
    return guard_fail(error, wrong ? GUARD_WRONG : GUARD_MACHINE, "%s %s: %s", option, path, strerror(why));
}

bool log_writer_start(Guard* guard, GuardError* error) {
    LogWriter* writer = &guard->log_writer;
    const GuardSettings* settings = guard->settings;
    writer->out = STDOUT_FILENO;
    writer->log = -1;
    writer->waits_for_readers = settings->fast;

    if (settings->log != NULL) {
        // A pipe that nobody reads must not hold up the start either.
        writer->log =
            open(settings->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (settings->fast ? 0 : O_NONBLOCK),
                 0644);
        if (writer->log < 0) {
            return fail_to_write("--log", settings->log, error);
        }
    }

    if (settings->stats != NULL && !can_write_stats(settings->stats)) {
        return fail_to_write("--stats", settings->stats, error);
    }

    writer->runs = machine_start_thread(&writer->thread, run_log_writer, guard, 0);
    return writer->runs || guard_fail(error, GUARD_MACHINE, "no second thread for texts");
}

void log_writer_stop(Guard* guard, double seconds) {
    LogWriter* writer = &guard->log_writer;
    if (writer->runs) {
        // The thread ends after its last round; a live guard waits for it no longer than `seconds`.
        atomic_store(&writer->done, true);
        const double until = machine_monotonic_seconds() + seconds;
        while (!atomic_load(&writer->finished) &&
               (writer->waits_for_readers || machine_monotonic_seconds() < until)) {
            pause_ms(0.5);
        }

        if (atomic_load(&writer->finished)) {
            (void)pthread_join(writer->thread, NULL);
        }
        writer->runs = !atomic_load(&writer->finished);
    }

    if (writer->log >= 0 && !writer->runs) {
        (void)close(writer->log);
        writer->log = -1;
    }
}
