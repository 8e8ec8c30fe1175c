// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-share: 0.05
// test-timeout: 1800
// test-labels: threads
// The same states and segments through every way to ask: the library's check, motion by every method, path cache and batch, with
// lanes and without; the program's check, path and batch; the socket of its view. Python's ways are asked beside the program's in
// bindings/python/tests/test_ways.py. Never free against collision; free against unknown only where the gap is
// within delta of the margin, `fixed` aside, which proves nothing. 1,000 of each a robot in the long form.
// One more way is one more line in `ways`.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <berth/berth.h>

#include "batch/batch.h"
#include "support/courses.h"
#include "support/page.h"
#include "support/program.h"
#include "support/segments.h"
#include "support/setting.h"

enum { ROWS = 1000, WAYS_MAX = 32, NPY_HEADER = 128, NOT_ASKED = 255 };

/// Rows of one robot: states, or segments.
typedef struct Asked {
    const char *scene_path, *rows_path;
    BerthScene* scene;
    int values, count;
    bool segments;
    const double* rows;  // `count` of them, of `values` numbers or twice as many
    bool are_proven;     // a planner found them: it says that they are free
    bool by_spheres;     // the robot is made of spheres: the program's ways go by lanes
    BerthLanes* lanes;   // of the scene, for all ways of the library that take some
} Asked;

typedef struct Way Way;
struct Way {
    const char* name;
    bool states, segments;
    BerthMethod method;
    bool proves;
    void (*ask)(const Asked* asked, const Way* way, uint8_t* verdicts);
};

// ---- ways of the library --------------------------------------------------------------------------------------------

static int row_size(const Asked* asked) {
    return asked->segments ? 2 * asked->values : asked->values;
}

// A state is a segment that goes nowhere.
static BerthSegment segment_of(const Asked* asked, int row) {
    const double* from = asked->rows + (ptrdiff_t)row * row_size(asked);
    return (BerthSegment){
        .value_count = asked->values, .from = from, .to = asked->segments ? from + asked->values : from};
}

static void ask_checker(const Asked* asked, const BerthLanes* lanes, uint8_t* verdicts) {
    BerthCheckerDef def = berth_default_checker_def();
    def.lanes = lanes;
    const BerthCheckRequest request = {0};
    BerthChecker* checker = NULL;
    BerthCheckResult result;
    assert_int_equal(berth_checker_create(asked->scene, &def, &checker), BERTH_OK);
    for (int i = 0; i < asked->count; ++i) {
        assert_int_equal(berth_check_state(checker, segment_of(asked, i).from, &request, &result), BERTH_OK);
        verdicts[i] = (uint8_t)result.verdict;
    }
    berth_checker_destroy(checker);
}

static void ask_check(const Asked* asked, const Way* way, uint8_t* verdicts) {
    (void)way;
    ask_checker(asked, NULL, verdicts);
}

// Of meshes it takes a second: once for all ways, and without what only many questions pay for.
static BerthLanes* lay_out(const Asked* asked) {
    BerthLanesDef def = berth_default_lanes_def();
    BerthLanes* lanes = NULL;
    def.expected_states = def.expected_segments = asked->count;
    assert_int_equal(berth_lanes_create(asked->scene, &def, &lanes), BERTH_OK);
    assert_non_null(lanes);
    return lanes;
}

static void ask_check_lanes(const Asked* asked, const Way* way, uint8_t* verdicts) {
    (void)way;
    ask_checker(asked, asked->lanes, verdicts);
}

static BerthMotionChecker* open_motion(const Asked* asked, const Way* way, const BerthLanes* lanes) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    def.method = way->method;
    def.lanes = lanes;
    assert_int_equal(berth_motion_checker_create(asked->scene, &def, &motion), BERTH_OK);
    return motion;
}

