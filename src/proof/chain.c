// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The joints between two links, where they are at the middle of a box of values, and how far two parts can come towards
// each other while the values stay in the box. Two bounds, both derived in docs/theory/proof.md:
//   first order: each joint moves the nearer of the two parts by a chord (errata 2.1);
//   second order: along the direction that separates the parts best at the middle, each joint moves them by its
//   velocity in that direction, bends their way, and turns the way they have come by the joints before it.
// Joints are counted from A to B.
//
// Entries: bi_chain_find, bi_chain_place, bi_chain_bound_parts.

#include "math/math.h"
#include "proof/proof.h"
#include "robot/range.h"
#include "shape/gap.h"

static const double pi_up = 3.1415926535897936;  // the next double above pi
// Sums of at most 128 products, and then some.
static const double SUM_ROUNDING = 1.0 + 1024.0 * BI_ULP;

BerthStatus bi_chain_take_scratch(Chain* chain, const BerthProofModel* model, Arena* arena) {
    const size_t most = (size_t)model->chain_most;
    const size_t values = (size_t)model->robot->value_count;

    chain->joints = bi_arena_take(arena, most, sizeof *chain->joints);
    chain->variables = bi_arena_take(arena, most, sizeof *chain->variables);
    chain->axis_reach[0] = bi_arena_take(arena, most, sizeof(double));
    chain->axis_reach[1] = bi_arena_take(arena, most, sizeof(double));
    chain->half = bi_arena_take(arena, most, sizeof(double));
    chain->chord = bi_arena_take(arena, most, sizeof(double));
    chain->axis = bi_arena_take(arena, most, sizeof(Vec3));
    chain->origin = bi_arena_take(arena, most, sizeof(Vec3));
    chain->frames = bi_arena_take(arena, (size_t)model->robot->frame_count, sizeof(Pose));

    chain->values = bi_arena_take(arena, values, sizeof(double));
    chain->low = bi_arena_take(arena, values, sizeof(double));
    chain->high = bi_arena_take(arena, values, sizeof(double));

    const bool taken = chain->joints != NULL && chain->variables != NULL && chain->axis_reach[0] != NULL &&
                       chain->axis_reach[1] != NULL && chain->half != NULL && chain->chord != NULL &&
                       chain->axis != NULL && chain->origin != NULL && chain->frames != NULL &&
                       chain->values != NULL && chain->low != NULL && chain->high != NULL;
    return taken ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "proof: out of memory");
}

// ---- the path -----------------------------------------------------------------------------------------------

static bool is_below(const BerthRobot* robot, int32_t frame, int32_t ancestor) {
    return frame >= ancestor && frame < robot->frames[ancestor].end;
}

static int32_t find_or_add_variable(Chain* chain, int32_t value) {
    for (int32_t i = 0; i < chain->variable_count; ++i) {
        if (chain->variables[i].value == value) {
            return i;
        }
    }

    chain->variables[chain->variable_count] = (ChainVariable){.value = value};
    return chain->variable_count++;
}

// False when there is no room for it.
static bool add_joint(Chain* chain, int32_t most, int32_t f, bool up) {
    const RobotFrame* frame = &chain->robot->frames[f];
    if (chain->joint_count >= most) {
        return false;
    }

    chain->endless = chain->endless || frame->motion == FRAME_PLANAR || frame->motion == FRAME_FLOATING;
    chain->joints[chain->joint_count++] = (ChainJoint){.frame = f,
                                                       .variable = find_or_add_variable(chain, frame->value),
                                                       .rate = fabs(frame->multiplier),
                                                       .slide = frame->motion == FRAME_SLIDE,
                                                       .up = up};
    return true;
}

// From A up to the common ancestor, then down to B.
static bool find_path(Chain* chain, int32_t most) {
    const BerthRobot* robot = chain->robot;
    int32_t f = chain->frame_a;
    bool has_room = true;
    for (; !is_below(robot, chain->frame_b, f); f = robot->frames[f].parent) {
        has_room = has_room && add_joint(chain, most, f, true);
    }

    chain->ancestor = f;

    const int32_t first = chain->joint_count;
    for (f = chain->frame_b; f != chain->ancestor; f = robot->frames[f].parent) {
        has_room = has_room && add_joint(chain, most, f, false);
    }

    // The way down was collected from B upward: turn it round.
    for (int32_t i = first, k = chain->joint_count - 1; i < k; ++i, --k) {
        const ChainJoint joint = chain->joints[i];
        chain->joints[i] = chain->joints[k];
        chain->joints[k] = joint;
    }
    return has_room;
}

