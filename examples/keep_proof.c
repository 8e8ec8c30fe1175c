// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A proof that can be kept: checks a motion, writes its certificate, reads it again and verifies it by code that shares
// nothing with the search.
//     keep_proof [SCENE [PROOF]]

#include <berth/berth.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// From the scene's own state to one in which the first joint is a quarter of a radian further.
static double* make_goal(const BerthScene* scene) {
    const size_t count = (size_t)berth_scene_value_count(scene);
    double* goal = malloc(count * sizeof *goal);
    if (goal != NULL) {
        memcpy(goal, berth_scene_values(scene), count * sizeof *goal);
        goal[0] += 0.25;
    }
    return goal;
}

/// Checks the segment and writes what proves it.
static BerthStatus write_proof(const BerthScene* scene, const BerthSegment* segment, const char* path) {
    const BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* checker = NULL;
    BerthCertificate* proof = NULL;
    BerthStatus status = berth_motion_checker_create(scene, &def, &checker);
    if (status == BERTH_OK) {
        status = berth_certificate_create(checker, NULL, &proof);
    }

    BerthMotionResult answer = {.verdict = BERTH_UNKNOWN};
    if (status == BERTH_OK) {
        const BerthMotionRequest request = {.certificate = proof};
        status = berth_motion_check_segment(checker, segment, &request, &answer);
    }
    if (status == BERTH_OK) {
        printf("the motion is %s\n", berth_verdict_name(answer.verdict));
        status = berth_io_write_certificate(path, proof, scene, NULL);
    }

    berth_certificate_destroy(proof);
    berth_motion_checker_destroy(checker);
    return status;
}

/// Somebody else: has the scene, the motion and the file.
static BerthStatus verify_proof(const BerthScene* scene, const BerthSegment* segment, const char* path) {
    BerthCertificate* proof = NULL;
    BerthCertificateReport report;
    BerthStatus status = berth_io_read_certificate(path, scene, NULL, &proof);
    if (status == BERTH_OK) {
        // What the checker of write_proof was asked for: its margin and tracking error.
        const BerthMotionCheckerDef def = berth_default_motion_checker_def();
        const BerthVerifyDef asked = berth_motion_verify_def(&def);
        status = berth_certificate_verify(proof, scene, segment, 1, &asked, &report);
    }
    if (status == BERTH_OK) {
        printf("the proof holds: %lld records, every gap is larger than %.4f m\n", (long long)report.records,
               report.clearance);
    }
    berth_certificate_destroy(proof);
    return status;
}

int main(int argc, char** argv) {
    const char* scene_path = argc > 1 ? argv[1] : "build/models/two_arms/cell.yaml";
    const char* proof_path = argc > 2 ? argv[2] : "build/example_proof.txt";
    BerthScene* scene = NULL;
    BerthStatus status = berth_io_read_scene(scene_path, NULL, &scene);
    double* goal = status == BERTH_OK ? make_goal(scene) : NULL;
    if (goal != NULL) {
        const BerthSegment segment = {
            .value_count = berth_scene_value_count(scene), .from = berth_scene_values(scene), .to = goal};
        status = write_proof(scene, &segment, proof_path);
        if (status == BERTH_OK) {
            status = verify_proof(scene, &segment, proof_path);
        }
    }

    if (status != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
    }
    free(goal);
    berth_scene_destroy(scene);
    return status == BERTH_OK ? 0 : 2;
}
