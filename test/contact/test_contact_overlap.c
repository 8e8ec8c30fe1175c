// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The law of the overlap: random concave bodies made of cells, as one mesh, as the same mesh with more triangles, as boxes
// side by side and as more boxes, feel the same; and as much as a count of dense sample points says, which knows nothing
// of pieces or faces. Then steps: energy, rest, what is refused.
// test-share: 0.4

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <berth/contact.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/dice.h"
#include "support/kit.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

enum { CELLS_MOST = 9, LINES_MOST = CELLS_MOST + 1, VARIANTS = 4 };

/// Cells between planes; `count` of them each way.
typedef struct Cells {
    int count;
    double line[3][LINES_MOST];
    bool full[CELLS_MOST * CELLS_MOST * CELLS_MOST];
} Cells;

static bool cell_full(const Cells* cells, int x, int y, int z) {
    const int n = cells->count;
    return x >= 0 && y >= 0 && z >= 0 && x < n && y < n && z < n && cells->full[x + n * (y + n * z)];
}

static Cells random_cells(double share) {
    Cells cells = {.count = 3};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 4; ++i) {
            cells.line[k][i] = i / 3.0 + (i == 1 || i == 2 ? dice_between(-0.08, 0.08) : 0.0);
        }
    }
    for (int i = 0; i < 27; ++i) {
        cells.full[i] = dice_between(0.0, 1.0) < share;
    }
    return cells;
}

// The same body, each cell three times as many each way, at uneven places.
static Cells split_cells(const Cells* from) {
    Cells cells = {.count = 3 * from->count};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i <= cells.count; ++i) {
            const int whole = i / 3;
            const double low = from->line[k][whole],
                         high = whole < from->count ? from->line[k][whole + 1] : low;
            cells.line[k][i] = i % 3 == 0 ? low : low + (high - low) * (i % 3 == 1 ? 0.37 : 0.81);
        }
    }
    for (int i = 0; i < cells.count * cells.count * cells.count; ++i) {
        const int x = i % cells.count, y = i / cells.count % cells.count, z = i / cells.count / cells.count;
        cells.full[i] = cell_full(from, x / 3, y / 3, z / 3);
    }
    return cells;
}

// Two triangles wherever a full cell has none beside it; null when edges are shared by more than two of them.
static BerthSolid* cells_solid(const Cells* cells, bool other_way) {
    static BerthVec3 vertices[LINES_MOST * LINES_MOST * LINES_MOST];
    static int32_t triangles[36 * CELLS_MOST * CELLS_MOST * CELLS_MOST];
    const int n = cells->count, lines = n + 1;
    const int stride[3] = {1, lines, lines * lines};
    int32_t count = 0;
    for (int i = 0; i < lines * lines * lines; ++i) {
        vertices[i] = (BerthVec3){cells->line[0][i % lines], cells->line[1][i / lines % lines],
                                  cells->line[2][i / lines / lines]};
    }
    for (int c = 0; c < n * n * n; ++c) {
        const int cell[3] = {c % n, c / n % n, c / n / n};
        for (int side = 0; side < 6 && cells->full[c]; ++side) {
            const int axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
            int beside[3] = {cell[0], cell[1], cell[2]};
            beside[axis] += side % 2 == 0 ? -1 : 1;
            if (cell_full(cells, beside[0], beside[1], beside[2])) {
                continue;
            }
            const int32_t first =
                cell[0] * stride[0] + cell[1] * stride[1] + cell[2] * stride[2] + (side % 2) * stride[axis];
            const int32_t a = first + stride[side % 2 == 0 ? v : u], b = first + stride[u] + stride[v];
            const int32_t d = first + stride[side % 2 == 0 ? u : v];
            const int32_t one[6] = {first, a, b, first, b, d}, other[6] = {a, b, d, a, d, first};
            memcpy(triangles + 3 * (size_t)count, other_way ? other : one, sizeof one);
            count += 2;
        }
    }

    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    if (count == 0) {
        return NULL;
    }
    assert_int_equal(berth_mesh_create(vertices, lines * lines * lines, triangles, count, NULL, &mesh),
                     BERTH_OK);
    if (!berth_mesh_info(mesh).watertight) {
        berth_mesh_destroy(mesh);
        return NULL;
    }
    assert_int_equal(berth_solid_from_mesh(mesh, NULL, &solid), BERTH_OK);
    return solid;
}

// ---- worlds ------------------------------------------------------------------------------------------------------

static BerthContactWorld* mesh_world(const Cells* cells, bool other_way, BerthShape shape,
                                     BerthScene** scene) {
    assert_int_equal(berth_scene_create(NULL, scene), BERTH_OK);
    BerthObjectDef object = berth_default_object_def();
    object.name = "a";
    object.solid = cells_solid(cells, other_way);
    assert_int_equal(berth_scene_add_object(*scene, &object, NULL), BERTH_OK);
    object = berth_default_object_def();
    object.name = "b";
    object.mass = 1.0;
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &object.solid), BERTH_OK);
    assert_int_equal(berth_scene_add_object(*scene, &object, NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(*scene), BERTH_OK);

    BerthContactWorld* world = NULL;
    const BerthContactDef def = berth_default_contact_def();
    assert_int_equal(berth_contact_from_scene(*scene, &def, false, &world), BERTH_OK);
    return world;
}

