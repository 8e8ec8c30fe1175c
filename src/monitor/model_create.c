// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The hash of what a permit is about, which others can compare; and the memory that must not change, with its
// sums.
// Entries: bi_monitor_hash, bi_monitor_sum_model.

#include <string.h>

#include "certificate/certificate.h"
#include "index/index.h"
#include "monitor/monitor.h"
#include "shape/hull.h"
#include "tree/cells.h"

// ---- the hash --------------------------------------------------------------------------------------------

static void add_number(Sha256* sha, double value) {
    bi_sha256_add(sha, &value, sizeof value);
}

static void add_text(Sha256* sha, const char* text) {
    bi_sha256_add(sha, text, strlen(text) + 1);
}

static void hash_settings(const BerthMonitor* m, Sha256* sha) {
    const double numbers[] = {m->safety.period,
                              m->safety.latency,
                              m->safety.reaction,
                              m->safety.silence,
                              m->safety.margin,
                              m->def.valid_for,
                              m->def.model_error,
                              m->def.tracking_error,
                              m->def.robot_uncertainty,
                              m->def.jump_slack,
                              m->def.skew_limit,
                              m->def.clock_drift,
                              m->def.load_mass,
                              (double)m->def.reorder,
                              (double)m->def.good_needed,
                              m->def.latch_near ? 1.0 : 0.0,
                              m->def.refine ? 1.0 : 0.0,
                              m->def.fixed_buffers ? 1.0 : 0.0,
                              (double)m->def.capsules,
                              (double)m->def.boxes,
                              m->def.limit_tolerance[0],
                              m->def.limit_tolerance[1],
                              m->safety.hysteresis,
                              m->safety.noise,
                              m->safety.drift,
                              m->def.crawl};
    bi_sha256_add(sha, numbers, sizeof numbers);

    for (int32_t i = 0; i < m->scene->frame_count; ++i) {
        add_number(sha, m->joints[i].velocity);
        add_number(sha, m->joints[i].acceleration);
        add_number(sha, m->joints[i].deceleration);
    }

    for (int32_t i = 0; i < m->scene->body_count; ++i) {
        add_number(sha, m->masses[i]);
    }

    for (int32_t i = 0; i < m->object_count; ++i) {
        const MonitorObject* o = &m->objects[i];
        add_number(sha, (double)o->body);
        add_number(sha, o->speed);
        add_number(sha, o->intrusion);
        add_number(sha, o->uncertainty);
        add_number(sha, o->person ? 1.0 : 0.0);
    }
}

static void hash_clouds(const BerthMonitor* m, Sha256* sha) {
    for (int32_t i = 0; i < m->cloud_count; ++i) {
        const MonitorCloud* c = &m->clouds[i];
        const double numbers[] = {c->radius,  c->speed,   c->uncertainty,        c->intrusion,
                                  c->latency, c->silence, c->person ? 1.0 : 0.0, (double)c->capacity};
        add_text(sha, c->name);
        bi_sha256_add(sha, numbers, sizeof numbers);
        bi_sha256_add(sha, c->ignored, (size_t)m->scene->body_count * sizeof *c->ignored);

        if (c->is_map) {  // what is in its cells is no part of the model
            const BerthMonitorGrid* g = &c->grid;
            const double cells[] = {g->size[0],
                                    g->size[1],
                                    g->size[2],
                                    g->resolution,
                                    g->unknown_is_free ? 1.0 : 0.0,
                                    g->outside_is_free ? 1.0 : 0.0,
                                    g->nodes};
            bi_sha256_add(sha, cells, sizeof cells);
            bi_sha256_add(sha, &g->world_from_grid, sizeof g->world_from_grid);
        }
    }
}

