// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How the gap of a pair changes with the values: both witnesses move with their bodies, and only their motion
// along the normal counts.
// Entry: berth_check_gradient.

#include "check/check.h"

static const ScenePair* find_or_make_pair(const BerthScene* scene, int32_t body_a, int32_t body_b,
                                          ScenePair* made) {
    const int32_t low = body_a < body_b ? body_a : body_b;
    const int32_t high = body_a < body_b ? body_b : body_a;
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        if (scene->pairs[i].body_a == low && scene->pairs[i].body_b == high) {
            return &scene->pairs[i];
        }
    }

    // A pair that is not checked (allowed to touch, say) still has a gap: without padding.
    *made = (ScenePair){.body_a = low, .body_b = high};
    return made;
}

// Adds sign * normal . velocity of `point`, fixed to `body`, for every value.
static void add_motion(BerthChecker* checker, int32_t body, Vec3 point, Vec3 normal, double sign,
                       double* gradient) {
    const SceneBody* b = &checker->scene->bodies[body];
    if (b->frame < 0) {
        return;
    }

    const SceneRobot* robot = &checker->scene->robots[b->robot];
    bi_robot_jacobian(robot->robot, checker->world_from_frame + robot->first_frame,
                      checker->values + robot->first_value, b->frame - robot->first_frame, point,
                      checker->columns);
    for (int32_t i = 0; i < robot->value_count; ++i) {
        gradient[robot->first_value + i] += sign * v3_dot(normal, checker->columns[i]);
    }
}

BerthStatus berth_check_gradient(BerthChecker* checker, const double* values, int32_t body_a, int32_t body_b,
                                 double* gradient, BerthGapGradient* out) {
    const BerthScene* scene = checker->scene;
    BerthPairGap* gap = &out->gap;
    *out = (BerthGapGradient){
        .gap = {.body_a = body_a, .body_b = body_b, .lower = -INFINITY, .upper = INFINITY}};

    if (!scene->committed || scene->generation != checker->generation) {
        return bi_fail_quietly(BERTH_ERR_STALE);
    }
    if (body_a < 0 || body_b < 0 || body_a >= scene->body_count || body_b >= scene->body_count ||
        body_a == body_b || !bi_check_place(checker, values)) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    ScenePair made;
    const ScenePair* pair = find_or_make_pair(scene, body_a, body_b, &made);
    BerthTreeAnswer answer;
    const PairRequest wanted = {.max_d = INFINITY, .distance = true, .true_gap = true};
    bi_check_pair(checker, pair, &wanted, &answer);

    const bool swapped = pair->body_a != body_a;
    gap->lower = answer.lower;
    gap->upper = answer.upper;
    gap->point_a = swapped ? answer.point_b : answer.point_a;
    gap->point_b = swapped ? answer.point_a : answer.point_b;

    for (int32_t i = 0; i < scene->value_count; ++i) {
        gradient[i] = 0.0;
    }

    out->defined = answer.upper + pair->padding > 0.0 && v3_length_sq(answer.normal) > 0.5;
    if (out->defined) {
        add_motion(checker, pair->body_b, answer.point_b, answer.normal, 1.0, gradient);
        add_motion(checker, pair->body_a, answer.point_a, answer.normal, -1.0, gradient);
    }
    return BERTH_OK;
}
