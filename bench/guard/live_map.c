// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// `berth monitor` on the two-arm cell with a map of 100 x 100 x 100 cells around it, of which 1,000 change a cycle: a cloud of 500 cells that
// goes round the arms, made anew at random places of itself each time. States and updates come as datagrams, as from a driver and a camera.

#include "guard/live_map.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <berth/berth.h>

#include "support/clock.h"

enum { SIDE = 100, CELLS = SIDE * SIDE * SIDE, BLOB = 500, WHOLE_EVERY = 50 };

static const char cell_path[] = BERTH_BUILD_DIR "/models/two_arms/cell.yaml";
static const char scene_path[] = BERTH_BUILD_DIR "/models/two_arms/bench_live_map.yaml";
static const char events_path[] = BERTH_BUILD_DIR "/bench_live_map.jsonl";

extern char** environ;

typedef struct Sender {
    int file;
    struct sockaddr_in guard;
    uint64_t sequence, state_sequence;
    BerthScene* scene;
    uint32_t blob[BLOB];  // cells that are occupied now
    uint64_t random;
    int64_t changed, changes;
} Sender;

static uint32_t next_random(Sender* s) {
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(s->random >> 33);
}

static void send_message(Sender* s, BerthWireMessage* m, const char* name, uint64_t sequence) {
    static char bytes[BERTH_WIRE_SIZE];
    m->stream = 1;
    m->sequence = sequence;
    m->stamp = bench_now();
    (void)snprintf(m->name, sizeof m->name, "%s", name);
    const size_t size = berth_wire_write(m, bytes, sizeof bytes);
    (void)sendto(s->file, bytes, size, 0, (const struct sockaddr*)&s->guard, sizeof s->guard);
}

static void send_state(Sender* s) {
    static BerthWireMessage m;
    m.kind = BERTH_WIRE_STATE;
    m.count = berth_scene_value_count(s->scene);
    m.has_velocities = true;
    memcpy(m.positions, berth_scene_values(s->scene), (size_t)m.count * sizeof *m.positions);
    send_message(s, &m, "state", ++s->state_sequence);
}

static void send_reset(Sender* s) {
    static BerthWireMessage m;
    m.kind = BERTH_WIRE_RESET;
    send_message(s, &m, "", ++s->state_sequence);
}

// Cells that were occupied become free, when these are changes, and others of a ball that goes round become occupied.
static void move_blob(Sender* s, double seconds, BerthWireMessage* m) {
    const double angle = 0.5 * seconds;
    const int middle[3] = {50 + (int)(40 * cos(angle)), 50 + (int)(40 * sin(angle)), 60};
    for (int i = 0; !m->whole && i < BLOB; ++i) {
        m->runs[m->run_count++] = (BerthCellRun){s->blob[i], 1, BERTH_CELL_FREE};
    }

    for (int i = 0; i < BLOB; ++i) {
        uint32_t at[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = (uint32_t)(middle[k] - 8) + next_random(s) % 16;
        }
        s->blob[i] = at[0] + SIDE * (at[1] + SIDE * at[2]);
        m->runs[m->run_count++] = (BerthCellRun){s->blob[i], 1, BERTH_CELL_OCCUPIED};
    }
}

// 500 cells become free and 500 others occupied; every so often all of the map: its floor, and the ball.
static void send_map(Sender* s, double seconds) {
    static BerthWireMessage m;
    m.kind = BERTH_WIRE_CELLS;
    m.parts = 1;
    m.alive = true;
    m.whole = s->sequence % WHOLE_EVERY == 0;
    m.since = m.whole ? 0 : s->sequence;
    m.run_count = 0;
    if (m.whole) {
        m.runs[m.run_count++] = (BerthCellRun){0, SIDE * SIDE, BERTH_CELL_OCCUPIED};
    }

    move_blob(s, seconds, &m);
    s->changed += m.whole ? 0 : m.run_count;
    s->changes += !m.whole;
    send_message(s, &m, "room", ++s->sequence);
}

static bool write_scene(int rate) {
    FILE* in = fopen(cell_path, "r");
    FILE* out = in != NULL ? fopen(scene_path, "w") : NULL;
    char line[4096];
    while (out != NULL && fgets(line, sizeof line, in) != NULL) {
        if (strncmp(line, "safety:", 7) != 0) {
            (void)fputs(line, out);
        }
    }
    if (out != NULL) {
        fprintf(out, "safety: {period: %.17g, latency: 0.01, reaction: 0.02, silence: 0.05, margin: 0.03}\n",
                1.0 / rate);
    }
    const bool good = out != NULL && fclose(out) == 0;
    if (in != NULL) {
        (void)fclose(in);
    }
    return good;
}

