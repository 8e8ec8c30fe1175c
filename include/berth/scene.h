// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Scene: robots, objects, attachments and the pairs that may touch. Edited between queries, constant during
// one.

#ifndef BERTH_SCENE_H
#define BERTH_SCENE_H

#include <berth/field.h>
#include <berth/robot.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Robots, objects and the pairs that may touch. Edited between queries by one thread, constant during one:
/// checkers of several threads may then use it together.
typedef struct BerthScene BerthScene;

/// An object of a scene. All zero means none. `age` grows when a slot is reused, so that an old id is
/// detected.
typedef struct BerthObjectId {
    uint32_t slot;  ///< which object: its index in the list
    uint32_t age;   ///< which of the objects that have used that slot
} BerthObjectId;

/// Start from berth_default_scene_robot_def().
typedef struct BerthSceneRobotDef {
    const char* name;   ///< null or "" only for the only robot of a scene
    BerthRobot* robot;  ///< a built robot
    bool own;  ///< the scene destroys the robot; otherwise it is borrowed until the scene is destroyed
    BerthPose world_from_base;  ///< pose of its root link
    const double* values;       ///< its state; null: the robot's default values
    double padding;             ///< metres >= 0, against everything but the robot itself
    uint32_t stamp;             ///< set by the default function; ties the def to this library version
} BerthSceneRobotDef;

/// Start from berth_default_object_def().
typedef struct BerthObjectDef {
    const char* name;             ///< unique in the scene; copied
    BerthSolid* solid;            ///< owned by the scene from now on, also on failure
    BerthPose pose;               ///< in the world; in the link's frame when attached
    BerthPose object_from_solid;  ///< pose of the solid in the object; for more solids: berth_scene_add_part
    const char* attach;           ///< the link that it moves with, "link" or "robot/link", or null
    const char* const* touch;     ///< names of bodies that it may touch
    int32_t touch_count;          ///< of `touch`
    double radius;       ///< metres >= 0 added all round, against everything: for the points of a cloud
    double mass;         ///< kg; 0: not given. For contact, and for the buffers of a loaded arm
    bool moving;         ///< it may move on its own, with at most
    double speed;        ///< metres per second, largest of all its points
    bool person;         ///< the protective separation distance applies, with
    double intrusion;    ///< metres that a person may reach in before being detected, and
    double uncertainty;  ///< metres by which its measured position may be wrong
    const char* source;  ///< for reports: a file name, or "box"
    uint32_t stamp;      ///< set by the default function; ties the def to this library version
} BerthObjectDef;

/// Limits of how fast one joint moves and changes its velocity; 0: not given (the URDF's velocity counts; the
/// others are unknown).
typedef struct BerthJointLimit {
    double velocity;      ///< radian or metre per second
    double acceleration;  ///< per second squared
    double deceleration;  ///< per second squared
} BerthJointLimit;

/// What the monitor needs to know about its surroundings. Seconds and metres.
typedef struct BerthSafety {
    double period;    ///< of the monitor's cycle, > 0
    double latency;   ///< largest age of a message when it arrives
    double reaction;  ///< longest time from a stop command to braking
    double silence;   ///< longest time without a message, > 0
    double margin;    ///< distance that must always remain
    /// After a stop for nearness there is a permit only when everything is this much further apart than
    /// required
    double hysteresis;
    /// Radian, and metre for sliding joints, by which a reported position may be wrong because of noise
    double noise;
    /// Seconds per second by which a sender's clock may run slower or faster; 0: as in the monitor's def
    double drift;
} BerthSafety;

/// Area, square metres, that one contact point stands for where only one of `stiffness` and `foundation` is
/// given.
#define BERTH_MATERIAL_PATCH 1e-3

/// How a surface responds to contact.
typedef struct BerthMaterial {
    double stiffness;  ///< N/m, of a contact point; 0: `foundation` times BERTH_MATERIAL_PATCH
    /// N s/m; of a contact point, or of the whole contact surface where the foundation is used
    double damping;
    double viscosity;   ///< N s/m, along the surface; of a point or the surface as `damping`
    double friction;    ///< coefficient
    double foundation;  ///< N/m3: pressure over depth; 0: `stiffness` over BERTH_MATERIAL_PATCH
} BerthMaterial;

