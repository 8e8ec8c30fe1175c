// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Quick covers, given balls and balls inside. Points of surface and inside are asked in exact arithmetic, by an oracle that
// shares no code with the product; shapes have formulas of their own.
// test-share: 0.5

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <string.h>

#include "cover/cover.h"
#include "oracle/exact.h"
#include "robot/robot.h"
#include "support/covered.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/starve.h"

enum { MOST = 64 };

static QuickCover quick(const CoverPiece* pieces, int32_t count, double protrusion, int32_t most) {
    QuickCover out;
    assert_int_equal(bi_cover_quick(pieces, count, protrusion, most, NULL, &out), BERTH_OK);
    return out;
}

static void free_answer(QuickCover* answer) {
    const BerthAllocator heap = bi_allocator_or_default(NULL);
    bi_give(&heap, answer->balls, (size_t)answer->count, sizeof *answer->balls);
}

// ---- given balls ---------------------------------------------------------------------------------------------

// Of a proof about balls that somebody else found: about a second.
#define CONTAIN_WORK 400000000

static bool never_stop(void* user) {
    (void)user;
    return false;
}

static bool is_sphere(const CoverPiece* piece) {
    return !piece->solid->is_mesh && piece->solid->shape.kind == BERTH_SPHERE;
}

static Ball ball_of(const CoverPiece* piece) {
    return (Ball){piece->body_from_solid.t, piece->solid->shape.as.sphere.radius};
}

static bool is_halfspace(const CoverPiece* piece) {
    return !piece->solid->is_mesh && piece->solid->shape.kind == BERTH_HALFSPACE;
}

// Spheres that are in one ball are done; the others are asked about as solids.
static int32_t leave_out_held(const CoverPiece* pieces, int32_t count, const Ball* balls, int32_t ball_count,
                              CoverPiece* others) {
    int32_t other_count = 0;
    for (int32_t i = 0; i < count; ++i) {
        bool held = solid_is_empty(pieces[i].solid);
        for (int32_t k = 0; k < ball_count && !held && is_sphere(&pieces[i]); ++k) {
            const Ball sphere = ball_of(&pieces[i]);
            held = bi_ball_radius_around_balls(balls[k].centre, &sphere, 1) <= balls[k].radius;
        }
        if (!held) {
            others[other_count++] = pieces[i];
        }
    }
    return other_count;
}

// A ball that holds all corners holds everything, without a skin: balls are convex.
static bool one_holds_all(const CoverBody* body, const Ball* balls, int32_t count) {
    bool found = false;
    for (int32_t i = 0; i < count && !found; ++i) {
        bool holds = true;
        for (int32_t k = 0; k < body->triangle_count && holds; ++k) {
            const double reach = bi_ball_radius_around(balls[i].centre, body->triangles[k].point, 3);
            holds = reach + 2.0 * body->slack <= balls[i].radius * (1.0 - 16.0 * BI_ULP);
        }
        found = holds;
    }
    return found;
}

static BerthStatus prove_given(const CoverPiece* pieces, int32_t count, Ball* balls, int32_t ball_count,
                               const BerthAllocator* from, bool* proven) {
    CoverBody* body = NULL;
    BerthStatus status = bi_cover_body_create(pieces, count, BERTH_METRIC_L2, from, &body);
    if (status == BERTH_ERR_CAPACITY) {
        return BERTH_OK;  // too large to be looked at
    }

    *proven = status == BERTH_OK && one_holds_all(body, balls, ball_count);
    if (status == BERTH_OK && !*proven) {
        CoverProof proof;
        const CoverQuestion question = {
            .leaf = body->diagonal / 4000.0, .work = CONTAIN_WORK, .stop = {never_stop, NULL}};
        status = bi_cover_prove(body, balls, ball_count, &question, &proof);
        *proven = status == BERTH_OK && proof.covered;
    }
    bi_cover_body_destroy(body);
    return status;
}

