// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth contact as a user meets it: a state, rows of a trajectory, followers, steps, rates, materials, what is assumed,
// and what is refused. And worlds made of scenes: which pairs are compared, which bodies move.

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <berth/berth.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "support/expect.h"
#include "support/meshes.h"
#include "support/setting.h"

#define RUN(wanted, ...) EXPECT_RUN(wanted, "contact", __VA_ARGS__)

static double number(const json_t* object, const char* key, size_t index) {
    const json_t* value = json_object_get(object, key);
    value = json_is_array(value) ? json_array_get(value, index) : value;
    assert_true(json_is_number(value));
    return json_number_value(value);
}

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const char TABLE[] =
    "berth: 1\n"
    "objects:\n"
    "  - {name: table, box: {size: [2, 2, 0.1]}, pose: {xyz: [0, 0, -0.05]}}\n"
    "  - {name: shelf, box: {size: [0.2, 0.2, 0.1]}, pose: {xyz: [0.9, 0, 0]}}\n"
    "  - {name: cube, box: {size: [0.2, 0.2, 0.2]}, pose: {xyz: [0, 0, 0.0999]}, mass: 1.0}\n"
    "  - {name: hand, box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [0, 0.5, 0.3]}}\n"
    "materials: {default: {stiffness: 1.0e4, damping: 50, viscosity: 5, friction: 0.5},\n"
    "            cube: {stiffness: 3.0e4, damping: 50, viscosity: 5, friction: 0.5}}\n";

static void a_state_has_contacts_forces_and_moments(void** state) {
    (void)state;
    const char* scene = expect_written("table.yaml", TABLE);
    ProgramRun run = RUN(0, scene, "--json");
    assert_int_equal(program_line_count(&run), 1);
    json_t* answer = program_json_line(&run, 0);
    assert_string_equal(json_string_value(json_object_get(answer, "verdict")), "collision");
    const json_t* contacts = json_object_get(answer, "contacts");
    assert_int_equal(json_array_size(contacts), 4);  // the table and the shelf stand still: not compared
    double force = 0.0;
    for (size_t i = 0; i < 4; ++i) {
        const json_t* c = json_array_get(contacts, i);
        assert_string_equal(json_string_value(json_object_get(c, "a")), "table");
        assert_string_equal(json_string_value(json_object_get(c, "b")), "cube");
        assert_string_equal(json_string_value(json_object_get(json_object_get(c, "feature_a"), "kind")),
                            "face");
        assert_string_equal(json_string_value(json_object_get(json_object_get(c, "feature_b"), "kind")),
                            "vertex");
        NEAR(number(c, "depth", 0), 1e-4, 1e-12);
        NEAR(number(c, "normal", 2), 1.0, 1e-15);
        force += number(c, "force", 2);
    }
    // Springs in series: 2 * 1e4 * 3e4 / 4e4 N/m, for a point of 10 cm2; the cube stands on 400 cm2.
    NEAR(force, -1e-4 * 0.04 * 1.5e7, 1e-9);
    const json_t* bodies = json_object_get(answer, "bodies");
    assert_int_equal(json_array_size(bodies), 2);
    NEAR(number(json_array_get(bodies, 1), "force", 2), -force, 1e-12);
    assert_int_equal(json_array_size(json_object_get(answer, "assumed")), 0);
    json_decref(answer);
    program_free(&run);
    char text[sizeof TABLE + 40];
    (void)snprintf(text, sizeof text, "%s", TABLE);
    memcpy(strstr(text, "cube: {stiff"), "cueb", 4);
    run = RUN(3, expect_written("typo.yaml", text), "--strict");
    assert_non_null(strstr(run.out, "'cueb' is no body"));
    program_free(&run);
    run = RUN(0, scene, "--method", "manifold", "--json");
    answer = program_json_line(&run, 0);
    NEAR(number(json_array_get(json_object_get(answer, "bodies"), 1), "force", 2), 4 * 1e-4 * 1.5e4, 1e-9);
    json_decref(answer);
    program_free(&run);
    run = RUN(0, scene);
    assert_non_null(strstr(run.out, "4 contacts"));
    assert_non_null(strstr(run.out, "table and cube"));
    program_free(&run);
}

