// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Writes events, for people and as JSON: start, every change of the permit with its reason, dropped messages, status, end.
// docs/theory/monitor.md has the table.
// Entries: event_write, guard_list_assumed.

#include <math.h>
#include <string.h>

#include "guard_internal.h"

static bool is_real_time(const Guard* guard) {
    return guard->machine.fifo && guard->machine.locked;
}

static const char* source_name(const Guard* guard, int32_t source) {
    const BerthMonitorDef* def = &guard->settings->def;
    return source >= 0 && source < def->source_count ? def->sources[source].name : NULL;
}

static const char* value_name(const Guard* guard, int32_t value, char* name, size_t size) {
    if (value < 0 || value >= guard->value_count) {
        return NULL;
    }
    berth_scene_value_name(guard->settings->scene, value, name, size);
    return name;
}

static const char* body_name(const Guard* guard, int32_t body) {
    return body >= 0 ? berth_scene_body_name(guard->settings->scene, body) : NULL;
}

static const char* cloud_name(const Guard* guard, int32_t cloud) {
    const BerthMonitorDef* def = &guard->settings->def;
    return cloud >= 0 && cloud < def->cloud_count ? def->clouds[cloud].name : NULL;
}

static const char* choice_name(const Guard* guard, int32_t choice) {
    const BerthMonitorDef* def = &guard->settings->def;
    return choice >= 0 && choice < def->choice_count ? def->choices[choice].name : NULL;
}

// The second of two bodies may be a point of a cloud.
static const char* second_name(const Guard* guard, const BerthPermit* p) {
    if (p->body_b >= 0) {
        return body_name(guard, p->body_b);
    }
    return p->body_a >= 0 ? cloud_name(guard, p->cloud) : NULL;
}

// ---- JSON ----------------------------------------------------------------------------------------------------

static void begin_json(const Guard* guard, const Event* event, const char* name, Line* line) {
    line_printf(line, "{\"event\": \"%s\"", name);
    line_key_number(line, "time", event->time);
    line_key_int(line, "cycle", event->cycle);
    line_key_bool(line, "real_time", is_real_time(guard));
}

static void json_hash(Line* line, const uint8_t* model) {
    line_puts(line, ", \"model\": \"");
    for (int i = 0; i < 32; ++i) {
        line_printf(line, "%02x", model[i]);
    }
    line_puts(line, "\"");
}

static void json_one_assumed(Line* line, const char** comma, const char* what, int64_t count) {
    if (count > 0) {
        line_printf(line, "%s{\"what\": \"%s\", \"count\": %lld}", *comma, what, (long long)count);
        *comma = ", ";
    }
}

// Whether anything unsigned is accepted from beyond loopback: through addresses of --from, inputs that are not on
// loopback, or DDS.
static int64_t believes_network(const Guard* guard) {
    const bool dds = guard->dds != NULL;
    return guard->settings->trust_network && (dds || (guard->input.beyond_loopback && !guard->trust.has_key));
}

