// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Verifies a certificate: is it about this scene and these segments, does it list every pair, do its
// intervals cover each segment, and does every record prove what it claims? Includes nothing of the search of
// motions. What it takes from a robot's proven table is proven again (verify_table.c).
// Entries: berth_certificate_verify, at the end; berth_default_verify_def.

#include "certificate/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Verification {
    const BerthCertificate* certificate;
    const BerthScene* scene;
    const BerthSegment* segments;
    BerthCertificateReport* report;
} Verification;

static const uint64_t segment_end = (uint64_t)1 << CERTIFICATE_LEVEL_MAX;

static double time_of(uint64_t at) {
    return (double)at / (double)segment_end;
}

static VerifyBox cover_box(const BerthScene* scene, const CertificateRecord* record) {
    const int shift = CERTIFICATE_LEVEL_MAX - record->level;
    VerifyBox box = {.pair = record->pair,
                     .whole = record->count_a == 0,
                     .start = record->index << shift,
                     .end = (record->index + 1) << shift,
                     .low_a = record->first_a,
                     .high_a = record->first_a + record->count_a,
                     .low_b = record->first_b,
                     .high_b = record->first_b + record->count_b};
    if (box.whole) {
        box.low_a = box.low_b = 0;
        box.high_a = bi_certificate_leaf_count(scene, scene->pairs[record->pair].body_a);
        box.high_b = bi_certificate_leaf_count(scene, scene->pairs[record->pair].body_b);
    }
    return box;
}

// Which pair, when on which segment: what the report says when the check that follows fails.
static void report_where(const Verification* v, int64_t segment, int32_t pair, double t_low, double t_high) {
    v->report->segment = segment;
    v->report->body_a = v->scene->pairs[pair].body_a;
    v->report->body_b = v->scene->pairs[pair].body_b;
    v->report->t_low = t_low;
    v->report->t_high = t_high;
}

static const char* name_a(const Verification* v) {
    return v->scene->bodies[v->report->body_a].name;
}

static const char* name_b(const Verification* v) {
    return v->scene->bodies[v->report->body_b].name;
}

static BerthStatus check_settings(const Verification* v, const BerthVerifyDef* def) {
    const BerthCertificate* c = v->certificate;
    if (c->value_count != v->scene->value_count || c->pair_count != v->scene->pair_count) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "certificate: it has %d values and %d pairs of bodies, the scene has %d and %d",
                       (int)c->value_count, (int)c->pair_count, (int)v->scene->value_count,
                       (int)v->scene->pair_count);
    }

    if (!(c->margin >= def->margin) || !(c->margin < (double)INFINITY)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "certificate: it is about a margin of %g m, %g m is asked for",
                       c->margin, def->margin);
    }
    const double self_margin = def->self_margin >= 0.0 ? def->self_margin : def->margin;
    if (!(c->self_margin >= self_margin) || !(c->self_margin < (double)INFINITY)) {
        return bi_fail(
            BERTH_ERR_ARGUMENT,
            "certificate: it is about a margin of %g m between a robot's own links, %g m is asked for",
            c->self_margin, self_margin);
    }

    if (def->moving == BERTH_MOVING_REACH && c->moving != BERTH_MOVING_REACH) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "certificate: it takes objects that may move as standing, a proof for all that they "
                       "can reach is asked for");
    }

    for (int32_t i = 0; i < c->value_count; ++i) {
        const double asked = def->tracking_error != NULL ? def->tracking_error[i] : 0.0;
        if (!(c->tracking_error[i] >= asked) || !(asked >= 0.0)) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "certificate: it allows value %d a tracking error of %g, %g is asked for", (int)i,
                           c->tracking_error[i], asked);
        }
    }

    uint8_t hash[SHA256_SIZE];
    bi_certificate_hash_scene(v->scene, hash);
    if (memcmp(hash, c->scene_hash, SHA256_SIZE) != 0) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "certificate: it is about another scene: its robots, objects, pairs or what is "

                       "assumed are not the same");
    }
    return BERTH_OK;
}

