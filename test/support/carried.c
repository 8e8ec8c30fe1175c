// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random worlds with maps and clouds that move.

#include "support/carried.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/meshes.h"

static const Lpose still = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};

static int pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

// ---- a map as the sides of its cells -------------------------------------------------------------------------

/// Corners of cells that some side needs, numbered as they come.
typedef struct Sides {
    const Grid* grid;
    int32_t number[GRID_SIDE + 1][GRID_SIDE + 1][GRID_SIDE + 1];
    BerthVec3* points;
    int32_t* triangles;
    int32_t point_count, triangle_count;
} Sides;

static double border(const Grid* grid, int axis, int i) {
    return grid->dim == 2 && axis == 2 ? grid->height[i]
                                       : v3_at(grid->origin, axis) + grid->resolution * (double)i;
}

static int32_t corner(Sides* s, const int at[3]) {
    int32_t* number = &s->number[at[0]][at[1]][at[2]];
    if (*number == 0) {
        s->points[s->point_count++] =
            (BerthVec3){border(s->grid, 0, at[0]), border(s->grid, 1, at[1]), border(s->grid, 2, at[2])};
        *number = s->point_count;
    }
    return *number - 1;
}

static bool blocks(const Grid* grid, const int cell[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        if (cell[axis] < 0 || cell[axis] >= grid->size[axis]) {
            return false;
        }
    }
    return grid_blocks(grid, cell[0], cell[1], cell[2]);
}

// One side of one cell, two triangles that are seen from outside.
static void add_side(Sides* s, const int cell[3], int axis, int up) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    int32_t c[4];
    for (int k = 0; k < 4; ++k) {
        int at[3] = {cell[0], cell[1], cell[2]};
        at[axis] += up;
        at[u] += k == 1 || k == 2;
        at[v] += k == 2 || k == 3;
        c[k] = corner(s, at);
    }
    const int32_t out[6] = {c[0], c[1], c[2], c[0], c[2], c[3]}, in[6] = {c[0], c[2], c[1], c[0], c[3], c[2]};
    memcpy(s->triangles + 3 * s->triangle_count, up != 0 ? out : in, sizeof out);
    s->triangle_count += 2;
}

static BrutePart brute_map(const Grid* grid) {
    static Sides s;
    memset(&s, 0, sizeof s);
    s.grid = grid;
    const size_t cells =
        (size_t)(grid->size[0] + 1) * (size_t)(grid->size[1] + 1) * (size_t)(grid->size[2] + 1);
    s.points = calloc(cells, sizeof *s.points);
    s.triangles = calloc(cells * 12 * 3, sizeof *s.triangles);
    for (int x = 0; x < grid->size[0]; ++x) {
        for (int y = 0; y < grid->size[1]; ++y) {
            for (int z = 0; z < grid->size[2]; ++z) {
                const int cell[3] = {x, y, z};
                for (int side = 0; side < 6 && blocks(grid, cell); ++side) {
                    int next[3] = {x, y, z};
                    next[side / 2] += side % 2 == 0 ? -1 : 1;
                    if (!blocks(grid, next)) {
                        add_side(&s, cell, side / 2, side % 2);
                    }
                }
            }
        }
    }
    BrutePart part = brute_mesh(s.points, s.point_count, s.triangles, s.triangle_count, true);
    free(s.points);
    free(s.triangles);
    return part;
}

// ---- objects -------------------------------------------------------------------------------------------------

// A body of the brute model for an object at `pose` on a link, or on its own.
static BruteBody* add_body(World* world, const BerthPose* pose, int robot, int link, char* attach,
                           size_t attach_size, BerthObjectDef* def) {
    assert_true(world->object_count < BRUTE_OBJECTS && world->brute.body_count < BRUTE_BODIES);
    const int o = world->object_count++;
    BruteBody* body = &world->brute.bodies[world->brute.body_count++];
    *body = (BruteBody){.robot = robot, .link = link, .object = o, .pose = lpose_of(pose)};
    snprintf(body->name, sizeof body->name, "sensed%d", o);
    world->poses[o] = *pose;
    *def = berth_default_object_def();
    def->name = body->name;
    def->pose = *pose;
    if (robot >= 0) {
        const char* name = world->brute.robots[robot].name;
        snprintf(attach, attach_size, "%s%slink%d", name, name[0] != 0 ? "/" : "", link);
        def->attach = attach;
    }
    return body;
}

