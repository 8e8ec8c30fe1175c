// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Objects in one call: gaps known by hand, the same answers as from berth_scene_add_object on random shapes and poses, ids,
// what is refused, and the n-th allocation failing for all n.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <berth/check.h>

#include "scene/scene.h"
#include "support/kit.h"
#include "support/segments.h"
#include "support/setting.h"
#include "support/starve.h"

typedef enum Kind { BOX, SPHERE, CAPSULE, CYLINDER, CONE, HALFSPACE, MESH, POINTS, KINDS } Kind;

static const char* const kind_names[KINDS] = {"box",  "sphere",    "capsule", "cylinder",
                                              "cone", "halfspace", "mesh",    "points"};

/// What an object is made of, whichever way it is added.
typedef struct Thing {
    Kind kind;
    BerthVec3 size;  ///< of a box; centre of a sphere; normal of a half-space
    double radius, length;
    BerthPose pose;
    bool posed;  ///< false: by a null
    BerthVec3 points[20];
    int32_t point_count;
    uint64_t seed;  ///< of a mesh
} Thing;

static BerthMesh* mesh_of(const Thing* thing) {
    Random random = {thing->seed};
    return test_mesh((TestMeshKind)(thing->seed % TEST_MESH_KIND_COUNT), 60, 0.4, &random);
}

static BerthStatus add_short(BerthScene* scene, const char* name, const Thing* thing, BerthObjectId* id) {
    const BerthPose* pose = thing->posed ? &thing->pose : NULL;
    switch (thing->kind) {
    case BOX:
        return berth_scene_add_box(scene, name, thing->size, pose, id);
    case SPHERE:
        return berth_scene_add_sphere(scene, name, thing->radius, thing->size, id);
    case CAPSULE:
        return berth_scene_add_capsule(scene, name, thing->radius, thing->length, pose, id);
    case CYLINDER:
        return berth_scene_add_cylinder(scene, name, thing->radius, thing->length, pose, id);
    case CONE:
        return berth_scene_add_cone(scene, name, thing->radius, thing->length, pose, id);
    case HALFSPACE:
        return berth_scene_add_halfspace(scene, name, thing->size, thing->length, id);
    case MESH:
        return berth_scene_add_mesh(scene, name, mesh_of(thing), pose, id);
    default:
        return berth_scene_add_points(scene, name, thing->points, thing->point_count, thing->radius, pose,
                                      id);
    }
}

static BerthStatus shape_of(const Thing* thing, BerthShape* out) {
    switch (thing->kind) {
    case BOX:
        return berth_shape_box(thing->size, out);
    case SPHERE:
        return berth_shape_sphere(thing->radius, out);
    case CAPSULE:
        return berth_shape_capsule(thing->radius, thing->length, out);
    case CYLINDER:
        return berth_shape_cylinder(thing->radius, thing->length, out);
    case CONE:
        return berth_shape_cone(thing->radius, thing->length, out);
    default:
        return berth_shape_halfspace(thing->size, thing->length, out);
    }
}

static void add_long(BerthScene* scene, const char* name, const Thing* thing) {
    BerthObjectDef def = berth_default_object_def();
    def.name = name;
    def.pose = thing->posed ? thing->pose : berth_pose_identity();
    if (thing->kind == MESH) {
        assert_int_equal(berth_solid_from_mesh(mesh_of(thing), NULL, &def.solid), BERTH_OK);
    } else if (thing->kind == POINTS) {
        assert_int_equal(berth_solid_from_points(thing->points, thing->point_count, NULL, &def.solid),
                         BERTH_OK);
        def.radius = thing->radius;
    } else {
        BerthShape shape;
        assert_int_equal(shape_of(thing, &shape), BERTH_OK);
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &def.solid), BERTH_OK);
        def.pose = thing->kind == HALFSPACE ? berth_pose_identity() : def.pose;
        def.pose = thing->kind == SPHERE ? kit_at(thing->size.x, thing->size.y, thing->size.z) : def.pose;
    }
    assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
}

