// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth path: a trajectory, or many segments, against a scene.
// Entries: path_write_line, path_write_answer, cli_run_path.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/path/path.h"
#include "view/report.h"

const char cli_path_help[] =
    "SCENE is what berth check takes. TRAJECTORY is a .csv with a header of joint names and optionally "
    "time, or JSON or YAML of trajectory_msgs/JointTrajectory (also MoveIt's RobotTrajectory). Columns "
    "are matched to joints by name; a joint without a column keeps the value of the scene's state, or of "
    "--state and --at. Several files with different joints (one per robot) are one motion over their "
    "time; a robot that has arrived waits. With --segments FILE there is no TRAJECTORY.\n"
    "\n"
    "Between rows, values are interpolated as a ROS joint trajectory controller does: straight lines if "
    "there are only positions, cubics if velocities are given (JOINT:velocity), quintics if "
    "accelerations are given too. --interpolation overrides this; the answer names the interpolation "
    "used.\n"
    "\n"
    "free is proven: at all of the infinitely many configurations of the motion, every pair that may not "
    "touch has gap > margin. collision has a witness: a pair of bodies, a segment, and t from 0 to 1 on "
    "it. unknown is neither: treat it as a collision. There is no resolution to choose.\n"
    "\n"
    "Objects that may move (moving, person in the scene) are assumed to stay where the scene has them; "
    "the answer lists this in assumed. With --moving reach, each such object is everywhere it can have "
    "got to since the start, turning included, and nothing is assumed about it. This needs time in the "
    "trajectory.\n"
    "\n"
    "examples:\n"
    "  berth path cell.yaml path.csv\n"
    "  berth path cell.yaml plan.json --margin 0.01 --tracking-error 0.005\n"
    "  berth path cell.yaml left.csv right.csv\n"
    "  berth path cell.yaml path.csv --first-contact --json\n"
    "  berth path panda.urdf --srdf panda.srdf --segments edges.npy --summary --json --threads 4\n"
    "  berth path cell.yaml timed.csv --moving reach\n"
    "  berth path cell.yaml path.csv --certificate proof.txt\n"
    "  berth path cell.yaml path.csv --verify proof.txt\n"
    "\n"
    "with --json, one document:\n"
    "  {\"verdict\": \"free\", \"clearance\": {\"lower\": 0.0021, \"upper\": 0.0023, \"a\": \"hand\", "
    "\"b\": \"shelf\",\n"
    "   \"segment\": 3, \"t\": 0.5, \"point_a\": [0.4, 0.1, 0.5], \"point_b\": [0.4, 0.1, 0.5023],\n"
    "   \"self\": {\"lower\": 0.04, \"upper\": 0.05}, \"environment\": {\"lower\": 0.0021, \"upper\": "
    "0.0023}},\n"
    "   \"margin\": 0, \"delta\": 0.0001, \"segments\": 41,\n"
    "   \"interpolation\": \"cubic\", \"assumed\": [], \"declared\": [], \"proven\": 0, \"stats\": "
    "{\"configurations\": 913, \"pairs\": 77, \"bv_tests\": 15201, \"seconds\": 0.004, ...}}\n"
    "  {\"verdict\": \"collision\", \"segment\": 17, \"t\": 0.4375, \"state\": [0.1, 0.2], \"a\": "
    "\"hand\", \"b\": \"shelf\",\n"
    "   \"point\": [0.4, 0.1, 0.5], ...}\n"
    "  {\"verdict\": \"unknown\", \"segment\": 18, \"reason\": \"too_close\", \"t\": [0.25, 0.2501], "
    "\"a\": \"hand\", ...}\n"
    "\n"
    "with --segments one such line per segment, or with --summary one line:\n"
    "  {\"segments\": 3, \"free\": 1, \"collisions\": 1, \"unknown\": 1, \"seconds\": 0.0001, "
    "\"assumed\": []}\n"
    "\n"
    "--method fixed proves nothing: {\"verdict\": \"unknown\", \"sampled\": \"free\", ...} if it found "
    "no collision.\n"
    "\n"
    "exit status: 0 free, 1 any collision, 2 wrong request or file, 3 no collision but something unknown "
    "(or --strict and something assumed), 4 the machine failed, 130 interrupted (finished lines are "
    "printed)\n";

// ---- the request ---------------------------------------------------------------------------------------------

