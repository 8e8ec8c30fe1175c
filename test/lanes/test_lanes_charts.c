// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Charts: what a lookup tells of two groups of links with one or two values between them, against the distance of the bodies
// themselves in the same state. Every chart of real robots with meshes. Lookups that take off nothing for the way to the middle of
// the cell must be found out. Floors of charts: what a lookup tells of a box of values, against that distance at places of the
// box, for made robots of which a prism rolls or turns a millimetre above a disc. Lookups in cells that are too small must be
// found out.
// test-share: 0.4

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "check/check.h"
#include "lanes/lanes.h"
#include "support/kit.h"
#include "support/must.h"
#include "support/places.h"
#include "support/setting.h"

enum {
    STATES = 4000,
    BOX_EVERY = 8,         // states
    LOOKUPS_ENOUGH = 400,  // with fewer lookups none needs to be found out
    FLOOR_RIGS = 4,
    FLOOR_BOXES = 400,
    FLOOR_PLACES = 6,
    FLOOR_SEGMENTS = 60,
    FLOOR_SAMPLES = 40,
    SIDES_MOST = 24
};

/// What was looked up.
typedef struct Count {
    int64_t lookups, told, wrong, wrong_without;
    int64_t met, met_wrong, met_wrong_without;  // told that bodies are in each other
    double nearest;                             // between what is told and the truth
} Count;

static double look_up(const LaneChart* chart, const double* values, double levers) {
    int cell[2];
    double lost = 0.0;
    for (int k = 0; k < 2; ++k) {
        double q = values[chart->value[k]];
        if (chart->period[k] > 0.0f) {
            q -= 2 * M_PI * nearbyint((q - (double)chart->middle[k]) / (2 * M_PI));
        }
        const double at = (q - (double)chart->origin[k]) * (double)chart->inverse[k];
        cell[k] = (int)fmin(fmax(at, 0.0), chart->size[k] - 1.0);
        lost += (double)chart->lever[k] * fabs(at - cell[k] - 0.5) / (double)chart->inverse[k];
    }
    return (double)chart->gap[cell[0] * chart->size[1] + cell[1]] - levers * lost;
}

// How deep the two bodies of a chart are in each other at least, as a lookup tells it; not above 0: it does not.
static double look_up_depth(const LaneChart* chart, const double* values, double levers) {
    const double gap = look_up(chart, values, 0.0);
    return gap > (double)LANE_UNSURE ? -gap - levers * (gap - look_up(chart, values, 1.0)) : 0.0;
}

static bool deep_bodies_meet(BerthChecker* checker, const BerthLanes* lanes, const LaneChart* chart) {
    const int32_t a = lanes->model.clusters[chart->deep[0]].body,
                  b = lanes->model.clusters[chart->deep[1]].body;
    const int32_t pair = bi_scene_find_pair(lanes->scene, a < b ? a : b, a < b ? b : a);
    const PairRequest wanted = {.max_d = 0.0};
    BerthTreeAnswer answer;
    assert_true(pair >= 0);
    bi_check_pair(checker, &lanes->scene->pairs[pair], &wanted, &answer);
    return answer.verdict == BERTH_COLLISION;
}

static int group_of(const BerthLanes* lanes, int32_t body) {
    for (int32_t c = 0; c < lanes->model.cluster_count; ++c) {
        if (lanes->model.clusters[c].body == body) {
            return lanes->model.clusters[c].group;
        }
    }
    return -1;
}

// The smallest distance that was witnessed between bodies of the two groups.
static double true_gap(BerthChecker* checker, const BerthLanes* lanes, const KernelPair* pair) {
    const BerthScene* scene = lanes->scene;
    double least = INFINITY;
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* bodies = &scene->pairs[i];
        const int a = group_of(lanes, bodies->body_a), b = group_of(lanes, bodies->body_b);
        if (a == pair->group_a && b == pair->group_b && !bodies->constant) {
            const PairRequest wanted = {.max_d = INFINITY, .distance = true, .true_gap = true};
            BerthTreeAnswer answer;
            bi_check_pair(checker, bodies, &wanted, &answer);
            least = fmin(least, answer.upper + bodies->padding);
        }
    }
    return least;
}

