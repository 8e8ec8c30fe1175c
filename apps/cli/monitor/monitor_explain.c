// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth monitor --explain: every term of the buffers and of the separation from people, in the scene's state, and what a
// millisecond of silence costs.
// Entry: monitor_explain.

#include <math.h>
#include <stdlib.h>

#include "cli/monitor/monitor.h"

/// Buffers of every simple body: at rest, at full speed, and at full speed after the longest tolerated silence.
typedef struct Buffers {
    BerthMonitor* monitor;
    int32_t count;
    double *rest, *fresh, *silent;
    int32_t fastest;                       ///< the body whose buffer grows most with silence
    double cost;                           ///< metres by which it grows per second of silence
    double stopping;                       ///< braking time of the slowest joint, seconds
    double horizon_fresh, horizon_silent;  ///< seconds from a sample to braking, fresh and silent
} Buffers;

// Sends the scene's state with these speeds (null: no speeds, so the largest are assumed), and computes all poses at that
// age.
static void measure_buffers_at(const GuardSettings* settings, Buffers* buffers, const double* speeds,
                               uint64_t sequence, double age, double* out) {
    const double clock = 1000.0 * (double)sequence;
    BerthPermit permit;
    const BerthMonitorMessage message = {.sequence = sequence,
                                         .stamp = NAN,
                                         .received = clock,
                                         .positions = berth_scene_values(settings->scene),
                                         .velocities = speeds,
                                         .count = berth_scene_value_count(settings->scene)};
    berth_monitor_receive(buffers->monitor, &message);

    for (int32_t i = 0; i < berth_scene_object_count(settings->scene); ++i) {
        const BerthObjectId id = berth_scene_object_at(settings->scene, i);
        BerthObjectInfo info;
        if (berth_scene_object(settings->scene, id, &info) == BERTH_OK && (info.moving || info.person)) {
            const BerthMonitorPose pose = {
                .object = id, .sequence = sequence, .stamp = NAN, .received = clock, .pose = info.pose};
            berth_monitor_receive_pose(buffers->monitor, &pose);
        }
    }

    berth_monitor_cycle(buffers->monitor, clock + age, &permit);
    for (int32_t i = 0; i < buffers->count; ++i) {
        out[i] = berth_monitor_body(buffers->monitor, i).buffer;
    }
}

static void find_fastest(const GuardSettings* settings, Buffers* buffers) {
    const double silence = settings->def.safety.silence;
    buffers->fastest = -1;

    for (int32_t i = 0; i < buffers->count; ++i) {
        const int32_t body = berth_monitor_body(buffers->monitor, i).body;
        const double cost = (buffers->silent[i] - buffers->fresh[i]) / silence;
        if (berth_scene_body(settings->scene, body).robot >= 0 && cost > buffers->cost) {
            buffers->cost = cost;
            buffers->fastest = i;
        }
    }

    for (int32_t i = 0; i < berth_scene_value_count(settings->scene); ++i) {
        const BerthJointLimit limit = berth_monitor_limit(buffers->monitor, i);
        if (limit.deceleration > 0.0) {
            buffers->stopping = fmax(buffers->stopping, limit.velocity / limit.deceleration);
        }
    }
}

static int measure_all_buffers(const GuardSettings* settings, Buffers* buffers) {
    BerthMonitorDef def = settings->def;
    def.sources = NULL;
    def.source_count = 0;
    def.fixed_buffers = false;

    const BerthStatus status = berth_monitor_create(settings->scene, &def, &buffers->monitor);
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    buffers->count = berth_monitor_body_count(buffers->monitor);
    const size_t size = (size_t)buffers->count + 1;
    double* zero = calloc((size_t)berth_scene_value_count(settings->scene) + 1, sizeof *zero);
    buffers->rest = calloc(3 * size, sizeof *buffers->rest);
    if (zero == NULL || buffers->rest == NULL) {
        free(zero);
        return cli_out_of_memory();
    }

    buffers->fresh = buffers->rest + size;
    buffers->silent = buffers->fresh + size;

    measure_buffers_at(settings, buffers, zero, 1, 0.0, buffers->rest);
    measure_buffers_at(settings, buffers, NULL, 2, 0.0, buffers->fresh);
    measure_buffers_at(settings, buffers, NULL, 3, settings->def.safety.silence, buffers->silent);

    buffers->horizon_fresh = berth_monitor_horizon(buffers->monitor, 0.0);
    buffers->horizon_silent = berth_monitor_horizon(buffers->monitor, settings->def.safety.silence);
    find_fastest(settings, buffers);

    free(zero);
    return EXIT_FREE;
}

