// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers against answers: methods, halves, reversals, more obstacles, rigid motions of everything, the same question
// again; and what a query may not do: allocate, take stale scenes, NaN or wrong counts for free, run out of budget free.
// test-share: 0.4

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "math/math.h"
#include "support/courses.h"
#include "support/kit.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"
#include "support/worlds.h"

static const BerthMethod methods[] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_SECOND_ORDER, BERTH_METHOD_ADAPTIVE,
                                      BERTH_METHOD_REFINED, BERTH_METHOD_FIXED};
enum { METHODS = 5, PROVERS = 4 };

static int pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

static BerthMotionChecker* make(const BerthScene* scene, BerthMethod method, double margin, double delta,
                                const BerthAllocator* allocator) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    def.method = method;
    def.margin = margin;
    def.delta = delta;
    def.resolution = 0.05;
    if (allocator != NULL) {
        def.allocator = *allocator;
    }
    if (berth_motion_checker_create(scene, &def, &motion) != BERTH_OK) {
        fail_msg("motion: %s", berth_error_text());
    }
    return motion;
}

static BerthMotionResult ask(BerthMotionChecker* motion, const Course* course, bool first_contact) {
    const BerthSegment segment = course_segment(course);
    const BerthMotionRequest request = {.first_contact = first_contact};
    BerthMotionResult r;
    memset(&r, 0x5a, sizeof r);
    assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
    return r;
}

static void straight_course(Random* random, const World* world, Course* course, double size) {
    double other[COURSE_VALUES];
    course_of_world(course, world);
    course->curved = false;
    world_values(world, random, course->from);
    world_values(world, random, other);
    for (int i = 0; i < course->count; ++i) {
        course->to[i] = course->from[i] + size * (other[i] - course->from[i]);
    }
    for (int n = 0; n < course->quat_count; ++n) {
        memcpy(course->to + course->quats[n], other + course->quats[n], 4 * sizeof(double));
    }
}

static World* some_world(Random* random, WorldStyle style) {
    const WorldPlan plan = {.style = style,
                            .robots = 1 + pick(random, 2),
                            .joints = 1 + pick(random, 4),
                            .objects = 1 + pick(random, 4),
                            .no_planes = pick(random, 2) == 0};
    return world_make(random, &plan);
}

// ---- methods ------------------------------------------------------------------------------------------------------

