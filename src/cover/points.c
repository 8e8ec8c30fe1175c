// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The points of a fit: points of surface and inside that must be covered, and positions for balls - a grid,
// and the middles of the body (centres of the largest ball that touches a surface point from inside).
// Entry: bi_cover_start.

#include <float.h>
#include <string.h>

#include "cover/cover.h"

enum { PLACES_MAX = 2200, MIDDLE_STEPS = 8, SPLIT_STACK = 64 };

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
}

static bool add_point(CoverFit* fit, Vec3 at) {
    CoverPoints* points = &fit->points;
    Vec3* room = bi_arena_grow(&fit->body->arena, points->at, points->count, points->count + 1,
                               &points->capacity, sizeof *points->at);
    if (room == NULL) {
        return false;
    }
    points->at = room;
    points->at[points->count++] = at;
    return true;
}

static bool add_place(CoverFit* fit, Vec3 at, double depth) {
    CoverPlaces* places = &fit->places;
    Arena* arena = &fit->body->arena;
    Vec3* room =
        bi_arena_grow(arena, places->at, places->count, places->count + 1, &places->capacity, sizeof *room);
    if (room == NULL) {
        return false;
    }

    places->at = room;
    double* depths = bi_arena_grow(arena, places->depth, places->count, places->count + 1,
                                   &places->depth_capacity, sizeof *depths);
    if (depths == NULL) {
        return false;
    }
    places->depth = depths;

    places->at[places->count] = at;
    places->depth[places->count++] = depth;
    return true;
}

// ---- the surface ---------------------------------------------------------------------------------------------

/// Cells of space that have a point already: open addressing, at most half full.
typedef struct Seen {
    uint64_t* keys;  // 0: empty
    size_t mask, count;
    Vec3 low;
    double inverse;
} Seen;

static uint64_t cell_key(const Seen* seen, Vec3 p) {
    const uint64_t x = (uint64_t)((p.x - seen->low.x) * seen->inverse) & 0xFFFFF;
    const uint64_t y = (uint64_t)((p.y - seen->low.y) * seen->inverse) & 0xFFFFF;
    const uint64_t z = (uint64_t)((p.z - seen->low.z) * seen->inverse) & 0xFFFFF;
    return (x << 40 | y << 20 | z) + 1;
}

// True when the point's cell is new.
static bool claim_cell(Seen* seen, Vec3 p) {
    const uint64_t key = cell_key(seen, p);
    size_t at = (size_t)(key * 0x9E3779B97F4A7C15u >> 20) & seen->mask;
    while (seen->keys[at] != 0 && seen->keys[at] != key) {
        at = (at + 1) & seen->mask;
    }

    if (seen->keys[at] == key || 2 * seen->count > seen->mask) {
        return false;
    }
    seen->keys[at] = key;
    seen->count += 1;
    return true;
}

static bool sample_triangle(CoverFit* fit, const Vec3 corner[3], double edge, Seen* seen) {
    Vec3 stack[SPLIT_STACK][3];
    int32_t count = 1;
    memcpy(stack[0], corner, sizeof stack[0]);

    while (count > 0) {
        Vec3 t[3];
        memcpy(t, stack[--count], sizeof t);
        int32_t longest = 0;
        double longest_sq = -1.0;
        for (int32_t k = 0; k < 3; ++k) {
            const double sq = v3_length_sq(v3_sub(t[(k + 1) % 3], t[k]));
            if (sq > longest_sq) {
                longest_sq = sq;
                longest = k;
            }
        }

        // Small enough: its corners are points.
        if (longest_sq <= edge * edge || count + 2 > SPLIT_STACK) {
            for (int32_t k = 0; k < 3; ++k) {
                if (claim_cell(seen, t[k]) && !add_point(fit, t[k])) {
                    return false;
                }
            }
            continue;
        }

        const Vec3 a = t[longest], b = t[(longest + 1) % 3], c = t[(longest + 2) % 3];
        const Vec3 middle = v3_lerp(a, b, 0.5);
        const Vec3 first[3] = {a, middle, c}, second[3] = {middle, b, c};
        memcpy(stack[count++], first, sizeof first);
        memcpy(stack[count++], second, sizeof second);
    }
    return true;
}