// What a value can be, up to whole turns: what moves with it must be the same after one.
static void find_range(Chain* chain, ChainVariable* variable, int32_t index) {
    const RobotValue* value = &chain->robot->values[variable->value];
    variable->low = value->has_limits ? value->lower : -INFINITY;
    variable->high = value->has_limits ? value->upper : INFINITY;

    int32_t users = 0;
    bool turns = true, whole = true;
    double rate = 1.0;

    for (int32_t i = 0; i < chain->joint_count; ++i) {
        if (chain->joints[i].variable == index) {
            rate = chain->joints[i].rate;
            turns = turns && !chain->joints[i].slide;
            whole = whole && rate == floor(rate);
            ++users;
        }
    }

    const double half_turn = users == 1 ? pi_up / rate * (1.0 + 4.0 * BI_ULP) : pi_up;
    if (turns && (users == 1 || whole) && variable->high - variable->low > 2.0 * half_turn) {
        const double middle = value->has_limits ? 0.5 * (value->lower + value->upper) : 0.0;
        variable->low = middle - half_turn;
        variable->high = middle + half_turn;
    }

    const double largest = fmax(fabs(variable->low), fabs(variable->high));
    chain->endless = chain->endless || !(largest * rate <= BI_COORDINATE_MAX);
    variable->wider = BI_PROOF_WIDER * (1.0 + largest);
}

// ---- how far from each axis ---------------------------------------------------------------------------------

static double axis_distance(Vec3 axis, Vec3 p) {
    return v3_length(v3_sub(p, v3_scale(axis, v3_dot(axis, p))));
}

// Carries the ball of one end along the chain over the whole box; at every joint it gives how far from its axis.
static void carry_ball(Chain* chain, int end, Ball ball) {
    const BerthRobot* robot = chain->robot;

    for (int32_t i = 0; i < chain->joint_count; ++i) {
        const int32_t k = end == 0 ? i : chain->joint_count - 1 - i;
        const ChainJoint* joint = &chain->joints[k];
        const RobotFrame* frame = &robot->frames[joint->frame];
        const bool climbs = joint->up == (end == 0);

        // Climbing, the ball is seen from the frame; descending, from the joint above it: both have the axis in the
        // same place, through the origin.
        const Vec3 c = climbs ? ball.centre : pose_apply_back(&frame->parent_from_joint, ball.centre);
        const double size = v3_length(c) + v3_length(frame->parent_from_joint.t) + v3_length(ball.centre);
        const double far = axis_distance(frame->axis, c) + ball.radius + BI_DISTANCE_SLACK * size;
        chain->axis_reach[end][k] = far > chain->axis_reach[end][k] ? far : chain->axis_reach[end][k];
        if (!(far >= 0.0)) {
            chain->axis_reach[end][k] = INFINITY;
        }

        chain->scale = fmax(chain->scale, size + ball.radius);
        ball = climbs ? bi_range_step(frame, ball, chain->low, chain->high)
                      : bi_range_step_back(frame, ball, chain->low, chain->high);
    }
    chain->scale = fmax(chain->scale, v3_length(ball.centre) + ball.radius);
}

bool bi_chain_prove_by_balls(Chain* chain, const double* low, const double* high) {
    for (int32_t i = 0; i < chain->variable_count; ++i) {
        chain->low[chain->variables[i].value] = low[i];
        chain->high[chain->variables[i].value] = high[i];
    }

    const Ball a =
        bi_range_ball(chain->robot, chain->frame_a, chain->ancestor, chain->ball[0], chain->low, chain->high);
    const Ball b =
        bi_range_ball(chain->robot, chain->frame_b, chain->ancestor, chain->ball[1], chain->low, chain->high);
    return v3_distance(a.centre, b.centre) - a.radius - b.radius >
           chain->wanted + BI_PROOF_SLACK * chain->scale;
}

