// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers of `berth path` for programs.
// Entries: path_json_line, path_json_answer.

#include <stdlib.h>

#include "cli/path/path.h"

static void json_body(Json* json, const PathJob* job, const char* key, int32_t body) {
    json_key_text(json, key, body >= 0 ? berth_scene_body_name(job->question->scene, body) : NULL);
}

static void json_bracket(Json* json, const char* key, double low, double high) {
    json_key_open(json, key, '[');
    json_number(json, low);
    json_number(json, high);
    json_close(json, ']');
}

// Seconds of the trajectory's own clock at t of a segment.
static void json_time(Json* json, const PathJob* job, int32_t segment, double t) {
    const double* times = job->trajectory != NULL ? job->trajectory->times : NULL;
    if (times != NULL) {
        const int32_t next = segment + 1 < job->trajectory->row_count ? segment + 1 : segment;
        json_key_number(json, "time", times[segment] + t * (times[next] - times[segment]));
    }
}

static void json_state(Json* json, const PathJob* job, int32_t segment, double t) {
    const size_t count = (size_t)job->question->value_count;
    double* values = calloc(count + 1, sizeof *values);
    BerthCurve* curves = calloc(count + 1, sizeof *curves);
    BerthSegment way;
    if (values == NULL || curves == NULL || path_segment(job, segment, curves, &way) != BERTH_OK) {
        json->text->failed = true;
    } else {
        berth_segment_values(job->question->scene, &way, t, values);
        json_key_open(json, "state", '[');
        for (size_t i = 0; i < count; ++i) {
            json_number(json, values[i]);
        }
        json_close(json, ']');
    }

    free(values);
    free(curves);
}

static void json_first_contact(Json* json, const PathJob* job, const PathFinding* hit,
                               const PathFinding* before) {
    json_key(json, "first_contact");
    if (!hit->found) {
        json_put_null(json);
        return;
    }

    json_open(json, '{');
    json_key_int(json, "segment", hit->segment);
    json_bracket(json, "t", hit->result.t_low, hit->result.t_high);
    json_body(json, job, "a", hit->result.body_a);
    json_body(json, job, "b", hit->result.body_b);

    if (before != NULL && before->found && before->segment < hit->segment) {
        // An earlier segment could not be decided: it may have a contact.
        json_key_open(json, "not_before", '{');
        json_key_int(json, "segment", before->segment);
        json_key_number(json, "t", before->result.t_low);
        json_close(json, '}');
    }

    json_close(json, '}');
}

void path_json_margins(Json* json, const PathJob* job) {
    json_key_number(json, "margin", job->def.margin);
    if (job->def.self_margin >= 0.0) {
        json_key_number(json, "self_margin", job->def.self_margin);
    }
    if (job->question->moving != BERTH_MOVING_STAND) {
        json_key_text(json, "moving", berth_moving_name(job->question->moving));
    }
}

static void json_bounds(Json* json, const PathJob* job, const BerthClearance* clearance) {
    json_key_number(json, "lower", clearance->lower);
    if (!job->question->options->no_clearance) {
        json_key_number(json, "upper", clearance->upper);
    }
}

// Both bounds, and where the upper one was measured, then both classes of pairs.
static void json_clearance(Json* json, const PathJob* job, const BerthClearance* self,
                           const BerthClearance* environment) {
    const BerthClearance all = path_clearance(self, environment);
    json_key_open(json, "clearance", '{');
    json_bounds(json, job, &all);
    if (all.body_a >= 0) {
        json_body(json, job, "a", all.body_a);
        json_body(json, job, "b", all.body_b);
        json_key_int(json, "segment", all.segment);
        json_key_number(json, "t", all.t);
        json_key_vec3(json, "point_a", all.point_a);
        json_key_vec3(json, "point_b", all.point_b);
    }
    if (all.spent) {
        json_key_text(json, "spent", "budget");
    }

    json_key_open(json, "self", '{');
    json_bounds(json, job, self);
    json_close(json, '}');
    json_key_open(json, "environment", '{');
    json_bounds(json, job, environment);
    json_close(json, '}');
    json_close(json, '}');
}

static void json_advice(Json* json, const PathJob* job, const BerthMotionResult* result) {
    PathAdvice advice[PATH_ADVICE_MAX];
    const int count = path_advise(job, result, advice);
    json_key_open(json, "advice", '[');
    for (int i = 0; i < count; ++i) {
        json_open(json, '{');
        json_key_text(json, "option", advice[i].option);
        if (advice[i].value[0] != '\0') {
            json_key_text(json, "value", advice[i].value);
        }
        json_key_text(json, "cost", advice[i].cost);
        json_close(json, '}');
    }
    json_close(json, ']');
}

