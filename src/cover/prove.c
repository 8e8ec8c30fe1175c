// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Is a body inside the union of balls? Proven by cells, never by samples: a part of a triangle is covered
// when its corners are in one ball, otherwise it is halved; a cube of space is done when it is in one ball or
// contains nothing of the inside, otherwise it is split into eight. The surface must be covered with slightly
// smaller radii (the skin), which decides the small cubes that the surface passes through.
// docs/theory/cover.md has the argument and its slack.
// Entry: bi_cover_prove.

#include <float.h>
#include <string.h>

#include "cover/cover.h"
#include "shape/gap.h"

enum { HALVINGS_MAX = 120, LEVELS_MAX = 26, MISSES_BACK = 48, WORK_BETWEEN_LOOKS = 2000000 };

typedef enum CubeSide { SIDE_UNKNOWN, SIDE_INSIDE, SIDE_OUTSIDE } CubeSide;

typedef struct ProofRun {
    const CoverBody* body;
    Ball* balls;
    int32_t count;
    const CoverQuestion* ask;
    size_t misses_first;
    Arena* arena;  // of the lists
    Arena* keep;   // of the misses
    CoverProof* out;
    double slack;
    int64_t work, look_at;  // what is left; where to ask next whether to stop
    bool failed;            // memory
    bool stopped;
    bool first_only;     // one open cell is enough
    int32_t* in_region;  // balls that reach the region
    int32_t in_region_count;
    // The balls and triangles that matter to the cubes of each level.
    int32_t* near_balls[LEVELS_MAX + 1];
    int32_t near_ball_count[LEVELS_MAX + 1];
    int32_t* near_triangles[LEVELS_MAX + 1];
    int32_t near_triangle_count[LEVELS_MAX + 1];
    size_t near_triangle_room[LEVELS_MAX + 1];
    CubeSide side[LEVELS_MAX + 2];  // of the cubes of each level that have no surface near, within one parent
} ProofRun;

static bool has_ended(const ProofRun* prove) {
    return prove->failed || prove->stopped || prove->out->spent ||
           (prove->first_only && prove->out->open > 0);
}

// Counts work; polls now and then whether to stop.
static void spend_work(ProofRun* prove, int64_t amount) {
    prove->work -= amount;
    if (prove->work < prove->look_at) {
        prove->look_at = prove->work - WORK_BETWEEN_LOOKS;
        prove->stopped = prove->stopped || prove->ask->stop.asked(prove->ask->stop.user);
    }
    if (prove->work < 0) {
        prove->out->spent = true;
    }
}

static bool beyond_region(const ProofRun* prove, Vec3 centre, double radius) {
    const Ball* region = prove->ask->region;
    return region != NULL && v3_distance(centre, region->centre) * (1.0 - 1e-12) >
                                 (region->radius + radius) * (1.0 + 1e-12) + 2.0 * prove->slack;
}

static bool within_region(const ProofRun* prove, Vec3 centre, double radius) {
    const Ball* region = prove->ask->region;
    return region == NULL || v3_distance(centre, region->centre) + radius <= region->radius;
}

// Is everything within `less` metres of the point in the ball? Two roundings of squares and roots are 8 u, sums of three
// are 4 u.
static bool ball_holds(const ProofRun* prove, const Ball* ball, Vec3 p, double less) {
    const Vec3 d = v3_sub(p, ball->centre);
    if (prove->body->metric == BERTH_METRIC_L1) {
        const double radius = ball->radius - less * (cover_room(BERTH_METRIC_L1) * (1.0 + 4.0 * BI_ULP));
        return radius > 0.0 && cover_length(BERTH_METRIC_L1, d) <= radius * (1.0 - 16.0 * BI_ULP);
    }

    const double radius = ball->radius - less;
    return radius > 0.0 && v3_length_sq(d) <= radius * radius * (1.0 - 16.0 * BI_ULP);
}

static double skin_of(const Ball* ball, bool closed) {
    return closed ? BI_COVER_SKIN * ball->radius : 0.0;
}

static void keep_miss(ProofRun* prove, Vec3 at) {
    CoverPoints* misses = prove->ask->misses;
    Vec3* room = bi_arena_grow(prove->keep, misses->at, misses->count, misses->count + 1, &misses->capacity,
                               sizeof *room);
    prove->failed = prove->failed || room == NULL;
    if (room != NULL) {
        misses->at = room;
        misses->at[misses->count++] = at;
    }
}

