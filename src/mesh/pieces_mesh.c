// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Cuts closed meshes into convex pieces: a cell, at first the hull, is cut by the plane of a face that has
// surface in front of it, until the surface in each cell is convex. The surface left in a cell bounds one
// piece; if none is left, the side of the last cut decides whether the cell is inside. Points within `near`
// of a plane count as on it; errors that this may cause are detected by the volume, which must be the mesh's.
// Entries: bi_pieces_from_mesh, bi_pieces_recut.

#include <math.h>

#include "mesh/pieces.h"
#include "mesh/pieces_cut.h"

enum {
    TRIANGLES_MOST = 8192,  // of a mesh that is cut
    TRIED_MOST = 256,       // planes that are compared before a cut
    CORNERS_MOST = 64       // of a triangle that was cut again and again
};

// Pieces of a mesh have its volume within this share.
#define VOLUME_NEAR 1e-9

// Costs that differ by less are the same.
#define COST_TIE 1e-7

typedef struct Plane {
    Vec3 normal;
    double offset;
} Plane;

// What is left of a triangle in a cell.
typedef struct Facet {
    Vec3* corners;
    int32_t count;
    int32_t plane;
} Facet;

typedef struct Cell {
    ConvexPiece body;
    Facet* facets;
    int32_t count;
    bool inside;  // known once there are no facets
} Cell;

typedef struct Cutter {
    ConvexPieces* pieces;
    Plane* planes;
    int32_t plane_count;
    int32_t* seen;  // of planes: the last cell that looked at them
    Cell* stack;
    int32_t stack_count;
    size_t stack_capacity;
    int32_t most;
    bool given_up;
} Cutter;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "convex pieces: out of memory");
}

static BerthStatus push_cell(Cutter* cutter, const Cell* cell) {
    Cell* stack = bi_arena_grow(&cutter->pieces->arena, cutter->stack, (size_t)cutter->stack_count,
                                (size_t)cutter->stack_count + 1, &cutter->stack_capacity, sizeof *stack);
    if (stack == NULL) {
        return no_memory();
    }
    cutter->stack = stack;
    stack[cutter->stack_count++] = *cell;
    return BERTH_OK;
}

// The number of a plane: triangles of one plane share it.
static int32_t number_plane(Cutter* cutter, Vec3 normal, double offset) {
    const double near = cutter->pieces->near;
    for (int32_t i = 0; i < cutter->plane_count; ++i) {
        if (v3_distance(cutter->planes[i].normal, normal) <= 1e-10 &&
            fabs(cutter->planes[i].offset - offset) <= near) {
            return i;
        }
    }
    cutter->planes[cutter->plane_count] = (Plane){normal, offset};
    return cutter->plane_count++;
}

static double highest_above(const Cell* cell, const Plane* plane) {
    double high = -INFINITY;
    for (int32_t i = 0; i < cell->count; ++i) {
        for (int32_t k = 0; k < cell->facets[i].count; ++k) {
            high = fmax(high, v3_dot(plane->normal, cell->facets[i].corners[k]) - plane->offset);
        }
    }
    return high;
}

