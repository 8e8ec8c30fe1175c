// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Questions about a scene: what check, path and contact have in common, before and after their own work.
// Entries: question_open, question_close, answer_run.

#include "cli/question.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// ---- opening ---------------------------------------------------------------------------------------------------

int question_open(Question* question, const char* command, const Options* options) {
    return question_open_told(question, command, options, NULL);
}

int question_open_told(Question* question, const char* command, const Options* options,
                       const BerthIoOptions* told) {
    *question = (Question){.command = command, .options = options};
    if (!cli_start(command, options, &question->warnings, &question->io)) {
        return EXIT_WRONG;
    }

    if (told != NULL) {
        question->io.visual = told->visual;
        question->io.visual_user = told->visual_user;
        question->io.field = told->field;
        question->io.field_user = told->field_user;
    }
    const BerthStatus read = berth_io_read_scene(options->arguments[0], &question->io, &question->scene);
    question->io.visual = NULL;  // for this scene only, not for scenes that are read later
    if (read != BERTH_OK) {
        return cli_report_failure(read);
    }
    if (cli_interrupted()) {
        return EXIT_INTERRUPTED;
    }

    question->value_count = berth_scene_value_count(question->scene);
    question->values = calloc((size_t)question->value_count + 1, sizeof *question->values);
    if (question->values == NULL) {
        return cli_out_of_memory();
    }
    warnings_show();
    return cli_make_state(command, options, question->scene, question->values);
}

void question_close(Question* question) {
    free(question->values);
    berth_scene_destroy(question->scene);
    warnings_close(&question->warnings);
}

int question_set_scene_state(Question* question) {
    if (question->value_count == 0) {
        return EXIT_FREE;
    }
    const BerthStatus status = berth_scene_set_values(question->scene, question->values);
    return cli_exit_status(status);
}

bool question_read_checker_def(const char* command, const Options* options, BerthCheckerDef* def,
                               BerthCheckerLab* lab) {
    def->margin = options->margin;
    def->self_margin = options->self_margin;
    def->lab = lab;
    return cli_read_engine(command, options, &lab->engine);
}

bool question_read_motion_def(const char* command, const Options* options, BerthMotionCheckerDef* def,
                              BerthMotionLab* lab) {
    *lab = berth_default_motion_lab();
    def->lab = lab;
    def->margin = options->margin;
    def->self_margin = options->self_margin;
    def->delta = options->delta >= 0.0 ? options->delta : def->delta;
    return cli_read_engine(command, options, &lab->engine);
}

int question_make_lanes(const Question* question, double margin, double self_margin, int64_t states,
                        int64_t segments, BerthLanes** out) {
    *out = NULL;
    if (question->options->engine != NULL || !berth_lanes_pay(question->scene, states, segments)) {
        return EXIT_FREE;
    }
    BerthLanesDef def = berth_default_lanes_def();
    def.margin = margin;
    def.self_margin = self_margin;
    def.expected_states = states;
    def.expected_segments = segments;
    return cli_exit_status(berth_lanes_create(question->scene, &def, out));
}

// ---- joint limits ----------------------------------------------------------------------------------------------

BerthStatus question_find_outside(const Question* question, const double* rows, int32_t row_count,
                                  OutsideRows* out) {
    *out = (OutsideRows){.first_row = -1};

    for (int32_t row = 0; row < row_count; ++row) {
        const double* values = rows + (size_t)row * (size_t)question->value_count;
        int32_t outside = 0, value = -1;
        const BerthStatus status = berth_scene_check_values(question->scene, values, &outside, &value);
        if (status != BERTH_OK) {
            out->first_row = row;
            return status;
        }

        if (outside > 0 && out->count++ == 0) {
            out->first_row = row;
            cli_describe_outside_limits(question->scene, values, value, out->what, sizeof out->what);
        }
    }
    return BERTH_OK;
}

int question_report_outside(Question* question, const char* refusal, const char* warning) {
    if (question->options->limits) {
        fprintf(stderr, "%s\n", refusal);
        return EXIT_WRONG;
    }
    warnings_add(&question->warnings, warning);
    return EXIT_FREE;
}

// ---- many answers ----------------------------------------------------------------------------------------------

void answer_counts_add(AnswerCounts* sum, const AnswerCounts* more) {
    sum->done += more->done;
    sum->free_count += more->free_count;
    sum->collision_count += more->collision_count;
    sum->unknown_count += more->unknown_count;
    sum->outside_count += more->outside_count;
    sum->proven_count = more->proven_count > sum->proven_count ? more->proven_count : sum->proven_count;
}

AnswerCounts answer_counts_of(BerthVerdict verdict, int64_t outside, int64_t proven) {
    return (AnswerCounts){.done = 1,
                          .free_count = verdict == BERTH_FREE,
                          .collision_count = verdict == BERTH_COLLISION,
                          .unknown_count = verdict == BERTH_UNKNOWN,
                          .outside_count = outside,
                          .proven_count = proven};
}

/// The answers of one chunk.
typedef struct Slot {
    Text text;
    max_align_t counts[];  // counts_size bytes
} Slot;

typedef struct Run {
    AnswerRun* run;
    Progress progress;
} Run;

