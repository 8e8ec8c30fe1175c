// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes a monitor: what is missing is refused here, not guessed in a cycle. Meshes are covered by a few
// capsules or boxes (simple_bodies_create.c); the scene's other shapes are used as they are.
// Entries: berth_monitor_create, berth_monitor_destroy; berth_default_monitor_def; berth_monitor_find_...

#include <string.h>

#include "math/math.h"
#include "monitor/monitor.h"

// A clock that is off by more than a hundredth is useless: falling behind could not be told from its drift.
#define CLOCK_DRIFT_MOST 0.01

BerthMonitorDef berth_default_monitor_def(void) {
    return (BerthMonitorDef){.valid_for = 0.003,
                             .skew_limit = (double)INFINITY,
                             .clock_drift = 1e-4,
                             .jump_slack = 0.01,
                             .limit_tolerance = {1e-3, 1e-4},
                             .reorder = 8,
                             .speed_scale = true,
                             .good_needed = 10,
                             .refine_nodes = 2000,
                             .capsules = 2,
                             .boxes = 16,
                             .load_mass = 1.0,
                             .refine_cycle_nodes = 20000,
                             .stamp = BI_DEF_STAMP};
}

static BerthStatus check_positive(const char* name, double value) {
    if (!(value > 0.0 && value < (double)INFINITY)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor: %s is %g, must be given and above 0", name, value);
    }
    return BERTH_OK;
}

static BerthStatus check_not_negative(const char* name, double value) {
    if (!(value >= 0.0 && value < (double)INFINITY)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor: %s is %g, must be at least 0", name, value);
    }
    return BERTH_OK;
}

static BerthStatus check_def(const BerthScene* scene, const BerthMonitorDef* def, BerthSafety* safety) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor def: start from berth_default_monitor_def()");
    }

    if (scene == NULL || !scene->committed) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor: the scene is not committed");
    }

    *safety = def->safety;
    const BerthSafety none = {0};
    if (memcmp(safety, &none, sizeof none) == 0 && !berth_scene_safety(scene, safety)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor: the scene has no 'safety: {period, latency, reaction, silence, margin}'");
    }

    const struct {
        const char* name;
        double value;
        bool positive;
    } rules[] = {
        {"safety period", safety->period, true},
        {"safety silence", safety->silence, true},
        {"safety latency", safety->latency, false},
        {"safety reaction", safety->reaction, false},
        {"safety margin", safety->margin, false},
        {"safety hysteresis", safety->hysteresis, false},
        {"safety noise", safety->noise, false},
        {"safety drift", safety->drift, false},
        {"crawl", def->crawl, false},
        {"permit's life", def->valid_for, true},
        {"jump slack", def->jump_slack, false},
        {"limit tolerance", def->limit_tolerance[0], false},
        {"limit tolerance of what slides", def->limit_tolerance[1], false},
        {"clock drift", def->clock_drift, false},
        {"model error", def->model_error, false},
        {"tracking error", def->tracking_error, false},
        {"robot uncertainty", def->robot_uncertainty, false},
        {"load mass", def->load_mass, true},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        const BerthStatus status = rules[i].positive ? check_positive(rules[i].name, rules[i].value)
                                                     : check_not_negative(rules[i].name, rules[i].value);
        if (status != BERTH_OK) {
            return status;
        }
    }

    if (!(def->skew_limit > 0.0) || def->good_needed < 1 || def->refine_nodes < 1 ||
        def->refine_cycle_nodes < 1 || def->capsules < 1 || def->boxes < 1) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor def: skew limit, good messages, refine nodes, capsules and boxes must "
                       "be above 0");
    }

    const double drift = fmax(def->clock_drift, safety->drift);
    if (drift > CLOCK_DRIFT_MOST) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor def: clock drift is %g seconds a second, must be at most %g", drift,
                       CLOCK_DRIFT_MOST);
    }
    if (def->crawl > 0.0 && (def->fixed_buffers || def->latch_near)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor def: no retreat with fixed buffers, which are never small enough, or when "
                       "nearness is latched as a fault");
    }

    if (def->source_count < 0 || (def->sources != NULL && def->source_count < 1) || def->cloud_count < 0 ||
        (def->cloud_count > 0 && def->clouds == NULL) || def->choice_count < 0 ||
        (def->choice_count > 0 && def->choices == NULL)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor def: %d sources, %d clouds, %d choices, or no list of them",
                       def->source_count, def->cloud_count, def->choice_count);
    }
    return BERTH_OK;
}

