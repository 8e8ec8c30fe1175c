// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The environments of paper 001 have its sizes, are closed, load and stand free where they say so; refining a surface
// changes nothing but its triangles; the grazing tools pass at the clearance that was asked for.
// test-share: 1

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <berth/berth.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "models/kit.h"
#include "models/models.h"
#include "support/expect.h"
#include "support/setting.h"

typedef struct Sizes {
    const char* name;
    int robots, joints;          // joints of each
    int robot, obstacles;        // triangles: of each robot, of all objects
    int paper_robot, paper_all;  // as the paper prints them
    double forearm;              // L_ref of Table II; 0 where it is a link of a chain
} Sizes;

// Odd numbers of the paper are one less here: a closed surface has an even number of triangles.
static const Sizes all_sizes[] = {
    {"tori", 2, 20, 320, 18000, 320, 18000, 0},
    {"cage6", 1, 6, 2990, 432, 2991, 432, 1.77},
    {"cage6_gun", 1, 6, 2502, 432, 2502, 432, 1.65},
    {"lattice20", 1, 20, 320, 384, 320, 384, 0},
    {"machine", 1, 6, 2502, 34170, 2502, 34171, 1.16},
    {"workshop", 1, 6, 5450, 74680, 5450, 74681, 0.64},
    {"car6", 6, 6, 3594, 19668, 3594, 19668, 1.59},
    {"car6_small", 6, 6, 2502, 4016, 2502, 4016, 1.32},
    {"graze_a", 1, 6, 2502, 8000, 2502, 8000, 1.65},
    {"graze_b", 1, 6, 2502, 48012, 2502, 48012, 1.65},  // six faces of 8,000, and the pedestal
    {"graze_c", 1, 6, 2502, 48012, 2502, 48012, 1.65},
};
#define SIZES_COUNT (sizeof all_sizes / sizeof all_sizes[0])

// The models are the same for every compiler, and reading the large ones takes most of the time: where not all cases are
// wanted every third of them is asked.
static size_t next_of(size_t i) {
    return i + (test_is_whole() ? 1 : 3);
}

static const char* cell_of(const char* name) {
    char path[64];
    (void)snprintf(path, sizeof path, "%s/cell.yaml", name);
    return program_model(path);
}

static int closed_triangles(const BerthSolid* solid) {
    assert_non_null(berth_solid_mesh(solid));
    const BerthMeshInfo mesh = berth_mesh_info(berth_solid_mesh(solid));
    assert_true(mesh.watertight);
    assert_true(mesh.volume > 0.0);
    assert_int_equal(mesh.open_edge_count + mesh.degenerate_count + mesh.duplicate_count, 0);
    return mesh.triangle_count;
}

static int link_triangles(const BerthRobot* robot, int32_t link) {
    int triangles = 0;
    for (int32_t i = 0; i < berth_robot_link(robot, link).solid_count; ++i) {
        BerthPose pose;
        triangles += closed_triangles(berth_robot_solid(robot, link, i, &pose, NULL));
    }
    return triangles;
}

static int robot_triangles(const BerthRobot* robot) {
    int triangles = 0;
    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        triangles += link_triangles(robot, link);
    }
    return triangles;
}

static void sizes_are_the_papers(void** state) {
    (void)state;
    for (size_t i = 0; i < SIZES_COUNT; ++i) {
        const Sizes* sizes = &all_sizes[i];
        BerthScene* scene = expect_scene(cell_of(sizes->name));
        assert_int_equal(berth_scene_robot_count(scene), sizes->robots);
        for (int32_t r = 0; r < sizes->robots; ++r) {
            const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
            assert_int_equal(berth_robot_value_count(robot), sizes->joints);
            assert_int_equal(robot_triangles(robot), sizes->robot);
            if (sizes->robot == 2502) {  // the one with a welding gun: its end effector has 1,080
                assert_int_equal(link_triangles(robot, berth_robot_link_count(robot) - 1), 1080);
            }
        }
        int obstacles = 0;
        for (int32_t k = 0; k < berth_scene_object_count(scene); ++k) {
            BerthObjectInfo object;
            assert_int_equal(berth_scene_object(scene, berth_scene_object_at(scene, k), &object), BERTH_OK);
            obstacles += closed_triangles(object.solid);
        }
        assert_int_equal(obstacles, sizes->obstacles);
        assert_true(sizes->paper_robot - sizes->robot == sizes->paper_robot % 2);
        assert_true(sizes->paper_all - sizes->obstacles == sizes->paper_all % 2);
        berth_scene_destroy(scene);
    }
}

