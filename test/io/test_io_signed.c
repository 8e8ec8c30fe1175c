// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Signed messages: what is signed reads back with its nonce and answer in both forms; one bit, another key, or a key that comes
// behind the signature, and it is not signed. States with a model and names. Key files.

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <berth/io.h>

#include "io/wire/wire.h"
#include "support/expect.h"
#include "support/program.h"

static BerthWireMessage back;
static char bytes[BERTH_WIRE_SIZE + 64];

static BerthWireMessage state_message(void) {
    BerthWireMessage m = {.kind = BERTH_WIRE_STATE,
                          .stream = 5,
                          .sequence = 6,
                          .stamp = 7.5,
                          .name = "state",
                          .count = 2,
                          .positions = {0.25, -1.5},
                          .has_model = true,
                          .has_names = true};
    static const char names[] = "left/joint1\0turn";
    memcpy(m.names, names, sizeof names);
    for (size_t i = 0; i < sizeof m.model; ++i) {
        m.model[i] = (uint8_t)(7 * i);
    }
    return m;
}

static BerthWireKey key_of(const char* text) {
    BerthWireKey key;
    berth_wire_make_key(text, strlen(text), &key);
    return key;
}

static size_t write_message(const BerthWireMessage* m, bool json) {
    return json ? berth_wire_write_json(m, bytes, sizeof bytes) : berth_wire_write(m, bytes, sizeof bytes);
}

static void claims_read_back(void** state) {
    (void)state;
    const BerthWireMessage m = state_message();
    for (int json = 0; json < 2; ++json) {
        const size_t size = write_message(&m, json == 1);
        assert_int_equal(berth_wire_read(bytes, size, &back), BERTH_OK);
        assert_true(back.has_model && back.has_names && !back.has_velocities && back.signed_size == 0);
        assert_memory_equal(back.model, m.model, sizeof m.model);
        assert_memory_equal(back.names, m.names, sizeof "left/joint1\0turn");
    }

    // A name too long, one that no message can have, and no room.
    BerthWireMessage wrong = m;
    memset(wrong.names, 'a', BERTH_WIRE_NAME + 1);
    assert_int_equal(write_message(&wrong, false), 0);
    wrong = m;
    wrong.names[1] = '"';
    assert_int_equal(write_message(&wrong, true), 0);
    memset(wrong.names, 'a', sizeof wrong.names);
    assert_int_equal(write_message(&wrong, false), 0);
}

static void names_that_lie(void** state) {
    (void)state;
    const BerthWireMessage m = state_message();
    const size_t size = write_message(&m, false);
    const size_t at = size - 4 - 4 - 1;  // the length of the last name
    assert_int_equal(bytes[at], 4);
    static const char wrong[][2] = {{0, 3}, {0, 5}, {0, 65}, {1, '\0'}, {1, '"'}, {1, '\n'}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        (void)write_message(&m, false);
        bytes[at + (size_t)wrong[i][0]] = wrong[i][1];
        const uint32_t sum = bi_wire_checksum(bytes, size - 4);
        for (int k = 0; k < 4; ++k) {
            bytes[size - 4 + (size_t)k] = (char)(sum >> (8 * k));
        }
        assert_int_not_equal(berth_wire_read(bytes, size, &back), BERTH_OK);
    }
}

static void signed_messages_read_back(void** state) {
    (void)state;
    const BerthWireKey key = key_of("a key of sixteen bytes"), other = key_of("a key of sixteen byteS");
    for (int kind = 1; kind < BERTH_WIRE_KIND_COUNT; ++kind) {
        for (int json = 0; json < 2; ++json) {
            BerthWireMessage m = state_message();
            m.has_model = m.has_names = kind == BERTH_WIRE_STATE;
            m.kind = (BerthWireKind)kind;
            m.permit = (BerthPermit){.go = true};
            m.parts = 1;
            const size_t plain = write_message(&m, json == 1);
            assert_int_equal(berth_wire_sign(bytes, plain, plain + 40, 1, 2, &key), 0);  // no room
            const size_t size =
                berth_wire_sign(bytes, plain, sizeof bytes, (UINT64_C(1) << 53) - 1, 42, &key);
            assert_true(size > plain);
            assert_int_equal(berth_wire_sign(bytes, size, sizeof bytes, 1, 2, &key) == 0, json == 0);
            (void)write_message(&m, json == 1);
            (void)berth_wire_sign(bytes, plain, sizeof bytes, (UINT64_C(1) << 53) - 1, 42, &key);
            if (kind == BERTH_WIRE_PERMIT && json == 1) {
                continue;  // receivers of JSON read permits by themselves
            }
            assert_int_equal(berth_wire_read(bytes, size, &back), BERTH_OK);
            assert_int_equal(back.kind, kind);
            assert_true(back.signed_size > 0 && back.nonce == (UINT64_C(1) << 53) - 1 && back.answer == 42);
            assert_true(berth_wire_is_signed_by(&back, bytes, &key));
            assert_false(berth_wire_is_signed_by(&back, bytes, &other));
        }
    }
}

