// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Nodes and entries: putting bodies into leaves, splitting, merging (errata 1.1, 1.6, 1.7). A grid is the same with leaves that
// never split. Entries: the bi_index_* functions of index.h; bi_index_insert, bi_index_remove_from_leaves and bi_index_merge do most.

#include "index/index.h"
#include "math/tolerance.h"
#include "shape/gap.h"

static int size_power(int32_t size) {
    int power = 0;
    while ((1 << power) < size) {
        power += 1;
    }
    return power;
}

void bi_index_clear(BerthIndex* index) {
    const BerthIndexDef* def = &index->def;
    index->entry_free = INDEX_NONE;
    index->entry_fresh = 0;
    index->entry_left = def->entry_limit;
    index->node_free = INDEX_NONE;
    index->check_count = 0;
    for (int i = 0; i <= INDEX_DEPTH_MAX; ++i) {
        index->leaves_by_power[i] = 0;
    }

    const bool is_grid = def->kind == BERTH_INDEX_GRID;
    const int32_t across = is_grid ? def->grid : 1;
    const int32_t size = is_grid ? 1 : index->cells;
    index->node_count = across * across * across;

    for (int32_t i = 0; i < index->node_count; ++i) {
        index->nodes[i] = (IndexNode){.cell = {i / (across * across), i / across % across, i % across},
                                      .size = size,
                                      .child = INDEX_NONE,
                                      .parent = INDEX_NONE,
                                      .first = INDEX_NONE};
    }
    index->leaves_by_power[size_power(size)] = index->node_count;

    for (int32_t i = 0; i < index->body_count; ++i) {
        index->bodies[i].first = INDEX_NONE;
    }
    index->standing += 1;
}

// The node's cube in metres, a little larger than its cells: what rounding put into a cell is in here.
static BerthShape cube_of(const BerthIndex* index, const IndexNode* node, Pose* pose) {
    const Vec3 low = index->def.low;
    const double half = 0.5 * node->size * index->cell_edge;
    const double reach = fabs(low.x) + fabs(low.y) + fabs(low.z) + 3.0 * index->def.edge;
    const double grown = half + BI_DISTANCE_SLACK * reach;
    const Vec3 centre =
        v3(low.x + node->cell[0] * index->cell_edge + half, low.y + node->cell[1] * index->cell_edge + half,
           low.z + node->cell[2] * index->cell_edge + half);

    *pose = (Pose){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, centre};
    return (BerthShape){.kind = BERTH_BOX, .as.box.half = {grown, grown, grown}};
}

static bool is_in_cube(Vec3 p, Vec3 centre, double half) {
    return fabs(p.x - centre.x) <= half && fabs(p.y - centre.y) <= half && fabs(p.z - centre.z) <= half;
}

// A point of the body that is in the cube shows as much as a distance and costs less: the centre, and a capsule's ends.
static bool has_point_in(const IndexBody* body, Vec3 centre, double half) {
    if (body->shape.kind != BERTH_TRIANGLE && body->shape.kind != BERTH_HULL &&
        body->shape.kind != BERTH_HALFSPACE && is_in_cube(body->pose.t, centre, half)) {
        return true;
    }

    const double reach = body->shape.kind == BERTH_CAPSULE ? 0.5 * body->shape.as.capsule.length : 0.0;
    return reach > 0.0 && (is_in_cube(v3_mad(body->pose.t, reach, body->pose.z), centre, half) ||
                           is_in_cube(v3_mad(body->pose.t, -reach, body->pose.z), centre, half));
}

