// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Small maps cell by cell, and the slow answer about them.

#include "support/grids.h"

#include <stdlib.h>
#include <string.h>

static int pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

void grid_pose_part(BrutePart* part, const BerthPose* world_from_part) {
    const BerthPose still = pose_identity();
    const Lpose world = lpose_of(world_from_part);
    part->body_from_part = lpose_of(&still);
    brute_pose_part(part, &world);
}

bool grid_blocks(const Grid* grid, int x, int y, int z) {
    const uint8_t colour = grid->colour[x][y][z];
    return colour == 1 || (colour == 2 && !grid->unknown_is_free);
}

// A box of one colour, or only its outside layer.
static void paint(Grid* grid, const int low[3], const int high[3], int colour, bool shell) {
    for (int x = low[0]; x < high[0]; ++x) {
        for (int y = low[1]; y < high[1]; ++y) {
            for (int z = low[2]; z < high[2]; ++z) {
                const bool inner = x > low[0] && x + 1 < high[0] && y > low[1] && y + 1 < high[1] &&
                                   (grid->dim == 2 || (z > low[2] && z + 1 < high[2]));
                if (!shell || !inner) {
                    grid->colour[x][y][z] = (uint8_t)colour;
                }
            }
        }
    }
}

void grid_random(Random* random, int dim, int side, double resolution, Grid* out) {
    memset(out, 0, sizeof *out);
    out->dim = dim;
    out->resolution = resolution;
    out->unknown_is_free = pick(random, 2) == 0;
    out->origin = (BerthVec3){bi_random_between(random, -0.5, 0.5), bi_random_between(random, -0.5, 0.5),
                              dim == 2 ? 0.0 : bi_random_between(random, -0.5, 0.5)};
    out->height[0] = bi_random_between(random, -0.5, 0.5);
    out->height[1] = out->height[0] + bi_random_between(random, 0.1, 1.0);
    for (int axis = 0; axis < 3; ++axis) {
        out->size[axis] = dim == 2 && axis == 2 ? 1 : 2 + pick(random, side - 1);
    }
    const int boxes = 1 + pick(random, 6);
    for (int i = 0; i < boxes; ++i) {
        int low[3], high[3];
        const int most = 1 + pick(random, side);
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = pick(random, out->size[axis]);
            high[axis] = low[axis] + 1 + pick(random, most);
            high[axis] = high[axis] < out->size[axis] ? high[axis] : out->size[axis];
        }
        const int colour = pick(random, 4);  // 3: free again
        paint(out, low, high, colour == 3 ? 0 : colour == 2 ? 2 : 1, pick(random, 3) == 0);
    }
    for (int i = pick(random, 12); i >= 0; --i) {  // dust, the last speck always
        const int x = pick(random, out->size[0]), y = pick(random, out->size[1]);
        out->colour[x][y][pick(random, out->size[2])] = 1;
    }
}

static double border(const Grid* grid, int axis, int i) {
    return grid->dim == 2 && axis == 2 ? grid->height[i]
                                       : v3_at(grid->origin, axis) + grid->resolution * (double)i;
}

void grid_open(Grid* grid, const BerthPose* world_from_map) {
    grid->boxes = calloc((size_t)GRID_SIDE * GRID_SIDE * GRID_SIDE, sizeof *grid->boxes);
    grid->box_count = 0;
    for (int x = 0; x < grid->size[0]; ++x) {
        for (int y = 0; y < grid->size[1]; ++y) {
            for (int z = 0; z < grid->size[2]; ++z) {
                if (!grid_blocks(grid, x, y, z)) {
                    continue;
                }
                const int cell[3] = {x, y, z};
                BerthVec3 corners[8];
                for (int k = 0; k < 8; ++k) {  // by its corners: a middle would be rounded
                    corners[k] = (BerthVec3){border(grid, 0, cell[0] + (k & 1)),
                                             border(grid, 1, cell[1] + (k >> 1 & 1)),
                                             border(grid, 2, cell[2] + (k >> 2 & 1))};
                }
                BrutePart* box = &grid->boxes[grid->box_count++];
                *box = brute_hull(corners, 8);
                grid_pose_part(box, world_from_map);
            }
        }
    }
}

void grid_close(Grid* grid) {
    for (int i = 0; i < grid->box_count; ++i) {
        brute_free_part(&grid->boxes[i]);
    }
    free(grid->boxes);
    grid->boxes = NULL;
    grid->box_count = 0;
}

