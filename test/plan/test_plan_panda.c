// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The Panda with its meshes in MotionBenchMaker's problems: motions that are found with lanes and without, as found and
// shortened, are sampled densely by a model that shares no code with the library; certificates of them hold.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <berth/berth.h>

#include "support/courses.h"
#include "support/dense.h"
#include "support/setting.h"

enum { EVERY = 97, SAMPLES = 60, ROWS = 64 };

typedef struct Count {
    int asked, found, proven;
    int64_t samples, refuted;
    double nearest;
} Count;

static BerthScene* read_panda(void) {
    char urdf[1024], srdf[1024];
    if (!test_shared_path(urdf, sizeof urdf, "robots/panda_mbm/panda.urdf") ||
        !test_shared_path(srdf, sizeof srdf, "robots/panda_mbm/panda.srdf")) {
        return NULL;
    }
    BerthScene* scene = NULL;
    BerthIoOptions options = berth_default_io_options();
    options.srdf = srdf;
    if (berth_io_read_scene(urdf, &options, &scene) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return scene;
}

// Evenly along every line, ends too.
static void sample_motion(Dense* dense, const BerthPlanResult* result, int values, Count* count) {
    for (int row = 0; row + 1 < result->row_count; ++row) {
        Course course = {.count = values};
        memcpy(course.from, result->rows + (ptrdiff_t)row * values, (size_t)values * sizeof(double));
        memcpy(course.to, result->rows + (ptrdiff_t)(row + 1) * values, (size_t)values * sizeof(double));
        const int samples = test_scaled(SAMPLES);
        for (int i = 0; i <= samples; ++i) {
            double at[COURSE_VALUES];
            course_values(&course, (double)i / samples, at);
            const double gap = dense_gap(dense, at);
            count->samples += 1;
            count->refuted += !(gap > 0.0);
            count->nearest = fmin(count->nearest, gap);
        }
    }
}

// The proof is written for these rows and holds for them; a moved row is not proven by it.
static void check_certificate(BerthPlanner* planner, const BerthScene* scene, const BerthPlanResult* result,
                              int values) {
    BerthCertificate* certificate = NULL;
    BerthPlanProof proof;
    assert_int_equal(berth_planner_certificate(planner, NULL, &certificate), BERTH_OK);
    assert_int_equal(berth_planner_certify(planner, false, certificate, &proof), BERTH_OK);
    assert_int_equal(proof.verdict, BERTH_FREE);

    BerthSegment segments[ROWS];
    double moved[ROWS * 16];
    assert_true(result->row_count < ROWS && values <= 16);
    const size_t all = (size_t)result->row_count * (size_t)values;
    memcpy(moved, result->rows, all * sizeof *moved);
    for (int round = 0; round < 2; ++round) {
        const double* rows = round == 0 ? result->rows : moved;
        for (int i = 0; i + 1 < result->row_count; ++i) {
            segments[i] = (BerthSegment){.value_count = values,
                                         .from = rows + (ptrdiff_t)i * values,
                                         .to = rows + (ptrdiff_t)(i + 1) * values};
        }
        const BerthMotionCheckerDef def = berth_default_motion_checker_def();
        const BerthVerifyDef asked = berth_motion_verify_def(&def);
        BerthCertificateReport report;
        const BerthStatus status =
            berth_certificate_verify(certificate, scene, segments, result->row_count - 1, &asked, &report);
        assert_int_equal(status, round == 0 ? BERTH_OK : BERTH_ERR_ARGUMENT);
        moved[all - 1] += 1e-3;
    }
    berth_certificate_destroy(certificate);
}

static void plan_problem(const BerthScene* scene, const BerthProblem* problem, const BerthLanes* lanes,
                         Count* count) {
    const int values = problem->value_count;
    BerthPlanner* planner = NULL;
    BerthPlanResult result;
    BerthPlannerDef def = berth_default_planner_def();
    def.lanes = lanes;
    def.seed = 11;
    def.sample_budget = 20000;
    assert_int_equal(berth_planner_create(scene, &def, &planner), BERTH_OK);
    const BerthPlanQuery query = {problem->start, problem->goals, problem->goal_count};
    assert_int_equal(berth_planner_find(planner, &query, &result), BERTH_OK);
    count->asked += 1;
    if (result.found) {
        Dense* dense = dense_open(scene, 0.0);
        count->found += 1;
        sample_motion(dense, &result, values, count);
        assert_int_equal(berth_planner_shorten(planner, &result), BERTH_OK);
        sample_motion(dense, &result, values, count);
        assert_memory_equal(result.rows, problem->start, (size_t)values * sizeof(double));
        assert_memory_equal(result.rows + (ptrdiff_t)(result.row_count - 1) * values,
                            problem->goals + (ptrdiff_t)result.goal * values,
                            (size_t)values * sizeof(double));
        check_certificate(planner, scene, &result, values);
        dense_close(dense);
    }
    berth_planner_destroy(planner);
}

static void motions_survive_dense_sampling(void** state) {
    (void)state;
    char file[1024];
    BerthScene* scene = read_panda();
    if (scene == NULL || !test_shared_path(file, sizeof file, "problems/panda.jsonl")) {
        TEST_SKIP("plan: the Panda and its problems are not there");
    }
    BerthProblemLines lines;
    assert_int_equal(berth_io_read_problem_lines(file, NULL, &lines), BERTH_OK);

    Count count = {.nearest = INFINITY};
    int with_lanes = 0;
    const int every = test_is_long() ? 5 : EVERY;
    for (int32_t i = 3; i < lines.count; i += test_is_whole() ? every : 3 * EVERY) {
        BerthProblem problem;
        BerthLanes* lanes = NULL;
        const BerthProblemText text = {lines.text + lines.starts[i], lines.lengths[i], file,
                                       lines.numbers[i]};
        assert_int_equal(berth_io_read_problem(&text, NULL, scene, &problem), BERTH_OK);
        if (with_lanes == 0 && test_is_whole()) {  // covering the robot takes a second: once is enough
            const BerthLanesDef def = berth_default_lanes_def();
            assert_int_equal(berth_lanes_create(scene, &def, &lanes), BERTH_OK);
            with_lanes += lanes != NULL;
            plan_problem(scene, &problem, lanes, &count);
        }
        plan_problem(scene, &problem, NULL, &count);
        berth_lanes_destroy(lanes);
        berth_io_free_problem(scene, &problem);
    }
    print_message("%d asked, %d found, %ld samples, %ld refuted, nearest %.3g m\n", count.asked, count.found,
                  (long)count.samples, (long)count.refuted, count.nearest);
    assert_true(count.refuted == 0 && count.samples > 0);
    assert_true(10 * count.found >= 9 * count.asked);
    berth_io_free_problem_lines(&lines);
    berth_scene_destroy(scene);
}

int test_plan_panda(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(motions_survive_dense_sampling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
