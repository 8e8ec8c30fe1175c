// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Two ways of asking the same question: margins and distances, padding and margins, more obstacles, another frame,
// another order, other names, a tolerance, another history. They must agree, with no oracle needed.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/meshes.h"
#include "support/setting.h"
#include "support/verdicts.h"

enum { VALUE_MAX = 300, HIT_MAX = 400 };

static const BerthCheckRequest plain = {0};
static const BerthCheckRequest everything = {.distance = true, .all = true};

static BerthChecker* checker_of(const BerthScene* scene, double margin) {
    BerthCheckerDef def = berth_default_checker_def();
    def.margin = margin;
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
    return checker;
}

static WorldPlan random_plan(Random* random) {
    const WorldStyle styles[4] = {WORLD_PLAIN, WORLD_CONVEX, WORLD_GRID, WORLD_UNEVEN};
    return (WorldPlan){.style = styles[bi_random_next(random) % 4],
                       .robots = 1 + (bi_random_next(random) % 4 == 0),
                       .joints = 5,
                       .objects = 1 + (int)(bi_random_next(random) % 4)};
}

static BerthCheckResult ask(BerthChecker* checker, const double* values, const BerthCheckRequest* request) {
    BerthCheckResult result;
    assert_int_equal(berth_check_state(checker, values, request, &result), BERTH_OK);
    return result;
}

// ---- margins and padding -------------------------------------------------------------------------------------

static void margins_follow_distances(void** state) {
    (void)state;
    int64_t told = 0, unknown = 0;
    for (int i = 0; i < test_scaled(120); ++i) {
        Random random = {.state = 31u * (uint64_t)(i + 1)};
        const WorldPlan plan = random_plan(&random);
        World* world = world_make(&random, &plan);
        BerthChecker* zero = checker_of(world->scene, 0.0);
        for (int k = 0; k < 4; ++k) {
            double values[VALUE_MAX];
            world_values(world, &random, values);
            BerthCheckResult r = ask(zero, values, &everything);
            if (r.pair_count == 0) {
                continue;
            }
            double lower = INFINITY;
            for (int32_t p = 0; p < r.pair_count; ++p) {
                lower = fmin(lower, r.pairs[p].lower);
            }
            const double upper = r.pairs[0].upper;
            // At the bounds, beside them, and anywhere.
            const double margins[] = {fabs(upper), fabs(lower), fabs(upper) * (1 + 1e-9),
                                      fabs(lower) * (1 - 1e-9), bi_random_between(&random, 0, 0.2)};
            for (int m = 0; m < 5; ++m) {
                if (!(margins[m] < 1e6)) {
                    continue;
                }
                BerthChecker* checker = checker_of(world->scene, margins[m]);
                for (int way = 0; way < 4; ++way) {
                    const BerthCheckRequest request = {.distance = (way & 1) != 0, .all = (way & 2) != 0};
                    const BerthVerdict verdict = ask(checker, values, &request).verdict;
                    // At the very bound another search may end a rounding further out: then it cannot tell.
                    if (upper <= margins[m]) {
                        assert_true(verdict == BERTH_COLLISION ||
                                    (verdict == BERTH_UNKNOWN && margins[m] - upper < 1e-9 * (1 + upper)));
                    } else if (lower > margins[m] + 1e-13) {
                        assert_int_equal(verdict, BERTH_FREE);
                    }
                    told += verdict != BERTH_UNKNOWN;
                    unknown += verdict == BERTH_UNKNOWN;
                }
                berth_checker_destroy(checker);
            }
        }
        berth_checker_destroy(zero);
        world_destroy(world);
    }
    print_message("report margins: %lld told, %lld unknown\n", (long long)told, (long long)unknown);
    assert_true(unknown * 4 < told);
}

