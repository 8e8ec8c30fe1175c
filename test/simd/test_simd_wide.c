// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Every function of wide.h and every kernel, each instruction set against plain C, bit for bit: numbers of all sizes, NaN,
// infinities, tiny numbers, zeros of both signs, and sums that lie half way between two floats.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "math/math.h"
#include "simd/wide_probe.h"
#include "support/bits.h"
#include "support/setting.h"

static const char* const op_names[PROBE_OP_COUNT] = {
    "set",  "copy",          "load8",  "pick8",    "add",     "sub",    "mul",  "div",    "fma",
    "fnma", "sqrt",          "max",    "min",      "abs",     "sign",   "gt",   "not_gt", "select",
    "pack", "quarter_turns", "to_int", "from_int", "int_mad", "gather", "slabs"};

// Of those that this machine can run.
static const WideProbe* probe_for(SimdIsa isa) {
    const WideProbe* probes[SIMD_ISA_COUNT] = {[SIMD_PLAIN] = &wide_probe_plain};
#if BI_X86
    probes[SIMD_SSE2] = &wide_probe_sse2;
    probes[SIMD_AVX2] = &wide_probe_avx2;
    probes[SIMD_AVX512] = &wide_probe_avx512;
#elif defined(__aarch64__)
    probes[SIMD_NEON] = &wide_probe_neon;
#endif
    return bi_simd_kernels_for(isa) != NULL ? probes[isa] : NULL;
}

