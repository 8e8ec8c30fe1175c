// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Merges equal vertices and drops redundant triangles: the first of equal ones stays, so the result does not
// depend on how equal ones are found. That is by hash tables; where a file is made so that these fill badly,
// by radix sorting: linear time for every file, including hostile ones.
// Entries: bi_mesh_weld, bi_mesh_compact.

#include <stdatomic.h>
#include <string.h>

#include "base/threads.h"
#include "mesh/mesh_build.h"

// ---- the first of equal ones -------------------------------------------------------------------------------------

enum {
    TABLES = 4,             // parts of all hashes; threads take one after the other
    TABLES_FROM = 1 << 16,  // things: fewer are looked at by one thread
    STEPS_EACH = 16         // that looking up may take on average; 2 to 3 is usual
};

/// Things that may be equal, by number.
typedef struct Equals {
    uint64_t (*hash)(const MeshBuild* build, size_t index);
    bool (*same)(const MeshBuild* build, size_t a, size_t b);
    const MeshBuild* build;
    size_t count;
    int32_t* first;     // out: of each thing, the smallest number of those equal to it
    uint32_t* places;   // TABLES tables side by side: 1 + number, 0: free
    size_t table_size;  // of one, a power of two
    bool no_memory;
    atomic_bool spread_badly;
} Equals;

// Every bit of the key counts in every bit of the hash.
static uint64_t mix(uint64_t key) {
    key ^= key >> 32;
    key *= 0x9E3779B97F4A7C15u;
    key ^= key >> 29;
    key *= 0xBF58476D1CE4E5B9u;
    return key ^ key >> 32;
}

// The things whose hash belongs to one table, in order, so that the first of equal ones is met first.
static void fill_table(Equals* equals, size_t table) {
    uint32_t* places = equals->places + table * equals->table_size;
    const size_t mask = equals->table_size - 1;
    size_t steps_left = STEPS_EACH * (equals->count / TABLES) + 1024;

    for (size_t i = 0; i < equals->count; i++) {
        const uint64_t hash = equals->hash(equals->build, i);
        if (hash % TABLES != table) {
            continue;
        }

        size_t at = (size_t)(hash / TABLES) & mask;
        while (places[at] != 0 && !equals->same(equals->build, places[at] - 1, i)) {
            at = (at + 1) & mask;
            if (steps_left-- == 0) {
                atomic_store(&equals->spread_badly, true);
                return;
            }
        }
        if (places[at] == 0) {
            places[at] = (uint32_t)i + 1;
        }
        equals->first[i] = (int32_t)(places[at] - 1);
    }
}

// All tables from the given one on: each is handed over, or done here.
static void fill_tables(void* user, WorkList* list, const void* item) {
    size_t table = 0;
    memcpy(&table, item, sizeof table);
    if (table > 0) {
        fill_table(user, table - 1);
        return;
    }

    for (table = 1; table <= TABLES; table++) {
        if (!bi_work_add(list, &table)) {
            fill_table(user, table - 1);
        }
    }
}

// False when there is no memory, and when the hashes spread badly: then sorting does it.
static bool find_firsts(Equals* equals) {
    // Half full when all are different and spread evenly.
    equals->table_size = 64;
    while (equals->table_size * TABLES < 2 * equals->count) {
        equals->table_size *= 2;
    }

    const BerthAllocator* from = &equals->build->allocator;
    equals->places = bi_take(from, TABLES * equals->table_size, sizeof *equals->places);
    if (equals->places == NULL) {
        equals->no_memory = true;
        return false;
    }

    atomic_init(&equals->spread_badly, false);
    const size_t all = 0;
    bi_work_run(equals->count >= TABLES_FROM ? equals->build->threads : 1, fill_tables, equals, &all,
                sizeof all);
    bi_give(from, equals->places, TABLES * equals->table_size, sizeof *equals->places);
    return !atomic_load(&equals->spread_badly);
}

// ---- vertices ------------------------------------------------------------------------------------------------------

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

static uint64_t hash_of_place(const MeshBuild* build, size_t index) {
    uint64_t bits[3];
    memcpy(bits, &build->vertices[index], sizeof bits);
    return mix(bits[0] + mix(bits[1] + mix(bits[2])));
}

static bool is_same_place(const MeshBuild* build, size_t a, size_t b) {
    return same_place(build->vertices[a], build->vertices[b]);
}

