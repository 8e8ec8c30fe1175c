// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth monitor: --source, --cloud, --map and --choice. Only what is declared at the start is received.
// Entries: monitor_declare, monitor_undeclare.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/monitor/monitor.h"

// ---- texts ---------------------------------------------------------------------------------------------------

static size_t texts_size(const TextList* list) {
    size_t size = 0;
    for (int i = 0; i < list->count; ++i) {
        size += strlen(list->items[i]) + 1;
    }
    return size;
}

// Copies of a list's texts, each split at its '=': NAME and the rest.
static int split_texts(const char* option, const char* form, const TextList* list, char** at, char** names,
                       char** rests) {
    if (list->count > GUARD_LIST_MAX) {
        return cli_reject("monitor", "--%s: more than %d", option, GUARD_LIST_MAX);
    }

    for (int i = 0; i < list->count; ++i) {
        const size_t size = strlen(list->items[i]) + 1;
        names[i] = memcpy(*at, list->items[i], size);
        *at += size;

        char* equals = strchr(names[i], '=');
        if (equals == NULL || equals == names[i] || equals - names[i] > BERTH_WIRE_NAME) {
            return cli_reject("monitor", "--%s '%s': expected %s", option, list->items[i], form);
        }

        *equals = '\0';
        rests[i] = equals + 1;

        for (int k = 0; k < i; ++k) {
            if (strcmp(names[k], names[i]) == 0) {
                return cli_reject("monitor", "--%s %s is given twice", option, names[i]);
            }
        }
    }

    return EXIT_FREE;
}

// ---- sources -------------------------------------------------------------------------------------------------

// The values of one robot, or -1 if no robot has that name.
static int32_t robot_values(const BerthScene* scene, const char* name, int32_t* first) {
    *first = 0;
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const char* robot_name = "";
        const BerthRobot* robot = berth_scene_robot(scene, r, &robot_name, NULL);
        const int32_t count = berth_robot_value_count(robot);
        if (robot_name != NULL && robot_name[0] != '\0' && strcmp(robot_name, name) == 0) {
            return count;
        }
        *first += count;
    }
    return -1;
}

static int add_value(Declared* all, const BerthScene* scene, const char* source, int32_t value) {
    char name[256];
    for (int32_t i = 0; i < all->value_count; ++i) {
        if (all->values[i] == value) {
            berth_scene_value_name(scene, value, name, sizeof name);
            return cli_reject("monitor", "--source %s: %s is already reported by another source", source,
                              name);
        }
    }
    all->values[all->value_count++] = value;
    return EXIT_FREE;
}

// One name after the '=': a value, or a robot.
static int add_named(Declared* all, const BerthScene* scene, const char* source, const char* name) {
    int32_t first = 0;
    const int32_t count = robot_values(scene, name, &first);
    const int32_t value = berth_scene_find_value(scene, name);
    if (value < 0 && count < 0) {
        return cli_reject("monitor", "--source %s: there is no robot and no joint value '%s'", source, name);
    }

    int status = value >= 0 ? add_value(all, scene, source, value) : EXIT_FREE;
    for (int32_t i = 0; value < 0 && status == EXIT_FREE && i < count; ++i) {
        status = add_value(all, scene, source, first + i);
    }
    return status;
}

static int read_source(Declared* all, const BerthScene* scene, const char* name, char* rest,
                       BerthMonitorSource* out) {
    const int32_t before = all->value_count;
    int status = EXIT_FREE;
    char* left = NULL;
    for (char* one = strtok_r(rest, ",", &left); status == EXIT_FREE && one != NULL;
         one = strtok_r(NULL, ",", &left)) {
        status = add_named(all, scene, name, one);
    }

    *out = (BerthMonitorSource){name, all->values + before, all->value_count - before};
    if (status == EXIT_FREE && out->value_count == 0) {
        status = cli_reject("monitor", "--source %s reports nothing", name);
    }
    return status;
}