// Is every point of the pieces in the balls? By the proof that covers are made with, but grown by nothing. False also where a bounded
// amount of work did not prove it: balls that closed meshes touch from inside need a thousandth of their radius to spare.
static BerthStatus prove_contained(const CoverPiece* pieces, int32_t count, const Ball* balls,
                                   int32_t ball_count, const BerthAllocator* allocator, bool* proven) {
    *proven = false;
    for (int32_t i = 0; i < count; ++i) {
        if (is_halfspace(&pieces[i])) {
            return BERTH_OK;
        }
    }

    const BerthAllocator from = bi_allocator_or_default(allocator);
    CoverPiece* others = bi_take(&from, (size_t)count, sizeof *others);
    Ball* copy = bi_take(&from, (size_t)ball_count, sizeof *copy);
    BerthStatus status = others != NULL && copy != NULL ? BERTH_OK : BERTH_ERR_MEMORY;
    if (status == BERTH_OK) {
        memcpy(copy, balls, (size_t)ball_count * sizeof *copy);
        const int32_t other_count = leave_out_held(pieces, count, copy, ball_count, others);
        *proven = other_count == 0;
        if (other_count > 0 && ball_count > 0) {
            status = prove_given(others, other_count, copy, ball_count, &from, proven);
        }
    }

    bi_give(&from, others, (size_t)count, sizeof *others);
    bi_give(&from, copy, (size_t)ball_count, sizeof *copy);
    return status;
}

// ---- points --------------------------------------------------------------------------------------------------

static bool in_a_ball(const Ball* balls, int32_t count, Vec3 p) {
    for (int32_t i = 0; i < count; ++i) {
        if (ball_has(balls[i].centre, balls[i].radius, p)) {
            return true;
        }
    }
    return false;
}

static Vec3 in_box(Vec3 low, Vec3 high, Random* random) {
    return v3(bi_random_between(random, low.x, high.x), bi_random_between(random, low.y, high.y),
              bi_random_between(random, low.z, high.z));
}

static bool in_mesh(const BerthMesh* mesh, Vec3 p) {
    const double at[3] = {p.x, p.y, p.z};
    const int winding =
        exact_point_in_mesh(at, &mesh->vertices[0].x, mesh->triangles, mesh->info.triangle_count);
    return winding != 0 && winding != EXACT_ON_SURFACE;
}

// Points of a mesh, and of its inside when it is closed, that are in no ball.
static int64_t mesh_outside(const CoverPiece* piece, const Ball* balls, int32_t count, int32_t surface,
                            int32_t inside, Random* random) {
    const BerthMesh* mesh = piece->solid->mesh;
    int64_t outside = 0;
    for (int32_t i = 0; i < surface; ++i) {
        Vec3 t[3];
        mesh_triangle(mesh, i % mesh->info.triangle_count, t);
        const Vec3 p = i < 3 * mesh->info.triangle_count ? t[i % 3] : random_on_triangle(t, random);
        outside += in_a_ball(balls, count, pose_apply(&piece->body_from_solid, p)) ? 0 : 1;
    }
    for (int32_t i = 0; i < inside && piece->solid->closed; ++i) {
        const Vec3 p = in_box(piece->solid->low, piece->solid->high, random);
        const bool held = in_a_ball(balls, count, pose_apply(&piece->body_from_solid, p));
        outside += !held && in_mesh(mesh, p) ? 1 : 0;
    }
    return outside;
}

// Is a point in a shape? By formulas, a little inside of it so that rounding does not matter.
static bool in_shape(const BerthShape* shape, Vec3 p) {
    const double tight = 1.0 - 1e-12, across = sqrt(p.x * p.x + p.y * p.y);
    switch (shape->kind) {
    case BERTH_SPHERE:
        return v3_length(p) <= shape->as.sphere.radius * tight;
    case BERTH_CAPSULE: {
        const double beyond = fmax(fabs(p.z) - 0.5 * shape->as.capsule.length, 0.0);
        return sqrt(across * across + beyond * beyond) <= shape->as.capsule.radius * tight;
    }
    case BERTH_BOX:
        return fabs(p.x) <= shape->as.box.half.x * tight && fabs(p.y) <= shape->as.box.half.y * tight &&
               fabs(p.z) <= shape->as.box.half.z * tight;
    case BERTH_CYLINDER:
        return across <= shape->as.cylinder.radius * tight &&
               fabs(p.z) <= 0.5 * shape->as.cylinder.length * tight;
    default: {  // a cone: from the base at -length / 2 to the tip
        const double up = p.z / shape->as.cone.length + 0.5;
        return up >= 0.0 && up <= tight && across <= (1.0 - up) * shape->as.cone.radius * tight;
    }
    }
}

