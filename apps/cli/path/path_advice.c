// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What may decide an unknown answer: which option, and its cost.
// Entry: path_advise.

#include <math.h>

#include "cli/path/path.h"

/// The advice collected so far.
typedef struct AdviceList {
    PathAdvice* items;
    int count;
} AdviceList;

static void add_advice(AdviceList* list, const char* option, const char* cost) {
    list->items[list->count++] = (PathAdvice){.option = option, .value = "", .cost = cost};
}

static void add_number(AdviceList* list, const char* option, double value, const char* cost) {
    add_advice(list, option, cost);
    PathAdvice* last = &list->items[list->count - 1];
    (void)snprintf(last->value, sizeof last->value, "%.3g", value);
}

// Somewhere the gap is within delta of the margin: advise a narrower band, none, or a smaller margin. If a tracking error is
// subtracted from the gap, it is nearly always the cause.
static void advise_too_close(AdviceList* list, const PathJob* job, const BerthMotionResult* result) {
    if (job->question->options->tracking_error != NULL) {
        add_advice(
            list, "--tracking-error",
            "no extra work: reduce it for the joints that move these two bodies, if the controller can keep "
            "to it");
    }
    add_number(list, "--delta", 0.1 * job->def.delta, "about three times the work near that time");
    if (job->question->options->tracking_error == NULL) {
        add_number(list, "--delta", 0.0,
                   "decides down to rounding; much work if surfaces slide past each other");
    }

    const bool own = path_is_self_pair(job, result->body_a, result->body_b) && job->def.self_margin >= 0.0;
    const double margin = own ? job->def.self_margin : job->def.margin;
    if (margin > 0.0) {
        add_number(list, own ? "--self-margin" : "--margin", fmax(0.0, margin - 2.0 * job->def.delta),
                   "no extra work, but that much less clearance is proven");
    }
}

static void advise_budget(AdviceList* list, const PathJob* job) {
    if (path_is_late(job)) {
        add_number(list, "--time", 10.0 * job->question->options->time,
                   "up to that many seconds; without the option it ends by itself");
        if (!job->question->options->no_clearance) {
            add_advice(list, "--no-clearance", "no clearance is reported; several times as fast");
        }
        return;
    }

    if (job->question->options->method != NULL) {
        add_advice(list, "--method second-order", "less work for most motions: it is the default");
    }
    if (!(job->def.delta >= 1e-4)) {
        add_number(list, "--delta", 1e-4, "less work, but gaps within 0.1 mm of the margin are then unknown");
    }
    add_advice(list, NULL, "each segment has its own budget: add rows in between");
}

int path_advise(const PathJob* job, const BerthMotionResult* result, PathAdvice out[PATH_ADVICE_MAX]) {
    AdviceList list = {out, 0};
    if (result->sampled_free) {
        add_advice(&list, "--method second-order", "a proof instead of samples, usually with less work");
        return list.count;
    }

    switch (result->reason) {
    case BERTH_REASON_TOO_CLOSE:
        advise_too_close(&list, job, result);
        break;
    case BERTH_REASON_BUDGET:
        advise_budget(&list, job);
        break;
    default:
        add_advice(&list, NULL, "the gap equals the margin within rounding: move one of the bodies");
        break;
    }
    return list.count;
}
