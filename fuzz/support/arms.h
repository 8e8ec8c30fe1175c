// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The tests' robots, for fuzz targets.

#include "../../test/support/arms.h"

/// A scene of two arms, "left" and "right", made once.
const BerthScene* fuzz_two_arms(void);
