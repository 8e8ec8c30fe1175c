// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, monitor: what only comparisons and tests need of a monitor.

#ifndef BERTH_LAB_MONITOR_H
#define BERTH_LAB_MONITOR_H

#include <berth/lab/index.h>
#include <berth/monitor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// For BerthMonitorDef.lab. All zero is the default.
struct BerthMonitorLab {
    BerthIndexKind index;  ///< finds the bodies that are near each other; permits are the same with each
    int32_t leaf_limit;    ///< bodies in a leaf above which it is split, >= 1; 0: the index's default
};

/// The option of a choice that is in force; -1 when there is no such choice.
BERTH_API int32_t berth_monitor_active(const BerthMonitor* monitor, int32_t choice);

/// For tests: flips one bit of what berth_monitor_check_model looks at; `bit` counts through all of it,
/// cyclically. Flipping it twice restores it.
BERTH_API void berth_monitor_test_flip_bit(BerthMonitor* monitor, size_t bit);

#ifdef __cplusplus
}
#endif
#endif
