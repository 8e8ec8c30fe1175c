// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The poses of all bodies in a state, and the gap of one pair of bodies there.
// Entries: bi_check_place, bi_check_place_balls, bi_check_pair.

#include "check/check.h"

// A quaternion that the scene would take for a state: neither zero nor beyond any use.
static bool is_rotation(const double* q) {
    const double length_sq = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return length_sq >= BI_QUAT_MIN_SQ && length_sq <= BI_COORDINATE_MAX * BI_COORDINATE_MAX;
}

// fmax is a call. Neither is NaN: values are finite here, and so is everything in a robot.
static inline double larger_of(double a, double b) {
    return a > b ? a : b;
}

// False when a value is beyond what the scene takes for a state.
static bool measure_moved(const BerthRobot* robot, const double* values, CheckMoved* out) {
    double size = 0.0;
    double worst_angle = 0.0;
    double turns = 0.0;

    for (int32_t i = 0; i < robot->frame_count; ++i) {
        const RobotFrame* f = &robot->frames[i];
        const double* v = values + f->value;
        switch (f->motion) {
        case FRAME_STILL:
            break;
        case FRAME_SLIDE:
            size += fabs(f->multiplier * v[0]);
            break;
        case FRAME_PLANAR:
            size += fabs(v[0]) + fabs(v[1]);
            worst_angle = larger_of(worst_angle, fabs(v[2]));
            break;
        case FRAME_FLOATING:
            size += fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
            if (!is_rotation(v + 3)) {
                size = (double)NAN;
            }
            break;
        default:
            worst_angle = larger_of(worst_angle, fabs(f->multiplier * v[0] + f->offset));
            if (f->offset != 0.0 || fabs(f->multiplier) != 1.0) {
                turns += fabs(f->multiplier * v[0]) + fabs(f->offset);
            }
            break;
        }
    }

    *out = (CheckMoved){size, turns};
    return worst_angle <= BI_ANGLE_MAX && size <= BI_COORDINATE_MAX;
}

static bool all_finite(const double* values, int32_t count) {
    double sum = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        sum += values[i] * 0.0;  // 0 for finite values, NaN for the others
    }
    return sum == 0.0;
}

static void place_frames(BerthChecker* checker, const double* values) {
    const BerthScene* scene = checker->scene;
    for (int32_t i = 0; i < scene->robot_count; ++i) {
        const SceneRobot* robot = &scene->robots[i];
        const double* now = values + robot->first_value;
        double* old = checker->values + robot->first_value;
        Pose* frames = checker->world_from_frame + robot->first_frame;

        if (checker->has_values) {
            bi_robot_frame_poses_update(robot->robot, &robot->world_from_base, old, now, frames);
        } else {
            bi_robot_frame_poses(robot->robot, &robot->world_from_base, now, frames);
        }
        for (int32_t k = 0; k < robot->value_count; ++k) {
            old[k] = now[k];
        }
    }

    checker->has_values = true;
}

// Poses of a body's parts. Most bodies are never looked at more closely than by their ball, so this waits until one is.
static void place_parts(BerthChecker* checker, int32_t index) {
    const SceneBody* body = &checker->scene->bodies[index];
    if (body->frame < 0 || checker->placed[index] == checker->placings) {
        return;
    }

    checker->placed[index] = checker->placings;
    const Pose* world_from_frame = &checker->world_from_frame[body->frame];
    for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
        checker->world_from_part[p] = pose_mul(world_from_frame, &checker->scene->parts[p].frame_from_part);
    }
}

bool bi_check_place_balls(BerthChecker* checker, const double* values) {
    const BerthScene* scene = checker->scene;
    if (!all_finite(values, scene->value_count)) {
        return false;
    }

    for (int32_t i = 0; i < scene->robot_count; ++i) {
        const SceneRobot* robot = &scene->robots[i];
        if (!measure_moved(robot->robot, values + robot->first_value, &checker->moved[i])) {
            return false;
        }
    }

    place_frames(checker, values);
    checker->placings += 1;
    for (int32_t i = 0; i < scene->moved_body_count; ++i) {  // the others stand still
        const SceneBody* body = &scene->bodies[i];
        CheckBody* state = &checker->bodies[i];
        if (body->frame >= 0) {
            state->centre = pose_apply(&checker->world_from_frame[body->frame], state->local_centre);
            state->size = bi_check_scene_radius(state->still_size, &checker->moved[body->robot]);
        }
    }

    return true;
}

bool bi_check_place(BerthChecker* checker, const double* values) {
    if (!bi_check_place_balls(checker, values)) {
        return false;
    }
    for (int32_t i = 0; i < checker->scene->moved_body_count; ++i) {
        place_parts(checker, i);
    }
    return true;
}

static BerthVerdict worse_verdict(BerthVerdict a, BerthVerdict b) {
    if (a == BERTH_COLLISION || b == BERTH_COLLISION) {
        return BERTH_COLLISION;
    }
    return a == BERTH_UNKNOWN || b == BERTH_UNKNOWN ? BERTH_UNKNOWN : BERTH_FREE;
}

// Keeps the smaller gap of two answers about the same pair of bodies.
static void merge_answers(BerthTreeAnswer* sum, const BerthTreeAnswer* more) {
    BerthCounters counters = sum->counters;
    counters_add(&counters, &more->counters);

    const double lower = more->lower < sum->lower ? more->lower : sum->lower;
    const BerthVerdict worse = worse_verdict(sum->verdict, more->verdict);
    const BerthReason reason = sum->verdict == BERTH_UNKNOWN ? sum->reason : more->reason;

    if (more->upper < sum->upper) {
        *sum = *more;
    }

    sum->lower = lower;
    sum->counters = counters;
    sum->verdict = worse;
    sum->reason = worse == BERTH_UNKNOWN ? reason : BERTH_REASON_NONE;
}

