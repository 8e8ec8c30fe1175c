// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth plan: a motion from one state to another.
// Entry: cli_run_plan.

#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/plan/plan.h"
#include "view/report.h"

const char cli_plan_help[] =
    "SCENE is what berth check takes. S is joint values J=V,... (other joints keep the scene's state), "
    "the NAME of a state, or @FILE: the first row of a .csv or .npy of states. Without --from the motion "
    "starts in the scene's state (which --state and --at change). If --to is repeated, the motion may "
    "end in any of these states.\n"
    "\n"
    "found: a motion of straight lines between states, exactly from the start to a goal. Each line is "
    "proven free as berth path proves it, and the whole motion is proven once more at the end; "
    "--certificate keeps the proof for berth path --verify. The same --seed gives the same motion. none "
    "gives the reason: the start or every goal collides, or the time is used up, which does not mean "
    "that there is no motion.\n"
    "\n"
    "--goal-pose LINK=X,Y,Z,R,P,Y gives the pose of a link at the end, in the world; up to eight free "
    "states with this pose are taken as goals. --group moves only the joints of one SRDF group; the "
    "others keep their values at the start. --weights sets how much each joint counts in lengths.\n"
    "\n"
    "--planner prm keeps a roadmap from one problem of --problems to the next, if they have no objects "
    "of their own. These problems are solved one after the other, and each answer depends on the "
    "previous ones.\n"
    "\n"
    "--wrap lets continuous joints and planar angles end whole turns away from the goal, so that they "
    "can go the shorter way round. Rows are written unwrapped: use berth path without --wrap to read "
    "them as the motion that was proven.\n"
    "\n"
    "--timed gives the motion times and velocities: a trapezoidal speed profile along its lines within "
    "the scene's 'limits:' (or the URDF's velocity limits; a joint without an acceleration limit reaches "
    "full speed in 0.5 s, which is reported). Corners are rounded if that is proven free; otherwise the "
    "motion stops there. Values follow cubics between rows, as berth path and ROS controllers read the "
    "file by default. The proof is then about this motion.\n"
    "\n"
    "Joint limits are kept. Objects that may move (moving, person in the scene) are assumed to stay "
    "where the scene has them; the answer lists this in assumed.\n"
    "\n"
    "examples:\n"
    "  berth plan cell.yaml --from home --to joint1=1.2,joint4=-2 -o path.csv\n"
    "  berth plan cell.yaml --goal-pose hand=0.5,0,0.4,3.14159,0,0 -o path.csv\n"
    "  berth plan cell.yaml --from @start.csv --to pick --to place --margin 0.01 --json\n"
    "  berth plan cell.yaml --from home --to pick -o path.csv --certificate proof.txt\n"
    "  berth path cell.yaml path.csv --verify proof.txt\n"
    "  berth plan cell.yaml --from home --to pick --timed -o trajectory.json\n"
    "  berth plan panda.urdf --srdf panda.srdf --problems problems.jsonl --json --time 1\n"
    "\n"
    "with --json, one document, or with --problems one line per problem, with its name:\n"
    "  {\"verdict\": \"found\", \"planner\": \"rrt-connect\", \"seconds\": 0.0012, \"path\": [[0, "
    "-0.785], [0.3, 0.1]],\n"
    "   \"length\": 3.1, \"found_length\": 5.2, \"goal\": 0, \"clearance\": {\"lower\": 0.004, "
    "\"upper\": 0.005, ...},\n"
    "   \"certified\": true, \"margin\": 0, \"delta\": 0.0001, \"assumed\": [], \"declared\": [], "
    "\"proven\": 0,\n"
    "   \"stats\": {\"samples\": 31, \"states\": 24, \"edges\": 95, \"free_edges\": 40, "
    "\"layout_seconds\": 0.02, ...}}\n"
    "  {\"verdict\": \"none\", \"reason\": \"start_collision\", \"a\": \"hand\", \"b\": \"shelf\", "
    "\"point\": [0.4, 0.1, 0.5], ...}\n"
    "\n"
    "--timed adds \"times\": [0, 0.2], \"velocities\": [[0, 0], ...], one row each, \"duration\", "
    "\"corners\", \"blends\" and \"default_accelerations\".\n"
    "\n"
    "\"seconds\" is the time of searching and shortening; the times of making the planner and of proving "
    "the whole motion are in stats.\n"
    "\n"
    "exit status: 0 found, 1 start or goal collides, 2 wrong request or file (also a start or goal "
    "outside joint limits), 3 none found in time, or undecided (or --strict and something assumed), 4 "
    "the machine failed, 130 interrupted\n";

static const double DEFAULT_SECONDS = 10.0;

// ---- the request -----------------------------------------------------------------------------------------------

