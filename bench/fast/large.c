// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Large obstacles: the Panda's meshes among ten boxes, among the same boxes as a map of 1 cm cells (256^3), and beside a closed mesh
// of 1,000,000 triangles (a bumpy ball of 0.6 m). Random states, and random segments of a twentieth to a third of the way between two.
// Entry: fast_bench_large.

#include "fast/fast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/cell.h"
#include "support/clock.h"

enum { ROWS = 20000, BOXES = 10, SIDE = 256, RINGS = 500, SPOKES = 1000 };
static const double CELL = 0.01;

typedef struct Box {
    BerthVec3 centre, size;
} Box;

static BerthScene* open_robot(void) {
    char path[4096], srdf[4096];
    snprintf(path, sizeof path, "%s/robots/panda_mbm/panda.urdf", BERTH_SHARED_DIR);
    snprintf(srdf, sizeof srdf, "%s/robots/panda_mbm/panda.srdf", BERTH_SHARED_DIR);
    BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    options.srdf = srdf;
    if (berth_io_read_scene(path, &options, &scene) != BERTH_OK) {
        bench_die(path);
    }
    return scene;
}

// Around the robot, not at its foot; on the borders of cells, so that the map is the same boxes.
static void draw_boxes(Box boxes[BOXES]) {
    Random random = {3};
    for (int i = 0; i < BOXES; ++i) {
        const double angle = bi_random_between(&random, -3.14, 3.14);
        const double far = bi_random_between(&random, 0.4, 0.9);
        const double at[3] = {far * cos(angle), far * sin(angle), bi_random_between(&random, 0.0, 0.9)};
        double centre[3], size[3];
        for (int k = 0; k < 3; ++k) {
            const double low = CELL * floor(at[k] / CELL);
            size[k] = CELL * floor(bi_random_between(&random, 4, 20));
            centre[k] = low + 0.5 * size[k];
        }
        boxes[i] = (Box){{centre[0], centre[1], centre[2]}, {size[0], size[1], size[2]}};
    }
}

static void add_boxes(BerthScene* scene, const Box boxes[BOXES]) {
    for (int i = 0; i < BOXES; ++i) {
        char name[16];
        snprintf(name, sizeof name, "box%d", i);
        BerthPose pose = berth_pose_identity();
        pose.t = boxes[i].centre;
        if (berth_scene_add_box(scene, name, boxes[i].size, &pose, NULL) != BERTH_OK) {
            bench_die(name);
        }
    }
}

static void add_map(BerthScene* scene, const Box boxes[BOXES]) {
    BerthFieldDef def = berth_default_field_def();
    BerthFieldBuilder* builder = NULL;
    BerthField* field = NULL;
    def.dim = 3;
    def.levels = 8;
    def.resolution = CELL;
    def.origin = (BerthVec3){-1.28, -1.28, -0.64};
    BerthStatus status = berth_field_builder_create(&def, &builder);
    for (int i = 0; i < BOXES && status == BERTH_OK; ++i) {
        const double centre[3] = {boxes[i].centre.x, boxes[i].centre.y, boxes[i].centre.z};
        const double size[3] = {boxes[i].size.x, boxes[i].size.y, boxes[i].size.z};
        const double origin[3] = {def.origin.x, def.origin.y, def.origin.z};
        int32_t low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            low[k] = (int32_t)lround((centre[k] - 0.5 * size[k] - origin[k]) / CELL);
            high[k] = (int32_t)lround((centre[k] + 0.5 * size[k] - origin[k]) / CELL);
        }
        status = berth_field_add_box(builder, low, high, BERTH_CELL_OCCUPIED);
    }

    BerthObjectDef object = berth_default_object_def();
    BerthMapDef map = berth_default_map_def();
    object.name = "map";
    map.outside_is_free = true;
    status = status == BERTH_OK ? berth_field_build(builder, &field) : status;
    if (status != BERTH_OK || berth_scene_add_map(scene, &object, field, &map, NULL) != BERTH_OK) {
        bench_die("map");
    }
    berth_field_destroy(field);
    berth_field_builder_destroy(builder);
}

static BerthVec3 ball_point(int ring, int spoke) {
    const double up = M_PI * ring / RINGS, round = 2.0 * M_PI * spoke / SPOKES;
    const double r = 0.3 * (1.0 + 0.05 * sin(9.0 * round) * sin(7.0 * up));
    return (BerthVec3){r * sin(up) * cos(round), r * sin(up) * sin(round), r * cos(up)};
}