static Thing random_thing(Random* random, Kind kind) {
    Thing thing = {.kind = kind,
                   .radius = bi_random_between(random, 0.02, 0.3),
                   .length = bi_random_between(random, 0.02, 0.6),
                   .pose = test_pose(random, 0.8),
                   .posed = segment_pick(random, 5) != 0,
                   .point_count = 1 + segment_pick(random, 20),
                   .seed = bi_random_next(random)};
    thing.size = v3(bi_random_between(random, 0.02, 0.6), bi_random_between(random, 0.02, 0.6),
                    bi_random_between(random, 0.02, 0.6));
    if (kind == SPHERE) {
        thing.size = thing.pose.t;
    }
    if (kind == HALFSPACE) {
        thing.size = v3_scale(thing.pose.x, bi_random_between(random, 0.1, 5));
        thing.length = bi_random_between(random, -1.2, -0.3);
    }
    for (int i = 0; i < thing.point_count; ++i) {
        thing.points[i] = test_pose(random, 0.5).t;
    }
    return thing;
}

// ---- answers ------------------------------------------------------------------------------------------------------

static BerthChecker* checker_of(BerthScene* scene) {
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    return segment_checker(scene);
}

/// A ball of 10 cm on a slide along x: one value.
static Kit ball_on_a_slide(void) {
    Kit kit = kit_new();
    const int link = kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
    kit_solid(&kit, link, kit_ball(0.1), v3(0, 0, 0));
    kit_robot(&kit, NULL);
    return kit;
}

static void expect_gap(const Thing* thing, double wanted) {
    Kit kit = ball_on_a_slide();
    assert_int_equal(add_short(kit.scene, "thing", thing, NULL), BERTH_OK);
    BerthChecker* checker = checker_of(kit.scene);
    const BerthCheckRequest request = {.distance = true};
    const double value = 0.0;
    BerthCheckResult r;
    assert_int_equal(berth_check_state(checker, &value, &request, &r), BERTH_OK);
    assert_int_equal(r.verdict, BERTH_FREE);
    assert_true(r.has_clearance);
    if (!(fabs(r.clearance.lower - wanted) < 1e-9 && fabs(r.clearance.upper - wanted) < 1e-9)) {
        fail_msg("%s: gap [%.17g, %.17g], wanted %g", kind_names[thing->kind], r.clearance.lower,
                 r.clearance.upper, wanted);
    }
    berth_checker_destroy(checker);
    kit_free(&kit);
}

// The ball is at the origin. Sizes are full ones, capsules are longer than their length, a cone's tip is up.
static void gaps_are_known_by_hand(void** state) {
    (void)state;
    expect_gap(&(Thing){.kind = BOX, .size = {1, 2, 3}, .pose = kit_at(1, 0, 0), .posed = true}, 0.4);
    expect_gap(&(Thing){.kind = BOX, .size = {1, 2, 3}, .pose = kit_at(0, 2, 0), .posed = true}, 0.9);
    expect_gap(&(Thing){.kind = SPHERE, .radius = 0.5, .size = {0, 0.6, 0.8}}, 0.4);
    const BerthPose above = kit_at(0, 0, 1), below = kit_at(0, 0, -1), beside = kit_at(1, 0, 0);
    expect_gap(&(Thing){.kind = CAPSULE, .radius = 0.2, .length = 1, .pose = above, .posed = true}, 0.2);
    expect_gap(&(Thing){.kind = CAPSULE, .radius = 0.2, .length = 1, .pose = beside, .posed = true}, 0.7);
    expect_gap(&(Thing){.kind = CYLINDER, .radius = 0.2, .length = 1, .pose = above, .posed = true}, 0.4);
    expect_gap(&(Thing){.kind = CYLINDER, .radius = 0.2, .length = 1, .pose = beside, .posed = true}, 0.7);
    expect_gap(&(Thing){.kind = CONE, .radius = 0.4, .length = 1, .pose = below, .posed = true}, 0.4);
    expect_gap(&(Thing){.kind = CONE, .radius = 0.4, .length = 1, .pose = above, .posed = true}, 0.4);
    expect_gap(&(Thing){.kind = HALFSPACE, .size = {0, 0, 1}, .length = -0.5}, 0.4);
    expect_gap(&(Thing){.kind = HALFSPACE, .size = {0, 4, 0}, .length = -2}, 0.4);  // made unit
    expect_gap(&(Thing){.kind = POINTS,
                        .points = {{0.5, 0, 0}, {0, 3, 0}},
                        .point_count = 2,
                        .radius = 0.1,
                        .pose = kit_at(0.2, 0, 0),
                        .posed = true},
               0.5);
    expect_gap(&(Thing){.kind = POINTS, .points = {{0.5, 0, 0}}, .point_count = 1}, 0.4);
}

