// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A few boxes that together contain all cells of a map, for uses of simple bodies: top down, the box with
// most space without obstacles is cut where its two halves are smallest. A cube of cells goes to one side as
// a whole.
// Entry: bi_cell_boxes.

#include "math/math.h"
#include "tree/cells.h"

enum { BIN_COUNT = 32 };

/// Cells [low, high).
typedef struct Block {
    int32_t low[3], high[3];
} Block;

typedef struct Group {
    Block box;
    size_t begin, end;
    double filled;  // cells
    bool whole;     // no cut makes it smaller
} Group;

static double cells_in(const Block* block) {
    double cells = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        cells *= (double)(block->high[axis] - block->low[axis]);
    }
    return cells;
}

static void grow_block(Block* box, const Block* by) {
    for (int axis = 0; axis < 3; ++axis) {
        box->low[axis] = by->low[axis] < box->low[axis] ? by->low[axis] : box->low[axis];
        box->high[axis] = by->high[axis] > box->high[axis] ? by->high[axis] : box->high[axis];
    }
}

static Block empty_block(void) {
    return (Block){{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
}

static bool is_empty_block(const Block* box) {
    return box->low[0] > box->high[0];
}

// ---- codes to blocks -----------------------------------------------------------------------------------------

static void cell_of(int dim, uint64_t code, int32_t cell[3]) {
    cell[0] = cell[1] = cell[2] = 0;
    for (int bit = 0; bit < 16; ++bit) {
        for (int axis = 0; axis < dim; ++axis) {
            cell[axis] |= (int32_t)(code >> (bit * dim + axis) & 1u) << bit;
        }
    }
}

// The largest cubes that a range of codes is made of, one after the other; only counted when `blocks` is null.
static size_t make_blocks(const CellIndex* index, Block* blocks) {
    const int dim = index->info.dim;
    size_t count = 0;

    for (size_t i = 0; i < index->range_count; ++i) {
        uint64_t at = index->ranges[i].first;
        while (at < index->ranges[i].end) {
            int level = 0;
            while (level < 16 && (at & (((uint64_t)1 << (dim * (level + 1))) - 1)) == 0 &&
                   at + ((uint64_t)1 << (dim * (level + 1))) <= index->ranges[i].end) {
                ++level;
            }

            // Cut where it reaches beyond the map.
            Block block;
            bool inside = true;
            cell_of(dim, at, block.low);
            for (int axis = 0; axis < 3; ++axis) {
                const int32_t high = block.low[axis] + (axis < dim ? 1 << level : 1);
                block.high[axis] = high < index->size[axis] ? high : index->size[axis];
                inside = inside && block.low[axis] < block.high[axis];
            }

            if (inside && blocks != NULL) {
                blocks[count] = block;
            }

            count += inside;
            at += (uint64_t)1 << (dim * level);
        }
    }
    return count;
}

// ---- cutting -------------------------------------------------------------------------------------------------

typedef struct Cut {
    int axis, bin;
    double size;  // of both halves, cells
} Cut;

static int bin_of_block(const Block* box, int axis, const Block* block) {
    const int64_t twice = (int64_t)block->low[axis] + block->high[axis] - 2 * (int64_t)box->low[axis];
    const int64_t width = 2 * ((int64_t)box->high[axis] - box->low[axis]);
    return (int)(twice * BIN_COUNT / (width + 1));
}

static void try_cut_axis(const Group* group, const Block* blocks, int axis, Cut* best) {
    Block bins[BIN_COUNT];
    for (int i = 0; i < BIN_COUNT; ++i) {
        bins[i] = empty_block();
    }

    for (size_t i = group->begin; i < group->end; ++i) {
        grow_block(&bins[bin_of_block(&group->box, axis, &blocks[i])], &blocks[i]);
    }

    // Smallest boxes around everything from a bin on; then, bin by bin, around everything before it.
    double above[BIN_COUNT];
    Block box = empty_block();
    for (int i = BIN_COUNT - 1; i >= 0; --i) {
        grow_block(&box, &bins[i]);
        above[i] = is_empty_block(&box) ? -1.0 : cells_in(&box);
    }

    box = empty_block();
    for (int i = 0; i + 1 < BIN_COUNT; ++i) {
        grow_block(&box, &bins[i]);
        if (is_empty_block(&box) || above[i + 1] < 0.0) {
            continue;
        }

        const double size = cells_in(&box) + above[i + 1];
        if (size < best->size) {
            *best = (Cut){axis, i, size};
        }
    }
}

static void measure_group(Group* group, const Block* blocks) {
    group->box = empty_block();
    group->filled = 0.0;
    for (size_t i = group->begin; i < group->end; ++i) {
        grow_block(&group->box, &blocks[i]);
        group->filled += cells_in(&blocks[i]);
    }
}

// False when no cut makes it smaller.
static bool halve_group(Group* group, Block* blocks, Group* second) {
    Cut best = {-1, 0, cells_in(&group->box)};

    for (int axis = 0; axis < 3; ++axis) {
        try_cut_axis(group, blocks, axis, &best);
    }
    if (best.axis < 0) {
        return false;
    }

    size_t middle = group->begin;
    for (size_t i = group->begin; i < group->end; ++i) {
        if (bin_of_block(&group->box, best.axis, &blocks[i]) <= best.bin) {
            const Block swap = blocks[i];
            blocks[i] = blocks[middle];
            blocks[middle++] = swap;
        }
    }

    *second = (Group){.begin = middle, .end = group->end};
    group->end = middle;
    measure_group(group, blocks);
    measure_group(second, blocks);
    return true;
}

static int32_t cut_groups(Block* blocks, size_t count, Group* groups, int32_t most) {
    int32_t made = 1;
    groups[0] = (Group){.begin = 0, .end = count};
    measure_group(&groups[0], blocks);

    while (made < most) {
        int32_t worst = -1;
        double waste = 0.0;
        for (int32_t i = 0; i < made; ++i) {
            const double empty = cells_in(&groups[i].box) - groups[i].filled;
            if (!groups[i].whole && empty > waste) {
                worst = i;
                waste = empty;
            }
        }

        if (worst < 0) {
            break;
        }

        if (halve_group(&groups[worst], blocks, &groups[made])) {
            made += 1;
        } else {
            groups[worst].whole = true;
        }
    }
    return made;
}

// The border as it was rounded when the surface was made.
static double border_at(const CellIndex* index, int axis, int32_t i) {
    if (index->info.dim == 2 && axis == 2) {
        return i == 0 ? index->info.low.z : index->info.high.z;
    }
    return fma(index->info.resolution, i, v3_at(index->origin, axis));
}

// The box of a block, larger by what its borders may be off.
static SolidBox box_around(const CellIndex* index, const Block* block) {
    double low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double origin = v3_at(index->origin, axis);
        low[axis] = border_at(index, axis, block->low[axis]);
        high[axis] = border_at(index, axis, block->high[axis]);
        if (axis < index->info.dim) {
            low[axis] -= cell_border_error(origin, low[axis]);
            high[axis] += cell_border_error(origin, high[axis]);
        }
    }
    return (SolidBox){v3(low[0], low[1], low[2]), v3(high[0], high[1], high[2])};
}

BerthStatus bi_cell_boxes(const CellIndex* index, int32_t most, const BerthAllocator* allocator,
                          SolidBox* boxes, int32_t* count) {
    *count = 0;
    const size_t block_count = make_blocks(index, NULL);
    if (block_count == 0) {
        return BERTH_OK;  // nothing to hold
    }

    Block* blocks = bi_take(allocator, block_count, sizeof *blocks);
    Group* groups = bi_take(allocator, (size_t)most, sizeof *groups);
    BerthStatus status = BERTH_OK;
    if (blocks == NULL || groups == NULL || most < 1) {
        status = bi_fail(BERTH_ERR_MEMORY, "map: out of memory for boxes around %zu cubes", block_count);
    } else {
        make_blocks(index, blocks);
        *count = cut_groups(blocks, block_count, groups, most);
    }

    for (int32_t i = 0; i < *count; ++i) {
        boxes[i] = box_around(index, &groups[i].box);
    }

    bi_give(allocator, blocks, block_count, sizeof *blocks);
    bi_give(allocator, groups, (size_t)most, sizeof *groups);
    return status;
}
