// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A scene as a sceptic samples it: real robots with their meshes, fast enough for millions of states, in plain double. What it
// takes from the scene is data: triangles, sizes, joints, which pairs are checked. Kinematics, trees and distances are its own;
// it shares no code with the product.
//
// Every part is triangles with a radius around them; round bodies are triangles inside of them (a ball is a point, a cylinder
// a prism whose edges are on it), so that what meets here meets. Boxes, prisms and cells know what is inside of them.

#ifndef TEST_SUPPORT_DENSE_H
#define TEST_SUPPORT_DENSE_H

#include <berth/scene.h>

#include "support/courses.h"

typedef struct Dense Dense;

/// A box of a map, in the map's frame.
typedef struct DenseBox {
    BerthVec3 centre, half;
} DenseBox;

/// About a committed scene, whose joints turn and slide. `margin` is taken off every gap, but
/// those between links of one robot. Fails the running test for what it does
/// not know.
Dense* dense_open(const BerthScene* scene, double margin);
void dense_close(Dense* dense);
/// The body of that name is these boxes, whatever the scene has made of them: a map by its cells.
void dense_set_boxes(Dense* dense, const char* body, const BerthPose* world_from_boxes, const DenseBox* boxes,
                     int count);
/// As if everything but the robot's own links were this much nearer: for those who look whether the sceptic sees anything.
void dense_doubt(Dense* dense, double metres);
/// A CourseGap: the smallest gap of all pairs, paddings and margin taken off, from below: at least half of it where it is positive (see
/// dense_look_closer). At most 0 where something meets. Larger gaps than dense_enough are told as that.
double dense_gap(void* dense, const double* values);
/// The same of the robot, and what it holds, against everything else.
double dense_environment_gap(void* dense, const double* values);
/// How much of a positive gap is told at least, below 1, and from where on gaps within the robot are not measured: half and 0.1 mm
/// unless told otherwise. Above 0.8 what is inside of a closed mesh is found, too.
void dense_look_closer(Dense* dense, double share, double self_enough);
/// The names of the two that were nearest in the last state.
const char* dense_nearest(const Dense* dense, int which);
/// No gap changes faster along the course.
double dense_speed(const Dense* dense, const Course* course);
#define dense_enough 0.2

/// How closely a course is looked at.
typedef struct DenseEffort {
    double clearance;  ///< is there more than this, everywhere? 0, or metres
    double finest;   ///< metres: where nothing moves more from an interval's middle it is not halved any more
    int self_depth;  ///< nor is it for a pair within the robot that was halved so often
    int budget;      ///< nor any after so many tests of two bodies
} DenseEffort;

/// What was found. `proven`: nothing else comes as near as `clearance` to the robot, at any t: by bounds of speed, not by samples.
typedef struct DenseLook {
    bool proven;
    bool self_proven;  ///< the same within the robot
    bool ended;        ///< something does, by more than rounding: at t, where the gap is at most `gap`
    bool spent;        ///< the budget was
    double t, gap;     ///< where it is least, of what was looked at; the gap from above
    int64_t states, tests;
} DenseLook;

/// Looks at a straight course as a whole: intervals that the motion from their middle cannot bridge are proven, all others are
/// halved until they are as short as `effort` says; there their middles are looked at, and it is searched around the nearest of
/// them. Ends at the first state that is too near.
DenseLook dense_look_along(Dense* dense, const Course* course, const DenseEffort* effort);
/// The least gap that is met in a state, where there is one below `far`: from above. Infinite where there is none.
double dense_nearer_than(Dense* dense, const double* values, double far);

#endif
