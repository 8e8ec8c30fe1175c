// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Groups: bodies that share a frame, obstacles, partners, padding and proofs. Their balls in clusters, the
// pairs of groups, and for each group the joints above it with the largest distance that its points can have
// from their axes.
// Entry: bi_lanes_make_groups.

#include <string.h>

#include "lanes/lanes.h"

/// Balls beyond this many, or wider than this, are halved into clusters.
enum { CLUSTER_MOST = 8, CLUSTER_LEAST = 3 };
#define CLUSTER_WIDE 0.09  // metres, of radius

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "lanes: out of memory");
}

// ---- which bodies go together -----------------------------------------------------------------------------------

static bool is_item(const BerthScene* scene, int32_t body) {
    return body >= scene->moved_body_count;
}

/// Pairs of one body that can change, as (partner, extra, proven) in the order of partners.
typedef struct Partner {
    int32_t body;
    double extra;
    bool proven;
} Partner;
typedef struct PartnerList {
    Partner* at;
    int32_t count, capacity;
} PartnerList;

static double pair_margin(const LanesBuild* build, const ScenePair* pair) {
    return pair->self ? build->lanes->self_margin : build->lanes->margin;
}

static void add_partner(const LanesBuild* build, PartnerList* list, const ScenePair* pair, int32_t other) {
    const double margin = pair_margin(build, pair);
    list->at[list->count++] = (Partner){other, pair->padding + margin, pair->proven_gap > margin};
}

static BerthStatus list_partners(LanesBuild* build, PartnerList* lists) {
    const BerthScene* scene = build->scene;
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        if (!pair->constant) {
            lists[pair->body_a].capacity += 1;
            lists[pair->body_b].capacity += 1;
        }
    }
    for (int32_t i = 0; i < scene->body_count; ++i) {
        lists[i].at = bi_arena_take(&build->lanes->arena, (size_t)lists[i].capacity, sizeof(Partner));
        if (lists[i].at == NULL) {
            return no_memory();
        }
    }

    // Pairs are sorted by both bodies: each list gets its smaller partners first, then its larger ones.
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        if (!pair->constant) {
            add_partner(build, &lists[pair->body_b], pair, pair->body_a);
        }
    }
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        if (!pair->constant) {
            add_partner(build, &lists[pair->body_a], pair, pair->body_b);
        }
    }
    return BERTH_OK;
}

static bool same_partners(const PartnerList* a, const PartnerList* b) {
    bool same = a->count == b->count;
    for (int32_t i = 0; i < a->count && same; ++i) {
        same = a->at[i].body == b->at[i].body && a->at[i].extra == b->at[i].extra &&
               a->at[i].proven == b->at[i].proven;
    }
    return same;
}

static void group_bodies(LanesBuild* build, const PartnerList* lists) {
    const BerthScene* scene = build->scene;
    LaneModel* model = &build->lanes->model;
    for (int32_t i = 0; i < scene->moved_body_count && build->holds; ++i) {
        build->bodies[i].group = -1;
        if (lists[i].count == 0) {
            continue;  // it may touch everything that it can meet
        }

        int32_t group = 0;
        while (group < model->group_count &&
               (scene->bodies[build->first_body[group]].frame != scene->bodies[i].frame ||
                !same_partners(&lists[build->first_body[group]], &lists[i]))) {
            group += 1;
        }
        if (group >= LANES_GROUPS_MAX) {
            build->holds = false;
            return;
        }
        if (group == model->group_count) {
            build->first_body[model->group_count++] = i;
        }
        build->bodies[i].group = group;
    }
}

// ---- clusters ---------------------------------------------------------------------------------------------------

/// Balls of one body that are being put into clusters.
typedef struct Clustering {
    LanesBuild* build;
    int32_t group, body;
    Ball* balls;              // its own, sorted in place
    const LanesFrame* frame;  // null: the world
} Clustering;

// What floats may make of a ball's place.
static double place_error(const LanesBuild* build, const LanesFrame* frame, double arm) {
    (void)build;
    if (frame == NULL) {
        return 8.0 * LANES_U * arm;
    }
    return frame->place_error + frame->turn_error * arm + 10.0 * LANES_U * (frame->far + arm);
}

