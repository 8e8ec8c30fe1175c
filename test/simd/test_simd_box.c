// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The box kernel: a lower bound for points sampled in the boxes, the same bits on every instruction set, NaN and
// empty lanes harmless.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "shape/gap.h"
#include "simd/simd.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "tree/solid.h"

static void random_node(BoxNode* node, int count, double size, Random* random) {
    for (int axis = 0; axis < 3; ++axis) {
        for (int lane = 0; lane < BOX_LANES; ++lane) {
            node->centre[axis][lane] = lane < count ? (float)bi_random_between(random, -size, size) : 0.0f;
            node->half[axis][lane] =
                lane < count ? (float)bi_random_between(random, 0, size * 0.3) : -BOX_EMPTY;
        }
    }
}

static Vec3 point_in(const BoxNode* node, int lane, Random* random) {
    const bool corner = bi_random_next(random) & 1;
    double at[3];
    for (int axis = 0; axis < 3; ++axis) {
        double u = bi_random_between(random, -1, 1);
        u = corner ? (u < 0 ? -1 : 1) : u;
        at[axis] = (double)node->centre[axis][lane] + u * (double)node->half[axis][lane];
    }
    return v3(at[0], at[1], at[2]);
}

static void frame_for(const Pose* pose, double extent, BoxFrame* frame) {
    const BerthSolid solid = {.extent = extent};
    bi_tree_box_frame(&solid, &solid, pose, frame);
}

static void bounds_hold_and_sets_agree(void** state) {
    (void)state;
    Random random = {31};
    long kept = 0, cut = 0;
    for (int round = 0; round < test_scaled(100000); ++round) {
        const double size = round % 3 == 0 ? 1000.0 : 1.0;
        const double range = round % 2 ? 2 * size : 0.2 * size;
        const Pose pose = test_pose(&random, range);
        BoxNode a, b;
        const int count_b = 1 + (int)(bi_random_next(&random) % 8);
        random_node(&a, 1 + (int)(bi_random_next(&random) % 8), size, &random);
        random_node(&b, count_b, size, &random);
        BoxFrame frame;
        frame_for(&pose, 3 * size, &frame);
        const float limit = (float)bi_random_between(&random, 0, size) * (float)size;
        uint8_t pair[BOX_PAIRS] = {0};
        float bound[BOX_PAIRS] = {0};
        const SimdKernels* plain = bi_simd_kernels_for(SIMD_PLAIN);
        const int32_t count = plain->box_pairs(&a, &b, count_b, &frame, limit, pair, bound);
        bool near[BOX_PAIRS] = {false};
        for (int32_t k = 0; k < count; ++k) {
            near[pair[k]] = true;
            const Vec3 pa = point_in(&a, pair[k] & 7, &random);
            const Vec3 pb = point_in(&b, pair[k] / 8, &random);
            const double sq = v3_length_sq(v3_sub(pose_apply(&pose, pb), pa));
            assert_true((double)bound[k] <= sq);
            assert_true(bound[k] <= limit);
        }
        for (int k = 0; k < 8 * count_b; ++k) {
            const bool empty = a.half[0][k & 7] < 0 || b.half[0][k / 8] < 0;
            assert_true(!empty || !near[k]);
            if (!near[k] && !empty) {
                const double sq = v3_length_sq(
                    v3_sub(pose_apply(&pose, point_in(&b, k / 8, &random)), point_in(&a, k & 7, &random)));
                assert_true(sq > (double)limit);
                cut += 1;
            }
        }
        kept += count;
        for (int isa = SIMD_PLAIN + 1; isa < SIMD_ISA_COUNT; ++isa) {
            const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
            uint8_t other_pair[BOX_PAIRS] = {0};
            float other_bound[BOX_PAIRS] = {0};
            if (kernels != NULL) {
                assert_int_equal(kernels->box_pairs(&a, &b, count_b, &frame, limit, other_pair, other_bound),
                                 count);
                assert_memory_equal(pair, other_pair, sizeof pair);
                assert_memory_equal(bound, other_bound, sizeof bound);
            }
        }
    }
    assert_true(kept > 1000 && cut > 1000);
}

static void nan_is_never_cut(void** state) {
    (void)state;
    Random random = {32};
    BoxNode a, b;
    random_node(&a, 8, 1.0, &random);
    random_node(&b, 8, 1.0, &random);
    Pose pose = pose_identity();
    pose.t.x = 100.0;
    BoxFrame frame;
    frame_for(&pose, 3.0, &frame);
    for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
        const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
        if (kernels == NULL) {
            continue;
        }
        uint8_t pair[BOX_PAIRS];
        float bound[BOX_PAIRS];
        assert_int_equal(kernels->box_pairs(&a, &b, 8, &frame, 1.0f, pair, bound), 0);
        BoxFrame bad = frame;
        bad.t[0] = NAN;
        for (int i = 0; i < 9; ++i) {
            bad.turn[i / 3][i % 3] = NAN;
        }
        assert_int_equal(kernels->box_pairs(&a, &b, 8, &bad, 1.0f, pair, bound), 64);
    }
}

