// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The motions that pages ask about: that of the command line, and planned ones. A planned motion is kept as rows, so that
// exactly the certified motion is shown and proven, with its orientations and wrapped joints, and not a page's version of
// it. The newest VIEW_MOTIONS are kept.
// Entries: session_keep_motion, answer_read_motion, answer_release_motion.

#include <stdlib.h>
#include <string.h>

#include "view/view.h"

static void free_motion(ViewMotion* motion) {
    free(motion->trajectory.positions);
    free(motion);
}

static ViewMotion* make_motion(const double* rows, int32_t row_count, int32_t value_count) {
    const size_t numbers = (size_t)row_count * (size_t)value_count;
    ViewMotion* motion = calloc(1, sizeof *motion);
    double* positions = calloc(numbers + 1, sizeof *positions);
    if (motion == NULL || positions == NULL) {
        free(motion);
        free(positions);
        return NULL;
    }
    memcpy(positions, rows, numbers * sizeof *positions);
    motion->holders = 1;
    motion->trajectory.row_count = row_count;
    motion->trajectory.value_count = value_count;
    motion->trajectory.positions = positions;
    return motion;
}

static void release(Session* shared, ViewMotion* motion) {
    pthread_mutex_lock(&shared->lock);
    const bool is_last = --motion->holders == 0;
    pthread_mutex_unlock(&shared->lock);
    if (is_last) {
        free_motion(motion);
    }
}

json_int_t session_keep_motion(Session* session, const double* rows, int32_t row_count, int32_t value_count) {
    Session* shared = session->shared;
    ViewMotion* motion = make_motion(rows, row_count, value_count);
    if (motion == NULL) {
        return 0;
    }

    pthread_mutex_lock(&shared->lock);
    const json_int_t number = ++shared->motion_count;
    ViewMotion** place = &shared->motions[number % VIEW_MOTIONS];
    ViewMotion* oldest = *place;
    motion->number = number;
    *place = motion;
    pthread_mutex_unlock(&shared->lock);
    if (oldest != NULL) {
        release(shared, oldest);
    }
    return number;
}

void session_forget_motions(Session* session) {
    for (int i = 0; i < VIEW_MOTIONS; ++i) {
        if (session->motions[i] != NULL) {
            release(session, session->motions[i]);
            session->motions[i] = NULL;
        }
    }
}

// Null if it is no longer kept.
static ViewMotion* hold_motion(Session* shared, json_int_t number) {
    pthread_mutex_lock(&shared->lock);
    ViewMotion* motion = number > 0 ? shared->motions[number % VIEW_MOTIONS] : NULL;
    if (motion != NULL && motion->number != number) {
        motion = NULL;
    }
    if (motion != NULL) {
        motion->holders += 1;
    }
    pthread_mutex_unlock(&shared->lock);
    return motion;
}

bool answer_read_motion(Answer* answer, AnswerMotion* out) {
    Session* session = answer->session;
    const View* view = session->view;
    const json_t* given = json_object_get(answer->request, "motion");
    *out = (AnswerMotion){view->trajectory, view->interpolation, NULL};
    if (given == NULL) {
        return out->trajectory != NULL ||
               answer_fail(answer, "there is no trajectory: start with --trajectory FILE");
    }
    if (!json_is_integer(given)) {
        return answer_fail(answer, "'motion': expected the number from the answer of a plan");
    }

    const json_int_t number = json_integer_value(given);
    ViewMotion* motion = hold_motion(session->shared, number);
    if (motion == NULL) {
        return answer_fail(answer, "motion %lld is no longer kept: plan it again", (long long)number);
    }
    *out = (AnswerMotion){&motion->trajectory, BERTH_INTERPOLATION_LINEAR, motion};
    return true;
}

void answer_release_motion(Answer* answer, AnswerMotion* motion) {
    if (motion->held != NULL) {
        release(answer->session->shared, motion->held);
        motion->held = NULL;
    }
}
