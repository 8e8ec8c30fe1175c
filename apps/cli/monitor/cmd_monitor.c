// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth monitor: turns the request into the guard's settings. The loop is in apps/guard.
// Entry: cli_run_monitor.

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "cli/files.h"
#include "cli/monitor/monitor.h"
#include "view/view.h"

const char cli_monitor_help[] =
    "Reads joint angles, and in every cycle sends a permit that expires, or STOP, with the nearest pair, "
    "its distance, its speed of approach and the time to contact. If anything is unknown, late, stale, "
    "malformed, outside limits or too fast, it sends STOP until a reset. It can only take permission "
    "away, behind a rated device.\n"
    "\n"
    "SCENE needs 'safety:' with all its keys and, for every joint, a velocity and a deceleration limit "
    "('limits:'; without a deceleration the acceleration limit is used, which is reported as assumed).\n"
    "\n"
    "SOURCE is\n"
    "  FILE.csv|.json|.yaml|.npy  recorded joint angles, replayed one row per cycle, or by 'time' or --rate\n"
    "  FILE.jsonl                 recorded messages, replayed by their time stamps\n"
    "  -                          live on standard input: messages in JSON, or rows under a header of "
    "joint names\n"
    "  udp:HOST:PORT              live datagrams, binary or JSON (port 0: any free port, which is printed)\n"
    "  dds:/TOPIC[@DOMAIN]        live ROS 2 joint states (dds: is /joint_states); --topic for clouds and "
    "poses; append +udp:HOST:PORT for everything else\n"
    "\n"
    "Datagrams from other hosts are accepted only with --key FILE, which signs messages in both "
    "directions, or with --trust-network. DDS messages cannot be signed, so DDS needs --trust-network.\n"
    "\n"
    "A replay starts by itself. Live input needs a reset: a reset message, or SIGUSR2. SIGUSR1 writes "
    "statistics.\n"
    "\n"
    "examples:\n"
    "  berth monitor cell.yaml --input task2.csv --fast\n"
    "  berth monitor cell.yaml --explain\n"
    "  berth monitor cell.yaml --input udp:127.0.0.1:7400 --output udp:127.0.0.1:7401 --log guard.log "
    "--stats guard.prom\n"
    "  berth monitor cell.yaml --input udp:10.0.0.2:7400 --output udp:10.0.0.7:7401 --key guard.key\n"
    "  berth monitor cell.yaml --input dds:/joint_states --output dds:/berth/permit --trust-network "
    "--topic /tf\n"
    "  berth monitor cell.yaml --bench 60\n"
    "\n"
    "with --json, one event per line:\n"
    "  {\"event\": \"start\", \"time\": 0, \"cycle\": 0, \"real_time\": false, \"monitor\": \"it can "
    "only take permission\n"
    "   away, behind a rated device\", \"machine\": \"...\", \"scene\": \"cell.yaml\", \"sources\": "
    "[\"state\"], ...}\n"
    "  {\"event\": \"go\", \"time\": 0, \"cycle\": 0, \"real_time\": false, \"sequence\": 1, \"a\": "
    "null, ...}\n"
    "  {\"event\": \"stop\", \"time\": 1.19, \"cycle\": 119, \"real_time\": false, \"sequence\": 120, "
    "\"reason\": \"near\",\n"
    "   \"cause\": \"none\", \"joint\": null, \"source\": null, \"a\": \"left/link7\", \"b\": \"table\", "
    "\"distance\": 0.081,\n"
    "   \"required\": 0.0812, \"point_a\": [1, 0.2, 0.8], \"point_b\": [1, 0.2, 0.7], \"approach\": 0.31,\n"
    "   \"time_to_contact\": 0.26, \"scale\": 0.1875, \"scale_a\": \"left/link7\", \"scale_b\": "
    "\"table\", \"hidden\": 0}\n"
    "  {\"event\": \"end\", ..., \"cycles\": 150, \"permits\": 119, \"stops\": {\"near\": 31, \"end\": "
    "1}, ...}\n"
    "\n"
    "exit status: a replay 0 if there was a permit in every cycle, 1 if it stopped for nearness, 3 if it "
    "stopped for another reason; live 0 when ended by SIGTERM, SIGINT, --cycles or --seconds; 2 wrong "
    "request or file, or no real-time rights without --not-real-time; 4 the machine failed, 5 the loop "
    "hung and the watchdog ended it\n";

// ---- faults for the laboratory -------------------------------------------------------------------------------

static bool read_cycle(const char* text, int64_t* out) {
    char* end = NULL;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *out >= 0;
}

