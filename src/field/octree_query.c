// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Searches of the tree. Computed gaps grow with the box that is left out (rounding is monotone), so a node
// that is left out contains no obstacle with a smaller computed key.
// Entries: bi_field_search_nearest, bi_field_search_touching, bi_field_search_as_thesis,
// berth_field_all_nearest.

#include "field/query.h"

/// A grey node to be opened, with the key of its box.
typedef struct OpenNode {
    double key;
    uint32_t first;  // of its children
    int32_t low[3];
    int32_t log_half;  // of the children's width
} OpenNode;

// Gaps of the two halves of a node along an axis, as keys.
static inline void half_keys(double x, int32_t low, int32_t half, BerthMetric metric, double out[2]) {
    const double a = (double)low, m = (double)(low + half), b = (double)(low + 2 * half);
    const double g0 = point_interval_gap(x, a, m), g1 = point_interval_gap(x, m, b);
    out[0] = metric == BERTH_METRIC_L1 ? g0 : g0 * g0;
    out[1] = metric == BERTH_METRIC_L1 ? g1 : g1 * g1;
}

/// A search: for the nearest obstacle within `limit`, or for any.
typedef struct Search {
    const BerthField* field;
    const CellPoint* point;
    BerthMetric metric;
    bool any;
    double limit;  // of the nearest so far
    FieldNear near;
    OpenNode stack[FIELD_STACK];
    int count;
} Search;

static inline void meet_obstacle(Search* s, double key, uint32_t obstacle) {
    if (key <= s->limit && key < s->near.key) {
        s->near.key = s->limit = key;
        s->near.obstacle = obstacle;
    }
}