// Cells come in the order of neighbours: one point of a few that are near each other is enough.
static void add_miss(ProofRun* prove, Vec3 at) {
    CoverPoints* misses = prove->ask->misses;
    if (misses->count >= prove->ask->misses_max) {
        return;
    }

    const size_t look_back =
        misses->count - prove->misses_first < MISSES_BACK ? misses->count - prove->misses_first : MISSES_BACK;
    for (size_t i = 1; i <= look_back; ++i) {
        const Vec3 apart = v3_sub(misses->at[misses->count - i], at);
        if (v3_length_sq(apart) < 2.0 * prove->ask->leaf * prove->ask->leaf) {
            return;
        }
    }

    keep_miss(prove, at);
}

// From the balls that reach the region.
static double distance_to_balls(const ProofRun* prove, Vec3 p) {
    double least = DBL_MAX;
    for (int32_t k = 0; k < prove->in_region_count; ++k) {
        const Ball* ball = &prove->balls[prove->in_region[k]];
        least =
            cover_lesser(least, cover_length(prove->body->metric, v3_sub(p, ball->centre)) - ball->radius);
    }
    return least;
}

// The ball that needs to grow least to hold all corners, its skin included, does so.
static void grow_ball(ProofRun* prove, const Vec3* corners, int32_t corner_count, double slack, bool closed) {
    int32_t best = prove->ask->first_grown;
    double best_growth = DBL_MAX, best_radius = 0.0;

    const BerthMetric metric = prove->body->metric;
    const double room = cover_room(metric);
    for (int32_t i = best; i < prove->count; ++i) {
        const double reach =
            bi_cover_radius_around(metric, prove->balls[i].centre, corners, corner_count) + room * slack;
        const double radius = closed ? reach / (1.0 - BI_COVER_SKIN * room) : reach;
        if (radius - prove->balls[i].radius < best_growth) {
            best_growth = radius - prove->balls[i].radius;
            best_radius = radius;
            best = i;
        }
    }

    const double radius = best_radius * (1.0 + 64.0 * BI_ULP);
    if (radius > prove->balls[best].radius) {
        prove->out->grown = fmax(prove->out->grown, radius - prove->balls[best].radius);
        prove->balls[best].radius = radius;
    }
}

// Every corner that is in the region and in no ball, skins left out of account.
static void collect_misses(ProofRun* prove, const Vec3* corners, int32_t corner_count) {
    const Ball* region = prove->ask->region;
    const BerthMetric metric = prove->body->metric;
    const double held = 1.0 - BI_COVER_SKIN * cover_room(metric);
    for (int32_t k = 0; k < corner_count; ++k) {
        bool out = region == NULL || cover_within(metric, region->centre, region->radius, corners[k]);
        for (int32_t i = 0; i < prove->in_region_count && out; ++i) {
            const Ball* ball = &prove->balls[prove->in_region[i]];
            out = !cover_within(metric, ball->centre, held * ball->radius, corners[k]);
        }
        if (out && prove->ask->misses->count < prove->ask->misses_max) {
            keep_miss(prove, corners[k]);
        }
    }
    spend_work(prove, corner_count * (int64_t)(prove->in_region_count + 2));
}

static void report_miss(ProofRun* prove, const Vec3* corners, int32_t corner_count, double slack,
                        bool closed) {
    prove->out->open += 1;
    if (prove->ask->collect) {
        collect_misses(prove, corners, corner_count);
    } else if (prove->ask->misses != NULL) {  // the corner that is out most
        int32_t worst = 0;
        double farthest = distance_to_balls(prove, corners[0]);
        for (int32_t k = 1; k < corner_count; ++k) {
            const double distance = distance_to_balls(prove, corners[k]);
            if (distance > farthest) {
                farthest = distance;
                worst = k;
            }
        }
        add_miss(prove, corners[worst]);
    }

    if (prove->ask->grow && prove->count > prove->ask->first_grown) {
        grow_ball(prove, corners, corner_count, slack, closed);
    }
}

// ---- the surface ---------------------------------------------------------------------------------------------

typedef struct HalfTriangle {
    Vec3 point[3];
} HalfTriangle;

