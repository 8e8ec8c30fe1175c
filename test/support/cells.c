// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Real robots among things, and FCL about the same.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/cells.h"
#include "support/meshes.h"

#if BERTH_HAVE_ORACLES
#include "support/fcl.h"
#endif

static void add_box(BerthScene* scene, const char* name, BerthVec3 size, BerthPose pose) {
    BerthShape shape;
    BerthObjectDef def = berth_default_object_def();
    def.name = name;
    def.pose = pose;
    assert_int_equal(berth_shape_box(size, &shape), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &def.solid), BERTH_OK);
    assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
}

// A scene of some kind around a robot: posts, boards, thin rods, meshes, a floor.
static void furnish(Random* random, BerthScene* scene, int kind) {
    static const BerthShapeKind kinds[5] = {BERTH_BOX, BERTH_CYLINDER, BERTH_CAPSULE, BERTH_SPHERE,
                                            BERTH_CONE};
    for (int i = 0; i < 6; ++i) {
        char name[32];
        snprintf(name, sizeof name, "thing%d", i);
        BerthPose pose = test_pose(random, 0.0);
        const double turn = bi_random_between(random, 0, 6.28), away = bi_random_between(random, 0.45, 0.9);
        pose.t = v3(away * cos(turn), away * sin(turn), bi_random_between(random, 0.1, 1.1));
        if (kind % 4 == 0) {  // boards
            add_box(scene, name, v3(0.4, 0.3, 0.01), pose);
            continue;
        }
        BerthObjectDef def = berth_default_object_def();
        def.name = name;
        def.pose = pose;
        if (kind % 4 == 1) {  // thin rods: what samples miss
            BerthShape rod;
            assert_int_equal(berth_shape_cylinder(0.003, 0.8, &rod), BERTH_OK);
            assert_int_equal(berth_solid_from_shape(&rod, NULL, &def.solid), BERTH_OK);
        } else if (kind % 4 == 2) {
            def.solid = test_solid(i % 2 == 0 ? TEST_MESH_TORUS : TEST_MESH_BALL, 200, 0.15, random);
        } else {
            const BerthShape shape = test_shape(kinds[i % 5], 0.12, random);
            assert_int_equal(berth_solid_from_shape(&shape, NULL, &def.solid), BERTH_OK);
        }
        assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
    }
    if (kind >= 4) {
        BerthObjectDef def = berth_default_object_def();
        BerthShape floor;
        def.name = "floor";
        assert_int_equal(berth_shape_halfspace(v3(0, 0, 1), -0.3, &floor), BERTH_OK);
        assert_int_equal(berth_solid_from_shape(&floor, NULL, &def.solid), BERTH_OK);
        assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
    }
}

double cell_gap(void* user, const double* values) {
    const Cell* cell = user;
    const BerthCheckRequest request = {.distance = true, .tolerance = 0.02};
    BerthCheckResult r;
    assert_int_equal(berth_check_state(cell->checker, values, &request, &r), BERTH_OK);
    return r.verdict != BERTH_COLLISION && r.has_clearance ? r.clearance.lower : 0.0;
}

static void random_values(Random* random, const Cell* cell, double* values) {
    for (int i = 0; i < berth_robot_joint_count(cell->robot); ++i) {
        const BerthJointInfo joint = berth_robot_joint(cell->robot, i);
        if (joint.first_value >= 0 && joint.value_count == 1) {
            const bool limits = joint.has_limits && joint.type != BERTH_JOINT_CONTINUOUS;
            values[joint.first_value] =
                bi_random_between(random, limits ? joint.lower : -3, limits ? joint.upper : 3);
        }
    }
}

static const BerthSolid* part_of(const Cell* cell, const BerthBodyInfo* info, int i,
                                 BerthPose* body_from_part) {
    BerthPose pose;
    if (info->object.age == 0) {
        return berth_robot_solid(cell->robot, info->link, i, body_from_part, NULL);
    }
    BerthObjectInfo object;
    assert_int_equal(berth_scene_object(cell->scene, info->object, &object), BERTH_OK);
    const BerthSolid* solid = berth_scene_object_part(cell->scene, info->object, i, &pose);
    *body_from_part = berth_pose_multiply(&object.pose, &pose);
    return solid;
}

#if BERTH_HAVE_ORACLES
// FCL is exact about meshes and boxes only.
static PeerFcl* exact_peer(const BerthSolid* solid) {
    const BerthShape* shape = berth_solid_shape(solid);
    return shape == NULL || shape->kind == BERTH_BOX ? fcl_solid(solid) : NULL;
}

