// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers of `berth plan`, for programs and for people, and the motion as a file.
// Entries: plan_write_answer, plan_write_motion.

#include <math.h>
#include <string.h>

#include "cli/files.h"
#include "cli/plan/plan.h"

static BerthClearance both(const BerthPlanProof* proof) {
    BerthClearance least = proof->environment;
    berth_clearance_lower(&least, &proof->self);
    return least;
}

static const double* row_of(const PlanAnswer* answer, int32_t row) {
    return answer->result.rows + (size_t)row * (size_t)berth_scene_value_count(answer->scene);
}

static const char* body_name(const PlanAnswer* answer, int32_t body) {
    return body >= 0 ? berth_scene_body_name(answer->scene, body) : NULL;
}

// ---- for programs ----------------------------------------------------------------------------------------------

static void json_rows(Json* json, const PlanAnswer* answer) {
    const int32_t values = berth_scene_value_count(answer->scene);
    json_key_open(json, "path", '[');
    for (int32_t row = 0; row < answer->result.row_count; ++row) {
        json_open(json, '[');
        for (int32_t i = 0; i < values; ++i) {
            json_number(json, row_of(answer, row)[i]);
        }
        json_close(json, ']');
    }
    json_close(json, ']');
}

static void json_bounds(Json* json, const PlanAnswer* answer, const BerthClearance* clearance) {
    json_key_number(json, "lower", clearance->lower);
    if (!answer->job->question->options->no_clearance) {
        json_key_number(json, "upper", clearance->upper);
    }
}

static void json_clearance(Json* json, const PlanAnswer* answer) {
    const BerthClearance all = both(&answer->proof);
    json_key_open(json, "clearance", '{');
    json_bounds(json, answer, &all);
    if (all.body_a >= 0) {
        json_key_text(json, "a", body_name(answer, all.body_a));
        json_key_text(json, "b", body_name(answer, all.body_b));
        json_key_int(json, "segment", all.segment);
        json_key_number(json, "t", all.t);
    }

    json_key_open(json, "self", '{');
    json_bounds(json, answer, &answer->proof.self);
    json_close(json, '}');
    json_key_open(json, "environment", '{');
    json_bounds(json, answer, &answer->proof.environment);
    json_close(json, '}');
    json_close(json, '}');
}

static void json_numbers(Json* json, const double* numbers, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        json_number(json, numbers[i]);
    }
}

static const double* velocity_of(const PlanAnswer* answer, int32_t row) {
    return answer->timed.velocities + (size_t)row * (size_t)berth_scene_value_count(answer->scene);
}

static void json_timed(Json* json, const PlanAnswer* answer) {
    const BerthPlanTimed* timed = &answer->timed;
    json_key_open(json, "times", '[');
    json_numbers(json, timed->times, timed->row_count);
    json_close(json, ']');
    json_key_open(json, "velocities", '[');
    for (int32_t row = 0; row < timed->row_count; ++row) {
        json_open(json, '[');
        json_numbers(json, velocity_of(answer, row), berth_scene_value_count(answer->scene));
        json_close(json, ']');
    }
    json_close(json, ']');
    json_key_number(json, "duration", timed->duration);
    json_key_int(json, "corners", timed->corner_count);
    json_key_int(json, "blends", timed->blend_count);
    json_key_int(json, "default_accelerations", timed->default_accelerations);
}

static void json_found(Json* json, const PlanAnswer* answer) {
    const BerthPlanResult* result = &answer->result;
    json_rows(json, answer);
    if (answer->timed.row_count > 0) {
        json_timed(json, answer);
    }
    json_key_number(json, "length", result->length);
    json_key_number(json, "found_length", answer->found_length);
    json_key_int(json, "goal", result->goal);
    if (answer->proof.verdict == BERTH_FREE) {
        json_clearance(json, answer);
    }
    json_key_bool(json, "certified", answer->proof.verdict == BERTH_FREE);
}

static void json_none(Json* json, const PlanAnswer* answer) {
    const BerthPlanResult* result = &answer->result;
    json_key_text(json, "reason", berth_plan_reason_name(result->reason));
    if (answer->job->pose_count > 0) {
        json_key_int(json, "goals", answer->goal_count);
    }
    if (result->goal >= 0) {
        json_key_int(json, "goal", result->goal);
    }

    if (result->body_a >= 0) {
        json_key_text(json, "a", body_name(answer, result->body_a));
        json_key_text(json, "b", body_name(answer, result->body_b));
    }
    if (plan_verdict(answer) == BERTH_COLLISION) {
        json_key_vec3(json, "point", result->point);
        cli_json_map_left(json, answer->scene, result->body_a, result->body_b, result->point);
    }
}

