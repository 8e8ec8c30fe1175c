// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Objects that come from sensors: maps and clouds of points that a scene names.
// Entries: bi_io_read_scene_map, bi_io_read_scene_points.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/scene_file.h"
#include "io/syntax/file.h"
#include "math/tolerance.h"

enum { LABEL_SIZE = 192 };

// Metres a cell, as the program takes them too: coarser ones than a robot can be in, finer ones than a map has room for.
static const double resolution_least = 1e-9, resolution_most = 1e6;

// The file that `node` names, found as meshes are.
static BerthStatus find_file(SceneReader* reader, const YamlNode* node, const char* what, const char** source,
                             const char** path) {
    const YamlNode* name = bi_yaml_find(node, "file");
    char label[LABEL_SIZE];
    snprintf(label, sizeof label, "%s: file", what);

    if (name == NULL) {
        return bi_yaml_fail(reader->yaml, node, "%s: 'file' is missing", what);
    }
    BerthStatus status = bi_yaml_text(reader->yaml, name, label, source);
    if (status != BERTH_OK) {
        return status;
    }

    status = reader->files.resolve(reader->files.user, *source, reader->path, &reader->options, reader->arena,
                                   path);
    if (status != BERTH_OK) {
        bi_fail_prefix(status, "%s", what);
        return bi_yaml_fail_prefix(reader->yaml, name, status);
    }
    return BERTH_OK;
}

// "occupied" or "free"; `is_free` keeps what it is when the key is not there.
static BerthStatus read_is_free(const YamlFile* file, const YamlNode* map, const char* what, const char* key,
                                bool* given, bool* is_free) {
    const YamlNode* node = bi_yaml_find(map, key);
    const char* text = NULL;
    *given = node != NULL;
    if (node == NULL) {
        return BERTH_OK;
    }

    char label[LABEL_SIZE];
    snprintf(label, sizeof label, "%s: %s", what, key);
    const BerthStatus status = bi_yaml_text(file, node, label, &text);
    if (status != BERTH_OK) {
        return status;
    }

    *is_free = strcmp(text, "free") == 0;
    if (!*is_free && strcmp(text, "occupied") != 0) {
        return bi_yaml_fail(file, node, "%s is '%.60s', 'occupied' or 'free' was expected", label, text);
    }
    return BERTH_OK;
}

static BerthStatus read_map_options(const YamlFile* file, const YamlNode* node, const char* what,
                                    BerthMapOptions* options, BerthMapDef* def) {
    const YamlNode* height = bi_yaml_find(node, "height");
    const YamlNode* resolution = bi_yaml_find(node, "resolution");
    const YamlNode* origin = bi_yaml_find(node, "origin");
    char label[LABEL_SIZE];
    bool given = false;

    BerthStatus status =
        read_is_free(file, node, what, "unknown", &options->unknown_given, &options->unknown_is_free);
    if (status == BERTH_OK) {
        status = read_is_free(file, node, what, "outside", &given, &def->outside_is_free);
    }

    if (status == BERTH_OK && height != NULL) {
        snprintf(label, sizeof label, "%s: height", what);
        status = bi_yaml_numbers(file, height, label, 2, BI_COORDINATE_MAX, def->height);
    }
    if (status == BERTH_OK && resolution != NULL) {
        snprintf(label, sizeof label, "%s: resolution", what);
        status =
            bi_yaml_number(file, resolution, label, resolution_least, resolution_most, &options->resolution);
    }

    if (status == BERTH_OK && origin != NULL) {
        double xyz[3];
        snprintf(label, sizeof label, "%s: origin", what);
        status = bi_yaml_numbers(file, origin, label, 3, BI_COORDINATE_MAX, xyz);
        options->has_origin = true;
        options->origin = (BerthVec3){xyz[0], xyz[1], xyz[2]};
    }
    return status;
}

// The map turns about its own origin. Rounded as all poses are: checks allow for it.
static BerthPose turn_about(BerthVec3 origin, double yaw) {
    BerthPose turn = berth_pose_from_rpy((BerthVec3){0.0, 0.0, 0.0}, (BerthVec3){0.0, 0.0, yaw});
    const BerthVec3 moved = berth_pose_apply(&turn, (BerthVec3){origin.x, origin.y, 0.0});
    turn.t = (BerthVec3){origin.x - moved.x, origin.y - moved.y, 0.0};
    return turn;
}

