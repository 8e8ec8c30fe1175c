// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Where frames and links are: against KDL on every shared robot, against closed forms for joints that KDL does not
// know, updates against whole walks, Jacobians against differences and KDL, reach against random states.
// test-share: 0.4
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/builder.h"
#include "support/robots.h"
#include "support/setting.h"
#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
#include "oracle/peer_kdl.h"
#endif

int test_robot_walk(void);

enum { VALUE_MAX = 128, FRAME_MAX = 256 };

static const double pi = 3.14159265358979323846;

static double pose_difference(const Pose* a, const Pose* b) {
    return fmax(fmax(v3_distance(a->x, b->x), v3_distance(a->y, b->y)),
                fmax(v3_distance(a->z, b->z), v3_distance(a->t, b->t)));
}

static Pose random_pose(Random* random, double size) {
    const Vec3 t = v3(bi_random_between(random, -size, size), bi_random_between(random, -size, size),
                      bi_random_between(random, -size, size));
    return bi_pose_from_unit_quat(bi_random_quat(random), t);
}

// A random tree with joints of every type, mimics among them. `origins` gets each joint's pose in its parent link.
static BerthRobot* random_robot(Random* random, int32_t link_count, bool rare_types, Pose* origins) {
    BerthRobotBuilder* builder = NULL;
    assert_int_equal(berth_robot_builder_create("random", NULL, &builder), BERTH_OK);
    char name[32], leader[32];
    for (int32_t i = 0; i < link_count; ++i) {
        snprintf(name, sizeof name, "l%d", i);
        assert_int_equal(berth_robot_add_link(builder, name, NULL), BERTH_OK);
        BerthShape shape;
        BerthSolid* solid = NULL;
        const Pose pose = random_pose(random, 0.2);
        assert_int_equal(berth_shape_box(v3(0.1, 0.2, 0.05), &shape), BERTH_OK);
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        assert_int_equal(berth_robot_add_solid(builder, i, &pose, solid, "box"), BERTH_OK);
    }
    static const Vec3 axes[] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {-1, 0, 0},
                                {0, -2, 0}, {0, 0, -1}, {1, 2, 3}, {-1, 1, 0}};
    for (int32_t i = 1; i < link_count; ++i) {
        BerthJointDef def = berth_default_joint_def();
        const uint64_t bits = bi_random_next(random);
        snprintf(name, sizeof name, "j%d", i);
        def.name = name;
        def.type = (BerthJointType)((bits >> 8) % (rare_types ? 6 : 4));
        def.parent_link = (bits >> 16) % 3 != 0 ? i - 1 : (int32_t)((bits >> 20) % (uint64_t)i);
        def.child_link = i;
        def.axis = axes[(bits >> 40) % 8];
        def.parent_from_joint = origins[i - 1] = random_pose(random, 0.5);
        def.has_limits = true;
        def.lower = -bi_random_between(random, 0, 2);
        def.upper = bi_random_between(random, 0, 2);
        const bool can_mimic = def.type != BERTH_JOINT_FLOATING && def.type != BERTH_JOINT_PLANAR;
        if (can_mimic && i > 1 && (bits >> 50) % 3 == 0) {
            const int32_t other = 1 + (int32_t)((bits >> 54) % (uint64_t)(i - 1));
            const BerthJointType type = builder->joints[other - 1].def.type;
            snprintf(leader, sizeof leader, "j%d", other);
            def.mimic = type != BERTH_JOINT_FLOATING && type != BERTH_JOINT_PLANAR ? leader : NULL;
            def.mimic_multiplier = bi_random_between(random, -2, 2);
            def.mimic_offset = bi_random_between(random, -1, 1);
        }
        assert_int_equal(berth_robot_add_joint(builder, &def, NULL), BERTH_OK);
    }
    assert_int_equal(berth_robot_use_listed_pairs(builder),
                     BERTH_OK);  // the default rule has tests of its own
    BerthRobot* robot = NULL;
    const BerthStatus status = berth_robot_build(builder, &robot, NULL);
    if (status != BERTH_OK) {
        print_message("%s\n", berth_error_text());
    }
    assert_int_equal(status, BERTH_OK);
    berth_robot_builder_destroy(builder);
    return robot;
}

// ---- KDL --------------------------------------------------------------------------------------------------

