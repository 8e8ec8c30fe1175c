// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Contacts of two convex polyhedra against brute force: depth over all axes, elemental contacts over all features, for
// bodies that are stacked, graze, have parallel edges, a corner on an edge, are deep in or inside each other.
// test-share: 0.4

// clang-format off
#include <berth/lab/contact.h>
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
    BerthContactLab lab = berth_default_contact_lab();
    def.lab = &lab;
    lab.levels = levels;
    def.method = method;
    def.points = points;
    lab.homogeneous = levels == 3;
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
        good = good && result.verdict == BERTH_COLLISION && fabs(deepest(&result) - truth) <= tolerance;
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
    const int pairs = test_scaled(60), rounds = 350;
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

// ---- elemental contacts over all features ----------------------------------------------------------------------

typedef struct Counts {
    long vertices, edges, unsure, fallback;
} Counts;

static int nearest_corner(const BruteBody* body, Vec3 corner) {
    int best = 0;
    for (int i = 1; i < body->corner_count; ++i) {
        if (v3_distance(body->corner[i], corner) < v3_distance(body->corner[best], corner)) {
            best = i;
        }
    }
    return best;
}

static Vec3 corner_of(const Scene* s, const BerthContact* c, bool of_a, int k) {
    Vec3 corner[BODY_CORNERS];
    (void)berth_contact_feature(s->world, of_a ? 0 : 1, 0, of_a ? c->feature_a : c->feature_b, corner,
                                BODY_CORNERS);
    return corner[k];
}

static bool has_vertex(const Scene* s, const BerthContactResult* r, bool of_a, int corner) {
    for (int32_t i = 0; i < r->contact_count; ++i) {
        const BerthContact* c = &r->contacts[i];
        const BerthFeature f = of_a ? c->feature_a : c->feature_b;
        if (f.kind == BERTH_FEATURE_VERTEX &&
            nearest_corner(of_a ? &s->a : &s->b, corner_of(s, c, of_a, 0)) == corner) {
            return true;
        }
    }
    return false;
}

static bool has_edges(const Scene* s, const BerthContactResult* r, int edge_a, int edge_b) {
    for (int32_t i = 0; i < r->contact_count; ++i) {
        const BerthContact* c = &r->contacts[i];
        if (c->feature_a.kind != BERTH_FEATURE_EDGE || c->feature_b.kind != BERTH_FEATURE_EDGE) {
            continue;
        }
        const int a0 = nearest_corner(&s->a, corner_of(s, c, true, 0));
        const int a1 = nearest_corner(&s->a, corner_of(s, c, true, 1));
        const int b0 = nearest_corner(&s->b, corner_of(s, c, false, 0));
        const int b1 = nearest_corner(&s->b, corner_of(s, c, false, 1));
        if ((a0 < a1 ? a0 : a1) == s->a.edge[edge_a].a && (a0 < a1 ? a1 : a0) == s->a.edge[edge_a].b &&
            (b0 < b1 ? b0 : b1) == s->b.edge[edge_b].a && (b0 < b1 ? b1 : b0) == s->b.edge[edge_b].b) {
            return true;
        }
    }
    return false;
}

// Corners of one body inside the other must be told, those outside must not. Returns how many there are.
static long compare_vertices(const Scene* s, const BerthContactResult* r, bool of_a, double tolerance,
                             Counts* counts) {
    const BruteBody* p = of_a ? &s->a : &s->b;
    const Pose* pose = of_a ? &s->pose_a : &s->pose_b;
    long inside = 0;
    for (int i = 0; i < p->corner_count; ++i) {
        const double height = brute_height(of_a ? &s->b : &s->a, of_a ? &s->pose_b : &s->pose_a,
                                           pose_apply(pose, p->corner[i]));
        inside += height < -tolerance;
        if (fabs(height) <= tolerance) {
            ++counts->unsure;
        } else if (height < 0.0) {
            ++counts->vertices;
            assert_true(has_vertex(s, r, of_a, i));
        } else {
            assert_false(has_vertex(s, r, of_a, i));
        }
    }
    return inside;
}

typedef enum Crossing { CROSSING_NO, CROSSING_YES, CROSSING_UNSURE } Crossing;

