// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The other side of the guard: a made-up arm that tells where it is every cycle and moves only while it has a permit.
//     berth monitor testbed.yaml --input udp:127.0.0.1:7400 --output udp:127.0.0.1:7401 --not-real-time &
//     guarded_arm testbed.yaml task2.csv 7400 7401
// With --key FILE for the guard, and the file as its fifth argument, both sign what they send.
// It follows the rows of the file, one a cycle, or slower where the permits' speed scale says so: who slows down in time is stopped
// less often. It echoes the permit that it saw last, so that the guard knows how old its states can be at most; and it says where it
// had to stop and why.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <berth/berth.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct Arm {
    int file;
    struct sockaddr_in guard;
    BerthTrajectory rows;
    double period;
    uint64_t stream, sequence;  // of what it tells
    uint64_t permit_stream, permit_sequence;
    double permit_until;  // its own clock
    double least_took;    // its own clock less the guard's, at the receipt of the fastest permit
    BerthStop reason;
    double scale;           // of the last permit: so much of their largest speeds joints should go at most
    double most_slowed;     // the least share of its rows' speed that it went at because of that
    const double* fastest;  // largest speeds, by value
    double at, rate;        // row, and rows a cycle
    bool has_key;
    BerthWireKey key;
    uint64_t nonce;  // of the guard's last permit: what is told is signed under it
} Arm;

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void send_message(Arm* arm, BerthWireMessage* message, const char* name) {
    static char bytes[BERTH_WIRE_SIZE];
    message->stream = arm->stream;
    message->sequence = ++arm->sequence;
    message->stamp = now();
    (void)snprintf(message->name, sizeof message->name, "%s", name);
    size_t size = berth_wire_write(message, bytes, sizeof bytes);
    if (arm->has_key) {
        size = berth_wire_sign(bytes, size, sizeof bytes, arm->nonce, 0, &arm->key);
    }
    (void)sendto(arm->file, bytes, size, 0, (const struct sockaddr*)&arm->guard, sizeof arm->guard);
}

// How fast a value goes where the arm is, at a row a cycle.
static double row_speed(const Arm* arm, int32_t value) {
    const int32_t row = arm->at < arm->rows.row_count - 1 ? (int32_t)arm->at : arm->rows.row_count - 2;
    const double* from = arm->rows.positions + (size_t)row * (size_t)arm->rows.value_count + value;
    return (from[arm->rows.value_count] - *from) / arm->period;
}

// Where it is between two rows, how fast it is going, and which permit it saw last.
static void tell_state(Arm* arm) {
    static BerthWireMessage m;
    memset(&m, 0, sizeof m);
    m.kind = BERTH_WIRE_STATE;
    m.count = arm->rows.value_count;
    m.has_velocities = true;
    m.echo = arm->permit_sequence;
    m.echo_stream = arm->permit_stream;

    const int32_t row = (int32_t)arm->at;
    for (int32_t i = 0; i < m.count; ++i) {
        const double speed = row_speed(arm, i);
        m.positions[i] = arm->rows.positions[(size_t)row * (size_t)m.count + (size_t)i] +
                         (arm->at - row) * (row + 1 < arm->rows.row_count ? speed * arm->period : 0.0);
        m.velocities[i] = arm->rate * speed;
    }
    send_message(arm, &m, "state");
}

// So many rows a cycle as the scale allows: no joint faster than that share of its largest speed. It speeds up gently; a tenth of
// the rows' speed is always allowed, or it would never leave a place where the scale is 0 though there is a permit.
static void choose_rate(Arm* arm) {
    double rate = 1.0;
    for (int32_t i = 0; i < arm->rows.value_count; ++i) {
        const double speed = fabs(row_speed(arm, i));
        rate = speed * rate > arm->scale * arm->fastest[i] ? arm->scale * arm->fastest[i] / speed : rate;
    }
    rate = fmax(rate, 0.1);
    arm->most_slowed = fmin(arm->most_slowed, rate);
    arm->rate = fmin(rate, arm->rate + 0.1);
}

// 53 random bits, as JSON has them; 0: there are none.
static uint64_t draw_stream(void) {
    uint64_t number = 0;
    return getrandom(&number, sizeof number, 0) == (ssize_t)sizeof number ? number >> 11 : 0;
}

// Did the guard sign it, and for this life of the arm? It answers with the stream of what it last heard from here: a permit that
// was recorded before has another answer. When the guard began anew the arm does, too.
static bool is_of_the_guard(Arm* arm, const BerthWireMessage* m, const char* bytes) {
    if (!arm->has_key) {
        return true;
    }
    if (!berth_wire_is_signed_by(m, bytes, &arm->key)) {
        return false;
    }

    arm->nonce = m->nonce;
    if (m->answer != arm->stream) {
        return false;
    }
    if (arm->permit_stream != 0 && m->stream != arm->permit_stream) {
        arm->stream = draw_stream();
        arm->permit_stream = m->stream;
        arm->permit_sequence = 0;
        return false;
    }
    return true;
}