int64_t guard_list_assumed(const Guard* guard, int64_t unstamped, GuardAssumed out[GUARD_ASSUMED_COUNT]) {
    const GuardSettings* settings = guard->settings;
    const bool is_live = !guard->replay && guard->input.kind != INPUT_MOTION;

    int64_t unknown_free = 0, outside_free = 0;
    for (int32_t i = 0; i < settings->def.cloud_count; ++i) {
        const BerthMonitorGrid* grid = settings->def.clouds[i].grid;
        unknown_free += grid != NULL && grid->unknown_is_free;
        outside_free += grid != NULL && grid->outside_is_free;
    }

    const GuardAssumed all[GUARD_ASSUMED_COUNT] = {
        {"braking_as_acceleration", "joints without a deceleration limit brake as hard as they accelerate",
         berth_monitor_braking_assumed(guard->monitor)},
        {"unnamed_values", "values that are not in the file keep the scene's state",
         guard->input.unnamed_count},
        {"speeds_by_differences", "speeds are computed from differences of rows",
         guard->input.uses_differences ? guard->value_count : 0},
        {"objects_stand", "objects that may move stay where the scene has them",
         settings->objects_stand ? guard->mover_count : 0},
        {"unstamped", "messages with neither stamp nor echo are no older than the declared latency",
         is_live ? unstamped : 0},
        {"unknown_space_free", "unknown cells of a live map are free", unknown_free},
        {"outside_space_free", "space outside a live map is free", outside_free},
        {"network_trusted", "unsigned messages on the network are trusted", believes_network(guard)},
        {"empty_space_free", "invalid points and empty clouds of ROS 2 topics are free space",
         sensed_believed_empty(guard->sensed)}};

    int64_t sum = 0;
    for (int i = 0; i < GUARD_ASSUMED_COUNT; ++i) {
        out[i] = all[i];
        sum += all[i].count;
    }
    return sum;
}

// The assumptions: the scene's and the guard's own.
static void json_assumed(const Guard* guard, const Event* event, Line* line) {
    const BerthScene* scene = guard->settings->scene;
    const char* comma = "";
    line_puts(line, ", \"assumed\": [");
    for (int32_t i = 0; i < berth_scene_assumed_count(scene); ++i) {
        const BerthAssumed one = berth_scene_assumed(scene, i);
        json_one_assumed(line, &comma, one.what, one.count);
    }

    GuardAssumed own[GUARD_ASSUMED_COUNT];
    (void)guard_list_assumed(guard, event->counts.monitor.unstamped, own);
    for (int i = 0; i < GUARD_ASSUMED_COUNT; ++i) {
        json_one_assumed(line, &comma, own[i].what, own[i].count);
    }

    line_puts(line, "]");
}

// Declared pairs, and pairs whose proof holds while joints stay within limits.
static void json_declared(const Guard* guard, Line* line) {
    const BerthScene* scene = guard->settings->scene;
    const char* comma = "";
    line_puts(line, ", \"declared\": [");
    for (int32_t i = 0; i < berth_scene_declared_count(scene); ++i) {
        const BerthAssumed one = berth_scene_declared(scene, i);
        json_one_assumed(line, &comma, one.what, one.count);
    }
    line_printf(line, "], \"proven\": %d", berth_monitor_proven_count(guard->monitor));
}

// The nonce under which messages must be signed; only with a key.
static void json_nonce(const Guard* guard, const Event* event, Line* line) {
    if (guard->trust.has_key) {
        line_key_int(line, "nonce", (long long)event->nonce);
    }
}

static void json_start(const Guard* guard, const Event* event, Line* line) {
    const GuardSettings* settings = guard->settings;

    begin_json(guard, event, "start", line);
    line_key_text(line, "monitor", GUARD_SENTENCE);
    line_key_text(line, "machine", guard->machine.words);
    line_key_text(line, "scene", settings->scene_name);
    line_key_text(line, "input", settings->input);

    if (guard->input.port > 0) {
        line_key_int(line, "port", guard->input.port);
    }

    line_puts(line, ", \"sources\": [");
    for (int32_t i = 0; i < settings->def.source_count; ++i) {
        line_puts(line, i > 0 ? ", " : "");
        line_quoted(line, settings->def.sources[i].name);
    }
    line_puts(line, "]");

    line_key_int(line, "values", guard->value_count);
    line_key_int(line, "bodies", berth_monitor_body_count(guard->monitor));
    line_key_int(line, "movers", guard->mover_count);
    line_key_number(line, "period", guard->safety.period);
    line_key_number(line, "silence", guard->safety.silence);
    line_key_number(line, "valid_for", settings->def.valid_for);
    line_key_int(line, "bytes", (long long)berth_monitor_bytes(guard->monitor));

    json_hash(line, event->permit.model);
    json_nonce(guard, event, line);
    json_assumed(guard, event, line);
    json_declared(guard, line);
    line_puts(line, "}\n");
}

