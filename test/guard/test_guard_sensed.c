// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Clouds and poses of ROS 2 before the monitor hears them: every layout of a cloud gives the same points, frames turn them as a
// matrix of one's own does, a topic has one writer, what finds no room is lost and not mixed up, and sizes at random are survived.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/guard/sensed.h"
#include "math/math.h"
#include "support/expect.h"
#include "support/guarded.h"
#include "support/setting.h"

enum { CAPACITY = 50 };

typedef struct Bench {
    BerthScene* scene;
    GuardSettings settings;
    BerthMonitorCloud cloud;
    BerthObjectId cart;
    Sensed* sensed;
} Bench;

static Bench open_bench(const char* topic, const char* frame) {
    static Bench b;
    const BerthIoOptions options = berth_default_io_options();
    GuardError error = {0};
    memset(&b, 0, sizeof b);
    const char* scene = guarded_scene(
        0.01, 0.1,
        "objects:\n  - {name: cart, sphere: {radius: 0.1}, pose: {xyz: [9, 0, 0]}, moving: {speed: 0.5}}\n");
    assert_int_equal(berth_io_read_scene(scene, &options, &b.scene), BERTH_OK);
    b.cloud = (BerthMonitorCloud){.name = "camera", .capacity = CAPACITY};
    b.settings = (GuardSettings){.scene = b.scene,
                                 .def = {.clouds = &b.cloud, .cloud_count = 1},
                                 .topics = {topic, "cart=/cart", "/tf"},
                                 .topic_count = 3,
                                 .frames = {frame},
                                 .frame_count = frame != NULL};
    b.cart = berth_scene_find_object(b.scene, "cart");
    if (!sensed_open(&b.settings, &b.cart, 1, &b.sensed, &error)) {
        fail_msg("%s", error.text);
    }
    return b;
}

static void close_bench(Bench* b) {
    sensed_close(b->sensed);
    berth_scene_destroy(b->scene);
}

static SensedHead head(uint64_t writer, double at) {
    return (SensedHead){.writer = writer,
                        .seconds = 1000 + (int64_t)at,
                        .nanoseconds = (uint32_t)(1e9 * (at - floor(at))),
                        .wall = 1000.0 + at,
                        .received = 5.0 + at,
                        .frame = "world"};
}

static void put_number(uint8_t* out, double value, bool wide, bool big_endian) {
    uint8_t bytes[8];
    const float narrow = (float)value;
    const size_t size = wide ? 8 : 4;
    memcpy(bytes, wide ? (const void*)&value : (const void*)&narrow, size);
    for (size_t i = 0; i < size; ++i) {
        out[i] = bytes[big_endian ? size - 1 - i : i];
    }
}

static void every_layout_gives_the_same_points(void** state) {
    (void)state;
    Random random = {11};
    Bench b = open_bench("camera=/points", NULL);
    const int cases = test_scaled(2000);
    for (int n = 0; n < cases; ++n) {
        const bool wide = n % 2 == 1, big = n % 4 >= 2;
        const uint32_t number = wide ? 8 : 4, gap = (uint32_t)(bi_random_next(&random) % 5);
        const uint32_t width = (uint32_t)(bi_random_next(&random) % 8);
        const uint32_t height = (uint32_t)(bi_random_next(&random) % 7);
        const uint32_t step = 3 * (number + gap) + 2;
        const uint32_t row = width * step + (uint32_t)(bi_random_next(&random) % 9);
        SensedField fields[4] = {{"z", 0, 1, wide ? 8 : 7},
                                 {"intensity", 1, 1, 2},
                                 {"x", number + gap, 1, wide ? 8 : 7},
                                 {"y", 2 * (number + gap), 0, wide ? 8 : 7}};
        // Of its own size, for the sanitizer: the last row may lack its padding.
        const size_t size = width * height == 0 ? 0 : (size_t)(height - 1) * row + (size_t)width * step;
        uint8_t* data = malloc(size + 1);
        BerthVec3 wanted[64];
        assert_non_null(data);
        for (uint32_t i = 0; i < width * height; ++i) {
            uint8_t* at = data + (size_t)(i / width) * row + (size_t)(i % width) * step;
            wanted[i] = (BerthVec3){(float)bi_random_between(&random, -9, 9), (float)i, (float)n};
            put_number(at + fields[0].offset, wanted[i].z, wide, big);
            put_number(at + fields[2].offset, wanted[i].x, wide, big);
            put_number(at + fields[3].offset, wanted[i].y, wide, big);
        }
        const SensedCloud cloud = {
            head(1, n * 0.01 + 0.001), height, width, step, row, fields, 4, big, data, size};
        assert_int_equal(sensed_receive_cloud(b.sensed, 0, &cloud), SENSED_TAKEN);
        const SensedMessage* m = sensed_next(b.sensed);
        assert_true(m != NULL && m->cloud == 0 && m->count == (int32_t)(width * height) &&
                    m->total == m->count);
        assert_true(m->sequence == (uint64_t)n + 1 && m->stream == 0 && m->alive == (m->count > 0));
        for (int32_t i = 0; i < m->count; ++i) {
            assert_true(m->points[i].x == wanted[i].x && m->points[i].y == wanted[i].y &&
                        m->points[i].z == wanted[i].z);
        }
        sensed_release(b.sensed);
        assert_null(sensed_next(b.sensed));
        free(data);
    }
    close_bench(&b);
}

