// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Floors of charts: a gap that two links keep on a whole box of the values between them. A chart takes the lever of the farthest
// point off every gap, which is more than there is between links that are a millimetre apart wherever they are. Here every
// pair of triangles has a plane of its own: on the box the one comes nearer to the other along its normal by the velocity
// of its corners along it, and by second derivatives. What turns about its own axis comes no nearer. Of other charts the floor is
// what they say of whole cells: on a long interval more than a lever leaves. docs/theory/lanes.md has the bound.
// Entry: bi_charts_make_floor.

#include <string.h>

#include "lanes/charts.h"
#include "shape/gap.h"
#include "tree/solid.h"

enum {
    JOINTS_MOST = 8,     // between two groups
    BOXES_MOST = 60000,  // measured, of one floor
    QUEUE = 400000,      // boxes that wait
    TESTS_MOST = 20000,  // of triangles, in one box
    PARTS_MOST = 8,      // of either group
    SCALE = 4,           // cells of a floor that is searched in one of the chart's, along either value
    LEVELS_COARSE = 7,   // of a floor that is not
    HOPE = 2             // cells of the chart
};
/// Beyond this gap levers do, metres.
#define FLOOR_ENOUGH 0.02
/// A box on which they keep this much of what they have at its middle is not halved.
#define FLOOR_SHARE 0.5
/// Boxes on which a point can go further than this are halved unseen, metres.
#define FLOOR_FARTHEST 0.05
/// A chart of which more cells than this leave even states open has a floor.
#define FLOOR_OPEN_SHARE 0.25

/// A joint between the groups at the middle of a box, in the frame of a part of A, and how far it goes from there.
typedef struct PathJoint {
    Vec3 axis, origin;
    bool turns;
    double half;
} PathJoint;

/// Joints from A to B: what comes later carries B in what comes before.
typedef struct Path {
    PathJoint joints[JOINTS_MOST];
    int32_t count;
} Path;

/// A pair of parts on one box.
typedef struct Keep {
    const BerthSolid *a, *b;
    Pose a_from_b;
    Path path;
    BoxFrame frame;
    double best;   // the gap that is kept, so far
    double upper;  // some points of them are no further apart at the middle
    Vec3 normal;   // of the last plane
    int32_t tests;
} Keep;

// ---- how a point moves on the box ---------------------------------------------------------------------------------

// How far a point can go on the box; `bend`: a bound of its second derivative on the way from the middle to any place of the
// box in unit time. It may be `radius` away from `at`.
static double carried(const Path* path, Vec3 at, double radius, double* bend) {
    double levers[JOINTS_MOST], moved = 0.0;
    for (int32_t j = path->count - 1; j >= 0; --j) {
        const PathJoint* joint = &path->joints[j];
        const Vec3 across = v3_cross(joint->axis, v3_sub(at, joint->origin));
        levers[j] = joint->turns ? v3_length(across) + radius + moved : 1.0;
        moved += levers[j] * joint->half;
    }

    double turned = 0.0;
    *bend = 0.0;
    for (int32_t j = 0; j < path->count; ++j) {
        const double half = path->joints[j].half;
        const double own = path->joints[j].turns ? half : 0.0;
        *bend += levers[j] * half * (own + 2.0 * turned);
        turned += own;
    }
    return moved;
}

// How far triangle b stays above triangle a along n on the box, at least.
static double plane_gap(const Path* path, const Vec3 a[3], const Vec3 b[3], Vec3 n) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        double bend, along = v3_dot(n, b[k]);
        (void)carried(path, b[k], 0.0, &bend);
        for (int32_t j = 0; j < path->count; ++j) {
            const PathJoint* joint = &path->joints[j];
            const Vec3 speed =
                joint->turns ? v3_cross(joint->axis, v3_sub(b[k], joint->origin)) : joint->axis;
            along -= fabs(v3_dot(n, speed)) * joint->half;
        }
        low = fmin(low, along - 0.5 * bend);
        high = fmax(high, v3_dot(n, a[k]));
    }
    return low - high;
}

