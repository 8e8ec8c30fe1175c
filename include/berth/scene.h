// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Scene: robots, objects, attachments and the pairs that may touch. Edited between queries, constant during one.

#ifndef BERTH_SCENE_H
#define BERTH_SCENE_H

#include <berth/field.h>
#include <berth/robot.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Robots, objects and what may touch. Edited between queries, constant during one.
typedef struct BerthScene BerthScene;

/// An object of a scene. All zero means none. `age` grows when a slot is reused, so an old id is caught.
typedef struct BerthObjectId {
    uint32_t slot;  ///< which object: its place in the list
    uint32_t age;   ///< which life of that slot
} BerthObjectId;

/// Start from berth_default_scene_robot_def().
typedef struct BerthSceneRobotDef {
    const char* name;   ///< null or "" only when it is to be the only robot
    BerthRobot* robot;  ///< built; constant
    bool own;           ///< the scene destroys the robot; else it is borrowed until the scene is destroyed
    BerthPose world_from_base;  ///< where its root link is
    const double* values;       ///< state; null: the robot's default values
    double padding;             ///< metres >= 0, against everything but the robot itself
    uint32_t stamp;             ///< set by the default function; ties the def to this library version
} BerthSceneRobotDef;

/// Start from berth_default_object_def().
typedef struct BerthObjectDef {
    const char* name;             ///< unique in the scene; copied
    BerthSolid* solid;            ///< taken by the scene, also on failure
    BerthPose pose;               ///< in the world; in the link's frame when attached
    BerthPose object_from_solid;  ///< where the solid is on the object; more parts: berth_scene_add_part
    const char* attach;           ///< null, or the link it moves with: "link" or "robot/link"
    const char* const* touch;     ///< names of bodies it may touch
    int32_t touch_count;          ///< of `touch`
    double radius;       ///< metres >= 0 around all of it, against everything: of the points of a cloud
    double mass;         ///< kg; 0: not given. For contact and for buffers of a loaded arm
    bool moving;         ///< may move on its own, at most at
    double speed;        ///< metres per second
    bool person;         ///< protective separation applies, with
    double intrusion;    ///< metres that a person may reach in before being detected
    double uncertainty;  ///< metres that its position may be off
    const char* source;  ///< for reports: a file name, or "box"
    uint32_t stamp;      ///< set by the default function; ties the def to this library version
} BerthObjectDef;

/// How fast one joint may go and change its speed; 0: not given, the URDF's (velocity) or unknown.
typedef struct BerthJointLimit {
    double velocity;      ///< radian or metre per second
    double acceleration;  ///< per second squared
    double deceleration;  ///< per second squared
} BerthJointLimit;

/// What the monitor needs to know about its surroundings. Seconds and metres.
typedef struct BerthSafety {
    double period;    ///< of its cycle, > 0
    double latency;   ///< age of a message when it arrives, at most
    double reaction;  ///< from a stop being asked to braking, at most
    double silence;   ///< longest time without a message, > 0
    double margin;    ///< distance that must remain
    /// After a stop for nearness there is a permit again when everything is so many metres further apart than it must be
    double hysteresis;
    double noise;  ///< radian, and metre of what slides, that a told position may be off because of noise
    double
        drift;  ///< seconds a second that a sender's clock may run slower or faster; 0: as the monitor's def has it
} BerthSafety;

/// Square metres that one point stands for, where only one of `stiffness` and `foundation` is given.
#define BERTH_MATERIAL_PATCH 1e-3

/// How a surface answers touch.
typedef struct BerthMaterial {
    double stiffness;  ///< N/m of a point; 0: the foundation under BERTH_MATERIAL_PATCH of surface
    double
        damping;  ///< N s/m; of a point, or of the whole surface of two bodies where the foundation is used
    double viscosity;   ///< N s/m, along the surface; of what damping is of
    double friction;    ///< coefficient
    double foundation;  ///< N/m3: pressure over depth; 0: the stiffness over BERTH_MATERIAL_PATCH of surface
} BerthMaterial;

