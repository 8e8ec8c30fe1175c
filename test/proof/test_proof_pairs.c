// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Pairs of links that never touch: toys whose least distance is known in closed form, and real robots whose proofs are
// held against FCL in random states and in states that a search drove towards contact.
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

#include "proof/proof.h"
#include "support/arms.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/starve.h"
#include "support/urdf_text.h"
#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
#include "support/fcl.h"
#endif

int test_proof_pairs(void);

enum { VALUE_MAX = 128, TEXT_MAX = 6000 };

typedef struct Desk {
    BerthRobot* robot;
    BerthProofModel* model;
    BerthProver* prover;
    double touch[VALUE_MAX], apart[VALUE_MAX];
} Desk;

static Desk desk_of(BerthRobot* robot, int64_t budget, int64_t samples) {
    Desk desk = {.robot = robot};
    BerthProofDef def = berth_default_proof_def();
    def.budget = budget;
    def.samples = samples;
    assert_non_null(robot);
    assert_true(robot->value_count <= VALUE_MAX);
    assert_int_equal(berth_proof_model_create(robot, NULL, &desk.model), BERTH_OK);
    assert_int_equal(berth_prover_create(desk.model, &def, NULL, &desk.prover), BERTH_OK);
    return desk;
}

static void desk_free(Desk* desk) {
    berth_prover_destroy(desk->prover);
    berth_proof_model_destroy(desk->model);
    berth_robot_destroy(desk->robot);
}

static BerthPairProof ask(Desk* desk, int32_t a, int32_t b) {
    BerthPairProof proof;
    assert_int_equal(berth_prover_pair(desk->prover, a, b, desk->touch, desk->apart, &proof), BERTH_OK);
    return proof;
}

static BerthPairProof ask_names(Desk* desk, const char* a, const char* b) {
    return ask(desk, berth_robot_find_link(desk->robot, a), berth_robot_find_link(desk->robot, b));
}

// ---- toys -------------------------------------------------------------------------------------------------

// Robots in text: links with a ball each, and joints.
typedef struct Toy {
    char text[TEXT_MAX];
    size_t size;
} Toy;

static void toy_add(Toy* toy, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int count = vsnprintf(toy->text + toy->size, sizeof toy->text - toy->size, format, arguments);
    va_end(arguments);
    assert_true(count > 0 && (size_t)count < sizeof toy->text - toy->size);
    toy->size += (size_t)count;
}

static Toy toy_new(void) {
    Toy toy = {.size = 0};
    toy_add(&toy, "<robot name=\"toy\">");
    return toy;
}

static void toy_ball(Toy* toy, const char* name, double x, double y, double radius) {
    toy_add(toy,
            "<link name=\"%s\"><collision><origin xyz=\"%.17g %.17g 0\"/><geometry><sphere radius=\"%.17g\"/>"
            "</geometry></collision></link>",
            name, x, y, radius);
}

static void toy_empty(Toy* toy, const char* name) {
    toy_add(toy, "<link name=\"%s\"/>", name);
}

static void toy_joint(Toy* toy, const char* type, const char* parent, const char* child, double x,
                      const char* axis, const char* rest) {
    toy_add(
        toy,
        "<joint name=\"%s_%s\" type=\"%s\"><parent link=\"%s\"/><child link=\"%s\"/><origin xyz=\"%.17g 0 "
        "0\"/><axis xyz=\"%s\"/>%s</joint>",
        parent, child, type, parent, child, x, axis, rest);
}

