// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The models are what they say: counts, closed meshes, the same bytes every time, and named states that answer as
// their names promise.

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <berth/berth.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/models.h"
#include "support/program.h"

static BerthScene* read_model(const char* name) {
    const BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    const BerthStatus status = berth_io_read_scene(program_model(name), &options, &scene);
    if (status != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return scene;
}

// The verdict of a scene with each robot in a named state (null: the scene's own), and the clearance.
static BerthVerdict verdict_at(const BerthScene* scene, const char* const* states, double* clearance) {
    double values[64];
    memcpy(values, berth_scene_values(scene), (size_t)berth_scene_value_count(scene) * sizeof *values);
    double* first = values;
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
        if (states[r] != NULL) {
            assert_int_equal(berth_robot_named_state(robot, states[r], first), BERTH_OK);
        }
        first += berth_robot_value_count(robot);
    }
    int32_t outside = 0;
    assert_int_equal(berth_scene_check_values(scene, values, &outside, NULL), BERTH_OK);
    assert_int_equal(outside, 0);
    const BerthCheckerDef def = berth_default_checker_def();
    const BerthCheckRequest request = {.distance = true};
    BerthChecker* checker = NULL;
    BerthCheckResult result;
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
    assert_int_equal(berth_check_state(checker, values, &request, &result), BERTH_OK);
    *clearance = result.has_clearance ? result.clearance.lower : 0.0;
    berth_checker_destroy(checker);
    return result.verdict;
}

// Shaffer & Herb: 35 primitives, 14 of which move, reach 75 in, all within a cube of 250 in.
static void two_arms_has_35_primitives(void** state) {
    (void)state;
    BerthScene* scene = read_model("two_arms/cell.yaml");
    assert_int_equal(berth_scene_robot_count(scene), 2);
    assert_int_equal(berth_scene_value_count(scene), 14);
    int primitives = 0, moving = 0;
    for (int32_t i = 0; i < berth_scene_body_count(scene); ++i) {
        const BerthBodyInfo body = berth_scene_body(scene, i);
        primitives += body.part_count;
        moving += body.fixed ? 0 : body.part_count;
    }
    assert_int_equal(primitives, 35);
    assert_int_equal(moving, 14);
    for (int32_t r = 0; r < 2; ++r) {
        const double reach = berth_robot_reach(berth_scene_robot(scene, r, NULL, NULL));
        assert_true(reach >= 75 * 0.0254 && reach < 75 * 0.0254 + 1e-6);
    }
    for (int32_t i = 0; i < berth_scene_object_count(scene); ++i) {
        BerthObjectInfo object;
        assert_int_equal(berth_scene_object(scene, berth_scene_object_at(scene, i), &object), BERTH_OK);
        const BerthShape* shape = berth_solid_shape(object.solid);
        assert_non_null(shape);
        assert_true(shape->kind == BERTH_BOX || shape->kind == BERTH_CAPSULE);
        assert_true(fabs(object.pose.t.x) <= 125 * 0.0254 && fabs(object.pose.t.y) <= 125 * 0.0254);
    }
    berth_scene_destroy(scene);
}

