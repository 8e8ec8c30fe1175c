// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How long a question to a map takes, in processor time of the thread: another process takes none of it.

#include <berth/lab/field.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "maps/maps.h"
#include "maps/separators.h"
#include "support/clock.h"

static BerthVec3 centre_of(const double* ball) {
    return (BerthVec3){ball[0], ball[1], ball[2]};
}

static volatile int sink;

double map_time(const BerthField* field, BerthFieldMethod method, BerthMetric metric, const double* balls,
                int count) {
    double best = INFINITY;
    // Slow ways get fewer balls: a round takes at most about half a second.
    const double start = bench_thread_now();
    for (int i = 0; i < 20; ++i) {
        sink += (int)berth_field_ball_by(field, method, metric, centre_of(balls + 4 * (i % count)),
                                         balls[4 * (i % count) + 3]);
    }
    const double each = fmax((bench_thread_now() - start) / 20, 1e-9);
    const int taken = (int)fmin(count, fmax(100, 0.5 / each));
    const int repeats = (int)fmin(200, fmax(1, 0.02 / (each * taken)));
    for (int round = 0; round < 3; ++round) {
        const double begin = bench_thread_now();
        for (int k = 0; k < repeats; ++k) {
            for (int i = 0; i < taken; ++i) {
                sink += (int)berth_field_ball_by(field, method, metric, centre_of(balls + 4 * i),
                                                 balls[4 * i + 3]);
            }
        }
        best = fmin(best, (bench_thread_now() - begin) / ((double)taken * repeats));
    }
    return best;
}

static int by_size(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

MapShares map_shares(const BerthField* field, BerthFieldMethod method, const double* balls, int count) {
    double* times = calloc((size_t)count, sizeof *times);
    for (int i = 0; i < count; ++i) {
        times[i] = INFINITY;
        for (int round = 0; round < 3; ++round) {  // the best of three
            const double begin = bench_thread_now();
            for (int k = 0; k < 100; ++k) {
                sink += (int)berth_field_ball_by(field, method, BERTH_METRIC_L1, centre_of(balls + 4 * i),
                                                 balls[4 * i + 3]);
            }
            times[i] = fmin(times[i], (bench_thread_now() - begin) / 100);
        }
    }
    qsort(times, (size_t)count, sizeof *times, by_size);
    const MapShares out = {times[count / 2], times[count - 1 - count / 100]};
    free(times);
    return out;
}

int map_differences(const BerthField* field, BerthFieldMethod method, const double* balls, int count) {
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        BerthFieldAnswer a, b;
        (void)berth_field_query_by(field, method, BERTH_METRIC_L1, centre_of(balls + 4 * i), balls[4 * i + 3],
                                   &a);
        (void)berth_field_query_by(field, BERTH_FIELD_BY_OCTREE, BERTH_METRIC_L1, centre_of(balls + 4 * i),
                                   balls[4 * i + 3], &b);
        wrong += a.verdict != b.verdict || !(fabs(a.upper - b.upper) <= 1e-9);
    }
    return wrong;
}

// Seconds a ball, of one round: by separator trees, or (null) by the field's EODM.
static double bare_round(const BerthField* field, const SeparatorTrees* trees, const CellPoint* points,
                         const double* balls, int count) {
    enum { REPEATS = 20 };
    const double begin = bench_thread_now();
    for (int k = 0; k < REPEATS; ++k) {
        for (int i = 0; i < count; ++i) {
            const double limit = balls[4 * i + 3];
            const FieldNear near = trees != NULL ? map_separators_within(trees, &points[i], limit)
                                                 : bi_eodm_within(field, &points[i], limit);
            sink += (int)near.obstacle;
        }
    }
    return (bench_thread_now() - begin) / ((double)REPEATS * count);
}

MapShared map_shared(const BerthField* field, const double* balls, int count) {
    const double start = bench_thread_now();
    SeparatorTrees* trees = map_separators_create(field);
    CellPoint* points = calloc((size_t)count, sizeof *points);
    if (trees == NULL || points == NULL) {
        fprintf(stderr, "bench: no separator trees: %s\n", berth_error_text());
        exit(2);
    }

    MapShared out = {.bytes = (double)map_separators_bytes(trees), .seconds = bench_thread_now() - start};
    out.us = out.eodm_us = INFINITY;
    out.planes = (double)trees->separator_count;
    out.pieces = (double)trees->piece_count;
    out.leaves = (double)field->slots;

    for (int i = 0; i < count; ++i) {
        points[i] = bi_field_cell_point(field, centre_of(balls + 4 * i));
        const double d = map_separators_within(trees, &points[i], INFINITY).key;
        const double e = bi_eodm_nearest(field, &points[i]).key;
        out.wrong += !(fabs(d - e) <= 1e-9) && d != e ? 1 : 0;
    }

    for (int round = 0; round < 5; ++round) {  // in turns: what else the machine does meets both
        out.us = fmin(out.us, 1e6 * bare_round(field, trees, points, balls, count));
        out.eodm_us = fmin(out.eodm_us, 1e6 * bare_round(field, NULL, points, balls, count));
    }

    free(points);
    map_separators_destroy(trees);
    return out;
}

void map_row(const char* table, const char* environment, const char* what, double value, double thesis) {
    printf("maps,%s,%s,%s,%.9g,", table, environment, what, value);
    if (isfinite(thesis)) {
        printf("%.9g", thesis);
    }
    printf(",");
    bench_print_who();
    printf("\n");
}
