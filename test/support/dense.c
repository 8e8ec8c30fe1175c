// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A scene as a sceptic samples it: which bodies there are, where they are in a state, and which pairs count. How far two are
// apart is in dense_parts.c.

#include "support/dense.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "robot/robot.h"
#include "scene/scene.h"
#include "support/dense_parts.h"

enum { FRAMES = 256, DEEPEST = 40 };
static const double blur = 1e-9;  // metres that rounding may be off

typedef struct Pair {
    int a, b;  // bodies
    double padding;
    bool self;
    int last[2];  // triangles that were nearest in the state before; of a body's last part
} Pair;

typedef struct Joint {
    const RobotFrame* frame;  // null: it does not move
    int parent;               // -1: the world
    int value;
    double step;   // from its origin to its parent's, at most
    bool carries;  // any part, or joints that do
} Joint;

/// Two parts that may meet on a course, of which b moves as a sees it.
typedef struct Meeting {
    int pair, a, b;
    double bend;       // no point of b is accelerated more
    double t, h, gap;  // the nearest state that was looked at closely, in the middle of t - h to t + h
} Meeting;

/// How a frame moves in the world now: a point p by slide + turn x p.
typedef struct Twist {
    V turn, slide;
} Twist;

struct Dense {
    const BerthScene* scene;
    Part* parts;
    int part_count;
    int* first_part;  // by body; one more than bodies
    Pair* pairs;
    int pair_count, nearest;
    double share, self_enough;
    Frame frames[FRAMES];
    double reach[FRAMES];  // of everything that a frame carries, from its origin
    Joint joints[FRAMES];
    Meeting* meetings;
    int meeting_count;
    int* open;  // lists of meetings, one for each interval that is being halved
    Twist twists[FRAMES];
};

// ---- opening ------------------------------------------------------------------------------------------------------

static double part_reach(const Part* part) {
    return part->plane
               ? 0.0
               : length(apply(&part->in_frame, part->nodes[0].centre)) + part->nodes[0].radius + part->radius;
}

// What joins a frame to its parent: at most so far from one origin to the other.
static double step_of(const RobotFrame* frame, const BerthRobot* robot) {
    double far = length(v_of(frame->parent_from_joint.t));
    if (frame->motion == FRAME_SLIDE) {
        const RobotValue* value = &robot->values[frame->value];
        assert_true(value->has_limits);
        far +=
            fabs(frame->multiplier) * most_of(fabs(value->lower), fabs(value->upper)) + fabs(frame->offset);
    }
    return far;
}

static void open_joints(Dense* dense) {
    for (int r = 0; r < dense->scene->robot_count; ++r) {
        const SceneRobot* robot = &dense->scene->robots[r];
        for (int f = 0; f < robot->frame_count; ++f) {
            const RobotFrame* frame = &robot->robot->frames[f];
            Joint* joint = &dense->joints[robot->first_frame + f];
            assert_true(f == 0 || frame->motion <= FRAME_SLIDE);
            *joint = (Joint){.parent = -1, .step = length(v_of(robot->world_from_base.t))};
            dense->frames[robot->first_frame + f] = frame_of(&robot->world_from_base);
            if (f > 0) {
                *joint = (Joint){.frame = frame,
                                 .parent = robot->first_frame + frame->parent,
                                 .value = robot->first_value + frame->value,
                                 .step = step_of(frame, robot->robot)};
            }
        }
    }
}

// What each frame carries, from its tips inward. Slides are as long as they may be.
static void find_reaches(Dense* dense) {
    for (int i = 0; i < dense->part_count; ++i) {
        const Part* part = &dense->parts[i];
        if (part->frame >= 0) {
            dense->reach[part->frame] = most_of(dense->reach[part->frame], part_reach(part));
            dense->joints[part->frame].carries = true;
        }
    }
    for (int f = dense->scene->frame_count - 1; f >= 0; --f) {
        const Joint* joint = &dense->joints[f];
        if (joint->parent >= 0) {
            double* outer = &dense->reach[joint->parent];
            *outer = most_of(*outer, joint->step + dense->reach[f]);
            dense->joints[joint->parent].carries |= joint->carries;
        }
    }
}

