// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of a contact world: bodies, convex pieces, what is remembered of each pair of pieces, and the parts of
// a cycle. Everything is sized by commit.
//
// Frames: pieces are given in their body's frame; a pair of bodies is handled in A's frame. A normal points from A to
// B. "Depth along n" of two pieces is (greatest n.a) - (least n.b): a translation by it along any unit n separates
// them, so the smallest over any set of n is an upper bound of the exact depth, and a negative one proves them apart.

#ifndef BI_CONTACT_H
#define BI_CONTACT_H

#include <berth/lab/contact.h>

#include "base/arena.h"
#include "contact/polytope.h"
#include "math/tolerance.h"
#include "shape/slice.h"

typedef enum PieceKind {
    PIECE_POLYTOPE,
    PIECE_ROUND,  ///< a sphere or a capsule
    PIECE_HALFSPACE,
    PIECE_SOLID,  ///< a map or a cloud: it has no features, only whether it touches is known
    PIECE_FLAT    ///< no volume: its contacts are GJK's, one point per pair
} PieceKind;

typedef struct Piece {
    PieceKind kind;
    Polytope polytope;
    BerthShape shape;      ///< for GJK
    Pose body_from_shape;  ///< identity for polytopes
    BerthHull* copy;       ///< the hull of a flat piece, owned
    Vec3 core[2];          ///< of a round piece: centre, or the two ends
    int32_t core_count;
    double radius;                 ///< of a round piece
    int32_t first_cut, cut_count;  ///< of a ball: planes where other balls of the body begin
    int32_t first_part,
        part_count;  ///< of a round piece: covers that name polyhedra of the body that overlap it
    Vec3 normal;     ///< of a half-space: solid where normal . x <= offset
    double offset;
    Vec3 centre;  ///< of a ball around it; infinite for half-spaces
    double ball;
    const BerthSolid* solid;  ///< of a scene: what it is taken from, or null
    Pose body_from_solid;
    double grown;    ///< metres around that solid that belong to the body (the radius of a scene's object)
    bool inexact;    ///< larger than that solid: a contact is one only if the solids touch
    bool hulled;     ///< the hull of a surface that is not convex: it proves apart, and pushes nothing
    bool merged;     ///< of several solids: those of its body are tested
    bool alone;      ///< its ball meets that of no other piece of the body
    double outside;  ///< metres that the body may reach further than its features say
} Piece;

typedef struct Body {
    const char* name;
    BerthBodyMotion motion;
    int32_t first_piece, piece_count;
    int32_t levels;  ///< as its def
    Vec3 centre;     ///< of a ball around all pieces
    double ball;
    double extent;  ///< no point is further from the frame's origin; of half-spaces, the plane
    Pose world_from_body;
    Vec3 velocity, spin;  ///< of the centroid; both in the world
    double mass;
    Vec3 centroid;
    Vec3 inertia[3];                   ///< about the centroid, in the body's frame
    Vec3 inverse[3];                   ///< of that
    Vec3 momentum;                     ///< angular, about the centroid, in the world
    int32_t first_solid, solid_count;  ///< of a scene, before pieces were made one
    int32_t frame;                     ///< of the scene it moves with; -1: none
    bool placed;                       ///< berth_contact_place has put it somewhere
} Body;

typedef enum AxisKind {
    AXIS_NONE = 0,
    AXIS_PLAIN,   ///< a direction without features
    AXIS_FACE_A,  ///< normal of face a of A
    AXIS_FACE_B,  ///< against the normal of face b of B
    AXIS_EDGES    ///< across edge a of A and edge b of B
} AxisKind;

typedef struct Axis {
    AxisKind kind;
    int32_t a, b;
    Vec3 n;        ///< unit, from A to B, in A's frame
    double depth;  ///< along n
} Axis;

/// What is remembered of two pieces.
typedef struct PairMemory {
    Axis axis;  ///< of the last cycle: of a contact, or one that parted them
    int32_t hint_a, hint_b;
    int32_t last_first, last_count;  ///< their contacts in the last cycle's list
    uint32_t cycle;                  ///< when that was
} PairMemory;

typedef struct BodyPair {
    int32_t a, b;
    int32_t first_memory;  ///< piece_count of a * piece_count of b of them
    BerthMaterial material;
    double
        lightness;  ///< 1/kg: most that a newton anywhere on the free ones of the two accelerates that point
} BodyPair;

/// What holds two bodies on each other while steps are made: how far a spring along the surface is stretched.
typedef struct Stick {
    Vec3 stretch;  ///< metres that A went along B's surface, in the world
    double twist;  ///< radians that A turned about the normal
} Stick;

typedef struct PairRule {
    int32_t a, b;
    bool ignored;
    BerthMaterial material;
} PairRule;

