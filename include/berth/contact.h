// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Contact: which features of two bodies touch, where, how deep, and with what force and moment; one call per
// cycle, without allocation. Also a small stepper for free bodies, and a follower that stops at surfaces.
//
// Words: the normal points from A to B; `depth` >= 0 is how far the two must be moved apart along the normal
// to separate at that point; forces are those on A, B has the opposite. Newton, newton metre, second.
//
// Bodies are unions of convex pieces, in which each point counts once (for balls and polyhedra; overlaps of
// capsules with other parts of their body count twice, which is reported). Boxes, hulls, convex meshes,
// spheres, capsules and half-spaces are exact; cylinders and cones are replaced by prisms and pyramids that
// contain them (BerthContactDef.sides). Closed meshes that are not convex are cut into convex pieces. Open
// meshes, meshes beyond the budget of pieces, maps and clouds can be proven apart from other bodies; when
// such a body is touched there are no features and no force, and the answer is UNKNOWN.

#ifndef BERTH_CONTACT_H
#define BERTH_CONTACT_H

#include <berth/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bodies, their poses and velocities, and the memory of their contacts. One thread at a time.
typedef struct BerthContactWorld BerthContactWorld;

/// How the contacts of two convex pieces are described.
typedef enum BerthContactMethod {
    BERTH_CONTACT_MANIFOLD = 0,  ///< the direction of least depth, and the whole contact area across it
    BERTH_CONTACT_ELEMENTAL,     ///< every vertex with its nearest face, every pair of edges (paper 003)
    /// The default: points as MANIFOLD, but the force between two bodies is `foundation` times the volume
    /// that they share, along the outer surfaces inside it: it depends on the bodies, not on the points. The
    /// `force` of a point is a share of it. Flat pieces have no volume: their force is `stiffness` times the
    /// depth of a point, which berth_contact_assumed reports
    BERTH_CONTACT_OVERLAP,
    BERTH_CONTACT_METHOD_COUNT  ///< how many there are
} BerthContactMethod;

/// Settings for comparisons: berth/lab/contact.h.
typedef struct BerthContactLab BerthContactLab;

/// Always start from berth_default_contact_def().
typedef struct BerthContactDef {
    BerthContactMethod method;  ///< how the contacts of two convex pieces are described
    /// Of the prisms and pyramids that replace cylinders and cones (and contain them), 3 to 256; default 32
    int32_t sides;
    int32_t points;    ///< most contact points kept for two convex pieces; 0: all. Default 4
    int32_t capacity;  ///< most contacts in a cycle, > 0; default 4096. Beyond it: BERTH_ERR_CAPACITY
    bool memory;       ///< contacts keep their features unless others are clearly better; default true
    bool coulomb;      ///< tangential forces are at most friction times the normal force; default true
    /// Most convex pieces that a mesh is cut into; default 512. Beyond it, touching it is UNKNOWN
    int32_t pieces;
    /// Of pairs without one of their own; default 10 kN/m, 10 MN/m3, 50 and 5 N s/m, friction 0.5
    BerthMaterial material;
    int32_t driven;            ///< for berth_contact_from_scene: a body that the caller will move; default -1
    BerthVec3 gravity;         ///< m/s2, for berth_contact_step; default (0, 0, -9.81)
    BerthAllocator allocator;  ///< all zero: the C library's heap
    const BerthContactLab* lab;  ///< null: the default. Read at creation only
    uint32_t stamp;              ///< set by the default function; ties the def to this library version
} BerthContactDef;
/// The def to start from; the comments of its fields state the defaults.
BERTH_API BerthContactDef berth_default_contact_def(void);

/// What moves a body.
typedef enum BerthBodyMotion {
    BERTH_BODY_FIXED = 0,  ///< nothing: two such bodies are not compared
    BERTH_BODY_DRIVEN,     ///< the caller
    BERTH_BODY_FREE        ///< forces, in berth_contact_step; needs a mass
} BerthBodyMotion;

/// A convex piece of a body.
typedef struct BerthContactPiece {
    BerthShape shape;           ///< a hull is copied
    BerthPose body_from_shape;  ///< pose of the shape in its body
} BerthContactPiece;

