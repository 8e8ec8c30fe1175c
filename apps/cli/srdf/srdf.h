// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth srdf: what its files share.

#ifndef CLI_SRDF_H
#define CLI_SRDF_H

#include <berth/proof.h>

#include "cli/cli.h"

/// A pair of links with geometry, and the result for it.
typedef struct SrdfPair {
    int32_t a, b;
    BerthPairProof proof;
    double* touch;  ///< a state in which they touch, or null
    double* apart;  ///< a state in which they do not, or null
} SrdfPair;

typedef struct SrdfJob {
    const Options* options;
    const BerthIoOptions* io;
    const BerthRobot* robot;
    const BerthSrdf* old;         ///< of --srdf or --lint, or null
    const double* default_state;  ///< the default state
    BerthProofModel* model;
    BerthProofDef def;
    SrdfPair* pairs;
    int32_t pair_count;
    BerthProvenTable table;  ///< what was proven, at the end
    double seconds;
} SrdfJob;

/// The kinds of findings about an SRDF.
typedef enum FindingKind {
    FINDING_UNKNOWN_LINK = 0,  ///< names a link that the robot does not have
    FINDING_TWICE,             ///< a pair that was already listed
    FINDING_TOUCHES,           ///< disabled, but there is a state in which they touch
    FINDING_UNPROVEN,          ///< disabled, and neither proven nor disproven
    FINDING_NOT_ALWAYS,        ///< disabled as "Always", but there is a state in which they do not touch
    FINDING_NEEDLESS,          ///< checked, and proven never to touch
    FINDING_OVERLAPS,          ///< checked, and in collision in the default state
    FINDING_TABLE,             ///< disabled by a proven table that does not hold: it is checked
    FINDING_KINDS
} FindingKind;

typedef struct Finding {
    FindingKind kind;
    int32_t line;          ///< in the SRDF; 0: none
    int32_t other_line;    ///< of FINDING_TWICE
    const SrdfPair* pair;  ///< or null, then
    const char* names[2];
    const char* reason;  ///< the SRDF's, or null
} Finding;

typedef struct Lint {
    Finding* findings;
    int32_t count, capacity;
    int64_t kinds[FINDING_KINDS];
    int64_t proven,
        by_rule;  ///< disabled pairs that are proven; neighbours and pairs that overlap by default
    int64_t checked;
    bool failed;
} Lint;

/// Compares the SRDF with which the robot was read with the results.
void srdf_lint(const SrdfJob* job, Lint* lint);

/// Counts over all pairs.
typedef struct SrdfCounts {
    int64_t standing[BERTH_STANDING_COUNT];
    int64_t adjacent_never;  ///< neighbours that never touch: proven
    int64_t always_proven, never_sampled;
    int64_t touching;            ///< to be checked, with a state in which they touch
    int64_t undecided;           ///< to be checked, without such a state
    int64_t disabled, unproven;  ///< of them: not proven to be harmless
} SrdfCounts;
SrdfCounts srdf_count(const SrdfJob* job);
bool srdf_is_disabled(const SrdfJob* job, const BerthPairProof* proof);

/// Writes the reason for MoveIt, and the details for people. `size` bytes each.
void srdf_reason(const SrdfPair* pair, char* reason, char* comment, size_t size);
/// Writes "joint=value,...", only the values that differ from the default state.
void srdf_state_text(const SrdfJob* job, const double* values, Text* text);
void srdf_summary_text(const SrdfJob* job, Text* text);
void srdf_lint_text(const SrdfJob* job, const Lint* lint, Text* text);
/// Writes the JSON document for both uses; `lint` may be null.
void srdf_json(const SrdfJob* job, const Lint* lint, const Warnings* warnings, Text* text);

#endif