// Half of the points near the faces of the box around it, where covers are thin.
static int64_t shape_outside(const CoverPiece* piece, const Ball* balls, int32_t count, int32_t samples,
                             Random* random) {
    int64_t outside = 0;
    const Vec3 low = piece->solid->low, high = piece->solid->high;
    for (int32_t i = 0; i < samples; ++i) {
        Vec3 p = in_box(low, high, random);
        if (i % 2 == 0) {
            const double near = 1.0 - pow(10.0, bi_random_between(random, -9, -1));
            p.z = (i & 2) != 0 ? high.z * near : low.z * near;
        }
        const bool held = in_a_ball(balls, count, pose_apply(&piece->body_from_solid, p));
        outside += !held && in_shape(&piece->solid->shape, p) ? 1 : 0;
    }
    return outside;
}

// ---- quick covers --------------------------------------------------------------------------------------------

static Pose some_pose(Random* random) {
    const BerthPose pose = test_pose(random, 0.5);
    return pose;
}

static void meshes_are_covered(void** state) {
    (void)state;
    Random random = {31};
    static const int32_t budgets[] = {1, 3, 12, 40};
    for (int32_t kind = 0; kind < TEST_MESH_KIND_COUNT; ++kind) {
        for (int32_t b = 0; b < (test_scaled(4) < 4 ? 2 : 4); ++b) {
            BerthSolid* solid = test_solid((TestMeshKind)kind, 60 + 300 * b, 0.3, &random);
            const CoverPiece piece = {solid, some_pose(&random)};
            QuickCover answer = quick(&piece, 1, 0.01, budgets[b]);
            assert_true(answer.count >= 1 && answer.count <= budgets[b]);
            assert_int_equal(mesh_outside(&piece, answer.balls, answer.count, 3000, 150, &random), 0);

            bool proven = false;
            assert_int_equal(prove_contained(&piece, 1, answer.balls, answer.count, NULL, &proven), BERTH_OK);
            assert_true(proven);
            free_answer(&answer);
            berth_solid_destroy(solid);
        }
    }
}

// Every shape, and a body of all of them; spheres come back bit for bit.
static void shapes_are_covered(void** state) {
    (void)state;
    Random random = {32};
    static const BerthShapeKind kinds[] = {BERTH_SPHERE, BERTH_CAPSULE, BERTH_BOX, BERTH_CYLINDER,
                                           BERTH_CONE};
    enum { KINDS = 5 };
    CoverPiece pieces[KINDS];
    for (int32_t k = 0; k < KINDS; ++k) {
        const BerthShape shape = test_shape(kinds[k], 0.2, &random);
        BerthSolid* solid = NULL;
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        pieces[k] = (CoverPiece){solid, some_pose(&random)};
        for (int32_t most = 1; most <= 20; most += 19) {
            QuickCover answer = quick(&pieces[k], 1, 0.01, most);
            assert_true(answer.count >= 1 && answer.count <= most);
            assert_int_equal(shape_outside(&pieces[k], answer.balls, answer.count, 4000, &random), 0);
            free_answer(&answer);
        }
    }

    const Ball own = {pieces[0].body_from_solid.t, pieces[0].solid->shape.as.sphere.radius};
    QuickCover alone = quick(pieces, 1, 0.01, 9), all = quick(pieces, KINDS, 0.01, 50);
    assert_int_equal(alone.count, 1);
    assert_true(alone.protrusion == 0.0);
    assert_memory_equal(&alone.balls[0], &own, sizeof own);
    assert_memory_equal(&all.balls[0], &own, sizeof own);
    assert_true(all.count <= 50);
    for (int32_t k = 0; k < KINDS; ++k) {
        assert_int_equal(shape_outside(&pieces[k], all.balls, all.count, 4000, &random), 0);
        berth_solid_destroy((BerthSolid*)pieces[k].solid);
    }
    free_answer(&alone);
    free_answer(&all);
}

