// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The class of a pair of links: neighbours, overlapping by default or always, never touching, or to be
// checked. Cheap tests first: most pairs are proven apart with a few comparisons, or touch in one of a few
// states.
// Entries: berth_prover_create, berth_prover_pair.

#include <string.h>

#include "math/math.h"
#include "proof/proof.h"

enum {
    QUERY_NODE_BUDGET = 200000,
    FIRST_WORK = 400,   // a short proof before anything is searched
    FIRST_STARTS = 12,  // descents before the long proof
    LATE_STARTS = 24,   // descents after it, besides those from the boxes that came nearest
    GAP_STARTS = 2,     // descents that tell how large a gap can be, besides those
    GAP_SHARE =
        16,  // each gap that is tried may cost this part of the budget, and twice what was spent before
    ALWAYS_SAMPLES = 1000  // as for the default rule of pairs
};

BerthProofDef berth_default_proof_def(void) {
    return (BerthProofDef){.budget = 30000, .samples = 0, .seed = 0, .stamp = BI_DEF_STAMP};
}

const char* berth_pair_standing_name(BerthPairStanding standing) {
    static const char* const names[] = {"check", "adjacent", "default", "always", "never"};
    return (unsigned)standing < BERTH_STANDING_COUNT ? names[standing] : "unknown";
}

static BerthStatus take_scratch(BerthProver* prover) {
    const BerthProofModel* model = prover->model;
    const size_t n = (size_t)model->chain_most;
    Arena* arena = &prover->arena;

    prover->boxes = bi_arena_take(arena, BI_PROOF_BOXES, sizeof *prover->boxes);
    prover->box_low = bi_arena_take(arena, BI_PROOF_BOXES * n, sizeof(double));
    prover->box_high = bi_arena_take(arena, BI_PROOF_BOXES * n, sizeof(double));
    prover->pool = bi_arena_take(arena, BI_PROOF_PAIRS, sizeof *prover->pool);
    prover->half_widths = bi_arena_take(arena, n, sizeof(double));
    prover->share = bi_arena_take(arena, n, sizeof(double));
    prover->gradient = bi_arena_take(arena, n, sizeof(double));
    prover->trial = bi_arena_take(arena, n, sizeof(double));
    prover->near_values = bi_arena_take(arena, BI_PROOF_NEAR * n, sizeof(double));

    const bool taken = prover->boxes != NULL && prover->box_low != NULL && prover->box_high != NULL &&
                       prover->pool != NULL && prover->half_widths != NULL && prover->share != NULL &&
                       prover->gradient != NULL && prover->trial != NULL && prover->near_values != NULL;
    return taken ? bi_chain_take_scratch(&prover->chain, model, arena)
                 : bi_fail(BERTH_ERR_MEMORY, "prover: out of memory");
}

BerthStatus berth_prover_create(const BerthProofModel* model, const BerthProofDef* def,
                                const BerthAllocator* allocator, BerthProver** out) {
    *out = NULL;
    if (model == NULL || def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "prover: needs a model, and a def from berth_default_proof_def()");
    }

    if (def->budget <= 0 || def->samples < 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "prover: budget is %lld, samples %lld; must be > 0 and >= 0",
                       (long long)def->budget, (long long)def->samples);
    }

    const BerthAllocator from = bi_allocator_or_default(allocator);
    BerthProver* prover = bi_take(&from, 1, sizeof *prover);
    if (prover == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "prover: out of memory");
    }

    prover->model = model;
    prover->def = *def;
    prover->first_work = FIRST_WORK;
    bi_arena_init(&prover->arena, &from, 0);

    BerthStatus status = take_scratch(prover);
    if (status == BERTH_OK) {
        status = berth_tree_query_create(QUERY_NODE_BUDGET, &from, &prover->query);
    }

    if (status != BERTH_OK) {
        berth_prover_destroy(prover);
        return status;
    }

    *out = prover;
    return BERTH_OK;
}

void berth_prover_destroy(BerthProver* prover) {
    if (prover == NULL) {
        return;
    }
    berth_tree_query_destroy(prover->query);

    const BerthAllocator memory = prover->arena.allocator;
    bi_arena_free(&prover->arena);
    bi_give(&memory, prover, 1, sizeof *prover);
}

// ---- neighbours ---------------------------------------------------------------------------------------------

static int32_t parent_of(const BerthRobot* robot, int32_t link) {
    const int32_t joint = robot->links[link].parent_joint;
    return joint >= 0 ? robot->joints[joint].parent_link : -1;
}

static int32_t link_depth(const BerthRobot* robot, int32_t link) {
    int32_t depth = 0;
    for (; parent_of(robot, link) >= 0; link = parent_of(robot, link)) {
        ++depth;
    }
    return depth;
}