// Where objects move, the times are part of what is proven.
static BerthStatus check_times(const Verification* v, int64_t index) {
    const CertificateSegment* proven = &v->certificate->segments[index];
    const BerthSegment* segment = &v->segments[index];
    if (v->certificate->moving != BERTH_MOVING_REACH) {
        return BERTH_OK;
    }

    if (!segment->timed) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "certificate: it is about objects that move meanwhile, and segment %lld has no times",
                       (long long)index);
    }

    if (!(segment->start >= 0.0 && segment->start == proven->start && segment->start < (double)INFINITY) ||
        !(segment->duration >= 0.0 && segment->duration == proven->duration &&
          segment->duration < (double)INFINITY)) {
        return bi_fail(
            BERTH_ERR_ARGUMENT,
            "certificate: segment %lld takes %.12g s and begins %.12g s after the start, proven is "
            "%.12g s and %.12g s",
            (long long)index, segment->duration, segment->start, proven->duration, proven->start);
    }
    return BERTH_OK;
}

static BerthStatus check_segments(const Verification* v, int64_t segment_count) {
    const BerthCertificate* c = v->certificate;
    if (c->segment_count != segment_count) {
        return bi_fail(BERTH_ERR_ARGUMENT, "certificate: it is about %lld segments, the motion has %lld",
                       (long long)c->segment_count, (long long)segment_count);
    }

    int64_t next = 0;
    for (int64_t i = 0; i < segment_count; ++i) {
        const CertificateSegment* segment = &c->segments[i];
        uint8_t hash[SHA256_SIZE];
        if (v->segments[i].value_count == v->scene->value_count) {
            bi_certificate_hash_segment(&v->segments[i], c->moving, hash);
        }

        v->report->segment = i;
        const BerthStatus status = check_times(v, i);
        if (status != BERTH_OK) {
            return status;
        }
        if (v->segments[i].value_count != v->scene->value_count ||
            memcmp(hash, segment->hash, SHA256_SIZE) != 0) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "certificate: segment %lld is not the one that was proven: its values or their "
                           "interpolation differ",
                           (long long)i);
        }

        if (!segment->proven || segment->first != next || segment->count < 0 ||
            segment->count > c->record_count - next) {
            return bi_fail(BERTH_ERR_ARGUMENT, "certificate: segment %lld was not proven free", (long long)i);
        }

        next += segment->count;
    }

    v->report->segment = -1;
    return BERTH_OK;
}

static int by_pair_and_start(const void* a, const void* b) {
    const VerifyBox* p = a;
    const VerifyBox* q = b;
    if (p->pair != q->pair) {
        return p->pair < q->pair ? -1 : 1;
    }
    if (p->start != q->start) {
        return p->start < q->start ? -1 : 1;
    }
    return 0;
}

static BerthStatus fail_uncovered(const Verification* v, int64_t segment, int32_t pair, uint64_t low,
                                  uint64_t high) {
    report_where(v, segment, pair, time_of(low), time_of(high));
    return bi_fail(BERTH_ERR_ARGUMENT,
                   "certificate: segment %lld: nothing is said about '%s' and '%s' from t = %.17g to %.17g",
                   (long long)segment, name_a(v), name_b(v), v->report->t_low, v->report->t_high);
}

// Records about whole bodies, by their start: from 0 to 1 without a gap.
static BerthStatus check_intervals_of_pair(const Verification* v, int64_t segment, int32_t pair,
                                           const VerifyBox* boxes, int64_t count) {
    uint64_t reached = 0;
    for (int64_t i = 0; i < count; ++i) {
        if (boxes[i].start > reached) {
            return fail_uncovered(v, segment, pair, reached, boxes[i].start);
        }
        reached = boxes[i].end > reached ? boxes[i].end : reached;
    }
    return reached < segment_end ? fail_uncovered(v, segment, pair, reached, segment_end) : BERTH_OK;
}