static BerthContactWorld* boxes_world(const Cells* cells, BerthShape shape) {
    static BerthContactPiece pieces[CELLS_MOST * CELLS_MOST * CELLS_MOST];
    int count = 0;
    for (int c = 0; c < cells->count * cells->count * cells->count; ++c) {
        const int cell[3] = {c % cells->count, c / cells->count % cells->count,
                             c / cells->count / cells->count};
        double low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            low[k] = cells->line[k][cell[k]];
            high[k] = cells->line[k][cell[k] + 1];
        }
        if (cells->full[c]) {
            pieces[count++] = (BerthContactPiece){
                kit_box(high[0] - low[0], high[1] - low[1], high[2] - low[2]),
                kit_at(0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]))};
        }
    }

    BerthContactWorld* world = NULL;
    const BerthContactDef def = berth_default_contact_def();
    assert_int_equal(berth_contact_create(&def, &world), BERTH_OK);
    BerthContactBodyDef body = berth_default_contact_body_def();
    body.pieces = pieces;
    body.piece_count = count;
    assert_int_equal(berth_contact_add_body(world, &body, NULL), BERTH_OK);
    const BerthContactPiece one = {shape, pose_identity()};
    body = berth_default_contact_body_def();
    body.pieces = &one;
    body.piece_count = 1;
    body.motion = BERTH_BODY_DRIVEN;
    assert_int_equal(berth_contact_add_body(world, &body, NULL), BERTH_OK);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    return world;
}

// ---- the oracle: points ------------------------------------------------------------------------------------------

static bool shape_holds(const BerthShape* shape, const Pose* pose, Vec3 p) {
    const Vec3 at = pose_apply_back(pose, p);
    if (shape->kind == BERTH_SPHERE) {
        return v3_length(at) < shape->as.sphere.radius;
    }
    const Vec3 half = shape->as.box.half;
    return fabs(at.x) < half.x && fabs(at.y) < half.y && fabs(at.z) < half.z;
}

static bool cells_hold(const Cells* cells, Vec3 p) {
    const double at[3] = {p.x, p.y, p.z};
    int cell[3] = {-1, -1, -1};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < cells->count; ++i) {
            cell[k] = at[k] >= cells->line[k][i] && at[k] < cells->line[k][i + 1] ? i : cell[k];
        }
    }
    return cell_full(cells, cell[0], cell[1], cell[2]);
}

// Outward normal of the nearest face of the cells' surface.
static Vec3 nearest_normal(const Cells* cells, Vec3 p) {
    const double at[3] = {p.x, p.y, p.z};
    double least = INFINITY;
    Vec3 best = v3(0, 0, 0);
    const int n = cells->count;
    for (int c = 0; c < n * n * n; ++c) {
        const int cell[3] = {c % n, c / n % n, c / n / n};
        for (int side = 0; side < 6 && cells->full[c]; ++side) {
            const int axis = side / 2;
            int beside[3] = {cell[0], cell[1], cell[2]};
            beside[axis] += side % 2 == 0 ? -1 : 1;
            if (cell_full(cells, beside[0], beside[1], beside[2])) {
                continue;
            }
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                const double low = cells->line[k][cell[k] + (k == axis ? side % 2 : 0)];
                const double high = k == axis ? low : cells->line[k][cell[k] + 1];
                const double off = at[k] < low ? low - at[k] : fmax(at[k] - high, 0.0);
                sum += off * off;
            }
            if (sum < least) {
                least = sum;
                const double sign = side % 2 ? 1.0 : -1.0;
                best = v3(axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0);
            }
        }
    }
    return best;
}

typedef struct Dense {
    double volume;
    int64_t points;
    Vec3 normal;   // mean of nearest normals,
    double mean;   // and how long that was
    bool one_way;  // nearly all points are nearest to one direction
} Dense;

// Counts points of a grid in a box.
static Dense count_points(const Cells* cells, const BerthShape* shape, const Pose* pose, int n, Vec3 low,
                          Vec3 high) {
    const Vec3 cell = v3_scale(v3_sub(high, low), 1.0 / n);
    Dense out = {.volume = 0.0};
    double asked = 0.0;
    for (int i = 0; i < n * n * n; ++i) {
        const Vec3 p = v3(low.x + (i % n + 0.5) * cell.x, low.y + (i / n % n + 0.5) * cell.y,
                          low.z + (i / n / n + 0.5) * cell.z);
        if (!shape_holds(shape, pose, p) || !cells_hold(cells, p)) {
            continue;
        }
        // One in seven, but not in step with the grid.
        out.points += 1;
        if (dice_choose(7) == 0) {
            ++asked;
            out.normal = v3_add(out.normal, nearest_normal(cells, p));
        }
    }
    out.mean = v3_length(out.normal) / fmax(1.0, asked);
    out.volume = (double)out.points * cell.x * cell.y * cell.z;
    out.normal = v3_unit_or(out.normal, v3(0, 0, 0));
    return out;
}

