// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Every key of a scene x every command that takes a scene: used, refused, or listed in what is assumed or declared; where
// a key has nothing to do with a command its answer does not change. The program itself tells its keys, in the error about
// an unknown one: a key that is added and forgotten here fails.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/expect.h"
#include "support/setting.h"

int test_cli_matrix(void);

// ---- the commands ------------------------------------------------------------------------------------------

enum { CHECK, PATH, CONTACT, MONITOR, INFO, MAP, COMMAND_COUNT };

// What a command makes of a key. A row of the table below has one of these for each command, in the order above.
enum {
    USED = 'U',     // the answer is another
    LISTED = 'L',   // `assumed` or `declared` are others, the rest of the answer is not
    REFUSED = 'R',  // exit 2
    NOTHING = '.',  // the same answer
};

// Paths of the files that all scenes share.
static char motion[400], map_out[400], mesh[400], cloud[400], volume[400], srdf[400];

static ProgramRun run_command(int command, const char* scene) {
    switch (command) {
    case CHECK:
        return program_run("check", scene, "--distance", "--json", "-q", NULL);
    case PATH:
        return program_run("path", scene, motion, "--json", "-q", NULL);
    case CONTACT:
        return program_run("contact", scene, "--all", "--steps", "2", "--json", "-q", NULL);
    case MONITOR:
        return program_run("monitor", scene, "--input", motion, "--fast", "--objects-stand",
                           "--robot-uncertainty", "0", "--json", "-q", NULL);
    case INFO:
        return program_run("info", scene, "--json", "-q", NULL);
    default:
        return program_run("map", "build", scene, "-o", map_out, "--resolution", "0.02", "--json", "-q",
                           NULL);
    }
}

// Names of the file and figures of the machine say nothing about the scene; the lists are compared on their own.
static bool is_left_out(const char* key, bool lists) {
    static const char* const figures[] = {"file", "scene", "seconds", "bytes", "page_faults", "model", NULL};
    static const char* const listed[] = {"assumed", "declared", "proven", NULL};
    for (const char* const* name = figures; *name != NULL; ++name) {
        if (strcmp(key, *name) == 0) {
            return true;
        }
    }
    for (const char* const* name = listed; *name != NULL && !lists; ++name) {
        if (strcmp(key, *name) == 0) {
            return true;
        }
    }
    return false;
}

static json_t* without_figures(const json_t* from, bool lists) {
    if (json_is_object(from)) {
        json_t* out = json_object();
        const char* key;
        json_t* value;
        json_object_foreach((json_t*)from, key, value) {
            if (!is_left_out(key, lists)) {
                json_object_set_new(out, key, without_figures(value, lists));
            }
        }
        return out;
    }
    if (json_is_array(from)) {
        json_t* out = json_array();
        for (size_t i = 0; i < json_array_size(from); ++i) {
            json_array_append_new(out, without_figures(json_array_get(from, i), lists));
        }
        return out;
    }
    return json_deep_copy(from);
}

// All lines of an answer as one value.
static json_t* read_answer(const ProgramRun* run, bool lists) {
    json_t* out = json_array();
    json_array_append_new(out, json_integer(run->status));
    for (int i = 0; i < program_line_count(run); ++i) {
        json_t* line = program_json_line(run, i);
        json_array_append_new(out, without_figures(line, lists));
        json_decref(line);
    }
    return out;
}

static bool same_answer(const ProgramRun* a, const ProgramRun* b, bool lists) {
    json_t* x = read_answer(a, lists);
    json_t* y = read_answer(b, lists);
    const bool same = json_equal(x, y) != 0;
    json_decref(x);
    json_decref(y);
    return same;
}

// ---- the scene ---------------------------------------------------------------------------------------------

// What a case changes of the scene; null: as usual.
typedef struct Parts {
    const char *name, *urdf, *robot, *limits, *object, *safety, *material, *more;
} Parts;

