// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Certificates: those of free segments hold, on random worlds and on real robots, straight and curved, with margins and
// tracking errors; damaged ones do not. What the verifier computes is true.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "certificate/verify.h"
#include "io/motion/certificate.h"
#include "math/math.h"
#include "support/meshes.h"
#include "support/proofs.h"
#include "support/robots.h"
#include "support/setting.h"

typedef struct Tally {
    int64_t certificates, segments, records, configurations;
    int64_t kinds[PROOF_KIND_COUNT], constants;
    int deepest;
} Tally;

static void count_kinds(const ProofCase* c, Tally* tally) {
    for (int64_t i = 0; i < c->certificate->record_count; ++i) {
        tally->kinds[c->certificate->records[i].kind] += 1;
        tally->deepest = c->certificate->records[i].level > tally->deepest ? c->certificate->records[i].level
                                                                           : tally->deepest;
    }
    tally->constants += c->certificate->constant_count;
}

static void verify_case(const ProofCase* c, const BerthScene* scene, Tally* tally) {
    BerthCertificateReport report;
    const BerthStatus status = proof_verify(c->certificate, scene, c->segments, c->count, &c->def, &report);
    if (status != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    tally->certificates += 1;
    tally->segments += c->count;
    tally->records += report.records;
    tally->configurations += report.configurations;
    count_kinds(c, tally);
}

static void tell(const char* what, const Tally* t) {
    print_message(
        "report %s: %lld certificates of %lld segments hold; %lld records (%lld balls, %lld planes, %lld "
        "distances, %lld half-spaces, %lld constant), %lld configurations, deepest level %d\n",
        what, (long long)t->certificates, (long long)t->segments, (long long)t->records,
        (long long)t->kinds[PROOF_BALLS], (long long)t->kinds[PROOF_PLANE],
        (long long)t->kinds[PROOF_DISTANCE], (long long)t->kinds[PROOF_HALF_SPACE], (long long)t->constants,
        (long long)t->configurations, t->deepest);
}

static void test_random_worlds(void** state) {
    (void)state;
    ProofCase* c = malloc(sizeof *c);
    Tally tally = {0};
    const int count = test_scaled(60);
    for (int seed = 0; seed < count; ++seed) {
        Random random = {(uint64_t)seed * 7919 + 5};
        const WorldPlan plan = {.style = (WorldStyle)(seed % WORLD_STYLE_COUNT),
                                .robots = 1 + seed % 2,
                                .joints = 2 + seed % 5,
                                .objects = 1 + seed % 4};
        World* world = world_make(&random, &plan);
        proof_open(c, world->scene, seed % 3 == 0 ? 0.01 : 0.0, seed % 4 == 0 ? 0.002 : 0.0,
                   seed % 5 == 0 ? BERTH_METHOD_ADAPTIVE : BERTH_METHOD_DEFAULT);
        proof_random(c, world, &random, 30, 6);
        if (c->count > 0) {
            verify_case(c, world->scene, &tally);
        }
        proof_close(c);
        world_destroy(world);
    }
    tell("random worlds", &tally);
    for (int i = 0; i < PROOF_TABLE; ++i) {  // these robots have no proven table
        assert_true(tally.kinds[i] > 0 || count < 60);
    }
    assert_true(tally.segments > count);
    free(c);
}

// ---- the verifier's bounds ------------------------------------------------------------------------------------

typedef struct BoundTally {
    int64_t kinds[PROOF_KIND_COUNT], useful[PROOF_KIND_COUNT], samples, reached, wrong;
    double tightest;  // smallest gap seen less bound, where the bound is positive
} BoundTally;

// How much nearer than it stands the second body of a pair can be at t of the segment: by what was put into its object.
static double reach_of(const Verifier* verifier, const BerthSegment* segment, const ScenePair* pair,
                       double t) {
    const int32_t place = verifier->scene->bodies[pair->body_b].object;
    if (verifier->moving != BERTH_MOVING_REACH || place < 0) {
        return 0.0;
    }
    const SceneObject* object = &verifier->scene->objects[place];
    const double seconds = segment->start + t * segment->duration;
    if (object->person) {
        return object->speed * seconds + object->intrusion + object->uncertainty;
    }
    return object->moving ? object->speed * seconds : 0.0;
}

// Some objects move on their own, some are persons.
static void let_objects_move(BerthScene* scene, Random* random) {
    for (int32_t i = 0; i < scene->object_count; ++i) {
        SceneObject* object = &scene->objects[i];
        if (!object->used || object->robot >= 0) {
            continue;
        }
        const uint64_t kind = bi_random_next(random) % 3;
        object->moving = kind == 1;
        object->person = kind == 2;
        object->speed = bi_random_between(random, 0.0, 0.5);
        object->intrusion = bi_random_between(random, 0.0, 0.05);
        object->uncertainty = bi_random_between(random, 0.0, 0.05);
    }
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
}

// One bound on one interval, against gaps within it with values as far off as the tracking error lets them be, and objects as
// near as they can be.
static void try_bound(const ProofCase* c, const World* world, Verifier* verifier, BerthChecker* checker,
                      Random* random, BoundTally* tally) {
    const BerthScene* scene = world->scene;
    CertificateRecord record = {.kind = (uint8_t)(bi_random_next(random) % PROOF_KIND_COUNT), .bound = 100.0};
    record.pair = (int32_t)(bi_random_next(random) % (uint64_t)scene->pair_count);
    record.level = (uint8_t)(bi_random_next(random) % 8);
    record.index = bi_random_next(random) % ((uint64_t)1 << record.level);
    const ScenePair* pair = &scene->pairs[record.pair];
    if (bi_certificate_is_constant(scene, record.pair, verifier->moving)) {
        return;
    }
    const double half = 0.5 / (double)((uint64_t)1 << record.level);
    const double middle = ((double)record.index + 0.5) * 2.0 * half;
    double values[PROOF_VALUES];
    double gradient[PROOF_VALUES];
    BerthGapGradient found;
    berth_segment_values(scene, &c->segments[0], middle, values);
    if (berth_check_gradient(checker, values, pair->body_a, pair->body_b, gradient, &found) != BERTH_OK) {
        return;
    }
    // Any direction may be claimed: the one across the gap, or one that is tilted against it.
    const BerthQuat off = bi_random_quat(random);
    const Vec3 across = v3_unit_or(v3_sub(found.gap.point_b, found.gap.point_a), v3(0, 0, 1));
    record.direction =
        v3_unit_or(v3_mad(across, bi_random_between(random, 0, 0.5), v3(off.x, off.y, off.z)), across);
    bi_verify_place(verifier, &c->segments[0], middle, half);
    const double bound = bi_verify_bound(verifier, &record);
    tally->kinds[record.kind] += 1;
    if (!(bound > 0.0)) {
        return;
    }
    tally->useful[record.kind] += 1;
    for (int i = 0; i < 6; ++i) {
        const double t =
            i < 2 ? middle + (2 * i - 1) * half : bi_random_between(random, middle - half, middle + half);
        berth_segment_values(scene, &c->segments[0], t, values);
        for (int k = 0; k < c->value_count; ++k) {
            values[k] += (bi_random_next(random) & 1 ? 1.0 : -1.0) * c->errors[k];
        }
        const BerthStatus status =
            berth_check_gradient(checker, values, pair->body_a, pair->body_b, gradient, &found);
        if (status == BERTH_OK) {
            const double reach = reach_of(verifier, &c->segments[0], pair, t);
            tally->samples += 1;
            tally->reached += reach > 0.0;
            tally->tightest = fmin(tally->tightest, found.gap.upper - reach - bound);
            tally->wrong += !(found.gap.upper - reach >= bound);
        }
    }
}

static void test_bounds_are_true(void** state) {
    (void)state;
    ProofCase* c = malloc(sizeof *c);
    BoundTally tally = {.tightest = INFINITY};
    const int count = test_scaled(400);
    for (int seed = 0; seed < count; ++seed) {
        Random random = {(uint64_t)seed * 6151 + 3};
        const WorldPlan plan = {.style = (WorldStyle)(seed % WORLD_STYLE_COUNT),
                                .robots = 1 + seed % 2,
                                .joints = 1 + seed % 6,
                                .objects = 1 + seed % 4};
        World* world = world_make(&random, &plan);
        const BerthMoving moving = seed % 4 < 2 ? BERTH_MOVING_REACH : BERTH_MOVING_STAND;
        if (moving == BERTH_MOVING_REACH) {
            let_objects_move(world->scene, &random);
        }
        proof_open(c, world->scene, 0.0, seed % 2 == 0 ? 0.01 : 0.0, BERTH_METHOD_DEFAULT);
        BerthChecker* checker = NULL;
        const BerthCheckerDef def = berth_default_checker_def();
        assert_int_equal(berth_checker_create(world->scene, &def, &checker), BERTH_OK);
        Verifier verifier;
        assert_int_equal(bi_verify_open(&verifier, world->scene, c->errors, moving, NULL), BERTH_OK);
        for (int i = 0; i < 10 && world->scene->pair_count > 0; ++i) {
            world_values(world, &random, c->from[0]);
            world_values(world, &random, c->to[0]);
            proof_make_segment(c, 0, i % 3 == 0, &random);
            c->segments[0].timed = true;
            c->segments[0].start = i % 2 == 0 ? 0.0 : bi_random_between(&random, 0.0, 0.5);
            c->segments[0].duration = bi_random_between(&random, 0.0, 1.0);
            for (int k = 0; k < 10; ++k) {
                try_bound(c, world, &verifier, checker, &random, &tally);
            }
        }
        bi_verify_close(&verifier);
        berth_checker_destroy(checker);
        proof_close(c);
        world_destroy(world);
    }
    print_message(
        "report bounds: balls %lld of %lld positive, planes %lld of %lld, distances %lld of %lld, "
        "half-spaces "
        "%lld of %lld; %lld samples, %lld of them with objects that moved, %lld below their bound; nearest "
        "%.3g m\n",
        (long long)tally.useful[0], (long long)tally.kinds[0], (long long)tally.useful[1],
        (long long)tally.kinds[1], (long long)tally.useful[2], (long long)tally.kinds[2],
        (long long)tally.useful[3], (long long)tally.kinds[3], (long long)tally.samples,
        (long long)tally.reached, (long long)tally.wrong, tally.tightest);
    assert_int_equal(tally.wrong, 0);
    for (int i = 0; i < PROOF_TABLE; ++i) {
        assert_true(tally.useful[i] > 0 || count < 100);
    }
    free(c);
}

// ---- real robots -----------------------------------------------------------------------------------------------

static BerthScene* robot_scene(const TestRobot* which) {
    BerthRobot* robot = test_read_robot(which, true, true);
    if (robot == NULL) {
        return NULL;
    }
    BerthScene* scene = NULL;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = robot;
    def.own = true;
    assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
    const BerthVec3 at[3] = {{0.7, 0.3, 0.4}, {-0.5, 0.4, 0.6}, {0.2, -0.7, 0.3}};
    for (int i = 0; i < 3; ++i) {
        char name[16];
        snprintf(name, sizeof name, "block%d", i);
        BerthObjectDef object = berth_default_object_def();
        BerthShape shape;
        assert_int_equal(berth_shape_box((BerthVec3){0.2, 0.2, 0.2}, &shape), BERTH_OK);
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &object.solid), BERTH_OK);
        object.name = name;
        object.pose.t = at[i];
        BerthObjectId id;
        assert_int_equal(berth_scene_add_object(scene, &object, &id), BERTH_OK);
    }
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    return scene;
}

