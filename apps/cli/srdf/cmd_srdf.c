// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth srdf: which pairs of a robot's links need no check, and why; and what is wrong with an SRDF.
// Entries: srdf_is_disabled, cli_run_srdf.

#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/srdf/srdf.h"
#include "cli/worker_pool.h"

const char cli_srdf_help[] =
    "ROBOT is a .urdf (or .xml). Every pair of links with collision geometry is one of these:\n"
    "  adjacent  connected by one joint (links without geometry and fixed joints between them do not "
    "count)\n"
    "  default   overlap in the default state: zero, or the limit nearest to it\n"
    "  always    overlap in every state: proven for links that cannot move, else in 1,000 random states\n"
    "  never     never touch within joint limits: proven. With --sample N also pairs that could not be "
    "decided and did not touch in N random states; this is then reported\n"
    "  check     touch in some state, or could not be decided: still checked\n"
    "\n"
    "The SRDF disables adjacent, always and never. A pair that touches in some states but not in all is "
    "still checked. --allow-default also disables pairs that overlap in the default state, as MoveIt's "
    "assistant does; their real collisions are then not detected. Each line has its reason, and a "
    "comment says how it was found. Everything in --srdf FILE is kept (groups, states, ...) except its "
    "pairs.\n"
    "\n"
    "A proof needs no samples: the box of all values of the joints between two links is split until, in "
    "every piece, the distance at its middle is larger than any motion within the piece can take away. "
    "Joints without limits are taken to turn freely. Values outside the limits are not covered.\n"
    "\n"
    "The SRDF records what was proven in the element <berth_proven>, which other programs ignore: the "
    "robot (a sum over geometry, joints and limits), the limits, and the proven gap of each pair. For "
    "that robot, other commands skip such a pair while all values are within limits and its gap exceeds "
    "the margin; otherwise they check it. A table that was edited, or that is about another robot, "
    "proves nothing: its pairs are checked.\n"
    "\n"
    "--lint FILE reads an SRDF and lists what it disables although the links touch (with a state that "
    "shows this) or without proof, what it leaves checked although it never or always touches, links "
    "that the robot does not have, and pairs listed twice. Neighbours, and pairs that overlap in the "
    "default state, may be disabled.\n"
    "\n"
    "examples:\n"
    "  berth srdf panda.urdf -o panda.srdf\n"
    "  berth srdf panda.urdf --srdf old.srdf -o new.srdf        keeps the groups and states of old.srdf\n"
    "  berth srdf panda.urdf --lint panda.srdf\n"
    "\n"
    "with --json (shortened; --lint adds \"lint\": {\"file\", \"findings\": [{\"kind\": \"touches\", "
    "\"a\", \"b\", \"line\", ...}]}):\n"
    "  {\"robot\": \"panda\", \"pairs\": [{\"a\": \"panda_link0\", \"b\": \"panda_link2\", \"class\": "
    "\"never\", \"proven\": true,\n"
    "   \"disabled\": true, \"reason\": \"Never\", \"adjacent\": false, \"why\": null, \"samples\": 0, "
    "\"comparisons\": 47,\n"
    "   \"least_gap\": 0.106, \"seen_gap\": 0.117, \"touch\": null, \"at\": null}], \"counts\": "
    "{\"pairs\": 55, ...}, \"table\":\n"
    "   {\"version\": 1, \"robot\": \"eca1...\", \"sum\": \"e1fb...\", \"limits\": [{\"joint\": "
    "\"panda_joint1\", \"lower\": -2.97,\n"
    "   \"upper\": 2.97}, ...], \"pairs\": [{\"a\": \"panda_link0\", \"b\": \"panda_link2\", \"gap\": "
    "0.106}, ...]}, \"seconds\": 0.9,\n"
    "   \"warnings\": 0}\n"
    "\n"
    "exit status: 0 done, 1 --lint and there are findings, 2 wrong request or file, 3 --strict and a "
    "pair is disabled without proof or there were warnings, 4 the machine failed, 130 interrupted\n";

// ---- the work ---------------------------------------------------------------------------------------------------

typedef struct Work {
    SrdfJob* job;
    Progress progress;
    int32_t done;
} Work;

