// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A reader of foreign meshes as a hostile file could make it (test_io_foreign.c): takes the request as the real one does, then
// does what ODD_READER says.

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/mesh/foreign.h"

static void get(void* bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t got = read(READER_SOCKET, (char*)bytes + done, size - done);
        if (got <= 0) {
            _exit(9);
        }
        done += (size_t)got;
    }
}

static void put(const void* bytes, size_t size) {
    if (write(READER_SOCKET, bytes, size) != (ssize_t)size) {
        _exit(9);
    }
}

static _Noreturn void hang(void) {
    for (;;) {
        pause();
    }
}

static void limit_time(void) {
    const struct rlimit limit = {1, 2};
    (void)setrlimit(RLIMIT_CPU, &limit);
}

// A tetrahedron; one number of it is off when `what` says so.
static void answer(const char* what) {
    double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int32_t corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    ReaderReply reply = {.magic = READER_MAGIC, .kind = READER_DONE, .vertex_count = 4, .triangle_count = 4};

    if (strcmp(what, "nan") == 0) {
        points[2][1] = __builtin_nan("");
    } else if (strcmp(what, "far") == 0) {
        points[2][1] = -1e8;
    } else if (strcmp(what, "corner") == 0) {
        corners[3][2] = 4;
    } else if (strcmp(what, "negative") == 0) {
        corners[3][2] = -1;
    } else if (strcmp(what, "magic") == 0) {
        reply.magic += 1;
    } else if (strcmp(what, "kind") == 0) {
        reply.kind = 7;
    } else if (strcmp(what, "status") == 0) {
        reply.status = -77;
    } else if (strcmp(what, "many") == 0) {
        reply.triangle_count = UINT64_MAX / 2;
    } else if (strcmp(what, "vertices") == 0) {
        reply.vertex_count = UINT64_MAX;
    } else if (strcmp(what, "none") == 0) {
        reply.triangle_count = 0;
    } else if (strcmp(what, "text") == 0) {
        reply.status = BERTH_ERR_PARSE;
        reply.text_size = UINT64_MAX;
    } else if (strcmp(what, "memory") == 0) {
        reply.status = BERTH_ERR_MEMORY;
    }

    put(&reply, sizeof reply);
    put(points, sizeof points);
    if (strcmp(what, "half") == 0) {
        _exit(0);
    }
    put(corners, sizeof corners);
    if (strcmp(what, "stays") == 0) {
        hang();
    }
}

static void ask_for(const char* name) {
    const ReaderReply wish = {.magic = READER_MAGIC, .kind = READER_WANTS_FILE, .text_size = strlen(name)};
    uint64_t size = 0;
    put(&wish, sizeof wish);
    put(name, strlen(name));
    get(&size, sizeof size);
    if (size != READER_NO_FILE) {  // we got what we should not have
        _exit(9);
    }
}

int main(void) {
    const char* what = getenv("ODD_READER");
    if (strcmp(what, "early") == 0) {
        return 0;
    }

    ReaderRequest request;
    get(&request, sizeof request);
    char* rest = malloc(request.path_size + request.data_size + 1);
    get(rest, request.path_size + request.data_size);

    if (strcmp(what, "echo") == 0) {
        // Behind the header of a PLY file.
        static const char end[] = "end_header\n";
        char* body = memmem(rest, request.path_size + request.data_size, end, sizeof end - 1);
        const size_t head = body != NULL ? (size_t)(body + sizeof end - 1 - rest) : 0;
        put(rest + head, request.path_size + request.data_size - head);
        return 0;
    }

    if (strcmp(what, "crash") == 0) {
        (void)raise(SIGSEGV);
    } else if (strcmp(what, "abort") == 0) {
        abort();
    } else if (strcmp(what, "killed") == 0) {
        (void)raise(SIGKILL);
    } else if (strcmp(what, "time") == 0) {
        limit_time();
        for (volatile int i = 0;; i++) {
        }
    } else if (strcmp(what, "hang") == 0) {
        hang();
    } else if (strcmp(what, "closes") == 0) {
        (void)close(READER_SOCKET);
        hang();
    } else if (strcmp(what, "files") == 0) {
        ask_for("/etc/passwd");
        ask_for("/etc/passwd.bin");
        ask_for("../secret.bin");
    }
    answer(what);
    return 0;
}