#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
// Values of all of KDL's joints out of one of our states; mimics are followed as urdfdom read them.
static void kdl_values(const PeerKdl* peer, const BerthRobot* robot, const double* values, const char** names,
                       double* out) {
    const int count = peer_kdl_joint_count(peer);
    for (int i = 0; i < count; ++i) {
        names[i] = peer_kdl_joint_name(peer, i);
        double scale = 1, shift = 0;
        const char* walk = names[i];
        for (int step = 0; step < 20; ++step) {
            int at = 0;
            while (strcmp(peer_kdl_joint_name(peer, at), walk) != 0) {
                ++at;
            }
            double multiplier = 1, offset = 0;
            const char* next = peer_kdl_joint_mimics(peer, at, &multiplier, &offset);
            if (next == NULL) {
                break;
            }
            shift += scale * offset;
            scale *= multiplier;
            walk = next;
        }
        const int32_t joint = berth_robot_find_joint(robot, walk);
        assert_true(joint >= 0);
        const int32_t value = berth_robot_joint(robot, joint).first_value;
        assert_true(value >= 0);
        out[i] = scale * values[value] + shift;
    }
}

static void compare_state(const PeerKdl* peer, const BerthRobot* robot, const double* values, double* worst) {
    const char* names[VALUE_MAX];
    double all[VALUE_MAX];
    static Pose links[FRAME_MAX];
    const Pose base = pose_identity();
    kdl_values(peer, robot, values, names, all);
    berth_robot_link_poses(robot, &base, values, links);
    for (int32_t i = 0; i < robot->link_count; ++i) {
        double p[12];
        assert_int_equal(
            peer_kdl_link_pose(peer, robot->links[i].name, names, all, peer_kdl_joint_count(peer), p), 0);
        const Pose other = {{p[0], p[3], p[6]}, {p[1], p[4], p[7]}, {p[2], p[5], p[8]}, {p[9], p[10], p[11]}};
        *worst = fmax(*worst, pose_difference(&links[i], &other));
    }
}

static void compare_jacobian(const PeerKdl* peer, const BerthRobot* robot, const double* values, int32_t link,
                             double* worst) {
    const char* names[VALUE_MAX];
    const char* column_names[VALUE_MAX];
    double all[VALUE_MAX], columns[6 * VALUE_MAX];
    static Pose links[FRAME_MAX];
    Vec3 ours[VALUE_MAX], theirs[VALUE_MAX] = {{0, 0, 0}};
    const Pose base = pose_identity();
    kdl_values(peer, robot, values, names, all);
    berth_robot_link_poses(robot, &base, values, links);
    berth_robot_point_jacobian(robot, &base, values, link, links[link].t, ours);
    const int count = peer_kdl_jacobian(peer, robot->links[link].name, names, all, peer_kdl_joint_count(peer),
                                        columns, column_names, VALUE_MAX);
    assert_true(count >= 0);
    for (int i = 0; i < count; ++i) {
        const BerthJointInfo joint = berth_robot_joint(robot, berth_robot_find_joint(robot, column_names[i]));
        const int32_t leader =
            joint.mimic >= 0 ? joint.mimic : berth_robot_find_joint(robot, column_names[i]);
        const double multiplier = joint.mimic >= 0 ? joint.mimic_multiplier : 1.0;
        const int32_t value = berth_robot_joint(robot, leader).first_value;
        theirs[value] =
            v3_mad(theirs[value], multiplier, v3(columns[6 * i], columns[6 * i + 1], columns[6 * i + 2]));
    }
    for (int32_t i = 0; i < robot->value_count; ++i) {
        *worst = fmax(*worst, v3_distance(ours[i], theirs[i]));
    }
}

static void agrees_with_kdl(void** state) {
    (void)state;
    int compared = 0;
    for (const TestRobot* entry = test_robots; entry->name != NULL; ++entry) {
        char path[4096];
        if (!test_shared_path(path, sizeof path, entry->urdf)) {
            continue;
        }
        BerthRobot* robot = test_read_robot(entry, true, false);
        PeerKdl* peer = peer_kdl_open(path);
        assert_non_null(robot);
        assert_non_null(peer);
        Random random = {7};
        double values[VALUE_MAX], worst = 0, worst_jacobian = 0;
        const int count = test_scaled(1000);
        for (int i = 0; i < count; ++i) {
            bi_robot_random_values(robot, &random, values);
            compare_state(peer, robot, values, &worst);
            compare_jacobian(peer, robot, values, i % robot->link_count, &worst_jacobian);
        }
        print_message("report %s: pose %.2g, jacobian %.2g\n", entry->name, worst, worst_jacobian);
        assert_true(worst < 1e-12);
        assert_true(worst_jacobian < 1e-12);
        ++compared;
        peer_kdl_close(peer);
        berth_robot_destroy(robot);
    }
    if (compared == 0) {
        TEST_SKIP("the shared robots are not there");
    }
}
#else
static void agrees_with_kdl(void** state) {
    (void)state;
    TEST_SKIP("KDL is not installed");
}
#endif

