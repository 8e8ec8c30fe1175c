// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Capsules, balls and what they are parts of: forces against a count of random points that knows nothing of slices, parts
// that overlap each other, seams under round bodies, and what is told where the law does not hold.
// test-share: 0.3

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <berth/contact.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "shape/slice.h"
#include "support/dice.h"
#include "support/kit.h"
#include "support/setting.h"

static const double PI_HERE = 3.14159265358979323846;

static BerthShape capsule(double radius, double length) {
    return (BerthShape){.kind = BERTH_CAPSULE, .as.capsule = {radius, length}};
}

static BerthContactWorld* new_world(BerthContactMethod method) {
    BerthContactDef def = berth_default_contact_def();
    def.method = method;
    BerthContactWorld* world = NULL;
    assert_int_equal(berth_contact_create(&def, &world), BERTH_OK);
    return world;
}

static void add_body(BerthContactWorld* world, const BerthContactPiece* pieces, int count,
                     BerthBodyMotion motion) {
    BerthContactBodyDef body = berth_default_contact_body_def();
    body.pieces = pieces;
    body.piece_count = count;
    body.motion = motion;
    body.mass = motion == BERTH_BODY_FREE ? 0.15 : 0.0;
    assert_int_equal(berth_contact_add_body(world, &body, NULL), BERTH_OK);
}

static BerthContactResult ask_at(BerthContactWorld* world, const Pose* pose) {
    BerthContactResult r;
    assert_int_equal(berth_contact_move(world, 1, pose, NULL, NULL), BERTH_OK);
    berth_contact_forget(world);
    assert_int_equal(berth_contact_cycle(world, &r), BERTH_OK);
    return r;
}

// ---- the oracle: points ------------------------------------------------------------------------------------------

static bool piece_holds(const BerthContactPiece* piece, Vec3 p) {
    const Vec3 at = pose_apply_back(&piece->body_from_shape, p);
    const BerthShape* s = &piece->shape;
    switch (s->kind) {
    case BERTH_SPHERE:
        return v3_length(at) < s->as.sphere.radius;
    case BERTH_CAPSULE: {
        const double half = 0.5 * s->as.capsule.length;
        return v3_distance(at, v3(0, 0, clamp(at.z, -half, half))) < s->as.capsule.radius;
    }
    case BERTH_HALFSPACE:
        return v3_dot(s->as.halfspace.normal, at) < s->as.halfspace.offset;
    case BERTH_CYLINDER:
        return hypot(at.x, at.y) < s->as.cylinder.radius && fabs(at.z) < 0.5 * s->as.cylinder.length;
    default:
        return fabs(at.x) < s->as.box.half.x && fabs(at.y) < s->as.box.half.y &&
               fabs(at.z) < s->as.box.half.z;
    }
}

static bool union_holds(const BerthContactPiece* pieces, int count, Vec3 p) {
    for (int i = 0; i < count; ++i) {
        if (piece_holds(&pieces[i], p)) {
            return true;
        }
    }
    return false;
}

typedef struct Count {
    double volume, allowed;  // m3; five standard deviations
    Vec3 centroid;
    int64_t hits;
} Count;

