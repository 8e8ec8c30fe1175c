// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// FCL and KDL against the exact oracle, closed forms and each other: do the wrappers ask the right question,
// and how far can the peers be believed? Lines that start with "report" are measurements, never asserted.
#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "oracle/exact.h"
#include "oracle/numbers.h"
#include "oracle/peer_fcl.h"
#include "oracle/peer_kdl.h"
#include "support/setting.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int test_oracle_peers(void);

static double gap_of(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static const double here[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

static void pose_at(double pose[12], double x, double y, double z) {
    memcpy(pose, here, sizeof here);
    pose[9] = x;
    pose[10] = y;
    pose[11] = z;
}

static void random_pose(uint64_t* seed, double pose[12], double size) {
    double q[4], length = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = uniform(seed, -1, 1);
        length += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) {
        q[i] /= sqrt(length);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        pose[3 * i + i] = 1 - 2 * (q[j] * q[j] + q[k] * q[k]);
        pose[3 * i + j] = 2 * (q[i] * q[j] - q[3] * q[k]);
        pose[3 * i + k] = 2 * (q[i] * q[k] + q[3] * q[j]);
        pose[9 + i] = uniform(seed, -size, size);
    }
}

static void move_point(double out[3], const double pose[12], const double p[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = dot(pose + 3 * k, p) + pose[9 + k];
    }
}

// ---- FCL --------------------------------------------------------------------------------------------------

static const int32_t one_triangle[3] = {0, 1, 2};

typedef struct Report {
    int pairs, touching, misses, inventions;  // misses: touching, but the peer says free
    double worst;                             // largest error of a distance
    int unknown;                              // NAN
} Report;

static void print_report(const char* name, const Report* r) {
    print_message(
        "report %s: %d pairs, %d touching, %d missed, %d invented, %d unanswered, worst distance error "
        "%.3g\n",
        name, r->pairs, r->touching, r->misses, r->inventions, r->unknown, r->worst);
}

// Random triangles, unit size, as meshes of one triangle.
static void fcl_triangles(void** state) {
    (void)state;
    uint64_t seed = 1;
    Report collide = {0}, distance = {0};
    for (int i = 0; i < 3000; i++) {
        double a[9], b[9], pa[3], pb[3];
        for (int k = 0; k < 9; k++) {
            a[k] = uniform(&seed, -1, 1);
            b[k] = uniform(&seed, -1, 1) + (k % 3 == 0) * 0.5 * (i % 4);
        }
        PeerFcl* ga = peer_fcl_mesh(a, 3, one_triangle, 1);
        PeerFcl* gb = peer_fcl_mesh(b, 3, one_triangle, 1);
        double d = exact_triangles_distance(a, b, NULL, NULL);
        int says = peer_fcl_collide(ga, here, gb, here);
        double fcl_d = peer_fcl_distance(ga, here, gb, here, pa, pb);
        collide.pairs++;
        collide.touching += d == 0;
        collide.misses += d == 0 && !says;
        collide.inventions += d > 0 && says;
        distance.pairs++;
        distance.touching += d == 0;
        distance.misses += d == 0 && fcl_d > 0;
        distance.inventions += d > 0 && fcl_d < 0;
        if (d > 0 && fcl_d > 0) {
            distance.worst = fmax(distance.worst, fabs(d - fcl_d));
            assert_true(fabs(gap_of(pa, pb) - d) < 1e-9);
        }
        peer_fcl_destroy(ga);
        peer_fcl_destroy(gb);
    }
    print_report("FCL triangle collide", &collide);
    print_report("FCL triangle distance", &distance);
    assert_true(collide.touching > 300 && collide.pairs - collide.touching > 300);
    assert_int_equal(collide.misses + collide.inventions, 0);
    assert_true(distance.worst < 1e-9);
}

// Parallelepipeds on a grid of 2^-10: planar faces exactly.
static const int32_t cube_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static double snapped(uint64_t* seed, double size) {
    return round(uniform(seed, -size, size) * 1024) / 1024;
}

static void random_block(uint64_t* seed, double out[24]) {
    double c[3], e[9];
    for (;;) {
        for (int k = 0; k < 9; k++) {
            e[k] = snapped(seed, 0.6);
        }
        double volume = e[0] * (e[4] * e[8] - e[5] * e[7]) + e[1] * (e[5] * e[6] - e[3] * e[8]) +
                        e[2] * (e[3] * e[7] - e[4] * e[6]);
        if (volume > 0.05) {
            break;
        }
    }
    for (int k = 0; k < 3; k++) {
        c[k] = snapped(seed, 1.2);
    }
    for (int i = 0; i < 24; i++) {
        int corner = i / 3, k = i % 3;
        out[i] = c[k] + (corner & 1 ? e[k] : -e[k]) + (corner & 2 ? e[3 + k] : -e[3 + k]) +
                 (corner & 4 ? e[6 + k] : -e[6 + k]);
    }
}

static void fcl_convex(void** state) {
    (void)state;
    uint64_t seed = 2;
    Report collide = {0}, distance = {0}, depth = {0};
    for (int i = 0; i < 300; i++) {
        double a[24], b[24], lower, upper, pa[3], pb[3];
        random_block(&seed, a);
        random_block(&seed, b);
        PeerFcl* ga = peer_fcl_convex(a, 8, cube_triangles, 12);
        PeerFcl* gb = peer_fcl_convex(b, 8, cube_triangles, 12);
        int touch = exact_convex_distance_bracket(a, 8, b, 8, &lower, &upper);
        int says = peer_fcl_collide(ga, here, gb, here);
        double fcl_d = peer_fcl_distance(ga, here, gb, here, pa, pb);
        double fcl_signed = peer_fcl_signed_distance(ga, here, gb, here);
        collide.pairs++;
        collide.touching += touch;
        collide.misses += touch && !says;
        collide.inventions += !touch && says;
        distance.pairs++;
        distance.touching += touch;
        distance.misses += touch && fcl_d > 0;
        distance.inventions += !touch && fcl_d < 0;
        if (!touch && fcl_d > 0) {
            distance.worst = fmax(distance.worst, fabs(fcl_d - lower));
        }
        if (touch) {
            exact_convex_depth_bracket(a, 8, b, 8, &lower, &upper);
            depth.pairs++;
            depth.touching++;
            depth.unknown += isnan(fcl_signed);
            depth.misses += fcl_signed > 0;
            if (fcl_signed <= 0) {
                depth.worst = fmax(depth.worst, fabs(-fcl_signed - lower));
            }
        }
        peer_fcl_destroy(ga);
        peer_fcl_destroy(gb);
    }
    print_report("FCL convex collide", &collide);
    print_report("FCL convex distance", &distance);
    print_report("FCL convex depth", &depth);
    assert_true(collide.touching > 60 && collide.pairs - collide.touching > 60);
    assert_true(collide.misses + collide.inventions <= 3);  // libccd decides within 1e-6
}

// Spheres and capsules against a block, as solid and as surface: a hull and a radius give the exact answer.
static void round_against_block(const PeerFcl* round, const PeerFcl* block, const double points[24],
                                double radius, double half_length, Report* r, double* too_far) {
    uint64_t seed = 6;
    for (int i = 0; i < 400; i++) {
        double pose[12], ends[6], lower, upper;
        random_pose(&seed, pose, 1.5);
        for (int k = 0; k < 3; k++) {
            ends[k] = pose[9 + k] - half_length * pose[3 * k + 2];
            ends[3 + k] = pose[9 + k] + half_length * pose[3 * k + 2];
        }
        int inside = exact_convex_distance_bracket(ends, 2, points, 8, &lower, &upper);
        double expected = lower - radius, d = peer_fcl_distance(round, pose, block, here, NULL, NULL);
        int says = peer_fcl_collide(round, pose, block, here);
        if (inside) {  // a surface has no inside
            continue;
        }
        r->pairs++;
        r->touching += expected <= 0;
        r->misses += expected <= 0 && !says;
        r->inventions += expected > 0 && says;
        if (expected > 0) {
            r->worst = fmax(r->worst, fabs(fmax(d, 0) - expected));
            *too_far = fmax(*too_far, d - expected);
        }
        assert_true(fabs(expected) < 1e-3 || (d > 0) == (expected > 0));
    }
}

static void fcl_round_shapes(void** state) {
    (void)state;
    uint64_t seed = 7;
    double block[24];
    random_block(&seed, block);
    PeerFcl* solid = peer_fcl_convex(block, 8, cube_triangles, 12);
    PeerFcl* surface = peer_fcl_mesh(block, 8, cube_triangles, 12);
    PeerFcl* sphere = peer_fcl_sphere(0.5);
    PeerFcl* capsule = peer_fcl_capsule(0.3, 1);
    const char* const names[4] = {"FCL sphere, convex", "FCL sphere, mesh", "FCL capsule, convex",
                                  "FCL capsule, mesh"};
    for (int i = 0; i < 4; i++) {
        Report r = {0};
        double too_far = 0;
        bool ball = i < 2;
        round_against_block(ball ? sphere : capsule, i % 2 ? surface : solid, block, ball ? 0.5 : 0.3,
                            ball ? 0 : 0.5, &r, &too_far);
        print_report(names[i], &r);
        print_message("report %s: overestimates by up to %.3g\n", names[i], too_far);
        assert_true(r.touching > 50 && r.pairs - r.touching > 50);
        assert_true(r.misses + r.inventions <= 3);
        assert_true(r.worst < 5e-3);
    }
    PeerFcl* const all[4] = {solid, surface, sphere, capsule};
    for (int i = 0; i < 4; i++) {
        peer_fcl_destroy(all[i]);
    }
}

// Each shape stands where its formula says: a small sphere finds its surface.
static void assert_surface(PeerFcl* shape, double x, double y, double z, double expected, bool exact_solver) {
    double pose[12], pa[3], pb[3], tolerance = exact_solver ? 1e-9 : 2e-4;
    PeerFcl* probe = peer_fcl_sphere(0.125);
    pose_at(pose, x, y, z);
    double d = peer_fcl_distance(shape, here, probe, pose, pa, pb);
    assert_true(fabs(d - (expected - 0.125)) < tolerance);
    assert_true(fabs(gap_of(pa, pb) - d) < 2 * tolerance);
    assert_int_equal(peer_fcl_collide(shape, here, probe, pose), 0);
    peer_fcl_destroy(probe);
}

static void fcl_shapes(void** state) {
    (void)state;
    PeerFcl* sphere = peer_fcl_sphere(0.5);
    PeerFcl* box = peer_fcl_box(1, 2, 4);
    PeerFcl* capsule = peer_fcl_capsule(0.5, 2);
    PeerFcl* cylinder = peer_fcl_cylinder(0.5, 2);
    PeerFcl* cone = peer_fcl_cone(1, 2);
    assert_surface(sphere, 2, 0, 0, 1.5, true);
    assert_surface(box, 2, 0, 0, 1.5, true);
    assert_surface(box, 0, 3, 0, 2, true);
    assert_surface(box, 0, 0, 5, 3, true);
    assert_surface(capsule, 0, 0, 3, 1.5, true);
    assert_surface(capsule, 2, 0, 1, 1.5, true);
    assert_surface(cylinder, 0, 0, 3, 2, true);
    assert_surface(cylinder, 3.5, 0, 5, 5, true);
    assert_surface(cone, 0, 0, 3, 2, false);
    assert_surface(cone, 0, 0, -3, 2, false);
    assert_surface(cone, 4, 0, -1, 3, false);
    double pose[12];
    pose_at(pose, 0.75, 0, 0);
    assert_true(peer_fcl_distance(sphere, here, sphere, pose, NULL, NULL) == -1);
    assert_int_equal(peer_fcl_collide(sphere, here, sphere, pose), 1);
    assert_true(fabs(peer_fcl_signed_distance(sphere, here, sphere, pose) + 0.25) <
                1e-5);  // by EPA, even here
    PeerFcl* ground = peer_fcl_halfspace(0, 0, 1, -1);
    pose_at(pose, 0, 0, -0.4);
    assert_int_equal(peer_fcl_collide(ground, here, sphere, pose), 0);
    pose_at(pose, 0, 0, -0.6);
    assert_int_equal(peer_fcl_collide(ground, here, sphere, pose), 1);
    assert_true(isnan(peer_fcl_signed_distance(ground, here, sphere, pose)));
    assert_true(isnan(peer_fcl_distance(ground, here, sphere, pose, NULL, NULL)));
    PeerFcl* const all[6] = {sphere, box, capsule, cylinder, cone, ground};
    for (int i = 0; i < 6; i++) {
        peer_fcl_destroy(all[i]);
    }
    peer_fcl_destroy(NULL);
}

// Two cube surfaces in random poses: the mesh form with both poses, against the exact posed oracle. FCL gets
// the poses of a in world, the oracle gets b relative to a unposed a.
static void fcl_meshes(void** state) {
    (void)state;
    uint64_t seed = 3;
    double a[24], b[24];
    Report r = {0};
    random_block(&seed, a);
    random_block(&seed, b);
    PeerFcl* ga = peer_fcl_mesh(a, 8, cube_triangles, 12);
    PeerFcl* gb = peer_fcl_mesh(b, 8, cube_triangles, 12);
    double points_error = 0;
    for (int i = 0; i < 200; i++) {
        double pose_a[12], pose_b[12], moved[24], moved_b[24], lower, upper, pa[3], pb[3];
        random_pose(&seed, pose_a, 1);
        random_pose(&seed, pose_b, 1);
        for (int k = 0; k < 8; k++) {
            move_point(moved + 3 * k, pose_a, a + 3 * k);
            move_point(moved_b + 3 * k, pose_b, b + 3 * k);
        }
        exact_meshes_distance_bracket(moved, cube_triangles, 12, b, cube_triangles, 12, pose_b, pose_b + 9,
                                      &lower, &upper);
        double d = peer_fcl_distance(ga, pose_a, gb, pose_b, pa, pb);
        int says = peer_fcl_collide(ga, pose_a, gb, pose_b);
        r.pairs++;
        r.touching += upper == 0;
        r.misses += upper == 0 && !says;
        r.inventions += upper > 0 && says;
        if (upper > 0) {
            r.worst = fmax(r.worst, fabs(d - lower));
            points_error = fmax(points_error, fabs(gap_of(pa, pb) - lower));
            // Are the points where they are said to be? Nearest points must lie on the posed meshes.
            const double pa9[9] = {pa[0], pa[1], pa[2], pa[0], pa[1], pa[2], pa[0], pa[1], pa[2]};
            exact_meshes_distance_bracket(pa9, one_triangle, 1, moved, cube_triangles, 12, NULL, NULL, &lower,
                                          &upper);
            points_error = fmax(points_error, upper);
        }
    }
    print_report("FCL mesh", &r);
    print_message("report FCL mesh: nearest points off by %.3g\n", points_error);
    assert_int_equal(r.misses + r.inventions, 0);
    assert_true(r.worst < 1e-9);
    assert_true(points_error < 1e-9);
    peer_fcl_destroy(ga);
    peer_fcl_destroy(gb);
}

// Three balls among boxes, against closed forms; self pairs only count when listed.
static void fcl_world(void** state) {
    (void)state;
    uint64_t seed = 4;
    PeerFcl* ball = peer_fcl_sphere(0.25);
    PeerFcl* post = peer_fcl_sphere(0.5);
    double centres[5][3];
    PeerFclWorld* world = peer_fcl_world_create();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(peer_fcl_world_add_body(world, ball), i);
    }
    for (int i = 0; i < 5; i++) {
        double pose[12];
        random_pose(&seed, pose, 2);
        memcpy(centres[i], pose + 9, sizeof centres[i]);
        peer_fcl_world_add_obstacle(world, post, pose);
    }
    peer_fcl_world_add_self_pair(world, 0, 2);
    peer_fcl_world_setup(world);
    peer_fcl_destroy(ball);
    peer_fcl_destroy(post);
    int hits = 0, self_hits = 0;
    for (int i = 0; i < 2000; i++) {
        double poses[36], least = INFINITY;
        for (int b = 0; b < 3; b++) {
            random_pose(&seed, poses + 12 * b, 2);
            for (int o = 0; o < 5; o++) {
                least = fmin(least, gap_of(poses + 12 * b + 9, centres[o]) - 0.75);
            }
        }
        double self = gap_of(poses + 9, poses + 33) - 0.5, both = fmin(least, self);
        double d = peer_fcl_world_distance(world, poses), d_self = peer_fcl_world_distance_self(world, poses);
        assert_int_equal(peer_fcl_world_check(world, poses), both <= 0);
        assert_true(least > 0 ? fabs(d - least) < 1e-9 : d == -1);
        assert_true(both > 0 ? fabs(d_self - both) < 1e-9 : d_self == -1);
        hits += least <= 0;
        self_hits += least > 0 && self <= 0;
    }
    assert_true(hits > 100 && hits < 1900 && self_hits > 0);
    peer_fcl_world_destroy(world);
    PeerFclWorld* empty = peer_fcl_world_create();
    peer_fcl_world_setup(empty);
    assert_int_equal(peer_fcl_world_check(empty, NULL), 0);
    assert_true(isinf(peer_fcl_world_distance_self(empty, NULL)));
    peer_fcl_world_destroy(empty);
}