// What is not signed is not signed by anybody; every bit counts; what is cut does not read.
static void forged_messages_are_found(void** state) {
    (void)state;
    const BerthWireKey key = key_of("a key of sixteen bytes");
    const BerthWireMessage m = state_message();
    for (int json = 0; json < 2; ++json) {
        size_t size = write_message(&m, json == 1);
        assert_int_equal(berth_wire_read(bytes, size, &back), BERTH_OK);
        assert_false(berth_wire_is_signed_by(&back, bytes, &key));

        size = berth_wire_sign(bytes, size, sizeof bytes, 77, 0, &key);
        for (size_t i = 0; i < size; ++i) {
            for (int bit = 0; bit < 8; ++bit) {
                bytes[i] ^= (char)(1 << bit);
                // The checksum is made right again, where there is one.
                static char fixed[BERTH_WIRE_SIZE + 64];
                memcpy(fixed, bytes, size + 1);
                const size_t body = json == 1 ? size - 18 : size - 4;
                const uint32_t sum = bi_wire_checksum(fixed, body);
                if (json == 1) {
                    (void)snprintf(fixed + body, 32, ",\"crc\":\"%08x\"}", sum);
                }
                for (int k = 0; json == 0 && k < 4; ++k) {
                    fixed[body + (size_t)k] = (char)(sum >> (8 * k));
                }
                if (i < body && berth_wire_read(fixed, size, &back) == BERTH_OK &&
                    berth_wire_is_signed_by(&back, fixed, &key)) {
                    fail_msg("bit %d of byte %zu is turned, and it is signed", bit, i);
                }
                bytes[i] ^= (char)(1 << bit);
            }
            assert_int_not_equal(berth_wire_read(bytes, i, &back), BERTH_OK);
        }
    }
}

// JSON that says more behind its signature, has half of one, or one of another form.
static void signatures_that_are_none(void** state) {
    (void)state;
    static const char hash[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    static const char head[] = "{\"berth\":1,\"kind\":\"reset\",\"name\":\"\",\"stream\":1,\"sequence\":2";
    static const struct {
        const char *before, *digits, *behind;
        bool reads;
    } cases[] = {{",\"nonce\":1,\"hmac\":\"", hash, "\"", true},
                 {",\"nonce\":1,\"answer\":3,\"hmac\":\"", hash, "\"", true},
                 {",\"nonce\":1,\"hmac\":\"", hash, "\",\"answer\":3", false},
                 {",\"nonce\":1,\"hmac\":\"", hash, "\",\"stamp\":1.0", false},
                 {",\"hmac\":\"", hash, "\"", false},
                 {",\"nonce\":1", "", "", false},
                 {",\"answer\":1", "", "", false},
                 {",\"nonce\":-1,\"hmac\":\"", hash, "\"", false},
                 {",\"nonce\":1,\"hmac\":\"", hash + 1, "\"", false},
                 {",\"nonce\":1,\"hmac\":\"A", hash + 1, "\"", false},
                 {",\"nonce\":1,\"nonce\":1,\"hmac\":\"", hash, "\"", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        int size = snprintf(bytes, sizeof bytes, "%s%s%s%s", head, cases[i].before, cases[i].digits,
                            cases[i].behind);
        size += snprintf(bytes + size, 64, ",\"crc\":\"%08x\"}", bi_wire_checksum(bytes, (size_t)size));
        if ((berth_wire_read(bytes, (size_t)size, &back) == BERTH_OK) != cases[i].reads) {
            fail_msg("%s", bytes);
        }
    }
}

static const char* key_file(const char* text, size_t size, mode_t mode) {
    const char* path = program_temporary("some.key");
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0 && write(file, text, size) == (ssize_t)size && fchmod(file, mode) == 0);
    (void)close(file);
    return path;
}

static void key_files(void** state) {
    (void)state;
    BerthWireKey key, same;
    const BerthWireKey wanted = key_of("0123456789abcdef");
    assert_int_equal(berth_wire_read_key(key_file("0123456789abcdef\n", 17, 0600), &key), BERTH_OK);
    assert_memory_equal(key.block, wanted.block, sizeof key.block);
    assert_int_equal(berth_wire_read_key(key_file("0123456789abcdef\r\n", 18, 0440), &same), BERTH_OK);
    assert_memory_equal(key.block, same.block, sizeof key.block);

    static char large[BERTH_WIRE_KEY_MOST + 1];
    memset(large, 'k', sizeof large);
    assert_int_equal(berth_wire_read_key(key_file(large, sizeof large - 1, 0600), &key), BERTH_OK);
    assert_int_equal(berth_wire_read_key(key_file(large, sizeof large, 0600), &key), BERTH_ERR_PARSE);
    assert_int_equal(berth_wire_read_key(key_file("0123456789abcde\n", 16, 0600), &key), BERTH_ERR_PARSE);
    assert_int_equal(berth_wire_read_key(key_file("", 0, 0600), &key), BERTH_ERR_PARSE);
    static const mode_t open_modes[] = {0604, 0602, 0620, 0644, 0666, 0601};
    for (size_t i = 0; i < sizeof open_modes / sizeof open_modes[0]; ++i) {
        const char* path = key_file("0123456789abcdef", 16, open_modes[i]);
        assert_int_equal(berth_wire_read_key(path, &key), BERTH_ERR_SYSTEM);
        assert_non_null(strstr(berth_error_text(), "chmod 600"));
    }
    assert_int_equal(berth_wire_read_key("/nowhere/at.all", &key), BERTH_ERR_SYSTEM);
    assert_int_equal(berth_wire_read_key("/", &key), BERTH_ERR_SYSTEM);
}

int test_io_signed(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_read_back),          cmocka_unit_test(names_that_lie),
        cmocka_unit_test(signed_messages_read_back), cmocka_unit_test(forged_messages_are_found),
        cmocka_unit_test(signatures_that_are_none),  cmocka_unit_test(key_files),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    program_remove_temporary();
    return failures;
}
