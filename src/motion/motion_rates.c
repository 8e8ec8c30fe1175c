// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How fast each frame can move on an interval of a segment: by the motion of its values, through its joint.
// Then the middle configuration of the interval: poses, velocities, and for every body the sums along its
// chain that bound how far its points can move. And whether values keep their limits, on which proofs of
// pairs depend.
// Entries: bi_motion_rates, bi_motion_values, bi_motion_place; bi_motion_find_within, bi_motion_is_proven,
// bi_motion_query_skip_proven, at the end.

#include "math/math.h"
#include "motion/motion.h"
#include "scene/segment.h"

const char* berth_method_name(BerthMethod method) {
    static const char* const names[BERTH_METHOD_COUNT] = {"default", "second-order", "adaptive", "refined",
                                                          "fixed"};
    return (int)method >= 0 && method < BERTH_METHOD_COUNT ? names[method] : "unknown";
}

// How fast at the middle is not known, so nothing is to second order.
static SegmentBounds jet_of_function(const BerthMotionFunction* function, int32_t i) {
    return (SegmentBounds){0.0, 0.0, function->speeds[i], (double)INFINITY, 0.0};
}

static void one_value_rate(BerthMotionChecker* motion, const RobotFrame* f, const SegmentBounds* jet,
                           int32_t value, FrameRate* rate) {
    const double m = fabs(f->multiplier);
    if (f->motion == FRAME_SLIDE) {
        rate->slide = v3_scale(f->axis, f->multiplier * jet->speed);
        rate->slide_most = m * jet->speed_most;
        rate->slide_bend = m * jet->bend_most;
        rate->slide_error = m * (motion->tracking_error[value] + jet->rounding);
    } else {
        rate->axis = f->axis;
        rate->turn = f->multiplier * jet->speed;
        rate->turn_most = m * jet->speed_most;
        rate->turn_bend = m * jet->bend_most;
        rate->turn_error = m * (motion->tracking_error[value] + jet->rounding);
    }
}

// Planar: x and y slide across the axis, theta turns about it. Floating: x, y, z slide, the arc turns.
static void base_rate(BerthMotionChecker* motion, const RobotFrame* f, const SegmentBounds* jets,
                      int32_t value, FrameRate* rate) {
    const bool planar = f->motion == FRAME_PLANAR;
    const Vec3 along[3] = {planar ? f->across[0] : v3(1, 0, 0), planar ? f->across[1] : v3(0, 1, 0),
                           v3(0, 0, 1)};

    for (int k = 0; k < (planar ? 2 : 3); ++k) {
        rate->slide = v3_mad(rate->slide, jets[k].speed, along[k]);
        rate->slide_most += jets[k].speed_most;
        rate->slide_bend += jets[k].bend_most;
        rate->slide_error += motion->tracking_error[value + k] + jets[k].rounding;
    }

    if (planar) {
        rate->axis = f->axis;
        rate->turn = jets[2].speed;
        rate->turn_most = jets[2].speed_most;
        rate->turn_bend = jets[2].bend_most;
        rate->turn_error = motion->tracking_error[value + 2] + jets[2].rounding;
    }
}

static void frame_rate(BerthMotionChecker* motion, const SceneRobot* robot, const RobotFrame* f,
                       const BerthSegment* segment, Span span, FrameRate* rate) {
    *rate = (FrameRate){.axis = {0, 0, 1}};
    const int32_t value = robot->first_value + f->value;
    if (f->motion == FRAME_STILL) {
        return;
    }

    // One value: a slide or a turn.
    if (f->motion != FRAME_PLANAR && f->motion != FRAME_FLOATING) {
        const SegmentBounds jet = motion->function != NULL
                                      ? jet_of_function(motion->function, value)
                                      : bi_segment_bounds(segment, value, span.middle, span.half);
        one_value_rate(motion, f, &jet, value, rate);
        return;
    }

    // Three or more: a base.
    SegmentBounds jets[3];
    for (int k = 0; k < 3; ++k) {
        jets[k] = motion->function != NULL ? jet_of_function(motion->function, value + k)
                                           : bi_segment_bounds(segment, value + k, span.middle, span.half);
    }
    base_rate(motion, f, jets, value, rate);

    if (f->motion == FRAME_FLOATING) {
        const SegmentArc arc = bi_segment_arc(segment->from + value + 3, segment->to + value + 3);
        rate->axis = arc.axis;
        rate->turn = arc.angle;
        rate->turn_most = fabs(arc.angle);

        // An error of length e in a unit quaternion turns by at most 2 asin(e) <= pi e, about any axis; no two
        // orientations are more than pi apart.
        for (int k = 3; k < 7; ++k) {
            const double lost = segment->curves != NULL ? segment->curves[value + k].error : 0.0;
            rate->turn_error += 3.1416 * (motion->tracking_error[value + k] + lost);
        }
        rate->any_axis = rate->turn_error > 0.0;
    }
}

