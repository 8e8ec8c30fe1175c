// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What a verification computes: where bodies are at the middle of an interval, how fast they move there, how far that
// can take them, and how far apart that leaves them. The formulas are those of docs/theory/motion.md. Over 900 lines
// because whoever checks the verifier should find all of its arithmetic in one place.
// Entries: bi_verify_open, bi_verify_close; bi_verify_place; bi_verify_bound, bi_verify_constant;
// bi_certificate_is_constant.

#include "certificate/verify.h"

#include "math/math.h"
#include "tree/rss.h"

/// Sums and products of bounds are enlarged by more than their rounding.
#define ENLARGED (1.0 + 0x1p-44)
/// What doubles lose of a value on an interval, as a share of the numbers it is made of: three roundings of a straight
/// line; ten of each derivative of a polynomial, added up over half a segment (1.5^5 < 8).
#define STRAIGHT_ROUNDING (4.0 * BI_ULP)
#define CURVE_ROUNDING (80.0 * BI_ULP)
/// As docs/theory/check.md: an angle m * q + o of a joint that follows another is rounded, per radian.
#define FOLLOW_SHARE 0.25

/// Of one distance: more than any that a search would spend.
enum { NODE_BUDGET = 100000000 };

// ---- what never changes -------------------------------------------------------------------------------------

static const SceneRobot* robot_of(const Verifier* verifier, const SceneBody* body) {
    return &verifier->scene->robots[body->robot];
}

static int32_t parent_of(const SceneRobot* robot, int32_t frame) {
    return robot->first_frame + robot->robot->frames[frame - robot->first_frame].parent;
}

// A ball around all parts: around the middle of the box of their own balls, as wide as their points need.
static void find_ball(const ScenePart* parts, int32_t count, VerifyBody* out) {
    Vec3 low = v3(INFINITY, INFINITY, INFINITY);
    Vec3 high = v3_neg(low);

    for (int32_t i = 0; i < count; ++i) {
        const Vec3 c = pose_apply(&parts[i].frame_from_part, parts[i].solid->centre);
        const double r = parts[i].solid->radius;
        low = v3_min(low, v3_sub(c, v3(r, r, r)));
        high = v3_max(high, v3_add(c, v3(r, r, r)));
        out->still_size =
            fmax(out->still_size, v3_length(parts[i].frame_from_part.t) + parts[i].solid->extent);
    }

    if (!v3_finite(low) || !v3_finite(high)) {
        out->radius = (double)INFINITY;  // a half-space
        return;
    }

    out->centre = v3_scale(v3_add(low, high), 0.5);
    // Every part reaches this far from there.
    for (int32_t i = 0; i < count; ++i) {
        const BerthSolid* solid = parts[i].solid;
        const Vec3 c = pose_apply_back(&parts[i].frame_from_part, out->centre);
        double most = v3_distance(c, solid->centre) + solid->radius;
        if (solid->is_mesh) {
            most = 0.0;
            for (int32_t k = 0; k < solid->mesh->info.vertex_count; ++k) {
                most = fmax(most, v3_distance(c, solid->mesh->vertices[k]));
            }
        }
        out->radius = fmax(out->radius, most);
    }

    out->radius = out->radius * (1.0 + 8.0 * BI_ULP) + 4.0 * BI_ULP * v3_length(out->centre);
}

static double points_support(const Vec3* points, int32_t count, Vec3 along) {
    double most = -INFINITY;
    for (int32_t i = 0; i < count; ++i) {
        const double reach = v3_dot(points[i], along);
        most = reach > most ? reach : most;
    }
    return most;
}

// Largest `along` . x over the points of a part, in its frame. Radii of balls count as they are: a ball that turns
// reaches no further.
static double part_support(const BerthSolid* solid, Vec3 along) {
    if (solid->is_mesh) {
        return points_support(solid->mesh->vertices, solid->mesh->info.vertex_count, along);
    }

    const BerthShape* shape = &solid->shape;
    const double across = sqrt(along.x * along.x + along.y * along.y);
    switch (shape->kind) {
    case BERTH_SPHERE:
        return shape->as.sphere.radius;
    case BERTH_CAPSULE:
        return fabs(along.z) * 0.5 * shape->as.capsule.length + shape->as.capsule.radius;
    case BERTH_BOX:
        return v3_dot(v3_abs(along), shape->as.box.half);
    case BERTH_CYLINDER:
        return fabs(along.z) * 0.5 * shape->as.cylinder.length + across * shape->as.cylinder.radius;
    case BERTH_CONE:
        return fmax(along.z * 0.5 * shape->as.cone.length,
                    -along.z * 0.5 * shape->as.cone.length + across * shape->as.cone.radius);
    case BERTH_TRIANGLE:
        return points_support(shape->as.triangle.point, 3, along);
    case BERTH_HULL:
        return points_support(shape->as.hull.hull->vertices, shape->as.hull.hull->vertex_count, along) +
               shape->as.hull.hull->outside;
    default:
        return (double)INFINITY;
    }
}

enum { DIRECTIONS = 64 };
#define DIRECTIONS_GROWN 1.00121  // > 1 / cos(pi / DIRECTIONS)

