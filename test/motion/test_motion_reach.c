// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Objects that move on their own while a robot moves: everywhere they can have got to. Random robots among random objects, some
// of which are given speeds; what is called free must survive objects that were shifted and turned as far as they can get by
// then, judged by the brute model and by FCL; what is called a collision must be one that a shift reaches. Then examples whose
// answers are known by hand. Over 900 lines because both judges and what they judge are read together.
// test-share: 0.15

#include <berth/path.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include <berth/lab/motion.h>

#include "certificate/certificate.h"
#include "math/math.h"
#include "scene/scene.h"
#include "support/fcl.h"
#include "support/kit.h"
#include "support/segments.h"
#include "support/setting.h"

int test_motion_reach(void);

// ---- random movers --------------------------------------------------------------------------------------------

/// An object of the world that moves, as the sceptic knows it.
typedef struct Mover {
    BruteBody* body;
    double speed, extra;
    double when;  // it comes nearest
    Lv centre;
    double radius;  // around it, of all its parts
} Mover;

typedef struct Trial {
    World* world;
    Course course;
    double start, duration;
    Mover movers[BRUTE_OBJECTS];
    int mover_count;
    SegmentAsk ask;
    BerthMotionLab lab;  // of ADAPTIVE
    double errors[COURSE_VALUES];
} Trial;

typedef struct ReachCount {
    SegmentCount segments;
    int64_t judged, turned, fcl, near, before, uppers, reach_hits, cached, verified, forged, forged_hold,
        unknown_far;
} ReachCount;

static double reach_at(const Trial* trial, const Mover* mover, double t) {
    return mover->extra + mover->speed * (trial->start + t * trial->duration);
}

static void find_ball(Mover* mover) {
    mover->centre = mover->body->parts[0].centre;
    mover->radius = 0.0;
    for (int k = 0; k < mover->body->part_count; ++k) {
        const BrutePart* part = &mover->body->parts[k];
        mover->radius =
            fmax(mover->radius, (double)(lv_length(lv_sub(part->centre, mover->centre)) + part->radius));
    }
}

// The speed at which the object, so much nearer from the start, comes to within the margin of something, and when that is: by
// samples, so the true one may be a little smaller. 0 where there is no room at all.
static double critical_speed(Trial* trial, const Mover* mover, double extra, double* when) {
    enum { SAMPLES = 24 };
    BruteWorld* world = &trial->world->brute;
    double least = INFINITY;
    for (int i = 0; i <= SAMPLES; ++i) {
        const double t = (double)i / SAMPLES;
        const double elapsed = trial->start + t * trial->duration;
        double values[COURSE_VALUES];
        course_values(&trial->course, t, values);
        brute_pose_world(world, values);

        for (int k = 0; k < world->body_count; ++k) {
            if (!brute_is_checked(world, &world->bodies[k], mover->body)) {
                continue;
            }
            const double gap = (double)brute_body_gap(world, &world->bodies[k], mover->body).upper;
            const double speed = fmax(0.0, gap - trial->ask.margin - extra) / fmax(elapsed, 1e-9);
            if (speed < least) {
                least = speed;
                *when = t;
            }
        }
    }
    return least;
}

// Some joints are not quite where they should be. Orientations are: an error of theirs is no rotation.
static void choose_errors(Trial* trial, Random* random) {
    const double size = segment_pick(random, 4) == 0 ? segment_log_between(random, 1e-5, 1e-2) : 0.0;
    for (int i = 0; i < trial->course.count; ++i) {
        trial->errors[i] = size * bi_random_between(random, 0, 1);
    }
    for (int k = 0; k < trial->course.quat_count; ++k) {
        memset(trial->errors + trial->course.quats[k], 0, 4 * sizeof *trial->errors);
    }
}

// Some of the objects move, most of them about as far as there is room.
static void choose_movers(Trial* trial, Random* random) {
    static const double shares[8] = {0.5, 0.9, 0.98, 0.995, 0.9999, 1.0001, 1.1, 0.0};
    World* world = trial->world;
    trial->mover_count = 0;

    for (int i = 0; i < world->brute.body_count; ++i) {
        BruteBody* body = &world->brute.bodies[i];
        if (body->object < 0 || body->robot >= 0) {
            continue;
        }
        SceneObject* object = &world->scene->objects[world->ids[body->object].slot];
        object->moving = object->person = false;
        if (segment_pick(random, 3) == 0) {
            continue;
        }
        Mover* mover = &trial->movers[trial->mover_count++];
        *mover = (Mover){.body = body};
        const bool person = segment_pick(random, 3) == 0;
        mover->extra = person ? segment_log_between(random, 1e-4, 0.3) : 0.0;
        const double speed = critical_speed(trial, mover, mover->extra, &mover->when);
        mover->speed = isfinite(speed) ? speed * shares[segment_pick(random, 8)] : 1.0;
        mover->speed = segment_pick(random, 60) == 0 ? 1e6 : fmin(mover->speed, 1e6);
        find_ball(mover);

        const double ahead = bi_random_between(random, 0, 1) * mover->extra;
        object->moving = !person;
        object->person = person;
        object->speed = mover->speed;
        object->intrusion = ahead;
        object->uncertainty = mover->extra - ahead;
        mover->extra = object->intrusion + object->uncertainty;
    }
    assert_int_equal(berth_scene_commit(world->scene), BERTH_OK);
}

static BerthSegment timed_segment(const Trial* trial) {
    BerthSegment segment = course_segment(&trial->course);
    segment.timed = true;
    segment.start = trial->start;
    segment.duration = trial->duration;
    return segment;
}

// ---- where a mover can be -------------------------------------------------------------------------------------