/// A random body that floats: seven values.
static Kit floating_body(Random* random) {
    Kit kit = kit_new();
    const int link = kit_link(&kit, 0, BERTH_JOINT_FLOATING, v3(0, 0, 0), v3(0, 0, 0));
    const BerthShapeKind kind = segment_pick(random, 2) == 0 ? BERTH_BOX : BERTH_CAPSULE;
    kit_solid(&kit, link, test_shape(kind, 0.2, random), v3(0, 0, 0));
    kit_robot(&kit, NULL);
    return kit;
}

static void compare_state(BerthChecker* a, BerthChecker* b, Random* random, int counts[3]) {
    double values[7];
    const BerthVec3 at = test_pose(random, 1.0).t;
    const double numbers[7] = {at.x,
                               at.y,
                               at.z,
                               bi_random_between(random, -1, 1),
                               bi_random_between(random, -1, 1),
                               bi_random_between(random, -1, 1),
                               1};
    memcpy(values, numbers, sizeof values);
    const BerthCheckRequest request = {.distance = true, .all = true};
    BerthCheckResult x, y;
    assert_int_equal(berth_check_state(a, values, &request, &x), BERTH_OK);
    assert_int_equal(berth_check_state(b, values, &request, &y), BERTH_OK);
    counts[x.verdict] += 1;
    assert_int_equal(x.verdict, y.verdict);
    assert_int_equal(x.reason, y.reason);
    assert_int_equal(x.hit_count, y.hit_count);
    for (int32_t i = 0; i < x.hit_count; ++i) {
        assert_int_equal(x.hits[i].body_a, y.hits[i].body_a);
        assert_int_equal(x.hits[i].body_b, y.hits[i].body_b);
    }
    assert_int_equal(x.has_clearance, y.has_clearance);
    if (x.has_clearance) {
        assert_true(x.clearance.lower == y.clearance.lower && x.clearance.upper == y.clearance.upper);
        assert_int_equal(x.clearance.body_a, y.clearance.body_a);
        assert_int_equal(x.clearance.body_b, y.clearance.body_b);
    }
}

// Bit for bit, and every kind in worlds of its own and among others.
static void answers_are_those_of_objects(void** state) {
    (void)state;
    int counts[3] = {0, 0, 0};
    const int worlds = test_scaled(200);
    for (int w = 0; w < worlds; ++w) {
        Random random = {(uint64_t)w + 8100}, again = random;
        Kit a = floating_body(&random), b = floating_body(&again);
        const int things = w < KINDS ? 1 : 1 + segment_pick(&random, 6);
        for (int i = 0; i < things; ++i) {
            const Kind kind = (Kind)(w < KINDS ? w : segment_pick(&random, KINDS));
            const Thing thing = random_thing(&random, kind);
            char name[16];
            snprintf(name, sizeof name, "thing%d", i);
            if (add_short(a.scene, name, &thing, NULL) != BERTH_OK) {
                fail_msg("world %d: %s", w, berth_error_text());
            }
            add_long(b.scene, name, &thing);
        }
        BerthChecker *x = checker_of(a.scene), *y = checker_of(b.scene);
        for (int n = 0; n < 40; ++n) {
            compare_state(x, y, &random, counts);
        }
        berth_checker_destroy(x);
        berth_checker_destroy(y);
        kit_free(&a);
        kit_free(&b);
    }
    print_message("report shapes: %d worlds, %d free, %d hits, %d unknown\n", worlds, counts[BERTH_FREE],
                  counts[BERTH_COLLISION], counts[BERTH_UNKNOWN]);
    assert_true(counts[BERTH_FREE] > 0 && counts[BERTH_COLLISION] > 0);
}