static BerthStatus open_worker(void* user, void** tools) {
    const AnswerRun* run = ((const Run*)user)->run;
    return run->open_worker(run->user, tools);
}

static void close_worker(void* user, void* tools) {
    const AnswerRun* run = ((const Run*)user)->run;
    run->close_worker(run->user, tools);
}

// Answers the items of a chunk. Stops early if interrupted.
static BerthStatus answer_chunk(void* user, void* tools, int32_t chunk, void* place, ChunkEnd* end) {
    const AnswerRun* run = ((const Run*)user)->run;
    Slot* slot = place;
    const int32_t first = chunk * run->chunk_size;
    const int32_t left = run->item_count - first;
    const int32_t size = left < run->chunk_size ? left : run->chunk_size;

    memcpy(slot->counts, run->empty_counts, run->counts_size);
    *end = CHUNK_WHOLE;
    cli_hold_interrupts();  // never released: from here on answers are kept

    for (int32_t i = 0; i < size && *end == CHUNK_WHOLE; ++i) {
        if (cli_interrupted()) {
            *end = CHUNK_CUT;
            break;
        }

        const BerthStatus status = run->answer(run->user, tools, first + i, &slot->text, slot->counts, end);
        if (status != BERTH_OK) {
            return status;
        }
    }

    return slot->text.failed ? BERTH_ERR_MEMORY : BERTH_OK;
}

// Adds a slot's counts to the total, prints its text and empties it.
static int take_chunk(void* user, void* place) {
    Run* own = user;
    const AnswerRun* run = own->run;
    Slot* slot = place;

    const int64_t done = run->add_counts(run->user, slot->counts);
    const int status = slot->text.size > 0 ? cli_write_output(&slot->text) : EXIT_FREE;
    progress_show(&own->progress, run->question->options, done, run->item_count, run->items);
    return status;
}

static void clear_slot(void* user, void* place) {
    (void)user;
    text_free(&((Slot*)place)->text);
}

int answer_run(AnswerRun* run) {
    Run own = {.run = run, .progress = {.start = cli_seconds()}};  // the first answer may take long
    cli_end_loading();
    const size_t unit = sizeof(max_align_t);
    WorkerPool pool = {
        .command = run->question->command,
        .user = &own,
        .chunk_count = run->item_count / run->chunk_size + (run->item_count % run->chunk_size != 0),
        .threads = run->question->options->threads,
        .slot_size = sizeof(Slot) + (run->counts_size + unit - 1) / unit * unit,
        .open_worker = open_worker,
        .close_worker = close_worker,
        .work = answer_chunk,
        .take = take_chunk,
        .clear = clear_slot};

    const int status = worker_pool_run(&pool);
    progress_end(&own.progress);
    run->seconds = pool.seconds;
    return status != EXIT_FREE || pool.finished ? status : EXIT_INTERRUPTED;
}

// ---- what the counts become ------------------------------------------------------------------------------------

int question_report_interrupt(const Question* question, int64_t done, int64_t count, const char* items) {
    fprintf(stderr, "berth %s: interrupted after %lld of %lld %s\n", question->command, (long long)done,
            (long long)count, items);
    return EXIT_INTERRUPTED;
}

int question_exit_status(const Question* question, const AnswerCounts* counts, int64_t assumed) {
    if (counts->collision_count > 0) {
        return EXIT_COLLISION;
    }
    const bool stand =
        question->moving == BERTH_MOVING_STAND && berth_scene_moving_count(question->scene) > 0;
    const bool any_assumed = assumed > 0 || berth_scene_assumed_count(question->scene) > 0 || stand ||
                             counts->outside_count > 0 || question->warnings.count > 0;
    if (counts->unknown_count > 0) {
        return EXIT_UNKNOWN;
    }
    if (!question->options->strict || !any_assumed) {
        return EXIT_FREE;
    }

    // Without --quiet the answer lists them; JSON always does.
    if (question->options->quiet && !question->options->json) {
        fprintf(
            stderr,
            "berth %s: exit 3 because of --strict: something was assumed or warned about, but --quiet hides "
            "it\n",
            question->command);
    }
    return EXIT_UNKNOWN;
}

void question_json_summary(Text* text, const Question* question, const AnswerCounts* counts,
                           const char* items, double seconds, const char* interpolation, int64_t late) {
    Json json = json_writer(text);
    json_open(&json, '{');
    json_key_int(&json, items, counts->done);
    json_key_int(&json, "free", counts->free_count);
    json_key_int(&json, "collisions", counts->collision_count);
    json_key_int(&json, "unknown", counts->unknown_count);
    json_key_number(&json, "seconds", seconds);
    if (interpolation[0] != '\0') {
        json_key_text(&json, "interpolation", interpolation);
    }
    cli_json_assumed(&json, question->scene, question->moving, counts->outside_count, late,
                     counts->proven_count);
    json_close(&json, '}');
    text_puts(text, "\n");
}

void question_text_summary(Text* text, const AnswerCounts* counts, const char* items, double seconds) {
    text_printf(text, "%lld %s: %lld free, %lld in collision, %lld unknown; %.3g s\n",
                (long long)counts->done, items, (long long)counts->free_count,
                (long long)counts->collision_count, (long long)counts->unknown_count, seconds);
}
