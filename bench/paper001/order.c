// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// II-C: which sub-segment of a colliding segment comes next. II-D: which segment of a path: all together by a queue over their
// queues, or one after the other as `berth path` does, which tells the first segment that collides.

#include <berth/lab/path.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper001/paper.h"
#include "support/cell.h"
#include "support/clock.h"

enum { SEGMENTS = 1000, PATHS = 200, PATH_SEGMENTS = 16, MODELS = 4, WAYS = 4, METHODS = 2 };
static const int models[MODELS] = {FIG_11A, FIG_11B, FIG_12A, FIG_12B};
static const char* const way_names[WAYS] = {
    "one after the other: the first is told", "path queue, likeliest: any is told",
    "path queue, longest: any is told", "path queue, likeliest, until the first"};
static const PaperMethod path_methods[METHODS] = {
    {.name = "second-order", .method = BERTH_METHOD_DEFAULT, .delta = 0.005},
    {.name = "adaptive",
     .method = BERTH_METHOD_ADAPTIVE,
     .distance = BERTH_DISTANCE_GREEDY,
     .delta = 0.005,
     .bound = BERTH_BOUND_GLOBAL}};

static double each(int64_t sum, const PaperSum* s) {
    return (double)sum / (double)(s->segments > 0 ? s->segments : 1);
}

// ---- within a segment (II-C) ------------------------------------------------------------------------------------

static void print_orders(PaperScale scale) {
    PaperMethod ways[2] = {path_methods[1], path_methods[1]};
    ways[1].order = BERTH_ORDER_LENGTH;
    double bv = 0.0, configurations = 0.0;
    paper_say("II-C: colliding segments by ADAPTIVE-BISECTION, by the order of its queue\n\n");
    paper_say("%-4s %8s | %-26s | %-26s | length / likelihood\n", "fig", "segments", "likeliest first",
              "longest first");
    paper_say("%-4s %8s | %8s %8s %8s | %8s %8s %8s | %8s %8s\n", "", "", "BV", "Tri", "conf.", "BV", "Tri",
              "conf.", "BV", "time");
    for (int m = 0; m < MODELS; ++m) {
        PaperCell cell = paper_open(models[m]);
        BerthMotionChecker* judge = paper_motion(&cell, &paper_judge);
        PaperSegments segments =
            paper_segments(&cell, judge, PAPER_COLLIDING, (int)(scale.share * SEGMENTS), scale.seconds);
        berth_motion_checker_destroy(judge);
        const PaperSum a = paper_run(&cell, &ways[0], &segments);
        const PaperSum b = paper_run(&cell, &ways[1], &segments);
        paper_say("%-4s %8lld | %8.0f %8.1f %8.1f | %8.0f %8.1f %8.1f | %8.2f %8.2f\n", cell.model->figure,
                  (long long)a.segments, each(a.bv, &a), each(a.tri, &a), each(a.configurations, &a),
                  each(b.bv, &b), each(b.tri, &b), each(b.configurations, &b), (double)b.bv / (double)a.bv,
                  b.seconds / a.seconds);
        paper_figure(cell.model->figure, "II-C likeliest first: BV", NAN, each(a.bv, &a));
        paper_figure(cell.model->figure, "II-C longest first: BV", NAN, each(b.bv, &b));
        bv += log((double)b.bv / (double)a.bv) / MODELS;
        configurations += log((double)b.configurations / (double)a.configurations) / MODELS;
        paper_free_segments(&segments);
        paper_close(&cell);
    }
    paper_say("\n");
    paper_expect("likeliest first finds collisions with fewer BV tests than longest first, geometric mean",
                 bv > 0.0, exp(bv));
    paper_expect("... with fewer configurations", configurations > 0.0, exp(configurations));
}

// ---- segments of a path (II-D) ----------------------------------------------------------------------------------

/// A path: its segments' ends, in order.
typedef struct Path {
    BerthSegment segments[PATH_SEGMENTS];
    int hit;  ///< which of them collides, -1: none
} Path;

static void add_work(PaperSum* sum, const BerthMotionStats* stats) {
    sum->bv += stats->counters.bv_tests;
    sum->tri += stats->counters.leaf_tests;
    sum->configurations += stats->configurations;
}

