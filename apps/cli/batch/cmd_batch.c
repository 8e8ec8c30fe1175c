// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth batch: millions of states or segments, one byte each.
// Entry: cli_run_batch.

#include <string.h>
#include <sys/stat.h>

#include "cli/batch/batch.h"
#include "cli/files.h"

const char cli_batch_help[] =
    "SCENE is what berth check takes. STATES is a .csv with a header of joint names or a .npy of shape "
    "(n, values); segments are a .csv with columns JOINT:from and JOINT:to or a .npy of shape (n, 2, "
    "values). The file is read piece by piece, so a file of any size needs no more memory than a small "
    "one. Joints that a .csv does not name keep the scene's state, or that of --state and --at.\n"
    "\n"
    "Verdicts are those of berth check and berth path, and do not depend on the number of threads. "
    "OUT.npy is an array of uint8: 0 unknown (treat it as a collision), 1 free (proven), 2 collision. "
    "Without -o only the counts are printed.\n"
    "\n"
    "Finished work is in OUT.npy.part until everything is done. If the program ends early (Ctrl-C, a "
    "full disk, kill -9), --resume continues: nothing is lost or done twice, and OUT.npy is the same. It "
    "refuses work that was made from other rows, another scene or other options. If there is a .part "
    "file and --resume is not given, the file is left alone and the exit status is 2; --force starts "
    "anew.\n"
    "\n"
    "--spheres-only checks spheres instead of meshes. This is faster, and free is still proven, but the "
    "spheres may collide where the robot is free.\n"
    "\n"
    "Under mpirun all processes share the work, and the first one writes OUT.npy. Every machine must be "
    "able to read SCENE and STATES.\n"
    "\n"
    "examples:\n"
    "  berth batch cell.yaml samples.npy -o verdicts.npy\n"
    "  berth batch cell.yaml samples.npy -o verdicts.npy --resume\n"
    "  berth batch cell.yaml --segments edges.npy -o verdicts.npy --margin 0.01 --threads 8\n"
    "  berth batch cell.yaml samples.csv -o verdicts.npy --clearance gaps.npy --json\n"
    "  mpirun -n 16 --map-by node berth batch cell.yaml samples.npy -o verdicts.npy --resume\n"
    "\n"
    "with --json:\n"
    "  {\"states\": 3, \"free\": 1, \"collisions\": 1, \"unknown\": 1, \"seconds\": 0.0001, \"assumed\": "
    "[], \"declared\": [],\n"
    "   \"proven\": 0}\n"
    "\n"
    "exit status: 0 done, 2 wrong request or file, 3 --strict and something assumed, 4 the machine "
    "failed, 130 interrupted (finished work is in OUT.npy.part)\n";

// ---- the request -----------------------------------------------------------------------------------------------

static int check_request(const Options* options) {
    if (options->argument_count == 0) {
        return cli_reject("batch",
                          "which scene? usage: berth batch SCENE STATES|--segments FILE [-o OUT.npy]; "
                          "'berth help batch' has more");
    }
    if (options->argument_count < 2 && options->segments == NULL) {
        return cli_reject("batch", "which states? usage: berth batch SCENE STATES, or --segments FILE");
    }
    if (options->argument_count > 1 && options->segments != NULL) {
        return cli_reject("batch", "expected states or --segments, not both ('%s')", options->arguments[1]);
    }
    if (options->argument_count > 2) {
        return cli_reject("batch", "expected one file of states, not also '%s'", options->arguments[2]);
    }

    if (options->output == NULL && (options->resume || options->force || options->clearance != NULL)) {
        return cli_reject(
            "batch", "--resume, --force and --clearance need -o OUT.npy: unfinished work is kept beside it");
    }
    if (options->resume && options->force) {
        return cli_reject("batch", "--resume continues and --force starts anew: give only one of them");
    }
    return EXIT_FREE;
}

// The file of unfinished work counts as an output, too.
static int check_part(const Options* options) {
    if (options->output == NULL) {
        return EXIT_FREE;
    }
    Text name = {0};
    text_printf(&name, "%s.part", options->output);
    const int status = name.failed ? cli_out_of_memory() : cli_refuse_input_as_output(options, 0, name.data);
    text_free(&name);
    return status;
}

