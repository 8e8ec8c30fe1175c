// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Scene files: what the formats mean, and what is said about wrong ones, with the line. Over 900 lines because the three
// formats and their wrong texts stand side by side: a rule that one of them has is looked up in the others.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "math/math.h"
#include "scene/scene.h"
#include "support/memory_files.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

static char warnings[2048];

static void keep_warning(void* user, const char* text) {
    (void)user;
    const size_t used = strlen(warnings);
    snprintf(warnings + used, sizeof warnings - used, "%s\n", text);
}

static BerthStatus read_as(const char* path, const char* text, const char* robot, MemoryFiles* files,
                           BerthScene** out) {
    const SceneFiles memory = test_memory_files(files);
    BerthIoOptions options = berth_default_io_options();
    options.robot = robot;
    options.warn = keep_warning;
    warnings[0] = '\0';
    return bi_io_scene_from_bytes(path, text, strlen(text), &options, &memory, out);
}

static BerthScene* must_read(const char* path, const char* text, const char* robot, MemoryFiles* files) {
    BerthScene* scene = NULL;
    const BerthStatus status = read_as(path, text, robot, files, &scene);
    if (status != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    assert_true(scene->committed);
    return scene;
}

static BerthObjectInfo object_of(const BerthScene* scene, const char* name) {
    BerthObjectInfo info;
    assert_int_equal(berth_scene_object(scene, berth_scene_find_object(scene, name), &info), BERTH_OK);
    return info;
}

static bool near(double a, double b) {
    return fabs(a - b) < 1e-12;
}

// ---- berth's own -------------------------------------------------------------------------------------------

// The example of the interface, all keys in it.
static const char whole[] =
    "berth: 1\n"
    "packages: {panda_description: ../robots/panda_description}\n"
    "robots:\n"
    "  - name: left\n"
    "    urdf: twin_arm.urdf\n"
    "    srdf: twin_arm.srdf\n"
    "    base: {xyz: [0, 0.4, 0], rpy: [0, 0, 1.5707963267948966]}\n"
    "    free_base: false\n"
    "    state: {shoulder: 0.1, elbow: -0.5}\n"
    "    padding: 0.01\n"
    "    hull: [lower]\n"
    "    limits: {shoulder: {velocity: 1.0, acceleration: 4.0, deceleration: 8.0}}\n"
    "  - {name: right, urdf: twin_arm.urdf, state: ready, hull: true, base: {quat: [0, 0, 2, 0]}}\n"
    "  - {name: third, urdf: twin_arm.urdf, state: arm/ready, free_base: true}\n"
    "objects:\n"
    "  - name: table\n"
    "    box: {size: [1.2, 0.8, 0.05]}\n"
    "    pose: {xyz: [0.6, 0, 0.4]}\n"
    "  - name: part\n"
    "    mesh: {file: part.stl, scale: [0.001, 0.001, -0.001]}\n"
    "    attach: left/tool\n"
    "    touch: [left/hand, tray]\n"
    "    mass: 1.2\n"
    "  - name: cart\n"
    "    capsule: {radius: 0.2, length: 1.0}\n"
    "    moving: {speed: 0.5}\n"
    "  - name: worker\n"
    "    capsule: {radius: 0.4, length: 1.0}\n"
    "    person: {speed: 1.6, intrusion: 0.2, uncertainty: 0.1}\n"
    "  - {name: tray, mesh: {file: open.obj}}\n"
    "  - {name: lump, mesh: {file: open.obj, hull: true}}\n"
    "  - {name: ball, sphere: {radius: 0.1}}\n"
    "  - {name: pipe, cylinder: {radius: 0.1, length: 2}}\n"
    "  - {name: hat, cone: {radius: 0.1, length: 2e-1}}\n"
    "  - {name: floor, halfspace: {normal: [0, 0, 2], offset: -2}}\n"
    "allow:\n"
    "  - [left/base, table]\n"
    "safety: {period: 0.001, latency: 0.01, reaction: 0.02, silence: 0.005, margin: 0.02}\n"
    "materials: {default: {stiffness: 1.0e4, damping: 50, viscosity: 5, friction: 0.5}}\n";

static void check_whole(const BerthScene* scene, const MemoryFiles* files) {
    assert_int_equal(berth_scene_robot_count(scene), 3);
    assert_int_equal(berth_scene_value_count(scene), 2 + 2 + 9);
    assert_string_equal(files->package, "panda_description=folder/../robots/panda_description");
    const double* values = berth_scene_values(scene);
    assert_true(values[0] == 0.1 && values[1] == -0.5 && values[2] == 0.5 && values[3] == -1.0);
    assert_true(values[berth_scene_find_value(scene, "third/world_joint/qw")] == 1.0);
    assert_true(values[berth_scene_find_value(scene, "third/elbow")] == -1.0);
    BerthPose base;
    const char* name = NULL;
    berth_scene_robot(scene, 0, &name, &base);
    assert_string_equal(name, "left");
    assert_true(near(base.x.y, 1.0) && near(base.y.x, -1.0) && base.t.y == 0.4);
    berth_scene_robot(scene, 1, &name, &base);
    assert_true(base.x.x == -1.0 && base.y.y == -1.0 && base.z.z == 1.0);
    assert_true(berth_scene_padding(scene, 0) == 0.01 && berth_scene_padding(scene, 1) == 0.0);
    const int32_t joint = berth_robot_find_joint(berth_scene_robot(scene, 0, NULL, NULL), "shoulder");
    assert_true(berth_scene_joint_limit(scene, 0, joint).deceleration == 8.0);
    BerthSafety safety;
    assert_true(berth_scene_safety(scene, &safety) && safety.silence == 0.005 && safety.margin == 0.02);
    BerthMaterial material;
    assert_true(berth_scene_material(scene, "default", &material) && material.stiffness == 1e4 &&
                material.friction == 0.5);
}

static void every_key_is_read(void** state) {
    (void)state;
    MemoryFiles files;
    BerthScene* scene = must_read("folder/cell.yaml", whole, NULL, &files);
    check_whole(scene, &files);
    assert_int_equal(files.robot_count, 3);
    assert_int_equal(files.mesh_count, 3);
    assert_int_equal(berth_scene_object_count(scene), 10);
    BerthObjectInfo info = object_of(scene, "table");
    assert_true(berth_solid_shape(info.solid)->as.box.half.x == 0.6 && info.pose.t.z == 0.4);
    info = object_of(scene, "part");
    assert_int_equal(info.robot, 0);
    assert_true(info.mass == 1.2);
    assert_string_equal(info.source, "part.stl");
    info = object_of(scene, "cart");
    assert_true(info.moving && info.speed == 0.5 && !info.person);
    info = object_of(scene, "worker");
    assert_true(info.person && info.speed == 1.6 && info.intrusion == 0.2 && info.uncertainty == 0.1);
    assert_int_equal(berth_solid_shape(object_of(scene, "lump").solid)->kind, BERTH_HULL);
    assert_non_null(berth_solid_mesh(object_of(scene, "tray").solid));
    const BerthShape* pipe = berth_solid_shape(object_of(scene, "pipe").solid);
    assert_true(pipe->kind == BERTH_CYLINDER && pipe->as.cylinder.radius == 0.1 &&
                pipe->as.cylinder.length == 2.0);
    const BerthShape* plane = berth_solid_shape(object_of(scene, "floor").solid);
    assert_true(plane->as.halfspace.normal.z == 1.0 && plane->as.halfspace.offset == -1.0);
    int touch = 0;
    int open = 0;
    int allowed = 0;
    for (int32_t i = 0; i < berth_scene_assumed_count(scene); ++i) {
        const BerthAssumed entry = berth_scene_assumed(scene, i);
        open += strcmp(entry.what, "open_meshes") == 0 ? entry.count : 0;
    }
    for (int32_t i = 0; i < berth_scene_declared_count(scene); ++i) {
        const BerthAssumed entry = berth_scene_declared(scene, i);
        touch += strcmp(entry.what, "touch_pairs") == 0 ? entry.count : 0;
        allowed += strcmp(entry.what, "allowed_pairs") == 0 ? entry.count : 0;
    }
    assert_int_equal(touch, 2);  // left/hand and the tray that comes later; the tool has no geometry
    assert_int_equal(open, 1);
    assert_int_equal(allowed, 1);
    berth_scene_destroy(scene);
}

// The same file gives the same numbers where a decimal point is a comma.
static void locale_changes_nothing(void** state) {
    (void)state;
    const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    const char* set = NULL;
    for (size_t i = 0; i < 4 && set == NULL; ++i) {
        set = setlocale(LC_ALL, names[i]);
    }
    if (set == NULL) {
        TEST_SKIP("no locale with a decimal comma is installed");
    }
    MemoryFiles files;
    BerthScene* scene = NULL;
    const BerthStatus status = read_as("folder/cell.yaml", whole, NULL, &files, &scene);
    setlocale(LC_ALL, "C");
    assert_int_equal(status, BERTH_OK);
    check_whole(scene, &files);
    berth_scene_destroy(scene);
}

static void small_scenes_are_fine(void** state) {
    (void)state;
    const char* const fine[] = {
        "berth: 1\n",
        "berth: 1\nrobots:\nobjects:\nallow:\n",
        "berth: 1\nrobots: Null\nobjects: [{name: a, mesh: {file: b, hull: True}}]\nallow: ~\n",
        "berth: 1\nrobots: []\nobjects: [{name: a, sphere: {radius: 1}}]\n",
        "# a comment\n%YAML 1.1\n---\nberth: 1\n...\n",
        "{\"berth\":1,\"robots\":[{\"urdf\":\"a.urdf\",\"state\":{\"shoulder\":1e-1}}],\"objects\":[]}",
        "berth: 1\nrobots: [{urdf: a.urdf}]\nobjects: [{name: p, sphere: {radius: 0}, attach: hand}]\n",
        "berth: 1\nrobots: [{name: one, urdf: a.urdf}]\nobjects: [{name: p, sphere: {radius: 1}, attach: "
        "one/hand}]\n"
        "allow: [[p, base], [one/base, p]]\n",
        ("\xEF\xBB\xBF"
         "berth: 1\r\nrobots:\r\n- urdf: a.urdf\r\n  state: !!map {shoulder: !!float 1}\r\n"),
        "berth: 1\nobjects: [{name: \"\\u00e4 \\u4e2d/x y\", box: {size: [0, 1, 1]}}]\n",
    };
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; ++i) {
        MemoryFiles files;
        berth_scene_destroy(must_read("a.yaml", fine[i], NULL, &files));
    }
}

