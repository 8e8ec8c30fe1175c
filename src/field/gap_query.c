// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A convex shape against the obstacles: a walk of the tree, nearest boxes first. Boxes are excluded by a ball
// and a box around the shape, then by the shape itself; those that are excluded are further away than what
// was found, or than requested. Every lower bound is lowered by the rounding of the poses, so the smallest of
// them holds for all obstacles.
// Entries: berth_field_gap, bi_field_box.

#include "field/field.h"
#include "math/math.h"
#include "shape/gap.h"

typedef struct GapWalk {
    const BerthField* field;
    const BerthShape* shape;
    const Pose* pose;  // field_from_shape
    Vec3 low, high;    // box around the shape
    Vec3 centre;       // of a ball around it
    double radius, slack;
    double height[2];  // of obstacles, in the plane
    double cut;        // boxes beyond this are of no interest
    double lower;      // least of all bounds so far
    BerthGap best;
} GapWalk;

void bi_field_box(const BerthField* field, const FieldNode* at, const double height[2], Vec3* low,
                  Vec3* high) {
    const BerthFieldInfo* info = &field->info;
    const double from[3] = {info->origin.x, info->origin.y, info->origin.z};
    double a[3], b[3];

    for (int axis = 0; axis < 3; ++axis) {
        if (axis < info->dim) {
            const double p = info->resolution * (double)at->low[axis];
            const double q = info->resolution * (double)(at->low[axis] + (1 << at->log_width));
            // Two roundings each: one step for the product, one for the sum.
            a[axis] = bi_next_down(from[axis] + bi_next_down(p));
            b[axis] = bi_next_up(from[axis] + bi_next_up(q));
        } else {
            a[axis] = height != NULL ? height[0] : -BI_COORDINATE_MAX;
            b[axis] = height != NULL ? height[1] : BI_COORDINATE_MAX;
        }
    }

    *low = v3(a[0], a[1], a[2]);
    *high = v3(b[0], b[1], b[2]);
}

// How far the boxes are apart, and the ball from the box; whichever says more.
static double lower_by_bounds(const GapWalk* walk, Vec3 low, Vec3 high) {
    const Vec3 apart = v3_max(v3_max(v3_sub(low, walk->high), v3_sub(walk->low, high)), v3(0, 0, 0));
    const Vec3 off = v3_max(v3_max(v3_sub(low, walk->centre), v3_sub(walk->centre, high)), v3(0, 0, 0));
    const double by_box = v3_length(apart), by_ball = v3_length(off) - walk->radius;
    const double apart_by = by_ball > by_box ? by_ball : by_box;
    return apart_by > 0.0 ? apart_by - walk->slack : -INFINITY;  // how deep they overlap is not known
}

static BerthGap box_gap(const GapWalk* walk, Vec3 low, Vec3 high, double stop_above) {
    const Vec3 middle = v3_scale(v3_add(low, high), 0.5);
    BerthShape box = {.kind = BERTH_BOX};
    box.as.box.half = v3_scale(v3_sub(high, low), 0.5);

    Pose pose = *walk->pose;
    pose.t = v3_sub(pose.t, middle);
    BerthGap gap = bi_shape_gap(&box, walk->shape, &pose, stop_above);

    // The walk's A is the shape.
    const Vec3 on_box = v3_add(gap.point_a, middle);
    gap.point_a = v3_add(gap.point_b, middle);
    gap.point_b = on_box;
    gap.normal = v3_neg(gap.normal);
    gap.lower -= walk->slack;
    gap.upper += walk->slack;  // of a box that was rounded outward
    return gap;
}

static void try_obstacle(GapWalk* walk, const FieldNode* at) {
    Vec3 low, high;
    bi_field_box(walk->field, at, walk->height, &low, &high);

    const BerthGap gap = box_gap(walk, low, high, walk->cut);
    walk->lower = fmin(walk->lower, gap.lower);
    if (!(gap.lower <= INFINITY)) {
        walk->lower = -INFINITY;  // NaN
    }

    if (gap.upper < walk->best.upper) {
        walk->best = gap;
        walk->cut = fmin(walk->cut, gap.upper);
    }
}

typedef struct GapNode {
    FieldNode at;
    double lower;
} GapNode;