void* bi_monitor_take(BerthMonitor* m, size_t count, size_t size) {
    return bi_arena_take(&m->arena, count, size);
}

// ---- joints ----------------------------------------------------------------------------------------------

static BerthStatus read_joint(BerthMonitor* m, const SceneRobot* robot, int32_t frame) {
    const RobotFrame* f = &robot->robot->frames[frame];
    const int32_t at = robot->robot->values[f->value].joint;  // a follower goes as its leader
    const BerthJointInfo* info = &robot->robot->joints[at];
    const BerthJointLimit* given = &robot->limits[at];
    MonitorJoint* joint = &m->joints[robot->first_frame + frame];

    joint->velocity = given->velocity > 0.0 ? given->velocity : info->velocity;
    joint->acceleration = given->acceleration > 0.0 ? given->acceleration : (double)INFINITY;
    joint->deceleration = given->deceleration > 0.0 ? given->deceleration : given->acceleration;
    m->braking_assumed += !(given->deceleration > 0.0);

    if (!(joint->velocity > 0.0 && joint->velocity < (double)INFINITY)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor: joint '%s' has no velocity limit: give 'limits: {%s: {velocity, "
                       "acceleration, deceleration}}' in the scene",
                       info->name, info->name);
    }
    if (!(joint->deceleration > 0.0 && joint->deceleration < (double)INFINITY)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "monitor: joint '%s' has no deceleration: how it brakes must be given by 'limits: "
                       "{%s: {deceleration}}' in the scene",
                       info->name, info->name);
    }

    // A floating base slides along three axes; its four numbers of orientation are looked at together.
    for (int32_t k = 0; k < (f->motion == FRAME_PLANAR || f->motion == FRAME_FLOATING ? 3 : 1); ++k) {
        MonitorValue* value = &m->limits[robot->first_value + f->value + k];
        // One that others follow is where it was only when they are.
        value->wraps =
            info->type == BERTH_JOINT_CONTINUOUS && value->velocity == 0.0 && fabs(f->multiplier) == 1.0;
        value->velocity = joint->velocity;
        value->acceleration = joint->acceleration;
        value->deceleration = joint->deceleration;
    }
    return BERTH_OK;
}

static bool value_slides(const BerthRobot* robot, int32_t value) {
    return robot->joints[robot->values[value].joint].type == BERTH_JOINT_PRISMATIC;
}

static BerthStatus read_joints(BerthMonitor* m) {
    const BerthScene* scene = m->scene;

    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t f = 1; f < robot->frame_count; ++f) {
            const BerthStatus status = read_joint(m, robot, f);
            if (status != BERTH_OK) {
                return status;
            }
        }

        for (int32_t i = 0; i < robot->value_count; ++i) {
            const RobotValue* value = &robot->robot->values[i];
            MonitorValue* limit = &m->limits[robot->first_value + i];
            const double tolerance = m->def.limit_tolerance[value_slides(robot->robot, i)];
            limit->lower = value->has_limits ? value->lower - tolerance : -(double)INFINITY;
            limit->upper = value->has_limits ? value->upper + tolerance : (double)INFINITY;
        }
    }
    return BERTH_OK;
}

// ---- sources and objects ---------------------------------------------------------------------------------

static BerthStatus read_source(BerthMonitor* m, int32_t index, int32_t* used) {
    const BerthMonitorSource one = {.name = "state"};
    const BerthMonitorSource* given = m->def.sources != NULL ? &m->def.sources[index] : &one;
    const int32_t values = m->scene->value_count;
    const int32_t count = given->values == NULL ? values : given->value_count;

    MonitorSource* source = &m->sources[index];
    const char* name = given->name != NULL ? given->name : "";
    source->name = bi_arena_copy_text(&m->arena, name, strlen(name));
    if (source->name == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
    }

    source->values = m->source_values + *used;
    source->value_count = count;
    for (int32_t k = 0; k < count; ++k) {
        const int32_t at = given->values == NULL ? k : given->values[k];
        if (at < 0 || at >= values || *used >= values || m->told[at] != 0.0) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "monitor: source %d tells value %d, which there is not or which another "
                           "one tells",
                           index, at);
        }
        m->source_values[(*used)++] = at;
        m->told[at] = (double)NAN;
    }
    return BERTH_OK;
}

