// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Contact worlds: known contacts of round bodies and half-spaces, forces that are equal and opposite and never pull,
// bodies at rest, bounces that keep their energy, unions of pieces, followers, limits that are told.
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
#include "support/kit.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

static BerthContactWorld* new_world(const BerthContactDef* def) {
    BerthContactWorld* world = NULL;
    assert_int_equal(berth_contact_create(def, &world), BERTH_OK);
    return world;
}

static int32_t add(BerthContactWorld* world, BerthShape shape, BerthPose pose, BerthBodyMotion motion) {
    const BerthContactPiece piece = {shape, pose_identity()};
    BerthContactBodyDef def = berth_default_contact_body_def();
    def.pieces = &piece;
    def.piece_count = 1;
    def.world_from_body = pose;
    def.motion = motion;
    def.mass = 1.0;
    int32_t index = -1;
    assert_int_equal(berth_contact_add_body(world, &def, &index), BERTH_OK);
    return index;
}

static BerthContactResult cycle(BerthContactWorld* world) {
    BerthContactResult result;
    assert_int_equal(berth_contact_cycle(world, &result), BERTH_OK);
    return result;
}

static BerthPose pose_of(const BerthContactWorld* world, int32_t body) {
    BerthContactBody b;
    assert_int_equal(berth_contact_body(world, body, &b), BERTH_OK);
    return b.world_from_body;
}

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))
#define NEAR_VEC(a, b, tolerance) assert_true(v3_distance((a), (b)) <= (tolerance))

// ---- known answers -----------------------------------------------------------------------------------------------

static BerthContact only_contact(BerthShape a, BerthPose pose_a, BerthShape b, BerthPose pose_b) {
    const BerthContactDef def = berth_default_contact_def();
    BerthContactWorld* world = new_world(&def);
    add(world, a, pose_a, BERTH_BODY_DRIVEN);
    add(world, b, pose_b, BERTH_BODY_DRIVEN);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    const BerthContactResult result = cycle(world);
    assert_int_equal(result.contact_count, 1);
    const BerthContact contact = result.contacts[0];
    berth_contact_destroy(world);
    return contact;
}

static void a_sphere_touches_vertex_edge_and_face(void** state) {
    (void)state;
    const BerthShape box = kit_box(2, 2, 2), ball = kit_ball(0.5);
    BerthContact c = only_contact(box, kit_at(0, 0, 0), ball, kit_at(0.2, 0.3, 1.4));
    assert_int_equal(c.feature_a.kind, BERTH_FEATURE_FACE);
    NEAR(c.depth, 0.1, 1e-15);
    NEAR_VEC(c.normal, v3(0, 0, 1), 1e-15);
    NEAR_VEC(c.point, v3(0.2, 0.3, 0.95), 1e-15);
    c = only_contact(ball, kit_at(1.3, 0.3, 1.3), box, kit_at(0, 0, 0));
    assert_int_equal(c.feature_b.kind, BERTH_FEATURE_EDGE);
    NEAR(c.depth, 0.5 - sqrt(0.18), 1e-15);
    NEAR_VEC(c.normal, v3(-sqrt(0.5), 0, -sqrt(0.5)), 1e-15);
    c = only_contact(box, kit_at(0, 0, 0), ball, kit_at(1.2, 1.2, 1.2));
    assert_int_equal(c.feature_a.kind, BERTH_FEATURE_VERTEX);
    NEAR(c.depth, 0.5 - sqrt(0.12), 1e-15);
    // Wholly inside, nearest to +y.
    c = only_contact(box, kit_at(0, 0, 0), ball, kit_at(0.1, 0.3, 0.0));
    assert_int_equal(c.feature_a.kind, BERTH_FEATURE_FACE);
    NEAR(c.depth, 0.7 + 0.5, 1e-15);
    NEAR_VEC(c.normal, v3(0, 1, 0), 1e-15);
    // Two spheres, a sphere on a half-space.
    c = only_contact(ball, kit_at(0, 0, 0), ball, kit_at(0.9, 0, 0));
    NEAR(c.depth, 0.1, 1e-12);
    NEAR_VEC(c.normal, v3(1, 0, 0), 1e-12);
    c = only_contact(kit_plane(v3(0, 0, 1), 0.2), kit_at(0, 0, 0), ball, kit_at(3, 4, 0.6));
    NEAR(c.depth, 0.1, 1e-15);
    NEAR_VEC(c.normal, v3(0, 0, 1), 1e-15);
    NEAR_VEC(c.point, v3(3, 4, 0.15), 1e-15);
}

