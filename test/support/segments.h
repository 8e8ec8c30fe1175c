// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random segments, what is asked about them, and how answers are judged: what is called free must survive the smallest
// gap that a search found, what is called a hit must be one where it says; UNKNOWN is for gaps within the band, and
// exceptions are counted.

#ifndef TEST_SUPPORT_SEGMENTS_H
#define TEST_SUPPORT_SEGMENTS_H

#include "support/courses.h"

typedef struct SegmentCount {
    const char* what;
    int64_t seed;
    int64_t segments, free, hits, unknown, budget, numeric, grazing, samples;
    int64_t asks, planes;  ///< planes: of segments with moving half-spaces, which are never proven
    int64_t alarms, alarms_millimetre;  ///< UNKNOWN although the gap is beyond the band; beyond 1 mm
    int64_t far;                        ///< segments whose gap is beyond the margin by 1 mm and more
    int64_t blunt;                      ///< UNKNOWN although deeper than 1 mm
    int64_t refuted;                    ///< FREE, and a state was found that is not
    int64_t wrong;                      ///< all complaints, those included
} SegmentCount;

/// Prints a complaint (the first twenty) and counts it.
void segment_wrong(SegmentCount* count, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// Prints the counts and fails the test when anything was wrong.
void segment_settle(const SegmentCount* c);

/// 0 <= pick < count.
int segment_pick(Random* random, int count);
double segment_log_between(Random* random, double low, double high);

/// A cubic or quintic between the ends with velocities (and accelerations) of any kind, so that it overshoots.
void segment_bend(Random* random, Course* course, double wild);
void segment_random(Random* random, const World* world, Course* course);
/// From a free state where there is one.
void segment_free(Random* random, World* world, BerthChecker* checker, Course* course);
World* segment_world(Random* random, WorldStyle style);
/// The same motion backwards; part of a motion. Straight ones only.
Course course_reversed(const Course* course);
Course course_part(const Course* course, double from, double to);

typedef struct SegmentAsk {
    double margin, delta;
    BerthMethod method;
    const double* error;
    bool first_contact;
} SegmentAsk;

enum { SEGMENT_METHODS = 4 };
extern const BerthMethod segment_methods[SEGMENT_METHODS];

SegmentAsk segment_random_ask(Random* random);
BerthMotionChecker* segment_motion(const BerthScene* scene, const SegmentAsk* ask);
BerthChecker* segment_checker(const BerthScene* scene);
BerthMotionResult segment_ask(BerthMotionChecker* motion, const Course* course, bool first_contact);
/// By how much a gap of the brute model may differ from one of the library: rounding of a chain of turns.
double segment_slack(World* world, const Course* course);
/// A half-space that moves has no bounded motion: nothing is proven about it from a speed.
bool segment_moves_plane(const World* world);
/// `lowest` is what a search found; the brute model decides at its t.
void segment_judge(World* world, const Course* course, const SegmentAsk* ask, const BerthMotionResult* r,
                   const Lowest* lowest, SegmentCount* count);
/// The same where the brute model's gap at that t is known.
void segment_judge_by(World* world, const Course* course, const SegmentAsk* ask, const BerthMotionResult* r,
                      const Lowest* lowest, double gap, SegmentCount* count);

#endif