// How many radians the turning joints' values may be away from zero, together: their rounding counts by it.
static double sum_of_turns(const Chain* chain) {
    double sum = 0.0;
    for (int32_t k = 0; k < chain->joint_count; ++k) {
        const ChainJoint* joint = &chain->joints[k];
        const ChainVariable* variable = &chain->variables[joint->variable];
        const double largest = fmax(fabs(variable->low), fabs(variable->high));
        sum += joint->slide ? 0.0 : joint->rate * largest + fabs(chain->robot->frames[joint->frame].offset);
    }
    return sum;
}

static void find_axis_reach(Chain* chain) {
    const BerthRobot* robot = chain->robot;
    bi_range_limits(robot, chain->low, chain->high);
    for (int32_t i = 0; i < chain->variable_count; ++i) {
        const ChainVariable* variable = &chain->variables[i];
        chain->low[variable->value] = variable->low - variable->wider;
        chain->high[variable->value] = variable->high + variable->wider;
    }

    chain->scale = 0.0;
    for (int end = 0; end < 2; ++end) {
        const RobotLink* link = &robot->links[end == 0 ? chain->link_a : chain->link_b];
        for (int32_t k = 0; k < chain->joint_count; ++k) {
            chain->axis_reach[end][k] = 0.0;
        }

        chain->ball[end] = (Ball){{0, 0, 0}, -1.0};
        for (int32_t i = 0; i < link->solid_count; ++i) {
            const RobotSolid* solid = &robot->solids[link->first_solid + i];
            chain->ball[end] = bi_ball_merge(chain->ball[end], (Ball){solid->centre, solid->radius});
            carry_ball(chain, end, (Ball){solid->centre, solid->radius});
        }
    }

    // Where numbers are this large, nothing is proven.
    chain->endless = chain->endless || !(chain->scale <= BI_COORDINATE_MAX);
    chain->scale *= 1.0 + BI_PROOF_TURN_SHARE * sum_of_turns(chain);
}

void bi_chain_find(Chain* chain, const BerthProofModel* model, int32_t link_a, int32_t link_b) {
    const BerthRobot* robot = model->robot;
    chain->robot = robot;
    chain->link_a = link_a;
    chain->link_b = link_b;
    chain->frame_a = robot->links[link_a].frame;
    chain->frame_b = robot->links[link_b].frame;
    chain->joint_count = chain->variable_count = 0;
    chain->endless = false;
    chain->wanted = 0.0;

    berth_robot_default_values(robot, chain->values);
    chain->endless = !find_path(chain, model->chain_most) || chain->endless;

    for (int32_t i = 0; i < chain->variable_count; ++i) {
        find_range(chain, &chain->variables[i], i);
    }
    find_axis_reach(chain);
}

// ---- the middle of a box ------------------------------------------------------------------------------------

void bi_chain_place(Chain* chain, const double* half_widths) {
    const BerthRobot* robot = chain->robot;
    chain->frames[chain->ancestor] = pose_identity();

    for (int32_t i = 0; i < 2 * chain->joint_count; ++i) {
        // Both sides from the ancestor downward.
        const int32_t k = i < chain->joint_count ? chain->joint_count - 1 - i : i - chain->joint_count;
        const ChainJoint* joint = &chain->joints[k];
        if (joint->up != (i < chain->joint_count)) {
            continue;
        }

        const RobotFrame* frame = &robot->frames[joint->frame];
        Pose* pose = &chain->frames[joint->frame];
        bi_robot_frame_step(frame, &chain->frames[frame->parent], chain->values, pose);

        chain->axis[k] = pose_turn(pose, frame->axis);
        chain->origin[k] = pose->t;

        if (half_widths != NULL) {
            const double half = joint->rate * half_widths[joint->variable] * (1.0 + 4.0 * BI_ULP);
            double s = 1.0, c = 0.0;
            if (half < pi_up) {
                bi_sincos(0.5 * half, &s, &c);
            }
            chain->half[k] = half;
            chain->chord[k] = joint->slide ? half : fmin(2.0 * s * (1.0 + 8.0 * BI_ULP) + 8.0 * BI_ULP, 2.0);
        }
    }

    chain->pose[0] = chain->frames[chain->frame_a];
    chain->pose[1] = chain->frames[chain->frame_b];
}

// ---- bounds -------------------------------------------------------------------------------------------------

