// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The bounds that proofs stand on, one by one: points of every body, seen from every frame above it, against the speed
// and the second derivative that were promised for the interval. Proofs are conservative, so that a term may be missing
// for long before a whole answer is wrong; here it shows at once.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "motion/motion.h"
#include "support/courses.h"
#include "support/setting.h"

static int pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

static void any_course(Random* random, const World* world, Course* course) {
    double other[COURSE_VALUES];
    course_of_world(course, world);
    world_values(world, random, course->from);
    world_values(world, random, other);
    const double size = pow(10, bi_random_between(random, -2, 0));
    course->curved = pick(random, 2) == 0;
    for (int i = 0; i < course->count; ++i) {
        const double step = pick(random, 3) == 0 ? 0.0 : size * (other[i] - course->from[i]);
        course->to[i] = course->from[i] + step;
        double* term = course->curves[i].term;
        memset(term, 0, sizeof course->curves[i].term);
        term[0] = course->from[i];
        term[1] = step;
        for (int k = 2; k < BERTH_CURVE_TERMS && step != 0; ++k) {
            term[k] = pick(random, 2) == 0 ? 0.0 : size * bi_random_between(random, -1, 1);
        }
    }
    for (int n = 0; n < course->quat_count; ++n) {
        memcpy(course->to + course->quats[n], other + course->quats[n], 4 * sizeof(double));
    }
}

typedef struct Worst {
    double speed, bend;
    int64_t points;
} Worst;

static Vec3 seen(const Pose* from, const Pose* frame, Vec3 p) {
    return pose_apply_back(from, pose_apply(frame, p));
}

// One body's points on one interval, from one row of its chain.
typedef struct Look {
    const BerthMotion* motion;
    const MotionBody* body;
    int32_t index, row;
    const Pose *frames, *later;  // at the middle and at another time
    double dt;
} Look;

static void look(const Look* l, Vec3 local, Worst* worst) {
    const ChainSum* rows = l->motion->chains + l->body->first_chain;
    const ChainSum *low = &rows[l->row], *high = &rows[l->body->chain_count - 1];
    const int32_t* chain = l->motion->chain_frame + l->body->first_chain;
    const int32_t own = chain[l->body->chain_count - 1], above = chain[l->row];
    const Pose still = pose_identity();
    const Pose* from = above >= 0 ? &l->frames[above] : &still;
    const Vec3 start = seen(from, &l->frames[own], local);
    const Vec3 end = seen(above >= 0 ? &l->later[above] : &still, &l->later[own], local);
    const Vec3 at = pose_apply(&l->frames[own], local);
    const Twist none = {{0, 0, 0}, {0, 0, 0}};
    const Twist a = l->motion->twists[own], b = above >= 0 ? l->motion->twists[above] : none;
    const Vec3 v = v3_sub(v3_add(a.origin, v3_cross(a.spin, at)), v3_add(b.origin, v3_cross(b.spin, at)));
    const Vec3 straight = v3_mad(start, l->dt, pose_turn_back(from, v));
    const double slack = 1e-13 * (10 + v3_length(at) + v3_length(l->frames[own].t));
    const double bend = (high->bend - low->bend) - 2.0 * low->turn * (high->lever - low->lever);
    const double travel = fabs(l->dt) * (high->speed - low->speed);
    const double curve = 0.5 * l->dt * l->dt * bend;
    const double gone = v3_distance(start, end) - slack, off = v3_distance(straight, end) - slack;
    worst->points += 1;
    worst->speed = travel > 1e-9 ? fmax(worst->speed, gone / travel) : worst->speed;
    worst->bend = curve > 1e-9 ? fmax(worst->bend, off / curve) : worst->bend;
    const double share = 1.0 + 1e-9;
    if (!(gone <= travel * share + 1e-10 * high->speed * fabs(l->dt)) ||
        !(off <= curve * share + 1e-10 * high->bend * l->dt * l->dt)) {
        fail_msg("body %d from row %d of %d: %g gone of %g, %g off of %g", l->index, l->row,
                 l->body->chain_count, gone, travel, off, curve);
    }
}

static void watch(BerthMotion* motion, const Course* course, Random* random, Worst* worst) {
    const BerthScene* scene = motion->scene;
    const BerthSegment segment = course_segment(course);
    const int level = pick(random, 7);
    const double width = ldexp(1, -level);
    const Span span = {((double)pick(random, 1 << level) + 0.5) * width, 0.5 * width};
    bi_motion_rates(motion, &segment, span);
    if (!bi_motion_place(motion, span)) {
        return;
    }
    Pose frames[128], later[128];
    assert_true(scene->frame_count <= 128);
    const size_t bytes = (size_t)scene->frame_count * sizeof(Pose);
    memcpy(frames, motion->checker->world_from_frame, bytes);
    for (int k = 0; k < 6; ++k) {
        const double t = k < 2 ? span.middle + (k == 0 ? -span.half : span.half)
                               : span.middle + span.half * bi_random_between(random, -1, 1);
        double values[COURSE_VALUES];
        course_values(course, t, values);
        BerthCheckRequest request = {0};
        BerthCheckResult result;
        if (berth_check_state(motion->checker, values, &request, &result) != BERTH_OK) {
            continue;
        }
        memcpy(later, motion->checker->world_from_frame, bytes);
        for (int32_t i = 0; i < scene->body_count; ++i) {
            const MotionBody* body = &motion->bodies[i];
            const CheckBody* ball = &motion->checker->bodies[i];
            if (body->chain_count < 2 || !isfinite(ball->radius)) {
                continue;
            }
            for (int p = 0; p < 4; ++p) {
                const BerthQuat q = bi_random_quat(random);
                const Vec3 out = v3_unit_or(v3(q.x, q.y, q.z), v3(1, 0, 0));
                const Vec3 local = v3_mad(ball->local_centre, p == 0 ? 0.0 : ball->radius * (1 - 1e-12), out);
                const Look l = {motion, body,           i, pick(random, body->chain_count), frames,
                                later,  t - span.middle};
                look(&l, local, worst);
            }
        }
    }
}

static void test_bounds(void** state) {
    (void)state;
    static const WorldStyle styles[4] = {WORLD_CONVEX, WORLD_UNEVEN, WORLD_GRID, WORLD_CONVEX};
    Worst worst = {0};
    for (int w = 0; w < test_scaled(400); ++w) {
        Random random = {(uint64_t)w + 61000};
        const WorldPlan plan = {.style = styles[w % 4],
                                .robots = 1 + pick(&random, 2),
                                .joints = 2 + pick(&random, 6),
                                .objects = pick(&random, 3)};
        World* world = world_make(&random, &plan);
        BerthMotionDef def = berth_default_motion_def();
        BerthMotion* motion = NULL;
        assert_int_equal(berth_motion_create(world->scene, &def, &motion), BERTH_OK);
        for (int i = 0; i < 12; ++i) {
            Course course;
            any_course(&random, world, &course);
            watch(motion, &course, &random, &worst);
        }
        berth_motion_destroy(motion);
        world_destroy(world);
    }
    print_message(
        "report bounds: %lld points; at most %.3f of the travel and %.3f of the bend that were promised\n",
        (long long)worst.points, worst.speed, worst.bend);
    assert_true(worst.speed > 0.9 && worst.bend > 0.5);  // or the points are not where it is tight
}

int test_motion_bounds(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
