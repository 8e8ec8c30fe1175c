// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The scene as it is shown now, as a scene file: the file that was read, with the present state, the moved objects, and
// the command line's packages and SRDF. Its comments are lost. File names are relative to the folder of the file that was
// read; a robot or a map on its own is named as a file beside it.
// Entry: view_write_yaml.

#include <limits.h>
#include <string.h>
#include <yaml.h>

#include "cli/files.h"

#include "view/view.h"

static int add_text(yaml_document_t* document, const char* text) {
    return yaml_document_add_scalar(document, NULL, (const yaml_char_t*)text, (int)strlen(text),
                                    YAML_ANY_SCALAR_STYLE);
}

static int add_number(yaml_document_t* document, double value) {
    Text text = {0};
    text_number(&text, value);
    const int node = text.failed ? 0
                                 : yaml_document_add_scalar(document, NULL, (const yaml_char_t*)text.data,
                                                            (int)text.size, YAML_PLAIN_SCALAR_STYLE);
    text_free(&text);
    return node;
}

// The value of a key in a mapping; null if there is none.
static yaml_node_t* find_value(yaml_document_t* document, const yaml_node_t* mapping, const char* key) {
    if (mapping == NULL || mapping->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (yaml_node_pair_t* pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top;
         ++pair) {
        const yaml_node_t* name = yaml_document_get_node(document, pair->key);
        if (name != NULL && name->type == YAML_SCALAR_NODE &&
            strcmp((const char*)name->data.scalar.value, key) == 0) {
            return yaml_document_get_node(document, pair->value);
        }
    }
    return NULL;
}

// Nodes move in memory when others are added, so they are referred to by number.
static bool set_value(yaml_document_t* document, int mapping, const char* key, int value) {
    yaml_node_t* node = yaml_document_get_node(document, mapping);
    if (value == 0 || node == NULL || node->type != YAML_MAPPING_NODE) {
        return false;
    }
    for (yaml_node_pair_t* pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
         ++pair) {
        const yaml_node_t* name = yaml_document_get_node(document, pair->key);
        if (name != NULL && name->type == YAML_SCALAR_NODE &&
            strcmp((const char*)name->data.scalar.value, key) == 0) {
            pair->value = value;
            return true;
        }
    }
    const int name = add_text(document, key);
    return name != 0 && yaml_document_append_mapping_pair(document, mapping, name, value) != 0;
}

static int add_state(yaml_document_t* document, const BerthRobot* robot, const double* values) {
    const int mapping = yaml_document_add_mapping(document, NULL, YAML_FLOW_MAPPING_STYLE);
    for (int32_t i = 0; i < berth_robot_value_count(robot) && mapping != 0; ++i) {
        char name[512];
        berth_robot_value_name(robot, i, name, sizeof name);
        if (!set_value(document, mapping, name, add_number(document, values[i]))) {
            return 0;
        }
    }
    return mapping;
}

static int add_numbers(yaml_document_t* document, const double* values, int count) {
    const int list = yaml_document_add_sequence(document, NULL, YAML_FLOW_SEQUENCE_STYLE);
    for (int i = 0; i < count && list != 0; ++i) {
        const int number = add_number(document, values[i]);
        if (number == 0 || yaml_document_append_sequence_item(document, list, number) == 0) {
            return 0;
        }
    }
    return list;
}

static int add_pose(yaml_document_t* document, const BerthPose* pose) {
    const BerthQuat q = berth_pose_to_quat(pose);
    const double xyz[3] = {pose->t.x, pose->t.y, pose->t.z}, quat[4] = {q.x, q.y, q.z, q.w};
    const int mapping = yaml_document_add_mapping(document, NULL, YAML_FLOW_MAPPING_STYLE);
    const bool is_well = mapping != 0 && set_value(document, mapping, "xyz", add_numbers(document, xyz, 3)) &&
                         set_value(document, mapping, "quat", add_numbers(document, quat, 4));
    return is_well ? mapping : 0;
}

// Item `index` of the list under `key`; 0 if there is none.
static int find_item(yaml_document_t* document, const char* key, int index) {
    const yaml_node_t* list = find_value(document, yaml_document_get_root_node(document), key);
    if (list == NULL || list->type != YAML_SEQUENCE_NODE ||
        list->data.sequence.items.top - list->data.sequence.items.start <= index) {
        return 0;
    }
    return list->data.sequence.items.start[index];
}

static bool edit_robots(yaml_document_t* document, const BerthScene* scene, const double* values) {
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
        const int item = find_item(document, "robots", r);
        if (item == 0 || !set_value(document, item, "state", add_state(document, robot, values))) {
            return false;
        }
        values += berth_robot_value_count(robot);
    }
    return true;
}

