// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A real `berth monitor` beside the test.

#include "support/guarded.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/program.h"

double guarded_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void guarded_sleep(double seconds) {
    const struct timespec pause = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    (void)nanosleep(&pause, NULL);
}

const char* guarded_scene(double period, double silence, const char* more) {
    static int number = 0;
    char name[64], text[4096], urdf[1024];
    (void)snprintf(name, sizeof name, "guarded%d.yaml", number++);
    (void)snprintf(urdf, sizeof urdf, "%s", program_model("two_arms/arm.urdf"));
    int size = snprintf(text, sizeof text, "berth: 1\nrobots:\n");
    for (int arm = 0; arm < 2; ++arm) {
        size += snprintf(text + size, sizeof text - (size_t)size,
                         "  - {name: %s, urdf: %s, base: {xyz: [0, %g, 0]}, limits: {",
                         arm == 0 ? "left" : "right", urdf, arm == 0 ? 1.5 : -1.5);
        for (int j = 1; j <= 7; ++j) {
            size += snprintf(text + size, sizeof text - (size_t)size,
                             "joint%d: {acceleration: 5, deceleration: 20}%s", j, j < 7 ? ", " : "}}\n");
        }
    }
    (void)snprintf(text + size, sizeof text - (size_t)size,
                   "%ssafety: {period: %g, latency: 0.01, reaction: 0.01, silence: %g, margin: 0.005}\n",
                   more, period, silence);
    const char* path = program_temporary(name);
    return program_write_text(path, text) ? path : NULL;
}

// ---- sockets -------------------------------------------------------------------------------------------------

static int open_udp(int* port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    const int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0 || bind(file, (struct sockaddr*)&at, sizeof at) != 0 ||
        getsockname(file, (struct sockaddr*)&at, &size) != 0) {
        return -1;
    }
    *port = ntohs(at.sin_port);
    return file;
}

void guarded_send(Guarded* g, const void* bytes, size_t size) {
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)g->port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    (void)sendto(g->sender, bytes, size, 0, (const struct sockaddr*)&to, sizeof to);
}

void guarded_send_state(Guarded* g, double shift, bool json) {
    static BerthWireMessage m;
    char bytes[BERTH_WIRE_SIZE];
    memset(&m, 0, sizeof m);
    m.kind = BERTH_WIRE_STATE;
    m.stream = g->stream;
    m.sequence = ++g->sequence;
    m.stamp = guarded_now();
    memcpy(m.name, "state", sizeof "state");
    m.count = berth_scene_value_count(g->scene);
    m.has_velocities = true;
    for (int32_t i = 0; i < m.count; ++i) {
        m.positions[i] = berth_scene_values(g->scene)[i] + shift;
    }
    const size_t size =
        json ? berth_wire_write_json(&m, bytes, sizeof bytes) : berth_wire_write(&m, bytes, sizeof bytes);
    guarded_send(g, bytes, size);
    g->sent_at = guarded_now();
}

void guarded_send_reset(Guarded* g) {
    static BerthWireMessage m;
    char bytes[512];
    memset(&m, 0, sizeof m);
    m.kind = BERTH_WIRE_RESET;
    m.stream = g->stream;
    m.sequence = ++g->sequence;
    m.stamp = NAN;
    guarded_send(g, bytes, berth_wire_write(&m, bytes, sizeof bytes));
}

size_t guarded_receive(Guarded* g, char* bytes, size_t room, bool (*is_its)(const char* bytes, size_t size)) {
    for (;;) {
        struct sockaddr_in from = {0};
        socklen_t size = sizeof from;
        const ssize_t got = recvfrom(g->permits, bytes, room, MSG_DONTWAIT, (struct sockaddr*)&from, &size);
        if (got <= 0) {
            return 0;
        }
        if (g->from_port == 0 && is_its(bytes, (size_t)got)) {
            g->from_port = from.sin_port;
        }
        if (g->from_port != 0 && g->from_port == from.sin_port) {
            return (size_t)got;
        }
    }
}

bool guarded_is_permit(const char* bytes, size_t size) {
    static BerthWireMessage message;
    return berth_wire_read(bytes, size, &message) == BERTH_OK && message.kind == BERTH_WIRE_PERMIT;
}

int guarded_take(Guarded* g) {
    char bytes[BERTH_WIRE_SIZE];
    int count = 0;
    for (size_t got; (got = guarded_receive(g, bytes, sizeof bytes, guarded_is_permit)) > 0; ++count) {
        if (berth_wire_read(bytes, got, &g->last) != BERTH_OK || g->last.kind != BERTH_WIRE_PERMIT) {
            fprintf(stderr, "what came is no permit: %s\n", berth_error_text());
            g->go_count = INT64_MIN / 2;
            continue;
        }
        g->go_count += g->last.permit.go;
        g->stop_count += !g->last.permit.go;
        g->last_go_stamp = g->last.permit.go ? g->last.stamp : g->last_go_stamp;
    }
    return count;
}

bool guarded_until_go(Guarded* g, double seconds) {
    const double end = guarded_now() + seconds;
    const int64_t before = g->go_count;
    for (int i = 0; guarded_now() < end; ++i) {
        if (i % 40 == 0) {
            guarded_send_reset(g);
        }
        guarded_send_state(g, 0.0, i % 2 == 1);
        guarded_sleep(0.005);
        if (guarded_take(g) > 0 && g->go_count > before) {
            return true;
        }
    }
    return false;
}

// ---- the process ---------------------------------------------------------------------------------------------

static void child(const char* const* argv, int out, int in) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);  // it does not outlive a test that fails
    const int none = in >= 0 ? in : open("/dev/null", O_RDONLY);
    (void)dup2(none, STDIN_FILENO);
    (void)dup2(out, STDOUT_FILENO);
    (void)execv(argv[0], (char* const*)argv);
    _exit(127);
}

