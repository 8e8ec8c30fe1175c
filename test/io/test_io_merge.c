// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What runs between rows. A curve is what the file's numbers mean, within the error that it states; several trajectories
// are one motion, and at every time each joint is where its own file has it. The oracle has Hermite's blending functions
// in long double, written down by hand, and looks at times of the clock; nothing is cut or written anew there.

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/motion/trajectory.h"
#include "math/math.h"
#include "scene/scene.h"
#include "support/arms.h"
#include "support/setting.h"
#include "support/starve.h"

enum { ROBOTS = 3, EACH = 2, VALUES = ROBOTS * EACH, ROWS_MAX = 7 };

static BerthScene* arms_scene(int count, bool free_base) {
    static const char* const names[] = {"left", "right", "top"};
    BerthScene* scene = NULL;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    for (int i = 0; i < count; ++i) {
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        def.name = names[i];
        def.robot = test_arm(free_base, NULL);
        def.own = true;
        assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
    }
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    return scene;
}

// ---- the oracle ------------------------------------------------------------------------------------------------

/// A trajectory of one robot, in arrays of its own.
typedef struct Part {
    BerthTrajectory t;
    BerthInterpolation interpolation;
    double positions[ROWS_MAX * VALUES], velocities[ROWS_MAX * VALUES], accelerations[ROWS_MAX * VALUES];
    double times[ROWS_MAX];
    bool named[VALUES];
    int64_t lines[ROWS_MAX];
    char path[16];
} Part;

// Where a value is between two rows, u from 0 to 1, by the blending functions of each end.
static long double blend(const Part* p, int row, int value, long double u) {
    const int a = row * VALUES + value, b = a + VALUES;
    const long double span = (long double)p->times[row + 1] - p->times[row];
    const long double p0 = p->positions[a], p1 = p->positions[b];
    const long double v0 = p->velocities[a] * span, v1 = p->velocities[b] * span;
    const long double a0 = p->accelerations[a] * span * span, a1 = p->accelerations[b] * span * span;
    const long double w = 1.0L - u;
    switch (p->interpolation) {
    case BERTH_INTERPOLATION_CUBIC:
        return p0 * w * w * (1 + 2 * u) + v0 * u * w * w - v1 * u * u * w + p1 * u * u * (3 - 2 * u);
    case BERTH_INTERPOLATION_QUINTIC:
        return p0 * w * w * w * (1 + 3 * u + 6 * u * u) + v0 * u * w * w * w * (1 + 3 * u) +
               a0 * u * u * w * w * w / 2 + p1 * u * u * u * (1 + 3 * w + 6 * w * w) -
               v1 * w * u * u * u * (1 + 3 * w) + a1 * w * w * u * u * u / 2;
    case BERTH_INTERPOLATION_LINEAR:
        break;
    }
    return p0 * w + p1 * u;
}

static long double value_at(const Part* p, int value, long double time) {
    const int last = p->t.row_count - 1;
    if (time <= p->times[0]) {
        return p->positions[value];
    }
    if (time >= p->times[last]) {
        return p->positions[last * VALUES + value];
    }
    int row = 0;
    while (time >= p->times[row + 1]) {
        ++row;
    }
    return blend(p, row, value, (time - p->times[row]) / ((long double)p->times[row + 1] - p->times[row]));
}

static void make_part(Random* random, int robot, Part* p) {
    memset(p, 0, sizeof *p);
    (void)snprintf(p->path, sizeof p->path, "%d.csv", robot);
    p->interpolation = (BerthInterpolation)(bi_random_next(random) % 3);
    const int rows = 1 + (int)(bi_random_next(random) % ROWS_MAX);
    // Coarse times meet those of other parts often, fine ones hardly ever; some clocks count from 1970.
    const bool coarse = bi_random_next(random) % 2 == 0;
    double time = bi_random_next(random) % 4 == 0 ? 0.5 * (double)(bi_random_next(random) % 4) : 0.0;
    for (int row = 0; row < rows; ++row) {
        p->times[row] = time;
        p->lines[row] = row + 2;
        time += coarse ? 0.25 * (double)(1 + bi_random_next(random) % 4) : bi_random_between(random, 1e-3, 1);
        for (int k = 0; k < EACH; ++k) {
            const int at = row * VALUES + robot * EACH + k;
            p->named[robot * EACH + k] = true;
            p->positions[at] = bi_random_between(random, -3, 3);
            p->velocities[at] = bi_random_between(random, -5, 5);
            p->accelerations[at] = bi_random_between(random, -20, 20);
        }
    }
    p->t = (BerthTrajectory){.row_count = rows,
                             .value_count = VALUES,
                             .positions = p->positions,
                             .velocities = p->velocities,
                             .accelerations = p->accelerations,
                             .times = p->times,
                             .named = p->named,
                             .path = p->path,
                             .lines = p->lines};
}