static Desk toy_desk(Toy* toy, int64_t budget) {
    BerthRobot* robot = NULL;
    toy_add(toy, "</robot>");
    if (test_read_text(toy->text, NULL, false, NULL, &robot) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return desk_of(robot, budget, 0);
}

// Where the touching state says they are, they touch: by the poses of links, with the two balls of a toy.
static double toy_gap(Desk* desk, const char* a, const char* b, const double* values) {
    Pose links[16];
    Vec3 centre[2];
    double radii = 0;
    const Pose base = pose_identity();
    const char* names[2] = {a, b};
    berth_robot_link_poses(desk->robot, &base, values, links);
    for (int i = 0; i < 2; ++i) {
        const int32_t link = berth_robot_find_link(desk->robot, names[i]);
        BerthPose at;
        const BerthSolid* solid = berth_robot_solid(desk->robot, link, 0, &at, NULL);
        centre[i] = pose_apply(&links[link], at.t);
        radii += berth_solid_shape(solid)->as.sphere.radius;
    }
    return v3_distance(centre[0], centre[1]) - radii;
}

// Never, and never with a state that touches; or touching, with a state that does.
static void assert_never(Desk* desk, const char* a, const char* b, bool never) {
    const BerthPairProof proof = ask_names(desk, a, b);
    assert_int_equal(proof.never, never);
    assert_int_equal(proof.has_touch, !never);
    if (!never) {
        assert_true(toy_gap(desk, a, b, desk->touch) <= 0.0);
        assert_true(proof.seen == 0.0);
        for (int32_t i = 0; i < desk->robot->value_count; ++i) {
            const RobotValue* value = &desk->robot->values[i];
            assert_true(!value->has_limits ||
                        (desk->touch[i] >= value->lower && desk->touch[i] <= value->upper));
        }
    }
}

// A ball on an arm of 1 m passes a ball that stands 2 m from its axis; the least gap is 2 - 1 - radii, at angle 0.
static void one_turn(double gap, const char* type, const char* rest, bool never) {
    Toy toy = toy_new();
    toy_ball(&toy, "base", 2, 0, 0.6 - gap);
    toy_empty(&toy, "elbow");
    toy_ball(&toy, "tip", 0, 0, 0.4);
    toy_joint(&toy, type, "base", "elbow", 0, "0 0 1", rest);
    toy_joint(&toy, "revolute", "elbow", "tip", 1, "0 1 0", "<limit lower=\"-1\" upper=\"1\"/>");
    Desk desk = toy_desk(&toy, 30000);
    assert_never(&desk, "base", "tip", never);
    desk_free(&desk);
}

static void turning_toys_have_known_gaps(void** state) {
    (void)state;
    static const char* const ranges[] = {"<limit lower=\"-3\" upper=\"2\"/>",
                                         "<limit lower=\"-7\" upper=\"9\"/>",
                                         "<limit lower=\"-1e-3\" upper=\"3\"/>"};
    for (int i = 0; i < 4; ++i) {
        const char* type = i < 3 ? "revolute" : "continuous";
        const char* rest = i < 3 ? ranges[i] : "";
        one_turn(1e-6, type, rest, true);
        one_turn(-1e-6, type, rest, false);
        one_turn(1e-3, type, rest, true);
        one_turn(-0.1, type, rest, false);
    }
    // Only at the end of the range would they touch: the chord from there to angle 0 is what is left.
    for (int i = 0; i < 2; ++i) {
        const double angle = 0.3, far = sqrt(5 - 4 * cos(angle));
        char rest[100];
        snprintf(rest, sizeof rest, "<limit lower=\"%.17g\" upper=\"2\"/>", angle);
        one_turn(1 - far + (i == 0 ? 1e-6 : -1e-6), "revolute", rest, i == 0);
    }
}

// Slides: the gap is least at the end of the range.
static void sliding_toys_have_known_gaps(void** state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        Toy toy = toy_new();
        toy_ball(&toy, "base", 3, 0, 0.5);
        toy_empty(&toy, "cart");
        toy_ball(&toy, "tip", 0, 0, 0.5);
        toy_joint(&toy, "prismatic", "base", "cart", 0, "1 0 0", "<limit lower=\"-1\" upper=\"1.25\"/>");
        char rest[100];
        snprintf(rest, sizeof rest, "<limit lower=\"-2\" upper=\"%.17g\"/>", 0.75 + (i == 0 ? -1e-6 : 1e-6));
        toy_joint(&toy, "prismatic", "cart", "tip", 0, "1 0 0", rest);
        Desk desk = toy_desk(&toy, 30000);
        assert_never(&desk, "base", "tip", i == 0);
        desk_free(&desk);
    }
}

// Two joints that turn freely: the tip of a 1 + 0.4 m arm reaches all between 0.6 and 1.4 m, and nothing else.
static void reach_of_two_turns_is_an_annulus(void** state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const double off = i % 2 == 0 ? 1e-4 : -1e-4, radius = 0.05;
        Toy toy = toy_new();
        toy_ball(&toy, "base", i < 2 ? 1.4 + 2 * radius + off : 0.6 - 2 * radius - off, 0, radius);
        toy_empty(&toy, "upper");
        toy_ball(&toy, "lower", 0.4, 0, radius);
        toy_joint(&toy, "continuous", "base", "upper", 0, "0 0 1", "");
        toy_joint(&toy, "continuous", "upper", "lower", 1, "0 0 -1", "");
        Desk desk = toy_desk(&toy, 200000);
        assert_never(&desk, "base", "lower", i % 2 == 0);
        desk_free(&desk);
    }
}

// Two arms that would meet if each turned by itself; the second follows the first, so that they keep 2 m of distance.
static void followers_move_together(void** state) {
    (void)state;
    static const char* const mimics[] = {"<mimic joint=\"base_left\"/>",
                                         "<mimic joint=\"base_left\" multiplier=\"-1\"/>", ""};
    for (int i = 0; i < 3; ++i) {
        Toy toy = toy_new();
        toy_empty(&toy, "base");
        toy_ball(&toy, "left", 1, 0, 0.1);
        toy_ball(&toy, "right", 1, 0, 0.1);
        toy_joint(&toy, "continuous", "base", "left", -1, "0 0 1", "");
        toy_joint(&toy, "continuous", "base", "right", 1, "0 0 1", mimics[i]);
        Desk desk = toy_desk(&toy, 30000);
        // Mirrored, the tips are at (-1 + cos q, sin q) and (1 + cos q, -sin q): 2 m or more apart.
        assert_never(&desk, "left", "right", i < 2);
        desk_free(&desk);
    }
}