// ---- KDL --------------------------------------------------------------------------------------------------

typedef struct RobotFile {
    const char* path;
    int links, joints, mimics;
} RobotFile;

static const RobotFile robot_files[] = {
    {"moveit_resources_panda_description/urdf/panda.urdf", 12, 9, 1},
    {"moveit_resources_dual_arm_panda_moveit_config/config/dual_panda.urdf", 25, 18, 2},
    {"moveit_resources_dual_arm_panda_moveit_config/config/dual_panda_close.urdf", 25, 18, 2},
    {"moveit_resources_fanuc_description/urdf/fanuc.urdf", 9, 6, 0},
    {"moveit_resources_pr2_description/urdf/robot.xml", 95, 45, 6},
    {"example-robot-data/robots/ur_description/urdf/ur5_robot.urdf", 11, 6, 0},
    {"example-robot-data/robots/ur_description/urdf/ur5_gripper.urdf", 11, 6, 0},
    {"example-robot-data/robots/romeo_description/urdf/romeo.urdf", 82, 55, 22},
    {"example-robot-data/robots/romeo_description/urdf/romeo_laas_small.urdf", 83, 33, 0},
    {"example-robot-data/robots/panda_description/urdf/panda_collision.urdf", 13, 9, 1},
    {"panda_mbm/panda.urdf", 13, 7, 0},
    {"panda_mbm/panda_spherized.urdf", 13, 7, 0},
};
enum { ROBOT_FILE_COUNT = sizeof robot_files / sizeof *robot_files, JOINT_MAX = 64 };

