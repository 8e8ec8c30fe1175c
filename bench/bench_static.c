// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Static checks side by side with FCL from Debian, one thread, in one run: whole robots in scenes (verdict and
// minimum distance), the mesh pair env/rob, allocations in 100,000 queries, memory a triangle.
//
// FCL gets its poses for free (kinematics is not timed for it), a broad phase over the obstacles that is set up
// once, and the same list of self pairs. berth is timed from joint values to answer. Blocks alternate; the ratio is
// the median over blocks. Answers of both are compared for every configuration.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cell.h"
#include "support/clock.h"

enum { BLOCKS = 9 };

static void report(const char* label, const char* question, double ours, double theirs, double ratio,
                   int differ, int hits, int count) {
    fprintf(stderr, "%-34s %-22s berth %9.1f/s   FCL %9.1f/s   ratio %5.2f   (%d of %d collide, %d differ)\n",
            label, question, 1.0 / ours, 1.0 / theirs, ratio, hits, count, differ);
    printf("static,%s,%s,%.6g,%.6g,%.4g,%d,%d,%d,", label, question, 1.0 / ours, 1.0 / theirs, ratio, hits,
           count, differ);
    bench_print_who();
    printf("\n");
}

// One question on all states, in alternating blocks.
static void compare(Setting* s, bool distance) {
    const size_t values = (size_t)s->scene->value_count;
    const size_t poses = (size_t)s->body_parts * 12;
    double* our_answer = malloc((size_t)s->count * sizeof(double));
    double* peer_answer = malloc((size_t)s->count * sizeof(double));
    double ours[BLOCKS], theirs[BLOCKS], ratio[BLOCKS];
    const BerthCheckRequest request = {.distance = distance};
    for (int block = 0; block < BLOCKS; ++block) {
        const int begin = s->count * block / BLOCKS;
        const int end = s->count * (block + 1) / BLOCKS;
        const double t0 = bench_now();
        for (int i = begin; i < end; ++i) {
            BerthCheckResult result;
            berth_check_state(s->checker, s->states + (size_t)i * values, &request, &result);
            our_answer[i] = result.verdict == BERTH_COLLISION ? -1.0
                            : result.verdict == BERTH_FREE    ? result.clearance.upper
                                                              : (double)NAN;
        }
        const double t1 = bench_now();
        for (int i = begin; i < end; ++i) {
            const double* p = s->poses + (size_t)i * poses;
            peer_answer[i] = distance ? peer_fcl_world_distance_self(s->peer, p)
                                      : -(double)peer_fcl_world_check(s->peer, p);
        }
        const double t2 = bench_now();
        ours[block] = (t1 - t0) / (end - begin);
        theirs[block] = (t2 - t1) / (end - begin);
        ratio[block] = theirs[block] / ours[block];
    }
    int differ = 0, hits = 0;
    for (int i = 0; i < s->count; ++i) {
        hits += our_answer[i] < 0;
        const bool same = distance ? fabs(our_answer[i] - peer_answer[i]) < 1e-6 ||
                                         (our_answer[i] < 0 && peer_answer[i] < 1e-9)
                                   : (our_answer[i] < 0) == (peer_answer[i] < 0);
        differ += !same;
        if (!same && getenv("BERTH_BENCH_DIFFER") != NULL) {
            fprintf(stderr, "  state %d: berth %g FCL %g\n", i, our_answer[i], peer_answer[i]);
        }
    }
    report(s->label, distance ? "minimum distance" : "whole-robot check", bench_median(ours, BLOCKS),
           bench_median(theirs, BLOCKS), bench_median(ratio, BLOCKS), differ, hits, s->count);
    free(our_answer);
    free(peer_answer);
}

static void count_allocations(Setting* s) {
    const size_t values = (size_t)s->scene->value_count;
    const int64_t before = bench_allocation_count;
    for (int i = 0; i < 100000; ++i) {
        BerthCheckResult result;
        const BerthCheckRequest request = {.distance = i % 10 == 0, .all = i % 20 == 0};
        berth_check_state(s->checker, s->states + (size_t)(i % s->count) * values, &request, &result);
    }
    fprintf(stderr, "%-34s %lld allocations in 100000 queries\n", s->label,
            (long long)(bench_allocation_count - before));
    printf("static,%s,allocations in 100000 queries,%lld,,,,,,", s->label,
           (long long)(bench_allocation_count - before));
    bench_print_who();
    printf("\n");
}

static BerthSolid* read_solid(const char* name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/meshes/%s", BERTH_SHARED_DIR, name);
    const BerthIoOptions options = berth_default_io_options();
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    if (berth_io_read_mesh(path, v3(1, 1, 1), &options, &mesh) != BERTH_OK ||
        berth_solid_from_mesh(mesh, NULL, &solid) != BERTH_OK) {
        bench_die(path);
    }
    return solid;
}

