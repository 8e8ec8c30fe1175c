// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Branch and bound over the values between two links. Boxes are opened depth first. A box tests the part
// pairs that its parent left; pairs that it cannot prove are split into smaller parts while the box is small
// relative to them, and what is left goes to both halves of the box. Where hulls cannot separate the
// surfaces, the meshes themselves are compared.
// Entry: bi_proof_split_boxes.

#include <string.h>

#include "math/math.h"
#include "proof/proof.h"

enum {
    MESH_WORK =
        12  // what a question to the meshes costs, in comparisons of parts (measured: 20 against 1.6 us)
};
// A pair of parts is cut rather than the box when the motion in the box is below this share of the larger part's size:
// less when their hulls are apart, since then a smaller box will do. Of 0.1 to 2 these proved most on the shared robots.
static const double CUT_SHARE_MEETING = 1.0, CUT_SHARE_APART = 0.15;
// Meshes are compared for parts that cannot be cut when the motion is below this share of their size.
static const double STUCK_SHARE = 2.0;
// A box whose motion is this small is not split: what cannot be told from touching there cannot be told at all.
static const double MOTION_LEAST = 1e-9;

// Two solids some of whose parts overlap at the middle of the box: only the meshes can tell.
typedef struct StuckSolids {
    int32_t solid_a, solid_b;
    double chords;  // most of its part pairs'
} StuckSolids;
enum { STUCK_MAX = 64 };

typedef struct Splitter {
    BerthProver* prover;
    int64_t work_left;
    int32_t top;  // of the pool
    StuckSolids stuck[STUCK_MAX];
    int32_t stuck_count;
    double most_motion;  // of the pairs that are left
    double gap;          // least that was seen at this middle
} Splitter;

static bool push_pair(Splitter* s, int32_t a, int32_t b) {
    if (s->top >= BI_PROOF_PAIRS) {
        return false;
    }
    s->prover->pool[s->top++] = (PartPair){a, b, 0.0};
    return true;
}

// False when there are too many.
static bool push_stuck(Splitter* s, int32_t solid_a, int32_t solid_b, double chords) {
    for (int32_t i = 0; i < s->stuck_count; ++i) {
        if (s->stuck[i].solid_a == solid_a && s->stuck[i].solid_b == solid_b) {
            s->stuck[i].chords = fmax(s->stuck[i].chords, chords);
            return true;
        }
    }

    if (s->stuck_count >= STUCK_MAX) {
        return false;
    }
    s->stuck[s->stuck_count++] = (StuckSolids){solid_a, solid_b, chords};
    return true;
}

// The part of the pair that would be cut: the larger one that has children. Null when neither has.
static const ProofPart* larger_part(const BerthProofModel* model, PartPair pair) {
    const ProofPart* a = &model->parts[pair.a];
    const ProofPart* b = &model->parts[pair.b];
    if (a->child >= 0 && (b->child < 0 || a->size >= b->size)) {
        return a;
    }
    return b->child >= 0 ? b : NULL;
}

// Cuts a pair that could not be proven, if that helps more than to split the box. False when the pool is full.
static bool cut_pair(Splitter* s, PartPair pair, const PartBound* bound, bool* is_cut) {
    const BerthProofModel* model = s->prover->model;
    const ProofPart* part = larger_part(model, pair);
    const double share = bound->gap > s->prover->chain.wanted ? CUT_SHARE_APART : CUT_SHARE_MEETING;
    *is_cut = part != NULL && bound->motion < share * part->size;
    if (!*is_cut) {
        return true;
    }

    const bool cut_a = part == &model->parts[pair.a];
    return push_pair(s, cut_a ? part->child : pair.a, cut_a ? pair.b : part->child) &&
           push_pair(s, cut_a ? part->child + 1 : pair.a, cut_a ? pair.b : part->child + 1);
}

static bool keep_pair(Splitter* s, PartPair pair, const PartBound* bound, int32_t place) {
    const BerthProofModel* model = s->prover->model;
    const ProofPart* a = &model->parts[pair.a];
    const ProofPart* b = &model->parts[pair.b];

    s->gap = fmin(s->gap, bound->gap);
    s->most_motion = fmax(s->most_motion, bound->motion);
    s->prover->pool[place] = (PartPair){pair.a, pair.b, bound->chords};

    const bool small = bound->motion < STUCK_SHARE * fmax(a->size, b->size);
    if (bound->gap > s->prover->chain.wanted || larger_part(model, pair) != NULL || !small) {
        return true;
    }
    return push_stuck(s, a->solid, b->solid, bound->chords);
}

