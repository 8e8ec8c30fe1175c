// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Candidates by two walks: the first finds min over O of maxdist(W, O), the second all obstacles with
// mindist(W, O) up to that. maxdist(W, node) <= maxdist(W, obstacle inside the node), so both walks may leave
// out nodes.
// Entry: bi_candidates_find.

#include "field/eodm.h"

void bi_candidates_init(Candidates* candidates, const BerthField* field, BerthMetric metric) {
    *candidates =
        (Candidates){.field = field, .metric = metric, .least = -1, .greatest = -1, .last = UINT32_MAX};
    bi_list_init(&candidates->items, &field->allocator, sizeof(Candidate));
}

void bi_candidates_free(Candidates* candidates) {
    bi_list_free(&candidates->items);
}

static inline int64_t as_key(int64_t gap, BerthMetric metric) {
    return metric == BERTH_METRIC_L1 ? gap : gap * gap;
}

// Distance of x to [low, high] on one axis.
static inline int64_t point_gap(int64_t x, int64_t low, int64_t high) {
    if (low > x) {
        return low - x;
    }
    return high < x ? x - high : 0;
}

// Greatest distance of a point of [0, width] to [low, high] on one axis: at one of the ends.
static inline int64_t axis_most(int64_t width, int64_t low, int64_t high) {
    const int64_t from_start = point_gap(0, low, high);
    const int64_t from_end = point_gap(width, low, high);
    return from_start > from_end ? from_start : from_end;
}

static inline int64_t axis_least(int64_t width, int64_t low, int64_t high) {
    if (low > width) {
        return low - width;
    }
    return high < 0 ? -high : 0;
}

/// A grey node on a walk, with the key of its box.
typedef struct WalkNode {
    int64_t key;
    uint32_t first, index;  // of its children; its own
    int32_t low[3];
    int32_t log_width;
} WalkNode;

typedef struct CandidateWalk {
    Candidates* candidates;
    const FieldNode* w;
    uint32_t not_this;  // node that is left out
    bool most;          // first walk: keys are maxdist
    int64_t best;       // first walk: least so far; second: greatest that counts
    uint32_t owner;     // solid that gave it
    WalkNode stack[FIELD_STACK + FIELD_CHILDREN];
    int count;
} CandidateWalk;

// Keys of the two halves of a node along each axis; returns which half is nearer to W's middle.
static inline int candidate_half_keys(const CandidateWalk* walk, const WalkNode* at, int64_t keys[3][2]) {
    const Candidates* c = walk->candidates;
    const int64_t width = (int64_t)1 << walk->w->log_width, half = (int64_t)1 << (at->log_width - 1);
    int nearest = 0;

    for (int axis = 0; axis < c->field->info.dim; ++axis) {
        const int64_t low = at->low[axis] - walk->w->low[axis];
        for (int k = 0; k < 2; ++k) {
            const int64_t from = low + k * half, to = from + half;
            keys[axis][k] =
                as_key(walk->most ? axis_most(width, from, to) : axis_least(width, from, to), c->metric);
        }
        nearest |= (width / 2 >= low + half ? 1 : 0) << axis;
    }
    return nearest;
}

