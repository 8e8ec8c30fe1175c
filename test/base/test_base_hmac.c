// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// HMAC-SHA256 against the known answers of RFC 4231 (the same that Python's hmac and `openssl dgst -hmac` give).

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <string.h>

#include "base/hmac.h"

typedef struct Known {
    const char* key;  // null: `key_size` bytes of `key_byte`; those of byte 0 count on from 1
    uint8_t key_byte;
    size_t key_size;
    const char* text;  // likewise
    uint8_t text_byte;
    size_t text_size;
    const char* sum;
} Known;

static const Known knowns[] = {
    {NULL, 0x0b, 20, "Hi There", 0, 8, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
    {"Jefe", 0, 4, "what do ya want for nothing?", 0, 28,
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {NULL, 0xaa, 20, NULL, 0xdd, 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
    {NULL, 0, 25, NULL, 0xcd, 50, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
    {NULL, 0x0c, 20, "Test With Truncation", 0, 20,
     "a3b6167473100ee06e0c796c2955552bfa6f7c0a6a8aef8b93f860aab0cd20c5"},
    {NULL, 0xaa, 131, "Test Using Larger Than Block-Size Key - Hash Key First", 0, 54,
     "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
    {NULL, 0xaa, 131,
     "This is a test using a larger than block-size key and a larger than block-size data. The key needs to "
     "be "
     "hashed before being used by the HMAC algorithm.",
     0, 152, "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
};

static void fill(uint8_t* out, const char* text, uint8_t byte, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        const uint8_t made = byte != 0 ? byte : (uint8_t)(i + 1);
        out[i] = text != NULL ? (uint8_t)text[i] : made;
    }
}

static void known_answers(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof knowns / sizeof knowns[0]; ++i) {
        const Known* k = &knowns[i];
        uint8_t key[256], bytes[256], block[HMAC_BLOCK], sum[SHA256_SIZE];
        char text[SHA256_TEXT];
        fill(key, k->key, k->key_byte, k->key_size);
        fill(bytes, k->text, k->text_byte, k->text_size);
        bi_hmac_key(key, k->key_size, block);
        bi_hmac_sum(block, bytes, k->text_size, sum);
        bi_sha256_text(sum, text);
        assert_string_equal(text, k->sum);
    }
}

static void sums_are_equal_only_when_all_bits_are(void** state) {
    (void)state;
    uint8_t a[SHA256_SIZE], b[SHA256_SIZE];
    fill(a, NULL, 0, sizeof a);
    for (int bit = 0; bit < 8 * SHA256_SIZE; ++bit) {
        memcpy(b, a, sizeof a);
        assert_true(bi_hmac_equal(a, b));
        b[bit / 8] ^= (uint8_t)(1 << (bit % 8));
        assert_false(bi_hmac_equal(a, b));
    }
}

int test_base_hmac(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(sums_are_equal_only_when_all_bits_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