static int ask_in_order(BerthMotionChecker* motion, const Path* path, PaperSum* sum) {
    const BerthMotionRequest request = {0};
    for (int i = 0; i < PATH_SEGMENTS; ++i) {
        BerthMotionResult result;
        if (berth_motion_check_segment(motion, &path->segments[i], &request, &result) != BERTH_OK) {
            bench_die("a segment");
        }
        add_work(sum, &result.stats);
        if (result.verdict != BERTH_FREE) {
            return i;
        }
    }
    return -1;
}

// By the queue over all segments. `first`: what is before a collision is asked again, which goes on from what is known, until
// nothing before it collides.
static int ask_by_queue(BerthPathCache* cache, const Path* path, bool first, PaperSum* sum) {
    int32_t numbers[PATH_SEGMENTS], told = -1;
    for (int i = 0; i < PATH_SEGMENTS; ++i) {
        if (berth_path_cache_add(cache, &path->segments[i], &numbers[i]) != BERTH_OK) {
            bench_die("a path");
        }
    }

    int count = PATH_SEGMENTS;
    int answer = -1;
    do {
        BerthMotionResult result;
        if (berth_path_cache_check(cache, numbers, count, INT64_MAX, &told, &result) != BERTH_OK) {
            bench_die("a path");
        }
        add_work(sum, &result.stats);
        answer = told >= 0 ? told : answer;
        count = told;
    } while (first && count > 0);

    for (int i = 0; i < PATH_SEGMENTS; ++i) {
        berth_path_cache_drop(cache, numbers[i]);
    }
    return answer;
}

static BerthPathCache* make_cache(BerthMotionChecker* motion, BerthPathOrder order) {
    BerthPathCacheDef def = berth_default_path_cache_def();
    const BerthPathCacheLab lab = {.order = order};
    def.lab = &lab;
    def.segment_limit = PATH_SEGMENTS;
    BerthPathCache* cache = NULL;
    if (berth_path_cache_create(motion, &def, &cache) != BERTH_OK) {
        bench_die("a path cache");
    }
    return cache;
}

// One path by one of the ways; false when the first collision was promised and another one told.
static bool ask_path(BerthMotionChecker* motion, BerthPathCache* const caches[WAYS], int way,
                     const Path* path, PaperSum* sum) {
    const double t0 = bench_now();
    const int told =
        way == 0 ? ask_in_order(motion, path, sum) : ask_by_queue(caches[way], path, way == 3, sum);
    sum->seconds += bench_now() - t0;
    sum->segments += 1;
    return told == path->hit || (path->hit >= 0 && told > path->hit && (way == 1 || way == 2));
}

// Free segments with one (or none) that collides among them.
static Path make_path(PaperCell* cell, const PaperSegments* clear, const PaperSegments* hits, int with_hits) {
    Path path = {.hit = -1};
    const size_t values = (size_t)clear->value_count;
    for (int i = 0; i < PATH_SEGMENTS; ++i) {
        const size_t pick = (size_t)(bi_random_next(&cell->random) % (uint64_t)clear->count);
        const double* from = clear->ends + pick * 2 * values;
        path.segments[i] =
            (BerthSegment){.value_count = clear->value_count, .from = from, .to = from + values};
    }
    for (int k = 0; k < with_hits; ++k) {
        const int at = (int)(bi_random_next(&cell->random) % PATH_SEGMENTS);
        const size_t pick = (size_t)(bi_random_next(&cell->random) % (uint64_t)hits->count);
        path.segments[at].from = hits->ends + pick * 2 * values;
        path.segments[at].to = path.segments[at].from + values;
        path.hit = path.hit < 0 || at < path.hit ? at : path.hit;
    }
    return path;
}

/// How many segments of a path collide.
typedef struct PathKind {
    const char* name;
    int with_hits;
} PathKind;
enum { KINDS = 3 };
static const PathKind kinds[KINDS] = {{"free", 0}, {"one collides", 1}, {"four collide", 4}};