static bool in_one_ball(const ProofRun* prove, const int32_t* near, int32_t near_count, const Vec3 t[3],
                        double slack, bool closed) {
    for (int32_t i = 0; i < near_count; ++i) {
        const Ball* ball = &prove->balls[near[i]];
        const double less = slack + skin_of(ball, closed);
        if (ball_holds(prove, ball, t[0], less) && ball_holds(prove, ball, t[1], less) &&
            ball_holds(prove, ball, t[2], less)) {
            return true;
        }
    }
    return false;
}

static bool misses_region(const ProofRun* prove, const Vec3 t[3]) {
    if (prove->ask->region == NULL) {
        return false;
    }
    Vec3 nearest;
    const double reach = prove->ask->region->radius * (1.0 + 1e-12) + 2.0 * prove->slack;
    return bi_point_triangle_distance_sq(prove->ask->region->centre, t, &nearest) > reach * reach;
}

static void prove_triangle(ProofRun* prove, const Vec3 corner[3], double slack, bool closed) {
    // Balls that reach the triangle at all.
    int32_t* near = prove->near_balls[0];
    int32_t near_count = 0;
    const Ball around = bi_ball_smallest(corner, 3);
    for (int32_t k = 0; k < prove->in_region_count; ++k) {
        const int32_t i = prove->in_region[k];
        if (v3_distance(prove->balls[i].centre, around.centre) <=
            (prove->balls[i].radius + around.radius) * (1.0 + 64.0 * BI_ULP)) {
            near[near_count++] = i;
        }
    }
    spend_work(prove, prove->in_region_count);

    // Halving the longest edge: one more waits at each of the depths.
    HalfTriangle stack[HALVINGS_MAX + 2];
    int32_t count = 1;
    memcpy(stack[0].point, corner, sizeof stack[0].point);
    while (count > 0 && !has_ended(prove)) {
        const HalfTriangle cell = stack[--count];
        const Vec3* t = cell.point;
        prove->out->cells += 1;
        spend_work(prove, near_count + 1);
        if (misses_region(prove, t) || in_one_ball(prove, near, near_count, t, slack, closed)) {
            continue;
        }

        double longest_sq;
        const int32_t k = cover_longest_edge(t, &longest_sq);
        if (!(longest_sq > prove->ask->leaf * prove->ask->leaf) || count + 2 > HALVINGS_MAX) {
            report_miss(prove, t, 3, slack, closed);
            continue;
        }

        const Vec3 middle = v3_lerp(t[k], t[(k + 1) % 3], 0.5);
        stack[count++] = (HalfTriangle){{t[k], middle, t[(k + 2) % 3]}};
        stack[count++] = (HalfTriangle){{middle, t[(k + 1) % 3], t[(k + 2) % 3]}};
    }
}

// ---- the inside ----------------------------------------------------------------------------------------------

typedef struct Cube {
    Vec3 centre;
    int32_t level, child;  // child: the next one to look at
} Cube;

typedef enum CubeEnd { CUBE_DONE, CUBE_SPLIT, CUBE_OPEN } CubeEnd;

static bool cube_in_ball(const ProofRun* prove, const Ball* ball, Vec3 centre, double half, double slack) {
    const Vec3 far = v3_add(v3_abs(v3_sub(centre, ball->centre)), v3(half, half, half));
    return ball_holds(prove, ball, v3_add(ball->centre, far), slack);
}

static bool reserve_triangles(ProofRun* prove, int32_t level, int32_t count) {
    if (prove->near_triangle_room[level] < (size_t)count) {
        const size_t room = (size_t)count + 16;
        prove->near_triangles[level] = bi_arena_take(prove->arena, room, sizeof(int32_t));
        prove->near_triangle_room[level] = prove->near_triangles[level] != NULL ? room : 0;
        prove->failed = prove->failed || prove->near_triangles[level] == NULL;
    }
    return !prove->failed;
}

// Can the triangle be within reach of the point? Its box excludes most that cannot.
static bool box_is_near(const Vec3 t[3], Vec3 p, double reach) {
    for (int axis = 0; axis < 3; ++axis) {
        const double a = v3_at(t[0], axis), b = v3_at(t[1], axis), c = v3_at(t[2], axis), x = v3_at(p, axis);
        const bool below = a < x - reach && b < x - reach && c < x - reach;
        const bool above = a > x + reach && b > x + reach && c > x + reach;
        if (below || above) {
            return false;
        }
    }
    return true;
}