// No point of the body is further from an axis through its frame's origin: the largest support across the axis, tested all
// round. What lies between two directions reaches no further than the larger over the cosine of half the angle.
static double reach_from_axis(const Verifier* verifier, const SceneBody* body, Vec3 axis) {
    // Two directions across it, from a coordinate axis that is not along it.
    const Vec3 other = fabs(axis.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    const Vec3 across = v3_cross(axis, other);
    const Vec3 first = v3_scale(across, 1.0 / v3_length(across));
    const Vec3 second = v3_cross(axis, first);

    double most = 0.0;
    for (int k = 0; k < DIRECTIONS; ++k) {
        const double angle = 2.0 * 3.14159265358979323846 * k / DIRECTIONS;
        const Vec3 u = v3_add(v3_scale(first, cos(angle)), v3_scale(second, sin(angle)));
        for (int32_t i = 0; i < body->part_count; ++i) {
            const ScenePart* part = &verifier->scene->parts[body->first_part + i];
            const double reach = v3_dot(u, part->frame_from_part.t) +
                                 part_support(part->solid, pose_turn_back(&part->frame_from_part, u));
            most = fmax(most, reach);
        }
    }
    return most * DIRECTIONS_GROWN;
}

// The ball carried inward with every joint free to turn all the way: how far each axis can ever be. A joint that slides
// may carry it anywhere.
static void find_farthest_levers(Verifier* verifier, int32_t index) {
    const SceneBody* body = &verifier->scene->bodies[index];
    const VerifyBody* state = &verifier->bodies[index];
    Vec3 c = state->centre;
    double r = state->radius;
    int32_t frame = body->frame;

    for (int32_t row = state->first_row; row < state->first_row + state->row_count; ++row) {
        const SceneRobot* robot = robot_of(verifier, body);
        const RobotFrame* f = &robot->robot->frames[frame - robot->first_frame];
        const bool turns_only = f->motion >= FRAME_TURN_X && f->motion <= FRAME_TURN;
        const Vec3 foot = f->motion == FRAME_FLOATING ? v3(0, 0, 0) : v3_scale(f->axis, v3_dot(f->axis, c));
        const double away = v3_distance(c, foot);
        r = (r + away) * ENLARGED;
        verifier->far[row] = r;
        if (row == state->first_row && f->motion != FRAME_FLOATING) {
            const double own =
                reach_from_axis(verifier, body, f->axis) + BI_DISTANCE_SLACK * state->still_size;
            verifier->far[row] = own < r ? own : r;
        }

        r = turns_only ? r : (double)INFINITY;
        c = pose_apply(&f->parent_from_joint, turns_only ? foot : c);
        frame = parent_of(robot, frame);
    }
}

bool bi_certificate_ball(const BerthScene* scene, int32_t body, Vec3* centre, double* radius) {
    VerifyBody ball = {.radius = 0.0};
    find_ball(scene->parts + scene->bodies[body].first_part, scene->bodies[body].part_count, &ball);
    *centre = ball.centre;
    *radius = ball.radius;
    return ball.radius < (double)INFINITY;
}

static void describe_bodies(Verifier* verifier) {
    const BerthScene* scene = verifier->scene;
    int32_t row = 0;

    for (int32_t i = 0; i < scene->body_count; ++i) {
        const SceneBody* body = &scene->bodies[i];
        VerifyBody* state = &verifier->bodies[i];
        find_ball(scene->parts + body->first_part, body->part_count, state);

        state->first_row = row;
        // Its poses come from these numbers, each of which is rounded.
        if (body->robot >= 0) {
            const SceneRobot* robot = robot_of(verifier, body);
            state->still_size += v3_length(robot->world_from_base.t);
            for (int32_t k = 0; k < robot->robot->frame_count; ++k) {
                const RobotFrame* f = &robot->robot->frames[k];
                state->still_size += v3_length(f->parent_from_joint.t) + fabs(f->offset);
            }

            for (int32_t f = body->frame; f > robot->first_frame; f = parent_of(robot, f)) {
                state->row_count += 1;
            }
        }

        state->size = state->still_size;
        row += state->row_count;
        find_farthest_levers(verifier, i);
    }
}

static size_t count_rows(const BerthScene* scene) {
    size_t count = 0;
    for (int32_t i = 0; i < scene->body_count; ++i) {
        if (scene->bodies[i].frame >= 0) {
            const SceneRobot* robot = &scene->robots[scene->bodies[i].robot];
            for (int32_t f = scene->bodies[i].frame; f > robot->first_frame; f = parent_of(robot, f)) {
                count += 1;
            }
        }
    }
    return count;
}

BerthStatus bi_verify_open(Verifier* verifier, const BerthScene* scene, const double* tracking_error,
                           BerthMoving moving, const BerthAllocator* allocator) {
    *verifier = (Verifier){.allocator = bi_allocator_or_default(allocator),
                           .scene = scene,
                           .moving = moving,
                           .tracking_error = tracking_error,
                           .body_count = (size_t)scene->body_count,
                           .value_count = (size_t)scene->value_count,
                           .frame_count = (size_t)scene->frame_count,
                           .row_count = count_rows(scene)};

    const BerthAllocator* from = &verifier->allocator;
    verifier->bodies = bi_take(from, verifier->body_count, sizeof *verifier->bodies);
    verifier->values = bi_take(from, verifier->value_count, sizeof *verifier->values);
    verifier->frames = bi_take(from, verifier->frame_count, sizeof *verifier->frames);
    verifier->rates = bi_take(from, verifier->frame_count, sizeof *verifier->rates);
    verifier->levers = bi_take(from, verifier->row_count, sizeof *verifier->levers);
    verifier->far = bi_take(from, verifier->row_count, sizeof *verifier->far);
    verifier->carried = bi_take(from, verifier->row_count, sizeof *verifier->carried);

    if (!verifier->bodies || !verifier->values || !verifier->frames || !verifier->rates ||
        !verifier->levers || !verifier->far || !verifier->carried) {
        bi_verify_close(verifier);
        return bi_fail(BERTH_ERR_MEMORY, "certificate: out of memory while it is verified");
    }

    const BerthStatus status = berth_tree_query_create(NODE_BUDGET, from, &verifier->query);
    if (status != BERTH_OK) {
        bi_verify_close(verifier);
        return status;
    }

    describe_bodies(verifier);
    return BERTH_OK;
}

void bi_verify_close(Verifier* verifier) {
    const BerthAllocator* from = &verifier->allocator;
    bi_give(from, verifier->bodies, verifier->body_count, sizeof *verifier->bodies);
    bi_give(from, verifier->values, verifier->value_count, sizeof *verifier->values);
    bi_give(from, verifier->frames, verifier->frame_count, sizeof *verifier->frames);
    bi_give(from, verifier->rates, verifier->frame_count, sizeof *verifier->rates);
    bi_give(from, verifier->levers, verifier->row_count, sizeof *verifier->levers);
    bi_give(from, verifier->far, verifier->row_count, sizeof *verifier->far);
    bi_give(from, verifier->carried, verifier->row_count, sizeof *verifier->carried);
    berth_tree_query_destroy(verifier->query);
}

// ---- how values run ------------------------------------------------------------------------------------------

typedef struct ValueRun {
    double at, speed;              // at the middle
    double speed_most, bend_most;  // on the interval
    double rounding;               // of `at`
} ValueRun;

static ValueRun value_run(const BerthSegment* segment, int32_t value, double middle, double half) {
    if (segment->curves == NULL) {
        const double from = segment->from[value];
        const double way = segment->to[value] - from;
        return (ValueRun){from + middle * way, way, fabs(way), 0.0,
                          STRAIGHT_ROUNDING * (fabs(from) + fabs(segment->to[value]))};
    }

    // The polynomial written around the middle: c[k] is the k-th derivative there over k!.
    double c[BERTH_CURVE_TERMS];
    ValueRun run = {.rounding = fabs(segment->curves[value].error)};
    for (int k = 0; k < BERTH_CURVE_TERMS; ++k) {
        c[k] = segment->curves[value].term[k];
        run.rounding += CURVE_ROUNDING * fabs(c[k]);
    }

    for (int from = 0; from < BERTH_CURVE_TERMS; ++from) {
        for (int k = BERTH_CURVE_TERMS - 2; k >= from; --k) {
            c[k] += middle * c[k + 1];
        }
    }

    run.at = c[0];
    run.speed = c[1];

    // The largest derivatives, by the absolute values of what is left of the polynomial.
    for (int k = BERTH_CURVE_TERMS - 1; k >= 1; --k) {
        run.speed_most = run.speed_most * half + k * fabs(c[k]);
    }
    for (int k = BERTH_CURVE_TERMS - 1; k >= 2; --k) {
        run.bend_most = run.bend_most * half + k * (k - 1) * fabs(c[k]);
    }

    return run;
}

static BerthQuat quat_product(BerthQuat a, BerthQuat b) {
    return (BerthQuat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static BerthQuat unit_quat(const double* v, double sign) {
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]) * sign;
    return (BerthQuat){v[0] / length, v[1] / length, v[2] / length, v[3] / length};
}

// The shorter arc from one orientation to the other, at constant speed: writes the orientation at t, returns the angle.
static double arc_at(const double* from, const double* to, double t, double* out, Vec3* axis) {
    const double dot = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
    const BerthQuat a = unit_quat(from, 1.0);
    const BerthQuat b = unit_quat(to, dot < 0.0 ? -1.0 : 1.0);
    const BerthQuat turn = quat_product((BerthQuat){-a.x, -a.y, -a.z, a.w}, b);
    const Vec3 v = v3(turn.x, turn.y, turn.z);
    const double half_angle = atan2(v3_length(v), turn.w);
    *axis = v3_unit_or(v, v3(1, 0, 0));
    const double s = sin(half_angle * t);
    const BerthQuat at =
        quat_product(a, (BerthQuat){axis->x * s, axis->y * s, axis->z * s, cos(half_angle * t)});
    out[0] = at.x;
    out[1] = at.y;
    out[2] = at.z;
    out[3] = at.w;
    return 2.0 * half_angle;
}

// ---- how frames move -----------------------------------------------------------------------------------------

static void rate_turn(VerifyRate* rate, Vec3 axis, double factor, const ValueRun* run, double error) {
    rate->axis = axis;
    rate->turn = factor * run->speed;
    rate->turn_most = fabs(factor) * run->speed_most;
    rate->turn_bend = fabs(factor) * run->bend_most;
    rate->turn_error = fabs(factor) * (error + run->rounding);
}

static void rate_slide(VerifyRate* rate, Vec3 along, double factor, const ValueRun* run, double error) {
    rate->slide = v3_mad(rate->slide, factor * run->speed, along);
    rate->slide_most += fabs(factor) * run->speed_most;
    rate->slide_bend += fabs(factor) * run->bend_most;
    rate->slide_error += fabs(factor) * (error + run->rounding);
}

// How a frame moves on the interval. A floating one's orientation is written into the values: it runs along an arc.
static VerifyRate find_rate(Verifier* verifier, const RobotFrame* frame, int32_t value,
                            const BerthSegment* segment, double middle) {
    VerifyRate rate = {.axis = {0, 0, 1}};
    ValueRun run[3] = {{0}};
    const double* error = verifier->tracking_error + value;
    const bool planar = frame->motion == FRAME_PLANAR;
    const bool floating = frame->motion == FRAME_FLOATING;

    for (int k = 0; k < (planar || floating ? 3 : 1); ++k) {
        run[k] = value_run(segment, value + k, middle, verifier->half);
    }

    if (planar) {
        rate_slide(&rate, frame->across[0], 1.0, &run[0], error[0]);
        rate_slide(&rate, frame->across[1], 1.0, &run[1], error[1]);
        rate_turn(&rate, frame->axis, 1.0, &run[2], error[2]);
    } else if (floating) {
        rate_slide(&rate, v3(1, 0, 0), 1.0, &run[0], error[0]);
        rate_slide(&rate, v3(0, 1, 0), 1.0, &run[1], error[1]);
        rate_slide(&rate, v3(0, 0, 1), 1.0, &run[2], error[2]);
        // Components that are off by e turn the orientation by at most 2 asin |e|, about any axis, and never by more
        // than half a turn; |e| is at most their sum.
        double off = error[3] + error[4] + error[5] + error[6];
        for (int k = 3; segment->curves != NULL && k < 7; ++k) {
            off += fabs(segment->curves[value + k].error);
        }
        rate.any_axis = off > 0.0;
        rate.turn_error = off < 1.0 ? 2.0 * asin(off) : 3.1415927;
        rate.turn = arc_at(segment->from + value + 3, segment->to + value + 3, middle,
                           verifier->values + value + 3, &rate.axis);
        rate.turn_most = fabs(rate.turn);
    } else if (frame->motion == FRAME_SLIDE) {
        rate_slide(&rate, frame->axis, frame->multiplier, &run[0], error[0]);
    } else {
        rate_turn(&rate, frame->axis, frame->multiplier, &run[0], error[0]);
    }
    return rate;
}

// What the values add to the numbers that poses come from: metres, and radians of joints that follow others.
static void measure_values(const Verifier* verifier, const SceneRobot* robot, double* metres,
                           double* follows) {
    *metres = 0.0;
    *follows = 0.0;
    for (int32_t k = 1; k < robot->robot->frame_count; ++k) {
        const RobotFrame* f = &robot->robot->frames[k];
        const double* q = verifier->values + robot->first_value + f->value;
        if (f->motion == FRAME_PLANAR || f->motion == FRAME_FLOATING) {
            *metres += fabs(q[0]) + fabs(q[1]) + (f->motion == FRAME_FLOATING ? fabs(q[2]) : 0.0);
        } else if (f->motion == FRAME_SLIDE) {
            *metres += fabs(f->multiplier * q[0]);
        } else if (f->offset != 0.0 || fabs(f->multiplier) != 1.0) {
            *follows += fabs(f->multiplier * q[0]) + fabs(f->offset);
        }
    }
}

static double axis_away(const VerifyRate* rate, const Pose* pose, Vec3 point) {
    const Vec3 arm = v3_sub(point, pose->t);
    return v3_length(rate->any_axis ? arm : v3_cross(pose_turn(pose, rate->axis), arm));
}

// A joint that does not turn moves nothing, however far its axis is.
static double arc_length(double lever, double turn) {
    return turn > 0.0 ? lever * turn : 0.0;
}

// The ball over the arcs that its centre can go when the joint turns by `turn` both ways: nearer the axis by turn^2 / 2 of its
// distance, and as much larger as the arc's ends then are away.
static void sweep_ball(Vec3* centre, double* radius, const VerifyRate* rate, const Pose* pose, double turn) {
    const Vec3 arm = v3_sub(*centre, pose->t);
    const Vec3 axis = pose_turn(pose, rate->axis);
    const Vec3 foot = rate->any_axis ? pose->t : v3_mad(pose->t, v3_dot(axis, arm), axis);
    const double away = v3_distance(*centre, foot);
    const double nearer = turn * turn < 2.0 ? 0.5 * turn * turn : 1.0;
    *centre = v3_mad(foot, 1.0 - nearer, v3_sub(*centre, foot));
    // sqrt(1 - (1 - nearer)^2), without the digits that short turns would lose in it.
    *radius = (*radius + away * sqrt(nearer * (2.0 - nearer))) * ENLARGED;
}

// From the body inward: how far each axis can be from its points on the interval, tracking error included. The smallest of:
// the distance now and how far the joints beyond can carry the points; the ball over all they can sweep; any turn at all.
static void find_levers(Verifier* verifier, int32_t index) {
    const SceneBody* scene_body = &verifier->scene->bodies[index];
    const VerifyBody* body = &verifier->bodies[index];
    const SceneRobot* robot = robot_of(verifier, scene_body);
    const Vec3 centre = pose_apply(&verifier->frames[scene_body->frame], body->centre);
    const double slack = BI_DISTANCE_SLACK * body->size;

    Vec3 swept_centre = centre;
    double swept_radius = body->radius;
    double carried = 0.0;
    int32_t frame = scene_body->frame;

    for (int32_t row = body->first_row; row < body->first_row + body->row_count; ++row) {
        const VerifyRate* rate = &verifier->rates[frame];
        const Pose* pose = &verifier->frames[frame];

        const double near = (axis_away(rate, pose, centre) + body->radius + carried) * ENLARGED + slack;
        const double swept = (axis_away(rate, pose, swept_centre) + swept_radius) * ENLARGED + slack;
        double lever = near < verifier->far[row] ? near : verifier->far[row];
        lever = swept < lever ? swept : lever;

        const double turn = verifier->half * rate->turn_most + rate->turn_error;
        const double slide = verifier->half * rate->slide_most + rate->slide_error;
        sweep_ball(&swept_centre, &swept_radius, rate, pose, turn);
        swept_radius += slide;

        carried += arc_length(lever, turn) + slide;
        verifier->levers[row] = lever;
        verifier->carried[row] = carried;
        frame = parent_of(robot, frame);
    }
}

void bi_verify_place(Verifier* verifier, const BerthSegment* segment, double middle, double half) {
    const BerthScene* scene = verifier->scene;
    verifier->half = half;
    verifier->elapsed = segment->start + middle * segment->duration;
    verifier->duration = segment->duration;
    verifier->segment = segment;
    for (int32_t i = 0; i < scene->value_count; ++i) {
        verifier->values[i] = value_run(segment, i, middle, half).at;
    }

    // The frames of every robot: how they move, and where they are.
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t k = 1; k < robot->robot->frame_count; ++k) {
            const RobotFrame* f = &robot->robot->frames[k];
            verifier->rates[robot->first_frame + k] =
                find_rate(verifier, f, robot->first_value + f->value, segment, middle);
        }
        bi_robot_frame_poses(robot->robot, &robot->world_from_base, verifier->values + robot->first_value,
                             verifier->frames + robot->first_frame);
    }

    // The bodies on them: how large their numbers are, and their levers.
    for (int32_t i = 0; i < scene->body_count; ++i) {
        const SceneBody* body = &scene->bodies[i];
        if (body->frame >= 0) {
            double metres = 0.0;
            double follows = 0.0;
            measure_values(verifier, robot_of(verifier, body), &metres, &follows);
            verifier->bodies[i].size =
                (verifier->bodies[i].still_size + metres) * (1.0 + FOLLOW_SHARE * follows);
            find_levers(verifier, i);
        }
    }
}

