// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Real robots among objects against FCL on poses from KDL: other geometry, other kinematics. FCL errs (peer_fcl.h says
// where, and it takes closed meshes for surfaces), so every difference goes before the brute force, and berth must be
// the one who is right.
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

#include <berth/io.h>

#include "math/math.h"
#include "support/brute.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"

#if BERTH_HAVE_ORACLES
#include "oracle/peer_kdl.h"
#include "support/fcl.h"

enum { PART_MAX = 400, VALUE_MAX = 100, BODY_MAX = 200 };
// FCL's distances of meshes and boxes are good to 1e-15 of the size; KDL's sums differ from ours by some 1e-15.
static const double agree = 1e-9;

typedef struct Part {
    int body;
    const BerthSolid* solid;
    BerthPose in_body;
    PeerFcl* peer;
    int peer_body;  // -1 for obstacles
    BrutePart brute;
    bool has_brute;
    double pose[12];
} Part;

typedef struct Cell {
    const char* name;
    BerthRobot* robot;
    BerthScene* scene;
    BerthChecker* checker;
    PeerKdl* kdl;
    PeerFclWorld* peer;
    Part parts[PART_MAX];
    int part_count;
    int64_t states, free, hits, pairs, pair_hits, differences, solid_differences, fcl_wrong;
    double worst;
} Cell;

// ---- the other side -------------------------------------------------------------------------------------------

static BerthPose from_rows(const double r[12]) {
    return (BerthPose){{r[0], r[3], r[6]}, {r[1], r[4], r[7]}, {r[2], r[5], r[8]}, {r[9], r[10], r[11]}};
}

static void add_part(Cell* cell, int body, const BerthSolid* solid, const BerthPose* in_body, bool obstacle) {
    assert_true(cell->part_count < PART_MAX);
    Part* part = &cell->parts[cell->part_count++];
    *part = (Part){.body = body, .solid = solid, .in_body = *in_body, .peer_body = -1};
    part->peer = fcl_solid(solid);
    assert_non_null(part->peer);
    if (obstacle) {
        fcl_rows(in_body, part->pose);
        peer_fcl_world_add_obstacle(cell->peer, part->peer, part->pose);
    } else {
        part->peer_body = peer_fcl_world_add_body(cell->peer, part->peer);
    }
}

static void build_peers(Cell* cell) {
    cell->peer = peer_fcl_world_create();
    const int body_count = berth_scene_body_count(cell->scene);
    for (int b = 0; b < body_count; ++b) {
        const BerthBodyInfo info = berth_scene_body(cell->scene, b);
        for (int i = 0; i < info.part_count; ++i) {
            BerthPose pose;
            if (info.object.age == 0 && info.object.slot == 0) {
                const BerthSolid* solid = berth_robot_solid(cell->robot, info.link, i, &pose, NULL);
                add_part(cell, b, solid, &pose, false);
            } else {
                BerthObjectInfo object;
                assert_int_equal(berth_scene_object(cell->scene, info.object, &object), BERTH_OK);
                const BerthSolid* solid = berth_scene_object_part(cell->scene, info.object, i, &pose);
                pose = berth_pose_multiply(&object.pose, &pose);
                add_part(cell, b, solid, &pose, true);
            }
        }
    }
    for (int i = 0; i < berth_scene_pair_count(cell->scene); ++i) {
        int32_t a = -1, b = -1;
        berth_scene_pair(cell->scene, i, &a, &b);
        for (int p = 0; p < cell->part_count; ++p) {
            for (int q = 0; q < cell->part_count; ++q) {
                if (cell->parts[p].body == a && cell->parts[q].body == b && cell->parts[p].peer_body >= 0 &&
                    cell->parts[q].peer_body >= 0) {
                    peer_fcl_world_add_self_pair(cell->peer, cell->parts[p].peer_body,
                                                 cell->parts[q].peer_body);
                }
            }
        }
    }
    peer_fcl_world_setup(cell->peer);
}