// Table II: delta and zeta mean the same as in the paper only at its scale.
static void forearms_have_the_papers_lengths(void** state) {
    (void)state;
    for (size_t i = 0; i < SIZES_COUNT; ++i) {
        if (all_sizes[i].forearm == 0.0) {
            continue;
        }
        const ArmDef arm = {.name = "arm", .tool = ARM_GUN, .scale = all_sizes[i].forearm / ARM_FOREARM};
        char path[64];
        (void)snprintf(path, sizeof path, "%s/arm.urdf", all_sizes[i].name);
        FILE* file = fopen(program_model(path), "r");
        assert_non_null(file);
        char line[256], wanted[64];
        bool found = false;
        (void)snprintf(wanted, sizeof wanted, "<origin xyz=\"%.9g 0 0\"/>", ARM_FOREARM * arm.scale);
        while (fgets(line, sizeof line, file) != NULL) {
            found = found || strstr(line, wanted) != NULL;
        }
        fclose(file);
        assert_true(found);
    }
}

static void start_and_goal_are_free(void** state) {
    (void)state;
    static const char* const names[] = {"start", "goal"};
    for (size_t i = 0; i < 2 * SIZES_COUNT; i = next_of(i)) {
        ProgramRun run =
            program_run("check", cell_of(all_sizes[i / 2].name), "--state", names[i % 2], "--json", NULL);
        if (run.status != 0) {
            fail_msg("%s at %s: exit %d\n%s%s", all_sizes[i / 2].name, names[i % 2], run.status, run.out,
                     run.err);
        }
        json_t* answer = program_json_line(&run, 0);
        assert_string_equal(json_string_value(json_object_get(answer, "verdict")), "free");
        assert_null(strstr(run.out, "open_meshes"));
        json_decref(answer);
        program_free(&run);
    }
}

// Random states are neither all free nor all in collision, so that random segments are worth testing.
// The skinny arm seldom gets up to its lattice.
static void random_states_are_of_both_kinds(void** state) {
    (void)state;
    for (size_t i = 0; i < SIZES_COUNT; i = next_of(i)) {
        BerthScene* scene = expect_scene(cell_of(all_sizes[i].name));
        enum { ROWS = 200, VALUES_MAX = 40 };
        static double values[ROWS * VALUES_MAX];
        assert_true(berth_scene_value_count(scene) <= VALUES_MAX);
        program_random_states(scene, 7, ROWS, values);
        const int free = expect_free_states(scene, values, ROWS);
        if (free < ROWS / 100 || free == ROWS) {
            fail_msg("%s: %d of %d random states are free", all_sizes[i].name, free, ROWS);
        }
        berth_scene_destroy(scene);
    }
}

// Clearance at a state of the turn, and whether tool and obstacle are what is nearest.
static double clearance_at(BerthChecker* checker, const BerthScene* scene, double turn,
                           bool* tool_is_nearest) {
    double values[ARM_JOINT_COUNT];
    memcpy(values, berth_scene_values(scene), sizeof values);
    values[0] = turn;
    const BerthCheckRequest request = {.distance = true};
    BerthCheckResult result;
    assert_int_equal(berth_check_state(checker, values, &request, &result), BERTH_OK);
    assert_int_equal(result.verdict, BERTH_FREE);
    const int32_t tool = berth_scene_find_body(scene, "link6"),
                  grazed = berth_scene_find_body(scene, "grazed");
    assert_true(tool >= 0 && grazed >= 0);
    *tool_is_nearest = (result.clearance.body_a == tool && result.clearance.body_b == grazed) ||
                       (result.clearance.body_a == grazed && result.clearance.body_b == tool);
    return result.clearance.lower;
}

