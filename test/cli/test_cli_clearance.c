// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth path about how near things come: both bounds with where the upper one was measured, own links apart with a margin of
// their own that certificates keep; without a search; every segment that collides; a limit of time; advice where it is unknown.

// clang-format off
#include <berth/motion.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/expect.h"
#include "support/setting.h"

#define BOX(name, y)                                        \
    "<link name=\"" name "\"><collision><origin xyz=\"0 " y \
    "\"/><geometry><box size=\".1 .1 .1\"/>"                \
    "</geometry></collision></link>"
#define SLIDE(name, parent, child)                                                                  \
    "<joint name=\"" name "\" type=\"prismatic\"><parent link=\"" parent "\"/><child link=\"" child \
    "\"/><axis xyz=\"1 0 0\"/><limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/></joint>"

// Two boxes slide past each other 20 mm apart (a link without geometry keeps them from being neighbours), 100 mm from a wall.
#define SLIDER \
    "<robot name=\"slider\"><link name=\"base\"/>" BOX("a", "0 0") BOX("b", "0.12 0")                  \
        "<link name=\"between\"/>" SLIDE("x", "base", "a") SLIDE("y", "a", "between")                  \
            "<joint name=\"z\" type=\"prismatic\"><parent link=\"between\"/><child link=\"b\"/>"       \
            "<axis xyz=\"1 0 0\"/><limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/></joint></robot>"
#define WALL                                                                                       \
    "berth: 1\nrobots: [{urdf: slider.urdf}]\nobjects: [{name: wall, box: {size: [4, 0.1, 0.1]}, " \
    "pose: {xyz: [0, -0.2, 0]}}]\n"

static const char* make_scene(void) {
    (void)expect_written("slider.urdf", SLIDER);
    return expect_written("slider.yaml", WALL);
}

static void expect_between(const json_t* bounds, double truth) {
    const double lower = number_at(bounds, "lower"), upper = number_at(bounds, "upper");
    if (!(lower <= truth + 1e-12) || !(lower >= 0.7 * truth) || !(upper >= truth - 1e-12) ||
        !(upper <= 1.2 * truth)) {
        fail_msg("[%.12g, %.12g], truth %.12g", lower, upper, truth);
    }
}

static void both_bounds_are_told(void** state) {
    (void)state;
    const char* scene = make_scene();
    const char* way = expect_written("way.csv", "x,y\n-0.5,0\n0,0.2\n0.5,-0.1\n");
    static const char* const methods[] = {"second-order", "refined", "adaptive"};
    for (int m = 0; m < 3; ++m) {
        json_t* answer = EXPECT_JSON(0, "path", scene, way, "--method", methods[m]);
        const json_t* clearance = json_object_get(answer, "clearance");
        expect_between(clearance, 0.02);
        expect_between(json_object_get(clearance, "self"), 0.02);
        expect_between(json_object_get(clearance, "environment"), 0.1);
        assert_string_equal(text_at(clearance, "a"), "a");
        assert_string_equal(text_at(clearance, "b"), "b");
        assert_true(integer_at(clearance, "segment") >= 0 && integer_at(clearance, "segment") < 2);
        assert_true(number_at(clearance, "t") >= 0 && number_at(clearance, "t") <= 1);
        assert_int_equal(json_array_size(json_object_get(clearance, "point_a")), 3);
        assert_int_equal(json_array_size(json_object_get(clearance, "point_b")), 3);
        assert_null(json_object_get(clearance, "spent"));
        json_decref(answer);
    }

    // Without the search: what the verdict proved, and nothing measured. Samples prove nothing at all.
    json_t* plain = EXPECT_JSON(0, "path", scene, way, "--no-clearance");
    const json_t* lower = json_object_get(plain, "clearance");
    assert_true(number_at(lower, "lower") <= 0.02 && json_object_get(lower, "upper") == NULL);
    json_decref(plain);
    json_t* sampled = EXPECT_JSON(3, "path", scene, way, "--method", "fixed");
    assert_true(json_is_null(json_object_get(sampled, "clearance")));
    assert_true(json_array_size(json_object_get(sampled, "advice")) > 0);
    json_decref(sampled);

    ProgramRun text = EXPECT_RUN(0, "path", scene, way);
    assert_non_null(strstr(text.out, "clearance of the robot's own links: from "));
    assert_non_null(strstr(text.out, "clearance of everything else: from "));
    program_free(&text);
}

static void own_links_have_their_margin(void** state) {
    (void)state;
    const char* scene = make_scene();
    const char* way = expect_written("way.csv", "x,y\n-0.5,0\n0.5,0.2\n");
    const char* proof = program_temporary("proof.txt");
    EXPECT_STATUS(1, "path", scene, way, "--margin", "0.05");
    EXPECT_STATUS(1, "path", scene, way, "--margin", "0.05", "--self-margin", "0.03");
    EXPECT_STATUS(1, "path", scene, way, "--margin", "0.11", "--self-margin", "0.01");
    json_t* answer = EXPECT_JSON(0, "path", scene, way, "--margin", "0.05", "--self-margin", "0.01",
                                 "--certificate", proof);
    assert_true(number_at(answer, "margin") == 0.05 && number_at(answer, "self_margin") == 0.01);
    json_decref(answer);

    // The certificate holds for these margins and for smaller ones, and not for one that is larger than it proves.
    answer =
        EXPECT_JSON(0, "path", scene, way, "--margin", "0.05", "--self-margin", "0.01", "--verify", proof);
    const json_t* clearance = json_object_get(answer, "clearance");
    assert_true(number_at(json_object_get(clearance, "self"), "lower") >= 0.01);
    assert_true(number_at(json_object_get(clearance, "environment"), "lower") >= 0.05);
    json_decref(answer);
    EXPECT_STATUS(0, "path", scene, way, "--verify", proof);
    EXPECT_STATUS(2, "path", scene, way, "--self-margin", "0.021", "--verify", proof);
    EXPECT_STATUS(2, "path", scene, way, "--margin", "0.05", "--verify", proof);
    EXPECT_STATUS(2, "path", scene, way, "--margin", "0.101", "--self-margin", "0", "--verify", proof);
}