static int read_faults(const MonitorOptions* given, GuardSettings* settings) {
    if (given->test_delay != NULL) {
        char* end = NULL;
        settings->fault = GUARD_FAULT_DELAY;
        settings->fault_seconds = strtod(given->test_delay, &end);
        if (*end != '@' || !read_cycle(end + 1, &settings->fault_cycle) ||
            !(settings->fault_seconds >= 0.0 && settings->fault_seconds < 60.0)) {
            return cli_reject("monitor", "--test-delay '%s': expected SECONDS@CYCLE", given->test_delay);
        }
    }

    if (given->test_fault == NULL) {
        return EXIT_FREE;
    }

    static const struct {
        const char* name;
        GuardFault fault;
    } kinds[] = {{"hang@", GUARD_FAULT_HANG},
                 {"rounding@", GUARD_FAULT_ROUNDING},
                 {"flush@", GUARD_FAULT_FLUSH},
                 {"model@", GUARD_FAULT_MODEL}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        const size_t length = strlen(kinds[i].name);
        if (strncmp(given->test_fault, kinds[i].name, length) == 0 &&
            read_cycle(given->test_fault + length, &settings->fault_cycle)) {
            settings->fault = kinds[i].fault;
            return EXIT_FREE;
        }
    }

    return cli_reject("monitor", "--test-fault '%s': expected hang@CYCLE, rounding@, flush@ or model@CYCLE",
                      given->test_fault);
}

// ---- settings ------------------------------------------------------------------------------------------------

static int read_lists(const MonitorOptions* given, GuardSettings* settings) {
    if (given->outputs.count > GUARD_LIST_MAX || given->from.count > GUARD_LIST_MAX ||
        given->topics.count > GUARD_LIST_MAX || given->frames.count > GUARD_LIST_MAX) {
        return cli_reject("monitor", "--output, --from, --topic and --frame: at most %d each",
                          GUARD_LIST_MAX);
    }

    for (int i = 0; i < given->topics.count; ++i) {
        settings->topics[settings->topic_count++] = given->topics.items[i];
    }
    for (int i = 0; i < given->frames.count; ++i) {
        settings->frames[settings->frame_count++] = given->frames.items[i];
    }

    for (int i = 0; i < given->outputs.count; ++i) {
        settings->outputs[settings->output_count++] = given->outputs.items[i];
    }
    for (int i = 0; i < given->from.count; ++i) {
        settings->from[settings->from_count++] = given->from.items[i];
    }
    return EXIT_FREE;
}

// RAD,M: for joints that turn and joints that slide.
static int read_limit_tolerance(const char* text, BerthMonitorDef* def) {
    double given[2];
    int32_t count = 0;
    const char* at = text;
    while (at != NULL && count < 2) {
        char* end = NULL;
        given[count++] = strtod(at, &end);
        const bool is_number = end != at && (*end == ',' || *end == '\0');
        at = is_number && *end == ',' ? end + 1 : NULL;
        if (!is_number || !(given[count - 1] >= 0.0 && given[count - 1] <= 1.0)) {
            count = 0;
            break;
        }
    }

    if (count != 2 || at != NULL) {
        return cli_reject(
            "monitor",
            "--limit-tolerance '%s': expected RAD,M: for joints that turn and for joints that slide, each "
            "from 0 to 1",
            text);
    }
    memcpy(def->limit_tolerance, given, sizeof given);
    return EXIT_FREE;
}

// --index KIND[,N], for comparison.
static int read_index(const char* text, GuardSettings* settings) {
    const size_t length = strcspn(text, ",");
    char* end = NULL;
    const long leaf_limit = text[length] == ',' ? strtol(text + length + 1, &end, 10) : 0;
    const bool right = text[length] == '\0' ||
                       (end != text + length + 1 && *end == '\0' && leaf_limit >= 1 && leaf_limit <= 1000000);

    for (int i = 0; right && i < BERTH_INDEX_KIND_COUNT; ++i) {
        const char* name = berth_index_kind_name((BerthIndexKind)i);
        if (strlen(name) == length && strncmp(text, name, length) == 0) {
            settings->lab = (BerthMonitorLab){(BerthIndexKind)i, (int32_t)leaf_limit};
            settings->def.lab = &settings->lab;
            return EXIT_FREE;
        }
    }
    return cli_reject(
        "monitor",
        "--index '%s': expected octree, list, grid or region, optionally followed by ,N: 1 to 1000000 "
        "bodies in a node",
        text);
}