BruteGap grid_gap(const Grid* grid, const BrutePart* part) {
    BruteGap least = {.lower = INFINITY, .upper = INFINITY};
    for (int i = 0; i < grid->box_count; ++i) {
        const BrutePart* box = &grid->boxes[i];
        const Real apart = lv_length(lv_sub(box->centre, part->centre)) - box->radius - part->radius;
        if (apart > least.upper) {
            continue;
        }
        const BruteGap gap = brute_gap(box, part);
        least.lower = gap.lower < least.lower ? gap.lower : least.lower;
        if (gap.upper < least.upper) {
            least.upper = gap.upper;
            least.point_a = gap.point_a;
            least.point_b = gap.point_b;
        }
    }
    return least;
}

// Is every cell of the cube an obstacle and not taken?
static bool whole(const Grid* grid, bool (*taken)[GRID_SIDE][GRID_SIDE], const int low[3], int width) {
    const int high = grid->dim == 2 ? 1 : low[2] + width;
    if (low[0] + width > grid->size[0] || low[1] + width > grid->size[1] || high > grid->size[2]) {
        return false;
    }
    for (int x = low[0]; x < low[0] + width; ++x) {
        for (int y = low[1]; y < low[1] + width; ++y) {
            for (int z = low[2]; z < high; ++z) {
                if (!grid_blocks(grid, x, y, z) || taken[x][y][z]) {
                    return false;
                }
            }
        }
    }
    return true;
}

int grid_cubes(const Grid* grid, CellCube* cubes) {
    static bool taken[GRID_SIDE][GRID_SIDE][GRID_SIDE];
    memset(taken, 0, sizeof taken);
    int count = 0;
    for (int width = 16; width >= 1; width /= 2) {
        for (int x = 0; x < grid->size[0]; x += width) {
            for (int y = 0; y < grid->size[1]; y += width) {
                for (int z = 0; z < grid->size[2]; z += width) {
                    const int low[3] = {x, y, z};
                    if (!whole(grid, taken, low, width)) {
                        continue;
                    }
                    const int deep = grid->dim == 2 ? 1 : width;
                    for (int k = 0; k < width * width * deep; ++k) {
                        taken[x + k % width][y + k / width % width][z + k / width / width] = true;
                    }
                    cubes[count++] = (CellCube){{x, y, z}, width};
                }
            }
        }
    }
    return count;
}

BerthSolid* grid_solid(const Grid* grid, const BerthAllocator* allocator) {
    CellCube* cubes = calloc((size_t)GRID_SIDE * GRID_SIDE * GRID_SIDE, sizeof *cubes);
    const CellSet set = {.dim = grid->dim,
                         .size = {grid->size[0], grid->size[1], grid->size[2]},
                         .resolution = grid->resolution,
                         .origin = grid->origin,
                         .height = {grid->height[0], grid->height[1]},
                         .cube_count = grid_cubes(grid, cubes),
                         .cubes = cubes,
                         .triangle_limit = 1 << 20,
                         .unknown_is_free = grid->unknown_is_free};
    BerthSolid* solid = NULL;
    bi_solid_from_cells(&set, allocator, &solid);
    free(cubes);
    return solid;
}

BerthField* grid_field(const Grid* grid) {
    BerthFieldDef def = berth_default_field_def();
    def.dim = grid->dim;
    def.resolution = grid->resolution;
    def.origin = grid->origin;
    def.unknown_is_free = grid->unknown_is_free;
    def.background = BERTH_CELL_UNKNOWN;  // beyond the size: must not count
    for (int axis = 0; axis < 3; ++axis) {
        def.size[axis] = grid->size[axis];
    }
    def.levels = berth_field_levels_for(def.dim, def.size);
    BerthFieldBuilder* builder = NULL;
    BerthField* field = NULL;
    if (berth_field_builder_create(&def, &builder) != BERTH_OK) {
        return NULL;
    }
    for (int x = 0; x < grid->size[0]; ++x) {
        for (int y = 0; y < grid->size[1]; ++y) {
            for (int z = 0; z < grid->size[2]; ++z) {
                berth_field_add_cell(builder, x, y, z, (BerthCellColour)grid->colour[x][y][z]);
            }
        }
    }
    berth_field_build(builder, &field);
    berth_field_builder_destroy(builder);
    return field;
}

BerthObjectId grid_add(const Grid* grid, BerthScene* scene, const char* name, const BerthPose* pose,
                       const char* attach, bool outside_is_free) {
    BerthObjectDef object = berth_default_object_def();
    object.name = name;
    object.pose = *pose;
    object.attach = attach;
    BerthMapDef map = berth_default_map_def();
    map.outside_is_free = outside_is_free;
    if (grid->dim == 2) {
        map.height[0] = grid->height[0];
        map.height[1] = grid->height[1];
    }
    BerthObjectId id = {0, 0};
    BerthField* field = grid_field(grid);
    berth_scene_add_map(scene, &object, field, &map, &id);
    berth_field_destroy(field);
    return id;
}