static BerthStatus open_worker(void* user, void** tools) {
    const SrdfJob* job = ((Work*)user)->job;
    BerthProver* prover = NULL;
    const BerthStatus status = berth_prover_create(job->model, &job->def, NULL, &prover);
    *tools = prover;
    return status;
}

static void close_worker(void* user, void* tools) {
    (void)user;
    berth_prover_destroy(tools);
}

// Each pair has its own slot, so threads never write to the same one.
static BerthStatus prove_chunk(void* user, void* tools, int32_t chunk, void* slot, ChunkEnd* end) {
    SrdfJob* job = ((Work*)user)->job;
    SrdfPair* pair = &job->pairs[chunk];
    (void)slot;

    if (cli_interrupted()) {
        *end = CHUNK_CUT;
        return BERTH_OK;
    }

    const size_t bytes = ((size_t)berth_robot_value_count(job->robot) + 1) * sizeof(double);
    pair->touch = malloc(bytes);
    pair->apart = malloc(bytes);
    if (pair->touch == NULL || pair->apart == NULL) {
        return BERTH_ERR_MEMORY;
    }

    const BerthStatus status =
        berth_prover_pair(tools, pair->a, pair->b, pair->touch, pair->apart, &pair->proof);

    if (!pair->proof.has_touch) {
        free(pair->touch);
        pair->touch = NULL;
    }
    if (!pair->proof.has_apart) {
        free(pair->apart);
        pair->apart = NULL;
    }

    return status;
}

static int take(void* user, void* slot) {
    Work* self = user;
    (void)slot;
    self->done += 1;
    progress_show(&self->progress, self->job->options, self->done, self->job->pair_count, "pairs");
    return EXIT_FREE;
}

static void clear_slot(void* user, void* slot) {
    (void)user;
    (void)slot;
}

static int find_pairs(SrdfJob* job) {
    const int32_t links = berth_robot_link_count(job->robot);

    int64_t links_with_geometry = 0;
    for (int32_t i = 0; i < links; ++i) {
        links_with_geometry += berth_robot_link(job->robot, i).solid_count > 0;
    }

    const int64_t pair_limit = links_with_geometry * (links_with_geometry - 1) / 2;
    job->pairs = calloc((size_t)pair_limit + 1, sizeof *job->pairs);
    if (job->pairs == NULL) {
        return cli_out_of_memory();
    }

    for (int32_t a = 0; a < links; ++a) {
        for (int32_t b = a + 1; b < links; ++b) {
            if (berth_robot_link(job->robot, a).solid_count > 0 &&
                berth_robot_link(job->robot, b).solid_count > 0) {
                job->pairs[job->pair_count++] = (SrdfPair){.a = a, .b = b};
            }
        }
    }
    return EXIT_FREE;
}

static int prove_pairs(SrdfJob* job) {
    const BerthStatus made = berth_proof_model_create(job->robot, NULL, &job->model);
    if (made != BERTH_OK) {
        return cli_report_failure(made);
    }

    Work self = {.job = job};
    WorkerPool pool = {.command = "srdf",
                       .user = &self,
                       .chunk_count = job->pair_count,
                       .threads = job->options->threads,
                       .slot_size = 1,
                       .open_worker = open_worker,
                       .close_worker = close_worker,
                       .work = prove_chunk,
                       .take = take,
                       .clear = clear_slot};

    int status = job->pair_count > 0 ? worker_pool_run(&pool) : EXIT_FREE;
    progress_end(&self.progress);
    if (status == EXIT_FREE && job->pair_count > 0 && !pool.finished) {
        status = EXIT_INTERRUPTED;
    }

    return status;
}

// ---- the answer -------------------------------------------------------------------------------------------------

bool srdf_is_disabled(const SrdfJob* job, const BerthPairProof* proof) {
    return proof->standing != BERTH_STANDING_CHECK &&
           (proof->standing != BERTH_STANDING_DEFAULT || job->options->allow_default);
}

enum { NOTE_SIZE = 160 };