static int check_outputs(const Options* options) {
    int status = cli_refuse_input_as_output(options, 0, options->output);
    if (status == EXIT_FREE) {
        status = check_part(options);
    }
    if (status == EXIT_FREE) {
        status = cli_refuse_input_as_output(options, 0, options->clearance);
    }
    return status;
}

static bool is_cancelled(void* user) {
    (void)user;
    return cli_interrupted();
}

static void read_def(const Options* options, BatchJob* job) {
    job->def = berth_default_batch_def();
    job->def.kind = options->segments != NULL ? BERTH_BATCH_SEGMENTS : BERTH_BATCH_STATES;
    job->def.margin = options->margin;
    job->def.self_margin = options->self_margin;
    job->def.delta = options->delta >= 0.0 ? options->delta : job->def.delta;
    job->def.threads = options->threads;
    job->def.cancelled = is_cancelled;
}

// ---- what unfinished work must agree in ------------------------------------------------------------------------

static int write_part_header(const BatchJob* job, PartHeader* out) {
    uint8_t hash[32];
    const BerthStatus status = berth_certificate_scene_hash(job->question->scene, hash);
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }
    char scene[65];
    for (int i = 0; i < 32; ++i) {
        (void)snprintf(scene + 2 * i, 3, "%02x", hash[i]);
    }

    const bool segments = job->def.kind == BERTH_BATCH_SEGMENTS;
    Text text = {0};
    text_printf(&text, "berth batch, unfinished work, 1\nberth %s\nrows: %s\n", berth_version(), job->items);
    text_printf(&text, "values of a row: %d\n", (int)berth_rows_row_size(job->rows));
    if (job->row_count >= 0) {
        text_printf(&text, "number of rows: %lld\n", (long long)job->row_count);
    }
    text_printf(&text, "scene: %s\n--margin ", scene);
    text_number(&text, job->def.margin);
    text_puts(&text, "\n--self-margin ");
    text_number(&text, job->def.self_margin >= 0.0 ? job->def.self_margin : job->def.margin);
    if (segments) {
        text_puts(&text, "\n--delta ");
        text_number(&text, job->def.delta);
    }
    text_printf(&text, "\n--spheres-only: %s\n--clearance: %s\nrows of a unit: %d\n",
                job->question->options->spheres_only ? "yes" : "no",
                job->question->options->clearance != NULL ? "yes" : "no", (int)job->unit_rows);

    memset(out->lines, 0, sizeof out->lines);
    const bool has_room = !text.failed && text.size < sizeof out->lines;
    memcpy(out->lines, has_room ? text.data : "", has_room ? text.size : 0);
    text_free(&text);
    return has_room ? EXIT_FREE : cli_out_of_memory();
}

// ---- the answer ------------------------------------------------------------------------------------------------

static void warn_outside(BatchJob* job) {
    if (job->outside_rows > 0) {
        char text[1400];
        (void)snprintf(text, sizeof text,
                       "%s: %lld of %lld %s have values outside joint limits (the first is number %lld)",
                       job->file, (long long)job->outside_rows, (long long)job->counts.done, job->items,
                       (long long)job->first_outside);
        warnings_add(&job->question->warnings, text);
    }
}

static int write_summary(const BatchJob* job) {
    const Question* question = job->question;
    Text text = {0};

    if (question->options->json) {
        question_json_summary(&text, question, &job->counts, job->items, job->seconds, "", 0);
    } else {
        question_text_summary(&text, &job->counts, job->items, job->seconds);
        if (job->resumed > 0) {
            text_printf(&text, "resumed: %lld %s were already done\n", (long long)job->resumed, job->items);
        }
        if (!question->options->quiet) {
            cli_text_assumed(&text, question->scene, question->moving, job->counts.outside_count, 0,
                             job->counts.proven_count);
        }
    }

    const int wrote = cli_write_output(&text);
    text_free(&text);
    return wrote;
}

static int report_interrupt(const BatchJob* job) {
    char count[32] = "";
    if (job->row_count >= 0) {
        (void)snprintf(count, sizeof count, " of %lld", (long long)job->row_count);
    }
    fprintf(stderr, "berth batch: interrupted after %lld%s %s%s\n", (long long)job->counts.done, count,
            job->items,
            job->part.descriptor >= 0 && job->counts.done > 0 ? "; --resume continues from there" : "");
    return EXIT_INTERRUPTED;
}

