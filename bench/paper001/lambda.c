// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Figure 9: the bound lambda of how far a link's points can go, over the length of the longest curve that one of them
// traces, on random segments. With the paper's R (every joint may turn all the way) and with ours, which are for the
// segment; and the same on short pieces of the segments, which is what bisection asks about.

#include <berth/lab/motion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "paper001/paper.h"
#include "support/cell.h"

enum { SEGMENTS = 10000, STEPS = 64, OUTER = 24, POINTS = OUTER + 8, BODIES = 64, WAYS = 4, BINS = 80 };
static const double bin_width = 0.25;
static const char* const way_names[WAYS] = {"paper's R; random point", "paper's R", "ours", "ours on 1/16"};

typedef struct Ratios {
    double* values;
    int count;
} Ratios;

/// Some vertices of one link, in its frame: OUTER that are far apart, then some at random.
typedef struct Link {
    int32_t body;
    int count;
    Vec3 points[POINTS];
} Link;

// Vertices far apart: each the farthest from those before it. The fastest one of a link is among its outermost.
static void pick_outer(const BerthScene* scene, int32_t body_index, Link* out) {
    const SceneBody* body = &scene->bodies[body_index];
    *out = (Link){.body = body_index};
    while (out->count < OUTER) {
        double best = -1.0;
        Vec3 at = v3(0, 0, 0);
        for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
            const BerthMesh* mesh = scene->parts[p].solid->mesh;
            const int32_t stride = 1 + mesh->info.vertex_count / 400;
            for (int32_t i = 0; i < mesh->info.vertex_count; i += stride) {
                const Vec3 v = pose_apply(&scene->parts[p].frame_from_part, mesh->vertices[i]);
                double least = out->count == 0 ? v3_length(v) : (double)INFINITY;
                for (int k = 0; k < out->count; ++k) {
                    least = fmin(least, v3_length(v3_sub(v, out->points[k])));
                }
                if (least > best) {
                    best = least;
                    at = v;
                }
            }
        }
        out->points[out->count++] = at;
    }
}

static void pick_random(const BerthScene* scene, Random* random, Link* out) {
    const SceneBody* body = &scene->bodies[out->body];
    while (out->count < POINTS) {
        const int32_t p = body->first_part + (int32_t)(bi_random_next(random) % (uint64_t)body->part_count);
        const BerthMesh* mesh = scene->parts[p].solid->mesh;
        const uint64_t vertex = bi_random_next(random) % (uint64_t)mesh->info.vertex_count;
        out->points[out->count++] = pose_apply(&scene->parts[p].frame_from_part, mesh->vertices[vertex]);
    }
}

static int pick_links(const BerthScene* scene, Random* random, Link* out) {
    int count = 0;
    for (int32_t i = 0; i < scene->body_count && count < BODIES; ++i) {
        if (scene->bodies[i].robot == 0 && scene->bodies[i].frame >= 0) {
            pick_outer(scene, i, &out[count]);
            pick_random(scene, random, &out[count++]);
        }
    }
    return count;
}

