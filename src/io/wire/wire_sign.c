// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Signed messages: a written message gets a nonce, an answer and the HMAC of all of it.
// docs/reference/guard.md explains what the two are for.
// Entries: berth_wire_make_key, berth_wire_read_key, berth_wire_sign, berth_wire_is_signed_by.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/hmac.h"
#include "io/wire/wire.h"

_Static_assert(sizeof(((BerthWireKey*)0)->block) == HMAC_BLOCK, "a key is a block");
_Static_assert((int)BERTH_WIRE_TAG == (int)SHA256_SIZE, "a tag is a sum");

// ---- keys ----------------------------------------------------------------------------------------------------

void berth_wire_make_key(const void* bytes, size_t size, BerthWireKey* out) {
    bi_hmac_key(bytes, size, out->block);
}

// A key that others may read is none.
static BerthStatus check_key_file(int file, const char* path) {
    struct stat info;
    if (fstat(file, &info) != 0) {
        return bi_fail(BERTH_ERR_SYSTEM, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return bi_fail(BERTH_ERR_SYSTEM, "%s: expected a regular file with a key", path);
    }

    if ((info.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
        return bi_fail(
            BERTH_ERR_SYSTEM,
            "%s: others may read or change this key, mode %03o: chmod 600 it, and make a new one if "
            "they did",
            path, (unsigned)(info.st_mode & 0777));
    }
    if (info.st_uid != geteuid() && info.st_uid != 0) {
        return bi_fail(BERTH_ERR_SYSTEM, "%s: this key belongs to another user", path);
    }
    return BERTH_OK;
}

BerthStatus berth_wire_read_key(const char* path, BerthWireKey* out) {
    char bytes[BERTH_WIRE_KEY_MOST + 4];
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return bi_fail(BERTH_ERR_SYSTEM, "%s: %s", path, strerror(errno));
    }

    BerthStatus status = check_key_file(file, path);
    size_t size = 0;
    ssize_t got = 1;
    while (status == BERTH_OK && got > 0 && size < sizeof bytes) {
        got = read(file, bytes + size, sizeof bytes - size);
        size += got > 0 ? (size_t)got : 0;
    }
    const int reason = errno;
    (void)close(file);
    if (status != BERTH_OK) {
        return status;
    }
    if (got < 0) {
        return bi_fail(BERTH_ERR_SYSTEM, "%s: %s", path, strerror(reason));
    }

    // An editor's end of line belongs to no key.
    while (size > 0 && (bytes[size - 1] == '\n' || bytes[size - 1] == '\r')) {
        size -= 1;
    }
    if (size < BERTH_WIRE_KEY_LEAST || size > BERTH_WIRE_KEY_MOST) {
        return bi_fail(BERTH_ERR_PARSE, "%s: a key has %d to %d bytes; 'openssl rand -hex 32' makes one",
                       path, BERTH_WIRE_KEY_LEAST, BERTH_WIRE_KEY_MOST);
    }
    berth_wire_make_key(bytes, size, out);
    return BERTH_OK;
}

// ---- signing -------------------------------------------------------------------------------------------------

static void put_little_endian(uint8_t* out, uint64_t value, int count) {
    for (int i = 0; i < count; ++i) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

// The checksum goes away and comes back behind the signature.
static size_t sign_binary(uint8_t* bytes, size_t size, size_t room, uint64_t nonce, uint64_t answer,
                          const BerthWireKey* key) {
    const size_t length = size + WIRE_SIGNATURE;
    const size_t body = size - WIRE_CHECKSUM;
    if (size < WIRE_HEADER + 1 + WIRE_CHECKSUM || length > room || length > BERTH_WIRE_SIZE ||
        (bytes[WIRE_KIND_AT] & WIRE_SIGNED) != 0) {
        return 0;
    }

    bytes[WIRE_KIND_AT] |= WIRE_SIGNED;
    put_little_endian(bytes + WIRE_LENGTH_AT, length, 2);
    put_little_endian(bytes + body, nonce, 8);
    put_little_endian(bytes + body + 8, answer, 8);
    bi_hmac_sum(key->block, bytes, body + 16, bytes + body + 16);
    put_little_endian(bytes + length - WIRE_CHECKSUM, bi_wire_checksum(bytes, length - WIRE_CHECKSUM),
                      WIRE_CHECKSUM);
    return length;
}

static size_t sign_json(char* text, size_t size, size_t room, uint64_t nonce, uint64_t answer,
                        const BerthWireKey* key) {
    static const char sum_key[] = ",\"crc\":\"";
    enum { SUM_TEXT = 18, MORE = 256 };
    if (size < SUM_TEXT || memcmp(text + size - SUM_TEXT, sum_key, sizeof sum_key - 1) != 0) {
        return 0;
    }

    char more[MORE];
    size_t at = size - SUM_TEXT;
    int count = snprintf(more, sizeof more, ",\"nonce\":%llu,\"answer\":%llu", (unsigned long long)nonce,
                         (unsigned long long)answer);
    if (at + MORE > room || at + MORE > BERTH_WIRE_SIZE) {
        return 0;
    }
    memcpy(text + at, more, (size_t)count);
    at += (size_t)count;

    uint8_t tag[SHA256_SIZE];
    char digits[SHA256_TEXT];
    bi_hmac_sum(key->block, text, at, tag);
    bi_sha256_text(tag, digits);
    count = snprintf(more, sizeof more, ",\"hmac\":\"%s\"", digits);
    memcpy(text + at, more, (size_t)count);
    at += (size_t)count;

    count = snprintf(more, sizeof more, "%s%08x\"}", sum_key, bi_wire_checksum(text, at));
    memcpy(text + at, more, (size_t)count + 1);
    return at + (size_t)count;
}

size_t berth_wire_sign(void* bytes, size_t size, size_t room, uint64_t nonce, uint64_t answer,
                       const BerthWireKey* key) {
    if (size == 0) {
        return 0;
    }
    return *(const char*)bytes == '{' ? sign_json(bytes, size, room, nonce, answer, key)
                                      : sign_binary(bytes, size, room, nonce, answer, key);
}

bool berth_wire_is_signed_by(const BerthWireMessage* message, const void* bytes, const BerthWireKey* key) {
    uint8_t tag[SHA256_SIZE];
    if (message->signed_size == 0) {
        return false;
    }
    bi_hmac_sum(key->block, bytes, message->signed_size, tag);
    return bi_hmac_equal(tag, message->tag);
}
