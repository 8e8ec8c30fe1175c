// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth's own scene files: `berth: 1`, packages, robots, allow, safety, materials. Objects are in scene_object.c.
// Entry: bi_io_read_berth_scene.

#include <stdio.h>
#include <string.h>

#include "io/scene/scene_file.h"
#include "io/syntax/number.h"
#include "math/tolerance.h"
#include "scene/scene.h"

enum { LABEL_SIZE = 160 };

// ---- packages ----------------------------------------------------------------------------------------------

// NAME=DIR, with DIR relative to the scene's folder.
static const char* make_package_entry(SceneReader* reader, const char* name, const char* folder) {
    const char* slash = strrchr(reader->path, '/');
    const size_t base = folder[0] == '/' || slash == NULL ? 0 : (size_t)(slash - reader->path) + 1;
    const size_t size = strlen(name) + 1 + base + strlen(folder) + 1;
    char* entry = bi_arena_take(reader->arena, size, 1);
    if (entry != NULL) {
        snprintf(entry, size, "%s=%.*s%s", name, (int)base, reader->path, folder);
    }
    return entry;
}

static BerthStatus read_packages(SceneReader* reader, const YamlNode* node) {
    const BerthStatus status = bi_yaml_expect_kind(reader->yaml, node, "packages", YAML_MAP);
    if (status != BERTH_OK) {
        return status;
    }

    const int32_t own = reader->options.package_count > 0 ? reader->options.package_count : 0;
    const char** list = bi_arena_take(reader->arena, (size_t)own + (size_t)node->count, sizeof *list);
    if (list == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", reader->path);
    }

    for (int32_t i = 0; i < own; ++i) {
        list[i] = reader->options.packages[i];
    }

    int32_t count = own;
    for (const YamlNode* item = node->first; item != NULL; item = item->next) {
        const char* folder = NULL;
        const BerthStatus text = bi_yaml_text(reader->yaml, item, "packages: a folder", &folder);
        if (text != BERTH_OK) {
            return text;
        }

        if (strpbrk(item->key, "/=") != NULL) {
            return bi_yaml_fail(reader->yaml, item,
                                "packages: '%.80s': a package's name has no '/' or '=' in it", item->key);
        }

        list[count] = make_package_entry(reader, item->key, folder);
        if (list[count++] == NULL) {
            return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", reader->path);
        }
    }

    reader->options.packages = list;
    reader->options.package_count = count;
    return BERTH_OK;
}

// ---- robots ------------------------------------------------------------------------------------------------

typedef struct RobotKeys {
    const YamlNode *name, *urdf, *srdf, *base, *free_base, *state, *padding, *hull, *limits;
    char what[LABEL_SIZE];  // "robot 'left'", for texts
} RobotKeys;

static BerthStatus find_robot_keys(const YamlFile* file, const YamlNode* node, RobotKeys* out) {
    static const char* const keys[] = {"name",  "urdf",    "srdf", "base",   "free_base",
                                       "state", "padding", "hull", "limits", NULL};
    BerthStatus status = bi_yaml_expect_kind(file, node, "robots", YAML_MAP);
    const YamlNode* name = status == BERTH_OK ? bi_yaml_find(node, "name") : NULL;
    const char* text = "";

    if (status == BERTH_OK && name != NULL) {
        status = bi_yaml_text(file, name, "robots: name", &text);
    }

    *out = (RobotKeys){.name = name};
    snprintf(out->what, sizeof out->what, name != NULL ? "robot '%.80s'" : "robot%.0s", text);

    if (status == BERTH_OK) {
        status = bi_yaml_check_keys(file, node, out->what, keys);
    }
    if (status != BERTH_OK) {
        return status;
    }

    out->urdf = bi_yaml_find(node, "urdf");
    out->srdf = bi_yaml_find(node, "srdf");
    out->base = bi_yaml_find(node, "base");
    out->free_base = bi_yaml_find(node, "free_base");
    out->state = bi_yaml_find(node, "state");
    out->padding = bi_yaml_find(node, "padding");
    out->hull = bi_yaml_find(node, "hull");
    out->limits = bi_yaml_find(node, "limits");

    return out->urdf != NULL ? BERTH_OK : bi_yaml_fail(file, node, "%s: 'urdf' is missing", out->what);
}