// What lies above the common ancestor moves both: a floating base, joints without limits.
static void what_is_above_cancels(void** state) {
    (void)state;
    Toy toy = toy_new();
    toy_empty(&toy, "world");
    toy_ball(&toy, "body", 0, 0, 0.5);
    toy_empty(&toy, "neck");
    toy_ball(&toy, "head", 2, 0, 0.5);
    toy_joint(&toy, "floating", "world", "body", 0, "0 0 1", "");
    toy_joint(&toy, "revolute", "body", "neck", 0, "0 0 1", "<limit lower=\"-2\" upper=\"2\"/>");
    toy_joint(&toy, "revolute", "neck", "head", 0, "0 1 0", "<limit lower=\"-2\" upper=\"2\"/>");
    Desk desk = toy_desk(&toy, 30000);
    assert_never(&desk, "body", "head", true);
    desk_free(&desk);
}

// What is between and has no bound proves nothing; what touches there is still found.
static void endless_joints_prove_nothing(void** state) {
    (void)state;
    Toy toy = toy_new();
    toy_ball(&toy, "body", 0, 0, 0.5);
    toy_empty(&toy, "between");
    toy_ball(&toy, "moon", 2, 0, 0.5);
    toy_joint(&toy, "floating", "body", "between", 0, "0 0 1", "");
    toy_joint(&toy, "revolute", "between", "moon", 0, "0 0 1", "<limit lower=\"-2\" upper=\"2\"/>");
    Desk desk = toy_desk(&toy, 30000);
    const BerthPairProof proof = ask_names(&desk, "body", "moon");
    assert_false(proof.never);
    assert_int_equal(proof.standing, BERTH_STANDING_CHECK);
    assert_true(proof.has_touch || proof.why == BERTH_WHY_ENDLESS);
    desk_free(&desk);
}

// Neighbours by one joint, and through links without geometry; rigid pairs are proven one way or the other.
static void neighbours_and_rigid_pairs(void** state) {
    (void)state;
    Toy toy = toy_new();
    toy_ball(&toy, "base", 0, 0, 0.1);
    toy_ball(&toy, "lid", 0.15, 0, 0.1);
    toy_ball(&toy, "far", 1, 1, 0.1);
    toy_empty(&toy, "flange");
    toy_ball(&toy, "arm", 0, 0, 0.1);
    toy_ball(&toy, "hand", 0.25, 0, 0.1);
    toy_joint(&toy, "fixed", "base", "lid", 0, "0 0 1", "");
    toy_joint(&toy, "fixed", "lid", "far", 0, "0 0 1", "");
    toy_joint(&toy, "fixed", "lid", "flange", 0.3, "0 0 1", "");
    toy_joint(&toy, "continuous", "flange", "arm", 0, "0 0 1", "");
    toy_joint(&toy, "continuous", "arm", "hand", 0, "0 1 0", "");
    Desk desk = toy_desk(&toy, 30000);
    BerthPairProof proof = ask_names(&desk, "base", "lid");
    assert_int_equal(proof.standing, BERTH_STANDING_ADJACENT);
    assert_true(proof.always && !proof.never && proof.has_touch && !proof.has_apart);
    proof = ask_names(&desk, "base", "far");
    assert_int_equal(proof.standing, BERTH_STANDING_NEVER);
    assert_true(proof.never && !proof.adjacent && proof.has_apart);
    proof = ask_names(&desk, "lid", "arm");  // through the flange; 0.15 m apart whatever the joint does
    assert_int_equal(proof.standing, BERTH_STANDING_ADJACENT);
    assert_true(proof.always || proof.has_touch);
    proof = ask_names(&desk, "base", "arm");  // the lid is between
    assert_false(proof.adjacent);
    assert_int_equal(proof.standing, BERTH_STANDING_NEVER);
    proof = ask_names(&desk, "arm", "hand");
    assert_int_equal(proof.standing, BERTH_STANDING_ADJACENT);
    assert_true(proof.never);
    proof = ask_names(&desk, "lid", "hand");
    assert_int_equal(proof.standing, BERTH_STANDING_CHECK);
    assert_true(proof.has_touch && proof.has_apart);
    desk_free(&desk);
}

