// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The humanoid and the kitchen of paper 002 have its sizes, are closed shell by shell, mirror left and right, load, and
// stand free or hit where their states say so; lofts and tubes have the volumes of closed forms.
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
#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "models/kit.h"
#include "models/models.h"
#include "support/expect.h"
#include "support/setting.h"

#define HUMANOID_TRIANGLES 16440
#define KITCHEN_TRIANGLES 95000

// ---- closed, shell by shell, without the library's own topology

// A side of a triangle, low vertex first; +1 when it goes from low to high.
typedef struct Side {
    int32_t low, high, way, triangle;
} Side;

static int compare_sides(const void* left, const void* right) {
    const Side *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    return (a->high > b->high) - (a->high < b->high);
}

static int32_t root_of(int32_t* parent, int32_t at) {
    while (parent[at] != at) {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    return at;
}

// Every side is met by exactly one in the other direction; triangles that share sides are one shell.
static void join_shells(const int32_t* triangles, int32_t count, int32_t* parent) {
    Side* sides = malloc((size_t)(3 * count) * sizeof *sides);
    assert_non_null(sides);
    for (int32_t i = 0; i < 3 * count; ++i) {
        const int32_t a = triangles[i], b = triangles[i % 3 == 2 ? i - 2 : i + 1];
        assert_int_not_equal(a, b);
        sides[i] = a < b ? (Side){a, b, 1, i / 3} : (Side){b, a, -1, i / 3};
    }
    qsort(sides, (size_t)(3 * count), sizeof *sides, compare_sides);
    for (int32_t i = 0; i < 3 * count; i += 2) {
        assert_true(i + 1 < 3 * count && compare_sides(&sides[i], &sides[i + 1]) == 0);
        assert_int_equal(sides[i].way + sides[i + 1].way, 0);
        assert_true(i + 2 >= 3 * count || compare_sides(&sides[i], &sides[i + 2]) != 0);
        parent[root_of(parent, sides[i].triangle)] = root_of(parent, sides[i + 1].triangle);
    }
    free(sides);
}

// The shells of a closed mesh, each with a positive volume. Returns how many.
static int count_shells(const BerthMesh* mesh) {
    const BerthMeshInfo info = berth_mesh_info(mesh);
    const BerthVec3* vertices = berth_mesh_vertices(mesh);
    const int32_t* triangles = berth_mesh_triangles(mesh);
    int32_t* parent = malloc((size_t)info.triangle_count * sizeof *parent);
    double* volume = calloc((size_t)info.triangle_count, sizeof *volume);
    assert_true(parent != NULL && volume != NULL);
    for (int32_t i = 0; i < info.triangle_count; ++i) {
        parent[i] = i;
    }
    join_shells(triangles, info.triangle_count, parent);
    for (int32_t i = 0; i < info.triangle_count; ++i) {
        const int32_t* t = triangles + 3 * (ptrdiff_t)i;
        const Vec3 cross = v3_cross(vertices[t[1]], vertices[t[2]]);
        volume[root_of(parent, i)] += v3_dot(vertices[t[0]], cross) / 6.0;
    }
    int shells = 0;
    for (int32_t i = 0; i < info.triangle_count; ++i) {
        if (root_of(parent, i) == i) {
            assert_true(volume[i] > 0.0);
            ++shells;
        }
    }
    free(parent);
    free(volume);
    return shells;
}

static int closed_triangles(const BerthSolid* solid, int* shells) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    assert_non_null(mesh);
    const BerthMeshInfo info = berth_mesh_info(mesh);
    assert_true(info.watertight);
    assert_int_equal(info.open_edge_count + info.degenerate_count + info.duplicate_count, 0);
    const int found = count_shells(mesh);
    assert_int_equal(found, info.component_count);
    *shells += found;
    return info.triangle_count;
}

