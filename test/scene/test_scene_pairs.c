// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which pairs a scene checks, with what padding, and what it says it assumed: examples, and random scenes against the
// rules written down a second time, by names and with no thought for speed.
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

#include "robot/robot.h"
#include "scene/scene.h"
#include "support/arms.h"
#include "support/setting.h"

// ---- a scene as the test knows it --------------------------------------------------------------------------

enum { ROBOT_MAX = 3, OBJECT_MAX = 8, ALLOW_MAX = 10, TOUCH_MAX = 3 };

typedef struct SpecObject {
    char name[16];
    int robot, link;  // attached to, or -1
    bool moving;
    char touch[TOUCH_MAX][32];
    int touch_count;
    int part_count;
    BerthPose pose;
    BerthPose part_pose[2];
} SpecObject;

typedef struct Spec {
    BerthRobot* robots[ROBOT_MAX];
    double padding[ROBOT_MAX];
    BerthPose base[ROBOT_MAX];
    int robot_count;
    SpecObject objects[OBJECT_MAX];
    int object_count;
    char allow[ALLOW_MAX][2][32];
    int allow_count;
} Spec;

typedef struct SpecBody {
    char name[32];
    int robot, link;  // owner; -1 for an object on its own
    int object;       // -1 for a link
} SpecBody;

static BerthPose random_pose(Random* random) {
    BerthPose pose;
    const Vec3 t = v3(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1),
                      bi_random_between(random, -1, 1));
    assert_int_equal(berth_pose_from_quat(t, bi_random_quat(random), &pose), BERTH_OK);
    return pose;
}

static void link_name(const Spec* spec, int robot, int link, char* out, size_t size) {
    const char* name = berth_robot_link(spec->robots[robot], link).name;
    if (spec->robot_count == 1) {
        snprintf(out, size, "%s", name);
    } else {
        snprintf(out, size, "r%d/%s", robot, name);
    }
}

// The name of any link or object, sometimes in its long form.
static void random_name(const Spec* spec, Random* random, char* out, size_t size) {
    if (spec->object_count > 0 && (spec->robot_count == 0 || bi_random_next(random) % 2 == 0)) {
        snprintf(out, size, "%s", spec->objects[bi_random_next(random) % (uint64_t)spec->object_count].name);
        return;
    }
    const int robot = (int)(bi_random_next(random) % (uint64_t)spec->robot_count);
    const int link = (int)(bi_random_next(random) % (uint64_t)berth_robot_link_count(spec->robots[robot]));
    if (bi_random_next(random) % 2 == 0) {
        snprintf(out, size, "r%d/%s", robot, berth_robot_link(spec->robots[robot], link).name);
    } else {
        link_name(spec, robot, link, out, size);
    }
}

static void make_spec(Spec* spec, Random* random) {
    memset(spec, 0, sizeof *spec);
    spec->robot_count = (int)(bi_random_next(random) % (ROBOT_MAX + 1));
    for (int i = 0; i < spec->robot_count; ++i) {
        spec->robots[i] = test_random_robot(random, bi_random_next(random) % 64 == 0);
        assert_non_null(spec->robots[i]);
        spec->padding[i] = bi_random_next(random) % 2 == 0 ? 0.0 : bi_random_between(random, 0.0, 0.1);
        spec->base[i] = random_pose(random);
    }
    spec->object_count = (int)(bi_random_next(random) % (OBJECT_MAX + 1));
    for (int i = 0; i < spec->object_count; ++i) {
        SpecObject* o = &spec->objects[i];
        snprintf(o->name, sizeof o->name, "object%d", i);
        o->robot = -1;
        o->link = -1;
        o->pose = random_pose(random);
        o->part_count = 1 + (int)(bi_random_next(random) % 2);
        o->part_pose[0] = bi_random_next(random) % 2 == 0 ? berth_pose_identity() : random_pose(random);
        o->part_pose[1] = random_pose(random);
        if (spec->robot_count > 0 && bi_random_next(random) % 2 == 0) {
            o->robot = (int)(bi_random_next(random) % (uint64_t)spec->robot_count);
            o->link =
                (int)(bi_random_next(random) % (uint64_t)berth_robot_link_count(spec->robots[o->robot]));
        } else {
            o->moving = bi_random_next(random) % 2 == 0;
        }
    }
    for (int i = 0; i < spec->object_count; ++i) {
        SpecObject* o = &spec->objects[i];
        for (int k = 0; k < (int)(bi_random_next(random) % (TOUCH_MAX + 1)); ++k) {
            char name[32];
            random_name(spec, random, name, sizeof name);
            if (strcmp(name, o->name) != 0) {
                memcpy(o->touch[o->touch_count++], name, sizeof name);
                if (o->touch_count == TOUCH_MAX) {
                    break;
                }
            }
        }
    }
    for (int i = 0; i < ALLOW_MAX && spec->robot_count + spec->object_count > 0; ++i) {
        if (bi_random_next(random) % 2 == 0) {
            random_name(spec, random, spec->allow[spec->allow_count][0], 32);
            random_name(spec, random, spec->allow[spec->allow_count][1], 32);
            spec->allow_count += 1;
        }
    }
}

