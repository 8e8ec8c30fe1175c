// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What a layout costs and what it saves, robot by robot among five things: made for few questions and for many, and single segments
// (a tenth of the way between two random states) and states by the bodies alone and by each layout. berth_lanes_pay is made of this.
// Entry: fast_bench_layout.

#include "fast/fast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <berth/motion.h>

#include "support/cell.h"
#include "support/clock.h"

enum { ROWS = 500, WAYS = 3, WAY_VALUES = 64 };

typedef struct Subject {
    const char *name, *urdf, *srdf;
} Subject;

#define MOVEIT "moveit_resources_"
#define EXAMPLE "example-robot-data/robots/"
static const Subject subjects[] = {
    {"Panda of spheres", "panda_mbm/panda_spherized.urdf", "panda_mbm/panda.srdf"},
    {"Panda", "panda_mbm/panda.urdf", "panda_mbm/panda.srdf"},
    {"UR5", EXAMPLE "ur_description/urdf/ur5_robot.urdf", NULL},
    {"Fanuc", MOVEIT "fanuc_description/urdf/fanuc.urdf", MOVEIT "fanuc_moveit_config/config/fanuc.srdf"},
    {"two Pandas", MOVEIT "dual_arm_panda_moveit_config/config/dual_panda_close.urdf",
     MOVEIT "dual_arm_panda_moveit_config/config/panda.srdf"},
    {"Romeo", EXAMPLE "romeo_description/urdf/romeo.urdf", EXAMPLE "romeo_description/srdf/romeo.srdf"},
    {"PR2", MOVEIT "pr2_description/urdf/robot.xml", NULL},
};

static void must(BerthStatus status, const char* what) {
    if (status != BERTH_OK) {
        bench_die(what);
    }
}

static BerthScene* open_subject(const Subject* subject) {
    char path[4096], srdf[4096];
    snprintf(path, sizeof path, "%s/robots/%s", BERTH_SHARED_DIR, subject->urdf);
    BerthIoOptions options = berth_default_io_options();
    if (subject->srdf != NULL) {
        snprintf(srdf, sizeof srdf, "%s/robots/%s", BERTH_SHARED_DIR, subject->srdf);
        options.srdf = srdf;
    }
    BerthScene* scene = NULL;
    must(berth_io_read_scene(path, &options, &scene), path);

    BerthPose pose = berth_pose_identity();
    pose.t = (BerthVec3){0.85, 0.0, 0.3};
    must(berth_scene_add_box(scene, "a table", (BerthVec3){0.6, 1.2, 0.04}, &pose, NULL), "table");
    pose.t = (BerthVec3){0.4, 0.4, 0.6};
    must(berth_scene_add_box(scene, "a plate", (BerthVec3){0.3, 0.2, 0.001}, &pose, NULL), "plate");
    pose.t = (BerthVec3){0.5, -0.4, 0.6};
    must(berth_scene_add_box(scene, "a rod", (BerthVec3){0.002, 0.002, 0.6}, &pose, NULL), "rod");
    must(berth_scene_add_sphere(scene, "a ball", 0.08, (BerthVec3){-0.5, 0.3, 0.7}, NULL), "ball");
    must(berth_scene_add_sphere(scene, "another", 0.1, (BerthVec3){-0.4, -0.4, 0.8}, NULL), "ball");
    must(berth_scene_commit(scene), "commit");
    return scene;
}

/// Microseconds: of a segment that is free, of one that collides, of a state.
typedef struct Cost {
    double free, hit, state;
    int free_count, hit_count;
} Cost;

static Cost time_way(const BerthScene* scene, const BerthLanes* lanes, const double* rows, int32_t n) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthCheckerDef state_def = berth_default_checker_def();
    BerthMotionChecker* motion = NULL;
    BerthChecker* checker = NULL;
    def.lanes = state_def.lanes = lanes;
    must(berth_motion_checker_create(scene, &def, &motion), "motion checker");
    must(berth_checker_create(scene, &state_def, &checker), "checker");

    Cost cost = {0};
    for (int i = 0; i < ROWS; ++i) {
        const double* from = rows + (size_t)i * 2 * (size_t)n;
        const BerthSegment segment = {.value_count = n, .from = from, .to = from + n};
        const BerthMotionRequest request = {0};
        BerthMotionResult result;
        double t = bench_thread_now();
        must(berth_motion_check_segment(motion, &segment, &request, &result), "segment");
        t = 1e6 * (bench_thread_now() - t);
        cost.free += result.verdict == BERTH_FREE ? t : 0.0;
        cost.hit += result.verdict == BERTH_FREE ? 0.0 : t;
        cost.free_count += result.verdict == BERTH_FREE;
        cost.hit_count += result.verdict != BERTH_FREE;

        const BerthCheckRequest asked = {0};
        BerthCheckResult answer;
        t = bench_thread_now();
        must(berth_check_state(checker, from, &asked, &answer), "state");
        cost.state += 1e6 * (bench_thread_now() - t) / ROWS;
    }
    berth_motion_checker_destroy(motion);
    berth_checker_destroy(checker);
    cost.free = cost.free_count > 0 ? cost.free / cost.free_count : 0.0;
    cost.hit = cost.hit_count > 0 ? cost.hit / cost.hit_count : 0.0;
    return cost;
}

static void draw_rows(const BerthScene* scene, double* rows) {
    const int32_t n = scene->value_count;
    Random random = {7};
    double to[WAY_VALUES];
    for (int i = 0; i < ROWS; ++i) {
        double* from = rows + (size_t)i * 2 * (size_t)n;
        bi_robot_random_values(scene->robots[0].robot, &random, from);
        bi_robot_random_values(scene->robots[0].robot, &random, to);
        for (int32_t k = 0; k < n; ++k) {
            from[n + k] = from[k] + 0.1 * (to[k] - from[k]);
        }
    }
}

void fast_bench_layout(void) {
    static const char* const ways[WAYS] = {"bodies", "few questions", "many questions"};
    for (size_t s = 0; s < sizeof subjects / sizeof subjects[0]; ++s) {
        BerthScene* scene = open_subject(&subjects[s]);
        const int32_t n = scene->value_count;
        double* rows = malloc((size_t)ROWS * 2 * (size_t)n * sizeof *rows);
        if (rows == NULL || n > WAY_VALUES) {
            bench_die("rows");
        }
        draw_rows(scene, rows);
        for (int way = 0; way < WAYS; ++way) {
            BerthLanes* lanes = NULL;
            BerthLanesDef def = berth_default_lanes_def();
            def.expected_segments = way == 1;
            const double start = bench_thread_now();
            if (way > 0) {
                must(berth_lanes_create(scene, &def, &lanes), "lanes");
            }
            const double layout = 1e3 * (bench_thread_now() - start);
            const Cost cost = time_way(scene, lanes, rows, n);
            berth_lanes_destroy(lanes);
            fprintf(
                stderr,
                "layout   %-18s %-15s %9.2f ms; free segment %8.2f us, colliding %8.2f us, state %7.2f us "
                "(%d free)\n",
                subjects[s].name, ways[way], layout, cost.free, cost.hit, cost.state, cost.free_count);
            printf("layout,%s,%s,%.4g,%d,%.4g,%.4g,%.4g,", subjects[s].name, ways[way], layout,
                   cost.free_count, cost.free, cost.hit, cost.state);
            bench_print_who();
            printf("\n");
        }
        free(rows);
        berth_scene_destroy(scene);
    }
}
