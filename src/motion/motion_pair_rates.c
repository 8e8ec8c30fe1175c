// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How two bodies can move relative to each other on the placed interval, joint by joint: a joint between them
// turns one side rigidly relative to the other, and whichever side is nearer its axis may be regarded as the
// one that moves. docs/theory/motion.md derives it.
// Entries: bi_motion_bound_pair_rates, bi_motion_pair_lambda.

#include "motion/motion.h"

// A joint that does not turn moves nothing, however far its axis is.
static double arc(double lever, double turn) {
    return turn > 0.0 ? lever * turn : 0.0;
}

/// The joints of one side, from the shared ancestor outward.
typedef struct ChainSide {
    int32_t own, other;    // bodies
    int32_t row;           // of the ancestor in the own chain
    double beyond;         // how far the other body's points can go, seen from the ancestor
    bool from_half_space;  // what is bent is seen from the own body
} ChainSide;

// The other body's lever about each of these axes: its distance at the middle, and how far the joints between it and the axis
// can carry it. These are the other's own and those of this side that were met already, met in the other direction: a slide comes
// before the turn of the same frame.
static void add_side(const BerthMotionChecker* motion, const ChainSide* side, double half, PairRates* sum) {
    const MotionBody* body = &motion->bodies[side->own];
    const CheckBody* ball = &motion->checker->bodies[side->other];
    const ChainSum* rows = motion->chains + body->first_chain;
    const int32_t* frame = motion->chain_frame + body->first_chain;
    const double* levers = motion->chain_lever + body->first_chain;
    const double slack = BI_DISTANCE_SLACK * ball->size;
    const double turns_all = rows[body->chain_count - 1].turn;
    double beyond = side->beyond;

    for (int32_t k = side->row + 1; k < body->chain_count; ++k) {
        const FrameRate* rate = &motion->rates[frame[k]];
        const Pose* pose = &motion->checker->world_from_frame[frame[k]];
        beyond += half * rate->slide_most + rate->slide_error;

        const double near = axis_distance(rate, pose, ball->centre) + ball->radius;
        const double other = (near + beyond) * MOTION_GROWN + slack;
        const bool own_side = motion->bound == BERTH_BOUND_GLOBAL && levers[k] < (double)INFINITY;
        const double lever = other < levers[k] && !own_side ? other : levers[k];  // NaN: its own

        sum->speed += arc(lever, rate->turn_most) + rate->slide_most;
        sum->error += arc(lever, rate->turn_error) + rate->slide_error;
        beyond += arc(other, half * rate->turn_most + rate->turn_error);

        if (side->from_half_space) {  // the chain is met from its end, so the turn comes before the slide
            const double before = 2.0 * (turns_all - rows[k].turn + 0x1p-40 * turns_all);
            sum->bend += arc(other, rate->turn_most * (rate->turn_most + before) + rate->turn_bend) +
                         rate->slide_most * (before + 2.0 * rate->turn_most) + rate->slide_bend;
        }
    }
}

// How far a body's points can go, seen from a row of its chain. Bodies that have no end can go anywhere.
static double travel_of_body(const BerthMotionChecker* motion, int32_t index, int32_t row, double half) {
    const MotionBody* body = &motion->bodies[index];
    const ChainSum* rows = motion->chains + body->first_chain;
    const ChainSum* high = &rows[body->chain_count - 1];
    if (!(motion->checker->bodies[index].radius < (double)INFINITY)) {
        return (double)INFINITY;
    }
    return half * (high->speed - rows[row].speed) + (high->error - rows[row].error) +
           0x1p-40 * (high->speed + high->error);
}

PairRates bi_motion_bound_pair_rates(const BerthMotionChecker* motion, int32_t index, double half) {
    const MotionPair* ends = &motion->pairs[index];
    const ScenePair* pair = &motion->scene->pairs[ends->pair];
    const double carried_a = travel_of_body(motion, pair->body_a, ends->row_a, half);
    const double carried_b = travel_of_body(motion, pair->body_b, ends->row_b, half);

    const ChainSide sides[2] = {
        {pair->body_a, pair->body_b, ends->row_a, carried_b, ends->half_space == 0},
        {pair->body_b, pair->body_a, ends->row_b, carried_a, ends->half_space == 1},
    };

    PairRates sum = {0.0, 0.0, 0.0};
    add_side(motion, &sides[0], half, &sum);
    add_side(motion, &sides[1], half, &sum);

    // From a half-space the chain goes on outward to the other body, after all the half-space's turns.
    if (ends->half_space >= 0) {
        const ChainSide* space = &sides[ends->half_space];
        const MotionBody* other = &motion->bodies[space->other];
        const ChainSum* rows = motion->chains + other->first_chain;
        const ChainSum* low = &rows[sides[1 - ends->half_space].row];
        const ChainSum* high = &rows[other->chain_count - 1];
        const ChainSum* turns = motion->chains + motion->bodies[space->own].first_chain;
        const double before =
            turns[motion->bodies[space->own].chain_count - 1].turn - turns[space->row].turn - low->turn;
        sum.bend +=
            (high->bend - low->bend) + 2.0 * before * (high->lever - low->lever) +
            0x1p-40 * (high->bend + turns[motion->bodies[space->own].chain_count - 1].turn * high->lever);
    }

    sum.speed += bi_motion_reach_rate(motion, motion->segment, pair);
    sum.speed *= MOTION_GROWN;
    sum.bend *= MOTION_GROWN;
    sum.error *= MOTION_GROWN;
    return sum;
}

double bi_motion_pair_lambda(const BerthMotionChecker* motion, int32_t index, Span span) {
    return 2.0 * span.half * bi_motion_bound_pair_rates(motion, index, span.half).speed;
}
