// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The berth command: what its files share. Exit statuses, options, output, messages, opening a scene.

#ifndef CLI_H
#define CLI_H

#include <berth/berth.h>
#include <berth/lab.h>
#include <stdio.h>

/// Exit status: docs/berth.1 has what each means.
enum {
    EXIT_FREE = 0,          ///< done; nothing in the way
    EXIT_COLLISION = 1,     ///< done; something is in the way
    EXIT_WRONG = 2,         ///< the request or an input file is wrong
    EXIT_UNKNOWN = 3,       ///< no collision, but some answer is unknown; --strict: something was assumed
    EXIT_MACHINE = 4,       ///< out of memory, disk full
    EXIT_INTERRUPTED = 130  ///< Ctrl-C
};

// ---- options -------------------------------------------------------------------------------------------------

#define TEXT_LIST_MAX 64
enum { GIVEN_BYTES = 32 };

/// The values of an option that may be repeated. Borrowed from argv.
typedef struct TextList {
    const char* items[TEXT_LIST_MAX];
    int count;
} TextList;

/// Options of `monitor`. A number that was not given is 0; robot_uncertainty, jump_slack, reorder and rows_most are then < 0.
typedef struct MonitorOptions {
    const char* input;
    TextList outputs, from, topics, frames, sources, clouds, maps, choices;
    const char* key;
    bool trust_network;
    const char *log, *stats, *rows, *limit_tolerance, *index, *test_delay, *test_fault;
    bool fast, not_real_time, auto_start, objects_stand, differences, interpolate;
    bool explain, refine, fixed_buffers, latch_near, no_scale;
    double rate, speed, seconds, bench, valid_for, skew, watchdog, crawl;
    double model_error, tracking_error, robot_uncertainty, load_mass, jump_slack;
    int64_t cycles, reorder, rows_most;
    int good, capsules, boxes, priority, rows_every;
} MonitorOptions;

/// Options of `map`.
typedef struct MapOptions {
    const char *structure, *unknown, *outside, *origin, *metric, *balls, *stats;
    const char *occupied, *free, *slice;  ///< files of points; a height
    TextList ball, scan, sensor;
    bool esdf, gradient;
    double range;
    int levels;  ///< 0: not given; also for random
    int64_t random;
    double radius;
} MapOptions;

/// Options of `plan`.
typedef struct PlanOptions {
    const char *from, *planner, *problems, *group, *weights;
    TextList to, goal_poses;
    bool no_shorten, timed;
} PlanOptions;

/// Options of `view`.
typedef struct ViewOptions {
    const char *trajectory, *monitor, *html, *png;
    int64_t port;  ///< < 0: not given; 0: any free port
    bool no_open;
} ViewOptions;

/// Everything that the command line can give. Texts are borrowed from argv.
typedef struct Options {
    // every command
    bool json, quiet, verbose, strict, help;
    int threads;  ///< 0: as many as there are processors
    int64_t seed;
    TextList packages;
    const char* srdf;
    const char* robot;
    const char* dae_units;
    // check
    TextList at, state;
    const char* states;
    const char* range;
    bool summary, distance, all, limits;
    double margin;
    double delta;  ///< < 0: not given; also for resolution
    const char* engine;
    // path
    const char* segments;
    const char* method;
    const char* interpolation;
    const char* moving;
    const char* tracking_error;
    const char* certificate;
    const char* verify;
    double resolution;
    double self_margin;  ///< < 0: not given
    double time;         ///< seconds; 0: not given
    bool first_contact, wrap, no_clearance;
    // info
    bool pairs, show_capsules;
    // new
    const char* output;
    bool force;
    // spheres
    int count;
    double protrusion;  ///< < 0: not given
    TextList links;
    const char* srdf_out;
    const char* compare;
    double effort;  ///< < 0: not given
    // srdf
    const char* lint;
    int sample;  ///< 0: not given; also for budget
    int budget;
    bool allow_default;
    MonitorOptions monitor;
    MapOptions map;
    // contact
    const char* follower;
    const char* coupling;
    const char* levels;
    int steps;  ///< 0: not given; also for dt
    double dt;
    bool constrain, rate, skip_allowed;
    double live_period, live_silence, force_limit;  ///< of a live follower; 0: not given
    // batch
    const char* clearance;
    bool resume;
    bool spheres_only;  ///< also check, path and info
    PlanOptions plan;
    ViewOptions view;
    const char* report;  ///< path, plan, monitor, spheres, map
    // what is not an option
    const char* arguments[TEXT_LIST_MAX];
    int argument_count;
    uint8_t given[GIVEN_BYTES];  ///< a bit for each option in the table: it was given
} Options;

typedef struct Command {
    const char* name;
    const char* about;  ///< one line for the list of commands
    unsigned mask;      ///< which options it has
    const char* usage;  ///< after "berth NAME"
    const char* help;   ///< the text below the options in its help
    int (*run)(const Options* options);
} Command;

