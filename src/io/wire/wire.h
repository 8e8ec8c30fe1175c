// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The two forms of a message share a checksum.

#ifndef BI_WIRE_H
#define BI_WIRE_H

#include <berth/io/wire.h>

/// CRC-32 as in zip and Ethernet.
uint32_t bi_wire_checksum(const void* bytes, size_t size);
BerthStatus bi_wire_read_json(const char* text, size_t size, BerthWireMessage* out);
/// What both forms must keep to: names of printable characters, counts that fit. Numbers are not looked at: in bytes
/// they may be NaN or infinite, and whoever takes them judges them (a monitor stops at them: BERTH_STOP_VALUE).
BerthStatus bi_wire_check(const BerthWireMessage* message);

#endif
