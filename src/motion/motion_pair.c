// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One pair on one interval, cheapest proof first: balls, the plane that served last, hulls, and at last the bodies
// themselves. docs/motion.md derives each bound.

#include <float.h>

#include "motion/motion.h"
#include "shape/gap.h"

#define GROWN (1.0 + 0x1p-40)
/// Bodies whose hulls meet are rarely further apart than this share of their size: asking earlier is wasted work.
#define SHARE 0.25

/// What a pair can do on the interval, seen from the ancestor their chains share.
typedef struct Reach {
    const ScenePair* pair;
    const MotionPair* ends;
    double half;
    double travel, bend, needed, slack;  // as PairBounds
    int32_t index;
    bool sharp;  // bi_motion_reach was asked
} Reach;

// Each joint by the nearer side: asked for where the sums along the chains did not do, before work that costs more.
static void sharpen(const BerthMotion* motion, Reach* reach) {
    if (reach->sharp) {
        return;
    }
    const PairReach pair = bi_motion_reach(motion, reach->index, reach->half);
    const double travel = reach->half * pair.speed;
    const double needed = motion->margin + reach->pair->padding + pair.error + reach->slack;
    reach->travel = travel < reach->travel ? travel : reach->travel;
    reach->needed = needed < reach->needed ? needed : reach->needed;
    reach->sharp = true;
}

// Chains of bodies without an end bound nothing.
static Reach reach_endless(const BerthMotion* motion, Reach reach) {
    const PairReach pair = bi_motion_reach(motion, reach.index, reach.half);
    reach.travel = reach.half * pair.speed;
    reach.bend = 0.5 * reach.half * reach.half * pair.bend;
    reach.needed = motion->margin + reach.pair->padding + pair.error + reach.slack;
    reach.sharp = true;
    return reach;
}

static Reach reach_of(const BerthMotion* motion, int32_t index, double half) {
    const MotionPair* ends = &motion->pairs[index];
    const ScenePair* pair = &motion->scene->pairs[ends->pair];
    const MotionBody* a = &motion->bodies[pair->body_a];
    const MotionBody* b = &motion->bodies[pair->body_b];
    Reach reach = {.pair = pair, .ends = ends, .half = half, .index = index};
    const CheckBody* states = motion->checker->bodies;
    reach.slack = 2.0 * BI_DISTANCE_SLACK * (states[pair->body_a].size + states[pair->body_b].size);
    if (ends->endless) {
        return reach_endless(motion, reach);
    }
    double speed = 0.0;
    double bend = 0.0;
    for (int side = 0; side < 2; ++side) {
        const MotionBody* body = side == 0 ? a : b;
        const ChainSum* rows = motion->chains + body->first_chain;
        const ChainSum* low = &rows[side == 0 ? ends->row_a : ends->row_b];
        const ChainSum* high = &rows[body->chain_count - 1];
        speed += high->speed - low->speed;
        bend += (high->bend - low->bend) - 2.0 * low->turn * (high->lever - low->lever);
        // The subtraction leaves rounding of the larger numbers.
        bend += 0x1p-40 * high->bend;
        speed += 0x1p-40 * high->speed;
    }
    reach.travel = half * speed * GROWN;
    reach.bend = 0.5 * half * half * (bend < 0.0 ? 0.0 : bend) * GROWN;  // NaN stays, and proves nothing
    reach.bend = motion->function != NULL ? (double)INFINITY : reach.bend;
    reach.needed = motion->margin + pair->padding + bi_motion_error(motion, ends) + reach.slack;
    return reach;
}

double bi_motion_error(const BerthMotion* motion, const MotionPair* ends) {
    const ScenePair* pair = &motion->scene->pairs[ends->pair];
    double error = 0.0;
    for (int side = 0; side < 2; ++side) {
        const MotionBody* body = &motion->bodies[side == 0 ? pair->body_a : pair->body_b];
        const ChainSum* rows = motion->chains + body->first_chain;
        const ChainSum* high = &rows[body->chain_count - 1];
        error += (high->error - rows[side == 0 ? ends->row_a : ends->row_b].error) + 0x1p-40 * high->error;
    }
    return error * GROWN;
}