static void add_mesh(BerthScene* scene) {
    const int corner_count = (RINGS - 1) * SPOKES + 2;
    BerthVec3* corners = malloc((size_t)corner_count * sizeof *corners);
    int32_t* triangles = malloc((size_t)6 * RINGS * SPOKES * sizeof *triangles);
    int32_t count = 0;
    corners[0] = ball_point(0, 0);
    corners[corner_count - 1] = ball_point(RINGS, 0);
    for (int ring = 1; ring < RINGS; ++ring) {
        for (int spoke = 0; spoke < SPOKES; ++spoke) {
            corners[1 + (ring - 1) * SPOKES + spoke] = ball_point(ring, spoke);
        }
    }
    for (int ring = 0; ring < RINGS; ++ring) {
        for (int spoke = 0; spoke < SPOKES; ++spoke) {
            const int next = (spoke + 1) % SPOKES;
            const int a = ring == 0 ? 0 : 1 + (ring - 1) * SPOKES + spoke;
            const int b = ring == 0 ? 0 : 1 + (ring - 1) * SPOKES + next;
            const int c = ring == RINGS - 1 ? corner_count - 1 : 1 + ring * SPOKES + spoke;
            const int d = ring == RINGS - 1 ? corner_count - 1 : 1 + ring * SPOKES + next;
            const int32_t two[6] = {a, c, d, a, d, b};
            for (int k = 0; k < 6; ++k) {
                triangles[count + k] = two[k];
            }
            count += 6;
        }
    }

    BerthMesh* mesh = NULL;
    BerthPose pose = berth_pose_identity();
    pose.t = (BerthVec3){0.55, 0.3, 0.5};
    if (berth_mesh_create(corners, corner_count, triangles, count / 3, NULL, &mesh) != BERTH_OK ||
        berth_scene_add_mesh(scene, "ball", mesh, &pose, NULL) != BERTH_OK) {
        bench_die("mesh");
    }
    free(corners);
    free(triangles);
}

// Nanoseconds a row, the best of some rounds.
static double time_rows(const BerthScene* scene, BerthBatchKind kind, BerthBatchResult* result,
                        double* layout, double* decided) {
    const double t = bench_thread_now();
    BerthBatch* batch = fast_open_batch(scene, kind);
    *layout = bench_thread_now() - t;
    const int32_t n = scene->value_count, row = berth_batch_row_size(batch);
    double* rows = malloc((size_t)ROWS * (size_t)row * sizeof *rows);
    uint8_t* verdicts = malloc(ROWS);
    Random random = {7};
    for (int i = 0; i < ROWS; ++i) {
        double *from = rows + (size_t)i * (size_t)row, to[16];
        bi_robot_random_values(scene->robots[0].robot, &random, from);
        bi_robot_random_values(scene->robots[0].robot, &random, to);
        const double share = bi_random_between(&random, 0.05, 1.0 / 3.0);
        for (int32_t k = 0; kind == BERTH_BATCH_SEGMENTS && k < n; ++k) {
            from[n + k] = from[k] + share * (to[k] - from[k]);
        }
    }

    double best = INFINITY;
    for (int round = 0; round < 3; ++round) {
        const double t0 = bench_thread_now();
        berth_batch_ask_worker(batch, 0, rows, ROWS, verdicts, NULL, result);
        best = fmin(best, (bench_thread_now() - t0) / ROWS);
    }
    *decided = kind == BERTH_BATCH_SEGMENTS ? fast_decided_share(batch, rows, ROWS) : 0.0;
    free(rows);
    free(verdicts);
    berth_batch_destroy(batch);
    return 1e9 * best;
}

void fast_bench_large(void) {
    static const char* const names[3] = {"ten boxes", "ten boxes as a map of 256^3 cells",
                                         "a mesh of 1000000 triangles"};
    Box boxes[BOXES];
    draw_boxes(boxes);
    for (int which = 0; which < 3; ++which) {
        BerthScene* scene = open_robot();
        if (which == 0) {
            add_boxes(scene, boxes);
        } else if (which == 1) {
            add_map(scene, boxes);
        } else {
            add_mesh(scene);
        }
        if (berth_scene_commit(scene) != BERTH_OK) {
            bench_die("commit");
        }

        for (int segments = 0; segments < 2; ++segments) {
            BerthBatchResult result;
            double layout, decided;
            const BerthBatchKind kind = segments ? BERTH_BATCH_SEGMENTS : BERTH_BATCH_STATES;
            const double ns = time_rows(scene, kind, &result, &layout, &decided);
            fprintf(stderr,
                    "large    %-36s %8.0f ns a %s; %.1f %% free, %.1f %% collide; lanes decided %.1f %%; "
                    "layout %.2f s\n",
                    names[which], ns, segments ? "segment" : "state",
                    100.0 * (double)result.free_count / ROWS, 100.0 * (double)result.collision_count / ROWS,
                    100.0 * decided, layout);
            printf("large,%s,%s,%.5g,%.4g,%.4g,%.4g,%.3g,", names[which], segments ? "segments" : "states",
                   ns, (double)result.free_count / ROWS, (double)result.collision_count / ROWS, decided,
                   layout);
            bench_print_who();
            printf("\n");
        }
        berth_scene_destroy(scene);
    }
}
