// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Certificates to files: lines of text, the last of which is a hash of all before it. Written beside and renamed, so
// that nobody ever sees half of one.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // O_CLOEXEC
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/certificate.h"
#include "motion/certificate.h"
#include "scene/scene.h"

enum { LINE_SIZE = 512, NUMBER_SIZE = 40, PATH_SIZE = 4200 };

/// Text that grows; `failed` once memory ran out.
typedef struct Writer {
    FileBytes bytes;
    bool failed;
} Writer;

static void add_bytes(Writer* writer, const char* text, size_t length) {
    FileBytes* bytes = &writer->bytes;
    if (!writer->failed && length + 1 > bytes->capacity - bytes->size) {
        size_t larger = bytes->capacity > 0 ? 2 * bytes->capacity : 4096;
        larger = larger > bytes->size + length + 1 ? larger : bytes->size + length + 1;
        char* moved = bi_take(&bytes->allocator, larger, 1);
        writer->failed = moved == NULL;
        if (moved != NULL) {
            if (bytes->size > 0) {
                memcpy(moved, bytes->data, bytes->size);
            }
            bi_give(&bytes->allocator, bytes->data, bytes->capacity, 1);
            bytes->data = moved;
            bytes->capacity = larger;
        }
    }
    if (!writer->failed && length > 0) {
        memcpy(bytes->data + bytes->size, text, length);
        bytes->size += length;
        bytes->data[bytes->size] = '\0';
    }
}

static void add(Writer* writer, const char* format, ...) BI_PRINTF(2, 3);
static void add(Writer* writer, const char* format, ...) {
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    add_bytes(writer, line, length > 0 && length < LINE_SIZE ? (size_t)length : 0);
}

// Seventeen digits read back exactly. The point is a point in every locale.
static const char* number(double value, char text[NUMBER_SIZE]) {
    char raw[NUMBER_SIZE];
    snprintf(raw, sizeof raw, "%.17g", value);
    size_t at = 0;
    bool point = false;
    for (const char* c = raw; *c != '\0'; ++c) {
        const bool plain = (*c >= '0' && *c <= '9') || *c == '+' || *c == '-' || *c == 'e';
        if (plain || !point) {
            text[at++] = plain ? *c : '.';
        }
        point = point || !plain;
    }
    text[at] = '\0';
    return text;
}

// A name is the rest of its line: what would end it becomes a question mark, here and where it is read.
static void add_name(Writer* writer, const char* name) {
    for (const char* c = name; *c != '\0'; ++c) {
        const char plain = (unsigned char)*c < ' ' ? '?' : *c;
        add_bytes(writer, &plain, 1);
    }
    add_bytes(writer, "\n", 1);
}

static void add_head(Writer* writer, const BerthCertificate* c, const BerthScene* scene) {
    char hash[SHA256_TEXT];
    char text[NUMBER_SIZE];
    bi_sha256_text(c->scene_hash, hash);
    add(writer, "berth certificate 1\nscene %s\n", hash);
    add(writer, "margin %s\n", number(c->margin, text));
    add(writer, "delta %s\n", number(c->delta, text));
    for (int32_t i = 0; i < scene->assumed_count; ++i) {
        add(writer, "assumed %d ", (int)scene->assumed[i].count);
        add_name(writer, scene->assumed[i].what);
    }
    for (int32_t i = 0; i < c->value_count; ++i) {
        char name[2 * BI_SCENE_NAME_MAX];
        berth_scene_value_name(scene, i, name, sizeof name);
        add(writer, "value %s ", number(c->tracking_error[i], text));
        add_name(writer, name);
    }
    for (int32_t i = 0; i < scene->body_count; ++i) {
        add(writer, "body %d ", (int)i);
        add_name(writer, scene->bodies[i].name);
    }
    for (int32_t i = 0; i < c->constant_count; ++i) {
        const ScenePair* pair = &scene->pairs[c->constants[i].pair];
        add(writer, "constant %d %d %s\n", (int)pair->body_a, (int)pair->body_b,
            number(c->constants[i].bound, text));
    }
}

