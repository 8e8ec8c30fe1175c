// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Values that are outside the ranges of a layout.

#ifndef BI_LANES_VALUES_H
#define BI_LANES_VALUES_H

#include "lanes/lanes.h"

/// Whole turns off an angle that has gone round more than once. NaN where the layout does not hold the value.
static inline double lanes_bring_into_range(const LanesRange* range, double value) {
    const double two_pi = 6.283185307179586;
    if (!range->turns || !(fabs(value) < 1e6)) {
        return (double)NAN;
    }
    if (fabs(value) <= 8.0) {
        return value;
    }
    return value - rint(value / two_pi) * two_pi;
}

#endif