static bool sort_for_firsts(MeshBuild* build, int32_t* first) {
    const size_t count = (size_t)build->info.vertex_count;
    SortItem* items = bi_take_raw(&build->allocator, 2 * count, sizeof *items);
    if (items == NULL) {
        return false;
    }

    build->sorted_count++;
    sort_places(build->vertices, count, items, items + count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = items[i].index;
        const bool repeats = i > 0 && is_same_place(build, index, items[i - 1].index);
        first[index] = repeats ? first[items[i - 1].index] : (int32_t)index;
    }
    bi_give(&build->allocator, items, 2 * count, sizeof *items);
    return true;
}

static BerthStatus weld_vertices(MeshBuild* build) {
    const size_t count = (size_t)build->info.vertex_count;
    for (size_t i = 0; i < count; i++) {
        build->vertices[i] =
            v3_add(build->vertices[i], v3(0.0, 0.0, 0.0));  // -0 becomes 0: the bits decide below
    }

    int32_t* first = bi_take_raw(&build->allocator, count, sizeof *first);
    Equals equals = {hash_of_place, is_same_place, build, .count = count, .first = first};
    const bool found =
        first != NULL && (find_firsts(&equals) || (!equals.no_memory && sort_for_firsts(build, first)));
    if (found) {
        const size_t corner_count = 3 * (size_t)build->info.triangle_count;
        for (size_t i = 0; i < corner_count; i++) {
            build->triangles[i] = first[build->triangles[i]];
        }
    }

    bi_give(&build->allocator, first, count, sizeof *first);
    return found ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "mesh: no memory to weld %zu vertices", count);
}

// ---- triangles -----------------------------------------------------------------------------------------------------

static bool repeats_a_corner(const int32_t corner[3]) {
    return corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
}

static uint64_t key_of_edge(int32_t a, int32_t b) {
    return a < b ? (uint64_t)(uint32_t)a << 32 | (uint32_t)b : (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
}

// Marks the lines with this key as covered: a line that is sorted among `count` of them.
static void mark_line(SortItem* lines, size_t count, uint64_t key) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        low = lines[middle].key < key ? middle + 1 : low;
        high = lines[middle].key < key ? high : middle;
    }
    if (low < count && lines[low].key == key) {
        lines[low].index = 1;
    }
}

// A triangle that names a point twice is a line or a point. Nothing is lost with it where another triangle has that edge, or
// that corner; what is lost is counted, since it was an obstacle perhaps.
static bool count_lost_lines(MeshBuild* build) {
    const size_t count = (size_t)build->info.degenerate_count;
    SortItem* lines = bi_take_raw(&build->allocator, 2 * count, sizeof *lines);
    if (lines == NULL) {
        return false;
    }

    size_t found = 0;
    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        const int32_t* corner = build->triangles + 3 * (size_t)i;
        if (repeats_a_corner(corner)) {
            const int32_t other = corner[1] != corner[0] ? corner[1] : corner[2];
            lines[found++] = (SortItem){key_of_edge(corner[0], other), 0};
        }
    }
    bi_sort_items(lines, lines + count, count);

    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        const int32_t* corner = build->triangles + 3 * (size_t)i;
        for (int k = 0; k < 3 && !repeats_a_corner(corner); k++) {
            mark_line(lines, count, key_of_edge(corner[k], corner[(k + 1) % 3]));
            mark_line(lines, count, key_of_edge(corner[k], corner[k]));
        }
    }

    for (size_t i = 0; i < count; i++) {
        const bool first = i == 0 || lines[i].key != lines[i - 1].key;
        build->info.lost_count += first && lines[i].index == 0;
    }
    bi_give(&build->allocator, lines, 2 * count, sizeof *lines);
    return true;
}

static BerthStatus drop_repeated_corners(MeshBuild* build) {
    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        build->info.degenerate_count += repeats_a_corner(build->triangles + 3 * (size_t)i);
    }
    if (build->info.degenerate_count == 0) {
        return BERTH_OK;
    }
    if (!count_lost_lines(build)) {
        return bi_fail(BERTH_ERR_MEMORY, "mesh: no memory to compare %d triangles",
                       build->info.degenerate_count);
    }

    int32_t kept = 0;
    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        const int32_t* corner = build->triangles + 3 * (size_t)i;
        const int32_t a = corner[0], b = corner[1], c = corner[2];
        if (repeats_a_corner(corner)) {
            continue;
        }

        int32_t* to = build->triangles + 3 * (size_t)kept++;
        to[0] = a;
        to[1] = b;
        to[2] = c;
    }
    build->info.triangle_count = kept;
    return BERTH_OK;
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