static int make_text(const SrdfJob* job, Text* out) {
    BerthSrdfPair* listed = calloc((size_t)job->pair_count + 1, sizeof *listed);
    char(*notes)[2][NOTE_SIZE] = calloc((size_t)job->pair_count + 1, sizeof *notes);
    int32_t count = 0;
    int status = listed != NULL && notes != NULL ? EXIT_FREE : cli_out_of_memory();

    for (int32_t i = 0; status == EXIT_FREE && i < job->pair_count; ++i) {
        const SrdfPair* pair = &job->pairs[i];
        if (srdf_is_disabled(job, &pair->proof)) {
            srdf_reason(pair, notes[count][0], notes[count][1], NOTE_SIZE);
            listed[count] = (BerthSrdfPair){.link_a = berth_robot_link(job->robot, pair->a).name,
                                            .link_b = berth_robot_link(job->robot, pair->b).name,
                                            .reason = notes[count][0],
                                            .comment = notes[count][1]};
            ++count;
        }
    }

    char* text = NULL;
    size_t size = 0;

    if (status == EXIT_FREE) {
        char comment[200];
        (void)snprintf(comment, sizeof comment, "pairs of links by berth %s: %d of %d need no check",
                       berth_version(), (int)count, (int)job->pair_count);
        BerthSrdfDef def = berth_default_srdf_def();
        def.name = berth_robot_name(job->robot);
        def.comment = comment;
        def.rest = job->old;
        def.pairs = listed;
        def.pair_count = count;
        def.table = &job->table;
        status = cli_exit_status(berth_io_srdf_text(&def, job->io, &text, &size));
    }

    text_add(out, text != NULL ? text : "", size);
    berth_io_free_srdf_text(job->io, text, size);
    free(listed);
    free(notes);
    return status == EXIT_FREE && out->failed ? cli_out_of_memory() : status;
}

static int write_file(const SrdfJob* job, const Text* text) {
    const int status = files_write(job->options->output, text, true);
    return status == EXIT_FREE ? files_commit() : status;
}

// Without -o the SRDF goes to standard output, and the summary to standard error.
static int answer_srdf(const SrdfJob* job, const Warnings* warnings) {
    const Options* options = job->options;
    Text text = {0}, summary = {0};
    int status = make_text(job, &text);

    if (status == EXIT_FREE && options->output != NULL) {
        status = write_file(job, &text);
    }

    if (status == EXIT_FREE && options->json) {
        srdf_json(job, NULL, warnings, &summary);
        status = cli_write_output(&summary);
    } else if (status == EXIT_FREE) {
        srdf_summary_text(job, &summary);
        if (options->output != NULL) {
            summary.size = options->quiet ? 0 : summary.size;
            status = cli_write_output(&summary);
        } else {
            if (!options->quiet && !summary.failed) {
                fwrite(summary.data, 1, summary.size, stderr);
            }
            status = cli_write_output(&text);
        }
    }

    const SrdfCounts counts = srdf_count(job);
    if (status == EXIT_FREE && options->strict && (counts.unproven > 0 || warnings->count > 0)) {
        status = EXIT_UNKNOWN;
    }

    text_free(&text);
    text_free(&summary);
    return status;
}

static int answer_lint(const SrdfJob* job, const Warnings* warnings) {
    Lint lint = {0};
    Text text = {0};

    srdf_lint(job, &lint);
    int status = lint.failed ? cli_out_of_memory() : EXIT_FREE;

    if (status == EXIT_FREE && job->options->json) {
        srdf_json(job, &lint, warnings, &text);
    } else if (status == EXIT_FREE) {
        srdf_lint_text(job, &lint, &text);
    }

    if (status == EXIT_FREE) {
        status = cli_write_output(&text);
    }
    if (status == EXIT_FREE && lint.count > 0) {
        status = EXIT_COLLISION;
    } else if (status == EXIT_FREE && job->options->strict && (lint.by_rule > 0 || warnings->count > 0)) {
        status = EXIT_UNKNOWN;
    }

    free(lint.findings);
    text_free(&text);
    return status;
}