// Children that may be near, the nearest last. Those left out count with their bounds.
static int push_children(GapWalk* walk, const FieldNode* at, GapNode* stack, int count) {
    const int first = count;
    for (int k = 0; k < field_children(walk->field); ++k) {
        const FieldNode child = field_child(walk->field, at, k);
        const bool grey = node_colour(child.node) == FIELD_GREY;
        if (!(grey ? grey_holds_obstacle(walk->field, child.index) : node_blocks(walk->field, child.node))) {
            continue;
        }

        Vec3 low, high;
        bi_field_box(walk->field, &child, walk->height, &low, &high);
        const double lower = lower_by_bounds(walk, low, high);
        if (lower > walk->cut) {
            walk->lower = fmin(walk->lower, lower);
            continue;
        }

        int place = count++;
        for (; place > first && stack[place - 1].lower < lower; --place) {
            stack[place] = stack[place - 1];
        }
        stack[place] = (GapNode){child, lower};
    }

    return count;
}

static void walk_tree(GapWalk* walk, double min_d, int32_t budget) {
    GapNode stack[FIELD_STACK];
    stack[0] = (GapNode){field_root(walk->field), -INFINITY};
    int count = 1;

    while (count > 0 && budget > 0 && !(walk->best.upper <= min_d)) {
        const GapNode top = stack[--count];
        --budget;

        if (top.lower > walk->cut) {
            walk->lower = fmin(walk->lower, top.lower);
        } else if (node_colour(top.at.node) != FIELD_GREY) {
            if (node_blocks(walk->field, top.at.node)) {
                try_obstacle(walk, &top.at);
            }
        } else {
            if (walk->shape->kind != BERTH_SPHERE && top.at.log_width < walk->field->info.levels) {
                Vec3 low, high;
                bi_field_box(walk->field, &top.at, walk->height, &low, &high);
                const double lower = box_gap(walk, low, high, walk->cut).lower;
                if (lower > walk->cut) {
                    walk->lower = fmin(walk->lower, lower);
                    continue;
                }
            }
            count = push_children(walk, &top.at, stack, count);
        }
    }

    while (count > 0) {  // not looked at: they may be as near as their bounds
        --count;
        if (node_colour(stack[count].at.node) == FIELD_GREY ||
            node_blocks(walk->field, stack[count].at.node)) {
            walk->lower = fmin(walk->lower, stack[count].lower);
        }
    }
}

// Poses, boxes and kernels round in proportion to the farthest coordinate.
static double walk_slack(const GapWalk* walk) {
    const BerthFieldInfo* info = &walk->field->info;
    const Vec3 o = v3_abs(info->origin);
    const double map = o.x + o.y + o.z + 3.0 * info->resolution * (double)walk->field->cells;
    const bool flat = walk->shape->kind == BERTH_HALFSPACE;  // has no ball; its plane is that far
    const double size =
        flat ? fabs(walk->shape->as.halfspace.offset) : v3_length(walk->centre) + walk->radius;
    return BI_DISTANCE_SLACK * (map + v3_length(walk->pose->t) + size);
}

// In the plane obstacles have no ends in z: far beyond the shape's is the same, and never the shortest way out.
static void set_height(GapWalk* walk, const double height[2]) {
    if (height != NULL) {
        walk->height[0] = height[0];
        walk->height[1] = height[1];
        return;
    }

    const double beyond =
        v3_length(v3_sub(walk->high, walk->low)) + walk->field->info.resolution * (double)walk->field->cells;
    walk->height[0] = walk->low.z - beyond;
    walk->height[1] = walk->high.z + beyond;

    if (!(walk->height[0] >= -BI_COORDINATE_MAX && walk->height[1] <= BI_COORDINATE_MAX)) {
        walk->height[0] = -BI_COORDINATE_MAX;
        walk->height[1] = BI_COORDINATE_MAX;
    }
}

BerthGap berth_field_gap(const BerthField* field, const BerthShape* shape, const BerthPose* field_from_shape,
                         const double height[2], double min_d, double max_d, int32_t node_budget) {
    const BerthGap unknown = {-INFINITY, INFINITY, {0, 0, 0}, {0, 0, 0}, {0, 0, 1}, 0};
    const Pose* p = field_from_shape;
    const bool finite = v3_finite(p->x) && v3_finite(p->y) && v3_finite(p->z) && v3_finite(p->t);
    if (!finite || min_d != min_d || max_d != max_d || (height != NULL && !(height[0] <= height[1]))) {
        return unknown;
    }

    GapWalk walk = {
        .field = field, .shape = shape, .pose = p, .cut = max_d, .lower = INFINITY, .best = unknown};
    bi_shape_bounds(shape, p, &walk.low, &walk.high);

    Vec3 centre;
    bi_shape_ball(shape, &centre, &walk.radius);
    walk.centre = pose_apply(p, centre);

    walk.slack = walk_slack(&walk);
    if (walk.slack != walk.slack) {
        return unknown;
    }

    set_height(&walk, height);
    walk_tree(&walk, min_d, node_budget);

    BerthGap out = walk.best;
    out.lower = walk.lower;
    return out;
}
