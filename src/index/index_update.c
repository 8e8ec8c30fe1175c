// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The first half of a cycle: all bodies that moved find their leaves, then leaves are split and merged.
// Nothing is compared while bodies are still being moved (errata 1.5).
// Entries: berth_index_move, berth_index_update, berth_index_leaves, berth_index_stats.

#include <string.h>

#include "index/index.h"
#include "math/math.h"
#include "shape/gap.h"

bool bi_index_pose_is_valid(const Pose* pose, double extension) {
    return v3_finite(pose->t) && v3_finite(pose->x) && v3_finite(pose->y) && v3_finite(pose->z) &&
           extension >= 0.0 && extension <= BI_COORDINATE_MAX;
}

void bi_index_note_moved(BerthIndex* index, int32_t body) {
    if (!index->bodies[body].in_list) {
        index->bodies[body].in_list = true;
        index->moved[index->moved_count++] = body;
    }
}

BerthStatus berth_index_move(BerthIndex* index, int32_t at, const BerthPose* pose, double extension) {
    if (!bi_index_pose_is_valid((const Pose*)pose, extension)) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }
    index->bodies[at].pose = *(const Pose*)pose;
    index->bodies[at].extension = extension;
    bi_index_note_moved(index, at);
    return BERTH_OK;
}

static bool same_range(const CellRange* a, const CellRange* b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static bool range_within(const CellRange* range, const IndexNode* node) {
    for (int axis = 0; axis < INDEX_AXES; ++axis) {
        if (range->low[axis] < node->cell[axis] || range->high[axis] >= node->cell[axis] + node->size) {
            return false;
        }
    }
    return true;
}

// Nothing can have changed: the box meets the same cells, or the body is still wholly in its only leaf.
static bool has_same_leaves(const BerthIndex* index, const IndexBody* body, const CellRange* old) {
    if (body->first == INDEX_NONE || (index->def.less & BERTH_LESS_INSIDE) != 0) {
        return false;
    }
    if (!index->def.exact_nodes && index->def.kind != BERTH_INDEX_REGION) {
        return same_range(&body->range, old);
    }

    const IndexEntry* entry = &index->entries[body->first];
    return index->def.kind != BERTH_INDEX_REGION && entry->body_next == INDEX_NONE &&
           range_within(&body->range, &index->nodes[entry->leaf]);
}

// The entries of a body that this pass did not confirm are where it has left.
static void drop_unconfirmed_places(BerthIndex* index, IndexBody* body) {
    int32_t next = INDEX_NONE;
    for (int32_t p = body->first; p != INDEX_NONE; p = next) {
        next = index->entries[p].body_next;
        if (index->entries[p].stamp != index->stamp) {
            bi_index_remove_entry(index, p);
        }
    }
}

static void update_leaves(BerthIndex* index, int32_t at) {
    IndexBody* body = &index->bodies[at];
    const CellRange old = body->range;
    bi_index_measure(index, body);
    if (body->mover != INDEX_NONE) {
        set_lane(index->mover_blocks, body->mover, &body->box);
    } else {
        note_changed(index, body);
    }

    if (!body->shown || !bi_index_is_inside(index, body)) {
        bi_index_remove_from_leaves(index, at);
        bi_index_set_outside(index, at, body->shown);
        return;
    }
    if (has_same_leaves(index, body, &old)) {
        return;
    }

    bi_index_set_outside(index, at, false);
    // A region octree is made for what stands still: there a body that moves is taken out and put in again.
    if (index->def.update == BERTH_UPDATE_REINSERT || index->def.kind == BERTH_INDEX_REGION) {
        bi_index_remove_from_leaves(index, at);
        if (index->def.update == BERTH_UPDATE_REINSERT) {
            bi_index_merge(index);
        }
    }

    index->stamp += 1;
    for (int32_t p = body->first; p != INDEX_NONE; p = index->entries[p].body_next) {
        index->nodes[index->entries[p].leaf].stamp = index->stamp;
    }

    const bool by_neighbours = index->def.update == BERTH_UPDATE_NEIGHBOURS && body->first != INDEX_NONE &&
                               bi_index_insert_by_neighbours(index, at);
    if (!by_neighbours) {
        bi_index_insert(index, at, 0);
    }

    drop_unconfirmed_places(index, body);
}

void berth_index_update(BerthIndex* index) {
    if (index->def.update == BERTH_UPDATE_REBUILD) {
        bi_index_clear(index);
        index->moved_count = 0;
        for (int32_t i = 0; i < index->body_count; ++i) {
            index->bodies[i].in_list = false;
            if (index->bodies[i].used) {
                index->moved[index->moved_count++] = i;
            }
        }
    }

    for (int32_t i = 0; i < index->moved_count; ++i) {
        IndexBody* body = &index->bodies[index->moved[i]];
        body->in_list = false;
        if (body->used) {
            update_leaves(index, index->moved[i]);
            body->placed_pose = body->pose;
            body->placed_extension = body->extension;
        }
    }

    index->moved_count = 0;
    bi_index_merge(index);
}

// ---- neighbours ------------------------------------------------------------------------------------------

/// How far the points of a body moved since the last update along one axis, least and most.
typedef struct Drift {
    double least[INDEX_AXES], most[INDEX_AXES];
} Drift;

// A point's displacement is affine in the point, so over the body it is extreme at corners of a box around it.
static Drift drift_of(const IndexBody* body) {
    const Pose still = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    Vec3 low;
    Vec3 high;
    bi_shape_bounds(&body->shape, &still, &low, &high);

    Drift drift = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double farthest = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 p =
            v3(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z);
        const Vec3 from = pose_apply(&body->placed_pose, p);
        const Vec3 to = pose_apply(&body->pose, p);
        const double by[INDEX_AXES] = {to.x - from.x, to.y - from.y, to.z - from.z};
        farthest = fmax(farthest, v3_length(from) + v3_length(to));

        for (int axis = 0; axis < INDEX_AXES; ++axis) {
            drift.least[axis] = fmin(drift.least[axis], by[axis]);
            drift.most[axis] = fmax(drift.most[axis], by[axis]);
        }
    }

    const double grown_by = fabs(body->extension - body->placed_extension) +
                            4.0 * BI_DISTANCE_SLACK * (farthest + body->extension + body->placed_extension);
    for (int axis = 0; axis < INDEX_AXES; ++axis) {
        drift.least[axis] -= grown_by;
        drift.most[axis] += grown_by;
    }
    return drift;
}

