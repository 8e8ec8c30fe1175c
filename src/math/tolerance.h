// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Every tolerance of the library by name: unit, reason, how it scales. docs/theory/math.md derives them.

#ifndef BI_TOLERANCE_H
#define BI_TOLERANCE_H

/// Unit roundoff of double and float.
#define BI_ULP 0x1p-53
#define BI_ULP_F 0x1p-24

/// Slack of one computed distance, per metre of scene radius M: 64 u. Forward kinematics needs less than 5 u of
/// it (measured on chains of up to 50 joints); the rest is for relative poses and the distance kernels, which the
/// tests hold against exact arithmetic.
#define BI_DISTANCE_SLACK (64.0 * BI_ULP)

/// Coordinates beyond this many metres are refused: at 1e7 m the slack is 7e-8 m.
#define BI_COORDINATE_MAX 1e7

/// Angles beyond this many radians are refused: our sine and cosine keep their error bound up to here.
#define BI_ANGLE_MAX 1e6

/// Largest absolute error of bi_sincos for |x| <= BI_ANGLE_MAX (tested against MPFR).
#define BI_SINCOS_ERROR (2.0 * BI_ULP)

/// Slack of two projections on an axis, per metre of |x| + |y| + |z| of the farthest corner: six roundings each,
/// doubled.
#define BI_AXIS_SLACK (16.0 * BI_ULP)

/// Contact: an axis or a point of the last cycle stays unless another is better by this share of it and by this many
/// metres a metre of the two pieces' radii: one part in twenty, a micrometre. A point that was there leaves when it is
/// out by that many metres; until then its depth is 0. Values that differ by less than the last are equal.
#define BI_CONTACT_KEEP_SHARE 0.05
#define BI_CONTACT_KEEP 1e-6
#define BI_CONTACT_TIE 1e-9

/// GJK stops when upper - lower <= this share of upper: well above rounding, well below any mesh's accuracy.
#define BI_GJK_RELATIVE 1e-10

/// A caller's rotation matrix may be off by this much (unit vectors and right angles, no unit) and is then made a
/// rotation; off by less than BI_ROTATION_EXACT it is one up to rounding and keeps its bits.
#define BI_ROTATION_NEAR 1e-6
#define BI_ROTATION_EXACT (32.0 * BI_ULP)

/// A quaternion that is to be normalised and whose squared length is below this is taken for zero and refused: a
/// millionth of what it should be is a mistake, and further down squares underflow. Used by scene and io.
#define BI_QUAT_MIN_SQ 1e-12

/// A quaternion whose squared length is this near to 1 is unit but for rounding, and stays what it is to the last bit: what is
/// written reads back as what was proven. Normalising leaves at most about half of it.
#define BI_QUAT_UNIT_SQ (16.0 * BI_ULP)

/// A mesh is convex when no vertex is further than this share of its diagonal outside any face's plane, rounding
/// included: 0.1 nm for a metre. Smaller values refuse convex meshes for their slender faces (6 of 12 among the shared
/// robots' at 1e-12, none from 1e-10 on).
#define BI_CONVEX_TOLERANCE 1e-10

/// Two orientations are opposite when the dot product of their quaternions is below this, and two angles half a turn
/// apart within this many radians: which way round is shorter would be decided by the sixth digit of a file.
#define BI_HALF_TURN_NEAR 1e-6

/// A column of a joint that follows another may differ from what it follows by so much, radian or metre (and per second):
/// programs write such columns with six or more digits. The followed joint's column is what is taken.
#define BI_MIMIC_NEAR 1e-6

/// Slack of one comparison in a proof about two links, per metre of the chain's reach: 1024 u. A chain of at most 128
/// joints costs fewer than 5 u a joint (measured), kinematics and the distance kernels that check the same pair later 64 u.
#define BI_PROOF_SLACK (1024.0 * BI_ULP)
/// Proofs within joint limits hold for values that are off by this share of 1 + |limit|, radian or metre: far above the
/// rounding of a value on a curve (2^-46 of its terms), far below anything that a joint can do.
#define BI_PROOF_WIDER 1e-9
/// A followed angle m * q + o is off by at most so much of it a radian: 16 u, as BI_MIMIC_SHARE of check.h has them. The ends
/// of a turn that stands for all turns of a joint are off by less.
#define BI_PROOF_TURN_SHARE (1.0 / 64.0)

/// A cell is touched by a shape that is nearer than this share of a cell: when scenes become cells, so that one which is only
/// rounded apart is not left out.
#define BI_GRID_ALIGN 1e-6

/// Slack of one distance to a field, in cells, per cell of the root's width and of the farthest coordinate: 16 u. Turning metres into cells
/// costs 2 u a coordinate, the distance of up to three gaps fewer than 8 u.
#define BI_FIELD_SLACK (16.0 * BI_ULP)

#endif
