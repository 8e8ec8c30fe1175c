// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Growing arrays of triangles while a mesh file is read.

#include "io/mesh/soup.h"

#include <string.h>

#include "math/tolerance.h"

enum { FIRST_CAPACITY = 256 };

BerthStatus bi_soup_init(TriangleSoup* soup, Vec3 scale, const BerthAllocator* allocator) {
    *soup = (TriangleSoup){.allocator = bi_allocator_or_default(allocator), .scale = scale};
    for (int axis = 0; axis < 3; axis++) {
        const double value = v3_at(scale, axis);
        if (!isfinite(value) || value == 0.0) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "mesh scale %c is %g, a finite number other than 0 is expected", "xyz"[axis],
                           value);
        }
    }

    const int negative_count = (scale.x < 0.0) + (scale.y < 0.0) + (scale.z < 0.0);
    soup->turn = negative_count % 2 == 1;
    return BERTH_OK;
}

void bi_soup_free(TriangleSoup* soup) {
    bi_give(&soup->allocator, soup->vertices, soup->vertex_capacity, sizeof *soup->vertices);
    bi_give(&soup->allocator, soup->corners, 3 * soup->triangle_capacity, sizeof *soup->corners);
    soup->vertices = NULL;
    soup->corners = NULL;
    soup->vertex_count = soup->vertex_capacity = 0;
    soup->triangle_count = soup->triangle_capacity = 0;
}

static bool move_to_larger(const BerthAllocator* allocator, void** items, size_t count, size_t* capacity,
                           size_t wanted, size_t size) {
    void* larger = bi_take_raw(allocator, wanted, size);
    if (larger == NULL) {
        return false;
    }

    if (count > 0) {
        memcpy(larger, *items, count * size);
    }
    bi_give(allocator, *items, *capacity, size);
    *items = larger;
    *capacity = wanted;
    return true;
}

static bool ensure_vertices(TriangleSoup* soup, size_t wanted) {
    void* items = soup->vertices;
    const bool done =
        wanted <= soup->vertex_capacity || move_to_larger(&soup->allocator, &items, soup->vertex_count,
                                                          &soup->vertex_capacity, wanted, sizeof(Vec3));
    soup->vertices = items;
    return done;
}

static bool ensure_triangles(TriangleSoup* soup, size_t wanted) {
    void* items = soup->corners;
    const bool done = wanted <= soup->triangle_capacity ||
                      move_to_larger(&soup->allocator, &items, soup->triangle_count, &soup->triangle_capacity,
                                     wanted, 3 * sizeof(int32_t));
    soup->corners = items;
    return done;
}

bool bi_soup_reserve(TriangleSoup* soup, size_t vertex_count, size_t triangle_count) {
    return ensure_vertices(soup, soup->vertex_count + vertex_count) &&
           ensure_triangles(soup, soup->triangle_count + triangle_count);
}

static size_t capacity_for_one_more(size_t count, size_t capacity) {
    if (count < capacity) {
        return capacity;
    }
    return capacity < FIRST_CAPACITY ? FIRST_CAPACITY : 2 * capacity;
}

bool bi_soup_add_vertex(TriangleSoup* soup, Vec3 scaled) {
    if (!ensure_vertices(soup, capacity_for_one_more(soup->vertex_count, soup->vertex_capacity))) {
        return false;
    }
    soup->vertices[soup->vertex_count++] = scaled;
    return true;
}

bool bi_soup_add_triangle(TriangleSoup* soup, int32_t a, int32_t b, int32_t c) {
    if (!ensure_triangles(soup, capacity_for_one_more(soup->triangle_count, soup->triangle_capacity))) {
        return false;
    }

    int32_t* corner = soup->corners + 3 * soup->triangle_count++;
    corner[0] = a;
    corner[1] = soup->turn ? c : b;
    corner[2] = soup->turn ? b : c;
    return true;
}

// Does the fan's last triangle turn against the triangles before it?
static void note_fold(const TriangleSoup* soup, SoupFan* fan, int32_t last) {
    const int32_t known = (int32_t)soup->vertex_count;
    if (fan->first >= known || fan->before >= known || last >= known) {
        return;
    }

    const Vec3 first = soup->vertices[fan->first];
    const Vec3 area =
        v3_cross(v3_sub(soup->vertices[fan->before], first), v3_sub(soup->vertices[last], first));
    fan->folded = fan->folded || v3_dot(area, fan->area) < 0.0;
    fan->area = v3_add(fan->area, area);
}

bool bi_soup_add_corner(TriangleSoup* soup, SoupFan* fan, int32_t corner) {
    if (fan->count == 0) {
        fan->first = corner;
    } else if (fan->count >= 2) {
        if (!bi_soup_add_triangle(soup, fan->first, fan->before, corner)) {
            return false;
        }
        note_fold(soup, fan, corner);
    }
    fan->before = corner;
    fan->count += 1;
    return true;
}

bool bi_soup_scale(const TriangleSoup* soup, Vec3 raw, Vec3* out) {
    *out = v3(raw.x * soup->scale.x, raw.y * soup->scale.y, raw.z * soup->scale.z);
    return fabs(out->x) <= BI_COORDINATE_MAX && fabs(out->y) <= BI_COORDINATE_MAX &&
           fabs(out->z) <= BI_COORDINATE_MAX;
}