static void read_def(const MonitorOptions* given, bool replay, BerthMonitorDef* def) {
    def->skew_limit = given->skew > 0.0 ? given->skew : def->skew_limit;
    if (given->good > 0) {
        def->good_needed = given->good;
    } else if (replay) {
        def->good_needed = 1;
    }

    def->jump_slack = given->jump_slack >= 0.0 ? given->jump_slack : def->jump_slack;
    def->reorder = given->reorder >= 0 ? (uint64_t)given->reorder : def->reorder;
    def->model_error = given->model_error;
    def->tracking_error = given->tracking_error;
    def->robot_uncertainty = fmax(given->robot_uncertainty, 0.0);
    def->fixed_buffers = given->fixed_buffers;
    def->latch_near = given->latch_near;
    def->crawl = given->crawl;
    def->speed_scale = !given->no_scale;
    def->refine = given->refine;
    def->load_mass = given->load_mass > 0.0 ? given->load_mass : def->load_mass;
    def->capsules = given->capsules > 0 ? given->capsules : def->capsules;
    def->boxes = given->boxes > 0 ? given->boxes : def->boxes;
}

// A missing term of the separation from people is refused, not taken as 0.
static bool has_people(const BerthScene* scene, const BerthMonitorDef* def) {
    for (int32_t i = 0; i < berth_scene_object_count(scene); ++i) {
        BerthObjectInfo info;
        if (berth_scene_object(scene, berth_scene_object_at(scene, i), &info) == BERTH_OK && info.person) {
            return true;
        }
    }

    for (int32_t i = 0; i < def->cloud_count; ++i) {
        if (def->clouds[i].person) {
            return true;
        }
    }
    return false;
}

static int read_settings(const Options* options, const BerthScene* scene, const BerthIoOptions* io,
                         const BerthMonitorDef* declared, GuardSettings* settings) {
    const MonitorOptions* given = &options->monitor;
    const bool live =
        given->input != NULL && (strcmp(given->input, "-") == 0 || strncmp(given->input, "udp:", 4) == 0 ||
                                 strncmp(given->input, "dds:", 4) == 0);

    *settings = (GuardSettings){.scene = scene,
                                .io = io,
                                .scene_name = options->arguments[0],
                                .def = *declared,
                                .input = given->input,
                                .key = given->key,
                                .trust_network = given->trust_network,
                                .log = given->log,
                                .stats = given->stats,
                                .rows = given->rows,
                                .rows_every = given->rows_every > 0 ? given->rows_every : 1,
                                .rows_most = given->rows_most >= 0 ? given->rows_most : 1000000,
                                .json = options->json,
                                .quiet = options->quiet,
                                .fast = given->fast,
                                .not_real_time = given->not_real_time,
                                .auto_start = given->auto_start,
                                .objects_stand = given->objects_stand,
                                .differences = given->differences,
                                .interpolate = given->interpolate,
                                .rate = given->rate,
                                .speed = given->speed > 0.0 ? given->speed : 1.0,
                                .cycles = given->cycles,
                                .seconds = given->bench > 0.0 ? given->bench : given->seconds,
                                .bench = given->bench > 0.0,
                                .priority = given->priority > 0 ? given->priority : 80,
                                .watchdog = given->watchdog > 0.0 ? given->watchdog : 1.0};

    read_def(given, !live, &settings->def);
    if (!berth_scene_safety(scene, &settings->def.safety)) {
        return cli_reject("monitor", "%s has no 'safety: {period, latency, reaction, silence, margin}'",
                          options->arguments[0]);
    }

    if (given->robot_uncertainty < 0.0 && has_people(scene, &settings->def)) {
        return cli_reject(
            "monitor",
            "the scene has people: give the position uncertainty of the robots, --robot-uncertainty M (Z_r "
            "of their separation distance)");
    }

    // A permit is valid for half a cycle longer than its own, so that a cycle that starts a little late causes no STOP.
    const double period = settings->def.safety.period;
    settings->def.valid_for =
        given->valid_for > 0.0 ? given->valid_for : fmax(settings->def.valid_for, 1.5 * period);
    if (settings->def.valid_for < period && !options->quiet) {
        fprintf(stderr,
                "warning: a permit is valid for %g s but a cycle takes %g s: there is no valid permit in "
                "between\n",
                settings->def.valid_for, period);
    }

    if (settings->priority > 98) {
        return cli_reject("monitor", "--priority %d: expected 1 to 98", settings->priority);
    }

    int status = EXIT_FREE;
    if (given->limit_tolerance != NULL) {
        status = read_limit_tolerance(given->limit_tolerance, &settings->def);
    }
    if (status == EXIT_FREE && given->index != NULL) {
        status = read_index(given->index, settings);
    }
    status = status == EXIT_FREE ? read_lists(given, settings) : status;
    return status == EXIT_FREE ? read_faults(given, settings) : status;
}