// Of the two that may meet the second one moves; of two that do, the smaller one.
static void open_meetings(Dense* dense) {
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        count = 0;
        for (int i = 0; i < dense->pair_count; ++i) {
            const Pair* pair = &dense->pairs[i];
            for (int a = dense->first_part[pair->a]; a < dense->first_part[pair->a + 1]; ++a) {
                for (int b = dense->first_part[pair->b]; b < dense->first_part[pair->b + 1]; ++b, ++count) {
                    const Part *p = &dense->parts[a], *q = &dense->parts[b];
                    const bool first = q->frame < 0 || (p->frame >= 0 && !p->plane && !q->plane &&
                                                        p->nodes[0].radius < q->nodes[0].radius);
                    if (pass == 1) {
                        dense->meetings[count] = (Meeting){.pair = i, .a = first ? b : a, .b = first ? a : b};
                    }
                }
            }
        }
        if (pass == 0) {
            dense->meetings = calloc((size_t)count + 1, sizeof *dense->meetings);
            dense->open = calloc((size_t)(count + 1) * (DEEPEST + 2), sizeof *dense->open);
        }
    }
    dense->meeting_count = count;
}

Dense* dense_open(const BerthScene* scene, double margin) {
    Dense* dense = calloc(1, sizeof *dense);
    assert_true(scene->frame_count <= FRAMES);
    dense->scene = scene;
    dense->share = 0.5;
    dense->self_enough = 1e-4;
    dense->parts = calloc((size_t)scene->part_count, sizeof *dense->parts);
    dense->first_part = calloc((size_t)scene->body_count + 1, sizeof *dense->first_part);
    dense->pairs = calloc((size_t)scene->pair_count + 1, sizeof *dense->pairs);

    for (int b = 0; b < scene->body_count; ++b) {
        const SceneBody* body = &scene->bodies[b];
        dense->first_part[b] = dense->part_count;
        for (int p = body->first_part; p < body->first_part + body->part_count; ++p) {
            Part* part = &dense->parts[dense->part_count++];
            part->body = b;
            part->frame = body->frame;
            part->in_frame = frame_of(&scene->parts[p].frame_from_part);
            part->world = part->in_frame;
            part_set_solid(part, scene->parts[p].solid);
        }
    }
    dense->first_part[scene->body_count] = dense->part_count;

    for (int i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        const bool self = scene->bodies[pair->body_a].robot >= 0 && scene->bodies[pair->body_b].robot >= 0;
        if (!pair->constant) {
            dense->pairs[dense->pair_count++] = (Pair){.a = pair->body_a,
                                                       .b = pair->body_b,
                                                       .padding = pair->padding + (pair->self ? 0.0 : margin),
                                                       .self = self};
        }
    }
    open_joints(dense);
    find_reaches(dense);
    open_meetings(dense);
    return dense;
}

void dense_close(Dense* dense) {
    for (int i = 0; dense != NULL && i < dense->part_count; ++i) {
        part_free(&dense->parts[i]);
    }
    if (dense != NULL) {
        free(dense->parts);
        free(dense->first_part);
        free(dense->pairs);
        free(dense->meetings);
        free(dense->open);
        free(dense);
    }
}

void dense_set_boxes(Dense* dense, const char* name, const BerthPose* world_from_boxes, const DenseBox* boxes,
                     int count) {
    const int body = berth_scene_find_body(dense->scene, name);
    assert_true(body >= 0 && dense->first_part[body + 1] == dense->first_part[body] + 1);
    Part* part = &dense->parts[dense->first_part[body]];
    assert_int_equal(part->frame, -1);
    part_free(part);
    *part = (Part){.body = body, .frame = -1, .in_frame = frame_of(world_from_boxes)};
    part->world = part->in_frame;
    for (int i = 0; i < count; ++i) {
        part_add_box(part, v_of(boxes[i].centre), v_of(boxes[i].half));
    }
    part_build_tree(part);
}

