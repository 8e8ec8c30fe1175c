// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Queries of states and edges, lengths, random points: everything that planners do with a space.
// Entries: bi_space_ask_state, bi_space_ask_points, bi_space_ask_edges, bi_space_sample, bi_space_distance,
// bi_space_between.

#include "plan/space.h"

#include <math.h>
#include <string.h>

#include "math/tolerance.h"

SpaceStop bi_space_poll_stop(PlanSpace* space) {
    const BerthPlannerDef* def = &space->def;
    if (def->cancelled != NULL && space->stop != SPACE_CANCELLED && def->cancelled(def->cancelled_user)) {
        space->stop = SPACE_CANCELLED;
    }
    if (def->late != NULL && !space->patient && space->stop == SPACE_GOES_ON && def->late(def->late_user)) {
        space->stop = SPACE_LATE;
    }
    return space->stop;
}

// ---- points ----------------------------------------------------------------------------------------------------

void bi_space_point_from_state(const PlanSpace* space, const double* state, double* point) {
    for (int32_t i = 0; i < space->dimension; ++i) {
        point[i] = state[space->axes[i].value];
    }
}

void bi_space_state_from_point(const PlanSpace* space, const double* point, double* state) {
    for (int32_t i = 0; i < space->value_count; ++i) {
        state[i] = space->rest[i];
    }
    for (int32_t i = 0; i < space->dimension; ++i) {
        state[space->axes[i].value] = point[i];
    }
}

static double quat_dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// The angle between two orientations. Neither need be unit.
static double quat_angle(const double* a, const double* b) {
    const double scale = sqrt(quat_dot(a, a) * quat_dot(b, b));
    const double cosine = scale > 0.0 ? fabs(quat_dot(a, b)) / scale : 1.0;
    return 2.0 * acos(fmin(cosine, 1.0));
}

double bi_space_distance(const PlanSpace* space, const double* a, const double* b) {
    double sum = 0.0;
    for (int32_t i = 0; i < space->dimension; ++i) {
        const SpaceAxis* axis = &space->axes[i];
        if (axis->kind == SPACE_QUAT) {
            const double angle = i == axis->quat_first ? axis->weight * quat_angle(a + i, b + i) : 0.0;
            sum += angle * angle;
        } else {
            const double step = axis->weight * (b[i] - a[i]);
            sum += step * step;
        }
    }
    return sqrt(sum);
}

void bi_space_between(const PlanSpace* space, const double* a, const double* b, double t, double* out) {
    if (t <= 0.0 || t >= 1.0) {
        memcpy(out, t <= 0.0 ? a : b, (size_t)space->dimension * sizeof *out);
        return;
    }

    for (int32_t i = 0; i < space->dimension; ++i) {
        const double value = a[i] + t * (b[i] - a[i]);
        out[i] = fmin(fmax(value, space->axes[i].limit_low), space->axes[i].limit_high);
    }

    // Orientations turn along the shorter arc: between the two a straight line, made unit, is on that arc. Where on it does not
    // matter to the caller: the edge to this point is checked anew.
    for (int32_t i = 0; space->has_quats && i < space->dimension; ++i) {
        if (space->axes[i].kind != SPACE_QUAT || space->axes[i].quat_first != i) {
            continue;
        }
        const double sign = quat_dot(a + i, b + i) < 0.0 ? -1.0 : 1.0;
        for (int32_t k = i; k < i + 4; ++k) {
            out[k] = (1.0 - t) * a[k] + t * sign * b[k];
        }
        const double norm = sqrt(quat_dot(out + i, out + i));
        for (int32_t k = i; k < i + 4; ++k) {
            out[k] = norm > 1e-3 ? out[k] / norm : a[k];
        }
    }
}

static void sample_quat(PlanSpace* space, double* out) {
    const BerthQuat q = bi_random_quat(&space->random);
    out[0] = q.x;
    out[1] = q.y;
    out[2] = q.z;
    out[3] = q.w;
}

