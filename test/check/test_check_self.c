// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The list of comparisons and the queries that go through it: every pair exactly once, and the answers of a loop over all
// pairs, within limits and outside, for one robot alone and for whole scenes.
// test-share: 0.3

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
#include "support/kit.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/worlds.h"

int test_check_self(void);

enum { VALUE_MAX = 512 };

static BerthChecker* make_checker_by(const BerthScene* scene, const BerthCheckerLab* lab, double margin) {
    BerthCheckerDef def = berth_default_checker_def();
    def.lab = lab;
    def.margin = margin;
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
    return checker;
}

static BerthChecker* make_checker(const BerthScene* scene, BerthTables tables, double margin) {
    const BerthCheckerLab lab = {.tables = tables};
    return make_checker_by(scene, &lab, margin);
}

// ---- the list -----------------------------------------------------------------------------------------------

// Blocks are nested, what a block says holds for everything in it. Counts how often each pair is there.
static void examine_list(const BerthScene* scene, const CompareList* walk, const CompareStep* steps,
                         int32_t count, int32_t* seen) {
    for (int32_t i = 0; i < count; ++i) {
        const CompareStep* step = &steps[i];
        assert_true(step->a >= 0 && step->a < walk->ball_count && step->b >= 0 && step->b < walk->ball_count);
        assert_true(step->skip >= 1 && i + step->skip <= count);
        if (step->pair >= 0) {
            const ScenePair* pair = &scene->pairs[step->pair];
            assert_int_equal(step->skip, 1);
            assert_true((step->a == pair->body_a && step->b == pair->body_b) ||
                        (step->a == pair->body_b && step->b == pair->body_a));
            assert_true((double)step->padding >= pair->padding);
            seen[step->pair] += 1;
            continue;
        }
        assert_true(step->skip > 1);
        for (int32_t k = i + 1; k < i + step->skip; ++k) {
            assert_true(k + steps[k].skip <= i + step->skip);
            assert_true(steps[k].least >= step->least && steps[k].padding <= step->padding);
        }
    }
}

static void examine_walk(const BerthScene* scene, const BerthChecker* checker) {
    if (!checker->has_comparisons) {
        fail_msg("there is no list");
    }
    const CompareList* walk = &checker->comparisons;
    int32_t* every = calloc((size_t)scene->pair_count + 1, sizeof *every);
    int32_t* near = calloc((size_t)scene->pair_count + 1, sizeof *near);
    float* least = calloc((size_t)scene->pair_count + 1, sizeof *least);
    assert_true(every != NULL && near != NULL && least != NULL);
    examine_list(scene, walk, walk->every, walk->every_count, every);
    examine_list(scene, walk, walk->near, walk->near_count, near);
    for (int32_t i = 0; i < walk->every_count; ++i) {
        if (walk->every[i].pair >= 0) {
            least[walk->every[i].pair] = walk->every[i].least;
        }
    }
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const bool constant = scene->pairs[i].constant;
        assert_int_equal(every[i], constant ? 0 : 1);
        assert_int_equal(near[i], constant || (double)least[i] > checker->margin ? 0 : 1);
    }
    // The parts about one robot hold its own pairs and no others.
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        for (int32_t i = 0; i < walk->every_count; ++i) {
            const int32_t p = walk->every[i].pair;
            const bool own = p >= 0 && scene->bodies[scene->pairs[p].body_a].robot == r &&
                             scene->bodies[scene->pairs[p].body_b].robot == r;
            const bool inside = i >= walk->every_self[r].first && i < walk->every_self[r].end;
            assert_true(p < 0 || own == inside);
        }
    }
    free(every);
    free(near);
    free(least);
}

// The robot's frame whose MR a ball of the list is, -1 when it is another one: of a body, or around several of a frame.
static int32_t subtree_of_ball(const BerthScene* scene, const CompareList* walk, int32_t ball) {
    return ball >= scene->body_count && walk->balls[ball].robot == 0
               ? walk->balls[ball].frame - scene->robots[0].first_frame
               : -1;
}