static void followers_go_where_they_are_led_or_stop(void** state) {
    (void)state;
    const char* scene = expect_written("table.yaml", TABLE);
    const char* motion = expect_written("hand.csv",
                                        "time,x,y,z,roll,pitch,yaw\n0,0,0.5,0.3,0,0,0\n0.1,0,0.5,0.06,0,0,0\n"
                                        "0.2,0,0.5,-0.5,0,0,0\n0.3,0.2,0.6,-0.5,0,0,0.3\n");
    char led[4200];
    (void)snprintf(led, sizeof led, "hand=%s", motion);
    ProgramRun run = RUN(0, scene, "--follower", led, "--json");
    assert_int_equal(program_line_count(&run), 4);
    json_t* row = program_json_line(&run, 1);
    NEAR(number(row, "time", 0), 0.1, 0.0);
    json_decref(row);
    program_free(&run);
    run = RUN(0, scene, "--follower", led, "--constrain", "--json");
    for (int i = 2; i < 4; ++i) {
        row = program_json_line(&run, i);
        const json_t* follower = json_object_get(row, "follower");
        NEAR(number(json_object_get(follower, "pose"), "xyz", 2), 0.05, 1e-6);
        assert_true(json_is_true(json_object_get(follower, "blocked")));
        assert_true(number(follower, "depth", 0) <= 1e-6);
        json_decref(row);
    }
    program_free(&run);
}

static void objects_with_a_mass_fall_and_rest(void** state) {
    (void)state;
    const char* scene = expect_written("table.yaml", TABLE);
    ProgramRun run = RUN(0, scene, "--steps", "4000", "--json");
    json_t* answer = program_json_line(&run, 0);
    const json_t* bodies = json_object_get(answer, "bodies");
    bool found = false;
    for (size_t i = 0; i < json_array_size(bodies); ++i) {
        const json_t* body = json_array_get(bodies, i);
        if (strcmp(json_string_value(json_object_get(body, "name")), "cube") == 0) {
            NEAR(number(body, "force", 2), 9.81, 1e-6);
            NEAR(number(json_object_get(body, "pose"), "xyz", 2), 0.1 - 9.81 / (0.04 * 1.5e7), 1e-9);
            found = true;
        }
    }
    assert_true(found);
    json_decref(answer);
    program_free(&run);
}

static void rows_of_a_trajectory_are_told_one_by_one(void** state) {
    (void)state;
    const char* cell = program_model("room/cell.yaml");
    const char* path = expect_written("down.csv", "time,turn1,lift\n0,0.0,0.05\n0.5,0.0,0.2\n1.0,0.0,0.3\n");
    ProgramRun run = RUN(0, cell, path, "--json");
    assert_int_equal(program_line_count(&run), 3);
    json_t* last = program_json_line(&run, 2);
    assert_non_null(json_object_get(last, "contacts"));
    bool bench = false;
    for (size_t i = 0; i < json_array_size(json_object_get(last, "contacts")); ++i) {
        const json_t* c = json_array_get(json_object_get(last, "contacts"), i);
        bench = bench || strcmp(json_string_value(json_object_get(c, "b")), "bench") == 0;
    }
    assert_true(bench);
    // Cylinders and a cone are not what they are.
    assert_true(json_array_size(json_object_get(last, "assumed")) > 0);
    json_decref(last);
    program_free(&run);
    run = RUN(3, cell, "--strict");
    assert_non_null(strstr(run.out, "assumed: "));
    program_free(&run);
    run = RUN(3, cell, "--strict", "--quiet");
    assert_null(strstr(run.out, "assumed: "));
    program_free(&run);
}

