// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A distance gradient used: of the pairs that joints can move apart, the nearest one is, step by step.
//     follow_gradient [SCENE]

#include <berth/berth.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20 };
static const double STEP = 0.02;  // radian (or metre) of the whole state

typedef struct Descent {
    BerthChecker* checker;
    int32_t value_count;
    double* values;
    double* gradient;
} Descent;

/// One step along the gradient of this pair's gap; false when no joint changes it.
static bool step_away(Descent* d, const BerthPairGap* pair) {
    BerthGapGradient found;
    const BerthStatus status =
        berth_check_gradient(d->checker, d->values, pair->body_a, pair->body_b, d->gradient, &found);
    double length = 0.0;
    for (int32_t i = 0; i < d->value_count; ++i) {
        length += d->gradient[i] * d->gradient[i];
    }
    length = sqrt(length);
    if (status != BERTH_OK || !found.defined || !(length > 0.01)) {
        return false;
    }

    for (int32_t i = 0; i < d->value_count; ++i) {
        d->values[i] += STEP * d->gradient[i] / length;
    }
    return true;
}

/// Pairs come nearest first: the first one that joints can part is moved apart. Its gap before that in `gap`.
static bool part_nearest(Descent* d, const BerthScene* scene, double* gap) {
    const BerthCheckRequest request = {.distance = true, .all = true};
    BerthCheckResult result;
    if (berth_check_state(d->checker, d->values, &request, &result) != BERTH_OK || !result.has_clearance) {
        return false;
    }

    for (int32_t i = 0; i < result.pair_count; ++i) {
        const BerthPairGap pair = result.pairs[i];
        if (step_away(d, &pair)) {
            *gap = pair.lower;
            printf("%.4f m between %s and %s\n", pair.lower, berth_scene_body_name(scene, pair.body_a),
                   berth_scene_body_name(scene, pair.body_b));
            return true;
        }
    }
    return false;
}

static int run(Descent* d, const BerthScene* scene) {
    double first = 0.0;
    double last = 0.0;
    if (!part_nearest(d, scene, &first)) {
        fprintf(stderr, "the scene's own state is not free, or nothing can be moved apart\n");
        return 1;
    }
    for (int step = 0; step < STEPS && part_nearest(d, scene, &last); ++step) {
    }

    printf("from %.4f m to %.4f m\n", first, last);
    return last > first ? 0 : 1;
}

int main(int argc, char** argv) {
    const char* path = argc > 1 ? argv[1] : "build/models/two_arms/cell.yaml";
    BerthScene* scene = NULL;
    Descent d = {0};
    BerthStatus status = berth_io_read_scene(path, NULL, &scene);
    if (status == BERTH_OK) {
        const BerthCheckerDef def = berth_default_checker_def();
        status = berth_checker_create(scene, &def, &d.checker);
    }
    if (status != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
        berth_scene_destroy(scene);
        return 2;
    }

    d.value_count = berth_scene_value_count(scene);
    d.values = calloc((size_t)d.value_count, sizeof *d.values);
    d.gradient = calloc((size_t)d.value_count, sizeof *d.gradient);
    int result = 2;
    if (d.values != NULL && d.gradient != NULL) {
        memcpy(d.values, berth_scene_values(scene), (size_t)d.value_count * sizeof *d.values);
        result = run(&d, scene);
    }

    free(d.values);
    free(d.gradient);
    berth_checker_destroy(d.checker);
    berth_scene_destroy(scene);
    return result;
}
