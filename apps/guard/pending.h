// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A permit on its way from the loop to the thread that writes it. That thread is an ordinary one: when the machine is busy, or a
// write blocks, permits wait for it, and one that waited longer than it lives must not be told as if it had just been given.
// Entry: pending_as_of.

#ifndef GUARD_PENDING_H
#define GUARD_PENDING_H

#include "guard.h"

typedef struct PendingPermit {
    uint64_t stream;
    double until;  ///< CLOCK_MONOTONIC: its life ends
    BerthPermit permit;
} PendingPermit;

/// The permit as it is at `now`, of CLOCK_MONOTONIC: over is STOP, OVERRUN. Its `valid_until` becomes the seconds that are left.
static inline BerthPermit pending_as_of(const PendingPermit* pending, double now) {
    BerthPermit out = pending->permit;
    const bool lives = out.go || out.retreat;
    const double left = pending->until - now;
    if (lives && !(left > 0.0)) {
        out.go = out.retreat = false;
        out.reason = BERTH_STOP_OVERRUN;
        out.scale = 0.0;
    }
    out.valid_until = out.go || out.retreat ? left : 0.0;
    return out;
}

#endif