// Where a vertical line is in the shape.
static bool shape_chord(const BerthShape* shape, const Pose* pose, double x, double y, double* from,
                        double* to) {
    const Vec3 at = pose_apply_back(pose, v3(x, y, 0.0)), way = pose_turn_back(pose, v3(0, 0, 1));
    if (shape->kind == BERTH_SPHERE) {
        const double middle = -v3_dot(at, way), r = shape->as.sphere.radius;
        const double under = middle * middle - v3_length_sq(at) + r * r;
        *from = middle - sqrt(fmax(under, 0.0));
        *to = middle + sqrt(fmax(under, 0.0));
        return under > 0.0;
    }
    *from = -INFINITY;
    *to = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double a = v3_at(at, k), d = v3_at(way, k), half = v3_at(shape->as.box.half, k);
        const double one = (-half - a) / d, other = (half - a) / d;
        if (d != 0.0) {
            *from = fmax(*from, fmin(one, other));
            *to = fmin(*to, fmax(one, other));
        } else if (fabs(a) > half) {
            return false;
        }
    }
    return *from < *to;
}

// Volume by n^2 vertical lines, of which what is common is known without a grid.
static double sum_columns(const Cells* cells, const BerthShape* shape, const Pose* pose, int n, Vec3 low,
                          Vec3 high) {
    const double dx = (high.x - low.x) / n, dy = (high.y - low.y) / n;
    double sum = 0.0;
    for (int i = 0; i < n * n; ++i) {
        const double x = low.x + (i % n + 0.5) * dx, y = low.y + (i / n + 0.5) * dy;
        double from, to;
        if (!shape_chord(shape, pose, x, y, &from, &to)) {
            continue;
        }
        for (int z = 0; z < cells->count; ++z) {
            const double bottom = fmax(from, cells->line[2][z]), top = fmin(to, cells->line[2][z + 1]);
            if (bottom < top &&
                cells_hold(cells, v3(x, y, 0.5 * (cells->line[2][z] + cells->line[2][z + 1])))) {
                sum += top - bottom;
            }
        }
    }
    return sum * dx * dy;
}

// Shrinks a box around what is common: cells of a grid stay where the grown shape reaches their middle and the body one
// of their corners.
static bool shrink_box(const Cells* cells, const BerthShape* shape, const Pose* pose, Vec3* low, Vec3* high) {
    enum { N = 20 };
    const Vec3 cell = v3_scale(v3_sub(*high, *low), 1.0 / N);
    const double grow = 0.5 * v3_length(cell);
    BerthShape larger = *shape;
    if (shape->kind == BERTH_SPHERE) {
        larger.as.sphere.radius += grow;
    } else {
        larger.as.box.half = v3_add(shape->as.box.half, v3(grow, grow, grow));
    }

    Vec3 least = v3(INFINITY, INFINITY, INFINITY), most = v3_neg(least);
    for (int i = 0; i < N * N * N; ++i) {
        const Vec3 from =
            v3(low->x + i % N * cell.x, low->y + i / N % N * cell.y, low->z + i / N / N * cell.z);
        if (!shape_holds(&larger, pose, v3_mad(from, 0.5, cell))) {
            continue;
        }
        bool held = false;
        for (int k = 0; k < 8 && !held; ++k) {
            held = cells_hold(cells,
                              v3_add(from, v3(k & 1 ? cell.x : 0, k & 2 ? cell.y : 0, k & 4 ? cell.z : 0)));
        }
        if (held) {
            // One cell more each way: a corner of the body may reach into a cell that has none of its own corners in it.
            least = v3_min(least, v3_sub(from, cell));
            most = v3_max(most, v3_mad(from, 2.0, cell));
        }
    }
    *low = v3_max(*low, least);
    *high = v3_min(*high, most);
    return least.x < most.x;
}

static Dense count_overlap(const Cells* cells, const BerthShape* shape, const Pose* pose) {
    const double reach =
        shape->kind == BERTH_SPHERE ? shape->as.sphere.radius : v3_length(shape->as.box.half);
    Vec3 low = v3_max(v3(0, 0, 0), v3_sub(pose->t, v3(reach, reach, reach)));
    Vec3 high = v3_min(v3(1, 1, 1), v3_add(pose->t, v3(reach, reach, reach)));
    for (int i = 0; i < 5; ++i) {
        if (!shrink_box(cells, shape, pose, &low, &high)) {
            return (Dense){.volume = 0.0};
        }
    }
    Dense out = count_points(cells, shape, pose, 64, low, high);

    // A wall that is touched by less than the grid's width has no points: the columns see it.
    const double volume = sum_columns(cells, shape, pose, 400, low, high);
    out.one_way = out.mean > 0.98 && fabs(out.volume - volume) < 0.02 * volume;
    out.volume = volume;
    return out;
}

// ---- the same body in many ways ------------------------------------------------------------------------------------

// B with its farthest point `depth` under a face of the cells' surface, somewhere on it.
static Pose touching_pose(const Cells* cells, const BerthShape* shape, double depth, bool flat) {
    const int n = cells->count;
    for (;;) {
        const int c = dice_choose(n * n * n), side = dice_choose(6), axis = side / 2;
        const int cell[3] = {c % n, c / n % n, c / n / n};
        int beside[3] = {cell[0], cell[1], cell[2]};
        beside[axis] += side % 2 == 0 ? -1 : 1;
        if (!cells->full[c] || cell_full(cells, beside[0], beside[1], beside[2])) {
            continue;
        }

        double at[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = dice_between(cells->line[k][cell[k]], cells->line[k][cell[k] + 1]);
        }
        at[axis] = cells->line[axis][cell[axis] + side % 2];
        const double sign = side % 2 ? 1.0 : -1.0;
        const Vec3 normal = v3(axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0);

        Pose pose = flat ? pose_identity() : dice_pose(0.0);
        Vec3 far = v3_scale(normal, -(shape->kind == BERTH_SPHERE ? shape->as.sphere.radius : 0.0));
        if (shape->kind == BERTH_BOX) {
            const Vec3 inside = pose_turn_back(&pose, v3_neg(normal)), half = shape->as.box.half;
            far = pose_turn(&pose, v3(copysign(half.x, inside.x), copysign(half.y, inside.y),
                                      copysign(half.z, inside.z)));
            far = flat ? v3_scale(normal, v3_dot(far, normal)) : far;
        }
        pose.t = v3_sub(v3_mad(v3(at[0], at[1], at[2]), -depth, normal), far);
        return pose;
    }
}

