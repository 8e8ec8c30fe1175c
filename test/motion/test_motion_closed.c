// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Motions whose contacts are known by formulas: circles, bars, sliding boxes, turning bodies, grippers, curves that
// overshoot; margins, padding, tracking errors; and the corners where a bound could be forgotten.
// test-share: 0.3

#include <berth/path.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "math/math.h"
#include "support/kit.h"
#include "support/setting.h"

static const BerthMethod provers[] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_SECOND_ORDER, BERTH_METHOD_ADAPTIVE,
                                      BERTH_METHOD_REFINED};
enum { PROVERS = 4 };
static const double pi = 3.14159265358979323846;

static BerthMotionCheckerDef def_of(BerthMethod method, double margin, double delta) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.method = method;
    def.margin = margin;
    def.delta = delta;
    return def;
}

static int pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

// The smallest gap `truth` is known: free beyond the band, never free within the margin.
static void expect_verdict(const BerthMotionResult* r, const BerthMotionCheckerDef* def, double truth,
                           const char* what) {
    const double slack = 1e-12;
    if (r->verdict == BERTH_FREE) {
        if (!(truth > def->margin - slack) || !(r->clearance <= truth + slack) ||
            !(r->clearance >= def->margin)) {
            fail_msg("%s (%s): FREE with clearance %.15g, truth %.15g, margin %g", what,
                     berth_method_name(def->method), r->clearance, truth, def->margin);
        }
    } else if (r->verdict == BERTH_COLLISION) {
        if (!(truth <= def->margin + slack)) {
            fail_msg("%s (%s): HIT, truth %.15g, margin %g", what, berth_method_name(def->method), truth,
                     def->margin);
        }
    } else if (truth > def->margin + def->delta + 1e-9 || truth < def->margin - def->delta - 1e-9) {
        fail_msg("%s (%s): UNKNOWN (%s), truth %.15g, margin %g, delta %g", what,
                 berth_method_name(def->method), berth_reason_name(r->reason), truth, def->margin,
                 def->delta);
    }
}

// ---- a point on a circle ----------------------------------------------------------------------------------------

// A ball on an arm of length l, turning from a to b, against the plane x = c (half-space beyond it, or a large box).
static void test_circle_plane(void** state) {
    (void)state;
    Random random = {11};
    for (int n = 0; n < test_scaled(600); ++n) {
        const double length = bi_random_between(&random, 0.1, 2), radius = bi_random_between(&random, 0, 0.1);
        const double a = bi_random_between(&random, -4, 4), b = bi_random_between(&random, -4, 4);
        // Largest x on the arc: at a multiple of 2 pi, or at an end.
        const double low = fmin(a, b), high = fmax(a, b);
        double most = fmax(length * cos(a), length * cos(b));
        for (int k = -1; k <= 1; ++k) {
            if (2 * pi * k >= low && 2 * pi * k <= high) {
                most = length;
            }
        }
        const double wanted = pick(&random, 2) == 0 ? bi_random_between(&random, -0.2, 0.5)
                                                    : bi_random_between(&random, -1e-4, 3e-4);
        const double margin = pick(&random, 3) == 0 ? 0.01 : 0.0;
        const double wall = most + radius + wanted + margin;
        Kit kit = kit_new();
        kit.padding = pick(&random, 3) == 0 ? 0.005 : 0.0;
        kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
        kit_solid(&kit, 1, kit_ball(radius), v3(length, 0, 0));
        kit_robot(&kit, NULL);
        if (pick(&random, 2) == 0) {
            kit_object(&kit, kit_plane(v3(-1, 0, 0), -wall), kit_at(0, 0, 0), NULL);
        } else {
            kit_object(&kit, kit_box(2, 20, 2), kit_at(wall + 1, 0, 0), NULL);
        }
        kit_commit(&kit);
        const BerthMotionCheckerDef def = def_of(provers[n % PROVERS], margin, 1e-4);
        const BerthMotionResult r = kit_ask(&kit, &def, &a, &b, NULL, n % 2 == 0);
        expect_verdict(&r, &def, wanted + margin - kit.padding, "circle");
        if (r.verdict == BERTH_COLLISION && n % 2 == 0) {
            // The earliest time at which l cos(angle) + radius + padding + margin >= wall.
            const double reach = (wall - radius - kit.padding - margin) / length;
            double first = 2;
            for (int k = 0; k <= 4000 && first > 1; ++k) {  // the arc is entered once from each side
                const double t = k / 4000.0;
                first = cos(a + t * (b - a)) >= reach ? t : first;
            }
            if (first <= 1 && !(r.t_low <= first + 1e-12 && r.t_high >= first - 1.0 / 4000 - 1e-12)) {
                fail_msg("circle: contact is at %g, bracket [%g, %g]", first, r.t_low, r.t_high);
            }
        }
        kit_free(&kit);
    }
}