static void compare_meshes(int count, double range, const char* label) {
    BerthSolid* env = read_solid("env.obj");
    BerthSolid* rob = read_solid("rob.obj");
    PeerFcl* peer_env = bench_peer(env);
    PeerFcl* peer_rob = bench_peer(rob);
    BerthTreeQuery* query = NULL;
    if (berth_tree_query_create(1 << 30, NULL, &query) != BERTH_OK) {
        bench_die("query");
    }
    Pose* pose = malloc((size_t)count * sizeof *pose);
    double* rows = malloc((size_t)count * 12 * sizeof *rows);
    double still[12];
    const Pose at = pose_identity();
    fcl_rows(&at, still);
    Random random = {2};
    for (int i = 0; i < count; ++i) {
        pose[i] =
            bi_pose_from_unit_quat(bi_random_quat(&random), v3(bi_random_between(&random, -range, range),
                                                               bi_random_between(&random, -range, range),
                                                               bi_random_between(&random, -range, range)));
        fcl_rows(&pose[i], rows + 12 * (size_t)i);
    }
    for (int distance = 0; distance < 2; ++distance) {
        double ours[BLOCKS], theirs[BLOCKS], ratio[BLOCKS];
        int differ = 0, hits = 0;
        int64_t bv = 0, leaf = 0;
        for (int block = 0; block < BLOCKS; ++block) {
            const int begin = count * block / BLOCKS;
            const int end = count * (block + 1) / BLOCKS;
            double* answer = malloc((size_t)(end - begin) * sizeof *answer);
            const BerthTreeRequest request = berth_default_tree_request();
            const double t0 = bench_now();
            for (int i = begin; i < end; ++i) {
                const BerthTreeAnswer a = distance
                                              ? berth_tree_distance(query, env, &at, rob, &pose[i], &request)
                                              : berth_tree_collide(query, env, &at, rob, &pose[i], 0.0);
                answer[i - begin] = a.verdict == BERTH_COLLISION ? -1.0 : a.upper;
                bv += a.counters.bv_tests;
                leaf += a.counters.leaf_tests;
            }
            const double t1 = bench_now();
            for (int i = begin; i < end; ++i) {
                const double* p = rows + 12 * (size_t)i;
                const double peer = distance ? peer_fcl_distance(peer_env, still, peer_rob, p, NULL, NULL)
                                             : -(double)peer_fcl_collide(peer_env, still, peer_rob, p);
                hits += answer[i - begin] < 0;
                differ += distance ? fabs(answer[i - begin] - peer) > 1e-3 &&
                                         !(answer[i - begin] < 0 && peer < 1e-6)
                                   : (answer[i - begin] < 0) != (peer < 0);
            }
            const double t2 = bench_now();
            ours[block] = (t1 - t0) / (end - begin);
            theirs[block] = (t2 - t1) / (end - begin);
            ratio[block] = theirs[block] / ours[block];
            free(answer);
        }
        report(label, distance ? "mesh distance" : "mesh collide", bench_median(ours, BLOCKS),
               bench_median(theirs, BLOCKS), bench_median(ratio, BLOCKS), differ, hits, count);
        fprintf(stderr, "%-34s %-22s %.1f box pairs, %.1f triangle pairs a query\n", "", "",
                (double)bv / count, (double)leaf / count);
    }
    const BerthMeshInfo info = berth_mesh_info(berth_solid_mesh(env));
    fprintf(stderr, "%-34s %.0f bytes a triangle (mesh, box tree and RSS tree together)\n", label,
            (double)berth_solid_bytes(env) / info.triangle_count);
    free(pose);
    free(rows);
    peer_fcl_destroy(peer_env);
    peer_fcl_destroy(peer_rob);
    berth_tree_query_destroy(query);
    berth_solid_destroy(env);
    berth_solid_destroy(rob);
}

int main(int argc, char** argv) {
    const char* only = argc > 1 ? argv[1] : "";  // settings whose label holds this word
    printf(
        "bench,setting,question,berth_per_s,fcl_per_s,ratio,collide,count,differ,machine,compiler,commit\n");
    for (size_t i = 0; i < BENCH_PLACES; ++i) {
        if (strstr(bench_places[i].label, only) == NULL) {
            continue;
        }
        Setting s = bench_open(&bench_places[i], 10000);
        compare(&s, false);
        s.count = 2000;
        compare(&s, true);
        s.count = 10000;
        count_allocations(&s);
        bench_close(&s);
    }
    if (strstr("env.obj / rob.obj", only) != NULL) {
        compare_meshes(2000, 3000.0, "env.obj / rob.obj");
    }
    return 0;
}