static BerthScene* make_scene(Spec* spec, Random* random) {
    BerthScene* scene = NULL;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    for (int i = 0; i < spec->robot_count; ++i) {
        char name[8];
        snprintf(name, sizeof name, "r%d", i);
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        def.name = name;
        def.robot = spec->robots[i];
        def.own = true;
        def.padding = spec->padding[i];
        def.world_from_base = spec->base[i];
        assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
    }
    BerthObjectId ids[OBJECT_MAX];
    for (int i = 0; i < spec->object_count; ++i) {
        const SpecObject* o = &spec->objects[i];
        BerthObjectDef def = berth_default_object_def();
        char attach[32];
        def.name = o->name;
        def.solid = test_ball(0.1, NULL);
        def.pose = o->pose;
        def.moving = o->moving;
        if (o->robot >= 0) {
            link_name(spec, o->robot, o->link, attach, sizeof attach);
            def.attach = attach;
        }
        def.object_from_solid = o->part_pose[0];
        // Half of them are attached by a call of their own, and one place is used twice.
        const bool later = bi_random_next(random) % 2 == 0;
        if (later) {
            def.attach = NULL;
        }
        assert_int_equal(berth_scene_add_object(scene, &def, &ids[i]), BERTH_OK);
        if (bi_random_next(random) % 4 == 0) {
            assert_int_equal(berth_scene_remove_object(scene, ids[i]), BERTH_OK);
            def.solid = test_ball(0.1, NULL);
            assert_int_equal(berth_scene_add_object(scene, &def, &ids[i]), BERTH_OK);
        }
        if (later && o->robot >= 0) {
            assert_int_equal(berth_scene_attach(scene, ids[i], attach, &o->pose), BERTH_OK);
        }
        if (o->part_count == 2) {
            assert_int_equal(berth_scene_add_part(scene, ids[i], &o->part_pose[1], test_ball(0.05, NULL)),
                             BERTH_OK);
        }
    }
    for (int i = 0; i < spec->object_count; ++i) {
        for (int k = 0; k < spec->objects[i].touch_count; ++k) {
            assert_int_equal(berth_scene_touch(scene, ids[i], spec->objects[i].touch[k]), BERTH_OK);
        }
    }
    return scene;
}

// ---- the rules, again --------------------------------------------------------------------------------------

static int list_bodies(const Spec* spec, SpecBody* out) {
    int count = 0;
    for (int r = 0; r < spec->robot_count; ++r) {
        for (int i = 0; i < berth_robot_link_count(spec->robots[r]); ++i) {
            if (berth_robot_link(spec->robots[r], i).solid_count > 0) {
                out[count] = (SpecBody){.robot = r, .link = i, .object = -1};
                link_name(spec, r, i, out[count++].name, sizeof out->name);
            }
        }
    }
    for (int i = 0; i < spec->object_count; ++i) {
        out[count] = (SpecBody){.robot = spec->objects[i].robot, .link = spec->objects[i].link, .object = i};
        memcpy(out[count++].name, spec->objects[i].name, sizeof spec->objects[i].name);
    }
    return count;
}

// Two names of the same thing: "link2" and "r0/link2" when there is one robot.
static bool same_thing(const Spec* spec, const char* a, const char* b) {
    if (spec->robot_count == 1) {
        a = strncmp(a, "r0/", 3) == 0 ? a + 3 : a;
        b = strncmp(b, "r0/", 3) == 0 ? b + 3 : b;
    }
    return strcmp(a, b) == 0;
}

