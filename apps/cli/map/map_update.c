// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth map update: puts changed cells and scans of a sensor into a tree of log-odds, from there into the map's
// structures, and writes a file.
// Entry: map_update.

#include <math.h>
#include <string.h>

#include "cli/files.h"
#include "cli/map/map.h"

/// One update.
typedef struct Update {
    MapRun* run;
    BerthMapOptions map_options;
    BerthOccupancy* odds;
    bool by_chances;  // the file has probabilities, or is an OctoMap
    BerthOccupancyReport total;
    int64_t cleared;  // cells that became free because rays passed through them
    size_t changes;
    bool grown;
    bool turned;  // the map is rotated by its yaw
    BerthPose cells_from_world;
} Update;

static bool has_extension(const char* path, const char* extension) {
    const size_t length = strlen(path), tail = strlen(extension);
    return length > tail && strcmp(path + length - tail, extension) == 0;
}

static int open_tree(Update* u) {
    BerthOccupancyDef def = berth_default_occupancy_def();
    int32_t corner[3];
    def.memory_limit = u->map_options.memory_limit;
    def.progress = u->map_options.progress;
    def.progress_user = u->map_options.progress_user;

    u->by_chances = has_extension(u->run->path, ".ot") || has_extension(u->run->path, ".bt");
    const BerthStatus status =
        u->by_chances ? berth_io_read_occupancy(u->run->path, &def, u->run->io, &u->odds)
                      : berth_occupancy_from_field(berth_map_field(u->run->map), &def, &u->odds, corner);
    if (status == BERTH_ERR_CANCELLED) {
        return EXIT_INTERRUPTED;
    }
    return status == BERTH_OK ? EXIT_FREE : cli_report_failure(status);
}

static void add_report(Update* u, const BerthOccupancyReport* report) {
    u->total.points += report->points;
    u->total.dropped += report->dropped;
    u->total.beyond += report->beyond;
    u->total.hit += report->hit;
    u->total.passed += report->passed;
    u->total.became_occupied += report->became_occupied;
    u->total.became_free += report->became_free;
    u->total.hit_and_free += report->hit_and_free;
}

// Reads points and puts them into the tree: as a scan if there is a sensor, else as cells of the colour.
static int put_points(Update* u, const char* path, const BerthVec3* sensor, BerthCellColour colour) {
    BerthPoints points;
    const int32_t dim = berth_field_info(berth_map_field(u->run->map)).dim;
    BerthStatus status = berth_io_read_points_of(path, dim, u->run->io, &points);
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    for (int64_t i = 0; u->turned && i < points.count; ++i) {
        points.points[i] = berth_pose_apply(&u->cells_from_world, points.points[i]);
    }

    BerthOccupancyReport report = {0};
    if (sensor != NULL) {
        const BerthVec3 eye = u->turned ? berth_pose_apply(&u->cells_from_world, *sensor) : *sensor;
        status = berth_occupancy_insert_scan(u->odds, points.points, (size_t)points.count, eye,
                                             u->run->options->map.range, &report);
        u->cleared += report.became_free;
    } else {
        status = berth_occupancy_set_points(u->odds, points.points, (size_t)points.count, colour, &report);
    }

    report.dropped += points.dropped;
    add_report(u, &report);
    berth_io_free_points(&points);
    if (status == BERTH_ERR_CANCELLED || cli_interrupted()) {
        return EXIT_INTERRUPTED;
    }
    return status == BERTH_OK ? EXIT_FREE : cli_report_failure(status);
}

static int read_sensor(const Options* options, int scan, int dim, BerthVec3* out) {
    const TextList* list = &options->map.sensor;
    const char* text = list->items[list->count == 1 ? 0 : scan];
    double xyz[3] = {0.0, 0.0, 0.0};
    if (!cli_read_numbers(text, 3, xyz) && !(dim == 2 && cli_read_numbers(text, 2, xyz))) {
        return cli_reject("map", "--sensor '%s': expected x,y,z in metres%s", text,
                          dim == 2 ? " (or x,y)" : "");
    }
    *out = (BerthVec3){xyz[0], xyz[1], xyz[2]};
    return EXIT_FREE;
}

static int check_update(const Options* options) {
    const MapOptions* map = &options->map;
    if (map->occupied == NULL && map->free == NULL && map->scan.count == 0) {
        return cli_reject("map", "update: expected --occupied, --free or --scan");
    }
    if (map->scan.count > 0 && map->sensor.count != 1 && map->sensor.count != map->scan.count) {
        return cli_reject("map",
                          "--sensor: given %d times for %d scans; expected once, or once for each --scan",
                          map->sensor.count, map->scan.count);
    }

    if (map->scan.count == 0 && (map->sensor.count > 0 || map->range > 0.0)) {
        return cli_reject("map", "--sensor and --range are only for --scan");
    }
    return EXIT_FREE;
}

// Free cells first, so that a cell that is both is occupied; then the scans.
static int put_all(Update* u) {
    const Options* options = u->run->options;
    const int dim = berth_field_info(berth_map_field(u->run->map)).dim;
    int status = EXIT_FREE;

    if (options->map.free != NULL) {
        status = put_points(u, options->map.free, NULL, BERTH_CELL_FREE);
    }
    if (status == EXIT_FREE && options->map.occupied != NULL) {
        status = put_points(u, options->map.occupied, NULL, BERTH_CELL_OCCUPIED);
    }

    for (int i = 0; i < options->map.scan.count && status == EXIT_FREE; ++i) {
        BerthVec3 sensor;
        status = read_sensor(options, i, dim, &sensor);
        if (status == EXIT_FREE) {
            status = put_points(u, options->map.scan.items[i], &sensor, BERTH_CELL_FREE);
        }
    }
    return status;
}