static LaneBall lane_ball(const Clustering* c, Ball ball, double sure) {
    const Vec3 at = c->frame != NULL ? pose_apply_back(&c->frame->frame_from_lane, ball.centre)
                                     : pose_apply_back(&c->build->lanes->world_from_lane, ball.centre);
    const double slack = place_error(c->build, c->frame, v3_length(at));
    const double inside = sure * (1.0 - 16.0 * LANES_U) - 2.0 * slack;
    return (LaneBall){{(float)at.x, (float)at.y, (float)at.z},
                      bi_float_up(ball.radius * LANES_GROWN + slack),
                      sure >= 0.0 && inside > 0.0 ? bi_float_down(inside) : LANE_UNSURE};
}

static bool add_cluster(Clustering* c, int32_t first, int32_t count) {
    LanesBuild* build = c->build;
    LaneModel* model = &build->lanes->model;
    Arena* arena = &build->lanes->arena;
    build->clusters =
        bi_arena_grow(arena, build->clusters, (size_t)model->cluster_count, (size_t)model->cluster_count + 1,
                      &build->cluster_capacity, sizeof *build->clusters);
    build->leaves =
        bi_arena_grow(arena, build->leaves, (size_t)model->leaf_count, (size_t)(model->leaf_count + count),
                      &build->leaf_capacity, sizeof *build->leaves);
    if (build->clusters == NULL || build->leaves == NULL) {
        return false;
    }

    const Ball around = bi_ball_of_balls(c->balls + first, count);
    build->clusters[model->cluster_count++] =
        (LaneCluster){lane_ball(c, around, -1.0),  model->leaf_count, count, c->group, c->body,
                      build->bodies[c->body].exact};
    for (int32_t i = first; i < first + count; ++i) {
        const double sure = build->bodies[c->body].exact ? c->balls[i].radius : -1.0;
        build->leaves[model->leaf_count++] = lane_ball(c, c->balls[i], sure);
    }
    build->most_radius[c->group] = fmax(build->most_radius[c->group], around.radius);
    return true;
}

static void sort_along(Clustering* c, int32_t first, int32_t count, int axis) {
    for (int32_t i = first + 1; i < first + count; ++i) {
        const Ball ball = c->balls[i];
        int32_t j = i;
        for (; j > first && v3_at(c->balls[j - 1].centre, axis) > v3_at(ball.centre, axis); --j) {
            c->balls[j] = c->balls[j - 1];
        }
        c->balls[j] = ball;
    }
}

// Halves along the longest side until a cluster is small. A stack of halves, no recursion: depth is that of halving.
static bool cluster_balls(Clustering* c, int32_t total) {
    int32_t stack[64][2] = {{0, total}}, depth = 1;
    while (depth > 0) {
        const int32_t first = stack[depth - 1][0], count = stack[depth - 1][1];
        depth -= 1;
        const Ball around = bi_ball_of_balls(c->balls + first, count);
        const bool small = count <= CLUSTER_LEAST || (count <= CLUSTER_MOST && around.radius <= CLUSTER_WIDE);
        if (small || depth + 2 > 64) {
            if (!add_cluster(c, first, count)) {
                return false;
            }
            continue;
        }

        Vec3 low = c->balls[first].centre, high = low;
        for (int32_t i = first; i < first + count; ++i) {
            low = v3_min(low, c->balls[i].centre);
            high = v3_max(high, c->balls[i].centre);
        }
        const Vec3 size = v3_sub(high, low);
        int axis = size.y >= size.x && size.y >= size.z ? 1 : 2;
        if (size.x >= size.y && size.x >= size.z) {
            axis = 0;
        }
        sort_along(c, first, count, axis);
        const int32_t left = count / 2;
        stack[depth][0] = first + left;
        stack[depth++][1] = count - left;
        stack[depth][0] = first;
        stack[depth++][1] = left;
    }
    return true;
}

// Balls that are inside for certain: the leaves themselves, where they are the bodies; else rows of their own.
static void count_sure(LanesBuild* build, int32_t group, KernelGroup* out) {
    LaneModel* model = &build->lanes->model;
    bool exact = true;
    int32_t inside = 0;
    for (int32_t i = 0; i < build->scene->moved_body_count; ++i) {
        if (build->bodies[i].group == group) {
            exact = exact && build->bodies[i].exact;
            inside += build->bodies[i].exact ? build->bodies[i].ball_count : build->bodies[i].inside_count;
        }
    }

    out->first_sure_row = exact ? out->first_row : model->row_count;
    out->sure_count = exact ? out->leaf_count : inside;
    model->row_count += exact ? 0 : (inside + LANES - 1) / LANES;
}