static void the_scene_of_six_is_touched_as_it_says(void** state) {
    (void)state;
    const char* methods[] = {"manifold", "elemental"};
    for (int i = 0; i < 2; ++i) {
        ProgramRun run = RUN(0, program_model("touch/cell.yaml"), "--method", methods[i], "--json");
        json_t* answer = program_json_line(&run, 0);
        const json_t* contacts = json_object_get(answer, "contacts");
        int follower = 0;
        for (size_t k = 0; k < json_array_size(contacts); ++k) {
            const json_t* c = json_array_get(contacts, k);
            if (strcmp(json_string_value(json_object_get(c, "b")), "follower") == 0) {
                assert_string_equal(json_string_value(json_object_get(c, "a")), "rectangle");
                NEAR(number(c, "depth", 0), 5e-4, 1e-12);
                ++follower;
            }
        }
        assert_true(follower >= 3);
        assert_int_equal(json_array_size(json_object_get(answer, "assumed")), 0);
        json_decref(answer);
        program_free(&run);
    }
    ProgramRun run = RUN(0, program_model("touch/cell.yaml"), "--rate", "--json");
    json_t* answer = program_json_line(&run, 0);
    assert_true(number(answer, "rate", 0) > 0.0 && number(answer, "p99.9", 0) > 0.0);
    json_decref(answer);
    program_free(&run);
    // 64 pieces each, all convex.
    run = RUN(0, program_model("touch_parts/cell.yaml"), "--json");
    answer = program_json_line(&run, 0);
    assert_true(json_array_size(json_object_get(answer, "contacts")) > 60);
    assert_int_equal(json_array_size(json_object_get(answer, "assumed")), 0);
    json_decref(answer);
    program_free(&run);
}

// An L as a mesh: a ball in its hollow is in its hull, but touches nothing; deeper it is pushed by both arms of the L, out of the
// corner it is in, and not down by the hull.
static void a_mesh_that_is_not_convex_has_its_own_force(void** state) {
    (void)state;
    (void)expect_written("l.obj",
                         "v 0 0 0\nv 2 0 0\nv 2 0.5 0\nv 0.5 0.5 0\nv 0.5 2 0\nv 0 2 0\n"
                         "v 0 0 1\nv 2 0 1\nv 2 0.5 1\nv 0.5 0.5 1\nv 0.5 2 1\nv 0 2 1\n"
                         "f 4 3 2 1\nf 6 5 4 1\nf 7 8 9 10\nf 7 10 11 12\n"
                         "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n");
    static const struct {
        const char *at, *verdict;
        int status;
    } cases[] = {
        {"[0.9, 0.9, 0.5]", "free", 0}, {"[0.7, 0.7, 0.5]", "collision", 0}, {"[3, 3, 0]", "free", 0}};
    for (size_t i = 0; i < 3; ++i) {
        char text[600];
        (void)snprintf(text, sizeof text,
                       "berth: 1\nobjects:\n  - {name: l, mesh: {file: l.obj}}\n"
                       "  - {name: ball, sphere: {radius: 0.25}, pose: {xyz: %s}, mass: 1}\n",
                       cases[i].at);
        ProgramRun run = RUN(cases[i].status, expect_written("l.yaml", text), "--json");
        json_t* answer = program_json_line(&run, 0);
        assert_string_equal(json_string_value(json_object_get(answer, "verdict")), cases[i].verdict);
        assert_int_equal(json_array_size(json_object_get(answer, "assumed")), 0);
        assert_int_equal(json_array_size(json_object_get(answer, "declared")), 1);

        const json_t* ball = json_array_get(json_object_get(answer, "bodies"), 1);
        assert_int_equal(ball != NULL, i == 1);
        if (ball != NULL) {
            // Two caps of height 0.05 of a ball of 0.25, but for the little they have in common.
            const double cap = 1e7 * 3.14159265358979 * 0.05 * 0.05 * (0.25 - 0.05 / 3.0);
            NEAR(number(ball, "force", 0) / cap, 1.0, 0.02);
            NEAR(number(ball, "force", 1) / cap, 1.0, 0.02);
            NEAR(number(ball, "force", 2) / cap, 0.0, 1e-9);
        }
        json_decref(answer);
        program_free(&run);
    }
}

