// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How files are read, by default.

#include "base/base.h"
#include "io/syntax/file.h"

BerthIoOptions berth_default_io_options(void) {
    return (BerthIoOptions){.allocator = berth_default_allocator(), .stamp = BI_DEF_STAMP};
}