// A range saves work and says less, and what it says is true; the verdict is the same.
static void ranges_keep_the_truth(void** state) {
    (void)state;
    const BerthCheckRequest gaps = {.distance = true};
    int64_t near_count = 0, far_count = 0, between = 0, tests[2] = {0, 0};
    for (int i = 0; i < test_scaled(400); ++i) {
        Random random = {.state = 991u * (uint64_t)(i + 1)};
        const WorldPlan plan = random_plan(&random);
        World* world = world_make(&random, &plan);
        const double margin = i % 2 == 0 ? 0.0 : bi_random_between(&random, 0, 0.05);
        BerthChecker* checker = checker_of(world->scene, margin);
        for (int k = 0; k < 20; ++k) {
            double values[VALUE_MAX];
            world_values(world, &random, values);
            const BerthCheckResult exact = ask(checker, values, &gaps);
            if (exact.verdict == BERTH_UNKNOWN || !exact.has_clearance) {
                continue;
            }

            const double lower = exact.clearance.lower, upper = exact.clearance.upper;
            BerthCheckRequest request = gaps;
            request.near_enough = k % 3 == 0 ? 0.0 : upper * bi_random_between(&random, 0, 2);
            request.far_enough = request.near_enough + upper * bi_random_between(&random, 0.01, 2);
            const double near = request.near_enough, far = fmax(request.far_enough, margin);
            const BerthCheckResult r = ask(checker, values, &request);
            tests[0] += exact.counters.bv_tests;
            tests[1] += r.counters.bv_tests;

            const double slack = 1e-9 * (1 + upper);
            assert_int_equal(r.verdict, exact.verdict);
            if (!(r.has_clearance && r.clearance.lower >= margin && r.clearance.lower <= upper)) {
                fail_msg(
                    "world %d state %d: clearance %.17g to %.17g, ranged (%g, %g) %.17g to %.17g, margin %g",
                    i, k, lower, upper, near, far, r.clearance.lower, r.clearance.upper, margin);
            }
            if (r.clearance.body_a < 0) {
                assert_true(upper >= far - slack && r.clearance.lower >= far - slack);
                far_count += 1;
            } else {
                assert_true(r.clearance.upper >= lower && r.clearance.upper >= r.clearance.lower);
            }
            if (upper <= near) {
                assert_true(r.clearance.upper <= near);
                near_count += 1;
            }
            if (lower > near && upper < far) {
                assert_true(fabs(r.clearance.upper - upper) < slack && r.clearance.lower > lower - slack);
                between += 1;
            }
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    print_message(
        "report ranges: %lld near enough, %lld far enough, %lld between; %lld tests instead of %lld\n",
        (long long)near_count, (long long)far_count, (long long)between, (long long)tests[1],
        (long long)tests[0]);
    assert_true(near_count > 0 && far_count > 0 && between > 0 && tests[1] < tests[0]);
}

static void wrong_ranges_are_refused(void** state) {
    (void)state;
    Random random = {.state = 5};
    const WorldPlan plan = random_plan(&random);
    World* world = world_make(&random, &plan);
    BerthChecker* checker = checker_of(world->scene, 0.0);
    double values[VALUE_MAX];
    world_values(world, &random, values);
    const double bad[][2] = {{-1, 1}, {2, 1}, {0, -1}, {NAN, 1}, {0, NAN}, {INFINITY, 0}, {0, INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const BerthCheckRequest request = {
            .distance = true, .near_enough = bad[i][0], .far_enough = bad[i][1]};
        BerthCheckResult result;
        assert_int_equal(berth_check_state(checker, values, &request, &result), BERTH_ERR_ARGUMENT);
        assert_int_equal(result.verdict, BERTH_UNKNOWN);
    }
    berth_checker_destroy(checker);
    world_destroy(world);
}

// A robot's padding against others is a margin, and nothing against itself.
static void padding_is_margin(void** state) {
    (void)state;
    for (int i = 0; i < test_scaled(150); ++i) {
        const double padding = 0.01 * (1 + i % 7);
        World* worlds[2];
        double values[VALUE_MAX];
        BerthChecker* checkers[2];
        for (int k = 0; k < 2; ++k) {
            Random random = {.state = 77u * (uint64_t)(i + 1)};
            WorldPlan plan = random_plan(&random);
            plan.robots = 1;
            plan.no_padding = true;
            plan.padding = k == 1 ? padding : 0.0;
            worlds[k] = world_make(&random, &plan);
            world_values(worlds[k], &random, values);
            checkers[k] = checker_of(worlds[k]->scene, k == 1 ? 0.0 : padding);
        }
        const BerthCheckResult bare = ask(checkers[0], values, &everything);
        const BerthCheckResult padded = ask(checkers[1], values, &everything);
        assert_int_equal(bare.pair_count, padded.pair_count);
        for (int32_t p = 0; p < bare.pair_count; ++p) {
            for (int32_t q = 0; q < padded.pair_count; ++q) {
                const BerthPairGap* x = &bare.pairs[p];
                const BerthPairGap* y = &padded.pairs[q];
                if (x->body_a == y->body_a && x->body_b == y->body_b) {
                    const BerthBodyInfo a = berth_scene_body(worlds[0]->scene, x->body_a);
                    const BerthBodyInfo b = berth_scene_body(worlds[0]->scene, x->body_b);
                    const double expected = x->upper - (a.robot == b.robot ? 0.0 : padding);
                    assert_true(x->upper == y->upper + (a.robot == b.robot ? 0.0 : padding) ||
                                fabs(y->upper - expected) < 1e-9);
                }
            }
        }
        // Hits between the robot and the others are the same.
        for (int turn = 0; turn < 2; ++turn) {
            const BerthCheckResult* x = turn == 0 ? &bare : &padded;
            const BerthCheckResult* y = turn == 0 ? &padded : &bare;
            for (int32_t p = 0; p < x->hit_count; ++p) {
                const BerthBodyInfo a = berth_scene_body(worlds[0]->scene, x->hits[p].body_a);
                const BerthBodyInfo b = berth_scene_body(worlds[0]->scene, x->hits[p].body_b);
                bool found = a.robot == b.robot;
                for (int32_t q = 0; q < y->hit_count; ++q) {
                    found = found || (x->hits[p].body_a == y->hits[q].body_a &&
                                      x->hits[p].body_b == y->hits[q].body_b);
                }
                assert_true(found);
            }
        }
        for (int k = 0; k < 2; ++k) {
            berth_checker_destroy(checkers[k]);
            world_destroy(worlds[k]);
        }
    }
}

// ---- scenes that are nearly the same --------------------------------------------------------------------------

static void obstacles_only_worsen(void** state) {
    (void)state;
    for (int i = 0; i < test_scaled(150); ++i) {
        Random random = {.state = 13u * (uint64_t)(i + 1)};
        const WorldPlan plan = random_plan(&random);
        World* world = world_make(&random, &plan);
        double values[5][VALUE_MAX];
        BerthVerdict before[5];
        double clearance[5];
        BerthChecker* checker = checker_of(world->scene, 0.01);
        for (int k = 0; k < 5; ++k) {
            world_values(world, &random, values[k]);
            const BerthCheckResult r = ask(checker, values[k], &everything);
            before[k] = r.verdict;
            clearance[k] = r.pair_count > 0 ? r.pairs[0].upper : INFINITY;
        }
        berth_checker_destroy(checker);
        BrutePart part;
        BerthObjectDef def = berth_default_object_def();
        def.name = "one more";
        def.solid = world_solid(&random, plan.style, (int)(bi_random_next(&random) % 14), 0.3, &part);
        def.pose = test_pose(&random, 0.7);
        brute_free_part(&part);
        assert_int_equal(berth_scene_add_object(world->scene, &def, NULL), BERTH_OK);
        assert_int_equal(berth_scene_commit(world->scene), BERTH_OK);
        checker = checker_of(world->scene, 0.01);
        for (int k = 0; k < 5; ++k) {
            const BerthCheckResult r = ask(checker, values[k], &everything);
            assert_true(before[k] != BERTH_COLLISION || r.verdict == BERTH_COLLISION);
            assert_true(before[k] == BERTH_FREE || r.verdict != BERTH_FREE);
            if (!(r.pair_count > 0 ? r.pairs[0].upper <= clearance[k] : clearance[k] == INFINITY)) {
                fail_msg("seed %d state %d: %d pairs, %.17g then %.17g", i, k, r.pair_count, clearance[k],
                         r.pair_count > 0 ? r.pairs[0].upper : 0.0);
            }
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
}

static void frames_do_not_matter(void** state) {
    (void)state;
    int64_t same = 0, near = 0;
    for (int i = 0; i < test_scaled(150); ++i) {
        Random random = {.state = 17u * (uint64_t)(i + 1)};
        const WorldPlan plan = random_plan(&random);
        World* world = world_make(&random, &plan);
        double values[4][VALUE_MAX];
        BerthVerdict before[4];
        double clearance[4];
        BerthChecker* checker = checker_of(world->scene, 0.02);
        for (int k = 0; k < 4; ++k) {
            world_values(world, &random, values[k]);
            const BerthCheckResult r = ask(checker, values[k], &everything);
            before[k] = r.verdict;
            clearance[k] = r.pair_count > 0 ? r.pairs[0].upper : INFINITY;
        }
        berth_checker_destroy(checker);
        const BerthPose motion = test_pose(&random, i % 3 == 0 ? 1000.0 : 3.0);
        world_carry(world, &motion);
        checker = checker_of(world->scene, 0.02);
        for (int k = 0; k < 4; ++k) {
            const BerthCheckResult r = ask(checker, values[k], &everything);
            const double now = r.pair_count > 0 ? r.pairs[0].upper : INFINITY;
            if (fabs(clearance[k] - 0.02) > 1e-8) {
                assert_int_equal(r.verdict, before[k]);
                same += 1;
            } else {
                near += 1;
            }
            assert_true(now == clearance[k] || (now <= 0 && clearance[k] <= 1e-8) ||
                        (now <= 1e-8 && clearance[k] <= 0) || fabs(now - clearance[k]) < 1e-7);
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    assert_true(near * 4 < same);
}

typedef struct Listed {
    BerthVerdict verdict;
    int count;
    char name[HIT_MAX][2][64];
    double upper[HIT_MAX];
} Listed;

// The same robot and objects, added in any order and under any names; `label` undoes the names.
static void list_gaps(int seed, const int* order, const int* names, int count, Listed* out) {
    Random random = {.state = 19u * (uint64_t)(seed + 1)};
    const WorldPlan plan = {
        .style = seed % 2 == 0 ? WORLD_PLAIN : WORLD_GRID, .robots = 1, .joints = 5, .no_allow = true};
    World* world = world_make(&random, &plan);
    double values[VALUE_MAX];
    world_values(world, &random, values);
    for (int i = 0; i < count; ++i) {
        Random own = {.state = 1000u * (uint64_t)(seed + 1) + (uint64_t)order[i]};
        BerthObjectDef def = berth_default_object_def();
        char name[32];
        BrutePart part;
        snprintf(name, sizeof name, "%c%d", 'a' + names[order[i]], order[i]);
        def.name = name;
        def.solid = world_solid(&own, plan.style, (int)(bi_random_next(&own) % 14), 0.15, &part);
        def.pose = test_pose(&own, 0.7);
        if (order[i] % 3 == 0) {
            def.attach = "link1";
        }
        brute_free_part(&part);
        assert_int_equal(berth_scene_add_object(world->scene, &def, NULL), BERTH_OK);
    }
    assert_int_equal(berth_scene_commit(world->scene), BERTH_OK);
    BerthChecker* checker = checker_of(world->scene, 0.01);
    const BerthCheckResult r = ask(checker, values, &everything);
    assert_int_equal(ask(checker, values, &plain).verdict, r.verdict);
    out->verdict = r.verdict;
    out->count = r.pair_count;
    for (int32_t i = 0; i < r.pair_count; ++i) {
        const int32_t bodies[2] = {r.pairs[i].body_a, r.pairs[i].body_b};
        for (int k = 0; k < 2; ++k) {
            const char* name = berth_scene_body_name(world->scene, bodies[k]);
            snprintf(out->name[i][k], sizeof out->name[i][k], "%s", name[0] == 'l' ? name : name + 1);
        }
        out->upper[i] = r.pairs[i].upper;
    }
    berth_checker_destroy(checker);
    world_destroy(world);
}

static void order_and_names_do_not_matter(void** state) {
    (void)state;
    static Listed first, second;
    for (int i = 0; i < test_scaled(100); ++i) {
        enum { COUNT = 5 };
        Random random = {.state = 23u * (uint64_t)(i + 1)};
        int order[COUNT] = {0, 1, 2, 3, 4}, names[COUNT] = {0, 0, 0, 0, 0};
        list_gaps(i, order, names, COUNT, &first);
        for (int k = COUNT - 1; k > 0; --k) {
            const int other = (int)(bi_random_next(&random) % (uint64_t)(k + 1));
            const int swap = order[k];
            order[k] = order[other];
            order[other] = swap;
        }
        for (int k = 0; k < COUNT; ++k) {
            names[k] = (int)(bi_random_next(&random) % 10);
        }
        list_gaps(i, order, names, COUNT, &second);
        assert_int_equal(first.verdict, second.verdict);
        assert_int_equal(first.count, second.count);
        for (int p = 0; p < first.count; ++p) {
            int found = 0;
            for (int q = 0; q < second.count; ++q) {
                for (int turn = 0; turn < 2; ++turn) {
                    if (strcmp(first.name[p][0], second.name[q][turn]) == 0 &&
                        strcmp(first.name[p][1], second.name[q][1 - turn]) == 0) {
                        found += 1;
                        assert_true(first.upper[p] == second.upper[q] ||
                                    fabs(first.upper[p] - second.upper[q]) < 1e-8);
                    }
                }
            }
            assert_int_equal(found, 1);
        }
    }
}

// ---- tolerance and history ------------------------------------------------------------------------------------

static void tolerance_only_loosens(void** state) {
    (void)state;
    static const double tolerances[] = {1e-6, 1e-2, 0.3, 2.0, 100.0, 1000.0};
    for (int i = 0; i < test_scaled(100); ++i) {
        Random random = {.state = 29u * (uint64_t)(i + 1)};
        const WorldPlan plan = random_plan(&random);
        World* world = world_make(&random, &plan);
        const double margin = i % 2 == 0 ? 0.0 : 0.03;
        BerthChecker* checker = checker_of(world->scene, margin);
        for (int k = 0; k < 4; ++k) {
            double values[VALUE_MAX];
            world_values(world, &random, values);
            const BerthVerdict verdict = ask(checker, values, &plain).verdict;
            for (int way = 0; way < 2; ++way) {
                BerthCheckRequest request = {.distance = true, .all = way == 1};
                const BerthCheckResult exact = ask(checker, values, &request);
                for (int t = 0; t < 6; ++t) {
                    request.tolerance = tolerances[t];
                    const BerthCheckResult loose = ask(checker, values, &request);
                    assert_int_equal(loose.verdict, verdict);
                    assert_int_equal(loose.has_clearance, exact.has_clearance);
                    if (loose.has_clearance) {
                        const BerthPairGap* g = &loose.clearance;
                        assert_true(g->lower <= g->upper);
                        assert_true(g->lower <= exact.clearance.upper);
                        assert_true(g->upper >= exact.clearance.lower);
                        assert_true(g->upper <= 0 || g->lower >= g->upper / (1 + tolerances[t]) - 1e-8);
                    }
                }
            }
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
}

// Everything a caller can see, bit for bit.
static void assert_same(const BerthCheckResult* a, const BerthCheckResult* b) {
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->reason, b->reason);
    assert_int_equal(a->unknown_a, b->unknown_a);
    assert_int_equal(a->unknown_b, b->unknown_b);
    assert_int_equal(a->has_clearance, b->has_clearance);
    assert_int_equal(a->hit_count, b->hit_count);
    assert_int_equal(a->pair_count, b->pair_count);
    assert_memory_equal(&a->clearance, &b->clearance, sizeof a->clearance);
    for (int32_t i = 0; i < a->hit_count; ++i) {
        const BerthHit* x = &a->hits[i];
        const BerthHit* y = &b->hits[i];
        assert_int_equal(x->body_a, y->body_a);
        assert_int_equal(x->body_b, y->body_b);
        assert_memory_equal(&x->point, &y->point, sizeof x->point);
        assert_int_equal(x->has_depth, y->has_depth);
        assert_memory_equal(&x->depth, &y->depth, sizeof x->depth);
        assert_int_equal(x->has_normal, y->has_normal);
        assert_memory_equal(&x->normal, &y->normal, sizeof x->normal);
    }
    for (int32_t i = 0; i < a->pair_count; ++i) {
        assert_memory_equal(&a->pairs[i], &b->pairs[i], sizeof a->pairs[i]);
    }
}

static void history_leaves_no_trace(void** state) {
    (void)state;
    for (int i = 0; i < test_scaled(60); ++i) {
        Random random = {.state = 37u * (uint64_t)(i + 1)};
        WorldPlan plan = random_plan(&random);
        plan.joints = 9;
        World* world = world_make(&random, &plan);
        const int count = world->brute.value_count;
        BerthChecker* old = checker_of(world->scene, 0.01);
        double values[VALUE_MAX] = {0};
        world_values(world, &random, values);
        for (int k = 0; k < 30; ++k) {
            const uint64_t step = bi_random_next(&random) % 6;
            double other[VALUE_MAX];
            world_values(world, &random, other);
            if (step == 0) {
                memcpy(values, other, sizeof values);
            } else if (step < 5 &&
                       count > 0) {  // one joint moves, a little or not at all, or to the other zero
                const int v = (int)(bi_random_next(&random) % (uint64_t)count);
                values[v] = step == 1   ? 0.0
                            : step == 2 ? -0.0
                            : step == 3 ? other[v]
                                        : values[v] * (1 + 1e-15);
            }
            bool fine = true;
            int32_t outside = 0, first = 0;
            fine = berth_scene_check_values(world->scene, values, &outside, &first) == BERTH_OK;
            const BerthCheckRequest request = {.distance = bi_random_next(&random) % 2 == 0,
                                               .all = bi_random_next(&random) % 2 == 0,
                                               .tolerance = bi_random_next(&random) % 4 == 0 ? 0.5 : 0.0};
            if (!fine) {
                world_values(world, &random, values);  // a quaternion of zeros
            }
            if (k % 7 == 3) {  // a refused query in between
                double bad[VALUE_MAX];
                memcpy(bad, values, sizeof bad);
                bad[0] = NAN;
                BerthCheckResult refused;
                assert_true(count == 0 ||
                            berth_check_state(old, bad, &request, &refused) == BERTH_ERR_ARGUMENT);
                bad[0] = 1e9;
                berth_check_state(old, bad, &request, &refused);
            }
            if (k % 5 == 2 && berth_scene_body_count(world->scene) > 1) {  // a gradient in between
                double gradient[VALUE_MAX];
                BerthGapGradient found;
                assert_int_equal(berth_check_gradient(old, other, 0, 1, gradient, &found), BERTH_OK);
            }
            BerthChecker* fresh = checker_of(world->scene, 0.01);
            const BerthCheckResult a = ask(old, values, &request);
            const BerthCheckResult b = ask(fresh, values, &request);
            assert_same(&a, &b);
            berth_checker_destroy(fresh);
        }
        berth_checker_destroy(old);
        world_destroy(world);
    }
}

int test_check_ways(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_follow_distances),      cmocka_unit_test(padding_is_margin),
        cmocka_unit_test(obstacles_only_worsen),         cmocka_unit_test(frames_do_not_matter),
        cmocka_unit_test(order_and_names_do_not_matter), cmocka_unit_test(tolerance_only_loosens),
        cmocka_unit_test(history_leaves_no_trace),       cmocka_unit_test(ranges_keep_the_truth),
        cmocka_unit_test(wrong_ranges_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
