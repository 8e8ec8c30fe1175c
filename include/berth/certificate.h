// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Certificate: the proof that segments are free, written down, and its verification by code that shares nothing with
// the search. Made by the motion room (berth_certificate_create), read and written as files by the io room.

#ifndef BERTH_CERTIFICATE_H
#define BERTH_CERTIFICATE_H

#include <berth/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The proof that segments are free, for somebody else to check.
typedef struct BerthCertificate BerthCertificate;
/// Frees a certificate; null is fine.
BERTH_API void berth_certificate_destroy(BerthCertificate* certificate);
/// Segments that were recorded, and in `proven` (may be null) how many of them were found free. It proves a motion when
/// they are the same.
BERTH_API int64_t berth_certificate_segment_count(const BerthCertificate* certificate, int64_t* proven);

/// Notes how values run between the rows of a trajectory ("cubic"), for those who read the file; cut at 100 bytes. The
/// proof is about the curves themselves. Null or "": nothing is noted.
BERTH_API void berth_certificate_set_interpolation(BerthCertificate* certificate, const char* name);

/// What a certificate knows a committed scene by: 32 bytes over its robots, bodies, pairs and what is assumed of them. The
/// state that its robots are in is no part of it.
BERTH_API BerthStatus berth_certificate_scene_hash(const BerthScene* scene, uint8_t out[32]);

/// What a verification asks for. Start from berth_default_verify_def().
typedef struct BerthVerifyDef {
    double margin;                 ///< clearance that must be proven, metres, >= 0
    double self_margin;            ///< of two links of one robot, metres; < 0 (the default): as `margin`
    const double* tracking_error;  ///< that must be allowed for each value (value_count), or null: none
    /// Objects that may move: STAND takes either kind of proof (the report says which), REACH one that assumes nothing
    BerthMoving moving;
    BerthAllocator allocator;  ///< used during the verification only
    uint32_t stamp;            ///< set by the default function
} BerthVerifyDef;
/// Margin 0, no tracking error, moving objects may stand. To ask for what a checker proved: berth_motion_verify_def.
BERTH_API BerthVerifyDef berth_default_verify_def(void);

/// What a verification found.
typedef struct BerthCertificateReport {
    /// It holds: every gap is larger than this on the whole motion; +infinity without pairs. It does not: 0
    double clearance;
    double self_clearance;         ///< the same of two links of one robot alone
    double environment_clearance;  ///< and of all other pairs
    BerthMoving moving;            ///< it holds: what it takes objects that may move to do
    int64_t records;               ///< that were proven again
    int64_t configurations;        ///< placed for that
    int32_t proven_count;          ///< pairs that rely on their robot's proven table, which were proven again
    int64_t segment;               ///< it does not hold: where, or -1
    int32_t body_a;                ///< it does not hold: about which body, or -1
    int32_t body_b;                ///< and which other, or -1
    double t_low;                  ///< on which interval: its start
    double t_high;                 ///< and its end
} BerthCertificateReport;

/// Checks a certificate by code of its own, without a search: every pair is there, its intervals cover every segment,
/// and each bound is proven again at the middle of its interval, with how far objects that may move can have got by then.
/// A bound that is taken from a robot's proven table counts where the segment keeps its joint limits, and the table's gap is
/// proven again. BERTH_OK only when that shows that these segments are
/// free in this scene, with at least the margin and the tracking error of `def`; else the text says what failed.
BERTH_API BerthStatus berth_certificate_verify(const BerthCertificate* certificate, const BerthScene* scene,
                                               const BerthSegment* segments, int64_t segment_count,
                                               const BerthVerifyDef* def, BerthCertificateReport* report);

#ifdef __cplusplus
}
#endif
#endif