// Poses of every link's parts by KDL; mimic joints get what urdfdom says they follow.
static void peer_poses(Cell* cell, const double* values, double* rows) {
    enum { JOINT_MAX = 200 };
    const char* names[JOINT_MAX];
    double at[JOINT_MAX];
    const int count = peer_kdl_joint_count(cell->kdl);
    assert_true(count < JOINT_MAX);
    for (int i = 0; i < count; ++i) {
        names[i] = peer_kdl_joint_name(cell->kdl, i);
        double multiplier = 1, offset = 0, m = 1, o = 0;
        const char* leader = names[i];
        for (const char* next = peer_kdl_joint_mimics(cell->kdl, i, &m, &o); next != NULL;) {
            offset += multiplier * o;
            multiplier *= m;
            leader = next;
            next = NULL;
            for (int k = 0; k < count; ++k) {
                if (strcmp(peer_kdl_joint_name(cell->kdl, k), leader) == 0) {
                    next = peer_kdl_joint_mimics(cell->kdl, k, &m, &o);
                }
            }
        }
        const int32_t value = berth_scene_find_value(cell->scene, leader);
        at[i] = multiplier * (value >= 0 ? values[value] : 0.0) + offset;
    }
    const char* last = NULL;
    double link_rows[12];
    for (int p = 0; p < cell->part_count; ++p) {
        Part* part = &cell->parts[p];
        if (part->peer_body < 0) {
            continue;
        }
        const char* link = berth_scene_body_name(cell->scene, part->body);
        if (last != link) {
            assert_int_equal(peer_kdl_link_pose(cell->kdl, link, names, at, count, link_rows), 0);
            last = link;
        }
        const BerthPose world_from_link = from_rows(link_rows);
        const BerthPose pose = berth_pose_multiply(&world_from_link, &part->in_body);
        fcl_rows(&pose, part->pose);
        memcpy(rows + 12 * part->peer_body, part->pose, sizeof part->pose);
    }
}

// ---- the judge ------------------------------------------------------------------------------------------------

