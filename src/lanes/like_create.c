// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Are the robots of two scenes the same for lanes? Robots and solids are constant objects: two equal
// pointers, both of living scenes, are the same object. Numbers are compared bit for bit.
// Entries: bi_lanes_have_same_robots, bi_lanes_have_same_groups.

#include <string.h>

#include "lanes/lanes.h"

static bool same_pose(const Pose* a, const Pose* b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static bool same_robots(const BerthScene* a, const BerthScene* b) {
    bool same = a->robot_count == b->robot_count && a->value_count == b->value_count &&
                a->frame_count == b->frame_count;
    for (int32_t i = 0; same && i < a->robot_count; ++i) {
        same = a->robots[i].robot == b->robots[i].robot &&
               same_pose(&a->robots[i].world_from_base, &b->robots[i].world_from_base);
    }
    return same;
}

static bool same_body(const BerthScene* a, const BerthScene* b, int32_t index) {
    const SceneBody *one = &a->bodies[index], *other = &b->bodies[index];
    bool same = one->frame == other->frame && one->robot == other->robot && one->link == other->link &&
                one->part_count == other->part_count;
    for (int32_t i = 0; same && i < one->part_count; ++i) {
        const ScenePart *p = &a->parts[one->first_part + i], *q = &b->parts[other->first_part + i];
        same = p->solid == q->solid && same_pose(&p->frame_from_part, &q->frame_from_part);
    }
    return same;
}

bool bi_lanes_have_same_robots(const LanesBuild* build, const BerthLanes* like) {
    const BerthScene *ours = build->scene, *theirs = like->scene;
    bool same = like->generation == theirs->generation &&
                ours->moved_body_count == theirs->moved_body_count && same_robots(ours, theirs);
    for (int32_t i = 0; same && i < ours->moved_body_count; ++i) {
        same = same_body(ours, theirs, i);
    }
    return same;
}

static bool same_range(const LanesRange* a, const LanesRange* b) {
    return a->low == b->low && a->high == b->high && a->turns == b->turns;
}

// Radii may be larger by what floats make of another direction of the axes: leaves that meetings leave out are further apart than
// their radii times 1.0001 and 1e-5 m (meetings_create.c), which this is less than half of, for both. Charts are about bodies.
static bool is_no_larger(float radius, float theirs) {
    return radius <= theirs * (1.0f + 4e-5f) + 4e-6f;
}

static bool same_group(const KernelGroup* a, const KernelGroup* b) {
    return a->frame == b->frame && a->first_cluster == b->first_cluster &&
           a->cluster_count == b->cluster_count && a->first_leaf == b->first_leaf &&
           a->leaf_count == b->leaf_count && a->row_count == b->row_count;
}

static bool same_pair(const LanesBuild* build, const BerthLanes* like, int32_t p) {
    const KernelPair *a = &build->lane_pairs[p], *b = &like->model.pairs[p];
    const LanesPair *c = &build->lanes->pairs[p], *d = &like->pairs[p];
    return a->group_a == b->group_a && a->group_b == b->group_b && a->extra == b->extra &&
           c->shared == d->shared && c->proven == d->proven;
}

bool bi_lanes_have_same_groups(const LanesBuild* build, const BerthLanes* like) {
    const LaneModel *ours = &build->lanes->model, *theirs = &like->model;
    bool same = ours->group_count == theirs->group_count && ours->pair_count == theirs->pair_count &&
                ours->cluster_count == theirs->cluster_count && ours->leaf_count == theirs->leaf_count &&
                is_no_larger((float)build->lanes->reach, (float)like->reach);

    for (int32_t i = 0; same && i < ours->value_count; ++i) {
        same = same_range(&build->lanes->ranges[i], &like->ranges[i]);
    }
    for (int32_t i = 0; same && i < build->scene->moved_body_count; ++i) {
        same = build->bodies[i].group == like->bodies[i].group;
    }

    for (int32_t i = 0; same && i < ours->group_count; ++i) {
        same = same_group(&build->lane_groups[i], &theirs->groups[i]);
    }
    for (int32_t i = 0; same && i < ours->leaf_count; ++i) {
        same = is_no_larger(build->leaves[i].radius, theirs->leaves[i].radius);
    }
    for (int32_t i = 0; same && i < ours->pair_count; ++i) {
        same = same_pair(build, like, i);
    }
    return same;
}