// ---- updates ----------------------------------------------------------------------------------------------

static void updates_are_the_same_bits(void** state) {
    (void)state;
    Random random = {11};
    const int robots = 50, count = test_scaled(100000) / robots + 1;
    for (int r = 0; r < robots; ++r) {
        static Pose origins[FRAME_MAX];
        BerthRobot* robot = random_robot(&random, 2 + (int32_t)(bi_random_next(&random) % 15), true, origins);
        const Pose base = random_pose(&random, 1);
        double old_values[VALUE_MAX], new_values[VALUE_MAX];
        static Pose kept[FRAME_MAX], fresh[FRAME_MAX];
        bi_robot_random_values(robot, &random, old_values);
        bi_robot_frame_poses(robot, &base, old_values, kept);
        for (int i = 0; i < count; ++i) {
            memcpy(new_values, old_values, sizeof new_values);
            for (int k = (int)(bi_random_next(&random) % 3); k >= 0 && robot->value_count > 0; --k) {
                const uint64_t which = bi_random_next(&random) % (uint64_t)robot->value_count;
                const double special[] = {0.0, -0.0, (double)NAN, 1e300};
                const uint64_t kind = bi_random_next(&random) % 40;
                new_values[which] = kind < 4 ? special[kind] : bi_random_between(&random, -3, 3);
            }
            bi_robot_frame_poses_update(robot, &base, old_values, new_values, kept);
            bi_robot_frame_poses(robot, &base, new_values, fresh);
            assert_memory_equal(kept, fresh, (size_t)robot->frame_count * sizeof *fresh);
            memcpy(old_values, new_values, sizeof old_values);
        }
        berth_robot_destroy(robot);
    }
}

// ---- closed forms -----------------------------------------------------------------------------------------
static Pose slow_motion(const BerthJointInfo* joint, const BerthRobot* robot, const double* values) {
    const BerthJointInfo* leader = joint->mimic >= 0 ? &robot->joints[joint->mimic] : joint;
    const double* q = values + leader->first_value;
    const double one =
        leader->first_value >= 0 ? joint->mimic_multiplier * q[0] + joint->mimic_offset : joint->mimic_offset;
    switch (joint->type) {
    case BERTH_JOINT_FIXED:
        return pose_identity();
    case BERTH_JOINT_PRISMATIC: {
        Pose slide = pose_identity();
        slide.t = v3_scale(joint->axis, one);
        return slide;
    }
    case BERTH_JOINT_FLOATING: {
        Pose free = pose_identity();
        assert_int_equal(
            berth_pose_from_quat(v3(q[0], q[1], q[2]), (BerthQuat){q[3], q[4], q[5], q[6]}, &free), BERTH_OK);
        return free;
    }
    case BERTH_JOINT_PLANAR: {
        // The plane's directions: z is turned to the normal about their common perpendicular.
        const Vec3 n = joint->axis;
        const Vec3 cross = v3_cross(v3(0, 0, 1), n);
        const double s = v3_length(cross);
        const Vec3 about = s > 1e-9 ? v3_scale(cross, 1 / s) : v3(1, 0, 0);
        const Pose turn = bi_pose_axis_angle(about, atan2(s, n.z), v3(0, 0, 0));
        return bi_pose_axis_angle(n, q[2], v3_add(v3_scale(turn.x, q[0]), v3_scale(turn.y, q[1])));
    }
    default:
        return bi_pose_axis_angle(joint->axis, one, v3(0, 0, 0));
    }
}

// A link's pose by plain products along its chain of joints, fixed ones too: the oracle for merged frames.
static Pose slow_pose(const BerthRobot* robot, const Pose* base, const Pose* origins, const double* values,
                      int32_t link) {
    Pose link_pose = pose_identity();
    while (robot->links[link].parent_joint >= 0) {
        const int32_t j = robot->links[link].parent_joint;
        const Pose motion = slow_motion(&robot->joints[j], robot, values);
        const Pose step = pose_mul(&origins[j], &motion);
        link_pose = pose_mul(&step, &link_pose);
        link = robot->joints[j].parent_link;
    }
    return pose_mul(base, &link_pose);
}