// Tests `count` pairs of the pool from `first` on where the chain is placed. Those that are left are packed from
// `first` on; *kept: how many. False: spent.
static bool test_pairs(Splitter* s, int32_t first, int32_t count, int32_t* kept) {
    BerthProver* prover = s->prover;
    memset(prover->share, 0, (size_t)prover->chain.variable_count * sizeof *prover->share);
    s->stuck_count = 0;
    s->gap = INFINITY;
    s->most_motion = 0.0;
    *kept = 0;
    s->top = first + count;

    for (int32_t i = first; i < s->top; ++i) {  // what is cut is put at the end, and tested in its turn
        const PartPair pair = prover->pool[i];
        bool is_cut = false;
        if (--s->work_left < 0) {
            return false;
        }

        const PartBound bound =
            bi_chain_bound_parts(&prover->chain, prover->model, pair.a, pair.b, prover->share);
        if (bound.proven) {
            continue;
        }

        if (!cut_pair(s, pair, &bound, &is_cut) ||
            (!is_cut && !keep_pair(s, pair, &bound, first + (*kept)++))) {
            return false;
        }
    }

    s->top = first + *kept;
    return true;
}

// Asks the meshes of solids that are stuck, and drops the pairs of parts that their distance proves. True: they touch, or
// are too near.
static bool ask_meshes(Splitter* s, int32_t first, int32_t* kept) {
    BerthProver* prover = s->prover;
    const ProofPart* parts = prover->model->parts;
    const double wanted = prover->chain.wanted;

    for (int32_t i = 0; i < s->stuck_count; ++i) {
        const StuckSolids* stuck = &s->stuck[i];
        s->work_left -= MESH_WORK;
        const BerthTreeAnswer answer =
            bi_proof_ask_solids(prover, stuck->solid_a, stuck->solid_b, stuck->chords + wanted);
        if (answer.verdict == BERTH_COLLISION || answer.upper <= wanted) {
            return true;
        }

        s->gap = fmin(fmax(s->gap, 0.0), answer.upper);
        int32_t left = 0;
        for (int32_t k = first; k < first + *kept; ++k) {
            const PartPair pair = prover->pool[k];
            const bool same = parts[pair.a].solid == stuck->solid_a && parts[pair.b].solid == stuck->solid_b;
            if (!(same && answer.lower > pair.chords + wanted)) {
                prover->pool[first + left++] = pair;
            }
        }
        *kept = left;
    }

    s->top = first + *kept;
    return false;
}

// Remembers the middles that came nearest, the nearest first.
static void remember_middle(BerthProver* prover, double gap) {
    const Chain* chain = &prover->chain;
    const int32_t n = chain->variable_count;
    int32_t place = prover->near_count;
    for (; place > 0 && gap < prover->near_gap[place - 1]; --place) {
    }

    if (place >= BI_PROOF_NEAR) {
        return;
    }

    prover->near_count += prover->near_count < BI_PROOF_NEAR;
    for (int32_t i = prover->near_count - 1; i > place; --i) {
        prover->near_gap[i] = prover->near_gap[i - 1];
        memcpy(prover->near_values + i * n, prover->near_values + (i - 1) * n,
               (size_t)n * sizeof *prover->near_values);
    }

    prover->near_gap[place] = gap;
    for (int32_t i = 0; i < n; ++i) {
        prover->near_values[place * n + i] = chain->values[chain->variables[i].value];
    }
}

// Puts the chain at the middle of a box.
static void place_middle(BerthProver* prover, const double* low, const double* high) {
    Chain* chain = &prover->chain;
    for (int32_t i = 0; i < chain->variable_count; ++i) {
        const double middle = low[i] + 0.5 * (high[i] - low[i]);
        prover->half_widths[i] = fmax(high[i] - middle, middle - low[i]) * (1.0 + 4.0 * BI_ULP);
        chain->values[chain->variables[i].value] = middle;
    }

    bi_chain_place(chain, prover->half_widths);
}