static void hash_choices(const BerthMonitor* m, Sha256* sha) {
    for (int32_t i = 0; i < m->choice_count; ++i) {
        add_text(sha, m->choices[i].name);
        add_number(sha, m->choices[i].silence);
        for (int32_t k = 0; k < m->choices[i].option_count; ++k) {
            add_text(sha, m->choices[i].options[k].name);
        }
    }
    for (int32_t i = 0; i < m->simple_count && m->choice_count > 0; ++i) {
        add_number(sha, (double)m->simple_bodies[i].choice);
        add_number(sha, (double)m->simple_bodies[i].option);
    }
}

void bi_monitor_hash(BerthMonitor* m) {
    Sha256 sha;
    uint8_t scene[SHA256_SIZE];
    bi_certificate_hash_scene(m->scene, scene);
    bi_sha256_init(&sha);
    bi_sha256_add(&sha, scene, sizeof scene);
    hash_settings(m, &sha);
    hash_clouds(m, &sha);
    hash_choices(m, &sha);
    bi_sha256_end(&sha, m->base_model);
}

// ---- memory that must not change -------------------------------------------------------------------------

/// Counts regions when there is no list yet.
typedef struct Regions {
    ModelRegion* list;
    int32_t count;
    size_t bytes;
} Regions;

static void add_region(Regions* regions, const void* start, size_t count, size_t size) {
    if (start == NULL || count == 0) {
        return;
    }
    if (regions->list != NULL) {
        regions->list[regions->count] =
            (ModelRegion){start, count * size, bi_model_sum(0, start, count * size)};
    }
    regions->count += 1;
    regions->bytes += count * size;
}

static void add_hull(Regions* regions, const BerthHull* hull) {
    add_region(regions, hull, 1, sizeof *hull);
    add_region(regions, hull->vertices, (size_t)hull->vertex_count, sizeof *hull->vertices);
    add_region(regions, hull->faces, 3 * (size_t)hull->face_count, sizeof *hull->faces);
    add_region(regions, hull->neighbours, (size_t)hull->neighbour_count, sizeof *hull->neighbours);
}

static void add_solid(Regions* regions, const BerthSolid* s, bool meshes) {
    if (!s->is_mesh) {
        add_region(regions, s, 1, sizeof *s);
        if (s->shape.kind == BERTH_HULL) {
            add_hull(regions, s->shape.as.hull.hull);
        }
        return;
    }

    if (!meshes) {
        return;  // nothing needs it
    }

    add_region(regions, s, 1, sizeof *s);
    add_region(regions, s->nodes, (size_t)s->node_count, sizeof *s->nodes);
    add_region(regions, s->links, (size_t)s->node_count, sizeof *s->links);
    add_region(regions, s->corners, (size_t)s->bottom_count, sizeof *s->corners);
    add_region(regions, s->triangles, (size_t)s->triangle_count, sizeof *s->triangles);
    add_region(regions, s->source, (size_t)s->triangle_count, sizeof *s->source);
    add_region(regions, s->pieces, (size_t)s->piece_count, sizeof *s->pieces);
    add_region(regions, s->piece_nodes, (size_t)s->piece_node_count, sizeof *s->piece_nodes);

    if (s->cells != NULL) {
        add_region(regions, s->cells, 1, sizeof *s->cells);
        add_region(regions, s->cells->ranges, s->cells->range_count, sizeof *s->cells->ranges);
    }

    add_region(regions, s->mesh->vertices, (size_t)s->mesh->info.vertex_count, sizeof *s->mesh->vertices);
    add_region(regions, s->mesh->triangles, 3 * (size_t)s->mesh->info.triangle_count,
               sizeof *s->mesh->triangles);
}

static void add_scene(Regions* regions, const BerthScene* scene, bool meshes) {
    add_region(regions, scene->robots, (size_t)scene->robot_count, sizeof *scene->robots);
    add_region(regions, scene->bodies, (size_t)scene->body_count, sizeof *scene->bodies);
    add_region(regions, scene->parts, (size_t)scene->part_count, sizeof *scene->parts);
    add_region(regions, scene->pairs, (size_t)scene->pair_count, sizeof *scene->pairs);
    for (int32_t i = 0; i < scene->robot_count; ++i) {
        const BerthRobot* robot = scene->robots[i].robot;
        add_region(regions, robot->frames, (size_t)robot->frame_count, sizeof *robot->frames);
        add_region(regions, robot->values, (size_t)robot->value_count, sizeof *robot->values);
    }
    for (int32_t i = 0; i < scene->part_count; ++i) {
        add_solid(regions, scene->parts[i].solid, meshes);
    }
}