// Collisions are valid answers, not a failure.
static int exit_status(const BatchJob* job) {
    const AnswerCounts counts = {.outside_count = job->counts.outside_count};
    return question_exit_status(job->question, &counts, 0);
}

static int finish_job(BatchJob* job) {
    const Options* options = job->question->options;
    job->row_count = job->counts.done;
    if (options->output != NULL) {
        const int status = part_finish(&job->part, job->row_count, options->output, options->clearance);
        if (status != EXIT_FREE) {
            return status == EXIT_INTERRUPTED ? report_interrupt(job) : status;
        }
    }

    warn_outside(job);
    const int wrote = write_summary(job);
    return wrote == EXIT_FREE ? exit_status(job) : wrote;
}

// ---- the work --------------------------------------------------------------------------------------------------

static int run_job(BatchJob* job, const PartHeader* header) {
    const Options* options = job->question->options;
    const bool many = batch_net_size() > 1;
    int status = EXIT_FREE;
    cli_hold_interrupts();  // never released: from here on work is kept
    cli_end_loading();

    if (options->output != NULL && batch_net_rank() == 0) {
        status = part_open(&job->part, job->question, header, job->unit_rows);
    }
    if (status == EXIT_FREE) {
        status = many ? batch_net_run(job, header) : batch_run(job);
    }
    if (many && batch_net_rank() > 0) {
        return status;
    }
    if (status == EXIT_INTERRUPTED) {
        return report_interrupt(job);
    }
    return status == EXIT_FREE ? finish_job(job) : status;
}

// The rows of a CSV are estimated before it is read, at about ten bytes per number. This only decides how much to prepare.
static int64_t guess_rows(const BatchJob* job) {
    struct stat info;
    const int64_t row_bytes = 10 * (int64_t)berth_rows_row_size(job->rows);
    return stat(job->file, &info) == 0 && row_bytes > 0 ? (int64_t)info.st_size / row_bytes : 0;
}

static int open_job(BatchJob* job, PartHeader* header) {
    Question* question = job->question;
    const bool segments = question->options->segments != NULL;
    job->file = segments ? question->options->segments : question->options->arguments[1];
    job->items = segments ? "segments" : "states";
    job->unit_rows = segments ? UNIT_SEGMENTS : UNIT_STATES;

    int status = question_set_scene_state(question);
    if (status != EXIT_FREE) {
        return status;
    }
    const BerthStatus opened =
        berth_io_open_rows(job->file, question->scene, segments, &question->io, &job->rows);
    if (opened != BERTH_OK) {
        return cli_report_failure(opened);
    }
    job->row_count = berth_rows_count(job->rows);
    job->def.expected_rows = job->row_count >= 0 ? job->row_count : guess_rows(job);
    job->unit_end = job->row_count >= 0 ? (job->row_count + job->unit_rows - 1) / job->unit_rows : -1;

    status = cli_exit_status(berth_batch_create(question->scene, &job->def, &job->batch));
    if (status == EXIT_FREE && batch_net_rank() == 0) {
        status = files_check_writable(question->options->output);
    }
    if (status == EXIT_FREE && batch_net_rank() == 0) {
        status = files_check_writable(question->options->clearance);
    }
    return status == EXIT_FREE ? write_part_header(job, header) : status;
}

int cli_run_batch(const Options* options) {
    int status = check_request(options);
    if (status == EXIT_FREE) {
        status = check_outputs(options);
    }
    if (status != EXIT_FREE) {
        return status;
    }

    // Only one of several processes prints.
    Options own = *options;
    own.quiet = options->quiet || batch_net_rank() > 0;
    Question question;
    BatchJob job = {.question = &question, .part.descriptor = -1, .mutex = PTHREAD_MUTEX_INITIALIZER};
    read_def(options, &job);

    PartHeader header;
    status = question_open(&question, "batch", &own);
    if (status == EXIT_FREE) {
        status = open_job(&job, &header);
    }
    if (status == EXIT_FREE) {
        status = run_job(&job, &header);
    }

    part_close(&job.part);
    berth_batch_destroy(job.batch);
    berth_io_close_rows(job.rows);
    question_close(&question);
    return status;
}
