// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Bodies that move: free ones under forces (second order, with angular momentum as the state, dampers implicit, as
// many substeps as the stiffest pair needs), and a follower that is led but does not go into what it touches.
// Entries: berth_contact_step, berth_contact_follow.

#include <stddef.h>

#include "contact/contact.h"
#include "math/math.h"

// Most that the phase of the stiffest spring and mass may advance in a substep; 2 is where springs begin to gain energy.
#define STEP_ANGLE 0.2

enum { SUBSTEPS_MOST = 256 };  // beyond it a step is refused

// ---- free bodies ---------------------------------------------------------------------------------------------

// The rotation by the vector `turn` (axis times angle), applied to a pose from outside; the origin stays.
static Pose turned_pose(const Pose* pose, Vec3 turn) {
    const double angle = v3_length(turn);
    if (!(angle > 0.0)) {
        return *pose;
    }

    const Pose by = bi_pose_axis_angle(v3_scale(turn, 1.0 / angle), angle, v3(0.0, 0.0, 0.0));
    Pose out = {pose_turn(&by, pose->x), pose_turn(&by, pose->y), pose_turn(&by, pose->z), pose->t};

    // Rounding of a million steps must not add up to something that is no rotation.
    out.x = v3_unit_or(out.x, pose->x);
    out.y = v3_unit_or(v3_mad(out.y, -v3_dot(out.x, out.y), out.x), pose->y);
    out.z = v3_cross(out.x, out.y);
    return out;
}

// Moves on at the speeds it has.
static void drift_body(Body* body, double dt) {
    const Vec3 centre = v3_mad(pose_apply(&body->world_from_body, body->centroid), dt, body->velocity);

    // Half a turn first: the spin in the middle of the way keeps the energy of a tumbling body.
    Body next = *body;
    next.world_from_body = turned_pose(&body->world_from_body, v3_scale(body->spin, 0.5 * dt));
    next.world_from_body = turned_pose(&body->world_from_body, v3_scale(body_spin(&next), dt));

    next.spin = body_spin(&next);
    next.world_from_body.t = v3_sub(centre, pose_turn(&next.world_from_body, body->centroid));
    *body = next;
}

static void kick_body(Body* body, const BerthWrench* wrench, Vec3 gravity, double dt) {
    const Vec3 push = v3_mad(gravity, 1.0 / body->mass, wrench->force);
    body->velocity = v3_mad(body->velocity, dt, push);
    body->momentum = v3_mad(body->momentum, dt, wrench->moment);
    body->spin = body_spin(body);
}

static bool is_in_bounds(const Body* body) {
    const Vec3 place = v3_abs(body->world_from_body.t);
    return place.x + place.y + place.z <= BI_COORDINATE_MAX && v3_finite(body->spin) &&
           v3_finite(body->velocity) && v3_finite(body->world_from_body.x) &&
           v3_finite(body->world_from_body.y);
}

// Is a free body in a pair whose force is not known?
static bool has_unknown_push(const BerthContactWorld* world, const BerthContactResult* result) {
    for (int32_t i = 0; i < result->unknown_pairs; ++i) {
        const BerthUnknownPair* pair = &result->unknown[i];
        const bool free = world->bodies[pair->body_a].motion == BERTH_BODY_FREE ||
                          world->bodies[pair->body_b].motion == BERTH_BODY_FREE;
        if (free && pair->doubt != BERTH_DOUBT_NUMERIC) {
            return true;
        }
    }
    return false;
}

int32_t berth_contact_substeps(const BerthContactWorld* world, double dt) {
    if (world == NULL || !world->committed || !(dt > 0.0 && dt <= 1.0)) {
        return 0;
    }
    const double count = ceil(world->fastest * dt / STEP_ANGLE);
    return count <= SUBSTEPS_MOST ? (int32_t)fmax(count, 1.0) : 0;
}

static void drift_free_bodies(BerthContactWorld* world, double dt) {
    for (int32_t i = 0; i < world->body_count; ++i) {
        if (world->bodies[i].motion == BERTH_BODY_FREE) {
            drift_body(&world->bodies[i], dt);
        }
    }
}