static BerthStatus sample_surface(CoverFit* fit, int32_t wanted) {
    const CoverBody* body = fit->body;
    // Right triangles of this edge: about two points to each four of them.
    // Needles have length and no area: they are cut into some hundred pieces, not into as many as there are floats.
    const double edge = fmax(sqrt(2.0 * body->area / wanted), 0.1 * body->diagonal / sqrt((double)wanted));
    Seen seen = {.low = body->low, .inverse = 1.0 / fmax(0.6 * edge, 1e-5 * body->diagonal)};

    size_t size = 1024;
    while (size < 16 * (size_t)wanted) {
        size *= 2;
    }

    seen.keys = bi_arena_take(&fit->body->arena, size, sizeof *seen.keys);
    seen.mask = size - 1;
    if (seen.keys == NULL) {
        return no_memory();
    }

    for (int32_t i = 0; i < body->triangle_count; ++i) {
        if ((i & 4095) == 0 && fit->stop.asked(fit->stop.user)) {
            return bi_fail(BERTH_ERR_CANCELLED, "cover: stopped");
        }
        if (!sample_triangle(fit, body->triangles[i].point, edge, &seen)) {
            return no_memory();
        }
    }
    return BERTH_OK;
}

// ---- places --------------------------------------------------------------------------------------------------

typedef struct Grid {
    Vec3 low;
    double step;
    int32_t n[3];
} Grid;

static Grid make_grid(const CoverBody* body, int32_t cells) {
    const Vec3 size = v3_sub(body->high, body->low);
    const double least = 1e-3 * body->diagonal;
    const double volume = fmax(size.x, least) * fmax(size.y, least) * fmax(size.z, least);
    Grid grid = {.low = body->low, .step = cbrt(volume / cells)};
    grid.step = fmax(grid.step, body->diagonal / 400.0);

    const double sizes[3] = {size.x, size.y, size.z};
    double low[3];
    for (int axis = 0; axis < 3; ++axis) {
        grid.n[axis] = (int32_t)ceil(fmax(sizes[axis] / grid.step, 1.0));
        low[axis] = v3_at(body->low, axis) + 0.5 * (sizes[axis] - grid.step * (grid.n[axis] - 1));
    }

    grid.low = v3(low[0], low[1], low[2]);
    return grid;
}

static Vec3 grid_point(const Grid* grid, int32_t x, int32_t y, int32_t z) {
    return v3(grid->low.x + grid->step * x, grid->low.y + grid->step * y, grid->low.z + grid->step * z);
}

// Every second cell inside may hold a ball, every eighth is a point to cover.
static BerthStatus fill_grid(CoverFit* fit, int32_t cells) {
    const Grid grid = make_grid(fit->body, cells);
    for (int32_t x = 0; x < grid.n[0]; ++x) {
        if (fit->stop.asked(fit->stop.user)) {
            return bi_fail(BERTH_ERR_CANCELLED, "cover: stopped");
        }
        for (int32_t y = 0; y < grid.n[1]; ++y) {
            for (int32_t z = 0; z < grid.n[2]; ++z) {
                const Vec3 at = grid_point(&grid, x, y, z);
                const double depth = bi_cover_depth(fit->body, at);
                if (!(depth > 0.0)) {
                    continue;
                }

                const bool place = (x + y + z) % 2 == 0;
                const bool point = depth > 0.25 * grid.step && (x % 2 + y % 2 + z % 2) == 0;
                if ((place && !add_place(fit, at, depth)) || (point && !add_point(fit, at))) {
                    return no_memory();
                }
            }
        }
    }
    return BERTH_OK;
}