// Obstacles among the children are met at once; grey ones go onto the stack, far ones first, so that the nearest is opened next.
static inline void open_node(Search* s, const OpenNode* at) {
    static const uint8_t far_first[2][FIELD_CHILDREN] = {{3, 2, 1, 0}, {7, 6, 5, 3, 4, 2, 1, 0}};
    const BerthField* field = s->field;
    const int dim = field->info.dim, children = 1 << dim;
    double keys[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    const int32_t half = 1 << at->log_half;
    int nearest = 0;

    for (int axis = 0; axis < dim; ++axis) {
        half_keys(s->point->at[axis], at->low[axis], half, s->metric, keys[axis]);
        nearest |= (keys[axis][1] < keys[axis][0] ? 1 : 0) << axis;
    }

    const uint32_t* words = field->nodes + at->first;
    for (int i = 0; i < children; ++i) {
        const int k = far_first[dim - 2][i] ^ nearest;
        const uint32_t word = words[k];
        const double key = keys[0][k & 1] + keys[1][k >> 1 & 1] + keys[2][k >> 2];
        if (!(key <= s->limit)) {
            continue;
        }

        if (node_colour(word) == FIELD_GREY) {
            if (!grey_holds_obstacle(field, at->first + (uint32_t)k)) {
                continue;
            }
            const int32_t low[3] = {at->low[0] + (k & 1) * half, at->low[1] + (k >> 1 & 1) * half,
                                    at->low[2] + (k >> 2) * half};
            s->stack[s->count++] =
                (OpenNode){key, node_payload(word), {low[0], low[1], low[2]}, at->log_half - 1};
        } else if (node_blocks(field, word)) {
            meet_obstacle(s, key, node_payload(word));
        }
    }
}

static FieldNear search_tree(const BerthField* field, const CellPoint* point, BerthMetric metric,
                             double limit, bool any) {
    Search s;
    s.field = field;
    s.point = point;
    s.metric = metric;
    s.any = any;
    s.limit = limit;
    s.near = (FieldNear){INFINITY, UINT32_MAX, 1};
    s.count = 0;

    const uint32_t root = field->nodes[0];
    if (node_colour(root) == FIELD_GREY) {
        s.stack[s.count++] = (OpenNode){0.0, node_payload(root), {0, 0, 0}, field->info.levels - 1};
    } else if (node_blocks(field, root)) {
        meet_obstacle(&s, leaf_key(field, field->solids[node_payload(root)], point->at, metric),
                      node_payload(root));
    }

    while (s.count > 0 && !(any && s.near.obstacle != UINT32_MAX)) {
        const OpenNode top = s.stack[--s.count];
        if (top.key < s.near.key) {
            ++s.near.steps;
            open_node(&s, &top);
        }
    }

    return s.near;
}

FieldNear bi_field_search_nearest(const BerthField* field, const CellPoint* point, BerthMetric metric,
                                  double limit) {
    return search_tree(field, point, metric, limit, false);
}

FieldNear bi_field_search_touching(const BerthField* field, const CellPoint* point, BerthMetric metric,
                                   double limit) {
    return search_tree(field, point, metric, limit, true);
}

// Depth first from the root, children in turn; grey nodes are always opened, black ones measured. Stops at the first hit.
FieldNear bi_field_search_as_thesis(const BerthField* field, const CellPoint* point, BerthMetric metric,
                                    double limit) {
    FieldNode stack[FIELD_STACK];
    FieldNear near = {INFINITY, UINT32_MAX, 0};
    stack[0] = field_root(field);
    int count = 1;
    const int children = field_children(field);

    while (count > 0) {
        const FieldNode at = stack[--count];
        ++near.steps;
        if (node_colour(at.node) == FIELD_GREY) {
            for (int k = children - 1; k >= 0; --k) {
                const FieldNode child = field_child(field, &at, k);
                if (node_colour(child.node) == FIELD_GREY || node_blocks(field, child.node)) {
                    stack[count++] = child;
                }
            }
        } else if (node_blocks(field, at.node)) {
            const double key = leaf_key(field, field->solids[node_payload(at.node)], point->at, metric);
            if (key <= limit) {
                near.key = key;
                near.obstacle = node_payload(at.node);
                break;
            }
        }
    }

    return near;
}

// All obstacles with key <= limit, in the order of codes.
static int64_t collect_within(const BerthField* field, const CellPoint* point, BerthMetric metric,
                              double limit, int64_t* out, int64_t capacity) {
    FieldNode stack[FIELD_STACK];
    stack[0] = field_root(field);
    int count = 1;
    int64_t found = 0;

    while (count > 0) {
        const FieldNode at = stack[--count];
        if (node_colour(at.node) == FIELD_GREY) {
            for (int k = field_children(field) - 1; k >= 0; --k) {
                const FieldNode child = field_child(field, &at, k);
                if (grey_holds_obstacle(field, child.index) &&
                    leaf_key(field, leaf_pack(child.low, child.log_width, 0), point->at, metric) <= limit) {
                    stack[count++] = child;
                }
            }
        } else if (node_blocks(field, at.node) &&
                   leaf_key(field, field->solids[node_payload(at.node)], point->at, metric) <= limit) {
            if (found < capacity) {
                out[found] = node_payload(at.node);
            }
            ++found;
        }
    }

    return found;
}

int64_t berth_field_all_nearest(const BerthField* field, BerthMetric metric, BerthVec3 centre,
                                int64_t* obstacles, int64_t capacity) {
    const CellPoint point = bi_field_cell_point(field, centre);
    if (!point.finite || (uint32_t)metric >= BERTH_METRIC_COUNT) {
        return 0;
    }

    const FieldNear near = bi_field_search_nearest(field, &point, metric, INFINITY);
    if (near.obstacle == UINT32_MAX) {
        return 0;
    }

    double limit = near.key;
    if (!point.exact) {
        // Both distances may be off by the slack.
        const double d = (metric == BERTH_METRIC_L1 ? near.key : sqrt(near.key)) + 2.0 * point.slack;
        limit = metric == BERTH_METRIC_L1 ? d : d * d;
    }
    return collect_within(field, &point, metric, limit, obstacles, capacity);
}
