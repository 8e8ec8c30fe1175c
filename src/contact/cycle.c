// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One cycle of a contact world, and the poses of its bodies. Nothing here allocates.

#include <stddef.h>

#include "contact/contact.h"
#include "math/math.h"
#include "robot/robot.h"
#include "scene/scene.h"

bool bi_contact_pose_is_good(const Pose* p) {
    const Vec3 sum = v3_add(v3_add(v3_abs(p->x), v3_abs(p->y)), v3_add(v3_abs(p->z), v3_abs(p->t)));
    const bool turned =
        fabs(v3_length_sq(p->x) - 1.0) <= BI_ROTATION_NEAR &&
        fabs(v3_length_sq(p->y) - 1.0) <= BI_ROTATION_NEAR &&
        fabs(v3_length_sq(p->z) - 1.0) <= BI_ROTATION_NEAR && fabs(v3_dot(p->x, p->y)) <= BI_ROTATION_NEAR &&
        v3_dot(v3_cross(p->x, p->y), p->z) > 0.5 && fabs(v3_dot(p->y, p->z)) <= BI_ROTATION_NEAR &&
        fabs(v3_dot(p->z, p->x)) <= BI_ROTATION_NEAR;
    return turned && sum.x + sum.y + sum.z <= 3.0 * BI_COORDINATE_MAX;
}

BerthStatus berth_contact_move(BerthContactWorld* world, int32_t body, const BerthPose* pose,
                               const BerthVec3* velocity, const BerthVec3* spin) {
    if (world == NULL || pose == NULL || body < 0 || body >= world->body_count ||
        !bi_contact_pose_is_good(pose) || (velocity != NULL && !v3_finite(*velocity)) ||
        (spin != NULL && !v3_finite(*spin))) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    Body* b = &world->bodies[body];
    b->world_from_body = *pose;
    b->velocity = velocity != NULL ? *velocity : v3(0.0, 0.0, 0.0);
    b->spin = spin != NULL ? *spin : v3(0.0, 0.0, 0.0);
    b->momentum = pose_turn(pose, columns_apply(b->inertia, pose_turn_back(pose, b->spin)));
    return BERTH_OK;
}

void berth_contact_forget(BerthContactWorld* world) {
    for (int32_t i = 0; world != NULL && world->committed && i < world->memory_count; ++i) {
        world->memories[i] = (PairMemory){.axis = {.kind = AXIS_NONE}};
    }
    for (int32_t i = 0; world != NULL && world->committed && i < world->pair_count; ++i) {
        world->sticks[i] = (Stick){.twist = 0.0};
    }
}

