// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-share: 0.5
// Which leaf balls can meet: the layout leaves out pairs of leaves that cannot within limits, by a search over boxes of joint
// values. Here states are drawn, and from the nearest of them on joints are moved so that the two leaves come nearer: no pair that
// was left out may ever overlap. Kinematics are written down once more. A sceptic who takes all balls to be larger must find some.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lanes/lanes.h"
#include "support/places.h"
#include "support/setting.h"

enum { STATES = 3000, STEPS = 80, LEAVES_MOST = 512, FRAMES_MOST = 64 };
/// Balls are this much larger for the sceptic, metres.
static const double DOUBT = 0.05;

typedef struct Place3 {
    double x[3], y[3], z[3], t[3];
} Place3;

/// Two leaves of a pair of groups that cannot meet, and where they were nearest.
typedef struct Apart {
    int32_t a, b;
    double extra, gap;
    double values[COURSE_VALUES];
} Apart;

typedef struct Count {
    int64_t pairs, kept, left_out, wrong, doubted;
    double nearest;
} Count;

// ---- where leaves are -----------------------------------------------------------------------------------------------

static void step_frame(const KernelFrame* frame, const Place3* parent, double value, Place3* out) {
    const double q = (double)frame->multiplier * value + (double)frame->offset;
    const double c = frame->motion == LANE_TURN ? cos(q) : 1.0, s = frame->motion == LANE_TURN ? sin(q) : 0.0;
    const double far = frame->motion == LANE_TURN ? 0.0 : q;
    double axes[4][3];  // of the joint before it moves, in the world: columns and origin
    for (int k = 0; k < 3; ++k) {
        for (int column = 0; column < 4; ++column) {
            const float* by = column < 3 ? frame->turn[column] : frame->t;
            axes[column][k] = parent->x[k] * (double)by[0] + parent->y[k] * (double)by[1] +
                              parent->z[k] * (double)by[2] + (column == 3 ? parent->t[k] : 0.0);
        }
    }
    for (int k = 0; k < 3; ++k) {
        out->x[k] = c * axes[0][k] + s * axes[1][k];
        out->y[k] = c * axes[1][k] - s * axes[0][k];
        out->z[k] = axes[2][k];
        out->t[k] = axes[3][k] + far * axes[2][k];
    }
}

static void place_frames(const LaneModel* model, const double* values, Place3* frames) {
    const Place3 world = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    for (int32_t i = 0; i < model->frame_count; ++i) {
        const KernelFrame* frame = &model->frames[i];
        const Place3* parent = frame->parent < 0 ? &world : &frames[frame->parent];
        step_frame(frame, parent, values[frame->value], &frames[i]);
    }
}

static void leaf_centre(const LaneModel* model, const Place3* frames, int32_t leaf, double out[3]) {
    const float* c = model->leaves[leaf].centre;
    const int32_t frame = model->groups[model->clusters[model->leaf_clusters[leaf]].group].frame;
    for (int k = 0; k < 3; ++k) {
        out[k] = (double)c[k];
        if (frame >= 0) {
            const Place3* f = &frames[frame];
            out[k] = f->t[k] + f->x[k] * (double)c[0] + f->y[k] * (double)c[1] + f->z[k] * (double)c[2];
        }
    }
}

static double gap_of(const LaneModel* model, const Place3* frames, const Apart* apart) {
    double a[3], b[3], sum = 0.0;
    leaf_centre(model, frames, apart->a, a);
    leaf_centre(model, frames, apart->b, b);
    for (int k = 0; k < 3; ++k) {
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    }
    return sqrt(sum) - (double)model->leaves[apart->a].radius - (double)model->leaves[apart->b].radius -
           apart->extra;
}

// ---- what was left out ----------------------------------------------------------------------------------------------

static bool is_in_meetings(const LaneModel* model, const KernelPair* pair, int32_t a, int32_t b) {
    for (int32_t m = 0; m < pair->meeting_count; ++m) {
        const LaneMeeting* meeting = &pair->meetings[m];
        for (int32_t i = meeting->first; i < meeting->first + meeting->count; ++i) {
            if (model->leaf_pairs[i][0] == a && model->leaf_pairs[i][1] == b) {
                return true;
            }
        }
    }
    return pair->meetings == NULL;
}

// In the rows that lanes are asked alone by: bits of the leaves of the group with more of them.
static bool is_in_rows(const LaneModel* model, const KernelPair* pair, int32_t a, int32_t b) {
    const bool few_is_a = pair->few == pair->group_a;
    const KernelGroup* few = &model->groups[pair->few];
    const KernelGroup* many = &model->groups[few_is_a ? pair->group_b : pair->group_a];
    const int32_t i = (few_is_a ? a : b) - few->first_leaf, k = (few_is_a ? b : a) - many->first_leaf;
    return (pair->meets[i * many->row_count + k / LANES] >> (k % LANES) & 1u) != 0;
}

