// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Proven tables for tests: what `berth srdf` writes, made in memory, so that tests can change it.

#ifndef TEST_SUPPORT_PROVEN_H
#define TEST_SUPPORT_PROVEN_H

#include <berth/io.h>
#include <berth/proof.h>

enum { PROVEN_PAIR_MAX = 4096, PROVEN_LIMIT_MAX = 128 };

/// A table with room of its own, and the pairs that its SRDF disables.
typedef struct ProvenSheet {
    BerthProvenTable table;
    BerthProvenLimit limits[PROVEN_LIMIT_MAX];
    BerthProvenPair pairs[PROVEN_PAIR_MAX];
    BerthSrdfPair listed[PROVEN_PAIR_MAX];
    int32_t listed_count;
} ProvenSheet;

/// Asks a prover about all pairs: adjacent, always and never are listed as disabled, never enters the table. Names are
/// borrowed from the robot.
void proven_make(const BerthRobot* robot, ProvenSheet* sheet);
/// The table's own sum, after a change.
void proven_sum_again(ProvenSheet* sheet);
/// The SRDF as text, to be freed.
char* proven_text(const ProvenSheet* sheet);
/// Reads a URDF file with an SRDF in memory (null: none).
BerthStatus proven_read_file(const char* urdf_path, const char* srdf, const char* const* hull,
                             int32_t hull_count, const BerthIoOptions* options, BerthRobot** out);
/// A scene of one robot, read from a file with the table that the prover makes for `plain`, the same robot without any. The
/// caller destroys both.
BerthScene* proven_scene(const char* urdf_path, const BerthRobot* plain, const BerthIoOptions* options,
                         BerthRobot** robot);

#endif