static bool is_allowed(const Spec* spec, const SpecBody* a, const SpecBody* b) {
    for (int i = 0; i < spec->allow_count; ++i) {
        const char* x = spec->allow[i][0];
        const char* y = spec->allow[i][1];
        if ((same_thing(spec, x, a->name) && same_thing(spec, y, b->name)) ||
            (same_thing(spec, x, b->name) && same_thing(spec, y, a->name))) {
            return true;
        }
    }
    return false;
}

static bool may_touch(const Spec* spec, const SpecBody* object, const SpecBody* other) {
    if (object->object < 0) {
        return false;
    }
    if (other->object < 0 && object->robot == other->robot && object->link == other->link) {
        return true;  // the link that holds it
    }
    for (int k = 0; k < spec->objects[object->object].touch_count; ++k) {
        if (same_thing(spec, spec->objects[object->object].touch[k], other->name)) {
            return true;
        }
    }
    return false;
}

typedef enum Answer { CHECKED, STILL, RIGID, ADJACENT, OVERLAP, DISABLED, ALLOWED, TOUCH } Answer;

static Answer rule(const Spec* spec, const SpecBody* a, const SpecBody* b) {
    if (a->object >= 0 && a->robot < 0 && b->object >= 0 && b->robot < 0) {
        return STILL;
    }
    if (a->object < 0 && b->object < 0 && a->robot == b->robot) {
        switch (berth_robot_pair(spec->robots[a->robot], a->link, b->link, NULL)) {
        case BERTH_PAIR_RIGID:
        case BERTH_PAIR_NO_GEOMETRY:
            return RIGID;
        case BERTH_PAIR_ADJACENT:
            return ADJACENT;
        case BERTH_PAIR_ALWAYS_OVERLAP:
            return OVERLAP;
        case BERTH_PAIR_DISABLED:
            return DISABLED;
        default:
            break;
        }
    }
    if (is_allowed(spec, a, b)) {
        return ALLOWED;
    }
    return may_touch(spec, a, b) || may_touch(spec, b, a) ? TOUCH : CHECKED;
}

// ---- what the scene made of it -----------------------------------------------------------------------------

static int find_pair(const BerthScene* scene, const char* a, const char* b) {
    int found = -1;
    for (int32_t i = 0; i < berth_scene_pair_count(scene); ++i) {
        int32_t x = -1;
        int32_t y = -1;
        berth_scene_pair(scene, i, &x, &y);
        const char* na = berth_scene_body_name(scene, x);
        const char* nb = berth_scene_body_name(scene, y);
        if ((strcmp(na, a) == 0 && strcmp(nb, b) == 0) || (strcmp(na, b) == 0 && strcmp(nb, a) == 0)) {
            assert_int_equal(found, -1);
            found = i;
        }
    }
    return found;
}

static int assumed(const BerthScene* scene, const char* what) {
    int count = 0;
    for (int32_t i = 0; i < berth_scene_assumed_count(scene); ++i) {
        const BerthAssumed entry = berth_scene_assumed(scene, i);
        assert_true(entry.count > 0);
        char number[16];
        snprintf(number, sizeof number, "%d ", (int)entry.count);
        assert_int_equal(strncmp(entry.detail, number, strlen(number)), 0);
        count += strcmp(entry.what, what) == 0 ? entry.count : 0;
    }
    return count;
}

static int declared(const BerthScene* scene, const char* what) {
    int count = 0;
    for (int32_t i = 0; i < berth_scene_declared_count(scene); ++i) {
        const BerthAssumed entry = berth_scene_declared(scene, i);
        assert_true(entry.count > 0);
        count += strcmp(entry.what, what) == 0 ? entry.count : 0;
    }
    return count;
}

// Where a part is in a state, without frames: from link poses, and without baked poses.
static BerthPose part_pose(const Spec* spec, const SpecBody* body, int part, const double* values,
                           const int* first) {
    BerthPose pose = berth_pose_identity();
    if (body->robot >= 0) {
        BerthPose links[16];
        berth_robot_link_poses(spec->robots[body->robot], &spec->base[body->robot],
                               values + first[body->robot], links);
        pose = links[body->link];
    }
    if (body->object < 0) {
        BerthPose link_from_solid;
        berth_robot_solid(spec->robots[body->robot], body->link, part, &link_from_solid, NULL);
        return berth_pose_multiply(&pose, &link_from_solid);
    }
    pose = berth_pose_multiply(&pose, &spec->objects[body->object].pose);
    return berth_pose_multiply(&pose, &spec->objects[body->object].part_pose[part]);
}