// The value, or NaN where the function went further than its speeds allow: such a function proves nothing.
static double checked_by_speed(const BerthSegment* segment, const BerthMotionFunction* function, int32_t i,
                               double t, double value) {
    const double slack = 1e-12 * (1.0 + fabs(segment->from[i]) + fabs(segment->to[i]) + function->speeds[i]);
    const bool good = fabs(value - segment->from[i]) <= function->speeds[i] * t + slack &&
                      fabs(value - segment->to[i]) <= function->speeds[i] * (1.0 - t) + slack;
    return good ? value : NAN;
}

void bi_motion_values(const BerthMotionChecker* motion, const BerthSegment* segment, double t,
                      double* values) {
    const BerthMotionFunction* function = motion->function;
    motion->checker->elapsed = segment->start + t * segment->duration;
    if (function == NULL) {
        berth_segment_values(motion->scene, segment, t, values);
        return;
    }
    function->values(function->user, t, values);
    for (int32_t i = 0; i < segment->value_count; ++i) {
        values[i] = checked_by_speed(segment, function, i, t, values[i]);
    }
}

void bi_motion_rates(BerthMotionChecker* motion, const BerthSegment* segment, Span span) {
    const BerthScene* scene = motion->scene;
    motion->segment = segment;
    bi_motion_values(motion, segment, span.middle, motion->values);
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t k = 0; k < robot->robot->frame_count; ++k) {
            frame_rate(motion, robot, &robot->robot->frames[k], segment, span,
                       &motion->rates[robot->first_frame + k]);
        }
    }
}

// ---- where everything is then, and how far its points can go --------------------------------------------------------

static void find_twists(BerthMotionChecker* motion, const SceneRobot* robot) {
    const Pose* pose = motion->checker->world_from_frame + robot->first_frame;
    const FrameRate* rates = motion->rates + robot->first_frame;
    Twist* twists = motion->twists + robot->first_frame;
    twists[0] = (Twist){{0, 0, 0}, {0, 0, 0}};

    for (int32_t k = 1; k < robot->robot->frame_count; ++k) {
        const RobotFrame* f = &robot->robot->frames[k];
        const Twist* parent = &twists[f->parent];
        const Pose joint = pose_mul(&pose[f->parent], &f->parent_from_joint);

        const Vec3 axis = pose_turn(&pose[k], rates[k].axis);
        const Vec3 slide = pose_turn(&joint, rates[k].slide);
        const Vec3 spin = v3_scale(axis, rates[k].turn);
        // A turn about an axis through o moves the point at the world's origin by spin x (0 - o).
        const Vec3 turn_origin = v3_cross(pose[k].t, spin);

        twists[k].spin = v3_add(parent->spin, spin);
        twists[k].origin = v3_add(v3_add(parent->origin, slide), turn_origin);
    }
}

// Long intervals gain by balls that are swept, short ones do not (docs/theory/motion.md): from this many radians on.
#define SWEPT_FROM 0.5

/// A ball that contains the body's points, seen from one axis after the other while the joints beyond it sweep the interval.
typedef struct SweptBall {
    Vec3 centre;
    double radius;
} SweptBall;

