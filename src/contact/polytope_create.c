// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes convex polyhedra from points: qhull's triangles, merged into faces from the largest on where they are
// coplanar, then everything numbered by coordinates, so that features have the same numbers whatever qhull does.
// Entries: bi_polytope_create, bi_polytope_add_octree.

#include "contact/polytope.h"

#include <math.h>

#include "base/base.h"
#include "base/sort.h"
#include "math/math.h"
#include "mesh/hull_build.h"
#include "shape/solid_shape.h"

typedef struct Merge {
    const BerthHull* hull;
    Arena scratch;
    int32_t* across;  // triangle behind each side
    Vec3* normals;    // unit; of triangles
    double* areas;    // twice
    int32_t* group;   // of each triangle: its seed
    int32_t* place;   // hull vertex to sorted vertex, -1: in no face's outline
    int32_t* next;    // vertex behind each on the outline of the current group
    int32_t* stack;
    int32_t* loop;   // hull vertices of faces, one after the other
    int32_t* first;  // of each face
    int32_t face_count, loop_count;
    double flat;  // metres that a vertex may be off a face's plane
} Merge;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "contact: out of memory for a convex piece");
}

static bool take_merge_scratch(Merge* m) {
    const size_t faces = (size_t)m->hull->face_count, vertices = (size_t)m->hull->vertex_count;
    Arena* arena = &m->scratch;

    m->across = bi_arena_take(arena, 3 * faces, sizeof *m->across);
    m->normals = bi_arena_take(arena, faces, sizeof *m->normals);
    m->areas = bi_arena_take(arena, faces, sizeof *m->areas);
    m->group = bi_arena_take(arena, faces, sizeof *m->group);
    m->place = bi_arena_take(arena, vertices, sizeof *m->place);
    m->next = bi_arena_take(arena, vertices, sizeof *m->next);
    m->stack = bi_arena_take(arena, faces, sizeof *m->stack);
    m->loop = bi_arena_take(arena, 3 * faces, sizeof *m->loop);
    m->first = bi_arena_take(arena, faces + 1, sizeof *m->first);
    return m->across != NULL && m->normals != NULL && m->areas != NULL && m->group != NULL &&
           m->place != NULL && m->next != NULL && m->stack != NULL && m->loop != NULL && m->first != NULL;
}

static void measure_triangles(Merge* m) {
    const BerthHull* hull = m->hull;

    for (int32_t t = 0; t < hull->face_count; ++t) {
        const int32_t* c = hull->faces + 3 * (size_t)t;
        const Vec3 a = hull->vertices[c[0]];
        const Vec3 n = v3_cross(v3_sub(hull->vertices[c[1]], a), v3_sub(hull->vertices[c[2]], a));
        m->areas[t] = v3_length(n);
        m->normals[t] = v3_unit_or(n, v3(0.0, 0.0, 1.0));
    }
}

// Is the triangle in the plane of the seed?
static bool in_plane(const Merge* m, int32_t seed, int32_t triangle) {
    const int32_t* c = m->hull->faces + 3 * (size_t)triangle;
    const Vec3 n = m->normals[seed], p = m->hull->vertices[m->hull->faces[3 * (size_t)seed]];

    for (int k = 0; k < 3; ++k) {
        if (!(fabs(v3_dot(n, v3_sub(m->hull->vertices[c[k]], p))) <= m->flat)) {
            return false;
        }
    }
    return true;
}

// Gives every triangle that is connected to the seed within its plane the seed's group.
static void grow_group(Merge* m, int32_t seed) {
    int32_t count = 1;
    m->stack[0] = seed;
    m->group[seed] = seed;

    while (count > 0) {
        const int32_t triangle = m->stack[--count];
        for (int k = 0; k < 3; ++k) {
            const int32_t other = m->across[3 * (size_t)triangle + (size_t)k];
            if (m->group[other] < 0 && in_plane(m, seed, other)) {
                m->group[other] = seed;
                m->stack[count++] = other;
            }
        }
    }
}

