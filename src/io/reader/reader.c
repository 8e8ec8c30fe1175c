// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The program berth-mesh-reader: takes a mesh file from its socket, reads it with assimp, sends triangles or
// an error, ends. It frees nothing and never returns from main: the system does that faster, and destructors
// of a library that a file has corrupted must not run.
// Entry: main. import.c calls reader_want_file; reader_new takes the place of C++'s operator new.

#include "io/reader/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the socket ------------------------------------------------------------------------------------------------

// Whoever started us is gone, or never was.
static _Noreturn void end_alone(void) {
    _exit(1);
}

static void put(const void* bytes, size_t size) {
    const char* at = bytes;
    while (size > 0) {
        const ssize_t wrote = write(READER_SOCKET, at, size);
        if (wrote <= 0 && !(wrote < 0 && errno == EINTR)) {
            end_alone();
        }
        at += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? (size_t)wrote : 0;
    }
}

static void get(void* bytes, size_t size) {
    char* at = bytes;
    while (size > 0) {
        const ssize_t got = read(READER_SOCKET, at, size);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            end_alone();
        }
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
}

static _Noreturn void end_with(BerthStatus status, const char* text) {
    const size_t length = strlen(text);
    const ReaderReply reply = {.magic = READER_MAGIC,
                               .kind = READER_DONE,
                               .status = status,
                               .text_size = length < READER_TEXT_MAX ? length : READER_TEXT_MAX};
    put(&reply, sizeof reply);
    put(text, reply.text_size);
    _exit(0);
}

static _Noreturn void end_with_triangles(const TriangleSoup* soup, int32_t folded_count) {
    const ReaderReply reply = {.magic = READER_MAGIC,
                               .kind = READER_DONE,
                               .status = BERTH_OK,
                               .folded_count = folded_count,
                               .vertex_count = soup->vertex_count,
                               .triangle_count = soup->triangle_count};
    put(&reply, sizeof reply);
    put(soup->vertices, soup->vertex_count * sizeof *soup->vertices);
    put(soup->corners, 3 * soup->triangle_count * sizeof *soup->corners);
    _exit(0);
}

// ---- memory ----------------------------------------------------------------------------------------------------

static char* take_or_end(size_t size) {
    char* bytes = malloc(size > 0 ? size : 1);
    if (bytes == NULL) {
        end_with(BERTH_ERR_MEMORY, "");
    }
    return bytes;
}

#if (!defined(READER_SANITIZED) || !READER_SANITIZED) && defined(__LP64__)
// C++'s operator new, for assimp: it does not live through the exception of a failed one everywhere (five deaths by signal
// in 42,701 failed allocations), and need not, since there is nothing that we could do without memory.
__attribute__((visibility("default"))) void* reader_new(size_t size) __asm__("_Znwm");
__attribute__((visibility("default"))) void* reader_new_array(size_t size) __asm__("_Znam");
void* reader_new(size_t size) {
    return take_or_end(size);
}
void* reader_new_array(size_t size) {
    return take_or_end(size);
}
#endif

// ---- the work --------------------------------------------------------------------------------------------------

char* reader_want_file(const char* name, size_t* size) {
    const size_t length = strlen(name);
    if (length > READER_NAME_MAX) {
        return NULL;
    }
    const ReaderReply wish = {.magic = READER_MAGIC, .kind = READER_WANTS_FILE, .text_size = length};
    put(&wish, sizeof wish);
    put(name, length);

    uint64_t there = 0;
    get(&there, sizeof there);
    if (there == READER_NO_FILE) {
        return NULL;
    }
    char* bytes = take_or_end((size_t)there);
    get(bytes, (size_t)there);
    *size = (size_t)there;
    return bytes;
}

int main(void) {
    if (!reader_drop_privileges()) {
        end_with(BERTH_ERR_SYSTEM, "its reader cannot give up its rights");
    }

    ReaderRequest request;
    get(&request, sizeof request);
    if (request.magic != READER_MAGIC) {
        end_with(BERTH_ERR_UNSUPPORTED, "its reader is of another version than the library");
    }
    if (!reader_set_limits(request.memory, request.seconds)) {
        end_with(BERTH_ERR_SYSTEM, "its reader cannot be limited");
    }

    // A zero behind each, as texts have it.
    char* path = take_or_end((size_t)request.path_size + 1);
    get(path, (size_t)request.path_size);
    path[request.path_size] = '\0';
    char* data = take_or_end((size_t)request.data_size + 1);
    get(data, (size_t)request.data_size);
    data[request.data_size] = '\0';

    TriangleSoup soup;
    const Vec3 scale = v3(request.scale[0], request.scale[1], request.scale[2]);
    BerthStatus status = bi_soup_init(&soup, scale, NULL);
    int32_t folded_count = 0;
    if (status == BERTH_OK) {
        const ReaderFile file = {path, data, (size_t)request.data_size};
        status = reader_import(&file, request.factor, &soup, &folded_count);
    }

    if (status != BERTH_OK) {
        end_with(status, berth_error_text());
    }
    end_with_triangles(&soup, folded_count);
}