// Columns at the border of what is common are counted whole or not at all: of 400 x 400 this much of a thin volume.
#define VOLUME_ALLOWED 0.05

typedef struct Tally {
    int64_t poses, undecided, forces, counted, one_way, unequal;
    double most, worst_force, worst_moment, worst_volume, worst_angle;
} Tally;

// Compares the body's ways with each other, and the first with the count of points.
static void compare_ways(const Cells* cells, const BerthShape* shape, const Pose* pose,
                         BerthContactWorld* const* worlds, Tally* tally) {
    BerthWrench wrench[VARIANTS];
    bool undecided = false;
    for (int i = 0; i < VARIANTS; ++i) {
        assert_int_equal(berth_contact_move(worlds[i], 1, pose, NULL, NULL), BERTH_OK);
        berth_contact_forget(worlds[i]);
        BerthContactResult r;
        assert_int_equal(berth_contact_cycle(worlds[i], &r), BERTH_OK);
        wrench[i] = r.wrenches[1];
        undecided = undecided || r.unknown_pairs > 0;
    }

    // Within rounding of touching nobody knows, and no force is told.
    ++tally->poses;
    tally->undecided += undecided;
    if (undecided) {
        return;
    }
    const double size = v3_length(wrench[0].force);
    if (!(size > 0.0)) {
        return;
    }
    ++tally->forces;
    double off = 0.0;
    for (int i = 1; i < VARIANTS; ++i) {
        off = fmax(off, v3_distance(wrench[i].force, wrench[0].force) / size);
        tally->worst_moment =
            fmax(tally->worst_moment, v3_distance(wrench[i].moment, wrench[0].moment) / size);
    }
    tally->unequal += off > 0.01;
    tally->worst_force = fmax(tally->worst_force, off);
    if (off > 0.01 && tally->unequal < 6) {
        print_message("force %g off: (%g %g %g) (%g %g %g) (%g %g %g) (%g %g %g)\n", off, wrench[0].force.x,
                      wrench[0].force.y, wrench[0].force.z, wrench[1].force.x, wrench[1].force.y,
                      wrench[1].force.z, wrench[2].force.x, wrench[2].force.y, wrench[2].force.z,
                      wrench[3].force.x, wrench[3].force.y, wrench[3].force.z);
    }

    // Forces in several directions are no more than all of the volume; in one direction they are all of it, but
    // for 3 % that a piece may have of another direction. The oracle is slow: every third.
    if (tally->forces % 3 != 0) {
        return;
    }
    const Dense dense = count_overlap(cells, shape, pose);
    if (dense.points < 1000) {
        return;
    }
    ++tally->counted;
    const double foundation = berth_default_contact_def().material.foundation;
    const double share = size / (foundation * dense.volume);
    tally->most = fmax(tally->most, share);
    if (dense.one_way) {
        ++tally->one_way;
        const double volume_off = fmax(share - 1.0, fmax(dense.mean - share - 0.03, 0.0));
        const double angle = acos(clamp(v3_dot(wrench[0].force, dense.normal) / size, -1.0, 1.0));
        tally->worst_volume = fmax(tally->worst_volume, volume_off);
        tally->worst_angle = fmax(tally->worst_angle, angle);
        if (volume_off > VOLUME_ALLOWED || angle > 0.0873) {
            print_message("points say %g N along (%g %g %g): (%g %g %g)\n", foundation * dense.volume,
                          dense.normal.x, dense.normal.y, dense.normal.z, wrench[0].force.x,
                          wrench[0].force.y, wrench[0].force.z);
        }
    }
}

