// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers of `berth path` for people: proven free and the clearance, or where and when it touches.
// Entries: path_text_line, path_text_answer.

#include <math.h>
#include <stdlib.h>

#include "cli/path/path.h"

static const char* body_name(const PathJob* job, int32_t body) {
    return body >= 0 ? berth_scene_body_name(job->question->scene, body) : "?";
}

static void put_hit(Text* text, const PathJob* job, int32_t segment, const BerthMotionResult* r) {
    const double reach = path_reach(job, segment, r);
    text_printf(text, "COLLISION: %s and %s ", body_name(job, r->body_a), body_name(job, r->body_b));
    if (reach > 0.0) {
        text_printf(text, "may touch, because %s can have come nearer by ", body_name(job, r->body_b));
        text_length(text, reach);
        text_puts(text, ",");
    } else if (job->def.self_margin >= 0.0) {
        text_puts(text, "are within their margin");
    } else if (job->def.margin > 0.0) {
        text_puts(text, "are within the margin of ");
        text_length(text, job->def.margin);
    } else {
        text_puts(text, "touch or overlap");
    }

    text_puts(text, " at ");
    text_point(text, r->point);
    cli_text_map_left(text, job->question->scene, r->body_a, r->body_b, r->point);
}

// Where objects that may move can be, if nothing is assumed about them.
static void put_movers(Text* text, const PathJob* job) {
    const int32_t count = berth_scene_moving_count(job->question->scene);
    if (job->question->moving == BERTH_MOVING_REACH && count > 0) {
        text_printf(text, "moving: %d %s everywhere %s can have got to since the start\n", (int)count,
                    count == 1 ? "object is" : "objects are", count == 1 ? "it" : "they");
    }
}

// How near the bodies of an undecided pair come: within margin + delta, or with a tracking error possibly less near.
static void put_too_close(Text* text, const PathJob* job, const BerthMotionResult* r) {
    const bool self = path_is_self_pair(job, r->body_a, r->body_b);
    const double margin = self && job->def.self_margin >= 0.0 ? job->def.self_margin : job->def.margin;
    text_puts(text, " come within ");
    text_length(text, margin + job->def.delta);
    if (job->question->options->tracking_error != NULL) {
        text_puts(text, " when joints deviate by their tracking error");
    }
}

static void put_unknown(Text* text, const PathJob* job, const BerthMotionResult* r) {
    if (r->sampled_free) {
        text_puts(text,
                  "UNKNOWN: the samples are free, but nothing between them was checked (--method fixed)");
        return;
    }

    text_printf(text, "UNKNOWN (%s)", berth_reason_name(r->reason));
    if (r->body_a >= 0 && r->body_b >= 0) {
        text_printf(text, ": %s and %s", body_name(job, r->body_a), body_name(job, r->body_b));
        if (r->reason == BERTH_REASON_TOO_CLOSE) {
            put_too_close(text, job, r);
        }
    }
    text_printf(text, " at t = %.6g .. %.6g; treat it as a collision", r->t_low, r->t_high);
}

// "  to decide it: --delta 1e-05 (about three times the work ...)", one line each.
static void put_advice(Text* text, const PathJob* job, const BerthMotionResult* r) {
    PathAdvice advice[PATH_ADVICE_MAX];
    const int count = path_advise(job, r, advice);
    for (int i = 0; i < count; ++i) {
        if (advice[i].option == NULL) {
            text_printf(text, "  to decide it: %s\n", advice[i].cost);
        } else {
            text_printf(text, "  to decide it: %s%s%s (%s)\n", advice[i].option,
                        advice[i].value[0] != '\0' ? " " : "", advice[i].value, advice[i].cost);
        }
    }
}

// "  environment: from 3.1 mm (proven) to 3.4 mm (hand and shelf, segment 2, t = 0.5)"
static void put_class(Text* text, const PathJob* job, const char* name, const BerthClearance* c) {
    if (!isfinite(c->upper)) {
        return;
    }
    text_printf(text, "  %s: from ", name);
    text_length(text, c->lower);
    text_puts(text, " (proven) to ");
    text_length(text, c->upper);
    text_printf(text, " (%s and %s, segment %d, t = %.6g)%s\n", body_name(job, c->body_a),
                body_name(job, c->body_b), (int)c->segment, c->t,
                c->spent ? "; the search for a better bound used up its budget" : "");
}

static void put_clearances(Text* text, const PathJob* job) {
    put_class(text, job, "clearance of the robot's own links", &job->counts.self);
    put_class(text, job, "clearance of everything else", &job->counts.environment);
}

// --all: a line for every segment that collides.
static void put_all_hits(Text* text, const PathJob* job) {
    for (int32_t i = 0; i < job->segment_count; ++i) {
        if (job->all[i].verdict == BERTH_COLLISION) {
            text_printf(text, "  segment %d, t = %.6g: %s and %s at ", (int)i, job->all[i].t,
                        body_name(job, job->all[i].body_a), body_name(job, job->all[i].body_b));
            text_point(text, job->all[i].point);
            cli_text_map_left(text, job->question->scene, job->all[i].body_a, job->all[i].body_b,
                              job->all[i].point);
            text_puts(text, "\n");
        }
    }
}

static void put_free(Text* text, const PathJob* job, double clearance) {
    const double asked =
        job->def.self_margin >= 0.0 ? fmin(job->def.margin, job->def.self_margin) : job->def.margin;
    const double shown = clearance > asked ? clearance : asked;
    if (!isfinite(clearance)) {
        text_puts(text, "free: proven; there is nothing that could touch");
    } else if (shown > 0.0) {
        text_puts(text, "free: proven; everything stays more than ");
        text_length(text, shown);
        text_puts(text, " apart");
    } else {
        text_puts(text, "free: proven; nothing touches");
    }
}

