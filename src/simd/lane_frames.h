// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The frames of a block of configurations, and, on intervals of a motion, how they move and what bounds their
// second derivatives. Vectors of lanes, which the rest of the lane kernel uses too. docs/theory/lanes.md has
// the bounds.
// Entry: lane_place_frames.

#ifndef BI_LANE_FRAMES_H
#define BI_LANE_FRAMES_H

#include <stddef.h>

#include "simd/lane_layout.h"
#include "simd/lane_sincos.h"
#include "simd/wide.h"

/// What every block does is one function in registers, twice: for states and for intervals. What few lanes get to is kept out
/// of it, so that it stays in the processor's cache of instructions. In plain C all of it would take minutes to compile and gain
/// nothing.
#if defined(BI_WIDE_AVX512) || defined(BI_WIDE_AVX2)
#define LANE_INLINE static inline __attribute__((always_inline))
#else
#define LANE_INLINE static __attribute__((noinline, unused))
#endif
#define LANE_APART static __attribute__((noinline, unused))

/// More than floats lose in sums over frames.
#define LANE_BOUND_GROWN (1.0f + 0x1p-16f)

/// Three numbers a lane.
typedef struct LaneVec {
    f32w x, y, z;
} LaneVec;

/// The part of a block that one register holds.
typedef struct LanePart {
    const LaneModel* model;
    const LaneQuestion* question;
    LaneScratch* scratch;
    LaneAnswer* answer;
    int32_t first;  // lane
    maskw lanes;    // of this part that are asked about
    f32w half;      // of each interval; with what follows, only where something moves
    f32w half_sq;   // half its square
    f32w all_rates;
    bool together;  // losses are one number a group, for all lanes
} LanePart;

// The first lane of the part: known where one register holds the whole block.
LANE_INLINE int32_t lane_first(const LanePart* part) {
    return (int)WIDE == (int)LANES ? 0 : part->first;
}

// Rows that are read and written together are counted from one place: else each would cost its own sum of addresses.
LANE_INLINE f32w lane_row(const float* rows, int32_t row, int32_t first) {
    return wide_load(rows + (ptrdiff_t)row * LANES + first);
}

LANE_INLINE LaneVec lane_load_from(const float* at) {
    return (LaneVec){wide_load(at), wide_load(at + LANES), wide_load(at + (ptrdiff_t)2 * LANES)};
}

LANE_INLINE LaneVec lane_load(const float* rows, int32_t row, int32_t first) {
    return lane_load_from(rows + (ptrdiff_t)row * LANES + first);
}

LANE_INLINE void lane_store_to(float* at, LaneVec v) {
    wide_store(at, v.x);
    wide_store(at + LANES, v.y);
    wide_store(at + (ptrdiff_t)2 * LANES, v.z);
}

LANE_INLINE void lane_store(float* rows, int32_t row, int32_t first, LaneVec v) {
    lane_store_to(rows + (ptrdiff_t)row * LANES + first, v);
}

LANE_INLINE LaneVec lane_constant(const float v[3]) {
    return (LaneVec){wide_set(v[0]), wide_set(v[1]), wide_set(v[2])};
}

LANE_INLINE LaneVec lane_scale(LaneVec a, f32w s) {
    return (LaneVec){wide_mul(a.x, s), wide_mul(a.y, s), wide_mul(a.z, s)};
}

/// a * s + b
LANE_INLINE LaneVec lane_mad(LaneVec a, f32w s, LaneVec b) {
    return (LaneVec){wide_fma(a.x, s, b.x), wide_fma(a.y, s, b.y), wide_fma(a.z, s, b.z)};
}

/// b - a * s
LANE_INLINE LaneVec lane_nmad(LaneVec a, f32w s, LaneVec b) {
    return (LaneVec){wide_fnma(a.x, s, b.x), wide_fnma(a.y, s, b.y), wide_fnma(a.z, s, b.z)};
}

LANE_INLINE LaneVec lane_add(LaneVec a, LaneVec b) {
    return (LaneVec){wide_add(a.x, b.x), wide_add(a.y, b.y), wide_add(a.z, b.z)};
}

LANE_INLINE LaneVec lane_sub(LaneVec a, LaneVec b) {
    return (LaneVec){wide_sub(a.x, b.x), wide_sub(a.y, b.y), wide_sub(a.z, b.z)};
}

LANE_INLINE f32w lane_dot(LaneVec a, LaneVec b) {
    return wide_fma(a.x, b.x, wide_fma(a.y, b.y, wide_mul(a.z, b.z)));
}

/// a x b + c
LANE_INLINE LaneVec lane_cross_add(LaneVec a, LaneVec b, LaneVec c) {
    return (LaneVec){wide_fnma(a.z, b.y, wide_fma(a.y, b.z, c.x)),
                     wide_fnma(a.x, b.z, wide_fma(a.z, b.x, c.y)),
                     wide_fnma(a.y, b.x, wide_fma(a.x, b.y, c.z))};
}