// The scale to which a controller should slow down, and the pair that requires it.
static void json_scale(const Guard* guard, const BerthPermit* p, Line* line) {
    const BerthPermit limit = {.body_a = p->scale_a, .body_b = p->scale_b, .cloud = p->scale_cloud};
    line_key_number(line, "scale", guard->settings->def.speed_scale ? p->scale : (double)NAN);
    line_key_text(line, "scale_a", body_name(guard, limit.body_a));
    line_key_text(line, "scale_b", limit.body_a >= 0 ? second_name(guard, &limit) : NULL);
}

static void json_pair(const Guard* guard, const BerthPermit* p, Line* line) {
    line_key_text(line, "a", body_name(guard, p->body_a));
    line_key_text(line, "b", second_name(guard, p));

    // Null if nothing is near, so that every event has the same keys.
    const bool is_near = p->body_a >= 0;
    line_key_number(line, "distance", is_near ? p->distance : (double)NAN);
    line_key_number(line, "required", is_near ? p->required : (double)NAN);
    if (is_near) {
        line_key_point(line, "point_a", p->point_a);
        line_key_point(line, "point_b", p->point_b);
    } else {
        line_key_text(line, "point_a", NULL);
        line_key_text(line, "point_b", NULL);
    }
    line_key_number(line, "approach", is_near ? p->approach : (double)NAN);
    line_key_number(line, "time_to_contact", is_near ? p->time_to_contact : (double)NAN);
    json_scale(guard, p, line);
}

static void json_change(const Guard* guard, const Event* event, Line* line) {
    const BerthPermit* p = &event->permit;
    char name[256];

    begin_json(guard, event, p->go ? "go" : "stop", line);
    line_key_int(line, "sequence", (long long)p->sequence);
    json_nonce(guard, event, line);

    if (!p->go) {
        line_key_text(line, "reason", berth_stop_name(p->reason));
        line_key_text(line, "cause", berth_stop_name(p->cause));
        line_key_bool(line, "retreat", p->retreat);
        line_key_text(line, "joint", value_name(guard, p->value, name, sizeof name));
        line_key_text(line, "source", source_name(guard, p->source));
        line_key_text(line, "cloud", cloud_name(guard, p->cloud));
        line_key_text(line, "object", body_name(guard, p->object));
        line_key_text(line, "switch", choice_name(guard, p->choice));
    }

    json_pair(guard, p, line);
    if (p->go) {
        json_assumed(guard, event, line);  // what was received so far: at the start nothing
    }
    line_key_int(line, "hidden", event->hidden);
    line_puts(line, "}\n");
}

static void json_counts(const GuardCounts* t, Line* line) {
    line_key_int(line, "cycles", t->monitor.cycles);
    line_key_int(line, "permits", t->monitor.permits);
    line_key_int(line, "retreats", t->monitor.retreats);

    line_puts(line, ", \"stops\": {");
    const char* comma = "";
    for (int i = 1; i < BERTH_STOP_COUNT; ++i) {
        if (t->monitor.stops[i] > 0) {
            line_printf(line, "%s\"%s\": %lld", comma, berth_stop_name((BerthStop)i),
                        (long long)t->monitor.stops[i]);
            comma = ", ";
        }
    }
    line_puts(line, "}");

    line_key_int(line, "messages", t->monitor.messages);
    line_key_int(line, "good", t->monitor.good);
    line_key_int(line, "stale", t->monitor.stale);
    line_key_int(line, "unstamped", t->monitor.unstamped);
    line_key_int(line, "malformed", t->monitor.malformed + t->message_counts.malformed);
    line_key_int(line, "strangers", t->message_counts.strangers);
    line_key_int(line, "nameless", t->message_counts.nameless);
    line_key_int(line, "forged", t->message_counts.forged);
    line_key_int(line, "replayed", t->message_counts.replayed);
    line_key_int(line, "misfits", t->message_counts.misfits);
    line_key_int(line, "unqueued", t->message_counts.unqueued);
    line_key_int(line, "resets", t->message_counts.resets);

    line_key_int(line, "sent", t->sent);
    line_key_int(line, "unsent", t->unsent);
    line_key_int(line, "late", t->late);
    line_key_int(line, "unwritten", t->unwritten);
    line_key_int(line, "rows_left_out", t->rows_left_out);
}

