// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The loop: sleep until the next cycle, receive, decide, seal, send. All memory is allocated before the first cycle; a cycle
// waits for nothing but the clock.
// Entry: guard_run.

#include <berth/lab/monitor.h>
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "guard_internal.h"

double guard_time(const Guard* guard) {
    if (guard->settings->fast) {
        return (double)guard->tick * guard->safety.period;
    }
    return (machine_monotonic_seconds() - guard->time_zero) * guard->settings->speed;
}

GuardCounts guard_counts(const Guard* guard) {
    const DdsCounts dds_sent = guard->dds != NULL ? dds_counts(guard->dds) : (DdsCounts){0};
    return (GuardCounts){.monitor = berth_monitor_counters(guard->monitor),
                         .message_counts = guard->message_counts,
                         .sent = guard->output.sent + dds_sent.sent,
                         .unsent = guard->output.unsent + dds_sent.unsent,
                         .late = guard->late,
                         .unwritten = guard->unwritten,
                         .rows_left_out = guard->rows_left_out,
                         .page_faults = machine_page_faults(&guard->machine)};
}

enum { REPORT_BURST = 20, REPORT_RATE = 10 };  // changes reported at once, and per second

// ---- reports -------------------------------------------------------------------------------------------------

static void feed_watchdog(Guard* guard) {
    atomic_fetch_add_explicit(&guard->watchdog.beat, 1, memory_order_relaxed);
}

static void wait_for_log_writer(Guard* guard) {
    feed_watchdog(guard);  // the loop is waiting for the reader, it has not hung
    const struct timespec pause = {0, 100000};
    (void)nanosleep(&pause, NULL);
}

static void push_event(Guard* guard, EventKind kind, const BerthPermit* permit) {
    Event* event = &guard->event;
    *event = (Event){.kind = kind,
                     .cycle = guard->cycle,
                     .time = guard->now - guard->first_time,
                     .hidden = guard->hidden,
                     .nonce = guard->trust.nonce,
                     .permit = *permit,
                     .counts = guard_counts(guard)};

    // A replay waits for room; a live guard drops the event and counts it.
    while (!event_ring_push(&guard->event_ring, event)) {
        if (!guard->log_writer.waits_for_readers) {
            guard->unwritten += 1;
            return;
        }
        wait_for_log_writer(guard);
    }
}

static bool is_change(const Guard* guard, const BerthPermit* p) {
    const BerthPermit* last = &guard->last_permit;
    return !guard->reported_start || p->go != last->go || p->reason != last->reason ||
           p->cause != last->cause || p->retreat != last->retreat || p->value != last->value ||
           p->source != last->source || p->object != last->object || p->choice != last->choice;
}

// Changes are reported at once, but a live guard reports no more than ten a second for long.
static void report_change_within_rate(Guard* guard, const BerthPermit* permit) {
    const double since = guard->now - guard->credit_time;
    guard->event_credit = fmin(REPORT_BURST, guard->event_credit + REPORT_RATE * fmax(since, 0.0));
    guard->credit_time = guard->now;
    if (!guard->log_writer.waits_for_readers && guard->event_credit < 1.0) {
        guard->hidden += 1;
        return;
    }
    guard->event_credit -= 1.0;
    push_event(guard, EVENT_CHANGE, permit);
    guard->hidden = 0;
}

static int64_t count_dropped(const Guard* guard) {
    const BerthMonitorCounters c = berth_monitor_counters(guard->monitor);
    return c.stale + c.malformed + guard->message_counts.malformed + guard->message_counts.strangers +
           guard->message_counts.nameless + guard->message_counts.unqueued + guard->message_counts.forged +
           guard->message_counts.replayed + guard->message_counts.misfits;
}