LANE_INLINE LaneVec lane_zero(void) {
    return (LaneVec){wide_set(0.0f), wide_set(0.0f), wide_set(0.0f)};
}

// ---- poses ----------------------------------------------------------------------------------------------------

/// Columns of a rotation, and an origin.
typedef struct LanePose {
    LaneVec x, y, z, t;
} LanePose;

LANE_INLINE LanePose lane_load_pose(const float* poses, int32_t frame, int32_t first) {
    const float* at = poses + (ptrdiff_t)(12 * frame) * LANES + first;
    return (LanePose){lane_load_from(at), lane_load_from(at + (ptrdiff_t)3 * LANES),
                      lane_load_from(at + (ptrdiff_t)6 * LANES), lane_load_from(at + (ptrdiff_t)9 * LANES)};
}

LANE_INLINE void lane_store_pose(float* poses, int32_t frame, int32_t first, const LanePose* pose) {
    float* at = poses + (ptrdiff_t)(12 * frame) * LANES + first;
    lane_store_to(at, pose->x);
    lane_store_to(at + (ptrdiff_t)3 * LANES, pose->y);
    lane_store_to(at + (ptrdiff_t)6 * LANES, pose->z);
    lane_store_to(at + (ptrdiff_t)9 * LANES, pose->t);
}

// x a + y b + z c; zeros, which most robots are full of, cost nothing.
LANE_INLINE LaneVec lane_combine(const LanePose* pose, const float by[3], LaneVec sum) {
    if (by[0] != 0.0f) {
        sum = lane_mad(pose->x, wide_set(by[0]), sum);
    }
    if (by[1] != 0.0f) {
        sum = lane_mad(pose->y, wide_set(by[1]), sum);
    }
    if (by[2] != 0.0f) {
        sum = lane_mad(pose->z, wide_set(by[2]), sum);
    }
    return sum;
}

LANE_INLINE LaneVec lane_signed(LaneVec v, float sign) {
    const f32w by = wide_set(sign);
    return (LaneVec){wide_sign(v.x, by), wide_sign(v.y, by), wide_sign(v.z, by)};
}

// ---- a joint --------------------------------------------------------------------------------------------------

// From the frame of the parent to that of the joint, before it moves.
LANE_INLINE LanePose lane_joint_frame(const LanePart* part, const KernelFrame* frame,
                                      const LanePose* parent) {
    LanePose joint = *parent;
    joint.t = lane_combine(parent, frame->t, parent->t);

    if (frame->axes == LANE_AXES_ABOUT_X) {
        joint.y = lane_signed(parent->z, frame->sign[1]);
        joint.z = lane_signed(parent->y, frame->sign[2]);
    } else if (frame->axes == LANE_AXES_SWAPPED) {
        const float* poses = part->scratch->poses;
        const int32_t at = 12 * frame->parent;
        joint.x = lane_signed(lane_load(poses, at + 3 * frame->from[0], lane_first(part)), frame->sign[0]);
        joint.y = lane_signed(lane_load(poses, at + 3 * frame->from[1], lane_first(part)), frame->sign[1]);
        joint.z = lane_signed(lane_load(poses, at + 3 * frame->from[2], lane_first(part)), frame->sign[2]);
    } else if (frame->axes == LANE_AXES_TURNED) {
        joint.x = lane_combine(parent, frame->turn[0], lane_zero());
        joint.y = lane_combine(parent, frame->turn[1], lane_zero());
        joint.z = lane_combine(parent, frame->turn[2], lane_zero());
    }
    return joint;
}

// Where a value starts, or how far it goes, on each lane's segment.
LANE_INLINE f32w lane_of_segment(const LanePart* part, const float* rows, int32_t value) {
    return part->question->alike ? wide_set(rows[value]) : lane_row(rows, value, lane_first(part));
}

LANE_INLINE f32w lane_go(const LanePart* part, int32_t value) {
    return lane_of_segment(part, part->question->goes, value);
}

// At the middle of each lane's interval, or of each lane's state.
LANE_INLINE f32w lane_value(const LanePart* part, int32_t value, const bool moving) {
    const LaneQuestion* question = part->question;
    if (!moving) {
        return lane_row(question->values, value, lane_first(part));
    }
    return wide_fma(lane_row(question->middle, 0, lane_first(part)), lane_go(part, value),
                    lane_of_segment(part, question->values, value));
}

// Sines and cosines of all joints first: they do not wait for each other.
LANE_INLINE void lane_move_joints(const LanePart* part, const bool moving) {
    float* turns = part->scratch->turns + lane_first(part);
    for (int32_t i = 0; i < part->model->frame_count; ++i) {
        const KernelFrame* frame = &part->model->frames[i];
        const f32w q = wide_fma(lane_value(part, frame->value, moving), wide_set(frame->multiplier),
                                wide_set(frame->offset));
        if (frame->motion != LANE_TURN) {
            wide_store(turns + (ptrdiff_t)2 * i * LANES, q);
            continue;
        }

        f32w s, c;
        lane_sincos(q, &s, &c);
        wide_store(turns + (ptrdiff_t)2 * i * LANES, s);
        wide_store(turns + (ptrdiff_t)(2 * i + 1) * LANES, c);
    }
}