// Joined by one joint, or through links without geometry; at most one of the joints between moves.
static bool are_adjacent(const BerthRobot* robot, int32_t a, int32_t b) {
    int32_t depth_a = link_depth(robot, a), depth_b = link_depth(robot, b), moving = 0;
    const int32_t ends[2] = {a, b};

    while (a != b) {
        // One step up from the deeper of the two.
        const bool from_a = depth_a >= depth_b;
        const int32_t deeper = from_a ? a : b;
        const int32_t parent = parent_of(robot, deeper);
        moving += robot->links[parent].frame != robot->links[deeper].frame;
        if (from_a) {
            a = parent;
            depth_a -= 1;
        } else {
            b = parent;
            depth_b -= 1;
        }

        if (moving > 1 || (parent != ends[0] && parent != ends[1] && robot->links[parent].geometry >= 0)) {
            return false;
        }
    }
    return true;
}

// ---- one pair -----------------------------------------------------------------------------------------------

// What is found out about one pair, and where states go.
typedef struct PairCase {
    BerthProver* prover;
    BerthPairProof* out;
    double *touch, *apart;
    Random random;
} PairCase;

static void note_state(const PairCase* self, double* to) {
    if (to != NULL) {
        memcpy(to, self->prover->chain.values, (size_t)self->prover->chain.robot->value_count * sizeof *to);
    }
}

static void note_touch(PairCase* self) {
    if (!self->out->has_touch) {
        self->out->has_touch = true;
        self->out->seen = 0.0;
        note_state(self, self->touch);
    }
}

// The gap at this state is at least `lower`, when they do not touch.
static BerthVerdict ask_and_note(PairCase* self, double* lower) {
    BerthTreeAnswer answer;
    const BerthVerdict verdict = bi_proof_ask_links(self->prover, INFINITY, &answer);
    *lower = answer.lower;
    if (verdict == BERTH_COLLISION) {
        note_touch(self);
    } else {
        self->out->seen = fmin(self->out->seen, answer.upper);
    }

    if (verdict == BERTH_FREE && !self->out->has_apart) {
        self->out->has_apart = true;
        note_state(self, self->apart);
    }
    return verdict;
}

// Descends from random states until one touches.
static bool search_random(PairCase* self, int starts) {
    for (int i = 0; i < starts; ++i) {
        bi_proof_set_random_state(self->prover, &self->random);
        if (bi_proof_descend_to_touch(self->prover, &self->out->seen)) {
            note_touch(self);
            return true;
        }
    }
    return false;
}

// Proofs look a little beyond the limits; what is shown to people does not.
static void clamp_into_limits(Chain* chain) {
    for (int32_t k = 0; k < chain->variable_count; ++k) {
        const ChainVariable* variable = &chain->variables[k];
        double* value = &chain->values[variable->value];
        *value = clamp(*value, variable->low, variable->high);
    }
}

static bool search_near(PairCase* self) {
    BerthProver* prover = self->prover;
    Chain* chain = &prover->chain;

    for (int32_t i = 0; i < prover->near_count; ++i) {
        for (int32_t k = 0; k < chain->variable_count; ++k) {
            chain->values[chain->variables[k].value] = prover->near_values[i * chain->variable_count + k];
        }
        clamp_into_limits(chain);

        if (bi_proof_descend_to_touch(prover, &self->out->seen)) {
            note_touch(self);
            return true;
        }
    }
    return false;
}

// How large a gap can be proven: tried downward from the smallest one that was seen. Each try may cost a few times what the
// proof that they do not touch took, so that a later confirmation is quick. Neighbours are skipped whatever their
// gap is: it is not needed.
static void prove_gap(PairCase* self) {
    static const double shares[] = {0.9, 0.7, 0.45, 0.25, 0.1, 0.03, 1e-2, 1e-3, 1e-4, 1e-6};
    BerthPairProof* out = self->out;
    BerthProver* prover = self->prover;
    const int64_t most = 2 * prover->work + prover->def.budget / GAP_SHARE;
    if (prover->def.no_gaps || out->adjacent) {
        return;
    }

    if (!search_near(self)) {
        (void)search_random(self, GAP_STARTS);
    }

    for (size_t i = 0; i < sizeof shares / sizeof shares[0] && out->gap == 0.0; ++i) {
        const double wanted = shares[i] * fmin(out->seen, BI_COORDINATE_MAX);
        if (bi_proof_split_boxes(prover, wanted, most < prover->def.budget ? most : prover->def.budget) ==
            PROOF_APART) {
            out->gap = wanted;
        }
    }
}

// A short proof, a search, a long proof, a longer search. The links are apart in the default state, which rules out that
// one is inside the other as long as their surfaces never meet.
static void prove_or_refute(PairCase* self) {
    BerthPairProof* out = self->out;
    BerthProver* prover = self->prover;
    for (int turn = 0; turn < 2; ++turn) {
        const ProofEnd end =
            bi_proof_split_boxes(prover, 0.0, turn == 0 ? prover->first_work : prover->def.budget);
        if (end == PROOF_APART) {
            out->never = true;
            prove_gap(self);
            return;
        }
        double lower = 0.0;
        clamp_into_limits(&prover->chain);
        if (end == PROOF_TOUCH && ask_and_note(self, &lower) == BERTH_COLLISION) {
            return;
        }

        if (search_near(self) || search_random(self, turn == 0 ? FIRST_STARTS : LATE_STARTS)) {
            return;
        }
    }

    out->why = prover->chain.endless ? BERTH_WHY_ENDLESS : BERTH_WHY_BUDGET;
}