static double pose_difference(const BerthPose* a, const BerthPose* b) {
    return v3_distance(a->x, b->x) + v3_distance(a->y, b->y) + v3_distance(a->z, b->z) +
           v3_distance(a->t, b->t);
}

static void random_values(const BerthScene* scene, Random* random, double* values) {
    for (int32_t i = 0; i < berth_scene_value_count(scene); ++i) {
        values[i] =
            bi_random_between(random, 0.2, 1.4);  // quaternions are not unit here, as states need not be
    }
}

static void check_bodies(const Spec* spec, const BerthScene* scene, const SpecBody* bodies, int count,
                         Random* random) {
    assert_int_equal(berth_scene_body_count(scene), count);
    int first[ROBOT_MAX] = {0};
    for (int i = 1; i < spec->robot_count; ++i) {
        first[i] = first[i - 1] + berth_robot_value_count(spec->robots[i - 1]);
    }
    double values[ROBOT_MAX * 64];
    random_values(scene, random, values);
    static Pose frames[ROBOT_MAX * 16];
    for (int r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        bi_robot_frame_poses(robot->robot, &robot->world_from_base, values + robot->first_value,
                             frames + robot->first_frame);
    }
    for (int i = 0; i < count; ++i) {
        const int32_t index = berth_scene_find_body(scene, bodies[i].name);
        assert_true(index >= 0);
        const SceneBody* body = &scene->bodies[index];
        assert_string_equal(body->name, bodies[i].name);
        assert_int_equal(body->robot, bodies[i].robot);
        assert_int_equal(body->link, bodies[i].link);
        assert_int_equal(body->object >= 0, bodies[i].object >= 0);
        for (int k = 0; k < body->part_count; ++k) {
            const Pose expected = part_pose(spec, &bodies[i], k, values, first);
            const ScenePart* part = &scene->parts[body->first_part + k];
            const Pose found = body->frame < 0 ? part->frame_from_part
                                               : pose_mul(&frames[body->frame], &part->frame_from_part);
            assert_true(pose_difference(&expected, &found) < 1e-12);
        }
    }
}

// `constant` means that nothing between the two ever moves: seen at two states.
static void check_constant(const Spec* spec, const BerthScene* scene, const SpecBody* a, const SpecBody* b,
                           int pair, Random* random) {
    int first[ROBOT_MAX] = {0};
    for (int i = 1; i < spec->robot_count; ++i) {
        first[i] = first[i - 1] + berth_robot_value_count(spec->robots[i - 1]);
    }
    double values[ROBOT_MAX * 64];
    BerthPose between[2];
    for (int i = 0; i < 2; ++i) {
        random_values(scene, random, values);
        const BerthPose pa = part_pose(spec, a, 0, values, first);
        const BerthPose pb = part_pose(spec, b, 0, values, first);
        between[i] = pose_between(&pa, &pb);
    }
    const bool same = pose_difference(&between[0], &between[1]) < 1e-12;
    assert_int_equal(scene->pairs[pair].constant, same);
}

static void check_spec(Spec* spec, const BerthScene* scene, Random* random) {
    SpecBody bodies[ROBOT_MAX * 8 + OBJECT_MAX];
    const int count = list_bodies(spec, bodies);
    int answers[TOUCH + 1] = {0};
    check_bodies(spec, scene, bodies, count, random);
    for (int i = 0; i < count; ++i) {
        for (int k = i + 1; k < count; ++k) {
            const SpecBody* a = &bodies[i];
            const SpecBody* b = &bodies[k];
            const Answer answer = rule(spec, a, b);
            answers[answer] += 1;
            const int pair = find_pair(scene, a->name, b->name);
            assert_int_equal(pair >= 0, answer == CHECKED);
            if (pair < 0) {
                continue;
            }
            assert_true(scene->pairs[pair].body_a < scene->pairs[pair].body_b);
            const double pa = a->robot >= 0 ? spec->padding[a->robot] : 0.0;
            const double pb = b->robot >= 0 ? spec->padding[b->robot] : 0.0;
            const double expected = a->robot >= 0 && a->robot == b->robot ? 0.0 : pa + pb;
            assert_true(scene->pairs[pair].padding == expected);
            check_constant(spec, scene, a, b, pair, random);
        }
    }
    assert_int_equal(berth_scene_pair_count(scene), answers[CHECKED]);
    assert_int_equal(declared(scene, "adjacent_pairs"), answers[ADJACENT]);
    assert_int_equal(declared(scene, "always_overlapping_pairs"), answers[OVERLAP]);
    assert_int_equal(assumed(scene, "disabled_pairs"), answers[DISABLED]);
    assert_int_equal(declared(scene, "allowed_pairs"), answers[ALLOWED]);
    assert_int_equal(declared(scene, "touch_pairs"), answers[TOUCH]);
    assert_int_equal(assumed(scene, "open_meshes"), 0);
    for (int32_t i = 1; i < scene->pair_count; ++i) {
        const ScenePair* x = &scene->pairs[i - 1];
        const ScenePair* y = &scene->pairs[i];
        assert_true(x->body_a < y->body_a || (x->body_a == y->body_a && x->body_b < y->body_b));
    }
}

