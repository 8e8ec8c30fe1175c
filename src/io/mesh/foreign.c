// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// DAE, PLY and glTF. The file is first checked here; then a separate program reads it with assimp, with
// limits of time and memory and almost no rights, and sends triangles back. A file that crashes it, or that
// it never finishes, is an error here and nothing more.
// Entry: bi_io_parse_foreign.

#include "io/mesh/foreign.h"

#include <stdio.h>
#include <string.h>

#include "io/syntax/file.h"

static BerthStatus look_before(const char* path, const char* data, size_t size, const BerthIoOptions* options,
                               MeshUnits* units) {
    if (bi_io_has_extension(path, ".dae")) {
        return bi_io_scan_collada(path, data, size, &options->allocator, units);
    }
    if (bi_io_has_extension(path, ".ply")) {
        return bi_io_scan_ply(path, data, size);
    }
    return bi_io_scan_gltf(path, data, size, bi_io_has_extension(path, ".glb"), &options->allocator);
}

#if !defined(BI_WITH_ASSIMP) || !BI_WITH_ASSIMP

BerthStatus bi_io_parse_foreign(const char* path, const char* data, size_t size,
                                const BerthIoOptions* options, TriangleSoup* soup, MeshUnits* units) {
    (void)data, (void)size, (void)options, (void)soup, (void)units, (void)look_before;
    return bi_fail(
        BERTH_ERR_UNSUPPORTED,
        "%s: this build reads .stl and .obj only; others need a build with assimp (BERTH_WITH_ASSIMP=ON)",
        path);
}

#else

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "math/tolerance.h"
#include "mesh/mesh.h"

// Most bytes of one buffer beside a .gltf.
#define BUFFER_LIMIT ((size_t)256 << 20)
// What the reader may take: some for itself, and for each byte of the file what assimp was seen to need at most (17 bytes of
// memory; 0.4 microseconds), several times over.
#define MEMORY_FIRST ((uint64_t)512 << 20)
#define MEMORY_PER_BYTE 64
#define SECONDS_FIRST 20
#define BYTES_PER_SECOND ((uint64_t)400 << 10)
// Of the clock on the wall, many times that: on a busy machine the reader may wait for its turn.
#define PATIENCE 10
// How often the caller is polled whether to stop, milliseconds.
enum { WAIT_MS = 50 };

typedef struct Talk {
    const char* path;
    const BerthIoOptions* options;
    ReaderProcess process;
    uint32_t seconds;  // of processor time
    uint64_t memory;   // bytes
    int64_t end;       // milliseconds of the steady clock
} Talk;

static int64_t now_ms(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Half of the machine's memory at most: a file that needs more is refused before others suffer.
static uint64_t memory_for(uint64_t size) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t half = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : MEMORY_FIRST;
    const uint64_t wanted = MEMORY_FIRST + MEMORY_PER_BYTE * size;
    const uint64_t most = half > MEMORY_FIRST ? half : MEMORY_FIRST;
    return wanted < most ? wanted : most;
}

// ---- how it can end ------------------------------------------------------------------------------------------------

// It is gone in the middle of the talk: why?
static BerthStatus fail_ended(Talk* talk) {
    const int status = bi_reader_end(&talk->process);
    const int by = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (talk->options->cancelled != NULL && talk->options->cancelled(talk->options->cancelled_user)) {
        return bi_fail(BERTH_ERR_CANCELLED, "%s: stopped", talk->path);
    }

    switch (by) {
    case SIGXCPU:
        return bi_fail(BERTH_ERR_SYSTEM, "%s: reading it took more than %u s of processor time", talk->path,
                       talk->seconds);
    case SIGSEGV:
    case SIGBUS:
    case SIGABRT:
    case SIGFPE:
    case SIGILL:
        return bi_fail(
            BERTH_ERR_PARSE,
            "%s: assimp crashed on it (signal %d): is the file complete? Convert it to .obj or .stl",
            talk->path, by);
    default:
        break;
    }
    if (by != 0) {
        return bi_fail(BERTH_ERR_SYSTEM, "%s: its reader was ended by signal %d", talk->path, by);
    }
    return bi_fail(BERTH_ERR_SYSTEM, "%s: its reader ended without an answer", talk->path);
}