static const char* write_scene(const char* name, const Parts* parts) {
    static char text[4000];
    const char* limits = parts->limits != NULL ? parts->limits
                                               : "turn: {velocity: 0.5, acceleration: 5, deceleration: 5}, "
                                                 "lift: {velocity: 0.5, acceleration: 5, deceleration: 5}";
    const char* object =
        parts->object != NULL ? parts->object : "box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [0.6, 0, 0.15]}";
    const char* safety = parts->safety != NULL
                             ? parts->safety
                             : "period: 0.01, latency: 0.001, reaction: 0.001, silence: 0.02, margin: 0.001";
    const char* material = parts->material != NULL
                               ? parts->material
                               : "default: {stiffness: 10000, damping: 50, viscosity: 5, friction: 0.5}";

    (void)snprintf(text, sizeof text,
                   "berth: 1\nrobots: [{urdf: '%s', limits: {%s}%s}]\nobjects:\n  - {name: %s, %s}\n"
                   "  - {name: post, box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [0.3, 0.5, 0.2]}}\n"
                   "safety: {%s}\nmaterials: {%s}\n%s",
                   parts->urdf != NULL ? parts->urdf : "mast.urdf", limits,
                   parts->robot != NULL ? parts->robot : "", parts->name != NULL ? parts->name : "thing",
                   object, safety, material, parts->more != NULL ? parts->more : "");
    return expect_written(name, text);
}

// A mast that turns and lifts its rod.
static void write_robot(const char* file, const char* rod) {
    char text[2000];
    (void)snprintf(text, sizeof text,
                   "<robot name='mast'><link name='base'><collision><geometry><box size='0.1 0.1 0.1'/>"
                   "</geometry></collision></link>"
                   "<link name='pole'><collision><origin xyz='0 0 0.2'/><geometry><box size='0.05 0.05 0.1'/>"
                   "</geometry></collision></link><link name='rod'><collision>%s</collision></link>"
                   "<joint name='turn' type='revolute'><parent link='base'/><child link='pole'/>"
                   "<axis xyz='0 0 1'/><limit lower='-1' upper='1' velocity='1' effort='1'/></joint>"
                   "<joint name='lift' type='prismatic'><parent link='pole'/><child link='rod'/>"
                   "<axis xyz='0 0 1'/><limit lower='-0.2' upper='0.3' velocity='1' effort='1'/></joint>"
                   "</robot>",
                   rod);
    (void)expect_written(file, text);
}

static void write_shared_files(void) {
    write_robot("mast.urdf", "<origin xyz='0.4 0 0.3'/><geometry><box size='0.7 0.04 0.04'/></geometry>");
    write_robot("thick.urdf", "<origin xyz='0.4 0 0.3'/><geometry><box size='0.7 0.04 0.24'/></geometry>");
    // Two triangles, on either side of the thing; their hull goes through it.
    (void)expect_written("wings.obj",
                         "v 0.1 0 0.3\nv 0.75 0.02 0.3\nv 0.75 -0.02 0.3\nv 0.9 0.01 0.1\nv 0.95 0 0.1\n"
                         "v 0.92 0 0.15\nf 1 2 3\nf 4 5 6\n");
    write_robot("wings.urdf", "<geometry><mesh filename='wings.obj'/></geometry>");
    (void)snprintf(
        srdf, sizeof srdf, "%s",
        expect_written("mast.srdf",
                       "<robot name='mast'><disable_collisions link1='base' link2='rod' reason='Never'/>"
                       "<virtual_joint name='feet' type='planar' parent_frame='world' "
                       "child_link='base'/></robot>"));
    (void)snprintf(
        motion, sizeof motion, "%s",
        expect_written("turn.csv",
                       "time,turn,lift\n0,0,0\n0.01,0.004,0\n0.02,0.008,0\n0.03,0.012,0\n0.04,0.016,0\n"));
    (void)snprintf(map_out, sizeof map_out, "%s", program_temporary("out.bmap"));
}

