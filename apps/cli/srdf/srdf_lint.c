// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What is wrong with an SRDF: pairs that it disables although they touch or without proof, pairs that it leaves checked
// unnecessarily, names that the robot does not have.
// Entry: srdf_lint.

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/srdf/srdf.h"

static void add_finding(Lint* lint, Finding finding) {
    if (lint->count == lint->capacity) {
        const int32_t capacity = lint->capacity > 0 ? 2 * lint->capacity : 64;
        Finding* grown = realloc(lint->findings, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            lint->failed = true;
            return;
        }
        lint->findings = grown;
        lint->capacity = capacity;
    }

    lint->findings[lint->count++] = finding;
    lint->kinds[finding.kind] += 1;
}

// A line of the file with its two links, the smaller one first.
typedef struct ListedPair {
    int32_t a, b, index;
} ListedPair;

static int compare_links(const void* left, const void* right) {
    const ListedPair *x = left, *y = right;
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    if (x->b != y->b) {
        return x->b < y->b ? -1 : 1;
    }
    return x->index < y->index ? -1 : 1;
}

// Finds unknown names and pairs listed twice; `listed` gets the others, sorted. Returns their number.
static int32_t read_listed(const SrdfJob* job, Lint* lint, ListedPair* listed) {
    int32_t count = 0;
    for (int32_t i = 0; i < berth_srdf_pair_count(job->old); ++i) {
        const BerthSrdfPair pair = berth_srdf_pair(job->old, i);
        const int32_t a = berth_robot_find_link(job->robot, pair.link_a);
        const int32_t b = berth_robot_find_link(job->robot, pair.link_b);
        if (a < 0 || b < 0) {
            add_finding(lint, (Finding){.kind = FINDING_UNKNOWN_LINK,
                                        .line = pair.line,
                                        .names = {pair.link_a, pair.link_b},
                                        .reason = pair.reason});
        } else if (!pair.enable) {
            listed[count++] = (ListedPair){a < b ? a : b, a < b ? b : a, i};
        }
    }

    // After sorting, equal pairs are adjacent.
    qsort(listed, (size_t)count, sizeof *listed, compare_links);
    for (int32_t i = 1; i < count; ++i) {
        if (listed[i].a == listed[i - 1].a && listed[i].b == listed[i - 1].b) {
            const BerthSrdfPair pair = berth_srdf_pair(job->old, listed[i].index);
            add_finding(lint, (Finding){.kind = FINDING_TWICE,
                                        .line = pair.line,
                                        .other_line = berth_srdf_pair(job->old, listed[i - 1].index).line,
                                        .names = {pair.link_a, pair.link_b},
                                        .reason = pair.reason});
        }
    }

    return count;
}

static int32_t find_line(const SrdfJob* job, const ListedPair* listed, int32_t count, const SrdfPair* pair) {
    int32_t low = 0, high = count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const bool before =
            listed[middle].a < pair->a || (listed[middle].a == pair->a && listed[middle].b < pair->b);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }

    return low < count && listed[low].a == pair->a && listed[low].b == pair->b
               ? berth_srdf_pair(job->old, listed[low].index).line
               : 0;
}

// A disabled pair is fine if proven; neighbours and pairs that overlap by default are disabled by convention.
static void judge_disabled(Lint* lint, Finding finding) {
    const BerthPairProof* proof = &finding.pair->proof;
    const bool says_never = finding.reason != NULL && strncasecmp(finding.reason, "never", 5) == 0;
    const bool says_always = finding.reason != NULL && strncasecmp(finding.reason, "always", 6) == 0;
    const bool by_default =
        proof->standing == BERTH_STANDING_DEFAULT || proof->standing == BERTH_STANDING_ALWAYS;

    if (proof->never) {
        lint->proven += 1;
        if (!says_always) {
            return;
        }
    }

    if (says_always && proof->has_apart) {
        finding.kind = FINDING_NOT_ALWAYS;
    } else if (proof->never || proof->always || (!says_never && (proof->adjacent || by_default))) {
        lint->by_rule += !proof->never;
        return;
    } else {
        finding.kind = proof->has_touch ? FINDING_TOUCHES : FINDING_UNPROVEN;
    }

    add_finding(lint, finding);
}

static void judge_checked(Lint* lint, Finding finding) {
    const BerthPairProof* proof = &finding.pair->proof;
    lint->checked += 1;
    if (proof->never) {
        finding.kind = FINDING_NEEDLESS;
        add_finding(lint, finding);
    } else if (proof->standing == BERTH_STANDING_ALWAYS) {
        finding.kind = FINDING_OVERLAPS;
        add_finding(lint, finding);
    }
}

static int compare_lines(const void* left, const void* right) {
    const Finding *x = left, *y = right;
    if ((x->line == 0) != (y->line == 0)) {
        return x->line == 0 ? 1 : -1;
    }
    if (x->line != y->line) {
        return x->line < y->line ? -1 : 1;
    }
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    return x->pair < y->pair ? -1 : x->pair > y->pair;  // all of one array
}

void srdf_lint(const SrdfJob* job, Lint* lint) {
    ListedPair* listed = calloc((size_t)berth_srdf_pair_count(job->old) + 1, sizeof *listed);
    if (listed == NULL) {
        lint->failed = true;
        return;
    }

    const int32_t count = read_listed(job, lint, listed);
    for (int32_t i = 0; i < job->pair_count; ++i) {
        const SrdfPair* pair = &job->pairs[i];
        const char* reason = NULL;
        const BerthPairRule rule = berth_robot_pair(job->robot, pair->a, pair->b, &reason);

        // A table that does not hold leaves its pairs checked, though the file disables them.
        const int32_t line = find_line(job, listed, count, pair);
        const bool disabled = line > 0 || rule == BERTH_PAIR_DISABLED || rule == BERTH_PAIR_PROVEN ||
                              rule == BERTH_PAIR_ADJACENT || rule == BERTH_PAIR_ALWAYS_OVERLAP;
        const Finding finding = {
            .pair = pair,
            .line = line,
            .names = {berth_robot_link(job->robot, pair->a).name, berth_robot_link(job->robot, pair->b).name},
            .reason = disabled ? reason : NULL};

        if (disabled && rule == BERTH_PAIR_CHECKED && pair->proof.never) {
            Finding by_table = finding;
            by_table.kind = FINDING_TABLE;
            add_finding(lint, by_table);
        } else if (disabled) {
            judge_disabled(lint, finding);
        } else if (rule == BERTH_PAIR_CHECKED) {
            judge_checked(lint, finding);
        }
    }

    if (lint->count > 0) {
        qsort(lint->findings, (size_t)lint->count, sizeof *lint->findings, compare_lines);
    }
    free(listed);
}