// Points in a ball of `reach` around the second body that are in both.
static Count count_points(const BerthContactPiece* a, int count_a, const BerthContactPiece* b, int count_b,
                          const Pose* pose, double reach, int samples) {
    Count out = {.hits = 0};
    Vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_neg(low), sum = v3(0, 0, 0);
    for (int pass = 0; pass < 2; ++pass) {
        // First where they meet, roughly; then densely there, a little wider.
        const Vec3 margin = v3(0.06 * reach, 0.06 * reach, 0.06 * reach);
        const Vec3 wider = pass == 0 ? margin : v3_mad(margin, 0.3, v3_sub(high, low));
        const Vec3 from = pass == 0 ? v3_sub(pose->t, v3(reach, reach, reach)) : v3_sub(low, wider);
        const Vec3 to = pass == 0 ? v3_add(pose->t, v3(reach, reach, reach)) : v3_add(high, wider);
        out.hits = 0;
        sum = v3(0, 0, 0);
        const int tries = pass == 0 ? samples : 8 * samples;
        for (int i = 0; i < tries; ++i) {
            const Vec3 p =
                v3(dice_between(from.x, to.x), dice_between(from.y, to.y), dice_between(from.z, to.z));
            if (union_holds(a, count_a, p) && union_holds(b, count_b, pose_apply_back(pose, p))) {
                ++out.hits;
                sum = v3_add(sum, p);
                low = v3_min(low, p);
                high = v3_max(high, p);
            }
        }
        if (out.hits < 30) {
            out.hits = 0;
            return out;
        }
        const Vec3 size = v3_sub(to, from);
        const double box = size.x * size.y * size.z, share = (double)out.hits / tries;
        out.volume = box * share;
        out.allowed = 5.0 * box * sqrt(share * (1.0 - share) / tries);
    }
    out.centroid = v3_scale(sum, 1.0 / (double)out.hits);
    return out;
}

// ---- capsules ------------------------------------------------------------------------------------------------------

// A capsule 20 mm in the ground had 400 N, by points, where a cylinder of its size had 2,251 N. Capsules against all kinds of
// pieces: foundation times the volume that points count; between round bodies along the line through the volume's middle.
static void capsules_have_their_volume(void** state) {
    (void)state;
    dice = (Random){77};
    const double foundation = berth_default_contact_def().material.foundation;
    const int cases = test_scaled(60);
    double worst = 0.0;
    int judged = 0;
    for (int n = 0; n < cases; ++n) {
        const double r = dice_between(0.04, 0.1), length = dice_between(0.0, 0.3);
        const BerthContactPiece first[5] = {
            {kit_box(0.4, 0.3, 0.5), dice_pose(0.05)},
            {kit_plane(v3(0.6, 0.0, 0.8), 0.01), pose_identity()},
            {kit_ball(dice_between(0.05, 0.3)), pose_identity()},
            {capsule(dice_between(0.05, 0.2), dice_between(0.01, 0.4)), dice_pose(0.05)},
            {kit_box(0.05, 0.06, 0.04), dice_pose(0.0)}};
        const BerthContactPiece second = {capsule(r, length), pose_identity()};
        BerthContactWorld* world = new_world(BERTH_CONTACT_OVERLAP);
        add_body(world, &first[n % 5], 1, BERTH_BODY_FIXED);
        add_body(world, &second, 1, BERTH_BODY_DRIVEN);
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        assert_int_equal(berth_contact_assumed_count(world), 0);

        Pose pose;
        Count count;
        double whole;
        do {
            pose = dice_pose(0.35);
            count = count_points(&first[n % 5], 1, &second, 1, &pose, r + 0.5 * length, 40000);
            // What is all inside has no direction but out of a half-space: nothing of the other's surface is in it.
            whole = PI_HERE * r * r * (length + 4.0 / 3.0 * r);
        } while (count.hits < 20000 || (n % 5 != 1 && count.volume > 0.95 * whole));
        const BerthContactResult r2 = ask_at(world, &pose);
        const double force = v3_length(r2.wrenches[1].force);
        const double off = fabs(force / foundation - count.volume);
        if (off > count.allowed + 1e-4 * count.volume) {
            fail_msg("case %d: %g N, points say %g +- %g", n, force, foundation * count.volume,
                     foundation * count.allowed);
        }
        worst = fmax(worst, off / count.volume);
        ++judged;

        // The force acts at the middle of what is common.
        const Vec3 arm = v3_sub(count.centroid, pose.t);
        const Vec3 moment = v3_cross(arm, r2.wrenches[1].force);
        assert_true(v3_distance(moment, r2.wrenches[1].moment) <= 0.05 * force * (r + length));
        berth_contact_destroy(world);
    }
    print_message("%d capsules: volume within %.2g of the points'\n", judged, worst);
}

