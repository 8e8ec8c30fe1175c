// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth map build, convert, info: writing maps to files, and describing them.
// Entries: map_json_facts, map_text_facts, map_build, map_convert, map_info, map_describe, map_describe_points.

#include <math.h>
#include <string.h>

#include "cli/files.h"
#include "cli/info/info.h"
#include "cli/map/map.h"
#include "view/report.h"

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

// Two numbers for a 2-D map.
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
    if (run->facts.yaw != 0.0) {
        json_key_number(json, "yaw", run->facts.yaw);
    }
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
    if (run->facts.yaw != 0.0) {
        text_printf(text, "  rotated by %.6g rad about that corner\n", run->facts.yaw);
    }

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

// Returns the number of assumptions.
static int write_facts(Text* text, const MapRun* run, bool wrote) {
    int assumed = 0;

    if (run->options->json) {
        Json json = json_writer(text);
        json_open(&json, '{');
        map_json_facts(&json, run);
        if (wrote) {
            json_key_text(&json, "wrote", run->options->output);
        }
        if (run->chosen != NULL) {
            json_key_text(&json, "chosen", run->chosen);
            json_key_text(&json, "why", run->why);
        }
        json_key_number(&json, "seconds", run->seconds);
        assumed = map_json_assumed(&json, run);
        cli_json_no_pairs(&json);
        json_key_int(&json, "warnings", run->warnings->count);
        json_close(&json, '}');
        text_puts(text, "\n");
    } else {
        map_text_facts(text, run);
        if (run->chosen != NULL && !run->options->quiet) {
            text_printf(text, "  %s was chosen: %s\n", run->chosen, run->why);
        }
        assumed = wrote && run->options->quiet ? 0 : map_text_assumed(text, run);
        if (wrote && !run->options->quiet) {
            text_printf(text, "wrote %s, %.3g s\n", run->options->output, run->seconds);
        }
    }

    return assumed;
}

int map_print_facts(MapRun* run, bool wrote) {
    Text text = {0};
    (void)write_facts(&text, run, wrote);
    text_wrote(&text, run->options, run->options->report);
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
    return status == EXIT_FREE ? map_print_facts(run, true) : status;
}

// From .ot to .ot the log-odds are kept.
static int copy_chances(MapRun* run) {
    BerthOccupancy* odds = NULL;
    BerthStatus status = berth_io_read_occupancy(run->path, NULL, run->io, &odds);
    if (status == BERTH_OK) {
        status = berth_io_write_occupancy(run->options->output, odds, run->io);
    }
    berth_occupancy_destroy(odds);
    const int written = status == BERTH_OK ? files_commit() : cli_report_failure(status);
    return written == EXIT_FREE ? map_print_facts(run, true) : written;
}

// ---- which structure -------------------------------------------------------------------------------------------

/// Dense maps up to this size are chosen by default: a Euclidean map of 400^3 cells.
#define DENSE_MOST (256u << 20)
/// If more than this share of the obstacles are isolated single cells, the map is noisy: each of them is in the functions
/// of many nodes.
#define NOISE_MOST 0.01
enum { EODM_OBSTACLES_MOST = 1000000, EUCLID_LEVELS_MOST = 14 };

// Obstacles of one cell without a neighbouring obstacle.
static double share_of_noise(const BerthField* field, const BerthFieldInfo* info) {
    int64_t alone = 0;
    for (int64_t i = 0; i < info->occupied_count + info->unknown_count; ++i) {
        const BerthFieldLeaf leaf = berth_field_solid_leaf(field, i);
        bool lonely = leaf.width == 1 && leaf.colour == BERTH_CELL_OCCUPIED;
        for (int k = 0; k < 2 * info->dim && lonely; ++k) {
            int32_t at[3] = {leaf.low[0], leaf.low[1], leaf.low[2]};
            at[k / 2] += k % 2 == 0 ? -1 : 1;
            lonely = berth_field_colour_at(field, at[0], at[1], at[2]) == BERTH_CELL_FREE;
        }
        alone += lonely;
    }
    return info->obstacle_count > 0 ? (double)alone / (double)info->obstacle_count : 0.0;
}