// Goes from state to state along free segments, 41 of them at most, and writes how large the file is.
static void walk_robot(const TestRobot* which, Tally* tally) {
    BerthScene* scene = robot_scene(which);
    if (scene == NULL) {
        return;
    }
    ProofCase* c = malloc(sizeof *c);
    Random random = {41};
    proof_open(c, scene, 0.0, 0.0, BERTH_METHOD_DEFAULT);
    double from[PROOF_VALUES];
    double to[PROOF_VALUES];
    memcpy(from, berth_scene_values(scene), (size_t)c->value_count * sizeof *from);
    for (int i = 0; i < 3000 && c->count < 41; ++i) {
        if (c->count == 0) {  // a state to start from
            bi_robot_random_values(scene->robots[0].robot, &random, from);
        }
        for (int k = 0; k < c->value_count; ++k) {
            to[k] = from[k] + bi_random_between(&random, -0.25, 0.25);
        }
        if (berth_scene_check_values(scene, to, NULL, NULL) == BERTH_OK &&
            proof_add(c, from, to, i % 2 == 1, &random)) {
            memcpy(from, to, sizeof from);
        }
    }
    if (c->count > 0) {
        FileBytes bytes;
        assert_int_equal(bi_io_certificate_to_bytes("memory", c->certificate, scene, NULL, &bytes), BERTH_OK);
        const int64_t before = tally->records;
        verify_case(c, scene, tally);
        print_message("report %s: %d segments, %d pairs, %lld records, %zu bytes\n", which->name, c->count,
                      (int)scene->pair_count, (long long)(tally->records - before), bytes.size);
        bi_io_free_file(&bytes);
    }
    proof_close(c);
    free(c);
    berth_scene_destroy(scene);
}

