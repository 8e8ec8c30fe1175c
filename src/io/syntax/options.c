// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How files are read, by default.

#include "base/base.h"
#include "io/syntax/file.h"

BerthIoOptions berth_default_io_options(void) {
    return (BerthIoOptions){.allocator = berth_default_allocator(), .stamp = BI_DEF_STAMP};
}

BerthStatus bi_io_settle_options(const BerthIoOptions** options) {
    static const BerthIoOptions defaults = {.stamp = BI_DEF_STAMP};  // no allocator: the C library's heap
    if (*options == NULL) {
        *options = &defaults;
    }
    if ((*options)->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "io options: start from berth_default_io_options()");
    }
    return BERTH_OK;
}
