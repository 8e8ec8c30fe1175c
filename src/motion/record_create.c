// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Recording: a certificate for the segments that a motion checks, and what the search records in it. Not hot:
// a query records only on request.
// Entries: berth_certificate_create, berth_motion_verify_def; bi_motion_record_segment.

#include <string.h>

#include "motion/motion.h"

BerthStatus berth_certificate_create(const BerthMotionChecker* motion, const BerthAllocator* allocator,
                                     BerthCertificate** out) {
    *out = NULL;
    if (motion->method == BERTH_METHOD_FIXED) {
        return bi_fail(BERTH_ERR_ARGUMENT, "certificate: the fixed method samples and proves nothing");
    }

    if (motion->method == BERTH_METHOD_ADAPTIVE && motion->cover != BERTH_COVER_BISECT) {
        return bi_fail(BERTH_ERR_UNSUPPORTED,
                       "certificate: it lists halves of halves, so the cover must be BERTH_COVER_BISECT");
    }
    if (!motion->scene->committed || motion->scene->generation != motion->generation) {
        return bi_fail(BERTH_ERR_STALE, "certificate: the scene was changed after the motion was made");
    }

    const BerthScene* scene = motion->scene;
    const BerthChecker* checker = motion->checker;
    BerthCertificate* c = bi_certificate_new(allocator, scene->value_count, 0);
    if (c == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "certificate: out of memory");
    }

    c->recorder = motion;
    c->moving = motion->checker->reaches ? BERTH_MOVING_REACH : BERTH_MOVING_STAND;
    c->margin = motion->margin;
    c->self_margin = motion->self_margin;
    c->delta = motion->delta;
    c->pair_count = scene->pair_count;
    if (scene->value_count > 0) {
        memcpy(c->tracking_error, motion->tracking_error,
               (size_t)scene->value_count * sizeof *c->tracking_error);
    }

    const PlaneBodies bodies = {.scene = scene, .hulls = motion->part_hulls};
    for (int32_t i = 0; i < checker->constant_count; ++i) {
        const CheckConstant* constant = &checker->constants[i];
        if (!bi_certificate_record_constant(c, &bodies, constant->pair, constant->answer.lower)) {
            berth_certificate_destroy(c);
            return bi_fail(BERTH_ERR_MEMORY, "certificate: out of memory");
        }
    }

    bi_certificate_hash_scene(scene, c->scene_hash);
    *out = c;
    return BERTH_OK;
}

BerthVerifyDef berth_motion_verify_def(const BerthMotionCheckerDef* def) {
    if (def == NULL) {
        return (BerthVerifyDef){.stamp = 0};
    }
    return (BerthVerifyDef){.margin = def->margin,
                            .self_margin = def->self_margin,
                            .tracking_error = def->tracking_error,
                            .moving = def->moving,
                            .allocator = def->allocator,
                            .stamp = def->stamp};
}

BerthStatus bi_motion_record_segment(BerthCertificate* certificate, const BerthMotionChecker* motion,
                                     const BerthSegment* segment) {
    if (certificate->recorder != motion) {
        return bi_fail(BERTH_ERR_ARGUMENT, "certificate: it was not made for this motion");
    }
    uint8_t hash[SHA256_SIZE];
    bi_certificate_hash_segment(segment, certificate->moving, hash);
    const bool timed = certificate->moving == BERTH_MOVING_REACH;
    if (!bi_certificate_begin(certificate, hash, timed ? segment->start : 0.0,
                              timed ? segment->duration : 0.0)) {
        return bi_fail(BERTH_ERR_MEMORY, "certificate: out of memory");
    }
    return BERTH_OK;
}