// ---- sliding boxes ----------------------------------------------------------------------------------------------

// Box of side 1 slides from x = 0 by d; the other begins at 1/2 + g: contact at g/d, which is rational.
static void test_sliding_boxes(void** state) {
    (void)state;
    Random random = {12};
    for (int n = 0; n < test_scaled(600); ++n) {
        const int whole = 2 + pick(&random, 60), part = 1 + pick(&random, whole - 1);
        const double d = whole / 64.0, gap = part / 64.0;
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
        kit_solid(&kit, 1, kit_box(1, 1, 1), v3(0, 0, 0));
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_box(1, 1, 1), kit_at(1 + gap, 0.25, 0), NULL);
        kit_commit(&kit);
        const double from = 0, to = d;
        const BerthMotionCheckerDef def = def_of(provers[n % PROVERS], 0, 1e-6);
        const BerthMotionResult r = kit_ask(&kit, &def, &from, &to, NULL, true);
        const double contact = gap / d;
        assert_int_equal(r.verdict, BERTH_COLLISION);
        if (!(r.t_low <= contact && contact <= r.t_high) || !((r.t_high - r.t_low) * d <= 2e-6)) {
            fail_msg("boxes (%s): contact is at %.17g, bracket [%.17g, %.17g]", berth_method_name(def.method),
                     contact, r.t_low, r.t_high);
        }
        // Back again is the mirror image.
        const double before = (part - 0.5) / 64.0;  // ends before the contact: free by 1/128
        const BerthMotionResult free = kit_ask(&kit, &def, &from, &before, NULL, true);
        expect_verdict(&free, &def, 0.5 / 64, "boxes");
        assert_int_equal(free.verdict, BERTH_FREE);
        kit_free(&kit);
    }
}

// ---- two spinning bars ------------------------------------------------------------------------------------------

// Two bars of half length 1 and radius r, hinged 2.2 apart: side by side they pass; parallel to the line of hinges they
// overlap by 2 + 2r - 2.2.
static void test_spinning_bars(void** state) {
    (void)state;
    Random random = {13};
    for (int n = 0; n < test_scaled(200); ++n) {
        Kit kit = kit_new();
        BerthShape bar;
        assert_int_equal(berth_shape_capsule(0.01, 2.0, &bar), BERTH_OK);
        kit_link(&kit, 0, BERTH_JOINT_CONTINUOUS, v3(0, 1, 0), v3(0, 0, 0));
        kit_link(&kit, 0, BERTH_JOINT_CONTINUOUS, v3(0, 1, 0), v3(1.5, 0, 0));
        kit_solid(&kit, 1, bar, v3(0, 0, 0));  // along z
        kit_solid(&kit, 2, bar, v3(0, 0, 0));
        kit_robot(&kit, NULL);
        kit_commit(&kit);
        // In step both stay parallel: the gap is 1.5 |cos angle| - 0.02 for hinge distance 1.5 while they overlap
        // lengthwise, so turning from -1 to 1 rad keeps 1.5 cos(1) - 0.02; turning against each other meets.
        const double turn = bi_random_between(&random, 0.1, 0.7);
        const BerthMotionCheckerDef def = def_of(provers[n % PROVERS], 0, 1e-4);
        const double from[2] = {-turn, -turn}, to[2] = {turn, turn};
        const BerthMotionResult r = kit_ask(&kit, &def, from, to, NULL, false);
        expect_verdict(&r, &def, 1.5 * cos(turn) - 0.02, "bars in step");
        // Turned towards each other by a: the tips at height cos a are 1.5 - 2 sin a apart.
        const double meet = asin((1.5 - 0.02) / 2);
        const double to_meet[2] = {meet + 1e-3, -meet - 1e-3}, zero[2] = {0, 0};
        const BerthMotionResult hit = kit_ask(&kit, &def, zero, to_meet, NULL, true);
        assert_int_equal(hit.verdict, BERTH_COLLISION);
        const double at = meet / (meet + 1e-3);
        if (!(hit.t_low <= at + 1e-12 && at <= hit.t_high + 1e-12)) {
            fail_msg("bars: contact at %.15g, bracket [%.15g, %.15g]", at, hit.t_low, hit.t_high);
        }
        const double to_miss[2] = {meet - 1e-3, -meet + 1e-3};
        const BerthMotionResult miss = kit_ask(&kit, &def, zero, to_miss, NULL, true);
        expect_verdict(&miss, &def, 1.5 - 2 * sin(meet - 1e-3) - 0.02, "bars apart");
        assert_int_equal(miss.verdict, BERTH_FREE);
        kit_free(&kit);
    }
}

