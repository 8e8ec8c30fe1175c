// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A segment asked of the lanes, alone or among others.

#ifndef TEST_LANES_ASK_H
#define TEST_LANES_ASK_H

#include "lanes/lanes.h"
#include "support/courses.h"

/// The answer about `course` among `company` parts of it, which are asked together with it; 0: alone.
LanesSegmentAnswer lanes_ask_course(LanesQuery* query, const Course* course, double tight, int company);

#endif