// Do two edges make an elemental contact no deeper than `reach`? Both must be the farthest of their bodies along the
// direction across them: what crossing Gauss arcs mean, without Gauss.
static Crossing edges_cross(const Scene* s, int i, int k, double reach, double tolerance) {
    const Vec3 p = pose_apply(&s->pose_a, s->a.corner[s->a.edge[i].a]),
               p1 = pose_apply(&s->pose_a, s->a.corner[s->a.edge[i].b]);
    const Vec3 q = pose_apply(&s->pose_b, s->b.corner[s->b.edge[k].a]),
               q1 = pose_apply(&s->pose_b, s->b.corner[s->b.edge[k].b]);
    const Vec3 d = v3_sub(p1, p), e = v3_sub(q1, q);
    const double dd = v3_length_sq(d), ee = v3_length_sq(e), de = v3_dot(d, e), whole = dd * ee - de * de;
    if (whole < 1e-6 * dd * ee) {
        return CROSSING_UNSURE;
    }
    Crossing crossing = CROSSING_NO;
    for (int side = 0; side < 2; ++side) {
        const Vec3 n = v3_unit_or(side == 0 ? v3_cross(d, e) : v3_cross(e, d), v3(0, 0, 1));
        const double depth = v3_dot(n, v3_sub(p, q));
        const double along = brute_along(&s->a, &s->pose_a, &s->b, &s->pose_b, n);
        const Vec3 w = v3_sub(q, p);
        const double u = (v3_dot(w, d) * ee - v3_dot(w, e) * de) / whole,
                     v = (v3_dot(w, d) * de - v3_dot(w, e) * dd) / whole;
        if (fabs(depth - along) > tolerance || depth > reach + tolerance || depth < -tolerance || u < -1e-7 ||
            u > 1 + 1e-7 || v < -1e-7 || v > 1 + 1e-7) {
            continue;
        }
        // Another corner as far as the edges: a face is parallel to n, and rounding decides whose arc ends where.
        int on_a = 0, on_b = 0;
        for (int m = 0; m < s->a.corner_count; ++m) {
            on_a += v3_dot(n, v3_sub(pose_apply(&s->pose_a, s->a.corner[m]), p)) > -1e-7 * s->a.size;
        }
        for (int m = 0; m < s->b.corner_count; ++m) {
            on_b += v3_dot(n, v3_sub(pose_apply(&s->pose_b, s->b.corner[m]), q)) < 1e-7 * s->b.size;
        }
        const bool sure = on_a == 2 && on_b == 2 && depth <= reach + 1e-15 * s->a.size && depth > tolerance &&
                          u > 1e-7 && u < 1 - 1e-7 && v > 1e-7 && v < 1 - 1e-7;
        crossing = sure ? CROSSING_YES : CROSSING_UNSURE;
    }
    return crossing;
}

static void compare_features(const Scene* s, const BerthContactResult* r, double truth, Counts* counts) {
    const double size = s->a.size + s->b.size, tolerance = 1e-9 * size;
    bool told = false;
    for (int32_t i = 0; i < r->contact_count; ++i) {
        told = told || r->contacts[i].depth > 0.0;
    }
    long inside = 0, crossed = 0;
    for (int i = 0; i < s->a.edge_count; ++i) {
        for (int k = 0; k < s->b.edge_count; ++k) {
            // Deeper than the least way out by more than rounding is left to the manifold.
            const Crossing crossing = edges_cross(s, i, k, truth, tolerance);
            crossed += crossing == CROSSING_YES || (crossing == CROSSING_UNSURE && has_edges(s, r, i, k));
            if (crossing == CROSSING_UNSURE) {
                ++counts->unsure;
            } else if (crossing == CROSSING_YES) {
                ++counts->edges;
                assert_true(has_edges(s, r, i, k));
            }
        }
    }
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < (side == 0 ? s->a : s->b).corner_count; ++i) {
            const BruteBody* p = side == 0 ? &s->a : &s->b;
            const Vec3 at = pose_apply(side == 0 ? &s->pose_a : &s->pose_b, p->corner[i]);
            inside +=
                brute_height(side == 0 ? &s->b : &s->a, side == 0 ? &s->pose_b : &s->pose_a, at) < tolerance;
        }
    }
    if (inside + crossed == 0) {
        ++counts->fallback;  // nothing elemental: the touching area is told instead
        assert_true(told);
        return;
    }
    (void)compare_vertices(s, r, true, tolerance, counts);
    (void)compare_vertices(s, r, false, tolerance, counts);
}

