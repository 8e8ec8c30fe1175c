// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers of `berth check`: JSON for programs, a few lines for people.
// Entries: check_write_answer, check_write_summary, check_json_members.

#include <math.h>

#include "cli/check/check.h"

static const char* body_name(const CheckJob* job, int32_t body) {
    return body >= 0 ? berth_scene_body_name(job->question->scene, body) : NULL;
}

// ---- JSON ----------------------------------------------------------------------------------------------------

static void json_point(Json* json, const char* key, bool is_there, BerthVec3 point) {
    json_key(json, key);
    if (is_there) {
        json_vec3(json, point);
    } else {
        json_put_null(json);
    }
}

static void json_gap(Json* json, const CheckJob* job, const BerthPairGap* gap) {
    json_open(json, '{');
    json_key_number(json, "lower", gap->lower);
    json_key_number(json, "upper", gap->upper);
    json_key_text(json, "a", body_name(job, gap->body_a));
    json_key_text(json, "b", body_name(job, gap->body_b));
    json_point(json, "point_a", gap->body_a >= 0, gap->point_a);
    json_point(json, "point_b", gap->body_a >= 0, gap->point_b);
    json_close(json, '}');
}

static void json_hit(Json* json, const CheckJob* job, const BerthHit* hit) {
    json_open(json, '{');
    json_key_text(json, "a", body_name(job, hit->body_a));
    json_key_text(json, "b", body_name(job, hit->body_b));
    json_key_vec3(json, "point", hit->point);
    json_key_number(json, "depth", hit->has_depth ? hit->depth : (double)NAN);
    json_point(json, "normal", hit->has_normal, hit->normal);
    cli_json_map_left(json, job->question->scene, hit->body_a, hit->body_b, hit->point);
    json_close(json, '}');
}

void check_json_members(Json* json, const CheckJob* job, const BerthCheckResult* result) {
    json_key_text(json, "verdict", berth_verdict_name(result->verdict));

    if (result->verdict == BERTH_UNKNOWN) {
        json_key_text(json, "reason", berth_reason_name(result->reason));
        json_key_text(json, "a", body_name(job, result->unknown_a));
        json_key_text(json, "b", body_name(job, result->unknown_b));
    }

    if (job->request.distance) {
        json_key(json, "clearance");
        if (result->has_clearance) {
            json_gap(json, job, &result->clearance);
        } else {
            json_put_null(json);
        }
    }

    json_key_open(json, "hits", '[');
    for (int32_t i = 0; i < result->hit_count; ++i) {
        json_hit(json, job, &result->hits[i]);
    }
    json_close(json, ']');
}

void check_json_gaps(Json* json, const char* key, const CheckJob* job, const BerthPairGap* gaps,
                     int32_t count) {
    json_key_open(json, key, '[');
    for (int32_t i = 0; i < count; ++i) {
        json_gap(json, job, &gaps[i]);
    }
    json_close(json, ']');
}

static void json_answer(Text* text, const CheckJob* job, int32_t state, const BerthCheckResult* result,
                        int64_t outside) {
    Json json = json_writer(text);
    json_open(&json, '{');
    json_key_int(&json, "state", state);
    check_json_members(&json, job, result);

    if (job->request.distance && job->question->options->all) {
        check_json_gaps(&json, "pairs", job, result->pairs, result->pair_count);
    }

    cli_json_assumed(&json, job->question->scene, job->question->moving, outside, 0, result->proven_count);
    json_close(&json, '}');
    text_puts(text, "\n");
}

// ---- for people ----------------------------------------------------------------------------------------------

static void put_hit(Text* text, const CheckJob* job, const BerthHit* hit) {
    text_printf(text, "%s and %s ", body_name(job, hit->body_a), body_name(job, hit->body_b));
    if (hit->has_depth && hit->depth > 0.0) {
        text_puts(text, "overlap by ");
        text_length(text, hit->depth);
    } else if (job->question->options->margin > 0.0) {
        text_puts(text, "are within the margin of ");
        text_length(text, job->question->options->margin);
    } else {
        text_puts(text, hit->has_depth ? "touch" : "touch or overlap");
    }

    text_puts(text, " at ");
    text_point(text, hit->point);
    cli_text_map_left(text, job->question->scene, hit->body_a, hit->body_b, hit->point);
}

