// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// States from bytes.

#ifndef BI_IO_STATES_H
#define BI_IO_STATES_H

#include <berth/io/motion.h>

/// As berth_io_read_states, of options that are settled. `path` is for texts.
BerthStatus bi_io_states_from_bytes(const char* path, const char* data, size_t size, const BerthScene* scene,
                                    const BerthIoOptions* options, BerthStates* out);

#endif
