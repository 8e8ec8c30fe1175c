// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth info`.

#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "cli/cli.h"

/// Pairs of links of all robots, counted by the rule that applies to them.
typedef struct PairCounts {
    int32_t of_rule[BERTH_PAIR_PROVEN + 1];  ///< by BerthPairRule
} PairCounts;

PairCounts info_count_pairs(const BerthScene* scene);
/// "checked", "no_geometry", "rigid", "adjacent", "always_overlap", "disabled".
const char* info_rule_name(BerthPairRule rule);
const char* info_joint_type_name(BerthJointType type);
/// "link", or "robot/link" when there are several robots; likewise joints. Written into `text`.
const char* info_whole_name(const BerthScene* scene, const char* robot, const char* name, char* text,
                            size_t size);
/// The box around a solid in its own frame; false if it has none (half-spaces).
bool info_solid_box(const BerthSolid* solid, BerthVec3* low, BerthVec3* high);
/// "mesh", "box", ...
const char* info_solid_kind(const BerthSolid* solid);

void info_scene_json(Json* json, const BerthScene* scene, const Options* options);
void info_scene_text(Text* text, const BerthScene* scene, const Options* options);
/// The simple bodies of a monitor around every body, as "guards".
BerthStatus info_capsules_text(Text* text, const BerthScene* scene);
BerthStatus info_capsules_json(Json* json, const BerthScene* scene);
/// Writes the kept warnings as "warnings".
void info_json_warnings(Json* json, const Warnings* warnings);
/// Ends the answer about a file for which nothing is assumed, and its line in `text`.
void info_json_end(Json* json, Text* text, const Warnings* warnings);

/// What a certificate says about itself.
int info_describe_certificate(const Options* options, const BerthIoOptions* io, const Warnings* warnings,
                              const char* path, Text* text, bool* assumed);

// ---- states, trajectories, segments --------------------------------------------------------------------------

typedef enum InfoRowsKind {
    INFO_ROWS_STATES = 0,
    INFO_ROWS_TRAJECTORY,
    INFO_ROWS_SEGMENTS,
    INFO_ROWS_KINDS
} InfoRowsKind;

/// A file of one of these kinds; `values` are rows of states in each of them.
typedef struct InfoRows {
    InfoRowsKind kind;
    int32_t row_count, value_count;
    const double* values;
    BerthStates states;
    BerthTrajectory trajectory;
    BerthSegments segments;
} InfoRows;

BerthStatus info_read_rows(InfoRowsKind kind, const char* path, const BerthScene* scene,
                           const BerthIoOptions* io, InfoRows* out);
void info_free_rows(InfoRows* rows);
void info_write_rows(Text* text, const InfoRows* rows, const char* path, const BerthScene* scene,
                     const Options* options, const Warnings* warnings);

#endif