// Half of the way, the forces there, the other half: of second order, and what a spring takes it gives back.
static BerthStatus take_substep(BerthContactWorld* world, double dt, BerthContactResult* out) {
    drift_free_bodies(world, 0.5 * dt);
    world->implicit = dt;
    const BerthStatus status = berth_contact_cycle(world, out);
    world->implicit = 0.0;
    if (status != BERTH_OK) {
        return status;
    }
    if (has_unknown_push(world, out)) {
        return bi_fail_quietly(BERTH_ERR_UNSUPPORTED);
    }

    for (int32_t i = 0; i < world->body_count; ++i) {
        if (world->bodies[i].motion == BERTH_BODY_FREE) {
            kick_body(&world->bodies[i], &world->wrenches[i], world->def.gravity, dt);
        }
    }
    drift_free_bodies(world, 0.5 * dt);
    for (int32_t i = 0; i < world->body_count; ++i) {
        if (!is_in_bounds(&world->bodies[i])) {
            return bi_fail_quietly(BERTH_ERR_ARGUMENT);
        }
    }
    return BERTH_OK;
}

BerthStatus berth_contact_step(BerthContactWorld* world, double dt, BerthContactResult* out) {
    if (world == NULL || out == NULL || !world->committed || !(dt > 0.0 && dt <= 1.0)) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }
    const int32_t count = berth_contact_substeps(world, dt);
    if (count == 0) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    for (int32_t i = 0; i < world->body_count; ++i) {
        world->saved[i] = world->bodies[i];
    }
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < count && status == BERTH_OK; ++i) {
        status = take_substep(world, dt / count, out);
    }

    // Nothing moves when it fails; the answer is that of where they are.
    for (int32_t i = 0; i < world->body_count && status != BERTH_OK; ++i) {
        world->bodies[i] = world->saved[i];
    }
    const BerthStatus last = berth_contact_cycle(world, out);
    if (status == BERTH_OK && last == BERTH_OK && has_unknown_push(world, out)) {
        return BERTH_OK;  // the next step will not be made
    }
    return status != BERTH_OK ? status : last;
}

// ---- a follower ------------------------------------------------------------------------------------------------

enum { FOLLOW_STEPS = 64, RESOLVE_ROUNDS = 12, PUSH_ROUNDS = 64 };

typedef struct Follow {
    BerthContactWorld* world;
    int32_t body;
    double allowed;  // depth that counts as touching
    double stride;   // most that any point moves without looking
    double lever;    // metres that a radian counts as: the coupling's
    double deepest;
    int64_t lost;
    bool unknown;
} Follow;

// Contacts of this body alone, where it is now.
static void find_contacts(Follow* follow) {
    BerthContactWorld* world = follow->world;
    world->contact_count = 0;
    follow->deepest = 0.0;

    for (int32_t i = 0; i < world->pair_count; ++i) {
        const BodyPair* pair = &world->pairs[i];
        if (pair->a == follow->body || pair->b == follow->body) {
            const BodyMeeting met = bi_contact_bodies(world, pair);
            follow->lost += met.lost;
            follow->unknown = follow->unknown || met.is_blind || met.meeting == MEETING_UNKNOWN;
        }
    }

    for (int32_t i = 0; i < world->contact_count; ++i) {
        follow->deepest = fmax(follow->deepest, world->contacts[i].depth);
    }
}

typedef struct Move {
    Vec3 by, turn;  // of the body's origin, and about it
} Move;

