// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Records of a search, in the form that a verifier needs.

#ifndef BERTH_CERTIFICATE_PLANES_H
#define BERTH_CERTIFICATE_PLANES_H

#include "certificate/certificate.h"

/// A part of a segment.
typedef struct Span {
    double middle, half;  ///< of the interval, in segment time
} Span;

/// Where everything is in the middle of a span.
typedef struct PlaneBodies {
    const BerthScene* scene;
    const BerthShape* hulls;      ///< around every part
    const Pose* world_from_part;  ///< of every part; not looked at for pairs that never move
} PlaneBodies;

/// One proof on a span. Level and index are found from the times, and the bound is recorded a little smaller than it was
/// found, but not below the pair's margin. False when there is no memory.
bool bi_certificate_record_proof(BerthCertificate* certificate, Span span, double margin,
                                 const CertificateRecord* record);
/// A distance that was measured at the middle, as planes between groups of leaves that give as much: nobody has to
/// measure it again. The distance itself where that does not succeed. `taken`: what came off it for the record's bound.
bool bi_certificate_record_distance(BerthCertificate* certificate, const PlaneBodies* bodies, Span span,
                                    double margin, double taken, const CertificateRecord* record);
/// A pair that never moves, with a lower bound of its distance.
bool bi_certificate_record_constant(BerthCertificate* certificate, const PlaneBodies* bodies, int32_t pair,
                                    double lower);

#endif
