// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One file on its way to its place. It has no name until it is complete and synced (O_TMPFILE), so that
// nothing is left of it when the program ends; where a file system cannot do that, it has a random unused
// name. A file that is replaced exchanges its name with it in one step (RENAME_EXCHANGE), and so can be
// restored. A temporary file that a killed program left behind is never reused: names are random.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // O_TMPFILE, linkat, renameat2
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "io/syntax/files.h"

enum { LINKS_MAX = 40, NAME_TRIES = 100, COPY_BYTES = 1 << 16 };

// ---- names -----------------------------------------------------------------------------------------------------

void bi_staged_folder(const char* target, char folder[PATH_MAX]) {
    const char* slash = strrchr(target, '/');
    const size_t length = slash != NULL ? (size_t)(slash - target) : 0;
    if (slash == NULL || length == 0) {
        memcpy(folder, slash == NULL ? "." : "/", 2);
        return;
    }
    memcpy(folder, target, length);
    folder[length] = '\0';
}

// A relative link counts from the folder that it is in.
static int follow_one(char target[PATH_MAX]) {
    char link[PATH_MAX];
    const ssize_t length = readlink(target, link, sizeof link);
    if (length < 0) {
        return errno;
    }

    const char* slash = link[0] == '/' ? NULL : strrchr(target, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - target) + 1 : 0;
    if (folder + (size_t)length >= PATH_MAX) {
        return ENAMETOOLONG;
    }
    memcpy(target + folder, link, (size_t)length);
    target[folder + (size_t)length] = '\0';
    return 0;
}

int bi_staged_follow_links(const char* path, char target[PATH_MAX]) {
    const size_t length = strlen(path);
    if (length >= PATH_MAX) {
        return ENAMETOOLONG;
    }
    memcpy(target, path, length + 1);

    for (int i = 0; i < LINKS_MAX; ++i) {
        struct stat state;
        if (lstat(target, &state) != 0) {
            return errno == ENOENT ? 0 : errno;
        }
        if (!S_ISLNK(state.st_mode)) {
            return 0;
        }

        const int code = follow_one(target);
        if (code != 0) {
            return code;
        }
    }
    return ELOOP;
}

static uint64_t random_bits(void) {
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == (ssize_t)sizeof bits) {
        return bits;
    }

    // Without randomness names only have to differ from those that others use now; O_EXCL finds out.
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)getpid() << 40) ^ ((uint64_t)now.tv_sec << 30) ^ (uint64_t)now.tv_nsec;
}

// A new name in the target's folder; short, so that it fits wherever the target's own name does.
static int make_name(const char* target, char name[PATH_MAX]) {
    const char* slash = strrchr(target, '/');
    const int folder = slash != NULL ? (int)(slash - target) + 1 : 0;
    const int length = snprintf(name, PATH_MAX, "%.*s.berth-%016llx.part", folder, target,
                                (unsigned long long)random_bits());
    return length > 0 && length < PATH_MAX ? 0 : ENAMETOOLONG;
}

// ---- making and writing ----------------------------------------------------------------------------------------

