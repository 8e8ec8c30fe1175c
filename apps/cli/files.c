// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Several files that belong together: all are written beside their places first, then put there; when one cannot
// be, those before it are taken back, and what was there before is there again.

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files.h"

int files_report_error(const char* path, const char* what) {
    const int why = errno;
    fprintf(stderr, "%s: %s: %s\n", path, what, strerror(why));
    // A folder that is not there or may not be written is a wrong request; the rest is the machine.
    return why == ENOENT || why == ENOTDIR || why == EACCES || why == EISDIR || why == ENAMETOOLONG ||
                   why == EROFS
               ? EXIT_WRONG
               : EXIT_MACHINE;
}

static int refuse_existing(const char* path) {
    fprintf(stderr, "%s: is there already; --force overwrites it\n", path);
    return EXIT_WRONG;
}

static bool write_all(int file, const Text* text) {
    for (size_t done = 0; done < text->size;) {
        const ssize_t wrote = write(file, text->data + done, text->size - done);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return false;
        }
        done += (size_t)wrote;
    }
    return true;
}

int files_stage(StagedFile* file, const char* path, const Text* text, bool force) {
    *file = (StagedFile){0};
    if (text->failed) {
        return cli_out_of_memory();
    }
    if (!force && access(path, F_OK) == 0) {
        return refuse_existing(path);
    }

    // A rename would put a file in the place of a device, a pipe or a folder.
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
        fprintf(stderr, "%s: cannot be written: it is not a regular file\n", path);
        return EXIT_WRONG;
    }

    // A link stays one: what it leads to is written. (As root, -o /dev/stdout replaced that.)
    struct stat named;
    char* real = lstat(path, &named) == 0 && S_ISLNK(named.st_mode) ? realpath(path, NULL) : NULL;
    const int length = snprintf(file->path, sizeof file->path, "%s", real != NULL ? real : path);
    free(real);
    if (length < 0 || (size_t)length >= sizeof file->path) {
        errno = ENAMETOOLONG;
        return files_report_error(path, "cannot be written");
    }

    (void)snprintf(file->beside, sizeof file->beside, "%s.%ld.part", file->path, (long)getpid());
    (void)snprintf(file->saved, sizeof file->saved, "%s.%ld.old", file->path, (long)getpid());
    const int opened = open(file->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (opened < 0) {
        return files_report_error(path, "cannot be written");
    }

    file->staged = true;
    bool good = write_all(opened, text);
    int why = errno;
    if (close(opened) != 0) {
        why = good ? errno : why;
        good = false;
    }

    errno = why;
    return good ? EXIT_FREE : files_report_error(path, "cannot be written");
}

int files_check_writable(const char* path) {
    if (path == NULL) {
        return EXIT_FREE;
    }
    StagedFile file;
    const Text nothing = {0};
    const int status = files_stage(&file, path, &nothing, true);
    files_finish(&file, false);
    return status;
}

int files_place(StagedFile* file, bool force) {
    if (force) {
        // A second name keeps what is there until all files are in place.
        file->kept = link(file->path, file->saved) == 0;
        if (!file->kept && errno != ENOENT) {
            return files_report_error(file->path, "cannot be replaced");
        }
        file->placed = rename(file->beside, file->path) == 0;
    } else {
        file->placed = link(file->beside, file->path) == 0;  // unlike a rename it never replaces
        if (!file->placed && errno == EEXIST) {
            return refuse_existing(file->path);
        }
    }
    return file->placed ? EXIT_FREE : files_report_error(file->path, "cannot be written");
}

void files_finish(StagedFile* file, bool good) {
    if (!good && file->placed && file->kept) {
        (void)rename(file->saved, file->path);
    } else if (!good && file->placed) {
        (void)unlink(file->path);
    }

    if (file->staged) {
        (void)unlink(file->beside);
    }
    if (file->kept) {
        (void)unlink(file->saved);
    }
}
