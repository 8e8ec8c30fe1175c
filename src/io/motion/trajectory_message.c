// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// trajectory_msgs/JointTrajectory as JSON or YAML, as ROS 1, ROS 2, MoveIt and MotionBenchMaker write it:
// joint_names and points, bare or inside RobotTrajectory, DisplayTrajectory or the goal of an action. Known
// parts are read strictly; tolerances, headers and efforts are skipped.
// Entry: bi_io_read_trajectory_message.

#include <math.h>
#include <string.h>

#include "io/motion/table.h"
#include "io/motion/trajectory.h"
#include "io/syntax/file.h"
#include "io/syntax/yaml.h"
#include "math/tolerance.h"
#include "scene/scene.h"

enum { WRAPPER_MAX = 4 };

typedef struct MessageReader {
    YamlFile yaml;
    const BerthScene* scene;
    BerthTrajectory* out;
    TableColumn* columns;  // what each joint name is
    double* numbers;       // one a joint name
    const char** names;
    int32_t joint_count;
} MessageReader;

static BerthStatus fail_memory(const MessageReader* r) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", r->out->path);
}

// A list that is there and not empty. ROS writes empty lists for what is not given.
static bool is_given(const YamlNode* node) {
    return node != NULL && !bi_yaml_is_null(node) && !(node->kind == YAML_LIST && node->count == 0) &&
           !(node->kind == YAML_VALUE && node->length == 0);
}

// ---- where the trajectory is -------------------------------------------------------------------------------

static BerthStatus refuse_multi_dof(const MessageReader* r, const YamlNode* map) {
    static const char* const keys[] = {"multi_dof_joint_trajectory", "multi_dof_trajectory"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        const YamlNode* multi = bi_yaml_find(map, keys[i]);
        const YamlNode* points = multi != NULL ? bi_yaml_find(multi, "points") : NULL;
        if (points != NULL && is_given(points)) {
            return bi_yaml_fail(
                &r->yaml, points,
                "%s: poses of multi-dof joints are not read; write them as joints NAME/x ... NAME/qw",
                keys[i]);
        }
    }
    return BERTH_OK;
}

// One step inward: RobotTrajectory.joint_trajectory, DisplayTrajectory.trajectory[0], FollowJointTrajectory.goal.
static BerthStatus unwrap_once(const MessageReader* r, const YamlNode** node) {
    static const char* const known[] = {"header",
                                        "goal_id",
                                        "goal",
                                        "model_id",
                                        "trajectory_start",
                                        "trajectory",
                                        "joint_trajectory",
                                        "multi_dof_joint_trajectory",
                                        "multi_dof_trajectory",
                                        "path_tolerance",
                                        "goal_tolerance",
                                        "goal_time_tolerance",
                                        "component_path_tolerance",
                                        "component_goal_tolerance",
                                        "joint_names",
                                        "points",
                                        NULL};
    static const char* const inward[] = {"joint_trajectory", "trajectory", "goal"};

    BerthStatus status = bi_yaml_check_keys(&r->yaml, *node, "trajectory", known);
    if (status == BERTH_OK) {
        status = refuse_multi_dof(r, *node);
    }

    for (size_t i = 0; i < sizeof inward / sizeof inward[0] && status == BERTH_OK; ++i) {
        const YamlNode* inner = bi_yaml_find(*node, inward[i]);
        if (inner == NULL) {
            continue;
        }

        if (inner->kind == YAML_LIST && inner->count != 1) {
            return bi_yaml_fail(&r->yaml, inner, "%s: one trajectory was expected, here are %d", inward[i],
                                (int)inner->count);
        }
        *node = inner->kind == YAML_LIST ? inner->first : inner;
        return BERTH_OK;
    }

    if (status != BERTH_OK) {
        return status;
    }
    return bi_yaml_fail(&r->yaml, *node,
                        "trajectory: joint_names and points were expected (trajectory_msgs/JointTrajectory)");
}

