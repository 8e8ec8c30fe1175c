// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Side by side: 14 capsules (the two arms of the testbed, all joints moving, 1 kHz) among 35, 200, 1,000 and 10,000 boxes.
// Every way answers the same question in every cycle: which pairs are nearer than 20 mm, and how near? It gets the poses
// of the capsules (kinematics is not timed for anybody) and must tell a list of pairs and distances.
//
// Boxes have random sizes, places and turns, at a constant density, and 30 more (in the second course none) are where the
// arms pass within 20 mm; what they would ever come nearer to than 5 mm is left out, so they are as near as a guard lets
// them come. N boxes are the N that the arms come nearest to: those among the 200 are among the 1,000 and the 10,000 too.
//
// Ways take turns in blocks of cycles. Median: wall clock of a cycle. p99: processor time of a cycle, of five runs the best.

#include <berth/lab/index.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/testbed.h"
#include "oracle/peer_guard.h"
#include "shape/gap.h"
#include "support/cell.h"
#include "support/clock.h"

#define MARGIN 0.02
#define KEEP_OFF 0.005
#define DENSITY 6.0  // boxes a cubic metre
enum {
    BOXES_MOST = 10000,
    NEAR_BOXES = 30,
    RUNS = 5,
    BLOCK = 500,
    NEAR_MOST = 4096,
    WAYS = PEER_GUARD_WAY_COUNT + 1
};
static const int box_counts[] = {35, 200, 1000, 10000};
static const double middle[3] = {1.0, 0.0, 1.2};

typedef struct Box {
    Vec3 half;
    Pose pose;
    double away;
} Box;

typedef struct Course {
    Testbed testbed;
    int cycles;
    Pose* poses;  // 14 a cycle
    double* rows;
    Box* boxes;
    uint8_t allowed[TESTBED_MOVERS * TESTBED_MOVERS];
    double capsules[2 * TESTBED_MOVERS];
    const char* name;  // of its tables
    int near_boxes;    // that the arms pass within the margin
} Course;

// One line of the results.
static void tell(const Course* c, const char* what, const char* series, int boxes, double value) {
    char table[64];
    snprintf(table, sizeof table, "%s %s", c->name, what);
    bench_row(table, series, boxes, value);
}

// ---- the course ------------------------------------------------------------------------------------------

// Every joint swings about the home pose, each with its own period; fastest speeds are within limits.
static void state_at(const Testbed* t, double seconds, double* values) {
    static const double swing[7] = {0.5, 0.35, 0.6, 0.5, 0.9, 0.6, 1.2};
    static const double pace[7] = {0.52, 0.71, 0.61, 0.83, 0.79, 1.07, 1.13};  // rad/s of the swing
    for (int32_t i = 0; i < t->scene->value_count; ++i) {
        const int joint = i % 7;
        values[i] = t->scene->values[i] + swing[joint] * sin(pace[joint] * seconds + 1.7 * i);
    }
}

static void make_motion(Course* c) {
    c->poses = malloc((size_t)c->cycles * TESTBED_MOVERS * sizeof *c->poses);
    c->rows = malloc((size_t)c->cycles * TESTBED_MOVERS * 12 * sizeof *c->rows);
    double values[64];
    for (int i = 0; i < c->cycles; ++i) {
        state_at(&c->testbed, i * 1e-3, values);
        bench_testbed_place(&c->testbed, values);
        for (int m = 0; m < TESTBED_MOVERS; ++m) {
            const size_t at = (size_t)i * TESTBED_MOVERS + (size_t)m;
            c->poses[at] = c->testbed.primitives[m].pose;
            fcl_rows(&c->poses[at], c->rows + 12 * at);
        }
    }
}

static BerthShape shape_of(const Box* box) {
    return (BerthShape){.kind = BERTH_BOX, .as.box.half = {box->half.x, box->half.y, box->half.z}};
}

