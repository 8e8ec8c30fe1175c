// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Segments as a sceptic sees them.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/courses.h"
#include "support/verdicts.h"

static const double plane_view = 6.0;
static const double finest = 1e-10;  // metre: nothing lower than by this is looked for
enum { LOWEST_SPANS = 1024 };

BerthSegment course_segment(const Course* course) {
    return (BerthSegment){.value_count = course->count,
                          .from = course->from,
                          .to = course->to,
                          .curves = course->curved ? course->curves : NULL};
}

static void unit(const double* q, Real out[4]) {
    Real sum = 0;
    for (int k = 0; k < 4; ++k) {
        sum += (Real)q[k] * q[k];
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = q[k] / sqrtl(sum);
    }
}

// Half the angle between two rotations, by the chords, which is exact for small ones; flips b to the near side.
static Real half_turn(const double* from, const double* to, Real a[4], Real b[4]) {
    unit(from, a);
    unit(to, b);
    Real dot = 0, apart = 0, along = 0;
    for (int k = 0; k < 4; ++k) {
        dot += a[k] * b[k];
    }
    for (int k = 0; k < 4; ++k) {
        b[k] = dot < 0 ? -b[k] : b[k];
        apart += (a[k] - b[k]) * (a[k] - b[k]);
        along += (a[k] + b[k]) * (a[k] + b[k]);
    }
    return 2 * atan2l(sqrtl(apart), sqrtl(along));
}

void course_values(const Course* course, double t, double* values) {
    for (int i = 0; i < course->count; ++i) {
        Real sum = 0;
        if (course->curved) {
            for (int k = BERTH_CURVE_TERMS - 1; k >= 0; --k) {
                sum = sum * t + course->curves[i].term[k];
            }
        } else {
            sum = (1 - (Real)t) * course->from[i] + (Real)t * course->to[i];
        }
        values[i] = (double)sum;
    }
    for (int n = 0; n < course->quat_count; ++n) {
        const int at = course->quats[n];
        Real a[4], b[4];
        const Real half = half_turn(course->from + at, course->to + at, a, b);
        const Real whole = sinl(half);
        for (int k = 0; k < 4; ++k) {
            values[at + k] =
                (double)(whole > 0 ? (sinl((1 - (Real)t) * half) * a[k] + sinl((Real)t * half) * b[k]) / whole
                                   : a[k]);
        }
    }
}

double course_largest(const Course* course, int value) {
    double sum = 0;
    for (int k = 0; course->curved && k < BERTH_CURVE_TERMS; ++k) {
        sum += fabs(course->curves[value].term[k]);
    }
    return course->curved ? sum : fmax(fabs(course->from[value]), fabs(course->to[value]));
}

double course_rate(const Course* course, int value) {
    double sum = 0;
    for (int k = 1; course->curved && k < BERTH_CURVE_TERMS; ++k) {
        sum += k * fabs(course->curves[value].term[k]);
    }
    return course->curved ? sum : fabs(course->to[value] - course->from[value]);
}

double course_turn(const Course* course, int value) {
    Real a[4], b[4];
    return (double)(2 * half_turn(course->from + value, course->to + value, a, b));
}

void course_of_world(Course* course, const World* world) {
    int first = 0;
    course->count = world->brute.value_count;
    course->quat_count = 0;
    for (int r = 0; r < world->brute.robot_count; ++r) {
        const BruteRobot* robot = &world->brute.robots[r];
        if (robot->base_joint.type == BERTH_JOINT_FLOATING) {
            course->quats[course->quat_count++] = first + 3;
        }
        for (int j = 0; j < robot->joint_count; ++j) {
            if (robot->joints[j].type == BERTH_JOINT_FLOATING) {
                course->quats[course->quat_count++] = first + robot->joints[j].first_value + 3;
            }
        }
        first += robot->value_count;
    }
}

// ---- speed --------------------------------------------------------------------------------------------------

