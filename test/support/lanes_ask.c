// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT

#include "support/lanes_ask.h"

// Part k of `company`: other lengths, other places, so that lanes of one block differ.
static void write_part(const Course* course, int k, double* row) {
    const double start = 0.61803398875 * k - (int)(0.61803398875 * k), share = 1.0 / (1 + k % 5);
    for (int i = 0; i < course->count; ++i) {
        const double go = course->to[i] - course->from[i];
        row[i] = course->from[i] + (1.0 - share) * start * go;
        row[course->count + i] = row[i] + share * go;
    }
}

LanesSegmentAnswer lanes_ask_course(LanesQuery* query, const Course* course, double tight, int company) {
    static double rows[LANES_SEGMENTS * 2 * COURSE_VALUES];
    LanesSegmentAnswer answers[LANES_SEGMENTS];
    const int place = company / 2, stride = 2 * course->count;
    for (int k = 0; k <= company; ++k) {
        double* row = rows + (ptrdiff_t)k * stride;
        write_part(course, k, row);
        for (int i = 0; k == place && i < course->count; ++i) {
            row[i] = course->from[i];
            row[course->count + i] = course->to[i];
        }
    }
    bi_lanes_ask_segments(query, rows, stride, company + 1, tight, answers);

    // Of what is open only this segment's part is told.
    int32_t kept = 0;
    for (int32_t i = 0; i < query->open_count; ++i) {
        if (query->open[i].segment == place) {
            query->open[kept++] = query->open[i];
        }
    }
    query->open_count = kept;
    return answers[place];
}
