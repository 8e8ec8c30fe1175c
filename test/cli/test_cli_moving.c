// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Objects that may move on their own, in answers about states and motions that take them as standing: each answer says
// so, --strict refuses it, and a proof about them is about their speeds. With --moving reach they are everywhere they can have
// got to: when that touches is known by hand here; test_motion_reach has the random worlds.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"

#include "support/expect.h"
#include "support/setting.h"

int test_cli_moving(void);

/// A scene of the bundled arm and two objects far away; `cart` and `worker` are what they may do.
static const char* write_scene(const char* name, const char* cart, const char* worker) {
    char text[2000];
    (void)snprintf(text, sizeof text,
                   "berth: 1\nrobots: [{urdf: '%s'}]\nobjects:\n"
                   "  - {name: cart, box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [5, 5, 5]}%s}\n"
                   "  - {name: worker, capsule: {radius: 0.3, length: 1.0}, pose: {xyz: [6, 5, 5]}%s}\n",
                   program_model("arm6/arm6.urdf"), cart, worker);
    return expect_written(name, text);
}

static const char* write_path(void) {
    return expect_written("turn.csv", "joint1\n0\n0.3\n");
}

#define CART ", moving: {speed: 5}"
#define WORKER ", person: {speed: 1.6, intrusion: 0.2, uncertainty: 0.1}"

static void answers_say_that_they_stand(void** state) {
    (void)state;
    const struct {
        const char *cart, *worker;
        int count;
    } cases[] = {{"", "", 0}, {CART, "", 1}, {"", WORKER, 1}, {CART, WORKER, 2}};
    const char* path = write_path();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* scene = write_scene("scene.yaml", cases[i].cart, cases[i].worker);
        json_t* check = EXPECT_JSON(0, "check", scene);
        json_t* motion = EXPECT_JSON(0, "path", scene, path);
        assert_int_equal(assumed_count(check, "moving_objects_stand"), cases[i].count);
        assert_int_equal(assumed_count(motion, "moving_objects_stand"), cases[i].count);
        json_decref(check);
        json_decref(motion);
    }
}

// One link and nothing that could be assumed but the cart.
static void strict_refuses_them(void** state) {
    (void)state;
    const char* urdf =
        expect_written("one.urdf",
                       "<robot name='one'><link name='base'/><link name='rod'><collision><geometry>"
                       "<box size='0.1 0.1 0.1'/></geometry></collision></link>"
                       "<joint name='joint1' type='revolute'><parent link='base'/><child link='rod'/>"
                       "<axis xyz='0 0 1'/><limit lower='-2' upper='2' velocity='1' effort='1'/></joint>"
                       "</robot>");
    const char* path = write_path();
    const char* const keys[] = {"", CART, WORKER};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        char text[1000];
        (void)snprintf(text, sizeof text,
                       "berth: 1\nrobots: [{urdf: '%s'}]\nobjects:\n"
                       "  - {name: thing, box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [5, 5, 5]}%s}\n",
                       urdf, keys[i]);
        const char* scene = expect_written("strict.yaml", text);
        const int wanted = i == 0 ? 0 : 3;
        EXPECT_STATUS(wanted, "check", scene, "--strict");
        EXPECT_STATUS(wanted, "path", scene, path, "--strict");
        EXPECT_STATUS(0, "path", scene, path);
    }
}

// Version 0.1 verified the certificate of a scene without these keys for the one with them.
static void a_proof_is_about_their_speeds(void** state) {
    (void)state;
    const char* path = write_path();
    const char* const scenes[] = {
        write_scene("standing.yaml", "", ""),
        write_scene("cart.yaml", CART, ""),
        write_scene("slow.yaml", ", moving: {speed: 0.5}", ""),
        write_scene("worker.yaml", "", WORKER),
        write_scene("near.yaml", "", ", person: {speed: 1.6, intrusion: 0.3, uncertainty: 0.1}"),
        write_scene("sure.yaml", "", ", person: {speed: 1.6, intrusion: 0.2, uncertainty: 0.05}"),
    };
    enum { SCENES = sizeof scenes / sizeof scenes[0] };
    for (int i = 0; i < SCENES; ++i) {
        char name[32];
        (void)snprintf(name, sizeof name, "proof%d.txt", i);
        const char* proof = program_temporary(name);
        EXPECT_STATUS(0, "path", scenes[i], path, "--certificate", proof);
        for (int k = 0; k < SCENES; ++k) {
            EXPECT_STATUS(i == k ? 0 : 2, "path", scenes[k], path, "--verify", proof);
        }
    }
}