// Turned by `angle` about an axis through `centre`, then shifted.
static Lpose turn_and_shift(Lv axis, Real angle, Lv centre, Lv shift) {
    const Real c = cosl(angle), s = sinl(angle);
    const Lv columns[3] = {lv(1, 0, 0), lv(0, 1, 0), lv(0, 0, 1)};
    Lv turned[3];
    for (int k = 0; k < 3; ++k) {
        const Lv e = columns[k];
        const Lv cross =
            lv(axis.y * e.z - axis.z * e.y, axis.z * e.x - axis.x * e.z, axis.x * e.y - axis.y * e.x);
        turned[k] =
            lv_add(lv_add(lv_scale(e, c), lv_scale(cross, s)), lv_scale(axis, lv_dot(axis, e) * (1 - c)));
    }
    Lpose pose = {turned[0], turned[1], turned[2], lv(0, 0, 0)};
    pose.t = lv_add(lv_sub(centre, lpose_apply(&pose, centre)), shift);
    return pose;
}

static void place_mover(const Mover* mover, const Lpose* moved) {
    const Lpose pose = lpose_multiply(moved, &mover->body->pose);
    for (int k = 0; k < mover->body->part_count; ++k) {
        brute_pose_part(&mover->body->parts[k], &pose);
    }
}

static Lv random_unit(Random* random) {
    Lv v;
    do {
        v = lv(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1),
               bi_random_between(random, -1, 1));
    } while (!(lv_length(v) > 0.1L && lv_length(v) < 1));
    return lv_scale(v, 1 / lv_length(v));
}

#if BERTH_HAVE_ORACLES
static PeerFcl* fcl_part(const BrutePart* part) {
    if (part->kind == BRUTE_MESH) {
        return peer_fcl_mesh((const double*)part->points, part->point_count, part->triangles,
                             part->triangle_count);
    }
    return part->kind == BERTH_HULL ? NULL : fcl_shape(&part->shape);  // a brute hull has points, not a shape
}

static BerthPose plain_pose(const Lpose* p) {
    return (BerthPose){{(double)p->x.x, (double)p->x.y, (double)p->x.z},
                       {(double)p->y.x, (double)p->y.y, (double)p->y.z},
                       {(double)p->z.x, (double)p->z.y, (double)p->z.z},
                       {(double)p->t.x, (double)p->t.y, (double)p->t.z}};
}

// FCL about two bodies as they are placed: do any of their parts collide?
static bool fcl_collides(const BruteBody* a, const BruteBody* b, ReachCount* count) {
    bool hit = false;
    for (int i = 0; i < a->part_count; ++i) {
        for (int k = 0; k < b->part_count; ++k) {
            PeerFcl* peer_a = fcl_part(&a->parts[i]);
            PeerFcl* peer_b = fcl_part(&b->parts[k]);
            if (peer_a != NULL && peer_b != NULL) {
                double rows_a[12], rows_b[12];
                const BerthPose pose_a = plain_pose(&a->parts[i].world);
                const BerthPose pose_b = plain_pose(&b->parts[k].world);
                fcl_rows(&pose_a, rows_a);
                fcl_rows(&pose_b, rows_b);
                hit = hit || peer_fcl_collide(peer_a, rows_a, peer_b, rows_b);
                count->fcl += 1;
            }
            peer_fcl_destroy(peer_a);
            peer_fcl_destroy(peer_b);
        }
    }
    return hit;
}
#endif

// The pair with the object somewhere within its reach at t: some of the way it turns, and shifts towards the other body with
// what is left (or anywhere, now and then). Returns the padded gap there.
static double gap_within_reach(Trial* trial, const Mover* mover, const BruteBody* other, double reach,
                               Random* random, ReachCount* count) {
    const BruteWorld* world = &trial->world->brute;
    const Real part =
        segment_pick(random, 3) == 0 || !(mover->radius < 1e3) ? 0 : bi_random_between(random, 0, 1);
    const Real angle = mover->radius > 0 ? fminl(3, part * reach / mover->radius) : 0;
    const Real left = fmaxl(0, reach - angle * mover->radius) * (1 - 1e-15L);
    const Lv axis = random_unit(random);

    Lpose moved = turn_and_shift(axis, angle, mover->centre, lv(0, 0, 0));
    place_mover(mover, &moved);
    const BruteGap turned = brute_body_gap(world, other, mover->body);
    const Lv way = lv_sub(turned.point_a, turned.point_b);
    const bool apart = turned.upper + brute_padding(world, other, mover->body) > 0 && lv_length(way) > 0;
    const bool anywhere = !apart || segment_pick(random, 4) == 0;
    const Lv unit = anywhere ? random_unit(random) : lv_scale(way, 1 / lv_length(way));
    // Through the other body is no nearer than at it.
    const Real shift = anywhere ? left : fminl(left, lv_length(way));
    moved = turn_and_shift(axis, angle, mover->centre, lv_scale(unit, shift));
    place_mover(mover, &moved);

    const BruteGap gap = brute_body_gap(world, other, mover->body);
    count->judged += 1;
    count->turned += angle > 1e-3L;
    count->near += gap.upper < 0.05;
    return (double)gap.upper;
}

// ---- judging --------------------------------------------------------------------------------------------------

static double slack_of(const Trial* trial, const Mover* mover, double reach) {
    double turns = 1;
    for (int i = 0; i < trial->course.count; ++i) {
        turns += course_largest(&trial->course, i);
    }
    const double size = trial->world->style == WORLD_FAR ? 2e5 : 10 + fmin((double)mover->radius, 1e3);
    return 4e-15 * turns * (size + reach);
}