static void make_peers(Cell* cell) {
    for (int b = 0; b < berth_scene_body_count(cell->scene); ++b) {
        const BerthBodyInfo info = berth_scene_body(cell->scene, b);
        for (int i = 0; i < info.part_count && cell->peer_count < CELL_PEERS; ++i) {
            BerthPose pose;
            PeerFcl* peer = exact_peer(part_of(cell, &info, i, &pose));
            if (peer != NULL) {
                cell->peers[cell->peer_count++] = (CellPeer){b, peer, pose, {0}};
            }
        }
    }
}

bool cell_peers_collide(Cell* cell, const double* values) {
    CellPeer* peers = cell->peers;
    const int count = cell->peer_count;
    BerthPose links[64];
    const BerthPose identity = berth_pose_identity();
    assert_true(berth_robot_link_count(cell->robot) <= 64);
    berth_robot_link_poses(cell->robot, &identity, values, links);
    for (int i = 0; i < count; ++i) {
        const BerthBodyInfo info = berth_scene_body(cell->scene, peers[i].body);
        const BerthPose pose =
            info.link >= 0 ? berth_pose_multiply(&links[info.link], &peers[i].in_body) : peers[i].in_body;
        fcl_rows(&pose, peers[i].pose);
    }
    for (int p = 0; p < berth_scene_pair_count(cell->scene); ++p) {
        int32_t a = -1, b = -1;
        berth_scene_pair(cell->scene, p, &a, &b);
        for (int i = 0; i < count; ++i) {
            for (int k = 0; peers[i].body == a && k < count; ++k) {
                if (peers[k].body == b &&
                    peer_fcl_collide(peers[i].peer, peers[i].pose, peers[k].peer, peers[k].pose)) {
                    return true;
                }
            }
        }
    }
    return false;
}
#else
static void make_peers(Cell* cell) {
    cell->peer_count = 0;
}

bool cell_peers_collide(Cell* cell, const double* values) {
    (void)cell;
    (void)values;
    return false;
}
#endif

// ---- the brute model ----------------------------------------------------------------------------------------

static void make_brutes(Cell* cell) {
    for (int b = 0; b < berth_scene_body_count(cell->scene); ++b) {
        const BerthBodyInfo info = berth_scene_body(cell->scene, b);
        for (int i = 0; i < info.part_count; ++i) {
            BerthPose pose;
            assert_true(cell->brute_count < CELL_PEERS);
            CellBrute* brute = &cell->brutes[cell->brute_count++];
            brute->body = b;
            brute->part = brute_solid(part_of(cell, &info, i, &pose));
            brute->part.body_from_part = lpose_of(&pose);
        }
    }
}

double cell_brute_gap(Cell* cell, const double* values, double enough) {
    BerthPose links[64];
    const BerthPose identity = berth_pose_identity();
    berth_robot_link_poses(cell->robot, &identity, values, links);
    for (int i = 0; i < cell->brute_count; ++i) {
        const BerthBodyInfo info = berth_scene_body(cell->scene, cell->brutes[i].body);
        const Lpose pose = lpose_of(info.link >= 0 ? &links[info.link] : &identity);
        brute_pose_part(&cell->brutes[i].part, &pose);
    }
    Real least = enough;
    for (int p = 0; p < berth_scene_pair_count(cell->scene); ++p) {
        int32_t a = -1, b = -1;
        berth_scene_pair(cell->scene, p, &a, &b);
        const bool own =
            berth_scene_body(cell->scene, a).link >= 0 && berth_scene_body(cell->scene, b).link >= 0;
        const double padding = own ? 0 : cell->padding;
        for (int i = 0; i < cell->brute_count; ++i) {
            for (int k = 0; cell->brutes[i].body == a && k < cell->brute_count; ++k) {
                const BrutePart *one = &cell->brutes[i].part, *two = &cell->brutes[k].part;
                const Real apart =
                    lv_length(lv_sub(one->centre, two->centre)) - one->radius - two->radius - padding;
                if (cell->brutes[k].body == b && !(one->kind == BRUTE_MESH && two->kind == BRUTE_MESH) &&
                    !(apart > least)) {
                    least = fminl(least, brute_gap(one, two).upper - padding);
                }
            }
        }
    }
    return (double)least;
}

