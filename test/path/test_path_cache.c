// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Path caches: the same verdicts as segment by segment, for every method, order and size; work goes on where it stopped and is
// not done twice; what is forgotten for room changes no verdict; no memory is taken after creation.

#include <berth/lab/path.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "math/math.h"
#include "support/courses.h"
#include "support/kit.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"
#include "support/worlds.h"

enum { SEGMENTS = 24 };

static const BerthMethod methods[] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_ADAPTIVE, BERTH_METHOD_REFINED};
enum { METHODS = 3 };

/// Some segments of a world.
typedef struct Path {
    World* world;
    Course courses[SEGMENTS];
    BerthSegment segments[SEGMENTS];
} Path;

static int pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

static Path* path_make(uint64_t seed, WorldStyle style, double size) {
    static Path path;
    Random random = {seed};
    const WorldPlan plan = {.style = style,
                            .robots = 1 + pick(&random, 2),
                            .joints = 1 + pick(&random, 4),
                            .objects = 1 + pick(&random, 4),
                            .no_planes = true};
    path.world = world_make(&random, &plan);
    for (int i = 0; i < SEGMENTS; ++i) {
        Course* course = &path.courses[i];
        double other[COURSE_VALUES];
        course_of_world(course, path.world);
        course->curved = false;
        world_values(path.world, &random, course->from);
        world_values(path.world, &random, other);
        for (int k = 0; k < course->count; ++k) {
            course->to[k] = course->from[k] + size * (other[k] - course->from[k]);
        }
        for (int n = 0; n < course->quat_count; ++n) {
            memcpy(course->to + course->quats[n], other + course->quats[n], 4 * sizeof(double));
        }
        path.segments[i] = course_segment(course);
    }
    return &path;
}

static BerthMotionChecker* motion_make(const Path* path, BerthMethod method,
                                       const BerthAllocator* allocator) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    def.method = method;
    if (allocator != NULL) {
        def.allocator = *allocator;
    }
    if (berth_motion_checker_create(path->world->scene, &def, &motion) != BERTH_OK) {
        fail_msg("motion: %s", berth_error_text());
    }
    return motion;
}

static BerthPathCache* cache_make(BerthMotionChecker* motion, BerthPathOrder order, size_t bytes,
                                  int32_t segments) {
    BerthPathCacheDef def = berth_default_path_cache_def();
    BerthPathCacheLab lab = {0};
    def.lab = &lab;
    BerthPathCache* cache = NULL;
    lab.order = order;
    def.segment_limit = segments;
    def.byte_limit = bytes > 0 ? bytes : (size_t)8 << 20;
    if (berth_path_cache_create(motion, &def, &cache) != BERTH_OK) {
        fail_msg("path cache: %s", berth_error_text());
    }
    return cache;
}

// The least that the cache takes, as its error text says it.
static size_t least_bytes(BerthMotionChecker* motion, int32_t segments) {
    BerthPathCacheDef def = berth_default_path_cache_def();
    BerthPathCache* cache = NULL;
    def.segment_limit = segments;
    def.byte_limit = 1;
    assert_int_equal(berth_path_cache_create(motion, &def, &cache), BERTH_ERR_ARGUMENT);
    assert_null(cache);
    const char* at = strstr(berth_error_text(), "at least ");
    assert_non_null(at);
    size_t bytes = 0;
    for (at += 9; *at >= '0' && *at <= '9'; ++at) {
        bytes = 10 * bytes + (size_t)(*at - '0');
    }
    return bytes;
}

static void add_all(BerthPathCache* cache, const Path* path, int32_t* numbers) {
    for (int i = 0; i < SEGMENTS; ++i) {
        assert_int_equal(berth_path_cache_add(cache, &path->segments[i], &numbers[i]), BERTH_OK);
    }
}

static BerthMotionResult check(BerthPathCache* cache, const int32_t* numbers, int count, int64_t budget,
                               int32_t* segment) {
    BerthMotionResult r;
    memset(&r, 0x5a, sizeof r);
    assert_int_equal(berth_path_cache_check(cache, numbers, count, budget, segment, &r), BERTH_OK);
    return r;
}

