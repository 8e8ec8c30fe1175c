// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Math: points, quaternions and poses, as the interfaces of the other rooms use them. SI units, right-handed
// frames.

#ifndef BERTH_MATH_H
#define BERTH_MATH_H

#include <berth/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A point or a vector; in metres unless stated otherwise.
typedef struct BerthVec3 {
    double x;  ///< along the first axis
    double y;  ///< along the second axis
    double z;  ///< along the third axis
} BerthVec3;

/// A quaternion; a rotation when its length is 1.
typedef struct BerthQuat {
    double x;  ///< sine of half the angle times the x of the axis
    double y;  ///< sine of half the angle times the y of the axis
    double z;  ///< sine of half the angle times the z of the axis
    double w;  ///< cosine of half the angle
} BerthQuat;

/// The pose of a frame: `outer_from_inner`. x, y and z are the inner axes in outer coordinates (the columns
/// of the rotation matrix), t is the inner origin. p_outer = x * p.x + y * p.y + z * p.z + t.
typedef struct BerthPose {
    BerthVec3 x;  ///< the inner x axis, in outer coordinates
    BerthVec3 y;  ///< the inner y axis, in outer coordinates
    BerthVec3 z;  ///< the inner z axis, in outer coordinates
    BerthVec3 t;  ///< the inner origin, in outer coordinates
} BerthPose;

/// The identity: no rotation, no translation.
BERTH_API BerthPose berth_pose_identity(void);
/// Roll, pitch and yaw about fixed axes, as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll). Angles beyond 1e6 rad
/// give NaN.
BERTH_API BerthPose berth_pose_from_rpy(BerthVec3 xyz, BerthVec3 rpy);
/// Normalises the quaternion. A zero quaternion, NaN and infinity, also in `xyz`, are BERTH_ERR_ARGUMENT:
/// without a text, and `out` is not written.
BERTH_API BerthStatus berth_pose_from_quat(BerthVec3 xyz, BerthQuat quat, BerthPose* out);
/// The rotation as a unit quaternion. Of q and -q, the one whose largest component is positive.
BERTH_API BerthQuat berth_pose_to_quat(const BerthPose* pose);
/// a_from_c = berth_pose_multiply(a_from_b, b_from_c)
BERTH_API BerthPose berth_pose_multiply(const BerthPose* a_from_b, const BerthPose* b_from_c);
/// b_from_a = berth_pose_inverse(a_from_b)
BERTH_API BerthPose berth_pose_inverse(const BerthPose* a_from_b);
/// The point in coordinates of the outer frame: point_in_a.
BERTH_API BerthVec3 berth_pose_apply(const BerthPose* a_from_b, BerthVec3 point_in_b);

#ifdef __cplusplus
}
#endif
#endif
