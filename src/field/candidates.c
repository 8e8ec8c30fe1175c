// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Candidates by two walks: the first finds min over O of maxdist(W, O), the second all obstacles with mindist(W, O) up to that. maxdist(W, node) <=
// maxdist(W, obstacle inside of the node), so both walks may leave out nodes.

#include "field/candidates.h"

void bi_candidates_init(Candidates* candidates, const BerthField* field, BerthMetric metric) {
    *candidates = (Candidates){.field = field, .metric = metric, .least = -1, .greatest = -1};
    bi_field_list_init(&candidates->items, &field->allocator, sizeof(Candidate));
}

void bi_candidates_free(Candidates* candidates) {
    bi_field_list_free(&candidates->items);
}

static int64_t as_key(int64_t gap, BerthMetric metric) {
    return metric == BERTH_METRIC_L1 ? gap : gap * gap;
}

// Greatest distance of a point of [0, width] to [low, high] on one axis: at one of the ends.
static int64_t axis_most(int32_t width, int64_t low, int64_t high) {
    const int64_t a = low > 0 ? low : high < 0 ? -high : 0;
    const int64_t b = low > width ? low - width : high < width ? width - high : 0;
    return a > b ? a : b;
}

static int64_t axis_least(int32_t width, int64_t low, int64_t high) {
    return low > width ? low - width : high < 0 ? -high : 0;
}

static int64_t most_key(const Candidates* c, const FieldNode* w, const FieldNode* at) {
    int64_t key = 0;
    const int32_t width = 1 << w->log_width;
    for (int axis = 0; axis < c->field->info.dim; ++axis) {
        const int64_t low = at->low[axis] - w->low[axis];
        key += as_key(axis_most(width, low, low + ((int64_t)1 << at->log_width)), c->metric);
    }
    return key;
}

static int64_t least_key(const Candidates* c, const FieldNode* w, const FieldNode* at) {
    int64_t key = 0;
    const int32_t width = 1 << w->log_width;
    for (int axis = 0; axis < c->field->info.dim; ++axis) {
        const int64_t low = at->low[axis] - w->low[axis];
        key += as_key(axis_least(width, low, low + ((int64_t)1 << at->log_width)), c->metric);
    }
    return key;
}

// The first nodes of a walk: the root, or the parent's other children.
static int first_nodes(const Candidates* c, const FieldNode* w, const FieldNode* parent, FieldNode* stack) {
    if (parent == NULL) {
        stack[0] = field_root(c->field);
        return 1;
    }
    int count = 0;
    for (int k = field_children(c->field) - 1; k >= 0; --k) {
        const FieldNode child = field_child(c->field, parent, k);
        if (child.index != w->index) {
            stack[count++] = child;
        }
    }
    return count;
}

// Nearest child last, so that it is opened next.
static int push_near_last(const Candidates* c, const FieldNode* w, const FieldNode* at, FieldNode* stack,
                          int count) {
    static const uint8_t far_first[FIELD_CHILDREN] = {7, 6, 5, 3, 4, 2, 1, 0};
    const int32_t half = 1 << (at->log_width - 1);
    int nearest = 0;
    for (int axis = 0; axis < c->field->info.dim; ++axis) {
        const int32_t middle = w->low[axis] + (1 << w->log_width) / 2;
        nearest |= (middle >= at->low[axis] + half ? 1 : 0) << axis;
    }
    const int children = field_children(c->field);
    for (int i = 0; i < FIELD_CHILDREN; ++i) {
        const int k = far_first[i] ^ nearest;
        if (k < children) {
            const FieldNode child = field_child(c->field, at, k);
            if (node_colour(child.node) == FIELD_GREY || node_blocks(c->field, child.node)) {
                stack[count++] = child;
            }
        }
    }
    return count;
}

static int64_t find_greatest(const Candidates* c, const FieldNode* w, const FieldNode* parent) {
    FieldNode stack[FIELD_STACK + FIELD_CHILDREN];
    int count = first_nodes(c, w, parent, stack);
    int64_t best = INT64_MAX;
    while (count > 0) {
        const FieldNode at = stack[--count];
        const int64_t key = most_key(c, w, &at);
        if (key >= best) {
            continue;
        }
        if (node_colour(at.node) == FIELD_GREY) {
            count = push_near_last(c, w, &at, stack, count);
        } else if (node_blocks(c->field, at.node)) {
            best = key;
        }
    }
    return best;
}

static BerthStatus add_candidate(Candidates* c, const FieldNode* w, const FieldNode* at, int64_t key) {
    Candidate* item = bi_field_list_more(&c->items, 1);
    if (item == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for %zu candidates", c->items.count);
    }
    *item = (Candidate){.least = key, .obstacle = node_payload(at->node)};
    for (int axis = 0; axis < 3; ++axis) {
        item->low[axis] = at->low[axis] - w->low[axis];
        item->high[axis] = item->low[axis] + (1 << at->log_width);
    }
    ++c->items.count;
    c->least = c->least < 0 || key < c->least ? key : c->least;
    return BERTH_OK;
}

BerthStatus bi_candidates_find(Candidates* c, const FieldNode* w, const FieldNode* parent) {
    c->items.count = 0;
    c->least = -1;
    c->greatest = find_greatest(c, w, parent);
    if (c->greatest == INT64_MAX) {
        c->greatest = -1;
        return BERTH_OK;
    }
    FieldNode stack[FIELD_STACK + FIELD_CHILDREN];
    int count = first_nodes(c, w, parent, stack);
    BerthStatus status = BERTH_OK;
    while (count > 0 && status == BERTH_OK) {
        const FieldNode at = stack[--count];
        const int64_t key = least_key(c, w, &at);
        if (key > c->greatest) {
            continue;
        }
        if (node_colour(at.node) == FIELD_GREY) {
            for (int k = field_children(c->field) - 1; k >= 0; --k) {
                const FieldNode child = field_child(c->field, &at, k);
                if (node_colour(child.node) == FIELD_GREY || node_blocks(c->field, child.node)) {
                    stack[count++] = child;
                }
            }
        } else if (node_blocks(c->field, at.node)) {
            status = add_candidate(c, w, &at, key);
        }
    }
    return status;
}