static void tools_graze_at_the_clearance_asked_for(void** state) {
    (void)state;
    static const double zetas[] = {0.1, GRAZE_ZETA, 1e-6};
    enum { STEPS = 180 };
    for (int i = 0; i < 9; ++i) {
        const GrazeCase which = (GrazeCase)(i % 3);
        const double zeta = zetas[i / 3];
        if (zeta != GRAZE_ZETA && !test_is_whole()) {
            continue;
        }
        assert_true(bi_write_graze(program_temporary("."), which, zeta));
        BerthScene* scene = expect_scene(program_temporary("cell.yaml"));
        const BerthCheckerDef def = berth_default_checker_def();
        BerthChecker* checker = NULL;
        assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
        int near = 0;
        for (int step = 0; step <= STEPS; ++step) {
            bool tool_is_nearest = false;
            const double turn = 3.14159 * (2.0 * step / STEPS - 1.0);
            const double clearance = clearance_at(checker, scene, turn, &tool_is_nearest);
            assert_true(clearance > zeta);
            const bool grazes = tool_is_nearest && clearance < 1.02 * zeta;
            near += grazes ? 1 : 0;
            assert_true(grazes || step != STEPS / 2);  // over the middle of the box
        }
        // All the time over the floor; the boxes, 2 m and 0.5 m wide, take 33 and 8 degrees at 3.5 m, steps of 2.
        static const int least[] = {STEPS + 1, 15, 3}, most[] = {STEPS + 1, 19, 6};
        assert_in_range(near, least[which], most[which]);
        berth_checker_destroy(checker);
        berth_scene_destroy(scene);
    }
    program_remove_temporary();
}

static void grazing_paths_are_free(void** state) {
    (void)state;
    static const char* const names[] = {"graze_a", "graze_b", "graze_c"};
    for (int i = 0; i < 3; ++i) {
        char csv[64];
        (void)snprintf(csv, sizeof csv, "%s/path.csv", names[i]);
        ProgramRun run =
            program_run("path", cell_of(names[i]), program_model(csv), "--json", "--limits", NULL);
        assert_int_equal(run.status, 0);
        program_free(&run);
        run =
            program_run("path", cell_of(names[i]), program_model(csv), "--json", "--margin", "0.0011", NULL);
        assert_int_equal(run.status, 1);
        program_free(&run);
    }
}

static BerthMeshInfo mesh_of(const Surface* s) {
    assert_false(s->failed);
    BerthMesh* mesh = NULL;
    assert_int_equal(
        berth_mesh_create(s->vertices, s->vertex_count, &s->triangles[0][0], s->triangle_count, NULL, &mesh),
        BERTH_OK);
    const BerthMeshInfo info = berth_mesh_info(mesh);
    berth_mesh_destroy(mesh);
    return info;
}

// Every even number of triangles is met; the solid stays what it was and closed.
static void refining_keeps_the_solid(void** state) {
    (void)state;
    static const Piece pieces[] = {
        {.owner = "box", .size = {1, 2, 3}, .chamfer = 0.1, .turn = {0.3, 0.2, 0.1}},
        {.owner = "bar", .size = {1, 0.02, 0.03}, .place = {1, 2, 3}},
        {.owner = "turned", .profile = {{0.1, 0}, {0.2, 0.5}, {0.1, 1}}, .profile_count = 3, .sides = 9},
    };
    for (int p = 0; p < 3; ++p) {
        Surface coarse = {0};
        bi_piece_add(&coarse, &pieces[p], 0);
        const BerthMeshInfo before = mesh_of(&coarse);
        for (int extra = 0; extra < 400; extra += test_is_whole() ? 2 : 26) {
            Surface s = {0};
            bi_piece_add(&s, &pieces[p], 0);
            bi_surface_refine(&s, 0, before.triangle_count + extra);
            const BerthMeshInfo after = mesh_of(&s);
            assert_true(after.watertight);
            assert_int_equal(after.component_count, 1);
            assert_int_equal(after.triangle_count, before.triangle_count + extra);
            assert_true(fabs(after.volume - before.volume) < 1e-12 * before.volume);
            assert_true(fabs(after.area - before.area) < 1e-12 * before.area);
            bi_surface_free(&s);
        }
        bi_surface_free(&coarse);
    }
}

