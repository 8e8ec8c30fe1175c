// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One copy of the tests' robots and files for all fuzz targets, which do not link the tests' library.

#include "../../test/support/arms.c"
#include "../../test/support/memory_files.c"
