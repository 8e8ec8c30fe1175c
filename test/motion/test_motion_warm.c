// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A motion that was made takes no more memory: every method, engine, distance and cover, on segments of all kinds.

#include <berth/lab/motion.h>
#include <berth/lab/tree.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

#include "support/meshes.h"
#include "support/segments.h"
#include "support/setting.h"

typedef struct Way {
    BerthMethod method;
    BerthEngine engine;
    BerthDistanceWork distance;
    BerthCover cover;
} Way;

static const Way ways[] = {
    {BERTH_METHOD_DEFAULT, BERTH_ENGINE_DEFAULT, BERTH_DISTANCE_DEFAULT, BERTH_COVER_BISECT},
    {BERTH_METHOD_SECOND_ORDER, BERTH_ENGINE_RSS, BERTH_DISTANCE_DEFAULT, BERTH_COVER_BISECT},
    {BERTH_METHOD_SECOND_ORDER, BERTH_ENGINE_SPHERES, BERTH_DISTANCE_DEFAULT, BERTH_COVER_BISECT},
    {BERTH_METHOD_ADAPTIVE, BERTH_ENGINE_DEFAULT, BERTH_DISTANCE_DEFAULT, BERTH_COVER_BISECT},
    {BERTH_METHOD_ADAPTIVE, BERTH_ENGINE_RSS, BERTH_DISTANCE_GREEDY, BERTH_COVER_BISECT},
    {BERTH_METHOD_ADAPTIVE, BERTH_ENGINE_RSS, BERTH_DISTANCE_EXACT, BERTH_COVER_FRONTS},
    {BERTH_METHOD_ADAPTIVE, BERTH_ENGINE_SPHERES, BERTH_DISTANCE_APPROXIMATE, BERTH_COVER_MIDDLE},
    {BERTH_METHOD_REFINED, BERTH_ENGINE_DEFAULT, BERTH_DISTANCE_DEFAULT, BERTH_COVER_BISECT},
    {BERTH_METHOD_FIXED, BERTH_ENGINE_DEFAULT, BERTH_DISTANCE_DEFAULT, BERTH_COVER_BISECT},
    {BERTH_METHOD_FIXED, BERTH_ENGINE_RSS, BERTH_DISTANCE_COLLISION, BERTH_COVER_BISECT},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static void ask_warm(const World* world, const Way* way, const Course* courses, int count) {
    TestAllocator counts = {.fail_at = -1};
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionLab lab = berth_default_motion_lab();
    def.lab = &lab;
    BerthMotionChecker* motion = NULL;
    def.method = way->method;
    lab.engine = way->engine;
    lab.distance = way->distance;
    lab.distance_error = 0.5;
    lab.cover = way->cover;
    def.interval_budget = 400;
    def.resolution = 0.1;
    def.allocator = test_allocator(&counts);
    if (berth_motion_checker_create(world->scene, &def, &motion) != BERTH_OK) {
        fail_msg("motion: %s", berth_error_text());
    }
    const int64_t taken = counts.taken, given = counts.given;
    for (int i = 0; i < count; ++i) {
        segment_ask(motion, &courses[i], i % 3 == 0);
    }
    if (counts.taken != taken || counts.given != given) {
        fail_msg("%s by %s, distance %d, cover %d: %lld blocks taken, %lld given",
                 berth_method_name(way->method), berth_engine_name(way->engine), (int)way->distance,
                 (int)way->cover, (long long)(counts.taken - taken), (long long)(counts.given - given));
    }
    berth_motion_checker_destroy(motion);
    assert_int_equal(counts.live, 0);
}

static void warm_motions_take_nothing(void** state) {
    (void)state;
    enum { EACH = 24 };
    static Course courses[EACH];
    for (int w = 0; w < test_scaled(6); ++w) {
        Random random = {(uint64_t)w + 4100};
        World* world = segment_world(&random, w % 2 == 0 ? WORLD_PLAIN : WORLD_CONVEX);
        BerthChecker* checker = segment_checker(world->scene);
        for (int i = 0; i < EACH; ++i) {
            segment_free(&random, world, checker, &courses[i]);
        }
        for (int k = 0; k < WAYS; ++k) {
            ask_warm(world, &ways[k], courses, EACH);
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
}

int test_motion_warm(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(warm_motions_take_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