// How long the line is in which a plane cuts the surface, and how uneven the areas on its two sides are. Both are the
// surface's own, whatever triangles it has: so the same solid is always cut alike.
static double cut_cost(const Cutter* cutter, const Cell* cell, const Plane* plane) {
    const double near = cutter->pieces->near;
    double length = 0.0, uneven = 0.0, total = 0.0;

    for (int32_t i = 0; i < cell->count; ++i) {
        const Facet* facet = &cell->facets[i];
        Vec3 crossing[2] = {facet->corners[0], facet->corners[0]};
        int32_t crossings = 0;
        bool above = false, below = false;
        double along = 0.0;

        for (int32_t k = 0; k < facet->count; ++k) {
            const Vec3 from = facet->corners[k], to = facet->corners[k + 1 < facet->count ? k + 1 : 0];
            const double d = v3_dot(plane->normal, from) - plane->offset;
            const double e = v3_dot(plane->normal, to) - plane->offset;
            above = above || d > near;
            below = below || d < -near;
            along += fabs(d) <= near && fabs(e) <= near ? v3_distance(from, to) : 0.0;

            // The first crossing, and the one farthest from it: there may be corners on a straight side.
            const bool crosses = (d > near && e < -near) || (d < -near && e > near);
            if (fabs(d) <= near || crosses) {
                const Vec3 at = crosses ? v3_lerp(from, to, d / (d - e)) : from;
                crossing[0] = crossings == 0 ? at : crossing[0];
                const bool farther = v3_distance(at, crossing[0]) > v3_distance(crossing[1], crossing[0]);
                crossing[1] = crossings == 0 || farther ? at : crossing[1];
                ++crossings;
            }
        }
        length += above && below && crossings > 1 ? v3_distance(crossing[0], crossing[1]) : 0.0;
        // A side in the plane is half of a cut: the facet beyond it has the other half.
        length += above != below ? 0.5 * along : 0.0;

        // The moment of the area about the plane is as good a measure as the areas, and needs no cut.
        for (int32_t k = 1; k + 1 < facet->count; ++k) {
            const Vec3 one = v3_sub(facet->corners[k], facet->corners[0]);
            const Vec3 two = v3_sub(facet->corners[k + 1], facet->corners[0]);
            const double area = 0.5 * v3_length(v3_cross(one, two));
            const Vec3 middle = v3_mad(facet->corners[0], 1.0 / 3.0, v3_add(one, two));
            uneven += area * (v3_dot(plane->normal, middle) - plane->offset);
            total += area;
        }
    }
    const double size = cutter->pieces->near / 1e-10;
    return length / size + 0.1 * fabs(uneven) / (total * size + 1e-300);
}

// Which of two planes that are as good comes first.
static bool comes_before(const Plane* a, const Plane* b) {
    const double one[4] = {a->normal.x, a->normal.y, a->normal.z, a->offset};
    const double other[4] = {b->normal.x, b->normal.y, b->normal.z, b->offset};
    for (int i = 0; i < 4; ++i) {
        if (fabs(one[i] - other[i]) > COST_TIE) {
            return one[i] < other[i];
        }
    }
    return false;
}

// The plane that is best to cut by, or -1 when the surface in the cell is convex.
static int32_t choose_plane(Cutter* cutter, const Cell* cell, int32_t stamp) {
    int32_t best = -1, tried = 0;
    double least = INFINITY;
    for (int32_t i = 0; i < cell->count && tried < TRIED_MOST; ++i) {
        const int32_t p = cell->facets[i].plane;
        if (cutter->seen[p] == stamp) {
            continue;
        }
        cutter->seen[p] = stamp;
        if (!(highest_above(cell, &cutter->planes[p]) > cutter->pieces->near)) {
            continue;
        }

        ++tried;
        const double cost = cut_cost(cutter, cell, &cutter->planes[p]);
        const bool better = cost < least - COST_TIE;
        const bool equal = best >= 0 && fabs(cost - least) <= COST_TIE;
        if (better || (equal && comes_before(&cutter->planes[p], &cutter->planes[best]))) {
            least = cost;
            best = p;
        }
    }
    return best;
}

// The part of a facet on one side, `side` 1 below, -1 above. A facet in the plane belongs to neither.
static BerthStatus cut_facet(Cutter* cutter, const Facet* facet, const Plane* plane, double side,
                             Facet* out) {
    const double near = cutter->pieces->near;
    Vec3 corners[CORNERS_MOST + 1];
    int32_t count = 0;
    bool within = false;
    *out = (Facet){.plane = facet->plane};

    for (int32_t i = 0; i < facet->count; ++i) {
        const Vec3 from = facet->corners[i], to = facet->corners[i + 1 < facet->count ? i + 1 : 0];
        const double above = side * (v3_dot(plane->normal, from) - plane->offset);
        const double other = side * (v3_dot(plane->normal, to) - plane->offset);
        within = within || above < -near;
        if (above <= near) {
            corners[count++] = from;
        }
        if (((above > near && other < -near) || (above < -near && other > near)) && count < CORNERS_MOST) {
            corners[count++] = v3_lerp(from, to, above / (above - other));
        }
        if (count >= CORNERS_MOST) {
            cutter->given_up = true;
            return BERTH_OK;
        }
    }
    if (!within || count < 3) {
        return BERTH_OK;
    }

    out->corners = bi_arena_take(&cutter->pieces->arena, (size_t)count, sizeof *out->corners);
    if (out->corners == NULL) {
        return no_memory();
    }
    out->count = count;
    for (int32_t i = 0; i < count; ++i) {
        out->corners[i] = corners[i];
    }
    return BERTH_OK;
}