/// Corners of a face while it is clipped, with what made each.
typedef struct ClipPoint {
    Vec3 at;
    int32_t vertex;  ///< of the incident body, or -1
    int32_t side;    ///< of the reference face it was cut by, or -1
    int32_t edge;    ///< incident corner whose side leaves it, or -1 - side of the reference face
    int32_t cut;     ///< incident corner whose side was cut, or -1 - side of the reference face
    double depth;
} ClipPoint;

enum { EDGE_FILTER = 1024 };  ///< edge pairs remembered within one search; more only cost time

typedef struct EdgeSeen {
    uint32_t search;
    int32_t a, b;
} EdgeSeen;

/// A face of another piece of the same body that lies against a face.
typedef struct FaceCover {
    int32_t piece, face;
} FaceCover;

/// normal . x <= offset
typedef struct PlaneAt {
    Vec3 normal;
    double offset;
} PlaneAt;

/// What two pieces have in common, in A's frame. `push` is out of B and into A; it and the surface are the mean of both
/// bodies' outer surfaces.
typedef struct Overlap {
    int32_t piece_a, piece_b;
    SliceSum sum;
} Overlap;

/// A solid of a scene that a body is made of.
typedef struct BodySolid {
    const BerthSolid* solid;
    Pose body_from_solid;
    double grown;
} BodySolid;

/// What is said beside the answers.
typedef struct ContactList {
    BerthAssumed* items;
    int32_t count;
    size_t capacity;
} ContactList;

struct BerthContactWorld {
    BerthContactDef def;
    BerthContactLab lab;  ///< what the def points to, or the default
    Arena arena;
    bool committed;
    Body* bodies;
    int32_t body_count;
    size_t body_capacity;
    Piece* pieces;
    int32_t piece_count;
    size_t piece_capacity;
    FaceCover* covers;
    int32_t cover_count;
    size_t cover_capacity;
    PlaneAt* cuts;  ///< between the balls of one body, in its frame
    int32_t cut_count;
    size_t cut_capacity;
    int32_t cut_most;      ///< of one ball
    int32_t double_count;  ///< pairs of parts of one body whose common volume counts twice,
    int32_t double_round;  ///< those of which it does against round parts of other bodies,
    int32_t double_ball;   ///< and those of which it does against capsules
    BodySolid* solids;
    int32_t solid_count;
    size_t solid_capacity;
    PairRule* links;
    int32_t link_count;
    size_t link_capacity;
    ContactList assumed, declared;
    const BerthScene* scene;
    uint64_t generation;
    Pose* world_from_frame;  ///< of the scene's robots
    BerthTreeQuery* query;   ///< tests solids whose pieces are inexact; null when there are none

    // From commit on.
    BodyPair* pairs;
    int32_t pair_count;
    PairMemory* memories;
    int32_t memory_count;
    BerthContact* contacts;  ///< this cycle's
    BerthContact* before;    ///< the last cycle's
    BerthContact* probes;    ///< while a follower looks around
    int32_t contact_count, before_count;
    BerthUnknownPair* unknown;  ///< this cycle's
    bool probing;               ///< a follower is looking: ages and last contacts stay
    BerthWrench* wrenches;
    Overlap* overlaps;  ///< of the pair of bodies at work
    int32_t overlap_count;
    Stick* sticks;       ///< one a pair of bodies
    Body* saved;         ///< bodies before a step
    double fastest;      ///< rad/s, an upper bound for all springs and masses
    double implicit;     ///< seconds of the substep that dampers are implicit for; 0: none
    PlaneAt* planes[2];  ///< of the two pieces at work, and polygons cut by them
    Vec3* polygon[2];
    SlicePlane* slice_planes;  ///< of a round piece and another
    Vec3* slice_edges;
    ClipPoint* clip[2];
    int32_t clip_capacity, polygon_room;  ///< points of each
    BerthContact* found;                  ///< of one pair of pieces, before it is reduced
    int32_t found_capacity;
    uint32_t* face_seen[2];  ///< search in which a face was looked at, of A and of B
    uint32_t* vertex_seen[2];
    uint8_t* out_side[2];    ///< of vertices, against a lens
    int32_t* near_edges[2];  ///< of the two pieces at work
    uint32_t search;
    int32_t face_most, vertex_most;  ///< of one piece
    EdgeSeen edge_seen[EDGE_FILTER];
    uint32_t cycle;
    BerthContactCounters counters;
};

/// One pair of pieces at work.
typedef struct Work {
    BerthContactWorld* world;
    const Body *body_a, *body_b;
    const Piece *a, *b;
    PairMemory* memory;
    Pose a_from_b;
    double slack;  ///< metres that a depth may be off by rounding
    double keep;   ///< metres that a new axis must be better by
    int32_t found_count;
    int64_t lost;  ///< points beyond found_capacity
} Work;

typedef enum Meeting { MEETING_UNKNOWN = 0, MEETING_APART, MEETING_TOUCH } Meeting;