static void ask_segments(const Asked* asked, const Way* way, const BerthLanes* lanes, bool first_contact,
                         uint8_t* verdicts) {
    BerthMotionChecker* motion = open_motion(asked, way, lanes);
    const BerthMotionRequest request = {.first_contact = first_contact};
    for (int i = 0; i < asked->count; ++i) {
        const BerthSegment segment = segment_of(asked, i);
        BerthMotionResult result;
        assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &result), BERTH_OK);
        verdicts[i] = (uint8_t)result.verdict;
    }
    berth_motion_checker_destroy(motion);
}

static void ask_motion(const Asked* asked, const Way* way, uint8_t* verdicts) {
    ask_segments(asked, way, NULL, false, verdicts);
}

static void ask_motion_lanes(const Asked* asked, const Way* way, uint8_t* verdicts) {
    ask_segments(asked, way, asked->lanes, false, verdicts);
}

static void ask_first_contact(const Asked* asked, const Way* way, uint8_t* verdicts) {
    ask_segments(asked, way, NULL, true, verdicts);
}

static void ask_batch_expecting(const Asked* asked, int64_t expected, uint8_t* verdicts) {
    BerthBatchDef def = berth_default_batch_def();
    BerthBatch* batch = NULL;
    BerthBatchResult result;
    def.kind = asked->segments ? BERTH_BATCH_SEGMENTS : BERTH_BATCH_STATES;
    def.threads = 2;
    def.expected_rows = expected;
    assert_int_equal(berth_batch_create(asked->scene, &def, &batch), BERTH_OK);
    assert_int_equal(berth_batch_ask(batch, asked->rows, asked->count, verdicts, NULL, &result), BERTH_OK);
    berth_batch_destroy(batch);
}

static void ask_batch_lanes(const Asked* asked, const Way* way, uint8_t* verdicts) {
    (void)way;
    if (TEST_SANITIZED && !test_is_whole() &&
        !asked->by_spheres) {  // two thirds of the time, three times the same
        memset(verdicts, NOT_ASKED, (size_t)asked->count);
        return;
    }
    ask_batch_expecting(asked, INT64_MAX, verdicts);  // so many that covers pay
}

static void ask_batch(const Asked* asked, const Way* way, uint8_t* verdicts) {
    (void)way;
    ask_batch_expecting(asked, 0, verdicts);
}

// ---- ways of the program --------------------------------------------------------------------------------------------

static uint8_t verdict_of_word(const char* word) {
    assert_non_null(word);
    return strcmp(word, "free") == 0        ? BERTH_FREE
           : strcmp(word, "collision") == 0 ? BERTH_COLLISION
                                            : BERTH_UNKNOWN;
}

static uint8_t verdict_of_json(const json_t* answer) {
    return verdict_of_word(json_string_value(json_object_get(answer, "verdict")));
}

static void read_lines(ProgramRun* run, const Asked* asked, const Way* way, uint8_t* verdicts) {
    if (program_line_count(run) != asked->count) {
        fail_msg("%s: %d lines for %d rows: %s", way->name, program_line_count(run), asked->count, run->err);
    }
    const char* at = run->out;
    for (int i = 0; i < asked->count; ++i) {
        json_error_t error;
        const size_t length = strcspn(at, "\n");
        json_t* line = json_loadb(at, length, 0, &error);
        verdicts[i] = verdict_of_json(line);
        json_decref(line);
        at += length + 1;
    }
    program_free(run);
}

static void ask_program_check(const Asked* asked, const Way* way, uint8_t* verdicts) {
    ProgramRun run =
        program_run("check", asked->scene_path, "--states", asked->rows_path, "--json", "--quiet", NULL);
    read_lines(&run, asked, way, verdicts);
}

static void ask_program_path(const Asked* asked, const Way* way, uint8_t* verdicts) {
    const bool named = way->method != BERTH_METHOD_DEFAULT;
    ProgramRun run = program_run("path", asked->scene_path, "--segments", asked->rows_path, "--json",
                                 "--quiet", named ? "--method" : NULL, berth_method_name(way->method), NULL);
    read_lines(&run, asked, way, verdicts);
}