static uint64_t hash_of_triangle(const MeshBuild* build, size_t index) {
    uint64_t corner[3];
    rotate_to_smallest(build->triangles + 3 * index, corner);
    return mix(corner[0] + mix(corner[1] << 32 | corner[2]));
}

static bool is_same_triangle(const MeshBuild* build, size_t a, size_t b) {
    uint64_t one[3], other[3];
    rotate_to_smallest(build->triangles + 3 * a, one);
    rotate_to_smallest(build->triangles + 3 * b, other);
    return memcmp(one, other, sizeof one) == 0;
}

// By tables; else by sorting.
static bool find_duplicates(MeshBuild* build, bool* drop) {
    const size_t count = (size_t)build->info.triangle_count;
    int32_t* first = bi_take_raw(&build->allocator, count, sizeof *first);
    Equals equals = {hash_of_triangle, is_same_triangle, build, .count = count, .first = first};
    const bool found = first != NULL && find_firsts(&equals);
    for (size_t i = 0; found && i < count; i++) {
        drop[i] = first[i] != (int32_t)i;
    }
    bi_give(&build->allocator, first, count, sizeof *first);
    if (found || first == NULL || equals.no_memory) {
        return found;
    }

    SortItem* items = bi_take_raw(&build->allocator, 2 * count, sizeof *items);
    if (items != NULL) {
        build->sorted_count++;
        mark_duplicates(build, items, items + count, drop);
    }
    bi_give(&build->allocator, items, 2 * count, sizeof *items);
    return items != NULL;
}

static BerthStatus drop_duplicates(MeshBuild* build) {
    const size_t count = (size_t)build->info.triangle_count;
    bool* drop = bi_take(&build->allocator, count, sizeof *drop);
    const bool found = drop != NULL && find_duplicates(build, drop);
    if (found) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            if (drop[i]) {
                build->info.duplicate_count++;
                continue;
            }
            memmove(build->triangles + 3 * kept++, build->triangles + 3 * i, 3 * sizeof *build->triangles);
        }
        build->info.triangle_count = (int32_t)kept;
    }

    bi_give(&build->allocator, drop, count, sizeof *drop);
    return found ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "mesh: no memory to compare %zu triangles", count);
}

BerthStatus bi_mesh_weld(MeshBuild* build) {
    BerthStatus status = weld_vertices(build);
    if (status == BERTH_OK) {
        status = drop_repeated_corners(build);
    }
    return status == BERTH_OK ? drop_duplicates(build) : status;
}

// Numbers the vertices that triangles name, in order; 0 for the others.
static int32_t number_named(const MeshBuild* build, int32_t* place) {
    const size_t corner_count = 3 * (size_t)build->info.triangle_count;
    for (size_t i = 0; i < corner_count; i++) {
        place[build->triangles[i]] = 1;
    }

    int32_t kept = 0;
    for (int32_t i = 0; i < build->info.vertex_count; i++) {
        if (place[i] != 0) {
            place[i] = ++kept;
        }
    }
    return kept;
}

// An array of exactly the size that is left: a soup of triangles loses five of six vertices by welding.
static bool keep_vertices(MeshBuild* build, const int32_t* place, int32_t kept) {
    Vec3* vertices = bi_take_raw(&build->allocator, (size_t)kept, sizeof *vertices);
    if (vertices == NULL) {
        return false;
    }

    for (int32_t i = 0; i < build->info.vertex_count; i++) {
        if (place[i] != 0) {
            vertices[place[i] - 1] = build->vertices[i];
        }
    }
    bi_give(&build->allocator, build->vertices, (size_t)build->vertex_capacity, sizeof *build->vertices);
    build->vertices = vertices;
    build->vertex_capacity = build->info.vertex_count = kept;
    return true;
}

BerthStatus bi_mesh_compact(MeshBuild* build) {
    const size_t count = (size_t)build->info.vertex_count;
    const size_t corner_count = 3 * (size_t)build->info.triangle_count;
    int32_t* place = bi_take(&build->allocator, count, sizeof *place);
    bool ok = place != NULL;

    if (ok) {
        const int32_t kept = number_named(build, place);
        const bool all = kept == build->info.vertex_count && kept == build->vertex_capacity;
        ok = all || keep_vertices(build, place, kept);
        for (size_t i = 0; ok && !all && i < corner_count; i++) {
            build->triangles[i] = place[build->triangles[i]] - 1;
        }
    }

    bi_give(&build->allocator, place, count, sizeof *place);
    return ok ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "mesh: no memory for %zu vertices", count);
}
