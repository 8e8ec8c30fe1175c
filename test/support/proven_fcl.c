// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// FCL as the judge of pairs that a table proves apart.

#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES

#include "support/proven_fcl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <cmocka.h>

#include "robot/robot.h"
#include "support/fcl.h"

void proven_judge_open(ProvenJudge* judge, const BerthRobot* robot) {
    *judge = (ProvenJudge){.robot = robot};
    assert_true(robot->solid_count <= PROVEN_SOLID_MAX && robot->link_count <= 512);
    for (int32_t i = 0; i < robot->solid_count; ++i) {
        judge->peers[i] = fcl_solid(robot->solids[i].solid);
        assert_non_null(judge->peers[i]);
    }
}

void proven_judge_close(ProvenJudge* judge) {
    for (int32_t i = 0; i < judge->robot->solid_count; ++i) {
        peer_fcl_destroy(judge->peers[i]);
    }
}

// FCL's distance of two links, or something above `enough`; -1 when they touch.
static double link_gap(const ProvenJudge* judge, const Pose* links, int32_t link_a, int32_t link_b,
                       double enough) {
    const BerthRobot* robot = judge->robot;
    const RobotLink* a = &robot->links[link_a];
    const RobotLink* b = &robot->links[link_b];
    double least = INFINITY;
    for (int32_t i = a->first_solid; i < a->first_solid + a->solid_count; ++i) {
        for (int32_t k = b->first_solid; k < b->first_solid + b->solid_count; ++k) {
            double row_a[12], row_b[12];
            const Pose pose_a = pose_mul(&links[robot->solids[i].link], &robot->solids[i].link_from_solid);
            const Pose pose_b = pose_mul(&links[robot->solids[k].link], &robot->solids[k].link_from_solid);
            fcl_rows(&pose_a, row_a);
            fcl_rows(&pose_b, row_b);
            least =
                fmin(least, peer_fcl_distance_within(judge->peers[i], row_a, judge->peers[k], row_b, enough));
        }
    }
    return least;
}

void proven_judge_state(ProvenJudge* judge, const BerthScene* scene, const double* values, double margin) {
    static Pose links[512];
    const Pose base = pose_identity();
    berth_robot_link_poses(judge->robot, &base, values, links);
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        if (pair->proven_gap > 0.0) {  // the others are not what this is about
            const double gap = link_gap(judge, links, scene->bodies[pair->body_a].link,
                                        scene->bodies[pair->body_b].link, margin + 1e-4);
            judge->asked += 1;
            judge->wrong += !(gap > margin);
        }
    }
}

#endif