// A cloud has no features: apart is proven, touching is unknown.
static void clouds_are_apart_or_unknown(void** state) {
    (void)state;
    (void)expect_written("cloud.xyz", "0 0 0\n0.1 0 0\n0.2 0 0\n");
    static const struct {
        const char *at, *verdict;
        int status;
    } cases[] = {{"[0.1, 0, 0.4]", "free", 0},
                 {"[0.1, 0, 0.301]", "free", 0},
                 {"[0.1, 0, 0.299]", "unknown", 3},  // only by the points' radius
                 {"[0.1, 0, 0.2]", "unknown", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[600];
        (void)snprintf(text, sizeof text,
                       "berth: 1\nobjects:\n  - {name: cloud, points: {file: cloud.xyz, radius: 0.05}}\n"
                       "  - {name: ball, sphere: {radius: 0.25}, pose: {xyz: %s}, mass: 1}\n",
                       cases[i].at);
        ProgramRun run = RUN(cases[i].status, expect_written("cloud.yaml", text), "--json");
        json_t* answer = program_json_line(&run, 0);
        assert_string_equal(json_string_value(json_object_get(answer, "verdict")), cases[i].verdict);
        json_decref(answer);
        program_free(&run);
    }
}

static void add_round(BerthScene* scene, const char* name, BerthSolid* solid, BerthVec3 at, double radius,
                      bool moving) {
    BerthObjectDef def = berth_default_object_def();
    def.name = name;
    def.solid = solid;
    def.pose.t = at;
    def.radius = radius;
    def.moving = moving;
    assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
}

// A ball among points, both with a radius around them: free exactly where the nearest point is further than all three.
static void clouds_and_radii_by_distances(void** state) {
    (void)state;
    Random random = {8};
    int told[3] = {0};
    for (int n = 0; n < test_scaled(3000); ++n) {
        enum { MOST = 40 };
        BerthVec3 points[MOST];
        const int count = 1 + (int)(bi_random_next(&random) % MOST);
        double nearest = INFINITY;
        const BerthVec3 at = {bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1), 0.3},
                        cloud_at = {0.1, -0.2, 0.05};
        for (int i = 0; i < count; ++i) {
            points[i] = (BerthVec3){bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1),
                                    bi_random_between(&random, -1, 1)};
            const BerthVec3 d = {points[i].x + cloud_at.x - at.x, points[i].y + cloud_at.y - at.y,
                                 points[i].z + cloud_at.z - at.z};
            nearest = fmin(nearest, sqrt(d.x * d.x + d.y * d.y + d.z * d.z));
        }
        // Half of them within a micrometre of touching.
        const double ball = 0.05, own = n % 3 == 0 ? 0.02 : 0.0,
                     room = nearest - ball - own + bi_random_between(&random, -1e-6, 1e-6);
        const double radius = n % 2 == 0 && room > 0 ? room : bi_random_between(&random, 0.01, 0.4);
        BerthScene* scene = NULL;
        BerthSolid *cloud = NULL, *solid = NULL;
        BerthShape shape;
        assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
        assert_int_equal(berth_solid_from_points(points, count, NULL, &cloud), BERTH_OK);
        assert_int_equal(berth_shape_sphere(ball, &shape), BERTH_OK);
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        add_round(scene, "cloud", cloud, cloud_at, radius, false);
        add_round(scene, "ball", solid, at, own, true);
        assert_int_equal(berth_scene_commit(scene), BERTH_OK);
        const BerthContactDef def = berth_default_contact_def();
        BerthContactWorld* world = NULL;
        BerthContactResult result;
        assert_int_equal(berth_contact_from_scene(scene, &def, false, &world), BERTH_OK);
        assert_int_equal(berth_contact_cycle(world, &result), BERTH_OK);
        const double gap = nearest - ball - own - radius;
        assert_true(result.verdict == (gap > 0 ? BERTH_FREE : BERTH_UNKNOWN) || fabs(gap) < 1e-12);
        assert_true(gap > -1e-12 || result.verdict == BERTH_UNKNOWN);
        ++told[result.verdict];
        berth_contact_destroy(world);
        berth_scene_destroy(scene);
    }
    assert_true(told[BERTH_FREE] > 0 && told[BERTH_UNKNOWN] > 0);
}

