// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the prover calls "never nearer than", proven again by somebody else: boxes of joint values are halved until the gap at a
// box's middle, in long double by kinematics of its own, is larger than what the joints between the two links can take off it. The
// bound is as crude as can be: no point is further from an axis than the lengths on the way to it add up to.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include <berth/proof.h>

#include "robot/robot.h"
#include "support/setting.h"
#include "support/worlds.h"

int test_proof_again(void);

enum { VALUES = 64, BOXES = 256, EVALUATIONS = 3000, PAIRS_OF_ROBOT = 3 };
/// So much of the gap is asked for again: a bound that comes near to it for ever proves nothing.
static const double share = 0.9;

typedef struct Box {
    double middle[VALUES], half[VALUES];
} Box;

/// Two links of the one robot of a world.
typedef struct Trial {
    World* world;
    const BruteBody *a, *b;
    double rate[VALUES];  // the gap changes by no more than this per unit of a value
    double gap;           // claimed
} Trial;

typedef enum Finding { OPEN, PROVEN, REFUTED } Finding;

static const BruteJoint* joint_above(const BruteRobot* robot, int link) {
    for (int j = 0; j < robot->joint_count; ++j) {
        if (robot->joints[j].child == link) {
            return &robot->joints[j];
        }
    }
    return NULL;
}

static bool is_above(const BruteRobot* robot, int link, int below) {
    while (below != link) {
        const BruteJoint* joint = joint_above(robot, below);
        if (joint == NULL) {
            return false;
        }
        below = joint->parent;
    }
    return true;
}

// Adds what each joint between a body and its shared ancestor can do to the body's points. False for joints of several values.
static bool add_rates(Trial* trial, const BruteBody* body, int ancestor, const Box* limits) {
    const BruteRobot* robot = &trial->world->brute.robots[0];
    double reach = 0;
    for (int k = 0; k < body->part_count; ++k) {
        const Lv from_link = lv_sub(body->parts[k].centre, robot->links[body->link].t);
        reach = fmax(reach, (double)(lv_length(from_link) + body->parts[k].radius));
    }
    for (int link = body->link; link != ancestor;) {
        const BruteJoint* joint = joint_above(robot, link);
        double scale = 1, shift = 0;
        const BruteJoint* leader = joint;
        for (; leader->mimic >= 0; leader = &robot->joints[leader->mimic]) {
            shift += fabs((double)(scale * leader->offset));
            scale *= fabs((double)leader->multiplier);
        }
        const int v = leader->first_value;
        const double largest = fabs(limits->middle[v]) + limits->half[v];
        const bool turns = joint->type == BERTH_JOINT_REVOLUTE || joint->type == BERTH_JOINT_CONTINUOUS;
        if (turns) {
            trial->rate[v] += scale * reach;
        } else if (joint->type == BERTH_JOINT_PRISMATIC) {
            trial->rate[v] += scale;
            reach += scale * largest + shift;
        } else if (joint->type != BERTH_JOINT_FIXED) {
            return false;
        }
        reach += (double)lv_length(joint->parent_from_joint.t);
        link = joint->parent;
    }
    return isfinite(reach);
}

static bool find_rates(Trial* trial, const Box* limits) {
    const BruteRobot* robot = &trial->world->brute.robots[0];
    int ancestor = trial->a->link;
    while (!is_above(robot, ancestor, trial->b->link)) {
        ancestor = joint_above(robot, ancestor)->parent;
    }
    memset(trial->rate, 0, sizeof trial->rate);
    brute_pose_world(&trial->world->brute, limits->middle);
    return add_rates(trial, trial->a, ancestor, limits) && add_rates(trial, trial->b, ancestor, limits);
}