void plan_json_answer(Text* text, const PlanAnswer* answer) {
    const PlanJob* job = answer->job;
    const BerthPlanStats* stats = &answer->result.stats;
    Json json = json_writer(text);

    json_open(&json, '{');
    if (answer->name != NULL) {
        json_key_text(&json, "name", answer->name);
    }
    json_key_text(&json, "verdict", answer->result.found ? "found" : "none");
    json_key_text(&json, "planner", berth_planner_name(job->def.kind));
    json_key_number(&json, "seconds", answer->search_seconds + answer->shorten_seconds);
    if (answer->result.found) {
        json_found(&json, answer);
    } else {
        json_none(&json, answer);
    }

    json_key_number(&json, "margin", job->def.margin);
    if (job->def.self_margin >= 0.0) {
        json_key_number(&json, "self_margin", job->def.self_margin);
    }
    json_key_number(&json, "delta", job->def.delta);
    cli_json_assumed(&json, answer->scene, BERTH_MOVING_STAND, 0, 0, answer->proof.proven_count);

    json_key_open(&json, "stats", '{');
    json_key_int(&json, "samples", stats->samples);
    json_key_int(&json, "states", stats->states);
    json_key_int(&json, "edges", stats->edges);
    json_key_int(&json, "free_edges", stats->free_edges);
    json_key_number(&json, "layout_seconds", answer->layout_seconds);
    json_key_number(&json, "search_seconds", answer->search_seconds);
    json_key_number(&json, "shorten_seconds", answer->shorten_seconds);
    if (answer->timed.row_count > 0) {
        json_key_number(&json, "timing_seconds", answer->timing_seconds);
    }
    json_key_number(&json, "proof_seconds", answer->proof_seconds);
    json_close(&json, '}');
    json_close(&json, '}');
    text_puts(text, "\n");
}

// ---- for people ------------------------------------------------------------------------------------------------

static void text_seconds(Text* text, double seconds) {
    if (seconds < 1e-3) {
        text_printf(text, "%.3g us", 1e6 * seconds);
    } else if (seconds < 1.0) {
        text_printf(text, "%.3g ms", 1e3 * seconds);
    } else {
        text_printf(text, "%.3g s", seconds);
    }
}

static void text_found(Text* text, const PlanAnswer* answer) {
    const BerthPlanResult* result = &answer->result;
    text_printf(text, "found by %s in ", berth_planner_name(answer->job->def.kind));
    text_seconds(text, answer->search_seconds + answer->shorten_seconds);
    text_printf(text, ": %d states, length %.4g", (int)result->row_count, result->length);
    if (result->length < answer->found_length) {
        text_printf(text, " (%.4g before shortening)", answer->found_length);
    }

    if (answer->proof.verdict != BERTH_FREE) {
        text_puts(text, "; NOT proven free again\n");
        return;
    }
    const BerthClearance all = both(&answer->proof);
    text_puts(text, "; proven free all the way");
    if (isfinite(all.lower)) {
        text_puts(text, ", every gap is larger than ");
        text_length(text, all.lower);
    }
    if (all.body_a >= 0) {
        text_printf(text, " (%s and %s)", body_name(answer, all.body_a), body_name(answer, all.body_b));
    }
    text_puts(text, "\n");
}

static void text_timed(Text* text, const PlanAnswer* answer) {
    const BerthPlanTimed* timed = &answer->timed;
    text_printf(text, "  takes %.4g s; %d of %d corners are rounded, it stops at the others\n",
                timed->duration, (int)timed->blend_count, (int)timed->corner_count);
    if (timed->default_accelerations > 0) {
        text_printf(
            text,
            "  %d joints have no acceleration limit: full speed is reached in 0.5 s ('limits:' in the "
            "scene)\n",
            (int)timed->default_accelerations);
    }
}

static void text_none(Text* text, const PlanAnswer* answer) {
    const BerthPlanResult* result = &answer->result;
    const char* a = body_name(answer, result->body_a);
    const char* b = body_name(answer, result->body_b);
    const bool start =
        result->reason == BERTH_PLAN_START_COLLISION || result->reason == BERTH_PLAN_START_UNKNOWN;
    char which[40] = "the start";
    if (!start) {
        (void)snprintf(which, sizeof which, answer->goal_count > 1 ? "no goal is free: goal %d" : "the goal",
                       (int)result->goal);
    }

    text_puts(text, "no motion: ");
    if (result->reason == BERTH_PLAN_BUDGET && answer->goal_count == 0) {
        text_puts(text, "no state within joint limits was found in which the link has that pose");
    } else if (result->reason == BERTH_PLAN_BUDGET) {
        text_printf(text, "none was found in ");
        text_seconds(text, answer->search_seconds);
        text_printf(text, " with %lld samples, %lld states and %lld edges; there may be one (--time)",
                    (long long)result->stats.samples, (long long)result->stats.states,
                    (long long)result->stats.edges);
    } else if (plan_verdict(answer) == BERTH_COLLISION) {
        text_printf(text, "%s collides: %s and %s touch at ", which, a, b);
        text_point(text, result->point);
        cli_text_map_left(text, answer->scene, result->body_a, result->body_b, result->point);
    } else {
        text_printf(text, "%s is too close to tell", which);
        if (a != NULL && b != NULL) {
            text_printf(text, ": %s and %s", a, b);
        }
    }
    text_puts(text, "\n");
}