// A pair that overlaps by default, one that always does, and one that nothing is known about but by samples.
static void defaults_and_samples(void** state) {
    (void)state;
    Toy toy = toy_new();
    toy_ball(&toy, "base", 0.5, 0, 0.1);
    toy_empty(&toy, "shoulder");
    toy_ball(&toy, "arm", 0.5, 0, 0.1);
    toy_empty(&toy, "wrist");
    toy_ball(&toy, "big", 0.5, 0, 1.5);
    toy_joint(&toy, "continuous", "base", "shoulder", 0, "0 0 1", "");
    toy_joint(&toy, "revolute", "shoulder", "arm", 0, "0 1 0", "<limit lower=\"-1\" upper=\"1\"/>");
    toy_joint(&toy, "continuous", "shoulder", "wrist", 0, "0 0 1", "");
    toy_joint(&toy, "continuous", "wrist", "big", 0, "0 1 0", "");
    Desk desk = toy_desk(&toy, 30000);
    BerthPairProof proof = ask_names(&desk, "base", "arm");
    assert_int_equal(proof.standing, BERTH_STANDING_DEFAULT);
    assert_true(proof.has_touch && proof.has_apart && !proof.never && !proof.always);
    assert_true(toy_gap(&desk, "base", "arm", desk.apart) > 0.0);
    proof = ask_names(&desk, "base", "big");
    assert_int_equal(proof.standing, BERTH_STANDING_ALWAYS);
    assert_true(proof.samples == 1000 && !proof.has_apart);
    desk_free(&desk);

    // One comparison proves nothing here; the samples are then what is left.
    for (int64_t samples = 0; samples <= 500; samples += 500) {
        Toy far = toy_new();
        toy_ball(&far, "base", 0.4, 0, 0.1);
        toy_empty(&far, "elbow");
        toy_ball(&far, "tip", 0.4, 0, 0.05);
        toy_joint(&far, "continuous", "base", "elbow", 0, "0 0 1", "");
        toy_joint(&far, "continuous", "elbow", "tip", 1, "0 0 1", "");
        toy_add(&far, "</robot>");
        BerthRobot* robot = NULL;
        assert_int_equal(test_read_text(far.text, NULL, false, NULL, &robot), BERTH_OK);
        desk = desk_of(robot, 1, samples);
        desk.prover->first_work = 1;
        proof = ask_names(&desk, "base", "tip");
        assert_false(proof.never);
        assert_int_equal(proof.standing, samples > 0 ? BERTH_STANDING_NEVER : BERTH_STANDING_CHECK);
        assert_int_equal(proof.samples, samples);
        assert_int_equal(proof.why, BERTH_WHY_BUDGET);
        assert_true(proof.seen > 0.0499 && proof.seen < 0.06);
        desk_free(&desk);
    }
}

// ---- bounds -----------------------------------------------------------------------------------------------

// Gap of the first balls of the chain's two links, where the chain stands, by the walk of the whole robot.
static double ball_gap(const Chain* chain) {
    Pose frames[32];
    Vec3 centre[2];
    double radii = 0;
    const Pose base = pose_identity();
    bi_robot_frame_poses(chain->robot, &base, chain->values, frames);
    for (int end = 0; end < 2; ++end) {
        const RobotLink* link = &chain->robot->links[end == 0 ? chain->link_a : chain->link_b];
        const RobotSolid* solid = &chain->robot->solids[link->first_solid];
        centre[end] = pose_apply(&frames[solid->frame], solid->frame_from_solid.t);
        radii += berth_solid_shape(solid->solid)->as.sphere.radius;
    }
    return v3_distance(centre[0], centre[1]) - radii;
}

// Two joints about one axis carry a tip round, away from a ball on the other side: along the line of sight it does not
// move at first, so that all of the bound is second derivatives, of the two joints with each other too.
static void second_derivatives_have_mixed_terms(void** state) {
    (void)state;
    for (double h = 0.05; h < 0.6; h += 0.05) {
        Toy toy = toy_new();
        toy_ball(&toy, "base", -2, 0, 2.85);
        toy_empty(&toy, "one");
        toy_ball(&toy, "two", 1, 0, 0.1);
        toy_joint(&toy, "continuous", "base", "one", 0, "0 0 1", "");
        toy_joint(&toy, "continuous", "one", "two", 0, "0 0 1", "");
        Desk desk = toy_desk(&toy, 1);
        Chain* chain = &desk.prover->chain;
        double share[2] = {0}, half[2] = {h, h};
        bi_chain_find(chain, desk.model, 0, 2);
        bi_chain_place(chain, half);
        const PartBound bound = bi_chain_bound_parts(chain, desk.model, 0, 1, share);
        const double nearer = 3 - sqrt(5 + 4 * cos(2 * h));
        assert_true(bound.motion >= nearer && bound.motion < 2 * h && bound.motion < 2 * nearer);
        desk_free(&desk);
    }
}

// A random box of the chain's values, its middle in chain->values.
static void random_box(Chain* chain, Random* random, double* middle, double* half) {
    const double sizes[] = {1.5, 0.3, 0.05};
    const double most = sizes[bi_random_next(random) % 3];
    for (int32_t i = 0; i < chain->variable_count; ++i) {
        const ChainVariable* variable = &chain->variables[i];
        half[i] = fmin(bi_random_between(random, 0, most), 0.5 * (variable->high - variable->low));
        middle[i] = bi_random_between(random, variable->low + half[i], variable->high - half[i]);
        chain->values[variable->value] = middle[i];
    }
}

// The least gap that a few climbs from corner to corner of the box find.
static double least_gap(Chain* chain, Random* random, const double* middle, const double* half) {
    double least = INFINITY;
    for (int tries = 0; tries < 10; ++tries) {
        for (int32_t i = 0; i < chain->variable_count; ++i) {
            const double to = bi_random_next(random) % 2 == 0 ? -half[i] : half[i];
            chain->values[chain->variables[i].value] = middle[i] + to;
        }
        double here = ball_gap(chain);
        for (int32_t i = 0, calm = 0; calm < 2 * chain->variable_count; i = (i + 1) % chain->variable_count) {
            double* value = &chain->values[chain->variables[i].value];
            const double old = *value;
            const double at[] = {middle[i] - half[i], middle[i], middle[i] + half[i]};
            *value = at[bi_random_next(random) % 3];
            const double now = ball_gap(chain);
            calm = now < here ? 0 : calm + 1;
            *value = now < here ? *value : old;
            here = fmin(here, now);
        }
        least = fmin(least, here);
    }
    return least;
}

