// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What is declared at the start: clouds with their memory, and choices with the bodies that each option brings.
// Entries: bi_monitor_add_clouds, bi_monitor_add_choices.

#include <string.h>

#include "math/math.h"
#include "monitor/monitor.h"

enum { CLOUD_POINTS_MAX = 10000000, CELLS_MAX = 32 };

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
}

static const char* copy_text(BerthMonitor* m, const char* text) {
    return text != NULL ? bi_arena_copy_text(&m->arena, text, strlen(text)) : NULL;
}

static BerthStatus check_name(const char* what, const char* name) {
    if (name == NULL || name[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor: a %s has no name", what);
    }
    return BERTH_OK;
}

// ---- clouds ----------------------------------------------------------------------------------------------

static BerthStatus check_cloud(const BerthMonitorCloud* cloud) {
    BerthStatus status = check_name("cloud", cloud->name);
    if (status == BERTH_OK && (cloud->capacity < 1 || cloud->capacity > CLOUD_POINTS_MAX)) {
        status = bi_fail(BERTH_ERR_ARGUMENT, "cloud '%s': capacity is %d points, must be from 1 to %d",
                         cloud->name, cloud->capacity, (int)CLOUD_POINTS_MAX);
    }

    const struct {
        const char* name;
        double value;
    } rules[] = {{"radius", cloud->radius},           {"speed", cloud->speed},
                 {"uncertainty", cloud->uncertainty}, {"intrusion", cloud->intrusion},
                 {"latency", cloud->latency},         {"silence", cloud->silence}};

    for (size_t i = 0; status == BERTH_OK && i < sizeof rules / sizeof rules[0]; ++i) {
        if (!(rules[i].value >= 0.0 && rules[i].value < BI_COORDINATE_MAX)) {
            status = bi_fail(BERTH_ERR_ARGUMENT, "cloud '%s': %s is %g, must be given and at least 0",
                             cloud->name, rules[i].name, rules[i].value);
        }
    }

    return status;
}

static BerthStatus check_grid(const char* name, const BerthMonitorGrid* grid) {
    for (int axis = 0; axis < 3; ++axis) {
        if (grid->size[axis] < 1 || grid->size[axis] > LIVE_CELLS_SIDE) {
            return bi_fail(BERTH_ERR_ARGUMENT, "map '%s': %d cells along an axis, must be from 1 to %d", name,
                           grid->size[axis], (int)LIVE_CELLS_SIDE);
        }
    }
    if (!(grid->resolution > 0.0 && grid->resolution * LIVE_CELLS_SIDE < BI_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "map '%s': cells of %g m", name, grid->resolution);
    }

    const Pose* pose = &grid->world_from_grid;
    const Vec3 far = v3_abs(pose->t);
    const bool near = far.x < BI_COORDINATE_MAX && far.y < BI_COORDINATE_MAX && far.z < BI_COORDINATE_MAX;
    Pose exact;
    if (!(near && bi_monitor_make_rotation_exact(pose, &exact)) || grid->nodes < 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "map '%s': its pose is no rotation, or too far, or nodes are < 0",
                       name);
    }
    return BERTH_OK;
}

static BerthStatus ignore_bodies(BerthMonitor* m, const BerthMonitorCloud* cloud, bool* ignored) {
    for (int32_t i = 0; i < cloud->ignore_count; ++i) {
        const int32_t body = berth_scene_find_body(m->scene, cloud->ignore[i]);
        if (body < 0) {
            return bi_fail(BERTH_ERR_ARGUMENT, "cloud '%s': there is no body '%s' to ignore", cloud->name,
                           cloud->ignore[i]);
        }
        ignored[body] = true;
    }
    return BERTH_OK;
}