static BerthMotionResult alone(BerthMotionChecker* motion, const BerthSegment* segment) {
    const BerthMotionRequest request = {0};
    BerthMotionResult r;
    assert_int_equal(berth_motion_check_segment(motion, segment, &request, &r), BERTH_OK);
    return r;
}

// No two answers may contradict each other, and beyond the band both decide.
static void expect_agreement(const BerthMotionResult* a, const BerthMotionResult* b, const char* what) {
    const bool clash = (a->verdict == BERTH_FREE && b->verdict == BERTH_COLLISION) ||
                       (a->verdict == BERTH_COLLISION && b->verdict == BERTH_FREE);
    const bool wide = (a->verdict == BERTH_FREE && b->verdict == BERTH_UNKNOWN && a->clearance > 1e-4) ||
                      (b->verdict == BERTH_FREE && a->verdict == BERTH_UNKNOWN && b->clearance > 1e-4);
    if (clash || wide) {
        fail_msg("%s: verdicts %d and %d, clearances %g and %g", what, a->verdict, b->verdict, a->clearance,
                 b->clearance);
    }
}

// ---- verdicts -----------------------------------------------------------------------------------------------------

// One by one through the cache, each order and method; then the free ones together, and all together.
static void test_verdicts(void** state) {
    (void)state;
    int64_t asked = 0, free = 0, hits = 0;
    for (int w = 0; w < test_scaled(60); ++w) {
        const Path* path =
            path_make((uint64_t)w + 61000, w % 3 == 0 ? WORLD_PLAIN : WORLD_CONVEX, w % 2 == 0 ? 0.1 : 0.5);
        BerthMotionChecker* motion = motion_make(path, methods[w % METHODS], NULL);
        BerthPathCache* cache =
            cache_make(motion, (BerthPathOrder)(w / METHODS % BERTH_ORDER_COUNT), 0, SEGMENTS);
        int32_t numbers[SEGMENTS], free_numbers[SEGMENTS], segment = 0;
        int free_count = 0;
        bool any_hit = false;
        double clearance = (double)INFINITY;
        add_all(cache, path, numbers);
        for (int i = 0; i < SEGMENTS; ++i) {
            const BerthMotionResult one = check(cache, &numbers[i], 1, INT64_MAX, &segment);
            const BerthMotionResult own = alone(motion, &path->segments[i]);
            expect_agreement(&one, &own, "one segment");
            assert_int_equal(segment, one.verdict == BERTH_FREE ? -1 : 0);
            if (one.verdict == BERTH_COLLISION) {
                assert_true(one.t >= 0 && one.t <= 1 && one.body_a >= 0 && one.body_b >= 0);
            }
            any_hit = any_hit || one.verdict == BERTH_COLLISION;
            asked += 1;
            hits += one.verdict == BERTH_COLLISION;
            if (one.verdict == BERTH_FREE) {
                clearance = fmin(clearance, one.clearance);
                free_numbers[free_count++] = numbers[i];
            }
        }
        free += free_count;
        const BerthMotionResult all = check(cache, numbers, SEGMENTS, INT64_MAX, &segment);
        assert_int_equal(all.verdict == BERTH_COLLISION, any_hit);
        assert_int_equal(all.stats.intervals, 0);  // all of it is known
        const BerthMotionResult good = check(cache, free_numbers, free_count, INT64_MAX, &segment);
        assert_int_equal(good.verdict, BERTH_FREE);
        assert_int_equal(segment, -1);
        assert_true(good.clearance == clearance);
        assert_int_equal(berth_path_cache_stats(cache).entries, 0);
        berth_path_cache_destroy(cache);
        berth_motion_checker_destroy(motion);
        world_destroy(path->world);
    }
    print_message("report verdicts: %lld segments, %lld free, %lld hits\n", (long long)asked, (long long)free,
                  (long long)hits);
    assert_true(free > test_scaled(100) && hits > test_scaled(20));
}

