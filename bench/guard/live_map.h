// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The guard with a live map: see live_map.c.

#ifndef BENCH_GUARD_LIVE_MAP_H
#define BENCH_GUARD_LIVE_MAP_H

/// Runs it for so many seconds, with cycles and updates at so many hertz; prints rows of CSV. An exit status.
int bench_live_map(int seconds, int rate);

#endif