// Random spheres against random polyhedra: depth as the shape room has it, normals that part them.
static void spheres_agree_with_gaps(void** state) {
    (void)state;
    Random random = {8};
    long touched = 0;
    for (int i = 0; i < test_scaled(200); ++i) {
        BruteBody body;
        brute_body(i % BODY_KINDS, 1.0, &random, &body);
        BerthContactDef def = berth_default_contact_def();
        BerthContactLab lab = berth_default_contact_lab();
        def.lab = &lab;
        lab.levels = i % 5 - 1;
        BerthContactWorld* world = new_world(&def);
        brute_add(world, &body, -2, BERTH_BODY_DRIVEN);
        const double radius = bi_random_between(&random, 0.01, 0.5);
        add(world, kit_ball(radius), kit_at(0, 0, 0), BERTH_BODY_DRIVEN);
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        BerthHull* hull = NULL;
        BerthShape shape;
        assert_int_equal(berth_hull_create(body.corner, body.corner_count, NULL, &hull), BERTH_OK);
        assert_int_equal(berth_shape_hull(hull, &shape), BERTH_OK);
        const BerthShape ball = kit_ball(radius);
        for (int k = 0; k < 100; ++k) {
            const Pose at = test_pose(&random, 1.0), here = test_pose(&random, 0.2);
            const BerthGap gap = berth_shape_gap(&shape, &here, &ball, &at);
            assert_int_equal(berth_contact_move(world, 0, &here, NULL, NULL), BERTH_OK);
            assert_int_equal(berth_contact_move(world, 1, &at, NULL, NULL), BERTH_OK);
            const BerthContactResult r = cycle(world);
            assert_int_equal(r.unknown_pairs, 0);
            if (gap.lower > 1e-9) {
                assert_int_equal(r.verdict, BERTH_FREE);
            } else if (gap.upper < -1e-9) {
                ++touched;
                assert_int_equal(r.contact_count, 1);
                NEAR(r.contacts[0].depth, -gap.upper, 1e-7);
            }
        }
        berth_hull_destroy(hull);
        berth_contact_destroy(world);
    }
    assert_true(touched > 0);
}

// A capsule lying on a box touches at both ends, one standing on its end at one, one across an edge in between.
static void capsules_touch_where_they_should(void** state) {
    (void)state;
    const BerthContactDef def = berth_default_contact_def();
    BerthShape capsule;
    assert_int_equal(berth_shape_capsule(0.1, 0.6, &capsule), BERTH_OK);
    BerthContactWorld* world = new_world(&def);
    add(world, kit_box(2, 2, 2), kit_at(0, 0, 0), BERTH_BODY_FIXED);
    add(world, capsule, kit_at(0, 0, 0), BERTH_BODY_DRIVEN);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    const Pose lying = {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1.09}};
    assert_int_equal(berth_contact_move(world, 1, &lying, NULL, NULL), BERTH_OK);
    BerthContactResult r = cycle(world);
    assert_true(r.contact_count >= 2);
    double low = 1.0, high = -1.0;
    for (int32_t i = 0; i < r.contact_count; ++i) {
        NEAR(r.contacts[i].depth, 0.01, 1e-9);
        NEAR_VEC(r.contacts[i].normal, v3(0, 0, 1), 1e-9);
        low = fmin(low, r.contacts[i].point.x);
        high = fmax(high, r.contacts[i].point.x);
    }
    NEAR(low, -0.3, 1e-9);
    NEAR(high, 0.3, 1e-9);
    const Pose standing = kit_at(0, 0, 1.39);
    assert_int_equal(berth_contact_move(world, 1, &standing, NULL, NULL), BERTH_OK);
    r = cycle(world);
    assert_int_equal(r.contact_count, 1);
    NEAR(r.contacts[0].depth, 0.01, 1e-9);
    berth_contact_destroy(world);
}

// Crossed planks have no vertex on each other: the corners of where they lie on each other are edge pairs.
static void crossed_planks_have_four_contacts(void** state) {
    (void)state;
    const BerthContactDef def = berth_default_contact_def();
    BerthContactWorld* world = new_world(&def);
    add(world, kit_box(2, 0.2, 0.1), kit_at(0, 0, 0), BERTH_BODY_FIXED);
    add(world, kit_box(0.2, 2, 0.1), kit_at(0, 0, 0.099), BERTH_BODY_DRIVEN);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    const BerthContactResult r = cycle(world);
    assert_int_equal(r.contact_count, 4);
    for (int32_t i = 0; i < 4; ++i) {
        assert_int_equal(r.contacts[i].feature_a.kind, BERTH_FEATURE_EDGE);
        assert_int_equal(r.contacts[i].feature_b.kind, BERTH_FEATURE_EDGE);
        NEAR(r.contacts[i].depth, 0.001, 1e-15);
        NEAR(fabs(r.contacts[i].point.x), 0.1, 1e-12);
        NEAR(fabs(r.contacts[i].point.y), 0.1, 1e-12);
    }
    berth_contact_destroy(world);
}

// ---- forces ------------------------------------------------------------------------------------------------------