// What a block of the walk says is what the paper's tables say: rigid of a link and a subtree, motion of two subtrees, scfree of
// all of it. One body a frame, so that a ball is a link's or a subtree's.
static void blocks_are_the_tables(void** state) {
    (void)state;
    int64_t rigid = 0, motion = 0, whole = 0;
    for (int i = 0; i < test_scaled(300); ++i) {
        Random random = {.state = 5200u + (uint64_t)i};
        const WorldPlan plan = {.style = WORLD_CONVEX, .robots = 1, .joints = 12, .objects = 0};
        World* world = world_make(&random, &plan);
        const BerthScene* scene = world->scene;
        const BerthRobot* robot = scene->robots[0].robot;
        BerthChecker* checker = make_checker(scene, BERTH_TABLES_BALLS, 0.0);
        const HierarchyDef def = bi_hierarchy_default_def();
        Hierarchy* h = NULL;
        assert_int_equal(bi_hierarchy_create(robot, &def, &h), BERTH_OK);

        int32_t bodies[256] = {0};  // of each frame
        for (int32_t k = 0; k < scene->body_count; ++k) {
            bodies[scene->bodies[k].frame < 0 ? 0 : scene->bodies[k].frame - scene->robots[0].first_frame] +=
                1;
        }
        const CompareList* walk = &checker->comparisons;
        for (int32_t s = walk->every_self[0].first; s < walk->every_self[0].end; ++s) {
            const CompareStep* step = &walk->every[s];
            if (step->pair >= 0 || scene->pairs[0].padding > 0.0 || world->brute.allow_count > 0) {
                continue;  // the scene has rules of its own
            }
            const int32_t fa = subtree_of_ball(scene, walk, step->a),
                          fb = subtree_of_ball(scene, walk, step->b);
            const bool link_a = step->a < scene->body_count, link_b = step->b < scene->body_count;
            if (step->a == step->b && s == walk->every_self[0].first &&
                step->skip == walk->every_self[0].end - walk->every_self[0].first) {
                assert_true(step->least == h->self_free[0]);
                whole += 1;
            } else if (link_a != link_b && (link_a ? fb : fa) > 0 && bodies[link_a ? fb : fa] <= 1) {
                const int32_t frame = scene->bodies[link_a ? step->a : step->b].frame;
                const int32_t own = frame < 0 ? 0 : frame - scene->robots[0].first_frame;
                if (bodies[own] == 1) {
                    assert_true(step->least ==
                                bi_hierarchy_entry(h->rigid_motion, h->frame_count, own, link_a ? fb : fa));
                    rigid += 1;
                }
            } else if (!link_a && !link_b && fa > 0 && fb > 0 && bodies[fa] <= 1 && bodies[fb] <= 1) {
                assert_true(step->least == bi_hierarchy_entry(h->motion_motion, h->frame_count, fa, fb));
                motion += 1;
            }
        }
        bi_hierarchy_destroy(h);
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    print_message("report blocks: %lld rigid, %lld motion, %lld scfree\n", (long long)rigid,
                  (long long)motion, (long long)whole);
    assert_true(rigid > 0 && motion > 0 && whole > 0);
}

// ---- the answers --------------------------------------------------------------------------------------------

typedef struct Same {
    int64_t states, outside, free, hits, unknown;
    double worst;  // difference of two clearances
} Same;

static void compare_answers(const char* name, const BerthCheckResult* a, const BerthCheckResult* b,
                            double tolerance, Same* same) {
    same->free += b->verdict == BERTH_FREE;
    same->hits += b->verdict == BERTH_COLLISION;
    same->unknown += b->verdict == BERTH_UNKNOWN;
    // A table may decide what a query could not; nothing else may differ.
    if (a->verdict != b->verdict && !(b->verdict == BERTH_UNKNOWN && a->verdict == BERTH_FREE)) {
        fail_msg("%s: verdict %d by the list, %d by all pairs", name, (int)a->verdict, (int)b->verdict);
    }
    assert_int_equal(a->has_clearance, b->has_clearance);
    if (a->has_clearance) {
        same->worst = fmax(same->worst, fabs(a->clearance.upper - b->clearance.upper));
        const double least = fmin(a->clearance.upper, b->clearance.upper);
        const double most = fmax(a->clearance.upper, b->clearance.upper);
        assert_true(most <= least * (1.0 + tolerance) + 1e-9);
        assert_true(a->clearance.lower <= b->clearance.upper && b->clearance.lower <= a->clearance.upper);
    }
}

static bool has_hit(const BerthCheckResult* result, const BerthHit* hit) {
    for (int32_t i = 0; i < result->hit_count; ++i) {
        if (result->hits[i].body_a == hit->body_a && result->hits[i].body_b == hit->body_b) {
            return true;
        }
    }
    return false;
}

// With fewer candidates another hit may be told first. It must be one of all.
static void expect_true_hit(BerthChecker* plain, const double* values, const BerthHit* told) {
    const BerthHit hit = *told;
    BerthCheckResult all;
    const BerthCheckRequest request = {.all = true};
    assert_int_equal(berth_check_state(plain, values, &request, &all), BERTH_OK);
    assert_true(has_hit(&all, &hit));
}

// Where one witness would do there is none: then there is none at all. The question about all of them takes no short cuts.
static void expect_no_hit(BerthChecker* plain, int32_t robot, const double* values) {
    BerthCheckResult all;
    const BerthCheckRequest request = {.all = true};
    assert_int_equal(robot < 0 ? berth_check_state(plain, values, &request, &all)
                               : berth_check_self(plain, robot, values, &request, &all),
                     BERTH_OK);
    assert_int_equal(all.hit_count, 0);
}

// One state asked in every way: by the list and by a loop over all pairs, the scene and each robot alone.
static void compare_state(const char* name, BerthChecker* walked, BerthChecker* plain, const double* values,
                          int way, Same* same) {
    const BerthCheckRequest request = {
        .distance = way % 2 == 0, .all = way % 5 == 4, .tolerance = way % 4 == 2 ? 0.3 : 0.0};
    same->states += 1;
    same->outside += !bi_compare_within_limits(&walked->comparisons, values, walked->value_count);
    for (int32_t r = -1; r < walked->robot_count; ++r) {
        BerthCheckResult a, b;
        const BerthStatus sa = r < 0 ? berth_check_state(walked, values, &request, &a)
                                     : berth_check_self(walked, r, values, &request, &a);
        const BerthStatus sb = r < 0 ? berth_check_state(plain, values, &request, &b)
                                     : berth_check_self(plain, r, values, &request, &b);
        assert_int_equal(sa, BERTH_OK);
        assert_int_equal(sb, BERTH_OK);
        compare_answers(name, &a, &b, request.tolerance, same);
        if (request.all) {
            assert_int_equal(a.hit_count, b.hit_count);
            assert_int_equal(a.pair_count, b.pair_count);
        }
        for (int32_t i = 0; r >= 0 && i < b.hit_count; ++i) {
            assert_int_equal(walked->scene->bodies[b.hits[i].body_a].robot, r);
            assert_int_equal(walked->scene->bodies[b.hits[i].body_b].robot, r);
        }
        if (a.hit_count > 0 && !request.distance) {
            expect_true_hit(plain, values, &a.hits[0]);
        } else if (!request.distance && !request.all) {
            expect_no_hit(plain, r, values);
        }
    }
}

// The least over all pairs of one robot, asked one by one: what a self query must find.
static void compare_with_pairs(BerthChecker* walked, BerthChecker* plain, const double* values) {
    BerthCheckResult a, all;
    const BerthCheckRequest nearest = {.distance = true}, each = {.distance = true, .all = true};
    assert_int_equal(berth_check_self(walked, 0, values, &nearest, &a), BERTH_OK);
    assert_int_equal(berth_check_state(plain, values, &each, &all), BERTH_OK);
    double least = INFINITY;
    int hits = 0;
    for (int32_t i = 0; i < all.pair_count; ++i) {
        const BerthPairGap* gap = &all.pairs[i];
        if (plain->scene->bodies[gap->body_a].robot == 0 && plain->scene->bodies[gap->body_b].robot == 0) {
            least = fmin(least, gap->upper);
            hits += gap->upper <= plain->margin;
        }
    }
    assert_int_equal(a.verdict, hits > 0 ? BERTH_COLLISION : BERTH_FREE);
    if (hits == 0 && least < INFINITY) {
        assert_true(fabs(a.clearance.upper - least) < 1e-9);
    }
}

static void report(const char* name, const Same* same) {
    print_message(
        "report %s: %lld states, %lld of them outside limits; %lld answers free, %lld hits, %lld unknown; "
        "clearances differ by %.2g m at most\n",
        name, (long long)same->states, (long long)same->outside, (long long)same->free, (long long)same->hits,
        (long long)same->unknown, same->worst);
}

static void random_scenes(void** state) {
    (void)state;
    Same same = {0};
    for (int i = 0; i < test_scaled(250); ++i) {
        Random random = {.state = 900u + (uint64_t)i};
        const WorldPlan plan = {.style = (WorldStyle)(i % WORLD_STYLE_COUNT),
                                .robots = 1 + i % 3,
                                .joints = 7,
                                .objects = i % 4 == 3 ? 0 : 8};
        World* world = world_make(&random, &plan);
        const double margin = i % 3 == 0 ? 0.0 : 0.02;
        const BerthCheckerLab lab = {.subtrees = i % 5 < 2 ? BERTH_SUBTREES_SWEPT : BERTH_SUBTREES_PLACED};
        BerthChecker* walked = make_checker_by(world->scene, &lab, margin);
        BerthChecker* plain = make_checker(world->scene, BERTH_TABLES_NONE, margin);
        assert_false(plain->has_comparisons);
        examine_walk(world->scene, walked);
        double values[VALUE_MAX];
        for (int k = 0; k < 12; ++k) {
            world_values(world, &random, values);
            compare_state("random scene", walked, plain, values, k, &same);
        }
        berth_checker_destroy(walked);
        berth_checker_destroy(plain);
        world_destroy(world);
    }
    report("random scenes", &same);
}

// ---- real robots --------------------------------------------------------------------------------------------

static BerthScene* scene_of(BerthRobot* robot, double padding, int copies) {
    BerthScene* scene = NULL;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    for (int i = 0; i < copies; ++i) {
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        char name[16];
        snprintf(name, sizeof name, "r%d", i);
        def.name = copies > 1 ? name : NULL;
        def.robot = robot;
        def.own = i == 0;
        def.padding = padding;
        def.world_from_base.t = v3(0.9 * i, 0.2 * i, 0);
        assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
    }
    return scene;
}

static void add_objects(BerthScene* scene, Random* random, int count) {
    for (int i = 0; i < count; ++i) {
        char name[24];
        snprintf(name, sizeof name, "object%d", i);
        BerthObjectDef def = berth_default_object_def();
        const BerthShape shape = i == 0 ? kit_plane(v3(0, 0, 1), -1.5)
                                        : test_shape(i % 2 == 0 ? BERTH_BOX : BERTH_SPHERE, 0.1, random);
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &def.solid), BERTH_OK);
        def.name = name;
        def.pose = i == 0 ? pose_identity() : test_pose(random, 2.0);
        assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
    }
}