static void json_end(const Guard* guard, const Event* event, Line* line) {
    begin_json(guard, event, "end", line);
    line_key_text(line, "monitor", GUARD_SENTENCE);
    json_counts(&event->counts, line);

    line_puts(line, ", \"nearest\": ");
    if (guard->nearest_permit.body_a < 0) {
        line_puts(line, "null");
    } else {
        line_printf(line, "{\"cycle\": %lld", (long long)guard->nearest_cycle);
        json_pair(guard, &guard->nearest_permit, line);
        line_puts(line, "}");
    }

    line_key_int(line, "page_faults", event->counts.page_faults);
    json_assumed(guard, event, line);
    line_puts(line, "}\n");
}

static void json_other(const Guard* guard, const Event* event, Line* line) {
    begin_json(guard, event, event->kind == EVENT_DROPPED ? "dropped" : "status", line);
    if (event->kind != EVENT_DROPPED) {
        line_key_text(line, "monitor", GUARD_SENTENCE);
        json_nonce(guard, event, line);
    }
    json_counts(&event->counts, line);
    line_puts(line, "}\n");
}

// ---- for people ----------------------------------------------------------------------------------------------

static void text_start(const Guard* guard, const Event* event, Line* line) {
    const GuardSettings* settings = guard->settings;
    line_printf(line,
                "berth monitor %s: %d joint values, %d simple bodies, a cycle of %g ms, permits valid for %g "
                "ms\n",
                settings->scene_name, guard->value_count, berth_monitor_body_count(guard->monitor),
                1000.0 * guard->safety.period, 1000.0 * settings->def.valid_for);
    line_printf(line, "%s; %s.\n", guard->machine.words, GUARD_SENTENCE);

    for (int32_t i = 0; i < berth_scene_declared_count(settings->scene); ++i) {
        const BerthAssumed one = berth_scene_declared(settings->scene, i);
        line_printf(line, "declared: %.100s%s\n", one.detail, strlen(one.detail) > 100 ? " ..." : "");
    }
    const int32_t proven = berth_monitor_proven_count(guard->monitor);
    if (proven > 0) {
        line_printf(line, "proven: %d pairs, while their joints stay within limits\n", (int)proven);
    }

    for (int32_t i = 0; i < berth_scene_assumed_count(settings->scene); ++i) {
        const BerthAssumed one = berth_scene_assumed(settings->scene, i);
        line_printf(line, "assumed: %.100s%s\n", one.detail, strlen(one.detail) > 100 ? " ..." : "");
    }

    GuardAssumed own[GUARD_ASSUMED_COUNT];
    (void)guard_list_assumed(guard, event->counts.monitor.unstamped, own);
    for (int i = 0; i < GUARD_ASSUMED_COUNT; ++i) {
        if (own[i].count > 0) {
            line_printf(line, "assumed: %s (%lld)\n", own[i].words, (long long)own[i].count);
        }
    }

    if (guard->input.port > 0) {
        line_printf(line, "listening on port %d\n", guard->input.port);
    }
}

static void text_pair(const Guard* guard, const BerthPermit* p, Line* line) {
    line_printf(line, "%s and %s are ", body_name(guard, p->body_a), second_name(guard, p));
    line_length(line, p->distance);
    line_puts(line, " apart, ");
    line_length(line, p->required);
    line_puts(line, " required");
    if (p->time_to_contact < 1000.0 && isfinite(p->approach)) {
        const double approach = rint(1e3 * p->approach) / 1e3 + 0.0;  // no "-0.000"
        line_printf(line, ", approaching at %.3f m/s at most, contact in %.3f s at the earliest", approach,
                    p->time_to_contact);
    }
}