// Known answers: on a floor a half-space, a box and a box of many faces say what the circle's segment says.
static void a_capsule_lies_on_the_floor(void** state) {
    (void)state;
    const double r = 0.05, length = 0.2, depth = 0.02, foundation = 1e7;
    const double angle = acos((r - depth) / r);
    const double segment = r * r * (angle - sin(angle) * cos(angle)),
                 cap = PI_HERE * depth * depth * (r - depth / 3);
    const double expected = foundation * (segment * length + cap);
    BerthContactPiece floors[3] = {{kit_plane(v3(0, 0, 1), 0.0), pose_identity()},
                                   {kit_box(2, 2, 0.2), kit_at(0, 0, -0.1)},
                                   {kit_cylinder(1.0, 0.2), kit_at(0, 0, -0.1)}};
    const BerthContactPiece piece = {capsule(r, length), pose_identity()};
    for (int kind = 0; kind < 3; ++kind) {
        BerthContactWorld* world = new_world(BERTH_CONTACT_OVERLAP);
        add_body(world, &floors[kind], 1, BERTH_BODY_FIXED);
        add_body(world, &piece, 1, BERTH_BODY_DRIVEN);
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        Pose pose = bi_pose_axis_angle(v3(1, 0, 0), 0.5 * PI_HERE, v3(0.03, 0.02, r - depth));
        const BerthContactResult flat = ask_at(world, &pose);
        assert_true(v3_distance(flat.wrenches[1].force, v3(0, 0, expected)) <= 1e-6 * expected);
        assert_true(v3_length(flat.wrenches[1].moment) <= 1e-6 * expected);

        // Upright it is its ball's cap; in the floor by 1 um or the whole of it there is no jump.
        pose = kit_at(0, 0, r + 0.5 * length - depth);
        const BerthContactResult upright = ask_at(world, &pose);
        assert_true(fabs(upright.wrenches[1].force.z - foundation * cap) <= 1e-6 * foundation * cap);
        double before = 0.0;
        for (int i = 1; i <= 60; ++i) {
            pose = bi_pose_axis_angle(v3(1, 0, 0), 1.2, v3(0, 0, 0.1 - 0.002 * i));
            const double force = ask_at(world, &pose).wrenches[1].force.z;
            assert_true(force >= before);
            before = force;
        }
        berth_contact_destroy(world);
    }
}

// ---- parts that overlap ------------------------------------------------------------------------------------------

// A box on two cylinders that overlap each other had 16,000 N, on one 8,000 N; the same with balls under a floor.
static void what_parts_share_counts_once(void** state) {
    (void)state;
    const double foundation = 1e7;
    const BerthContactPiece round[2] = {{kit_cylinder(0.5, 0.1), kit_at(0.3, 0, -0.05)},
                                        {kit_cylinder(0.5, 0.1), kit_at(-0.3, 0, -0.05)}};
    const BerthContactPiece box = {kit_box(0.2, 0.2, 0.2), pose_identity()};
    BerthContactWorld* world = new_world(BERTH_CONTACT_OVERLAP);
    add_body(world, round, 2, BERTH_BODY_FIXED);
    add_body(world, &box, 1, BERTH_BODY_DRIVEN);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    const Pose pose = kit_at(0.02, 0.01, 0.08);
    assert_true(v3_distance(ask_at(world, &pose).wrenches[1].force, v3(0, 0, 8000)) <= 1e-3);
    berth_contact_destroy(world);

    // Balls in balls, twice the same ball, and one in another.
    dice = (Random){78};
    double worst = 0.0;
    for (int n = 0; n < test_scaled(12); ++n) {
        BerthContactPiece balls[9];
        const int count = 2 + dice_choose(6);
        for (int i = 0; i < count; ++i) {
            balls[i] = (BerthContactPiece){kit_ball(dice_between(0.04, 0.1)), kit_at(0, 0, 0)};
            balls[i].body_from_shape.t = dice_vec(0.08);
        }
        balls[count] = balls[0];
        balls[count + 1] = (BerthContactPiece){kit_ball(0.01), balls[1].body_from_shape};
        const BerthContactPiece floors[3] = {{kit_plane(v3(0, 0, 1), 0.0), pose_identity()},
                                             {kit_box(2, 2, 1), kit_at(0, 0, -0.5)},
                                             {kit_ball(40.0), kit_at(0, 0, -40.0)}};
        world = new_world(BERTH_CONTACT_OVERLAP);
        add_body(world, &floors[n % 3], 1, BERTH_BODY_FIXED);
        add_body(world, balls, count + 2, BERTH_BODY_DRIVEN);
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        assert_int_equal(berth_contact_assumed_count(world), 0);
        Pose at;
        Count points;
        do {
            at = kit_at(0, 0, dice_between(-0.05, 0.05));
            points = count_points(&floors[n % 3], 1, balls, count + 2, &at, 0.25, 50000);
        } while (points.hits < 5000);
        const double force = ask_at(world, &at).wrenches[1].force.z;
        if (fabs(force / foundation - points.volume) > points.allowed + 2e-3 * points.volume) {
            fail_msg("%d balls: %g N, points say %g +- %g", count, force, foundation * points.volume,
                     foundation * points.allowed);
        }
        worst = fmax(worst, fabs(force / foundation / points.volume - 1.0));
        berth_contact_destroy(world);
    }
    print_message("unions of balls: volume within %.2g of the points'\n", worst);
}