/// How a map becomes an object. Start from berth_default_map_def().
typedef struct BerthMapDef {
    /// For a map of the plane: where its walls begin and end in z, metres; required there. NaN, the default,
    /// for dim 3
    double height[2];
    /// False (the default): everything outside the map's size is an obstacle. True: nothing is, which is
    /// listed as assumed; required for maps that move or are attached
    bool outside_is_free;
    /// What BerthMapFacts (io/map.h) says about the map's origin; each of the two is listed as assumed. This
    /// one: nothing shows that cells that are not occupied are free (background_taken_free)
    bool unseen_is_free;
    bool from_open_meshes;  ///< the map is from open meshes, of which only the surface is occupied
    /// More triangles of surface are an error, whose text says how many. Default 4,000,000
    int32_t triangle_limit;
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
/// Adds an object, whose name must not be that of another object or of a link of the scene's robots. Takes
/// ownership of its solid, also on failure. `id` may be null.
BERTH_API BerthStatus berth_scene_add_object(BerthScene* scene, const BerthObjectDef* def, BerthObjectId* id);
// Objects in one call: sizes in metres, a pose in the world (null: at the origin), `id` may be null. They
// stand still and may touch nothing; for anything else use berth_scene_add_object. Commit after the last one.

/// A box, given by its full sizes, centred at its pose.
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
/// A mesh, solid when it is watertight. Takes ownership of the mesh, also on failure.
BERTH_API BerthStatus berth_scene_add_mesh(BerthScene* scene, const char* name, BerthMesh* mesh,
                                           const BerthPose* world_from_mesh, BerthObjectId* id);
/// Points that a sensor saw, all with the same radius >= 0; copied.
BERTH_API BerthStatus berth_scene_add_points(BerthScene* scene, const char* name, const BerthVec3* points,
                                             int32_t count, double radius, const BerthPose* world_from_points,
                                             BerthObjectId* id);

/// The obstacles of a map as a solid: occupied cells, and unknown ones unless the field takes them as free.
/// Its surface, merged into rectangles, is exact; whether a point is inside is looked up in the cells. The
/// field is not borrowed. When no cell is an obstacle the solid is empty: its object exists but has no body.
BERTH_API BerthStatus berth_solid_from_field(const BerthField* field, const BerthMapDef* def,
                                             BerthSolid** out);
/// Adds an object with that solid, and half-spaces around it unless the outside is free. `object` has
/// everything but its solid, which must be null. `id` may be null.
BERTH_API BerthStatus berth_scene_add_map(BerthScene* scene, const BerthObjectDef* object,
                                          const BerthField* field, const BerthMapDef* map, BerthObjectId* id);
/// Replaces the obstacles of an object that is a map by those of another field, or of the same one after
/// berth_field_update; its id, name, pose and what it may touch stay. `map` is used as in
/// berth_scene_add_map. On failure nothing changes. Commit afterwards, and make new checkers.
BERTH_API BerthStatus berth_scene_set_map(BerthScene* scene, BerthObjectId id, const BerthField* field,
                                          const BerthMapDef* map);
/// Adds a solid to an object, with which it moves. Takes ownership of the solid, also on failure.
BERTH_API BerthStatus berth_scene_add_part(BerthScene* scene, BerthObjectId id,
                                           const BerthPose* object_from_solid, BerthSolid* solid);
/// Removes an object; its id is stale from then on.
BERTH_API BerthStatus berth_scene_remove_object(BerthScene* scene, BerthObjectId id);
/// Sets the pose of an object: in the world, or in the link's frame when attached.
BERTH_API BerthStatus berth_scene_set_object_pose(BerthScene* scene, BerthObjectId id, const BerthPose* pose);
/// The object moves with that link from now on ("link" or "robot/link"). Objects that are `moving` or a
/// `person` are refused.
BERTH_API BerthStatus berth_scene_attach(BerthScene* scene, BerthObjectId id, const char* link,
                                         const BerthPose* link_from_object);
/// The object stays at `world_from_object`, and its touch list is emptied: what it may touch while it is held
/// it may not touch afterwards. BERTH_ERR_ARGUMENT when it is not attached.
BERTH_API BerthStatus berth_scene_detach(BerthScene* scene, BerthObjectId id,
                                         const BerthPose* world_from_object);
/// These two bodies may touch, by name. Both must be in the scene already.
BERTH_API BerthStatus berth_scene_allow(BerthScene* scene, const char* body_a, const char* body_b);
/// Adds a body, by name, that this object may touch. It may always touch the link that it is attached to.
BERTH_API BerthStatus berth_scene_touch(BerthScene* scene, BerthObjectId id, const char* body);
/// Moves a robot's base.
BERTH_API BerthStatus berth_scene_set_base(BerthScene* scene, int32_t robot,
                                           const BerthPose* world_from_base);
/// Sets the scene's own state; `values` of all robots, in order. No commit is needed.
BERTH_API BerthStatus berth_scene_set_values(BerthScene* scene, const double* values);
/// Sets the limits of a joint, for the monitor and for the times of planned motions; checks do not use them.
/// No commit is needed.
BERTH_API BerthStatus berth_scene_set_joint_limit(BerthScene* scene, int32_t robot, int32_t joint,
                                                  const BerthJointLimit* limit);
/// Sets what the monitor needs to know; checks do not use it. No commit is needed.
BERTH_API BerthStatus berth_scene_set_safety(BerthScene* scene, const BerthSafety* safety);
/// Sets how a surface responds to contact; `name` is "default", a body's name, or "a+b" for a pair. The
/// stiffness must be > 0, the others >= 0. No commit is needed.
BERTH_API BerthStatus berth_scene_set_material(BerthScene* scene, const char* name,
                                               const BerthMaterial* material);
/// Builds the lists of bodies and pairs. Needed before a checker is made, after every edit that does not say
/// otherwise. Makes earlier checkers stale.
BERTH_API BerthStatus berth_scene_commit(BerthScene* scene);

/// Robots of the scene.
BERTH_API int32_t berth_scene_robot_count(const BerthScene* scene);
/// A robot, with its name and the pose of its base (both may be null). Null when there is no such robot.
BERTH_API const BerthRobot* berth_scene_robot(const BerthScene* scene, int32_t robot, const char** name,
                                              BerthPose* world_from_base);
/// The padding of this robot, metres.
BERTH_API double berth_scene_padding(const BerthScene* scene, int32_t robot);
/// The limits of a joint; all zero when none were set.
BERTH_API BerthJointLimit berth_scene_joint_limit(const BerthScene* scene, int32_t robot, int32_t joint);
/// What was set for the monitor; false when nothing was. `out` may be null.
BERTH_API bool berth_scene_safety(const BerthScene* scene, BerthSafety* out);
/// The material of that name; false when there is none. `out` may be null.
BERTH_API bool berth_scene_material(const BerthScene* scene, const char* name, BerthMaterial* out);
/// The names of the materials, from index 0; null after the last.
BERTH_API const char* berth_scene_material_name(const BerthScene* scene, int32_t index);
/// Values of a state: those of all robots, one after the other.
BERTH_API int32_t berth_scene_value_count(const BerthScene* scene);
/// Writes the name of a value, "joint" or "robot/joint": at most `size` bytes, including the terminating
/// zero.
BERTH_API void berth_scene_value_name(const BerthScene* scene, int32_t value, char* text, size_t size);
/// The scene's own state: berth_scene_value_count values, borrowed.
BERTH_API const double* berth_scene_values(const BerthScene* scene);
/// The index of a value by its name; -1 when there is none.
BERTH_API int32_t berth_scene_find_value(const BerthScene* scene, const char* name);
/// Validates a state (finite, angles within 1e6 rad, lengths within 1e7 m, quaternions at least 1e-6 long)
/// and counts the values outside joint limits; `first_outside` is the first of them, or -1. Both may be null.
BERTH_API BerthStatus berth_scene_check_values(const BerthScene* scene, const double* values,
                                               int32_t* outside_limits, int32_t* first_outside);

/// An object as it is now.
typedef struct BerthObjectInfo {
    const char* name;         ///< as users see it
    const char* source;       ///< its origin: a file name, or "box"
    const BerthSolid* solid;  ///< the first part
    int32_t part_count;       ///< number of its solids
    BerthPose pose;           ///< in the world; in the link's frame when attached
    int32_t robot;            ///< the robot that it is attached to, or -1
    int32_t link;             ///< the link of that robot, or -1
    double radius;            ///< metres added all round
    double mass;              ///< kg; 0: not given
    bool moving;              ///< it may move on its own
    bool person;              ///< the protective separation distance applies
    double speed;             ///< metres per second, at most
    double intrusion;         ///< metres, as in its def
    double uncertainty;       ///< metres, as in its def
} BerthObjectInfo;

/// The number of objects.
BERTH_API int32_t berth_scene_object_count(const BerthScene* scene);
/// The number of objects that may move on their own (`moving`, `person`). Checks of states and motions assume
/// that they stay where the scene has them: whoever passes on such an answer must pass on this assumption.
/// Motions checked with BERTH_MOVING_REACH do not make it; the monitor receives their poses.
BERTH_API int32_t berth_scene_moving_count(const BerthScene* scene);
/// Object `index`, from 0, in no particular order; all zero after the last.
BERTH_API BerthObjectId berth_scene_object_at(const BerthScene* scene, int32_t index);
/// An object by name; all zero when there is none.
BERTH_API BerthObjectId berth_scene_find_object(const BerthScene* scene, const char* name);
/// An object as it is now; BERTH_ERR_STALE when it was removed. Texts are borrowed until it is.
BERTH_API BerthStatus berth_scene_object(const BerthScene* scene, BerthObjectId id, BerthObjectInfo* out);

/// A body: a link with geometry, or an object.
typedef struct BerthBodyInfo {
    const char* name;      ///< as users see it: "link", "robot/link" or the object's name
    int32_t robot;         ///< whose link it is, or which it is attached to; -1 for an unattached object
    int32_t link;          ///< the link that it is, or that it is attached to; -1 for an unattached object
    BerthObjectId object;  ///< all zero for a link
    int32_t part_count;    ///< number of its solids
    bool fixed;            ///< no joint moves it
} BerthBodyInfo;

/// Bodies: links with geometry, and objects, except maps without any obstacle. 0 after an edit until the
/// scene is committed.
BERTH_API int32_t berth_scene_body_count(const BerthScene* scene);
/// A body's name, borrowed until the next commit.
BERTH_API const char* berth_scene_body_name(const BerthScene* scene, int32_t body);
/// One body; name "" and robot -1 when there is no such body. The name is borrowed until the next commit.
BERTH_API BerthBodyInfo berth_scene_body(const BerthScene* scene, int32_t body);
/// A body by name; -1 when there is none.
BERTH_API int32_t berth_scene_find_body(const BerthScene* scene, const char* name);
/// For a body that is a map whose outside is an obstacle: is the point (in the world) outside the map, or as
/// near to its border as to its cells? If so, a witness there is about the outside. False for all other
/// bodies, and for one that moves with a robot. Allocates.
BERTH_API bool berth_scene_outside_map(const BerthScene* scene, int32_t body, BerthVec3 point);
/// The body of an object; -1 when it has none.
BERTH_API int32_t berth_scene_object_body(const BerthScene* scene, BerthObjectId id);
/// Pairs that are checked or proven. 0 after an edit until the scene is committed.
BERTH_API int32_t berth_scene_pair_count(const BerthScene* scene);
/// The two bodies of a pair (both may be null); -1 when there is no such pair.
BERTH_API void berth_scene_pair(const BerthScene* scene, int32_t pair, int32_t* body_a, int32_t* body_b);

/// Something that an answer takes without proof. `what` is a stable word, `detail` a sentence for people.
typedef struct BerthAssumed {
    const char* what;    ///< for programs
    const char* detail;  ///< for people
    int32_t count;       ///< how often
} BerthAssumed;
/// How many things every answer about this scene takes without proof. 0 after an edit until the scene is
/// committed.
BERTH_API int32_t berth_scene_assumed_count(const BerthScene* scene);
/// One of them; texts are borrowed until the next commit.
BERTH_API BerthAssumed berth_scene_assumed(const BerthScene* scene, int32_t index);
/// How many kinds of pairs are not checked because they are meant to touch (neighbours, links that always
/// overlap, `allow`, touch lists). 0 after an edit until the scene is committed.
BERTH_API int32_t berth_scene_declared_count(const BerthScene* scene);
/// One kind; texts are borrowed until the next commit.
BERTH_API BerthAssumed berth_scene_declared(const BerthScene* scene, int32_t index);
/// The number of pairs whose gap is proven larger than `margin` by their robot's table (BerthProvenTable) for
/// all values from `low` to `high` (value_count each): queries skip these pairs there and check them
/// elsewhere.
BERTH_API int32_t berth_scene_proven_count(const BerthScene* scene, const double* low, const double* high,
                                           double margin);

/// A solid of an object, for programs that write a scene. Part 0 is the solid of its def, the others were
/// added; null after the last.
BERTH_API const BerthSolid* berth_scene_object_part(const BerthScene* scene, BerthObjectId id, int32_t part,
                                                    BerthPose* object_from_part);
/// The number of pairs that may touch by berth_scene_allow or by an object's touch list.
BERTH_API int32_t berth_scene_exception_count(const BerthScene* scene);
/// One such pair; the names are written into texts of `size` bytes each. `touch`: it is from a touch list,
/// and `body_a` is the object.
BERTH_API BerthStatus berth_scene_exception(const BerthScene* scene, int32_t index, char* body_a,
                                            char* body_b, size_t size, bool* touch);

// ---- segments ---------------------------------------------------------------------------------------------

/// The number of terms of a curve.
enum {
    BERTH_CURVE_TERMS = 6  ///< quintics at most
};
/// The course of one value over a segment: value(t) = sum of term[k] t^k for t in [0, 1].
typedef struct BerthCurve {
    double term[BERTH_CURVE_TERMS];  ///< coefficients of 1, t, t^2, ...
    /// Largest difference between the intended value and this polynomial, >= 0: what rounding of the terms
    /// lost. Subtracted from every gap
    double error;
} BerthCurve;

/// One segment: all values over t in [0, 1]. Zeroed except for value_count, from and to, it is a straight
/// segment; for files use berth_trajectory_segment and berth_segments_segment (io/motion.h). Floating joints
/// turn along the shorter arc at constant speed between `from` and `to`, whatever the curves of their
/// quaternion say.
typedef struct BerthSegment {
    int32_t value_count;       ///< that of the scene
    const double* from;        ///< value_count values at t = 0; borrowed during the query
    const double* to;          ///< value_count values at t = 1; borrowed likewise
    const BerthCurve* curves;  ///< value_count curves, or null: straight from `from` to `to`
    bool timed;                ///< `start` and `duration` are given; required by BERTH_MOVING_REACH
    double start;              ///< seconds from the start of the whole motion to t = 0; >= 0
    double duration;           ///< seconds from t = 0 to t = 1; >= 0
} BerthSegment;

/// What objects that may move on their own (BerthObjectDef.moving and person) do during a motion.
typedef enum BerthMoving {
    BERTH_MOVING_STAND = 0,  ///< they stay where the scene has them: an assumption
    /// They may be anywhere that they can have reached since the start of the motion: `speed` bounds each of
    /// their points, rotation included, and a person is nearer by intrusion and uncertainty from the start
    /// on. Segments must be timed.
    BERTH_MOVING_REACH,
    BERTH_MOVING_COUNT  ///< how many there are
} BerthMoving;
/// "stand" or "reach"; otherwise "unknown".
BERTH_API const char* berth_moving_name(BerthMoving moving);

/// Writes the scene's value_count values at t in [0, 1].
BERTH_API void berth_segment_values(const BerthScene* scene, const BerthSegment* segment, double t,
                                    double* values);

#ifdef __cplusplus
}
#endif
#endif
