// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What all commands share: messages and exit statuses, warnings, interrupts, named states.

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/files.h"

int cli_reject(const char* command, const char* format, ...) {
    warnings_show();
    fprintf(stderr, "berth %s: ", command);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return EXIT_WRONG;
}

// The program's advice for texts of the library with these ends: the library does not know the program's options.
const char* cli_find_advice(const char* text) {
    static const struct {
        const char *end, *advice;
    } known[] = {
        {"holds no robot, and none was given", ": pass --robot ROBOT.urdf (and --srdf ROBOT.srdf)"},
        {"and a robot or an SRDF was given", ": --robot and --srdf are only for files without one"},
        {"and another one was given", ": --robot is only for scene files without one"},
        {"is the unit wrong?", " Then use --dae-units ignore"},
        {"already exists", "; --force overwrites it"},
        {"an origin at a multiple of many cells, need less", ": --resolution, --origin"},
        {"needs both, or linear interpolation", ": --interpolation linear"},
    };

    const size_t length = strlen(text);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        const size_t end = strlen(known[i].end);
        if (length >= end && strcmp(text + length - end, known[i].end) == 0) {
            return known[i].advice;
        }
    }
    return "";
}

int cli_report_failure(BerthStatus status) {
    const char* text = berth_error_text();
    cli_clear_loading();
    warnings_show();
    // Texts about files begin with the file name; nothing is put before it, so that editors can jump to the place.
    fprintf(stderr, "%s%s\n", text[0] != '\0' ? text : berth_status_meaning(status), cli_find_advice(text));
    switch (status) {
    case BERTH_ERR_MEMORY:
    case BERTH_ERR_SYSTEM:
        return EXIT_MACHINE;
    case BERTH_ERR_CANCELLED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_WRONG;
    }
}

int cli_exit_status(BerthStatus status) {
    return status == BERTH_OK ? EXIT_FREE : cli_report_failure(status);
}

int cli_out_of_memory(void) {
    fputs("berth: out of memory\n", stderr);
    return EXIT_MACHINE;
}

// ---- interrupts ------------------------------------------------------------------------------------------------

// Written by the handler, read by every thread: ints that are always lock-free. While no hold is active, nothing has been
// answered or partly written, so the handler may end the program anywhere, even inside another library.
static atomic_int interrupted;
static atomic_int held;
static const char* watched_command = "";

static _Noreturn void end_at_once(void) {
    // Only functions that a handler may call; the first characters clear a progress line of loading.
    const char* const parts[] = {isatty(STDERR_FILENO) ? "\r\033[K" : "", "berth ", watched_command,
                                 ": interrupted\n"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        (void)!write(STDERR_FILENO, parts[i], strlen(parts[i]));
    }
    _exit(EXIT_INTERRUPTED);
}

static void on_interrupt(int signal_number) {
    (void)signal_number;
    atomic_store(&interrupted, 1);
    if (atomic_load(&held) == 0) {
        end_at_once();
    }
}

