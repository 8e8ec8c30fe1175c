// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// `berth plan --problems FILE`: many problems, each with its own objects, on many threads. Each thread has its own scene,
// because every problem edits it.
// Entry: plan_problems.

#include <stdlib.h>
#include <string.h>

#include "cli/plan/plan.h"

/// About how many checks a planner makes.
enum { EDGES_A_PROBLEM = 500 };
static const char OUT_OF_REACH[] = "out of reach, of no robot or file";

typedef struct Problems {
    PlanJob* job;
    const char* file;
    BerthProblemLines lines;
    AnswerCounts counts;
} Problems;

/// A thread's scene, and a SIMD layout of its robots alone, after which each problem's layout is modelled.
typedef struct Tools {
    BerthScene* scene;
    BerthScene* robots;
    BerthLanes* lanes;
    PlanTools kept;  // --planner prm: kept from previous problems without objects of their own
} Tools;

static BerthStatus read_problem(const Problems* problems, const BerthIoOptions* io, BerthScene* scene,
                                int32_t item, BerthProblem* out) {
    const BerthProblemLines* lines = &problems->lines;
    const BerthProblemText line = {lines->text + lines->starts[item], lines->lengths[item], problems->file,
                                   lines->numbers[item]};
    return berth_io_read_problem(&line, io, scene, out);
}

// A start or goal outside joint limits makes the file wrong.
static int check_limits(const Problems* problems, const BerthProblem* problem, int32_t item) {
    const Question* question = problems->job->question;
    for (int32_t i = -1; i < problem->goal_count; ++i) {
        const double* state =
            i < 0 ? problem->start : problem->goals + (size_t)i * (size_t)problem->value_count;
        OutsideRows outside;
        const BerthStatus status = question_find_outside(question, state, 1, &outside);
        if (status != BERTH_OK) {
            return cli_report_failure(status);
        }
        if (outside.count > 0) {
            fprintf(stderr, "%s:%d: %s: %s: %s\n", problems->file, (int)problems->lines.numbers[item],
                    problem->name, i < 0 ? "start" : "goal", outside.what);
            return EXIT_WRONG;
        }
    }

    if (problem->goal_count == 0) {
        fprintf(stderr, "%s:%d: %s: goals: at least one is expected\n", problems->file,
                (int)problems->lines.numbers[item], problem->name);
        return EXIT_WRONG;
    }

    return EXIT_FREE;
}

// The whole file is read before the first answer: a wrong line is an error, not half an answer.
static int check_all(const Problems* problems) {
    const Question* question = problems->job->question;
    int status = EXIT_FREE;
    for (int32_t i = 0; i < problems->lines.count && status == EXIT_FREE; ++i) {
        BerthProblem problem;
        const BerthStatus read = read_problem(problems, &question->io, question->scene, i, &problem);
        status = read == BERTH_OK ? check_limits(problems, &problem, i) : cli_report_failure(read);
        berth_io_free_problem(question->scene, &problem);
    }
    return status;
}

// ---- answers ---------------------------------------------------------------------------------------------------

// Warnings and progress of the main thread need not be repeated. The progress shown is that of answer_run: problems done.
static BerthIoOptions quiet_io(const Question* question) {
    BerthIoOptions io = question->io;
    io.warn = NULL;
    io.files = NULL;
    io.progress = NULL;
    return io;
}

static void close_worker(void* user, void* given) {
    (void)user;
    Tools* tools = given;
    if (tools != NULL) {
        plan_free_tools(&tools->kept);
        berth_lanes_destroy(tools->lanes);
        berth_scene_destroy(tools->robots);
        berth_scene_destroy(tools->scene);
    }
    free(tools);
}

static bool holds_objects(const BerthScene* scene) {
    for (int32_t i = 0; i < berth_scene_object_count(scene); ++i) {
        BerthObjectInfo info;
        if (berth_scene_object(scene, berth_scene_object_at(scene, i), &info) == BERTH_OK &&
            info.robot >= 0) {
            return true;
        }
    }
    return false;
}

// A scene of the same robots and a box out of reach, because links that cannot touch anything are not laid out. The box
// is rotated, as objects in most cells are: layouts match only if both or neither have the world's axes.
static BerthStatus copy_robots(const BerthScene* scene, BerthScene** out) {
    BerthStatus status = berth_scene_create(NULL, out);
    for (int32_t i = 0; i < berth_scene_robot_count(scene) && status == BERTH_OK; ++i) {
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        // The scene only reads it: a robot is constant once built.
        def.robot = (BerthRobot*)(uintptr_t)berth_scene_robot(scene, i, &def.name, &def.world_from_base);
        def.padding = berth_scene_padding(scene, i);
        status = berth_scene_add_robot(*out, &def, NULL);
    }
    if (status == BERTH_OK) {
        const BerthPose turned = berth_pose_from_rpy((BerthVec3){0.0, 0.0, 1e3}, (BerthVec3){0.0, 0.0, 0.6});
        status = berth_scene_add_box(*out, OUT_OF_REACH, (BerthVec3){1e-3, 1e-3, 1e-3}, &turned, NULL);
    }
    return status == BERTH_OK ? berth_scene_commit(*out) : status;
}