// Every mover against every body at some times; the last one too, when they are furthest.
static void judge_free(Trial* trial, const BerthMotionResult* r, Random* random, ReachCount* count) {
    enum { TIMES = 8 };
    BruteWorld* world = &trial->world->brute;
    const double least = fmax(r->clearance, trial->ask.margin);
    for (int k = 0; k < TIMES; ++k) {
        double t = k == 0 ? 1.0 : bi_random_between(random, 0, 1);
        if (k > 2 && trial->mover_count > 0) {  // where one of them was seen to come nearest
            t = fmin(1.0, fmax(0.0, trial->movers[k % trial->mover_count].when +
                                        bi_random_between(random, -0.02, 0.02)));
        }
        double values[COURSE_VALUES];
        course_values(&trial->course, t, values);
        for (int i = 0; i < trial->course.count; ++i) {
            values[i] += bi_random_between(random, -1, 1) * trial->errors[i];
        }
        brute_pose_world(world, values);

        for (int m = 0; m < trial->mover_count; ++m) {
            const Mover* mover = &trial->movers[m];
            const double reach = reach_at(trial, mover, t);
            for (int i = 0; i < world->body_count; ++i) {
                const BruteBody* other = &world->bodies[i];
                if (!brute_is_checked(world, other, mover->body)) {
                    continue;
                }
                const double gap = gap_within_reach(trial, mover, other, reach, random, count);
                if (!(gap > least - slack_of(trial, mover, reach))) {
                    count->segments.refuted += 1;
                    segment_wrong(
                        &count->segments,
                        "FREE (%s, clearance %.12g, margin %g), but %s can be %.12g from %s at %.17g, after "
                        "%g m",
                        berth_method_name(trial->ask.method), r->clearance, trial->ask.margin,
                        mover->body->name, gap, other->name, t, reach);
                }
#if BERTH_HAVE_ORACLES
                // Round shapes and FCL are a matter of 1e-3 (peer_fcl.h); its yes is checked where the model says no.
                if (trial->world->style != WORLD_FAR && fcl_collides(other, mover->body, count) &&
                    gap > 3e-3) {
                    segment_wrong(&count->segments, "FREE, but FCL says that %s collides with %s (gap %g)",
                                  mover->body->name, other->name, gap);
                }
#endif
            }
            const Lpose home = turn_and_shift(lv(0, 0, 1), 0, lv(0, 0, 0), lv(0, 0, 0));
            place_mover(mover, &home);
        }
    }
}

static Mover* mover_of(Trial* trial, int index) {
    for (int m = 0; m < trial->mover_count; ++m) {
        if (trial->movers[m].body->index == index) {
            return &trial->movers[m];
        }
    }
    return NULL;
}

static BruteBody* body_of(Trial* trial, int index) {
    for (int i = 0; i < trial->world->brute.body_count; ++i) {
        if (trial->world->brute.bodies[i].index == index) {
            return &trial->world->brute.bodies[i];
        }
    }
    return NULL;
}

// Nothing touches before the bracket of the earliest contact, as far as objects can get.
static void judge_before(Trial* trial, const BerthMotionResult* r, ReachCount* count) {
    BruteWorld* world = &trial->world->brute;
    for (int k = 1; k <= 16 && r->t_low > 0.0; ++k) {
        const double t = r->t_low * (k / 16.0) * (1.0 - 1e-9);
        double values[COURSE_VALUES];
        course_values(&trial->course, t, values);
        brute_pose_world(world, values);
        for (int i = 0; i < trial->mover_count; ++i) {
            const Mover* mover = &trial->movers[i];
            const double reach = reach_at(trial, mover, t);
            for (int b = 0; b < world->body_count; ++b) {
                if (!brute_is_checked(world, &world->bodies[b], mover->body)) {
                    continue;
                }
                const double gap =
                    (double)brute_body_gap(world, &world->bodies[b], mover->body).upper - reach;
                count->before += 1;
                if (!(gap > trial->ask.margin - slack_of(trial, mover, reach))) {
                    segment_wrong(&count->segments,
                                  "first contact not before %.17g (%s), but %s can touch %s at %.17g: %g",
                                  r->t_low, berth_method_name(trial->ask.method), mover->body->name,
                                  world->bodies[b].name, t, gap);
                }
            }
        }
    }
}

// Straight towards the other body: the object gets near enough.
static void judge_hit(Trial* trial, const BerthMotionResult* r, ReachCount* count) {
    double values[COURSE_VALUES];
    course_values(&trial->course, r->t, values);
    brute_pose_world(&trial->world->brute, values);
    const BruteBody* a = body_of(trial, r->body_a);
    const BruteBody* b = body_of(trial, r->body_b);
    if (a == NULL || b == NULL || !brute_is_checked(&trial->world->brute, a, b)) {
        segment_wrong(&count->segments, "HIT of bodies %d and %d, which are no pair", r->body_a, r->body_b);
        return;
    }

    const Mover* mover = mover_of(trial, r->body_b);
    const double reach = mover != NULL ? reach_at(trial, mover, r->t) : 0.0;
    const BruteGap gap = brute_body_gap(&trial->world->brute, a, b);
    const double size = trial->world->style == WORLD_FAR ? 2e5 : 10;
    const double slack = 1e-11 * (size + reach);
    if (trial->ask.first_contact) {
        judge_before(trial, r, count);
        brute_pose_world(&trial->world->brute, values);
    }
    count->reach_hits += mover != NULL && gap.lower > trial->ask.margin;
    if (!(gap.lower - reach <= trial->ask.margin + slack)) {
        segment_wrong(&count->segments,
                      "HIT of %s and %s at %.17g, but the gap is %.9Lg and %.9g is all it moves", a->name,
                      b->name, r->t, gap.lower, reach);
    }
}