// FREE with clearance c says that every gap is above c: a HIT of another method contradicts it when its margin is not
// above that; UNKNOWN is fine while the clearance that was proven is within the band.
static void test_methods(void** state) {
    (void)state;
    int64_t asked = 0, split = 0, wide = 0, sampled_misses = 0, near = 0, unknown = 0;
    for (int w = 0; w < test_scaled(150); ++w) {
        Random random = {(uint64_t)w + 31000};
        World* world = some_world(&random, w % 3 == 0 ? WORLD_PLAIN : WORLD_CONVEX);
        const double margin = w % 2 == 0 ? 0.0 : 0.005, delta = w % 5 == 0 ? 1e-3 : 1e-4;
        Course grazing = {0};
        Lowest lowest = {.t = -1};
        if (w % 4 != 0) {  // something is put into the way of one segment, at about the margin and the band
            straight_course(&random, world, &grazing, pow(10, bi_random_between(&random, -2, 0)));
            const double speed = course_speed(&grazing, world);
            const double target = margin + delta * bi_random_between(&random, -0.5, 2.5);
            if (!course_graze(world, &grazing, speed, fmax(target, 1e-5), &lowest)) {
                lowest.t = -1;
            } else if (target < 1e-5) {
                course_graze(world, &grazing, speed, target, &lowest);
            }
        }
        BerthMotionChecker* motions[METHODS];
        for (int m = 0; m < METHODS; ++m) {
            motions[m] = make(world->scene, methods[m], margin, delta, NULL);
        }
        for (int i = 0; i < 16; ++i) {
            Course course;
            straight_course(&random, world, &course, pow(10, bi_random_between(&random, -2.5, 0)));
            if (lowest.t >= 0) {  // around the close place, longer and shorter
                const double width = pow(10, bi_random_between(&random, -3, 0));
                course = grazing;
                course_values(&grazing, fmax(0, lowest.t - width), course.from);
                course_values(&grazing, fmin(1, lowest.t + width * bi_random_between(&random, 0.1, 1)),
                              course.to);
            }
            BerthMotionResult r[METHODS];
            int free = -1, hit = -1;
            for (int m = 0; m < METHODS; ++m) {
                r[m] = ask(motions[m], &course, false);
                free = r[m].verdict == BERTH_FREE ? m : free;
                hit = r[m].verdict == BERTH_COLLISION ? m : hit;
            }
            asked += 1;
            near += lowest.t >= 0;
            unknown += r[0].verdict == BERTH_UNKNOWN;
            assert_int_equal(r[0].verdict, r[1].verdict);
            assert_true(r[0].clearance == r[1].clearance);
            assert_int_not_equal(r[4].verdict, BERTH_FREE);
            if (free >= 0 && hit >= 0) {
                fail_msg("world %d segment %d: %s says FREE (> %g), %s says HIT at %.17g", w, i,
                         berth_method_name(methods[free]), r[free].clearance, berth_method_name(methods[hit]),
                         r[hit].t);
            }
            sampled_misses += r[4].sampled_free && hit >= 0;
            for (int m = 0; m < PROVERS; ++m) {
                split += r[m].verdict == BERTH_UNKNOWN && (free >= 0 || hit >= 0);
                // A proof of a clearance beyond the band leaves no room for "too close".
                wide += r[m].verdict == BERTH_UNKNOWN && free >= 0 && r[free].clearance > margin + delta;
            }
        }
        for (int m = 0; m < METHODS; ++m) {
            berth_motion_checker_destroy(motions[m]);
        }
        world_destroy(world);
    }
    print_message(
        "report methods: %lld segments (%lld grazing, %lld unknown by default), %lld answers UNKNOWN where "
        "another decided, %lld of them against a "
        "proof beyond the band; samples at 0.05 missed %lld\n",
        (long long)asked, (long long)near, (long long)unknown, (long long)split, (long long)wide,
        (long long)sampled_misses);
    assert_int_equal(wide, 0);
}

// ---- what must not matter -----------------------------------------------------------------------------------------

static void test_halves(void** state) {
    (void)state;
    int64_t asked = 0;
    for (int w = 0; w < test_scaled(150); ++w) {
        Random random = {(uint64_t)w + 32000};
        World* world = some_world(&random, w % 3 == 0 ? WORLD_PLAIN : WORLD_CONVEX);
        BerthMotionChecker* motion = make(world->scene, methods[w % PROVERS], 0.0, 1e-4, NULL);
        for (int i = 0; i < 16; ++i) {
            Course course, back, part[2];
            straight_course(&random, world, &course, pow(10, bi_random_between(&random, -2.5, 0)));
            back = course;
            memcpy(back.from, course.to, sizeof back.from);
            memcpy(back.to, course.from, sizeof back.to);
            const double cut = bi_random_between(&random, 0.1, 0.9);
            part[0] = part[1] = course;
            course_values(&course, cut, part[0].to);
            memcpy(part[1].from, part[0].to, sizeof part[1].from);
            const BerthMotionResult whole = ask(motion, &course, true);
            const BerthMotionResult other = ask(motion, &back, true);
            const BerthMotionResult a = ask(motion, &part[0], true);
            const BerthMotionResult b = ask(motion, &part[1], true);
            asked += 4;
            const bool free = whole.verdict == BERTH_FREE, hit = whole.verdict == BERTH_COLLISION;
            if ((free && (other.verdict == BERTH_COLLISION || a.verdict == BERTH_COLLISION ||
                          b.verdict == BERTH_COLLISION)) ||
                (hit &&
                 (other.verdict == BERTH_FREE || (a.verdict == BERTH_FREE && b.verdict == BERTH_FREE)))) {
                fail_msg("world %d segment %d: whole %d, back %d, halves %d %d", w, i, whole.verdict,
                         other.verdict, a.verdict, b.verdict);
            }
            if (hit) {
                assert_true(whole.t_low <= whole.t_high && whole.t_high <= 1 && whole.t_low >= 0);
                assert_true(whole.t == whole.t_high);
                // The earliest contact is the same wherever the course is cut.
                if (a.verdict == BERTH_COLLISION) {
                    assert_true(a.t_low * cut <= whole.t_high + 1e-9);
                    assert_true(whole.t_low <= a.t_high * cut + 1e-9);
                } else if (a.verdict == BERTH_FREE) {
                    assert_true(whole.t_high >= cut - 1e-9);
                }
            }
        }
        berth_motion_checker_destroy(motion);
        world_destroy(world);
    }
    print_message("report halves: %lld segments\n", (long long)asked);
}