static int32_t smallest_leaf(const BerthIndex* index) {
    int power = 0;
    while (power < INDEX_DEPTH_MAX && index->leaves_by_power[power] == 0) {
        power += 1;
    }
    return 1 << power;
}

// Cells beside the leaf in one of 26 directions, `depth` cells deep, as far as the body reaches. False: none.
static bool find_cells_beside(const BerthIndex* index, const IndexNode* leaf, const int side[INDEX_AXES],
                              int32_t depth, const CellRange* within, CellRange* out) {
    for (int axis = 0; axis < INDEX_AXES; ++axis) {
        const int32_t end = leaf->cell[axis] + leaf->size;
        int32_t low = leaf->cell[axis];
        int32_t high = end - 1;
        if (side[axis] > 0) {
            low = end;
            high = end + depth - 1;
        } else if (side[axis] < 0) {
            low = leaf->cell[axis] - depth;
            high = leaf->cell[axis] - 1;
        }

        low = low > within->low[axis] ? low : within->low[axis];
        high = high < within->high[axis] ? high : within->high[axis];
        out->low[axis] = low > 0 ? low : 0;
        out->high[axis] = high < index->cells ? high : index->cells - 1;
        if (out->low[axis] > out->high[axis]) {
            return false;
        }
    }
    return true;
}