// Longest curve of each link's points, and that of one point, as polylines: never longer than the curves.
static void measure(PaperCell* cell, const BerthSegment* segment, const Link* links, int count,
                    double* longest, double* one) {
    static Vec3 last[BODIES][POINTS];
    static double length[BODIES][POINTS];
    double values[PAPER_VALUES];
    for (int s = 0; s <= STEPS; ++s) {
        berth_segment_values(cell->scene, segment, (double)s / STEPS, values);
        if (!bi_check_place(cell->checker, values)) {
            bench_die("a configuration");
        }
        for (int i = 0; i < count; ++i) {
            const Pose* frame = &cell->checker->world_from_frame[cell->scene->bodies[links[i].body].frame];
            for (int k = 0; k < links[i].count; ++k) {
                const Vec3 at = pose_apply(frame, links[i].points[k]);
                length[i][k] = s == 0 ? 0.0 : length[i][k] + v3_length(v3_sub(at, last[i][k]));
                last[i][k] = at;
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        longest[i] = 0.0;
        for (int k = 0; k < links[i].count; ++k) {
            longest[i] = fmax(longest[i], length[i][k]);
        }
        one[i] = length[i][OUTER + bi_random_next(&cell->random) % (uint64_t)(POINTS - OUTER)];
    }
}

// Equation (2) of the paper with R for joints that turn all the way.
static double paper_bound(const BerthMotionChecker* motion, int32_t body_index) {
    const MotionBody* body = &motion->bodies[body_index];
    double sum = 0.0;
    for (int32_t k = body->first_chain + 1; k < body->first_chain + body->chain_count; ++k) {
        const FrameRate* rate = &motion->rates[motion->chain_frame[k]];
        sum += motion->chain_far[k] * rate->turn_most + rate->slide_most;
    }
    return sum;
}

static double our_bound(const BerthMotionChecker* motion, int32_t body_index) {
    const MotionBody* body = &motion->bodies[body_index];
    return motion->chains[body->first_chain + body->chain_count - 1].speed;
}

static void place(BerthMotionChecker* motion, const BerthSegment* segment) {
    const Span whole = {0.5, 0.5};
    bi_motion_rates(motion, segment, whole);
    if (!bi_motion_place(motion, whole)) {
        bench_die("a segment");
    }
}

static void add(Ratios* ratios, double bound, double length) {
    if (length > 1e-9) {
        ratios->values[ratios->count++] = bound / length;
    }
}

static void add_segment(PaperCell* cell, BerthMotionChecker* motion, const Link* links, int count,
                        Ratios* ratios) {
    double from[PAPER_VALUES], to[PAPER_VALUES], longest[BODIES], one[BODIES];
    paper_values(cell, from);
    paper_values(cell, to);
    const BerthSegment segment = {.value_count = cell->scene->value_count, .from = from, .to = to};
    measure(cell, &segment, links, count, longest, one);
    place(motion, &segment);
    for (int i = 0; i < count; ++i) {
        add(&ratios[0], paper_bound(motion, links[i].body), one[i]);
        add(&ratios[1], paper_bound(motion, links[i].body), longest[i]);
        add(&ratios[2], our_bound(motion, links[i].body), longest[i]);
    }
    for (int32_t i = 0; i < cell->scene->value_count; ++i) {
        to[i] = from[i] + (to[i] - from[i]) / 16.0;
    }
    measure(cell, &segment, links, count, longest, one);
    place(motion, &segment);
    for (int i = 0; i < count; ++i) {
        add(&ratios[3], our_bound(motion, links[i].body), longest[i]);
    }
}

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double within(const Ratios* ratios, double limit) {
    int count = 0;
    while (count < ratios->count && ratios->values[count] <= limit) {
        count += 1;
    }
    return 100.0 * count / ratios->count;
}

static void print_ratios(const char* figure, FILE* data, int way, Ratios* r) {
    qsort(r->values, (size_t)r->count, sizeof *r->values, by_value);
    double sum = 0.0;
    for (int i = 0; i < r->count; ++i) {
        sum += r->values[i];
    }
    const double five = within(r, 5.0), fifteen = within(r, 15.0);
    paper_say("%-4s %-26s %8d %7.2f %7.2f %7.2f %7.2f %8.1f %% %7.1f %%\n", figure, way_names[way], r->count,
              r->values[0], r->values[r->count / 2], sum / r->count, r->values[r->count * 99 / 100], five,
              fifteen);
    char column[96];
    snprintf(column, sizeof column, "median lambda / length: %s", way_names[way]);
    paper_figure(figure, column, NAN, r->values[r->count / 2]);
    snprintf(column, sizeof column, "%% within 5: %s", way_names[way]);
    paper_figure(figure, column, NAN, five);
    for (int b = 0, k = 0; b < BINS; ++b) {
        const int before = k;
        while (k < r->count && r->values[k] < 1.0 + (b + 1) * bin_width) {
            k += 1;
        }
        fprintf(data, "%s,%s,%.4g,%.6g\n", figure, way_names[way], 1.0 + b * bin_width,
                100.0 * (k - before) / r->count);
    }
}

void paper_lambda(PaperScale scale) {
    static const int models[] = {FIG_11A, FIG_11B, FIG_1A};
    static Link links[BODIES];
    paper_begin("lambda");
    FILE* data = paper_data("lambda.csv");
    fprintf(data, "figure,series,ratio,percent\n");
    paper_say("Figure 9: lambda of a link over the longest curve of its points, 10,000 random segments\n\n");
    paper_say("%-4s %-26s %8s %7s %7s %7s %7s %10s %9s\n", "fig", "", "ratios", "least", "median", "mean",
              "99 %", "within 5", "within 15");
    double paper_five = 100.0, paper_fifteen = 0.0, least = INFINITY;
    for (int m = 0; m < 3; ++m) {
        PaperCell cell = paper_open(models[m]);
        const PaperMethod method = {"adaptive", BERTH_METHOD_ADAPTIVE, BERTH_DISTANCE_GREEDY, 1e-3, 0, 0};
        BerthMotionChecker* motion = paper_motion(&cell, &method);
        const int count = pick_links(cell.scene, &cell.random, links);
        const int segments = (int)(scale.share * SEGMENTS);
        Ratios ratios[WAYS];
        for (int w = 0; w < WAYS; ++w) {
            ratios[w] = (Ratios){malloc((size_t)segments * (size_t)count * sizeof(double)), 0};
        }
        for (int i = 0; i < segments; ++i) {
            add_segment(&cell, motion, links, count, ratios);
        }
        for (int w = 0; w < WAYS; ++w) {
            print_ratios(cell.model->figure, data, w, &ratios[w]);
            least = w > 0 ? fmin(least, ratios[w].values[0]) : least;
        }
        if (models[m] == FIG_1A) {
            paper_fifteen = within(&ratios[0], 15.0);
        } else {
            paper_five = fmin(paper_five, within(&ratios[0], 5.0));
        }
        for (int w = 0; w < WAYS; ++w) {
            free(ratios[w].values);
        }
        berth_motion_checker_destroy(motion);
        paper_close(&cell);
    }
    fclose(data);
    paper_say("\n");
    paper_expect("no curve is longer than lambda", least >= 1.0, least);
    paper_expect("6 joints, the paper's R, a random point: more than 80 % within 5 (as in the paper)",
                 paper_five > 80.0, paper_five);
    paper_expect("20 joints, the paper's R, a random point: most within 15 (as in the paper)",
                 paper_fifteen > 50.0, paper_fifteen);
    paper_end();
}
