// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Giving a surface exactly so many triangles: the longest edge is halved, with the two triangles at it, until there
// are enough. The longest edge of all is also the longest of both its triangles, so they stay well shaped. New points
// lie on old edges: the solid is the same. Ties are broken by indexes, so the outcome is the same everywhere.

#include <stdlib.h>

#include "math/math.h"
#include "models/surface.h"

// Side k of a triangle goes from corner k to corner k + 1. `across` is the side on the other side, 3 * triangle +
// side, or -1 where there is none.
typedef struct Edge {
    double length_sq;
    int low, high;  // vertices
    int side;       // 3 * triangle + side of the first of its triangles
} Edge;

typedef struct Refiner {
    Surface* surface;
    int first;
    int* across;
    Edge* heap;  // longest on top; entries that have become stale are dropped when they come up
    int heap_count, heap_room;
} Refiner;

static int next_side(int side) {
    return side % 3 == 2 ? side - 2 : side + 1;
}

static int corner_of(const Refiner* r, int side) {
    return r->surface->triangles[side / 3][side % 3];
}

static Edge edge_of(const Refiner* r, int side) {
    const int a = corner_of(r, side), b = corner_of(r, next_side(side));
    const Vec3 d = v3_sub(r->surface->vertices[a], r->surface->vertices[b]);
    return (Edge){v3_dot(d, d), a < b ? a : b, a < b ? b : a, side};
}

static bool is_before(const Edge* a, const Edge* b) {
    if (a->length_sq != b->length_sq) {
        return a->length_sq > b->length_sq;
    }
    return a->low != b->low ? a->low < b->low : a->high < b->high;
}

static void push(Refiner* r, int side) {
    if (r->across[side] < 0 || r->heap_count == r->heap_room) {
        return;
    }
    const Edge edge = edge_of(r, side);
    int at = r->heap_count++;
    while (at > 0 && is_before(&edge, &r->heap[(at - 1) / 2])) {
        r->heap[at] = r->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    r->heap[at] = edge;
}

static Edge pop(Refiner* r) {
    const Edge top = r->heap[0], last = r->heap[--r->heap_count];
    int at = 0;
    while (2 * at + 1 < r->heap_count) {
        int child = 2 * at + 1;
        if (child + 1 < r->heap_count && is_before(&r->heap[child + 1], &r->heap[child])) {
            ++child;
        }
        if (!is_before(&r->heap[child], &last)) {
            break;
        }
        r->heap[at] = r->heap[child];
        at = child;
    }
    r->heap[at] = last;
    return top;
}

static int compare_edges(const void* left, const void* right) {
    const Edge *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return (a->side > b->side) - (a->side < b->side);
}

// Neighbours of the triangles from `first` on, found by sorting their sides.
static void join_sides(Refiner* r) {
    const int begin = 3 * r->first, end = 3 * r->surface->triangle_count;
    for (int side = begin; side < end; ++side) {
        r->across[side] = -1;
        r->heap[side - begin] = edge_of(r, side);
    }
    qsort(r->heap, (size_t)(end - begin), sizeof *r->heap, compare_edges);
    for (int i = 0; i + 1 < end - begin; ++i) {
        const Edge *a = &r->heap[i], *b = &r->heap[i + 1];
        if (a->low == b->low && a->high == b->high) {
            r->across[a->side] = b->side;
            r->across[b->side] = a->side;
        }
    }
}

static void link_sides(Refiner* r, int a, int b) {
    r->across[a] = b;
    if (b >= 0) {
        r->across[b] = a;
    }
}

// Cuts the triangle of `side` (a to b, c opposite) at m: it keeps a, m, c; the new one is m, b, c. Returns the new
// triangle's side m to b.
static int cut(Refiner* r, int side, int m) {
    Surface* s = r->surface;
    const int after = next_side(side), before = next_side(after);
    const int b = corner_of(r, after), c = corner_of(r, before);
    const int fresh = 3 * s->triangle_count;
    bi_surface_add_triangle(s, m, b, c);
    s->triangles[side / 3][after % 3] = m;
    link_sides(r, fresh + 1, r->across[after]);
    link_sides(r, fresh + 2, after);
    return fresh;
}

static void split(Refiner* r, int side) {
    Surface* s = r->surface;
    const int other = r->across[side];
    const Vec3 a = s->vertices[corner_of(r, side)], b = s->vertices[corner_of(r, next_side(side))];
    const int m = bi_surface_add_vertex(s, v3_scale(v3_add(a, b), 0.5));
    const int fresh = cut(r, side, m), other_fresh = cut(r, other, m);
    link_sides(r, side, other_fresh);
    link_sides(r, other, fresh);
    const int changed[] = {side, fresh, fresh + 1, fresh + 2, other_fresh + 1, other_fresh + 2};
    for (int i = 0; i < 6; ++i) {
        push(r, changed[i]);
    }
}

static bool still_there(const Refiner* r, const Edge* edge) {
    const Edge now = edge_of(r, edge->side);
    return now.low == edge->low && now.high == edge->high;
}

void bi_surface_refine(Surface* s, int first, int triangles) {
    if (s->failed || triangles < s->triangle_count || (triangles - s->triangle_count) % 2 != 0) {
        s->failed = true;
        return;
    }
    // A split pushes six edges and a triangle has three sides to begin with.
    const int room = 3 * triangles + 3 * (triangles - s->triangle_count);
    Refiner r = {.surface = s, .first = first, .heap_room = room};
    r.across = calloc((size_t)(3 * triangles) + 1, sizeof *r.across);
    r.heap = calloc((size_t)room + 1, sizeof *r.heap);
    if (r.across == NULL || r.heap == NULL) {
        s->failed = true;
    } else {
        join_sides(&r);
        for (int side = 3 * first; side < 3 * s->triangle_count; ++side) {
            if (side < r.across[side]) {
                push(&r, side);
            }
        }
        while (!s->failed && s->triangle_count < triangles && r.heap_count > 0) {
            const Edge edge = pop(&r);
            if (still_there(&r, &edge)) {
                split(&r, edge.side);
            }
        }
        s->failed = s->failed || s->triangle_count != triangles;
    }
    free(r.across);
    free(r.heap);
}