// The index of `name` in `names` (ends with null), or -1 after a message.
static int choose_word(const char* option, const char* name, const char* const* names) {
    char list[160] = "";
    size_t used = 0;
    for (int i = 0; names[i] != NULL; ++i) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
        const int wrote = snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
        used += wrote > 0 && (size_t)wrote < sizeof list - used ? (size_t)wrote : 0;
    }

    (void)cli_reject("path", "--%s '%s': expected one of %s", option, name, list);
    return -1;
}

static int read_request(const Options* options, PathJob* job) {
    static const char* const methods[] = {"second-order", "adaptive", "refined", "fixed", NULL};
    static const char* const interpolations[] = {"linear", "cubic", "quintic", NULL};
    static const char* const movings[] = {"stand", "reach", NULL};

    job->def = berth_default_motion_checker_def();

    if (options->method != NULL) {
        const int method = choose_word("method", options->method, methods);
        if (method < 0) {
            return EXIT_WRONG;
        }
        job->def.method = (BerthMethod)(BERTH_METHOD_SECOND_ORDER + method);
    }
    if (!question_read_motion_def("path", options, &job->def, &job->lab)) {
        return EXIT_WRONG;
    }

    if (options->interpolation != NULL) {
        const int chosen = choose_word("interpolation", options->interpolation, interpolations);
        if (chosen < 0) {
            return EXIT_WRONG;
        }
        job->interpolation = (BerthInterpolation)chosen;
        if (chosen != BERTH_INTERPOLATION_LINEAR && options->segments != NULL) {
            return cli_reject("path", "--interpolation %s: segments are straight lines",
                              options->interpolation);
        }
    }

    if (options->moving != NULL) {
        const int chosen = choose_word("moving", options->moving, movings);
        if (chosen < 0) {
            return EXIT_WRONG;
        }
        job->def.moving = (BerthMoving)chosen;
        if (job->def.moving == BERTH_MOVING_REACH && options->segments != NULL) {
            return cli_reject("path",
                              "--moving reach: --segments have no time, and how far objects get depends "
                              "on it; give a trajectory with times");
        }
    }

    if (options->resolution >= 0.0) {
        if (job->def.method != BERTH_METHOD_FIXED) {
            return cli_reject(
                "path", "--resolution is only for --method fixed; the other methods have no resolution");
        }
        job->def.resolution = options->resolution;
    }

    // Options that have no effect with others, or contradict each other.
    static const char* const searched[] = {"method", "delta", "first-contact", "resolution", NULL};
    if (options->verify != NULL &&
        cli_refuse_idle("path", options, searched, "with --verify, which does not search") != EXIT_FREE) {
        return EXIT_WRONG;
    }
    if (options->certificate != NULL && options->verify != NULL) {
        return cli_reject("path",
                          "--certificate writes a proof and --verify checks one: give only one of them");
    }
    if (options->engine != NULL && options->verify != NULL) {
        return cli_reject("path", "--engine: --verify does not use the search or its trees");
    }
    if (options->certificate != NULL && job->def.method == BERTH_METHOD_FIXED) {
        return cli_reject("path", "--certificate: --method fixed samples and proves nothing");
    }
    if (options->no_clearance && (options->verify != NULL || options->summary)) {
        return cli_reject("path", "--no-clearance: %s does not search for a clearance",
                          options->verify != NULL ? "--verify" : "--summary");
    }
    if (options->all && (options->segments != NULL || options->summary || options->verify != NULL)) {
        return cli_reject("path", "--all is for a trajectory; --segments reports every segment anyway");
    }
    if (options->time > 0.0 && options->verify != NULL) {
        return cli_reject("path", "--time: a certificate is verified whole or not at all");
    }
    if (options->first_contact && job->def.method == BERTH_METHOD_FIXED) {
        return cli_reject("path", "--first-contact needs a method that proves; --method fixed only samples");
    }

    // Text output always reports the first contact; a program requests it. Samples cannot show it.
    job->first_contact = options->first_contact || (!options->json && options->segments == NULL &&
                                                    job->def.method != BERTH_METHOD_FIXED);
    return EXIT_FREE;
}