static int read_planner(const char* name, BerthPlannerKind* out) {
    char list[160] = "";
    size_t used = 0;
    for (int i = BERTH_PLANNER_DEFAULT + 1; i < BERTH_PLANNER_KIND_COUNT; ++i) {
        const char* known = berth_planner_name((BerthPlannerKind)i);
        if (strcmp(known, name) == 0) {
            *out = (BerthPlannerKind)i;
            return EXIT_FREE;
        }
        const int wrote = snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", known);
        used += wrote > 0 && (size_t)wrote < sizeof list - used ? (size_t)wrote : 0;
    }
    return cli_reject("plan", "--planner '%s': expected one of %s", name, list);
}

static int check_request(const Options* options) {
    if (options->argument_count == 0) {
        return cli_reject(
            "plan",
            "which scene? usage: berth plan SCENE --from S --to S [OPTIONS]; 'berth help plan' has more");
    }

    if (options->argument_count > 1) {
        return cli_reject("plan", "expected one scene, not also '%s'", options->arguments[1]);
    }

    if (options->plan.problems == NULL && options->plan.to.count == 0 &&
        options->plan.goal_poses.count == 0) {
        return cli_reject("plan", "where to? usage: berth plan SCENE --from S --to S, or --problems FILE");
    }

    if (options->plan.problems != NULL) {
        static const char* const single[] = {"from",        "to",     "goal-pose", "output",
                                             "certificate", "report", NULL};
        return cli_refuse_idle("plan", options, single,
                               "with --problems, which has its own starts and goals");
    }

    const char* output = options->output;
    const char* dot = output != NULL ? strrchr(output, '.') : NULL;
    if (output != NULL && (dot == NULL || (strcmp(dot, ".csv") != 0 && strcmp(dot, ".json") != 0))) {
        return cli_reject("plan", "-o '%s': expected a name ending in .csv or .json", output);
    }

    return EXIT_FREE;
}

static int read_request(const Options* options, PlanJob* job) {
    int status = check_request(options);
    job->def = berth_default_planner_def();
    job->def.margin = options->margin;
    job->def.self_margin = options->self_margin;
    job->def.delta = options->delta >= 0.0 ? options->delta : job->def.delta;
    job->def.seed = (uint64_t)options->seed;
    job->def.wrap = options->wrap;
    job->limit = options->time > 0.0 ? options->time : DEFAULT_SECONDS;
    if (status == EXIT_FREE && options->plan.planner != NULL) {
        status = read_planner(options->plan.planner, &job->def.kind);
    }

    if (status == EXIT_FREE) {
        status = cli_refuse_input_as_output(options, 0, options->output);
    }

    if (status == EXIT_FREE) {
        status = cli_refuse_input_as_output(options, 0, options->certificate);
    }

    if (status == EXIT_FREE) {
        status = cli_refuse_input_as_output(options, 0, options->report);
    }

    return status == EXIT_FREE ? files_check_writable(options->report) : status;
}

// ---- states ----------------------------------------------------------------------------------------------------

static int read_first_row(const Question* question, const char* file, double* values) {
    // A certificate is about the motion: a verifier does not read where its ends came from.
    BerthStates states;
    berth_io_files_keep_sums(question->io.files, false);
    const BerthStatus status = berth_io_read_states(file, question->scene, &question->io, &states);
    berth_io_files_keep_sums(question->io.files, question->options->certificate != NULL);
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }
    memcpy(values, states.values, (size_t)question->value_count * sizeof *values);
    berth_io_free_states(&states);
    return EXIT_FREE;
}

// The state of --from or --to; other joints keep the scene's state.
static int read_state(const Question* question, const char* option, const char* text, double* values) {
    memcpy(values, question->values, (size_t)question->value_count * sizeof *values);
    int status = EXIT_FREE;
    if (text[0] == '@') {
        status = read_first_row(question, text + 1, values);
    } else if (strchr(text, '=') != NULL) {
        const BerthStatus parsed = berth_io_parse_state(text, question->scene, values);
        if (parsed != BERTH_OK) {
            fprintf(stderr, "berth plan: --%s: ", option);
            status = cli_report_failure(parsed);
        }
    } else {
        status = cli_apply_named_state("plan", question->scene, text, values);
    }
    if (status != EXIT_FREE) {
        return status;
    }

    OutsideRows outside;
    const BerthStatus found = question_find_outside(question, values, 1, &outside);
    if (found != BERTH_OK) {
        fprintf(stderr, "berth plan: --%s: ", option);
        return cli_report_failure(found);
    }
    return outside.count == 0 ? EXIT_FREE : cli_reject("plan", "--%s %s: %s", option, text, outside.what);
}

// ---- one question ----------------------------------------------------------------------------------------------

// The motion as a trajectory that borrows its arrays.
static BerthTrajectory trajectory_of(const PlanAnswer* answer) {
    const bool timed = answer->timed.row_count > 0;
    return (BerthTrajectory){.row_count = answer->result.row_count,
                             .value_count = berth_scene_value_count(answer->scene),
                             .positions = (double*)(uintptr_t)answer->result.rows,
                             .velocities = timed ? (double*)(uintptr_t)answer->timed.velocities : NULL,
                             .times = timed ? (double*)(uintptr_t)answer->timed.times : NULL,
                             .path = (char*)(uintptr_t) "the motion that was found"};
}

