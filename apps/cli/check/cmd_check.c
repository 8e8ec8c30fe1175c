// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth check: one state or many against a scene.
// Entry: cli_run_check.

#include "cli/check/check.h"

const char cli_check_help[] =
    "SCENE is a .yaml scene, a bare .urdf (one robot, nothing else), or with --robot a MoveIt .scene or "
    "a MotionBenchMaker scene. Without --at, --state and --states the scene's own state is checked.\n"
    "\n"
    "free is proven: every pair that may not touch has gap > margin, rounding errors included. collision "
    "has a witness: a pair of bodies and a point. unknown is neither: treat it as a collision.\n"
    "\n"
    "examples:\n"
    "  berth check cell.yaml --distance\n"
    "  berth check cell.yaml --states samples.npy --range 0.01,0.3 --json\n"
    "  berth check cell.yaml --state home --at left/joint2=-0.5 --all\n"
    "  berth check panda.urdf --srdf panda.srdf --states samples.csv --json --threads 4\n"
    "  berth check world.scene --robot panda.urdf --srdf panda.srdf\n"
    "\n"
    "with --json, one line per state:\n"
    "  {\"state\": 0, \"verdict\": \"free\", \"clearance\": {\"lower\": 0.0312, \"upper\": 0.0313, "
    "\"a\": \"link5\",\n"
    "   \"b\": \"shelf\", \"point_a\": [0.1, 0.2, 0.3], \"point_b\": [0.1, 0.2, 0.33]}, \"hits\": [], "
    "\"assumed\": [], \"declared\": [], \"proven\": 0}\n"
    "  {\"state\": 1, \"verdict\": \"collision\", \"clearance\": null, \"hits\": [{\"a\": \"link5\", "
    "\"b\": \"shelf\",\n"
    "   \"point\": [0.1, 0.2, 0.3], \"depth\": 0.004, \"normal\": [0, 0, 1]}], \"assumed\": [], "
    "\"declared\": [], \"proven\": 0}\n"
    "  {\"state\": 2, \"verdict\": \"unknown\", \"reason\": \"too_close\", \"a\": \"link5\", \"b\": "
    "\"shelf\", ...}\n"
    "\n"
    "clearance only with --distance (with --range: its bounds are coarse below MIN; above MAX 'upper' "
    "and the pair are null); pairs with --distance --all; with --summary one line:\n"
    "  {\"states\": 3, \"free\": 1, \"collisions\": 1, \"unknown\": 1, \"seconds\": 0.0001, \"assumed\": "
    "[]}\n"
    "\n"
    "exit status: 0 all free, 1 any collision, 2 wrong request or file, 3 no collision but some state "
    "unknown (or --strict and something assumed), 4 the machine failed, 130 interrupted (finished "
    "answers are printed)\n";

// Warns about values outside limits, or refuses them with --limits. Checks every state before the first answer.
static int check_limits(const CheckJob* job) {
    OutsideRows outside;
    const BerthStatus status = question_find_outside(job->question, job->rows, job->row_count, &outside);
    if (status != BERTH_OK) {
        fprintf(stderr, "%s: state %d: ", job->file != NULL ? job->file : "berth check",
                (int)outside.first_row);
        return cli_report_failure(status);
    }
    if (outside.count == 0) {
        return EXIT_FREE;
    }

    char text[1200];
    if (job->file != NULL) {
        (void)snprintf(text, sizeof text,
                       "%s: %lld of %d states have values outside joint limits (state %d: %s)", job->file,
                       (long long)outside.count, (int)job->row_count, (int)outside.first_row, outside.what);
        return question_report_outside(job->question, text, text);
    }

    (void)snprintf(text, sizeof text, "berth check: %s", outside.what);
    return question_report_outside(job->question, text, outside.what);
}

static int check_job(CheckJob* job) {
    int status = check_limits(job);
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
        return question_report_interrupt(job->question, job->counts.done, job->row_count, "states");
    }
    return question_exit_status(job->question, &job->counts, 0);
}

static int check_states(CheckJob* job) {
    Question* question = job->question;
    BerthStates states;
    const int status = question_set_scene_state(question);
    if (status != EXIT_FREE) {
        return status;
    }

    job->file = question->options->states;
    const BerthStatus read = berth_io_read_states(job->file, question->scene, &question->io, &states);
    if (read != BERTH_OK) {
        return cli_report_failure(read);
    }

    job->rows = states.values;
    job->row_count = states.row_count;
    const int checked = check_job(job);
    berth_io_free_states(&states);
    return checked;
}

// The request for every state.
static bool read_request(const Options* options, BerthCheckRequest* out) {
    *out = (BerthCheckRequest){.distance = options->distance || options->range != NULL, .all = options->all};
    if (options->range == NULL) {
        return true;
    }

    double ends[2];
    if (!cli_read_numbers(options->range, 2, ends) ||
        !(ends[0] >= 0.0 && ends[1] >= ends[0] && ends[1] > 0.0)) {
        cli_reject("check", "--range '%s': expected MIN,MAX in metres, 0 <= MIN <= MAX, MAX > 0",
                   options->range);
        return false;
    }
    if (options->all) {
        cli_reject("check",
                   "--range is for the smallest gap and --all for every pair: give only one of them");
        return false;
    }
    out->near_enough = ends[0];
    out->far_enough = ends[1];
    return true;
}

int cli_run_check(const Options* options) {
    if (options->argument_count != 1) {
        if (options->argument_count == 0) {
            return cli_reject("check",
                              "which scene? usage: berth check SCENE [OPTIONS]; 'berth help check' has more");
        }
        return cli_reject("check", "expected one scene, not also '%s'", options->arguments[1]);
    }

    Question question;
    CheckJob job = {.question = &question, .def = berth_default_checker_def(), .row_count = 1};
    if (!read_request(options, &job.request) ||
        !question_read_checker_def("check", options, &job.def, &job.lab)) {
        return EXIT_WRONG;
    }

    int status = question_open(&question, "check", options);
    job.rows = question.values;
    if (status == EXIT_FREE) {
        status = options->states != NULL ? check_states(&job) : check_job(&job);
    }
    question_close(&question);
    return status;
}