static void a_body_is_what_it_is(void** state) {
    (void)state;
    dice = (Random){31};
    Tally tally = {.poses = 0};
    const int bodies = test_scaled(12);  // 200 at scale 17
    for (int n = 0; n < bodies; ++n) {
        Cells cells = random_cells(dice_between(0.4, 0.9));
        BerthSolid* solid = cells_solid(&cells, false);
        if (solid == NULL) {
            --n;
            continue;
        }
        berth_solid_destroy(solid);
        const Cells finer = split_cells(&cells);

        const BerthShape shape =
            n % 3 == 0 ? kit_ball(dice_between(0.05, 0.15))
                       : kit_box(dice_between(0.1, 0.3), dice_between(0.1, 0.3), dice_between(0.1, 0.3));
        BerthScene* scenes[2];
        BerthContactWorld* worlds[VARIANTS] = {mesh_world(&cells, false, shape, &scenes[0]),
                                               mesh_world(&finer, true, shape, &scenes[1]),
                                               boxes_world(&cells, shape), boxes_world(&finer, shape)};
        for (int i = 0; i < 50; ++i) {
            const Pose pose = touching_pose(&cells, &shape, dice_between(0.002, 0.02), i % 4 == 0);
            compare_ways(&cells, &shape, &pose, worlds, &tally);
        }
        for (int i = 0; i < VARIANTS; ++i) {
            berth_contact_destroy(worlds[i]);
        }
        for (int i = 0; i < 2; ++i) {
            berth_scene_destroy(scenes[i]);
        }
    }
    print_message(
        "%lld poses, %lld undecided, %lld forces: at most %.2g of the force and %.2g m apart, %lld beyond 1 "
        "%%; %lld counted: at most %.4f of the volume; %lld of them in one direction: volume within %.2g, "
        "direction "
        "within %.2g degrees\n",
        (long long)tally.poses, (long long)tally.undecided, (long long)tally.forces, tally.worst_force,
        tally.worst_moment, (long long)tally.unequal, (long long)tally.counted, tally.most,
        (long long)tally.one_way, tally.worst_volume, tally.worst_angle * 180.0 / 3.14159265358979);
    assert_true(tally.forces > tally.poses / 2 && tally.one_way > 0);
    assert_int_equal(tally.undecided, 0);
    // Two of 10,100 were 1 and 3 % off: a piece that was touched through seams alone had a direction of rounding.
    assert_int_equal(tally.unequal, 0);
    assert_true(tally.worst_volume <= VOLUME_ALLOWED && tally.most <= 1.0 + VOLUME_ALLOWED);
    assert_true(tally.worst_angle <= 0.0873);
}

// ---- known answers -----------------------------------------------------------------------------------------------

static BerthContactWorld* world_with(const BerthContactDef* def, const BerthContactPiece* pieces, int count) {
    BerthContactWorld* world = NULL;
    assert_int_equal(berth_contact_create(def, &world), BERTH_OK);
    BerthContactBodyDef body = berth_default_contact_body_def();
    body.pieces = pieces;
    body.piece_count = count;
    assert_int_equal(berth_contact_add_body(world, &body, NULL), BERTH_OK);
    return world;
}

static void add_one(BerthContactWorld* world, BerthShape shape, BerthPose pose, BerthBodyMotion motion,
                    double mass) {
    const BerthContactPiece piece = {shape, pose_identity()};
    BerthContactBodyDef body = berth_default_contact_body_def();
    body.pieces = &piece;
    body.piece_count = 1;
    body.world_from_body = pose;
    body.motion = motion;
    body.mass = mass;
    assert_int_equal(berth_contact_add_body(world, &body, NULL), BERTH_OK);
}

// A level floor of boxes side by side, overlapping ones, and a half-space: a box 20 mm deep was pushed sideways with 100 N
// where it crossed a seam. Whatever the floor is made of, the force is foundation times volume, straight up.
static void seams_are_not_felt(void** state) {
    (void)state;
    const BerthContactDef def = berth_default_contact_def();
    for (int kind = 0; kind < 3; ++kind) {
        BerthContactPiece floor[9];
        for (int i = 0; i < 9; ++i) {
            const double size = kind == 0 ? 0.1 : 0.13;
            floor[i] = (BerthContactPiece){kit_box(size, size, 0.1),
                                           kit_at(0.1 * (i % 3) - 0.1, 0.1 * (i / 3) - 0.1, -0.05)};
        }
        if (kind == 2) {
            floor[0] = (BerthContactPiece){kit_plane(v3(0, 0, 1), 0.0), pose_identity()};
        }
        BerthContactWorld* world = world_with(&def, floor, kind == 2 ? 1 : 9);
        add_one(world, kit_box(0.05, 0.05, 0.05), kit_at(0, 0, 0), BERTH_BODY_DRIVEN, 0.0);
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        for (int i = 0; i < 100; ++i) {
            const double depth = i % 2 ? 0.02 : 0.001;
            const Pose pose = kit_at(-0.1 + 0.002 * i, 0.013 - 0.001 * i, 0.025 - depth);
            assert_int_equal(berth_contact_move(world, 1, &pose, NULL, NULL), BERTH_OK);
            BerthContactResult r;
            assert_int_equal(berth_contact_cycle(world, &r), BERTH_OK);
            const double expected = def.material.foundation * 0.05 * 0.05 * depth;
            assert_true(v3_distance(r.wrenches[1].force, v3(0, 0, expected)) <= 1e-9 * expected);
            assert_true(v3_length(r.wrenches[1].moment) <= 1e-9 * expected);
        }
        berth_contact_destroy(world);
    }
}

// A ball 1 mm in the floor of an L-shaped bracket was pushed down with 1,990 N, by the bracket's hull. It is pushed up, by the
// cap of the ball that is in the floor; at the wall sideways; and in the air between the two not at all.
static void a_bracket_is_hollow(void** state) {
    (void)state;
    Cells l = {.count = 2, .line = {{0, 0.2, 1}, {0, 0.2, 1}, {0, 0.5, 1}}};
    for (int i = 0; i < 8; ++i) {
        l.full[i] = i % 4 != 3;
    }
    BerthScene* scene = NULL;
    BerthContactWorld* world = mesh_world(&l, false, kit_ball(0.05), &scene);
    const double expected = 1e7 * 3.14159265358979 * 1e-6 * (0.05 - 0.001 / 3.0);
    const struct {
        Vec3 at, force;
    } cases[] = {{{0.6, 0.249, 0.5}, {0, expected, 0}},
                 {{0.249, 0.6, 0.5}, {expected, 0, 0}},
                 {{0.6, 0.6, 0.5}, {0, 0, 0}}};
    for (int i = 0; i < 3; ++i) {
        const Pose pose = kit_at(cases[i].at.x, cases[i].at.y, cases[i].at.z);
        assert_int_equal(berth_contact_move(world, 1, &pose, NULL, NULL), BERTH_OK);
        BerthContactResult r;
        assert_int_equal(berth_contact_cycle(world, &r), BERTH_OK);
        assert_int_equal(r.verdict, i < 2 ? BERTH_COLLISION : BERTH_FREE);
        assert_true(v3_distance(r.wrenches[1].force, cases[i].force) <= 1e-6 * expected);
    }
    berth_contact_destroy(world);
    berth_scene_destroy(scene);
}

