// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Datagrams. A cycle processes at most DRAIN_MAX, so that a flood costs no more than that. The age of a message counts
// from the moment at which the kernel received it, not from when it was read: a message that waited in a full queue is
// old.
// Entries: input_open_udp, input_drain_udp, input_close_udp.

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "guard_internal.h"

enum {
    QUEUE_BYTES = 32768,  // the kernel doubles it: about eighty messages, so that none waits long
    PART_EXTRA = 1024,    // what the kernel adds to a datagram, half of it
    SPARE = 64,
    PROBES_MAX = 500  // a second
};

static const double CLOCK_TOLERANCE = 1e-4;  // largest time between reading the two clocks, in seconds
static const double PROBE_WAIT = 2e-3;       // seconds that a datagram waits to show when it is stamped

typedef struct Datagrams {
    struct mmsghdr headers[DRAIN_MAX];
    struct iovec parts[DRAIN_MAX];
    struct sockaddr_storage senders[DRAIN_MAX];
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(struct timespec)) + SPARE];
    } control[DRAIN_MAX];
    char bytes[DRAIN_MAX][BERTH_WIRE_SIZE + 1];
} Datagrams;

// CLOCK_REALTIME at which the kernel received it; NaN if it does not say.
static double kernel_time(struct msghdr* header) {
    for (struct cmsghdr* c = CMSG_FIRSTHDR(header); c != NULL; c = CMSG_NXTHDR(header, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec at;
            memcpy(&at, CMSG_DATA(c), sizeof at);
            return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
        }
    }
    return NAN;
}

// Was a datagram that we send to ourselves stamped when it came, and not when it was read a moment later?
static bool is_stamped_on_arrival(int file, const struct sockaddr_in* self) {
    char byte = 0;
    struct iovec part = {&byte, sizeof byte};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(struct timespec)) + SPARE];
    } control;
    struct mmsghdr header = {.msg_hdr = {.msg_iov = &part,
                                         .msg_iovlen = 1,
                                         .msg_control = control.bytes,
                                         .msg_controllen = sizeof control.bytes}};
    if (sendto(file, &byte, sizeof byte, 0, (const struct sockaddr*)self, sizeof *self) != sizeof byte) {
        return false;
    }

    const double sent = machine_wall_seconds();
    machine_sleep_until(machine_monotonic_seconds() + PROBE_WAIT);
    const int count = recvmmsg(file, &header, 1, MSG_DONTWAIT, NULL);
    return count == 1 && kernel_time(&header.msg_hdr) <= sent + CLOCK_TOLERANCE;
}

