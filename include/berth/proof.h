// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Proof: which pairs of a robot's links can ever touch? Finds a proof that they never do within joint limits,
// or a state in which they do.

#ifndef BERTH_PROOF_H
#define BERTH_PROOF_H

#include <berth/robot.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The class of a pair of links, as far as it could be determined. Within joint limits; joints without limits
/// turn freely.
typedef enum BerthPairStanding {
    /// They touch in some state (has_touch), or nothing could be shown (see `why`)
    BERTH_STANDING_CHECK = 0,
    /// Joined by one joint, or through links without geometry and at most one moving joint
    BERTH_STANDING_ADJACENT,
    BERTH_STANDING_DEFAULT,  ///< they overlap in the default state, but not in every state
    /// They overlap in every state: proven (`always`), or in all `samples` that were tried
    BERTH_STANDING_ALWAYS,
    BERTH_STANDING_NEVER,  ///< they never touch: proven (`never`), or in none of the `samples` random states
    BERTH_STANDING_COUNT   ///< how many there are
} BerthPairStanding;
/// "check", "adjacent", "default", "always", "never".
BERTH_API const char* berth_pair_standing_name(BerthPairStanding standing);

/// Why nothing could be shown.
typedef enum BerthProofWhy {
    BERTH_WHY_NONE = 0,  ///< it was shown
    BERTH_WHY_BUDGET,    ///< the work allowed for one pair is spent
    BERTH_WHY_ENDLESS,   ///< a joint between them has no limits that bound its motion
    BERTH_WHY_NUMERIC    ///< too close to decide, or numbers too large
} BerthProofWhy;

/// The findings about a pair of links.
typedef struct BerthPairProof {
    BerthPairStanding standing;  ///< the class of the pair
    BerthProofWhy why;           ///< why neither `never` nor a touch was shown
    bool adjacent;               ///< they are neighbours, whatever the standing
    bool never;                  ///< proven: no state within limits in which they touch
    bool always;                 ///< proven: they touch in every state
    bool has_touch;              ///< a state in which they touch was found and written to `touch`
    bool has_apart;              ///< a state in which they do not touch was found and written to `apart`
    int64_t samples;             ///< random states that were tried
    int64_t work;                ///< comparisons of two parts
    double seen;  ///< smallest gap seen, metres; 0 when they touch; +infinity when none was measured
    /// `never`, and not adjacent: they are proven never to be nearer than this within limits, metres > 0;
    /// otherwise 0
    double gap;
} BerthPairProof;

/// Start from berth_default_proof_def().
typedef struct BerthProofDef {
    int64_t budget;   ///< most comparisons of two parts for one pair of links, > 0
    int64_t samples;  ///< random states for pairs that could not be decided, >= 0
    uint64_t seed;    ///< of the random states; each pair derives its own numbers from it
    bool no_gaps;     ///< prove only that pairs do not touch, not how near they come: `gap` stays 0
    uint32_t stamp;   ///< set by the default function; ties the def to this library version
} BerthProofDef;
/// The def to start from: 30,000 comparisons, no random states for undecided pairs, seed 0.
BERTH_API BerthProofDef berth_default_proof_def(void);

/// What proofs need of a robot: convex parts of its solids. Constant once made; may be shared between
/// threads. The robot is borrowed until the model is destroyed.
typedef struct BerthProofModel BerthProofModel;
/// Cuts the robot's meshes into convex parts.
BERTH_API BerthStatus berth_proof_model_create(const BerthRobot* robot, const BerthAllocator* allocator,
                                               BerthProofModel** out);
/// Frees a model; null is fine. The robot stays.
BERTH_API void berth_proof_model_destroy(BerthProofModel* model);

/// Scratch memory of proofs: one per thread. The model is borrowed until the prover is destroyed.
typedef struct BerthProver BerthProver;
/// Takes scratch memory for one thread.
BERTH_API BerthStatus berth_prover_create(const BerthProofModel* model, const BerthProofDef* def,
                                          const BerthAllocator* allocator, BerthProver** out);
/// Frees a prover; null is fine. The model stays.
BERTH_API void berth_prover_destroy(BerthProver* prover);
/// Classifies a pair of different links, both with geometry. `touch` and `apart` (value_count values each)
/// receive the states that were found and may be null. The result does not depend on the thread or the order
/// of queries. Allocates nothing.
BERTH_API BerthStatus berth_prover_pair(BerthProver* prover, int32_t link_a, int32_t link_b, double* touch,
                                        double* apart, BerthPairProof* out);

/// Proves again that two links are never nearer than `gap` (> 0) within limits: true when it was shown with
/// the work that the def allows. A `gap` found by berth_prover_pair is confirmed by a prover with the same
/// def.
BERTH_API bool berth_prover_confirm(BerthProver* prover, int32_t link_a, int32_t link_b, double gap);

#ifdef __cplusplus
}
#endif
#endif