void bi_space_sample(PlanSpace* space, double* point) {
    space->stats.samples += 1;
    for (int32_t i = 0; i < space->dimension; ++i) {
        const SpaceAxis* axis = &space->axes[i];
        if (axis->kind != SPACE_QUAT) {
            point[i] = bi_random_between(&space->random, axis->low, axis->high);
        } else if (axis->quat_first == i) {
            sample_quat(space, point + i);
        }
    }
}

void bi_space_sample_between(PlanSpace* space, const double* a, const double* b, double beyond,
                             double* point) {
    space->stats.samples += 1;
    for (int32_t i = 0; i < space->dimension; ++i) {
        const SpaceAxis* axis = &space->axes[i];
        const double step = beyond * (axis->high - axis->low);
        if (axis->kind != SPACE_QUAT) {
            const double low = fmax(axis->low, fmin(a[i], b[i]) - step);
            const double high = fmin(axis->high, fmax(a[i], b[i]) + step);
            point[i] = bi_random_between(&space->random, low, high);
        } else if (axis->quat_first == i) {
            sample_quat(space, point + i);
        }
    }
}

void bi_space_sample_near(PlanSpace* space, const double* centre, double reach, double* point) {
    space->stats.samples += 1;

    for (int32_t i = 0; i < space->dimension; ++i) {
        const SpaceAxis* axis = &space->axes[i];
        const double step = reach * (axis->high - axis->low);
        const double low = fmax(axis->low, centre[i] - step);
        const double high = fmin(axis->high, centre[i] + step);
        if (axis->kind != SPACE_QUAT) {
            point[i] = bi_random_between(&space->random, low, high);
        } else if (axis->quat_first == i) {
            double any[4], turned[4];
            sample_quat(space, any);
            const double sign = quat_dot(any, centre + i) < 0.0 ? -1.0 : 1.0;
            double norm_sq = 0.0;
            for (int k = 0; k < 4; ++k) {
                turned[k] = (1.0 - reach) * centre[i + k] + reach * sign * any[k];
                norm_sq += turned[k] * turned[k];
            }
            for (int k = 0; k < 4; ++k) {
                point[i + k] = norm_sq > 1e-6 ? turned[k] / sqrt(norm_sq) : centre[i + k];
            }
        }
    }
}

void bi_space_scale(const PlanSpace* space, const double* point, float* out) {
    for (int32_t i = 0; i < space->dimension; ++i) {
        const SpaceAxis* axis = &space->axes[i];
        double value = axis->weight * point[i];
        if (axis->kind == SPACE_QUAT) {
            // A unit quaternion turns by half the angle, and has two signs.
            const double* quat = point + axis->quat_first;
            const double norm = sqrt(quat_dot(quat, quat));
            value *= (quat[3] < 0.0 ? -2.0 : 2.0) / (norm > 0.0 ? norm : 1.0);
        }
        out[i] = (float)value;
    }
}

double bi_space_extent(const PlanSpace* space) {
    double sum = 0.0;
    for (int32_t i = 0; i < space->dimension; ++i) {
        const SpaceAxis* axis = &space->axes[i];
        const double width = axis->weight * (axis->high - axis->low);
        sum += width * width;
    }
    return sqrt(sum);
}

// ---- questions -------------------------------------------------------------------------------------------------

// By lanes a state is a motion that stands, and mostly free; what it collides with is for the bodies to say.
BerthStatus bi_space_ask_state(PlanSpace* space, const double* state, BerthCheckResult* out) {
    const size_t bytes = (size_t)space->value_count * sizeof *state;
    const BerthCheckRequest request = {0};
    if (space->motion->lanes != NULL) {
        memcpy(space->edge, state, bytes);
        memcpy(space->edge + space->value_count, state, bytes);
        bi_motion_ask_lanes(space->motion, space->edge, 2 * (int64_t)space->value_count, 1);
        const LanesSegmentAnswer* answer = &space->motion->lane_answers[0];
        if (answer->within && answer->verdict == LANES_FREE) {
            *out = bi_check_no_result();
            out->verdict = BERTH_FREE;
            return BERTH_OK;
        }
    }
    return berth_check_state(space->motion->checker, state, &request, out);
}