// Records of which some are about parts of the bodies: all leaves of both, all the time.
static BerthStatus check_leaves_of_pair(const Verification* v, int64_t segment, int32_t pair,
                                        VerifyBox* boxes, int64_t count, VerifyRegion* stack) {
    const VerifyBox all = {
        .pair = pair,
        .end = segment_end,
        .high_a = bi_certificate_leaf_count(v->scene, v->scene->pairs[pair].body_a),
        .high_b = bi_certificate_leaf_count(v->scene, v->scene->pairs[pair].body_b),
    };
    VerifyBox left;
    return bi_verify_prove_covered(boxes, count, &all, stack, &left)
               ? BERTH_OK
               : fail_uncovered(v, segment, pair, left.start, left.end);
}

// Every pair that moves. `boxes` is sorted by pair and start.
static BerthStatus check_cover_of_segment(const Verification* v, int64_t segment, VerifyBox* boxes,
                                          int64_t count, VerifyRegion* stack) {
    int64_t first = 0;
    for (int32_t pair = 0; pair < v->scene->pair_count; ++pair) {
        if (bi_certificate_is_constant(v->scene, pair, v->certificate->moving)) {
            continue;  // no record is about it
        }

        int64_t end = first;
        bool whole = true;
        for (; end < count && boxes[end].pair == pair; ++end) {
            whole = whole && boxes[end].whole;
        }

        const BerthStatus status =
            whole ? check_intervals_of_pair(v, segment, pair, boxes + first, end - first)
                  : check_leaves_of_pair(v, segment, pair, boxes + first, end - first, stack);
        if (status != BERTH_OK) {
            return status;
        }
        first = end;
    }
    return BERTH_OK;
}

// All of both bodies, or a plane between some leaves of each.
static bool has_good_leaves(const BerthScene* scene, const CertificateRecord* record) {
    if (record->count_a == 0) {
        return record->first_a == 0 && record->first_b == 0 && record->count_b == 0;
    }
    const int64_t leaves_a = bi_certificate_leaf_count(scene, scene->pairs[record->pair].body_a);
    const int64_t leaves_b = bi_certificate_leaf_count(scene, scene->pairs[record->pair].body_b);
    return (record->kind == PROOF_PLANE || record->kind == PROOF_GAP) && record->count_a > 0 &&
           record->count_b > 0 && record->first_a >= 0 && record->first_b >= 0 &&
           (int64_t)record->first_a + record->count_a <= leaves_a &&
           (int64_t)record->first_b + record->count_b <= leaves_b;
}

static bool exists(const Verification* v, const CertificateRecord* record) {
    return record->pair >= 0 && record->pair < v->scene->pair_count &&
           !bi_certificate_is_constant(v->scene, record->pair, v->certificate->moving) &&
           record->kind < PROOF_KIND_COUNT && record->level <= CERTIFICATE_LEVEL_MAX &&
           record->index < (uint64_t)1 << record->level && has_good_leaves(v->scene, record);
}

static BerthStatus check_records_of_segment(const Verification* v, int64_t segment, VerifyBox* boxes,
                                            VerifyRegion* stack) {
    const CertificateSegment* listed = &v->certificate->segments[segment];
    for (int64_t i = 0; i < listed->count; ++i) {
        const CertificateRecord* record = &v->certificate->records[listed->first + i];
        if (!exists(v, record)) {
            v->report->segment = segment;
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "certificate: segment %lld: record %lld names pair %d, interval %llu / 2^%d, "
                           "proof %d and leaves %d + %d and %d + %d, which do not exist",
                           (long long)segment, (long long)i, (int)record->pair,
                           (unsigned long long)record->index, (int)record->level, (int)record->kind,
                           (int)record->first_a, (int)record->count_a, (int)record->first_b,
                           (int)record->count_b);
        }
        boxes[i] = cover_box(v->scene, record);
    }

    if (listed->count > 1) {
        qsort(boxes, (size_t)listed->count, sizeof *boxes, by_pair_and_start);
    }
    return check_cover_of_segment(v, segment, boxes, listed->count, stack);
}