// Sizes that anybody may write: taken or malformed, never read beyond the bytes that came.
static void any_sizes_are_survived(void** state) {
    (void)state;
    Random random = {12};
    Bench b = open_bench("camera=/points,invalid:free,empty:free", NULL);
    const int cases = test_scaled(200000);
    int taken = 0;
    for (int n = 0; n < cases; ++n) {
        uint32_t r[8];
        for (int i = 0; i < 8; ++i) {
            const uint64_t any = bi_random_next(&random);
            r[i] = any % 4 == 0 ? UINT32_MAX - (uint32_t)(any >> 60) : (uint32_t)(any >> 8) >> (any >> 59);
        }
        SensedField fields[3] = {
            {"x", r[0], n % 5 == 0 ? r[5] % 3 : 1, (uint8_t)(n % 4 == 0 ? 6 + r[6] % 4 : 7)},
            {r[7] % 9 == 0 ? "x" : "y", r[1] % 32, 1, 7},
            {"z", r[2] % 32, 1, 8}};
        fields[0].offset = n % 8 != 0 ? r[0] % 16 : r[0];
        const size_t size = bi_random_next(&random) % 300;
        uint8_t* data = malloc(size + (size == 0));
        assert_non_null(data);
        memset(data, n, size + (size == 0));
        const bool small = n % 3 != 0;
        SensedCloud cloud = {head(1, n * 0.01 + 0.001),
                             small ? r[3] % 4 : r[3],
                             small ? r[4] % 4 : r[4],
                             n % 5 == 0 ? r[5] : 1 + r[5] % 80,
                             n % 7 == 0 ? r[6] : r[6] % 160,
                             fields,
                             3 - (r[7] % 8 == 0),
                             n % 2 == 1,
                             data,
                             size};
        const SensedOutcome outcome = sensed_receive_cloud(b.sensed, 0, &cloud);
        assert_true(outcome == SENSED_TAKEN || outcome == SENSED_MALFORMED);
        if (outcome == SENSED_TAKEN) {
            assert_true(sensed_next(b.sensed)->count <= CAPACITY);
            sensed_release(b.sensed);
            taken += 1;
        }
        free(data);
    }
    assert_true(taken > cases / 100);
    close_bench(&b);
}

static SensedPlace place_at(uint64_t writer, double at) {
    return (SensedPlace){.head = head(writer, at), .position = {1, 2, 3}, .quaternion = {0, 0, 0.6, 0.8}};
}