static BerthStatus push_side(Cutter* cutter, const Cell* cell, const Plane* plane, double side,
                             const ConvexPiece* body) {
    if (body->count == 0) {
        return BERTH_OK;
    }
    Cell part = {.body = *body, .inside = side > 0.0};
    part.facets = bi_arena_take(&cutter->pieces->arena, (size_t)cell->count, sizeof *part.facets);
    if (part.facets == NULL) {
        return no_memory();
    }

    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < cell->count && status == BERTH_OK; ++i) {
        Facet facet;
        status = cut_facet(cutter, &cell->facets[i], plane, side, &facet);
        if (facet.count > 0) {
            part.facets[part.count++] = facet;
        }
    }
    return status == BERTH_OK ? push_cell(cutter, &part) : status;
}

// The surface in the cell is convex: the piece is between it and the cell's own corners that are below all of its planes.
static BerthStatus add_convex(Cutter* cutter, const Cell* cell) {
    size_t most = (size_t)cell->body.count;
    for (int32_t i = 0; i < cell->count; ++i) {
        most += (size_t)cell->facets[i].count;
    }
    const BerthAllocator* memory = &cutter->pieces->arena.allocator;
    Vec3* points = bi_take(memory, most, sizeof *points);
    if (points == NULL) {
        return no_memory();
    }

    int32_t count = 0;
    for (int32_t v = 0; v < cell->body.count; ++v) {
        bool below = true;
        for (int32_t i = 0; i < cell->count && below; ++i) {
            const Plane* plane = &cutter->planes[cell->facets[i].plane];
            below = v3_dot(plane->normal, cell->body.points[v]) - plane->offset <= cutter->pieces->near;
        }
        if (below) {
            points[count++] = cell->body.points[v];
        }
    }
    for (int32_t i = 0; i < cell->count; ++i) {
        for (int32_t k = 0; k < cell->facets[i].count; ++k) {
            points[count++] = cell->facets[i].corners[k];
        }
    }

    const BerthStatus status = bi_pieces_add(cutter->pieces, points, count, 0);
    bi_give(memory, points, most, sizeof *points);
    return status;
}

static BerthStatus cut_cell(Cutter* cutter, const Cell* cell, int32_t stamp) {
    if (cell->count == 0) {
        return cell->inside ? bi_pieces_append(cutter->pieces, &cell->body) : BERTH_OK;
    }
    const int32_t chosen = choose_plane(cutter, cell, stamp);
    if (chosen < 0) {
        return add_convex(cutter, cell);
    }

    const Plane plane = cutter->planes[chosen];
    ConvexPiece below, above;
    BerthStatus status =
        bi_piece_cut(cutter->pieces, &cell->body, plane.normal, plane.offset, &below, &above);
    if (status == BERTH_OK) {
        status = push_side(cutter, cell, &plane, 1.0, &below);
    }
    return status == BERTH_OK ? push_side(cutter, cell, &plane, -1.0, &above) : status;
}

// Room for as many facets, and planes of them.
static BerthStatus take_facets(Cutter* cutter, size_t count, Cell* cell) {
    Arena* arena = &cutter->pieces->arena;
    *cell = (Cell){.count = 0};
    cell->facets = bi_arena_take(arena, count, sizeof *cell->facets);
    cutter->planes = bi_arena_take(arena, count, sizeof *cutter->planes);
    cutter->seen = bi_arena_take(arena, count, sizeof *cutter->seen);
    return cell->facets != NULL && cutter->planes != NULL && cutter->seen != NULL ? BERTH_OK : no_memory();
}

