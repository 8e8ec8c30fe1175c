// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Charts: links with one or two joints between them (a forearm and a hand) are near each other wherever the
// arm is, and balls around them overlap where the links do not. The distance of such links depends on two
// values only, so it is measured once, on a grid of these values, by the bodies themselves: at the middle of
// a box of values, less what the joints can do from there to its corners. Large boxes first; where that
// leaves little, the box is halved.
// Entry: bi_lanes_make_charts.

#include <string.h>

#include "lanes/charts.h"
#include "tree/solid.h"

enum {
    CHARTS_MOST = 64,
    CELLS_MOST = 65536,      // of a chart
    SIDE_MOST = 1024,        // along one value
    MEASURED_MOST = 48000,   // boxes of one chart by bodies,
    MEASURED_BALLS = 40000,  // or by balls
    PART_PAIRS_MOST = 64,    // of bodies that are measured at each box
    NODES_MOST = 20000       // of their trees
};
/// Larger gaps need not be resolved, metres.
#define GAP_ENOUGH 0.06
/// What floats make of frames and values, metres and shares of the robots' reach: far more than they do.
#define CHART_SLACK 2e-5
#define CHART_SLACK_SHARE (128.0 * LANES_U)
/// And of a value's distance from the middle of its cell, radians or metres.
#define VALUE_SLACK 2e-5

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "lanes: out of memory");
}

// ---- how far apart at one place -------------------------------------------------------------------------------------

Pose bi_charts_shared_from_group(const Charting* c, int32_t group, const double at[2]) {
    const LanesGroup* levers = &c->build->lanes->groups[group];
    Pose pose = pose_identity();
    for (int32_t i = c->shared; i < levers->lever_count; ++i) {
        const KernelFrame* frame = &c->build->lane_frames[levers->levers[i].frame];
        const double q = frame->value == c->axes[0].value ? at[0] : at[1];
        const Pose step = bi_lanes_frame_pose(frame, q);
        pose = pose_mul(&pose, &step);
    }
    return pose;
}

static Vec3 centre_of(const LaneBall* ball) {
    return v3((double)ball->centre[0], (double)ball->centre[1], (double)ball->centre[2]);
}

static void leaves_of(const LanesBuild* build, int32_t group, int32_t* first, int32_t* end) {
    const KernelGroup* g = &build->lane_groups[group];
    const LaneCluster* last = &build->clusters[g->first_cluster + g->cluster_count - 1];
    *first = build->clusters[g->first_cluster].first_leaf;
    *end = last->first_leaf + last->leaf_count;
}

// Radii are those of the layout, enlarged: the gap is at least what is found.
static double ball_gap(const Charting* c, const Pose* a_from_b) {
    const LaneBall* leaves = c->build->leaves;
    int32_t first_a, end_a, first_b, end_b;
    leaves_of(c->build, c->pair->group_a, &first_a, &end_a);
    leaves_of(c->build, c->pair->group_b, &first_b, &end_b);

    double least = GAP_ENOUGH * 4.0;
    for (int32_t b = first_b; b < end_b; ++b) {
        const Vec3 at = pose_apply(a_from_b, centre_of(&leaves[b]));
        for (int32_t a = first_a; a < end_a; ++a) {
            const double radii = (double)leaves[a].radius + (double)leaves[b].radius;
            least = fmin(least, v3_distance(at, centre_of(&leaves[a])) - radii);
        }
    }
    return least;
}

// What a body of a group is in, in the group's lane frame.
static Pose group_from_frame(const Charting* c, int32_t group) {
    const int32_t frame = c->build->lane_groups[group].frame;
    return pose_inverse(frame >= 0 ? &c->build->frames[frame].frame_from_lane
                                   : &c->build->lanes->world_from_lane);
}

Pose bi_charts_group_from_part(const Charting* c, int32_t group, const ScenePart* part) {
    const Pose group_from_body = group_from_frame(c, group);
    return pose_mul(&group_from_body, &part->frame_from_part);
}

