// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One pair on one interval, cheapest proof first: balls, the plane that served last, hulls, and finally the
// bodies themselves. docs/theory/motion.md derives each bound.
// Entry: bi_motion_prove_pair, at the end. bi_motion_pair_bounds and bi_motion_pair_tracking_error serve the
// other methods.

#include <float.h>

#include "motion/motion.h"
#include "shape/gap.h"

/// Bodies whose hulls meet are rarely further apart than this share of their size: measuring them earlier is wasted work.
#define BODIES_SHARE 0.25

/// The pair that is tried, and what it can do on the interval.
typedef struct PairQuery {
    const ScenePair* pair;
    const MotionPair* ends;
    int32_t index;   // of motion->pairs
    double half;     // of the interval
    double padding;  // at its middle
    PairBounds bounds;
    bool tightened;  // by bi_motion_bound_pair_rates
    bool commanded;  // tracking error is left out
} PairQuery;

// Bounds that take each joint by the nearer side: for where the sums along the chains did not do, before work that costs
// more.
static void tighten_bounds(const BerthMotionChecker* motion, PairQuery* query) {
    if (query->tightened) {
        return;
    }
    const PairRates pair = bi_motion_bound_pair_rates(motion, query->index, query->half);
    const double travel = query->half * pair.speed;
    const double error = query->commanded ? 0.0 : pair.error;
    const double needed =
        bi_motion_margin(motion, query->pair) + query->padding + error + query->bounds.slack;
    query->bounds.travel = travel < query->bounds.travel ? travel : query->bounds.travel;
    query->bounds.needed = needed < query->bounds.needed ? needed : query->bounds.needed;
    query->tightened = true;
}

// Chains of bodies without an end bound nothing.
static PairQuery endless_pair_query(const BerthMotionChecker* motion, PairQuery query) {
    const PairRates pair = bi_motion_bound_pair_rates(motion, query.index, query.half);
    query.bounds.travel = query.half * pair.speed;
    query.bounds.bend = 0.5 * query.half * query.half * pair.bend;
    query.bounds.needed = bi_motion_margin(motion, query.pair) + query.padding +
                          (query.commanded ? 0.0 : pair.error) + query.bounds.slack;
    query.tightened = true;
    return query;
}

// By the sums along the chains above both bodies, below the ancestor that they share.
static PairQuery pair_query(const BerthMotionChecker* motion, int32_t index, double half, bool commanded) {
    const MotionPair* ends = &motion->pairs[index];
    const ScenePair* pair = &motion->scene->pairs[ends->pair];
    const MotionBody* a = &motion->bodies[pair->body_a];
    const MotionBody* b = &motion->bodies[pair->body_b];
    PairQuery query = {.pair = pair,
                       .ends = ends,
                       .half = half,
                       .index = index,
                       .commanded = commanded,
                       .padding = bi_check_padding(motion->checker, pair)};
    const double reach_rate = bi_motion_reach_rate(motion, motion->segment, pair);

    const CheckBody* states = motion->checker->bodies;
    query.bounds.slack = 2.0 * BI_DISTANCE_SLACK * (states[pair->body_a].size + states[pair->body_b].size);
    query.bounds.nearing = half * reach_rate * MOTION_GROWN;
    if (ends->endless) {
        return endless_pair_query(motion, query);
    }

    // Over both chains, from the ancestor they share to the body.
    double speed = reach_rate;
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

    query.bounds.travel = half * speed * MOTION_GROWN;
    // NaN stays, and proves nothing.
    query.bounds.bend = 0.5 * half * half * (bend < 0.0 ? 0.0 : bend) * MOTION_GROWN;
    if (motion->function != NULL) {
        query.bounds.bend = (double)INFINITY;
    }

    query.bounds.needed = bi_motion_margin(motion, pair) + query.padding +
                          (commanded ? 0.0 : bi_motion_pair_tracking_error(motion, ends)) +
                          query.bounds.slack;
    return query;
}

double bi_motion_pair_tracking_error(const BerthMotionChecker* motion, const MotionPair* ends) {
    const ScenePair* pair = &motion->scene->pairs[ends->pair];
    double error = 0.0;
    for (int side = 0; side < 2; ++side) {
        const MotionBody* body = &motion->bodies[side == 0 ? pair->body_a : pair->body_b];
        const ChainSum* rows = motion->chains + body->first_chain;
        const ChainSum* high = &rows[body->chain_count - 1];
        error += (high->error - rows[side == 0 ? ends->row_a : ends->row_b].error) + 0x1p-40 * high->error;
    }
    return error * MOTION_GROWN;
}