// A flat box, a triangle and nothing at all.
static void thin_things_are_covered(void** state) {
    (void)state;
    Random random = {33};
    const Vec3 corners[3] = {{0, 0, 0}, {0.4, 0, 0}, {0, 0.1, 0.2}};
    BerthShape shapes[2];
    assert_int_equal(berth_shape_box(v3(0.6, 0.4, 0.0), &shapes[0]), BERTH_OK);
    assert_int_equal(berth_shape_triangle(corners, &shapes[1]), BERTH_OK);
    for (int32_t k = 0; k < 2; ++k) {
        BerthSolid* solid = NULL;
        assert_int_equal(berth_solid_from_shape(&shapes[k], NULL, &solid), BERTH_OK);
        const CoverPiece piece = {solid, pose_identity()};
        QuickCover answer = quick(&piece, 1, 0.02, 30);
        for (int32_t i = 0; i < 2000; ++i) {
            const double x = bi_random_between(&random, -0.3, 0.3), y = bi_random_between(&random, -0.2, 0.2);
            const Vec3 p = k == 0 ? v3(x, y, 0.0) : random_on_triangle(shapes[1].as.triangle.point, &random);
            assert_true(in_a_ball(answer.balls, answer.count, p));
        }
        assert_true(answer.protrusion < 0.1);
        free_answer(&answer);
        berth_solid_destroy(solid);
    }

    QuickCover none = quick(NULL, 0, 0.01, 10);
    assert_int_equal(none.count, 0);
    free_answer(&none);
}

// More spheres than balls: they are covered all the same. As many: they are themselves.
static void many_spheres_are_covered(void** state) {
    (void)state;
    Random random = {34};
    enum { COUNT = 8 };
    CoverPiece pieces[COUNT];
    for (int32_t i = 0; i < COUNT; ++i) {
        const BerthShape shape = test_shape(BERTH_SPHERE, 0.1, &random);
        BerthSolid* solid = NULL;
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        pieces[i] = (CoverPiece){solid, some_pose(&random)};
    }

    QuickCover few = quick(pieces, COUNT, 0.01, 5), same = quick(pieces, COUNT, 0.01, COUNT);
    assert_true(few.count <= 5);
    assert_int_equal(same.count, COUNT);
    for (int32_t i = 0; i < COUNT; ++i) {
        const double radius = pieces[i].solid->shape.as.sphere.radius;
        assert_true(same.balls[i].radius == radius);
        assert_memory_equal(&same.balls[i].centre, &pieces[i].body_from_solid.t, sizeof(Vec3));
        assert_int_equal(shape_outside(&pieces[i], few.balls, few.count, 400, &random), 0);
    }

    bool proven = false;
    assert_int_equal(prove_contained(pieces, COUNT, same.balls, COUNT, NULL, &proven), BERTH_OK);
    assert_true(proven);
    same.balls[3].radius *= 1.0 - 1e-9;
    assert_int_equal(prove_contained(pieces, COUNT, same.balls, COUNT, NULL, &proven), BERTH_OK);
    assert_true(!proven || in_a_ball(same.balls, 3, pieces[3].body_from_solid.t));
    for (int32_t i = 0; i < COUNT; ++i) {
        berth_solid_destroy((BerthSolid*)pieces[i].solid);
    }
    free_answer(&few);
    free_answer(&same);
}

static double squared_distance(const BerthMesh* mesh, Vec3 p, bool lower) {
    const double at[3] = {p.x, p.y, p.z};
    double least = INFINITY;
    for (int32_t i = 0; i < mesh->info.triangle_count; ++i) {
        Vec3 t[3];
        mesh_triangle(mesh, i, t);
        const double corners[9] = {t[0].x, t[0].y, t[0].z, t[1].x, t[1].y, t[1].z, t[2].x, t[2].y, t[2].z};
        double below, above;
        exact_point_triangle_sq_bracket(at, corners, &below, &above);
        least = fmin(least, lower ? below : above);
    }
    return least;
}