static void test_real_robots(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("no shared robots");
    }
    static const char* const names[] = {"panda", "panda_capsules", "ur5_gripper", "dual_panda"};
    Tally tally = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        walk_robot(test_robot_named(names[i]), &tally);
    }
    tell("real robots", &tally);
    assert_true(tally.segments > 0);
}

// ---- damage ------------------------------------------------------------------------------------------------------

typedef enum Damage {
    DROP_RECORD = 0,
    DROP_PAIR,
    DROP_CONSTANT,
    WIDEN,
    OTHER_LEVEL,
    OTHER_INDEX,
    RAISE_BOUND,
    FLIP_DIRECTION,
    TURN_DIRECTION,
    OTHER_KIND,
    OTHER_PAIR,
    OTHER_VALUE,
    OTHER_CURVE,
    MOVED_OBJECT,
    LESS_MARGIN,
    MORE_MARGIN,
    LESS_ERROR,
    DROP_SEGMENT,
    SWAP_SEGMENTS,
    OTHER_HASH,
    FORGED_VALUE,   // another value, and its hash put right
    FORGED_OBJECT,  // a moved object, and the scene's hash put right
    DAMAGE_COUNT
} Damage;

static const char* const damage_names[DAMAGE_COUNT] = {
    "drop record",   "drop pair",   "drop constant", "widen",        "level",      "index",
    "raise bound",   "flip",        "turn",          "kind",         "pair",       "value",
    "curve",         "move object", "less margin",   "more margin",  "less error", "drop segment",
    "swap segments", "scene hash",  "forged value",  "forged object"};