static void report_regularly(Guard* guard, const BerthPermit* permit) {
    if (machine_take_stats_request()) {
        push_event(guard, EVENT_STATS_REQUEST, permit);
    }

    // Once a second: the status, and whether messages were dropped.
    if (!(guard->now - guard->last_status >= 1.0)) {
        return;
    }

    guard->last_status = guard->now;
    filter_count(guard);
    if (guard->settings->stats != NULL || guard->settings->log != NULL) {
        push_event(guard, EVENT_STATUS, permit);
    }

    const int64_t dropped = count_dropped(guard);
    if (dropped != guard->reported_dropped && guard->settings->log != NULL) {
        push_event(guard, EVENT_DROPPED, permit);
    }
    guard->reported_dropped = dropped;
}

// A row of --rows: for every n-th cycle, and for those in which the verdict or its reason changes.
static void report_row(Guard* guard, double took, const BerthPermit* permit) {
    const GuardSettings* settings = guard->settings;
    const BerthPermit* last = &guard->last_permit;
    const bool differs =
        permit->go != last->go || permit->reason != last->reason || permit->retreat != last->retreat;
    if (settings->rows == NULL || (guard->cycle % settings->rows_every != 0 && !differs)) {
        return;
    }

    Event* event = &guard->event;
    event->kind = EVENT_ROW;
    event->cycle = guard->cycle;
    event->time = guard->now - guard->first_time;
    event->took = took;
    event->permit = *permit;

    while (guard->log_writer.waits_for_readers && !event_ring_has_room(&guard->event_ring)) {
        wait_for_log_writer(guard);
    }
    const bool has_room = guard->row_count < settings->rows_most && event_ring_has_room(&guard->event_ring) &&
                          event_ring_push(&guard->event_ring, event);
    guard->row_count += has_room;
    guard->rows_left_out += !has_room;
}

static void report_cycle(Guard* guard, double took, const BerthPermit* permit) {
    if (!guard->reported_start) {
        guard->first_time = guard->last_status = guard->credit_time = guard->now;
        guard->event_credit = REPORT_BURST;
        push_event(guard, EVENT_START, permit);
    }

    if (is_change(guard, permit)) {
        report_change_within_rate(guard, permit);
    }
    report_row(guard, took, permit);
    report_regularly(guard, permit);

    // Totals for the exit status and the end of the log.
    guard->reported_start = true;
    guard->last_permit = *permit;
    guard->had_permit = guard->had_permit || permit->go;
    guard->near_stops += permit->reason == BERTH_STOP_NEAR;
    guard->other_stops += guard->had_permit && !permit->go && permit->reason != BERTH_STOP_NEAR;

    if (permit->body_a >= 0 &&
        (guard->nearest_permit.body_a < 0 || permit->distance < guard->nearest_permit.distance)) {
        guard->nearest_permit = *permit;
        guard->nearest_cycle = guard->cycle;
    }
}

// ---- one cycle -----------------------------------------------------------------------------------------------

// Returns how late it is. Missed cycles are skipped; the monitor sees the gap.
static double wait_for_cycle(Guard* guard) {
    const double step = guard->safety.period / guard->settings->speed;
    if (guard->settings->fast) {
        guard->tick = guard->cycle;
        guard->now = guard_time(guard);
        return 0.0;
    }

    const double deadline = guard->start + (double)guard->tick * step;
    machine_sleep_until(deadline);
    const double woke = machine_monotonic_seconds();
    guard->now = guard_time(guard);

    const double late = woke - deadline;
    guard->tick += 1 + (late > step ? (int64_t)(late / step) : 0);
    return late;
}

static void inject_fault(Guard* guard) {
    const GuardSettings* settings = guard->settings;
    if (settings->fault == GUARD_FAULT_NONE || guard->cycle != settings->fault_cycle) {
        return;
    }
    const double until = machine_monotonic_seconds() + settings->fault_seconds;

    switch (settings->fault) {
    case GUARD_FAULT_DELAY:
        while (machine_monotonic_seconds() < until) {
        }
        break;
    case GUARD_FAULT_HANG:
        for (volatile bool forever = true; forever;) {
        }
        break;
    case GUARD_FAULT_ROUNDING:
    case GUARD_FAULT_FLUSH:
        machine_spoil_float_mode(settings->fault == GUARD_FAULT_FLUSH);
        break;
    case GUARD_FAULT_MODEL:
        berth_monitor_test_flip_bit(guard->monitor, (size_t)guard->cycle);
        break;
    case GUARD_FAULT_NONE:
        break;
    }
}