static BerthStatus find_file(SceneReader* reader, const YamlNode* node, const char* what, const char** path) {
    const char* uri = NULL;
    char label[LABEL_SIZE + 16];
    snprintf(label, sizeof label, "%s: %s", what, node->key);
    BerthStatus status = bi_yaml_text(reader->yaml, node, label, &uri);
    if (status != BERTH_OK) {
        return status;
    }

    status =
        reader->files.resolve(reader->files.user, uri, reader->path, &reader->options, reader->arena, path);
    if (status != BERTH_OK) {
        bi_fail_prefix(status, "%s", label);
        return bi_yaml_fail_prefix(reader->yaml, node, status);
    }
    return BERTH_OK;
}

// `hull: true` or a list of links.
static BerthStatus read_hull(SceneReader* reader, const RobotKeys* keys, BerthRobotOptions* out) {
    static const char* const all[] = {"*"};
    if (keys->hull == NULL) {
        return BERTH_OK;
    }

    char label[LABEL_SIZE + 16];
    snprintf(label, sizeof label, "%s: hull", keys->what);
    if (keys->hull->kind == YAML_VALUE) {
        bool every = false;
        const BerthStatus status = bi_yaml_bool(reader->yaml, keys->hull, label, &every);
        if (every) {
            out->hull_links = all;
            out->hull_link_count = 1;
        }
        return status;
    }

    BerthStatus status = bi_yaml_expect_kind(reader->yaml, keys->hull, label, YAML_LIST);
    if (status != BERTH_OK) {
        return status;
    }

    const char** list = bi_arena_take(reader->arena, (size_t)keys->hull->count, sizeof *list);
    if (list == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", reader->path);
    }

    for (const YamlNode* item = keys->hull->first; item != NULL && status == BERTH_OK; item = item->next) {
        status = bi_yaml_text(reader->yaml, item, label, &list[out->hull_link_count++]);
        if (status == BERTH_OK && strcmp(list[out->hull_link_count - 1], "*") == 0) {
            status = bi_yaml_fail(reader->yaml, item, "%s: write 'hull: true' for all links", label);
        }
    }

    out->hull_links = list;
    return status;
}

static BerthStatus check_hull_links(SceneReader* reader, const RobotKeys* keys, const BerthRobot* robot) {
    const YamlNode* item = keys->hull != NULL && keys->hull->kind == YAML_LIST ? keys->hull->first : NULL;
    for (; item != NULL; item = item->next) {
        if (berth_robot_find_link(robot, item->text) < 0) {
            return bi_yaml_fail(reader->yaml, item, "%s: hull: there is no link '%.100s'", keys->what,
                                item->text);
        }
    }
    return BERTH_OK;
}

// The index of a value by its name, joint or JOINT/x; fails when there is none.
static BerthStatus find_value(SceneReader* reader, const YamlNode* node, const char* what,
                              const BerthRobot* robot, int32_t* out) {
    const YamlNode place = {.line = node->key_line};
    const int32_t joint = berth_robot_find_joint(robot, node->key);
    if (joint >= 0) {
        const BerthJointInfo info = berth_robot_joint(robot, joint);
        if (info.first_value < 0) {
            return bi_yaml_fail(reader->yaml, &place, "%s: joint '%.100s' is %s and has no value of its own",
                                what, node->key, info.type == BERTH_JOINT_FIXED ? "fixed" : "a mimic");
        }
        if (info.value_count == 1) {
            *out = info.first_value;
            return BERTH_OK;
        }
    }

    // A value by its own name; else the nearest one for the text.
    const char* best = NULL;
    int32_t nearest = 3;
    char name[2 * BI_SCENE_NAME_MAX];
    char kept[64] = "";
    for (int32_t i = 0; i < berth_robot_value_count(robot); ++i) {
        berth_robot_value_name(robot, i, name, sizeof name);
        if (strcmp(name, node->key) == 0) {
            *out = i;
            return BERTH_OK;
        }

        const int32_t away = berth_word_distance(node->key, name, 2);
        if (away < nearest) {
            nearest = away;
            snprintf(kept, sizeof kept, "%.63s", name);
            best = kept;
        }
    }

    if (joint >= 0) {
        return bi_yaml_fail(reader->yaml, &place,
                            "%s: joint '%.100s' has several values: name each, as in '%.100s/x'", what,
                            node->key, node->key);
    }
    return bi_yaml_fail(reader->yaml, &place, "%s: there is no joint '%.100s'%s%s%s", what, node->key,
                        best != NULL ? "; did you mean '" : "", best != NULL ? best : "",
                        best != NULL ? "'?" : "");
}

