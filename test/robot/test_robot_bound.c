// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How far two parts can come towards each other in a box of joint values, held against kinematics of its own in long
// double: chains of turns, slides and followers on both sides of their ancestor, whose levers grow within the box; searches
// that drive the parts together; angles so far from zero that their rounding counts.
// test-share: 0.4
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proof/proof.h"
#include "support/setting.h"

int test_robot_bound(void);

enum { LINK_MAX = 7 };

// ---- robots, and where their links are --------------------------------------------------------------------

// Link i > 0 hangs on joint i. Every link has one solid: a ball, or a box with half sides.
typedef struct MadeLink {
    BerthJointType type;
    int32_t parent, leader;  // the joint it follows, or 0
    Pose at, solid_at;
    Vec3 axis, half;  // half.x 0: a ball
    double radius, multiplier, offset, lower, upper;
} MadeLink;

typedef struct Made {
    int32_t count;
    MadeLink link[LINK_MAX];
} Made;

typedef struct Place {
    long double column[3][3], t[3];
} Place;

static Place place_of(const Pose* pose) {
    const Vec3 column[4] = {pose->x, pose->y, pose->z, pose->t};
    Place place;
    for (int c = 0; c < 4; ++c) {
        long double* to = c < 3 ? place.column[c] : place.t;
        to[0] = column[c].x;
        to[1] = column[c].y;
        to[2] = column[c].z;
    }
    return place;
}

static void apply(const Place* place, const long double p[3], bool turn_only, long double out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = (turn_only ? 0.0L : place->t[i]) + place->column[0][i] * p[0] + place->column[1][i] * p[1] +
                 place->column[2][i] * p[2];
    }
}

static Place compose(const Place* a, const Place* b) {
    Place out;
    for (int c = 0; c < 3; ++c) {
        apply(a, b->column[c], true, out.column[c]);
    }
    apply(a, b->t, false, out.t);
    return out;
}

static long double joint_value(const Made* made, int32_t i, const long double* values) {
    const MadeLink* link = &made->link[i];
    return link->leader == 0 ? values[i]
                             : (long double)link->multiplier * joint_value(made, link->leader, values) +
                                   (long double)link->offset;
}

// Rodrigues' rotation of the three unit vectors, or a slide.
static Place motion_of(const MadeLink* link, long double q) {
    const long double length =
        sqrtl((long double)link->axis.x * link->axis.x + (long double)link->axis.y * link->axis.y +
              (long double)link->axis.z * link->axis.z);
    const long double u[3] = {link->axis.x / length, link->axis.y / length, link->axis.z / length};
    const bool slide = link->type == BERTH_JOINT_PRISMATIC;
    const long double s = slide ? 0.0L : sinl(q), c = slide ? 1.0L : cosl(q);
    Place out;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        // u x e_k has u_j at i and -u_i at j.
        out.column[k][k] = c + (1.0L - c) * u[k] * u[k];
        out.column[k][i] = (1.0L - c) * u[k] * u[i] + s * u[j];
        out.column[k][j] = (1.0L - c) * u[k] * u[j] - s * u[i];
        out.t[k] = slide ? q * u[k] : 0.0L;
    }
    return out;
}

static Place solid_place(const Made* made, int32_t i, const long double* values) {
    Place place = place_of(&made->link[i].solid_at);
    for (; i > 0; i = made->link[i].parent) {
        const Place motion = motion_of(&made->link[i], joint_value(made, i, values));
        const Place at = place_of(&made->link[i].at);
        place = compose(&motion, &place);
        place = compose(&at, &place);
    }
    return place;
}

// Distance of the two solids: balls, or a ball and a box; never below minus the ball's radius.
static long double gap_at(const Made* made, int32_t a, int32_t b, const long double* values) {
    const bool box_a = made->link[a].half.x > 0.0;
    const int32_t boxy = box_a ? a : b, round = box_a ? b : a;
    const MadeLink* box = &made->link[boxy];
    const Place from = solid_place(made, boxy, values), to = solid_place(made, round, values);
    const long double d[3] = {to.t[0] - from.t[0], to.t[1] - from.t[1], to.t[2] - from.t[2]};
    const double half[3] = {box->half.x, box->half.y, box->half.z};
    long double sum = 0.0L;
    for (int k = 0; k < 3; ++k) {
        const long double* u = from.column[k];
        const long double over = fabsl(d[0] * u[0] + d[1] * u[1] + d[2] * u[2]) - (long double)half[k];
        sum += over > 0.0L ? over * over : 0.0L;
    }
    return sqrtl(sum) - (long double)made->link[round].radius - (long double)box->radius;
}