static BerthCertificate* copy_certificate(const BerthCertificate* c) {
    BerthCertificate* copy = bi_certificate_new(NULL, c->value_count, c->constant_count);
    assert_non_null(copy);
    memcpy(copy->scene_hash, c->scene_hash, SHA256_SIZE);
    copy->moving = c->moving;
    copy->margin = c->margin;
    copy->self_margin = c->self_margin;
    copy->delta = c->delta;
    copy->pair_count = c->pair_count;
    if (c->value_count > 0) {
        memcpy(copy->tracking_error, c->tracking_error, (size_t)c->value_count * sizeof *c->tracking_error);
    }
    if (c->constant_count > 0) {
        memcpy(copy->constants, c->constants, (size_t)c->constant_count * sizeof *c->constants);
    }
    for (int64_t i = 0; i < c->segment_count; ++i) {
        assert_true(
            bi_certificate_begin(copy, c->segments[i].hash, c->segments[i].start, c->segments[i].duration));
        for (int64_t k = 0; k < c->segments[i].count; ++k) {
            assert_true(bi_certificate_add(copy, &c->records[c->segments[i].first + k]));
        }
        assert_int_equal(bi_certificate_end(copy, true), BERTH_OK);
    }
    return copy;
}

static int64_t pick(Random* random, int64_t count) {
    return (int64_t)(bi_random_next(random) % (uint64_t)count);
}

static void drop_record(BerthCertificate* c, int64_t at) {
    int64_t segment = 0;
    while (at >= c->segments[segment].first + c->segments[segment].count) {
        ++segment;
    }
    memmove(c->records + at, c->records + at + 1, (size_t)(c->record_count - at - 1) * sizeof *c->records);
    c->record_count -= 1;
    c->segments[segment].count -= 1;
    for (int64_t i = segment + 1; i < c->segment_count; ++i) {
        c->segments[i].first -= 1;
    }
}

// Every record of one pair on one segment.
static void drop_pair(BerthCertificate* c, int64_t at) {
    const int32_t pair = c->records[at].pair;
    int64_t segment = 0;
    while (at >= c->segments[segment].first + c->segments[segment].count) {
        ++segment;
    }
    for (int64_t i = c->segments[segment].first;
         i < c->segments[segment].first + c->segments[segment].count;) {
        if (c->records[i].pair == pair) {
            drop_record(c, i);
        } else {
            ++i;
        }
    }
}

