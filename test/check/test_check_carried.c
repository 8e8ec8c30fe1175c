// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps and clouds that do not stand at the identity: under poses, said to move, on links of one robot or of two, against each
// other. Every answer and every pair's distance against the brute model.
// test-share: 0.15

#include <berth/lab/check.h>
#include <berth/lab/tree.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/carried.h"
#include "support/courses.h"
#include "support/setting.h"
#include "support/verdicts.h"

enum { VALUE_MAX = 200 };

static BerthChecker* checker_of(const World* world, double margin, BerthEngine engine) {
    BerthCheckerDef def = berth_default_checker_def();
    BerthCheckerLab lab = {0};
    def.lab = &lab;
    BerthChecker* checker = NULL;
    def.margin = margin;
    lab.engine = engine;
    if (berth_checker_create(world->scene, &def, &checker) != BERTH_OK) {
        fail_msg("checker: %s", berth_error_text());
    }
    return checker;
}

// What the judge of motions leaves out as too far was not nearer.
static double least_of_all(World* world, const double* values) {
    static Truth truth[VERDICT_PAIRS];
    double least = INFINITY;
    for (int i = true_gaps(world, values, truth) - 1; i >= 0; --i) {
        least = fmin(least, (double)truth[i].gap.upper);
    }
    return least;
}

static void random_worlds(const char* what, WorldStyle style, int count) {
    Tally tally = {.what = what};
    Carried carried = {0};
    for (int i = 0; i < test_scaled(count); ++i) {
        tally.seed = i;
        Random random = {.state = 7919u * (uint64_t)(i + 1) + style};
        World* world = carried_make(&random, style, &carried);
        const double margins[4] = {0, 0, 0.02, 1e-4};
        const double margin = margins[i % 4];
        // Trees of spheres are slow to build: for some.
        BerthChecker* checker = checker_of(world, margin,
                                           i % 8 == 0   ? BERTH_ENGINE_SPHERES
                                           : i % 3 == 0 ? BERTH_ENGINE_RSS
                                                        : BERTH_ENGINE_DEFAULT);
        double values[VALUE_MAX];
        for (int k = 0; k < 12; ++k) {
            world_values(world, &random, values);
            examine(world, checker, margin, values, &tally);
            assert_true(least_of_all(world, values) == course_brute_gap(world, values));
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    print_message("report %s: %d maps (%d of the plane, %d closed rooms), %d clouds; %d are held\n", what,
                  carried.maps, carried.flat, carried.closed, carried.clouds, carried.held);
    settle(&tally);
    if (test_scaled(100) >= 25) {
        assert_true(tally.free > tally.states / 20 && tally.hits > tally.states / 20);
    }
}

static void plain_worlds(void** state) {
    (void)state;
    random_worlds("carried plain", WORLD_PLAIN, 150);
}

static void convex_worlds(void** state) {
    (void)state;
    random_worlds("carried convex", WORLD_CONVEX, 150);
}

static void far_worlds(void** state) {
    (void)state;
    random_worlds("carried far", WORLD_FAR, 60);
}

// Rooms and planes that are parallel, or were until a joint turned by a rounding: where do they meet?
static void grid_worlds(void** state) {
    (void)state;
    random_worlds("carried grid", WORLD_GRID, 150);
}

int test_check_carried(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_worlds),
        cmocka_unit_test(convex_worlds),
        cmocka_unit_test(far_worlds),
        cmocka_unit_test(grid_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