static void random_scenes_follow_the_rules(void** state) {
    (void)state;
    Random random = {20261115};
    const int count = test_scaled(20000);
    int64_t pairs = 0;
    for (int i = 0; i < count; ++i) {
        Spec spec;
        make_spec(&spec, &random);
        BerthScene* scene = make_scene(&spec, &random);
        for (int k = 0; k < spec.allow_count; ++k) {
            const bool same = same_thing(&spec, spec.allow[k][0], spec.allow[k][1]);
            assert_int_equal(berth_scene_allow(scene, spec.allow[k][0], spec.allow[k][1]) == BERTH_OK, !same);
        }
        assert_int_equal(berth_scene_commit(scene), BERTH_OK);
        check_spec(&spec, scene, &random);
        pairs += scene->pair_count;
        // The order of a second commit is the same.
        const int32_t before = scene->pair_count;
        assert_int_equal(berth_scene_commit(scene), BERTH_OK);
        assert_int_equal(scene->pair_count, before);
        berth_scene_destroy(scene);
    }
    assert_true(pairs > 30 * (int64_t)count);  // the scenes were not empty
}

// ---- examples ----------------------------------------------------------------------------------------------

static BerthScene* arm_scene(int robots) {
    BerthScene* scene = NULL;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    for (int i = 0; i < robots; ++i) {
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        def.name = i == 0 ? "left" : "right";
        def.robot = test_arm(false, NULL);
        def.own = true;
        def.padding = i == 0 ? 0.01 : 0.02;
        assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
    }
    return scene;
}

static BerthObjectId add_ball(BerthScene* scene, const char* name, const char* attach) {
    BerthObjectDef def = berth_default_object_def();
    def.name = name;
    def.solid = test_ball(0.1, NULL);
    def.attach = attach;
    BerthObjectId id;
    assert_int_equal(berth_scene_add_object(scene, &def, &id), BERTH_OK);
    return id;
}

static void one_arm_and_a_table(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1);
    add_ball(scene, "table", NULL);
    add_ball(scene, "shelf", NULL);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    // Of six pairs of links two are disabled and one, lower - hand, is one rigid body; four links against two objects.
    assert_int_equal(berth_scene_pair_count(scene), 3 + 8);
    assert_true(find_pair(scene, "lower", "hand") < 0);
    assert_true(find_pair(scene, "base", "lower") >= 0);
    assert_true(find_pair(scene, "base", "upper") < 0);
    assert_true(find_pair(scene, "table", "shelf") < 0);
    const int fixed = find_pair(scene, "base", "table");
    const int moved = find_pair(scene, "hand", "table");
    assert_true(scene->pairs[fixed].constant);
    assert_false(scene->pairs[moved].constant);
    assert_true(scene->pairs[moved].padding == 0.01);
    assert_true(scene->pairs[find_pair(scene, "base", "lower")].padding == 0.0);
    // Disabled, and neighbours: that explains it.
    assert_int_equal(declared(scene, "adjacent_pairs"), 2);
    assert_int_equal(assumed(scene, "disabled_pairs"), 0);
    assert_int_equal(berth_scene_find_body(scene, "left/hand"), berth_scene_find_body(scene, "hand"));
    assert_int_equal(berth_scene_find_body(scene, "tool"), -1);
    berth_scene_destroy(scene);
}

