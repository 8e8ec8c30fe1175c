// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers of `berth contact` as text and as JSON.
// Entries: contact_write, contact_write_rate.

#include <stdlib.h>
#include <string.h>

#include "cli/contact/contact.h"

static const char* body_name(const ContactJob* job, int32_t body) {
    return berth_scene_body_name(job->scene, body);
}

// ---- JSON ----------------------------------------------------------------------------------------------------

static void json_feature(Json* json, const char* key, BerthFeature feature, int32_t piece) {
    json_key_open(json, key, '{');
    json_key_text(json, "kind", berth_feature_name(feature.kind));
    json_key_int(json, "piece", piece);
    json_key_int(json, "index", feature.index);
    json_close(json, '}');
}

static void json_contact(Json* json, const ContactJob* job, const BerthContact* c) {
    json_open(json, '{');
    json_key_text(json, "a", body_name(job, c->body_a));
    json_key_text(json, "b", body_name(job, c->body_b));
    json_feature(json, "feature_a", c->feature_a, c->piece_a);
    json_feature(json, "feature_b", c->feature_b, c->piece_b);
    json_key_vec3(json, "point", c->point);
    json_key_vec3(json, "normal", c->normal);
    json_key_number(json, "depth", c->depth);
    json_key_vec3(json, "force", c->force);
    json_key_int(json, "age", c->age);
    json_close(json, '}');
}

static void json_pose(Json* json, const char* key, const BerthPose* pose) {
    const BerthQuat q = berth_pose_to_quat(pose);
    json_key_open(json, key, '{');
    json_key_vec3(json, "xyz", pose->t);

    json_key_open(json, "quat", '[');
    json_number(json, q.x);
    json_number(json, q.y);
    json_number(json, q.z);
    json_number(json, q.w);
    json_close(json, ']');
    json_close(json, '}');
}

static bool is_touched(const BerthContactResult* result, int32_t body) {
    for (int32_t i = 0; i < result->contact_count; ++i) {
        if (result->contacts[i].body_a == body || result->contacts[i].body_b == body) {
            return true;
        }
    }
    return false;
}

// Whether it is in a pair whose force is not known.
static bool is_partly_known(const BerthContactResult* result, int32_t body) {
    for (int32_t i = 0; i < result->unknown_pairs; ++i) {
        const BerthUnknownPair* pair = &result->unknown[i];
        if (pair->doubt != BERTH_DOUBT_NUMERIC && (pair->body_a == body || pair->body_b == body)) {
            return true;
        }
    }
    return false;
}

static void json_bodies(Json* json, const ContactJob* job, const ContactAnswer* answer) {
    json_key_open(json, "bodies", '[');
    for (int32_t i = 0; i < answer->result.wrench_count; ++i) {
        BerthContactBody body;
        const bool moves = berth_contact_body(job->world, i, &body) == BERTH_OK &&
                           body.motion == BERTH_BODY_FREE && job->steps > 0;
        if (!moves && !is_touched(&answer->result, i)) {
            continue;
        }

        json_open(json, '{');
        json_key_text(json, "name", body_name(job, i));
        json_key_vec3(json, "force", answer->result.wrenches[i].force);
        json_key_vec3(json, "moment", answer->result.wrenches[i].moment);
        if (is_partly_known(&answer->result, i)) {
            json_key_bool(json, "partial", true);
        }
        if (moves) {
            json_pose(json, "pose", &body.world_from_body);
            json_key_vec3(json, "velocity", body.velocity);
            json_key_vec3(json, "spin", body.spin);
        }
        json_close(json, '}');
    }

    json_close(json, ']');
}

void contact_write_assumed(Json* json, const ContactJob* job, int64_t outside) {
    json_key_open(json, "assumed", '[');

    for (int32_t i = 0; i < berth_contact_assumed_count(job->world); ++i) {
        const BerthAssumed assumed = berth_contact_assumed(job->world, i);
        cli_json_counted(json, assumed.what, assumed.count);
    }

    if (outside > 0) {
        cli_json_counted(json, "outside_limits", outside);
    }
    json_close(json, ']');

    json_key_open(json, "declared", '[');
    for (int32_t i = 0; i < berth_contact_declared_count(job->world); ++i) {
        const BerthAssumed declared = berth_contact_declared(job->world, i);
        cli_json_counted(json, declared.what, declared.count);
    }
    json_close(json, ']');
    json_key_int(json, "proven", 0);  // every pair is checked
}

// Why pairs could not be decided.
static void json_unknown_pairs(Json* json, const ContactJob* job, const BerthContactResult* result) {
    json_key_int(json, "unknown_pairs", result->unknown_pairs);
    json_key_open(json, "unknown", '[');

    for (int32_t i = 0; i < result->unknown_pairs; ++i) {
        const BerthUnknownPair* pair = &result->unknown[i];
        json_open(json, '{');
        json_key_text(json, "a", body_name(job, pair->body_a));
        json_key_text(json, "b", body_name(job, pair->body_b));
        json_key_text(json, "why", berth_contact_doubt_name(pair->doubt));
        json_key_bool(json, "touching", pair->touching);
        json_close(json, '}');
    }

    json_close(json, ']');
}

