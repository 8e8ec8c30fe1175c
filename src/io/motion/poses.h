// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Recorded motions of a body, from memory.

#ifndef BI_IO_POSES_H
#define BI_IO_POSES_H

#include <berth/io/motion.h>

/// As berth_io_read_poses. `path` is for messages.
BerthStatus bi_io_poses_from_bytes(const char* path, const char* data, size_t size,
                                   const BerthAllocator* allocator, BerthPoses* out);

#endif