// All of the mesh: its hull, and its triangles.
static BerthStatus start_with_mesh(Cutter* cutter, const BerthMesh* mesh, Cell* cell) {
    const int32_t count = mesh->info.triangle_count;
    BerthStatus status = take_facets(cutter, (size_t)count, cell);
    Vec3* corners = bi_arena_take(&cutter->pieces->arena, 3 * (size_t)count, sizeof *corners);
    if (status != BERTH_OK || corners == NULL) {
        return no_memory();
    }

    for (int32_t t = 0; t < count; ++t) {
        Vec3* c = corners + 3 * (size_t)t;
        mesh_triangle(mesh, t, c);
        const Vec3 n = v3_cross(v3_sub(c[1], c[0]), v3_sub(c[2], c[0]));
        const double length = v3_length(n);
        if (length > 0.0) {
            const Vec3 normal = v3_scale(n, 1.0 / length);
            cell->facets[cell->count++] = (Facet){c, 3, number_plane(cutter, normal, v3_dot(normal, c[0]))};
        }
    }
    return bi_piece_make(cutter->pieces, mesh->vertices, mesh->info.vertex_count, 0, &cell->body);
}

static double total_volume(const ConvexPieces* pieces) {
    double volume = 0.0;
    for (int32_t i = 0; i < pieces->count; ++i) {
        volume += pieces->items[i].volume;
    }
    return volume;
}

// Cuts until all cells are done; false in `*done` beyond the budget, or when the pieces have not this volume.
static BerthStatus cut_all(Cutter* cutter, Cell cell, double volume, bool* done) {
    *done = false;
    BerthStatus status = BERTH_OK;
    if (cell.body.count > 0) {
        status = push_cell(cutter, &cell);
    }

    // Every cut takes one plane of the cell away; cells beyond the budget end it. Merging makes fewer pieces later.
    const int32_t cells = 16 * cutter->most;
    for (int32_t i = 1; cutter->stack_count > 0 && status == BERTH_OK && !cutter->given_up; ++i) {
        cell = cutter->stack[--cutter->stack_count];
        status = cut_cell(cutter, &cell, i);
        cutter->given_up = cutter->given_up || i > cells || cutter->pieces->count > 4 * cutter->most;
    }
    if (status != BERTH_OK || cutter->given_up ||
        !(fabs(total_volume(cutter->pieces) - volume) <= VOLUME_NEAR * volume)) {
        return status;
    }
    status = bi_pieces_merge(cutter->pieces);
    *done = status == BERTH_OK && cutter->pieces->count <= cutter->most;
    return status;
}

BerthStatus bi_pieces_from_mesh(ConvexPieces* pieces, const BerthMesh* mesh, int32_t most, bool* done) {
    *done = false;
    if (!mesh->info.watertight || mesh->info.triangle_count > TRIANGLES_MOST || !(mesh->info.volume > 0.0)) {
        return BERTH_OK;
    }
    Cutter cutter = {.pieces = pieces, .most = most};
    Cell cell;
    const BerthStatus status = start_with_mesh(&cutter, mesh, &cell);
    return status == BERTH_OK ? cut_all(&cutter, cell, mesh->info.volume, done) : status;
}

// ---- the surface of a union ------------------------------------------------------------------------------------

// A list of polygons in one plane, while covered parts are taken away.
typedef struct Patches {
    Facet* items;
    int32_t count, capacity;
} Patches;

static bool add_patch(Patches* patches, const Facet* facet) {
    if (facet->count == 0) {
        return true;
    }
    if (patches->count == patches->capacity) {
        return false;
    }
    patches->items[patches->count++] = *facet;
    return true;
}

// What of the patches a triangle of another piece, in the same plane and turned against it, does not cover.
static BerthStatus uncover(Cutter* cutter, Patches* patches, const Vec3 cover[3], Vec3 normal) {
    const int32_t before = patches->count;
    Facet* old = bi_arena_take(&cutter->pieces->arena, (size_t)before + 1, sizeof *old);
    if (old == NULL) {
        return no_memory();
    }
    for (int32_t i = 0; i < before; ++i) {
        old[i] = patches->items[i];
    }

    patches->count = 0;
    for (int32_t i = 0; i < before; ++i) {
        Facet rest = old[i];
        for (int k = 0; k < 3 && rest.count > 0; ++k) {
            const Vec3 from = cover[k], to = cover[(k + 1) % 3];
            const Vec3 side = v3_unit_or(v3_cross(v3_sub(to, from), normal), v3(0.0, 0.0, 0.0));
            const Plane plane = {side, v3_dot(side, from)};
            Facet outside, inside;
            BerthStatus status = cut_facet(cutter, &rest, &plane, -1.0, &outside);
            if (status == BERTH_OK) {
                status = cut_facet(cutter, &rest, &plane, 1.0, &inside);
            }
            if (status != BERTH_OK) {
                return status;
            }
            cutter->given_up = cutter->given_up || !add_patch(patches, &outside);
            rest = inside;
        }
    }
    return BERTH_OK;
}