// An empty text where there is none.
static const char* robot_path(const char* relative) {
    static char path[1024];
    char robot[512];
    snprintf(robot, sizeof robot, "robots/%s", relative);
    if (!test_shared_path(path, sizeof path, robot)) {
        path[0] = '\0';
    }
    return path;
}

// The robots are not part of this repository: without them these tests have nothing to say.
static void need_robots(void) {
    if (robot_path(robot_files[0].path)[0] == '\0') {
        TEST_SKIP("no robots in BERTH_SHARED_DIR: KDL and FCL are not asked about them");
    }
}

// Finite differences of every link's pose against its Jacobian, at a random configuration.
static double jacobian_error(const PeerKdl* robot, uint64_t* seed) {
    const char *names[JOINT_MAX], *columns[JOINT_MAX];
    double q[JOINT_MAX], jacobian[6 * JOINT_MAX], worst = 0, h = 1e-6;
    int joints = peer_kdl_joint_count(robot);
    for (int j = 0; j < joints; j++) {
        names[j] = peer_kdl_joint_name(robot, j);
        q[j] = uniform(seed, -2, 2);
    }
    for (int l = 0; l < peer_kdl_link_count(robot); l++) {
        const char* link = peer_kdl_link_name(robot, l);
        int count = peer_kdl_jacobian(robot, link, names, q, joints, jacobian, columns, JOINT_MAX);
        assert_true(count >= 0);
        int matched = 0;
        for (int j = 0; j < joints; j++) {
            double low[12], high[12], at[12], expected[6] = {0}, keep = q[j];
            for (int i = 0; i < count; i++) {
                if (strcmp(columns[i], names[j]) == 0) {
                    memcpy(expected, jacobian + 6 * i, sizeof expected);
                    matched++;
                }
            }
            assert_int_equal(peer_kdl_link_pose(robot, link, names, q, joints, at), 0);
            q[j] = keep - h;
            peer_kdl_link_pose(robot, link, names, q, joints, low);
            q[j] = keep + h;
            peer_kdl_link_pose(robot, link, names, q, joints, high);
            q[j] = keep;
            for (int k = 0; k < 3; k++) {
                worst = fmax(worst, fabs((high[9 + k] - low[9 + k]) / (2 * h) - expected[k]));
                // row k of dR equals row k of [w] R
                const double* w = expected + 3;
                int i = (k + 1) % 3, m = (k + 2) % 3;
                for (int c = 0; c < 3; c++) {
                    double rate = w[i] * at[3 * m + c] - w[m] * at[3 * i + c];
                    worst = fmax(worst, fabs((high[3 * k + c] - low[3 * k + c]) / (2 * h) - rate));
                }
            }
        }
        assert_int_equal(matched, count);
    }
    return worst;
}

