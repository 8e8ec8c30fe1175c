// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth map build, convert, info: maps to files, and what is in them.
// Entries: map_json_facts, map_text_facts, map_build, map_convert, map_info, map_describe, map_describe_points.

#include <math.h>
#include <string.h>

#include "cli/files.h"
#include "cli/info/info.h"
#include "cli/map/map.h"

static const struct {
    const char* name;
    uint32_t part;
} part_names[] = {{"odm", BERTH_FIELD_ODM},
                  {"eodm", BERTH_FIELD_EODM},
                  {"dm", BERTH_FIELD_DM},
                  {"edt", BERTH_FIELD_EUCLID},
                  {"lists", BERTH_FIELD_LISTS}};
enum { PART_COUNT = sizeof part_names / sizeof part_names[0] };

// ---- facts ---------------------------------------------------------------------------------------------------

// In the plane two numbers.
static void json_cells(Json* json, const char* key, const int32_t* size, int32_t dim) {
    json_key_open(json, key, '[');
    for (int32_t i = 0; i < dim; ++i) {
        json_int(json, size[i]);
    }
    json_close(json, ']');
}

static void json_point(Json* json, const char* key, BerthVec3 point, int32_t dim) {
    const double xyz[3] = {point.x, point.y, point.z};
    json_key_open(json, key, '[');
    for (int32_t i = 0; i < dim; ++i) {
        json_number(json, xyz[i]);
    }
    json_close(json, ']');
}

static uint64_t part_bytes(const BerthFieldInfo* info, uint32_t part) {
    switch (part) {
    case BERTH_FIELD_ODM:
        return info->odm_bytes;
    case BERTH_FIELD_EODM:
        return info->eodm_bytes;
    case BERTH_FIELD_DM:
        return info->dm_bytes;
    case BERTH_FIELD_EUCLID:
        return info->euclid_bytes;
    default:
        return info->list_bytes;
    }
}

static void json_structures(Json* json, const BerthFieldInfo* info) {
    json_key_open(json, "structures", '[');

    json_text(json, "octree");
    for (int i = 0; i < PART_COUNT; ++i) {
        if ((info->parts & part_names[i].part) != 0) {
            json_text(json, part_names[i].name);
        }
    }
    json_close(json, ']');

    json_key_open(json, "bytes", '{');
    json_key_int(json, "octree", (int64_t)info->tree_bytes);
    for (int i = 0; i < PART_COUNT; ++i) {
        if ((info->parts & part_names[i].part) != 0) {
            json_key_int(json, part_names[i].name, (int64_t)part_bytes(info, part_names[i].part));
        }
    }
    json_close(json, '}');
}

static uint64_t count_cells(const BerthFieldInfo* info) {
    return (uint64_t)info->size[0] * (uint64_t)info->size[1] * (uint64_t)info->size[2];
}

void map_json_facts(Json* json, const MapRun* run) {
    const BerthFieldInfo info = berth_field_info(berth_map_field(run->map));

    json_key_text(json, "file", run->path);
    json_key_text(json, "kind", "map");
    json_key_text(json, "format", run->facts.format);
    json_key_int(json, "dimensions", info.dim);
    json_key_int(json, "levels", info.levels);
    json_key_number(json, "resolution", info.resolution);
    json_point(json, "origin", info.origin, info.dim);
    json_cells(json, "size", info.size, info.dim);
    json_key_text(json, "unknown", info.unknown_is_free ? "free" : "occupied");

    json_key_open(json, "cells", '{');
    json_key_int(json, "all", (int64_t)count_cells(&info));
    json_key_int(json, "occupied", (int64_t)info.occupied_cells);
    json_key_int(json, "unknown", (int64_t)info.unknown_cells);
    json_close(json, '}');

    json_key_open(json, "nodes", '{');
    json_key_int(json, "all", info.node_count);
    json_key_int(json, "grey", info.grey_count);
    json_key_int(json, "free", info.free_count);
    json_key_int(json, "occupied", info.occupied_count);
    json_key_int(json, "unknown", info.unknown_count);
    json_close(json, '}');

    json_key_int(json, "obstacles", info.obstacle_count);
    json_key_int(json, "intervals", info.interval_count);
    json_structures(json, &info);

    json_key_int(json, "points", run->facts.points);
    json_key_int(json, "dropped", run->facts.dropped);
}

static void text_bytes(Text* text, uint64_t bytes) {
    if (bytes < 1000000) {
        text_printf(text, "%.1f kB", (double)bytes / 1e3);
    } else {
        text_printf(text, "%.2f MB", (double)bytes / 1e6);
    }
}

void map_text_facts(Text* text, const MapRun* run) {
    const BerthFieldInfo info = berth_field_info(berth_map_field(run->map));

    text_printf(text, "%s: a %d-D map (%s)\n  ", run->path, (int)info.dim, run->facts.format);
    for (int32_t i = 0; i < info.dim; ++i) {
        text_printf(text, "%s%d", i > 0 ? " x " : "", (int)info.size[i]);
    }
    text_printf(text, " cells of %.6g m, from (%.6g, %.6g", info.resolution, info.origin.x, info.origin.y);
    if (info.dim == 3) {
        text_printf(text, ", %.6g", info.origin.z);
    }
    text_printf(text, ") on; %d levels\n", (int)info.levels);

    text_printf(text, "  %llu cells occupied, %llu unknown, which count as %s\n",
                (unsigned long long)info.occupied_cells, (unsigned long long)info.unknown_cells,
                info.unknown_is_free ? "free" : "occupied");

    text_printf(text, "  octree: %lld nodes, %lld obstacles, ", (long long)info.node_count,
                (long long)info.obstacle_count);
    text_bytes(text, info.tree_bytes);
    text_puts(text, "\n");

    for (int i = 0; i < PART_COUNT; ++i) {
        if ((info.parts & part_names[i].part) != 0) {
            text_printf(text, "  %s: ", part_names[i].name);
            text_bytes(text, part_bytes(&info, part_names[i].part));
            if (part_names[i].part == BERTH_FIELD_EODM) {
                text_printf(text, ", %lld intervals%s", (long long)info.interval_count,
                            info.local ? ", local" : "");
            }
            text_puts(text, "\n");
        }
    }

    if (run->facts.points > 0) {
        text_printf(text, "  from %lld points, %lld dropped\n", (long long)run->facts.points,
                    (long long)run->facts.dropped);
    }
}

