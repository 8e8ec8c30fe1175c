// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The loop: sleep until the next cycle, hear, decide, seal, send. All memory is taken before the first cycle; a cycle
// waits for nothing but the clock.

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"

double guard_time(const Guard* guard) {
    if (guard->settings->fast) {
        return (double)guard->tick * guard->safety.period;
    }
    return (machine_mono() - guard->zero) * guard->settings->speed;
}

Tally guard_tally(const Guard* guard) {
    const DdsCounts told = guard->dds != NULL ? dds_counts(guard->dds) : (DdsCounts){0};
    return (Tally){.monitor = berth_monitor_counters(guard->monitor),
                   .mail = guard->mail,
                   .sent = guard->output.sent + told.sent,
                   .unsent = guard->output.unsent + told.unsent,
                   .late = guard->late,
                   .unwritten = guard->unwritten,
                   .page_faults = machine_faults(&guard->machine)};
}

enum { BURST = 20, RATE = 10 };  // changes told at once, and a second

// ---- what is told --------------------------------------------------------------------------------------------

static void beat(Guard* guard) {
    atomic_fetch_add_explicit(&guard->dog.beat, 1, memory_order_relaxed);
}

static void push(Guard* guard, NoteKind kind, const BerthPermit* permit) {
    Note* note = &guard->note;
    *note = (Note){.kind = kind,
                   .cycle = guard->cycle,
                   .time = guard->now - guard->first_time,
                   .hidden = guard->hidden,
                   .permit = *permit,
                   .tally = guard_tally(guard)};
    while (!ring_push(&guard->ring, note)) {
        if (!guard->scribe.patient) {
            guard->unwritten += 1;
            return;
        }
        beat(guard);  // it waits for its reader, it does not hang
        const struct timespec moment = {0, 100000};
        (void)nanosleep(&moment, NULL);
    }
}

static bool is_change(const Guard* guard, const BerthPermit* p) {
    const BerthPermit* last = &guard->last;
    return !guard->told || p->go != last->go || p->reason != last->reason || p->cause != last->cause ||
           p->value != last->value || p->source != last->source || p->object != last->object ||
           p->choice != last->choice;
}

// Changes are told at once, but a live guard tells no more than ten a second for long.
static void tell_change(Guard* guard, const BerthPermit* permit) {
    const double since = guard->now - guard->credit_time;
    guard->note_credit = fmin(BURST, guard->note_credit + RATE * fmax(since, 0.0));
    guard->credit_time = guard->now;
    if (!guard->scribe.patient && guard->note_credit < 1.0) {
        guard->hidden += 1;
        return;
    }
    guard->note_credit -= 1.0;
    push(guard, NOTE_CHANGE, permit);
    guard->hidden = 0;
}

static int64_t dropped_of(const Guard* guard) {
    const BerthMonitorCounters c = berth_monitor_counters(guard->monitor);
    return c.stale + c.malformed + guard->mail.malformed + guard->mail.strangers + guard->mail.nameless +
           guard->mail.unqueued;
}

static void tell_regularly(Guard* guard, const BerthPermit* permit) {
    if (machine_stats_asked()) {
        push(guard, NOTE_ASKED, permit);
    }
    if (!(guard->now - guard->last_status >= 1.0)) {
        return;
    }
    guard->last_status = guard->now;
    filter_count(guard);
    if (guard->settings->stats != NULL || guard->settings->log != NULL) {
        push(guard, NOTE_STATUS, permit);
    }
    const int64_t dropped = dropped_of(guard);
    if (dropped != guard->told_dropped && guard->settings->log != NULL) {
        push(guard, NOTE_MAIL, permit);
    }
    guard->told_dropped = dropped;
}