// A volume of 2 x 2 x 2 bytes: one cell is occupied. It has no resolution and no origin of its own.
static void write_volume(void) {
    char bytes[128 + 8];
    const int length = snprintf(bytes, sizeof bytes, "%cNUMPY%c%c%c%c%-117s\n", 0x93, 1, 0, 118, 0,
                                "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 2), }");
    assert_int_equal(length, 128);
    memset(bytes + 128, 0, 8);
    bytes[128 + 7] = 1;

    (void)snprintf(volume, sizeof volume, "%s", program_temporary("volume.npy"));
    FILE* file = fopen(volume, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    assert_int_equal(fclose(file), 0);
}

// Cells of 5 cm: free below the rod's end, unknown in the middle, occupied beside it.
static void write_plan(void) {
    char text[600];
    (void)snprintf(text, sizeof text,
                   "image: %s\nresolution: 0.05\norigin: [0.4, -0.5, 0]\nnegate: 0\n"
                   "occupied_thresh: 0.65\nfree_thresh: 0.196\n",
                   "plan.pgm");
    (void)expect_written("plan.yaml", text);
    char picture[2000] = "P2\n8 20\n255\n";
    size_t used = strlen(picture);
    for (int row = 0; row < 20; ++row) {
        for (int column = 0; column < 8; ++column) {
            const int value = row == 0 ? 0 : (row == 10 ? 205 : 254);
            used += (size_t)snprintf(picture + used, sizeof picture - used, "%d ", value);
        }
    }
    (void)expect_written("plan.pgm", picture);
    (void)snprintf(cloud, sizeof cloud, "%s", expect_written("cloud.xyz", "0.6 0 0.2\n0.6 0.01 0.2\n"));
    (void)snprintf(
        mesh, sizeof mesh, "%s",
        expect_written("block.obj",
                       "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"));
    (void)expect_written("open.obj", "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
}

// ---- the table ---------------------------------------------------------------------------------------------

typedef struct Case {
    const char *group, *key;
    Parts a, b;
    const char* expected;  // by command
} Case;

#define AT ", pose: {xyz: [0.6, 0, 0.15]}"
#define OBJECT(text) \
    { .object = text }
#define LIMITS(text) \
    { .limits = text }
#define SAFETY(text) \
    { .safety = text }
#define MATERIAL(text) \
    { .material = text }
#define ROBOT(text) \
    { .robot = text }
#define MORE(text) \
    { .more = text }
#define USUAL \
    { .robot = NULL }
// Reaches into the rod, for what must show in forces.
#define DEEP "box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [0.6, 0, 0.231]}"

static const Case cases[] = {
    // group, key, one scene, the other, then: check path contact monitor info map
    {"object", "name", USUAL, {.name = "other"}, "UU..U."},
    {"object", "box", OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT), OBJECT("box: {size: [0.1, 0.1, 0.3]}" AT),
     "UUUUUU"},
    {"object", "sphere", OBJECT("sphere: {radius: 0.05}" AT), OBJECT("sphere: {radius: 0.15}" AT), "UUUUUU"},
    {"object", "cylinder", OBJECT("cylinder: {radius: 0.05, length: 0.1}" AT),
     OBJECT("cylinder: {radius: 0.05, length: 0.3}" AT), "UUUUUU"},
    {"object", "capsule", OBJECT("capsule: {radius: 0.02, length: 0.1}" AT),
     OBJECT("capsule: {radius: 0.02, length: 0.3}" AT), "UUUUUU"},
    {"object", "cone", OBJECT("cone: {radius: 0.05, length: 0.1}" AT),
     OBJECT("cone: {radius: 0.05, length: 0.3}" AT), "UUUUUU"},
    {"object", "halfspace", OBJECT("halfspace: {normal: [0, 0, 1], offset: -1}"),
     OBJECT("halfspace: {normal: [0, 0, 1], offset: 0.29}"), "UUUUUU"},
    {"object", "mesh", OBJECT("mesh: {file: block.obj}" AT),
     OBJECT("mesh: {file: block.obj, scale: [2, 2, 2]}" AT), "UUUUUU"},
    {"object", "map", OBJECT("map: {file: plan.yaml, height: [0, 0.1], outside: free, unknown: free}"),
     OBJECT("map: {file: plan.yaml, height: [0, 0.3], outside: free}"), "UUUUUU"},
    {"object", "points", OBJECT("points: {file: cloud.xyz}"),
     OBJECT("points: {file: cloud.xyz, radius: 0.2}"), "UUUUUR"},
    {"object", "parts", OBJECT("parts: [{box: {size: [0.1, 0.1, 0.1]}}]" AT),
     OBJECT("parts: [{box: {size: [0.1, 0.1, 0.1]}}, {sphere: {radius: 0.1}, pose: {xyz: [0, 0, 0.1]}}]" AT),
     "UUUUUU"},
    {"object", "pose", OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT),
     OBJECT("box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [0.6, 0, 0.25]}"), "UUUUUU"},
    {"object", "attach", OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT),
     OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT ", attach: rod"), "UULLUU"},
    {"object", "touch", OBJECT(DEEP), OBJECT(DEEP ", touch: [rod]"), "UU.UU."},
    {"object", "mass", OBJECT(DEEP), OBJECT(DEEP ", mass: 2"), "..U.U."},
    {"object", "moving", USUAL, OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT ", moving: {speed: 0.1}"), "LLLUUU"},
    {"object", "person", USUAL,
     OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT ", person: {speed: 0.1, intrusion: 0.05, uncertainty: 0}"),
     "LLLUUU"},

    {"part", "box", OBJECT("parts: [{box: {size: [0.1, 0.1, 0.1]}}]" AT),
     OBJECT("parts: [{box: {size: [0.1, 0.1, 0.3]}}]" AT), "UUUUUU"},
    {"part", "sphere", OBJECT("parts: [{sphere: {radius: 0.05}}]" AT),
     OBJECT("parts: [{sphere: {radius: 0.15}}]" AT), "UUUUUU"},
    {"part", "cylinder", OBJECT("parts: [{cylinder: {radius: 0.05, length: 0.1}}]" AT),
     OBJECT("parts: [{cylinder: {radius: 0.05, length: 0.3}}]" AT), "UUUUUU"},
    {"part", "capsule", OBJECT("parts: [{capsule: {radius: 0.02, length: 0.1}}]" AT),
     OBJECT("parts: [{capsule: {radius: 0.02, length: 0.3}}]" AT), "UUUUUU"},
    {"part", "cone", OBJECT("parts: [{cone: {radius: 0.05, length: 0.1}}]" AT),
     OBJECT("parts: [{cone: {radius: 0.05, length: 0.3}}]" AT), "UUUUUU"},
    {"part", "halfspace", OBJECT("parts: [{halfspace: {normal: [0, 0, 1], offset: -1}}]" AT),
     OBJECT("parts: [{halfspace: {normal: [0, 0, 1], offset: 0.14}}]" AT), "UUUUUU"},
    {"part", "mesh", OBJECT("parts: [{mesh: {file: block.obj}}]" AT),
     OBJECT("parts: [{mesh: {file: block.obj, scale: [2, 2, 2]}}]" AT), "UUUUUU"},
    {"part", "pose", OBJECT("parts: [{box: {size: [0.1, 0.1, 0.1]}}]" AT),
     OBJECT("parts: [{box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [0, 0, 0.1]}}]" AT), "UUUUUU"},

    {"pose", "xyz", OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT),
     OBJECT("box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [0.6, 0, 0.25]}"), "UUUUUU"},
    {"pose", "rpy", OBJECT("box: {size: [0.3, 0.1, 0.1]}" AT),
     OBJECT("box: {size: [0.3, 0.1, 0.1]}, pose: {xyz: [0.6, 0, 0.15], rpy: [0, 1.5707963267948966, 0]}"),
     "UUUUUU"},
    {"pose", "quat", OBJECT("box: {size: [0.3, 0.1, 0.1]}" AT),
     OBJECT("box: {size: [0.3, 0.1, 0.1]}, pose: {xyz: [0.6, 0, 0.15], quat: [0, 1, 0, 1]}"), "UUUUUU"},

    {"box", "size", OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT), OBJECT("box: {size: [0.1, 0.1, 0.3]}" AT),
     "UUUUUU"},
    {"sphere", "radius", OBJECT("sphere: {radius: 0.05}" AT), OBJECT("sphere: {radius: 0.15}" AT), "UUUUUU"},
    {"round", "radius", OBJECT("capsule: {radius: 0.02, length: 0.1}" AT),
     OBJECT("capsule: {radius: 0.09, length: 0.1}" AT), "UUUUUU"},
    {"round", "length", OBJECT("capsule: {radius: 0.02, length: 0.1}" AT),
     OBJECT("capsule: {radius: 0.02, length: 0.3}" AT), "UUUUUU"},
    {"halfspace", "normal", OBJECT("halfspace: {normal: [0, 0, 1], offset: -1}"),
     OBJECT("halfspace: {normal: [0, 0, -1], offset: -0.2}"), "UUUUUU"},
    {"halfspace", "offset", OBJECT("halfspace: {normal: [0, 0, 1], offset: -1}"),
     OBJECT("halfspace: {normal: [0, 0, 1], offset: 0.29}"), "UUUUUU"},
    {"mesh", "file", OBJECT("mesh: {file: block.obj}" AT), OBJECT("mesh: {file: open.obj}" AT), "LULUUU"},
    {"mesh", "scale", OBJECT("mesh: {file: block.obj}" AT),
     OBJECT("mesh: {file: block.obj, scale: [2, 2, 2]}" AT), "UUUUUU"},
    {"mesh", "hull", OBJECT("mesh: {file: open.obj}" AT), OBJECT("mesh: {file: open.obj, hull: true}" AT),
     "UULUUU"},
    {"map", "file", OBJECT("map: {file: plan.yaml, height: [0, 0.1], outside: free}"),
     OBJECT("map: {file: volume.npy, resolution: 0.05, origin: [0.55, -0.06, 0.24], outside: free}"),
     "UUUUUU"},
    {"map", "unknown", OBJECT("map: {file: plan.yaml, height: [0, 0.3], outside: free, unknown: free}"),
     OBJECT("map: {file: plan.yaml, height: [0, 0.3], outside: free, unknown: occupied}"), "UUUUUU"},
    {"map", "outside", OBJECT("map: {file: plan.yaml, height: [0, 0.1], outside: free}"),
     OBJECT("map: {file: plan.yaml, height: [0, 0.1], outside: occupied}"), "UUUUUU"},
    {"map", "height", OBJECT("map: {file: plan.yaml, height: [0, 0.1], outside: free}"),
     OBJECT("map: {file: plan.yaml, height: [0, 0.3], outside: free}"), "UUUUUU"},
    {"map", "resolution",
     OBJECT("map: {file: volume.npy, resolution: 0.05, origin: [0.55, -0.13, 0.1], outside: free}"),
     OBJECT("map: {file: volume.npy, resolution: 0.12, origin: [0.55, -0.13, 0.1], outside: free}"),
     "UUUUUU"},
    {"map", "origin",
     OBJECT("map: {file: volume.npy, resolution: 0.05, origin: [0.55, -0.13, 0.1], outside: free}"),
     OBJECT("map: {file: volume.npy, resolution: 0.05, origin: [0.55, -0.06, 0.24], outside: free}"),
     "UUUUUU"},
    {"points", "file", OBJECT("points: {file: cloud.xyz}"), OBJECT("points: {file: cloud2.xyz}"), "UUUUUU"},
    {"points", "radius", OBJECT("points: {file: cloud.xyz}"),
     OBJECT("points: {file: cloud.xyz, radius: 0.2}"), "UUUUUR"},
    {"moving", "speed", OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT ", moving: {speed: 0.1}"),
     OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT ", moving: {speed: 9}"), "...UU."},
    {"person", "speed",
     OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT ", person: {speed: 0.1, intrusion: 0, uncertainty: 0}"),
     OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT ", person: {speed: 9, intrusion: 0, uncertainty: 0}"),
     "...UU."},
    {"person", "intrusion",
     OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT ", person: {speed: 0.1, intrusion: 0, uncertainty: 0}"),
     OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT ", person: {speed: 0.1, intrusion: 1, uncertainty: 0}"),
     "...UU."},
    {"person", "uncertainty",
     OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT ", person: {speed: 0.1, intrusion: 0, uncertainty: 0}"),
     OBJECT("box: {size: [0.1, 0.1, 0.1]}" AT ", person: {speed: 0.1, intrusion: 0, uncertainty: 1}"),
     "...UU."},

    {"robot", "name", USUAL, ROBOT(", name: other"), "....U."},
    {"robot", "urdf", USUAL, {.urdf = "thick.urdf"}, "UUUUU."},
    {"robot", "srdf", USUAL, ROBOT(", srdf: mast.srdf"), "UULUU."},
    {"robot", "base", USUAL, ROBOT(", base: {xyz: [0, 0, -0.1]}"), "UUUUU."},
    {"robot", "free_base", ROBOT(", srdf: mast.srdf"), ROBOT(", srdf: mast.srdf, free_base: true"), "...RU."},
    {"robot", "state", USUAL, ROBOT(", state: {lift: -0.1}"), "U.U.U."},
    {"robot", "padding", USUAL, ROBOT(", padding: 0.1"), "UULUU."},
    {"robot", "hull", {.urdf = "wings.urdf"}, {.urdf = "wings.urdf", .robot = ", hull: true"}, "UUUUU."},
    {"robot", "limits", USUAL,
     LIMITS("turn: {velocity: 0.01, deceleration: 5}, lift: {velocity: 0.5, deceleration: 5}"), "...UU."},
    {"limits", "velocity", USUAL,
     LIMITS("turn: {velocity: 0.01, acceleration: 5, deceleration: 5}, lift: {velocity: 0.5, acceleration: "
            "5, deceleration: 5}"),
     "...UU."},
    {"limits", "acceleration", USUAL,
     LIMITS("turn: {velocity: 0.5, acceleration: 99, deceleration: 5}, lift: {velocity: 0.5, acceleration: "
            "5, deceleration: 5}"),
     "....U."},
    {"limits", "deceleration", USUAL,
     LIMITS("turn: {velocity: 0.5, acceleration: 5, deceleration: 0.01}, lift: {velocity: 0.5, acceleration: "
            "5, deceleration: 5}"),
     "...UU."},

    {"safety", "period", USUAL,
     SAFETY("period: 0.005, latency: 0.001, reaction: 0.001, silence: 0.02, margin: 0.001"), "...UU."},
    {"safety", "latency", USUAL,
     SAFETY("period: 0.01, latency: 0.5, reaction: 0.001, silence: 0.02, margin: 0.001"), "...UU."},
    {"safety", "reaction", USUAL,
     SAFETY("period: 0.01, latency: 0.001, reaction: 0.5, silence: 0.02, margin: 0.001"), "...UU."},
    {"safety", "silence", USUAL,
     SAFETY("period: 0.01, latency: 0.001, reaction: 0.001, silence: 0.5, margin: 0.001"), "...UU."},
    {"safety", "margin", USUAL,
     SAFETY("period: 0.01, latency: 0.001, reaction: 0.001, silence: 0.02, margin: 0.2"), "...UU."},
    {"safety", "hysteresis", USUAL,
     SAFETY("period: 0.01, latency: 0.001, reaction: 0.001, silence: 0.02, margin: 0.001, hysteresis: 0.3"),
     "...UU."},
    {"safety", "noise", USUAL,
     SAFETY("period: 0.01, latency: 0.001, reaction: 0.001, silence: 0.02, margin: 0.001, noise: 0.05"),
     "...UU."},
    {"safety", "drift", USUAL,
     SAFETY("period: 0.01, latency: 0.001, reaction: 0.001, silence: 0.02, margin: 0.001, drift: 0.01"),
     "....U."},

    {"material",
     "stiffness",
     OBJECT(DEEP),
     {.object = DEEP, .material = "default: {stiffness: 20000, damping: 50, viscosity: 5, friction: 0.5}"},
     "..U.U."},
    {"material",
     "damping",
     OBJECT(DEEP),
     {.object = DEEP, .material = "default: {stiffness: 10000, damping: 99, viscosity: 5, friction: 0.5}"},
     "....U."},
    {"material",
     "viscosity",
     OBJECT(DEEP),
     {.object = DEEP, .material = "default: {stiffness: 10000, damping: 50, viscosity: 9, friction: 0.5}"},
     "....U."},
    {"material",
     "friction",
     OBJECT(DEEP),
     {.object = DEEP, .material = "default: {stiffness: 10000, damping: 50, viscosity: 5, friction: 0.1}"},
     "....U."},
    {"material",
     "foundation",
     OBJECT(DEEP),
     {.object = DEEP,
      .material =
          "default: {stiffness: 10000, foundation: 3.0e+7, damping: 50, viscosity: 5, friction: 0.5}"},
     "..U.U."},

    {"scene", "berth", USUAL, USUAL, "......"},  // there is one version: others are refused (test_io_scene)
    {"scene",
     "packages",
     {.urdf = "thick.urdf", .more = "packages: {here: .}\n"},
     {.urdf = "package://here/mast.urdf", .more = "packages: {here: .}\n"},
     "UUUUU."},
    {"scene", "robots", USUAL, ROBOT(", padding: 0.1"), "UULUU."},
    {"scene", "objects", USUAL, OBJECT("box: {size: [0.1, 0.1, 0.3]}" AT), "UUUUUU"},
    {"scene", "allow", OBJECT(DEEP), {.object = DEEP, .more = "allow: [[rod, thing]]\n"}, "UU.UU."},
    {"scene", "safety", USUAL,
     SAFETY("period: 0.01, latency: 0.001, reaction: 0.001, silence: 0.02, margin: 0.2"), "...UU."},
    {"scene",
     "materials",
     OBJECT(DEEP),
     {.object = DEEP, .material = "default: {stiffness: 20000, damping: 50, viscosity: 5, friction: 0.5}"},
     "..U.U."},
};