static bool read_error(const char* text, size_t length, double* out) {
    char copy[64];
    if (length == 0 || length >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    char* end = NULL;
    *out = strtod(copy, &end);
    return *end == '\0' && copy[strspn(copy, "0123456789.eE+-")] == '\0' && *out >= 0.0 && *out <= 1e6;
}

// "0.01", or "joint1=0.01,joint2=0.02". Joints that are not named have no error.
static int read_tracking_error(const char* text, const BerthScene* scene, double* errors) {
    const int32_t count = berth_scene_value_count(scene);

    // One number for all joints.
    if (strchr(text, '=') == NULL) {
        double all = 0.0;
        if (!read_error(text, strlen(text), &all)) {
            return cli_reject(
                "path", "--tracking-error '%s': expected a number, 0 or more, or JOINT=NUMBER,...", text);
        }
        for (int32_t i = 0; i < count; ++i) {
            errors[i] = all;
        }
        return EXIT_FREE;
    }

    // One number per joint; -1 marks joints not named yet.
    for (int32_t i = 0; i < count; ++i) {
        errors[i] = -1.0;
    }
    for (const char* item = text;; ++item) {
        const size_t length = strcspn(item, ",");
        size_t equals = length;
        while (equals > 0 && item[equals - 1] != '=') {
            --equals;
        }
        char name[512];
        (void)snprintf(name, sizeof name, "%.*s", equals > 0 ? (int)equals - 1 : 0, item);

        const int32_t value = berth_scene_find_value(scene, name);
        if (value < 0) {
            return cli_reject("path", "--tracking-error '%.*s': there is no joint '%s'", (int)length, item,
                              name);
        }

        if (errors[value] >= 0.0) {
            return cli_reject("path", "--tracking-error: joint '%s' appears twice", name);
        }
        if (!read_error(item + equals, length - equals, &errors[value])) {
            return cli_reject("path", "--tracking-error '%.*s': expected a number, 0 or more", (int)length,
                              item);
        }

        item += length;
        if (*item == '\0') {
            break;
        }
    }

    for (int32_t i = 0; i < count; ++i) {
        errors[i] = errors[i] >= 0.0 ? errors[i] : 0.0;
    }
    return EXIT_FREE;
}

// ---- before the first answer -----------------------------------------------------------------------------------

static const double* row_values(const PathJob* job, int32_t row) {
    const double* rows = job->trajectory != NULL ? job->trajectory->positions : job->segments->values;
    return rows + (size_t)row * (size_t)job->question->value_count;
}

// "FILE:LINE" or "FILE: byte N" of a row; "FILES: at S s" if several were merged.
static void name_row(const PathJob* job, int32_t row, char* text, size_t size) {
    if (job->trajectory != NULL && job->trajectory->curves != NULL) {
        (void)snprintf(text, size, "%s: at %.9g s", job->file, job->trajectory->times[row]);
        return;
    }

    const bool binary = job->trajectory != NULL ? job->trajectory->binary : job->segments->binary;
    const int64_t place =
        job->trajectory != NULL ? job->trajectory->lines[row] : job->segments->lines[row / 2];
    (void)snprintf(text, size, binary ? "%s: byte %lld" : "%s:%lld", job->file, (long long)place);
}

// Warns about rows outside limits, or refuses them with --limits.
static int check_limits(const PathJob* job) {
    const int32_t rows =
        job->trajectory != NULL ? job->trajectory->row_count : 2 * job->segments->segment_count;
    OutsideRows outside;
    const BerthStatus status = question_find_outside(job->question, row_values(job, 0), rows, &outside);
    if (status != BERTH_OK) {
        return cli_report_failure(status);  // already checked when it was read
    }
    if (outside.count == 0) {
        return EXIT_FREE;
    }

    char place[1100], first[1600], all[2200];
    name_row(job, outside.first_row, place, sizeof place);
    (void)snprintf(first, sizeof first, "%s: %s", place, outside.what);
    (void)snprintf(all, sizeof all, "%s; %lld more of the %d %s have values outside limits", first,
                   (long long)outside.count - 1, (int)rows,
                   job->trajectory != NULL ? "rows" : "ends of segments");
    return question_report_outside(job->question, first, outside.count > 1 ? all : first);
}

// Finds curves that cannot be made before any segment is checked.
static int check_curves(const PathJob* job) {
    if (job->interpolation == BERTH_INTERPOLATION_LINEAR || job->merged) {
        return EXIT_FREE;
    }

    BerthCurve* curves = calloc((size_t)job->question->value_count + 1, sizeof *curves);
    BerthStatus status = curves != NULL ? BERTH_OK : BERTH_ERR_MEMORY;
    for (int32_t i = 0; i < job->segment_count && status == BERTH_OK; ++i) {
        BerthSegment segment;
        status = path_segment(job, i, curves, &segment);
    }
    free(curves);
    return status == BERTH_ERR_MEMORY ? cli_out_of_memory() : cli_exit_status(status);
}

// Checks the first state with the static check; with --moving reach as a motion that has not begun.
static BerthStatus find_start(PathJob* job, BerthMotionResult* out) {
    if (job->def.moving == BERTH_MOVING_REACH) {
        return path_find_start_hit(job, out);
    }

    *out = (BerthMotionResult){.body_a = -1, .body_b = -1};
    BerthCheckerDef def = berth_default_checker_def();
    def.margin = job->def.margin;
    def.self_margin = job->def.self_margin;
    const BerthCheckerLab lab = {.engine = job->lab.engine};
    def.lab = &lab;
    BerthChecker* checker = NULL;
    BerthCheckResult result;
    const BerthCheckRequest request = {.distance = false};

    BerthStatus status = berth_checker_create(job->question->scene, &def, &checker);
    if (status == BERTH_OK) {
        status = berth_check_state(checker, row_values(job, 0), &request, &result);
    }

    if (status == BERTH_OK && result.verdict == BERTH_COLLISION && result.hit_count > 0) {
        const BerthHit* hit = &result.hits[0];
        out->verdict = BERTH_COLLISION;
        out->body_a = hit->body_a;
        out->body_b = hit->body_b;
        out->point = hit->point;
        out->proven_count = result.proven_count;
        out->stats = (BerthMotionStats){.configurations = 1, .counters = result.counters};
    }

    berth_checker_destroy(checker);
    return status;
}

// Reports a motion that begins in collision as such: other witnesses on the first segment would hide it.
static int check_start(PathJob* job) {
    const double start = cli_seconds();
    BerthMotionResult found;
    const BerthStatus status = find_start(job, &found);

    if (status == BERTH_OK && found.verdict == BERTH_COLLISION) {
        (void)berth_scene_check_values(job->question->scene, row_values(job, 0), &found.outside_limits, NULL);
        job->starts_in_collision = true;

        PathCounts one = path_empty_counts();
        one.answers = answer_counts_of(BERTH_COLLISION, found.outside_limits, found.proven_count);
        one.stats = found.stats;
        one.hit = (PathFinding){true, 0, found};

        path_add_counts(&job->counts, &one);
        job->seconds = cli_seconds() - start;
    }
    return cli_exit_status(status);
}

// ---- the answer ------------------------------------------------------------------------------------------------

void path_write_line(Text* text, const PathJob* job, int32_t segment, const BerthMotionResult* result) {
    if (job->question->options->json) {
        path_json_line(text, job, segment, result);
    } else {
        path_text_line(text, job, segment, result);
    }
}

void path_write_answer(Text* text, const PathJob* job) {
    if (!job->question->options->json) {
        path_text_answer(text, job);
    } else if (job->question->options->summary) {
        question_json_summary(text, job->question, &job->counts.answers, "segments", job->seconds,
                              job->interpolation_name, job->late_count);
    } else if (job->segments == NULL) {
        path_json_answer(text, job);
    }
}

static int exit_status(const PathJob* job) {
    return question_exit_status(job->question, &job->counts.answers, job->late_count);
}

static int report_interrupt(const PathJob* job) {
    return question_report_interrupt(job->question, job->counts.answers.done, job->segment_count, "segments");
}

// --report: the same answer, for people who did not see the run.
static int write_report(const PathJob* job) {
    const char* file = job->question->options->arguments[0];
    Report report = {.command = "path", .title = file};
    Text words = {0}, numbers = {0};
    path_text_answer(&words, job);
    path_json_answer(&numbers, job);

    int status = EXIT_FREE;
    if (words.failed || numbers.failed) {
        status = cli_out_of_memory();
    } else {
        report_words(&report, words.data);
        report_numbers(&report, numbers.data);
        report_view(&report, &(ReportView){.question = job->question,
                                           .trajectory = job->trajectory,
                                           .interpolation = job->interpolation,
                                           .title = file,
                                           .profile = true,
                                           .visuals = job->visuals});
        status = report_write(&report, job->question->options->report);
    }
    text_free(&words);
    text_free(&numbers);
    report_free(&report);
    return status;
}

static int write_answer(PathJob* job, bool rows_outside) {
    if (job->counts.answers.outside_count > 0 && !rows_outside) {
        char text[1200];
        (void)snprintf(text, sizeof text, "%s: values leave joint limits between rows", job->file);
        const int status = question_report_outside(job->question, text, text);
        if (status != EXIT_FREE) {
            return status;
        }
    }

    if (job->question->options->report != NULL) {
        const int reported = write_report(job);
        if (reported != EXIT_FREE) {
            return reported;
        }
    }

    Text text = {0};
    path_write_answer(&text, job);
    text_wrote(&text, job->question->options, job->question->options->report);
    const int wrote = cli_write_output(&text);
    text_free(&text);
    return wrote != EXIT_FREE ? wrote : exit_status(job);
}

static int check_job(PathJob* job) {
    job->counts = path_empty_counts();
    int status = check_curves(job);
    if (status != EXIT_FREE) {
        return status;
    }

    const int warned = job->question->warnings.count;
    status = check_limits(job);
    const bool rows_outside = job->question->warnings.count > warned;
    if (status == EXIT_FREE && job->question->options->verify != NULL) {
        status = path_verify_certificate(job);
        return status == EXIT_FREE ? exit_status(job) : status;
    }

    if (status == EXIT_FREE && job->question->options->all) {
        job->all = calloc((size_t)job->segment_count + 1, sizeof *job->all);
        status = job->all != NULL ? EXIT_FREE : cli_out_of_memory();
    } else if (status == EXIT_FREE && job->trajectory != NULL && !job->question->options->summary) {
        status = check_start(job);
    }

    if (status == EXIT_FREE && cli_interrupted()) {
        return report_interrupt(job);
    }
    if (status == EXIT_FREE && !job->starts_in_collision) {
        status = path_run(job);
    }

    if (status == EXIT_INTERRUPTED) {
        // Lines of finished segments have been printed, and the counts are about them. There is no partial answer for a
        // trajectory.
        Text text = {0};
        if (job->segments != NULL || job->question->options->summary) {
            path_write_answer(&text, job);
        }
        const int wrote = cli_write_output(&text);
        text_free(&text);
        return wrote != EXIT_FREE ? wrote : report_interrupt(job);
    }

    if (status == EXIT_FREE && job->question->options->certificate != NULL) {
        status = path_write_certificate(job);
    }

    return status == EXIT_FREE ? write_answer(job, rows_outside) : status;
}

// ---- files -----------------------------------------------------------------------------------------------------

static BerthStatus read_trajectory(const PathJob* job, const char* file, BerthTrajectory* out,
                                   BerthInterpolation* interpolation) {
    const Question* question = job->question;
    BerthStatus status = berth_io_read_trajectory(file, question->scene, &question->io, out);
    if (status == BERTH_OK && question->options->wrap) {
        status = berth_trajectory_wrap(out, question->scene);
    }

    *interpolation = job->interpolation;
    if (status == BERTH_OK && question->options->interpolation == NULL) {
        status = berth_trajectory_interpolation(out, interpolation);
    }
    return status;
}

// "cubic", or "linear, cubic" in the order of the files if they differ.
static void name_interpolations(PathJob* job, const BerthInterpolation* each, int count) {
    bool differ = false;
    for (int i = 1; i < count; ++i) {
        differ |= each[i] != each[0];
    }

    size_t used = 0;
    for (int i = 0; i < (differ ? count : 1); ++i) {
        const int wrote = snprintf(job->interpolation_name + used, sizeof job->interpolation_name - used,
                                   "%s%s", i > 0 ? ", " : "", berth_interpolation_name(each[i]));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

// A file that begins later than others does not say where its robot is before: it is assumed to stand.
static void note_late_starts(PathJob* job, const BerthTrajectory* parts, int count) {
    double first = INFINITY;
    for (int i = 0; i < count; ++i) {
        first = fmin(first, parts[i].times[0]);
    }

    for (int i = 0; i < count; ++i) {
        if (parts[i].times[0] > first) {
            char text[1200];
            (void)snprintf(text, sizeof text,
                           "%.1000s: it begins at %g s, another one at %g s: until then its joints are "
                           "assumed to stand in "
                           "its first row",
                           parts[i].path, parts[i].times[0], first);
            ++job->late_count;
            warnings_add(&job->question->warnings, text);
        }
    }
}

static int check_rows(PathJob* job, const BerthTrajectory* trajectory) {
    job->file = trajectory->path;
    job->trajectory = trajectory;
    job->segment_count = berth_trajectory_segment_count(trajectory);
    const int status = path_check_times(job);
    return status == EXIT_FREE ? check_job(job) : status;
}

static int check_merged(PathJob* job, const BerthTrajectory* parts, const BerthInterpolation* each,
                        int count) {
    BerthTrajectory merged;
    const BerthStatus made = berth_trajectory_merge(parts, each, count, job->question->scene, &merged);
    int status = cli_exit_status(made);
    if (status == EXIT_FREE) {
        job->merged = true;
        note_late_starts(job, parts, count);
        status = check_rows(job, &merged);
    }
    berth_io_free_trajectory(&merged);
    return status;
}

static int check_trajectories(PathJob* job) {
    const Options* options = job->question->options;
    const int count = options->argument_count - 1;
    BerthTrajectory* parts = calloc((size_t)count, sizeof *parts);
    BerthInterpolation each[TEXT_LIST_MAX] = {BERTH_INTERPOLATION_LINEAR};
    if (parts == NULL) {
        return cli_out_of_memory();
    }

    BerthStatus read = BERTH_OK;
    for (int i = 0; i < count && read == BERTH_OK; ++i) {
        read = read_trajectory(job, options->arguments[1 + i], &parts[i], &each[i]);
    }

    int status = cli_exit_status(read);
    if (status == EXIT_FREE) {
        job->interpolation = each[0];
        name_interpolations(job, each, count);
        status = count > 1 ? check_merged(job, parts, each, count) : check_rows(job, &parts[0]);
    }

    for (int i = 0; i < count; ++i) {
        berth_io_free_trajectory(&parts[i]);
    }
    free(parts);
    return status;
}

static int check_segments(PathJob* job) {
    const Question* question = job->question;
    BerthSegments segments;

    job->file = question->options->segments;
    BerthStatus read = berth_io_read_segments(job->file, question->scene, &question->io, &segments);
    if (read == BERTH_OK && question->options->wrap) {
        read = berth_segments_wrap(&segments, question->scene);
    }

    int status = EXIT_FREE;
    if (read != BERTH_OK) {
        status = cli_report_failure(read);
    } else {
        job->segments = &segments;
        job->segment_count = segments.segment_count;
        status = check_job(job);
    }

    berth_io_free_segments(&segments);
    return status;
}

static int check_file(PathJob* job) {
    Question* question = job->question;
    const Options* options = question->options;
    double* errors = calloc((size_t)question->value_count + 1, sizeof *errors);
    if (errors == NULL) {
        return cli_out_of_memory();
    }

    int status = question_set_scene_state(question);
    if (status == EXIT_FREE && options->tracking_error != NULL) {
        status = read_tracking_error(options->tracking_error, question->scene, errors);
        job->def.tracking_error = errors;
    }
    if (status == EXIT_FREE) {
        status = options->segments != NULL ? check_segments(job) : check_trajectories(job);
    }

    free(errors);
    return status;
}

int cli_run_path(const Options* options) {
    if (options->argument_count == 0) {
        return cli_reject("path",
                          "which scene and trajectory? usage: berth path SCENE TRAJECTORY... [OPTIONS]; "
                          "'berth help path' has more");
    }
    if (options->argument_count < 2 && options->segments == NULL) {
        return cli_reject("path",
                          "which trajectory? usage: berth path SCENE TRAJECTORY..., or --segments FILE");
    }
    if (options->argument_count > 1 && options->segments != NULL) {
        return cli_reject("path", "expected a trajectory or --segments, not both ('%s')",
                          options->arguments[1]);
    }
    if (options->report != NULL &&
        (options->segments != NULL || options->summary || options->verify != NULL)) {
        return cli_reject("path",
                          "--report is for one trajectory: not with --segments, --summary or --verify");
    }

    Question question;
    PathJob job = {.question = &question, .deadline = INFINITY};
    int status = read_request(options, &job);
    if (status == EXIT_FREE) {
        status = cli_refuse_input_as_output(options, 0, options->certificate);
    }
    if (status == EXIT_FREE) {
        status = files_check_report(options);
    }
    if (status != EXIT_FREE) {
        return status;
    }

    ViewVisuals visuals = {0};
    const BerthIoOptions told = visuals_told(&visuals);
    job.visuals = &visuals;
    status = question_open_told(&question, "path", options, options->report != NULL ? &told : NULL);
    question.moving = job.def.moving;
    if (status == EXIT_FREE) {
        status = check_file(&job);
    }
    question_close(&question);
    visuals_free(&visuals);
    free(job.all);
    return status;
}
