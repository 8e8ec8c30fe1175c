// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Starting and ending the reader of foreign meshes. posix_spawn copies no memory and runs none of our code
// between fork and exec, so any thread of any program may call it. The reader is looked for beside the
// library's own file, or where the installation puts it relative to that; whoever can write there can change
// the library as well.
// Entries: bi_reader_start, bi_reader_end.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // dladdr1, secure_getenv, pidfd
#endif

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/mesh/foreign.h"

#ifndef BI_READER_FROM_LIBRARY
#define BI_READER_FROM_LIBRARY "../libexec/berth"
#endif
#define READER_NAME "berth-mesh-reader"

// Above standard input, output and error, which may be closed, and above the reader's place for its socket.
enum { FIRST_DESCRIPTOR = 10 };

// ---- where it is -------------------------------------------------------------------------------------------------

// The file that this code was loaded from; of a program that has the library inside, the program.
static bool find_own_file(char path[PATH_MAX]) {
    Dl_info info;
    void* extra = NULL;
    // A function's address as a pointer to data: POSIX has it, C has not.
    const union {
        int (*function)(ReaderProcess*);
        void* data;
    } here = {bi_reader_end};
    if (dladdr1(here.data, &info, &extra, RTLD_DL_LINKMAP) == 0) {
        return false;
    }

    const struct link_map* map = extra;
    const bool in_program = map == NULL || map->l_name == NULL || map->l_name[0] == '\0';
    return realpath(in_program ? "/proc/self/exe" : map->l_name, path) != NULL;
}

static bool place_from(const char* own, const char* folder, char place[PATH_MAX]) {
    const char* slash = strrchr(own, '/');
    const int length = snprintf(place, PATH_MAX, "%.*s/%s" READER_NAME, (int)(slash - own), own, folder);
    return length > 0 && length < PATH_MAX;
}

// ---- starting ----------------------------------------------------------------------------------------------------

extern char** environ;

static int prepare(posix_spawn_file_actions_t* actions, posix_spawnattr_t* attributes, int socket) {
    int code = 0;
    for (int i = 0; i < READER_SOCKET && code == 0; i++) {
        code = posix_spawn_file_actions_addopen(actions, i, "/dev/null", i == 0 ? O_RDONLY : O_WRONLY, 0);
    }
    if (code == 0) {
        code = posix_spawn_file_actions_adddup2(actions, socket, READER_SOCKET);
    }

    // Signals as a new program expects them, whatever this one does with them.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (code == 0) {
        code = posix_spawnattr_setsigmask(attributes, &none);
    }
    if (code == 0) {
        code = posix_spawnattr_setsigdefault(attributes, &all);
    }
    return code != 0 ? code
                     : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static int spawn(const char* program, int socket, pid_t* pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) {
        return code;
    }
    code = posix_spawnattr_init(&attributes);
    if (code != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return code;
    }

    code = prepare(&actions, &attributes, socket);
    if (code == 0) {
        char name[] = READER_NAME;
        char* const arguments[] = {name, NULL};
        code = posix_spawn(pid, program, &actions, &attributes, arguments, environ);
    }

    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return code;
}

// The named one, or the first that is there. `tried`: the places, for the text.
static int spawn_first(int socket, char* tried, size_t size, pid_t* pid) {
    const char* named = secure_getenv("BERTH_MESH_READER");
    if (named != NULL && named[0] != '\0') {
        (void)snprintf(tried, size, "%s (BERTH_MESH_READER)", named);
        return spawn(named, socket, pid);
    }

    static const char* const folders[] = {"", BI_READER_FROM_LIBRARY "/", "../libexec/berth/"};
    char own[PATH_MAX], place[PATH_MAX];
    int code = ENOENT;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && code == ENOENT; i++) {
        // Two of the three may be one place.
        if (find_own_file(own) && place_from(own, folders[i], place) && strstr(tried, place) == NULL) {
            const size_t used = strlen(tried);
            (void)snprintf(tried + used, size - used, "%s%s", used > 0 ? ", " : "", place);
            code = spawn(place, socket, pid);
        }
    }
    return code;
}

static int open_sockets(int sockets[2]) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return errno;
    }

    // In a program with closed standard files a socket could have become one of them.
    int code = 0;
    for (int i = 0; i < 2; i++) {
        sockets[i] = code == 0 ? fcntl(pair[i], F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR) : -1;
        code = code == 0 && sockets[i] < 0 ? errno : code;
        (void)close(pair[i]);
    }
    if (code != 0 && sockets[0] >= 0) {
        (void)close(sockets[0]);
    }
    return code;
}

static BerthStatus fail_start(const char* path, int code, const char* tried) {
    if (code == ENOENT || code == EACCES || code == ENOEXEC) {
        return bi_fail(BERTH_ERR_UNSUPPORTED,
                       "%s: is read by the program " READER_NAME ", which cannot be started from %s", path,
                       tried[0] != '\0' ? tried : "anywhere: the library's own place is not known");
    }
    char text[128] = "";
    return bi_fail(BERTH_ERR_SYSTEM, "%s: its reader cannot be started: %s", path,
                   strerror_r(code, text, sizeof text));
}

BerthStatus bi_reader_start(const char* path, ReaderProcess* out) {
    *out = (ReaderProcess){-1, -1, -1};
    char tried[3 * 256] = "";
    int sockets[2];
    int code = open_sockets(sockets);
    if (code != 0) {
        return fail_start(path, code, tried);
    }

    pid_t pid = -1;
    code = spawn_first(sockets[1], tried, sizeof tried, &pid);
    (void)close(sockets[1]);
    if (code != 0) {
        (void)close(sockets[0]);
        return fail_start(path, code, tried);
    }

    // Replies are waited for with an eye on the clock and on the caller's wish to stop.
    const int flags = fcntl(sockets[0], F_GETFL);
    *out = (ReaderProcess){sockets[0], pid, pidfd_open(pid, 0)};
    if (flags < 0 || fcntl(sockets[0], F_SETFL, flags | O_NONBLOCK) != 0) {
        code = errno;
        (void)bi_reader_end(out);
        return fail_start(path, code, tried);
    }
    return BERTH_OK;
}

int bi_reader_end(ReaderProcess* process) {
    if (process->socket < 0) {
        return -1;
    }
    (void)close(process->socket);

    // By its handle: the number may be another program's by now when the caller waits for all its children.
    if (process->handle >= 0) {
        (void)pidfd_send_signal(process->handle, SIGKILL, NULL, 0);
        (void)close(process->handle);
    } else {
        (void)kill(process->pid, SIGKILL);
    }

    int ended = -1;
    pid_t got = -1;
    do {
        got = waitpid(process->pid, &ended, 0);
    } while (got < 0 && errno == EINTR);
    *process = (ReaderProcess){-1, -1, -1};
    return got >= 0 ? ended : -1;
}
