// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Questions about states and edges, lengths, random points: everything that planners do with a space.
// Entries: bi_space_ask_state, bi_space_ask_points, bi_space_ask_edges, bi_space_sample, bi_space_distance, bi_space_between.

#include "plan/space.h"

#include <math.h>
#include <string.h>

SpaceStop bi_space_stopped(PlanSpace* space) {
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

void bi_space_point(const PlanSpace* space, const double* state, double* point) {
    for (int32_t i = 0; i < space->dimension; ++i) {
        point[i] = state[space->axes[i].value];
    }
}

void bi_space_state(const PlanSpace* space, const double* point, double* state) {
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
    // matter to who asks: the edge to this point is asked anew.
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

BerthStatus bi_space_ask_state(PlanSpace* space, const double* state, BerthCheckResult* out) {
    const BerthCheckRequest request = {0};
    return berth_check_state(space->motion->checker, state, &request, out);
}

BerthStatus bi_space_ask_points(PlanSpace* space, const double* points, int32_t count, uint8_t* is_free) {
    for (int32_t i = 0; i < count; ++i) {
        BerthCheckResult result;
        bi_space_state(space, points + (size_t)i * (size_t)space->dimension, space->edges);
        const BerthStatus status = bi_space_ask_state(space, space->edges, &result);
        if (status != BERTH_OK) {
            return status;
        }
        is_free[i] = result.verdict == BERTH_FREE;
    }
    return BERTH_OK;
}

BerthStatus bi_space_ask_edges(PlanSpace* space, const SpaceEdge* edges, int32_t count, bool in_order,
                               uint8_t* is_free) {
    const size_t values = (size_t)space->value_count;
    BI_ASSERT(count <= SPACE_BATCH);
    memset(is_free, 0, (size_t)count);

    for (int32_t i = 0; i < count; ++i) {
        double* from = space->edges + 2 * values * (size_t)i;
        bi_space_state(space, edges[i].from, from);
        bi_space_state(space, edges[i].to, from + values);
        const BerthSegment segment = {.value_count = space->value_count, .from = from, .to = from + values};
        const BerthMotionRequest request = {0};
        BerthMotionResult result;
        const BerthStatus status = berth_motion_check_segment(space->motion, &segment, &request, &result);
        if (status != BERTH_OK) {
            return status;
        }

        is_free[i] = result.verdict == BERTH_FREE;
        space->stats.edges += 1;
        space->stats.free_edges += is_free[i];
        if (in_order && !is_free[i]) {
            break;
        }
    }
    return BERTH_OK;
}
