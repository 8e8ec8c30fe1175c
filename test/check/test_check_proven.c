// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
// test-share: 0.2
//
// Pairs that a table proves apart are skipped only where the proof holds. FCL judges: in states up to 1 rad beyond joint
// limits and with margins, whatever is called free has no pair nearer than the margin, of all pairs that are neither
// declared nor assumed. An earlier version skipped such pairs everywhere: on the Panda link0 overlapped link2 and link3
// beyond the limits of joint2 in states that were free by 112 mm. Of a robot that is asked as spheres the pairs are those whose
// spheres are proven apart by a gap of their own: what was proven of its meshes is not enough.

#include <berth/lab/robot.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "check/check.h"
#include "math/math.h"
#include "support/proven.h"
#include "support/robots.h"
#include "support/setting.h"
#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
#include "support/proven_fcl.h"
#endif

int test_check_proven(void);

enum { VALUE_MAX = 64, MARGIN_COUNT = 4 };
static const double margins[MARGIN_COUNT] = {0.0, 0.005, 0.02, 0.05};

typedef struct Stage {
    BerthScene* scene;
    BerthRobot* robot;
    BerthChecker* checkers[MARGIN_COUNT];
} Stage;

// The robot with the SRDF that was made for it. False when its files are not there.
static bool stage_open(Stage* stage, const char* name, bool spheres_only) {
    char path[4096];
    const TestRobot* entry = test_robot_named(name);
    *stage = (Stage){0};
    BerthRobot* plain = test_read_robot_if_there(entry, false);
    if (plain == NULL || !test_shared_path(path, sizeof path, entry->urdf)) {
        return false;
    }

    BerthIoOptions options = berth_default_io_options();
    options.prove = true;  // what was proven once is proven again
    options.spheres_only = spheres_only;
    stage->scene = proven_scene(path, plain, &options, &stage->robot);
    berth_robot_destroy(plain);
    assert_true(stage->scene->proven_count > 0 && stage->scene->value_count <= VALUE_MAX);
    assert_int_equal(berth_scene_assumed_count(stage->scene) > 0,
                     stage->scene->assumed_count > 0);  // open meshes at most
    for (int i = 0; i < MARGIN_COUNT; ++i) {
        BerthCheckerDef checker = berth_default_checker_def();
        checker.margin = margins[i];
        assert_int_equal(berth_checker_create(stage->scene, &checker, &stage->checkers[i]), BERTH_OK);
    }
    return true;
}

static void stage_close(Stage* stage) {
    for (int i = 0; i < MARGIN_COUNT; ++i) {
        berth_checker_destroy(stage->checkers[i]);
    }
    berth_scene_destroy(stage->scene);
    berth_robot_destroy(stage->robot);
}

// Within limits, or with a few values beyond them by up to 1 (radian, a tenth of that in metres). True: beyond.
static bool random_state(const Stage* stage, Random* random, bool beyond, double* values) {
    bi_robot_random_values(stage->robot, random, values);
    bool outside = false;
    for (int32_t i = 0; i < stage->robot->value_count; ++i) {
        const RobotValue* value = &stage->robot->values[i];
        if (beyond && value->has_limits && bi_random_next(random) % 3 == 0) {
            const double most = value->type == BERTH_JOINT_PRISMATIC ? 0.1 : 1.0;
            const double by = bi_random_between(random, 0.0, most);
            values[i] = bi_random_next(random) % 2 == 0 ? value->lower - by : value->upper + by;
            outside = outside || by > 0.0;
        }
    }
    return outside;
}

#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
typedef struct Findings {
    int64_t states, free, free_beyond, proven_hits;
} Findings;

static bool is_proven_pair(const BerthScene* scene, const BerthHit* hit) {
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        if (scene->pairs[i].body_a == hit->body_a && scene->pairs[i].body_b == hit->body_b) {
            return scene->pairs[i].proven_gap > 0.0;
        }
    }
    return false;
}

static void judge_states(const char* name, int count) {
    Stage stage;
    if (!stage_open(&stage, name, false)) {
        return;
    }

    ProvenJudge judge;
    proven_judge_open(&judge, stage.robot);
    Random random = {0x7072};
    Findings found = {0};
    for (int i = 0; i < count; ++i) {
        double values[VALUE_MAX];
        const bool outside = random_state(&stage, &random, i % 4 != 0, values);
        const int of = i % MARGIN_COUNT;
        const BerthCheckRequest request = {.all = i % 3 == 0};
        BerthCheckResult result;
        assert_int_equal(berth_check_state(stage.checkers[of], values, &request, &result), BERTH_OK);

        // What is proven is told: all of it within limits, but for gaps below the margin; nothing beyond.
        assert_int_equal(result.proven_count,
                         outside ? 0 : berth_scene_proven_count(stage.scene, values, values, margins[of]));
        found.states += 1;
        if (result.verdict == BERTH_FREE) {
            found.free += 1;
            found.free_beyond += outside;
            proven_judge_state(&judge, stage.scene, values, margins[of]);
        }
        for (int32_t k = 0; k < result.hit_count; ++k) {
            const bool proven = is_proven_pair(stage.scene, &result.hits[k]);
            assert_true(!proven || outside || margins[of] > 0.0);
            found.proven_hits += proven;
        }
    }

    print_message(
        "report %s: %d proven pairs, %lld states, %lld free, %lld of them beyond limits, %lld pairs "
        "asked of FCL, %lld not apart; %lld hits of pairs that are proven within limits\n",
        name, (int)stage.scene->proven_count, (long long)found.states, (long long)found.free,
        (long long)found.free_beyond, (long long)judge.asked, (long long)judge.wrong,
        (long long)found.proven_hits);
    assert_int_equal(judge.wrong, 0);
    assert_true(count < 1000 || (found.free_beyond > 0 && found.proven_hits > 0));
    proven_judge_close(&judge);
    stage_close(&stage);
}

