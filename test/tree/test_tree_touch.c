// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Verdicts about meshes that all but touch: needles, triangles without area, coplanar faces that overlap or share an edge,
// corners on faces, in all sizes, far from their origins and from the world's. Exact arithmetic says what is true.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>

#include "oracle/exact.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "tree/solid.h"

int test_tree_touch(void);

enum { TRIANGLE_MAX = 40 };

typedef struct Soup {
    Vec3 corner[3 * TRIANGLE_MAX];
    int32_t count;
} Soup;

// Where a soup is put: everything is made within 1 of the origin, then scaled, turned and moved.
typedef struct Setup {
    double size;
    Vec3 local;       // the meshes' coordinates are around this
    Pose tilt;        // turns both
    Pose from_local;  // turns B's coordinates to where they were made
    double gap;       // between the two planes, in units of `size`
} Setup;

// Below the plane z = 0 (above it when `up`), many corners on it: 0 corners of a triangle, 1, 2 or all three.
static void add_triangle(Soup* soup, bool up, Random* random) {
    Vec3* p = &soup->corner[3 * soup->count++];
    const uint64_t kind = bi_random_next(random) % 8;
    const int on_plane = (int)(bi_random_next(random) % 4);
    const Vec3 middle = v3(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1), 0);
    const double wide = bi_random_next(random) % 3 == 0 ? 1.0 : 0.1;
    for (int k = 0; k < 3; ++k) {
        p[k] = v3(middle.x + wide * bi_random_between(random, -1, 1),
                  middle.y + wide * bi_random_between(random, -1, 1),
                  k < on_plane ? 0.0 : (up ? wide : -wide) * bi_random_between(random, 0, 1));
        if (kind < 3) {  // plain coordinates: shared edges, corners on edges, coplanar overlap
            p[k].x = floor(4 * p[k].x) / 4;
            p[k].y = floor(4 * p[k].y) / 4;
            p[k].z = k < on_plane ? 0.0 : up ? 0.25 : -0.25;
        }
    }
    if (kind == 3) {  // a needle
        p[2] = v3_add(p[1], v3(1e-9 * bi_random_between(random, -1, 1), 0, 0));
    } else if (kind == 4) {  // no area
        p[2] = v3_lerp(p[0], p[1], bi_random_next(random) % 2 == 0 ? 0.5 : 0.37);
    } else if (kind == 5) {  // hardly any
        p[2] = v3_mad(v3_lerp(p[0], p[1], 0.3), 1e-12, v3(1, -2, 0));
    }
}

// One pair only may touch: everything else is away from the plane.
static void make_sparse(Soup* soup, bool up, Random* random) {
    for (int32_t i = 0; i < 3 * soup->count; ++i) {
        soup->corner[i].z += up ? 0.05 : -0.05;
    }
    const double turn = bi_random_between(random, 0, 6), wide = bi_random_between(random, 0.05, 1.5);
    const int on_plane = up ? 1 + (int)(bi_random_next(random) % 3) : 3;
    for (int k = 0; k < 3; ++k) {  // A's around the origin; one of B's corners near it
        const double angle = turn + 2.1 * k, far = up && k == 0 ? 0.01 * wide : wide;
        const double height = k < on_plane ? 0.0 : (up ? 1.0 : -1.0) * bi_random_between(random, 0, 1);
        soup->corner[k] = v3(far * cos(angle), far * sin(angle), height);
    }
}

static Soup random_soup(bool up, bool sparse, Random* random) {
    Soup soup = {.count = 0};
    const int32_t count = 1 + (int32_t)(bi_random_next(random) % TRIANGLE_MAX);
    while (soup.count < count) {
        add_triangle(&soup, up, random);
    }
    if (sparse) {
        make_sparse(&soup, up, random);
    }
    return soup;
}

static BerthSolid* solid_of(const Soup* soup, const Setup* setup, bool is_b) {
    Vec3 vertices[3 * TRIANGLE_MAX];
    int32_t triangles[3 * TRIANGLE_MAX];
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    for (int32_t i = 0; i < 3 * soup->count; ++i) {
        Vec3 p = soup->corner[i];
        p.z += is_b ? setup->gap : 0.0;
        p = pose_turn(&setup->tilt, v3_scale(p, setup->size));
        p = is_b ? pose_apply_back(&setup->from_local, p) : p;
        vertices[i] = v3_add(p, setup->local);
        triangles[i] = i;
    }
    if (berth_mesh_create(vertices, 3 * soup->count, triangles, soup->count, NULL, &mesh) != BERTH_OK) {
        return NULL;
    }
    return berth_solid_from_mesh(mesh, NULL, &solid) == BERTH_OK ? solid : NULL;
}

static Setup random_setup(Random* random) {
    static const double sizes[] = {1e-20, 1e-12, 1e-6, 1e-3, 0.1, 1.0, 30.0, 1e4};
    static const double places[] = {0, 0, 0, 1.0, 1e3, 1e6};
    static const double gaps[] = {0,     0,     -1e-18, 1e-18, 1e-16, -1e-16, 1e-14, -1e-14, 1e-13, 1e-12,
                                  1e-10, -1e-9, 1e-8,   1e-7,  1e-6,  -1e-6,  1e-5,  1e-4,   1e-3};
    Setup setup = {.size = sizes[bi_random_next(random) % 8],
                   .tilt = bi_random_next(random) % 2 == 0 ? pose_identity() : test_pose(random, 0),
                   .from_local = pose_identity(),
                   .gap = gaps[bi_random_next(random) % 19] * bi_random_between(random, 0.2, 2)};
    const double place = places[bi_random_next(random) % 6];
    setup.local = v3(place, place * bi_random_between(random, -1, 1), -place);
    const uint64_t kind = bi_random_next(random) % 3;
    if (kind == 0) {  // a quarter turn: exact
        setup.from_local.x = v3(0, 1, 0);
        setup.from_local.y = v3(-1, 0, 0);
    } else if (kind == 1) {
        setup.from_local = test_pose(random, 0);
    }
    return setup;
}

