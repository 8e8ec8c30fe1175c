// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// SHA-256, directly from the standard: blocks of 64 bytes, 64 rounds each.
// Entries: bi_sha256_init, bi_sha256_add, bi_sha256_end, bi_sha256_text.

#include "base/sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, int by) {
    return (x >> by) | (x << (32 - by));
}

static void digest_block(Sha256* sha, const uint8_t block[64]) {
    uint32_t w[64];
    for (int i = 0; i < 16; ++i) {
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | (uint32_t)block[4 * i + 3];
    }

    // The message schedule.
    for (int i = 16; i < 64; ++i) {
        const uint32_t s0 = rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ (w[i - 15] >> 3);
        const uint32_t s1 = rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }

    // The 64 rounds. Eight of them bring every word of the state back to its place, so none is moved.
    uint32_t s[8];
    memcpy(s, sha->state, sizeof s);
    for (int i = 0; i < 64; i += 8) {
        for (int k = 0; k < 8; ++k) {
            const uint32_t a = s[(8 - k) & 7], b = s[(9 - k) & 7], c = s[(10 - k) & 7];
            const uint32_t e = s[(12 - k) & 7], f = s[(13 - k) & 7], g = s[(14 - k) & 7];
            const uint32_t sum1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
            const uint32_t first =
                s[(15 - k) & 7] + sum1 + ((e & f) ^ (~e & g)) + constants[i + k] + w[i + k];
            const uint32_t sum0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
            s[(11 - k) & 7] += first;
            s[(15 - k) & 7] = first + sum0 + ((a & b) ^ (a & c) ^ (b & c));
        }
    }

    for (int i = 0; i < 8; ++i) {
        sha->state[i] += s[i];
    }
}

void bi_sha256_init(Sha256* sha) {
    *sha = (Sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                              0x1f83d9ab, 0x5be0cd19}};
}

void bi_sha256_add(Sha256* sha, const void* bytes, size_t size) {
    const uint8_t* next = bytes;
    while (size > 0) {
        const size_t used = (size_t)(sha->length % 64);
        const size_t step = size < 64 - used ? size : 64 - used;
        memcpy(sha->block + used, next, step);
        sha->length += step;
        next += step;
        size -= step;

        if (used + step == 64) {
            digest_block(sha, sha->block);
        }
    }
}

void bi_sha256_end(Sha256* sha, uint8_t out[SHA256_SIZE]) {
    const uint64_t bits = 8 * sha->length;
    const uint8_t one = 0x80;
    const uint8_t zero = 0;

    bi_sha256_add(sha, &one, 1);
    while (sha->length % 64 != 56) {
        bi_sha256_add(sha, &zero, 1);
    }

    uint8_t tail[8];
    for (int i = 0; i < 8; ++i) {
        tail[i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    bi_sha256_add(sha, tail, sizeof tail);

    for (int i = 0; i < SHA256_SIZE; ++i) {
        out[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

static void add_bits(Sha256* sha, uint64_t bits) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; ++i) {
        bytes[i] = (uint8_t)(bits >> (8 * i));
    }
    bi_sha256_add(sha, bytes, sizeof bytes);
}

void bi_sha256_add_integer(Sha256* sha, int64_t value) {
    add_bits(sha, (uint64_t)value);
}

void bi_sha256_add_number(Sha256* sha, double value) {
    uint64_t bits = 0;
    const double plain = value + 0.0;  // -0 is 0: files do not keep its sign
    memcpy(&bits, &plain, sizeof bits);
    add_bits(sha, bits);
}

void bi_sha256_add_text(Sha256* sha, const char* text) {
    const size_t length = strlen(text);
    bi_sha256_add_integer(sha, (int64_t)length);
    bi_sha256_add(sha, text, length);
}

void bi_sha256_text(const uint8_t hash[SHA256_SIZE], char out[SHA256_TEXT]) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < SHA256_SIZE; ++i) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
    out[2 * SHA256_SIZE] = '\0';
}