static void two_arms_states_answer_as_named(void** state) {
    (void)state;
    BerthScene* scene = read_model("two_arms/cell.yaml");
    static const struct {
        const char* states[2];
        BerthVerdict verdict;
        double nearest, farthest;  // of the clearance, metres
    } cases[] = {
        {{NULL, NULL}, BERTH_FREE, 0.05, 0.2},
        {{"home", "home"}, BERTH_FREE, 0.05, 0.2},
        {{"stretched", "stretched"}, BERTH_FREE, 0.02, 0.05},
        {{"reach_front", "home"}, BERTH_FREE, 0.01, 0.06},
        {{"home", "reach_front"}, BERTH_FREE, 0.01, 0.06},
        {{"home", "reach_side"}, BERTH_FREE, 0.01, 0.06},
        {{"reach_front", "reach_front"}, BERTH_COLLISION, 0, 0},
        {{"hit_table", "home"}, BERTH_COLLISION, 0, 0},
        {{"home", "hit_table"}, BERTH_COLLISION, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double clearance = 0.0;
        assert_int_equal(verdict_at(scene, cases[i].states, &clearance), cases[i].verdict);
        assert_true(clearance >= cases[i].nearest && clearance <= cases[i].farthest);
    }
    berth_scene_destroy(scene);
}

static void arm6_is_made_of_closed_meshes(void** state) {
    (void)state;
    BerthScene* scene = read_model("arm6/cell.yaml");
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    assert_int_equal(berth_robot_value_count(robot), 6);
    int triangles = 0;
    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        const int32_t count = berth_robot_link(robot, link).solid_count;
        assert_true(count > 0);
        for (int32_t i = 0; i < count; ++i) {
            BerthPose pose;
            const BerthSolid* solid = berth_robot_solid(robot, link, i, &pose, NULL);
            const BerthMeshInfo mesh = berth_mesh_info(berth_solid_mesh(solid));
            assert_true(mesh.watertight);
            assert_true(mesh.volume > 0.0);
            assert_int_equal(mesh.component_count, 1);
            assert_int_equal(mesh.degenerate_count + mesh.duplicate_count, 0);
            triangles += mesh.triangle_count;
        }
    }
    assert_in_range(triangles, 2400, 2600);
    static const char* const names[] = {"home", "zero", "over_part", "in_table"};
    for (int i = 0; i < 4; ++i) {
        double clearance = 0.0;
        const BerthVerdict wanted = i < 3 ? BERTH_FREE : BERTH_COLLISION;
        assert_int_equal(verdict_at(scene, &names[i], &clearance), wanted);
    }
    for (int32_t i = 0; i < berth_scene_assumed_count(scene); ++i) {
        assert_string_not_equal(berth_scene_assumed(scene, i).what, "open_meshes");
    }
    berth_scene_destroy(scene);
}

static void room_has_every_primitive(void** state) {
    (void)state;
    BerthScene* scene = read_model("room/cell.yaml");
    bool seen[BERTH_SHAPE_KIND_COUNT] = {false};
    for (int32_t i = 0; i < berth_scene_object_count(scene); ++i) {
        BerthObjectInfo object;
        assert_int_equal(berth_scene_object(scene, berth_scene_object_at(scene, i), &object), BERTH_OK);
        assert_non_null(berth_solid_shape(object.solid));
        seen[berth_solid_shape(object.solid)->kind] = true;
    }
    assert_true(seen[BERTH_SPHERE] && seen[BERTH_CAPSULE] && seen[BERTH_BOX] && seen[BERTH_CYLINDER] &&
                seen[BERTH_CONE] && seen[BERTH_HALFSPACE]);
    const char* const none[] = {NULL};
    double clearance = 0.0;
    assert_int_equal(verdict_at(scene, none, &clearance), BERTH_FREE);
    berth_scene_destroy(scene);
}

