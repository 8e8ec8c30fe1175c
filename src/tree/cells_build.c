// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes a solid of a set of cells: the mesh of its surface, two triangles per rectangle, its connected
// pieces, and the index of its cells. The mesh is closed by construction; its edges do not have to match for
// that.
// Entries: bi_solid_from_cells, berth_solid_cells.

#include "base/sort.h"
#include "math/math.h"
#include "mesh/mesh.h"
#include "tree/cells.h"

/// A cell must be at least this share of the farthest coordinate wide: borders are then apart by far more than rounding.
#define CELL_SHARE_MIN 0x1p-40

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "map: out of memory");
}

static BerthStatus check_borders(const CellSet* set) {
    double far = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int end = 0; end < 2; ++end) {
            const double at = cell_border(set, axis, end == 0 ? 0 : set->size[axis]);
            if (!(fabs(at) <= BI_COORDINATE_MAX)) {
                return bi_fail(BERTH_ERR_ARGUMENT, "map: it reaches to %c = %g m, at most %g m is allowed",
                               "xyz"[axis], at, BI_COORDINATE_MAX);
            }
            far = fmax(far, fabs(at));
        }
    }

    if (!(set->resolution > CELL_SHARE_MIN * far)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "map: cells of %g m cannot be told apart at coordinates of %g m",
                       set->resolution, far);
    }
    if (set->dim == 2 && !(set->height[1] - set->height[0] > CELL_SHARE_MIN * far)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "map: its height is from %g to %g m, the second must be larger",
                       set->height[0], set->height[1]);
    }
    return BERTH_OK;
}

// Where the map ends on an axis. What is beyond may be an obstacle, a halfspace whose own slack is in proportion to where it is: an
// end that is much nearer to 0 than the origin may be off by more than that, and is then given on the near side.
static double upper_end(const CellSet* set, int axis) {
    const double end = cell_border(set, axis, set->size[axis]);
    const double error = cell_border_error(v3_at(set->origin, axis), end);
    const bool covered = error <= 0.5 * BI_DISTANCE_SLACK * fabs(end);
    return covered || axis >= set->dim ? end : end - error;
}

// ---- the index ---------------------------------------------------------------------------------------------

// Cells beyond the size are never looked up, so cubes need not be cut here.
static BerthStatus make_index(const CellSet* set, const BerthAllocator* allocator, CellIndex** out) {
    const size_t count = (size_t)set->cube_count;
    CellIndex* index = bi_take(allocator, 1, sizeof *index);
    SortItem* items = bi_take(allocator, 2 * count, sizeof *items);
    CodeRange* ranges = bi_take(allocator, count, sizeof *ranges);
    if (index == NULL || items == NULL || ranges == NULL || count > UINT32_MAX) {
        bi_give(allocator, index, 1, sizeof *index);
        bi_give(allocator, items, 2 * count, sizeof *items);
        bi_give(allocator, ranges, count, sizeof *ranges);
        return no_memory();
    }

    // By where they begin on the curve; ranges that follow each other become one.
    for (size_t i = 0; i < count; ++i) {
        items[i] = (SortItem){morton_code(set->dim, set->cubes[i].low), (uint32_t)i};
    }
    bi_sort_items(items, items + count, count);

    *index = (CellIndex){.allocator = *allocator,
                         .size = {set->size[0], set->size[1], set->size[2]},
                         .origin = set->origin,
                         .ranges = ranges,
                         .range_capacity = count};

    for (size_t i = 0; i < count; ++i) {
        uint64_t cells = 1;
        for (int axis = 0; axis < set->dim; ++axis) {
            cells *= (uint64_t)set->cubes[items[i].index].width;
        }

        CodeRange* last = index->range_count > 0 ? &ranges[index->range_count - 1] : NULL;
        if (last != NULL && last->end == items[i].key) {
            last->end += cells;
        } else {
            ranges[index->range_count++] = (CodeRange){items[i].key, items[i].key + cells};
        }
    }

    bi_give(allocator, items, 2 * count, sizeof *items);
    const Vec3 low = v3(cell_border(set, 0, 0), cell_border(set, 1, 0), cell_border(set, 2, 0));
    const Vec3 high = v3(upper_end(set, 0), upper_end(set, 1), upper_end(set, 2));

    index->info = (BerthCellsInfo){.dim = set->dim,
                                   .resolution = set->resolution,
                                   .low = low,
                                   .high = high,
                                   .occupied = set->occupied,
                                   .unknown = set->unknown,
                                   .unknown_is_free = set->unknown_is_free,
                                   .outside_is_free = set->outside_is_free,
                                   .unseen_is_free = set->unseen_is_free,
                                   .from_open_meshes = set->from_open_meshes};

    *out = index;
    return BERTH_OK;
}