static BerthSeparation separation_terms(const GuardSettings* settings, const Buffers* buffers,
                                        const BerthObjectInfo* person) {
    const double braking = buffers->fastest >= 0
                               ? buffers->silent[buffers->fastest] - buffers->cost * buffers->horizon_silent
                               : 0.0;
    return (BerthSeparation){.person_speed = person->speed,
                             .robot_speed = buffers->cost,
                             .reaction = buffers->horizon_silent,
                             .stopping = buffers->stopping,
                             .braking = fmax(braking, 0.0),
                             .intrusion = person->intrusion,
                             .person_uncertainty = person->uncertainty,
                             .robot_uncertainty = settings->def.robot_uncertainty};
}

// ---- for people ----------------------------------------------------------------------------------------------

static void text_times(Text* text, const GuardSettings* settings, const Buffers* buffers) {
    const BerthSafety* s = &settings->def.safety;
    text_printf(
        text,
        "Times\n"
        "  latency   %8.3f ms  largest age of a message when it arrives\n"
        "  silence   %8.3f ms  longest time without a message before STOP\n"
        "  period    %8.3f ms  length of a cycle; each answers before the next\n"
        "  permit    %8.3f ms  life of a permit\n"
        "  reaction  %8.3f ms  longest time from the end of a permit to braking\n"
        "  H = latency + age + period + permit + reaction = %.3f ms for a fresh message, %.3f ms after "
        "the silence\n"
        "Reported positions\n"
        "  noise      %8.6f  radian, or metre for sliding joints: error of a position, which observed "
        "speeds take into account\n"
        "  drift      %8.6f  seconds per second by which a sender's clock may drift\n"
        "After a stop for nearness\n"
        "  hysteresis %8.3f mm  in addition to the required distance before the next permit\n"
        "  crawl      %8.3f m/s  times the horizon H is the most that a gap may shrink while an arm is "
        "backed out%s\n"
        "\n",
        1e3 * s->latency, 1e3 * s->silence, 1e3 * s->period, 1e3 * settings->def.valid_for, 1e3 * s->reaction,
        1e3 * buffers->horizon_fresh, 1e3 * buffers->horizon_silent, s->noise,
        s->drift > 0.0 ? s->drift : settings->def.clock_drift, 1e3 * s->hysteresis, settings->def.crawl,
        settings->def.crawl > 0.0 ? "" : " (0: never)");
}

// How far a joint can move between a sample and standstill, from speed v.
static double stopping_travel(const BerthJointLimit* l, double v, double h, double error) {
    const bool known = l->acceleration > 0.0 && isfinite(l->acceleration);
    const double v1 = known ? fmin(l->velocity, v + l->acceleration * h) : l->velocity;
    const double run = known ? fmin(v * h + 0.5 * l->acceleration * h * h, l->velocity * h) : l->velocity * h;
    return run + v1 * v1 / (2.0 * l->deceleration) + error;
}

static void text_joints(Text* text, const GuardSettings* settings, const Buffers* buffers) {
    text_printf(
        text,
        "Joints: rho = min(v H + a H^2/2, vmax H) + v1^2/(2 dec) + %g, v1 = min(vmax, v + a H); radian or "
        "metre\n  %-24s %9s %9s %9s %9s %9s %9s\n",
        settings->def.tracking_error, "", "vmax", "a", "dec", "at rest", "fastest", "silent");

    for (int32_t i = 0; i < berth_scene_value_count(settings->scene); ++i) {
        const BerthJointLimit l = berth_monitor_limit(buffers->monitor, i);
        const double error = settings->def.tracking_error;
        char name[256], a[24];
        berth_scene_value_name(settings->scene, i, name, sizeof name);

        if (!(l.deceleration > 0.0)) {
            text_printf(text, "  %-24s moves nothing\n", name);
            continue;
        }

        (void)snprintf(a, sizeof a, l.acceleration > 0.0 && isfinite(l.acceleration) ? "%.4g" : "unknown",
                       l.acceleration);
        text_printf(text, "  %-24s %9.4g %9s %9.4g %9.5f %9.5f %9.5f\n", name, l.velocity, a, l.deceleration,
                    stopping_travel(&l, 0.0, buffers->horizon_fresh, error),
                    stopping_travel(&l, l.velocity, buffers->horizon_fresh, error),
                    stopping_travel(&l, l.velocity, buffers->horizon_silent, error));
    }

    if (berth_monitor_braking_assumed(buffers->monitor) > 0) {
        text_printf(text,
                    "  assumed: %d joints have no deceleration limit and brake as hard as they accelerate\n",
                    berth_monitor_braking_assumed(buffers->monitor));
    }

    text_puts(text, "\n");
}

