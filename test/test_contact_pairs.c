// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Contacts of two convex polyhedra against brute force: depth over all axes, elemental contacts over all features, for
// bodies that are stacked, graze, have parallel edges, a corner on an edge, are deep in or inside each other.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <stdio.h>

#include "support/bodies.h"
#include "support/setting.h"

typedef struct Scene {
    BruteBody a, b;
    Pose pose_a, pose_b;
    BerthContactWorld* world;
} Scene;

static BerthContactWorld* world_of(const BruteBody* a, const BruteBody* b, int levels,
                                   BerthContactMethod method, int points) {
    BerthContactDef def = berth_default_contact_def();
    def.levels = levels;
    def.method = method;
    def.points = points;
    def.homogeneous = levels == 3;
    BerthContactWorld* world = NULL;
    assert_int_equal(berth_contact_create(&def, &world), BERTH_OK);
    brute_add(world, a, -2, BERTH_BODY_DRIVEN);
    brute_add(world, b, -2, BERTH_BODY_DRIVEN);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    return world;
}

static BerthContactResult ask(BerthContactWorld* world, const Pose* pose_a, const Pose* pose_b) {
    BerthContactResult result;
    assert_int_equal(berth_contact_move(world, 0, pose_a, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_contact_move(world, 1, pose_b, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_contact_cycle(world, &result), BERTH_OK);
    return result;
}

static double deepest(const BerthContactResult* result) {
    double depth = 0.0;
    for (int32_t i = 0; i < result->contact_count; ++i) {
        depth = fmax(depth, result->contacts[i].depth);
    }
    return depth;
}

// Distance of a point from the segment or plane of a feature, in the world.
static double off_feature(const BerthContactWorld* world, const BerthContact* c, bool of_a, const Pose* pose,
                          Vec3 point) {
    Vec3 corner[BODY_CORNERS];
    const int32_t count =
        berth_contact_feature(world, of_a ? c->body_a : c->body_b, of_a ? c->piece_a : c->piece_b,
                              of_a ? c->feature_a : c->feature_b, corner, BODY_CORNERS);
    assert_true(count >= 1 && count <= BODY_CORNERS);
    const Vec3 p = pose_apply_back(pose, point);
    if (count == 1) {
        return v3_distance(p, corner[0]);
    }
    if (count == 2) {
        const Vec3 d = v3_sub(corner[1], corner[0]);
        const double t = clamp(v3_dot(v3_sub(p, corner[0]), d) / v3_length_sq(d), 0.0, 1.0);
        return v3_distance(p, v3_mad(corner[0], t, d));
    }
    const Vec3 n =
        v3_unit_or(v3_cross(v3_sub(corner[1], corner[0]), v3_sub(corner[2], corner[0])), v3(0, 0, 1));
    return fabs(v3_dot(n, v3_sub(p, corner[0])));
}

// Every contact's two surface points are on the features it names.
static void contacts_are_on_their_features(const Scene* s, const BerthContactResult* result,
                                           double tolerance) {
    for (int32_t i = 0; i < result->contact_count; ++i) {
        const BerthContact* c = &result->contacts[i];
        assert_true(c->depth >= 0.0 && fabs(v3_length(c->normal) - 1.0) < 1e-12);
        const Vec3 on_a = v3_mad(c->point, 0.5 * c->depth, c->normal);
        const Vec3 on_b = v3_mad(c->point, -0.5 * c->depth, c->normal);
        assert_true(off_feature(s->world, c, true, &s->pose_a, on_a) <= tolerance);
        assert_true(off_feature(s->world, c, false, &s->pose_b, on_b) <= tolerance);
    }
}

static void explain(const Scene* s, int way, double truth, const BerthContactResult* r) {
    printf("way %d: brute depth %.17g, here %d contacts, deepest %.17g, verdict %s\n", way, truth,
           (int)r->contact_count, deepest(r), berth_verdict_name(r->verdict));
    printf("  corners %d and %d\n", s->a.corner_count, s->b.corner_count);
}

// One pair of bodies in one place: verdict, depth, normal and features; the same at every level and after others.
static void look_at(Scene* s, int way, const double slack, long* hits, long* frees) {
    Vec3 axis = {0, 0, 1};
    const double truth = brute_depth(&s->a, &s->pose_a, &s->b, &s->pose_b, &axis);
    const double size = s->a.size + s->b.size + v3_length(s->pose_a.t) + v3_length(s->pose_b.t);
    const BerthContactResult result = ask(s->world, &s->pose_a, &s->pose_b);
    const double tolerance = 1e-9 * size;
    bool good = result.unknown_pairs == 0 || fabs(truth) <= slack * size;
    if (truth > slack * size) {
        good = good && result.verdict == BERTH_HIT && fabs(deepest(&result) - truth) <= tolerance;
        ++*hits;
    } else if (truth < -slack * size) {
        good = good && result.verdict == BERTH_FREE;
        ++*frees;
    }
    for (int32_t i = 0; i < result.contact_count && good; ++i) {
        // Moving them apart along the normal by the depth is enough.
        const double along = brute_along(&s->a, &s->pose_a, &s->b, &s->pose_b, result.contacts[i].normal);
        good = along <= fmax(truth, 0.0) + tolerance;
    }
    if (!good) {
        explain(s, way, truth, &result);
    }
    assert_true(good);
    contacts_are_on_their_features(s, &result, 1e-8 * size);
}

static void depth_is_the_least_of_all_axes(void** state) {
    (void)state;
    Random random = {20261116};
    long hits = 0, frees = 0;
    const int pairs = test_scaled(60), rounds = 700;
    for (int i = 0; i < pairs; ++i) {
        Scene s = {.pose_a = pose_identity(), .pose_b = pose_identity()};
        const int kind_a = (int)(bi_random_next(&random) % BODY_KINDS), kind_b = i % BODY_KINDS;
        brute_body(kind_a, i % 5 == 0 ? 0.01 : 1.0, &random, &s.a);
        brute_body(kind_b, i % 7 == 0 ? 0.1 : 1.0, &random, &s.b);
        s.world = world_of(&s.a, &s.b, i % 6 - 1, BERTH_CONTACT_MANIFOLD, i % 2 ? 4 : 0);
        for (int k = 0; k < rounds; ++k) {
            const int way = k % BRUTE_WAYS;
            s.pose_a = pose_identity();
            s.pose_b = brute_meet(&s.a, &s.b, way, &random);
            if (k % 3 == 0) {
                // Anywhere in the world.
                const Pose moved = bi_pose_from_unit_quat(bi_random_quat(&random), v3(3.0, -2.0, 1.0));
                s.pose_b = pose_mul(&moved, &s.pose_b);
                s.pose_a = moved;
            }
            berth_contact_forget(s.world);
            look_at(&s, way, 1e-13, &hits, &frees);
        }
        berth_contact_destroy(s.world);
    }
    print_message("%ld overlapping, %ld apart\n", hits, frees);
    assert_true(hits > 0 && frees > 0);
}

int test_contact_pairs(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_the_least_of_all_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