static pid_t start_guard(int seconds, int port, bool real_time) {
    static char input[64], span[16];
    (void)snprintf(input, sizeof input, "udp:127.0.0.1:%d", port);
    (void)snprintf(span, sizeof span, "%d", seconds);
    const char* const arguments[] = {BERTH_BUILD_DIR "/berth",
                                     "monitor",
                                     scene_path,
                                     "--input",
                                     input,
                                     "--map",
                                     "room=size:100/100/100,resolution:0.04,cells:12000,origin:-1.7/-2/"
                                     "-0.5,speed:0.2,outside:free,silence:0.1",
                                     "--bench",
                                     span,
                                     "--json",
                                     real_time ? NULL : "--not-real-time",
                                     NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, events_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    pid_t pid = -1;
    const int wrong =
        posix_spawn(&pid, arguments[0], &files, NULL, (char* const*)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    return wrong == 0 ? pid : -1;
}

// Kilobytes that are resident.
static long resident(pid_t pid) {
    char path[64], line[256];
    long kilobytes = -1;
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE* file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "VmRSS: %ld", &kilobytes);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return kilobytes;
}

static void tell(const char* what, double value) {
    fprintf(stderr, "%-44s %g\n", what, value);
    printf("live map,berth,%s,%g,,,,,", what, value);
    bench_print_who();
    printf("\n");
}

static void tell_quantiles(const json_t* event, const char* key, const char* what) {
    static const char* const names[] = {"p50", "p99", "p999", "p9999", "max"};
    const json_t* row = json_object_get(event, key);
    printf("live map,berth,%s,", what);
    fprintf(stderr, "%-44s", what);
    for (int i = 0; i < 5; ++i) {
        const double us = json_number_value(json_object_get(row, names[i]));
        printf("%g,", us);
        fprintf(stderr, " %s %.0f", names[i], us);
    }
    fprintf(stderr, " us\n");
    bench_print_who();
    printf("\n");
}

static double count_of(const json_t* event, const char* key) {
    return (double)json_integer_value(json_object_get(event, key));
}

static int read_events(void) {
    FILE* file = fopen(events_path, "r");
    char* line = NULL;
    size_t size = 0;
    int status = 2;
    while (file != NULL && getline(&line, &size, file) > 0) {
        json_t* event = json_loads(line, 0, NULL);
        const char* name = json_string_value(json_object_get(event, "event"));
        if (name != NULL && strcmp(name, "bench") == 0) {
            status = 0;
            fprintf(stderr, "%s\n", json_string_value(json_object_get(event, "machine")));
            tell_quantiles(event, "cpu_us", "own processor time");
            tell_quantiles(event, "cycle_us", "cycle to permit");
            tell("late cycles", count_of(event, "late"));
            tell("late permits", count_of(event, "late_permits"));
            tell("page faults", count_of(event, "page_faults"));
        }
        if (name != NULL && strcmp(name, "end") == 0) {
            tell("cycles", count_of(event, "cycles"));
            tell("permits", count_of(event, "permits"));
            json_t* stops = json_object_get(event, "stops");
            const char* reason;
            json_t* count;
            json_object_foreach(stops, reason, count) {
                if (json_integer_value(count) > 0) {
                    char text[64];
                    (void)snprintf(text, sizeof text, "STOP %s", reason);
                    tell(text, (double)json_integer_value(count));
                }
            }
        }
        json_decref(event);
    }
    free(line);
    if (file != NULL) {
        (void)fclose(file);
    }
    return status;
}

// A state and an update every cycle, on an absolute clock; a reset and a whole where there may be no permit.
static void feed(Sender* s, pid_t guard, int seconds, int rate, long memory[2]) {
    struct timespec next;
    (void)clock_gettime(CLOCK_MONOTONIC, &next);
    const int64_t cycles = (int64_t)(seconds + 4) * rate;
    for (int64_t i = 0; i < cycles && waitpid(guard, NULL, WNOHANG) == 0; ++i) {
        if (i % (2 * rate) == 0) {
            send_reset(s);
        }
        send_state(s);
        send_map(s, (double)i / rate);
        if (i == 3 * rate) {
            memory[0] = resident(guard);
        } else if (i > 3 * rate && i % rate == 0) {
            const long now = resident(guard);
            memory[1] = now > 0 ? now : memory[1];
        }

        next.tv_nsec += 1000000000 / rate;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec += 1;
        }
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
}

int bench_live_map(int seconds, int rate) {
    static Sender s = {.random = 9};
    const int port = 20000 + (int)getpid() % 20000;
    const BerthIoOptions options = berth_default_io_options();
    if (!write_scene(rate) || berth_io_read_scene(scene_path, &options, &s.scene) != BERTH_OK) {
        fprintf(stderr, "bench_guard: %s: %s\n", scene_path, berth_error_text());
        return 2;
    }

    s.guard = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    s.file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const struct sched_param priority = {.sched_priority = 70};
    (void)sched_setscheduler(0, SCHED_FIFO,
                             &priority);  // a driver has it; without the right it is late more often
    pid_t guard = start_guard(seconds, port, true);
    const struct timespec pause = {0, 300000000};
    (void)nanosleep(&pause, NULL);
    if (waitpid(guard, NULL, WNOHANG) != 0) {
        fprintf(stderr, "no real-time rights: measured as an ordinary process\n");
        guard = start_guard(seconds, port, false);
        (void)nanosleep(&pause, NULL);
    }

    long memory[2] = {0, 0};
    feed(&s, guard, seconds, rate, memory);
    (void)kill(guard, SIGTERM);
    (void)waitpid(guard, NULL, 0);
    tell("cells of the map", CELLS);
    tell("cells changed a cycle", (double)s.changed / (double)s.changes);
    tell("resident kB after 3 s", (double)memory[0]);
    tell("resident kB at the end", (double)memory[1]);
    close(s.file);
    berth_scene_destroy(s.scene);
    return read_events();
}