/// How a map becomes an object. Start from berth_default_map_def().
typedef struct BerthMapDef {
    /// Of a map of the plane: from where to where its walls reach, metres. Must be given there; NaN, the default, in
    /// space
    double height[2];
    /// False (the default): everything outside of the map's size is an obstacle. True: nothing there is, which is an entry
    /// in what is assumed; maps that move or are held need it.
    bool outside_is_free;
    /// What BerthMapFacts (io.h) says of where the map is from, each an entry in what is assumed: nothing says that
    /// what is not occupied is free (background_taken_free); and open meshes, of which only the surface is occupied.
    bool unseen_is_free;
    bool from_open_meshes;   ///< see above
    int32_t triangle_limit;  ///< more triangles of surface are an error that says how many. Default 4,000,000
    BerthAllocator allocator;  ///< of the solid; all zero: the C library's heap
    uint32_t stamp;            ///< set by the default function; ties the def to this library version
} BerthMapDef;

/// The def to start from: at the origin, default values, no padding, borrowed.
BERTH_API BerthSceneRobotDef berth_default_scene_robot_def(void);
/// The def to start from: at the origin, not attached, standing still.
BERTH_API BerthObjectDef berth_default_object_def(void);
/// The def to start from: no heights, the outside is an obstacle, at most 4,000,000 triangles.
BERTH_API BerthMapDef berth_default_map_def(void);

/// An empty scene.
BERTH_API BerthStatus berth_scene_create(const BerthAllocator* allocator, BerthScene** out);
/// Frees a scene and the robots that it owns; null is fine.
BERTH_API void berth_scene_destroy(BerthScene* scene);
/// Adds a robot; `index` may be null. On failure the robot still belongs to the caller, whatever `own` says.
BERTH_API BerthStatus berth_scene_add_robot(BerthScene* scene, const BerthSceneRobotDef* def, int32_t* index);
/// Adds an object, whose name is that of no other object and of no link of the robots that are there. Takes its solid, also
/// on failure. `id` may be null.
BERTH_API BerthStatus berth_scene_add_object(BerthScene* scene, const BerthObjectDef* def, BerthObjectId* id);
// Objects in one call: sizes in metres, a pose in the world (null: at the origin), `id` may be null. They stand still
// and may touch nothing; everything else goes through berth_scene_add_object. Commit after the last one.

/// A box by its full sizes, centred at its pose.
BERTH_API BerthStatus berth_scene_add_box(BerthScene* scene, const char* name, BerthVec3 size,
                                          const BerthPose* world_from_box, BerthObjectId* id);
/// A ball.
BERTH_API BerthStatus berth_scene_add_sphere(BerthScene* scene, const char* name, double radius,
                                             BerthVec3 centre, BerthObjectId* id);
/// A capsule along its z axis; `length` is between the centres of its two round ends.
BERTH_API BerthStatus berth_scene_add_capsule(BerthScene* scene, const char* name, double radius,
                                              double length, const BerthPose* world_from_capsule,
                                              BerthObjectId* id);
/// A cylinder along its z axis.
BERTH_API BerthStatus berth_scene_add_cylinder(BerthScene* scene, const char* name, double radius,
                                               double length, const BerthPose* world_from_cylinder,
                                               BerthObjectId* id);
/// A cone along its z axis, centred, with its tip at +z.
BERTH_API BerthStatus berth_scene_add_cone(BerthScene* scene, const char* name, double radius, double length,
                                           const BerthPose* world_from_cone, BerthObjectId* id);
/// Solid where normal . x <= offset: a floor is {0, 0, 1} and its height.
BERTH_API BerthStatus berth_scene_add_halfspace(BerthScene* scene, const char* name, BerthVec3 normal,
                                                double offset, BerthObjectId* id);
/// A mesh, solid when it is watertight. Takes the mesh, also on failure.
BERTH_API BerthStatus berth_scene_add_mesh(BerthScene* scene, const char* name, BerthMesh* mesh,
                                           const BerthPose* world_from_mesh, BerthObjectId* id);
/// Points that a sensor saw, each with a radius >= 0; copied.
BERTH_API BerthStatus berth_scene_add_points(BerthScene* scene, const char* name, const BerthVec3* points,
                                             int32_t count, double radius, const BerthPose* world_from_points,
                                             BerthObjectId* id);

/// The obstacles of a map as a solid: occupied cells, unknown ones too unless the field takes them as free. Its
/// surface, merged into rectangles, is exact; what is inside is asked of the cells. Nothing of the field is kept. When
/// no cell is an obstacle the solid is empty: the object is there, but there is no body of it.
BERTH_API BerthStatus berth_solid_from_field(const BerthField* field, const BerthMapDef* def,
                                             BerthSolid** out);
