// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth map: which of its four commands, and what they share: opening a map, its options, what it assumes.
// Entries: map_parts, map_method, map_make_options, map_open, map_json_assumed, map_text_assumed,
// cli_run_map.

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/map/map.h"

const char cli_map_help[] =
    "berth map build FROM -o OUT.bmap    makes a map with its distances once, to be used many times\n"
    "berth map info MAP                  what is in it\n"
    "berth map query MAP ...             how far is the nearest obstacle from these balls?\n"
    "berth map convert FROM -o TO        .lin .bt .npy .yaml .bmap by TO's extension\n"
    "\n"
    "FROM and MAP: .lin (the thesis' list of black nodes, cells 1 wide), OctoMap .bt and .ot, .yaml of ROS' "
    "map_server\n"
    "(PGM or PNG beside it), .npy volumes (x, y, z) or (x, y) of bool, whole numbers (-1 unknown) or chances "
    "in float,\n"
    "clouds (.pcd .ply .xyz .csv .txt .pts), meshes (.stl .obj .dae .gltf .glb), scenes (.yaml: the objects "
    "that "
    "stand "
    "still),\n"
    "and berth's own .bmap. Volumes, clouds, meshes and scenes need --resolution. Space that a file calls "
    "unknown is an obstacle unless --unknown free says "
    "otherwise; space\n"
    "that a cloud, mesh or scene says nothing about is taken as free, which is an entry in 'assumed'.\n"
    "A .lin that is written has powers of two as sizes: what is outside of the map is occupied there (free "
    "with --unknown\n"
    "free), and so are unknown cells; a warning says how many.\n"
    "\n"
    "Structures: octree (a search), odm (least and greatest separation of each node), eodm (perimeter "
    "functions, constant\n"
    "time), dm (dense, L1), edt (dense, Euclidean), lists (candidates a node); several with commas, or all. "
    "All give the\n"
    "same answers. build has eodm unless --structure says otherwise; query takes the fastest that the map "
    "has.\n"
    "\n"
    "query asks about balls: --ball x,y,z,r (x,y,r in the plane), --balls FILE (CSV), --random N, or the "
    "covering spheres of a\n"
    "robot: --robot URDF with --at or --state, and --count or --protrusion as in 'berth spheres'. A URDF "
    "whose geometry is\n"
    "spheres is taken as it is. The distance is that of the ball's centre; touching is collision. What is "
    "outside of the map\n"
    "is an obstacle unless --outside free says otherwise, which is an entry in 'assumed'. --all lists every "
    "obstacle\n"
    "that is equally near. With --metric l1 the radius of --ball, --balls and --random is that of an "
    "octahedron (in the "
    "plane a\n"
    "diamond); a robot's spheres stay round: free when the octahedron around them is (sqrt(3) times their "
    "radius, "
    "'radius_l1'),\n"
    "collision when the one in them is hit, else unknown (too_close). --stats FILE writes a row a ball: "
    "verdict, distance, steps, microseconds.\n"
    "\n"
    "examples:\n"
    "  berth map build office.bt --structure eodm -o office.bmap\n"
    "  berth map build scan.pcd --resolution 0.02 --radius 0.01 -o scan.bmap\n"
    "  berth map build cell.yaml --resolution 0.02 -o cell.bmap\n"
    "  berth map info office.bmap\n"
    "  berth map query office.bmap --ball 0.3,0.2,1,0.15 --json\n"
    "  berth map query office.bmap --robot panda.urdf --at panda_joint2=0.5 --summary\n"
    "  berth map query house.lin --random 1000 --seed 7 --metric l1 --stats times.csv\n"
    "  berth map convert volume.npy --resolution 0.05 --origin -1,-1,0 -o volume.bt\n"
    "\n"
    "with --json, query, one line a ball:\n"
    "  {\"ball\": 0, \"verdict\": \"collision\", \"distance\": {\"lower\": 0.01, \"upper\": 0.01}, "
    "\"nearest\": [0.3, 0.2, 1.01],\n"
    "   \"assumed\": [], \"declared\": [], \"proven\": 0}\n"
    "  info: {\"file\": \"office.bmap\", \"kind\": \"map\", \"format\": \"bmap\", \"dimensions\": 3, "
    "\"levels\": 8, \"resolution\": 0.05,\n"
    "   \"origin\": [0, 0, 0], \"size\": [200, 180, 60], \"structures\": [\"eodm\"], \"cells\": "
    "{\"occupied\": 8123, ...}, ...}\n"
    "\n"
    "exit status: 0 done (collisions too), 2 wrong request or file, 3 --strict and something was assumed or "
    "warned about,\n"
    "4 the machine failed, 130 interrupted\n";

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

static bool show_progress(void* user, double share) {
    MapRun* run = user;
    progress_show(&run->progress, run->options, (int32_t)(1000.0 * share), 1000, "thousandths of the map");
    return !cli_interrupted();
}