// One more obstacle only takes away; everything moved rigidly changes nothing outside of the band.
static void test_more_and_moved(void** state) {
    (void)state;
    int64_t asked = 0, changed = 0;
    for (int w = 0; w < test_scaled(120); ++w) {
        Random random = {(uint64_t)w + 33000};
        World* world = some_world(&random, w % 3 == 0 ? WORLD_PLAIN : WORLD_CONVEX);
        enum { EACH = 12 };
        Course courses[EACH];
        BerthMotionResult before[EACH];
        BerthMotionChecker* motion = make(world->scene, methods[w % PROVERS], 0.0, 1e-4, NULL);
        for (int i = 0; i < EACH; ++i) {
            straight_course(&random, world, &courses[i], pow(10, bi_random_between(&random, -2.5, 0)));
            before[i] = ask(motion, &courses[i], false);
        }
        berth_motion_checker_destroy(motion);
        const BerthPose moved = test_pose(&random, 3.0);
        world_carry(world, &moved);
        motion = make(world->scene, methods[w % PROVERS], 0.0, 1e-4, NULL);
        for (int i = 0; i < EACH; ++i) {
            const BerthMotionResult after = ask(motion, &courses[i], false);
            asked += 1;
            changed += after.verdict != before[i].verdict;
            if ((after.verdict == BERTH_FREE && before[i].verdict == BERTH_COLLISION) ||
                (after.verdict == BERTH_COLLISION && before[i].verdict == BERTH_FREE)) {
                fail_msg("world %d segment %d: %d, moved %d", w, i, before[i].verdict, after.verdict);
            }
        }
        berth_motion_checker_destroy(motion);
        BerthShape ball;
        BerthObjectDef def = berth_default_object_def();
        def.name = "one more";
        def.pose = test_pose(&random, 0.5);
        def.pose = berth_pose_multiply(&moved, &def.pose);
        assert_int_equal(berth_shape_sphere(0.1, &ball), BERTH_OK);
        assert_int_equal(berth_solid_from_shape(&ball, NULL, &def.solid), BERTH_OK);
        assert_int_equal(berth_scene_add_object(world->scene, &def, NULL), BERTH_OK);
        assert_int_equal(berth_scene_commit(world->scene), BERTH_OK);
        motion = make(world->scene, methods[w % PROVERS], 0.0, 1e-4, NULL);
        for (int i = 0; i < EACH; ++i) {
            const BerthMotionResult after = ask(motion, &courses[i], false);
            if (after.verdict == BERTH_FREE && before[i].verdict == BERTH_COLLISION) {
                fail_msg("world %d segment %d: free with one more obstacle", w, i);
            }
        }
        berth_motion_checker_destroy(motion);
        world_destroy(world);
    }
    print_message("report moved: %lld segments, %lld changed to or from UNKNOWN\n", (long long)asked,
                  (long long)changed);
}

static bool same(const BerthMotionResult* a, const BerthMotionResult* b) {
    return a->verdict == b->verdict && a->reason == b->reason && a->sampled_free == b->sampled_free &&
           memcmp(&a->clearance, &b->clearance, sizeof a->clearance) == 0 &&
           memcmp(&a->t, &b->t, sizeof a->t) == 0 && memcmp(&a->t_low, &b->t_low, sizeof a->t_low) == 0 &&
           memcmp(&a->t_high, &b->t_high, sizeof a->t_high) == 0 && a->body_a == b->body_a &&
           a->body_b == b->body_b && memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           a->outside_limits == b->outside_limits && a->stats.intervals == b->stats.intervals;
}