static void add_record(Writer* writer, const CertificateRecord* record, const BerthScene* scene) {
    static const char* const kinds[PROOF_KIND_COUNT] = {"balls", "plane", "distance", "half-space"};
    const ScenePair* pair = &scene->pairs[record->pair];
    char text[NUMBER_SIZE];
    add(writer, "%d %d %d %llu %s %s", (int)pair->body_a, (int)pair->body_b, (int)record->level,
        (unsigned long long)record->index, kinds[record->kind], number(record->bound, text));
    if (record->kind == PROOF_PLANE) {
        add(writer, " %s", number(record->direction.x, text));
        add(writer, " %s", number(record->direction.y, text));
        add(writer, " %s", number(record->direction.z, text));
    }
    add_bytes(writer, "\n", 1);
}

BerthStatus bi_io_certificate_to_bytes(const char* path, const BerthCertificate* c, const BerthScene* scene,
                                       const BerthAllocator* allocator, FileBytes* out) {
    *out = (FileBytes){.allocator = bi_allocator_or_default(allocator)};
    int64_t proven = 0;
    if (berth_certificate_segment_count(c, &proven) != proven) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: a certificate is about free segments: %lld of %lld are not",
                       path, (long long)(c->segment_count - proven), (long long)c->segment_count);
    }
    if (!scene->committed || c->pair_count != scene->pair_count || c->value_count != scene->value_count) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: the certificate is about another scene", path);
    }
    Writer writer = {.bytes = *out};
    char hash[SHA256_TEXT];
    add_head(&writer, c, scene);
    for (int64_t i = 0; i < c->segment_count; ++i) {
        const CertificateSegment* segment = &c->segments[i];
        bi_sha256_text(segment->hash, hash);
        add(&writer, "segment %lld %lld %s\n", (long long)i, (long long)segment->count, hash);
        for (int64_t k = segment->first; k < segment->first + segment->count; ++k) {
            add_record(&writer, &c->records[k], scene);
        }
    }
    Sha256 sha;
    uint8_t digest[SHA256_SIZE];
    bi_sha256_init(&sha);
    bi_sha256_add(&sha, writer.bytes.data, writer.bytes.size);
    bi_sha256_end(&sha, digest);
    bi_sha256_text(digest, hash);
    add(&writer, "end %s\n", hash);
    if (writer.failed) {
        bi_io_free_file(&writer.bytes);
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
    }
    *out = writer.bytes;
    return BERTH_OK;
}

static BerthStatus fail_write(const char* path, int code) {
    char text[128] = "";
    const char* reason = strerror_r(code, text, sizeof text);
    const bool ours = code == ENOENT || code == EACCES || code == ENOTDIR || code == EISDIR ||
                      code == EPERM || code == ENAMETOOLONG || code == EROFS;
    return bi_fail(ours ? BERTH_ERR_ARGUMENT : BERTH_ERR_SYSTEM, "%s: cannot be written: %s", path, reason);
}

// 0, or what went wrong.
static int write_all(int descriptor, const FileBytes* bytes) {
    size_t done = 0;
    while (done < bytes->size) {
        const ssize_t wrote = write(descriptor, bytes->data + done, bytes->size - done);
        if (wrote < 0 && errno != EINTR) {
            return errno;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return fsync(descriptor) != 0 ? errno : 0;
}

static BerthStatus write_beside(const char* path, const FileBytes* bytes) {
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: cannot be written: it is not a regular file", path);
    }
    char beside[PATH_SIZE];
    const int length = snprintf(beside, sizeof beside, "%s.%ld.part", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof beside) {
        return fail_write(path, ENAMETOOLONG);
    }
    const int descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        return fail_write(path, errno);
    }
    int code = write_all(descriptor, bytes);
    if (close(descriptor) != 0 && code == 0) {
        code = errno;
    }
    if (code == 0 && rename(beside, path) != 0) {
        code = errno;
    }
    if (code != 0) {
        (void)unlink(beside);
        return fail_write(path, code);
    }
    return BERTH_OK;
}

BerthStatus berth_io_write_certificate(const char* path, const BerthCertificate* certificate,
                                       const BerthScene* scene, const BerthIoOptions* options) {
    if (path == NULL || path[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "a file's name is missing");
    }
    FileBytes bytes;
    BerthStatus status = bi_io_certificate_to_bytes(path, certificate, scene, &options->allocator, &bytes);
    if (status == BERTH_OK) {
        status = write_beside(path, &bytes);
    }
    bi_io_free_file(&bytes);
    return status;
}