// Where nobody wants a clearance, lanes are asked if enough rows come.
static void ask_program_verdicts(const Asked* asked, const Way* way, uint8_t* verdicts) {
    ProgramRun run = program_run("path", asked->scene_path, "--segments", asked->rows_path, "--json",
                                 "--quiet", "--no-clearance", NULL);
    read_lines(&run, asked, way, verdicts);
}

static void ask_program_batch(const Asked* asked, const Way* way, uint8_t* verdicts) {
    const char* out = program_temporary("ways_out.npy");
    ProgramRun run = asked->segments ? program_run("batch", asked->scene_path, "--segments", asked->rows_path,
                                                   "-o", out, "--quiet", "--force", NULL)
                                     : program_run("batch", asked->scene_path, asked->rows_path, "-o", out,
                                                   "--quiet", "--force", NULL);
    if (run.status != 0) {
        fail_msg("%s: %s", way->name, run.err);
    }
    program_free(&run);
    FILE* file = fopen(out, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, NPY_HEADER, SEEK_SET), 0);
    assert_int_equal(fread(verdicts, 1, (size_t)asked->count, file), asked->count);
    fclose(file);
}

// ---- the page of the program --------------------------------------------------------------------------------------------

static void ask_page_states(const Asked* asked, int socket, uint8_t* verdicts) {
    for (int i = 0; i < asked->count; ++i) {
        json_t* values = json_array();
        for (int k = 0; k < asked->values; ++k) {
            (void)json_array_append_new(values, json_real(asked->rows[(ptrdiff_t)i * asked->values + k]));
        }
        // As a page that drags asks, and as one does where things stand still.
        json_t* answer = page_ask(socket, "state", json_pack("{s:b, s:o}", "quick", i % 2, "values", values));
        verdicts[i] = verdict_of_json(answer);
        json_decref(answer);
    }
}

// The page knows motions only: from the end of each segment it goes on to the start of the next.
static void ask_page_path(const Asked* asked, int socket, uint8_t* verdicts) {
    json_t* answer = page_ask(socket, "path", NULL);
    const json_t* segments = json_object_get(answer, "segments");
    assert_int_equal(json_array_size(segments), 2 * asked->count - 1);
    for (int i = 0; i < asked->count; ++i) {
        verdicts[i] = verdict_of_json(json_array_get(segments, 2 * (size_t)i));
    }
    json_decref(answer);
}

static void ask_page(const Asked* asked, const Way* way, uint8_t* verdicts) {
    (void)way;
    if (!page_is_there() || TEST_THREADS_WATCHED) {
        memset(verdicts, NOT_ASKED, (size_t)asked->count);
        return;
    }
    const char* motion = program_temporary("ways_motion.npy");
    char shape[64];
    const int rows = asked->segments ? 2 * asked->count : asked->count;
    snprintf(shape, sizeof shape, "%d, %d", rows, asked->values);
    assert_true(program_write_array(motion, shape, asked->rows, (size_t)rows * (size_t)asked->values));

    PageServer server = page_start((const char* const[]){asked->scene_path, "--trajectory", motion, NULL});
    const int socket = page_socket(&server, server.token, NULL);
    assert_true(socket >= 0);
    (asked->segments ? ask_page_path : ask_page_states)(asked, socket, verdicts);
    (void)close(socket);
    assert_int_equal(page_stop(&server), 130);
}