// According to measurements (docs/theory/field.md, "Which structure"): distances of all cells are fastest for round
// balls, at a cost that follows from the size; perimeter functions are fastest for L1, unless the map is noisy; otherwise
// the tree alone is smallest and not much slower.
static uint32_t choose_parts(MapRun* run, bool by_l1) {
    const BerthField* field = berth_map_field(run->map);
    const BerthFieldInfo info = berth_field_info(field);
    const double bytes = (by_l1 ? 2.0 : 4.0) * (double)count_cells(&info);
    const bool dense = bytes <= (double)DENSE_MOST && (by_l1 || info.levels <= EUCLID_LEVELS_MOST);
    const double noise = by_l1 ? share_of_noise(field, &info) : 0.0;

    if (by_l1 && noise <= NOISE_MOST && info.obstacle_count <= EODM_OBSTACLES_MOST) {
        run->chosen = "eodm";
        (void)snprintf(run->why, sizeof run->why,
                       "fastest by l1, and %.2g %% of the %lld obstacles are single cells", 100.0 * noise,
                       (long long)info.obstacle_count);
        return BERTH_FIELD_EODM;
    }
    if (dense) {
        run->chosen = by_l1 ? "dm" : "edt";
        (void)snprintf(run->why, sizeof run->why, "%s of all %llu cells take %.3g MB",
                       by_l1 ? "eodm would be large with so much noise; distances"
                             : "fastest for round balls; distances",
                       (unsigned long long)count_cells(&info), bytes / 1e6);
        return by_l1 ? BERTH_FIELD_DM : BERTH_FIELD_EUCLID;
    }

    run->chosen = "octree";
    (void)snprintf(run->why, sizeof run->why, "distances of all cells would take %.3g MB%s", bytes / 1e6,
                   by_l1 ? ", and eodm is large with so much noise" : "");
    return 0;
}

static int add_chosen_parts(MapRun* run) {
    const char* metric = run->options->map.metric;
    BerthMapOptions map_options;
    if (metric != NULL && strcmp(metric, "l1") != 0 && strcmp(metric, "l2") != 0) {
        return cli_reject("map", "--metric '%s': expected l1 or l2", metric);
    }
    if (!map_make_options(run, 0, &map_options)) {
        return EXIT_WRONG;
    }

    const uint32_t parts = choose_parts(run, metric != NULL && strcmp(metric, "l1") == 0);
    const double start = cli_seconds();
    const BerthStatus status = berth_map_add_parts(run->map, parts, &map_options, run->io);
    progress_end(&run->progress);
    run->seconds += cli_seconds() - start;
    if (status == BERTH_ERR_CANCELLED || cli_interrupted()) {
        return EXIT_INTERRUPTED;
    }
    return status == BERTH_OK ? EXIT_FREE : cli_report_failure(status);
}

int map_build(MapRun* run) {
    const char* structure = run->options->map.structure;
    uint32_t parts = 0;
    if (!has_extension(run->options->output, ".bmap")) {
        return cli_reject("map", "build writes .bmap files, not %s; 'berth map convert' writes other formats",
                          run->options->output);
    }
    if (structure != NULL && run->options->map.metric != NULL) {
        return cli_reject("map",
                          "build: --metric chooses a structure, --structure names it: give only one of them");
    }
    if (structure != NULL && !map_parts(structure, &parts)) {
        return EXIT_WRONG;
    }

    int status = map_open(run, parts);
    if (status == EXIT_FREE && structure == NULL) {
        status = add_chosen_parts(run);
    }
    return status == EXIT_FREE ? write_map(run) : status;
}

