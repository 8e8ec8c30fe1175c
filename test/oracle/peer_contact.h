// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Contact points of two convex point sets as Bullet and MuJoCo have them.

#ifndef PEER_CONTACT_H
#define PEER_CONTACT_H

#include <berth/math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PeerContactKind { PEER_CONTACT_BULLET, PEER_CONTACT_MUJOCO, PEER_CONTACT_COUNT } PeerContactKind;
enum { PEER_POINTS = 16 };

typedef struct PeerPoint {
    BerthVec3 point, normal;  ///< in the world; from A to B
    double depth;             ///< negative: apart by that
} PeerPoint;

typedef struct PeerContact PeerContact;
const char* peer_contact_name(PeerContactKind kind);
/// Points as x, y, z each; copied. A stands at the origin. Null when the peer refuses.
PeerContact* peer_contact_create(PeerContactKind kind, const double* a, int count_a, const double* b,
                                 int count_b);
void peer_contact_destroy(PeerContact* peer);
/// Contacts with B there, at most PEER_POINTS; as it comes from the peer, its own memory of earlier calls included.
int peer_contact_ask(PeerContact* peer, const BerthPose* world_from_b, PeerPoint* out);

#ifdef __cplusplus
}
#endif
#endif