// One part where the chain is placed: its box in the ancestor's axes.
typedef struct PlacedPart {
    const ProofPart* part;
    Pose pose;
    Vec3 centre;
    Vec3 side[3];  // half sides
} PlacedPart;

static PlacedPart place_part(const Chain* chain, const BerthProofModel* model, int end, int32_t index) {
    const ProofPart* part = &model->parts[index];
    PlacedPart placed = {.part = part};
    placed.pose = pose_mul(&chain->pose[end], &chain->robot->solids[part->solid].frame_from_solid);
    placed.centre = pose_apply(&placed.pose, part->centre);
    placed.side[0] = v3_scale(placed.pose.x, part->half.x);
    placed.side[1] = v3_scale(placed.pose.y, part->half.y);
    placed.side[2] = v3_scale(placed.pose.z, part->half.z);
    return placed;
}

// The farthest corner of the part's box from an axis.
static double corner_distance(const PlacedPart* part, Vec3 axis, Vec3 origin) {
    const Vec3 p = v3_sub(part->centre, origin);
    const Vec3 c = v3_sub(p, v3_scale(axis, v3_dot(axis, p)));
    Vec3 s[3];
    for (int i = 0; i < 3; ++i) {
        s[i] = v3_sub(part->side[i], v3_scale(axis, v3_dot(axis, part->side[i])));
    }

    double most_sq = 0.0;
    for (int i = 0; i < 4; ++i) {  // of two opposite corners the farther one
        const Vec3 d = v3_mad(v3_mad(s[0], i & 1 ? 1.0 : -1.0, s[1]), i & 2 ? 1.0 : -1.0, s[2]);
        const double far_sq = v3_length_sq(c) + v3_length_sq(d) + 2.0 * fabs(v3_dot(c, d));
        most_sq = far_sq > most_sq ? far_sq : most_sq;
    }

    return sqrt(most_sq);
}

// How far a part's points are from each joint's axis at the middle; never more than over all values.
typedef struct Radii {
    double of[BI_CHAIN_MAX];
} Radii;

static void part_radii(const Chain* chain, const PlacedPart* part, int end, double slack, Radii* radii) {
    for (int32_t k = 0; k < chain->joint_count; ++k) {
        double here = 1.0;  // of a slide: metres a metre
        if (!chain->joints[k].slide) {
            const double far = chain->axis_reach[end][k];
            here = corner_distance(part, chain->axis[k], chain->origin[k]) + slack;
            here = here < far ? here : far;
        }
        radii->of[k] = here;
    }
}

// Joints before the cut move A by chords, those behind it B. Taken from the cut outward, each moves while the joints
// between it and its part are still at the middle.
static double chord_motion(const Chain* chain, const Radii radii[2], int32_t* cut) {
    double sum = 0.0;
    for (int32_t k = 0; k < chain->joint_count; ++k) {
        sum += radii[1].of[k] * chain->chord[k];
    }

    double least = sum;
    *cut = 0;
    for (int32_t k = 0; k < chain->joint_count; ++k) {
        sum += (radii[0].of[k] - radii[1].of[k]) * chain->chord[k];
        if (sum < least) {
            least = sum;
            *cut = k + 1;
        }
    }
    return least;
}

// How fast a joint moves the part's points along n, at most, at the middle.
static double part_speed(const PlacedPart* part, Vec3 n, Vec3 axis, Vec3 origin, bool slide) {
    if (slide) {
        return fabs(v3_dot(n, axis));
    }

    const Vec3 w = v3_cross(n, axis);
    return fabs(v3_dot(w, v3_sub(part->centre, origin))) + fabs(v3_dot(w, part->side[0])) +
           fabs(v3_dot(w, part->side[1])) + fabs(v3_dot(w, part->side[2]));
}

// The part at one end of the chain.
typedef struct ChainEnd {
    int end;  // 0: where joints are counted from, 1: behind the last
    const PlacedPart* part;
    const Radii* radii;
} ChainEnd;