// ---- one state ----------------------------------------------------------------------------------------------------

// A turn about a unit axis (Rodrigues).
static Frame turned(V axis, double angle) {
    const double s = sin(angle), c = cos(angle), d = 1 - c;
    const V a = axis;
    return (Frame){{c + a.x * a.x * d, a.y * a.x * d + a.z * s, a.z * a.x * d - a.y * s},
                   {a.x * a.y * d - a.z * s, c + a.y * a.y * d, a.z * a.y * d + a.x * s},
                   {a.x * a.z * d + a.y * s, a.y * a.z * d - a.x * s, c + a.z * a.z * d},
                   {0, 0, 0}};
}

static void place(Dense* dense, const double* values) {
    for (int f = 0; f < dense->scene->frame_count; ++f) {
        const RobotFrame* frame = dense->joints[f].frame;
        if (frame == NULL || !dense->joints[f].carries) {
            continue;
        }
        const double q = frame->multiplier * values[dense->joints[f].value] + frame->offset;
        Frame motion = still;
        if (frame->motion == FRAME_SLIDE) {
            motion.t = times(v_of(frame->axis), q);
        } else {
            motion = turned(v_of(frame->axis), q);
        }
        const Frame at = frame_of(&frame->parent_from_joint);
        const Frame joint = multiply(&dense->frames[dense->joints[f].parent], &at);
        dense->frames[f] = multiply(&joint, &motion);
    }
    for (int i = 0; i < dense->part_count; ++i) {
        Part* part = &dense->parts[i];
        if (part->frame >= 0) {
            part->world = multiply(&dense->frames[part->frame], &part->in_frame);
        }
        if (!part->plane) {
            part->middle = apply(&part->world, part->nodes[0].centre);
        }
    }
}

// Of the pairs that are both, or not both, of the robot; not below 0 is told where it is `most` at least.
static double least_gap(Dense* dense, bool self, double most) {
    double best = most;
    for (int i = 0; i < dense->pair_count && best > 0; ++i) {
        Pair* pair = &dense->pairs[i];
        if (pair->self != self) {
            continue;
        }
        for (int a = dense->first_part[pair->a]; a < dense->first_part[pair->a + 1]; ++a) {
            for (int b = dense->first_part[pair->b]; b < dense->first_part[pair->b + 1]; ++b) {
                const double gap = parts_gap(&dense->parts[a], &dense->parts[b], pair->padding, dense->share,
                                             pair->last, best);
                if (gap < best) {
                    best = gap;
                    dense->nearest = i;
                }
            }
        }
    }
    return best > 0 ? dense->share * best : best;
}

double dense_gap(void* user, const double* values) {
    Dense* dense = user;
    const double environment = dense_environment_gap(user, values);
    const double self = environment > 0 ? least_gap(dense, true, dense->self_enough) : INFINITY;
    return self < dense->share * dense->self_enough ? least_of(self, environment) : environment;
}

double dense_environment_gap(void* user, const double* values) {
    place(user, values);
    return least_gap(user, false, dense_enough);
}

void dense_doubt(Dense* dense, double metres) {
    for (int i = 0; i < dense->pair_count; ++i) {
        dense->pairs[i].padding += dense->pairs[i].self ? 0.0 : metres;
    }
}

void dense_look_closer(Dense* dense, double share, double self_enough) {
    dense->share = share;
    dense->self_enough = self_enough;
}

const char* dense_nearest(const Dense* dense, int which) {
    const Pair* pair = &dense->pairs[dense->nearest];
    return dense->pair_count > 0 ? dense->scene->bodies[which == 0 ? pair->a : pair->b].name : "nothing";
}

