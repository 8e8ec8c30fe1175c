// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The guard in real time: `berth monitor --bench` on the two-arm cell (35 primitives, 1 kHz, a cloud of 2,000 points thirty times a
// second, permits with their speed scale), and cyclictest in the same minutes with
// the same period and priority, alone and with stress-ng beside them. What wakes late for cyclictest is the machine, not the guard.
//   bench_guard [SECONDS]      60 of each unless told
//   bench_guard live [SECONDS [HERTZ]]      with a live map of 10^6 cells, of which 1,000 change a cycle; 60 seconds at 100 Hz unless told
// Rows: load,who,what,p50,p99,p99.9,p99.99,max in microseconds. Needs rt-tests and stress-ng; without them less is measured.

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard/live_map.h"
#include "support/clock.h"

// What a camera above the cell sees of what stands in it.
#define CLOUD                                                                                \
    "camera=points:2000,radius:0.005,speed:0.05,uncertainty:0.005,latency:0.04,silence:0.1," \
    "ignore:left/link1,ignore:right/link1"
#define CELL BERTH_BUILD_DIR "/models/two_arms/cell.yaml"

extern char** environ;

enum { QUANTILES = 5 };
static const double shares[QUANTILES - 1] = {0.5, 0.99, 0.999, 0.9999};

static void tell(const char* load, const char* who, const char* what, const double us[QUANTILES]) {
    fprintf(stderr, "%-10s %-11s %-26s p50 %6.0f  p99 %6.0f  p99.9 %6.0f  p99.99 %6.0f  max %6.0f us\n", load,
            who, what, us[0], us[1], us[2], us[3], us[4]);
    printf("%s,%s,%s,%g,%g,%g,%g,%g,", load, who, what, us[0], us[1], us[2], us[3], us[4]);
    bench_print_who();
    printf("\n");
}

// Starts a program with its standard output in a file. -1: it is not there.
static pid_t start(const char* const* arguments, const char* path) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    pid_t pid = -1;
    const int wrong =
        posix_spawnp(&pid, arguments[0], &files, NULL, (char* const*)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    if (wrong != 0) {
        fprintf(stderr, "%s: %s\n", arguments[0], strerror(wrong));
        return -1;
    }
    return pid;
}