// Carries the ball over one joint: it turns by at most `turn` both ways, then slides by `slide`. The centre goes to where the
// ball that holds the arc is smallest: with c = 1 - turn^2 / 2 <= cos(turn), no point of the arc is further than
// sqrt(1 - c^2) of its radius from c times the arc's middle.
static void sweep_ball(SweptBall* ball, const FrameRate* rate, const Pose* frame, double away, double turn,
                       double slide) {
    const Vec3 arm = v3_sub(ball->centre, frame->t);
    const Vec3 axis = pose_turn(frame, rate->axis);
    const Vec3 out = rate->any_axis ? arm : v3_mad(arm, -v3_dot(axis, arm), axis);
    const double inward = turn * turn < 2.0 ? 0.5 * turn * turn : 1.0;  // 1 - c; NaN goes to the axis
    ball->centre = v3_mad(ball->centre, -inward, out);
    ball->radius = (ball->radius + away * sqrt(inward * (2.0 - inward)) + slide) * MOTION_GROWN;
}

// How far each axis can be from the body's points on the interval, from the body inward: the smallest of three bounds.
// A floating frame's own axis is fixed on the segment, so it counts as any other.
static void find_levers(BerthMotionChecker* motion, int32_t body_index, double half) {
    const MotionBody* body = &motion->bodies[body_index];
    const CheckBody* ball = &motion->checker->bodies[body_index];
    double* lever = motion->chain_lever + body->first_chain;
    const int32_t* frame = motion->chain_frame + body->first_chain;
    const double* far = motion->chain_far + body->first_chain;
    const double* global = motion->chain_global + body->first_chain;
    const double slack = BI_DISTANCE_SLACK * ball->size;
    bool is_global = motion->bound == BERTH_BOUND_GLOBAL;
    // Does the chain turn far enough on the interval that swept balls gain?
    double turns = 0.0;
    for (int32_t k = body->chain_count - 1; k > 1; --k) {
        turns += motion->rates[frame[k]].turn_most;
    }
    const bool is_long = half * turns > SWEPT_FROM;

    SweptBall swept = {ball->centre, ball->radius};
    // Travel of the body's points by the joints beyond this one, tracking error included.
    double beyond = 0.0;

    for (int32_t k = body->chain_count - 1; k > 0; --k) {
        const FrameRate* rate = &motion->rates[frame[k]];
        const Pose* pose = &motion->checker->world_from_frame[frame[k]];
        // From where the ball is now, and what the joints beyond can carry it.
        const double near = axis_distance(rate, pose, ball->centre) + ball->radius;
        const double grown = (near + beyond) * MOTION_GROWN + slack;
        lever[k] = grown < far[k] ? grown : far[k];

        const double turn = half * rate->turn_most + rate->turn_error;
        const double slide = half * rate->slide_most + rate->slide_error;
        // From the ball that is swept by the joints beyond.
        if (is_long) {
            const double away = axis_distance(rate, pose, swept.centre) + slack;
            const double within = (away + swept.radius) * MOTION_GROWN + slack;
            lever[k] = within < lever[k] ? within : lever[k];
            sweep_ball(&swept, rate, pose, away, turn, slide);
        }
        if (is_global) {  // requested, although it is larger
            lever[k] = global[k] < (double)INFINITY ? global[k] : lever[k];
            is_global = bi_global_keeps_limits(motion, frame[k], half);
        }

        beyond += lever[k] * turn + slide;
    }
}

// Outward: the sums.
static void sum_chain(BerthMotionChecker* motion, int32_t body_index) {
    const MotionBody* body = &motion->bodies[body_index];
    ChainSum* row = motion->chains + body->first_chain;
    const int32_t* frame = motion->chain_frame + body->first_chain;
    const double* levers = motion->chain_lever + body->first_chain;
    row[0] = (ChainSum){0};

    for (int32_t k = 1; k < body->chain_count; ++k) {
        const FrameRate* rate = &motion->rates[frame[k]];
        const double lever = levers[k];
        const double before = row[k - 1].turn;
        const double arc = lever * rate->turn_most;

        row[k].turn = before + rate->turn_most;
        row[k].speed = row[k - 1].speed + arc + rate->slide_most;
        row[k].lever = row[k - 1].lever + arc + rate->slide_most;
        row[k].bend = row[k - 1].bend + arc * (rate->turn_most + 2.0 * before) +
                      rate->slide_most * 2.0 * before + lever * rate->turn_bend + rate->slide_bend;
        row[k].error = row[k - 1].error + lever * rate->turn_error + rate->slide_error;
    }
}