// States within limits, near the default, and beyond limits.
static void some_values(const BerthScene* scene, Random* random, int kind, double* values) {
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const BerthRobot* robot = scene->robots[r].robot;
        double* q = values + scene->robots[r].first_value;
        double still[VALUE_MAX];
        bi_robot_random_values(robot, random, q);
        berth_robot_default_values(robot, still);
        const double share = kind == 0 ? 1.0 : kind == 1 ? bi_random_between(random, 0, 0.5) : 1.4;
        for (int32_t i = 0; i < robot->value_count; ++i) {
            if (robot->values[i].type != BERTH_JOINT_FLOATING) {
                q[i] = still[i] + share * (q[i] - still[i]);
            }
        }
    }
}

static void examine_scene(const char* name, BerthScene* scene, double margin, int states) {
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    BerthChecker* walked = make_checker(scene, BERTH_TABLES_BALLS, margin);
    BerthChecker* plain = make_checker(scene, BERTH_TABLES_NONE, margin);
    examine_walk(scene, walked);
    Random random = {77};
    Same same = {0};
    double values[VALUE_MAX];
    assert_true(scene->value_count <= VALUE_MAX);
    for (int i = 0; i < states; ++i) {
        some_values(scene, &random, i % 3, values);
        compare_state(name, walked, plain, values, i, &same);
        if (i % 25 == 0) {
            compare_with_pairs(walked, plain, values);
        }
    }
    assert_true(states < 30 || same.outside > 0);
    report(name, &same);
    berth_checker_destroy(walked);
    berth_checker_destroy(plain);
}

