// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Certificates as things: made, filled by the search, destroyed. Not hot: a query records only when it is asked to.

#include <string.h>

#include "motion/motion.h"

/// A found bound is told smaller by this share of itself: the verifier rounds in its own way.
#define BOUND_SHARE 0x1p-30

BerthCertificate* bi_certificate_new(const BerthAllocator* allocator, int32_t value_count,
                                     int32_t constant_count) {
    const BerthAllocator from = bi_allocator_or_default(allocator);
    BerthCertificate* certificate = bi_take(&from, 1, sizeof *certificate);
    if (certificate == NULL) {
        return NULL;
    }
    certificate->allocator = from;
    certificate->value_count = value_count;
    certificate->constant_count = constant_count;
    certificate->tracking_error = bi_take(&from, (size_t)value_count, sizeof *certificate->tracking_error);
    certificate->constants = bi_take(&from, (size_t)constant_count, sizeof *certificate->constants);
    if (certificate->tracking_error == NULL || certificate->constants == NULL) {
        berth_certificate_destroy(certificate);
        return NULL;
    }
    return certificate;
}

void berth_certificate_destroy(BerthCertificate* c) {
    if (c == NULL) {
        return;
    }
    const BerthAllocator from = c->allocator;
    bi_give(&from, c->tracking_error, (size_t)c->value_count, sizeof *c->tracking_error);
    bi_give(&from, c->constants, (size_t)c->constant_count, sizeof *c->constants);
    bi_give(&from, c->segments, (size_t)c->segment_capacity, sizeof *c->segments);
    bi_give(&from, c->records, (size_t)c->record_capacity, sizeof *c->records);
    bi_give(&from, c, 1, sizeof *c);
}

static double told(double bound, double margin) {
    const double smaller = bound - BOUND_SHARE * fabs(bound);
    return smaller > margin ? smaller : margin;
}

BerthStatus berth_certificate_create(const BerthMotion* motion, const BerthAllocator* allocator,
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
    BerthCertificate* c = bi_certificate_new(allocator, scene->value_count, checker->constant_count);
    if (c == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "certificate: out of memory");
    }
    c->motion = motion;
    c->margin = motion->margin;
    c->delta = motion->delta;
    c->pair_count = scene->pair_count;
    if (scene->value_count > 0) {
        memcpy(c->tracking_error, motion->tracking_error,
               (size_t)scene->value_count * sizeof *c->tracking_error);
    }
    for (int32_t i = 0; i < checker->constant_count; ++i) {
        const CheckConstant* constant = &checker->constants[i];
        c->constants[i] = (CertificateConstant){constant->pair, told(constant->answer.lower, c->margin)};
    }
    bi_certificate_hash_scene(scene, c->scene_hash);
    *out = c;
    return BERTH_OK;
}

int64_t berth_certificate_segment_count(const BerthCertificate* certificate, int64_t* proven) {
    int64_t count = 0;
    for (int64_t i = 0; i < certificate->segment_count; ++i) {
        count += certificate->segments[i].proven;
    }
    if (proven != NULL) {
        *proven = count;
    }
    return certificate->segment_count;
}

// Room for one more item in an array that doubles.
static bool grow(const BerthAllocator* from, void** items, int64_t count, int64_t* capacity, size_t size) {
    if (count < *capacity) {
        return true;
    }
    const int64_t larger = *capacity > 0 ? 2 * *capacity : 64;
    void* moved = bi_take(from, (size_t)larger, size);
    if (moved == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(moved, *items, (size_t)count * size);
    }
    bi_give(from, *items, (size_t)*capacity, size);
    *items = moved;
    *capacity = larger;
    return true;
}

bool bi_certificate_begin(BerthCertificate* c, const uint8_t hash[SHA256_SIZE]) {
    void* segments = c->segments;
    if (!grow(&c->allocator, &segments, c->segment_count, &c->segment_capacity, sizeof *c->segments)) {
        return false;
    }
    c->segments = segments;
    CertificateSegment* segment = &c->segments[c->segment_count++];
    *segment = (CertificateSegment){.first = c->record_count};
    memcpy(segment->hash, hash, SHA256_SIZE);
    c->full = false;
    return true;
}

bool bi_certificate_add(BerthCertificate* c, const CertificateRecord* record) {
    void* records = c->records;
    if (!grow(&c->allocator, &records, c->record_count, &c->record_capacity, sizeof *c->records)) {
        c->full = true;
        return false;
    }
    c->records = records;
    c->records[c->record_count++] = *record;
    c->segments[c->segment_count - 1].count += 1;
    return true;
}

BerthStatus bi_certificate_begin_segment(BerthCertificate* certificate, const BerthMotion* motion,
                                         const BerthSegment* segment) {
    if (certificate->motion != motion) {
        return bi_fail(BERTH_ERR_ARGUMENT, "certificate: it was not made for this motion");
    }
    uint8_t hash[SHA256_SIZE];
    bi_certificate_hash_segment(segment, hash);
    if (!bi_certificate_begin(certificate, hash)) {
        return bi_fail(BERTH_ERR_MEMORY, "certificate: out of memory");
    }
    return BERTH_OK;
}

bool bi_certificate_note(BerthCertificate* certificate, double middle, double half,
                         const CertificateRecord* record) {
    CertificateRecord full = *record;
    for (double width = 2.0 * half; width < 1.0 && full.level < CERTIFICATE_LEVEL_MAX; width *= 2.0) {
        full.level += 1;
    }
    full.index = (uint64_t)((middle - half) / (2.0 * half));
    full.bound = told(record->bound, certificate->margin);
    return bi_certificate_add(certificate, &full);
}

BerthStatus bi_certificate_end(BerthCertificate* certificate, bool free) {
    CertificateSegment* segment = &certificate->segments[certificate->segment_count - 1];
    segment->proven = free && !certificate->full;
    if (!segment->proven) {
        segment->count = 0;
        certificate->record_count = segment->first;
    }
    return certificate->full ? bi_fail(BERTH_ERR_MEMORY, "certificate: out of memory") : BERTH_OK;
}