// All at once: free only when all are, a hit is a hit of that segment alone; every order says the same.
static void test_orders(void** state) {
    (void)state;
    int64_t free = 0, hits = 0;
    for (int w = 0; w < test_scaled(90); ++w) {
        const Path* path =
            path_make((uint64_t)w + 62000, w % 4 == 0 ? WORLD_PLAIN : WORLD_CONVEX, w % 3 == 0 ? 0.3 : 0.01);
        BerthMotionChecker* motion = motion_make(path, methods[w % METHODS], NULL);
        BerthMotionResult own[SEGMENTS];
        bool all_free = true;
        for (int i = 0; i < SEGMENTS; ++i) {
            own[i] = alone(motion, &path->segments[i]);
            all_free = all_free && own[i].verdict == BERTH_FREE;
        }
        for (int order = 0; order < BERTH_ORDER_COUNT; ++order) {
            BerthPathCache* cache = cache_make(motion, (BerthPathOrder)order, 0, SEGMENTS);
            int32_t numbers[SEGMENTS], segment = 0;
            add_all(cache, path, numbers);
            const BerthMotionResult r = check(cache, numbers, SEGMENTS, INT64_MAX, &segment);
            if (all_free && r.verdict != BERTH_UNKNOWN) {
                assert_int_equal(r.verdict, BERTH_FREE);
                assert_int_equal(segment, -1);
            }
            if (r.verdict == BERTH_FREE) {
                for (int i = 0; i < SEGMENTS; ++i) {
                    assert_int_not_equal(own[i].verdict, BERTH_COLLISION);
                }
                free += 1;
            } else {
                assert_true(segment >= 0 && segment < SEGMENTS);
                expect_agreement(&r, &own[segment], "all segments");
                hits += r.verdict == BERTH_COLLISION;
            }
            // Again: the same answer for nothing.
            int32_t again = 0;
            const BerthMotionResult same = check(cache, numbers, SEGMENTS, INT64_MAX, &again);
            assert_int_equal(same.verdict, r.verdict);
            if (r.verdict != BERTH_UNKNOWN) {
                assert_int_equal(again, segment);
                assert_int_equal(same.stats.configurations, 0);
                assert_int_equal(same.stats.counters.bv_tests, 0);
            }
            berth_path_cache_destroy(cache);
        }
        berth_motion_checker_destroy(motion);
        world_destroy(path->world);
    }
    print_message("report orders: %lld paths free, %lld hits\n", (long long)free, (long long)hits);
    assert_true(free > 5 && hits > 5);
}

// ---- work ---------------------------------------------------------------------------------------------------------

// In small pieces: the same verdict in the end, and no more entries are opened than at once.
static void test_goes_on(void** state) {
    (void)state;
    int64_t calls = 0, pieces_work = 0, whole_work = 0;
    for (int w = 0; w < test_scaled(45); ++w) {
        const Path* path =
            path_make((uint64_t)w + 63000, w % 3 == 0 ? WORLD_PLAIN : WORLD_CONVEX, w % 2 == 0 ? 0.02 : 0.3);
        BerthMotionChecker* motion = motion_make(path, methods[w % METHODS], NULL);
        BerthPathCache* whole = cache_make(motion, BERTH_ORDER_LIKELIHOOD, 0, SEGMENTS);
        BerthPathCache* pieces = cache_make(motion, BERTH_ORDER_LIKELIHOOD, 0, SEGMENTS);
        int32_t numbers[SEGMENTS], others[SEGMENTS], segment = 0, other = 0;
        add_all(whole, path, numbers);
        add_all(pieces, path, others);
        const BerthMotionResult at_once = check(whole, numbers, SEGMENTS, INT64_MAX, &segment);
        BerthMotionResult r = {0};
        int64_t intervals = 0;
        for (int k = 0; k < 1000000; ++k) {
            r = check(pieces, others, SEGMENTS, 7, &other);
            intervals += r.stats.intervals;
            calls += 1;
            assert_true(r.stats.intervals <= 7 || methods[w % METHODS] != BERTH_METHOD_DEFAULT);
            if (r.verdict != BERTH_UNKNOWN || r.reason != BERTH_REASON_BUDGET) {
                break;
            }
        }
        assert_int_equal(r.verdict, at_once.verdict);
        if (r.verdict == BERTH_COLLISION) {
            assert_int_equal(other, segment);
        }
        // Second order tries the plane that served last, whichever segment that was.
        if (r.verdict == BERTH_FREE && methods[w % METHODS] != BERTH_METHOD_DEFAULT) {
            assert_true(r.clearance == at_once.clearance);
            assert_int_equal(intervals, at_once.stats.intervals);
        }
        pieces_work += intervals;
        whole_work += at_once.stats.intervals;
        berth_path_cache_destroy(whole);
        berth_path_cache_destroy(pieces);
        berth_motion_checker_destroy(motion);
        world_destroy(path->world);
    }
    print_message("report goes on: %lld calls, %lld intervals, %lld at once\n", (long long)calls,
                  (long long)pieces_work, (long long)whole_work);
    assert_true(calls > test_scaled(100));
}