/// An object of that solid, and half-spaces around it where the outside is no free space. `object` has everything but
/// its solid, which must be null. `id` may be null.
BERTH_API BerthStatus berth_scene_add_map(BerthScene* scene, const BerthObjectDef* object,
                                          const BerthField* field, const BerthMapDef* map, BerthObjectId* id);
/// The object, which is a map, gets the obstacles of another one, or of its own after berth_field_update; its id, name, place and what it may
/// touch stay. `map` counts as in berth_scene_add_map. On failure it is as before. Commit, and make checkers anew.
BERTH_API BerthStatus berth_scene_set_map(BerthScene* scene, BerthObjectId id, const BerthField* field,
                                          const BerthMapDef* map);
/// One more solid that belongs to the object and moves with it. Takes the solid, also on failure.
BERTH_API BerthStatus berth_scene_add_part(BerthScene* scene, BerthObjectId id,
                                           const BerthPose* object_from_solid, BerthSolid* solid);
/// Takes an object out; its id is stale from then on.
BERTH_API BerthStatus berth_scene_remove_object(BerthScene* scene, BerthObjectId id);
/// In the world, or in the link's frame when attached.
BERTH_API BerthStatus berth_scene_set_object_pose(BerthScene* scene, BerthObjectId id, const BerthPose* pose);
/// The object moves with that link from now on ("link" or "robot/link"). Objects that are `moving` or a `person` are
/// refused.
BERTH_API BerthStatus berth_scene_attach(BerthScene* scene, BerthObjectId id, const char* link,
                                         const BerthPose* link_from_object);
/// It stays at `world_from_object`, and its touch list is emptied: what a gripper may touch while it holds, it may not
/// touch afterwards. An error when it is not attached.
BERTH_API BerthStatus berth_scene_detach(BerthScene* scene, BerthObjectId id,
                                         const BerthPose* world_from_object);
/// Two bodies that may touch, by name. Both must be in the scene already.
BERTH_API BerthStatus berth_scene_allow(BerthScene* scene, const char* body_a, const char* body_b);
/// One more body that this object may touch, by name. It may already touch the link it is attached to.
BERTH_API BerthStatus berth_scene_touch(BerthScene* scene, BerthObjectId id, const char* body);
/// Moves a robot's base.
BERTH_API BerthStatus berth_scene_set_base(BerthScene* scene, int32_t robot,
                                           const BerthPose* world_from_base);
/// The scene's own state; `values` for all robots, in order. No commit is needed.
BERTH_API BerthStatus berth_scene_set_values(BerthScene* scene, const double* values);
/// For the monitor and for contact: kept, not used by checks. No commit is needed.
BERTH_API BerthStatus berth_scene_set_joint_limit(BerthScene* scene, int32_t robot, int32_t joint,
                                                  const BerthJointLimit* limit);
/// What the monitor needs to know; kept, not used by checks. No commit is needed.
BERTH_API BerthStatus berth_scene_set_safety(BerthScene* scene, const BerthSafety* safety);
/// How a surface answers touch; "default", a body's name, or "a+b" for a pair. The stiffness must be > 0, the others
/// >= 0. No commit is needed.
BERTH_API BerthStatus berth_scene_set_material(BerthScene* scene, const char* name,
                                               const BerthMaterial* material);
/// Builds the list of bodies and pairs. Needed after every edit that does not say otherwise, before a checker is made.
/// Makes checkers stale that were made before.
BERTH_API BerthStatus berth_scene_commit(BerthScene* scene);

/// Robots of the scene.
BERTH_API int32_t berth_scene_robot_count(const BerthScene* scene);
/// A robot, its name and where its base is (both may be null). Null for a number that is none.
BERTH_API const BerthRobot* berth_scene_robot(const BerthScene* scene, int32_t robot, const char** name,
                                              BerthPose* world_from_base);
