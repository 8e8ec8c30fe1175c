// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth new: a first scene file for a robot, or a scene of another format converted to berth's.
// Entry: cli_run_new.

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/new/new.h"

const char cli_new_help[] =
    "ROBOT.urdf gives a scene with that robot, a table out of its reach, and an example of every kind of "
    "object in comments; 'berth check' can read it at once. A MoveIt .scene or a MotionBenchMaker scene "
    "is converted with its objects, state and allowed pairs. It needs --robot, and -o if it contains "
    "meshes, which are written beside the scene as OBJ. Existing files are overwritten only with --force.\n"
    "\n"
    "examples:\n"
    "  berth new panda.urdf --srdf panda.srdf -o cell.yaml && berth check cell.yaml --distance\n"
    "  berth new kitchen.scene --robot panda.urdf --srdf panda.srdf -o kitchen.yaml\n"
    "\n"
    "with --json, what was written:\n"
    "  {\"file\": \"kitchen.yaml\", \"robots\": 1, \"objects\": 12, \"meshes\": [\"kitchen_1.obj\"], "
    "\"warnings\": 0}\n"
    "\n"
    "exit status: 0 done, 2 wrong request or file, or the output already exists, 3 --strict and there "
    "were warnings, 4 the machine failed (disk full)\n";

typedef struct NewJob {
    const Options* options;
    const BerthScene* scene;
    const Warnings* warnings;
    bool converted;
    char folder[PATH_MAX];  // of the output
    char stem[PATH_MAX];    // of meshes: the output's name without its extension
    Text urdf, srdf, text;
    int32_t mesh_count;
} NewJob;

static bool split_output(NewJob* job) {
    const char* path = job->options->output != NULL ? job->options->output : "scene.yaml";
    const char* slash = strrchr(path, '/');
    size_t folder_length = 0;
    if (slash != NULL) {
        folder_length = slash == path ? 1 : (size_t)(slash - path);
    }

    const char* name = slash == NULL ? path : slash + 1;
    const char* dot = strrchr(name, '.');
    const size_t stem_length = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);

    if (strlen(path) >= PATH_MAX - 64) {
        errno = ENAMETOOLONG;
        return false;
    }
    (void)snprintf(job->folder, sizeof job->folder, "%.*s", folder_length > 0 ? (int)folder_length : 1,
                   folder_length > 0 ? path : ".");
    (void)snprintf(job->stem, sizeof job->stem, "%.*s", (int)stem_length, name);
    return true;
}

static int make_text(NewJob* job, const char* urdf, const char* srdf) {
    if (!split_output(job) || !files_relative_path(job->folder, urdf, &job->urdf)) {
        return files_report_error(job->options->output != NULL ? job->options->output : urdf,
                                  "cannot be named");
    }
    if (srdf != NULL && !files_relative_path(job->folder, srdf, &job->srdf)) {
        return files_report_error(srdf, "cannot be named");
    }

    const NewNames names = {
        .folder = job->folder, .urdf = job->urdf.data, .srdf = job->srdf.data, .mesh_stem = job->stem};
    if (job->urdf.failed || job->srdf.failed) {
        return cli_out_of_memory();
    }

    if (!job->converted) {
        new_write_template(&job->text, job->scene, job->options, &names);
    } else if (!new_write_converted(&job->text, job->scene, job->options, &names, &job->mesh_count)) {
        return cli_reject("new", "%s: an object is a convex hull, which a scene file cannot contain",
                          job->options->arguments[0]);
    }

    return job->text.failed ? cli_out_of_memory() : EXIT_FREE;
}

static void mesh_path(const NewJob* job, int32_t mesh, char* path, size_t size) {
    (void)snprintf(path, size, "%s/%s_%d.obj", job->folder, job->stem, (int)mesh + 1);
}

// Meshes first, so that a scene never names a file that does not exist.
static int write_files(NewJob* job) {
    const Options* options = job->options;
    int status = EXIT_FREE;
    for (int32_t i = 0; status == EXIT_FREE && i < job->mesh_count; ++i) {
        Text mesh = {0};
        char path[2 * PATH_MAX + 32];
        new_write_mesh(&mesh, job->scene, i);
        mesh_path(job, i, path, sizeof path);
        status = files_write(path, &mesh, options->force);
        text_free(&mesh);
    }

    if (status == EXIT_FREE) {
        status = files_write(options->output, &job->text, options->force);
    }
    return status == EXIT_FREE ? files_commit() : status;
}