// No more than `enough` need be resolved.
static double part_gap(Charting* c, const ScenePart* a, const ScenePart* b, const Pose* a_from_b,
                       double enough) {
    const Pose a_from_part = bi_charts_group_from_part(c, c->pair->group_a, a);
    const Pose b_from_part = bi_charts_group_from_part(c, c->pair->group_b, b);
    const Pose part_from_a = pose_inverse(&a_from_part);
    const Pose part_from_b = pose_mul(&part_from_a, a_from_b);
    const Pose parts = pose_mul(&part_from_b, &b_from_part);
    const SolidRequest request = {
        .min_d = 0.0, .max_d = enough, .stop_d = 0.0, .tolerance = 0.05, .slack = c->slack, .sorted = true};
    BerthTreeAnswer answer;
    bi_solid_query(c->query, a->solid, b->solid, &parts, &request, &answer);
    return answer.verdict == BERTH_FREE ? fmin(answer.lower, enough) : 0.0;
}

double bi_charts_body_gap(Charting* c, const Pose* a_from_b, double enough) {
    const BerthScene* scene = c->build->scene;
    double least = enough;
    for (int32_t i = 0; i < scene->moved_body_count && least > 0.0; ++i) {
        for (int32_t k = 0; c->build->bodies[i].group == c->pair->group_a && k < scene->moved_body_count;
             ++k) {
            if (c->build->bodies[k].group != c->pair->group_b) {
                continue;
            }

            const SceneBody *a = &scene->bodies[i], *b = &scene->bodies[k];
            for (int32_t p = 0; p < a->part_count * b->part_count && least > 0.0; ++p) {
                least =
                    fmin(least, part_gap(c, &scene->parts[a->first_part + p / b->part_count],
                                         &scene->parts[b->first_part + p % b->part_count], a_from_b, least));
            }
        }
    }
    return least;
}

// Balls that are in a body for certain.
static const Ball* balls_inside(const LanesBody* body, int32_t* count) {
    *count = body->exact ? body->ball_count : body->deep_count;
    return body->exact ? body->balls : body->inside;
}

// How deep balls that are inside of the two bodies for certain are in each other; below 0: they are not.
static double depth_at(const Charting* c, const Pose* a_from_b) {
    const LanesBody* bodies = c->build->bodies;
    const int32_t a = c->deep[0], b = c->deep[1];
    int32_t count_a, count_b;
    const Ball* balls_a = balls_inside(&bodies[a], &count_a);
    const Ball* balls_b = balls_inside(&bodies[b], &count_b);
    const Pose group_from_b = group_from_frame(c, c->pair->group_b);
    const Pose group_from_a = group_from_frame(c, c->pair->group_a);
    const Pose a_from_group = pose_inverse(&group_from_a);
    const Pose a_from_b_frame = pose_mul(a_from_b, &group_from_b);
    const Pose frames = pose_mul(&a_from_group, &a_from_b_frame);

    double most = -GAP_ENOUGH;
    for (int32_t k = 0; k < count_b; ++k) {
        const Vec3 at = pose_apply(&frames, balls_b[k].centre);
        for (int32_t i = 0; i < count_a; ++i) {
            const double radii = balls_a[i].radius + balls_b[k].radius - most;
            const double apart_sq = v3_length_sq(v3_sub(at, balls_a[i].centre));
            if (radii > 0.0 && apart_sq < radii * radii) {
                most = balls_a[i].radius + balls_b[k].radius - sqrt(apart_sq);
            }
        }
    }
    return most - c->slack;
}

// The second group's frame in the first one's.
static Pose groups_at(const Charting* c, const double at[2]) {
    const Pose shared_from_a = bi_charts_shared_from_group(c, c->pair->group_a, at);
    const Pose shared_from_b = bi_charts_shared_from_group(c, c->pair->group_b, at);
    const Pose a_from_shared = pose_inverse(&shared_from_a);
    return pose_mul(&a_from_shared, &shared_from_b);
}

// A lower bound of the gap.
static double gap_at(Charting* c, const Pose* a_from_b, double enough) {
    c->measured += 1;
    return (c->exact ? ball_gap(c, a_from_b) : bi_charts_body_gap(c, a_from_b, enough)) - c->slack;
}

// ---- boxes of cells -------------------------------------------------------------------------------------------------

