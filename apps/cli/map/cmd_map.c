// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth map: chooses among its five commands, and has what they share: opening a map, its options, what it assumes. Their
// help is in map_help.c.
// Entries: map_parts, map_method, map_make_options, map_open, map_json_assumed, map_text_assumed,
// cli_run_map.

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/map/map.h"

static const struct {
    const char* name;
    uint32_t part;
    BerthFieldMethod method;
} structures[] = {{"octree", 0, BERTH_FIELD_BY_OCTREE},
                  {"odm", BERTH_FIELD_ODM, BERTH_FIELD_BY_ODM},
                  {"eodm", BERTH_FIELD_EODM, BERTH_FIELD_BY_EODM},
                  {"dm", BERTH_FIELD_DM, BERTH_FIELD_BY_DM},
                  {"edt", BERTH_FIELD_EUCLID, BERTH_FIELD_BY_EUCLID},
                  {"lists", BERTH_FIELD_LISTS, BERTH_FIELD_BY_LISTS},
                  {"thesis", 0, BERTH_FIELD_BY_THESIS},
                  {"all", BERTH_FIELD_ALL_PARTS, BERTH_FIELD_BY_BEST}};
enum { STRUCTURE_COUNT = sizeof structures / sizeof structures[0], ONE_MIB = 1 << 20 };
static const char structure_names[] = "octree, odm, eodm, dm, edt, lists or all";

// ---- options -------------------------------------------------------------------------------------------------

static int find_structure(const char* text, size_t length) {
    for (int i = 0; i < STRUCTURE_COUNT; ++i) {
        if (strlen(structures[i].name) == length && memcmp(structures[i].name, text, length) == 0) {
            return i;
        }
    }
    cli_reject("map", "--structure '%.*s': expected %s", (int)length, text, structure_names);
    return -1;
}

bool map_parts(const char* text, uint32_t* parts) {
    *parts = 0;
    for (const char* at = text;; ++at) {
        const size_t length = strcspn(at, ",");
        const int found = find_structure(at, length);
        if (found < 0) {
            return false;
        }

        *parts |= structures[found].part;
        at += length;
        if (*at == '\0') {
            return true;
        }
    }
}

bool map_method(const char* text, BerthFieldMethod* method, uint32_t* parts) {
    const int found = find_structure(text, strlen(text));
    if (found >= 0) {
        *method = structures[found].method;
        *parts = structures[found].part;
    }
    return found >= 0;
}

const char* map_method_name(BerthFieldMethod method) {
    for (int i = 0; i < STRUCTURE_COUNT; ++i) {
        if (structures[i].method == method && method != BERTH_FIELD_BY_BEST) {
            return structures[i].name;
        }
    }
    return "octree";
}

static bool show_progress(void* user, double share) {
    MapRun* run = user;
    progress_show(&run->progress, run->options, (int32_t)(1000.0 * share), 1000, "thousandths of the map");
    return !cli_interrupted();
}

// Three quarters of the machine's memory: requests that need more are refused, with the amount.
static size_t memory_limit(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? (size_t)pages / 4 * 3 * (size_t)page : 0;
}

bool map_make_options(MapRun* run, uint32_t parts, BerthMapOptions* out) {
    const Options* options = run->options;
    *out = berth_default_map_options();
    out->resolution = options->resolution > 0.0 ? options->resolution : 0.0;
    out->levels = options->map.levels > 0 ? options->map.levels : -1;
    out->radius = options->map.radius;
    out->parts = parts;
    out->memory_limit = memory_limit();
    out->obey_yaw = true;
    out->progress = show_progress;
    out->progress_user = run;

    if (options->map.origin != NULL) {
        double xyz[3] = {0.0, 0.0, 0.0};
        if (!cli_read_numbers(options->map.origin, 3, xyz) &&
            !cli_read_numbers(options->map.origin, 2, xyz)) {
            cli_reject("map", "--origin '%s': expected x,y,z in metres (2-D maps: x,y)", options->map.origin);
            return false;
        }
        out->has_origin = true;
        out->origin = (BerthVec3){xyz[0], xyz[1], xyz[2]};
    }

    if (options->map.unknown != NULL) {
        out->unknown_given = true;
        out->unknown_is_free = strcmp(options->map.unknown, "free") == 0;
        if (!out->unknown_is_free && strcmp(options->map.unknown, "occupied") != 0) {
            cli_reject("map", "--unknown '%s': expected free or occupied", options->map.unknown);
            return false;
        }
    }

    return true;
}

