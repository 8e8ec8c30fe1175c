// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Permits as datagrams, sent without waiting. If a receiver is gone or its queue is full, this is counted, and it has no
// permit.

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard_internal.h"

bool output_open(Guard* guard, GuardError* error) {
    const GuardSettings* settings = guard->settings;
    Output* out = &guard->output;
    out->file = -1;

    bool good = false;
    out->stream = trust_draw(&good);
    if (!good) {
        return guard_fail(error, GUARD_MACHINE, "no random numbers: %s", strerror(errno));
    }

    for (int i = 0; i < settings->output_count; ++i) {
        const char* text = settings->outputs[i];
        if (strncmp(text, "dds:", 4) == 0) {
            if (out->dds) {
                return guard_fail(error, GUARD_WRONG, "--output '%s': expected only one DDS topic", text);
            }
            out->dds = true;
            continue;
        }

        const int to = out->count++;
        out->json[to] = strncmp(text, "json:", 5) == 0;
        if (!out->json[to] && strncmp(text, "udp:", 4) != 0) {
            return guard_fail(error, GUARD_WRONG,
                              "--output '%s': expected udp:HOST:PORT, json:HOST:PORT for JSON, or "
                              "dds:/TOPIC",
                              text);
        }

        if (!address_read(strchr(text, ':') + 1, true, &out->to[to], error) ||
            !trust_check_address(guard, "--output", text, &out->to[to], error)) {
            return false;
        }
        if (out->to[to].at.ss_family != out->to[0].at.ss_family) {
            return guard_fail(error, GUARD_WRONG, "--output: expected IPv4 or IPv6 addresses, not both");
        }
    }

    if (out->count > 0) {
        out->file = socket(out->to[0].at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (out->file < 0) {
            return guard_fail(error, GUARD_MACHINE, "udp: %s", strerror(errno));
        }
    }

    return ros_open(guard, error);
}

// The remaining seconds of its validity.
static double remaining_seconds(const Guard* guard, const BerthPermit* permit) {
    return permit->go || permit->retreat ? fmax(permit->valid_until - guard_time(guard), 0.0) : 0.0;
}

void output_send(Guard* guard, const BerthPermit* permit) {
    Output* out = &guard->output;
    if (out->dds) {
        dds_queue_permit(guard->dds, out->stream, permit, remaining_seconds(guard, permit));
    }

    if (out->count == 0) {
        return;
    }

    BerthWireMessage* m = &guard->message;
    m->kind = BERTH_WIRE_PERMIT;
    m->stream = out->stream;
    m->sequence = permit->sequence;
    m->stamp = guard->now;  // start of the cycle: a receiver on this machine can tell its age
    memcpy(m->name, "monitor", sizeof "monitor");
    m->count = 0;
    m->permit = *permit;

    for (int i = 0; i < out->count; ++i) {
        m->permit.valid_until = remaining_seconds(guard, permit);
        size_t size = out->json[i] ? berth_wire_write_json(m, out->bytes, sizeof out->bytes)
                                   : berth_wire_write(m, out->bytes, sizeof out->bytes);
        size = trust_sign(guard, out->bytes, size, sizeof out->bytes, out->answers[i]);

        const ssize_t sent = sendto(out->file, out->bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL,
                                    (const struct sockaddr*)&out->to[i].at, out->to[i].size);
        out->sent += size > 0 && sent == (ssize_t)size;
        out->unsent += !(size > 0 && sent == (ssize_t)size);
    }
}

void output_close(Guard* guard) {
    if (guard->output.file >= 0) {
        (void)close(guard->output.file);
    }
}
