// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Certificates: those of free segments hold, on random worlds and on real robots, straight and curved, with margins and
// tracking errors; damaged ones do not.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <berth/io.h>

#include "math/math.h"
#include "motion/certificate.h"
#include "scene/scene.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/worlds.h"

enum { VALUES_MAX = 200, SEGMENTS_MAX = 64 };

/// A motion, its certificate, and what was asked.
typedef struct Case {
    int32_t value_count;
    int count;
    double from[SEGMENTS_MAX][VALUES_MAX], to[SEGMENTS_MAX][VALUES_MAX];
    BerthCurve curves[SEGMENTS_MAX][VALUES_MAX];
    BerthSegment segments[SEGMENTS_MAX];
    double errors[VALUES_MAX];
    BerthMotionDef def;
    BerthMotion* motion;
    BerthCertificate* certificate;
} Case;

typedef struct Tally {
    int64_t certificates, segments, records, configurations;
    int64_t kinds[PROOF_KIND_COUNT], constants;
    int deepest;
} Tally;

static void open_case(Case* c, const BerthScene* scene, double margin, double error, BerthMethod method) {
    memset(c, 0, sizeof *c);
    c->value_count = berth_scene_value_count(scene);
    assert_true(c->value_count <= VALUES_MAX);
    c->def = berth_default_motion_def();
    c->def.margin = margin;
    c->def.method = method;
    for (int i = 0; i < c->value_count; ++i) {
        c->errors[i] = error;
    }
    c->def.tracking_error = c->errors;
    assert_int_equal(berth_motion_create(scene, &c->def, &c->motion), BERTH_OK);
    assert_int_equal(berth_certificate_create(c->motion, NULL, &c->certificate), BERTH_OK);
}

static void close_case(Case* c) {
    berth_certificate_destroy(c->certificate);
    berth_motion_destroy(c->motion);
}

// Records the segment from `from` to `to` when it is free; forgets it otherwise.
static bool add_segment(Case* c, const double* from, const double* to, bool curved, Random* random) {
    const size_t size = (size_t)c->value_count * sizeof *from;
    const int at = c->count;
    memcpy(c->from[at], from, size);
    memcpy(c->to[at], to, size);
    c->segments[at] = (BerthSegment){c->value_count, c->from[at], c->to[at], NULL};
    for (int i = 0; curved && i < c->value_count; ++i) {
        const double way = to[i] - from[i];
        const double sway = bi_random_between(random, -0.3, 0.3) * way;
        c->curves[at][i] = (BerthCurve){{from[i], sway, 3.0 * way - 2.0 * sway, sway - 2.0 * way, 0, 0}};
        c->segments[at].curves = c->curves[at];
    }
    BerthMotionRequest request = {0};
    BerthMotionResult result;
    BerthStatus status = berth_motion_segment(c->motion, &c->segments[at], &request, &result);
    if (status != BERTH_OK || result.verdict != BERTH_FREE) {
        return false;
    }
    request.certificate = c->certificate;
    status = berth_motion_segment(c->motion, &c->segments[at], &request, &result);
    assert_int_equal(status, BERTH_OK);
    assert_int_equal(result.verdict, BERTH_FREE);
    c->count += 1;
    return true;
}

static void count_kinds(const Case* c, Tally* tally) {
    for (int64_t i = 0; i < c->certificate->record_count; ++i) {
        tally->kinds[c->certificate->records[i].kind] += 1;
        tally->deepest = c->certificate->records[i].level > tally->deepest ? c->certificate->records[i].level
                                                                           : tally->deepest;
    }
    tally->constants += c->certificate->constant_count;
}

static void verify_case(const Case* c, const BerthScene* scene, Tally* tally) {
    BerthCertificateReport report;
    const BerthStatus status =
        berth_certificate_verify(c->certificate, scene, c->segments, c->count, &c->def, &report);
    if (status != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    tally->certificates += 1;
    tally->segments += c->count;
    tally->records += report.records;
    tally->configurations += report.configurations;
    count_kinds(c, tally);
}

static void tell(const char* what, const Tally* t) {
    print_message(
        "report %s: %lld certificates of %lld segments hold; %lld records (%lld balls, %lld planes, %lld "
        "distances, %lld half-spaces, %lld constant), %lld configurations, deepest level %d\n",
        what, (long long)t->certificates, (long long)t->segments, (long long)t->records,
        (long long)t->kinds[PROOF_BALLS], (long long)t->kinds[PROOF_PLANE],
        (long long)t->kinds[PROOF_DISTANCE], (long long)t->kinds[PROOF_HALF_SPACE], (long long)t->constants,
        (long long)t->configurations, t->deepest);
}

// Half a way to another state, or a short one; quaternions go to another orientation whole.
static void random_segments(Case* c, const World* world, Random* random, int tries, int most) {
    double from[VALUES_MAX];
    double to[VALUES_MAX];
    for (int i = 0; i < tries && c->count < most; ++i) {
        world_values(world, random, from);
        world_values(world, random, to);
        const double share = bi_random_between(random, 0.0, i % 2 == 0 ? 0.5 : 0.05);
        bool curved = i % 3 == 0;
        for (int k = 0; k < c->value_count; ++k) {
            to[k] = from[k] + share * (to[k] - from[k]);
        }
        add_segment(c, from, to, curved, random);
    }
}

static void test_random_worlds(void** state) {
    (void)state;
    Case* c = malloc(sizeof *c);
    Tally tally = {0};
    const int count = test_scaled(240);
    for (int seed = 0; seed < count; ++seed) {
        Random random = {(uint64_t)seed * 7919 + 5};
        const WorldPlan plan = {.style = (WorldStyle)(seed % WORLD_STYLE_COUNT),
                                .robots = 1 + seed % 2,
                                .joints = 2 + seed % 5,
                                .objects = 1 + seed % 4};
        World* world = world_make(&random, &plan);
        open_case(c, world->scene, seed % 3 == 0 ? 0.01 : 0.0, seed % 4 == 0 ? 0.002 : 0.0,
                  seed % 5 == 0 ? BERTH_METHOD_ADAPTIVE : BERTH_METHOD_DEFAULT);
        random_segments(c, world, &random, 30, 6);
        if (c->count > 0) {
            verify_case(c, world->scene, &tally);
        }
        close_case(c);
        world_destroy(world);
    }
    tell("random worlds", &tally);
    assert_true(tally.kinds[PROOF_BALLS] > 0 && tally.kinds[PROOF_PLANE] > 0);
    assert_true(tally.kinds[PROOF_DISTANCE] > 0 && tally.kinds[PROOF_HALF_SPACE] > 0);
    assert_true(tally.segments > count);
    free(c);
}

int test_motion_certificate(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