static int read_sources(const MonitorOptions* given, const BerthScene* scene, char** at, Declared* all) {
    char* names[TEXT_LIST_MAX] = {0};
    char* rests[TEXT_LIST_MAX] = {0};
    int status =
        split_texts("source", "NAME=ROBOT or NAME=JOINT,JOINT,...", &given->sources, at, names, rests);
    for (int i = 0; i < given->sources.count && status == EXIT_FREE; ++i) {
        status = read_source(all, scene, names[i], rests[i], &all->sources[i]);
    }

    all->def.sources = all->sources;
    all->def.source_count = given->sources.count;

    if (given->sources.count == 0) {
        all->sources[0] = (BerthMonitorSource){.name = "state"};
        all->def.source_count = 1;
    }
    return status;
}

// ---- clouds --------------------------------------------------------------------------------------------------

static bool read_number(const char* text, double* out) {
    char* end = NULL;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= 0.0 && isfinite(*out);
}

static int add_body(Declared* all, const BerthScene* scene, const char* option, const char* name) {
    if (berth_scene_find_body(scene, name) < 0) {
        return cli_reject("monitor", "--%s: there is no body '%s'", option, name);
    }
    if (all->body_count == DECLARED_MAX) {
        return cli_reject("monitor", "--cloud, --map and --choice name more than %d bodies", DECLARED_MAX);
    }
    all->bodies[all->body_count++] = name;
    return EXIT_FREE;
}

/// A key with one number.
typedef struct NumberKey {
    const char* name;
    double* value;
} NumberKey;

static bool read_number_key(const NumberKey* keys, size_t count, const char* name, const char* value) {
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(name, keys[i].name) == 0) {
            return read_number(value, keys[i].value);
        }
    }
    return false;
}

// KEY:VALUE of clouds and maps, or the word `person`: returns 1 if it was one, 0 if not, and a negative status for an
// unknown body.
static int read_sensor_key(Declared* all, const BerthScene* scene, const char* option, const char* key,
                           const char* value, BerthMonitorCloud* out) {
    const NumberKey keys[] = {{"radius", &out->radius},           {"speed", &out->speed},
                              {"uncertainty", &out->uncertainty}, {"intrusion", &out->intrusion},
                              {"latency", &out->latency},         {"silence", &out->silence}};
    if (value == NULL) {
        out->person = out->person || strcmp(key, "person") == 0;
        return strcmp(key, "person") == 0;
    }
    if (strcmp(key, "ignore") == 0) {
        out->ignore_count += 1;
        return add_body(all, scene, option, value) == EXIT_FREE ? 1 : -1;
    }
    return read_number_key(keys, sizeof keys / sizeof keys[0], key, value);
}

// Splits KEY:VALUE; null if there is no value.
static const char* cut_value(char* text) {
    char* colon = strchr(text, ':');
    if (colon == NULL) {
        return NULL;
    }
    *colon = '\0';
    return colon + 1;
}

static int read_cloud_key(Declared* all, const BerthScene* scene, char* text, BerthMonitorCloud* out) {
    const char* value = cut_value(text);
    const int known = read_sensor_key(all, scene, "cloud", text, value, out);
    if (known != 0) {
        return known > 0 ? EXIT_FREE : EXIT_WRONG;
    }

    double points = 0.0;
    if (value != NULL && strcmp(text, "points") == 0 && read_number(value, &points)) {
        out->capacity = (int32_t)fmin(points, 1e6);
        return EXIT_FREE;
    }

    return cli_reject(
        "monitor",
        "--cloud %s: '%s': expected points:N, radius:M, speed:V, uncertainty:M, intrusion:M, latency:S, "
        "silence:S, ignore:BODY or person",
        out->name, text);
}

