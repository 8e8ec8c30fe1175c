// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which triangles share edges: open edges, connected pieces, and triangles without area that may be dropped.
//
// A closed surface may lose a triangle whose corners are exactly on one line when what it covers (its longest
// edge) is covered by a neighbour that stays. It has no volume, so winding numbers do not change. In an open
// mesh it stays: nothing shows that a neighbour covers it.
// Entry: bi_mesh_topology.

#include "mesh/mesh_build.h"

// Directed edge k of triangle t is item index 3 t + k, from corner k to corner k + 1.
static uint64_t edge_key(const int32_t* triangles, uint32_t edge, bool* forward) {
    const uint32_t side = edge % 3;
    const uint64_t from = (uint64_t)(uint32_t)triangles[edge];
    const uint64_t to = (uint64_t)(uint32_t)triangles[edge - side + (side + 1) % 3];
    *forward = from < to;
    return from < to ? from << 32 | to : to << 32 | from;
}

static int32_t find_root(int32_t* parent, int32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// The smaller index becomes the root, so that the result does not depend on the order.
static void unite(int32_t* parent, int32_t a, int32_t b) {
    const int32_t root_a = find_root(parent, a), root_b = find_root(parent, b);
    if (root_a < root_b) {
        parent[root_b] = root_a;
    } else {
        parent[root_a] = root_b;
    }
}

// ---- edges in order -----------------------------------------------------------------------------------------------

/// All directed edges, in the order of their keys, equal ones in their own order: (smaller vertex, larger vertex, number).
typedef struct EdgeList {
    uint32_t* edges;
    size_t count;
} EdgeList;

enum { SHORT_LIST = 24 };  // of one vertex: longer ones are sorted by radix

static uint64_t key_of(const MeshBuild* build, uint32_t edge) {
    bool forward = false;
    return edge_key(build->triangles, edge, &forward);
}

static void sort_short(const MeshBuild* build, uint32_t* edges, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const uint32_t edge = edges[i];
        const uint64_t key = key_of(build, edge);
        size_t at = i;
        while (at > 0 && key_of(build, edges[at - 1]) > key) {
            edges[at] = edges[at - 1];
            at--;
        }
        edges[at] = edge;
    }
}

static bool sort_long(const MeshBuild* build, uint32_t* edges, size_t count) {
    SortItem* items = bi_take_raw(&build->allocator, 2 * count, sizeof *items);
    if (items == NULL) {
        return false;
    }

    for (size_t i = 0; i < count; i++) {
        items[i] = (SortItem){key_of(build, edges[i]), edges[i]};
    }
    bi_sort_items(items, items + count, count);
    for (size_t i = 0; i < count; i++) {
        edges[i] = items[i].index;
    }
    bi_give(&build->allocator, items, 2 * count, sizeof *items);
    return true;
}

// Puts each edge into the list of its smaller vertex. `start` has a place a vertex and one more, and is left with the end of
// each list.
static void list_by_vertex(const MeshBuild* build, uint32_t* start, const EdgeList* list) {
    for (size_t i = 0; i < list->count; i++) {
        start[(key_of(build, (uint32_t)i) >> 32) + 1]++;
    }
    for (int32_t i = 0; i < build->info.vertex_count; i++) {
        start[i + 1] += start[i];
    }
    for (size_t i = 0; i < list->count; i++) {
        list->edges[start[key_of(build, (uint32_t)i) >> 32]++] = (uint32_t)i;
    }
}

static bool sort_edges(const MeshBuild* build, const EdgeList* list) {
    const size_t vertex_count = (size_t)build->info.vertex_count;
    uint32_t* start = bi_take(&build->allocator, vertex_count + 1, sizeof *start);
    bool ok = start != NULL;
    if (ok) {
        list_by_vertex(build, start, list);
    }

    uint32_t begin = 0;
    for (size_t i = 0; ok && i < vertex_count; i++) {
        const uint32_t end = start[i];
        if (end - begin <= SHORT_LIST) {
            sort_short(build, list->edges + begin, end - begin);
        } else {
            ok = sort_long(build, list->edges + begin, end - begin);
        }
        begin = end;
    }

    bi_give(&build->allocator, start, vertex_count + 1, sizeof *start);
    return ok;
}

static size_t end_of_equal_keys(const MeshBuild* build, const EdgeList* list, size_t start) {
    const uint64_t key = key_of(build, list->edges[start]);
    size_t end = start + 1;
    while (end < list->count && key_of(build, list->edges[end]) == key) {
        end++;
    }
    return end;
}