void cli_watch_interrupts(const char* command) {
    watched_command = command;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND;  // a second signal is not caught
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

bool cli_interrupted(void) {
    return atomic_load(&interrupted) != 0;
}

void cli_hold_interrupts(void) {
    atomic_fetch_add(&held, 1);
}

void cli_release_interrupts(void) {
    if (atomic_fetch_sub(&held, 1) == 1 && cli_interrupted()) {
        end_at_once();
    }
}

// ---- loading ---------------------------------------------------------------------------------------------------

// Smaller files are read before anybody looks at the screen.
enum { LARGE_FILE = 8 << 20 };
static const double LOADING_QUIET = 0.5, LOADING_EVERY = 0.1;

// One line on a terminal, which is overwritten.
static struct {
    bool on;     // there is a terminal, and progress is wanted
    bool shown;  // the line is visible
    double start, last;
} loading;

void cli_clear_loading(void) {
    if (loading.shown) {
        fputs("\r\033[K", stderr);
        loading.shown = false;
    }
}

// Whether it is time for a line: for large files at once, also when they have been read and something is built from them.
static bool is_loading_due(const char* path, double share, double now) {
    if (share >= 1.0 && loading.shown) {
        return true;
    }

    struct stat state;
    const bool large = !loading.shown && stat(path, &state) == 0 && state.st_size >= LARGE_FILE;
    return large || (now - loading.start >= LOADING_QUIET && now - loading.last >= LOADING_EVERY);
}

// For BerthIoOptions.progress.
static void show_loading(void* user, const char* path, double share) {
    (void)user;
    const double now = cli_seconds();
    if (!loading.on || !is_loading_due(path, share, now)) {
        return;
    }

    const char* slash = strrchr(path, '/');
    const char* name = slash != NULL ? slash + 1 : path;
    if (share < 1.0) {
        fprintf(stderr, "\r\033[Kreading %s %.0f %%", name, 100.0 * share);
    } else {
        fprintf(stderr, "\r\033[Kbuilding %s", name);
    }
    loading.shown = true;
    loading.last = now;
}

void cli_end_loading(void) {
    // After the end nothing more is written here: the view's thread calls this too.
    if (loading.on) {
        cli_clear_loading();
        loading.on = false;
    }
}

double cli_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool cli_make_io_options(const char* command, const Options* options, Warnings* warnings,
                         BerthIoOptions* out) {
    warnings_open(warnings, options);
    *out = berth_default_io_options();
    out->warn = warnings_add;
    out->user = warnings;
    out->files = files_of_program();
    if (out->files == NULL) {
        (void)cli_out_of_memory();
        return false;
    }
    loading.on = !options->quiet && isatty(STDERR_FILENO);
    loading.start = cli_seconds();
    out->progress = show_loading;
    out->packages = options->packages.items;
    out->package_count = options->packages.count;
    out->srdf = options->srdf;
    out->robot = options->robot;
    out->spheres_only = options->spheres_only;
    out->prove = options->strict || options->lint != NULL;

    for (int i = 0; i < options->packages.count; ++i) {
        const char* text = options->packages.items[i];
        const char* equals = strchr(text, '=');
        if (equals == NULL || equals == text || equals[1] == '\0') {
            cli_reject(command, "--package '%s': expected NAME=DIR", text);
            return false;
        }
    }

    if (options->dae_units != NULL) {
        out->ignore_dae_units = strcmp(options->dae_units, "ignore") == 0;
        if (!out->ignore_dae_units && strcmp(options->dae_units, "obey") != 0) {
            cli_reject(command, "--dae-units '%s': expected obey or ignore", options->dae_units);
            return false;
        }
    }

    return true;
}

bool cli_start(const char* command, const Options* options, Warnings* warnings, BerthIoOptions* out) {
    cli_watch_interrupts(command);
    return cli_make_io_options(command, options, warnings, out);
}

// The same path, or the same regular file under two names.
static bool is_same_file(const char* a, const char* b) {
    struct stat of_a, of_b;
    return strcmp(a, b) == 0 || (stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && S_ISREG(of_a.st_mode) &&
                                 of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino);
}

static int refuse_input(const char* output) {
    fprintf(stderr, "%s: is an input file; choose another output file\n", output);
    return EXIT_WRONG;
}

int cli_refuse_input_as_output(const Options* options, int first, const char* output) {
    const char* const named[] = {options->robot,         options->srdf,         options->segments,
                                 options->plan.problems, options->verify,       options->lint,
                                 options->compare,       options->map.balls,    options->monitor.input,
                                 options->states,        options->map.occupied, options->map.free};

    for (int i = first; output != NULL && i < options->argument_count; ++i) {
        if (is_same_file(output, options->arguments[i])) {
            return refuse_input(output);
        }
    }
    for (size_t i = 0; output != NULL && i < sizeof named / sizeof named[0]; ++i) {
        // "-" is standard input.
        if (named[i] != NULL && strcmp(named[i], "-") != 0 && is_same_file(output, named[i])) {
            return refuse_input(output);
        }
    }
    // A certificate lists the files that it was made from.
    if (options->certificate != NULL && files_of_program() != NULL) {
        berth_io_files_keep_sums(files_of_program(), true);
    }
    return files_reserve(output);
}

static bool robot_has_state(const BerthRobot* robot, const char* name) {
    const int32_t count = berth_robot_state_count(robot);
    for (int32_t i = 0; i < count; ++i) {
        const char* group = NULL;
        const char* state = berth_robot_state_name(robot, i, &group);
        const size_t length = group == NULL ? 0 : strlen(group);
        if (strcmp(state, name) == 0 || (length > 0 && strncmp(name, group, length) == 0 &&
                                         name[length] == '/' && strcmp(name + length + 1, state) == 0)) {
            return true;
        }
    }
    return false;
}

static int unknown_state(const char* command, const BerthScene* scene, const char* name) {
    Text known = {0};

    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const char* robot_name = "";
        const BerthRobot* robot = berth_scene_robot(scene, r, &robot_name, NULL);
        for (int32_t i = 0; i < berth_robot_state_count(robot); ++i) {
            const char* group = NULL;
            const char* state = berth_robot_state_name(robot, i, &group);
            text_printf(&known, "%s%s%s%s", known.size > 0 ? ", " : "",
                        berth_scene_robot_count(scene) > 1 ? robot_name : "",
                        berth_scene_robot_count(scene) > 1 ? "/" : "", state);
        }
    }

    if (known.size > 0) {
        (void)cli_reject(command, "no state is named '%s'; there are: %s", name, known.data);
    } else {
        (void)cli_reject(command,
                         "no state is named '%s': the scene has no named states "
                         "(they come from an SRDF: --srdf FILE, or srdf: in the scene)",
                         name);
    }

    text_free(&known);
    return EXIT_WRONG;
}

