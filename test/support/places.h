// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Real arms among things, in a berth scene and in the sceptic's model at once: what planners ask about.

#ifndef TEST_SUPPORT_PLACES_H
#define TEST_SUPPORT_PLACES_H

#include "support/dense.h"

typedef enum PlaceRobot {
    PLACE_PANDA = 0,
    PLACE_UR5,
    PLACE_FANUC,
    PLACE_PR2_ARM,    ///< of the PR2 its right arm and its torso
    PLACE_ROMEO_ARM,  ///< of Romeo its right arm and its trunk
    PLACE_ROBOTS
} PlaceRobot;

typedef enum PlaceKind {
    PLACE_PROBLEM = 0,  ///< the boxes and cylinders of a MotionBenchMaker problem
    PLACE_THIN,   ///< plates and rods of 1 to 2 mm; a floor; half of them 100 m away from the world's origin
    PLACE_MAP,    ///< a map of cells, in any pose
    PLACE_CLOUD,  ///< points with a radius, and a mesh
    PLACE_HELD,   ///< an object in the hand, padding, boxes of 0.1 to 100 m
    PLACE_KINDS
} PlaceKind;

typedef struct Place {
    char label[64];
    BerthScene* scene;
    Dense* dense;
    double margin;
} Place;

extern const char* const place_robot_names[PLACE_ROBOTS];
extern const char* const place_kind_names[PLACE_KINDS];

/// False when the robot's files, or the problems, are not there. Fails the running test when the library refuses anything.
bool place_open(Place* place, PlaceRobot robot, PlaceKind kind, uint64_t seed);
void place_close(Place* place);
/// Robots are read once and kept; this ends their life.
void place_forget_robots(void);
/// A random state within limits.
void place_values(const Place* place, Random* random, double* values);
/// A random segment: from 0.02 to all of the way to another state.
void place_course(const Place* place, Random* random, Course* course);

#endif