// ---- how far two bodies can go -------------------------------------------------------------------------------

/// One body of a pair, seen from the frame that both chains share.
typedef struct Side {
    const SceneBody* body;
    const VerifyBody* state;
    Pose pose;      // world_from_frame; identity for what stands still
    Vec3 spin;      // angular velocity at the middle
    Vec3 velocity;  // of the frame's origin
    double travel;  // most that its joints change a gap in half an interval, by the lever of the nearer body
    double error;   // and by tracking error
    double bend;    // most that a point leaves its tangent by
    double slack;   // rounding of its points
    // For a half-space of its own: what the other body's points do when they are seen from this one.
    double turns;       // sum of angular speeds
    double speed;       // of a point, by its own levers
    double seen;        // second derivative of the other's points by these joints
    double seen_speed;  // and speed
} Side;

/// The other body as one side sees it.
typedef struct Opposite {
    Vec3 centre;  // in the world
    double radius, slack;
    double carried;  // how far its points can go against the shared frame
} Opposite;

typedef struct Sides {
    const ScenePair* pair;
    Side a, b;
    double travel, bend;
    double
        less;  // what comes off every gap: padding, tracking error, rounding, and how far objects got by the middle
    double nearing;  // how much further they get in the second half of the interval; in `travel` too
} Sides;

