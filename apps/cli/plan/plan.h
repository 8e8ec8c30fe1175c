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
    struct ViewVisuals* visuals;  ///< --report: what the scene's URDFs draw
} PlanJob;

/// States that are searched for a pose.
enum { PLAN_POSE_STATES = 8 };

/// A planner with what it borrows. It lives as long as an answer, or is kept for the next question.
typedef struct PlanTools {
    BerthLanes* lanes;      ///< the scene laid out for wide registers, or null
    BerthPlanner* planner;  ///< holds the motion
    // The planner asks these while it works, also on questions behind the one that it was made for.
    double deadline;           ///< in cli_seconds()
    bool (*stop)(void* user);  ///< of the answer
    void* stop_user;
    // For progress: what it does since when, and whether that is shown.
    struct PlanAnswer* shown;  ///< or null: it is not
    const char* doing;
    double begin;  ///< in cli_seconds()
} PlanTools;

/// One question with its answer. The scene is committed and constant meanwhile.
typedef struct PlanAnswer {
    const PlanJob* job;
    const BerthScene* scene;
    const char* name;  ///< of a problem, or null
    const double* start;
    double* goals;  ///< with room for PLAN_POSE_STATES more for each pose
    int32_t goal_count;

    const BerthLanes* like;  ///< the same robots laid out for wide registers, or null
    PlanTools* kept;         ///< of questions before about the same scene, and for those behind; or null
    PlanTools own;           ///< without `kept`
    BerthPlanResult result;
    BerthPlanTimed timed;  ///< --timed; else no rows
    BerthPlanProof proof;  ///< of what was found
    double found_length;   ///< before it was shortened
    double layout_seconds, search_seconds, shorten_seconds, timing_seconds, proof_seconds;

    bool (*stop)(void* user);  ///< asked now and then: true ends it as Ctrl-C does; may be null
    void* stop_user;
    void (*grew)(void* user, const BerthPlanEdge* edge);  ///< of the planner that is made; without `kept`
    void* grew_user;
    Progress* progress;  ///< shown on standard error meanwhile, by the caller's thread; may be null
} PlanAnswer;

/// The planner and what it borrows.
static inline PlanTools* plan_tools(const PlanAnswer* answer) {
    return answer->kept != NULL ? answer->kept : (PlanTools*)(uintptr_t)&answer->own;
}
void plan_free_tools(PlanTools* tools);

/// Searches, shortens and proves. BERTH_ERR_CANCELLED after Ctrl-C. plan_close is due in any case.
BerthStatus plan_ask(PlanAnswer* answer);
void plan_close(PlanAnswer* answer);
/// FREE: found and proven. COLLISION: start or goal collides. UNKNOWN: all else.
BerthVerdict plan_verdict(const PlanAnswer* answer);

/// --group and --weights, once the scene is there. EXIT_FREE, or a status after a message.
int plan_read_group_and_weights(PlanJob* job);
/// --goal-pose, once the scene is there. EXIT_FREE, or a status after a message.
int plan_read_poses(PlanJob* job);
/// --group: in goals the values that do not move are those of the start.
void plan_hold_rest(const PlanJob* job, const double* start, double* goals, int32_t goal_count);

/// --problems: every line of the file. An exit status.
int plan_problems(PlanJob* job);

/// The answer on one line of JSON, or for people. It ends in a new line.
void plan_write_answer(Text* text, const PlanAnswer* answer);
// The two forms.
void plan_json_answer(Text* text, const PlanAnswer* answer);
void plan_text_answer(Text* text, const PlanAnswer* answer);
/// -o: the motion as rows. EXIT_FREE, or a status after a message.
int plan_write_motion(const PlanAnswer* answer);
/// --certificate: the proof of the motion. EXIT_FREE, or a status after a message.
int plan_write_certificate(const PlanAnswer* answer);

#endif
