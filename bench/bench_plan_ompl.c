// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Planning side by side with what people use: OMPL's RRTConnect with FCL, both from Debian, one thread, problem by problem in one
// run. OMPL samples motions 0.01 rad apart (length in joint space) and FCL tests the Panda's meshes; kinematics are berth's for
// both. Making ready (FCL's trees, berth's layout) is counted for neither. berth: the middle one of five rounds; OMPL: once. Times are
// of the processor, so that others on the machine do not count. Whether
// a path of OMPL collides is what berth's certified check says of it.
// usage: bench_plan_ompl [--every N] [--seconds S] [FAMILY ...]

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <berth/berth.h>

#include "check/check.h"
#include "plan_ompl/peer_ompl.h"
#include "support/cell.h"
#include "support/clock.h"
#include "support/panda.h"

#if BERTH_HAVE_OMPL
enum { PROBLEMS = 100, ROUNDS = 5, PARTS = 512, VALUES = 16 };
static const double RESOLUTION = 0.01, LIMIT = 1.0;

/// Times of one kind of planner by problem, seconds; those that found nothing count as infinite.
typedef struct Side {
    double search[PROBLEMS], total[PROBLEMS], length[PROBLEMS];
    int found;
} Side;

typedef struct Bench {
    Panda models[2];        // meshes, spheres
    PeerFcl* known[PARTS];  // of the meshes
    PeerFclWorld* peer;     // of the problem that is read
    BerthChecker* checker;  // places parts for FCL
    double poses[12 * PARTS];
    int32_t body_parts;
    int64_t checks;
    double deadline, seconds;
    Side sides[2], ompl;
    int count, colliding, unknown;
} Bench;

static bool is_late(void* user) {
    return bench_now() > ((const Bench*)user)->deadline;
}

// ---- berth ---------------------------------------------------------------------------------------------------------

static void ask_berth(Bench* bench, int which, const BerthProblem* problem) {
    Panda* panda = &bench->models[which];
    Side* side = &bench->sides[which];
    BerthLanes* lanes = panda_lanes(panda);
    BerthPlanner* planner = NULL;
    BerthPlannerDef def = berth_default_planner_def();
    def.lanes = lanes;
    def.late = is_late;
    def.late_user = bench;
    if (berth_planner_create(panda->scene, &def, &planner) != BERTH_OK) {
        bench_die("planner");
    }

    const BerthPlanQuery query = {problem->start, problem->goals, problem->goal_count};
    double searches[ROUNDS], totals[ROUNDS], length = INFINITY;
    int rounds = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        BerthPlanResult result;
        const double start = bench_thread_now();
        bench->deadline = bench_now() + LIMIT;
        if (berth_planner_find(planner, &query, &result) != BERTH_OK) {
            bench_die("find");
        }
        const double found = bench_thread_now();
        if (!result.found) {
            break;
        }
        if (berth_planner_shorten(planner, &result) != BERTH_OK) {
            bench_die("shorten");
        }
        searches[rounds] = found - start;
        totals[rounds++] = bench_thread_now() - start;
        length = result.length;
    }
    side->found += rounds > 0;
    side->search[bench->count] = rounds > 0 ? bench_median(searches, rounds) : INFINITY;
    side->total[bench->count] = rounds > 0 ? bench_median(totals, rounds) : INFINITY;
    side->length[bench->count] = length;
    berth_planner_destroy(planner);
    berth_lanes_destroy(lanes);
}

// ---- OMPL and FCL --------------------------------------------------------------------------------------------------

static int is_free(void* user, const double* values) {
    Bench* bench = user;
    bi_check_place(bench->checker, values);
    for (int32_t p = 0; p < bench->body_parts; ++p) {
        fcl_rows(&bench->checker->world_from_part[p], bench->poses + 12 * (size_t)p);
    }
    bench->checks += 1;
    return !peer_fcl_world_check(bench->peer, bench->poses);
}

// What the certified check says of the path that OMPL calls free.
static void judge(Bench* bench, const PeerOmplResult* path, int32_t values) {
    BerthMotionChecker* motion = NULL;
    const BerthMotionCheckerDef def = berth_default_motion_checker_def();
    if (berth_motion_checker_create(bench->models[0].scene, &def, &motion) != BERTH_OK) {
        bench_die("motion");
    }
    BerthVerdict worst = BERTH_FREE;
    for (int i = 0; i + 1 < path->row_count && worst != BERTH_COLLISION; ++i) {
        const BerthMotionRequest request = {0};
        const BerthSegment segment = {.value_count = values,
                                      .from = path->rows + (ptrdiff_t)i * values,
                                      .to = path->rows + (ptrdiff_t)(i + 1) * values};
        BerthMotionResult result;
        if (berth_motion_check_segment(motion, &segment, &request, &result) != BERTH_OK) {
            bench_die("segment");
        }
        worst = result.verdict != BERTH_FREE ? result.verdict : worst;
    }
    bench->colliding += worst == BERTH_COLLISION;
    bench->unknown += worst == BERTH_UNKNOWN;
    berth_motion_checker_destroy(motion);
}