static void add_name(Regions* regions, const char* name) {
    add_region(regions, name, strlen(name) + 1, 1);
}

// Messages find their way by names.
static void add_names(Regions* regions, const BerthMonitor* m) {
    for (int32_t i = 0; i < m->source_count; ++i) {
        add_name(regions, m->sources[i].name);
    }
    for (int32_t i = 0; i < m->cloud_count; ++i) {
        add_name(regions, m->clouds[i].name);
    }

    for (int32_t i = 0; i < m->choice_count; ++i) {
        const MonitorChoice* choice = &m->choices[i];
        add_name(regions, choice->name);
        add_region(regions, choice->options, (size_t)choice->option_count, sizeof *choice->options);
        for (int32_t k = 0; k < choice->option_count; ++k) {
            add_name(regions, choice->options[k].name);
        }
    }
}

static void add_all_regions(Regions* regions, const BerthMonitor* m) {
    const size_t bodies = (size_t)m->scene->body_count;

    add_region(regions, &m->def, 1, sizeof m->def);
    add_region(regions, &m->safety, 1, sizeof m->safety);
    add_region(regions, m->simple_bodies, (size_t)m->simple_count, sizeof *m->simple_bodies);
    add_region(regions, m->simple_of, (size_t)m->simple_count, sizeof *m->simple_of);

    add_region(regions, m->row_frame, (size_t)m->row_total, sizeof *m->row_frame);
    add_region(regions, m->joints, (size_t)m->scene->frame_count, sizeof *m->joints);
    add_region(regions, m->limits, (size_t)m->scene->value_count, sizeof *m->limits);
    add_region(regions, m->sources, (size_t)m->source_count, sizeof *m->sources);
    add_region(regions, m->source_values, (size_t)m->scene->value_count, sizeof *m->source_values);
    add_region(regions, m->floats, (size_t)m->float_count, sizeof *m->floats);
    add_region(regions, m->objects, (size_t)m->object_count, sizeof *m->objects);
    add_region(regions, m->clouds, (size_t)m->cloud_count, sizeof *m->clouds);

    for (int32_t i = 0; i < m->cloud_count; ++i) {
        add_region(regions, m->clouds[i].ignored, bodies, sizeof *m->clouds[i].ignored);
        if (m->clouds[i].is_map) {
            const MapNow* map = m->clouds_now[i].map;
            add_region(regions, map->full, bi_live_cells_bytes(&map->cells), 1);
        }
    }
    add_region(regions, m->choices, (size_t)m->choice_count, sizeof *m->choices);
    add_names(regions, m);
    add_region(regions, m->pair_row, bodies, sizeof *m->pair_row);

    int32_t rows = 0;
    for (size_t i = 0; i < bodies; ++i) {
        rows += m->pair_row[i] >= 0;
    }
    add_region(regions, m->pair_of, (size_t)rows * bodies, sizeof *m->pair_of);
    add_region(regions, m->masses, bodies, sizeof *m->masses);

    add_region(regions, m->index->allowed, (size_t)m->index->def.mover_limit * (size_t)m->index->row_words,
               sizeof *m->index->allowed);
    add_scene(regions, m->scene, m->def.refine);
}

BerthStatus bi_monitor_sum_model(BerthMonitor* m) {
    Regions regions = {0};
    add_all_regions(&regions, m);
    m->regions = bi_monitor_take(m, (size_t)regions.count, sizeof *m->regions);
    if (m->regions == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
    }
    regions = (Regions){.list = m->regions};
    add_all_regions(&regions, m);
    m->region_count = regions.count;
    m->model_bytes = regions.bytes;
    return BERTH_OK;
}