static BerthStatus check_records_cover_segments(const Verification* v, const BerthAllocator* from) {
    int64_t most = 0;
    for (int64_t i = 0; i < v->certificate->segment_count; ++i) {
        most = v->certificate->segments[i].count > most ? v->certificate->segments[i].count : most;
    }

    VerifyBox* boxes = bi_take(from, (size_t)most, sizeof *boxes);
    VerifyRegion* stack = bi_take(from, (size_t)most + 1, sizeof *stack);
    BerthStatus status = BERTH_OK;
    if (boxes == NULL || stack == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "certificate: out of memory while it is verified");
    }
    for (int64_t i = 0; i < v->certificate->segment_count && status == BERTH_OK; ++i) {
        status = check_records_of_segment(v, i, boxes, stack);
    }

    bi_give(from, boxes, (size_t)most, sizeof *boxes);
    bi_give(from, stack, (size_t)most + 1, sizeof *stack);
    return status;
}

// Records about some leaves count them in the order of the RSS trees.
static BerthStatus need_trees_of_body(const BerthScene* scene, int32_t body) {
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < scene->bodies[body].part_count && status == BERTH_OK; ++i) {
        status = bi_solid_need_rss(scene->parts[scene->bodies[body].first_part + i].solid);
    }
    return status;
}

static BerthStatus need_trees(const Verification* v, const CertificateRecord* records, int64_t count) {
    BerthStatus status = BERTH_OK;
    for (int64_t i = 0; i < count && status == BERTH_OK; ++i) {
        if (records[i].count_a > 0) {
            status = need_trees_of_body(v->scene, v->scene->pairs[records[i].pair].body_a);
        }
        if (records[i].count_a > 0 && status == BERTH_OK) {
            status = need_trees_of_body(v->scene, v->scene->pairs[records[i].pair].body_b);
        }
    }
    return status;
}

// The bound that was computed again must be above the pair's margin, and no smaller than what is claimed.
static BerthStatus check_bound(const Verification* v, int32_t pair, double bound, double claimed) {
    const bool self = v->scene->pairs[pair].self;
    const double margin = bi_certificate_margin(v->certificate, self);
    if (bound > margin && claimed >= margin && bound >= claimed) {
        double* clearance = self ? &v->report->self_clearance : &v->report->environment_clearance;
        *clearance = fmin(*clearance, claimed);
        v->report->clearance = fmin(v->report->clearance, claimed);
        v->report->records += 1;
        return BERTH_OK;
    }

    char where[96] = "";
    if (v->report->segment >= 0) {
        snprintf(where, sizeof where, "segment %lld, t from %.17g to %.17g: ", (long long)v->report->segment,
                 v->report->t_low, v->report->t_high);
    }
    return bi_fail(BERTH_ERR_ARGUMENT,
                   "certificate: %s'%s' and '%s' are claimed to stay %.17g m apart with a margin of %g m, "
                   "proven is %.17g m",
                   where, name_a(v), name_b(v), claimed, margin, bound);
}

// What is said about one pair that never moves, from `first` on: all leaves of both.
static BerthStatus check_constants_of_pair(const Verification* v, int32_t pair, int64_t first, int64_t end,
                                           VerifyBox* boxes, VerifyRegion* stack) {
    report_where(v, -1, pair, 0.0, 1.0);
    const VerifyBox all = {
        .pair = pair,
        .end = segment_end,
        .high_a = bi_certificate_leaf_count(v->scene, v->scene->pairs[pair].body_a),
        .high_b = bi_certificate_leaf_count(v->scene, v->scene->pairs[pair].body_b),
    };
    for (int64_t i = first; i < end; ++i) {
        boxes[i - first] = cover_box(v->scene, &v->certificate->constants[i]);
    }

    VerifyBox left;
    return bi_verify_prove_covered(boxes, end - first, &all, stack, &left)
               ? BERTH_OK
               : bi_fail(BERTH_ERR_ARGUMENT,
                         "certificate: nothing is said about '%s' and '%s', which never move against each "
                         "other",
                         name_a(v), name_b(v));
}

static bool constant_exists(const Verification* v, const CertificateConstant* constant) {
    return constant->pair >= 0 && constant->pair < v->scene->pair_count &&
           bi_certificate_is_constant(v->scene, constant->pair, v->certificate->moving) &&
           (constant->kind == PROOF_GAP || constant->kind == PROOF_DISTANCE ||
            constant->kind == PROOF_HALF_SPACE) &&
           constant->level == 0 && constant->index == 0 && has_good_leaves(v->scene, constant);
}

