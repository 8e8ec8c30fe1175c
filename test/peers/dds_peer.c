// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The other side of the guard's DDS, as a program of its own: publishes joint states through two writers, in another order
// than the scene's and with a joint that no scene has, and counts the permits that come back.
// usage: dds_peer DOMAIN UNTIL HOW NAME=VALUE...
// UNTIL: go (it ends when all that a guard which is well tells has come, or after 30 s), or so many seconds from when the two
//        sides have found each other, for which a slow machine takes its time
// HOW: good, repeat (the same stamp again and again), short (fewer positions than names), twice (a name twice),
//      second (another writer tells the same joints otherwise), half (one of the two writers is silent)
//      sensed (a cloud on /camera/points, a pose on /cart/pose, transforms on /tf beside them), or with one thing wrong:
//      sensed-sizes, -fields, -nan, -large, -empty, -frame, -turned, -still (the cloud ceases), -noise (sizes at random),
//      -unstamped
// prints: published permits go stop silence bools trues scales largest diagnostics well
//     (silence: seconds from the last message to the last permit that said go; largest: of the scales; well: of level OK)

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
    dds_entity_t cloud, pose, transforms, bools, scales, diagnostics;
    long bool_count, trues, scale_count, told, well;
    double largest;
    uint64_t dice;
    double end;
    bool end_known;
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

static uint32_t roll(Peer* peer) {
    peer->dice = peer->dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(peer->dice >> 33);
}

static std_msgs_msg_dds__Header_ header_of(const Peer* peer) {
    static char world[] = "world", other[] = "camera_link";
    const double stamp = how_is(peer, "sensed-unstamped") ? 0.0 : now(CLOCK_REALTIME);
    return (std_msgs_msg_dds__Header_){
        .stamp = {.sec = (int32_t)floor(stamp), .nanosec = (uint32_t)(1e9 * (stamp - floor(stamp)))},
        .frame_id = how_is(peer, "sensed-frame") ? other : world};
}

// Four points a metre apart, nine metres away, with an intensity behind each.
static void publish_cloud(Peer* peer) {
    enum { POINTS = 4, STEP = 16 };
    static char x[] = "x", y[] = "y", z[] = "z", intensity[] = "intensity";
    float numbers[POINTS][4];
    for (int i = 0; i < POINTS; ++i) {
        const float point[4] = {9.0F, (float)i, 0.5F, 100.0F};
        memcpy(numbers[i], point, sizeof point);
    }
    numbers[2][1] = how_is(peer, "sensed-nan") ? NAN : numbers[2][1];

    sensor_msgs_msg_dds__PointField_ fields[] = {
        {x, 0, 7, 1}, {y, 4, 7, 1}, {z, 8, 7, 1}, {intensity, 12, 7, 1}};
    fields[2].offset = how_is(peer, "sensed-fields") ? 13 : 8;
    sensor_msgs_msg_dds__PointCloud2_ m = {
        .header = header_of(peer),
        .height = 2,
        .width = 2,
        .fields = {._maximum = 4, ._length = 4, ._buffer = fields},
        .point_step = STEP,
        .row_step = 2 * STEP,
        .data = {._maximum = sizeof numbers, ._length = sizeof numbers, ._buffer = (uint8_t*)numbers},
        .is_dense = true};

    m.height = how_is(peer, "sensed-sizes") ? 3 : m.height;
    m.height = how_is(peer, "sensed-large") ? 1 : m.height;
    if (how_is(peer, "sensed-large")) {
        fields[0].offset = fields[1].offset = fields[2].offset = 0;
        m.point_step = 4;
        m.width = 16;
    }
    m.width = how_is(peer, "sensed-empty") ? 0 : m.width;
    if (how_is(peer, "sensed-noise")) {
        uint32_t* const all[] = {&m.height, &m.width, &m.point_step, &m.row_step, &fields[0].offset};
        for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
            *all[i] = roll(peer) % 3 == 0 ? *all[i] : roll(peer) >> roll(peer) % 32 << roll(peer) % 3;
        }
        fields[1].datatype = (uint8_t)(roll(peer) % 12);
        m.data._length = roll(peer) % (sizeof numbers + 1);
        m.is_bigendian = roll(peer) % 2 == 0;
        m.fields._length = roll(peer) % 5;
    }
    (void)dds_write(peer->cloud, &m);
}

