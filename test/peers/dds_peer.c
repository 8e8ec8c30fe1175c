// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The other side of the guard's DDS, as a program of its own: publishes joint states through two writers, in another order
// than the scene's and with a joint that no scene has, and counts the permits that come back.
// usage: dds_peer DOMAIN SECONDS HOW NAME=VALUE...
// HOW: good, repeat (the same stamp again and again), short (fewer positions than names), twice (a name twice),
//      second (another writer tells the same joints otherwise), half (one of the two writers is silent)
// prints: published permits go stop silence     (silence: seconds from the last message to the last permit that said go)

#include <dds/dds.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ros.h"

enum { JOINTS_MAX = 64 };

typedef struct Peer {
    dds_entity_t participant, writers[3], reader;
    char names[JOINTS_MAX][64];
    double values[JOINTS_MAX];
    int count;
    const char* how;
    long published, go, stop;
    double last_go;
} Peer;

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool how_is(const Peer* peer, const char* how) {
    return strcmp(peer->how, how) == 0;
}

// Joints [first, last), the last one first.
static void publish(Peer* peer, dds_entity_t writer, int first, int last, double off) {
    static double stamp;
    char* names[JOINTS_MAX + 2];
    double positions[JOINTS_MAX + 2], velocities[JOINTS_MAX + 2] = {0};
    char stranger[] = "of_no_scene";
    uint32_t n = 0;
    for (int i = last - 1; i >= first; --i, ++n) {
        names[n] = peer->names[i];
        positions[n] = peer->values[i] + off;
    }
    names[n] = how_is(peer, "twice") ? names[0] : stranger;
    positions[n++] = 0.25;
    if (!how_is(peer, "repeat") || stamp == 0) {
        stamp = now(CLOCK_REALTIME);
    }
    const uint32_t told = how_is(peer, "short") ? n - 1 : n;
    sensor_msgs_msg_dds__JointState_ m = {
        .header = {.stamp = {.sec = (int32_t)floor(stamp),
                             .nanosec = (uint32_t)(1e9 * (stamp - floor(stamp)))},
                   .frame_id = stranger},
        .name = {._maximum = n, ._length = n, ._buffer = names},
        .position = {._maximum = told, ._length = told, ._buffer = positions},
        .velocity = {._maximum = n, ._length = n, ._buffer = velocities}};
    peer->published += dds_write(writer, &m) == DDS_RETCODE_OK;
}

static void listen(Peer* peer) {
    void* samples[16] = {NULL};
    dds_sample_info_t infos[16];
    const dds_return_t count = dds_take(peer->reader, samples, infos, 16, 16);
    for (dds_return_t i = 0; i < count; ++i) {
        const berth_msg_dds__Permit_* permit = samples[i];
        if (infos[i].valid_data && permit->go) {
            peer->go += 1;
            peer->last_go = now(CLOCK_MONOTONIC);
        } else if (infos[i].valid_data) {
            peer->stop += 1;
        }
    }
    if (count > 0) {
        (void)dds_return_loan(peer->reader, samples, count);
    }
}

static bool join(Peer* peer, uint32_t domain) {
    peer->participant = dds_create_participant(domain, NULL, NULL);
    const dds_entity_t states = dds_create_topic(peer->participant, &sensor_msgs_msg_dds__JointState__desc,
                                                 "rt/joint_states", NULL, NULL);
    const dds_entity_t permits =
        dds_create_topic(peer->participant, &berth_msg_dds__Permit__desc, "rt/berth/permit", NULL, NULL);
    dds_qos_t* qos = dds_create_qos();  // as ROS 2 publishes joint states
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_MSECS(100));
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 10);
    for (int i = 0; i < 3; ++i) {
        peer->writers[i] = dds_create_writer(peer->participant, states, qos, NULL);
    }
    dds_delete_qos(qos);
    peer->reader = dds_create_reader(peer->participant, permits, NULL, NULL);
    return peer->participant > 0 && peer->writers[2] > 0 && peer->reader > 0;
}

int main(int argc, char** argv) {
    static Peer peer;
    for (int i = 4; i < argc && peer.count < JOINTS_MAX; ++i) {
        const char* value = strchr(argv[i], '=');
        const size_t size = value != NULL ? (size_t)(value - argv[i]) : 64;
        if (size >= 64) {
            return 2;
        }
        memcpy(peer.names[peer.count], argv[i], size);
        peer.values[peer.count++] = strtod(value + 1, NULL);
    }
    if (argc < 5 || !join(&peer, (uint32_t)strtoul(argv[1], NULL, 10))) {
        fprintf(stderr, "dds_peer: wrong arguments, or no DDS\n");
        return 2;
    }
    peer.how = argv[3];
    const double start = now(CLOCK_MONOTONIC), end = start + strtod(argv[2], NULL);
    double last = start;
    for (double at = start; at < end + 0.3; at += 0.002) {
        if (at < end) {
            publish(&peer, peer.writers[0], 0, peer.count / 2, 0);
            if (!how_is(&peer, "half")) {
                publish(&peer, peer.writers[1], peer.count / 2, peer.count, 0);
            }
            if (how_is(&peer, "second")) {
                publish(&peer, peer.writers[2], 0, peer.count, 0.3);
            }
            last = now(CLOCK_MONOTONIC);
        }
        listen(&peer);
        const struct timespec until = {(time_t)floor(at), (long)(1e9 * (at - floor(at)))};
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    printf("%ld %ld %ld %ld %.6f\n", peer.published, peer.go + peer.stop, peer.go, peer.stop,
           peer.go > 0 ? peer.last_go - last : 0.0);
    (void)dds_delete(peer.participant);
    return 0;
}