static int32_t other_pair(const BerthScene* scene, int32_t pair, Random* random) {
    for (int i = 0; i < 50; ++i) {
        const int32_t other = (int32_t)pick(random, scene->pair_count);
        if (other != pair && !scene->pairs[other].constant) {
            return other;
        }
    }
    return -1;
}

// The true gap of a record's pair somewhere on its interval, by the static check.
static double gap_within(const BerthCertificate* c, const BerthSegment* segments, const BerthScene* scene,
                         BerthChecker* checker, int64_t at, double share) {
    const CertificateRecord* record = &c->records[at];
    int segment = 0;
    while (at >= c->segments[segment].first + c->segments[segment].count) {
        ++segment;
    }
    const double width = 1.0 / (double)((uint64_t)1 << record->level);
    double values[PROOF_VALUES];
    double gradient[PROOF_VALUES];
    berth_segment_values(scene, &segments[segment], ((double)record->index + share) * width, values);
    const ScenePair* pair = &scene->pairs[record->pair];
    BerthGapGradient found;
    assert_int_equal(berth_check_gradient(checker, values, pair->body_a, pair->body_b, gradient, &found),
                     BERTH_OK);
    return found.gap.upper;
}

/// How damage ended. Harmless: what the certificate says is still true, and was proven again.
typedef struct Harm {
    int64_t tried[DAMAGE_COUNT], harmless[DAMAGE_COUNT];
} Harm;

/// One damaged certificate and what it is held against.
typedef struct Trial {
    ProofCase* c;
    World* world;
    BerthChecker* checker;
    BerthCertificate* hurt;
    BerthSegment segments[PROOF_SEGMENTS];
    double values[PROOF_VALUES];
    BerthCurve curves[PROOF_VALUES];
    BerthMotionCheckerDef def;
    int64_t at;
    int moved;  // object, or -1
    BerthPose back;
} Trial;

static bool hurt_record(Trial* t, Damage damage, Random* random) {
    BerthCertificate* hurt = t->hurt;
    CertificateRecord* record = &hurt->records[t->at];
    const BerthScene* scene = t->world->scene;
    switch (damage) {
    case DROP_RECORD:
        drop_record(hurt, t->at);
        return true;
    case DROP_PAIR:
        drop_pair(hurt, t->at);
        return true;
    case WIDEN:
        record->index /= 2;
        record->level = (uint8_t)(record->level > 0 ? record->level - 1 : 0);
        return t->c->certificate->records[t->at].level > 0;
    case OTHER_LEVEL:
        record->level = (uint8_t)(record->level + 1);
        record->index = 2 * record->index + (bi_random_next(random) & 1);
        return true;
    case OTHER_INDEX:
        record->index ^= (uint64_t)1 << pick(random, record->level > 0 ? record->level : 1);
        return true;
    case RAISE_BOUND: {
        const double share = bi_random_between(random, 0.0, 1.0);
        const double gap = gap_within(t->c->certificate, t->c->segments, scene, t->checker, t->at, share);
        record->bound = (gap > record->bound ? gap : record->bound) * (1.0 + 1e-9) + 1e-9;
        return record->count_a == 0;  // some leaves may be further apart than all
    }
    case FLIP_DIRECTION:
        record->direction = v3_neg(record->direction);
        return record->kind == PROOF_PLANE || record->kind == PROOF_GAP;
    case TURN_DIRECTION: {
        const Vec3 n = v3(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1),
                          bi_random_between(random, -1, 1));
        record->direction = v3_unit_or(n, v3(0, 0, 1));
        return record->kind == PROOF_PLANE;
    }
    case OTHER_KIND:
        record->kind =
            (uint8_t)((record->kind + 1 + pick(random, PROOF_KIND_COUNT)) % (PROOF_KIND_COUNT + 1));
        record->direction = v3(1, 0, 0);
        return record->kind != t->c->certificate->records[t->at].kind;
    case OTHER_PAIR:
        record->pair = other_pair(scene, record->pair, random);
        return record->pair >= 0;
    default:
        return false;
    }
}