// The middle of a box, and how much of the gap there its farthest corner can lose.
static double box_middle(const Charting* c, const CellBox* box, double at[2]) {
    double lost = 0.0;
    for (int k = 0; k < 2; ++k) {
        const double low = c->axes[k].low + box->first[k] * c->width[k];
        const double high = c->axes[k].low + box->end[k] * c->width[k];
        at[k] = 0.5 * (low + high);
        lost += c->axes[k].lever * (0.5 * (high - low) * (1.0 + 1e-6) + VALUE_SLACK);
    }
    return lost;
}

// At the middle of each cell, the gap or the depth at the middle of the box less the way from there.
static void fill_box(const Charting* c, const CellBox* box, const double at[2], double gap, float* cells) {
    for (int32_t i = box->first[0]; i < box->end[0]; ++i) {
        for (int32_t k = box->first[1]; k < box->end[1]; ++k) {
            const int32_t cell[2] = {i, k};
            double lost = 0.0;
            for (int axis = 0; axis < 2; ++axis) {
                const double middle = c->axes[axis].low + (cell[axis] + 0.5) * c->width[axis];
                lost += c->axes[axis].lever * (fabs(middle - at[axis]) * (1.0 + 1e-6) + VALUE_SLACK);
            }
            float* here = &cells[i * c->size[1] + k];
            *here = fmaxf(*here, bi_float_down(gap - lost));
        }
    }
}

bool bi_charts_halve(const Charting* c, const CellBox* box, CellBox halves[2]) {
    const double long_0 = c->axes[0].lever * (box->end[0] - box->first[0]) * c->width[0];
    const double long_1 = c->axes[1].lever * (box->end[1] - box->first[1]) * c->width[1];
    int axis = long_0 >= long_1 ? 0 : 1;
    if (box->end[axis] - box->first[axis] < 2) {
        axis = 1 - axis;
    }
    const int32_t middle = (box->first[axis] + box->end[axis]) / 2;
    if (middle == box->first[axis]) {
        return false;
    }
    halves[0] = halves[1] = *box;
    halves[0].end[axis] = halves[1].first[axis] = middle;
    return true;
}

// Breadth first: the whole of the chart is known roughly before any of it is known well. `boxes` holds two for each cell.
static void measure_boxes(Charting* c, CellBox* boxes) {
    int32_t head = 0, tail = 1;
    boxes[0] = (CellBox){{0, 0}, {c->size[0], c->size[1]}};
    for (; head < tail && c->measured < c->measured_most; ++head) {
        double at[2];
        const double lost = box_middle(c, &boxes[head], at);
        const Pose a_from_b = groups_at(c, at);
        const double gap = gap_at(c, &a_from_b, GAP_ENOUGH + lost);
        fill_box(c, &boxes[head], at, gap, c->gap);

        // Where there is no gap: how deep are they in each other?
        const double depth = gap <= 0.0 && c->deep[0] >= 0 ? depth_at(c, &a_from_b) : 0.0;
        const bool deep = depth > lost;
        if (depth > 0.0) {
            fill_box(c, &boxes[head], at, depth, c->depth);
        }

        CellBox halves[2];
        if (gap - lost < GAP_ENOUGH && !deep && bi_charts_halve(c, &boxes[head], halves)) {
            boxes[tail++] = halves[0];
            boxes[tail++] = halves[1];
        }
    }
}

// ---- one chart ------------------------------------------------------------------------------------------------------

// How far points of a group's bodies can be from a joint's axis: its balls hold them all.
static double body_lever(const Charting* c, int32_t group, const LanesLever* lever) {
    if (!lever->turns || c->exact) {
        return lever->lever;
    }
    return lever->lever + c->build->lanes->groups[group].leaf_radius;
}

// The values between the two groups. False when there are more than two, or one has no end.
static bool find_axes(Charting* c) {
    const BerthLanes* lanes = c->build->lanes;
    const int32_t groups[2] = {c->pair->group_a, c->pair->group_b};
    for (int side = 0; side < 2; ++side) {
        const LanesGroup* group = &lanes->groups[groups[side]];
        for (int32_t i = c->shared; i < group->lever_count; ++i) {
            const LanesLever* lever = &group->levers[i];
            int32_t k = 0;
            while (k < c->axis_count && c->axes[k].value != lever->value) {
                k += 1;
            }
            if (k == 2) {
                return false;
            }

            const LanesRange* range = &lanes->ranges[lever->value];
            if (k == c->axis_count) {
                c->axes[c->axis_count++] = (ChartAxis){lever->value, range->low, range->high, 0.0, true};
            }
            c->axes[k].lever += lever->share * body_lever(c, groups[side], lever);
            c->axes[k].turns = c->axes[k].turns && lever->turns && lever->share == 1.0;
        }
    }
    return c->axis_count > 0;
}

