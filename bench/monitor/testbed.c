// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The testbed of paper 000 and its tasks, read from the models.

#include "monitor/testbed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/cell.h"
#include "support/clock.h"

static void read_task(Testbed* t, int task) {
    char path[4096];
    snprintf(path, sizeof path, "%s/models/two_arms/task%d.csv", BERTH_BUILD_DIR, task + 1);
    const BerthIoOptions options = berth_default_io_options();
    BerthTrajectory trajectory;
    if (berth_io_read_trajectory(path, t->scene, &options, &trajectory) != BERTH_OK) {
        bench_die(path);
    }
    const size_t size = (size_t)trajectory.row_count * (size_t)t->scene->value_count * sizeof(double);
    t->cycles[task] = trajectory.row_count;
    t->task[task] = malloc(size);
    memcpy(t->task[task], trajectory.positions, size);
    berth_io_free_trajectory(&trajectory);
}

Testbed bench_testbed_open(void) {
    Testbed t = {0};
    const BerthIoOptions options = berth_default_io_options();
    if (berth_io_read_scene(BERTH_BUILD_DIR "/models/two_arms/cell.yaml", &options, &t.scene) != BERTH_OK ||
        berth_scene_commit(t.scene) != BERTH_OK) {
        bench_die("two_arms");
    }
    const BerthCheckerDef def = berth_default_checker_def();
    if (berth_checker_create(t.scene, &def, &t.checker) != BERTH_OK) {
        bench_die("checker");
    }
    int32_t primitive_of[256];
    int32_t count = 0;
    for (int32_t i = 0; i < t.scene->body_count; ++i) {
        const SceneBody* body = &t.scene->bodies[i];
        primitive_of[i] = body->part_count > 0 ? count : -1;
        if (body->part_count > 0 && count < TESTBED_PRIMITIVES) {
            const ScenePart* part = &t.scene->parts[body->first_part];
            t.primitives[count] = (Primitive){.shape = *berth_solid_shape(part->solid),
                                              .pose = part->frame_from_part,
                                              .moves = body->robot >= 0};
        }
        count += body->part_count;
    }
    if (count != TESTBED_PRIMITIVES || !t.primitives[TESTBED_MOVERS - 1].moves ||
        t.primitives[TESTBED_MOVERS].moves) {
        bench_die("two_arms has not 14 links and 21 objects");
    }
    memset(t.allowed, 1, sizeof t.allowed);
    for (int32_t i = 0; i < t.scene->pair_count; ++i) {
        const int32_t a = primitive_of[t.scene->pairs[i].body_a];
        const int32_t b = primitive_of[t.scene->pairs[i].body_b];
        t.allowed[a][b] = t.allowed[b][a] = 0;
    }
    for (int task = 0; task < TESTBED_TASKS; ++task) {
        read_task(&t, task);
    }
    return t;
}

void bench_testbed_close(Testbed* t) {
    for (int task = 0; task < TESTBED_TASKS; ++task) {
        free(t->task[task]);
    }
    berth_checker_destroy(t->checker);
    berth_scene_destroy(t->scene);
}

void bench_testbed_place(Testbed* t, const double* values) {
    if (!bi_check_place(t->checker, values)) {
        bench_die("a state that is no state");
    }
    for (int32_t i = 0; i < TESTBED_MOVERS; ++i) {
        t->primitives[i].pose = t->checker->world_from_part[i];
    }
}

void bench_row(const char* table, const char* series, double x, double value) {
    printf("%s,%s,%.9g,%.6g,", table, series, x, value);
    bench_print_who();
    printf("\n");
}
