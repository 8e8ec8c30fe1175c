// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Receives the permits of a running `berth monitor --output udp:HOST:PORT` (or json:) and passes them on to the pages.
// Nothing is sent back to the guard. Messages of cells, which a sensor may send to the same port, go to the live maps.
// Pages get a few permits a second, and every change of the verdict; when a permit is not renewed, the page is informed
// that it has expired.
// Entries: permits_open, permits_close.

#include <berth/io/wire.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guard/guard_internal.h"
#include "view/view.h"

// Seconds between two permits sent to a page while nothing changes.
static const double EVERY = 0.05;

struct ViewPermits {
    ViewServer* server;
    ViewLiveMaps* live;
    int socket;
    int32_t value_count;
    pthread_t thread;
    atomic_bool ends;
    BerthWireMessage message;  // scratch
    BerthPermit permit;        // the last one
    bool has_permit, expired;
    double received, sent;  // in cli_seconds()
    double values[BERTH_WIRE_VALUES];
    double velocities[BERTH_WIRE_VALUES];
    bool has_values, has_velocities;
};

static void json_permit(Json* json, const BerthPermit* permit) {
    json_key_text(json, "verdict", permit->go ? "go" : "stop");
    json_key_text(json, "reason", berth_stop_name(permit->reason));
    json_key_text(json, "cause", berth_stop_name(permit->cause));
    json_key_bool(json, "retreat", permit->retreat);
    json_key_int(json, "sequence", (int64_t)permit->sequence);
    json_key_number(json, "distance", permit->distance);
    json_key_number(json, "required", permit->required);
    json_key_number(json, "approach", permit->approach);
    json_key_number(json, "time_to_contact", permit->time_to_contact);
    json_key_number(json, "scale", permit->scale);
    json_key_vec3(json, "point_a", permit->point_a);
    json_key_vec3(json, "point_b", permit->point_b);
}

static void send_event(ViewPermits* permits) {
    Text text = {0};
    Json json = json_writer(&text);
    json_open(&json, '{');
    json_key_text(&json, "event", "monitor");
    if (permits->expired) {
        json_key_text(&json, "verdict", "stop");
        json_key_text(&json, "reason", "expired");
    } else {
        json_permit(&json, &permits->permit);
    }
    if (permits->has_values) {
        json_key_values(&json, "values", permits->values, permits->value_count);
    }
    if (permits->has_values && permits->has_velocities) {
        json_key_values(&json, "velocities", permits->velocities, permits->value_count);
    }
    json_close(&json, '}');

    if (!text.failed) {
        view_server_send_all(permits->server, text.data, text.size);
    }
    permits->sent = cli_seconds();
    text_free(&text);
}

static void take_permit(ViewPermits* permits, const BerthPermit* permit) {
    const bool changed = !permits->has_permit || permits->expired || permit->go != permits->permit.go ||
                         permit->reason != permits->permit.reason ||
                         permit->retreat != permits->permit.retreat;
    permits->permit = *permit;
    permits->has_permit = true;
    permits->expired = false;
    permits->received = cli_seconds();
    if (changed || permits->received - permits->sent >= EVERY) {
        send_event(permits);
    }
}

static void take_datagram(ViewPermits* permits) {
    unsigned char bytes[BERTH_WIRE_SIZE + 1];
    const ssize_t size = recv(permits->socket, bytes, sizeof bytes, MSG_DONTWAIT);
    BerthWireMessage* message = &permits->message;
    if (size <= 0 || (size_t)size > BERTH_WIRE_SIZE ||
        berth_wire_read(bytes, (size_t)size, message) != BERTH_OK) {
        return;
    }

    if (message->kind == BERTH_WIRE_PERMIT) {
        take_permit(permits, &message->permit);
    } else if (message->kind == BERTH_WIRE_STATE && message->count == permits->value_count) {
        memcpy(permits->values, message->positions, (size_t)message->count * sizeof(double));
        permits->has_values = true;
        permits->has_velocities = message->has_velocities;
        if (message->has_velocities) {
            memcpy(permits->velocities, message->velocities, (size_t)message->count * sizeof(double));
        }
    } else if (message->kind == BERTH_WIRE_CELLS) {
        live_maps_take(permits->live, message);
    }
}

static void* run(void* user) {
    ViewPermits* permits = user;
    while (!atomic_load(&permits->ends)) {
        struct pollfd waited = {.fd = permits->socket, .events = POLLIN};
        if (poll(&waited, 1, 20) > 0) {
            take_datagram(permits);
        }
        live_maps_wait(permits->live);

        // It was not renewed. The page's display is for people: better a little late than flickering.
        const double life = fmax(permits->permit.valid_until, 0.0) + 0.1;
        if (permits->has_permit && !permits->expired && cli_seconds() - permits->received > life) {
            permits->expired = true;
            send_event(permits);
        }
    }
    return NULL;
}

int permits_open(const char* where, ViewServer* server, int32_t value_count, ViewLiveMaps* live,
                 ViewPermits** out) {
    Address address;
    GuardError error = {0};
    *out = NULL;
    if (!address_read(where, true, &address, &error)) {
        return cli_reject("view", "--monitor %s", error.text);
    }

    ViewPermits* permits = calloc(1, sizeof *permits);
    if (permits == NULL) {
        return cli_out_of_memory();
    }
    permits->server = server;
    permits->live = live;
    permits->value_count = value_count;
    permits->socket = socket(address.at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (permits->socket < 0 ||
        bind(permits->socket, (const struct sockaddr*)&address.at, address.size) != 0) {
        fprintf(stderr, "berth view: --monitor %s: %s\n", where, strerror(errno));
    } else if (pthread_create(&permits->thread, NULL, run, permits) != 0) {
        fputs("berth view: cannot start a thread\n", stderr);
    } else {
        *out = permits;
        return EXIT_FREE;
    }

    if (permits->socket >= 0) {
        (void)close(permits->socket);
    }
    free(permits);
    return EXIT_MACHINE;
}

void permits_close(ViewPermits* permits) {
    if (permits != NULL) {
        atomic_store(&permits->ends, true);
        (void)pthread_join(permits->thread, NULL);
        (void)close(permits->socket);
        free(permits);
    }
}