// Covering robots with balls pays off if there are enough problems and the robots hold the same objects in all of them.
static BerthStatus make_lanes(const Problems* problems, Tools* tools) {
    const PlanJob* job = problems->job;
    const int64_t edges = (int64_t)EDGES_A_PROBLEM * problems->lines.count;
    if (!berth_lanes_pay(tools->scene, 0, edges) || holds_objects(tools->scene)) {
        return BERTH_OK;
    }

    BerthLanesDef def = berth_default_lanes_def();
    def.margin = job->def.margin;
    def.self_margin = job->def.self_margin;
    def.expected_segments = edges;
    const BerthStatus status = copy_robots(tools->scene, &tools->robots);
    return status == BERTH_OK ? berth_lanes_create(tools->robots, &def, &tools->lanes) : status;
}

static BerthStatus open_worker(void* user, void** out) {
    const Problems* problems = user;
    const Question* question = problems->job->question;
    Tools* tools = calloc(1, sizeof *tools);
    if (tools == NULL) {
        return BERTH_ERR_MEMORY;
    }

    const BerthIoOptions io = quiet_io(question);
    BerthStatus status = berth_io_read_scene(question->options->arguments[0], &io, &tools->scene);
    if (status == BERTH_OK && question->value_count > 0) {
        status = berth_scene_set_values(tools->scene, question->values);
    }
    if (status == BERTH_OK) {
        status = make_lanes(problems, tools);
    }

    if (status != BERTH_OK) {
        close_worker(user, tools);
        return status;
    }
    *out = tools;
    return BERTH_OK;
}

// A roadmap is kept. Its contents depend on the previous problems, so they are solved one after the other, by one thread.
static bool keeps_planner(const Problems* problems) {
    return problems->job->def.kind == BERTH_PLANNER_PRM;
}

static BerthStatus answer_problem(void* user, void* given, int32_t item, Text* text, void* counts,
                                  ChunkEnd* end) {
    const Problems* problems = user;
    Tools* tools = given;
    const BerthIoOptions io = quiet_io(problems->job->question);
    BerthProblem problem;
    BerthStatus status = read_problem(problems, &io, tools->scene, item, &problem);
    if (status != BERTH_OK) {
        return status;
    }

    PlanAnswer answer = {.job = problems->job,
                         .scene = tools->scene,
                         .like = tools->lanes,
                         .name = problem.name,
                         .start = problem.start,
                         .goals = problem.goals,
                         .goal_count = problem.goal_count};
    if (keeps_planner(problems)) {
        if (problem.object_count > 0) {
            plan_free_tools(&tools->kept);  // the scene has changed since then
        } else {
            answer.kept = &tools->kept;
        }
    }
    plan_hold_rest(problems->job, problem.start, problem.goals, problem.goal_count);
    status = plan_ask(&answer);
    if (status == BERTH_OK) {
        plan_write_answer(text, &answer);
        const AnswerCounts one = answer_counts_of(plan_verdict(&answer), 0, answer.proof.proven_count);
        answer_counts_add(counts, &one);
    } else if (status == BERTH_ERR_CANCELLED && cli_interrupted()) {
        *end = CHUNK_CUT;
        status = BERTH_OK;
    }
    plan_close(&answer);
    berth_io_free_problem(tools->scene, &problem);
    return status;
}

static int64_t add_counts(void* user, const void* counts) {
    Problems* problems = user;
    answer_counts_add(&problems->counts, counts);
    return problems->counts.done;
}

static int answer_all(Problems* problems) {
    const AnswerCounts empty = {0};
    const Question* question = problems->job->question;
    AnswerRun run = {.question = question,
                     .user = problems,
                     .items = "problems",
                     .item_count = problems->lines.count,
                     .chunk_size = keeps_planner(problems) ? problems->lines.count : 1,
                     .empty_counts = &empty,
                     .counts_size = sizeof empty,
                     .open_worker = open_worker,
                     .close_worker = close_worker,
                     .answer = answer_problem,
                     .add_counts = add_counts};
    const int status = answer_run(&run);
    if (status == EXIT_INTERRUPTED) {
        return question_report_interrupt(question, problems->counts.done, problems->lines.count, "problems");
    }

    return status == EXIT_FREE ? question_exit_status(question, &problems->counts, 0) : status;
}

int plan_problems(PlanJob* job) {
    const Question* question = job->question;
    Problems problems = {.job = job, .file = question->options->plan.problems};
    const BerthStatus read = berth_io_read_problem_lines(problems.file, &question->io, &problems.lines);
    int status = cli_exit_status(read);
    if (status == EXIT_FREE) {
        status = check_all(&problems);
    }

    if (status == EXIT_FREE) {
        // The assumptions listed are those of the scene without the problems' objects.
        status = cli_exit_status(berth_scene_commit(question->scene));
    }

    if (status == EXIT_FREE) {
        status = answer_all(&problems);
    }

    berth_io_free_problem_lines(&problems.lines);
    return status;
}
