// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A robot in a scene, in berth and in FCL, with random states: what benchmarks compare on.

#ifndef BENCH_CELL_H
#define BENCH_CELL_H

#include <berth/berth.h>

#include "check/check.h"
#include "support/fcl.h"

typedef struct Setting {
    const char* label;
    BerthScene* scene;
    BerthChecker* checker;
    PeerFclWorld* peer;
    int32_t body_parts;  // parts of robots come first in the scene
    double* states;      // count rows
    double* poses;       // count rows of 12 * body_parts
    int count;
} Setting;

/// A robot of the shared folder, and the problem whose obstacles stand around it.
typedef struct BenchPlace {
    const char *label, *urdf, *srdf, *problem;
    const char* const*
        keep;        ///< null, or how the names of those links begin that keep their geometry; ends with null
    BerthVec3 root;  ///< what of it stands at the world's origin
} BenchPlace;

enum { BENCH_PLACES = 5 };
extern const BenchPlace bench_places[BENCH_PLACES];  // some were never tuned on
extern const BenchPlace bench_pr2_arm;               // of the PR2 its right arm and its torso; not tuned on

extern int64_t bench_allocation_count;  // of checkers made here

/// Ends the program with the library's last error.
void bench_die(const char* what);
/// Ends the program for a shape that the peer has not.
PeerFcl* bench_peer(const BerthSolid* solid);
/// A committed scene in FCL: parts of robots, which come first in the scene, are its bodies (`*body_parts` of them). `known` is null, or
/// what FCL has of those parts already, by part: what is null there is made and kept.
PeerFclWorld* bench_peer_world(const BerthScene* scene, PeerFcl** known, int32_t* body_parts);
/// A robot of the shared folder among the obstacles of the first problem of that name, and `count` random states.
Setting bench_open(const BenchPlace* place, int count);
/// What a scene file or a URDF (with `srdf`, or null) holds, and `count` random states within limits.
Setting bench_open_scene(const char* label, const char* path, const char* srdf, int count);
void bench_close(Setting* s);

#endif
