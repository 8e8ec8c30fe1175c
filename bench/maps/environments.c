// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the maps are of. The thesis shows pictures of its environments; theirs is the memory, and so the nodes, ours are the shapes.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "maps/maps.h"
#include "math/math.h"
#include "support/clock.h"

static void die(const char* what) {
    fprintf(stderr, "bench: %s: %s\n", what, berth_error_text());
    exit(2);
}

static uint64_t next_random(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int pick(uint64_t* state, int count) {
    return (int)(next_random(state) % (uint64_t)count);
}

static BerthFieldBuilder* empty(int dim, int levels) {
    BerthFieldDef def = berth_default_field_def();
    def.dim = dim;
    def.levels = levels;
    BerthFieldBuilder* builder = NULL;
    if (berth_field_builder_create(&def, &builder) != BERTH_OK) {
        die("no builder");
    }
    return builder;
}

static void add_box(BerthFieldBuilder* builder, int dim, const int low[3], const int wide[3]) {
    const int32_t from[3] = {low[0], low[1], dim == 3 ? low[2] : 0};
    const int32_t to[3] = {low[0] + wide[0], low[1] + wide[1], dim == 3 ? low[2] + wide[2] : 1};
    if (berth_field_add_box(builder, from, to, BERTH_CELL_OCCUPIED) != BERTH_OK) {
        die("no box");
    }
}

static int64_t nodes_of(BerthFieldBuilder* builder) {
    BerthField* field = NULL;
    if (berth_field_build(builder, &field) != BERTH_OK) {
        die("no field");
    }
    const int64_t count = berth_field_info(field).node_count;
    berth_field_destroy(field);
    return count;
}

static BerthFieldBuilder* chessboard(int dim, int levels) {
    BerthFieldBuilder* builder = empty(dim, levels);
    const int size = 1 << levels, cell = dim == 3 ? 8 : 32, wide[3] = {cell, cell, cell};
    for (int x = 0; x < size; x += cell) {
        for (int y = 0; y < size; y += cell) {
            for (int z = 0; z < (dim == 3 ? size : cell); z += cell) {
                if ((x / cell + y / cell + z / cell) % 2 == 0) {
                    add_box(builder, dim, (int[3]){x, y, z}, wide);
                }
            }
        }
    }
    return builder;
}

static double share(uint64_t* random) {
    return (double)next_random(random) / 2147483648.0;
}

// What the plane looks like: 8 squares of 32 cells a side. A wall that leaves one room, and corridors.
static const char* const room_picture[8] = {"....####", "....####", "....####", "....####",
                                            "........", "........", "........", "........"};
static const char* const corridor_picture[8] = {"##..###.", "##..###.", "........", "##......",
                                                "###.##..", "###.##..", "##..##.#", ".......#"};

static BerthFieldBuilder* picture(const char* const rows[8], int levels) {
    const int wide = (1 << levels) / 8;
    BerthFieldBuilder* builder = empty(2, levels);
    for (int row = 0; row < 8; ++row) {
        for (int column = 0; column < 8; ++column) {
            if (rows[row][column] == '#') {
                add_box(builder, 2, (int[3]){column * wide, (7 - row) * wide, 0}, (int[3]){wide, wide, 1});
            }
        }
    }
    return builder;
}

// So many squares of `wide` cells, on multiples of that.
static BerthFieldBuilder* squares(int levels, int wide, uint64_t seed, int count) {
    uint64_t random = seed * 977;
    BerthFieldBuilder* builder = empty(2, levels);
    const int places = (1 << levels) / wide;
    for (int i = 0; i < count; ++i) {
        const int x = pick(&random, places), y = pick(&random, places);
        add_box(builder, 2, (int[3]){x * wide, y * wide, 0}, (int[3]){wide, wide, 1});
    }
    return builder;
}

// The first throw of a few squares whose tree has exactly so many nodes.
static BerthFieldBuilder* squares_with_nodes(int levels, int wide, int64_t nodes) {
    for (uint64_t seed = 1; seed < 2000; ++seed) {
        for (int count = 2; count < 12; ++count) {
            BerthFieldBuilder* builder = squares(levels, wide, seed, count);
            const int64_t there = nodes_of(builder);
            if (there == nodes) {
                return builder;
            }
            berth_field_builder_destroy(builder);
            if (there > nodes) {
                break;
            }
        }
    }
    die("no squares with so many nodes");
    return NULL;
}

static BerthFieldBuilder* plane_environment(int number, int levels) {
    switch (number) {
    case 1:
        return picture(room_picture, levels);
    case 2:
        return picture(corridor_picture, levels);
    case 3:
        return squares_with_nodes(levels, 16, 61);
    case 4:
        return squares_with_nodes(levels, 1, 77);
    default:
        return chessboard(2, levels);
    }
}

// ---- space -------------------------------------------------------------------------------------------------------

// A box of shares of the map, as its cells see it: the same for every size of map.
static void add_share(BerthFieldBuilder* builder, int levels, const double low[3], const double high[3],
                      BerthCellColour colour) {
    const int size = 1 << levels;
    int32_t from[3], to[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = (int32_t)floor(fmax(low[k], 0.0) * size);
        to[k] = (int32_t)fmin(fmax(floor(high[k] * size), from[k] + 1), size);
    }
    if (berth_field_add_box(builder, from, to, colour) != BERTH_OK) {
        die("no box");
    }
}

// On multiples of 4 of 256 cells.
static double snapped(double at) {
    return floor(64.0 * at) / 64.0;
}

// Two storeys of three by three rooms with doors, and furniture: boxes that stand on the floor.
static BerthFieldBuilder* rooms(int levels, int count) {
    const double wall = 16.0 / 256, storey = 0.5;
    uint64_t random = 31;
    BerthFieldBuilder* builder = empty(3, levels);
    for (int floor_number = 0; floor_number < 2; ++floor_number) {
        const double z = floor_number * storey;
        add_share(builder, levels, (double[3]){0, 0, z}, (double[3]){1, 1, z + wall}, BERTH_CELL_OCCUPIED);
    }
    for (int axis = 0; axis < 2; ++axis) {
        for (int k = 1; k < 3; ++k) {
            double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
            low[axis] = k * 80.0 / 256;
            high[axis] = low[axis] + wall;
            add_share(builder, levels, low, high, BERTH_CELL_OCCUPIED);
        }
    }
    for (int axis = 0; axis < 2; ++axis) {  // a door from each room to the next
        for (int door = 0; door < 12; ++door) {
            double low[3], high[3];
            low[axis] = (1 + door % 2) * 80.0 / 256;
            high[axis] = low[axis] + wall;
            low[1 - axis] = (door / 2 % 3 * 96 + 16) / 256.0;
            high[1 - axis] = low[1 - axis] + 32.0 / 256;
            low[2] = door / 6 * storey + wall;
            high[2] = low[2] + 48.0 / 256;
            add_share(builder, levels, low, high, BERTH_CELL_FREE);
        }
    }
    for (int i = 0; i < count; ++i) {
        const double z = pick(&random, 2) * storey + wall, x = snapped(0.9 * share(&random));
        const double y = snapped(0.9 * share(&random));
        const double wide = snapped(0.03 + 0.06 * share(&random)),
                     deep = snapped(0.03 + 0.06 * share(&random));
        add_share(builder, levels, (double[3]){x, y, z},
                  (double[3]){x + wide, y + deep, z + snapped(0.03 + 0.12 * share(&random))},
                  BERTH_CELL_OCCUPIED);
    }
    return builder;
}

// Rock with corridors through it, along x, y or z, from one side to the other or half of the way.
static BerthFieldBuilder* corridors(int levels, int count) {
    uint64_t random = 32;
    BerthFieldBuilder* builder = empty(3, levels);
    add_share(builder, levels, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, BERTH_CELL_OCCUPIED);
    for (int i = 0; i < count; ++i) {
        const int along = pick(&random, 3);
        double low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            const double wide = snapped(0.05 + 0.05 * share(&random));
            low[k] = snapped((1 - wide) * share(&random));
            high[k] = low[k] + wide;
        }
        low[along] = i % 3 == 0 ? snapped(0.5 * share(&random)) : 0;
        high[along] = i % 3 == 1 ? 0.5 + snapped(0.5 * share(&random)) : 1;
        add_share(builder, levels, low, high, BERTH_CELL_FREE);
    }
    return builder;
}

