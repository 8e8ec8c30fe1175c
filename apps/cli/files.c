// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The program's files: one list of what it reads and writes, from its first to its last line.

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"

int files_report_error(const char* path, const char* what) {
    const int why = errno;
    fprintf(stderr, "%s: %s: %s\n", path, what, strerror(why));
    // A folder that does not exist or is not writable is a wrong request; everything else is the machine's fault.
    return why == ENOENT || why == ENOTDIR || why == EACCES || why == EISDIR || why == ENAMETOOLONG ||
                   why == EROFS
               ? EXIT_WRONG
               : EXIT_MACHINE;
}

static BerthFiles* program_files;

static void end_files(void) {
    berth_io_files_destroy(program_files);
    program_files = NULL;
}

BerthFiles* files_of_program(void) {
    if (program_files == NULL && berth_io_files_create(NULL, &program_files) == BERTH_OK &&
        atexit(end_files) != 0) {
        end_files();
    }
    return program_files;
}

int files_reserve(const char* path) {
    if (path == NULL) {
        return EXIT_FREE;
    }
    BerthFiles* files = files_of_program();
    return files != NULL ? cli_exit_status(berth_io_files_reserve(files, path)) : cli_out_of_memory();
}

int files_check_writable(const char* path) {
    if (path == NULL) {
        return EXIT_FREE;
    }
    BerthFiles* files = files_of_program();
    if (files == NULL) {
        return cli_out_of_memory();
    }

    cli_hold_interrupts();
    const int status = cli_exit_status(berth_io_files_try(files, path));
    cli_release_interrupts();
    return status;
}

int files_check_report(const Options* options) {
    const int status = cli_refuse_input_as_output(options, 0, options->report);
    return status == EXIT_FREE ? files_check_writable(options->report) : status;
}

int files_write(const char* path, const Text* text, bool force) {
    BerthFiles* files = files_of_program();
    if (files == NULL || text->failed) {
        return cli_out_of_memory();
    }
    cli_hold_interrupts();  // never released: written files must also be put in place
    return cli_exit_status(berth_io_files_write(files, path, text->data, text->size, force));
}

int files_list(const char* path, const Text* text) {
    return cli_exit_status(berth_io_files_add_bytes(files_of_program(), path, text->data, text->size));
}

int files_commit(void) {
    BerthFiles* files = files_of_program();
    cli_hold_interrupts();
    return files != NULL ? cli_exit_status(berth_io_files_commit(files)) : cli_out_of_memory();
}

bool files_relative_path(const char* folder, const char* file, Text* out) {
    char from[PATH_MAX], to[PATH_MAX];
    if (realpath(folder, from) == NULL || realpath(file, to) == NULL) {
        return false;
    }

    // The common part ends at a slash; each remaining folder of `from` is a step up.
    size_t shared = 0, i = 0;
    for (; from[i] != '\0' && from[i] == to[i]; ++i) {
        shared = from[i] == '/' ? i + 1 : shared;
    }
    if (from[i] == '\0' && to[i] == '/') {
        shared = i + 1;
    }

    for (const char* c = from + (shared < i + 1 ? shared : i); *c != '\0';) {
        text_puts(out, "../");
        c += strcspn(c, "/");
        c += *c == '/';
    }

    text_puts(out, to + shared);
    return true;
}