/// What was looked up.
typedef struct FloorCount {
    int64_t floors, boxes, told, wrong, wrong_in_smaller;
    int64_t segments, free, free_without, refuted, differ;
    double nearest;
} FloorCount;

// As the kernel does; `smaller`: in cells of so many levels below.
static double look_up_floor(const LaneChart* chart, const double* middle, const double* half, int smaller) {
    const LaneFloor* floor_ = &chart->floor;
    double reach = 0.0;
    for (int k = 0; k < 2; ++k) {
        reach = fmax(reach,
                     (half[chart->value[k]] + (double)LANE_VALUE_SLACK) * (double)floor_->inverse_width[k]);
    }
    int level = 0;
    while (level < floor_->level_count && reach >= (double)(1 << level)) {
        level += 1;
    }
    if (level == floor_->level_count) {
        return 0.0;
    }

    level = level > smaller ? level - smaller : 0;
    int cell[2];
    for (int k = 0; k < 2; ++k) {
        double q = middle[chart->value[k]];
        if (chart->period[k] > 0.0f) {
            q -= 2 * M_PI * nearbyint((q - (double)chart->middle[k]) / (2 * M_PI));
        }
        const double at = (q - (double)chart->origin[k]) * (double)chart->inverse[k];
        cell[k] = (int)(fmin(fmax(at, 0.0), chart->size[k] - 0.0625) * (double)floor_->scale) >> level;
    }
    return (double)floor_->gap[(int)floor_->base[level] + cell[0] * (int)floor_->stride[level] + cell[1]];
}

// A place of the box of two values, every other one at a corner; the other values stay.
static void pick_place(const LaneChart* chart, Random* random, const double* middle, const double* half,
                       int index, double* values) {
    for (int k = 0; k < 2; ++k) {
        const int v = chart->value[k];
        const double off = bi_random_between(random, -1.0, 1.0);
        values[v] = middle[v] + half[v] * (index % 2 == 0 ? copysign(1.0, off) : off);
    }
}

// Boxes of the two values of a chart that has a floor, around a state.
static void look_at_boxes(const BerthLanes* lanes, BerthChecker* checker, const KernelPair* pair, int boxes,
                          const double* state, Random* random, FloorCount* count) {
    const LaneChart* chart = &lanes->model.charts[pair->chart];
    for (int i = 0; i < boxes; ++i) {
        double middle[COURSE_VALUES], half[COURSE_VALUES], values[COURSE_VALUES], truth = INFINITY;
        memcpy(values, state, sizeof values);
        for (int k = 0; k < 2; ++k) {
            const int v = chart->value[k];
            const double low = lanes->ranges[v].low, high = lanes->ranges[v].high;
            half[v] = fmin(0.5 * (high - low), exp(bi_random_between(random, log(1e-4), log(0.6))));
            middle[v] = bi_random_between(random, low + half[v], high - half[v]);
        }
        for (int k = 0; k < FLOOR_PLACES; ++k) {
            pick_place(chart, random, middle, half, k, values);
            assert_true(bi_check_place(checker, values));
            truth = fmin(truth, true_gap(checker, lanes, pair));
        }

        const double told = look_up_floor(chart, middle, half, 0);
        count->boxes += 1;
        count->told += told > 0.0;
        count->wrong += told > fmax(truth, 0.0);
        count->wrong_in_smaller += look_up_floor(chart, middle, half, 4) > fmax(truth, 0.0);
        count->nearest = told > 0.0 ? fmin(count->nearest, truth - told) : count->nearest;
    }
}