// By tables that a prover made, with a margin that its proofs say nothing about, and without one.
static void examine_proven(const char* name, BerthScene* scene, int states) {
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    for (int m = 0; m < 2; ++m) {
        const double margin = m == 0 ? 0.0 : 0.01;
        BerthChecker* walked = make_checker(scene, BERTH_TABLES_PROVEN, margin);
        BerthChecker* plain = make_checker(scene, BERTH_TABLES_NONE, margin);
        examine_walk(scene, walked);
        Random random = {78};
        Same same = {0};
        double values[VALUE_MAX];
        for (int i = 0; i < states; ++i) {
            some_values(scene, &random, i % 3, values);
            compare_state(name, walked, plain, values, i, &same);
        }
        report(name, &same);
        berth_checker_destroy(walked);
        berth_checker_destroy(plain);
    }
}

static void run_shared(const char* name, bool use_srdf, int states, int objects) {
    BerthRobot* robot = test_read_robot(test_robot_named(name), use_srdf, true);
    if (robot == NULL) {
        TEST_SKIP("no shared robots");
    }
    Random random = {41};
    BerthScene* scene = scene_of(robot, objects > 0 ? 0.01 : 0.0, 1);
    add_objects(scene, &random, objects);
    examine_scene(name, scene, 0.0, test_scaled(states));
    berth_scene_destroy(scene);
}