// Three quarters of the machine's memory: what needs more is refused with how much that would be.
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
    out->progress = show_progress;
    out->progress_user = run;

    if (options->map.origin != NULL) {
        double xyz[3] = {0.0, 0.0, 0.0};
        if (!cli_read_numbers(options->map.origin, 3, xyz) &&
            !cli_read_numbers(options->map.origin, 2, xyz)) {
            cli_reject("map", "--origin '%s': expected x,y,z in metres (x,y in the plane)",
                       options->map.origin);
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
                       "%.400s: %lld points were dropped: NaN, infinite or outside of the map", run->path,
                       (long long)run->facts.dropped);
        warnings_add(run->warnings, text);
    }
    return EXIT_FREE;
}

// ---- what is assumed -----------------------------------------------------------------------------------------

enum { ASSUMED_MAX = 4 };
typedef struct MapAssumed {
    const char* what;
    const char* detail;
    int64_t count;
} MapAssumed;

static int list_assumed(const MapRun* run, MapAssumed out[ASSUMED_MAX]) {
    const BerthFieldInfo info = berth_field_info(berth_map_field(run->map));
    int count = 0;

    if (info.unknown_is_free && info.unknown_cells > 0) {
        out[count++] = (MapAssumed){"unknown_space_free", "cells that are unknown are taken as free",
                                    info.unknown_cells > INT64_MAX ? INT64_MAX : (int64_t)info.unknown_cells};
    }

    if (run->facts.background_taken_free) {
        out[count++] =
            (MapAssumed){"unseen_space_free", "what the points or meshes do not touch is taken as free", 1};
    }
    if (run->facts.open_meshes > 0) {
        out[count++] =
            (MapAssumed){"open_meshes", "meshes that are not closed: only their surface is occupied",
                         run->facts.open_meshes};
    }
    if (run->reaching_out > 0) {
        out[count++] = (MapAssumed){"outside_space_free",
                                    "free balls that reach out of the map: what is outside is taken as free",
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

typedef struct MapCommand {
    const char* name;
    const char* usage;
    bool writes, asks;
    int (*run)(MapRun* run);
} MapCommand;

static const MapCommand map_commands[] = {
    {"build",
     "berth map build FROM -o OUT.bmap [--structure LIST] [--resolution R] [--unknown free|occupied]", true,
     false, map_build},
    {"info", "berth map info MAP", false, false, map_info},
    {"query", "berth map query MAP --ball x,y,z,r | --balls FILE | --random N | --robot URDF", false, true,
     map_query},
    {"convert", "berth map convert FROM -o TO", true, false, map_convert},
};

static const MapCommand* find_command(const char* name) {
    for (size_t i = 0; i < sizeof map_commands / sizeof map_commands[0]; ++i) {
        if (strcmp(map_commands[i].name, name) == 0) {
            return &map_commands[i];
        }
    }
    return NULL;
}

static int check_request(const Options* options, const MapCommand** command) {
    if (options->argument_count == 0) {
        return cli_reject("map", "build, info, query or convert? 'berth help map' has more");
    }
    *command = find_command(options->arguments[0]);
    if (*command == NULL) {
        return cli_reject("map", "unknown command '%s'; build, info, query or convert is expected",
                          options->arguments[0]);
    }

    if (options->argument_count != 2) {
        return cli_reject("map", "%s file, usage: %s", options->argument_count < 2 ? "which" : "one",
                          (*command)->usage);
    }

    if ((*command)->writes && options->output == NULL) {
        return cli_reject("map", "where to? usage: %s", (*command)->usage);
    }
    if (!(*command)->writes && options->output != NULL) {
        return cli_reject("map", "-o is for build and convert");
    }

    const MapOptions* map = &options->map;
    const bool asks = map->ball.count > 0 || map->balls != NULL || map->random > 0 ||
                      options->robot != NULL || map->metric != NULL || map->outside != NULL ||
                      map->stats != NULL || options->summary || options->all;
    if (asks && !(*command)->asks) {
        return cli_reject("map",
                          "--ball, --balls, --random, --robot, --metric, --outside, --stats, --summary and "
                          "--all are for query");
    }

    static const char* const of_robots[] = {"at", "state", "count", "protrusion", NULL};
    if (options->robot == NULL &&
        cli_refuse_idle("map", options, of_robots, "without query --robot") != EXIT_FREE) {
        return EXIT_WRONG;
    }

    const int status = cli_refuse_input_as_output(options, 1, options->output);
    return status == EXIT_FREE ? cli_refuse_input_as_output(options, 1, map->stats) : status;
}

int cli_run_map(const Options* options) {
    const MapCommand* command = NULL;
    int status = check_request(options, &command);
    if (status != EXIT_FREE) {
        return status;
    }

    Warnings warnings;
    BerthIoOptions io;
    if (!cli_start("map", options, &warnings, &io)) {
        return EXIT_WRONG;
    }
    io.robot = NULL;  // here it is not the robot of a scene file

    MapRun run = {.options = options, .io = &io, .warnings = &warnings, .path = options->arguments[1]};
    status = command->run(&run);

    if (status == EXIT_FREE && options->strict) {
        MapAssumed list[ASSUMED_MAX];
        const bool assumed = run.map != NULL && list_assumed(&run, list) > 0;
        status = assumed || warnings.count > 0 ? EXIT_UNKNOWN : EXIT_FREE;
    }

    berth_io_close_map(run.map);
    warnings_free(&warnings);
    return status;
}
