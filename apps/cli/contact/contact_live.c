// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A live follower: receives poses of the hand and sends the force that it feels, every cycle, over UDP. The loop is like
// the guard's: it sleeps until the next cycle, receives a limited number of messages, decides, sends, and waits for
// nothing but the clock. A force is sent only for a fresh pose; after silence, if the hand is inside something, and after
// any fault the force is 0, and the message gives the reason. docs/theory/contact.md has the rules.
// Entry: contact_run_live.

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <berth/io/wire.h>

#include "cli/contact/contact.h"
#include "guard/guard_internal.h"
#include "guard/numbers.h"

enum { LIVE_DRAIN_MAX = 32, LIVE_QUEUE_BYTES = 32768, LIVE_PERIODS_VALID = 3 };

/// Why there is a force or not.
typedef enum LiveState {
    LIVE_WAITING,  ///< no pose received yet
    LIVE_INSIDE,   ///< the hand is inside something: forces begin when it is out
    LIVE_ON,
    LIVE_SILENT,  ///< poses stopped arriving
    LIVE_FAULT,   ///< no force could be computed for the pose
    LIVE_ENDED
} LiveState;
static const char* const state_names[] = {"waiting", "inside", "live", "silent", "fault", "ended"};

typedef struct LiveCounts {
    int64_t datagrams, poses;
    int64_t malformed;  ///< not a message, not a pose, or not a valid rotation
    int64_t strangers;  ///< from another sender, stream or name
    int64_t stale;      ///< sequence or stamp did not advance
    int64_t full;       ///< cycles that left messages to the next cycle
    int64_t silences, limited, late, sent, unsent;
} LiveCounts;

typedef struct Live {
    ContactJob* job;
    const LiveOptions* options;
    double period, silence, force_limit;
    bool spoil_time;  ///< --test-fault: hang at `fault_cycle`
    int64_t fault_cycle;
    int in, out;  ///< sockets
    int port;
    Address from[GUARD_LIST_MAX], to[GUARD_LIST_MAX];
    int from_count, to_count;
    Machine machine;
    Watchdog watchdog;
    Histogram took;
    double start, now, last_now, empty_at;
    int64_t tick, cycle;

    // The newest accepted pose, and the last answered one.
    LiveState state;
    bool has_pose, is_new;
    BerthPose pose;
    uint64_t stream, sequence;
    double stamp, received;
    double answered_stamp;
    int64_t answered_cycle;
    ContactAnswer answer;
    BerthWrench force;
    bool limited;

    uint64_t own_stream;
    BerthWireMessage message;
    char bytes[BERTH_WIRE_SIZE + 1];
    Line line;
    LiveCounts counts;
} Live;

// ---- sockets -----------------------------------------------------------------------------------------------------