int map_open(MapRun* run, uint32_t parts) {
    BerthMapOptions map_options;
    if (!map_make_options(run, parts, &map_options)) {
        return EXIT_WRONG;
    }

    const double start = cli_seconds();
    const BerthStatus status = berth_io_open_map(run->path, &map_options, run->io, &run->map);
    warnings_show();
    progress_end(&run->progress);
    run->seconds = cli_seconds() - start;

    if (status == BERTH_ERR_CANCELLED || cli_interrupted()) {
        return EXIT_INTERRUPTED;
    }
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    run->facts = berth_map_facts(run->map);
    if (run->facts.dropped > 0) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "%.400s: %lld points were dropped: NaN, infinite or outside the map", run->path,
                       (long long)run->facts.dropped);
        warnings_add(run->warnings, text);
    }
    return EXIT_FREE;
}

bool map_turn(const MapRun* run, BerthPose* world_from_cells) {
    const double yaw = run->facts.yaw;
    *world_from_cells = berth_pose_identity();
    if (yaw == 0.0) {
        return false;
    }

    const BerthVec3 o = berth_field_info(berth_map_field(run->map)).origin;
    *world_from_cells = berth_pose_from_rpy((BerthVec3){0.0, 0.0, 0.0}, (BerthVec3){0.0, 0.0, yaw});
    const BerthVec3 moved = berth_pose_apply(world_from_cells, (BerthVec3){o.x, o.y, 0.0});
    world_from_cells->t = (BerthVec3){o.x - moved.x, o.y - moved.y, 0.0};
    return true;
}

int map_refuse_yaw(const MapRun* run, const char* what) {
    if (run->facts.yaw == 0.0) {
        return EXIT_FREE;
    }
    return cli_reject("map", "%s: %s: the map is rotated (yaw %g), which is not supported here: set it to 0",
                      run->path, what, run->facts.yaw);
}

// ---- what is assumed -----------------------------------------------------------------------------------------

enum { ASSUMED_MAX = 5 };
typedef struct MapAssumed {
    const char* what;
    const char* detail;
    int64_t count;
} MapAssumed;

static int list_assumed(const MapRun* run, MapAssumed out[ASSUMED_MAX]) {
    const BerthFieldInfo info = berth_field_info(berth_map_field(run->map));
    int count = 0;

    if (info.unknown_is_free && info.unknown_cells > 0) {
        out[count++] = (MapAssumed){"unknown_space_free", "unknown cells are taken as free",
                                    info.unknown_cells > INT64_MAX ? INT64_MAX : (int64_t)info.unknown_cells};
    }

    if (run->facts.background_taken_free) {
        out[count++] = (MapAssumed){"unseen_space_free",
                                    "cells that the points or meshes do not touch are taken as free", 1};
    }
    if (run->facts.cleared > 0) {
        out[count++] =
            (MapAssumed){"cleared_space_free", "cells that rays of scans passed through are taken as free",
                         run->facts.cleared};
    }
    if (run->facts.open_meshes > 0) {
        out[count++] =
            (MapAssumed){"open_meshes", "meshes that are not closed: only their surface is occupied",
                         run->facts.open_meshes};
    }
    if (run->reaching_out > 0) {
        out[count++] = (MapAssumed){
            "outside_space_free", "free balls that extend beyond the map: the space outside is taken as free",
            run->reaching_out};
    }

    return count;
}