/// Always start from berth_default_contact_body_def().
typedef struct BerthContactBodyDef {
    const char* name;                 ///< copied; null: ""
    const BerthContactPiece* pieces;  ///< convex, copied; their union is the body
    int32_t piece_count;              ///< at least 1
    BerthPose world_from_body;        ///< its pose at the start
    BerthBodyMotion motion;           ///< what moves it
    double mass;  ///< kg, > 0 for a free body; its inertia is that of a solid of uniform density
    /// Levels of this body's octrees, see BerthContactLab.levels; -2 (the default): as the world's
    int32_t octree_levels;
    uint32_t stamp;  ///< set by the default function; ties the def to this library version
} BerthContactBodyDef;
/// The def to start from: fixed, at the origin, without a mass.
BERTH_API BerthContactBodyDef berth_default_contact_body_def(void);

/// An empty world: add bodies, then commit.
BERTH_API BerthStatus berth_contact_create(const BerthContactDef* def, BerthContactWorld** out);
/// Frees a world; null is fine.
BERTH_API void berth_contact_destroy(BerthContactWorld* world);
/// Adds a body. Bodies are numbered in the order in which they are added; `index` may be null. Not after
/// commit.
BERTH_API BerthStatus berth_contact_add_body(BerthContactWorld* world, const BerthContactBodyDef* def,
                                             int32_t* index);
/// These two bodies are not compared. Not after commit.
BERTH_API BerthStatus berth_contact_ignore(BerthContactWorld* world, int32_t body_a, int32_t body_b);
/// How these two bodies respond to contact. Not after commit.
BERTH_API BerthStatus berth_contact_set_pair_material(BerthContactWorld* world, int32_t body_a,
                                                      int32_t body_b, const BerthMaterial* material);
/// Takes all the memory that cycles will need.
BERTH_API BerthStatus berth_contact_commit(BerthContactWorld* world);

/// A committed world of the bodies of a committed scene, in the same order. Links are driven; objects with a
/// mass are free; of the others, those that are moving or persons are driven, the rest is fixed. Attached
/// objects move with their links. All pairs are compared except: two fixed bodies, links of one robot that
/// the scene does not check, and an attached object and the link it is attached to. Pairs that may touch
/// (`allow`, touch lists) are compared too, unless `skip_allowed` is set or nothing moves either of the two
/// (a base and what it is mounted on). The material of a pair is the scene's material "a+b" or "b+a" (names
/// of bodies), otherwise a mix of the two bodies' own (the material of the body's name, else "default", else
/// the def's): springs and dampers in series, 2 k l / (k + l), the mean of the viscosities, the root of the
/// product of the frictions. The scene is borrowed until the world is destroyed, and must not be edited
/// meanwhile.
BERTH_API BerthStatus berth_contact_from_scene(const BerthScene* scene, const BerthContactDef* def,
                                               bool skip_allowed, BerthContactWorld** out);
/// Places links and attached objects at the state `values` (berth_scene_value_count values). With `dt` > 0
/// seconds their velocities are those of the way from where they were before, with 0 they are 0. Objects that
/// are not attached stay where they are. Only for a world made from a scene that has not been edited since;
/// otherwise, and for values that are not numbers, BERTH_ERR_ARGUMENT, without a text. Called in every cycle.
BERTH_API BerthStatus berth_contact_place(BerthContactWorld* world, const double* values, double dt);
/// How many simplifications the world makes: rounded bodies, meshes that are not convex, parts whose overlap
/// counts twice, ... Complete after commit.
BERTH_API int32_t berth_contact_assumed_count(const BerthContactWorld* world);
/// One simplification; texts live as long as the world.
BERTH_API BerthAssumed berth_contact_assumed(const BerthContactWorld* world, int32_t index);
/// How many kinds of pairs are left out because they are meant to touch.
BERTH_API int32_t berth_contact_declared_count(const BerthContactWorld* world);
/// One such kind; texts live as long as the world.
BERTH_API BerthAssumed berth_contact_declared(const BerthContactWorld* world, int32_t index);