// A wall that stands in the way of the second and the fourth of five segments.
static void every_colliding_segment_is_told(void** state) {
    (void)state;
    (void)expect_written("slider.urdf", SLIDER);
    const char* scene = expect_written("blocked.yaml",
                                       "berth: 1\nrobots: [{urdf: slider.urdf}]\nobjects: [{name: post, "
                                       "sphere: {radius: 0.05}, pose: {xyz: [1, 0, 0]}}]\n");
    const char* way = expect_written("way.csv", "x\n0\n0.5\n1.5\n2.0\n0.4\n0\n");
    json_t* first = EXPECT_JSON(1, "path", scene, way);
    assert_null(json_object_get(first, "hits"));
    assert_int_equal(integer_at(first, "segment"), 1);
    json_decref(first);

    json_t* all = EXPECT_JSON(1, "path", scene, way, "--all");
    const json_t* hits = json_object_get(all, "hits");
    assert_int_equal(json_array_size(hits), 2);
    for (size_t i = 0; i < 2; ++i) {
        const json_t* hit = json_array_get(hits, i);
        assert_int_equal(integer_at(hit, "segment"), i == 0 ? 1 : 3);
        const double x = json_number_value(json_array_get(json_object_get(hit, "state"), 0));
        assert_true(fabs(x - 1) <= 0.1 + 1e-9);
        assert_string_equal(text_at(hit, "b"), "post");
        assert_true(number_at(hit, "t") >= 0 && json_array_size(json_object_get(hit, "point")) == 3);
    }
    json_decref(all);
    ProgramRun text = EXPECT_RUN(1, "path", scene, way, "--all");
    assert_non_null(strstr(text.out, "2 of 5 segments collide:"));
    program_free(&text);

    const char* free = expect_written("free.csv", "x\n0\n0.5\n");
    json_t* none = EXPECT_JSON(0, "path", scene, free, "--all");
    assert_int_equal(json_array_size(json_object_get(none, "hits")), 0);
    json_decref(none);
    EXPECT_STATUS(2, "path", scene, way, "--all", "--summary");
}

static bool advises(const json_t* answer, const char* option) {
    const json_t* advice = json_object_get(answer, "advice");
    for (size_t i = 0; i < json_array_size(advice); ++i) {
        const char* text = text_at(json_array_get(advice, i), "option");
        assert_non_null(text_at(json_array_get(advice, i), "cost"));
        if (text != NULL && strcmp(text, option) == 0) {
            return true;
        }
    }
    return false;
}

static void unknown_comes_with_advice(void** state) {
    (void)state;
    const char* scene = make_scene();
    const char* way = expect_written("way.csv", "x,y\n-0.5,0\n0.5,0.2\n");

    // Out of time before anything was looked at.
    json_t* late = EXPECT_JSON(3, "path", scene, way, "--time", "1e-9");
    assert_string_equal(text_at(late, "verdict"), "unknown");
    assert_string_equal(text_at(late, "reason"), "budget");
    assert_true(advises(late, "--time"));
    json_decref(late);
    json_t* in_time = EXPECT_JSON(0, "path", scene, way, "--time", "1000");
    assert_string_equal(text_at(in_time, "verdict"), "free");
    json_decref(in_time);

    // A box passes a ball by a hair more than the margin: within the band.
    (void)expect_written("slider.urdf", SLIDER);
    const char* near = expect_written("near.yaml",
                                      "berth: 1\nrobots: [{urdf: slider.urdf}]\nobjects: [{name: post, "
                                      "sphere: {radius: 0.05}, pose: {xyz: [1, -0.10001, 0]}}]\n");
    const char* past = expect_written("past.csv", "x\n0\n2\n");
    json_t* close = EXPECT_JSON(3, "path", near, past, "--margin", "9.99999999e-6");
    assert_string_equal(text_at(close, "reason"), "too_close");
    assert_true(advises(close, "--delta") && advises(close, "--margin"));
    assert_string_equal(text_at(close, "b"), "post");
    json_decref(close);
}

static void what_makes_no_sense_is_refused(void** state) {
    (void)state;
    const char* scene = make_scene();
    const char* way = expect_written("way.csv", "x,y\n-0.5,0\n0.5,0.2\n");
    EXPECT_STATUS(2, "path", scene, way, "--self-margin", "-1");
    EXPECT_STATUS(2, "path", scene, way, "--time", "0");
    EXPECT_STATUS(2, "path", scene, way, "--time", "nan");
    EXPECT_STATUS(2, "path", scene, way, "--summary", "--no-clearance");
    EXPECT_STATUS(2, "check", scene, "--no-clearance");
}

int test_cli_clearance(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_bounds_are_told),
        cmocka_unit_test(own_links_have_their_margin),
        cmocka_unit_test(every_colliding_segment_is_told),
        cmocka_unit_test(unknown_comes_with_advice),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
