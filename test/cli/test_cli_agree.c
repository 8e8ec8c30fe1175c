// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One question, every way to ask it: the library's verdict, distance and all-pairs queries, the program with a CSV,
// with an .npy, with --at, with --distance and --all, by every engine, on one thread and on several. All must give the same verdict.
// test-labels: threads
// test-share: 0.5

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/expect.h"
#include "support/setting.h"

typedef struct Subject {
    const char* name;
    const char* scene;  // in build/models, or a URDF in the shared folder
    const char* srdf;   // in the shared folder, or null
    bool shared;
} Subject;

static const Subject subjects[] = {
    {"two_arms", "two_arms/cell.yaml", NULL, false},
    {"arm6", "arm6/cell.yaml", NULL, false},
    {"room", "room/cell.yaml", NULL, false},
    {"panda", "robots/moveit_resources_panda_description/urdf/panda.urdf",
     "robots/moveit_resources_panda_moveit_config/config/panda.srdf", true},
    {"panda without SRDF", "robots/moveit_resources_panda_description/urdf/panda.urdf", NULL, true},
    {"fanuc", "robots/moveit_resources_fanuc_description/urdf/fanuc.urdf",
     "robots/moveit_resources_fanuc_moveit_config/config/fanuc.srdf", true},
    // Its SRDF leaves the pair of wrist_3_link and ee_link enabled, which are one piece: always a collision.
    {"ur5 without SRDF", "robots/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf", NULL, true},
    {"panda of capsules", "robots/example-robot-data/robots/panda_description/urdf/panda_collision.urdf",
     "robots/example-robot-data/robots/panda_description/srdf/panda.srdf", true},
    {"two pandas", "robots/moveit_resources_dual_arm_panda_moveit_config/config/dual_panda_close.urdf",
     "robots/moveit_resources_dual_arm_panda_moveit_config/config/panda.srdf", true},
};

typedef struct Question {
    const Subject* subject;
    char scene_path[1024], srdf_path[1024];
    BerthScene* scene;
    double* values;
    int rows;
    int32_t count;
    BerthVerdict* verdicts;
    double margin;
    char margin_text[40];
} Question;

// The library's own answers, by four kinds of request; each says the same.
static void ask_library(Question* q) {
    BerthCheckerDef def = berth_default_checker_def();
    def.margin = q->margin;
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(q->scene, &def, &checker), BERTH_OK);
    int free_count = 0, hit_count = 0;
    for (int i = 0; i < q->rows; ++i) {
        for (int kind = 0; kind < 4; ++kind) {
            const BerthCheckRequest request = {.distance = (kind & 1) != 0, .all = (kind & 2) != 0};
            BerthCheckResult r;
            const double* values = q->values + (size_t)i * (size_t)q->count;
            assert_int_equal(berth_check_state(checker, values, &request, &r), BERTH_OK);
            if (kind == 0) {
                q->verdicts[i] = r.verdict;
            }
            if (r.verdict != q->verdicts[i]) {
                fail_msg("%s, state %d: request %d says %s, request 0 %s", q->subject->name, i, kind,
                         berth_verdict_name(r.verdict), berth_verdict_name(q->verdicts[i]));
            }
            // The verdict and what comes with it belong together.
            assert_true((r.verdict == BERTH_COLLISION) == (r.hit_count > 0));
            assert_true((r.verdict == BERTH_UNKNOWN) == (r.reason != BERTH_REASON_NONE));
            if (r.verdict == BERTH_FREE && r.has_clearance) {
                assert_true(r.clearance.lower > q->margin);
                assert_true(r.clearance.upper >= r.clearance.lower);
            }
            double nearest = INFINITY;
            for (int32_t k = 0; k < r.pair_count; ++k) {
                nearest = r.pairs[k].lower < nearest ? r.pairs[k].lower : nearest;
            }
            if (r.verdict == BERTH_FREE && kind == 3) {
                assert_true(nearest > q->margin);
            }
        }
        free_count += q->verdicts[i] == BERTH_FREE;
        hit_count += q->verdicts[i] == BERTH_COLLISION;
    }
    berth_checker_destroy(checker);
    // A question whose answer is always the same tests nothing.
    assert_true(q->rows < 50 || (free_count > 0 && hit_count > 0));
}

static void ask_program(const Question* q, const char* const* extra) {
    const char* arguments[PROGRAM_ARGUMENTS_MAX] = {"check",   q->scene_path, "--json",
                                                    "--quiet", "--margin",    q->margin_text};
    int count = 6;
    if (q->subject->srdf != NULL) {
        arguments[count++] = "--srdf";
        arguments[count++] = q->srdf_path;
    }
    for (int i = 0; extra[i] != NULL; ++i) {
        arguments[count++] = extra[i];
    }
    ProgramRun run = program_run_list(arguments);
    if (program_line_count(&run) != q->rows) {
        fail_msg("%s: %d lines for %d states: %s", q->subject->name, program_line_count(&run), q->rows,
                 run.err);
    }
    bool any_hit = false, any_unknown = false;
    char* at = run.out;
    for (int i = 0; i < q->rows; ++i) {
        char* end = strchr(at, '\n');
        json_error_t error;
        json_t* line = json_loadb(at, (size_t)(end - at), 0, &error);
        assert_non_null(line);
        const char* verdict = json_string_value(json_object_get(line, "verdict"));
        if (strcmp(verdict, berth_verdict_name(q->verdicts[i])) != 0) {
            fail_msg("%s, state %d: the program (%s %s) says %s, the library %s", q->subject->name, i,
                     extra[0], extra[2] != NULL ? extra[2] : "", verdict, berth_verdict_name(q->verdicts[i]));
        }
        any_hit = any_hit || q->verdicts[i] == BERTH_COLLISION;
        any_unknown = any_unknown || q->verdicts[i] == BERTH_UNKNOWN;
        json_decref(line);
        at = end + 1;
    }
    assert_int_equal(run.status, any_hit ? 1 : any_unknown ? 3 : 0);
    program_free(&run);
}