static void all_joint_types_match_products(void** state) {
    (void)state;
    Random random = {13};
    static Pose origins[FRAME_MAX], links[FRAME_MAX], frames[FRAME_MAX];
    double worst = 0, values[VALUE_MAX];
    for (int i = 0; i < test_scaled(3000); ++i) {
        BerthRobot* robot = random_robot(&random, 2 + (int32_t)(bi_random_next(&random) % 12), true, origins);
        const Pose base = random_pose(&random, 1);
        bi_robot_random_values(robot, &random, values);
        berth_robot_link_poses(robot, &base, values, links);
        bi_robot_frame_poses(robot, &base, values, frames);
        for (int32_t l = 0; l < robot->link_count; ++l) {
            const Pose slow = slow_pose(robot, &base, origins, values, l);
            worst = fmax(worst, pose_difference(&slow, &links[l]));
            // Frames and links are the same walk: the same bits where a link is a frame's own.
            const RobotLink* link = &robot->links[l];
            if (robot->frames[link->frame].link == l) {
                assert_memory_equal(&links[l], &frames[link->frame], sizeof links[l]);
            }
        }
        berth_robot_destroy(robot);
    }
    print_message("report products: %.2g\n", worst);
    assert_true(worst < 1e-13);
}

// ---- Jacobians --------------------------------------------------------------------------------------------

// Central differences of a point that moves with its link; truncation and rounding balance at h = 1e-5.
static void jacobians_match_differences(void** state) {
    (void)state;
    Random random = {17};
    static Pose origins[FRAME_MAX], low[FRAME_MAX], high[FRAME_MAX], now[FRAME_MAX];
    double worst = 0, values[VALUE_MAX], moved[VALUE_MAX];
    for (int i = 0; i < test_scaled(2000); ++i) {
        BerthRobot* robot = random_robot(&random, 2 + (int32_t)(bi_random_next(&random) % 10), true, origins);
        const Pose base = random_pose(&random, 1);
        const int32_t link = (int32_t)(bi_random_next(&random) % (uint64_t)robot->link_count);
        bi_robot_random_values(robot, &random, values);
        for (int32_t k = 0; k < robot->value_count; ++k) {  // quaternions that are not unit
            const bool turn =
                robot->values[k].type == BERTH_JOINT_FLOATING && robot->values[k].component >= 3;
            values[k] *= turn ? 1.7 : 1.0;
        }
        berth_robot_link_poses(robot, &base, values, now);
        const Vec3 local = v3(0.3, -0.2, 0.1);
        Vec3 columns[VALUE_MAX], again[VALUE_MAX];
        berth_robot_point_jacobian(robot, &base, values, link, pose_apply(&now[link], local), columns);
        static Pose frames[FRAME_MAX];
        bi_robot_frame_poses(robot, &base, values, frames);
        bi_robot_jacobian(robot, frames, values, robot->links[link].frame, pose_apply(&now[link], local),
                          again);
        for (int32_t k = 0; k < robot->value_count; ++k) {
            const double h = 1e-5;
            memcpy(moved, values, sizeof moved);
            moved[k] = values[k] - h;
            berth_robot_link_poses(robot, &base, moved, low);
            moved[k] = values[k] + h;
            berth_robot_link_poses(robot, &base, moved, high);
            const Vec3 slope =
                v3_scale(v3_sub(pose_apply(&high[link], local), pose_apply(&low[link], local)), 0.5 / h);
            worst = fmax(worst, v3_distance(slope, columns[k]));
            assert_true(v3_distance(again[k], columns[k]) < 1e-12);
        }
        berth_robot_destroy(robot);
    }
    print_message("report differences: %.2g\n", worst);
    assert_true(worst < 2e-8);
}

// ---- reach ------------------------------------------------------------------------------------------------

static double farthest_point(const BerthRobot* robot, const double* values) {
    static Pose frames[FRAME_MAX];
    const Pose base = pose_identity();
    double far = 0;
    bi_robot_frame_poses(robot, &base, values, frames);
    for (int32_t i = 0; i < robot->solid_count; ++i) {
        const RobotSolid* solid = &robot->solids[i];
        const BerthShape* shape = berth_solid_shape(solid->solid);
        const Pose pose = pose_mul(&frames[solid->frame], &solid->frame_from_solid);
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3 half = shape->as.box.half;
            const Vec3 p = v3(corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y,
                              corner & 4 ? half.z : -half.z);
            far = fmax(far, v3_length(pose_apply(&pose, p)));
        }
    }
    return far;
}

