// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The testbed of paper 000 (models/two_arms) as a list of primitives, and what the parts of bench_monitor share.

#ifndef BENCH_MONITOR_TESTBED_H
#define BENCH_MONITOR_TESTBED_H

#include <berth/berth.h>
#include <berth/lab/index.h>

#include "check/check.h"
#include "math/math.h"

enum { TESTBED_MOVERS = 14, TESTBED_PRIMITIVES = 35, TESTBED_TASKS = 3 };

typedef struct Primitive {
    BerthShape shape;
    Pose pose;
    bool moves;
} Primitive;

/// Arms first: left/link1 to right/link7, then what stands.
typedef struct Testbed {
    BerthScene* scene;
    BerthChecker* checker;
    Primitive primitives[TESTBED_PRIMITIVES];
    uint8_t allowed[TESTBED_PRIMITIVES][TESTBED_PRIMITIVES];  ///< compatible pairs
    double* task[TESTBED_TASKS];                              ///< joint values, value_count a cycle
    int cycles[TESTBED_TASKS];
} Testbed;

Testbed bench_testbed_open(void);
void bench_testbed_close(Testbed* testbed);
/// Moves the arms' primitives.
void bench_testbed_place(Testbed* testbed, const double* values);

/// One line of the results: table,series,x,value,...
void bench_row(const char* table, const char* series, double x, double value);

/// Side by side with FCL and Bullet. `cycles` of each run.
void bench_rivals(int cycles);
/// The paper's figures.
void bench_paper000(void);

#endif