static bool edit_objects(yaml_document_t* document, const Session* session) {
    const BerthScene* scene = session->question.scene;
    int item = 0;
    for (int i = 0; (item = find_item(document, "objects", i)) != 0; ++i) {
        const yaml_node_t* name = find_value(document, yaml_document_get_node(document, item), "name");
        const int32_t body = name != NULL && name->type == YAML_SCALAR_NODE
                                 ? berth_scene_find_body(scene, (const char*)name->data.scalar.value)
                                 : -1;

        BerthObjectInfo object;
        if (body < 0 || !session->placed[body] ||
            berth_scene_object(scene, berth_scene_body(scene, body).object, &object) != BERTH_OK) {
            continue;
        }
        if (!set_value(document, item, "pose", add_pose(document, &object.pose))) {
            return false;
        }
    }
    return true;
}

static int take_bytes(void* user, unsigned char* bytes, size_t size) {
    text_add(user, (const char*)bytes, size);
    return 1;
}

static bool dump(yaml_document_t* document, Text* text) {
    yaml_emitter_t emitter;
    if (!yaml_emitter_initialize(&emitter)) {
        return false;
    }
    yaml_emitter_set_output(&emitter, take_bytes, text);
    yaml_emitter_set_width(&emitter, 120);
    yaml_emitter_set_unicode(&emitter, 1);
    // From here on the emitter owns the document.
    const bool is_well = yaml_emitter_open(&emitter) && yaml_emitter_dump(&emitter, document) &&
                         yaml_emitter_close(&emitter) && !text->failed;
    yaml_emitter_delete(&emitter);
    return is_well;
}

static bool load(const char* path, yaml_document_t* document) {
    FILE* file = fopen(path, "rb");
    yaml_parser_t parser;
    if (file == NULL || !yaml_parser_initialize(&parser)) {
        if (file != NULL) {
            fclose(file);
        }
        return false;
    }
    yaml_parser_set_input_file(&parser, file);
    const bool is_well = yaml_parser_load(&parser, document);
    yaml_parser_delete(&parser);
    fclose(file);
    return is_well;
}

// ---- names of files ------------------------------------------------------------------------------------------------

// The folder of a file, as it was typed.
static void folder_of(const char* path, char* out, size_t size) {
    const char* slash = strrchr(path, '/');
    if (slash == NULL) {
        (void)snprintf(out, size, ".");
    } else {
        (void)snprintf(out, size, "%.*s", slash > path ? (int)(slash - path) : 1, path);
    }
}