PairBounds bi_motion_bounds(const BerthMotion* motion, int32_t index, double half) {
    Reach reach = reach_of(motion, index, half);
    sharpen(motion, &reach);
    return (PairBounds){reach.travel, reach.bend, reach.needed, reach.slack};
}

// Balls: along the line of centres their gap changes by the relative speed, and by the bend. In `travel` terms too.
static double ball_gap(const BerthMotion* motion, const Reach* reach, Vec3* normal) {
    const CheckBody* a = &motion->checker->bodies[reach->pair->body_a];
    const CheckBody* b = &motion->checker->bodies[reach->pair->body_b];
    const Vec3 apart = v3_sub(b->centre, a->centre);
    const double distance = v3_length(apart);
    const Vec3 n = v3_unit_or(apart, v3(0, 0, 1));
    const double gap = distance - a->radius - b->radius;
    const Twist ta =
        twist_against(motion, motion->scene->bodies[reach->pair->body_a].frame, reach->ends->ancestor);
    const Twist tb =
        twist_against(motion, motion->scene->bodies[reach->pair->body_b].frame, reach->ends->ancestor);
    const Vec3 closing = v3_sub(twist_velocity(&ta, a->centre), twist_velocity(&tb, b->centre));
    const double second = fabs(v3_dot(n, closing)) * reach->half * GROWN + reach->bend;
    *normal = n;
    return gap - (second < reach->travel ? second : reach->travel);
}

static double centre_distance(const BerthMotion* motion, const Reach* reach) {
    return v3_distance(motion->checker->bodies[reach->pair->body_a].centre,
                       motion->checker->bodies[reach->pair->body_b].centre);
}

static double larger_radius(const BerthMotion* motion, const Reach* reach) {
    return fmax(motion->checker->bodies[reach->pair->body_a].radius,
                motion->checker->bodies[reach->pair->body_b].radius);
}

/// How far a body's hull reaches along a direction at both ends of the interval, to first order.
typedef struct Support {
    double before, after;
    double loss;  // of floats, included
} Support;

// Largest n . x(t) over the hull at t = -half and t = +half. x(t) is linear in its place: n . (x + t v(x)).
static Support support_of(const BerthMotion* motion, int32_t body, const Reach* reach, Vec3 n) {
    const MotionHull* hull = &motion->bodies[body].hull;
    const int32_t frame = motion->scene->bodies[body].frame;
    const Twist twist = twist_against(motion, frame, reach->ends->ancestor);
    // n . v(x) = n . origin + (n x spin) . x
    const Vec3 lever = v3_cross(n, twist.spin);
    const double drift = v3_dot(n, twist.origin) * reach->half;
    Vec3 before = v3_mad(n, -reach->half, lever);
    Vec3 after = v3_mad(n, reach->half, lever);
    double shift_before = -drift;
    double shift_after = drift;
    if (frame >= 0) {
        const Pose* pose = &motion->checker->world_from_frame[frame];
        shift_before += v3_dot(before, pose->t);
        shift_after += v3_dot(after, pose->t);
        before = pose_turn_back(pose, before);
        after = pose_turn_back(pose, after);
    }
    const float first[3] = {(float)before.x, (float)before.y, (float)before.z};
    const float second[3] = {(float)after.x, (float)after.y, (float)after.z};
    float most[2];
    motion->checker->query->kernels->hull_reach(motion->points + hull->first, hull->stride, first, second,
                                                most);
    // Floats: each point and each direction is off by a rounding, and so is every operation.
    const double slack =
        16.0 * BI_ULP_F * hull->size * (1.0 + v3_length(before) + v3_length(after)) + FLT_MIN;
    Support out = {(double)most[0] + slack, (double)most[1] + slack, slack};
    out.before += shift_before;
    out.after += shift_after;
    return out;
}

/// What one direction n, fixed in the ancestor's frame, says about a pair.
typedef struct Plane {
    double gap;     // lower bound of the gap on the whole interval
    double middle;  // and at its middle: a support is convex, so it is at most the mean of its ends
    double loss;    // of floats: in double it may be this much more
} Plane;