// Random chains in random boxes: no state of the box brings two balls nearer than the bounds say.
static void motions_stay_within_their_bounds(void** state) {
    (void)state;
    Random random = {23};
    int64_t boxes = 0, by_planes = 0;
    double tightest = 0, tightest_plane = 0;
    for (int r = 0; r < test_scaled(1000); ++r) {
        Desk desk = desk_of(test_random_robot(&random, false), 1, 0);
        Chain* chain = &desk.prover->chain;
        const BerthRobot* robot = desk.robot;
        for (int i = 0; i < 100 && robot->geometry_count > 1; ++i) {
            const int32_t a = (int32_t)(bi_random_next(&random) % (uint64_t)robot->link_count);
            const int32_t b = (int32_t)(bi_random_next(&random) % (uint64_t)robot->link_count);
            double middle[VALUE_MAX], half[VALUE_MAX], share[VALUE_MAX] = {0};
            if (a == b || robot->links[a].geometry < 0 || robot->links[b].geometry < 0) {
                continue;
            }
            bi_chain_find(chain, desk.model, a, b);
            if (chain->endless || chain->variable_count == 0) {
                continue;
            }
            random_box(chain, &random, middle, half);
            bi_chain_place(chain, half);
            const PartBound bound = bi_chain_bound_parts(chain, desk.model, robot->links[a].first_solid,
                                                         robot->links[b].first_solid, share);
            const double start = ball_gap(chain), least = least_gap(chain, &random, middle, half);
            const double margin = 1e-12;
            assert_true(least >= start - bound.chords - margin);
            assert_true(bound.gap <= 0.0 || least >= start - bound.motion - margin);
            assert_true(least > 0.0 || !bound.proven);
            tightest = fmax(tightest, (start - least) / bound.chords);
            if (bound.gap > 0.0 && bound.motion < bound.chords) {
                tightest_plane = fmax(tightest_plane, (start - least) / bound.motion);
                ++by_planes;
            }
            ++boxes;
        }
        desk_free(&desk);
    }
    print_message("report %lld boxes, at most %.4f of the first-order bound was used; %lld by planes, %.4f\n",
                  (long long)boxes, tightest, (long long)by_planes, tightest_plane);
    assert_true(boxes < 10000 || (tightest > 0.99 && tightest_plane > 0.99));
}

// ---- contracts --------------------------------------------------------------------------------------------

static void wrong_requests_are_refused(void** state) {
    (void)state;
    Desk desk = desk_of(test_arm(false, NULL), 100, 0);
    BerthPairProof proof;
    BerthProver* none = NULL;
    BerthProofDef def = berth_default_proof_def();
    assert_int_equal(berth_prover_pair(desk.prover, 0, 0, NULL, NULL, &proof), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_prover_pair(desk.prover, -1, 0, NULL, NULL, &proof), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_prover_pair(desk.prover, 0, 99, NULL, NULL, &proof), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_prover_pair(desk.prover, 0, 4, NULL, NULL, &proof),
                     BERTH_ERR_ARGUMENT);  // the tool
    def.budget = 0;
    assert_int_equal(berth_prover_create(desk.model, &def, NULL, &none), BERTH_ERR_ARGUMENT);
    def = berth_default_proof_def();
    def.samples = -1;
    assert_int_equal(berth_prover_create(desk.model, &def, NULL, &none), BERTH_ERR_ARGUMENT);
    def = (BerthProofDef){.budget = 10};
    assert_int_equal(berth_prover_create(desk.model, &def, NULL, &none), BERTH_ERR_ARGUMENT);
    assert_null(none);
    assert_string_equal(berth_pair_standing_name(BERTH_STANDING_ALWAYS), "always");
    desk_free(&desk);
    berth_prover_destroy(NULL);
    berth_proof_model_destroy(NULL);
}

static BerthRobot* mesh_robot(void) {
    Random random = {3};
    BerthRobotBuilder* builder = NULL;
    BerthRobot* robot = NULL;
    const Pose at = pose_identity();
    assert_int_equal(berth_robot_builder_create("mesh", NULL, &builder), BERTH_OK);
    for (int i = 0; i < 3; ++i) {
        char name[16];
        snprintf(name, sizeof name, "l%d", i);
        assert_int_equal(berth_robot_add_link(builder, name, NULL), BERTH_OK);
        BerthSolid* solid = test_solid((TestMeshKind)0, 60, 0.3, &random);
        assert_int_equal(berth_robot_add_solid(builder, i, &at, solid, "mesh"), BERTH_OK);
        if (i > 0) {
            BerthJointDef def = berth_default_joint_def();
            def.name = name;
            def.type = BERTH_JOINT_CONTINUOUS;
            def.parent_link = i - 1;
            def.child_link = i;
            def.parent_from_joint.t = v3(0.8, 0, 0);
            def.axis = v3(0, 0, 1);
            assert_int_equal(berth_robot_add_joint(builder, &def, NULL), BERTH_OK);
        }
    }
    assert_int_equal(berth_robot_use_listed_pairs(builder), BERTH_OK);
    assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
    berth_robot_builder_destroy(builder);
    return robot;
}