// ---- --moving reach -------------------------------------------------------------------------------------------

/// A ball of 10 cm on a slide along x, and these objects. Nothing is assumed but what they may do.
static const char* write_slide(const char* name, const char* objects) {
    const char* urdf =
        expect_written("slide.urdf",
                       "<robot name='one'><link name='base'/><link name='ball'><collision><geometry>"
                       "<sphere radius='0.1'/></geometry></collision></link>"
                       "<joint name='slide' type='prismatic'><parent link='base'/><child link='ball'/>"
                       "<axis xyz='1 0 0'/><limit lower='-20' upper='20' velocity='1' effort='1'/></joint>"
                       "</robot>");
    char text[2000];
    (void)snprintf(text, sizeof text, "berth: 1\nrobots: [{urdf: '%s'}]\nobjects:\n%s", urdf, objects);
    return expect_written(name, text);
}

#define BALL_CART "  - {name: cart, sphere: {radius: 0.2}, pose: {xyz: [1, 0, 0]}, moving: {speed: 0.1}}\n"

/// The slide waits at 0 for so many seconds.
static const char* write_wait(const char* name, double start, double seconds) {
    char text[200];
    (void)snprintf(text, sizeof text, "time,slide\n%.17g,0\n%.17g,0\n", start, start + seconds);
    return expect_written(name, text);
}

// 0.7 m at 0.1 m/s: 7 s, whatever the clock says at the start.
static void a_cart_arrives(void** state) {
    (void)state;
    const char* scene = write_slide("cart.yaml", BALL_CART);
    static const double starts[] = {0.0, 1000.0, -5.0, 1.7e9};
    static const char* const methods[] = {"second-order", "refined", "adaptive", "fixed"};
    for (size_t i = 0; i < 4; ++i) {
        const char* before = write_wait("before.csv", starts[i], 6.9);
        const char* after = write_wait("after.csv", starts[i], 7.1);
        for (size_t k = 0; k < 4; ++k) {
            EXPECT_STATUS(k == 3 ? 3 : 0, "path", scene, before, "--moving", "reach", "--method", methods[k]);
            EXPECT_STATUS(1, "path", scene, after, "--moving", "reach", "--method", methods[k]);
        }
        EXPECT_STATUS(0, "path", scene, before, "--moving", "reach", "--delta", "0", "--strict");
        EXPECT_STATUS(1, "path", scene, after, "--moving", "reach", "--delta", "0");
        EXPECT_STATUS(1, "path", scene, before, "--moving", "reach", "--margin", "0.02");
        EXPECT_STATUS(1, "path", scene, before, "--moving", "reach", "--tracking-error", "0.02", "--margin",
                      "0.015");
        EXPECT_STATUS(3, "path", scene, before, "--moving", "reach", "--tracking-error", "0.02");
        EXPECT_STATUS(0, "path", scene, after);

        json_t* answer = EXPECT_JSON(0, "path", scene, before, "--moving", "reach");
        assert_int_equal(json_array_size(json_object_get(answer, "assumed")), 0);
        assert_string_equal(text_at(answer, "moving"), "reach");
        const json_t* clearance = json_object_get(answer, "clearance");
        assert_true(number_at(clearance, "lower") <= 0.01 + 1e-6 && number_at(clearance, "lower") > 0.008);
        assert_true(number_at(clearance, "upper") >= 0.01 - 1e-6 && number_at(clearance, "upper") < 0.013);
        json_decref(answer);

        answer = EXPECT_JSON(1, "path", scene, after, "--moving", "reach", "--first-contact");
        const json_t* first = json_object_get(json_object_get(answer, "first_contact"), "t");
        assert_true(json_number_value(json_array_get(first, 0)) <= 7.0 / 7.1 + 1e-9);
        assert_true(json_number_value(json_array_get(first, 1)) >= 7.0 / 7.1 - 1e-6);
        assert_true(number_at(answer, "reach") >= 0.7 - 1e-9 && number_at(answer, "reach") <= 0.71 + 1e-9);
        json_decref(answer);
    }
}

