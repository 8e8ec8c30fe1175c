// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers about motions, with the code of the commands: the trajectory's proof as in berth path, a motion as in berth
// plan, and a state in which a tool is where it was dragged.
// Entries: answer_path, answer_plan, answer_tool.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/path/path.h"
#include "cli/plan/plan.h"
#include "view/view.h"

// ---- the trajectory ----------------------------------------------------------------------------------------------

enum { PROFILE_MOST = 400 };

static double moment_of(const BerthTrajectory* trajectory, int32_t segment, double share) {
    if (trajectory->times == NULL) {
        return segment + share;
    }
    const int32_t next = segment + 1 < trajectory->row_count ? segment + 1 : segment;
    return trajectory->times[segment] + share * (trajectory->times[next] - trajectory->times[segment]);
}

static bool json_profile_point(Answer* answer, const AnswerMotion* motion, BerthChecker* checker, double t,
                               double* values) {
    const BerthScene* scene = answer->session->view->question->scene;
    const BerthCheckRequest request = {.distance = true};
    BerthCheckResult result;
    if (!answer_read_moment(answer, motion, t, values) ||
        !answer_status(answer, berth_check_state(checker, values, &request, &result))) {
        return false;
    }

    const bool hits = result.hit_count > 0, near = result.has_clearance;
    const int32_t near_a = near ? result.clearance.body_a : -1, near_b = near ? result.clearance.body_b : -1;
    const int32_t a = hits ? result.hits[0].body_a : near_a, b = hits ? result.hits[0].body_b : near_b;
    Json* json = &answer->json;
    json_open(json, '{');
    json_key_number(json, "t", t);
    json_key_number(json, "lower", near ? result.clearance.lower : 0.0);
    json_key_number(json, "upper", near ? result.clearance.upper : 0.0);
    json_key_text(json, "a", a >= 0 ? berth_scene_body_name(scene, a) : NULL);
    json_key_text(json, "b", b >= 0 ? berth_scene_body_name(scene, b) : NULL);
    json_close(json, '}');
    return true;
}

// The clearance at times along the motion: samples, for a plot. The answer itself has what is proven.
static bool json_profile(Answer* answer, const AnswerMotion* motion, const PathJob* job) {
    const int32_t wanted = 20 * job->segment_count;
    const int32_t steps = wanted < PROFILE_MOST ? wanted : PROFILE_MOST;
    double* values = calloc((size_t)job->question->value_count + 1, sizeof *values);
    BerthChecker* checker = NULL;
    bool is_well = values != NULL || answer_fail(answer, "out of memory");
    is_well = is_well && answer_status(answer, berth_checker_create(job->question->scene,
                                                                    &answer->session->check.def, &checker));

    json_key_open(&answer->json, "profile", '[');
    for (int32_t i = 0; i <= steps && is_well; ++i) {
        const double row = (double)i * job->segment_count / steps;
        const int32_t segment = row < job->segment_count ? (int32_t)row : job->segment_count - 1;
        is_well = json_profile_point(answer, motion, checker,
                                     moment_of(job->trajectory, segment, row - segment), values);
        answer_tell_progress(answer, (double)i / steps);
        if (answer_is_cancelled(answer)) {
            is_well = answer_fail(answer, "cancelled");
        }
    }
    json_close(&answer->json, ']');

    berth_checker_destroy(checker);
    free(values);
    return is_well;
}