static BerthStatus make_prover(void* robot, const BerthAllocator* allocator) {
    BerthProofModel* model = NULL;
    BerthProver* prover = NULL;
    const BerthProofDef def = berth_default_proof_def();
    BerthStatus status = berth_proof_model_create(robot, allocator, &model);
    if (status == BERTH_OK) {
        status = berth_prover_create(model, &def, allocator, &prover);
    }
    berth_prover_destroy(prover);
    berth_proof_model_destroy(model);
    return status;
}

static void every_failed_allocation_is_clean(void** state) {
    (void)state;
    BerthRobot* robot = mesh_robot();
    assert_true(starve(make_prover, robot) > 5);
    berth_robot_destroy(robot);
}

static void questions_allocate_nothing(void** state) {
    (void)state;
    BerthRobot* robot = mesh_robot();
    TestAllocator memory = {.fail_at = -1};
    const BerthAllocator allocator = test_allocator(&memory);
    const BerthProofDef def = berth_default_proof_def();
    BerthProofModel* model = NULL;
    BerthProver* prover = NULL;
    assert_int_equal(berth_proof_model_create(robot, &allocator, &model), BERTH_OK);
    assert_int_equal(berth_prover_create(model, &def, &allocator, &prover), BERTH_OK);
    const int64_t taken = memory.taken;
    for (int32_t i = 0; i < 3; ++i) {
        BerthPairProof proof;
        assert_int_equal(berth_prover_pair(prover, i, (i + 1) % 3, NULL, NULL, &proof), BERTH_OK);
        assert_true(proof.work > 0 || proof.has_touch);
    }
    assert_int_equal(memory.taken, taken);
    berth_prover_destroy(prover);
    berth_proof_model_destroy(model);
    assert_int_equal(memory.live, 0);
    berth_robot_destroy(robot);
}

// A link of very many pieces is left alone rather than asked about for hours.
static void piles_are_left_to_be_checked(void** state) {
    (void)state;
    BerthRobotBuilder* builder = NULL;
    BerthRobot* robot = NULL;
    const Pose at = pose_identity();
    assert_int_equal(berth_robot_builder_create("pile", NULL, &builder), BERTH_OK);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(berth_robot_add_link(builder, i == 0 ? "a" : "b", NULL), BERTH_OK);
        for (int k = 0; k < 300; ++k) {
            assert_int_equal(berth_robot_add_solid(builder, i, &at, test_ball(0.01, NULL), "ball"), BERTH_OK);
        }
    }
    BerthJointDef def = berth_default_joint_def();
    def.name = "j";
    def.type = BERTH_JOINT_FLOATING;
    def.parent_link = 0;
    def.child_link = 1;
    assert_int_equal(berth_robot_add_joint(builder, &def, NULL), BERTH_OK);
    assert_int_equal(berth_robot_use_listed_pairs(builder), BERTH_OK);
    assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
    berth_robot_builder_destroy(builder);
    Desk desk = desk_of(robot, 1000, 0);
    const BerthPairProof proof = ask(&desk, 0, 1);
    assert_true(proof.adjacent && !proof.never && proof.why == BERTH_WHY_BUDGET);
    desk_free(&desk);
}

// The same answers whatever was asked before, in either order of the links, by another prover.
static void answers_depend_on_the_pair_alone(void** state) {
    (void)state;
    Random random = {5};
    for (int r = 0; r < test_scaled(30); ++r) {
        BerthRobot* robot = r == 0 ? mesh_robot() : test_random_robot(&random, false);
        Desk desk = desk_of(robot, 2000, 20);
        BerthProver* other = NULL;
        assert_int_equal(berth_prover_create(desk.model, &desk.prover->def, NULL, &other), BERTH_OK);
        for (int32_t a = robot->link_count - 1; a > 0; --a) {
            for (int32_t b = 0; b < a; ++b) {
                if (robot->links[a].geometry < 0 || robot->links[b].geometry < 0) {
                    continue;
                }
                BerthPairProof again;
                double touch[VALUE_MAX] = {0}, apart[VALUE_MAX] = {0};
                memset(desk.touch, 0, sizeof desk.touch);
                memset(desk.apart, 0, sizeof desk.apart);
                const BerthPairProof proof = ask(&desk, a, b);
                assert_int_equal(berth_prover_pair(other, b, a, touch, apart, &again), BERTH_OK);
                assert_true(proof.standing == again.standing && proof.never == again.never &&
                            proof.work == again.work && proof.seen == again.seen &&
                            proof.samples == again.samples && proof.has_touch == again.has_touch);
                assert_memory_equal(touch, desk.touch, sizeof touch);
                assert_memory_equal(apart, desk.apart, sizeof apart);
                assert_false(proof.never && proof.has_touch);
                if ((a + b) % 3 == 0) {  // and not of what was asked before
                    (void)ask(&desk, a, b);
                }
            }
        }
        berth_prover_destroy(other);
        desk_free(&desk);
    }
}