// ---- what stands in the scene ---------------------------------------------------------------------------------------

static bool same_id(BerthObjectId a, BerthObjectId b) {
    return a.slot == b.slot && a.age == b.age;
}

static void objects_are_found_and_described(void** state) {
    (void)state;
    Random random = {8200};
    Kit kit = ball_on_a_slide();
    BerthObjectId ids[KINDS];
    for (int k = 0; k < KINDS; ++k) {
        Thing thing = random_thing(&random, (Kind)k);
        thing.posed = true;
        assert_int_equal(add_short(kit.scene, kind_names[k], &thing, &ids[k]), BERTH_OK);
        assert_true(same_id(berth_scene_find_object(kit.scene, kind_names[k]), ids[k]));

        BerthObjectInfo info;
        assert_int_equal(berth_scene_object(kit.scene, ids[k], &info), BERTH_OK);
        assert_string_equal(info.name, kind_names[k]);
        assert_string_equal(info.source, kind_names[k]);
        assert_true(info.part_count == 1 && info.robot == -1 && info.link == -1);
        assert_true(info.mass == 0.0 && !info.moving && !info.person && info.speed == 0.0);
        assert_true(info.radius == (k == POINTS ? thing.radius : 0.0));
        const BerthPose pose = k == HALFSPACE ? berth_pose_identity()
                               : k == SPHERE  ? kit_at(thing.size.x, thing.size.y, thing.size.z)
                                              : thing.pose;
        assert_memory_equal(&info.pose, &pose, sizeof pose);
    }
    assert_int_equal(berth_scene_object_count(kit.scene), KINDS);

    // Ids are good for edits, and one that is gone is not another's.
    const BerthPose away = kit_at(9, 9, 9);
    assert_int_equal(berth_scene_commit(kit.scene), BERTH_OK);
    for (int k = 0; k < KINDS; ++k) {
        assert_int_equal(berth_scene_set_object_pose(kit.scene, ids[k], &away), BERTH_OK);
        assert_int_equal(berth_scene_remove_object(kit.scene, ids[k]), BERTH_OK);
        BerthObjectId next;
        assert_int_equal(berth_scene_add_sphere(kit.scene, "next", 0.1, v3(5, 5, 5), &next), BERTH_OK);
        assert_false(same_id(next, ids[k]));
        assert_int_not_equal(berth_scene_remove_object(kit.scene, ids[k]), BERTH_OK);
        assert_int_equal(berth_scene_remove_object(kit.scene, next), BERTH_OK);
    }
    assert_int_equal(berth_scene_object_count(kit.scene), 0);
    assert_int_equal(berth_scene_commit(kit.scene), BERTH_OK);
    kit_free(&kit);
}

// ---- what is refused --------------------------------------------------------------------------------------------------

static void expect_refused(BerthScene* scene, BerthStatus got, const char* fragment) {
    if (got != BERTH_ERR_ARGUMENT || strstr(berth_error_text(), fragment) == NULL) {
        fail_msg("%s: '%s', wanted '%s'", berth_status_name(got), berth_error_text(), fragment);
    }
    assert_int_equal(berth_scene_object_count(scene), 0);
}

