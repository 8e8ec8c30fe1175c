// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A tool pose as a goal: states in which a link has a pose, by damped least squares (Levenberg and Marquardt)
// from many random starts. A pose is four points of the link, its origin and one along each axis, so that
// lengths alone are compared; their Jacobians are the robot's.
// Entry: berth_planner_solve_pose.

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "plan/plan.h"
#include "scene/scene.h"

enum { POINTS = 4, ROWS = 3 * POINTS, STEPS_MOST = 120, STARTS_A_STATE = 24 };

// How far the points along the axes are from the origin: what a radian counts against a metre.
static const double LEVER = 0.25;  // metres
static const double CLOSE = 1e-7;  // metres that each point may be off
static const double FIRST_DAMPING = 1e-3, MOST_DAMPING = 1e6;
static const double SAME_STATE = 1e-3;  // of the space's extent: nearer ones are the same

typedef struct PoseTask {
    PlanSpace* space;
    const BerthRobot* robot;
    Pose world_from_base;
    int32_t first_value;  // of the robot's
    int32_t link;
    Vec3 wanted[POINTS];
    // Scratch.
    Pose* world_from_link;
    Vec3* columns;  // by value of the robot
    double* rows;   // ROWS of dimension: the Jacobian
    double *state, *point, *next;
} PoseTask;

static void list_points(const Pose* pose, Vec3* out) {
    out[0] = pose->t;
    out[1] = v3_mad(pose->t, LEVER, pose->x);
    out[2] = v3_mad(pose->t, LEVER, pose->y);
    out[3] = v3_mad(pose->t, LEVER, pose->z);
}

// What is missing to the wanted points; returns the sum of squares.
static double measure(PoseTask* task, const double* point, Vec3* at, double* missing) {
    bi_space_state_from_point(task->space, point, task->state);
    berth_robot_link_poses(task->robot, &task->world_from_base, task->state + task->first_value,
                           task->world_from_link);
    list_points(&task->world_from_link[task->link], at);

    double sum = 0.0;
    for (int i = 0; i < POINTS; ++i) {
        const Vec3 d = v3_sub(task->wanted[i], at[i]);
        missing[3 * i] = d.x;
        missing[3 * i + 1] = d.y;
        missing[3 * i + 2] = d.z;
        sum += v3_length_sq(d);
    }
    return sum;
}

// The Jacobian of all points at the state that was measured last.
static void differentiate(PoseTask* task, const Vec3* at) {
    const PlanSpace* space = task->space;
    const int32_t values = berth_robot_value_count(task->robot);
    for (int p = 0; p < POINTS; ++p) {
        berth_robot_point_jacobian(task->robot, &task->world_from_base, task->state + task->first_value,
                                   task->link, at[p], task->columns);
        for (int32_t i = 0; i < space->dimension; ++i) {
            const int32_t value = space->axes[i].value - task->first_value;
            const Vec3 column = value >= 0 && value < values ? task->columns[value] : v3(0, 0, 0);
            task->rows[(3 * p) * space->dimension + i] = column.x;
            task->rows[(3 * p + 1) * space->dimension + i] = column.y;
            task->rows[(3 * p + 2) * space->dimension + i] = column.z;
        }
    }
}

// Solves (J J' + damping I) x = missing by Cholesky's method. False where rounding ends it.
static bool solve_damped(const PoseTask* task, double damping, const double* missing, double* x) {
    const int32_t n = task->space->dimension;
    double a[ROWS][ROWS];
    for (int i = 0; i < ROWS; ++i) {
        for (int k = 0; k <= i; ++k) {
            double sum = i == k ? damping : 0.0;
            for (int32_t c = 0; c < n; ++c) {
                sum += task->rows[i * n + c] * task->rows[k * n + c];
            }
            for (int c = 0; c < k; ++c) {
                sum -= a[i][c] * a[k][c];
            }
            if (i == k && !(sum > 0.0)) {
                return false;
            }
            a[i][k] = i == k ? sqrt(sum) : sum / a[k][k];
        }
    }

    for (int i = 0; i < ROWS; ++i) {
        double sum = missing[i];
        for (int k = 0; k < i; ++k) {
            sum -= a[i][k] * x[k];
        }
        x[i] = sum / a[i][i];
    }
    for (int i = ROWS - 1; i >= 0; --i) {
        for (int k = i + 1; k < ROWS; ++k) {
            x[i] -= a[k][i] * x[k];
        }
        x[i] /= a[i][i];
    }
    return true;
}

// One step from task->point to task->next, within limits.
static bool step(PoseTask* task, double damping, const double* missing) {
    const PlanSpace* space = task->space;
    const int32_t n = space->dimension;
    double x[ROWS];
    if (!solve_damped(task, damping, missing, x)) {
        return false;
    }

    for (int32_t i = 0; i < n; ++i) {
        double change = 0.0;
        for (int r = 0; r < ROWS; ++r) {
            change += task->rows[r * n + i] * x[r];
        }
        const SpaceAxis* axis = &space->axes[i];
        task->next[i] = fmin(fmax(task->point[i] + change, axis->limit_low), axis->limit_high);
    }
    for (int32_t i = 0; i < n; ++i) {
        const SpaceAxis* axis = &space->axes[i];
        double* q = task->next + i;
        if (axis->kind == SPACE_QUAT && axis->quat_first == i) {
            const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
            for (int k = 0; k < 4; ++k) {
                q[k] = norm > 1e-3 ? q[k] / norm : task->point[i + k];
            }
        }
    }
    return true;
}