// ---- two parts on a box -------------------------------------------------------------------------------------------

static void test_triangles(Keep* keep, int32_t leaf_a, int32_t leaf_b) {
    const Vec3* a = keep->a->triangles[leaf_a].point;
    Vec3 b[3], on_a, on_b;
    for (int k = 0; k < 3; ++k) {
        b[k] = pose_apply(&keep->a_from_b, keep->b->triangles[leaf_b].point[k]);
    }
    keep->tests += 1;
    if (plane_gap(&keep->path, a, b, keep->normal) >= keep->best) {
        return;
    }

    const double d_sq = bi_triangle_distance_sq(a, b, &on_a, &on_b);
    keep->upper = fmin(keep->upper, sqrt(d_sq));
    const Vec3 n = v3_unit_or(v3_sub(on_b, on_a), v3(0, 0, 0));
    keep->best = fmin(keep->best, plane_gap(&keep->path, a, b, n));
    keep->normal = n;
}

// How far any point of each of the node's boxes can go. Returns the largest.
static double carry_boxes(const Keep* keep, int32_t node, double loss[BOX_LANES]) {
    const BoxNode* boxes = &keep->b->nodes[node];
    double most = 0.0;
    for (int32_t i = 0; i < keep->b->links[node].count; ++i) {
        const Vec3 centre =
            v3((double)boxes->centre[0][i], (double)boxes->centre[1][i], (double)boxes->centre[2][i]);
        const Vec3 half = v3((double)boxes->half[0][i], (double)boxes->half[1][i], (double)boxes->half[2][i]);
        double bend;
        loss[i] = carried(&keep->path, pose_apply(&keep->a_from_b, centre), v3_length(half), &bend);
        most = fmax(most, loss[i]);
    }
    return most;
}

// Opens two nodes: what may matter is tested, or pushed. False when the stack is full.
static bool open_nodes(Keep* keep, BerthTreeQuery* query, SolidPairEntry top, int32_t* stacked) {
    const BoxLink *la = &keep->a->links[top.a], *lb = &keep->b->links[top.b];
    double loss[BOX_LANES];
    uint8_t pair[BOX_PAIRS];
    float bound[BOX_PAIRS];
    const double limit = (keep->best + carry_boxes(keep, top.b, loss)) * (1.0 + 1e-6);
    const int32_t count =
        query->kernels->box_pairs(&keep->a->nodes[top.a], &keep->b->nodes[top.b], lb->count, &keep->frame,
                                  (float)(limit * limit * (1.0 + 1e-6)), pair, bound);

    uint32_t went_a = 0, went_b = 0;
    for (int32_t k = 0; k < count && keep->best > 0.0; ++k) {
        const int32_t i = pair[k] & (BOX_LANES - 1), j = pair[k] / BOX_LANES;
        if (sqrt(fmax((double)bound[k], 0.0)) * (1.0 - 1e-6) - loss[j] >= keep->best) {
            continue;
        }
        if (la->bottom && lb->bottom) {
            test_triangles(keep, la->first + i, lb->first + j);
            continue;
        }

        // One side at its bottom: the other goes down alone, each child once.
        if ((la->bottom && (went_b >> j & 1u) != 0) || (lb->bottom && (went_a >> i & 1u) != 0)) {
            continue;
        }
        went_a |= 1u << i;
        went_b |= 1u << j;
        if (*stacked == query->stack_capacity) {
            return false;
        }
        query->stack[(*stacked)++] = (SolidPairEntry){la->bottom ? top.a : la->first + i,
                                                      lb->bottom ? top.b : lb->first + j, bound[k]};
    }
    return true;
}

