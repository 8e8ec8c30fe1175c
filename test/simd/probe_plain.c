// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The functions of wide.h, compiled for this instruction set.

#include "simd/wide_probe_body.h"

const WideProbe wide_probe_plain = {.isa = SIMD_PLAIN, .ask = probe_ask, .ask64 = probe_ask64};