static int run_scene(const Options* options, const BerthScene* scene, const BerthIoOptions* io,
                     const Warnings* warnings) {
    Declared declared = {0};
    GuardSettings settings;
    GuardError error = {0};

    int status = monitor_declare(&options->monitor, scene, &declared);
    if (status == EXIT_FREE) {
        status = read_settings(options, scene, io, &declared.def, &settings);
    }

    if (status == EXIT_FREE && options->monitor.explain) {
        status = monitor_explain(&settings, options->json);
    } else if (status == EXIT_FREE) {
        status = guard_run(&settings, &error);
        if (error.text[0] != '\0') {
            fprintf(stderr, "%s%s\n", error.about_file ? "" : "berth monitor: ", error.text);
        }
    }

    const bool assumed = berth_scene_assumed_count(scene) > 0 || warnings->count > 0 || error.assumed;
    if (status == EXIT_FREE && options->strict && assumed) {
        status = EXIT_UNKNOWN;
    }

    monitor_undeclare(&declared);
    return status;
}

// --report needs the rows of --rows: if those are not requested, they go to a temporary file.
static int run_reported(const Options* options, const BerthScene* scene, const BerthIoOptions* io,
                        ViewVisuals* visuals, const Warnings* warnings) {
    const char* base = getenv("TMPDIR");
    char path[512];
    Options changed = *options;
    (void)snprintf(path, sizeof path, "%s/berth-rows-XXXXXX.csv",
                   base != NULL && base[0] == '/' ? base : "/tmp");
    const bool is_own = options->monitor.rows == NULL;
    const int fd = is_own ? mkstemps(path, 4) : -1;
    if (is_own && fd < 0) {
        return files_report_error(path, "cannot be made");
    }
    if (is_own) {
        (void)close(fd);
        changed.monitor.rows = path;
    }

    // The exit status follows from the guard's decisions; a report that cannot be written is a further failure.
    const int status = run_scene(&changed, scene, io, warnings);
    int wrote = EXIT_FREE;
    if (status == EXIT_FREE || status == EXIT_COLLISION || status == EXIT_UNKNOWN) {
        wrote = monitor_write_report(options, scene, io, visuals, changed.monitor.rows);
        Text text = {0};
        text_wrote(&text, options, wrote == EXIT_FREE ? options->report : NULL);
        wrote = wrote == EXIT_FREE ? cli_write_output(&text) : wrote;
        text_free(&text);
    }
    if (is_own) {
        (void)unlink(path);
    }
    return wrote != EXIT_FREE ? wrote : status;
}

int cli_run_monitor(const Options* options) {
    const MonitorOptions* given = &options->monitor;
    guard_hold_standard_files();
    if (options->argument_count != 1) {
        if (options->argument_count == 0) {
            return cli_reject("monitor",
                              "which scene? usage: berth monitor SCENE --input SOURCE; 'berth help monitor' "
                              "has more");
        }
        return cli_reject("monitor", "expected one scene, not also '%s'", options->arguments[1]);
    }

    if (given->input == NULL && !given->explain && !(given->bench > 0.0)) {
        return cli_reject("monitor",
                          "which input? --input FILE, '-' or udp:HOST:PORT; or --explain, --bench S");
    }
    if (given->fast && given->bench > 0.0) {
        return cli_reject("monitor", "--bench measures cycles in real time, not with --fast");
    }

    int status = cli_refuse_input_as_output(options, 0, given->log);
    if (status == EXIT_FREE) {
        status = cli_refuse_input_as_output(options, 0, given->stats);
    }
    if (status == EXIT_FREE) {
        status = cli_refuse_input_as_output(options, 0, given->rows);
    }
    if (status == EXIT_FREE) {
        status = files_check_report(options);
    }
    if (status != EXIT_FREE) {
        return status;
    }

    Warnings warnings;
    BerthIoOptions io;
    if (!cli_start("monitor", options, &warnings, &io)) {
        return EXIT_WRONG;
    }

    BerthScene* scene = NULL;
    ViewVisuals visuals = {0};
    BerthIoOptions told = io;
    if (options->report != NULL) {
        const BerthIoOptions of_visuals = visuals_told(&visuals);
        told.visual = of_visuals.visual;
        told.visual_user = of_visuals.visual_user;
    }
    const BerthStatus read = berth_io_read_scene(options->arguments[0], &told, &scene);
    warnings_show();
    if (read != BERTH_OK) {
        status = cli_report_failure(read);
    } else if (options->report != NULL && !given->explain) {
        status = run_reported(options, scene, &io, &visuals, &warnings);
    } else {
        status = run_scene(options, scene, &io, &warnings);
    }

    berth_scene_destroy(scene);
    visuals_free(&visuals);
    warnings_close(&warnings);
    return status;
}