static Apart* list_apart(const LaneModel* model, Count* count, int32_t* out_count) {
    Apart* list = NULL;
    *out_count = 0;
    for (int32_t p = 0; p < model->pair_count; ++p) {
        const KernelPair* pair = &model->pairs[p];
        const KernelGroup *ga = &model->groups[pair->group_a], *gb = &model->groups[pair->group_b];
        for (int32_t i = 0; pair->meets != NULL && i < ga->leaf_count * gb->leaf_count; ++i) {
            const int32_t a = ga->first_leaf + i / gb->leaf_count, b = gb->first_leaf + i % gb->leaf_count;
            count->pairs += 1;
            if (is_in_meetings(model, pair, a, b) && is_in_rows(model, pair, a, b)) {
                count->kept += 1;
                continue;
            }
            list = realloc(list, ((size_t)*out_count + 1) * sizeof *list);
            list[(*out_count)++] = (Apart){.a = a, .b = b, .extra = (double)pair->extra, .gap = INFINITY};
        }
    }
    count->left_out += *out_count;
    return list;
}

// ---- looking for the contrary ---------------------------------------------------------------------------------------

// Moves one value after the other by less and less, within limits, as long as the leaves come nearer.
static void come_nearer(const BerthLanes* lanes, Apart* apart, Random* random) {
    Place3 frames[FRAMES_MOST];
    double share = 0.3;
    for (int step = 0; step < test_scaled(STEPS); ++step, share *= 0.93) {
        double values[COURSE_VALUES];
        memcpy(values, apart->values, sizeof values);
        const int32_t v = (int32_t)(bi_random_next(random) % (uint64_t)lanes->model.value_count);
        const LanesRange* range = &lanes->ranges[v];
        const double to =
            values[v] + share * bi_random_between(random, -1.0, 1.0) * (range->high - range->low);
        values[v] = fmin(fmax(to, range->low), range->high);
        place_frames(&lanes->model, values, frames);
        const double gap = gap_of(&lanes->model, frames, apart);
        if (gap < apart->gap) {
            apart->gap = gap;
            memcpy(apart->values, values, sizeof values);
        }
    }
}

static void look_at_robot(PlaceRobot robot, Count* count) {
    Place place;
    BerthLanes* lanes = NULL;
    const BerthLanesDef def = berth_default_lanes_def();
    if (!place_open(&place, robot, PLACE_PROBLEM, 1)) {
        TEST_SKIP("meetings: files of %s are not there", place_robot_names[robot]);
    }
    assert_int_equal(berth_lanes_create(place.scene, &def, &lanes), BERTH_OK);
    assert_non_null(lanes);
    const LaneModel* model = &lanes->model;
    assert_true(model->frame_count <= FRAMES_MOST);

    int32_t apart_count;
    Apart* list = list_apart(model, count, &apart_count);
    Random random = {(uint64_t)robot + 5};
    for (int i = 0; i < test_scaled(STATES); ++i) {
        double values[COURSE_VALUES] = {0};
        Place3 frames[FRAMES_MOST];
        place_values(&place, &random, values);
        place_frames(model, values, frames);
        for (int32_t k = 0; k < apart_count; ++k) {
            const double gap = gap_of(model, frames, &list[k]);
            if (gap < list[k].gap) {
                list[k].gap = gap;
                memcpy(list[k].values, values, sizeof values);
            }
        }
    }

    for (int32_t k = 0; k < apart_count; ++k) {
        come_nearer(lanes, &list[k], &random);
        count->wrong += list[k].gap < 0.0;
        count->doubted += list[k].gap < 2.0 * DOUBT;
        count->nearest = fmin(count->nearest, list[k].gap);
    }
    free(list);
    berth_lanes_destroy(lanes);
    place_close(&place);
}

static void test_leaves_that_were_left_out_never_meet(void** state) {
    (void)state;
    Count count = {.nearest = INFINITY};
    look_at_robot(PLACE_PANDA, &count);
    if (test_is_whole()) {  // layouts take the time elsewhere
        look_at_robot(PLACE_UR5, &count);
        look_at_robot(PLACE_FANUC, &count);
    }
    place_forget_robots();
    print_message(
        "report lanes meetings: %lld pairs of leaves, %lld kept, %lld left out, of these %lld can meet, "
        "nearest %.2g m; "
        "%lld were balls 5 cm larger\n",
        (long long)count.pairs, (long long)count.kept, (long long)count.left_out, (long long)count.wrong,
        count.nearest, (long long)count.doubted);
    assert_int_equal(count.wrong, 0);
    assert_true(count.left_out > count.pairs / 20);
    assert_true(count.doubted > count.left_out / 100);
}

int test_lanes_meetings(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves_that_were_left_out_never_meet),
    };
    return cmocka_run_group_tests_name("lanes: meetings", tests, NULL, NULL);
}