// Nothing of a ball is further away than is told, what is wanted is kept where balls suffice, and more balls protrude less.
static void protrusion_is_what_is_told(void** state) {
    (void)state;
    Random random = {35};
    for (int32_t kind = 0; kind <= TEST_MESH_BOX; ++kind) {
        BerthSolid* solid = test_solid((TestMeshKind)kind, 150, 0.3, &random);
        const CoverPiece piece = {solid, pose_identity()};
        QuickCover few = quick(&piece, 1, 0.001, 6), many = quick(&piece, 1, 0.001, 40),
                   kept = quick(&piece, 1, 0.05, 300);
        assert_true(many.protrusion < 0.8 * few.protrusion);
        assert_true(kept.protrusion <= 0.05);

        double most = 0.0;
        for (int32_t i = 0; i < test_scaled(300); ++i) {
            const Ball* ball = &few.balls[i % few.count];
            const Vec3 u = v3_unit_or(in_box(v3(-1, -1, -1), v3(1, 1, 1), &random), v3(1, 0, 0));
            const Vec3 p = v3_mad(ball->centre, ball->radius, u);
            most = fmax(most, in_mesh(solid->mesh, p) ? 0.0 : sqrt(squared_distance(solid->mesh, p, true)));
        }
        assert_true(most <= few.protrusion);
        assert_true(most > 0.3 * few.protrusion || test_scaled(300) < 300);
        free_answer(&few);
        free_answer(&many);
        free_answer(&kept);
        berth_solid_destroy(solid);
    }
}

// The same call gives the same bytes: nothing of it depends on time or on what is in memory.
static void answers_are_repeated(void** state) {
    (void)state;
    Random random = {36};
    BerthSolid* solid = test_solid(TEST_MESH_TORUS, 400, 0.3, &random);
    const CoverPiece piece = {solid, pose_identity()};
    QuickCover a = quick(&piece, 1, 0.01, 25), b = quick(&piece, 1, 0.01, 25);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.balls, b.balls, (size_t)a.count * sizeof *a.balls);
    free_answer(&a);
    free_answer(&b);
    berth_solid_destroy(solid);
}

static void halfspaces_are_refused(void** state) {
    (void)state;
    BerthShape shape;
    BerthSolid* solid = NULL;
    assert_int_equal(berth_shape_halfspace(v3(0, 0, 1), 0.0, &shape), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
    const CoverPiece piece = {solid, pose_identity()};
    QuickCover cover = {.count = 1};
    assert_int_equal(bi_cover_quick(&piece, 1, 0.01, 9, NULL, &cover), BERTH_ERR_UNSUPPORTED);
    assert_true(cover.balls == NULL && cover.count == 0);

    const Ball large = {v3(0, 0, 0), 1e6};
    bool proven = true;
    assert_int_equal(prove_contained(&piece, 1, &large, 1, NULL, &proven), BERTH_OK);
    assert_false(proven);
    Ball inside[2];
    int32_t count = 1;
    assert_int_equal(bi_cover_inscribed(&piece, 1, 2, NULL, inside, &count), BERTH_OK);
    assert_int_equal(count, 0);
    berth_solid_destroy(solid);
}

static void robot_is_covered(const char* name, Random* random) {
    BerthRobot* robot = test_read_robot(test_robot_named(name), false, true);
    assert_non_null(robot);
    for (int32_t link = 0; link < robot->link_count; ++link) {
        CoverPiece pieces[MOST];
        const RobotLink* info = &robot->links[link];
        assert_true(info->solid_count <= MOST);
        for (int32_t i = 0; i < info->solid_count; ++i) {
            const RobotSolid* solid = &robot->solids[info->first_solid + i];
            pieces[i] = (CoverPiece){solid->solid, solid->link_from_solid};
        }

        QuickCover answer = quick(pieces, info->solid_count, 0.015, 16);
        for (int32_t i = 0; i < info->solid_count; ++i) {
            const int64_t outside =
                pieces[i].solid->is_mesh
                    ? mesh_outside(&pieces[i], answer.balls, answer.count, 500, 20, random)
                    : shape_outside(&pieces[i], answer.balls, answer.count, 500, random);
            if (outside > 0) {
                fail_msg("%s, %s: %lld points outside", name, info->name, (long long)outside);
            }
        }
        free_answer(&answer);
    }
    berth_robot_destroy(robot);
}

static void robots_are_covered(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not here");
    }
    Random random = {37};
    robot_is_covered("panda_mbm", &random);
    robot_is_covered("panda_spheres", &random);
    if (test_scaled(3) >= 3) {
        robot_is_covered("pr2", &random);
        robot_is_covered("romeo", &random);
    }
}

// ---- given balls ---------------------------------------------------------------------------------------------