// An object that may move on its own, or null.
static const SceneObject* mover(const BerthScene* scene, int32_t body) {
    const int32_t place = scene->bodies[body].object;
    const SceneObject* object = place >= 0 ? &scene->objects[place] : NULL;
    return object != NULL && (object->moving || object->person) ? object : NULL;
}

/// How much nearer two bodies can be, because objects move on their own.
typedef struct Approach {
    double by_middle;    // than they are placed
    double from_middle;  // and still more at the end of the interval
} Approach;

static Approach approach_of(const Verifier* verifier, const ScenePair* pair) {
    Approach sum = {0.0, 0.0};
    const int32_t bodies[2] = {pair->body_a, pair->body_b};
    for (int side = 0; side < 2 && verifier->moving == BERTH_MOVING_REACH; ++side) {
        const SceneObject* object = mover(verifier->scene, bodies[side]);
        if (object == NULL) {
            continue;
        }
        sum.by_middle += object->speed * verifier->elapsed * ENLARGED;
        sum.from_middle += object->speed * verifier->half * verifier->duration * ENLARGED;
        // A person may also reach ahead, and be elsewhere than it was seen.
        if (object->person) {
            sum.by_middle += (object->intrusion + object->uncertainty) * ENLARGED;
        }
    }
    return sum;
}