// The least gap of a box and the arms on their whole way, at every fifth cycle; below `least` it may be any such number.
// Beyond `most` it is a lower bound of it.
static double gap_on_the_way(const Course* c, const Box* box, double least, double most) {
    const BerthShape shape = shape_of(box);
    const double reach = v3_length(box->half) + most;
    double gap = INFINITY;
    for (int first = 0; first < 200 && gap > least;
         first += 5) {  // coarse first: most boxes are soon found in the way
        for (int i = first; i < c->cycles && gap > least; i += 200) {
            for (int m = 0; m < TESTBED_MOVERS; ++m) {
                const Pose* pose = &c->poses[(size_t)i * TESTBED_MOVERS + (size_t)m];
                const BerthShape* capsule = &c->testbed.primitives[m].shape;
                const double centres = v3_length(v3_sub(pose->t, box->pose.t));
                const double bound = centres - capsule->as.capsule.radius - 0.5 * capsule->as.capsule.length;
                if (bound > reach) {
                    gap = fmin(gap, bound - v3_length(box->half));
                    continue;
                }
                const Pose capsule_from_box = pose_between(pose, &box->pose);
                gap = fmin(gap, bi_shape_gap(capsule, &shape, &capsule_from_box, most).lower);
            }
        }
    }
    return gap;
}

static Box random_box(Random* random, Vec3 at) {
    return (Box){.half = v3(bi_random_between(random, 0.02, 0.15), bi_random_between(random, 0.02, 0.15),
                            bi_random_between(random, 0.02, 0.15)),
                 .pose = bi_pose_from_unit_quat(bi_random_quat(random), at)};
}

static int by_distance(const void* a, const void* b) {
    const Box *x = a, *y = b;
    return (x->away > y->away) - (x->away < y->away);
}

static Vec3 random_vector(Random* random, double most) {
    return v3(bi_random_between(random, -most, most), bi_random_between(random, -most, most),
              bi_random_between(random, -most, most));
}

// First boxes that the arms pass closely, then an even density. Sorted by how near the arms come.
static void make_boxes(Course* c) {
    Random random = {20260};
    const double radius = cbrt(1.08 * BOXES_MOST / DENSITY / (4.0 / 3.0 * 3.14159265358979));
    c->boxes = malloc(2 * BOXES_MOST * sizeof *c->boxes);
    int count = 0;
    for (int i = 0; i < 100000 && count < c->near_boxes; ++i) {
        const int at = (int)bi_random_between(&random, 0, c->cycles * TESTBED_MOVERS);
        Box box = random_box(&random, v3_add(c->poses[at].t, random_vector(&random, 0.3)));
        box.away = gap_on_the_way(c, &box, 2 * KEEP_OFF, MARGIN);
        if (box.away > 2 * KEEP_OFF && box.away < MARGIN) {
            c->boxes[count++] = box;
        }
    }
    const int tries = (int)(8 * radius * radius * radius * DENSITY);
    for (int i = 0; i < tries && count < 2 * BOXES_MOST; ++i) {
        const Vec3 at = random_vector(&random, radius);
        Box box = random_box(&random, v3_add(at, v3(middle[0], middle[1], middle[2])));
        box.away = v3_length(at) <= radius ? gap_on_the_way(c, &box, 2 * KEEP_OFF, 0.05) : 0.0;
        if (box.away > 2 * KEEP_OFF) {
            c->boxes[count++] = box;
        }
    }
    qsort(c->boxes, (size_t)count, sizeof *c->boxes, by_distance);
    if (count < BOXES_MOST) {
        bench_die("too few boxes");
    }
}