// The frame: a quarter turn about x, then one about z, written out by hand.
static void frames_turn_and_shift(void** state) {
    (void)state;
    Bench b = open_bench("camera=/points", "lens=10/20/30/1.5707963267948966/0/1.5707963267948966");
    SensedPlace place = place_at(1, 0.1);
    place.head.frame = "/lens";
    assert_int_equal(sensed_receive_pose(b.sensed, 1, &place), SENSED_TAKEN);
    const SensedMessage* m = sensed_next(b.sensed);
    assert_true(m != NULL && m->cloud == -1 && memcmp(&m->object, &b.cart, sizeof b.cart) == 0);
    // In the world: lens x is y, lens y is z, lens z is x.
    const double wanted[12] = {0,  0.28,  0.96,  // x: (0.28, 0.96, 0) in the lens
                               0,  -0.96, 0.28,  // y
                               1,  0,     0,     // z
                               13, 21,    32};
    const double* got = &m->pose.x.x;
    for (int i = 0; i < 12; ++i) {
        if (!(fabs(got[i] - wanted[i]) < 1e-12)) {
            fail_msg("number %d: %g, not %g", i, got[i], wanted[i]);
        }
    }
    sensed_release(b.sensed);
    place = place_at(1, 0.2);
    place.head.frame = "nowhere";
    assert_int_equal(sensed_receive_pose(b.sensed, 1, &place), SENSED_MISFIT);
    place.head.frame = NULL;
    assert_int_equal(sensed_receive_pose(b.sensed, 1, &place), SENSED_MISFIT);
    close_bench(&b);
}

static void what_is_no_rotation_or_no_time(void** state) {
    (void)state;
    Bench b = open_bench("camera=/points", NULL);
    SensedPlace place = place_at(1, 0.1);
    place.quaternion[3] = 0.0;
    assert_int_equal(sensed_receive_pose(b.sensed, 1, &place), SENSED_MALFORMED);
    memset(place.quaternion, 0, sizeof place.quaternion);
    assert_int_equal(sensed_receive_pose(b.sensed, 1, &place), SENSED_MALFORMED);
    place = place_at(1, 0.1);
    place.head.nanoseconds = 1000000000u;
    assert_int_equal(sensed_receive_pose(b.sensed, 1, &place), SENSED_MALFORMED);
    place.head.nanoseconds = 0;
    place.head.seconds = 0;
    assert_int_equal(sensed_receive_pose(b.sensed, 1, &place), SENSED_MALFORMED);

    // What is no number goes on: the monitor stops at it.
    place = place_at(1, 0.1);
    place.quaternion[1] = NAN;
    assert_int_equal(sensed_receive_pose(b.sensed, 1, &place), SENSED_TAKEN);
    assert_true(isnan(sensed_next(b.sensed)->pose.x.x));
    sensed_release(b.sensed);
    close_bench(&b);
}

static void a_topic_has_one_writer(void** state) {
    (void)state;
    Bench b = open_bench("camera=/points", NULL);
    const struct {
        uint64_t writer;
        double at;
        SensedOutcome outcome;
        uint64_t stream;
    } steps[] = {{1, 0.10, SENSED_TAKEN, 0},    {1, 0.10, SENSED_STALE, 0},    {1, 0.05, SENSED_STALE, 0},
                 {2, 0.20, SENSED_STRANGER, 0}, {1, 0.30, SENSED_TAKEN, 0},    {2, 0.79, SENSED_STRANGER, 0},
                 {2, 0.81, SENSED_TAKEN, 1},    {1, 0.90, SENSED_STRANGER, 1}, {2, 1.00, SENSED_TAKEN, 1}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        const SensedPlace place = place_at(steps[i].writer, steps[i].at);
        const SensedOutcome outcome = i % 2 == 0 ? sensed_receive_pose(b.sensed, 1, &place)
                                                 : sensed_receive_transform(b.sensed, "cart", &place);
        assert_int_equal(outcome, steps[i].outcome);
        if (outcome == SENSED_TAKEN) {
            assert_true(sensed_next(b.sensed)->stream == steps[i].stream);
            sensed_release(b.sensed);
        }
        assert_null(sensed_next(b.sensed));
    }
    const SensedPlace place = place_at(2, 2.0);
    assert_int_equal(sensed_receive_transform(b.sensed, "of_no_scene", &place), SENSED_IGNORED);
    assert_int_equal(sensed_receive_transform(b.sensed, NULL, &place), SENSED_IGNORED);
    close_bench(&b);
}

