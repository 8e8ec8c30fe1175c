// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The two forms of a message share a checksum.

#ifndef BI_WIRE_H
#define BI_WIRE_H

#include <berth/io.h>

/// CRC-32 as in zip and Ethernet.
uint32_t bi_wire_checksum(const void* bytes, size_t size);
BerthStatus bi_wire_read_json(const char* text, size_t size, BerthWireMessage* out);
/// What both forms must keep to: finite numbers, a name of printable characters, counts that fit.
BerthStatus bi_wire_check(const BerthWireMessage* message);

#endif