// The least move out of all contacts, a radian counting as `lever` metres: what the coupling's spring yields to. By rounds
// over the contacts, each of which pushes as much as it is still missing and takes back what it pushed too much (so that
// four corners of a face that lies flat do not turn it). Probes have no force: how much each pushed is kept there.
static Move push_out(const Follow* follow) {
    BerthContactWorld* world = follow->world;
    const Vec3 origin = world->bodies[follow->body].world_from_body.t;
    const double lever_sq = follow->lever * follow->lever;
    Move move = {v3(0.0, 0.0, 0.0), v3(0.0, 0.0, 0.0)};
    for (int32_t i = 0; i < world->contact_count; ++i) {
        world->contacts[i].force.x = 0.0;
    }

    double largest = INFINITY;
    for (int round = 0; round < PUSH_ROUNDS && largest > 1e-6 * follow->allowed; ++round) {
        largest = 0.0;
        for (int32_t i = 0; i < world->contact_count; ++i) {
            BerthContact* c = &world->contacts[i];
            const Vec3 out = c->body_a == follow->body ? v3_neg(c->normal) : c->normal;
            const Vec3 lever = v3_cross(v3_sub(c->point, origin), out);
            const double missing =
                c->depth - 0.5 * follow->allowed - v3_dot(move.by, out) - v3_dot(move.turn, lever);
            const double before = c->force.x;
            c->force.x = fmax(0.0, before + missing / (1.0 + v3_length_sq(lever) / lever_sq));
            const double more = c->force.x - before;
            move.by = v3_mad(move.by, more, out);
            move.turn = v3_mad(move.turn, more / lever_sq, lever);
            largest = fmax(largest, fabs(more));
        }
    }
    return move;
}

// Puts the body at `pose` and pushes it out of what it is in. False when that leads nowhere, or too far.
static bool settle_at(Follow* follow, const Pose* pose) {
    Body* body = &follow->world->bodies[follow->body];
    body->world_from_body = *pose;
    double moved = 0.0;

    for (int round = 0; round < RESOLVE_ROUNDS; ++round) {
        find_contacts(follow);
        if (follow->unknown || follow->lost > 0) {
            return false;
        }
        if (follow->deepest <= follow->allowed) {
            return true;
        }

        const Move move = push_out(follow);
        moved += v3_length(move.by) + v3_length(move.turn) * (v3_length(body->centre) + body->ball);
        if (!(moved <= 2.0 * follow->stride)) {
            return false;
        }

        body->world_from_body = turned_pose(&body->world_from_body, move.turn);
        body->world_from_body.t = v3_add(body->world_from_body.t, move.by);
    }
    return false;
}

// The rotation vector from one pose to another.
static Vec3 turn_between(const Pose* from, const Pose* to) {
    const Vec3 sine = v3_scale(
        v3_add(v3_add(v3_cross(from->x, to->x), v3_cross(from->y, to->y)), v3_cross(from->z, to->z)), 0.5);
    const double cosine =
        0.5 * (v3_dot(from->x, to->x) + v3_dot(from->y, to->y) + v3_dot(from->z, to->z) - 1.0);
    const double s = v3_length(sine);
    return s > 0.0 ? v3_scale(sine, atan2(s, cosine) / s) : v3(0.0, 0.0, 0.0);
}

// Half of what fits into the thinnest piece: a body that moves less than that is still in a wall it went through.
static double safe_stride(const BerthContactWorld* world, const Body* body) {
    double least = INFINITY;
    for (int32_t i = 0; i < body->piece_count; ++i) {
        const Piece* piece = &world->pieces[body->first_piece + i];
        double inside = piece->radius;
        if (piece->hulled) {
            return 0.0;  // how thin the body is inside of its hull is not known
        }
        if (piece->kind == PIECE_POLYTOPE) {
            int32_t face = 0;
            inside = -polytope_height(&piece->polytope, piece->polytope.centroid, &face);
        }

        least = fmin(least, inside);
    }
    return 0.5 * least;
}

// How far a pose is from the target, a radian counting as the lever.
static double behind_by(const Follow* follow, const Pose* pose, const Pose* target) {
    const double turn = follow->lever * v3_length(turn_between(pose, target));
    const double way = v3_distance(pose->t, target->t);
    return sqrt(way * way + turn * turn);
}

