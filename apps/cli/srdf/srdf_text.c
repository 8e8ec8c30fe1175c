// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The output of berth srdf: reasons, the summary, findings, JSON.

#include <math.h>
#include <string.h>

#include "cli/srdf/srdf.h"
#include "guard/numbers.h"

enum { NAME_SIZE = 600 };

SrdfCounts srdf_count(const SrdfJob* job) {
    SrdfCounts counts = {0};
    for (int32_t i = 0; i < job->pair_count; ++i) {
        const BerthPairProof* proof = &job->pairs[i].proof;
        const bool check = proof->standing == BERTH_STANDING_CHECK;
        counts.standing[proof->standing] += 1;
        counts.adjacent_never += proof->standing == BERTH_STANDING_ADJACENT && proof->never;
        counts.always_proven += proof->standing == BERTH_STANDING_ALWAYS && proof->always;
        counts.never_sampled += proof->standing == BERTH_STANDING_NEVER && !proof->never;
        counts.touching += check && proof->has_touch;
        counts.undecided += check && !proof->has_touch;
        counts.disabled += srdf_is_disabled(job, proof);
        counts.unproven += srdf_is_disabled(job, proof) && !proof->never && !proof->always;
    }
    return counts;
}

void srdf_reason(const SrdfPair* pair, char* reason, char* comment, size_t size) {
    const BerthPairProof* p = &pair->proof;
    static const char* const words[] = {"Check", "Adjacent", "Default", "Always", "Never"};
    (void)snprintf(reason, size, "%s", words[p->standing]);

    if (p->never && p->gap == 0.0) {
        (void)snprintf(comment, size, "never touch within limits: proven with %lld comparisons",
                       (long long)p->work);
    } else if (p->never) {
        char gap[NUMBER_SIZE];
        number_write_length(gap, p->gap);
        (void)snprintf(comment, size, "never nearer than %s within limits: proven with %lld comparisons", gap,
                       (long long)p->work);
    } else if (p->always) {
        (void)snprintf(comment, size, "overlap and cannot move against each other: proven");
    } else if (p->standing == BERTH_STANDING_ALWAYS) {
        (void)snprintf(comment, size, "overlap in the default state and in %lld random states: not proven",
                       (long long)p->samples);
    } else if (p->standing == BERTH_STANDING_NEVER) {
        (void)snprintf(reason, size, "Never (sampled %lld)", (long long)p->samples);
        char least[NUMBER_SIZE];
        number_write_length(least, p->seen);
        (void)snprintf(comment, size, "not proven; smallest distance found: %s", least);
    } else if (p->standing == BERTH_STANDING_DEFAULT) {
        (void)snprintf(comment, size, "overlap in the default state: assumed harmless");
    } else {
        (void)snprintf(comment, size, "%s",
                       p->has_touch ? "neighbours that touch: assumed harmless"
                                    : "neighbours: assumed harmless, not proven");
    }
}

void srdf_state_text(const SrdfJob* job, const double* values, Text* text) {
    bool any = false;
    for (int32_t i = 0; i < berth_robot_value_count(job->robot); ++i) {
        if (values[i] != job->default_state[i]) {
            char name[NAME_SIZE];
            berth_robot_value_name(job->robot, i, name, sizeof name);
            text_puts(text, any ? "," : "");
            text_printf(text, "%s=", name);
            text_number(text, values[i]);
            any = true;
        }
    }
}

static const char* why_text(BerthProofWhy why) {
    switch (why) {
    case BERTH_WHY_ENDLESS:
        return "a joint between them has no limits";
    case BERTH_WHY_NUMERIC:
        return "too close to tell";
    default:
        return "the budget is used up";
    }
}

static void text_least_gap(Text* text, double least) {
    if (isfinite(least)) {
        text_puts(text, "; smallest distance found: ");
        text_length(text, least);
    }
}