static BerthStatus read_state(SceneReader* reader, const RobotKeys* keys, const BerthRobot* robot,
                              double* values) {
    berth_robot_default_values(robot, values);
    if (keys->state == NULL) {
        return BERTH_OK;
    }

    const YamlFile* file = reader->yaml;
    char label[LABEL_SIZE + 16];
    snprintf(label, sizeof label, "%s: state", keys->what);

    if (keys->state->kind == YAML_VALUE) {
        const char* name = NULL;
        const BerthStatus status = bi_yaml_text(file, keys->state, label, &name);
        if (status != BERTH_OK) {
            return status;
        }
        const BerthStatus named = berth_robot_named_state(robot, name, values);
        if (named != BERTH_OK) {
            bi_fail_prefix(named, "%s", label);
        }
        return bi_yaml_fail_prefix(file, keys->state, named);
    }

    BerthStatus status = bi_yaml_expect_kind(file, keys->state, label, YAML_MAP);
    const YamlNode* item = status == BERTH_OK ? keys->state->first : NULL;
    for (; item != NULL && status == BERTH_OK; item = item->next) {
        int32_t value = -1;
        status = find_value(reader, item, label, robot, &value);
        if (status == BERTH_OK) {
            char what[2 * LABEL_SIZE];
            snprintf(what, sizeof what, "%s: %.80s", label, item->key);
            status = bi_yaml_number(file, item, what, -BI_COORDINATE_MAX, BI_COORDINATE_MAX, &values[value]);
        }
    }

    for (int32_t j = 0; j < berth_robot_joint_count(robot) && status == BERTH_OK; ++j) {
        const BerthJointInfo joint = berth_robot_joint(robot, j);
        if (joint.type == BERTH_JOINT_FLOATING && joint.first_value >= 0 &&
            !bi_io_normalize_quat(values + joint.first_value + 3)) {
            status = bi_yaml_fail(file, keys->state, "%s: the quaternion of joint '%.100s' is zero", label,
                                  joint.name);
        }
    }
    return status;
}

