// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Paper 003's own search, as printed: the two-phase traversal of both spherical octrees, the list of features in the leaves
// that meet, vertex-face and edge-edge tests over that list, the history of contacts, equation (1). It is what the paper's
// table measures; the library asks differently (docs/theory/contact.md) and never this.

#ifndef BENCH_CONTACT_PRINTED_H
#define BENCH_CONTACT_PRINTED_H

#include <berth/contact.h>

enum { PRINTED_CONTACTS = 256 };

typedef struct PrintedAnswer {
    int32_t contacts;        ///< elemental ones: vertex-face, edge-edge, or with the sphere
    int64_t oct_contacts;    ///< pairs of leaves that meet
    int64_t checks;          ///< pairs of features in them, each once
    int64_t node_tests;      ///< of balls
    double deepest;          ///< m
    BerthWrench on_a, on_b;  ///< about the centroids
} PrintedAnswer;

/// Two convex bodies; A stands at the origin.
typedef struct Printed Printed;
/// `count_b` 0: B is the sphere of this radius, an octree of level 0. `reach`: metres that are added to the balls; the
/// paper adds none. Null after a message.
Printed* printed_create(const BerthVec3* a, int count_a, const BerthVec3* b, int count_b, double radius,
                        int levels, double reach);
void printed_destroy(Printed* printed);
/// Forgets the contacts of earlier calls.
void printed_forget(Printed* printed);
/// B there, moving at this velocity.
PrintedAnswer printed_ask(Printed* printed, const BerthPose* world_from_b, BerthVec3 velocity);

#endif
