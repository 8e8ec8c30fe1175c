// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The tree over the pieces of a body: split along the longest side of the box of their points, at the median.
// Entry: bi_solid_build_pieces.

#include "tree/solid.h"

/// Fewer pieces are tested one by one. Leaves have at most LEAF_PIECES.
enum { FEW_PIECES = 32, LEAF_PIECES = 8, DEPTH_MAX = 40, ROUNDS_MAX = 48 };

typedef struct Task {
    int32_t node, begin, end;
} Task;

static void set_node(const BerthSolid* solid, PieceNode* node, int32_t begin, int32_t end) {
    *node = (PieceNode){solid->pieces[begin].point, solid->pieces[begin].point, begin, end, -1};
    for (int32_t i = begin + 1; i < end; ++i) {
        node->low = v3_min(node->low, solid->pieces[i].point);
        node->high = v3_max(node->high, solid->pieces[i].point);
    }
}

// Brings the piece that belongs at `middle` there, smaller ones before it (Hoare). Any order makes a tree: where the input
// is made to keep this from ending soon, it ends.
static void select_middle(SolidPiece* pieces, int32_t begin, int32_t end, int32_t middle, int axis) {
    int32_t low = begin;
    int32_t high = end - 1;
    for (int round = 0; low < high && round < ROUNDS_MAX; ++round) {
        const double pivot = v3_at(pieces[low + (high - low) / 2].point, axis);
        int32_t i = low;
        int32_t k = high;

        while (i <= k) {
            while (v3_at(pieces[i].point, axis) < pivot) {
                ++i;
            }
            while (pivot < v3_at(pieces[k].point, axis)) {
                --k;
            }
            if (i <= k) {
                const SolidPiece swap = pieces[i];
                pieces[i++] = pieces[k];
                pieces[k--] = swap;
            }
        }

        if (middle <= k) {
            high = k;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

// Nodes of a group of n pieces: halves are n / 2 and n - n / 2, so the number follows from n alone.
static int32_t fill_nodes(BerthSolid* solid) {
    Task tasks[2 * DEPTH_MAX];
    int32_t task_count = 0;
    int32_t used = 0;

    tasks[task_count++] = (Task){-1, 0, solid->piece_count};
    while (task_count > 0) {
        const Task task = tasks[--task_count];
        const int32_t at = used++;

        if (task.node >= 0) {
            solid->piece_nodes[task.node].second = at;
        }

        PieceNode* node = &solid->piece_nodes[at];
        set_node(solid, node, task.begin, task.end);
        if (task.end - task.begin <= LEAF_PIECES) {
            continue;
        }

        const int32_t middle = task.begin + (task.end - task.begin) / 2;
        const int axis = box_longest_axis(v3_sub(node->high, node->low));
        select_middle(solid->pieces, task.begin, task.end, middle, axis);

        BI_ASSERT(task_count + 2 <= 2 * DEPTH_MAX);
        tasks[task_count++] = (Task){at, middle, task.end};
        tasks[task_count++] = (Task){-1, task.begin, middle};  // the next node
    }
    return used;
}

BerthStatus bi_solid_build_pieces(BerthSolid* solid) {
    if (solid->piece_count <= FEW_PIECES) {
        return BERTH_OK;
    }

    // Leaves have more than LEAF_PIECES / 2 pieces, and there is a node less than leaves above them.
    solid->piece_node_count = 2 * (solid->piece_count / (LEAF_PIECES / 2) + 1);
    solid->piece_nodes =
        bi_take(&solid->allocator, (size_t)solid->piece_node_count, sizeof *solid->piece_nodes);
    if (solid->piece_nodes == NULL) {
        solid->piece_node_count = 0;
        return bi_fail(BERTH_ERR_MEMORY, "solid: out of memory for %d pieces", (int)solid->piece_count);
    }

    const int32_t used = fill_nodes(solid);
    BI_ASSERT(used <= solid->piece_node_count);
    (void)used;
    return BERTH_OK;
}