// Random states until one is apart (`until` FREE) or touches (COLLISION). True when none was.
static bool try_states(PairCase* self, int64_t count, BerthVerdict until) {
    for (int64_t i = 0; i < count; ++i) {
        bi_proof_set_random_state(self->prover, &self->random);
        self->out->samples += 1;
        double lower = 0.0;
        const BerthVerdict verdict = ask_and_note(self, &lower);
        if (verdict == until || (until == BERTH_FREE && verdict == BERTH_UNKNOWN)) {
            return false;
        }
    }
    return true;
}

static void classify_pair(PairCase* self) {
    BerthPairProof* out = self->out;
    const Chain* chain = &self->prover->chain;
    double lower = 0.0;
    const BerthVerdict by_default = ask_and_note(self, &lower);
    const bool rigid = chain->joint_count == 0;
    if (rigid) {
        out->never = by_default == BERTH_FREE;
        out->gap = out->never ? fmax(lower, 0.0) : 0.0;
        out->always = by_default == BERTH_COLLISION;
    } else if (by_default == BERTH_FREE) {
        prove_or_refute(self);
    }

    out->why = by_default == BERTH_UNKNOWN ? BERTH_WHY_NUMERIC : out->why;
    if (out->never) {
        out->standing = out->adjacent ? BERTH_STANDING_ADJACENT : BERTH_STANDING_NEVER;
        return;
    }

    if (out->adjacent) {
        out->standing = BERTH_STANDING_ADJACENT;
    } else if (by_default == BERTH_COLLISION) {
        const bool all = out->always || try_states(self, ALWAYS_SAMPLES, BERTH_FREE);
        out->standing = all ? BERTH_STANDING_ALWAYS : BERTH_STANDING_DEFAULT;
    } else if (by_default == BERTH_FREE && !out->has_touch && self->prover->def.samples > 0 &&
               try_states(self, self->prover->def.samples, BERTH_COLLISION)) {
        out->standing = BERTH_STANDING_NEVER;
    }
}

static bool are_two_links(const BerthRobot* robot, int32_t a, int32_t b) {
    return a != b && a >= 0 && b >= 0 && a < robot->link_count && b < robot->link_count &&
           robot->links[a].geometry >= 0 && robot->links[b].geometry >= 0 &&
           (int64_t)robot->links[a].solid_count * robot->links[b].solid_count <= BI_PROOF_PAIRS;
}

bool berth_prover_confirm(BerthProver* prover, int32_t link_a, int32_t link_b, double gap) {
    if (!are_two_links(prover->model->robot, link_a, link_b) || !(gap > 0.0)) {
        return false;
    }

    Chain* chain = &prover->chain;
    bi_chain_find(chain, prover->model, link_a < link_b ? link_a : link_b, link_a < link_b ? link_b : link_a);

    // Apart in one state, so that neither is inside of the other; then everywhere.
    BerthTreeAnswer answer;
    if (bi_proof_ask_links(prover, INFINITY, &answer) != BERTH_FREE || !(answer.lower >= gap)) {
        return false;
    }
    return chain->joint_count == 0 || bi_proof_split_boxes(prover, gap, prover->def.budget) == PROOF_APART;
}

BerthStatus berth_prover_pair(BerthProver* prover, int32_t link_a, int32_t link_b, double* touch,
                              double* apart, BerthPairProof* out) {
    const BerthRobot* robot = prover->model->robot;
    *out = (BerthPairProof){.seen = INFINITY};

    if (link_a == link_b || link_a < 0 || link_b < 0 || link_a >= robot->link_count ||
        link_b >= robot->link_count || robot->links[link_a].geometry < 0 ||
        robot->links[link_b].geometry < 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "prover: %d and %d are not two links with geometry", (int)link_a,
                       (int)link_b);
    }

    // One way round for both orders, so that the answer does not depend on it.
    const int32_t low = link_a < link_b ? link_a : link_b, high = link_a < link_b ? link_b : link_a;
    bi_chain_find(&prover->chain, prover->model, low, high);
    prover->work = 0;

    PairCase self = {prover, out, touch, apart, {0}};
    Random mix = {prover->def.seed ^ ((uint64_t)(uint32_t)low << 32 | (uint32_t)high)};
    self.random.state = bi_random_next(&mix) ^ prover->def.seed;
    out->adjacent = are_adjacent(robot, low, high);

    if ((int64_t)robot->links[low].solid_count * robot->links[high].solid_count > BI_PROOF_PAIRS) {
        // Not even one state is tested: that alone could take hours.
        out->standing = out->adjacent ? BERTH_STANDING_ADJACENT : BERTH_STANDING_CHECK;
        out->why = BERTH_WHY_BUDGET;
        return BERTH_OK;
    }

    classify_pair(&self);
    out->work = prover->work;
    return BERTH_OK;
}
