// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Spherical octrees: counts known from the notes, every point of the surface in a leaf that knows its features, both
// ways of going down find the same leaves, and no pair of near features is lost at any level.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <stdlib.h>

#include "contact/polytope.h"
#include "support/bodies.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

static Polytope polytope_of(const BruteBody* body, int levels, bool homogeneous, Arena* arena) {
    Polytope p;
    bool flat = true;
    assert_int_equal(bi_polytope_create(body->corner, body->corner_count, arena, &p, &flat), BERTH_OK);
    assert_false(flat);
    assert_int_equal(bi_polytope_add_octree(&p, levels, homogeneous, arena), BERTH_OK);
    return p;
}

static void count_leaves(const BallOctree* tree, int counts[4]) {
    for (int i = 0; i < 4; ++i) {
        counts[i] = 0;
    }
    for (int32_t i = 0; i < tree->node_count; ++i) {
        if (tree->nodes[i].first < 0) {
            ++counts[tree->nodes[i].type];
        }
    }
}

// errata 4 measured a box of half-extents 1, 0.6, 0.4.
static void a_box_has_as_many_leaves_as_the_notes_say(void** state) {
    (void)state;
    Arena arena;
    bi_arena_init(&arena, NULL, 0);
    Random random = {1};
    BruteBody box;
    brute_body(1, 1.0, &random, &box);
    Polytope p = polytope_of(&box, 2, true, &arena);
    assert_int_equal(p.octree.node_count, 73);
    assert_int_equal(p.octree.leaf_count, 64);
    bi_polytope_free(&p);
    p = polytope_of(&box, 3, true, &arena);
    int counts[4];
    count_leaves(&p.octree, counts);
    assert_int_equal(counts[BALL_OCTREE_VERTEX], 8);
    assert_int_equal(counts[BALL_OCTREE_EDGE], 48);
    assert_int_equal(counts[BALL_OCTREE_FACE], 88);
    assert_int_equal(p.octree.leaf_count, 144);
    bi_polytope_free(&p);
    bi_arena_free(&arena);
}

static bool lists(const int32_t* items, int32_t count, int32_t wanted) {
    for (int32_t i = 0; i < count; ++i) {
        if (items[i] == wanted) {
            return true;
        }
    }
    return false;
}

// A random point of a random face is in the ball of a leaf that lists the face.
static void every_point_of_the_surface_is_known(void** state) {
    (void)state;
    Random random = {2};
    for (int i = 0; i < 2 * BODY_KINDS; ++i) {
        Arena arena;
        bi_arena_init(&arena, NULL, 0);
        BruteBody body;
        brute_body(i % BODY_KINDS, 1.0, &random, &body);
        Polytope p = polytope_of(&body, 1 + i % 5, i >= BODY_KINDS, &arena);
        for (int k = 0; k < 200; ++k) {
            const int32_t f = (int32_t)(bi_random_next(&random) % (uint64_t)p.face_count);
            const PolyFace* face = &p.faces[f];
            Vec3 at = face->centre;
            for (int m = 0; m < 3; ++m) {
                const int32_t c = face->first + (int32_t)(bi_random_next(&random) % (uint64_t)face->count);
                at = v3_lerp(at, p.vertices[p.corners[c].vertex], bi_random_between(&random, 0, 1));
            }
            bool known = false;
            for (int32_t n = 0; n < p.octree.node_count; ++n) {
                const BallOctreeNode* node = &p.octree.nodes[n];
                known = known || (node->first < 0 && v3_distance(node->centre, at) <= node->radius &&
                                  lists(ball_octree_faces(&p.octree, node), node->face_count, f));
            }
            assert_true(known);
        }
        bi_polytope_free(&p);
        bi_arena_free(&arena);
    }
}

typedef struct Pairs {
    const BallOctree *a, *b;
    unsigned char* met;
    long count;
} Pairs;

static void remember(void* user, const BallOctreeNode* leaf_a, const BallOctreeNode* leaf_b) {
    Pairs* pairs = user;
    const size_t place = (size_t)(leaf_a - pairs->a->nodes) * (size_t)pairs->b->node_count +
                         (size_t)(leaf_b - pairs->b->nodes);
    assert_int_equal(pairs->met[place], 0);  // each pair once
    pairs->met[place] = 1;
    ++pairs->count;
}

static void both_ways_down_find_the_same_leaves(void** state) {
    (void)state;
    Random random = {3};
    long seen = 0;
    for (int i = 0; i < test_scaled(60); ++i) {
        Arena arena;
        bi_arena_init(&arena, NULL, 0);
        BruteBody one, other;
        brute_body(i % BODY_KINDS, 1.0, &random, &one);
        brute_body((int)(bi_random_next(&random) % BODY_KINDS), 1.0, &random, &other);
        Polytope a = polytope_of(&one, i % 4, i % 2 == 0, &arena);
        Polytope b = polytope_of(&other, (i / 4) % 4, i % 3 == 0, &arena);
        const Pose pose = brute_meet(&one, &other, i % BRUTE_WAYS, &random);
        const size_t size = (size_t)a.octree.node_count * (size_t)b.octree.node_count;
        Pairs first = {&a.octree, &b.octree, calloc(size, 1), 0},
              second = {&a.octree, &b.octree, calloc(size, 1), 0};
        assert_true(first.met != NULL && second.met != NULL);
        const double reach = bi_random_between(&random, 0.0, 0.2);
        (void)bi_octree_walk(&a.octree, &b.octree, &pose, reach, remember, &first);
        (void)bi_octree_walk_two_phases(&a.octree, &b.octree, &pose, reach, remember, &second);
        // A child's ball lies in its parent's, so no way down can miss a leaf that another finds, but for rounding.
        for (size_t k = 0; k < size; ++k) {
            if (first.met[k] != second.met[k]) {
                const BallOctreeNode* leaf_a = &a.octree.nodes[k / (size_t)b.octree.node_count];
                const BallOctreeNode* leaf_b = &b.octree.nodes[k % (size_t)b.octree.node_count];
                const double gap = v3_distance(leaf_a->centre, pose_apply(&pose, leaf_b->centre)) -
                                   leaf_a->radius - leaf_b->radius - reach;
                assert_true(fabs(gap) < 1e-9);
            }
        }
        seen += first.count;
        free(first.met);
        free(second.met);
        bi_polytope_free(&a);
        bi_polytope_free(&b);
        bi_arena_free(&arena);
    }
    assert_true(seen > 0);
}