static void look_at_robot(PlaceRobot robot, Count* count, FloorCount* floors) {
    Place place;
    BerthLanes* lanes = NULL;
    BerthChecker* checker = NULL;
    const BerthLanesDef lanes_def = berth_default_lanes_def();
    const BerthCheckerDef def = berth_default_checker_def();
    if (!place_open(&place, robot, PLACE_PROBLEM, 1)) {
        TEST_SKIP("charts: files of %s are not there", place_robot_names[robot]);
    }
    assert_int_equal(berth_lanes_create(place.scene, &lanes_def, &lanes), BERTH_OK);
    assert_int_equal(berth_checker_create(place.scene, &def, &checker), BERTH_OK);
    assert_non_null(lanes);

    Random random = {(uint64_t)robot + 3}, boxes = {(uint64_t)robot + 9};
    for (int i = 0; i < test_scaled(STATES); ++i) {
        double values[COURSE_VALUES];
        place_values(&place, &random, values);
        assert_true(bi_check_place(checker, values));
        for (int32_t p = 0; p < lanes->model.pair_count; ++p) {
            const KernelPair* pair = &lanes->model.pairs[p];
            if (pair->chart < 0) {
                continue;
            }
            const LaneChart* chart = &lanes->model.charts[pair->chart];
            if (i % BOX_EVERY == 0 && chart->floor.level_count > 0) {
                look_at_boxes(lanes, checker, pair, 1, values, &boxes, floors);
                assert_true(bi_check_place(checker, values));
            }
            const double told = look_up(chart, values, 1.0);
            const double truth = fmax(true_gap(checker, lanes, pair), 0.0);
            count->lookups += 1;
            count->told += told > 0.0;
            count->wrong += told > 0.0 && told > truth;
            count->wrong_without += look_up(chart, values, 0.0) > truth;
            count->nearest = told > 0.0 ? fmin(count->nearest, truth - told) : count->nearest;
            if (look_up_depth(chart, values, 0.0) > 0.0) {
                const bool met = look_up_depth(chart, values, 1.0) > 0.0;
                const bool meet = deep_bodies_meet(checker, lanes, chart);
                count->met += met;
                count->met_wrong += met && !meet;
                count->met_wrong_without += !meet;
            }
        }
    }
    berth_checker_destroy(checker);
    berth_lanes_destroy(lanes);
    place_close(&place);
}

static void test_charts_tell_no_more_than_there_is(void** state) {
    (void)state;
    Count count = {.nearest = INFINITY};
    FloorCount floors = {.nearest = INFINITY};
    look_at_robot(PLACE_PANDA, &count, &floors);
    if (test_is_whole()) {  // layouts take the time elsewhere
        look_at_robot(PLACE_UR5, &count, &floors);
        look_at_robot(PLACE_FANUC, &count, &floors);
    }
    if (test_is_long()) {  // floors that are searched
        look_at_robot(PLACE_PR2_ARM, &count, &floors);
    }
    place_forget_robots();
    print_message(
        "report lanes charts: %lld lookups, %lld tell a gap, %lld more than there is, nearest %.2g m; "
        "%lld were the way to the middle not taken off; %lld tell that bodies meet, %lld that do not "
        "(%lld)\n",
        (long long)count.lookups, (long long)count.told, (long long)count.wrong, count.nearest,
        (long long)count.wrong_without, (long long)count.met, (long long)count.met_wrong,
        (long long)count.met_wrong_without);
    print_message(
        "report lanes floors of robots: %lld boxes, %lld tell a gap, %lld more than there is, nearest %.2g "
        "m\n",
        (long long)floors.boxes, (long long)floors.told, (long long)floors.wrong, floors.nearest);
    assert_int_equal(floors.wrong, 0);
    assert_true(floors.told > floors.boxes / 8);
    assert_int_equal(count.wrong, 0);
    assert_int_equal(count.met_wrong, 0);
    assert_true(count.met > count.lookups / 100);
    assert_true(count.told > count.lookups / 4);
    assert_true(count.wrong_without > 0 || count.lookups < LOOKUPS_ENOUGH);
}

// ---- floors -------------------------------------------------------------------------------------------------------

