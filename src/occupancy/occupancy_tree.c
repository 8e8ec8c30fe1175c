// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The tree of log-odds: one path from the root is changed at a time, then the nodes on it are pruned or take
// the largest log-odds of their children, from below (OctoMap's updateNode without lazy evaluation).
// Entries: everything of berth/occupancy.h but scans.

#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "occupancy/occupancy.h"

#define MEMORY_DEFAULT ((uint64_t)4 << 30)

BerthOccupancyDef berth_default_occupancy_def(void) {
    return (BerthOccupancyDef){.dim = 3,
                               .resolution = 1.0,
                               .first = {OCCUPANCY_SIDE / 2, OCCUPANCY_SIDE / 2, OCCUPANCY_SIDE / 2},
                               .hit = 0.7,
                               .miss = 0.4,
                               .least = 0.1192,
                               .most = 0.971,
                               .stamp = BI_DEF_STAMP};
}

static BerthStatus check_def(const BerthOccupancyDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "occupancy def: start from berth_default_occupancy_def()");
    }
    if (def->dim != 2 && def->dim != 3) {
        return bi_fail(BERTH_ERR_ARGUMENT, "occupancy def: dim is %d, must be 2 or 3", (int)def->dim);
    }

    const double side = def->resolution * OCCUPANCY_SIDE;
    if (!(def->resolution >= 1e-7 && side <= 1e12) || !v3_finite(def->origin)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "occupancy def: resolution is %g m, 1e-7 to 1e7 and a finite origin are expected",
                       def->resolution);
    }

    for (int axis = 0; axis < def->dim; ++axis) {
        if (def->first[axis] < 0 || def->first[axis] >= OCCUPANCY_SIDE) {
            return bi_fail(BERTH_ERR_ARGUMENT, "occupancy def: first is %d on axis %d, must be 0 to %d",
                           (int)def->first[axis], axis, OCCUPANCY_SIDE - 1);
        }
    }

    if (!(def->hit > 0.5 && def->hit < 1.0 && def->miss > 0.0 && def->miss < 0.5 && def->least > 0.0 &&
          def->least < 0.5 && def->most > 0.5 && def->most < 1.0)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "occupancy def: chances hit %g, miss %g, least %g, most %g: hit and most in (0.5, 1), "
                       "miss and least in (0, 0.5) are expected",
                       def->hit, def->miss, def->least, def->most);
    }
    return BERTH_OK;
}

float bi_occupancy_odds_of(double chance) {
    return (float)log(chance / (1.0 - chance));
}

BerthStatus berth_occupancy_create(const BerthOccupancyDef* def, BerthOccupancy** out) {
    *out = NULL;
    const BerthStatus status = check_def(def);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator allocator = bi_allocator_or_default(&def->allocator);
    BerthOccupancy* o = bi_take(&allocator, 1, sizeof *o);
    if (o == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "occupancy: out of memory");
    }

    o->def = *def;
    o->def.allocator = allocator;
    o->hit = bi_occupancy_odds_of(def->hit);
    o->miss = bi_occupancy_odds_of(def->miss);
    o->least = bi_occupancy_odds_of(def->least);
    o->most = bi_occupancy_odds_of(def->most);
    bi_list_init(&o->blocks, &allocator, sizeof(NodeBlock));
    bi_list_init(&o->changes, &allocator, sizeof(BerthFieldChange));

    // No block, and the root's.
    NodeBlock* blocks = bi_list_more(&o->blocks, 2);
    if (blocks == NULL) {
        berth_occupancy_destroy(o);
        return bi_fail(BERTH_ERR_MEMORY, "occupancy: out of memory");
    }
    memset(blocks, 0, 2 * sizeof *blocks);
    o->blocks.count = 2;
    *out = o;
    return BERTH_OK;
}

void berth_occupancy_destroy(BerthOccupancy* o) {
    if (o != NULL) {
        const BerthAllocator allocator = o->def.allocator;
        bi_list_free(&o->blocks);
        bi_list_free(&o->changes);
        bi_give(&allocator, o, 1, sizeof *o);
    }
}

BerthOccupancyInfo berth_occupancy_info(const BerthOccupancy* o) {
    BerthOccupancyInfo info = {.dim = o->def.dim,
                               .resolution = o->def.resolution,
                               .origin = o->def.origin,
                               .node_count = o->node_count,
                               .bytes = (uint64_t)o->blocks.capacity * sizeof(NodeBlock)};
    memcpy(info.first, o->def.first, sizeof info.first);
    return info;
}

uint64_t bi_occupancy_limit(const BerthOccupancy* o) {
    return o->def.memory_limit > 0 ? (uint64_t)o->def.memory_limit : MEMORY_DEFAULT;
}