// Objects that may touch touch all the same, unless they are to be skipped; and that is told.
static void allowed_pairs_are_skipped_when_asked(void** state) {
    (void)state;
    const char* scene =
        expect_written("allowed.yaml",
                       "berth: 1\nobjects:\n  - {name: floor, box: {size: [1, 1, 0.1]}}\n"
                       "  - {name: cube, box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [0, 0, 0.09]}, mass: 1}\n"
                       "allow: [[cube, floor]]\n");
    ProgramRun run = RUN(0, scene, "--json");
    json_t* answer = program_json_line(&run, 0);
    assert_string_equal(json_string_value(json_object_get(answer, "verdict")), "collision");
    assert_int_equal(json_array_size(json_object_get(answer, "assumed")), 0);
    json_decref(answer);
    program_free(&run);
    run = RUN(0, scene, "--json", "--skip-allowed");
    answer = program_json_line(&run, 0);
    assert_string_equal(json_string_value(json_object_get(answer, "verdict")), "free");
    const json_t* one = json_array_get(json_object_get(answer, "declared"), 0);
    assert_string_equal(json_string_value(json_object_get(one, "what")), "allowed_pairs");
    json_decref(answer);
    program_free(&run);
    run = RUN(0, scene, "--json", "--skip-allowed", "--strict");  // declared
    program_free(&run);
}

