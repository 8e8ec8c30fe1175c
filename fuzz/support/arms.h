// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The tests' robots, for fuzz targets.

#include "../../test/support/arms.h"