BerthStatus bi_io_read_scene_map(SceneReader* reader, const YamlNode* node, const char* what,
                                 BerthObjectDef* out, const char** source) {
    static const char* const keys[] = {"file", "unknown", "outside", "height", "resolution", "origin", NULL};
    BerthMapOptions options = berth_default_map_options();
    BerthMapDef def = berth_default_map_def();
    const char* path = NULL;
    def.allocator = reader->options.allocator;
    options.obey_yaw = true;

    BerthStatus status = bi_yaml_check_keys(reader->yaml, node, what, keys);
    if (status == BERTH_OK) {
        status = read_map_options(reader->yaml, node, what, &options, &def);
    }
    if (status == BERTH_OK) {
        status = find_file(reader, node, what, source, &path);
    }
    if (status != BERTH_OK) {
        return status;
    }

    if (reader->files.read_field == NULL) {
        bi_fail(BERTH_ERR_UNSUPPORTED, "%s: maps cannot be read here", what);
        return bi_yaml_fail_prefix(reader->yaml, node, BERTH_ERR_UNSUPPORTED);
    }
    if (bi_io_has_extension(path, ".bmap")) {
        options.unknown_given = true;  // what the scene says counts, not how the file was made
    }

    BerthField* field = NULL;
    BerthMapFacts facts = {0};
    status = reader->files.read_field(reader->files.user, path, &options, &reader->options, &field, &facts);
    if (status == BERTH_ERR_ARGUMENT) {
        // Not the file is wrong but what the scene says of it: a resolution that it needs, or has of its own.
        bi_fail_prefix(status, "%s", what);
        return bi_yaml_fail_prefix(reader->yaml, node, status);
    }
    if (status != BERTH_OK) {
        return status;  // the text names the map file
    }

    // What rays cleared is as little known as what nobody saw.
    def.unseen_is_free = facts.background_taken_free || facts.cleared > 0;
    def.from_open_meshes = facts.open_meshes > 0;
    status = berth_solid_from_field(field, &def, &out->solid);
    if (facts.yaw != 0.0) {
        out->object_from_solid = turn_about(berth_field_info(field).origin, facts.yaw);
    }
    if (status == BERTH_OK && reader->options.field != NULL && out->name != NULL) {
        reader->options.field(reader->options.field_user, out->name, field);
    }
    berth_field_destroy(field);

    if (status != BERTH_OK) {
        bi_fail_prefix(status, "%s: '%s'", what, *source);
        return bi_yaml_fail_prefix(reader->yaml, node, status);
    }
    return BERTH_OK;
}

BerthStatus bi_io_read_scene_points(SceneReader* reader, const YamlNode* node, const char* what,
                                    BerthSolid** out, double* radius, const char** source) {
    static const char* const keys[] = {"file", "radius", NULL};
    const char* path = NULL;

    BerthStatus status = bi_yaml_check_keys(reader->yaml, node, what, keys);
    const YamlNode* radius_node = status == BERTH_OK ? bi_yaml_find(node, "radius") : NULL;
    if (radius_node != NULL) {
        char label[LABEL_SIZE];
        snprintf(label, sizeof label, "%s: radius", what);
        status = bi_yaml_number(reader->yaml, radius_node, label, 0.0, BI_COORDINATE_MAX, radius);
    }
    if (status == BERTH_OK) {
        status = find_file(reader, node, what, source, &path);
    }
    if (status != BERTH_OK) {
        return status;
    }

    if (reader->files.read_points == NULL) {
        bi_fail(BERTH_ERR_UNSUPPORTED, "%s: point clouds cannot be read here", what);
        return bi_yaml_fail_prefix(reader->yaml, node, BERTH_ERR_UNSUPPORTED);
    }

    BerthPoints points = {0};
    status = reader->files.read_points(reader->files.user, path, &reader->options, &points);
    if (status != BERTH_OK) {
        return status;  // the text names the file
    }

    if (points.dropped > 0) {
        bi_io_warn(&reader->options, "%s: %lld points are NaN or infinite and were left out", path,
                   (long long)points.dropped);
    }

    if (points.count == 0 || points.count > INT32_MAX) {
        status = bi_fail(BERTH_ERR_PARSE, "%s: it has %lld points, at least 1 was expected", path,
                         (long long)points.count);
    } else {
        status =
            berth_solid_from_points(points.points, (int32_t)points.count, &reader->options.allocator, out);
        if (status != BERTH_OK) {
            status = bi_fail_prefix(status, "%s", path);
        }
    }

    berth_io_free_points(&points);
    return status;
}