static void write_json(Text* text, const ContactJob* job, const ContactAnswer* answer) {
    const BerthContactResult* result = &answer->result;
    Json json = json_writer(text);

    json_open(&json, '{');
    json_key_int(&json, "state", answer->row);
    if (answer->has_time) {
        json_key_number(&json, "time", answer->time);
    }

    json_key_text(&json, "verdict", berth_verdict_name(result->verdict));
    if (result->verdict == BERTH_UNKNOWN) {
        json_key_text(&json, "reason", berth_reason_name(result->reason));
    }
    if (result->unknown_pairs > 0) {
        json_unknown_pairs(&json, job, result);
    }
    if (answer->is_held) {
        json_key_int(&json, "held_after_steps", answer->stepped);
    }

    json_key_open(&json, "contacts", '[');
    for (int32_t i = 0; i < result->contact_count; ++i) {
        json_contact(&json, job, &result->contacts[i]);
    }
    json_close(&json, ']');

    json_bodies(&json, job, answer);
    if (answer->has_follow) {
        json_key_open(&json, "follower", '{');
        json_key_text(&json, "name", body_name(job, job->follower));
        json_pose(&json, "pose", &answer->follow.world_from_body);
        json_key_number(&json, "lag", answer->follow.lag);
        json_key_number(&json, "depth", answer->follow.depth);
        json_key_bool(&json, "blocked", answer->follow.blocked);
        json_key_vec3(&json, "force", answer->hand.force);
        json_key_vec3(&json, "moment", answer->hand.moment);
        json_close(&json, '}');
    }

    contact_write_assumed(&json, job, answer->outside);
    json_close(&json, '}');
    text_puts(text, "\n");
}

// ---- text ----------------------------------------------------------------------------------------------------

static void put_feature(Text* text, BerthFeature feature) {
    text_puts(text, berth_feature_name(feature.kind));
    if (feature.kind != BERTH_FEATURE_ROUND) {
        text_printf(text, " %d", (int)feature.index);
    }
}

static void put_contact(Text* text, const BerthContact* c) {
    text_puts(text, "    ");
    put_feature(text, c->feature_a);
    text_puts(text, " on ");
    put_feature(text, c->feature_b);
    text_puts(text, " at ");
    text_point(text, c->point);

    if (c->depth < 1e-9) {
        text_puts(text, ", just touching");
    } else {
        text_puts(text, ", depth ");
        text_length(text, c->depth);
    }

    text_puts(text, ", normal ");
    text_point(text, c->normal);
    text_printf(text, ", force (%.3g, %.3g, %.3g) N\n", c->force.x + 0.0, c->force.y + 0.0, c->force.z + 0.0);
}

static void put_heading(Text* text, const ContactJob* job, const ContactAnswer* answer) {
    const BerthContactResult* result = &answer->result;

    if (job->many || job->follower >= 0) {
        text_printf(text, "state %d", (int)answer->row);
        if (answer->has_time) {
            text_printf(text, " (%.4g s)", answer->time);
        }
        text_puts(text, ": ");
    }

    if (result->verdict == BERTH_COLLISION) {
        text_printf(text, "%d contacts", (int)result->contact_count);
    } else {
        text_puts(text, result->verdict == BERTH_FREE ? "nothing touches" : "unknown: too close to tell");
    }
    if (result->unknown_pairs > 0) {
        text_printf(text, " (%d pairs of bodies could not be decided)", (int)result->unknown_pairs);
    }

    text_puts(text, "\n");
}

static void put_unknown_pair(Text* text, const ContactJob* job, const BerthUnknownPair* pair) {
    static const char* const why[] = {"too close to tell", "a mesh that is not convex has no known force",
                                      "a map or cloud has no known force"};
    text_printf(text, "  %s and %s %s: %s\n", body_name(job, pair->body_a), body_name(job, pair->body_b),
                pair->touching ? "touch" : "may touch", why[pair->doubt]);
}

static void put_free_bodies(Text* text, const ContactJob* job) {
    for (int32_t i = 0; i < berth_contact_body_count(job->world) && job->steps > 0; ++i) {
        BerthContactBody body;
        if (berth_contact_body(job->world, i, &body) == BERTH_OK && body.motion == BERTH_BODY_FREE) {
            text_printf(text, "  %s: at ", body.name);
            text_point(text, body.world_from_body.t);
            text_puts(text, ", velocity ");
            text_point(text, body.velocity);
            text_puts(text, " m/s\n");
        }
    }
}