static bool open_input(Live* live, const char* text, GuardError* error) {
    Address address;
    if (!address_read(text, true, &address, error)) {
        return false;
    }
    for (int i = 0; i < live->options->from->count; ++i) {
        if (!address_read(live->options->from->items[i], false, &live->from[i], error)) {
            return false;
        }
        live->from_count = i + 1;
    }
    if (live->from_count == 0 && !address_is_loopback(&address)) {
        return guard_fail(error, GUARD_WRONG,
                          "--follower: udp:%s is not on loopback: name who may send, with --from HOST[:PORT]",
                          text);
    }
    for (int i = 0; i < live->from_count; ++i) {
        if (!address_is_loopback(&live->from[i]) && !live->options->trust_network) {
            return guard_fail(
                error, GUARD_WRONG,
                "--from %s is another host, and poses are not signed: --trust-network says that you trust "
                "everyone on the network",
                live->options->from->items[i]);
        }
    }

    const int queue = LIVE_QUEUE_BYTES;
    live->in = socket(address.at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (live->in < 0 || setsockopt(live->in, SOL_SOCKET, SO_RCVBUF, &queue, sizeof queue) != 0 ||
        bind(live->in, (const struct sockaddr*)&address.at, address.size) != 0) {
        return guard_fail(error, GUARD_MACHINE, "udp:%s: %s", text, strerror(errno));
    }

    struct sockaddr_storage bound = {0};
    socklen_t size = sizeof bound;
    if (getsockname(live->in, (struct sockaddr*)&bound, &size) == 0) {
        live->port =
            ntohs(((const struct sockaddr_in*)&bound)->sin_port);  // at the same offset in both families
    }
    return true;
}

static bool open_output(Live* live, GuardError* error) {
    const TextList* outputs = live->options->outputs;
    for (int i = 0; i < outputs->count; ++i) {
        const char* text = outputs->items[i];
        const bool known = strncmp(text, "json:", 5) == 0 || strncmp(text, "udp:", 4) == 0;
        if (!known) {
            return guard_fail(error, GUARD_WRONG, "--output '%s': expected udp:HOST:PORT", text);
        }
        if (!address_read(strchr(text, ':') + 1, true, &live->to[i], error)) {
            return false;
        }
        if (live->to[i].at.ss_family != live->to[0].at.ss_family) {
            return guard_fail(error, GUARD_WRONG, "--output: expected IPv4 or IPv6 addresses, not both");
        }
        live->to_count = i + 1;
    }

    live->out = socket(live->to[0].at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (live->out < 0) {
        return guard_fail(error, GUARD_MACHINE, "udp: %s", strerror(errno));
    }
    if (getrandom(&live->own_stream, sizeof live->own_stream, 0) != (ssize_t)sizeof live->own_stream) {
        return guard_fail(error, GUARD_MACHINE, "no random numbers: %s", strerror(errno));
    }
    live->own_stream >>= 11;  // 53 bits, which every JSON reader keeps exactly
    return true;
}

// ---- poses in ----------------------------------------------------------------------------------------------------

static bool is_allowed(const Live* live, const struct sockaddr_storage* sender) {
    for (int i = 0; i < live->from_count; ++i) {
        if (address_matches(&live->from[i], sender)) {
            return true;
        }
    }
    return live->from_count == 0;
}

// One hand at a time: while poses are fresh, those of another stream are not accepted.
static void take_message(Live* live, size_t size) {
    BerthWireMessage* m = &live->message;
    if (berth_wire_read(live->bytes, size, m) != BERTH_OK || m->kind != BERTH_WIRE_POSE) {
        live->counts.malformed += 1;
        return;
    }

    const bool fresh = live->has_pose && live->now - live->received <= live->silence;
    const bool same = live->has_pose && m->stream == live->stream;
    if (strcmp(m->name, berth_scene_body_name(live->job->scene, live->job->follower)) != 0 ||
        (fresh && !same)) {
        live->counts.strangers += 1;
        return;
    }
    if (same && (m->sequence <= live->sequence || m->stamp <= live->stamp)) {
        live->counts.stale += 1;
        return;
    }

    live->counts.poses += 1;
    live->has_pose = live->is_new = true;
    live->pose = m->pose;
    live->stream = m->stream;
    live->sequence = m->sequence;
    live->stamp = m->stamp;

    // It arrived after the queue was last empty, and may be as old as that moment.
    live->received = live->empty_at;
}

static void drain(Live* live) {
    int count = 0;
    bool empty = false;
    while (count < LIVE_DRAIN_MAX && !empty) {
        struct sockaddr_storage sender = {0};
        socklen_t size = sizeof sender;
        const ssize_t got = recvfrom(live->in, live->bytes, sizeof live->bytes, MSG_DONTWAIT | MSG_TRUNC,
                                     (struct sockaddr*)&sender, &size);
        empty = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        ++count;
        if (got < 0) {
            continue;
        }

        live->counts.datagrams += 1;
        if (!is_allowed(live, &sender)) {
            live->counts.strangers += 1;
        } else if ((size_t)got > BERTH_WIRE_SIZE) {
            live->counts.malformed += 1;
        } else {
            take_message(live, (size_t)got);
        }
    }

    if (empty) {
        live->empty_at = live->now;
    } else {
        live->counts.full += 1;
    }
}

// ---- one cycle ---------------------------------------------------------------------------------------------------

static double wait_for_cycle(Live* live) {
    const double deadline = live->start + (double)live->tick * live->period;
    machine_sleep_until(deadline);
    live->now = machine_monotonic_seconds();
    const double late = live->now - deadline;
    live->tick += 1 + (late > live->period ? (int64_t)(late / live->period) : 0);
    return live->now;
}

// The follower is at the hand and touches nothing: from here on it is led. Forces begin with 0.
static LiveState take_up(Live* live) {
    ContactJob* job = live->job;
    BerthContactResult result = {.verdict = BERTH_UNKNOWN};
    BerthStatus status = berth_contact_lead(job->world, job->follower, &live->pose, 0.0);
    job->has_last = false;
    if (status == BERTH_OK) {
        status = berth_contact_cycle(job->world, &result);
    }
    if (status == BERTH_ERR_ARGUMENT) {
        live->counts.malformed += 1;
        return LIVE_FAULT;
    }

    const int32_t follower = job->follower;
    bool clear = status == BERTH_OK;
    for (int32_t i = 0; i < result.contact_count && clear; ++i) {
        clear = result.contacts[i].body_a != follower && result.contacts[i].body_b != follower;
    }
    for (int32_t i = 0; i < result.unknown_pairs && clear; ++i) {
        clear = result.unknown[i].body_a != follower && result.unknown[i].body_b != follower;
    }
    return clear ? LIVE_ON : LIVE_INSIDE;
}

// Limits the force, and scales the moment by the same factor.
static void limit_force(Live* live) {
    const BerthVec3 f = live->force.force;
    const double size = sqrt(f.x * f.x + f.y * f.y + f.z * f.z);
    live->limited = !(size <= live->force_limit);
    if (!live->limited) {
        return;
    }

    const double share = size < (double)INFINITY ? live->force_limit / size : 0.0;
    double* values[6] = {&live->force.force.x,  &live->force.force.y,  &live->force.force.z,
                         &live->force.moment.x, &live->force.moment.y, &live->force.moment.z};
    for (int i = 0; i < 6; ++i) {
        *values[i] = share > 0.0 ? *values[i] * share : 0.0;
    }
}

// Seconds between this pose and the last answered one: by their stamps, else by cycles.
static double pose_interval(const Live* live) {
    const double told = live->stamp - live->answered_stamp;
    const double cycles = (double)(live->cycle - live->answered_cycle) * live->period;
    return told > 0.0 && told < (double)INFINITY ? fmax(told, 0.5 * live->period) : cycles;
}

static LiveState answer_pose(Live* live) {
    if (live->state != LIVE_ON) {
        const LiveState state = take_up(live);
        live->force = (BerthWrench){.force = {0.0, 0.0, 0.0}};
        if (state == LIVE_ON) {
            live->answer = (ContactAnswer){.has_follow = true};
            live->answer.follow.world_from_body = live->pose;
        }
        return state;
    }

    live->answer = (ContactAnswer){.row = 0};
    const BerthStatus status =
        contact_lead_follower(live->job, &live->pose, pose_interval(live), false, &live->answer);
    if (status != BERTH_OK) {
        live->counts.malformed += status == BERTH_ERR_ARGUMENT;
        return LIVE_FAULT;
    }

    live->force = live->answer.hand;
    limit_force(live);
    live->counts.limited += live->limited;
    return LIVE_ON;
}

static void decide(Live* live) {
    const bool fresh = live->has_pose && live->now - live->received <= live->silence;
    if (live->has_pose && !fresh) {
        live->counts.silences += live->state != LIVE_SILENT;
        live->state = LIVE_SILENT;
    } else if (fresh && live->is_new) {
        live->state = answer_pose(live);
        live->answered_stamp = live->stamp;
        live->answered_cycle = live->cycle;
    }
    live->is_new = false;

    // A force computed with another rounding mode does not count.
    if (!machine_float_mode_is_right()) {
        machine_set_float_mode();
        live->state = LIVE_FAULT;
    }
    if (live->state != LIVE_ON) {
        live->force = (BerthWrench){.force = {0.0, 0.0, 0.0}};
        live->limited = false;
    }
}

// ---- forces out --------------------------------------------------------------------------------------------------

static void write_pose(Line* line, const BerthPose* pose) {
    const BerthQuat q = berth_pose_to_quat(pose);
    line_puts(line, ", \"pose\": {\"xyz\": ");
    char text[TRIPLE_SIZE];
    number_write_triple(text, pose->t);
    line_puts(line, text);
    line_puts(line, ", \"quat\": [");
    const double values[4] = {q.x, q.y, q.z, q.w};
    for (int i = 0; i < 4; ++i) {
        line_puts(line, i > 0 ? ", " : "");
        line_number(line, values[i]);
    }
    line_puts(line, "]}");
}

static void write_force(Live* live) {
    Line* line = &live->line;
    const bool on = live->state == LIVE_ON;
    line_clear(line);
    line_puts(line, "{\"berth\": 1, \"kind\": \"force\", \"name\": ");
    line_quoted(line, berth_scene_body_name(live->job->scene, live->job->follower));
    line_key_text(line, "state", state_names[live->state]);
    line_key_int(line, "stream", (long long)live->own_stream);
    line_key_int(line, "sequence", (long long)live->cycle + 1);
    line_key_number(line, "stamp", live->now);
    line_key_number(line, "valid_for", on ? LIVE_PERIODS_VALID * live->period : 0.0);
    line_key_point(line, "force", live->force.force);
    line_key_point(line, "moment", live->force.moment);

    if (live->has_pose) {
        line_key_int(line, "answers", (long long)live->sequence);
        line_key_number(line, "age", fmax(live->now - live->received, 0.0));
    }
    if (on) {
        const BerthFollow* follow = &live->answer.follow;
        write_pose(line, &follow->world_from_body);
        line_key_number(line, "lag", follow->lag);
        line_key_number(line, "depth", follow->depth);
        line_key_bool(line, "blocked", follow->blocked);
        line_key_bool(line, "limited", live->limited);
    }
    line_puts(line, "}");
}

static void send_force(Live* live) {
    write_force(live);
    for (int i = 0; i < live->to_count; ++i) {
        const ssize_t sent = sendto(live->out, live->line.text, live->line.size, MSG_DONTWAIT | MSG_NOSIGNAL,
                                    (const struct sockaddr*)&live->to[i].at, live->to[i].size);
        live->counts.sent += sent == (ssize_t)live->line.size;
        live->counts.unsent += sent != (ssize_t)live->line.size;
    }
}

static void run_cycle(Live* live) {
    const double began = wait_for_cycle(live);
    atomic_fetch_add_explicit(&live->watchdog.beat, 1, memory_order_relaxed);
    drain(live);
    decide(live);
    if (live->spoil_time && live->cycle == live->fault_cycle) {
        for (volatile bool forever = true; forever;) {
        }
    }
    send_force(live);

    const double took = machine_monotonic_seconds() - began;
    histogram_add(&live->took, took);
    live->counts.late +=
        took > live->period || (live->cycle > 0 && live->now - live->last_now > 1.5 * live->period);
    live->last_now = live->now;
    live->cycle += 1;
}

// ---- beginning and end -------------------------------------------------------------------------------------------

static int report_start(const Live* live) {
    Text text = {0};
    const char* name = berth_scene_body_name(live->job->scene, live->job->follower);
    if (live->job->options->json) {
        Json json = json_writer(&text);
        json_open(&json, '{');
        json_key_text(&json, "event", "start");
        json_key_text(&json, "follower", name);
        json_key_int(&json, "port", live->port);

        json_key_number(&json, "period", live->period);
        json_key_number(&json, "silence", live->silence);
        json_key_number(&json, "force_limit", live->force_limit);
        json_key_bool(&json, "real_time", live->machine.fifo && live->machine.locked);
        json_key_text(&json, "machine", live->machine.words);
        contact_write_assumed(&json, live->job, 0);
        json_close(&json, '}');
        text_puts(&text, "\n");
    } else {
        text_printf(&text, "%s: poses on UDP port %d, a force every %g ms; %s\n", name, live->port,
                    1e3 * live->period, live->machine.words);
    }
    const int status = cli_write_output(&text);
    text_free(&text);
    return status;
}

static void write_end_json(const Live* live, double p50, double p99, double worst, Text* text) {
    const LiveCounts* c = &live->counts;
    const struct {
        const char* key;
        int64_t count;
    } members[] = {{"cycles", live->cycle}, {"late", c->late},           {"datagrams", c->datagrams},
                   {"poses", c->poses},     {"malformed", c->malformed}, {"strangers", c->strangers},
                   {"stale", c->stale},     {"full", c->full},           {"silences", c->silences},
                   {"limited", c->limited}, {"sent", c->sent},           {"unsent", c->unsent}};

    Json json = json_writer(text);
    json_open(&json, '{');
    json_key_text(&json, "event", "end");
    for (size_t i = 0; i < sizeof members / sizeof members[0]; ++i) {
        json_key_int(&json, members[i].key, members[i].count);
    }

    json_key_number(&json, "p50", p50);
    json_key_number(&json, "p99", p99);
    json_key_number(&json, "worst", worst);
    json_close(&json, '}');
    text_puts(text, "\n");
}

static int report_end(const Live* live) {
    const LiveCounts* c = &live->counts;
    const double p50 = 1e-6 * histogram_quantile(&live->took, 0.5);
    const double p99 = 1e-6 * histogram_quantile(&live->took, 0.99);
    const double worst = 1e-6 * (double)atomic_load(&live->took.maximum);
    Text text = {0};

    if (live->job->options->json) {
        write_end_json(live, p50, p99, worst, &text);
    } else {
        text_printf(
            &text,
            "%lld cycles, %lld late; %lld poses, %lld malformed, %lld from unknown senders, %lld stale; "
            "%lld silences\n"
            "a cycle takes %.0f us (median), %.0f us (99 %%), %.0f us at worst\n",
            (long long)live->cycle, (long long)c->late, (long long)c->poses, (long long)c->malformed,
            (long long)c->strangers, (long long)c->stale, (long long)c->silences, 1e6 * p50, 1e6 * p99,
            1e6 * worst);
    }

    const int status = cli_write_output(&text);
    text_free(&text);
    return status;
}

static bool open_live(Live* live, GuardError* error) {
    const GuardSettings rights = {.not_real_time = live->options->not_real_time,
                                  .priority = live->options->priority > 0 ? live->options->priority : 80};
    machine_watch_signals();
    machine_watch_ending();
    if (!open_input(live, live->options->input, error) || !open_output(live, error) ||
        !machine_request_real_time(&live->machine, &rights, error)) {
        return false;
    }

    const double watchdog = live->options->watchdog > 0.0 ? live->options->watchdog : 1.0;
    live->watchdog.last_words =
        "berth contact: the loop has hung and its forces have expired; the watchdog ends it\n";
    if (!watchdog_start(&live->watchdog, fmax(watchdog, 10.0 * live->period),
                        live->machine.fifo ? rights.priority + 1 : 0)) {
        return guard_fail(error, GUARD_MACHINE, "cannot start the watchdog's thread");
    }

    machine_touch_stack();
    machine_set_float_mode();
    (void)berth_wire_read("?", 1, &live->message);  // the first use creates the library's error text
    return true;
}

static bool has_next_cycle(const Live* live) {
    const LiveOptions* options = live->options;
    return !machine_is_ending() && (options->cycles == 0 || live->cycle < options->cycles) &&
           !(options->seconds > 0.0 && live->now - live->start >= options->seconds);
}

// The last message has force 0.
static void run_last_cycle(Live* live) {
    live->now = machine_monotonic_seconds();
    live->state = LIVE_ENDED;
    live->force = (BerthWrench){.force = {0.0, 0.0, 0.0}};
    send_force(live);
}

static int run_loop(Live* live) {
    const int status = report_start(live);
    if (status != EXIT_FREE) {
        return status;
    }

    live->start = machine_monotonic_seconds() + live->period;
    live->empty_at = live->now = live->start;
    do {
        run_cycle(live);
    } while (has_next_cycle(live));
    run_last_cycle(live);
    watchdog_stop(&live->watchdog);
    return report_end(live);
}

static int check_options(const LiveOptions* options) {
    if (options->outputs->count == 0) {
        return cli_reject("contact",
                          "a live follower needs --output udp:HOST:PORT, where its forces are sent");
    }
    if (options->priority > 98) {
        return cli_reject("contact", "--priority %d: expected 1 to 98", options->priority);
    }
    if (options->period > 1.0) {
        return cli_reject("contact", "--period %g: expected at most 1 second", options->period);
    }
    return EXIT_FREE;
}

// hang@CYCLE, as for the guard's fault injection.
static bool read_fault(Live* live) {
    const char* text = live->options->test_fault;
    if (text == NULL) {
        return true;
    }
    char* end = NULL;
    live->spoil_time = strncmp(text, "hang@", 5) == 0;
    live->fault_cycle = live->spoil_time ? strtoll(text + 5, &end, 10) : 0;
    return live->spoil_time && end != text + 5 && *end == '\0' && live->fault_cycle >= 0;
}

int contact_run_live(ContactJob* job, const LiveOptions* options) {
    int status = check_options(options);
    if (status != EXIT_FREE) {
        return status;
    }

    Live* live = calloc(1, sizeof *live);
    if (live == NULL) {
        return cli_out_of_memory();
    }
    live->job = job;
    live->options = options;
    live->period = options->period > 0.0 ? options->period : 1e-3;
    live->silence = options->silence > 0.0 ? options->silence : 0.02;
    live->force_limit = options->force_limit > 0.0 ? options->force_limit : 50.0;
    live->in = live->out = -1;
    live->stamp = live->answered_stamp = NAN;

    GuardError error = {.status = GUARD_CLEAN};
    if (!read_fault(live)) {
        status = cli_reject("contact", "--test-fault '%s': expected hang@CYCLE", options->test_fault);
    } else if (open_live(live, &error)) {
        status = run_loop(live);
    } else {
        (void)cli_reject("contact", "%s", error.text);
        status = error.status;
    }

    watchdog_stop(&live->watchdog);
    if (live->in >= 0) {
        (void)close(live->in);
    }
    if (live->out >= 0) {
        (void)close(live->out);
    }
    free(live);
    return status;
}