static void spans_are_those_of_the_corners(void** state) {
    (void)state;
    Random random = {33};
    for (int round = 0; round < test_scaled(20000); ++round) {
        TriangleNode node;
        float* values = &node.corner[0][0][0];
        for (int i = 0; i < 72; ++i) {
            values[i] = (float)bi_random_between(&random, -1, 1);
        }
        const float n[3] = {(float)bi_random_between(&random, -1, 1),
                            (float)bi_random_between(&random, -1, 1),
                            (float)bi_random_between(&random, -1, 1)};
        _Alignas(64) float high[8], low[8];
        bi_simd_kernels_for(SIMD_PLAIN)->triangle_span(&node, n, high, low);
        for (int lane = 0; lane < 8; ++lane) {
            double most = -10, least = 10;
            for (int k = 0; k < 3; ++k) {
                const double h = (double)n[0] * node.corner[k][0][lane] +
                                 (double)n[1] * node.corner[k][1][lane] +
                                 (double)n[2] * node.corner[k][2][lane];
                most = fmax(most, h);
                least = fmin(least, h);
            }
            assert_true(fabs(most - (double)high[lane]) < 1e-6 && fabs(least - (double)low[lane]) < 1e-6);
        }
        for (int isa = SIMD_PLAIN + 1; isa < SIMD_ISA_COUNT; ++isa) {
            const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
            _Alignas(64) float high2[8], low2[8];
            if (kernels != NULL) {
                kernels->triangle_span(&node, n, high2, low2);
                assert_memory_equal(high, high2, sizeof high);
                assert_memory_equal(low, low2, sizeof low);
            }
        }
    }
}

static void random_triangles(TriangleNode* node, double size, double spread, Random* random) {
    for (int lane = 0; lane < BOX_LANES; ++lane) {
        const bool flat = bi_random_next(random) % 8 == 0;  // all corners on a line, or one point
        for (int axis = 0; axis < 3; ++axis) {
            const double middle = bi_random_between(random, -size, size);
            for (int k = 0; k < 3; ++k) {
                const double off =
                    flat ? spread * k * (double)(lane % 2) : bi_random_between(random, -spread, spread);
                node->corner[k][axis][lane] = (float)(middle + off);
            }
        }
    }
}

static double triangle_gap(const TriangleNode* a, const TriangleNode* b, int bit, const Pose* a_from_b) {
    Vec3 ta[3], tb[3], pa, pb;
    for (int k = 0; k < 3; ++k) {
        const int i = bit & 7, j = bit / 8;
        ta[k] = v3(a->corner[k][0][i], a->corner[k][1][i], a->corner[k][2][i]);
        tb[k] = pose_apply(a_from_b, v3(b->corner[k][0][j], b->corner[k][1][j], b->corner[k][2][j]));
    }
    return sqrt(bi_triangle_distance_sq(ta, tb, &pa, &pb));
}

// What is cut is further apart than the limit, by the distance in double; the same bits of the mask everywhere.
static void triangles_that_are_cut_are_apart(void** state) {
    (void)state;
    Random random = {35};
    long kept = 0, cut = 0, cut_near = 0;
    for (int round = 0; round < test_scaled(20000); ++round) {
        const double size = round % 4 == 0 ? 1000.0 : round % 4 == 1 ? 1e-3 : 0.1;
        const Pose pose = test_pose(&random, 0.2 * size);
        TriangleNode a, b;
        random_triangles(&a, 0.3 * size, size * (round % 3 == 0 ? 1e-6 : 0.5), &random);
        random_triangles(&b, 0.3 * size, 0.5 * size, &random);
        BoxFrame frame;
        frame_for(&pose, 3 * size, &frame);
        const double limit = round % 2 ? 0.0 : bi_random_between(&random, 0, 0.1 * size);
        const float room = (float)limit * (1.0f + 8.0f * (float)BI_ULP_F) + 2.0f * frame.slack;
        const uint64_t wanted = bi_random_next(&random) | bi_random_next(&random);
        const uint64_t near = bi_simd_kernels_for(SIMD_PLAIN)->triangle_pairs(&a, &b, &frame, room, wanted);
        assert_true((near & ~wanted) == 0);
        for (int bit = 0; bit < BOX_PAIRS; ++bit) {
            if ((wanted & ~near) >> bit & 1u) {
                const double gap = triangle_gap(&a, &b, bit, &pose);
                assert_true(gap > limit);
                cut += 1;
                cut_near += gap < limit + 0.02 * size;
            }
            kept += near >> bit & 1u;
        }
        for (int isa = SIMD_PLAIN + 1; isa < SIMD_ISA_COUNT; ++isa) {
            const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
            assert_true(kernels == NULL || kernels->triangle_pairs(&a, &b, &frame, room, wanted) == near);
        }
        frame.t[round % 3] = NAN;
        assert_true(bi_simd_kernels()->triangle_pairs(&a, &b, &frame, room, wanted) == wanted);
    }
    assert_true(kept > 1000 && cut > 1000 && cut_near > 100);
}