// Withdraws a permit that was already decided.
static void withdraw_permit(const Guard* guard, BerthStop reason, BerthPermit* permit) {
    if (permit->go || permit->retreat) {
        permit->go = permit->retreat = false;
        permit->reason = permit->cause = reason;
        permit->valid_until = guard->now;
    }
}

// Results computed with another rounding mode prove nothing.
static void check_float_mode(Guard* guard, BerthPermit* permit) {
    if (!machine_float_mode_is_right()) {
        machine_set_float_mode();
        berth_monitor_fault(guard->monitor, BERTH_STOP_NUMBERS);
        withdraw_permit(guard, BERTH_STOP_NUMBERS, permit);
    }
}

// Verifies a slice of the model every cycle, all of it every second.
static void check_model_slice(Guard* guard, BerthPermit* permit) {
    if (!berth_monitor_check_model(guard->monitor, guard->model_slice_bytes)) {
        withdraw_permit(guard, BERTH_STOP_MODEL, permit);
    }
}

// Time passes between sealing and sending. A permit that was sent too late cannot be recalled, but the next message is STOP.
static void check_sending_time(Guard* guard, const BerthPermit* permit) {
    if ((permit->go || permit->retreat) && !(guard_time(guard) - guard->now <= guard->safety.period)) {
        berth_monitor_fault(guard->monitor, BERTH_STOP_OVERRUN);
        guard->last_fault_time = guard->now;
    }
}

// Returns how long it took.
static double measure_cycle(Guard* guard, double wake, double began, double cpu, const BerthPermit* permit) {
    const double took = machine_monotonic_seconds() - began;
    const double own_cpu = guard->settings->bench ? machine_cpu_seconds() - cpu : 0.0;
    const double step = guard->safety.period / guard->settings->speed;
    const bool first = guard->cycle == 0;
    const bool late = !guard->settings->fast &&
                      (took > step || (!first && guard->now - guard->last_now > 1.5 * guard->safety.period));

    histogram_add(&guard->took, took);
    histogram_add(&guard->wake, wake);
    histogram_add(&guard->cpu, own_cpu);
    guard->late += late;
    guard->late_permits += late && permit->go;
    guard->last_now = guard->now;

    // A bench lists the slow cycles one by one.
    if (guard->settings->bench && (late || own_cpu > 0.5 * step || wake > 0.5 * step || took > 0.5 * step)) {
        if (guard->exception_count < EXCEPTIONS_MAX) {
            guard->exceptions[guard->exception_count] =
                (Exception){guard->cycle, own_cpu, wake, took, permit->reason};
        }
        guard->exception_count += 1;
    }
    return took;
}

static void run_cycle(Guard* guard) {
    const double wake = wait_for_cycle(guard);
    const double began = machine_monotonic_seconds();
    const double cpu = guard->settings->bench ? machine_cpu_seconds() : 0.0;
    feed_watchdog(guard);

    if (machine_take_reset_request()) {
        guard_reset_monitor(guard);
    }

    // Receive and decide. The floating-point mode is checked before and after.
    BerthPermit permit = {.go = false};
    check_float_mode(guard, &permit);
    input_drain(guard, guard->now);
    berth_monitor_cycle(guard->monitor, guard->now, &permit);
    inject_fault(guard);
    check_float_mode(guard, &permit);
    check_model_slice(guard, &permit);

    // Seal and send, then check that it was sent in time.
    const double finished = guard_time(guard);
    berth_monitor_seal(guard->monitor, finished, &permit);
    output_send(guard, &permit);
    check_sending_time(guard, &permit);

    const double took = measure_cycle(guard, wake, began, cpu, &permit);
    report_cycle(guard, took, &permit);

    // Remember the fault: a reset that was sent before it does not count.
    const bool fault = !permit.go && permit.reason != BERTH_STOP_NEAR && permit.reason != BERTH_STOP_RESET;
    if (fault) {
        guard->last_fault_time = guard->now;
    }
    trust_renew_nonce(guard, fault);
    if ((guard->settings->auto_start || guard->input.kind == INPUT_MOTION) && fault) {
        guard_reset_monitor(guard);
    }

    guard->cycle += 1;
}