/// The present state of a body.
typedef struct BerthContactBody {
    const char* name;           ///< as it was given, or ""
    BerthBodyMotion motion;     ///< what moves it
    double mass;                ///< kg; 0 when none was given
    BerthVec3 centroid;         ///< in the body's frame
    BerthPose world_from_body;  ///< its pose
    BerthVec3 velocity;         ///< of the centroid, m/s, in the world
    BerthVec3 spin;             ///< rad/s, in the world
    int32_t piece_count;        ///< convex pieces
    int32_t vertex_count;       ///< of all pieces
    int32_t edge_count;         ///< of all pieces
    int32_t face_count;         ///< of all pieces
    double energy;              ///< of a free body: kinetic plus potential (of gravity), J
} BerthContactBody;
/// The number of bodies.
BERTH_API int32_t berth_contact_body_count(const BerthContactWorld* world);
/// Pose, velocity and make-up of a body. The name lives as long as the world.
BERTH_API BerthStatus berth_contact_body(const BerthContactWorld* world, int32_t body, BerthContactBody* out);
/// Places a body of any motion at a pose, which must be finite and a rotation. `velocity` is that of the
/// centroid in the world, `spin` in rad/s; null: 0. BERTH_ERR_ARGUMENT leaves the body where it was. Called
/// in every cycle.
BERTH_API BerthStatus berth_contact_move(BerthContactWorld* world, int32_t body, const BerthPose* pose,
                                         const BerthVec3* velocity, const BerthVec3* spin);
/// Places a body at a pose. With `dt` > 0 seconds its velocity and spin are those that brought it there from
/// where it was, with 0 they are 0. BERTH_ERR_ARGUMENT leaves it where it was. Called in every cycle.
BERTH_API BerthStatus berth_contact_lead(BerthContactWorld* world, int32_t body, const BerthPose* pose,
                                         double dt);

/// Kinds of features.
typedef enum BerthFeatureKind {
    BERTH_FEATURE_ROUND = 0,  ///< of a sphere or capsule, or where no feature can be identified
    BERTH_FEATURE_VERTEX,     ///< a corner
    BERTH_FEATURE_EDGE,       ///< an edge between two faces
    BERTH_FEATURE_FACE        ///< a face; coplanar neighbours are merged
} BerthFeatureKind;
/// "round", "vertex", "edge", "face".
BERTH_API const char* berth_feature_name(BerthFeatureKind kind);

/// A vertex, edge or face of a piece.
typedef struct BerthFeature {
    BerthFeatureKind kind;  ///< kind of feature
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
    double depth;            ///< metres, >= 0
    BerthVec3 force;         ///< N, on A, in the world
    int32_t age;             ///< cycles since it appeared; 0: new
} BerthContact;

/// Force and moment on a body.
typedef struct BerthWrench {
    BerthVec3 force;   ///< N, in the world
    BerthVec3 moment;  ///< N m, about the body's centroid, in the world
} BerthWrench;

/// The work of a cycle.
typedef struct BerthContactCounters {
    int64_t piece_pairs;   ///< pairs of convex pieces whose bounding balls meet
    int64_t node_tests;    ///< of octree nodes
    int64_t vertex_faces;  ///< vertex-face candidates
    int64_t edge_edges;    ///< edge-edge candidates
    int64_t searches;      ///< GJK searches, where features alone did not decide
} BerthContactCounters;

/// Why a pair of bodies could not be decided.
typedef enum BerthContactDoubt {
    BERTH_DOUBT_NUMERIC = 0,  ///< within rounding of touching, or not a number
    /// A mesh that is not convex, and open or beyond the budget of pieces, is nearer than its hull can
    /// resolve
    BERTH_DOUBT_NOT_CONVEX,
    BERTH_DOUBT_NO_FEATURES  ///< a map or a cloud
} BerthContactDoubt;
/// "numeric", "not_convex", "no_features".
BERTH_API const char* berth_contact_doubt_name(BerthContactDoubt doubt);

/// A pair of bodies that could not be decided: the answer has no contact and no force for it.
typedef struct BerthUnknownPair {
    int32_t body_a;           ///< the body with the smaller number
    int32_t body_b;           ///< the other body
    BerthContactDoubt doubt;  ///< why
    bool touching;            ///< the bodies are known to touch, but not with what force
} BerthUnknownPair;

/// The answer of one cycle.
typedef struct BerthContactResult {
    /// COLLISION: a pair touches, up to rounding (there may be no contact point, if all of them are inside a
    /// union of pieces). FREE: every pair is proven apart, rounding included. UNKNOWN: neither.
    BerthVerdict verdict;
    BerthReason reason;               ///< why it is UNKNOWN
    int32_t unknown_pairs;            ///< pairs of bodies that could not be decided (also with COLLISION)
    const BerthUnknownPair* unknown;  ///< these pairs, by body_a, then body_b; valid until the next call
    const BerthContact* contacts;     ///< by body_a, then body_b; valid until the next call
    int32_t contact_count;            ///< of `contacts`
    int64_t lost_count;           ///< contacts beyond the capacity; if any, the status is BERTH_ERR_CAPACITY
    const BerthWrench* wrenches;  ///< one per body; valid until the next call
    int32_t wrench_count;         ///< of `wrenches`: the number of bodies
    BerthContactCounters counters;  ///< the work of the cycle
} BerthContactResult;