static void kdl_loads_all_robots(void** state) {
    (void)state;
    need_robots();
    uint64_t seed = 5;
    for (int i = 0; i < ROBOT_FILE_COUNT; i++) {
        PeerKdl* robot = peer_kdl_open(robot_path(robot_files[i].path));
        assert_non_null(robot);
        int mimics = 0;
        for (int j = 0; j < peer_kdl_joint_count(robot); j++) {
            double multiplier, offset;
            mimics += peer_kdl_joint_mimics(robot, j, &multiplier, &offset) != NULL;
        }
        assert_int_equal(peer_kdl_link_count(robot), robot_files[i].links);
        assert_int_equal(peer_kdl_joint_count(robot), robot_files[i].joints);
        assert_int_equal(mimics, robot_files[i].mimics);
        assert_true(jacobian_error(robot, &seed) < 1e-8);
        peer_kdl_close(robot);
    }
}

// The Panda upright: 0.333 + 0.316 + 0.384 up, 0.088 ahead, flange 0.107 down. One turn of joint 1 carries x
// to y.
static void kdl_known_answers(void** state) {
    (void)state;
    need_robots();
    PeerKdl* robot = peer_kdl_open(robot_path("moveit_resources_panda_description/urdf/panda.urdf"));
    assert_non_null(robot);
    const char* const names[2] = {"panda_joint1", "no_such_joint"};
    const double values[2] = {acos(-1) / 2, 7};
    double pose[12], lower, upper;
    assert_int_equal(peer_kdl_link_pose(robot, "panda_link8", NULL, NULL, 0, pose), 0);
    assert_true(fabs(pose[9] - 0.088) < 1e-12 && fabs(pose[10]) < 1e-12 && fabs(pose[11] - 0.926) < 1e-12);
    assert_true(fabs(pose[8] + 1) < 1e-12);
    assert_int_equal(peer_kdl_link_pose(robot, "panda_link8", names, values, 2, pose), 0);
    assert_true(fabs(pose[9]) < 1e-12 && fabs(pose[10] - 0.088) < 1e-12 && fabs(pose[11] - 0.926) < 1e-12);
    assert_int_equal(peer_kdl_link_pose(robot, "no_such_link", NULL, NULL, 0, pose), -1);
    assert_string_equal(peer_kdl_joint_name(robot, 0), "panda_joint1");
    peer_kdl_joint_limits(robot, 0, &lower, &upper);
    assert_true(lower < -2.8 && upper > 2.8);
    double jacobian[6];
    const char* column;
    assert_int_equal(peer_kdl_jacobian(robot, "panda_link8", NULL, NULL, 0, jacobian, &column, 1), -1);
    peer_kdl_close(robot);
}