bool bi_certificate_is_constant(const BerthScene* scene, int32_t pair, BerthMoving moving) {
    const ScenePair* p = &scene->pairs[pair];
    bool moves = !p->constant;
    const int32_t bodies[2] = {p->body_a, p->body_b};
    for (int side = 0; side < 2 && moving == BERTH_MOVING_REACH; ++side) {
        const SceneObject* object = mover(scene, bodies[side]);
        moves = moves || (object != NULL &&
                          (object->speed > 0.0 ||
                           (object->person && (object->intrusion > 0.0 || object->uncertainty > 0.0))));
    }
    return !moves;
}

// The frame that moves both, or -1. Parents come before their children.
static int32_t shared_frame(const Verifier* verifier, const SceneBody* a, const SceneBody* b) {
    if (a->frame < 0 || b->frame < 0 || a->robot != b->robot) {
        return -1;
    }
    const SceneRobot* robot = robot_of(verifier, a);
    int32_t frame_a = a->frame;
    int32_t frame_b = b->frame;
    while (frame_a != frame_b) {
        if (frame_a > frame_b) {
            frame_a = parent_of(robot, frame_a);
        } else {
            frame_b = parent_of(robot, frame_b);
        }
    }
    return frame_a > robot->first_frame ? frame_a : -1;
}

