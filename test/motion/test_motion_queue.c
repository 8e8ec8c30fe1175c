// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Queues from the inside and from outside: heaps in one pool; every cover, distance and tree says the same about the same
// segments, and what they call free survives a search by other code; counters, budgets and the hook that ends a query.
// test-share: 0.3

#include <berth/lab/tree.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "motion/motion_queue.h"
#include "support/courses.h"
#include "support/kit.h"
#include "support/meshes.h"
#include "support/segments.h"
#include "support/setting.h"
#include "support/worlds.h"

// ---- heaps --------------------------------------------------------------------------------------------------------

enum { POOL = 300, HEAPS = 5 };

/// A heap as a list: slow, and easy to believe.
typedef struct Model {
    double keys[POOL];
    int count;
} Model;

static double model_pop(Model* model) {
    int best = 0;
    for (int i = 1; i < model->count; ++i) {
        best = model->keys[i] > model->keys[best] ? i : best;
    }
    const double key = model->keys[best];
    model->keys[best] = model->keys[--model->count];
    return key;
}

// 100,000 pushes, pops and clears on five heaps of one pool that is too small for them.
static void test_heaps(void** state) {
    (void)state;
    static QueueEntry entries[POOL];
    static Model models[HEAPS];
    EntryPool pool = {.entries = entries, .capacity = POOL};
    EntryHeap heaps[HEAPS];
    Random random = {71000};
    int64_t refused = 0, cleared = 0;
    memset(models, 0, sizeof models);
    bi_pool_reset(&pool);
    for (int h = 0; h < HEAPS; ++h) {
        heaps[h] = (EntryHeap){-1, 0};
    }
    for (int n = 0; n < test_scaled(100000); ++n) {
        const int h = segment_pick(&random, HEAPS);
        const int what = segment_pick(&random, n / 1000 % 2 == 0 ? 3 : 5);  // growing, then shrinking
        if (segment_pick(&random, 400) == 0) {
            bi_heap_clear(&pool, &heaps[h]);
            models[h].count = 0;
            cleared += 1;
        } else if (what < 2) {
            const QueueEntry entry = {.key = segment_pick(&random, 50), .pair = n};
            const bool kept = bi_heap_push(&pool, &heaps[h], &entry);
            int all = 0;
            for (int k = 0; k < HEAPS; ++k) {
                all += models[k].count;
            }
            assert_int_equal(kept, all < POOL);
            refused += !kept;
            if (kept) {
                models[h].keys[models[h].count++] = entry.key;
            }
        } else {
            QueueEntry entry;
            const bool some = bi_heap_pop(&pool, &heaps[h], &entry);
            assert_int_equal(some, models[h].count > 0);
            if (some) {
                assert_true(entry.key == model_pop(&models[h]));
            }
        }
        assert_int_equal(heaps[h].count, models[h].count);
    }
    for (int h = 0; h < HEAPS; ++h) {
        bi_heap_clear(&pool, &heaps[h]);
    }
    assert_int_equal(pool.used, 0);
    assert_int_equal(pool.used_most, POOL);
    print_message("report heaps: %lld refused, %lld cleared\n", (long long)refused, (long long)cleared);
    assert_true(refused > 0);
}

// ---- covers, distances, trees -------------------------------------------------------------------------------------

/// One way to ask the same question.
typedef struct Way {
    BerthMethod method;
    BerthDistanceWork distance;
    BerthCover cover;
    BerthEngine engine;
    BerthMotionBound bound;
    BerthPathOrder order;
} Way;

