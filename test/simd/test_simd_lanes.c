// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-timeout: 1800
// Sine and cosine of float lanes: off by no more than LANE_SINCOS_ERROR, for every float up to LANE_ANGLE_MOST in the long form, for
// one in some thousand else and all that are next to multiples of pi/2.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "simd/lane_layout.h"
#include "simd/lane_sincos.h"
#include "support/bits.h"
#include "support/setting.h"

/// The largest error, and where.
typedef struct Worst {
    double error;
    float at;
    int64_t tried;
} Worst;

static void note_error(Worst* worst, float x, double error) {
    if (!(error <= worst->error)) {
        worst->error = error;
        worst->at = x;
    }
}

static void try_floats(const float x[WIDE], Worst* worst) {
    f32w sine, cosine;
    lane_sincos(wide_load(x), &sine, &cosine);
    _Alignas(64) float s[WIDE], c[WIDE];
    wide_store(s, sine);
    wide_store(c, cosine);
    for (int i = 0; i < WIDE; ++i) {
        note_error(worst, x[i], fabs((double)s[i] - sin((double)x[i])));
        note_error(worst, x[i], fabs((double)c[i] - cos((double)x[i])));
    }
    worst->tried += WIDE;
}

// Floats `stride` apart, of both signs.
static void try_range(uint32_t from, uint32_t to, uint32_t stride, Worst* worst) {
    _Alignas(64) float x[WIDE];
    for (uint64_t bits = from; bits <= to; bits += (uint64_t)stride * (WIDE / 2)) {
        for (int i = 0; i < WIDE; ++i) {
            const uint64_t at = bits + (uint64_t)stride * (uint64_t)(i / 2);
            const float value = float_of_bits((uint32_t)(at < to ? at : to));
            x[i] = i % 2 == 0 ? value : -value;
        }
        try_floats(x, worst);
    }
}

static void test_error(void** state) {
    (void)state;
    Worst worst = {0};
    const uint32_t most = bits_of_float(LANE_ANGLE_MOST);
    try_range(0, most, test_is_long() ? 1 : 4099, &worst);
    for (int k = 1; k <= 10; ++k) {  // where a quarter of a turn is taken off, and in the middle between
        const uint32_t near = bits_of_float((float)(k * 0.785398163397448));
        try_range(near - 20000, near + 20000 < most ? near + 20000 : most, 1, &worst);
    }

    print_message(
        "report lane_sincos: %lld floats, off by %.4g at most (%.3f of u), at %.9g; LANE_SINCOS_ERROR %.4g\n",
        (long long)worst.tried, worst.error, worst.error / 0x1p-24, (double)worst.at, LANE_SINCOS_ERROR);
    assert_true(worst.error <= LANE_SINCOS_ERROR);
    assert_true(worst.error > 0.5 * LANE_SINCOS_ERROR);  // and not a bound that says nothing
    // A turn multiplies both by columns of a rotation, and rounds twice an entry; frames_create.c counts 24 u as a matrix.
    const double u = 0x1p-24;
    assert_true(sqrt(2.0) * LANE_SINCOS_ERROR + 3.0 * 2.0 * u < 24.0 * u);
}

int test_simd_lanes(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error),
    };
    return cmocka_run_group_tests_name("simd: lanes", tests, NULL, NULL);
}