int cli_apply_named_state(const char* command, const BerthScene* scene, const char* name, double* values) {
    const int32_t robot_count = berth_scene_robot_count(scene);
    int found = 0;

    // First the whole name, for every robot that has such a state; else ROBOT/NAME.
    for (int pass = 0; pass < 2 && found == 0; ++pass) {
        double* first = values;
        for (int32_t r = 0; r < robot_count; ++r) {
            const char* robot_name = "";
            const BerthRobot* robot = berth_scene_robot(scene, r, &robot_name, NULL);
            const char* wanted = name;
            const size_t length = robot_name == NULL ? 0 : strlen(robot_name);
            if (pass == 1) {
                wanted = length > 0 && strncmp(name, robot_name, length) == 0 && name[length] == '/'
                             ? name + length + 1
                             : NULL;
            }

            if (wanted != NULL && robot_has_state(robot, wanted)) {
                const BerthStatus status = berth_robot_named_state(robot, wanted, first);
                if (status != BERTH_OK) {
                    return cli_report_failure(status);
                }
                ++found;
            }

            first += berth_robot_value_count(robot);
        }
    }
    return found > 0 ? EXIT_FREE : unknown_state(command, scene, name);
}

bool cli_read_engine(const char* command, const Options* options, BerthEngine* out) {
    *out = BERTH_ENGINE_DEFAULT;
    if (options->engine == NULL) {
        return true;
    }

    for (int i = 0; i < BERTH_ENGINE_COUNT; ++i) {
        if (strcmp(options->engine, berth_engine_name((BerthEngine)i)) == 0) {
            *out = (BerthEngine)i;
            return true;
        }
    }

    (void)cli_reject(command, "--engine '%s': expected one of boxes, rss, spheres", options->engine);
    return false;
}

int cli_make_state(const char* command, const Options* options, const BerthScene* scene, double* values) {
    const int32_t count = berth_scene_value_count(scene);
    if (count > 0) {
        memcpy(values, berth_scene_values(scene), (size_t)count * sizeof *values);
    }

    for (int i = 0; i < options->state.count; ++i) {
        const int status = cli_apply_named_state(command, scene, options->state.items[i], values);
        if (status != EXIT_FREE) {
            return status;
        }
    }

    for (int i = 0; i < options->at.count; ++i) {
        const BerthStatus status = berth_io_parse_state(options->at.items[i], scene, values);
        if (status != BERTH_OK) {
            fprintf(stderr, "berth %s: --at: ", command);
            return cli_report_failure(status);
        }
    }

    return EXIT_FREE;
}

void cli_describe_outside_limits(const BerthScene* scene, const double* values, int32_t value, char* text,
                                 size_t size) {
    char name[256];
    berth_scene_value_name(scene, value, name, sizeof name);

    int32_t first = 0;
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
        for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
            const BerthJointInfo joint = berth_robot_joint(robot, i);
            if (joint.first_value >= 0 && joint.has_limits && first + joint.first_value == value) {
                (void)snprintf(text, size, "%s = %g is outside its limits %g .. %g", name, values[value],
                               joint.lower, joint.upper);
                return;
            }
        }
        first += berth_robot_value_count(robot);
    }

    (void)snprintf(text, size, "%s = %g is outside its limits", name, values[value]);
}

void cli_json_counted(Json* json, const char* what, int64_t count) {
    json_open(json, '{');
    json_key_text(json, "what", what);
    json_key_int(json, "count", count);
    json_close(json, '}');
}