static int read_clouds(const MonitorOptions* given, const BerthScene* scene, char** at, Declared* all) {
    char* names[TEXT_LIST_MAX] = {0};
    char* rests[TEXT_LIST_MAX] = {0};
    int status = split_texts("cloud", "NAME=points:N,radius:M,speed:V,...", &given->clouds, at, names, rests);

    for (int i = 0; i < given->clouds.count && status == EXIT_FREE; ++i) {
        BerthMonitorCloud* cloud = &all->clouds[i];
        *cloud = (BerthMonitorCloud){
            .name = names[i], .radius = NAN, .speed = NAN, .ignore = all->bodies + all->body_count};

        char* left = NULL;
        for (char* one = strtok_r(rests[i], ",", &left); status == EXIT_FREE && one != NULL;
             one = strtok_r(NULL, ",", &left)) {
            status = read_cloud_key(all, scene, one, cloud);
        }

        if (status == EXIT_FREE && (cloud->capacity < 1 || isnan(cloud->radius) || isnan(cloud->speed))) {
            status = cli_reject("monitor", "--cloud %s: points, radius and speed must be given", names[i]);
        }
    }

    all->def.clouds = all->clouds;
    all->def.cloud_count = given->clouds.count;
    return status;
}

// ---- maps ----------------------------------------------------------------------------------------------------

// A/B/C.
static bool read_three(const char* text, double out[3]) {
    const char* at = text;
    for (int axis = 0; axis < 3; ++axis) {
        char* end = NULL;
        out[axis] = strtod(at, &end);
        if (end == at || *end != (axis < 2 ? '/' : '\0') || !isfinite(out[axis])) {
            return false;
        }
        at = end + 1;
    }
    return true;
}

static bool read_colour(const char* text, bool* is_free) {
    *is_free = strcmp(text, "free") == 0;
    return *is_free || strcmp(text, "occupied") == 0;
}

/// The values in a map's text, before the map is set up.
typedef struct MapText {
    double size[3], origin[3], yaw, resolution, cells;
} MapText;

static bool read_grid_key(const char* key, const char* value, MapText* map, BerthMonitorGrid* grid) {
    const NumberKey keys[] = {{"resolution", &map->resolution}, {"cells", &map->cells}};
    if (strcmp(key, "size") == 0) {
        return read_three(value, map->size);
    }
    if (strcmp(key, "origin") == 0) {
        return read_three(value, map->origin);
    }

    if (strcmp(key, "unknown") == 0) {
        return read_colour(value, &grid->unknown_is_free);
    }
    if (strcmp(key, "outside") == 0) {
        return read_colour(value, &grid->outside_is_free);
    }

    if (strcmp(key, "yaw") == 0) {
        char* end = NULL;
        map->yaw = strtod(value, &end);
        return end != value && *end == '\0' && isfinite(map->yaw);
    }
    return read_number_key(keys, sizeof keys / sizeof keys[0], key, value);
}

static int read_map(Declared* all, const BerthScene* scene, const char* name, char* rest,
                    BerthMonitorCloud* out, BerthMonitorGrid* grid) {
    MapText map = {.size = {0, 0, 0}};
    char* left = NULL;
    *grid = (BerthMonitorGrid){.nodes = 0};
    *out = (BerthMonitorCloud){
        .name = name, .speed = NAN, .ignore = all->bodies + all->body_count, .grid = grid};

    for (char* one = strtok_r(rest, ",", &left); one != NULL; one = strtok_r(NULL, ",", &left)) {
        const char* value = cut_value(one);
        const int known = read_sensor_key(all, scene, "map", one, value, out);
        if (known < 0) {
            return EXIT_WRONG;
        }
        if (known == 0 && !(value != NULL && read_grid_key(one, value, &map, grid))) {
            return cli_reject(
                "monitor",
                "--map %s: '%s': expected size:X/Y/Z, resolution:R, cells:N, speed:V, origin:X/Y/Z, "
                "yaw:RADIAN, unknown:free|occupied, outside:free|occupied, radius:M, uncertainty:M, "
                "intrusion:M, latency:S, silence:S, ignore:BODY or person",
                name, one);
        }
    }

    for (int axis = 0; axis < 3; ++axis) {
        grid->size[axis] = (int32_t)fmin(fmax(map.size[axis], 0.0), 1e6);
    }
    grid->resolution = map.resolution;
    out->capacity = (int32_t)fmin(map.cells, 1e6);
    const double c = cos(map.yaw), s = sin(map.yaw);
    grid->world_from_grid =
        (BerthPose){{c, s, 0}, {-s, c, 0}, {0, 0, 1}, {map.origin[0], map.origin[1], map.origin[2]}};

    const bool whole =
        grid->size[0] == map.size[0] && grid->size[1] == map.size[1] && grid->size[2] == map.size[2];
    if (!whole || grid->size[0] < 1 || map.resolution == 0.0 || out->capacity < 1 || isnan(out->speed)) {
        return cli_reject("monitor", "--map %s: size, resolution, cells and speed must be given", name);
    }
    return EXIT_FREE;
}