static const Way ways[] = {
    {.method = BERTH_METHOD_SECOND_ORDER},
    {.method = BERTH_METHOD_ADAPTIVE},
    {.method = BERTH_METHOD_ADAPTIVE, .distance = BERTH_DISTANCE_GREEDY, .engine = BERTH_ENGINE_RSS},
    {.method = BERTH_METHOD_ADAPTIVE, .distance = BERTH_DISTANCE_EXACT},
    {.method = BERTH_METHOD_ADAPTIVE, .distance = BERTH_DISTANCE_APPROXIMATE, .engine = BERTH_ENGINE_RSS},
    {.method = BERTH_METHOD_ADAPTIVE, .distance = BERTH_DISTANCE_GREEDY, .cover = BERTH_COVER_FRONTS},
    {.method = BERTH_METHOD_ADAPTIVE, .cover = BERTH_COVER_FRONTS},
    {.method = BERTH_METHOD_ADAPTIVE,
     .distance = BERTH_DISTANCE_EXACT,
     .cover = BERTH_COVER_MIDDLE,
     .engine = BERTH_ENGINE_RSS},
    {.method = BERTH_METHOD_ADAPTIVE, .cover = BERTH_COVER_MIDDLE},
    {.method = BERTH_METHOD_REFINED},
    {.method = BERTH_METHOD_ADAPTIVE,
     .distance = BERTH_DISTANCE_GREEDY,
     .engine = BERTH_ENGINE_RSS,
     .bound = BERTH_BOUND_GLOBAL,
     .order = BERTH_ORDER_LENGTH},
    {.method = BERTH_METHOD_REFINED, .engine = BERTH_ENGINE_RSS, .bound = BERTH_BOUND_GLOBAL},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static BerthMotionChecker* make_way(const BerthScene* scene, const Way* way, double margin, double delta,
                                    const double* error) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionLab lab = berth_default_motion_lab();
    def.lab = &lab;
    BerthMotionChecker* motion = NULL;
    def.method = way->method;
    lab.distance = way->distance;
    lab.cover = way->cover;
    lab.engine = way->engine;
    lab.bound = way->bound;
    lab.order = way->order;
    def.margin = margin;
    def.delta = delta;
    def.tracking_error = error;
    if (berth_motion_checker_create(scene, &def, &motion) != BERTH_OK) {
        fail_msg("motion: %s", berth_error_text());
    }
    return motion;
}

// Random segments, a third of them grazing: no FREE is refuted by a search with other code, no FREE and HIT about the same
// segment, nothing beyond the band is left open.
static void test_ways(void** state) {
    (void)state;
    int64_t asked = 0, free = 0, hits = 0, open = 0;
    for (int w = 0; w < test_scaled(90); ++w) {
        Random random = {(uint64_t)w + 72000};
        World* world = segment_world(&random, w % 2 == 0 ? WORLD_PLAIN : WORLD_CONVEX);
        const double margin = w % 3 == 0 ? 0.004 : 0.0, delta = w % 5 == 0 ? 1e-3 : 1e-4;
        BerthMotionChecker* motions[WAYS];
        Course grazing;
        segment_random(&random, world, &grazing);
        bool grazes = false;
        if (w % 3 == 1) {
            Lowest lowest;
            grazing.curved = false;
            grazes = course_graze(world, &grazing, course_speed(&grazing, world),
                                  margin + delta * bi_random_between(&random, 0.5, 3), &lowest);
        }
        BerthChecker* checker = segment_checker(world->scene);
        for (int k = 0; k < WAYS; ++k) {
            motions[k] = make_way(world->scene, &ways[k], margin, delta, NULL);
        }
        for (int i = 0; i < 6; ++i) {
            Course course;
            segment_random(&random, world, &course);
            course = grazes && i < 3 ? grazing : course;
            const double speed = course_speed(&course, world);
            const Lowest lowest =
                course_lowest(&course, speed, 1e-5, -1e-3, 300, course_checker_gap, checker);
            int one_free = -1, one_hit = -1;
            for (int k = 0; k < WAYS; ++k) {
                const BerthMotionResult r = segment_ask(motions[k], &course, i % 3 == 2);
                const SegmentAsk ask = {margin, delta, ways[k].method, NULL, i % 3 == 2};
                SegmentCount count = {.what = "ways", .seed = w};
                segment_judge(world, &course, &ask, &r, &lowest, &count);
                if (count.wrong > 0 || count.alarms > 0) {
                    fail_msg("world %d segment %d way %d: verdict %d, smallest gap %g", w, i, k, r.verdict,
                             lowest.gap);
                }
                asked += 1;
                one_free = r.verdict == BERTH_FREE ? k : one_free;
                one_hit = r.verdict == BERTH_COLLISION ? k : one_hit;
                open += r.verdict == BERTH_UNKNOWN;
                free += r.verdict == BERTH_FREE;
                hits += r.verdict == BERTH_COLLISION;
            }
            if (one_free >= 0 && one_hit >= 0) {
                fail_msg("world %d segment %d: way %d says free, way %d hit", w, i, one_free, one_hit);
            }
        }
        berth_checker_destroy(checker);
        for (int k = 0; k < WAYS; ++k) {
            berth_motion_checker_destroy(motions[k]);
        }
        world_destroy(world);
    }
    print_message("report ways: %lld asks, %lld free, %lld hits, %lld unknown\n", (long long)asked,
                  (long long)free, (long long)hits, (long long)open);
    assert_true(!test_is_whole() || (free > 200 && hits > 50));
}