static void json_segments(Json* json, const PathJob* job) {
    json_key_open(json, "segments", '[');
    for (int32_t i = 0; i < job->segment_count; ++i) {
        json_open(json, '{');
        json_key_text(json, "verdict", berth_verdict_name(job->all[i].verdict));
        json_key_int(json, "configurations", job->all[i].stats.configurations);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static bool write_path(Answer* answer, const AnswerMotion* motion, PathJob* job) {
    const int ran = path_run(job);
    if (answer_is_cancelled(answer)) {
        return answer_fail(answer, "cancelled");
    }
    if (ran != EXIT_FREE) {
        const char* text = berth_error_text();
        return answer_fail(answer, "%s", text[0] != '\0' ? text : "the motion could not be checked");
    }

    path_json_members(&answer->json, job, false);
    json_segments(&answer->json, job);
    return json_profile(answer, motion, job);
}

static bool ask_path(Answer* answer, const AnswerMotion* motion) {
    const Session* session = answer->session;
    Options options = session->options;
    options.first_contact = options.all = true;
    Question question = session->question;
    question.options = &options;
    PathJob job = {.question = &question,
                   .file = motion->trajectory->path,
                   .trajectory = motion->trajectory,
                   .interpolation = motion->interpolation,
                   .segment_count = berth_trajectory_segment_count(motion->trajectory),
                   .def = berth_default_motion_checker_def(),
                   .first_contact = true,
                   .deadline = INFINITY,
                   .counts = path_empty_counts(),
                   .stop = answer_is_cancelled,
                   .stop_user = answer};
    if (!question_read_motion_def("view", &options, &job.def, &job.lab)) {
        return answer_fail(answer, "the options of the command line are not valid here");
    }
    (void)snprintf(job.interpolation_name, sizeof job.interpolation_name, "%s",
                   berth_interpolation_name(motion->interpolation));

    job.all = calloc((size_t)job.segment_count + 1, sizeof *job.all);
    const bool is_well =
        job.all != NULL ? write_path(answer, motion, &job) : answer_fail(answer, "out of memory");
    free(job.all);
    return is_well;
}

bool answer_path(Answer* answer) {
    AnswerMotion motion;
    const bool is_well = answer_read_motion(answer, &motion) && ask_path(answer, &motion);
    answer_release_motion(answer, &motion);
    return is_well;
}

// ---- plan --------------------------------------------------------------------------------------------------------

/// The user data of a plan's `stop`.
typedef struct PlanWatch {
    Answer* answer;
    double begin, limit;
} PlanWatch;

static bool watch_plan(void* user) {
    PlanWatch* watch = user;
    answer_tell_progress(watch->answer, fmin((cli_seconds() - watch->begin) / watch->limit, 1.0));
    return answer_is_cancelled(watch->answer);
}

static bool ask_plan(Answer* answer, ViewTree* tree, const double* start, double* goal, double seconds) {
    Session* session = answer->session;
    PlanJob job = {.question = &session->question, .def = berth_default_planner_def(), .limit = seconds};
    job.def.seed = (uint64_t)session->options.seed;
    PlanWatch watch = {answer, cli_seconds(), seconds};
    PlanAnswer plan = {.job = &job,
                       .scene = session->question.scene,
                       .start = start,
                       .goals = goal,
                       .goal_count = 1,
                       .stop = watch_plan,
                       .stop_user = &watch,
                       .grew = view_tree_grow,
                       .grew_user = tree};
    answer->tree = tree;

    const BerthStatus status = plan_ask(&plan);
    bool is_well =
        status == BERTH_ERR_CANCELLED ? answer_fail(answer, "cancelled") : answer_status(answer, status);
    if (is_well) {
        Text text = {0};
        plan_write_answer(&text, &plan);
        json_members(&answer->json, &text);
        text_free(&text);
        view_json_tree(&answer->json, tree);
    }
    if (is_well && plan.result.found) {
        const json_int_t number = session_keep_motion(session, plan.result.rows, plan.result.row_count,
                                                      session->question.value_count);
        is_well = number > 0 || answer_fail(answer, "out of memory");
        json_key_int(&answer->json, "motion", number);
    }
    answer->tree = NULL;
    plan_close(&plan);
    return is_well;
}

bool answer_plan(Answer* answer) {
    const size_t count = (size_t)answer->session->question.value_count;
    const json_t* given = json_object_get(answer->request, "seconds");
    const double seconds = json_is_number(given) ? json_number_value(given) : 10.0;
    if (!(seconds > 0.0 && seconds <= 600.0)) {
        return answer_fail(answer, "'seconds': expected more than 0, at most 600");
    }

    double* rows = calloc(2 * count + 1, sizeof *rows);
    if (rows == NULL) {
        return answer_fail(answer, "out of memory");
    }
    ViewTree tree;
    bool is_well = view_tree_open(&tree, answer->session->view) || answer_fail(answer, "out of memory");
    is_well = is_well && answer_read_values(answer, "from", rows) &&
              answer_read_values(answer, "to", rows + count) &&
              ask_plan(answer, &tree, rows, rows + count, seconds);
    view_tree_close(&tree);
    free(rows);
    return is_well;
}

// ---- tool --------------------------------------------------------------------------------------------------------

static bool need_planner(Answer* answer) {
    Session* session = answer->session;
    if (session->planner != NULL) {
        return true;
    }
    const BerthPlannerDef def = berth_default_planner_def();
    return answer_status(answer, berth_planner_create(session->question.scene, &def, &session->planner));
}

// Among the states that reach the pose, the one nearest to the present state: the robot should not jump.
static const double* nearest_state(const double* states, int32_t state_count, const double* from,
                                   size_t values) {
    const double* best = states;
    double least = INFINITY;
    for (int32_t i = 0; i < state_count; ++i) {
        const double* state = states + (size_t)i * values;
        double sum = 0.0;
        for (size_t k = 0; k < values; ++k) {
            sum += (state[k] - from[k]) * (state[k] - from[k]);
        }
        if (sum < least) {
            least = sum;
            best = state;
        }
    }
    return best;
}

static bool solve_tool(Answer* answer, const BerthPlanPose* pose, const double* from, double* states) {
    Session* session = answer->session;
    int32_t count = 0;
    if (!need_planner(answer) ||
        !answer_status(answer, berth_planner_solve_pose(session->planner, pose, from, states,
                                                        PLAN_POSE_STATES, &count))) {
        return false;
    }
    if (count == 0) {
        return answer_fail(answer,
                           "not reached: no state within joint limits was found that puts the tool there");
    }
    json_key_values(&answer->json, "values",
                    nearest_state(states, count, from, (size_t)session->question.value_count),
                    session->question.value_count);
    return true;
}

bool answer_tool(Answer* answer) {
    const BerthScene* scene = answer->session->question.scene;
    const size_t count = (size_t)answer->session->question.value_count;
    int32_t body = -1;
    BerthPlanPose pose;
    if (!answer_read_body(answer, "body", &body)) {
        return false;
    }
    const BerthBodyInfo info = berth_scene_body(scene, body);
    if (info.robot < 0 || !view_read_pose(json_object_get(answer->request, "pose"), &pose.world_from_link)) {
        return answer_fail(answer,
                           info.robot < 0
                               ? "'%s': expected a link of a robot"
                               : "'%s' has no pose: expected 12 numbers, a rotation and a position",
                           info.name);
    }

    // An object held by a hand is dragged by the hand.
    BerthObjectInfo object;
    pose.robot = info.robot;
    pose.link = info.link;
    if (info.object.age != 0 && berth_scene_object(scene, info.object, &object) == BERTH_OK) {
        const BerthPose object_from_link = berth_pose_inverse(&object.pose);
        pose.world_from_link = berth_pose_multiply(&pose.world_from_link, &object_from_link);
    }

    double* rows = calloc((1 + PLAN_POSE_STATES) * count + 1, sizeof *rows);
    if (rows == NULL) {
        return answer_fail(answer, "out of memory");
    }
    const bool is_well =
        answer_read_values(answer, "values", rows) && solve_tool(answer, &pose, rows, rows + count);
    free(rows);
    return is_well;
}