void bi_cell_index_destroy(CellIndex* index) {
    if (index != NULL) {
        const BerthAllocator from = index->allocator;
        bi_give(&from, index->ranges, index->range_capacity, sizeof *index->ranges);
        bi_give(&from, index, 1, sizeof *index);
    }
}

size_t bi_cell_index_bytes(const CellIndex* index) {
    return index != NULL ? sizeof *index + index->range_capacity * sizeof *index->ranges : 0;
}

// ---- the mesh ----------------------------------------------------------------------------------------------

// The corners of a rectangle, seen from outside against the clock.
static void face_corners(const CellFace* face, int32_t corner[4][3]) {
    const int u = (face->axis + 1) % 3;
    const int v = (face->axis + 2) % 3;
    for (int k = 0; k < 4; ++k) {
        const int at = face->up ? k : 3 - k;
        corner[k][face->axis] = face->plane;
        corner[k][u] = at == 1 || at == 2 ? face->to : face->from;
        corner[k][v] = at >= 2 ? face->high : face->low;
    }
}

// Equal corners become one vertex. `vertex_of` has one entry a corner of each face.
static int32_t weld_corners(const CellFaces* faces, SortItem* items, int32_t* vertex_of) {
    const size_t count = 4 * (size_t)faces->stored;

    for (int32_t i = 0; i < faces->stored; ++i) {
        int32_t corner[4][3];
        face_corners(&faces->faces[i], corner);
        for (int k = 0; k < 4; ++k) {
            const uint64_t key = (uint64_t)(uint32_t)corner[k][2] << (2 * CELL_BITS) |
                                 (uint64_t)(uint32_t)corner[k][1] << CELL_BITS | (uint32_t)corner[k][0];
            items[4 * (size_t)i + (size_t)k] = (SortItem){key, 4 * (uint32_t)i + (uint32_t)k};
        }
    }

    bi_sort_items(items, items + count, count);

    int32_t vertices = 0;
    for (size_t i = 0; i < count; ++i) {
        vertices += i == 0 || items[i].key != items[i - 1].key;
        vertex_of[items[i].index] = vertices - 1;
    }
    return vertices;
}