static BerthStatus find_message(const MessageReader* r, const YamlNode** node) {
    static const char* const keys[] = {"header", "joint_names", "points", NULL};
    for (int depth = 0; depth < WRAPPER_MAX; ++depth) {
        BerthStatus status = bi_yaml_expect_kind(&r->yaml, *node, "trajectory", YAML_MAP);
        if (status != BERTH_OK) {
            return status;
        }

        if (bi_yaml_find(*node, "joint_names") != NULL || bi_yaml_find(*node, "points") != NULL) {
            return bi_yaml_check_keys(&r->yaml, *node, "trajectory", keys);
        }

        status = unwrap_once(r, node);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return bi_yaml_fail(&r->yaml, *node, "trajectory: nested too deeply");
}

// ---- joints ------------------------------------------------------------------------------------------------

static BerthStatus read_joints(MessageReader* r, const YamlNode* root) {
    const YamlNode* names = bi_yaml_find(root, "joint_names");
    if (names == NULL) {
        return bi_yaml_fail(&r->yaml, root, "trajectory: joint_names is missing");
    }

    BerthStatus status = bi_yaml_expect_kind(&r->yaml, names, "joint_names", YAML_LIST);
    if (status == BERTH_OK && names->count == 0) {
        status = bi_yaml_fail(&r->yaml, names, "joint_names: at least one was expected");
    }
    if (status != BERTH_OK) {
        return status;
    }

    r->joint_count = names->count;
    r->columns = bi_arena_take(&r->yaml.arena, (size_t)names->count, sizeof *r->columns);
    r->numbers = bi_arena_take(&r->yaml.arena, (size_t)names->count, sizeof *r->numbers);
    bool* seen = bi_arena_take(&r->yaml.arena, (size_t)r->scene->value_count, sizeof *seen);
    r->names = bi_arena_take(&r->yaml.arena, (size_t)names->count, sizeof *r->names);
    if (r->columns == NULL || r->numbers == NULL || seen == NULL || r->names == NULL) {
        return fail_memory(r);
    }

    int32_t i = 0;
    for (const YamlNode* node = names->first; node != NULL; node = node->next, ++i) {
        const char* name = NULL;
        status = bi_yaml_text(&r->yaml, node, "joint_names", &name);
        if (status != BERTH_OK) {
            return status;
        }

        char fault[BI_NAME_FAULT_SIZE] = "";
        TableColumn* column = &r->columns[i];
        r->names[i] = name;
        if (!bi_io_match_column(r->scene, name, 0, column, fault)) {
            return bi_yaml_fail(&r->yaml, node, "joint_names: '%.200s': %s", name, fault);
        }
        if (column->follows) {
            continue;
        }

        if (seen[column->value]) {
            return bi_yaml_fail(&r->yaml, node, "joint_names: '%.200s' appears twice", name);
        }
        seen[column->value] = true;
    }
    return BERTH_OK;
}

// ---- points ------------------------------------------------------------------------------------------------

// {sec, nanosec}, {secs, nsecs} or a number of seconds.
static BerthStatus read_time(const MessageReader* r, const YamlNode* node, double* out) {
    static const char* const keys[] = {"sec", "nanosec", "secs", "nsecs", NULL};
    enum { SECONDS_MAX = 2147483647, NANOSECONDS_MAX = 999999999 };
    if (node->kind != YAML_MAP) {
        return bi_yaml_number(&r->yaml, node, "time_from_start", 0.0, SECONDS_MAX, out);
    }

    BerthStatus status = bi_yaml_check_keys(&r->yaml, node, "time_from_start", keys);
    if (status != BERTH_OK) {
        return status;
    }

    const bool old = bi_yaml_find(node, "secs") != NULL || bi_yaml_find(node, "nsecs") != NULL;
    const bool new = bi_yaml_find(node, "sec") != NULL || bi_yaml_find(node, "nanosec") != NULL;
    if (old == new) {
        return bi_yaml_fail(&r->yaml, node,
                            "time_from_start: sec and nanosec, or secs and nsecs, were expected");
    }

    const YamlNode* whole = bi_yaml_find(node, old ? "secs" : "sec");
    const YamlNode* part = bi_yaml_find(node, old ? "nsecs" : "nanosec");
    double seconds = 0.0;
    double nanoseconds = 0.0;

    if (whole != NULL) {
        status = bi_yaml_number(&r->yaml, whole, "time_from_start", 0.0, SECONDS_MAX, &seconds);
    }
    if (status == BERTH_OK && part != NULL) {
        status = bi_yaml_number(&r->yaml, part, "time_from_start", 0.0, NANOSECONDS_MAX, &nanoseconds);
    }

    if (status == BERTH_OK && (seconds != floor(seconds) || nanoseconds != floor(nanoseconds))) {
        status = bi_yaml_fail(&r->yaml, node, "time_from_start: whole numbers were expected");
    }

    *out = seconds + nanoseconds / 1e9;
    return status;
}

// What the first point has, all must have: a mixture would be executed in a way nobody wrote down.
static BerthStatus check_as_first_point(const MessageReader* r, const YamlNode* point, int32_t index,
                                        const char* what, bool wanted) {
    const YamlNode* node = bi_yaml_find(point, what);
    if (is_given(node) == wanted) {
        return BERTH_OK;
    }
    return bi_yaml_fail(&r->yaml, node != NULL ? node : point, "point %d has %s %s, but point 0 has %s",
                        (int)index, wanted ? "no" : "its", what, wanted ? "some" : "none");
}

// Joints that follow others say nothing new, and must say the same.
static BerthStatus check_followers(const MessageReader* r, const YamlNode* node, const char* what,
                                   const double* row, bool rate) {
    for (int32_t i = 0; i < r->joint_count; ++i) {
        const TableColumn* column = &r->columns[i];
        const double expected = column->follows ? bi_io_follower_value(column, row, rate) : 0.0;
        if (column->follows && !bi_io_follower_agrees(r->numbers[i], expected)) {
            char leader[2 * BI_SCENE_NAME_MAX + 2] = "a fixed joint";
            if (column->value >= 0) {
                berth_scene_value_name(r->scene, column->value, leader, sizeof leader);
            }
            return bi_yaml_fail(
                &r->yaml, node,
                "%s: number %d, of joint '%.200s', is %.12g, but it follows '%s', by which it "
                "is %.12g (it may differ by %g)",
                what, (int)i + 1, r->names[i], r->numbers[i], leader, expected, BI_MIMIC_NEAR);
        }
    }
    return BERTH_OK;
}

static BerthStatus read_list(MessageReader* r, const YamlNode* point, const char* what, double limit,
                             double* row) {
    const YamlNode* node = bi_yaml_find(point, what);
    const BerthStatus status = bi_yaml_numbers(&r->yaml, node, what, r->joint_count, limit, r->numbers);
    if (status != BERTH_OK) {
        return status;
    }

    for (int32_t i = 0; i < r->joint_count; ++i) {
        if (!r->columns[i].follows) {
            row[r->columns[i].value] = r->numbers[i];
        }
    }
    return check_followers(r, node, what, row, strcmp(what, "positions") != 0);
}

static BerthStatus read_point(MessageReader* r, const YamlNode* point, int32_t index) {
    static const char* const keys[] = {"positions", "velocities",      "accelerations",
                                       "effort",    "time_from_start", NULL};

    BerthTrajectory* out = r->out;
    const size_t at = (size_t)index * (size_t)out->value_count;
    out->lines[index] = point->line;

    BerthStatus status = bi_yaml_check_keys(&r->yaml, point, "point", keys);
    if (status == BERTH_OK && !is_given(bi_yaml_find(point, "positions"))) {
        status = bi_yaml_fail(&r->yaml, point, "point %d has no positions", (int)index);
    }
    if (status == BERTH_OK) {
        status = read_list(r, point, "positions", BI_COORDINATE_MAX, out->positions + at);
    }

    // What the first point has, every point has.
    if (status == BERTH_OK) {
        status = check_as_first_point(r, point, index, "velocities", out->velocities != NULL);
    }
    if (status == BERTH_OK && out->velocities != NULL) {
        status = read_list(r, point, "velocities", BI_VELOCITY_MAX, out->velocities + at);
    }
    if (status == BERTH_OK) {
        status = check_as_first_point(r, point, index, "accelerations", out->accelerations != NULL);
    }
    if (status == BERTH_OK && out->accelerations != NULL) {
        status = read_list(r, point, "accelerations", BI_ACCELERATION_MAX, out->accelerations + at);
    }

    if (status == BERTH_OK) {
        status = check_as_first_point(r, point, index, "time_from_start", out->times != NULL);
    }
    if (status == BERTH_OK && out->times != NULL) {
        status = read_time(r, bi_yaml_find(point, "time_from_start"), &out->times[index]);
    }

    const YamlNode* effort = bi_yaml_find(point, "effort");
    if (status == BERTH_OK && is_given(effort)) {
        status = bi_yaml_expect_kind(&r->yaml, effort, "effort", YAML_LIST);
    }
    return status;
}

// A path that nobody gave times yet has 0 everywhere: that is no time at all. A single point may well be at 0.
static void drop_zero_times(BerthTrajectory* t) {
    for (int32_t i = 0; t->times != NULL && i < t->row_count; ++i) {
        if (t->times[i] != 0.0 || t->row_count == 1) {
            return;
        }
    }
    bi_give(&t->allocator, t->times, (size_t)t->row_count, sizeof *t->times);
    t->times = NULL;
}

static BerthStatus read_points(MessageReader* r, const YamlNode* root) {
    const YamlNode* points = bi_yaml_find(root, "points");
    if (points == NULL) {
        return bi_yaml_fail(&r->yaml, root, "trajectory: points is missing");
    }

    BerthStatus status = bi_yaml_expect_kind(&r->yaml, points, "points", YAML_LIST);
    if (status == BERTH_OK && points->count == 0) {
        status = bi_yaml_fail(&r->yaml, points, "points: at least one was expected");
    }
    if (status == BERTH_OK) {
        status = bi_yaml_expect_kind(&r->yaml, points->first, "point", YAML_MAP);
    }
    if (status != BERTH_OK) {
        return status;
    }

    const TrajectoryParts parts = {.velocities = is_given(bi_yaml_find(points->first, "velocities")),
                                   .accelerations = is_given(bi_yaml_find(points->first, "accelerations")),
                                   .times = is_given(bi_yaml_find(points->first, "time_from_start"))};
    status = bi_io_check_row_count(r->out->path, "rows", points->count, 1, r->scene);
    if (status == BERTH_OK) {
        status = bi_io_allocate_trajectory(points->count, r->scene, parts, r->out);
    }
    for (int32_t i = 0; i < r->joint_count && status == BERTH_OK; ++i) {
        if (!r->columns[i].follows) {
            r->out->named[r->columns[i].value] = true;
        }
    }

    int32_t index = 0;
    for (const YamlNode* point = points->first; point != NULL && status == BERTH_OK;
         point = point->next, ++index) {
        status = read_point(r, point, index);
    }

    if (status == BERTH_OK) {
        drop_zero_times(r->out);
    }
    return status;
}

BerthStatus bi_io_read_trajectory_message(const char* data, size_t size, const BerthScene* scene,
                                          const BerthIoOptions* options, BerthTrajectory* out) {
    MessageReader r = {.scene = scene, .out = out};

    BerthStatus status = bi_yaml_parse(data, size, out->path, 1, &out->allocator, &r.yaml);
    const YamlNode* root = r.yaml.root;

    if (status == BERTH_OK) {
        status = find_message(&r, &root);
    }
    if (status == BERTH_OK) {
        status = read_joints(&r, root);
    }
    if (status == BERTH_OK) {
        status = read_points(&r, root);
    }

    out->times_from_start = out->times != NULL;
    if (status == BERTH_OK && out->times != NULL && out->times[0] > 0.0) {
        bi_io_warn(
            options,
            "%s:%lld: the first point is at %g s: how the robot gets there from where it is, is not part of "
            "this motion",
            out->path, (long long)out->lines[0], out->times[0]);
    }

    bi_yaml_free(&r.yaml);
    return status;
}
