// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Objects of berth's own scenes and of problems: one shape, a pose, and other properties.
// Entries: bi_io_read_objects, bi_io_read_object, bi_io_read_pose, bi_io_read_mesh_solid,
// bi_io_normalize_quat.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/mesh/mesh_file.h"
#include "io/scene/scene_file.h"
#include "math/tolerance.h"
#include "scene/scene.h"

enum { LABEL_SIZE = 160 };

static const char* const object_keys[] = {"name",      "box",   "sphere", "cylinder", "capsule", "cone",
                                          "halfspace", "mesh",  "map",    "points",   "parts",   "pose",
                                          "attach",    "touch", "mass",   "moving",   "person",  NULL};
static const char* const shape_keys[] = {"box",  "sphere", "cylinder", "capsule", "cone", "halfspace",
                                         "mesh", "map",    "points",   "parts",   NULL};
// Maps and clouds have rules of their own for what is outside, unseen or grown: each is an object, never a part of one.
static const char* const part_keys[] = {"box",       "sphere", "cylinder", "capsule", "cone",
                                        "halfspace", "mesh",   "pose",     NULL};

// ---- poses -------------------------------------------------------------------------------------------------

bool bi_io_normalize_quat(double quat[4]) {
    const double length_sq = quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3];
    if (!(length_sq >= BI_QUAT_MIN_SQ && isfinite(length_sq))) {
        return false;
    }
    if (fabs(length_sq - 1.0) <= BI_QUAT_UNIT_SQ) {
        return true;
    }

    const double scale = 1.0 / sqrt(length_sq);
    for (int i = 0; i < 4; ++i) {
        quat[i] *= scale;
    }
    return true;
}

/// Numbers that need not be there: `node` may be null.
static BerthStatus read_given_numbers(const YamlFile* file, const YamlNode* node, const char* what,
                                      const char* key, int32_t count, double most, double* out) {
    if (node == NULL) {
        return BERTH_OK;
    }
    char label[LABEL_SIZE + 32];
    snprintf(label, sizeof label, "%s: %s", what, key);
    return bi_yaml_numbers(file, node, label, count, most, out);
}

BerthStatus bi_io_read_pose(const YamlFile* file, const YamlNode* node, const char* what, BerthPose* out) {
    static const char* const keys[] = {"xyz", "rpy", "quat", NULL};
    double xyz[3] = {0.0, 0.0, 0.0};
    double rpy[3] = {0.0, 0.0, 0.0};
    double quat[4] = {0.0, 0.0, 0.0, 1.0};

    BerthStatus status = bi_yaml_check_keys(file, node, what, keys);
    if (status != BERTH_OK) {
        return status;
    }

    const YamlNode* xyz_node = bi_yaml_find(node, "xyz");
    const YamlNode* rpy_node = bi_yaml_find(node, "rpy");
    const YamlNode* quat_node = bi_yaml_find(node, "quat");
    status = read_given_numbers(file, xyz_node, what, "xyz", 3, BI_COORDINATE_MAX, xyz);

    if (status == BERTH_OK && rpy_node != NULL && quat_node != NULL) {
        status = bi_yaml_fail(file, quat_node, "%s: rpy or quat, not both", what);
    }
    if (status == BERTH_OK) {
        status = read_given_numbers(file, rpy_node, what, "rpy", 3, BI_ANGLE_MAX, rpy);
    }
    if (status == BERTH_OK) {
        status = read_given_numbers(file, quat_node, what, "quat", 4, BI_COORDINATE_MAX, quat);
    }

    if (status == BERTH_OK && quat_node != NULL && !bi_io_normalize_quat(quat)) {
        status = bi_yaml_fail(file, quat_node, "%s: quat: the quaternion is zero", what);
    }
    if (status != BERTH_OK) {
        return status;
    }

    const BerthVec3 t = {xyz[0], xyz[1], xyz[2]};
    if (quat_node != NULL) {
        return berth_pose_from_quat(t, (BerthQuat){quat[0], quat[1], quat[2], quat[3]}, out);
    }
    *out = berth_pose_from_rpy(t, (BerthVec3){rpy[0], rpy[1], rpy[2]});
    return BERTH_OK;
}