static bool is_close(const double* missing) {
    for (int i = 0; i < ROWS; ++i) {
        if (!(fabs(missing[i]) <= CLOSE)) {
            return false;
        }
    }
    return true;
}

// From task->point to where the link has its pose. True when it gets there.
static bool descend(PoseTask* task) {
    const size_t bytes = (size_t)task->space->dimension * sizeof *task->point;
    Vec3 at[POINTS];
    double missing[ROWS], after[ROWS], damping = FIRST_DAMPING;
    double sum = measure(task, task->point, at, missing);
    differentiate(task, at);
    for (int i = 0; i < STEPS_MOST && damping < MOST_DAMPING && !is_close(missing); ++i) {
        Vec3 there[POINTS];
        const bool stepped = step(task, damping, missing);
        const double less = stepped ? measure(task, task->next, there, after) : (double)INFINITY;
        if (!(less < sum)) {
            damping *= 4.0;
            continue;
        }

        sum = less;
        memcpy(task->point, task->next, bytes);
        memcpy(missing, after, sizeof missing);
        differentiate(task, there);
        damping = fmax(1e-12, 0.2 * damping);
    }
    return is_close(missing);
}

static bool is_known(const PlanSpace* space, const double* states, int32_t count, const double* point,
                     double* scratch) {
    const double near = SAME_STATE * bi_space_extent(space);
    for (int32_t i = 0; i < count; ++i) {
        bi_space_point_from_state(space, states + (size_t)i * (size_t)space->value_count, scratch);
        if (bi_space_distance(space, point, scratch) < near) {
            return true;
        }
    }
    return false;
}

// The start itself first, then random points. Free states are kept; one that is not, as long as there is no other.
static BerthStatus search_states(PoseTask* task, const double* start, double* states, int32_t most,
                                 int32_t* count) {
    PlanSpace* space = task->space;
    bool last_free = true;
    *count = 0;
    for (int32_t i = 0; i < most * STARTS_A_STATE && (*count < most || !last_free); ++i) {
        if (bi_space_poll_stop(space) != SPACE_GOES_ON) {
            return space->stop == SPACE_CANCELLED ? BERTH_ERR_CANCELLED : BERTH_OK;
        }
        if (i == 0) {
            bi_space_point_from_state(space, start, task->point);
        } else {
            bi_space_sample(space, task->point);
        }
        if (!descend(task) || is_known(space, states, *count, task->point, task->next)) {
            continue;
        }

        BerthCheckResult check;
        bi_space_state_from_point(space, task->point, task->state);
        const BerthStatus status = bi_space_ask_state(space, task->state, &check);
        if (status != BERTH_OK) {
            return status;
        }
        const bool is_free = check.verdict == BERTH_FREE;
        if (is_free || *count == 0) {
            const int32_t place = last_free ? *count : *count - 1;
            memcpy(states + (size_t)place * (size_t)space->value_count, task->state,
                   (size_t)space->value_count * sizeof *states);
            *count = place + 1;
            last_free = is_free;
        }
    }
    return BERTH_OK;
}

BerthStatus berth_planner_solve_pose(BerthPlanner* planner, const BerthPlanPose* pose, const double* start,
                                     double* states, int32_t most, int32_t* count) {
    PlanSpace* space = &planner->space;
    *count = 0;
    if (bi_plan_is_stale(planner)) {
        return bi_fail(BERTH_ERR_STALE, "plan pose: the scene was edited since the planner was made");
    }
    if (pose->robot < 0 || pose->robot >= berth_scene_robot_count(space->scene) || most <= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "plan pose: robot %d and %d states: expected one of the scene's, and > 0",
                       (int)pose->robot, (int)most);
    }
    const SceneRobot* robot = &space->scene->robots[pose->robot];
    if (pose->link < 0 || pose->link >= berth_robot_link_count(robot->robot)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "plan pose: robot '%s' has no link %d", robot->name,
                       (int)pose->link);
    }
    BerthStatus status = bi_space_begin(space, &(BerthPlanQuery){start, start, 1});
    if (status != BERTH_OK) {
        return status;
    }

    Arena arena;
    bi_arena_init(&arena, &planner->allocator, 0);
    const size_t dimension = (size_t)space->dimension;
    PoseTask task = {.space = space,
                     .robot = robot->robot,
                     .world_from_base = robot->world_from_base,
                     .first_value = robot->first_value,
                     .link = pose->link};
    list_points(&pose->world_from_link, task.wanted);
    task.world_from_link =
        bi_arena_take(&arena, (size_t)berth_robot_link_count(robot->robot), sizeof *task.world_from_link);
    task.columns = bi_arena_take(&arena, (size_t)robot->value_count, sizeof *task.columns);
    task.rows = bi_arena_take(&arena, ROWS * dimension, sizeof *task.rows);
    task.state = bi_arena_take(&arena, (size_t)space->value_count, sizeof *task.state);
    task.point = bi_arena_take(&arena, dimension, sizeof *task.point);
    task.next = bi_arena_take(&arena, dimension, sizeof *task.next);
    const bool has_room = task.world_from_link != NULL && task.columns != NULL && task.rows != NULL &&
                          task.state != NULL && task.point != NULL && task.next != NULL;
    status = has_room ? search_states(&task, start, states, most, count) : BERTH_ERR_MEMORY;
    bi_arena_free(&arena);
    return status == BERTH_OK ? BERTH_OK : bi_fail(status, "plan pose: %s", berth_status_meaning(status));
}
