// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a file of states (CSV or .npy) and as a state on a command line.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/motion/states.h"
#include "scene/scene.h"
#include "support/arms.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static BerthScene* the_scene(void) {
    static BerthScene* scene;
    if (scene == NULL) {
        static const char* const names[] = {"left", "right"};
        if (berth_scene_create(NULL, &scene) != BERTH_OK) {
            abort();
        }
        for (int i = 0; i < 2; ++i) {
            BerthSceneRobotDef def = berth_default_scene_robot_def();
            def.name = names[i];
            def.robot = test_arm(i == 1, NULL);
            def.own = true;
            if (berth_scene_add_robot(scene, &def, NULL) != BERTH_OK) {
                abort();
            }
        }
    }
    return scene;
}

static void check(const BerthScene* scene, const double* values) {
    if (berth_scene_check_values(scene, values, NULL, NULL) != BERTH_OK) {
        abort();  // what was read is always a state
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const BerthScene* scene = the_scene();
    char* copy = malloc(size + 1);
    if (copy == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    copy[size] = '\0';
    const BerthIoOptions options = berth_default_io_options();
    BerthStates states;
    if (bi_io_states_from_bytes("fuzz", copy, size, scene, &options, &states) == BERTH_OK) {
        for (int32_t i = 0; i < states.row_count; ++i) {
            check(scene, states.values + (size_t)i * (size_t)states.value_count);
        }
        berth_io_free_states(&states);
    }
    double values[16];
    memcpy(values, berth_scene_values(scene), (size_t)scene->value_count * sizeof *values);
    if (berth_io_parse_state(copy, scene, values) == BERTH_OK) {
        check(scene, values);
    }
    free(copy);
    return 0;
}
