// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth map convert for other tools: distances and their gradient as .npy, pictures of slices, the surface of what is
// occupied.
// Entry: map_export.

#include <string.h>

#include "cli/files.h"
#include "cli/map/map.h"

// The request must be for one thing, in a file format that can store it.
static int check_export(const Options* options) {
    const MapOptions* map = &options->map;
    const char* dot = strrchr(options->output, '.');
    const bool distances = map->esdf || map->gradient;
    if (map->esdf + map->gradient + (map->slice != NULL) > 1) {
        return cli_reject("map", "convert: give only one of --esdf, --gradient and --slice");
    }
    if (distances && (dot == NULL || strcmp(dot, ".npy") != 0)) {
        return cli_reject("map", "--esdf and --gradient write .npy files, not %s", options->output);
    }

    if (map->outside != NULL && !distances) {
        return cli_reject("map", "--outside does nothing without --esdf or --gradient");
    }
    if (map->outside != NULL && strcmp(map->outside, "free") != 0 && strcmp(map->outside, "occupied") != 0) {
        return cli_reject("map", "--outside '%s': expected free or occupied", map->outside);
    }
    if (map->structure != NULL) {
        return cli_reject("map", "--structure does nothing for files of other tools");
    }
    return EXIT_FREE;
}

static BerthStatus write_export(MapRun* run, const BerthMapOptions* map_options, double height) {
    const MapOptions* map = &run->options->map;
    const BerthField* field = berth_map_field(run->map);
    if (map->esdf || map->gradient) {
        const bool occupied = map->outside != NULL && strcmp(map->outside, "occupied") == 0;
        return berth_io_write_esdf(run->options->output, field, map->gradient, occupied, map_options,
                                   run->io);
    }
    if (map->slice != NULL) {
        return berth_io_write_slice(run->options->output, field, height, map_options, run->io);
    }
    return berth_io_write_surface(run->options->output, field, map_options, run->io);
}

int map_export(MapRun* run) {
    BerthMapOptions map_options;
    double height = 0.0;
    int status = check_export(run->options);
    if (status == EXIT_FREE && run->options->map.slice != NULL &&
        !cli_read_numbers(run->options->map.slice, 1, &height)) {
        status = cli_reject("map", "--slice '%s': expected a height in metres", run->options->map.slice);
    }
    if (status == EXIT_FREE && !map_make_options(run, 0, &map_options)) {
        status = EXIT_WRONG;
    }
    if (status == EXIT_FREE) {
        status = map_open(run, 0);
    }
    // Coordinates of corners would be wrong; the other files store cells, in the map's own frame.
    const bool surface =
        !run->options->map.esdf && !run->options->map.gradient && run->options->map.slice == NULL;
    if (status == EXIT_FREE && surface) {
        status = map_refuse_yaw(run, "convert to .ply");
    }
    if (status == EXIT_FREE && run->facts.yaw != 0.0) {
        char text[300];
        (void)snprintf(
            text, sizeof text,
            "%.200s: the map is rotated by %g rad: the output is in the map's own frame, not rotated",
            run->path, run->facts.yaw);
        warnings_add(run->warnings, text);
    }
    if (status != EXIT_FREE) {
        return status;
    }

    const double start = cli_seconds();
    const BerthStatus wrote = write_export(run, &map_options, height);
    progress_end(&run->progress);
    run->seconds += cli_seconds() - start;
    if (wrote == BERTH_ERR_CANCELLED || cli_interrupted()) {
        return EXIT_INTERRUPTED;
    }
    status = wrote == BERTH_OK ? files_commit() : cli_report_failure(wrote);
    return status == EXIT_FREE ? map_print_facts(run, true) : status;
}