// Boxes, balls and a capsule that overlap each other, against boxes, the ground and unions of balls and boxes.
static void mixed_parts_count_once(void** state) {
    (void)state;
    dice = (Random){80};
    const double foundation = 1e7;
    double worst = 0.0;
    for (int n = 0; n < test_scaled(16); ++n) {
        const bool against_ball = n % 4 == 3;
        BerthContactPiece parts[4] = {{kit_box(0.2, 0.14, 0.1), kit_at(0, 0, 0)},
                                      {kit_ball(0.08), kit_at(0.1, 0, 0)},
                                      {kit_ball(0.07), kit_at(0.1, 0.05, 0.02)},
                                      {capsule(0.04, 0.2), kit_at(-0.05, 0, 0)}};
        const int count = against_ball ? 3 : 4;
        for (int i = 0; i < count; ++i) {
            parts[i].body_from_shape.t = v3_add(parts[i].body_from_shape.t, dice_vec(0.02));
        }
        const BerthContactPiece others[4][2] = {
            {{kit_plane(v3(0, 0, 1), 0.0), pose_identity()}},
            {{kit_box(2, 2, 1), kit_at(0, 0, -0.5)}},
            {{kit_box(2, 1, 1), kit_at(0, 0.5, -0.5)}, {kit_box(2, 1, 1), kit_at(0, -0.5, -0.5)}},
            {{kit_ball(30.0), kit_at(0, 0, -30.0)}, {kit_box(0.8, 0.8, 0.8), kit_at(0, 0, -0.400005)}}};
        const int other_count = n % 4 < 2 ? 1 : 2;
        BerthContactWorld* world = new_world(BERTH_CONTACT_OVERLAP);
        add_body(world, others[n % 4], other_count, BERTH_BODY_FIXED);
        add_body(world, parts, count, BERTH_BODY_DRIVEN);
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        assert_int_equal(berth_contact_assumed_count(world), 0);

        Pose pose;
        Count points;
        do {
            pose = dice_pose(0.0);
            pose.t.z = dice_between(-0.02, 0.1);
            points = count_points(others[n % 4], other_count, parts, count, &pose, 0.3, 60000);
        } while (points.hits < 5000);
        const double force = ask_at(world, &pose).wrenches[1].force.z;
        if (points.hits == 0 ||
            fabs(force / foundation - points.volume) > points.allowed + 5e-3 * points.volume) {
            fail_msg("case %d: %g N, points say %g +- %g", n, force, foundation * points.volume,
                     foundation * points.allowed);
        }
        worst = fmax(worst, fabs(force / foundation / points.volume - 1.0));
        berth_contact_destroy(world);
    }
    print_message("mixed unions: volume within %.2g of the points'\n", worst);
}