static const Way ways[] = {
    {"check", true, false, BERTH_METHOD_DEFAULT, true, ask_check},
    {"check by lanes", true, false, BERTH_METHOD_DEFAULT, true, ask_check_lanes},
    {"motion by lanes", true, true, BERTH_METHOD_DEFAULT, true, ask_motion_lanes},
    {"motion, default", true, true, BERTH_METHOD_DEFAULT, true, ask_motion},
    {"motion, second order", true, true, BERTH_METHOD_SECOND_ORDER, true, ask_motion},
    {"motion, adaptive", true, true, BERTH_METHOD_ADAPTIVE, true, ask_motion},
    {"motion, refined", true, true, BERTH_METHOD_REFINED, true, ask_motion},
    {"motion, fixed", true, true, BERTH_METHOD_FIXED, false, ask_motion},
    {"motion, first contact", true, true, BERTH_METHOD_DEFAULT, true, ask_first_contact},
    {"batch by lanes", true, true, BERTH_METHOD_DEFAULT, true, ask_batch_lanes},
    {"batch", true, true, BERTH_METHOD_DEFAULT, true, ask_batch},
    {"berth check", true, false, BERTH_METHOD_DEFAULT, true, ask_program_check},
    {"berth path", false, true, BERTH_METHOD_DEFAULT, true, ask_program_path},
    {"berth path, no clearance", false, true, BERTH_METHOD_DEFAULT, true, ask_program_verdicts},
    {"berth path, second order", false, true, BERTH_METHOD_SECOND_ORDER, true, ask_program_path},
    {"berth path, adaptive", false, true, BERTH_METHOD_ADAPTIVE, true, ask_program_path},
    {"berth path, refined", false, true, BERTH_METHOD_REFINED, true, ask_program_path},
    {"berth path, fixed", false, true, BERTH_METHOD_FIXED, false, ask_program_path},
    {"berth batch", true, true, BERTH_METHOD_DEFAULT, true, ask_program_batch},
    {"berth view", true, true, BERTH_METHOD_DEFAULT, true, ask_page},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

// ---- judging --------------------------------------------------------------------------------------------------------

typedef struct Count {
    int64_t rows, answers, free, hits, unknown, split, blunt, planned, wrong;
} Count;

// The smallest gap on the row, as the checker of states measures it.
static double least_gap(const Asked* asked, int row) {
    BerthChecker* checker = segment_checker(asked->scene);
    const BerthSegment segment = segment_of(asked, row);
    Course course = {.count = asked->values};
    double speed = 1e-3;
    for (int i = 0; i < asked->values; ++i) {
        course.from[i] = segment.from[i];
        course.to[i] = segment.to[i];
        speed += 2.0 * 2.0 * fabs(segment.to[i] - segment.from[i]);  // nothing reaches further than 2 m
    }
    const double gap = course_lowest(&course, speed, 1e-6, -1e-3, 400, course_checker_gap, checker).gap;
    berth_checker_destroy(checker);
    return gap;
}

static void complain(const Asked* asked, int row, uint8_t (*verdicts)[ROWS], double gap) {
    print_error("WRONG %s, %s %d, gap %.9g:", asked->scene_path, asked->segments ? "segment" : "state", row,
                gap);
    for (int w = 0; w < WAYS; ++w) {
        if (asked->segments ? ways[w].segments : ways[w].states) {
            print_error(" %s %d;", ways[w].name, verdicts[w][row]);
        }
    }
    const double* values = asked->rows + (ptrdiff_t)row * row_size(asked);
    for (int i = 0; i < row_size(asked); ++i) {
        print_error(" %.17g", values[i]);
    }
    print_error("\n");
}

static void compare(const Asked* asked, int row, uint8_t (*verdicts)[ROWS], Count* count) {
    int free = asked->are_proven, hits = 0, unknown = 0;
    for (int w = 0; w < WAYS; ++w) {
        if (asked->segments ? ways[w].segments : ways[w].states) {
            const uint8_t verdict = verdicts[w][row];
            count->answers += verdict != NOT_ASKED;
            free += verdict == BERTH_FREE;
            hits += verdict == BERTH_COLLISION;
            unknown += verdict == BERTH_UNKNOWN && ways[w].proves;
            if (verdict == BERTH_FREE && !ways[w].proves) {  // samples prove nothing
                count->wrong += 1;
                complain(asked, row, verdicts, NAN);
            }
        }
    }
    count->rows += 1;
    count->free += free > 0;
    count->hits += hits > 0;
    count->unknown += free == 0 && hits == 0;
    count->blunt += hits > 0 && unknown > 0;
    if (free > 0 && hits > 0) {
        count->wrong += 1;
        complain(asked, row, verdicts, least_gap(asked, row));
    } else if (free > 0 && unknown > 0) {
        const double gap = least_gap(asked, row);
        count->split += 1;
        if (!(gap <= berth_default_motion_checker_def().delta * 1.01 + 1e-9)) {
            count->wrong += 1;
            complain(asked, row, verdicts, gap);
        }
    }
}

static void ask_all(const Asked* asked, Count* count) {
    static uint8_t verdicts[WAYS_MAX][ROWS];
    assert_true((int)WAYS <= (int)WAYS_MAX && asked->count <= ROWS);
    memset(verdicts, 0, sizeof verdicts);
    for (int w = 0; w < WAYS; ++w) {
        if (asked->segments ? ways[w].segments : ways[w].states) {
            ways[w].ask(asked, &ways[w], verdicts[w]);
        }
    }
    for (int i = 0; i < asked->count; ++i) {
        compare(asked, i, verdicts, count);
    }
}

// ---- robots among things ----------------------------------------------------------------------------------------------

typedef struct Subject {
    const char *name, *urdf, *srdf;
    bool slow;     // only in the long form
    bool threads;  // also where threads are watched: covers and meshes are one thread's work
} Subject;

#define MOVEIT "robots/moveit_resources_"
#define EXAMPLE "robots/example-robot-data/robots/"
// Without an SRDF where that of the robot leaves pairs in that always overlap.
static const Subject subjects[] = {
    {"panda", "robots/panda_mbm/panda.urdf", "robots/panda_mbm/panda.srdf", false, false},
    {"panda of spheres", "robots/panda_mbm/panda_spherized.urdf", "robots/panda_mbm/panda.srdf", false, true},
    {"panda of capsules", EXAMPLE "panda_description/urdf/panda_collision.urdf",
     EXAMPLE "panda_description/srdf/panda.srdf", true, false},
    {"ur5", EXAMPLE "ur_description/urdf/ur5_robot.urdf", NULL, true, false},
    {"fanuc", MOVEIT "fanuc_description/urdf/fanuc.urdf", MOVEIT "fanuc_moveit_config/config/fanuc.srdf",
     false, false},
    {"two pandas", MOVEIT "dual_arm_panda_moveit_config/config/dual_panda_close.urdf",
     MOVEIT "dual_arm_panda_moveit_config/config/panda.srdf", true, false},
    {"romeo of cylinders", EXAMPLE "romeo_description/urdf/romeo_laas_small.urdf", NULL, true, false},
    {"romeo", EXAMPLE "romeo_description/urdf/romeo.urdf", EXAMPLE "romeo_description/srdf/romeo.srdf", true,
     false},
    {"pr2", MOVEIT "pr2_description/urdf/robot.xml", NULL, true, false},
};

// A table, a rod of 2 mm, a plate of 1 mm, a ball, a capsule; something in the hand would need a link that all have.
static bool write_scene(const Subject* subject, const char* path) {
    char urdf[4096], srdf[4096], text[16384];
    if (!test_shared_path(urdf, sizeof urdf, subject->urdf) ||
        (subject->srdf != NULL && !test_shared_path(srdf, sizeof srdf, subject->srdf))) {
        return false;
    }
    snprintf(text, sizeof text,
             "berth: 1\nrobots:\n  - urdf: %s\n%s%s%s"
             "objects:\n"
             "  - {name: a_table, box: {size: [0.6, 1.2, 0.04]}, pose: {xyz: [0.85, 0, 0.3]}}\n"
             "  - {name: a_plate, box: {size: [0.3, 0.2, 0.001]}, pose: {xyz: [0.4, 0.4, 0.6], rpy: [0.4, "
             "0.3, 0.1]}}\n"
             "  - {name: a_rod, cylinder: {radius: 0.001, length: 0.6}, pose: {xyz: [0.5, -0.4, 0.6]}}\n"
             "  - {name: a_ball, sphere: {radius: 0.08}, pose: {xyz: [-0.5, 0.3, 0.7]}}\n"
             "  - {name: a_bar, capsule: {radius: 0.01, length: 0.5}, pose: {xyz: [-0.4, -0.4, 0.8], rpy: "
             "[1.3, 0, 0]}}\n",
             urdf, subject->srdf != NULL ? "    srdf: " : "", subject->srdf != NULL ? srdf : "",
             subject->srdf != NULL ? "\n" : "");
    return program_write_text(path, text);
}

static void write_rows(const char* path, const Asked* asked) {
    char shape[64];
    snprintf(shape, sizeof shape, "%d, %s%d", asked->count, asked->segments ? "2, " : "", asked->values);
    const size_t numbers = (size_t)asked->count * (size_t)row_size(asked);
    assert_true(program_write_array(path, shape, asked->rows, numbers));
}

static BerthVerdict verdict_of(BerthMotionChecker* motion, const Asked* asked, const double* row) {
    const BerthSegment segment = {
        .value_count = asked->values, .from = row, .to = asked->segments ? row + asked->values : row};
    const BerthMotionRequest request = {0};
    BerthMotionResult result;
    assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &result), BERTH_OK);
    return result.verdict;
}