typedef struct Joint {
    double slide, slide_rate, turn_rate;
} Joint;

static Joint joint_motion(const Course* course, const BruteRobot* robot, const BruteJoint* joint, int first) {
    double scale = 1, shift = 0;
    const BruteJoint* leader = joint;
    for (; leader->mimic >= 0; leader = &robot->joints[leader->mimic]) {
        shift += fabs((double)(scale * leader->offset));
        scale *= fabs((double)leader->multiplier);
    }
    const int v = first + leader->first_value;
    switch (joint->type) {
    case BERTH_JOINT_REVOLUTE:
    case BERTH_JOINT_CONTINUOUS:
        return (Joint){0, 0, scale * course_rate(course, v)};
    case BERTH_JOINT_PRISMATIC:
        return (Joint){scale * course_largest(course, v) + shift, scale * course_rate(course, v), 0};
    case BERTH_JOINT_PLANAR:
        return (Joint){course_largest(course, v) + course_largest(course, v + 1),
                       course_rate(course, v) + course_rate(course, v + 1), course_rate(course, v + 2)};
    case BERTH_JOINT_FLOATING:
        return (Joint){
            course_largest(course, v) + course_largest(course, v + 1) + course_largest(course, v + 2),
            course_rate(course, v) + course_rate(course, v + 1) + course_rate(course, v + 2),
            course_turn(course, v + 3)};
    default:
        return (Joint){0, 0, 0};
    }
}

// Speed of points within r of a link's origin.
static double link_speed(const Course* course, const BruteRobot* robot, int link, int first, double r) {
    double speed = 0;
    for (;;) {
        const BruteJoint* joint = NULL;
        for (int j = 0; j < robot->joint_count; ++j) {
            joint = robot->joints[j].child == link ? &robot->joints[j] : joint;
        }
        const bool base = joint == NULL;
        const Joint m = joint_motion(course, robot, base ? &robot->base_joint : joint, first);
        speed += m.slide_rate + m.turn_rate * r;
        if (base) {
            return speed;
        }
        r += m.slide + (double)lv_length(joint->parent_from_joint.t);
        link = joint->parent;
    }
}

// Of a posed body's points; 0 for what stands.
static double body_speed(const Course* course, const BruteWorld* brute, const BruteBody* body) {
    int first = 0;
    for (int r = 0; r < body->robot; ++r) {
        first += brute->robots[r].value_count;
    }
    double fastest = 0;
    for (int k = 0; body->robot >= 0 && k < body->part_count; ++k) {
        const BruteRobot* robot = &brute->robots[body->robot];
        const Lv from_link = lv_sub(body->parts[k].centre, robot->links[body->link].t);
        double r = (double)(lv_length(from_link) + body->parts[k].radius);
        r = isfinite(r) ? r : plane_view;
        fastest = fmax(fastest, link_speed(course, robot, body->link, first, r));
    }
    return fastest;
}

double course_speed(const Course* course, World* world) {
    BruteWorld* brute = &world->brute;
    double values[COURSE_VALUES], of[BRUTE_BODIES], fastest = 0;
    course_values(course, 0, values);
    brute_pose_world(brute, values);
    for (int i = 0; i < brute->body_count; ++i) {
        of[i] = body_speed(course, brute, &brute->bodies[i]);
        for (int k = 0; k < i; ++k) {
            if (brute_is_checked(brute, &brute->bodies[i], &brute->bodies[k])) {
                fastest = fmax(fastest, of[i] + of[k]);
            }
        }
    }
    return fastest * (1 + 1e-9);
}

// ---- the smallest gap ---------------------------------------------------------------------------------------

typedef struct Span {
    double a, b, gap_a, gap_b;
} Span;

static double under(const Span* s, double speed) {
    return 0.5 * (s->gap_a + s->gap_b - speed * (s->b - s->a));
}

typedef struct Search {
    const Course* course;
    CourseGap* gap_at;
    void* user;
    Lowest* out;
    double speed;
} Search;

