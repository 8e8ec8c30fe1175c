// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a file of states (CSV or .npy) and as a state on a command line.

#include <stdlib.h>
#include <string.h>

#include "io/motion/states.h"
#include "scene/scene.h"
#include "support/arms.h"
#include "support/target.h"

static void check(const BerthScene* scene, const double* values) {
    if (berth_scene_check_values(scene, values, NULL, NULL) != BERTH_OK) {
        abort();  // what was read is always a state
    }
}

FUZZ_TARGET(bytes, size) {
    const BerthScene* scene = fuzz_two_arms();
    const BerthIoOptions options = berth_default_io_options();
    BerthStates states;
    if (bi_io_states_from_bytes("fuzz", bytes, size, scene, &options, &states) == BERTH_OK) {
        for (int32_t i = 0; i < states.row_count; ++i) {
            check(scene, states.values + (size_t)i * (size_t)states.value_count);
        }
        berth_io_free_states(&states);
    }
    double values[16];
    memcpy(values, berth_scene_values(scene), (size_t)scene->value_count * sizeof *values);
    if (berth_io_parse_state(bytes, scene, values) == BERTH_OK) {
        check(scene, values);
    }
}
