// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// HMAC-SHA256 (RFC 2104, FIPS 198-1): signs the messages of a monitor.

#ifndef BI_HMAC_H
#define BI_HMAC_H

#include "base/sha256.h"

enum { HMAC_BLOCK = 64 };

/// A key of any length as one block, which is what the sums begin with.
void bi_hmac_key(const void* key, size_t size, uint8_t out[HMAC_BLOCK]);
void bi_hmac_sum(const uint8_t key[HMAC_BLOCK], const void* bytes, size_t size, uint8_t out[SHA256_SIZE]);
/// Takes as long wherever they differ, so that the time of an answer does not tell how far a forged sum is right.
bool bi_hmac_equal(const uint8_t a[SHA256_SIZE], const uint8_t b[SHA256_SIZE]);

#endif