static void tell(Guard* guard, const BerthPermit* permit) {
    if (!guard->told) {
        guard->first_time = guard->last_status = guard->credit_time = guard->now;
        guard->note_credit = BURST;
        push(guard, NOTE_START, permit);
    }
    if (is_change(guard, permit)) {
        tell_change(guard, permit);
    }
    tell_regularly(guard, permit);
    guard->told = true;
    guard->last = *permit;
    guard->permitted = guard->permitted || permit->go;
    guard->near_stops += permit->reason == BERTH_STOP_NEAR;
    guard->other_stops += guard->permitted && !permit->go && permit->reason != BERTH_STOP_NEAR;
    if (permit->body_a >= 0 && (guard->nearest.body_a < 0 || permit->distance < guard->nearest.distance)) {
        guard->nearest = *permit;
        guard->nearest_cycle = guard->cycle;
    }
}

// ---- one cycle -----------------------------------------------------------------------------------------------

// Returns how late it is. Cycles that were slept through are left out; the monitor sees the gap.
static double wait_for_cycle(Guard* guard) {
    const double step = guard->safety.period / guard->settings->speed;
    if (guard->settings->fast) {
        guard->tick = guard->cycle;
        guard->now = guard_time(guard);
        return 0.0;
    }
    const double deadline = guard->start + (double)guard->tick * step;
    machine_sleep_until(deadline);
    const double woke = machine_mono();
    guard->now = guard_time(guard);
    const double late = woke - deadline;
    guard->tick += 1 + (late > step ? (int64_t)(late / step) : 0);
    return late;
}

static void inject_fault(Guard* guard) {
    const GuardSettings* set = guard->settings;
    if (set->fault == GUARD_FAULT_NONE || guard->cycle != set->fault_cycle) {
        return;
    }
    const double until = machine_mono() + set->fault_seconds;
    switch (set->fault) {
    case GUARD_FAULT_DELAY:
        while (machine_mono() < until) {
        }
        break;
    case GUARD_FAULT_HANG:
        for (volatile bool forever = true; forever;) {
        }
        break;
    case GUARD_FAULT_ROUNDING:
    case GUARD_FAULT_FLUSH:
        machine_spoil_numbers(set->fault == GUARD_FAULT_FLUSH);
        break;
    case GUARD_FAULT_MODEL:
        berth_monitor_test_flip(guard->monitor, (size_t)guard->cycle);
        break;
    case GUARD_FAULT_NONE:
        break;
    }
}

// A permit that was decided already, and must not be given.
static void take_away(const Guard* guard, BerthStop reason, BerthPermit* permit) {
    if (permit->go) {
        permit->go = false;
        permit->reason = permit->cause = reason;
        permit->valid_until = guard->now;
    }
}

// What was computed in another way of rounding proves nothing.
static void judge_numbers(Guard* guard, BerthPermit* permit) {
    if (!machine_numbers_are_right()) {
        machine_set_numbers();
        berth_monitor_fault(guard->monitor, BERTH_STOP_NUMBERS);
        take_away(guard, BERTH_STOP_NUMBERS, permit);
    }
}

// A slice of the model every cycle, all of it every second.
static void judge_model(Guard* guard, BerthPermit* permit) {
    if (!berth_monitor_check_model(guard->monitor, guard->slice)) {
        take_away(guard, BERTH_STOP_MODEL, permit);
    }
}

// Between sealing and sending lies a moment. A permit that left too late cannot be called back, but the next word is STOP.
static void judge_sending(Guard* guard, const BerthPermit* permit) {
    if (permit->go && !(guard_time(guard) - guard->now <= guard->safety.period)) {
        berth_monitor_fault(guard->monitor, BERTH_STOP_OVERRUN);
        guard->fault_at = guard->now;
    }
}

