// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Segments made to graze without an edit of the scene: the whole motion is shifted along one joint.

#ifndef TEST_SUPPORT_GRAZE_H
#define TEST_SUPPORT_GRAZE_H

#include "support/courses.h"

/// Shifts the joint that changes the smallest gap most, until that gap is `target`. `speed` as course_lowest; `gap_at` must
/// be exact. A target below 20 um is gone to from there by the slope, since gaps below 0 are not measured. False when it
/// does not come about.
bool course_shift_to(Course* course, double speed, double target, CourseGap* gap_at, void* user,
                     Lowest* lowest);

#endif