static int report_written(NewJob* job) {
    const Options* options = job->options;
    Text text = {0};

    if (options->json) {
        Json json = json_writer(&text);
        json_open(&json, '{');
        json_key_text(&json, "file", options->output);
        json_key_int(&json, "robots", berth_scene_robot_count(job->scene));
        json_key_int(&json, "objects", berth_scene_object_count(job->scene) + (job->converted ? 0 : 1));

        json_key_open(&json, "meshes", '[');
        for (int32_t i = 0; i < job->mesh_count; ++i) {
            char path[2 * PATH_MAX + 32];
            mesh_path(job, i, path, sizeof path);
            json_text(&json, path);
        }
        json_close(&json, ']');

        json_key_open(&json, "assumed", '[');
        json_close(&json, ']');
        cli_json_no_pairs(&json);
        json_key_int(&json, "warnings", job->warnings->count);
        json_close(&json, '}');
        text_puts(&text, "\n");
    } else if (!options->quiet) {
        text_printf(&text, "wrote %s; next: berth check %s --distance\n", options->output, options->output);
    }

    const int status = cli_write_output(&text);
    text_free(&text);
    return status;
}

static int run_job(NewJob* job) {
    const Options* options = job->options;
    const char* input = options->arguments[0];
    int status = make_text(job, job->converted ? options->robot : input, options->srdf);
    if (status == EXIT_FREE && options->output == NULL) {
        if (job->mesh_count > 0) {
            return cli_reject(
                "new",
                "%s: contains %d meshes, which are written beside the scene: give its name with -o FILE",
                input, (int)job->mesh_count);
        }
        return cli_write_output(&job->text);
    }

    if (status == EXIT_FREE) {
        status = write_files(job);
    }
    return status == EXIT_FREE ? report_written(job) : status;
}

// A berth scene begins with its version; then there is nothing to convert.
static bool is_xml(const char* path) {
    const char* dot = strrchr(path, '.');
    return dot != NULL &&
           (strcmp(dot, ".urdf") == 0 || strcmp(dot, ".xml") == 0 || strcmp(dot, ".URDF") == 0);
}

int cli_run_new(const Options* options) {
    if (options->argument_count != 1) {
        if (options->argument_count == 0) {
            return cli_reject(
                "new", "for which robot? usage: berth new ROBOT.urdf [-o FILE]; 'berth help new' has more");
        }
        return cli_reject("new", "expected one robot or scene, not also '%s'", options->arguments[1]);
    }

    const char* input = options->arguments[0];
    if (options->output == NULL && options->json) {
        return cli_reject("new", "--json reports what was written: it needs -o FILE");
    }
    if (options->output == NULL && options->force) {
        return cli_reject("new", "--force does nothing without -o FILE");
    }
    const int reserved = cli_refuse_input_as_output(options, 0, options->output);
    if (reserved != EXIT_FREE) {
        return reserved;
    }

    Warnings warnings;
    BerthIoOptions io;
    if (!cli_start("new", options, &warnings, &io)) {
        return EXIT_WRONG;
    }

    const bool converted = !is_xml(input);
    BerthScene* scene = NULL;
    const BerthStatus read = berth_io_read_scene(input, &io, &scene);
    int status = cli_exit_status(read);

    if (status == EXIT_FREE && converted && options->robot == NULL) {
        status = cli_reject("new", "%s: is already a berth scene", input);
    }

    NewJob job = {.options = options, .scene = scene, .warnings = &warnings, .converted = converted};
    if (status == EXIT_FREE) {
        status = run_job(&job);
    }

    if (status == EXIT_FREE && options->strict && warnings.count > 0) {
        status = EXIT_UNKNOWN;
    }

    text_free(&job.urdf);
    text_free(&job.srdf);
    text_free(&job.text);
    berth_scene_destroy(scene);
    warnings_close(&warnings);
    return status;
}
