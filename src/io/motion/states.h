// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// States from bytes, and what readers of trajectories share with them.

#ifndef BI_IO_STATES_H
#define BI_IO_STATES_H

#include <berth/io.h>

/// Most numbers in one file of states: 2 GB of them.
#define BI_STATE_VALUE_MAX ((int64_t)1 << 28)

BerthStatus bi_io_states_from_bytes(const char* path, const char* data, size_t size, const BerthScene* scene,
                                    const BerthIoOptions* options, BerthStates* out);
/// Makes the quaternions of floating joints unit, then checks all values. The text names the joint.
BerthStatus bi_io_settle_state(const BerthScene* scene, double* values);
/// "; did you mean 'x'?" or "" for a value's name that is not there.
void bi_io_suggest_value(const BerthScene* scene, const char* name, char* text, size_t size);

#endif
