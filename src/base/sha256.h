// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// SHA-256 (FIPS 180-4): what a certificate knows a scene, a motion and its own file by.

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
/// 64 hexadecimal digits and a zero.
void bi_sha256_text(const uint8_t hash[SHA256_SIZE], char out[SHA256_TEXT]);

#endif