// Signed volume of a binary STL as it is in the file: what the maker wrote, before the loader could turn a shell.
static double raw_volume(const char* path) {
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char record[50];
    uint32_t count = 0;
    double volume = 0.0;
    assert_int_equal(fseek(file, 80, SEEK_SET), 0);
    assert_int_equal(fread(&count, sizeof count, 1, file), 1);  // little-endian, as this machine is
    for (uint32_t i = 0; i < count; ++i) {
        float f[12];
        assert_int_equal(fread(record, sizeof record, 1, file), 1);
        memcpy(f, record, sizeof f);
        const Vec3 a = v3((double)f[3], (double)f[4], (double)f[5]);
        const Vec3 b = v3((double)f[6], (double)f[7], (double)f[8]);
        const Vec3 c = v3((double)f[9], (double)f[10], (double)f[11]);
        volume += v3_dot(a, v3_cross(b, c)) / 6.0;
    }
    fclose(file);
    return volume;
}

static int robot_triangles(const BerthRobot* robot, int* shells) {
    int triangles = 0, links = 0;
    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        const int32_t count = berth_robot_link(robot, link).solid_count;
        for (int32_t i = 0; i < count; ++i) {
            BerthPose pose;
            const BerthSolid* solid = berth_robot_solid(robot, link, i, &pose, NULL);
            triangles += closed_triangles(solid, shells);
            char path[96];
            (void)snprintf(path, sizeof path, "humanoid23/%s.stl", berth_robot_link(robot, link).name);
            const double volume = berth_mesh_info(berth_solid_mesh(solid)).volume;
            assert_true(fabs(raw_volume(program_model(path)) - volume) < 1e-6 * volume);
        }
        links += count > 0 ? 1 : 0;
    }
    assert_int_equal(links, 21);
    return triangles;
}

static void sizes_are_the_papers(void** state) {
    (void)state;
    static const char* const cells[] = {"humanoid23/cell.yaml", "kitchen/cell.yaml"};
    for (int i = 0; i < 2; ++i) {
        BerthScene* scene = expect_scene(program_model(cells[i]));
        assert_int_equal(berth_scene_robot_count(scene), 1);
        int shells = 0;
        const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
        assert_int_equal(robot_triangles(robot, &shells), HUMANOID_TRIANGLES);
        int obstacles = 0;
        for (int32_t k = 0; k < berth_scene_object_count(scene); ++k) {
            BerthObjectInfo object;
            assert_int_equal(berth_scene_object(scene, berth_scene_object_at(scene, k), &object), BERTH_OK);
            obstacles += closed_triangles(object.solid, &shells);
            char path[96];
            (void)snprintf(path, sizeof path, "kitchen/%s.stl", object.name);
            const double volume = berth_mesh_info(berth_solid_mesh(object.solid)).volume;
            assert_true(fabs(raw_volume(program_model(path)) - volume) < 1e-6 * volume);
        }
        assert_int_equal(obstacles, i == 0 ? 0 : KITCHEN_TRIANGLES);
        assert_true(i == 0 || berth_scene_object_count(scene) >= 70);
        for (int32_t k = 0; k < berth_scene_assumed_count(scene); ++k) {
            assert_string_not_equal(berth_scene_assumed(scene, k).what, "open_meshes");
        }
        berth_scene_destroy(scene);
    }
}

// ---- joints

static const struct {
    const char* name;
    int joints;
} subsystems[] = {{"base", 3}, {"torso", 4}, {"head", 2}, {"left_arm", 7}, {"right_arm", 7}};

