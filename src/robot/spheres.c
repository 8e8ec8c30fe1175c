// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Covering spheres of a robot: every link is a separate body, in its own frame.
// Entries: berth_robot_fit_spheres, berth_robot_measure_spheres.

#include "cover/many.h"
#include "robot/robot.h"

/// The links of a robot as jobs.
typedef struct LinkJobs {
    BerthAllocator allocator;
    CoverJob* jobs;
    int32_t count;
} LinkJobs;

// `pose` may be null: the link's own frame.
static BerthStatus create_link_body(const BerthRobot* robot, int32_t link, BerthMetric metric,
                                    const BerthPose* pose, const BerthAllocator* from, CoverBody** out) {
    const RobotLink* info = &robot->links[link];
    if (pose != NULL && !bi_spheres_pose_is_good(pose)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres: the pose of link '%s' is not finite, or beyond %g m",
                       info->name, BI_COORDINATE_MAX);
    }

    CoverPiece* pieces = bi_take(from, (size_t)info->solid_count, sizeof *pieces);
    if (pieces == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "spheres: out of memory");
    }
    for (int32_t i = 0; i < info->solid_count; ++i) {
        const RobotSolid* solid = &robot->solids[info->first_solid + i];
        pieces[i] = (CoverPiece){
            solid->solid, pose == NULL ? solid->link_from_solid : pose_mul(pose, &solid->link_from_solid)};
    }

    const BerthStatus status = bi_cover_body_create(pieces, info->solid_count, metric, from, out);
    bi_give(from, pieces, (size_t)info->solid_count, sizeof *pieces);
    if (status != BERTH_OK) {
        return bi_fail_prefix(status, "link '%s'", info->name);
    }
    return BERTH_OK;
}

static void destroy_jobs(LinkJobs* list) {
    for (int32_t i = 0; list->jobs != NULL && i < list->count; ++i) {
        bi_cover_body_destroy(list->jobs[i].body);
    }
    bi_give(&list->allocator, list->jobs, (size_t)list->count, sizeof *list->jobs);
}

static BerthStatus create_jobs(const BerthRobot* robot, int32_t link, const BerthSpheresDef* def,
                               LinkJobs* out) {
    *out = (LinkJobs){.allocator = bi_allocator_or_default(&def->allocator), .count = robot->link_count};
    out->jobs = bi_take(&out->allocator, (size_t)out->count, sizeof *out->jobs);
    if (out->jobs == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "spheres: out of memory");
    }

    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < out->count && status == BERTH_OK; ++i) {
        CoverJob* job = &out->jobs[i];
        job->name = robot->links[i].name;
        job->asked = def->body_counts != NULL && i < def->body_count ? def->body_counts[i] : 0;
        if (robot->links[i].solid_count > 0 && (link < 0 || link == i) && job->asked >= 0) {
            const BerthPose* pose = def->poses != NULL ? &def->poses[i] : NULL;
            status = create_link_body(robot, i, def->metric, pose, &out->allocator, &job->body);
        }
    }
    return status;
}

BerthStatus berth_robot_fit_spheres(const BerthRobot* robot, int32_t link, const BerthSpheresDef* def,
                                    BerthSpheres** out) {
    if (robot == NULL || out == NULL || link >= robot->link_count) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres: no robot, nowhere to put the answer, or no such link");
    }

    *out = NULL;
    BerthStatus status = bi_spheres_check_def(def);
    if (status != BERTH_OK) {
        return status;
    }

    if (link >= 0 && robot->links[link].solid_count == 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres: link '%s' has no collision geometry",
                       robot->links[link].name);
    }

    LinkJobs list;
    status = create_jobs(robot, link, def, &list);
    if (status == BERTH_OK) {
        status = bi_cover_many(list.jobs, list.count, def, false, out);
    }

    destroy_jobs(&list);
    return status;
}

// The spheres of the other model's link, in the body's arena.
static BerthStatus read_spheres(CoverJob* job, const BerthRobot* other, int32_t* others) {
    const int32_t link = berth_robot_find_link(other, job->name);
    const int32_t count = link >= 0 ? other->links[link].solid_count : 0;
    if (count > BI_COVER_BALLS_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "spheres: link '%s' has %d shapes, more than %d", job->name,
                       (int)count, (int)BI_COVER_BALLS_MAX);
    }

    job->balls = bi_arena_take(&job->body->arena, (size_t)count + 1, sizeof *job->balls);
    if (job->balls == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "spheres: out of memory");
    }

    for (int32_t i = 0; i < count; ++i) {
        const RobotSolid* solid = &other->solids[other->links[link].first_solid + i];
        if (solid->solid->is_mesh || solid->solid->shape.kind != BERTH_SPHERE) {
            *others += 1;
            continue;
        }
        job->balls[job->ball_count++] =
            (Ball){solid->link_from_solid.t, solid->solid->shape.as.sphere.radius};
    }
    return BERTH_OK;
}

BerthStatus berth_robot_measure_spheres(const BerthRobot* robot, const BerthRobot* spherized,
                                        const BerthSpheresDef* def, int32_t* others, BerthSpheres** out) {
    if (robot == NULL || spherized == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres: a robot is missing, or nowhere to put the answer");
    }

    *out = NULL;
    BerthStatus status = bi_spheres_check_def(def);
    if (status != BERTH_OK) {
        return status;
    }

    // The other model's spheres are in their links' own frames.
    LinkJobs list;
    int32_t skipped = 0;
    BerthSpheresDef own = *def;
    own.poses = NULL;
    status = create_jobs(robot, -1, &own, &list);
    for (int32_t i = 0; i < list.count && status == BERTH_OK; ++i) {
        if (list.jobs[i].body != NULL) {
            status = read_spheres(&list.jobs[i], spherized, &skipped);
        }
    }

    if (status == BERTH_OK) {
        status = bi_cover_many(list.jobs, list.count, &own, true, out);
    }
    destroy_jobs(&list);

    if (others != NULL) {
        *others = skipped;
    }
    return status;
}
