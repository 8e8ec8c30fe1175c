// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The files of one job. A file that was read is identified by device and inode, recorded by bi_io_read_file
// after it was opened, so that no second name, link or scene that names it hides it; a file that is written,
// also by its folder and name, because it may not exist yet.
// Entries: berth_io_files_*, bi_io_files_note_read, bi_io_write_file.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // AT_EACCESS
#endif

#include "io/syntax/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// Files that wait without a name hold a descriptor each; later ones get a name beside their place.
enum { OPEN_MAX_COUNT = 64, FIRST_COUNT = 16 };

typedef struct OutputFile {
    struct OutputFile* next;
    StagedFile staged;
    FileId folder;
    bool reserved, written;
} OutputFile;

struct BerthFiles {
    BerthAllocator allocator;
    FileId* read;
    size_t read_count, read_capacity;
    OutputFile* first;
    OutputFile** end;
    int32_t open_count;
    bool keep_sums;
    FileSum* sums;
    size_t sum_count, sum_capacity;
};

BerthStatus berth_io_files_create(const BerthAllocator* allocator, BerthFiles** out) {
    if (out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "files: a place for the result is expected");
    }
    *out = NULL;
    const BerthAllocator from = bi_allocator_or_default(allocator);
    BerthFiles* files = bi_take(&from, 1, sizeof *files);
    if (files == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "files: out of memory");
    }

    files->allocator = from;
    files->end = &files->first;
    *out = files;
    return BERTH_OK;
}

void berth_io_files_destroy(BerthFiles* files) {
    if (files == NULL) {
        return;
    }

    while (files->first != NULL) {
        OutputFile* file = files->first;
        files->first = file->next;
        bi_staged_end(&file->staged);
        bi_give(&files->allocator, file, 1, sizeof *file);
    }
    bi_give(&files->allocator, files->read, files->read_capacity, sizeof *files->read);
    for (size_t i = 0; i < files->sum_count; ++i) {
        bi_give(&files->allocator, files->sums[i].path, strlen(files->sums[i].path) + 1, 1);
    }
    bi_give(&files->allocator, files->sums, files->sum_capacity, sizeof *files->sums);

    const BerthAllocator allocator = files->allocator;
    bi_give(&allocator, files, 1, sizeof *files);
}

// ---- which file --------------------------------------------------------------------------------------------------

static FileId id_of(const struct stat* state) {
    return (FileId){state->st_dev, state->st_ino};
}

static bool is_same_id(FileId a, FileId b) {
    return a.device == b.device && a.inode == b.inode;
}

static bool was_read(const BerthFiles* files, FileId id) {
    for (size_t i = 0; i < files->read_count; ++i) {
        if (is_same_id(files->read[i], id)) {
            return true;
        }
    }
    return false;
}

static const char* name_in(const char* target) {
    const char* slash = strrchr(target, '/');
    return slash != NULL ? slash + 1 : target;
}

// By place, or because both are names of one file now.
static bool is_same_output(const OutputFile* a, const OutputFile* b) {
    struct stat of_a, of_b;
    return (is_same_id(a->folder, b->folder) &&
            strcmp(name_in(a->staged.target), name_in(b->staged.target)) == 0) ||
           (stat(a->staged.target, &of_a) == 0 && stat(b->staged.target, &of_b) == 0 &&
            is_same_id(id_of(&of_a), id_of(&of_b)));
}

static OutputFile* find_output(const BerthFiles* files, const OutputFile* like) {
    for (OutputFile* file = files->first; file != NULL; file = file->next) {
        if (is_same_output(file, like)) {
            return file;
        }
    }
    return NULL;
}

static BerthStatus refuse_input(const char* path) {
    return bi_fail(BERTH_ERR_ARGUMENT, "%s: is an input file; choose another output file", path);
}

// ---- reading -----------------------------------------------------------------------------------------------------

static bool make_room_for_one(BerthFiles* files) {
    if (files->read_count < files->read_capacity) {
        return true;
    }

    const size_t larger = files->read_capacity > 0 ? 2 * files->read_capacity : FIRST_COUNT;
    FileId* moved = bi_take(&files->allocator, larger, sizeof *moved);
    if (moved == NULL) {
        return false;
    }

    if (files->read_count > 0) {
        memcpy(moved, files->read, files->read_count * sizeof *moved);
    }
    bi_give(&files->allocator, files->read, files->read_capacity, sizeof *files->read);
    files->read = moved;
    files->read_capacity = larger;
    return true;
}

