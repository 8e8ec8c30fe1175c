// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth plan`: what is asked, one question from its planner to its proof, how answers are written.

#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "cli/question.h"

/// What the command line asks for.
typedef struct PlanJob {
    Question* question;
    BerthPlannerDef def;
    double limit;                        ///< seconds of a search
    bool* moves;                         ///< --group: by value, or null
    double* weights;                     ///< --weights: by value, or null
    BerthPlanPose poses[TEXT_LIST_MAX];  ///< --goal-pose
    int32_t pose_count;
} PlanJob;

/// States that are searched for a pose.
enum { PLAN_POSE_STATES = 8 };

/// One question with its answer. The scene is committed and constant meanwhile.
typedef struct PlanAnswer {
    const PlanJob* job;
    const BerthScene* scene;
    const char* name;  ///< of a problem, or null
    const double* start;
    double* goals;  ///< with room for PLAN_POSE_STATES more for each pose
    int32_t goal_count;

    const BerthLanes* like;  ///< the same robots laid out for wide registers, or null
    BerthLanes* lanes;       ///< the scene so, or null
    BerthPlanner* planner;   ///< holds the motion
    BerthPlanResult result;
    BerthPlanProof proof;  ///< of what was found
    double found_length;   ///< before it was shortened
    double layout_seconds, search_seconds, shorten_seconds, proof_seconds;
    double deadline;  ///< in cli_seconds()
} PlanAnswer;

/// Searches, shortens and proves. BERTH_ERR_CANCELLED after Ctrl-C. plan_close is due in any case.
BerthStatus plan_ask(PlanAnswer* answer);
void plan_close(PlanAnswer* answer);
/// FREE: found and proven. COLLISION: start or goal collides. UNKNOWN: all else.
BerthVerdict plan_verdict(const PlanAnswer* answer);

/// --group and --weights, once the scene is there. EXIT_FREE, or a status after a message.
int plan_read_values(PlanJob* job);
/// --goal-pose, once the scene is there. EXIT_FREE, or a status after a message.
int plan_read_poses(PlanJob* job);
/// --group: in goals the values that do not move are those of the start.
void plan_hold_rest(const PlanJob* job, const double* start, double* goals, int32_t goal_count);

/// --problems: every line of the file. An exit status.
int plan_problems(PlanJob* job);

/// The answer on one line of JSON, or for people. It ends in a new line.
void plan_write_answer(Text* text, const PlanAnswer* answer);
/// -o: the motion as rows. EXIT_FREE, or a status after a message.
int plan_write_motion(const PlanAnswer* answer);
/// --certificate: the proof of the motion. EXIT_FREE, or a status after a message.
int plan_write_certificate(const PlanAnswer* answer);

#endif