// ---- cells --------------------------------------------------------------------------------------------------

// How far geometry reaches from the origins of links, and how far these are apart.
static void measure_links(Cell* cell) {
    const int count = berth_robot_link_count(cell->robot);
    assert_true(count <= CELL_LINKS);
    BerthPose links[CELL_LINKS];
    double values[COURSE_VALUES];
    const BerthPose identity = berth_pose_identity();
    const Lpose still = lpose_of(&identity);
    berth_robot_default_values(cell->robot, values);
    berth_robot_link_poses(cell->robot, &identity, values, links);
    for (int i = 0; i < cell->brute_count; ++i) {
        BrutePart* part = &cell->brutes[i].part;
        const int link = berth_scene_body(cell->scene, cell->brutes[i].body).link;
        brute_pose_part(part, &still);
        if (link >= 0) {
            cell->extent[link] = fmax(cell->extent[link], (double)(lv_length(part->centre) + part->radius));
        }
    }
    for (int j = 0; j < berth_robot_joint_count(cell->robot); ++j) {
        const BerthJointInfo joint = berth_robot_joint(cell->robot, j);
        cell->step[joint.child_link] = v3_distance(links[joint.parent_link].t, links[joint.child_link].t);
    }
}

Cell cell_open(Random* random, const char* name, BerthRobot* robot, double reach, int kind) {
    Cell cell = {.name = name, .robot = robot, .reach = reach};
    assert_int_equal(berth_scene_create(NULL, &cell.scene), BERTH_OK);
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = robot;
    def.padding = kind % 3 == 2 ? 0.004 : 0.0;
    cell.padding = def.padding;
    assert_int_equal(berth_scene_add_robot(cell.scene, &def, NULL), BERTH_OK);
    furnish(random, cell.scene, kind);
    assert_int_equal(berth_scene_commit(cell.scene), BERTH_OK);
    for (int i = 0; i < berth_scene_body_count(cell.scene); ++i) {  // the base stands on the floor
        const BerthBodyInfo info = berth_scene_body(cell.scene, i);
        if (info.fixed && info.link >= 0 && kind >= 4) {
            assert_int_equal(berth_scene_allow(cell.scene, info.name, "floor"), BERTH_OK);
        }
    }
    assert_int_equal(berth_scene_commit(cell.scene), BERTH_OK);
    cell.checker = segment_checker(cell.scene);
    make_peers(&cell);
    make_brutes(&cell);
    measure_links(&cell);
    return cell;
}

void cell_close(Cell* cell) {
    for (int i = 0; i < cell->brute_count; ++i) {
        brute_free_part(&cell->brutes[i].part);
    }
#if BERTH_HAVE_ORACLES
    for (int i = 0; i < cell->peer_count; ++i) {
        peer_fcl_destroy(cell->peers[i].peer);
    }
#endif
    berth_checker_destroy(cell->checker);
    berth_scene_destroy(cell->scene);
}

void cell_course(Random* random, Cell* cell, double size, Course* course) {
    *course = (Course){.count = berth_scene_value_count(cell->scene)};
    for (int tries = 0; tries < 40; ++tries) {
        berth_robot_default_values(cell->robot, course->from);
        random_values(random, cell, course->from);
        if (cell_gap(cell, course->from) > 0) {
            break;
        }
    }
    double other[COURSE_VALUES];
    berth_robot_default_values(cell->robot, other);
    random_values(random, cell, other);
    for (int k = 0; k < course->count; ++k) {
        course->to[k] = course->from[k] + size * (other[k] - course->from[k]);
    }
}

// The joints that move a link, from its own up to the root.
static int chain_of(const Cell* cell, int link, BerthJointInfo* out) {
    int count = 0;
    for (int j = berth_robot_link(cell->robot, link).parent_joint; j >= 0;
         j = berth_robot_link(cell->robot, out[count - 1].parent_link).parent_joint) {
        assert_true(count < CELL_LINKS);
        out[count++] = berth_robot_joint(cell->robot, j);
    }
    return count;
}

