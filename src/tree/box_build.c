// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Builds the tree of boxes, eight children a node, over the triangles of a mesh: top down, each group split by the
// surface-area rule over 16 bins of centroids. Boxes are stored as floats rounded outward.
//
// Entry: bi_box_build.

#include <float.h>
#include <string.h>

#include "math/math.h"
#include "tree/solid.h"

enum { BIN_COUNT = 16, BALANCED_DEPTH = 12, TASK_MAX = BOX_LANES * (SOLID_DEPTH_MAX + 2) };

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

static int bin_of(const Split* split, Vec3 middle) {
    const double at = (v3_at(middle, split->axis) - split->low) * split->scale;
    if (at < 0) {
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

static bool grow_nodes(BerthSolid* solid, int32_t needed) {
    if (needed <= solid->node_capacity) {
        return true;
    }

    const int32_t capacity = needed * 2;
    BoxNode* nodes = bi_take(&solid->allocator, (size_t)capacity, sizeof *nodes);
    BoxLink* links = bi_take(&solid->allocator, (size_t)capacity, sizeof *links);
    if (nodes == NULL || links == NULL) {
        bi_give(&solid->allocator, nodes, (size_t)capacity, sizeof *nodes);
        bi_give(&solid->allocator, links, (size_t)capacity, sizeof *links);
        return false;
    }

    if (solid->node_count > 0) {
        memcpy(nodes, solid->nodes, (size_t)solid->node_count * sizeof *nodes);
        memcpy(links, solid->links, (size_t)solid->node_count * sizeof *links);
    }

    bi_give(&solid->allocator, solid->nodes, (size_t)solid->node_capacity, sizeof *nodes);
    bi_give(&solid->allocator, solid->links, (size_t)solid->node_capacity, sizeof *links);

    solid->nodes = nodes;
    solid->links = links;
    solid->node_capacity = capacity;
    return true;
}

static void fill_bottom(BerthSolid* solid, const Item* items, const Task* task) {
    BoxNode* node = &solid->nodes[task->node];
    clear_node(node);
    solid->links[task->node] =
        (BoxLink){task->begin, solid->bottom_count++, (uint8_t)(task->end - task->begin), 1};

    for (int32_t i = task->begin; i < task->end; ++i) {
        store_box(node, (int)(i - task->begin), items[i].low, items[i].high);
    }
}

static bool build_box_nodes(BerthSolid* solid, Item* items, int32_t count) {
    Task tasks[TASK_MAX];
    int32_t task_count = 1;

    if (!grow_nodes(solid, count / 3 + 1)) {
        return false;
    }

    tasks[0] = (Task){0, 0, count, 1};
    solid->node_count = 1;

    while (task_count > 0) {
        const Task task = tasks[--task_count];
        solid->depth = task.depth > solid->depth ? task.depth : solid->depth;

        if (task.end - task.begin <= BOX_LANES) {
            fill_bottom(solid, items, &task);
            continue;
        }

        Group groups[BOX_LANES];
        const int group_count = make_groups(items, task.begin, task.end, task.depth > BALANCED_DEPTH, groups);
        const int32_t first = solid->node_count;
        if (!grow_nodes(solid, first + group_count)) {
            return false;
        }

        BI_ASSERT(task.depth < SOLID_DEPTH_MAX && task_count + group_count <= TASK_MAX);
        clear_node(&solid->nodes[task.node]);
        solid->links[task.node] = (BoxLink){first, -1, (uint8_t)group_count, 0};

        for (int i = 0; i < group_count; ++i) {
            Vec3 low;
            Vec3 high;
            bounds_of(items, groups[i].begin, groups[i].end, &low, &high);
            store_box(&solid->nodes[task.node], i, low, high);
            tasks[task_count++] = (Task){first + i, groups[i].begin, groups[i].end, task.depth + 1};
        }

        solid->node_count += group_count;
    }
    return true;
}

// The float copies of each bottom node's triangles. They are off by rounding, which the walk's slack covers.
static bool store_corners(BerthSolid* solid) {
    solid->corners = bi_take(&solid->allocator, (size_t)solid->bottom_count, sizeof *solid->corners);
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

static BerthStatus build_mesh_tree(BerthSolid* solid) {
    const int32_t count = solid->mesh->info.triangle_count;
    Item* items = bi_take(&solid->allocator, (size_t)count, sizeof *items);

    solid->triangles = bi_take(&solid->allocator, (size_t)count, sizeof *solid->triangles);
    solid->source = bi_take(&solid->allocator, (size_t)count, sizeof *solid->source);
    solid->triangle_count = count;
    bool ok = items != NULL && solid->triangles != NULL && solid->source != NULL;

    for (int32_t i = 0; ok && i < count; ++i) {
        Vec3 p[3];
        mesh_triangle(solid->mesh, i, p);
        const Vec3 low = v3_min(v3_min(p[0], p[1]), p[2]);
        const Vec3 high = v3_max(v3_max(p[0], p[1]), p[2]);
        items[i] = (Item){low, high, v3_scale(v3_add(low, high), 0.5), i};
    }

    ok = ok && build_box_nodes(solid, items, count);
    for (int32_t i = 0; ok && i < count; ++i) {
        solid->source[i] = items[i].triangle;
        mesh_triangle(solid->mesh, items[i].triangle, solid->triangles[i].point);
    }

    ok = ok && store_corners(solid);
    bi_give(&solid->allocator, items, (size_t)count, sizeof *items);
    return ok ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "box tree of %d triangles: out of memory", count);
}

BerthStatus bi_box_build(BerthSolid* solid) {
    if (solid->is_mesh) {
        return build_mesh_tree(solid);
    }
    if (solid->shape.kind == BERTH_HALFSPACE) {
        return BERTH_OK;
    }
    if (!grow_nodes(solid, 1)) {
        return bi_fail(BERTH_ERR_MEMORY, "box tree of a shape: out of memory");
    }

    solid->node_count = 1;
    solid->depth = 1;
    clear_node(&solid->nodes[0]);
    store_box(&solid->nodes[0], 0, solid->low, solid->high);
    solid->links[0] = (BoxLink){0, -1, 1, 1};
    return BERTH_OK;
}