static Plane plane_across(const BerthMotion* motion, const Reach* reach, Vec3 n) {
    const Support a = support_of(motion, reach->pair->body_a, reach, n);
    const Support b = support_of(motion, reach->pair->body_b, reach, v3_neg(n));
    const double before = -b.before - a.before;
    const double after = -b.after - a.after;
    return (Plane){(before < after ? before : after) - reach->bend, 0.5 * (before + after),
                   2.0 * (a.loss + b.loss)};
}

/// The hulls of two bodies at the middle: a lower bound of their gap and the direction across it.
typedef struct HullGap {
    double lower;
    Vec3 normal;
} HullGap;

static HullGap hull_gap(BerthMotion* motion, const Reach* reach, double stop_above, BerthMotionStats* stats) {
    const BerthScene* scene = motion->scene;
    const SceneBody* a = &scene->bodies[reach->pair->body_a];
    const SceneBody* b = &scene->bodies[reach->pair->body_b];
    HullGap out = {INFINITY, {0, 0, 0}};
    for (int32_t i = a->first_part; i < a->first_part + a->part_count; ++i) {
        for (int32_t j = b->first_part; j < b->first_part + b->part_count; ++j) {
            const Pose* world_from_a = &motion->checker->world_from_part[i];
            const Pose a_from_b = pose_between(world_from_a, &motion->checker->world_from_part[j]);
            const BerthGap gap =
                bi_shape_gap(&motion->part_hulls[i], &motion->part_hulls[j], &a_from_b, stop_above);
            stats->counters.shape_tests += 1;
            if (!(gap.lower >= out.lower)) {
                out.lower = gap.lower > -DBL_MAX ? gap.lower : -INFINITY;
                // To the last digit: a plane across a longer direction would promise more than there is.
                out.normal = v3_unit_or(pose_turn(world_from_a, gap.normal), v3(0, 0, 0));
            }
        }
    }
    return out;
}

/// The verifier rounds its own sums of what bodies can do: bounds that are found are smaller by this share of that, so that
/// it needs no luck.
#define SURE_SHARE 0x1p-30

// A distance that is enough: larger ones need not be told apart.
static double distance_wanted(const Reach* reach) {
    return reach->needed + reach->travel * (1.0 + 2.0 * SURE_SHARE);
}

// True when the gap that is left is enough. What is above the margin then, after padding, tracking error and slack, is
// a clearance that holds on the interval. `kind` and `n` are for the certificate.
static bool proven(const BerthMotion* motion, double gap, const Reach* reach, PairProof* proof,
                   ProofKind kind, Vec3 n) {
    const double eaten = kind == PROOF_DISTANCE || reach->travel < reach->bend ? reach->travel : reach->bend;
    const double sure = gap - SURE_SHARE * eaten;
    if (!(sure > reach->needed)) {
        return false;
    }
    const double bound = sure - (reach->needed - motion->margin);
    *proof->clearance = bound < *proof->clearance ? bound : *proof->clearance;
    proof->kind = kind;
    proof->direction = n;
    proof->bound = bound;
    return true;
}

static void ask(BerthMotion* motion, const Reach* reach, double max_d, PairProof* proof) {
    const PairRequest wanted = {.max_d = max_d, .enough = max_d};
    bi_check_pair(motion->checker, reach->pair, &wanted, &proof->hit);
    BerthCounters* counters = &proof->stats->counters;
    counters->bv_tests += proof->hit.counters.bv_tests;
    counters->leaf_tests += proof->hit.counters.leaf_tests;
    counters->shape_tests += proof->hit.counters.shape_tests;
}

// The bodies themselves at the middle: a hit, or further apart than they can travel. Two yes-or-no questions are
// cheaper than one distance. `*apart`: no hit, for certain.
static PairState ask_bodies(BerthMotion* motion, const Reach* reach, PairProof* proof, bool* apart) {
    ask(motion, reach, motion->margin, proof);
    *apart = proof->hit.verdict == BERTH_FREE;
    if (proof->hit.verdict == BERTH_COLLISION) {
        return PAIR_HIT;
    }
    if (*apart) {
        ask(motion, reach, distance_wanted(reach) - reach->pair->padding, proof);
        if (proven(motion, proof->hit.lower + reach->pair->padding - reach->travel, reach, proof,
                   PROOF_DISTANCE, v3(0, 0, 0))) {
            return PAIR_FREE;
        }
    }
    return PAIR_OPEN;
}