// --report: the same answer, for people who did not see the run.
static int write_report(const PlanAnswer* answer) {
    Question* question = answer->job->question;
    const char* file = question->options->arguments[0];
    Report report = {.command = "plan", .title = file};
    Text words = {0}, numbers = {0};
    plan_text_answer(&words, answer);
    plan_json_answer(&numbers, answer);

    int status = EXIT_FREE;
    if (words.failed || numbers.failed) {
        status = cli_out_of_memory();
    } else {
        const BerthTrajectory motion = trajectory_of(answer);
        report_words(&report, words.data);
        report_numbers(&report, numbers.data);
        report_view(&report, &(ReportView){.question = question,
                                           .trajectory = answer->result.found ? &motion : NULL,
                                           .interpolation = motion.times != NULL ? BERTH_INTERPOLATION_CUBIC
                                                                                 : BERTH_INTERPOLATION_LINEAR,
                                           .title = file,
                                           .profile = true,
                                           .visuals = answer->job->visuals});
        status = report_write(&report, question->options->report);
    }
    text_free(&words);
    text_free(&numbers);
    report_free(&report);
    return status;
}

static int write_all(const PlanJob* job, const PlanAnswer* answer) {
    const Options* options = job->question->options;
    Text text = {0};
    plan_write_answer(&text, answer);
    text_wrote(&text, options, options->report);
    int status = EXIT_FREE;
    if (options->output != NULL) {
        status = plan_write_motion(answer);
    }

    if (status == EXIT_FREE && options->certificate != NULL) {
        status = plan_write_certificate(answer);
    }

    if (status == EXIT_FREE && options->report != NULL) {
        status = write_report(answer);
    }

    if (status == EXIT_FREE) {
        status = files_commit();
    }

    const int wrote = status == EXIT_FREE ? cli_write_output(&text) : status;
    text_free(&text);
    if (wrote != EXIT_FREE) {
        return wrote;
    }

    const AnswerCounts counts = answer_counts_of(plan_verdict(answer), 0, answer->proof.proven_count);
    return question_exit_status(job->question, &counts, 0);
}

static int ask(const PlanJob* job, const double* start, double* goals) {
    Question* question = job->question;
    Progress progress = {.start = cli_seconds()};
    PlanAnswer answer = {.job = job,
                         .scene = question->scene,
                         .start = start,
                         .goals = goals,
                         .goal_count = question->options->plan.to.count,
                         .progress = &progress};
    cli_end_loading();
    const BerthStatus asked = plan_ask(&answer);
    progress_end(&progress);
    const int status = asked == BERTH_OK ? write_all(job, &answer) : cli_report_failure(asked);
    plan_close(&answer);
    return status;
}

static int plan_single(const PlanJob* job) {
    Question* question = job->question;
    const PlanOptions* options = &question->options->plan;
    const size_t values = (size_t)question->value_count;
    double* rows = calloc(values * (size_t)(options->to.count + 1 + PLAN_POSE_STATES * job->pose_count) + 1,
                          sizeof *rows);
    if (rows == NULL) {
        return cli_out_of_memory();
    }

    int status = EXIT_FREE;
    if (options->from != NULL) {
        status = read_state(question, "from", options->from, rows);
    } else {
        memcpy(rows, question->values, values * sizeof *rows);
    }
    for (int i = 0; i < options->to.count && status == EXIT_FREE; ++i) {
        status = read_state(question, "to", options->to.items[i], rows + values * (size_t)(i + 1));
    }
    if (status == EXIT_FREE) {
        plan_hold_rest(job, rows, rows + values, options->to.count);
        status = ask(job, rows, rows + values);
    }
    free(rows);
    return status;
}

int cli_run_plan(const Options* options) {
    Question question;
    PlanJob job = {.question = &question};
    int status = read_request(options, &job);
    if (status != EXIT_FREE) {
        return status;
    }

    ViewVisuals visuals = {0};
    const BerthIoOptions told = visuals_told(&visuals);
    job.visuals = &visuals;
    status = question_open_told(&question, "plan", options, options->report != NULL ? &told : NULL);
    if (status == EXIT_FREE) {
        status = question_set_scene_state(&question);
    }
    if (status == EXIT_FREE) {
        status = plan_read_group_and_weights(&job);
    }
    if (status == EXIT_FREE) {
        status = plan_read_poses(&job);
    }
    if (status == EXIT_FREE) {
        status = options->plan.problems != NULL ? plan_problems(&job) : plan_single(&job);
    }
    question_close(&question);
    visuals_free(&visuals);
    free(job.moves);
    free(job.weights);
    return status;
}
