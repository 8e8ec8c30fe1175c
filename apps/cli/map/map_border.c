// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The border of a map. From a point inside a box the shortest way out is along an axis, so it is the same in every metric.
// Entry: map_border.

#include <float.h>
#include <math.h>

#include "cli/map/map.h"

/// A number that may have been rounded: the exact one is in [value - error, value + error].
typedef struct Rounded {
    double value, error;
} Rounded;

// What a - b lost (Knuth's two-sum) is told by the bits that are not there: nothing, or at most half a unit.
static Rounded difference(Rounded a, Rounded b) {
    const double d = a.value - b.value, back = d - a.value;
    const bool exact = (a.value - (d - back)) - (b.value + back) == 0.0;
    return (Rounded){d, a.error + b.error + (exact ? 0.0 : DBL_EPSILON * fabs(d))};
}

// The two ends of the map on an axis. A resolution of more than 26 bits is a decimal number that was rounded: then they
// are off by a rounding or two of where they are.
static void ends_of_axis(double origin, double resolution, int32_t size, Rounded* low, Rounded* high) {
    int exponent;
    const double bits = ldexp(frexp(resolution, &exponent), 26);
    const double side = resolution * size, end = origin + side;
    const bool exact = bits == floor(bits) &&
                       difference((Rounded){end, 0.0}, (Rounded){side, 0.0}).error == 0.0 &&
                       end - side == origin;
    const double error = exact ? 0.0 : 4.0 * DBL_EPSILON * (fabs(origin) + side);
    *low = (Rounded){origin, error};
    *high = (Rounded){end, error};
}

MapBorder map_border(const BerthFieldInfo* info, const double ball[4]) {
    const double origin[3] = {info->origin.x, info->origin.y, info->origin.z};
    MapBorder out = {INFINITY, INFINITY, {ball[0], ball[1], ball[2]}};
    double* const nearest[3] = {&out.nearest.x, &out.nearest.y, &out.nearest.z};

    for (int axis = 0; axis < info->dim; ++axis) {
        Rounded end[2];
        ends_of_axis(origin[axis], info->resolution, info->size[axis], &end[0], &end[1]);
        const Rounded at = {ball[axis], 0.0};
        const Rounded gap[2] = {difference(at, end[0]), difference(end[1], at)};

        for (int side = 0; side < 2; ++side) {
            const double upper = gap[side].value + gap[side].error;
            if (upper < out.upper) {
                out.upper = upper;
                out.nearest = (BerthVec3){ball[0], ball[1], ball[2]};
                *nearest[axis] = upper > 0.0 ? end[side].value : ball[axis];
            }
            out.lower = fmin(out.lower, gap[side].value - gap[side].error);
        }
    }

    out.lower = fmax(out.lower, 0.0);
    out.upper = fmax(out.upper, 0.0);
    return out;
}