/// One cycle: contacts and forces for the present poses. Only after commit. With BERTH_ERR_CAPACITY the
/// answer holds the contacts that fitted. Allocates nothing.
BERTH_API BerthStatus berth_contact_cycle(BerthContactWorld* world, BerthContactResult* out);
/// Forgets earlier contacts: the next cycle answers as a new world would.
BERTH_API void berth_contact_forget(BerthContactWorld* world);

/// How many substeps berth_contact_step takes for `dt` seconds: enough for the stiffest pair of bodies, by a
/// bound of stiffness over mass. 0: more than 256 would be needed, or `dt` is not valid.
BERTH_API int32_t berth_contact_substeps(const BerthContactWorld* world, double dt);
/// Moves the free bodies for `dt` seconds (above 0, at most 1) under contact forces and gravity; the answer
/// is the cycle at the new poses. Springs are integrated to second order, dampers implicitly, in as many
/// substeps as the stiffest pair needs; more than 256 are BERTH_ERR_ARGUMENT: use a smaller `dt` or softer
/// materials. This is not a physics engine: there are no constraints and no sleeping. Nothing moves when a
/// cycle fails, nor when a free body is in a pair whose forces are not known (NOT_CONVEX, NO_FEATURES): that
/// is BERTH_ERR_UNSUPPORTED, with the answer of the cycle. A body whose motion is no longer finite is
/// BERTH_ERR_ARGUMENT. Allocates nothing.
BERTH_API BerthStatus berth_contact_step(BerthContactWorld* world, double dt, BerthContactResult* out);

/// Where a follower went.
typedef struct BerthFollow {
    BerthPose world_from_body;  ///< its pose, no deeper in anything than `depth`
    double lag;                 ///< distance of its origin from the target's, metres
    double depth;               ///< of the deepest contact there, metres
    bool blocked;      ///< it did not reach the target: something is in the way, or the strides were spent
    int32_t steps;     ///< strides that it made, at most 64
    BerthVec3 behind;  ///< vector from the target's origin to its own, metres, in the world
    BerthVec3 turned;  ///< rotation from the target to it: axis times angle, radians, in the world
} BerthFollow;
/// Moves a driven body towards a target pose, but not into what it is compared with: it stops at surfaces and
/// slides along them. The other bodies stand still meanwhile. It turns as the target does where there is
/// room. A stride is never longer than the size of its pieces allows, so it does not jump through walls. It
/// keeps away from bodies that it cannot slide along: meshes that are not convex, maps, clouds.
/// BERTH_ERR_UNSUPPORTED for an unbounded body, such as a half-space, and for one that is itself such a mesh.
/// Allocates nothing.
BERTH_API BerthStatus berth_contact_follow(BerthContactWorld* world, int32_t body, const BerthPose* target,
                                           BerthFollow* out);

/// A spring and a damper between the hand that leads and the follower. Start from berth_default_coupling().
typedef struct BerthCoupling {
    double stiffness;  ///< N/m, default 1000
    double damping;    ///< N s/m, default 5
    /// m: lever by which rotation counts, N m/rad = stiffness radius^2; 0 (the default): that of the
    /// follower's ball
    double radius;
} BerthCoupling;
/// The coupling to start from.
BERTH_API BerthCoupling berth_default_coupling(void);
/// The force that the hand feels: the spring pulls it to where the follower is, the damper acts on the rate
/// of the lag since `before`, `dt` seconds earlier (null or 0: no damper). Force and moment on the hand,
/// about the target's origin, in the world. This is not the contact force, which is small because the
/// follower hardly penetrates anything. Allocates nothing.
BERTH_API BerthStatus berth_contact_couple(const BerthContactWorld* world, int32_t body,
                                           const BerthCoupling* coupling, const BerthFollow* now,
                                           const BerthFollow* before, double dt, BerthWrench* out);

#ifdef __cplusplus
}
#endif
#endif
