// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The second thread: takes events out of the ring and writes them to standard output, log and statistics. It may be slow,
// blocked or out of space without affecting the loop. Lines that cannot be written are counted, and the count is written when
// lines can be written again.
// Entries: log_writer_start, log_writer_stop.

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "guard_internal.h"

/// A file to which lines are written.
typedef struct Sink {
    int file;
    bool json, waits_for_readers, torn;
    int error;  ///< errno of the last failed write
    long long lost;
} Sink;

static void pause_ms(double ms) {
    const struct timespec pause = {0, (long)(ms * 1e6)};
    (void)nanosleep(&pause, NULL);
}

// Writes all of it, or as much as a live guard can without waiting.
static bool write_bytes(Sink* sink, const char* bytes, size_t size) {
    size_t at = 0;
    while (at < size) {
        struct pollfd one = {.fd = sink->file, .events = POLLOUT};
        if (!sink->waits_for_readers && poll(&one, 1, 0) <= 0) {
            sink->error = EAGAIN;
            break;
        }
        const ssize_t wrote = write(sink->file, bytes + at, size - at);
        if (wrote <= 0 && !(wrote < 0 && errno == EINTR)) {
            sink->error = wrote < 0 ? errno : ENOSPC;
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

// Reports at once that a file cannot be written; standard error may be blocked, too.
static void complain(const char* option, const char* path, int why, const char* rest) {
    char text[600];
    const int size =
        snprintf(text, sizeof text, "berth monitor: %s %.300s: %s; %s\n", option, path, strerror(why), rest);
    Sink sink = {.file = STDERR_FILENO};
    (void)write_bytes(&sink, text, size < (int)sizeof text ? (size_t)size : sizeof text - 1);
}

// False if it is lost.
static bool write_line(LogWriter* writer, Sink* sink, const Line* line) {
    if (sink->file < 0 || line->size == 0) {
        return true;
    }
    if (sink->lost > 0) {
        report_lost_lines(sink);
    }
    if (sink->lost == 0 && write_bytes(sink, line->text, line->size)) {
        return true;
    }

    sink->lost += 1;
    atomic_fetch_add(&writer->dropped, 1);
    return false;
}

static void write_out_line(LogWriter* writer, Sink* out, const Line* line) {
    if (!write_line(writer, out, line)) {
        writer->out_error = writer->out_lost ? writer->out_error : out->error;
        writer->out_lost = true;
    }
}

static void write_log_line(Guard* guard, Sink* log, const Line* line) {
    LogWriter* writer = &guard->log_writer;
    // A slow reader of a pipe is informed there of what it missed.
    if (!write_line(writer, log, line) && log->error != EAGAIN) {
        if (log->lost == 1) {
            complain("--log", guard->settings->log, log->error,
                     "lines are lost until the file can be written");
        }
        writer->log_error = log->error;
        writer->log_lost += 1;
    }
}

// ---- statistics ----------------------------------------------------------------------------------------------

/// Statistics being written: to a file without a name, or with a unique one, until they are complete.
typedef struct FreshFile {
    int file;
    bool is_named;
    char path[4200];
} FreshFile;

static bool take_name(const char* path, FreshFile* fresh) {
    const int size = snprintf(fresh->path, sizeof fresh->path, "%s.XXXXXX", path);
    if (size < 0 || size >= (int)sizeof fresh->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

static bool open_fresh(const char* path, FreshFile* fresh) {
    *fresh = (FreshFile){.file = -1};
    if (!take_name(path, fresh)) {
        return false;
    }

    // In the same folder, so that it can replace the other file.
    char folder[sizeof fresh->path];
    const char* slash = strrchr(path, '/');
    const int length = slash != NULL ? (int)(slash - path) + 1 : 1;
    (void)snprintf(folder, sizeof folder, "%.*s", length, slash != NULL ? path : ".");
    fresh->file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
    if (fresh->file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
        return fresh->file >= 0;
    }

    fresh->file = mkostemp(fresh->path, O_CLOEXEC);
    fresh->is_named = fresh->file >= 0;
    return fresh->is_named && fchmod(fresh->file, 0644) == 0;
}

// Gives a file without a name an unused one. The letters are random, and no file of anybody else is ever replaced.
static bool name_fresh(const char* path, FreshFile* fresh) {
    char from[64];
    (void)snprintf(from, sizeof from, "/proc/self/fd/%d", fresh->file);

    for (int i = 0; i < 16 && !fresh->is_named; ++i) {
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        const unsigned mix = (unsigned)now.tv_nsec * 2654435761u ^ (unsigned)getpid() * 40503u ^ (unsigned)i;
        if (!take_name(path, fresh)) {
            return false;
        }

        (void)snprintf(fresh->path + strlen(fresh->path) - 6, 7, "%06x", mix & 0xffffffu);
        fresh->is_named = linkat(AT_FDCWD, from, AT_FDCWD, fresh->path, AT_SYMLINK_FOLLOW) == 0;
        if (!fresh->is_named && errno != EEXIST) {
            return false;
        }
    }
    return fresh->is_named;
}

static void drop_fresh(FreshFile* fresh) {
    const int why = errno;
    if (fresh->file >= 0) {
        (void)close(fresh->file);
    }
    if (fresh->is_named) {
        (void)unlink(fresh->path);
    }
    errno = why;
}

static bool can_write_stats(const char* path) {
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
        errno = S_ISDIR(there.st_mode) ? EISDIR : EINVAL;
        return false;
    }
    FreshFile fresh;
    const bool can = open_fresh(path, &fresh);
    drop_fresh(&fresh);
    return can;
}

// Writes everything beside the file, with the file's permissions, then replaces it. `path` is not a link.
static bool replace_file(const char* path, const char* bytes, size_t size) {
    FreshFile fresh;
    Sink sink = {.waits_for_readers = true};
    struct stat there;
    bool good = open_fresh(path, &fresh);

    sink.file = fresh.file;
    good = good && write_bytes(&sink, bytes, size);
    errno = sink.error != 0 ? sink.error : errno;
    good = good && (stat(path, &there) != 0 || fchmod(fresh.file, there.st_mode & 07777) == 0);
    good = good && name_fresh(path, &fresh) && rename(fresh.path, path) == 0;

    fresh.is_named = fresh.is_named && !good;
    drop_fresh(&fresh);
    return good;
}

static void rewrite_stats(Guard* guard, const Line* line) {
    LogWriter* writer = &guard->log_writer;
    if (replace_file(writer->stats, line->text, line->size)) {
        writer->stats_error = 0;
        return;
    }

    const int why = errno != 0 ? errno : EIO;
    if (writer->stats_error == 0) {
        complain("--stats", guard->settings->stats, why, "it is not up to date");
    }
    writer->stats_error = why;
    atomic_fetch_add(&writer->dropped, 1);
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

// A file of rows contains only rows: losses are reported at the end.
static void write_row_line(Guard* guard, Sink* rows, const Line* line) {
    LogWriter* writer = &guard->log_writer;
    if (rows->file >= 0 && !(rows->lost == 0 && write_bytes(rows, line->text, line->size))) {
        if (rows->lost == 0) {
            complain("--rows", guard->settings->rows, rows->error, "the rest is lost");
        }
        rows->lost += 1;
        writer->rows_lost += 1;
        writer->rows_error = rows->error;
    }
}

static void write_event(Guard* guard, const Event* event, Sink* out, Sink* log) {
    LogWriter* writer = &guard->log_writer;
    const bool is_status = event->kind == EVENT_STATUS || event->kind == EVENT_STATS_REQUEST;
    if (is_status || event->kind == EVENT_END) {
        publish_stats(guard, event);
    }

    // Standard output has the changes; the log has everything else, too.
    const bool for_log = event->kind != EVENT_STATS_REQUEST;
    // Left out for people: with --quiet the beginning, of a bench the changes, which its list of exceptions has.
    const bool is_left_out =
        !guard->settings->json && ((event->kind == EVENT_START && guard->settings->quiet) ||
                                   (event->kind == EVENT_CHANGE && guard->settings->bench));
    const bool for_out = !is_status && event->kind != EVENT_DROPPED && !is_left_out;

    if (for_out || log->file >= 0) {
        line_clear(&writer->line);
        event_write(guard, event, guard->settings->json, &writer->line);
        write_out_line(writer, out, for_out ? &writer->line : &(Line){.size = 0});
        write_log_line(guard, log, for_log ? &writer->line : &(Line){.size = 0});
    }
}

static void* run_log_writer(void* user) {
    Guard* guard = user;
    LogWriter* writer = &guard->log_writer;
    Sink out = {
        .file = writer->out, .json = guard->settings->json, .waits_for_readers = writer->waits_for_readers};
    Sink log = {
        .file = writer->log, .json = guard->settings->json, .waits_for_readers = writer->waits_for_readers};

    Sink rows = {.file = writer->rows, .waits_for_readers = true};
    line_clear(&writer->line);
    line_puts(&writer->line, event_row_header);
    write_row_line(guard, &rows, &writer->line);

    static Event event;
    for (;;) {
        const bool last_round = atomic_load(&writer->done);
        while (event_ring_pop(&guard->event_ring, &event)) {
            if (event.kind == EVENT_ROW) {
                line_clear(&writer->line);
                event_write(guard, &event, false, &writer->line);
                write_row_line(guard, &rows, &writer->line);
                continue;
            }
            event.counts.unwritten += atomic_load(&writer->dropped);
            write_event(guard, &event, &out, &log);
        }
        if (last_round) {
            break;
        }
        pause_ms(writer->waits_for_readers ? 0.2 : 2.0);
    }

    // These were not reported yet.
    if (log.lost > 0 && writer->log_lost == 0) {
        writer->log_error = log.error;
        writer->log_lost = log.lost;
    }
    atomic_store(&writer->finished, true);
    return NULL;
}

// A folder that does not exist or is not writable is a wrong request; everything else is the machine's fault.
static bool fail_to_write(const char* option, const char* path, GuardError* error) {
    const int why = errno;
    const bool wrong = why == ENOENT || why == ENOTDIR || why == EACCES || why == EISDIR ||
                       why == ENAMETOOLONG || why == EROFS || why == EINVAL;
    return guard_fail(error, wrong ? GUARD_WRONG : GUARD_MACHINE, "%s %s: %s", option, path, strerror(why));
}

bool log_writer_start(Guard* guard, GuardError* error) {
    LogWriter* writer = &guard->log_writer;
    const GuardSettings* settings = guard->settings;
    writer->out = STDOUT_FILENO;
    writer->log = writer->rows = -1;
    writer->waits_for_readers = settings->fast;

    if (settings->log != NULL) {
        // A pipe without a reader must not delay the start either.
        writer->log =
            open(settings->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (settings->fast ? 0 : O_NONBLOCK),
                 0644);
        if (writer->log < 0) {
            return fail_to_write("--log", settings->log, error);
        }
    }

    if (settings->rows != NULL) {
        writer->rows = open(settings->rows, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0644);
        if (writer->rows < 0) {
            return fail_to_write("--rows", settings->rows, error);
        }
    }

    if (settings->stats != NULL) {
        // If it is a link, its target is replaced and the link stays.
        char* end = realpath(settings->stats, writer->stats);
        const bool has_room = end != NULL || snprintf(writer->stats, sizeof writer->stats, "%s",
                                                      settings->stats) < (int)sizeof writer->stats;
        errno = has_room ? errno : ENAMETOOLONG;
        if (!has_room || !can_write_stats(writer->stats)) {
            return fail_to_write("--stats", settings->stats, error);
        }
    }

    writer->runs = machine_start_thread(&writer->thread, run_log_writer, guard, 0);
    return writer->runs || guard_fail(error, GUARD_MACHINE, "cannot start a thread for texts");
}

bool log_writer_report_loss(const Guard* guard, GuardError* error) {
    const LogWriter* writer = &guard->log_writer;
    const GuardSettings* settings = guard->settings;

    // A live guard does not wait for a reader, and continues without one.
    const bool is_reader =
        writer->out_error == EAGAIN || writer->out_error == EPIPE || writer->out_error == EBADF;
    if (writer->out_lost && (settings->fast || !is_reader)) {
        return !guard_fail(error, GUARD_MACHINE, "standard output: %s", strerror(writer->out_error));
    }

    if (writer->log_lost > 0) {
        return !guard_fail(error, GUARD_MACHINE, "--log %s: %lld lines could not be written: %s",
                           settings->log, writer->log_lost, strerror(writer->log_error));
    }
    if (writer->rows_lost > 0) {
        return !guard_fail(error, GUARD_MACHINE, "--rows %s: %lld rows could not be written: %s",
                           settings->rows, writer->rows_lost, strerror(writer->rows_error));
    }
    return writer->stats_error != 0 && !guard_fail(error, GUARD_MACHINE, "--stats %s: %s", settings->stats,
                                                   strerror(writer->stats_error));
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
        if (close(writer->log) != 0 && errno != EINTR && writer->log_lost == 0) {
            writer->log_error = errno;
            writer->log_lost = 1;
        }
        writer->log = -1;
    }

    if (writer->rows >= 0 && !writer->runs) {
        if (close(writer->rows) != 0 && errno != EINTR && writer->rows_lost == 0) {
            writer->rows_error = errno;
            writer->rows_lost = 1;
        }
        writer->rows = -1;
    }
}