static int finish(pid_t pid) {
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// ---- the guard -------------------------------------------------------------------------------------------

static bool read_quantiles(const json_t* event, const char* key, double us[QUANTILES]) {
    static const char* const names[QUANTILES] = {"p50", "p99", "p999", "p9999", "max"};
    const json_t* row = json_object_get(event, key);
    for (int i = 0; i < QUANTILES; ++i) {
        us[i] = json_number_value(json_object_get(row, names[i]));
    }
    return row != NULL;
}

static void tell_count(const char* load, const json_t* event, const char* key) {
    const double value = (double)json_integer_value(json_object_get(event, key));
    printf("%s,berth,%s,%g,,,,,", load, key, value);
    bench_print_who();
    printf("\n");
    fprintf(stderr, "%-10s %-11s %-26s %g\n", load, "berth", key, value);
}

static bool read_guard(const char* load, const char* path) {
    FILE* file = fopen(path, "r");
    char* line = NULL;
    size_t size = 0;
    bool found = false;
    while (file != NULL && getline(&line, &size, file) > 0) {
        json_t* event = json_loads(line, 0, NULL);
        const char* name = json_string_value(json_object_get(event, "event"));
        double us[QUANTILES];
        if (name != NULL && strcmp(name, "bench") == 0) {
            found = true;
            fprintf(stderr, "%s: %s\n", load, json_string_value(json_object_get(event, "machine")));
            static const char* const rows[][2] = {
                {"cpu_us", "own processor time"}, {"cycle_us", "cycle to permit"}, {"wake_us", "wake-up"}};
            for (int i = 0; i < 3; ++i) {
                if (read_quantiles(event, rows[i][0], us)) {
                    tell(load, "berth", rows[i][1], us);
                }
            }
            static const char* const counts[] = {"cycles", "page_faults", "late", "late_permits",
                                                 "exceptions"};
            for (int i = 0; i < 5; ++i) {
                tell_count(load, event, counts[i]);
            }
        } else if (name != NULL && strcmp(name, "end") == 0) {
            tell_count(load, event, "permits");
        }
        json_decref(event);
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

// ---- cyclictest ------------------------------------------------------------------------------------------

// Lines "000012 000345": microseconds and how often; beyond the table only a count and the largest.
static void read_cyclictest(const char* load, const char* path) {
    enum { TABLE = 50000 };
    static long counts[TABLE + 1];
    memset(counts, 0, sizeof counts);
    FILE* file = fopen(path, "r");
    char line[1024];
    long total = 0;
    long over = 0;
    double most = 0.0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        long us = 0;
        long count = 0;
        if (line[0] != '#' && sscanf(line, "%ld %ld", &us, &count) == 2 && us >= 0 && us < TABLE) {
            counts[us] += count;
            total += count;
        } else if (sscanf(line, "# Max Latencies: %ld", &us) == 1) {
            most = (double)us;
        } else if (sscanf(line, "# Histogram Overflows: %ld", &count) == 1) {
            over = count;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (total == 0) {
        fprintf(stderr, "%-10s cyclictest said nothing\n", load);
        return;
    }
    double us[QUANTILES] = {0};
    for (int i = 0; i < QUANTILES - 1; ++i) {
        long below = 0;
        int at = 0;
        while (at < TABLE && (double)(below += counts[at]) < shares[i] * (double)(total + over)) {
            at += 1;
        }
        us[i] = at < TABLE ? at : most;
    }
    us[QUANTILES - 1] = most;
    tell(load, "cyclictest", "wake-up", us);
}

// ---- both ------------------------------------------------------------------------------------------------

static bool run(const char* load, int seconds, bool real_time) {
    char span[32];
    char longer[32];
    snprintf(span, sizeof span, "%d", seconds);
    snprintf(longer, sizeof longer, "%d", seconds + 3);
    const char* const stress[] = {"stress-ng", "--cpu",     "2",    "--vm",    "1", "--vm-bytes",
                                  "64M",       "--timeout", longer, "--quiet", NULL};
    const char* const cyclic[] = {
        "cyclictest", "-q", "-m", "-t1", "-i", "1000", "-h", "50000", "-D", span, real_time ? "-p80" : NULL,
        NULL};
    const char* const guard[] = {BERTH_BUILD_DIR "/berth",
                                 "monitor",
                                 CELL,
                                 "--cloud",
                                 CLOUD,
                                 "--bench",
                                 span,
                                 "--json",
                                 real_time ? NULL : "--not-real-time",
                                 NULL};
    const pid_t stress_pid = strcmp(load, "stress-ng") == 0 ? start(stress, "/dev/null") : 0;
    if (stress_pid < 0) {
        return true;
    }
    const pid_t cyclic_pid = start(cyclic, BERTH_BUILD_DIR "/bench_guard_cyclictest.txt");
    const pid_t guard_pid = start(guard, BERTH_BUILD_DIR "/bench_guard_monitor.jsonl");
    const int status = finish(guard_pid);
    finish(cyclic_pid);
    finish(stress_pid);
    if (status == 2 && real_time) {
        return false;  // no rights
    }
    if (!read_guard(load, BERTH_BUILD_DIR "/bench_guard_monitor.jsonl")) {
        fprintf(stderr, "bench_guard: berth monitor ended with %d and no result\n", status);
        exit(2);
    }
    if (cyclic_pid > 0) {
        read_cyclictest(load, BERTH_BUILD_DIR "/bench_guard_cyclictest.txt");
    }
    return true;
}

int main(int argc, char** argv) {
    const bool live = argc > 1 && strcmp(argv[1], "live") == 0;
    argc -= live;
    argv += live;
    const int seconds = argc > 1 ? atoi(argv[1]) : 60;
    const int rate = argc > 2 ? atoi(argv[2]) : 100;
    if (seconds < 1 || rate < 1) {
        fprintf(stderr, "usage: bench_guard [SECONDS] | live [SECONDS [HERTZ]]\n");
        return 2;
    }
    printf("load,who,what,p50,p99,p999,p9999,max,machine,compiler,commit\n");
    fflush(stdout);
    if (live) {
        return bench_live_map(seconds, rate);
    }

    const bool real_time = run("alone", seconds, true);
    if (!real_time) {
        fprintf(stderr, "no real-time rights: measured as an ordinary process\n");
        run("alone", seconds, false);
    }
    run("stress-ng", seconds, real_time);
    return 0;
}