// Thesis 004's arm: two of its states collide; its 159 balls hold its capsules, by points all over them.
static void arm159_is_in_its_balls(void** state) {
    (void)state;
    BerthScene* scene = read_model("arm159/cell.yaml");
    BerthScene* balls = read_model("arm159/arm159_spheres.urdf");
    static const char* const names[] = {"state1", "state2", "state3", "state4"};
    for (int i = 0; i < 4; ++i) {
        double clearance = 0.0;
        assert_int_equal(verdict_at(scene, &names[i], &clearance), i < 2 ? BERTH_COLLISION : BERTH_FREE);
    }
    const BerthRobot* arm = berth_scene_robot(scene, 0, NULL, NULL);
    const BerthRobot* cover = berth_scene_robot(balls, 0, NULL, NULL);
    int count = 0;
    for (int32_t link = 1; link < berth_robot_link_count(arm); ++link) {
        BerthPose place;
        const BerthShape* shape = berth_solid_shape(berth_robot_solid(arm, link, 0, &place, NULL));
        const double radius = shape->as.capsule.radius, length = shape->as.capsule.length;
        const int32_t of_link = berth_robot_link(cover, link).solid_count;
        count += of_link;
        for (int k = 0; k < 20000; ++k) {  // surface, where the capsule is widest
            const double turn = 0.1 * k, along = (k % 2000) / 1999.0 * (length + 2 * radius);
            const double z = along - radius;  // from the link's origin
            const double past = z < 0 ? -z : z > length ? z - length : 0;
            const double wide = sqrt(fmax(radius * radius - past * past, 0));
            bool held = false;
            for (int32_t i = 0; i < of_link && !held; ++i) {
                const double r =
                    berth_solid_shape(berth_robot_solid(cover, link, i, &place, NULL))->as.sphere.radius;
                const double x = wide * cos(turn) - place.t.x, y = wide * sin(turn) - place.t.y;
                held = x * x + y * y + (z - place.t.z) * (z - place.t.z) <= r * r;
            }
            assert_true(held);
        }
    }
    assert_int_equal(count, 159);
    berth_scene_destroy(scene);
    berth_scene_destroy(balls);
}

// FNV-1a over the bytes of every file of a folder, summed so that the folder's order does not matter.
static uint64_t folder_hash(const char* path, int* files) {
    uint64_t sum = 0;
    DIR* folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        char name[1024];
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        FILE* file = fopen(name, "rb");
        assert_non_null(file);
        uint64_t hash = 14695981039346656037u;
        for (const char* c = entry->d_name; *c != '\0'; ++c) {
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        }
        for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
            hash = (hash ^ (uint64_t)c) * 1099511628211u;
        }
        fclose(file);
        sum += hash;
        *files += 1;
    }
    closedir(folder);
    return sum;
}

static void remove_folder(const char* path) {
    DIR* folder = opendir(path);
    for (const struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char name[1024];
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        (void)remove(name);
    }
    closedir(folder);
    (void)remove(path);
}

// Written again here they have the bytes that make_models wrote, with no file left beside.
static void models_have_the_same_bytes_every_time(void** state) {
    (void)state;
    char parent[] = "/tmp/berth-models-XXXXXX";
    assert_non_null(mkdtemp(parent));
    for (int i = 0; i < bi_model_count; ++i) {
        assert_true(bi_model_write(&bi_models[i], parent));
        assert_true(bi_model_write(&bi_models[i], parent));  // over itself
        char again[256];
        (void)snprintf(again, sizeof again, "%s/%s", parent, bi_models[i].name);
        int files = 0, files_again = 0;
        const uint64_t hash = folder_hash(program_model(bi_models[i].name), &files);
        const uint64_t hash_again = folder_hash(again, &files_again);
        assert_int_equal(files, files_again);
        assert_true(files >= 2);
        assert_true(hash == hash_again);
        remove_folder(again);
    }
    (void)remove(parent);
}

static void a_folder_that_cannot_be_written_is_said(void** state) {
    (void)state;
    for (int i = 0; i < bi_model_count; ++i) {
        assert_false(bi_model_write(&bi_models[i], "/dev/null"));
        assert_false(bi_models[i].write("/nowhere/at/all"));
    }
}

int test_models_make(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_arms_has_35_primitives),
        cmocka_unit_test(two_arms_states_answer_as_named),
        cmocka_unit_test(arm6_is_made_of_closed_meshes),
        cmocka_unit_test(room_has_every_primitive),
        cmocka_unit_test(arm159_is_in_its_balls),
        cmocka_unit_test(models_have_the_same_bytes_every_time),
        cmocka_unit_test(a_folder_that_cannot_be_written_is_said),
    };
    return cmocka_run_group_tests_name("models_make", tests, NULL, NULL);
}