static bool assumes(const BerthContactWorld* world, const char* what, int count) {
    for (int32_t i = 0; i < berth_contact_assumed_count(world); ++i) {
        const BerthAssumed one = berth_contact_assumed(world, i);
        if (strcmp(one.what, what) == 0) {
            return one.count == count;
        }
    }
    return false;
}

// A capsule that overlaps another one of its body counts twice there, and a triangle has no volume: both are told.
static void what_has_another_law_is_told(void** state) {
    (void)state;
    const BerthContactPiece finger[3] = {{kit_box(0.1, 0.1, 0.1), kit_at(0, 0, 0)},
                                         {capsule(0.04, 0.1), kit_at(0, 0, 0.08)},
                                         {capsule(0.04, 0.1), kit_at(0.05, 0, 0.08)}};
    const BerthContactPiece sheet = {
        {.kind = BERTH_TRIANGLE, .as.triangle = {.point = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}},
        pose_identity()};
    BerthContactWorld* world = new_world(BERTH_CONTACT_OVERLAP);
    add_body(world, finger, 3, BERTH_BODY_FIXED);
    add_body(world, &sheet, 1, BERTH_BODY_DRIVEN);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    assert_true(assumes(world, "counted_twice", 1));
    assert_true(assumes(world, "law_by_points", 1));
    berth_contact_destroy(world);

    world = new_world(BERTH_CONTACT_MANIFOLD);
    add_body(world, finger, 3, BERTH_BODY_FIXED);
    add_body(world, &sheet, 1, BERTH_BODY_DRIVEN);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    assert_int_equal(berth_contact_assumed_count(world), 0);
    berth_contact_destroy(world);
}

// ---- anything against anything -----------------------------------------------------------------------------------

static BerthContactPiece random_piece(int kind, double reach) {
    BerthContactPiece piece = {.body_from_shape = dice_pose(reach)};
    const double x = dice_between(0.06, 0.25), y = dice_between(0.06, 0.25), z = dice_between(0.06, 0.25);
    piece.shape = kind == 0   ? kit_box(x, y, z)
                  : kind == 1 ? kit_ball(0.5 * x)
                  : kind == 2 ? capsule(0.35 * x, z)
                              : kit_cylinder(0.4 * x, z);
    return piece;
}

typedef struct Tally {
    int64_t poses, touch, apart, judged, directed;
    double most;
} Tally;