// The largest ball inside that touches the surface at `p`: it shrinks until nothing of the surface is in it.
static bool find_middle(const CoverBody* body, const CoverPart* part, Vec3 p, Vec3 inward, Vec3* out,
                        double* depth) {
    double radius = body->diagonal;

    for (int32_t step = 0; step < MIDDLE_STEPS; ++step) {
        const Vec3 centre = v3_mad(p, radius, inward);
        Vec3 nearest;
        const Vec3 local = pose_apply_back(&part->body_from_solid, centre);
        const double away = bi_cover_surface_distance(part->solid, local, radius * 1.001, &nearest);
        if (away >= radius * 0.999) {
            break;
        }

        const Vec3 other = pose_apply(&part->body_from_solid, nearest);
        const Vec3 across = v3_sub(other, p);
        const double ahead = v3_dot(across, inward);
        if (!(ahead > 1e-6 * body->diagonal)) {
            return false;  // the surface bends away at once: a corner
        }
        radius = fmin(0.999 * radius, v3_length_sq(across) / (2.0 * ahead));
    }

    *out = v3_mad(p, radius, inward);
    *depth = bi_cover_depth(body, *out);
    return *depth > 0.0;
}

static BerthStatus add_middles(CoverFit* fit, int32_t wanted) {
    const CoverBody* body = fit->body;
    double passed = 0.0;
    double total = 0.0;
    for (int32_t i = 0; i < body->triangle_count; ++i) {
        const Vec3* t = body->triangles[i].point;
        total += 0.5 * v3_length(v3_cross(v3_sub(t[1], t[0]), v3_sub(t[2], t[0])));
    }

    const double each = total / wanted;
    double next = 0.5 * each;

    for (int32_t i = 0; i < body->triangle_count; ++i) {
        const Vec3* t = body->triangles[i].point;
        const Vec3 cross = v3_cross(v3_sub(t[1], t[0]), v3_sub(t[2], t[0]));
        const double area = 0.5 * v3_length(cross);
        for (; next < passed + area; next += each) {
            if (fit->stop.asked(fit->stop.user)) {
                return bi_fail(BERTH_ERR_CANCELLED, "cover: stopped");
            }
            const Vec3 inward = v3_unit_or(v3_neg(cross), v3(0, 0, 1));
            double a = bi_random_between(&fit->random, 0.0, 1.0),
                   b = bi_random_between(&fit->random, 0.0, 1.0);
            if (a + b > 1.0) {
                a = 1.0 - a;
                b = 1.0 - b;
            }

            const Vec3 p = v3_mad(v3_mad(t[0], a, v3_sub(t[1], t[0])), b, v3_sub(t[2], t[0]));
            Vec3 middle;
            double depth;

            const CoverPart* part = &body->parts[body->part_of[i]];
            bool found = find_middle(body, part, p, inward, &middle, &depth);
            if (!found && !part->closed) {
                found = find_middle(body, part, p, v3_neg(inward), &middle, &depth);
            }

            if (!add_place(fit, found ? middle : p, found ? depth : 0.0)) {
                return no_memory();
            }
        }

        passed += area;
    }
    return BERTH_OK;
}

// Too many places make the cover slow without making it better: a random choice stays.
static void thin_places(CoverFit* fit) {
    CoverPlaces* places = &fit->places;
    while (places->count > PLACES_MAX) {
        const size_t drop = (size_t)(bi_random_next(&fit->random) % places->count);
        places->count -= 1;
        places->at[drop] = places->at[places->count];
        places->depth[drop] = places->depth[places->count];
    }
}

BerthStatus bi_cover_start(CoverBody* body, int32_t surface_points, int32_t cells, uint64_t seed,
                           CoverStop stop, CoverFit* out) {
    *out =
        (CoverFit){.body = body, .stop = stop, .random = {seed * 0x9E3779B97F4A7C15u + 0x5851F42D4C957F2Du}};
    BerthStatus status = sample_surface(out, surface_points);
    if (status == BERTH_OK && cells > 0) {
        status = fill_grid(out, cells);
    }
    if (status == BERTH_OK && cells > 0) {
        thin_places(out);
        status = add_middles(out, PLACES_MAX / 3);
    }

    out->balls = bi_arena_take(&body->arena, BI_COVER_BALLS_MAX, sizeof *out->balls);
    if (status == BERTH_OK && out->balls == NULL) {
        status = no_memory();
    }
    return status;
}
