// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Balls that cover each body that moves or belongs to a robot, in clusters of near ones. Bodies made of
// spheres are their own cover, and a ball of theirs that meets something is a hit.
// Entries: bi_lanes_make_balls, bi_lanes_is_all_spheres; bi_lanes_make_groups puts what is made here into the
// kernel's arrays.

#include <string.h>

#include "cover/cover.h"
#include "lanes/lanes.h"
#include "tree/solid.h"

enum {
    COVER_MOST = 16,   // balls around one body
    INSIDE_MOST = 16,  // balls inside of it
    DEEP_MOST = 64     // of these that charts are measured with: it costs no state anything
};
#define PROTRUSION 0.010  // metres that balls may reach beyond a body, where so many can do it

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "lanes: out of memory");
}

bool bi_lanes_is_all_spheres(const BerthScene* scene, const SceneBody* body) {
    bool all = true;
    for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
        const BerthSolid* solid = scene->parts[p].solid;
        all = all && !solid->is_mesh && solid->shape.kind == BERTH_SPHERE;
    }
    return all;
}

static BerthStatus keep_balls(LanesBuild* build, const Ball* from, int32_t count, const Ball** out,
                              int32_t* out_count) {
    Ball* balls = bi_arena_take(&build->lanes->arena, (size_t)count, sizeof *balls);
    if (balls == NULL) {
        return no_memory();
    }
    if (count > 0) {
        memcpy(balls, from, (size_t)count * sizeof *balls);
    }
    *out = balls;
    *out_count = count;
    return BERTH_OK;
}

// A body of spheres is its own cover.
static BerthStatus take_spheres(LanesBuild* build, const SceneBody* body, LanesBody* out) {
    Ball* balls = bi_arena_take(&build->lanes->arena, (size_t)body->part_count, sizeof *balls);
    for (int32_t i = 0; balls != NULL && i < body->part_count; ++i) {
        const ScenePart* part = &build->scene->parts[body->first_part + i];
        balls[i] = (Ball){part->frame_from_part.t, part->solid->shape.as.sphere.radius};
    }
    out->balls = balls;
    out->ball_count = body->part_count;
    out->exact = true;
    return balls != NULL ? BERTH_OK : no_memory();
}

// A proven cover, and balls that are proven to lie inside: what meets one of those is a hit.
static BerthStatus cover_pieces(LanesBuild* build, const CoverPiece* pieces, int32_t count, LanesBody* out) {
    const BerthAllocator* from = &build->lanes->allocator;
    QuickCover cover;
    Ball inside[DEEP_MOST];
    int32_t inside_count = 0;
    BerthStatus status = bi_cover_quick(pieces, count, PROTRUSION, COVER_MOST, from, &cover);
    if (status != BERTH_OK) {
        return status;
    }

    status = keep_balls(build, cover.balls, cover.count, &out->balls, &out->ball_count);
    bi_give(from, cover.balls, (size_t)cover.count, sizeof *cover.balls);
    if (status == BERTH_OK) {
        status = bi_cover_inscribed(pieces, count, DEEP_MOST, from, inside, &inside_count);
    }
    if (status == BERTH_OK) {
        status = keep_balls(build, inside, inside_count, &out->inside, &out->deep_count);
    }
    out->inside_count = out->deep_count < INSIDE_MOST ? out->deep_count : INSIDE_MOST;
    return status;
}

static bool is_endless(const BerthScene* scene, const SceneBody* body) {
    bool endless = false;
    for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
        const BerthSolid* solid = scene->parts[p].solid;
        endless =
            endless || (!solid->is_mesh && solid->shape.kind == BERTH_HALFSPACE) || solid->cells != NULL;
    }
    return endless;
}

static BerthStatus cover_body(LanesBuild* build, int32_t index) {
    const SceneBody* body = &build->scene->bodies[index];
    LanesBody* out = &build->bodies[index];
    if (bi_lanes_is_all_spheres(build->scene, body)) {
        return take_spheres(build, body, out);
    }
    if (is_endless(build->scene, body)) {
        build->holds = false;
        return BERTH_OK;
    }

    CoverPiece* pieces = bi_arena_take(&build->lanes->arena, (size_t)body->part_count, sizeof *pieces);
    if (pieces == NULL) {
        return no_memory();
    }
    for (int32_t i = 0; i < body->part_count; ++i) {
        const ScenePart* part = &build->scene->parts[body->first_part + i];
        pieces[i] = (CoverPiece){part->solid, part->frame_from_part};
    }
    return cover_pieces(build, pieces, body->part_count, out);
}

BerthStatus bi_lanes_make_balls(LanesBuild* build) {
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < build->scene->moved_body_count && status == BERTH_OK && build->holds; ++i) {
        if (build->like != NULL) {
            build->bodies[i] = build->like->bodies[i];
        } else {
            status = cover_body(build, i);
        }
    }
    return status;
}
