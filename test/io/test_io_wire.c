// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Messages to and from a monitor: what is written reads back the same in both forms; what is damaged does not read at all.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <berth/io.h>

#include "io/wire/wire.h"
#include "math/math.h"
#include "support/setting.h"

static double any_number(Random* random) {
    const double size = bi_random_between(random, -300.0, 300.0);
    const double kinds[] = {
        0.0, -0.0, 1.0, pow(10.0, size), -pow(10.0, size), bi_random_between(random, -3.2, 3.2)};
    return kinds[bi_random_next(random) % 6];
}

static BerthWireMessage random_message(Random* random, BerthWireKind kind) {
    BerthWireMessage m = {.kind = kind,
                          .stream = bi_random_next(random),
                          .sequence = bi_random_next(random) >> (bi_random_next(random) % 64),
                          .stamp = any_number(random)};
    const size_t length = bi_random_next(random) % (BERTH_WIRE_NAME + 1);
    for (size_t i = 0; i < length; ++i) {
        const char letters[] = "abcxyz/_-0123456789 .{}[]:,";
        m.name[i] = letters[bi_random_next(random) % (sizeof letters - 1)];
    }
    if (kind == BERTH_WIRE_STATE) {
        m.count = (int32_t)(bi_random_next(random) % 20);
        m.has_velocities = bi_random_next(random) % 2 == 0;
        for (int32_t i = 0; i < m.count; ++i) {
            m.positions[i] = any_number(random);
            m.velocities[i] = m.has_velocities ? any_number(random) : 0.0;
        }
        m.echo = bi_random_next(random) % 2 == 0 ? bi_random_next(random) : 0;
        m.echo_stream = m.echo != 0 ? bi_random_next(random) : 0;
        m.has_model = bi_random_next(random) % 4 == 0;
        m.has_names = bi_random_next(random) % 4 == 0;
        for (size_t i = 0; i < sizeof m.model; ++i) {
            m.model[i] = (uint8_t)(m.has_model ? bi_random_next(random) : 0);
        }
        for (int32_t i = 0, at = 0; m.has_names && i < m.count; ++i) {
            at += 1 + snprintf(m.names + at, sizeof m.names - (size_t)at, "joint %d", (int)i * i);
        }
    } else if (kind == BERTH_WIRE_POSE) {
        for (int i = 0; i < 12; ++i) {
            (&m.pose.x.x)[i] = any_number(random);
        }
    } else if (kind == BERTH_WIRE_CLOUD) {
        m.point_count = (int32_t)(bi_random_next(random) % (bi_random_next(random) % 8 == 0 ? 361 : 20));
        m.first = (int32_t)(bi_random_next(random) % 1000);
        m.total = m.first + m.point_count + (int32_t)(bi_random_next(random) % 1000);
        m.alive = bi_random_next(random) % 2 == 0;
        for (int32_t i = 0; i < 3 * m.point_count; ++i) {
            (&m.points[0].x)[i] = any_number(random);
        }
    } else if (kind == BERTH_WIRE_SWITCH) {
        snprintf(m.option, sizeof m.option, "option %d", (int)(bi_random_next(random) % 1000));
    } else if (kind == BERTH_WIRE_CELLS) {
        m.parts = 1 + (int32_t)(bi_random_next(random) % 70000);
        m.part = (int32_t)(bi_random_next(random) % (uint64_t)m.parts);
        m.alive = bi_random_next(random) % 2 == 0;
        m.whole = bi_random_next(random) % 2 == 0;
        m.rest = m.whole && bi_random_next(random) % 2 == 0 ? BERTH_CELL_UNKNOWN : BERTH_CELL_FREE;
        m.since = m.whole ? 0 : bi_random_next(random);
        m.run_count =
            (int32_t)(bi_random_next(random) % (bi_random_next(random) % 8 == 0 ? BERTH_WIRE_RUNS + 1 : 20));
        for (int32_t i = 0; i < m.run_count; ++i) {
            m.runs[i] = (BerthCellRun){(uint32_t)bi_random_next(random),
                                       1 + (uint32_t)(bi_random_next(random) % ((1u << 30) - 1)),
                                       (BerthCellColour)(bi_random_next(random) % BERTH_CELL_COLOUR_COUNT)};
        }
    } else if (kind == BERTH_WIRE_PERMIT) {
        m.permit = (BerthPermit){.sequence = m.sequence,
                                 .value = (int32_t)bi_random_next(random),
                                 .source = -1,
                                 .body_a = -1,
                                 .body_b = -1};
        m.permit.reason = (BerthStop)(bi_random_next(random) % BERTH_STOP_COUNT);
        m.permit.cause = (BerthStop)(bi_random_next(random) % BERTH_STOP_COUNT);
        m.permit.go = m.permit.reason == BERTH_STOP_NONE;
        m.permit.retreat = m.permit.reason == BERTH_STOP_NEAR && bi_random_next(random) % 2 == 0;
        m.permit.valid_until = any_number(random);
        m.permit.distance = any_number(random);
        m.permit.required = any_number(random);
        m.permit.approach = any_number(random);
        m.permit.time_to_contact = INFINITY;
        m.permit.point_a.y = any_number(random);
        m.permit.point_b.z = any_number(random);
        for (size_t i = 0; i < sizeof m.permit.model; ++i) {
            m.permit.model[i] = (uint8_t)bi_random_next(random);
        }
    }
    return m;
}

