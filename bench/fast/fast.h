// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of bench_fast that have a file of their own.

#ifndef BENCH_FAST_H
#define BENCH_FAST_H

#include "batch/batch.h"

/// A batch on one thread, laid out for lanes.
BerthBatch* fast_open_batch(const BerthScene* scene, BerthBatchKind kind);
/// Of `count` segments, the share that lanes alone decide.
double fast_decided_share(const BerthBatch* batch, const double* rows, int count);
/// Obstacles of many triangles beside ten boxes: a mesh of 1,000,000 triangles, a map of 256^3 cells.
void fast_bench_large(void);
/// What layouts cost and save, robot by robot.
void fast_bench_layout(void);

#endif
