// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a certificate, as they are and with the checksum put right: an error, or a certificate that is then held
// against the motion it is about. One that passes must be true: the motion is free.

#include <berth/motion.h>

#include "certificate/certificate.h"
#include "io/motion/certificate.h"
#include "scene/scene.h"
#include "support/arms.h"
#include "support/target.h"

// An arm that passes a wall closely, which may move on its own. No hash in a file decides: they are put right too.
static BerthScene* the_scene(void) {
    static BerthScene* scene;
    if (scene == NULL) {
        need(berth_scene_create(NULL, &scene) == BERTH_OK);
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        def.robot = test_arm(false, NULL);
        def.own = true;
        need(berth_scene_add_robot(scene, &def, NULL) == BERTH_OK);
        BerthObjectDef object = berth_default_object_def();
        BerthShape box;
        BerthObjectId id;
        need(berth_shape_box((BerthVec3){0.4, 0.02, 0.4}, &box) == BERTH_OK);
        need(berth_solid_from_shape(&box, NULL, &object.solid) == BERTH_OK);
        object.name = "wall";
        object.pose.t = (BerthVec3){0.7, 0.2, 0.2};
        object.moving = true;
        object.speed = 0.001;
        need(berth_scene_add_object(scene, &object, &id) == BERTH_OK);
        need(berth_scene_commit(scene) == BERTH_OK);
    }
    return scene;
}

static void judge(const char* bytes, size_t size, const BerthSegment* segment) {
    const BerthIoOptions options = berth_default_io_options();
    BerthCertificate* certificate = NULL;
    if (bi_io_certificate_from_bytes("fuzz", bytes, size, the_scene(), &options, &certificate) != BERTH_OK) {
        need(certificate == NULL);
        return;
    }
    bi_certificate_hash_scene(the_scene(), certificate->scene_hash);
    for (int64_t i = 0; i < certificate->segment_count; ++i) {
        certificate->segments[i].start = segment->start;
        certificate->segments[i].duration = segment->duration;
        bi_certificate_hash_segment(segment, certificate->moving, certificate->segments[i].hash);
    }
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.moving = certificate->moving;
    const BerthVerifyDef asked = berth_motion_verify_def(&def);
    BerthCertificateReport report;
    if (berth_certificate_verify(certificate, the_scene(), segment, 1, &asked, &report) == BERTH_OK) {
        BerthMotionChecker* motion = NULL;
        BerthMotionResult result;
        const BerthMotionRequest request = {0};
        need(berth_motion_checker_create(the_scene(), &def, &motion) == BERTH_OK);
        need(berth_motion_check_segment(motion, segment, &request, &result) == BERTH_OK);
        need(result.verdict != BERTH_COLLISION);
        berth_motion_checker_destroy(motion);
    }
    berth_certificate_destroy(certificate);
}

FUZZ_TARGET(bytes, size) {
    const double from[2] = {-0.5, -0.6};
    const double to[2] = {0.5, 0.6};
    const BerthSegment segment = {
        .value_count = 2, .from = from, .to = to, .timed = true, .start = 0.5, .duration = 2.0};
    need(the_scene()->value_count == 2);
    judge(bytes, size, &segment);

    // The last line is put right; a file without one gets it.
    const bool ends = size > 69 && memcmp(bytes + size - 69, "end ", 4) == 0;
    const size_t body = ends ? size - 69 : size;
    char* copy = malloc(body + 69);
    if (copy == NULL) {
        return;
    }
    memcpy(copy, bytes, body);

    Sha256 sha;
    uint8_t hash[SHA256_SIZE];
    bi_sha256_init(&sha);
    bi_sha256_add(&sha, copy, body);
    bi_sha256_end(&sha, hash);
    memcpy(copy + body, "end ", 4);
    bi_sha256_text(hash, copy + body + 4);
    copy[body + 68] = '\n';
    judge(copy, body + 69, &segment);
    free(copy);
}