static void joints_are_in_five_subsystems(void** state) {
    (void)state;
    BerthScene* scene = expect_scene(program_model("humanoid23/cell.yaml"));
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    assert_int_equal(berth_robot_joint_count(robot), 23);
    assert_int_equal(berth_robot_value_count(robot), 23);
    int sum = 0;
    for (int g = 0; g < 5; ++g) {
        bool found = false;
        for (int32_t i = 0; i < berth_robot_group_count(robot); ++i) {
            const int32_t* joints = NULL;
            int32_t count = 0;
            if (strcmp(berth_robot_group(robot, i, &joints, &count), subsystems[g].name) == 0) {
                found = true;
                assert_int_equal(count, subsystems[g].joints);
                sum += count;
            }
        }
        assert_true(found);
    }
    assert_int_equal(sum, 23);
    for (int32_t i = 0; i < 23; ++i) {
        const BerthJointInfo joint = berth_robot_joint(robot, i);
        assert_true(joint.lower < joint.upper && joint.lower >= -3.15 && joint.upper <= 3.15);
        assert_true(joint.lower <= 0.0 && joint.upper >= 0.0 && joint.velocity > 0.0);
    }
    berth_scene_destroy(scene);
}

// The right arm is the left one's mirror image: link by link, in a random state and its mirrored one.
static void arms_mirror_each_other(void** state) {
    (void)state;
    BerthScene* scene = expect_scene(program_model("humanoid23/cell.yaml"));
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    double values[23] = {0};
    static const double left[] = {-0.7, 0.6, 0.4, -1.0, 0.3, 0.2, -0.1}, sign[] = {1, -1, -1, 1, -1, 1, -1};
    for (int i = 0; i < 7; ++i) {
        values[9 + i] = left[i];
        values[16 + i] = sign[i] * left[i];
    }
    BerthPose poses[32];
    const BerthPose base = berth_pose_identity();
    assert_true(berth_robot_link_count(robot) <= 32);
    berth_robot_link_poses(robot, &base, values, poses);
    static const char* const links[] = {"shoulder1", "shoulder2", "upper_arm", "elbow",
                                        "forearm",   "wrist",     "hand"};
    for (int i = 0; i < 7; ++i) {
        char name[2][32];
        BerthMeshInfo mesh[2];
        Vec3 middle[2];
        for (int k = 0; k < 2; ++k) {
            (void)snprintf(name[k], sizeof name[k], "%c_%s", k == 0 ? 'l' : 'r', links[i]);
            const int32_t link = berth_robot_find_link(robot, name[k]);
            assert_true(link >= 0);
            BerthPose pose;
            const BerthSolid* solid = berth_robot_solid(robot, link, 0, &pose, NULL);
            mesh[k] = berth_mesh_info(berth_solid_mesh(solid));
            const BerthPose world = berth_pose_multiply(&poses[link], &pose);
            middle[k] = berth_pose_apply(&world, v3_scale(v3_add(mesh[k].low, mesh[k].high), 0.5));
        }
        assert_int_equal(mesh[0].triangle_count, mesh[1].triangle_count);
        assert_true(fabs(mesh[0].volume - mesh[1].volume) < 1e-3 * mesh[0].volume);
        middle[1].y = -middle[1].y;
        assert_true(v3_distance(middle[0], middle[1]) < 2e-3);
    }
    berth_scene_destroy(scene);
}

// ---- states

typedef struct Wanted {
    const char *state, *model;
    const char *a, *b;  // in collision, or null: free
    double nearest;     // least clearance when free, metres
} Wanted;

static const Wanted all_wanted[] = {
    {NULL, "humanoid23", NULL, NULL, 0.02},
    {"start", "humanoid23", NULL, NULL, 0.02},
    {"zero", "humanoid23", NULL, NULL, 0.015},
    {"in_table", "humanoid23", NULL, NULL, 0.015},
    {"hands_clash", "humanoid23", "l_hand", "r_hand", 0},
    {NULL, "kitchen", NULL, NULL, 0.02},
    {"start", "kitchen", NULL, NULL, 0.02},
    {"zero", "kitchen", NULL, NULL, 0.01},
    {"at_sink", "kitchen", NULL, NULL, 0.01},
    {"at_table", "kitchen", NULL, NULL, 0.01},
    {"at_cupboard", "kitchen", NULL, NULL, 0.01},
    {"in_table", "kitchen", "r_hand", "table", 0},
    {"hands_clash", "kitchen", "l_hand", "r_hand", 0},
};

