// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Proofs about pairs of links: that they never touch within joint limits, or a configuration in which they do
// (errata 2.1, 2.3, 10.1). docs/theory/proof.md derives the bounds.
//
// A pair is proven by splitting the box of the values between the two links. In each box the distance of
// convex parts at its middle is compared with how far the parts can move within it. What was proven for a box
// need not be proven again in its halves: they inherit only the part pairs that are left.

#ifndef BI_PROOF_H
#define BI_PROOF_H

#include <berth/proof.h>

#include "robot/robot.h"
#include "shape/ball.h"
#include "shape/hull.h"
#include "tree/solid.h"

/// A convex set, in its solid's frame, that contains a share of the solid's surface: all of it at a root.
typedef struct ProofPart {
    BerthShape shape;
    double outside;     ///< surface may be this much outside of a hull
    Vec3 centre, half;  ///< box that contains it, or the core of a round shape
    double size;        ///< length of `half`
    int32_t child;      ///< first of two adjacent children, or -1
    int32_t solid;
} ProofPart;

struct BerthProofModel {
    BerthAllocator allocator;
    const BerthRobot* robot;  ///< borrowed
    Arena arena;
    BerthHull** hulls;  ///< by part; null where the shape is the solid's own
    ProofPart* parts;   ///< the first solid_count are the roots, by solid
    int32_t part_count, part_capacity;
    int32_t chain_most;  ///< joints between two frames are never more
};

/// One joint between the two links, counted from A to B.
typedef struct ChainJoint {
    int32_t frame, variable;
    double rate;  ///< |joint value per unit of the variable|
    bool slide;
    bool up;  ///< on A's side of the lowest common ancestor
} ChainJoint;

/// A value of the state that moves the two links against each other.
typedef struct ChainVariable {
    int32_t value;
    double low, high;  ///< all that differs: at most a full turn
    double wider;  ///< proofs cover this much more at both ends: values that are rounded are still in them
} ChainVariable;

/// What lies between two links. `endless`: a joint without limits that bound it is among the joints.
typedef struct Chain {
    const BerthRobot* robot;
    int32_t link_a, link_b, frame_a, frame_b, ancestor;
    int32_t joint_count, variable_count;
    bool endless;
    ChainJoint* joints;
    ChainVariable* variables;
    Ball ball[2];  ///< around each link, in its frame
    double*
        axis_reach[2];  ///< per joint: no point of A (of B) is ever further from its axis; +infinity at worst
    double scale;   ///< bounds coordinates in the ancestor's axes, for rounding; more where angles are large
    double wanted;  ///< the gap that is to be proven, >= 0
    // At the middle of the box that is looked at.
    double* half;        ///< per joint: half the range it moves by
    double* chord;       ///< of turning joints: 2 sin(half / 2), 2 from half a turn on; of sliding ones: half
    Vec3* axis;          ///< unit, in the ancestor's axes
    Vec3* origin;        ///< a point on it
    Pose pose[2];        ///< of the two frames, in the ancestor's axes
    Pose* frames;        ///< scratch: robot->frame_count
    double* values;      ///< the state
    double *low, *high;  ///< all values' ranges
} Chain;

/// Finds the path between two links with geometry. Scratch is in place (bi_chain_take_scratch).
void bi_chain_find(Chain* chain, const BerthProofModel* model, int32_t link_a, int32_t link_b);
BerthStatus bi_chain_take_scratch(Chain* chain, const BerthProofModel* model, Arena* arena);
/// Places everything at chain->values; `half_widths` per variable (null: no range).
void bi_chain_place(Chain* chain, const double* half_widths);

/// True when the balls of the two links, carried to their common ancestor, are further apart than chain->wanted for all
/// values in [low, high].
bool bi_chain_prove_by_balls(Chain* chain, const double* low, const double* high);

/// How far apart and how far they move, of two parts where the chain is placed.
typedef struct PartBound {
    bool proven;    ///< they are further apart than chain->wanted everywhere in the box
    double gap;     ///< lower bound at the middle
    double motion;  ///< how much nearer they can come in the box,
    double chords;  ///< and by the first-order bound alone, which holds for any distance
} PartBound;

/// `share`, per variable, gets the parts of `motion` added.
PartBound bi_chain_bound_parts(const Chain* chain, const BerthProofModel* model, int32_t part_a,
                               int32_t part_b, double* share);

/// Most joints that bounds are computed for at once; longer chains are not proven.
enum { BI_CHAIN_MAX = 128 };

typedef struct PartPair {
    int32_t a, b;
    double chords;  ///< as PartBound, in the box that was tested last
} PartPair;

typedef struct ProofBox {
    int32_t first, count;  ///< its part pairs in the pool
} ProofBox;

/// How a proof ended.
typedef enum ProofEnd { PROOF_OPEN = 0, PROOF_APART, PROOF_TOUCH } ProofEnd;

enum { BI_PROOF_BOXES = 2048, BI_PROOF_PAIRS = 1 << 16, BI_PROOF_NEAR = 8 };

struct BerthProver {
    const BerthProofModel* model;
    BerthProofDef def;
    Arena arena;
    BerthTreeQuery* query;
    Chain chain;
    ProofBox* boxes;
    double* box_low;  ///< BI_PROOF_BOXES rows of variables
    double* box_high;
    PartPair* pool;
    double *half_widths, *share, *gradient, *trial;
    /// The middles of boxes that came nearest to touching: where a search may begin.
    double* near_values;
    double near_gap[BI_PROOF_NEAR];
    int32_t near_count;
    int64_t first_work;  ///< of the short proof before anything is searched
    int64_t work;        ///< of this pair
};

/// Splits until the pair is proven further apart than `wanted` (>= 0), a middle shows that it is not (its state is in
/// chain.values) or the work is spent.
ProofEnd bi_proof_split_boxes(BerthProver* prover, double wanted, int64_t work_most);
/// Do the links touch where chain.values are? Gaps in [lower, upper]; the nearest pair's answer in `out`.
BerthVerdict bi_proof_ask_links(BerthProver* prover, double max_d, BerthTreeAnswer* out);
/// The same of two solids only, where the chain is placed.
BerthTreeAnswer bi_proof_ask_solids(BerthProver* prover, int32_t solid_a, int32_t solid_b, double max_d);
/// Goes down the distance from chain.values. True when they touch at chain.values afterwards.
bool bi_proof_descend_to_touch(BerthProver* prover, double* least);
/// A random state of the chain's variables; others stay.
void bi_proof_set_random_state(BerthProver* prover, Random* random);

#endif