// Returns how much is assumed.
static int write_facts(Text* text, const MapRun* run, bool wrote) {
    int assumed = 0;

    if (run->options->json) {
        Json json = json_writer(text);
        json_open(&json, '{');
        map_json_facts(&json, run);
        if (wrote) {
            json_key_text(&json, "wrote", run->options->output);
        }
        json_key_number(&json, "seconds", run->seconds);
        assumed = map_json_assumed(&json, run);
        cli_json_no_pairs(&json);
        json_key_int(&json, "warnings", run->warnings->count);
        json_close(&json, '}');
        text_puts(text, "\n");
    } else {
        map_text_facts(text, run);
        assumed = wrote && run->options->quiet ? 0 : map_text_assumed(text, run);
        if (wrote && !run->options->quiet) {
            text_printf(text, "wrote %s, %.3g s\n", run->options->output, run->seconds);
        }
    }

    return assumed;
}

static int print_facts(MapRun* run, bool wrote) {
    Text text = {0};
    (void)write_facts(&text, run, wrote);
    const int status = cli_write_output(&text);
    text_free(&text);
    return status;
}

// ---- commands ------------------------------------------------------------------------------------------------

static bool has_extension(const char* path, const char* extension) {
    const size_t length = strlen(path), tail = strlen(extension);
    return length > tail && strcmp(path + length - tail, extension) == 0;
}

static int write_map(MapRun* run) {
    const BerthStatus wrote =
        berth_io_write_map(run->options->output, berth_map_field(run->map), &run->facts, run->io);
    const int status = wrote == BERTH_OK ? files_commit() : cli_report_failure(wrote);
    return status == EXIT_FREE ? print_facts(run, true) : status;
}

int map_build(MapRun* run) {
    uint32_t parts = BERTH_FIELD_EODM;
    if (!has_extension(run->options->output, ".bmap")) {
        return cli_reject("map", "build writes .bmap files, not %s; 'berth map convert' writes others",
                          run->options->output);
    }
    if (run->options->map.structure != NULL && !map_parts(run->options->map.structure, &parts)) {
        return EXIT_WRONG;
    }
    const int status = map_open(run, parts);
    return status == EXIT_FREE ? write_map(run) : status;
}

int map_convert(MapRun* run) {
    uint32_t parts = 0;
    if (run->options->map.structure != NULL && !map_parts(run->options->map.structure, &parts)) {
        return EXIT_WRONG;
    }
    const int status = map_open(run, parts);
    return status == EXIT_FREE ? write_map(run) : status;
}

int map_info(MapRun* run) {
    const int status = map_open(run, 0);
    return status == EXIT_FREE ? print_facts(run, false) : status;
}

// ---- for `berth info` ----------------------------------------------------------------------------------------

int map_describe(const Options* options, const BerthIoOptions* io, Warnings* warnings, const char* path,
                 Text* text, bool* assumed) {
    MapRun run = {.options = options, .io = io, .warnings = warnings, .path = path};
    const int status = map_open(&run, 0);
    if (status == EXIT_FREE) {
        *assumed = write_facts(text, &run, false) > 0 || *assumed;
    }
    berth_io_close_map(run.map);
    return status;
}

int map_describe_points(const Options* options, const BerthIoOptions* io, const Warnings* warnings,
                        const char* path, Text* text) {
    BerthPoints points;
    const BerthStatus status = berth_io_read_points(path, io, &points);
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    BerthVec3 low = {0, 0, 0}, high = {0, 0, 0};
    for (int64_t i = 0; i < points.count; ++i) {
        const BerthVec3 p = points.points[i];
        low = i == 0 ? p : (BerthVec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = i == 0 ? p : (BerthVec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }

    if (options->json) {
        Json json = json_writer(text);
        json_open(&json, '{');
        json_key_text(&json, "file", path);
        json_key_text(&json, "kind", "points");
        json_key_int(&json, "points", points.count);
        json_key_int(&json, "dropped", points.dropped);
        json_key_vec3(&json, "low", low);
        json_key_vec3(&json, "high", high);
        json_key_open(&json, "assumed", '[');
        json_close(&json, ']');
        cli_json_no_pairs(&json);
        info_json_warnings(&json, warnings);
        json_close(&json, '}');
        text_puts(text, "\n");
    } else {
        text_printf(text, "%s: a cloud of %lld points, %lld dropped (NaN or infinite)\n", path,
                    (long long)points.count, (long long)points.dropped);
        text_printf(text, "  from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g)\n", low.x, low.y, low.z, high.x,
                    high.y, high.z);
    }

    berth_io_free_points(&points);
    return EXIT_FREE;
}