// The outer side faces outward: volumes are positive and as large as closed forms say.
static void solids_have_their_volumes(void** state) {
    (void)state;
    Surface s = {0};
    bi_surface_add_bar(&s, v3(4, 5, 6), v3(1, 2, 3));
    assert_true(fabs(mesh_of(&s).volume - 6.0) < 1e-12);
    bi_surface_free(&s);
    bi_surface_add_torus(&s, 2, 0.5, 100, 60);
    const double torus = 2 * 9.869604401089358 * 2 * 0.25;
    assert_int_equal(mesh_of(&s).triangle_count, 12000);
    assert_true(fabs(mesh_of(&s).volume - torus) < 0.01 * torus);
    bi_surface_free(&s);
    const Sheet sheet = {{{0, 0, 0}, {2, 0, 0}, {2, 3, 0}, {0, 3, 0}}, {0, 0, 0.5}, {0, 0, -0.1}};
    bi_surface_add_sheet(&s, &sheet, 7, 5);
    assert_int_equal(mesh_of(&s).triangle_count, 4 * 35 + 4 * 12);
    assert_true(mesh_of(&s).watertight);
    assert_true(fabs(mesh_of(&s).volume - 0.6) < 1e-12);  // sheared upward, so as large as a flat one
    bi_surface_free(&s);
    bi_surface_add_floor(&s, 4, 0.3, 10, 300);
    assert_int_equal(mesh_of(&s).triangle_count, 300);
    assert_true(fabs(mesh_of(&s).volume - 16 * 0.3 / 3) < 1e-12);
    bi_surface_free(&s);
    bi_surface_add_faceted_box(&s, v3(1, 2, 3), v3(0.3, 0.7, 1.1), 7, 110);
    assert_int_equal(mesh_of(&s).triangle_count, 660);
    assert_true(mesh_of(&s).watertight);
    assert_true(fabs(mesh_of(&s).volume - 0.3 * 0.7 * 1.1) < 1e-12);
    bi_surface_free(&s);
}

static void impossible_budgets_are_said(void** state) {
    (void)state;
    static const Piece box = {.owner = "box", .size = {1, 1, 1}, .chamfer = 0.1};
    static const int wrong[] = {43, 45, 42, 101};
    for (int i = 0; i < 4; ++i) {
        Surface s = {0};
        bi_piece_add(&s, &box, wrong[i]);
        assert_true(s.failed);
        assert_false(bi_surface_write(&s, program_temporary("."), "box.stl"));
        bi_surface_free(&s);
        int share = 0;
        assert_false(bi_share_triangles(&box, 1, wrong[i], &share));
    }
    int share = 0;
    assert_true(bi_share_triangles(&box, 1, 44, &share));
    assert_int_equal(share, 44);
    program_remove_temporary();
}

int test_models_paper001(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_the_papers),
        cmocka_unit_test(forearms_have_the_papers_lengths),
        cmocka_unit_test(start_and_goal_are_free),
        cmocka_unit_test(random_states_are_of_both_kinds),
        cmocka_unit_test(tools_graze_at_the_clearance_asked_for),
        cmocka_unit_test(grazing_paths_are_free),
        cmocka_unit_test(refining_keeps_the_solid),
        cmocka_unit_test(solids_have_their_volumes),
        cmocka_unit_test(impossible_budgets_are_said),
    };
    return cmocka_run_group_tests_name("models_paper001", tests, NULL, NULL);
}