static void forces_are_opposite_and_never_pull(void** state) {
    (void)state;
    Random random = {9};
    long contacts = 0;
    for (int i = 0; i < test_scaled(60); ++i) {
        BerthContactDef def = berth_default_contact_def();
        def.method = i % 2 ? BERTH_CONTACT_ELEMENTAL : BERTH_CONTACT_MANIFOLD;
        def.coulomb = i % 3 != 0;
        BerthContactWorld* world = new_world(&def);
        for (int k = 0; k < 6; ++k) {
            BruteBody body;
            brute_body((i + k) % BODY_KINDS, 1.0, &random, &body);
            brute_add(world, &body, -2, BERTH_BODY_FREE);
        }
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        for (int round = 0; round < 40; ++round) {
            for (int32_t k = 0; k < 6; ++k) {
                const Pose pose = test_pose(&random, 1.0);
                const Vec3 v = test_pose(&random, 1.0).t, w = test_pose(&random, 1.0).t;
                assert_int_equal(berth_contact_move(world, k, &pose, &v, &w), BERTH_OK);
            }
            const BerthContactResult r = cycle(world);
            Vec3 force = {0, 0, 0}, moment = {0, 0, 0};
            double size = 0.0;
            for (int32_t k = 0; k < r.wrench_count; ++k) {
                BerthContactBody body;
                assert_int_equal(berth_contact_body(world, k, &body), BERTH_OK);
                const Vec3 centre = pose_apply(&body.world_from_body, body.centroid);
                force = v3_add(force, r.wrenches[k].force);
                moment = v3_add(moment, v3_add(r.wrenches[k].moment, v3_cross(centre, r.wrenches[k].force)));
                size += v3_length(r.wrenches[k].force);
            }
            assert_true(v3_length(force) <= 1e-13 * size && v3_length(moment) <= 1e-12 * size);
            for (int32_t k = 0; k < r.contact_count; ++k) {
                const BerthContact* c = &r.contacts[k];
                const double along = v3_dot(c->force, c->normal);
                const double side = v3_length(v3_mad(c->force, -along, c->normal));
                assert_true(along <= 1e-12 * v3_length(c->force));
                assert_true(!def.coulomb || side <= -def.material.friction * along + 1e-9 * (1.0 - along));
                assert_true(c->body_a < c->body_b);
                ++contacts;
            }
        }
        berth_contact_destroy(world);
    }
    assert_true(contacts > 0);
}

// ---- motion ------------------------------------------------------------------------------------------------------

// The box sinks to where its springs carry it, then nothing changes: no drift, the same four features, growing ages.
static void a_box_rests_without_drift_or_flicker(void** state) {
    (void)state;
    const BerthContactDef def = berth_default_contact_def();
    BerthContactWorld* world = new_world(&def);
    add(world, kit_box(2, 2, 0.1), kit_at(0, 0, -0.05), BERTH_BODY_FIXED);
    const int32_t box = add(world, kit_box(0.2, 0.3, 0.1), kit_at(0.1, 0.2, 0.052), BERTH_BODY_FREE);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    BerthContactResult r;
    for (int i = 0; i < 5000; ++i) {
        assert_int_equal(berth_contact_step(world, 1e-3, &r), BERTH_OK);
    }
    const Pose settled = pose_of(world, box);
    BerthContact first[4];
    assert_int_equal(r.contact_count, 4);
    for (int k = 0; k < 4; ++k) {
        first[k] = r.contacts[k];
        NEAR(first[k].depth, 9.81 / (def.material.foundation * 0.2 * 0.3), 1e-9);
    }
    const int steps = test_scaled(5000);  // a million at scale 200
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(berth_contact_step(world, 1e-3, &r), BERTH_OK);
        assert_int_equal(r.contact_count, 4);
        for (int k = 0; k < 4; ++k) {
            assert_int_equal(r.contacts[k].feature_a.index, first[k].feature_a.index);
            assert_int_equal(r.contacts[k].feature_b.index, first[k].feature_b.index);
            assert_true(r.contacts[k].age > first[k].age + i);
        }
    }
    const Pose end = pose_of(world, box);
    NEAR_VEC(end.t, settled.t, 1e-12);
    NEAR_VEC(end.x, settled.x, 1e-12);
    NEAR_VEC(end.y, settled.y, 1e-12);
    berth_contact_destroy(world);
}

