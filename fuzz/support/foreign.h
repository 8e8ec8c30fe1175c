// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What is promised about meshes that another program reads.

#ifndef FUZZ_SUPPORT_FOREIGN_H
#define FUZZ_SUPPORT_FOREIGN_H

#include <limits.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/soups.h"
#include "support/target.h"

/// Another reader, which lies beside this program.
static inline void set_reader(const char* name) {
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    need(length > 0);
    path[length] = '\0';
    *strrchr(path, '/') = '\0';

    char reader[PATH_MAX + 64];
    snprintf(reader, sizeof reader, "%s/%s", path, name);
    setenv("BERTH_MESH_READER", reader, 1);
}

/// Reads the bytes as a file of this name. Whatever happens there: triangles or an error here, and nobody waits to be asked for.
static inline void read_as(const char* name, const char* bytes, size_t size) {
    const BerthIoOptions options = berth_default_io_options();
    TriangleSoup soup;
    MeshUnits units = {.metres = 1.0};
    need(bi_soup_init(&soup, (Vec3){1, -2, 1}, NULL) == BERTH_OK);

    const BerthStatus status = bi_io_parse_foreign(name, bytes, size, &options, &soup, &units);
    if (status == BERTH_OK) {
        make_mesh_of(&soup);
    } else {
        // A buffer that is not beside it is an error about that file.
        const bool expected = status == BERTH_ERR_PARSE || status == BERTH_ERR_MEMORY ||
                              status == BERTH_ERR_SYSTEM || status == BERTH_ERR_UNSUPPORTED;
        const bool named = strncmp(berth_error_text(), name, strlen(name)) == 0;
        if (status != BERTH_ERR_ARGUMENT && !(expected && named)) {
            fprintf(stderr, "%s: %s\n", berth_status_name(status), berth_error_text());
            abort();
        }
        // What nobody promised: worth a look, in the log.
        if (strstr(berth_error_text(), "crashed") != NULL ||
            strstr(berth_error_text(), "processor") != NULL) {
            fprintf(stderr, "%s\n", berth_error_text());
        }
    }
    bi_soup_free(&soup);
    // A sanitizer may have a program of its own that runs; none of ours has ended without being asked for.
    need(waitpid(-1, NULL, WNOHANG) <= 0);
}

#endif