static double look(Search* search, double t) {
    double values[COURSE_VALUES];
    course_values(search->course, t, values);
    const double gap = search->gap_at(search->user, values);
    search->out->samples += 1;
    if (!(gap >= search->out->gap)) {
        search->out->gap = gap;
        search->out->t = t;
    }
    return gap;
}

// A golden section around the best so far: gaps are smooth there, or have a corner.
static void sharpen(Search* search, double width) {
    const double golden = 0.6180339887498949;
    double a = fmax(0, search->out->t - width), b = fmin(1, search->out->t + width);
    double x = b - golden * (b - a), y = a + golden * (b - a);
    double gx = look(search, x), gy = look(search, y);
    for (int i = 0; i < 28 && b - a > 1e-11 && search->speed * (b - a) > finest; ++i) {
        if (gx < gy) {
            b = y, y = x, gy = gx, x = b - golden * (b - a), gx = look(search, x);
        } else {
            a = x, x = y, gx = gy, y = a + golden * (b - a), gy = look(search, y);
        }
    }
}

Lowest course_lowest(const Course* course, double speed, double accuracy, double floor, int budget,
                     CourseGap* gap_at, void* user) {
    return course_near(course, speed, accuracy, floor, INFINITY, budget, gap_at, user);
}

Lowest course_near(const Course* course, double speed, double accuracy, double floor, double enough,
                   int budget, CourseGap* gap_at, void* user) {
    Lowest out = {.gap = INFINITY, .bound = -INFINITY};
    Search search = {course, gap_at, user, &out, speed};
    Span spans[LOWEST_SPANS];
    int count = 0;
    enum { START = 8 };
    double last = look(&search, 0);
    for (int i = 1; i <= START; ++i) {
        const double gap = look(&search, (double)i / START);
        spans[count++] = (Span){(i - 1.0) / START, (double)i / START, last, gap};
        last = gap;
    }
    double narrow = 1.0 / START;
    while (count < LOWEST_SPANS - 1 && out.samples < budget && out.gap > floor) {
        int least = 0;
        for (int i = 1; i < count; ++i) {
            least = under(&spans[i], speed) < under(&spans[least], speed) ? i : least;
        }
        out.bound = under(&spans[least], speed);
        if (out.bound >= out.gap - accuracy || out.bound > enough) {
            break;
        }
        Span* s = &spans[least];
        // Where the two slopes from the ends meet, kept off the ends.
        double t = 0.5 * (s->a + s->b) + 0.5 * (s->gap_a - s->gap_b) / speed;
        t = fmin(fmax(t, s->a + 0.1 * (s->b - s->a)), s->b - 0.1 * (s->b - s->a));
        narrow = fmin(narrow, s->b - s->a);
        const double gap = look(&search, t);
        spans[count++] = (Span){t, s->b, gap, s->gap_b};
        s->b = t;
        s->gap_b = gap;
    }
    if (out.gap > floor && isfinite(out.gap) && !(out.bound > enough)) {
        sharpen(&search, 2 * narrow);
        sharpen(&search, 1e-5);
    }
    return out;
}

double course_checker_gap(void* checker, const double* values) {
    const BerthCheckRequest request = {.distance = true};
    BerthCheckResult r;
    assert_int_equal(berth_check_state(checker, values, &request, &r), BERTH_OK);
    if (r.verdict == BERTH_FREE && !r.has_clearance) {
        return INFINITY;
    }
    return r.verdict != BERTH_COLLISION && r.has_clearance ? r.clearance.upper : 0.0;
}

/// Two parts and how near the balls around them are.
typedef struct Near {
    const BrutePart *a, *b;
    Real padding, apart;
} Near;

static int compare_near(const void* a, const void* b) {
    const Real x = ((const Near*)a)->apart, y = ((const Near*)b)->apart;
    return (x > y) - (x < y);
}

