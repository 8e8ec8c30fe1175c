// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random robots among a random map and a random cloud.

#include "support/sensed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <cmocka.h>

#include "support/courses.h"
#include "support/meshes.h"

static void add_cloud(Sensed* sensed) {
    const BerthPose pose = test_pose(&sensed->random, 0.5);
    const BerthShape dot = {.kind = BERTH_SPHERE};
    BerthVec3 points[SENSED_POINTS];
    sensed->has_cloud = true;
    sensed->radius = bi_random_next(&sensed->random) % 2 == 0 ? 0.0 : 0.03;
    sensed->point_count = 1 + (int)(bi_random_next(&sensed->random) % SENSED_POINTS);
    for (int i = 0; i < sensed->point_count; ++i) {
        points[i] = test_pose(&sensed->random, 1.2).t;
        sensed->points[i] = brute_shape(&dot);
        const BerthPose local = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, points[i]};
        const Lpose world = lpose_of(&pose);
        sensed->points[i].body_from_part = lpose_of(&local);
        brute_pose_part(&sensed->points[i], &world);
    }
    BerthObjectDef def = berth_default_object_def();
    def.name = "cloud";
    def.pose = pose;
    def.radius = sensed->radius;
    assert_int_equal(berth_solid_from_points(points, sensed->point_count, NULL, &def.solid), BERTH_OK);
    assert_int_equal(berth_scene_add_object(sensed->world->scene, &def, NULL), BERTH_OK);
}

Sensed* sensed_make(uint64_t seed) {
    Sensed* sensed = calloc(1, sizeof *sensed);
    sensed->seed = seed;
    sensed->random = (Random){seed * 2654435761u + 17};
    const WorldPlan plan = {.style = seed % 3 == 0 ? WORLD_CONVEX : WORLD_PLAIN,
                            .robots = 1,
                            .joints = 1 + (int)(seed % 5),
                            .objects = (int)(seed % 2)};
    sensed->world = world_make(&sensed->random, &plan);
    grid_random(&sensed->random, seed % 4 == 0 ? 2 : 3, 8, 0.15, &sensed->grid);
    sensed->map_pose = test_pose(&sensed->random, 0.7);
    const BerthObjectId id =
        grid_add(&sensed->grid, sensed->world->scene, "map", &sensed->map_pose, NULL, true);
    assert_true(id.age > 0);
    grid_open(&sensed->grid, &sensed->map_pose);
    if (bi_random_next(&sensed->random) % 2 == 0) {
        add_cloud(sensed);
    }
    assert_int_equal(berth_scene_commit(sensed->world->scene), BERTH_OK);
    return sensed;
}

void sensed_destroy(Sensed* sensed) {
    for (int i = 0; i < sensed->point_count; ++i) {
        brute_free_part(&sensed->points[i]);
    }
    grid_close(&sensed->grid);
    world_destroy(sensed->world);
    free(sensed);
}

// Bodies that robots move: objects on their own are not checked against each other.
static double least_gap(Sensed* sensed, const double* values, bool cloud) {
    BruteWorld* brute = &sensed->world->brute;
    double least = INFINITY;
    brute_pose_world(brute, values);
    for (int i = 0; i < brute->body_count; ++i) {
        const BruteBody* body = &brute->bodies[i];
        if (body->robot < 0) {
            continue;
        }
        const double padding = brute->robots[body->robot].padding;
        for (int k = 0; k < body->part_count; ++k) {
            if (!cloud) {
                least = fmin(least, (double)grid_gap(&sensed->grid, &body->parts[k]).upper - padding);
            }
            for (int p = 0; cloud && p < sensed->point_count; ++p) {
                const double gap = (double)brute_gap(&sensed->points[p], &body->parts[k]).upper;
                least = fmin(least, gap - padding - sensed->radius);
            }
        }
    }
    return least;
}

double sensed_map_gap(Sensed* sensed, const double* values) {
    return least_gap(sensed, values, false);
}

double sensed_cloud_gap(Sensed* sensed, const double* values) {
    return least_gap(sensed, values, true);
}

double sensed_gap(void* user, const double* values) {
    Sensed* sensed = user;
    const double rest = course_brute_gap(sensed->world, values);
    return fmin(rest, fmin(sensed_map_gap(sensed, values), sensed_cloud_gap(sensed, values)));
}