// Halves the box across the variable that moves most. False when that is not worth it, or there is no room.
static bool split_box(BerthProver* prover, int32_t box, int32_t first, int32_t count) {
    const int32_t n = prover->chain.variable_count;
    double* low = prover->box_low + (size_t)box * (size_t)n;
    double* high = prover->box_high + (size_t)box * (size_t)n;

    int32_t widest = 0;
    for (int32_t i = 1; i < n; ++i) {
        widest = prover->share[i] > prover->share[widest] ? i : widest;
    }

    const double middle = low[widest] + 0.5 * (high[widest] - low[widest]);
    if (box + 2 > BI_PROOF_BOXES || !(low[widest] < middle && middle < high[widest])) {
        return false;
    }

    memcpy(low + n, low, (size_t)n * sizeof *low);
    memcpy(high + n, high, (size_t)n * sizeof *high);
    high[widest] = middle;
    low[n + widest] = middle;

    prover->boxes[box] = prover->boxes[box + 1] = (ProofBox){first, count};
    return true;
}

// One box: APART when it is done or was split, TOUCH when its middle touches.
static ProofEnd open_box(Splitter* s, int32_t* box_count) {
    BerthProver* prover = s->prover;
    const int32_t n = prover->chain.variable_count;
    const int32_t box = --*box_count;
    const ProofBox self = prover->boxes[box];
    int32_t kept = 0;
    const double* low = prover->box_low + (size_t)box * (size_t)n;
    const double* high = prover->box_high + (size_t)box * (size_t)n;

    if (--s->work_left < 0) {
        return PROOF_OPEN;
    }
    if (bi_chain_prove_by_balls(&prover->chain, low, high)) {
        return PROOF_APART;
    }

    place_middle(prover, low, high);
    // The sibling below still needs the pairs: this box works on a copy behind them.
    const int32_t first = self.first + self.count;
    if (first + self.count > BI_PROOF_PAIRS) {
        return PROOF_OPEN;
    }
    memcpy(prover->pool + first, prover->pool + self.first, (size_t)self.count * sizeof *prover->pool);

    if (!test_pairs(s, first, self.count, &kept)) {
        return PROOF_OPEN;
    }
    if (kept > 0 && ask_meshes(s, first, &kept)) {
        return PROOF_TOUCH;
    }

    if (kept == 0) {
        return PROOF_APART;
    }

    remember_middle(prover, s->gap);
    if (n == 0 || !(s->most_motion > MOTION_LEAST) || !split_box(prover, box, first, kept)) {
        return PROOF_OPEN;
    }

    *box_count += 2;
    return PROOF_APART;
}

ProofEnd bi_proof_split_boxes(BerthProver* prover, double wanted, int64_t work_most) {
    Chain* chain = &prover->chain;
    const BerthRobot* robot = chain->robot;
    const RobotLink* a = &robot->links[chain->link_a];
    const RobotLink* b = &robot->links[chain->link_b];
    Splitter s = {.prover = prover, .work_left = work_most};
    prover->near_count = 0;
    chain->wanted = wanted;

    if (chain->endless) {
        return PROOF_OPEN;
    }

    // At first every pair of solids is open.
    for (int64_t i = 0; i < (int64_t)a->solid_count * b->solid_count; ++i) {
        if (!push_pair(&s, a->first_solid + (int32_t)(i / b->solid_count),
                       b->first_solid + (int32_t)(i % b->solid_count))) {
            return PROOF_OPEN;
        }
    }

    // The first box is everything the values can be, and a little more.
    for (int32_t i = 0; i < chain->variable_count; ++i) {
        prover->box_low[i] = chain->variables[i].low - chain->variables[i].wider;
        prover->box_high[i] = chain->variables[i].high + chain->variables[i].wider;
    }
    prover->boxes[0] = (ProofBox){0, s.top};
    int32_t box_count = 1;

    ProofEnd end = PROOF_APART;
    while (box_count > 0 && end == PROOF_APART) {
        end = open_box(&s, &box_count);
    }

    prover->work += work_most - s.work_left;
    chain->wanted = 0.0;
    return end;
}