// All parts of two bodies; balls of half-spaces have no end.
static int list_near(const BruteWorld* world, const BruteBody* a, const BruteBody* b, Near* out) {
    int count = 0;
    for (int p = 0; p < a->part_count * b->part_count; ++p) {
        const BrutePart *pa = &a->parts[p / b->part_count], *pb = &b->parts[p % b->part_count];
        const Real padding = brute_padding(world, a, b);
        const Real balls = lv_length(lv_sub(pa->centre, pb->centre)) - pa->radius - pb->radius;
        out[count++] = (Near){pa, pb, padding, balls * (balls > 0 ? 1 - 1e-12L : 1 + 1e-12L) - padding};
    }
    return count;
}

// The nearest balls first, and none whose balls are further apart than what was found.
double course_brute_gap(void* user, const double* values) {
    enum { NEAR_MAX = VERDICT_PAIRS * BRUTE_PARTS * BRUTE_PARTS };
    static Near near[NEAR_MAX];
    BruteWorld* world = &((World*)user)->brute;
    brute_pose_world(world, values);
    int count = 0;
    for (int i = 0; i < world->body_count; ++i) {
        for (int k = i + 1; k < world->body_count; ++k) {
            const BruteBody *a = &world->bodies[i], *b = &world->bodies[k];
            if (brute_is_checked(world, a, b)) {
                assert_true(count + a->part_count * b->part_count <= NEAR_MAX);
                count += list_near(world, a, b, near + count);
            }
        }
    }
    qsort(near, (size_t)count, sizeof *near, compare_near);

    Real least = INFINITY;
    for (int i = 0; i < count && !(near[i].apart > least); ++i) {
        least = fminl(least, brute_gap(near[i].a, near[i].b).upper - near[i].padding);
    }
    return (double)least;
}

double course_brute_lower(World* world, const double* values) {
    static Truth truth[VERDICT_PAIRS];
    const int count = true_gaps(world, values, truth);
    double least = INFINITY;
    for (int i = 0; i < count; ++i) {
        least = fmin(least, (double)truth[i].gap.lower);
    }
    return least;
}

bool course_graze(World* world, const Course* course, double speed, double target, Lowest* lowest) {
    for (int step = 0; step < 5; ++step) {
        const BerthCheckerDef def = berth_default_checker_def();
        BerthChecker* checker = NULL;
        assert_int_equal(berth_checker_create(world->scene, &def, &checker), BERTH_OK);
        *lowest =
            course_lowest(course, speed, 1e-4, -1e-3, step == 0 ? 200 : 120, course_checker_gap, checker);
        double values[COURSE_VALUES];
        course_values(course, lowest->t, values);
        const BerthCheckRequest request = {.distance = true};
        BerthCheckResult r;
        assert_int_equal(berth_check_state(checker, values, &request, &r), BERTH_OK);
        const BerthPairGap gap = r.clearance;
        const bool apart = r.has_clearance && r.verdict == BERTH_FREE;
        berth_checker_destroy(checker);
        if (fabs(lowest->gap - target) < 2e-7 * (1 + fabs(target) * 1e4)) {
            return true;
        }
        if (!apart) {
            return false;
        }
        for (int side = 0; side < 2; ++side) {
            const BruteBody* body = world->brute.bodies;
            while (body->index != (side == 0 ? gap.body_a : gap.body_b)) {
                ++body;
            }
            if (body->robot >= 0) {
                continue;
            }
            Vec3 towards = v3_sub(gap.point_a, gap.point_b);
            towards = v3_scale(towards, (side == 0 ? -1 : 1) * (lowest->gap - target) / v3_length(towards));
            BerthPose pose = world->poses[body->object];
            pose.t = v3_add(pose.t, towards);
            world_move_object(world, body->object, &pose);
        }
        if (target < 1e-6) {  // it may overlap after the last move: then there is no gap to measure
            *lowest = (Lowest){.t = lowest->t, .gap = lowest->gap, .bound = -INFINITY};
        }
    }
    return false;
}