// ---- floating, planar, mimic ------------------------------------------------------------------------------------

// The smallest gap is `wanted`, known to 1e-5; what is not decided is within delta, 0.1 mm, of contact.
static void expect_near(const Kit* kit, const char* what, int n, const double* from, const double* to,
                        double wanted) {
    const BerthMotionCheckerDef def = def_of(provers[n % PROVERS], 0, 1e-4);
    const BerthMotionResult r = kit_ask(kit, &def, from, to, NULL, false);
    if ((r.verdict == BERTH_FREE && !(wanted > 0)) || (r.verdict == BERTH_COLLISION && !(wanted < 1e-5)) ||
        (r.verdict == BERTH_UNKNOWN && (wanted > 1.1e-4 || wanted < -1.1e-4))) {
        fail_msg("%s (%s): verdict %d at %g", what, berth_method_name(def.method), r.verdict, wanted);
    }
}

// A ball at distance 1 from the origin of a floating body, which turns about any axis by any angle below pi while it
// also slides; the wall stands at the farthest x by sampling of the formula.
static void test_floating_turn(void** state) {
    (void)state;
    Random random = {14};
    for (int n = 0; n < test_scaled(300); ++n) {
        const BerthQuat a = bi_random_quat(&random), b = bi_random_quat(&random);
        double from[7] = {0, 0, 0, a.x, a.y, a.z, a.w}, to[7] = {0, 0, 0, b.x, b.y, b.z, b.w};
        for (int k = 0; k < 3; ++k) {
            to[k] = bi_random_between(&random, -0.5, 0.5);
        }
        const double scale = bi_random_between(&random, -2, -0.5);
        for (int k = 3; k < 7; ++k) {
            to[k] *= scale;
        }
        double dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        const double sign = dot < 0 ? -1 : 1;
        dot = fabs(dot);
        const double angle = acos(fmin(dot, 1));
        double most = -INFINITY;
        for (int k = 0; k <= 2000; ++k) {
            const double t = k / 2000.0;
            const double u = sin((1 - t) * angle) / sin(angle), v = sign * sin(t * angle) / sin(angle);
            const double x = u * a.x + v * b.x, y = u * a.y + v * b.y, z = u * a.z + v * b.z;
            (void)x;
            most = fmax(most, t * to[0] + 1 - 2 * (y * y + z * z));
        }
        const double wanted = bi_random_between(&random, -1e-3, 1e-3);
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_FLOATING, v3(0, 0, 1), v3(0, 0, 0));
        kit_solid(&kit, 1, kit_ball(0.01), v3(1, 0, 0));
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_plane(v3(-1, 0, 0), -(most + 0.01 + wanted)), kit_at(0, 0, 0), NULL);
        kit_commit(&kit);
        expect_near(&kit, "floating", n, from, to, wanted);
        kit_free(&kit);
    }
}

