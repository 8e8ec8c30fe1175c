// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What is promised about meshes that another program reads.

#ifndef FUZZ_SUPPORT_FOREIGN_H
#define FUZZ_SUPPORT_FOREIGN_H

#include <errno.h>
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

/// Reads the bytes as a file of this name. Whatever happens there: triangles or an error here, and nobody is left behind.
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
        need(status == BERTH_ERR_ARGUMENT || strncmp(berth_error_text(), name, strlen(name)) == 0);
        need(status == BERTH_ERR_PARSE || status == BERTH_ERR_MEMORY || status == BERTH_ERR_SYSTEM ||
             status == BERTH_ERR_UNSUPPORTED || status == BERTH_ERR_ARGUMENT);
        // What nobody promised: worth a look, in the log.
        if (strstr(berth_error_text(), "crashed") != NULL ||
            strstr(berth_error_text(), "processor") != NULL) {
            fprintf(stderr, "%s\n", berth_error_text());
        }
    }
    bi_soup_free(&soup);
    need(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

#endif