static BerthStatus add_map(BerthMonitor* m, int32_t at) {
    const BerthMonitorCloud* given = &m->def.clouds[at];
    MonitorCloud* cloud = &m->clouds[at];
    BerthStatus status = check_grid(given->name, given->grid);
    if (status != BERTH_OK) {
        return status;
    }

    cloud->is_map = true;
    cloud->grid = *given->grid;
    (void)bi_monitor_make_rotation_exact(&given->grid->world_from_grid, &cloud->grid.world_from_grid);

    const LiveCells shape = bi_live_cells_shape(given->grid->size, given->grid->resolution);
    const size_t bytes = bi_live_cells_bytes(&shape);
    MapNow* map = bi_monitor_take(m, 1, sizeof *map);
    LiveCells full = shape;
    full.bits = bi_monitor_take(m, bytes, 1);
    if (map == NULL || full.bits == NULL) {
        return no_memory();
    }

    bi_live_cells_fill(&full);
    map->full = full.bits;
    map->cells = map->next = shape;
    map->cells.bits = bi_monitor_take(m, bytes, 1);
    map->next.bits = bi_monitor_take(m, bytes, 1);
    map->whole.came = bi_monitor_take(m, UPDATE_PARTS_MAX / 64, sizeof *map->whole.came);
    map->changes.came = bi_monitor_take(m, UPDATE_PARTS_MAX / 64, sizeof *map->changes.came);
    map->runs = bi_monitor_take(m, (size_t)given->capacity, sizeof *map->runs);
    map->kept = bi_monitor_take(m, kept_words(given->grid->size), sizeof *map->kept);

    m->clouds_now[at].map = map;
    const bool all =
        map->cells.bits && map->next.bits && map->whole.came && map->changes.came && map->runs && map->kept;
    if (!all) {
        return no_memory();
    }
    bi_live_cells_copy(&map->cells, map->full);  // nothing is known
    return BERTH_OK;
}

static BerthStatus take_points(BerthMonitor* m, int32_t at) {
    MonitorCloud* cloud = &m->clouds[at];
    CloudNow* now = &m->clouds_now[at];
    const size_t points = (size_t)m->def.clouds[at].capacity;

    // About two points a cell when the cloud is full.
    int32_t cells = 1;
    while (cells < CELLS_MAX && 2 * cells * cells * cells < m->def.clouds[at].capacity) {
        cells += 1;
    }

    cloud->cells = cells;
    now->points = bi_monitor_take(m, points, sizeof *now->points);
    now->coming = bi_monitor_take(m, points, sizeof *now->coming);
    now->came = bi_monitor_take(m, (points + 63) / 64, sizeof *now->came);
    now->first = bi_monitor_take(m, (size_t)(cells * cells * cells) + 1, sizeof *now->first);

    return now->points && now->coming && now->came && now->first ? BERTH_OK : no_memory();
}

static BerthStatus add_cloud(BerthMonitor* m, int32_t at) {
    const BerthMonitorCloud* given = &m->def.clouds[at];
    MonitorCloud* cloud = &m->clouds[at];
    bool* ignored = bi_monitor_take(m, (size_t)m->scene->body_count, sizeof *ignored);
    cloud->name = copy_text(m, given->name);
    if (ignored == NULL || cloud->name == NULL) {
        return no_memory();
    }

    const BerthStatus status = given->grid != NULL ? add_map(m, at) : take_points(m, at);
    if (status != BERTH_OK) {
        return status;
    }

    cloud->capacity = given->capacity;
    cloud->radius = given->radius;
    cloud->speed = given->speed;
    cloud->uncertainty = given->uncertainty;
    cloud->intrusion = given->intrusion;
    cloud->latency = given->latency > 0.0 ? given->latency : m->safety.latency;
    cloud->silence = given->silence > 0.0 ? given->silence : m->safety.silence;
    cloud->person = given->person;
    cloud->ignored = ignored;

    return ignore_bodies(m, given, ignored);
}

BerthStatus bi_monitor_add_clouds(BerthMonitor* m) {
    const size_t count = (size_t)m->def.cloud_count;
    m->clouds = bi_monitor_take(m, count, sizeof *m->clouds);
    m->clouds_now = bi_monitor_take(m, count, sizeof *m->clouds_now);
    m->cloud_tracks = bi_monitor_take(m, count, sizeof *m->cloud_tracks);

    if (!m->clouds || !m->clouds_now || !m->cloud_tracks) {
        return no_memory();
    }

    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; status == BERTH_OK && i < m->def.cloud_count; ++i) {
        status = check_cloud(&m->def.clouds[i]);

        if (status == BERTH_OK && berth_monitor_find_cloud(m, m->def.clouds[i].name) >= 0) {
            status = bi_fail(BERTH_ERR_ARGUMENT, "cloud '%s': it appears twice", m->def.clouds[i].name);
        }

        if (status == BERTH_OK) {
            status = add_cloud(m, i);
        }
        if (status == BERTH_OK) {
            m->cloud_count = i + 1;
        }
    }
    return status;
}