static bool same_numbers(const double* a, const double* b, size_t count) {
    return memcmp(a, b, count * sizeof *a) == 0;
}

static void assert_same(const BerthWireMessage* a, const BerthWireMessage* b) {
    assert_int_equal(a->kind, b->kind);
    assert_true(a->stream == b->stream && a->sequence == b->sequence);
    assert_true(same_numbers(&a->stamp, &b->stamp, 1));
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->has_velocities, b->has_velocities);
    assert_true(same_numbers(a->positions, b->positions, (size_t)a->count));
    assert_true(same_numbers(a->velocities, b->velocities, a->has_velocities ? (size_t)a->count : 0));
    assert_true(a->echo == b->echo && a->echo_stream == b->echo_stream);
    assert_true(a->has_model == b->has_model && a->has_names == b->has_names);
    assert_memory_equal(a->model, b->model, sizeof a->model);
    assert_memory_equal(a->names, b->names, sizeof a->names);
    assert_true(same_numbers(&a->pose.x.x, &b->pose.x.x, 12));
    assert_true(a->first == b->first && a->total == b->total && a->alive == b->alive);
    assert_int_equal(a->point_count, b->point_count);
    assert_true(same_numbers(&a->points[0].x, &b->points[0].x, 3 * (size_t)a->point_count));
    assert_string_equal(a->option, b->option);
    assert_true(a->whole == b->whole && a->rest == b->rest && a->since == b->since);
    assert_true(a->part == b->part && a->parts == b->parts && a->run_count == b->run_count);
    for (int32_t i = 0; i < a->run_count; ++i) {
        assert_true(a->runs[i].first == b->runs[i].first && a->runs[i].count == b->runs[i].count &&
                    a->runs[i].colour == b->runs[i].colour);
    }
    const BerthPermit* p = &a->permit;
    const BerthPermit* q = &b->permit;
    assert_true(p->go == q->go && p->reason == q->reason && p->cause == q->cause && p->retreat == q->retreat);
    assert_true(same_numbers(&p->distance, &q->distance, 1) &&
                same_numbers(&p->valid_until, &q->valid_until, 1));
    assert_true(same_numbers(&p->point_a.x, &q->point_a.x, 3) &&
                same_numbers(&p->point_b.x, &q->point_b.x, 3));
    assert_memory_equal(p->model, q->model, sizeof p->model);
}

static void messages_read_back(void** state) {
    (void)state;
    Random random = {3};
    static char bytes[BERTH_WIRE_SIZE * 4];
    const int cases = test_scaled(20000);
    for (int n = 0; n < cases; ++n) {
        const BerthWireKind kind = (BerthWireKind)(1 + n % (BERTH_WIRE_KIND_COUNT - 1));
        const BerthWireMessage m = random_message(&random, kind);
        BerthWireMessage back;
        size_t size = berth_wire_write(&m, bytes, sizeof bytes);
        assert_true(size > 0);
        assert_int_equal(berth_wire_read(bytes, size, &back), BERTH_OK);
        assert_same(&m, &back);
        size = berth_wire_write_json(&m, bytes, sizeof bytes);
        assert_true(size > 0);
        if (kind != BERTH_WIRE_PERMIT) {
            if (berth_wire_read(bytes, size, &back) != BERTH_OK) {
                fail_msg("%s in %s", berth_error_text(), bytes);
            }
            assert_same(&m, &back);
        }
    }
}

