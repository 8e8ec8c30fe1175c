// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The volume of a union of balls, by parallel lines: the part of a line in the union is exact, and the lines
// do not move with the balls, so two unions can be compared by the lines near their difference.
// Entries: bi_cover_lines, bi_cover_union_volume_through_box, bi_cover_union_volume, bi_cover_volume_change.

#include <float.h>

#include "cover/cover.h"

// Lines across the body's diagonal, and at most along one side of what is measured.
#define LINES_ACROSS 300.0
#define LINES_MAX 2000.0

typedef struct Span {
    double low, high;
} Span;

/// Balls that one row of lines meets: where across and along the lines, and what is left of the radius (squared, in L2).
/// Large: one for all rows, never cleared. Inside the loops an address sanitizer marks all of it anew for every line, which
/// took half of the time of covers under it.
enum { ROW_MAX = BI_COVER_BALLS_MAX };
typedef struct Row {
    BerthMetric metric;
    double v[ROW_MAX], w[ROW_MAX], rest[ROW_MAX];
    Span spans[ROW_MAX];  // scratch of one line
    int32_t count;
} Row;

CoverLines bi_cover_lines(const CoverBody* body) {
    const Vec3 size = v3_sub(body->high, body->low);
    return (CoverLines){body->metric, box_longest_axis(size), body->low,
                        fmax(body->diagonal / LINES_ACROSS, 0.125 * body->radius_min)};
}

// What is left of a radius (or of its square) a step across.
static double rest_of(BerthMetric metric, double rest, double across) {
    return metric == BERTH_METRIC_L1 ? rest - fabs(across) : rest - across * across;
}

// How much of a line is in the balls.
static double line_length(Row* row, double v) {
    Span* spans = row->spans;
    int32_t count = 0;

    // Where each ball enters and leaves the line, by where it enters.
    for (int32_t k = 0; k < row->count; ++k) {
        const double rest = rest_of(row->metric, row->rest[k], v - row->v[k]);
        if (!(rest > 0.0)) {
            continue;
        }

        const double half = row->metric == BERTH_METRIC_L1 ? rest : sqrt(rest);
        int32_t place = count++;
        for (; place > 0 && spans[place - 1].low > row->w[k] - half; --place) {
            spans[place] = spans[place - 1];
        }
        spans[place] = (Span){row->w[k] - half, row->w[k] + half};
    }

    // Overlaps are counted once.
    double sum = 0.0, end = -DBL_MAX;
    for (int32_t k = 0; k < count; ++k) {
        if (spans[k].high > end) {
            sum += spans[k].high - cover_greater(end, spans[k].low);
            end = spans[k].high;
        }
    }
    return sum;
}

static void fill_row(const Ball* balls, int32_t count, const CoverLines* lines, double u, Row* row) {
    const int axis_u = (lines->axis + 1) % 3, axis_v = (lines->axis + 2) % 3;
    row->metric = lines->metric;
    row->count = 0;

    for (int32_t i = 0; i < count && row->count < ROW_MAX; ++i) {
        const double radius = balls[i].radius;
        const double whole = lines->metric == BERTH_METRIC_L1 ? radius : radius * radius;
        const double rest = rest_of(lines->metric, whole, u - v3_at(balls[i].centre, axis_u));
        if (radius > 0.0 && rest > 0.0) {
            row->v[row->count] = v3_at(balls[i].centre, axis_v);
            row->w[row->count] = v3_at(balls[i].centre, lines->axis);
            row->rest[row->count++] = rest;
        }
    }
}

double bi_cover_union_volume_through_box(const Ball* balls, int32_t count, const CoverLines* lines, Vec3 low,
                                         Vec3 high, double* work) {
    const int axis_u = (lines->axis + 1) % 3, axis_v = (lines->axis + 2) % 3;
    const double step = lines->step;
    const double u0 = v3_at(lines->anchor, axis_u), v0 = v3_at(lines->anchor, axis_v);
    const double first_u = floor((v3_at(low, axis_u) - u0) / step);
    const double first_v = floor((v3_at(low, axis_v) - v0) / step);
    const double rows = ceil((v3_at(high, axis_u) - u0) / step) - first_u;
    const double columns = ceil((v3_at(high, axis_v) - v0) / step) - first_v;

    Row row;
    double sum = 0.0, spent = 0.0;
    for (double iu = 0.0; iu < rows; iu += 1.0) {
        fill_row(balls, count, lines, u0 + step * (first_u + iu + 0.5), &row);
        spent += count;
        for (double iv = 0.0; iv < columns && row.count > 0; iv += 1.0) {
            sum += line_length(&row, v0 + step * (first_v + iv + 0.5));
            spent += row.count;
        }
    }

    if (work != NULL) {
        *work += spent;
    }
    return sum * step * step;
}

double bi_cover_union_volume(const Ball* balls, int32_t count, const CoverLines* lines) {
    Vec3 low = v3(DBL_MAX, DBL_MAX, DBL_MAX), high = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    for (int32_t i = 0; i < count; ++i) {
        const Vec3 r = v3(balls[i].radius, balls[i].radius, balls[i].radius);
        low = v3_min(low, v3_sub(balls[i].centre, r));
        high = v3_max(high, v3_add(balls[i].centre, r));
    }
    if (count <= 0) {
        return 0.0;
    }

    // Balls of another model may be far larger than the body: coarser lines then.
    const Vec3 size = v3_sub(high, low);
    CoverLines used = *lines;
    used.step = fmax(used.step, fmax(size.x, fmax(size.y, size.z)) / LINES_MAX);
    return bi_cover_union_volume_through_box(balls, count, &used, low, high, NULL);
}

double bi_cover_volume_change(const Ball* before, int32_t before_count, const Ball* now, int32_t now_count,
                              const CoverLines* lines, Vec3 low, Vec3 high) {
    return bi_cover_union_volume_through_box(now, now_count, lines, low, high, NULL) -
           bi_cover_union_volume_through_box(before, before_count, lines, low, high, NULL);
}