// The members of every hit.
static void json_hit(Json* json, const PathJob* job, int32_t segment, const BerthMotionResult* r) {
    json_key_number(json, "t", r->t);
    json_time(json, job, segment, r->t);
    json_state(json, job, segment, r->t);
    json_body(json, job, "a", r->body_a);
    json_body(json, job, "b", r->body_b);
    json_key_vec3(json, "point", r->point);
    cli_json_map_left(json, job->question->scene, r->body_a, r->body_b, r->point);
    if (job->question->moving == BERTH_MOVING_REACH) {
        json_key_number(json, "reach", path_reach(job, segment, r));
    }
}

// --all: every segment that collides.
static void json_all_hits(Json* json, const PathJob* job) {
    json_key_open(json, "hits", '[');
    for (int32_t i = 0; i < job->segment_count; ++i) {
        if (job->all[i].verdict == BERTH_COLLISION) {
            json_open(json, '{');
            json_key_int(json, "segment", i);
            json_hit(json, job, i, &job->all[i]);
            json_close(json, '}');
        }
    }
    json_close(json, ']');
}

// The members of a segment's answer except its number.
static void json_result(Json* json, const PathJob* job, const PathFinding* finding) {
    const BerthMotionResult* r = &finding->result;

    switch (r->verdict) {
    case BERTH_FREE:
        json_clearance(json, job, &r->self, &r->environment);
        break;
    case BERTH_COLLISION:
        json_hit(json, job, finding->segment, r);
        break;
    case BERTH_UNKNOWN:
        if (r->sampled_free) {
            json_key_text(json, "sampled", "free");
        } else {
            json_key_text(json, "reason", berth_reason_name(r->reason));
            json_bracket(json, "t", r->t_low, r->t_high);
            json_body(json, job, "a", r->body_a);
            json_body(json, job, "b", r->body_b);
        }
        json_advice(json, job, r);
        break;
    }
}

void path_json_line(Text* text, const PathJob* job, int32_t segment, const BerthMotionResult* result) {
    PathFinding finding = {true, segment, *result};
    finding.result.self.segment = finding.result.environment.segment = segment;
    Json json = json_writer(text);
    json_open(&json, '{');
    json_key_int(&json, "segment", segment);
    json_key_text(&json, "verdict", berth_verdict_name(result->verdict));
    json_result(&json, job, &finding);

    if (job->question->options->first_contact) {
        const PathFinding none = {0};
        json_first_contact(&json, job, result->verdict == BERTH_COLLISION ? &finding : &none, NULL);
    }

    cli_json_assumed(&json, job->question->scene, job->question->moving, result->outside_limits, 0,
                     result->proven_count);
    json_close(&json, '}');
    text_puts(text, "\n");
}

static void json_stats(Json* json, const PathJob* job) {
    const BerthMotionStats* stats = &job->counts.stats;
    json_key_open(json, "stats", '{');
    json_key_int(json, "configurations", stats->configurations);
    json_key_int(json, "intervals", stats->intervals);
    json_key_int(json, "pairs", berth_scene_pair_count(job->question->scene));
    json_key_int(json, "bv_tests", stats->counters.bv_tests);
    json_key_int(json, "leaf_tests", stats->counters.leaf_tests);
    json_key_number(json, "seconds", job->seconds);
    json_close(json, '}');
}

void path_json_members(Json* json, const PathJob* job, bool count_segments) {
    const PathCounts* counts = &job->counts;
    const BerthVerdict verdict = path_verdict(job);
    json_key_text(json, "verdict", berth_verdict_name(verdict));

    if (verdict == BERTH_FREE) {
        json_clearance(json, job, &counts->self, &counts->environment);
    } else {
        const PathFinding* finding = verdict == BERTH_COLLISION ? &counts->hit : &counts->unknown;
        const bool all_sampled =
            verdict == BERTH_UNKNOWN && counts->sampled_count == counts->answers.unknown_count;
        if (!all_sampled) {
            json_key_int(json, "segment", finding->segment);
        }
        json_result(json, job, finding);
        json_key(json, "clearance");
        json_put_null(json);
    }

    if (job->question->options->first_contact) {
        json_first_contact(json, job, &counts->hit, &counts->unknown);
    }

    if (job->all != NULL) {
        json_all_hits(json, job);
    }

    path_json_margins(json, job);
    json_key_number(json, "delta", job->def.delta);
    if (count_segments) {
        json_key_int(json, "segments", job->segment_count);
    }
    json_key_text(json, "interpolation", job->interpolation_name);
    cli_json_assumed(json, job->question->scene, job->question->moving, counts->answers.outside_count,
                     job->late_count, counts->answers.proven_count);
    json_stats(json, job);
}

void path_json_answer(Text* text, const PathJob* job) {
    Json json = json_writer(text);
    json_open(&json, '{');
    path_json_members(&json, job, true);
    json_close(&json, '}');
    text_puts(text, "\n");
}