// How much a joint's position changes along the course.
static double rate_of(const Joint* joint, const Course* course) {
    return joint->frame == NULL
               ? 0.0
               : joint->frame->multiplier * (course->to[joint->value] - course->from[joint->value]);
}

// Each joint by itself moves what it carries, and nothing else, against the rest.
double dense_speed(const Dense* dense, const Course* course) {
    double sum = 0;
    for (int f = 0; f < dense->scene->frame_count; ++f) {
        const Joint* joint = &dense->joints[f];
        const double rate = fabs(rate_of(joint, course));
        if (joint->frame != NULL) {
            sum += joint->frame->motion == FRAME_SLIDE ? rate : rate * dense->reach[f];
        }
    }
    return sum;
}

// ---- along a course -----------------------------------------------------------------------------------------------
//
// A gap changes by no more than what the points of one part move as the other sees them: from the middle of an interval to its
// ends, of half length h, by speed h + bend h^2 / 2. The speed is the one of now, of the corners of the part's box (that of a
// rigid body is largest there); the bend is a bound for all of the course. So a gap in the middle that is larger proves the
// interval; what is not proven is halved.

/// Of points of one part, from joint to joint along the chain to the other one.
typedef struct Chain {
    double far;   // from the joint that comes next, at most
    double goes;  // their speed by the joints so far, at most
    double bend;
} Chain;

// p'' is the sum of w_i w_j axis_i x (axis_j x (p - o_j)) over all i and j, where j is the one nearer to p: w_i w_j far_j at most.
// A slide j turns with all i beyond it, and is no turn itself.
static void pass_joint(Chain* chain, const Joint* joint, const Course* course) {
    const double rate = fabs(rate_of(joint, course));
    if (joint->frame != NULL && joint->frame->motion == FRAME_SLIDE) {
        chain->goes += rate;
    } else if (joint->frame != NULL) {
        chain->bend += rate * (rate * chain->far + 2 * chain->goes);
        chain->goes += rate * chain->far;
    }
}

static double find_bend(const Dense* dense, const Course* course, const Meeting* m) {
    const Part *a = &dense->parts[m->a], *b = &dense->parts[m->b];
    Chain chain = {.far = part_reach(b)};
    int from = b->frame, to = a->frame, beyond[FRAMES], count = 0;

    // Inward from b to the frame that carries both, or the world.
    while (from != to) {
        if (from > to) {
            pass_joint(&chain, &dense->joints[from], course);
            chain.far += dense->joints[from].step;
            from = dense->joints[from].parent;
        } else {
            beyond[count++] = to;
            to = dense->joints[to].parent;
        }
    }

    // Outward to a.
    while (count > 0) {
        const Joint* joint = &dense->joints[beyond[--count]];
        chain.far += joint->step;
        pass_joint(&chain, joint, course);
    }
    return chain.bend;
}

static V speed_at(const Twist* twist, V p) {
    return add(twist->slide, cross(twist->turn, p));
}

// Places everything at t, and tells how it moves there.
static void go_to(Dense* dense, const Course* course, double t) {
    double values[COURSE_VALUES];
    course_values(course, t, values);
    place(dense, values);
    for (int f = 0; f < dense->scene->frame_count; ++f) {
        const Joint* joint = &dense->joints[f];
        Twist* twist = &dense->twists[f];
        *twist = joint->parent >= 0 ? dense->twists[joint->parent] : (Twist){0};
        if (joint->frame == NULL || !joint->carries) {
            continue;
        }
        const V along = times(turn(&dense->frames[f], v_of(joint->frame->axis)), rate_of(joint, course));
        if (joint->frame->motion == FRAME_SLIDE) {
            twist->slide = add(twist->slide, along);
        } else {
            twist->turn = add(twist->turn, along);
            twist->slide = sub(twist->slide, cross(along, dense->frames[f].t));
        }
    }
}

