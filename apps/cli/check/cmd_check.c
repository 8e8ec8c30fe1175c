// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth check: one state or many against a scene.
// Entry: cli_run_check.

#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

const char cli_check_help[] =
    "SCENE is a .yaml scene, a bare .urdf (one robot, nothing else), or with --robot a MoveIt .scene or a\n"
    "MotionBenchMaker scene. Without --at, --state and --states the scene's own state is checked.\n"
    "\n"
    "free means proven: every pair that may not touch has gap > margin, rounding errors included.\n"
    "collision has a witness: a pair of bodies and a point. unknown is neither: treat it as a collision.\n"
    "\n"
    "examples:\n"
    "  berth check cell.yaml --distance\n"
    "  berth check cell.yaml --state home --at left/joint2=-0.5 --all\n"
    "  berth check panda.urdf --srdf panda.srdf --states samples.csv --json --threads 4\n"
    "  berth check world.scene --robot panda.urdf --srdf panda.srdf\n"
    "\n"
    "with --json, one line a state:\n"
    "  {\"state\": 0, \"verdict\": \"free\", \"clearance\": {\"lower\": 0.0312, \"upper\": 0.0313, \"a\": "
    "\"link5\",\n"
    "   \"b\": \"shelf\", \"point_a\": [0.1, 0.2, 0.3], \"point_b\": [0.1, 0.2, 0.33]}, \"hits\": [], "
    "\"assumed\": []}\n"
    "  {\"state\": 1, \"verdict\": \"collision\", \"clearance\": null, \"hits\": [{\"a\": \"link5\", \"b\": "
    "\"shelf\",\n"
    "   \"point\": [0.1, 0.2, 0.3], \"depth\": 0.004, \"normal\": [0, 0, 1]}], \"assumed\": []}\n"
    "  {\"state\": 2, \"verdict\": \"unknown\", \"reason\": \"too_close\", \"a\": \"link5\", \"b\": "
    "\"shelf\", ...}\n"
    "clearance with --distance only; pairs with --distance --all; with --summary one line:\n"
    "  {\"states\": 3, \"free\": 1, \"collisions\": 1, \"unknown\": 1, \"seconds\": 0.0001, \"assumed\": "
    "[]}\n"
    "\n"
    "exit status: 0 all free, 1 any collision, 2 wrong request or file, 3 no collision but some unknown (or\n"
    "--strict and something assumed), 4 the machine failed, 130 interrupted (what was finished is printed)\n";

// Warns about values outside limits, or refuses them with --limits. Looks at every state before the first answer.
static int check_limits(const CheckJob* job, const char* file, Warnings* warnings) {
    int64_t states_outside = 0;
    char first[420] = "";
    int32_t first_row = 0;

    for (int32_t row = 0; row < job->row_count; ++row) {
        const double* values = job->rows + (size_t)row * (size_t)job->value_count;
        int32_t outside = 0, value = -1;
        const BerthStatus status = berth_scene_check_values(job->scene, values, &outside, &value);
        if (status != BERTH_OK) {
            fprintf(stderr, "%s: state %d: ", file != NULL ? file : "berth check", (int)row);
            return cli_report_failure(status);
        }

        if (outside > 0 && states_outside++ == 0 && value >= 0) {
            char what[400];
            cli_describe_outside_limits(job->scene, values, value, what, sizeof what);
            (void)snprintf(first, sizeof first, "%s", what);
            first_row = row;
        }
    }

    if (states_outside == 0) {
        return EXIT_FREE;
    }

    char text[1200];
    if (job->many) {
        (void)snprintf(text, sizeof text,
                       "%s: %lld of %d states have values outside joint limits (state %d: %s)", file,
                       (long long)states_outside, (int)job->row_count, (int)first_row, first);
    } else {
        (void)snprintf(text, sizeof text, "%s", first);
    }

    if (job->options->limits) {
        fprintf(stderr, "%s%s\n", file != NULL ? "" : "berth check: ", text);
        return EXIT_WRONG;
    }

    warnings_add(warnings, text);
    return EXIT_FREE;
}

static int exit_status(const CheckJob* job, const Warnings* warnings) {
    if (job->collision_count > 0) {
        return EXIT_COLLISION;
    }
    const bool assumed =
        berth_scene_assumed_count(job->scene) > 0 || job->outside_count > 0 || warnings->count > 0;
    return job->unknown_count > 0 || (job->options->strict && assumed) ? EXIT_UNKNOWN : EXIT_FREE;
}

static int check_job(CheckJob* job, const char* file, Warnings* warnings) {
    int status = check_limits(job, file, warnings);
    if (status == EXIT_FREE && cli_interrupted()) {
        return EXIT_INTERRUPTED;
    }
    if (status == EXIT_FREE) {
        status = check_run(job);
    }
    if (status != EXIT_FREE && status != EXIT_INTERRUPTED) {
        return status;
    }

    Text text = {0};
    check_write_summary(&text, job);
    const int wrote = cli_write_output(&text);
    text_free(&text);
    if (wrote != EXIT_FREE) {
        return wrote;
    }

    if (status == EXIT_INTERRUPTED) {
        fprintf(stderr, "berth check: interrupted after %d of %d states\n", (int)job->done_count,
                (int)job->row_count);
        return status;
    }

    return exit_status(job, warnings);
}

static int check_scene(const Options* options, BerthScene* scene, const BerthIoOptions* io,
                       Warnings* warnings) {
    const int32_t count = berth_scene_value_count(scene);
    double* values = calloc((size_t)count + 1, sizeof *values);
    if (values == NULL) {
        return cli_out_of_memory();
    }

    CheckJob job = {.options = options, .scene = scene, .rows = values, .row_count = 1, .value_count = count};
    int status = cli_make_state("check", options, scene, values);

    if (status == EXIT_FREE && options->states != NULL) {
        // Joints that the file does not name keep the state of --state and --at.
        BerthStates states = {0};
        BerthStatus read = count > 0 ? berth_scene_set_values(scene, values) : BERTH_OK;
        if (read == BERTH_OK) {
            read = berth_io_read_states(options->states, scene, io, &states);
        }
        if (read == BERTH_OK) {
            job.many = true;
            job.rows = states.values;
            job.row_count = states.row_count;
            status = check_job(&job, options->states, warnings);
            berth_io_free_states(&states);
        } else {
            status = cli_report_failure(read);
        }
    } else if (status == EXIT_FREE) {
        status = check_job(&job, NULL, warnings);
    }

    free(values);
    return status;
}

int cli_run_check(const Options* options) {
    if (options->argument_count != 1) {
        if (options->argument_count == 0) {
            return cli_reject("check",
                              "which scene? usage: berth check SCENE [OPTIONS]; 'berth help check' has more");
        }
        return cli_reject("check", "one scene at a time, not also '%s'", options->arguments[1]);
    }

    BerthEngine engine;
    if (!cli_read_engine("check", options, &engine)) {
        return EXIT_WRONG;
    }

    cli_watch_interrupts();
    Warnings warnings = {.quiet = options->quiet};
    BerthIoOptions io;
    if (!cli_make_io_options("check", options, &warnings, &io)) {
        return EXIT_WRONG;
    }

    BerthScene* scene = NULL;
    const BerthStatus read = berth_io_read_scene(options->arguments[0], &io, &scene);
    int status = EXIT_FREE;
    if (read != BERTH_OK) {
        status = cli_report_failure(read);
    } else if (cli_interrupted()) {
        status = EXIT_INTERRUPTED;
    } else {
        status = check_scene(options, scene, &io, &warnings);
    }

    berth_scene_destroy(scene);
    warnings_free(&warnings);
    return status;
}
