// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth monitor: what its files share.

#ifndef CLI_MONITOR_H
#define CLI_MONITOR_H

#include "cli.h"
#include "guard/guard.h"

/// --explain: every number of the buffers and of the separation from people. An exit status.
int monitor_explain(const GuardSettings* settings, bool json);

#endif
