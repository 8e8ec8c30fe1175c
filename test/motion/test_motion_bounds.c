// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The bounds that proofs stand on, one by one: points of every body, seen from every frame above it, against the speed
// and the second derivative that were promised for the interval. Proofs are conservative, so that a term may be missing
// for long before a whole answer is wrong; here it shows at once.
// test-share: 0.4

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "motion/motion.h"
#include "support/courses.h"
#include "support/kit.h"
#include "support/proofs.h"
#include "support/setting.h"

static int pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

// Most worlds have bounds of the interval, some the paper's.
static BerthMotionLab any_bound(Random* random) {
    BerthMotionLab lab = berth_default_motion_lab();
    lab.bound = pick(random, 3) == 0 ? BERTH_BOUND_GLOBAL : BERTH_BOUND_INTERVAL;
    return lab;
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
        memset(&course->curves[i], 0, sizeof course->curves[i]);
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

// A point of the surface of a shape, far out in a random direction.
static Vec3 shape_point(const BerthShape* shape, Random* random) {
    const BerthQuat q = bi_random_quat(random);
    const Vec3 u = v3_unit_or(v3(q.x, q.y, q.z), v3(1, 0, 0));
    const double sign = u.z < 0 ? -1.0 : 1.0;
    const double flat = fmax(sqrt(u.x * u.x + u.y * u.y), 1e-9);
    switch (shape->kind) {
    case BERTH_SPHERE:
        return v3_scale(u, shape->as.sphere.radius);
    case BERTH_CAPSULE:
        return v3_add(v3_scale(u, shape->as.capsule.radius), v3(0, 0, 0.5 * sign * shape->as.capsule.length));
    case BERTH_BOX:
        return v3(copysign(shape->as.box.half.x, u.x), copysign(shape->as.box.half.y, u.y),
                  copysign(shape->as.box.half.z, u.z));
    case BERTH_CYLINDER:
        return v3(u.x / flat * shape->as.cylinder.radius, u.y / flat * shape->as.cylinder.radius,
                  0.5 * sign * shape->as.cylinder.length);
    case BERTH_CONE:
        return sign > 0 ? v3(0, 0, 0.5 * shape->as.cone.length)
                        : v3(u.x / flat * shape->as.cone.radius, u.y / flat * shape->as.cone.radius,
                             -0.5 * shape->as.cone.length);
    case BERTH_TRIANGLE:
        return shape->as.triangle.point[pick(random, 3)];
    case BERTH_HULL:
        return shape->as.hull.hull->vertices[pick(random, shape->as.hull.hull->vertex_count)];
    default:
        return v3(0, 0, 0);
    }
}

// A point of a body, in its frame: bounds are about these, not about the ball around them.
static Vec3 body_point(const BerthScene* scene, int32_t index, Random* random) {
    const SceneBody* body = &scene->bodies[index];
    const ScenePart* part = &scene->parts[body->first_part + pick(random, body->part_count)];
    const BerthSolid* solid = part->solid;
    const Vec3 p = solid->is_mesh ? solid->mesh->vertices[pick(random, solid->mesh->info.vertex_count)]
                                  : shape_point(&solid->shape, random);
    return pose_apply(&part->frame_from_part, p);
}

// One body's points on one interval, from one row of its chain.
typedef struct Look {
    const BerthMotionChecker* motion;
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

static void watch(BerthMotionChecker* motion, const Course* course, Random* random, Worst* worst) {
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
                const Vec3 local = body_point(scene, i, random);
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
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        const BerthMotionLab lab = any_bound(&random);
        def.lab = &lab;
        BerthMotionChecker* motion = NULL;
        assert_int_equal(berth_motion_checker_create(world->scene, &def, &motion), BERTH_OK);
        for (int i = 0; i < 12; ++i) {
            Course course;
            any_course(&random, world, &course);
            watch(motion, &course, &random, &worst);
        }
        berth_motion_checker_destroy(motion);
        world_destroy(world);
    }
    print_message(
        "report bounds: %lld points; at most %.3f of the travel and %.3f of the bend that were promised\n",
        (long long)worst.points, worst.speed, worst.bend);
    assert_true(worst.speed > 0.9 && worst.bend > 0.5);  // or the points are not where it is tight
}

// ---- anywhere on the interval, by kinematics of our own ------------------------------------------------------------

/// The frame that carries a body, in long double; a body without one does not move.
static Lpose carrier(const World* world, int32_t body) {
    for (int i = 0; i < world->brute.body_count; ++i) {
        const BruteBody* b = &world->brute.bodies[i];
        if (b->index == body && b->robot >= 0) {
            return world->brute.robots[b->robot].links[b->link];
        }
    }
    return (Lpose){lv(1, 0, 0), lv(0, 1, 0), lv(0, 0, 1), lv(0, 0, 0)};
}

static Lv seen_back(const Lpose* pose, Lv p) {
    const Lv d = lv_sub(p, pose->t);
    return lv(lv_dot(pose->x, d), lv_dot(pose->y, d), lv_dot(pose->z, d));
}

/// Some body that this scene frame carries, or -1.
static int32_t body_of_frame(const BerthScene* scene, int32_t frame) {
    for (int32_t i = 0; i < scene->body_count; ++i) {
        if (scene->bodies[i].frame == frame) {
            return i;
        }
    }
    return -1;
}

/// One point of a body seen from a frame above it, at any time.
typedef struct Watch {
    World* world;
    const Course* course;
    int32_t body, above;  // bodies; above -1: the world
    Lv local;             // in the carrier
} Watch;

static Lv point_at(const Watch* w, double t) {
    double values[COURSE_VALUES];
    course_values(w->course, t, values);
    brute_pose_world(&w->world->brute, values);
    const Lpose own = carrier(w->world, w->body);
    const Lv at = lpose_apply(&own, w->local);
    if (w->above < 0) {
        return at;
    }
    const Lpose above = carrier(w->world, w->above);
    return seen_back(&above, at);
}

// Speeds and second derivatives by differences over a thousandth of the interval, at any time of it: there levers are as long as
// joints beyond have made them, which the middle does not show.
static void watch_point(const BerthMotionChecker* motion, const Watch* w, Span span, int32_t row,
                        Random* random, Worst* worst) {
    const MotionBody* body = &motion->bodies[w->body];
    const ChainSum* rows = motion->chains + body->first_chain;
    const ChainSum *low = &rows[row], *high = &rows[body->chain_count - 1];
    const double speed = high->speed - low->speed + 1e-11 * high->speed;
    const double bend = (high->bend - low->bend) - 2.0 * low->turn * (high->lever - low->lever);
    for (int k = 0; k < 3; ++k) {
        const double e = 1e-3 * span.half;
        const double share = k == 0 ? -1 : k == 1 ? 1 : bi_random_between(random, -1, 1);
        const double t = span.middle + share * (span.half - e);
        const Lv a = point_at(w, t - e), b = point_at(w, t), c = point_at(w, t + e);
        const double gone = (double)lv_length(lv_sub(c, a)) / (2 * e);
        const double bent = (double)lv_length(lv_add(lv_sub(c, b), lv_sub(a, b))) / (e * e);
        const double rounding = 1e-15 * (10 + (double)lv_length(b));
        worst->points += 1;
        worst->speed = speed > 1e-6 ? fmax(worst->speed, gone / speed) : worst->speed;
        worst->bend = bend > 1e-6 ? fmax(worst->bend, bent / bend) : worst->bend;
        if (!(gone <= speed * (1 + 1e-9) + rounding / e) ||
            !(bent <= bend * (1 + 1e-6) + 1e-9 * high->bend + 4 * rounding / (e * e))) {
            fail_msg("body %d from row %d of %d at %.17g: speed %g of %g, bend %g of %g", w->body, row,
                     body->chain_count, t, gone, speed, bent, bend);
        }
    }
}

static void watch_anywhere(BerthMotionChecker* motion, World* world, const Course* course, Random* random,
                           Worst* worst) {
    const BerthScene* scene = motion->scene;
    const BerthSegment segment = course_segment(course);
    const int level = pick(random, 5);
    const double width = ldexp(1, -level);
    const Span span = {((double)pick(random, 1 << level) + 0.5) * width, 0.5 * width};
    bi_motion_rates(motion, &segment, span);
    if (!bi_motion_place(motion, span)) {
        return;
    }
    for (int32_t i = 0; i < scene->body_count; ++i) {
        const MotionBody* body = &motion->bodies[i];
        const CheckBody* ball = &motion->checker->bodies[i];
        const int32_t row = pick(random, 2) == 0 ? 0 : pick(random, body->chain_count);
        const int32_t frame = motion->chain_frame[body->first_chain + row];
        const int32_t above = frame >= 0 ? body_of_frame(scene, frame) : -1;
        if (body->chain_count < 2 || !isfinite(ball->radius) || (frame >= 0 && above < 0)) {
            continue;
        }
        const Vec3 at = pose_apply(&motion->checker->world_from_frame[scene->bodies[i].frame],
                                   body_point(scene, i, random));
        double values[COURSE_VALUES];
        course_values(course, span.middle, values);
        brute_pose_world(&world->brute, values);
        const Lpose own = carrier(world, i);
        const Watch w = {world, course, i, above, seen_back(&own, lv_of(at))};
        watch_point(motion, &w, span, row, random, worst);
    }
}

// Courses on which some joints sweep a turn and more while others hardly move.
static void wild_course(Random* random, const World* world, Course* course) {
    any_course(random, world, course);
    course->curved = false;
    for (int i = 0; i < course->count; ++i) {
        const double step = bi_random_between(random, -1, 1) * (pick(random, 2) == 0 ? 4.0 : 0.2);
        course->to[i] = course->from[i] + step;
    }
    for (int n = 0; n < course->quat_count; ++n) {
        const BerthQuat q = bi_random_quat(random);
        const double to[4] = {q.x, q.y, q.z, q.w};
        memcpy(course->to + course->quats[n], to, sizeof to);
    }
}

static void test_anywhere(void** state) {
    (void)state;
    Worst worst = {0};
    for (int w = 0; w < test_scaled(1000); ++w) {
        Random random = {(uint64_t)w + 81000};
        const WorldPlan plan = {.style = WORLD_CONVEX,
                                .robots = 1 + pick(&random, 2),
                                .joints = 2 + pick(&random, 6),
                                .objects = 1 + pick(&random, 2)};
        World* world = world_make(&random, &plan);
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        const BerthMotionLab lab = any_bound(&random);
        def.lab = &lab;
        BerthMotionChecker* motion = NULL;
        assert_int_equal(berth_motion_checker_create(world->scene, &def, &motion), BERTH_OK);
        for (int i = 0; i < 10; ++i) {
            Course course;
            if (i % 2 == 0) {
                any_course(&random, world, &course);
            } else {
                wild_course(&random, world, &course);
            }
            watch_anywhere(motion, world, &course, &random, &worst);
        }
        berth_motion_checker_destroy(motion);
        world_destroy(world);
    }
    print_message("report anywhere: %lld points; at most %.3f of the speed and %.3f of the bend\n",
                  (long long)worst.points, worst.speed, worst.bend);
    assert_true((worst.speed > 0.9 && worst.bend > 0.5) || test_scaled(100) < 100);
}

// The paper's R by hand: an arm of two turns and a ball, beyond a slide whose limits are [-1, 3]. About the second turn the ball
// is 0.5 + 0.1 away whatever the arm does, about the first 0.5 + 0.5 + 0.1; the axis before the slide is 4 + 1 away at the
// slide's middle, and 2 more. Beyond its limits the slide proves nothing of that kind.
static void test_global(void** state) {
    (void)state;
    Kit kit = kit_new();
    kit_link(&kit, 0, BERTH_JOINT_CONTINUOUS, v3(0, 0, 1), v3(0, 0, 0));
    kit_limit(&kit, -1, 3);
    kit_link(&kit, 1, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(4, 0, 0));
    kit_link(&kit, 2, BERTH_JOINT_CONTINUOUS, v3(0, 0, 1), v3(0, 0, 0));
    kit_link(&kit, 3, BERTH_JOINT_CONTINUOUS, v3(0, 0, 1), v3(0.5, 0, 0));
    kit_solid(&kit, 4, kit_ball(0.1), v3(0.5, 0, 0));
    kit_robot(&kit, NULL);
    kit_commit(&kit);
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionLab lab = berth_default_motion_lab();
    lab.bound = BERTH_BOUND_GLOBAL;
    def.lab = &lab;
    BerthMotionChecker* motion = NULL;
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
    const int32_t body = berth_scene_body_count(kit.scene) - 1;
    const double* lever = motion->chain_lever + motion->bodies[body].first_chain;
    const Span span = {0.5, 0.5};

    const double from[4] = {0, 0, 0, 0}, to[4] = {0.1, 0.5, 0.1, 0.1}, beyond[4] = {0.1, 3.5, 0.1, 0.1};
    BerthSegment segment = {.value_count = 4, .from = from, .to = to};
    bi_motion_rates(motion, &segment, span);
    assert_true(bi_motion_place(motion, span));
    lever = motion->chain_lever + motion->bodies[body].first_chain;
    assert_true(fabs(lever[4] - 0.6) < 0.002 && fabs(lever[3] - 1.1) < 1e-6);
    assert_true(fabs(lever[1] - (4 + 1 + 2 + 1.1)) < 1e-6);

    segment.to = beyond;
    bi_motion_rates(motion, &segment, span);
    assert_true(bi_motion_place(motion, span));
    lever = motion->chain_lever + motion->bodies[body].first_chain;
    assert_true(fabs(lever[3] - 1.1) < 1e-6);
    assert_true(lever[1] >= 4 + 3.5 + 1.1 - 1e-3 && isfinite(lever[1]));
    berth_motion_checker_destroy(motion);
    kit_free(&kit);
}

// A point that is on the first axis at the middle, and far from it when the second joint has turned: an arm folded back.
static void test_folded_arm(void** state) {
    (void)state;
    Random random = {5};
    for (int n = 0; n < test_scaled(2000); ++n) {
        const int joints = 2 + pick(&random, 4);
        const double length = 0.5;
        Kit kit = kit_new();
        double from[8], to[8], way[8];
        for (int k = 0; k < joints; ++k) {
            kit_link(&kit, k, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(k == 0 ? 0 : length, 0, 0));
            const double middle = k == 0 || k > 1 ? 0.0 : 3.14159265358979;
            way[k] =
                pick(&random, 2) == 0 ? bi_random_between(&random, -6, 6) : bi_random_between(&random, -1, 1);
            from[k] = middle - 0.5 * way[k];
            to[k] = middle + 0.5 * way[k];
        }
        kit_solid(&kit, joints, kit_ball(1e-3), v3(joints == 2 ? length : 0.25, 0, 0));
        kit_solid(&kit, 0, kit_ball(1e-3), v3(9, 0, 0));
        kit_robot(&kit, NULL);
        kit_commit(&kit);
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        BerthMotionChecker* motion = NULL;
        assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
        const BerthSegment segment = {.value_count = joints, .from = from, .to = to};
        const Span span = {0.5, 0.5};
        bi_motion_rates(motion, &segment, span);
        assert_true(bi_motion_place(motion, span));
        const PairRates reach = bi_motion_bound_pair_rates(motion, 0, span.half);
        const MotionBody* body = &motion->bodies[motion->scene->pairs[motion->pairs[0].pair].body_a];
        body = body->chain_count > 1 ? body
                                     : &motion->bodies[motion->scene->pairs[motion->pairs[0].pair].body_b];
        const ChainSum* high = &motion->chains[body->first_chain + body->chain_count - 1];
        // The chain in complex numbers: p = sum of length times e^(i angle), angles add up.
        for (int i = 0; i <= 20; ++i) {
            const long double t = i / 20.0L;
            long double angle = 0, rate = 0, vx = 0, vy = 0, ax = 0, ay = 0, x = 0, y = 0;
            for (int k = 0; k < joints; ++k) {
                angle += from[k] + t * (long double)way[k];
                rate += way[k];
                const long double l = k + 1 < joints ? length : joints == 2 ? length : 0.25;
                x += l * cosl(angle);
                y += l * sinl(angle);
                vx -= l * rate * sinl(angle);
                vy += l * rate * cosl(angle);
                ax -= l * rate * rate * cosl(angle);
                ay -= l * rate * rate * sinl(angle);
            }
            const double speed = (double)sqrtl(vx * vx + vy * vy), bend = (double)sqrtl(ax * ax + ay * ay);
            // How fast it comes nearer to the ball at (9, 0).
            const double nearer = (double)fabsl(((x - 9) * vx + y * vy) / sqrtl((x - 9) * (x - 9) + y * y));
            if (!(speed <= high->speed * (1 + 1e-9)) || !(bend <= high->bend * (1 + 1e-9)) ||
                !(nearer <= reach.speed * (1 + 1e-9))) {
                fail_msg("folded arm %d of %d joints: speed %g of %g, bend %g of %g, nearer %g of %g", n,
                         joints, speed, high->speed, bend, high->bend, nearer, reach.speed);
            }
        }
        berth_motion_checker_destroy(motion);
        kit_free(&kit);
    }
}

// ---- pairs ------------------------------------------------------------------------------------------------------

/// What proofs of pairs said, and how near the truth came.
typedef struct Tally {
    int64_t pairs, nearer, samples, gaps, proofs[PROOF_KIND_COUNT], endless;
    double steepest;  // of the promised speed
} Tally;

static const BruteBody* brute_of(const World* world, int32_t body) {
    for (int i = 0; i < world->brute.body_count; ++i) {
        if (world->brute.bodies[i].index == body) {
            return &world->brute.bodies[i];
        }
    }
    fail();
    return NULL;
}

static BruteGap gap_at(World* world, const Course* course, const ScenePair* pair, double t) {
    double values[COURSE_VALUES];
    course_values(course, t, values);
    brute_pose_world(&world->brute, values);
    return brute_body_gap(&world->brute, brute_of(world, pair->body_a), brute_of(world, pair->body_b));
}

// A plane may be tried across any direction: one that served a while ago, in a frame that has turned since.
static Vec3 tilted(Vec3 n, double by, Random* random) {
    const BerthQuat q = bi_random_quat(random);
    return v3_unit_or(v3_mad(n, by, v3(q.x, q.y, q.z)), n);
}

static void watch_pair(BerthMotionChecker* motion, World* world, const Course* course, int32_t index,
                       Span span, Random* random, Tally* tally) {
    const ScenePair* pair = &motion->scene->pairs[motion->pairs[index].pair];
    const PairRates reach = bi_motion_bound_pair_rates(motion, index, span.half);
    double clearance = INFINITY;
    BerthMotionStats stats = {0};
    PairProof proof = {.clearance = &clearance, .stats = &stats};
    const Vec3 across =
        v3_sub(motion->checker->bodies[pair->body_b].centre, motion->checker->bodies[pair->body_a].centre);
    motion->normals[index] = v3_length(across) > 0 ? tilted(v3_unit_or(across, v3(1, 0, 0)),
                                                            bi_random_between(random, 0, 1), random)
                                                   : v3(0, 0, 0);
    const bool free = bi_motion_prove_pair(motion, index, span, &proof) == PAIR_FREE;
    tally->pairs += 1;
    tally->proofs[proof.kind] += free;
    tally->endless += free && motion->pairs[index].endless;
    Real last = 0;
    double last_t = 0;
    for (int k = 0; k < 6; ++k) {
        const double t = span.middle + span.half * (k == 0   ? -1
                                                    : k == 5 ? 1
                                                             : bi_random_between(random, -1, 1));
        const BruteGap gap = gap_at(world, course, pair, t);
        tally->samples += 1;
        if (free && !(gap.upper >= (Real)clearance - 1e-12L)) {
            fail_msg("pair %d (%s, %s), span %.17g +- %g: %.17g is proven (kind %d), at %.17g it is %.17Lg",
                     index, brute_of(world, pair->body_a)->name, brute_of(world, pair->body_b)->name,
                     span.middle, span.half, clearance, proof.kind, t, gap.upper);
        }
        // Gaps, where they are known to the last digits: no faster than promised.
        if (gap.lower > 0 && gap.upper - gap.lower < 1e-12L && reach.speed < 1e6) {
            const double change = k > 0 && last > 0 ? (double)fabsl(gap.upper - last) : 0.0;
            const double most = reach.speed * fabs(t - last_t);
            tally->gaps += 1;
            tally->steepest = most > 1e-6 ? fmax(tally->steepest, change / most) : tally->steepest;
            if (k > 0 && last > 0 && !(change <= most * (1 + 1e-9) + 1e-11)) {
                fail_msg("pair %d (%s, %s): the gap changes by %g from %.17g to %.17g, promised was %g",
                         index, brute_of(world, pair->body_a)->name, brute_of(world, pair->body_b)->name,
                         change, last_t, t, most);
            }
            last = gap.upper;
            last_t = t;
        } else {
            last = 0;
        }
    }
}

static void test_pairs(void** state) {
    (void)state;
    Tally tally = {0};
    for (int w = 0; w < test_scaled(500); ++w) {
        Random random = {(uint64_t)w + 95000};
        const WorldPlan plan = {.style = WORLD_CONVEX,
                                .robots = 1 + pick(&random, 2),
                                .joints = 3 + pick(&random, 5),
                                .objects = 1 + pick(&random, 3),
                                .no_padding = true};
        World* world = world_make(&random, &plan);
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        BerthMotionChecker* motion = NULL;
        assert_int_equal(berth_motion_checker_create(world->scene, &def, &motion), BERTH_OK);
        for (int i = 0; i < 4 && motion->pair_count > 0; ++i) {
            Course course;
            if (i % 2 == 0) {
                any_course(&random, world, &course);
            } else {
                wild_course(&random, world, &course);
            }
            const BerthSegment segment = course_segment(&course);
            const int level = pick(&random, 6);
            const double width = ldexp(1, -level);
            const Span span = {((double)pick(&random, 1 << level) + 0.5) * width, 0.5 * width};
            for (int k = 0; k < 12; ++k) {
                bi_motion_rates(motion, &segment, span);
                if (!bi_motion_place(motion, span)) {
                    break;
                }
                watch_pair(motion, world, &course, pick(&random, motion->pair_count), span, &random, &tally);
            }
        }
        berth_motion_checker_destroy(motion);
        world_destroy(world);
    }
    print_message(
        "report pairs: %lld pairs on intervals, proven by %lld balls, %lld planes, %lld distances, %lld "
        "half-spaces; "
        "%lld with a half-space that moves; %lld samples, %lld gaps, at most %.3f of the promised speed\n",
        (long long)tally.pairs, (long long)tally.proofs[PROOF_BALLS], (long long)tally.proofs[PROOF_PLANE],
        (long long)tally.proofs[PROOF_DISTANCE], (long long)tally.proofs[PROOF_HALF_SPACE],
        (long long)tally.endless, (long long)tally.samples, (long long)tally.gaps, tally.steepest);
    assert_true(tally.steepest > 0.8 || test_scaled(100) < 100);
}

// A ball on an arm that turns about an axis that slides: along a rail, or as a planar joint does. The ball at the origin is near
// that axis at the middle, and far from it at the ends.
static void test_rail(void** state) {
    (void)state;
    Random random = {6};
    double steepest = 0, nearer = 0;
    for (int n = 0; n < test_scaled(3000); ++n) {
        const bool planar = n % 2 == 0;
        Kit kit = kit_new();
        const int rail = kit_link(&kit, 0, planar ? BERTH_JOINT_PLANAR : BERTH_JOINT_PRISMATIC,
                                  planar ? v3(0, 0, 1) : v3(1, 0, 0), v3(0, 0, 0));
        const int arm = planar ? rail : kit_link(&kit, rail, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
        const double length = bi_random_between(&random, 0.1, 1), radius = 0.01;
        kit_solid(&kit, arm, kit_ball(radius), v3(length, 0, 0));
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_ball(radius), kit_at(0, 0, 0), NULL);
        kit_commit(&kit);
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        BerthMotionChecker* motion = NULL;
        assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
        const double slide = bi_random_between(&random, 0, 2), turn = bi_random_between(&random, -8, 8);
        const double start = bi_random_between(&random, -3, 3);
        const double from[3] = {-0.5 * slide, planar ? 0 : start, start};
        const double to[3] = {0.5 * slide, planar ? 0 : start + turn, start + turn};
        const BerthSegment segment = {.value_count = planar ? 3 : 2, .from = from, .to = to};
        const Span span = {0.5, 0.5};
        bi_motion_rates(motion, &segment, span);
        assert_true(bi_motion_place(motion, span));
        const double promised = bi_motion_bound_pair_rates(motion, 0, span.half).speed;
        nearer += promised < slide + (length + radius) * fabs(turn) * (1 - 1e-6);
        for (int k = 0; k <= 40; ++k) {
            const long double t = k / 40.0L, angle = start + t * turn;
            const long double x = -0.5L * slide + t * slide + length * cosl(angle), y = length * sinl(angle);
            const long double vx = slide - length * turn * sinl(angle), vy = length * turn * cosl(angle);
            const double speed = (double)fabsl((x * vx + y * vy) / sqrtl(x * x + y * y));
            steepest = fmax(steepest, speed / promised);
            if (!(speed <= promised * (1 + 1e-9))) {
                fail_msg("rail (planar %d), slide %g, turn %g, arm %g: %g at %g, promised %g", planar, slide,
                         turn, length, speed, (double)t, promised);
            }
        }
        berth_motion_checker_destroy(motion);
        kit_free(&kit);
    }
    print_message(
        "report rail: at most %.3f of the promised speed; the obstacle's side was nearer %.0f times\n",
        steepest, nearer);
    assert_true((steepest > 0.9 && nearer > 10) || test_scaled(100) < 100);
}

// Two cubes on a table that turns; one slides towards the other. A plane that is held in the world, or velocities with the
// table's in them, would be parted by any direction across which the cubes seem to stand still at the middle.
static void test_turning_table(void** state) {
    (void)state;
    Random random = {7};
    int64_t free = 0, planes = 0;
    for (int n = 0; n < test_scaled(400); ++n) {
        const double half = 0.02, apart = bi_random_between(&random, 0.5, 1.5);
        Kit kit = kit_new();
        const int table = kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
        const int slider = kit_link(&kit, table, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
        const BerthVec3 at = v3(bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1), 0);
        kit_solid(&kit, table, kit_box(2 * half, 2 * half, 2 * half), at);
        kit_solid(&kit, slider, kit_box(2 * half, 2 * half, 2 * half), v3_add(at, v3(apart, 0, 0)));
        kit_robot(&kit, NULL);
        kit_commit(&kit);
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        BerthMotionChecker* motion = NULL;
        assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
        for (int k = 0; k < 50; ++k) {
            const double way = bi_random_between(&random, -1, 1) * (apart - 2 * half),
                         turn = bi_random_between(&random, -8, 8);
            const double middle = bi_random_between(&random, -3, 3);
            const double from[2] = {middle - 0.5 * turn, -0.5 * way},
                         to[2] = {middle + 0.5 * turn, 0.5 * way};
            const BerthSegment segment = {.value_count = 2, .from = from, .to = to};
            const Span span = {0.5, 0.5};
            const double least = apart - 2 * half - 0.5 * fabs(way);
            motion->margin = motion->checker->margin = motion->self_margin = motion->checker->self_margin =
                bi_random_between(&random, 0.3, 1.0) * (apart - 2 * half);
            bi_motion_rates(motion, &segment, span);
            assert_true(bi_motion_place(motion, span));
            const double tilt = bi_random_between(&random, -0.5, 0.5);
            const ScenePair* pair = &motion->scene->pairs[motion->pairs[0].pair];
            const double sign =
                motion->scene->bodies[pair->body_a].frame < motion->scene->bodies[pair->body_b].frame ? 1
                                                                                                      : -1;
            motion->normals[0] = v3(sign * cos(middle + tilt), sign * sin(middle + tilt), 0);
            double clearance = INFINITY;
            BerthMotionStats stats = {0};
            PairProof proof = {.clearance = &clearance, .stats = &stats, .recorded = true};
            if (bi_motion_prove_pair(motion, 0, span, &proof) == PAIR_FREE) {
                free += 1;
                planes += proof.kind == PROOF_PLANE;
                if (!(clearance <= least + 1e-12)) {
                    fail_msg("table turns by %g, cube slides by %g of %g: %g proven (kind %d), %g is there",
                             turn, way, apart, clearance, proof.kind, least);
                }
            }
        }
        berth_motion_checker_destroy(motion);
        kit_free(&kit);
    }
    print_message("report turning table: %lld free, %lld of them by planes\n", (long long)free,
                  (long long)planes);
    assert_true((planes > free / 50 && planes > 10) || test_scaled(100) < 100);
}

// A half-space that turns, or turns on a slide, and a ball on a turning arm: gap = n . p - offset - radius, in closed form. What is
// free is proven by every method, and its certificate holds.
static void test_moving_half_space(void** state) {
    (void)state;
    static const BerthMethod methods[] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_ADAPTIVE, BERTH_METHOD_REFINED};
    Random random = {8};
    int64_t verdicts[3] = {0}, certified = 0;
    for (int n = 0; n < test_scaled(600); ++n) {
        Kit kit = kit_new();
        const bool slides = n % 2 == 0;
        const int rail = slides ? kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0)) : 0;
        const int wheel = kit_link(&kit, rail, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
        // On its own, or carried by the half-space's link: then only the arm counts.
        const int arm =
            kit_link(&kit, n % 3 == 0 ? wheel : 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(1.5, 0, 0));
        const double length = bi_random_between(&random, 0.2, 1), radius = 0.05;
        kit_solid(&kit, arm, kit_ball(radius), v3(length, 0, 0));
        kit_robot(&kit, NULL);
        const double offset = bi_random_between(&random, -0.5, 0.5);
        char name[16];
        snprintf(name, sizeof name, "link%d", wheel);
        kit_object(&kit, kit_plane(v3(1, 0, 0), offset), kit_at(0, 0, 0), name);
        kit_commit(&kit);
        double from[3] = {0}, to[3] = {0};
        const int count = slides ? 3 : 2;
        for (int k = 0; k < count; ++k) {
            const double middle = slides && k == 0 ? 0 : bi_random_between(&random, -1, 1);
            const double way = bi_random_between(&random, -1, 1);
            from[k] = middle - way;
            to[k] = middle + way;
        }
        long double least = INFINITY;
        for (int i = 0; i <= 4000; ++i) {
            const long double t = i / 4000.0L;
            const long double q0 = slides ? from[0] + t * ((long double)to[0] - from[0]) : 0;
            const int w = slides ? 1 : 0;
            const long double turn = from[w] + t * ((long double)to[w] - from[w]);
            const long double bow = from[w + 1] + t * ((long double)to[w + 1] - from[w + 1]);
            // In the wheel's frame or in the world.
            long double x = 1.5L + length * cosl(bow), y = length * sinl(bow);
            if (n % 3 != 0) {
                x -= q0;
                x = cosl(turn) * x + sinl(turn) * y;
            }
            least = fminl(least, x - offset - radius);
        }
        for (int m = 0; m < 3; ++m) {
            BerthMotionCheckerDef def = berth_default_motion_checker_def();
            def.method = methods[m];
            def.delta = n % 4 == 0 ? 0 : 1e-4;
            const BerthMotionResult r = kit_ask(&kit, &def, from, to, NULL, false);
            verdicts[r.verdict] += 1;
            const bool agrees = r.verdict == BERTH_FREE        ? (long double)r.clearance <= least + 1e-12L
                                : r.verdict == BERTH_COLLISION ? least < 1e-5L
                                                               : fabsl(least) < 2e-4L;
            if (!agrees) {
                fail_msg("half-space %d (%s): %s (%s), clearance %g; the gap is %.17Lg", n,
                         berth_method_name(def.method), berth_verdict_name(r.verdict),
                         berth_reason_name(r.reason), r.clearance, least);
            }
        }
        if (least > 1e-3L) {
            BerthMotionCheckerDef def = berth_default_motion_checker_def();
            BerthMotionChecker* motion = NULL;
            BerthCertificate* certificate = NULL;
            assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
            assert_int_equal(berth_certificate_create(motion, NULL, &certificate), BERTH_OK);
            const BerthSegment segment = {.value_count = count, .from = from, .to = to};
            const BerthMotionRequest request = {.certificate = certificate};
            BerthMotionResult r;
            BerthCertificateReport report;
            assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
            assert_int_equal(r.verdict, BERTH_FREE);
            if (proof_verify(certificate, kit.scene, &segment, 1, &def, &report) != BERTH_OK) {
                fail_msg("half-space %d: %s", n, berth_error_text());
            }
            assert_true((long double)report.clearance <= least + 1e-12L);
            certified += 1;
            berth_certificate_destroy(certificate);
            berth_motion_checker_destroy(motion);
        }
        kit_free(&kit);
    }
    print_message("report moving half-spaces: %lld free, %lld hits, %lld unknown; %lld certificates hold\n",
                  (long long)verdicts[BERTH_FREE], (long long)verdicts[BERTH_COLLISION],
                  (long long)verdicts[BERTH_UNKNOWN], (long long)certified);
    assert_true((verdicts[BERTH_FREE] > verdicts[BERTH_UNKNOWN] && certified > 0) || test_scaled(100) < 100);
}

int test_motion_bounds(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),        cmocka_unit_test(test_anywhere),
        cmocka_unit_test(test_global),        cmocka_unit_test(test_folded_arm),
        cmocka_unit_test(test_pairs),         cmocka_unit_test(test_rail),
        cmocka_unit_test(test_turning_table), cmocka_unit_test(test_moving_half_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
