// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Models: robots and cells made by code, shared by tests, bench, examples and the demo. The same bytes on every
// machine and compiler: numbers come from plain arithmetic and the library's own sine.

#ifndef MODELS_MODELS_H
#define MODELS_MODELS_H

#include <stdbool.h>

/// One model: a folder with a URDF, maybe an SRDF and meshes, and the scene `cell.yaml`.
typedef struct Model {
    const char* name;
    const char* about;
    bool (*write)(const char* folder);  ///< into a folder that exists; false when a file could not be written
} Model;

extern const Model bi_models[];
extern const int bi_model_count;

/// Makes `parent`/NAME and writes the model into it, file by file, each beside its place and then renamed.
bool bi_model_write(const Model* model, const char* parent);

/// Two 7-joint arms of capsules and a workspace of boxes, 35 primitives: the cell of Shaffer & Herb.
/// Also testbed.yaml, the same with the paper's times, and its three tasks.
bool bi_write_two_arms(const char* folder);
/// task1.csv, task2.csv, task3.csv: joint angles of every cycle of the paper's tasks.
bool bi_write_testbed_tasks(const char* folder);
/// A 6-joint industrial arm of closed meshes in a fenced cell.
bool bi_write_arm6(const char* folder);
/// A 4-joint arm and every kind of primitive; no mesh, no SRDF.
bool bi_write_room(const char* folder);

// The environments of paper 001 (Schwarzer, Saha, Latombe), with its counts of triangles and its scales (Table II);
// each has free states `start` and `goal`.
bool bi_write_tori(const char* folder);        ///< Figure 1a
bool bi_write_cage6(const char* folder);       ///< Figure 11a
bool bi_write_cage6_gun(const char* folder);   ///< Figure 11b
bool bi_write_lattice20(const char* folder);   ///< Figure 11c
bool bi_write_machine(const char* folder);     ///< Figure 12a
bool bi_write_workshop(const char* folder);    ///< Figure 12b
bool bi_write_car6(const char* folder);        ///< Figure 12c
bool bi_write_car6_small(const char* folder);  ///< Figure 12d
bool bi_write_graze_a(const char* folder);     ///< Figure 14a, clearance GRAZE_ZETA
bool bi_write_graze_b(const char* folder);     ///< Figure 14b
bool bi_write_graze_c(const char* folder);     ///< Figure 14c

// Paper 002 (Steinbach, Kuffner, Asfour, Dillmann): a humanoid, alone and in a kitchen; the state `start` is free.
bool bi_write_humanoid23(const char* folder);  ///< Figure 1
bool bi_write_kitchen(const char* folder);     ///< Figure 8
bool bi_write_flight(
    const char* folder);  ///< flight.txt: what a depth camera sees in the kitchen that is there

// Thesis 004 (Amezquita): the arm of table 4.5, states `state1` to `state4`, of which two collide.
bool bi_write_arm159(const char* folder);

// Paper 003 (Tzafestas, Coiffet): `berth contact`.
bool bi_write_touch(const char* folder);  ///< Figures 2 and 3: the five objects and a follower; hand.csv
bool bi_write_touch_parts(const char* folder);  ///< two parts of 64 convex pieces each
bool bi_write_touch_mug(const char* folder);    ///< a hollow mug with an ear

/// Figure 11c with nine linkages, each through holes of its own; their state `start` is free.
bool bi_write_lattice9(const char* folder);

/// What the tool passes over.
typedef enum GrazeCase { GRAZE_FLOOR, GRAZE_WIDE_BOX, GRAZE_NARROW_BOX } GrazeCase;

#define GRAZE_ZETA 1e-3

/// Figure 14 with any clearance `zeta`, 1e-6 to 0.3 m; `path.csv` is a whole turn at that clearance (1 % more).
bool bi_write_graze(const char* folder, GrazeCase which, double zeta);

#endif