static bool has_next_cycle(const Guard* guard) {
    const GuardSettings* settings = guard->settings;
    return !machine_is_ending() && !guard->input.ended &&
           (settings->cycles == 0 || guard->cycle < settings->cycles) &&
           !(settings->seconds > 0.0 && guard->now - guard->first_time >= settings->seconds);
}

// The last message is STOP.
static void run_last_cycle(Guard* guard) {
    BerthPermit permit;
    berth_monitor_end(guard->monitor);
    filter_count(guard);
    guard->tick += guard->settings->fast;
    guard->now = guard_time(guard);

    berth_monitor_cycle(guard->monitor, guard->now, &permit);
    berth_monitor_seal(guard->monitor, guard->now, &permit);
    output_send(guard, &permit);

    guard->event_credit = 1.0;
    push_event(guard, EVENT_CHANGE, &permit);
    push_event(guard, EVENT_END, &permit);
}

// ---- beginning and end ---------------------------------------------------------------------------------------

static void find_movers(Guard* guard) {
    const BerthScene* scene = guard->settings->scene;
    const int32_t mover_limit = (int32_t)(sizeof guard->movers / sizeof guard->movers[0]);
    for (int32_t i = 0; i < berth_scene_object_count(scene) && guard->mover_count < mover_limit; ++i) {
        const BerthObjectId id = berth_scene_object_at(scene, i);
        BerthObjectInfo info;
        if (berth_scene_object(scene, id, &info) == BERTH_OK && (info.moving || info.person) &&
            info.robot < 0) {
            guard->movers[guard->mover_count++] = id;
        }
    }
}

// Checking meshes may take half of the cycle.
static bool no_time_left(void* user) {
    const Guard* guard = user;
    return !guard->settings->fast && !(guard_time(guard) - guard->now < 0.5 * guard->safety.period);
}

static bool open_parts(Guard* guard, GuardError* error) {
    const GuardSettings* settings = guard->settings;
    guard->value_count = berth_scene_value_count(settings->scene);
    guard->safety = settings->def.safety;
    guard->nearest_permit.body_a = -1;
    if (!trust_open(guard, error)) {
        return false;
    }

    const size_t values = (size_t)guard->value_count + 1;
    guard->positions = calloc(values, sizeof *guard->positions);
    guard->velocities = calloc(values, sizeof *guard->velocities);
    guard->source_positions = calloc(values, sizeof *guard->source_positions);
    guard->source_velocities = calloc(values, sizeof *guard->source_velocities);
    if (guard->positions == NULL || guard->velocities == NULL || guard->source_positions == NULL ||
        guard->source_velocities == NULL) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }

    find_movers(guard);
    BerthMonitorDef def = settings->def;
    def.refine_stop = no_time_left;
    def.refine_user = guard;
    const BerthStatus status = berth_monitor_create(settings->scene, &def, &guard->monitor);
    if (status != BERTH_OK) {
        const char* text = berth_error_text();
        const size_t own_prefix =
            strncmp(text, "monitor: ", strlen("monitor: ")) == 0 ? strlen("monitor: ") : 0;
        return guard_fail(error, status == BERTH_ERR_MEMORY ? GUARD_MACHINE : GUARD_WRONG, "%s",
                          text + own_prefix);
    }

    // Up to here large meshes may take seconds, during which Ctrl-C ends the program at once: nothing is open yet.
    machine_watch_ending();
    return input_open(guard, error) && output_open(guard, error) && log_writer_start(guard, error);
}