// Points within reach of both bodies; how many are in both tells the volume, and how many more or less when B is moved, the way
// out.
static void judge_pose(BerthContactWorld* world, const BerthContactPiece* a, int count_a,
                       const BerthContactPiece* b, int count_b, double allowed, bool twice, Tally* tally) {
    enum { POINTS = 20000 };
    static Vec3 points[POINTS];
    static bool in_a[POINTS];
    const double reach = 0.3;
    double one = 0.0;  // volume that a point stands for
    const Pose pose = dice_pose(0.25);
    const BerthContactResult r = ask_at(world, &pose);
    const Vec3 force = r.wrenches[1].force;
    int hits = 0;
    Vec3 low = v3_sub(pose.t, v3(reach, reach, reach)), high = v3_add(pose.t, v3(reach, reach, reach));
    for (int pass = 0; pass < 2; ++pass) {
        // First where they meet, roughly; then densely there, wider.
        const Vec3 from = low, to = high;
        low = v3(INFINITY, INFINITY, INFINITY);
        high = v3_neg(low);
        hits = 0;
        for (int i = 0; i < POINTS; ++i) {
            const Vec3 p =
                v3(dice_between(from.x, to.x), dice_between(from.y, to.y), dice_between(from.z, to.z));
            points[i] = p;
            in_a[i] = union_holds(a, count_a, p);
            if (in_a[i] && union_holds(b, count_b, pose_apply_back(&pose, p))) {
                ++hits;
                low = v3_min(low, p);
                high = v3_max(high, p);
            }
        }
        const Vec3 size = v3_sub(to, from);
        one = size.x * size.y * size.z / POINTS;
        if (hits < 30) {
            break;
        }
        const Vec3 wider = v3_mad(v3(0.004, 0.004, 0.004), 0.15, v3_sub(high, low));
        low = v3_sub(low, wider);
        high = v3_add(high, wider);
    }

    // Free is a proof, and has no force.
    ++tally->poses;
    assert_int_equal(r.unknown_pairs, 0);
    if (r.verdict == BERTH_FREE) {
        ++tally->apart;
        assert_true(hits == 0 && v3_length(force) == 0.0);
        return;
    }
    ++tally->touch;
    if (hits < 500) {
        return;
    }

    // No more than all of the volume.
    const double volume = hits * one;
    const double share = v3_length(force) / (1e7 * volume);
    ++tally->judged;
    if (!twice) {
        assert_true(share <= (1.0 + allowed) * (1.0 + 5.0 / sqrt(hits)));
        tally->most = hits > 2000 ? fmax(tally->most, share) : tally->most;
    }

    // Out, not in, wherever the points say clearly which is which.
    const double step = 0.08 * cbrt(volume);
    double way[3];
    for (int k = 0; k < 3; ++k) {
        int more = 0;
        for (int side = -1; side <= 1; side += 2) {
            Pose moved = pose;
            moved.t = v3_add(
                pose.t, v3(k == 0 ? side * step : 0, k == 1 ? side * step : 0, k == 2 ? side * step : 0));
            for (int i = 0; i < POINTS; ++i) {
                more += in_a[i] && union_holds(b, count_b, pose_apply_back(&moved, points[i])) ? side : 0;
            }
        }
        way[k] = -more * one / (2.0 * step);
    }
    const Vec3 out = v3(way[0], way[1], way[2]);
    const double noise = one / (2.0 * step) * sqrt(hits);
    if (v3_length(out) > 5.0 * noise && v3_length(out) > 0.5 * pow(volume, 2.0 / 3.0)) {
        ++tally->directed;
        assert_true(v3_dot(force, out) > 0.1 * v3_length(force) * v3_length(out));
    }
}

// Unions of up to five boxes, balls, capsules and cylinders against one or two others.
static void what_overlaps_is_pushed_out(void** state) {
    (void)state;
    dice = (Random){81};
    Tally tally = {.poses = 0};
    for (int n = 0; n < test_scaled(20); ++n) {
        BerthContactPiece a[5], b[2];
        const int count_a = 1 + n % 5, count_b = 1 + n / 5 % 2;
        const int kinds[4] = {0, dice_choose(2), dice_choose(4), 3 * dice_choose(2)};
        bool rounded = false;
        for (int i = 0; i < count_a; ++i) {
            const int kind = i == 0 ? kinds[n % 4] : n % 4 == 0 ? 0 : dice_choose(n % 4 == 1 ? 2 : 4);
            a[i] = random_piece(kind, i > 0 ? 0.12 : 0.0);
            rounded = rounded || kind == 3;
        }
        for (int i = 0; i < count_b; ++i) {
            b[i] = random_piece((n + i) % 4, i > 0 ? 0.06 : 0.0);
            rounded = rounded || (n + i) % 4 == 3;
        }
        BerthContactWorld* world = new_world(BERTH_CONTACT_OVERLAP);
        add_body(world, a, count_a, BERTH_BODY_FIXED);
        add_body(world, b, count_b, BERTH_BODY_DRIVEN);
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        const bool twice = berth_contact_assumed_count(world) > 0;
        for (int i = 0; i < 20; ++i) {
            judge_pose(world, a, count_a, b, count_b, rounded ? 0.04 : 0.01, twice, &tally);
        }
        berth_contact_destroy(world);
    }
    print_message(
        "%lld poses, %lld touch, %lld apart; of %lld the volume (at most %.3g of it), of %lld the way out\n",
        (long long)tally.poses, (long long)tally.touch, (long long)tally.apart, (long long)tally.judged,
        tally.most, (long long)tally.directed);
    assert_true((tally.directed > 0 && tally.apart > 0) || !test_is_whole());
}