// Puts the body into the leaves that it meets among those that meet the cells beside a leaf. Neighbours are found as paper 000 does,
// after Samet: up from the leaf to the first node that holds them, and down again.
static bool put_within(BerthIndex* index, int32_t at, int32_t leaf, const CellRange* cells) {
    const CellRange whole = index->bodies[at].range;
    int32_t top_node = leaf;
    while (index->nodes[top_node].parent != INDEX_NONE && !range_within(cells, &index->nodes[top_node])) {
        top_node = index->nodes[top_node].parent;
    }

    int32_t stack[INDEX_CHILDREN * (INDEX_DEPTH_MAX + 2)];
    int32_t count = 0;
    stack[count++] = top_node;
    while (count > 0) {
        const int32_t top = stack[--count];
        IndexNode* node = &index->nodes[top];
        if (!range_meets(cells, node) || !range_meets(&whole, node)) {
            continue;
        }

        if (node->child == INDEX_NONE) {
            if (node->looked == index->stamp) {
                continue;  // beside another old leaf, too
            }
            node->looked = index->stamp;
            if (!bi_index_insert(index, at, top)) {
                return false;
            }
            continue;
        }

        for (int32_t c = 0; c < INDEX_CHILDREN; ++c) {
            stack[count++] = node->child + c;
        }
    }
    return true;
}

