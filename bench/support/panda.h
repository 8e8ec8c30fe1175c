// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The Panda of the shared folder among the obstacles of MotionBenchMaker's 700 problems: what benchmarks of planning share.

#ifndef BENCH_PANDA_H
#define BENCH_PANDA_H

#include <berth/berth.h>

typedef struct Panda {
    bool spheres;       ///< panda_spherized.urdf, its own spheres; else panda.urdf with its meshes
    BerthScene* scene;  ///< the robot, and the problem that is read
    BerthScene* empty;
    BerthLanes* like;  ///< what layouts of problems are made like
    BerthProblemLines lines;
} Panda;

Panda panda_open(bool spheres);
void panda_close(Panda* panda);
const char* panda_urdf(bool spheres);
/// Puts the objects of a problem into the scene.
void panda_read(Panda* panda, int32_t line, BerthProblem* out);
/// Takes them out again.
void panda_forget(Panda* panda, BerthProblem* problem);
/// The scene as it is now, laid out for wide registers.
BerthLanes* panda_lanes(const Panda* panda);
/// The set that a problem is of: "cage" of "cage/0001".
void panda_family(const BerthProblem* problem, char* out, int size);

#endif