static int32_t find_root(int32_t* parent, int32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Faces that share a corner are one piece. What touches without sharing one becomes two, which tests one point more.
static void find_components(BerthMesh* mesh, const int32_t* vertex_of, int32_t face_count, int32_t* parent) {
    for (int32_t i = 0; i < mesh->info.vertex_count; ++i) {
        parent[i] = i;
    }

    for (int32_t i = 0; i < face_count; ++i) {
        for (int k = 1; k < 4; ++k) {
            const int32_t a = find_root(parent, vertex_of[4 * (size_t)i]);
            const int32_t b = find_root(parent, vertex_of[4 * (size_t)i + (size_t)k]);
            parent[a < b ? b : a] = a < b ? a : b;
        }
    }

    for (int32_t i = 0; i < mesh->info.vertex_count; ++i) {
        parent[i] = find_root(parent, i);
    }

    // A root is the smallest of its vertices, so it is met first; ~number distinguishes it from an index.
    int32_t next = 0;
    for (int32_t i = 0; i < mesh->info.vertex_count; ++i) {
        if (parent[i] == i) {
            parent[i] = ~next++;
        } else {
            parent[i] = parent[parent[i]];
        }
    }

    for (int32_t i = 0; i < face_count; ++i) {
        const int32_t number = ~parent[vertex_of[4 * (size_t)i]];
        mesh->component[2 * (size_t)i] = mesh->component[2 * (size_t)i + 1] = number;
    }

    mesh->info.component_count = next;
}

static void fill_mesh(const CellSet* set, const CellFaces* faces, const SortItem* items,
                      const int32_t* vertex_of, BerthMesh* mesh) {
    const int32_t mask = (1 << CELL_BITS) - 1;

    for (size_t i = 0; i < 4 * (size_t)faces->stored; ++i) {
        const uint64_t key = items[i].key;
        mesh->vertices[vertex_of[items[i].index]] = v3(
            cell_border(set, 0, (int32_t)key & mask), cell_border(set, 1, (int32_t)(key >> CELL_BITS) & mask),
            cell_border(set, 2, (int32_t)(key >> (2 * CELL_BITS)) & mask));
    }

    for (int32_t i = 0; i < faces->stored; ++i) {
        const int32_t* c = vertex_of + 4 * (size_t)i;
        int32_t* t = mesh->triangles + 6 * (size_t)i;
        const int32_t corners[6] = {c[0], c[1], c[2], c[0], c[2], c[3]};
        for (int k = 0; k < 6; ++k) {
            t[k] = corners[k];
        }

        const Vec3 across = v3_sub(mesh->vertices[c[2]], mesh->vertices[c[0]]);
        const Vec3 size = v3_abs(across);
        mesh->info.area += size.x * size.y + size.y * size.z + size.z * size.x;  // one of the three is 0
    }

    mesh->info.low = mesh->info.high =
        faces->stored > 0 ? mesh->vertices[0]
                          : v3(cell_border(set, 0, 0), cell_border(set, 1, 0), cell_border(set, 2, 0));

    for (int32_t i = 0; i < mesh->info.vertex_count; ++i) {
        mesh->info.low = v3_min(mesh->info.low, mesh->vertices[i]);
        mesh->info.high = v3_max(mesh->info.high, mesh->vertices[i]);
    }
}

static BerthStatus weld_into_mesh(const CellSet* set, const CellFaces* faces, const BerthAllocator* allocator,
                                  SortItem* items, int32_t* vertex_of, BerthMesh** out) {
    BerthMesh* mesh = bi_take(allocator, 1, sizeof *mesh);
    if (mesh == NULL) {
        return no_memory();
    }

    mesh->allocator = *allocator;
    mesh->info.vertex_count = weld_corners(faces, items, vertex_of);
    mesh->info.triangle_count = 2 * faces->stored;
    mesh->info.watertight = true;

    const size_t vertex_count = (size_t)mesh->info.vertex_count;
    const size_t triangle_count = (size_t)mesh->info.triangle_count;

    mesh->vertices = bi_take(allocator, vertex_count, sizeof *mesh->vertices);
    mesh->triangles = bi_take(allocator, 3 * triangle_count, sizeof *mesh->triangles);
    mesh->component = bi_take(allocator, triangle_count, sizeof *mesh->component);
    int32_t* parent = bi_take(allocator, vertex_count, sizeof *parent);
    if (mesh->vertices == NULL || mesh->triangles == NULL || mesh->component == NULL || parent == NULL) {
        bi_give(allocator, parent, vertex_count, sizeof *parent);
        berth_mesh_destroy(mesh);
        return no_memory();
    }

    fill_mesh(set, faces, items, vertex_of, mesh);
    find_components(mesh, vertex_of, faces->stored, parent);
    bi_give(allocator, parent, vertex_count, sizeof *parent);

    *out = mesh;
    return BERTH_OK;
}

static BerthStatus make_mesh(const CellSet* set, const CellFaces* faces, const BerthAllocator* allocator,
                             BerthMesh** out) {
    const size_t corners = 4 * (size_t)faces->stored;
    SortItem* items = bi_take(allocator, 2 * corners, sizeof *items);
    int32_t* vertex_of = bi_take(allocator, corners, sizeof *vertex_of);

    const BerthStatus status = items != NULL && vertex_of != NULL
                                   ? weld_into_mesh(set, faces, allocator, items, vertex_of, out)
                                   : no_memory();

    bi_give(allocator, items, 2 * corners, sizeof *items);
    bi_give(allocator, vertex_of, corners, sizeof *vertex_of);
    return status;
}

// Whole cells, not the sum over triangles.
static double volume_of_cells(const CellSet* set) {
    double cells = 0.0;
    for (int64_t i = 0; i < set->cube_count; ++i) {
        double part = 1.0;
        for (int axis = 0; axis < set->dim; ++axis) {
            const int32_t end = set->cubes[i].low[axis] + set->cubes[i].width;
            const int32_t cut = end < set->size[axis] ? end : set->size[axis];
            part *= cut > set->cubes[i].low[axis] ? (double)(cut - set->cubes[i].low[axis]) : 0.0;
        }
        cells += part;
    }

    const double square = set->resolution * set->resolution;
    return cells * square * (set->dim == 2 ? set->height[1] - set->height[0] : set->resolution);
}

static BerthStatus make_surface(const CellSet* set, const BerthAllocator* allocator, BerthMesh** out) {
    CellFaces faces;
    BerthStatus status = bi_cell_faces(set, allocator, &faces);
    if (status == BERTH_OK && faces.count > faces.limit) {
        status = bi_fail(BERTH_ERR_CAPACITY,
                         "map: the surface of its obstacles has %lld triangles, at most %d are allowed (a "
                         "triangle takes about 600 bytes); a map of larger cells has fewer",
                         (long long)(2 * faces.count), (int)set->triangle_limit);
    }

    if (status == BERTH_OK) {
        status = make_mesh(set, &faces, allocator, out);
    }

    bi_cell_faces_free(allocator, &faces);
    return status;
}

// A distance's slack goes with the solid's extent. The origin may be further away than any obstacle, and corners are off by
// what it was rounded by, at most 4 u of it: a quarter of it more of extent is 16 u.
static double origin_share(const CellSet* set) {
    return 0.25 * v3_length(v3(set->origin.x, set->origin.y, set->dim == 3 ? set->origin.z : 0.0));
}

BerthStatus bi_solid_from_cells(const CellSet* set, const BerthAllocator* allocator, BerthSolid** out) {
    *out = NULL;
    const BerthAllocator from = bi_allocator_or_default(allocator);
    BerthMesh* mesh = NULL;
    CellIndex* index = NULL;
    BerthStatus status = check_borders(set);
    if (status == BERTH_OK) {
        status = make_surface(set, &from, &mesh);
    }
    if (status == BERTH_OK) {
        mesh->info.volume = volume_of_cells(set);
        status = make_index(set, &from, &index);
    }

    BerthSolid* solid = status == BERTH_OK ? bi_solid_new(&from) : NULL;
    if (solid == NULL) {
        berth_mesh_destroy(mesh);
        bi_cell_index_destroy(index);
        return status == BERTH_OK ? BERTH_ERR_MEMORY : status;
    }

    index->info.triangle_count = mesh->info.triangle_count;
    solid->mesh = mesh;
    solid->is_mesh = true;
    solid->closed = true;
    solid->cells = index;

    if (mesh->info.triangle_count > 0) {
        status = bi_solid_finish(solid, out);
        if (status == BERTH_OK) {
            (*out)->extent += origin_share(set);
        }
        return status;
    }

    solid->low = solid->high = solid->centre = mesh->info.low;  // nothing to build
    solid->extent = v3_length(solid->low);
    *out = solid;
    return BERTH_OK;
}

bool berth_solid_cells(const BerthSolid* solid, BerthCellsInfo* out) {
    if (solid == NULL || solid->cells == NULL) {
        return false;
    }
    if (out != NULL) {
        *out = solid->cells->info;
    }
    return true;
}