// What was measured is there: with the object as near as it can be at that time.
static void judge_upper(Trial* trial, const BerthMotionResult* r, ReachCount* count) {
    const BerthClearance* c = &r->environment;
    const BruteBody* a = body_of(trial, c->body_a);
    const BruteBody* b = body_of(trial, c->body_b);
    bool exact = true;
    for (int i = 0; i < trial->course.count; ++i) {
        exact = exact && trial->errors[i] == 0.0;
    }
    if (a == NULL || b == NULL || !exact) {
        return;
    }
    double values[COURSE_VALUES];
    course_values(&trial->course, c->t, values);
    brute_pose_world(&trial->world->brute, values);
    const Mover* mover = mover_of(trial, c->body_b);
    const double reach = mover != NULL ? reach_at(trial, mover, c->t) : 0.0;
    const double gap = (double)brute_body_gap(&trial->world->brute, a, b).lower - reach;
    const double slack = 1e-11 * ((trial->world->style == WORLD_FAR ? 2e5 : 10) + reach);
    count->uppers += mover != NULL;
    if (!(gap <= c->upper + slack) || !(c->lower <= c->upper)) {
        segment_wrong(&count->segments,
                      "clearance from %.12g to %.12g at %.17g, but %s is %.12g from %s there", c->lower,
                      c->upper, c->t, a->name, gap, b->name);
    }
}

// UNKNOWN where samples leave more than the band is counted: a few are allowed, since samples see less than there is.
static void judge_unknown(Trial* trial, const BerthMotionResult* r, ReachCount* count) {
    BruteWorld* world = &trial->world->brute;
    double least = INFINITY;
    for (int k = 0; k <= 40; ++k) {
        double values[COURSE_VALUES];
        course_values(&trial->course, k / 40.0, values);
        brute_pose_world(world, values);
        for (int i = 0; i < world->body_count; ++i) {
            for (int j = 0; j < world->body_count; ++j) {
                if (i != j && brute_is_checked(world, &world->bodies[i], &world->bodies[j])) {
                    const Mover* mover = mover_of(trial, world->bodies[j].index);
                    const double reach = mover != NULL ? reach_at(trial, mover, k / 40.0) : 0.0;
                    least = fmin(
                        least,
                        (double)brute_body_gap(world, &world->bodies[i], &world->bodies[j]).upper - reach);
                }
            }
        }
    }
    count->unknown_far +=
        least > trial->ask.margin + trial->ask.delta + 0.02 && r->reason == BERTH_REASON_TOO_CLOSE;
}

static void judge(Trial* trial, const BerthMotionResult* r, Random* random, ReachCount* count) {
    count->segments.asks += 1;
    count->segments.free += r->verdict == BERTH_FREE;
    count->segments.hits += r->verdict == BERTH_COLLISION;
    count->segments.unknown += r->verdict == BERTH_UNKNOWN;
    count->segments.budget += r->verdict == BERTH_UNKNOWN && r->reason == BERTH_REASON_BUDGET;
    if (r->verdict == BERTH_FREE) {
        judge_free(trial, r, random, count);
    } else if (r->verdict == BERTH_COLLISION) {
        judge_hit(trial, r, count);
    } else {
        judge_unknown(trial, r, count);
    }
}

// ---- asking in every way --------------------------------------------------------------------------------------

static BerthMotionChecker* reach_motion(const Trial* trial) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.margin = trial->ask.margin;
    def.delta = trial->ask.delta;
    def.method = trial->ask.method;
    def.moving = BERTH_MOVING_REACH;
    def.interval_budget = 30000;
    def.lab = &trial->lab;
    def.tracking_error = trial->errors;
    BerthMotionChecker* motion = NULL;
    assert_int_equal(berth_motion_checker_create(trial->world->scene, &def, &motion), BERTH_OK);
    return motion;
}

static BerthMotionResult ask_cache(BerthMotionChecker* motion, const BerthSegment* segment) {
    BerthPathCacheDef def = berth_default_path_cache_def();
    BerthPathCache* cache = NULL;
    BerthMotionResult r;
    int32_t number = -1, where = -1;
    assert_int_equal(berth_path_cache_create(motion, &def, &cache), BERTH_OK);
    assert_int_equal(berth_path_cache_add(cache, segment, &number), BERTH_OK);
    assert_int_equal(berth_path_cache_check(cache, &number, 1, 30000, &where, &r), BERTH_OK);
    berth_path_cache_destroy(cache);
    return r;
}

