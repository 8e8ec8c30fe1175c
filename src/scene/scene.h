// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of a scene: what edits change (robots, objects, exceptions) and what commit builds from it, plain
// arrays that the check room and the rooms above it read. docs/theory/scene.md has the rules of pairs and names.
//
// Invariants after commit (scene->committed):
//   * bodies are sorted: links of robots (robot by robot, link by link), then attached objects, then the others;
//     names are unique;
//   * a body's parts are contiguous, and a body has at least one;
//   * pairs are sorted by (body_a, body_b) and have body_a < body_b;
//   * two bodies never move against each other exactly when their `frame` is the same; -1 is the world.

#ifndef BI_SCENE_H
#define BI_SCENE_H

#include <berth/scene.h>

#include "base/arena.h"
#include "math/vec3.h"

#define BI_SCENE_NAME_MAX 1000       ///< bytes of a name
#define BI_SCENE_OBJECT_MAX 1000000  ///< objects in a scene

/// A robot in the scene. Frames of all robots are numbered through: scene frame = first_frame + frame in robot.
typedef struct SceneRobot {
    char* name;  ///< "" only when it is the only robot
    BerthRobot* robot;
    bool own;
    Pose world_from_base;
    int32_t first_value, value_count;
    int32_t first_frame, frame_count;
    double padding;           ///< metres >= 0, against everything but the robot itself
    BerthJointLimit* limits;  ///< one a joint of the robot
    int32_t joint_count;
} SceneRobot;

/// A link with geometry, or an object.
typedef struct SceneBody {
    const char* name;  ///< as people see it: "link", "robot/link" or the object's name
    int32_t frame;     ///< scene frame it moves with; -1: it stands still in the world. Links and attached
                       ///< objects on a frame that no joint moves have -1 too: their pose is baked into parts
    int32_t robot;     ///< whose link it is, or that it is attached to; -1: an object on its own
    int32_t link;      ///< of that robot: itself, or the link it is attached to; -1: an object on its own
    int32_t object;    ///< place in objects; -1: a link
    int32_t first_part, part_count;
    double radius;   ///< of an object: around all of it, also against its own robot
    double padding;  ///< of its robot, and the radius
} SceneBody;

typedef struct ScenePart {
    const BerthSolid* solid;
    Pose frame_from_part;  ///< world_from_part when the body's frame is -1
} ScenePart;

/// Two bodies whose gap counts.
typedef struct ScenePair {
    int32_t body_a, body_b;
    bool constant;   ///< same frame, or both stand still: the gap never changes between commits
    bool self;       ///< two links of one robot: the self margin is theirs
    double padding;  ///< to subtract from the gap: the sum of both paddings; within one robot, of both radii
    double reach_start;  ///< metres that one of them may be nearer from the start: a person's
    double reach_speed;  ///< metres per second that one of them may come nearer on its own; 0: neither moves
    /// The padded gap is never smaller while the robot's values are within their limits: by its proven table. 0: no proof.
    double proven_gap;
} ScenePair;

/// Is one of the two an object that can be elsewhere than the scene has it?
static inline bool scene_pair_reaches(const ScenePair* pair) {
    return pair->reach_start > 0.0 || pair->reach_speed > 0.0;
}
/// Sums and products of how far objects can get are enlarged by more than their rounding.
#define BI_REACH_GROWN (1.0 + 0x1p-40)
/// How much nearer the pair can be `elapsed` seconds after its objects stood where the scene has them.
static inline double scene_pair_reach(const ScenePair* pair, double elapsed) {
    return scene_pair_reaches(pair) ? (pair->reach_start + pair->reach_speed * elapsed) * BI_REACH_GROWN
                                    : 0.0;
}

/// A further part of an object.
typedef struct ScenePiece {
    BerthSolid* solid;
    Pose object_from_piece;
} ScenePiece;

/// An object; a place that is not used keeps its age.
typedef struct SceneObject {
    bool used;
    uint32_t age;
    char* name;
    char* source;
    BerthSolid* solid;  ///< its first part
    Pose object_from_solid;
    ScenePiece* pieces;  ///< further parts
    int32_t piece_count, piece_capacity;
    int32_t border_first, border_count;  ///< of `pieces`: half-spaces outside of a map
    Pose pose;                           ///< in the world; in the link's frame when attached
    int32_t robot, link;                 ///< what it is attached to, or -1
    double radius;
    double mass;
    bool moving, person;
    double speed, intrusion, uncertainty;
    int32_t body;   ///< after commit
    uint32_t hash;  ///< of the name
    int32_t next;   ///< place of the next object in the same bucket, or of the next unused place; -1 ends
} SceneObject;

/// One side of an exception: a link (robot >= 0) or an object (by place).
typedef struct SceneBodyRef {
    int32_t robot, link;
    int32_t object;
} SceneBodyRef;

/// Two bodies that may touch: `allow`, or the touch list of an object (then a is that object).
typedef struct SceneException {
    SceneBodyRef a, b;
    bool touch;
} SceneException;

