// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The contents of a certificate: for every segment and every pair that moves, intervals of time that cover
// [0, 1], each with a proof that the pair is apart on it. Written by the search, read by verify.c; contains
// nothing of the search.

#ifndef BI_CERTIFICATE_H
#define BI_CERTIFICATE_H

#include <berth/certificate.h>

#include "base/sha256.h"
#include "math/vec3.h"

/// How a pair is apart on an interval. docs/theory/certificate.md says what each means.
typedef enum ProofKind {
    PROOF_BALLS = 0,   ///< balls around the bodies
    PROOF_PLANE,       ///< a plane across `direction` between them
    PROOF_DISTANCE,    ///< their distance at the middle, measured by the trees, against how far they travel
    PROOF_HALF_SPACE,  ///< one of them is a half-space: its own plane, seen from it
    PROOF_TABLE,       ///< the robot's proven table: all its values are within their limits
    PROOF_GAP,         ///< a plane across `direction` at the middle, against how far they travel
    PROOF_KIND_COUNT
} ProofKind;

/// Times are multiples of 2^-50: shorter intervals are not listed.
enum { CERTIFICATE_LEVEL_MAX = 50 };

typedef struct CertificateRecord {
    uint64_t index;  ///< the interval is [index, index + 1] / 2^level
    int32_t pair;    ///< of the scene
    uint8_t level;
    uint8_t kind;  ///< ProofKind
    double bound;  ///< the padded gap is at least this on the interval
    /// PROOF_PLANE, PROOF_GAP: from a to b, in the world at the middle of the interval, or for a pair that never moves in the frame of
    /// both; else zero
    Vec3 direction;
    /// PROOF_PLANE and PROOF_GAP may be about some leaves of both bodies only; count_a 0: about all of both
    int32_t first_a, count_a, first_b, count_b;
} CertificateRecord;

/// A body's leaves: part by part, a shape is one, a mesh has its triangles in the order of its tree.
int32_t bi_certificate_leaf_count(const BerthScene* scene, int32_t body);

typedef struct CertificateSegment {
    uint8_t hash[SHA256_SIZE];
    double start, duration;  ///< seconds: with BERTH_MOVING_REACH, else 0
    int64_t first, count;    ///< of its records
    bool proven;             ///< it was found free
} CertificateSegment;

/// About a pair that never moves against each other: the same on all segments, PROOF_GAP, PROOF_HALF_SPACE or
/// PROOF_DISTANCE at level 0.
typedef CertificateRecord CertificateConstant;

struct BerthCertificate {
    BerthAllocator allocator;
    const void* recorder;  ///< the motion checker that records into it; null when it was read
    uint8_t scene_hash[SHA256_SIZE];
    BerthMoving moving;  ///< what it takes objects that may move to do
    double margin, self_margin, delta;
    char interpolation[101];  ///< between rows, for people; "": not noted
    int32_t value_count, pair_count;
    double* tracking_error;          ///< value_count
    CertificateConstant* constants;  ///< about all pairs that bi_certificate_is_constant is true for
    CertificateSegment* segments;
    CertificateRecord* records;
    int64_t constant_count, constant_capacity;
    int64_t segment_count, segment_capacity;
    int64_t record_count, record_capacity;
    bool full;  ///< memory ran out in the segment that is being recorded
};

/// The margin of a pair: two links of one robot have their own.
static inline double bi_certificate_margin(const BerthCertificate* certificate, bool self) {
    return self ? certificate->self_margin : certificate->margin;
}

/// An empty one; pairs and values are set by the caller. Null when there is no memory.
BerthCertificate* bi_certificate_new(const BerthAllocator* allocator, int32_t value_count,
                                     int64_t constant_count);
/// One more record about a pair that never moves. False when there is no memory.
bool bi_certificate_add_constant(BerthCertificate* certificate, const CertificateConstant* constant);
/// A new last segment, not proven yet, with its times. False when there is no memory.
bool bi_certificate_begin(BerthCertificate* certificate, const uint8_t hash[SHA256_SIZE], double start,
                          double duration);
/// One more record of the last segment. False, and `full`, when there is no memory.
bool bi_certificate_add(BerthCertificate* certificate, const CertificateRecord* record);
/// How many records there are, and drops those from `count` on, which are all of the last segment.
int64_t bi_certificate_record_count(const BerthCertificate* certificate);
void bi_certificate_drop_records(BerthCertificate* certificate, int64_t count);
/// The last segment is complete; when it is not free its records are dropped.
BerthStatus bi_certificate_end(BerthCertificate* certificate, bool free);

/// Everything of a committed scene that a proof depends on: frames, joints, bodies' names, solids and poses, pairs and
/// their paddings, what is assumed.
void bi_certificate_hash_scene(const BerthScene* scene, uint8_t out[SHA256_SIZE]);
/// Everything of a segment; its times where objects that may move are within their reach.
void bi_certificate_hash_segment(const BerthSegment* segment, BerthMoving moving, uint8_t out[SHA256_SIZE]);
/// A ball around all of a body, in its frame: the one that levers are found with. False for what has none: a half-space.
bool bi_certificate_ball(const BerthScene* scene, int32_t body, Vec3* centre, double* radius);
/// Rounding of a body's points, in its own frame: what comes off a bound about a pair that never moves.
double bi_constant_slack(const BerthScene* scene, int32_t body);
/// Does this pair of the scene have one gap for ever: neither moves against the other, and neither on its own?
bool bi_certificate_is_constant(const BerthScene* scene, int32_t pair, BerthMoving moving);

#endif
