// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A robot that is checked as spheres: the solids of each link that is not made of spheres already are
// replaced by balls that are proven to cover them. This happens in the middle of a build
// (docs/theory/robot.md, Robots as spheres): which pairs are neighbours and which always overlap is
// determined by the original geometry, so that larger bodies leave out no pair that the robot itself would
// check; sums, and with them proven tables, are of the spheres.
// Entries: berth_robot_use_spheres, berth_robot_sphere_link_count, bi_robot_cover_links.

#include <string.h>

#include "cover/cover.h"
#include "mesh/mesh.h"
#include "robot/builder.h"
#include "tree/solid.h"

/// The solids of the robot as it will be.
typedef struct CoverRun {
    BerthRobot* robot;
    BerthRobotBuilder* builder;
    BuildSolid* solids;
    size_t count, capacity;
    uint8_t* covered;  // by link: its solids were made here
} CoverRun;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
}

BerthStatus berth_robot_use_spheres(BerthRobotBuilder* builder, double protrusion, int32_t most) {
    if (builder == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot builder is null");
    }
    if (!(protrusion > 0.0 && protrusion <= BI_COORDINATE_MAX) || most < 1 || most > BI_COVER_BALLS_MAX) {
        return bi_fail(
            BERTH_ERR_ARGUMENT,
            "robot as spheres: a protrusion of %g m by at most %d spheres a link, must be > 0 and from "
            "1 to %d",
            protrusion, (int)most, (int)BI_COVER_BALLS_MAX);
    }

    builder->sphere_protrusion = protrusion;
    builder->sphere_most = most;
    return BERTH_OK;
}

int32_t berth_robot_sphere_link_count(const BerthRobot* robot) {
    return robot->sphere_link_count;
}

// ---- one link --------------------------------------------------------------------------------------------

static bool is_all_spheres(const BerthRobot* robot, const RobotLink* link) {
    bool all = true;
    for (int32_t i = 0; i < link->solid_count; ++i) {
        const BerthSolid* solid = robot->solids[link->first_solid + i].solid;
        all = all && !solid->is_mesh && solid->shape.kind == BERTH_SPHERE;
    }
    return all;
}

static BerthStatus add_solid(CoverRun* run, const BuildSolid* solid) {
    if (run->count >= BI_ROBOT_SOLID_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "more than %d spheres", BI_ROBOT_SOLID_MAX);
    }
    BuildSolid* grown = bi_arena_grow(&run->builder->arena, run->solids, run->count, run->count + 1,
                                      &run->capacity, sizeof *run->solids);
    if (grown == NULL) {
        return no_memory();
    }

    run->solids = grown;
    run->solids[run->count++] = *solid;
    return BERTH_OK;
}

static BerthStatus keep_link(CoverRun* run, const RobotLink* link) {
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < link->solid_count && status == BERTH_OK; ++i) {
        const RobotSolid* solid = &run->robot->solids[link->first_solid + i];
        const BuildSolid same = {.solid = solid->solid,
                                 .source = solid->source,
                                 .link = solid->link,
                                 .link_from_solid = solid->link_from_solid};
        status = add_solid(run, &same);
    }
    return status;
}

// A ball was proven in the link's frame; what its place is rounded by on the way to the frame is added to its radius.
static BerthStatus add_ball(CoverRun* run, int32_t link, const Ball* ball) {
    const double far = v3_length(ball->centre) + v3_length(run->robot->links[link].frame_from_link.t);
    const double radius = ball->radius + BI_DISTANCE_SLACK * (far + ball->radius);
    const BerthShape shape = {.kind = BERTH_SPHERE, .as.sphere.radius = radius};

    BuildSolid made = {.source = "covering sphere", .link = link, .link_from_solid = pose_identity()};
    made.link_from_solid.t = ball->centre;
    BerthStatus status = berth_solid_from_shape(&shape, &run->builder->allocator, &made.solid);
    if (status == BERTH_OK) {
        status = add_solid(run, &made);
        if (status != BERTH_OK) {
            berth_solid_destroy(made.solid);
        }
    }
    return status;
}