void srdf_summary_text(const SrdfJob* job, Text* text) {
    const SrdfCounts c = srdf_count(job);
    const int64_t* n = c.standing;
    text_printf(text, "%s: %d pairs of links with geometry, %.2g s\n", berth_robot_name(job->robot),
                (int)job->pair_count, job->seconds);

    text_printf(text, "  %5lld never     proven never to touch\n",
                (long long)(n[BERTH_STANDING_NEVER] - c.never_sampled));
    if (c.never_sampled > 0) {
        text_printf(text, "  %5lld never     did not touch in %lld random states: not proven\n",
                    (long long)c.never_sampled, (long long)job->def.samples);
    }

    text_printf(text, "  %5lld adjacent  neighbours; %lld of them never touch: proven\n",
                (long long)n[BERTH_STANDING_ADJACENT], (long long)c.adjacent_never);
    text_printf(text, "  %5lld default   overlap in the default state\n",
                (long long)n[BERTH_STANDING_DEFAULT]);
    text_printf(text, "  %5lld always    overlap in every state; %lld proven, the others sampled\n",
                (long long)n[BERTH_STANDING_ALWAYS], (long long)c.always_proven);

    text_printf(text, "  %5lld check     touch in some state\n", (long long)c.touching);
    text_printf(text, "  %5lld check     could not be decided\n", (long long)c.undecided);

    // People should check these two kinds.
    for (int32_t i = 0; i < job->pair_count; ++i) {
        const SrdfPair* pair = &job->pairs[i];
        if (pair->proof.standing == BERTH_STANDING_DEFAULT) {
            text_printf(text, "        %s - %s: overlap in the default state, not in every one; %s\n",
                        berth_robot_link(job->robot, pair->a).name,
                        berth_robot_link(job->robot, pair->b).name,
                        job->options->allow_default ? "disabled, though they collide in some states"
                                                    : "still checked (unless --allow-default)");
        }
        if (pair->proof.standing == BERTH_STANDING_CHECK && !pair->proof.has_touch) {
            text_printf(text, "        %s - %s: %s", berth_robot_link(job->robot, pair->a).name,
                        berth_robot_link(job->robot, pair->b).name, why_text(pair->proof.why));
            text_least_gap(text, pair->proof.seen);
            text_puts(text, "\n");
        }
    }

    if (job->options->output != NULL) {
        text_printf(text, "wrote %s\n", job->options->output);
    }
}

// ---- findings ---------------------------------------------------------------------------------------------------

static const char* const kind_names[FINDING_KINDS] = {"unknown_link", "twice",    "touches",  "unproven",
                                                      "not_always",   "needless", "overlaps", "table"};

static void text_state(const SrdfJob* job, const double* values, Text* text) {
    text_printf(text, "berth check %s --all", job->options->arguments[0]);
    Text state = {0};
    srdf_state_text(job, values, &state);
    if (state.size > 0) {
        text_puts(text, " --at ");
        text_add(text, state.data, state.size);
    }
    text->failed = text->failed || state.failed;
    text_free(&state);
}

static void text_finding(const SrdfJob* job, const Finding* f, Text* text) {
    text_printf(text, "%s:", job->options->lint);
    if (f->line > 0) {
        text_printf(text, "%d:", (int)f->line);
    }
    text_printf(text, " %s - %s: ", f->names[0], f->names[1]);
    const char* reason = f->reason != NULL && f->reason[0] != '\0' ? f->reason : "no reason given";

    switch (f->kind) {
    case FINDING_UNKNOWN_LINK:
        text_puts(text, "the robot does not have both links");
        break;
    case FINDING_TWICE:
        text_printf(text, "is already listed in line %d", (int)f->other_line);
        break;
    case FINDING_TOUCHES:
        text_printf(text, "disabled as \"%s\", but they touch: ", reason);
        text_state(job, f->pair->touch, text);
        break;
    case FINDING_UNPROVEN:
        text_printf(text, "disabled as \"%s\" without proof (%s)", reason, why_text(f->pair->proof.why));
        text_least_gap(text, f->pair->proof.seen);
        break;
    case FINDING_NOT_ALWAYS:
        text_printf(text, "disabled as \"%s\", but they are apart: ", reason);
        text_state(job, f->pair->apart, text);
        break;
    case FINDING_NEEDLESS:
        text_puts(text, "checked, but they never touch: proven");
        break;
    case FINDING_TABLE:
        text_printf(text, "disabled as \"%s\", but the proven table does not hold for them: they are checked",
                    reason);
        break;
    default:
        text_puts(text, "checked, but they overlap in the default state");
        break;
    }

    text_puts(text, "\n");
}