// ---- seams ---------------------------------------------------------------------------------------------------------

// A ball on the seam of two boxes had 77 N sideways with `manifold`, and capsules on three staggered ones 75: they touched
// edges that nobody can touch. Whatever the method, a level floor pushes up; in the corner of a wall both push.
static void seams_push_nobody_sideways(void** state) {
    (void)state;
    const BerthContactPiece floor[4] = {{kit_box(1, 1, 0.1), kit_at(0.5, 0, -0.05)},
                                        {kit_box(1, 1, 0.1), kit_at(-0.5, 0.3, -0.05)},
                                        {kit_box(1, 1, 0.1), kit_at(-0.4, -0.7, -0.05)},
                                        {kit_box(0.2, 1, 1), kit_at(0.9, 0, 0.5)}};
    for (int method = 0; method < BERTH_CONTACT_METHOD_COUNT; ++method) {
        for (int kind = 0; kind < 3; ++kind) {
            const BerthContactPiece round = {
                kind == 0 ? kit_ball(0.05) : capsule(0.05, kind == 1 ? 0.2 : 0.02), pose_identity()};
            BerthContactWorld* world = new_world((BerthContactMethod)method);
            add_body(world, floor, 4, BERTH_BODY_FIXED);
            add_body(world, &round, 1, BERTH_BODY_DRIVEN);
            assert_int_equal(berth_contact_commit(world), BERTH_OK);
            dice = (Random){79 + (uint64_t)kind};
            for (int n = 0; n < test_scaled(400); ++n) {
                const double depth = n % 3 == 0 ? 1e-5 : n % 3 == 1 ? 0.004 : 0.03;
                Pose pose = bi_pose_axis_angle(v3(1, 0, 0), 0.5 * PI_HERE, v3(0, 0, 0.05 - depth));
                const Pose turn = bi_pose_axis_angle(v3(0, 0, 1), dice_between(0.0, 3.0), v3(0, 0, 0));
                pose = pose_mul(&turn, &pose);
                pose.t.x = dice_between(-0.2, 0.2);
                pose.t.y = dice_between(-0.35, 0.25);
                const BerthContactResult r = ask_at(world, &pose);
                const Vec3 force = r.wrenches[1].force;
                if (!(force.z > 0.0 && hypot(force.x, force.y) <= 1e-4 * force.z)) {
                    fail_msg("method %d kind %d at (%g, %g), %g deep: (%g %g %g) N", method, kind, pose.t.x,
                             pose.t.y, depth, force.x, force.y, force.z);
                }
            }

            const Pose corner = bi_pose_axis_angle(v3(1, 0, 0), 0.5 * PI_HERE, v3(0.751, 0.1, 0.049));
            const Vec3 force = ask_at(world, &corner).wrenches[1].force;
            assert_true(force.z > 0.0 && fabs(force.x + force.z) <= 1e-3 * force.z);
            berth_contact_destroy(world);
        }
    }
}

// ---- steps ---------------------------------------------------------------------------------------------------------

// Without damping a capsule that falls never has more energy in the air than at the start, but for 0.1 %.
static void capsules_gain_nothing(void** state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        BerthContactDef def = berth_default_contact_def();
        def.material = (BerthMaterial){1e4, 0.0, 0.0, 0.0, 1e7};
        BerthContactWorld* world = NULL;
        assert_int_equal(berth_contact_create(&def, &world), BERTH_OK);
        const BerthContactPiece floor = {kit_box(20, 20, 0.5), kit_at(0, 0, -0.25)};
        const BerthContactPiece parts[2] = {{capsule(0.03, 0.08), pose_identity()},
                                            {kit_ball(0.04), kit_at(0.02, 0, 0.03)}};
        add_body(world, &floor, 1, BERTH_BODY_FIXED);
        add_body(world, parts, kind == 2 ? 2 : 1, BERTH_BODY_FREE);
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        const Pose pose = bi_pose_axis_angle(v3_unit_or(v3(1, 0.4, 0), v3(1, 0, 0)),
                                             kind == 0 ? 0.5 * PI_HERE : 0.9, v3(0, 0, 0.2));
        assert_int_equal(berth_contact_move(world, 1, &pose, NULL, NULL), BERTH_OK);

        BerthContactBody body;
        assert_int_equal(berth_contact_body(world, 1, &body), BERTH_OK);
        const double before = body.energy;
        double most = -1.0, least = 2.0;
        for (int i = 0; i < test_scaled(6000); ++i) {
            BerthContactResult r;
            assert_int_equal(berth_contact_step(world, 1e-3, &r), BERTH_OK);
            assert_int_equal(berth_contact_body(world, 1, &body), BERTH_OK);
            if (r.verdict == BERTH_FREE) {
                most = fmax(most, body.energy / before - 1.0);
                least = fmin(least, body.energy / before);
            }
        }
        print_message("kind %d: at most %.2g more than at the start, at least %.4g of it\n", kind, most,
                      least);
        assert_true(most <= 1e-3);
        berth_contact_destroy(world);
    }
}

