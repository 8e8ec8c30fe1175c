// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Writes nodes as OctoMap's .bt. They are sorted along the tree; a range of them that lies in one node is
// split among its children, depth first, with a stack of ranges.
// Entry: bi_io_octomap_bytes.

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "io/map/map_cells.h"
#include "math/tolerance.h"

enum { STACK_MAX = 8 * BI_MAP_LEVELS_MAX };

/// Nodes [first, end) of the sorted list, all within one node at `depth`.
typedef struct NodeRange {
    size_t first, end;
    int depth;
} NodeRange;

/// The list and what is made of it.
typedef struct OctoWriter {
    const char* path;
    const MapCells* cells;
    int64_t shift[3];  // from our cells to OctoMap's
    MapCells moved;    // the nodes, as OctoMap's
    SortItem* items;   // by place in OctoMap's cube
    TextOut body;
    int64_t node_count;
} OctoWriter;

static int level_of(const OctoWriter* w, size_t item) {
    return BI_MAP_LEVELS_MAX - w->moved.nodes[w->items[item].index].scale;
}

// Where the corner of our cells lies among OctoMap's. It must lie on one of its corners.
static BerthStatus find_shift(OctoWriter* w) {
    const MapCells* cells = w->cells;
    const double origin[3] = {cells->origin.x, cells->origin.y, cells->origin.z};
    const double resolution = cells->resolution;
    if (cells->dimensions != 3) {
        return bi_fail(BERTH_ERR_UNSUPPORTED, "%s: OctoMap's files are 3-D, this map is 2-D", w->path);
    }

    for (int axis = 0; axis < 3; ++axis) {
        const double steps = origin[axis] / resolution;
        const double whole = nearbyint(steps);
        // A decimal origin over a decimal resolution is whole up to three roundings. More would move obstacles by more than a reader
        // of the file allows for.
        const double room = 4.0 * BI_ULP * (1.0 + fabs(steps));
        if (!(fabs(steps - whole) <= room) || !(fabs(whole) <= BI_MAP_SIDE_MAX)) {
            return bi_fail(
                BERTH_ERR_UNSUPPORTED,
                "%s: the map begins at %c = %.17g, OctoMap's cells at whole multiples of %.17g within %d",
                w->path, "xyz"[axis], origin[axis], resolution, BI_MAP_SIDE_MAX / 2);
        }
        w->shift[axis] = (int64_t)whole + BI_MAP_SIDE_MAX / 2;
    }
    return BERTH_OK;
}

/// A box of OctoMap's cells, [low, high).
typedef struct CellBox {
    int64_t low[3], high[3];
} CellBox;

// Adds the cubes of OctoMap's tree that make up the part of `box` within `cube`: those that lie inside, whole.
static BerthStatus add_within(OctoWriter* w, const CellBox* box, CellNode cube) {
    CellNode stack[STACK_MAX];
    int count = 0;
    stack[count++] = cube;

    while (count > 0) {
        const CellNode top = stack[--count];
        const int64_t from[3] = {top.x, top.y, top.z};
        const int64_t side = (int64_t)1 << top.scale;

        bool inside = true, apart = false;
        for (int axis = 0; axis < 3; ++axis) {
            inside = inside && from[axis] >= box->low[axis] && from[axis] + side <= box->high[axis];
            apart = apart || from[axis] >= box->high[axis] || from[axis] + side <= box->low[axis];
        }

        if (inside) {
            const BerthStatus status = bi_map_cells_add(&w->moved, top);
            if (status != BERTH_OK) {
                return bi_fail_prefix(status, "%s", w->path);
            }
        } else if (!apart) {
            const int half = top.scale - 1;  // a single cell is inside or apart
            for (int i = 0; i < 8; ++i) {
                stack[count++] = (CellNode){
                    (uint16_t)(top.x + ((i & 1) << half)), (uint16_t)(top.y + ((i >> 1 & 1) << half)),
                    (uint16_t)(top.z + ((i >> 2 & 1) << half)), (uint8_t)half, top.state};
            }
        }
    }
    return BERTH_OK;
}