// One joint, outward. The other body's lever is its distance and how far all joints between it and this one can carry it,
// which met from there are: its own, those that were added already, and this one's slide.
static void add_joint(const Verifier* verifier, Side* side, int32_t frame, double lever, Opposite* opposite) {
    const SceneRobot* robot = robot_of(verifier, side->body);
    const RobotFrame* f = &robot->robot->frames[frame - robot->first_frame];
    const VerifyRate* rate = &verifier->rates[frame];
    const Pose* pose = &verifier->frames[frame];
    const Pose joint = pose_mul(&verifier->frames[parent_of(robot, frame)], &f->parent_from_joint);

    const Vec3 spin = v3_scale(pose_turn(pose, rate->axis), rate->turn);
    side->spin = v3_add(side->spin, spin);
    side->velocity = v3_add(side->velocity, pose_turn(&joint, rate->slide));
    side->velocity = v3_add(side->velocity, v3_cross(spin, v3_sub(side->pose.t, pose->t)));

    // What the joint adds with the lever of the nearer body.
    opposite->carried += verifier->half * rate->slide_most + rate->slide_error;
    const double away = axis_away(rate, pose, opposite->centre) + opposite->radius;
    const double other = (away + opposite->carried) * ENLARGED + opposite->slack;
    opposite->carried += arc_length(other, verifier->half * rate->turn_most + rate->turn_error);
    const double nearer = other < lever ? other : lever;
    side->travel += arc_length(nearer, rate->turn_most) + rate->slide_most;
    side->error += arc_length(nearer, rate->turn_error) + rate->slide_error;

    // To second order, by this body's own levers.
    side->bend += lever * (rate->turn_bend + rate->turn_most * (rate->turn_most + 2.0 * side->turns)) +
                  rate->slide_bend + 2.0 * side->turns * rate->slide_most;
    side->speed += arc_length(lever, rate->turn_most) + rate->slide_most;

    // Seen from this body the chain runs the other way: this joint turns all that were added before it, and its own slide.
    side->seen += arc_length(other, rate->turn_bend + rate->turn_most * rate->turn_most) + rate->slide_bend +
                  2.0 * rate->turn_most * (side->seen_speed + rate->slide_most);
    side->seen_speed += arc_length(other, rate->turn_most) + rate->slide_most;
    side->turns += rate->turn_most;
}

static int32_t rows_below(const Verifier* verifier, int32_t index, int32_t shared) {
    const SceneBody* body = &verifier->scene->bodies[index];
    int32_t count = 0;  // joints between the body and the shared frame
    if (body->frame >= 0) {
        const SceneRobot* robot = robot_of(verifier, body);
        for (int32_t f = body->frame; count < verifier->bodies[index].row_count && f != shared;
             f = parent_of(robot, f)) {
            count += 1;
        }
    }
    return count;
}

static Opposite opposite_of(const Verifier* verifier, int32_t index, int32_t shared) {
    const SceneBody* body = &verifier->scene->bodies[index];
    const VerifyBody* state = &verifier->bodies[index];
    const int32_t count = rows_below(verifier, index, shared);
    Opposite out = {state->centre, state->radius, BI_DISTANCE_SLACK * state->size, 0.0};
    if (body->frame >= 0) {
        out.centre = pose_apply(&verifier->frames[body->frame], state->centre);
    }
    if (count > 0) {
        out.carried = verifier->carried[state->first_row + count - 1];
    }
    return out;
}

// One body with the joints between it and the shared frame.
static Side side_of(const Verifier* verifier, int32_t index, int32_t other, int32_t shared) {
    Side side = {
        .body = &verifier->scene->bodies[index], .state = &verifier->bodies[index], .pose = pose_identity()};
    side.slack = BI_DISTANCE_SLACK * side.state->size;
    if (side.body->frame < 0) {
        return side;
    }

    const SceneRobot* robot = robot_of(verifier, side.body);
    Opposite opposite = opposite_of(verifier, other, shared);
    side.pose = verifier->frames[side.body->frame];
    // From the shared frame outward.
    for (int32_t row = rows_below(verifier, index, shared) - 1; row >= 0; --row) {
        int32_t frame = side.body->frame;
        for (int32_t up = 0; up < row; ++up) {
            frame = parent_of(robot, frame);
        }
        add_joint(verifier, &side, frame, verifier->levers[side.state->first_row + row], &opposite);
    }

    side.travel *= verifier->half * ENLARGED;
    side.bend *= 0.5 * verifier->half * verifier->half * ENLARGED;
    side.error *= ENLARGED;
    return side;
}

static Sides sides_of(const Verifier* verifier, int32_t pair_index) {
    const ScenePair* pair = &verifier->scene->pairs[pair_index];
    const int32_t shared = shared_frame(verifier, &verifier->scene->bodies[pair->body_a],
                                        &verifier->scene->bodies[pair->body_b]);
    const Approach approach = approach_of(verifier, pair);
    Sides sides = {.pair = pair,
                   .a = side_of(verifier, pair->body_a, pair->body_b, shared),
                   .b = side_of(verifier, pair->body_b, pair->body_a, shared),
                   .nearing = approach.from_middle};
    sides.travel = sides.a.travel + sides.b.travel + sides.nearing;
    sides.bend = sides.a.bend + sides.b.bend;
    sides.less =
        pair->padding + sides.a.error + sides.b.error + sides.a.slack + sides.b.slack + approach.by_middle;
    return sides;
}

// ---- how far apart they stay ---------------------------------------------------------------------------------

/// Which leaves of a body are meant: from `first` on, `count` of them; count 0: all.
typedef struct Leaves {
    int32_t first, count;
} Leaves;
static const Leaves all_leaves = {0, 0};

