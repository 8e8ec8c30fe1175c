// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Certificate: a written proof that segments are free, and its verification by code that shares nothing with
// the search. Recorded by the motion room (berth_certificate_create), read and written as files by the io
// room.

#ifndef BERTH_CERTIFICATE_H
#define BERTH_CERTIFICATE_H

#include <berth/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A proof that segments are free, which others can verify.
typedef struct BerthCertificate BerthCertificate;
/// Frees a certificate; null is fine.
BERTH_API void berth_certificate_destroy(BerthCertificate* certificate);
/// The number of segments that were recorded; `proven` (may be null) receives how many of them are free. The
/// certificate proves a motion when the two are equal.
BERTH_API int64_t berth_certificate_segment_count(const BerthCertificate* certificate, int64_t* proven);

/// Records how values run between the rows of a trajectory ("cubic"), as information for readers of the file;
/// truncated to 100 bytes. The proof is about the curves themselves. Null or "": nothing is recorded.
BERTH_API void berth_certificate_set_interpolation(BerthCertificate* certificate, const char* name);

/// The hash by which a certificate identifies a committed scene: 32 bytes over its robots, bodies, pairs and
/// what is assumed of them. The state of its robots is not part of it.
BERTH_API BerthStatus berth_certificate_scene_hash(const BerthScene* scene, uint8_t out[32]);

/// What a verification demands. Start from berth_default_verify_def().
typedef struct BerthVerifyDef {
    double margin;       ///< clearance that must be proven, metres, >= 0
    double self_margin;  ///< between two links of one robot, metres; < 0 (the default): same as `margin`
    /// Tracking error that must be covered, for each value (value_count), or null: none
    const double* tracking_error;
    /// What is demanded of objects that may move. STAND accepts either kind of proof (the report says which),
    /// REACH only one that assumes nothing about them
    BerthMoving moving;
    BerthAllocator allocator;  ///< used during the verification only
    uint32_t stamp;            ///< set by the default function
} BerthVerifyDef;
/// The def to start from: margin 0, no tracking error, objects that may move may be assumed to stand. To
/// demand what a checker proved: berth_motion_verify_def.
BERTH_API BerthVerifyDef berth_default_verify_def(void);

/// The findings of a verification.
typedef struct BerthCertificateReport {
    /// If it holds: every gap exceeds this on the whole motion; +infinity without pairs. Otherwise 0
    double clearance;
    double self_clearance;         ///< the same between two links of one robot
    double environment_clearance;  ///< the same of all other pairs
    BerthMoving moving;            ///< if it holds: what the proof takes objects that may move to do
    int64_t records;               ///< records that were proven again
    int64_t configurations;        ///< configurations placed to do so
    int32_t proven_count;  ///< pairs that rely on their robot's proven table; the table was proven again
    int64_t segment;       ///< if it does not hold: the segment where it fails, or -1
    int32_t body_a;        ///< if it does not hold: a body that it fails for, or -1
    int32_t body_b;        ///< and the other body, or -1
    double t_low;          ///< and the interval where it fails: its start
    double t_high;         ///< and its end
} BerthCertificateReport;

/// Checks a certificate without a search, by code of its own: every pair is present, its intervals cover
/// every segment, and each bound is proven again at the middle of its interval, including how far objects
/// that may move can have got by then. A bound that is taken from a robot's proven table counts where the
/// segment stays within the table's joint limits, and the table's gap is proven again. BERTH_OK only when all
/// this shows that these segments are free in this scene with at least the margin and the tracking error of
/// `def`; otherwise the error text says what failed.
BERTH_API BerthStatus berth_certificate_verify(const BerthCertificate* certificate, const BerthScene* scene,
                                               const BerthSegment* segments, int64_t segment_count,
                                               const BerthVerifyDef* def, BerthCertificateReport* report);

#ifdef __cplusplus
}
#endif
#endif
