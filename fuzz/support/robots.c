// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One copy of the tests' robots and files for all fuzz targets, which do not link the tests' library.

#include "../../test/support/arms.c"
#include "../../test/support/memory_files.c"

#include <stdlib.h>

#include "support/arms.h"

static BerthScene* make_two_arms(void) {
    static const char* const names[] = {"left", "right"};
    BerthScene* scene = NULL;
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
    return scene;
}

const BerthScene* fuzz_two_arms(void) {
    static BerthScene* scene;
    if (scene == NULL) {
        scene = make_two_arms();
    }
    return scene;
}
