// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The kit that cells are made of: pieces with a share of a triangle budget, industrial arms and skinny chains of any
// budget and scale, objects and scenes.

#ifndef MODELS_KIT_H
#define MODELS_KIT_H

#include "models/surface.h"
#include "models/writer.h"

/// One closed surface of a link or an object. What it is: a turned profile, else a loft, else a tube, else a ring, else
/// a sheet, else a box.
typedef struct Piece {
    const char* owner;        ///< link or object
    const char* file;         ///< of a link's piece; an object has one file for all its pieces, OWNER.stl
    ProfilePoint profile[8];  ///< turned when profile_count > 0
    int profile_count, sides;
    BerthVec3 size;         ///< of a box
    double chamfer;         ///< of a box; 0: sharp edges
    BerthVec3 place, turn;  ///< metres and quarter turns (roll, pitch, yaw), written into the vertices
    double ring, tube;      ///< of a ring, radii; `sides` is around the tube
    Sheet sheet;            ///< when it has a thickness
    const Slice* slices;    ///< of a loft, borrowed; `sides` around it
    int slice_count;
    bool straight;      ///< a loft's sides go straight from slice to slice
    const Knot* knots;  ///< of a tube, borrowed; `sides` around it
    int knot_count;
    double weight;  ///< its share of a budget against the others'; 0 counts as 1
} Piece;

// For tables of pieces: the shapes that take more than a line.
#define LOFT(table) .slices = (table), .slice_count = (int)(sizeof(table) / sizeof(table)[0])
#define TUBE(table) .knots = (table), .knot_count = (int)(sizeof(table) / sizeof(table)[0])
#define ROLLER(r, half, edge)            \
    .profile = {{(r) - (edge), -(half)}, \
                {(r), -(half) + (edge)}, \
                {(r), (half) - (edge)},  \
                {(r) - (edge), (half)}}, \
    .profile_count = 4
#define BALL(r)                                                                                     \
    .profile = {{0.36 * (r), -0.933 * (r)}, {0.66 * (r), -0.751 * (r)}, {0.89 * (r), -0.456 * (r)}, \
                {(r), -0.05 * (r)},         {(r), 0.05 * (r)},          {0.89 * (r), 0.456 * (r)},  \
                {0.66 * (r), 0.751 * (r)},  {0.36 * (r), 0.933 * (r)}},                             \
    .profile_count = 8

/// Adds the piece with so many triangles (0: as coarse as it is described). It must be even, and enough.
void bi_piece_add(Surface* surface, const Piece* piece, int triangles);
/// Shares `total` out to `count` pieces by weight. False when that is odd or too few.
bool bi_share_triangles(const Piece* pieces, int count, int total, int* shares);
/// Writes OWNER.stl for each owner, with `total` triangles in all.
bool bi_write_objects(const char* folder, const Piece* pieces, int count, int total, double scale);

#define ARM_JOINT_COUNT 6

typedef struct ArmState {
    const char* name;
    double values[ARM_JOINT_COUNT];
} ArmState;

typedef enum ArmTool { ARM_GRIPPER, ARM_GUN } ArmTool;

/// A 6-joint industrial arm. Its forearm (third joint to wrist) is 0.62 m times `scale`.
typedef struct ArmDef {
    const char* name;  ///< of the robot; NAME.urdf and NAME.srdf
    ArmTool tool;
    int triangles;       ///< 0: as described
    int tool_triangles;  ///< of all those, on the last link, flange included; 0: its share
    double scale;
    double turn;  ///< limit of the first joint, rad, both ways; 0: 2.97
    const ArmState* states;
    int state_count;
    bool skip_wrist;  ///< forearm against flange is not checked
} ArmDef;

#define ARM_FOREARM 0.62

/// Meshes, URDF and SRDF.
bool bi_write_arm(const char* folder, const ArmDef* def);
/// The lowest point of the flange and tool, from the wrist, when the last link's x axis is pitched down by `pitch`.
BerthVec3 bi_arm_tool_lowest(const ArmDef* def, double pitch);
/// The wrist, from the base, when the upper arm is pitched by `upper` (second joint) and the forearm by `fore` (sum of
/// the second and third).
BerthVec3 bi_arm_wrist(const ArmDef* def, double upper, double fore);

/// The humanoid of paper 002, 23 joints and 16,440 triangles: meshes, humanoid.urdf, humanoid.srdf.
bool bi_write_humanoid(const char* folder);

#define CHAIN_JOINT_COUNT 20

typedef struct ChainState {
    const char* name;
    double values[CHAIN_JOINT_COUNT];
} ChainState;

/// A chain of 20 thin prisms of 16 triangles, 0.5 m each, standing straight up at zero: FILE.urdf, FILE.srdf. Joints
/// tilt about y and about x in turn.
bool bi_write_chain(const char* folder, const char* file, double radius, const ChainState* states,
                    int state_count);

typedef struct CellRobot {
    const char *name, *file;  ///< FILE.urdf and FILE.srdf
    BerthVec3 base;
    double yaw;  ///< rad
} CellRobot;

typedef struct CellObject {
    const char *name, *file;
    BerthVec3 place;
} CellObject;

/// What cell.yaml says. Robots stand in the state `start`. Object meshes come in order, pieces of one owner as one.
typedef struct Cell {
    const char* about;
    const CellRobot* robots;
    int robot_count;
    const CellObject* objects;
    int object_count;
    const Piece* pieces;
    int piece_count;
    double scale;              ///< of the robots' places
    const char* const* allow;  ///< pairs of names: allow[2 * i] and allow[2 * i + 1]
    int allow_count;
} Cell;

bool bi_write_cell(const char* folder, const Cell* cell);

#endif