// A block that slides along a floor against a wall: the wall pushes as much as it is touched, not more.
static void a_wall_pushes_as_it_is_touched(void** state) {
    (void)state;
    const BerthContactDef def = berth_default_contact_def();
    const BerthContactPiece room[2] = {{kit_box(1, 1, 0.1), kit_at(0, 0, -0.05)},
                                       {kit_box(0.1, 1, 0.5), kit_at(-0.45, 0, 0.25)}};
    BerthContactWorld* world = world_with(&def, room, 2);
    add_one(world, kit_box(0.1, 0.1, 0.1), kit_at(0, 0, 0), BERTH_BODY_DRIVEN, 0.0);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    static const double touches[] = {-1e-3, 1e-9, 1e-6, 1e-4, 5e-4};
    for (int i = 0; i < 5; ++i) {
        const Pose pose = kit_at(-0.35 - touches[i], 0, 0.0499);
        assert_int_equal(berth_contact_move(world, 1, &pose, NULL, NULL), BERTH_OK);
        BerthContactResult r;
        assert_int_equal(berth_contact_cycle(world, &r), BERTH_OK);
        const Vec3 force = r.wrenches[1].force;
        assert_true(fabs(force.z - 1e7 * 0.01 * 1e-4) <= 0.01 * force.z);
        assert_true(fabs(force.x - 1e7 * 0.01 * fmax(touches[i], 0.0)) <= 0.01 * force.x + 1e-4);
    }
    berth_contact_destroy(world);
}

// ---- steps ---------------------------------------------------------------------------------------------------------

// Without damping, a box that falls on its corner, a flat one and a ball never have more energy than they started with, but
// for 0.1 %, when they are in the air.
static void bounces_gain_nothing(void** state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        BerthContactDef def = berth_default_contact_def();
        def.material = (BerthMaterial){1e4, 0.0, 0.0, 0.0, 1e7};
        const BerthContactPiece floor = {kit_box(20, 20, 0.5), kit_at(0, 0, -0.25)};
        BerthContactWorld* world = world_with(&def, &floor, 1);
        Pose pose = kit_at(0, 0, 0.2);
        if (kind == 1) {
            pose = bi_pose_axis_angle(v3_unit_or(v3(1, 2, 0.5), v3(1, 0, 0)), 0.7, pose.t);
        }
        add_one(world, kind == 2 ? kit_ball(0.03) : kit_box(0.06, 0.05, 0.04), pose, BERTH_BODY_FREE, 0.15);
        assert_int_equal(berth_contact_commit(world), BERTH_OK);

        BerthContactBody body;
        assert_int_equal(berth_contact_body(world, 1, &body), BERTH_OK);
        const double before = body.energy;
        double most = 0.0, least = 1.0;
        const int steps = test_is_long() ? 1000000 : test_scaled(10000);
        for (int i = 0; i < steps; ++i) {
            BerthContactResult r;
            assert_int_equal(berth_contact_step(world, 1e-3, &r), BERTH_OK);
            assert_int_equal(berth_contact_body(world, 1, &body), BERTH_OK);
            if (r.verdict == BERTH_FREE) {
                most = fmax(most, body.energy / before - 1.0);
                least = fmin(least, body.energy / before);
            }
        }
        print_message("kind %d: at most %.2g more than at the start, at least %.3g of it\n", kind, most,
                      least);
        assert_true(most <= 1e-3);
        berth_contact_destroy(world);
    }
}

// A 150 g box that falls 10 mm at the default material ended on its edge; stacks crept and fell. They stand.
static void what_falls_comes_to_rest(void** state) {
    (void)state;
    const BerthContactDef def = berth_default_contact_def();
    const BerthContactPiece floor = {kit_box(1, 1, 0.1), kit_at(0, 0, -0.05)};
    BerthContactWorld* world = world_with(&def, &floor, 1);
    for (int i = 0; i < 3; ++i) {
        add_one(world, kit_box(0.05, 0.05, 0.05), kit_at(0.004 * (i % 2), -0.003 * i, 0.035 + 0.0505 * i),
                BERTH_BODY_FREE, 0.15);
    }
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    BerthContactResult r;
    BerthContactBody body[3], later;
    double start = 0.0, most = 0.0;
    for (int i = 0; i <= 10000; ++i) {
        double energy = 0.0;
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(berth_contact_body(world, k + 1, &body[k]), BERTH_OK);
            energy += body[k].energy;
        }
        start = i == 0 ? energy : start;
        most = fmax(most, energy);
        assert_int_equal(berth_contact_step(world, 1e-3, &r), BERTH_OK);
    }
    assert_true(most <= 1.001 * start);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(berth_contact_body(world, i + 1, &body[i]), BERTH_OK);
        assert_true(body[i].world_from_body.z.z > 0.9999);
        assert_true(fabs(body[i].world_from_body.t.z - 0.025 - 0.05 * i) < 1e-3);
    }
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(berth_contact_step(world, 1e-3, &r), BERTH_OK);
    }
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(berth_contact_body(world, i + 1, &later), BERTH_OK);
        assert_true(v3_distance(later.world_from_body.t, body[i].world_from_body.t) < 1e-5);
    }
    berth_contact_destroy(world);
}