int map_convert(MapRun* run) {
    uint32_t parts = 0;
    const MapOptions* map = &run->options->map;
    if (map->esdf || map->gradient || map->slice != NULL || has_extension(run->options->output, ".ply")) {
        return map_export(run);
    }

    if (map->outside != NULL) {
        return cli_reject("map", "--outside does nothing without --esdf or --gradient");
    }
    if (run->options->map.structure != NULL && !map_parts(run->options->map.structure, &parts)) {
        return EXIT_WRONG;
    }
    const int status = map_open(run, parts);
    if (status == EXIT_FREE && has_extension(run->path, ".ot") &&
        has_extension(run->options->output, ".ot")) {
        return copy_chances(run);
    }
    return status == EXIT_FREE ? write_map(run) : status;
}

// Counts the leaves of the tree that are not free, by width.
static void plot_widths(Report* report, const BerthField* field) {
    const BerthFieldInfo info = berth_field_info(field);
    double counts[BERTH_FIELD_LEVELS_MAX + 1] = {0};
    for (int64_t i = 0; i < info.occupied_count + info.unknown_count; ++i) {
        counts[berth_field_solid_leaf(field, i).level] += 1.0;
    }

    char texts[BERTH_FIELD_LEVELS_MAX + 1][64];
    const char* names[BERTH_FIELD_LEVELS_MAX + 1];
    double values[BERTH_FIELD_LEVELS_MAX + 1];
    int count = 0;
    for (int32_t level = 0; level <= info.levels; ++level) {
        if (counts[level] > 0.0) {
            (void)snprintf(texts[count], sizeof texts[count], "%g m wide",
                           info.resolution * (double)(1 << (info.levels - level)));
            names[count] = texts[count];
            values[count++] = counts[level];
        }
    }
    report_bars(report, "Leaves of the tree that are obstacles or unknown", "leaves", names, values, count);
}

// Makes the obstacles an object of a scene in which nothing moves.
static void show_map(Report* report, const MapRun* run) {
    double none = 0.0;
    Question question = {.command = "map", .options = run->options, .values = &none};
    if (view_scene_of_map(run->map, &question.scene) == BERTH_OK) {
        report_view(report, &(ReportView){.question = &question, .title = run->path});
    } else {
        report->page_note = "The map has too many surfaces to be drawn here: there is no 3-D view.";
    }
    berth_scene_destroy(question.scene);
}

// --report: the same facts in words, as numbers, and as a picture.
static int write_report(MapRun* run) {
    Report report = {.command = "map info", .title = run->path};
    Options options = *run->options;
    MapRun other = *run;
    Text words = {0}, numbers = {0};
    other.options = &options;
    options.json = false;
    (void)write_facts(&words, &other, false);
    options.json = true;
    (void)write_facts(&numbers, &other, false);

    int status = EXIT_MACHINE;
    if (!words.failed && !numbers.failed) {
        report_words(&report, words.data);
        report_numbers(&report, numbers.data);
        plot_widths(&report, berth_map_field(run->map));
        show_map(&report, run);
        status = report_write(&report, run->options->report);
    }
    text_free(&words);
    text_free(&numbers);
    report_free(&report);
    return status;
}

int map_info(MapRun* run) {
    int status = cli_refuse_input_as_output(run->options, 0, run->options->report);
    if (status == EXIT_FREE) {
        status = files_check_writable(run->options->report);
    }
    if (status == EXIT_FREE) {
        status = map_open(run, 0);
    }
    if (status == EXIT_FREE && run->options->report != NULL) {
        status = write_report(run);
    }
    return status == EXIT_FREE ? map_print_facts(run, false) : status;
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
        info_json_end(&json, text, warnings);
    } else {
        text_printf(text, "%s: a cloud of %lld points, %lld dropped (NaN or infinite)\n", path,
                    (long long)points.count, (long long)points.dropped);
        text_printf(text, "  from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g)\n", low.x, low.y, low.z, high.x,
                    high.y, high.z);
    }

    berth_io_free_points(&points);
    return EXIT_FREE;
}