static BerthStatus note_id(BerthFiles* files, FileId id) {
    if (was_read(files, id)) {
        return BERTH_OK;
    }

    for (const OutputFile* file = files->first; file != NULL; file = file->next) {
        struct stat there;
        if (stat(file->staged.target, &there) == 0 && is_same_id(id_of(&there), id)) {
            return refuse_input(file->staged.target);
        }
    }

    if (!make_room_for_one(files)) {
        return bi_fail(BERTH_ERR_MEMORY, "out of memory");
    }
    files->read[files->read_count++] = id;
    return BERTH_OK;
}

BerthStatus bi_io_files_note_read(BerthFiles* files, const struct stat* state) {
    return files != NULL ? note_id(files, id_of(state)) : BERTH_OK;
}

BerthStatus bi_io_files_note_named(BerthFiles* files, const char* path) {
    struct stat state;
    return files != NULL && stat(path, &state) == 0 ? bi_io_files_note_read(files, &state) : BERTH_OK;
}

void berth_io_files_keep_sums(BerthFiles* files, bool keep) {
    files->keep_sums = keep;
}

static bool make_room_for_sum(BerthFiles* files) {
    if (files->sum_count < files->sum_capacity) {
        return true;
    }
    const size_t larger = files->sum_capacity > 0 ? 2 * files->sum_capacity : FIRST_COUNT;
    FileSum* moved = bi_take(&files->allocator, larger, sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    if (files->sum_count > 0) {
        memcpy(moved, files->sums, files->sum_count * sizeof *moved);
    }
    bi_give(&files->allocator, files->sums, files->sum_capacity, sizeof *files->sums);
    files->sums = moved;
    files->sum_capacity = larger;
    return true;
}

// Each content once.
static BerthStatus note_sum(BerthFiles* files, const char* path, const uint8_t hash[SHA256_SIZE]) {
    for (size_t i = 0; i < files->sum_count; ++i) {
        if (memcmp(files->sums[i].hash, hash, SHA256_SIZE) == 0) {
            return BERTH_OK;
        }
    }

    FileSum sum = {.path = NULL};
    const size_t length = strlen(path) + 1;
    sum.path = make_room_for_sum(files) ? bi_take(&files->allocator, length, 1) : NULL;
    if (sum.path == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "out of memory");
    }
    memcpy(sum.path, path, length);
    memcpy(sum.hash, hash, SHA256_SIZE);
    files->sums[files->sum_count++] = sum;
    return BERTH_OK;
}

BerthStatus bi_io_files_note_bytes(BerthFiles* files, const char* path, const void* bytes, size_t size) {
    if (files == NULL || !files->keep_sums) {
        return BERTH_OK;
    }

    uint8_t hash[SHA256_SIZE];
    Sha256 sha;
    bi_sha256_init(&sha);
    bi_sha256_add(&sha, bytes, size);
    bi_sha256_end(&sha, hash);
    return note_sum(files, path, hash);
}

BerthStatus berth_io_files_add_bytes(BerthFiles* files, const char* path, const void* bytes, size_t size) {
    return bi_io_files_note_bytes(files, path, bytes, size);
}

BerthStatus berth_io_files_add(BerthFiles* files, const BerthFiles* other) {
    BerthStatus status = BERTH_OK;
    for (size_t i = 0; i < other->sum_count && status == BERTH_OK; ++i) {
        status = note_sum(files, other->sums[i].path, other->sums[i].hash);
    }
    for (size_t i = 0; i < other->read_count && status == BERTH_OK; ++i) {
        status = note_id(files, other->read[i]);
    }
    return status;
}

bool bi_io_files_sum(const BerthFiles* files, size_t index, FileSum* out) {
    if (files == NULL || index >= files->sum_count) {
        return false;
    }
    *out = files->sums[index];
    return true;
}

// ---- writing -----------------------------------------------------------------------------------------------------

static BerthStatus fail_write(const char* path, int code) {
    char text[128] = "";
    const char* reason = strerror_r(code, text, sizeof text);
    // A folder that is not there or may not be written is a wrong request; the rest is the machine.
    const bool wrong = code == ENOENT || code == EACCES || code == ENOTDIR || code == EISDIR ||
                       code == EPERM || code == ENAMETOOLONG || code == EROFS || code == ELOOP;
    return bi_fail(wrong ? BERTH_ERR_ARGUMENT : BERTH_ERR_SYSTEM, "%s: cannot be written: %s", path, reason);
}

static BerthStatus refuse_existing(const char* path) {
    return bi_fail(BERTH_ERR_ARGUMENT, "%s: already exists", path);
}

