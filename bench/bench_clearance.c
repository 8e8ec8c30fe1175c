// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How much of the smallest gap of a free motion is proven, and what that costs over the verdict. Random free segments of real robots
// among the obstacles of planning problems, one thread, processor time. A row a place: the share of the motions whose upper bound
// exceeds 10 delta that have lower >= 0.7 upper, over all pairs and in each class; the median and the 95th percentile of the
// cost of the search over the verdict's; how many ended for their budget.
// usage: bench_clearance [COUNT [SEED]]      2,000 free segments a place and 1 unless told otherwise

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "math/math.h"
#include "support/cell.h"
#include "support/clock.h"

enum { REPEATS = 3 };

static const double delta = 1e-4;

// Nothing was developed with it.
static const BenchPlace unseen[] = {
    {.label = "romeo box (not developed with)",
     .urdf = "example-robot-data/robots/romeo_description/urdf/romeo.urdf",
     .srdf = "example-robot-data/robots/romeo_description/srdf/romeo.srdf",
     .problem = "box"},
};
enum { UNSEEN = sizeof unseen / sizeof *unseen };

/// What came out of the free segments of a place.
typedef struct Tally {
    int count;               // free segments
    int spent;               // whose search ended for its budget
    int asked[3];            // with an upper bound above 10 delta: all pairs, own links, others
    int sharp[3];            // of these: lower >= 0.7 upper
    double* costs;           // of the search over the verdict's
    double verdict, search;  // seconds in all
} Tally;

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The least of a few runs: what else the machine does only adds.
static double time_segment(BerthMotionChecker* motion, const BerthSegment* segment, bool sharp,
                           BerthMotionResult* out) {
    const BerthMotionRequest request = {.sharp_clearance = sharp};
    double least = INFINITY;
    for (int i = 0; i < REPEATS; ++i) {
        const double start = processor_seconds();
        if (berth_motion_check_segment(motion, segment, &request, out) != BERTH_OK) {
            bench_die("a segment");
        }
        least = fmin(least, processor_seconds() - start);
    }
    return least;
}

static void count_bounds(Tally* tally, int which, double lower, double upper) {
    if (upper > 10.0 * delta && upper < (double)INFINITY) {
        tally->asked[which] += 1;
        tally->sharp[which] += lower >= 0.7 * upper;
    }
}

static void ask_segment(BerthMotionChecker* motion, const BerthSegment* segment, Tally* tally) {
    BerthMotionResult plain, sharp;
    const double verdict = time_segment(motion, segment, false, &plain);
    if (plain.verdict != BERTH_FREE) {
        return;
    }

    const double both = time_segment(motion, segment, true, &sharp);
    BerthClearance all = sharp.environment;
    berth_clearance_lower(&all, &sharp.self);
    count_bounds(tally, 0, all.lower, all.upper);
    count_bounds(tally, 1, sharp.self.lower, sharp.self.upper);
    count_bounds(tally, 2, sharp.environment.lower, sharp.environment.upper);

    tally->spent += all.spent;
    tally->verdict += verdict;
    tally->search += both - verdict;
    tally->costs[tally->count++] = (both - verdict) / verdict;
}

static double share(const Tally* tally, int which) {
    return tally->asked[which] > 0 ? (double)tally->sharp[which] / tally->asked[which] : 1.0;
}

static void report(const char* label, Tally* tally) {
    const double median = bench_median(tally->costs, tally->count);
    const double most = tally->count > 0 ? tally->costs[tally->count * 95 / 100] : 0.0;
    const double each = tally->count > 0 ? 1e6 / tally->count : 0.0;
    fprintf(
        stderr,
        "%-40s %5d free  lower >= 0.7 upper: %.1f %% of %d (own links %.1f %%, others %.1f %%)  cost median "
        "%.2f, 95 %% %.2f  verdict %.0f us, search %.0f us  spent %d\n",
        label, tally->count, 100 * share(tally, 0), tally->asked[0], 100 * share(tally, 1),
        100 * share(tally, 2), median, most, each * tally->verdict, each * tally->search, tally->spent);
    printf("clearance,%s,%d,%d,%.5g,%.5g,%.5g,%.4g,%.4g,%.4g,%.4g,%d,", label, tally->count, tally->asked[0],
           share(tally, 0), share(tally, 1), share(tally, 2), median, most, each * tally->verdict,
           each * tally->search, tally->spent);
    bench_print_who();
    printf("\n");
}

static void run_place(const BenchPlace* place, int wanted, uint64_t seed) {
    Random random = {seed};
    Setting s = bench_open(place, 2048);
    const size_t values = (size_t)s.scene->value_count;
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    def.delta = delta;
    double* to = malloc(values * sizeof *to);
    Tally tally = {.costs = malloc((size_t)wanted * sizeof(double))};
    if (to == NULL || tally.costs == NULL ||
        berth_motion_checker_create(s.scene, &def, &motion) != BERTH_OK) {
        bench_die(place->label);
    }

    // From one random state a part of the way to another, short and long alike.
    for (int64_t tries = 0; tally.count < wanted && tries < (int64_t)400 * wanted; ++tries) {
        const double* a = s.states + (bi_random_next(&random) % (uint64_t)s.count) * values;
        const double* b = s.states + (bi_random_next(&random) % (uint64_t)s.count) * values;
        const double part = exp(bi_random_between(&random, log(0.02), log(0.6)));
        for (size_t i = 0; i < values; ++i) {
            to[i] = a[i] + part * (b[i] - a[i]);
        }
        const BerthSegment segment = {.value_count = (int32_t)values, .from = a, .to = to};
        ask_segment(motion, &segment, &tally);
    }

    // What other benches were not tuned on, this one was watched on (docs/theory/motion.md).
    char label[80];
    const char* remark = strstr(place->label, " (not tuned on)");
    const size_t length = remark != NULL ? (size_t)(remark - place->label) : strlen(place->label);
    (void)snprintf(label, sizeof label, "%.*s", (int)length, place->label);
    report(label, &tally);
    berth_motion_checker_destroy(motion);
    bench_close(&s);
    free(tally.costs);
    free(to);
}

int main(int argc, char** argv) {
    const int wanted = argc > 1 ? atoi(argv[1]) : 2000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    printf(
        "bench,place,free,asked,sharp_share,self_share,environment_share,cost_median,cost_95,verdict_us,"
        "search_us,spent,machine,compiler,commit\n");
    for (int i = 0; i < BENCH_PLACES; ++i) {
        run_place(&bench_places[i], wanted, seed);
    }
    for (int i = 0; i < UNSEEN; ++i) {
        run_place(&unseen[i], wanted, seed);
    }
    return 0;
}