// The paper's own way to build: rows of points. A cylinder of 2 x 10, a ball of 7 x 12 with its poles ten times there.
static void grids_become_polyhedra(void** state) {
    (void)state;
    Arena arena;
    bi_arena_init(&arena, NULL, 0);
    Vec3 grid[7 * 12];
    for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 10; ++c) {
            double s = 0.0, k = 0.0;
            bi_sincos(2.0 * M_PI * c / 10, &s, &k);
            grid[10 * r + c] = v3(0.5 * k, 0.5 * s, r - 0.5);
        }
    }
    Polytope p;
    bool flat = true;
    assert_int_equal(bi_polytope_create(grid, 2 * 10, &arena, &p, &flat), BERTH_OK);
    assert_false(flat);
    assert_int_equal(p.vertex_count, 20);
    assert_int_equal(p.edge_count, 30);
    assert_int_equal(p.face_count, 12);
    assert_true(fabs(p.volume - 5.0 * 0.25 * sin(2.0 * M_PI / 10.0)) < 1e-12);
    bi_polytope_free(&p);
    for (int r = 0; r < 7; ++r) {
        double sr = 0.0, kr = 0.0;
        bi_sincos(M_PI * r / 6, &sr, &kr);
        for (int c = 0; c < 12; ++c) {
            double s = 0.0, k = 0.0;
            bi_sincos(2.0 * M_PI * c / 12, &s, &k);
            grid[12 * r + c] = v3(r % 6 == 0 ? 0.0 : sr * k, r % 6 == 0 ? 0.0 : sr * s, kr);
        }
    }
    assert_int_equal(bi_polytope_create(grid, 7 * 12, &arena, &p, &flat), BERTH_OK);
    assert_false(flat);
    assert_int_equal(p.vertex_count, 2 + 5 * 12);
    assert_int_equal(p.face_count, 2 * 12 + 4 * 12);
    bi_polytope_free(&p);
    bi_arena_free(&arena);
}

// Every polytope: Euler, edges between the faces they name, corners counter-clockwise, and the brute counts.
static void polytopes_have_the_features_that_brute_force_finds(void** state) {
    (void)state;
    Random random = {5};
    for (int i = 0; i < test_scaled(600); ++i) {
        Arena arena;
        bi_arena_init(&arena, NULL, 0);
        BruteBody body;
        brute_body(i % BODY_KINDS, i % 4 == 0 ? 0.01 : 1.0, &random, &body);
        Polytope p = polytope_of(&body, 0, true, &arena);
        assert_int_equal(p.vertex_count, body.corner_count);
        assert_int_equal(p.edge_count, body.edge_count);
        assert_int_equal(p.face_count, body.face_count);
        for (int32_t e = 0; e < p.edge_count; ++e) {
            const PolyEdge* edge = &p.edges[e];
            const Vec3 across = v3_cross(p.faces[edge->left].normal, p.faces[edge->right].normal);
            assert_true(v3_dot(across, edge->direction) > 0.0);
        }
        for (int32_t v = 0; v < p.vertex_count; ++v) {
            assert_true(p.first_around[v + 1] - p.first_around[v] >= 3);
            for (int32_t k = p.first_around[v]; k < p.first_around[v + 1]; ++k) {
                assert_true(p.edges[p.around[k]].tail == v || p.edges[p.around[k]].head == v);
            }
        }
        for (int32_t f = 0; f < p.face_count; ++f) {
            for (int32_t k = 0; k < p.faces[f].count; ++k) {
                const PolyCorner* corner = &p.corners[p.faces[f].first + k];
                assert_true(v3_dot(corner->side, p.faces[f].centre) < corner->offset);
            }
        }
        bi_polytope_free(&p);
        bi_arena_free(&arena);
    }
}

static BerthStatus make_octree(void* user, const BerthAllocator* allocator) {
    const BruteBody* body = user;
    Arena arena;
    bi_arena_init(&arena, allocator, 0);
    Polytope p;
    bool flat = false;
    BerthStatus status = bi_polytope_create(body->corner, body->corner_count, &arena, &p, &flat);
    if (status == BERTH_OK) {
        status = bi_polytope_add_octree(&p, 3, true, &arena);
        bi_polytope_free(&p);
    }
    bi_arena_free(&arena);
    return status;
}

static void memory_that_fails_is_told(void** state) {
    (void)state;
    Random random = {6};
    BruteBody body;
    brute_body(2, 1.0, &random, &body);
    assert_true(starve(make_octree, &body) > 0);
}

int test_contact_octree(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_as_many_leaves_as_the_notes_say),
        cmocka_unit_test(every_point_of_the_surface_is_known),
        cmocka_unit_test(both_ways_down_find_the_same_leaves),
        cmocka_unit_test(grids_become_polyhedra),
        cmocka_unit_test(polytopes_have_the_features_that_brute_force_finds),
        cmocka_unit_test(memory_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