static bool hurt_motion(Trial* t, Damage damage, Random* random) {
    const int which = (int)pick(random, t->c->count);
    BerthSegment* segment = &t->segments[which];
    const size_t count = (size_t)t->c->value_count;
    const size_t value = (size_t)pick(random, t->c->value_count);
    if (damage == OTHER_VALUE || damage == FORGED_VALUE) {
        const double by = damage == OTHER_VALUE ? 1e-3 : bi_random_between(random, 0.0, 0.3);
        memcpy(t->values, segment->from, count * sizeof *t->values);
        t->values[value] += bi_random_next(random) % 2 ? by : -by;
        segment->from = t->values;
        if (damage == FORGED_VALUE) {
            segment->curves = NULL;
            bi_certificate_hash_segment(segment, t->hurt->moving, t->hurt->segments[which].hash);
        }
        return true;
    }
    if (segment->curves == NULL) {
        return false;
    }
    memcpy(t->curves, segment->curves, count * sizeof *t->curves);
    t->curves[value].term[pick(random, BERTH_CURVE_TERMS)] += 1e-3;
    segment->curves = t->curves;
    if (bi_random_next(random) % 4 == 0) {
        segment->curves = NULL;  // straight lines were asked instead
    }
    return true;
}

static bool hurt_whole(Trial* t, Damage damage, Random* random) {
    BerthCertificate* hurt = t->hurt;
    switch (damage) {
    case DROP_CONSTANT:
        if (hurt->constant_count == 0) {
            return false;
        }
        hurt->constants[pick(random, hurt->constant_count)].pair = -1;
        return true;
    case MOVED_OBJECT:
    case FORGED_OBJECT: {
        const BruteWorld* brute = &t->world->brute;
        const int which = (int)pick(random, t->world->object_count > 0 ? t->world->object_count : 1);
        for (int i = 0; i < brute->body_count; ++i) {
            if (brute->bodies[i].object == which && brute->bodies[i].robot < 0) {
                t->moved = which;
            }
        }
        if (t->moved < 0) {
            return false;
        }
        BerthPose pose = t->world->poses[which];
        t->back = pose;
        const double by = damage == MOVED_OBJECT ? 1e-3 : bi_random_between(random, 0.0, 0.2);
        pose.t = v3_mad(pose.t, by, v3_unit_or(v3_neg(pose.t), v3(0, 0, 1)));  // towards the robot
        world_move_object(t->world, which, &pose);
        if (damage == FORGED_OBJECT) {
            bi_certificate_hash_scene(t->world->scene, hurt->scene_hash);
        }
        return true;
    }
    case LESS_MARGIN:
        hurt->margin = 0.5 * hurt->margin;
        hurt->self_margin = 0.5 * hurt->self_margin;
        return t->c->def.margin > 0.0;
    case MORE_MARGIN:
        hurt->margin += 1e-6;
        hurt->self_margin += 1e-6;
        return true;
    case LESS_ERROR: {
        double* error = &hurt->tracking_error[pick(random, hurt->value_count)];
        *error *= 0.5;
        return *error > 0.0;
    }
    case DROP_SEGMENT:
        hurt->segment_count -= 1;
        return true;
    case SWAP_SEGMENTS: {
        if (hurt->segment_count < 2) {
            return false;
        }
        uint8_t hash[SHA256_SIZE];
        memcpy(hash, hurt->segments[0].hash, SHA256_SIZE);
        memcpy(hurt->segments[0].hash, hurt->segments[1].hash, SHA256_SIZE);
        memcpy(hurt->segments[1].hash, hash, SHA256_SIZE);
        return true;
    }
    case OTHER_HASH:
        hurt->scene_hash[pick(random, SHA256_SIZE)] ^= (uint8_t)(1 << pick(random, 8));
        return true;
    default:
        return false;
    }
}

static BerthChecker* new_checker(const World* world) {
    BerthChecker* checker = NULL;
    const BerthCheckerDef def = berth_default_checker_def();
    assert_int_equal(berth_checker_create(world->scene, &def, &checker), BERTH_OK);
    return checker;
}

// What was passed although it was changed must be one of these, and true: a wider interval, another direction or another
// kind of proof that serves as well, a margin that is kept too, a motion or scene for which the same proof holds.
static void check_harmless(Trial* t, Damage damage, const BerthCertificateReport* report, Random* random) {
    const bool may_be = damage == WIDEN || damage == TURN_DIRECTION || damage == OTHER_KIND ||
                        damage == MORE_MARGIN || damage == FORGED_VALUE || damage == FORGED_OBJECT;
    if (!may_be) {
        fail_msg("damage '%s' was not found: pair %d, record %lld", damage_names[damage],
                 (int)t->hurt->records[t->at].pair, (long long)t->at);
    }
    if (damage == MORE_MARGIN) {
        assert_true(report->clearance >= t->hurt->margin);
        return;
    }
    BerthChecker* checker = t->moved >= 0 ? new_checker(t->world) : t->checker;
    const bool any = damage == FORGED_VALUE || damage == FORGED_OBJECT;
    for (int i = 0; i < 20; ++i) {
        const int64_t at = any ? pick(random, t->hurt->record_count) : t->at;
        const double share = bi_random_between(random, 0.0, 1.0);
        const double gap = gap_within(t->hurt, t->segments, t->world->scene, checker, at, share);
        assert_true(gap >= t->hurt->records[at].bound);
    }
    if (t->moved >= 0) {
        berth_checker_destroy(checker);
    }
}

