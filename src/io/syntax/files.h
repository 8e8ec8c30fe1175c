// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Files on their way to the disk: one that is written without a name and placed later; all files of one job.

#ifndef BI_IO_FILES_H
#define BI_IO_FILES_H

#include <limits.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/sha256.h"
#include "io/syntax/file.h"

/// Which file: names come and go.
typedef struct FileId {
    dev_t device;
    ino_t inode;
} FileId;

/// A file that is written, or placed. Functions below return 0 or an errno.
typedef struct StagedFile {
    char target[PATH_MAX];  // where it will be: links are followed
    char beside
        [PATH_MAX];  // its name until then; empty while it has none. When `kept`: the name of what was replaced
    int descriptor;  // < 0: closed
    bool replace;    // what is there may be replaced
    bool placed;     // it is at `target`
    bool made;       // where nothing was before
    bool kept;       // and what was there before is at `beside`
} StagedFile;

/// Where `path` leads when it is written: links are followed, also to what is not there.
int bi_staged_follow_links(const char* path, char target[PATH_MAX]);
/// The folder that `target` is in.
void bi_staged_folder(const char* target, char folder[PATH_MAX]);
/// Makes the file, without a name where that is possible. `target` is set.
int bi_staged_open(StagedFile* file);
/// Writes some bytes; more may follow.
int bi_staged_append(StagedFile* file, const void* bytes, size_t size);
/// Writes the last bytes and syncs; `there`: the file that will be replaced, whose mode is kept, or null.
int bi_staged_write(StagedFile* file, const void* bytes, size_t size, const struct stat* there);
/// Gives it a name, so that its descriptor is not needed any more, and closes that.
int bi_staged_close(StagedFile* file);
/// Puts it at its target. What was there stays at `beside`, where the file system can do so.
int bi_staged_put(StagedFile* file);
/// Syncs the folder of its target.
int bi_staged_sync_folder(const StagedFile* file);
/// Takes it back: what was at the target before is there again.
void bi_staged_take_back(StagedFile* file);
/// Removes what is left beside, and closes it.
void bi_staged_end(StagedFile* file);

/// Notes that a file was read; refuses one that is reserved for writing. Null files: nothing to do.
BerthStatus bi_io_files_note_read(BerthFiles* files, const struct stat* state);
/// The same for a file that another one names and that is not opened.
BerthStatus bi_io_files_note_named(BerthFiles* files, const char* path);
/// What a file held when it was read.
typedef struct FileSum {
    char* path;
    uint8_t hash[SHA256_SIZE];
} FileSum;
/// Notes what `path` held, where sums are kept; each content once.
BerthStatus bi_io_files_note_bytes(BerthFiles* files, const char* path, const void* bytes, size_t size);
/// Sum `index` in the order of reading; false behind the last, and when `files` is null.
bool bi_io_files_sum(const BerthFiles* files, size_t index, FileSum* out);
/// Writes the bytes to `path`: at once, or into the files of `options`.
BerthStatus bi_io_write_file(const char* path, const FileBytes* bytes, const BerthIoOptions* options);

#endif