static void a_stack_of_boxes_stands(void** state) {
    (void)state;
    BerthContactDef def = berth_default_contact_def();
    def.material = (BerthMaterial){2e4, 100.0, 40.0, 0.6, 0.0};
    BerthContactWorld* world = new_world(&def);
    add(world, kit_plane(v3(0, 0, 1), 0.0), kit_at(0, 0, 0), BERTH_BODY_FIXED);
    for (int i = 0; i < 5; ++i) {
        add(world, kit_box(0.2, 0.2, 0.1), kit_at(0, 0, 0.05 + 0.101 * i), BERTH_BODY_FREE);
    }
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    BerthContactResult r;
    for (int i = 0; i < test_scaled(5000); ++i) {
        assert_int_equal(berth_contact_step(world, 5e-4, &r), BERTH_OK);
    }
    for (int i = 0; i < 5; ++i) {
        BerthContactBody body;
        assert_int_equal(berth_contact_body(world, i + 1, &body), BERTH_OK);
        NEAR(body.world_from_body.t.z, 0.05 + 0.1 * i, 0.002);
        NEAR(body.world_from_body.t.x, 0.0, 1e-6);
        assert_true(body.world_from_body.z.z > 0.9999);
    }
    berth_contact_destroy(world);
}

static double energy_of(const BerthContactWorld* world, const BerthContactResult* r, int32_t body,
                        double stiffness) {
    BerthContactBody b;
    assert_int_equal(berth_contact_body(world, body, &b), BERTH_OK);
    double springs = 0.0;
    for (int32_t i = 0; i < r->contact_count; ++i) {
        springs += 0.5 * stiffness * r->contacts[i].depth * r->contacts[i].depth;
    }
    return b.energy + springs;
}

// Without damping a bouncing, tumbling box keeps its energy but for the integrator, and does not gain from bounce to
// bounce: halving the step at least halves the worst error.
static void bounces_keep_their_energy(void** state) {
    (void)state;
    for (int which = 0; which < 3; ++which) {
        double worst[2] = {0.0, 0.0};
        for (int fine = 0; fine < 2; ++fine) {
            BerthContactDef def = berth_default_contact_def();
            def.material = (BerthMaterial){5e3, 0.0, 0.0, 0.0, 0.0};
            def.method = BERTH_CONTACT_MANIFOLD;
            BerthContactWorld* world = new_world(&def);
            add(world, kit_plane(v3(0, 0, 1), 0.0), kit_at(0, 0, 0), BERTH_BODY_FIXED);
            Pose pose = kit_at(0, 0, 0.6);
            if (which == 1) {
                pose = bi_pose_axis_angle(v3_unit_or(v3(1, 2, 0.5), v3(1, 0, 0)), 0.4, pose.t);
            }
            const int32_t box =
                add(world, which == 2 ? kit_ball(0.1) : kit_box(0.3, 0.2, 0.1), pose, BERTH_BODY_FREE);
            assert_int_equal(berth_contact_commit(world), BERTH_OK);
            const double dt = fine ? 5e-5 : 1e-4;
            BerthContactResult r = cycle(world);
            const double before = energy_of(world, &r, box, def.material.stiffness);
            for (int i = 0; i < (int)(3.0 / dt); ++i) {
                assert_int_equal(berth_contact_step(world, dt, &r), BERTH_OK);
                if (i % 16 == 0) {
                    // Springs of where it is now, not of where the step began.
                    const BerthContactResult now = cycle(world);
                    worst[fine] =
                        fmax(worst[fine], energy_of(world, &now, box, def.material.stiffness) / before - 1.0);
                }
            }
            berth_contact_destroy(world);
        }
        print_message("body %d: gains at most %.3g of its energy, with half the step %.3g\n", which, worst[0],
                      worst[1]);
        assert_true(worst[0] < 0.02 && worst[1] < 0.012);
    }
}

// A free body that touches nothing keeps its angular momentum exactly and its energy nearly, however it tumbles.
static void tumbling_keeps_energy(void** state) {
    (void)state;
    BerthContactDef def = berth_default_contact_def();
    def.gravity = v3(0, 0, 0);
    BerthContactWorld* world = new_world(&def);
    const int32_t box = add(world, kit_box(0.3, 0.2, 0.1), kit_at(0, 0, 0), BERTH_BODY_FREE);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    const Vec3 spin = v3(0.1, 5.0, 0.2);  // about the middle axis: unstable
    const Pose here = kit_at(0, 0, 0);
    assert_int_equal(berth_contact_move(world, box, &here, NULL, &spin), BERTH_OK);
    BerthContactBody before, after;
    BerthContactResult r;
    assert_int_equal(berth_contact_body(world, box, &before), BERTH_OK);
    for (int i = 0; i < 20000; ++i) {
        assert_int_equal(berth_contact_step(world, 1e-3, &r), BERTH_OK);
    }
    assert_int_equal(berth_contact_body(world, box, &after), BERTH_OK);
    NEAR(after.energy / before.energy, 1.0, 1e-3);
    // 1/12 m (y2 + z2) of its sides.
    NEAR(before.energy,
         0.5 / 12.0 *
             (0.01 * (0.2 * 0.2 + 0.1 * 0.1) + 25.0 * (0.3 * 0.3 + 0.1 * 0.1) +
              0.04 * (0.3 * 0.3 + 0.2 * 0.2)),
         1e-12);
    berth_contact_destroy(world);
}