// ---- shapes ------------------------------------------------------------------------------------------------

// A number that must be there.
static BerthStatus read_required_number(const YamlFile* file, const YamlNode* map, const char* what,
                                        const char* key, double low, double* out) {
    const YamlNode* node = bi_yaml_find(map, key);
    if (node == NULL) {
        return bi_yaml_fail(file, map, "%s: '%s' is missing", what, key);
    }
    char label[LABEL_SIZE + 32];
    snprintf(label, sizeof label, "%s: %s", what, key);
    return bi_yaml_number(file, node, label, low, BI_COORDINATE_MAX, out);
}

static BerthStatus read_required_vector(const YamlFile* file, const YamlNode* map, const char* what,
                                        const char* key, double* out) {
    const YamlNode* node = bi_yaml_find(map, key);
    if (node == NULL) {
        return bi_yaml_fail(file, map, "%s: '%s' is missing", what, key);
    }
    return read_given_numbers(file, node, what, key, 3, BI_COORDINATE_MAX, out);
}

static BerthStatus read_round_shape(const YamlFile* file, const YamlNode* node, const char* what,
                                    BerthShape* out) {
    static const char* const keys[] = {"radius", "length", NULL};
    double radius = 0.0;
    double length = 0.0;

    BerthStatus status = bi_yaml_check_keys(file, node, what, keys);
    if (status == BERTH_OK) {
        status = read_required_number(file, node, what, "radius", 0.0, &radius);
    }
    if (status == BERTH_OK) {
        status = read_required_number(file, node, what, "length", 0.0, &length);
    }
    if (status != BERTH_OK) {
        return status;
    }

    if (strcmp(node->key, "capsule") == 0) {
        return bi_yaml_fail_prefix(file, node, berth_shape_capsule(radius, length, out));
    }
    if (strcmp(node->key, "cone") == 0) {
        return bi_yaml_fail_prefix(file, node, berth_shape_cone(radius, length, out));
    }
    return bi_yaml_fail_prefix(file, node, berth_shape_cylinder(radius, length, out));
}

static BerthStatus read_box(const YamlFile* file, const YamlNode* node, const char* what, BerthShape* out) {
    static const char* const keys[] = {"size", NULL};
    double size[3];
    BerthStatus status = bi_yaml_check_keys(file, node, what, keys);
    if (status == BERTH_OK) {
        status = read_required_vector(file, node, what, "size", size);
    }
    if (status != BERTH_OK) {
        return status;
    }
    return bi_yaml_fail_prefix(file, node, berth_shape_box((BerthVec3){size[0], size[1], size[2]}, out));
}

static BerthStatus read_sphere(const YamlFile* file, const YamlNode* node, const char* what,
                               BerthShape* out) {
    static const char* const keys[] = {"radius", NULL};
    double radius = 0.0;
    BerthStatus status = bi_yaml_check_keys(file, node, what, keys);
    if (status == BERTH_OK) {
        status = read_required_number(file, node, what, "radius", 0.0, &radius);
    }
    return status != BERTH_OK ? status : bi_yaml_fail_prefix(file, node, berth_shape_sphere(radius, out));
}

static BerthStatus read_halfspace(const YamlFile* file, const YamlNode* node, const char* what,
                                  BerthShape* out) {
    static const char* const keys[] = {"normal", "offset", NULL};
    double normal[3];
    double offset = 0.0;
    BerthStatus status = bi_yaml_check_keys(file, node, what, keys);
    if (status == BERTH_OK) {
        status = read_required_vector(file, node, what, "normal", normal);
    }
    if (status == BERTH_OK) {
        status = read_required_number(file, node, what, "offset", -BI_COORDINATE_MAX, &offset);
    }
    if (status != BERTH_OK) {
        return status;
    }
    return bi_yaml_fail_prefix(
        file, node, berth_shape_halfspace((BerthVec3){normal[0], normal[1], normal[2]}, offset, out));
}

