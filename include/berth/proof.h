// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Proof: which pairs of a robot's links can ever touch? Never within joint limits, proven; or a state in which they do.

#ifndef BERTH_PROOF_H
#define BERTH_PROOF_H

#include <berth/robot.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a pair of links is, as far as it could be found out. Within joint limits; joints without limits turn freely.
typedef enum BerthPairStanding {
    BERTH_STANDING_CHECK = 0,  ///< they touch in some state (has_touch), or nothing could be shown (why)
    BERTH_STANDING_ADJACENT,  ///< joined by one joint, or through links without geometry and at most one that moves
    BERTH_STANDING_DEFAULT,  ///< overlap in the default state, and not in every state
    BERTH_STANDING_ALWAYS,  ///< overlap in every state: proven (`always`), or in all `samples` that were tried
    BERTH_STANDING_NEVER,   ///< never touch: proven (`never`), or not in any of `samples` random states
    BERTH_STANDING_COUNT    ///< how many there are
} BerthPairStanding;
/// "check", "adjacent", "default", "always", "never".
BERTH_API const char* berth_pair_standing_name(BerthPairStanding standing);

/// Why nothing could be shown.
typedef enum BerthProofWhy {
    BERTH_WHY_NONE = 0,  ///< it was shown
    BERTH_WHY_BUDGET,    ///< the work that one pair may cost is spent
    BERTH_WHY_ENDLESS,   ///< a joint between them has no limits that bound where it goes
    BERTH_WHY_NUMERIC    ///< too close to tell, or numbers too large
} BerthProofWhy;

/// What was found out about a pair of links.
typedef struct BerthPairProof {
    BerthPairStanding standing;  ///< what the pair is
    BerthProofWhy why;           ///< neither `never` nor a touch was shown: why
    bool adjacent;               ///< they are neighbours, whatever the standing
    bool never;                  ///< proven: no state within limits in which they touch
    bool always;                 ///< proven: no state in which they do not
    bool has_touch;              ///< a state in which they touch was found: it is in `touch`
    bool has_apart;              ///< a state in which they do not touch was found: it is in `apart`
    int64_t samples;             ///< random states that were tried
    int64_t work;                ///< part pairs that were compared
    double seen;  ///< smallest gap seen, metres; 0 when they touch; +infinity when none was measured
    /// `never`, and not adjacent: proven, they are never nearer than this within limits, metres > 0; else 0
    double gap;
} BerthPairProof;

/// Start from berth_default_proof_def().
typedef struct BerthProofDef {
    int64_t budget;   ///< most comparisons of two parts for one pair of links, > 0
    int64_t samples;  ///< random states for pairs that could not be decided, >= 0
    uint64_t seed;    ///< of what is random; each pair draws its own numbers from it
    bool no_gaps;     ///< only whether pairs touch is asked, not how near they come: `gap` stays 0
    uint32_t stamp;   ///< set by the default function; ties the def to this library version
} BerthProofDef;
/// The def to start from: 30,000 comparisons, no random states for undecided pairs, seed 0.
BERTH_API BerthProofDef berth_default_proof_def(void);

/// What proofs need of a robot: convex parts of its solids. Constant once made; share it between threads. Borrows the
/// robot until it is destroyed.
typedef struct BerthProofModel BerthProofModel;
/// Cuts the robot's meshes into convex parts.
BERTH_API BerthStatus berth_proof_model_create(const BerthRobot* robot, const BerthAllocator* allocator,
                                               BerthProofModel** out);
/// Frees a model; null is fine. The robot stays.
BERTH_API void berth_proof_model_destroy(BerthProofModel* model);

/// Scratch memory of proofs: one a thread. Borrows the model.
typedef struct BerthProver BerthProver;
/// Scratch memory for one thread.
BERTH_API BerthStatus berth_prover_create(const BerthProofModel* model, const BerthProofDef* def,
                                          const BerthAllocator* allocator, BerthProver** out);
/// Frees a prover; null is fine. The model stays.
BERTH_API void berth_prover_destroy(BerthProver* prover);
/// Finds out about two different links, both with geometry. `touch` and `apart` (value_count each) may be null. The
/// answer is the same on every thread and for every order of questions. Allocates nothing.
BERTH_API BerthStatus berth_prover_pair(BerthProver* prover, int32_t link_a, int32_t link_b, double* touch,
                                        double* apart, BerthPairProof* out);

/// Proves again that two links are never nearer than `gap` (> 0) within limits: true when that was shown with the work
/// that the def allows. What berth_prover_pair told as `gap` is confirmed by a prover with the same def.
BERTH_API bool berth_prover_confirm(BerthProver* prover, int32_t link_a, int32_t link_b, double gap);

#ifdef __cplusplus
}
#endif
#endif