// Every kind of object, by when it arrives: its speed is 0.1 m/s, and the gap in the first column.
static void objects_of_every_kind(void** state) {
    (void)state;
    expect_written("dots.csv", "x,y,z\n1.5,0,0\n1.6,0.1,0\n");
    expect_written("wall.stl",
                   "solid w\nfacet normal 1 0 0\nouter loop\nvertex 1.1 -1 -1\nvertex 1.1 1 -1\n"
                   "vertex 1.1 0 1\nendloop\nendfacet\nendsolid w\n");
    expect_written("plan.pgm", "P2\n4 4\n255\n255 255 255 0\n255 255 255 0\n255 255 255 0\n255 255 255 0\n");
    expect_written("plan.yaml",
                   "image: plan.pgm\nresolution: 0.5\norigin: [-1, -1, 0]\nnegate: 0\n"
                   "occupied_thresh: 0.65\nfree_thresh: 0.196\n");
    static const struct {
        double gap;
        const char* geometry;
    } kinds[] = {
        {0.7, "box: {size: [0.4, 0.4, 0.4]}, pose: {xyz: [1, 0, 0]}"},
        {0.8, "cylinder: {radius: 0.1, length: 1}, pose: {xyz: [1, 0, 0]}"},
        {0.6, "capsule: {radius: 0.1, length: 0.4}, pose: {xyz: [1, 0, 0], rpy: [0, 1.5707963267948966, 0]}"},
        {0.8, "cone: {radius: 0.1, length: 0.4}, pose: {xyz: [1, 0, 0.2]}"},
        {0.9, "halfspace: {normal: [-1, 0, 0], offset: -1}"},
        {1.0, "mesh: {file: wall.stl}"},
        {1.15, "points: {file: dots.csv, radius: 0.25}"},
        {0.5,
         "parts: [{sphere: {radius: 0.1}, pose: {xyz: [0.2, 0, 0]}}, {box: {size: [0.2, 0.2, 0.2]}, pose: "
         "{xyz: "
         "[-0.2, 0, 0]}}], pose: {xyz: [0.9, 0, 0]}"},
        // Occupied from x = 0.5 on; a wall 1 m high.
        {0.4, "map: {file: plan.yaml, height: [-0.5, 0.5], outside: free, unknown: free}"},
        // And what is beyond the map: x < -1, 0.9 m behind.
        {0.4, "map: {file: plan.yaml, height: [-0.5, 0.5], outside: occupied, unknown: free}"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        for (int person = 0; person < 2; ++person) {
            char object[600];
            (void)snprintf(
                object, sizeof object, "  - {name: thing, %s, %s}\n", kinds[i].geometry,
                person ? "person: {speed: 0.1, intrusion: 0.05, uncertainty: 0.05}" : "moving: {speed: 0.1}");
            const char* scene = write_slide("kind.yaml", object);
            const double seconds = kinds[i].gap / 0.1 - (person ? 1.0 : 0.0);
            const char* before = write_wait("before.csv", 0.0, seconds - 0.02);
            const char* after = write_wait("after.csv", 0.0, seconds + 0.02);
            EXPECT_STATUS(0, "path", scene, before, "--moving", "reach");
            EXPECT_STATUS(1, "path", scene, after, "--moving", "reach");
            EXPECT_STATUS(0, "path", scene, after);

            const char* proof = program_temporary("kind.txt");
            EXPECT_STATUS(0, "path", scene, before, "--moving", "reach", "--certificate", proof);
            EXPECT_STATUS(0, "path", scene, before, "--moving", "reach", "--verify", proof);
            EXPECT_STATUS(2, "path", scene, after, "--moving", "reach", "--verify", proof);
        }
    }
}

// Nearer from the start: the motion begins in collision, and says so.
static void a_person_stands_too_near(void** state) {
    (void)state;
    const char* scene = write_slide("near.yaml",
                                    "  - {name: worker, sphere: {radius: 0.2}, pose: {xyz: [0.59, 0, 0]}, "
                                    "person: {speed: 0, intrusion: 0.2, "
                                    "uncertainty: 0.1}}\n");
    const char* away = expect_written("away.csv", "time,slide\n0,0\n1,-1\n");
    const char* alone = expect_written("alone.csv", "time,slide\n3,0\n");
    const char* behind = expect_written("behind.csv", "time,slide\n3,-0.02\n");
    ProgramRun run = EXPECT_RUN(1, "path", scene, away, "--moving", "reach");
    assert_non_null(strstr(run.out, "starts in collision"));
    program_free(&run);
    EXPECT_STATUS(0, "path", scene, away);
    EXPECT_STATUS(1, "path", scene, alone, "--moving", "reach");  // one row is one state
    EXPECT_STATUS(0, "path", scene, behind, "--moving", "reach");
}

static void it_needs_times(void** state) {
    (void)state;
    const char* scene = write_slide("cart.yaml", BALL_CART);
    const struct {
        const char *name, *text, *said;
    } files[] = {{"untimed.csv", "slide\n0\n0.1\n", "time"},
                 {"same.csv", "time,slide\n0,0\n0,0.1\n", "times must grow"},
                 {"back.csv", "time,slide\n1,0\n0.5,0.1\n", "times must grow"},
                 {"nan.csv", "time,slide\n0,0\nnan,0.1\n", "nan"},
                 {"zero.json",
                  "{\"joint_names\": [\"slide\"], \"points\": [{\"positions\": [0], \"time_from_start\": 0}, "
                  "{\"positions\": "
                  "[0.1], \"time_from_start\": 0}]}",
                  "time"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        ProgramRun run =
            EXPECT_RUN(2, "path", scene, expect_written(files[i].name, files[i].text), "--moving", "reach");
        assert_non_null(strstr(run.err, files[i].said));
        assert_int_equal(run.out[0], '\0');
        program_free(&run);
    }

    const char* segments = expect_written("segments.csv", "slide:from,slide:to\n0,0.1\n");
    EXPECT_STATUS(2, "path", scene, "--segments", segments, "--moving", "reach");
    EXPECT_STATUS(0, "path", scene, "--segments", segments, "--moving", "stand");
    EXPECT_STATUS(2, "path", scene, write_wait("wait.csv", 0, 1), "--moving", "run");
    EXPECT_STATUS(2, "check", scene, "--moving", "reach");
}

// A message counts from its own start, also when its first point comes later.
static void messages_count_from_their_start(void** state) {
    (void)state;
    const char* scene = write_slide("cart.yaml", BALL_CART);
    const char* const form =
        "{\"joint_names\": [\"slide\"], \"points\": [{\"positions\": [0], \"time_from_start\": %g}, "
        "{\"positions\": [0], \"time_from_start\": %g}]}";
    char text[400];
    (void)snprintf(text, sizeof text, form, 5.0, 6.9);
    EXPECT_STATUS(0, "path", scene, expect_written("early.json", text), "--moving", "reach");
    (void)snprintf(text, sizeof text, form, 5.0, 7.1);
    EXPECT_STATUS(1, "path", scene, expect_written("later.json", text), "--moving", "reach");
}

// Two robots, each with a file: the one that has arrived waits, and the cart comes.
static void a_robot_that_waits_is_met(void** state) {
    (void)state;
    (void)write_slide("unused.yaml", BALL_CART);
    char text[1000];
    (void)snprintf(text, sizeof text,
                   "berth: 1\nrobots:\n  - {name: left, urdf: '%s'}\n  - {name: right, urdf: '%s', base: "
                   "{xyz: [0, 9, 0]}}\n"
                   "objects:\n" BALL_CART,
                   program_temporary("slide.urdf"), program_temporary("slide.urdf"));
    const char* scene = expect_written("two.yaml", text);
    const char* left = expect_written("left.csv", "time,left/slide\n2,-1\n3,0\n");
    const char* right = expect_written("right.csv", "time,right/slide\n2,0\n8.9,1\n");
    const char* longer = expect_written("longer.csv", "time,right/slide\n2,0\n9.1,1\n");
    EXPECT_STATUS(0, "path", scene, left, right, "--moving", "reach");
    EXPECT_STATUS(1, "path", scene, left, longer, "--moving", "reach");
    EXPECT_STATUS(0, "path", scene, left, longer);

    const char* proof = program_temporary("two.txt");
    EXPECT_STATUS(0, "path", scene, left, right, "--moving", "reach", "--certificate", proof);
    EXPECT_STATUS(0, "path", scene, left, right, "--verify", proof);
    EXPECT_STATUS(2, "path", scene, left, longer, "--verify", proof);
}

/// The file's text with `old` replaced, and its last line put right.
static const char* forge(const char* from, const char* old, const char* new, const char* name) {
    FILE* file = fopen(from, "rb");
    assert_non_null(file);
    static char text[100000], out[100100];
    const size_t size = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[size] = '\0';
    char* at = strstr(text, old);
    assert_non_null(at);
    (void)snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));

    char* end = strstr(out, "\nend ");
    assert_non_null(end);
    Sha256 sha;
    uint8_t hash[SHA256_SIZE];
    bi_sha256_init(&sha);
    bi_sha256_add(&sha, out, (size_t)(end + 1 - out));
    bi_sha256_end(&sha, hash);
    bi_sha256_text(hash, end + 5);
    (void)strcat(end, "\n");
    return expect_written(name, out);
}

