// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Simple bodies around every link of real robots: random points of surfaces and of insides are in them; and what `berth info
// --capsules` says of them.

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <berth/io.h>
#include <berth/monitor.h>

#include "math/math.h"
#include "scene/scene.h"
#include "shape/gap.h"
#include "support/program.h"
#include "support/robots.h"
#include "support/setting.h"
#include "tree/solid.h"

enum { SHAPES = 512 };

// Written out: distance to a segment, and within a box.
static bool is_in(const BerthSimpleBody* body, Vec3 p) {
    const Vec3 local = pose_apply_back(&body->pose, p);
    if (body->shape.kind == BERTH_CAPSULE) {
        const double half = 0.5 * body->shape.as.capsule.length;
        const double z = fmin(fmax(local.z, -half), half);
        return v3_distance(local, v3(0, 0, z)) <= body->shape.as.capsule.radius + 1e-12;
    }
    if (body->shape.kind == BERTH_BOX) {
        const Vec3 h = body->shape.as.box.half;
        return fabs(local.x) <= h.x + 1e-12 && fabs(local.y) <= h.y + 1e-12 && fabs(local.z) <= h.z + 1e-12;
    }
    return true;  // shapes guard themselves
}

static bool is_in_one(const BerthSimpleBody* bodies, int32_t count, Vec3 p) {
    for (int32_t i = 0; i < count; ++i) {
        if (is_in(&bodies[i], p)) {
            return true;
        }
    }
    return false;
}

static Vec3 random_on(const BerthMesh* mesh, Random* random) {
    Vec3 t[3];
    mesh_triangle(mesh, (int32_t)(bi_random_next(random) % (uint64_t)mesh->info.triangle_count), t);
    double u = bi_random_between(random, 0, 1);
    double v = bi_random_between(random, 0, 1);
    if (u + v > 1.0) {
        u = 1.0 - u;
        v = 1.0 - v;
    }
    return v3_add(t[0], v3_add(v3_scale(v3_sub(t[1], t[0]), u), v3_scale(v3_sub(t[2], t[0]), v)));
}

static int64_t try_points(const BerthScene* scene, int32_t body, const BerthSimpleBody* guards, int32_t count,
                          Random* random) {
    int64_t tried = 0;
    const SceneBody* b = &scene->bodies[body];
    for (int32_t p = b->first_part; p < b->first_part + b->part_count; ++p) {
        const ScenePart* part = &scene->parts[p];
        for (int n = 0; part->solid->is_mesh && n < test_scaled(300); ++n) {
            const Vec3 on = random_on(part->solid->mesh, random);
            const Vec3 other = random_on(part->solid->mesh, random);
            const Vec3 between = v3_lerp(on, other, bi_random_between(random, 0, 1));
            const bool inside =
                part->solid->mesh->info.watertight && bi_mesh_contains_slow(part->solid->mesh, between);
            const Vec3 p_world = pose_apply(&part->frame_from_part, n % 2 == 0 || !inside ? on : between);
            tried += 1;
            if (!is_in_one(guards, count, p_world)) {
                fail_msg("%s: a point of it is in none of its %d bodies", b->name, (int)count);
            }
        }
    }
    return tried;
}

static void robots_are_covered(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the folder of shared robots is not there");
    }
    static BerthSimpleBody guards[SHAPES];
    Random random = {17};
    int64_t tried = 0;
    const char* last = "";
    for (const TestRobot* r = test_robots; r->name != NULL; ++r) {
        if (!test_robot_is_due(r) || strcmp(last, r->urdf) == 0) {
            continue;  // or the same with another SRDF
        }
        last = r->urdf;
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        BerthScene* scene = NULL;
        def.robot = test_read_robot(r, false, true);
        if (def.robot == NULL) {
            continue;
        }
        def.own = true;
        assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
        assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
        assert_int_equal(berth_scene_commit(scene), BERTH_OK);
        BerthMonitorDef monitor = berth_default_monitor_def();
        // A few links of each robot: large meshes take a second each.
        const int32_t bodies = berth_scene_body_count(scene);
        const int32_t step = 1 + bodies / test_scaled(4);
        for (int32_t i = (int32_t)(bi_random_next(&random) % (uint64_t)step); i < bodies; i += step) {
            monitor.capsules = 1 + i % 4;
            BerthSimpleBodyFit fit;
            if (berth_simple_body_fit(scene, i, &monitor, guards, SHAPES, &fit) != BERTH_OK) {
                fail_msg("%s", berth_error_text());
            }
            assert_true(fit.covered && fit.count >= 1 && fit.count <= SHAPES && fit.volume > 0.0);
            assert_true(fit.protrusion >= 0.0 && fit.protrusion < 1.0);
            tried += try_points(scene, i, guards, fit.count, &random);
        }
        berth_scene_destroy(scene);
    }
    print_message("%lld points\n", (long long)tried);
    assert_true(tried > 0);
}