// Least over all pairs of triangles, of what their planes prove; not above 0: nothing is proven.
static void keep_parts(Keep* keep, BerthTreeQuery* query) {
    int32_t stacked = 0;
    bi_tree_box_frame(keep->a, keep->b, &keep->a_from_b, &keep->frame);
    query->stack[stacked++] = (SolidPairEntry){0, 0, 0.0f};
    while (stacked > 0 && keep->best > 0.0) {
        const SolidPairEntry top = query->stack[--stacked];
        if (!open_nodes(keep, query, top, &stacked) || keep->tests > TESTS_MOST) {
            keep->best = 0.0;
        }
    }
}

// ---- two groups on a box ------------------------------------------------------------------------------------------

// Appends a joint as it stands in the frame that both groups share.
static bool add_joint(const Charting* c, Path* path, const LanesLever* lever, const Pose* shared_from_joint,
                      const Pose* part_from_shared, const double half[2]) {
    if (path->count == JOINTS_MOST) {
        return false;
    }
    path->joints[path->count++] =
        (PathJoint){.axis = pose_turn(part_from_shared, shared_from_joint->z),
                    .origin = pose_apply(part_from_shared, shared_from_joint->t),
                    .turns = lever->turns,
                    .half = lever->share * half[lever->value == c->axes[0].value ? 0 : 1]};
    return true;
}

// Joints of a group beyond those that carry both, each with its place.
static int32_t place_joints(const Charting* c, int32_t group, const double at[2], Pose* poses) {
    const LanesGroup* levers = &c->build->lanes->groups[group];
    Pose pose = pose_identity();
    int32_t count = 0;
    for (int32_t i = c->shared; i < levers->lever_count && count < JOINTS_MOST; ++i) {
        const KernelFrame* frame = &c->build->lane_frames[levers->levers[i].frame];
        const Pose step = bi_lanes_frame_pose(frame, frame->value == c->axes[0].value ? at[0] : at[1]);
        pose = pose_mul(&pose, &step);
        poses[count++] = pose;
    }
    return count;
}

// Joints from group A inward to what carries both, and outward to group B.
static bool find_path(const Charting* c, const double at[2], const double half[2],
                      const Pose* part_from_shared, Path* path) {
    const LanesLever* levers_a = c->build->lanes->groups[c->pair->group_a].levers + c->shared;
    const LanesLever* levers_b = c->build->lanes->groups[c->pair->group_b].levers + c->shared;
    Pose poses[JOINTS_MOST];
    bool fits = true;
    path->count = 0;

    const int32_t count_a = place_joints(c, c->pair->group_a, at, poses);
    for (int32_t i = count_a - 1; i >= 0; --i) {
        fits = fits && add_joint(c, path, &levers_a[i], &poses[i], part_from_shared, half);
    }
    const int32_t count_b = place_joints(c, c->pair->group_b, at, poses);
    for (int32_t i = 0; i < count_b; ++i) {
        fits = fits && add_joint(c, path, &levers_b[i], &poses[i], part_from_shared, half);
    }
    return fits && count_a < JOINTS_MOST && count_b < JOINTS_MOST;
}

/// The parts of both groups.
typedef struct FloorParts {
    const ScenePart* parts[2][PARTS_MOST];
    int32_t count[2];
} FloorParts;

// False where a part is no mesh, or there are too many.
static bool list_parts(const Charting* c, FloorParts* out) {
    const BerthScene* scene = c->build->scene;
    const int32_t groups[2] = {c->pair->group_a, c->pair->group_b};
    memset(out->count, 0, sizeof out->count);

    for (int32_t b = 0; b < scene->moved_body_count; ++b) {
        for (int side = 0; side < 2; ++side) {
            const SceneBody* body = &scene->bodies[b];
            for (int32_t p = 0; c->build->bodies[b].group == groups[side] && p < body->part_count; ++p) {
                const ScenePart* part = &scene->parts[body->first_part + p];
                const BerthSolid* solid = part->solid;
                if (!solid->is_mesh || solid->cells != NULL || solid->triangle_count == 0 ||
                    out->count[side] == PARTS_MOST) {
                    return false;
                }
                out->parts[side][out->count[side]++] = part;
            }
        }
    }
    return out->count[0] > 0 && out->count[1] > 0;
}