// A test of its own for cylspheres and cubes, as paper 000 has one: is the cube within `limit` of the capsule's axis? Projects from
// one to the other and back until a point is near enough, or a plane between the two proves that none is; rarely neither decides. `a`
// is the axis's beginning as the cube's centre sees it, `along` leads to its end.
typedef enum AxisAnswer { AXIS_APART, AXIS_NEAR, AXIS_OPEN } AxisAnswer;
static AxisAnswer ask_axis(Vec3 a, Vec3 along, double half, double limit) {
    enum { TURNS = 8 };
    const double length_sq = v3_length_sq(along);
    double t = length_sq > 0.0 ? fmin(fmax(-v3_dot(a, along) / length_sq, 0.0), 1.0) : 0.0;
    for (int turn = 0; turn < TURNS; ++turn) {
        const Vec3 p = v3_mad(a, t, along);
        const Vec3 q =
            v3(fmin(fmax(p.x, -half), half), fmin(fmax(p.y, -half), half), fmin(fmax(p.z, -half), half));
        const Vec3 n = v3_sub(p, q);
        const double away_sq = v3_length_sq(n);
        if (away_sq <= limit * limit) {
            return AXIS_NEAR;
        }

        const double axis = v3_dot(n, a) + fmin(v3_dot(n, along), 0.0);
        const double cube = half * (fabs(n.x) + fabs(n.y) + fabs(n.z));
        const double apart = axis - cube;
        if (apart > 0.0 && apart * apart > limit * limit * away_sq) {
            return AXIS_APART;
        }
        t = length_sq > 0.0 ? fmin(fmax(v3_dot(v3_sub(q, a), along) / length_sq, 0.0), 1.0) : 0.0;
    }
    return AXIS_OPEN;
}

bool bi_index_test_node(BerthIndex* index, const IndexBody* body, const IndexNode* node) {
    index->node_tests += 1;
    const bool plain = index->def.exact_nodes && (index->def.less & BERTH_LESS_BOXES) != 0;
    if (!plain && !range_meets(&body->range, node)) {
        return false;
    }

    // Large nodes are met whatever the shape; asking is for where it may save a place.
    if (!index->def.exact_nodes || (node->child != INDEX_NONE && !plain)) {
        return true;
    }

    Pose cube_pose;
    const BerthShape cube = cube_of(index, node, &cube_pose);
    if (!plain && has_point_in(body, cube_pose.t, cube.as.box.half.x)) {
        return true;
    }

    const double reach = v3_length(body->pose.t) + v3_length(cube_pose.t) + index->def.edge;
    const double limit = body->extension + BI_DISTANCE_SLACK * reach;
    if (body->shape.kind == BERTH_CAPSULE) {
        const double length = body->shape.as.capsule.length;
        const Vec3 begin = v3_sub(v3_mad(body->pose.t, -0.5 * length, body->pose.z), cube_pose.t);
        const AxisAnswer answer = ask_axis(begin, v3_scale(body->pose.z, length), cube.as.box.half.x,
                                           limit + body->shape.as.capsule.radius);
        if (answer != AXIS_OPEN) {
            return answer == AXIS_NEAR;
        }
    }

    const Pose body_from_cube = pose_between(&body->pose, &cube_pose);
    return !(bi_shape_gap(&body->shape, &cube, &body_from_cube, limit).lower > limit);
}

bool bi_index_covers(const BerthIndex* index, const IndexBody* body, const IndexNode* node) {
    Pose cube_pose;
    const BerthShape cube = cube_of(index, node, &cube_pose);

    for (int corner = 0; corner < 8; ++corner) {
        const double h = cube.as.box.half.x;
        const Pose at = {
            {1, 0, 0},
            {0, 1, 0},
            {0, 0, 1},
            v3_add(cube_pose.t, v3(corner & 1 ? h : -h, corner & 2 ? h : -h, corner & 4 ? h : -h))};

        const BerthShape point = {.kind = BERTH_SPHERE, .as.sphere.radius = 0.0};
        const Pose body_from_point = pose_between(&body->pose, &at);
        if (!(bi_shape_gap(&body->shape, &point, &body_from_point, INFINITY).upper <= body->extension)) {
            return false;
        }
    }

    return true;
}

// ---- entries ----------------------------------------------------------------------------------------------