// A loop that takes nothing for a while: what there is room for comes whole and in order, all else is lost.
static void what_finds_no_room_is_lost(void** state) {
    (void)state;
    Random random = {13};
    Bench b = open_bench("camera=/points", NULL);
    const SensedField fields[3] = {{"x", 0, 1, 7}, {"y", 4, 1, 7}, {"z", 8, 1, 7}};
    uint64_t last[2] = {0, 0};
    int lost = 0, taken = 0;
    for (int n = 0; n < 20000; ++n) {
        const double at = 0.01 * n + 0.001;
        const float number = (float)n;
        float points[3][3];
        for (int i = 0; i < 9; ++i) {
            points[i / 3][i % 3] = number;
        }
        const SensedCloud cloud = {head(1, at), 1, 3, 12, 36, fields, 3, false, (const uint8_t*)points, 36};
        SensedPlace place = place_at(1, at);
        place.position[0] = number;
        const bool is_cloud = bi_random_next(&random) % 3 == 0;
        const SensedOutcome outcome =
            is_cloud ? sensed_receive_cloud(b.sensed, 0, &cloud) : sensed_receive_pose(b.sensed, 1, &place);
        assert_true(outcome == SENSED_TAKEN || outcome == SENSED_LOST);
        lost += outcome == SENSED_LOST;
        for (uint64_t k = bi_random_next(&random) % 600; k == 0 || (k < 8 && n % 700 > 400);) {
            const SensedMessage* m = sensed_next(b.sensed);
            if (m == NULL) {
                break;
            }
            const int kind = m->cloud >= 0;
            assert_true(m->sequence > last[kind] && m->stream == 0);
            last[kind] = m->sequence;
            for (int32_t i = 1; kind == 1 && i < m->count; ++i) {
                assert_true(m->points[i].x == m->points[0].x && m->points[i].z == m->points[0].x);
            }
            taken += 1;
            sensed_release(b.sensed);
        }
    }
    assert_true(lost > 100 && taken > 100);
    close_bench(&b);
}

static void clouds_that_are_too_large_say_so(void** state) {
    (void)state;
    Bench b = open_bench("camera=/points,invalid:free", NULL);
    static float points[2 * CAPACITY][3];
    const SensedField fields[3] = {{"x", 0, 1, 7}, {"y", 4, 1, 7}, {"z", 8, 1, 7}};
    for (int count = CAPACITY - 1; count <= CAPACITY + 2; ++count) {
        const SensedCloud cloud = {
            head(1, count), 1, (uint32_t)count, 12, 0, fields, 3, false, (const uint8_t*)points,
            sizeof points};
        assert_int_equal(sensed_receive_cloud(b.sensed, 0, &cloud), SENSED_TAKEN);
        const SensedMessage* m = sensed_next(b.sensed);
        assert_true(m->total == (count <= CAPACITY ? count : CAPACITY + 1));
        assert_true(m->count == (count <= CAPACITY ? count : 0));
        sensed_release(b.sensed);
    }
    // Four thousand million rows of nothing are nothing, at once.
    const SensedCloud nothing = {head(1, 800),           UINT32_MAX, 0, 12, 0, fields, 3, false,
                                 (const uint8_t*)points, 0};
    for (int i = 0; i < 100; ++i) {
        SensedCloud one = nothing;
        one.head = head(1, 800 + i);
        assert_int_equal(sensed_receive_cloud(b.sensed, 0, &one), SENSED_TAKEN);
        assert_true(sensed_next(b.sensed)->total == 0 && !sensed_next(b.sensed)->alive);
        sensed_release(b.sensed);
    }

    for (int i = 0; i < CAPACITY; ++i) {
        points[2 * i][1] = NAN;  // every other one is no point
    }
    const SensedCloud cloud = {
        head(1, 900), 2, CAPACITY, 12, 12 * CAPACITY, fields, 3, false, (const uint8_t*)points,
        sizeof points};
    assert_int_equal(sensed_receive_cloud(b.sensed, 0, &cloud), SENSED_TAKEN);
    assert_int_equal(sensed_next(b.sensed)->count, CAPACITY);
    close_bench(&b);
}

int test_guard_sensed(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_gives_the_same_points),
        cmocka_unit_test(any_sizes_are_survived),
        cmocka_unit_test(frames_turn_and_shift),
        cmocka_unit_test(what_is_no_rotation_or_no_time),
        cmocka_unit_test(a_topic_has_one_writer),
        cmocka_unit_test(what_finds_no_room_is_lost),
        cmocka_unit_test(clouds_that_are_too_large_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