// The outline of a group as a loop of vertices; false when it is not one loop.
static bool trace_outline(Merge* m, int32_t seed, const SortItem* by_group, size_t begin, size_t end) {
    const BerthHull* hull = m->hull;
    int32_t sides = 0, start = -1;

    for (size_t i = begin; i < end; ++i) {
        const size_t triangle = by_group[i].index;
        for (size_t k = 0; k < 3; ++k) {
            const int32_t other = m->across[3 * triangle + k];
            if (m->group[other] != seed) {
                const int32_t from = hull->faces[3 * triangle + k];
                if (m->next[from] >= 0) {
                    return false;
                }
                m->next[from] = hull->faces[3 * triangle + (k + 1) % 3];
                start = start < 0 ? from : start;
                ++sides;
            }
        }
    }

    // Follow the outline once around.
    int32_t count = 0;
    for (int32_t v = start; v >= 0 && count <= sides; ++count) {
        const int32_t to = m->next[v];
        m->next[v] = -1;
        if (to >= 0) {
            m->loop[m->loop_count++] = v;
        }
        v = to == start ? -1 : to;
    }

    if (count != sides || sides < 3) {
        return false;
    }

    m->first[++m->face_count] = m->loop_count;
    return true;
}

// Faces as loops. False when some plane's triangles do not make one loop.
static bool find_faces(Merge* m, SortItem* items) {
    const BerthHull* hull = m->hull;
    const size_t count = (size_t)hull->face_count;
    m->face_count = m->loop_count = m->first[0] = 0;
    for (size_t i = 0; i < count; ++i) {
        m->group[i] = -1;
        items[i] = (SortItem){~bi_sort_key(m->areas[i]), (uint32_t)i};
    }
    bi_sort_items(items, items + count, count);

    // From the largest down: large faces have the best planes.
    for (size_t i = 0; i < count; ++i) {
        if (m->group[items[i].index] < 0) {
            grow_group(m, (int32_t)items[i].index);
        }
    }

    // The triangles of a group side by side.
    for (size_t i = 0; i < count; ++i) {
        items[i] = (SortItem){(uint64_t)(uint32_t)m->group[i], (uint32_t)i};
    }
    bi_sort_items(items, items + count, count);

    for (int32_t v = 0; v < hull->vertex_count; ++v) {
        m->next[v] = -1;
    }

    for (size_t begin = 0; begin < count;) {
        size_t end = begin;
        while (end < count && items[end].key == items[begin].key) {
            ++end;
        }
        if (!trace_outline(m, (int32_t)items[begin].key, items, begin, end)) {
            return false;
        }
        begin = end;
    }

    return m->face_count >= 4;
}

static bool take_polytope_arrays(Polytope* p, Arena* arena) {
    const size_t vertices = (size_t)p->vertex_count, edges = (size_t)p->edge_count;
    const size_t faces = (size_t)p->face_count, corners = (size_t)p->corner_count;
    p->vertices = bi_arena_take(arena, vertices, sizeof *p->vertices);
    p->edges = bi_arena_take(arena, edges, sizeof *p->edges);
    p->faces = bi_arena_take(arena, faces, sizeof *p->faces);
    p->corners = bi_arena_take(arena, corners, sizeof *p->corners);
    p->first_around = bi_arena_take(arena, vertices + 1, sizeof *p->first_around);
    p->around = bi_arena_take(arena, corners, sizeof *p->around);
    p->loop = bi_arena_take(arena, corners, sizeof *p->loop);
    p->first_loop = bi_arena_take(arena, faces + 1, sizeof *p->first_loop);
    p->edge_ends = bi_arena_take(arena, 2 * edges, sizeof *p->edge_ends);
    return p->vertices != NULL && p->edges != NULL && p->faces != NULL && p->corners != NULL &&
           p->first_around != NULL && p->around != NULL && p->loop != NULL && p->first_loop != NULL &&
           p->edge_ends != NULL;
}