static void text_reason(const Guard* guard, const BerthPermit* p, Line* line) {
    char name[256];
    line_printf(line, "STOP %s%s", berth_stop_name(p->reason), p->retreat ? ", RETREAT" : "");

    if (p->reason == BERTH_STOP_RESET && p->cause != BERTH_STOP_RESET) {
        line_printf(line, " (latched by %s)", berth_stop_name(p->cause));
    }

    // Who or what it is about.
    if (value_name(guard, p->value, name, sizeof name) != NULL) {
        line_printf(line, " of %s", name);
    }
    if (source_name(guard, p->source) != NULL) {
        line_printf(line, " from %s", source_name(guard, p->source));
    }
    if (p->body_a < 0 && cloud_name(guard, p->cloud) != NULL) {
        line_printf(line, " from %s", cloud_name(guard, p->cloud));
    }
    if (body_name(guard, p->object) != NULL) {
        line_printf(line, " of %s", body_name(guard, p->object));
    }
    if (choice_name(guard, p->choice) != NULL) {
        line_printf(line, " of %s", choice_name(guard, p->choice));
    }

    if ((p->reason == BERTH_STOP_NEAR || p->reason == BERTH_STOP_UNKNOWN) && p->body_a >= 0) {
        line_puts(line, ": ");
        text_pair(guard, p, line);
    }
}

static void text_change(const Guard* guard, const Event* event, Line* line) {
    const BerthPermit* p = &event->permit;
    line_printf(line, "%10.4f s  cycle %-7lld ", event->time, (long long)event->cycle);

    if (p->go) {
        line_puts(line, "GO");
        if (p->body_a >= 0) {
            line_puts(line, "; nearest: ");
            text_pair(guard, p, line);
        }
    } else {
        text_reason(guard, p, line);
    }

    if (event->hidden > 0) {
        line_printf(line, " [%lld earlier changes not reported]", (long long)event->hidden);
    }
    line_puts(line, is_real_time(guard) ? "\n" : "  [not real-time]\n");
}

static void text_counts(const GuardCounts* t, Line* line) {
    line_printf(line, "%lld cycles, %lld permits", (long long)t->monitor.cycles,
                (long long)t->monitor.permits);
    if (t->monitor.retreats > 0) {
        line_printf(line, ", %lld to retreat", (long long)t->monitor.retreats);
    }

    for (int i = 1; i < BERTH_STOP_COUNT; ++i) {
        if (t->monitor.stops[i] > 0) {
            line_printf(line, ", %lld STOP %s", (long long)t->monitor.stops[i],
                        berth_stop_name((BerthStop)i));
        }
    }

    const long long bad = (long long)(t->monitor.malformed + t->message_counts.malformed);
    line_printf(
        line,
        "; %lld messages, %lld good, %lld stale, %lld malformed, %lld from unknown senders, %lld with "
        "unknown names",
        (long long)t->monitor.messages, (long long)t->monitor.good, (long long)t->monitor.stale, bad,
        (long long)t->message_counts.strangers, (long long)t->message_counts.nameless);

    if (t->message_counts.forged + t->message_counts.replayed + t->message_counts.misfits > 0) {
        line_printf(line, ", %lld forged, %lld replayed, %lld for another model or other joints",
                    (long long)t->message_counts.forged, (long long)t->message_counts.replayed,
                    (long long)t->message_counts.misfits);
    }
    if (t->late + t->unsent + t->unwritten > 0) {
        line_printf(line, "; %lld late cycles, %lld permits not sent, %lld events not written",
                    (long long)t->late, (long long)t->unsent, (long long)t->unwritten);
    }
}