static void add_place(BerthIndex* index, int32_t body, int32_t leaf) {
    const bool used = index->entry_free != INDEX_NONE;
    const int32_t at = used ? index->entry_free : index->entry_fresh;
    IndexEntry* entry = &index->entries[at];
    index->entry_free = used ? entry->leaf_next : INDEX_NONE;
    index->entry_fresh += !used;
    index->entry_left -= 1;

    IndexNode* node = &index->nodes[leaf];
    IndexBody* owner = &index->bodies[body];
    *entry = (IndexEntry){.body = body,
                          .leaf = leaf,
                          .leaf_next = node->first,
                          .leaf_previous = INDEX_NONE,
                          .body_next = owner->first,
                          .body_previous = INDEX_NONE,
                          .stamp = index->stamp};

    if (node->first != INDEX_NONE) {
        index->entries[node->first].leaf_previous = at;
    }
    if (owner->first != INDEX_NONE) {
        index->entries[owner->first].body_previous = at;
    }

    node->first = owner->first = at;
    node->count += 1;
    if (owner->mover != INDEX_NONE) {
        note_changed(index, owner);
    }
}

static void list_for_merge(BerthIndex* index, int32_t node) {
    if (node != INDEX_NONE && !index->nodes[node].listed) {
        index->nodes[node].listed = true;
        index->checks[index->check_count++] = node;
    }
}

void bi_index_remove_entry(BerthIndex* index, int32_t at) {
    IndexEntry* entry = &index->entries[at];
    IndexNode* node = &index->nodes[entry->leaf];
    IndexBody* owner = &index->bodies[entry->body];

    // Out of the leaf's list.
    if (entry->leaf_previous != INDEX_NONE) {
        index->entries[entry->leaf_previous].leaf_next = entry->leaf_next;
    } else {
        node->first = entry->leaf_next;
    }
    if (entry->leaf_next != INDEX_NONE) {
        index->entries[entry->leaf_next].leaf_previous = entry->leaf_previous;
    }

    // Out of the body's list.
    if (entry->body_previous != INDEX_NONE) {
        index->entries[entry->body_previous].body_next = entry->body_next;
    } else {
        owner->first = entry->body_next;
    }
    if (entry->body_next != INDEX_NONE) {
        index->entries[entry->body_next].body_previous = entry->body_previous;
    }

    node->count -= 1;
    if (owner->mover != INDEX_NONE) {
        note_changed(index, owner);
    }

    entry->leaf_next = index->entry_free;
    index->entry_free = at;
    index->entry_left += 1;
    list_for_merge(index, node->parent);
}

void bi_index_remove_from_leaves(BerthIndex* index, int32_t body) {
    while (index->bodies[body].first != INDEX_NONE) {
        bi_index_remove_entry(index, index->bodies[body].first);
    }
}

void bi_index_set_outside(BerthIndex* index, int32_t at, bool outside) {
    IndexBody* body = &index->bodies[at];
    if (outside && body->outside == INDEX_NONE) {
        body->outside = index->outside_count;
        index->outside[index->outside_count++] = at;
    } else if (!outside && body->outside != INDEX_NONE) {
        const int32_t last = index->outside[--index->outside_count];
        index->outside[body->outside] = last;
        index->bodies[last].outside = body->outside;
        body->outside = INDEX_NONE;
    }
}

// ---- splitting -------------------------------------------------------------------------------------------

static bool wants_split(const BerthIndex* index, const IndexNode* node) {
    if (node->size < 2 || index->def.kind == BERTH_INDEX_GRID) {
        return false;
    }
    if (index->def.kind == BERTH_INDEX_OCTREE) {
        return node->count > index->def.leaf_limit;
    }

    for (int32_t p = node->first; p != INDEX_NONE; p = index->entries[p].leaf_next) {
        if (bi_index_covers(index, &index->bodies[index->entries[p].body], node)) {
            return false;  // a region octree stops where space is full
        }
    }
    return node->count > 0;
}

