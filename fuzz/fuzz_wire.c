// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a message of a monitor, as they are and with a length and checksum that are right: an error, or a message that is
// written and read again as the same bytes.

#include <stdio.h>

#include "io/wire/wire.h"
#include "support/target.h"

enum { SUM = 4, LENGTH_AT = 6, LINE = 64 };

static void read_and_write(const char* bytes, size_t size) {
    static BerthWireMessage message;
    static BerthWireMessage again;
    static char first[BERTH_WIRE_SIZE];
    static char second[BERTH_WIRE_SIZE];
    if (berth_wire_read(bytes, size, &message) != BERTH_OK) {
        need(message.count == 0 && message.point_count == 0 && message.run_count == 0);
        return;
    }
    const size_t one = berth_wire_write(&message, first, sizeof first);
    need(one > 0 && berth_wire_read(first, one, &again) == BERTH_OK);
    need(berth_wire_write(&again, second, sizeof second) == one && memcmp(first, second, one) == 0);
}

FUZZ_TARGET(bytes, size) {
    // Messages have no zero behind them: an exact copy, so that reading past the end is seen; and one with room.
    char* exact = malloc(size > 0 ? size : 1);
    char* copy = malloc(size + LINE);
    if (exact == NULL || copy == NULL) {
        free(exact);
        free(copy);
        return;
    }
    memcpy(exact, bytes, size);
    memcpy(copy, bytes, size);
    if (size > 0) {
        read_and_write(exact, size);
    }
    free(exact);

    if (size > LENGTH_AT + 2 + SUM && memcmp(copy, "BRTH", 4) == 0) {
        copy[LENGTH_AT] = (char)size;
        copy[LENGTH_AT + 1] = (char)(size >> 8);
        const uint32_t sum = bi_wire_checksum(copy, size - SUM);
        for (int k = 0; k < SUM; ++k) {
            copy[size - SUM + (size_t)k] = (char)(sum >> (8 * k));
        }
        read_and_write(copy, size);
    } else if (size > 0 && copy[0] == '{') {
        // An object without its end: the sum and the end are put behind it.
        const int more = snprintf(copy + size, LINE, ",\"crc\":\"%08x\"}", bi_wire_checksum(copy, size));
        read_and_write(copy, size + (size_t)more);
    }
    free(copy);
}
