// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Are the motions of the 700 problems what berth says they are? Each is searched for a second (those that are not found: for a minute),
// shortened, certified; the certificate is written to a file, read back and verified; and the motion is sampled densely by others:
// KDL places the links from the URDF, FCL tests them (its meshes are surfaces). The straight line from start to goal is sampled too: most
// collide, so that who looks is seen to see. One line of CSV a model, and one a problem that is not solved in a
// second or that anybody objects to. No time is measured but whether a search ends in one second.
// usage: bench_plan_proofs [meshes|spheres] [--every N] [--step RADIAN]

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <berth/berth.h>

#include "scene/scene.h"
#include "support/cell.h"
#include "support/clock.h"
#include "support/panda.h"

#if BERTH_HAVE_ORACLES
#include "oracle/peer_kdl.h"

enum { PARTS = 512, JOINTS = 32, ROWS = 512 };
static const double SHORT = 1.0, LONG = 60.0;  // seconds of a search

/// What came of all problems of a model.
typedef struct Count {
    int problems, ends_free, within_short, within_long, certified, verified, sampled_free;
    int straight_colliding;
    int64_t samples, colliding_samples, records;
    double nearest;  // clearance that a verification proved, of all motions
} Count;

typedef struct Bench {
    Panda panda;
    PeerKdl* kdl;
    PeerFcl* known[PARTS];
    PeerFclWorld* peer;
    int32_t body_parts;
    double poses[12 * PARTS];
    double deadline, step;
    char file[256];
    Count count;
} Bench;

static bool is_late(void* user) {
    return bench_now() > ((const Bench*)user)->deadline;
}

static void object(const Bench* bench, const BerthProblem* problem, const char* what) {
    printf("plan_proofs,%s,%s,%s,,,,,,,,,,,,", bench->panda.spheres ? "spheres" : "meshes", problem->name,
           what);
    bench_print_who();
    printf("\n");
    fprintf(stderr, "%s %s: %s\n", bench->panda.spheres ? "spheres" : "meshes", problem->name, what);
}

// ---- by the verifier -----------------------------------------------------------------------------------------------

// Written, read back, verified.
static bool verify(Bench* bench, const BerthCertificate* certificate, const BerthPlanResult* result,
                   int32_t values) {
    const BerthScene* scene = bench->panda.scene;
    BerthCertificate* read = NULL;
    if (result->row_count > ROWS ||
        berth_io_write_certificate(bench->file, certificate, scene, NULL) != BERTH_OK ||
        berth_io_read_certificate(bench->file, scene, NULL, &read) != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
        return false;
    }

    BerthSegment segments[ROWS];
    for (int i = 0; i + 1 < result->row_count; ++i) {
        const double* from = result->rows + (ptrdiff_t)i * values;
        segments[i] = (BerthSegment){.value_count = values, .from = from, .to = from + values};
    }
    const BerthVerifyDef def = berth_default_verify_def();
    BerthCertificateReport report;
    const bool holds =
        berth_certificate_verify(read, scene, segments, result->row_count - 1, &def, &report) == BERTH_OK;
    if (holds) {
        bench->count.records += report.records;
        bench->count.nearest = fmin(bench->count.nearest, report.clearance);
    } else {
        fprintf(stderr, "%s\n", berth_error_text());
    }
    berth_certificate_destroy(read);
    return holds;
}

// ---- by samples ----------------------------------------------------------------------------------------------------

static BerthPose from_rows(const double r[12]) {
    return (BerthPose){{r[0], r[3], r[6]}, {r[1], r[4], r[7]}, {r[2], r[5], r[8]}, {r[9], r[10], r[11]}};
}