// A certificate of the segment, held against other times: as it is, and with its own times and hash put right.
static void try_certificate(Trial* trial, BerthMotionChecker* motion, const BerthSegment* segment,
                            Random* random, ReachCount* count) {
    BerthCertificate* certificate = NULL;
    BerthMotionResult r;
    BerthCertificateReport report;
    assert_int_equal(berth_certificate_create(motion, NULL, &certificate), BERTH_OK);
    const BerthMotionRequest request = {.certificate = certificate};
    assert_int_equal(berth_motion_check_segment(motion, segment, &request, &r), BERTH_OK);
    if (r.verdict != BERTH_FREE) {
        berth_certificate_destroy(certificate);
        return;
    }

    BerthVerifyDef def = berth_default_verify_def();
    def.margin = trial->ask.margin;
    def.tracking_error = trial->errors;
    def.moving = BERTH_MOVING_REACH;
    if (berth_certificate_verify(certificate, trial->world->scene, segment, 1, &def, &report) != BERTH_OK) {
        segment_wrong(&count->segments, "a certificate does not hold: %s", berth_error_text());
    }
    assert_int_equal(report.moving, BERTH_MOVING_REACH);
    count->verified += 1;

    // Other times are another motion.
    BerthSegment longer = *segment;
    longer.duration *= bi_random_between(random, 1.0001, 3);
    assert_int_equal(berth_certificate_verify(certificate, trial->world->scene, &longer, 1, &def, &report),
                     BERTH_ERR_ARGUMENT);
    BerthSegment untimed = *segment;
    untimed.timed = false;
    assert_int_equal(berth_certificate_verify(certificate, trial->world->scene, &untimed, 1, &def, &report),
                     BERTH_ERR_ARGUMENT);

    // Forged: what passes must be true of the longer motion.
    certificate->segments[0].duration = longer.duration;
    bi_certificate_hash_segment(&longer, BERTH_MOVING_REACH, certificate->segments[0].hash);
    count->forged += 1;
    if (berth_certificate_verify(certificate, trial->world->scene, &longer, 1, &def, &report) == BERTH_OK) {
        const double before = trial->duration;
        count->forged_hold += 1;
        trial->duration = longer.duration;
        const BerthMotionResult claimed = {.verdict = BERTH_FREE, .clearance = report.clearance};
        judge_free(trial, &claimed, random, count);
        trial->duration = before;
    }
    berth_certificate_destroy(certificate);
}

static void try_segment(Trial* trial, Random* random, int turn, ReachCount* count) {
    BerthMotionChecker* motion = reach_motion(trial);
    const BerthSegment segment = timed_segment(trial);
    BerthMotionResult r;
    const BerthMotionRequest request = {.first_contact = turn % 4 == 1, .sharp_clearance = turn % 4 == 2};
    count->segments.segments += 1;
    assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
    trial->ask.first_contact = request.first_contact;
    judge(trial, &r, random, count);
    trial->ask.first_contact = false;
    if (request.sharp_clearance && r.verdict == BERTH_FREE) {
        judge_upper(trial, &r, count);
    }
    if (turn % 3 == 0) {
        const BerthMotionResult cached = ask_cache(motion, &segment);
        judge(trial, &cached, random, count);
        count->cached += 1;
    }
    if (turn % 3 == 1 && r.verdict == BERTH_FREE) {
        try_certificate(trial, motion, &segment, random, count);
    }
    berth_motion_checker_destroy(motion);
}

static void random_reaches(WorldStyle style, int worlds, const char* what) {
    ReachCount count = {.segments = {.what = what}};
    static const double deltas[5] = {1e-4, 1e-4, 1e-3, 1e-6, 0.0};
    static const double starts[4] = {0.0, 0.0, 1.5, 1e4};
    for (int w = 0; w < worlds; ++w) {
        Random random = {(uint64_t)(w * 10 + (int)style + 4242)};
        count.segments.seed = w;
        Trial* trial = test_calloc(1, sizeof *trial);
        trial->world = segment_world(&random, style);
        for (int i = 0; i < 6; ++i) {
            BerthChecker* checker = segment_checker(trial->world->scene);
            trial->ask = segment_random_ask(&random);
            trial->ask.delta = deltas[segment_pick(&random, 5)];
            trial->lab = berth_default_motion_lab();
            if (trial->ask.method == BERTH_METHOD_ADAPTIVE) {
                trial->lab.distance = (BerthDistanceWork)segment_pick(&random, BERTH_DISTANCE_COLLISION);
                trial->lab.cover =
                    (BerthCover)((w + i) % 3 == 1 ? 0 : segment_pick(&random, BERTH_COVER_COUNT));
            }
            trial->start = starts[segment_pick(&random, 4)];
            trial->duration = segment_log_between(&random, 1e-2, 30);
            segment_free(&random, trial->world, checker, &trial->course);
            berth_checker_destroy(checker);
            choose_movers(trial, &random);
            choose_errors(trial, &random);
            try_segment(trial, &random, w + i, &count);
        }
        world_destroy(trial->world);
        test_free(trial);
    }
    print_message(
        "report reach %s: %lld judged (%lld turned, %lld within 5 cm), %lld by FCL, %lld before contacts, "
        "%lld upper bounds; %lld hits only by reach, "
        "%lld "
        "asked by cache, %lld certificates hold, %lld of %lld forged ones too; %lld unknown far away\n",
        what, (long long)count.judged, (long long)count.turned, (long long)count.near, (long long)count.fcl,
        (long long)count.before, (long long)count.uppers, (long long)count.reach_hits,
        (long long)count.cached, (long long)count.verified, (long long)count.forged_hold,
        (long long)count.forged, (long long)count.unknown_far);
    segment_settle(&count.segments);
    assert_true(count.unknown_far * 20 <= count.segments.asks);
    if (worlds >= 20) {
        assert_true(count.judged > 500 && count.reach_hits > 0 && count.verified > 0);
        assert_true(count.forged_hold < count.forged);
    }
}

static void test_convex(void** state) {
    (void)state;
    random_reaches(WORLD_CONVEX, test_scaled(400), "convex");
}

static void test_plain(void** state) {
    (void)state;
    random_reaches(WORLD_PLAIN, test_scaled(60), "plain");
}

static void test_grid(void** state) {
    (void)state;
    random_reaches(WORLD_GRID, test_scaled(40), "grid");
}

static void test_uneven(void** state) {
    (void)state;
    random_reaches(WORLD_UNEVEN, test_scaled(40), "uneven");
}

static void test_sliding(void** state) {
    (void)state;
    random_reaches(WORLD_SLIDING, test_scaled(40), "sliding");
}

// ---- known by hand --------------------------------------------------------------------------------------------