// Again, backwards through the list, by another motion: bit by bit the same. And nothing is allocated.
static void test_again(void** state) {
    (void)state;
    int64_t asked = 0;
    for (int w = 0; w < test_scaled(60); ++w) {
        Random random = {(uint64_t)w + 34000};
        World* world = some_world(&random, w % 2 == 0 ? WORLD_PLAIN : WORLD_CONVEX);
        enum { EACH = 110 };
        static Course courses[EACH];
        static BerthMotionResult first[EACH];
        TestAllocator counts = {.fail_at = -1};
        const BerthAllocator allocator = test_allocator(&counts);
        BerthMotionChecker* motion = make(world->scene, methods[w % METHODS], 0.0, 1e-4, &allocator);
        const int64_t taken = counts.taken, given = counts.given;
        for (int i = 0; i < EACH; ++i) {
            straight_course(&random, world, &courses[i], pow(10, bi_random_between(&random, -2.5, 0)));
            first[i] = ask(motion, &courses[i], i % 2 == 0);
        }
        for (int round = 0; round < 2; ++round) {
            BerthMotionChecker* other =
                round == 0 ? motion : make(world->scene, methods[w % METHODS], 0.0, 1e-4, NULL);
            for (int i = EACH - 1; i >= 0; --i) {
                const BerthMotionResult r = ask(other, &courses[i], i % 2 == 0);
                if (!same(&r, &first[i])) {
                    fail_msg(
                        "world %d segment %d (%s): another answer: %d %d, clearance %.17g %.17g, t %.17g "
                        "%.17g",
                        w, i, berth_method_name(methods[w % METHODS]), r.verdict, first[i].verdict,
                        r.clearance, first[i].clearance, r.t, first[i].t);
                }
            }
            if (round == 1) {
                berth_motion_checker_destroy(other);
            }
        }
        asked += 3 * EACH;
        assert_int_equal(counts.taken, taken);
        assert_int_equal(counts.given, given);
        berth_motion_checker_destroy(motion);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.live_bytes, 0);
        world_destroy(world);
    }
    print_message("report again: %lld segments\n", (long long)asked);
}

// ---- refusals -----------------------------------------------------------------------------------------------------

static Kit small_kit(void) {
    Kit kit = kit_new();
    kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
    kit_link(&kit, 1, BERTH_JOINT_FLOATING, v3(0, 0, 1), v3(1, 0, 0));
    kit_solid(&kit, 1, kit_box(1, 0.1, 0.1), v3(0.5, 0, 0));
    kit_solid(&kit, 2, kit_ball(0.1), v3(0.5, 0, 0));
    const int skipped[3] = {1, 2, -1};
    kit_robot(&kit, skipped);
    kit_object(&kit, kit_box(0.2, 0.2, 0.2), kit_at(-3, 0, 0), NULL);
    kit_commit(&kit);
    return kit;
}

