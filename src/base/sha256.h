// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// SHA-256 (FIPS 180-4): by which a certificate identifies a scene, a motion and its own file.

#ifndef BI_SHA256_H
#define BI_SHA256_H

#include "base/base.h"

enum { SHA256_SIZE = 32, SHA256_TEXT = 65 };

typedef struct Sha256 {
    uint32_t state[8];
    uint64_t length;  ///< bytes so far
    uint8_t block[64];
} Sha256;

void bi_sha256_init(Sha256* sha);
void bi_sha256_add(Sha256* sha, const void* bytes, size_t size);
void bi_sha256_end(Sha256* sha, uint8_t out[SHA256_SIZE]);
// Numbers and texts go in one way only, so that a sum is the same on every machine.
/// Eight bytes, little-endian.
void bi_sha256_add_integer(Sha256* sha, int64_t value);
/// The eight bytes of its IEEE form, little-endian.
void bi_sha256_add_number(Sha256* sha, double value);
/// Its length, then its bytes.
void bi_sha256_add_text(Sha256* sha, const char* text);
/// 64 hexadecimal digits and a zero.
void bi_sha256_text(const uint8_t hash[SHA256_SIZE], char out[SHA256_TEXT]);

#endif