// A few states through --at, with every value named.
static void ask_by_text(const Question* q) {
    for (int i = 0; i < q->rows && i < 6; ++i) {
        char text[4096];
        size_t used = 0;
        for (int32_t k = 0; k < q->count; ++k) {
            char name[256];
            berth_scene_value_name(q->scene, k, name, sizeof name);
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%.17g", k > 0 ? "," : "", name,
                                     q->values[(size_t)i * (size_t)q->count + (size_t)k]);
            assert_true(used < sizeof text);
        }
        Question one = *q;
        one.rows = 1;
        one.verdicts = q->verdicts + i;
        ask_program(&one, (const char* const[]){"--at", text, NULL});
    }
}

static void ask_for_counts(const Question* q, const char* file) {
    const char* arguments[] = {
        "check",    q->scene_path,  "--json",    "--quiet", "--summary", "--states",   file,
        "--margin", q->margin_text, "--threads", "2",       "--srdf",    q->srdf_path, NULL};
    if (q->subject->srdf == NULL) {
        arguments[11] = NULL;
    }
    ProgramRun run = program_run_list(arguments);
    json_t* summary = program_json_line(&run, 0);
    assert_non_null(summary);
    int counts[3] = {0, 0, 0};
    for (int i = 0; i < q->rows; ++i) {
        counts[q->verdicts[i]] += 1;
    }
    assert_int_equal(json_integer_value(json_object_get(summary, "states")), q->rows);
    assert_int_equal(json_integer_value(json_object_get(summary, "free")), counts[BERTH_FREE]);
    assert_int_equal(json_integer_value(json_object_get(summary, "collisions")), counts[BERTH_COLLISION]);
    assert_int_equal(json_integer_value(json_object_get(summary, "unknown")), counts[BERTH_UNKNOWN]);
    json_decref(summary);
    program_free(&run);
}

static void ask_every_way(const Subject* subject, double margin, uint64_t seed) {
    Question q = {.subject = subject, .rows = test_scaled(100), .margin = margin};
    (void)snprintf(q.margin_text, sizeof q.margin_text, "%.17g", margin);
    (void)snprintf(q.scene_path, sizeof q.scene_path, "%s", program_model(subject->scene));
    if (subject->shared) {
        assert_true(test_shared_path(q.scene_path, sizeof q.scene_path, subject->scene));
        assert_true(subject->srdf == NULL ||
                    test_shared_path(q.srdf_path, sizeof q.srdf_path, subject->srdf));
    }
    BerthIoOptions options = berth_default_io_options();
    options.srdf = subject->srdf != NULL ? q.srdf_path : NULL;
    if (berth_io_read_scene(q.scene_path, &options, &q.scene) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    q.count = berth_scene_value_count(q.scene);
    q.values = calloc((size_t)q.rows * (size_t)q.count, sizeof *q.values);
    q.verdicts = calloc((size_t)q.rows, sizeof *q.verdicts);
    program_random_states(q.scene, seed, q.rows, q.values);
    ask_library(&q);

    const char* csv = program_temporary("agree.csv");
    const char* npy = program_temporary("agree.npy");
    assert_true(program_write_csv(csv, q.scene, q.values, q.rows));
    assert_true(program_write_npy(npy, q.scene, q.values, q.rows));
    ask_program(&q, (const char* const[]){"--states", csv, "--threads", "1", NULL});
    ask_program(&q, (const char* const[]){"--states", csv, "--threads", "3", "--distance", NULL});
    ask_program(&q, (const char* const[]){"--states", npy, "--all", NULL});
    ask_program(&q, (const char* const[]){"--states", npy, "--distance", "--all", NULL});
    ask_program(&q, (const char* const[]){"--states", npy, "--engine", "rss", NULL});
    ask_program(&q, (const char* const[]){"--states", csv, "--engine", "spheres", "--threads", "2", NULL});
    ask_by_text(&q);
    ask_for_counts(&q, npy);
    free(q.values);
    free(q.verdicts);
    berth_scene_destroy(q.scene);
}

static void own_models_agree(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; ++i) {
        if (!subjects[i].shared) {
            ask_every_way(&subjects[i], 0.0, 11 + i);
            ask_every_way(&subjects[i], 0.03, 31 + i);
        }
    }
}

static void real_robots_agree(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not here");
    }
    // Every way reads the robot again: where not all cases are wanted, every third.
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; ++i) {
        if (subjects[i].shared && (test_is_whole() || i % 3 == 0)) {
            ask_every_way(&subjects[i], i % 2 == 0 ? 0.0 : 0.01, 51 + i);
        }
    }
}

int test_cli_agree(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_models_agree),
        cmocka_unit_test(real_robots_agree),
    };
    return cmocka_run_group_tests_name("cli_agree", tests, NULL, expect_clean_up);
}
