// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the maps are of. The thesis shows pictures of its environments; theirs is the memory, ours are the shapes.

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

// The same boxes for every size of map, as its cells see them.
static BerthFieldBuilder* boxes(int dim, int number, int levels, int count) {
    const int size = 1 << levels;
    uint64_t random = (uint64_t)(77 * dim + number);
    BerthFieldBuilder* builder = empty(dim, levels);
    for (int i = 0; i < count; ++i) {
        int low[3], wide[3];
        for (int k = 0; k < 3; ++k) {
            const double extent = 0.02 + 0.1 * share(&random), from = (1 - extent) * share(&random);
            low[k] = (int)floor(from * size);
            wide[k] = (int)fmax(1, floor((from + extent) * size) - low[k]);
        }
        add_box(builder, dim, low, wide);
    }
    return builder;
}

// So many that the tree of 256 cells a side has the nodes of the thesis'.
static int boxes_needed(int dim, int number) {
    static const double plane[4] = {64, 548, 744, 904}, space[4] = {116e3, 240e3, 368e3, 408e3};
    const double nodes = (dim == 3 ? space : plane)[number - 1] / 12;
    int count = 1;
    for (; count < 400; ++count) {
        BerthFieldBuilder* builder = boxes(dim, number, 8, count);
        const int64_t there = nodes_of(builder);
        berth_field_builder_destroy(builder);
        if ((double)there >= nodes) {
            break;
        }
    }
    return count;
}

BerthFieldBuilder* map_environment(int dim, int number, int levels) {
    return number == MAP_ENVIRONMENTS ? chessboard(dim, levels)
                                      : boxes(dim, number, levels, boxes_needed(dim, number));
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
    const double start = bench_now();
    if (berth_field_build(builder, &field) != BERTH_OK) {
        die("no field");
    }
    *seconds = bench_now() - start;
    return field;
}

BerthField* map_remake(const BerthField* field, uint32_t parts, double* seconds) {
    BerthFieldDef def = berth_default_field_def();
    def.parts = parts;
    BerthField* out = NULL;
    *seconds = INFINITY;
    for (int round = 0; round < 3; ++round) {
        berth_field_destroy(out);
        const double start = bench_now();
        if (berth_field_remake(field, &def, &out) != BERTH_OK) {
            die("no map");
        }
        *seconds = fmin(*seconds, bench_now() - start);
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

void map_arm(int state, double balls[4 * ARM_BALLS]) {
    static const double angles[ARM_STATES][7] = {{0.3, 0.9, -0.4, 1.1, 0.2, 0.7, 0},
                                                 {-0.9, 1.6, 0.5, 0.2, 0, 0.3, 0},
                                                 {0, 0.2, 0, 0.3, 0, 0.2, 0},
                                                 {2.2, -0.5, 0.8, 0.9, 1.0, -0.6, 0.4}};
    arm_at(angles[state], (double[3]){128, 128, 8}, balls);
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
