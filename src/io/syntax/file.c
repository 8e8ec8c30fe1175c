// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Reads a whole regular file. It is opened without waiting (a FIFO may have no writer) and examined after it
// was opened, so that what is checked is what is read.
// Entries: bi_io_read_file, bi_io_open_file, bi_io_read_at, bi_io_free_file, bi_io_has_extension, bi_io_step,
// bi_io_warn.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // O_CLOEXEC, O_NONBLOCK
#endif

#include "io/syntax/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// So much is read at once: a tenth of a second from a slow disk.
#define READ_PIECE ((size_t)8 << 20)

// What a warning may be long: paths can have 4096 characters.
#define WARNING_LENGTH_MAX 8192

static const char* name_of_kind(mode_t mode) {
    if (S_ISDIR(mode)) {
        return "a directory";
    }
    if (S_ISFIFO(mode)) {
        return "a FIFO";
    }
    if (S_ISSOCK(mode)) {
        return "a socket";
    }
    return "a device";
}

static BerthStatus fail_errno(const char* path, const char* what, int code) {
    char text[128] = "";
    const char* reason = strerror_r(code, text, sizeof text);
    const bool machine = code == EMFILE || code == ENFILE || code == ENOMEM || code == EIO;
    return bi_fail(machine ? BERTH_ERR_SYSTEM : BERTH_ERR_ARGUMENT, "%s: %s: %s", path, what, reason);
}

static BerthStatus fail_short(const char* path, size_t done, size_t size) {
    return bi_fail(BERTH_ERR_SYSTEM,
                   "%s: byte %zu: the file ended while it was read (%zu bytes were expected)", path, done,
                   size);
}

// Reads until `file->size` bytes are there; a file that shrank meanwhile is an error, one that grew is cut.
static BerthStatus read_all_bytes(int descriptor, const char* path, const BerthIoOptions* options,
                                  FileBytes* file) {
    BerthStatus status = bi_io_step(options, path, 0.0);
    size_t done = 0;
    while (done < file->size) {
        const size_t left = file->size - done;
        const ssize_t got = read(descriptor, file->data + done, left < READ_PIECE ? left : READ_PIECE);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return fail_errno(path, "cannot be read", errno);
        }

        if (got == 0) {
            return fail_short(path, done, file->size);
        }

        done += (size_t)got;
        if (left > READ_PIECE && status == BERTH_OK) {
            status = bi_io_step(options, path, 0.0);
        }
        if (status != BERTH_OK) {
            return status;
        }
    }
    return status;
}

// A regular file, which is noted as read.
static BerthStatus examine_file(int descriptor, const char* path, const BerthIoOptions* options,
                                int64_t* size) {
    struct stat state;
    if (fstat(descriptor, &state) != 0) {
        return fail_errno(path, "cannot be examined", errno);
    }
    if (!S_ISREG(state.st_mode)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: is %s, a regular file is expected", path,
                       name_of_kind(state.st_mode));
    }
    *size = state.st_size;
    return bi_io_files_note_read(options != NULL ? options->files : NULL, &state);
}

BerthStatus bi_io_open_file(const char* path, const BerthIoOptions* options, int* descriptor, int64_t* size) {
    *descriptor = -1;
    if (path == NULL || path[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "a file's name is missing");
    }

    int opened = -1;
    do {
        opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    } while (opened < 0 && errno == EINTR);
    if (opened < 0) {
        return fail_errno(path, "cannot be opened", errno);
    }

    const BerthStatus status = examine_file(opened, path, options, size);
    if (status != BERTH_OK) {
        close(opened);
        return status;
    }
    *descriptor = opened;
    return BERTH_OK;
}

BerthStatus bi_io_read_at(int descriptor, const char* path, int64_t offset, void* bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(descriptor, (char*)bytes + done, size - done, offset + (int64_t)done);
        if (got == 0) {
            return fail_short(path, (size_t)offset + done, (size_t)offset + size);
        }
        if (got < 0 && errno != EINTR) {
            return fail_errno(path, "cannot be read", errno);
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return BERTH_OK;
}

static BerthStatus read_open_file(int descriptor, const char* path, int64_t size, size_t limit,
                                  const BerthIoOptions* options, FileBytes* file) {
    if (size < 0 || (uint64_t)size > limit) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: has %lld bytes, at most %zu are read", path, (long long)size,
                       limit);
    }

    // One byte more than the file has, for the zero behind it.
    file->size = (size_t)size;
    file->capacity = file->size + 1;
    file->data = bi_take_raw(&file->allocator, file->capacity, 1);
    if (file->data == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu bytes", path, file->capacity);
    }
    file->data[file->size] = '\0';

    return read_all_bytes(descriptor, path, options, file);
}

BerthStatus bi_io_read_file(const char* path, size_t limit, const BerthIoOptions* options, FileBytes* out) {
    *out = (FileBytes){.allocator = bi_allocator_or_default(options != NULL ? &options->allocator : NULL)};
    int descriptor = -1;
    int64_t size = 0;
    BerthStatus status = bi_io_open_file(path, options, &descriptor, &size);
    if (status != BERTH_OK) {
        return status;
    }

    status = read_open_file(descriptor, path, size, limit == 0 ? BI_FILE_LIMIT : limit, options, out);
    close(descriptor);
    if (status == BERTH_OK && options != NULL) {
        status = bi_io_files_note_bytes(options->files, path, out->data, out->size);
    }
    if (status != BERTH_OK) {
        bi_io_free_file(out);
    }
    return status;
}

void bi_io_free_file(FileBytes* file) {
    if (file->data != NULL) {
        bi_give(&file->allocator, file->data, file->capacity, 1);
    }
    file->data = NULL;
    file->size = 0;
    file->capacity = 0;
}

bool bi_io_has_extension(const char* path, const char* extension) {
    const size_t path_length = strlen(path);
    const size_t length = strlen(extension);
    if (path_length < length) {
        return false;
    }

    const char* end = path + path_length - length;
    for (size_t i = 0; i < length; i++) {
        const char c = end[i] >= 'A' && end[i] <= 'Z' ? (char)(end[i] - 'A' + 'a') : end[i];
        if (c != extension[i]) {
            return false;
        }
    }
    return true;
}

BerthStatus bi_io_step(const BerthIoOptions* options, const char* path, double share) {
    if (options != NULL && options->progress != NULL) {
        options->progress(options->progress_user, path, share);
    }
    if (options != NULL && options->cancelled != NULL && options->cancelled(options->cancelled_user)) {
        return bi_fail(BERTH_ERR_CANCELLED, "%s: stopped", path);
    }
    return BERTH_OK;
}

void bi_io_warn(const BerthIoOptions* options, const char* format, ...) {
    if (options == NULL || options->warn == NULL) {
        return;
    }

    char text[WARNING_LENGTH_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bi_make_one_line(text);
    options->warn(options->user, text);
}