// The results of the proofs, valid for this robot only.
static int make_table(SrdfJob* job, BerthProvenLimit** limits, BerthProvenPair** pairs) {
    BerthProvenTable* table = &job->table;
    *limits = calloc((size_t)berth_robot_limits(job->robot, NULL) + 1, sizeof **limits);
    *pairs = calloc((size_t)job->pair_count + 1, sizeof **pairs);
    if (*limits == NULL || *pairs == NULL) {
        return cli_out_of_memory();
    }

    for (int32_t i = 0; i < job->pair_count; ++i) {
        const SrdfPair* pair = &job->pairs[i];
        if (pair->proof.never && pair->proof.gap > 0.0) {
            (*pairs)[table->pair_count++] =
                (BerthProvenPair){berth_robot_link(job->robot, pair->a).name,
                                  berth_robot_link(job->robot, pair->b).name, pair->proof.gap};
        }
    }

    table->limits = *limits;
    table->limit_count = berth_robot_limits(job->robot, *limits);
    table->pairs = *pairs;
    berth_robot_sum(job->robot, table->robot);
    berth_proven_table_sum(table, table->sum);
    return EXIT_FREE;
}

static int run_job(SrdfJob* job, const Warnings* warnings) {
    const double start = cli_seconds();
    double* default_state = calloc((size_t)berth_robot_value_count(job->robot) + 1, sizeof *default_state);
    BerthProvenLimit* limits = NULL;
    BerthProvenPair* proven = NULL;
    int status = default_state != NULL ? find_pairs(job) : cli_out_of_memory();

    if (status == EXIT_FREE) {
        berth_robot_default_values(job->robot, default_state);
        job->default_state = default_state;
        status = prove_pairs(job);
    }
    if (status == EXIT_FREE) {
        status = make_table(job, &limits, &proven);
        job->seconds = cli_seconds() - start;
    }

    if (status == EXIT_FREE) {
        status = job->options->lint != NULL ? answer_lint(job, warnings) : answer_srdf(job, warnings);
    }

    for (int32_t i = 0; i < job->pair_count; ++i) {
        free(job->pairs[i].touch);
        free(job->pairs[i].apart);
    }
    free(job->pairs);
    free(limits);
    free(proven);
    free(default_state);
    berth_proof_model_destroy(job->model);
    return status;
}

static int check_request(const Options* options) {
    if (options->argument_count != 1) {
        if (options->argument_count == 0) {
            return cli_reject(
                "srdf", "of which robot? usage: berth srdf ROBOT [-o FILE]; 'berth help srdf' has more");
        }
        return cli_reject("srdf", "expected one robot, not also '%s'", options->arguments[1]);
    }

    if (options->lint != NULL && (options->srdf != NULL || options->output != NULL)) {
        return cli_reject("srdf", "--lint FILE reads an SRDF and writes none: not with --srdf or -o");
    }
    if (options->lint != NULL && options->allow_default) {
        return cli_reject("srdf", "--allow-default is about the SRDF to be written: not with --lint");
    }
    return EXIT_FREE;
}

int cli_run_srdf(const Options* options) {
    int status = check_request(options);
    if (status == EXIT_FREE) {
        status = cli_refuse_input_as_output(options, 0, options->output);
    }
    if (status != EXIT_FREE) {
        return status;
    }

    Warnings warnings;
    BerthIoOptions io;
    if (!cli_start("srdf", options, &warnings, &io)) {
        return EXIT_WRONG;
    }

    const int writable = files_check_writable(options->output);
    if (writable != EXIT_FREE) {
        return writable;
    }

    const char* listed = options->lint != NULL ? options->lint : options->srdf;
    BerthRobot* robot = NULL;
    BerthSrdf* old = NULL;
    BerthStatus read = listed != NULL ? berth_io_read_srdf(listed, &io, &old) : BERTH_OK;
    if (read == BERTH_OK) {
        BerthRobotOptions robot_options = berth_default_robot_options();
        robot_options.srdf = listed;
        read = berth_io_read_robot(options->arguments[0], &robot_options, &io, &robot);
    }

    warnings_show();
    status = cli_exit_status(read);
    if (status == EXIT_FREE && cli_interrupted()) {
        status = EXIT_INTERRUPTED;
    }

    if (status == EXIT_FREE) {
        SrdfJob job = {.options = options, .io = &io, .robot = robot, .old = old};
        job.def = berth_default_proof_def();
        job.def.seed = (uint64_t)options->seed;
        job.def.samples = options->sample;
        job.def.budget = options->budget > 0 ? options->budget : job.def.budget;
        status = run_job(&job, &warnings);
    }

    berth_robot_destroy(robot);
    berth_io_free_srdf(old);
    warnings_close(&warnings);
    return status;
}
