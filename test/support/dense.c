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

enum { FRAMES = 256 };

typedef struct Pair {
    int a, b;  // bodies
    double padding;
    bool self;
    int last[2];  // triangles that were nearest in the state before; of a body's last part
} Pair;

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
};

// ---- opening ------------------------------------------------------------------------------------------------------

static double part_reach(const Part* part) {
    return part->plane
               ? 0.0
               : length(apply(&part->in_frame, part->nodes[0].centre)) + part->nodes[0].radius + part->radius;
}

// What each frame carries, from its tips inward. Slides are as long as they may be.
static void find_reaches(Dense* dense) {
    for (int i = 0; i < dense->part_count; ++i) {
        const Part* part = &dense->parts[i];
        if (part->frame >= 0) {
            dense->reach[part->frame] = most_of(dense->reach[part->frame], part_reach(part));
        }
    }
    for (int r = 0; r < dense->scene->robot_count; ++r) {
        const SceneRobot* robot = &dense->scene->robots[r];
        for (int f = robot->frame_count - 1; f > 0; --f) {
            const RobotFrame* frame = &robot->robot->frames[f];
            double far = length(v_of(frame->parent_from_joint.t)) + dense->reach[robot->first_frame + f];
            if (frame->motion == FRAME_SLIDE) {
                const RobotValue* value = &robot->robot->values[frame->value];
                assert_true(value->has_limits);
                far += fabs(frame->multiplier) * most_of(fabs(value->lower), fabs(value->upper)) +
                       fabs(frame->offset);
            }
            double* outer = &dense->reach[robot->first_frame + frame->parent];
            *outer = most_of(*outer, far);
        }
    }
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
    find_reaches(dense);
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
    for (int r = 0; r < dense->scene->robot_count; ++r) {
        const SceneRobot* robot = &dense->scene->robots[r];
        dense->frames[robot->first_frame] = frame_of(&robot->world_from_base);
        for (int f = 1; f < robot->frame_count; ++f) {
            const RobotFrame* frame = &robot->robot->frames[f];
            const double q = frame->multiplier * values[robot->first_value + frame->value] + frame->offset;
            Frame motion = still;
            if (frame->motion == FRAME_SLIDE) {
                motion.t = times(v_of(frame->axis), q);
            } else {
                assert_true(frame->motion < FRAME_SLIDE);
                motion = turned(v_of(frame->axis), q);
            }
            const Frame at = frame_of(&frame->parent_from_joint);
            const Frame joint = multiply(&dense->frames[robot->first_frame + frame->parent], &at);
            dense->frames[robot->first_frame + f] = multiply(&joint, &motion);
        }
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

double dense_self_gap(void* user, const double* values) {
    place(user, values);
    Dense* dense = user;
    return least_gap(dense, true, dense->self_enough);
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

// Each joint by itself moves what it carries, and nothing else, against the rest.
double dense_speed(const Dense* dense, const Course* course) {
    double sum = 0;
    for (int r = 0; r < dense->scene->robot_count; ++r) {
        const SceneRobot* robot = &dense->scene->robots[r];
        for (int f = 1; f < robot->frame_count; ++f) {
            const RobotFrame* frame = &robot->robot->frames[f];
            const int v = robot->first_value + frame->value;
            const double rate = fabs(frame->multiplier * (course->to[v] - course->from[v]));
            sum += frame->motion == FRAME_SLIDE ? rate : rate * dense->reach[robot->first_frame + f];
        }
    }
    return sum;
}
