// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What FCL 0.7 and Bullet 3.24 (Debian) answer to a guard's question: of some capsules that move and many boxes that
// stand, which pairs are nearer than a margin, and how near? For `./dev bench monitor`. They share no code with the product.
//
// All of them get boxes that are half a margin larger on each side, and measure the pairs whose boxes touch. What each
// does then:
// - FCL: boxes in a DynamicAABBTreeCollisionManager that is set up once, capsules in a second one that is updated in
//   each cycle; collide() of the two and of the second with itself, or one collide() a capsule (what is faster differs).
//   Pairs by fcl::distance: libccd's GJK (FCL's default) or FCL's own, double precision. FCL is built without -march.
// - Bullet: single precision as Debian builds it. btDbvtBroadphase (two btDbvt, enlarged by 50 mm, so that most cycles
//   change no tree, and pairs that stay from cycle to cycle), or one btDbvt of the boxes and a collideTV() a capsule.
//   Pairs by btGjkPairDetector, which knows the margin and stops beyond it. Boxes have collision margin 0 here: with
//   Bullet's own 40 mm their corners are round, and distances wrong by up to 29 mm.
//
// A pose is twelve doubles: rotation row by row, then translation. Capsules have their axis along z.

#ifndef BERTH_TEST_ORACLE_PEER_GUARD_H
#define BERTH_TEST_ORACLE_PEER_GUARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeerGuard PeerGuard;

typedef enum PeerGuardWay {
    PEER_FCL_TREES = 0,  // tree against tree, libccd
    PEER_FCL_TREES_OWN,  // tree against tree, FCL's own GJK
    PEER_FCL_EACH_OWN,   // a query a capsule, FCL's own GJK
    PEER_BULLET_BROAD,   // btDbvtBroadphase
    PEER_BULLET_TREE,    // one btDbvt of the boxes, a query a capsule
    PEER_GUARD_WAY_COUNT
} PeerGuardWay;
const char* peer_guard_name(PeerGuardWay way);

/// `boxes`: of 15 numbers each, the pose and three full side lengths. `capsules`: radius and length between centres. `allowed`:
/// capsule_count squared, 1 where two capsules need not be looked at. All are copied.
PeerGuard* peer_guard_create(PeerGuardWay way, double margin, const double* capsules, int32_t capsule_count,
                             const double* boxes, int32_t box_count, const uint8_t* allowed);
void peer_guard_destroy(PeerGuard* guard);

/// a < b; capsules come first, then boxes.
typedef struct PeerNear {
    int32_t a, b;
    double distance;  // <= 0 when they overlap
} PeerNear;
/// One cycle: where the capsules are now; all pairs nearer than the margin. Returns how many there are.
int32_t peer_guard_cycle(PeerGuard* guard, const double* poses, PeerNear* out, int32_t capacity);
/// Distances that were computed so far.
int64_t peer_guard_distances(const PeerGuard* guard);

#ifdef __cplusplus
}

/// What a way must have. Only the two peer_*_guard.cpp see this.
struct PeerGuard {
    virtual ~PeerGuard() {}
    virtual int32_t cycle(const double* poses, PeerNear* out, int32_t capacity) = 0;
    int64_t distances = 0;
};
PeerGuard* peer_fcl_guard(PeerGuardWay way, double margin, const double* capsules, int32_t capsule_count,
                          const double* boxes, int32_t box_count, const uint8_t* allowed);
PeerGuard* peer_bullet_guard(PeerGuardWay way, double margin, const double* capsules, int32_t capsule_count,
                             const double* boxes, int32_t box_count, const uint8_t* allowed);
#endif
#endif