PairBounds bi_motion_pair_bounds(const BerthMotionChecker* motion, int32_t index, double half) {
    PairQuery query = pair_query(motion, index, half, false);
    tighten_bounds(motion, &query);
    return query.bounds;
}

// Gap of the balls on the whole interval: along the line of centres it changes by the relative speed and by the bend, and by
// no more than `travel`.
static double ball_gap(const BerthMotionChecker* motion, const PairQuery* query, Vec3* normal) {
    const CheckBody* a = &motion->checker->bodies[query->pair->body_a];
    const CheckBody* b = &motion->checker->bodies[query->pair->body_b];
    const Vec3 apart = v3_sub(b->centre, a->centre);
    const double distance = v3_length(apart);
    const Vec3 n = v3_unit_or(apart, v3(0, 0, 1));
    const double gap = distance - a->radius - b->radius;

    // Their relative speed along n, seen from the ancestor.
    const Twist ta =
        twist_against(motion, motion->scene->bodies[query->pair->body_a].frame, query->ends->ancestor);
    const Twist tb =
        twist_against(motion, motion->scene->bodies[query->pair->body_b].frame, query->ends->ancestor);
    const Vec3 closing = v3_sub(twist_velocity(&ta, a->centre), twist_velocity(&tb, b->centre));
    const double second =
        fabs(v3_dot(n, closing)) * query->half * MOTION_GROWN + query->bounds.nearing + query->bounds.bend;

    *normal = n;
    return gap - (second < query->bounds.travel ? second : query->bounds.travel);
}

static double centre_distance(const BerthMotionChecker* motion, const PairQuery* query) {
    return v3_distance(motion->checker->bodies[query->pair->body_a].centre,
                       motion->checker->bodies[query->pair->body_b].centre);
}

static double larger_radius(const BerthMotionChecker* motion, const PairQuery* query) {
    return fmax(motion->checker->bodies[query->pair->body_a].radius,
                motion->checker->bodies[query->pair->body_b].radius);
}

/// How far a body's hull reaches along a direction at both ends of the interval, to first order.
typedef struct Support {
    double before, after;
    double loss;  // of floats, included
} Support;