/// Bits of Command.mask.
enum {
    FOR_CHECK = 1,
    FOR_INFO = 2,
    FOR_NEW = 4,
    FOR_PATH = 8,
    FOR_SPHERES = 16,
    FOR_SRDF = 32,
    FOR_MONITOR = 64,
    FOR_MAP = 128,
    FOR_CONTACT = 256,
    FOR_BATCH = 512,
    FOR_PLAN = 1024,
    FOR_VIEW = 2048,
    FOR_ALL = 4095
};

/// Reads argv after the command's name. Returns false after printing what is wrong.
bool cli_parse_options(const Command* command, int argc, char** argv, Options* out);
/// Refuses the options in `names` (ends with null) that were given: "--NAME does nothing WHY". EXIT_FREE, or EXIT_WRONG
/// after a message.
int cli_refuse_idle(const char* command, const Options* options, const char* const* names, const char* why);
/// Prints the command's options, one per line, as part of the help text on `stream`.
void cli_print_options(FILE* stream, const Command* command, const char* const* without);
/// Prints a help text in lines that fit the terminal. Paragraphs are filled again; indented lines keep their columns.
void cli_print_help_text(FILE* stream, const char* text);

/// Prints an option with its value, and its description beside and below it.
void cli_print_help_option(FILE* stream, const char* left, const char* words);

/// Prints the help of `berth map NAME`; false if there is no such command.
bool cli_print_map_help(FILE* stream, const Command* command, const char* name);

extern const char cli_batch_help[];
extern const char cli_check_help[];
extern const char cli_contact_help[];
extern const char cli_info_help[];
extern const char cli_map_help[];
extern const char cli_monitor_help[];
extern const char cli_new_help[];
extern const char cli_path_help[];
extern const char cli_plan_help[];
extern const char cli_spheres_help[];
extern const char cli_srdf_help[];
extern const char cli_view_help[];
int cli_run_batch(const Options* options);
int cli_run_check(const Options* options);
int cli_run_contact(const Options* options);
int cli_run_info(const Options* options);
int cli_run_map(const Options* options);
int cli_run_monitor(const Options* options);
int cli_run_new(const Options* options);
int cli_run_path(const Options* options);
int cli_run_plan(const Options* options);
int cli_run_spheres(const Options* options);
int cli_run_srdf(const Options* options);
int cli_run_view(const Options* options);

// ---- standard output -----------------------------------------------------------------------------------------

/// Text that grows. When memory runs out, `failed` is set and later calls do nothing.
typedef struct Text {
    char* data;
    size_t size, capacity;
    bool failed;
} Text;