static void measure(Guard* guard, double wake, double began, double cpu, const BerthPermit* permit) {
    const double took = machine_mono() - began;
    const double own = guard->settings->bench ? machine_cpu() - cpu : 0.0;
    const double step = guard->safety.period / guard->settings->speed;
    const bool first = guard->cycle == 0;
    const bool late = !guard->settings->fast &&
                      (took > step || (!first && guard->now - guard->last_now > 1.5 * guard->safety.period));
    histogram_add(&guard->took, took);
    histogram_add(&guard->wake, wake);
    histogram_add(&guard->cpu, own);
    guard->late += late;
    guard->late_permits += late && permit->go;
    guard->last_now = guard->now;
    if (guard->settings->bench && (late || own > 0.5 * step || wake > 0.5 * step || took > 0.5 * step)) {
        if (guard->exception_count < EXCEPTIONS_MAX) {
            guard->exceptions[guard->exception_count] =
                (Exception){guard->cycle, own, wake, took, permit->reason};
        }
        guard->exception_count += 1;
    }
}

static void one_cycle(Guard* guard) {
    const double wake = wait_for_cycle(guard);
    const double began = machine_mono();
    const double cpu = guard->settings->bench ? machine_cpu() : 0.0;
    beat(guard);
    if (machine_reset_asked()) {
        mail_reset(guard);
    }
    BerthPermit permit = {.go = false};
    judge_numbers(guard, &permit);
    input_drain(guard, guard->now);
    berth_monitor_cycle(guard->monitor, guard->now, &permit);
    inject_fault(guard);
    judge_numbers(guard, &permit);
    judge_model(guard, &permit);
    const double finished = guard_time(guard);
    berth_monitor_seal(guard->monitor, finished, &permit);
    output_send(guard, &permit);
    judge_sending(guard, &permit);
    measure(guard, wake, began, cpu, &permit);
    tell(guard, &permit);
    const bool fault = !permit.go && permit.reason != BERTH_STOP_NEAR && permit.reason != BERTH_STOP_RESET;
    guard->fault_at = fault ? guard->now : guard->fault_at;
    if (guard->settings->auto_start && fault) {
        mail_reset(guard);
    }
    guard->cycle += 1;
}

static bool goes_on(const Guard* guard) {
    const GuardSettings* set = guard->settings;
    return !machine_is_ending() && !guard->input.ended && (set->cycles == 0 || guard->cycle < set->cycles) &&
           !(set->seconds > 0.0 && guard->now - guard->first_time >= set->seconds);
}

// The last word is STOP.
static void last_cycle(Guard* guard) {
    BerthPermit permit;
    berth_monitor_end(guard->monitor);
    filter_count(guard);
    guard->tick += guard->settings->fast;
    guard->now = guard_time(guard);
    berth_monitor_cycle(guard->monitor, guard->now, &permit);
    berth_monitor_seal(guard->monitor, guard->now, &permit);
    output_send(guard, &permit);
    guard->note_credit = 1.0;
    push(guard, NOTE_CHANGE, &permit);
    push(guard, NOTE_END, &permit);
}

// ---- beginning and end ---------------------------------------------------------------------------------------

static void find_movers(Guard* guard) {
    const BerthScene* scene = guard->settings->scene;
    const int32_t most = (int32_t)(sizeof guard->movers / sizeof guard->movers[0]);
    for (int32_t i = 0; i < berth_scene_object_count(scene) && guard->mover_count < most; ++i) {
        const BerthObjectId id = berth_scene_object_at(scene, i);
        BerthObjectInfo info;
        if (berth_scene_object(scene, id, &info) == BERTH_OK && (info.moving || info.person) &&
            info.robot < 0) {
            guard->movers[guard->mover_count++] = id;
        }
    }
}

// Meshes may take half of the cycle's time.
static bool no_time_left(void* user) {
    const Guard* guard = user;
    return !guard->settings->fast && !(guard_time(guard) - guard->now < 0.5 * guard->safety.period);
}