// Lists what of the level above matters to this cube: balls that reach the ball around it, triangles within its radius.
// Parents look a slack further than their children, so that rounded middles take nothing from the lists.
static double list_near(ProofRun* prove, Vec3 centre, double reach, int32_t level) {
    const int32_t above = level > 0 ? level - 1 : 0;
    int32_t count = 0;
    double least_radius = DBL_MAX;

    const int32_t ball_count = level > 0 ? prove->near_ball_count[above] : prove->in_region_count;
    const int32_t* ball_list = level > 0 ? prove->near_balls[above] : prove->in_region;
    for (int32_t k = 0; k < ball_count; ++k) {
        const int32_t i = ball_list[k];
        if (v3_distance(prove->balls[i].centre, centre) <= prove->balls[i].radius + reach) {
            prove->near_balls[level][count++] = i;
            least_radius = cover_lesser(least_radius, prove->balls[i].radius);
        }
    }

    prove->near_ball_count[level] = count;
    spend_work(prove, ball_count + 2 * (int64_t)prove->near_triangle_count[above]);
    count = 0;
    if (!reserve_triangles(prove, level, prove->near_triangle_count[above])) {
        return BI_COVER_SKIN * least_radius;
    }
    for (int32_t k = 0; k < prove->near_triangle_count[above]; ++k) {
        const int32_t i = prove->near_triangles[above][k];
        const Vec3* t = prove->body->triangles[i].point;
        Vec3 nearest;
        if (box_is_near(t, centre, reach) && !cover_plane_is_beyond(centre, t, reach + prove->slack) &&
            bi_point_triangle_distance_sq(centre, t, &nearest) <= reach * reach) {
            prove->near_triangles[level][count++] = i;
        }
    }

    prove->near_triangle_count[level] = count;
    return BI_COVER_SKIN * least_radius;
}

static bool inside_closed(const CoverBody* body, Vec3 point) {
    for (int32_t i = 0; i < body->part_count; ++i) {
        const CoverPart* part = &body->parts[i];
        if (part->closed && bi_solid_contains(part->solid, pose_apply_back(&part->body_from_solid, point))) {
            return true;
        }
    }
    return false;
}

// On which side a cube is, inside of a closed part or outside, given that no surface is within reach of its centre. Such cubes
// of one parent are all on one side: the line between two of their centres is at most two reaches long, so it meets no surface.
static CubeSide find_side(ProofRun* prove, Vec3 centre, int32_t level) {
    CubeSide* side = &prove->side[level];
    if (*side == SIDE_UNKNOWN) {
        *side = inside_closed(prove->body, centre) ? SIDE_INSIDE : SIDE_OUTSIDE;
    }
    return *side;
}

static CubeEnd judge_cube(ProofRun* prove, Vec3 centre, double half, int32_t level, double slack) {
    const double radius = half * 1.7320508075688774 * (1.0 + 1e-12);
    const int32_t* near = level > 0 ? prove->near_balls[level - 1] : prove->in_region;
    const int32_t near_count = level > 0 ? prove->near_ball_count[level - 1] : prove->in_region_count;
    if (beyond_region(prove, centre, radius)) {
        return CUBE_DONE;
    }

    spend_work(prove, near_count);
    for (int32_t k = 0; k < near_count; ++k) {
        if (cube_in_ball(prove, &prove->balls[near[k]], centre, half, slack)) {
            return CUBE_DONE;
        }
    }

    const double reach = radius + slack * (LEVELS_MAX + 1 - level);
    const double skin = list_near(prove, centre, reach, level);

    // No surface within reach: the cube is all inside or all outside.
    if (prove->near_triangle_count[level] == 0) {
        // A cube of one that has no surface near is inside as that was, or it would not have been cut.
        const bool known = level > 0 && prove->near_triangle_count[level - 1] == 0;
        if (!known && find_side(prove, centre, level) != SIDE_INSIDE) {
            return CUBE_DONE;
        }
        // No ball near either: nothing of it is covered, and where that is all that is asked, smaller tells no more.
        if (prove->ask->collect && prove->near_ball_count[level] == 0 &&
            within_region(prove, centre, radius)) {
            return CUBE_OPEN;
        }
        return 2.0 * half > prove->ask->leaf && level < LEVELS_MAX ? CUBE_SPLIT : CUBE_OPEN;
    }

    // A point of the surface is within `reach` of the centre. It is in a ball that is near, and everything within that
    // ball's skin of it is too.
    if (prove->ask->collect && 2.0 * half <= prove->ask->leaf) {
        return CUBE_DONE;  // its surface was tested
    }
    if (prove->near_ball_count[level] == 0 && !prove->ask->collect) {
        return CUBE_OPEN;
    }
    if (radius + reach + slack <= skin) {
        return CUBE_DONE;
    }
    // Smaller than the slack proves nothing more.
    return level < LEVELS_MAX && half > slack ? CUBE_SPLIT : CUBE_OPEN;
}