static BerthRobot* build(const Made* made) {
    BerthRobotBuilder* builder = NULL;
    BerthRobot* robot = NULL;
    assert_int_equal(berth_robot_builder_create("made", NULL, &builder), BERTH_OK);
    for (int32_t i = 0; i < made->count; ++i) {
        const MadeLink* link = &made->link[i];
        char name[16], leader[16];
        BerthShape shape;
        BerthSolid* solid = NULL;
        snprintf(name, sizeof name, "%d", (int)i);
        snprintf(leader, sizeof leader, "%d", (int)link->leader);
        assert_int_equal(berth_robot_add_link(builder, name, NULL), BERTH_OK);
        assert_int_equal(link->half.x > 0.0 ? berth_shape_box(v3_scale(link->half, 2.0), &shape)
                                            : berth_shape_sphere(link->radius, &shape),
                         BERTH_OK);
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        assert_int_equal(berth_robot_add_solid(builder, i, &link->solid_at, solid, "made"), BERTH_OK);
        if (i > 0) {
            BerthJointDef def = berth_default_joint_def();
            def.name = name;
            def.type = link->type;
            def.parent_link = link->parent;
            def.child_link = i;
            def.parent_from_joint = link->at;
            def.axis = link->axis;
            def.has_limits = link->type != BERTH_JOINT_CONTINUOUS;
            def.lower = link->lower;
            def.upper = link->upper;
            def.mimic = link->leader > 0 ? leader : NULL;
            def.mimic_multiplier = link->multiplier;
            def.mimic_offset = link->offset;
            assert_int_equal(berth_robot_add_joint(builder, &def, NULL), BERTH_OK);
        }
    }
    assert_int_equal(berth_robot_use_listed_pairs(builder), BERTH_OK);
    assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
    berth_robot_builder_destroy(builder);
    return robot;
}

typedef struct Bench {
    BerthRobot* robot;
    BerthProofModel* model;
    BerthProver* prover;
} Bench;

static Bench bench_of(const Made* made, int64_t budget) {
    Bench bench = {.robot = build(made)};
    BerthProofDef def = berth_default_proof_def();
    def.budget = budget;
    assert_int_equal(berth_proof_model_create(bench.robot, NULL, &bench.model), BERTH_OK);
    assert_int_equal(berth_prover_create(bench.model, &def, NULL, &bench.prover), BERTH_OK);
    return bench;
}

static void bench_free(Bench* bench) {
    berth_prover_destroy(bench->prover);
    berth_proof_model_destroy(bench->model);
    berth_robot_destroy(bench->robot);
}

// The joint whose value is the state's `value`.
static int32_t joint_of(const BerthRobot* robot, int32_t value) {
    int32_t joint = 0;
    const char* name = robot->joints[robot->values[value].joint].name;
    assert_int_equal(sscanf(name, "%d", &joint), 1);
    return joint;
}

// ---- a box of values --------------------------------------------------------------------------------------

typedef struct ValueBox {
    int32_t count;
    int32_t joint[LINK_MAX];
    double middle[LINK_MAX], half[LINK_MAX];
} ValueBox;

static void values_at(const ValueBox* box, const long double* to, long double* values) {
    for (int32_t i = 0; i < box->count; ++i) {
        values[box->joint[i]] = (long double)box->middle[i] + to[i] * (long double)box->half[i];
    }
}

static long double gap_of(const Made* made, int32_t a, int32_t b, const ValueBox* box,
                          const long double* to) {
    long double values[LINK_MAX] = {0};
    values_at(box, to, values);
    return gap_at(made, a, b, values);
}