static bool boxes_touch(const ConvexPiece* a, const ConvexPiece* b, double near) {
    return a->low.x <= b->high.x + near && b->low.x <= a->high.x + near && a->low.y <= b->high.y + near &&
           b->low.y <= a->high.y + near && a->low.z <= b->high.z + near && b->low.z <= a->high.z + near;
}

// The part of a triangle of piece `own` that no other piece lies against.
static BerthStatus add_outer_parts(Cutter* cutter, const ConvexPieces* from, int32_t own, int32_t face,
                                   Patches* patches) {
    const ConvexPiece* piece = &from->items[own];
    Vec3 normal;
    double offset = 0.0;
    patches->count = 0;
    if (!bi_piece_plane(piece, face, &normal, &offset)) {
        return BERTH_OK;
    }

    Vec3* corners = bi_arena_take(&cutter->pieces->arena, 3, sizeof *corners);
    if (corners == NULL) {
        return no_memory();
    }
    for (int k = 0; k < 3; ++k) {
        corners[k] = piece->points[piece->faces[3 * (size_t)face + (size_t)k]];
    }
    (void)add_patch(patches, &(Facet){corners, 3, number_plane(cutter, normal, offset)});

    const double near = cutter->pieces->near;
    for (int32_t i = 0; i < from->count && patches->count > 0; ++i) {
        const ConvexPiece* other = &from->items[i];
        if (i == own || !boxes_touch(piece, other, near)) {
            continue;
        }
        for (int32_t f = 0; f < other->face_count && patches->count > 0; ++f) {
            Vec3 against;
            double its = 0.0;
            if (!bi_piece_plane(other, f, &against, &its) || v3_dot(against, normal) > -1.0 + 1e-9 ||
                fabs(its + offset) > 4.0 * near) {
                continue;
            }
            // Counter-clockwise about `normal`, as the sides want it.
            const int32_t* c = other->faces + 3 * (size_t)f;
            const Vec3 cover[3] = {other->points[c[0]], other->points[c[2]], other->points[c[1]]};
            const BerthStatus status = uncover(cutter, patches, cover, normal);
            if (status != BERTH_OK) {
                return status;
            }
        }
    }
    return BERTH_OK;
}

BerthStatus bi_pieces_recut(ConvexPieces* out, const ConvexPieces* from, int32_t most, bool* done) {
    *done = false;
    size_t triangles = 0, points = 0;
    for (int32_t i = 0; i < from->count; ++i) {
        triangles += (size_t)from->items[i].face_count;
        points += (size_t)from->items[i].count;
    }
    if (triangles > TRIANGLES_MOST) {
        return BERTH_OK;
    }

    Cutter cutter = {.pieces = out, .most = most};
    Cell cell;
    const size_t room = 16 * triangles + 64;
    BerthStatus status = take_facets(&cutter, room, &cell);
    Patches patches = {.capacity = 4096};
    patches.items = bi_arena_take(&out->arena, 4096, sizeof *patches.items);
    Vec3* all = bi_arena_take(&out->arena, points, sizeof *all);
    if (status != BERTH_OK || patches.items == NULL || all == NULL) {
        return no_memory();
    }

    // The outer surface of all pieces, and their hull.
    int32_t count = 0;
    for (int32_t i = 0; i < from->count && status == BERTH_OK; ++i) {
        for (int32_t k = 0; k < from->items[i].count; ++k) {
            all[count++] = from->items[i].points[k];
        }
        for (int32_t f = 0; f < from->items[i].face_count && status == BERTH_OK; ++f) {
            status = add_outer_parts(&cutter, from, i, f, &patches);
            if ((size_t)(cell.count + patches.count) > room || cutter.given_up) {
                return status;
            }
            for (int32_t k = 0; k < patches.count; ++k) {
                cell.facets[cell.count++] = patches.items[k];
            }
        }
    }
    if (status == BERTH_OK) {
        status = bi_piece_make(out, all, count, 0, &cell.body);
    }
    return status == BERTH_OK ? cut_all(&cutter, cell, total_volume(from), done) : status;
}