static bool spawn(Guarded* g, const char* const* argv, bool piped) {
    int out[2], in[2] = {-1, -1};
    if (pipe2(out, O_CLOEXEC) != 0 || (piped && pipe2(in, O_CLOEXEC) != 0)) {
        return false;
    }
    g->pid = fork();
    if (g->pid == 0) {
        child(argv, out[1], in[0]);
    }
    close(out[1]);
    if (in[0] >= 0) {
        close(in[0]);
    }
    g->out = out[0];
    g->in = in[1];
    (void)fcntl(g->out, F_SETFL, O_NONBLOCK);
    return g->pid > 0;
}

void guarded_read(Guarded* g) {
    for (ssize_t got = 1; got > 0 && g->size + 1 < GUARDED_TEXT;) {
        got = read(g->out, g->text + g->size, GUARDED_TEXT - 1 - g->size);
        g->size += got > 0 ? (size_t)got : 0;
    }
    g->text[g->size] = '\0';
}

bool guarded_start(Guarded* g, const char* scene, bool piped, const char* const* arguments) {
    return guarded_start_as(g, "monitor", scene, piped, arguments);
}

bool guarded_start_as(Guarded* g, const char* command, const char* scene, bool piped,
                      const char* const* arguments) {
    *g = (Guarded){.pid = -1, .out = -1, .in = -1, .permits = -1, .sender = -1, .stream = 7};
    const BerthIoOptions options = berth_default_io_options();
    int permit_port = 0, port = 0;
    char output[64];
    g->text = calloc(GUARDED_TEXT, 1);
    g->permits = open_udp(&permit_port);
    g->sender = open_udp(&port);
    if (g->text == NULL || g->permits < 0 || g->sender < 0 ||
        berth_io_read_scene(scene, &options, &g->scene) != BERTH_OK) {
        return false;
    }
    (void)snprintf(output, sizeof output, "udp:127.0.0.1:%d", permit_port);
    const char* program = getenv("BERTH_PROGRAM");
    const char* argv[PROGRAM_ARGUMENTS_MAX] = {
        program != NULL && program[0] != '\0' ? program : BERTH_PROGRAM,
        command,
        scene,
        "--json",
        "--not-real-time",
        "--output",
        output};
    for (int i = 7, k = 0; arguments[k] != NULL && i + 1 < PROGRAM_ARGUMENTS_MAX; ++i, ++k) {
        argv[i] = arguments[k];
    }
    if (!spawn(g, argv, piped)) {
        return false;
    }
    const double end = guarded_now() + 20.0;
    while (guarded_event_count(g, "start") == 0 && guarded_now() < end) {
        guarded_sleep(0.002);
        guarded_read(g);
        siginfo_t over = {0};
        if (waitid(P_PID, (id_t)g->pid, &over, WEXITED | WNOHANG | WNOWAIT) != 0 || over.si_pid != 0) {
            guarded_read(g);
            break;  // it is over already
        }
    }
    g->port = (int)guarded_number(g, "start", "port");
    return guarded_event_count(g, "start") == 1;
}

int guarded_end(Guarded* g, int signal) {
    int result = 0;
    if (g->in >= 0) {
        close(g->in);
        g->in = -1;
    }
    if (signal != 0) {
        (void)kill(g->pid, signal);
    }
    const double end = guarded_now() + 20.0;
    pid_t ended = 0;
    while (ended == 0 && guarded_now() < end) {
        guarded_read(g);
        ended = waitpid(g->pid, &result, WNOHANG);
        if (ended == 0) {
            guarded_sleep(0.001);
        }
    }
    if (ended == 0) {
        (void)kill(g->pid, SIGKILL);
        (void)waitpid(g->pid, &result, 0);
        g->pid = -1;
        return -1;
    }
    g->pid = -1;
    guarded_read(g);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 1000 + WTERMSIG(result);
}

void guarded_close(Guarded* g) {
    if (g->pid > 0) {
        (void)kill(g->pid, SIGKILL);
        (void)waitpid(g->pid, NULL, 0);
    }
    const int files[] = {g->out, g->in, g->permits, g->sender};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
    berth_scene_destroy(g->scene);
    free(g->text);
    *g = (Guarded){.pid = -1};
}

// ---- events --------------------------------------------------------------------------------------------------

// Walks over the lines; the last event of that name, and how many.
static json_t* find_event(const Guarded* g, const char* name, int* count) {
    json_t* found = NULL;
    *count = 0;
    for (const char* at = g->text; *at != '\0';) {
        const size_t size = strcspn(at, "\n");
        json_t* one = at[size] == '\n' ? json_loadb(at, size, JSON_REJECT_DUPLICATES, NULL) : NULL;
        const char* event = json_string_value(json_object_get(one, "event"));
        if (event != NULL && strcmp(event, name) == 0) {
            json_decref(found);
            found = json_incref(one);
            *count += 1;
        }
        json_decref(one);
        at += size + (at[size] == '\n');
    }
    return found;
}

json_t* guarded_event(const Guarded* g, const char* name) {
    int count = 0;
    return find_event(g, name, &count);
}

int guarded_event_count(const Guarded* g, const char* name) {
    int count = 0;
    json_decref(find_event(g, name, &count));
    return count;
}

double guarded_number(const Guarded* g, const char* event, const char* key) {
    json_t* found = guarded_event(g, event);
    const json_t* value = json_object_get(found, key);
    const double number = json_is_number(value) ? json_number_value(value) : -1.0;
    json_decref(found);
    return number;
}
