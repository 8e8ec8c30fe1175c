// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of covering balls. A body is the solids of one link, all as triangles in one frame; a fit is
// a set of balls whose union contains it. docs/theory/cover.md has the ideas and the proof.

#ifndef BI_COVER_H
#define BI_COVER_H

#include <berth/lab/cover.h>

#include "base/arena.h"
#include "math/math.h"
#include "shape/ball.h"
#include "tree/solid.h"

enum {
    BI_COVER_BALLS_MAX = 4096,  ///< of one body
    BI_COVER_TRIANGLES_MAX = 4000000,
    BI_COVER_BLOCK = 32,  ///< triangles in a block
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
    BerthMetric metric;  ///< of the balls; depths, protrusions and skins are Euclidean for both
    Arena arena;
    CoverPart* parts;
    int32_t part_count;
    Ball* given;  ///< the pieces themselves, when all are spheres; else null
    int32_t given_count;
    Triangle* triangles;  ///< of all parts, in the body's frame
    int32_t* part_of;     ///< of each triangle
    int32_t triangle_count;
    int32_t open_count;  ///< parts that are surfaces only
    Vec3* block_low;     ///< boxes around each BI_COVER_BLOCK triangles, which are near each other
    Vec3* block_high;
    int32_t block_count;
    Vec3 low, high;
    double diagonal, area;
    double slack;       ///< of all distances between corners and balls
    double radius_min;  ///< smaller balls have no skin that the slack leaves anything of
} CoverBody;

/// Makes a body. Half-spaces are refused: no balls contain one.
BerthStatus bi_cover_body_create(const CoverPiece* pieces, int32_t count, BerthMetric metric,
                                 const BerthAllocator* allocator, CoverBody** out);
void bi_cover_body_destroy(CoverBody* body);
/// A closed mesh around a convex shape, and how far it reaches beyond it.
BerthStatus bi_cover_mesh_around(const BerthShape* shape, const BerthAllocator* allocator, BerthMesh** out,
                                 double* excess);

/// Distance of a point to the surface of a mesh, both in the solid's frame; larger than `limit` it need not be right. The
/// nearest point is returned on request.
double bi_cover_surface_distance(const BerthSolid* solid, Vec3 point, double limit, Vec3* nearest);
/// How deep a point is in the body: a ball of this radius around it is inside. Negative: minus the distance to it. Inside
/// an open mesh is what its surface hides along all six axes: a guess.
double bi_cover_depth(const CoverBody* body, Vec3 point);

// ---- balls of both metrics -----------------------------------------------------------------------------------

/// How long a difference is.
static inline double cover_length(BerthMetric metric, Vec3 d) {
    return metric == BERTH_METRIC_L1 ? fabs(d.x) + fabs(d.y) + fabs(d.z) : v3_length(d);
}

/// A step of one metre is at most this long: what a Euclidean slack or skin takes from a radius.
static inline double cover_room(BerthMetric metric) {
    return metric == BERTH_METRIC_L1 ? 1.7320508075688774 : 1.0;
}

/// How deep a point is in a ball: negative outside, and there minus the distance. Only to be compared.
static inline double cover_depth_in_ball(BerthMetric metric, const Ball* ball, Vec3 p) {
    const Vec3 d = v3_sub(p, ball->centre);
    if (metric == BERTH_METRIC_L1) {
        return ball->radius - cover_length(metric, d);
    }
    const double sq = v3_length_sq(d), r_sq = ball->radius * ball->radius;
    return sq <= r_sq ? r_sq - sq : ball->radius - sqrt(sq);
}

/// Is the point within `radius` of the centre? To rounding.
static inline bool cover_within(BerthMetric metric, Vec3 centre, double radius, Vec3 p) {
    const Vec3 d = v3_sub(p, centre);
    return metric == BERTH_METRIC_L1 ? cover_length(metric, d) <= radius : v3_length_sq(d) <= radius * radius;
}

/// The smallest radius around `centre` that contains every point, rounded up; -1 for none.
double bi_cover_radius_around(BerthMetric metric, Vec3 centre, const Vec3* points, int32_t count);
/// The smallest ball around points, to rounding; radius -1 for none.
Ball bi_cover_smallest_ball(BerthMetric metric, const Vec3* points, int32_t count);

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

/// fmin and fmax for numbers that are no NaN: those two are calls, which loops over cells and lines feel.
static inline double cover_lesser(double a, double b) {
    return b < a ? b : a;
}
static inline double cover_greater(double a, double b) {
    return b > a ? b : a;
}

