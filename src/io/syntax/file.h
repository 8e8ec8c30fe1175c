// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A whole file in memory: the only way in which readers access the disk.

#ifndef BI_FILE_H
#define BI_FILE_H

#include <berth/io/syntax.h>

#include "base/base.h"

/// The limit that is used for 0: no model file is larger, and a larger one is a mistake or an attack.
#define BI_FILE_LIMIT ((size_t)1 << 30)

/// The bytes of a file. A zero byte stands behind them (not counted), so text can be scanned to its end.
typedef struct FileBytes {
    BerthAllocator allocator;
    char* data;
    size_t size;
    size_t capacity;
} FileBytes;

/// Reads a regular file of at most `limit` bytes (0: BI_FILE_LIMIT). Directories, FIFOs and devices are
/// refused without waiting for them. The error text begins with the path. `out` is cleared on failure.
/// `options` may be null; their allocator is used, and their files know of it.
BerthStatus bi_io_read_file(const char* path, size_t limit, const BerthIoOptions* options, FileBytes* out);
/// Opens a regular file for reading, with the same refusals and texts, for those who do not want all of it in memory;
/// `size` is how long it is now. The caller closes the descriptor.
BerthStatus bi_io_open_file(const char* path, const BerthIoOptions* options, int* descriptor, int64_t* size);
/// Reads `size` bytes from `offset` on; a file that ends before is BERTH_ERR_SYSTEM. Any thread.
BerthStatus bi_io_read_at(int descriptor, const char* path, int64_t offset, void* bytes, size_t size);
/// Frees the bytes; cleared and already freed ones are fine.
void bi_io_free_file(FileBytes* file);

/// True when `path` ends in `extension` (with its dot, lower case), in upper or lower case.
bool bi_io_has_extension(const char* path, const char* extension);

/// What every public reader and writer does with its options first: null becomes the defaults, and what does not come
/// from berth_default_io_options() is refused. Their allocator may be all zero.
BerthStatus bi_io_settle_options(const BerthIoOptions** options);

/// Reports the progress of reading `path` and polls whether to stop; BERTH_ERR_CANCELLED then. To be called a few times a second.
BerthStatus bi_io_step(const BerthIoOptions* options, const char* path, double share);

/// Calls options->warn, if there is one, with one formatted line; longer lines are cut.
void bi_io_warn(const BerthIoOptions* options, const char* format, ...) BI_PRINTF(2, 3);

#endif
