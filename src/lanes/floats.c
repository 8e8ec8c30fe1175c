// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Floating joints in the form of the kernel: three slides, and five turns about z, y, z, y and z. Any
// orientation is three such turns (Euler's angles); an orientation that turns about one axis at constant
// speed, as between two states, is all five of them, of which only the middle one moves: first the axis is
// brought to its direction, then the body turns about it, then it is brought back. Angles are found in
// double, from the bits of the arc that the double engine uses.
// Entries: bi_lanes_read_floats, bi_lanes_read_float_arcs.

#include "lanes/lanes.h"
#include "scene/segment.h"

static double length_of(double x, double y) {
    return sqrt(x * x + y * y);
}

// Angles about z, y and z that make this rotation. Of one that is nearly about z alone the first angle is anything, and the third
// one is what is left of it: so they fit each other.
static void find_angles(const Pose* turned, double angles[3]) {
    const double high = turned->z.z, away = length_of(turned->z.x, turned->z.y);
    angles[0] = atan2(turned->z.y, turned->z.x);
    angles[1] = atan2(away, high);

    double s0, c0, s1, c1;
    bi_sincos(angles[0], &s0, &c0);
    bi_sincos(angles[1], &s1, &c1);
    // x of what is left when the first two are taken off: in the plane across z.
    const Vec3 x = turned->x;
    const double along = c0 * x.x + s0 * x.y, across = c0 * x.y - s0 * x.x;
    angles[2] = atan2(across, c1 * along - s1 * x.z);
}

static bool are_finite(const double angles[LANES_FLOAT_ANGLES]) {
    bool finite = true;
    for (int k = 0; k < LANES_FLOAT_ANGLES; ++k) {
        finite = finite && fabs(angles[k]) < 7.0;
    }
    return finite;
}

bool bi_lanes_read_floats(const BerthLanes* lanes, const double* state, float* rows, int32_t stride) {
    bool good = true;
    for (int32_t i = 0; i < lanes->float_count; ++i) {
        const LanesFloat* joint = &lanes->floats[i];
        const double* quat = state + joint->value + 3;
        const SegmentArc arc = bi_segment_arc(quat, quat);
        const Pose turned = bi_pose_from_unit_quat(arc.from, v3(0, 0, 0));
        double angles[LANES_FLOAT_ANGLES] = {0};
        find_angles(&turned, angles);

        const bool finite = are_finite(angles);
        good = good && finite;
        for (int k = 0; k < LANES_FLOAT_ANGLES; ++k) {
            rows[(ptrdiff_t)(joint->first_row + k) * stride] = finite ? (float)angles[k] : 0.0f;
        }
    }
    return good;
}

bool bi_lanes_read_float_arcs(const BerthLanes* lanes, const double* from, const double* to, float* values,
                              float* goes) {
    bool good = true;
    for (int32_t i = 0; i < lanes->float_count; ++i) {
        const LanesFloat* joint = &lanes->floats[i];
        const SegmentArc arc = bi_segment_arc(from + joint->value + 3, to + joint->value + 3);

        // What brings z to the arc's axis: about z, then about y.
        const Vec3 u = arc.axis;
        const double about_z = atan2(u.y, u.x), about_y = atan2(length_of(u.x, u.y), u.z);
        const Pose z = bi_pose_axis_angle(v3(0, 0, 1), about_z, v3(0, 0, 0));
        const Pose y = bi_pose_axis_angle(v3(0, 1, 0), about_y, v3(0, 0, 0));
        const Pose axes = pose_mul(&z, &y);
        const Pose start = bi_pose_from_unit_quat(arc.from, v3(0, 0, 0));
        const Pose turned = pose_mul(&start, &axes);

        double angles[LANES_FLOAT_ANGLES] = {0.0, 0.0, 0.0, -about_y, -about_z};
        find_angles(&turned, angles);
        good = good && are_finite(angles) && arc.angle < 3.2;
        for (int k = 0; k < LANES_FLOAT_ANGLES; ++k) {
            values[joint->first_row + k] = (float)angles[k];
            goes[joint->first_row + k] = k == LANES_FLOAT_TURN ? (float)arc.angle : 0.0f;
        }
    }
    return good;
}