// ---- unions --------------------------------------------------------------------------------------------------------

// A floor of four blocks side by side: a box that slides over the seams is never pushed sideways.
static void seams_between_pieces_are_not_felt(void** state) {
    (void)state;
    const BerthContactDef def = berth_default_contact_def();
    BerthContactWorld* world = new_world(&def);
    BerthContactPiece blocks[4];
    for (int i = 0; i < 4; ++i) {
        blocks[i] = (BerthContactPiece){kit_box(0.5, 0.5, 0.2), kit_at(0.5 * i, 0, 0)};
    }
    BerthContactBodyDef floor = berth_default_contact_body_def();
    floor.pieces = blocks;
    floor.piece_count = 4;
    assert_int_equal(berth_contact_add_body(world, &floor, NULL), BERTH_OK);
    const int32_t box = add(world, kit_box(0.1, 0.1, 0.1), kit_at(0, 0, 0.149), BERTH_BODY_DRIVEN);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    for (int i = 0; i < 1500; ++i) {
        for (int deep = 0; deep < 3; ++deep) {
            const Pose pose = kit_at(0.001 * i, 0.01, deep == 0 ? 0.1499 : deep == 1 ? 0.13 : 0.07);
            assert_int_equal(berth_contact_move(world, box, &pose, NULL, NULL), BERTH_OK);
            const BerthContactResult r = cycle(world);
            assert_true(r.contact_count >= 4);
            for (int32_t k = 0; k < r.contact_count; ++k) {
                if (fabs(r.contacts[k].normal.x) > 1e-9) {
                    printf("at %g deep %d: normal (%g, %g, %g) depth %g\n", 0.001 * i, deep,
                           r.contacts[k].normal.x, r.contacts[k].normal.y, r.contacts[k].normal.z,
                           r.contacts[k].depth);
                }
                assert_true(fabs(r.contacts[k].normal.x) <= 1e-9);
            }
        }
    }
    berth_contact_destroy(world);
}

// A wall on a floor: a box 2 cm in the wall lies on the floor only where the wall does not stand.
static void covered_surfaces_are_not_touched(void** state) {
    (void)state;
    BerthContactDef def = berth_default_contact_def();
    def.method = BERTH_CONTACT_MANIFOLD;
    def.pieces = 1;  // beyond the budget: pieces as they are given
    BerthContactWorld* world = new_world(&def);
    const BerthContactPiece pieces[2] = {{kit_box(2, 2, 0.2), kit_at(0, 0, -0.1)},
                                         {kit_box(0.4, 2, 1), kit_at(0.8, 0, 0.5)}};
    BerthContactBodyDef room = berth_default_contact_body_def();
    room.pieces = pieces;
    room.piece_count = 2;
    assert_int_equal(berth_contact_add_body(world, &room, NULL), BERTH_OK);
    const int32_t box = add(world, kit_box(0.2, 0.2, 0.2), kit_at(0, 0, 0), BERTH_BODY_DRIVEN);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    const Pose in_wall = kit_at(0.52, 0, 0.0999);
    assert_int_equal(berth_contact_move(world, box, &in_wall, NULL, NULL), BERTH_OK);
    const BerthContactResult r = cycle(world);
    int floor = 0, wall = 0;
    for (int32_t i = 0; i < r.contact_count; ++i) {
        const BerthContact* c = &r.contacts[i];
        if (c->piece_a == 0) {
            assert_true(c->point.x <= 0.6 + 1e-3);
            NEAR_VEC(c->normal, v3(0, 0, 1), 1e-9);
            ++floor;
        } else {
            NEAR_VEC(c->normal, v3(-1, 0, 0), 1e-9);
            ++wall;
        }
    }
    assert_true(floor == 2 && wall == 4);
    // In the corner without being deep, both push every corner they touch.
    const Pose corner = kit_at(0.5001, 0, 0.0999);
    assert_int_equal(berth_contact_move(world, box, &corner, NULL, NULL), BERTH_OK);
    const BerthContactResult shallow = cycle(world);
    floor = 0;
    for (int32_t i = 0; i < shallow.contact_count; ++i) {
        floor += shallow.contacts[i].piece_a == 0;
    }
    assert_int_equal(floor, 4);
    berth_contact_destroy(world);
}

// ---- followers -----------------------------------------------------------------------------------------------------