static BerthFieldBuilder* scattered(int levels, int count) {
    uint64_t random = 33;
    BerthFieldBuilder* builder = empty(3, levels);
    for (int i = 0; i < count; ++i) {
        double low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            const double extent = 0.01 + 0.06 * share(&random);
            low[k] = (1 - extent) * share(&random);
            high[k] = low[k] + extent;
        }
        add_share(builder, levels, low, high, BERTH_CELL_OCCUPIED);
    }
    return builder;
}

// Single cells.
static BerthFieldBuilder* noise(int levels, int count) {
    uint64_t random = 34;
    BerthFieldBuilder* builder = empty(3, levels);
    for (int i = 0; i < count; ++i) {
        const int size = 1 << levels;
        add_box(builder, 3, (int[3]){pick(&random, size), pick(&random, size), pick(&random, size)},
                (int[3]){1, 1, 1});
    }
    return builder;
}

// So many things that the tree of 256 cells a side has the nodes of the thesis'; at least so many.
static int things_needed(int number) {
    static BerthFieldBuilder* (*const makers[4])(int, int) = {rooms, corridors, scattered, noise};
    const int64_t nodes = map_thesis_nodes(3, number);
    int low = 0, high = 1;
    for (bool found = false; !found;) {  // twice as many until they are enough, then by halves
        BerthFieldBuilder* builder = makers[number - 1](8, high);
        found = nodes_of(builder) >= nodes;
        berth_field_builder_destroy(builder);
        low = found ? low : high;
        high = found ? high : 2 * high;
    }
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        BerthFieldBuilder* builder = makers[number - 1](8, middle);
        *(nodes_of(builder) >= nodes ? &high : &low) = middle;
        berth_field_builder_destroy(builder);
    }
    return high;
}