// Goes down the gap from `to` (-1 to 1 a variable) with steps along every variable that shrink, kept within the box.
static long double descend(const Made* made, int32_t a, int32_t b, const ValueBox* box, long double* to) {
    long double here = gap_of(made, a, b, box, to);
    for (long double step = 1.0L; step > 1e-3L; step *= 0.4L) {
        for (int32_t i = 0, calm = 0; calm < 2 * box->count; i = (i + 1) % (2 * box->count), ++calm) {
            const long double old = to[i / 2], moved = old + (i % 2 == 0 ? step : -step);
            to[i / 2] = moved > 1.0L ? 1.0L : moved < -1.0L ? -1.0L : moved;
            const long double now = to[i / 2] == old ? here : gap_of(made, a, b, box, to);
            if (now < here) {
                here = now;
                calm = -1;
            } else {
                to[i / 2] = old;
            }
        }
    }
    return here;
}

// From the middle along the gradient there, from the corner that the gradient points to, and from random corners.
static long double least_gap(const Made* made, int32_t a, int32_t b, const ValueBox* box, Random* random) {
    long double least = INFINITY, corner[LINK_MAX], to[LINK_MAX] = {0};
    const long double start = gap_of(made, a, b, box, to);
    for (int32_t i = 0; i < box->count; ++i) {
        to[i] = 1e-6L;
        corner[i] = gap_of(made, a, b, box, to) < start ? 1.0L : -1.0L;
        to[i] = 0.0L;
    }
    for (int tries = 0; tries < 5; ++tries) {
        for (int32_t i = 0; i < box->count; ++i) {
            to[i] = tries == 0   ? 0.0L
                    : tries == 1 ? corner[i]
                                 : (bi_random_next(random) % 2 == 0 ? -1.0L : 1.0L);
        }
        const long double found = descend(made, a, b, box, to);
        least = found < least ? found : least;
    }
    return least;
}

// ---- levers that grow -------------------------------------------------------------------------------------

static MadeLink still_link(double radius) {
    return (MadeLink){.type = BERTH_JOINT_REVOLUTE,
                      .at = pose_identity(),
                      .solid_at = pose_identity(),
                      .axis = {0, 0, 1},
                      .radius = radius,
                      .multiplier = 1.0,
                      .lower = -3.0,
                      .upper = 3.0};
}

// A base whose ball stands at (0, -distance), a turn about the origin, and a joint on top of it.
static Made growing_arm(double distance, bool slide, double lever) {
    Made made = {.count = 3};
    for (int i = 0; i < 3; ++i) {
        made.link[i] = still_link(0.01);
    }
    made.link[0].solid_at.t = v3(0, -distance, 0);
    made.link[0].radius = distance - 0.03;  // near: what the first order proves is not asked the second
    made.link[2].parent = 1;
    if (slide) {
        made.link[2].type = BERTH_JOINT_PRISMATIC;
        made.link[2].axis = v3(1, 0, 0);
        made.link[2].solid_at.t = v3(lever, 0, 0);  // this far from the axis at the middle
    } else {
        made.link[2].at.t = v3(1, 0, 0);
        made.link[2].solid_at.t = v3(lever - 1, 0, 0);  // folded back over the axis
    }
    return made;
}