static const char* name_of(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// A path from the command line, relative to the scene's folder.
static void put_relative(Text* text, const char* scene_path, const char* typed) {
    char folder[PATH_MAX];
    folder_of(scene_path, folder, sizeof folder);
    if (!files_relative_path(folder, typed, text)) {
        text_puts(text, typed);
    }
}

/// A package given on the command line.
typedef struct Package {
    Text name, folder;
} Package;

// False if the name was given before: the first one counts.
static bool read_package(const Options* options, int index, Package* out) {
    const char* item = options->packages.items[index];
    const size_t length = strcspn(item, "=");
    *out = (Package){0};
    for (int i = 0; i < index; ++i) {
        if (strncmp(options->packages.items[i], item, length + 1) == 0) {
            return false;
        }
    }
    text_add(&out->name, item, length);
    put_relative(&out->folder, options->arguments[0], item[length] == '=' ? item + length + 1 : "");
    return true;
}

static void free_package(Package* package) {
    text_free(&package->name);
    text_free(&package->folder);
}

// Packages of the command line take precedence over those of the file.
static bool edit_packages(yaml_document_t* document, const Options* options) {
    const int root = 1;  // libyaml counts nodes from 1, and the first is the root
    if (options->packages.count == 0) {
        return true;
    }

    int mapping = yaml_document_add_mapping(document, NULL, YAML_BLOCK_MAPPING_STYLE);
    const yaml_node_t* old = find_value(document, yaml_document_get_root_node(document), "packages");
    if (old != NULL && old->type == YAML_MAPPING_NODE) {
        mapping = (int)(old - document->nodes.start) + 1;
    }
    bool is_well = mapping != 0;
    for (int i = 0; i < options->packages.count && is_well; ++i) {
        Package package;
        if (read_package(options, i, &package)) {
            is_well =
                !package.name.failed && !package.folder.failed &&
                set_value(document, mapping, package.name.data, add_text(document, package.folder.data));
        }
        free_package(&package);
    }
    return is_well && set_value(document, root, "packages", mapping);
}

// ---- a robot or a map by itself ------------------------------------------------------------------------------------

static void put_state(Text* text, const Session* session) {
    text_puts(text, "\n    state: {");
    for (int32_t i = 0; i < session->question.value_count; ++i) {
        char name[512];
        berth_scene_value_name(session->question.scene, i, name, sizeof name);
        text_puts(text, i > 0 ? ", " : "");
        text_quoted(text, name);
        text_puts(text, ": ");
        text_number(text, session->values[i]);
    }
    text_puts(text, "}\n");
}

// A bare URDF becomes the scene of that robot.
static void put_robot_scene(Text* text, const Session* session) {
    const Options* options = &session->options;
    const char* path = options->arguments[0];
    text_puts(text, "berth: 1\n");
    for (int i = 0; i < options->packages.count; ++i) {
        Package package;
        text_puts(text, i == 0 ? "packages:\n" : "");
        if (read_package(options, i, &package)) {
            text->failed |= package.name.failed || package.folder.failed;
            text_puts(text, "  ");
            text_quoted(text, package.name.data);
            text_puts(text, ": ");
            text_quoted(text, package.folder.data);
            text_puts(text, "\n");
        }
        free_package(&package);
    }

    text_puts(text, "robots:\n  - urdf: ");
    text_quoted(text, name_of(path));
    if (options->srdf != NULL) {
        Text srdf = {0};
        put_relative(&srdf, path, options->srdf);
        text->failed |= srdf.failed;
        text_puts(text, "\n    srdf: ");
        text_quoted(text, srdf.data);
        text_free(&srdf);
    }
    put_state(text, session);
}

// A map on its own becomes a scene with that map in its present pose.
static void put_map_scene(Text* text, const Session* session) {
    const BerthScene* scene = session->question.scene;
    const ViewField* item = fields_find(session->view, 0);
    text_puts(text, "berth: 1\nobjects:\n  - name: map\n    map: {file: ");
    text_quoted(text, name_of(session->options.arguments[0]));
    if (item != NULL && berth_field_info(item->field).dim == 2) {
        text_puts(text, ", height: [0, ");
        text_number(text, 3.0 * berth_field_info(item->field).resolution);
        text_puts(text, "]");
    }
    text_puts(text, "}\n");

    BerthObjectInfo object;
    if (session->placed[0] &&
        berth_scene_object(scene, berth_scene_body(scene, 0).object, &object) == BERTH_OK) {
        const BerthQuat q = berth_pose_to_quat(&object.pose);
        const double numbers[7] = {object.pose.t.x, object.pose.t.y, object.pose.t.z, q.x, q.y, q.z, q.w};
        text_puts(text, "    pose: {xyz: [");
        for (int i = 0; i < 7; ++i) {
            const char* between = i > 0 ? ", " : "";
            text_puts(text, i == 3 ? "], quat: [" : between);
            text_number(text, numbers[i]);
        }
        text_puts(text, "]}\n");
    }
}

// ---- the file ------------------------------------------------------------------------------------------------------

static bool has_ending(const char* path, const char* ending) {
    const size_t length = strlen(path), size = strlen(ending);
    return length >= size && strcmp(path + length - size, ending) == 0;
}

bool view_write_yaml(Answer* answer, Text* text) {
    const Session* session = answer->session;
    const Options* options = &session->options;
    const char* path = options->arguments[0];
    if (options->robot != NULL) {
        return answer_fail(answer, "'%s' is not a berth scene: convert it with berth new", path);
    }

    text_printf(
        text,
        "# Written by berth view. File names are relative to this file: keep it beside %s, from which "
        "it was made.\n",
        name_of(path));
    if (berth_io_is_map(path)) {
        put_map_scene(text, session);
        return true;
    }
    if (has_ending(path, ".urdf") || has_ending(path, ".xml")) {
        put_robot_scene(text, session);
        return true;
    }

    yaml_document_t document;
    if (!load(path, &document)) {
        return answer_fail(answer, "'%s' cannot be read again", path);
    }
    if (!edit_robots(&document, session->question.scene, session->values) ||
        !edit_objects(&document, session) || !edit_packages(&document, options)) {
        yaml_document_delete(&document);
        return answer_fail(answer, "'%s' has changed since it was read", path);
    }
    return dump(&document, text) || answer_fail(answer, "out of memory");
}
