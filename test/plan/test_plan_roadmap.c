// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Many questions in one cell by one planner that keeps a roadmap: every motion is free by gaps of the test's own, later questions ask
// about fewer edges, the same questions give the same bytes, what was proven for other values that do not move is not used, and a roadmap that
// is full begins anew.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include <berth/berth.h>

#include "support/kit.h"
#include "support/setting.h"

enum { POSTS = 12, SAMPLES = 400 };

/// A ball of radius 0.1 that slides along x, y and z among posts as high as the room, and boxes that end at z = 0.5.
typedef struct Cell {
    Kit kit;
    double posts[POSTS][2];
} Cell;

static Cell make_cell(uint64_t seed) {
    Cell cell = {.kit = kit_new()};
    Kit* kit = &cell.kit;
    Random random = {seed};
    int link = 0;
    for (int i = 0; i < 3; ++i) {
        const BerthVec3 axis = {i == 0, i == 1, i == 2};
        kit_limit(kit, -2.0, 2.0);
        link = kit_link(kit, link, BERTH_JOINT_PRISMATIC, axis, (BerthVec3){0, 0, 0});
    }
    kit_solid(kit, link, kit_ball(0.1), (BerthVec3){0, 0, 0});
    kit_robot(kit, NULL);
    for (int i = 0; i < POSTS; ++i) {
        cell.posts[i][0] = bi_random_between(&random, -1.5, 1.5);
        cell.posts[i][1] = bi_random_between(&random, -1.5, 1.5);
        kit_object(kit, kit_cylinder(0.2, 10), kit_at(cell.posts[i][0], cell.posts[i][1], 0), NULL);
    }
    // A wall below z = 0.5, open for y > 1.
    kit_object(kit, kit_box(0.2, 9, 9), kit_at(0, 1.0 - 4.5, 0.5 - 4.5), NULL);
    kit_commit(kit);
    return cell;
}

// Not the library's.
static double gap_at(const Cell* cell, const double* at) {
    double nearest = INFINITY;
    for (int i = 0; i < POSTS; ++i) {
        nearest = fmin(nearest, hypot(at[0] - cell->posts[i][0], at[1] - cell->posts[i][1]) - 0.2);
    }
    const double dx = fmax(0.0, fabs(at[0]) - 0.1), dy = fmax(0.0, at[1] - 1.0), dz = fmax(0.0, at[2] - 0.5);
    return fmin(nearest, sqrt(dx * dx + dy * dy + dz * dz)) - 0.1;
}

static void draw_free(const Cell* cell, Random* random, double* out) {
    do {
        for (int i = 0; i < 3; ++i) {
            out[i] = bi_random_between(random, -2.0, 2.0);
        }
    } while (!(gap_at(cell, out) > 0.01));
}

static void check_motion(const Cell* cell, const BerthPlanResult* result, const double* start,
                         const double* goal) {
    assert_true(result->found && result->row_count >= 2);
    assert_memory_equal(result->rows, start, 3 * sizeof(double));
    assert_memory_equal(result->rows + 3 * (ptrdiff_t)(result->row_count - 1), goal, 3 * sizeof(double));
    for (int row = 0; row + 1 < result->row_count; ++row) {
        const double *a = result->rows + 3 * (ptrdiff_t)row, *b = a + 3;
        for (int k = 0; k <= SAMPLES; ++k) {
            const double t = (double)k / SAMPLES;
            const double at[3] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]),
                                  a[2] + t * (b[2] - a[2])};
            assert_true(gap_at(cell, at) > 0.0);
        }
    }
}

static BerthPlanner* make_planner(const Cell* cell, const bool* moves, int32_t state_limit) {
    BerthPlanner* planner = NULL;
    BerthPlannerDef def = berth_default_planner_def();
    def.kind = BERTH_PLANNER_PRM;
    def.moves = moves;
    def.state_limit = state_limit;
    def.sample_budget = 100000;
    assert_int_equal(berth_planner_create(cell->kit.scene, &def, &planner), BERTH_OK);
    return planner;
}

static BerthPlanResult ask(BerthPlanner* planner, const double* start, const double* goal) {
    BerthPlanResult result;
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){start, goal, 1}, &result), BERTH_OK);
    return result;
}