static void test_refusals(void** state) {
    (void)state;
    Kit kit = small_kit();
    const double good[8] = {0, 0, 0, 0, 0, 0, 0, 1};
    const BerthMotionRequest request = {0};
    for (int m = 0; m < METHODS; ++m) {
        BerthMotionChecker* motion = make(kit.scene, methods[m], 0, 1e-4, NULL);
        for (int i = 0; i < 8; ++i) {
            static const double bad[4] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300};
            for (int k = 0; k < 4; ++k) {
                for (int side = 0; side < 2; ++side) {
                    double ends[2][8];
                    memcpy(ends[0], good, sizeof good);
                    memcpy(ends[1], good, sizeof good);
                    ends[side][i] = bad[k];
                    const BerthSegment segment = {.value_count = 8, .from = ends[0], .to = ends[1]};
                    BerthMotionResult r;
                    memset(&r, 0xff, sizeof r);
                    const BerthStatus status = berth_motion_check_segment(motion, &segment, &request, &r);
                    const bool scale = i >= 4 && k == 3;  // a huge quaternion may be normalised or refused
                    assert_true(r.verdict != BERTH_FREE || scale);
                    assert_true(status != BERTH_OK || scale);
                }
                BerthCurve curves[8] = {{.term = {0}}};
                curves[7].term[0] = 1;
                curves[i].term[k] = bad[k % 3];
                const BerthSegment segment = {.value_count = 8, .from = good, .to = good, .curves = curves};
                BerthMotionResult r;
                memset(&r, 0xff, sizeof r);
                berth_motion_check_segment(motion, &segment, &request, &r);
                assert_true(r.verdict != BERTH_FREE);
            }
        }
        const double none[8] = {0};  // no orientation
        const BerthSegment zero = {.value_count = 8, .from = good, .to = none};
        BerthMotionResult r;
        memset(&r, 0xff, sizeof r);
        assert_true(berth_motion_check_segment(motion, &zero, &request, &r) != BERTH_OK);
        assert_true(r.verdict == BERTH_UNKNOWN);
        for (int count = 7; count <= 9; count += 2) {
            const BerthSegment odd = {.value_count = count, .from = good, .to = good};
            memset(&r, 0xff, sizeof r);
            assert_int_equal(berth_motion_check_segment(motion, &odd, &request, &r), BERTH_ERR_ARGUMENT);
            assert_true(r.verdict == BERTH_UNKNOWN);
        }
        berth_motion_checker_destroy(motion);
    }
    // A scene that was edited, and one that was committed again.
    BerthMotionChecker* motion = make(kit.scene, BERTH_METHOD_DEFAULT, 0, 1e-4, NULL);
    const BerthSegment segment = {.value_count = 8, .from = good, .to = good};
    BerthMotionResult r;
    assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
    assert_int_equal(r.verdict, BERTH_FREE);
    kit_object(&kit, kit_ball(0.1), kit_at(0, 5, 0), NULL);
    memset(&r, 0xff, sizeof r);
    assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_ERR_STALE);
    assert_true(r.verdict == BERTH_UNKNOWN);
    kit_commit(&kit);
    memset(&r, 0xff, sizeof r);
    assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_ERR_STALE);
    assert_true(r.verdict == BERTH_UNKNOWN);
    berth_motion_checker_destroy(motion);
    kit_free(&kit);
}

static void test_bad_defs(void** state) {
    (void)state;
    Kit kit = small_kit();
    static const double bad[4] = {(double)NAN, -1, (double)INFINITY, 1e300};
    double error[8] = {0};
    for (int k = 0; k < 4; ++k) {
        for (int field = 0; field < 4; ++field) {
            BerthMotionCheckerDef def = berth_default_motion_checker_def();
            BerthMotionChecker* motion = (BerthMotionChecker*)&def;
            error[3] = bad[k];
            def.margin = field == 0 ? bad[k] : def.margin;
            def.delta = field == 1 ? bad[k] : def.delta;
            def.resolution = field == 2 ? bad[k] : def.resolution;
            def.tracking_error = field == 3 ? error : NULL;
            assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_ERR_ARGUMENT);
            assert_null(motion);
        }
    }
    BerthMotionCheckerDef def = {0};
    BerthMotionChecker* motion = NULL;
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_ERR_ARGUMENT);
    def = berth_default_motion_checker_def();
    def.interval_budget = 0;
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_ERR_ARGUMENT);
    def = berth_default_motion_checker_def();
    def.node_budget = 0;
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_ERR_ARGUMENT);
    def = berth_default_motion_checker_def();
    def.method = BERTH_METHOD_COUNT;
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_ERR_ARGUMENT);
    kit_free(&kit);
}

