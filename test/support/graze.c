// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Segments made to graze.

#include "support/graze.h"

#include <math.h>
#include <string.h>

static const double step = 1e-6, steepest_least = 0.02, shift_most = 0.4, measured = 2e-5;

static bool in_quaternion(const Course* course, int value) {
    for (int n = 0; n < course->quat_count; ++n) {
        if (value >= course->quats[n] && value < course->quats[n] + 4) {
            return true;
        }
    }
    return false;
}

static void shift(Course* course, int value, double by) {
    course->from[value] += by;
    course->to[value] += by;
    course->curves[value].term[0] += by;
}

// The value that changes the gap most at the lowest state, and by how much.
static int steepest(const Course* course, const Lowest* lowest, CourseGap* gap_at, void* user,
                    double* slope) {
    double values[COURSE_VALUES];
    course_values(course, lowest->t, values);
    int best = -1;
    *slope = steepest_least;
    for (int k = 0; k < course->count; ++k) {
        if (in_quaternion(course, k)) {
            continue;
        }
        const double before = values[k];
        values[k] = before + step;
        const double change = (gap_at(user, values) - lowest->gap) / step;
        values[k] = before;
        if (isfinite(change) && fabs(change) > fabs(*slope)) {
            best = k;
            *slope = change;
        }
    }
    return best;
}

bool course_shift_to(Course* course, double speed, double target, CourseGap* gap_at, void* user,
                     Lowest* lowest) {
    const double near = target > measured ? target : measured;
    for (int tries = 0; tries < 8; ++tries) {
        // Its end is sharp; that no other place is lower need not be known here.
        *lowest = course_lowest(course, speed, 1e-3, -1, tries == 0 ? 60 : 30, gap_at, user);
        if (!(lowest->gap > 0) || !isfinite(lowest->gap)) {
            return false;
        }
        double slope = 0;
        const bool there = fabs(lowest->gap - near) < 2e-6;
        if (there && target == near) {
            return true;
        }
        const int value = steepest(course, lowest, gap_at, user, &slope);
        if (value < 0) {
            return false;
        }
        const double by = ((there ? target : near) - lowest->gap) / slope;
        if (fabs(by) > shift_most) {
            return false;
        }
        shift(course, value, by);
        if (there) {
            *lowest = (Lowest){.t = lowest->t, .gap = target, .bound = -INFINITY};
            return true;
        }
    }
    return false;
}