// As little memory as there can be: segments are forgotten, verdicts stay.
static void test_evictions(void** state) {
    (void)state;
    int64_t evictions = 0, unknown = 0, decided = 0;
    for (int w = 0; w < test_scaled(45); ++w) {
        const Path* path =
            path_make((uint64_t)w + 64000, w % 3 == 0 ? WORLD_PLAIN : WORLD_CONVEX, w % 2 == 0 ? 0.05 : 0.3);
        BerthMotionChecker* motion = motion_make(path, methods[w % METHODS], NULL);
        BerthPathCache* small =
            cache_make(motion, BERTH_ORDER_LIKELIHOOD, least_bytes(motion, SEGMENTS), SEGMENTS);
        int32_t numbers[SEGMENTS], segment = 0;
        add_all(small, path, numbers);
        for (int round = 0; round < (w % 4 == 0 ? 0 : 3); ++round) {
            for (int i = 0; i < SEGMENTS; ++i) {  // begun, so that all of them want room
                (void)check(small, &numbers[i], 1, 3, &segment);
            }
            const BerthMotionResult r = check(small, numbers, SEGMENTS, 1000000, &segment);
            if (r.verdict == BERTH_FREE) {
                decided += 1;
                for (int i = 0; i < SEGMENTS; ++i) {
                    const BerthMotionResult own = alone(motion, &path->segments[i]);
                    assert_int_not_equal(own.verdict, BERTH_COLLISION);
                }
            } else {
                const BerthMotionResult own = alone(motion, &path->segments[segment]);
                decided += r.verdict == BERTH_COLLISION;
                unknown += r.verdict == BERTH_UNKNOWN;
                assert_true(r.verdict != BERTH_COLLISION || own.verdict != BERTH_FREE);
            }
        }
        // One by one: what was forgotten is found again, to the last digit.
        for (int i = 0; i < SEGMENTS; ++i) {
            (void)check(small, &numbers[i], 1, 2, &segment);
        }
        for (int i = 0; i < SEGMENTS; ++i) {
            const BerthMotionResult r = check(small, &numbers[i], 1, INT64_MAX, &segment);
            const BerthMotionResult own = alone(motion, &path->segments[i]);
            expect_agreement(&r, &own, "a segment that was forgotten");
            if (r.verdict == BERTH_FREE && methods[w % METHODS] != BERTH_METHOD_DEFAULT) {
                assert_true(r.clearance == own.clearance);
            }
        }
        evictions += berth_path_cache_stats(small).evictions;
        assert_true(berth_path_cache_stats(small).bytes <= least_bytes(motion, SEGMENTS));
        berth_path_cache_destroy(small);
        berth_motion_checker_destroy(motion);
        world_destroy(path->world);
    }
    print_message("report evictions: %lld; %lld paths decided, %lld unknown\n", (long long)evictions,
                  (long long)decided, (long long)unknown);
    assert_true(evictions > 0 && decided > 0);
}

// ---- memory and refusals ------------------------------------------------------------------------------------------

/// A cache to be made.
typedef struct CacheTry {
    BerthMotionChecker* motion;
    const Path* path;
} CacheTry;

