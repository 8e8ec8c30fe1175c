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

enum { SEGMENTS = 10000, STEPS = 64, OUTER = 24, POINTS = OUTER + 1, BODIES = 64, WAYS = 5, BINS = 80 };
static const double bin_width = 0.25;
static const char* const way_names[WAYS] = {"paper's R; random point", "... and between links", "paper's R",
                                            "ours", "ours on 1/16"};
enum { RANDOM_POINT, BETWEEN_LINKS, LONGEST, OURS, OURS_SHORT };  // of these

typedef struct Ratios {
    double* values;
    int count;
} Ratios;

/// Some vertices of one link, in its frame: OUTER that are far apart, then one that is drawn anew for every segment.
typedef struct Link {
    int32_t body;
    int count;
    Vec3 points[POINTS];
} Link;

/// How far points went on a segment.
typedef struct Lengths {
    double longest;          // of the link's points
    double one;              // of the random one,
    double between[BODIES];  // and of that as seen from other links
} Lengths;

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

// Any vertex of the link.
static void draw_point(const BerthScene* scene, Random* random, Link* link) {
    const SceneBody* body = &scene->bodies[link->body];
    const int32_t p = body->first_part + (int32_t)(bi_random_next(random) % (uint64_t)body->part_count);
    const BerthMesh* mesh = scene->parts[p].solid->mesh;
    const uint64_t vertex = bi_random_next(random) % (uint64_t)mesh->info.vertex_count;
    link->points[OUTER] = pose_apply(&scene->parts[p].frame_from_part, mesh->vertices[vertex]);
    link->count = POINTS;
}

static int pick_links(const BerthScene* scene, Link* out) {
    int count = 0;
    for (int32_t i = 0; i < scene->body_count && count < BODIES; ++i) {
        if (scene->bodies[i].robot == 0 && scene->bodies[i].frame >= 0) {
            pick_outer(scene, i, &out[count++]);
        }
    }
    return count;
}