static void connect_triangles(MeshBuild* build, const EdgeList* list) {
    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        build->component[i] = i;
    }

    size_t end = 0;
    for (size_t start = 0; start < list->count; start = end) {
        end = end_of_equal_keys(build, list, start);
        int32_t forward_count = 0;
        for (size_t i = start; i < end; i++) {
            bool forward = false;
            (void)edge_key(build->triangles, list->edges[i], &forward);
            forward_count += forward ? 1 : 0;
            unite(build->component, (int32_t)(list->edges[start] / 3), (int32_t)(list->edges[i] / 3));
        }

        if (end - start != 2 || forward_count != 1) {
            build->info.open_edge_count++;
        }
    }

    build->info.watertight = build->info.open_edge_count == 0;
}

// Roots become numbers in order of first appearance. A root is the smallest index of its piece, so it is met
// first.
static void number_components(MeshBuild* build) {
    int32_t* component = build->component;
    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        component[i] = find_root(component, i);
    }

    int32_t next = 0;
    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        // Roots before i already hold their number, as ~number to tell it from an index.
        if (component[i] == i) {
            component[i] = ~next++;
        } else {
            component[i] = component[component[i]];
        }
    }

    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        component[i] = ~component[i];
    }
    build->info.component_count = next;
}

// ---- triangles on a line -------------------------------------------------------------------------------

enum { FLAT = 8 };  // in `mark`, beside bits 1, 2, 4: edge 0, 1, 2 is covered by a neighbour with area

static int longest_edge(const MeshBuild* build, int32_t triangle) {
    const int32_t* corner = build->triangles + 3 * (size_t)triangle;
    int longest = 0;
    double most = -1.0;
    for (int k = 0; k < 3; k++) {
        const Vec3 along = v3_abs(v3_sub(build->vertices[corner[k]], build->vertices[corner[(k + 1) % 3]]));
        // On one line the largest coordinate orders the lengths, and does not underflow.
        const double length_xy = along.x > along.y ? along.x : along.y;
        const double length = length_xy > along.z ? length_xy : along.z;
        if (length > most) {
            most = length;
            longest = k;
        }
    }
    return longest;
}

static bool mark_flat(const MeshBuild* build, uint8_t* mark) {
    bool any = false;
    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        const int32_t* corner = build->triangles + 3 * (size_t)i;
        if (bi_points_on_line(build->vertices[corner[0]], build->vertices[corner[1]],
                              build->vertices[corner[2]])) {
            mark[i] = FLAT;
            any = true;
        }
    }
    return any;
}

static void mark_covered_edges(const EdgeList* list, uint8_t* mark) {
    for (size_t i = 0; i + 1 < list->count; i += 2) {  // watertight: runs of two
        const uint32_t one = list->edges[i], other = list->edges[i + 1];
        const bool one_flat = (mark[one / 3] & FLAT) != 0, other_flat = (mark[other / 3] & FLAT) != 0;
        if (one_flat && !other_flat) {
            mark[one / 3] |= (uint8_t)(1u << one % 3);
        }
        if (other_flat && !one_flat) {
            mark[other / 3] |= (uint8_t)(1u << other % 3);
        }
    }
}

static void drop_covered_triangles(MeshBuild* build, const uint8_t* mark) {
    int32_t kept = 0;
    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        if ((mark[i] & FLAT) != 0) {
            const uint8_t longest = (uint8_t)(1u << longest_edge(build, i));
            const uint8_t others = (uint8_t)(7u & ~longest);
            if ((mark[i] & longest) != 0 || (mark[i] & others) == others) {
                build->info.degenerate_count++;
                continue;
            }
        }

        build->component[kept] = build->component[i];
        for (int k = 0; k < 3; k++) {
            build->triangles[3 * (size_t)kept + (size_t)k] = build->triangles[3 * (size_t)i + (size_t)k];
        }
        kept++;
    }
    build->info.triangle_count = kept;
}

static BerthStatus drop_flat(MeshBuild* build, const EdgeList* list) {
    const size_t triangle_count = (size_t)build->info.triangle_count;
    uint8_t* mark = bi_take(&build->allocator, triangle_count, sizeof *mark);
    if (mark == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "mesh: no memory for %zu marks", triangle_count);
    }

    if (mark_flat(build, mark)) {
        mark_covered_edges(list, mark);
        drop_covered_triangles(build, mark);
    }
    bi_give(&build->allocator, mark, triangle_count, sizeof *mark);
    return BERTH_OK;
}

BerthStatus bi_mesh_topology(MeshBuild* build) {
    EdgeList list = {.count = 3 * (size_t)build->info.triangle_count};
    list.edges = bi_take_raw(&build->allocator, list.count, sizeof *list.edges);
    BerthStatus status = BERTH_OK;
    if (list.edges == NULL || !sort_edges(build, &list)) {
        status = bi_fail(BERTH_ERR_MEMORY, "mesh: no memory for %zu edges", list.count);
    }

    if (status == BERTH_OK) {
        connect_triangles(build, &list);
        number_components(build);
    }
    if (status == BERTH_OK && build->info.watertight) {
        status = drop_flat(build, &list);
    }
    bi_give(&build->allocator, list.edges, list.count, sizeof *list.edges);
    return status;
}