BerthStatus bi_occupancy_go_on(const BerthOccupancy* o) {
    if (o->def.progress != NULL && !o->def.progress(o->def.progress_user, 0.0)) {
        return bi_fail(BERTH_ERR_CANCELLED, "occupancy: stopped by the caller");
    }
    return BERTH_OK;
}

// ---- blocks ----------------------------------------------------------------------------------------------------

static NodeBlock* block_at(const BerthOccupancy* o, uint32_t index) {
    return (NodeBlock*)o->blocks.data + index;
}

static int child_of_cell(const BerthOccupancy* o, const int32_t cell[3], int depth) {
    const int bit = OCCUPANCY_LEVELS - 1 - depth;
    const int plane = (cell[0] >> bit & 1) | (cell[1] >> bit & 1) << 1;
    return o->def.dim == 2 ? plane : plane | (cell[2] >> bit & 1) << 2;
}

static BerthStatus take_block(BerthOccupancy* o, uint32_t* out) {
    if (o->unused != 0) {
        *out = o->unused;
        o->unused = block_at(o, *out)->below[0];
    } else {
        const uint64_t bytes = ((uint64_t)o->blocks.count + 1) * sizeof(NodeBlock);
        if (bytes > bi_occupancy_limit(o)) {
            return bi_fail(BERTH_ERR_MEMORY,
                           "occupancy: %lld nodes need more than the limit of %llu bytes: larger cells, or a "
                           "shorter range, need less",
                           (long long)o->node_count, (unsigned long long)bi_occupancy_limit(o));
        }
        if (bi_list_more(&o->blocks, 1) == NULL) {
            return bi_fail(BERTH_ERR_MEMORY, "occupancy: out of memory after %lld nodes",
                           (long long)o->node_count);
        }
        *out = (uint32_t)o->blocks.count++;
    }

    memset(block_at(o, *out), 0, sizeof(NodeBlock));
    return BERTH_OK;
}

static void give_block(BerthOccupancy* o, uint32_t index) {
    block_at(o, index)->below[0] = o->unused;
    o->unused = index;
}

// Everything below a node goes; the node itself stays.
static void drop_below(BerthOccupancy* o, uint32_t block) {
    uint32_t stack[8 * OCCUPANCY_LEVELS];
    int count = 0;
    stack[count++] = block;

    while (count > 0) {
        const uint32_t top = stack[--count];
        for (int k = 0; k < 8; ++k) {
            const uint32_t below = block_at(o, top)->below[k];
            o->node_count -= below != NODE_ABSENT;
            if (below > NODE_LEAF) {
                stack[count++] = below;
            }
        }
        give_block(o, top);
    }
}

// ---- one path ----------------------------------------------------------------------------------------------------

/// Places from the root to a node.
typedef struct Path {
    uint32_t block[OCCUPANCY_LEVELS + 1];
    int place[OCCUPANCY_LEVELS + 1];
} Path;

// Children for a node that has none: all eight like it, or, for a node that was just made, none yet.
static BerthStatus open_node(BerthOccupancy* o, uint32_t block, int place, bool fresh) {
    uint32_t below = 0;
    const BerthStatus status = take_block(o, &below);
    if (status != BERTH_OK) {
        return status;
    }

    NodeBlock* parent = block_at(o, block);
    NodeBlock* children = block_at(o, below);
    for (int k = 0; k < 1 << o->def.dim && !fresh; ++k) {
        children->below[k] = NODE_LEAF;
        children->log_odds[k] = parent->log_odds[place];
        o->node_count += 1;
    }
    parent->below[place] = below;
    return BERTH_OK;
}

// Eight leaves of equal log-odds become one; else a node has the greatest of its children, and none when there are none.
static void settle_node(BerthOccupancy* o, uint32_t block, int place) {
    NodeBlock* at = block_at(o, block);
    const uint32_t below = at->below[place];
    const NodeBlock* children = block_at(o, below);
    const int count = 1 << o->def.dim;
    bool equal = true, any = false;
    float most = -INFINITY;

    for (int k = 0; k < count; ++k) {
        equal = equal && children->below[k] == NODE_LEAF && children->log_odds[k] == children->log_odds[0];
        if (children->below[k] != NODE_ABSENT) {
            any = true;
            most = fmaxf(most, children->log_odds[k]);
        }
    }

    if (equal || !any) {
        o->node_count -= any ? count : 1;
        at->below[place] = any ? NODE_LEAF : NODE_ABSENT;
        give_block(o, below);
    }
    at->log_odds[place] = any ? most : 0.0f;
}

static void settle_path(BerthOccupancy* o, const Path* path, int depth) {
    for (int d = depth - 1; d >= 0; --d) {
        settle_node(o, path->block[d], path->place[d]);
    }
}