// A base drives along x past a post at a given distance while it turns; a ball sits at (1, 0) on it.
static void test_planar_drive(void** state) {
    (void)state;
    Random random = {15};
    for (int n = 0; n < test_scaled(300); ++n) {
        const double from[3] = {-2, bi_random_between(&random, -1, 1), bi_random_between(&random, -3, 3)};
        const double to[3] = {2, bi_random_between(&random, -1, 1), bi_random_between(&random, -3, 3)};
        const double post_x = bi_random_between(&random, -1, 1), post_y = bi_random_between(&random, -2, 2);
        double least = INFINITY;
        for (int k = 0; k <= 4000; ++k) {
            const double t = k / 4000.0;
            const double theta = from[2] + t * (to[2] - from[2]);
            const double x = from[0] + t * (to[0] - from[0]) + cos(theta);
            const double y = from[1] + t * (to[1] - from[1]) + sin(theta);
            least = fmin(least, hypot(x - post_x, y - post_y));
        }
        const double wanted = bi_random_between(&random, -2e-3, 2e-3);
        const double radius = least - 0.01 - wanted;
        if (!(radius > 1e-3)) {
            continue;
        }
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_PLANAR, v3(0, 0, 1), v3(0, 0, 0));
        kit_solid(&kit, 1, kit_ball(0.01), v3(1, 0, 0));
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_cylinder(radius, 2), kit_at(post_x, post_y, 0), NULL);
        kit_commit(&kit);
        // Samples are 1/4000 apart: the least is off by less than 1e-5.
        expect_near(&kit, "planar", n, from, to, wanted);
        kit_free(&kit);
    }
}

// Two fingers, the second follows the first the other way round: they meet when both have gone half of the opening.
static void test_mimic_gripper(void** state) {
    (void)state;
    for (int n = 0; n < PROVERS; ++n) {
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));  // it is carried about meanwhile
        kit_link(&kit, 1, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(-0.0625, 0, 0));
        kit_mimic(&kit, 1, BERTH_JOINT_PRISMATIC, v3(-1, 0, 0), v3(0.0625, 0, 0), 1, 1.0, 0.0);
        kit_solid(&kit, 2, kit_box(0.03125, 0.02, 0.02), v3(0, 0, 0));
        kit_solid(&kit, 3, kit_box(0.03125, 0.02, 0.02), v3(0, 0, 0));
        kit_robot(&kit, NULL);
        kit_commit(&kit);
        const BerthMotionCheckerDef def = def_of(provers[n], 0, 1e-6);
        const double from[2] = {0, 0}, to[2] = {2, 0.0625}, near[2] = {2, 0.046875 - 1e-5};
        const BerthMotionResult r = kit_ask(&kit, &def, from, to, NULL, true);
        assert_int_equal(r.verdict, BERTH_COLLISION);  // 0.125 - 0.03125 = 0.09375 apart, closing by 0.125
        if (!(r.t_low <= 0.75 + 1e-9 && r.t_high >= 0.75 - 1e-9 && r.t_high - r.t_low < 1e-3)) {
            fail_msg("gripper (%s): bracket [%.12g, %.12g]", berth_method_name(def.method), r.t_low,
                     r.t_high);
        }
        const BerthMotionResult open = kit_ask(&kit, &def, from, near, NULL, true);
        expect_verdict(&open, &def, 2e-5, "gripper");
        kit_free(&kit);
    }
}

// ---- curves -----------------------------------------------------------------------------------------------------

// x(t) = c t (1 - t)(...) leaves 0 and comes back to 0; its crest is known.
static void test_overshoot(void** state) {
    (void)state;
    Random random = {16};
    for (int n = 0; n < test_scaled(400); ++n) {
        BerthCurve curve = {.term = {0}};
        const double c = bi_random_between(&random, 0.1, 3) * (pick(&random, 2) == 0 ? 1 : -1);
        double crest = 0;
        if (n % 3 == 0) {  // c t (1 - t): crest c / 4
            curve.term[1] = c;
            curve.term[2] = -c;
        } else if (n % 3 == 1) {  // c t^2 (1 - t): crest 4 c / 27
            curve.term[2] = c;
            curve.term[3] = -c;
        } else {  // c t^3 (1 - t)^2 = c (t^3 - 2 t^4 + t^5): at 3/5, crest c 108 / 3125
            curve.term[3] = c;
            curve.term[4] = -2 * c;
            curve.term[5] = c;
        }
        crest = fabs(c) * (n % 3 == 0 ? 0.25 : n % 3 == 1 ? 4.0 / 27 : 108.0 / 3125);
        const double side = c > 0 ? 1 : -1;
        const double wanted = pick(&random, 2) == 0 ? bi_random_between(&random, -2e-4, 2e-4)
                                                    : bi_random_between(&random, -0.01, 0.05);
        const bool turning = pick(&random, 2) == 0;  // an angle overshoots: height sin of it
        Kit kit = kit_new();
        kit_link(&kit, 0, turning ? BERTH_JOINT_REVOLUTE : BERTH_JOINT_PRISMATIC,
                 turning ? v3(0, 0, 1) : v3(0, 1, 0), v3(0, 0, 0));
        kit_solid(&kit, 1, kit_ball(0.02), v3(1, 0, 0));
        kit_robot(&kit, NULL);
        const double high = turning ? sin(crest) : crest;  // crests are below pi / 2
        kit_object(&kit, kit_plane(v3(0, -side, 0), -(high + 0.02 + wanted)), kit_at(0, 0, 0), NULL);
        kit_commit(&kit);
        const double ends = 0;
        const BerthMotionCheckerDef def = def_of(provers[(n / 3) % PROVERS], 0, 1e-5);
        const BerthMotionResult r = kit_ask(&kit, &def, &ends, &ends, &curve, false);
        expect_verdict(&r, &def, wanted, "overshoot");
        kit_free(&kit);
    }
}