static bool is_nan_bits(uint32_t bits) {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

// ---- numbers that are hard on somebody ----------------------------------------------------------------------------

static float any_float(Random* random) {
    static const float odd[] = {0.0f,
                                -0.0f,
                                1.0f,
                                -1.0f,
                                INFINITY,
                                -INFINITY,
                                NAN,
                                0x1p-149f,
                                -0x1p-149f,
                                0x1p-126f,
                                -0x1p-126f,
                                0x1.fffffcp-127f,
                                0x1.fffffep127f,
                                -0x1.fffffep127f,
                                0x1p-63f,
                                0x1.fffffep-64f,
                                0x1p64f};
    const uint64_t r = bi_random_next(random);
    const float sign = r & 1 ? 1.0f : -1.0f;
    switch (r >> 1 & 7) {
    case 0:
        return odd[(r >> 8) % (sizeof odd / sizeof odd[0])];
    case 1:  // any bits at all
        return float_of_bits((uint32_t)(r >> 32));
    case 2:  // a tiny number
        return float_of_bits((uint32_t)(r >> 32) & 0x807fffffu);
    case 3:  // near the smallest normal one, or its square root
        return sign *
               ldexpf(1.0f + (float)(r >> 40) * 0x1p-24f, (r >> 4 & 1 ? -63 : -126) + (int)(r >> 5 & 3));
    case 4:  // few bits: sums that are exact, or half way
        return sign * (float)(r >> 32 & 0xff) * ldexpf(1.0f, (int)(r >> 4 & 15) - 8);
    default:
        return sign * ldexpf(1.0f + (float)(r >> 40) * 0x1p-24f, (int)(r >> 4 & 31) - 16);
    }
}

// a * b + c half way between two floats, tiny ones too, up to far less than a double can tell: what two roundings get wrong.
static void half_way(Random* random, float* a, float* b, float* c) {
    const uint64_t r = bi_random_next(random);
    const int exponent = r & 1 ? (int)(r >> 8 & 127) - 60 : (int)(r >> 8 & 31) - 145;
    *c = ldexpf(1.0f + (float)(r >> 41) * 0x1p-23f, exponent);
    const int half_ulp = ilogbf(nextafterf(*c, INFINITY) - *c) - 1;

    // (1 + part)(1 - part): less than 1 by part^2; (1 + part)(1 - part + part^2), rounded: more; 1: exactly half way.
    const int kind = (int)(r >> 4 & 3);
    const float part = (float)(1 + (r >> 20 & 7)) * 0x1p-23f,
                wide_part = (float)(1 + (r >> 20 & 7)) * 0x1p-12f;
    const float first[4] = {1.0f, 1.0f + part, 1.0f + wide_part, 1.0f + part};
    const float second[4] = {1.0f, 1.0f - part, 1.0f - wide_part + wide_part * wide_part, 1.0f};
    *a = ldexpf(first[kind], half_ulp / 2) * (r >> 6 & 1 ? 1.0f : -1.0f);
    *b = ldexpf(second[kind], half_ulp - half_ulp / 2);
    *c *= r >> 7 & 1 ? 1.0f : -1.0f;
}

static void any_input(Random* random, ProbeInput* in) {
    for (int i = 0; i < PROBE_LANES; ++i) {
        in->a[i] = any_float(random);
        in->b[i] = any_float(random);
        in->c[i] = any_float(random);
        if (bi_random_next(random) % 3 == 0) {
            half_way(random, &in->a[i], &in->b[i], &in->c[i]);
        }
        in->whole[i] = (float)((int)(bi_random_next(random) % 33) - 16);
        in->index[i] = (int32_t)(bi_random_next(random) % PROBE_TABLE);
    }
    for (int i = 0; i < PROBE_TABLE; ++i) {
        in->table[i] = any_float(random);
    }
    in->mask = (uint32_t)bi_random_next(random) & 0xffffu;
    in->pick = (int)(bi_random_next(random) % 4) * 2;
}

// ---- functions of wide.h ------------------------------------------------------------------------------------------

static void complain(const char* what, SimdIsa isa, const ProbeInput* in, int lane, uint32_t got,
                     uint32_t wanted) {
    print_error("%s on set %d: of %a, %a, %a lane %d is %a (%#x), plain says %a (%#x)\n", what, (int)isa,
                (double)in->a[lane], (double)in->b[lane], (double)in->c[lane], lane,
                (double)float_of_bits(got), got, (double)float_of_bits(wanted), wanted);
}

// NaN has many bits: which come out is the processor's choice.
static bool are_same(uint32_t got, uint32_t wanted) {
    return got == wanted || (is_nan_bits(got) && is_nan_bits(wanted));
}

static int64_t compare_op(const WideProbe* probe, ProbeOp op, const ProbeInput* in) {
    ProbeOutput got = {0}, wanted = {0};
    probe->ask(op, in, false, &got);
    wide_probe_plain.ask(op, in, false, &wanted);
    for (int i = 0; i < PROBE_LANES; ++i) {
        if (!are_same(got.first[i], wanted.first[i]) || !are_same(got.second[i], wanted.second[i])) {
            complain(op_names[op], probe->isa, in, i, got.first[i], wanted.first[i]);
            return 1;
        }
    }
    return 0;
}

// Slabs are of numbers alone: kernels give no NaN there that decides anything, and infinities would make some.
static void only_numbers(ProbeInput* in) {
    for (int i = 0; i < PROBE_LANES; ++i) {
        in->a[i] = isfinite(in->a[i]) ? in->a[i] : 1.0f;
        in->b[i] = isfinite(in->b[i]) ? in->b[i] : 2.0f;
        in->c[i] = isfinite(in->c[i]) ? in->c[i] : 3.0f;
    }
}

static void functions_agree(void** state) {
    (void)state;
    const int rounds = test_scaled(20000);
    for (int isa = SIMD_PLAIN + 1; isa < SIMD_ISA_COUNT; ++isa) {
        const WideProbe* probe = probe_for((SimdIsa)isa);
        Random random = {77};
        int64_t wrong = 0;
        for (int round = 0; probe != NULL && round < rounds && wrong < 5; ++round) {
            ProbeInput in;
            any_input(&random, &in);
            for (int op = 0; op < PROBE_SLABS; ++op) {
                wrong += compare_op(probe, (ProbeOp)op, &in);
            }
            only_numbers(&in);
            wrong += compare_op(probe, PROBE_SLABS, &in);
        }
        assert_int_equal(wrong, 0);
    }
}

// Half way sums are there: rounding twice, as those would who forgot, gives other bits in many of them.
static void two_roundings_would_be_seen(void** state) {
    (void)state;
    Random random = {78};
    int seen = 0;
    for (int round = 0; round < 10000; ++round) {
        float a, b, c;
        half_way(&random, &a, &b, &c);
        seen += (float)((double)a * (double)b + (double)c) != fmaf(a, b, c);
    }
    assert_true(seen > 500);
}

static float flushed(float x) {
    return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}

// Inside of kernels tiny operands and results are 0. Plain C does not flush; what it gives, flushed by hand, is what the others
// must give. A result that becomes normal by rounding is either.
static int64_t compare_flushed(const WideProbe* probe, ProbeOp op, const ProbeInput* in) {
    ProbeOutput got = {0}, wanted = {0};
    ProbeInput cut = *in;
    for (int i = 0; i < PROBE_LANES; ++i) {
        cut.a[i] = flushed(in->a[i]);
        cut.b[i] = flushed(in->b[i]);
        cut.c[i] = flushed(in->c[i]);
    }
    probe->ask(op, in, true, &got);
    wide_probe_plain.ask(op, &cut, false, &wanted);
    for (int i = 0; i < PROBE_LANES; ++i) {
        const uint32_t whole = wanted.first[i];
        const bool is_number = op != PROBE_GT && op != PROBE_NOT_GT;
        const uint32_t cut_off = is_number ? bits_of_float(flushed(float_of_bits(whole))) : whole;
        const bool either =
            is_number && (whole & 0x7fffffffu) == 0x00800000u && (got.first[i] & 0x7fffffffu) == 0;
        if (!are_same(got.first[i], cut_off) && !either) {
            complain(op_names[op], probe->isa, in, i, got.first[i], cut_off);
            return 1;
        }
    }
    return 0;
}

static void flushing_agrees_and_ends(void** state) {
    (void)state;
    static const ProbeOp ops[] = {PROBE_ADD,  PROBE_SUB,  PROBE_MUL, PROBE_DIV,   PROBE_FMA,
                                  PROBE_FNMA, PROBE_SQRT, PROBE_GT,  PROBE_NOT_GT};
    const int rounds = test_scaled(10000);
    for (int isa = SIMD_PLAIN + 1; isa < SIMD_ISA_COUNT; ++isa) {
        const WideProbe* probe = probe_for((SimdIsa)isa);
        Random random = {79};
        int64_t wrong = 0;
        for (int round = 0; probe != NULL && round < rounds && wrong < 5; ++round) {
            ProbeInput in;
            any_input(&random, &in);
            for (size_t k = 0; k < sizeof ops / sizeof ops[0]; ++k) {
                wrong += compare_flushed(probe, ops[k], &in);
            }
            volatile float tiny = 0x1p-130f;  // tiny numbers are numbers again
            assert_true(tiny * 0.5f == 0x1p-131f);
        }
        assert_int_equal(wrong, 0);
    }
}

static double any_double(Random* random) {
    static const double odd[] = {0.0, -0.0, 1.0, 0x1p-1074, -0x1p-1022, 0x1.fffffffffffffp1023, 1e6, 0.5};
    const uint64_t r = bi_random_next(random), more = bi_random_next(random);
    if (r % 4 == 0) {
        double x;
        memcpy(&x, &more, sizeof x);
        return x;
    }
    if (r % 4 == 1) {
        return r % 16 == 1   ? (double)INFINITY
               : r % 16 == 5 ? (double)-INFINITY
               : r % 16 == 9 ? (double)NAN
                             : odd[(r >> 8) % (sizeof odd / sizeof odd[0])];
    }
    return r % 4 == 2 ? bi_random_between(random, -10, 10) : (double)((int)(more % 9) - 4);
}

static void doubles_agree(void** state) {
    (void)state;
    Random random = {80};
    const int rounds = test_scaled(20000);
    for (int round = 0; round < rounds; ++round) {
        double a[PROBE_LANES], b[PROBE_LANES], got[PROBE_LANES], wanted[PROBE_LANES];
        for (int i = 0; i < PROBE_LANES; ++i) {
            a[i] = any_double(&random);
            b[i] = any_double(&random);
        }
        double held[PROBE_LANES];
        for (int i = 0; i < PROBE_LANES; ++i) {
            held[i] = fabs(a[i]) < 0x1p31 ? fabs(a[i]) : 0.75;
        }
        for (int k = 0; k < PROBE64_OP_COUNT * SIMD_ISA_COUNT; ++k) {
            const WideProbe* probe = probe_for((SimdIsa)(k / PROBE64_OP_COUNT));
            if (probe == NULL) {
                continue;
            }
            const Probe64Op op = (Probe64Op)(k % PROBE64_OP_COUNT);
            const double* first = op == PROBE64_TRUNC || op == PROBE64_STORE_INTS ? held : a;
            wide_probe_plain.ask64(op, first, b, wanted);
            probe->ask64(op, first, b, got);
            for (int i = 0; i < PROBE_LANES; ++i) {
                assert_true((isnan(got[i]) && isnan(wanted[i])) ||
                            memcmp(&got[i], &wanted[i], sizeof got[i]) == 0);
            }
        }
    }
}

// ---- kernels ------------------------------------------------------------------------------------------------------

/// What kernels read, with numbers of any kind; mostly of one size, so that answers differ.
typedef struct KernelInput {
    BoxNode a, b;
    BoxFrame frame;
    TriangleNode triangles[2];
    _Alignas(64) float points[4 * 2 * HULL_STEP];
    _Alignas(64) float cloud[3 * 2 * POINTS_STEP];
    float n[2][3];
} KernelInput;

static void fill(float* values, size_t count, int odd_of_64, Random* random) {
    for (size_t i = 0; i < count; ++i) {
        const bool odd = (int)(bi_random_next(random) % 64) < odd_of_64;
        values[i] = odd ? any_float(random) : (float)bi_random_between(random, -1, 1);
    }
}

static void any_kernel_input(KernelInput* in, Random* random) {
    const int odd = (int)(bi_random_next(random) % 3) * 4;
    fill(&in->a.centre[0][0], 3 * BOX_LANES, odd, random);
    fill(&in->a.half[0][0], 3 * BOX_LANES, odd, random);
    fill(&in->b.centre[0][0], 3 * BOX_LANES, odd, random);
    fill(&in->b.half[0][0], 3 * BOX_LANES, odd, random);
    fill(&in->frame.turn[0][0], 9, odd, random);
    fill(&in->frame.abs_turn[0][0], 9, odd, random);
    fill(in->frame.t, 3, odd, random);
    in->frame.slack = 1e-6f;
    fill(&in->triangles[0].corner[0][0][0], 72, odd, random);
    fill(&in->triangles[1].corner[0][0][0], 72, odd, random);
    fill(in->points, sizeof in->points / sizeof in->points[0], odd, random);
    fill(in->cloud, sizeof in->cloud / sizeof in->cloud[0], odd, random);
    fill(&in->n[0][0], 6, odd, random);
}

/// What they write.
typedef struct KernelOutput {
    int32_t count;
    uint8_t pair[BOX_PAIRS];
    float bound[BOX_PAIRS];
    uint64_t near, within[2], not_beyond[2];
    float high[BOX_LANES], low[BOX_LANES], supports[2];
} KernelOutput;

static void ask_kernels(const SimdKernels* kernels, const KernelInput* in, KernelOutput* out) {
    memset(out, 0, sizeof *out);
    out->count = kernels->box_pairs(&in->a, &in->b, BOX_LANES, &in->frame, 0.5f, out->pair, out->bound);
    kernels->triangle_span(&in->triangles[0], in->n[0], out->high, out->low);
    out->near = kernels->triangle_pairs(&in->triangles[0], &in->triangles[1], &in->frame, 1e-3f, UINT64_MAX);
    kernels->hull_supports(in->points, 2 * HULL_STEP, in->n[0], in->n[1], out->supports);
    kernels->points_near(in->cloud, 2 * POINTS_STEP, in->n[0], 0.5f, 0.8f, out->within, out->not_beyond);
}

static bool same_floats(const float* a, const float* b, size_t count) {
    bool same = true;
    for (size_t i = 0; i < count; ++i) {
        same = same && are_same(bits_of_float(a[i]), bits_of_float(b[i]));
    }
    return same;
}

static void kernels_agree(void** state) {
    (void)state;
    Random random = {81};
    const int rounds = test_scaled(10000);
    int64_t kept = 0, cut = 0;
    for (int round = 0; round < rounds; ++round) {
        KernelInput in;
        KernelOutput wanted, got;
        any_kernel_input(&in, &random);
        ask_kernels(bi_simd_kernels_for(SIMD_PLAIN), &in, &wanted);
        kept += wanted.count + __builtin_popcountll(wanted.near);
        cut += 2 * BOX_PAIRS - wanted.count - __builtin_popcountll(wanted.near);
        for (int isa = SIMD_PLAIN + 1; isa < SIMD_ISA_COUNT; ++isa) {
            if (bi_simd_kernels_for((SimdIsa)isa) == NULL) {
                continue;
            }
            ask_kernels(bi_simd_kernels_for((SimdIsa)isa), &in, &got);
            assert_int_equal(got.count, wanted.count);
            assert_memory_equal(got.pair, wanted.pair, sizeof got.pair);
            assert_true(same_floats(got.bound, wanted.bound, BOX_PAIRS));
            assert_true(got.near == wanted.near);
            assert_memory_equal(got.within, wanted.within, sizeof got.within);
            assert_memory_equal(got.not_beyond, wanted.not_beyond, sizeof got.not_beyond);
            assert_true(same_floats(got.high, wanted.high, BOX_LANES) &&
                        same_floats(got.low, wanted.low, BOX_LANES));
            assert_true(same_floats(got.supports, wanted.supports, 2));
        }
    }
    assert_true(kept > 1000 && cut > 1000);
}

// Each point by itself, in double: nothing that is nearer than the one limit is left out, nothing further than the other is
// in, and between the two both happen.
static void near_points_are_those_of_doubles(void** state) {
    (void)state;
    Random random = {82};
    int64_t within = 0, between = 0, beyond = 0;
    for (int round = 0; round < test_scaled(400); ++round) {
        KernelInput in;
        any_kernel_input(&in, &random);
        fill(in.cloud, sizeof in.cloud / sizeof in.cloud[0], 0, &random);
        fill(in.n[0], 3, 0, &random);
        in.cloud[5] = NAN;
        for (int isa = SIMD_PLAIN; isa < SIMD_ISA_COUNT; ++isa) {
            const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
            KernelOutput out;
            if (kernels == NULL) {
                continue;
            }
            ask_kernels(kernels, &in, &out);
            for (int i = 0; i < 2 * POINTS_STEP; ++i) {
                double sq = 0.0;
                for (int axis = 0; axis < 3; ++axis) {
                    const double away = (double)in.cloud[axis * 2 * POINTS_STEP + i] - (double)in.n[0][axis];
                    sq += away * away;
                }
                const bool is_within = (out.within[i / 64] >> (i % 64) & 1) != 0;
                const bool is_possible = (out.not_beyond[i / 64] >> (i % 64) & 1) != 0;
                assert_true(isnan(sq) ? !is_within && is_possible : !is_within || is_possible);
                assert_true(!(sq < 0.5 - 1e-5) || is_within);
                assert_true(!(sq > 0.5 + 1e-5) || !is_within);
                assert_true(!(sq < 0.8 - 1e-5) || is_possible);
                assert_true(!(sq > 0.8 + 1e-5) || !is_possible);
                within += is_within ? 1 : 0;
                between += is_possible && !is_within ? 1 : 0;
                beyond += is_possible ? 0 : 1;
            }
        }
    }
    assert_true(within > 100 && between > 100 && beyond > 100);
}

// A ball by itself, as look_layout.h says.
static bool look_alone(const LookFrame* frame, const double ball[4], uint32_t* index, uint32_t* above) {
    const double r = ball[3] * frame->per_metre;
    double at[3];
    bool known = r < frame->most_radius && !(ball[3] < 0.0);
    for (int axis = 0; axis < 3; ++axis) {
        at[axis] = axis == 2 && frame->flat ? 0.5 : (ball[axis] - frame->origin[axis]) * frame->per_metre;
        known = known && fabs(at[axis] - frame->middle[axis]) < frame->inside[axis];
    }
    const double limit = r * frame->scale + frame->offset;
    *index = *above = 0;
    if (known) {
        *index = (uint32_t)at[0] +
                 (uint32_t)frame->row * ((uint32_t)at[1] + (uint32_t)frame->rows * (uint32_t)at[2]);
        *above = (uint32_t)(frame->squared ? limit * limit : limit);
    }
    return known;
}

static void any_look_frame(LookFrame* frame, Random* random) {
    static const uint32_t map[2] = {0};  // asked for, never read
    const double size[3] = {1.0 + (double)(bi_random_next(random) % 300),
                            1.0 + (double)(bi_random_next(random) % 300),
                            1.0 + (double)(bi_random_next(random) % 300)};
    *frame = (LookFrame){.per_metre = bi_random_next(random) % 2 == 0 ? 1.0 : 20.0,
                         .most_radius = 16000.0,
                         .row = size[0],
                         .rows = size[1],
                         .squared = bi_random_next(random) % 2 == 0,
                         .flat = size[2] == 1.0,
                         .map = map};
    frame->scale = frame->squared ? 2.000002 : 1.7323;
    frame->offset = frame->squared ? 1.7322 : 3.000001;
    for (int axis = 0; axis < 3; ++axis) {
        frame->origin[axis] = bi_random_next(random) % 2 == 0 ? 0.0 : bi_random_between(random, -5, 5);
        frame->middle[axis] = 0.5 * size[axis];
        frame->inside[axis] = frame->middle[axis] - 0x1p-20;
    }
}

static double any_place(const LookFrame* frame, int axis, Random* random) {
    const double range = 2.0 * frame->middle[axis];
    const uint64_t r = bi_random_next(random);
    if (r % 16 == 0) {
        return any_double(random);
    }
    const double cell = r % 4 == 0 ? floor(bi_random_between(random, 0, range + 1))
                                   : bi_random_between(random, -0.05 * range, 1.05 * range);
    return frame->origin[axis] + cell / frame->per_metre;
}

// Balls of all kinds into maps of all sizes, as many as a block has or fewer, one after the other or apart: every instruction set tells
// of each what it is by itself, and fills what is left with what can be asked for.
static void looks_are_those_of_one(void** state) {
    (void)state;
    Random random = {83};
    int64_t told[2] = {0, 0};
    for (int round = 0; round < test_scaled(3000); ++round) {
        LookFrame frame;
        double balls[4 * LOOKS_MOST * 3];
        any_look_frame(&frame, &random);
        const int64_t stride = 4 * (1 + (int64_t)(bi_random_next(&random) % 3));
        const int32_t count = (int32_t)(bi_random_next(&random) % (LOOKS_MOST + 1));
        for (int32_t i = 0; i < count; ++i) {
            double* ball = balls + i * stride;
            for (int axis = 0; axis < 3; ++axis) {
                ball[axis] = any_place(&frame, axis, &random);
            }
            ball[3] = bi_random_next(&random) % 16 == 0 ? any_double(&random)
                                                        : bi_random_between(&random, 0, 20) / frame.per_metre;
        }

        for (int isa = SIMD_PLAIN; isa < SIMD_ISA_COUNT; ++isa) {
            const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
            uint32_t index[LOOKS_MOST], above[LOOKS_MOST];
            if (kernels == NULL) {
                continue;
            }
            const uint64_t known = kernels->map_looks(&frame, balls, stride, count, index, above);
            assert_true(count == LOOKS_MOST || known >> count == 0);
            for (int32_t i = 0; i < count; ++i) {
                uint32_t one_index, one_above;
                const bool one = look_alone(&frame, balls + i * stride, &one_index, &one_above);
                assert_true(one == ((known >> i & 1) != 0));
                assert_true(index[i] == one_index && above[i] == one_above);
                ++told[one ? 1 : 0];
            }
            for (int32_t i = count; i % LOOKS_STEP != 0; ++i) {
                assert_true(index[i] <= frame.row * frame.rows * 2.0 * frame.middle[2]);
            }
        }
    }
    assert_true(told[0] > 100 && told[1] > 100);
}

int test_simd_wide(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_agree),
        cmocka_unit_test(two_roundings_would_be_seen),
        cmocka_unit_test(flushing_agrees_and_ends),
        cmocka_unit_test(doubles_agree),
        cmocka_unit_test(kernels_agree),
        cmocka_unit_test(looks_are_those_of_one),
        cmocka_unit_test(near_points_are_those_of_doubles),
    };
    return cmocka_run_group_tests_name("simd: wide", tests, NULL, NULL);
}