// Halves what takes most off the gap until nothing is left to prove, or the work is spent.
static Finding prove_again(const Trial* trial, const Box* limits, int values) {
    static Box stack[BOXES];
    int count = 0;
    stack[count++] = *limits;
    for (int work = 0; count > 0; ++work) {
        Box box = stack[--count];
        if (work >= EVALUATIONS || count + 2 > BOXES) {
            return OPEN;
        }
        brute_pose_world(&trial->world->brute, box.middle);
        const BruteGap gap = brute_body_gap(&trial->world->brute, trial->a, trial->b);
        if (!(gap.upper > trial->gap - 1e-12)) {
            return REFUTED;
        }
        double off = 0;
        int widest = 0;
        for (int v = 0; v < values; ++v) {
            off += trial->rate[v] * box.half[v];
            widest = trial->rate[v] * box.half[v] > trial->rate[widest] * box.half[widest] ? v : widest;
        }
        if ((double)gap.lower - off * (1 + 1e-9) >= share * trial->gap) {
            continue;
        }
        box.half[widest] *= 0.5;
        stack[count] = box;
        stack[count++].middle[widest] -= box.half[widest];
        stack[count] = box;
        stack[count++].middle[widest] += box.half[widest];
    }
    return PROVEN;
}

// The limits as one box; joints without any turn all the way.
static bool box_of_limits(const BerthRobot* robot, Box* out) {
    for (int32_t i = 0; i < robot->value_count; ++i) {
        const RobotValue* value = &robot->values[i];
        const bool endless = !value->has_limits;
        if (endless && value->type != BERTH_JOINT_CONTINUOUS) {
            return false;
        }
        out->middle[i] = endless ? 0.0 : 0.5 * (value->lower + value->upper);
        out->half[i] = endless ? 3.1415926535897936 : 0.5 * (value->upper - value->lower) * (1 + 1e-15);
    }
    return true;
}

static void tables_proven_again(void** state) {
    (void)state;
    int64_t found[3] = {0}, robots = 0;
    for (int w = 0; w < test_scaled(1200); ++w) {
        Random random = {(uint64_t)w * 29 + 91000};
        const WorldPlan plan = {.style = WORLD_CONVEX,
                                .robots = 1,
                                .joints = 2 + w % 3,
                                .no_padding = true,
                                .no_allow = true,
                                .no_planes = true};
        World* world = world_make(&random, &plan);
        const BerthRobot* robot = berth_scene_robot(world->scene, 0, NULL, NULL);
        Box limits = {{0}, {0}};
        BerthProofModel* model = NULL;
        BerthProver* prover = NULL;
        const BerthProofDef def = berth_default_proof_def();
        assert_int_equal(berth_proof_model_create(robot, NULL, &model), BERTH_OK);
        assert_int_equal(berth_prover_create(model, &def, NULL, &prover), BERTH_OK);
        const bool usable = robot->value_count <= VALUES && box_of_limits(robot, &limits);
        robots += usable;

        int asked = 0;
        const int bodies = usable ? world->brute.body_count : 0;
        for (int i = 0; i < bodies; ++i) {
            for (int k = 0; k < i && asked < PAIRS_OF_ROBOT; ++k) {
                Trial trial = {.world = world, .a = &world->brute.bodies[i], .b = &world->brute.bodies[k]};
                const int32_t link_a = berth_scene_body(world->scene, trial.a->index).link;
                const int32_t link_b = berth_scene_body(world->scene, trial.b->index).link;
                BerthPairProof proof;
                assert_int_equal(berth_prover_pair(prover, link_a, link_b, NULL, NULL, &proof), BERTH_OK);
                if (!proof.never || !find_rates(&trial, &limits)) {
                    continue;
                }
                assert_true(proof.gap > 0.0 ||
                            proof.adjacent);  // neighbours are not asked how near they come
                trial.gap = proof.gap;
                const Finding finding = prove_again(&trial, &limits, robot->value_count);
                if (finding == REFUTED) {
                    fail_msg("robot %d: %s and %s are said to be never nearer than %.12g m", w, trial.a->name,
                             trial.b->name, proof.gap);
                }
                found[finding] += 1;
                asked += 1;
            }
        }
        berth_prover_destroy(prover);
        berth_proof_model_destroy(model);
        world_destroy(world);
    }
    print_message("report %lld robots: %lld pairs proven again, %lld left open, %lld refuted\n",
                  (long long)robots, (long long)found[PROVEN], (long long)found[OPEN],
                  (long long)found[REFUTED]);
    assert_true(found[PROVEN] > 0 && found[PROVEN] > found[OPEN] / 2);
}

int test_proof_again(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_proven_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