// What a prover told is confirmed by another, a little more than is there is not.
static void gaps_are_confirmed(void** state) {
    (void)state;
    Toy toy = toy_new();
    toy_ball(&toy, "base", 0, 0, 0.1);
    toy_ball(&toy, "arm", 0.5, 0, 0.1);
    toy_ball(&toy, "hand", 0.5, 0, 0.1);
    toy_joint(&toy, "revolute", "base", "arm", 0, "0 0 1",
              "<limit lower='-1' upper='1' velocity='1' effort='1'/>");
    toy_joint(&toy, "revolute", "arm", "hand", 1, "0 0 1",
              "<limit lower='-2' upper='2' velocity='1' effort='1'/>");
    Desk desk = toy_desk(&toy, 30000);

    // The hand's ball is nearest to the base's with its joint at 2: at (1 + cos 2 / 2, sin 2 / 2).
    const double least = hypot(1.0 + 0.5 * cos(2.0), 0.5 * sin(2.0)) - 0.2;
    const BerthPairProof proof = ask_names(&desk, "base", "hand");
    assert_true(proof.never && proof.gap > 0.8 * least && proof.gap <= least);
    assert_true(proof.seen >= least - 1e-12 && proof.seen < 1.01 * least);
    const int32_t a = berth_robot_find_link(desk.robot, "base"),
                  b = berth_robot_find_link(desk.robot, "hand");
    assert_true(berth_prover_confirm(desk.prover, a, b, proof.gap));
    assert_true(berth_prover_confirm(desk.prover, b, a, 0.99 * least));
    assert_false(berth_prover_confirm(desk.prover, a, b, least * (1.0 + 1e-9)));
    assert_false(berth_prover_confirm(desk.prover, a, b, 0.0));
    assert_false(berth_prover_confirm(desk.prover, a, b, (double)NAN));
    assert_false(berth_prover_confirm(desk.prover, a, a, 0.1));
    desk_free(&desk);
}

// ---- real robots against FCL ------------------------------------------------------------------------------

#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
enum { SOLID_MAX = 256, PAIR_MAX = 4096 };

typedef struct Rival {
    Desk desk;
    PeerFcl* peer[SOLID_MAX];
    PeerFclWorld* world;
    int32_t pairs[PAIR_MAX][2];  // of links, proven never to touch
    double gaps[PAIR_MAX];       // nor to come nearer
    int pair_count;
    int64_t states;
    double least;
} Rival;

static void solid_rows(const Rival* rival, const Pose* links, double (*rows)[12]) {
    const BerthRobot* robot = rival->desk.robot;
    for (int32_t i = 0; i < robot->solid_count; ++i) {
        const Pose pose = pose_mul(&links[robot->solids[i].link], &robot->solids[i].link_from_solid);
        fcl_rows(&pose, rows[i]);
    }
}

// FCL's distance of two links; -1 when they touch.
static double peer_distance(Rival* rival, int32_t a, int32_t b, const double* values) {
    const BerthRobot* robot = rival->desk.robot;
    static Pose links[512];
    static double rows[SOLID_MAX][12];
    const Pose base = pose_identity();
    berth_robot_link_poses(robot, &base, values, links);
    solid_rows(rival, links, rows);
    double least = INFINITY;
    for (int32_t i = 0; i < robot->links[a].solid_count; ++i) {
        for (int32_t k = 0; k < robot->links[b].solid_count; ++k) {
            const int32_t sa = robot->links[a].first_solid + i, sb = robot->links[b].first_solid + k;
            least = fmin(least,
                         peer_fcl_distance(rival->peer[sa], rows[sa], rival->peer[sb], rows[sb], NULL, NULL));
        }
    }
    rival->states += 1;
    return least;
}

static void prove_all(Rival* rival) {
    const BerthRobot* robot = rival->desk.robot;
    rival->world = peer_fcl_world_create();
    assert_true(robot->solid_count <= SOLID_MAX && robot->link_count <= 512);
    for (int32_t i = 0; i < robot->solid_count; ++i) {
        rival->peer[i] = fcl_solid(robot->solids[i].solid);
        assert_non_null(rival->peer[i]);
        peer_fcl_world_add_body(rival->world, rival->peer[i]);
    }
    for (int32_t a = 0; a < robot->link_count; ++a) {
        for (int32_t b = 0; b < a; ++b) {
            if (robot->links[a].geometry < 0 || robot->links[b].geometry < 0 ||
                rival->pair_count >= PAIR_MAX) {
                continue;
            }
            const BerthPairProof proof = ask(&rival->desk, a, b);
            if (!proof.never) {
                continue;
            }
            assert_true(proof.gap <= proof.seen && (proof.gap > 0.0 || proof.adjacent));
            rival->gaps[rival->pair_count] = proof.gap;
            rival->pairs[rival->pair_count][0] = a;
            rival->pairs[rival->pair_count++][1] = b;
            for (int32_t i = 0; i < robot->links[a].solid_count * robot->links[b].solid_count; ++i) {
                peer_fcl_world_add_self_pair(rival->world,
                                             robot->links[a].first_solid + i / robot->links[b].solid_count,
                                             robot->links[b].first_solid + i % robot->links[b].solid_count);
            }
        }
    }
    peer_fcl_world_setup(rival->world);
}