// Is the file that was found at `path` also at its target, so that it can be replaced there?
static BerthStatus check_name(const char* path, const char* target, const struct stat* there) {
    struct stat state;
    const int code = stat(target, &state) == 0 ? 0 : errno;
    if (code != 0 && code != ENOENT) {
        return fail_write(path, code);
    }
    return code == 0 && is_same_id(id_of(&state), id_of(there))
               ? BERTH_OK
               : bi_fail(BERTH_ERR_ARGUMENT, "%s: cannot be written: what it leads to has no name", path);
}

// Where a path leads, in which folder that is, and what is there.
static BerthStatus look_at_output(const char* path, OutputFile* file, struct stat* there, bool* exists) {
    *file = (OutputFile){.staged.descriptor = -1};
    if (path == NULL || path[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "a file's name is missing");
    }
    *exists = stat(path, there) == 0;
    if (!*exists && errno != ENOENT) {
        return fail_write(path, errno);
    }

    // A pipe or device has no place that could be replaced; what /dev/stdout leads to may have none either.
    const bool regular = !*exists || S_ISREG(there->st_mode);
    int code = regular ? bi_staged_follow_links(path, file->staged.target) : 0;
    if (code == 0 && regular && name_in(file->staged.target)[0] == '\0') {
        code = EISDIR;
    }
    if (code != 0 || !regular) {
        return code != 0 ? fail_write(path, code) : BERTH_OK;
    }

    const BerthStatus named = *exists ? check_name(path, file->staged.target, there) : BERTH_OK;
    if (named != BERTH_OK) {
        return named;
    }

    struct stat state;
    char folder[PATH_MAX];
    bi_staged_folder(file->staged.target, folder);
    if (stat(folder, &state) != 0) {
        return fail_write(path, errno);
    }
    file->folder = id_of(&state);
    return BERTH_OK;
}

static BerthStatus add_output(BerthFiles* files, const OutputFile* like, OutputFile** out) {
    OutputFile* file = bi_take(&files->allocator, 1, sizeof *file);
    if (file == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", like->staged.target);
    }
    *file = *like;
    *files->end = file;
    files->end = &file->next;
    *out = file;
    return BERTH_OK;
}

BerthStatus berth_io_files_reserve(BerthFiles* files, const char* path) {
    OutputFile file;
    struct stat there;
    bool exists = false;
    const BerthStatus status = look_at_output(path, &file, &there, &exists);
    if (status != BERTH_OK || (exists && !S_ISREG(there.st_mode))) {
        return status;
    }

    if (exists && was_read(files, id_of(&there))) {
        return refuse_input(path);
    }
    OutputFile* known = find_output(files, &file);
    if (known != NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: would be written twice; choose two files", path);
    }
    file.reserved = true;
    return add_output(files, &file, &known);
}

// What is asked again before it is placed: much may have happened since.
static BerthStatus check_output(const BerthFiles* files, const char* path, const struct stat* there) {
    if (!S_ISREG(there->st_mode)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: cannot be written: it is not a regular file", path);
    }
    if (was_read(files, id_of(there))) {
        return refuse_input(path);
    }
    // A new file would take its place all the same; whoever protected it did not mean that.
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? BERTH_OK : fail_write(path, errno);
}

// All pieces into the open file; the last write syncs it.
static BerthStatus write_pieces(const char* path, BerthNextPiece* next, void* user, const struct stat* there,
                                StagedFile* file) {
    for (;;) {
        const void* bytes = "";
        size_t size = 0;
        const BerthStatus status = next(user, &bytes, &size);
        if (status != BERTH_OK) {
            return status;
        }

        const int code = size > 0 ? bi_staged_append(file, bytes, size) : bi_staged_write(file, "", 0, there);
        if (code != 0 || size == 0) {
            return code == 0 ? BERTH_OK : fail_write(path, code);
        }
    }
}

static BerthStatus stage(const BerthFiles* files, const char* path, BerthNextPiece* next, void* user,
                         bool replace, OutputFile* file) {
    struct stat there;
    bool exists = false;
    BerthStatus status = look_at_output(path, file, &there, &exists);
    if (status == BERTH_OK && exists && !replace) {
        status = refuse_existing(path);
    } else if (status == BERTH_OK && exists) {
        status = check_output(files, path, &there);
    }
    if (status != BERTH_OK) {
        return status;
    }

    file->staged.replace = replace;
    const int code = bi_staged_open(&file->staged);
    if (code != 0) {
        return fail_write(path, code);
    }
    return write_pieces(path, next, user, exists ? &there : NULL, &file->staged);
}

typedef struct OnePiece {
    const void* bytes;
    size_t size;
} OnePiece;

static BerthStatus next_of_one(void* user, const void** bytes, size_t* size) {
    OnePiece* piece = user;
    *bytes = piece->bytes;
    *size = piece->size;
    piece->size = 0;
    return BERTH_OK;
}