static void reach_is_never_exceeded(void** state) {
    (void)state;
    Random random = {19};
    static Pose origins[FRAME_MAX];
    double values[VALUE_MAX], tightest = 0, ratio_sum = 0;
    const int robots = test_scaled(400);
    int finite_count = 0;
    for (int r = 0; r < robots; ++r) {
        BerthRobot* robot = random_robot(&random, 2 + (int32_t)(bi_random_next(&random) % 6), false, origins);
        const double reach = berth_robot_reach(robot);
        bool endless =
            false;  // sliding continuous mimics do not exist, but a slide may follow a continuous joint
        for (int32_t f = 1; f < robot->frame_count; ++f) {
            endless |=
                robot->frames[f].motion == FRAME_SLIDE && !robot->values[robot->frames[f].value].has_limits;
        }
        assert_true(endless == isinf(reach));
        double far = 0;
        for (int i = 0; i < 200; ++i) {
            bi_robot_random_values(robot, &random, values);
            for (int32_t k = 0; k < robot->value_count && i < 100;
                 ++k) {  // extremes are at limits more often
                const RobotValue* value = &robot->values[k];
                const uint64_t end = bi_random_next(&random) % 3;
                values[k] = !value->has_limits || end == 2 ? values[k]
                            : end == 0                     ? value->lower
                                                           : value->upper;
            }
            far = fmax(far, farthest_point(robot, values));
        }
        assert_true(far <= reach);
        if (!endless) {
            tightest = fmax(tightest, far / reach);
            ratio_sum += far / reach;
            ++finite_count;
        }
        berth_robot_destroy(robot);
    }
    print_message("report reach used: mean %.3f, most %.6f\n", ratio_sum / finite_count, tightest);
    assert_true(finite_count < 50 || tightest > 0.9);  // and is worth something
}

// ---- free base --------------------------------------------------------------------------------------------

static BerthRobot* one_link(BerthJointType base_type) {
    BerthRobotBuilder* builder = NULL;
    BerthRobot* robot = NULL;
    assert_int_equal(berth_robot_builder_create("one", NULL, &builder), BERTH_OK);
    assert_int_equal(berth_robot_add_link(builder, "body", NULL), BERTH_OK);
    assert_int_equal(berth_robot_set_free_base(builder, "world", base_type), BERTH_OK);
    assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
    berth_robot_builder_destroy(builder);
    return robot;
}

static void free_bases_have_closed_forms(void** state) {
    (void)state;
    BerthRobot* robot = one_link(BERTH_JOINT_PLANAR);
    const Pose base = berth_pose_from_rpy(v3(1, 2, 3), v3(0, 0, pi / 2));
    Pose body;
    const double values[] = {0.5, 0.25, pi / 2};
    berth_robot_link_poses(robot, &base, values, &body);
    assert_true(v3_distance(body.t, v3(1 - 0.25, 2 + 0.5, 3)) < 1e-15);
    assert_true(v3_distance(body.x, v3(-1, 0, 0)) < 1e-15);
    assert_true(isinf(berth_robot_reach(robot)));
    char name[32];
    berth_robot_value_name(robot, 2, name, sizeof name);
    assert_string_equal(name, "world/theta");
    berth_robot_destroy(robot);

    robot = one_link(BERTH_JOINT_FLOATING);
    assert_int_equal(berth_robot_value_count(robot), 7);
    double free_values[7];
    berth_robot_default_values(robot, free_values);
    berth_robot_link_poses(robot, &base, free_values, &body);
    assert_true(pose_difference(&body, &base) == 0);
    const double turned[] = {1, 0, 0, 0, 0, 2, 2};  // a quarter turn about z, not unit
    const Pose still = pose_identity();
    berth_robot_link_poses(robot, &still, turned, &body);
    assert_true(v3_distance(body.x, v3(0, 1, 0)) < 1e-15 && v3_distance(body.t, v3(1, 0, 0)) == 0);
    const double nothing[] = {1, 0, 0, 0, 0, 0, 0};
    berth_robot_link_poses(robot, &still, nothing, &body);
    assert_true(isnan(body.x.x) && isnan(body.t.x));
    berth_robot_value_name(robot, 6, name, sizeof name);
    assert_string_equal(name, "world/qw");
    berth_robot_destroy(robot);
}

int test_robot_walk(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_kdl),
        cmocka_unit_test(updates_are_the_same_bits),
        cmocka_unit_test(all_joint_types_match_products),
        cmocka_unit_test(jacobians_match_differences),
        cmocka_unit_test(reach_is_never_exceeded),
        cmocka_unit_test(free_bases_have_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