// What make_path made up to `depth` goes again: a node of which nothing is known must not stay as one that is occupied.
static void undo_path(BerthOccupancy* o, const Path* path, int depth, bool fresh) {
    if (fresh) {
        block_at(o, path->block[depth])->below[path->place[depth]] = NODE_ABSENT;
        o->node_count -= 1;
    }
    settle_path(o, path, depth);
}

// Goes down to the node of `depth` that holds the cell, making what is not there. On failure the tree is as it was.
static BerthStatus make_path(BerthOccupancy* o, const int32_t cell[3], int depth, Path* path) {
    uint32_t block = ROOT_BLOCK;
    int place = 0;

    for (int d = 0;; ++d) {
        path->block[d] = block;
        path->place[d] = place;
        NodeBlock* at = block_at(o, block);
        const bool fresh = at->below[place] == NODE_ABSENT;
        if (fresh) {
            at->below[place] = NODE_LEAF;
            at->log_odds[place] = 0.0f;
            o->node_count += 1;
        }
        if (d == depth) {
            return BERTH_OK;
        }

        if (at->below[place] == NODE_LEAF) {
            const BerthStatus status = open_node(o, block, place, fresh);
            if (status != BERTH_OK) {
                undo_path(o, path, d, fresh);
                return status;
            }
        }
        block = block_at(o, block)->below[place];
        place = child_of_cell(o, cell, d);
    }
}

BerthStatus bi_occupancy_set_node(BerthOccupancy* o, const int32_t low[3], int32_t log_width,
                                  float log_odds) {
    const int depth = OCCUPANCY_LEVELS - log_width;
    Path path;
    const BerthStatus status = make_path(o, low, depth, &path);
    if (status != BERTH_OK) {
        return status;
    }

    NodeBlock* at = block_at(o, path.block[depth]);
    const int place = path.place[depth];
    if (at->below[place] > NODE_LEAF) {
        drop_below(o, at->below[place]);
    }

    const bool known = !isnan(log_odds);
    at->below[place] = known ? NODE_LEAF : NODE_ABSENT;
    at->log_odds[place] = known ? log_odds : 0.0f;
    o->node_count -= known ? 0 : 1;
    settle_path(o, &path, depth);
    return BERTH_OK;
}

BerthStatus bi_occupancy_add(BerthOccupancy* o, const int32_t cell[3], float log_odds) {
    float old = 0.0f;
    const bool known = berth_occupancy_log_odds(o, cell, &old);
    if (known && ((log_odds >= 0.0f && old >= o->most) || (log_odds <= 0.0f && old <= o->least))) {
        return BERTH_OK;
    }

    Path path;
    const BerthStatus status = make_path(o, cell, OCCUPANCY_LEVELS, &path);
    if (status != BERTH_OK) {
        return status;
    }

    float* value = &block_at(o, path.block[OCCUPANCY_LEVELS])->log_odds[path.place[OCCUPANCY_LEVELS]];
    *value = fminf(fmaxf(*value + log_odds, o->least), o->most);
    settle_path(o, &path, OCCUPANCY_LEVELS);
    return BERTH_OK;
}

// ---- cells -------------------------------------------------------------------------------------------------------

bool berth_occupancy_log_odds(const BerthOccupancy* o, const int32_t cell[3], float* out) {
    for (int axis = 0; axis < o->def.dim; ++axis) {
        if (cell[axis] < 0 || cell[axis] >= OCCUPANCY_SIDE) {
            return false;
        }
    }

    uint32_t block = ROOT_BLOCK;
    int place = 0;
    for (int depth = 0; depth <= OCCUPANCY_LEVELS; ++depth) {
        const NodeBlock* at = block_at(o, block);
        if (at->below[place] <= NODE_LEAF) {
            *out = at->log_odds[place];
            return at->below[place] == NODE_LEAF;
        }
        block = at->below[place];
        place = child_of_cell(o, cell, depth);
    }
    return false;
}

BerthCellColour berth_occupancy_colour(const BerthOccupancy* o, const int32_t cell[3]) {
    float log_odds = 0.0f;
    if (!berth_occupancy_log_odds(o, cell, &log_odds)) {
        return BERTH_CELL_UNKNOWN;
    }
    return log_odds >= 0.0f ? BERTH_CELL_OCCUPIED : BERTH_CELL_FREE;
}

bool berth_occupancy_cell(const BerthOccupancy* o, BerthVec3 point, int32_t cell[3]) {
    const double p[3] = {point.x, point.y, point.z};
    const double origin[3] = {o->def.origin.x, o->def.origin.y, o->def.origin.z};

    cell[2] = 0;
    for (int axis = 0; axis < o->def.dim; ++axis) {
        const double at = floor((p[axis] - origin[axis]) / o->def.resolution) + o->def.first[axis];
        if (!(at >= 0.0 && at < OCCUPANCY_SIDE)) {
            return false;
        }
        cell[axis] = (int32_t)at;
    }
    return true;
}