// One pair of parts, with points in the world (or in the common frame, for constant pairs before any state).
static void part_gap(BerthChecker* checker, int32_t part_a, int32_t part_b, const SolidRequest* request,
                     BerthTreeAnswer* out) {
    const BerthScene* scene = checker->scene;
    const Pose* world_from_a = &checker->world_from_part[part_a];
    const Pose a_from_b = pose_between(world_from_a, &checker->world_from_part[part_b]);
    bi_solid_query(checker->query, scene->parts[part_a].solid, scene->parts[part_b].solid, &a_from_b, request,
                   out);

    out->point_a = pose_apply(world_from_a, out->point_a);
    out->point_b = pose_apply(world_from_a, out->point_b);
    out->meeting = pose_apply(world_from_a, out->meeting);
    out->normal = pose_turn(world_from_a, out->normal);
}

// Bodies that are apart meet in their paddings: where the two overlap, on the line between the nearest points.
static Vec3 meet_in_padding(const SceneBody* a, const SceneBody* b, double padding,
                            const BerthTreeAnswer* answer) {
    const bool same_robot = a->robot >= 0 && a->robot == b->robot;
    const double own = same_robot ? a->radius : a->padding;
    const double apart = v3_distance(answer->point_a, answer->point_b);
    const double way = fmin(fmax(0.5 * (apart + own - (padding - own)), 0.0), apart);
    return v3_mad(answer->point_a, apart > 0.0 ? way / apart : 0.0, v3_sub(answer->point_b, answer->point_a));
}

static void body_gap(BerthChecker* checker, const ScenePair* pair, const PairRequest* wanted,
                     BerthTreeAnswer* out) {
    const SceneBody* a = &checker->scene->bodies[pair->body_a];
    const SceneBody* b = &checker->scene->bodies[pair->body_b];
    const double size = checker->bodies[pair->body_a].size + checker->bodies[pair->body_b].size;
    const double padding = bi_check_padding(checker, pair);
    place_parts(checker, pair->body_a);
    place_parts(checker, pair->body_b);

    const double margin = bi_check_margin(checker, pair);
    SolidRequest request = {.min_d = margin + padding,
                            .stop_d = wanted->true_gap ? 0.0 : fmax(margin, wanted->enough) + padding,
                            .max_d = wanted->max_d + padding,
                            .tolerance = wanted->tolerance,
                            .base = margin + padding,
                            .slack = BI_DISTANCE_SLACK * (size + padding),
                            .budget = wanted->budget,
                            .sorted = wanted->distance};

    *out = (BerthTreeAnswer){.verdict = BERTH_FREE, .lower = INFINITY, .upper = INFINITY};
    for (int32_t i = 0; i < a->part_count; ++i) {
        for (int32_t j = 0; j < b->part_count; ++j) {
            if (i == 0 && j == 0) {
                part_gap(checker, a->first_part, b->first_part, &request, out);
            } else {
                BerthTreeAnswer one;
                part_gap(checker, a->first_part + i, b->first_part + j, &request, &one);
                merge_answers(out, &one);
            }
            if (out->verdict == BERTH_COLLISION && !wanted->distance) {
                i = a->part_count - 1;  // one witness will do
                break;
            }
            if (out->upper < request.max_d) {
                request.max_d = out->upper > request.stop_d ? out->upper : request.stop_d;
            }
        }
    }

    if (out->verdict == BERTH_COLLISION && out->upper > 0.0) {
        out->meeting = meet_in_padding(a, b, padding, out);
    }

    out->upper -= padding;
    out->lower -= padding;
    checker->stats.nodes_opened += out->counters.bv_tests;
}

// Shapes that seem to touch: a search that loses its direction in rounding calls that an upper bound of 0.
static bool only_touches(const BerthTreeAnswer* answer, double padding) {
    return answer->upper + padding == 0.0 && !answer->contained &&
           (answer->triangle_a < 0 || answer->triangle_b < 0);
}

void bi_check_pair(BerthChecker* checker, const ScenePair* pair, const PairRequest* wanted,
                   BerthTreeAnswer* out) {
    body_gap(checker, pair, wanted, out);
    const bool open = out->verdict == BERTH_UNKNOWN || only_touches(out, bi_check_padding(checker, pair));
    if (!open || !wanted->distance) {
        return;
    }

    // A distance may stop within its tolerance, or within what its search resolves, with the margin still between its
    // bounds. The question about the margin alone is sharper, and both ways of asking must give the same verdict.
    const PairRequest plain = {.max_d = bi_check_margin(checker, pair)};
    BerthTreeAnswer sharp;
    body_gap(checker, pair, &plain, &sharp);
    if (sharp.verdict == BERTH_UNKNOWN || sharp.verdict == out->verdict) {
        return;
    }

    if (sharp.verdict == BERTH_COLLISION) {
        *out = sharp;
        return;
    }

    // Proven free: the first answer's points are still points of the two bodies, and may be the only ones.
    const double lower = fmax(out->lower, sharp.lower);
    const double apart = v3_distance(out->point_a, out->point_b) - bi_check_padding(checker, pair);
    const double upper = out->upper > lower ? out->upper : fmax(apart, lower);
    if (sharp.upper < upper) {
        *out = sharp;
    } else {
        out->upper = upper;
    }

    out->lower = lower;
    out->verdict = BERTH_FREE;
    out->reason = BERTH_REASON_NONE;
}