// A ball of 10 cm on a slide along x, and a base of 10 cm at x = -3; the cart, a ball of 20 cm, begins at x = `at`.
static Kit slide_and_cart(double at, double speed, bool person) {
    Kit kit = kit_new();
    const int base = 0;
    const int slide = kit_link(&kit, base, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
    kit_solid(&kit, base, kit_ball(0.1), v3(-3, 0, 0));
    kit_solid(&kit, slide, kit_ball(0.1), v3(0, 0, 0));
    kit_robot(&kit, NULL);
    const BerthObjectId id = kit_object(&kit, kit_ball(0.2), kit_at(at, 0, 0), NULL);
    SceneObject* object = &kit.scene->objects[id.slot];
    object->moving = !person;
    object->person = person;
    object->speed = speed;
    object->intrusion = person ? 0.2 : 0.0;
    object->uncertainty = person ? 0.1 : 0.0;
    kit_commit(&kit);
    return kit;
}

static BerthMotionResult ask_times(const Kit* kit, BerthMethod method, double from, double to, double start,
                                   double duration) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.moving = BERTH_MOVING_REACH;
    def.method = method;
    BerthMotionChecker* motion = NULL;
    assert_int_equal(berth_motion_checker_create(kit->scene, &def, &motion), BERTH_OK);
    const BerthSegment segment = {
        .value_count = 1, .from = &from, .to = &to, .timed = true, .start = start, .duration = duration};
    const BerthMotionRequest request = {.first_contact = true};
    BerthMotionResult r;
    assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
    berth_motion_checker_destroy(motion);
    return r;
}

// The slide waits at 0, the cart comes from 1 m with 0.1 m/s: the gap of 0.7 m lasts 7 s.
static void cart_arrives_while_the_robot_waits(void** state) {
    (void)state;
    Kit kit = slide_and_cart(1.0, 0.1, false);
    for (int k = 0; k < SEGMENT_METHODS; ++k) {
        const BerthMethod method = segment_methods[k];
        assert_int_equal(ask_times(&kit, method, 0, 0, 0, 6.99).verdict, BERTH_FREE);
        assert_int_equal(ask_times(&kit, method, 0, 0, 3, 3.99).verdict, BERTH_FREE);
        const BerthMotionResult r = ask_times(&kit, method, 0, 0, 0, 10.0);
        assert_int_equal(r.verdict, BERTH_COLLISION);
        assert_true(r.t_low <= 0.7 + 1e-9 && r.t_high >= 0.7 - 1e-9 && r.t_high - r.t_low < 2e-3);
        assert_int_equal(ask_times(&kit, method, 0, 0, 3, 4.01).verdict, BERTH_COLLISION);
    }
    kit_free(&kit);
}

static void stand_at_nought(void* user, double t, double* values) {
    (void)user;
    (void)t;
    values[0] = 0.0;
}

// The same when a function says where the slide is.
static void cart_arrives_at_a_function(void** state) {
    (void)state;
    Kit kit = slide_and_cart(1.0, 0.1, false);
    const double zero = 0.0;
    const BerthMotionFunction function = {.values = stand_at_nought, .speeds = &zero};
    for (int k = 0; k < 2 * SEGMENT_METHODS; ++k) {
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        def.moving = BERTH_MOVING_REACH;
        def.method = segment_methods[k / 2];
        BerthMotionChecker* motion = NULL;
        assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
        const BerthSegment segment = {.value_count = 1,
                                      .from = &zero,
                                      .to = &zero,
                                      .timed = true,
                                      .start = 2.0,
                                      .duration = k % 2 == 0 ? 4.99 : 5.01};
        const BerthMotionRequest request = {.function = &function};
        BerthMotionResult r;
        assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
        assert_int_equal(r.verdict, k % 2 == 0 ? BERTH_FREE : BERTH_COLLISION);
        berth_motion_checker_destroy(motion);
    }
    kit_free(&kit);
}

// The base is 3.7 m from it and never moves: so nor does its pair with anything that stands.
static void cart_reaches_the_base(void** state) {
    (void)state;
    Kit kit = slide_and_cart(1.0, 1.0, false);
    for (int k = 0; k < SEGMENT_METHODS; ++k) {
        const BerthMotionResult r = ask_times(&kit, segment_methods[k], 10.0, 20.0, 0, 3.69);
        assert_int_equal(r.verdict, BERTH_FREE);
        assert_true(r.clearance <= 0.01 + 1e-9 && r.clearance > 0.0);
        assert_int_equal(ask_times(&kit, segment_methods[k], 10.0, 20.0, 0, 3.71).verdict, BERTH_COLLISION);
    }
    kit_free(&kit);
}

// The slide runs away as fast as the cart comes: the gap stays, and one interval proves it to second order.
static void running_away_keeps_the_gap(void** state) {
    (void)state;
    Kit kit = slide_and_cart(-0.35, 1.0, false);  // a gap of 5 cm
    for (int k = 0; k < SEGMENT_METHODS; ++k) {
        const BerthMotionResult r = ask_times(&kit, segment_methods[k], 0, 2.0, 0, 2.0);
        assert_int_equal(r.verdict, BERTH_FREE);
        assert_true(r.clearance <= 0.05 + 1e-12);
        assert_int_equal(ask_times(&kit, segment_methods[k], 0, 1.9, 0, 2.0).verdict, BERTH_COLLISION);
    }
    kit_free(&kit);
}