static void proofs_are_about_times_and_speeds(void** state) {
    (void)state;
    const char* scene = write_slide("cart.yaml", BALL_CART);
    const char* path = expect_written("go.csv", "time,slide\n0,0\n2,0.25\n");
    const char* slower = expect_written("slower.csv", "time,slide\n0,0\n2.5,0.25\n");
    const char* later = expect_written("later.csv", "time,slide\n1,0\n3,0.25\n");
    const char* proof = program_temporary("reach.txt");
    const char* standing = program_temporary("stand.txt");
    EXPECT_STATUS(0, "path", scene, path, "--moving", "reach", "--certificate", proof);
    EXPECT_STATUS(0, "path", scene, path, "--certificate", standing);

    // With the same times, whatever the clock says; and then nothing is assumed.
    EXPECT_STATUS(0, "path", scene, path, "--moving", "reach", "--verify", proof, "--strict");
    EXPECT_STATUS(0, "path", scene, path, "--verify", proof, "--strict");
    EXPECT_STATUS(0, "path", scene, later, "--verify", proof, "--strict");
    EXPECT_STATUS(2, "path", scene, slower, "--verify", proof);
    EXPECT_STATUS(2, "path", scene, expect_written("none.csv", "slide\n0\n0.25\n"), "--verify", proof);

    // One for objects that stand says so, is about no times, and is no proof of their reach.
    json_t* answer = EXPECT_JSON(0, "path", scene, slower, "--verify", standing);
    assert_int_equal(assumed_count(answer, "moving_objects_stand"), 1);
    json_decref(answer);
    EXPECT_STATUS(3, "path", scene, path, "--verify", standing, "--strict");
    EXPECT_STATUS(2, "path", scene, path, "--verify", standing, "--moving", "reach");

    // Other speeds are another scene.
    const char* faster =
        write_slide("faster.yaml",
                    "  - {name: cart, sphere: {radius: 0.2}, pose: {xyz: [1, 0, 0]}, moving: "
                    "{speed: 0.11}}\n");
    const char* person =
        write_slide("person.yaml",
                    "  - {name: cart, sphere: {radius: 0.2}, pose: {xyz: [1, 0, 0]}, person: "
                    "{speed: 0.1, intrusion: 0.01, uncertainty: 0}}\n");
    EXPECT_STATUS(2, "path", faster, path, "--verify", proof);
    EXPECT_STATUS(2, "path", person, path, "--verify", proof);

    // Changed, with the checksum put right.
    EXPECT_STATUS(0, "path", scene, path, "--verify", forge(proof, " 0 2\n", " 0 2\n", "same.txt"));
    EXPECT_STATUS(2, "path", scene, path, "--verify", forge(proof, " 0 2\n", " 0 2.5\n", "times.txt"));
    EXPECT_STATUS(2, "path", scene, slower, "--verify", forge(proof, " 0 2\n", " 0 2.5\n", "times.txt"));
    EXPECT_STATUS(2, "path", scene, path, "--verify",
                  forge(proof, "moving reach", "moving stand", "word.txt"));
    EXPECT_STATUS(2, "path", scene, path, "--verify",
                  forge(standing, "moving stand", "moving reach", "word.txt"));
    EXPECT_STATUS(2, "path", scene, path, "--verify",
                  forge(proof, "moving reach 1", "moving reach 0", "count.txt"));

    // Version 2 did not list what a second verifier needs.
    ProgramRun run = EXPECT_RUN(
        2, "path", scene, path, "--verify",
        forge(standing, "berth certificate 3\nmoving stand 1\n", "berth certificate 2\n", "old.txt"));
    assert_non_null(strstr(run.err, "older versions"));
    program_free(&run);
}

int test_cli_moving(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_say_that_they_stand),
        cmocka_unit_test(strict_refuses_them),
        cmocka_unit_test(a_proof_is_about_their_speeds),
        cmocka_unit_test(a_cart_arrives),
        cmocka_unit_test(objects_of_every_kind),
        cmocka_unit_test(a_person_stands_too_near),
        cmocka_unit_test(it_needs_times),
        cmocka_unit_test(messages_count_from_their_start),
        cmocka_unit_test(a_robot_that_waits_is_met),
        cmocka_unit_test(proofs_are_about_times_and_speeds),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