static ProgramRun run_check(const Wanted* wanted) {
    char cell[64];
    (void)snprintf(cell, sizeof cell, "%s/cell.yaml", wanted->model);
    if (wanted->state == NULL) {
        return program_run("check", program_model(cell), "--json", "--distance", NULL);
    }
    return program_run("check", program_model(cell), "--json", "--distance", "--state", wanted->state, NULL);
}

static void states_answer_as_named(void** state) {
    (void)state;
    const size_t step = test_is_whole() ? 1 : 3;  // each reads its model again
    for (size_t i = 0; i < sizeof all_wanted / sizeof all_wanted[0]; i += step) {
        const Wanted* wanted = &all_wanted[i];
        ProgramRun run = run_check(wanted);
        if (run.status != (wanted->a == NULL ? 0 : 1)) {
            fail_msg("%s: exit %d\n%s%s", wanted->model, run.status, run.out, run.err);
        }
        json_t* answer = program_json_line(&run, 0);
        if (wanted->a == NULL) {
            json_t* clearance = json_object_get(answer, "clearance");
            assert_true(json_real_value(json_object_get(clearance, "lower")) >= wanted->nearest);
        } else {
            json_t* hit = json_array_get(json_object_get(answer, "hits"), 0);
            assert_string_equal(json_string_value(json_object_get(hit, "a")), wanted->a);
            assert_string_equal(json_string_value(json_object_get(hit, "b")), wanted->b);
        }
        assert_null(strstr(run.out, "open_meshes"));
        json_decref(answer);
        program_free(&run);
    }
}

// Only neighbours are declared: no other pair is left out.
static void only_neighbours_are_left_out(void** state) {
    (void)state;
    BerthScene* scene = expect_scene(program_model("humanoid23/cell.yaml"));
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    int checked = 0, disabled = 0;
    for (int32_t a = 0; a < berth_robot_link_count(robot); ++a) {
        for (int32_t b = 0; b < a; ++b) {
            const BerthPairRule rule = berth_robot_pair(robot, a, b, NULL);
            checked += rule == BERTH_PAIR_CHECKED ? 1 : 0;
            if (rule == BERTH_PAIR_CHECKED || rule == BERTH_PAIR_NO_GEOMETRY) {
                continue;
            }
            assert_int_equal(rule, BERTH_PAIR_ADJACENT);
            const int32_t up_a = berth_robot_link(robot, a).parent_joint,
                          up_b = berth_robot_link(robot, b).parent_joint;
            assert_true((up_a >= 0 && berth_robot_joint(robot, up_a).parent_link == b) ||
                        (up_b >= 0 && berth_robot_joint(robot, up_b).parent_link == a));
            ++disabled;
        }
    }
    assert_int_equal(disabled, 20);
    assert_int_equal(checked, 21 * 20 / 2 - 20);
    berth_scene_destroy(scene);
}

static void info_tells_the_sizes(void** state) {
    (void)state;
    ProgramRun run = program_run("info", program_model("kitchen/cell.yaml"), NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "23 joints, 23 values"));
    assert_non_null(strstr(run.out, "left_arm (7 joints)"));
    assert_null(strstr(run.out, "open,"));
    program_free(&run);
}

// Both answers are there among random states, with the room and of the robot with itself.
static void random_states_are_of_both_kinds(void** state) {
    (void)state;
    enum { ROWS = 300 };
    static double values[ROWS * 23];
    static const char* const cells[] = {"humanoid23/cell.yaml", "kitchen/cell.yaml"};
    for (int i = 0; i < 2; ++i) {
        BerthScene* scene = expect_scene(program_model(cells[i]));
        program_random_states(scene, 11, ROWS, values);
        const int free = expect_free_states(scene, values, ROWS);
        if (free < ROWS / 50 || free > ROWS - ROWS / 50) {
            fail_msg("%s: %d of %d random states are free", cells[i], free, ROWS);
        }
        berth_scene_destroy(scene);
    }
}