static void text_other(const Guard* guard, const Event* event, Line* line) {
    line_printf(line, "%10.4f s  cycle %-7lld %s", event->time, (long long)event->cycle,
                event->kind == EVENT_DROPPED ? "dropped messages: " : "status: ");
    text_counts(&event->counts, line);
    line_puts(line, event->kind == EVENT_DROPPED ? "" : "; " GUARD_SENTENCE);
    line_puts(line, is_real_time(guard) ? "\n" : "  [not real-time]\n");
}

static void text_end(const Guard* guard, const Event* event, Line* line) {
    line_printf(line, "end after %.4f s: ", event->time);
    text_counts(&event->counts, line);
    line_puts(line, "\n");
    if (guard->nearest_permit.body_a >= 0) {
        line_printf(line, "nearest, in cycle %lld: ", (long long)guard->nearest_cycle);
        text_pair(guard, &guard->nearest_permit, line);
        line_puts(line, "\n");
    }
    line_printf(line, "%s; %s.\n", guard->machine.words, GUARD_SENTENCE);
}

// ---- rows for plots --------------------------------------------------------------------------------------------

const char event_row_header[] =
    "time,cycle,verdict,reason,a,b,distance,required,approach,time_to_contact,scale,age,retreat,own_us\n";

static void row_number(Line* line, double value) {
    line_puts(line, ",");
    if (isfinite(value)) {
        line_printf(line, "%.9g", value);
    }
}

// Names come from files: a name with a comma or a quote is quoted as in CSV.
static void row_text(Line* line, const char* text) {
    line_puts(line, ",");
    if (text == NULL || strpbrk(text, ",\"\r\n") == NULL) {
        line_puts(line, text != NULL ? text : "");
        return;
    }
    line_puts(line, "\"");
    for (const char* c = text; *c != '\0'; ++c) {
        line_printf(line, *c == '"' ? "\"%c" : "%c", *c);
    }
    line_puts(line, "\"");
}

// A missing value is an empty cell.
static void write_row(const Guard* guard, const Event* event, Line* line) {
    const BerthPermit* p = &event->permit;
    const bool is_near = p->body_a >= 0;
    line_printf(line, "%.9g,%lld", event->time, (long long)event->cycle);
    row_text(line, p->go ? "go" : "stop");
    row_text(line, berth_stop_name(p->reason));
    row_text(line, body_name(guard, p->body_a));
    row_text(line, second_name(guard, p));

    row_number(line, is_near ? p->distance : (double)NAN);
    row_number(line, is_near ? p->required : (double)NAN);
    row_number(line, is_near ? p->approach : (double)NAN);
    row_number(line, is_near ? p->time_to_contact : (double)NAN);
    row_number(line, guard->settings->def.speed_scale ? p->scale : (double)NAN);
    row_number(line, p->age);
    row_text(line, p->retreat ? "1" : "0");
    row_number(line, 1e6 * event->took);
    line_puts(line, "\n");
}

static void write_json(const Guard* guard, const Event* event, Line* line) {
    switch (event->kind) {
    case EVENT_START:
        json_start(guard, event, line);
        break;
    case EVENT_CHANGE:
        json_change(guard, event, line);
        break;
    case EVENT_END:
        json_end(guard, event, line);
        break;
    default:
        json_other(guard, event, line);
        break;
    }
}

static void write_text(const Guard* guard, const Event* event, Line* line) {
    switch (event->kind) {
    case EVENT_START:
        text_start(guard, event, line);
        break;
    case EVENT_CHANGE:
        text_change(guard, event, line);
        break;
    case EVENT_END:
        text_end(guard, event, line);
        break;
    default:
        text_other(guard, event, line);
        break;
    }
}

void event_write(const Guard* guard, const Event* event, bool json, Line* line) {
    if (event->kind == EVENT_ROW) {
        write_row(guard, event, line);
    } else if (json) {
        write_json(guard, event, line);
    } else {
        write_text(guard, event, line);
    }
}