static BerthStatus read_sources(BerthMonitor* m) {
    const int32_t values = m->scene->value_count;
    int32_t used = 0;
    for (int32_t i = 0; i < m->source_count; ++i) {
        const BerthStatus status = read_source(m, i, &used);
        if (status != BERTH_OK) {
            return status;
        }
    }
    if (used < values) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor: %d of %d values are reported by no source",
                       values - used, values);
    }
    return BERTH_OK;
}

// Where the four numbers of an orientation are reported.
static bool find_orientation(const BerthMonitor* m, int32_t first, MonitorFloatingBase* out) {
    int32_t found = 0;
    for (int32_t i = 0; i < m->source_count && found < 4; ++i) {
        found = 0;
        out->source = i;
        for (int32_t k = 0; k < m->sources[i].value_count; ++k) {
            const int32_t which = m->sources[i].values[k] - first - 3;
            if (which >= 0 && which < 4) {
                out->at[which] = k;
                found += 1;
            }
        }
    }
    return found == 4;
}

static BerthStatus read_floating_bases(BerthMonitor* m) {
    m->floats = bi_monitor_take(m, (size_t)m->scene->robot_count, sizeof *m->floats);
    if (m->floats == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
    }

    for (int32_t r = 0; r < m->scene->robot_count; ++r) {
        const SceneRobot* robot = &m->scene->robots[r];
        for (int32_t f = 1; f < robot->frame_count; ++f) {
            const RobotFrame* frame = &robot->robot->frames[f];
            if (frame->motion != FRAME_FLOATING) {
                continue;
            }

            if (m->float_count >= m->scene->robot_count ||
                !find_orientation(m, robot->first_value + frame->value, &m->floats[m->float_count])) {
                return bi_fail(
                    BERTH_ERR_ARGUMENT,
                    "monitor: joint '%s' is floating: at most one a robot, and one source tells its "
                    "orientation",
                    robot->robot->joints[frame->joint].name);
            }

            m->floats[m->float_count++].velocity = m->joints[robot->first_frame + f].velocity;
        }
    }
    return BERTH_OK;
}

static BerthStatus read_objects(BerthMonitor* m) {
    const BerthScene* scene = m->scene;
    for (int32_t i = 0; i < scene->object_count; ++i) {
        const SceneObject* object = &scene->objects[i];
        if (object->used && object->robot >= 0 && object->body >= 0) {
            m->masses[object->body] = object->mass;
        } else if (object->used && object->robot >= 0 && object->mass > 0.0) {
            // Loads are weighed by the bodies that are in force; this one would brake as if it were not there.
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "monitor: '%s' is attached with a mass of %g kg, but is a map without any "
                           "obstacle: a load needs a body",
                           object->name, object->mass);
        }

        if (!object->used || !(object->moving || object->person) || object->robot >= 0) {
            continue;
        }

        m->object_pose[m->object_count] = object->pose;
        m->objects[m->object_count++] = (MonitorObject){.id = {(uint32_t)i, object->age},
                                                        .body = object->body,
                                                        .speed = object->speed,
                                                        .intrusion = object->intrusion,
                                                        .uncertainty = object->uncertainty,
                                                        .person = object->person};

        const BerthStatus status = check_not_negative(object->name, object->speed);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

// ---- memory ----------------------------------------------------------------------------------------------

// Rows of pairs only for bodies that move: a hall of ten thousand boxes has no table of all pairs.
static bool fill_pair_table(BerthMonitor* m) {
    const BerthScene* scene = m->scene;
    const size_t bodies = (size_t)scene->body_count;

    int32_t rows = 0;
    m->pair_row = bi_monitor_take(m, bodies, sizeof *m->pair_row);
    if (m->pair_row == NULL) {
        return false;
    }
    for (size_t i = 0; i < bodies; ++i) {
        m->pair_row[i] = -1;
    }

    // A row for each body that moves.
    for (int32_t i = 0; i < m->simple_count; ++i) {
        const SimpleBody* simple = &m->simple_bodies[i];
        if ((simple->row_count > 1 || simple->object >= 0) && m->pair_row[simple->body] < 0) {
            m->pair_row[simple->body] = rows++;
        }
    }

    m->pair_of = bi_monitor_take(m, (size_t)rows * bodies, sizeof *m->pair_of);
    if (m->pair_of == NULL) {
        return false;
    }
    for (size_t i = 0; i < (size_t)rows * bodies; ++i) {
        m->pair_of[i] = -1;
    }

    // Each pair in the rows of both its bodies.
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const int32_t ends[2] = {scene->pairs[i].body_a, scene->pairs[i].body_b};
        for (int k = 0; k < 2; ++k) {
            if (m->pair_row[ends[k]] >= 0) {
                m->pair_of[(size_t)m->pair_row[ends[k]] * bodies + (size_t)ends[1 - k]] = i;
            }
        }
    }
    return true;
}