static void a_follower_stops_slides_and_does_not_jump_through(void** state) {
    (void)state;
    const BerthContactDef def = berth_default_contact_def();
    BerthContactWorld* world = new_world(&def);
    add(world, kit_box(4, 4, 0.002), kit_at(0, 0, 0), BERTH_BODY_FIXED);  // a thin sheet
    add(world, kit_box(0.1, 4, 4), kit_at(1, 0, 0), BERTH_BODY_FIXED);    // a wall
    const int32_t hand = add(world, kit_box(0.2, 0.2, 0.2), kit_at(0, 0, 0.5), BERTH_BODY_DRIVEN);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    BerthFollow follow;
    // Far below the sheet: it stops on it.
    Pose target = kit_at(0, 0, -3);
    assert_int_equal(berth_contact_follow(world, hand, &target, &follow), BERTH_OK);
    assert_true(follow.blocked && follow.depth <= 1e-6);
    NEAR(follow.world_from_body.t.z, 0.101, 2e-6);
    // Into the corner: it slides along the sheet to the wall.
    target = kit_at(3, 0.5, -3);
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(berth_contact_follow(world, hand, &target, &follow), BERTH_OK);
        assert_true(follow.depth <= 1e-6);
    }
    NEAR(follow.world_from_body.t.x, 0.85, 1e-3);
    NEAR(follow.world_from_body.t.z, 0.101, 1e-5);
    // Free again, turned.
    target = bi_pose_axis_angle(v3(0, 0, 1), 0.7, v3(-0.5, 0, 0.8));
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(berth_contact_follow(world, hand, &target, &follow), BERTH_OK);
    }
    assert_false(follow.blocked);
    NEAR(follow.lag, 0.0, 1e-12);
    NEAR_VEC(follow.world_from_body.x, target.x, 1e-12);
    berth_contact_destroy(world);
}

// Random targets among random bodies: never deeper than allowed, never on the other side of what encloses it.
static void a_follower_is_never_inside_anything(void** state) {
    (void)state;
    Random random = {12};
    long blocked = 0;
    for (int i = 0; i < test_scaled(20); ++i) {
        const BerthContactDef def = berth_default_contact_def();
        BerthContactWorld* world = new_world(&def);
        BruteBody bodies[5];
        Pose poses[5];
        for (int k = 0; k < 5; ++k) {
            brute_body((int)(bi_random_next(&random) % BODY_KINDS), 0.5, &random, &bodies[k]);
            brute_add(world, &bodies[k], -2, k == 0 ? BERTH_BODY_DRIVEN : BERTH_BODY_FIXED);
            poses[k] = test_pose(&random, 1.0);
            poses[k].t = v3_scale(v3_unit_or(poses[k].t, v3(1, 0, 0)), k == 0 ? 0.0 : 1.2);
        }
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        for (int32_t k = 0; k < 5; ++k) {
            assert_int_equal(berth_contact_move(world, k, &poses[k], NULL, NULL), BERTH_OK);
        }
        if (cycle(world).contact_count > 0) {
            berth_contact_destroy(world);
            continue;
        }
        for (int round = 0; round < 60; ++round) {
            const Pose target = test_pose(&random, 2.0);
            BerthFollow follow;
            assert_int_equal(berth_contact_follow(world, 0, &target, &follow), BERTH_OK);
            blocked += follow.blocked;
            for (int k = 1; k < 5; ++k) {
                Vec3 axis = {0, 0, 1};
                const double depth =
                    brute_depth(&bodies[0], &follow.world_from_body, &bodies[k], &poses[k], &axis);
                if (depth >= 2e-6) {
                    printf("world %d, round %d: %g m in body %d, told %g, %d steps\n", i, round, depth, k,
                           follow.depth, (int)follow.steps);
                }
                assert_true(depth < 2e-6);
            }
        }
        berth_contact_destroy(world);
    }
    assert_true(blocked > 0);
}

// ---- limits ----------------------------------------------------------------------------------------------------------

static void too_many_contacts_are_told(void** state) {
    (void)state;
    BerthContactDef def = berth_default_contact_def();
    def.capacity = 3;
    BerthContactWorld* world = new_world(&def);
    add(world, kit_box(2, 2, 0.1), kit_at(0, 0, -0.05), BERTH_BODY_FIXED);
    add(world, kit_box(0.2, 0.2, 0.2), kit_at(0, 0, 0.099), BERTH_BODY_DRIVEN);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    BerthContactResult r;
    assert_int_equal(berth_contact_cycle(world, &r), BERTH_ERR_CAPACITY);
    assert_int_equal(r.contact_count, 3);
    assert_int_equal(r.lost_count, 1);
    assert_int_equal(r.verdict, BERTH_COLLISION);
    berth_contact_destroy(world);
}

