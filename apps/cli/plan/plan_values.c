// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which joints move, and how much each counts.
// Entries: plan_read_group_and_weights, plan_read_poses, plan_hold_rest.

#include <stdlib.h>
#include <string.h>

#include "cli/plan/plan.h"

// ---- --group -----------------------------------------------------------------------------------------------------

static void mark_joints(const BerthRobot* robot, const int32_t* joints, int32_t count, bool* moves) {
    for (int32_t i = 0; i < count; ++i) {
        BerthJointInfo joint = berth_robot_joint(robot, joints[i]);
        if (joint.mimic >= 0) {
            joint = berth_robot_joint(robot, joint.mimic);  // it moves with the joint that it follows
        }
        for (int32_t k = 0; k < joint.value_count && joint.first_value >= 0; ++k) {
            moves[joint.first_value + k] = true;
        }
    }
}

// Marks the values of the robot's group; false if the robot has no group of that name.
static bool mark_group(const BerthRobot* robot, const char* name, bool* moves) {
    for (int32_t i = 0; i < berth_robot_group_count(robot); ++i) {
        const int32_t* joints = NULL;
        int32_t count = 0;
        if (strcmp(berth_robot_group(robot, i, &joints, &count), name) == 0) {
            mark_joints(robot, joints, count, moves);
            return true;
        }
    }
    return false;
}

static int refuse_group(const BerthScene* scene, const char* name) {
    Text known = {0};
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
        for (int32_t i = 0; i < berth_robot_group_count(robot); ++i) {
            text_printf(&known, "%s%s", known.size > 0 ? ", " : "", berth_robot_group(robot, i, NULL, NULL));
        }
    }

    (void)cli_reject("plan", "--group '%s': there is no such group%s%s", name,
                     known.size > 0 ? "; there are: " : " (they come from an SRDF)",
                     known.size > 0 ? known.data : "");
    text_free(&known);
    return EXIT_WRONG;
}

// NAME: the groups of all robots that have one of that name; or ROBOT/NAME.
static int read_group(const BerthScene* scene, const char* name, bool* moves) {
    bool found = false;
    for (int pass = 0; pass < 2 && !found; ++pass) {
        int32_t first = 0;
        for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
            const char* owner = "";
            const BerthRobot* robot = berth_scene_robot(scene, r, &owner, NULL);
            const size_t length = owner != NULL ? strlen(owner) : 0;
            const bool own = length > 0 && strncmp(name, owner, length) == 0 && name[length] == '/';
            if (pass == 0 || own) {
                found = mark_group(robot, pass == 0 ? name : name + length + 1, moves + first) || found;
            }
            first += berth_robot_value_count(robot);
        }
    }

    return found ? EXIT_FREE : refuse_group(scene, name);
}

// ---- --weights ---------------------------------------------------------------------------------------------------

static int read_weights(const BerthScene* scene, const char* text, double* weights) {
    const BerthStatus status = berth_io_parse_state(text, scene, weights);
    if (status != BERTH_OK) {
        fprintf(stderr, "berth plan: --weights: ");
        return cli_report_failure(status);
    }

    for (int32_t i = 0; i < berth_scene_value_count(scene); ++i) {
        if (!(weights[i] > 0.0 && weights[i] <= 1e6)) {
            char name[512];
            berth_scene_value_name(scene, i, name, sizeof name);
            return cli_reject("plan", "--weights: %s=%g: expected a number above 0, at most 1e6", name,
                              weights[i]);
        }
    }
    return EXIT_FREE;
}

int plan_read_group_and_weights(PlanJob* job) {
    const Question* question = job->question;
    const PlanOptions* options = &question->options->plan;
    const size_t values = (size_t)question->value_count;
    job->moves = calloc(values + 1, sizeof *job->moves);
    job->weights = calloc(values + 1, sizeof *job->weights);
    if (job->moves == NULL || job->weights == NULL) {
        return cli_out_of_memory();
    }
    for (size_t i = 0; i < values; ++i) {
        job->weights[i] = 1.0;
    }

    int status = EXIT_FREE;
    if (options->group != NULL) {
        status = read_group(question->scene, options->group, job->moves);
        job->def.moves = job->moves;
    }
    if (status == EXIT_FREE && options->weights != NULL) {
        status = read_weights(question->scene, options->weights, job->weights);
        job->def.weights = job->weights;
    }
    return status;
}

// ---- --goal-pose -------------------------------------------------------------------------------------------------

// LINK: of the first robot that has a link of that name; or ROBOT/LINK.
static bool find_link(const BerthScene* scene, const char* name, BerthPlanPose* out) {
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
            const char* owner = "";
            const BerthRobot* robot = berth_scene_robot(scene, r, &owner, NULL);
            const size_t length = owner != NULL ? strlen(owner) : 0;
            const bool own = length > 0 && strncmp(name, owner, length) == 0 && name[length] == '/';
            if (pass == 0 || own) {
                out->robot = r;
                out->link = berth_robot_find_link(robot, pass == 0 ? name : name + length + 1);
                if (out->link >= 0) {
                    return true;
                }
            }
        }
    }

    return false;
}

int plan_read_poses(PlanJob* job) {
    const Question* question = job->question;
    const TextList* list = &question->options->plan.goal_poses;
    for (int i = 0; i < list->count; ++i) {
        const char* text = list->items[i];
        const char* equals = strrchr(text, '=');
        char link[512] = "";
        double v[6];
        if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof link ||
            !cli_read_numbers(equals + 1, 6, v)) {
            return cli_reject("plan", "--goal-pose '%s': expected LINK=X,Y,Z,R,P,Y, metres and radians",
                              text);
        }

        memcpy(link, text, (size_t)(equals - text));
        BerthPlanPose* pose = &job->poses[job->pose_count++];
        pose->world_from_link =
            berth_pose_from_rpy((BerthVec3){v[0], v[1], v[2]}, (BerthVec3){v[3], v[4], v[5]});
        if (!find_link(question->scene, link, pose)) {
            return cli_reject("plan", "--goal-pose '%s': there is no link '%s'", text, link);
        }
    }
    return EXIT_FREE;
}

// ---- what does not move ------------------------------------------------------------------------------------------

void plan_hold_rest(const PlanJob* job, const double* start, double* goals, int32_t goal_count) {
    const int32_t values = job->question->value_count;
    for (int32_t i = 0; job->def.moves != NULL && i < goal_count * values; ++i) {
        if (!job->def.moves[i % values]) {
            goals[i] = start[i % values];
        }
    }
}
