// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers about one state: all poses, the verdict, the nearest pairs; which pairs of a body are checked, and why others
// are not.
// Entries: answer_state, answer_at, answer_pairs.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

enum { NEAR_MOST = 8 };

static bool need_checker(Answer* answer) {
    Session* session = answer->session;
    if (session->checker != NULL) {
        return true;
    }
    return answer_status(
        answer, berth_checker_create(session->view->question->scene, &session->check.def, &session->checker));
}

// The gaps of all pairs cost hundreds of times as much as the smallest one (PR2: 66 ms, 0.14 ms): while something is
// dragged, `quick` requests only the nearest pair, and all hits if there are any.
static BerthStatus check_values(Session* session, bool quick, BerthCheckResult* result) {
    if (!quick) {
        return berth_check_state(session->checker, session->values, &session->check.request, result);
    }

    const BerthCheckRequest nearest = {.distance = true}, all_hits = {.all = true};
    BerthStatus status = berth_check_state(session->checker, session->values, &nearest, result);
    if (status == BERTH_OK && result->verdict == BERTH_COLLISION) {
        status = berth_check_state(session->checker, session->values, &all_hits, result);
    }
    return status;
}

// Objects that were moved by any page: a link copied from this page contains them too.
static void json_moved(Json* json, const Session* session) {
    json_key_open(json, "moved", '[');
    for (int32_t i = 0; i < berth_scene_body_count(session->view->question->scene); ++i) {
        if (session->placed[i]) {
            json_int(json, i);
        }
    }
    json_close(json, ']');
}

bool answer_about_values(Answer* answer) {
    Session* session = answer->session;
    View* view = session->view;
    if (!need_checker(answer)) {
        return false;
    }

    int32_t outside = 0;
    BerthCheckResult result;
    const bool quick = json_is_true(json_object_get(answer->request, "quick"));
    const double start = cli_seconds();
    if (!answer_status(answer,
                       berth_scene_check_values(view->question->scene, session->values, &outside, NULL)) ||
        !answer_status(answer, check_values(session, quick, &result))) {
        return false;
    }
    const double seconds = cli_seconds() - start;

    Json* json = &answer->json;
    view_place(view, session->values);
    check_json_members(json, &session->check, &result);
    if (!quick) {
        check_json_gaps(json, "near", &session->check, result.pairs,
                        result.pair_count < NEAR_MOST ? result.pair_count : NEAR_MOST);
    }
    cli_json_assumed(json, view->question->scene, BERTH_MOVING_STAND, outside, 0, result.proven_count);
    json_key_number(json, "seconds", seconds);
    json_moved(json, session);
    view_json_poses(json, view);
    return true;
}

bool answer_state(Answer* answer) {
    return answer_read_values(answer, "values", answer->session->values) && answer_about_values(answer);
}

// ---- on the trajectory -------------------------------------------------------------------------------------------

// The segment, and the parameter on it. t is in seconds if there are times, else in rows.
static void find_segment(const BerthTrajectory* trajectory, double t, int32_t* segment, double* share) {
    const int32_t last = berth_trajectory_segment_count(trajectory) - 1;
    if (trajectory->times == NULL) {
        const double whole = fmin(fmax(floor(t), 0.0), (double)last);
        *segment = (int32_t)whole;
        *share = fmin(fmax(t - whole, 0.0), 1.0);
        return;
    }

    int32_t row = 0;
    while (row < last && t >= trajectory->times[row + 1]) {
        ++row;
    }
    const int32_t next = row + 1 < trajectory->row_count ? row + 1 : row;
    const double length = trajectory->times[next] - trajectory->times[row];
    *segment = row;
    *share = length > 0.0 ? fmin(fmax((t - trajectory->times[row]) / length, 0.0), 1.0) : 0.0;
}

bool answer_read_moment(Answer* answer, const AnswerMotion* motion, double t, double* values) {
    const BerthScene* scene = answer->session->view->question->scene;
    int32_t segment = 0;
    double share = 0.0;
    find_segment(motion->trajectory, t, &segment, &share);
    BerthCurve* curves = calloc((size_t)motion->trajectory->value_count + 1, sizeof *curves);
    BerthSegment way;
    const BerthStatus status = curves == NULL ? BERTH_ERR_MEMORY
                                              : berth_trajectory_segment(motion->trajectory, scene, segment,
                                                                         motion->interpolation, curves, &way);
    if (status == BERTH_OK) {
        berth_segment_values(scene, &way, share, values);
    }
    free(curves);
    return answer_status(answer, status);
}