// Where a key that nobody knows is put, to be told the known ones.
static const struct Group {
    const char* name;
    Parts parts;
} groups[] = {
    {"object", OBJECT("box: {size: [1, 1, 1]}, zzz: 1")},
    {"part", OBJECT("parts: [{box: {size: [1, 1, 1]}, zzz: 1}]")},
    {"pose", OBJECT("box: {size: [1, 1, 1]}, pose: {zzz: 1}")},
    {"box", OBJECT("box: {zzz: 1}")},
    {"sphere", OBJECT("sphere: {zzz: 1}")},
    {"round", OBJECT("cone: {zzz: 1}")},
    {"halfspace", OBJECT("halfspace: {zzz: 1}")},
    {"mesh", OBJECT("mesh: {zzz: 1}")},
    {"map", OBJECT("map: {zzz: 1}")},
    {"points", OBJECT("points: {zzz: 1}")},
    {"moving", OBJECT("box: {size: [1, 1, 1]}, moving: {zzz: 1}")},
    {"person", OBJECT("box: {size: [1, 1, 1]}, person: {zzz: 1}")},
    {"robot", ROBOT(", zzz: 1")},
    {"limits", LIMITS("turn: {zzz: 1}")},
    {"safety", SAFETY("zzz: 1")},
    {"material", MATERIAL("default: {zzz: 1}")},
    {"scene", MORE("zzz: 1\n")},
};