static uint64_t keep_all(const TriangleNode* a, const TriangleNode* b, const BoxFrame* a_from_b, float cut,
                         uint64_t wanted) {
    (void)a;
    (void)b;
    (void)a_from_b;
    (void)cut;
    return wanted;
}

typedef struct Tally {
    int64_t hits, frees, unknowns, leaves, all_leaves;
} Tally;

// Every instruction set, and no test by planes at all: the same verdict.
static BerthTreeAnswer ask_all(BerthTreeQuery* query, const BerthSolid* a, const Pose* pose_a,
                               const BerthSolid* b, const Pose* pose_b, double margin, Tally* tally) {
    const SimdKernels* best = query->kernels;
    const BerthTreeAnswer answer = berth_tree_collide(query, a, pose_a, b, pose_b, margin);
    SimdKernels plain = *bi_simd_kernels_for(SIMD_PLAIN);
    plain.triangle_pairs = keep_all;
    for (int isa = 0; isa <= SIMD_ISA_COUNT; ++isa) {
        query->kernels = isa < SIMD_ISA_COUNT ? bi_simd_kernels_for((SimdIsa)isa) : &plain;
        if (query->kernels != NULL) {
            const BerthTreeAnswer other = berth_tree_collide(query, a, pose_a, b, pose_b, margin);
            assert_int_equal(other.verdict, answer.verdict);
            if (isa == SIMD_ISA_COUNT) {
                tally->leaves += answer.counters.leaf_tests;
                tally->all_leaves += other.counters.leaf_tests;
            }
        }
    }
    query->kernels = best;
    return answer;
}

static void judge(BerthTreeQuery* query, const BerthSolid* a, const Pose* pose_a, const BerthSolid* b,
                  const Pose* pose_b, Random* random, Tally* tally) {
    double rotation[9], lower = 0, upper = 0;
    const Vec3 apart =
        v3_sub(pose_b->t, pose_a->t);  // exact where it matters: they are within a factor of two
    const double t[3] = {apart.x, apart.y, apart.z};
    test_rotation(pose_b, rotation);
    exact_meshes_distance_bracket((const double*)a->mesh->vertices, a->mesh->triangles, a->triangle_count,
                                  (const double*)b->mesh->vertices, b->mesh->triangles, b->triangle_count,
                                  rotation, t, &lower, &upper);
    const double slack = bi_solid_slack(a, pose_a, b, pose_b);
    for (int i = 0; i < 3; ++i) {
        const double margin = i == 0   ? 0.0
                              : i == 1 ? upper * (1.0 + 1e-7 * bi_random_between(random, -1, 1))
                                       : upper * bi_random_between(random, 0, 2);
        const BerthTreeAnswer answer = ask_all(query, a, pose_a, b, pose_b, margin, tally);
        assert_true(answer.verdict != BERTH_FREE || lower > margin);
        assert_true(answer.verdict != BERTH_COLLISION || lower <= margin + slack);
        assert_true(answer.verdict != BERTH_UNKNOWN || fabs(upper - margin) <= 4.0 * slack + margin * 1e-14);
        assert_true(answer.lower <= upper);
        tally->hits += answer.verdict == BERTH_COLLISION;
        tally->frees += answer.verdict == BERTH_FREE;
        tally->unknowns += answer.verdict == BERTH_UNKNOWN;
    }
}

static void near_touches_are_told_right(void** state) {
    (void)state;
    Random random = {77};
    Tally tally = {0};
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1000000, NULL, &query), BERTH_OK);
    for (int round = 0; round < test_scaled(300); ++round) {
        const Setup setup = random_setup(&random);
        const bool sparse = round % 2 == 0;
        const Soup soup_a = random_soup(false, sparse, &random), soup_b = random_soup(true, sparse, &random);
        BerthSolid* a = solid_of(&soup_a, &setup, false);
        BerthSolid* b = solid_of(&soup_b, &setup, true);
        if (a != NULL && b != NULL) {
            Pose pose_a = pose_identity(), pose_b = setup.from_local;
            // B's origin goes where it undoes `local`, up to rounding: what is true is what the poses say.
            pose_b.t = v3_sub(setup.local, pose_turn(&setup.from_local, setup.local));
            if (bi_random_next(&random) % 4 == 0) {
                const Vec3 away = v3(0x1p20, -0x1p19, 0x1p18);
                pose_a.t = v3_add(pose_a.t, away);
                pose_b.t = v3_add(pose_b.t, away);
            }
            judge(query, a, &pose_a, b, &pose_b, &random, &tally);
        }
        berth_solid_destroy(a);
        berth_solid_destroy(b);
    }
    berth_tree_query_destroy(query);
    print_message("report %lld hits, %lld free, %lld unknown; %lld of %lld leaf tests left\n",
                  (long long)tally.hits, (long long)tally.frees, (long long)tally.unknowns,
                  (long long)tally.leaves, (long long)tally.all_leaves);
    assert_true(!test_is_whole() || (tally.hits > test_scaled(100) && tally.frees > test_scaled(100)));
    assert_true(tally.leaves < tally.all_leaves);
}

int test_tree_touch(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_touches_are_told_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