// The kernel begins to stamp datagrams some time after the first socket asks for it: a thread of its own turns that on, which a
// busy machine holds up. Until then it stamps them when they are read, and what waited in the queue seems fresh.
static bool wait_for_stamps(void) {
    struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof self;
    const int on = 1;
    const int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool stamped = false;
    if (file >= 0 && setsockopt(file, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0 &&
        bind(file, (const struct sockaddr*)&self, size) == 0 &&
        getsockname(file, (struct sockaddr*)&self, &size) == 0) {
        for (int i = 0; i < PROBES_MAX && !stamped; ++i) {
            stamped = is_stamped_on_arrival(file, &self);
        }
    }

    if (file >= 0) {
        (void)close(file);
    }
    return stamped;
}

// Small, so that no message waits long; large enough for all parts of every cloud, or of a map's changes, at once.
static bool set_queue(const Guard* guard) {
    const BerthMonitorDef* def = &guard->settings->def;
    int queue = QUEUE_BYTES;
    for (int32_t i = 0; i < def->cloud_count; ++i) {
        const int part = def->clouds[i].grid != NULL ? BERTH_WIRE_RUNS : BERTH_WIRE_POINTS;
        queue += (def->clouds[i].capacity / part + 1) * (BERTH_WIRE_SIZE + PART_EXTRA);
    }
    return setsockopt(guard->input.file, SOL_SOCKET, SO_RCVBUFFORCE, &queue, sizeof queue) == 0 ||
           setsockopt(guard->input.file, SOL_SOCKET, SO_RCVBUF, &queue, sizeof queue) == 0;
}

static bool open_socket(Guard* guard, const Address* address, GuardError* error) {
    Input* input = &guard->input;
    const int on = 1;

    input->file = socket(address->at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (input->file >= 0 && input->from_count > 0) {
        (void)filter_attach(input);  // before anything can arrive
    }

    if (input->file < 0 || setsockopt(input->file, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0 ||
        !set_queue(guard) || bind(input->file, (const struct sockaddr*)&address->at, address->size) != 0) {
        return guard_fail(error, GUARD_MACHINE, "udp: %s", strerror(errno));
    }

    struct sockaddr_storage bound = {0};
    socklen_t size = sizeof bound;
    if (getsockname(input->file, (struct sockaddr*)&bound, &size) == 0) {
        // The port is at the same offset in both families.
        input->port = ntohs(((const struct sockaddr_in*)&bound)->sin_port);
    }
    return true;
}

static bool read_allowed_senders(Guard* guard, GuardError* error) {
    const GuardSettings* settings = guard->settings;
    for (int i = 0; i < settings->from_count; ++i) {
        if (!address_read(settings->from[i], false, &guard->input.from[i], error) ||
            !trust_check_address(guard, "--from", settings->from[i], &guard->input.from[i], error)) {
            return false;
        }
    }
    guard->input.from_count = settings->from_count;
    return true;
}

bool input_open_udp(Guard* guard, const char* text, GuardError* error) {
    Input* input = &guard->input;
    Address address;
    if (!address_read(text, true, &address, error) ||
        !trust_check_address(guard, "--input", guard->settings->input, &address, error) ||
        !read_allowed_senders(guard, error)) {
        return false;
    }

    if (input->from_count == 0 && !address_is_loopback(&address) && !guard->trust.has_key) {
        return guard_fail(error, GUARD_WRONG,
                          "--input %s is not on loopback: name who may send, with --from HOST[:PORT]",
                          guard->settings->input);
    }

    input->beyond_loopback = !address_is_loopback(&address);
    Datagrams* all = calloc(1, sizeof *all);
    if (all == NULL) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }

    memset(all, 1, sizeof *all);  // page faults now, not in a cycle
    input->datagrams = all;
    input->empty_at = machine_monotonic_seconds();
    input->clock_offset = machine_wall_seconds() - input->empty_at;
    if (!open_socket(guard, &address, error)) {
        return false;
    }
    input->unstamped = !wait_for_stamps();
    return true;
}

void input_close_udp(Guard* guard) {
    if (guard->input.file >= 0) {
        (void)close(guard->input.file);
    }
    free(guard->input.datagrams);
    guard->input.datagrams = NULL;
}

static void prepare_headers(Datagrams* all) {
    for (int i = 0; i < DRAIN_MAX; ++i) {
        all->parts[i] = (struct iovec){all->bytes[i], sizeof all->bytes[i]};
        all->headers[i] = (struct mmsghdr){.msg_hdr = {.msg_name = &all->senders[i],
                                                       .msg_namelen = sizeof all->senders[i],
                                                       .msg_iov = &all->parts[i],
                                                       .msg_iovlen = 1,
                                                       .msg_control = all->control[i].bytes,
                                                       .msg_controllen = sizeof all->control[i].bytes}};
    }
}

static bool is_allowed_sender(const Input* input, const struct sockaddr_storage* sender) {
    for (int i = 0; i < input->from_count; ++i) {
        if (address_matches(&input->from[i], sender)) {
            return true;
        }
    }
    return input->from_count == 0;
}

// The wall clock is only used for differences. If it jumped since the queue was last empty, or its time is impossible,
// the message is assumed to be as old as it can be: it arrived after that moment. The same where the kernel does not stamp.
static double receipt_time(const Input* input, double kernel, double offset, double now, double read) {
    const double at = kernel - offset;
    if (input->unstamped || input->clock_jumped || !(at <= read + CLOCK_TOLERANCE) ||
        fabs(at - input->empty_at) < CLOCK_TOLERANCE) {
        return input->empty_at;
    }
    return at < now ? at : now;  // before the queue was last empty: it was stamped then, and put there later
}

void input_drain_udp(Guard* guard, double now) {
    Input* input = &guard->input;
    Datagrams* all = input->datagrams;

    prepare_headers(all);
    const double monotonic = machine_monotonic_seconds();
    const double offset = machine_wall_seconds() - monotonic;
    const int count = recvmmsg(input->file, all->headers, DRAIN_MAX, MSG_DONTWAIT, NULL);
    const double read = machine_monotonic_seconds();
    input->clock_jumped = input->clock_jumped || !(fabs(offset - input->clock_offset) < CLOCK_TOLERANCE);

    for (int i = 0; i < count; ++i) {
        struct msghdr* header = &all->headers[i].msg_hdr;
        guard->message_counts.datagrams += 1;
        if (!is_allowed_sender(input, &all->senders[i])) {
            guard->message_counts.strangers += 1;
        } else if ((header->msg_flags & MSG_TRUNC) != 0) {
            guard->message_counts.malformed += 1;
        } else {
            guard->sender = &all->senders[i];
            messages_receive(guard, all->bytes[i], all->headers[i].msg_len,
                             receipt_time(input, kernel_time(header), offset, now, read));
            guard->sender = NULL;
        }
    }

    if (count < DRAIN_MAX && (count >= 0 || errno == EAGAIN)) {
        input->empty_at = now;
        input->clock_jumped = false;
    } else {
        guard->message_counts.full += 1;
    }

    input->clock_offset = offset;
}