// A ball inside a hollow ball that carries it: surfaces are far apart all the way, and it is a collision.
static void test_nested(void** state) {
    (void)state;
    for (int k = 0; k < WAYS; ++k) {
        Random random = {73000};
        World* world = world_pair(&random, WORLD_PLAIN, WORLD_MESH, 0.05, WORLD_MESH, 3.0);
        BerthMotionChecker* motion = make_way(world->scene, &ways[k], 0.0, 1e-4, NULL);
        Course course;
        course_of_world(&course, world);
        memset(course.from, 0, sizeof course.from);
        course.curved = false;
        course.from[course.quats[0] + 3] = 1;
        memcpy(course.to, course.from, sizeof course.to);
        course.to[0] = 0.01;
        const BerthMotionResult r = segment_ask(motion, &course, false);
        const bool inside = course_brute_gap(world, course.from) <= 0.0;
        assert_int_equal(r.verdict == BERTH_COLLISION, inside);
        berth_motion_checker_destroy(motion);
        world_destroy(world);
    }
}

// Samples by pure collision tests meet what samples by the static check meet, at the same sample; only what is wholly inside of
// something is not for surfaces. Where there are no meshes there is no difference at all.
static void test_pure_collision(void** state) {
    (void)state;
    static const Way statics = {.method = BERTH_METHOD_FIXED, .engine = BERTH_ENGINE_RSS};
    static const Way pure = {
        .method = BERTH_METHOD_FIXED, .distance = BERTH_DISTANCE_COLLISION, .engine = BERTH_ENGINE_RSS};
    int64_t hits = 0, inside = 0, sampled = 0;
    const int worlds = test_scaled(60) < 30 ? 30 : test_scaled(60);  // fewer may have no hit between ends
    for (int w = 0; w < worlds; ++w) {
        Random random = {(uint64_t)w + 76000};
        World* world = segment_world(&random, w % 3 == 2 ? WORLD_CONVEX : WORLD_PLAIN);
        const double margin = w % 2 == 0 ? 0.0 : 0.003;
        BerthMotionChecker* one = make_way(world->scene, &statics, margin, 1e-4, NULL);
        BerthMotionChecker* two = make_way(world->scene, &pure, margin, 1e-4, NULL);
        BerthChecker* checker = segment_checker(world->scene);
        for (int i = 0; i < 24; ++i) {
            Course course;
            segment_free(&random, world, checker, &course);
            const BerthMotionResult a = segment_ask(one, &course, false);
            const BerthMotionResult b = segment_ask(two, &course, false);
            hits += b.verdict == BERTH_COLLISION && b.t > 0.0 && b.t < 1.0;
            sampled += b.sampled_free;
            if (a.verdict == b.verdict && (a.verdict != BERTH_COLLISION || a.t == b.t)) {
                continue;
            }
            assert_int_equal(a.verdict, BERTH_COLLISION);
            inside += 1;
        }
        berth_checker_destroy(checker);
        berth_motion_checker_destroy(one);
        berth_motion_checker_destroy(two);
        world_destroy(world);
    }
    print_message("report pure collision: %lld hits between ends, %lld sampled free, %lld inside only\n",
                  (long long)hits, (long long)sampled, (long long)inside);
    assert_true(hits > worlds / 20 && sampled > worlds && 10 * inside <= hits);
}