static void publish_poses(Peer* peer) {
    static char trolley[] = "trolley", elsewhere[] = "of_no_scene";
    const double w = how_is(peer, "sensed-turned") ? 0.5 : 1.0;
    const geometry_msgs_msg_dds__PoseStamped_ pose = {
        .header = header_of(peer), .pose = {.position = {9, 3, 0}, .orientation = {0, 0, 0, w}}};
    (void)dds_write(peer->pose, &pose);

    geometry_msgs_msg_dds__TransformStamped_ all[2] = {
        {.header = header_of(peer), .child_frame_id = elsewhere, .transform = {.rotation = {0, 0, 0, 0}}},
        {.header = header_of(peer),
         .child_frame_id = trolley,
         .transform = {.translation = {9, -3, 0}, .rotation = {0, 0, 0.6, 0.8}}}};
    const tf2_msgs_msg_dds__TFMessage_ transforms = {
        .transforms = {._maximum = 2, ._length = 2, ._buffer = all}};
    (void)dds_write(peer->transforms, &transforms);
}

// What a node that knows nothing of berth hears.
static void listen_plainly(Peer* peer) {
    const dds_entity_t readers[3] = {peer->bools, peer->scales, peer->diagnostics};
    for (int r = 0; r < 3; ++r) {
        void* samples[16] = {NULL};
        dds_sample_info_t infos[16];
        const dds_return_t count = dds_take(readers[r], samples, infos, 16, 16);
        for (dds_return_t i = 0; i < count; ++i) {
            if (!infos[i].valid_data) {
                continue;
            }
            if (r == 0) {
                peer->bool_count += 1;
                peer->trues += ((const std_msgs_msg_dds__Bool_*)samples[i])->data;
            } else if (r == 1) {
                peer->scale_count += 1;
                peer->largest = fmax(peer->largest, ((const std_msgs_msg_dds__Float64_*)samples[i])->data);
            } else {
                const diagnostic_msgs_msg_dds__DiagnosticArray_* told = samples[i];
                const bool is_guard = told->status._length == 1 &&
                                      told->status._buffer[0].values._length > 0 &&
                                      strcmp(told->status._buffer[0].name, "berth: guard") == 0;
                peer->told += is_guard;
                peer->well += is_guard && told->status._buffer[0].level == 0;
            }
        }
        if (count > 0) {
            (void)dds_return_loan(readers[r], samples, count);
        }
    }
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

static dds_entity_t open_end(const Peer* peer, const dds_topic_descriptor_t* type, const char* name,
                             bool reads) {
    const dds_entity_t topic = dds_create_topic(peer->participant, type, name, NULL, NULL);
    dds_qos_t* qos = dds_create_qos();  // the default of ROS 2
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_MSECS(100));
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 10);
    const dds_entity_t end = reads ? dds_create_reader(peer->participant, topic, qos, NULL)
                                   : dds_create_writer(peer->participant, topic, qos, NULL);
    dds_delete_qos(qos);
    return end;
}

