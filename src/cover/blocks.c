// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The triangles of a body in blocks of neighbours, each with a box: a proof about a small region reads few of them.
//
// Entry: bi_cover_sort_triangles.

#include <float.h>
#include <string.h>

#include "base/sort.h"
#include "cover/cover.h"
#include "math/morton.h"

// Cells of the curve along the body's diagonal: 16 bits each way.
#define CELLS_ACROSS 65535.0

// Where a triangle's middle is along the curve of Morton.
static uint64_t curve_key(const CoverBody* body, const Triangle* triangle) {
    const Vec3* t = triangle->point;
    const Vec3 middle = v3_scale(v3_add(v3_add(t[0], t[1]), t[2]), 1.0 / 3.0);
    const double scale = body->diagonal > 0.0 ? CELLS_ACROSS / body->diagonal : 0.0;

    int32_t cell[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double along = (v3_at(middle, axis) - v3_at(body->low, axis)) * scale;
        cell[axis] = (int32_t)clamp(along, 0.0, CELLS_ACROSS);
    }
    return morton_code(3, cell);
}

static void box_blocks(CoverBody* body) {
    for (int32_t block = 0; block < body->block_count; ++block) {
        Vec3 low = v3(DBL_MAX, DBL_MAX, DBL_MAX), high = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
        const int32_t end = (block + 1) * BI_COVER_BLOCK;
        for (int32_t i = block * BI_COVER_BLOCK; i < end && i < body->triangle_count; ++i) {
            for (int k = 0; k < 3; ++k) {
                low = v3_min(low, body->triangles[i].point[k]);
                high = v3_max(high, body->triangles[i].point[k]);
            }
        }
        body->block_low[block] = low;
        body->block_high[block] = high;
    }
}

BerthStatus bi_cover_sort_triangles(CoverBody* body) {
    const size_t count = (size_t)body->triangle_count;
    body->block_count = (body->triangle_count + BI_COVER_BLOCK - 1) / BI_COVER_BLOCK;
    body->block_low = bi_arena_take(&body->arena, (size_t)body->block_count, sizeof *body->block_low);
    body->block_high = bi_arena_take(&body->arena, (size_t)body->block_count, sizeof *body->block_high);

    SortItem* items = bi_take(&body->allocator, 2 * count, sizeof *items);
    Triangle* triangles = bi_take(&body->allocator, count, sizeof *triangles);
    int32_t* part_of = bi_take(&body->allocator, count, sizeof *part_of);
    const bool taken = body->block_low != NULL && body->block_high != NULL && items != NULL &&
                       triangles != NULL && part_of != NULL;

    if (taken) {
        for (size_t i = 0; i < count; ++i) {
            items[i] = (SortItem){curve_key(body, &body->triangles[i]), (uint32_t)i};
        }
        bi_sort_items(items, items + count, count);

        for (size_t i = 0; i < count; ++i) {
            triangles[i] = body->triangles[items[i].index];
            part_of[i] = body->part_of[items[i].index];
        }
        memcpy(body->triangles, triangles, count * sizeof *triangles);
        memcpy(body->part_of, part_of, count * sizeof *part_of);
        box_blocks(body);
    }

    bi_give(&body->allocator, items, 2 * count, sizeof *items);
    bi_give(&body->allocator, triangles, count, sizeof *triangles);
    bi_give(&body->allocator, part_of, count, sizeof *part_of);
    return taken ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
}