// Of b's points as a sees them, now.
static double speed_of(const Dense* dense, const Meeting* m) {
    const Part *a = &dense->parts[m->a], *b = &dense->parts[m->b];
    Twist twist = dense->twists[b->frame];
    if (a->frame >= 0) {
        twist.turn = sub(twist.turn, dense->twists[a->frame].turn);
        twist.slide = sub(twist.slide, dense->twists[a->frame].slide);
    }
    const V h = b->nodes[0].half, middle = speed_at(&twist, b->middle);
    const V x = cross(twist.turn, times(b->world.x, h.x)), y = cross(twist.turn, times(b->world.y, h.y)),
            z = cross(twist.turn, times(b->world.z, h.z));
    double most = 0;
    for (int k = 0; k < 8; ++k) {
        const V of_x = times(x, (k & 1) != 0 ? 1 : -1), of_y = times(y, (k & 2) != 0 ? 1 : -1),
                of_z = times(z, (k & 4) != 0 ? 1 : -1);
        const V v = add(middle, add(of_x, add(of_y, of_z)));
        most = most_of(most, dot(v, v));
    }
    return sqrt(most);
}

typedef struct Along {
    Dense* dense;
    const Course* course;
    const DenseEffort* effort;
    DenseLook* out;
    bool ended;
} Along;

static void go_along(Along* along, double t) {
    go_to(along->dense, along->course, t);
    along->out->states += 1;
}

// Ends the look where this is what it looks for.
static void note_gap(Along* along, const Meeting* m, double t, double gap) {
    DenseLook* out = along->out;
    if (gap < out->gap) {
        out->gap = gap;
        out->t = t;
        along->dense->nearest = m->pair;
    }
    along->ended = along->ended || gap < along->effort->clearance - blur;
}

// Where no bound helps: what is the gap here itself?
static void look_closely(Along* along, Meeting* m, double t, double h, double most) {
    const Part *a = &along->dense->parts[m->a], *b = &along->dense->parts[m->b];
    Pair* pair = &along->dense->pairs[m->pair];
    double gap = parts_nest(a, b) ? -1e-6 : INFINITY;
    if (pair->self) {
        along->out->self_proven = false;
        (void)parts_are_apart(a, b, pair->padding, along->effort->clearance, pair->last, &gap);
    } else {
        along->out->proven = false;
        gap = least_of(gap, parts_gap(a, b, pair->padding, 0.99, pair->last, most));
    }
    if (gap < m->gap) {
        m->gap = gap;
        m->t = t;
        m->h = h;
    }
    note_gap(along, m, t, gap);
}

// Is nothing more to be said about these two from t - h to t + h?
static bool is_settled(Along* along, Meeting* m, double t, double h, int depth) {
    const DenseEffort* effort = along->effort;
    Pair* pair = &along->dense->pairs[m->pair];
    const double moves = speed_of(along->dense, m) * h + 0.5 * m->bend * h * h,
                 most = effort->clearance + moves + blur;
    double met = INFINITY;
    along->out->tests += 1;
    if (parts_are_apart(&along->dense->parts[m->a], &along->dense->parts[m->b], pair->padding, most,
                        pair->last, &met)) {
        return true;
    }
    note_gap(along, m, t, met);
    const bool spent = along->out->tests > effort->budget;
    const bool last = moves <= effort->finest || depth >= (pair->self ? effort->self_depth : DEEPEST);
    if (!along->ended && (last || spent)) {
        along->out->spent = along->out->spent || (spent && !last);
        look_closely(along, m, t, h, most);
        return true;
    }
    return false;
}