static void text_bodies(Text* text, const GuardSettings* settings, const Buffers* buffers) {
    text_printf(
        text,
        "Simple bodies: how far their points can move until everything has stopped, b = sum of lever * "
        "rho over the joints below; mm\n"
        "  %-24s %-9s %9s %9s %9s\n",
        "", "", "at rest", "fastest", "silent");

    for (int32_t i = 0; i < buffers->count; ++i) {
        const BerthSimpleBody body = berth_monitor_body(buffers->monitor, i);
        if (!(buffers->silent[i] > 0.0)) {
            continue;
        }
        text_printf(text, "  %-24s %-9s", berth_scene_body_name(settings->scene, body.body),
                    berth_shape_name(body.shape.kind));
        text_millimetres(text, buffers->rest[i], 10);
        text_millimetres(text, buffers->fresh[i], 10);
        text_millimetres(text, buffers->silent[i], 10);
        text_puts(text, "\n");
    }

    text_puts(text, "  Two of them must be further apart than margin ");
    text_length(text, settings->def.safety.margin);
    text_puts(text, " + 2 model errors of ");
    text_length(text, settings->def.model_error);
    text_puts(text,
              " + paddings + both buffers;\n"
              "  for two links of one robot, only the joints between them count.\n"
              "\n");
}

static void text_silence(Text* text, const GuardSettings* settings, const Buffers* buffers) {
    if (buffers->fastest < 0) {
        return;
    }
    const int32_t body = berth_monitor_body(buffers->monitor, buffers->fastest).body;
    const double silence = settings->def.safety.silence;

    text_puts(text, "A millisecond of silence costs ");
    text_length(text, 1e-3 * buffers->cost);
    text_printf(text, " (%s); the %.3f ms of silence that are tolerated cost ",
                berth_scene_body_name(settings->scene, body), 1e3 * silence);
    text_length(text, buffers->cost * silence);
    text_puts(text, ".\n");
}

static void text_person(Text* text, const GuardSettings* settings, const Buffers* buffers,
                        const BerthObjectInfo* info) {
    const BerthSeparation t = separation_terms(settings, buffers, info);

    double sum = 0.0;
    if (berth_separation_distance(&t, &sum) != BERTH_OK) {
        text_printf(text, "Person %s: %s\n", info->name, berth_error_text());
        return;
    }

    text_printf(text,
                "\n"
                "Person %s: S = S_h + S_r + S_s + C + Z_d + Z_r against the fastest body, silent\n"
                "  S_h  %8.4f m  the person, %.3f m/s for T_r + T_s = %.4f + %.4f s\n"
                "  S_r  %8.4f m  the robot in T_r: how much its buffer grows in that time\n"
                "  S_s  %8.4f m  the robot, braking: the rest of its buffer\n"
                "  C    %8.4f m  reach before detection\n"
                "  Z_d  %8.4f m  position uncertainty of the person\n"
                "  Z_r  %8.4f m  position uncertainty of the robot\n"
                "  S    %8.4f m; a millisecond of silence costs ",
                info->name, t.person_speed * (t.reaction + t.stopping), t.person_speed, t.reaction,
                t.stopping, t.robot_speed * t.reaction, t.braking, t.intrusion, t.person_uncertainty,
                t.robot_uncertainty, sum);
    text_length(text, 1e-3 * (t.person_speed + t.robot_speed));
    text_puts(text, "\n");
}

// ---- JSON ----------------------------------------------------------------------------------------------------