// ---- tests -------------------------------------------------------------------------------------------------

static bool has_case(const char* group, const char* key) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (strcmp(cases[i].group, group) == 0 && strcmp(cases[i].key, key) == 0) {
            return true;
        }
    }
    return false;
}

static void every_key_is_in_the_table(void** state) {
    (void)state;
    int known = 0;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; ++g) {
        ProgramRun run = program_run("check", write_scene("unknown.yaml", &groups[g].parts), NULL);
        assert_int_equal(run.status, 2);
        char* list = strstr(run.err, "(known: ");
        char* end = list != NULL ? strchr(list, ')') : NULL;
        if (end == NULL) {
            fail_msg("group %s: no list of keys in: %s", groups[g].name, run.err);
        }

        *end = '\0';
        char* rest = NULL;
        for (char* key = strtok_r(list + strlen("(known: "), ", ", &rest); key != NULL;
             key = strtok_r(NULL, ", ", &rest)) {
            if (!has_case(groups[g].name, key)) {
                fail_msg("key '%s' of group %s is not in this test's table", key, groups[g].name);
            }
            known += 1;
        }
        program_free(&run);
    }
    assert_int_equal(known, (int)(sizeof cases / sizeof cases[0]));
}

static char judge(const ProgramRun* a, const ProgramRun* b) {
    if (b->status == 2) {
        return REFUSED;
    }
    if (!same_answer(a, b, false)) {
        return USED;
    }
    return same_answer(a, b, true) ? NOTHING : LISTED;
}