// Whole turns are the same place. One value is two of which the second does nothing.
static bool lay_cells(Charting* c) {
    const double two_pi = 6.283185307179586;
    if (c->axis_count == 1) {
        c->axes[1] = (ChartAxis){c->axes[0].value, c->axes[0].low, c->axes[0].high, 0.0, false};
    }
    for (int k = 0; k < 2; ++k) {
        ChartAxis* axis = &c->axes[k];
        if (axis->turns && axis->high - axis->low > two_pi) {
            const double middle = 0.5 * (axis->low + axis->high);
            axis->low = middle - 0.5 * two_pi - 1e-3;
            axis->high = middle + 0.5 * two_pi + 1e-3;
        } else {
            axis->turns = false;
        }
    }

    // Cells as long as they are wide, in metres.
    double way[2];
    for (int k = 0; k < 2; ++k) {
        way[k] = c->axes[k].lever * (c->axes[k].high - c->axes[k].low);
        if (!(way[k] >= 0.0 && way[k] < 1e3 && c->axes[k].high > c->axes[k].low)) {
            return false;
        }
    }
    const double share = c->axis_count == 1 ? 1.0 : sqrt(way[0] / fmax(way[1], 1e-6));
    const double side = c->axis_count == 1 ? SIDE_MOST : sqrt((double)CELLS_MOST) * share;
    c->size[0] = (int32_t)fmin(fmax(side, 1.0), SIDE_MOST);
    c->size[1] =
        c->axis_count == 1 ? 1 : (int32_t)fmin(fmax((double)CELLS_MOST / c->size[0], 1.0), SIDE_MOST);
    for (int k = 0; k < 2; ++k) {
        c->width[k] = (c->axes[k].high - c->axes[k].low) / c->size[k];
    }
    return true;
}

// The first body of a group that something is known to be inside of, or -1.
static int32_t find_deep(const LanesBuild* build, int32_t group) {
    for (int32_t i = 0; i < build->scene->moved_body_count; ++i) {
        int32_t count;
        (void)balls_inside(&build->bodies[i], &count);
        if (build->bodies[i].group == group && count > 0) {
            return i;
        }
    }
    return -1;
}

static int32_t cluster_of(const LanesBuild* build, int32_t group, int32_t body) {
    const KernelGroup* g = &build->lane_groups[group];
    int32_t at = g->first_cluster;
    while (at < g->first_cluster + g->cluster_count - 1 && build->clusters[at].body != body) {
        at += 1;
    }
    return at;
}

// One number a cell: a gap, or a depth below 0.
static void join_depths(const Charting* c) {
    for (int32_t i = 0; i < c->size[0] * c->size[1]; ++i) {
        if (!(c->gap[i] > 0.0f)) {
            c->gap[i] = c->depth[i] > 0.0f ? -c->depth[i] : LANE_UNSURE;
        }
    }
}

static void write_chart(const Charting* c, LaneChart* out) {
    *out = (LaneChart){.gap = c->gap, .floor = c->floor};
    if (c->deep[0] >= 0) {
        out->deep[0] = cluster_of(c->build, c->pair->group_a, c->deep[0]);
        out->deep[1] = cluster_of(c->build, c->pair->group_b, c->deep[1]);
    }

    for (int k = 0; k < 2; ++k) {
        const ChartAxis* axis = &c->axes[k];
        out->value[k] = axis->value;
        out->size[k] = c->size[k];
        out->origin[k] = (float)axis->low;
        out->inverse[k] = (float)(1.0 / c->width[k]);
        out->width[k] = bi_float_up(c->width[k] * LANES_GROWN);
        out->middle[k] = (float)(0.5 * (axis->low + axis->high));
        out->period[k] = axis->turns ? 6.2831853071795864f : 0.0f;
        out->lever[k] = bi_float_up(axis->lever * LANES_GROWN);
    }
}