// Of a link's points against the link above the first `count` joints of its chain: every joint turns or pushes what is behind it.
static double chain_speed(const Cell* cell, const Course* course, int link, const BerthJointInfo* chain,
                          int count) {
    double speed = 0, reach = cell->extent[link];
    for (int i = 0; i < count; ++i) {
        const BerthJointInfo* joint = &chain[i];
        const bool follows = joint->mimic >= 0;
        const BerthJointInfo leader = follows ? berth_robot_joint(cell->robot, joint->mimic) : *joint;
        const double scale = follows ? fabs(joint->mimic_multiplier) : 1.0;
        const double rate = leader.first_value >= 0 ? scale * course_rate(course, leader.first_value) : 0;
        assert_true(joint->type != BERTH_JOINT_PLANAR && joint->type != BERTH_JOINT_FLOATING);
        if (joint->type == BERTH_JOINT_PRISMATIC) {
            speed += rate;
            // From the default state, which is 0 or within limits.
            reach += scale * course_largest(course, leader.first_value) + fabs(joint->mimic_offset) +
                     fmax(fabs(joint->lower), fabs(joint->upper));
        } else if (joint->type != BERTH_JOINT_FIXED) {
            speed += rate * fmin(reach, cell->reach);
        }
        reach += cell->step[joint->child_link];
    }
    return speed;
}

double cell_speed(const Cell* cell, const Course* course) {
    double fastest = 0;
    BerthJointInfo up[CELL_LINKS], other[CELL_LINKS];
    for (int a = 0; a < berth_robot_link_count(cell->robot); ++a) {
        const int count = cell->extent[a] > 0 ? chain_of(cell, a, up) : 0;
        fastest = fmax(fastest, chain_speed(cell, course, a, up, count));
        for (int b = 0; count > 0 && b < a; ++b) {  // against each other, from where their chains part
            int own = count, its = cell->extent[b] > 0 ? chain_of(cell, b, other) : 0;
            while (own > 0 && its > 0 && up[own - 1].child_link == other[its - 1].child_link) {
                --own;
                --its;
            }
            fastest = fmax(fastest,
                           chain_speed(cell, course, a, up, own) + chain_speed(cell, course, b, other, its));
        }
    }
    return fastest * (1 + 1e-9);
}

void cell_judge(Cell* cell, const Course* course, const SegmentAsk* ask, const BerthMotionResult* r,
                const Lowest* lowest, SegmentCount* count) {
    double values[COURSE_VALUES];
    const bool far = lowest->bound > ask->margin + 1e-3;
    count->asks += 1;
    count->free += r->verdict == BERTH_FREE;
    count->hits += r->verdict == BERTH_COLLISION;
    count->unknown += r->verdict == BERTH_UNKNOWN;
    count->far += far;
    if (r->verdict == BERTH_FREE) {
        course_values(course, lowest->t, values);
        const double gap = course_checker_gap(cell->checker, values);
        if (!(gap > ask->margin) || !(r->clearance <= gap + 1e-12) || !(r->clearance >= ask->margin)) {
            count->refuted += !(gap > ask->margin);
            segment_wrong(count, "FREE (%s) with clearance %.12g, but the gap at %.17g is %.12g (margin %g)",
                          berth_method_name(ask->method), r->clearance, lowest->t, gap, ask->margin);
        }
    } else if (r->verdict == BERTH_COLLISION) {
        BerthCheckerDef def = berth_default_checker_def();
        def.margin = ask->margin + 1e-12;
        BerthChecker* checker = NULL;
        assert_int_equal(berth_checker_create(cell->scene, &def, &checker), BERTH_OK);
        course_values(course, r->t, values);
        const BerthCheckRequest request = {.all = true};
        BerthCheckResult state;
        assert_int_equal(berth_check_state(checker, values, &request, &state), BERTH_OK);
        bool listed = false;
        for (int32_t i = 0; i < state.hit_count; ++i) {
            listed = listed || (state.hits[i].body_a == r->body_a && state.hits[i].body_b == r->body_b) ||
                     (state.hits[i].body_a == r->body_b && state.hits[i].body_b == r->body_a);
        }
        if (!listed) {
            segment_wrong(count, "HIT (%s) of %d and %d at %.17g, which the static check does not see",
                          berth_method_name(ask->method), r->body_a, r->body_b, r->t);
        }
        berth_checker_destroy(checker);
    } else {
        count->budget += r->reason == BERTH_REASON_BUDGET;
        count->numeric += r->reason == BERTH_REASON_NUMERIC;
        const bool spent = r->reason == BERTH_REASON_BUDGET;
        count->alarms += lowest->bound > ask->margin + ask->delta + 1e-9 && !spent;
        count->alarms_millimetre += far && !spent;
        if (r->reason == BERTH_REASON_NONE) {
            segment_wrong(count, "UNKNOWN without a reason");
        }
    }
}