static BerthStatus build(const BerthAllocator* allocator, BerthContactWorld** out) {
    BerthContactDef def = berth_default_contact_def();
    def.allocator = *allocator;
    BerthStatus status = berth_contact_create(&def, out);
    BerthShape shapes[3] = {kit_box(1, 1, 1), kit_ball(0.3), kit_cylinder(0.3, 0.6)};
    for (int i = 0; i < 3 && status == BERTH_OK; ++i) {
        const BerthContactPiece pieces[2] = {{shapes[i], kit_at(0.1 * i, 0, 0)},
                                             {kit_box(0.2, 0.2, 2), kit_at(0, 0, 0)}};
        BerthContactBodyDef body = berth_default_contact_body_def();
        body.pieces = pieces;
        body.piece_count = 2;
        body.motion = BERTH_BODY_FREE;
        body.mass = 1.0;
        body.name = "body";
        status = berth_contact_add_body(*out, &body, NULL);
    }
    return status == BERTH_OK ? berth_contact_commit(*out) : status;
}

static BerthStatus build_and_step(void* user, const BerthAllocator* allocator) {
    (void)user;
    const TestAllocator* counts = allocator->user;
    BerthContactWorld* world = NULL;
    const BerthStatus status = build(allocator, &world);
    if (status == BERTH_OK) {
        const int64_t taken = counts->taken;
        BerthContactResult r;
        for (int i = 0; i < test_scaled(2000); ++i) {
            assert_int_equal(berth_contact_step(world, 1e-4, &r), BERTH_OK);
        }
        BerthFollow follow;
        const Pose target = kit_at(0.1, 0.2, 0.3);
        assert_int_equal(berth_contact_follow(world, 0, &target, &follow), BERTH_OK);
        assert_int_equal(counts->taken, taken);
    }
    berth_contact_destroy(world);
    return status;
}

static void memory_is_taken_before_cycles_and_failure_is_told(void** state) {
    (void)state;
    assert_true(starve(build_and_step, NULL) > 0);
}

static void wrong_requests_are_refused(void** state) {
    (void)state;
    BerthContactDef def = berth_default_contact_def();
    BerthContactLab lab = berth_default_contact_lab();
    def.lab = &lab;
    BerthContactWorld* world = NULL;
    lab.levels = 7;
    assert_int_equal(berth_contact_create(&def, &world), BERTH_ERR_ARGUMENT);
    def = berth_default_contact_def();
    lab = berth_default_contact_lab();
    def.lab = &lab;
    def.stamp = 0;
    assert_int_equal(berth_contact_create(&def, &world), BERTH_ERR_ARGUMENT);
    def = berth_default_contact_def();
    lab = berth_default_contact_lab();
    def.lab = &lab;
    def.material.stiffness = NAN;
    assert_int_equal(berth_contact_create(&def, &world), BERTH_ERR_ARGUMENT);
    def = berth_default_contact_def();
    lab = berth_default_contact_lab();
    def.lab = &lab;
    world = new_world(&def);
    BerthContactBodyDef body = berth_default_contact_body_def();
    assert_int_equal(berth_contact_add_body(world, &body, NULL), BERTH_ERR_ARGUMENT);
    const BerthContactPiece plane = {kit_plane(v3(0, 0, 1), 0), pose_identity()};
    body.pieces = &plane;
    body.piece_count = 1;
    body.motion = BERTH_BODY_FREE;
    assert_int_equal(berth_contact_add_body(world, &body, NULL), BERTH_ERR_ARGUMENT);
    body.mass = 1.0;
    assert_int_equal(berth_contact_add_body(world, &body, NULL), BERTH_ERR_ARGUMENT);
    const int32_t box = add(world, kit_box(1, 1, 1), kit_at(0, 0, 0), BERTH_BODY_DRIVEN);
    BerthContactResult r;
    assert_int_equal(berth_contact_cycle(world, &r), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    Pose bad = kit_at(0, 0, 0);
    bad.t.x = NAN;
    assert_int_equal(berth_contact_move(world, box, &bad, NULL, NULL), BERTH_ERR_ARGUMENT);
    bad = kit_at(0, 0, 0);
    bad.x = v3(2, 0, 0);
    assert_int_equal(berth_contact_move(world, box, &bad, NULL, NULL), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_move(world, 5, &bad, NULL, NULL), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_step(world, 0.0, &r), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_step(world, NAN, &r), BERTH_ERR_ARGUMENT);
    assert_int_equal(cycle(world).verdict, BERTH_FREE);
    berth_contact_destroy(world);
    berth_contact_destroy(NULL);
}

// ---- rules of pairs ----------------------------------------------------------------------------------------------

/// Three balls, each 0.1 m deep in both others, and rules between them.
static BerthContactWorld* world_of_three_balls(void) {
    const BerthContactDef def = berth_default_contact_def();
    BerthContactWorld* world = new_world(&def);
    const BerthShape ball = kit_ball(1.0);
    add(world, ball, kit_at(0, 0, 0), BERTH_BODY_DRIVEN);
    add(world, ball, kit_at(1.9, 0, 0), BERTH_BODY_DRIVEN);
    add(world, ball, kit_at(0.95, 0.95 * sqrt(3.0), 0), BERTH_BODY_DRIVEN);
    return world;
}

// The one contact of two bodies, or null.
static const BerthContact* contact_of(const BerthContactResult* r, int32_t a, int32_t b) {
    const BerthContact* found = NULL;
    for (int32_t i = 0; i < r->contact_count; ++i) {
        if (r->contacts[i].body_a == a && r->contacts[i].body_b == b) {
            assert_null(found);
            found = &r->contacts[i];
        }
    }
    return found;
}

// An ignored pair has no contact, whichever of the two is named first and however often; the others keep theirs.
static void ignored_pairs_are_not_compared(void** state) {
    (void)state;
    for (int32_t left_out = -1; left_out < 3; ++left_out) {
        BerthContactWorld* world = world_of_three_balls();
        const int32_t a = left_out, b = (left_out + 1) % 3;
        if (left_out >= 0) {
            assert_int_equal(berth_contact_ignore(world, a, b), BERTH_OK);
            assert_int_equal(berth_contact_ignore(world, b, a), BERTH_OK);
        }
        assert_int_equal(berth_contact_commit(world), BERTH_OK);

        const BerthContactResult r = cycle(world);
        assert_int_equal(r.contact_count, left_out >= 0 ? 2 : 3);
        for (int32_t i = 0; i < 3; ++i) {
            for (int32_t k = i + 1; k < 3; ++k) {
                const bool is_out = left_out >= 0 && ((i == a && k == b) || (i == b && k == a));
                assert_true((contact_of(&r, i, k) == NULL) == is_out);
            }
        }
        berth_contact_destroy(world);
    }
}

// Springs are linear: a material three times as stiff answers three times as hard, in its pair only.
static void a_pair_answers_by_its_own_material(void** state) {
    (void)state;
    BerthContactWorld* plain = world_of_three_balls();
    assert_int_equal(berth_contact_commit(plain), BERTH_OK);
    const BerthContactResult before = cycle(plain);

    BerthMaterial stiff = berth_default_contact_def().material;
    stiff.stiffness *= 3.0;
    stiff.foundation *= 3.0;
    BerthContactWorld* world = world_of_three_balls();
    assert_int_equal(berth_contact_set_pair_material(world, 2, 0, &stiff), BERTH_OK);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    const BerthContactResult after = cycle(world);

    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t k = i + 1; k < 3; ++k) {
            const BerthContact *was = contact_of(&before, i, k), *is = contact_of(&after, i, k);
            assert_true(was != NULL && is != NULL && v3_length(was->force) > 100.0);
            const double times = i == 0 && k == 2 ? 3.0 : 1.0;
            NEAR_VEC(is->force, v3_scale(was->force, times), 1e-9 * v3_length(was->force));
        }
    }
    berth_contact_destroy(plain);
    berth_contact_destroy(world);
}

