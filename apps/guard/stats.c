// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Statistics in the format of Prometheus, and the output of a bench run.
// Entries: stats_write, bench_print.

#include <stdio.h>

#include "guard_internal.h"

static void put_help(Line* line, const char* name, const char* type, const char* text) {
    line_printf(line, "# HELP %s %s\n# TYPE %s %s\n", name, text, name, type);
}

static void put_counter(Line* line, const char* name, const char* text, int64_t value) {
    put_help(line, name, "counter", text);
    line_printf(line, "%s %lld\n", name, (long long)value);
}

static void put_gauge(Line* line, const char* name, const char* text, double value) {
    put_help(line, name, "gauge", text);
    line_printf(line, "%s %.9g\n", name, value);
}

static void put_quantiles(Line* line, const char* name, const char* text, const Histogram* h) {
    static const double shares[] = {0.5, 0.99, 0.999, 0.9999};
    put_help(line, name, "summary", text);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; ++i) {
        line_printf(line, "%s{quantile=\"%g\"} %.9g\n", name, shares[i],
                    1e-6 * histogram_quantile(h, shares[i]));
    }
    line_printf(line, "%s_count %llu\n", name,
                (unsigned long long)atomic_load_explicit(&h->count, memory_order_relaxed));
}

void stats_write(const Guard* guard, const Event* event, Line* line) {
    const GuardCounts* t = &event->counts;
    const BerthMonitorCounters* m = &t->monitor;

    line_printf(line, "# berth monitor: %s. %s\n", GUARD_SENTENCE, guard->machine.words);
    put_gauge(line, "berth_real_time", "1 with SCHED_FIFO and locked memory, 0: not real-time",
              guard->machine.fifo && guard->machine.locked ? 1.0 : 0.0);
    put_gauge(line, "berth_permit", "1 while a permit is given", event->permit.go ? 1.0 : 0.0);
    put_gauge(line, "berth_seconds", "since the start", event->time);

    put_counter(line, "berth_cycles_total", "cycles", m->cycles);
    put_counter(line, "berth_permits_total", "cycles with a permit", m->permits);

    put_help(line, "berth_stops_total", "counter", "cycles without a permit, by reason");
    for (int i = 1; i < BERTH_STOP_COUNT; ++i) {
        line_printf(line, "berth_stops_total{reason=\"%s\"} %lld\n", berth_stop_name((BerthStop)i),
                    (long long)m->stops[i]);
    }

    put_help(line, "berth_messages_total", "counter", "messages, by outcome");
    line_printf(line, "berth_messages_total{was=\"good\"} %lld\n", (long long)m->good);
    line_printf(line, "berth_messages_total{was=\"stale\"} %lld\n", (long long)m->stale);
    line_printf(line, "berth_messages_total{was=\"malformed\"} %lld\n",
                (long long)(m->malformed + t->message_counts.malformed));
    line_printf(line, "berth_messages_total{was=\"stranger\"} %lld\n",
                (long long)t->message_counts.strangers);
    line_printf(line, "berth_messages_total{was=\"nameless\"} %lld\n", (long long)t->message_counts.nameless);

    line_printf(line, "berth_messages_total{was=\"forged\"} %lld\n", (long long)t->message_counts.forged);
    line_printf(line, "berth_messages_total{was=\"replayed\"} %lld\n", (long long)t->message_counts.replayed);
    line_printf(line, "berth_messages_total{was=\"misfit\"} %lld\n", (long long)t->message_counts.misfits);

    put_counter(line, "berth_unstamped_total", "good messages with neither stamp nor echo", m->unstamped);
    put_counter(line, "berth_resets_total", "resets requested", t->message_counts.resets);
    put_counter(line, "berth_unqueued_total",
                "datagrams dropped by the kernel: unknown sender, or full queue", t->message_counts.unqueued);
    put_counter(line, "berth_full_total", "cycles that left messages to the next cycle",
                t->message_counts.full);

    put_counter(line, "berth_late_total", "cycles that were missed or started too late", t->late);
    put_counter(line, "berth_sent_total", "permits sent", t->sent);
    put_counter(line, "berth_unsent_total", "permits that could not be sent", t->unsent);
    put_counter(line, "berth_unwritten_total", "lines that could not be written", t->unwritten);

    put_counter(line, "berth_pairs_total", "pairs reported by the index", m->pairs);
    put_counter(line, "berth_distances_total", "distances of simple bodies computed", m->distances);
    put_counter(line, "berth_refined_total", "pairs of meshes checked", m->refined);

    put_quantiles(line, "berth_cycle_seconds", "time from the start of a cycle to its permit", &guard->took);
    put_quantiles(line, "berth_wake_seconds", "lateness of the start of a cycle", &guard->wake);
}