// What all parts keep on the box around `at`; `upper`: they are no further apart at its middle.
static double keep_box(Charting* c, const FloorParts* parts, const double at[2], const double half[2],
                       double* upper) {
    const Pose shared_from_a = bi_charts_shared_from_group(c, c->pair->group_a, at);
    const Pose shared_from_b = bi_charts_shared_from_group(c, c->pair->group_b, at);
    double best = FLOOR_ENOUGH;
    *upper = FLOOR_ENOUGH;
    for (int32_t i = 0; i < parts->count[0] && best > 0.0; ++i) {
        const Pose a_from_part = bi_charts_group_from_part(c, c->pair->group_a, parts->parts[0][i]);
        const Pose shared_from_part = pose_mul(&shared_from_a, &a_from_part);
        const Pose part_from_shared = pose_inverse(&shared_from_part);
        const Pose part_from_b = pose_mul(&part_from_shared, &shared_from_b);

        for (int32_t k = 0; k < parts->count[1] && best > 0.0; ++k) {
            const Pose b_from_part = bi_charts_group_from_part(c, c->pair->group_b, parts->parts[1][k]);
            Keep keep = {.a = parts->parts[0][i]->solid,
                         .b = parts->parts[1][k]->solid,
                         .a_from_b = pose_mul(&part_from_b, &b_from_part),
                         .best = best,
                         .upper = *upper};
            if (!find_path(c, at, half, &part_from_shared, &keep.path)) {
                return 0.0;
            }
            keep_parts(&keep, c->query);
            best = keep.best;
            *upper = keep.upper;
        }
    }
    return best;
}

// Surfaces that keep apart on a box are of bodies that do, unless one is inside of the other: then at the middle, too.
static bool is_apart(Charting* c, const double at[2]) {
    const Pose shared_from_a = bi_charts_shared_from_group(c, c->pair->group_a, at);
    const Pose shared_from_b = bi_charts_shared_from_group(c, c->pair->group_b, at);
    const Pose a_from_b = pose_between(&shared_from_a, &shared_from_b);
    return bi_charts_body_gap(c, &a_from_b, 2.0 * c->slack) > 0.0;
}

// ---- boxes of cells -----------------------------------------------------------------------------------------------

/// A floor in the making: its cells may be finer than those of the chart.
typedef struct Flooring {
    Charting* c;
    int32_t scale;
    int32_t size[2];
    double width[2];
    float* cells;  // the gap that is kept on each; 0: none is known
    bool* hopes;   // by cell of the chart: nearby one tells a gap
    CellBox* boxes;
    Arena scratch;
} Flooring;

// Middle and half width, a little enlarged. Returns how far levers can carry a point.
static double box_place(const Flooring* f, const CellBox* box, double at[2], double half[2]) {
    double far = 0.0;
    for (int k = 0; k < 2; ++k) {
        const double low = f->c->axes[k].low + box->first[k] * f->width[k];
        const double high = f->c->axes[k].low + box->end[k] * f->width[k];
        at[k] = 0.5 * (low + high);
        half[k] = 0.5 * (high - low) * (1.0 + 1e-6) + (double)LANE_VALUE_SLACK;
        far += f->c->axes[k].lever * half[k];
    }
    return far;
}

// Is there nothing to find in the box? The chart says as much of its cells, or tells no gap anywhere near.
static bool is_known(const Flooring* f, const CellBox* box) {
    const Charting* c = f->c;
    bool known = true;
    for (int32_t i = box->first[0] / f->scale; i <= (box->end[0] - 1) / f->scale; ++i) {
        for (int32_t k = box->first[1] / f->scale; k <= (box->end[1] - 1) / f->scale; ++k) {
            const int32_t cell = i * c->size[1] + k;
            known = known && (!f->hopes[cell] || (double)c->gap[cell] > FLOOR_ENOUGH);
        }
    }
    return known;
}