BerthStatus berth_io_files_try(BerthFiles* files, const char* path) {
    OutputFile file;
    OnePiece nothing = {"", 0};
    const BerthStatus status = stage(files, path, next_of_one, &nothing, true, &file);
    bi_staged_end(&file.staged);
    return status;
}

BerthStatus berth_io_files_write_pieces(BerthFiles* files, const char* path, BerthNextPiece* next, void* user,
                                        bool replace) {
    OutputFile made;
    BerthStatus status = stage(files, path, next, user, replace, &made);
    OutputFile* file = status == BERTH_OK ? find_output(files, &made) : NULL;
    if (file != NULL && file->written) {
        status = bi_fail(BERTH_ERR_ARGUMENT, "%s: would be written twice; choose two files", path);
    }

    if (status == BERTH_OK && files->open_count >= OPEN_MAX_COUNT) {
        const int code = bi_staged_close(&made.staged);
        status = code == 0 ? BERTH_OK : fail_write(path, code);
    }
    if (status == BERTH_OK && file == NULL) {
        status = add_output(files, &made, &file);
    }
    if (status != BERTH_OK) {
        bi_staged_end(&made.staged);
        return status;
    }

    file->staged = made.staged;
    file->written = true;
    files->open_count += file->staged.descriptor >= 0;
    return BERTH_OK;
}

BerthStatus berth_io_files_write(BerthFiles* files, const char* path, const void* bytes, size_t size,
                                 bool replace) {
    OnePiece piece = {bytes, size};
    return berth_io_files_write_pieces(files, path, next_of_one, &piece, replace);
}

// ---- placing -----------------------------------------------------------------------------------------------------

static BerthStatus place(const BerthFiles* files, OutputFile* file) {
    struct stat there;
    const char* target = file->staged.target;
    if (stat(target, &there) != 0) {
        if (errno != ENOENT) {
            return fail_write(target, errno);
        }
    } else {
        const BerthStatus status =
            file->staged.replace ? check_output(files, target, &there) : refuse_existing(target);
        if (status != BERTH_OK) {
            return status;
        }
    }

    const int code = bi_staged_put(&file->staged);
    if (code == EEXIST && !file->staged.replace) {
        return refuse_existing(target);
    }
    return code == 0 ? BERTH_OK : fail_write(target, code);
}

// Each folder once: those of files that follow each other are usually the same.
static BerthStatus sync_folders(const BerthFiles* files) {
    const OutputFile* last = NULL;
    for (const OutputFile* file = files->first; file != NULL; file = file->next) {
        if (!file->written || (last != NULL && is_same_id(last->folder, file->folder))) {
            continue;
        }
        const int code = bi_staged_sync_folder(&file->staged);
        if (code != 0) {
            return fail_write(file->staged.target, code);
        }
        last = file;
    }
    return BERTH_OK;
}

// Only what is reserved stays known.
static void forget_written(BerthFiles* files) {
    files->end = &files->first;
    while (*files->end != NULL) {
        OutputFile* file = *files->end;
        if (file->reserved) {
            file->staged.placed = file->staged.made = file->staged.kept = false;
            file->written = false;
            files->end = &file->next;
        } else {
            *files->end = file->next;
            bi_give(&files->allocator, file, 1, sizeof *file);
        }
    }
    files->open_count = 0;
}

BerthStatus berth_io_files_commit(BerthFiles* files) {
    BerthStatus status = BERTH_OK;
    for (OutputFile* file = files->first; file != NULL && status == BERTH_OK; file = file->next) {
        status = file->written ? place(files, file) : BERTH_OK;
    }
    if (status == BERTH_OK) {
        status = sync_folders(files);
    }

    for (OutputFile* file = files->first; file != NULL; file = file->next) {
        if (status != BERTH_OK) {
            bi_staged_take_back(&file->staged);
        }
        bi_staged_end(&file->staged);
    }
    forget_written(files);
    return status;
}

BerthStatus bi_io_write_file(const char* path, const FileBytes* bytes, const BerthIoOptions* options) {
    if (options->files != NULL) {
        return berth_io_files_write(options->files, path, bytes->data, bytes->size, true);
    }

    BerthFiles* files = NULL;
    BerthStatus status = berth_io_files_create(&options->allocator, &files);
    if (status == BERTH_OK) {
        status = berth_io_files_write(files, path, bytes->data, bytes->size, true);
    }
    if (status == BERTH_OK) {
        status = berth_io_files_commit(files);
    }
    berth_io_files_destroy(files);
    return status;
}
