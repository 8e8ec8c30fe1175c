// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth monitor: what its files share.

#ifndef CLI_MONITOR_H
#define CLI_MONITOR_H

#include "cli/cli.h"
#include "guard/guard.h"

enum { DECLARED_MAX = 512 };

/// Who sends what: sources, clouds, maps and choices of the command line, with memory for their names.
typedef struct Declared {
    BerthMonitorDef def;  ///< the default def with these entered
    BerthMonitorSource sources[GUARD_LIST_MAX];
    BerthMonitorCloud clouds[2 * GUARD_LIST_MAX];  ///< also maps
    BerthMonitorGrid grids[GUARD_LIST_MAX];
    BerthMonitorChoice choices[GUARD_LIST_MAX];
    BerthMonitorOption options[DECLARED_MAX];
    const char* bodies[DECLARED_MAX];
    int32_t option_count, body_count;
    int32_t* values;
    int32_t value_count;
    char* texts;  ///< copies that are cut into names
} Declared;

/// EXIT_FREE, or a status after a message. Free it in both cases.
int monitor_declare(const MonitorOptions* given, const BerthScene* scene, Declared* out);
void monitor_undeclare(Declared* declared);

/// --explain: prints every term of the buffers and of the separation from people. Returns the exit status.
int monitor_explain(const GuardSettings* settings, bool json);

struct ViewVisuals;

/// --report: plots the file of --rows over time. EXIT_FREE, or a status after a message.
/// `visuals`: the visuals of the scene's URDFs, read with `io`.
int monitor_write_report(const Options* options, const BerthScene* scene, const BerthIoOptions* io,
                         struct ViewVisuals* visuals, const char* rows);

#endif