static void kdl_refuses(void** state) {
    (void)state;
    char why[200], path[] = "/tmp/berth_peer_kdl_XXXXXX";
    assert_null(peer_kdl_open("/no/such/file.urdf"));
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    FILE* file = fdopen(handle, "w");
    assert_non_null(file);
    fputs(
        "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='floating'>"
        "<parent link='a'/><child link='b'/></joint></robot>",
        file);
    fclose(file);
    assert_null(peer_kdl_open(path));
    peer_kdl_refusal(path, why, sizeof why);
    assert_non_null(strstr(why, "floating"));
    remove(path);
    need_robots();
    assert_null(peer_kdl_open(robot_path("mesh-traps/empty-robot.urdf")));
}

int test_oracle_peers(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fcl_round_shapes),     cmocka_unit_test(fcl_triangles),
        cmocka_unit_test(fcl_convex),           cmocka_unit_test(fcl_shapes),
        cmocka_unit_test(fcl_meshes),           cmocka_unit_test(fcl_world),
        cmocka_unit_test(kdl_loads_all_robots), cmocka_unit_test(kdl_known_answers),
        cmocka_unit_test(kdl_refuses),
    };
    return cmocka_run_group_tests_name("oracle_peers", tests, NULL, NULL);
}

#else

int test_oracle_peers(void);

int test_oracle_peers(void) {
    return 0;  // built without GMP, FCL or KDL
}

#endif