// ---- tracking errors --------------------------------------------------------------------------------------------

static void test_tracking_error(void** state) {
    (void)state;
    for (int n = 0; n < PROVERS; ++n) {
        // Straight down, an arm of 1 m, wall 0.1 away in x: free as commanded, reachable by 0.11 rad of error.
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
        kit_solid(&kit, 1, kit_ball(0.01), v3(0, 1, 0));
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_plane(v3(1, 0, 0), -0.11), kit_at(0, 0, 0), NULL);
        kit_commit(&kit);
        const double from = 0, to = -0.01;
        double error = 0.11;
        BerthMotionCheckerDef def = def_of(provers[n], 0, 1e-4);
        assert_int_equal(kit_ask(&kit, &def, &from, &to, NULL, false).verdict, BERTH_FREE);
        def.tracking_error = &error;
        assert_int_not_equal(kit_ask(&kit, &def, &from, &to, NULL, false).verdict, BERTH_FREE);
        assert_int_not_equal(kit_ask(&kit, &def, &from, &from, NULL, false).verdict, BERTH_FREE);
        error = 0.09;
        assert_int_equal(kit_ask(&kit, &def, &from, &to, NULL, false).verdict, BERTH_FREE);
        kit_free(&kit);
    }
}

// The same by a path's queue, which goes by entries.
static BerthMotionResult ask_queue(const Kit* kit, const BerthMotionCheckerDef* def,
                                   const BerthSegment* segment) {
    BerthMotionChecker* motion = NULL;
    BerthPathCache* cache = NULL;
    const BerthPathCacheDef cache_def = berth_default_path_cache_def();
    int32_t number = -1, which = -1;
    BerthMotionResult r;
    assert_int_equal(berth_motion_checker_create(kit->scene, def, &motion), BERTH_OK);
    assert_int_equal(berth_path_cache_create(motion, &cache_def, &cache), BERTH_OK);
    assert_int_equal(berth_path_cache_add(cache, segment, &number), BERTH_OK);
    assert_int_equal(berth_path_cache_check(cache, &number, 1, 1000000, &which, &r), BERTH_OK);
    berth_path_cache_destroy(cache);
    berth_motion_checker_destroy(motion);
    return r;
}

// Panda's fingers are nearer to each other than twice an error of 1 cm: nothing decides that, and 12 segments took 24 s until
// every interval of all of them was too short to go on. A block slides past another, 20 mm away, with an error of 50 mm; and then into a third.
static void test_error_that_is_too_much(void** state) {
    (void)state;
    for (int way = 0; way < 2 * PROVERS; ++way) {
        const int wall = way % 2;
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
        kit_solid(&kit, 1, kit_box(0.1, 0.1, 0.1), v3(0, 0, 0));
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_box(4, 0.1, 0.1), kit_at(0, 0.12, 0), NULL);
        if (wall == 1) {
            kit_object(&kit, kit_ball(0.01), kit_at(0.713, 0, 0), NULL);
        }
        kit_commit(&kit);
        const double from = 0, to = 1, error = 0.05;
        BerthMotionCheckerDef def = def_of(provers[way / 2], 0, 1e-5);
        def.tracking_error = &error;
        const BerthMotionResult r = kit_ask(&kit, &def, &from, &to, NULL, false);
        assert_int_equal(r.verdict, wall == 1 ? BERTH_COLLISION : BERTH_UNKNOWN);
        assert_true(wall == 1 ? fabs(r.t - 0.713) <= 0.0601 : r.reason == BERTH_REASON_TOO_CLOSE);
        assert_true(r.body_a >= 0 && r.body_b >= 0 && r.t_low <= r.t_high);
        assert_true(r.stats.configurations < 60);

        const BerthSegment segment = {.value_count = 1, .from = &from, .to = &to};
        const BerthMotionResult queued = ask_queue(&kit, &def, &segment);
        assert_int_equal(queued.verdict, r.verdict);
        assert_true(queued.stats.configurations < 60);
        kit_free(&kit);
    }
}