void path_text_line(Text* text, const PathJob* job, int32_t segment, const BerthMotionResult* result) {
    text_printf(text, "segment %d: ", (int)segment);

    switch (result->verdict) {
    case BERTH_FREE:
        put_free(text, job, result->clearance);
        break;
    case BERTH_COLLISION:
        put_hit(text, job, segment, result);
        text_printf(text, ", t = %.6g", result->t);
        if (job->first_contact) {
            text_printf(text, "; first contact at t = %.9g .. %.9g", result->t_low, result->t_high);
        }
        break;
    case BERTH_UNKNOWN:
        put_unknown(text, job, result);
        break;
    }

    text_puts(text, "\n");
}

// "segment 17 of 41, from path.csv:18 to path.csv:19"
static void put_place(Text* text, const PathJob* job, int32_t segment) {
    const BerthTrajectory* t = job->trajectory;
    if (t->row_count == 1) {
        text_puts(text, "in its only state");
        return;
    }
    text_printf(text, "segment %d of %d (%s)", (int)segment, (int)job->segment_count,
                job->interpolation_name);
    if (!t->binary && !job->merged) {
        text_printf(text, ", from %s:%lld to line %lld", t->path, (long long)t->lines[segment],
                    (long long)t->lines[segment + 1]);
    }
}

static void put_time(Text* text, const PathJob* job, int32_t segment, double at) {
    const BerthTrajectory* t = job->trajectory;
    if (t->times != NULL && segment + 1 < t->row_count) {
        text_printf(text, ", at %.6g s",
                    t->times[segment] + at * (t->times[segment + 1] - t->times[segment]));
    }
}

static void put_state(Text* text, const PathJob* job, const PathFinding* hit) {
    const size_t count = (size_t)job->question->value_count;
    double* values = calloc(count + 1, sizeof *values);
    BerthCurve* curves = calloc(count + 1, sizeof *curves);
    BerthSegment way;
    if (values != NULL && curves != NULL && path_segment(job, hit->segment, curves, &way) == BERTH_OK) {
        berth_segment_values(job->question->scene, &way, hit->result.t, values);
        text_puts(text, "  state: --at ");
        for (int32_t i = 0; i < job->question->value_count; ++i) {
            char name[256];
            berth_scene_value_name(job->question->scene, i, name, sizeof name);
            text_printf(text, "%s%s=", i > 0 ? "," : "", name);
            text_number(text, values[i]);
        }
        text_puts(text, "\n");
    } else {
        text->failed = true;
    }

    free(values);
    free(curves);
}

static void put_collision(Text* text, const PathJob* job) {
    const PathFinding* hit = &job->counts.hit;

    put_hit(text, job, hit->segment, &hit->result);
    text_puts(text, "\n  where: ");
    put_place(text, job, hit->segment);

    if (job->starts_in_collision && job->trajectory->row_count > 1) {
        text_puts(text, ": the motion starts in collision");
    } else if (job->trajectory->row_count > 1) {
        text_printf(text, ", t = %.6g", hit->result.t);
        put_time(text, job, hit->segment, hit->result.t);
    }
    text_puts(text, "\n");

    if (job->first_contact && !job->starts_in_collision && job->trajectory->row_count > 1) {
        text_printf(text, "  first contact: segment %d, t = %.9g .. %.9g", (int)hit->segment,
                    hit->result.t_low, hit->result.t_high);
        put_time(text, job, hit->segment, hit->result.t_low);
        if (job->counts.unknown.found) {
            text_printf(text, "; segment %d before it is unknown", (int)job->counts.unknown.segment);
        }
        text_puts(text, "\n");
    }

    put_state(text, job, hit);
    if (job->all != NULL) {
        text_printf(text, "%lld of %d segments collide:\n", (long long)job->counts.answers.collision_count,
                    (int)job->segment_count);
        put_all_hits(text, job);
    }
}

void path_text_answer(Text* text, const PathJob* job) {
    const PathCounts* counts = &job->counts;

    if (job->segments != NULL || job->question->options->summary) {
        question_text_summary(text, &counts->answers, "segments", job->seconds);
    } else if (counts->hit.found) {
        put_collision(text, job);
    } else if (path_verdict(job) == BERTH_FREE) {
        put_free(text, job, path_clearance(&counts->self, &counts->environment).lower);
        text_printf(text, ", on all of the motion (%d segment%s, %s)\n", (int)job->segment_count,
                    job->segment_count == 1 ? "" : "s", job->interpolation_name);
        put_clearances(text, job);
    } else {
        put_unknown(text, job, &counts->unknown.result);
        text_puts(text, "\n");
        if (!counts->unknown.result.sampled_free) {
            text_puts(text, "  where: ");
            put_place(text, job, counts->unknown.segment);
            put_time(text, job, counts->unknown.segment, counts->unknown.result.t_low);
            text_printf(text, "; %lld of %d segments are unknown\n", (long long)counts->answers.unknown_count,
                        (int)job->segment_count);
        }
        put_advice(text, job, &counts->unknown.result);
    }

    if (!job->question->options->quiet) {
        text_printf(text, "checked: %d pairs of %d bodies", (int)berth_scene_pair_count(job->question->scene),
                    (int)berth_scene_body_count(job->question->scene));
        if (counts->stats.configurations > 0) {  // mere counts have none
            text_printf(text, ", %lld configurations placed", (long long)counts->stats.configurations);
        }
        text_printf(text, ", %.3g s\n", job->seconds);
        put_movers(text, job);
        cli_text_assumed(text, job->question->scene, job->question->moving, counts->answers.outside_count,
                         job->late_count, counts->answers.proven_count);
    }
}
