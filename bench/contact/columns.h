// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How long one question about two bodies takes, asked in three ways: cold (somewhere else every time, nothing remembered),
// moving (a tenth of a millimetre and a milliradian further every time, as a haptic loop does), warm (again and again in
// the same place).

#ifndef BENCH_CONTACT_COLUMNS_H
#define BENCH_CONTACT_COLUMNS_H

#include <berth/math.h>

/// Somebody who can be asked: contacts of a body that stands and one that is there. Returns how many.
typedef struct Asked {
    int (*ask)(void* user, const BerthPose* world_from_b);
    void (*forget)(void* user);  ///< null: it cannot
    void* user;
} Asked;

enum { COLUMN_COLD, COLUMN_MOVING, COLUMN_WARM, COLUMN_COUNT };
extern const char* const column_names[COLUMN_COUNT];

/// Seconds a question, of the wall clock less what reading it costs.
typedef struct Column {
    double mean;  ///< of each place's median
    double median, p99;
    double contacts;
} Column;
Column columns_measure(const Asked* asked, int column, const BerthPose* places, int count);

#endif