// In the order of pairs, and about all of them.
static BerthStatus check_constants_cover(const Verification* v, VerifyBox* boxes, VerifyRegion* stack) {
    const BerthCertificate* c = v->certificate;
    for (int64_t i = 0; i < c->constant_count; ++i) {
        if (!constant_exists(v, &c->constants[i])) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "certificate: constant %lld is not about two bodies that never move against each "
                           "other, or about leaves that they do not have",
                           (long long)i);
        }
    }

    int64_t next = 0;
    BerthStatus status = BERTH_OK;
    for (int32_t pair = 0; pair < v->scene->pair_count && status == BERTH_OK; ++pair) {
        if (bi_certificate_is_constant(v->scene, pair, c->moving)) {
            const int64_t first = next;
            while (next < c->constant_count && c->constants[next].pair == pair) {
                next += 1;
            }
            status = check_constants_of_pair(v, pair, first, next, boxes, stack);
        }
    }
    if (status == BERTH_OK && next != c->constant_count) {
        status = bi_fail(BERTH_ERR_ARGUMENT, "certificate: its constants are not in the order of pairs");
    }
    return status;
}

static BerthStatus check_constants_exist(const Verification* v, const BerthAllocator* from) {
    const size_t most = (size_t)v->certificate->constant_count;
    VerifyBox* boxes = bi_take(from, most, sizeof *boxes);
    VerifyRegion* stack = bi_take(from, most + 1, sizeof *stack);
    const BerthStatus status =
        boxes != NULL && stack != NULL
            ? check_constants_cover(v, boxes, stack)
            : bi_fail(BERTH_ERR_MEMORY, "certificate: out of memory while it is verified");
    bi_give(from, boxes, most, sizeof *boxes);
    bi_give(from, stack, most + 1, sizeof *stack);
    return status;
}