// Covers whose balls shrink or go: as long as they are said to contain the body, no point is outside.
static void what_is_proven_is_never_refuted(void** state) {
    (void)state;
    Random random = {38};
    int64_t proven_count = 0, open_count = 0;
    for (int32_t round = 0; round < test_scaled(40); ++round) {
        BerthSolid* solid = test_solid((TestMeshKind)(round % TEST_MESH_KIND_COUNT), 80, 0.3, &random);
        const CoverPiece piece = {solid, some_pose(&random)};
        QuickCover answer = quick(&piece, 1, 0.01, 3 + round % 7);
        const double change = pow(10.0, bi_random_between(&random, -4.0, -0.5));
        for (int32_t i = 0; i < answer.count; ++i) {
            answer.balls[i].radius *= 1.0 + change * bi_random_between(&random, -0.5, 1.0);
        }

        bool proven = false;
        assert_int_equal(prove_contained(&piece, 1, answer.balls, answer.count, NULL, &proven), BERTH_OK);
        const int64_t outside = mesh_outside(&piece, answer.balls, answer.count, 3000, 60, &random);
        assert_true(!proven || outside == 0);
        proven_count += proven ? 1 : 0;
        open_count += outside > 0 ? 1 : 0;
        free_answer(&answer);
        berth_solid_destroy(solid);
    }
    assert_true((proven_count > 3 && open_count > 3) || test_scaled(40) < 40);  // so that the test could fail
}

