// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The second thread: takes notes out of the ring and writes them to standard output, log and statistics. It may be slow,
// blocked or out of space; the loop does not know. Lines that cannot be written are counted, and that is told when they
// can be again.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"

/// A file that lines go to.
typedef struct Sink {
    int file;
    bool json, patient, torn;
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
        if (!sink->patient && poll(&one, 1, 0) <= 0) {
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

static void tell_lost(Sink* sink) {
    char text[120];
    const int size = snprintf(
        text, sizeof text,
        sink->json ? "%s{\"event\": \"lost\", \"lines\": %lld}\n" : "%s%lld lines could not be written\n",
        sink->torn ? "\n" : "", sink->lost);
    if (write_bytes(sink, text, (size_t)size)) {
        sink->lost = 0;
    }
}

static void write_line(Scribe* scribe, Sink* sink, const Line* line) {
    if (sink->file < 0 || line->size == 0) {
        return;
    }
    if (sink->lost > 0) {
        tell_lost(sink);
    }
    if (sink->lost > 0 || !write_bytes(sink, line->text, line->size)) {
        if (sink->file == scribe->out) {
            scribe->out_error = scribe->out_lost ? scribe->out_error : errno;
            scribe->out_lost = true;
        }
        sink->lost += 1;
        atomic_fetch_add(&scribe->dropped, 1);
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
        atomic_fetch_add(&guard->scribe.dropped, 1);
    }
}

static void take_status(Guard* guard, const Note* note) {
    Line* line = &guard->scribe.line;
    if (guard->settings->stats == NULL && note->kind != NOTE_ASKED) {
        return;
    }
    line_clear(line);
    stats_write(guard, note, line);
    if (guard->settings->stats != NULL) {
        rewrite_stats(guard, line);
    } else {
        Sink sink = {.file = STDERR_FILENO};
        (void)write_bytes(&sink, line->text, line->size);
    }
}

static void take_note(Guard* guard, const Note* note, Sink* out, Sink* log) {
    Scribe* scribe = &guard->scribe;
    const bool is_status = note->kind == NOTE_STATUS || note->kind == NOTE_ASKED;
    if (is_status || note->kind == NOTE_END) {
        take_status(guard, note);
    }
    // People see changes; the log has the rest as well.
    const bool for_log = note->kind != NOTE_ASKED;
    // Left out for people: with --quiet the beginning, of a bench the changes, which its list of exceptions has.
    const bool is_note = !guard->settings->json && ((note->kind == NOTE_START && guard->settings->quiet) ||
                                                    (note->kind == NOTE_CHANGE && guard->settings->bench));
    const bool for_out = !is_status && note->kind != NOTE_MAIL && !is_note;
    if (for_out || log->file >= 0) {
        line_clear(&scribe->line);
        event_write(guard, note, guard->settings->json, &scribe->line);
        write_line(scribe, out, for_out ? &scribe->line : &(Line){.size = 0});
        write_line(scribe, log, for_log ? &scribe->line : &(Line){.size = 0});
    }
}

static void* run(void* user) {
    Guard* guard = user;
    Scribe* scribe = &guard->scribe;
    Sink out = {.file = scribe->out, .json = guard->settings->json, .patient = scribe->patient};
    Sink log = {.file = scribe->log, .json = guard->settings->json, .patient = scribe->patient};
    static Note note;
    for (;;) {
        const bool last_round = atomic_load(&scribe->done);
        while (ring_pop(&guard->ring, &note)) {
            note.tally.unwritten += atomic_load(&scribe->dropped);
            take_note(guard, &note, &out, &log);
        }
        if (last_round) {
            break;
        }
        pause_ms(scribe->patient ? 0.2 : 2.0);
    }
    atomic_store(&scribe->finished, true);
    return NULL;
}

// A folder that is not there or may not be written is a wrong request; the rest is the machine.
static bool cannot_write(const char* option, const char* path, GuardError* error) {
    const int why = errno;
    const bool wrong = why == ENOENT || why == ENOTDIR || why == EACCES || why == EISDIR ||
                       why == ENAMETOOLONG || why == EROFS;
    return guard_fail(error, wrong ? GUARD_WRONG : GUARD_MACHINE, "%s %s: %s", option, path, strerror(why));
}

bool scribe_start(Guard* guard, GuardError* error) {
    Scribe* scribe = &guard->scribe;
    const GuardSettings* set = guard->settings;
    scribe->out = STDOUT_FILENO;
    scribe->log = -1;
    scribe->patient = set->fast;
    if (set->log != NULL) {
        // A pipe that nobody reads must not hold up the start either.
        scribe->log =
            open(set->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (set->fast ? 0 : O_NONBLOCK), 0644);
        if (scribe->log < 0) {
            return cannot_write("--log", set->log, error);
        }
    }
    if (set->stats != NULL && !can_write_stats(set->stats)) {
        return cannot_write("--stats", set->stats, error);
    }
    scribe->runs = machine_thread(&scribe->thread, run, guard, 0);
    return scribe->runs || guard_fail(error, GUARD_MACHINE, "no second thread for texts");
}

void scribe_stop(Guard* guard, double seconds) {
    Scribe* scribe = &guard->scribe;
    if (scribe->runs) {
        atomic_store(&scribe->done, true);
        const double until = machine_mono() + seconds;
        while (!atomic_load(&scribe->finished) && (scribe->patient || machine_mono() < until)) {
            pause_ms(0.5);
        }
        if (atomic_load(&scribe->finished)) {
            (void)pthread_join(scribe->thread, NULL);
        }
        scribe->runs = !atomic_load(&scribe->finished);
    }
    if (scribe->log >= 0 && !scribe->runs) {
        (void)close(scribe->log);
        scribe->log = -1;
    }
}