// Intrusion and uncertainty count from the start, speed 0 included.
static void a_person_is_nearer_from_the_start(void** state) {
    (void)state;
    for (int k = 0; k < SEGMENT_METHODS; ++k) {
        Kit near = slide_and_cart(0.59, 0.0, true);  // 0.29 m from the slide
        Kit far = slide_and_cart(0.61, 0.0, true);
        const BerthMotionResult r = ask_times(&near, segment_methods[k], 0, -1, 0, 1);
        assert_int_equal(r.verdict, BERTH_COLLISION);
        assert_true(r.t_low == 0.0);
        assert_int_equal(ask_times(&far, segment_methods[k], 0, -1, 0, 1).verdict, BERTH_FREE);
        kit_free(&near);
        kit_free(&far);
    }
}

static void speeds_nought_and_huge(void** state) {
    (void)state;
    Kit still = slide_and_cart(1.0, 0.0, false);
    Kit fast = slide_and_cart(1.0, 1e7, false);
    for (int k = 0; k < SEGMENT_METHODS; ++k) {
        assert_int_equal(ask_times(&still, segment_methods[k], 0, 0.69, 1e9, 1e9).verdict, BERTH_FREE);
        assert_int_equal(ask_times(&still, segment_methods[k], 0, 0.71, 1e9, 1e9).verdict, BERTH_COLLISION);
        assert_int_equal(ask_times(&fast, segment_methods[k], 0, 0, 0, 1e-8).verdict, BERTH_FREE);  // 0.1 m
        assert_int_equal(ask_times(&fast, segment_methods[k], 0, 0, 0, 1e12).verdict, BERTH_COLLISION);
        assert_int_equal(ask_times(&fast, segment_methods[k], 0, 0, 0, 0).verdict, BERTH_FREE);
    }
    kit_free(&still);
    kit_free(&fast);
}

// ---- a trough that comes ---------------------------------------------------------------------------------------

enum { PLATE = 6, TROUGH_POINTS = 3 * (PLATE + 1) * (PLATE + 1), TROUGH_TRIANGLES = 3 * 2 * PLATE * PLATE };

// Two walls at x = -1 and 1 and a floor at z = -1, of small triangles: the hull is around what lies in it, so trees and the
// local method decide.
static BerthSolid* trough(void) {
    static BerthVec3 points[TROUGH_POINTS];
    static int32_t triangles[3 * TROUGH_TRIANGLES];
    int32_t point_count = 0, corner_count = 0;
    for (int plate = 0; plate < 3; ++plate) {
        const int32_t first = point_count;
        for (int i = 0; i <= PLATE; ++i) {
            for (int k = 0; k <= PLATE; ++k) {
                const double u = 2.0 * i / PLATE - 1.0, w = 2.0 * k / PLATE - 1.0;
                points[point_count++] = plate == 2 ? v3(u, w, -1.0) : v3(plate == 0 ? -1.0 : 1.0, u, w);
            }
        }
        for (int i = 0; i < PLATE; ++i) {
            for (int k = 0; k < PLATE; ++k) {
                const int32_t at = first + i * (PLATE + 1) + k, next = at + PLATE + 1;
                const int32_t corners[6] = {at, next, at + 1, at + 1, next, next + 1};
                memcpy(triangles + corner_count, corners, sizeof corners);
                corner_count += 6;
            }
        }
    }
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    assert_int_equal(berth_mesh_create(points, point_count, triangles, corner_count / 3, NULL, &mesh),
                     BERTH_OK);
    assert_int_equal(berth_solid_from_mesh(mesh, NULL, &solid), BERTH_OK);
    return solid;
}

static Kit slide_in_trough(double speed) {
    Kit kit = kit_new();
    const int slide = kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
    kit_solid(&kit, slide, kit_ball(0.1), v3(0, 0, 0));
    kit_robot(&kit, NULL);
    BerthObjectDef def = berth_default_object_def();
    BerthObjectId id;
    def.name = "trough";
    def.solid = trough();
    def.moving = true;
    def.speed = speed;
    assert_int_equal(berth_scene_add_object(kit.scene, &def, &id), BERTH_OK);
    kit_commit(&kit);
    return kit;
}

// The ball goes towards the wall and back, x = p - c (t - q)^2, while the wall comes: the gap less reach,
// 0.9 - x - v (start + t T), is least at t = q + v T / (2 c), within the segment, and that least is chosen.
static void a_ball_dips_while_the_trough_comes(void** state) {
    (void)state;
    static const double offs[8] = {1e-2, 1e-3, 3e-4, 1.5e-5, -1e-6, -1e-5, -1e-3, -3e-2};
    static const double deltas[3] = {0.0, 1e-5, 1e-4};
    Random random = {99};
    int free = 0, hits = 0, unknown = 0;
    for (int n = 0; n < test_scaled(160); ++n) {
        const double speed = segment_log_between(&random, 0.02, 1.0);
        const double start = n % 3 == 0 ? 0.0 : bi_random_between(&random, 0.0, 0.1 / speed);
        const double duration = bi_random_between(&random, 0.01, 0.3) / speed;
        const double c = segment_log_between(&random, 0.2, 1.0), q = bi_random_between(&random, 0.2, 0.6);
        const double at = fmin(1.0, q + speed * duration / (2.0 * c));
        const double off = offs[segment_pick(&random, 8)];
        const double delta = deltas[segment_pick(&random, 3)];
        const double p = 0.9 - off + c * (at - q) * (at - q) - speed * (start + at * duration);
        const BerthCurve curve = {.term = {p - c * q * q, 2.0 * c * q, -c}};
        const double from = curve.term[0], to = curve.term[0] + curve.term[1] + curve.term[2];

        Kit kit = slide_in_trough(speed);
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        def.moving = BERTH_MOVING_REACH;
        def.delta = delta;
        def.method = segment_methods[n % SEGMENT_METHODS];
        BerthMotionChecker* motion = NULL;
        assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
        const BerthSegment segment = {.value_count = 1,
                                      .from = &from,
                                      .to = &to,
                                      .curves = &curve,
                                      .timed = true,
                                      .start = start,
                                      .duration = duration};
        const BerthMotionRequest request = {.sharp_clearance = n % 4 == 0};
        BerthMotionResult r;
        assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
        free += r.verdict == BERTH_FREE;
        hits += r.verdict == BERTH_COLLISION;
        unknown += r.verdict == BERTH_UNKNOWN;
        const bool right = r.verdict == BERTH_UNKNOWN ? off <= delta || r.reason == BERTH_REASON_BUDGET
                                                      : (r.verdict == BERTH_FREE) == (off > 0.0);
        if (!right || (r.verdict == BERTH_FREE && !(r.clearance <= off + 1e-9))) {
            fail_msg("%s, delta %g: %s with clearance %g where the least gap is %g at %g (case %d)",
                     berth_method_name(def.method), delta, berth_verdict_name(r.verdict), r.clearance, off,
                     at, n);
        }
        berth_motion_checker_destroy(motion);
        kit_free(&kit);
    }
    print_message("report trough: %d free, %d hits, %d unknown\n", free, hits, unknown);
    assert_true(free > 0 && hits > 0 && unknown * 5 <= free + hits);
}