// Eight nodes in a row, or INDEX_NONE when there are none left.
static int32_t take_children(BerthIndex* index) {
    if (index->node_free != INDEX_NONE) {
        const int32_t first = index->node_free;
        index->node_free = index->nodes[first].first;
        return first;
    }
    if (index->node_count + INDEX_CHILDREN > index->def.node_limit) {
        return INDEX_NONE;
    }
    index->node_count += INDEX_CHILDREN;
    return index->node_count - INDEX_CHILDREN;
}

// Splits a leaf and hands its bodies down. False when it stays as it is: complete, only fuller than wished.
static bool split_leaf(BerthIndex* index, int32_t at) {
    IndexNode* node = &index->nodes[at];
    if (index->entry_left < INDEX_CHILDREN * node->count) {
        return false;
    }
    const int32_t first = take_children(index);
    if (first == INDEX_NONE) {
        return false;
    }

    const int power = size_power(node->size);
    index->leaves_by_power[power] -= 1;
    index->leaves_by_power[power - 1] += INDEX_CHILDREN;

    for (int32_t c = 0; c < INDEX_CHILDREN; ++c) {
        const int32_t half = node->size / 2;
        index->nodes[first + c] =
            (IndexNode){.cell = {node->cell[0] + (c & 1) * half, node->cell[1] + (c >> 1 & 1) * half,
                                 node->cell[2] + (c >> 2) * half},
                        .size = half,
                        .child = INDEX_NONE,
                        .parent = at,
                        .first = INDEX_NONE,
                        .stamp = node->stamp};
    }

    node->child = first;
    index->splits += 1;
    while (node->first != INDEX_NONE) {
        const int32_t entry = node->first;
        const int32_t body = index->entries[entry].body;
        const uint64_t stamp = index->entries[entry].stamp;
        bi_index_remove_entry(index, entry);

        bool found = false;
        for (int32_t c = 0; c < INDEX_CHILDREN; ++c) {
            if (bi_index_test_node(index, &index->bodies[body], &index->nodes[first + c])) {
                add_place(index, body, first + c);
                index->entries[index->bodies[body].first].stamp = stamp;
                found = true;
            }
        }
        // A body that the node accepted and no child does is a matter of rounding: all of them get it.
        for (int32_t c = 0; c < INDEX_CHILDREN && !found; ++c) {
            add_place(index, body, first + c);
            index->entries[index->bodies[body].first].stamp = stamp;
        }
    }

    return true;
}

// Splits a leaf as far down as it takes.
static void split_down(BerthIndex* index, int32_t at, int32_t* stack) {
    int32_t count = 0;
    stack[count++] = at;
    while (count > 0) {
        const int32_t top = stack[--count];
        if (wants_split(index, &index->nodes[top]) && split_leaf(index, top)) {
            for (int32_t c = 0; c < INDEX_CHILDREN; ++c) {
                stack[count++] = index->nodes[top].child + c;
            }
        }
    }
}

static bool put_in_leaf(BerthIndex* index, int32_t body, int32_t leaf) {
    IndexNode* node = &index->nodes[leaf];
    if (node->stamp == index->stamp) {
        for (int32_t p = node->first; p != INDEX_NONE; p = index->entries[p].leaf_next) {
            if (index->entries[p].body == body) {
                index->entries[p].stamp = index->stamp;
                return true;
            }
        }
    }

    if (index->entry_left < 1) {
        return false;
    }
    node->stamp = index->stamp;
    add_place(index, body, leaf);

    if (wants_split(index, node)) {
        int32_t stack[INDEX_CHILDREN * (INDEX_DEPTH_MAX + 1)];
        split_down(index, leaf, stack);
    }
    return true;
}

