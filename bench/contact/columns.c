// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT

#include "contact/columns.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "math/math.h"

enum { TIMES = 60, PLACES_MOST = 64 };

const char* const column_names[COLUMN_COUNT] = {"cold", "moving", "warm"};

static double wall_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

// What two readings of the clock, one after the other, differ by.
static double clock_cost(void) {
    double values[1000];
    for (int i = 0; i < 1000; ++i) {
        const double from = wall_now();
        values[i] = wall_now() - from;
    }
    return median(values, 1000);
}

// To and fro around the place, a little turned: never deeper than a millimetre more.
static BerthPose moved(const BerthPose* place, int column, int step) {
    if (column != COLUMN_MOVING) {
        BerthPose same = *place;
        same.t.x += column == COLUMN_WARM ? 1e-9 * step : 0.0;
        return same;
    }
    const double along = 1e-4 * (step < TIMES / 2 ? step : TIMES - step) / 3.0;
    const BerthPose turn = bi_pose_axis_angle(v3(0, 0, 1), 1e-3 * step, v3(0, 0, 0));
    BerthPose pose = pose_mul(place, &turn);
    pose.t = v3_add(pose.t, v3(along, 0.5 * along, 0.0));
    return pose;
}

Column columns_measure(const Asked* asked, int column, const BerthPose* places, int count) {
    static double all[TIMES * PLACES_MOST], own[PLACES_MOST][TIMES];
    const double cost = clock_cost();
    Column out = {0};
    int total = 0;

    for (int i = 0; i < count * TIMES; ++i) {
        // Cold goes round all places; the others stay in one.
        const int place = column == COLUMN_COLD ? i % count : i / TIMES;
        const int step = column == COLUMN_COLD ? i / count : i % TIMES;
        const BerthPose pose = moved(&places[place], column, step);
        if (column == COLUMN_COLD && asked->forget != NULL) {
            asked->forget(asked->user);
        }
        if (column != COLUMN_COLD && step == 0) {
            (void)asked->ask(asked->user, &pose);  // it comes from elsewhere
        }
        const double from = wall_now();
        const int found = asked->ask(asked->user, &pose);
        const double took = fmax(wall_now() - from - cost, 0.0);
        own[place][step] = took;
        all[total++] = took;
        out.contacts += (double)found / (count * TIMES);
    }

    for (int i = 0; i < count; ++i) {
        out.mean += median(own[i], TIMES) / count;
    }
    out.median = median(all, total);
    out.p99 = all[(int)(0.99 * total)];
    return out;
}
