// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// HMAC-SHA256, directly from the standard: the hash of (key xor outer pad, the hash of (key xor inner pad,
// the bytes)).
// Entries: bi_hmac_key, bi_hmac_sum, bi_hmac_equal.

#include "base/hmac.h"

#include <string.h>

void bi_hmac_key(const void* key, size_t size, uint8_t out[HMAC_BLOCK]) {
    memset(out, 0, HMAC_BLOCK);
    if (size > HMAC_BLOCK) {
        Sha256 sha;
        bi_sha256_init(&sha);
        bi_sha256_add(&sha, key, size);
        bi_sha256_end(&sha, out);
    } else if (size > 0) {
        memcpy(out, key, size);
    }
}

static void begin_sum(Sha256* sha, const uint8_t key[HMAC_BLOCK], uint8_t pad) {
    uint8_t block[HMAC_BLOCK];
    for (int i = 0; i < HMAC_BLOCK; ++i) {
        block[i] = key[i] ^ pad;
    }
    bi_sha256_init(sha);
    bi_sha256_add(sha, block, sizeof block);
}

void bi_hmac_sum(const uint8_t key[HMAC_BLOCK], const void* bytes, size_t size, uint8_t out[SHA256_SIZE]) {
    enum { INNER_PAD = 0x36, OUTER_PAD = 0x5c };
    Sha256 sha;
    uint8_t inner[SHA256_SIZE];
    begin_sum(&sha, key, INNER_PAD);
    bi_sha256_add(&sha, bytes, size);
    bi_sha256_end(&sha, inner);

    begin_sum(&sha, key, OUTER_PAD);
    bi_sha256_add(&sha, inner, sizeof inner);
    bi_sha256_end(&sha, out);
}

bool bi_hmac_equal(const uint8_t a[SHA256_SIZE], const uint8_t b[SHA256_SIZE]) {
    volatile uint8_t differs = 0;  // a compiler may not leave the loop early
    for (int i = 0; i < SHA256_SIZE; ++i) {
        differs = (uint8_t)(differs | (a[i] ^ b[i]));
    }
    return differs == 0;
}