static inline double cover_abs_sum(Vec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

/// Is the triangle's plane further from the point than `reach`? Cheaper than the triangle's distance. The normal is off by its
/// rounding, which is multiplied by how far the corners and the point are from each other.
static inline bool cover_plane_is_beyond(Vec3 p, const Vec3 t[3], double reach) {
    const Vec3 u = v3_sub(t[1], t[0]), v = v3_sub(t[2], t[0]), r = v3_sub(p, t[0]);
    const Vec3 normal = v3_cross(u, v);
    const double u_size = cover_abs_sum(u), v_size = cover_abs_sum(v);
    const double off = 16.0 * BI_ULP * u_size * v_size * (u_size + v_size + cover_abs_sum(r));
    const double height = fabs(v3_dot(normal, r)) - off;
    return height > 0.0 && height * height > reach * reach * v3_length_sq(normal);
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

/// Points of the surface, and `cells` cells of a grid for points inside and places for balls; a single ball needs
/// no cells.
BerthStatus bi_cover_start(CoverBody* body, int32_t surface_points, int32_t cells, uint64_t seed,
                           CoverStop stop, CoverFit* out);
/// Balls that protrude at most `reach` and cover all points; false when more than `most` are needed (or memory is short:
/// see the arena). `balls` has room for `most`.
bool bi_cover_choose_greedily(CoverFit* fit, double reach, int32_t most, Ball* balls, int32_t* count);
/// Every point to the ball it is deepest in, every ball the smallest around its points; until nothing changes or `rounds`
/// are done. Radii only shrink. Balls without points are dropped.
BerthStatus bi_cover_settle(CoverFit* fit, int32_t rounds);
/// Moves points between balls and balls between places as long as the volume of the union gets smaller, until `work` is
/// spent; balls that would protrude more than `cap` are kept away from.
BerthStatus bi_cover_improve(CoverFit* fit, double work, double cap);
/// Splits the largest balls until there are `count`, where points allow.
BerthStatus bi_cover_fill_up(CoverFit* fit, int32_t count);
/// Room for an owner of each point.
BerthStatus bi_cover_reserve_owners(CoverFit* fit);
/// The ball that a point is deepest in, or least outside of.
int32_t bi_cover_deepest(BerthMetric metric, const Ball* balls, int32_t count, Vec3 p);

/// What a proof of cover found.
typedef struct CoverProof {
    bool covered;   ///< every point of surface, and of the inside of closed parts, is in a ball
    int64_t cells;  ///< that were looked at
    int64_t open;   ///< cells that are in no ball
    double grown;   ///< largest growth of a radius
    bool spent;     ///< the work allowed was not enough: nothing is proven
} CoverProof;

/// Is the body inside the balls?
typedef struct CoverQuestion {
    double leaf;          ///< the smallest cell, metres
    const Ball* region;   ///< only what of the body is in this ball; null: all of it
    bool grow;            ///< balls grow so that it is
    int32_t first_grown;  ///< of those that may
    CoverPoints* misses;  ///< what is outside goes here, unless null: into the body's arena
    size_t misses_max;    ///< points that there may be then
    bool collect;         ///< of everything that is outside, inside of closed parts too, all corners of cells
    int64_t work;         ///< balls and triangles that may be looked at; 0: BI_COVER_WORK
    CoverStop stop;
} CoverQuestion;
BerthStatus bi_cover_prove(CoverBody* body, Ball* balls, int32_t count, const CoverQuestion* question,
                           CoverProof* out);

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
BerthStatus bi_cover_measure(const CoverBody* body, const Ball* balls, int32_t count, bool covered,
                             CoverStop stop, CoverMeasure* out);
/// Lines that volumes are summed along: parallel to one axis, through the middles of squares whose place is fixed. So
/// the effect of a change of a few balls on the sum is given by the lines near them.
typedef struct CoverLines {
    BerthMetric metric;
    int axis;
    Vec3 anchor;  ///< a corner of a square
    double step;  ///< side of the squares, metres
} CoverLines;
/// The body's own lines: all its volumes are measured by these, so that they can be compared.
CoverLines bi_cover_lines(const CoverBody* body);
/// What of the union is on lines through this box (all of their length). `work`, unless null, grows by what it cost.
double bi_cover_union_volume_through_box(const Ball* balls, int32_t count, const CoverLines* lines, Vec3 low,
                                         Vec3 high, double* work);
/// The volume of the union, each line exact.
double bi_cover_union_volume(const Ball* balls, int32_t count, const CoverLines* lines);
/// What the union of `now` has more than that of `before`.
double bi_cover_volume_change(const Ball* before, int32_t before_count, const Ball* now, int32_t now_count,
                              const CoverLines* lines, Vec3 low, Vec3 high);

/// Balls that are proven to contain a body.
typedef struct QuickCover {
    Ball*
        balls;  // in the frame of the pieces' body; taken from the caller's allocator (bi_give: `count` of them)
    int32_t count;
    double protrusion;  // a bound of how far they reach beyond the body, metres
} QuickCover;
/// A proven cover of pieces in little time, for robots that are loaded: at most `most` balls (at least 1), which protrude by
/// at most `protrusion` metres where that many balls and a bounded amount of work can do that, else by as little as was
/// found. Every point of the surface, and of the inside of closed pieces, is in a ball. Spheres come back as they are,
/// unless there are more than `most`. At worst it is one ball around everything. Fails for half-spaces and without memory,
/// `out` is empty then.
BerthStatus bi_cover_quick(const CoverPiece* pieces, int32_t count, double protrusion, int32_t most,
                           const BerthAllocator* allocator, QuickCover* out);
/// Balls that are proven to lie inside of closed pieces, each in one of them: at most `most`, large ones that are apart
/// from each other first; `balls` has room for so many. None in surfaces, half-spaces and maps.
BerthStatus bi_cover_inscribed(const CoverPiece* pieces, int32_t count, int32_t most,
                               const BerthAllocator* allocator, Ball* balls, int32_t* ball_count);

/// No point of the ball is further than this from the body.
double bi_cover_protrusion(const CoverBody* body, const Ball* ball);
/// The largest of several; 0 for none.
double bi_cover_largest_protrusion(const CoverBody* body, const Ball* balls, int32_t count);

/// Work of one proof of a whole body, in balls and triangles that cells are compared with: about ten seconds.
#define BI_COVER_WORK 4000000000
/// Share of its radius that a ball has to spare beyond every point of the surface that it covers: what is near that
/// point is inside too.
#define BI_COVER_SKIN 0.001

#endif