// A slide that carries its ball away from the axis of the turn below it, and an elbow that is folded so that its ball is
// next to that axis: there the lever of the turn is small at the middle and large at the corners. All of the box is
// looked at, in a grid.
static void levers_may_grow_within_the_box(void** state) {
    (void)state;
    double used[2] = {0, 0};
    for (int round = 0; round < 192; ++round) {
        const bool slide = round % 2 == 0;
        const double lever = round / 2 % 3 * 0.02, turn = 0.05 * (1 + round / 6 % 4),
                     far = 0.4 * (1 + round / 24 % 4);
        // From far away it does not pay to say that the base turns.
        const Made made = growing_arm(round < 96 ? 4.0 : 100.0, slide, lever);
        Bench bench = bench_of(&made, 1);
        Chain* chain = &bench.prover->chain;
        ValueBox box = {.count = 2, .joint = {1, 2}, .half = {turn, far}};
        double share[2] = {0}, half[2];
        bi_chain_find(chain, bench.model, 0, 2);
        assert_int_equal(chain->variable_count, 2);
        for (int i = 0; i < 2; ++i) {
            chain->values[chain->variables[i].value] = 0.0;
            half[i] = box.half[joint_of(bench.robot, chain->variables[i].value) - 1];
        }
        bi_chain_place(chain, half);
        const PartBound bound = bi_chain_bound_parts(chain, bench.model, 0, 2, share);
        const long double at[2] = {0.0L, 0.0L}, start = gap_of(&made, 0, 2, &box, at);
        long double least = start;
        for (int i = 0; i <= 60; ++i) {
            for (int k = 0; k <= 60; ++k) {
                const long double to[2] = {(long double)(i - 30) / 30.0L, (long double)(k - 30) / 30.0L};
                least = fminl(least, gap_of(&made, 0, 2, &box, to));
            }
        }
        assert_true(bound.gap > 0.0 && least >= start - (long double)bound.motion);
        assert_true(least >= start - (long double)bound.chords);
        used[slide] = fmax(used[slide], (double)(start - least) / bound.motion);
        bench_free(&bench);
    }
    print_message("report of the bound were used, where levers grow: %.4f by an elbow, %.4f by a slide\n",
                  used[0], used[1]);
    assert_true(used[0] > 0.9 &&
                used[1] > 0.9);  // a bound far from what happens would hide what is missing in it
}

// ---- random chains ----------------------------------------------------------------------------------------

static double pick(Random* random, const double* from, int count) {
    return from[bi_random_next(random) % (uint64_t)count];
}

// Places and axes are often plain, so that axes meet, are parallel or coincide: bounds are tight there.
static Vec3 random_place(Random* random) {
    static const double plain[] = {0, 0, 0, 1, -1, 0.5};
    if (bi_random_next(random) % 3 == 0) {
        return v3(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1),
                  bi_random_between(random, -1, 1));
    }
    return v3(pick(random, plain, 6), pick(random, plain, 6), bi_random_next(random) % 3 == 0 ? 0.3 : 0.0);
}

static void random_link(Made* made, int32_t i, Random* random) {
    static const double rates[] = {1, -1, 2, -3, 0.5, -0.3};
    MadeLink* link = &made->link[i];
    *link = still_link(bi_random_between(random, 0.01, 0.1));
    link->solid_at.t = v3_scale(random_place(random), bi_random_next(random) % 5 == 0 ? 50.0 : 1.0);
    if (bi_random_next(random) % 3 == 0) {
        const Vec3 at = link->solid_at.t;
        assert_int_equal(berth_pose_from_quat(at, bi_random_quat(random), &link->solid_at), BERTH_OK);
        link->half = v3(bi_random_between(random, 0.01, 0.4), bi_random_between(random, 0.01, 0.4),
                        bi_random_between(random, 0.01, 0.4));
        link->radius = 0.0;
    }
    if (i == 0) {
        return;
    }
    static const BerthJointType types[] = {BERTH_JOINT_REVOLUTE, BERTH_JOINT_REVOLUTE, BERTH_JOINT_CONTINUOUS,
                                           BERTH_JOINT_PRISMATIC};
    link->type = types[bi_random_next(random) % 4];
    link->parent = bi_random_next(random) % 4 == 0 ? (int32_t)(bi_random_next(random) % (uint64_t)i) : i - 1;
    link->at.t = random_place(random);
    if (bi_random_next(random) % 4 == 0) {
        const Vec3 at = link->at.t;
        assert_int_equal(berth_pose_from_quat(at, bi_random_quat(random), &link->at), BERTH_OK);
    }
    link->axis = bi_random_next(random) % 3 == 0   ? v3_add(random_place(random), v3(0.1, 0.2, 0.3))
                 : bi_random_next(random) % 2 == 0 ? v3(0, 0, 1)
                                                   : v3(1, 0, 0);
    if (i > 1 && bi_random_next(random) % 4 == 0) {
        link->leader = 1 + (int32_t)(bi_random_next(random) % (uint64_t)(i - 1));
        link->multiplier = pick(random, rates, 6);
        link->offset = bi_random_between(random, -1, 1);
    }
}