// Until the socket can be read or written, or is closed.
static BerthStatus wait_for(Talk* talk, short events) {
    for (;;) {
        if (talk->options->cancelled != NULL && talk->options->cancelled(talk->options->cancelled_user)) {
            return bi_fail(BERTH_ERR_CANCELLED, "%s: stopped", talk->path);
        }
        if (now_ms() > talk->end) {
            return bi_fail(BERTH_ERR_SYSTEM, "%s: its reader did not answer within %u s", talk->path,
                           PATIENCE * talk->seconds);
        }

        struct pollfd look = {talk->process.socket, events, 0};
        const int ready = poll(&look, 1, WAIT_MS);
        if (ready > 0) {
            return BERTH_OK;
        }
        if (ready < 0 && errno != EINTR) {
            return bi_fail(BERTH_ERR_SYSTEM, "%s: its reader cannot be waited for", talk->path);
        }
    }
}

static BerthStatus put(Talk* talk, const void* bytes, uint64_t size) {
    const char* at = bytes;

    while (size > 0) {
        const ssize_t sent = send(talk->process.socket, at, size, MSG_NOSIGNAL);
        if (sent > 0) {
            at += sent;
            size -= (uint64_t)sent;
        } else if (sent < 0 && errno == EAGAIN) {
            const BerthStatus status = wait_for(talk, POLLOUT);
            if (status != BERTH_OK) {
                return status;
            }
        } else if (sent == 0 || errno != EINTR) {
            return fail_ended(talk);
        }
    }
    return BERTH_OK;
}

static BerthStatus get(Talk* talk, void* bytes, uint64_t size) {
    char* at = bytes;

    while (size > 0) {
        const ssize_t got = recv(talk->process.socket, at, size, 0);
        if (got > 0) {
            at += got;
            size -= (uint64_t)got;
        } else if (got < 0 && errno == EAGAIN) {
            const BerthStatus status = wait_for(talk, POLLIN);
            if (status != BERTH_OK) {
                return status;
            }
        } else if (got == 0 || errno != EINTR) {
            return fail_ended(talk);
        }
    }
    return BERTH_OK;
}

static BerthStatus fail_nonsense(const Talk* talk, const char* what) {
    return bi_fail(BERTH_ERR_SYSTEM, "%s: its reader says what makes no sense: %s", talk->path, what);
}

// ---- files beside --------------------------------------------------------------------------------------------------

// A .bin in the same folder as a .gltf: "DIR/NAME" with the main file's own DIR, and no way out of it.
static bool is_buffer_beside(const char* path, const char* name) {
    const char* slash = strrchr(path, '/');
    const size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    return bi_io_has_extension(path, ".gltf") && bi_io_has_extension(name, ".bin") &&
           strncmp(name, path, length) == 0 && strpbrk(name + length, "/\\") == NULL;
}

static BerthStatus give_file(Talk* talk, const ReaderReply* reply) {
    char name[READER_NAME_MAX + 1];
    if (reply->text_size > READER_NAME_MAX) {
        return fail_nonsense(talk, "a name of a file");
    }
    BerthStatus status = get(talk, name, reply->text_size);
    if (status != BERTH_OK) {
        return status;
    }
    name[reply->text_size] = '\0';

    if (strlen(name) != reply->text_size || !is_buffer_beside(talk->path, name)) {
        const uint64_t none = READER_NO_FILE;
        return put(talk, &none, sizeof none);
    }

    FileBytes file;
    status = bi_io_read_file(name, BUFFER_LIMIT, talk->options, &file);
    if (status != BERTH_OK) {
        return status;
    }
    const uint64_t size = file.size;
    status = put(talk, &size, sizeof size);
    if (status == BERTH_OK) {
        status = put(talk, file.data, size);
    }
    bi_io_free_file(&file);
    return status;
}

// ---- the answer ----------------------------------------------------------------------------------------------------