// Held in the half-space's own frame, its normal is the best plane there is.
static double half_space_gap(const BerthMotion* motion, const Reach* reach) {
    const bool first = reach->ends->half_space == 0;
    const int32_t space = first ? reach->pair->body_a : reach->pair->body_b;
    const int32_t other = first ? reach->pair->body_b : reach->pair->body_a;
    const int32_t part = motion->scene->bodies[space].first_part;
    const Pose* pose = &motion->checker->world_from_part[part];
    const Vec3 n = pose_turn(pose, motion->part_hulls[part].as.halfspace.normal);
    const double offset = motion->part_hulls[part].as.halfspace.offset + v3_dot(n, pose->t);
    const Support low = support_of(motion, other, reach, v3_neg(n));
    return -(low.before > low.after ? low.before : low.after) - offset - reach->bend;
}

static bool is_bounded(const BerthMotion* motion, const Reach* reach) {
    return motion->bodies[reach->pair->body_a].hull.stride > 0 &&
           motion->bodies[reach->pair->body_b].hull.stride > 0;
}

// The plane across n between all parts' hulls, in double: floats lose a micrometre.
static bool exact_plane(const BerthMotion* motion, const Reach* reach, Vec3 n, PairProof* proof) {
    const BerthScene* scene = motion->scene;
    const SceneBody* a = &scene->bodies[reach->pair->body_a];
    const SceneBody* b = &scene->bodies[reach->pair->body_b];
    const Twist ta = twist_against(motion, a->frame, reach->ends->ancestor);
    const Twist tb = twist_against(motion, b->frame, reach->ends->ancestor);
    double least = INFINITY;
    for (int32_t i = a->first_part; i < a->first_part + a->part_count; ++i) {
        for (int32_t k = b->first_part; k < b->first_part + b->part_count; ++k) {
            const double gap = bi_convex_plane(&motion->part_hulls[i], &motion->checker->world_from_part[i],
                                               &ta, &motion->part_hulls[k],
                                               &motion->checker->world_from_part[k], &tb, n, reach->half);
            least = gap < least ? gap : least;
            proof->stats->counters.shape_tests += 1;
        }
    }
    // The verifier's slack grows with the form whose support it takes, n +- half (n x spin).
    const double form = 1.0 + reach->half * (v3_length(ta.spin) + v3_length(tb.spin));
    return proven(motion, least - reach->bend - reach->slack * form, reach, proof, PROOF_PLANE, n);
}

// Planes between hulls. `*parted`: the hulls are apart at the middle, so there is no hit, and shorter intervals will
// find a plane.
static bool second_order(BerthMotion* motion, int32_t index, const Reach* reach, Vec3 across,
                         PairProof* proof, bool* parted) {
    *parted = false;
    if (!is_bounded(motion, reach)) {
        return reach->ends->half_space >= 0 &&
               proven(motion, half_space_gap(motion, reach), reach, proof, PROOF_HALF_SPACE, v3(0, 0, 0));
    }
    Vec3* last = &motion->normals[index];
    const Vec3 tries[2] = {v3_length_sq(*last) > 0.5 ? *last : across, across};
    for (int k = 0; k < (v3_length_sq(*last) > 0.5 ? 2 : 1); ++k) {
        const Plane plane = plane_across(motion, reach, tries[k]);
        if (proven(motion, plane.gap, reach, proof, PROOF_PLANE, tries[k]) ||
            (plane.gap + plane.loss > reach->needed && exact_plane(motion, reach, tries[k], proof))) {
            *last = tries[k];
            return true;
        }
        // Apart at the middle, and so much motion that half of it would still be too much: no need to look closer yet.
        if (plane.middle > reach->needed && reach->needed - plane.gap > 0.5 * (plane.middle - plane.gap)) {
            *parted = true;
            return false;
        }
    }
    const HullGap hulls = hull_gap(motion, reach, distance_wanted(reach), proof->stats);
    if (proven(motion, hulls.lower - reach->travel, reach, proof, PROOF_DISTANCE, v3(0, 0, 0))) {
        return true;
    }
    *parted = hulls.lower > reach->needed && v3_length_sq(hulls.normal) > 0.5;
    if (*parted) {
        *last = hulls.normal;
        const Plane plane = plane_across(motion, reach, hulls.normal);
        return proven(motion, plane.gap, reach, proof, PROOF_PLANE, hulls.normal) ||
               (plane.gap + plane.loss > reach->needed && exact_plane(motion, reach, hulls.normal, proof));
    }
    return false;
}

