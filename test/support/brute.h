// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The slow answer about a whole scene: kinematics, pair rules and gaps in long double, every part against every part,
// every triangle against every triangle. Shares no code with the product and holds its own copy of everything that was
// put into the scene. One thread at a time.
//
// A gap is a bracket, lower <= true <= upper, up to some 1e-18 of the coordinates. Overlapping bodies have
// upper <= 0 and a lower that is often -INFINITY: how deep is asked by brute_width.

#ifndef TEST_SUPPORT_BRUTE_H
#define TEST_SUPPORT_BRUTE_H

#include <berth/scene.h>

typedef long double Real;

typedef struct Lv {
    Real x, y, z;
} Lv;

typedef struct Lpose {
    Lv x, y, z, t;
} Lpose;

enum { BRUTE_MESH = BERTH_SHAPE_KIND_COUNT };

/// One solid of a body. Points are a hull's, a triangle's or a mesh's.
typedef struct BrutePart {
    int kind;  ///< BerthShapeKind or BRUTE_MESH
    BerthShape shape;
    int32_t point_count, triangle_count, piece_count;
    BerthVec3* points;
    int32_t* triangles;
    int32_t* pieces;  ///< one vertex of each connected piece of surface
    bool closed;
    Lpose body_from_part;
    // Where it is now, by brute_pose_part.
    Lpose world;
    Lv centre;
    Real radius, reach;  ///< around centre (INFINITY for half-spaces); largest coordinate
    Lv* corners;
    Lv* middles;
    Real* widths;   ///< of triangles, around their middles
    double* quick;  ///< the same for a first look: x, y, z and the width, by triangle
} BrutePart;

typedef struct BruteGap {
    Real lower, upper;
    Lv point_a, point_b;  ///< of the cores, when apart
} BruteGap;

Lv lv(Real x, Real y, Real z);
Lv lv_sub(Lv a, Lv b);
Lv lv_add(Lv a, Lv b);
Lv lv_scale(Lv a, Real s);
Real lv_dot(Lv a, Lv b);
Real lv_length(Lv a);
Lv lv_of(BerthVec3 a);
Lpose lpose_of(const BerthPose* pose);
Lpose lpose_multiply(const Lpose* a, const Lpose* b);
Lv lpose_apply(const Lpose* pose, Lv p);

/// Copies what it needs. A mesh is given by its arrays; `closed` is what the test knows about it.
BrutePart brute_shape(const BerthShape* shape);
BrutePart brute_hull(const BerthVec3* points, int32_t count);
BrutePart brute_mesh(const BerthVec3* points, int32_t point_count, const int32_t* triangles,
                     int32_t triangle_count, bool closed);
/// A solid of a robot that was read from files: its shape, or its mesh's arrays.
BrutePart brute_solid(const BerthSolid* solid);
void brute_free_part(BrutePart* part);
void brute_pose_part(BrutePart* part, const Lpose* world_from_body);

/// The signed distance of two posed parts.
BruteGap brute_gap(const BrutePart* a, const BrutePart* b);
/// Distance of a point to a posed part, 0 inside solids.
Real brute_point_gap(const BrutePart* part, Lv point);
/// How far A must move against the unit vector n to have B wholly on its other side: at least the depth, for every n.
/// Convex parts only.
Real brute_width(const BrutePart* a, const BrutePart* b, Lv n);
/// Winding number of a closed posed mesh about a point, by solid angles.
int brute_winding(const BrutePart* mesh, Lv point);

// ---- a whole scene ------------------------------------------------------------------------------------------

enum {
    BRUTE_LINKS = 14,
    BRUTE_PARTS = 8,
    BRUTE_ROBOTS = 3,
    BRUTE_OBJECTS = 10,
    BRUTE_BODIES = BRUTE_ROBOTS * BRUTE_LINKS + BRUTE_OBJECTS,
    BRUTE_NAME = 32
};

typedef struct BruteJoint {
    char name[BRUTE_NAME];
    BerthJointType type;
    int parent, child;
    Lpose parent_from_joint;
    Lv axis;
    int mimic;  ///< joint it follows, or -1
    Real multiplier, offset;
    int first_value;
} BruteJoint;

typedef struct BruteRobot {
    char name[BRUTE_NAME];
    int link_count, joint_count;
    BruteJoint joints[BRUTE_LINKS];  ///< in the order of their values
    BruteJoint base_joint;           ///< of a free base; type fixed when there is none
    Lpose base;
    double padding;
    int value_count;
    bool skip[BRUTE_LINKS][BRUTE_LINKS];  ///< pairs of links that are not checked
    Lpose links[BRUTE_LINKS];             ///< now
} BruteRobot;

typedef struct BruteBody {
    char name[2 * BRUTE_NAME];
    int robot, link;  ///< itself or what it is attached to; -1 on its own
    int object;       ///< -1 for a link
    int part_count;
    BrutePart parts[BRUTE_PARTS];
    Lpose pose;     ///< objects: in the world or in the link
    double radius;  ///< of an object: counts against everything
    int touch_count;
    int touch[4];  ///< bodies it may touch
    int index;     ///< in the berth scene
} BruteBody;

typedef struct BruteWorld {
    int robot_count, body_count, value_count;
    BruteRobot robots[BRUTE_ROBOTS];
    BruteBody bodies[BRUTE_BODIES];
    int allow_count;
    int allow[8][2];
} BruteWorld;

/// Puts every part where `values` say.
void brute_pose_world(BruteWorld* world, const double* values);
/// Sum of the angles of joints that follow others, without signs.
Real brute_followed_turns(const BruteRobot* robot, const double* values);
/// Is this pair of bodies checked, by the rules of docs/theory/scene.md?
bool brute_is_checked(const BruteWorld* world, const BruteBody* a, const BruteBody* b);
/// What is added round the two bodies against each other.
double brute_padding(const BruteWorld* world, const BruteBody* a, const BruteBody* b);
/// Of the padded bodies. The points are those of the cores.
BruteGap brute_body_gap(const BruteWorld* world, const BruteBody* a, const BruteBody* b);
/// Largest coordinate of two bodies, for tolerances.
Real brute_reach(const BruteBody* a, const BruteBody* b);
Real brute_body_point_gap(const BruteBody* body, Lv point);
void brute_free_world(BruteWorld* world);

#endif