BerthStatus bi_io_read_mesh_solid(SceneReader* reader, const YamlNode* node, const char* what,
                                  BerthVec3 scale, bool hull, BerthSolid** out) {
    const char* uri = NULL;
    const char* path = NULL;
    BerthStatus status = bi_yaml_text(reader->yaml, node, what, &uri);
    if (status != BERTH_OK) {
        return status;
    }

    status =
        reader->files.resolve(reader->files.user, uri, reader->path, &reader->options, reader->arena, &path);
    if (status != BERTH_OK) {
        bi_fail_prefix(status, "%s", what);
        return bi_yaml_fail_prefix(reader->yaml, node, status);
    }

    BerthMesh* mesh = NULL;
    status = reader->files.read_mesh(reader->files.user, path, scale, &reader->options, &mesh);
    if (status != BERTH_OK) {
        return status;  // the text names the mesh file
    }

    status = bi_io_solid_from_mesh(mesh, hull, &reader->options.allocator, out);
    return status == BERTH_OK ? BERTH_OK : bi_fail_prefix(status, "%s", path);
}

static BerthStatus read_mesh(SceneReader* reader, const YamlNode* node, const char* what, BerthSolid** out,
                             const char** source) {
    static const char* const keys[] = {"file", "scale", "hull", NULL};
    const YamlFile* file = reader->yaml;
    double scale[3] = {1.0, 1.0, 1.0};
    bool hull = false;

    BerthStatus status = bi_yaml_check_keys(file, node, what, keys);
    if (status != BERTH_OK) {
        return status;
    }

    const YamlNode* name = bi_yaml_find(node, "file");
    const YamlNode* scale_node = bi_yaml_find(node, "scale");
    const YamlNode* hull_node = bi_yaml_find(node, "hull");
    char label[LABEL_SIZE + 16];

    snprintf(label, sizeof label, "%s: file", what);
    if (name == NULL) {
        return bi_yaml_fail(file, node, "%s: 'file' is missing", what);
    }
    status = bi_yaml_text(file, name, label, source);

    if (status == BERTH_OK) {
        status = read_given_numbers(file, scale_node, what, "scale", 3, BI_COORDINATE_MAX, scale);
    }
    if (status == BERTH_OK && (scale[0] == 0.0 || scale[1] == 0.0 || scale[2] == 0.0)) {
        status = bi_yaml_fail(file, scale_node, "%s: scale: 0 makes the mesh flat", what);
    }

    if (status == BERTH_OK && hull_node != NULL) {
        snprintf(label, sizeof label, "%s: hull", what);
        status = bi_yaml_bool(file, hull_node, label, &hull);
    }

    if (status != BERTH_OK) {
        return status;
    }
    return bi_io_read_mesh_solid(reader, name, what, (BerthVec3){scale[0], scale[1], scale[2]}, hull, out);
}

/// What one shape key stands for; `owner` is for texts: "object 'table'".
static BerthStatus read_shape(SceneReader* reader, const YamlNode* node, const char* owner,
                              BerthObjectDef* def) {
    const YamlFile* file = reader->yaml;
    char what[LABEL_SIZE];
    snprintf(what, sizeof what, "%.120s: %s", owner, node->key);
    def->source = node->key;

    if (strcmp(node->key, "map") == 0) {
        return bi_io_read_scene_map(reader, node, what, def, &def->source);
    }
    if (strcmp(node->key, "points") == 0) {
        return bi_io_read_scene_points(reader, node, what, &def->solid, &def->radius, &def->source);
    }
    if (strcmp(node->key, "mesh") == 0) {
        return read_mesh(reader, node, what, &def->solid, &def->source);
    }

    BerthShape shape;
    BerthStatus status;
    if (strcmp(node->key, "box") == 0) {
        status = read_box(file, node, what, &shape);
    } else if (strcmp(node->key, "sphere") == 0) {
        status = read_sphere(file, node, what, &shape);
    } else if (strcmp(node->key, "halfspace") == 0) {
        status = read_halfspace(file, node, what, &shape);
    } else {
        status = read_round_shape(file, node, what, &shape);
    }

    if (status != BERTH_OK) {
        return status;
    }
    return berth_solid_from_shape(&shape, &reader->options.allocator, &def->solid);
}