static BerthStatus read_limits(SceneReader* reader, const RobotKeys* keys, int32_t robot_index) {
    static const char* const limit_keys[] = {"velocity", "acceleration", "deceleration", NULL};
    if (keys->limits == NULL) {
        return BERTH_OK;
    }

    const BerthRobot* robot = berth_scene_robot(reader->scene, robot_index, NULL, NULL);
    const YamlFile* file = reader->yaml;
    char label[LABEL_SIZE + 16];
    snprintf(label, sizeof label, "%s: limits", keys->what);

    BerthStatus status = bi_yaml_expect_kind(file, keys->limits, label, YAML_MAP);
    const YamlNode* item = status == BERTH_OK ? keys->limits->first : NULL;
    for (; item != NULL && status == BERTH_OK; item = item->next) {
        char what[2 * LABEL_SIZE];
        snprintf(what, sizeof what, "%s: %.80s", label, item->key);

        const int32_t joint = berth_robot_find_joint(robot, item->key);
        int32_t value = -1;
        // A joint of several values has one entry for all of them; all else is found, or refused, as a value is.
        if (joint < 0 || berth_robot_joint(robot, joint).value_count < 2) {
            status = find_value(reader, item, label, robot, &value);
        }

        if (status == BERTH_OK && joint < 0) {
            status = bi_yaml_fail(file, item, "%s: a joint was expected, not one of its values", what);
        }
        if (status == BERTH_OK) {
            status = bi_yaml_check_keys(file, item, what, limit_keys);
        }

        BerthJointLimit limit = {0.0, 0.0, 0.0};
        double* const places[] = {&limit.velocity, &limit.acceleration, &limit.deceleration};
        for (int i = 0; i < 3 && status == BERTH_OK; ++i) {
            const YamlNode* number = bi_yaml_find(item, limit_keys[i]);
            if (number == NULL) {
                continue;
            }
            char deep[3 * LABEL_SIZE];
            snprintf(deep, sizeof deep, "%s: %s", what, limit_keys[i]);
            status = bi_yaml_number(file, number, deep, 0.0, BI_COORDINATE_MAX, places[i]);
            if (status == BERTH_OK && *places[i] == 0.0) {
                status = bi_yaml_fail(file, number,
                                      "%s: 0 would never let it move; a number > 0 was expected", deep);
            }
        }

        if (status == BERTH_OK) {
            status = bi_yaml_fail_prefix(
                file, item, berth_scene_set_joint_limit(reader->scene, robot_index, joint, &limit));
        }
    }
    return status;
}

static BerthStatus read_robot_settings(SceneReader* reader, const RobotKeys* keys, BerthSceneRobotDef* def,
                                       bool* free_base) {
    char label[LABEL_SIZE + 16];
    BerthStatus status = BERTH_OK;
    if (keys->base != NULL) {
        snprintf(label, sizeof label, "%s: base", keys->what);
        status = bi_io_read_pose(reader->yaml, keys->base, label, &def->world_from_base);
    }
    if (status == BERTH_OK && keys->padding != NULL) {
        snprintf(label, sizeof label, "%s: padding", keys->what);
        status = bi_yaml_number(reader->yaml, keys->padding, label, 0.0, BI_COORDINATE_MAX, &def->padding);
    }
    if (status == BERTH_OK && keys->free_base != NULL) {
        snprintf(label, sizeof label, "%s: free_base", keys->what);
        status = bi_yaml_bool(reader->yaml, keys->free_base, label, free_base);
    }
    return status;
}

// From the file to the scene; the robot belongs to the scene, or is destroyed.
static BerthStatus add_robot_to_scene(SceneReader* reader, const YamlNode* node, const RobotKeys* keys,
                                      BerthSceneRobotDef* def) {
    double* values =
        bi_arena_take(reader->arena, (size_t)berth_robot_value_count(def->robot), sizeof *values);
    BerthStatus status = BERTH_OK;
    if (values == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", reader->path);
    } else {
        status = check_hull_links(reader, keys, def->robot);
    }

    if (status == BERTH_OK) {
        status = read_state(reader, keys, def->robot, values);
    }

    int32_t index = -1;
    if (status == BERTH_OK) {
        def->values = values;
        const YamlNode* place = keys->name != NULL ? keys->name : node;
        status = bi_yaml_fail_prefix(reader->yaml, place, berth_scene_add_robot(reader->scene, def, &index));
    }

    if (status != BERTH_OK) {
        berth_robot_destroy(def->robot);
        return status;
    }
    return read_limits(reader, keys, index);
}