// They follow the clouds in the list: a map is a sensor, too.
static int read_maps(const MonitorOptions* given, const BerthScene* scene, char** at, Declared* all) {
    char* names[TEXT_LIST_MAX] = {0};
    char* rests[TEXT_LIST_MAX] = {0};
    int status = split_texts("map", "NAME=size:X/Y/Z,resolution:R,cells:N,speed:V,...", &given->maps, at,
                             names, rests);

    for (int i = 0; i < given->maps.count && status == EXIT_FREE; ++i) {
        status = read_map(all, scene, names[i], rests[i], &all->clouds[all->def.cloud_count], &all->grids[i]);
        all->def.cloud_count += 1;
    }
    return status;
}

// ---- choices -------------------------------------------------------------------------------------------------

// OPTION:BODY,BODY,...
static int read_option(Declared* all, const BerthScene* scene, const char* choice, char* text) {
    char* colon = strchr(text, ':');
    if (colon == NULL || colon == text || colon - text > BERTH_WIRE_NAME ||
        all->option_count == DECLARED_MAX) {
        return cli_reject("monitor", "--choice %s: '%s': expected OPTION:BODY,BODY,...", choice, text);
    }

    *colon = '\0';
    BerthMonitorOption* option = &all->options[all->option_count++];
    *option = (BerthMonitorOption){text, all->bodies + all->body_count, 0};

    int status = EXIT_FREE;
    char* left = NULL;
    for (char* one = strtok_r(colon + 1, ",", &left); status == EXIT_FREE && one != NULL;
         one = strtok_r(NULL, ",", &left)) {
        status = add_body(all, scene, "choice", one);
        option->body_count += 1;
    }

    return status;
}

static int read_choices(const MonitorOptions* given, const BerthScene* scene, char** at, Declared* all) {
    char* names[TEXT_LIST_MAX] = {0};
    char* rests[TEXT_LIST_MAX] = {0};
    int status =
        split_texts("choice", "NAME=OPTION:BODY,...|OPTION:BODY,...", &given->choices, at, names, rests);

    for (int i = 0; i < given->choices.count && status == EXIT_FREE; ++i) {
        BerthMonitorChoice* choice = &all->choices[i];
        *choice = (BerthMonitorChoice){.name = names[i], .options = all->options + all->option_count};

        char* left = NULL;
        for (char* one = strtok_r(rests[i], "|", &left); status == EXIT_FREE && one != NULL;
             one = strtok_r(NULL, "|", &left)) {
            status = read_option(all, scene, names[i], one);
            choice->option_count += 1;
        }
    }

    all->def.choices = all->choices;
    all->def.choice_count = given->choices.count;
    return status;
}

int monitor_declare(const MonitorOptions* given, const BerthScene* scene, Declared* out) {
    *out = (Declared){.def = berth_default_monitor_def()};
    out->texts = calloc(texts_size(&given->sources) + texts_size(&given->clouds) + texts_size(&given->maps) +
                            texts_size(&given->choices) + 1,
                        1);
    out->values = calloc((size_t)berth_scene_value_count(scene) + 1, sizeof *out->values);
    if (out->texts == NULL || out->values == NULL) {
        return cli_out_of_memory();
    }

    char* at = out->texts;
    int status = read_sources(given, scene, &at, out);
    if (status == EXIT_FREE) {
        status = read_clouds(given, scene, &at, out);
    }
    if (status == EXIT_FREE) {
        status = read_maps(given, scene, &at, out);
    }
    return status == EXIT_FREE ? read_choices(given, scene, &at, out) : status;
}

void monitor_undeclare(Declared* declared) {
    free(declared->texts);
    free(declared->values);
}