static void free_beyond_limits_is_free(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not there");
    }
    const int count = test_is_long() ? 100000 : test_scaled(20000);
    judge_states("panda", count);
    judge_states("fanuc", count);
    judge_states("ur5", count / 4);
}

#endif

// The gap of a pair that is skipped counts in the clearance: what is told is what all pairs measured one by one give.
static void clearance_counts_proven_pairs(void** state) {
    (void)state;
    Stage stage;
    if (!stage_open(&stage, "fanuc", false)) {
        TEST_SKIP("the shared robots are not there");
    }

    Random random = {77};
    const int count = test_scaled(400);
    int nearest_proven = 0;
    for (int i = 0; i < count; ++i) {
        double values[VALUE_MAX];
        random_state(&stage, &random, false, values);
        BerthCheckResult result;
        const BerthCheckRequest near = {.distance = true}, each = {.distance = true, .all = true};
        assert_int_equal(berth_check_state(stage.checkers[0], values, &near, &result), BERTH_OK);
        const BerthPairGap told = result.clearance;
        const bool has = result.has_clearance;
        assert_int_equal(berth_check_state(stage.checkers[0], values, &each, &result), BERTH_OK);
        if (!has || result.hit_count > 0) {
            continue;
        }

        double least = INFINITY;
        const BerthHit hit = {.body_a = result.pairs[0].body_a, .body_b = result.pairs[0].body_b};
        for (int32_t k = 0; k < result.pair_count; ++k) {
            least = fmin(least, result.pairs[k].upper);
        }
        assert_true(told.lower <= least && fabs(told.upper - least) <= 1e-9);
        for (int32_t k = 0; k < stage.scene->pair_count; ++k) {
            const ScenePair* pair = &stage.scene->pairs[k];
            nearest_proven +=
                pair->body_a == hit.body_a && pair->body_b == hit.body_b && pair->proven_gap > 0.0;
        }
    }
    assert_true(nearest_proven > 0 || count < 400);
    stage_close(&stage);
}

// ---- a robot that is asked as spheres --------------------------------------------------------------------

// The gap of two links of spheres, by their centres and radii.
static double sphere_gap(const BerthRobot* robot, const BerthPose* links, int32_t link_a, int32_t link_b) {
    double least = INFINITY;
    for (int32_t i = 0; i < berth_robot_link(robot, link_a).solid_count; ++i) {
        for (int32_t k = 0; k < berth_robot_link(robot, link_b).solid_count; ++k) {
            BerthPose in_a, in_b;
            const BerthSolid* a = berth_robot_solid(robot, link_a, i, &in_a, NULL);
            const BerthSolid* b = berth_robot_solid(robot, link_b, k, &in_b, NULL);
            const Vec3 centre_a = pose_apply(&links[link_a], in_a.t);
            const Vec3 centre_b = pose_apply(&links[link_b], in_b.t);
            least = fmin(least, v3_distance(centre_a, centre_b) - a->shape.as.sphere.radius -
                                    b->shape.as.sphere.radius);
        }
    }
    return least;
}

// Every pair that the table of the meshes names is tried: what is proven of the spheres is never nearer than it says, in states
// of which many are at corners of the limits.
static void judge_sphere_gaps(const char* name, int count) {
    Stage stage;
    if (!stage_open(&stage, name, true)) {
        return;
    }
    static BerthPose links[512];
    const BerthRobot* robot = stage.robot;
    assert_int_equal(berth_robot_sphere_link_count(robot) > 0, true);
    assert_int_equal(berth_robot_table_use(robot, 0), BERTH_TABLE_OF_ORIGINAL);

    const BerthPose base = pose_identity();
    Random random = {0x5068};
    double nearest = INFINITY;
    for (int n = 0; n < count; ++n) {
        double values[VALUE_MAX];
        bi_robot_random_values(robot, &random, values);
        for (int32_t i = 0; i < robot->value_count; ++i) {
            const uint64_t which = bi_random_next(&random) % 4;
            if (robot->values[i].has_limits && which < 2) {
                values[i] = which == 0 ? robot->values[i].lower : robot->values[i].upper;
            }
        }
        berth_robot_link_poses(robot, &base, values, links);
        for (int32_t i = 0; i < stage.scene->pair_count; ++i) {
            const ScenePair* pair = &stage.scene->pairs[i];
            if (pair->proven_gap > 0.0) {
                const double gap = sphere_gap(robot, links, stage.scene->bodies[pair->body_a].link,
                                              stage.scene->bodies[pair->body_b].link);
                nearest = fmin(nearest, gap - pair->proven_gap);
                assert_true(gap > pair->proven_gap);
            }
        }
    }
    print_message("report %s as spheres: %d proven pairs, %d states, the nearest %g m above its gap\n", name,
                  (int)stage.scene->proven_count, count, nearest);
    stage_close(&stage);
}

static void spheres_have_gaps_of_their_own(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not there");
    }
    if (!test_is_whole()) {
        return;  // a fit of meshes: sanitizers see those in test_cover
    }
    judge_sphere_gaps("panda", test_is_long() ? 200000 : 4000);
    if (test_is_long()) {
        judge_sphere_gaps("fanuc", 200000);
        judge_sphere_gaps("ur5", 200000);
    }
}

int test_check_proven(void) {
    const struct CMUnitTest tests[] = {
#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
        cmocka_unit_test(free_beyond_limits_is_free),
#endif
        cmocka_unit_test(clearance_counts_proven_pairs),
        cmocka_unit_test(spheres_have_gaps_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