static void wrong_sizes_are_refused(void** state) {
    (void)state;
    Kit kit = ball_on_a_slide();
    BerthScene* s = kit.scene;
    const BerthVec3 origin = v3(0, 0, 0);
    static const double wrong[] = {-1.0, -1e-300, (double)NAN, (double)INFINITY, -(double)INFINITY, 1e8};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        const double w = wrong[i];
        expect_refused(s, berth_scene_add_box(s, "b", v3(w, 1, 1), NULL, NULL), "object 'b': box: size x");
        expect_refused(s, berth_scene_add_box(s, "b", v3(1, w, 1), NULL, NULL), "object 'b': box: size y");
        expect_refused(s, berth_scene_add_box(s, "b", v3(1, 1, w), NULL, NULL), "object 'b': box: size z");
        expect_refused(s, berth_scene_add_sphere(s, "s", w, v3(0, 0, 0), NULL), "object 's': sphere");
        expect_refused(s, berth_scene_add_capsule(s, "c", w, 1, NULL, NULL), "object 'c': capsule");
        expect_refused(s, berth_scene_add_capsule(s, "c", 1, w, NULL, NULL), "object 'c': capsule");
        expect_refused(s, berth_scene_add_cylinder(s, "c", w, 1, NULL, NULL), "object 'c': cylinder");
        expect_refused(s, berth_scene_add_cylinder(s, "c", 1, w, NULL, NULL), "object 'c': cylinder");
        expect_refused(s, berth_scene_add_cone(s, "c", w, 1, NULL, NULL), "object 'c': cone");
        expect_refused(s, berth_scene_add_cone(s, "c", 1, w, NULL, NULL), "object 'c': cone");
        const BerthVec3 point = v3(0, w < 0 && isfinite(w) ? (double)NAN : w, 0);
        expect_refused(s, berth_scene_add_points(s, "p", &point, 1, 0.1, NULL, NULL), "point");
        if (!(w > 0 && isfinite(w))) {
            expect_refused(s, berth_scene_add_points(s, "p", &origin, 1, w, NULL, NULL), "'p'");
        }
    }
    expect_refused(s, berth_scene_add_cylinder(s, "c", 0, 1, NULL, NULL), "cylinder");
    expect_refused(s, berth_scene_add_cylinder(s, "c", 1, 0, NULL, NULL), "cylinder");
    expect_refused(s, berth_scene_add_cone(s, "c", 0, 1, NULL, NULL), "cone");
    expect_refused(s, berth_scene_add_cone(s, "c", 1, 0, NULL, NULL), "cone");
    expect_refused(s, berth_scene_add_halfspace(s, "h", v3(0, 0, 0), 0, NULL), "object 'h': halfspace");
    expect_refused(s, berth_scene_add_halfspace(s, "h", v3(0, NAN, 1), 0, NULL), "object 'h': halfspace");
    expect_refused(s, berth_scene_add_halfspace(s, "h", v3(0, 0, 1), NAN, NULL), "object 'h': halfspace");
    expect_refused(s, berth_scene_add_points(s, "p", NULL, 1, 0, NULL, NULL), "point");
    expect_refused(s, berth_scene_add_points(s, "p", &origin, 0, 0, NULL, NULL), "point");
    expect_refused(s, berth_scene_add_points(s, "p", &origin, -1, 0, NULL, NULL), "point");
    expect_refused(s, berth_scene_add_mesh(s, "m", NULL, NULL, NULL), "mesh");

    // What may be zero, is fine.
    assert_int_equal(berth_scene_add_box(s, "flat", v3(1, 1, 0), NULL, NULL), BERTH_OK);
    assert_int_equal(berth_scene_add_sphere(s, "dot", 0, v3(2, 0, 0), NULL), BERTH_OK);
    assert_int_equal(berth_scene_add_capsule(s, "ball", 1, 0, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(s), BERTH_OK);
    kit_free(&kit);
}