// K = 1e9 N/m sent a box 3,980 m up: such a step is refused, and nothing moves.
static void springs_too_stiff_are_refused(void** state) {
    (void)state;
    BerthContactDef def = berth_default_contact_def();
    def.material.stiffness = 1e9;
    def.material.foundation = 0.0;
    const BerthContactPiece floor = {kit_box(1, 1, 0.1), kit_at(0, 0, -0.05)};
    BerthContactWorld* world = world_with(&def, &floor, 1);
    add_one(world, kit_box(0.05, 0.05, 0.05), kit_at(0, 0, 0.024), BERTH_BODY_FREE, 0.15);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    BerthContactResult r;
    assert_int_equal(berth_contact_substeps(world, 1e-3), 0);
    assert_int_equal(berth_contact_step(world, 1e-3, &r), BERTH_ERR_ARGUMENT);
    BerthContactBody body;
    assert_int_equal(berth_contact_body(world, 1, &body), BERTH_OK);
    assert_true(body.world_from_body.t.z == 0.024);
    assert_true(berth_contact_substeps(world, 1e-6) > 0);
    berth_contact_destroy(world);
}

// At the material that a user has who says nothing: a 150 g box that falls 10 mm flat, or a little turned, ends flat.
static void a_box_that_falls_ends_flat(void** state) {
    (void)state;
    const BerthContactDef def = berth_default_contact_def();
    for (int kind = 0; kind < 6; ++kind) {
        const BerthContactPiece floor = {kit_box(1, 1, 0.1), kit_at(0, 0, -0.05)};
        BerthContactWorld* world = world_with(&def, &floor, 1);
        const Vec3 axis = v3_unit_or(v3(1, 0.3 * kind, 0.1), v3(1, 0, 0));
        const Pose pose = bi_pose_axis_angle(axis, 0.03 * kind, v3(0, 0, 0.02 + 0.01 + 0.03 * 0.04 * kind));
        add_one(world, kit_box(0.06, 0.05, 0.04), pose, BERTH_BODY_FREE, 0.15);
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        BerthContactResult r;
        BerthContactBody body;
        assert_int_equal(berth_contact_body(world, 1, &body), BERTH_OK);
        const double start = body.energy;
        for (int i = 0; i < 5000; ++i) {
            assert_int_equal(berth_contact_step(world, 1e-3, &r), BERTH_OK);
            assert_int_equal(berth_contact_body(world, 1, &body), BERTH_OK);
            assert_true(body.energy <= 1.001 * start);
        }
        assert_true(body.world_from_body.z.z > 1.0 - 1e-9);
        assert_true(fabs(body.world_from_body.t.z - 0.02 + 0.15 * 9.81 / (1e7 * 0.06 * 0.05)) < 1e-7);
        assert_true(v3_length(body.velocity) < 1e-6 && v3_length(body.spin) < 1e-5);
        berth_contact_destroy(world);
    }
}

// The hand is 10 mm below where the table holds the follower, and turned: 1000 N/m and the lever of the follower's ball.
static void the_hand_feels_its_lag(void** state) {
    (void)state;
    const BerthContactDef def = berth_default_contact_def();
    const BerthContactPiece table = {kit_box(1, 1, 0.1), kit_at(0, 0, -0.05)};
    BerthContactWorld* world = world_with(&def, &table, 1);
    add_one(world, kit_box(0.1, 0.1, 0.1), kit_at(0, 0, 0.2), BERTH_BODY_DRIVEN, 0.0);
    assert_int_equal(berth_contact_commit(world), BERTH_OK);
    const Pose target = kit_at(0, 0, 0.04);
    BerthFollow follow, none = {.lag = 0.0};
    BerthWrench hand;
    const BerthCoupling coupling = berth_default_coupling();
    assert_int_equal(berth_contact_follow(world, 1, &target, &follow), BERTH_OK);
    assert_int_equal(berth_contact_couple(world, 1, &coupling, &follow, NULL, 0.0, &hand), BERTH_OK);
    assert_true(v3_distance(hand.force, v3(0, 0, 10)) < 1e-2 && v3_length(hand.moment) < 1e-9);
    assert_int_equal(berth_contact_couple(world, 1, &coupling, &follow, &none, 0.1, &hand), BERTH_OK);
    assert_true(v3_distance(hand.force, v3(0, 0, 10.5)) < 1e-2);

    follow.turned = v3(0, 0.1, 0);
    assert_int_equal(berth_contact_couple(world, 1, &coupling, &follow, NULL, 0.0, &hand), BERTH_OK);
    assert_true(v3_distance(hand.moment, v3(0, 1000 * 0.1 * 0.0075, 0)) < 1e-6);

    // A body that is led has a spin: a box that turns about the vertical is held back by friction.
    Pose turned = kit_at(0, 0, 0.0499);
    assert_int_equal(berth_contact_lead(world, 1, &turned, 0.0), BERTH_OK);
    turned = bi_pose_axis_angle(v3(0, 0, 1), 0.01, turned.t);
    assert_int_equal(berth_contact_lead(world, 1, &turned, 0.01), BERTH_OK);
    BerthContactBody body;
    BerthContactResult r;
    assert_int_equal(berth_contact_body(world, 1, &body), BERTH_OK);
    assert_true(v3_distance(body.spin, v3(0, 0, 1)) < 1e-6);
    assert_int_equal(berth_contact_cycle(world, &r), BERTH_OK);
    assert_true(r.wrenches[1].moment.z < -1e-3);
    berth_contact_destroy(world);
}

