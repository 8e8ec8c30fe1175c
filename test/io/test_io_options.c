// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Options: null means the default ones for every reader and writer, and what does not come from
// berth_default_io_options() is refused by all of them.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <berth/certificate.h>
#include <berth/cover.h>
#include <berth/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/program.h"
#include "support/proofs.h"

int test_io_options(void);

/// One file of every kind, written first; and what was read from some of them.
typedef struct Files {
    char urdf[256], srdf[256], scene[256], mesh[256], cloud[256], balls[256], map[256];
    char states[256], segments[256], trajectory[256], certificate[256], out[256];
    BerthRobot* robot;
    BerthSpheres* spheres;
    BerthScene* read_scene;
    BerthField* field;
    ProofCase* proof;
} Files;

static void write_text(char path[256], const char* name, const char* text) {
    (void)snprintf(path, 256, "%s", program_temporary(name));
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void write_files(Files* f) {
    *f = (Files){.robot = NULL};
    write_text(
        f->urdf, "options.urdf",
        "<robot name='r'><link name='a'><collision><geometry><box size='1 1 1'/></geometry></collision>"
        "</link><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
        "<axis xyz='0 0 1'/><limit lower='-1' upper='1' velocity='1' effort='1'/></joint></robot>");
    write_text(f->srdf, "options.srdf",
               "<robot name='r'><disable_collisions link1='a' link2='b' reason='Adjacent'/></robot>");
    write_text(f->scene, "options.yaml", "berth: 1\nrobots: [{urdf: options.urdf}]\n");
    write_text(f->mesh, "options.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write_text(f->cloud, "options.xyz", "0 0 0\n1 1 1\n");
    write_text(f->balls, "options_balls.csv", "x,y,z,r\n0,0,0,1\n");
    write_text(f->map, "options.lin", "1\n2 2 2\n0 1\n");
    write_text(f->states, "options_states.csv", "j\n0.5\n");
    write_text(f->segments, "options_segments.csv", "j:from,j:to\n0,0.5\n");
    write_text(f->trajectory, "options_trajectory.csv", "time,j\n0,0\n1,0.5\n");
    (void)snprintf(f->certificate, sizeof f->certificate, "%s", program_temporary("options.cert"));
    (void)snprintf(f->out, sizeof f->out, "%s", program_temporary("options_out"));
}

static BerthStatus call_read_robot(Files* f, const BerthIoOptions* options) {
    BerthRobot* robot = NULL;
    const BerthStatus status = berth_io_read_robot(f->urdf, NULL, options, &robot);
    if (f->robot == NULL) {
        f->robot = robot;
    } else {
        berth_robot_destroy(robot);
    }
    return status;
}

static BerthStatus call_read_srdf(Files* f, const BerthIoOptions* options) {
    BerthSrdf* srdf = NULL;
    const BerthStatus status = berth_io_read_srdf(f->srdf, options, &srdf);
    berth_io_free_srdf(srdf);
    return status;
}

static BerthStatus call_srdf_text(Files* f, const BerthIoOptions* options) {
    (void)f;
    char* text = NULL;
    size_t size = 0;
    const BerthSrdfDef def = berth_default_srdf_def();
    const BerthStatus status = berth_io_srdf_text(&def, options, &text, &size);
    berth_io_free_srdf_text(options, text, size);
    return status;
}

static BerthStatus call_read_scene(Files* f, const BerthIoOptions* options) {
    BerthScene* scene = NULL;
    const BerthStatus status = berth_io_read_scene(f->scene, options, &scene);
    if (f->read_scene == NULL) {
        f->read_scene = scene;
    } else {
        berth_scene_destroy(scene);
    }
    return status;
}

static BerthStatus call_read_problem(Files* f, const BerthIoOptions* options) {
    static const char text[] =
        "{\"name\": \"p\", \"scene\": {\"objects\": []}, \"start\": [0], \"goals\": [[0.5]]}";
    BerthProblem problem = {.name = NULL};
    const BerthProblemText line = {text, sizeof text - 1, "p.json", 1};
    const BerthStatus status = berth_io_read_problem(&line, options, f->read_scene, &problem);
    berth_io_free_problem(f->read_scene, &problem);
    return status;
}

static BerthStatus call_read_mesh(Files* f, const BerthIoOptions* options) {
    BerthMesh* mesh = NULL;
    const BerthStatus status = berth_io_read_mesh(f->mesh, (BerthVec3){1, 1, 1}, options, &mesh);
    berth_mesh_destroy(mesh);
    return status;
}

static BerthStatus call_read_points(Files* f, const BerthIoOptions* options) {
    BerthPoints points;
    const BerthStatus status = berth_io_read_points(f->cloud, options, &points);
    berth_io_free_points(&points);
    return status;
}

static BerthStatus call_read_balls(Files* f, const BerthIoOptions* options) {
    BerthBalls balls;
    const BerthStatus status = berth_io_read_balls(f->balls, 3, options, &balls);
    berth_io_free_balls(&balls);
    return status;
}

static BerthStatus call_open_map(Files* f, const BerthIoOptions* options) {
    const BerthMapOptions of_map = berth_default_map_options();
    BerthMap* map = NULL;
    const BerthStatus status = berth_io_open_map(f->map, &of_map, options, &map);
    berth_io_close_map(map);
    return status;
}

static BerthStatus call_read_field(Files* f, const BerthIoOptions* options) {
    const BerthMapOptions of_map = berth_default_map_options();
    BerthField* field = NULL;
    const BerthStatus status = berth_io_read_field(f->map, &of_map, options, &field, NULL);
    if (f->field == NULL) {
        f->field = field;
    } else {
        berth_field_destroy(field);
    }
    return status;
}

static BerthStatus call_write_map(Files* f, const BerthIoOptions* options) {
    char path[300];
    (void)snprintf(path, sizeof path, "%s.bmap", f->out);
    return berth_io_write_map(path, f->field, NULL, options);
}

static BerthStatus call_read_states(Files* f, const BerthIoOptions* options) {
    BerthStates states;
    const BerthStatus status = berth_io_read_states(f->states, f->read_scene, options, &states);
    berth_io_free_states(&states);
    return status;
}

static BerthStatus call_read_segments(Files* f, const BerthIoOptions* options) {
    BerthSegments segments;
    const BerthStatus status = berth_io_read_segments(f->segments, f->read_scene, options, &segments);
    berth_io_free_segments(&segments);
    return status;
}

static BerthStatus call_read_trajectory(Files* f, const BerthIoOptions* options) {
    BerthTrajectory trajectory;
    const BerthStatus status = berth_io_read_trajectory(f->trajectory, f->read_scene, options, &trajectory);
    berth_io_free_trajectory(&trajectory);
    return status;
}

static BerthStatus call_write_certificate(Files* f, const BerthIoOptions* options) {
    return berth_io_write_certificate(f->certificate, f->proof->certificate, f->read_scene, options);
}

static BerthStatus call_read_certificate(Files* f, const BerthIoOptions* options) {
    BerthCertificate* certificate = NULL;
    const BerthStatus status =
        berth_io_read_certificate(f->certificate, f->read_scene, options, &certificate);
    berth_certificate_destroy(certificate);
    return status;
}

static BerthStatus call_write_spherized(Files* f, const BerthIoOptions* options) {
    return berth_io_write_spherized(f->out, f->urdf, f->robot, f->spheres, options);
}

static BerthStatus call_write_sphere_srdf(Files* f, const BerthIoOptions* options) {
    return berth_io_write_sphere_srdf(f->out, NULL, f->robot, f->spheres, options);
}

static BerthStatus call_write_sphere_body(Files* f, const BerthIoOptions* options) {
    return berth_io_write_sphere_body(f->out, "ball", f->spheres, options);
}

// In this order: what comes later needs what was read before.
static const struct {
    const char* name;
    BerthStatus (*call)(Files* f, const BerthIoOptions* options);
} calls[] = {
    {"read_robot", call_read_robot},
    {"read_srdf", call_read_srdf},
    {"srdf_text", call_srdf_text},
    {"read_scene", call_read_scene},
    {"read_problem", call_read_problem},
    {"read_mesh", call_read_mesh},
    {"read_points", call_read_points},
    {"read_balls", call_read_balls},
    {"open_map", call_open_map},
    {"read_field", call_read_field},
    {"write_map", call_write_map},
    {"read_states", call_read_states},
    {"read_segments", call_read_segments},
    {"read_trajectory", call_read_trajectory},
    {"write_certificate", call_write_certificate},
    {"read_certificate", call_read_certificate},
    {"write_spherized", call_write_spherized},
    {"write_sphere_srdf", call_write_sphere_srdf},
    {"write_sphere_body", call_write_sphere_body},
};

static void make_spheres_and_proof(Files* f) {
    BerthSpheresDef def = berth_default_spheres_def();
    def.effort = 0.0;
    def.count = 1;
    assert_int_equal(berth_robot_fit_spheres(f->robot, -1, &def, &f->spheres), BERTH_OK);

    const double from[1] = {0.0}, to[1] = {0.5};
    Random random = {1};
    f->proof = malloc(sizeof *f->proof);
    assert_non_null(f->proof);
    proof_open(f->proof, f->read_scene, 0.0, 0.0, BERTH_METHOD_DEFAULT);
    assert_true(proof_add(f->proof, from, to, false, &random));
}

static void every_reader_and_writer_takes_null(void** state) {
    (void)state;
    Files f;
    write_files(&f);
    assert_int_equal(call_read_robot(&f, NULL), BERTH_OK);
    assert_int_equal(call_read_scene(&f, NULL), BERTH_OK);
    assert_int_equal(call_read_field(&f, NULL), BERTH_OK);
    make_spheres_and_proof(&f);

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
        if (calls[i].call(&f, NULL) != BERTH_OK) {
            fail_msg("%s: %s", calls[i].name, berth_error_text());
        }
    }

    // Options of another version, or cleared memory, are a mistake; with a zero allocator they are not.
    BerthIoOptions options = berth_default_io_options();
    options.allocator = (BerthAllocator){.take = NULL};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
        options.stamp = BI_DEF_STAMP;
        if (calls[i].call(&f, &options) != BERTH_OK) {
            fail_msg("%s: %s", calls[i].name, berth_error_text());
        }
        options.stamp = 0;
        if (calls[i].call(&f, &options) != BERTH_ERR_ARGUMENT ||
            strcmp(berth_error_text(), "io options: start from berth_default_io_options()") != 0) {
            fail_msg("%s: %s", calls[i].name, berth_error_text());
        }
    }

    proof_close(f.proof);
    free(f.proof);
    berth_spheres_destroy(f.spheres);
    berth_field_destroy(f.field);
    berth_scene_destroy(f.read_scene);
    berth_robot_destroy(f.robot);
}

int test_io_options(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reader_and_writer_takes_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
