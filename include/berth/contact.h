// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Contact: which features of two bodies touch, where, how deep, with what force and moment; one call a cycle, without
// allocation. Also a small stepper for free bodies and a follower that respects what it touches.
//
// Words: the normal points from A to B; `depth` >= 0 is how far the two must be moved apart along the normal for that
// point to part; forces are those on A, B has the opposite. Newton, newton metre, second.
//
// Bodies are unions of convex pieces, of which each point counts once (balls and polyhedra; what capsules share with other
// parts of their body counts twice, and is told). Boxes, hulls, convex meshes, spheres, capsules, half-spaces are exact;
// cylinders and cones are taken as prisms and pyramids around them (BerthContactDef.sides). Closed meshes that are not
// convex are cut into convex pieces. An open mesh, one beyond the budget of pieces, a map and a cloud can be proven
// apart; touching them has no features and no force, and is UNKNOWN.

#ifndef BERTH_CONTACT_H
#define BERTH_CONTACT_H

#include <berth/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bodies, their poses and speeds, and what is remembered of their contacts. One thread at a time.
typedef struct BerthContactWorld BerthContactWorld;

/// How the contacts of two convex pieces are told.
typedef enum BerthContactMethod {
    BERTH_CONTACT_MANIFOLD = 0,  ///< the least way out, and all of the touching area along it
    BERTH_CONTACT_ELEMENTAL,     ///< every vertex with its nearest face, every edge pair (paper 003)
    /// The default: points as MANIFOLD, but the force of two bodies is `foundation` times the volume they have in common,
    /// along the outer surfaces in it: it depends on the bodies, not on the points. A point's `force` is a share of it.
    /// Flat pieces have no volume: `stiffness` times the depth of a point, told by berth_contact_assumed
    BERTH_CONTACT_OVERLAP,
    BERTH_CONTACT_METHOD_COUNT  ///< how many there are
} BerthContactMethod;

/// Choices for comparisons: berth/lab/contact.h.
typedef struct BerthContactLab BerthContactLab;

/// Always start from berth_default_contact_def().
typedef struct BerthContactDef {
    BerthContactMethod method;  ///< how contacts of two convex pieces are told
    int32_t sides;  ///< of what cylinders and cones are taken as, 3 to 256; default 32. They contain the body
    int32_t points;    ///< most points that two convex pieces keep; 0: all. Default 4
    int32_t capacity;  ///< most contacts of a cycle, > 0; default 4096. Beyond it: BERTH_ERR_CAPACITY
    bool memory;       ///< contacts stay with their features unless others are clearly better; default true
    bool coulomb;      ///< sideways forces are at most friction times the normal force; default true
    int32_t
        pieces;  ///< most convex pieces that a mesh is cut into; default 512. Beyond it: touching it is UNKNOWN
    BerthMaterial
        material;  ///< of pairs that were given none; default 10 kN/m, 10 MN/m3, 50 and 5 N s/m, friction 0.5
    int32_t driven;            ///< of berth_contact_from_scene: a body that the caller will move; default -1
    BerthVec3 gravity;         ///< m/s2, for berth_contact_step; default 0, 0, -9.81
    BerthAllocator allocator;  ///< all zero: the C library's heap
    const BerthContactLab* lab;  ///< null: the default. Read at creation only
    uint32_t stamp;              ///< set by the default function; ties the def to this library version
} BerthContactDef;
/// The def to start from; the comments of its fields say what it holds.
BERTH_API BerthContactDef berth_default_contact_def(void);

/// Who moves a body.
typedef enum BerthBodyMotion {
    BERTH_BODY_FIXED = 0,  ///< nobody: two such bodies are not compared
    BERTH_BODY_DRIVEN,     ///< the caller
    BERTH_BODY_FREE        ///< forces, in berth_contact_step; needs a mass
} BerthBodyMotion;

/// A convex piece of a body.
typedef struct BerthContactPiece {
    BerthShape shape;           ///< a hull is copied
    BerthPose body_from_shape;  ///< where the shape is in its body
} BerthContactPiece;