// Curves of each link's points as polylines, which are never longer than the curves: of all of them in the world, and of the random
// one also as every other link sees it.
static void measure(PaperCell* cell, const BerthSegment* segment, const Link* links, int count,
                    Lengths* out) {
    static Vec3 last[BODIES][POINTS], seen[BODIES][BODIES];
    static double length[BODIES][POINTS];
    double values[PAPER_VALUES];
    for (int s = 0; s <= STEPS; ++s) {
        berth_segment_values(cell->scene, segment, (double)s / STEPS, values);
        if (!bi_check_place(cell->checker, values)) {
            bench_die("a configuration");
        }
        const Pose* frames = cell->checker->world_from_frame;
        for (int i = 0; i < count; ++i) {
            const Pose* frame = &frames[cell->scene->bodies[links[i].body].frame];
            for (int k = 0; k < links[i].count; ++k) {
                const Vec3 at = pose_apply(frame, links[i].points[k]);
                length[i][k] = s == 0 ? 0.0 : length[i][k] + v3_length(v3_sub(at, last[i][k]));
                last[i][k] = at;
            }
            for (int j = 0; j < count; ++j) {
                const Vec3 at =
                    pose_apply_back(&frames[cell->scene->bodies[links[j].body].frame], last[i][OUTER]);
                out[i].between[j] = s == 0 ? 0.0 : out[i].between[j] + v3_length(v3_sub(at, seen[i][j]));
                seen[i][j] = at;
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        out[i].longest = 0.0;
        for (int k = 0; k < links[i].count; ++k) {
            out[i].longest = fmax(out[i].longest, length[i][k]);
        }
        out[i].one = length[i][OUTER];
    }
}

// Equation (2) of the paper with its own R, for the joints after a row of the chain (0: all of them).
static double paper_bound(const BerthMotionChecker* motion, int32_t body_index, int32_t row) {
    const MotionBody* body = &motion->bodies[body_index];
    double sum = 0.0;
    for (int32_t k = body->first_chain + row + 1; k < body->first_chain + body->chain_count; ++k) {
        const FrameRate* rate = &motion->rates[motion->chain_frame[k]];
        sum += motion->chain_global[k] * rate->turn_most + rate->slide_most;
    }
    return sum;
}

// Where a link is in the chain of another; 0: it is not there.
static int32_t row_of_link(const BerthMotionChecker* motion, int32_t body_index, int32_t other) {
    const MotionBody* body = &motion->bodies[body_index];
    int32_t found = 0;
    for (int32_t row = 1; row + 1 < body->chain_count; ++row) {
        const int32_t frame = motion->chain_frame[body->first_chain + row];
        found = frame == motion->scene->bodies[other].frame ? row : found;
    }
    return found;
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

static void add_segment(PaperCell* cell, BerthMotionChecker* motion, Link* links, int count, Ratios* ratios) {
    static Lengths lengths[BODIES];
    double from[PAPER_VALUES], to[PAPER_VALUES];
    paper_values(cell, from);
    paper_values(cell, to);
    for (int i = 0; i < count; ++i) {
        draw_point(cell->scene, &cell->random, &links[i]);
    }
    const BerthSegment segment = {.value_count = cell->scene->value_count, .from = from, .to = to};
    measure(cell, &segment, links, count, lengths);
    place(motion, &segment);
    for (int i = 0; i < count; ++i) {
        const double global = paper_bound(motion, links[i].body, 0);
        add(&ratios[RANDOM_POINT], global, lengths[i].one);
        add(&ratios[BETWEEN_LINKS], global, lengths[i].one);
        add(&ratios[LONGEST], global, lengths[i].longest);
        add(&ratios[OURS], our_bound(motion, links[i].body), lengths[i].longest);
        for (int j = 0; j < count; ++j) {
            const int32_t row = row_of_link(motion, links[i].body, links[j].body);
            if (row > 0) {
                add(&ratios[BETWEEN_LINKS], paper_bound(motion, links[i].body, row), lengths[i].between[j]);
            }
        }
    }

    for (int32_t i = 0; i < cell->scene->value_count; ++i) {
        to[i] = from[i] + (to[i] - from[i]) / 16.0;
    }
    measure(cell, &segment, links, count, lengths);
    place(motion, &segment);
    for (int i = 0; i < count; ++i) {
        add(&ratios[OURS_SHORT], our_bound(motion, links[i].body), lengths[i].longest);
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
    paper_say("Figure 9: lambda of a link over the length of curves of its vertices, %d random segments\n\n",
              (int)(scale.share * SEGMENTS));
    paper_say("%-4s %-26s %8s %7s %7s %7s %7s %10s %9s\n", "fig", "", "ratios", "least", "median", "mean",
              "99 %", "within 5", "within 15");
    double paper_five = 100.0, paper_fifteen = 0.0, least = INFINITY;
    for (int m = 0; m < 3; ++m) {
        PaperCell cell = paper_open(models[m]);
        const PaperMethod method = {.name = "adaptive",
                                    .method = BERTH_METHOD_ADAPTIVE,
                                    .distance = BERTH_DISTANCE_GREEDY,
                                    .delta = 1e-3};
        BerthMotionChecker* motion = paper_motion(&cell, &method);
        const int count = pick_links(cell.scene, links);
        const int segments = (int)(scale.share * SEGMENTS);
        Ratios ratios[WAYS];
        for (int w = 0; w < WAYS; ++w) {
            const size_t most = w == BETWEEN_LINKS ? (size_t)(count * count) : (size_t)count;
            ratios[w] = (Ratios){malloc((size_t)segments * most * sizeof(double)), 0};
        }
        for (int i = 0; i < segments; ++i) {
            add_segment(&cell, motion, links, count, ratios);
        }
        for (int w = 0; w < WAYS; ++w) {
            print_ratios(cell.model->figure, data, w, &ratios[w]);
            least = fmin(least, ratios[w].values[0]);
        }
        if (models[m] == FIG_1A) {
            paper_fifteen = within(&ratios[RANDOM_POINT], 15.0);
        } else {
            paper_five = fmin(paper_five, within(&ratios[RANDOM_POINT], 5.0));
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