static BerthStatus take_text(Talk* talk, const ReaderReply* reply) {
    char text[READER_TEXT_MAX + 1];
    if (reply->text_size > READER_TEXT_MAX) {
        return fail_nonsense(talk, "a long text");
    }
    const BerthStatus status = get(talk, text, reply->text_size);
    if (status != BERTH_OK) {
        return status;
    }

    // One line of what can be printed.
    for (uint64_t i = 0; i < reply->text_size; i++) {
        text[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : ' ';
    }
    text[reply->text_size] = '\0';
    switch (reply->status) {
    case BERTH_ERR_PARSE:
    case BERTH_ERR_UNSUPPORTED:
    case BERTH_ERR_SYSTEM:
        return bi_fail((BerthStatus)reply->status, "%s: %s", talk->path, text);
    case BERTH_ERR_MEMORY:
        return bi_fail(BERTH_ERR_MEMORY, "%s: reading it needs more memory than there is (at most %llu MB)",
                       talk->path, (unsigned long long)(talk->memory >> 20));
    default:
        return fail_nonsense(talk, "a status");
    }
}

// Of the arrays that came: points as every reader gives them, corners that exist.
static bool is_sound(const TriangleSoup* soup) {
    for (size_t i = 0; i < soup->vertex_count; i++) {
        const Vec3 p = soup->vertices[i];
        if (!(fabs(p.x) <= BI_COORDINATE_MAX && fabs(p.y) <= BI_COORDINATE_MAX &&
              fabs(p.z) <= BI_COORDINATE_MAX)) {
            return false;
        }
    }
    for (size_t i = 0; i < 3 * soup->triangle_count; i++) {
        if (soup->corners[i] < 0 || (size_t)soup->corners[i] >= soup->vertex_count) {
            return false;
        }
    }
    return true;
}

static BerthStatus take_triangles(Talk* talk, const ReaderReply* reply, TriangleSoup* soup) {
    if (reply->text_size != 0 || reply->triangle_count < 1 || reply->triangle_count > BI_MESH_TRIANGLES_MAX ||
        reply->vertex_count < 1 || reply->vertex_count > 3 * (uint64_t)BI_MESH_TRIANGLES_MAX) {
        return fail_nonsense(talk, "counts of triangles");
    }
    if (!bi_soup_reserve(soup, reply->vertex_count, reply->triangle_count)) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for its triangles", talk->path);
    }

    soup->vertex_count = reply->vertex_count;
    soup->triangle_count = reply->triangle_count;
    BerthStatus status = get(talk, soup->vertices, soup->vertex_count * sizeof *soup->vertices);
    if (status == BERTH_OK) {
        status = get(talk, soup->corners, 3 * soup->triangle_count * sizeof *soup->corners);
    }
    if (status == BERTH_OK && !is_sound(soup)) {
        status = fail_nonsense(talk, "a point or a corner");
    }

    if (status == BERTH_OK && reply->folded_count > 0) {
        bi_io_warn(talk->options, "%s: %d concave polygons are covered by fans of triangles that stick out",
                   talk->path, reply->folded_count);
    }
    return status;
}

static BerthStatus ask(Talk* talk, const char* data, size_t size, const TriangleSoup* soup,
                       const MeshUnits* units) {
    const ReaderRequest request = {
        .magic = READER_MAGIC,
        .seconds = talk->seconds,
        .memory = talk->memory,
        .path_size = strlen(talk->path),
        .data_size = size,
        .scale = {soup->scale.x, soup->scale.y, soup->scale.z},
        // assimp puts the unit into the root's transform.
        .factor = talk->options->ignore_dae_units ? 1.0 / units->metres : 1.0,
    };
    BerthStatus status = put(talk, &request, sizeof request);
    if (status == BERTH_OK) {
        status = put(talk, talk->path, request.path_size);
    }
    return status == BERTH_OK ? put(talk, data, size) : status;
}

static BerthStatus hear(Talk* talk, TriangleSoup* soup) {
    for (;;) {
        ReaderReply reply;
        BerthStatus status = get(talk, &reply, sizeof reply);
        if (status != BERTH_OK) {
            return status;
        }
        if (reply.magic != READER_MAGIC) {
            return fail_nonsense(talk, "it is of another version");
        }

        if (reply.kind == READER_DONE) {
            return reply.status == BERTH_OK ? take_triangles(talk, &reply, soup) : take_text(talk, &reply);
        }
        status = reply.kind == READER_WANTS_FILE ? give_file(talk, &reply) : fail_nonsense(talk, "a reply");
        if (status != BERTH_OK) {
            return status;
        }
    }
}

BerthStatus bi_io_parse_foreign(const char* path, const char* data, size_t size,
                                const BerthIoOptions* options, TriangleSoup* soup, MeshUnits* units) {
    BerthStatus status = look_before(path, data, size, options, units);
    if (status != BERTH_OK) {
        return status;
    }

    Talk talk = {.path = path,
                 .options = options,
                 .seconds = SECONDS_FIRST + (uint32_t)(size / BYTES_PER_SECOND),
                 .memory = memory_for(size)};
    talk.end = now_ms() + (int64_t)1000 * PATIENCE * talk.seconds;
    status = bi_reader_start(path, &talk.process);
    if (status == BERTH_OK) {
        status = ask(&talk, data, size, soup, units);
    }
    if (status == BERTH_OK) {
        status = hear(&talk, soup);
    }
    (void)bi_reader_end(&talk.process);
    return status;
}

#endif