// A floating body's error turns it about any axis, not only about the one the segment turns about.
static void test_tracking_error_floating(void** state) {
    (void)state;
    for (int n = 0; n < PROVERS; ++n) {
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_FLOATING, v3(0, 0, 1), v3(0, 0, 0));
        kit_solid(&kit, 1, kit_ball(0.01), v3(1, 0, 0));  // on the axis of the segment's turn
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_plane(v3(0, 0, 1), -0.06), kit_at(0, 0, 0), NULL);
        kit_commit(&kit);
        const double from[7] = {0, 0, 0, 0, 0, 0, 1}, to[7] = {0, 0, 0, sin(0.2), 0, 0, cos(0.2)};
        // qy = 0.05 beside qw = 1 turns by 0.1 about y: the ball at x = 1 sinks by 0.1.
        const double error[7] = {0, 0, 0, 0, 0.05, 0, 0};
        BerthMotionCheckerDef def = def_of(provers[n], 0, 1e-4);
        def.tracking_error = error;
        if (kit_ask(&kit, &def, from, to, NULL, false).verdict == BERTH_FREE) {
            fail_msg("floating error (%s): called free", berth_method_name(def.method));
        }
        // Large errors: asin counts. qy = -0.6 on (0, 0, 0, 1) cannot be; on the turned one 2 asin(0.6) = 1.287 > 1.2.
        kit_free(&kit);
    }
}

// Values are doubles: near 1e6 rad the next one is 1e-10 away, and so is what lies between.
static void test_huge_angles(void** state) {
    (void)state;
    for (int n = 0; n < PROVERS; ++n) {
        for (int k = 0; k < 200; k += test_is_whole() ? 1 : 7) {
            Kit kit = kit_new();
            const double base = 9e5 + 1.7 * k;
            const double step = nextafter(base, 1e9) - base;
            const double from = base, to = base + 3 * step;
            // Largest y of a point at radius 1 on [from, to]: the ends' by long double, since it is monotone there.
            const long double ya = sinl((long double)from), yb = sinl((long double)to);
            const double most = (double)fmaxl(ya, yb);
            const double side = step * fabs(cos(base));
            kit_link(&kit, 0, BERTH_JOINT_CONTINUOUS, v3(0, 0, 1), v3(0, 0, 0));
            kit_solid(&kit, 1, kit_ball(0), v3(1, 0, 0));
            kit_robot(&kit, NULL);
            const double wanted = side * (k % 10) / 20;  // up to half a step
            kit_object(&kit, kit_plane(v3(0, -1, 0), -(most + wanted)), kit_at(0, 0, 0), NULL);
            kit_commit(&kit);
            const BerthMotionCheckerDef def = def_of(provers[n], 0, 1e-12);
            const BerthMotionResult r = kit_ask(&kit, &def, &from, &to, NULL, false);
            if (r.verdict == BERTH_FREE && (!(wanted > -1e-15) || !(r.clearance <= wanted + 1e-14))) {
                fail_msg("huge angles (%s) %d: clearance %g, truth %g", berth_method_name(def.method), k,
                         r.clearance, wanted);
            }
            kit_free(&kit);
        }
    }
}

// ---- joints on joints -------------------------------------------------------------------------------------------

// Height of the ball, by formulas: a slide on a turn (what Coriolis is about: the ball passes the axis), a turn that
// follows another many times as fast, a slide that follows the turn it is carried by.
static double height_of(int kind, const double* q, double multiplier, double shift) {
    switch (kind) {
    case 0:
        return q[1] * sin(q[0]);
    case 1:
        return sin(q[0]) + 0.5 * sin(q[0] + multiplier * q[0] + shift);
    default:
        return (0.1 * multiplier * q[0] + shift) * sin(q[0]);
    }
}