// Every third row is moved to where the verdict changes, between the last one that is free and the last that is not: into the
// band of delta.
static void let_graze(const Asked* asked, double* rows) {
    const Way by_default = {.method = BERTH_METHOD_DEFAULT};
    BerthMotionChecker* motion = open_motion(asked, &by_default, NULL);
    const int size = row_size(asked);
    const double *free = NULL, *hit = NULL;
    for (int i = 0; i < asked->count; ++i) {
        double* row = rows + (ptrdiff_t)i * size;
        if (i % 3 != 2 || free == NULL || hit == NULL) {
            *(verdict_of(motion, asked, row) == BERTH_FREE ? &free : &hit) = row;
            continue;
        }
        double low = 0.0, high = 1.0;  // of the way from the free one
        for (int k = 0; k < 16; ++k) {
            const double middle = 0.5 * (low + high);
            for (int v = 0; v < size; ++v) {
                row[v] = free[v] + middle * (hit[v] - free[v]);
            }
            *(verdict_of(motion, asked, row) == BERTH_FREE ? &low : &high) = middle;
        }
    }
    berth_motion_checker_destroy(motion);
}

// States, then segments from one state a part of the way to another.
static void ask_subject(const Subject* subject, Asked* asked, Count* count) {
    const int n = asked->values;
    double* states = malloc(2 * (size_t)asked->count * (size_t)n * sizeof *states);
    double* ends = malloc(2 * (size_t)asked->count * (size_t)n * sizeof *ends);
    Random random = {(uint64_t)strlen(subject->name)};
    program_random_states(asked->scene, 17, 2 * asked->count, states);
    for (int i = 0; i < asked->count; ++i) {
        const double share = segment_log_between(&random, 0.01, 0.5);
        for (int k = 0; k < n; ++k) {
            const double from = states[(ptrdiff_t)2 * i * n + k], to = states[((ptrdiff_t)2 * i + 1) * n + k];
            ends[(ptrdiff_t)2 * i * n + k] = from;
            ends[((ptrdiff_t)2 * i + 1) * n + k] = from + share * (to - from);
        }
    }
    asked->rows_path = program_temporary("ways_rows.npy");
    for (int segments = 0; segments < 2; ++segments) {
        asked->segments = segments == 1;
        asked->rows = segments == 1 ? ends : states;
        let_graze(asked, segments == 1 ? ends : states);
        write_rows(asked->rows_path, asked);
        ask_all(asked, count);
    }
    free(states);
    free(ends);
}

