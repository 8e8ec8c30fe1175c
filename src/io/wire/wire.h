// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The two forms of a message share a checksum.

#ifndef BI_WIRE_H
#define BI_WIRE_H

#include <berth/io/wire.h>

/// Where things are in the binary form. A signature is a nonce, an answer and a tag, before the checksum.
enum {
    WIRE_KIND_AT = 5,
    WIRE_LENGTH_AT = 6,
    WIRE_HEADER = 40,
    WIRE_CHECKSUM = 4,
    WIRE_SIGNATURE = 16 + BERTH_WIRE_TAG,
    WIRE_SIGNED = 0x80  ///< of the kind's byte
};

/// CRC-32 as in zip and Ethernet.
uint32_t bi_wire_checksum(const void* bytes, size_t size);
/// The name behind this one, in a list of names that each end with a zero byte.
const char* bi_wire_next_name(const char* name);
BerthStatus bi_wire_read_json(const char* text, size_t size, BerthWireMessage* out);
/// What both forms must keep to: names of printable characters, counts that fit. Numbers are not looked at: in bytes
/// they may be NaN or infinite, and the receiver judges them (a monitor stops at them: BERTH_STOP_VALUE).
BerthStatus bi_wire_check(const BerthWireMessage* message);

#endif