void srdf_lint_text(const SrdfJob* job, const Lint* lint, Text* text) {
    static const char* const words[FINDING_KINDS] = {"with unknown links",
                                                     "listed twice",
                                                     "disabled that touch",
                                                     "disabled without proof",
                                                     "not always in collision",
                                                     "checked unnecessarily",
                                                     "checked that overlap by default",
                                                     "disabled by a table that does not hold"};

    for (int32_t i = 0; i < lint->count; ++i) {
        text_finding(job, &lint->findings[i], text);
    }

    if (job->options->quiet) {
        return;
    }

    text_printf(text, "%s: %d finding%s", job->options->lint, (int)lint->count, lint->count == 1 ? "" : "s");
    for (int i = 0; i < FINDING_KINDS; ++i) {
        if (lint->kinds[i] > 0) {
            text_printf(text, ", %lld %s", (long long)lint->kinds[i], words[i]);
        }
    }

    text_printf(
        text,
        "; %lld disabled pairs proven never to touch, %lld neighbours or overlapping by default, %lld "
        "checked; %.2g s\n",
        (long long)lint->proven, (long long)lint->by_rule, (long long)lint->checked, job->seconds);
}

// ---- JSON -------------------------------------------------------------------------------------------------------

// A state as numbers in the robot's order, and as text for --at.
static void json_state(const SrdfJob* job, Json* json, const char* key, const char* text_key,
                       const double* values) {
    json_key(json, key);
    if (values == NULL) {
        json_put_null(json);
        json_key(json, text_key);
        json_put_null(json);
        return;
    }

    json_open(json, '[');
    for (int32_t i = 0; i < berth_robot_value_count(job->robot); ++i) {
        json_number(json, values[i]);
    }
    json_close(json, ']');

    Text state = {0};
    srdf_state_text(job, values, &state);
    text_add(&state, "", 1);
    json_key_text(json, text_key, state.failed ? NULL : state.data);
    json->text->failed = json->text->failed || state.failed;
    text_free(&state);
}

// `least_gap`: proven lower bound for all states within limits; 0 if they touch; null if nothing is known.
// `seen_gap`: the smallest measured gap.
static void json_gaps(Json* json, const BerthPairProof* proof) {
    double least = (double)NAN;
    if (proof != NULL && (proof->never || proof->has_touch)) {
        least = proof->never ? proof->gap : 0.0;
    }
    json_key_number(json, "least_gap", least);
    json_key_number(json, "seen_gap", proof != NULL ? proof->seen : (double)NAN);
}

static void json_pair(const SrdfJob* job, Json* json, const SrdfPair* pair) {
    const BerthPairProof* p = &pair->proof;
    char reason[160], comment[160];
    static const char* const whys[] = {NULL, "budget", "endless", "numeric"};
    srdf_reason(pair, reason, comment, sizeof reason);

    json_open(json, '{');
    json_key_text(json, "a", berth_robot_link(job->robot, pair->a).name);
    json_key_text(json, "b", berth_robot_link(job->robot, pair->b).name);
    json_key_text(json, "class", berth_pair_standing_name(p->standing));

    json_key_bool(json, "proven", p->never || p->always);
    json_key_bool(json, "disabled", srdf_is_disabled(job, p));
    json_key_text(json, "reason", srdf_is_disabled(job, p) ? reason : NULL);
    json_key_bool(json, "adjacent", p->adjacent);
    json_key_bool(json, "never", p->never);
    json_key_text(json, "why", p->has_touch || p->never ? NULL : whys[p->why]);

    json_key_int(json, "samples", p->samples);
    json_key_int(json, "comparisons", p->work);
    json_gaps(json, p);

    json_state(job, json, "touch", "at", pair->touch);
    json_close(json, '}');
}

static void json_finding(const SrdfJob* job, Json* json, const Finding* f) {
    json_open(json, '{');
    json_key_text(json, "kind", kind_names[f->kind]);
    json_key_text(json, "a", f->names[0]);
    json_key_text(json, "b", f->names[1]);

    json_key(json, "line");
    if (f->line > 0) {
        json_int(json, f->line);
    } else {
        json_put_null(json);
    }

    json_key_text(json, "reason", f->reason);
    const double* state = NULL;
    if (f->kind == FINDING_TOUCHES || f->kind == FINDING_OVERLAPS) {
        state = f->pair->touch;
    } else if (f->kind == FINDING_NOT_ALWAYS) {
        state = f->pair->apart;
    }
    json_state(job, json, "state", "at", state);

    json_gaps(json, f->pair != NULL ? &f->pair->proof : NULL);
    json_close(json, '}');
}