// Planes of a fan that meet in one line to the last digit: rounding makes polygons of slices that are not convex, and each plane may
// double their corners. These fans once wrote hundreds of corners behind the room that there is.
static void fans_of_planes_stay_in_their_room(void** state) {
    (void)state;
    enum { PLANES = 120, BEHIND = 2000 };
    static Vec3 polygon[2][8 + 2 * PLANES + BEHIND];
    const uint64_t seeds[] = {1184, 6930, 15602, 21054, 25147};
    const int32_t room = bi_slice_room(PLANES);
    assert_true(room <= 8 + 2 * PLANES);

    for (size_t k = 0; k < sizeof seeds / sizeof seeds[0]; ++k) {
        Random random = {seeds[k]};
        const double x = bi_random_between(&random, -0.1, 0.1), y = bi_random_between(&random, -0.1, 0.1);
        const double first = bi_random_between(&random, 0.0, 6.28);
        const double width = ldexp(1.0, -15 - (int)(bi_random_next(&random) % 15));
        const double off = ldexp(1.0, -50 - (int)(bi_random_next(&random) % 14));

        SlicePlane planes[PLANES];
        for (int i = 0; i < PLANES; ++i) {
            double sine, cosine;
            bi_sincos(first + width * i / PLANES, &sine, &cosine);
            planes[i] =
                (SlicePlane){.normal = {cosine, sine, 0.0},
                             .offset = cosine * x + sine * y + off * bi_random_between(&random, 0.5, 1.5)};
        }
        for (int i = 0; i < 2; ++i) {
            memset(polygon[i], 0x5a, sizeof polygon[i]);
        }

        const Capsule ball = {.end = {{0, 0, 0}, {0, 0, 0}}, .radius = 0.15};
        const SliceBody body = {.planes = planes, .plane_count = PLANES};
        Vec3* const polygons[2] = {polygon[0], polygon[1]};
        SliceSum sum = {.volume = 0.0};
        bi_slice_planes(&ball, &body, 1.0, polygons, &sum);
        assert_true(sum.volume >= 0.0 && sum.volume <= 4.0 / 3.0 * PI_HERE * 0.15 * 0.15 * 0.15);

        for (int i = 0; i < 2; ++i) {
            const unsigned char* behind = (const unsigned char*)(polygon[i] + room);
            for (size_t b = 0; b < BEHIND * sizeof(Vec3); ++b) {
                assert_int_equal(behind[b], 0x5a);
            }
        }
    }
}

int test_contact_round(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(capsules_have_their_volume),        cmocka_unit_test(a_capsule_lies_on_the_floor),
        cmocka_unit_test(what_parts_share_counts_once),      cmocka_unit_test(mixed_parts_count_once),
        cmocka_unit_test(what_has_another_law_is_told),      cmocka_unit_test(what_overlaps_is_pushed_out),
        cmocka_unit_test(seams_push_nobody_sideways),        cmocka_unit_test(capsules_gain_nothing),
        cmocka_unit_test(fans_of_planes_stay_in_their_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