static bool take_objects(BerthMonitor* m) {
    size_t objects = 0;
    for (int32_t i = 0; i < m->scene->object_count; ++i) {
        objects += m->scene->objects[i].used && (m->scene->objects[i].moving || m->scene->objects[i].person);
    }
    m->objects = bi_monitor_take(m, objects, sizeof *m->objects);
    m->object_tracks = bi_monitor_take(m, objects, sizeof *m->object_tracks);
    m->object_pose = bi_monitor_take(m, objects, sizeof *m->object_pose);
    m->masses = bi_monitor_take(m, (size_t)m->scene->body_count, sizeof *m->masses);
    return m->objects && m->object_tracks && m->object_pose && m->masses;
}

static bool take_arrays(BerthMonitor* m) {
    const BerthScene* scene = m->scene;
    const size_t values = (size_t)scene->value_count;
    const size_t pairs = m->def.refine ? (size_t)scene->pair_count : 0;
    const size_t retreats = m->def.crawl > 0.0 ? (size_t)scene->pair_count : 0;
    m->source_count = m->def.sources != NULL ? m->def.source_count : 1;
    m->near_capacity = 65536;

    m->near = bi_monitor_take(m, (size_t)m->near_capacity, sizeof *m->near);
    m->joints = bi_monitor_take(m, (size_t)scene->frame_count, sizeof *m->joints);
    m->load_scale = bi_monitor_take(m, (size_t)scene->robot_count, sizeof *m->load_scale);
    m->sources = bi_monitor_take(m, (size_t)m->source_count, sizeof *m->sources);
    m->source_tracks = bi_monitor_take(m, (size_t)m->source_count, sizeof *m->source_tracks);
    m->source_trails = bi_monitor_take(m, (size_t)m->source_count, sizeof *m->source_trails);

    m->source_values = bi_monitor_take(m, values, sizeof *m->source_values);
    m->limits = bi_monitor_take(m, values, sizeof *m->limits);
    m->values = bi_monitor_take(m, values, sizeof *m->values);
    m->speeds = bi_monitor_take(m, values, sizeof *m->speeds);
    m->told = bi_monitor_take(m, values, sizeof *m->told);
    m->taken = bi_monitor_take(m, values, sizeof *m->taken);
    m->trails = bi_monitor_take(m, values, sizeof *m->trails);
    m->seen = bi_monitor_take(m, values, sizeof *m->seen);
    m->histories = bi_monitor_take(m, (size_t)m->source_count, sizeof *m->histories);
    m->history = bi_monitor_take(m, values * HISTORY, sizeof *m->history);
    m->retreats = bi_monitor_take(m, retreats, sizeof *m->retreats);

    m->refine_wanted = bi_monitor_take(m, pairs, sizeof *m->refine_wanted);
    m->refine_lower = bi_monitor_take(m, pairs, sizeof *m->refine_lower);
    m->refine_stamp = bi_monitor_take(m, pairs, sizeof *m->refine_stamp);

    return m->near && m->joints && m->load_scale && m->sources && m->source_tracks && m->source_trails &&
           m->source_values && m->limits && m->values && m->speeds && m->told && m->taken && m->trails &&
           m->seen && m->histories && m->history && m->retreats && m->refine_wanted && m->refine_lower &&
           m->refine_stamp && take_objects(m);
}