BerthStatus bi_occupancy_reserve_note(BerthOccupancy* o) {
    if (bi_list_more(&o->changes, 1) == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "occupancy: out of memory after %zu changes", o->changes.count);
    }
    return BERTH_OK;
}

void bi_occupancy_note(BerthOccupancy* o, const int32_t cell[3], BerthCellColour before,
                       BerthOccupancyReport* report) {
    const BerthCellColour now = berth_occupancy_colour(o, cell);
    if (now == before) {
        return;
    }

    BerthFieldChange* changes = o->changes.data;
    changes[o->changes.count++] = (BerthFieldChange){{cell[0], cell[1], cell[2]}, now};
    report->became_occupied += now == BERTH_CELL_OCCUPIED;
    report->became_free += now == BERTH_CELL_FREE;
}

const BerthFieldChange* berth_occupancy_changes(const BerthOccupancy* o, size_t* count) {
    *count = o->changes.count;
    return o->changes.data;
}

void berth_occupancy_forget_changes(BerthOccupancy* o) {
    o->changes.count = 0;
}

// ---- boxes and walks ---------------------------------------------------------------------------------------------

enum { WALK_STACK = 8 * (OCCUPANCY_LEVELS + 1) };

BerthStatus berth_occupancy_set_box(BerthOccupancy* o, const int32_t low[3], const int32_t high[3],
                                    float log_odds) {
    for (int axis = 0; axis < o->def.dim; ++axis) {
        if (low[axis] < 0 || high[axis] > OCCUPANCY_SIDE || low[axis] > high[axis]) {
            return bi_fail(BERTH_ERR_ARGUMENT, "occupancy: cells %d to %d of axis %d are not within 0 to %d",
                           (int)low[axis], (int)high[axis], axis, OCCUPANCY_SIDE);
        }
    }

    OccupancyNode stack[WALK_STACK];
    int count = 0;
    stack[count++] = (OccupancyNode){.log_width = OCCUPANCY_LEVELS};
    BerthStatus status = BERTH_OK;
    while (count > 0 && status == BERTH_OK) {
        const OccupancyNode top = stack[--count];
        const int32_t side = (int32_t)1 << top.log_width;
        bool inside = true, apart = false;
        for (int axis = 0; axis < o->def.dim; ++axis) {
            inside = inside && top.low[axis] >= low[axis] && top.low[axis] + side <= high[axis];
            apart = apart || top.low[axis] >= high[axis] || top.low[axis] + side <= low[axis];
        }

        if (inside && !apart) {
            status = bi_occupancy_set_node(o, top.low, top.log_width, log_odds);
            continue;
        }
        for (int k = (1 << o->def.dim) - 1; k >= 0 && !apart; --k) {
            const int32_t b = top.log_width - 1;  // a single cell is inside or apart
            stack[count++] =
                (OccupancyNode){.low = {top.low[0] + ((k & 1) << b), top.low[1] + ((k >> 1 & 1) << b),
                                        top.low[2] + ((k >> 2 & 1) << b)},
                                .log_width = b};
        }
    }
    return status;
}

static uint32_t children_of(const BerthOccupancy* o, uint32_t below) {
    uint32_t bits = 0;
    for (int k = 0; k < 8 && below > NODE_LEAF; ++k) {
        bits |= block_at(o, below)->below[k] != NODE_ABSENT ? 1u << k : 0;
    }
    return bits;
}

BerthStatus bi_occupancy_walk(const BerthOccupancy* o, OccupancyVisit* visit, void* user) {
    struct {
        OccupancyNode node;
        uint32_t below;
    } stack[WALK_STACK];
    int count = 0;
    const NodeBlock* root = block_at(o, ROOT_BLOCK);

    if (root->below[0] != NODE_ABSENT) {
        stack[count].node = (OccupancyNode){{0, 0, 0}, OCCUPANCY_LEVELS, root->log_odds[0], 0};
        stack[count++].below = root->below[0];
    }

    BerthStatus status = BERTH_OK;
    while (count > 0 && status == BERTH_OK) {
        OccupancyNode node = stack[--count].node;
        const uint32_t below = stack[count].below;
        node.children = children_of(o, below);
        status = visit(user, &node);

        for (int k = 7; k >= 0; --k) {
            if ((node.children >> k & 1) != 0) {
                const NodeBlock* children = block_at(o, below);
                const int32_t b = node.log_width - 1;
                stack[count].node =
                    (OccupancyNode){{node.low[0] + ((k & 1) << b), node.low[1] + ((k >> 1 & 1) << b),
                                     node.low[2] + ((k >> 2 & 1) << b)},
                                    b,
                                    children->log_odds[k],
                                    0};
                stack[count++].below = children->below[k];
            }
        }
    }
    return status;
}