bool bi_motion_place(BerthMotionChecker* motion, Span span) {
    const BerthScene* scene = motion->scene;
    if (!bi_check_place(motion->checker, motion->values)) {
        return false;
    }
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        find_twists(motion, &scene->robots[r]);
    }
    for (int32_t i = 0; i < scene->body_count; ++i) {
        if (motion->bodies[i].chain_count > 1) {
            find_levers(motion, i, span.half);
            sum_chain(motion, i);
        }
    }
    return true;
}

// ---- values that keep their limits ------------------------------------------------------------------------------

// Pairs that need no search: proven apart by their robot's table while all of its values are within their limits
// (docs/theory/proof.md, Proven tables). Whether they are is tested for each segment as a whole, tracking error included; a
// pair of a robot that leaves its limits anywhere on it is checked on all of it.

// Control points of a curve are rounded; a proof covers a little more than the limits (BI_PROOF_WIDER).
static const double ROUNDING_MOST = 0.1 * BI_PROOF_WIDER;

// Where a value can be: a straight line is between its ends, a curve between its least and its greatest control point.
static void control_value_range(const BerthSegment* segment, int32_t at, double* low, double* high) {
    *low = fmin(segment->from[at], segment->to[at]);
    *high = fmax(segment->from[at], segment->to[at]);
    if (segment->curves == NULL) {
        return;
    }

    double point[BERTH_CURVE_TERMS];
    bi_curve_control_points(&segment->curves[at], point);
    for (int i = 0; i < BERTH_CURVE_TERMS; ++i) {
        *low = fmin(*low, point[i]);
        *high = fmax(*high, point[i]);
    }
}

static bool keeps_limits(const BerthMotionChecker* motion, const BerthSegment* segment,
                         const RobotValue* value, int32_t at) {
    double low, high;
    control_value_range(segment, at, &low, &high);

    const double away = motion->function != NULL ? 0.5 * motion->function->speeds[at] : 0.0;
    const double lost = segment->curves != NULL ? segment->curves[at].error : 0.0;
    const double error = motion->tracking_error[at] + away + lost;
    const double size = 1.0 + fmax(fabs(value->lower), fabs(value->upper));
    const double rounding = segment->curves != NULL ? ROUNDING_MOST * size : 0.0;
    return low - error >= value->lower - rounding && high + error <= value->upper + rounding;
}

void bi_motion_find_within(BerthMotionChecker* motion, const BerthSegment* segment) {
    const BerthScene* scene = motion->scene;
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        bool within = scene->proven_count > 0;
        for (int32_t i = 0; i < robot->value_count && within; ++i) {
            const RobotValue* value = &robot->robot->values[i];
            within = !value->has_limits || keeps_limits(motion, segment, value, robot->first_value + i);
        }
        motion->within[r] = within;
    }
}

bool bi_motion_is_proven(const BerthMotionChecker* motion, int32_t index) {
    const ScenePair* pair = &motion->scene->pairs[motion->pairs[index].pair];
    return pair->proven_gap > bi_motion_margin(motion, pair) &&
           motion->within[motion->scene->bodies[pair->body_a].robot];
}

bool bi_motion_query_skip_proven(SegmentQuery* query, int32_t index) {
    const BerthMotionChecker* motion = query->motion;
    const int32_t at = motion->pairs[index].pair;
    const ScenePair* pair = &motion->scene->pairs[at];
    if (!bi_motion_is_proven(motion, index)) {
        return false;
    }

    // On the whole segment: its middle and its half are those of [0, 1].
    if (query->request->certificate != NULL) {
        const CertificateRecord record = {.pair = at, .kind = PROOF_TABLE, .bound = pair->proven_gap};
        if (!bi_certificate_record_proof(query->request->certificate, (Span){0.5, 0.5},
                                         bi_motion_margin(motion, pair), &record)) {
            query->full = true;
        }
    }

    query->clearances[pair->self] = fmin(query->clearances[pair->self], pair->proven_gap);
    query->out->proven_count += 1;
    return true;
}