// Beyond every side of the map's box, nothing is known.
static void close_room(BruteBody* body, const Grid* grid) {
    for (int side = 0; side < 2 * grid->dim; ++side) {
        const int axis = side / 2;
        const double sign = side % 2 == 0 ? 1.0 : -1.0;
        const double at = border(grid, axis, side % 2 == 0 ? 0 : grid->size[axis]);
        const BerthShape plane = {.kind = BERTH_HALFSPACE,
                                  .as.halfspace = {.normal = {axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0,
                                                              axis == 2 ? sign : 0.0},
                                                   .offset = sign * at}};
        body->parts[body->part_count] = brute_shape(&plane);
        body->parts[body->part_count++].body_from_part = still;
    }
}

void carried_add_map(World* world, const Grid* grid, const BerthPose* pose, int robot, int link,
                     bool outside_is_free, bool moving) {
    char attach[3 * BRUTE_NAME];
    BerthObjectDef def;
    BruteBody* body = add_body(world, pose, robot, link, attach, sizeof attach, &def);
    def.moving = moving;
    def.speed = moving ? 0.5 : 0.0;
    body->parts[body->part_count] = brute_map(grid);
    body->parts[body->part_count++].body_from_part = still;
    BerthMapDef map = berth_default_map_def();
    map.outside_is_free = outside_is_free;
    if (!outside_is_free) {
        close_room(body, grid);
    }
    if (grid->dim == 2) {
        map.height[0] = grid->height[0];
        map.height[1] = grid->height[1];
    }
    BerthField* field = grid_field(grid);
    assert_non_null(field);
    if (berth_scene_add_map(world->scene, &def, field, &map, &world->ids[body->object]) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    berth_field_destroy(field);
}

void carried_add_cloud(World* world, const BerthVec3* points, int count, double radius, const BerthPose* pose,
                       int robot, int link, bool moving) {
    char attach[3 * BRUTE_NAME];
    int32_t triangles[3 * CARRIED_POINTS];
    BerthObjectDef def;
    BruteBody* body = add_body(world, pose, robot, link, attach, sizeof attach, &def);
    def.moving = moving;
    def.speed = moving ? 0.5 : 0.0;
    def.radius = body->radius = radius;
    for (int i = 0; i < 3 * count; ++i) {
        triangles[i] = i / 3;
    }
    body->parts[body->part_count] = brute_mesh(points, count, triangles, count, false);
    body->parts[body->part_count++].body_from_part = still;
    assert_int_equal(berth_solid_from_points(points, count, NULL, &def.solid), BERTH_OK);
    if (berth_scene_add_object(world->scene, &def, &world->ids[body->object]) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
}

void carried_add_parts(World* world, Random* random, int count, const BerthPose* pose, int robot, int link,
                       bool moving) {
    char attach[3 * BRUTE_NAME];
    BerthObjectDef def;
    BruteBody* body = add_body(world, pose, robot, link, attach, sizeof attach, &def);
    def.moving = moving;
    def.speed = moving ? 0.5 : 0.0;
    for (int i = 0; i < count; ++i) {
        static const int kinds[] = {BERTH_SPHERE,
                                    BERTH_CAPSULE,
                                    BERTH_BOX,
                                    BERTH_CYLINDER,
                                    WORLD_MESH + TEST_MESH_BALL,
                                    WORLD_MESH + TEST_MESH_TORUS};
        const int kind = kinds[pick(random, (int)(sizeof kinds / sizeof kinds[0]))];
        const BerthPose on_object = test_pose(random, 0.3);
        BrutePart* part = &body->parts[body->part_count++];
        BerthSolid* solid =
            world_solid(random, WORLD_CONVEX, kind, bi_random_between(random, 0.03, 0.15), part);
        part->body_from_part = lpose_of(&on_object);
        BerthStatus status = BERTH_OK;
        if (i == 0) {
            def.solid = solid;
            def.object_from_solid = on_object;
            status = berth_scene_add_object(world->scene, &def, &world->ids[body->object]);
        } else {
            status = berth_scene_add_part(world->scene, world->ids[body->object], &on_object, solid);
        }
        if (status != BERTH_OK) {
            fail_msg("%s", berth_error_text());
        }
    }
}

void carried_commit(World* world) {
    if (berth_scene_commit(world->scene) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    assert_int_equal(berth_scene_body_count(world->scene), world->brute.body_count);
    for (int i = 0; i < world->brute.body_count; ++i) {
        world->brute.bodies[i].index = berth_scene_find_body(world->scene, world->brute.bodies[i].name);
        assert_true(world->brute.bodies[i].index >= 0);
    }
}

// ---- random --------------------------------------------------------------------------------------------------

static void random_cloud(Random* random, World* world, const BerthPose* pose, int robot, int link,
                         bool moving) {
    BerthVec3 points[CARRIED_POINTS];
    const int most[3] = {4, 30, CARRIED_POINTS};  // beyond 32 a cloud has a tree over its pieces
    const int count = 1 + pick(random, most[pick(random, 3)]);
    const double wide = robot >= 0 ? 0.2 : 0.8;
    for (int i = 0; i < count; ++i) {
        points[i] = test_pose(random, wide).t;
    }
    carried_add_cloud(world, points, count, pick(random, 2) == 0 ? 0.0 : bi_random_between(random, 0, 0.05),
                      pose, robot, link, moving);
}

// What is held is small and near; what stands is a thing among others, or a room around them all.
static void random_map(Random* random, World* world, const BerthPose* pose, int robot, int link, bool moving,
                       Carried* carried) {
    static Grid grid;
    const bool room = pick(random, 4) == 0;
    const int dim = pick(random, 3) == 0 ? 2 : 3;
    grid_random(random, dim, room ? 6 : 4, robot >= 0 && !room ? 0.07 : room ? 0.8 : 0.2, &grid);
    if (room) {  // with much empty space in it
        for (int i = 0; i < GRID_SIDE * GRID_SIDE * GRID_SIDE; ++i) {
            uint8_t* colour = &grid.colour[0][0][0] + i;
            *colour = pick(random, 3) == 0 ? *colour : 0;
        }
        grid.colour[0][0][0] = 1;
        grid.origin =
            (BerthVec3){-0.4 * grid.size[0], -0.4 * grid.size[1], dim == 2 ? 0.0 : -0.4 * grid.size[2]};
    }
    const bool closed = !moving && room && pick(random, 2) == 0;
    carried->flat += dim == 2;
    carried->closed += closed;
    carried_add_map(world, &grid, pose, robot, link, !closed, moving);
}

World* carried_make(Random* random, WorldStyle style, Carried* carried) {
    const WorldPlan plan = {.style = style,
                            .robots = 1 + pick(random, 2),
                            .joints = 1 + pick(random, 4),
                            .objects = pick(random, 2),
                            .no_planes = style != WORLD_GRID};
    World* world = world_make(random, &plan);
    for (int i = 1 + pick(random, 3); i > 0; --i) {
        const bool held = pick(random, 3) > 0;
        const bool moving = !held && pick(random, 3) == 0;
        const int robot = held ? pick(random, plan.robots) : -1;
        const int link = held ? pick(random, world->brute.robots[robot].link_count) : -1;
        BerthPose pose = world_pose(random, style, held ? 0.3 : 0.9);
        if (!held && style == WORLD_FAR) {
            pose.t = v3_add(pose.t, v3(1e5, -7e4, 3e4));  // where the robots are
        }
        const bool cloud = pick(random, 3) == 0;
        carried->held += held;
        carried->clouds += cloud;
        carried->maps += !cloud;
        if (cloud) {
            random_cloud(random, world, &pose, robot, link, moving);
        } else {
            random_map(random, world, &pose, robot, link, moving, carried);
        }
        BruteBody* body = &world->brute.bodies[world->brute.body_count - 1];
        const int others = world->brute.body_count - 1;
        if (held && others > 0 && pick(random, 3) == 0) {
            const int other = pick(random, others);
            body->touch[body->touch_count++] = other;
            assert_int_equal(
                berth_scene_touch(world->scene, world->ids[body->object], world->brute.bodies[other].name),
                BERTH_OK);
        }
    }
    carried_commit(world);
    return world;
}