static void report_open_cube(ProofRun* prove, Vec3 centre, double half, double slack) {
    Vec3 corners[8];
    for (int32_t i = 0; i < 8; ++i) {
        corners[i] = v3_add(centre, v3((i & 1) != 0 ? half : -half, (i & 2) != 0 ? half : -half,
                                       (i & 4) != 0 ? half : -half));
    }
    report_miss(prove, corners, 8, 2.0 * slack, false);
}

/// Where the cubes begin: around the body, or around the region.
typedef struct RootCube {
    Vec3 centre;
    double half;
} RootCube;

static RootCube root_cube(const ProofRun* prove, double slack) {
    const CoverBody* body = prove->body;
    const Ball* region = prove->ask->region;
    if (region != NULL) {
        return (RootCube){region->centre, region->radius * (1.0 + 1e-9) + 2.0 * slack};
    }
    const Vec3 size = v3_sub(body->high, body->low);
    return (RootCube){v3_scale(v3_add(body->low, body->high), 0.5),
                      0.5 * fmax(size.x, fmax(size.y, size.z)) * (1.0 + 1e-9) + slack};
}

static void prove_inside(ProofRun* prove, double slack) {
    const RootCube root = root_cube(prove, slack);
    const double root_half = root.half;

    Cube stack[LEVELS_MAX + 2];
    int32_t top = 0;
    const CubeEnd whole = judge_cube(prove, root.centre, root_half, 0, slack);
    if (whole == CUBE_OPEN) {
        report_open_cube(prove, root.centre, root_half, slack);
    }
    if (whole != CUBE_SPLIT) {
        return;
    }

    stack[0] = (Cube){root.centre, 0, 0};
    prove->side[1] = SIDE_UNKNOWN;
    while (top >= 0 && !has_ended(prove)) {
        Cube* cube = &stack[top];
        if (cube->child == 8) {
            --top;
            continue;
        }

        const int32_t child = cube->child++;
        const int32_t level = cube->level + 1;
        const double half = ldexp(root_half, -level);
        const Vec3 centre =
            v3_add(cube->centre, v3((child & 1) != 0 ? half : -half, (child & 2) != 0 ? half : -half,
                                    (child & 4) != 0 ? half : -half));

        prove->out->cells += 1;
        const CubeEnd end = judge_cube(prove, centre, half, level, slack);
        if (end == CUBE_SPLIT) {
            stack[++top] = (Cube){centre, level, 0};
            prove->side[level + 1] = SIDE_UNKNOWN;
        } else if (end == CUBE_OPEN) {
            report_open_cube(prove, centre, half, slack);
        }
    }
}

// ---- both ----------------------------------------------------------------------------------------------------

static bool take_lists(ProofRun* prove) {
    prove->in_region = bi_arena_take(prove->arena, (size_t)prove->count + 1, sizeof(int32_t));
    bool taken = prove->in_region != NULL;
    for (int32_t level = 0; level <= LEVELS_MAX && taken; ++level) {
        prove->near_balls[level] = bi_arena_take(prove->arena, (size_t)prove->count + 1, sizeof(int32_t));
        taken = prove->near_balls[level] != NULL;
    }

    // Balls that grow may come to reach the region. A point of the surface that settles a cube of the region may be
    // outside of it by a skin, so the balls that hold such points count as well.
    double largest = 0.0;
    for (int32_t i = 0; i < prove->count; ++i) {
        largest = fmax(largest, prove->balls[i].radius);
    }
    for (int32_t i = 0; i < prove->count && taken; ++i) {
        if ((prove->ask->grow && i >= prove->ask->first_grown) ||
            !beyond_region(prove, prove->balls[i].centre,
                           prove->balls[i].radius + 1.001 * BI_COVER_SKIN * largest)) {
            prove->in_region[prove->in_region_count++] = i;
        }
    }
    return taken;
}