static void try_damage(Trial* t, Damage damage, Random* random, Harm* harm) {
    t->hurt = copy_certificate(t->c->certificate);
    memcpy(t->segments, t->c->segments, sizeof t->segments);
    t->def = t->c->def;
    t->moved = -1;
    t->at = pick(random, t->hurt->record_count);
    const bool motion = damage == OTHER_VALUE || damage == OTHER_CURVE || damage == FORGED_VALUE;
    const bool done = motion                                            ? hurt_motion(t, damage, random)
                      : damage <= OTHER_PAIR && damage != DROP_CONSTANT ? hurt_record(t, damage, random)
                                                                        : hurt_whole(t, damage, random);
    if (done) {
        BerthCertificateReport report;
        const BerthStatus status =
            proof_verify(t->hurt, t->world->scene, t->segments, t->c->count, &t->def, &report);
        harm->tried[damage] += 1;
        if (status == BERTH_OK) {
            harm->harmless[damage] += 1;
            check_harmless(t, damage, &report, random);
        } else {
            assert_int_equal(status, BERTH_ERR_ARGUMENT);
            assert_true(strncmp(berth_error_text(), "certificate: ", 13) == 0);
        }
    }
    if (t->moved >= 0) {
        world_move_object(t->world, t->moved, &t->back);
        berth_checker_destroy(t->checker);
        t->checker = new_checker(t->world);
    }
    berth_certificate_destroy(t->hurt);
}

static void test_damage(void** state) {
    (void)state;
    ProofCase* c = malloc(sizeof *c);
    Trial* trial = calloc(1, sizeof *trial);
    Harm harm = {0};
    int64_t total = 0;
    const int64_t wanted = test_scaled(10000);
    int64_t harmless = 0;
    for (int seed = 0; total - harmless < wanted; ++seed) {
        Random random = {(uint64_t)seed * 104729 + 77};
        const WorldPlan plan = {.style = seed % 3 == 0 ? WORLD_PLAIN : WORLD_CONVEX,
                                .robots = 1,
                                .joints = 2 + seed % 3,
                                .objects = 1 + seed % 3};
        World* world = world_make(&random, &plan);
        proof_open(c, world->scene, seed % 3 == 0 ? 0.01 : 0.0, seed % 4 == 0 ? 0.002 : 0.0,
                   BERTH_METHOD_DEFAULT);
        proof_random(c, world, &random, 12, 2);
        if (c->count > 0 && c->certificate->record_count > 0) {
            trial->c = c;
            trial->world = world;
            trial->checker = new_checker(world);
            for (int i = 0; i < 8 * DAMAGE_COUNT; ++i) {
                try_damage(trial, (Damage)(i % DAMAGE_COUNT), &random, &harm);
            }
            berth_checker_destroy(trial->checker);
        }
        proof_close(c);
        world_destroy(world);
        total = 0;
        harmless = 0;
        for (int i = 0; i < DAMAGE_COUNT; ++i) {
            total += harm.tried[i];
            harmless += harm.harmless[i];
        }
    }
    for (int i = 0; i < DAMAGE_COUNT; ++i) {
        print_message("report damage '%s': %lld tried, %lld harmless\n", damage_names[i],
                      (long long)harm.tried[i], (long long)harm.harmless[i]);
        assert_true(harm.tried[i] > 0 || wanted < 2000);
    }
    print_message("report damage: %lld tried, %lld harmless and true, %lld refused\n", (long long)total,
                  (long long)harmless, (long long)(total - harmless));
    free(trial);
    free(c);
}

int test_certificate_verify(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_worlds),
        cmocka_unit_test(test_bounds_are_true),
        cmocka_unit_test(test_real_robots),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