// A closed prism along z around the origin.
static BerthSolid* make_prism(int sides, double radius, double length) {
    BerthVec3 points[2 * SIDES_MOST + 2];
    int32_t triangles[4 * SIDES_MOST][3];
    int count = 0;
    for (int i = 0; i < sides; ++i) {
        const double angle = 2.0 * M_PI * i / sides;
        const int next = (i + 1) % sides;
        points[i] = v3(radius * cos(angle), radius * sin(angle), -0.5 * length);
        points[sides + i] = v3(points[i].x, points[i].y, 0.5 * length);
        const int corners[4][3] = {{i, next, sides + i},
                                   {next, sides + next, sides + i},
                                   {next, i, 2 * sides},
                                   {sides + i, sides + next, 2 * sides + 1}};
        for (int k = 0; k < 4; ++k, ++count) {
            memcpy(triangles[count], corners[k], sizeof corners[k]);
        }
    }
    points[2 * sides] = v3(0, 0, -0.5 * length);
    points[2 * sides + 1] = v3(0, 0, 0.5 * length);

    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    MUST(berth_mesh_create(points, 2 * sides + 2, &triangles[0][0], count, NULL, &mesh));
    MUST(berth_solid_from_mesh(mesh, NULL, &solid));
    return solid;
}

// A disc at the origin whose upper side is at z = 0, and above it a prism along x or z that turns about its own axis at the end of
// an arm: the arm turns about z, or slides along x; or the disc does.
static Kit make_near_links(Random* random) {
    const bool rolls = bi_random_next(random) % 2 != 0, slides = bi_random_next(random) % 2 != 0;
    const bool disc_moves = bi_random_next(random) % 3 == 0;
    const double radius = bi_random_between(random, 0.02, 0.06), gap = bi_random_between(random, 8e-4, 3e-3);
    const double length = bi_random_between(random, 0.03, 0.1), out = bi_random_between(random, 0.0, 0.1);
    const int sides = 8 + (int)(bi_random_next(random) % (SIDES_MOST - 8));
    const BerthVec3 x = {1, 0, 0}, z = {0, 0, 1}, none = {0, 0, 0};
    Kit kit = kit_new();

    if (slides) {
        kit_limit(&kit, -0.05, 0.05);
    } else if (rolls) {
        kit_limit(&kit, -1.0, 1.5);
    }
    const bool limited = kit.limited;
    const BerthJointType type = slides    ? BERTH_JOINT_PRISMATIC
                                : limited ? BERTH_JOINT_REVOLUTE
                                          : BERTH_JOINT_CONTINUOUS;
    const int first = kit_link(&kit, 0, type, slides ? x : z, none);
    const int second = kit_link(&kit, disc_moves ? 0 : first, BERTH_JOINT_CONTINUOUS, rolls ? x : z,
                                v3(out, 0, (rolls ? radius : 0.5 * length) + gap));

    BerthPose below = kit_at(0, 0, -0.02), along = kit_at(0, 0, 0);
    if (rolls) {
        along = (BerthPose){v3(0, 0, -1), v3(0, 1, 0), v3(1, 0, 0), v3(0, 0, 0)};
    }
    MUST(berth_robot_add_solid(kit.builder, disc_moves ? first : 0, &below, make_prism(12, 0.25, 0.04),
                               "disc"));
    MUST(berth_robot_add_solid(kit.builder, second, &along, make_prism(sides, radius, length), "prism"));
    kit_robot(&kit, NULL);
    kit_commit(&kit);
    return kit;
}