// Lanes have the bits of bi_sincos: every quadrant, its borders, zeros of both signs, what is no angle.
static void turns_are_those_of_sincos(void** state) {
    (void)state;
    Random random = {36};
    static const double odd[] = {0.0,
                                 -0.0,
                                 1e6,
                                 -1e6,
                                 1.0000001e6,
                                 -1e300,
                                 1e-9,
                                 0x1p-1060,
                                 -1e-300,
                                 (double)INFINITY,
                                 (double)-INFINITY,
                                 (double)NAN};
    for (int round = 0; round < test_scaled(50000); ++round) {
        double x[2 * TURN_STEP], s[2 * TURN_STEP], c[2 * TURN_STEP];
        for (int i = 0; i < 2 * TURN_STEP; ++i) {
            const int kind = (int)(bi_random_next(&random) % 4);
            const double quarter = (double)(int64_t)(bi_random_next(&random) % 4001) - 2000.0;
            x[i] = kind == 0   ? bi_random_between(&random, -1e6, 1e6)
                   : kind == 1 ? odd[bi_random_next(&random) % (sizeof odd / sizeof odd[0])]
                   : kind == 2
                       ? quarter * 0.78539816339744831 * (1.0 + 1e-15 * bi_random_between(&random, -2, 2))
                       : bi_random_between(&random, -7, 7);
        }
        for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
            const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
            if (kernels == NULL) {
                continue;
            }
            kernels->turns(x, 2 * TURN_STEP, s, c);
            for (int i = 0; i < 2 * TURN_STEP; ++i) {
                double sine = 0.0, cosine = 0.0;
                bi_sincos(x[i], &sine, &cosine);
                assert_memory_equal(&s[i], &sine, sizeof sine);
                assert_memory_equal(&c[i], &cosine, sizeof cosine);
            }
        }
    }
}

// A hull's supports along two directions: the largest of all points, on every instruction set.
static void hull_supports_are_the_largest(void** state) {
    (void)state;
    Random random = {34};
    for (int round = 0; round < test_scaled(20000); ++round) {
        _Alignas(64) float points[4 * 64];
        const int32_t stride = HULL_STEP * (1 + (int32_t)(bi_random_next(&random) % 4));
        for (int32_t i = 0; i < 4 * stride; ++i) {
            points[i] = (float)bi_random_between(&random, i < 3 * stride ? -1 : 0, 1);
        }
        float n[2][3];
        for (int k = 0; k < 6; ++k) {
            n[k / 3][k % 3] = (float)bi_random_between(&random, -1, 1);
        }
        double most[2] = {-100, -100};
        for (int32_t i = 0; i < stride; ++i) {
            for (int k = 0; k < 2; ++k) {
                most[k] =
                    fmax(most[k], (double)n[k][0] * points[i] + (double)n[k][1] * points[stride + i] +
                                      (double)n[k][2] * points[2 * stride + i] + points[3 * stride + i]);
            }
        }
        for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
            const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
            float out[2], plain[2];
            if (kernels != NULL) {
                kernels->hull_supports(points, stride, n[0], n[1], out);
                bi_simd_kernels_for(SIMD_PLAIN)->hull_supports(points, stride, n[0], n[1], plain);
                assert_memory_equal(out, plain, sizeof out);
                // The slack that the motion room adds, for a size of 2.
                assert_true(fabs(most[0] - (double)out[0]) < 16 * BI_ULP_F * 2 * 3);
                assert_true(fabs(most[1] - (double)out[1]) < 16 * BI_ULP_F * 2 * 3);
            }
        }
    }
}

int test_simd_box(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_and_sets_agree),       cmocka_unit_test(nan_is_never_cut),
        cmocka_unit_test(spans_are_those_of_the_corners),   cmocka_unit_test(hull_supports_are_the_largest),
        cmocka_unit_test(triangles_that_are_cut_are_apart), cmocka_unit_test(turns_are_those_of_sincos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