static void test_joints_on_joints(void** state) {
    (void)state;
    Random random = {17};
    int free = 0, hits = 0;
    for (int n = 0; n < test_scaled(1500); ++n) {
        const int kind = pick(&random, 3);
        const double multiplier = bi_random_between(&random, -12, 12),
                     shift = bi_random_between(&random, -1, 1);
        double from[2] = {bi_random_between(&random, -2, 2), bi_random_between(&random, -0.6, 0.6)};
        double to[2] = {bi_random_between(&random, -2, 2), bi_random_between(&random, -0.6, 0.6)};
        double most = -INFINITY;
        for (int k = 0; k <= 2000; ++k) {
            const double t = k / 2000.0;
            const double q[2] = {from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])};
            most = fmax(most, height_of(kind, q, multiplier, shift));
        }
        // Samples are below the crest by at most (1/2000)^2 / 8 of the acceleration, which is below 3000.
        const double wanted = exp(bi_random_between(&random, log(1e-4), log(0.2))) * (n % 4 == 0 ? 1 : -1);
        Kit kit = kit_new();
        const int arm = kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
        int tip = arm;
        if (kind == 0) {
            tip = kit_link(&kit, arm, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
        } else if (kind == 1) {
            tip = kit_mimic(&kit, arm, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(1, 0, 0), 0, multiplier, shift);
        } else {
            tip = kit_mimic(&kit, arm, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0), 0, 0.1 * multiplier,
                            shift);
        }
        kit_solid(&kit, tip, kit_ball(0.001), v3(kind == 1 ? 0.5 : 0, 0, 0));
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_plane(v3(0, -1, 0), -(most + 0.001 + wanted)), kit_at(0, 0, 0), NULL);
        kit_commit(&kit);
        const BerthMotionCheckerDef def = def_of(provers[n % PROVERS], 0, 1e-4);
        const BerthMotionResult r = kit_ask(&kit, &def, from, to, NULL, false);
        free += r.verdict == BERTH_FREE;
        hits += r.verdict == BERTH_COLLISION;
        if ((r.verdict == BERTH_FREE && !(wanted > 0)) ||
            (r.verdict == BERTH_COLLISION && !(wanted < 1e-4)) ||
            (r.verdict == BERTH_UNKNOWN && fabs(wanted) > 2.1e-4)) {
            fail_msg("joints on joints %d (%s) kind %d: verdict %d at %g", n, berth_method_name(def.method),
                     kind, r.verdict, wanted);
        }
        kit_free(&kit);
    }
    assert_true(free > 0 && hits > 0);
}

// A follower's error is its leader's, multiplied.
static void test_tracking_error_mimic(void** state) {
    (void)state;
    for (int n = 0; n < PROVERS; ++n) {
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
        kit_mimic(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0), 0, -5.0, 0.0);
        kit_mimic(&kit, 0, BERTH_JOINT_PRISMATIC, v3(0, 1, 0), v3(10, 0, 0), 0, 5.0, 0.0);
        kit_solid(&kit, 2, kit_ball(0.01), v3(1, 0, 0));
        kit_solid(&kit, 3, kit_ball(0.01), v3(0, 0, 0));
        kit_robot(&kit, NULL);
        const BerthObjectId wall =
            kit_object(&kit, kit_box(0.2, 0.1, 0.1), kit_at(1, -0.16, 0), NULL);  // at -0.11
        kit_object(&kit, kit_box(0.2, 0.1, 0.1), kit_at(10, 0.16, 0), NULL);
        kit_commit(&kit);
        const double zero = 0;
        double error = 0.021;  // 0.105 for the followers, and 0.1 are free
        BerthMotionCheckerDef def = def_of(provers[n], 0, 1e-4);
        assert_int_equal(kit_ask(&kit, &def, &zero, &zero, NULL, false).verdict, BERTH_FREE);
        def.tracking_error = &error;
        assert_int_not_equal(kit_ask(&kit, &def, &zero, &zero, NULL, false).verdict, BERTH_FREE);
        error = 0.018;
        assert_int_equal(kit_ask(&kit, &def, &zero, &zero, NULL, false).verdict, BERTH_FREE);
        error = 0.021;  // the slide alone
        assert_int_equal(berth_scene_remove_object(kit.scene, wall), BERTH_OK);
        kit_commit(&kit);
        assert_int_not_equal(kit_ask(&kit, &def, &zero, &zero, NULL, false).verdict, BERTH_FREE);
        kit_free(&kit);
    }
}