BerthStatus bi_space_ask_points(PlanSpace* space, const double* points, int32_t count, uint8_t* is_free) {
    for (int32_t i = 0; i < count; ++i) {
        BerthCheckResult result;
        double* state = space->edge + 2 * space->value_count;
        bi_space_state_from_point(space, points + (size_t)i * (size_t)space->dimension, state);
        const BerthStatus status = bi_space_ask_state(space, state, &result);
        if (status != BERTH_OK) {
            return status;
        }
        is_free[i] = result.verdict == BERTH_FREE;
    }
    return BERTH_OK;
}

bool bi_space_turns_half(const PlanSpace* space, const double* a, const double* b) {
    for (int32_t i = 0; space->has_quats && i < space->dimension; ++i) {
        const bool begins = space->axes[i].kind == SPACE_QUAT && space->axes[i].quat_first == i;
        const double scale = begins ? sqrt(quat_dot(a + i, a + i) * quat_dot(b + i, b + i)) : 0.0;
        if (begins && !(fabs(quat_dot(a + i, b + i)) > 2.0 * BI_HALF_TURN_NEAR * scale)) {
            return true;
        }
    }
    return false;
}

// One edge. Many at a time in lanes were slower here: most searches end with the first that is free, or blocked, and an edge
// that is checked alone ends with its first hit.
static BerthStatus ask_edge(PlanSpace* space, const SpaceEdge* edge, BerthMotionResult* result) {
    BerthMotionChecker* motion = space->motion;
    const int32_t values = space->value_count;
    const BerthSegment segment = {.value_count = values, .from = space->edge, .to = space->edge + values};
    const BerthMotionRequest request = {0};
    BerthStatus status = BERTH_OK;
    bi_space_state_from_point(space, edge->from, space->edge);
    bi_space_state_from_point(space, edge->to, space->edge + values);

    if (motion->lanes != NULL) {
        bi_motion_ask_lanes(motion, space->edge, 2 * (int64_t)values, 1);
        if (bi_motion_finish_lane_answer(motion, &segment, 0, &status, result)) {
            return status;
        }
    }
    return bi_motion_check_by_bodies(motion, &segment, &request, result);
}

BerthStatus bi_space_ask_edges(PlanSpace* space, const SpaceEdge* edges, int32_t count, SpaceWish wish,
                               uint8_t* is_free) {
    memset(is_free, 0, (size_t)count);
    for (int32_t i = 0; i < count; ++i) {
        // An edge that no file can tell from its way round does not exist.
        BerthMotionResult result = {.verdict = BERTH_UNKNOWN};
        const bool is_edge = !bi_space_turns_half(space, edges[i].from, edges[i].to);
        BerthStatus status = BERTH_OK;
        if (space->stats.edges >= space->lanes_from && space->motion->lanes == NULL) {
            status = bi_space_use_lanes(space);
        }
        if (status == BERTH_OK && is_edge) {
            status = ask_edge(space, &edges[i], &result);
        }
        if (status != BERTH_OK) {
            return status;
        }

        is_free[i] = result.verdict == BERTH_FREE;
        space->stats.edges += 1;
        space->stats.free_edges += is_free[i];
        if (!is_free[i]) {
            space->blocked_at = result.verdict == BERTH_COLLISION ? result.t : result.t_low;
        }
        if ((wish == SPACE_UNTIL_BLOCKED && !is_free[i]) || (wish == SPACE_UNTIL_FREE && is_free[i])) {
            break;
        }
    }
    return BERTH_OK;
}

BerthStatus bi_space_ask_edge(PlanSpace* space, const double* from, const double* to, bool* is_free) {
    uint8_t answer = 0;
    const BerthStatus status = bi_space_ask_edges(space, &(SpaceEdge){from, to}, 1, SPACE_ALL, &answer);
    *is_free = answer != 0;
    return status;
}

void bi_space_tell_edge(PlanSpace* space, int32_t tree, const double* from, const double* to) {
    const BerthPlannerDef* def = &space->def;
    if (def->grew == NULL) {
        return;
    }
    double *first = space->edge, *second = space->edge + space->value_count;
    bi_space_state_from_point(space, from, first);
    bi_space_state_from_point(space, to, second);
    def->grew(def->grew_user, &(BerthPlanEdge){tree, first, second});
}