static void make_course(Course* c, const char* name, int near_boxes, int cycles) {
    memset(c, 0, sizeof *c);
    c->name = name;
    c->near_boxes = near_boxes;
    c->testbed = bench_testbed_open();
    c->cycles = cycles;
    for (int a = 0; a < TESTBED_MOVERS; ++a) {
        const BerthShape* shape = &c->testbed.primitives[a].shape;
        c->capsules[2 * a] = shape->as.capsule.radius;
        c->capsules[2 * a + 1] = shape->as.capsule.length;
        for (int b = 0; b < TESTBED_MOVERS; ++b) {
            c->allowed[a * TESTBED_MOVERS + b] = c->testbed.allowed[a][b];
        }
    }
    make_motion(c);
    make_boxes(c);
}

// ---- ours ------------------------------------------------------------------------------------------------

typedef struct Ours {
    BerthIndex* index;
    BerthShape shapes[TESTBED_MOVERS + BOXES_MOST];
    Pose poses[TESTBED_MOVERS + BOXES_MOST];
    BerthIndexPair pairs[NEAR_MOST];
    int64_t distances;
} Ours;

static void make_ours(Ours* ours, const Course* c, int boxes, BerthIndexKind kind) {
    memset(ours, 0, sizeof *ours);
    BerthIndexDef def = berth_default_index_def();
    def.kind = kind;
    def.low = (BerthVec3){-20.0, -20.0, -20.0};
    def.edge = 40.0;
    def.body_limit = TESTBED_MOVERS + boxes;
    def.mover_limit = TESTBED_MOVERS;
    def.node_limit = 1 << 16;
    def.entry_limit = 1 << 18;
    if (berth_index_create(&def, &ours->index) != BERTH_OK) {
        bench_die("index");
    }
    for (int i = 0; i < TESTBED_MOVERS + boxes; ++i) {
        const bool moves = i < TESTBED_MOVERS;
        ours->shapes[i] = moves ? c->testbed.primitives[i].shape : shape_of(&c->boxes[i - TESTBED_MOVERS]);
        ours->poses[i] = moves ? c->poses[i] : c->boxes[i - TESTBED_MOVERS].pose;
        int32_t body = -1;
        if (berth_index_add(ours->index, &ours->shapes[i], (const BerthPose*)&ours->poses[i], MARGIN / 2,
                            moves, &body) != BERTH_OK ||
            body != i) {
            bench_die("index");
        }
    }
    for (int a = 0; a < TESTBED_MOVERS; ++a) {
        for (int b = 0; b < TESTBED_MOVERS; ++b) {
            berth_index_allow(ours->index, a, b, a == b || c->allowed[a * TESTBED_MOVERS + b]);
        }
    }
    berth_index_update(ours->index);
}

static int32_t cycle_ours(Ours* ours, const Pose* poses, PeerNear* out, int32_t capacity) {
    for (int m = 0; m < TESTBED_MOVERS; ++m) {
        ours->poses[m] = poses[m];
        berth_index_move(ours->index, m, (const BerthPose*)&poses[m], MARGIN / 2);
    }
    berth_index_update(ours->index);
    const int32_t count = berth_index_pairs(ours->index, ours->pairs, NEAR_MOST);
    int32_t near = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t a = ours->pairs[i].a;
        const int32_t b = ours->pairs[i].b;
        const Pose a_from_b = pose_between(&ours->poses[a], &ours->poses[b]);
        const BerthGap gap = bi_shape_gap(&ours->shapes[a], &ours->shapes[b], &a_from_b, MARGIN);
        if (!(gap.lower > MARGIN)) {
            if (near < capacity) {
                out[near] = (PeerNear){a, b, gap.upper};
            }
            near += 1;
        }
    }
    ours->distances += count;
    return near;
}

// ---- the comparison --------------------------------------------------------------------------------------

typedef struct Way {
    const char* name;
    Ours* ours;
    PeerGuard* peer;
    double* wall;
    double* cpu;
    double median, p99;  // best of the runs
} Way;