bool answer_at(Answer* answer) {
    const json_t* t = json_object_get(answer->request, "t");
    if (!json_is_number(t) || !isfinite(json_number_value(t))) {
        return answer_fail(answer, "'t': expected seconds, or rows of a trajectory without times");
    }

    AnswerMotion motion;
    const bool is_well = answer_read_motion(answer, &motion) &&
                         answer_read_moment(answer, &motion, json_number_value(t), answer->session->values) &&
                         answer_about_values(answer);
    answer_release_motion(answer, &motion);
    if (!is_well) {
        return false;
    }
    json_key_number(&answer->json, "t", json_number_value(t));
    json_key_values(&answer->json, "values", answer->session->values,
                    answer->session->view->question->value_count);
    return true;
}

void json_key_values(Json* json, const char* key, const double* values, int32_t count) {
    json_key_open(json, key, '[');
    for (int32_t i = 0; i < count; ++i) {
        json_number(json, values[i]);
    }
    json_close(json, ']');
}

// ---- pairs -------------------------------------------------------------------------------------------------------

static bool is_pair_checked(const BerthScene* scene, int32_t body_a, int32_t body_b) {
    const int32_t count = berth_scene_pair_count(scene);
    for (int32_t i = 0; i < count; ++i) {
        int32_t a = -1, b = -1;
        berth_scene_pair(scene, i, &a, &b);
        if ((a == body_a && b == body_b) || (a == body_b && b == body_a)) {
            return true;
        }
    }
    return false;
}

static bool find_exception(const BerthScene* scene, const char* name_a, const char* name_b, bool* touch) {
    enum { NAME = 512 };
    char a[NAME], b[NAME];
    for (int32_t i = 0; i < berth_scene_exception_count(scene); ++i) {
        if (berth_scene_exception(scene, i, a, b, NAME, touch) == BERTH_OK &&
            ((strcmp(a, name_a) == 0 && strcmp(b, name_b) == 0) ||
             (strcmp(a, name_b) == 0 && strcmp(b, name_a) == 0))) {
            return true;
        }
    }
    return false;
}

static PairFact link_pair_fact(const BerthScene* scene, const BerthBodyInfo* a, const BerthBodyInfo* b) {
    const BerthRobot* robot = berth_scene_robot(scene, a->robot, NULL, NULL);
    const char* reason = NULL;
    switch (berth_robot_pair(robot, a->link, b->link, &reason)) {
    case BERTH_PAIR_CHECKED:
        return (PairFact){"checked", ""};
    case BERTH_PAIR_PROVEN:
        return (PairFact){"proven", "proven apart within joint limits; checked outside them"};
    case BERTH_PAIR_DISABLED:
        return (PairFact){"assumed", reason};
    case BERTH_PAIR_RIGID:
        return (PairFact){"declared", "rigidly joined: they never move relative to each other"};
    default:
        return (PairFact){"declared", reason};
    }
}

PairFact view_pair_fact(const BerthScene* scene, int32_t body_a, int32_t body_b) {
    const BerthBodyInfo a = berth_scene_body(scene, body_a);
    const BerthBodyInfo b = berth_scene_body(scene, body_b);
    const bool is_own = a.robot >= 0 && a.robot == b.robot && a.object.age == 0 && b.object.age == 0;
    bool touch = false;
    if (is_own && !find_exception(scene, a.name, b.name, &touch)) {
        return link_pair_fact(scene, &a, &b);
    }

    if (is_pair_checked(scene, body_a, body_b)) {
        return (PairFact){"checked", ""};
    }
    if (find_exception(scene, a.name, b.name, &touch)) {
        return (PairFact){"declared", touch ? "the object's touch list allows it" : "the scene's allow list"};
    }
    if (a.fixed && b.fixed) {
        return (PairFact){"declared", "no joint moves either of them"};
    }
    return (PairFact){"declared", "rigidly joined: they never move relative to each other"};
}

bool answer_pairs(Answer* answer) {
    const BerthScene* scene = answer->session->view->question->scene;
    int32_t body = 0;
    if (!answer_read_body(answer, "body", &body)) {
        return false;
    }

    Json* json = &answer->json;
    json_key_text(json, "body", berth_scene_body_name(scene, body));
    json_key_open(json, "pairs", '[');
    for (int32_t i = 0; i < berth_scene_body_count(scene); ++i) {
        if (i == body) {
            continue;
        }
        const PairFact fact = view_pair_fact(scene, body, i);
        json_open(json, '{');
        json_key_text(json, "other", berth_scene_body_name(scene, i));
        json_key_text(json, "status", fact.status);
        json_key_text(json, "reason", fact.reason);
        json_close(json, '}');
    }
    json_close(json, ']');
    return true;
}