// No gap changes by more than delta, or by more than rounding. Two half-spaces that turn have no bound, and shorter
// intervals have none either.
static bool is_tight(const BerthMotion* motion, const Reach* reach) {
    const double least = motion->delta > reach->slack ? motion->delta : reach->slack;
    return !(2.0 * reach->travel > least && reach->travel < (double)INFINITY);
}

// So short that what is left is decided here, by the local method.
static bool is_near(const BerthMotion* motion, const Reach* reach) {
    return 2.0 * reach->travel <= motion->local_from;
}

// The bodies are apart at the middle, and the interval is short. Beside delta it is a last resort; without, the way to decide.
static PairState decide(BerthMotion* motion, const Reach* reach, Span span, PairProof* proof) {
    enum { LAST_RESORT = 4096 };
    if (proof->recorded) {
        return proof->tight ? PAIR_CLOSE : PAIR_OPEN;
    }
    const bool beside = motion->delta > 0.0;
    const int64_t tests = beside ? LAST_RESORT : motion->checker->query->node_budget;
    const PairState state = bi_motion_local(motion, motion->segment, reach->index, span, NULL, tests, proof);
    proof->spent = proof->spent && !beside;
    if (state == PAIR_OPEN) {
        return proof->tight ? PAIR_CLOSE : PAIR_OPEN;
    }
    proof->tight = true;
    return state;
}

PairState bi_motion_pair(BerthMotion* motion, int32_t index, Span span, PairProof* proof) {
    Reach reach = reach_of(motion, index, span.half);
    proof->stats->pair_tests += 1;
    proof->t = span.middle;
    proof->t_low = span.middle - span.half;
    proof->tight = is_tight(motion, &reach);
    Vec3 across;
    if (proven(motion, ball_gap(motion, &reach, &across), &reach, proof, PROOF_BALLS, v3(0, 0, 0))) {
        return PAIR_FREE;
    }
    if (motion->has_error) {  // which stays on short intervals: what is too much here is too much for ever
        sharpen(motion, &reach);
        proof->tight = is_tight(motion, &reach);
    }
    // No plane leaves more than the distance of the centres, and no gap is much of that and a radius. Where the
    // motion alone eats that up, there is nothing to prove here.
    const double apart = centre_distance(motion, &reach);
    const bool no_plane = is_bounded(motion, &reach) && reach.bend + reach.needed > apart;
    if (no_plane && !proof->tight &&
        reach.travel + reach.needed > SHARE * (apart + larger_radius(motion, &reach))) {
        ask(motion, &reach, motion->margin, proof);
        return proof->hit.verdict == BERTH_COLLISION ? PAIR_HIT : PAIR_OPEN;
    }
    if (motion->method != BERTH_METHOD_ADAPTIVE && !no_plane) {
        bool parted = false;
        if (second_order(motion, index, &reach, across, proof, &parted)) {
            return PAIR_FREE;
        }
        if (parted && !proof->tight) {
            return PAIR_OPEN;
        }
    }
    sharpen(motion, &reach);
    proof->tight = is_tight(motion, &reach);
    bool disjoint = false;
    const PairState state = ask_bodies(motion, &reach, proof, &disjoint);
    if (state != PAIR_OPEN || !(proof->tight || is_near(motion, &reach))) {
        return state;
    }
    if (disjoint) {
        return decide(motion, &reach, span, proof);
    }
    proof->spent = proof->hit.reason == BERTH_REASON_BUDGET;
    return PAIR_CLOSE;
}