static void start_cycle(BerthContactWorld* world) {
    BerthContact* swapped = world->before;
    world->before = world->contacts;
    world->contacts = swapped;
    world->before_count = world->contact_count;
    world->contact_count = 0;

    // 0 is the cycle of a memory that was never used; a cycle number comes round after years.
    world->cycle = world->cycle + 1 > 1 ? world->cycle + 1 : 2;
    world->counters = (BerthContactCounters){0};

    for (int32_t i = 0; i < world->body_count; ++i) {
        world->wrenches[i] = (BerthWrench){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    }
}

BerthStatus berth_contact_cycle(BerthContactWorld* world, BerthContactResult* out) {
    if (world == NULL || out == NULL || !world->committed) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    start_cycle(world);
    *out = (BerthContactResult){.verdict = BERTH_UNKNOWN};
    int32_t touching = 0;
    int32_t blind = 0;

    for (int32_t i = 0; i < world->pair_count; ++i) {
        const BodyPair* pair = &world->pairs[i];
        const int32_t first = world->contact_count;
        const BodyMeeting met = bi_contact_bodies(world, pair);
        touching += met.meeting == MEETING_TOUCH;
        out->lost_count += met.lost;

        if (met.is_blind || met.meeting == MEETING_UNKNOWN) {
            world->unknown[out->unknown_pairs++] =
                (BerthUnknownPair){pair->a, pair->b, met.doubt, met.touching};
            blind += met.is_blind;
        }
        bi_contact_forces(world, pair, first, world->contact_count);
    }

    out->unknown = world->unknown;
    out->contacts = world->contacts;
    out->contact_count = world->contact_count;
    out->wrenches = world->wrenches;
    out->wrench_count = world->body_count;
    out->counters = world->counters;

    if (touching > 0) {
        out->verdict = BERTH_COLLISION;
    } else if (out->unknown_pairs == 0) {
        out->verdict = BERTH_FREE;
    } else {
        out->reason = blind > 0 ? BERTH_REASON_TOO_CLOSE : BERTH_REASON_NUMERIC;
    }

    return out->lost_count == 0 ? BERTH_OK : bi_fail_quietly(BERTH_ERR_CAPACITY);
}

// ---- places of a scene's robots ------------------------------------------------------------------------------

// Speeds that took a body from one pose to the next: the rotation vector of the difference, over dt.
static void set_speeds(Body* body, const Pose* before, const Pose* now, double dt) {
    const Vec3 from = pose_apply(before, body->centroid), to = pose_apply(now, body->centroid);
    body->velocity = v3_scale(v3_sub(to, from), 1.0 / dt);

    const Vec3 sine = v3_scale(
        v3_add(v3_add(v3_cross(before->x, now->x), v3_cross(before->y, now->y)), v3_cross(before->z, now->z)),
        0.5);
    const double cosine =
        0.5 * (v3_dot(before->x, now->x) + v3_dot(before->y, now->y) + v3_dot(before->z, now->z) - 1.0);

    // Small steps: the angle over its sine is 1 up to the third order; half turns within a step have no direction.
    const double s = v3_length(sine);
    const double angle = s > 0.0 ? atan2(s, cosine) : 0.0;
    body->spin = s > 0.0 ? v3_scale(sine, angle / s / dt) : v3(0.0, 0.0, 0.0);
}

BerthStatus berth_contact_lead(BerthContactWorld* world, int32_t body, const BerthPose* pose, double dt) {
    if (world == NULL || body < 0 || body >= world->body_count || !(dt >= 0.0)) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    const Pose before = world->bodies[body].world_from_body;
    const BerthStatus status = berth_contact_move(world, body, pose, NULL, NULL);
    if (status == BERTH_OK && dt > 0.0) {
        Body* b = &world->bodies[body];
        set_speeds(b, &before, pose, dt);
        b->momentum = pose_turn(pose, columns_apply(b->inertia, pose_turn_back(pose, b->spin)));
    }
    return status;
}

BerthStatus berth_contact_place(BerthContactWorld* world, const double* values, double dt) {
    if (world == NULL || !world->committed || world->scene == NULL ||
        world->scene->generation != world->generation || !(dt >= 0.0) ||
        (values == NULL && world->scene->value_count > 0)) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    const BerthScene* scene = world->scene;
    for (int32_t i = 0; i < scene->robot_count; ++i) {
        const SceneRobot* robot = &scene->robots[i];
        bi_robot_frame_poses(robot->robot, &robot->world_from_base, values + robot->first_value,
                             world->world_from_frame + robot->first_frame);
    }

    for (int32_t i = 0; i < world->body_count; ++i) {
        Body* body = &world->bodies[i];
        if (body->frame < 0) {
            continue;
        }

        const Pose now = world->world_from_frame[body->frame], before = body->world_from_body;
        if (!bi_contact_pose_is_good(&now)) {
            return bi_fail_quietly(BERTH_ERR_ARGUMENT);
        }

        body->world_from_body = now;
        body->velocity = body->spin = v3(0.0, 0.0, 0.0);
        if (dt > 0.0 && body->placed) {
            set_speeds(body, &before, &now, dt);
        }
        body->placed = true;
    }

    return BERTH_OK;
}