static void elemental_contacts_are_those_of_all_features(void** state) {
    (void)state;
    Random random = {77};
    Counts counts = {0};
    for (int i = 0; i < test_scaled(24); ++i) {
        Scene s = {.pose_a = pose_identity(), .pose_b = pose_identity()};
        brute_body((int)(bi_random_next(&random) % BODY_KINDS), 1.0, &random, &s.a);
        brute_body(i % BODY_KINDS, 1.0, &random, &s.b);
        s.world = world_of(&s.a, &s.b, i % 6 - 1, BERTH_CONTACT_ELEMENTAL, 0);
        for (int k = 0; k < 250; ++k) {
            s.pose_b = brute_meet(&s.a, &s.b, k % 2 ? 6 : 1, &random);
            Vec3 axis = {0, 0, 1};
            const double truth = brute_depth(&s.a, &s.pose_a, &s.b, &s.pose_b, &axis);
            if (truth > 1e-6) {
                berth_contact_forget(s.world);
                const BerthContactResult result = ask(s.world, &s.pose_a, &s.pose_b);
                assert_int_equal(result.verdict, BERTH_COLLISION);
                compare_features(&s, &result, truth, &counts);
            }
        }
        berth_contact_destroy(s.world);
    }
    print_message("%ld vertices, %ld edge pairs, %ld undecided, %ld without either\n", counts.vertices,
                  counts.edges, counts.unsure, counts.fallback);
    assert_true(counts.vertices > 0 && counts.edges > 0);
}

// ---- memory ------------------------------------------------------------------------------------------------------

// Little steps from place to place: with memory the depth is within what may be kept, and whatever was proven apart is.
static void memory_stays_near_the_truth(void** state) {
    (void)state;
    Random random = {4711};
    long touching = 0;
    for (int i = 0; i < test_scaled(24); ++i) {
        Scene s = {.pose_a = pose_identity(), .pose_b = pose_identity()};
        brute_body((int)(bi_random_next(&random) % BODY_KINDS), 1.0, &random, &s.a);
        brute_body(i % BODY_KINDS, 1.0, &random, &s.b);
        s.world = world_of(&s.a, &s.b, -1, BERTH_CONTACT_MANIFOLD, 4);
        s.pose_b = brute_meet(&s.a, &s.b, i % BRUTE_WAYS, &random);
        const double size = s.a.size + s.b.size, stride = (i % 3 == 0 ? 0.1 : 0.003) * size;
        for (int k = 0; k < 400; ++k) {
            const Vec3 way = v3(bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1),
                                bi_random_between(&random, -1, 1));
            const Pose turn = bi_pose_axis_angle(v3_unit_or(way, v3(1, 0, 0)),
                                                 bi_random_between(&random, 0, stride), v3(0, 0, 0));
            const Vec3 t = v3_mad(s.pose_b.t, stride, way);
            s.pose_b = pose_mul(&turn, &s.pose_b);
            s.pose_b.t = v3_length(t) < 0.7 * size ? t : v3_scale(t, 0.9);
            if (i % 4 == 1) {
                s.pose_b =
                    brute_meet(&s.a, &s.b, k % BRUTE_WAYS, &random);  // what is remembered is of no use
                s.pose_b.t = v3_scale(s.pose_b.t, bi_random_between(&random, 0.8, 1.6));
            }
            Vec3 axis = {0, 0, 1};
            const double truth = brute_depth(&s.a, &s.pose_a, &s.b, &s.pose_b, &axis);
            const BerthContactResult r = ask(s.world, &s.pose_a, &s.pose_b);
            if (truth > 1e-12) {
                ++touching;
                assert_int_equal(r.verdict, BERTH_COLLISION);
                const double keep = BI_CONTACT_KEEP_SHARE * truth + 1.1 * BI_CONTACT_KEEP * size;
                assert_true(deepest(&r) <= truth + keep);
                assert_true(deepest(&r) >= truth - keep);
                for (int32_t c = 0; c < r.contact_count; ++c) {
                    const double along = brute_along(&s.a, &s.pose_a, &s.b, &s.pose_b, r.contacts[c].normal);
                    assert_true(along <= truth + keep);
                }
            } else if (truth < -1e-12) {
                assert_int_equal(r.verdict, BERTH_FREE);
            }
        }
        berth_contact_destroy(s.world);
    }
    print_message("%ld touching\n", touching);
    assert_true(touching > 0);
}

int test_contact_pairs(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_the_least_of_all_axes),
        cmocka_unit_test(elemental_contacts_are_those_of_all_features),
        cmocka_unit_test(memory_stays_near_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