static void info_shows_them(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    ProgramRun run = program_run("info", cell, "--capsules", "--json", NULL);
    assert_int_equal(run.status, 0);
    json_t* json = program_json_line(&run, 0);
    const json_t* list = json_object_get(json, "guards");
    assert_int_equal(json_array_size(list), 35);
    size_t capsules = 0;
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const json_t* one = json_array_get(list, i);
        assert_true(json_is_true(json_object_get(one, "covered")));
        assert_true(json_is_string(json_object_get(one, "body")));
        assert_true(json_number_value(json_object_get(one, "volume")) > 0.0);
        assert_true(json_number_value(json_object_get(one, "hull_volume")) > 0.0);
        assert_true(json_number_value(json_object_get(one, "protrusion")) >= 0.0);
        const json_t* shape = json_array_get(json_object_get(one, "shapes"), 0);
        capsules += strcmp(json_string_value(json_object_get(shape, "kind")), "capsule") == 0;
    }
    assert_int_equal(capsules, 15);
    json_decref(json);
    program_free(&run);
    run = program_run("info", cell, "--capsules", NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "covered"));
    assert_non_null(strstr(run.out, "capsule radius"));
    program_free(&run);
}

// A fit that runs out of memory says so and keeps nothing.
typedef struct Counted {
    int64_t left;
    int64_t held;
} Counted;

static void* take_counted(void* user, size_t size, size_t align) {
    Counted* c = user;
    (void)align;
    if (c->left-- <= 0) {
        return NULL;
    }
    c->held += 1;
    return malloc(size > 0 ? size : 1);
}

static void give_counted(void* user, void* block, size_t size) {
    Counted* c = user;
    (void)size;
    c->held -= block != NULL;
    free(block);
}

static void memory_fails(void** state) {
    (void)state;
    const BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    assert_int_equal(berth_io_read_scene(program_model("two_arms/cell.yaml"), &options, &scene), BERTH_OK);
    static const char* const bodies[] = {"front_box"};
    static const char* const ignore[] = {"left/base"};
    const BerthMonitorOption option = {"here", bodies, 1};
    const BerthMonitorOption both[] = {option, {"gone", NULL, 0}};
    const BerthMonitorChoice choice = {.name = "box", .options = both, .option_count = 2};
    BerthMonitorCloud cloud = {.name = "eye", .capacity = 100, .radius = 0.01, .ignore = ignore};
    cloud.ignore_count = berth_scene_find_body(scene, ignore[0]) >= 0 ? 1 : 0;
    for (int32_t r = 0; r < 2; ++r) {
        for (int32_t j = 0; j < berth_robot_joint_count(berth_scene_robot(scene, r, NULL, NULL)); ++j) {
            assert_int_equal(berth_scene_set_joint_limit(scene, r, j, &(BerthJointLimit){1, 1, 1}), BERTH_OK);
        }
    }
    int64_t n = 0;
    BerthStatus status = BERTH_ERR_MEMORY;
    for (; status == BERTH_ERR_MEMORY; ++n) {
        Counted counted = {.left = n};
        BerthMonitorDef def = berth_default_monitor_def();
        BerthMonitor* monitor = NULL;
        def.allocator = (BerthAllocator){take_counted, give_counted, &counted};
        def.safety = (BerthSafety){
            .period = 0.001, .latency = 0.001, .reaction = 0.01, .silence = 0.005, .margin = 0.01};
        def.clouds = &cloud;
        def.cloud_count = 1;
        def.choices = &choice;
        def.choice_count = 1;
        def.refine = true;
        status = berth_monitor_create(scene, &def, &monitor);
        assert_true(status == BERTH_OK || status == BERTH_ERR_MEMORY);
        assert_true((monitor != NULL) == (status == BERTH_OK));
        berth_monitor_destroy(monitor);
        assert_int_equal(counted.held, 0);
    }
    print_message("%lld allocations\n", (long long)n);
    assert_int_equal(status, BERTH_OK);
    assert_true(n > 10);
    berth_scene_destroy(scene);
}

int test_monitor_fit(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_are_covered),
        cmocka_unit_test(info_shows_them),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