// A box of the chain's variables, in their order.
static ValueBox random_box(const Bench* bench, Random* random) {
    const Chain* chain = &bench->prover->chain;
    static const double sizes[] = {2.0, 0.7, 0.2, 0.03};
    const double most = pick(random, sizes, 4);
    ValueBox box = {.count = chain->variable_count};
    for (int32_t i = 0; i < box.count; ++i) {
        const ChainVariable* variable = &chain->variables[i];
        const double wide = bi_random_next(random) % 3 == 0 ? most : bi_random_between(random, 0, most);
        box.joint[i] = joint_of(bench->robot, variable->value);
        box.half[i] = fmin(wide, 0.49 * (variable->high - variable->low));
        const double low = variable->low + box.half[i], high = variable->high - box.half[i];
        box.middle[i] =
            bi_random_next(random) % 2 == 0 ? clamp(0.0, low, high) : bi_random_between(random, low, high);
    }
    return box;
}

static PartBound bound_of(const Bench* bench, int32_t a, int32_t b, const ValueBox* box) {
    Chain* chain = &bench->prover->chain;
    double share[LINK_MAX] = {0};
    bi_chain_find(chain, bench->model, a, b);
    assert_int_equal(chain->variable_count, box->count);
    for (int32_t i = 0; i < box->count; ++i) {
        chain->values[chain->variables[i].value] = box->middle[i];
    }
    bi_chain_place(chain, box->half);
    return bi_chain_bound_parts(chain, bench->model, bench->robot->links[a].first_solid,
                                bench->robot->links[b].first_solid, share);
}

typedef struct Tally {
    int64_t boxes, planes, proven, followers;
    double chords, plane, turning;
} Tally;

// `nearer`: by how much a search brought the two together, from `start` on.
static void hold(const PartBound* bound, long double start, long double nearer, bool boxy, bool turning,
                 Tally* tally) {
    // Balls: the direction is exact. Of a box it is what a search found.
    const long double margin = boxy ? 1e-8L : 1e-13L;
    assert_true(!bound->proven || start - nearer > 0.0L);
    assert_true(nearer <= (long double)bound->chords + margin);
    ++tally->boxes;
    tally->proven += bound->proven;
    tally->chords = fmax(tally->chords, (double)nearer / bound->chords);
    if (bound->gap > 0.0 && bound->motion < bound->chords) {
        assert_true(nearer <= (long double)bound->motion + margin);
        const double used = (double)nearer / bound->motion;
        tally->plane = fmax(tally->plane, used);
        tally->turning = turning ? fmax(tally->turning, used) : tally->turning;
        ++tally->planes;
    }
}

// Twice: as the robot is, and with the ball so large that the gap is a share of what the first order says, because what
// the first order proves is not asked the second.
static void try_box(Made made, const Bench* bench, int32_t a, int32_t b, Random* random, Tally* tally) {
    const ValueBox box = random_box(bench, random);
    const PartBound bound = bound_of(bench, a, b, &box);
    const long double middle[LINK_MAX] = {0}, start = gap_of(&made, a, b, &box, middle);
    if (!(start > 0.01L)) {
        return;
    }
    const long double nearer = start - least_gap(&made, a, b, &box, random);
    const bool boxy = made.link[a].half.x > 0.0 || made.link[b].half.x > 0.0;
    const Chain* chain = &bench->prover->chain;
    int turns = 0;
    for (int32_t k = 0; k < chain->joint_count; ++k) {
        turns += !chain->joints[k].slide && chain->half[k] > 0.1;
    }
    tally->followers += box.count < chain->joint_count;
    hold(&bound, start, nearer, boxy, turns > 1, tally);
    const double left = bi_random_between(random, 0.05, 1.0) * fmin((double)start, bound.chords);
    made.link[made.link[a].half.x > 0.0 ? b : a].radius += (double)start - left;
    Bench again = bench_of(&made, 1);
    const PartBound closer = bound_of(&again, a, b, &box);
    hold(&closer, gap_of(&made, a, b, &box, middle), nearer, boxy, turns > 1, tally);
    bench_free(&again);
}