/// Metres that are added around this robot.
BERTH_API double berth_scene_padding(const BerthScene* scene, int32_t robot);
/// All zero where nothing was set.
BERTH_API BerthJointLimit berth_scene_joint_limit(const BerthScene* scene, int32_t robot, int32_t joint);
/// False when none was set. `out` may be null.
BERTH_API bool berth_scene_safety(const BerthScene* scene, BerthSafety* out);
/// False when there is none of that name. `out` may be null.
BERTH_API bool berth_scene_material(const BerthScene* scene, const char* name, BerthMaterial* out);
/// Names of the materials, from index 0; null behind the last.
BERTH_API const char* berth_scene_material_name(const BerthScene* scene, int32_t index);
/// Values of a state: all robots', one after the other.
BERTH_API int32_t berth_scene_value_count(const BerthScene* scene);
/// Writes "joint" or "robot/joint", at most `size` bytes, zero included.
BERTH_API void berth_scene_value_name(const BerthScene* scene, int32_t value, char* text, size_t size);
/// The scene's own state; berth_scene_value_count values, borrowed.
BERTH_API const double* berth_scene_values(const BerthScene* scene);
/// The index of a value by its name; -1 when there is none.
BERTH_API int32_t berth_scene_find_value(const BerthScene* scene, const char* name);
/// Checks values (finite, angles within 1e6 rad, lengths within 1e7 m, quaternions at least 1e-6 long) and counts those
/// outside joint limits; `first_outside` is the first of these, or -1. Both may be null.
BERTH_API BerthStatus berth_scene_check_values(const BerthScene* scene, const double* values,
                                               int32_t* outside_limits, int32_t* first_outside);

/// An object as it is.
typedef struct BerthObjectInfo {
    const char* name;         ///< as people see it
    const char* source;       ///< where it came from: a file, or "box"
    const BerthSolid* solid;  ///< the first part
    int32_t part_count;       ///< solids it is made of
    BerthPose pose;           ///< in the world; in the link's frame when attached
    int32_t robot;            ///< it is attached to, or -1
    int32_t link;             ///< of that robot, or -1
    double radius;            ///< metres around all of it
    double mass;              ///< kg; 0: not given
    bool moving;              ///< may move on its own
    bool person;              ///< protective separation applies
    double speed;             ///< metres per second, at most
    double intrusion;         ///< as its def
    double uncertainty;       ///< as its def
} BerthObjectInfo;

/// How many objects there are.
BERTH_API int32_t berth_scene_object_count(const BerthScene* scene);
/// Objects that may move on their own (`moving`, `person`). Checks of states and motions take them where the scene has them:
/// whoever passes such an answer on passes this on as well. Motions with BERTH_MOVING_REACH assume nothing about them; the
/// monitor receives their poses.
BERTH_API int32_t berth_scene_moving_count(const BerthScene* scene);
/// Object `index`, counted from 0 in no special order; an id of zeros beyond the last.
BERTH_API BerthObjectId berth_scene_object_at(const BerthScene* scene, int32_t index);
/// An id of zeros when there is none of that name.
BERTH_API BerthObjectId berth_scene_find_object(const BerthScene* scene, const char* name);
/// An object as it is; BERTH_ERR_STALE when it was removed. Texts are borrowed until it is.
BERTH_API BerthStatus berth_scene_object(const BerthScene* scene, BerthObjectId id, BerthObjectInfo* out);

/// A body: a link with geometry, or an object.
typedef struct BerthBodyInfo {
    const char* name;      ///< as people see it: "link", "robot/link" or the object's name
    int32_t robot;         ///< whose link it is, or that it is attached to; -1 for an object on its own
    int32_t link;          ///< itself, or what it is attached to; -1 for an object on its own
    BerthObjectId object;  ///< zeros for a link
    int32_t part_count;    ///< solids it is made of
    bool fixed;            ///< no joint moves it
} BerthBodyInfo;

/// Bodies: links with geometry, and objects but maps without any obstacle. 0 until the scene is committed after an
/// edit.
BERTH_API int32_t berth_scene_body_count(const BerthScene* scene);
/// A body's name, borrowed until the next commit.
BERTH_API const char* berth_scene_body_name(const BerthScene* scene, int32_t body);
/// One body; name "" and robot -1 for a number that is none. The name is borrowed until the next commit.
BERTH_API BerthBodyInfo berth_scene_body(const BerthScene* scene, int32_t body);
/// A body by name; -1 when there is none.
BERTH_API int32_t berth_scene_find_body(const BerthScene* scene, const char* name);
/// Of a body that is a map whose outside is an obstacle: is the point (in the world) outside of the map, or as near to its
/// border as to its cells? Then a witness there is about the outside. False for all other bodies, and for one that moves
/// with a robot. Cold: it allocates.
BERTH_API bool berth_scene_outside_map(const BerthScene* scene, int32_t body, BerthVec3 point);
/// The object's body, or -1.
BERTH_API int32_t berth_scene_object_body(const BerthScene* scene, BerthObjectId id);
/// Pairs that are checked, or proven. 0 until the scene is committed after an edit.
BERTH_API int32_t berth_scene_pair_count(const BerthScene* scene);
/// The two bodies of a pair (both may be null); -1 for a number that is none.
BERTH_API void berth_scene_pair(const BerthScene* scene, int32_t pair, int32_t* body_a, int32_t* body_b);