static BerthStatus fill_group(LanesBuild* build, int32_t group) {
    const BerthScene* scene = build->scene;
    LaneModel* model = &build->lanes->model;
    KernelGroup* out = &build->lane_groups[group];
    const int32_t scene_frame = scene->bodies[build->first_body[group]].frame;
    out->frame = scene_frame >= 0 ? build->lane_frame[scene_frame] : -1;
    out->field = -1;
    out->first_cluster = model->cluster_count;
    out->first_leaf = model->leaf_count;

    Clustering c = {build, group, -1, NULL, out->frame >= 0 ? &build->frames[out->frame] : NULL};
    Ball whole = {{0, 0, 0}, -1.0};
    for (int32_t i = 0; i < scene->moved_body_count; ++i) {
        if (build->bodies[i].group != group) {
            continue;
        }
        const LanesBody* from = &build->bodies[i];
        c.body = i;
        c.balls = bi_arena_take(&build->lanes->arena, (size_t)from->ball_count, sizeof *c.balls);
        if (c.balls == NULL) {
            return no_memory();
        }
        memcpy(c.balls, from->balls, (size_t)from->ball_count * sizeof *c.balls);
        if (!cluster_balls(&c, from->ball_count)) {
            return no_memory();
        }
        const Ball body = bi_ball_of_balls(c.balls, from->ball_count);
        whole = whole.radius < 0.0 ? body : bi_ball_merge(whole, body);
    }
    out->cluster_count = model->cluster_count - out->first_cluster;
    out->leaf_count = model->leaf_count - out->first_leaf;
    out->first_row = model->row_count;
    out->row_count = (out->leaf_count + LANES - 1) / LANES;
    model->row_count += out->row_count;
    count_sure(build, group, out);
    out->ball = lane_ball(&c, whole, -1.0);
    return BERTH_OK;
}

static void write_slot(LanesBuild* build, int32_t first_row, int32_t index, const LaneBall* ball,
                       int32_t cluster) {
    LaneRow* row = &build->rows[first_row + index / LANES];
    row->x[index % LANES] = ball->centre[0];
    row->y[index % LANES] = ball->centre[1];
    row->z[index % LANES] = ball->centre[2];
    row->radius[index % LANES] = ball->radius;
    row->sure[index % LANES] = ball->sure;
    build->row_clusters[first_row * LANES + index] = cluster;
}

// Balls inside of the bodies of a group, each with the first cluster of its body.
static void write_sure_rows(LanesBuild* build, int32_t index) {
    const KernelGroup* group = &build->lane_groups[index];
    Clustering c = {build, index, -1, NULL, group->frame >= 0 ? &build->frames[group->frame] : NULL};
    int32_t at = 0;
    for (int32_t k = group->first_cluster; k < group->first_cluster + group->cluster_count; ++k) {
        if (k > group->first_cluster && build->clusters[k].body == build->clusters[k - 1].body) {
            continue;
        }
        const LanesBody* body = &build->bodies[build->clusters[k].body];
        const Ball* balls = body->exact ? body->balls : body->inside;
        const int32_t count = body->exact ? body->ball_count : body->inside_count;
        for (int32_t i = 0; i < count; ++i) {
            const LaneBall ball = lane_ball(&c, balls[i], balls[i].radius);
            write_slot(build, group->first_sure_row, at++, &ball, k);
        }
    }
}

// The same leaves in rows, and the cluster of each.
static BerthStatus write_rows(LanesBuild* build) {
    const LaneModel* model = &build->lanes->model;
    Arena* arena = &build->lanes->arena;
    const size_t slots = (size_t)model->row_count * LANES;
    build->leaf_clusters = bi_arena_take(arena, (size_t)model->leaf_count + 1, sizeof *build->leaf_clusters);
    build->row_clusters = bi_arena_take(arena, slots + 1, sizeof *build->row_clusters);
    unsigned char* rows = bi_arena_take(arena, (size_t)model->row_count * sizeof(LaneRow) + 64, 1);
    if (build->leaf_clusters == NULL || build->row_clusters == NULL || rows == NULL) {
        return no_memory();
    }

    // At multiples of 64 bytes: the arena's own are at multiples of less.
    rows += (64 - (uintptr_t)rows % 64) % 64;
    build->rows = (LaneRow*)(void*)rows;
    for (int32_t c = 0; c < model->cluster_count; ++c) {
        for (int32_t i = 0; i < build->clusters[c].leaf_count; ++i) {
            build->leaf_clusters[build->clusters[c].first_leaf + i] = c;
        }
    }

    for (int32_t g = 0; g < model->group_count; ++g) {
        const KernelGroup* group = &build->lane_groups[g];
        for (int32_t i = 0; i < group->leaf_count; ++i) {
            const int32_t leaf = group->first_leaf + i;
            write_slot(build, group->first_row, i, &build->leaves[leaf], build->leaf_clusters[leaf]);
        }
        if (group->first_sure_row != group->first_row) {
            write_sure_rows(build, g);
        }
    }
    return BERTH_OK;
}

