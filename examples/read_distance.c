// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How near is everything, and which way leads out? Moves the second joint in steps and prints the smallest gap and
// how fast it changes with that joint.
//     read_distance [SCENE]

#include <berth/berth.h>
#include <stdio.h>
#include <string.h>

enum { VALUES_MAX = 256, STEPS = 10, MOVED = 1 };

// One line: the joint's value, the proven gap, the two bodies, the derivative.
static BerthStatus print_gap(const BerthScene* scene, BerthChecker* checker, const double* values) {
    const BerthCheckRequest request = {.distance = true};
    BerthCheckResult result;
    BerthStatus status = berth_check_state(checker, values, &request, &result);
    if (status != BERTH_OK || !result.has_clearance) {
        printf("%8.3f  %s\n", values[MOVED],
               status == BERTH_OK ? berth_verdict_name(result.verdict) : "error");
        return status;
    }
    const BerthPairGap nearest = result.clearance;
    double gradient[VALUES_MAX];
    BerthGapGradient found;
    status = berth_check_gradient(checker, values, nearest.body_a, nearest.body_b, gradient, &found);
    printf("%8.3f  %.4f m  %s - %s", values[MOVED], nearest.lower,
           berth_scene_body_name(scene, nearest.body_a), berth_scene_body_name(scene, nearest.body_b));
    if (status == BERTH_OK && found.defined) {
        printf("  %+.4f m per unit", gradient[MOVED]);
    }
    printf("\n");
    return status;
}

int main(int argc, char** argv) {
    const char* path = argc > 1 ? argv[1] : "build/models/two_arms/cell.yaml";
    const BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    BerthChecker* checker = NULL;
    BerthStatus status = berth_io_read_scene(path, &options, &scene);
    if (status == BERTH_OK) {
        const BerthCheckerDef def = berth_default_checker_def();
        status = berth_checker_create(scene, &def, &checker);
    }
    const int32_t count = berth_scene_value_count(scene);
    if (status == BERTH_OK && (count <= MOVED || count > VALUES_MAX)) {
        fprintf(stderr, "%s: %d to %d values are expected, it has %d\n", path, MOVED + 1, VALUES_MAX,
                (int)count);
    } else if (status == BERTH_OK) {
        double values[VALUES_MAX];
        memcpy(values, berth_scene_values(scene), (size_t)count * sizeof *values);
        const double start = values[MOVED];
        for (int step = -STEPS; status == BERTH_OK && step <= STEPS; ++step) {
            values[MOVED] = start + 0.1 * step;
            status = print_gap(scene, checker, values);
        }
    }
    if (status != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
    }
    berth_checker_destroy(checker);
    berth_scene_destroy(scene);
    return status == BERTH_OK ? 0 : 2;
}
