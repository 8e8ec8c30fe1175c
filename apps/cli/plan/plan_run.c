// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One problem: creates a planner, searches, shortens and proves. Then writes the files.
// Entries: plan_ask, plan_close, plan_verdict, plan_write_certificate.

#include <math.h>

#include "cli/files.h"
#include "cli/plan/plan.h"

// Shows seconds and samples on a terminal: the length of a search cannot be predicted.
static void show_work(const PlanTools* tools) {
    const PlanAnswer* answer = tools->shown;
    if (answer == NULL || tools->planner == NULL ||
        !progress_take_turn(answer->progress, answer->job->question->options)) {
        return;
    }
    const BerthPlanStats stats = berth_planner_stats(tools->planner);
    fprintf(stderr, "\r\033[K%s for %.1f s (--time %g), %lld samples", tools->doing,
            cli_seconds() - tools->begin, answer->job->limit, (long long)stats.samples);
}

static bool is_cancelled(void* user) {
    const PlanTools* tools = user;
    show_work(tools);
    return cli_interrupted() || (tools->stop != NULL && tools->stop(tools->stop_user));
}

static bool is_late(void* user) {
    const PlanTools* tools = user;
    return cli_seconds() > tools->deadline;
}

// States in which the links have the requested poses become goals.
static BerthStatus solve_poses(PlanAnswer* answer) {
    const PlanJob* job = answer->job;
    const size_t values = (size_t)job->question->value_count;
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < job->pose_count && status == BERTH_OK; ++i) {
        int32_t count = 0;
        double* states = answer->goals + values * (size_t)answer->goal_count;
        status = berth_planner_solve_pose(plan_tools(answer)->planner, &job->poses[i], answer->start, states,
                                          PLAN_POSE_STATES, &count);
        answer->goal_count += count;
    }
    return status;
}

static BerthStatus search(PlanAnswer* answer) {
    const double start = cli_seconds();
    PlanTools* tools = plan_tools(answer);
    tools->deadline = start + answer->job->limit;
    tools->begin = start;
    tools->doing = "searching";
    BerthStatus status = solve_poses(answer);
    if (status != BERTH_OK || answer->goal_count == 0) {
        answer->result =
            (BerthPlanResult){.reason = BERTH_PLAN_BUDGET, .goal = -1, .body_a = -1, .body_b = -1};
        answer->search_seconds = cli_seconds() - start;
        return status;
    }

    const BerthPlanQuery query = {answer->start, answer->goals, answer->goal_count};
    status = berth_planner_find(tools->planner, &query, &answer->result);
    const double found = cli_seconds();
    answer->search_seconds = found - start;
    answer->found_length = answer->result.length;

    if (status == BERTH_OK && answer->result.found && !answer->job->question->options->plan.no_shorten) {
        tools->doing = "shortening";
        status = berth_planner_shorten(tools->planner, &answer->result);
        answer->shorten_seconds = cli_seconds() - found;
    }
    return status;
}

// If the robots were laid out before, another layout takes negligible time. Otherwise the planner makes one if that pays off.
static BerthStatus make_lanes(PlanAnswer* answer) {
    const PlanJob* job = answer->job;
    if (answer->like == NULL) {
        return BERTH_OK;
    }
    BerthLanesDef def = berth_default_lanes_def();
    def.margin = job->def.margin;
    def.self_margin = job->def.self_margin;
    def.like = answer->like;
    return berth_lanes_create(answer->scene, &def, &plan_tools(answer)->lanes);
}

static BerthStatus make_planner(PlanAnswer* answer) {
    const double start = cli_seconds();
    BerthPlannerDef def = answer->job->def;
    BerthStatus status = make_lanes(answer);
    if (status == BERTH_OK) {
        def.lanes = plan_tools(answer)->lanes;
        def.cancelled = is_cancelled;
        def.cancelled_user = plan_tools(answer);
        def.late = is_late;
        def.late_user = plan_tools(answer);
        def.grew = answer->grew;
        def.grew_user = answer->grew_user;
        status = berth_planner_create(answer->scene, &def, &plan_tools(answer)->planner);
    }
    answer->layout_seconds = cli_seconds() - start;
    return status;
}

// From here on the motion is the timed one.
static BerthStatus give_times(PlanAnswer* answer) {
    const double start = cli_seconds();
    plan_tools(answer)->doing = "timing";
    const BerthStatus status = berth_planner_time(plan_tools(answer)->planner, &answer->timed);
    answer->timing_seconds = cli_seconds() - start;
    if (status == BERTH_OK) {
        answer->result.rows = answer->timed.rows;
        answer->result.row_count = answer->timed.row_count;
    }
    return status;
}

BerthStatus plan_ask(PlanAnswer* answer) {
    PlanTools* tools = plan_tools(answer);
    tools->stop = answer->stop;
    tools->stop_user = answer->stop_user;
    tools->shown = answer->progress != NULL ? answer : NULL;

    BerthStatus status = tools->planner == NULL ? make_planner(answer) : BERTH_OK;
    if (status == BERTH_OK) {
        status = search(answer);
    }
    if (status == BERTH_OK && answer->result.found && answer->job->question->options->plan.timed) {
        status = give_times(answer);
    }
    if (status == BERTH_OK && answer->result.found) {
        const double proof = cli_seconds();
        tools->doing = "proving";
        status = berth_planner_certify(plan_tools(answer)->planner,
                                       !answer->job->question->options->no_clearance, NULL, &answer->proof);
        answer->proof_seconds = cli_seconds() - proof;
    }
    tools->shown = NULL;
    return status;
}

void plan_free_tools(PlanTools* tools) {
    berth_planner_destroy(tools->planner);
    berth_lanes_destroy(tools->lanes);
    *tools = (PlanTools){0};
}

void plan_close(PlanAnswer* answer) {
    plan_free_tools(&answer->own);
}

BerthVerdict plan_verdict(const PlanAnswer* answer) {
    switch (answer->result.reason) {
    case BERTH_PLAN_FOUND:
        return answer->proof.verdict == BERTH_FREE ? BERTH_FREE : BERTH_UNKNOWN;
    case BERTH_PLAN_START_COLLISION:
    case BERTH_PLAN_GOAL_COLLISION:
        return BERTH_COLLISION;
    default:
        return BERTH_UNKNOWN;
    }
}

int plan_write_certificate(const PlanAnswer* answer) {
    const Question* question = answer->job->question;
    const char* file = question->options->certificate;
    if (plan_verdict(answer) != BERTH_FREE) {
        fprintf(stderr, "%s: not written: no motion was found\n", file);
        return EXIT_FREE;  // the verdict decides
    }

    BerthCertificate* certificate = NULL;
    BerthPlanProof proof = {.verdict = BERTH_UNKNOWN};
    BerthStatus status = berth_planner_certificate(plan_tools(answer)->planner, NULL, &certificate);
    if (status == BERTH_OK) {
        status = berth_planner_certify(plan_tools(answer)->planner, false, certificate, &proof);
    }
    if (status == BERTH_OK && proof.verdict == BERTH_FREE) {
        status = berth_io_write_certificate(file, certificate, answer->scene, &question->io);
    }
    berth_certificate_destroy(certificate);

    if (status == BERTH_OK && proof.verdict != BERTH_FREE) {
        fprintf(stderr, "%s: not written: the motion was not proven free again\n", file);
        return EXIT_UNKNOWN;
    }
    return cli_exit_status(status);
}
