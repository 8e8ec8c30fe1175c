// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Is a body inside the union of balls? Proven by cells, never by samples: a part of a triangle is covered when its
// corners are in one ball, else it is halved; a cube of space is done when it is in one ball or has nothing of the inside,
// else it is cut in eight. The surface must be covered with radii that are a little smaller (the skin), which settles the
// small cubes that the surface passes through. docs/tree.md has the argument and its slack.
//
// Entry: bi_cover_prove.

#include <float.h>
#include <string.h>

#include "cover/cover.h"
#include "shape/gap.h"

enum { HALVINGS_MAX = 120, LEVELS_MAX = 26, MISSES_BACK = 48 };

typedef struct ProofRun {
    const CoverBody* body;
    Ball* balls;
    int32_t count;
    double leaf;
    bool grow;
    CoverStop stop;
    CoverPoints* misses;
    size_t misses_first, misses_max;
    Arena* arena;  // of the lists
    Arena* keep;   // of the misses
    CoverProof* out;
    bool failed;      // memory
    bool first_only;  // one open cell is enough
    // The balls and triangles that matter to the cubes of each level.
    int32_t* near_balls[LEVELS_MAX + 1];
    int32_t near_ball_count[LEVELS_MAX + 1];
    int32_t* near_triangles[LEVELS_MAX + 1];
    int32_t near_triangle_count[LEVELS_MAX + 1];
} ProofRun;

static bool has_ended(const ProofRun* prove) {
    return prove->failed || (prove->first_only && prove->out->open > 0);
}

// Within the ball, less `less` of its radius: two roundings of squares and roots are 8 u.
static bool ball_holds(const Ball* ball, Vec3 p, double less) {
    const double radius = ball->radius - less;
    return radius > 0.0 && v3_length_sq(v3_sub(p, ball->centre)) <= radius * radius * (1.0 - 16.0 * BI_ULP);
}

static double skin_of(const Ball* ball, bool closed) {
    return closed ? BI_COVER_SKIN * ball->radius : 0.0;
}

// Cells come in the order of neighbours: one point of a few that are near each other is enough.
static void add_miss(ProofRun* prove, Vec3 at) {
    CoverPoints* misses = prove->misses;
    if (misses->count >= prove->misses_max) {
        return;
    }

    const size_t look_back =
        misses->count - prove->misses_first < MISSES_BACK ? misses->count - prove->misses_first : MISSES_BACK;
    for (size_t i = 1; i <= look_back; ++i) {
        if (v3_length_sq(v3_sub(misses->at[misses->count - i], at)) < 2.0 * prove->leaf * prove->leaf) {
            return;
        }
    }

    Vec3* room = bi_arena_grow(prove->keep, misses->at, misses->count, misses->count + 1, &misses->capacity,
                               sizeof *room);
    prove->failed = prove->failed || room == NULL;
    if (room != NULL) {
        misses->at = room;
        misses->at[misses->count++] = at;
    }
}

static double distance_to_balls(const ProofRun* prove, Vec3 p) {
    double least = DBL_MAX;
    for (int32_t i = 0; i < prove->count; ++i) {
        least = fmin(least, v3_distance(p, prove->balls[i].centre) - prove->balls[i].radius);
    }
    return least;
}