static BerthStatus read_robot(SceneReader* reader, const YamlNode* node) {
    RobotKeys keys;
    const char* urdf = NULL;
    BerthRobotOptions robot_options = berth_default_robot_options();
    BerthSceneRobotDef def = berth_default_scene_robot_def();

    BerthStatus status = find_robot_keys(reader->yaml, node, &keys);
    if (status == BERTH_OK) {
        status = read_robot_settings(reader, &keys, &def, &robot_options.free_base);
    }
    if (status == BERTH_OK) {
        status = read_hull(reader, &keys, &robot_options);
    }

    if (status == BERTH_OK) {
        status = find_file(reader, keys.urdf, keys.what, &urdf);
    }
    if (status == BERTH_OK && keys.srdf != NULL) {
        status = find_file(reader, keys.srdf, keys.what, &robot_options.srdf);
    }

    if (status == BERTH_OK) {
        status =
            reader->files.read_robot(reader->files.user, urdf, &robot_options, &reader->options, &def.robot);
        // What the scene asks for and the robot has not: the scene's line is to be mended, not the URDF's.
        if (status == BERTH_ERR_ARGUMENT) {
            const YamlNode* asked =
                robot_options.srdf == NULL && robot_options.free_base ? keys.free_base : keys.hull;
            status = bi_yaml_fail_prefix(reader->yaml, asked != NULL ? asked : node, status);
        }
    }
    if (status != BERTH_OK) {
        return status;
    }

    def.name = keys.name != NULL ? keys.name->text : NULL;
    def.own = true;
    return add_robot_to_scene(reader, node, &keys, &def);
}

// ---- allow, safety, materials ------------------------------------------------------------------------------

static BerthStatus read_allow(SceneReader* reader, const YamlNode* node) {
    BerthStatus status = bi_yaml_expect_kind(reader->yaml, node, "allow", YAML_LIST);
    const YamlNode* item = status == BERTH_OK ? node->first : NULL;
    for (; item != NULL && status == BERTH_OK; item = item->next) {
        if (item->kind != YAML_LIST || item->count != 2) {
            return bi_yaml_fail(reader->yaml, item,
                                "allow: a pair of two names was expected, as in [left/base, table]");
        }

        const char* a = NULL;
        const char* b = NULL;
        status = bi_yaml_text(reader->yaml, item->first, "allow", &a);
        if (status == BERTH_OK) {
            status = bi_yaml_text(reader->yaml, item->last, "allow", &b);
        }
        if (status == BERTH_OK) {
            status = bi_yaml_fail_prefix(reader->yaml, item, berth_scene_allow(reader->scene, a, b));
        }
    }
    return status;
}

// Metres that bodies must be further apart than required before there is a permit again: beyond what an encoder's last digits move
// them.
#define HYSTERESIS_DEFAULT 0.002

static BerthStatus read_safety(SceneReader* reader, const YamlNode* node) {
    static const char* const keys[] = {"period",     "latency", "reaction", "silence", "margin",
                                       "hysteresis", "noise",   "drift",    NULL};
    enum { MUST_BE_GIVEN = 5, ALL = 8 };
    BerthSafety safety = {.hysteresis = HYSTERESIS_DEFAULT};
    double* const places[] = {&safety.period, &safety.latency,    &safety.reaction, &safety.silence,
                              &safety.margin, &safety.hysteresis, &safety.noise,    &safety.drift};
    BerthStatus status = bi_yaml_check_keys(reader->yaml, node, "safety", keys);

    for (int i = 0; i < ALL && status == BERTH_OK; ++i) {
        const YamlNode* number = bi_yaml_find(node, keys[i]);
        if (number == NULL && i >= MUST_BE_GIVEN) {
            continue;
        }
        if (number == NULL) {
            // A term that is not given is refused, not taken as 0.
            return bi_yaml_fail(reader->yaml, node, "safety: '%s' is missing", keys[i]);
        }
        char what[LABEL_SIZE];
        snprintf(what, sizeof what, "safety: %s", keys[i]);
        status = bi_yaml_number(reader->yaml, number, what, 0.0, BI_COORDINATE_MAX, places[i]);
    }

    if (status != BERTH_OK) {
        return status;
    }
    return bi_yaml_fail_prefix(reader->yaml, node, berth_scene_set_safety(reader->scene, &safety));
}