/// Of many and one more: TOUCH if any touch, else UNKNOWN if any are, else APART.
static inline Meeting meeting_with(Meeting many, Meeting one) {
    if (many == MEETING_TOUCH || one == MEETING_TOUCH) {
        return MEETING_TOUCH;
    }
    return one == MEETING_UNKNOWN ? MEETING_UNKNOWN : many;
}

/// The least axis of two polytopes out of what is remembered of them. UNKNOWN: nothing is. TOUCH is only true when a
/// point in both is found as well: features of bodies that are apart may look as if they met.
Meeting bi_contact_find_axis_again(Work* work, Axis* out);
/// The least axis of two polytopes from the beginning. TOUCH is true. UNKNOWN: within rounding of touching; `out` holds
/// when a point in both is found.
Meeting bi_contact_find_axis(Work* work, Axis* out);
/// Numbers the next search: marks of earlier ones are old from now on.
void bi_contact_begin_search(BerthContactWorld* world);
/// Depth of two polytopes along n. `exact`: by looking at every vertex.
double bi_contact_depth_along(Work* work, Vec3 n, bool exact);
/// Asks GJK. TOUCH: `out` is an axis without features.
Meeting bi_contact_search_gjk(Work* work, Axis* out, BerthGap* gap);
/// Two edges, in A's frame.
typedef struct EdgePair {
    bool crosses;  ///< their Gauss arcs cross, and they are not parallel; else only the points below hold
    Vec3 n;
    double depth;
    double along_a, along_b;  ///< where their lines are nearest, from the tails
    Vec3 point_a, point_b;    ///< there, kept between the ends
} EdgePair;
EdgePair bi_contact_edge_pair(const Work* work, int32_t edge_a, int32_t edge_b);
/// A rotation, finite, and within the range of coordinates.
bool bi_contact_pose_is_good(const Pose* p);
/// Was this pair of edges looked at in this search? False may be wrong, true is not.
bool bi_contact_mark_edges_seen(BerthContactWorld* world, int32_t edge_a, int32_t edge_b);
/// Points of the touching area along an axis, into world->found.
void bi_contact_add_manifold(Work* work, const Axis* axis);
/// Paper 003: every vertex with its nearest face, every pair of edges, no deeper than `reach`, into world->found.
void bi_contact_add_elemental(Work* work, double reach);
/// Contacts where one piece is no polytope.
Meeting bi_contact_add_round(Work* work);
/// Adds a point to world->found.
void bi_contact_add_point(Work* work, BerthFeature a, BerthFeature b, Vec3 point, Vec3 normal, double depth);
/// Leaves at most def.points of world->found: deepest, then farthest apart.
void bi_contact_reduce_points(Work* work);
/// Do two pieces touch? Leaves the points in world->found.
Meeting bi_contact_pieces(Work* work);
/// What two bodies have to do with each other.
typedef struct BodyMeeting {
    Meeting meeting;
    bool is_blind;            ///< what touches, or may, has no features: no contact of the two was kept
    BerthContactDoubt doubt;  ///< when it is blind or UNKNOWN
    bool touching;            ///< and it does touch
    int64_t lost;             ///< contacts that did not fit
} BodyMeeting;
/// Contacts of two bodies; appends to world->contacts in the world frame.
BodyMeeting bi_contact_bodies(BerthContactWorld* world, const BodyPair* pair);
/// What two pieces have in common. False for flat ones: they have no volume.
bool bi_contact_overlap(Work* work, const Body* a, const Body* b, SliceSum* out);
/// Forces of world->overlaps, into wrenches; contacts [first, end) get their shares.
void bi_contact_overlap_forces(BerthContactWorld* world, const BodyPair* pair, int32_t first, int32_t end);
/// Is the contact's force that of an overlap?
bool bi_contact_has_overlap(const BerthContactWorld* world, const BerthContact* c);
/// Forces of contacts [first, end) of one pair, and their sums into wrenches.
void bi_contact_forces(BerthContactWorld* world, const BodyPair* pair, int32_t first, int32_t end);

/// A damper for the substep: implicit, so that it never turns a speed round. `count` of them act on the pair.
static inline double damper_rate(const BerthContactWorld* world, const BodyPair* pair, double rate,
                                 double count) {
    return rate / (1.0 + world->implicit * rate * count * pair->lightness);
}

/// Speed of the point of a body.
static inline Vec3 body_speed(const Body* body, Vec3 point) {
    const Vec3 arm = v3_sub(point, pose_apply(&body->world_from_body, body->centroid));
    return v3_add(body->velocity, v3_cross(body->spin, arm));
}
static inline Vec3 columns_apply(const Vec3 columns[3], Vec3 v) {
    return v3_mad(v3_mad(v3_scale(columns[0], v.x), v.y, columns[1]), v.z, columns[2]);
}
/// Spin out of the angular momentum.
static inline Vec3 body_spin(const Body* body) {
    const Vec3 inside = pose_turn_back(&body->world_from_body, body->momentum);
    return pose_turn(&body->world_from_body, columns_apply(body->inverse, inside));
}

#endif