// Links by KDL, their parts where the URDF has them.
static void place(Bench* bench, const double* values) {
    const BerthScene* scene = bench->panda.scene;
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    const char* names[JOINTS];
    double at[JOINTS];
    const int count = peer_kdl_joint_count(bench->kdl);
    for (int i = 0; i < count && i < JOINTS; ++i) {
        names[i] = peer_kdl_joint_name(bench->kdl, i);
        const int32_t value = berth_scene_find_value(scene, names[i]);
        if (value < 0) {
            bench_die("a joint of KDL that has no value");
        }
        at[i] = values[value];
    }

    for (int32_t b = 0; b < scene->body_count; ++b) {
        const SceneBody* body = &scene->bodies[b];
        double rows[12];
        if (body->robot < 0 || body->part_count == 0) {
            continue;
        }
        if (peer_kdl_link_pose(bench->kdl, body->name, names, at, count, rows) != 0) {
            bench_die(body->name);
        }
        const BerthPose link = from_rows(rows);
        for (int32_t i = 0; i < body->part_count; ++i) {
            BerthPose link_from_part;
            (void)berth_robot_solid(robot, body->link, i, &link_from_part, NULL);
            const BerthPose part = berth_pose_multiply(&link, &link_from_part);
            fcl_rows(&part, bench->poses + 12 * (size_t)(body->first_part + i));
        }
    }
}

// Evenly along every line, ends included.
static int64_t count_colliding(Bench* bench, const BerthPlanResult* result, int32_t values) {
    int64_t colliding = 0;
    bench->peer = bench_peer_world(bench->panda.scene, bench->known, &bench->body_parts);
    for (int row = 0; row + 1 < result->row_count; ++row) {
        const double* from = result->rows + (ptrdiff_t)row * values;
        double sum = 0.0, at[JOINTS];
        for (int32_t i = 0; i < values; ++i) {
            sum += (from[values + i] - from[i]) * (from[values + i] - from[i]);
        }
        const int samples = 1 + (int)(sqrt(sum) / bench->step);
        for (int s = 0; s <= samples; ++s) {
            const double t = (double)s / samples;
            for (int32_t i = 0; i < values; ++i) {
                at[i] = (1.0 - t) * from[i] + t * from[values + i];
            }
            place(bench, at);
            colliding += peer_fcl_world_check(bench->peer, bench->poses);
            bench->count.samples += 1;
        }
    }
    peer_fcl_world_destroy(bench->peer);
    return colliding;
}

static bool straight_collides(Bench* bench, const BerthProblem* problem) {
    double rows[2 * JOINTS];
    const size_t bytes = (size_t)problem->value_count * sizeof *rows;
    const int64_t samples = bench->count.samples;
    memcpy(rows, problem->start, bytes);
    memcpy(rows + problem->value_count, problem->goals, bytes);
    const BerthPlanResult line = {.rows = rows, .row_count = 2};
    const bool collides = count_colliding(bench, &line, problem->value_count) > 0;
    bench->count.samples = samples;  // these are not of motions that were found
    return collides;
}

// ---- one problem ---------------------------------------------------------------------------------------------------

static void judge(Bench* bench, const BerthProblem* problem, BerthPlanner* planner, BerthPlanResult* result) {
    BerthCertificate* certificate = NULL;
    BerthPlanProof proof;
    bench->deadline = bench_now() + LONG;
    if (berth_planner_shorten(planner, result) != BERTH_OK ||
        berth_planner_certificate(planner, NULL, &certificate) != BERTH_OK ||
        berth_planner_certify(planner, false, certificate, &proof) != BERTH_OK) {
        bench_die("certify");
    }
    const bool certified = proof.verdict == BERTH_FREE;
    const bool verified = certified && verify(bench, certificate, result, problem->value_count);
    const int64_t colliding = count_colliding(bench, result, problem->value_count);
    bench->count.certified += certified;
    bench->count.verified += verified;
    bench->count.sampled_free += colliding == 0;
    bench->count.straight_colliding += straight_collides(bench, problem);
    bench->count.colliding_samples += colliding;
    if (!certified || !verified) {
        object(bench, problem, certified ? "not verified" : "not certified");
    }
    if (colliding > 0) {
        object(bench, problem, "FCL says it collides");
    }
    berth_certificate_destroy(certificate);
}

static void ask(Bench* bench, BerthPlanner* planner, const BerthPlanQuery* query, double seconds,
                BerthPlanResult* result) {
    bench->deadline = bench_now() + seconds;
    if (berth_planner_find(planner, query, result) != BERTH_OK) {
        bench_die("find");
    }
}