static void a_part_in_the_hand(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(2);
    add_ball(scene, "table", NULL);
    const BerthObjectId part = add_ball(scene, "part", "left/tool");
    const BerthObjectId other = add_ball(scene, "other", "right/hand");
    assert_int_equal(berth_scene_touch(scene, part, "left/hand"), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    // The tool has no geometry, so the hand is only left out because of the touch list.
    assert_true(find_pair(scene, "part", "left/hand") < 0);
    assert_true(find_pair(scene, "part", "left/lower") >= 0);
    assert_true(scene->pairs[find_pair(scene, "part", "left/lower")].constant);
    assert_true(scene->pairs[find_pair(scene, "part", "left/lower")].padding == 0.0);
    assert_true(scene->pairs[find_pair(scene, "part", "right/hand")].padding == 0.01 + 0.02);
    assert_true(scene->pairs[find_pair(scene, "part", "other")].padding == 0.01 + 0.02);
    assert_true(scene->pairs[find_pair(scene, "part", "table")].padding == 0.01);
    assert_true(find_pair(scene, "other", "right/hand") < 0);
    assert_true(find_pair(scene, "left/base", "right/base") >= 0);
    assert_int_equal(declared(scene, "touch_pairs"), 2);
    // Let go: it is an object among objects, and what it might touch before it may no longer touch.
    const BerthPose there = berth_pose_identity();
    assert_int_equal(berth_scene_detach(scene, part, &there), BERTH_OK);
    assert_int_equal(berth_scene_pair_count(scene), 0);  // not committed
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    assert_true(find_pair(scene, "part", "left/hand") >= 0);
    assert_true(find_pair(scene, "part", "table") < 0);
    assert_true(find_pair(scene, "part", "other") >= 0);
    // An allowed pair ends with the object: one of the same name later is another object.
    assert_int_equal(berth_scene_allow(scene, "part", "left/hand"), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    assert_int_equal(declared(scene, "allowed_pairs"), 1);
    assert_int_equal(berth_scene_remove_object(scene, part), BERTH_OK);
    add_ball(scene, "part", NULL);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    assert_true(find_pair(scene, "part", "left/hand") >= 0);
    assert_int_equal(berth_scene_remove_object(scene, other), BERTH_OK);
    berth_scene_destroy(scene);
}

static void open_meshes_are_assumed(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1);
    const BerthVec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int32_t triangle[] = {0, 1, 2};
    BerthMesh* mesh = NULL;
    assert_int_equal(berth_mesh_create(points, 3, triangle, 1, NULL, &mesh), BERTH_OK);
    BerthObjectDef def = berth_default_object_def();
    def.name = "sheet";
    assert_int_equal(berth_solid_from_mesh(mesh, NULL, &def.solid), BERTH_OK);
    assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    assert_int_equal(assumed(scene, "open_meshes"), 1);
    for (int32_t i = 0; i < berth_scene_assumed_count(scene); ++i) {
        if (strcmp(berth_scene_assumed(scene, i).what, "open_meshes") == 0) {
            assert_non_null(strstr(berth_scene_assumed(scene, i).detail, "sheet"));
        }
    }
    berth_scene_destroy(scene);
}

// A thousand pairs do not fit into one sentence; their number is still right.
static void long_lists_are_cut(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1);
    for (int i = 0; i < 300; ++i) {
        char name[32];
        snprintf(name, sizeof name, "obstacle_number_%d", i);
        add_ball(scene, name, NULL);
        assert_int_equal(berth_scene_allow(scene, name, "hand"), BERTH_OK);
    }
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    assert_int_equal(declared(scene, "allowed_pairs"), 300);
    for (int32_t i = 0; i < berth_scene_declared_count(scene); ++i) {
        const BerthAssumed entry = berth_scene_declared(scene, i);
        if (strcmp(entry.what, "allowed_pairs") == 0) {
            assert_true(strlen(entry.detail) < 3000);
            assert_non_null(strstr(entry.detail, " more"));
            assert_non_null(strstr(entry.detail, "hand - obstacle_number_0,"));
        }
    }
    berth_scene_destroy(scene);
}

int test_scene_pairs(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_arm_and_a_table),
        cmocka_unit_test(a_part_in_the_hand),
        cmocka_unit_test(open_meshes_are_assumed),
        cmocka_unit_test(long_lists_are_cut),
        cmocka_unit_test(random_scenes_follow_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