// A step is as long as the gap: 5 m and more off the inside of a hollow ball, a few dozen configurations, not one every delta.
static void test_far_fronts(void** state) {
    (void)state;
    for (int k = 0; k < WAYS; ++k) {
        if (ways[k].cover == BERTH_COVER_BISECT) {
            continue;
        }
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
        kit_solid(&kit, 1, kit_box(0.5, 0.1, 0.1), v3(0, 0, 0));
        kit_robot(&kit, NULL);
        Random random = {77000};
        BerthObjectDef hollow = berth_default_object_def();
        BerthObjectId id;
        hollow.name = "hollow";
        hollow.solid = test_solid(TEST_MESH_HOLLOW, 400, 24.0, &random);
        assert_int_equal(berth_scene_add_object(kit.scene, &hollow, &id), BERTH_OK);
        kit_commit(&kit);
        BerthMotionChecker* motion = make_way(kit.scene, &ways[k], 0.0, 1e-4, NULL);
        const double from = -4, to = 4;
        const BerthSegment segment = {.value_count = 1, .from = &from, .to = &to};
        const BerthMotionRequest request = {0};
        BerthMotionResult r;
        assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
        assert_int_equal(r.verdict, BERTH_FREE);
        assert_in_range(r.stats.configurations, 3, 60);
        berth_motion_checker_destroy(motion);
        kit_free(&kit);
    }
}

// ---- what queries may not do --------------------------------------------------------------------------------------

typedef struct Hook {
    int64_t asked, stop_at;
} Hook;

static bool hooked(void* user) {
    Hook* hook = user;
    return hook->asked++ >= hook->stop_at;
}

// The hook ends a query as a spent budget does, whenever it says so, and is asked about once an interval.
static void test_cancelled(void** state) {
    (void)state;
    int64_t ended = 0;
    for (int w = 0; w < test_scaled(40); ++w) {
        Random random = {(uint64_t)w + 74000};
        World* world = segment_world(&random, WORLD_CONVEX);
        Course course;
        segment_random(&random, world, &course);
        for (int m = 1; m < BERTH_METHOD_COUNT; ++m) {
            Hook hook = {0, INT64_MAX};
            BerthMotionCheckerDef def = berth_default_motion_checker_def();
            BerthMotionChecker* motion = NULL;
            def.method = (BerthMethod)m;
            def.cancelled = hooked;
            def.cancelled_user = &hook;
            assert_int_equal(berth_motion_checker_create(world->scene, &def, &motion), BERTH_OK);
            const BerthMotionResult whole = segment_ask(motion, &course, false);
            const int64_t all = hook.asked;
            assert_true(all <= whole.stats.intervals + whole.stats.configurations + 1);
            for (int64_t at = 0; at < all && at < 5; ++at) {
                hook = (Hook){0, at};
                const BerthMotionResult r = segment_ask(motion, &course, false);
                assert_int_equal(hook.asked, at + 1);
                assert_int_equal(r.verdict, BERTH_UNKNOWN);
                assert_int_equal(r.reason, BERTH_REASON_BUDGET);
                assert_false(r.sampled_free);
                ended += 1;
            }
            hook = (Hook){0, INT64_MAX};
            const BerthMotionResult again = segment_ask(motion, &course, false);
            assert_int_equal(again.verdict, whole.verdict);
            berth_motion_checker_destroy(motion);
        }
        world_destroy(world);
    }
    print_message("report cancelled: %lld queries\n", (long long)ended);
    assert_true(ended > test_scaled(50));
}

