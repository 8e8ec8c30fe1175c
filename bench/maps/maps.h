// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Environments of the sizes of paper 004, an arm of 159 balls, and how long a question takes.

#ifndef BENCH_MAPS_H
#define BENCH_MAPS_H

#include <berth/berth.h>
#include <berth/lab/field.h>

enum { MAP_ENVIRONMENTS = 5, ARM_BALLS = 159, ARM_STATES = 4 };

/// Nodes of the thesis' tree, by its memory, some 11.8 bytes a node.
int64_t map_thesis_nodes(int dim, int number);
/// Environment `number`, 1 to 5, of 2^levels cells a side: rooms, corridors, scattered obstacles, noise, a chessboard, with the thesis'
/// nodes where a side has 256 cells. Ends the program on failure.
BerthFieldBuilder* map_environment(int dim, int number, int levels);
const char* map_environment_name(int number);
/// 60 boxes in 256^3.
BerthFieldBuilder* map_sixty(void);
/// A floor, a table with a box on it, and a wall, around the arm: it hits in its first two states.
BerthFieldBuilder* map_arm_world(void);
/// The same cells with these parts; tells the seconds that it took.
BerthField* map_build(BerthFieldBuilder* builder, double* seconds);
BerthField* map_remake(const BerthField* field, uint32_t parts, double* seconds);
uint8_t* map_cells(const BerthField* field);

/// Balls in the map, x y z r each: radius between 1 and 2 cells, as in the thesis.
double* map_balls(const BerthField* field, uint64_t seed, int count);
/// models/arm159 in one of its states, covered by at most ARM_BALLS L1 balls (octahedra on the map's axes, fitted to that state), or by
/// round ones: x y z r each, cells. Returns how many; ends the program where the model is not there.
int map_arm(int state, double balls[4 * ARM_BALLS]);
int map_arm_round(int state, double balls[4 * ARM_BALLS]);
/// Another arm of that many balls, made up.
void map_random_arm(uint64_t seed, double balls[4 * ARM_BALLS]);

/// Seconds a ball: the best of three rounds over all of them.
double map_time(const BerthField* field, BerthFieldMethod method, BerthMetric metric, const double* balls,
                int count);
/// Of single balls, each asked many times in a row, as the thesis did: shares of them that took at most so long.
typedef struct MapShares {
    double p50, p99;
} MapShares;
MapShares map_shares(const BerthField* field, BerthFieldMethod method, const double* balls, int count);
/// The separator trees of the thesis' appendices, shared by all leaves (separators.h), beside the field's EODM.
typedef struct MapShared {
    double bytes, seconds;          ///< without the map's tree; of one build
    double us, eodm_us;             ///< a ball, both from a point in cells
    double planes, pieces, leaves;  ///< separators; intervals; free leaves that share them
    int wrong;                      ///< distances that differ from EODM's: must be 0
} MapShared;
MapShared map_shared(const BerthField* field, const double* balls, int count);
/// Distances differ from the tree's own search: must be 0.
int map_differences(const BerthField* field, BerthFieldMethod method, const double* balls, int count);

/// One line of CSV on standard output.
void map_row(const char* table, const char* environment, const char* what, double value, double thesis);

/// map_sixty, with 0.2 % of all cells occupied by chance.
BerthFieldBuilder* map_noisy(void);

void map_rivals(void);
void map_noise(void);
void map_updates(void);
void map_sensed(void);
/// So many balls, and so many changes, against brute force. False when any answer is wrong.
bool map_sound(int64_t balls, int64_t updates, uint64_t seed);

#endif