static void print_paths(PaperScale scale, PaperCell* cell, const PaperSegments* clear,
                        const PaperSegments* hits, double means[METHODS][KINDS][WAYS]) {
    for (int m = 0; m < METHODS; ++m) {
        BerthMotionChecker* motion = paper_motion(cell, &path_methods[m]);
        BerthPathCache* const caches[WAYS] = {NULL, make_cache(motion, BERTH_ORDER_LIKELIHOOD),
                                              make_cache(motion, BERTH_ORDER_LENGTH),
                                              make_cache(motion, BERTH_ORDER_LIKELIHOOD)};
        for (int k = 0; k < KINDS; ++k) {
            PaperSum sums[WAYS] = {{0}};
            for (int i = 0; i < (int)ceil(scale.share * PATHS); ++i) {
                const Path path = make_path(cell, clear, hits, kinds[k].with_hits);
                for (int w = 0; w < WAYS; ++w) {
                    if (!ask_path(motion, caches, w, &path, &sums[w])) {
                        bench_die("a path was told wrongly");
                    }
                }
            }
            for (int w = 0; w < WAYS; ++w) {
                const PaperSum* s = &sums[w];
                char column[128];
                paper_say("%-4s %-12s %-13s %6lld  %-40s | %6.2f %9.0f %8.1f\n", cell->model->figure,
                          path_methods[m].name, kinds[k].name, (long long)s->segments, way_names[w],
                          s->seconds / sums[0].seconds, each(s->bv, s), each(s->configurations, s));
                snprintf(column, sizeof column, "II-D %s, %s, %s: time over the first", path_methods[m].name,
                         kinds[k].name, way_names[w]);
                paper_figure(cell->model->figure, column, NAN, s->seconds / sums[0].seconds);
                means[m][k][w] += log(s->seconds / sums[0].seconds) / MODELS;
            }
        }
        for (int w = 1; w < WAYS; ++w) {
            berth_path_cache_destroy(caches[w]);
        }
        berth_motion_checker_destroy(motion);
    }
}

static void print_path_orders(PaperScale scale) {
    static double means[METHODS][KINDS][WAYS];
    paper_say(
        "\nII-D: paths of %d segments, drawn from free and from colliding ones of the model; t as a share of "
        "one after the other\n\n",
        PATH_SEGMENTS);
    paper_say("%-4s %-12s %-13s %6s  %-40s | %6s %9s %8s\n", "fig", "method", "", "paths", "", "t", "BV",
              "conf.");
    for (int m = 0; m < MODELS; ++m) {
        PaperCell cell = paper_open(models[m]);
        BerthMotionChecker* judge = paper_motion(&cell, &paper_judge);
        const int count = (int)ceil(scale.share * SEGMENTS / 4);
        PaperSegments clear = paper_segments(&cell, judge, PAPER_FREE, count, scale.seconds);
        PaperSegments hits = paper_segments(&cell, judge, PAPER_COLLIDING, count, scale.seconds);
        berth_motion_checker_destroy(judge);
        print_paths(scale, &cell, &clear, &hits, means);
        paper_free_segments(&clear);
        paper_free_segments(&hits);
        paper_close(&cell);
    }

    paper_say("\nTime over one after the other, geometric means over the models\n");
    for (int m = 0; m < METHODS; ++m) {
        for (int k = 0; k < KINDS; ++k) {
            paper_say("  %-13s %-13s", path_methods[m].name, kinds[k].name);
            for (int w = 1; w < WAYS; ++w) {
                paper_say(" | %s %.2f", way_names[w], exp(means[m][k][w]));
            }
            paper_say("\n");
        }
    }
    paper_say("\n");
    paper_expect("adaptive, one collides: the path queue finds it sooner than one after the other (paper)",
                 means[1][1][1] < 0.0, exp(means[1][1][1]));
    paper_expect("second-order, one collides: so it does", means[0][1][1] < 0.0, exp(means[0][1][1]));
    paper_expect("second-order, one collides: also when the first collision must be told",
                 means[0][1][3] < 0.0, exp(means[0][1][3]));
}

void paper_order(PaperScale scale) {
    paper_begin("order");
    print_orders(scale);
    print_path_orders(scale);
    paper_end();
}