static void ask_ompl(Bench* bench, const BerthProblem* problem) {
    const BerthScene* scene = bench->models[0].scene;
    const BerthCheckerDef def = berth_default_checker_def();
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    double low[VALUES], high[VALUES];
    for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
        const BerthJointInfo joint = berth_robot_joint(robot, i);
        if (joint.value_count == 1 && joint.first_value < VALUES) {
            low[joint.first_value] = joint.lower;
            high[joint.first_value] = joint.upper;
        }
    }
    if (problem->value_count > VALUES || scene->part_count > PARTS ||
        berth_checker_create(scene, &def, &bench->checker) != BERTH_OK) {
        bench_die("checker");
    }
    bench->peer = bench_peer_world(scene, bench->known, &bench->body_parts);

    const PeerOmplQuery query = {.dimension = problem->value_count,
                                 .low = low,
                                 .high = high,
                                 .start = problem->start,
                                 .goals = problem->goals,
                                 .goal_count = problem->goal_count,
                                 .resolution = RESOLUTION,
                                 .seconds = bench->seconds,
                                 .seed = 1,
                                 .is_free = is_free,
                                 .user = bench};
    PeerOmplResult path = peer_ompl_plan(&query);
    bench->ompl.found += path.found;
    bench->ompl.search[bench->count] = path.found ? path.search : INFINITY;
    bench->ompl.total[bench->count] = path.found ? path.search + path.simplify : INFINITY;
    bench->ompl.length[bench->count] = path.found ? path.length : INFINITY;
    if (path.found) {
        judge(bench, &path, problem->value_count);
    }
    free(path.rows);
    peer_fcl_world_destroy(bench->peer);
    berth_checker_destroy(bench->checker);
}

// ---- what came out -------------------------------------------------------------------------------------------------

static double median(const double* values, int count) {
    double sorted[PROBLEMS];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    return bench_median(sorted, count);
}

static double median_ratio(const double* slow, const double* fast, int count) {
    double ratios[PROBLEMS];
    for (int i = 0; i < count; ++i) {
        ratios[i] = slow[i] / fast[i];
    }
    return bench_median(ratios, count);
}

static void print_side(const Bench* bench, const char* family, const char* planner, const Side* side) {
    const double search = median(side->search, bench->count), total = median(side->total, bench->count);
    printf("plan_ompl,%s,%s,%d,%d,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,", family, planner, bench->count, side->found,
           1e6 * search, 1e6 * total, median(side->length, bench->count),
           median(bench->ompl.search, bench->count) / search, median(bench->ompl.total, bench->count) / total,
           median_ratio(bench->ompl.total, side->total, bench->count));
    if (side == &bench->ompl) {
        printf("%d,%d,", bench->colliding, bench->unknown);
    } else {
        printf("0,0,");  // every motion is proven
    }
    bench_print_who();
    printf("\n");
    fprintf(
        stderr,
        "%-16s %-15s %3d of %3d found | median: search %9.1f us (1/%.0f), with shortening %9.1f us (1/%.0f), "
        "length %.2f\n",
        family, planner, side->found, bench->count, 1e6 * search,
        median(bench->ompl.search, bench->count) / search, 1e6 * total,
        median(bench->ompl.total, bench->count) / total, median(side->length, bench->count));
}

static void run_family(Bench* bench, const char* family, int every) {
    bench->count = bench->colliding = bench->unknown = 0;
    bench->sides[0].found = bench->sides[1].found = bench->ompl.found = 0;
    int seen = 0;
    for (int32_t line = 0; line < bench->models[0].lines.count; ++line) {
        char name[64];
        BerthProblem problems[2];
        panda_read(&bench->models[0], line, &problems[0]);
        panda_family(&problems[0], name, sizeof name);
        if (strcmp(name, family) == 0 && seen++ % every == 0 && bench->count < PROBLEMS) {
            panda_read(&bench->models[1], line, &problems[1]);
            ask_berth(bench, 0, &problems[0]);
            ask_berth(bench, 1, &problems[1]);
            ask_ompl(bench, &problems[0]);
            bench->count += 1;
            panda_forget(&bench->models[1], &problems[1]);
        }
        panda_forget(&bench->models[0], &problems[0]);
    }
    print_side(bench, family, "OMPL+FCL", &bench->ompl);
    print_side(bench, family, "berth meshes", &bench->sides[0]);
    print_side(bench, family, "berth spheres", &bench->sides[1]);
    fprintf(stderr, "%-16s of OMPL's paths %d collide by berth's witness, %d are undecided\n", family,
            bench->colliding, bench->unknown);
    fflush(stdout);
}

int main(int argc, char** argv) {
    static Bench bench;
    static const char* const all[] = {"bookshelf_small", "cage", "table_pick"};
    const char* families[16];
    int count = 0, every = 1;
    bench.seconds = 60.0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--every") == 0 && i + 1 < argc) {
            every = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
            bench.seconds = atof(argv[++i]);
        } else if (count < 16) {
            families[count++] = argv[i];
        }
    }
    every = every > 0 ? every : 1;

    bench.models[0] = panda_open(false);
    bench.models[1] = panda_open(true);
    printf(
        "bench,family,planner,problems,found,search_us,total_us,length,times_search,times_total,times_by_"
        "problem,"
        "colliding,undecided,machine,compiler,commit\n");
    for (int i = 0; i < (count > 0 ? count : 3); ++i) {
        run_family(&bench, count > 0 ? families[i] : all[i], every);
    }
    for (int i = 0; i < PARTS; ++i) {
        peer_fcl_destroy(bench.known[i]);
    }
    panda_close(&bench.models[0]);
    panda_close(&bench.models[1]);
    return 0;
}
#else
int main(void) {
    fprintf(stderr, "bench: built without OMPL: install libompl-dev\n");
    return 2;
}
#endif