// ---- joints above a group ---------------------------------------------------------------------------------------

static Vec3 centre_of(const LaneBall* ball) {
    return v3((double)ball->centre[0], (double)ball->centre[1], (double)ball->centre[2]);
}

/// Centres that the kernel moves: of the group, its clusters and its leaves.
typedef struct Centres {
    Vec3 middle;
    double radius;  // around `middle`
    double own;     // most distance from the z axis
} Centres;

static void hold_centre(Centres* centres, const LaneBall* ball) {
    const Vec3 at = centre_of(ball);
    centres->radius = fmax(centres->radius, v3_distance(at, centres->middle));
    centres->own = fmax(centres->own, hypot(at.x, at.y));
}

static Centres centres_of_group(const LanesBuild* build, const KernelGroup* g) {
    Centres centres = {centre_of(&g->ball), 0.0, 0.0};
    hold_centre(&centres, &g->ball);
    for (int32_t k = g->first_cluster; k < g->first_cluster + g->cluster_count; ++k) {
        const LaneCluster* cluster = &build->clusters[k];
        hold_centre(&centres, &cluster->ball);
        for (int32_t i = cluster->first_leaf; i < cluster->first_leaf + cluster->leaf_count; ++i) {
            hold_centre(&centres, &build->leaves[i]);
        }
    }
    return centres;
}

static double range_half(const LanesBuild* build, const KernelFrame* f) {
    const LanesRange* range = &build->lanes->ranges[f->value];
    return 0.5 * fabs((double)f->multiplier) * (range->high - range->low);
}

static double range_middle(const LanesBuild* build, const KernelFrame* f) {
    const LanesRange* range = &build->lanes->ranges[f->value];
    return (double)f->multiplier * 0.5 * (range->low + range->high) + (double)f->offset;
}

static Vec3 into_parent(const KernelFrame* frame, Vec3 c) {
    double out[3];
    for (int row = 0; row < 3; ++row) {
        out[row] = (double)frame->turn[0][row] * c.x + (double)frame->turn[1][row] * c.y +
                   (double)frame->turn[2][row] * c.z + (double)frame->t[row];
    }
    return v3(out[0], out[1], out[2]);
}

/// Levers are enlarged by far more than floats and sums of doubles lose.
#define LEVER_GROWN 1.0001
#define LEVER_SLACK 1e-6

// A ball around the group's centres, carried inward with every joint free to do what it may: how far each axis can be. Returns
// where they can get to at all.
static Ball carry_inward(LanesBuild* build, const KernelGroup* g, LanesLever* levers, int32_t count) {
    Centres centres = centres_of_group(build, g);
    Vec3 c = centres.middle;
    double r = centres.radius;
    int32_t row = count;

    for (int32_t f = g->frame; f >= 0; f = build->lane_frames[f].parent) {
        const KernelFrame* frame = &build->lane_frames[f];
        const bool turns = frame->motion == LANE_TURN;
        const double away = hypot(c.x, c.y);
        double lever = 1.0;
        if (turns) {
            lever = (f == g->frame ? fmin(away + r, centres.own) : away + r) * LEVER_GROWN + LEVER_SLACK;
            r += away;
            c = v3(0, 0, c.z);
        } else {
            c.z += range_middle(build, frame);
            r += range_half(build, frame);
        }
        levers[--row] = (LanesLever){f, frame->value, turns, fabs((double)frame->multiplier), lever};

        c = into_parent(frame, c);
        r = r * (1.0 + 1e-6) + LEVER_SLACK;
    }
    return (Ball){c, r};
}

static double largest_leaf(const LanesBuild* build, const KernelGroup* g) {
    double most = 0.0;
    for (int32_t k = g->first_cluster; k < g->first_cluster + g->cluster_count; ++k) {
        const LaneCluster* cluster = &build->clusters[k];
        for (int32_t i = cluster->first_leaf; i < cluster->first_leaf + cluster->leaf_count; ++i) {
            most = fmax(most, (double)build->leaves[i].radius);
        }
    }
    return most;
}