// Without times, or with times that are none, there is no answer.
static void times_must_be_there(void** state) {
    (void)state;
    Kit kit = slide_and_cart(1.0, 0.1, false);
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.moving = BERTH_MOVING_REACH;
    BerthMotionChecker* motion = NULL;
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
    BerthPathCacheDef cache_def = berth_default_path_cache_def();
    BerthPathCache* cache = NULL;
    assert_int_equal(berth_path_cache_create(motion, &cache_def, &cache), BERTH_OK);

    const double zero = 0.0;
    const BerthSegment plain = {.value_count = 1, .from = &zero, .to = &zero};
    const struct {
        bool timed;
        double start, duration;
    } bad[] = {{false, 0, 1},
               {true, -1e-9, 1},
               {true, 0, -1e-9},
               {true, (double)NAN, 1},
               {true, 0, (double)NAN},
               {true, (double)INFINITY, 1},
               {true, 0, (double)INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        BerthSegment segment = plain;
        segment.timed = bad[i].timed;
        segment.start = bad[i].start;
        segment.duration = bad[i].duration;
        const BerthMotionRequest request = {0};
        BerthMotionResult r;
        int32_t number = 0;
        assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_ERR_ARGUMENT);
        assert_int_equal(r.verdict, BERTH_UNKNOWN);
        assert_int_equal(berth_path_cache_add(cache, &segment, &number), BERTH_ERR_ARGUMENT);
        assert_int_equal(number, -1);
    }
    berth_path_cache_destroy(cache);
    berth_motion_checker_destroy(motion);

    def.moving = BERTH_MOVING_COUNT;
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_ERR_ARGUMENT);
    kit_free(&kit);
}

// A proof that takes objects as standing is one, and says so; asked for their reach it does not do.
static void a_standing_proof_says_so(void** state) {
    (void)state;
    Kit kit = slide_and_cart(1.0, 0.1, false);
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    BerthCertificate* certificate = NULL;
    BerthMotionResult r;
    BerthCertificateReport report;
    const double from = 0.0, to = 0.5;
    const BerthSegment segment = {
        .value_count = 1, .from = &from, .to = &to, .timed = true, .start = 0.0, .duration = 1.0};
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
    assert_int_equal(berth_certificate_create(motion, NULL, &certificate), BERTH_OK);
    const BerthMotionRequest request = {.certificate = certificate};
    assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
    assert_int_equal(r.verdict, BERTH_FREE);

    BerthVerifyDef asked = berth_motion_verify_def(&def);
    BerthSegment other = segment;
    other.duration = 77.0;  // it is about no times
    assert_int_equal(berth_certificate_verify(certificate, kit.scene, &other, 1, &asked, &report), BERTH_OK);
    assert_int_equal(report.moving, BERTH_MOVING_STAND);
    asked.moving = BERTH_MOVING_REACH;
    assert_int_equal(berth_certificate_verify(certificate, kit.scene, &segment, 1, &asked, &report),
                     BERTH_ERR_ARGUMENT);

    // Called a proof of their reach, with the hash put right: the cart gets 0.2 m nearer within 2 s, so its records do not hold.
    certificate->moving = BERTH_MOVING_REACH;
    other.duration = certificate->segments[0].duration = 2.0;
    bi_certificate_hash_segment(&other, BERTH_MOVING_REACH, certificate->segments[0].hash);
    assert_int_equal(berth_certificate_verify(certificate, kit.scene, &other, 1, &asked, &report),
                     BERTH_ERR_ARGUMENT);
    berth_certificate_destroy(certificate);
    berth_motion_checker_destroy(motion);
    kit_free(&kit);
}

int test_motion_reach(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cart_arrives_while_the_robot_waits),
        cmocka_unit_test(cart_arrives_at_a_function),
        cmocka_unit_test(cart_reaches_the_base),
        cmocka_unit_test(running_away_keeps_the_gap),
        cmocka_unit_test(a_person_is_nearer_from_the_start),
        cmocka_unit_test(speeds_nought_and_huge),
        cmocka_unit_test(a_ball_dips_while_the_trough_comes),
        cmocka_unit_test(times_must_be_there),
        cmocka_unit_test(a_standing_proof_says_so),
        cmocka_unit_test(test_convex),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_sliding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