int64_t map_thesis_nodes(int dim, int number) {
    static const double plane[MAP_ENVIRONMENTS] = {64, 548, 744, 904, 996},
                        space[MAP_ENVIRONMENTS] = {116e3, 240e3, 368e3, 408e3, 444e3};
    // 996 and 444 kB are 85 and 37,449 nodes.
    const double bytes = (dim == 3 ? space : plane)[(unsigned)(number - 1) % MAP_ENVIRONMENTS];
    return (int64_t)(bytes / 11.8);
}

BerthFieldBuilder* map_environment(int dim, int number, int levels) {
    static BerthFieldBuilder* (*const makers[4])(int, int) = {rooms, corridors, scattered, noise};
    if (dim == 2) {
        return plane_environment(number, levels);
    }
    return number == MAP_ENVIRONMENTS ? chessboard(dim, levels)
                                      : makers[number - 1](levels, things_needed(number));
}

const char* map_environment_name(int number) {
    static const char* const names[MAP_ENVIRONMENTS] = {"rooms", "corridors", "scattered", "noise", "chess"};
    return names[number - 1];
}

BerthFieldBuilder* map_sixty(void) {
    uint64_t random = 60;
    BerthFieldBuilder* builder = empty(3, 8);
    for (int i = 0; i < 60; ++i) {
        int low[3], wide[3];
        for (int k = 0; k < 3; ++k) {
            wide[k] = 8 + pick(&random, 33);
            low[k] = pick(&random, 256 - wide[k]);
        }
        add_box(builder, 3, low, wide);
    }
    return builder;
}

BerthFieldBuilder* map_arm_world(void) {
    BerthFieldBuilder* builder = empty(3, 8);
    add_box(builder, 3, (int[3]){0, 0, 0}, (int[3]){256, 256, 1});
    add_box(builder, 3, (int[3]){150, 45, 1}, (int[3]){90, 115, 36});
    add_box(builder, 3, (int[3]){40, 40, 1}, (int[3]){20, 180, 120});
    add_box(builder, 3, (int[3]){180, 70, 37}, (int[3]){23, 30, 21});
    return builder;
}