static const BrutePart* judge_part(Part* part) {
    if (!part->has_brute) {
        part->brute = brute_solid(part->solid);
        part->brute.body_from_part = (Lpose){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
        part->has_brute = true;
    }
    const BerthPose pose = from_rows(part->pose);
    const Lpose world = lpose_of(&pose);
    brute_pose_part(&part->brute, &world);
    return &part->brute;
}

static BruteGap judge(Cell* cell, int body_a, int body_b) {
    BruteGap best = {.lower = INFINITY, .upper = INFINITY};
    for (int p = 0; p < cell->part_count; ++p) {
        for (int q = 0; q < cell->part_count; ++q) {
            if (cell->parts[p].body == body_a && cell->parts[q].body == body_b) {
                const BruteGap gap = brute_gap(judge_part(&cell->parts[p]), judge_part(&cell->parts[q]));
                best.lower = fminl(best.lower, gap.lower);
                best.upper = fminl(best.upper, gap.upper);
            }
        }
    }
    return best;
}

// FCL says that something is nearer than `least`, or collides: for every pair of which it says so, it must be wrong.
static void refute_peer(Cell* cell, double least, const double* values) {
    bool found = false;
    for (int i = 0; i < berth_scene_pair_count(cell->scene); ++i) {
        int32_t a = -1, b = -1;
        berth_scene_pair(cell->scene, i, &a, &b);
        bool said = false;
        for (int p = 0; p < cell->part_count; ++p) {
            for (int q = 0; q < cell->part_count; ++q) {
                const Part* x = &cell->parts[p];
                const Part* y = &cell->parts[q];
                if (x->body == a && y->body == b) {
                    said =
                        said || peer_fcl_collide(x->peer, x->pose, y->peer, y->pose) ||
                        peer_fcl_distance(x->peer, x->pose, y->peer, y->pose, NULL, NULL) < least - agree / 2;
                }
            }
        }
        if (said) {
            found = true;
            const BruteGap gap = judge(cell, a, b);
            if (!(gap.upper >= least - 1e-12)) {
                print_message("%s: %s %s: FCL is right, gap %.17Lg, berth says more than %.17g\n", cell->name,
                              berth_scene_body_name(cell->scene, a), berth_scene_body_name(cell->scene, b),
                              gap.upper, least);
                for (int k = 0; k < berth_scene_value_count(cell->scene); ++k) {
                    print_message("%.17g ", values[k]);
                }
                fail_msg("refuted");
            }
            cell->fcl_wrong += 1;
        }
    }
    (void)found;
}

// ---- one state ------------------------------------------------------------------------------------------------

static void compare_state(Cell* cell, const double* values, bool distance) {
    static double rows[12 * PART_MAX];
    peer_poses(cell, values, rows);
    const BerthCheckRequest request = {.distance = distance};
    BerthCheckResult r;
    assert_int_equal(berth_check_state(cell->checker, values, &request, &r), BERTH_OK);
    const int peer_hit = peer_fcl_world_check(cell->peer, rows);
    assert_true(r.verdict != BERTH_UNKNOWN);
    cell->states += 1;
    cell->free += r.verdict == BERTH_FREE;
    cell->hits += r.verdict == BERTH_COLLISION;
    if (r.verdict == BERTH_COLLISION && !peer_hit) {
        const BruteGap gap = judge(cell, r.hits[0].body_a, r.hits[0].body_b);
        if (!(gap.lower <= 1e-12L)) {
            fail_msg("%s: HIT of %s and %s, but the gap is %.17Lg", cell->name,
                     berth_scene_body_name(cell->scene, r.hits[0].body_a),
                     berth_scene_body_name(cell->scene, r.hits[0].body_b), gap.lower);
        }
        cell->differences += 1;
        cell->solid_differences += 1;
    }
    if (r.verdict == BERTH_FREE && peer_hit) {
        cell->differences += 1;
        refute_peer(cell, 0.0, values);
    }
    if (!distance || r.verdict != BERTH_FREE || peer_hit || !r.has_clearance) {
        return;
    }
    const double peer = peer_fcl_world_distance_self(cell->peer, rows);
    cell->worst = fmax(cell->worst, fabs(peer - r.clearance.upper));
    if (peer < r.clearance.lower - agree) {
        cell->differences += 1;
        refute_peer(cell, r.clearance.lower, values);
    } else if (!(peer <= r.clearance.upper + agree)) {
        cell->differences += 1;
        const BruteGap gap = judge(cell, r.clearance.body_a, r.clearance.body_b);
        if (!(gap.lower <= r.clearance.upper + 1e-9L) || !(gap.upper >= r.clearance.lower - 1e-12L)) {
            fail_msg("%s: clearance [%.17g, %.17g], FCL %.17g, truth %.17Lg", cell->name, r.clearance.lower,
                     r.clearance.upper, peer, gap.upper);
        }
        cell->fcl_wrong += 1;
    }
}

// Every pair's verdict: the list of hits against FCL's word about each pair.
static void compare_pairs(Cell* cell, const double* values) {
    static double rows[12 * PART_MAX];
    peer_poses(cell, values, rows);
    const BerthCheckRequest request = {.all = true};
    BerthCheckResult r;
    assert_int_equal(berth_check_state(cell->checker, values, &request, &r), BERTH_OK);
    assert_true(r.verdict != BERTH_UNKNOWN);
    for (int i = 0; i < berth_scene_pair_count(cell->scene); ++i) {
        int32_t a = -1, b = -1;
        berth_scene_pair(cell->scene, i, &a, &b);
        bool listed = false;
        bool peer = false;
        for (int32_t k = 0; k < r.hit_count; ++k) {
            listed = listed || (r.hits[k].body_a == a && r.hits[k].body_b == b) ||
                     (r.hits[k].body_a == b && r.hits[k].body_b == a);
        }
        for (int p = 0; p < cell->part_count; ++p) {
            for (int q = 0; cell->parts[p].body == a && q < cell->part_count; ++q) {
                peer = peer || (cell->parts[q].body == b &&
                                peer_fcl_collide(cell->parts[p].peer, cell->parts[p].pose,
                                                 cell->parts[q].peer, cell->parts[q].pose));
            }
        }
        cell->pairs += 1;
        cell->pair_hits += listed;
        if (listed == peer) {
            continue;
        }
        const BruteGap gap = judge(cell, a, b);
        if (listed ? !(gap.lower <= 1e-12L) : !(gap.upper > 0)) {
            fail_msg("%s: %s and %s are %s, but the gap is [%.17Lg, %.17Lg]", cell->name,
                     berth_scene_body_name(cell->scene, a), berth_scene_body_name(cell->scene, b),
                     listed ? "a hit" : "free", gap.lower, gap.upper);
        }
        cell->differences += 1;
        cell->solid_differences += listed;
        cell->fcl_wrong += !listed;
    }
}

// ---- robots and scenes ----------------------------------------------------------------------------------------

static void random_values(const Cell* cell, Random* random, double* values) {
    berth_robot_default_values(cell->robot, values);
    const double spread = bi_random_between(random, 0.0, 1.0);
    for (int j = 0; j < berth_robot_joint_count(cell->robot); ++j) {
        const BerthJointInfo joint = berth_robot_joint(cell->robot, j);
        if (joint.value_count != 1) {
            continue;
        }
        double* q = &values[joint.first_value];
        const double low = joint.has_limits ? joint.lower : -3.2;
        const double high = joint.has_limits ? joint.upper : 3.2;
        *q += spread * spread * (bi_random_between(random, low, high) - *q);
    }
}

static void add_object(Cell* cell, const char* name, BerthSolid* solid, const BerthPose* pose) {
    BerthObjectDef def = berth_default_object_def();
    def.name = name;
    def.solid = solid;
    def.pose = *pose;
    assert_non_null(solid);
    assert_int_equal(berth_scene_add_object(cell->scene, &def, NULL), BERTH_OK);
}

static void add_objects(Cell* cell, Random* random) {
    for (int i = 0; i < 6; ++i) {
        char name[16];
        snprintf(name, sizeof name, "object%d", i);
        BerthPose pose = test_pose(random, 0.2);
        const double turn = bi_random_between(random, 0, 6.28);
        const double away =
            bi_random_between(random, 0.6, 1.3) + (berth_robot_joint_count(cell->robot) > 40 ? 0.3 : 0.0);
        pose.t = v3_add(pose.t, v3(away * cos(turn), away * sin(turn), bi_random_between(random, 0, 1.2)));
        BerthSolid* solid = NULL;
        if (i < 4) {
            const BerthShape shape = test_shape(i == 0   ? BERTH_SPHERE
                                                : i == 1 ? BERTH_CYLINDER
                                                         : BERTH_BOX,
                                                0.2, random);
            assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        } else {
            solid = test_solid(i == 4 ? TEST_MESH_BALL : TEST_MESH_TORUS, 200, 0.2, random);
        }
        add_object(cell, name, solid, &pose);
    }
}

static Cell* open_cell(const TestRobot* robot, bool use_srdf) {
    Cell* cell = calloc(1, sizeof *cell);
    assert_non_null(cell);
    cell->name = robot->name;
    cell->robot = test_read_robot(robot, use_srdf, true);
    char urdf[4096];
    if (cell->robot == NULL || !test_shared_path(urdf, sizeof urdf, robot->urdf)) {
        free(cell);
        return NULL;
    }
    cell->kdl = peer_kdl_open(urdf);
    assert_non_null(cell->kdl);
    assert_int_equal(berth_scene_create(NULL, &cell->scene), BERTH_OK);
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = cell->robot;
    def.own = true;
    assert_int_equal(berth_scene_add_robot(cell->scene, &def, NULL), BERTH_OK);
    return cell;
}

static void ready(Cell* cell) {
    assert_int_equal(berth_scene_commit(cell->scene), BERTH_OK);
    const BerthCheckerDef def = berth_default_checker_def();
    assert_int_equal(berth_checker_create(cell->scene, &def, &cell->checker), BERTH_OK);
    build_peers(cell);
}

static void unready(Cell* cell) {
    for (int i = 0; i < cell->part_count; ++i) {
        peer_fcl_destroy(cell->parts[i].peer);
        brute_free_part(&cell->parts[i].brute);
    }
    cell->part_count = 0;
    peer_fcl_world_destroy(cell->peer);
    berth_checker_destroy(cell->checker);
    cell->peer = NULL;
    cell->checker = NULL;
}

static void close_cell(Cell* cell) {
    print_message(
        "report %s: %lld states, %lld free, %lld hits; %lld pairs, %lld hits; %lld differences to FCL (%lld "
        "a body inside another; "
        "FCL wrong about %lld pairs), worst %.2g m\n",
        cell->name, (long long)cell->states, (long long)cell->free, (long long)cell->hits,
        (long long)cell->pairs, (long long)cell->pair_hits, (long long)cell->differences,
        (long long)cell->solid_differences, (long long)cell->fcl_wrong, cell->worst);
    peer_kdl_close(cell->kdl);
    berth_scene_destroy(cell->scene);
    free(cell);
}

static void run_robot(const char* name, bool use_srdf, int states) {
    for (const TestRobot* robot = test_robots; robot->name != NULL; ++robot) {
        if (strcmp(robot->name, name) != 0) {
            continue;
        }
        Cell* cell = open_cell(robot, use_srdf);
        if (cell == NULL) {
            TEST_SKIP("no shared robots");
        }
        Random random = {.state = 4242};
        add_objects(cell, &random);
        ready(cell);
        double values[VALUE_MAX];
        assert_true(berth_scene_value_count(cell->scene) <= VALUE_MAX);
        for (int i = 0; i < test_scaled(states); ++i) {
            random_values(cell, &random, values);
            compare_state(cell, values, i % 2 == 0);
            if (i % 5 == 0) {
                compare_pairs(cell, values);
            }
        }
        unready(cell);
        close_cell(cell);
        return;
    }
    fail_msg("no robot %s", name);
}

static void panda(void** state) {
    (void)state;
    run_robot("panda", true, 700);
}

static void fanuc(void** state) {
    (void)state;
    run_robot("fanuc", true, 500);
}

static void dual_panda_close(void** state) {
    (void)state;
    run_robot("dual_panda_close", true, 500);
}

static void ur5_gripper(void** state) {
    (void)state;
    run_robot("ur5_gripper", true, 600);
}

// The lists of these two name next to nothing: by the default rule.
static void pr2(void** state) {
    (void)state;
    run_robot("pr2", false, 150);
}

static void romeo(void** state) {
    (void)state;
    run_robot("romeo", true, 150);
}

static void romeo_small(void** state) {
    (void)state;
    run_robot("romeo_small", false, 400);
}

static void panda_capsules(void** state) {
    (void)state;
    run_robot("panda_capsules", true, 400);
}

static void panda_spheres(void** state) {
    (void)state;
    run_robot("panda_spheres", true, 400);
}

// ---- the problems of MotionBenchMaker --------------------------------------------------------------------------

static void panda_problems(void** state) {
    (void)state;
    char path[4096];
    const TestRobot* robot = test_robot_named("panda_mbm");
    Cell* cell = test_shared_path(path, sizeof path, "problems/panda.jsonl") ? open_cell(robot, true) : NULL;
    if (cell == NULL) {
        TEST_SKIP("no shared problems");
    }
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    char* line = NULL;
    size_t capacity = 0;
    Random random = {.state = 99};
    const BerthIoOptions options = berth_default_io_options();
    const int step = 700 / (test_scaled(14) < 700 ? test_scaled(14) : 700);
    int64_t ends = 0, bad_ends = 0;
    for (int number = 1; getline(&line, &capacity, file) > 0; ++number) {
        if (number % step != 0) {
            continue;
        }
        BerthProblem problem;
        const BerthProblemText text = {line, strlen(line), path, number};
        assert_int_equal(berth_io_read_problem(&text, &options, cell->scene, &problem), BERTH_OK);
        ready(cell);
        const BerthCheckRequest request = {.distance = false};
        for (int i = -1; i < problem.goal_count; ++i) {
            const double* values = i < 0 ? problem.start : problem.goals + i * problem.value_count;
            compare_state(cell, values, true);
            BerthCheckResult r;
            assert_int_equal(berth_check_state(cell->checker, values, &request, &r), BERTH_OK);
            ends += 1;
            bad_ends += r.verdict != BERTH_FREE;
            // Towards the start from anywhere: where things are near.
            for (int k = 0; k < 4; ++k) {
                double near[VALUE_MAX], any[VALUE_MAX];
                random_values(cell, &random, any);
                const double share = bi_random_between(&random, 0, 0.4);
                for (int v = 0; v < problem.value_count; ++v) {
                    near[v] = values[v] + share * (any[v] - values[v]);
                }
                compare_state(cell, near, k % 2 == 0);
            }
        }
        unready(cell);
        berth_io_free_problem(cell->scene, &problem);
        assert_int_equal(berth_scene_commit(cell->scene), BERTH_OK);
    }
    free(line);
    fclose(file);
    print_message("report problems: %lld of %lld starts and goals are not free\n", (long long)bad_ends,
                  (long long)ends);
    close_cell(cell);
}
#endif

int test_check_robots(void) {
#if BERTH_HAVE_ORACLES
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panda),
        cmocka_unit_test(fanuc),
        cmocka_unit_test(dual_panda_close),
        cmocka_unit_test(ur5_gripper),
        cmocka_unit_test(pr2),
        cmocka_unit_test(romeo),
        cmocka_unit_test(romeo_small),
        cmocka_unit_test(panda_capsules),
        cmocka_unit_test(panda_spheres),
        cmocka_unit_test(panda_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    test_say_skip("built without FCL and KDL");
    return 0;
#endif
}