static long double curve_at(const BerthCurve* curve, long double t) {
    long double sum = 0.0L;
    for (int k = BERTH_CURVE_TERMS - 1; k >= 0; --k) {
        sum = sum * t + curve->term[k];
    }
    return sum;
}

// ---- curves ----------------------------------------------------------------------------------------------------

// Within its stated error, which is as small as rounding is.
static void curves_state_their_error(void** state) {
    (void)state;
    BerthScene* scene = arms_scene(ROBOTS, false);
    Random random = {21};
    const int rounds = test_scaled(4000);
    long double largest = 0.0L;
    for (int round = 0; round < rounds; ++round) {
        Part p;
        make_part(&random, round % ROBOTS, &p);
        if (p.t.row_count < 2) {
            continue;
        }
        BerthCurve curves[VALUES];
        assert_int_equal(bi_io_segment_curves(&p.t, 0, p.interpolation, curves), BERTH_OK);
        for (int v = 0; v < VALUES; ++v) {
            assert_true(curves[v].error >= 0.0 && curves[v].error < 1e-11);
            for (int k = 0; k <= 16; ++k) {
                const long double off = fabsl(curve_at(&curves[v], k / 16.0L) - blend(&p, 0, v, k / 16.0L));
                largest = fmaxl(largest, curves[v].error > 0.0 ? off / curves[v].error : 0.0L);
                assert_true(off <= curves[v].error);
            }
        }
    }
    assert_true(largest > 1e-3L);  // rounding is seen: the comparison can fail
    berth_scene_destroy(scene);
}

// ---- merging ---------------------------------------------------------------------------------------------------

static void expect_merged(const Part* parts, int count, const BerthTrajectory* merged) {
    for (int row = 0; row + 1 < merged->row_count; ++row) {
        const long double t0 = merged->times[row];
        const long double span = merged->times[row + 1] - t0;
        for (int v = 0; v < VALUES; ++v) {
            const BerthCurve* curve = &merged->curves[row * VALUES + v];
            const int robot = v / EACH;
            for (int k = 0; k <= 12; ++k) {
                const long double u = k / 12.0L;
                const long double wanted = robot < count ? value_at(&parts[robot], v, t0 + u * span) : 0.0L;
                if (!(fabsl(curve_at(curve, u) - wanted) <= curve->error + 1e-17L)) {
                    fail_msg("row %d value %d at %Lg: %.19Lg, wanted %.19Lg within %g", row, v, u,
                             curve_at(curve, u), wanted, curve->error);
                }
            }
            assert_true(curve->error < 1e-11);
            assert_true(fabsl(merged->positions[row * VALUES + v] - curve->term[0]) <= 2 * curve->error);
        }
    }
}

static void merged_motions_are_what_each_file_says(void** state) {
    (void)state;
    BerthScene* scene = arms_scene(ROBOTS, false);
    Random random = {22};
    const int rounds = test_scaled(2000);
    static Part parts[ROBOTS];
    int cut_count = 0;
    for (int round = 0; round < rounds; ++round) {
        const int count = 1 + round % ROBOTS;
        BerthTrajectory given[ROBOTS];
        BerthInterpolation interpolations[ROBOTS];
        int rows = 0;
        for (int i = 0; i < count; ++i) {
            make_part(&random, i, &parts[i]);
            given[i] = parts[i].t;
            interpolations[i] = parts[i].interpolation;
            rows += given[i].row_count;
        }
        BerthTrajectory merged;
        assert_int_equal(berth_trajectory_merge(given, interpolations, count, scene, &merged), BERTH_OK);
        assert_true(merged.row_count <= rows);
        for (int i = 0; i < count; ++i) {
            for (int row = 0; row < given[i].row_count; ++row) {
                bool there = false;
                for (int k = 0; k < merged.row_count; ++k) {
                    there |= merged.times[k] == given[i].times[row];
                }
                assert_true(there);
            }
        }
        for (int k = 1; k < merged.row_count; ++k) {
            assert_true(merged.times[k] > merged.times[k - 1]);
        }
        expect_merged(parts, count, &merged);
        cut_count += merged.row_count > given[0].row_count;

        // Segments are these, whatever interpolation is asked for.
        BerthSegment segment;
        assert_int_equal(
            berth_trajectory_segment(&merged, scene, 0, BERTH_INTERPOLATION_LINEAR, NULL, &segment),
            BERTH_OK);
        assert_true(merged.row_count == 1 ? segment.curves == NULL : segment.curves == merged.curves);
        berth_io_free_trajectory(&merged);
    }
    assert_true(cut_count > rounds / 4);
    berth_scene_destroy(scene);
}