static BerthStatus find_levers(LanesBuild* build, int32_t group) {
    BerthLanes* lanes = build->lanes;
    KernelGroup* g = &build->lane_groups[group];
    LanesGroup* out = &lanes->groups[group];
    for (int32_t f = g->frame; f >= 0; f = build->lane_frames[f].parent) {
        out->lever_count += 1;
    }
    LanesLever* levers = bi_arena_take(&lanes->arena, (size_t)out->lever_count, sizeof *levers);
    if (levers == NULL) {
        return no_memory();
    }
    out->reach = carry_inward(build, g, levers, out->lever_count);
    out->leaf_radius = largest_leaf(build, g);
    out->levers = levers;

    // A velocity is a sum over joints of spins and of origins, each as large as the scene.
    if (g->frame >= 0) {
        const LanesFrame* frame = &build->frames[g->frame];
        const double arm = v3_length(centre_of(&g->ball)) + (double)g->ball.radius;
        const double far = frame->far + arm;
        g->rate_loss = bi_float_up(2.5 * far * (frame->turn_error + 48.0 * LANES_U) +
                                   2.0 * place_error(build, frame, arm) + 16.0 * LANES_U);
        lanes->reach = fmax(lanes->reach, far);
    }
    return BERTH_OK;
}

// ---- pairs of groups --------------------------------------------------------------------------------------------

// Joints that carry both groups alike.
static int32_t shared_levers(const LanesGroup* a, const LanesGroup* b) {
    int32_t count = 0;
    while (count < a->lever_count && count < b->lever_count &&
           a->levers[count].frame == b->levers[count].frame) {
        count += 1;
    }
    return count;
}

static void add_pair(LanesBuild* build, int32_t a, int32_t b, const Partner* partner) {
    BerthLanes* lanes = build->lanes;
    LaneModel* model = &lanes->model;
    if (model->pair_count >= LANES_PAIRS_MAX) {
        build->holds = false;
        return;
    }
    const int32_t shared = shared_levers(&lanes->groups[a], &lanes->groups[b]);
    const int32_t ancestor = shared > 0 ? lanes->groups[a].levers[shared - 1].frame : -1;
    lanes->pairs[model->pair_count] = (LanesPair){shared, partner->proven};
    build->lane_pairs[model->pair_count++] = (KernelPair){.group_a = a,
                                                          .group_b = b,
                                                          .ancestor = ancestor,
                                                          .chart = -1,
                                                          .extra = bi_float_up(partner->extra * LANES_GROWN)};
}

// Bodies of one group have the same partners, so one of each stands for all.
static void make_pairs(LanesBuild* build, const PartnerList* lists) {
    const BerthScene* scene = build->scene;
    for (int32_t a = 0; a < build->lanes->model.group_count; ++a) {
        const PartnerList* list = &lists[build->first_body[a]];
        for (int32_t k = 0; k < list->count && build->holds; ++k) {
            const Partner* partner = &list->at[k];
            const int32_t b = is_item(scene, partner->body) ? -1 : build->bodies[partner->body].group;
            if (b > a && build->first_body[b] == partner->body) {
                add_pair(build, a, b, partner);
            }
        }
    }
}

static BerthStatus list_pairs(LanesBuild* build) {
    BerthLanes* lanes = build->lanes;
    const int32_t count = lanes->model.pair_count;
    lanes->all_pairs = bi_arena_take(&lanes->arena, (size_t)count, sizeof *lanes->all_pairs);
    lanes->unproven_pairs = bi_arena_take(&lanes->arena, (size_t)count, sizeof *lanes->unproven_pairs);
    if (lanes->all_pairs == NULL || lanes->unproven_pairs == NULL) {
        return no_memory();
    }

    // From the tips inward: what moves most collides most.
    for (int32_t i = count - 1; i >= 0; --i) {
        lanes->all_pairs[lanes->all_pair_count++] = i;
        if (!lanes->pairs[i].proven) {
            lanes->unproven_pairs[lanes->unproven_pair_count++] = i;
        }
    }
    return BERTH_OK;
}

// ---- levers as the kernel reads them ------------------------------------------------------------------------------

