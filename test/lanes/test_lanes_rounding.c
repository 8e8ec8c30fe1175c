// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What floats make of places and velocities, against kinematics in double: never more than the layout has added to radii for it, at
// robots of 0.1 m to 100 m. The share of it that is used is printed. The kernel is compiled into this file, as plain C.
// test-share: 0.4

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "lanes/lanes.h"
#include "simd/lane_kernel.h"
#include "support/lanes_ask.h"
#include "support/rigs.h"
#include "support/segments.h"
#include "support/setting.h"

enum { RIGS = 200, BLOCKS = 6 };

static const SimdKernels kernels = {.isa = SIMD_PLAIN, .lane_block = lane_block};

/// Largest shares of what was allowed.
typedef struct Shares {
    double place, velocity;
    int64_t places, velocities, losses;
    uint64_t place_seed, velocity_seed;
} Shares;

/// A rig, its layout, and one segment.
typedef struct Bench {
    Rig* rig;
    BerthLanes* lanes;
    LanesQuery* query;
    Course course;
    Shares* shares;
} Bench;

static double apart(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

// What all groups lose, side by side as it is for a segment alone, is bit for bit what each loses in a lane.
static void look_at_losses(Bench* bench, LanePart* part, int first) {
    const LaneModel* model = &bench->lanes->model;
    float whole[LANES_GROUPS_MAX], rounding[LANES_GROUPS_MAX];
    if (model->lever_rows == 0) {
        return;
    }
    lane_bound_groups(part);
    memcpy(whole, part->scratch->losses, (size_t)model->group_count * sizeof *whole);
    memcpy(rounding, part->scratch->losses + (ptrdiff_t)model->lever_rows * LANES,
           (size_t)model->group_count * sizeof *rounding);
    for (int32_t g = 0; g < model->group_count; ++g) {
        lane_bound_group(part, &model->groups[g], g);
        const float* rows = part->scratch->losses + (ptrdiff_t)(2 * g) * LANES + first;
        assert_true(rows[0] == whole[g] && rows[LANES] == rounding[g]);
        bench->shares->losses += 1;
    }
}

static void place_leaves(Bench* bench) {
    const LaneModel* model = &bench->lanes->model;
    const LaneQuestion question = {.values = bench->query->segment_values,
                                   .goes = bench->query->segment_goes,
                                   .alike = true,
                                   .middle = bench->query->middle,
                                   .half = bench->query->half};
    for (int32_t first = 0; first < LANES; first += WIDE) {
        LanePart part = {.model = model,
                         .question = &question,
                         .scratch = &bench->query->scratch,
                         .answer = &bench->query->answer,
                         .first = first};
        part.scratch->serial += 1;
        lane_place_frames(&part, true);
        look_at_losses(bench, &part, first);
        for (int32_t c = 0; c < model->cluster_count; ++c) {
            (void)lane_group_point(&part, model->clusters[c].group, true);
            lane_place_leaves(&part, c, true);
        }
    }
}

// The ball that a leaf is: that of its link which is nearest in truth, and their places are far from each other.
static int ball_of_leaf(const Bench* bench, int32_t body, const double at[3]) {
    int best = -1;
    const SceneBody* b = &bench->lanes->scene->bodies[body];
    for (int i = 0; i < bench->rig->ball_count; ++i) {
        const int link = bench->rig->balls[i].link;
        int root = link;
        while (bench->rig->links[root].parent >= 0) {
            root -= 1;
        }
        if (b->robot == bench->rig->links[link].robot && b->link == link - root &&
            (best < 0 || apart(bench->rig->at[i], at) < apart(bench->rig->at[best], at))) {
            best = i;
        }
    }
    assert_true(best >= 0);
    return best;
}

static void values_at(const Bench* bench, double t, double* values) {
    for (int i = 0; i < bench->course.count; ++i) {
        values[i] = bench->course.from[i] + t * (bench->course.to[i] - bench->course.from[i]);
    }
}

static void look_at_leaf(Bench* bench, int32_t leaf, const LaneCluster* cluster, int lane,
                         double balls[3][RIG_BALLS][3]) {
    const float* row = bench->query->scratch.leaves + (ptrdiff_t)6 * leaf * LANES + lane;
    const Pose* world_from_lane = &bench->lanes->world_from_lane;
    const Vec3 world =
        pose_apply(world_from_lane, v3((double)row[0], (double)row[LANES], (double)row[2 * LANES]));
    const double at[3] = {world.x, world.y, world.z};
    memcpy(bench->rig->at, balls[1], sizeof bench->rig->at);
    const int ball = ball_of_leaf(bench, cluster->body, at);

    Shares* shares = bench->shares;
    const double radius = bench->rig->balls[ball].radius;
    const double allowed =
        (double)bench->lanes->model.leaves[leaf].radius - radius * LANES_GROWN * (1.0 + 0x1p-23);
    const double share = apart(at, balls[1][ball]) / allowed;
    shares->places += 1;
    if (share > shares->place) {
        shares->place = share;
        shares->place_seed = bench->rig->seed;
    }

    // How far it goes to first order on half the interval.
    const double half = (double)bench->query->half[lane];
    double step[3], truth[3];
    const Vec3 go = pose_turn(world_from_lane,
                              v3((double)row[3 * LANES], (double)row[4 * LANES], (double)row[5 * LANES]));
    for (int k = 0; k < 3; ++k) {
        step[k] = v3_at(go, k);
        truth[k] = (balls[2][ball][k] - balls[0][ball][k]) / 2e-5 * half;
    }
    const float* losses = bench->query->scratch.losses + (ptrdiff_t)(2 * cluster->group + 1) * LANES;
    const double loss = (double)losses[lane];
    if (loss > 0.0) {
        const double used = apart(step, truth) / loss;
        shares->velocities += 1;
        if (used > shares->velocity) {
            shares->velocity = used;
            shares->velocity_seed = bench->rig->seed;
        }
    }
}

static void look_at_lane(Bench* bench, int lane) {
    const LaneModel* model = &bench->lanes->model;
    const double t = (double)bench->query->middle[lane];
    double balls[3][RIG_BALLS][3], values[RIG_VALUES];
    for (int side = 0; side < 3; ++side) {
        values_at(bench, t + (side - 1) * 1e-5, values);
        (void)rig_gap(bench->rig, values);
        memcpy(balls[side], bench->rig->at, sizeof balls[side]);
    }
    for (int32_t c = 0; c < model->cluster_count; ++c) {
        const LaneCluster* cluster = &model->clusters[c];
        for (int32_t i = cluster->first_leaf; i < cluster->first_leaf + cluster->leaf_count; ++i) {
            look_at_leaf(bench, i, cluster, lane, balls);
        }
    }
}

static void look_at_segment(Bench* bench, Random* random) {
    double other[RIG_VALUES] = {0};
    bench->course = (Course){.count = bench->rig->value_count};
    rig_values(bench->rig, random, false, bench->course.from);
    rig_values(bench->rig, random, false, other);
    const double share = segment_log_between(random, 0.01, 1);
    for (int i = 0; i < bench->course.count; ++i) {
        bench->course.to[i] = bench->course.from[i] + share * (other[i] - bench->course.from[i]);
    }

    // Finds speeds, and what is lost of them; nothing where the layout does not hold the values.
    const int64_t before = bench->query->blocks;
    (void)lanes_ask_course(bench->query, &bench->course, bench->rig->size, 0);
    if (bench->query->blocks == before) {
        return;
    }
    const int level = 4 + segment_pick(random, 8);
    for (int lane = 0; lane < LANES; ++lane) {
        const int index = segment_pick(random, 1 << level);
        bench->query->half[lane] = (float)ldexp(0.5, -level);
        bench->query->middle[lane] = (float)ldexp(index + 0.5, -level);
    }
    place_leaves(bench);
    for (int lane = 0; lane < LANES; lane += 3) {
        look_at_lane(bench, lane);
    }
}

static void test_places(void** state) {
    (void)state;
    Shares shares = {0};
    const int rigs = test_scaled(RIGS);
    for (int r = 0; r < rigs; ++r) {
        Bench bench = {.rig = rig_make((uint64_t)r + 1000), .shares = &shares};
        Random random = {(uint64_t)r};
        BerthLanesDef def = berth_default_lanes_def();
        def.margin = bench.rig->margin;
        def.self_margin = bench.rig->self_margin;
        assert_int_equal(bi_lanes_create(bench.rig->scene, &def, &kernels, &bench.lanes), BERTH_OK);
        if (bench.lanes != NULL) {
            assert_int_equal(bi_lanes_query_create(bench.lanes, &bench.query), BERTH_OK);
            for (int b = 0; b < BLOCKS; ++b) {
                look_at_segment(&bench, &random);
            }
        }
        bi_lanes_query_destroy(bench.query);
        berth_lanes_destroy(bench.lanes);
        rig_destroy(bench.rig);
    }
    print_message(
        "report lanes rounding: of what is allowed, %lld places use %.3f at most (rig %llu), %lld velocities "
        "%.3f (rig %llu)\n",
        (long long)shares.places, shares.place, (unsigned long long)shares.place_seed,
        (long long)shares.velocities, shares.velocity, (unsigned long long)shares.velocity_seed);
    assert_true(shares.places > 1000 && shares.velocities > 1000);
    assert_true(shares.losses > (test_is_whole() ? 1000 : 100));  // small runs see fewer
    assert_true(shares.place < 1.0);
    assert_true(shares.velocity < 1.0);
    assert_true(shares.place > 0.001 && shares.velocity > 0.001);  // it does measure something
}

int test_lanes_rounding(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests_name("lanes: rounding", tests, NULL, NULL);
}