static void json_lint(const SrdfJob* job, Json* json, const Lint* lint) {
    json_key_open(json, "lint", '{');
    json_key_text(json, "file", job->options->lint);

    json_key_open(json, "findings", '[');
    for (int32_t i = 0; i < lint->count; ++i) {
        json_finding(job, json, &lint->findings[i]);
    }
    json_close(json, ']');

    json_key_int(json, "proven", lint->proven);
    json_key_int(json, "by_rule", lint->by_rule);
    json_key_int(json, "checked", lint->checked);

    for (int i = 0; i < FINDING_KINDS; ++i) {
        json_key_int(json, kind_names[i], lint->kinds[i]);
    }
    json_close(json, '}');
}

static void json_counts(const SrdfJob* job, Json* json) {
    const SrdfCounts counts = srdf_count(job);
    json_key_open(json, "counts", '{');
    json_key_int(json, "pairs", job->pair_count);
    for (int i = 0; i < BERTH_STANDING_COUNT; ++i) {
        json_key_int(json, berth_pair_standing_name((BerthPairStanding)i), counts.standing[i]);
    }

    json_key_int(json, "adjacent_never", counts.adjacent_never);
    json_key_int(json, "always_proven", counts.always_proven);
    json_key_int(json, "never_sampled", counts.never_sampled);
    json_key_int(json, "touching", counts.touching);
    json_key_int(json, "undecided", counts.undecided);
    json_key_int(json, "disabled", counts.disabled);
    json_key_int(json, "unproven", counts.unproven);
    json_close(json, '}');
}

// The contents of <berth_proven>, for programs.
static void json_table(const SrdfJob* job, Json* json) {
    const BerthProvenTable* table = &job->table;
    json_key_open(json, "table", '{');
    json_key_int(json, "version", 1);
    json_key_text(json, "robot", table->robot);
    json_key_text(json, "sum", table->sum);

    json_key_open(json, "limits", '[');
    for (int32_t i = 0; i < table->limit_count; ++i) {
        json_open(json, '{');
        json_key_text(json, "joint", table->limits[i].joint);
        json_key_number(json, "lower", table->limits[i].lower);
        json_key_number(json, "upper", table->limits[i].upper);
        json_close(json, '}');
    }
    json_close(json, ']');

    json_key_open(json, "pairs", '[');
    for (int32_t i = 0; i < table->pair_count; ++i) {
        json_open(json, '{');
        json_key_text(json, "a", table->pairs[i].link_a);
        json_key_text(json, "b", table->pairs[i].link_b);
        json_key_number(json, "gap", table->pairs[i].gap);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

// As in all answers: what the file assumes, which pairs are declared, what is proven.
static void json_standing(const SrdfJob* job, Json* json) {
    const SrdfCounts counts = srdf_count(job);
    json_key_open(json, "assumed", '[');
    if (counts.unproven > 0) {
        cli_json_counted(json, "disabled_pairs", counts.unproven);
    }
    json_close(json, ']');

    json_key_open(json, "declared", '[');
    if (counts.standing[BERTH_STANDING_ADJACENT] > 0) {
        cli_json_counted(json, "adjacent_pairs", counts.standing[BERTH_STANDING_ADJACENT]);
    }
    json_close(json, ']');
    json_key_int(json, "proven", job->table.pair_count);
}

void srdf_json(const SrdfJob* job, const Lint* lint, const Warnings* warnings, Text* text) {
    Json json = json_writer(text);
    json_open(&json, '{');
    json_key_text(&json, "robot", berth_robot_name(job->robot));

    json_key_open(&json, "pairs", '[');
    for (int32_t i = 0; i < job->pair_count; ++i) {
        json_pair(job, &json, &job->pairs[i]);
    }
    json_close(&json, ']');

    json_counts(job, &json);
    if (lint == NULL) {
        json_table(job, &json);
    }
    if (lint != NULL) {
        json_lint(job, &json, lint);
    }

    json_standing(job, &json);
    json_key_text(&json, "file", lint == NULL ? job->options->output : NULL);
    json_key_number(&json, "seconds", job->seconds);
    json_key_int(&json, "warnings", warnings->count);

    json_close(&json, '}');
    text_puts(text, "\n");
}
