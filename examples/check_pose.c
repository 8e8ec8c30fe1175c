// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Is this pose free? Reads a scene, asks about its own state, and says what touches what.
//     check_pose [SCENE]

#include <berth/berth.h>
#include <stdio.h>

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
    BerthCheckResult result;
    if (status == BERTH_OK) {
        const BerthCheckRequest request = {.all = true};
        status = berth_check_state(checker, berth_scene_values(scene), &request, &result);
    }
    if (status != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
    } else {
        printf("%s\n", berth_verdict_name(result.verdict));
        for (int32_t i = 0; i < result.hit_count; ++i) {
            const BerthHit* hit = &result.hits[i];
            printf("  %s touches %s at (%.3f, %.3f, %.3f)\n", berth_scene_body_name(scene, hit->body_a),
                   berth_scene_body_name(scene, hit->body_b), hit->point.x, hit->point.y, hit->point.z);
        }
    }
    berth_checker_destroy(checker);
    berth_scene_destroy(scene);
    return status != BERTH_OK ? 2 : result.verdict == BERTH_FREE ? 0 : 1;
}