static void wrong_rules_are_refused(void** state) {
    (void)state;
    BerthContactWorld* world = world_of_three_balls();
    const BerthMaterial good = berth_default_contact_def().material;
    BerthMaterial bad = good;
    bad.stiffness = -1.0;
    assert_int_equal(berth_contact_ignore(NULL, 0, 1), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_ignore(world, 0, 0), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_ignore(world, 0, 3), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_ignore(world, -1, 1), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_set_pair_material(world, 0, 1, NULL), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_set_pair_material(world, 0, 1, &bad), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_set_pair_material(world, 1, 1, &good), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    assert_int_equal(berth_contact_ignore(world, 0, 1), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_contact_set_pair_material(world, 0, 1, &good), BERTH_ERR_ARGUMENT);
    assert_int_equal(cycle(world).contact_count, 3);
    berth_contact_destroy(world);
}

int test_contact_world(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_touches_vertex_edge_and_face),
        cmocka_unit_test(spheres_agree_with_gaps),
        cmocka_unit_test(capsules_touch_where_they_should),
        cmocka_unit_test(crossed_planks_have_four_contacts),
        cmocka_unit_test(forces_are_opposite_and_never_pull),
        cmocka_unit_test(a_box_rests_without_drift_or_flicker),
        cmocka_unit_test(a_stack_of_boxes_stands),
        cmocka_unit_test(bounces_keep_their_energy),
        cmocka_unit_test(tumbling_keeps_energy),
        cmocka_unit_test(seams_between_pieces_are_not_felt),
        cmocka_unit_test(covered_surfaces_are_not_touched),
        cmocka_unit_test(a_follower_stops_slides_and_does_not_jump_through),
        cmocka_unit_test(a_follower_is_never_inside_anything),
        cmocka_unit_test(too_many_contacts_are_told),
        cmocka_unit_test(memory_is_taken_before_cycles_and_failure_is_told),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(ignored_pairs_are_not_compared),
        cmocka_unit_test(a_pair_answers_by_its_own_material),
        cmocka_unit_test(wrong_rules_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