BerthField* map_build(BerthFieldBuilder* builder, double* seconds) {
    BerthField* field = NULL;
    const double start = bench_thread_now();
    if (berth_field_build(builder, &field) != BERTH_OK) {
        die("no field");
    }
    *seconds = bench_thread_now() - start;
    return field;
}

BerthField* map_remake(const BerthField* field, uint32_t parts, double* seconds) {
    BerthFieldDef def = berth_default_field_def();
    def.parts = parts;
    BerthField* out = NULL;
    *seconds = INFINITY;
    for (int round = 0; round < 3; ++round) {
        berth_field_destroy(out);
        const double start = bench_thread_now();
        if (berth_field_remake(field, &def, &out) != BERTH_OK) {
            die("no map");
        }
        *seconds = fmin(*seconds, bench_thread_now() - start);
    }
    return out;
}

uint8_t* map_cells(const BerthField* field) {
    const BerthFieldInfo info = berth_field_info(field);
    const int64_t n = info.size[0];
    uint8_t* cells = calloc((size_t)(n * n * n), 1);
    if (cells == NULL) {
        die("no memory");
    }
    const int32_t low[3] = {0, 0, 0};
    const int64_t stride[3] = {n * n, n, 1};
    berth_field_read_block(field, low, info.size, stride, cells);
    return cells;
}

double* map_balls(const BerthField* field, uint64_t seed, int count) {
    const BerthFieldInfo info = berth_field_info(field);
    double* balls = calloc((size_t)count * 4, sizeof *balls);
    uint64_t random = seed;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            balls[4 * i + k] =
                k < info.dim ? info.size[k] * (double)next_random(&random) / 2147483648.0 : 0.0;
        }
        balls[4 * i + 3] = 1 + (double)next_random(&random) / 2147483648.0;
    }
    return balls;
}

// Seven joints, turning about z, y, z, y, z, y, z; links along their own z; 22 or 23 balls a link.
static void arm_at(const double angles[7], const double base[3], double balls[4 * ARM_BALLS]) {
    static const double length[7] = {26, 24, 22, 20, 16, 12, 10}, radius[7] = {6, 6, 5, 5, 4, 4, 3};
    double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};  // columns of the link's frame
    double at[3] = {base[0], base[1], base[2]};
    int n = 0;
    for (int link = 0; link < 7; ++link) {
        const double c = cos(angles[link]), s = sin(angles[link]);
        double turned[3][3];
        for (int k = 0; k < 3; ++k) {
            if (link % 2 == 0) {
                turned[0][k] = c * axes[0][k] + s * axes[1][k];
                turned[1][k] = c * axes[1][k] - s * axes[0][k];
                turned[2][k] = axes[2][k];
            } else {
                turned[0][k] = c * axes[0][k] - s * axes[2][k];
                turned[1][k] = axes[1][k];
                turned[2][k] = c * axes[2][k] + s * axes[0][k];
            }
        }
        const int count = link < 5 ? 23 : 22;
        for (int i = 0; i < count; ++i, ++n) {
            for (int k = 0; k < 3; ++k) {
                balls[4 * n + k] = at[k] + length[link] * (i + 0.5) / count * turned[2][k];
            }
            balls[4 * n + 3] = radius[link];
        }
        for (int k = 0; k < 3; ++k) {
            at[k] += length[link] * turned[2][k];
            for (int a = 0; a < 3; ++a) {
                axes[a][k] = turned[a][k];
            }
        }
    }
}

// Anywhere, its balls cut to the map.
void map_random_arm(uint64_t seed, double balls[4 * ARM_BALLS]) {
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
    double angles[7], base[3];
    (void)next_random(&random);
    for (int k = 0; k < 7; ++k) {
        angles[k] = 5 * share(&random) - 2.5;
    }
    for (int k = 0; k < 3; ++k) {
        base[k] = 50 + 156 * share(&random);
    }
    arm_at(angles, base, balls);
    for (int i = 0; i < ARM_BALLS; ++i) {
        for (int k = 0; k < 3; ++k) {
            balls[4 * i + k] = fmin(fmax(balls[4 * i + k], 1), 255);
        }
    }
}