// ---- choices ---------------------------------------------------------------------------------------------

// Every simple body of the body is there with this option only. A body can be in one option of one choice.
static BerthStatus claim_body_for_option(BerthMonitor* m, int32_t choice, int32_t option, const char* name) {
    const char* owner = m->choices[choice].name;

    const int32_t body = berth_scene_find_body(m->scene, name);
    if (body < 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "choice '%s': there is no body '%s'", owner, name);
    }

    for (int32_t i = 0; i < m->simple_count; ++i) {
        SimpleBody* simple = &m->simple_bodies[i];
        if (simple->body != body) {
            continue;
        }

        if (simple->object >= 0) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "choice '%s': '%s' moves by itself; only what is attached or stands can be chosen",
                           owner, name);
        }
        if (simple->choice >= 0) {
            return bi_fail(BERTH_ERR_ARGUMENT, "choice '%s': body '%s' is named in another option too", owner,
                           name);
        }

        simple->choice = choice;
        simple->option = option;
    }
    return BERTH_OK;
}

static BerthStatus add_option(BerthMonitor* m, int32_t choice, int32_t option) {
    const BerthMonitorOption* given = &m->def.choices[choice].options[option];
    BerthStatus status = check_name("choice's option", given->name);

    bool twice = false;
    for (int32_t i = 0; status == BERTH_OK && i < option; ++i) {
        twice = twice || strcmp(m->choices[choice].options[i].name, given->name) == 0;
    }
    if (twice) {
        status = bi_fail(BERTH_ERR_ARGUMENT, "choice '%s': option '%s' appears twice",
                         m->choices[choice].name, given->name);
    }

    if (status == BERTH_OK) {
        m->choices[choice].options[option].name = copy_text(m, given->name);
        if (m->choices[choice].options[option].name == NULL) {
            status = no_memory();
        }
    }

    for (int32_t i = 0; status == BERTH_OK && i < given->body_count; ++i) {
        status = claim_body_for_option(m, choice, option, given->bodies[i]);
    }
    m->choices[choice].option_count += status == BERTH_OK;
    return status;
}

static BerthStatus add_choice(BerthMonitor* m, int32_t at) {
    const BerthMonitorChoice* given = &m->def.choices[at];
    MonitorChoice* choice = &m->choices[at];
    BerthStatus status = check_name("choice", given->name);
    if (status == BERTH_OK && berth_monitor_find_choice(m, given->name) >= 0) {
        status = bi_fail(BERTH_ERR_ARGUMENT, "choice '%s': it appears twice", given->name);
    }
    if (status == BERTH_OK && (given->option_count < 1 || given->options == NULL ||
                               !(given->silence >= 0.0) || !(given->silence < (double)INFINITY))) {
        status = bi_fail(BERTH_ERR_ARGUMENT, "choice '%s': %d options and a silence of %g s", given->name,
                         given->option_count, given->silence);
    }

    if (status != BERTH_OK) {
        return status;
    }

    choice->name = copy_text(m, given->name);
    choice->options = bi_monitor_take(m, (size_t)given->option_count, sizeof *choice->options);
    choice->silence = given->silence;
    if (choice->name == NULL || choice->options == NULL) {
        return no_memory();
    }

    for (int32_t i = 0; status == BERTH_OK && i < given->option_count; ++i) {
        status = add_option(m, at, i);
    }
    return status;
}

BerthStatus bi_monitor_add_choices(BerthMonitor* m) {
    const size_t count = (size_t)m->def.choice_count;
    m->choices = bi_monitor_take(m, count, sizeof *m->choices);
    m->choices_now = bi_monitor_take(m, count, sizeof *m->choices_now);
    m->choice_tracks = bi_monitor_take(m, count, sizeof *m->choice_tracks);

    if (!m->choices || !m->choices_now || !m->choice_tracks) {
        return no_memory();
    }

    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; status == BERTH_OK && i < m->def.choice_count; ++i) {
        status = add_choice(m, i);
        if (status == BERTH_OK) {
            m->choice_count = i + 1;
        }
    }

    m->switching = true;  // the first options come into force at the end of the start
    return status;
}