// No state that a search finds in a box brings two solids nearer than the bounds at its middle say.
static void no_search_beats_the_bounds(void** state) {
    (void)state;
    Random random = {4711};
    Tally tally = {0};
    for (int round = 0; round < test_scaled(1000); ++round) {
        Made made = {.count = 2 + (int32_t)(bi_random_next(&random) % (LINK_MAX - 1))};
        for (int32_t i = 0; i < made.count; ++i) {
            random_link(&made, i, &random);
        }
        Bench bench = bench_of(&made, 1);
        for (int i = 0; i < 8; ++i) {
            const int32_t a = (int32_t)(bi_random_next(&random) % (uint64_t)made.count);
            const int32_t b = (int32_t)(bi_random_next(&random) % (uint64_t)made.count);
            if (a == b || (made.link[a].half.x > 0.0 && made.link[b].half.x > 0.0)) {
                continue;
            }
            bi_chain_find(&bench.prover->chain, bench.model, a, b);
            if (bench.prover->chain.endless || bench.prover->chain.variable_count == 0) {
                continue;
            }
            try_box(made, &bench, a, b, &random, &tally);
        }
        bench_free(&bench);
    }
    print_message(
        "report %lld boxes, %lld with followers, %lld proven; used of the first-order bound %.4f, of the "
        "second-order bound %.4f in %lld boxes, %.4f where two or more turn by 0.1 rad and more\n",
        (long long)tally.boxes, (long long)tally.followers, (long long)tally.proven, tally.chords,
        tally.plane, (long long)tally.planes, tally.turning);
    assert_true(tally.boxes < 2000 || (tally.chords > 0.98 && tally.plane > 0.95 && tally.planes > 1000 &&
                                       tally.proven > 300 && tally.followers > 100));
}

// ---- angles far from zero ---------------------------------------------------------------------------------

// Link 2 turns by what joint 1 says and 9e5 rad more, where doubles are 1e-10 apart: the poses that a proof sees are off
// by half of that. At the end of the range its ball runs straight into the base's, by less.
static void rounding_of_far_angles_proves_nothing(void** state) {
    (void)state;
    Random random = {99};
    int proven = 0;
    for (int round = 0; round < 60; ++round) {
        const double touch = round % 2 == 0 ? 2e-11 : -1e-6;  // the odd ones are free, and are to be proven
        Made made = {.count = 3};
        for (int i = 0; i < 3; ++i) {
            made.link[i] = still_link(0.1);
            made.link[i].upper = bi_random_between(&random, 0.2, 0.4);
            made.link[i].lower = 0.0;
        }
        made.link[2].leader = 1;
        made.link[2].multiplier = round % 3 == 0 ? 1.0 : bi_random_between(&random, 0.5, 1.0);
        made.link[2].offset = bi_random_between(&random, 6e5, 9e5);
        made.link[2].solid_at.t = v3(1, 0, 0);
        const long double end = (long double)made.link[2].multiplier * (long double)made.link[1].upper +
                                (long double)made.link[2].offset;
        const long double s = sinl(end), c = cosl(end);
        made.link[0].solid_at.t = v3((double)(c - 0.5L * s), (double)(s + 0.5L * c), 0);
        const long double values[LINK_MAX] = {0, (long double)made.link[1].upper};
        made.link[0].radius += (double)gap_at(&made, 0, 2, values) + touch;
        assert_true((gap_at(&made, 0, 2, values) < 0.0L) == (touch > 0.0));
        Bench bench = bench_of(&made, 30000);
        BerthPairProof proof;
        assert_int_equal(berth_prover_pair(bench.prover, 0, 2, NULL, NULL, &proof), BERTH_OK);
        assert_true(!proof.never || touch < 0.0);
        proven += proof.never;
        bench_free(&bench);
    }
    assert_int_equal(proven, 30);
}

int test_robot_bound(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levers_may_grow_within_the_box),
        cmocka_unit_test(no_search_beats_the_bounds),
        cmocka_unit_test(rounding_of_far_angles_proves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