// The same in a grid: its 26 cells around one are found by their numbers.
static bool put_in_cells(BerthIndex* index, int32_t at, const CellRange* cells) {
    const int32_t across = index->def.grid;
    for (int32_t x = cells->low[0]; x <= cells->high[0]; ++x) {
        for (int32_t y = cells->low[1]; y <= cells->high[1]; ++y) {
            for (int32_t z = cells->low[2]; z <= cells->high[2]; ++z) {
                const int32_t cell = (x * across + y) * across + z;
                if (index->nodes[cell].looked == index->stamp) {
                    continue;
                }
                index->nodes[cell].looked = index->stamp;

                if (!bi_index_insert_in_cell(index, at, cell)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// errata 1.2, 1.3: when every point moves by less than the smallest leaf along each axis, each leaf that is entered touches
// one that was left or kept; and it lies on a side to which some point moves.
bool bi_index_insert_by_neighbours(BerthIndex* index, int32_t at) {
    enum { PLACES_MOST = 256 };
    IndexBody* body = &index->bodies[at];
    const bool is_grid = index->def.kind == BERTH_INDEX_GRID;
    const int32_t depth = is_grid ? 1 : smallest_leaf(index);
    const double limit = depth * index->cell_edge * (1.0 - 0x1p-20);
    const Drift drift = drift_of(body);

    int32_t old[PLACES_MOST];
    int32_t old_count = 0;

    // Is the motion short enough, and are the leaves few enough?
    bool short_motion = is_grid || index->def.kind == BERTH_INDEX_OCTREE;
    for (int axis = 0; axis < INDEX_AXES; ++axis) {
        short_motion = short_motion && drift.least[axis] > -limit && drift.most[axis] < limit;
    }
    for (int32_t p = body->first; p != INDEX_NONE && short_motion; p = index->entries[p].body_next) {
        short_motion = old_count < PLACES_MOST;
        if (short_motion) {
            old[old_count++] = index->entries[p].leaf;
        }
    }
    if (!short_motion) {
        index->fallbacks += 1;
        return false;
    }

    const bool all_sides = (index->def.less & BERTH_LESS_DIRECTION) != 0;
    for (int32_t i = 0; i < old_count; ++i) {
        index->nodes[old[i]].looked = index->stamp;
        const IndexNode leaf = index->nodes[old[i]];  // a copy: it may be split by what comes
        const bool has_room = is_grid
                                  ? bi_index_insert_in_cell(index, at, old[i])
                                  : (leaf.child == INDEX_NONE && !bi_index_test_node(index, body, &leaf)) ||
                                        bi_index_insert(index, at, old[i]);
        if (!has_room) {
            return true;  // on the outside list now
        }

        if (range_within(&body->range, &leaf) && (index->def.less & BERTH_LESS_INSIDE) == 0) {
            continue;
        }

        for (int code = 0; code < 27; ++code) {
            const int side[INDEX_AXES] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
            bool may_enter = code != 13;
            for (int axis = 0; axis < INDEX_AXES && !all_sides; ++axis) {
                may_enter = may_enter && !(side[axis] > 0 && drift.most[axis] < 0.0) &&
                            !(side[axis] < 0 && drift.least[axis] > 0.0);
            }
            CellRange cells;
            if (may_enter && find_cells_beside(index, &leaf, side, depth, &body->range, &cells) &&
                !(is_grid ? put_in_cells(index, at, &cells) : put_within(index, at, old[i], &cells))) {
                return true;
            }
        }
    }
    return true;
}

static BerthIndexLeaf leaf_of(const BerthIndex* index, const IndexNode* node, int32_t* bodies, int32_t most) {
    const double edge = index->cell_edge;
    const Vec3 low = index->def.low;
    BerthIndexLeaf leaf = {
        .low = {low.x + node->cell[0] * edge, low.y + node->cell[1] * edge, low.z + node->cell[2] * edge},
        .edge = node->size * edge,
        .body_count = node->count,
        .bodies = bodies};

    int32_t written = 0;
    for (int32_t at = node->first; at != INDEX_NONE && written < most; at = index->entries[at].leaf_next) {
        bodies[written++] = index->entries[at].body;
    }
    return leaf;
}

void berth_index_leaves(const BerthIndex* index, void (*visit)(void* user, const BerthIndexLeaf* leaf),
                        void* user) {
    enum { BODIES_MOST = 64 };
    int32_t bodies[BODIES_MOST];
    int32_t waiting[INDEX_CHILDREN * (INDEX_DEPTH_MAX + 1)];
    const int32_t roots = index->def.kind == BERTH_INDEX_GRID ? index->node_count : 1;
    const bool is_tree = index->def.kind != BERTH_INDEX_LIST;

    for (int32_t root = 0; root < roots && is_tree; ++root) {
        int32_t count = 0;
        waiting[count++] = root;
        while (count > 0) {
            const IndexNode* node = &index->nodes[waiting[--count]];
            if (node->child == INDEX_NONE) {
                const BerthIndexLeaf leaf = leaf_of(index, node, bodies, BODIES_MOST);
                visit(user, &leaf);
                continue;
            }
            for (int32_t i = 0; i < INDEX_CHILDREN; ++i) {
                waiting[count++] = node->child + i;
            }
        }
    }
}

BerthIndexStats berth_index_stats(const BerthIndex* index) {
    BerthIndexStats stats = {.outside = index->outside_count,
                             .entries = index->def.entry_limit - index->entry_left,
                             .splits = index->splits,
                             .merges = index->merges,
                             .node_tests = index->node_tests,
                             .pair_tests = index->pair_tests,
                             .fallbacks = index->fallbacks,
                             .bytes = index->bytes + sizeof *index};

    for (int32_t i = 0; i < index->body_count; ++i) {
        stats.bodies += index->bodies[i].used;
    }

    int32_t whole = index->cells;
    for (int power = INDEX_DEPTH_MAX; power >= 0; --power) {
        stats.leaves += index->leaves_by_power[power];
        if (index->leaves_by_power[power] > 0 && index->def.kind != BERTH_INDEX_GRID) {
            stats.depth = 0;
            for (int32_t size = whole; size > 1 << power; size /= 2) {
                stats.depth += 1;
            }
        }
    }

    stats.nodes = index->def.kind == BERTH_INDEX_GRID ? stats.leaves : stats.leaves + (stats.leaves - 1) / 7;
    for (int32_t i = 0; i < index->node_count; ++i) {
        const IndexNode* node = &index->nodes[i];
        const bool live = node->parent == INDEX_NONE || index->nodes[node->parent].child == i - (i - 1) % 8;
        stats.empty_leaves += live && node->child == INDEX_NONE && node->first == INDEX_NONE;
    }
    return stats;
}