// ---- lofts and tubes

static BerthMeshInfo mesh_of(Surface* s) {
    assert_false(s->failed);
    BerthMesh* mesh = NULL;
    assert_int_equal(
        berth_mesh_create(s->vertices, s->vertex_count, &s->triangles[0][0], s->triangle_count, NULL, &mesh),
        BERTH_OK);
    assert_int_equal(count_shells(mesh), 1);
    const BerthMeshInfo info = berth_mesh_info(mesh);
    berth_mesh_destroy(mesh);
    bi_surface_free(s);
    return info;
}

static void near_to(double value, double wanted, double part) {
    if (!(fabs(value - wanted) <= part * wanted)) {
        fail_msg("%.9g, wanted %.9g", value, wanted);
    }
}

static void lofts_and_tubes_have_their_volumes(void** state) {
    (void)state;
    const double pi = 3.141592653589793;
    Surface s = {0};
    // An elliptic cylinder that leans; as many rings as slices, then more: the same body.
    static const Slice leaning[] = {{0, 0.3, 0.2, 0, 0, 0}, {1, 0.3, 0.2, 0.5, 0.2, 0}};
    for (int rings = 2; rings <= 12; rings += 5) {
        bi_surface_add_loft(&s, leaning, 2, rings, 200);
        const BerthMeshInfo info = mesh_of(&s);
        assert_int_equal(info.triangle_count, 400 * rings);
        near_to(info.volume, pi * 0.06, 1e-3);
    }
    // Squarer is larger, and stays within the square.
    static const Slice square[] = {{0, 1, 1, 0, 0, 1}, {1, 1, 1, 0, 0, 1}};
    bi_surface_add_loft(&s, square, 2, 2, 200);
    const BerthMeshInfo box = mesh_of(&s);
    assert_true(box.volume > 3.8 && box.volume < 4.0 && box.high.x <= 1.0 + 1e-12 &&
                box.high.y <= 1.0 + 1e-12);
    // A straight tube, then a quarter of a ring.
    static const Knot straight[] = {{{1, 2, 3}, 0.1}, {{1, 4, 3}, 0.1}, {{1, 6, 3}, 0.1}};
    bi_surface_add_tube(&s, straight, 3, 9, 120);
    near_to(mesh_of(&s).volume, pi * 0.01 * 4, 1e-3);
    Knot bent[10];
    for (int i = 0; i < 10; ++i) {
        bent[i] = (Knot){v3(cos(pi / 18 * i), 0, sin(pi / 18 * i)), 0.1};
    }
    bi_surface_add_tube(&s, bent, 10, 100, 100);
    near_to(mesh_of(&s).volume, pi * 0.01 * pi / 2, 5e-3);
    // Too few of anything is a failure, not a bad surface.
    bi_surface_add_tube(&s, bent, 1, 9, 9);
    assert_true(s.failed);
    s.failed = false;
    bi_surface_add_loft(&s, leaning, 2, 1, 9);
    assert_true(s.failed);
    s.failed = false;
    bi_surface_add_loft(&s, leaning, 2, 2, 2);
    assert_true(s.failed);
    bi_surface_free(&s);
}

int test_models_paper002(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_the_papers),
        cmocka_unit_test(joints_are_in_five_subsystems),
        cmocka_unit_test(arms_mirror_each_other),
        cmocka_unit_test(states_answer_as_named),
        cmocka_unit_test(only_neighbours_are_left_out),
        cmocka_unit_test(info_tells_the_sizes),
        cmocka_unit_test(random_states_are_of_both_kinds),
        cmocka_unit_test(lofts_and_tubes_have_their_volumes),
    };
    return cmocka_run_group_tests_name("models_paper002", tests, NULL, NULL);
}