static void fill_box(const Flooring* f, const CellBox* box, double kept) {
    const float least = bi_float_down(kept);
    for (int32_t i = box->first[0]; i < box->end[0]; ++i) {
        for (int32_t k = box->first[1]; k < box->end[1]; ++k) {
            float* cell = &f->cells[i * f->size[1] + k];
            *cell = fmaxf(*cell, least);
        }
    }
}

// Large boxes first, so that work that runs out has told something of all of them.
static void keep_boxes(const Flooring* f, const FloorParts* parts) {
    int32_t tail = 1, measured = 0;
    f->boxes[0] = (CellBox){{0, 0}, {f->size[0], f->size[1]}};
    for (int32_t head = 0; head < tail && measured < BOXES_MOST; ++head) {
        const CellBox* box = &f->boxes[head];
        double at[2], half[2], upper = 0.0;
        bool done = is_known(f, box);
        if (!done && box_place(f, box, at, half) <= FLOOR_FARTHEST) {
            const double kept = keep_box(f->c, parts, at, half, &upper) - f->c->slack;
            measured += 1;
            if (kept > 0.0 && is_apart(f->c, at)) {
                fill_box(f, box, kept);
                done = kept > FLOOR_SHARE * upper;
            }
        }

        CellBox halves[2];
        if (!done && tail + 2 <= QUEUE && bi_charts_halve(f->c, box, halves)) {
            f->boxes[tail++] = halves[0];
            f->boxes[tail++] = halves[1];
        }
    }
}

// ---- levels -------------------------------------------------------------------------------------------------------

// The least of a row of numbers, `step` apart, over the cells that are around `cell` of a level: cells beyond the ends are those
// that whole turns lead to, or, of a value with limits, none.
static float least_around(const Flooring* f, int axis, int32_t level, int32_t cell, const float* from,
                          int32_t step) {
    const int32_t size = f->size[axis];
    const double turn = 6.283185307179586 / f->width[axis];
    float least = INFINITY;
    for (int32_t x = (cell - 1) * (1 << level); x < (cell + 2) * (1 << level); ++x) {
        if (x >= 0 && x < size) {
            least = fminf(least, from[x * step]);
        } else if (f->c->axes[axis].turns) {
            const int32_t other = (int32_t)floor((double)x + (x < 0 ? turn : -turn));
            for (int32_t k = other; k <= other + 1; ++k) {
                const int32_t held = k < size ? k : size - 1;
                least = fminf(least, from[(held > 0 ? held : 0) * step]);
            }
        }
    }
    return least;
}

static int32_t level_size(const Flooring* f, int axis, int32_t level) {
    return (f->size[axis] + (1 << level) - 1) >> level;
}

// Along the first value, then along the second.
static void fill_level(const Flooring* f, int32_t level, float* between, float* out) {
    const int32_t rows = level_size(f, 0, level), columns = level_size(f, 1, level);
    for (int32_t i = 0; i < rows; ++i) {
        for (int32_t k = 0; k < f->size[1]; ++k) {
            between[k] = least_around(f, 0, level, i, f->cells + k, f->size[1]);
        }
        for (int32_t k = 0; k < columns; ++k) {
            out[i * columns + k] = least_around(f, 1, level, k, between, 1);
        }
    }
}

static bool make_levels(Flooring* f, LaneFloor* out) {
    const int32_t levels = f->scale == 1 ? LEVELS_COARSE : LANE_FLOOR_LEVELS;
    size_t room = 0;
    for (int32_t level = 0; level < levels; ++level) {
        out->base[level] = (float)room;
        out->stride[level] = (float)level_size(f, 1, level);
        room += (size_t)level_size(f, 0, level) * (size_t)level_size(f, 1, level);
    }
    float* gap = bi_arena_take(&f->c->build->lanes->arena, room, sizeof *gap);
    float* between = bi_arena_take(&f->scratch, (size_t)f->size[1], sizeof *between);
    if (gap == NULL || between == NULL) {
        return false;
    }

    for (int32_t level = 0; level < levels; ++level) {
        fill_level(f, level, between, gap + (size_t)out->base[level]);
    }
    for (int k = 0; k < 2; ++k) {
        out->inverse_width[k] = k < f->c->axis_count ? bi_float_up(LANES_GROWN / f->width[k]) : 0.0f;
    }
    out->gap = gap;
    out->scale = (float)f->scale;
    out->level_count = levels;
    return true;
}