static void warn_of_hits(Update* u) {
    char text[512];
    if (u->total.dropped > 0) {
        (void)snprintf(text, sizeof text,
                       "%lld points were dropped: NaN, infinite or outside the cube of 65536 cells per side",
                       (long long)u->total.dropped);
        warnings_add(u->run->warnings, text);
    }
    if (u->total.hit_and_free > 0) {
        (void)snprintf(
            text, sizeof text,
            "%.300s: %lld cells were hit but are still free, because one hit was not enough; only .ot files "
            "keep probabilities from one update to the next",
            u->run->path, (long long)u->total.hit_and_free);
        warnings_add(u->run->warnings, text);
    }
}

static void json_update(Json* json, const Update* u) {
    json_key_open(json, "update", '{');
    json_key_int(json, "points", u->total.points);
    json_key_int(json, "dropped", u->total.dropped);
    json_key_int(json, "beyond", u->total.beyond);
    json_key_int(json, "hit", u->total.hit);
    json_key_int(json, "passed", u->total.passed);
    json_key_int(json, "became_occupied", u->total.became_occupied);
    json_key_int(json, "became_free", u->total.became_free);
    json_key_int(json, "hit_and_free", u->total.hit_and_free);
    json_key_int(json, "changes", (int64_t)u->changes);
    json_key_bool(json, "grown", u->grown);
    json_close(json, '}');
}

static int print_update(Update* u) {
    const Options* options = u->run->options;
    Text text = {0};
    if (options->json) {
        Json json = json_writer(&text);
        json_open(&json, '{');
        map_json_facts(&json, u->run);
        json_update(&json, u);
        json_key_text(&json, "wrote", options->output);
        json_key_number(&json, "seconds", u->run->seconds);
        (void)map_json_assumed(&json, u->run);
        cli_json_no_pairs(&json);
        json_key_int(&json, "warnings", u->run->warnings->count);
        json_close(&json, '}');
        text_puts(&text, "\n");
    } else {
        text_printf(
            &text,
            "%lld points: %lld cells hit, %lld passed or set free; %lld became occupied, %lld free%s\n",
            (long long)u->total.points, (long long)u->total.hit, (long long)u->total.passed,
            (long long)u->total.became_occupied, (long long)u->total.became_free,
            u->grown ? "; the map grew" : "");
        map_text_facts(&text, u->run);
        if (!options->quiet) {
            (void)map_text_assumed(&text, u->run);
            text_printf(&text, "wrote %s, %.3g s\n", options->output, u->run->seconds);
        }
    }

    const int status = cli_write_output(&text);
    text_free(&text);
    return status;
}

static int update_map(Update* u) {
    MapRun* run = u->run;
    (void)berth_occupancy_changes(u->odds, &u->changes);
    BerthStatus status = berth_map_update(run->map, u->odds, u->cleared, &u->map_options, run->io, &u->grown);
    run->facts = berth_map_facts(run->map);

    // A larger map would have another corner, about which it would be rotated.
    if (status == BERTH_OK && u->turned && u->grown) {
        return cli_reject(
            "map",
            "%s: the change is outside the map, which is rotated (yaw %g) and so cannot grow: enlarge its "
            "image",
            run->path, run->facts.yaw);
    }

    if (status == BERTH_OK) {
        const bool chances = has_extension(run->options->output, ".ot");
        status = chances ? berth_io_write_occupancy(run->options->output, u->odds, run->io)
                         : berth_io_write_map(run->options->output, berth_map_field(run->map), &run->facts,
                                              run->io);
    }
    if (status == BERTH_ERR_CANCELLED) {
        return EXIT_INTERRUPTED;
    }
    return status == BERTH_OK ? files_commit() : cli_report_failure(status);
}

int map_update(MapRun* run) {
    Update u = {.run = run};
    uint32_t parts = 0;
    int status = check_update(run->options);
    if (status == EXIT_FREE && run->options->map.structure != NULL &&
        !map_parts(run->options->map.structure, &parts)) {
        status = EXIT_WRONG;
    }

    if (status == EXIT_FREE && !map_make_options(run, parts, &u.map_options)) {
        status = EXIT_WRONG;
    }
    if (status == EXIT_FREE) {
        status = map_open(run, parts);
    }
    if (status == EXIT_FREE) {
        BerthPose world_from_cells;
        u.turned = map_turn(run, &world_from_cells);
        u.cells_from_world = berth_pose_inverse(&world_from_cells);
    }

    const double start = cli_seconds();
    if (status == EXIT_FREE) {
        status = open_tree(&u);
    }
    if (status == EXIT_FREE) {
        status = put_all(&u);
    }
    if (status == EXIT_FREE) {
        status = update_map(&u);
    }

    progress_end(&run->progress);
    run->seconds = cli_seconds() - start;
    if (status == EXIT_FREE) {
        warn_of_hits(&u);
        warnings_show();
        status = print_update(&u);
    }
    berth_occupancy_destroy(u.odds);
    return status;
}