static void json_declared_and_proven(Json* json, const BerthScene* scene, int64_t proven) {
    json_key_open(json, "declared", '[');
    for (int32_t i = 0; i < berth_scene_declared_count(scene); ++i) {
        const BerthAssumed declared = berth_scene_declared(scene, i);
        cli_json_counted(json, declared.what, declared.count);
    }
    json_close(json, ']');
    json_key_int(json, "proven", proven);
}

void cli_json_assumed(Json* json, const BerthScene* scene, BerthMoving moving, int64_t outside, int64_t late,
                      int64_t proven) {
    json_key_open(json, "assumed", '[');

    const int32_t count = berth_scene_assumed_count(scene);
    for (int32_t i = 0; i < count; ++i) {
        const BerthAssumed assumed = berth_scene_assumed(scene, i);
        cli_json_counted(json, assumed.what, assumed.count);
    }

    const int32_t standing = moving == BERTH_MOVING_STAND ? berth_scene_moving_count(scene) : 0;
    if (standing > 0) {
        cli_json_counted(json, "moving_objects_stand", standing);
    }
    if (late > 0) {
        cli_json_counted(json, "stands_before_start", late);
    }
    if (outside > 0) {
        cli_json_counted(json, "outside_limits", outside);
    }
    json_close(json, ']');
    json_declared_and_proven(json, scene, proven);
}

void cli_json_no_pairs(Json* json) {
    json_key_open(json, "declared", '[');
    json_close(json, ']');
    json_key_int(json, "proven", 0);
}

int32_t cli_map_left(const BerthScene* scene, int32_t body_a, int32_t body_b, BerthVec3 point) {
    if (berth_scene_outside_map(scene, body_b, point)) {
        return body_b;
    }
    return berth_scene_outside_map(scene, body_a, point) ? body_a : -1;
}

void cli_json_map_left(Json* json, const BerthScene* scene, int32_t body_a, int32_t body_b, BerthVec3 point) {
    if (cli_map_left(scene, body_a, body_b, point) >= 0) {
        json_key_bool(json, "outside_map", true);
    }
}

void cli_text_map_left(Text* text, const BerthScene* scene, int32_t body_a, int32_t body_b, BerthVec3 point) {
    const int32_t map = cli_map_left(scene, body_a, body_b, point);
    if (map >= 0) {
        text_printf(
            text,
            ", outside the map: the space beyond the border of %s is an obstacle unless its 'map' has "
            "'outside: free'",
            berth_scene_body_name(scene, map));
    }
}

// Details may list a hundred pairs; their beginning is enough here.
static void put_detail(Text* text, const char* word, const char* detail) {
    const size_t most = 110;
    const size_t size = strlen(detail);

    text_printf(text, "%s: ", word);
    if (size <= most) {
        text_puts(text, detail);
    } else {
        size_t cut = most;
        while (cut > 1 && detail[cut] != ' ') {
            --cut;
        }
        text_add(text, detail, cut);
        text_puts(text, " ... (berth info lists all)");
    }
    text_puts(text, "\n");
}

void cli_text_assumed(Text* text, const BerthScene* scene, BerthMoving moving, int64_t outside, int64_t late,
                      int64_t proven) {
    for (int32_t i = 0; i < berth_scene_declared_count(scene); ++i) {
        put_detail(text, "declared", berth_scene_declared(scene, i).detail);
    }
    if (proven > 0) {
        text_printf(text, "proven: %lld %s apart within joint limits, by the SRDF's table\n",
                    (long long)proven, proven == 1 ? "pair is" : "pairs are");
    }

    const int32_t count = berth_scene_assumed_count(scene);
    for (int32_t i = 0; i < count; ++i) {
        put_detail(text, "assumed", berth_scene_assumed(scene, i).detail);
    }

    const int32_t standing = moving == BERTH_MOVING_STAND ? berth_scene_moving_count(scene) : 0;
    if (standing > 0) {
        const bool one = standing == 1;
        text_printf(text, "assumed: %d %s that may move on %s own stay%s where the scene has %s\n",
                    (int)standing, one ? "object" : "objects", one ? "its" : "their", one ? "s" : "",
                    one ? "it" : "them");
    }
    if (late > 0) {
        text_printf(text, "assumed: until its trajectory begins, a robot stands in its first row (%lld)\n",
                    (long long)late);
    }
    if (outside > 0) {
        text_printf(text, "assumed: values outside joint limits are intended (%lld)\n", (long long)outside);
    }
}
