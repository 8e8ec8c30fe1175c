// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Builds the tree of boxes, eight children per node, over the triangles of a mesh: top down, each group split
// by the surface-area rule over 16 bins of centroids. Boxes are stored as floats rounded outward.
// Entry: bi_tree_box_build.

#include <float.h>
#include <stdatomic.h>
#include <string.h>

#include "base/threads.h"
#include "math/math.h"
#include "tree/solid.h"

enum {
    BIN_COUNT = 16,
    BALANCED_DEPTH = 12,
    TASK_MAX = BOX_LANES * (SOLID_DEPTH_MAX + 2),
    SHARED_FROM = 4096  // triangles: work for another thread
};

typedef struct Item {
    Vec3 low, high;
    Vec3 middle;
    int32_t triangle;
} Item;

typedef struct Group {
    int32_t begin, end;
    double area;
} Group;

typedef struct Task {
    int32_t node, begin, end, depth;
} Task;

static void bounds_of(const Item* items, int32_t begin, int32_t end, Vec3* low, Vec3* high) {
    *low = v3(DBL_MAX, DBL_MAX, DBL_MAX);
    *high = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    for (int32_t i = begin; i < end; ++i) {
        *low = v3_min(*low, items[i].low);
        *high = v3_max(*high, items[i].high);
    }
}