static void every_command_uses_refuses_or_lists_it(void** state) {
    (void)state;
    int wrong = 0;
    // All of them where all random cases are asked for, else a third: the program starts a thousand times.
    const size_t step = test_scaled(3) >= 3 ? 1 : 3;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += step) {
        char found[COMMAND_COUNT + 1] = "";
        for (int command = 0; command < COMMAND_COUNT; ++command) {
            ProgramRun a = run_command(command, write_scene("a.yaml", &cases[i].a));
            ProgramRun b = run_command(command, write_scene("b.yaml", &cases[i].b));
            if (a.status > 3 || b.status > 3) {
                fail_msg("%s %s: exit %d, %d: %s%s", cases[i].group, cases[i].key, a.status, b.status, a.err,
                         b.err);
            }
            found[command] = judge(&a, &b);
            program_free(&a);
            program_free(&b);
        }
        if (strcmp(found, cases[i].expected) != 0) {
            print_message("%s: %s: check path contact monitor info map are %s, expected %s\n", cases[i].group,
                          cases[i].key, found, cases[i].expected);
            wrong += 1;
        }
    }
    assert_int_equal(wrong, 0);
}

static int write_files(void** state) {
    (void)state;
    write_shared_files();
    write_volume();
    write_plan();
    (void)expect_written("cloud2.xyz", "0.6 0 0.29\n");
    return 0;
}

int test_cli_matrix(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_in_the_table),
        cmocka_unit_test(every_command_uses_refuses_or_lists_it),
    };
    return cmocka_run_group_tests_name("cli matrix", tests, write_files, expect_clean_up);
}