// Largest `along` . x over the leaves [first, end) of a part, of which it has `count`.
static double leaves_support(const BerthSolid* solid, int32_t first, int32_t end, int32_t count, Vec3 along) {
    if (solid->rss == NULL || (first <= 0 && end >= count)) {
        return part_support(solid, along);
    }
    const RssTree* tree = solid_rss(solid);  // made before records about leaves are looked at
    if (tree == NULL) {
        return INFINITY;  // nothing is proven
    }

    double most = -INFINITY;
    for (int32_t i = first > 0 ? first : 0; i < (end < count ? end : count); ++i) {
        const int32_t* corner = solid->mesh->triangles + 3 * (size_t)tree->source[i];
        for (int k = 0; k < 3; ++k) {
            most = fmax(most, v3_dot(solid->mesh->vertices[corner[k]], along));
        }
    }
    return most;
}

// Largest n . x over the body's points `time` after the middle, each going straight on.
static double body_support(const Verifier* verifier, const Side* side, Leaves leaves, Vec3 n, double time) {
    const Vec3 along = v3_mad(n, time, v3_cross(n, side->spin));
    const Vec3 inside = pose_turn_back(&side->pose, along);
    double most = -INFINITY;
    int32_t before = 0;  // leaves of the parts before this one

    for (int32_t i = 0; i < side->body->part_count; ++i) {
        const ScenePart* part = &verifier->scene->parts[side->body->first_part + i];
        const int32_t count = solid_leaf_count(part->solid);
        const int32_t first = leaves.count > 0 ? leaves.first - before : 0;
        const int32_t end = leaves.count > 0 ? first + leaves.count : count;
        if (first < count && end > 0) {
            const Vec3 own = pose_turn_back(&part->frame_from_part, inside);
            const double reach =
                v3_dot(inside, part->frame_from_part.t) + leaves_support(part->solid, first, end, count, own);
            most = reach > most ? reach : most;
        }
        before += count;
    }
    return v3_dot(n, side->pose.t) + time * v3_dot(n, side->velocity) + most + side->slack * v3_length(along);
}

// How much nearer objects are at an end of the interval (-1, 1) than at its middle; at its start no less than is sure.
static double nearing_at(const Sides* sides, int end) {
    return end > 0 ? sides->nearing : -sides->nearing * (1.0 - 0x1p-42);
}

static double plane_gap(const Verifier* verifier, const Sides* sides, const CertificateRecord* record) {
    const Vec3 direction = record->direction;
    const Leaves leaves_a = {record->first_a, record->count_a};
    const Leaves leaves_b = {record->first_b, record->count_b};
    const double length = v3_length(direction);
    if (!(length > 0.5) || !(length < 2.0)) {
        return -INFINITY;
    }

    const Vec3 n = v3_scale(direction, 1.0 / length);
    double least = INFINITY;
    for (int end = -1; end <= 1; end += 2) {
        const double time = end * verifier->half;
        const double gap = -body_support(verifier, &sides->b, leaves_b, v3_neg(n), time) -
                           body_support(verifier, &sides->a, leaves_a, n, time) - nearing_at(sides, end);
        if (!(gap >= least)) {
            least = gap == gap ? gap : -INFINITY;  // NaN proves nothing
        }
    }
    return least - sides->bend;
}

// The plane at the middle alone: what is beyond it on both sides.
static double parted_gap(const Verifier* verifier, const Side* a, const Side* b,
                         const CertificateRecord* record) {
    const Leaves leaves_a = {record->first_a, record->count_a};
    const Leaves leaves_b = {record->first_b, record->count_b};
    const double length = v3_length(record->direction);
    if (!(length > 0.5) || !(length < 2.0)) {
        return -INFINITY;
    }
    const Vec3 n = v3_scale(record->direction, 1.0 / length);
    return -body_support(verifier, b, leaves_b, v3_neg(n), 0.0) - body_support(verifier, a, leaves_a, n, 0.0);
}

// Everything seen from the half-space, with its own plane: the other body's chain goes on where its chain ends.
static double half_space_gap(const Verifier* verifier, const Sides* sides) {
    for (int which = 0; which < 2; ++which) {
        const Side* space = which == 0 ? &sides->a : &sides->b;
        Side other = which == 0 ? sides->b : sides->a;
        const ScenePart* part = &verifier->scene->parts[space->body->first_part];
        if (space->body->part_count != 1 || part->solid->is_mesh ||
            part->solid->shape.kind != BERTH_HALFSPACE) {
            continue;
        }

        // The other body's motion against it.
        const Vec3 arm = v3_sub(other.pose.t, space->pose.t);
        other.velocity = v3_sub(other.velocity, v3_add(space->velocity, v3_cross(space->spin, arm)));
        other.spin = v3_sub(other.spin, space->spin);
        const double bend = other.bend + 0.5 * verifier->half * verifier->half *
                                             (space->seen + 2.0 * space->turns * other.speed) * ENLARGED;

        const Pose pose = pose_mul(&space->pose, &part->frame_from_part);
        const Vec3 n = pose_turn(&pose, part->solid->shape.as.halfspace.normal);
        const double surface = part->solid->shape.as.halfspace.offset + v3_dot(n, pose.t);

        const double before =
            body_support(verifier, &other, all_leaves, v3_neg(n), -verifier->half) + nearing_at(sides, -1);
        const double after =
            body_support(verifier, &other, all_leaves, v3_neg(n), verifier->half) + nearing_at(sides, 1);
        return (before < INFINITY && after < INFINITY ? -fmax(before, after) : -INFINITY) - surface - bend;
    }
    return -INFINITY;
}