// A cache that was made keeps to its bytes and takes no more.
static BerthStatus make_and_use_cache(void* user, const BerthAllocator* allocator) {
    const CacheTry* from = user;
    const TestAllocator* counts = allocator->user;
    BerthPathCacheDef def = berth_default_path_cache_def();
    def.segment_limit = SEGMENTS;
    def.byte_limit = (size_t)1 << 20;
    def.allocator = *allocator;
    BerthPathCache* cache = (BerthPathCache*)&def;
    const BerthStatus status = berth_path_cache_create(from->motion, &def, &cache);
    if (status != BERTH_OK) {
        assert_null(cache);
        return status;
    }

    assert_true((size_t)counts->live_bytes <= def.byte_limit);
    assert_true(berth_path_cache_stats(cache).bytes <= def.byte_limit);
    int32_t numbers[SEGMENTS], segment = 0;
    const int64_t taken = counts->taken;
    add_all(cache, from->path, numbers);
    (void)check(cache, numbers, SEGMENTS, 100000, &segment);
    berth_path_cache_drop(cache, numbers[3]);
    assert_int_equal(berth_path_cache_add(cache, &from->path->segments[3], &numbers[3]), BERTH_OK);
    (void)check(cache, numbers, SEGMENTS, 100000, &segment);
    assert_int_equal(counts->taken, taken);
    berth_path_cache_destroy(cache);
    return BERTH_OK;
}

static void test_memory(void** state) {
    (void)state;
    for (int m = 0; m < METHODS; ++m) {
        const Path* path = path_make((uint64_t)m + 65000, WORLD_CONVEX, 0.1);
        CacheTry from = {motion_make(path, methods[m], NULL), path};
        assert_true(starve(make_and_use_cache, &from) > 3);
        // The motion is as it was.
        (void)alone(from.motion, &path->segments[0]);
        berth_motion_checker_destroy(from.motion);
        world_destroy(path->world);
    }
}

static void test_refusals(void** state) {
    (void)state;
    const Path* path = path_make(66000, WORLD_CONVEX, 0.1);
    BerthMotionChecker* motion = motion_make(path, BERTH_METHOD_ADAPTIVE, NULL);
    BerthPathCacheDef def = berth_default_path_cache_def();
    BerthPathCacheLab lab = {0};
    def.lab = &lab;
    BerthPathCache* cache = NULL;
    def.stamp = 0;
    assert_int_equal(berth_path_cache_create(motion, &def, &cache), BERTH_ERR_ARGUMENT);
    def = berth_default_path_cache_def();
    lab = (BerthPathCacheLab){0};
    def.lab = &lab;
    def.segment_limit = 0;
    assert_int_equal(berth_path_cache_create(motion, &def, &cache), BERTH_ERR_ARGUMENT);
    def = berth_default_path_cache_def();
    lab = (BerthPathCacheLab){0};
    def.lab = &lab;
    lab.order = BERTH_ORDER_COUNT;
    assert_int_equal(berth_path_cache_create(motion, &def, &cache), BERTH_ERR_ARGUMENT);
    BerthMotionChecker* fixed = motion_make(path, BERTH_METHOD_FIXED, NULL);
    def = berth_default_path_cache_def();
    lab = (BerthPathCacheLab){0};
    def.lab = &lab;
    assert_int_equal(berth_path_cache_create(fixed, &def, &cache), BERTH_ERR_UNSUPPORTED);
    berth_motion_checker_destroy(fixed);
    assert_null(cache);
    cache = cache_make(motion, BERTH_ORDER_LIKELIHOOD, 0, 2);
    int32_t numbers[3], segment = 0;
    BerthMotionResult r;
    assert_int_equal(berth_path_cache_add(cache, &path->segments[0], &numbers[0]), BERTH_OK);
    assert_int_equal(berth_path_cache_add(cache, &path->segments[1], &numbers[1]), BERTH_OK);
    assert_int_equal(berth_path_cache_add(cache, &path->segments[2], &numbers[2]), BERTH_ERR_CAPACITY);
    assert_int_equal(berth_path_cache_check(cache, numbers, 2, 0, &segment, &r), BERTH_ERR_ARGUMENT);
    assert_int_equal(r.verdict, BERTH_UNKNOWN);
    const int32_t bad[3] = {-1, 2, INT32_MAX};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(berth_path_cache_check(cache, &bad[i], 1, 10, &segment, &r), BERTH_ERR_ARGUMENT);
        assert_int_equal(r.verdict, BERTH_UNKNOWN);
        berth_path_cache_drop(cache, bad[i]);
    }
    // The same segment twice, and no segment at all.
    const int32_t twice[3] = {numbers[0], numbers[0], numbers[0]};
    r = check(cache, twice, 3, INT64_MAX, &segment);
    const BerthMotionResult own = alone(motion, &path->segments[0]);
    expect_agreement(&r, &own, "three times the same");
    r = check(cache, NULL, 0, 1, &segment);
    assert_int_equal(r.verdict, BERTH_FREE);
    berth_path_cache_drop(cache, numbers[0]);
    assert_int_equal(berth_path_cache_check(cache, numbers, 1, 10, &segment, &r), BERTH_ERR_ARGUMENT);
    Course wrong = path->courses[0];
    wrong.to[0] = (double)NAN;
    BerthSegment nan = course_segment(&wrong);
    assert_int_equal(berth_path_cache_add(cache, &nan, &numbers[2]), BERTH_ERR_ARGUMENT);
    assert_int_equal(numbers[2], -1);
    berth_path_cache_destroy(NULL);
    berth_path_cache_destroy(cache);
    berth_motion_checker_destroy(motion);
    world_destroy(path->world);
}