// Surfaces without an inside are covered as such: what is within them may lie between the balls, as it may between the triangles.
static bool is_open_mesh(const BerthSolid* solid) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    return mesh != NULL && berth_solid_point_count(solid) == 0 && !berth_mesh_info(mesh).watertight;
}

// The pieces of a link for its cover. Maps are refused: their inside is defined by cells, not by a surface.
static BerthStatus list_pieces(const CoverRun* run, RobotLink* link, CoverPiece* pieces) {
    for (int32_t i = 0; i < link->solid_count; ++i) {
        const RobotSolid* solid = &run->robot->solids[link->first_solid + i];
        if (solid->solid->cells != NULL) {
            return bi_fail(BERTH_ERR_UNSUPPORTED, "no spheres cover a map");
        }
        pieces[i] = (CoverPiece){solid->solid, solid->link_from_solid};
        link->open_mesh_count += is_open_mesh(solid->solid);
    }
    return BERTH_OK;
}

static BerthStatus cover_link(CoverRun* run, int32_t index) {
    RobotLink* link = &run->robot->links[index];
    const BerthAllocator* from = &run->builder->allocator;
    CoverPiece* pieces = bi_take(from, (size_t)link->solid_count, sizeof *pieces);
    if (pieces == NULL) {
        return no_memory();
    }

    QuickCover cover = {0};
    BerthStatus status = list_pieces(run, link, pieces);
    if (status == BERTH_OK) {
        status = bi_cover_quick(pieces, link->solid_count, run->builder->sphere_protrusion,
                                run->builder->sphere_most, from, &cover);
    }
    bi_give(from, pieces, (size_t)link->solid_count, sizeof *pieces);

    run->covered[index] = 1;
    for (int32_t i = 0; i < cover.count && status == BERTH_OK; ++i) {
        status = add_ball(run, index, &cover.balls[i]);
    }
    bi_give(from, cover.balls, (size_t)cover.count, sizeof *cover.balls);
    return status == BERTH_OK ? status : bi_fail_prefix(status, "link '%s'", link->name);
}

// ---- all of them -----------------------------------------------------------------------------------------

// Destroys those of `solids` whose links were covered: what was made, or what it stands for.
static void destroy_covered(const CoverRun* run, const BuildSolid* solids, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (run->covered[solids[i].link]) {
            berth_solid_destroy(solids[i].solid);
        }
    }
}

static BerthStatus cover_all(CoverRun* run, int32_t* fault) {
    BerthRobot* robot = run->robot;
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < robot->link_count && status == BERTH_OK; ++i) {
        const RobotLink* link = &robot->links[i];
        if (link->solid_count == 0) {
            continue;
        }

        robot->sphere_link_count += 1;
        status = is_all_spheres(robot, link) ? keep_link(run, link) : cover_link(run, i);
        *fault = status == BERTH_OK ? -1 : i;
    }
    return status;
}

BerthStatus bi_robot_cover_links(BerthRobot* robot, BerthRobotBuilder* builder, int32_t* fault) {
    CoverRun run = {.robot = robot,
                    .builder = builder,
                    .covered = bi_arena_take(&builder->arena, (size_t)robot->link_count, 1)};
    *fault = -1;
    if (run.covered == NULL) {
        return no_memory();
    }

    const BerthStatus status = cover_all(&run, fault);
    if (status != BERTH_OK) {
        destroy_covered(&run, run.solids, run.count);
        return status;
    }

    // The builder owns the solids until the robot is whole.
    destroy_covered(&run, builder->solids, builder->solid_count);
    builder->solids = run.solids;
    builder->solid_count = run.count;
    builder->solid_capacity = run.capacity;
    return BERTH_OK;
}
