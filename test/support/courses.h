// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Segments as a sceptic sees them: values at t by formulas of his own in long double, bounds of speed that are crude
// and easy to believe, and the smallest gap on a whole segment by branch and bound over samples. Shares no code with
// the motion room.

#ifndef TEST_SUPPORT_COURSES_H
#define TEST_SUPPORT_COURSES_H

#include <berth/motion.h>

#include "support/worlds.h"

enum { COURSE_VALUES = 160, COURSE_QUATS = 24 };

typedef struct Course {
    int count;
    double from[COURSE_VALUES], to[COURSE_VALUES];
    bool curved;
    BerthCurve curves[COURSE_VALUES];
    int quat_count, quats[COURSE_QUATS];  ///< where four values are a quaternion
} Course;

BerthSegment course_segment(const Course* course);
/// Straight from `from` to `to`; quaternions by the shorter arc; curves where there are some.
void course_values(const Course* course, double t, double* values);
/// Largest |value| and largest |d value / dt| of one value, from above.
double course_largest(const Course* course, int value);
double course_rate(const Course* course, int value);
/// The angle of the turn of the quaternion at `value`.
double course_turn(const Course* course, int value);
/// Finds the quaternions of a world.
void course_of_world(Course* course, const World* world);
/// No point of any body moves faster than half of this, so that no gap changes faster. Half-spaces as seen within 6 m.
double course_speed(const Course* course, World* world);

/// The smallest gap in one state.
typedef double CourseGap(void* user, const double* values);

typedef struct Lowest {
    double t, gap;  ///< the smallest that was found
    double bound;   ///< none is smaller, if `speed` is true and `gap_at` exact
    int samples;
} Lowest;

/// Stops when bound and gap are `accuracy` apart, when the gap is at most `floor`, or after `budget` samples.
Lowest course_lowest(const Course* course, double speed, double accuracy, double floor, int budget,
                     CourseGap* gap_at, void* user);
/// Stops as well when no gap can be smaller than `enough`.
Lowest course_near(const Course* course, double speed, double accuracy, double floor, double enough,
                   int budget, CourseGap* gap_at, void* user);

/// gap_at by a checker, with distances. Anything but a clearance is 0.
double course_checker_gap(void* checker, const double* values);
/// gap_at by the brute model of a World.
double course_brute_gap(void* world, const double* values);
/// What is proven to be between the two that are nearest: above 0 it refutes a collision. The other one is what refutes a free.
double course_brute_lower(World* world, const double* values);

/// Moves an object that stands, so that the smallest gap of the course becomes `target`. False when that does not come
/// about, for example because two links are nearest.
bool course_graze(World* world, const Course* course, double speed, double target, Lowest* lowest);

#endif