// ---- bench ---------------------------------------------------------------------------------------------------

static void put_bench_row(Line* line, const char* name, const Histogram* h) {
    line_printf(line, "%-34s %8.0f %8.0f %8.0f %8.0f %8u\n", name, histogram_quantile(h, 0.5),
                histogram_quantile(h, 0.99), histogram_quantile(h, 0.999), histogram_quantile(h, 0.9999),
                (unsigned)atomic_load_explicit(&h->maximum, memory_order_relaxed));
}

static void put_json_row(Line* line, const char* key, const Histogram* h) {
    line_printf(line, ", \"%s\": {\"p50\": %g, \"p99\": %g, \"p999\": %g, \"p9999\": %g, \"max\": %u}", key,
                histogram_quantile(h, 0.5), histogram_quantile(h, 0.99), histogram_quantile(h, 0.999),
                histogram_quantile(h, 0.9999),
                (unsigned)atomic_load_explicit(&h->maximum, memory_order_relaxed));
}

static void put_bench_json(const Guard* guard, int64_t listed_count, Line* line) {
    line_printf(line, "{\"event\": \"bench\", \"cycles\": %lld", (long long)guard->cycle);
    line_key_text(line, "machine", guard->machine.words);

    put_json_row(line, "cpu_us", &guard->cpu);
    put_json_row(line, "cycle_us", &guard->took);
    put_json_row(line, "wake_us", &guard->wake);

    line_key_int(line, "page_faults", machine_page_faults(&guard->machine));
    line_key_int(line, "heap_bytes", machine_heap_growth(&guard->machine));
    line_key_int(line, "late", guard->late);
    line_key_int(line, "late_permits", guard->late_permits);
    line_key_int(line, "exceptions", guard->exception_count);

    line_puts(line, ", \"listed\": [");
    for (int64_t i = 0; i < listed_count; ++i) {
        const Exception* e = &guard->exceptions[i];
        line_printf(line,
                    "%s{\"cycle\": %lld, \"cpu_us\": %.1f, \"wake_us\": %.1f, \"cycle_us\": %.1f, "
                    "\"permit\": \"%s\"}",
                    i > 0 ? ", " : "", (long long)e->cycle, 1e6 * e->cpu, 1e6 * e->wake, 1e6 * e->took,
                    e->reason == BERTH_STOP_NONE ? "go" : berth_stop_name(e->reason));
    }

    line_puts(line, "]}\n");
}

static void put_bench(const Guard* guard, Line* line) {
    const int64_t listed_count =
        guard->exception_count < EXCEPTIONS_MAX ? guard->exception_count : EXCEPTIONS_MAX;
    if (guard->settings->json) {
        put_bench_json(guard, listed_count, line);
        return;
    }

    line_printf(line, "%-34s %8s %8s %8s %8s %8s\n", "microseconds", "p50", "p99", "p99.9", "p99.99", "max");
    put_bench_row(line, "own processor time of a cycle", &guard->cpu);
    put_bench_row(line, "from the start of a cycle to its permit", &guard->took);
    put_bench_row(line, "lateness of its start", &guard->wake);

    line_printf(line,
                "%lld cycles; after the start %ld page faults, %ld bytes more of the heap; %lld late cycles "
                "(%lld of them with a permit), "
                "%lld exceptions\n",
                (long long)guard->cycle, machine_page_faults(&guard->machine),
                machine_heap_growth(&guard->machine), (long long)guard->late, (long long)guard->late_permits,
                (long long)guard->exception_count);

    for (int64_t i = 0; i < listed_count; ++i) {
        const Exception* e = &guard->exceptions[i];
        line_printf(line, "  cycle %lld: %.0f us of processor time, began %.0f us late, took %.0f us: %s\n",
                    (long long)e->cycle, 1e6 * e->cpu, 1e6 * e->wake, 1e6 * e->took,
                    e->reason == BERTH_STOP_NONE ? "permit" : berth_stop_name(e->reason));
    }
}

bool bench_print(Guard* guard) {
    Line* line = &guard->log_writer.line;
    if (guard->log_writer.runs) {
        return true;  // its thread hangs and is still using the line
    }
    line_clear(line);
    put_bench(guard, line);
    return fwrite(line->text, 1, line->size, stdout) == line->size && fflush(stdout) == 0;
}