static void romeo(void** state) {
    (void)state;
    run_shared("romeo", true, 120, 0);
}

static void pr2(void** state) {
    (void)state;
    if (test_is_whole()) {  // reading it takes seconds
        run_shared("pr2", false, 45, 0);
    }
}

static void dual_panda(void** state) {
    (void)state;
    run_shared("dual_panda_close", true, 300, 0);
}

static void panda_proven(void** state) {
    (void)state;
    BerthRobot* robot = test_read_robot(test_robot_named("panda_mbm"), false, true);
    if (robot == NULL) {
        TEST_SKIP("no shared robots");
    }
    Random random = {43};
    BerthScene* scene = scene_of(robot, 0.0, 1);
    add_objects(scene, &random, 8);
    examine_proven("panda, proven", scene, test_scaled(400));
    berth_scene_destroy(scene);
}

static void panda_among_objects(void** state) {
    (void)state;
    run_shared("panda_mbm", true, 300, 60);
}

// Two robots of one kind that can reach each other, with padding, and a margin.
static void two_robots(void** state) {
    (void)state;
    BerthRobot* robot = test_read_robot(test_robot_named("ur5"), true, true);
    if (robot == NULL) {
        TEST_SKIP("no shared robots");
    }
    BerthScene* scene = scene_of(robot, 0.02, 2);
    Random random = {42};
    add_objects(scene, &random, 12);
    examine_scene("two robots", scene, 0.002, test_scaled(300));
    berth_scene_destroy(scene);
}