// ---- objects -----------------------------------------------------------------------------------------------

// The one key that says what the object, or a part of one, is.
static BerthStatus find_shape(const YamlFile* file, const YamlNode* object, const char* owner,
                              const YamlNode** out) {
    *out = NULL;
    for (const char* const* key = shape_keys; *key != NULL; ++key) {
        const YamlNode* node = bi_yaml_find(object, *key);
        if (node != NULL && *out != NULL) {
            return bi_yaml_fail(file, node, "%s: it has '%s' and '%s'; exactly one shape was expected", owner,
                                (*out)->key, *key);
        }
        if (node != NULL) {
            *out = node;
        }
    }

    if (*out == NULL) {
        return bi_yaml_fail(file, object,
                            "%s: it has no shape; one of box, sphere, cylinder, capsule, cone, halfspace, "
                            "mesh, map, points, parts was expected",
                            owner);
    }
    return BERTH_OK;
}

static BerthStatus read_motion(const YamlFile* file, const YamlNode* object, const char* name,
                               BerthObjectDef* def) {
    static const char* const moving_keys[] = {"speed", NULL};
    static const char* const person_keys[] = {"speed", "intrusion", "uncertainty", NULL};
    const YamlNode* moving = bi_yaml_find(object, "moving");
    const YamlNode* person = bi_yaml_find(object, "person");
    const YamlNode* attach = bi_yaml_find(object, "attach");

    if (moving != NULL && person != NULL) {
        return bi_yaml_fail(file, person, "object '%.80s': 'moving' or 'person', not both", name);
    }
    if (attach != NULL && (moving != NULL || person != NULL)) {
        return bi_yaml_fail(file, attach,
                            "object '%.80s': it is attached, so it cannot be 'moving' or a 'person'", name);
    }

    char what[LABEL_SIZE];
    BerthStatus status = BERTH_OK;
    if (moving != NULL) {
        snprintf(what, sizeof what, "object '%.80s': moving", name);
        status = bi_yaml_check_keys(file, moving, what, moving_keys);
        if (status == BERTH_OK) {
            status = read_required_number(file, moving, what, "speed", 0.0, &def->speed);
        }
        def->moving = true;
    }

    if (person != NULL) {
        // Nothing is guessed about a person: a missing term is refused, not taken as 0.
        double* const places[] = {&def->speed, &def->intrusion, &def->uncertainty};
        snprintf(what, sizeof what, "object '%.80s': person", name);
        status = bi_yaml_check_keys(file, person, what, person_keys);
        for (int i = 0; i < 3 && status == BERTH_OK; ++i) {
            status = read_required_number(file, person, what, person_keys[i], 0.0, places[i]);
        }
        def->person = true;
    }
    return status;
}

static BerthStatus read_placement(const YamlFile* file, const YamlNode* object, const char* name,
                                  BerthObjectDef* def) {
    const YamlNode* pose = bi_yaml_find(object, "pose");
    const YamlNode* attach = bi_yaml_find(object, "attach");
    const YamlNode* mass = bi_yaml_find(object, "mass");
    char what[LABEL_SIZE];
    BerthStatus status = BERTH_OK;

    if (pose != NULL) {
        snprintf(what, sizeof what, "object '%.80s': pose", name);
        status = bi_io_read_pose(file, pose, what, &def->pose);
    }
    if (status == BERTH_OK && attach != NULL) {
        snprintf(what, sizeof what, "object '%.80s': attach", name);
        status = bi_yaml_text(file, attach, what, &def->attach);
    }

    if (status == BERTH_OK && mass != NULL) {
        snprintf(what, sizeof what, "object '%.80s': mass", name);
        status = bi_yaml_number(file, mass, what, 0.0, BI_COORDINATE_MAX, &def->mass);
    }

    return status == BERTH_OK ? read_motion(file, object, name, def) : status;
}

