// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Real robots among things, and FCL about the same: for segments.

#ifndef TEST_SUPPORT_CELLS_H
#define TEST_SUPPORT_CELLS_H

#include "support/segments.h"

enum { CELL_KINDS = 8, CELL_PEERS = 128, CELL_LINKS = 64 };

typedef struct PeerFcl PeerFcl;

/// A part of a body that FCL knows exactly: a mesh or a box.
typedef struct CellPeer {
    int body;
    PeerFcl* peer;
    BerthPose in_body;
    double pose[12];
} CellPeer;

/// A part of a body in the brute model.
typedef struct CellBrute {
    int body;
    BrutePart part;
} CellBrute;

typedef struct Cell {
    const char* name;
    BerthScene* scene;
    BerthRobot* robot;
    BerthChecker* checker;
    double reach;                ///< no point is farther than this from any axis
    double extent[CELL_LINKS];   ///< of a link's geometry from its origin; 0: it has none
    double step[CELL_LINKS];     ///< from its parent's origin to its own, in the default state
    CellPeer peers[CELL_PEERS];  ///< none without FCL
    int peer_count;
    CellBrute brutes[CELL_PEERS];
    int brute_count;
    double padding;
} Cell;

/// A robot among things: boards, thin rods, meshes or shapes, by `kind` (0 to CELL_KINDS - 1); a floor from 4 on, a
/// padding for some. Fails the running test when the library refuses anything.
Cell cell_open(Random* random, const char* name, BerthRobot* robot, double reach, int kind);
void cell_close(Cell* cell);
/// From a free state where there is one, `size` of the way to another one.
void cell_course(Random* random, Cell* cell, double size, Course* course);
/// No gap changes faster.
double cell_speed(const Cell* cell, const Course* course);
/// A CourseGap: a lower bound within 2 %, 0 when there is a hit.
double cell_gap(void* cell, const double* values);
/// FCL at one state: does any pair that is checked collide?
bool cell_peers_collide(Cell* cell, const double* values);
/// The smallest gap by the brute model, or `enough` when that is smaller. Pairs of two meshes are left to FCL.
double cell_brute_gap(Cell* cell, const double* values, double enough);
/// As segment_judge, by the static check.
void cell_judge(Cell* cell, const Course* course, const SegmentAsk* ask, const BerthMotionResult* r,
                const Lowest* lowest, SegmentCount* count);

#endif