// Sorts the vertices that faces use by x, y, z.
static void place_vertices(Merge* m, Polytope* p, SortItem* items) {
    const BerthHull* hull = m->hull;
    size_t count = 0;
    for (int32_t v = 0; v < hull->vertex_count; ++v) {
        if (m->place[v] >= 0) {
            items[count++].index = (uint32_t)v;
        }
    }

    for (int axis = 2; axis >= 0; --axis) {
        for (size_t i = 0; i < count; ++i) {
            items[i].key = bi_sort_key(v3_at(hull->vertices[items[i].index], axis) + 0.0);
        }
        bi_sort_items(items, items + count, count);
    }

    for (size_t i = 0; i < count; ++i) {
        p->vertices[i] = hull->vertices[items[i].index];
        m->place[items[i].index] = (int32_t)i;
    }
}

// Faces by their first three corners, the lowest vertex first; no two faces share three corners in order.
static void place_faces(Merge* m, Polytope* p, SortItem* items) {
    const size_t count = (size_t)m->face_count;
    for (size_t f = 0; f < count; ++f) {
        int32_t* loop = m->loop + m->first[f];
        const int32_t sides = m->first[f + 1] - m->first[f];
        int32_t lowest = 0;
        for (int32_t k = 0; k < sides; ++k) {
            loop[k] = m->place[loop[k]];
            lowest = loop[k] < loop[lowest] ? k : lowest;
        }

        // Turn the loop so that it starts there; next[] is free now and long enough.
        for (int32_t k = 0; k < sides; ++k) {
            m->next[k] = loop[(k + lowest) % sides];
        }
        for (int32_t k = 0; k < sides; ++k) {
            loop[k] = m->next[k];
        }

        items[f].index = (uint32_t)f;
    }

    for (int k = 2; k >= 0; --k) {
        for (size_t i = 0; i < count; ++i) {
            items[i].key = (uint64_t)(uint32_t)m->loop[m->first[items[i].index] + k];
        }
        bi_sort_items(items, items + count, count);
    }

    int32_t corner = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t f = items[i].index;
        const int32_t sides = m->first[f + 1] - m->first[f];
        p->faces[i] = (PolyFace){.first = corner, .count = sides};
        p->first_loop[i] = corner;
        p->corner_most = sides > p->corner_most ? sides : p->corner_most;
        for (int32_t k = 0; k < sides; ++k, ++corner) {
            p->loop[corner] = m->loop[m->first[f] + k];
            p->corners[corner].vertex = p->loop[corner];
        }
    }
    p->first_loop[count] = corner;
}

// Edges from corners: each is there twice, once in each direction.
static bool place_edges(Polytope* p, SortItem* items) {
    const size_t count = (size_t)p->corner_count;
    for (int32_t f = 0; f < p->face_count; ++f) {
        for (int32_t k = 0; k < p->faces[f].count; ++k) {
            const int32_t corner = p->faces[f].first + k;
            const uint64_t a = (uint32_t)p->loop[corner];
            const uint64_t b = (uint32_t)p->loop[p->faces[f].first + (k + 1 < p->faces[f].count ? k + 1 : 0)];
            items[corner] = (SortItem){a < b ? a << 32 | b : b << 32 | a, (uint32_t)corner};
        }
    }

    bi_sort_items(items, items + count, count);
    for (size_t i = 0; i < count; i += 2) {
        if (i + 1 >= count || items[i].key != items[i + 1].key ||
            (i + 2 < count && items[i + 2].key == items[i].key)) {
            return false;
        }

        PolyEdge* edge = &p->edges[i / 2];
        *edge = (PolyEdge){.tail = (int32_t)(items[i].key >> 32), .head = (int32_t)(uint32_t)items[i].key};
        p->corners[items[i].index].edge = p->corners[items[i + 1].index].edge = (int32_t)(i / 2);

        const Vec3 along = v3_sub(p->vertices[edge->head], p->vertices[edge->tail]);
        edge->length = v3_length(along);
        edge->direction = v3_unit_or(along, v3(1.0, 0.0, 0.0));
        edge->left = edge->right = -1;
        p->edge_ends[i] = edge->tail;
        p->edge_ends[i + 1] = edge->head;
    }

    // Each side of an edge belongs to one face.
    bool paired = true;
    for (int32_t f = 0; f < p->face_count; ++f) {
        for (int32_t k = 0; k < p->faces[f].count; ++k) {
            const PolyCorner* corner = &p->corners[p->faces[f].first + k];
            PolyEdge* edge = &p->edges[corner->edge];
            int32_t* side = edge->tail == corner->vertex ? &edge->left : &edge->right;
            paired = paired && *side < 0;
            *side = f;
        }
    }

    return paired;
}