/// Always start from berth_default_contact_body_def().
typedef struct BerthContactBodyDef {
    const char* name;                 ///< copied; null: ""
    const BerthContactPiece* pieces;  ///< convex, copied; together they are the body
    int32_t piece_count;              ///< at least 1
    BerthPose world_from_body;        ///< where it begins
    BerthBodyMotion motion;           ///< who moves it
    double mass;  ///< kg, > 0 for a free body; its inertia is that of a solid of even density
    /// Of this body's octrees, as BerthContactLab.levels; -2, the default: as the world's
    int32_t octree_levels;
    uint32_t stamp;  ///< set by the default function; ties the def to this library version
} BerthContactBodyDef;
/// The def to start from: fixed, at the origin, without a mass.
BERTH_API BerthContactBodyDef berth_default_contact_body_def(void);

/// An empty world: add bodies, then commit.
BERTH_API BerthStatus berth_contact_create(const BerthContactDef* def, BerthContactWorld** out);
/// Frees a world; null is fine.
BERTH_API void berth_contact_destroy(BerthContactWorld* world);
/// Bodies are numbered in the order they are added; `index` may be null. Not after commit.
BERTH_API BerthStatus berth_contact_add_body(BerthContactWorld* world, const BerthContactBodyDef* def,
                                             int32_t* index);
/// These two are not compared. Not after commit.
BERTH_API BerthStatus berth_contact_ignore(BerthContactWorld* world, int32_t body_a, int32_t body_b);
/// How these two answer touch. Not after commit.
BERTH_API BerthStatus berth_contact_set_pair_material(BerthContactWorld* world, int32_t body_a,
                                                      int32_t body_b, const BerthMaterial* material);
/// Takes all memory that cycles will need.
BERTH_API BerthStatus berth_contact_commit(BerthContactWorld* world);

/// A committed world of the bodies of a committed scene, in the same order: links are driven, objects with a mass are
/// free, objects that are moving or persons are driven, the others are fixed. Attached objects move with their links.
/// Compared are all pairs but: two fixed ones, links of one robot that the scene does not check, an attached object and
/// the link it is attached to. Pairs that may touch (`allow`, touch lists) are compared unless `skip_allowed`, or nobody
/// moves either of the two (a base and what it is mounted on). Material
/// of a pair: the scene's material "a+b" or "b+a" (names of bodies), else mixed of the two bodies' own (a material of
/// the body's name, else "default", else the def's): springs and dampers in series, 2 k l / (k + l), the mean of
/// viscosities, the root of the product of frictions. The scene is borrowed until the world is destroyed, and must not
/// be edited meanwhile.
BERTH_API BerthStatus berth_contact_from_scene(const BerthScene* scene, const BerthContactDef* def,
                                               bool skip_allowed, BerthContactWorld** out);
/// Puts links and attached objects where these values have them; berth_scene_value_count of them. With `dt` > 0 seconds
/// their speeds are taken from where they were before, with 0 they are 0. Objects on their own stay where they are.
/// Only for a world from a scene that was not edited since; else, and for values that are no numbers,
/// BERTH_ERR_ARGUMENT. Hot: no text.
BERTH_API BerthStatus berth_contact_place(BerthContactWorld* world, const double* values, double dt);
/// What the world takes for something else than it is: rounded bodies, meshes that are not convex, parts whose overlap
/// counts twice, ... Complete after commit.
BERTH_API int32_t berth_contact_assumed_count(const BerthContactWorld* world);
/// One of them; texts live as long as the world.
BERTH_API BerthAssumed berth_contact_assumed(const BerthContactWorld* world, int32_t index);
/// Pairs that are left out because they are meant to touch: how many kinds of them.
BERTH_API int32_t berth_contact_declared_count(const BerthContactWorld* world);
/// One kind; texts live as long as the world.
BERTH_API BerthAssumed berth_contact_declared(const BerthContactWorld* world, int32_t index);

/// A body of a world as it is now.
typedef struct BerthContactBody {
    const char* name;           ///< as it was given, or ""
    BerthBodyMotion motion;     ///< who moves it
    double mass;                ///< kg; 0 when none was given
    BerthVec3 centroid;         ///< in the body's frame
    BerthPose world_from_body;  ///< where it is now
    BerthVec3 velocity;         ///< of the centroid, in the world
    BerthVec3 spin;             ///< rad/s, in the world
    int32_t piece_count;        ///< convex pieces
    int32_t vertex_count;       ///< of all pieces
    int32_t edge_count;         ///< of all pieces
    int32_t face_count;         ///< of all pieces
    double energy;              ///< of a free body: kinetic and, against gravity, potential, J
} BerthContactBody;
/// Bodies of the world.
BERTH_API int32_t berth_contact_body_count(const BerthContactWorld* world);
/// Where a body is now, how fast, and what it is made of. The name lives as long as the world.
BERTH_API BerthStatus berth_contact_body(const BerthContactWorld* world, int32_t body, BerthContactBody* out);
/// Hot. Puts a body of any motion at a pose, which must be a rotation and finite. `velocity` is that of the centroid in
/// the world, `spin` in rad/s; null: 0. BERTH_ERR_ARGUMENT leaves it where it was.
BERTH_API BerthStatus berth_contact_move(BerthContactWorld* world, int32_t body, const BerthPose* pose,
                                         const BerthVec3* velocity, const BerthVec3* spin);