static void later_questions_ask_less(void** state) {
    (void)state;
    enum { QUESTIONS = 60 };
    const int cells = test_scaled(6);
    int64_t early = 0, late = 0, kept_less = 0, bent = 0;
    for (int c = 0; c < cells; ++c) {
        Cell cell = make_cell((uint64_t)c);
        BerthPlanner *planner = make_planner(&cell, NULL, 100000), *twin = make_planner(&cell, NULL, 100000);
        Random random = {100 + (uint64_t)c};
        for (int q = 0; q < QUESTIONS; ++q) {
            double start[3], goal[3];
            draw_free(&cell, &random, start);
            draw_free(&cell, &random, goal);
            const BerthPlanResult result = ask(planner, start, goal), again = ask(twin, start, goal);
            check_motion(&cell, &result, start, goal);

            // Bytes depend on seed and questions only.
            assert_int_equal(result.row_count, again.row_count);
            assert_memory_equal(result.rows, again.rows, 3 * sizeof(double) * (size_t)result.row_count);
            if (result.row_count > 2) {
                *(q < QUESTIONS / 2 ? &early : &late) += result.stats.edges;
                bent += 1;
            }

            // Whoever begins anew asks about more.
            if (q == QUESTIONS - 1) {
                const BerthPlanResult first = ask(planner, start, goal);
                BerthPlanner* fresh = make_planner(&cell, NULL, 100000);
                const BerthPlanResult without = ask(fresh, start, goal);
                check_motion(&cell, &first, start, goal);
                kept_less +=
                    without.stats.edges + without.stats.samples - first.stats.edges - first.stats.samples;
                assert_true(first.stats.samples == 0);
                berth_planner_destroy(fresh);
            }
        }
        berth_planner_destroy(planner);
        berth_planner_destroy(twin);
        kit_free(&cell.kit);
    }
    print_message("%ld motions with corners; edges asked: %ld for the first half, %ld for the second\n",
                  (long)bent, (long)early, (long)late);
    assert_true(bent > 10 * cells && late < early && kept_less >= 0);
}

// At z = 1 the wall is not there: what is proven there must not be used at z = 0.
static void values_that_do_not_move_count(void** state) {
    (void)state;
    const bool moves[3] = {true, true, false};
    int bent = 0;
    for (int c = 0; c < test_scaled(6); ++c) {
        Cell cell = make_cell(50 + (uint64_t)c);
        BerthPlanner* planner = make_planner(&cell, moves, 100000);
        Random random = {200 + (uint64_t)c};
        for (int q = 0; q < 40; ++q) {
            double start[3], goal[3];
            const double height = q / 4 % 2 == 0 ? 1.0 : 0.0;
            do {
                draw_free(&cell, &random, start);
                start[2] = height;
            } while (!(gap_at(&cell, start) > 0.01));
            do {
                draw_free(&cell, &random, goal);
                goal[2] = height;
            } while (!(gap_at(&cell, goal) > 0.01));
            const BerthPlanResult result = ask(planner, start, goal);
            if (result.found) {
                check_motion(&cell, &result, start, goal);
                bent += result.row_count > 2;
            } else {
                assert_int_equal(result.reason, BERTH_PLAN_BUDGET);
            }
        }
        berth_planner_destroy(planner);
        kit_free(&cell.kit);
    }
    assert_true(bent > 10);
}

static void a_full_roadmap_begins_anew(void** state) {
    (void)state;
    Cell cell = make_cell(3);
    BerthPlanner* planner = make_planner(&cell, NULL, 120);
    Random random = {7};
    int64_t most = 0;
    int smaller = 0, found = 0;
    int64_t before = 0;
    for (int q = 0; q < 200; ++q) {
        double start[3], goal[3];
        draw_free(&cell, &random, start);
        draw_free(&cell, &random, goal);
        const BerthPlanResult result = ask(planner, start, goal);
        if (result.found) {
            check_motion(&cell, &result, start, goal);
            found += 1;
        }
        most = result.stats.states > most ? result.stats.states : most;
        smaller += result.stats.states < before;
        before = result.stats.states;
    }
    print_message("%d of 200 found with at most %ld states, begun anew %d times\n", found, (long)most,
                  smaller);
    assert_true(found > 180 && most <= 120 + 64 && smaller > 0);
    berth_planner_destroy(planner);
    kit_free(&cell.kit);
}

int test_plan_roadmap(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(later_questions_ask_less),
                                       cmocka_unit_test(values_that_do_not_move_count),
                                       cmocka_unit_test(a_full_roadmap_begins_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