static void list_edges_around(Polytope* p) {
    for (int32_t e = 0; e < p->edge_count; ++e) {
        ++p->first_around[p->edges[e].tail + 1];
        ++p->first_around[p->edges[e].head + 1];
    }

    for (int32_t v = 0; v < p->vertex_count; ++v) {
        p->first_around[v + 1] += p->first_around[v];
    }

    // Fill from each end of the list backwards, then the counts are offsets again.
    for (int32_t e = p->edge_count; e-- > 0;) {
        p->around[--p->first_around[p->edges[e].tail + 1]] = e;
        p->around[--p->first_around[p->edges[e].head + 1]] = e;
    }
    for (int32_t v = 0; v < p->vertex_count; ++v) {
        p->first_around[v] = p->first_around[v + 1];
    }
    p->first_around[p->vertex_count] = 2 * p->edge_count;
}

// Plane, centre and sides of a face.
static void measure_face(Polytope* p, PolyFace* face) {
    const PolyCorner* corners = p->corners + face->first;
    const Vec3 origin = p->vertices[corners[0].vertex];
    Vec3 normal = v3(0.0, 0.0, 0.0);

    for (int32_t k = 1; k + 1 < face->count; ++k) {
        normal = v3_add(normal, v3_cross(v3_sub(p->vertices[corners[k].vertex], origin),
                                         v3_sub(p->vertices[corners[k + 1].vertex], origin)));
    }

    face->normal = v3_unit_or(normal, v3(0.0, 0.0, 1.0));
    face->offset = -INFINITY;
    for (int32_t v = 0; v < p->vertex_count; ++v) {
        face->offset = fmax(face->offset, v3_dot(face->normal, p->vertices[v]));
    }

    Vec3 sum = v3(0.0, 0.0, 0.0);
    double area = 0.0;
    for (int32_t k = 1; k + 1 < face->count; ++k) {
        const Vec3 a = v3_sub(p->vertices[corners[k].vertex], origin);
        const Vec3 b = v3_sub(p->vertices[corners[k + 1].vertex], origin);
        const double share = v3_dot(v3_cross(a, b), face->normal);
        sum = v3_mad(sum, share / 3.0, v3_add(a, b));
        area += share;
    }
    face->centre = area > 0.0 ? v3_mad(origin, 1.0 / area, sum) : origin;

    for (int32_t k = 0; k < face->count; ++k) {
        PolyCorner* corner = &p->corners[face->first + k];
        const PolyEdge* edge = &p->edges[corner->edge];
        const Vec3 along = edge->tail == corner->vertex ? edge->direction : v3_neg(edge->direction);
        corner->side = v3_unit_or(v3_cross(along, face->normal), v3(1.0, 0.0, 0.0));
        corner->offset = fmax(v3_dot(corner->side, p->vertices[edge->tail]),
                              v3_dot(corner->side, p->vertices[edge->head]));
    }
}

static void measure_polytope(Polytope* p) {
    Vec3 low = p->vertices[0], high = low;
    for (int32_t v = 0; v < p->vertex_count; ++v) {
        low = v3_min(low, p->vertices[v]);
        high = v3_max(high, p->vertices[v]);
        p->extent = fmax(p->extent, v3_length(p->vertices[v]) * (1.0 + 4.0 * BI_ULP));
    }

    p->centre = v3_scale(v3_add(low, high), 0.5);
    for (int32_t v = 0; v < p->vertex_count; ++v) {
        p->radius = fmax(p->radius, v3_distance(p->centre, p->vertices[v]) * (1.0 + 4.0 * BI_ULP));
    }

    const Vec3 o = p->centre;
    SolidMoments moments = {.volume = 0.0};
    for (int32_t f = 0; f < p->face_count; ++f) {
        const PolyCorner* corners = p->corners + p->faces[f].first;
        for (int32_t k = 1; k + 1 < p->faces[f].count; ++k) {
            bi_moments_add(&moments, v3_sub(p->vertices[corners[0].vertex], o),
                           v3_sub(p->vertices[corners[k].vertex], o),
                           v3_sub(p->vertices[corners[k + 1].vertex], o));
        }
    }

    p->volume = moments.volume;
    p->centroid = v3_add(o, bi_moments_inertia(&moments, p->inertia));
}