static void model(const char* name, int states) {
    char path[4096];
    snprintf(path, sizeof path, "%s/models/%s/cell.yaml", BERTH_BUILD_DIR, name);
    const BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    if (berth_io_read_scene(path, &options, &scene) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    examine_scene(name, scene, 0.0, test_scaled(states));
    berth_scene_destroy(scene);
}

static void humanoid(void** state) {
    (void)state;
    model("humanoid23", 60);
}

static void kitchen(void** state) {
    (void)state;
    model("kitchen", 30);
}

// ---- attached objects, requests -----------------------------------------------------------------------------

// What a robot holds is not in its tables: it must still be compared with the robot's own links, and be found where only
// it reaches.
static void held_objects_are_found(void** state) {
    (void)state;
    Kit kit = kit_new();
    int link = 0;
    kit_solid(&kit, 0, kit_ball(0.05), v3(0, 0, 0));
    for (int i = 0; i < 3; ++i) {
        link = kit_link(&kit, link, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(i == 0 ? 0 : 1, 0, 0));
        kit_solid(&kit, link, kit_ball(0.05), v3(0.5, 0, 0));
    }
    kit_robot(&kit, NULL);
    (void)kit_object(&kit, kit_ball(0.05), kit_at(1.2, 0, 0), "link3");
    kit_commit(&kit);
    BerthChecker* walked = make_checker(kit.scene, BERTH_TABLES_BALLS, 0.0);
    BerthChecker* plain = make_checker(kit.scene, BERTH_TABLES_NONE, 0.0);
    examine_walk(kit.scene, walked);
    Random random = {3};
    Same same = {0};
    for (int i = 0; i < test_scaled(20000); ++i) {
        double values[3];
        for (int k = 0; k < 3; ++k) {
            values[k] = bi_random_between(&random, -3.5, 3.5);
        }
        compare_state("held", walked, plain, values, i, &same);
    }
    assert_true(same.hits > 0 && same.free > 0);
    report("held", &same);
    berth_checker_destroy(walked);
    berth_checker_destroy(plain);
    kit_free(&kit);
}

static void wrong_requests_are_refused(void** state) {
    (void)state;
    Kit kit = kit_new();
    kit_solid(&kit, 0, kit_ball(0.1), v3(0, 0, 0));
    kit_robot(&kit, NULL);
    kit_commit(&kit);
    BerthCheckerDef def = berth_default_checker_def();
    BerthCheckerLab lab = {0};
    def.lab = &lab;
    lab.tables = BERTH_TABLES_COUNT;
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(kit.scene, &def, &checker), BERTH_ERR_ARGUMENT);
    checker = make_checker(kit.scene, BERTH_TABLES_BALLS, 0.0);
    const BerthCheckRequest request = {.distance = true};
    BerthCheckResult result;
    assert_int_equal(berth_check_self(checker, -1, NULL, &request, &result), BERTH_ERR_ARGUMENT);
    assert_int_equal(result.verdict, BERTH_UNKNOWN);
    assert_int_equal(berth_check_self(checker, 1, NULL, &request, &result), BERTH_ERR_ARGUMENT);
    assert_int_equal(result.verdict, BERTH_UNKNOWN);
    const double none[1] = {0};
    assert_int_equal(berth_check_self(checker, 0, none, &request, &result), BERTH_OK);
    assert_int_equal(result.verdict, BERTH_FREE);
    assert_false(result.has_clearance);
    berth_checker_destroy(checker);
    kit_free(&kit);
}

int test_check_self(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_the_tables),
        cmocka_unit_test(random_scenes),
        cmocka_unit_test(romeo),
        cmocka_unit_test(pr2),
        cmocka_unit_test(dual_panda),
        cmocka_unit_test(panda_among_objects),
        cmocka_unit_test(panda_proven),
        cmocka_unit_test(two_robots),
        cmocka_unit_test(humanoid),
        cmocka_unit_test(kitchen),
        cmocka_unit_test(held_objects_are_found),
        cmocka_unit_test(wrong_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