// A motion from one free state to another: what a planner proved is free by every way.
static void ask_plan(Asked* asked, Count* count) {
    enum { PAIRS = 30 };
    double* states = malloc(2 * PAIRS * (size_t)asked->values * sizeof *states);
    assert_non_null(states);
    program_random_states(asked->scene, 23, 2 * PAIRS, states);
    BerthPlannerDef def = berth_default_planner_def();
    BerthPlanner* planner = NULL;
    BerthPlanResult result = {0};
    def.sample_budget = 2000;
    assert_int_equal(berth_planner_create(asked->scene, &def, &planner), BERTH_OK);
    for (int i = 0; i < PAIRS && result.row_count < 3; ++i) {
        const double* ends = states + (ptrdiff_t)2 * i * asked->values;
        assert_int_equal(
            berth_planner_find(planner, &(BerthPlanQuery){ends, ends + asked->values, 1}, &result), BERTH_OK);
    }

    if (result.found) {
        double* rows = malloc(2 * (size_t)result.row_count * (size_t)asked->values * sizeof *rows);
        assert_non_null(rows);
        asked->count = result.row_count - 1 < ROWS ? result.row_count - 1 : ROWS;
        for (int i = 0; i < asked->count; ++i) {
            memcpy(rows + (ptrdiff_t)2 * i * asked->values, result.rows + (ptrdiff_t)i * asked->values,
                   2 * (size_t)asked->values * sizeof *rows);
        }
        asked->segments = true;
        asked->are_proven = true;
        asked->rows = rows;
        write_rows(asked->rows_path, asked);
        ask_all(asked, count);
        count->planned += asked->count;
        free(rows);
    }
    berth_planner_destroy(planner);
    free(states);
}