static BerthStatus fill_polytope(Merge* m, Arena* arena, SortItem* items, Polytope* p) {
    for (int32_t v = 0; v < m->hull->vertex_count; ++v) {
        m->place[v] = -1;
    }
    for (int32_t i = 0; i < m->loop_count; ++i) {
        p->vertex_count += m->place[m->loop[i]] < 0;
        m->place[m->loop[i]] = 0;
    }

    p->face_count = m->face_count;
    p->corner_count = m->loop_count;
    p->edge_count = m->loop_count / 2;
    if (!take_polytope_arrays(p, arena)) {
        return no_memory();
    }

    place_vertices(m, p, items);
    place_faces(m, p, items);
    if (m->loop_count % 2 != 0 || !place_edges(p, items) ||
        p->vertex_count - p->edge_count + p->face_count != 2) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: the surface of a convex piece is not closed");
    }

    list_edges_around(p);
    for (int32_t f = 0; f < p->face_count; ++f) {
        measure_face(p, &p->faces[f]);
    }

    measure_polytope(p);
    return BERTH_OK;
}

static BerthStatus build_from_hull(Merge* m, Arena* arena, Polytope* p) {
    const BerthHull* hull = m->hull;
    bi_arena_init(&m->scratch, &arena->allocator, 0);
    SortItem* items =
        bi_arena_take(&m->scratch, 8 * (size_t)(hull->face_count + hull->vertex_count), sizeof *items);
    if (items == NULL || !take_merge_scratch(m)) {
        return no_memory();
    }
    if (!bi_hull_face_neighbours(hull->faces, hull->face_count, items, m->across)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: the hull of a piece is not closed");
    }

    measure_triangles(m);
    m->flat = BI_CONVEX_TOLERANCE * 2.0 * hull->radius;

    if (!find_faces(m, items)) {
        m->flat = -1.0;  // triangles as they are
        if (!find_faces(m, items)) {
            return bi_fail(BERTH_ERR_ARGUMENT, "contact: the faces of a piece have no outline");
        }
    }

    return fill_polytope(m, arena, items, p);
}

BerthStatus bi_polytope_create(const Vec3* points, int32_t count, Arena* arena, Polytope* out, bool* flat) {
    *out = (Polytope){0};
    *flat = false;
    BerthHull* hull = NULL;
    BerthStatus status = berth_hull_create(points, count, &arena->allocator, &hull);
    if (status != BERTH_OK) {
        return status;
    }

    if (hull->face_count == 0) {
        *flat = true;
        berth_hull_destroy(hull);
        return BERTH_OK;
    }

    if (hull->vertex_count > POLYTOPE_VERTICES_MAX) {
        status =
            bi_fail(BERTH_ERR_UNSUPPORTED, "contact: a convex piece has %d vertices, at most %d are taken",
                    (int)hull->vertex_count, (int)POLYTOPE_VERTICES_MAX);
    }
    if (status == BERTH_OK) {
        Merge merge = {.hull = hull};
        status = build_from_hull(&merge, arena, out);
        bi_arena_free(&merge.scratch);
    }

    if (status != BERTH_OK) {
        berth_hull_destroy(hull);
        return status;
    }

    out->hull = hull;
    return BERTH_OK;
}

void bi_polytope_free(Polytope* polytope) {
    berth_hull_destroy(polytope->hull);
    polytope->hull = NULL;
}

BerthStatus bi_polytope_add_octree(Polytope* p, int32_t levels, bool homogeneous, Arena* arena) {
    const BallOctreeSurface surface = {p->vertices, p->vertex_count, p->edge_ends, p->edge_count,
                                       p->loop,     p->first_loop,   p->face_count};
    return bi_octree_build(&surface, levels >= 0 ? levels : bi_octree_levels(p->edge_count), homogeneous,
                           arena, &p->octree);
}