// A segment that is listed twice leaves its limits once.
static void test_listed_twice(void** state) {
    (void)state;
    int free = 0;
    for (int w = 0; w < 30; ++w) {
        const Path* path = path_make((uint64_t)w + 68000, WORLD_CONVEX, 0.05);
        BerthMotionChecker* motion = motion_make(path, methods[w % METHODS], NULL);
        BerthPathCache* cache = cache_make(motion, BERTH_ORDER_LIKELIHOOD, 0, SEGMENTS);
        for (int i = 0; i < 4; ++i) {
            // Joints far beyond what they may do, all by as much, so that it is short.
            Course beyond = path->courses[i];
            for (int k = 0; beyond.quat_count == 0 && k < beyond.count; ++k) {
                beyond.from[k] += 40;
                beyond.to[k] += 40;
            }
            const BerthSegment way = course_segment(&beyond);
            int32_t number = 0, segment = 0;
            assert_int_equal(berth_path_cache_add(cache, &way, &number), BERTH_OK);
            const BerthMotionResult once = check(cache, &number, 1, INT64_MAX, &segment);
            const int32_t numbers[3] = {number, number, number};
            const BerthMotionResult thrice = check(cache, numbers, 3, INT64_MAX, &segment);
            assert_int_equal(thrice.verdict, once.verdict);
            assert_int_equal(thrice.outside_limits, once.outside_limits);
            free += once.verdict == BERTH_FREE && once.outside_limits > 0;
        }
        berth_path_cache_destroy(cache);
        berth_motion_checker_destroy(motion);
        world_destroy(path->world);
    }
    assert_true(free > 0);
}

// A scene that was committed again: nothing that is known holds any more.
static void test_stale(void** state) {
    (void)state;
    const Path* path = path_make(67000, WORLD_CONVEX, 0.1);
    BerthMotionChecker* motion = motion_make(path, BERTH_METHOD_ADAPTIVE, NULL);
    BerthPathCache* cache = cache_make(motion, BERTH_ORDER_LIKELIHOOD, 0, SEGMENTS);
    int32_t numbers[SEGMENTS], segment = 0;
    add_all(cache, path, numbers);
    (void)check(cache, numbers, SEGMENTS, INT64_MAX, &segment);
    const BerthPose still = kit_at(0, 0, 0);
    world_carry(path->world, &still);
    BerthMotionResult r;
    assert_int_equal(berth_path_cache_check(cache, numbers, SEGMENTS, 10, &segment, &r), BERTH_ERR_STALE);
    assert_int_equal(r.verdict, BERTH_UNKNOWN);
    berth_path_cache_destroy(cache);
    berth_motion_checker_destroy(motion);
    world_destroy(path->world);
}

int test_path_cache(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts), cmocka_unit_test(test_orders),
        cmocka_unit_test(test_goes_on),  cmocka_unit_test(test_evictions),
        cmocka_unit_test(test_memory),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_stale),    cmocka_unit_test(test_listed_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