// What sensors tell, and what stock packages hear.
static bool join_plainly(Peer* peer) {
    peer->cloud = open_end(peer, &sensor_msgs_msg_dds__PointCloud2__desc, "rt/camera/points", false);
    peer->pose = open_end(peer, &geometry_msgs_msg_dds__PoseStamped__desc, "rt/cart/pose", false);
    peer->transforms = open_end(peer, &tf2_msgs_msg_dds__TFMessage__desc, "rt/tf", false);
    peer->bools = open_end(peer, &std_msgs_msg_dds__Bool__desc, "rt/berth/permit/go", true);
    peer->scales = open_end(peer, &std_msgs_msg_dds__Float64__desc, "rt/berth/permit/scale", true);
    peer->diagnostics =
        open_end(peer, &diagnostic_msgs_msg_dds__DiagnosticArray__desc, "rt/diagnostics", true);
    return peer->cloud > 0 && peer->pose > 0 && peer->transforms > 0 && peer->bools > 0 && peer->scales > 0 &&
           peer->diagnostics > 0;
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

// Have the two sides found each other? All writers have a reader, and permits and what stock packages hear has come.
static bool is_met(const Peer* peer) {
    bool met = peer->go + peer->stop > 0 && peer->bool_count > 0;
    for (int i = 0; i < 2; ++i) {
        met = met && dds_get_matched_subscriptions(peer->writers[i], NULL, 0) > 0;
    }
    const dds_entity_t sensors[3] = {peer->cloud, peer->pose, peer->transforms};
    for (int i = 0; i < 3 && strncmp(peer->how, "sensed", 6) == 0; ++i) {
        met = met && dds_get_matched_subscriptions(sensors[i], NULL, 0) > 0;
    }
    return met;
}

// Has all come that a guard tells which was told to begin, and is well?
static bool has_gone(const Peer* peer) {
    return peer->go > 0 && peer->stop > 0 && peer->trues > 0 && peer->bool_count > peer->trues &&
           peer->largest > 0.0 && peer->well > 0 && peer->told > peer->well;
}

// When to end: known when the sides have met, or all has come; before that after 30 s.
static void find_end(Peer* peer, const char* until) {
    const bool is_still = how_is(peer, "sensed-still");
    if (peer->end_known) {
        return;
    }
    if (strcmp(until, "go") != 0) {
        peer->end_known = is_met(peer);
        peer->end = peer->end_known ? now(CLOCK_MONOTONIC) + strtod(until, NULL) : peer->end;
    } else if (is_still ? peer->go > 0 : has_gone(peer)) {
        peer->end_known = true;
        peer->end = now(CLOCK_MONOTONIC) + (is_still ? 1.5 : 0.0);  // what comes after the cloud has ceased
    }
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
    if (argc < 5 || !join(&peer, (uint32_t)strtoul(argv[1], NULL, 10)) || !join_plainly(&peer)) {
        fprintf(stderr, "dds_peer: wrong arguments, or no DDS\n");
        return 2;
    }
    peer.dice = 4;
    peer.how = argv[3];
    const double start = now(CLOCK_MONOTONIC);
    double last = start;
    peer.end = start + 30.0;
    for (double at = start; at < peer.end + 0.3; at += 0.002) {
        find_end(&peer, argv[2]);
        if (at < peer.end) {
            publish(&peer, peer.writers[0], 0, peer.count / 2, 0);
            if (!how_is(&peer, "half")) {
                publish(&peer, peer.writers[1], peer.count / 2, peer.count, 0);
            }
            if (how_is(&peer, "second")) {
                publish(&peer, peer.writers[2], 0, peer.count, 0.3);
            }
            const bool sensed = strncmp(peer.how, "sensed", 6) == 0;
            const bool still = how_is(&peer, "sensed-still") && peer.go > 0;
            if (sensed && !still) {
                publish_cloud(&peer);
                last = now(CLOCK_MONOTONIC);
            }
            if (sensed) {
                publish_poses(&peer);
            }
            last = still ? last : now(CLOCK_MONOTONIC);
        }
        listen(&peer);
        listen_plainly(&peer);
        const struct timespec until = {(time_t)floor(at), (long)(1e9 * (at - floor(at)))};
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    printf("%ld %ld %ld %ld %.6f %ld %ld %ld %.6f %ld %ld\n", peer.published, peer.go + peer.stop, peer.go,
           peer.stop, peer.go > 0 ? peer.last_go - last : 0.0, peer.bool_count, peer.trues, peer.scale_count,
           peer.largest, peer.told, peer.well);
    (void)dds_delete(peer.participant);
    return 0;
}