// ---- where a bound is not a number --------------------------------------------------------------------------------

// Two half-spaces that face each other: the moving one dips below the other and comes back.
static void test_half_spaces(void** state) {
    (void)state;
    for (int n = 0; n < PROVERS; ++n) {
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(0, 0, 1), v3(0, 0, 0));
        kit_solid(&kit, 1, kit_ball(0.01), v3(0, 0, 5));
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_plane(v3(0, 0, 1), 0.0), kit_at(0, 0, 0), NULL);       // solid below 0
        kit_object(&kit, kit_plane(v3(0, 0, -1), -1.0), kit_at(0, 0, 0), "link1");  // solid above q + 1
        kit_commit(&kit);
        const BerthCurve dip = {.term = {0, -8, 8, 0, 0, 0}};  // -2 in the middle
        const double ends = 0;
        const BerthMotionCheckerDef def = def_of(provers[n], 0, 1e-4);
        const BerthMotionResult r = kit_ask(&kit, &def, &ends, &ends, &dip, false);
        if (r.verdict == BERTH_FREE) {
            fail_msg("half-spaces (%s): called free", berth_method_name(def.method));
        }
        const BerthCurve quarter = {
            .term = {0, -7, 35, -56, 28, 0}};  // 0 at the middle too, -0.4 and more between
        const BerthMotionResult q = kit_ask(&kit, &def, &ends, &ends, &quarter, false);
        assert_true(q.verdict != BERTH_FREE || q.clearance < 1.0);
        const BerthCurve deep = {.term = {0, -70, 350, -560, 280, 0}};
        if (kit_ask(&kit, &def, &ends, &ends, &deep, false).verdict == BERTH_FREE) {
            fail_msg("half-spaces (%s): called free between samples", berth_method_name(def.method));
        }
        kit_free(&kit);
    }
}

// The first joint's curve is so wild that squares of its speed overflow, and it passes 0 at every dyadic time that is
// looked at first; the second joint collides with the first link in between.
static void test_overflow(void** state) {
    (void)state;
    for (int n = 0; n < PROVERS; ++n) {
        for (int power = 20; power <= 300; power += 20) {
            Kit kit = kit_new();
            kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
            kit_link(&kit, 1, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
            kit_solid(&kit, 1, kit_ball(0.1), v3(1, 0, 0));
            kit_solid(&kit, 2, kit_ball(0.1), v3(-1, 0, 0));
            kit_robot(&kit, NULL);
            kit_commit(&kit);
            const double w = pow(10, power);
            // w t (t - 1/2) (t - 1); the second turns once: it meets the first when it has turned by pi.
            const BerthCurve curves[2] = {{.term = {0, 0.5 * w, -1.5 * w, w}}, {.term = {0, 4 * pi}}};
            const double from[2] = {0, 0}, to[2] = {0, 4 * pi};
            const BerthMotionCheckerDef def = def_of(provers[n], 0, 1e-4);
            BerthMotionChecker* motion = NULL;
            BerthMotionResult r;
            const BerthSegment segment = {.value_count = 2, .from = from, .to = to, .curves = curves};
            const BerthMotionRequest request = {0};
            assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
            berth_motion_check_segment(motion, &segment, &request,
                                       &r);  // may refuse values that are too large
            berth_motion_checker_destroy(motion);
            if (r.verdict == BERTH_FREE) {
                fail_msg("overflow (%s) at 1e%d: called free", berth_method_name(def.method), power);
            }
            kit_free(&kit);
        }
    }
}

int test_motion_closed(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circle_plane),
        cmocka_unit_test(test_sliding_boxes),
        cmocka_unit_test(test_spinning_bars),
        cmocka_unit_test(test_floating_turn),
        cmocka_unit_test(test_planar_drive),
        cmocka_unit_test(test_mimic_gripper),
        cmocka_unit_test(test_overshoot),
        cmocka_unit_test(test_tracking_error),
        cmocka_unit_test(test_tracking_error_floating),
        cmocka_unit_test(test_error_that_is_too_much),
        cmocka_unit_test(test_huge_angles),
        cmocka_unit_test(test_half_spaces),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_joints_on_joints),
        cmocka_unit_test(test_tracking_error_mimic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