/// What a frame passes on to the next: its pose, spin, and the velocity of the point at the world's origin, the last two times
/// half the interval.
typedef struct LaneMover {
    LanePose pose;
    LaneVec spin, origin;
} LaneMover;

LANE_INLINE LaneMover lane_parent(const LanePart* part, const KernelFrame* frame, const bool moving) {
    LaneMover out;
    out.spin = out.origin = lane_zero();
    if (frame->parent < 0) {
        out.pose = (LanePose){lane_constant(frame->turn[0]), lane_constant(frame->turn[1]),
                              lane_constant(frame->turn[2]), lane_constant(frame->t)};
        return out;
    }
    out.pose = lane_load_pose(part->scratch->poses, frame->parent, lane_first(part));
    if (moving) {
        const float* at = part->scratch->twists + (ptrdiff_t)(6 * frame->parent) * LANES + lane_first(part);
        out.spin = lane_load_from(at);
        out.origin = lane_load_from(at + (ptrdiff_t)3 * LANES);
    }
    return out;
}

// Adds what the joint itself does.
LANE_INLINE void lane_add_twist(const LanePart* part, const KernelFrame* frame, LaneMover* mover) {
    const f32w go = lane_go(part, frame->value);
    const f32w step = wide_mul(part->half, wide_mul(go, wide_set(frame->multiplier)));
    const LaneVec along = lane_scale(mover->pose.z, step);
    if (frame->motion == LANE_TURN) {
        mover->spin = lane_add(mover->spin, along);
        mover->origin = lane_cross_add(mover->pose.t, along, mover->origin);
    } else {
        mover->origin = lane_add(mover->origin, along);
    }
}

// How fast each frame moves against its parent, and what that makes of second derivatives: a turn bends what it carries by its
// own square, and by twice its product with the turns before it.
LANE_INLINE void lane_rate_frames(LanePart* part) {
    float* rates = part->scratch->rates + lane_first(part);
    const f32w grown = wide_set(LANE_BOUND_GROWN), two = wide_set(2.0f);
    f32w all = wide_set(0.0f);
    for (int32_t i = 0; i < part->model->frame_count; ++i) {
        const KernelFrame* frame = &part->model->frames[i];
        f32w before = wide_set(0.0f);
        if (frame->parent >= 0) {
            before = wide_load(rates + (ptrdiff_t)(3 * frame->parent + 1) * LANES);
        }

        const f32w go = lane_go(part, frame->value);
        const f32w rate = wide_mul(wide_abs(wide_mul(go, wide_set(frame->multiplier))), grown);
        const f32w turn = frame->motion == LANE_TURN ? rate : wide_set(0.0f);
        const f32w bend = wide_mul(wide_mul(rate, wide_fma(two, before, turn)), grown);
        wide_store(rates + (ptrdiff_t)(3 * i) * LANES, rate);
        wide_store(rates + (ptrdiff_t)(3 * i + 1) * LANES, wide_add(before, turn));
        wide_store(rates + (ptrdiff_t)(3 * i + 2) * LANES, bend);
        all = wide_add(all, rate);
    }
    part->all_rates = all;
}

LANE_INLINE void lane_place_frames(LanePart* part, const bool moving) {
    if (moving) {
        part->half = lane_row(part->question->half, 0, lane_first(part));
        part->half_sq = wide_mul(wide_mul(part->half, part->half), wide_set(0.5f));
        lane_rate_frames(part);
    }
    lane_move_joints(part, moving);

    // Along a chain the parent is still at hand.
    LaneMover mover;
    for (int32_t i = 0; i < part->model->frame_count; ++i) {
        const KernelFrame* frame = &part->model->frames[i];
        if (i == 0 || frame->parent != i - 1) {
            mover = lane_parent(part, frame, moving);
        }
        if (frame->parent >= 0) {
            mover.pose = lane_joint_frame(part, frame, &mover.pose);
        }

        const f32w s = lane_row(part->scratch->turns, 2 * i, lane_first(part));
        if (frame->motion == LANE_TURN) {
            const f32w c = lane_row(part->scratch->turns, 2 * i + 1, lane_first(part));
            const LaneVec x = mover.pose.x;
            mover.pose.x = lane_mad(mover.pose.y, s, lane_scale(x, c));
            mover.pose.y = lane_nmad(x, s, lane_scale(mover.pose.y, c));
        } else {
            mover.pose.t = lane_mad(mover.pose.z, s, mover.pose.t);
        }
        lane_store_pose(part->scratch->poses, i, lane_first(part), &mover.pose);

        if (moving) {
            lane_add_twist(part, frame, &mover);
            float* at = part->scratch->twists + (ptrdiff_t)(6 * i) * LANES + lane_first(part);
            lane_store_to(at, mover.spin);
            lane_store_to(at + (ptrdiff_t)3 * LANES, mover.origin);
        }
    }
}

#endif