static void open_candidate_node(CandidateWalk* walk, const WalkNode* at) {
    static const uint8_t far_first[2][FIELD_CHILDREN] = {{3, 2, 1, 0}, {7, 6, 5, 3, 4, 2, 1, 0}};
    const BerthField* field = walk->candidates->field;
    const int dim = field->info.dim, children = 1 << dim;
    int64_t keys[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    const int nearest = candidate_half_keys(walk, at, keys);
    const int32_t log_half = at->log_width - 1;

    for (int i = 0; i < children; ++i) {
        // The second walk meets obstacles in the order of codes.
        const int k = walk->most ? far_first[dim - 2][i] ^ nearest : children - 1 - i;
        const uint32_t word = field->nodes[at->first + (uint32_t)k];
        const int x = k & 1, y = k >> 1 & 1, z = k >> 2;
        const int64_t key = keys[0][x] + keys[1][y] + keys[2][z];
        const bool grey = node_colour(word) == FIELD_GREY;
        const uint32_t index = at->first + (uint32_t)k;
        const bool holds = grey ? grey_holds_obstacle(field, index) : node_blocks(field, word);
        if (key > walk->best || !holds || index == walk->not_this) {
            continue;
        }

        if (walk->most && !grey) {
            if (key < walk->best || walk->owner == UINT32_MAX) {
                walk->best = key;
                walk->owner = node_payload(word);
            }
        } else {
            const int32_t low[3] = {at->low[0] + (x << log_half), at->low[1] + (y << log_half),
                                    at->low[2] + (z << log_half)};
            walk->stack[walk->count++] =
                (WalkNode){key, node_payload(word), index, {low[0], low[1], low[2]}, log_half};
        }
    }
}

// From the root, or the parent, whose child W is left out.
static void start_walk(CandidateWalk* walk, const FieldNode* parent) {
    const BerthField* field = walk->candidates->field;
    const FieldNode first = parent != NULL ? *parent : field_root(field);

    walk->count = 0;
    if (node_colour(first.node) == FIELD_GREY) {
        walk->stack[walk->count++] = (WalkNode){0,
                                                node_payload(first.node),
                                                first.index,
                                                {first.low[0], first.low[1], first.low[2]},
                                                first.log_width};
    }
}

// The last leaf's best obstacle is a good guess for the next leaf.
static int64_t guess_greatest(const CandidateWalk* walk) {
    const Candidates* c = walk->candidates;
    if (c->last == UINT32_MAX) {
        return INT64_MAX;
    }

    const PackedLeaf leaf = c->field->solids[c->last];
    int64_t key = 0;
    for (int axis = 0; axis < c->field->info.dim; ++axis) {
        const int64_t low = leaf_low(leaf, axis) - walk->w->low[axis];
        key += as_key(axis_most((int64_t)1 << walk->w->log_width, low, low + leaf_width(leaf)), c->metric);
    }

    return key;
}

static int64_t find_greatest(CandidateWalk* walk, const FieldNode* parent) {
    walk->most = true;
    walk->owner = UINT32_MAX;
    walk->best = parent == NULL ? guess_greatest(walk) : INT64_MAX;
    start_walk(walk, parent);

    while (walk->count > 0) {
        const WalkNode top = walk->stack[--walk->count];
        if (top.key < walk->best || walk->owner == UINT32_MAX) {
            open_candidate_node(walk, &top);
        }
    }

    if (walk->owner != UINT32_MAX) {
        walk->candidates->last = walk->owner;
    }
    return walk->owner == UINT32_MAX ? -1 : walk->best;
}

static BerthStatus add_candidate(Candidates* c, const FieldNode* w, const int32_t low[3], int32_t log_width,
                                 uint32_t obstacle, int64_t key) {
    Candidate* item = bi_list_more(&c->items, 1);
    if (item == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for %zu candidates", c->items.count);
    }

    *item = (Candidate){.least = key, .obstacle = obstacle};
    for (int axis = 0; axis < 3; ++axis) {
        item->low[axis] = low[axis] - w->low[axis];
        item->high[axis] = item->low[axis] + (1 << log_width);
    }

    ++c->items.count;
    c->least = c->least < 0 || key < c->least ? key : c->least;
    return BERTH_OK;
}

BerthStatus bi_candidates_find(Candidates* c, const FieldNode* w, const FieldNode* parent) {
    CandidateWalk walk;
    walk.candidates = c;
    walk.w = w;
    walk.not_this = parent != NULL ? w->index : UINT32_MAX;

    c->items.count = 0;
    c->least = -1;
    c->greatest = find_greatest(&walk, parent);
    if (c->greatest < 0) {
        return BERTH_OK;
    }

    walk.most = false;
    walk.best = c->greatest;
    start_walk(&walk, parent);

    BerthStatus status = BERTH_OK;
    while (walk.count > 0 && status == BERTH_OK) {
        const WalkNode top = walk.stack[--walk.count];
        const uint32_t word = c->field->nodes[top.index];
        if (node_colour(word) == FIELD_GREY) {
            open_candidate_node(&walk, &top);
        } else {
            status = add_candidate(c, w, top.low, top.log_width, node_payload(word), top.key);
        }
    }
    return status;
}