// The ball that needs to grow least to hold all corners, its skin included, does so.
static void grow_ball(ProofRun* prove, const Vec3* corners, int32_t corner_count, double slack, bool closed) {
    int32_t best = 0;
    double best_growth = DBL_MAX, best_radius = 0.0;

    for (int32_t i = 0; i < prove->count; ++i) {
        const double reach = bi_ball_reach(prove->balls[i].centre, corners, corner_count) + slack;
        const double radius = closed ? reach / (1.0 - BI_COVER_SKIN) : reach;
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

static void report_miss(ProofRun* prove, const Vec3* corners, int32_t corner_count, double slack,
                        bool closed) {
    prove->out->open += 1;
    if (prove->misses != NULL) {  // the corner that is out most
        int32_t worst = 0;
        for (int32_t k = 1; k < corner_count; ++k) {
            worst =
                distance_to_balls(prove, corners[k]) > distance_to_balls(prove, corners[worst]) ? k : worst;
        }
        add_miss(prove, corners[worst]);
    }

    if (prove->grow) {
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
        if (ball_holds(ball, t[0], less) && ball_holds(ball, t[1], less) && ball_holds(ball, t[2], less)) {
            return true;
        }
    }
    return false;
}

static void prove_triangle(ProofRun* prove, const Vec3 corner[3], double slack, bool closed) {
    // Balls that reach the triangle at all.
    int32_t* near = prove->near_balls[0];
    int32_t near_count = 0;
    const Ball around = bi_ball_smallest(corner, 3);
    for (int32_t i = 0; i < prove->count; ++i) {
        if (v3_distance(prove->balls[i].centre, around.centre) <=
            (prove->balls[i].radius + around.radius) * (1.0 + 64.0 * BI_ULP)) {
            near[near_count++] = i;
        }
    }

    // Halving the longest edge: one more waits at each of the depths.
    HalfTriangle stack[HALVINGS_MAX + 2];
    int32_t count = 1;
    memcpy(stack[0].point, corner, sizeof stack[0].point);
    while (count > 0 && !has_ended(prove)) {
        const HalfTriangle cell = stack[--count];
        const Vec3* t = cell.point;
        prove->out->cells += 1;
        if (in_one_ball(prove, near, near_count, t, slack, closed)) {
            continue;
        }

        double longest_sq;
        const int32_t k = cover_longest_edge(t, &longest_sq);
        if (!(longest_sq > prove->leaf * prove->leaf) || count + 2 > HALVINGS_MAX) {
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

static bool cube_in_ball(const Ball* ball, Vec3 centre, double half, double slack) {
    const Vec3 far = v3_add(v3_abs(v3_sub(centre, ball->centre)), v3(half, half, half));
    return ball_holds(ball, v3_add(ball->centre, far), slack);
}

// Lists what of the level above matters to this cube: balls that reach the ball around it, triangles within its radius.
// Parents look a slack further than their children, so that rounded middles take nothing from the lists.
static double list_near(ProofRun* prove, Vec3 centre, double reach, int32_t level) {
    const int32_t above = level > 0 ? level - 1 : 0;
    int32_t count = 0;
    double skin = DBL_MAX;

    const int32_t ball_count = level > 0 ? prove->near_ball_count[above] : prove->count;
    for (int32_t k = 0; k < ball_count; ++k) {
        const int32_t i = level > 0 ? prove->near_balls[above][k] : k;
        if (v3_distance(prove->balls[i].centre, centre) <= prove->balls[i].radius + reach) {
            prove->near_balls[level][count++] = i;
            skin = fmin(skin, BI_COVER_SKIN * prove->balls[i].radius);
        }
    }

    prove->near_ball_count[level] = count;
    count = 0;
    for (int32_t k = 0; k < prove->near_triangle_count[above]; ++k) {
        const int32_t i = prove->near_triangles[above][k];
        Vec3 nearest;
        if (bi_point_triangle_distance_sq(centre, prove->body->triangles[i].point, &nearest) <=
            reach * reach) {
            prove->near_triangles[level][count++] = i;
        }
    }

    prove->near_triangle_count[level] = count;
    return skin;
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

static CubeEnd judge_cube(ProofRun* prove, Vec3 centre, double half, int32_t level, double slack) {
    const double radius = half * 1.7320508075688774 * (1.0 + 1e-12);
    const int32_t* near = level > 0 ? prove->near_balls[level - 1] : NULL;
    const int32_t near_count = level > 0 ? prove->near_ball_count[level - 1] : prove->count;

    for (int32_t k = 0; k < near_count; ++k) {
        if (cube_in_ball(&prove->balls[near != NULL ? near[k] : k], centre, half, slack)) {
            return CUBE_DONE;
        }
    }

    const double reach = radius + slack * (LEVELS_MAX + 1 - level);
    const double skin = list_near(prove, centre, reach, level);

    // No surface within reach: the cube is all inside or all outside.
    if (prove->near_triangle_count[level] == 0) {
        if (!inside_closed(prove->body, centre)) {
            return CUBE_DONE;
        }
        return 2.0 * half > prove->leaf && level < LEVELS_MAX ? CUBE_SPLIT : CUBE_OPEN;
    }

    // A point of the surface is within `reach` of the centre. It is in a ball that is near, and everything within that
    // ball's skin of it is too.
    if (prove->near_ball_count[level] == 0) {
        return CUBE_OPEN;
    }
    if (radius + reach + slack <= skin) {
        return CUBE_DONE;
    }
    return level < LEVELS_MAX ? CUBE_SPLIT : CUBE_OPEN;
}

static void report_open_cube(ProofRun* prove, Vec3 centre, double half, double slack) {
    Vec3 corners[8];
    for (int32_t i = 0; i < 8; ++i) {
        corners[i] = v3_add(centre, v3((i & 1) != 0 ? half : -half, (i & 2) != 0 ? half : -half,
                                       (i & 4) != 0 ? half : -half));
    }
    report_miss(prove, corners, 8, 2.0 * slack, false);
}

static void prove_inside(ProofRun* prove, double slack) {
    const CoverBody* body = prove->body;
    const Vec3 size = v3_sub(body->high, body->low);
    const double root_half = 0.5 * fmax(size.x, fmax(size.y, size.z)) * (1.0 + 1e-9) + slack;

    Cube stack[LEVELS_MAX + 2];
    int32_t top = 0;
    const Vec3 root = v3_scale(v3_add(body->low, body->high), 0.5);
    if (judge_cube(prove, root, root_half, 0, slack) != CUBE_SPLIT) {
        return;
    }

    stack[0] = (Cube){root, 0, 0};
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
        if ((prove->out->cells & 4095) == 0 && prove->stop.asked(prove->stop.user)) {
            return;
        }

        const CubeEnd end = judge_cube(prove, centre, half, level, slack);
        if (end == CUBE_SPLIT) {
            stack[++top] = (Cube){centre, level, 0};
        } else if (end == CUBE_OPEN) {
            report_open_cube(prove, centre, half, slack);
        }
    }
}

// ---- both ----------------------------------------------------------------------------------------------------

static bool take_lists(ProofRun* prove, int32_t closed_triangles) {
    for (int32_t level = 0; level <= LEVELS_MAX; ++level) {
        prove->near_balls[level] = bi_arena_take(prove->arena, (size_t)prove->count + 1, sizeof(int32_t));
        prove->near_triangles[level] =
            bi_arena_take(prove->arena, (size_t)closed_triangles + 1, sizeof(int32_t));
        if (prove->near_balls[level] == NULL || prove->near_triangles[level] == NULL) {
            return false;
        }
    }
    return true;
}

static BerthStatus run_proof(ProofRun* prove) {
    const CoverBody* body = prove->body;
    int32_t closed_triangles = 0;
    double slack = 0.0;

    for (int32_t i = 0; i < body->part_count; ++i) {
        slack = fmax(slack, body->parts[i].slack);
    }
    slack += BI_DISTANCE_SLACK * (body->diagonal + v3_length(body->low) + v3_length(body->high));

    for (int32_t i = 0; i < body->triangle_count; ++i) {
        closed_triangles += body->parts[body->part_of[i]].closed ? 1 : 0;
    }
    if (!take_lists(prove, closed_triangles)) {
        return bi_fail(BERTH_ERR_MEMORY, "fit: out of memory");
    }

    for (int32_t i = 0; i < body->triangle_count && !has_ended(prove); ++i) {
        if ((i & 255) == 0 && prove->stop.asked(prove->stop.user)) {
            return bi_fail(BERTH_ERR_CANCELLED, "fit: stopped");
        }
        prove_triangle(prove, body->triangles[i].point, slack, body->parts[body->part_of[i]].closed);
    }

    // The inside rests on the surface: where that is open there is nothing to ask.
    if (closed_triangles > 0 && (prove->grow || prove->out->open == 0)) {
        int32_t at = 0;
        for (int32_t i = 0; i < body->triangle_count; ++i) {
            if (body->parts[body->part_of[i]].closed) {
                prove->near_triangles[0][at++] = i;
            }
        }
        prove->near_triangle_count[0] = at;
        prove_inside(prove, slack);
    }

    if (prove->stop.asked(prove->stop.user)) {
        return bi_fail(BERTH_ERR_CANCELLED, "fit: stopped");
    }
    return prove->failed ? bi_fail(BERTH_ERR_MEMORY, "fit: out of memory") : BERTH_OK;
}

BerthStatus bi_cover_prove(CoverBody* body, Ball* balls, int32_t count, double leaf, bool grow,
                           CoverStop stop, CoverPoints* misses, size_t misses_max, CoverProof* out) {
    *out = (CoverProof){.covered = false};

    Arena scratch;
    bi_arena_init(&scratch, &body->allocator, 0);
    ProofRun* prove = bi_arena_take(&scratch, 1, sizeof *prove);
    if (prove == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "fit: out of memory");
    }

    *prove = (ProofRun){.body = body,
                        .balls = balls,
                        .count = count,
                        .leaf = leaf,
                        .grow = grow,
                        .first_only = !grow && misses == NULL,
                        .stop = stop,
                        .misses = misses,
                        .misses_first = misses != NULL ? misses->count : 0,
                        .misses_max = misses_max,
                        .arena = &scratch,
                        .keep = &body->arena,
                        .out = out};

    const BerthStatus status = run_proof(prove);
    out->covered = status == BERTH_OK && out->open == 0 && count > 0;
    bi_arena_free(&scratch);
    return status;
}