// Motion along n of one end when the first i joints, counted from it, move it: at out[i].
static void end_motion(const Chain* chain, const ChainEnd* at, Vec3 n, double slack, double* first,
                       double* out) {
    double linear = 0.0, bend = 0.0, lever = 0.0;
    out[0] = 0.0;
    for (int32_t i = 0; i < chain->joint_count; ++i) {
        const int32_t k = at->end == 0 ? i : chain->joint_count - 1 - i;
        const double h = chain->half[k];
        const double radius = at->radii->of[k];
        const bool slide = chain->joints[k].slide;
        first[k] = h * (part_speed(at->part, n, chain->axis[k], chain->origin[k], slide) + slack);
        linear += first[k];

        // What a turn bends of the points where they were, and what it turns of the way they have come by the joints
        // nearer to the part.
        bend += slide ? 0.0 : h * (radius * h + 2.0 * lever);
        lever += radius * h;

        out[i + 1] = linear + 0.5 * bend;
    }
}

// Where the chain is best cut: joints before the cut move A, those behind it B.
static double plane_motion(const Chain* chain, const PlacedPart part[2], Vec3 n, double slack,
                           const Radii radii[2], double first[2][BI_CHAIN_MAX], int32_t* cut) {
    double motion[2][BI_CHAIN_MAX + 1];
    for (int end = 0; end < 2; ++end) {
        const ChainEnd at = {end, &part[end], &radii[end]};
        end_motion(chain, &at, n, slack, first[end], motion[end]);
    }

    double least = INFINITY;
    for (int32_t i = 0; i <= chain->joint_count; ++i) {
        const double sum = motion[0][i] + motion[1][chain->joint_count - i];
        if (sum < least) {
            least = sum;
            *cut = i;
        }
    }
    return least;
}

// The gap along n: a lower bound of how far the convex sets are apart.
static double plane_gap(const PlacedPart part[2], Vec3 n) {
    const Vec3 to_a = pose_turn_back(&part[0].pose, n);
    const Vec3 to_b = pose_turn_back(&part[1].pose, v3_neg(n));
    const Vec3 a = pose_apply(&part[0].pose, bi_shape_support(&part[0].part->shape, to_a));
    const Vec3 b = pose_apply(&part[1].pose, bi_shape_support(&part[1].part->shape, to_b));
    return v3_dot(n, v3_sub(b, a)) / v3_length(n) - part[0].part->outside - part[1].part->outside;
}

PartBound bi_chain_bound_parts(const Chain* chain, const BerthProofModel* model, int32_t part_a,
                               int32_t part_b, double* share) {
    const PlacedPart part[2] = {place_part(chain, model, 0, part_a), place_part(chain, model, 1, part_b)};
    const double slack = BI_PROOF_SLACK * chain->scale;
    Radii radii[2];
    double first[2][BI_CHAIN_MAX];
    int32_t chord_cut = 0, plane_cut = 0;

    part_radii(chain, &part[0], 0, slack, &radii[0]);
    part_radii(chain, &part[1], 1, slack, &radii[1]);
    const double chords = chord_motion(chain, radii, &chord_cut) * SUM_ROUNDING + slack;

    const Pose a_from_b = pose_between(&part[0].pose, &part[1].pose);
    const BerthGap gap =
        bi_shape_gap(&part[0].part->shape, &part[1].part->shape, &a_from_b, chords + chain->wanted);
    PartBound bound = {gap.lower > chords + chain->wanted, gap.lower - slack, chords, chords};
    if (bound.proven) {
        return bound;
    }

    // Along the direction that parts them best at the middle, the second-order bound may be smaller.
    const Vec3 n = pose_turn(&part[0].pose, gap.normal);
    const double planes =
        plane_motion(chain, part, n, slack, radii, first, &plane_cut) * SUM_ROUNDING + slack;
    const bool by_plane = gap.lower > 0.0 && planes < chords;
    const int32_t cut = by_plane ? plane_cut : chord_cut;
    if (by_plane) {
        bound.motion = planes;
        bound.proven = plane_gap(part, n) > planes + chain->wanted;
    }

    // What each variable adds, for the choice of the one to split.
    for (int32_t k = 0; k < chain->joint_count && !bound.proven; ++k) {
        const int end = k < cut ? 0 : 1;
        const double h = chain->half[k];
        const double bend = chain->joints[k].slide ? 0.0 : 0.5 * radii[end].of[k] * h * h;
        share[chain->joints[k].variable] +=
            by_plane ? first[end][k] + bend : radii[end].of[k] * chain->chord[k];
    }

    return bound;
}