static bool open_all(Guard* guard, GuardError* error) {
    const GuardSettings* set = guard->settings;
    guard->value_count = berth_scene_value_count(set->scene);
    guard->safety = set->def.safety;
    guard->nearest.body_a = -1;
    guard->positions = calloc((size_t)guard->value_count + 1, sizeof *guard->positions);
    guard->velocities = calloc((size_t)guard->value_count + 1, sizeof *guard->velocities);
    if (guard->positions == NULL || guard->velocities == NULL) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }
    find_movers(guard);
    BerthMonitorDef def = set->def;
    def.refine_stop = no_time_left;
    def.refine_user = guard;
    const BerthStatus status = berth_monitor_create(set->scene, &def, &guard->monitor);
    if (status != BERTH_OK) {
        const char* text = berth_error_text();
        const size_t own = strncmp(text, "monitor: ", strlen("monitor: ")) == 0 ? strlen("monitor: ") : 0;
        return guard_fail(error, status == BERTH_ERR_MEMORY ? GUARD_MACHINE : GUARD_WRONG, "%s", text + own);
    }
    return input_open(guard, error) && output_open(guard, error) && scribe_start(guard, error);
}

static bool begin(Guard* guard, GuardError* error) {
    const GuardSettings* set = guard->settings;
    machine_watch_signals();
    if (!open_all(guard, error) || !machine_enter(&guard->machine, set, error)) {
        return false;
    }
    const double patience = fmax(set->watchdog, 10.0 * guard->safety.period / set->speed);
    if (!watchdog_start(&guard->dog, patience, guard->machine.fifo ? set->priority + 1 : 0)) {
        return guard_fail(error, GUARD_MACHINE, "no thread for the watchdog");
    }
    machine_warm();
    machine_set_numbers();
    (void)berth_wire_read("?", 1, &guard->message);  // the library's text of errors is made by its first use
    if (guard->replay || guard->input.kind == INPUT_MOTION) {
        mail_reset(guard);
    }
    guard->slice = (size_t)((double)berth_monitor_model_bytes(guard->monitor) * guard->safety.period) + 64;
    guard->start = machine_mono() + guard->safety.period / set->speed;
    guard->zero = guard->replay ? guard->start : 0.0;
    machine_mark(&guard->machine);
    return true;
}

static void finish(Guard* guard, int status) {
    watchdog_stop(&guard->dog);
    scribe_stop(guard, 0.0);
    if (guard->scribe.runs) {
        _exit(status);  // it hangs in a write, and may still look at all this
    }
    input_close(guard);
    output_close(guard);
    berth_monitor_destroy(guard->monitor);
    free(guard->positions);
    free(guard->velocities);
    free(guard);
}

static int status_of(const Guard* guard) {
    if (!guard->replay && guard->input.kind != INPUT_STREAM) {
        return GUARD_CLEAN;
    }
    if (machine_is_ending()) {
        return guard->replay ? GUARD_INTERRUPTED : GUARD_CLEAN;
    }
    return guard->near_stops > 0                         ? GUARD_NEAR
           : guard->other_stops > 0 || !guard->permitted ? GUARD_STOPPED
                                                         : GUARD_CLEAN;
}

int guard_run(const GuardSettings* settings, GuardError* error) {
    Guard* guard = calloc(1, sizeof *guard);
    if (guard == NULL) {
        (void)guard_fail(error, GUARD_MACHINE, "out of memory");
        return error->status;
    }
    memset(guard, 0, sizeof *guard);  // touched now, not in a cycle
    guard->settings = settings;
    guard->input.file = guard->output.file = -1;
    guard->fault_at = -(double)INFINITY;
    int status = GUARD_WRONG;
    if (begin(guard, error)) {
        do {
            one_cycle(guard);
        } while (goes_on(guard));
        last_cycle(guard);
        status = status_of(guard);
        GuardAssumed own[GUARD_ASSUMED_COUNT];
        error->assumed = guard_assumed(guard, own) > 0;
        scribe_stop(guard, 0.05);
        if (settings->fast && guard->scribe.out_lost) {
            (void)guard_fail(error, GUARD_MACHINE, "standard output: %s", strerror(guard->scribe.out_error));
            status = GUARD_MACHINE;
        }
        if (settings->bench) {
            bench_print(guard);
        }
    } else {
        status = error->status;
        scribe_stop(guard, 1.0);
    }
    finish(guard, status);
    return status;
}