static bool open_guard(Guard* guard, GuardError* error) {
    const GuardSettings* settings = guard->settings;
    machine_watch_signals();
    if (!open_parts(guard, error) || !machine_request_real_time(&guard->machine, settings, error)) {
        return false;
    }

    const double watchdog_seconds = fmax(settings->watchdog, 10.0 * guard->safety.period / settings->speed);
    if (!watchdog_start(&guard->watchdog, watchdog_seconds,
                        guard->machine.fifo ? settings->priority + 1 : 0)) {
        return guard_fail(error, GUARD_MACHINE, "cannot start the watchdog's thread");
    }

    // Things that the first cycle would otherwise do for the first time.
    machine_touch_stack();
    machine_set_float_mode();
    (void)berth_wire_read("?", 1, &guard->message);  // the first use creates the library's error text
    if (guard->replay || guard->input.kind == INPUT_MOTION) {
        guard_reset_monitor(guard);
    }

    guard->model_slice_bytes =
        (size_t)((double)berth_monitor_model_bytes(guard->monitor) * guard->safety.period) + 64;
    guard->start = machine_monotonic_seconds() + guard->safety.period / settings->speed;
    guard->time_zero = guard->replay ? guard->start : 0.0;

    machine_mark_usage(&guard->machine);
    return true;
}

static void close_guard(Guard* guard, int status) {
    watchdog_stop(&guard->watchdog);
    log_writer_stop(guard, 0.0);
    if (guard->log_writer.runs) {
        _exit(status);  // its thread hangs in a write, and may still read this memory
    }

    input_close(guard);
    output_close(guard);
    berth_monitor_destroy(guard->monitor);
    free(guard->positions);
    free(guard->velocities);
    free(guard->source_positions);
    free(guard->source_velocities);
    free(guard);
}

static int exit_status(const Guard* guard) {
    if (!guard->replay && guard->input.kind != INPUT_STREAM) {
        return GUARD_CLEAN;
    }
    if (machine_is_ending()) {
        return guard->replay ? GUARD_INTERRUPTED : GUARD_CLEAN;
    }
    if (guard->near_stops > 0) {
        return GUARD_NEAR;
    }
    return guard->other_stops > 0 || !guard->had_permit ? GUARD_STOPPED : GUARD_CLEAN;
}

int guard_run(const GuardSettings* settings, GuardError* error) {
    Guard* guard = calloc(1, sizeof *guard);
    if (guard == NULL) {
        (void)guard_fail(error, GUARD_MACHINE, "out of memory");
        return error->status;
    }

    memset(guard, 0, sizeof *guard);  // page faults now, not in a cycle
    guard->settings = settings;
    guard->input.file = guard->output.file = -1;
    guard->last_fault_time = -(double)INFINITY;
    int status = GUARD_WRONG;

    if (open_guard(guard, error)) {
        do {
            run_cycle(guard);
        } while (has_next_cycle(guard));
        run_last_cycle(guard);

        status = exit_status(guard);
        GuardAssumed assumed[GUARD_ASSUMED_COUNT];
        error->assumed = guard_list_assumed(guard, guard_counts(guard).monitor.unstamped, assumed) > 0;

        log_writer_stop(guard, 0.05);
        if (!guard->log_writer.runs && log_writer_report_loss(guard, error)) {
            status = GUARD_MACHINE;
        }
        if (settings->bench && !bench_print(guard)) {
            (void)guard_fail(error, GUARD_MACHINE, "standard output: %s", strerror(errno));
            status = GUARD_MACHINE;
        }
    } else {
        status = error->status;
        log_writer_stop(guard, 1.0);
    }

    close_guard(guard, status);
    return status;
}
