// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, monitor: what only tests do to a monitor.

#ifndef BERTH_LAB_MONITOR_H
#define BERTH_LAB_MONITOR_H

#include <berth/monitor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// For tests: turns over one bit of it.
BERTH_API void berth_monitor_test_flip_bit(BerthMonitor* monitor, size_t bit);

#ifdef __cplusplus
}
#endif
#endif