// Along the line of centres, to first or second order: both hold. A ball that turns reaches no further.
static double ball_gap(const Verifier* verifier, const Sides* sides) {
    const Vec3 arm_a = pose_turn(&sides->a.pose, sides->a.state->centre);
    const Vec3 arm_b = pose_turn(&sides->b.pose, sides->b.state->centre);
    const Vec3 apart = v3_sub(v3_add(sides->b.pose.t, arm_b), v3_add(sides->a.pose.t, arm_a));
    const Vec3 n = v3_unit_or(apart, v3(0, 0, 1));
    const Vec3 speed_a = v3_add(sides->a.velocity, v3_cross(sides->a.spin, arm_a));
    const Vec3 speed_b = v3_add(sides->b.velocity, v3_cross(sides->b.spin, arm_b));
    const double closing = fabs(v3_dot(n, v3_sub(speed_a, speed_b))) * ENLARGED;
    const double second = verifier->half * closing + sides->bend + sides->nearing;
    return v3_length(apart) - sides->a.state->radius - sides->b.state->radius -
           (second < sides->travel ? second : sides->travel);
}

// The distance of two bodies as they are placed, not looked for above `enough`.
static double placed_gap(const Verifier* verifier, const Side* a, const Side* b, double enough) {
    double least = INFINITY;
    for (int32_t i = a->body->first_part; i < a->body->first_part + a->body->part_count; ++i) {
        for (int32_t k = b->body->first_part; k < b->body->first_part + b->body->part_count; ++k) {
            const ScenePart* part_a = &verifier->scene->parts[i];
            const ScenePart* part_b = &verifier->scene->parts[k];
            const Pose pose_a = pose_mul(&a->pose, &part_a->frame_from_part);
            const Pose pose_b = pose_mul(&b->pose, &part_b->frame_from_part);

            BerthTreeRequest request = berth_default_tree_request();
            request.max_d = enough;
            const BerthTreeAnswer answer = berth_tree_distance(verifier->query, part_a->solid, &pose_a,
                                                               part_b->solid, &pose_b, &request);

            const double gap = answer.verdict == BERTH_FREE ? answer.lower : -INFINITY;
            least = gap < least ? gap : least;
        }
    }
    return least;
}

bool bi_verify_is_apart(const Verifier* verifier, int32_t pair) {
    const Sides sides = sides_of(verifier, pair);
    return placed_gap(verifier, &sides.a, &sides.b, 0.0) > -INFINITY;
}

double bi_verify_bound(const Verifier* verifier, const CertificateRecord* record) {
    if (record->kind == PROOF_TABLE) {
        return bi_verify_table(verifier, record->pair);
    }

    const Sides sides = sides_of(verifier, record->pair);
    switch ((ProofKind)record->kind) {
    case PROOF_BALLS:
        return ball_gap(verifier, &sides) - sides.less;
    case PROOF_PLANE:
        return plane_gap(verifier, &sides, record) - sides.less;
    case PROOF_HALF_SPACE:
        return half_space_gap(verifier, &sides) - sides.less;
    case PROOF_GAP:
        return parted_gap(verifier, &sides.a, &sides.b, record) - sides.travel - sides.less;
    case PROOF_DISTANCE: {
        const double enough = (record->bound + sides.less + sides.travel) * ENLARGED;
        return placed_gap(verifier, &sides.a, &sides.b, enough) - sides.travel - sides.less;
    }
    default:
        return -INFINITY;
    }
}

double bi_constant_slack(const BerthScene* scene, int32_t body) {
    double size = 0.0;
    for (int32_t i = 0; i < scene->bodies[body].part_count; ++i) {
        const ScenePart* part = &scene->parts[scene->bodies[body].first_part + i];
        size = fmax(size, v3_length(part->frame_from_part.t) + part->solid->extent);
    }
    return BI_DISTANCE_SLACK * size;
}

static Side constant_side(const BerthScene* scene, int32_t body) {
    return (Side){
        .body = &scene->bodies[body], .pose = pose_identity(), .slack = bi_constant_slack(scene, body)};
}

bool bi_verify_constant_is_apart(const Verifier* verifier, const CertificateConstant* constant) {
    const ScenePair* pair = &verifier->scene->pairs[constant->pair];
    const Side a = constant_side(verifier->scene, pair->body_a);
    const Side b = constant_side(verifier->scene, pair->body_b);
    return placed_gap(verifier, &a, &b, 0.0) > -INFINITY;
}

// One of the two is a half-space: what the other leaves of its plane.
static double constant_half_space_gap(const Verifier* verifier, const Side* a, const Side* b) {
    for (int which = 0; which < 2; ++which) {
        const Side* space = which == 0 ? a : b;
        const Side* other = which == 0 ? b : a;
        const ScenePart* part = &verifier->scene->parts[space->body->first_part];
        if (space->body->part_count == 1 && !part->solid->is_mesh &&
            part->solid->shape.kind == BERTH_HALFSPACE) {
            const Vec3 n = pose_turn(&part->frame_from_part, part->solid->shape.as.halfspace.normal);
            const double surface =
                part->solid->shape.as.halfspace.offset + v3_dot(n, part->frame_from_part.t);
            return -body_support(verifier, other, all_leaves, v3_neg(n), 0.0) - surface - space->slack;
        }
    }
    return -INFINITY;
}

double bi_verify_constant(const Verifier* verifier, const CertificateConstant* constant) {
    const ScenePair* pair = &verifier->scene->pairs[constant->pair];
    const Side a = constant_side(verifier->scene, pair->body_a);
    const Side b = constant_side(verifier->scene, pair->body_b);
    if (constant->kind == PROOF_GAP) {
        return parted_gap(verifier, &a, &b, constant) - pair->padding;
    }
    if (constant->kind == PROOF_HALF_SPACE) {
        return constant_half_space_gap(verifier, &a, &b) - pair->padding;
    }
    if (constant->kind != PROOF_DISTANCE) {
        return -INFINITY;
    }
    const double enough = (constant->bound + pair->padding) * ENLARGED;
    return placed_gap(verifier, &a, &b, enough) - pair->padding;
}