// One body of `parts`: its solid and where it is on the object.
static BerthStatus read_part(SceneReader* reader, const YamlNode* node, const char* object, int32_t number,
                             BerthObjectDef* out) {
    const YamlFile* file = reader->yaml;
    const YamlNode* shape = NULL;
    char owner[LABEL_SIZE];
    snprintf(owner, sizeof owner, "object '%.80s', part %d", object, (int)number);

    BerthStatus status = bi_yaml_check_keys(file, node, owner, part_keys);
    if (status == BERTH_OK) {
        status = find_shape(file, node, owner, &shape);
    }

    const YamlNode* pose = status == BERTH_OK ? bi_yaml_find(node, "pose") : NULL;
    if (pose != NULL) {
        char what[LABEL_SIZE + 16];
        snprintf(what, sizeof what, "%s: pose", owner);
        status = bi_io_read_pose(file, pose, what, &out->object_from_solid);
    }
    return status == BERTH_OK ? read_shape(reader, shape, owner, out) : status;
}

// The first of `parts` makes the object; the others are added once it is there.
static BerthStatus read_first_part(SceneReader* reader, const YamlNode* parts, BerthObjectDef* def) {
    char what[LABEL_SIZE];
    snprintf(what, sizeof what, "object '%.80s': parts", def->name);

    BerthStatus status = bi_yaml_expect_kind(reader->yaml, parts, what, YAML_LIST);
    if (status == BERTH_OK && parts->first == NULL) {
        status =
            bi_yaml_fail(reader->yaml, parts, "%s: the list is empty; a body or more were expected", what);
    }
    if (status == BERTH_OK) {
        status = read_part(reader, parts->first, def->name, 1, def);
    }
    def->source = "parts";
    return status;
}

static BerthStatus add_further_parts(SceneReader* reader, const YamlNode* parts, const char* object,
                                     BerthObjectId id) {
    BerthStatus status = BERTH_OK;
    int32_t number = 2;
    for (const YamlNode* item = parts->first->next; item != NULL && status == BERTH_OK; item = item->next) {
        BerthObjectDef part = berth_default_object_def();
        status = read_part(reader, item, object, number++, &part);
        if (status == BERTH_OK) {
            status = bi_yaml_fail_prefix(
                reader->yaml, item,
                berth_scene_add_part(reader->scene, id, &part.object_from_solid, part.solid));
        }
    }
    return status;
}

// Everything about an object but its shape, whose node is found.
static BerthStatus read_object_head(SceneReader* reader, const YamlNode* node, BerthObjectDef* def,
                                    const YamlNode** shape) {
    const YamlFile* file = reader->yaml;
    BerthStatus status = bi_yaml_expect_kind(file, node, "objects", YAML_MAP);
    const YamlNode* name = status == BERTH_OK ? bi_yaml_find(node, "name") : NULL;
    if (status == BERTH_OK && name == NULL) {
        return bi_yaml_fail(file, node, "objects: an object has no name");
    }
    if (status == BERTH_OK) {
        status = bi_yaml_text(file, name, "objects: name", &def->name);
    }
    if (status != BERTH_OK) {
        return status;
    }

    char owner[LABEL_SIZE];
    snprintf(owner, sizeof owner, "object '%.80s'", def->name);
    status = bi_yaml_check_keys(file, node, owner, object_keys);
    if (status == BERTH_OK) {
        status = find_shape(file, node, owner, shape);
    }
    if (status == BERTH_OK) {
        status = read_placement(file, node, def->name, def);
    }

    // Two bodies of one name could not be told apart.
    SceneBodyRef link;
    if (status == BERTH_OK && bi_scene_resolve_name(reader->scene, def->name, true, &link)) {
        status = bi_yaml_fail(file, name, "%s: a link of robot '%.80s' has that name", owner,
                              reader->scene->robots[link.robot].name);
    }
    return status;
}