// Balls around the surface of a cube leave a hole inside, which one more closes.
static void a_hole_inside_is_seen(void** state) {
    (void)state;
    BerthShape shape;
    BerthSolid* solid = NULL;
    assert_int_equal(berth_shape_box(v3(1, 1, 1), &shape), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
    const CoverPiece piece = {solid, pose_identity()};

    enum { SIDE = 7 };
    Ball balls[SIDE * SIDE * SIDE + 1];
    int32_t count = 0;
    for (int32_t i = 0; i < SIDE * SIDE * SIDE; ++i) {
        const int32_t at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        bool face = false;
        for (int axis = 0; axis < 3; ++axis) {
            face = face || at[axis] == 0 || at[axis] == SIDE - 1;
        }
        if (face) {
            balls[count++] = (Ball){v3(at[0] / 6.0 - 0.5, at[1] / 6.0 - 0.5, at[2] / 6.0 - 0.5), 0.16};
        }
    }

    bool proven = true;
    assert_int_equal(prove_contained(&piece, 1, balls, count, NULL, &proven), BERTH_OK);
    assert_false(proven);
    balls[count++] = (Ball){v3(0, 0, 0), 0.68};
    assert_int_equal(prove_contained(&piece, 1, balls, count, NULL, &proven), BERTH_OK);
    assert_true(proven);
    berth_solid_destroy(solid);
}

// ---- balls inside --------------------------------------------------------------------------------------------

static void inscribed_balls_are_in_meshes(void** state) {
    (void)state;
    Random random = {39};
    for (int32_t kind = 0; kind < TEST_MESH_KIND_COUNT; ++kind) {
        BerthSolid* solid = test_solid((TestMeshKind)kind, 100, 0.3, &random);
        const CoverPiece piece = {solid, some_pose(&random)};
        Ball balls[8];
        int32_t count = -1;
        assert_int_equal(bi_cover_inscribed(&piece, 1, 8, NULL, balls, &count), BERTH_OK);
        assert_true(solid->closed ? count == 8 : count == 0);

        for (int32_t i = 0; i < count; ++i) {
            // Back in the mesh's frame; turning the centre costs less than the radius was lessened by.
            const Vec3 c = pose_apply_back(&piece.body_from_solid, balls[i].centre);
            assert_true(balls[i].radius > 0.0);
            assert_true(in_mesh(solid->mesh, c));
            assert_true(sqrt(squared_distance(solid->mesh, c, true)) >= balls[i].radius);
        }
        berth_solid_destroy(solid);
    }
}

// Points of the ball's surface, by the formulas of shapes.
static void inscribed_balls_are_in_shapes(void** state) {
    (void)state;
    Random random = {40};
    static const BerthShapeKind kinds[] = {BERTH_SPHERE, BERTH_CAPSULE, BERTH_BOX, BERTH_CYLINDER,
                                           BERTH_CONE};
    for (int32_t round = 0; round < test_scaled(10); ++round) {
        const BerthShape shape = test_shape(kinds[round % 5], 0.2, &random);
        BerthSolid* solid = NULL;
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        const CoverPiece piece = {solid, some_pose(&random)};
        Ball balls[6];
        int32_t count = -1;
        assert_int_equal(bi_cover_inscribed(&piece, 1, 6, NULL, balls, &count), BERTH_OK);
        assert_true(count == (kinds[round % 5] == BERTH_SPHERE ? 1 : 6));

        for (int32_t i = 0; i < count; ++i) {
            const Vec3 c = pose_apply_back(&piece.body_from_solid, balls[i].centre);
            for (int32_t k = 0; k < 500; ++k) {
                const Vec3 u = v3_unit_or(in_box(v3(-1, -1, -1), v3(1, 1, 1), &random), v3(1, 0, 0));
                assert_true(in_shape(&shape, v3_mad(c, balls[i].radius * (1.0 - 2e-12), u)));
            }
        }
        berth_solid_destroy(solid);
    }
}

// The first fills a cube; two far cubes get one each before either gets a second.
static void inscribed_balls_are_large_and_spread(void** state) {
    (void)state;
    BerthShape shape;
    BerthSolid* solid = NULL;
    assert_int_equal(berth_shape_box(v3(0.2, 0.2, 0.2), &shape), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
    CoverPiece pieces[2] = {{solid, pose_identity()}, {solid, pose_identity()}};
    pieces[1].body_from_solid.t = v3(1, 0, 0);

    Ball balls[2];
    int32_t count = 0;
    assert_int_equal(bi_cover_inscribed(pieces, 2, 2, NULL, balls, &count), BERTH_OK);
    assert_int_equal(count, 2);
    assert_true(fabs(balls[0].centre.x - balls[1].centre.x) > 0.9);
    assert_true(balls[0].radius > 0.085 && balls[1].radius > 0.085);
    assert_true(balls[0].radius <= 0.1 && balls[1].radius <= 0.1);
    berth_solid_destroy(solid);
}

// ---- memory --------------------------------------------------------------------------------------------------

static BerthStatus try_all(void* user, const BerthAllocator* allocator) {
    const CoverPiece* pieces = user;
    QuickCover cover;
    Ball inside[4];
    int32_t inside_count = 0;
    BerthStatus status = bi_cover_quick(pieces, 2, 0.05, 3, allocator, &cover);
    if (status == BERTH_OK) {
        bool proven = false;
        status = prove_contained(pieces, 2, cover.balls, cover.count, allocator, &proven);
        assert_true(proven || status != BERTH_OK);
    }
    if (status == BERTH_OK) {
        status = bi_cover_inscribed(pieces, 2, 4, allocator, inside, &inside_count);
    }
    bi_give(allocator, cover.balls, (size_t)cover.count, sizeof *cover.balls);
    return status;
}

static void memory_may_fail_anywhere(void** state) {
    (void)state;
    Random random = {41};
    BerthShape shape = test_shape(BERTH_SPHERE, 0.2, &random);
    BerthSolid* sphere = NULL;
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &sphere), BERTH_OK);
    BerthSolid* solid = test_solid(TEST_MESH_BOX, 12, 0.3, &random);
    CoverPiece pieces[2] = {{sphere, pose_identity()}, {solid, pose_identity()}};
    assert_true(starve(try_all, pieces) > 10);
    berth_solid_destroy(sphere);
    berth_solid_destroy(solid);
}

int test_cover_quick(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_covered),
        cmocka_unit_test(shapes_are_covered),
        cmocka_unit_test(thin_things_are_covered),
        cmocka_unit_test(many_spheres_are_covered),
        cmocka_unit_test(protrusion_is_what_is_told),
        cmocka_unit_test(answers_are_repeated),
        cmocka_unit_test(halfspaces_are_refused),
        cmocka_unit_test(robots_are_covered),
        cmocka_unit_test(what_is_proven_is_never_refuted),
        cmocka_unit_test(a_hole_inside_is_seen),
        cmocka_unit_test(inscribed_balls_are_in_meshes),
        cmocka_unit_test(inscribed_balls_are_in_shapes),
        cmocka_unit_test(inscribed_balls_are_large_and_spread),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests_name("cover_quick", tests, NULL, NULL);
}
