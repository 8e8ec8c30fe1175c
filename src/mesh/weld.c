// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Making equal vertices one and dropping triangles that say nothing new. Everything is found by radix
// sorting: the same result on every machine, linear time for every file, hostile ones too.
// Entries: bi_mesh_weld, bi_mesh_compact.

#include <string.h>

#include "mesh/mesh_build.h"

static bool same_place(Vec3 a, Vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Sorts vertex indexes so that equal places are neighbours, the first of them in front.
static void sort_places(const Vec3* vertices, size_t count, SortItem* items, SortItem* scratch) {
    for (size_t i = 0; i < count; i++) {
        items[i].index = (uint32_t)i;
    }

    for (int axis = 2; axis >= 0; axis--) {
        for (size_t i = 0; i < count; i++) {
            items[i].key = bi_sort_key(v3_at(vertices[items[i].index], axis));
        }
        bi_sort_items(items, scratch, count);
    }
}

static BerthStatus weld_vertices(MeshBuild* build) {
    const size_t count = (size_t)build->info.vertex_count;
    for (size_t i = 0; i < count; i++) {
        build->vertices[i] =
            v3_add(build->vertices[i], v3(0.0, 0.0, 0.0));  // -0 becomes 0: the bits decide below
    }

    SortItem* items = bi_take(&build->allocator, 2 * count, sizeof *items);
    int32_t* first = bi_take(&build->allocator, count, sizeof *first);
    BerthStatus status = BERTH_ERR_MEMORY;
    if (items != NULL && first != NULL) {
        sort_places(build->vertices, count, items, items + count);
        for (size_t i = 0; i < count; i++) {
            const uint32_t index = items[i].index;
            const bool repeats =
                i > 0 && same_place(build->vertices[index], build->vertices[items[i - 1].index]);
            first[index] = repeats ? first[items[i - 1].index] : (int32_t)index;
        }

        const size_t corner_count = 3 * (size_t)build->info.triangle_count;
        for (size_t i = 0; i < corner_count; i++) {
            build->triangles[i] = first[build->triangles[i]];
        }
        status = BERTH_OK;
    }

    bi_give(&build->allocator, first, count, sizeof *first);
    bi_give(&build->allocator, items, 2 * count, sizeof *items);
    if (status != BERTH_OK) {
        return bi_fail(status, "mesh: no memory to weld %zu vertices", count);
    }
    return BERTH_OK;
}

static void drop_repeated_corners(MeshBuild* build) {
    int32_t kept = 0;
    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        const int32_t* corner = build->triangles + 3 * (size_t)i;
        const int32_t a = corner[0], b = corner[1], c = corner[2];
        if (a == b || b == c || c == a) {
            build->info.degenerate_count++;
            continue;
        }

        int32_t* to = build->triangles + 3 * (size_t)kept++;
        to[0] = a;
        to[1] = b;
        to[2] = c;
    }
    build->info.triangle_count = kept;
}

// The corners from the smallest on, in the same cyclic order.
static void rotate_to_smallest(const int32_t corner[3], uint64_t out[3]) {
    int first = corner[1] < corner[0] ? 1 : 0;
    first = corner[2] < corner[first] ? 2 : first;
    for (int i = 0; i < 3; i++) {
        out[i] = (uint64_t)(uint32_t)corner[(first + i) % 3];
    }
}

static void mark_duplicates(const MeshBuild* build, SortItem* items, SortItem* scratch, bool* drop) {
    const size_t count = (size_t)build->info.triangle_count;
    uint64_t corner[3], before[3];

    for (size_t i = 0; i < count; i++) {
        rotate_to_smallest(build->triangles + 3 * i, corner);
        items[i] = (SortItem){corner[1] << 32 | corner[2], (uint32_t)i};
    }
    bi_sort_items(items, scratch, count);

    for (size_t i = 0; i < count; i++) {
        rotate_to_smallest(build->triangles + 3 * (size_t)items[i].index, corner);
        items[i].key = corner[0];
    }
    bi_sort_items(items, scratch, count);

    for (size_t i = 1; i < count; i++) {
        rotate_to_smallest(build->triangles + 3 * (size_t)items[i].index, corner);
        rotate_to_smallest(build->triangles + 3 * (size_t)items[i - 1].index, before);
        drop[items[i].index] = memcmp(corner, before, sizeof corner) == 0;
    }
}

static BerthStatus drop_duplicates(MeshBuild* build) {
    const size_t count = (size_t)build->info.triangle_count;
    SortItem* items = bi_take(&build->allocator, 2 * count, sizeof *items);
    bool* drop = bi_take(&build->allocator, count, sizeof *drop);

    BerthStatus status = BERTH_ERR_MEMORY;
    if (items != NULL && drop != NULL) {
        mark_duplicates(build, items, items + count, drop);

        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            if (drop[i]) {
                build->info.duplicate_count++;
                continue;
            }
            memmove(build->triangles + 3 * kept++, build->triangles + 3 * i, 3 * sizeof *build->triangles);
        }
        build->info.triangle_count = (int32_t)kept;
        status = BERTH_OK;
    }

    bi_give(&build->allocator, drop, count, sizeof *drop);
    bi_give(&build->allocator, items, 2 * count, sizeof *items);
    if (status != BERTH_OK) {
        return bi_fail(status, "mesh: no memory to compare %zu triangles", count);
    }
    return BERTH_OK;
}

BerthStatus bi_mesh_weld(MeshBuild* build) {
    const BerthStatus status = weld_vertices(build);
    if (status != BERTH_OK) {
        return status;
    }
    drop_repeated_corners(build);
    return drop_duplicates(build);
}

BerthStatus bi_mesh_compact(MeshBuild* build) {
    const size_t count = (size_t)build->info.vertex_count;
    const size_t corner_count = 3 * (size_t)build->info.triangle_count;
    int32_t* place = bi_take(&build->allocator, count, sizeof *place);
    if (place == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "mesh: no memory for %zu vertices", count);
    }

    for (size_t i = 0; i < corner_count; i++) {
        place[build->triangles[i]] = 1;
    }
    int32_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (place[i] != 0) {
            build->vertices[kept] = build->vertices[i];
            place[i] = kept++;
        }
    }

    for (size_t i = 0; i < corner_count; i++) {
        build->triangles[i] = place[build->triangles[i]];
    }
    build->info.vertex_count = kept;
    bi_give(&build->allocator, place, count, sizeof *place);
    return BERTH_OK;
}