// Statics judge it: what the hand is told about its own origin is what a rail 30 mm beside it pushes with, at that lever;
// a hand that is turned over a flat table is turned back by all of its turn.
static void the_hand_feels_levers(void** state) {
    (void)state;
    const BerthContactDef def = berth_default_contact_def();
    const BerthCoupling coupling = berth_default_coupling();
    for (int kind = 0; kind < 2; ++kind) {
        const BerthContactPiece rail =
            kind == 0 ? (BerthContactPiece){kit_box(1, 1, 0.1), kit_at(0, 0, -0.05)}
                      : (BerthContactPiece){kit_box(0.002, 1, 0.1), kit_at(0.03, 0, -0.05)};
        BerthContactWorld* world = world_with(&def, &rail, 1);
        add_one(world, kit_box(0.1, 0.1, 0.1), kit_at(0, 0, 0.0501), BERTH_BODY_DRIVEN, 0.0);
        assert_int_equal(berth_contact_commit(world), BERTH_OK);
        const Pose target = bi_pose_axis_angle(v3(0, 1, 0), kind == 0 ? 0.02 : 0.0, v3(0, 0, 0.045));
        BerthFollow follow;
        BerthWrench hand;
        for (int i = 0; i < 20; ++i) {
            assert_int_equal(berth_contact_follow(world, 1, &target, &follow), BERTH_OK);
        }
        assert_int_equal(berth_contact_couple(world, 1, &coupling, &follow, NULL, 0.0, &hand), BERTH_OK);
        print_message("hand: (%g %g %g) N, (%g %g %g) N m\n", hand.force.x, hand.force.y, hand.force.z,
                      hand.moment.x, hand.moment.y, hand.moment.z);
        const double turned_back = -1000 * 0.0075 * 0.02, lever = -0.03 * hand.force.z;
        const double expected = kind == 0 ? turned_back : lever;
        assert_true(hand.force.z > 1.0);
        assert_true(fabs(hand.moment.y - expected) <= 0.05 * fabs(expected));
        assert_true(fabs(hand.moment.x) + fabs(hand.moment.z) < 0.01 * fabs(expected));
        berth_contact_destroy(world);
    }
}

// ---- memory --------------------------------------------------------------------------------------------------------

// Two slabs that overlap in an L, and a box: made disjoint, cut anew, and one cycle.
static BerthStatus make_union(void* user, const BerthAllocator* allocator) {
    (void)user;
    BerthContactDef def = berth_default_contact_def();
    def.allocator = *allocator;
    BerthContactWorld* world = NULL;
    BerthStatus status = berth_contact_create(&def, &world);
    const BerthContactPiece slabs[2] = {{kit_box(1, 1, 0.2), kit_at(0, 0, 0)},
                                        {kit_box(0.2, 1, 1), kit_at(-0.4, 0, 0.4)}};
    BerthContactBodyDef body = berth_default_contact_body_def();
    body.pieces = slabs;
    body.piece_count = 2;
    if (status == BERTH_OK) {
        status = berth_contact_add_body(world, &body, NULL);
    }
    if (status == BERTH_OK) {
        status = berth_contact_commit(world);
    }
    berth_contact_destroy(world);
    return status;
}

static BerthStatus make_cut(void* scene, const BerthAllocator* allocator) {
    BerthContactDef def = berth_default_contact_def();
    def.allocator = *allocator;
    BerthContactWorld* world = NULL;
    const BerthStatus status = berth_contact_from_scene(scene, &def, false, &world);
    berth_contact_destroy(world);
    return status;
}

static void memory_may_fail(void** state) {
    (void)state;
    assert_true(starve(make_union, NULL) > 0);

    dice = (Random){5};
    Cells l = {.count = 2, .line = {{0, 0.2, 1}, {0, 0.2, 1}, {0, 0.5, 1}}};
    for (int i = 0; i < 8; ++i) {
        l.full[i] = i % 4 != 3;
    }
    BerthScene* scene = NULL;
    berth_contact_destroy(mesh_world(&l, false, kit_ball(0.1), &scene));
    assert_true(starve(make_cut, scene) > 0);
    berth_scene_destroy(scene);
}

int test_contact_overlap(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_is_what_it_is),
        cmocka_unit_test(seams_are_not_felt),
        cmocka_unit_test(a_wall_pushes_as_it_is_touched),
        cmocka_unit_test(a_bracket_is_hollow),
        cmocka_unit_test(bounces_gain_nothing),
        cmocka_unit_test(what_falls_comes_to_rest),
        cmocka_unit_test(springs_too_stiff_are_refused),
        cmocka_unit_test(a_box_that_falls_ends_flat),
        cmocka_unit_test(the_hand_feels_its_lag),
        cmocka_unit_test(the_hand_feels_levers),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