static bool add_levers(LanesBuild* build, const LanesGroup* group, int32_t skip) {
    LaneModel* model = &build->lanes->model;
    const int32_t more = group->lever_count - skip;
    build->levers =
        bi_arena_grow(&build->lanes->arena, build->levers, (size_t)model->lever_count,
                      (size_t)(model->lever_count + more + 1), &build->lever_capacity, sizeof *build->levers);
    if (build->levers == NULL) {
        return false;
    }
    for (int32_t i = skip; i < group->lever_count; ++i) {
        const LanesLever* lever = &group->levers[i];
        build->levers[model->lever_count++] = (KernelLever){lever->frame, bi_float_up(lever->lever)};
        build->lanes->frame_levers[lever->frame] =
            fmaxf(build->lanes->frame_levers[lever->frame], bi_float_up(lever->lever));
    }
    return true;
}

// Of a group all levers, of a pair those below where the two chains part.
static BerthStatus write_levers(LanesBuild* build) {
    BerthLanes* lanes = build->lanes;
    LaneModel* model = &lanes->model;
    bool ok = true;
    for (int32_t g = 0; g < model->group_count && ok; ++g) {
        build->lane_groups[g].first_lever = model->lever_count;
        build->lane_groups[g].lever_count = lanes->groups[g].lever_count;
        ok = add_levers(build, &lanes->groups[g], 0);
    }

    for (int32_t p = 0; p < model->pair_count && ok; ++p) {
        KernelPair* pair = &build->lane_pairs[p];
        pair->first_lever = model->lever_count;
        ok = add_levers(build, &lanes->groups[pair->group_a], lanes->pairs[p].shared) &&
             add_levers(build, &lanes->groups[pair->group_b], lanes->pairs[p].shared);
        pair->lever_count = model->lever_count - pair->first_lever;
    }
    return ok ? BERTH_OK : no_memory();
}

// The same side by side, and the groups' loss of velocity, where there are few groups.
static BerthStatus write_lever_rows(LanesBuild* build) {
    LaneModel* model = &build->lanes->model;
    const int32_t rows = (model->group_count + LANES - 1) / LANES, row = rows * LANES;
    if (rows > LANE_LEVER_ROWS) {
        return BERTH_OK;
    }
    const size_t count = (size_t)(model->frame_count + 1) * (size_t)row;
    unsigned char* room = bi_arena_take(&build->lanes->arena, count * sizeof(float) + 64, 1);
    if (room == NULL) {
        return no_memory();
    }

    float* levers = (float*)(void*)(room + (64 - (uintptr_t)room % 64) % 64);
    for (int32_t g = 0; g < model->group_count; ++g) {
        const KernelGroup* group = &build->lane_groups[g];
        for (int32_t i = group->first_lever; i < group->first_lever + group->lever_count; ++i) {
            levers[build->levers[i].frame * row + g] = build->levers[i].lever;
        }
        levers[model->frame_count * row + g] = group->rate_loss;
    }
    model->group_levers = levers;
    model->lever_rows = rows;
    return BERTH_OK;
}

// ---- obstacles of a group ---------------------------------------------------------------------------------------

// The extra against obstacles: padding of the robot's side and the margin; an obstacle's own padding goes to its item.
static void find_extra(LanesBuild* build, int32_t group) {
    const SceneBody* body = &build->scene->bodies[build->first_body[group]];
    build->lane_groups[group].extra = bi_float_up((body->padding + build->lanes->margin) * LANES_GROWN);
}

BerthStatus bi_lanes_make_groups(LanesBuild* build) {
    BerthLanes* lanes = build->lanes;
    PartnerList* lists = bi_arena_take(&lanes->arena, (size_t)build->scene->body_count, sizeof *lists);
    if (lists == NULL) {
        return no_memory();
    }
    BerthStatus status = list_partners(build, lists);
    if (status == BERTH_OK) {
        group_bodies(build, lists);
    }

    for (int32_t g = 0; g < lanes->model.group_count && status == BERTH_OK && build->holds; ++g) {
        status = fill_group(build, g);
        if (status == BERTH_OK) {
            status = find_levers(build, g);
            find_extra(build, g);
        }
    }
    if (status == BERTH_OK && build->holds) {
        status = write_rows(build);
    }
    if (status == BERTH_OK && build->holds) {
        make_pairs(build, lists);
        status = list_pairs(build);
    }
    if (status == BERTH_OK && build->holds) {
        status = write_levers(build);
    }
    if (status == BERTH_OK && build->holds) {
        status = write_lever_rows(build);
    }
    return status;
}