int map_json_assumed(Json* json, const MapRun* run) {
    MapAssumed list[ASSUMED_MAX];
    const int count = list_assumed(run, list);

    json_key_open(json, "assumed", '[');
    for (int i = 0; i < count; ++i) {
        json_open(json, '{');
        json_key_text(json, "what", list[i].what);
        json_key_text(json, "detail", list[i].detail);
        json_key_int(json, "count", list[i].count);
        json_close(json, '}');
    }
    json_close(json, ']');
    return count;
}

int map_text_assumed(Text* text, const MapRun* run) {
    MapAssumed list[ASSUMED_MAX];
    const int count = list_assumed(run, list);
    for (int i = 0; i < count; ++i) {
        text_printf(text, "assumed: %s (%lld)\n", list[i].detail, (long long)list[i].count);
    }
    return count;
}

// ---- which command -------------------------------------------------------------------------------------------

static const struct {
    const char* name;
    bool writes;
    int (*run)(MapRun* run);
} map_commands[] = {{"build", true, map_build},
                    {"info", false, map_info},
                    {"query", false, map_query},
                    {"update", true, map_update},
                    {"convert", true, map_convert}};
enum { COMMAND_COUNT = sizeof map_commands / sizeof map_commands[0] };

static int check_request(const Options* options, int* command) {
    if (options->argument_count == 0) {
        return cli_reject("map", "build, info, query, update or convert? 'berth help map' has more");
    }
    const char* name = options->arguments[0];
    *command = 0;
    while (*command < COMMAND_COUNT && strcmp(map_commands[*command].name, name) != 0) {
        ++*command;
    }
    if (*command == COMMAND_COUNT) {
        return cli_reject("map", "unknown command '%s'; expected build, info, query, update or convert",
                          name);
    }

    const MapHelp* help = map_find_help(name);
    if (options->argument_count != 2) {
        return cli_reject("map", "%s file, usage: berth map %s",
                          options->argument_count < 2 ? "which" : "one", help->usage);
    }
    if (map_commands[*command].writes && options->output == NULL) {
        return cli_reject("map", "which output file? usage: berth map %s", help->usage);
    }

    char why[64];
    (void)snprintf(why, sizeof why, "in 'berth map %s'", name);
    if (cli_refuse_idle("map", options, help->without, why) != EXIT_FREE) {
        return EXIT_WRONG;
    }

    static const char* const of_robots[] = {"at", "state", "count", "protrusion", NULL};
    if (options->robot == NULL &&
        cli_refuse_idle("map", options, of_robots, "without query --robot") != EXIT_FREE) {
        return EXIT_WRONG;
    }

    if (options->report != NULL && map_commands[*command].run != map_info) {
        return cli_reject("map", "--report is for info");
    }

    const int status = cli_refuse_input_as_output(options, 1, options->output);
    return status == EXIT_FREE ? cli_refuse_input_as_output(options, 1, options->map.stats) : status;
}

int cli_run_map(const Options* options) {
    int command = 0;
    int status = check_request(options, &command);
    if (status != EXIT_FREE) {
        return status;
    }

    Warnings warnings;
    BerthIoOptions io;
    if (!cli_start("map", options, &warnings, &io)) {
        return EXIT_WRONG;
    }
    io.robot = NULL;  // here --robot is not the robot of a scene file

    MapRun run = {.options = options, .io = &io, .warnings = &warnings, .path = options->arguments[1]};
    status = map_commands[command].run(&run);

    if (status == EXIT_FREE && options->strict) {
        MapAssumed list[ASSUMED_MAX];
        const bool assumed = run.map != NULL && list_assumed(&run, list) > 0;
        status = assumed || warnings.count > 0 ? EXIT_UNKNOWN : EXIT_FREE;
    }

    berth_io_close_map(run.map);
    warnings_close(&warnings);
    return status;
}