// Straight segments: what is free by the floor is, and every instruction set says so.
static void ask_near_segments(BerthLanes* lanes, BerthChecker* checker, Random* random, FloorCount* count) {
    LaneChart* chart = (LaneChart*)(uintptr_t)&lanes->model.charts[lanes->model.pairs[0].chart];
    LanesQuery* query = NULL;
    MUST(bi_lanes_query_create(lanes, &query));
    for (int i = 0; i < test_scaled(FLOOR_SEGMENTS); ++i) {
        double rows[4], values[2];
        const double share = bi_random_between(random, 0.01, 1.0);
        for (int v = 0; v < 2; ++v) {
            const double low = lanes->ranges[v].low, high = lanes->ranges[v].high;
            rows[v] = bi_random_between(random, low, high);
            rows[2 + v] = rows[v] + share * (bi_random_between(random, low, high) - rows[v]);
        }

        LanesSegmentAnswer answer, other;
        bi_lanes_ask_segments(query, rows, 4, 1, 1e-4, &answer);
        for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
            lanes->kernels = bi_simd_kernels_for((SimdIsa)isa);
            if (lanes->kernels != NULL) {
                bi_lanes_ask_segments(query, rows, 4, 1, 1e-4, &other);
                count->differ += other.verdict != answer.verdict;
            }
        }
        lanes->kernels = bi_simd_kernels();

        const int32_t levels = chart->floor.level_count;
        chart->floor.level_count = 0;
        bi_lanes_ask_segments(query, rows, 4, 1, 1e-4, &other);
        chart->floor.level_count = levels;
        count->segments += 1;
        count->free += answer.verdict == LANES_FREE;
        count->free_without += other.verdict == LANES_FREE;
        for (int k = 0; answer.verdict == LANES_FREE && k < FLOOR_SAMPLES; ++k) {
            const double t = bi_random_between(random, 0.0, 1.0);
            values[0] = rows[0] + t * (rows[2] - rows[0]);
            values[1] = rows[1] + t * (rows[3] - rows[1]);
            assert_true(bi_check_place(checker, values));
            count->refuted += !(true_gap(checker, lanes, &lanes->model.pairs[0]) > 0.0);
        }
    }
    bi_lanes_query_destroy(query);
}

static void test_floors_tell_no_more_than_there_is(void** state) {
    (void)state;
    FloorCount count = {.nearest = INFINITY};
    const BerthLanesDef lanes_def = berth_default_lanes_def();
    const BerthCheckerDef def = berth_default_checker_def();
    for (int rig = 0; rig < FLOOR_RIGS; ++rig) {
        Random random = {(uint64_t)rig + 17};
        Kit kit = make_near_links(&random);
        BerthLanes* lanes = NULL;
        BerthChecker* checker = NULL;
        MUST(berth_lanes_create(kit.scene, &lanes_def, &lanes));
        MUST(berth_checker_create(kit.scene, &def, &checker));
        assert_non_null(lanes);
        if (lanes->model.pair_count == 1 && lanes->model.pairs[0].chart >= 0 &&
            lanes->model.charts[lanes->model.pairs[0].chart].floor.level_count > 0) {
            count.floors += 1;
            const double zeros[COURSE_VALUES] = {0};
            look_at_boxes(lanes, checker, &lanes->model.pairs[0], test_scaled(FLOOR_BOXES), zeros, &random,
                          &count);
            ask_near_segments(lanes, checker, &random, &count);
        }
        berth_checker_destroy(checker);
        berth_lanes_destroy(lanes);
        kit_free(&kit);
    }

    print_message(
        "report lanes floors: %lld floors, %lld boxes, %lld tell a gap, %lld more than there is, nearest "
        "%.2g m; %lld "
        "were cells sixteen times smaller; %lld segments, free %lld, without floors %lld; refuted %lld, "
        "differ %lld\n",
        (long long)count.floors, (long long)count.boxes, (long long)count.told, (long long)count.wrong,
        count.nearest, (long long)count.wrong_in_smaller, (long long)count.segments, (long long)count.free,
        (long long)count.free_without, (long long)count.refuted, (long long)count.differ);
    assert_int_equal(count.wrong, 0);
    assert_int_equal(count.refuted, 0);
    assert_int_equal(count.differ, 0);
    assert_true(count.floors > 0 && count.told > count.boxes / 4);
    assert_true(count.wrong_in_smaller > 0 || count.boxes < LOOKUPS_ENOUGH);
    assert_true(count.free > count.free_without);
}

int test_lanes_charts(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_charts_tell_no_more_than_there_is),
        cmocka_unit_test(test_floors_tell_no_more_than_there_is),
    };
    return cmocka_run_group_tests_name("lanes: charts", tests, NULL, NULL);
}