static void every_way_agrees(void** state) {
    (void)state;
    for (size_t s = 0; s < sizeof subjects / sizeof subjects[0]; ++s) {
        Asked asked = {.scene_path = program_temporary("ways.yaml"), .count = test_scaled(ROWS)};
        Count count = {0};
        if ((subjects[s].slow && !test_is_long()) || (TEST_THREADS_WATCHED && !subjects[s].threads) ||
            (!test_is_whole() && s == 0)) {  // another robot of meshes comes
            continue;
        }
        if (!write_scene(&subjects[s], asked.scene_path)) {
            TEST_SKIP("ways: files of %s are not there", subjects[s].name);
        }
        const BerthIoOptions options = berth_default_io_options();
        if (berth_io_read_scene(asked.scene_path, &options, &asked.scene) != BERTH_OK) {
            fail_msg("%s: %s", subjects[s].name, berth_error_text());
        }
        asked.values = berth_scene_value_count(asked.scene);
        asked.by_spheres = strstr(subjects[s].name, "spheres") != NULL;
        if (asked.by_spheres) {  // so many that the program lays it out
            asked.count = asked.count < 100 ? 100 : asked.count;
            assert_true(berth_lanes_pay(asked.scene, asked.count, 0) &&
                        berth_lanes_pay(asked.scene, 0, asked.count));
        }
        asked.lanes = lay_out(&asked);
        ask_subject(&subjects[s], &asked, &count);
        ask_plan(&asked, &count);
        berth_lanes_destroy(asked.lanes);
        berth_scene_destroy(asked.scene);

        print_message(
            "report ways, %s: %lld rows, %lld answers; %lld free, %lld hits, %lld unknown to all; free here "
            "and "
            "unknown there %lld, within delta; hit here and unknown there %lld; %lld segments of a plan\n",
            subjects[s].name, (long long)count.rows, (long long)count.answers, (long long)count.free,
            (long long)count.hits, (long long)count.unknown, (long long)count.split, (long long)count.blunt,
            (long long)count.planned);
        assert_int_equal(count.wrong, 0);
        assert_true(count.rows < 100 || (count.free > 0 && count.hits > 0));
        assert_true(!asked.by_spheres || count.planned > 1);
    }
    program_remove_temporary();
}

int test_cli_ways(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_agrees),
    };
    return cmocka_run_group_tests_name("cli: ways", tests, NULL, NULL);
}