static BerthStatus add_object(SceneReader* reader, const YamlNode* node, const BerthObjectDef* def,
                              BerthObjectId* id) {
    BerthStatus status = berth_scene_add_object(reader->scene, def, id);
    if (status == BERTH_OK) {
        status = bi_scene_block_outside_map(reader->scene, *id, &reader->options.allocator);
    }

    // Only two things can be wrong with a name here: it is there already, or the link is not.
    const YamlNode* attach = bi_yaml_find(node, "attach");
    const bool link_is_wrong = attach != NULL && bi_scene_find_slot(reader->scene, def->name) < 0;
    return bi_yaml_fail_prefix(reader->yaml, link_is_wrong ? attach : bi_yaml_find(node, "name"), status);
}

BerthStatus bi_io_read_object(SceneReader* reader, const YamlNode* node, BerthObjectId* id) {
    BerthObjectDef def = berth_default_object_def();
    const YamlNode* shape = NULL;
    BerthStatus status = read_object_head(reader, node, &def, &shape);
    if (status != BERTH_OK) {
        return status;
    }

    const bool has_parts = strcmp(shape->key, "parts") == 0;
    if (has_parts) {
        status = read_first_part(reader, shape, &def);
    } else {
        char owner[LABEL_SIZE];
        snprintf(owner, sizeof owner, "object '%.80s'", def.name);
        status = read_shape(reader, shape, owner, &def);
    }
    if (status != BERTH_OK) {
        return status;
    }

    BerthObjectId made = {0, 0};
    status = add_object(reader, node, &def, &made);
    if (status == BERTH_OK && has_parts) {
        status = add_further_parts(reader, shape, def.name, made);
    }

    if (id != NULL) {
        *id = status == BERTH_OK ? made : (BerthObjectId){0, 0};
    }
    return status;
}

static BerthStatus read_touch(SceneReader* reader, const YamlNode* object, BerthObjectId id) {
    const YamlNode* touch = bi_yaml_find(object, "touch");
    const YamlNode* name = bi_yaml_find(object, "name");
    if (touch == NULL) {
        return BERTH_OK;
    }

    char what[LABEL_SIZE];
    snprintf(what, sizeof what, "object '%.80s': touch", name->text);
    BerthStatus status = bi_yaml_expect_kind(reader->yaml, touch, what, YAML_LIST);

    const YamlNode* item = status == BERTH_OK ? touch->first : NULL;
    for (; item != NULL && status == BERTH_OK; item = item->next) {
        const char* body = NULL;
        status = bi_yaml_text(reader->yaml, item, what, &body);
        if (status == BERTH_OK) {
            status = berth_scene_touch(reader->scene, id, body);
            if (status != BERTH_OK) {
                bi_fail_prefix(status, "object '%.80s'", name->text);
                return bi_yaml_fail_prefix(reader->yaml, item, status);
            }
        }
    }
    return status;
}

BerthStatus bi_io_read_objects(SceneReader* reader, const YamlNode* node, BerthObjectId* ids) {
    BerthStatus status = bi_yaml_expect_kind(reader->yaml, node, "objects", YAML_LIST);
    const YamlNode* first = status == BERTH_OK ? node->first : NULL;
    int32_t i = 0;

    for (const YamlNode* item = first; item != NULL && status == BERTH_OK; item = item->next, ++i) {
        BerthObjectId id;
        status = bi_io_read_object(reader, item, &id);
        if (status == BERTH_OK && ids != NULL) {
            ids[i] = id;
        }
    }

    // Touch lists come after all objects: they may name later ones.
    for (const YamlNode* item = first; item != NULL && status == BERTH_OK; item = item->next) {
        status = read_touch(reader, item,
                            berth_scene_find_object(reader->scene, bi_yaml_find(item, "name")->text));
    }
    return status;
}
