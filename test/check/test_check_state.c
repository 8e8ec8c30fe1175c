// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One configuration of random robots among random objects, against a brute force that shares no code: is FREE ever
// refuted, has every hit a witness, do brackets hold the gap, do all ways of asking agree? A part of the cases is moved
// to where it grazes, nests, stands in symmetry, is far away, tiny, or large.
// test-share: 0.25

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

enum { VALUE_MAX = 300 };

static BerthChecker* checker_of(const World* world, double margin) {
    BerthCheckerDef def = berth_default_checker_def();
    def.margin = margin;
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(world->scene, &def, &checker), BERTH_OK);
    return checker;
}

static WorldPlan random_plan(Random* random, WorldStyle style) {
    const int robots = 1 + (bi_random_next(random) % 5 == 0 ? 1 + (int)(bi_random_next(random) % 2) : 0);
    return (WorldPlan){.style = style,
                       .robots = robots,
                       .joints = robots > 1 ? 4 : 12,
                       .objects = (int)(bi_random_next(random) % 7)};
}

static double random_margin(Random* random) {
    return bi_random_next(random) % 2 == 0 ? 0.0 : bi_random_between(random, 0.0, 0.05);
}

// ---- (a) against the brute force -----------------------------------------------------------------------------

static void random_worlds(const char* what, WorldStyle style, int count, int states) {
    Tally tally = {.what = what};
    for (int i = 0; i < test_scaled(count); ++i) {
        tally.seed = i;
        Random random = {.state = 1000003u * (uint64_t)(i + 1) + style};
        const WorldPlan plan = random_plan(&random, style);
        World* world = world_make(&random, &plan);
        const double margin = random_margin(&random);
        BerthChecker* checker = checker_of(world, margin);
        double values[VALUE_MAX];
        for (int k = 0; k < states; ++k) {
            world_values(world, &random, values);
            examine(world, checker, margin, values, &tally);
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    settle(&tally);
    if (test_scaled(100) >= 25) {
        assert_true(tally.free > tally.states / 50 && tally.hits > tally.states / 50);
    }
}

static void plain_worlds(void** state) {
    (void)state;
    random_worlds("plain", WORLD_PLAIN, 150, 5);
}

static void convex_worlds(void** state) {
    (void)state;
    random_worlds("convex", WORLD_CONVEX, 150, 8);
}

static void grid_worlds(void** state) {
    (void)state;
    random_worlds("grid", WORLD_GRID, 120, 6);
}

static void far_worlds(void** state) {
    (void)state;
    random_worlds("far", WORLD_FAR, 80, 5);
}

static void uneven_worlds(void** state) {
    (void)state;
    random_worlds("uneven", WORLD_UNEVEN, 80, 5);
}

static void sliding_worlds(void** state) {
    (void)state;
    random_worlds("sliding", WORLD_SLIDING, 80, 5);
}

// ---- grazing -----------------------------------------------------------------------------------------------

static Real one_gap(World* world, const double* values, const Truth* pair) {
    brute_pose_world(&world->brute, values);
    return brute_body_gap(&world->brute, pair->a, pair->b).upper;
}

// Turns one value until the pair's gap is `target`, as well as doubles allow. False when that value does not do it.
static bool graze_by_value(World* world, double* values, const Truth* pair, int index, Real target) {
    double best = values[index];
    Real best_off = INFINITY;
    Real x0 = values[index];
    Real g0 = one_gap(world, values, pair);
    Real x1 = x0 + (Real)1e-4 * (g0 > target ? 1 : -1);
    for (int i = 0; i < 14; ++i) {
        values[index] = (double)x1;
        const Real g1 = one_gap(world, values, pair);
        const Real off = fabsl(g1 - target);
        if (off < best_off) {
            best_off = off;
            best = values[index];
        }
        const Real slope = (g1 - g0) / ((Real)values[index] - x0);
        if (!(g1 > -0.02L) || !(fabsl(slope) > 0.02L) || fabsl((g1 - target) / slope) > 1) {
            break;
        }
        x0 = values[index];
        g0 = g1;
        x1 = x0 - (g1 - target) / slope;
        if ((double)x1 == values[index]) {
            break;
        }
    }
    values[index] = best;
    return best_off < 1e-8L;
}

// Pushes an object along the line of nearest points until the pair's gap is `target`.
static bool graze_by_object(World* world, const double* values, const Truth* pair, Real target) {
    const BruteBody* body = pair->b->object >= 0 && pair->b->robot < 0 ? pair->b : pair->a;
    if (body->object < 0 || body->robot >= 0) {
        return false;
    }
    Real off = INFINITY;
    for (int i = 0; i < 4 && !(off == 0); ++i) {
        brute_pose_world(&world->brute, values);
        const BruteGap gap = brute_body_gap(&world->brute, pair->a, pair->b);
        const Lv d =
            lv_sub(body == pair->b ? gap.point_a : gap.point_b, body == pair->b ? gap.point_b : gap.point_a);
        const Real length = lv_length(d);
        off = gap.upper - target;
        if (!(length > 1e-7L) || !(gap.upper > -0.02L)) {
            break;
        }
        BerthPose pose = world->poses[body->object];
        pose.t.x = (double)(pose.t.x + d.x * off / length);
        pose.t.y = (double)(pose.t.y + d.y * off / length);
        pose.t.z = (double)(pose.t.z + d.z * off / length);
        world_move_object(world, body->object, &pose);
    }
    return fabsl(off) < 1e-8L;
}

static void graze(const char* what, WorldStyle style, int count) {
    static const Real offsets[] = {0,      1e-9L,   -1e-9L, 1e-12L,  -1e-12L, 1e-14L, -1e-14L,
                                   1e-16L, -1e-16L, 3e-11L, -3e-11L, 1e-15L,  -1e-15L};
    static Truth truth[VERDICT_PAIRS];
    Tally tally = {.what = what};
    int64_t grazed = 0;
    for (int i = 0; i < test_scaled(count); ++i) {
        tally.seed = i;
        Random random = {.state = 7919u * (uint64_t)(i + 1) + style};
        WorldPlan plan = random_plan(&random, style);
        plan.joints = 5;
        plan.objects = 1 + plan.objects / 2;
        World* world = world_make(&random, &plan);
        const double margin = random_margin(&random);
        double values[VALUE_MAX];
        world_values(world, &random, values);
        const int pairs = true_gaps(world, values, truth);
        // The nearest pair that is apart, or any.
        int chosen = -1;
        for (int k = 0; k < pairs; ++k) {
            if (truth[k].gap.upper > 1e-3L && truth[k].gap.upper < 2 &&
                (chosen < 0 || truth[k].gap.upper < truth[chosen].gap.upper ||
                 bi_random_next(&random) % 8 == 0)) {
                chosen = k;
            }
        }
        if (chosen >= 0) {
            const Truth pair = truth[chosen];
            const Real scale = fmaxl(1, pair.reach);
            for (int k = 0; k < 6; ++k) {
                const Real target = margin + scale * offsets[bi_random_next(&random) % 13];
                double moved[VALUE_MAX];
                memcpy(moved, values, sizeof moved);
                bool near = false;
                if (k % 2 == 0 && world->brute.value_count > 0) {
                    for (int try = 0; try < 4 && !near; ++try) {
                        memcpy(moved, values, sizeof moved);
                        near = graze_by_value(
                            world, moved, &pair,
                            (int)(bi_random_next(&random) % (uint64_t)world->brute.value_count), target);
                    }
                } else {
                    near = graze_by_object(world, values, &pair, target);
                }
                if (near) {
                    BerthChecker* checker = checker_of(world, margin);
                    examine(world, checker, margin, moved, &tally);
                    berth_checker_destroy(checker);
                    grazed += 1;
                }
            }
        }
        world_destroy(world);
    }
    settle(&tally);
    if (test_scaled(100) >= 25) {
        assert_true(grazed > test_scaled(count));
    }
}

static void plain_grazes(void** state) {
    (void)state;
    graze("graze plain", WORLD_PLAIN, 200);
}

static void convex_grazes(void** state) {
    (void)state;
    graze("graze convex", WORLD_CONVEX, 200);
}

static void grid_grazes(void** state) {
    (void)state;
    graze("graze grid", WORLD_GRID, 200);
}

static void far_grazes(void** state) {
    (void)state;
    graze("graze far", WORLD_FAR, 150);
}

static void uneven_grazes(void** state) {
    (void)state;
    graze("graze uneven", WORLD_UNEVEN, 150);
}

static void sliding_grazes(void** state) {
    (void)state;
    graze("graze sliding", WORLD_SLIDING, 150);
}

// ---- one body in, on and beside another ------------------------------------------------------------------------

static void float_at(double* values, BerthVec3 t, BerthQuat q) {
    const double all[7] = {t.x, t.y, t.z, q.x, q.y, q.z, q.w};
    memcpy(values, all, sizeof all);
}

// Small bodies wholly inside closed ones, in cavities, through walls, on axes of symmetry.
static void nested_bodies(void** state) {
    (void)state;
    static const int outer[] = {WORLD_MESH + TEST_MESH_BALL,
                                WORLD_MESH + TEST_MESH_TORUS,
                                WORLD_MESH + TEST_MESH_BOX,
                                WORLD_MESH + TEST_MESH_HOLLOW,
                                WORLD_PIECES,
                                BERTH_HULL,
                                BERTH_CYLINDER,
                                BERTH_CONE,
                                WORLD_MESH + TEST_MESH_SHEET};
    Tally tally = {.what = "nested"};
    for (int i = 0; i < test_scaled(260); ++i) {
        tally.seed = i;
        Random random = {.state = 83u * (uint64_t)(i + 1)};
        const int kind_a = i % WORLD_KINDS == BERTH_HALFSPACE ? BERTH_SPHERE : i % WORLD_KINDS;
        World* world = world_pair(&random, WORLD_PLAIN, kind_a, kind_a == WORLD_PIECES ? 0.5 : 0.08,
                                  outer[i / WORLD_KINDS % 9], 1.0);
        BerthChecker* checker = checker_of(world, 0.0);
        for (int k = 0; k < 12; ++k) {
            double values[VALUE_MAX];
            const bool axes = k % 3 == 0;
            const double step = axes ? 0.125 : 1e-9;
            const BerthVec3 t = {
                nearbyint(bi_random_between(&random, -1, 1) / step) * step,
                k % 2 == 0 && axes ? 0 : nearbyint(bi_random_between(&random, -1, 1) / step) * step,
                axes ? 0 : nearbyint(bi_random_between(&random, -1, 1) / step) * step};
            float_at(values, k == 0 ? v3(0, 0, 0) : t,
                     axes ? (BerthQuat){0, 0, 0, 1} : bi_random_quat(&random));
            examine(world, checker, 0.0, values, &tally);
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    settle(&tally);
}

// Every kind beside every kind, axes aligned or nearly, at gaps where searches by rounding go astray.
static void aligned_grazes(void** state) {
    (void)state;
    static const double tilts[] = {0, 0, 1e-12, 1e-9, 1e-6, 1e-3};
    static const Real offsets[] = {0,      1e-6L,  1e-7L,  1e-8L,   -1e-8L, 1e-9L,
                                   -1e-9L, 1e-10L, 1e-11L, -1e-11L, 1e-13L, 1e-15L};
    Tally tally = {.what = "aligned"};
    for (int i = 0; i < test_scaled(WORLD_KINDS * WORLD_KINDS * 2); ++i) {
        tally.seed = i;
        Random random = {.state = 89u * (uint64_t)(i + 1)};
        const int kind_a = i % WORLD_KINDS;
        const int kind_b = i / WORLD_KINDS % WORLD_KINDS;
        const WorldStyle style = i % 2 == 0 ? WORLD_GRID : WORLD_CONVEX;
        const double size = i % 7 == 0 ? 1e-3 : 0.25;
        World* world = world_pair(&random, style, kind_a, size, kind_b, 0.25);
        BerthChecker* checker = checker_of(world, 0.0);
        for (int k = 0; k < 4; ++k) {
            const double tilt = tilts[bi_random_next(&random) % 6];
            const double turn = bi_random_between(&random, 0, 6.28);
            static const BerthQuat quarters[4] = {{0, 0, 0, 1}, {1, 0, 0, 0}, {1, 0, 0, 1}, {0, 1, 0, 1}};
            BerthQuat q = quarters[bi_random_next(&random) % 4];
            q.x += tilt * cos(turn);
            q.y += tilt * sin(turn);
            // Along an axis, or beside it, from far to the wanted gap.
            const int axis = (int)(bi_random_next(&random) % 3);
            const double side =
                bi_random_next(&random) % 2 == 0 ? 0.0 : bi_random_between(&random, -0.2, 0.2);
            double values[VALUE_MAX];
            float_at(values, v3(axis == 0 ? 2 : side, axis == 1 ? 2 : 0, axis == 2 ? 2 : 0), q);
            const Truth pair = {.a = &world->brute.bodies[0], .b = &world->brute.bodies[1]};
            const Real target = offsets[bi_random_next(&random) % 12];
            Real gap = one_gap(world, values, &pair);
            for (int step = 0;
                 step < 16 && fabsl(gap - target) > 1e-17L && gap > -1 && fabs(values[axis]) < 4; ++step) {
                values[axis] = (double)(values[axis] - (gap - target) * (gap < target ? 0.5L : 1));
                gap = one_gap(world, values, &pair);
            }
            examine(world, checker, 0.0, values, &tally);
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    settle(&tally);
}

int test_check_state(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_worlds),  cmocka_unit_test(convex_worlds),  cmocka_unit_test(grid_worlds),
        cmocka_unit_test(far_worlds),    cmocka_unit_test(uneven_worlds),  cmocka_unit_test(sliding_worlds),
        cmocka_unit_test(nested_bodies), cmocka_unit_test(aligned_grazes), cmocka_unit_test(plain_grazes),
        cmocka_unit_test(convex_grazes), cmocka_unit_test(grid_grazes),    cmocka_unit_test(far_grazes),
        cmocka_unit_test(uneven_grazes), cmocka_unit_test(sliding_grazes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