static BerthStatus read_materials(SceneReader* reader, const YamlNode* node) {
    static const char* const keys[] = {"stiffness", "damping", "viscosity", "friction", "foundation", NULL};
    BerthStatus status = bi_yaml_expect_kind(reader->yaml, node, "materials", YAML_MAP);
    const YamlNode* item = status == BERTH_OK ? node->first : NULL;
    for (; item != NULL && status == BERTH_OK; item = item->next) {
        BerthMaterial material = {.stiffness = 0.0};
        double* const places[] = {&material.stiffness, &material.damping, &material.viscosity,
                                  &material.friction, &material.foundation};

        char what[LABEL_SIZE];
        snprintf(what, sizeof what, "material '%.80s'", item->key);
        status = bi_yaml_check_keys(reader->yaml, item, what, keys);

        if (status == BERTH_OK && bi_yaml_find(item, "stiffness") == NULL &&
            bi_yaml_find(item, "foundation") == NULL) {
            status = bi_yaml_fail(reader->yaml, item, "%s: 'stiffness' or 'foundation' is missing", what);
        }

        for (int i = 0; i < 5 && status == BERTH_OK; ++i) {
            const YamlNode* number = bi_yaml_find(item, keys[i]);
            if (number != NULL) {
                char deep[LABEL_SIZE + 32];
                snprintf(deep, sizeof deep, "%s: %s", what, keys[i]);
                status = bi_yaml_number(reader->yaml, number, deep, 0.0, 1e15, places[i]);
            }
        }

        if (status == BERTH_OK) {
            status = bi_yaml_fail_prefix(reader->yaml, item,
                                         berth_scene_set_material(reader->scene, item->key, &material));
        }
    }
    return status;
}

// ---- all of it ---------------------------------------------------------------------------------------------

static BerthStatus check_version(const YamlFile* file, const YamlNode* root) {
    const YamlNode* version = bi_yaml_find(root, "berth");
    int64_t number = 0;
    if (version == NULL) {
        return bi_yaml_fail(file, root, "'berth: 1' (the format's version) is missing");
    }

    char room[64];
    if (version->kind != YAML_VALUE || !version->plain ||
        !bi_parse_int(version->text, (size_t)version->length, &number)) {
        return bi_yaml_fail(file, version, "berth: the format's version was expected, which is 1, here is %s",
                            bi_yaml_describe(version, room, sizeof room));
    }

    if (number != 1) {
        return bi_yaml_fail(file, version, "berth: version %lld of the format is not known, only 1",
                            (long long)number);
    }
    return BERTH_OK;
}

static BerthStatus read_robots(SceneReader* reader, const YamlNode* node) {
    BerthStatus status = bi_yaml_expect_kind(reader->yaml, node, "robots", YAML_LIST);
    const YamlNode* item = status == BERTH_OK ? node->first : NULL;
    for (; item != NULL && status == BERTH_OK; item = item->next) {
        if (node->count > 1 && item->kind == YAML_MAP && bi_yaml_find(item, "name") == NULL) {
            return bi_yaml_fail(reader->yaml, item, "robots: with several robots each needs a name");
        }
        status = read_robot(reader, item);
    }
    return status;
}

static BerthStatus read_objects(SceneReader* reader, const YamlNode* node) {
    return bi_io_read_objects(reader, node, NULL);
}

BerthStatus bi_io_read_berth_scene(SceneReader* reader, const YamlNode* root) {
    static const char* const keys[] = {"berth", "packages", "robots",    "objects",
                                       "allow", "safety",   "materials", NULL};
    static BerthStatus (*const readers[])(SceneReader*, const YamlNode*) = {
        NULL, read_packages, read_robots, read_objects, read_allow, read_safety, read_materials};

    BerthStatus status = check_version(reader->yaml, root);
    if (status == BERTH_OK) {
        status = bi_yaml_check_keys(reader->yaml, root, "scene", keys);
    }
    // In this order, wherever they stand: each may name what the ones before it brought.
    for (int i = 1; keys[i] != NULL && status == BERTH_OK; ++i) {
        const YamlNode* node = bi_yaml_find(root, keys[i]);
        if (node != NULL && !bi_yaml_is_null(node)) {
            status = readers[i](reader, node);
        }
    }
    return status;
}