// Are its balls the bodies themselves? Of a group with others among them, no.
static bool is_exact(const LanesBuild* build, int32_t group) {
    const KernelGroup* g = &build->lane_groups[group];
    bool exact = true;
    for (int32_t k = g->first_cluster; k < g->first_cluster + g->cluster_count; ++k) {
        exact = exact && build->clusters[k].exact;
    }
    return exact;
}

static int32_t count_parts(const LanesBuild* build, int32_t group) {
    int32_t count = 0;
    for (int32_t i = 0; i < build->scene->moved_body_count; ++i) {
        count += build->bodies[i].group == group ? build->scene->bodies[i].part_count : 0;
    }
    return count;
}

static BerthStatus make_chart(LanesBuild* build, int32_t index, BerthTreeQuery* query, LaneChart* charts) {
    KernelPair* pair = &build->lane_pairs[index];
    LaneModel* model = &build->lanes->model;
    Charting c = {.build = build, .pair = pair, .shared = build->lanes->pairs[index].shared, .query = query};
    c.slack = CHART_SLACK + CHART_SLACK_SHARE * build->lanes->reach;
    c.exact = is_exact(build, pair->group_a) && is_exact(build, pair->group_b);
    c.measured_most = c.exact ? MEASURED_BALLS : MEASURED_MOST;
    c.deep[0] = find_deep(build, pair->group_a);
    c.deep[1] = find_deep(build, pair->group_b);
    if (c.deep[1] < 0) {
        c.deep[0] = -1;
    }
    const int64_t parts = (int64_t)count_parts(build, pair->group_a) * count_parts(build, pair->group_b);
    if (!find_axes(&c) || !lay_cells(&c) || (!c.exact && parts > PART_PAIRS_MOST)) {
        return BERTH_OK;
    }

    const size_t cells = (size_t)c.size[0] * (size_t)c.size[1];
    Arena scratch;
    bi_arena_init(&scratch, &build->lanes->allocator, 0);
    CellBox* boxes = bi_arena_take(&scratch, 2 * cells + 2, sizeof *boxes);
    c.gap = bi_arena_take(&build->lanes->arena, cells, sizeof *c.gap);
    c.depth = bi_arena_take(&scratch, cells, sizeof *c.depth);
    BerthStatus status = boxes != NULL && c.gap != NULL && c.depth != NULL ? BERTH_OK : no_memory();
    if (status == BERTH_OK) {
        for (size_t i = 0; i < cells; ++i) {
            c.gap[i] = LANE_UNSURE;
            c.depth[i] = 0.0f;
        }
        measure_boxes(&c, boxes);
        status = bi_charts_make_floor(&c);
        join_depths(&c);
        pair->chart = model->chart_count;
        write_chart(&c, &charts[model->chart_count++]);
    }
    bi_arena_free(&scratch);
    return status;
}

// Charts are about bodies and joints alone: those of the same robots among other obstacles are the same.
static void take_charts(LanesBuild* build) {
    const LaneModel* from = &build->like->model;
    build->charts = from->charts;
    build->lanes->model.chart_count = from->chart_count;
    for (int32_t p = 0; p < from->pair_count; ++p) {
        build->lane_pairs[p].chart = from->pairs[p].chart;
    }
}

BerthStatus bi_lanes_make_charts(LanesBuild* build) {
    const LaneModel* model = &build->lanes->model;
    if (build->like != NULL) {
        take_charts(build);
        return BERTH_OK;
    }
    if (build->quick) {
        return BERTH_OK;
    }

    BerthTreeQuery* query = NULL;
    LaneChart* charts = bi_arena_take(&build->lanes->arena, CHARTS_MOST, sizeof *charts);
    build->charts = charts;
    BerthStatus status =
        charts != NULL ? berth_tree_query_create(NODES_MOST, &build->lanes->allocator, &query) : no_memory();

    for (int32_t p = 0; p < model->pair_count && status == BERTH_OK && model->chart_count < CHARTS_MOST;
         ++p) {
        if (!build->lanes->pairs[p].proven) {
            status = make_chart(build, p, query, charts);
        }
    }
    berth_tree_query_destroy(query);
    return status;
}
