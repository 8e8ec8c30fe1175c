// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Searches of the tree. Computed gaps grow with the box that is left out (rounding is monotone), so a node that is left out hides no obstacle with a
// smaller computed key.

#include "field/query.h"

/// A node to be opened, with the key of its box.
typedef struct OpenNode {
    FieldNode at;
    double key;
} OpenNode;

// Gaps of the two halves of a node along an axis, as keys.
static void half_keys(double x, int32_t low, int32_t half, BerthMetric metric, double out[2]) {
    const double a = (double)low, m = (double)(low + half), b = (double)(low + 2 * half);
    const double g0 = gap_below_above(x, a, m), g1 = gap_below_above(x, m, b);
    out[0] = metric == BERTH_METRIC_L1 ? g0 : g0 * g0;
    out[1] = metric == BERTH_METRIC_L1 ? g1 : g1 * g1;
}

// Far children first onto the stack, so that the nearest is opened next. Free ones are left out, and those beyond `limit`.
static int push_children(const BerthField* field, const FieldNode* at, const CellPoint* point,
                         BerthMetric metric, double limit, OpenNode* stack, int count) {
    static const uint8_t far_first[FIELD_CHILDREN] = {7, 6, 5, 3, 4, 2, 1, 0};
    double keys[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    const int32_t half = 1 << (at->log_width - 1);
    int nearest = 0;
    for (int axis = 0; axis < field->info.dim; ++axis) {
        half_keys(point->at[axis], at->low[axis], half, metric, keys[axis]);
        nearest |= (keys[axis][1] < keys[axis][0] ? 1 : 0) << axis;
    }
    const int children = field_children(field);
    for (int i = 0; i < FIELD_CHILDREN; ++i) {
        const int k = far_first[i] ^ nearest;
        if (k >= children) {
            continue;
        }
        const FieldNode child = field_child(field, at, k);
        const double key = keys[0][k & 1] + keys[1][k >> 1 & 1] + keys[2][k >> 2 & 1];
        const bool open = node_colour(child.node) == FIELD_GREY || node_blocks(field, child.node);
        if (open && key <= limit) {
            stack[count++] = (OpenNode){child, key};
        }
    }
    return count;
}

FieldNear bi_octree_nearest(const BerthField* field, const CellPoint* point, BerthMetric metric,
                            double limit) {
    OpenNode stack[FIELD_STACK];
    FieldNear near = {INFINITY, UINT32_MAX, 0};
    stack[0] = (OpenNode){field_root(field), 0.0};
    int count = 1;
    while (count > 0) {
        const OpenNode top = stack[--count];
        ++near.steps;
        if (!(top.key <= limit) || (near.obstacle != UINT32_MAX && !(top.key < near.key))) {
            continue;
        }
        if (node_colour(top.at.node) == FIELD_GREY) {
            count = push_children(field, &top.at, point, metric, limit, stack, count);
        } else if (node_blocks(field, top.at.node)) {
            const uint32_t obstacle = node_payload(top.at.node);
            const double key = leaf_key(field, field->solids[obstacle], point->at, metric);
            if (key <= limit && key < near.key) {
                near.key = key;
                near.obstacle = obstacle;
                limit = key;
            }
        }
    }
    return near;
}

FieldNear bi_octree_touches(const BerthField* field, const CellPoint* point, BerthMetric metric,
                            double limit) {
    OpenNode stack[FIELD_STACK];
    FieldNear near = {INFINITY, UINT32_MAX, 0};
    stack[0] = (OpenNode){field_root(field), 0.0};
    int count = 1;
    while (count > 0) {
        const OpenNode top = stack[--count];
        ++near.steps;
        if (node_colour(top.at.node) == FIELD_GREY) {
            count = push_children(field, &top.at, point, metric, limit, stack, count);
        } else if (node_blocks(field, top.at.node)) {
            const uint32_t obstacle = node_payload(top.at.node);
            const double key = leaf_key(field, field->solids[obstacle], point->at, metric);
            if (key <= limit) {
                near.key = key;
                near.obstacle = obstacle;
                break;
            }
        }
    }
    return near;
}

// Depth first from the root, children in turn; grey nodes are always opened, black ones measured. Stops at the first hit.
FieldNear bi_octree_thesis(const BerthField* field, const CellPoint* point, BerthMetric metric,
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
static int64_t collect(const BerthField* field, const CellPoint* point, BerthMetric metric, double limit,
                       int64_t* out, int64_t capacity) {
    OpenNode stack[FIELD_STACK];
    stack[0] = (OpenNode){field_root(field), 0.0};
    int count = 1;
    int64_t found = 0;
    while (count > 0) {
        const OpenNode top = stack[--count];
        if (node_colour(top.at.node) == FIELD_GREY) {
            for (int k = field_children(field) - 1; k >= 0; --k) {
                const FieldNode child = field_child(field, &top.at, k);
                double key = 0.0;
                for (int axis = 0; axis < field->info.dim; ++axis) {
                    const double low = (double)child.low[axis];
                    const double gap =
                        gap_below_above(point->at[axis], low, low + (double)(1 << child.log_width));
                    key += metric == BERTH_METRIC_L1 ? gap : gap * gap;
                }
                if (key <= limit) {
                    stack[count++] = (OpenNode){child, key};
                }
            }
        } else if (node_blocks(field, top.at.node) &&
                   leaf_key(field, field->solids[node_payload(top.at.node)], point->at, metric) <= limit) {
            if (found < capacity) {
                out[found] = node_payload(top.at.node);
            }
            ++found;
        }
    }
    return found;
}

int64_t berth_field_all_nearest(const BerthField* field, BerthMetric metric, BerthVec3 centre,
                                int64_t* obstacles, int64_t capacity) {
    const CellPoint point = bi_cell_point(field, centre);
    if (!point.finite || (uint32_t)metric >= BERTH_METRIC_COUNT) {
        return 0;
    }
    const FieldNear near = bi_octree_nearest(field, &point, metric, INFINITY);
    if (near.obstacle == UINT32_MAX) {
        return 0;
    }
    double limit = near.key;
    if (!point.exact) {
        // Both distances may be off by the slack.
        const double d = (metric == BERTH_METRIC_L1 ? near.key : sqrt(near.key)) + 2.0 * point.slack;
        limit = metric == BERTH_METRIC_L1 ? d : d * d;
    }
    return collect(field, &point, metric, limit, obstacles, capacity);
}
