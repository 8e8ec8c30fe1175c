// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of a verification: one configuration at a time, and the bound that a record claims on its
// interval. Plain double, plain loops over all points; shares no code with the search.

#ifndef BI_VERIFY_H
#define BI_VERIFY_H

#include "certificate/certificate.h"
#include "robot/robot.h"
#include "scene/scene.h"
#include "tree/solid.h"

/// What one frame does against its parent on the interval: it slides, and turns about `axis` through its origin.
typedef struct VerifyRate {
    Vec3 axis;   ///< in the frame
    Vec3 slide;  ///< velocity at the middle, in the joint's frame
    double turn;
    double turn_most, slide_most;    ///< largest speeds on the interval
    double turn_bend, slide_bend;    ///< largest second derivatives
    double turn_error, slide_error;  ///< tracking error, and how far values are rounded
    bool any_axis;                   ///< the error may turn about any axis through the origin
} VerifyRate;

typedef struct VerifyBody {
    Vec3 centre;  ///< of a ball around it, in its frame
    double radius;
    double still_size;  ///< how large the numbers are that its points come from, without values
    double size;        ///< and now
    int32_t first_row;  ///< of its levers: its own frame first, then its parent, ...
    int32_t row_count;  ///< frames above it that move, itself included
} VerifyBody;

typedef struct Verifier {
    BerthAllocator allocator;
    const BerthScene* scene;
    BerthTreeQuery* query;
    VerifyBody* bodies;
    double* values;
    const double* tracking_error;
    Pose* frames;       ///< world_from_frame
    VerifyRate* rates;  ///< by scene frame
    double* levers;     ///< no point of the body is further from that frame's axis on the interval
    double* far;        ///< nor ever
    double* carried;    ///< how far that frame and those between it and the body can carry a point of it
    size_t body_count, value_count, frame_count, row_count;
    double half;  ///< of the interval that is placed
    BerthMoving moving;
    double elapsed;   ///< REACH: seconds from the start of the motion to the middle of the interval
    double duration;  ///< REACH: seconds of the segment
    const BerthSegment* segment;  ///< of the interval that is placed
} Verifier;

/// What one record is about: a pair, in units of 2^-50 of the segment, and leaves of both bodies.
typedef struct VerifyBox {
    int32_t pair;
    bool whole;                            ///< all leaves of both
    uint64_t start, end;                   ///< of time
    int32_t low_a, high_a, low_b, high_b;  ///< leaves, from low to before high
} VerifyBox;
/// A region that must be covered by some of the boxes.
typedef struct VerifyRegion {
    VerifyBox region;
    int64_t first, count;
} VerifyRegion;
/// Proves that the boxes, all of one pair, cover the region. They must do so by cuts: a region is in one of them, or can be cut in two
/// with no box on both sides. Sorts the boxes anew. `stack` has room for count + 1. False: `*left` is not covered.
bool bi_verify_prove_covered(VerifyBox* boxes, int64_t count, const VerifyBox* region, VerifyRegion* stack,
                             VerifyBox* left);

BerthStatus bi_verify_open(Verifier* verifier, const BerthScene* scene, const double* tracking_error,
                           BerthMoving moving, const BerthAllocator* allocator);
void bi_verify_close(Verifier* verifier);
/// Puts everything where the segment is at `middle`, with bounds for [middle - half, middle + half].
void bi_verify_place(Verifier* verifier, const BerthSegment* segment, double middle, double half);
/// A lower bound of the pair's padded gap on the placed interval, tracking error taken off, in the record's way; not
/// looked for above the record's own bound. NaN or -infinity when there is none.
double bi_verify_bound(const Verifier* verifier, const CertificateRecord* record);
/// What the robot's proven table says about the pair on all of the placed segment; -infinity where a value may be outside
/// its limits, or there is no proof.
double bi_verify_table(const Verifier* verifier, int32_t pair);
/// Proves again what the records take from tables. `*count`: pairs; `*failed`: one that could not be proven, or -1.
BerthStatus bi_verify_reprove_table_pairs(const BerthCertificate* certificate, const BerthScene* scene,
                                          const BerthAllocator* from, int32_t* count, int32_t* failed);
/// Are the two bodies apart as they are placed, neither of them inside of the other?
bool bi_verify_is_apart(const Verifier* verifier, int32_t pair);
/// The same two for a pair that never changes: need no configuration.
bool bi_verify_constant_is_apart(const Verifier* verifier, const CertificateConstant* constant);
double bi_verify_constant(const Verifier* verifier, const CertificateConstant* constant);

#endif