// Largest n . x(t) over the hull at t = -half and t = +half. x(t) is linear in its place: n . (x + t v(x)).
static Support support_of(const BerthMotionChecker* motion, int32_t body, const PairQuery* query, Vec3 n) {
    const MotionHull* hull = &motion->bodies[body].hull;
    const int32_t frame = motion->scene->bodies[body].frame;
    const Twist twist = twist_against(motion, frame, query->ends->ancestor);
    // n . v(x) = n . origin + (n x spin) . x
    const Vec3 lever = v3_cross(n, twist.spin);
    const double drift = v3_dot(n, twist.origin) * query->half;
    Vec3 before = v3_mad(n, -query->half, lever);
    Vec3 after = v3_mad(n, query->half, lever);
    double shift_before = -drift;
    double shift_after = drift;

    // Seen from the body's own frame, as the hull's points are.
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
    motion->checker->query->kernels->hull_supports(motion->points + hull->first, hull->stride, first, second,
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

static Plane plane_across(const BerthMotionChecker* motion, const PairQuery* query, Vec3 n) {
    const Support a = support_of(motion, query->pair->body_a, query, n);
    const Support b = support_of(motion, query->pair->body_b, query, v3_neg(n));
    const double before = -b.before - a.before + query->bounds.nearing * MOTION_SHRUNK;
    const double after = -b.after - a.after - query->bounds.nearing;
    return (Plane){(before < after ? before : after) - query->bounds.bend, 0.5 * (before + after),
                   2.0 * (a.loss + b.loss)};
}

/// The hulls of two bodies at the middle: a lower bound of their gap and the direction across it.
typedef struct HullGap {
    double lower;
    Vec3 normal;
} HullGap;

static HullGap hull_gap(BerthMotionChecker* motion, const PairQuery* query, double stop_above,
                        BerthMotionStats* stats) {
    const BerthScene* scene = motion->scene;
    const SceneBody* a = &scene->bodies[query->pair->body_a];
    const SceneBody* b = &scene->bodies[query->pair->body_b];
    HullGap out = {INFINITY, {0, 0, 0}};

    for (int32_t i = a->first_part; i < a->first_part + a->part_count; ++i) {
        for (int32_t j = b->first_part; j < b->first_part + b->part_count; ++j) {
            const Pose* world_from_a = &motion->checker->world_from_part[i];
            const Pose a_from_b = pose_between(world_from_a, &motion->checker->world_from_part[j]);
            const BerthGap gap =
                bi_shape_gap_if_apart(&motion->part_hulls[i], &motion->part_hulls[j], &a_from_b, stop_above);
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

// A distance that is enough: larger ones need not be resolved.
static double distance_wanted(const PairQuery* query) {
    return query->bounds.needed + query->bounds.travel * (1.0 + 2.0 * SURE_SHARE);
}

// Writes the proof when the gap that is left is enough, else returns false. What is above the margin then, after padding,
// tracking error and slack, is a clearance that holds on the interval. `kind` and `n` are for the certificate.
static bool prove_by_gap(const BerthMotionChecker* motion, double gap, const PairQuery* query,
                         PairProof* proof, ProofKind kind, Vec3 n) {
    const double eaten = kind == PROOF_DISTANCE || query->bounds.travel < query->bounds.bend
                             ? query->bounds.travel
                             : query->bounds.bend;
    const double sure = gap - SURE_SHARE * eaten;
    if (!(sure > query->bounds.needed)) {
        return false;
    }

    const double bound = sure - (query->bounds.needed - bi_motion_margin(motion, query->pair));
    *proof->clearance = bound < *proof->clearance ? bound : *proof->clearance;
    proof->kind = kind;
    proof->direction = n;
    proof->bound = bound;
    proof->taken = gap + query->bounds.travel - bound;
    return true;
}

// The static check at the middle: are the bodies further apart than max_d?
static void check_bodies(BerthMotionChecker* motion, const PairQuery* query, double max_d, PairProof* proof) {
    const PairRequest wanted = {.max_d = max_d, .enough = max_d};
    bi_check_pair(motion->checker, query->pair, &wanted, &proof->hit);
    counters_add(&proof->stats->counters, &proof->hit.counters);
}

// The bodies themselves at the middle: a hit, or further apart than they can travel. Two yes-or-no questions are
// cheaper than one distance. `*apart`: no hit, for certain.
static PairState try_bodies(BerthMotionChecker* motion, const PairQuery* query, PairProof* proof,
                            bool* apart) {
    check_bodies(motion, query, bi_motion_margin(motion, query->pair), proof);
    *apart = proof->hit.verdict == BERTH_FREE;
    if (proof->hit.verdict == BERTH_COLLISION) {
        return PAIR_COLLISION;
    }

    if (*apart) {
        check_bodies(motion, query, distance_wanted(query) - query->padding, proof);
        if (prove_by_gap(motion, proof->hit.lower + query->padding - query->bounds.travel, query, proof,
                         PROOF_DISTANCE, v3(0, 0, 0))) {
            return PAIR_FREE;
        }
    }
    return PAIR_OPEN;
}

// Held in the half-space's own frame, its normal is the best plane there is.
static double half_space_gap(const BerthMotionChecker* motion, const PairQuery* query) {
    const bool first = query->ends->half_space == 0;
    const int32_t space = first ? query->pair->body_a : query->pair->body_b;
    const int32_t other = first ? query->pair->body_b : query->pair->body_a;
    const int32_t part = motion->scene->bodies[space].first_part;
    const Pose* pose = &motion->checker->world_from_part[part];
    const Vec3 n = pose_turn(pose, motion->part_hulls[part].as.halfspace.normal);
    const double offset = motion->part_hulls[part].as.halfspace.offset + v3_dot(n, pose->t);
    const Support low = support_of(motion, other, query, v3_neg(n));
    const double before = -low.before + query->bounds.nearing * MOTION_SHRUNK;
    const double after = -low.after - query->bounds.nearing;
    return (before < after ? before : after) - offset - query->bounds.bend;
}

static bool is_bounded(const BerthMotionChecker* motion, const PairQuery* query) {
    return motion->bodies[query->pair->body_a].hull.stride > 0 &&
           motion->bodies[query->pair->body_b].hull.stride > 0;
}

// The plane across n between all parts' hulls, in double: floats lose a micrometre.
static bool prove_by_exact_plane(const BerthMotionChecker* motion, const PairQuery* query, Vec3 n,
                                 PairProof* proof) {
    const BerthScene* scene = motion->scene;
    const SceneBody* a = &scene->bodies[query->pair->body_a];
    const SceneBody* b = &scene->bodies[query->pair->body_b];
    const Twist ta = twist_against(motion, a->frame, query->ends->ancestor);
    const Twist tb = twist_against(motion, b->frame, query->ends->ancestor);

    double least = INFINITY;
    for (int32_t i = a->first_part; i < a->first_part + a->part_count; ++i) {
        for (int32_t k = b->first_part; k < b->first_part + b->part_count; ++k) {
            const MovingShape of_a = {&motion->part_hulls[i], &motion->checker->world_from_part[i], &ta};
            const MovingShape of_b = {&motion->part_hulls[k], &motion->checker->world_from_part[k], &tb};
            const double gap = bi_convex_plane_gap(&of_a, &of_b, n, query->half, query->bounds.nearing);
            least = gap < least ? gap : least;
            proof->stats->counters.shape_tests += 1;
        }
    }

    // The verifier's slack grows with the form whose support it takes, n +- half (n x spin).
    const double form = 1.0 + query->half * (v3_length(ta.spin) + v3_length(tb.spin));
    return prove_by_gap(motion, least - query->bounds.bend - query->bounds.slack * form, query, proof,
                        PROOF_PLANE, n);
}

// The plane across n in floats; again in double where only their loss is missing.
static bool prove_by_plane(const BerthMotionChecker* motion, const PairQuery* query, const Plane* plane,
                           Vec3 n, PairProof* proof) {
    return prove_by_gap(motion, plane->gap, query, proof, PROOF_PLANE, n) ||
           (plane->gap + plane->loss > query->bounds.needed && prove_by_exact_plane(motion, query, n, proof));
}

// Planes between hulls. `*parted`: the hulls are apart at the middle, so there is no hit, and shorter intervals will
// find a plane.
static bool try_planes(BerthMotionChecker* motion, const PairQuery* query, Vec3 across, PairProof* proof,
                       bool* parted) {
    *parted = false;
    if (!is_bounded(motion, query)) {
        return query->ends->half_space >= 0 && prove_by_gap(motion, half_space_gap(motion, query), query,
                                                            proof, PROOF_HALF_SPACE, v3(0, 0, 0));
    }

    // The plane that served last time serves most often again; then the line of centres.
    Vec3* last = &motion->normals[query->index];
    const bool has_last = v3_length_sq(*last) > 0.5;
    const Vec3 tries[2] = {has_last ? *last : across, across};
    for (int k = 0; k < (has_last ? 2 : 1); ++k) {
        const Plane plane = plane_across(motion, query, tries[k]);
        if (prove_by_plane(motion, query, &plane, tries[k], proof)) {
            *last = tries[k];
            return true;
        }
        // Apart at the middle, and so much motion that half of it would still be too much: no need to look closer yet.
        if (plane.middle > query->bounds.needed &&
            query->bounds.needed - plane.gap > 0.5 * (plane.middle - plane.gap)) {
            *parted = true;
            return false;
        }
    }

    // Across the nearest points of the hulls.
    const HullGap hulls = hull_gap(motion, query, distance_wanted(query), proof->stats);
    if (prove_by_gap(motion, hulls.lower - query->bounds.travel, query, proof, PROOF_DISTANCE, v3(0, 0, 0))) {
        return true;
    }

    *parted = hulls.lower > query->bounds.needed && v3_length_sq(hulls.normal) > 0.5;
    if (*parted) {
        *last = hulls.normal;
        const Plane plane = plane_across(motion, query, hulls.normal);
        return prove_by_plane(motion, query, &plane, hulls.normal, proof);
    }
    return false;
}

// No gap changes by more than delta, or by more than rounding. Two half-spaces that turn have no bound, and shorter
// intervals have none either.
static bool is_tight(const BerthMotionChecker* motion, const PairQuery* query) {
    const double least = motion->delta > query->bounds.slack ? motion->delta : query->bounds.slack;
    return !(2.0 * query->bounds.travel > least && query->bounds.travel < (double)INFINITY);
}

// So short that what is left is decided here, by the local method.
static bool is_short_enough_for_local(const BerthMotionChecker* motion, const PairQuery* query) {
    return 2.0 * query->bounds.travel <= motion->local_from;
}

// The bodies are apart at the middle, and the interval is short. With a delta the local method is a last resort; without,
// it decides.
static PairState decide_locally(BerthMotionChecker* motion, const PairQuery* query, Span span,
                                PairProof* proof) {
    // What is beyond half-spaces is beyond their plane: nothing is gained, and planes are all that can be listed.
    if (proof->recorded && (proof->certificate == NULL || !is_bounded(motion, query))) {
        return proof->tight ? PAIR_CLOSE : PAIR_OPEN;
    }

    const bool last_resort = motion->delta > 0.0;
    const bool decides = proof->tight || 2.0 * query->bounds.travel <= motion->local_last;
    const int64_t tests = bi_motion_local_tests(motion, decides);
    PairState state =
        bi_motion_prove_pair_locally(motion, motion->segment, query->index, span, NULL, tests, proof);
    if (proof->spent && !decides) {
        state = PAIR_OPEN;  // halves of the time
    }
    proof->spent = proof->spent && !last_resort && decides;

    if (state == PAIR_OPEN) {
        return proof->tight ? PAIR_CLOSE : PAIR_OPEN;
    }
    proof->tight = true;
    return state;
}

// At the middle the bodies are nearer than the tracking error there: however short the interval, it is not free.
static bool test_hopeless(BerthMotionChecker* motion, const PairQuery* query, PairProof* proof) {
    const double error = bi_motion_bound_pair_rates(motion, query->index, 0.0).error;
    const double least = bi_motion_margin(motion, query->pair) + error;
    check_bodies(motion, query, least, proof);
    return proof->hit.upper <= least;
}

PairState bi_motion_prove_pair(BerthMotionChecker* motion, int32_t index, Span span, PairProof* proof) {
    PairQuery query = pair_query(motion, index, span.half, proof->commanded);
    proof->stats->pair_tests += 1;
    proof->t = span.middle;
    proof->t_low = span.middle - span.half;
    proof->tight = is_tight(motion, &query);

    // Balls.
    Vec3 across;
    if (prove_by_gap(motion, ball_gap(motion, &query, &across), &query, proof, PROOF_BALLS, v3(0, 0, 0))) {
        return PAIR_FREE;
    }

    if (motion->has_error) {  // which stays on short intervals: what is too much here is too much for ever
        if (proof->may_give_up && test_hopeless(motion, &query, proof)) {
            proof->hopeless = true;
            query = pair_query(motion, index, span.half, true);
        }
        tighten_bounds(motion, &query);
        proof->tight = is_tight(motion, &query);
    }

    // No plane leaves more than the distance of the centres, and no gap is much of that and a radius. Where the
    // motion alone eats that up, there is nothing to prove here.
    const double apart = centre_distance(motion, &query);
    const bool no_plane = is_bounded(motion, &query) && query.bounds.bend + query.bounds.needed > apart;
    if (no_plane && !proof->tight &&
        query.bounds.travel + query.bounds.needed > BODIES_SHARE * (apart + larger_radius(motion, &query))) {
        check_bodies(motion, &query, bi_motion_margin(motion, query.pair), proof);
        return proof->hit.verdict == BERTH_COLLISION ? PAIR_COLLISION : PAIR_OPEN;
    }

    // Planes between the hulls.
    if (motion->method != BERTH_METHOD_ADAPTIVE && !no_plane) {
        bool parted = false;
        if (try_planes(motion, &query, across, proof, &parted)) {
            return PAIR_FREE;
        }
        if (parted && !proof->tight) {
            return PAIR_OPEN;
        }
    }

    // The bodies themselves.
    tighten_bounds(motion, &query);
    proof->tight = is_tight(motion, &query);
    bool disjoint = false;
    const PairState state = try_bodies(motion, &query, proof, &disjoint);
    if (state != PAIR_OPEN || !(proof->tight || is_short_enough_for_local(motion, &query))) {
        return state;
    }

    // Nothing but the local method is left, which needs bodies that are apart at the middle.
    if (disjoint) {
        return decide_locally(motion, &query, span, proof);
    }
    proof->spent = proof->hit.reason == BERTH_REASON_BUDGET;
    return PAIR_CLOSE;
}