static void look_between(Along* along, double a, double b, int* open, int count, int depth) {
    const double t = 0.5 * (a + b), h = 0.5 * (b - a);
    int *kept = open + count, kept_count = 0;
    go_along(along, t);
    for (int i = 0; i < count && !along->ended; ++i) {
        if (!is_settled(along, &along->dense->meetings[open[i]], t, h, depth)) {
            kept[kept_count++] = open[i];
        }
    }
    if (kept_count > 0 && !along->ended) {
        look_between(along, a, t, kept, kept_count, depth + 1);
    }
    if (kept_count > 0 && !along->ended) {
        look_between(along, t, b, kept, kept_count, depth + 1);
    }
}

// What is inside of a solid at one end and never meets its surface stays inside.
static void look_inside(Along* along, double t) {
    Dense* dense = along->dense;
    go_along(along, t);
    for (int i = 0; i < dense->meeting_count && !along->ended; ++i) {
        const Meeting* m = &dense->meetings[i];
        if (parts_nest(&dense->parts[m->a], &dense->parts[m->b])) {
            note_gap(along, m, t, -1e-6);
        }
    }
}

static double gap_of(Along* along, Meeting* m, double t) {
    Pair* pair = &along->dense->pairs[m->pair];
    go_along(along, t);
    const double gap = parts_gap(&along->dense->parts[m->a], &along->dense->parts[m->b], pair->padding, 0.99,
                                 pair->last, m->gap + 1e-3);
    note_gap(along, m, t, gap);
    return gap;
}

// A golden section around the nearest state: gaps are smooth there, or have a corner.
static void sharpen(Along* along, Meeting* m) {
    const double golden = 0.6180339887498949;
    double a = most_of(0, m->t - 4 * m->h), b = least_of(1, m->t + 4 * m->h);
    double x = b - golden * (b - a), y = a + golden * (b - a);
    double gx = gap_of(along, m, x), gy = gap_of(along, m, y);
    for (int i = 0; i < 28 && b - a > 1e-12 && !along->ended; ++i) {
        if (gx < gy) {
            b = y, y = x, gy = gx, x = b - golden * (b - a), gx = gap_of(along, m, x);
        } else {
            a = x, x = y, gx = gy, y = a + golden * (b - a), gy = gap_of(along, m, y);
        }
    }
}

DenseLook dense_look_along(Dense* dense, const Course* course, const DenseEffort* effort) {
    DenseLook out = {.gap = INFINITY, .proven = true, .self_proven = true};
    Along along = {dense, course, effort, &out, false};
    assert_true(!course->curved && course->quat_count == 0);
    for (int i = 0; i < dense->meeting_count; ++i) {
        Meeting* m = &dense->meetings[i];
        m->bend = find_bend(dense, course, m);
        m->gap = INFINITY;
        dense->open[i] = i;
    }

    look_inside(&along, 0);
    look_inside(&along, 1);
    if (!along.ended) {
        look_between(&along, 0, 1, dense->open, dense->meeting_count, 0);
    }
    for (int i = 0; i < dense->meeting_count && !along.ended && effort->clearance <= 0; ++i) {
        Meeting* m = &dense->meetings[i];
        if (isfinite(m->gap) && !dense->pairs[m->pair].self) {
            sharpen(&along, m);
        }
    }
    out.ended = along.ended;
    out.proven = out.proven && !out.ended;
    out.self_proven = out.self_proven && !out.ended;
    return out;
}

double dense_nearer_than(Dense* dense, const double* values, double far) {
    double least = INFINITY;
    place(dense, values);
    for (int i = 0; i < dense->meeting_count && !(least < -blur); ++i) {
        const Meeting* m = &dense->meetings[i];
        const Part *a = &dense->parts[m->a], *b = &dense->parts[m->b];
        Pair* pair = &dense->pairs[m->pair];
        const double before = least;
        if (parts_are_apart(a, b, pair->padding, far, pair->last, &least) && parts_nest(a, b)) {
            least = -1e-6;
        }
        dense->nearest = least < before ? m->pair : dense->nearest;
    }
    return least;
}