// Names and poses of all kinds; ids of what was refused by the scene are zeros.
static void wrong_names_and_poses_are_refused(void** state) {
    (void)state;
    Random random = {8300};
    for (int k = 0; k < KINDS; ++k) {
        Kit kit = ball_on_a_slide();
        Thing thing = random_thing(&random, (Kind)k);
        thing.posed = true;
        BerthObjectId id = {7, 7};
        expect_refused(kit.scene, add_short(kit.scene, NULL, &thing, &id), "name");
        assert_true(same_id(id, (BerthObjectId){0, 0}));
        expect_refused(kit.scene, add_short(kit.scene, "", &thing, NULL), "name");
        if (k != HALFSPACE) {
            Thing bad = thing;
            bad.pose.t.y = bad.size.y = (double)NAN;
            expect_refused(kit.scene, add_short(kit.scene, "x", &bad, NULL), "x");
        }
        if (k != HALFSPACE && k != SPHERE) {
            Thing bad = thing;
            bad.pose.x = v3(2, 0, 0);
            expect_refused(kit.scene, add_short(kit.scene, "x", &bad, NULL), "'x'");
        }
        assert_int_equal(add_short(NULL, "x", &thing, NULL), BERTH_ERR_ARGUMENT);

        // A name is taken once.
        assert_int_equal(add_short(kit.scene, "x", &thing, &id), BERTH_OK);
        assert_int_equal(add_short(kit.scene, "x", &thing, NULL), BERTH_ERR_ARGUMENT);
        assert_non_null(strstr(berth_error_text(), "'x'"));
        assert_int_equal(berth_scene_object_count(kit.scene), 1);
        assert_int_equal(berth_scene_commit(kit.scene), BERTH_OK);
        kit_free(&kit);
    }
}

// ---- memory -------------------------------------------------------------------------------------------------------------

// Also the mesh, which is the scene's from the call on.
static void a_mesh_is_taken_in_any_case(void** state) {
    (void)state;
    Kit kit = ball_on_a_slide();
    BerthScene* const scenes[] = {kit.scene, kit.scene, NULL};
    static const char* const names[] = {"", "there", "mesh"};
    assert_int_equal(berth_scene_add_sphere(kit.scene, "there", 0.1, v3(0, 0, 0), NULL), BERTH_OK);
    for (int i = 0; i < 3; ++i) {
        TestAllocator counts = {.fail_at = -1};
        const BerthAllocator allocator = test_allocator(&counts);
        const BerthVec3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const int32_t t[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
        BerthMesh* mesh = NULL;
        assert_int_equal(berth_mesh_create(v, 4, t, 4, &allocator, &mesh), BERTH_OK);
        assert_int_equal(berth_scene_add_mesh(scenes[i], names[i], mesh, NULL, NULL), BERTH_ERR_ARGUMENT);
        assert_int_equal(counts.live, 0);
    }
    kit_free(&kit);
}

static BerthStatus scene_of_all(void* things, const BerthAllocator* allocator) {
    const Thing* thing = things;
    BerthScene* scene = NULL;
    BerthStatus status = berth_scene_create(allocator, &scene);
    for (int k = 0; k < KINDS && status == BERTH_OK; ++k) {
        BerthObjectId id = {0, 0};
        status = add_short(scene, kind_names[k], &thing[k], &id);
        assert_int_equal(berth_scene_object_count(scene), k + (status == BERTH_OK));
        assert_int_equal(same_id(id, (BerthObjectId){0, 0}), status != BERTH_OK);
        assert_true(same_id(berth_scene_find_object(scene, kind_names[k]), id));
    }
    if (status == BERTH_OK) {
        status = berth_scene_commit(scene);
    }
    berth_scene_destroy(scene);
    return status;
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    Random random = {8400};
    Thing things[KINDS];
    for (int k = 0; k < KINDS; ++k) {
        things[k] = random_thing(&random, (Kind)k);
    }
    assert_true(starve(scene_of_all, things) > 3 * KINDS);  // solid, name, source
}

int test_scene_shapes(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_known_by_hand),
        cmocka_unit_test(answers_are_those_of_objects),
        cmocka_unit_test(objects_are_found_and_described),
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(wrong_names_and_poses_are_refused),
        cmocka_unit_test(a_mesh_is_taken_in_any_case),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