static void test_bad_defs(void** state) {
    (void)state;
    Kit kit = kit_new();
    kit_solid(&kit, 0, kit_ball(0.1), v3(0, 0, 0));
    kit_robot(&kit, NULL);
    kit_commit(&kit);
    for (int n = 0; n < 13; ++n) {
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        BerthMotionLab lab = berth_default_motion_lab();
        def.lab = &lab;
        BerthMotionChecker* motion = NULL;
        def.method = BERTH_METHOD_ADAPTIVE;
        lab.distance = n == 0 ? BERTH_DISTANCE_COLLISION : n == 1 ? BERTH_DISTANCE_COUNT : lab.distance;
        lab.distance = n == 2 ? (BerthDistanceWork)-1 : lab.distance;
        lab.cover = n == 3 ? BERTH_COVER_COUNT : n == 4 ? (BerthCover)-1 : lab.cover;
        lab.distance_error = n == 5 ? 0.0 : n == 6 ? 1.0 : n == 7 ? (double)NAN : lab.distance_error;
        lab.distance_error = n == 8 ? -1.0 : lab.distance_error;
        lab.bound = n == 9 ? BERTH_BOUND_COUNT : n == 10 ? (BerthMotionBound)-1 : lab.bound;
        lab.order = n == 11 ? BERTH_ORDER_COUNT : n == 12 ? (BerthPathOrder)-1 : lab.order;
        assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_ERR_ARGUMENT);
        assert_null(motion);
        if (n == 0) {
            assert_non_null(strstr(berth_error_text(), "no distance"));
        }
    }
    // Collision tests are what samples ask for; covers by real numbers cannot be written down.
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionLab lab = berth_default_motion_lab();
    def.lab = &lab;
    BerthMotionChecker* motion = NULL;
    BerthCertificate* certificate = NULL;
    def.method = BERTH_METHOD_FIXED;
    lab.distance = BERTH_DISTANCE_COLLISION;
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
    berth_motion_checker_destroy(motion);
    def = berth_default_motion_checker_def();
    lab = berth_default_motion_lab();
    def.lab = &lab;
    def.method = BERTH_METHOD_ADAPTIVE;
    lab.cover = BERTH_COVER_MIDDLE;
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
    assert_int_equal(berth_certificate_create(motion, NULL, &certificate), BERTH_ERR_UNSUPPORTED);
    assert_non_null(strstr(berth_error_text(), "BISECT"));
    berth_motion_checker_destroy(motion);
    kit_free(&kit);
}

// Configurations are placed once for all pairs: never more often than entries are opened, and two ends and a middle.
static void test_counters(void** state) {
    (void)state;
    int64_t placed = 0, opened = 0;
    for (int w = 0; w < test_scaled(40); ++w) {
        Random random = {(uint64_t)w + 75000};
        World* world = segment_world(&random, w % 2 == 0 ? WORLD_PLAIN : WORLD_CONVEX);
        BerthMotionChecker* adaptive = make_way(world->scene, &ways[2], 0.0, 1e-3, NULL);
        BerthMotionChecker* fronts = make_way(world->scene, &ways[5], 0.0, 1e-3, NULL);
        for (int i = 0; i < 8; ++i) {
            Course course;
            segment_random(&random, world, &course);
            const BerthMotionResult r = segment_ask(adaptive, &course, false);
            placed += r.stats.configurations;
            opened += r.stats.intervals;
            const BerthMotionResult c = segment_ask(fronts, &course, false);
            assert_true(c.verdict == r.verdict || c.verdict == BERTH_UNKNOWN || r.verdict == BERTH_UNKNOWN);
        }
        berth_motion_checker_destroy(adaptive);
        berth_motion_checker_destroy(fronts);
        world_destroy(world);
    }
    print_message("report counters: %lld configurations for %lld entries\n", (long long)placed,
                  (long long)opened);
}

int test_motion_queue(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heaps),          cmocka_unit_test(test_ways),
        cmocka_unit_test(test_nested),         cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_bad_defs),       cmocka_unit_test(test_counters),
        cmocka_unit_test(test_pure_collision), cmocka_unit_test(test_far_fronts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