/// Hot. Puts a body at a pose; with `dt` > 0 seconds its velocity and its spin are those that took it there from where it
/// was, with 0 they are 0. BERTH_ERR_ARGUMENT leaves it where it was.
BERTH_API BerthStatus berth_contact_lead(BerthContactWorld* world, int32_t body, const BerthPose* pose,
                                         double dt);

/// Which sort of feature touches.
typedef enum BerthFeatureKind {
    BERTH_FEATURE_ROUND = 0,  ///< of a sphere or capsule, and where no feature can be told
    BERTH_FEATURE_VERTEX,     ///< a corner
    BERTH_FEATURE_EDGE,       ///< an edge between two faces
    BERTH_FEATURE_FACE        ///< a face, flat neighbours merged
} BerthFeatureKind;
/// "round", "vertex", "edge", "face".
BERTH_API const char* berth_feature_name(BerthFeatureKind kind);

/// A vertex, edge or face of a piece.
typedef struct BerthFeature {
    BerthFeatureKind kind;  ///< which sort of feature
    int32_t index;          ///< in the piece
} BerthFeature;

/// Two features that touch.
typedef struct BerthContact {
    int32_t body_a;          ///< the body with the smaller number
    int32_t body_b;          ///< the other body
    int32_t piece_a;         ///< of body A
    int32_t piece_b;         ///< of body B
    BerthFeature feature_a;  ///< of piece A
    BerthFeature feature_b;  ///< of piece B
    BerthVec3 point;         ///< in the world, halfway between the two surfaces
    BerthVec3 normal;        ///< unit, from A to B
    double depth;            ///< >= 0
    BerthVec3 force;         ///< on A
    int32_t age;             ///< cycles since it appeared; 0: new
} BerthContact;

/// Force and moment on a body.
typedef struct BerthWrench {
    BerthVec3 force;   ///< N, in the world
    BerthVec3 moment;  ///< about the body's centroid
} BerthWrench;

/// What a cycle did.
typedef struct BerthContactCounters {
    int64_t piece_pairs;   ///< of convex pieces whose balls meet
    int64_t node_tests;    ///< of octree nodes
    int64_t vertex_faces;  ///< vertex-face candidates
    int64_t edge_edges;    ///< edge-edge candidates
    int64_t searches;      ///< GJK, where features alone did not decide
} BerthContactCounters;

/// Why a pair of bodies could not be decided.
typedef enum BerthContactDoubt {
    BERTH_DOUBT_NUMERIC = 0,  ///< within rounding of touching, or no number
    BERTH_DOUBT_NOT_CONVEX,  ///< a mesh that is not convex, and open or beyond the budget of pieces, nearer than its hull can tell
    BERTH_DOUBT_NO_FEATURES  ///< a map or a cloud
} BerthContactDoubt;
/// "numeric", "not_convex", "no_features".
BERTH_API const char* berth_contact_doubt_name(BerthContactDoubt doubt);

/// A pair of bodies that could not be decided: no contact and no force of it is in the answer.
typedef struct BerthUnknownPair {
    int32_t body_a;           ///< the body with the smaller number
    int32_t body_b;           ///< the other body
    BerthContactDoubt doubt;  ///< why
    bool touching;            ///< the bodies themselves are known to touch; with what force is not
} BerthUnknownPair;

