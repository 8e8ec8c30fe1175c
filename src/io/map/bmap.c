// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth's own map file, .bmap: a header of 128 bytes, then the field as one block (berth_field_pack), which is used where
// it lies. Little-endian:
//
//     0  "BERTHMAP"      8  version 1 (u32)      12  flags (u32)      16  bytes of the block (u64)
//    24  check of the block (u64)               32  points (u64)     40  dropped (u64)     48  open meshes (u64)
//    56  cells cleared by rays (u64)            64  yaw (f64)     72  zeros, to 120
//   120  check of the bytes before (u64)
//
// The checks find damage, not malice: they are a fast hash, no signature.
// Entries: bi_bmap_parse, bi_bmap_bytes, bi_bmap_has_magic, bi_bmap_write_checksums.

#include <berth/lab/field.h>
#include <math.h>
#include <string.h>

#include "io/map/map_file.h"
#include "io/syntax/bytes.h"

static const char magic[8] = {'B', 'E', 'R', 'T', 'H', 'M', 'A', 'P'};
enum { HEADER_SIZE = 128, VERSION = 1, FLAG_BACKGROUND = 1, FLAGS_KNOWN = 1, LANES = 4 };

static void put_u64(uint8_t* bytes, uint64_t value) {
    for (int i = 0; i < 8; ++i) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t rotated(uint64_t value, int by) {
    return value << by | value >> (64 - by);
}

// Four lanes of multiply and rotate, so that a map is checked as fast as it is read. Each step can be undone, so any
// change within one word changes the result.
static uint64_t checksum_of(const uint8_t* bytes, size_t size) {
    const uint64_t odd = 0x9E3779B97F4A7C15u;
    uint64_t lanes[LANES] = {1, 2, 3, 4};
    size_t at = 0;
    for (; size - at >= 8 * LANES; at += 8 * LANES) {
        for (int i = 0; i < LANES; ++i) {
            lanes[i] = rotated((lanes[i] ^ u64_at(bytes + at + 8 * (size_t)i)) * odd, 29);
        }
    }

    uint64_t sum = size;
    for (; at < size; ++at) {
        sum = rotated((sum ^ bytes[at]) * odd, 29);
    }

    for (int i = 0; i < LANES; ++i) {
        sum = rotated((sum ^ lanes[i]) * odd, 29);
    }
    return sum ^ sum >> 32;
}

bool bi_bmap_has_magic(const void* data, size_t size) {
    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

static BerthStatus check_header(const char* path, const uint8_t* bytes, size_t size) {
    if (!bi_bmap_has_magic(bytes, size)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 0: not a .bmap file: it does not begin with BERTHMAP",
                       path);
    }
    if (size < HEADER_SIZE) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: the file ends inside its header", path, size);
    }

    const uint64_t words = u64_at(bytes + 8);
    const uint32_t version = (uint32_t)words, flags = (uint32_t)(words >> 32);
    if (version != VERSION) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: byte 8: version %u, this berth reads version %d: build the map again", path,
                       (unsigned)version, VERSION);
    }

    if (checksum_of(bytes, HEADER_SIZE - 8) != u64_at(bytes + HEADER_SIZE - 8) ||
        (flags & ~(uint32_t)FLAGS_KNOWN) != 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 120: the header is damaged: its checksum is another", path);
    }

    const uint64_t block = u64_at(bytes + 16);
    if (block != size - HEADER_SIZE) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: the header says %llu bytes of map, %zu are there",
                       path, size, (unsigned long long)block, size - HEADER_SIZE);
    }
    return BERTH_OK;
}

BerthStatus bi_bmap_parse(const char* path, const void* data, size_t size, bool borrow,
                          const BerthAllocator* allocator, BerthMapFacts* facts, BerthField** out) {
    const uint8_t* bytes = data;
    *out = NULL;
    BerthStatus status = check_header(path, bytes, size);
    if (status != BERTH_OK) {
        return status;
    }

    if (checksum_of(bytes + HEADER_SIZE, size - HEADER_SIZE) != u64_at(bytes + 24)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte %d: the map is damaged: its checksum is another", path,
                       HEADER_SIZE);
    }

    facts->format = "bmap";
    facts->background_taken_free = (bytes[12] & FLAG_BACKGROUND) != 0;
    facts->points = (int64_t)u64_at(bytes + 32);
    facts->dropped = (int64_t)u64_at(bytes + 40);
    facts->open_meshes = (int64_t)u64_at(bytes + 48);
    facts->cleared = (int64_t)u64_at(bytes + 56);
    facts->yaw = f64_at(bytes + 64);
    if (!(fabs(facts->yaw) <= 1e7)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 64: a yaw of %g", path, facts->yaw);
    }

    status = berth_field_unpack(bytes + HEADER_SIZE, size - HEADER_SIZE, borrow, false, allocator, out);
    return status == BERTH_OK ? BERTH_OK : bi_fail_prefix(status, "%s: after the header", path);
}

void bi_bmap_write_checksums(void* data, size_t size) {
    uint8_t* bytes = data;
    if (size < HEADER_SIZE) {
        return;
    }

    memcpy(bytes, magic, sizeof magic);
    put_u64(bytes + 16, size - HEADER_SIZE);
    put_u64(bytes + 24, checksum_of(bytes + HEADER_SIZE, size - HEADER_SIZE));
    put_u64(bytes + HEADER_SIZE - 8, checksum_of(bytes, HEADER_SIZE - 8));
}

BerthStatus bi_bmap_bytes(const char* path, const BerthField* field, const BerthMapFacts* facts,
                          FileBytes* out) {
    const size_t block = berth_field_packed_size(field);
    out->capacity = HEADER_SIZE + block;
    out->data = block > 0 ? bi_take_raw(&out->allocator, out->capacity, 1) : NULL;
    if (out->data == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu bytes of map", path, out->capacity);
    }

    out->size = out->capacity;
    uint8_t* bytes = (uint8_t*)out->data;
    memset(bytes, 0, HEADER_SIZE);
    const BerthStatus status = berth_field_pack(field, bytes + HEADER_SIZE, block);
    if (status != BERTH_OK) {
        return bi_fail_prefix(status, "%s", path);
    }

    const uint64_t flags = facts->background_taken_free ? FLAG_BACKGROUND : 0;
    put_u64(bytes + 8, (uint64_t)VERSION | flags << 32);
    put_u64(bytes + 32, (uint64_t)facts->points);
    put_u64(bytes + 40, (uint64_t)facts->dropped);
    put_u64(bytes + 48, (uint64_t)facts->open_meshes);
    put_u64(bytes + 56, (uint64_t)facts->cleared);
    uint64_t yaw;
    memcpy(&yaw, &facts->yaw, sizeof yaw);
    put_u64(bytes + 64, yaw);
    bi_bmap_write_checksums(bytes, out->size);
    return BERTH_OK;
}