// A pattern search on FCL's distance, over all values: what it cannot see of ours it cannot be misled by.
static void drive_together(Rival* rival, Random* random, int pair) {
    const BerthRobot* robot = rival->desk.robot;
    const int32_t a = rival->pairs[pair][0], b = rival->pairs[pair][1];
    double values[VALUE_MAX];
    bi_robot_random_values(robot, random, values);
    double best = peer_distance(rival, a, b, values);
    for (double step = 0.6; step > 1e-3 && best > 0.0; step *= 0.5) {
        for (int32_t k = 0; k < robot->value_count; ++k) {
            const RobotValue* value = &robot->values[k];
            for (int side = 0; side < 2; ++side) {
                const double old = values[k];
                values[k] = side == 0 ? old - step : old + step;
                if (value->has_limits) {
                    values[k] = clamp(values[k], value->lower, value->upper);
                }
                const double now = values[k] == old ? best : peer_distance(rival, a, b, values);
                values[k] = now < best ? values[k] : old;
                best = now < best ? now : best;
            }
        }
    }
    assert_true(best > 0.0 && best >= rival->gaps[pair] - 1e-9);
    rival->least = fmin(rival->least, best);
}

static void contradict(const TestRobot* entry, int64_t budget, int count) {
    static Rival rival;
    static double rows[SOLID_MAX][12];
    static Pose links[512];
    const Pose base = pose_identity();
    memset(&rival, 0, sizeof rival);
    rival.least = INFINITY;
    rival.desk = desk_of(test_read_robot(entry, true, true), budget, 0);
    prove_all(&rival);
    Random random = {17};
    double values[VALUE_MAX];
    for (; rival.states < count / 2; ++rival.states) {
        bi_robot_random_values(rival.desk.robot, &random, values);
        for (int32_t k = 0; k < rival.desk.robot->value_count; ++k) {  // corners of the box too
            const RobotValue* value = &rival.desk.robot->values[k];
            const uint64_t kind = bi_random_next(&random) % 4;
            values[k] = !value->has_limits || kind > 1 ? values[k] : kind == 0 ? value->lower : value->upper;
        }
        berth_robot_link_poses(rival.desk.robot, &base, values, links);
        solid_rows(&rival, links, rows);
        assert_int_equal(peer_fcl_world_check(rival.world, rows[0]), 0);
    }
    while (rival.states < count && rival.pair_count > 0) {
        drive_together(&rival, &random, (int)(bi_random_next(&random) % (uint64_t)rival.pair_count));
    }
    print_message("report %s: %d pairs proven, %lld states, nearest %.3g m\n", entry->name, rival.pair_count,
                  (long long)rival.states, rival.least);
    assert_true(rival.pair_count > 0);
    for (int32_t i = 0; i < rival.desk.robot->solid_count; ++i) {
        peer_fcl_destroy(rival.peer[i]);
    }
    peer_fcl_world_destroy(rival.world);
    desk_free(&rival.desk);
}

// The large ones, with a small budget, in long runs only: reading them alone takes seconds. It is what is proven that is
// looked at here, not how much.
static void proofs_are_never_contradicted(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not there");
    }
    const bool is_long = test_scaled(10) >= 40;
    for (const TestRobot* entry = test_robots; entry->name != NULL; ++entry) {
        const bool large = strcmp(entry->name, "pr2") == 0 || strncmp(entry->name, "romeo", 5) == 0;
        const bool twin = strchr(entry->name, '_') != NULL && strcmp(entry->name, "panda_capsules") != 0;
        if (is_long || !(large || twin || strcmp(entry->name, "fanuc") == 0)) {
            contradict(entry, large ? 400 : 4000, test_scaled(20000));
        }
    }
}
#else
static void proofs_are_never_contradicted(void** state) {
    (void)state;
    TEST_SKIP("FCL is not installed");
}
#endif

int test_proof_pairs(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_confirmed),
        cmocka_unit_test(turning_toys_have_known_gaps),
        cmocka_unit_test(sliding_toys_have_known_gaps),
        cmocka_unit_test(reach_of_two_turns_is_an_annulus),
        cmocka_unit_test(followers_move_together),
        cmocka_unit_test(what_is_above_cancels),
        cmocka_unit_test(endless_joints_prove_nothing),
        cmocka_unit_test(neighbours_and_rigid_pairs),
        cmocka_unit_test(defaults_and_samples),
        cmocka_unit_test(second_derivatives_have_mixed_terms),
        cmocka_unit_test(motions_stay_within_their_bounds),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(every_failed_allocation_is_clean),
        cmocka_unit_test(questions_allocate_nothing),
        cmocka_unit_test(piles_are_left_to_be_checked),
        cmocka_unit_test(answers_depend_on_the_pair_alone),
        cmocka_unit_test(proofs_are_never_contradicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