/// The answer of one cycle.
typedef struct BerthContactResult {
    /// COLLISION: a pair touches, up to rounding (of a union of pieces all points may be hidden between them: no
    /// contact then). FREE: every pair is proven apart, rounding included. UNKNOWN: neither.
    BerthVerdict verdict;
    BerthReason reason;               ///< why it is UNKNOWN
    int32_t unknown_pairs;            ///< pairs of bodies that could not be decided (also with COLLISION)
    const BerthUnknownPair* unknown;  ///< these, by body_a, then body_b; valid until the next call
    const BerthContact* contacts;     ///< by body_a, then body_b; valid until the next call
    int32_t contact_count;            ///< of `contacts`
    int64_t lost_count;               ///< contacts beyond the capacity: the status is BERTH_ERR_CAPACITY then
    const BerthWrench* wrenches;      ///< one a body
    int32_t wrench_count;             ///< of `wrenches`: as many as bodies
    BerthContactCounters counters;    ///< what the cycle did
} BerthContactResult;

/// One cycle: contacts and forces of where the bodies are now. Only after commit. With BERTH_ERR_CAPACITY the contacts
/// that did fit are in the answer. Allocates nothing. Hot.
BERTH_API BerthStatus berth_contact_cycle(BerthContactWorld* world, BerthContactResult* out);
/// Forgets earlier contacts: the next cycle answers as that of a new world would.
BERTH_API void berth_contact_forget(BerthContactWorld* world);

/// How many substeps berth_contact_step makes of `dt` seconds: enough for the stiffest two bodies, by a bound of stiffness
/// over mass. 0: more than 256 would be needed, or `dt` is no step.
BERTH_API int32_t berth_contact_substeps(const BerthContactWorld* world, double dt);
/// Free bodies move for `dt` seconds (above 0, at most 1) under contact forces and gravity; the answer is a cycle where
/// they have got to. Springs of second order, dampers implicit, in substeps that the stiffest pair allows; where that
/// takes more than 256 it is BERTH_ERR_ARGUMENT: take a smaller `dt`, or softer materials. Not a physics engine: no
/// constraints, no sleeping. When a cycle fails nothing moves. Nor when a free body is in a pair whose forces are not
/// known (NOT_CONVEX, NO_FEATURES): BERTH_ERR_UNSUPPORTED, and the answer is that of the cycle. A body whose motion is
/// no number any more is BERTH_ERR_ARGUMENT. Hot.
BERTH_API BerthStatus berth_contact_step(BerthContactWorld* world, double dt, BerthContactResult* out);

/// Where a follower went.
typedef struct BerthFollow {
    BerthPose world_from_body;  ///< no deeper in anything than `depth`
    double lag;                 ///< metres its origin is from the target's
    double depth;               ///< deepest contact there, m
    bool blocked;      ///< it did not get to the target: something is in the way, or the strides were spent
    int32_t steps;     ///< strides that it took, at most 64
    BerthVec3 behind;  ///< metres from the target's origin to its own, in the world
    BerthVec3 turned;  ///< radians, axis times angle: the rotation from the target to it, in the world
} BerthFollow;
/// Moves a driven body towards a target pose, but not into what it is compared with: it stops at surfaces and slides
/// along them. The others stand still meanwhile. It turns as the target does where there is room. Never moves further
/// than the piece's size allows without looking, so it does not jump through walls. It stays away from what it cannot be
/// told to slide along: meshes that are not convex, maps, clouds. BERTH_ERR_UNSUPPORTED for a body without end, such as
/// a half-space, and for one that is itself such a mesh. Hot.
BERTH_API BerthStatus berth_contact_follow(BerthContactWorld* world, int32_t body, const BerthPose* target,
                                           BerthFollow* out);

/// What joins the hand that leads to the follower: a spring and a damper between the two. Start from
/// berth_default_coupling().
typedef struct BerthCoupling {
    double stiffness;  ///< N/m, default 1000
    double damping;    ///< N s/m, default 5
    double
        radius;  ///< m: turning counts as this lever, N m/rad = stiffness radius^2; 0, the default: the follower's ball
} BerthCoupling;
/// The coupling to start from.
BERTH_API BerthCoupling berth_default_coupling(void);
/// What the hand feels: the spring pulls it to where the follower is, the damper acts on the rate of the lag since
/// `before`, `dt` seconds earlier (null or 0: no damper). Force and moment on the hand, about the target's origin, in the
/// world. Unlike the contacts' own forces, which are those of a body that hardly touches. Hot.
BERTH_API BerthStatus berth_contact_couple(const BerthContactWorld* world, int32_t body,
                                           const BerthCoupling* coupling, const BerthFollow* now,
                                           const BerthFollow* before, double dt, BerthWrench* out);

#ifdef __cplusplus
}
#endif
#endif