static bool block_is_near(const ProofRun* prove, int32_t block, double reach) {
    if (prove->ask->region == NULL) {
        return true;
    }
    const Vec3 c = prove->ask->region->centre;
    const Vec3 on = v3_max(prove->body->block_low[block], v3_min(prove->body->block_high[block], c));
    return v3_distance(on, c) * (1.0 - 1e-12) <= reach;
}

static void prove_surface(ProofRun* prove) {
    const CoverBody* body = prove->body;
    const double reach =
        prove->ask->region != NULL ? prove->ask->region->radius * (1.0 + 1e-9) + 4.0 * prove->slack : 0.0;

    for (int32_t block = 0; block < body->block_count && !has_ended(prove); ++block) {
        if (!block_is_near(prove, block, reach)) {
            continue;
        }
        const int32_t end = (block + 1) * BI_COVER_BLOCK;
        const int32_t last = end < body->triangle_count ? end : body->triangle_count;
        for (int32_t i = block * BI_COVER_BLOCK; i < last && !has_ended(prove); ++i) {
            prove_triangle(prove, body->triangles[i].point, prove->slack,
                           body->parts[body->part_of[i]].closed);
        }
    }
    spend_work(prove, body->block_count / 4);
}

// Triangles of closed parts within reach of the root cube; false when there are none at all, or no memory.
static bool list_root_triangles(ProofRun* prove) {
    const CoverBody* body = prove->body;
    const double reach = 1.8 * root_cube(prove, prove->slack).half + 2.0 * prove->slack * (LEVELS_MAX + 2);
    int32_t most = 0, at = 0;
    for (int32_t block = 0; block < body->block_count; ++block) {
        most += block_is_near(prove, block, reach) ? BI_COVER_BLOCK : 0;
    }
    if (!reserve_triangles(prove, 0, most)) {
        return false;
    }

    for (int32_t block = 0; block < body->block_count; ++block) {
        const int32_t end = (block + 1) * BI_COVER_BLOCK;
        const int32_t last = end < body->triangle_count ? end : body->triangle_count;
        for (int32_t i = block * BI_COVER_BLOCK; i < last && block_is_near(prove, block, reach); ++i) {
            if (body->parts[body->part_of[i]].closed) {
                prove->near_triangles[0][at++] = i;
            }
        }
    }
    prove->near_triangle_count[0] = at;
    return body->open_count < body->part_count;
}

static BerthStatus run_proof(ProofRun* prove) {
    prove->slack = prove->body->slack;
    if (!take_lists(prove)) {
        return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
    }

    prove_surface(prove);

    // The inside rests on the surface: where that is open there is nothing to ask.
    if (!has_ended(prove) && (prove->ask->grow || prove->ask->misses != NULL || prove->out->open == 0) &&
        list_root_triangles(prove)) {
        prove_inside(prove, prove->slack);
    }

    if (prove->stopped || prove->ask->stop.asked(prove->ask->stop.user)) {
        return bi_fail(BERTH_ERR_CANCELLED, "cover: stopped");
    }
    return prove->failed ? bi_fail(BERTH_ERR_MEMORY, "cover: out of memory") : BERTH_OK;
}

BerthStatus bi_cover_prove(CoverBody* body, Ball* balls, int32_t count, const CoverQuestion* question,
                           CoverProof* out) {
    *out = (CoverProof){.covered = false};

    Arena scratch;
    bi_arena_init(&scratch, &body->allocator, 0);
    ProofRun* prove = bi_arena_take(&scratch, 1, sizeof *prove);
    if (prove == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
    }

    *prove = (ProofRun){.body = body,
                        .balls = balls,
                        .count = count,
                        .ask = question,
                        .work = question->work > 0 ? question->work : BI_COVER_WORK,
                        .first_only = !question->grow && question->misses == NULL,
                        .misses_first = question->misses != NULL ? question->misses->count : 0,
                        .arena = &scratch,
                        .keep = &body->arena,
                        .out = out};
    prove->look_at = prove->work - WORK_BETWEEN_LOOKS;

    const BerthStatus status = run_proof(prove);
    out->covered = status == BERTH_OK && out->open == 0 && !out->spent && count > 0;
    bi_arena_free(&scratch);
    return status;
}