static void damaged_messages_do_not(void** state) {
    (void)state;
    Random random = {4};
    static char bytes[BERTH_WIRE_SIZE * 4];
    const int cases = test_scaled(60);
    for (int n = 0; n < cases; ++n) {
        const BerthWireKind kinds[] = {BERTH_WIRE_STATE, BERTH_WIRE_POSE, BERTH_WIRE_CLOUD, BERTH_WIRE_SWITCH,
                                       BERTH_WIRE_CELLS};
        BerthWireMessage m = random_message(&random, kinds[n % 5]);
        m.point_count = m.point_count < 20 ? m.point_count : 20;
        m.run_count = m.run_count < 20 ? m.run_count : 20;
        const bool json = n % 10 >= 5;
        BerthWireMessage back;
        const size_t size =
            json ? berth_wire_write_json(&m, bytes, sizeof bytes) : berth_wire_write(&m, bytes, sizeof bytes);
        for (size_t i = 0; i < size; ++i) {
            const char keep = bytes[i];
            for (int bit = 0; bit < 8; ++bit) {
                bytes[i] = (char)(keep ^ (1 << bit));
                if (berth_wire_read(bytes, size, &back) == BERTH_OK) {
                    fail_msg("bit %d of byte %zu is turned, and it reads", bit, i);
                }
                assert_true(back.count == 0 && back.point_count == 0 && back.run_count == 0);
            }
            bytes[i] = keep;
            char* cut = malloc(i + 1);  // of its own size, for the sanitizer
            assert_non_null(cut);
            memcpy(cut, bytes, i);
            assert_int_not_equal(berth_wire_read(cut, i, &back), BERTH_OK);
            free(cut);
        }
        bytes[size] = ' ';
        assert_true((berth_wire_read(bytes, size + 1, &back) == BERTH_OK) ==
                    json);  // a space behind JSON is JSON
        bytes[size] = '}';
        assert_int_not_equal(berth_wire_read(bytes, size + 1, &back), BERTH_OK);
    }
}

static void anything_is_survived(void** state) {
    (void)state;
    Random random = {5};
    uint8_t bytes[600];
    BerthWireMessage back;
    const int cases = test_scaled(100000);
    for (int n = 0; n < cases; ++n) {
        const size_t size = bi_random_next(&random) % sizeof bytes;
        for (size_t i = 0; i < size; ++i) {
            const char letters[] = "{}[]\",:0123456789.eE-+ null stateposc";
            bytes[i] = n % 2 == 0 ? (uint8_t)bi_random_next(&random)
                                  : (uint8_t)letters[bi_random_next(&random) % (sizeof letters - 1)];
        }
        if (size > 4) {
            memcpy(bytes, n % 4 < 2 ? "BRTH" : "{\"be", 4);
        }
        assert_int_not_equal(berth_wire_read(bytes, size, &back), BERTH_OK);
    }
}