void text_free(Text* text);
void text_add(Text* text, const char* bytes, size_t size);
void text_puts(Text* text, const char* string);
void text_printf(Text* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Numbers for programs and lengths for people, as guard/numbers.h has them.
void text_number(Text* text, double value);
void text_triple(Text* text, BerthVec3 v);
void text_length(Text* text, double metres);
/// Appends a length in millimetres, in a column `width` wide.
void text_millimetres(Text* text, double metres, int width);
/// (x, y, z) in metres.
void text_point(Text* text, BerthVec3 p);
/// Appends a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void text_quoted(Text* text, const char* string);

/// Appends "wrote FILE" for people; nothing without a file, with --quiet or with --json.
void text_wrote(Text* text, const Options* options, const char* file);

/// Writes the text to standard output and empties it. Returns EXIT_FREE, or EXIT_MACHINE with a message (none if the reader
/// closed the pipe).
int cli_write_output(Text* text);

// ---- JSON ----------------------------------------------------------------------------------------------------

/// Writes one JSON value piece by piece, with its commas. At most 16 levels deep.
typedef struct Json {
    Text* text;
    int depth;
    bool filled[16];  ///< the open array or object has an element
    bool keyed;       ///< a key was written, its value is next
} Json;

Json json_writer(Text* text);
void json_open(Json* json, char bracket);  ///< '{' or '['
void json_close(Json* json, char bracket);
void json_key(Json* json, const char* key);
void json_text(Json* json, const char* value);  ///< null when value is NULL
void json_number(Json* json, double value);
void json_int(Json* json, int64_t value);
void json_bool(Json* json, bool value);
void json_put_null(Json* json);  ///< not json_null, which is a function of libjansson
void json_vec3(Json* json, BerthVec3 v);
/// Copies the members of an object that was written before into this one.
void json_members(Json* json, const Text* object);
// The same, after a key.
void json_key_open(Json* json, const char* key, char bracket);
void json_key_text(Json* json, const char* key, const char* value);
void json_key_number(Json* json, const char* key, double value);
void json_key_int(Json* json, const char* key, int64_t value);
void json_key_bool(Json* json, const char* key, bool value);
void json_key_vec3(Json* json, const char* key, BerthVec3 v);

// ---- messages ------------------------------------------------------------------------------------------------

/// Prints "berth NAME: ..." on standard error; returns EXIT_WRONG.
int cli_reject(const char* command, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// Prints the library's text about a failure; returns its exit status.
int cli_report_failure(BerthStatus status);
/// EXIT_FREE for BERTH_OK, else as cli_report_failure.
int cli_exit_status(BerthStatus status);
int cli_out_of_memory(void);

/// Clears the line that shows the progress of loading, if there is one.
void cli_clear_loading(void);
/// The program's advice for a text of the library, found by the end of the text; "" if there is none.
const char* cli_find_advice(const char* text);

/// Warnings that differ only in names and numbers.
typedef struct WarningKind {
    Text kind;   ///< zero-terminated; their common text
    Text first;  ///< the first of them
    int count, shown;
} WarningKind;

/// Warnings of one run: printed on standard error (unless quiet), one line per kind or with --verbose each one, and kept
/// for `info`.
typedef struct Warnings {
    bool quiet, verbose;
    Text kept;  ///< zero-terminated lines, one after the other
    int count;
    WarningKind* kinds;
    int kind_count;
} Warnings;

/// Starts without warnings; from now on warnings_show() prints these.
void warnings_open(Warnings* warnings, const Options* options);
void warnings_add(void* warnings, const char* text);
/// Prints the warnings that were not printed yet. Called before every message and answer; call it before long work.
void warnings_show(void);
void warnings_close(Warnings* warnings);

/// From now on Ctrl-C and SIGTERM end the program with EXIT_INTERRUPTED. While no hold is active they end it at once,
/// wherever it is; otherwise cli_interrupted() becomes true, and working code must look at it. A second signal always
/// ends the program.
void cli_watch_interrupts(const char* command);
bool cli_interrupted(void);
/// Begins a hold: something finished must be kept, or something begun must not be cut off (answers, files). May be nested.
void cli_hold_interrupts(void);
/// Ends a hold. If it was the last one, an interrupt that came in the meantime ends the program here.
void cli_release_interrupts(void);
/// Ends the lines about files being read: the command is about to answer.
void cli_end_loading(void);

/// Seconds on a clock that only goes forward.
double cli_seconds(void);

// ---- scenes and states ---------------------------------------------------------------------------------------

/// Sets up empty warnings, and makes file options from the command line's options; they point to both. False after a message.
bool cli_make_io_options(const char* command, const Options* options, Warnings* warnings,
                         BerthIoOptions* out);
/// The same, and calls cli_watch_interrupts: for commands that handle Ctrl-C themselves.
bool cli_start(const char* command, const Options* options, Warnings* warnings, BerthIoOptions* out);
/// Refuses an output (may be null) that is one of the files on the command line that are read (arguments from `first` on,
/// and what options name) or another output; a reader that meets it later, named by a scene, refuses it too. EXIT_FREE, or
/// a status after a message.
int cli_refuse_input_as_output(const Options* options, int first, const char* output);
/// Reads `count` numbers separated by commas and nothing else; none beyond 1e7.
bool cli_read_numbers(const char* text, int count, double* out);
/// Reads --engine; the default if it was not given. False after a message.
bool cli_read_engine(const char* command, const Options* options, BerthEngine* out);
/// Writes a named state (NAME, GROUP/NAME, ROBOT/NAME or ROBOT/GROUP/NAME) over `values`. EXIT_FREE, or a status
/// after a message.
int cli_apply_named_state(const char* command, const BerthScene* scene, const char* name, double* values);
/// Writes the state of the scene, changed by --state and --at. EXIT_FREE, or a status after a message.
int cli_make_state(const char* command, const Options* options, const BerthScene* scene, double* values);
/// "JOINT = VALUE is outside its limits LOW .. HIGH"
void cli_describe_outside_limits(const BerthScene* scene, const double* values, int32_t value, char* text,
                                 size_t size);
/// {"what", "count"}: one entry of what is assumed or declared.
void cli_json_counted(Json* json, const char* what, int64_t count);
/// Writes "assumed": what the scene assumes, then what the request assumes (if not 0): moving objects that are taken to
/// stand, values outside their limits, trajectories that begin later than others. Then "declared", and "proven": `proven`
/// pairs.
void cli_json_assumed(Json* json, const BerthScene* scene, BerthMoving moving, int64_t outside, int64_t late,
                      int64_t proven);
/// "declared" and "proven" for an answer that is not about pairs.
void cli_json_no_pairs(Json* json);
/// If a hit of two bodies at `point` is outside a map: the body of the map; else -1.
int32_t cli_map_left(const BerthScene* scene, int32_t body_a, int32_t body_b, BerthVec3 point);
/// In that case adds "outside_map": true; as text, that it is outside, and the key of the scene that changes this.
void cli_json_map_left(Json* json, const BerthScene* scene, int32_t body_a, int32_t body_b, BerthVec3 point);
void cli_text_map_left(Text* text, const BerthScene* scene, int32_t body_a, int32_t body_b, BerthVec3 point);
/// Adds a line "declared: ...", "proven: ..." or "assumed: ..." for each of these.
void cli_text_assumed(Text* text, const BerthScene* scene, BerthMoving moving, int64_t outside, int64_t late,
                      int64_t proven);

#endif