static void ask_problem(Bench* bench, int32_t line) {
    BerthProblem problem;
    panda_read(&bench->panda, line, &problem);
    BerthLanes* lanes = panda_lanes(&bench->panda);
    BerthPlanner* planner = NULL;
    BerthPlanResult result;
    BerthPlannerDef def = berth_default_planner_def();
    def.lanes = lanes;
    def.late = is_late;
    def.late_user = bench;
    if (berth_planner_create(bench->panda.scene, &def, &planner) != BERTH_OK) {
        bench_die("planner");
    }

    const BerthPlanQuery query = {problem.start, problem.goals, problem.goal_count};
    ask(bench, planner, &query, SHORT, &result);
    bench->count.problems += 1;
    bench->count.ends_free += result.found || result.reason == BERTH_PLAN_BUDGET;
    bench->count.within_short += result.found;
    if (!result.found && result.reason == BERTH_PLAN_BUDGET) {
        ask(bench, planner, &query, LONG, &result);
        object(bench, &problem, result.found ? "not found in 1 s; found in 60 s" : "not found in 60 s");
    } else if (!result.found) {
        object(bench, &problem, berth_plan_reason_name(result.reason));
    }
    bench->count.within_long += result.found;
    if (result.found) {
        judge(bench, &problem, planner, &result);
    }
    berth_planner_destroy(planner);
    berth_lanes_destroy(lanes);
    panda_forget(&bench->panda, &problem);
}

static void print_count(const Bench* bench) {
    const Count* count = &bench->count;
    const char* model = bench->panda.spheres ? "spheres" : "meshes";
    printf("plan_proofs,%s,all,,%d,%d,%d,%d,%d,%d,%d,%lld,%lld,%d,%.4g,", model, count->problems,
           count->ends_free, count->within_short, count->within_long, count->certified, count->verified,
           count->sampled_free, (long long)count->samples, (long long)count->colliding_samples,
           count->straight_colliding, count->nearest);
    bench_print_who();
    printf("\n");
    fprintf(stderr,
            "%s: of %d problems %d have free ends, %d are solved within 1 s, %d within 60 s; of these %d "
            "certified, %d "
            "certificates verified (%lld records, clearance %.3g m at least); %lld samples, %lld collide, %d "
            "motions "
            "without; of the straight lines from start to goal %d collide\n",
            model, count->problems, count->ends_free, count->within_short, count->within_long,
            count->certified, count->verified, (long long)count->records, count->nearest,
            (long long)count->samples, (long long)count->colliding_samples, count->sampled_free,
            count->straight_colliding);
}

static void run(bool spheres, int every, double step) {
    static Bench bench;
    bench = (Bench){.panda = panda_open(spheres), .step = step, .count.nearest = INFINITY};
    bench.kdl = peer_kdl_open(panda_urdf(spheres));
    (void)snprintf(bench.file, sizeof bench.file, "%s/plan_proofs.%d.cert", BERTH_BUILD_DIR, (int)getpid());
    if (bench.kdl == NULL) {
        bench_die("KDL refuses the robot");
    }
    for (int32_t i = 0; i < bench.panda.lines.count; i += every) {
        ask_problem(&bench, i);
    }
    print_count(&bench);
    (void)unlink(bench.file);
    peer_kdl_close(bench.kdl);
    for (int i = 0; i < PARTS; ++i) {
        peer_fcl_destroy(bench.known[i]);
    }
    panda_close(&bench.panda);
    fflush(stdout);
}

int main(int argc, char** argv) {
    bool spheres = false, meshes = false;
    int every = 1;
    double step = 0.005;
    for (int i = 1; i < argc; ++i) {
        spheres = spheres || strcmp(argv[i], "spheres") == 0;
        meshes = meshes || strcmp(argv[i], "meshes") == 0;
        every = strcmp(argv[i], "--every") == 0 && i + 1 < argc ? atoi(argv[i + 1]) : every;
        step = strcmp(argv[i], "--step") == 0 && i + 1 < argc ? atof(argv[i + 1]) : step;
    }
    every = every > 0 ? every : 1;
    step = step > 0.0 ? step : 0.005;
    printf(
        "bench,model,problem,objection,problems,ends_free,found_1s,found_60s,certified,verified,sampled_free,"
        "samples,"
        "colliding_samples,straight_colliding,clearance,machine,compiler,commit\n");
    if (meshes || !spheres) {
        run(false, every, step);
    }
    if (spheres || !meshes) {
        run(true, every, step);
    }
    return 0;
}
#else
int main(void) {
    fprintf(stderr, "bench: built without FCL and KDL: install what ./dev names as oracles\n");
    return 2;
}
#endif