static double area_of(Vec3 low, Vec3 high) {
    const Vec3 d = v3_sub(high, low);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

static double group_area(const Item* items, int32_t begin, int32_t end) {
    Vec3 low;
    Vec3 high;
    bounds_of(items, begin, end, &low, &high);
    return area_of(low, high) * (end - begin);
}

typedef struct Split {
    int axis, bin;
    double low, scale, cost;
} Split;

// Extents below 1e-307 m make the scale infinite: 0 times it is NaN, which is the first bin like all that is lowest.
static int bin_of(const Split* split, Vec3 middle) {
    const double at = (v3_at(middle, split->axis) - split->low) * split->scale;
    if (!(at > 0.0)) {
        return 0;
    }
    return at >= BIN_COUNT ? BIN_COUNT - 1 : (int)at;
}

// The cost of the best split along one axis: areas times counts rounded up to whole bottom nodes.
static void try_axis(const Item* items, int32_t begin, int32_t end, int axis, double low, double high,
                     Split* best) {
    if (!(high - low > 0.0)) {
        return;
    }

    Split split = {axis, 0, low, BIN_COUNT / (high - low) * (1.0 - 1e-9), 0.0};
    Vec3 bin_low[BIN_COUNT];
    Vec3 bin_high[BIN_COUNT];
    int32_t count[BIN_COUNT] = {0};

    for (int i = 0; i < BIN_COUNT; ++i) {
        bin_low[i] = v3(DBL_MAX, DBL_MAX, DBL_MAX);
        bin_high[i] = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    }

    for (int32_t i = begin; i < end; ++i) {
        const int bin = bin_of(&split, items[i].middle);
        bin_low[bin] = v3_min(bin_low[bin], items[i].low);
        bin_high[bin] = v3_max(bin_high[bin], items[i].high);
        count[bin] += 1;
    }

    // What lies to the right of each border, from the right.
    double right_cost[BIN_COUNT] = {0};
    Vec3 l = bin_low[BIN_COUNT - 1];
    Vec3 h = bin_high[BIN_COUNT - 1];
    int32_t sum = 0;
    for (int i = BIN_COUNT - 1; i > 0; --i) {
        l = v3_min(l, bin_low[i]);
        h = v3_max(h, bin_high[i]);
        sum += count[i];
        right_cost[i] = sum > 0 ? area_of(l, h) * ((sum + BOX_LANES - 1) / BOX_LANES) : 0.0;
    }

    // Every border in turn, from the left.
    l = bin_low[0];
    h = bin_high[0];
    sum = 0;
    for (int i = 0; i + 1 < BIN_COUNT; ++i) {
        l = v3_min(l, bin_low[i]);
        h = v3_max(h, bin_high[i]);
        sum += count[i];

        if (sum == 0 || sum == end - begin) {
            continue;
        }

        split.bin = i;
        split.cost = area_of(l, h) * ((sum + BOX_LANES - 1) / BOX_LANES) + right_cost[i + 1];
        if (split.cost < best->cost) {
            *best = split;
        }
    }
}

// Puts the items in [begin, end) so that those below the split come first; returns where the second half begins.
static int32_t partition_items(Item* items, int32_t begin, int32_t end, bool balanced) {
    Vec3 low = v3(DBL_MAX, DBL_MAX, DBL_MAX);
    Vec3 high = v3_neg(low);
    for (int32_t i = begin; i < end; ++i) {
        low = v3_min(low, items[i].middle);
        high = v3_max(high, items[i].middle);
    }

    Split best = {.axis = -1, .cost = DBL_MAX};
    if (!balanced) {
        for (int axis = 0; axis < 3; ++axis) {
            try_axis(items, begin, end, axis, v3_at(low, axis), v3_at(high, axis), &best);
        }
    }

    if (best.axis < 0) {
        return begin + (end - begin) / 2;  // equal centroids, or too deep: halves, whatever they hold
    }

    int32_t first = begin;
    int32_t last = end - 1;
    while (first <= last) {
        if (bin_of(&best, items[first].middle) <= best.bin) {
            first += 1;
        } else {
            const Item swap = items[first];
            items[first] = items[last];
            items[last] = swap;
            last -= 1;
        }
    }

    return first > begin && first < end ? first : begin + (end - begin) / 2;
}

// Splits [begin, end) into at most eight groups, the largest first; returns how many.
static int make_groups(Item* items, int32_t begin, int32_t end, bool balanced, Group groups[BOX_LANES]) {
    int count = 1;
    groups[0] = (Group){begin, end, 1.0};

    while (count < BOX_LANES) {
        int largest = -1;
        for (int i = 0; i < count; ++i) {
            if (groups[i].end - groups[i].begin > BOX_LANES &&
                (largest < 0 || groups[i].area > groups[largest].area)) {
                largest = i;
            }
        }

        if (largest < 0) {
            break;
        }

        Group* g = &groups[largest];
        const int32_t middle = partition_items(items, g->begin, g->end, balanced);
        groups[count] = (Group){middle, g->end, group_area(items, middle, g->end)};
        g->end = middle;
        g->area = balanced ? (double)(middle - g->begin) : group_area(items, g->begin, middle);

        if (balanced) {
            groups[count].area = (double)(groups[count].end - middle);
        }

        count += 1;
    }
    return count;
}

static void store_box(BoxNode* node, int lane, Vec3 low, Vec3 high) {
    for (int axis = 0; axis < 3; ++axis) {
        const double l = v3_at(low, axis);
        const double h = v3_at(high, axis);
        const float centre = (float)(0.5 * (l + h));
        const double reach = fmax(h - (double)centre, (double)centre - l);
        node->centre[axis][lane] = centre;
        node->half[axis][lane] = bi_float_up(bi_next_up(reach));
    }
}

static void clear_node(BoxNode* node) {
    for (int axis = 0; axis < 3; ++axis) {
        for (int lane = 0; lane < BOX_LANES; ++lane) {
            node->centre[axis][lane] = 0.0f;
            node->half[axis][lane] = -BOX_EMPTY;
        }
    }
}

/// Nodes while the tree is made: threads take them in any order, and number_nodes puts them in one that is always the same.
typedef struct BoxBuild {
    Item* items;
    BoxNode* nodes;
    BoxLink* links;  // `corners` is not used yet
    int32_t capacity;
    atomic_int used;  // may pass the capacity: then nothing is there
    atomic_int bottoms;
} BoxBuild;

static void give_nodes(const BerthAllocator* allocator, BoxBuild* build) {
    bi_give(allocator, build->nodes, (size_t)build->capacity, sizeof *build->nodes);
    bi_give(allocator, build->links, (size_t)build->capacity, sizeof *build->links);
    build->nodes = NULL;
    build->links = NULL;
}

static bool take_nodes(const BerthAllocator* allocator, BoxBuild* build, int32_t capacity) {
    build->capacity = capacity;
    build->nodes = bi_take_raw(allocator, (size_t)capacity, sizeof *build->nodes);
    build->links = bi_take_raw(allocator, (size_t)capacity, sizeof *build->links);
    if (build->nodes == NULL || build->links == NULL) {
        give_nodes(allocator, build);
        return false;
    }
    return true;
}

static void fill_bottom(BoxBuild* build, const Task* task) {
    BoxNode* node = &build->nodes[task->node];
    clear_node(node);
    build->links[task->node] = (BoxLink){task->begin, -1, (uint8_t)(task->end - task->begin), 1};
    atomic_fetch_add(&build->bottoms, 1);

    for (int32_t i = task->begin; i < task->end; ++i) {
        store_box(node, (int)(i - task->begin), build->items[i].low, build->items[i].high);
    }
}

// Makes one subtree; large ones below it are handed over.
static void build_subtree(void* user, WorkList* list, const void* item) {
    BoxBuild* build = user;
    Task tasks[TASK_MAX];
    int32_t task_count = 0;

    memcpy(&tasks[task_count++], item, sizeof *tasks);
    while (task_count > 0) {
        const Task task = tasks[--task_count];
        if (task.end - task.begin <= BOX_LANES) {
            fill_bottom(build, &task);
            continue;
        }

        Group groups[BOX_LANES];
        const int count =
            make_groups(build->items, task.begin, task.end, task.depth > BALANCED_DEPTH, groups);
        const int32_t first = atomic_fetch_add(&build->used, count);
        if (first > build->capacity - count) {
            return;  // the builder sees that, and begins again with more
        }

        BI_ASSERT(task.depth < SOLID_DEPTH_MAX && task_count + count <= TASK_MAX);
        clear_node(&build->nodes[task.node]);
        build->links[task.node] = (BoxLink){first, -1, (uint8_t)count, 0};

        for (int i = 0; i < count; ++i) {
            Vec3 low;
            Vec3 high;
            bounds_of(build->items, groups[i].begin, groups[i].end, &low, &high);
            store_box(&build->nodes[task.node], i, low, high);

            const Task below = {first + i, groups[i].begin, groups[i].end, task.depth + 1};
            if (below.end - below.begin < SHARED_FROM || !bi_work_add(list, &below)) {
                tasks[task_count++] = below;
            }
        }
    }
}

// Copies the nodes into the solid, each with its children side by side, in the order in which one thread meets them.
static void number_nodes(BerthSolid* solid, const BoxBuild* build) {
    Task tasks[TASK_MAX];  // node: in the solid; begin: in the build
    int32_t task_count = 0;
    int32_t next = 1;

    tasks[task_count++] = (Task){0, 0, 0, 1};
    while (task_count > 0) {
        const Task task = tasks[--task_count];
        const BoxLink* link = &build->links[task.begin];
        solid->nodes[task.node] = build->nodes[task.begin];
        solid->links[task.node] = *link;
        solid->depth = task.depth > solid->depth ? task.depth : solid->depth;

        if (link->bottom) {
            solid->links[task.node].corners = solid->bottom_count++;
            continue;
        }

        solid->links[task.node].first = next;
        for (int i = 0; i < link->count; ++i) {
            tasks[task_count++] = (Task){next + i, link->first + i, 0, task.depth + 1};
        }
        next += link->count;
    }
    BI_ASSERT(next == solid->node_count);
}

static bool set_node_count(BerthSolid* solid, int32_t count) {
    solid->nodes = bi_take_raw(&solid->allocator, (size_t)count, sizeof *solid->nodes);
    solid->links = bi_take_raw(&solid->allocator, (size_t)count, sizeof *solid->links);
    solid->node_count = count;
    return solid->nodes != NULL && solid->links != NULL;
}

static void fill_items(const BerthMesh* mesh, Item* items) {
    for (int32_t i = 0; i < mesh->info.triangle_count; ++i) {
        Vec3 p[3];
        mesh_triangle(mesh, i, p);
        const Vec3 low = v3_min(v3_min(p[0], p[1]), p[2]);
        const Vec3 high = v3_max(v3_max(p[0], p[1]), p[2]);
        items[i] = (Item){low, high, v3_scale(v3_add(low, high), 0.5), i};
    }
}

// Splits the items into a tree, with room for `capacity` nodes; `used` shows when that was not enough.
static void split_items(const BerthMesh* mesh, int32_t threads, BoxBuild* build) {
    const int32_t count = mesh->info.triangle_count;
    fill_items(mesh, build->items);
    atomic_init(&build->used, 1);
    atomic_init(&build->bottoms, 0);

    const Task all = {0, 0, count, 1};
    bi_work_run(count >= 2 * SHARED_FROM ? threads : 1, build_subtree, build, &all, sizeof all);
}

// Nodes and links of the solid from the items, which are put into the order of the leaves.
static bool build_box_nodes(BerthSolid* solid, int32_t threads, Item* items) {
    const int32_t count = solid->mesh->info.triangle_count;
    BoxBuild build = {.items = items};

    // A third of a node a triangle is twice what meshes need. There are less than two: every node has two children or more.
    bool ok = take_nodes(&solid->allocator, &build, count / 3 + 8);
    if (ok) {
        split_items(solid->mesh, threads, &build);
    }
    if (ok && atomic_load(&build.used) > build.capacity) {
        give_nodes(&solid->allocator, &build);
        ok = take_nodes(&solid->allocator, &build, 2 * count);
        if (ok) {
            split_items(solid->mesh, threads, &build);
        }
    }

    ok = ok && set_node_count(solid, atomic_load(&build.used));
    if (ok) {
        number_nodes(solid, &build);
    }
    give_nodes(&solid->allocator, &build);
    return ok;
}

// The float copies of each bottom node's triangles. They are off by rounding, which the walk's slack covers.
static bool store_corners(BerthSolid* solid) {
    solid->corners = bi_take_raw(&solid->allocator, (size_t)solid->bottom_count, sizeof *solid->corners);
    for (int32_t i = 0; solid->corners != NULL && i < solid->node_count; ++i) {
        const BoxLink* link = &solid->links[i];
        for (int lane = 0; link->bottom && lane < BOX_LANES; ++lane) {
            const int32_t leaf = link->first + (lane < link->count ? lane : 0);
            for (int k = 0; k < 3; ++k) {
                const Vec3 p = solid->triangles[leaf].point[k];
                float(*corner)[BOX_LANES] = solid->corners[link->corners].corner[k];
                corner[0][lane] = (float)p.x;
                corner[1][lane] = (float)p.y;
                corner[2][lane] = (float)p.z;
            }
        }
    }
    return solid->corners != NULL;
}

static bool store_triangles(BerthSolid* solid) {
    const size_t count = (size_t)solid->triangle_count;
    solid->triangles = bi_take_raw(&solid->allocator, count, sizeof *solid->triangles);
    for (size_t i = 0; solid->triangles != NULL && i < count; ++i) {
        mesh_triangle(solid->mesh, solid->source[i], solid->triangles[i].point);
    }
    return solid->triangles != NULL;
}

static BerthStatus build_mesh_tree(BerthSolid* solid, int32_t threads) {
    const int32_t count = solid->mesh->info.triangle_count;
    Item* items = bi_take_raw(&solid->allocator, (size_t)count, sizeof *items);
    solid->source = bi_take_raw(&solid->allocator, (size_t)count, sizeof *solid->source);
    solid->triangle_count = count;

    bool ok = items != NULL && solid->source != NULL && build_box_nodes(solid, threads, items);
    for (int32_t i = 0; ok && i < count; ++i) {
        solid->source[i] = items[i].triangle;
    }
    bi_give(&solid->allocator, items, (size_t)count, sizeof *items);

    ok = ok && store_triangles(solid) && store_corners(solid);
    return ok ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "box tree of %d triangles: out of memory", count);
}

BerthStatus bi_tree_box_build(BerthSolid* solid, int32_t threads) {
    if (solid->is_mesh) {
        return build_mesh_tree(solid, threads);
    }
    if (solid->shape.kind == BERTH_HALFSPACE) {
        return BERTH_OK;
    }
    if (!set_node_count(solid, 1)) {
        return bi_fail(BERTH_ERR_MEMORY, "box tree of a shape: out of memory");
    }

    solid->depth = 1;
    clear_node(&solid->nodes[0]);
    store_box(&solid->nodes[0], 0, solid->low, solid->high);
    solid->links[0] = (BoxLink){0, -1, 1, 1};
    return BERTH_OK;
}