// Checksums that everybody knows; and clouds whose parts do not fit together, told with a checksum that is right.
static void clouds_that_cannot_be(void** state) {
    (void)state;
    assert_int_equal(bi_wire_checksum("123456789", 9), 0xcbf43926u);
    Random random = {6};
    static char bytes[BERTH_WIRE_SIZE * 4];
    BerthWireMessage m = random_message(&random, BERTH_WIRE_CLOUD);
    BerthWireMessage back;
    m.point_count = 5;
    const int32_t wrong[][2] = {{0, 4}, {-1, 10}, {6, 10}, {INT32_MAX, INT32_MAX}, {0, -1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        m.first = wrong[i][0];
        m.total = wrong[i][1];
        assert_int_equal(berth_wire_write(&m, bytes, sizeof bytes), 0);
        assert_int_equal(berth_wire_write_json(&m, bytes, sizeof bytes), 0);
    }
    m.first = 5;
    m.total = 10;
    const size_t size = berth_wire_write(&m, bytes, sizeof bytes);
    const size_t at = 41 + strlen(m.name);
    assert_int_equal((unsigned char)bytes[at + 4], 10);
    for (int total = 0; total < 10; ++total) {
        bytes[at + 4] = (char)total;
        const uint32_t sum = bi_wire_checksum(bytes, size - 4);
        for (int k = 0; k < 4; ++k) {
            bytes[size - 4 + (size_t)k] = (char)(sum >> (8 * k));
        }
        assert_int_not_equal(berth_wire_read(bytes, size, &back), BERTH_OK);
    }
    m.point_count = BERTH_WIRE_POINTS;
    m.total = 1000;
    assert_true(berth_wire_write(&m, bytes, sizeof bytes) <= BERTH_WIRE_SIZE);
    assert_true(berth_wire_write(&m, bytes, sizeof bytes) > 0);
}

// Parts of no update, runs of no cells or no colour, a rest of what is no whole: not written, and not read with a checksum that is right.
static void cells_that_cannot_be(void** state) {
    (void)state;
    static char bytes[BERTH_WIRE_SIZE];
    static BerthWireMessage back;
    const BerthWireMessage good = {.kind = BERTH_WIRE_CELLS,
                                   .name = "map",
                                   .stamp = 1.0,
                                   .sequence = 9,
                                   .since = 8,
                                   .parts = 2,
                                   .part = 1,
                                   .alive = true,
                                   .run_count = 1,
                                   .runs = {{7, 3, BERTH_CELL_UNKNOWN}}};
    const size_t size = berth_wire_write(&good, bytes, sizeof bytes);
    assert_int_equal(berth_wire_read(bytes, size, &back), BERTH_OK);
    assert_same(&good, &back);

    for (int k = 0; k < 9; ++k) {
        BerthWireMessage m = good;
        m.parts = k == 0 ? 0 : m.parts;
        m.part = k == 1 ? 2 : m.part;
        m.part = k == 2 ? -1 : m.part;
        m.runs[0].count = k == 3 ? 0 : m.runs[0].count;
        m.runs[0].count = k == 4 ? 1u << 30 : m.runs[0].count;
        m.runs[0].colour = k == 5 ? BERTH_CELL_COLOUR_COUNT : m.runs[0].colour;
        m.rest = k == 6 ? BERTH_CELL_UNKNOWN : m.rest;
        m.whole = k == 7;
        m.run_count = k == 8 ? -1 : m.run_count;
        assert_int_equal(berth_wire_write(&m, bytes, sizeof bytes), 0);
        static char text[BERTH_WIRE_SIZE];
        assert_int_equal(berth_wire_write_json(&m, text, sizeof text), 0);
    }

    // Bytes of the part, the parts, the count, the flags and the run: 41 and the name come before `since`.
    (void)berth_wire_write(&good, bytes, sizeof bytes);
    const size_t at = 41 + strlen(good.name);
    const struct {
        size_t byte;
        char value;
    } wrong[] = {{8, 2}, {12, 1}, {12, 0}, {16, 2}, {18, 8}, {18, 3}, {18, 5}, {24, 0}, {27, (char)0xc0}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        const char keep = bytes[at + wrong[i].byte];
        bytes[at + wrong[i].byte] = wrong[i].value;
        const uint32_t sum = bi_wire_checksum(bytes, size - 4);
        for (int k = 0; k < 4; ++k) {
            bytes[size - 4 + (size_t)k] = (char)(sum >> (8 * k));
        }
        if (berth_wire_read(bytes, size, &back) == BERTH_OK) {
            fail_msg("byte %zu with %d reads", wrong[i].byte, wrong[i].value);
        }
        bytes[at + wrong[i].byte] = keep;
    }

    BerthWireMessage full = good;
    full.run_count = BERTH_WIRE_RUNS;
    memset(full.name, 'n', BERTH_WIRE_NAME);
    for (int i = 0; i < BERTH_WIRE_RUNS; ++i) {
        full.runs[i] = good.runs[0];
    }
    assert_true(berth_wire_write(&full, bytes, sizeof bytes) > 0);
}

// Bytes may hold any number: whoever takes them judges them, as a monitor does.
static void numbers_are_not_judged(void** state) {
    (void)state;
    static char bytes[BERTH_WIRE_SIZE];
    BerthWireMessage m = {.kind = BERTH_WIRE_POSE, .name = "box", .stamp = NAN};
    m.pose.y.z = NAN;
    m.pose.t.x = INFINITY;

    BerthWireMessage back;
    const size_t size = berth_wire_write(&m, bytes, sizeof bytes);
    assert_true(size > 0);
    assert_int_equal(berth_wire_read(bytes, size, &back), BERTH_OK);
    assert_true(isnan(back.pose.y.z) && isinf(back.pose.t.x) && isnan(back.stamp));
}

int test_io_wire(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_read_back),   cmocka_unit_test(damaged_messages_do_not),
        cmocka_unit_test(anything_is_survived), cmocka_unit_test(clouds_that_cannot_be),
        cmocka_unit_test(cells_that_cannot_be), cmocka_unit_test(numbers_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
