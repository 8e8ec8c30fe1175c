// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Certificates as objects: created, filled record by record, destroyed.

#include "certificate/certificate.h"

#include "scene/scene.h"
#include "tree/solid.h"

#include <stdio.h>
#include <string.h>

BerthCertificate* bi_certificate_new(const BerthAllocator* allocator, int32_t value_count,
                                     int64_t constant_count) {
    const BerthAllocator from = bi_allocator_or_default(allocator);
    BerthCertificate* certificate = bi_take(&from, 1, sizeof *certificate);
    if (certificate == NULL) {
        return NULL;
    }
    certificate->allocator = from;
    certificate->value_count = value_count;
    certificate->constant_count = certificate->constant_capacity = constant_count;
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
    bi_give(&from, c->constants, (size_t)c->constant_capacity, sizeof *c->constants);
    bi_give(&from, c->segments, (size_t)c->segment_capacity, sizeof *c->segments);
    bi_give(&from, c->records, (size_t)c->record_capacity, sizeof *c->records);
    bi_give(&from, c, 1, sizeof *c);
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

void berth_certificate_set_interpolation(BerthCertificate* certificate, const char* name) {
    (void)snprintf(certificate->interpolation, sizeof certificate->interpolation, "%s",
                   name != NULL ? name : "");
}

// Room for one more item in an array that doubles.
static bool grow_array(const BerthAllocator* from, void** items, int64_t count, int64_t* capacity,
                       size_t size) {
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

bool bi_certificate_add_constant(BerthCertificate* c, const CertificateConstant* constant) {
    void* constants = c->constants;
    if (!grow_array(&c->allocator, &constants, c->constant_count, &c->constant_capacity,
                    sizeof *c->constants)) {
        return false;
    }
    c->constants = constants;
    c->constants[c->constant_count++] = *constant;
    return true;
}

bool bi_certificate_begin(BerthCertificate* c, const uint8_t hash[SHA256_SIZE], double start,
                          double duration) {
    void* segments = c->segments;
    if (!grow_array(&c->allocator, &segments, c->segment_count, &c->segment_capacity, sizeof *c->segments)) {
        return false;
    }
    c->segments = segments;
    CertificateSegment* segment = &c->segments[c->segment_count++];
    *segment = (CertificateSegment){.start = start, .duration = duration, .first = c->record_count};
    memcpy(segment->hash, hash, SHA256_SIZE);
    c->full = false;
    return true;
}

bool bi_certificate_add(BerthCertificate* c, const CertificateRecord* record) {
    void* records = c->records;
    if (!grow_array(&c->allocator, &records, c->record_count, &c->record_capacity, sizeof *c->records)) {
        c->full = true;
        return false;
    }
    c->records = records;
    c->records[c->record_count++] = *record;
    c->segments[c->segment_count - 1].count += 1;
    return true;
}

int64_t bi_certificate_record_count(const BerthCertificate* certificate) {
    return certificate->record_count;
}

void bi_certificate_drop_records(BerthCertificate* certificate, int64_t count) {
    certificate->segments[certificate->segment_count - 1].count -= certificate->record_count - count;
    certificate->record_count = count;
}

int32_t bi_certificate_leaf_count(const BerthScene* scene, int32_t body) {
    const SceneBody* b = &scene->bodies[body];
    int32_t count = 0;
    for (int32_t i = b->first_part; i < b->first_part + b->part_count; ++i) {
        count += solid_leaf_count(scene->parts[i].solid);
    }
    return count;
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
