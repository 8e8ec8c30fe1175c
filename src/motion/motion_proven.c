// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Pairs that need no search: proven apart by their robot's table while all of its values are within their limits
// (docs/theory/robot.md, Proven tables). Whether they are is asked of each segment as a whole, tracking error included; a
// pair of a robot that leaves its limits anywhere on it is checked on all of it.
// Entries: bi_motion_find_within, bi_motion_is_proven, bi_segment_query_skip_proven.

#include "motion/motion.h"

// Control points of a curve are rounded; a proof covers a little more than the limits (BI_PROOF_WIDER).
static const double ROUNDING_MOST = 0.1 * BI_PROOF_WIDER;

// Where a value can be: a straight line is between its ends, a curve between its least and its greatest control point.
static void range_of_value(const BerthSegment* segment, int32_t at, double* low, double* high) {
    *low = fmin(segment->from[at], segment->to[at]);
    *high = fmax(segment->from[at], segment->to[at]);
    if (segment->curves == NULL) {
        return;
    }

    // b[i] = sum over k <= i of C(i, k) / C(5, k) term[k], built up from differences.
    static const double choose[BERTH_CURVE_TERMS][BERTH_CURVE_TERMS] = {
        {1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}, {1, 5, 10, 10, 5, 1}};
    const double* term = segment->curves[at].term;
    for (int i = 0; i < BERTH_CURVE_TERMS; ++i) {
        double point = 0.0;
        for (int k = 0; k <= i; ++k) {
            point += choose[i][k] / choose[BERTH_CURVE_TERMS - 1][k] * term[k];
        }
        *low = fmin(*low, point);
        *high = fmax(*high, point);
    }
}

static bool keeps_limits(const BerthMotionChecker* motion, const BerthSegment* segment,
                         const RobotValue* value, int32_t at) {
    double low, high;
    range_of_value(segment, at, &low, &high);

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

bool bi_segment_query_skip_proven(SegmentQuery* query, int32_t index) {
    const BerthMotionChecker* motion = query->motion;
    const int32_t at = motion->pairs[index].pair;
    const ScenePair* pair = &motion->scene->pairs[at];
    if (!bi_motion_is_proven(motion, index)) {
        return false;
    }

    // On the whole segment: its middle and its half are those of [0, 1].
    if (query->request->certificate != NULL) {
        const CertificateRecord record = {.pair = at, .kind = PROOF_TABLE, .bound = pair->proven_gap};
        if (!bi_certificate_record_proof(query->request->certificate, 0.5, 0.5, &record)) {
            query->full = true;
        }
    }

    query->clearances[pair->self] = fmin(query->clearances[pair->self], pair->proven_gap);
    query->out->proven_count += 1;
    return true;
}