static int32_t cycle_way(Way* way, const Course* c, int cycle, PeerNear* out) {
    const size_t at = (size_t)cycle * TESTBED_MOVERS;
    return way->ours != NULL ? cycle_ours(way->ours, c->poses + at, out, NEAR_MOST)
                             : peer_guard_cycle(way->peer, c->rows + 12 * at, out, NEAR_MOST);
}

static int by_pair(const void* a, const void* b) {
    const PeerNear *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

// Pairs of one way against those of the list of all pairs. Where a pair is missing or too many, how far from the margin?
static void compare(PeerNear* truth, int32_t truth_count, PeerNear* found, int32_t count, double* worst,
                    double* at_margin, int64_t* differ) {
    qsort(truth, (size_t)truth_count, sizeof *truth, by_pair);
    qsort(found, (size_t)count, sizeof *found, by_pair);
    int32_t i = 0;
    int32_t k = 0;
    while (i < truth_count || k < count) {
        const int order = i >= truth_count ? 1 : k >= count ? -1 : by_pair(&truth[i], &found[k]);
        if (order == 0) {
            *worst = fmax(*worst, fabs(truth[i].distance - found[k].distance));
            i += 1;
            k += 1;
            continue;
        }
        *differ += 1;
        *at_margin = fmax(*at_margin, fabs(MARGIN - (order < 0 ? truth[i++] : found[k++]).distance));
    }
}

static void verify(Way* ways, const Course* c, int boxes) {
    static PeerNear truth[NEAR_MOST], found[NEAR_MOST];
    Ours* list = malloc(sizeof *list);
    make_ours(list, c, boxes, BERTH_INDEX_LIST);
    int64_t pairs = 0;
    double worst[WAYS] = {0}, at_margin[WAYS] = {0};
    int64_t differ[WAYS] = {0};
    int verified = 0;
    for (int i = 0; i<c->cycles; i += boxes> 2000 ? 20 : 1, ++verified) {
        const int32_t truth_count = cycle_ours(list, c->poses + (size_t)i * TESTBED_MOVERS, truth, NEAR_MOST);
        pairs += truth_count;
        for (int w = 0; w < WAYS; ++w) {
            const int32_t count = cycle_way(&ways[w], c, i, found);
            compare(truth, truth_count, found, count, &worst[w], &at_margin[w], &differ[w]);
        }
    }
    fprintf(stderr,
            "%6d boxes: %.2f pairs nearer than the margin a cycle, %d cycles compared with all pairs\n",
            boxes, (double)pairs / verified, verified);
    tell(c, "pairs", "near", boxes, (double)pairs / verified);
    for (int w = 0; w < WAYS; ++w) {
        fprintf(stderr,
                "  %-20s distances differ by at most %.3g mm; %lld pairs differ, at most %.3g mm from the "
                "margin\n",
                ways[w].name, worst[w] * 1e3, (long long)differ[w], at_margin[w] * 1e3);
        tell(c, "distance mm", ways[w].name, boxes, worst[w] * 1e3);
        tell(c, "pairs differ", ways[w].name, boxes, (double)differ[w]);
        if (ways[w].ours != NULL && (differ[w] > 0 || worst[w] > 0.0)) {
            bench_die("answers differ");
        }
    }
    berth_index_destroy(list->index);
    free(list);
}

static double reading_cost(void) {
    double costs[999];
    for (int i = 0; i < 999; ++i) {
        const double cpu = bench_thread_now();
        (void)bench_now();
        (void)bench_now();
        costs[i] = bench_thread_now() - cpu;
    }
    return bench_median(costs, 999);
}

static void time_block(Way* way, const Course* c, int begin, int end) {
    static PeerNear found[NEAR_MOST];
    for (int i = begin; i < end; ++i) {
        const double cpu = bench_thread_now();
        const double wall = bench_now();
        cycle_way(way, c, i, found);
        way->wall[i] = bench_now() - wall;
        way->cpu[i] = bench_thread_now() - cpu;
    }
}

static void time_ways(Way* ways, const Course* c) {
    const double cost = reading_cost();
    for (int run = 0; run < RUNS; ++run) {
        for (int begin = 0; begin < c->cycles; begin += BLOCK) {
            for (int w = 0; w < WAYS; ++w) {
                time_block(&ways[(w + run) % WAYS], c, begin,
                           begin + BLOCK < c->cycles ? begin + BLOCK : c->cycles);
            }
        }
        for (int w = 0; w < WAYS; ++w) {
            const double median = bench_quantile(ways[w].wall, c->cycles, 0.5);
            const double p99 = bench_quantile(ways[w].cpu, c->cycles, 0.99) - cost;
            ways[w].median = run == 0 ? median : fmin(ways[w].median, median);
            ways[w].p99 = run == 0 ? p99 : fmin(ways[w].p99, p99);
        }
    }
}

static void compare_at(const Course* c, int boxes) {
    Way ways[WAYS] = {{.name = "berth"}};
    double* box_rows = malloc((size_t)boxes * 15 * sizeof *box_rows);
    for (int i = 0; i < boxes; ++i) {
        fcl_rows(&c->boxes[i].pose, box_rows + 15 * i);
        box_rows[15 * i + 12] = 2 * c->boxes[i].half.x;
        box_rows[15 * i + 13] = 2 * c->boxes[i].half.y;
        box_rows[15 * i + 14] = 2 * c->boxes[i].half.z;
    }
    ways[0].ours = malloc(sizeof *ways[0].ours);
    make_ours(ways[0].ours, c, boxes, BERTH_INDEX_OCTREE);
    for (int w = 0; w < WAYS; ++w) {
        ways[w].wall = malloc((size_t)c->cycles * sizeof(double));
        ways[w].cpu = malloc((size_t)c->cycles * sizeof(double));
        if (w > 0) {
            ways[w].name = peer_guard_name((PeerGuardWay)(w - 1));
            ways[w].peer = peer_guard_create((PeerGuardWay)(w - 1), MARGIN, c->capsules, TESTBED_MOVERS,
                                             box_rows, boxes, c->allowed);
        }
    }
    verify(ways, c, boxes);
    const int64_t before = ways[0].ours->distances;
    time_ways(ways, c);
    fprintf(stderr, "  berth measures %.1f pairs a cycle\n",
            (double)(ways[0].ours->distances - before) / c->cycles / RUNS);
    tell(c, "candidates", "berth", boxes, (double)(ways[0].ours->distances - before) / c->cycles / RUNS);
    for (int w = 0; w < WAYS; ++w) {
        fprintf(stderr, "  %-20s median %7.2f us   p99 %7.2f us\n", ways[w].name, ways[w].median * 1e6,
                ways[w].p99 * 1e6);
        tell(c, "median us", ways[w].name, boxes, ways[w].median * 1e6);
        tell(c, "p99 us", ways[w].name, boxes, ways[w].p99 * 1e6);
        peer_guard_destroy(ways[w].peer);
        free(ways[w].wall);
        free(ways[w].cpu);
    }
    berth_index_destroy(ways[0].ours->index);
    free(ways[0].ours);
    free(box_rows);
}

void bench_rivals(int cycles) {
    static const struct {
        const char* name;
        int near_boxes;
    } courses[] = {{"rivals", NEAR_BOXES}, {"sparse", 0}};
    for (int k = 0; k < 2; ++k) {
        static Course course;
        make_course(&course, courses[k].name, courses[k].near_boxes, cycles);
        fprintf(stderr, "%s: %d boxes where the arms pass within the margin\n", course.name,
                course.near_boxes);
        for (size_t i = 0; i < sizeof box_counts / sizeof box_counts[0]; ++i) {
            compare_at(&course, box_counts[i]);
        }
        bench_testbed_close(&course.testbed);
        free(course.poses);
        free(course.rows);
        free(course.boxes);
    }
}