static bool put_in_grid(BerthIndex* index, int32_t at) {
    const IndexBody* body = &index->bodies[at];
    const int32_t across = index->def.grid;
    for (int32_t x = body->range.low[0]; x <= body->range.high[0]; ++x) {
        for (int32_t y = body->range.low[1]; y <= body->range.high[1]; ++y) {
            for (int32_t z = body->range.low[2]; z <= body->range.high[2]; ++z) {
                const int32_t node = (x * across + y) * across + z;
                if (bi_index_test_node(index, body, &index->nodes[node]) && !put_in_leaf(index, at, node)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool keep_or_leave_out(BerthIndex* index, int32_t at, bool has_room) {
    if (!has_room) {
        bi_index_remove_from_leaves(index, at);
        bi_index_set_outside(index, at, true);
    }
    return has_room;
}

bool bi_index_insert_in_cell(BerthIndex* index, int32_t at, int32_t cell) {
    const bool meets = bi_index_test_node(index, &index->bodies[at], &index->nodes[cell]);
    return keep_or_leave_out(index, at, !meets || put_in_leaf(index, at, cell));
}

bool bi_index_insert(BerthIndex* index, int32_t at, int32_t root) {
    IndexBody* body = &index->bodies[at];
    bool has_room = true;

    if (index->def.kind == BERTH_INDEX_GRID) {
        has_room = put_in_grid(index, at);
    } else {
        int32_t count = 0;
        index->work[count++] = root;
        while (count > 0 && has_room) {
            const int32_t top = index->work[--count];
            const IndexNode* node = &index->nodes[top];
            if (!bi_index_test_node(index, body, node)) {
                continue;
            }
            if (node->child == INDEX_NONE) {
                has_room = put_in_leaf(index, at, top);
                continue;
            }
            for (int32_t c = 0; c < INDEX_CHILDREN; ++c) {
                index->work[count++] = node->child + c;
            }
        }
    }

    return keep_or_leave_out(index, at, has_room);
}

// ---- merging ---------------------------------------------------------------------------------------------

// How many different bodies the children hold, as long as that is not more than `most`; more otherwise. A child that is
// split holds more than any limit.
static int32_t count_bodies_below(BerthIndex* index, const IndexNode* node, int32_t most) {
    int32_t count = 0;
    index->stamp += 1;

    for (int32_t c = 0; c < INDEX_CHILDREN; ++c) {
        const IndexNode* child = &index->nodes[node->child + c];
        if (child->child != INDEX_NONE) {
            return most + 1;
        }
        for (int32_t p = child->first; p != INDEX_NONE; p = index->entries[p].leaf_next) {
            IndexBody* body = &index->bodies[index->entries[p].body];
            if (body->seen != index->stamp) {
                body->seen = index->stamp;
                count += 1;
            }
            if (count > most) {
                return count;
            }
        }
    }

    return count;
}

static void merge_children(BerthIndex* index, int32_t at) {
    IndexNode* node = &index->nodes[at];
    const int32_t first = node->child;
    const int power = size_power(node->size);

    index->leaves_by_power[power] += 1;
    index->leaves_by_power[power - 1] -= INDEX_CHILDREN;
    node->child = INDEX_NONE;
    node->listed = true;  // for as long as its children are emptied: they must not list it
    index->stamp += 1;

    for (int32_t c = 0; c < INDEX_CHILDREN; ++c) {
        while (index->nodes[first + c].first != INDEX_NONE) {
            const int32_t entry = index->nodes[first + c].first;
            const int32_t body = index->entries[entry].body;
            bi_index_remove_entry(index, entry);
            if (index->bodies[body].seen != index->stamp) {
                index->bodies[body].seen = index->stamp;
                add_place(index, body, at);
            }
        }
    }

    node->listed = false;
    index->nodes[first].first = index->node_free;
    index->node_free = first;
    index->merges += 1;
}

void bi_index_merge(BerthIndex* index) {
    const int32_t most = index->def.kind == BERTH_INDEX_REGION ? 0 : index->def.merge_limit;
    while (index->check_count > 0) {
        const int32_t at = index->checks[--index->check_count];
        IndexNode* node = &index->nodes[at];
        node->listed = false;
        if (node->child == INDEX_NONE || count_bodies_below(index, node, most) > most) {
            continue;
        }

        merge_children(index, at);
        list_for_merge(index, node->parent);
    }
}