// ---- one floor ----------------------------------------------------------------------------------------------------

// What levers take off the gap at the middle of a cell as far as its corners.
static double lost_in_cell(const Charting* c) {
    double lost = 0.0;
    for (int k = 0; k < 2; ++k) {
        lost += c->axes[k].lever * (0.5 * c->width[k] * (1.0 + 1e-6) + (double)LANE_VALUE_SLACK);
    }
    return lost;
}

// Are there many cells of which the chart tells nothing, not even of states?
static bool is_wanted(const Charting* c) {
    const int32_t count = c->size[0] * c->size[1];
    const double lost = lost_in_cell(c);
    int32_t open = 0;
    for (int32_t i = 0; i < count; ++i) {
        open += !((double)c->gap[i] > lost) && !((double)c->depth[i] > lost);
    }
    return open > FLOOR_OPEN_SHARE * count;
}

static void hope_around(const Flooring* f, int32_t i, int32_t k) {
    const Charting* c = f->c;
    for (int32_t x = i - HOPE; x <= i + HOPE; ++x) {
        for (int32_t y = k - HOPE; y <= k + HOPE; ++y) {
            if (x >= 0 && x < c->size[0] && y >= 0 && y < c->size[1]) {
                f->hopes[x * c->size[1] + y] = true;
            }
        }
    }
}

// Cells of the chart with one nearby, whole turns aside, at whose middle there is a gap.
static void find_hopes(const Flooring* f) {
    const Charting* c = f->c;
    for (int32_t i = 0; i < c->size[0]; ++i) {
        for (int32_t k = 0; k < c->size[1]; ++k) {
            if (c->gap[i * c->size[1] + k] > 0.0f) {
                hope_around(f, i, k);
            }
        }
    }
}

static bool take_flooring(Flooring* f, bool searched) {
    const Charting* c = f->c;
    f->scale = searched ? SCALE : 1;
    for (int k = 0; k < 2; ++k) {
        f->size[k] = c->size[k] * f->scale;
        f->width[k] = c->width[k] / f->scale;
    }
    f->cells = bi_arena_take(&f->scratch, (size_t)f->size[0] * (size_t)f->size[1], sizeof *f->cells);
    f->hopes = bi_arena_take(&f->scratch, (size_t)c->size[0] * (size_t)c->size[1], sizeof *f->hopes);
    f->boxes = bi_arena_take(&f->scratch, searched ? QUEUE : 1, sizeof *f->boxes);
    return f->cells != NULL && f->hopes != NULL && f->boxes != NULL;
}

BerthStatus bi_charts_make_floor(Charting* c) {
    FloorParts parts;
    Flooring f = {.c = c};
    const bool searched = !c->exact && is_wanted(c) && list_parts(c, &parts);
    bi_arena_init(&f.scratch, &c->build->lanes->allocator, 0);
    bool room = take_flooring(&f, searched);

    // What the chart says of whole cells, and, where that is little, what planes do.
    if (room) {
        const double lost = lost_in_cell(c);
        for (int32_t i = 0; i < f.size[0] * f.size[1]; ++i) {
            const int32_t row = i / f.size[1] / f.scale, column = i % f.size[1] / f.scale;
            f.cells[i] = bi_float_down(fmax((double)c->gap[row * c->size[1] + column] - lost, 0.0));
        }
        if (searched) {
            find_hopes(&f);
            keep_boxes(&f, &parts);
        }
        c->floor.for_states = searched;
        room = make_levels(&f, &c->floor);
    }
    bi_arena_free(&f.scratch);
    return room ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "lanes: out of memory");
}