// ---- wrong scenes ------------------------------------------------------------------------------------------

#define HEAD "berth: 1\nrobots: [{name: left, urdf: a.urdf}]\n"
#define OBJ(text) HEAD "objects:\n  - name: thing\n    " text "\n"

static const struct {
    const char* text;
    int line;
    const char* fragment;
} wrong[] = {
    // the file
    {"", 1, "empty"},
    {"\n\n", 1, "empty"},
    {"# nothing\n", 1, "empty"},
    {"- berth\n", 1, "not a scene"},
    {"hello", 1, "not a scene"},
    {"robots: []\n", 1, "'berth: 1' is missing"},
    {"berth: 2\n", 1, "version 2"},
    {"berth: one\n", 1, "'one'"},
    {"berth: 1.0\n", 1, "'1.0'"},
    {"berth: \"1\"\n", 1, "the text '1'"},
    {"berth:\n", 1, "nothing"},
    {"berth: 1\nberth: 1\n", 2, "key 'berth' appears twice"},
    {"berth: 1\n---\nberth: 1\n", 2, "second YAML document"},
    {"berth: 1\nrobot: []\n", 2, "unknown key 'robot'; did you mean 'robots'?"},
    {"berth: 1\nwheels: 4\n", 2, "unknown key 'wheels' (known: berth, packages"},
    {"berth: 1\n? [a]\n: b\n", 2, "a key must be text"},
    {"berth: 1\nrobots: &x []\nobjects: *x\n", 3, "alias"},
    {"berth: 1\nobjects: !thing []\n", 2, "tag"},
    {"berth: 1\nobjects: [\n", 2, "while parsing a flow"},
    {"berth: 1\n\tobjects: []\n", 2, "tab"},
    {"berth: 1\nx: \"\\0\"\n", 2, "zero byte"},
    {"berth: 1\nx: \xff\n", 2, "UTF-8"},
    {"berth: 1\nrobots: {}\n", 2, "robots: a list was expected, here is a map"},
    {"berth: 1\nrobots: [left]\n", 2, "robots: a map was expected, here is 'left'"},
    {"berth: 1\npackages: [a]\n", 2, "packages: a map was expected"},
    {"berth: 1\npackages: {a/b: c}\n", 2, "'a/b'"},
    {"berth: 1\npackages: {a: }\n", 2, "a text was expected, here is nothing"},
    {"goal_constraints: []\n", 1, "planning request"},
    // robots
    {"berth: 1\nrobots:\n  - name: left\n", 3, "robot 'left': 'urdf' is missing"},
    {"berth: 1\nrobots:\n  - {}\n", 3, "robot: 'urdf' is missing"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    colour: red\n", 4, "unknown key 'colour'"},
    {"berth: 1\nrobots:\n  - urdf: missing.urdf\n", 3, "robot: urdf: there is no file 'missing.urdf'"},
    {"berth: 1\nrobots:\n  - {urdf: a.urdf,\n     srdf: missing.srdf}\n", 4, "srdf: there is no file"},
    {"berth: 1\nrobots:\n  - urdf: [a]\n", 3, "urdf: a text was expected, here is a list"},
    {"berth: 1\nrobots:\n  - {urdf: a.urdf, name: a/b}\n", 3, "no '/'"},
    {"berth: 1\nrobots:\n  - {urdf: a.urdf}\n  - {urdf: a.urdf, name: b}\n", 3,
     "with several robots each needs a name"},
    {"berth: 1\nrobots:\n  - {urdf: a.urdf, name: b}\n  - {urdf: a.urdf, name: b}\n", 4,
     "already has a robot"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    padding: -0.1\n", 4, "padding: -0.1"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    padding: lots\n", 4, "padding: 'lots': not a number"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    padding: '1'\n", 4,
     "a number was expected, here is the text '1'"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    free_base: yes\n", 4,
     "true or false was expected, here is 'yes'"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    hull: 1\n", 4, "true or false"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    hull: [lower,\n     upperr]\n", 5,
     "hull: there is no link 'upperr'"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    base: {xyz: [0, 0]}\n", 4,
     "a list of 3 numbers was expected, here are 2"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    base: {xyz: [0, 0, 1,5]}\n", 4, "here are 4"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    base: {xyz: [0, 0, 1e8]}\n", 4, "1e8 is not within"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    base: {xyz: [0, 0, .nan]}\n", 4, "'.nan': not finite"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    base: {xyz: [0, 0, -.inf]}\n", 4, "not finite"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    base: {quat: [0, 0, 0, 0]}\n", 4, "quaternion is zero"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    base: {quat: [0, 0, 0]}\n", 4, "a list of 4 numbers"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    base: {rpy: [0, 0, 0], quat: [0, 0, 0, 1]}\n", 4,
     "rpy or quat, not both"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    base: {xzy: [0, 0, 0]}\n", 4, "did you mean 'xyz'?"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    state: {shoulder: 1, elbw: 2}\n", 4,
     "no joint 'elbw'; did you mean 'elbow'?"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    state: {wrist: 0}\n", 4, "joint 'wrist' is fixed"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    state: {shoulder: 1e7}\n", 3, "1e+06"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    state: {shoulder: 1, shoulder: 2}\n", 4, "appears twice"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    state: home\n", 4, "state: "},
    {"berth: 1\nrobots:\n  - {urdf: a.urdf, free_base: true,\n    state: {world_joint: 1}}\n", 4,
     "has several values"},
    {"berth: 1\nrobots:\n  - {urdf: a.urdf, free_base: true,\n    state: {world_joint/qw: 0}}\n", 4,
     "quaternion"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    limits: {elbow: {velocity: 0}}\n", 4, "a number > 0"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    limits: {elbow: {speed: 1}}\n", 4, "unknown key 'speed'"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    limits: {wrist: {velocity: 1}}\n", 4, "fixed"},
    {"berth: 1\nrobots:\n  - urdf: a.urdf\n    limits: {nothing: {velocity: 1}}\n", 4, "no joint 'nothing'"},
    // objects
    {HEAD "objects:\n  - {}\n", 4, "an object has no name"},
    {HEAD "objects:\n  - name: ''\n", 4, "a text was expected, here is nothing"},
    {HEAD "objects:\n  - [a]\n", 4, "objects: a map was expected"},
    {OBJ("pose: {}"), 4, "it has no shape"},
    {OBJ("box: {size: [1, 1, 1]}\n    sphere: {radius: 1}"), 6, "it has 'box' and 'sphere'"},
    {OBJ("bx: {size: [1, 1, 1]}"), 5, "unknown key 'bx'; did you mean 'box'?"},
    {OBJ("box: {size: [1, 1, -1]}"), 5, "box"},
    {OBJ("box: {sizes: [1, 1, 1]}"), 5, "did you mean 'size'?"},
    {OBJ("box: {}"), 5, "'size' is missing"},
    {OBJ("box: [1, 1, 1]"), 5, "a map was expected, here is a list"},
    {OBJ("sphere: {radius: 1m}"), 5, "'1m': trailing characters"},
    {OBJ("sphere: {radius: 1,5}"), 5, "unknown key '5'"},
    {OBJ("parts: []"), 5, "parts: the list is empty"},
    {OBJ("parts: {box: {size: [1, 1, 1]}}"), 5, "a list was expected"},
    {OBJ("parts: [{box: {size: [1, 1, 1]}}, {pose: {xyz: [0, 0, 0]}}]"), 5, "part 2: it has no shape"},
    {OBJ("parts: [{map: {file: a.bt}}]"), 5, "part 1: unknown key 'map'"},
    {OBJ("parts: [{box: {size: [1, 1, 1]}, sphere: {radius: 1}}]"), 5, "part 1: it has 'box' and 'sphere'"},
    {OBJ("parts: [{box: {size: [1, 1, -1]}}]"), 5, "size"},
    {OBJ("parts: [{box: {size: [1, 1, 1]}}]\n    box: {size: [1, 1, 1]}"), 5, "it has 'box' and 'parts'"},
    {OBJ("sphere: {radius: 0x10}"), 5, "'0x10'"},
    {OBJ("sphere: {radius: -1}"), 5, "-1 is not a number from 0"},
    {OBJ("cylinder: {radius: 1}"), 5, "'length' is missing"},
    {OBJ("cylinder: {radius: 0, length: 1}"), 5, "cylinder"},
    {OBJ("cone: {radius: 1, length: 0}"), 5, "cone"},
    {OBJ("halfspace: {normal: [0, 0, 0], offset: 0}"), 5, "normal"},
    {OBJ("halfspace: {normal: [0, 0, 1]}"), 5, "'offset' is missing"},
    {OBJ("mesh: {}"), 5, "'file' is missing"},
    {OBJ("mesh: {file: missing.stl}"), 5, "object 'thing': mesh: there is no file 'missing.stl'"},
    {OBJ("mesh: {file: a.stl, scale: [1, 1, 0]}"), 5, "0 makes the mesh flat"},
    {OBJ("mesh: {file: a.stl, scale: 0.001}"), 5, "a list of 3 numbers was expected, here is '0.001'"},
    {OBJ("mesh: {file: a.stl, hull: 1}"), 5, "true or false"},
    {OBJ("sphere: {radius: 1}\n    attach: left/hnad"), 6, "there is no link 'left/hnad'; did you mean"},
    {OBJ("sphere: {radius: 1}\n    attach: thing"), 6, "there is no link 'thing'"},
    {OBJ("sphere: {radius: 1}\n    attach: hand\n    moving: {speed: 1}"), 6, "attached"},
    {OBJ("sphere: {radius: 1}\n    touch: [hand,\n      fingr]"), 7,
     "object 'thing': touch: there is no body 'fingr'"},
    {OBJ("sphere: {radius: 1}\n    touch: hand"), 6, "a list was expected, here is 'hand'"},
    {OBJ("sphere: {radius: 1}\n    mass: -1"), 6, "mass: -1"},
    {OBJ("sphere: {radius: 1}\n    moving: true"), 6, "a map was expected"},
    {OBJ("sphere: {radius: 1}\n    moving: {}"), 6, "'speed' is missing"},
    {OBJ("sphere: {radius: 1}\n    moving: {speed: 1}\n    person: {speed: 1, intrusion: 1, uncertainty: 1}"),
     7, "not both"},
    {OBJ("sphere: {radius: 1}\n    person: {speed: 1.6}"), 6, "'intrusion' is missing"},
    {OBJ("sphere: {radius: 1}\n  - name: thing\n    sphere: {radius: 1}"), 6, "already has an object"},
    {HEAD "objects:\n  - name: hand\n    sphere: {radius: 1}\n", 4, "a link of robot 'left' has that name"},
    {HEAD "objects:\n  - name: left/tool\n    sphere: {radius: 1}\n", 4,
     "a link of robot 'left' has that name"},
    // the rest
    {HEAD "allow:\n  - [hand]\n", 4, "a pair of two names"},
    {HEAD "allow:\n  - hand\n", 4, "a pair of two names"},
    {HEAD "allow:\n  - [hand, table]\n", 4, "there is no body 'table'"},
    {HEAD "allow:\n  - [hand, left/hand]\n", 4, "same body twice"},
    {HEAD "safety: {period: 0.001}\n", 3, "'latency' is missing"},
    {HEAD "safety: {period: 0, latency: 0, reaction: 0, silence: 1, margin: 0}\n", 3, "period"},
    {HEAD "safety: {periode: 1}\n", 3, "did you mean 'period'?"},
    {HEAD "materials: {default: {stiffness: -1}}\n", 3, "stiffness"},
    {HEAD "materials: {default: {damping: 1}}\n", 3, "'stiffness' or 'foundation' is missing"},
};

static void wrong_scenes_are_named(void** state) {
    (void)state;
    const int count = (int)(sizeof wrong / sizeof wrong[0]);
    assert_true(count >= 60);
    for (int i = 0; i < count; ++i) {
        MemoryFiles files;
        BerthScene* scene = NULL;
        const BerthStatus status = read_as("dir/bad.yaml", wrong[i].text, NULL, &files, &scene);
        char place[64];
        snprintf(place, sizeof place, "dir/bad.yaml:%d: ", wrong[i].line);
        const char* text = berth_error_text();
        if (status != BERTH_ERR_PARSE || scene != NULL || strncmp(text, place, strlen(place)) != 0 ||
            strstr(text, wrong[i].fragment) == NULL) {
            fail_msg("case %d: status %s, text '%s', wanted '%s...%s'", i, berth_status_name(status), text,
                     place, wrong[i].fragment);
        }
    }
}

// Where the assumed entry of that word is, or -1.
static int find_assumed(const BerthScene* scene, const char* what) {
    for (int32_t i = 0; i < berth_scene_assumed_count(scene); ++i) {
        if (strcmp(berth_scene_assumed(scene, i).what, what) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static void maps_and_points_are_read(void** state) {
    (void)state;
    MemoryFiles files;
    BerthCellsInfo cells;
    BerthScene* scene = must_read("a.yaml", OBJ("map: {file: a.bt}"), NULL, &files);
    BerthObjectInfo info = object_of(scene, "thing");
    assert_true(files.map_count == 1 && !files.map.unknown_given && strcmp(info.source, "a.bt") == 0);
    assert_true(berth_solid_cells(info.solid, &cells) && cells.occupied == 1 && cells.unknown == 1);
    assert_true(!cells.unknown_is_free && !cells.outside_is_free && info.part_count == 7);
    assert_true(find_assumed(scene, "outside_space_free") < 0 &&
                find_assumed(scene, "unknown_space_free") < 0);
    berth_scene_destroy(scene);
    scene = must_read("a.yaml", OBJ("map: {file: a.bt, outside: free}"), NULL, &files);
    info = object_of(scene, "thing");
    assert_true(berth_solid_cells(info.solid, &cells) && cells.outside_is_free && info.part_count == 1);
    assert_true(find_assumed(scene, "outside_space_free") >= 0);
    berth_scene_destroy(scene);

    scene = must_read("a.yaml",
                      OBJ("map: {file: plan.yaml, unknown: free, outside: occupied, height: [-1, 2.5],\n"
                          "      resolution: 0.25, origin: [1, 2, 3]}\n"
                          "    pose: {xyz: [0, 0, 1]}"),
                      NULL, &files);
    info = object_of(scene, "thing");
    assert_true(files.map.unknown_given && files.map.unknown_is_free && files.map.resolution == 0.25);
    assert_true(files.map.has_origin && files.map.origin.z == 3.0);
    assert_true(berth_solid_cells(info.solid, &cells) && cells.dim == 2 && cells.high.z == 2.5);
    assert_true(cells.unknown_is_free && !cells.outside_is_free && info.part_count == 5);
    assert_true(find_assumed(scene, "outside_space_free") < 0 &&
                find_assumed(scene, "unknown_space_free") >= 0);
    // Where a map is from is told.
    assert_true(find_assumed(scene, "unseen_space_free") < 0 && find_assumed(scene, "open_meshes") < 0);
    berth_scene_destroy(scene);
    scene = must_read("a.yaml", OBJ("map: {file: cloud.bmap}"), NULL, &files);
    assert_true(find_assumed(scene, "unseen_space_free") >= 0 && find_assumed(scene, "open_meshes") < 0);
    berth_scene_destroy(scene);
    scene = must_read("a.yaml", OBJ("map: {file: empty_cloud_open.bmap}"), NULL, &files);
    assert_true(find_assumed(scene, "unseen_space_free") >= 0 && find_assumed(scene, "open_meshes") >= 0);
    berth_scene_destroy(scene);

    scene = must_read("a.yaml", OBJ("map: {file: a.bmap}"), NULL, &files);  // not as the file was made
    assert_true(files.map.unknown_given && !files.map.unknown_is_free);
    berth_scene_destroy(scene);

    scene =
        must_read("a.yaml", OBJ("points: {file: dropped.pcd, radius: 0.05}\n    attach: hand"), NULL, &files);
    info = object_of(scene, "thing");
    assert_true(files.cloud_count == 1 && info.radius == 0.05 && info.link >= 0);
    assert_true(berth_solid_point_count(info.solid) == 3 && strcmp(info.source, "dropped.pcd") == 0);
    assert_non_null(strstr(warnings, "dropped.pcd: 2 points"));
    assert_true(find_assumed(scene, "open_meshes") < 0);
    berth_scene_destroy(scene);

    const struct {
        const char* text;
        const char* fragment;
    } bad[] = {
        {OBJ("map: {unknown: free}"), "'file' is missing"},
        {OBJ("map: {file: missing.bt}"), "there is no file"},
        {OBJ("map: {file: a.bt, unknown: maybe}"), "'occupied' or 'free' was expected"},
        {OBJ("map: {file: a.bt, outside: 3}"), "'occupied' or 'free' was expected"},
        {OBJ("map: {file: a.bt, radius: 3}"), "radius"},
        {OBJ("map: {file: a.bt, height: [0, 1]}"), "no map of the plane"},
        {OBJ("map: {file: a.npy, resolution: 0}"), "map: resolution: 0 is not within 1e-09 and 1e+06"},
        {OBJ("map: {file: a.npy, resolution: 1e7}"), "map: resolution: 1e7 is not within 1e-09 and"},
        {OBJ("map: {file: plan.yaml}"), "height"},
        {OBJ("map: {file: plan.yaml, height: [1, 1]}"), "height"},
        {OBJ("map: {file: plan.yaml, height: [1, .nan]}"), "height"},
        {OBJ("map: a.bt"), "map"},
        {OBJ("points: {file: a.pcd, radius: -1}"), "radius"},
        {OBJ("points: {radius: 1}"), "'file' is missing"},
        {OBJ("points: {file: a.pcd, unknown: free}"), "unknown"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        scene = NULL;
        assert_int_not_equal(read_as("bad.yaml", bad[i].text, NULL, &files, &scene), BERTH_OK);
        if (strncmp(berth_error_text(), "bad.yaml:5: ", 12) != 0 ||
            strstr(berth_error_text(), bad[i].fragment) == NULL) {
            fail_msg("case %d: %s", (int)i, berth_error_text());
        }
        assert_null(scene);
    }
    assert_int_equal(
        read_as("bad.yaml", OBJ("map: {file: empty.bt}\n    moving: {speed: 1}"), NULL, &files, &scene),
        BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "without any obstacle"));
    scene = must_read("a.yaml", OBJ("map: {file: empty.bt, outside: free}"), NULL, &files);
    assert_int_equal(berth_scene_object_body(scene, berth_scene_find_object(scene, "thing")), -1);
    berth_scene_destroy(scene);
    scene = NULL;
    assert_int_equal(read_as("bad.yaml", OBJ("points: {file: empty.pcd}"), NULL, &files, &scene),
                     BERTH_ERR_PARSE);
    assert_string_equal(berth_error_text(), "empty.pcd: it has 0 points, at least 1 was expected");
}

// One body of several solids, each in its place on the object; the first need not be at its origin.
static void parts_are_read(void** state) {
    (void)state;
    MemoryFiles files;
    BerthScene* scene =
        must_read("a.yaml",
                  OBJ("parts:\n      - box: {size: [1, 2, 3]}\n        pose: {xyz: [0, 0, 5]}\n"
                      "      - sphere: {radius: 0.5}\n      - cone: {radius: 1, length: 2}\n"
                      "        pose: {xyz: [7, 0, 0], rpy: [0, 0, 1]}\n    pose: {xyz: [10, 20, 30]}\n    "
                      "moving: {speed: 1}"),
                  NULL, &files);
    const BerthObjectInfo info = object_of(scene, "thing");
    assert_int_equal(info.part_count, 3);
    assert_string_equal(info.source, "parts");
    assert_true(info.moving && info.pose.t.x == 10 && info.pose.t.z == 30);

    const BerthObjectId id = berth_scene_find_object(scene, "thing");
    const BerthShapeKind kinds[] = {BERTH_BOX, BERTH_SPHERE, BERTH_CONE};
    const BerthVec3 places[] = {{0, 0, 5}, {0, 0, 0}, {7, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        BerthPose pose;
        const BerthSolid* solid = berth_scene_object_part(scene, id, i, &pose);
        assert_int_equal(berth_solid_shape(solid)->kind, kinds[i]);
        assert_true(pose.t.x == places[i].x && pose.t.y == places[i].y && pose.t.z == places[i].z);
    }
    assert_int_equal(berth_scene_body_count(scene) - 1, berth_scene_find_body(scene, "thing"));
    berth_scene_destroy(scene);
}

static void others_are_blamed(void** state) {
    (void)state;
    MemoryFiles files;
    BerthScene* scene = NULL;
    // A robot that is wrong is named itself, not the scene.
    assert_int_equal(read_as("a.yaml", "berth: 1\nrobots: [{urdf: broken.urdf}]\n", NULL, &files, &scene),
                     BERTH_ERR_PARSE);
    assert_string_equal(berth_error_text(), "broken.urdf:7: not a robot");
    assert_int_equal(read_as("a.yaml", HEAD, "b.urdf", &files, &scene), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "names its robots itself, and a robot or an SRDF was given"));
    assert_int_equal(read_as("a.urdf", "<robot/>", "b.urdf", &files, &scene), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "it is a robot itself, and another one was given"));
    const char* const others[] = {"solid x\nfacet normal 0 0 1\n: [", "PK\x03\x04",
                                  ("\x7f"
                                   "ELF"),
                                  "a,b\n1,2\n"};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(read_as("thing.stl", others[i], NULL, &files, &scene), BERTH_ERR_PARSE);
        assert_int_equal(strncmp(berth_error_text(), "thing.stl:1: not a scene: a berth scene", 39), 0);
    }
    scene = must_read("some.file", "  <robot/>", NULL, &files);
    assert_string_equal(files.urdf, "some.file");
    berth_scene_destroy(scene);
}

// Small files that grow: nesting, many keys, many values. None may take long or crash.
static void hostile_files_end_soon(void** state) {
    (void)state;
    enum { SIZE = 1 << 20 };
    char* text = malloc(SIZE + 64);
    assert_non_null(text);
    const char* const units[] = {"[",  "{a: ",   "- ", "? ", "a: ", "&a [", "!!map {",
                                 "\"", "x: 1\n", "#",  " ",  "\n",  "|\n",  "- - - a\n"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        const size_t step = strlen(units[i]);
        size_t used = (size_t)snprintf(text, 64, "berth: 1\nobjects:\n  ");
        while (used + step < SIZE) {
            memcpy(text + used, units[i], step);
            used += step;
        }
        text[used] = '\0';
        MemoryFiles files;
        BerthScene* scene = NULL;
        const BerthStatus status = read_as("deep.yaml", text, NULL, &files, &scene);
        assert_true(status == BERTH_ERR_PARSE || (status == BERTH_OK && i >= 9));
        berth_scene_destroy(scene);
    }
    // 60,000 different keys, then one of them again.
    size_t used = (size_t)snprintf(text, 64, "berth: 1\nrobots: [{urdf: a, state: {");
    for (int i = 0; i < 60000; ++i) {
        used += (size_t)snprintf(text + used, 32, "k%d: 1, ", i);
    }
    snprintf(text + used, 64, "k77: 1}}]\n");
    MemoryFiles files;
    BerthScene* scene = NULL;
    assert_int_equal(read_as("keys.yaml", text, NULL, &files, &scene), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "'k77' appears twice"));
    free(text);
}

// ---- MoveIt ------------------------------------------------------------------------------------------------

static const char moveit_old[] =
    "(noname)+\n"
    "* box one\n"
    "1\n"
    "box\n"
    "1 2 3\n"
    "0.5 0 0.25\n"
    "0 0 0 2\n"
    "0 0 0 0\n"
    "* two\n"
    "2\n"
    "sphere\n"
    "0.3\n"
    "1 0 0\n"
    "0 0 0 1\n"
    "1 0.5 0 1\n"
    "cylinder\n"
    "0.1 0.7\n"
    "1 0 2\n"
    "0 0 0.7071 0.7071\n"
    "0 0 0 0\n"
    ".\n";

static const char moveit_new[] =
    "name of it\r\n"
    "* table\r\n"
    "1 2 3\r\n"
    "0 0 1 0\r\n"
    "2\r\n"
    "cone\r\n"
    "0.1 0.7\r\n"
    "1 0 0\r\n"
    "0 0 0 1\r\n"
    "0 0 0 0\r\n"
    "mesh\r\n"
    "4 4\r\n"
    "0 0 0\r\n1 0 0\r\n0 1 0\r\n0 0 1\r\n"
    "0 2 1\r\n0 1 3\r\n0 3 2\r\n1 2 3\r\n"
    "1 1 0\r\n"
    "0 0 0 1\r\n"
    "0 0 0 0\r\n"
    "1\r\n"
    "handle on top\r\n"
    "0 0 1\r\n"
    "0 0 0 1\r\n"
    "* floor\r\n"
    "0 0 0\r\n"
    "0 0 0 1\r\n"
    "1\r\n"
    "plane\r\n"
    "0 0 2 1\r\n"
    "0 0 0\r\n"
    "0 0 0 1\r\n"
    "0 0 0 0\r\n"
    "0\r\n"
    "* empty\r\n"
    "0 0 0\r\n"
    "0 0 0 1\r\n"
    "0\r\n"
    "0\r\n"
    ".\r\n";

static void moveit_scenes_are_read(void** state) {
    (void)state;
    MemoryFiles files;
    BerthScene* scene = must_read("world.scene", moveit_old, "arm.urdf", &files);
    BerthObjectInfo info = object_of(scene, "box one");
    assert_true(berth_solid_shape(info.solid)->as.box.half.z == 1.5 && info.pose.t.z == 0.25 &&
                info.pose.x.x == 1.0);
    info = object_of(scene, "two");
    assert_int_equal(info.part_count, 2);
    assert_true(info.pose.t.x == 1.0);
    const SceneBody* body = &scene->bodies[berth_scene_find_body(scene, "two")];
    const ScenePart* part = &scene->parts[body->first_part + 1];
    assert_true(berth_solid_shape(part->solid)->as.cylinder.radius == 0.1);  // radius first here
    assert_true(near(part->frame_from_part.t.x, 1.0) && near(part->frame_from_part.t.z, 2.0));
    assert_true(near(part->frame_from_part.x.y, 1.0));
    assert_string_equal(warnings, "");
    berth_scene_destroy(scene);

    scene = must_read("other.txt", moveit_new, "arm.urdf", &files);
    assert_int_equal(berth_scene_object_count(scene), 2);
    body = &scene->bodies[berth_scene_find_body(scene, "table")];
    assert_int_equal(body->part_count, 2);
    const Pose* cone = &scene->parts[body->first_part].frame_from_part;
    const Pose* mesh = &scene->parts[body->first_part + 1].frame_from_part;
    assert_true(near(cone->t.x, 0.0) && near(cone->t.y, 2.0) && near(cone->t.z, 3.0) &&
                near(cone->x.x, -1.0));
    assert_true(near(mesh->t.x, 0.0) && near(mesh->t.y, 1.0) && near(mesh->t.z, 3.0));
    const BerthShape* floor = berth_solid_shape(object_of(scene, "floor").solid);
    assert_true(floor->as.halfspace.offset == -0.5);
    assert_non_null(strstr(warnings, "other.txt:38: object 'empty'"));
    berth_scene_destroy(scene);
}

static void wrong_moveit_scenes_are_named(void** state) {
    (void)state;
    const struct {
        const char* text;
        int line;
        const char* fragment;
    } cases[] = {
        {"name\n", 2, "without its final '.'"},
        {"name\n* a\n1\nbox\n1 1 1\n0 0 0\n0 0 0 1\n0 0 0 0\n", 9, "without its final '.'"},
        {"name\n* a\n1\nbax\n", 4, "'bax' is no shape"},
        {"name\n* a\nmany\n", 3, "a whole number from 0"},
        {"name\n* a\n-1\n", 3, "a whole number from 0"},
        {"name\n* a\n4000000\nbox\n", 3, "do not fit"},
        {"name\n*  \n1\n", 2, "no name"},
        {"name\n* a\n1\nbox\n1 1\n", 6, "the file ends here"},
        {"name\n* a\n1\nbox\n1 1 x\n", 5, "'x'"},
        {"name\n* a\n1\nbox\n1 1 nan\n", 5, "'nan'"},
        {"name\n* a\n1\nsphere\n1e9\n", 5, "not within"},
        {"name\n* a\n1\nsphere\n-1\n0 0 0\n0 0 0 1\n0 0 0 0\n.\n", 5, "-1"},
        {"name\n* a\n1\nsphere\n1\n0 0 0\n0 0 0 0\n0 0 0 0\n.\n", 7, "quaternion is zero"},
        {"name\n* a\n1\nsphere\n1\n0 0 0\n0 0 0 1\n0 0 0\n.\n", 9, "'.'"},
        {"name\n* a\n1\nmesh\n3 1\n0 0 0\n1 0 0\n0 1 0\n0 1 3\n", 9, "'3' is not a vertex from 0 to 2"},
        {"name\n* a\n1\nmesh\n900 1\n0 0 0\n", 5, "do not fit"},
        {"name\n* hand\n1\nsphere\n1\n0 0 0\n0 0 0 1\n0 0 0 0\n.\n", 2, "a link of the robot"},
        {"name\n* a\n1\nsphere\n1\n0 0 0\n0 0 0 1\n0 0 0 0\n* a\n1\nsphere\n1\n0 0 0\n0 0 0 1\n0 0 0 0\n.\n",
         9, "already has"},
        {"name\n.\nmore\n", 3, "behind the final"},
        {"name\nbox\n", 2, "'* name' of an object"},
        {"name\n* a\n0 0 0\n0 0 0 1\n0\n1\n\n", 8, "no name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        MemoryFiles files;
        BerthScene* scene = NULL;
        const BerthStatus status = read_as("w.scene", cases[i].text, "arm.urdf", &files, &scene);
        char place[32];
        snprintf(place, sizeof place, "w.scene:%d: ", cases[i].line);
        if (status != BERTH_ERR_PARSE || strncmp(berth_error_text(), place, strlen(place)) != 0 ||
            strstr(berth_error_text(), cases[i].fragment) == NULL) {
            fail_msg("case %zu: %s '%s'", i, berth_status_name(status), berth_error_text());
        }
    }
    MemoryFiles files;
    BerthScene* scene = NULL;
    assert_int_equal(read_as("w.scene", moveit_old, NULL, &files, &scene), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "holds no robot, and none was given"));
}

// ---- MotionBenchMaker --------------------------------------------------------------------------------------

static const char mbm[] =
    "name: \"\"\n"
    "robot_model_name: arm\n"
    "robot_state:\n"
    "  joint_state:\n"
    "    name: [shoulder, elbow, some_finger]\n"
    "    position: [0.25, -0.5, 0]\n"
    "  attached_collision_objects:\n"
    "    - link_name: tool\n"
    "      touch_links: [hand]\n"
    "      object:\n"
    "        id: held\n"
    "        primitives: [{type: sphere, dimensions: [0.02]}]\n"
    "        primitive_poses: [{position: [0.1, 0, 0], orientation: [0, 0, 0, 1]}]\n"
    "fixed_frame_transforms:\n"
    "  - child_frame_id: base\n"
    "    transform: {translation: [0, 0, 1], rotation: [0, 0, 0, 1]}\n"
    "allowed_collision_matrix:\n"
    "  entry_names: [base, upper, Can1, <octomap>]\n"
    "  entry_values:\n"
    "    - [false, true, true, true]\n"
    "    - [1, 0, 0, 0]\n"
    "    - [true, false, false, false]\n"
    "    - [true, false, false, false]\n"
    "world:\n"
    "  collision_objects:\n"
    "    - header: {frame_id: base}\n"
    "      id: Can1\n"
    "      primitives:\n"
    "        - type: cylinder\n"
    "          dimensions: [0.14, 0.03]\n"
    "      primitive_poses:\n"
    "        - position: [0.68, 0.38, 0.64]\n"
    "          orientation: [0, 0, 0.707, 0.707]\n"
    "    - id: many\n"
    "      primitives:\n"
    "        - {type: 1, dimensions: [1, 2, 3]}\n"
    "        - {type: cone, dimensions: [0.5, 0.1]}\n"
    "      primitive_poses:\n"
    "        - position: {x: 1, y: 2, z: 3}\n"
    "          orientation: {x: 0, y: 0, z: 0, w: 1}\n"
    "        - position: [1, 2, 4]\n"
    "      meshes:\n"
    "        - resource: package://x/y.stl\n"
    "          dimensions: [0.1, 0.1, 0.1]\n"
    "        - vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"
    "          triangles: [[0, 2, 1], [0, 1, 3], {vertex_indices: [0, 3, 2]}, [1, 2, 3]]\n"
    "      mesh_poses:\n"
    "        - {position: [0, 0, 0], orientation: [0, 0, 0, 1]}\n"
    "        - {position: [0, 0, 5], orientation: [0, 0, 0, 1]}\n";

static void mbm_scenes_are_read(void** state) {
    (void)state;
    MemoryFiles files;
    BerthScene* scene = must_read("scene0001.yaml", mbm, "arm.urdf", &files);
    assert_true(berth_scene_values(scene)[0] == 0.25 && berth_scene_values(scene)[1] == -0.5);
    BerthObjectInfo info = object_of(scene, "Can1");
    const BerthShape* can = berth_solid_shape(info.solid);
    assert_true(can->as.cylinder.length == 0.14 && can->as.cylinder.radius == 0.03);  // height first here
    assert_true(near(info.pose.x.y, 1.0) && info.pose.t.y == 0.38);                   // 0.707 is made unit
    info = object_of(scene, "many");
    assert_int_equal(info.part_count, 4);
    const SceneBody* body = &scene->bodies[berth_scene_find_body(scene, "many")];
    assert_true(near(scene->parts[body->first_part + 1].frame_from_part.t.z, 4.0));
    assert_true(berth_solid_shape(scene->parts[body->first_part + 1].solid)->as.cone.length == 0.5);
    assert_true(near(scene->parts[body->first_part + 3].frame_from_part.t.z, 5.0));
    assert_string_equal(files.mesh, "package://x/y.stl");
    assert_true(files.scale.x == 0.1);
    info = object_of(scene, "held");
    assert_int_equal(info.robot, 0);
    assert_non_null(strstr(warnings, "fixed_frame_transforms are ignored"));
    assert_non_null(strstr(warnings, "allowed_collision_matrix: 1 pairs"));
    int allowed = 0;
    for (int32_t i = 0; i < berth_scene_declared_count(scene); ++i) {
        allowed += strcmp(berth_scene_declared(scene, i).what, "allowed_pairs") == 0
                       ? berth_scene_declared(scene, i).count
                       : 0;
    }
    assert_int_equal(allowed, 1);  // base - Can1; base - upper is the robot's own disabled pair
    berth_scene_destroy(scene);
}

// Frames: the base link and its fixed neighbours are places in the world, a link beside the holder is one in its frame.
static void mbm_frames_and_planes(void** state) {
    (void)state;
    static const char text[] =
        "world:\n"
        "  collision_objects:\n"
        "    - header: {frame_id: odom}\n"
        "      id: floor\n"
        "      pose: {position: [0, 0, 1], orientation: [0, 0, 0, 1]}\n"
        "      planes: [{coef: [0, 0, 1, 0.5]}]\n"
        "      plane_poses: [{position: [0, 0, 2]}]\n"
        "    - header: {frame_id: world}\n"
        "      id: ball\n"
        "      primitives: [{type: 2, dimensions: [1]}]\n"
        "      primitive_poses: [{position: [5, 0, 0]}]\n"
        "robot_state:\n"
        "  attached_collision_objects:\n"
        "    - link_name: tool\n"
        "      object:\n"
        "        header: {frame_id: hand}\n"
        "        id: held\n"
        "        primitives: [{type: sphere, dimensions: [0.02]}]\n"
        "        primitive_poses: [{position: [0.15, 0, 0]}]\n";
    MemoryFiles files;
    BerthScene* scene = must_read("m.yaml", text, "arm.urdf", &files);
    assert_true(object_of(scene, "floor").pose.t.z == 3.0);
    assert_true(berth_solid_shape(object_of(scene, "floor").solid)->as.halfspace.offset == -0.5);
    assert_true(object_of(scene, "ball").pose.t.x == 5.0);
    // The tool is 0.1 m in front of the hand, so 0.15 m from the hand is 0.05 m from the tool.
    assert_true(near(object_of(scene, "held").pose.t.x, 0.05));
    assert_non_null(strstr(warnings, "m.yaml:3: frame 'odom'"));
    assert_null(strstr(warnings, "'world'"));
    BerthBodyInfo body = berth_scene_body(scene, berth_scene_find_body(scene, "held"));
    assert_true(!body.fixed && body.robot == 0 && body.part_count == 1 && body.object.age > 0);
    body = berth_scene_body(scene, berth_scene_find_body(scene, "base"));
    assert_true(body.fixed && body.object.age == 0);
    berth_scene_destroy(scene);
}

static void wrong_mbm_scenes_are_named(void** state) {
    (void)state;
#define WORLD "world:\n  collision_objects:\n    - id: a\n      "
    const struct {
        const char* text;
        int line;
        const char* fragment;
    } cases[] = {
        {"world: 1\n", 1, "a map was expected"},
        {"world: {collision_objects: 1}\n", 1, "a list was expected"},
        {"world:\n  collision_objects:\n    - {}\n", 3, "no 'id'"},
        {WORLD "x: 1\n", 3, "it has no primitives"},
        {WORLD "primitives: [{type: box, dimensions: [1, 1, 1]}]\n", 4, "1 of them, but 0"},
        {WORLD "primitives: [{type: box}]\n      primitive_poses: [{}]\n", 4, "'type' and 'dimensions'"},
        {WORLD "primitives: [{type: prism, dimensions: [1]}]\n      primitive_poses: [{}]\n", 4, "'prism'"},
        {WORLD "primitives: [{type: box, dimensions: [1, 1]}]\n      primitive_poses: [{}]\n", 4,
         "a list of 3"},
        {WORLD "primitives: [{type: box, dimensions: [1, 1, x]}]\n      primitive_poses: [{}]\n", 4, "'x'"},
        {WORLD "primitives: [{type: box, dimensions: [1, 1, 1]}]\n      primitive_poses: [{orientation: [0, "
               "0, 0, 0]}]\n",
         5, "zero"},
        {WORLD "operation: remove\n", 4, "only 'add'"},
        {WORLD "meshes: [{}]\n      mesh_poses: [{}]\n", 4, "'resource'"},
        {WORLD "meshes: [{resource: missing.stl}]\n      mesh_poses: [{}]\n", 4, "no file 'missing.stl'"},
        {WORLD "meshes: [{vertices: [[0, 0, 0]], triangles: [[0, 0, 1]]}]\n      mesh_poses: [{}]\n", 4,
         "a vertex from 0 to 0"},
        {WORLD "header: {frame_id: hand}\n      planes: [{coef: [0, 0, 1, 0]}]\n      plane_poses: [{}]\n", 4,
         "moves with the robot"},
        {"world: {collision_objects: [{id: hand}]}\n", 1, "a link of the robot"},
        {"allowed_collision_matrix: {entry_names: [a], entry_values: []}\n", 1, "1 names, but 0 rows"},
        {"allowed_collision_matrix: {entry_names: [a], entry_values: [[]]}\n", 1, "a row of 1"},
        {"world: {}\nrobot_state: {joint_state: {name: [elbow], position: []}}\n", 2, "1 names, but 0"},
        {"world: {}\nrobot_state: {joint_state: {name: [elbow], position: [x]}}\n", 2, "'x'"},
        {"world: {}\nrobot_state:\n  attached_collision_objects: [{}]\n", 3, "'link_name' and 'object'"},
        {"world: {}\nrobot_state:\n  attached_collision_objects: [{link_name: tool, object: {id: a, header: "
         "{frame_id: "
         "base}}}]\n",
         3, "moves against link 'tool'"},
        {"world: {}\nrobot_state:\n  attached_collision_objects: [{link_name: tool, object: {id: a, header: "
         "{frame_id: "
         "odom}}}]\n",
         3, "is not a link of the robot"},
        {WORLD "planes: [{}]\n      plane_poses: [{}]\n", 4, "'coef' is missing"},
        {WORLD "meshes: [{vertices: [[0, 0, 0]], triangles: [[0, 0]]}]\n      mesh_poses: [{}]\n", 4,
         "three vertices"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        MemoryFiles files;
        BerthScene* scene = NULL;
        const BerthStatus status = read_as("m.yaml", cases[i].text, "arm.urdf", &files, &scene);
        char place[32];
        snprintf(place, sizeof place, "m.yaml:%d: ", cases[i].line);
        if (status != BERTH_ERR_PARSE || strncmp(berth_error_text(), place, strlen(place)) != 0 ||
            strstr(berth_error_text(), cases[i].fragment) == NULL) {
            fail_msg("case %zu: %s '%s'", i, berth_status_name(status), berth_error_text());
        }
    }
    MemoryFiles files;
    BerthScene* scene = NULL;
    assert_int_equal(
        read_as("m.yaml", "world: {octomap: {octomap: {data: [1, 2]}}}\n", "a.urdf", &files, &scene),
        BERTH_ERR_UNSUPPORTED);
    assert_int_equal(read_as("m.yaml", mbm, NULL, &files, &scene), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "holds no robot, and none was given"));
}

// ---- problems ----------------------------------------------------------------------------------------------

static BerthStatus read_problem(BerthScene* scene, const char* text, BerthProblem* out) {
    MemoryFiles files;
    const SceneFiles memory = test_memory_files(&files);
    BerthIoOptions options = berth_default_io_options();
    const BerthProblemText line = {text, strlen(text), "p.jsonl", 12};
    return bi_io_problem_from_text(&line, &options, &memory, scene, out);
}

static void problems_join_a_scene(void** state) {
    (void)state;
    MemoryFiles files;
    BerthScene* scene =
        must_read("a.yaml", HEAD "objects: [{name: table, sphere: {radius: 1}}]\n", NULL, &files);
    const int32_t pairs = berth_scene_pair_count(scene);
    BerthProblem problem;
    assert_int_equal(
        read_problem(
            scene,
            "{\"name\": \"p/1\", \"scene\": {\"objects\": [{\"name\": \"shelf\", \"box\": {\"size\": [1, 1, "
            "1]}}, "
            "{\"name\":\"can\",\"cylinder\":{\"radius\":0.1,\"length\":1}}]}, \"start\": [0, 1], \"goals\": "
            "[[1, 0.5], [0, 0.25]]}",
            &problem),
        BERTH_OK);
    assert_string_equal(problem.name, "p/1");
    assert_int_equal(problem.goal_count, 2);
    assert_true(problem.start[1] == 1.0 && problem.goals[1] == 0.5 && problem.goals[3] == 0.25);
    assert_int_equal(problem.object_count, 2);
    assert_int_equal(berth_scene_pair_count(scene), pairs + 8);
    berth_io_free_problem(scene, &problem);
    assert_int_equal(berth_scene_object_count(scene), 1);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    const char* const bad[][2] = {
        {"{}", "'name' is missing"},
        {"[]", "a map was expected"},
        {"{\"name\": \"a\", \"scene\": {}, \"start\": [0], \"goals\": []}", "a list of 2 numbers"},
        {"{\"name\": \"a\", \"scene\": {}, \"start\": [0, 0], \"goals\": [[0]]}", "goals: goal 0"},
        {"{\"name\": \"a\", \"scene\": {}, \"start\": [0, 2e6], \"goals\": []}", "start: joint"},
        {"{\"name\": \"a\", \"start\": [0, 0], \"goals\": []}", "'scene' is missing"},
        {"{\"name\": \"a\", \"scene\": {\"robots\": []}, \"start\": [0, 0], \"goals\": []}",
         "unknown key 'robots'"},
        {"{\"name\": \"a\", \"scene\": {\"objects\": [{\"name\": \"ok\", \"sphere\": {\"radius\": 1}}, "
         "{\"name\": \"table\", "
         "\"sphere\": {\"radius\": 1}}]}, \"start\": [0, 0], \"goals\": []}",
         "already has an object"},
        {"{\"name\": \"a\", \"goal\": 1}", "did you mean 'goals'?"},
        {"{\"name\": \"a\"", "flow"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_int_equal(read_problem(scene, bad[i][0], &problem), BERTH_ERR_PARSE);
        if (strncmp(berth_error_text(), "p.jsonl:12: ", 12) != 0 ||
            strstr(berth_error_text(), bad[i][1]) == NULL) {
            fail_msg("%s", berth_error_text());
        }
        assert_int_equal(berth_scene_object_count(scene), 1);
        assert_int_equal(berth_scene_pair_count(scene), pairs);  // committed again
    }
    berth_scene_destroy(scene);
}

// ---- memory and the disk -----------------------------------------------------------------------------------

/// A scene as text.
typedef struct SceneText {
    const char *path, *text, *robot;
} SceneText;

static BerthStatus read_scene_text(void* user, const BerthAllocator* allocator) {
    const SceneText* from = user;
    MemoryFiles files;
    const SceneFiles memory = test_memory_files(&files);
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    options.robot = from->robot;
    BerthScene* scene = NULL;
    const BerthStatus status =
        bi_io_scene_from_bytes(from->path, from->text, strlen(from->text), &options, &memory, &scene);
    assert_int_equal(scene != NULL, status == BERTH_OK);
    berth_scene_destroy(scene);
    return status;
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    SceneText texts[] = {{"a/whole.yaml", whole, NULL},
                         {"a.scene", moveit_old, "arm.urdf"},
                         {"mbm.yaml", mbm, "arm.urdf"},
                         {"map.yaml",
                          OBJ("map: {file: a.bt, outside: occupied}\n"
                              "  - name: dots\n    points: {file: a.pcd, radius: 0.1}"),
                          NULL}};
    for (int which = 0; which < 4; ++which) {
        assert_true(starve(read_scene_text, &texts[which]) > 30);
    }
}

static void every_allocation_of_a_problem_may_fail(void** state) {
    (void)state;
    static const char text[] =
        "{\"name\": \"p\", \"scene\": {\"objects\": [{\"name\": \"a\", \"sphere\": {\"radius\": 1}, "
        "\"touch\": [\"hand\"]}, "
        "{\"name\": \"b\", \"mesh\": {\"file\": \"x\"}}]}, \"start\": [0, 0], \"goals\": [[0, 0]]}";
    for (int64_t n = 0;; ++n) {
        MemoryFiles files;
        const SceneFiles memory = test_memory_files(&files);
        TestAllocator counts = {.fail_at = -1};
        BerthIoOptions options = berth_default_io_options();
        options.allocator = test_allocator(&counts);
        BerthScene* scene = NULL;
        assert_int_equal(bi_io_scene_from_bytes("a.yaml", HEAD, strlen(HEAD), &options, &memory, &scene),
                         BERTH_OK);
        counts.fail_at = counts.taken + n;
        BerthProblem problem;
        const BerthProblemText line = {text, strlen(text), "p.jsonl", 1};
        const BerthStatus status = bi_io_problem_from_text(&line, &options, &memory, scene, &problem);
        if (status == BERTH_OK) {
            berth_io_free_problem(scene, &problem);
        } else {
            assert_int_equal(status, BERTH_ERR_MEMORY);
            assert_true(scene->committed);  // only one request fails, so the scene is as before
        }
        assert_int_equal(berth_scene_object_count(scene), 0);
        berth_scene_destroy(scene);
        assert_int_equal(counts.live, 0);
        if (status == BERTH_OK) {
            assert_true(n > 5);
            break;
        }
    }
}

static void write_file(const char* folder, const char* name, const char* text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// Names are relative to the scene, packages too, and what is wrong in a file is said of that file.
static void files_on_the_disk(void** state) {
    (void)state;
    char folder[] = "/tmp/berth_scene_XXXXXX";
    assert_non_null(mkdtemp(folder));
    write_file(folder, "arm.urdf",
               "<robot name=\"a\"><link name=\"l\"><collision><geometry><sphere "
               "radius=\"0.1\"/></geometry></collision>"
               "</link></robot>\n");
    write_file(folder, "tetra.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write_file(folder, "bad.obj", "v 0 0\n");
    write_file(
        folder, "good.yaml",
        "berth: 1\npackages: {here: .}\nrobots: [{urdf: arm.urdf}]\nobjects:\n  - {name: t, mesh: {file: "
        "package://here/tetra.obj}}\n  - {name: u, mesh: {file: ./tetra.obj, hull: true}}\n");
    write_file(folder, "bad.yaml", "berth: 1\nobjects:\n  - {name: t, mesh: {file: bad.obj}}\n");
    write_file(folder, "none.yaml", "berth: 1\nobjects:\n  - {name: t, mesh: {file: none.obj}}\n");
    write_file(folder, "hull.yaml", "berth: 1\nrobots:\n  - urdf: arm.urdf\n    hull: [nope]\n");
    write_file(folder, "free.yaml", "berth: 1\nrobots:\n  - urdf: arm.urdf\n    free_base: true\n");
    write_file(folder, "zero.bin", "");
    const BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    char path[256];
    char start[256];
    snprintf(path, sizeof path, "%s/good.yaml", folder);
    if (berth_io_read_scene(path, &options, &scene) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    assert_int_equal(berth_scene_body_count(scene), 3);
    berth_scene_destroy(scene);
    snprintf(path, sizeof path, "%s/bad.yaml", folder);
    snprintf(start, sizeof start, "%s/bad.obj:1: ", folder);
    assert_int_equal(berth_io_read_scene(path, &options, &scene), BERTH_ERR_PARSE);
    assert_int_equal(strncmp(berth_error_text(), start, strlen(start)), 0);
    snprintf(path, sizeof path, "%s/none.yaml", folder);
    snprintf(start, sizeof start, "%s/none.yaml:3: object 't': mesh: ", folder);
    assert_int_equal(berth_io_read_scene(path, &options, &scene), BERTH_ERR_PARSE);
    assert_int_equal(strncmp(berth_error_text(), start, strlen(start)), 0);

    // What a scene asks of a robot that cannot give it is told with the scene's line.
    const char* const asking[] = {"hull", "hull: there is no link 'nope'", "free",
                                  "a free base is asked for"};
    for (int i = 0; i < 4; i += 2) {
        snprintf(path, sizeof path, "%s/%s.yaml", folder, asking[i]);
        snprintf(start, sizeof start, "%s/%s.yaml:4: %s", folder, asking[i], asking[i + 1]);
        assert_int_equal(berth_io_read_scene(path, &options, &scene), BERTH_ERR_PARSE);
        assert_int_equal(strncmp(berth_error_text(), start, strlen(start)), 0);
    }

    snprintf(path, sizeof path, "%s/zero.bin", folder);
    assert_int_equal(berth_io_read_scene(path, &options, &scene), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "the file is empty"));
    assert_int_equal(berth_io_read_scene(NULL, &options, &scene), BERTH_ERR_ARGUMENT);
    const char* const names[] = {"arm.urdf",  "tetra.obj", "bad.obj",   "good.yaml", "bad.yaml",
                                 "none.yaml", "hull.yaml", "free.yaml", "zero.bin"};
    for (int i = 0; i < 9; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    remove(folder);
}

static void real_robots_and_problems(void** state) {
    (void)state;
    char urdf[512];
    char problems[512];
    if (!test_shared_path(urdf, sizeof urdf, "robots/panda_mbm/panda_spherized.urdf") ||
        !test_shared_path(problems, sizeof problems, "problems/panda.jsonl")) {
        TEST_SKIP("no shared robots");
    }
    BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    if (berth_io_read_scene(urdf, &options, &scene) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    assert_int_equal(berth_scene_value_count(scene), 7);
    const int32_t own = berth_scene_body_count(scene);
    FILE* file = fopen(problems, "r");
    assert_non_null(file);
    char* line = NULL;
    size_t capacity = 0;
    int32_t number = 0;
    const int most = test_scaled(700);
    for (ssize_t length; number < most && (length = getline(&line, &capacity, file)) > 0;) {
        BerthProblem problem;
        const BerthProblemText text = {line, (size_t)length, problems, ++number};
        if (berth_io_read_problem(&text, &options, scene, &problem) != BERTH_OK) {
            fail_msg("%s", berth_error_text());
        }
        assert_true(problem.goal_count > 0 && problem.object_count > 0);
        assert_int_equal(berth_scene_body_count(scene), own + problem.object_count);
        berth_io_free_problem(scene, &problem);
        assert_int_equal(berth_scene_object_count(scene), 0);
    }
    assert_true(number > 0);
    free(line);
    fclose(file);
    berth_scene_destroy(scene);
    assert_int_not_equal(berth_io_read_scene("no/such/file.yaml", &options, &scene), BERTH_OK);
    assert_int_equal(strncmp(berth_error_text(), "no/such/file.yaml", 17), 0);
}

int test_io_scene(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(locale_changes_nothing),
        cmocka_unit_test(small_scenes_are_fine),
        cmocka_unit_test(wrong_scenes_are_named),
        cmocka_unit_test(maps_and_points_are_read),
        cmocka_unit_test(parts_are_read),
        cmocka_unit_test(others_are_blamed),
        cmocka_unit_test(hostile_files_end_soon),
        cmocka_unit_test(moveit_scenes_are_read),
        cmocka_unit_test(wrong_moveit_scenes_are_named),
        cmocka_unit_test(mbm_scenes_are_read),
        cmocka_unit_test(mbm_frames_and_planes),
        cmocka_unit_test(wrong_mbm_scenes_are_named),
        cmocka_unit_test(problems_join_a_scene),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_of_a_problem_may_fail),
        cmocka_unit_test(files_on_the_disk),
        cmocka_unit_test(real_robots_and_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
