// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Objects that may move on their own, in answers about states and motions that take them as standing: each answer says
// so, --strict refuses it, and a proof about them is about their speeds.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

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

int test_cli_moving(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_say_that_they_stand),
        cmocka_unit_test(strict_refuses_them),
        cmocka_unit_test(a_proof_is_about_their_speeds),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