static BerthStatus make_arrays(BerthMonitor* m) {
    if (!take_arrays(m)) {
        return bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
    }
    return BERTH_OK;
}

static BerthStatus make_pair_table(BerthMonitor* m) {
    if (!fill_pair_table(m)) {
        return bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
    }
    return BERTH_OK;
}

static BerthStatus make_checker(BerthMonitor* m) {
    BerthCheckerDef def = berth_default_checker_def();
    def.node_budget = m->def.refine_nodes;
    def.lab = &(BerthCheckerLab){.tables = BERTH_TABLES_NONE};  // pairs come from the index
    def.allocator = m->allocator;
    return berth_checker_create(m->scene, &def, &m->checker);
}

BerthStatus berth_monitor_create(const BerthScene* scene, const BerthMonitorDef* def, BerthMonitor** out) {
    *out = NULL;
    BerthSafety safety = {0};
    BerthStatus status = check_def(scene, def, &safety);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    BerthMonitor* m = bi_take(&from, 1, sizeof *m);
    if (m == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "monitor: out of memory");
    }

    m->allocator = from;
    bi_arena_init(&m->arena, &from, 0);
    m->def = *def;
    m->safety = safety;
    m->def.clock_drift = safety.drift > 0.0 ? safety.drift : def->clock_drift;
    m->episode = 1;
    m->scene = scene;
    m->generation = scene->generation;
    m->latched = BERTH_STOP_RESET;

    BerthStatus (*const steps[])(BerthMonitor*) = {make_arrays,
                                                   read_joints,
                                                   read_sources,
                                                   read_floating_bases,
                                                   read_objects,
                                                   make_checker,
                                                   bi_monitor_add_simple_bodies,
                                                   make_pair_table,
                                                   bi_monitor_add_choices,
                                                   bi_monitor_add_clouds,
                                                   bi_monitor_fill_index,
                                                   bi_monitor_sum_model};
    for (size_t i = 0; status == BERTH_OK && i < sizeof steps / sizeof steps[0]; ++i) {
        status = steps[i](m);
    }

    if (status != BERTH_OK) {
        berth_monitor_destroy(m);
        return status;
    }

    bi_monitor_hash(m);
    bi_monitor_begin_maps(m);
    bi_monitor_apply_choices(m);
    m->bytes = sizeof *m + m->arena.total + berth_index_stats(m->index).bytes +
               berth_checker_stats(m->checker).bytes;
    *out = m;
    return BERTH_OK;
}

void berth_monitor_destroy(BerthMonitor* m) {
    if (m == NULL) {
        return;
    }
    const BerthAllocator from = m->allocator;
    berth_index_destroy(m->index);
    berth_checker_destroy(m->checker);
    bi_arena_free(&m->arena);
    bi_give(&from, m, 1, sizeof *m);
}

// ---- names -----------------------------------------------------------------------------------------------

int32_t berth_monitor_find_source(const BerthMonitor* monitor, const char* name) {
    for (int32_t i = 0; i < monitor->source_count; ++i) {
        if (strcmp(monitor->sources[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int32_t berth_monitor_find_cloud(const BerthMonitor* monitor, const char* name) {
    for (int32_t i = 0; i < monitor->cloud_count; ++i) {
        if (strcmp(monitor->clouds[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int32_t berth_monitor_find_choice(const BerthMonitor* monitor, const char* name) {
    for (int32_t i = 0; i < monitor->choice_count; ++i) {
        if (strcmp(monitor->choices[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int32_t berth_monitor_find_option(const BerthMonitor* monitor, int32_t choice, const char* name) {
    if (choice < 0 || choice >= monitor->choice_count) {
        return -1;
    }
    for (int32_t i = 0; i < monitor->choices[choice].option_count; ++i) {
        if (strcmp(monitor->choices[choice].options[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}