/// What an answer takes without proof. `what` is a stable word, `detail` a sentence for people.
typedef struct BerthAssumed {
    const char* what;    ///< for programs
    const char* detail;  ///< for people
    int32_t count;       ///< how often
} BerthAssumed;
/// How many things every answer about this scene takes without proof. 0 until the scene is committed after an edit.
BERTH_API int32_t berth_scene_assumed_count(const BerthScene* scene);
/// One of them; texts are borrowed until the next commit.
BERTH_API BerthAssumed berth_scene_assumed(const BerthScene* scene, int32_t index);
/// Pairs that are not checked because they are meant to touch (neighbours, links that always overlap, `allow`, touch lists):
/// how many kinds of them. 0 until the scene is committed after an edit.
BERTH_API int32_t berth_scene_declared_count(const BerthScene* scene);
/// One kind; texts are borrowed until the next commit.
BERTH_API BerthAssumed berth_scene_declared(const BerthScene* scene, int32_t index);
/// Pairs whose gap is proven larger than `margin` by their robot's table (BerthProvenTable) as long as the values are
/// anything from `low` to `high` (value_count each): queries skip them there, and check them elsewhere.
BERTH_API int32_t berth_scene_proven_count(const BerthScene* scene, const double* low, const double* high,
                                           double margin);

/// For those who write a scene down. Part 0 is the object's own solid, the others were added; null beyond the last.
BERTH_API const BerthSolid* berth_scene_object_part(const BerthScene* scene, BerthObjectId id, int32_t part,
                                                    BerthPose* object_from_part);
/// How many pairs may touch by berth_scene_allow or by an object's touch list.
BERTH_API int32_t berth_scene_exception_count(const BerthScene* scene);
/// One of them; names are written into texts of `size` bytes each. `touch`: by a touch list, and `body_a` is the
/// object.
BERTH_API BerthStatus berth_scene_exception(const BerthScene* scene, int32_t index, char* body_a,
                                            char* body_b, size_t size, bool* touch);

// ---- segments ----------------------------------------------------------------------------------------------------

/// How many terms a curve has.
enum {
    BERTH_CURVE_TERMS = 6  ///< quintics at most
};
/// How one value runs over a segment: value(t) = sum of term[k] t^k for t in [0, 1].
typedef struct BerthCurve {
    double term[BERTH_CURVE_TERMS];  ///< factors of 1, t, t^2, ...
    /// How far the value that is meant may be from this polynomial, >= 0: what rounding the terms lost. Taken off every gap
    double error;
} BerthCurve;

/// One segment: all values over t in [0, 1]. All zero but value_count, from and to is a straight line; files give
/// segments by berth_trajectory_segment and berth_segments_segment (io/motion.h). Floating joints turn along the shorter arc
/// at constant speed between `from` and `to` whatever their quaternion's curves say.
typedef struct BerthSegment {
    int32_t value_count;       ///< of the scene
    const double* from;        ///< value_count values at t = 0; borrowed during the query
    const double* to;          ///< value_count values at t = 1
    const BerthCurve* curves;  ///< value_count curves, or null: straight lines from `from` to `to`
    bool timed;                ///< `start` and `duration` are given. BERTH_MOVING_REACH asks for them
    double start;              ///< seconds from the start of the whole motion to t = 0; >= 0
    double duration;           ///< seconds from t = 0 to t = 1; >= 0
} BerthSegment;

/// Where objects that may move on their own (BerthObjectDef.moving and person) are during a motion.
typedef enum BerthMoving {
    BERTH_MOVING_STAND = 0,  ///< where the scene has them, all the time: an assumption
    /// Everywhere they can have got to since the start of the motion: their `speed` bounds each of their points, turning
    /// included, and a person is nearer by intrusion and uncertainty from the start. Segments must be timed.
    BERTH_MOVING_REACH,
    BERTH_MOVING_COUNT  ///< how many there are
} BerthMoving;
/// "stand" or "reach"; else "unknown".
BERTH_API const char* berth_moving_name(BerthMoving moving);

/// The values at t in [0, 1]; writes the scene's value_count values.
BERTH_API void berth_segment_values(const BerthScene* scene, const BerthSegment* segment, double t,
                                    double* values);

#ifdef __cplusplus
}
#endif
#endif
