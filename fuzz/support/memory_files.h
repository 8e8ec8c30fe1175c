// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The tests' files that are on no disk, for fuzz targets.

#include "../../test/support/memory_files.h"