static void text_rows(Text* text, const PlanAnswer* answer) {
    const int32_t values = berth_scene_value_count(answer->scene);
    for (int32_t row = 0; row < answer->result.row_count; ++row) {
        text_printf(text, "%5d:", (int)row);
        if (answer->timed.row_count > 0) {
            text_printf(text, " %9.4f s:", answer->timed.times[row]);
        }
        for (int32_t i = 0; i < values; ++i) {
            text_printf(text, " %8.4f", row_of(answer, row)[i]);
        }
        text_puts(text, "\n");
    }
}

void plan_text_answer(Text* text, const PlanAnswer* answer) {
    const Options* options = answer->job->question->options;
    if (answer->name != NULL) {
        text_printf(text, "%s: ", answer->name);
    }
    if (!answer->result.found) {
        text_none(text, answer);
    } else {
        text_found(text, answer);
    }

    if (answer->timed.row_count > 0) {
        text_timed(text, answer);
    }

    if (answer->name == NULL && answer->result.found && options->output == NULL) {
        text_rows(text, answer);
    }
    if (answer->name == NULL && !options->quiet) {
        cli_text_assumed(text, answer->scene, BERTH_MOVING_STAND, 0, 0, answer->proof.proven_count);
    }
}

void plan_write_answer(Text* text, const PlanAnswer* answer) {
    if (answer->job->question->options->json) {
        plan_json_answer(text, answer);
    } else {
        plan_text_answer(text, answer);
    }
}

// ---- the motion as a file --------------------------------------------------------------------------------------

static void csv_header(Text* text, const PlanAnswer* answer, const char* suffix) {
    for (int32_t i = 0; i < berth_scene_value_count(answer->scene); ++i) {
        char name[512];
        berth_scene_value_name(answer->scene, i, name, sizeof name);
        text_printf(text, "%s%s%s", i > 0 || suffix[0] != '\0' ? "," : "", name, suffix);
    }
}

static void csv_numbers(Text* text, const double* numbers, int32_t count, bool follow) {
    for (int32_t i = 0; i < count; ++i) {
        text_puts(text, i > 0 || follow ? "," : "");
        text_number(text, numbers[i]);
    }
}

static void csv_motion(Text* text, const PlanAnswer* answer) {
    const int32_t values = berth_scene_value_count(answer->scene);
    const bool timed = answer->timed.row_count > 0;
    text_puts(text, timed ? "time," : "");
    csv_header(text, answer, "");
    if (timed) {
        csv_header(text, answer, ":velocity");
    }
    text_puts(text, "\n");

    for (int32_t row = 0; row < answer->result.row_count; ++row) {
        if (timed) {
            text_number(text, answer->timed.times[row]);
        }
        csv_numbers(text, row_of(answer, row), values, timed);
        if (timed) {
            csv_numbers(text, velocity_of(answer, row), values, true);
        }
        text_puts(text, "\n");
    }
}

// Times are whole nanoseconds.
static void json_time(Json* json, double seconds) {
    const double whole = floor(seconds);
    json_key_open(json, "time_from_start", '{');
    json_key_int(json, "sec", (int64_t)whole);
    json_key_int(json, "nanosec", (int64_t)floor((seconds - whole) * 1e9 + 0.5));
    json_close(json, '}');
}

static void json_motion(Text* text, const PlanAnswer* answer) {
    const int32_t values = berth_scene_value_count(answer->scene);
    Json json = json_writer(text);
    json_open(&json, '{');
    json_key_open(&json, "joint_names", '[');
    for (int32_t i = 0; i < values; ++i) {
        char name[512];
        berth_scene_value_name(answer->scene, i, name, sizeof name);
        json_text(&json, name);
    }
    json_close(&json, ']');

    json_key_open(&json, "points", '[');
    for (int32_t row = 0; row < answer->result.row_count; ++row) {
        json_open(&json, '{');
        json_key_open(&json, "positions", '[');
        json_numbers(&json, row_of(answer, row), values);
        json_close(&json, ']');
        if (answer->timed.row_count > 0) {
            json_key_open(&json, "velocities", '[');
            json_numbers(&json, velocity_of(answer, row), values);
            json_close(&json, ']');
            json_time(&json, answer->timed.times[row]);
        }
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    text_puts(text, "\n");
}

int plan_write_motion(const PlanAnswer* answer) {
    const char* file = answer->job->question->options->output;
    if (plan_verdict(answer) != BERTH_FREE) {
        fprintf(stderr, "%s: not written: no motion was found\n", file);
        return EXIT_FREE;  // the verdict decides
    }

    Text text = {0};
    const size_t length = strlen(file);
    if (length > 5 && strcmp(file + length - 5, ".json") == 0) {
        json_motion(&text, answer);
    } else {
        csv_motion(&text, answer);
    }
    int status = files_write(file, &text, true);
    if (status == EXIT_FREE) {
        status = files_list(file, &text);
    }
    text_free(&text);
    return status;
}