// One stride towards the target. False when there is no way on.
static bool take_stride(Follow* follow, const Pose* target) {
    Body* body = &follow->world->bodies[follow->body];
    const Pose from = body->world_from_body;
    const Vec3 way = v3_sub(target->t, from.t), turn = turn_between(&from, target);

    const double length = v3_length(way) + v3_length(turn) * (v3_length(body->centre) + body->ball);
    const double share = length > follow->stride ? follow->stride / length : 1.0;
    Pose next = share < 1.0 ? turned_pose(&from, v3_scale(turn, share)) : *target;
    next.t = share < 1.0 ? v3_mad(from.t, share, way) : target->t;

    const double before = behind_by(follow, &from, target);
    Pose straight = from;
    straight.t = next.t;
    Pose spun = next;
    spun.t = from.t;
    const Pose tries[3] = {next, straight, spun};

    for (int i = 0; i < 3; ++i) {
        if (settle_at(follow, &tries[i])) {
            const double left = behind_by(follow, &body->world_from_body, target);
            if (before - left > 0.01 * share * before || length <= follow->allowed) {
                return length > follow->allowed;
            }
        }
        follow->unknown = false;
        follow->lost = 0;
    }

    body->world_from_body = from;
    return false;
}

static bool same_place(const Pose* a, const Pose* b, double within) {
    return v3_distance(a->t, b->t) <= within && v3_length(turn_between(a, b)) <= within;
}

BerthStatus berth_contact_follow(BerthContactWorld* world, int32_t body, const BerthPose* target,
                                 BerthFollow* out) {
    if (world == NULL || !world->committed || target == NULL || out == NULL || body < 0 ||
        body >= world->body_count || !bi_contact_pose_is_good(target)) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    Body* b = &world->bodies[body];
    Follow follow = {.world = world, .body = body, .stride = safe_stride(world, b)};
    if (!(b->ball < INFINITY) || !(follow.stride > 0.0)) {
        return bi_fail_quietly(BERTH_ERR_UNSUPPORTED);
    }

    follow.allowed = BI_CONTACT_KEEP * b->ball;
    follow.lever = b->ball;

    // Looking must not disturb what the cycles remember.
    BerthContact* real = world->contacts;
    const int32_t real_count = world->contact_count;
    const BerthContactCounters counters = world->counters;
    world->contacts = world->probes;
    world->probing = true;

    int32_t steps = 0;
    while (steps < FOLLOW_STEPS && !same_place(&b->world_from_body, target, 0.0) &&
           take_stride(&follow, target)) {
        ++steps;
    }

    find_contacts(&follow);
    world->contacts = real;
    world->contact_count = real_count;
    world->counters = counters;
    world->probing = false;

    *out = (BerthFollow){.world_from_body = b->world_from_body,
                         .lag = v3_distance(b->world_from_body.t, target->t),
                         .depth = follow.deepest,
                         .blocked = !same_place(&b->world_from_body, target, 2.0 * follow.allowed),
                         .steps = steps,
                         .behind = v3_sub(b->world_from_body.t, target->t),
                         .turned = turn_between(target, &b->world_from_body)};
    return BERTH_OK;
}

BerthCoupling berth_default_coupling(void) {
    return (BerthCoupling){.stiffness = 1000.0, .damping = 5.0};
}

BerthStatus berth_contact_couple(const BerthContactWorld* world, int32_t body, const BerthCoupling* coupling,
                                 const BerthFollow* now, const BerthFollow* before, double dt,
                                 BerthWrench* out) {
    if (world == NULL || coupling == NULL || now == NULL || out == NULL || body < 0 ||
        body >= world->body_count || !(coupling->stiffness >= 0.0 && coupling->stiffness < INFINITY) ||
        !(coupling->damping >= 0.0 && coupling->damping < INFINITY) ||
        !(coupling->radius >= 0.0 && coupling->radius < INFINITY) || !(dt >= 0.0)) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    const double ball = world->bodies[body].ball;
    const double radius = coupling->radius > 0.0 ? coupling->radius : ball;
    if (!(radius < INFINITY)) {
        return bi_fail_quietly(BERTH_ERR_UNSUPPORTED);
    }

    Vec3 pull = v3_scale(now->behind, coupling->stiffness);
    Vec3 twist = v3_scale(now->turned, coupling->stiffness);
    if (before != NULL && dt > 0.0) {
        pull = v3_mad(pull, coupling->damping / dt, v3_sub(now->behind, before->behind));
        twist = v3_mad(twist, coupling->damping / dt, v3_sub(now->turned, before->turned));
    }
    *out = (BerthWrench){pull, v3_scale(twist, radius * radius)};
    return BERTH_OK;
}
