// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What every fuzz target begins with: its input copied to the heap, so that a read past the end is seen, with a zero
// behind it, as files have it in memory.
//
//     FUZZ_TARGET(bytes, size) {
//         ... parse `size` bytes, abort when what was read breaks a promise ...
//     }

#ifndef FUZZ_SUPPORT_TARGET_H
#define FUZZ_SUPPORT_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#define FUZZ_TARGET(bytes, size)                                        \
    static void look_at_bytes(char* bytes, size_t size);                \
    int LLVMFuzzerTestOneInput(const uint8_t* data, size_t data_size) { \
        char* copy = malloc(data_size + 1);                             \
        if (copy == NULL) {                                             \
            return 0;                                                   \
        }                                                               \
        if (data_size > 0) {                                            \
            memcpy(copy, data, data_size);                              \
        }                                                               \
        copy[data_size] = '\0';                                         \
        look_at_bytes(copy, data_size);                                 \
        free(copy);                                                     \
        return 0;                                                       \
    }                                                                   \
    static void look_at_bytes(char* bytes, size_t size)

/// What was read must hold this.
static inline void need(bool fact) {
    if (!fact) {
        abort();
    }
}

#endif