// Where a node lies among OctoMap's cells.
static BerthStatus find_box(const OctoWriter* w, const CellNode* node, CellBox* box) {
    const int64_t from[3] = {node->x, node->y, node->z};
    const int64_t side = (int64_t)1 << node->scale;

    for (int axis = 0; axis < 3; ++axis) {
        box->low[axis] = from[axis] + w->shift[axis];
        const int64_t end = w->shift[axis] + w->cells->size[axis];  // what is beyond is no part of the map
        box->high[axis] = box->low[axis] + side < end ? box->low[axis] + side : end;
        if (box->low[axis] < 0 || box->high[axis] > BI_MAP_SIDE_MAX) {
            return bi_fail(BERTH_ERR_UNSUPPORTED,
                           "%s: the map reaches out of OctoMap's cube of %d cells a side", w->path,
                           BI_MAP_SIDE_MAX);
        }
    }
    return BERTH_OK;
}

// About how many cubes a box is cut into: those that touch a face at x are no larger than what x is a multiple of.
static double count_cubes(const CellBox* box) {
    double most = 0.0, sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const double face = (double)(box->high[u] - box->low[u]) * (double)(box->high[v] - box->low[v]);
        const int64_t ends[2] = {box->low[axis] | BI_MAP_SIDE_MAX, box->high[axis] | BI_MAP_SIDE_MAX};
        for (int i = 0; i < 2; ++i) {
            const double side = (double)(ends[i] & -ends[i]);
            sum += face / (side * side);
            most = fmax(most, face / (side * side));
        }
    }
    return most > 1.0 ? sum : 1.0;  // one of OctoMap's own cubes stays one
}

// A large empty node beside a corner that is none of OctoMap's can be cut into more cubes than memory holds: told at once.
static BerthStatus check_count(const OctoWriter* w) {
    double count = 0.0;
    for (size_t i = 0; i < w->cells->count; ++i) {
        CellBox box = {{0}, {0}};
        if (w->cells->nodes[i].state == BERTH_CELL_UNKNOWN) {
            continue;
        }

        const BerthStatus status = find_box(w, &w->cells->nodes[i], &box);
        if (status != BERTH_OK) {
            return status;
        }
        count += count_cubes(&box);
    }

    // The list, half of it again while it grows, and twice what it is sorted by.
    const double bytes = count * (1.5 * sizeof(CellNode) + 2.0 * sizeof(SortItem));
    if (bytes <= (double)w->moved.memory_limit) {
        return BERTH_OK;
    }
    return bi_fail(
        BERTH_ERR_CAPACITY,
        "%s: about %.2g nodes of OctoMap's tree need %.0f MiB, the limit is %.0f MiB: the map's corner is "
        "none of the large nodes'; larger cells, or an origin at a multiple of many cells, need less",
        w->path, count, bytes / 0x1p20, (double)w->moved.memory_limit / 0x1p20);
}

// A node whose corner is none of OctoMap's for its size is cut into smaller cubes.
static BerthStatus move_node(OctoWriter* w, const CellNode* node) {
    const int64_t side = (int64_t)1 << node->scale;
    CellBox box = {{0}, {0}};
    BerthStatus status = find_box(w, node, &box);
    const int64_t mask = ~(side - 1);

    for (int64_t z = box.low[2] & mask; z < box.high[2] && status == BERTH_OK; z += side) {
        for (int64_t y = box.low[1] & mask; y < box.high[1] && status == BERTH_OK; y += side) {
            for (int64_t x = box.low[0] & mask; x < box.high[0] && status == BERTH_OK; x += side) {
                status = add_within(
                    w, &box, (CellNode){(uint16_t)x, (uint16_t)y, (uint16_t)z, node->scale, node->state});
            }
        }
    }
    return status;
}