static void write_text(Text* text, const ContactJob* job, const ContactAnswer* answer) {
    const BerthContactResult* result = &answer->result;
    put_heading(text, job, answer);

    for (int32_t i = 0; i < result->unknown_pairs; ++i) {
        put_unknown_pair(text, job, &result->unknown[i]);
    }
    if (answer->is_held) {
        text_printf(text, "  stopped after %d steps: the force on a free body is not known\n",
                    (int)answer->stepped);
    }

    for (int32_t i = 0; i < result->contact_count; ++i) {
        const BerthContact* c = &result->contacts[i];
        if (i == 0 || c->body_a != c[-1].body_a || c->body_b != c[-1].body_b) {
            text_printf(text, "  %s and %s\n", body_name(job, c->body_a), body_name(job, c->body_b));
        }
        put_contact(text, c);
    }

    for (int32_t i = 0; i < result->wrench_count; ++i) {
        const BerthVec3 f = result->wrenches[i].force, m = result->wrenches[i].moment;
        if (is_touched(result, i)) {
            text_printf(text, "  %s: force (%.4g, %.4g, %.4g) N, moment (%.4g, %.4g, %.4g) N m%s\n",
                        body_name(job, i), f.x + 0.0, f.y + 0.0, f.z + 0.0, m.x + 0.0, m.y + 0.0, m.z + 0.0,
                        is_partly_known(result, i) ? ", plus forces that are not known" : "");
        }
    }

    if (answer->has_follow) {
        text_printf(text, "  %s %s at ", body_name(job, job->follower),
                    answer->follow.blocked ? "is held" : "is");
        text_point(text, answer->follow.world_from_body.t);
        text_puts(text, ", behind by ");
        text_length(text, answer->follow.lag);
        const BerthVec3 f = answer->hand.force, m = answer->hand.moment;
        text_printf(text, "\n  the hand feels (%.4g, %.4g, %.4g) N, (%.4g, %.4g, %.4g) N m\n", f.x + 0.0,
                    f.y + 0.0, f.z + 0.0, m.x + 0.0, m.y + 0.0, m.z + 0.0);
    }

    put_free_bodies(text, job);

    const bool notes = answer->row == 0 && !job->options->quiet;
    for (int32_t i = 0; i < berth_contact_declared_count(job->world) && notes; ++i) {
        text_printf(text, "declared: %s\n", berth_contact_declared(job->world, i).detail);
    }
    for (int32_t i = 0; i < berth_contact_assumed_count(job->world) && notes; ++i) {
        text_printf(text, "assumed: %s\n", berth_contact_assumed(job->world, i).detail);
    }
}

void contact_write(Text* text, const ContactJob* job, const ContactAnswer* answer) {
    if (job->options->json) {
        write_json(text, job, answer);
    } else {
        write_text(text, job, answer);
    }
}

// ---- rates -----------------------------------------------------------------------------------------------------

static int compare_seconds(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double quantile(const ContactRate* rate, double share) {
    const int32_t i = (int32_t)(share * (double)rate->count);
    return rate->seconds[i < rate->count ? i : rate->count - 1];
}

void contact_write_rate(Text* text, const ContactJob* job, ContactRate* rate) {
    qsort(rate->seconds, (size_t)rate->count, sizeof *rate->seconds, compare_seconds);
    const double each = rate->sum / (double)rate->count;
    const double contacts = (double)rate->contacts / (double)rate->count;
    const double p50 = quantile(rate, 0.5), p99 = quantile(rate, 0.99), p999 = quantile(rate, 0.999);
    const double worst = rate->seconds[rate->count - 1];

    if (job->options->json) {
        Json json = json_writer(text);
        json_open(&json, '{');
        json_key_int(&json, "cycles", rate->count);
        json_key_number(&json, "seconds", rate->sum);
        json_key_number(&json, "rate", 1.0 / each);
        json_key_number(&json, "contacts", contacts);
        json_key_number(&json, "p50", p50);
        json_key_number(&json, "p99", p99);
        json_key_number(&json, "p99.9", p999);
        json_key_number(&json, "worst", worst);
        contact_write_assumed(&json, job, 0);
        json_close(&json, '}');
        text_puts(text, "\n");
        return;
    }

    text_printf(text, "%d cycles, %.1f contacts each: %.0f cycles/s\n", (int)rate->count, contacts,
                1.0 / each);
    text_printf(text,
                "a cycle takes %.2f us (median), %.2f us (99 %%), %.2f us (99.9 %%), %.2f us at worst\n",
                1e6 * p50, 1e6 * p99, 1e6 * p999, 1e6 * worst);

    const char* held = "not sustained";
    if (worst <= 1e-3) {
        held = "sustained by every cycle";
    } else if (p999 <= 1e-3) {
        held = "sustained by 99.9 % of the cycles";
    }
    text_printf(text, "1000 cycles/s are %s\n", held);
}