static void put_gap(Text* text, const CheckJob* job, const BerthPairGap* gap) {
    text_printf(text, "%s and %s, ", body_name(job, gap->body_a), body_name(job, gap->body_b));
    if (gap->upper > 0.0) {
        text_length(text, gap->upper);
        text_puts(text, " apart, from ");
        text_point(text, gap->point_a);
        text_puts(text, " to ");
        text_point(text, gap->point_b);
    } else {
        text_puts(text, "touching or overlapping");
    }

    if (gap->upper > 0.0 && gap->upper - gap->lower > 1e-6) {
        text_puts(text, "; proven: at least ");
        text_length(text, gap->lower);
    }
}

static void put_free(Text* text, const CheckJob* job) {
    if (job->question->options->margin > 0.0) {
        text_puts(text, "free: everything stays more than ");
        text_length(text, job->question->options->margin);
        text_puts(text, " apart");
    } else {
        text_puts(text, "free: nothing touches");
    }
}

static void put_unknown(Text* text, const CheckJob* job, const BerthCheckResult* result) {
    text_printf(text, "UNKNOWN (%s)", berth_reason_name(result->reason));
    if (result->unknown_a >= 0 && result->unknown_b >= 0) {
        text_printf(text, ": %s and %s", body_name(job, result->unknown_a),
                    body_name(job, result->unknown_b));
    }
    text_puts(text, "; treat it as a collision");
}

static void put_verdict(Text* text, const CheckJob* job, const BerthCheckResult* result) {
    switch (result->verdict) {
    case BERTH_FREE:
        put_free(text, job);
        break;
    case BERTH_COLLISION:
        text_puts(text, "COLLISION: ");
        if (result->hit_count > 0) {
            put_hit(text, job, &result->hits[0]);
        }
        break;
    case BERTH_UNKNOWN:
        put_unknown(text, job, result);
        break;
    }
}

static void put_answer(Text* text, const CheckJob* job, int32_t state, const BerthCheckResult* result) {
    const Options* options = job->question->options;
    if (job->file != NULL) {
        text_printf(text, "state %d: ", (int)state);
    }
    put_verdict(text, job, result);
    text_puts(text, "\n");

    for (int32_t i = 1; i < result->hit_count; ++i) {
        text_puts(text, "           ");
        put_hit(text, job, &result->hits[i]);
        text_puts(text, "\n");
    }

    if (job->request.distance && options->all) {
        for (int32_t i = 0; i < result->pair_count; ++i) {
            text_puts(text, "  gap: ");
            put_gap(text, job, &result->pairs[i]);
            text_puts(text, "\n");
        }
    } else if (result->has_clearance && result->clearance.body_a < 0) {
        text_puts(text, "  nearest: nothing is within ");
        text_length(text, result->clearance.lower);
        text_puts(text, "\n");
    } else if (result->has_clearance) {
        text_puts(text, "  nearest: ");
        put_gap(text, job, &result->clearance);
        text_puts(text, "\n");
    } else if (job->request.distance && berth_scene_pair_count(job->question->scene) == 0) {
        text_puts(text, "  nearest: there is no pair of bodies to compare\n");
    }
}

void check_write_answer(Text* text, const CheckJob* job, int32_t state, const BerthCheckResult* result,
                        int64_t outside) {
    if (job->question->options->json) {
        json_answer(text, job, state, result, outside);
    } else {
        put_answer(text, job, state, result);
    }
}

static void put_scope_and_assumed(Text* text, const CheckJob* job) {
    text_printf(text, "checked: %d pairs of %d bodies\n", (int)berth_scene_pair_count(job->question->scene),
                (int)berth_scene_body_count(job->question->scene));
    cli_text_assumed(text, job->question->scene, job->question->moving, job->counts.outside_count, 0,
                     job->counts.proven_count);
}

void check_write_summary(Text* text, const CheckJob* job) {
    const Options* options = job->question->options;
    if (options->json) {
        if (options->summary) {
            question_json_summary(text, job->question, &job->counts, "states", job->seconds, "", 0);
        }
        return;
    }

    if (job->file != NULL || options->summary) {
        question_text_summary(text, &job->counts, "states", job->seconds);
    }

    if (!options->quiet) {
        put_scope_and_assumed(text, job);
    }
}