static BerthTrajectory expect_read(const char* path, const char* text, const BerthScene* scene) {
    const BerthIoOptions options = berth_default_io_options();
    BerthTrajectory t;
    if (bi_io_trajectory_from_bytes(path, text, strlen(text), scene, &options, &t) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return t;
}

// A floating base turns along one arc, with a row of another file in its middle.
static void an_arc_that_is_cut_stays_the_arc(void** state) {
    (void)state;
    BerthScene* scene = arms_scene(2, true);
    BerthTrajectory parts[2] = {
        expect_read("a.csv",
                    "time,left/world_joint/x,left/world_joint/qz,left/world_joint/qw\n0,0,0,1\n2,4,1,1\n",
                    scene),
        expect_read("b.csv", "time,right/elbow\n0,0\n0.5,1\n", scene)};
    const BerthInterpolation linear[2] = {BERTH_INTERPOLATION_LINEAR, BERTH_INTERPOLATION_LINEAR};
    BerthTrajectory merged;
    assert_int_equal(berth_trajectory_merge(parts, linear, 2, scene, &merged), BERTH_OK);
    assert_int_equal(merged.row_count, 3);
    const int32_t qz = berth_scene_find_value(scene, "left/world_joint/qz");
    const int32_t x = berth_scene_find_value(scene, "left/world_joint/x");
    double* values = merged.positions + merged.value_count;  // at 0.5 s
    const double quarter = acos(-1.0) / 16;                  // of 90 degrees, halved in quaternions
    assert_true(fabs(values[x] - 1.0) < 1e-15 && fabs(values[qz] - sin(quarter)) < 1e-15 &&
                fabs(values[qz + 1] - cos(quarter)) < 1e-15);
    assert_true(merged.curves[qz].error > 0.0 && merged.curves[qz].error < 1e-14);

    // And in the middle of the piece behind it.
    double at[32];
    BerthSegment segment;
    assert_int_equal(berth_trajectory_segment(&merged, scene, 1, BERTH_INTERPOLATION_LINEAR, NULL, &segment),
                     BERTH_OK);
    berth_segment_values(scene, &segment, 0.5, at);
    const double there = acos(-1.0) / 4 * 1.25 / 2;
    assert_true(fabs(at[x] - 2.5) < 1e-14 && fabs(at[qz] - sin(there)) < 1e-14);

    berth_io_free_trajectory(&merged);
    berth_io_free_trajectory(&parts[0]);
    berth_io_free_trajectory(&parts[1]);
    berth_scene_destroy(scene);
}

static void what_cannot_be_merged_is_said(void** state) {
    (void)state;
    BerthScene* scene = arms_scene(2, false);
    static const struct {
        const char *a, *b, *said;
        BerthInterpolation interpolation;
    } cases[] = {
        {"time,left/elbow\n0,0\n1,1\n", "time,left/elbow,right/elbow\n0,0,0\n1,0,1\n",
         "b.csv: joint 'left/elbow' is in a.csv already", BERTH_INTERPOLATION_LINEAR},
        {"left/elbow\n0\n1\n", "time,right/elbow\n0,0\n1,1\n", "a.csv: it has no times",
         BERTH_INTERPOLATION_LINEAR},
        {"time,left/elbow\n0,0\n1,1\n", "right/elbow\n0\n1\n", "b.csv: it has no times",
         BERTH_INTERPOLATION_LINEAR},
        {"time,left/elbow\n0,0\n1,1\n", "time,right/elbow\n0,0\n1,1\n",
         "a.csv: cubic interpolation needs velocities", BERTH_INTERPOLATION_CUBIC},
        {"time,left/elbow,left/elbow:velocity\n0,0,0\n1,1,0\n",
         "time,right/elbow,right/elbow:velocity\n0,0,1e6\n9,1,0\n", "b.csv:2: value 3 runs up to",
         BERTH_INTERPOLATION_CUBIC},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        BerthTrajectory parts[2] = {expect_read("a.csv", cases[i].a, scene),
                                    expect_read("b.csv", cases[i].b, scene)};
        const BerthInterpolation each[2] = {cases[i].interpolation, cases[i].interpolation};
        BerthTrajectory merged;
        assert_int_equal(berth_trajectory_merge(parts, each, 2, scene, &merged), BERTH_ERR_PARSE);
        if (strstr(berth_error_text(), cases[i].said) == NULL) {
            fail_msg("case %zu: %s", i, berth_error_text());
        }
        berth_io_free_trajectory(&merged);
        berth_io_free_trajectory(&parts[0]);
        berth_io_free_trajectory(&parts[1]);
    }
    BerthTrajectory out;
    assert_int_equal(berth_trajectory_merge(NULL, NULL, 0, scene, &out), BERTH_ERR_ARGUMENT);
    berth_scene_destroy(scene);
}

static BerthStatus merge_two(void* user, const BerthAllocator* allocator) {
    static const char* const texts[] = {"time,left/elbow\n0,0\n1,1\n2,0\n", "time,right/elbow\n0.5,0\n1,1\n"};
    static const BerthInterpolation linear[2] = {BERTH_INTERPOLATION_LINEAR, BERTH_INTERPOLATION_LINEAR};
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    BerthTrajectory parts[2] = {{.positions = NULL}, {.positions = NULL}}, merged = {.positions = NULL};
    BerthStatus status = BERTH_OK;
    for (int i = 0; i < 2 && status == BERTH_OK; ++i) {
        status = bi_io_trajectory_from_bytes("t.csv", texts[i], strlen(texts[i]), user, &options, &parts[i]);
    }
    if (status == BERTH_OK) {
        status = berth_trajectory_merge(parts, linear, 2, user, &merged);
    }
    berth_io_free_trajectory(&merged);
    berth_io_free_trajectory(&parts[0]);
    berth_io_free_trajectory(&parts[1]);
    return status;
}

static void memory_may_fail(void** state) {
    (void)state;
    BerthScene* scene = arms_scene(2, false);
    assert_true(starve(merge_two, scene) > 8);
    berth_scene_destroy(scene);
}

// ---- what a file is executed as --------------------------------------------------------------------------------

static void the_file_decides_how_values_run(void** state) {
    (void)state;
    BerthScene* scene = arms_scene(1, false);
    static const struct {
        const char* text;
        int wanted;  // < 0: an error
        const char* said;
    } cases[] = {
        {"elbow\n0\n1\n", BERTH_INTERPOLATION_LINEAR, NULL},
        {"time,elbow\n0,0\n1,1\n", BERTH_INTERPOLATION_LINEAR, NULL},
        {"time,elbow,elbow:velocity\n0,0,0\n1,1,0\n", BERTH_INTERPOLATION_CUBIC, NULL},
        {"time,elbow,elbow:velocity,elbow:acceleration\n0,0,0,0\n1,1,0,0\n", BERTH_INTERPOLATION_QUINTIC,
         NULL},
        {"elbow,elbow:velocity\n0,0\n1,1\n", -1, "t.csv: velocities are given without times"},
        {"time,elbow,elbow:acceleration\n0,0,0\n1,1,0\n", -1,
         "t.csv: accelerations are given without velocities"},
        {"elbow,elbow:velocity\n0,0\n", BERTH_INTERPOLATION_CUBIC, NULL},  // one row: nothing is between
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        BerthTrajectory t = expect_read("t.csv", cases[i].text, scene);
        BerthInterpolation found;
        const BerthStatus status = berth_trajectory_interpolation(&t, &found);
        assert_int_equal(status, cases[i].wanted >= 0 ? BERTH_OK : BERTH_ERR_PARSE);
        if (cases[i].wanted >= 0) {
            assert_int_equal(found, cases[i].wanted);
        } else if (strstr(berth_error_text(), cases[i].said) == NULL) {
            fail_msg("case %zu: %s", i, berth_error_text());
        }
        berth_io_free_trajectory(&t);
    }
    assert_string_equal(berth_interpolation_name(BERTH_INTERPOLATION_QUINTIC), "quintic");
    berth_scene_destroy(scene);
}

int test_io_merge(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_state_their_error),
        cmocka_unit_test(merged_motions_are_what_each_file_says),
        cmocka_unit_test(an_arc_that_is_cut_stays_the_arc),
        cmocka_unit_test(what_cannot_be_merged_is_said),
        cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(the_file_decides_how_values_run),
    };
    return cmocka_run_group_tests_name("io_merge", tests, NULL, NULL);
}