// One interval, one node: what cannot be decided by that is UNKNOWN. What is FREE all the same must be so with plenty.
static void test_budgets(void** state) {
    (void)state;
    int64_t spent = 0, free = 0;
    for (int w = 0; w < test_scaled(200); ++w) {
        Random random = {(uint64_t)w + 35000};
        World* world = some_world(&random, w % 2 == 0 ? WORLD_PLAIN : WORLD_CONVEX);
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        BerthMotionChecker *poor = NULL, *rich = NULL;
        def.method = methods[w % METHODS];
        assert_int_equal(berth_motion_checker_create(world->scene, &def, &rich), BERTH_OK);
        def.interval_budget = 1 + w / 5 % 4;
        def.node_budget = w % 7 == 0 ? 1 : def.node_budget;
        assert_int_equal(berth_motion_checker_create(world->scene, &def, &poor), BERTH_OK);
        for (int i = 0; i < 12; ++i) {
            Course course;
            straight_course(&random, world, &course, pow(10, bi_random_between(&random, -2, 0)));
            const BerthMotionResult a = ask(poor, &course, false), b = ask(rich, &course, false);
            free += a.verdict == BERTH_FREE;
            spent += a.reason == BERTH_REASON_BUDGET;
            if ((a.verdict == BERTH_FREE && b.verdict != BERTH_FREE) ||
                (a.verdict == BERTH_COLLISION && b.verdict == BERTH_FREE)) {
                fail_msg("world %d segment %d: poor %d, rich %d", w, i, a.verdict, b.verdict);
            }
            assert_true(a.stats.intervals <= def.interval_budget);
            assert_true(a.verdict != BERTH_UNKNOWN || a.reason != BERTH_REASON_NONE);
            if (a.verdict == BERTH_UNKNOWN) {
                assert_true(a.t_low >= 0 && a.t_low <= a.t_high && a.t_high <= 1);
            }
        }
        berth_motion_checker_destroy(poor);
        berth_motion_checker_destroy(rich);
        world_destroy(world);
    }
    print_message("report budgets: %lld spent, %lld free\n", (long long)spent, (long long)free);
    assert_true(spent > 0 && free > 0);
}

/// A motion checker to be made.
typedef struct MotionTry {
    const BerthScene* scene;
    BerthMethod method;
} MotionTry;

static BerthStatus make_motion(void* user, const BerthAllocator* allocator) {
    const MotionTry* from = user;
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = (BerthMotionChecker*)&def;
    def.method = from->method;
    def.allocator = *allocator;
    const BerthStatus status = berth_motion_checker_create(from->scene, &def, &motion);
    assert_int_equal(motion != NULL, status == BERTH_OK);
    berth_motion_checker_destroy(motion);
    return status;
}

static void test_allocation_failures(void** state) {
    (void)state;
    Random random = {36000};
    for (int m = 0; m < METHODS; ++m) {
        const WorldPlan plan = {.style = WORLD_PLAIN, .robots = 2, .joints = 4, .objects = 4};
        World* world = world_make(&random, &plan);
        MotionTry from = {world->scene, methods[m]};
        const int64_t requests = starve(make_motion, &from);
        assert_true(requests > 10 && requests < 10000);
        world_destroy(world);
    }
}

// Scenes with nothing in them, robots without values, bodies that never move.
static void test_empty(void** state) {
    (void)state;
    const BerthMotionRequest request = {0};
    for (int kind = 0; kind < 3; ++kind) {
        for (int m = 0; m < METHODS; ++m) {
            Kit kit = kit_new();
            kit_solid(&kit, 0, kit_ball(0.1), v3(0, 0, 0));
            kit_robot(&kit, NULL);
            if (kind > 0) {
                kit_object(&kit, kit_ball(0.1), kit_at(kind == 1 ? 1 : 0.1, 0, 0), NULL);
            }
            kit_commit(&kit);
            BerthMotionChecker* motion = make(kit.scene, methods[m], 0.0, 1e-4, NULL);
            const double none = 0;
            const BerthSegment segment = {.value_count = 0, .from = &none, .to = &none};
            BerthMotionResult r;
            assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
            if (kind == 2) {
                assert_int_equal(r.verdict, BERTH_COLLISION);
            } else if (methods[m] != BERTH_METHOD_FIXED) {
                assert_int_equal(r.verdict, BERTH_FREE);
                assert_true(kind == 0 || (r.clearance > 0.7 && r.clearance <= 0.8));
            }
            berth_motion_checker_destroy(motion);
            kit_free(&kit);
        }
    }
}

int test_motion_agree(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_more_and_moved), cmocka_unit_test(test_again),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_bad_defs),
        cmocka_unit_test(test_budgets),        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