static BerthStatus check_constants(const Verification* v, const Verifier* verifier) {
    const BerthCertificate* c = v->certificate;
    int32_t apart = -1;  // the pair that was last seen to be apart
    for (int64_t i = 0; i < c->constant_count; ++i) {
        const CertificateConstant* constant = &c->constants[i];
        report_where(v, -1, constant->pair, 0.0, 1.0);

        if (constant->count_a > 0 && constant->pair != apart) {
            if (!bi_verify_constant_is_apart(verifier, constant)) {
                return bi_fail(BERTH_ERR_ARGUMENT, "certificate: '%s' and '%s' are not apart", name_a(v),
                               name_b(v));
            }
            apart = constant->pair;
        }

        const BerthStatus status =
            check_bound(v, constant->pair, bi_verify_constant(verifier, constant), constant->bound);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

// Planes between leaves part surfaces. Those that stay apart cannot change who is inside of whom, so that is looked at once.
static BerthStatus check_apart(const Verification* v, const Verifier* verifier, int32_t pair) {
    if (bi_verify_is_apart(verifier, pair)) {
        return BERTH_OK;
    }
    return bi_fail(BERTH_ERR_ARGUMENT, "certificate: segment %lld: '%s' and '%s' are not apart at t = %.17g",
                   (long long)v->report->segment, name_a(v), name_b(v),
                   0.5 * (v->report->t_low + v->report->t_high));
}

static BerthStatus check_bounds_of_segment(const Verification* v, Verifier* verifier, int64_t segment) {
    const CertificateSegment* listed = &v->certificate->segments[segment];
    const CertificateRecord* placed = NULL;  // whose interval everything is placed for
    int32_t apart = -1;                      // the pair that was last seen to be apart

    for (int64_t i = 0; i < listed->count; ++i) {
        const CertificateRecord* record = &v->certificate->records[listed->first + i];
        const int shift = CERTIFICATE_LEVEL_MAX - record->level;
        const double low = time_of(record->index << shift);
        const double high = time_of((record->index + 1) << shift);

        if (placed == NULL || placed->level != record->level || placed->index != record->index) {
            bi_verify_place(verifier, &v->segments[segment], 0.5 * (low + high), 0.5 * (high - low));
            v->report->configurations += 1;
            placed = record;
        }

        report_where(v, segment, record->pair, low, high);
        if (record->count_a > 0 && record->pair != apart) {
            const BerthStatus nested = check_apart(v, verifier, record->pair);
            if (nested != BERTH_OK) {
                return nested;
            }
            apart = record->pair;
        }

        const BerthStatus status =
            check_bound(v, record->pair, bi_verify_bound(verifier, record), record->bound);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

// What is taken from a proven table is only as good as the table.
static BerthStatus check_tables(const Verification* v, const BerthVerifyDef* def) {
    int32_t failed = -1;
    const BerthStatus status = bi_verify_reprove_table_pairs(v->certificate, v->scene, &def->allocator,
                                                             &v->report->proven_count, &failed);
    if (status != BERTH_OK || failed < 0) {
        return status;
    }

    report_where(v, -1, failed, 0.0, 1.0);
    return bi_fail(BERTH_ERR_ARGUMENT,
                   "certificate: the proven table says that '%s' and '%s' stay %.17g m apart within limits, "
                   "which could not be proven again",
                   name_a(v), name_b(v), v->scene->pairs[failed].proven_gap);
}

static BerthStatus check_all(const Verification* v, const BerthVerifyDef* def, int64_t segment_count) {
    BerthStatus status = check_settings(v, def);
    if (status == BERTH_OK) {
        status = check_segments(v, segment_count);
    }
    if (status == BERTH_OK) {
        status = check_records_cover_segments(v, &def->allocator);
    }

    if (status == BERTH_OK) {
        status = check_constants_exist(v, &def->allocator);
    }

    Verifier verifier;
    if (status == BERTH_OK) {
        status = need_trees(v, v->certificate->records, v->certificate->record_count);
    }
    if (status == BERTH_OK) {
        status = need_trees(v, v->certificate->constants, v->certificate->constant_count);
    }
    if (status == BERTH_OK) {
        status = bi_verify_open(&verifier, v->scene, v->certificate->tracking_error, v->certificate->moving,
                                &def->allocator);
    }
    if (status != BERTH_OK) {
        return status;
    }

    status = check_constants(v, &verifier);
    for (int64_t i = 0; i < segment_count && status == BERTH_OK; ++i) {
        status = check_bounds_of_segment(v, &verifier, i);
    }

    bi_verify_close(&verifier);
    return status == BERTH_OK ? check_tables(v, def) : status;
}

BerthVerifyDef berth_default_verify_def(void) {
    return (BerthVerifyDef){
        .self_margin = -1.0, .allocator = bi_allocator_or_default(NULL), .stamp = BI_DEF_STAMP};
}

BerthStatus berth_certificate_verify(const BerthCertificate* certificate, const BerthScene* scene,
                                     const BerthSegment* segments, int64_t segment_count,
                                     const BerthVerifyDef* given, BerthCertificateReport* report) {
    *report = (BerthCertificateReport){.clearance = (double)INFINITY,
                                       .self_clearance = (double)INFINITY,
                                       .environment_clearance = (double)INFINITY,
                                       .segment = -1,
                                       .body_a = -1,
                                       .body_b = -1};

    if (given == NULL || given->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "verify def: start from berth_default_verify_def()");
    }
    if (scene == NULL || !scene->committed) {
        return bi_fail(BERTH_ERR_ARGUMENT, "certificate: the scene is not committed");
    }

    BerthVerifyDef def = *given;
    def.allocator = bi_allocator_or_default(&given->allocator);
    const Verification v = {certificate, scene, segments, report};

    const BerthStatus status = check_all(&v, &def, segment_count);
    if (status == BERTH_OK) {
        report->moving = certificate->moving;
        report->segment = -1;
        report->body_a = -1;
        report->body_b = -1;
        report->t_low = 0.0;
        report->t_high = 0.0;
    } else {
        report->clearance = report->self_clearance = report->environment_clearance = 0.0;
    }
    return status;
}