// No joint moves a base, and it may stand in a wall all the same: it was said to be free.
static void a_base_in_a_wall_is_touched(void** state) {
    (void)state;
    (void)expect_written(
        "base.urdf",
        "<robot name='r'><link name='base'><collision><geometry><box size='0.4 0.4 "
        "0.4'/></geometry></collision>"
        "</link><link name='tip'><collision><origin xyz='0 0 0.6'/><geometry><sphere "
        "radius='0.05'/></geometry>"
        "</collision></link><joint name='j' type='revolute'><parent link='base'/><child link='tip'/><axis "
        "xyz='0 0 1'/><limit lower='-1' upper='1' velocity='1' effort='1'/></joint></robot>");
    static const char text[] =
        "berth: 1\nrobots: [{urdf: base.urdf, name: r}, {urdf: base.urdf, name: s, base: {xyz: [0, %s, "
        "0]}}]\n"
        "objects:\n  - {name: wall, box: {size: [0.4, 0.4, 0.4]}, pose: {xyz: [%s, 0, 0]}}\n%s";
    static const struct {
        const char *other, *wall, *allow, *verdict;
    } cases[] = {{"9", "0.3", "", "collision"},
                 {"9", "0.5", "", "free"},
                 {"0.3", "9", "", "collision"},
                 {"9", "0.3", "allow: [[r/base, wall]]\n", "free"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char scene[600];
        (void)snprintf(scene, sizeof scene, text, cases[i].other, cases[i].wall, cases[i].allow);
        json_t* answer = EXPECT_JSON(0, "contact", expect_written("base.yaml", scene));
        assert_string_equal(text_at(answer, "verdict"), cases[i].verdict);
        json_decref(answer);
    }
}

static void wrong_requests_are_refused(void** state) {
    (void)state;
    const char* scene = expect_written("table.yaml", TABLE);
    const char* good = expect_written("good.csv", "x,y,z\n0,0,1\n");
    char led[4200], bad[4200];
    (void)snprintf(led, sizeof led, "hand=%s", good);
    const struct {
        const char* arguments[8];
        const char* said;
    } cases[] = {
        {{"contact", NULL}, "which scene"},
        {{"contact", scene, good, scene, NULL}, "one scene"},
        {{"contact", scene, "--constrain", NULL}, "--follower"},
        {{"contact", scene, "--follower", "hand", NULL}, "NAME=FILE"},
        {{"contact", scene, "--follower", "nobody=x.csv", NULL}, "nobody"},
        {{"contact", scene, "--follower", "hand=/nowhere/x.csv", NULL}, "/nowhere/x.csv"},
        {{"contact", scene, "--follower", led, "--steps", "5", NULL}, "--steps"},
        {{"contact", scene, "--dt", "0.1", NULL}, "--dt"},
        {{"contact", scene, "--levels", "7", NULL}, "0 to 6"},
        {{"contact", scene, "--method", "magic", NULL}, "manifold or elemental"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = program_run_list(cases[i].arguments);
        if (run.status != 2 || strstr(run.err, cases[i].said) == NULL || run.out_size != 0) {
            fail_msg("case %d: exit %d, '%s'", (int)i, run.status, run.err);
        }
        program_free(&run);
    }
    static const struct {
        const char *text, *said;
    } files[] = {
        {"x,y\n0,0\n", ":1: column 'z' is missing"},
        {"x,y,z,w\n0,0,0,1\n", ":1: column 'w'"},
        {"x,y,z,qx\n0,0,0,1\n", ":1: an orientation"},
        {"x,y,z\n", "no rows"},
        {"x,y,z\n0,0,1e9\n", ":2: "},
        {"x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0\n", ":2: "},
        {"time,x,y,z\n1,0,0,0\n1,0,0,0\n", ":3: time"},
        {"x,y,z\n0,0,nan\n", ":2:"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        (void)snprintf(bad, sizeof bad, "hand=%s", expect_written("bad.csv", files[i].text));
        ProgramRun run = RUN(2, scene, "--follower", bad);
        if (strstr(run.err, files[i].said) == NULL) {
            fail_msg("file %d: '%s'", (int)i, run.err);
        }
        program_free(&run);
    }
}

// ---- worlds of scenes, without the program -------------------------------------------------------------------------

static void a_scene_s_world_fails_cleanly(void** state) {
    (void)state;
    const BerthIoOptions io = berth_default_io_options();
    BerthScene* scene = NULL;
    assert_int_equal(berth_io_read_scene(program_model("room/cell.yaml"), &io, &scene), BERTH_OK);
    for (int64_t fail_at = 0;; fail_at += 1 + fail_at / 50) {
        TestAllocator counts = {.fail_at = fail_at};
        BerthContactDef def = berth_default_contact_def();
        def.allocator = test_allocator(&counts);
        BerthContactWorld* world = NULL;
        const BerthStatus status = berth_contact_from_scene(scene, &def, false, &world);
        if (counts.taken > fail_at) {
            assert_int_equal(status, BERTH_ERR_MEMORY);
            assert_null(world);
            assert_int_equal(counts.live, 0);
            continue;
        }
        assert_int_equal(status, BERTH_OK);
        // Moving from row to row gives links their speeds.
        double values[64];
        memcpy(values, berth_scene_values(scene), (size_t)berth_scene_value_count(scene) * sizeof *values);
        assert_int_equal(berth_contact_place(world, values, 0.0), BERTH_OK);
        const int32_t turn = berth_scene_find_value(scene, "turn1"),
                      quill = berth_scene_find_body(scene, "quill");
        values[turn] += 0.001;
        assert_int_equal(berth_contact_place(world, values, 0.01), BERTH_OK);
        BerthContactBody body;
        assert_int_equal(berth_contact_body(world, quill, &body), BERTH_OK);
        NEAR(body.spin.z, 0.1, 1e-9);
        const int64_t taken = counts.taken;
        BerthContactResult result;
        assert_int_equal(berth_contact_cycle(world, &result), BERTH_OK);
        assert_int_equal(counts.taken, taken);
        berth_contact_destroy(world);
        assert_int_equal(counts.live, 0);
        break;
    }
    berth_scene_destroy(scene);
}

// ---- a hand ------------------------------------------------------------------------------------------------------

#define ROMEO "robots/example-robot-data/robots/romeo_description"

// Romeo's finger meshes are open surfaces, which push nothing: their covering spheres stand for them.
static const char* cover_hand(const char* urdf, const char* data) {
    static const char* const parts[] = {"LFinger11Link", "LFinger12Link", "LFinger13Link", "LFinger21Link",
                                        "LFinger22Link", "LFinger23Link", "LFinger31Link", "LFinger32Link",
                                        "LFinger33Link", "LThumb1Link",   "LThumb2Link",   "LThumb3Link"};
    const char* arguments[PROGRAM_ARGUMENTS_MAX] = {"spheres", urdf,           "-q",   "--package",
                                                    data,      "--protrusion", "0.006"};
    int count = 7;
    for (int i = 0; i < 12; ++i) {
        arguments[count++] = "--link";
        arguments[count++] = parts[i];
    }
    const char* out = program_temporary("hand.urdf");
    arguments[count++] = "-o";
    arguments[count++] = out;
    expect_status(0, arguments);
    return out;
}

// What one link and the mug do to each other, over all of their contacts.
typedef struct Grip {
    char link[64];
    double depth, x, z, force[3];
} Grip;

// The wall is a cylinder of 35 mm around y at x = 0.50, z = 0.145, 4 mm thick: a link that is not deep in it is pushed outward.
static int judge_grip(const Grip* grip) {
    const double out = sqrt(grip->x * grip->x + grip->z * grip->z);
    const double size = sqrt(grip->force[0] * grip->force[0] + grip->force[2] * grip->force[2]);
    if (grip->depth > 0.001 || !(size > 1e-3) || out < 0.030) {
        return 0;
    }
    assert_true((grip->x * grip->force[0] + grip->z * grip->force[2]) / (out * size) > 0.9);
    assert_true(fabs(grip->force[1]) < 0.05 * size);
    return 1;
}

// One state of the closing hand: how many links touch the mug, and whether they are pushed the way that its wall lets them.
static int links_on_the_mug(const json_t* row, int* judged) {
    const json_t* contacts = json_object_get(row, "contacts");
    Grip grip = {.link = ""};
    int links = 0;
    for (size_t i = 0; i < json_array_size(contacts); ++i) {
        const json_t* c = json_array_get(contacts, i);
        if (strcmp(text_at(c, "b"), "mug") != 0) {
            continue;
        }
        if (strcmp(grip.link, text_at(c, "a")) != 0) {
            *judged += judge_grip(&grip);
            ++links;
            grip = (Grip){.x = number(c, "point", 0) - 0.50, .z = number(c, "point", 2) - 0.145};
            (void)snprintf(grip.link, sizeof grip.link, "%s", text_at(c, "a"));
        }
        grip.depth = fmax(grip.depth, number(c, "depth", 0));
        for (size_t k = 0; k < 3; ++k) {
            grip.force[k] += number(c, "force", k);
        }
    }
    *judged += judge_grip(&grip);
    return links;
}

static void romeos_hand_closes_on_a_mug(void** state) {
    (void)state;
    char urdf[512], srdf[512], root[512], data[600], scene[4096];
    if (!test_shared_path(urdf, sizeof urdf, ROMEO "/urdf/romeo.urdf") ||
        !test_shared_path(srdf, sizeof srdf, ROMEO "/srdf/romeo.srdf") ||
        !test_shared_path(root, sizeof root, "robots/example-robot-data")) {
        test_say_skip("Romeo is not here");
        return;
    }
    (void)snprintf(data, sizeof data, "example-robot-data=%s", root);
    (void)snprintf(scene, sizeof scene,
                   "berth: 1\n"
                   "robots:\n"
                   "  - {name: romeo, urdf: %s, srdf: %s}\n"
                   "objects:\n"
                   "  - name: mug\n"
                   "    parts:\n"
                   "      - mesh: {file: %s}\n"
                   "      - {box: {size: [0.022, 0.008, 0.006]}, pose: {xyz: [0.0445, 0, 0.075]}}\n"
                   "      - {box: {size: [0.022, 0.008, 0.006]}, pose: {xyz: [0.0445, 0, 0.025]}}\n"
                   "      - {box: {size: [0.006, 0.008, 0.056]}, pose: {xyz: [0.0585, 0, 0.05]}}\n"
                   "    pose: {xyz: [0.50, 0.145, 0.145], quat: [-0.5, 0.5, 0.5, 0.5]}\n",
                   cover_hand(urdf, data), srdf, program_model("touch_mug/cup.stl"));

    // LHand 1 is open, 0 closed; all fingers and the thumb follow it.
    enum { ROWS = 26 };
    char rows[1024] = "LHand\n1\n";
    for (int i = 1; i < ROWS; ++i) {
        (void)snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%.3f\n", 0.8 - 0.01 * i);
    }
    const char* closing = expect_written("closing.csv", rows);
    ProgramRun run = program_run("contact", expect_written("romeo_mug.yaml", scene), closing, "-q",
                                 "--package", data, "--json", NULL);
    assert_int_equal(program_line_count(&run), ROWS);
    int most = 0, judged = 0;
    for (int i = 0; i < ROWS; ++i) {
        json_t* row = program_json_line(&run, i);
        const int links = links_on_the_mug(row, &judged);
        most = links > most ? links : most;
        assert_true(i > 0 || links == 0);

        // What pushes the mug pushes the hand.
        const json_t* bodies = json_object_get(row, "bodies");
        double sum[3] = {0.0, 0.0, 0.0}, size = 0.0;
        for (size_t b = 0; b < json_array_size(bodies); ++b) {
            for (size_t k = 0; k < 3; ++k) {
                sum[k] += number(json_array_get(bodies, b), "force", k);
                size += fabs(number(json_array_get(bodies, b), "force", k));
            }
        }
        assert_true(fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]) <= 1e-9 * size);

        // Where it touches is known: nothing about the mug is left open.
        const json_t* unknown = json_object_get(row, "unknown");
        for (size_t u = 0; u < json_array_size(unknown); ++u) {
            assert_string_not_equal(text_at(json_array_get(unknown, u), "b"), "mug");
        }
        json_decref(row);
    }
    print_message("at most %d links on the mug, %d contacts judged\n", most, judged);
    assert_true(most >= 5 && judged >= 3);
    program_free(&run);
}

int test_contact_program(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_has_contacts_forces_and_moments),
        cmocka_unit_test(followers_go_where_they_are_led_or_stop),
        cmocka_unit_test(objects_with_a_mass_fall_and_rest),
        cmocka_unit_test(rows_of_a_trajectory_are_told_one_by_one),
        cmocka_unit_test(the_scene_of_six_is_touched_as_it_says),
        cmocka_unit_test(a_mesh_that_is_not_convex_has_its_own_force),
        cmocka_unit_test(clouds_are_apart_or_unknown),
        cmocka_unit_test(clouds_and_radii_by_distances),
        cmocka_unit_test(allowed_pairs_are_skipped_when_asked),
        cmocka_unit_test(a_base_in_a_wall_is_touched),
        cmocka_unit_test(romeos_hand_closes_on_a_mug),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(a_scene_s_world_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
