// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Holds every answer of a checker about one state of a world against the brute model, and counts what is wrong.

#ifndef TEST_SUPPORT_VERDICTS_H
#define TEST_SUPPORT_VERDICTS_H

#include <berth/check.h>

#include "support/worlds.h"

enum { VERDICT_PAIRS = BRUTE_BODIES * BRUTE_BODIES / 2 };

typedef struct Truth {
    const BruteBody *a, *b;
    BruteGap gap;
    Real reach;
} Truth;

typedef struct Tally {
    const char* what;  ///< printed with complaints
    int64_t seed;
    int64_t states, pairs, free, hits, unknown, pair_unknown, near_count;
    int64_t touching, touching_unknown;  ///< a pair with gap == margin exactly
    int64_t wrong;
    Real widest;      ///< bracket of one pair, per metre of reach
    Real worst_hit;   ///< gap - margin of a pair that was called a hit, per metre of reach
    Real worst_near;  ///< |gap - margin| where the answer was UNKNOWN, per metre of reach
    const double* values;
    int value_count;
} Tally;

/// Prints a complaint (the first twenty) and counts it.
void complain(Tally* tally, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// The true gaps of all pairs that are checked, in no special order. Poses the world. Returns their count.
int true_gaps(World* world, const double* values, Truth* out);
/// Asks all four ways and compares each answer with the truth and with the others. Returns the verdict.
BerthVerdict examine(World* world, BerthChecker* checker, double margin, const double* values, Tally* tally);
/// Prints the counts and fails the test when anything was wrong.
void settle(const Tally* tally);

#endif