static int open_again(const char* path, int flags) {
    int descriptor = -1;
    do {
        descriptor = open(path, flags | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

static int open_named(StagedFile* file) {
    for (int i = 0; i < NAME_TRIES; ++i) {
        const int code = make_name(file->target, file->beside);
        file->descriptor = code == 0 ? open_again(file->beside, O_RDWR | O_CREAT | O_EXCL) : -1;
        if (file->descriptor >= 0) {
            return 0;
        }

        const int why = code != 0 ? code : errno;
        file->beside[0] = '\0';
        if (why != EEXIST) {
            return why;
        }
    }
    return EEXIST;
}

int bi_staged_open(StagedFile* file) {
    char folder[PATH_MAX];
    bi_staged_folder(file->target, folder);
    file->beside[0] = '\0';
    file->descriptor = open_again(folder, O_RDWR | O_TMPFILE);
    // Whatever it does not like about that: the error is that of a file with a name.
    return file->descriptor >= 0 ? 0 : open_named(file);
}

static int write_all(int descriptor, const char* bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t wrote = write(descriptor, bytes + done, size - done);
        if (wrote < 0 && errno != EINTR) {
            return errno;
        }
        if (wrote == 0) {
            return ENOSPC;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

static int sync_again(int descriptor) {
    int status = 0;
    do {
        status = fsync(descriptor);
    } while (status != 0 && errno == EINTR);
    // Some file systems have nothing to sync, and say so.
    return status == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

int bi_staged_append(StagedFile* file, const void* bytes, size_t size) {
    return write_all(file->descriptor, bytes, size);
}

int bi_staged_write(StagedFile* file, const void* bytes, size_t size, const struct stat* there) {
    const int code = write_all(file->descriptor, bytes, size);
    if (code != 0) {
        return code;
    }

    // The owner, where that is allowed (it takes an administrator); the mode in any case.
    if (there != NULL) {
        const int owned = fchown(file->descriptor, there->st_uid, there->st_gid);
        (void)owned;
        if (fchmod(file->descriptor, there->st_mode & 0777) != 0) {
            return errno;
        }
    }
    return sync_again(file->descriptor);
}

// ---- placing ---------------------------------------------------------------------------------------------------

static bool is_not_supported(int code) {
    return code == EINVAL || code == ENOSYS || code == ENOTSUP || code == EPERM;
}

// An open file gets a name; by the second way where the first one is not allowed.
static int link_open_file(int descriptor, const char* name) {
    if (linkat(descriptor, "", AT_FDCWD, name, AT_EMPTY_PATH) == 0) {
        return 0;
    }
    if (errno != ENOENT && !is_not_supported(errno)) {
        return errno;
    }

    char self[64];
    (void)snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

// A file that cannot get a name (no /proc) is written once more, with one.
static int copy_with_name(StagedFile* file) {
    const int from = file->descriptor;
    struct stat state;
    int code = fstat(from, &state) != 0 ? errno : open_named(file);
    if (code != 0) {
        file->descriptor = from;
        return code;
    }

    char bytes[COPY_BYTES];
    for (off_t done = 0; done < state.st_size && code == 0;) {
        const ssize_t got = pread(from, bytes, sizeof bytes, done);
        if (got > 0) {
            code = write_all(file->descriptor, bytes, (size_t)got);
            done += got;
        } else if (got == 0 || errno != EINTR) {
            code = got == 0 ? EIO : errno;
        }
    }

    (void)close(from);
    return code != 0 ? code : bi_staged_write(file, "", 0, &state);
}

// The name that it has until it is placed.
static int name_beside(StagedFile* file) {
    for (int i = 0; i < NAME_TRIES && file->beside[0] == '\0'; ++i) {
        char name[PATH_MAX];
        int code = make_name(file->target, name);
        code = code == 0 ? link_open_file(file->descriptor, name) : code;
        if (code == 0) {
            memcpy(file->beside, name, sizeof name);
        } else if (code == ENOENT || is_not_supported(code)) {
            return copy_with_name(file);
        } else if (code != EEXIST) {
            return code;
        }
    }
    return file->beside[0] != '\0' ? 0 : EEXIST;
}

int bi_staged_close(StagedFile* file) {
    const int code = name_beside(file);
    if (code == 0) {
        (void)close(file->descriptor);  // it is synced
        file->descriptor = -1;
    }
    return code;
}

// Where nothing is: EEXIST otherwise.
static int place_new(StagedFile* file) {
    if (file->beside[0] == '\0') {
        const int code = link_open_file(file->descriptor, file->target);
        if (code != ENOENT && !is_not_supported(code)) {
            return code;
        }
        const int named = name_beside(file);
        if (named != 0) {
            return named;
        }
    }

    int code = renameat2(AT_FDCWD, file->beside, AT_FDCWD, file->target, RENAME_NOREPLACE) == 0 ? 0 : errno;
    if (is_not_supported(code)) {
        code = link(file->beside, file->target) == 0 ? 0 : errno;
        if (code == 0) {
            (void)unlink(file->beside);
        }
    }

    // No exchange, no links: such file systems have no safer way.
    struct stat there;
    if (is_not_supported(code) && lstat(file->target, &there) != 0) {
        code = rename(file->beside, file->target) == 0 ? 0 : errno;
    } else if (is_not_supported(code)) {
        code = EEXIST;
    }
    if (code == 0) {
        file->beside[0] = '\0';
    }
    return code;
}

// Without exchange: a second name keeps what is there, then the new file takes the first one.
static int place_over(StagedFile* file) {
    char saved[PATH_MAX];
    int code = make_name(file->target, saved);
    if (code == 0) {
        code = link(file->target, saved) == 0 ? 0 : errno;
    }
    const bool kept = code == 0;
    if (code != 0 && !is_not_supported(code) && code != ENOENT) {
        return code;
    }

    if (rename(file->beside, file->target) != 0) {
        code = errno;
        if (kept) {
            (void)unlink(saved);
        }
        return code;
    }

    file->kept = kept;
    memcpy(file->beside, kept ? saved : "", kept ? sizeof saved : 1);
    return 0;
}

int bi_staged_put(StagedFile* file) {
    int code = place_new(file);
    if (code != EEXIST || !file->replace) {
        file->made = file->placed = code == 0;
        return code;
    }

    code = name_beside(file);
    if (code != 0) {
        return code;
    }

    if (renameat2(AT_FDCWD, file->beside, AT_FDCWD, file->target, RENAME_EXCHANGE) == 0) {
        file->kept = true;
    } else if (is_not_supported(errno) || errno == ENOENT) {
        code = place_over(file);
    } else {
        code = errno;
    }
    file->placed = code == 0;
    return code;
}

int bi_staged_sync_folder(const StagedFile* file) {
    char folder[PATH_MAX];
    bi_staged_folder(file->target, folder);
    const int descriptor = open_again(folder, O_RDONLY | O_DIRECTORY);
    if (descriptor < 0) {
        return errno == EACCES ? 0 : errno;  // files may be made there, but nobody may look
    }
    const int code = sync_again(descriptor);
    (void)close(descriptor);
    return code;
}

void bi_staged_take_back(StagedFile* file) {
    if (file->placed && file->kept) {
        // When it cannot go back it stays where it is: better an odd name than none.
        (void)rename(file->beside, file->target);
        file->beside[0] = '\0';
    } else if (file->made) {
        (void)unlink(file->target);
    }
    file->placed = file->made = file->kept = false;
}

void bi_staged_end(StagedFile* file) {
    if (file->beside[0] != '\0') {
        (void)unlink(file->beside);
    }
    file->beside[0] = '\0';
    if (file->descriptor >= 0) {
        (void)close(file->descriptor);
    }
    file->descriptor = -1;
}