typedef struct SceneMaterial {
    char* name;
    BerthMaterial material;
} SceneMaterial;

typedef struct SceneBodyName {
    const char* name;
    int32_t body;
} SceneBodyName;

struct BerthScene {
    BerthAllocator allocator;

    // What edits change.
    SceneRobot* robots;
    int32_t robot_count, robot_capacity;
    SceneObject* objects;
    int32_t object_count, object_capacity;  ///< places, used or not
    int32_t object_used;
    int32_t piece_count;   ///< of all objects
    int32_t first_unused;  ///< head of the chain of unused places, or -1
    int32_t* buckets;      ///< object_capacity heads of chains of objects by name
    SceneException* exceptions;
    int32_t exception_count, exception_capacity;
    SceneMaterial* materials;
    int32_t material_count, material_capacity;
    bool has_safety;
    BerthSafety safety;
    double* values;  ///< current state of all robots
    int32_t value_count;
    int32_t frame_count;

    // What commit builds.
    bool committed;  ///< false after bi_scene_mark_edited: a checker then answers UNKNOWN
    /// Grows in bi_scene_mark_edited, with every commit too: a checker keeps the one it was made for and is stale when
    /// it differs.
    uint64_t generation;
    Arena built;  ///< holds the arrays below
    const SceneBody* bodies;
    int32_t body_count;
    int32_t link_body_count;  ///< bodies [0, this) are links
    int32_t
        moved_body_count;  ///< bodies [link_body_count, this) are attached objects, the rest are on their own
    const ScenePart* parts;
    int32_t part_count;
    const ScenePair* pairs;
    int32_t pair_count;
    const BerthAssumed* assumed;
    int32_t assumed_count;
    const BerthAssumed* declared;
    int32_t declared_count;
    int32_t proven_count;          ///< pairs with a proven_gap
    const SceneBodyName* by_name;  ///< bodies in the order of strcmp of their names
};

/// Finds what a name means: an object or a link by its whole name, then robot and link by splitting at the first
/// '/'. False when it means nothing. When `links_only`, objects are not looked at.
bool bi_scene_resolve_name(const BerthScene* scene, const char* name, bool links_only, SceneBodyRef* out);
/// The object of an id, or null when the id is stale or was never given.
SceneObject* bi_scene_object(const BerthScene* scene, BerthObjectId id);
/// The error for an id that names nothing, or something that was removed.
BerthStatus bi_scene_fail_stale(BerthObjectId id);
/// Half-spaces around an object that is a map, where the outside is no free space. On failure the object is removed.
BerthStatus bi_scene_block_outside_map(BerthScene* scene, BerthObjectId id, const BerthAllocator* allocator);
/// Frees what an object holds.
void bi_scene_free_object(const BerthAllocator* allocator, SceneObject* object);
/// The place of the object of that name, or -1.
int32_t bi_scene_find_slot(const BerthScene* scene, const char* name);
/// The place of two bodies in scene->pairs, or -1: body_a < body_b.
int32_t bi_scene_find_pair(const BerthScene* scene, int64_t body_a, int64_t body_b);
/// Are all values of a robot, which may be anything from `low` to `high` (value_count of the scene), within their limits?
/// Then its proven gaps hold. NaN is not within.
bool bi_scene_within_limits(const BerthScene* scene, int32_t robot, const double* low, const double* high);
/// Every edit but set_values, set_joint_limit, set_safety and set_material ends here, and every commit begins here: what
/// commit built is no longer true.
void bi_scene_mark_edited(BerthScene* scene);
/// Checks a pose that comes from outside (finite, within BI_COORDINATE_MAX, a rotation) and makes the rotation of
/// one that is a little off exact. `what` and `name` are for the text.
BerthStatus bi_scene_check_pose(const char* what, const char* name, const Pose* pose, Pose* out);
/// Not empty, not over BI_SCENE_NAME_MAX bytes, no control characters.
BerthStatus bi_scene_check_name(const char* what, const char* name);
/// "; did you mean 'x'?" for a name that resolves to nothing, or "": the nearest body or link name. Cold.
void bi_scene_suggest_name(const BerthScene* scene, const char* name, bool links_only, char* text,
                           size_t size);
/// The name people see for a link: "link", or "robot/link" with several robots. At most `size` bytes.
void bi_scene_link_name(const BerthScene* scene, int32_t robot, int32_t link, char* text, size_t size);
/// Grows an array that was taken with bi_take to hold `needed` items; false when there is no memory.
bool bi_scene_grow_array(const BerthAllocator* allocator, void** items, int32_t count, int32_t needed,
                         int32_t* capacity, size_t size);
/// A copy of a text taken from the allocator; freed with bi_scene_free_text.
char* bi_scene_copy_text(const BerthAllocator* allocator, const char* text);
void bi_scene_free_text(const BerthAllocator* allocator, char* text);

#endif