// One that was held back on its way is old: others took less time between the guard's clock and this one.
static bool is_fresh(Arm* arm, const BerthWireMessage* m) {
    const double took = now() - m->stamp;
    arm->least_took = fmin(arm->least_took, took);
    return took <= arm->least_took + arm->period + m->permit.valid_until;
}

// The newest permit of one stream counts, from its receipt on, for as long as it says.
static void hear_permits(Arm* arm) {
    static BerthWireMessage m;
    char bytes[BERTH_WIRE_SIZE];
    for (ssize_t got; (got = recv(arm->file, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;) {
        if (berth_wire_read(bytes, (size_t)got, &m) != BERTH_OK || m.kind != BERTH_WIRE_PERMIT) {
            continue;
        }
        if (!is_of_the_guard(arm, &m, bytes) || !is_fresh(arm, &m)) {
            continue;
        }
        if (m.stream == arm->permit_stream && m.sequence <= arm->permit_sequence) {
            continue;
        }
        arm->permit_stream = m.stream;
        arm->permit_sequence = m.sequence;
        arm->reason = m.permit.reason;
        arm->scale = m.permit.scale;
        arm->permit_until = m.permit.go ? now() + m.permit.valid_until : 0.0;
    }
}

static bool open_sockets(Arm* arm, int guard_port, int own_port) {
    const struct sockaddr_in own = {.sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)own_port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    arm->guard = own;
    arm->guard.sin_port = htons((uint16_t)guard_port);
    arm->file = socket(AF_INET, SOCK_DGRAM, 0);
    return arm->file >= 0 && bind(arm->file, (const struct sockaddr*)&own, sizeof own) == 0;
}

// Follows the rows; where it stands it asks for a reset twice a second and gives up after `patience` seconds.
static int follow(Arm* arm, double patience) {
    BerthStop last = BERTH_STOP_NONE;
    double stood_since = now(), next = now(), asked = 0.0;
    const double end = arm->rows.row_count - 1;
    while (arm->at < end && now() - stood_since < patience) {
        const bool moves = now() < arm->permit_until;
        arm->rate = moves ? arm->rate : 0.0;
        if (moves) {
            stood_since = now();
            choose_rate(arm);
            arm->at = fmin(arm->at + arm->rate, end);
        } else if (now() - asked > 0.5) {
            asked = now();
            BerthWireMessage reset = {.kind = BERTH_WIRE_RESET};
            send_message(arm, &reset, "");
        }
        tell_state(arm);
        next += arm->period;
        while (now() < next) {
            const struct timespec pause = {0, 500000};
            (void)nanosleep(&pause, NULL);
            hear_permits(arm);
        }
        if (arm->reason != last) {
            printf("row %6.1f: %s\n", arm->at,
                   arm->reason == BERTH_STOP_NONE ? "go" : berth_stop_name(arm->reason));
            last = arm->reason;
        }
    }
    printf("%s at row %.1f of %.0f; the scale slowed it down to %.0f %% of its speed\n",
           arm->at < end ? "stands" : "arrived", arm->at, end, 100.0 * arm->most_slowed);
    return arm->at < end ? 1 : 0;
}

int main(int argc, char** argv) {
    Arm arm = {.file = -1, .stream = draw_stream(), .least_took = INFINITY, .most_slowed = 1.0};
    BerthScene* scene = NULL;
    BerthSafety safety;
    const BerthIoOptions options = berth_default_io_options();
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: guarded_arm SCENE TRAJECTORY GUARD_PORT OWN_PORT [KEY_FILE]\n");
        return 2;
    }
    arm.has_key = argc == 6;
    if (arm.has_key && berth_wire_read_key(argv[5], &arm.key) != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
        return 2;
    }
    if (berth_io_read_scene(argv[1], &options, &scene) != BERTH_OK || !berth_scene_safety(scene, &safety) ||
        berth_io_read_trajectory(argv[2], scene, &options, &arm.rows) != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
        berth_scene_destroy(scene);
        return 2;
    }
    arm.period = safety.period;

    // What the guard takes each joint to be able to do: the scale is a share of that.
    const BerthMonitorDef def = berth_default_monitor_def();
    BerthMonitor* monitor = NULL;
    static double fastest[BERTH_WIRE_VALUES];
    int status = 4;
    if (arm.rows.row_count < 2 || arm.rows.value_count > BERTH_WIRE_VALUES ||
        berth_monitor_create(scene, &def, &monitor) != BERTH_OK) {
        fprintf(stderr, "guarded_arm: %s\n",
                arm.rows.row_count < 2 ? "one row is no motion" : berth_error_text());
        berth_io_free_trajectory(&arm.rows);
        berth_scene_destroy(scene);
        return 2;
    }
    for (int32_t i = 0; i < arm.rows.value_count; ++i) {
        fastest[i] = berth_monitor_limit(monitor, i).velocity;
    }
    arm.fastest = fastest;
    berth_monitor_destroy(monitor);

    if (open_sockets(&arm, atoi(argv[3]), atoi(argv[4]))) {
        status = follow(&arm, 3.0);
        close(arm.file);
    } else {
        perror("guarded_arm");
    }
    berth_io_free_trajectory(&arm.rows);
    berth_scene_destroy(scene);
    return status;
}