static void json_bodies(Json* json, const GuardSettings* settings, const Buffers* buffers) {
    json_key_open(json, "bodies", '[');
    for (int32_t i = 0; i < buffers->count; ++i) {
        const BerthSimpleBody body = berth_monitor_body(buffers->monitor, i);
        json_open(json, '{');
        json_key_text(json, "body", berth_scene_body_name(settings->scene, body.body));
        json_key_text(json, "shape", berth_shape_name(body.shape.kind));
        json_key_number(json, "rest", buffers->rest[i]);
        json_key_number(json, "fastest", buffers->fresh[i]);
        json_key_number(json, "silent", buffers->silent[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_joints(Json* json, const GuardSettings* settings, const Buffers* buffers) {
    json_key_open(json, "joints", '[');
    for (int32_t i = 0; i < berth_scene_value_count(settings->scene); ++i) {
        const BerthJointLimit l = berth_monitor_limit(buffers->monitor, i);
        char name[256];
        berth_scene_value_name(settings->scene, i, name, sizeof name);
        json_open(json, '{');
        json_key_text(json, "name", name);
        json_key_number(json, "velocity", l.velocity);
        json_key_number(json, "acceleration", l.acceleration > 0.0 ? l.acceleration : INFINITY);
        json_key_number(json, "deceleration", l.deceleration);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_person(Json* json, const GuardSettings* settings, const Buffers* buffers,
                        const BerthObjectInfo* info) {
    const BerthSeparation t = separation_terms(settings, buffers, info);
    double sum = NAN;
    (void)berth_separation_distance(&t, &sum);

    json_open(json, '{');
    json_key_text(json, "name", info->name);
    json_key_number(json, "S_h", t.person_speed * (t.reaction + t.stopping));
    json_key_number(json, "S_r", t.robot_speed * t.reaction);
    json_key_number(json, "S_s", t.braking);
    json_key_number(json, "C", t.intrusion);
    json_key_number(json, "Z_d", t.person_uncertainty);
    json_key_number(json, "Z_r", t.robot_uncertainty);
    json_key_number(json, "S", sum);

    json_key_number(json, "T_r", t.reaction);
    json_key_number(json, "T_s", t.stopping);
    json_key_number(json, "silence_mm_per_ms", t.person_speed + t.robot_speed);
    json_close(json, '}');
}

static void json_numbers(Json* json, const GuardSettings* settings, const Buffers* buffers) {
    const BerthSafety* s = &settings->def.safety;
    json_key_text(json, "monitor", GUARD_SENTENCE);
    json_key_number(json, "latency", s->latency);
    json_key_number(json, "silence", s->silence);
    json_key_number(json, "period", s->period);
    json_key_number(json, "valid_for", settings->def.valid_for);
    json_key_number(json, "reaction", s->reaction);
    json_key_number(json, "margin", s->margin);

    json_key_number(json, "hysteresis", s->hysteresis);
    json_key_number(json, "noise", s->noise);
    json_key_number(json, "drift", s->drift > 0.0 ? s->drift : settings->def.clock_drift);
    json_key_number(json, "crawl", settings->def.crawl);
    json_key_number(json, "model_error", settings->def.model_error);
    json_key_number(json, "tracking_error", settings->def.tracking_error);
    json_key_number(json, "horizon_fresh", buffers->horizon_fresh);
    json_key_number(json, "horizon_silent", buffers->horizon_silent);
    json_key_number(json, "silence_mm_per_ms", buffers->cost);
}

static void write_persons(const GuardSettings* settings, const Buffers* buffers, Text* text, Json* json) {
    for (int32_t i = 0; i < berth_scene_object_count(settings->scene); ++i) {
        BerthObjectInfo info;
        if (berth_scene_object(settings->scene, berth_scene_object_at(settings->scene, i), &info) ==
                BERTH_OK &&
            info.person) {
            if (json != NULL) {
                json_person(json, settings, buffers, &info);
            } else {
                text_person(text, settings, buffers, &info);
            }
        }
    }
}

int monitor_explain(const GuardSettings* settings, bool json) {
    Buffers buffers = {0};
    Text text = {0};

    int status = measure_all_buffers(settings, &buffers);
    if (status == EXIT_FREE && json) {
        Json out = json_writer(&text);
        json_open(&out, '{');
        json_numbers(&out, settings, &buffers);
        json_joints(&out, settings, &buffers);
        json_key_int(&out, "braking_assumed", berth_monitor_braking_assumed(buffers.monitor));
        json_bodies(&out, settings, &buffers);
        json_key_open(&out, "persons", '[');
        write_persons(settings, &buffers, &text, &out);
        json_close(&out, ']');
        // As in the guard's first event: objects that may move are inputs here, so nothing is assumed about them.
        cli_json_assumed(&out, settings->scene, BERTH_MOVING_REACH, 0, 0,
                         berth_monitor_proven_count(buffers.monitor));
        json_close(&out, '}');
        text_puts(&text, "\n");
    } else if (status == EXIT_FREE) {
        text_times(&text, settings, &buffers);
        text_joints(&text, settings, &buffers);
        text_bodies(&text, settings, &buffers);
        text_silence(&text, settings, &buffers);
        write_persons(settings, &buffers, &text, NULL);
        text_puts(&text, "\nThe guard is not safety-rated: " GUARD_SENTENCE ".\n");
    }

    if (status == EXIT_FREE) {
        status = cli_write_output(&text);
    }

    text_free(&text);
    free(buffers.rest);
    berth_monitor_destroy(buffers.monitor);
    return status;
}