static BerthStatus move_and_sort_nodes(OctoWriter* w) {
    BerthStatus status = check_count(w);
    for (size_t i = 0; i < w->cells->count && status == BERTH_OK; ++i) {
        if (w->cells->nodes[i].state != BERTH_CELL_UNKNOWN) {
            status = move_node(w, &w->cells->nodes[i]);
        }
    }

    if (status != BERTH_OK || w->moved.count == 0) {
        return status;
    }

    const size_t count = w->moved.count;
    w->items = bi_take(&w->cells->allocator, 2 * count, sizeof *w->items);
    if (w->items == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory to sort %zu nodes", w->path, count);
    }

    for (size_t i = 0; i < count; ++i) {
        w->items[i] = (SortItem){bi_map_cells_tree_order(&w->moved.nodes[i]), (uint32_t)i};
    }
    bi_sort_items(w->items, w->items + count, count);
    return BERTH_OK;
}

// Two bytes for a node, and the ranges of its inner children.
static int write_node(OctoWriter* w, NodeRange range, NodeRange children[8]) {
    uint32_t bits = 0;
    int inner = 0;
    const int shift = 3 * (BI_MAP_LEVELS_MAX - 1 - range.depth);
    size_t at = range.first;

    for (uint32_t child = 0; child < 8; ++child) {
        const size_t first = at;
        while (at < range.end && (uint32_t)(w->items[at].key >> shift & 7) == child) {
            ++at;
        }

        if (at == first) {
            continue;
        }

        if (level_of(w, first) == range.depth + 1) {
            BI_ASSERT(at == first + 1);
            const uint8_t state = w->moved.nodes[w->items[first].index].state;
            bits |= (state == BERTH_CELL_OCCUPIED ? 2u : 1u) << (2 * child);
            w->node_count += 1;
        } else {
            bits |= 3u << (2 * child);
            children[inner++] = (NodeRange){first, at, range.depth + 1};
        }
    }

    const char two[2] = {(char)(bits & 255), (char)(bits >> 8)};
    bi_text_out_bytes(&w->body, two, 2);
    w->node_count += 1;
    return inner;
}

static void write_tree(OctoWriter* w) {
    NodeRange stack[STACK_MAX];
    int count = 0;
    stack[count++] = (NodeRange){0, w->moved.count, 0};
    while (count > 0 && !w->body.failed) {
        NodeRange children[8];
        const NodeRange range = stack[--count];
        const int inner = write_node(w, range, children);
        for (int i = inner - 1; i >= 0; --i) {
            stack[count++] = children[i];
        }
    }
}

// The root has no place for a state of its own: a node that is the whole cube becomes eight.
static void write_full_cube(OctoWriter* w, uint8_t state) {
    const uint32_t bits = state == BERTH_CELL_OCCUPIED ? 0xaaaa : 0x5555;
    const char two[2] = {(char)(bits & 255), (char)(bits >> 8)};
    bi_text_out_bytes(&w->body, two, 2);
    w->node_count = 9;
}

BerthStatus bi_io_octomap_bytes(const char* path, const MapCells* cells, TextOut* out) {
    OctoWriter w = {.path = path, .cells = cells, .body.bytes.allocator = cells->allocator};
    bi_map_cells_init(&w.moved, &cells->allocator, cells->memory_limit);

    BerthStatus status = find_shift(&w);
    if (status == BERTH_OK) {
        status = move_and_sort_nodes(&w);
    }

    if (status == BERTH_OK && w.moved.count > 0) {
        if (level_of(&w, 0) == 0) {
            write_full_cube(&w, w.moved.nodes[0].state);
        } else {
            write_tree(&w);
        }
    }

    if (status == BERTH_OK) {
        bi_text_out_add(out, "# Octomap OcTree binary file\n# written by berth\nid OcTree\nsize %lld\nres ",
                        (long long)w.node_count);
        bi_text_out_number(out, cells->resolution);
        bi_text_out_add(out, "\ndata\n");
        bi_text_out_bytes(out, w.body.bytes.data, w.body.bytes.size);
        out->failed = out->failed || w.body.failed;
        if (out->failed) {
            status = bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu nodes", path, cells->count);
        }
    }

    if (w.items != NULL) {
        bi_give(&cells->allocator, w.items, 2 * w.moved.count, sizeof *w.items);
    }
    bi_map_cells_free(&w.moved);
    bi_io_free_file(&w.body.bytes);
    return status;
}
