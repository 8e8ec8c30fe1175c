// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Covering balls of a body from the inside. A body is the solids of one link, all as triangles in one frame; a fit is a
// set of balls whose union contains it. docs/tree.md, section Covering balls, has the ideas and the proof.

#ifndef BI_COVER_H
#define BI_COVER_H

#include <berth/cover.h>

#include "base/arena.h"
#include "math/math.h"
#include "shape/ball.h"
#include "tree/solid.h"

enum {
    BI_COVER_BALLS_MAX = 4096,  ///< of one body
    BI_COVER_TRIANGLES_MAX = 4000000,
};

/// One solid of a body and where it is.
typedef struct CoverPiece {
    const BerthSolid* solid;  ///< borrowed as long as the body lives
    Pose body_from_solid;
} CoverPiece;

/// A piece as a mesh: its own, or one around a shape.
typedef struct CoverPart {
    const BerthSolid* solid;
    BerthSolid* owned;  ///< `solid`, when it was made here
    Pose body_from_solid;
    bool closed;
    double excess;  ///< the mesh reaches at most this far beyond the shape it stands for
    double slack;   ///< its corners in the body's frame may be off by this much
} CoverPart;

typedef struct CoverBody {
    BerthAllocator allocator;
    Arena arena;
    CoverPart* parts;
    int32_t part_count;
    Ball* given;  ///< the pieces themselves, when all are spheres; else null
    int32_t given_count;
    Triangle* triangles;  ///< of all parts, in the body's frame
    int32_t* part_of;     ///< of each triangle
    int32_t triangle_count;
    int32_t open_count;  ///< parts that are surfaces only
    Vec3 low, high;
    double diagonal, area;
} CoverBody;

/// Makes a body. Half-spaces are refused: no balls contain one.
BerthStatus bi_cover_body_create(const CoverPiece* pieces, int32_t count, const BerthAllocator* allocator,
                                 CoverBody** out);
void bi_cover_body_destroy(CoverBody* body);
/// A closed mesh around a convex shape, and how far it reaches beyond it.
BerthStatus bi_cover_mesh_around(const BerthShape* shape, const BerthAllocator* allocator, BerthMesh** out,
                                 double* excess);

/// Distance of a point to the surface of a mesh, both in the solid's frame; larger than `limit` it need not be right. The
/// nearest point is told when it is asked for.
double bi_cover_surface_distance(const BerthSolid* solid, Vec3 point, double limit, Vec3* nearest);
/// How deep a point is in the body: a ball of this radius around it is inside. Negative: minus the distance to it. Inside
/// an open mesh is what its surface hides along all six axes: a guess.
double bi_cover_depth(const CoverBody* body, Vec3 point);

/// The longest edge of a triangle, by the corner that it begins at: the first of equal ones.
static inline int32_t cover_longest_edge(const Vec3 t[3], double* length_sq) {
    const double sq[3] = {v3_length_sq(v3_sub(t[1], t[0])), v3_length_sq(v3_sub(t[2], t[1])),
                          v3_length_sq(v3_sub(t[0], t[2]))};
    int32_t longest = sq[1] >= sq[2] ? 1 : 2;
    if (sq[0] >= sq[1] && sq[0] >= sq[2]) {
        longest = 0;
    }
    *length_sq = sq[longest];
    return longest;
}

/// Points that grow in number.
typedef struct CoverPoints {
    Vec3* at;
    size_t count, capacity;
} CoverPoints;

/// Where balls may be put, and how deep that is.
typedef struct CoverPlaces {
    Vec3* at;
    double* depth;
    size_t count, capacity, depth_capacity;
} CoverPlaces;

/// Stops long work: set from any thread.
typedef struct CoverStop {
    bool (*asked)(void* user);
    void* user;
} CoverStop;

/// A fit in progress. Everything is in the body's arena.
typedef struct CoverFit {
    CoverBody* body;
    CoverStop stop;
    Random random;
    CoverPoints points;  ///< that must be covered: surface, then inside, then where a proof failed
    CoverPlaces places;
    Ball* balls;
    int32_t ball_count;
    int32_t* owner;  ///< ball of each point
    size_t owner_capacity;
    Vec3* gathered;  ///< scratch: as many as points
    size_t gathered_capacity;
    uint64_t* cover;  ///< scratch of the greedy cover
    size_t cover_capacity;
} CoverFit;

/// One step of the ladder: what a greedy cover needs when no ball may protrude more than `reach`.
typedef struct CoverStep {
    double reach;
    double volume;  ///< of the union
    int32_t count;
} CoverStep;

/// `inside`: with points inside and places for balls; a single ball needs neither.
BerthStatus bi_cover_start(CoverBody* body, int32_t surface_points, bool inside, uint64_t seed,
                           CoverStop stop, CoverFit* out);
/// Balls that protrude at most `reach` and cover all points; false when more than `most` are needed (or memory is short:
/// see the arena). `balls` has room for `most`.
bool bi_cover_choose_greedily(CoverFit* fit, double reach, int32_t most, Ball* balls, int32_t* count);
/// Every point to the ball it is deepest in, every ball the smallest around its points; until nothing changes or `rounds`
/// are done. Radii only shrink. Balls without points are dropped.
BerthStatus bi_cover_settle(CoverFit* fit, int32_t rounds);
/// Moves points between balls and balls between places as long as the volume of the union gets smaller.
BerthStatus bi_cover_improve(CoverFit* fit, int32_t moves);
/// Splits or merges balls until there are `count`.
BerthStatus bi_cover_set_count(CoverFit* fit, int32_t count);

/// What a proof of cover found.
typedef struct CoverProof {
    bool covered;   ///< every point of surface, and of the inside of closed parts, is in a ball
    int64_t cells;  ///< that were looked at
    int64_t open;   ///< cells that are in no ball
    double grown;   ///< largest growth of a radius
} CoverProof;

/// Is the body inside the balls? `leaf`: the smallest cell, metres. With `grow`, balls grow so that it is; with `misses`,
/// what is outside goes there (at most `misses_max`).
BerthStatus bi_cover_prove(CoverBody* body, Ball* balls, int32_t count, double leaf, bool grow,
                           CoverStop stop, CoverPoints* misses, size_t misses_max, CoverProof* out);

/// What balls are like.
typedef struct CoverMeasure {
    double volume;         ///< of their union
    double solid_volume;   ///< of the body; 0 when it has open parts
    double reach;          ///< no point of a ball is further than this from the body
    double mean_reach;     ///< of the union's surface, by samples
    double outside_share;  ///< of the body's surface that is in no ball
    double outside_most;   ///< how far such a point is from the nearest ball
} CoverMeasure;
/// `covered` is proven already: nothing is outside.
void bi_cover_measure(const CoverBody* body, const Ball* balls, int32_t count, bool covered,
                      CoverMeasure* out);
/// What of the union is on lines through this box (all of their length), as below.
double bi_cover_union_volume_through_box(const Ball* balls, int32_t count, double step, Vec3 low, Vec3 high);
/// The volume of the union by lines `step` metres apart, each exact.
double bi_cover_union_volume(const Ball* balls, int32_t count, double step);

/// Radius that a point of the surface must be inside of, so that what is near it is inside too.
#define BI_COVER_SKIN 0.004

#endif
