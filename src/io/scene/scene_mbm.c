// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// MotionBenchMaker scenes: a MoveIt planning scene as YAML. World objects, attached objects, the robot's
// state and the allowed collision matrix are read; colours, stamps and the like are ignored, for the format
// is not ours. Anything that could contain an obstacle and is not understood is an error, never ignored.
// Entry: bi_io_read_mbm_scene.

#include <stdio.h>
#include <string.h>

#include "io/scene/scene_file.h"
#include "io/syntax/file.h"
#include "io/syntax/number.h"
#include "math/tolerance.h"
#include "robot/robot.h"
#include "scene/scene.h"

enum { LABEL_SIZE = 160 };

// ---- numbers and poses -------------------------------------------------------------------------------------

// [x, y, z] or {x: , y: , z: }, and so for quaternions.
static BerthStatus read_tuple(const YamlFile* file, const YamlNode* node, const char* what, int32_t count,
                              double* out) {
    static const char* const names[] = {"x", "y", "z", "w"};
    if (node->kind != YAML_MAP) {
        return bi_yaml_numbers(file, node, what, count, BI_COORDINATE_MAX, out);
    }
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < count && status == BERTH_OK; ++i) {
        const YamlNode* item = bi_yaml_find(node, names[i]);
        if (item == NULL) {
            return bi_yaml_fail(file, node, "%s: '%s' is missing", what, names[i]);
        }
        status = bi_yaml_number(file, item, what, -BI_COORDINATE_MAX, BI_COORDINATE_MAX, &out[i]);
    }
    return status;
}

static BerthStatus read_pose(const YamlFile* file, const YamlNode* node, const char* what, Pose* out) {
    double xyz[3] = {0.0, 0.0, 0.0};
    double quat[4] = {0.0, 0.0, 0.0, 1.0};

    BerthStatus status = bi_yaml_expect_kind(file, node, what, YAML_MAP);
    const YamlNode* position = status == BERTH_OK ? bi_yaml_find(node, "position") : NULL;
    const YamlNode* orientation = status == BERTH_OK ? bi_yaml_find(node, "orientation") : NULL;

    if (status == BERTH_OK && position != NULL) {
        status = read_tuple(file, position, what, 3, xyz);
    }
    if (status == BERTH_OK && orientation != NULL) {
        status = read_tuple(file, orientation, what, 4, quat);
        if (status == BERTH_OK && !bi_io_normalize_quat(quat)) {
            status = bi_yaml_fail(file, orientation, "%s: the quaternion is zero", what);
        }
    }

    if (status != BERTH_OK) {
        return status;
    }
    return berth_pose_from_quat(v3(xyz[0], xyz[1], xyz[2]), (BerthQuat){quat[0], quat[1], quat[2], quat[3]},
                                out);
}

// ---- shapes ------------------------------------------------------------------------------------------------

typedef enum Primitive {
    PRIMITIVE_NONE = 0,
    PRIMITIVE_BOX,
    PRIMITIVE_SPHERE,
    PRIMITIVE_CYLINDER,
    PRIMITIVE_CONE
} Primitive;

// By name, or by the number that shape_msgs/SolidPrimitive has for it.
static Primitive primitive_of(const YamlNode* type) {
    static const char* const names[] = {"", "box", "sphere", "cylinder", "cone"};
    int64_t number = 0;
    for (int i = 1; i < 5; ++i) {
        if (strcmp(type->text, names[i]) == 0 ||
            (bi_parse_int(type->text, (size_t)type->length, &number) && number == i)) {
            return (Primitive)i;
        }
    }
    return PRIMITIVE_NONE;
}

static BerthStatus read_primitive(SceneReader* reader, const YamlNode* node, const char* what,
                                  BerthSolid** out) {
    static const int32_t counts[] = {0, 3, 1, 2, 2};
    const YamlFile* file = reader->yaml;
    BerthStatus status = bi_yaml_expect_kind(file, node, what, YAML_MAP);
    if (status != BERTH_OK) {
        return status;
    }

    const YamlNode* type = bi_yaml_find(node, "type");
    const YamlNode* sizes = bi_yaml_find(node, "dimensions");
    if (type == NULL || sizes == NULL) {
        return bi_yaml_fail(file, node, "%s: a primitive needs 'type' and 'dimensions'", what);
    }

    const Primitive kind = type->kind == YAML_VALUE ? primitive_of(type) : PRIMITIVE_NONE;
    if (kind == PRIMITIVE_NONE) {
        char room[64];
        return bi_yaml_fail(file, type, "%s: type: box, sphere, cylinder or cone was expected, here is %s",
                            what, bi_yaml_describe(type, room, sizeof room));
    }

    double n[3];
    status = bi_yaml_numbers(file, sizes, what, counts[kind], BI_COORDINATE_MAX, n);
    if (status != BERTH_OK) {
        return status;
    }

    BerthShape shape;
    switch (kind) {
    case PRIMITIVE_BOX:
        status = berth_shape_box(v3(n[0], n[1], n[2]), &shape);
        break;
    case PRIMITIVE_SPHERE:
        status = berth_shape_sphere(n[0], &shape);
        break;
    case PRIMITIVE_CYLINDER:
        status = berth_shape_cylinder(n[1], n[0], &shape);  // [height, radius] here
        break;
    default:
        status = berth_shape_cone(n[1], n[0], &shape);
        break;
    }

    status = bi_yaml_fail_prefix(file, sizes, status);
    return status == BERTH_OK ? berth_solid_from_shape(&shape, &reader->options.allocator, out) : status;
}

static BerthStatus read_vertices(const YamlFile* file, const YamlNode* list, const char* what, Vec3* out) {
    BerthStatus status = BERTH_OK;
    int32_t i = 0;
    for (const YamlNode* item = list->first; item != NULL && status == BERTH_OK; item = item->next, ++i) {
        double xyz[3] = {0.0, 0.0, 0.0};
        status = read_tuple(file, item, what, 3, xyz);
        out[i] = v3(xyz[0], xyz[1], xyz[2]);
    }
    return status;
}

static BerthStatus read_triangles(const YamlFile* file, const YamlNode* list, const char* what,
                                  int32_t vertex_count, int32_t* out) {
    for (const YamlNode* item = list->first; item != NULL; item = item->next) {
        const YamlNode* corners = item->kind == YAML_MAP ? bi_yaml_find(item, "vertex_indices") : item;
        if (corners == NULL || corners->kind != YAML_LIST || corners->count != 3) {
            return bi_yaml_fail(file, item, "%s: a triangle of three vertices was expected", what);
        }

        for (const YamlNode* corner = corners->first; corner != NULL; corner = corner->next) {
            int64_t number = -1;
            if (corner->kind != YAML_VALUE || !bi_parse_int(corner->text, (size_t)corner->length, &number) ||
                number < 0 || number >= vertex_count) {
                return bi_yaml_fail(file, corner, "%s: a vertex from 0 to %d was expected", what,
                                    (int)vertex_count - 1);
            }
            *out++ = (int32_t)number;
        }
    }
    return BERTH_OK;
}

static BerthStatus read_inline_mesh(SceneReader* reader, const YamlNode* node, const char* what,
                                    BerthSolid** out) {
    const BerthAllocator* memory = &reader->options.allocator;
    const YamlNode* points = bi_yaml_find(node, "vertices");
    const YamlNode* faces = bi_yaml_find(node, "triangles");
    if (points == NULL || faces == NULL || points->kind != YAML_LIST || faces->kind != YAML_LIST) {
        return bi_yaml_fail(reader->yaml, node,
                            "%s: a mesh needs 'resource', or lists of 'vertices' and 'triangles'", what);
    }

    Vec3* vertices = bi_take(memory, (size_t)points->count, sizeof *vertices);
    int32_t* triangles = bi_take(memory, 3 * (size_t)faces->count, sizeof *triangles);
    BerthMesh* mesh = NULL;

    BerthStatus status = BERTH_OK;
    if (vertices == NULL || triangles == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", reader->path);
    } else {
        status = read_vertices(reader->yaml, points, what, vertices);
    }
    if (status == BERTH_OK) {
        status = read_triangles(reader->yaml, faces, what, points->count, triangles);
    }

    if (status == BERTH_OK) {
        status = bi_yaml_fail_prefix(
            reader->yaml, node,
            berth_mesh_create(vertices, points->count, triangles, faces->count, memory, &mesh));
    }

    bi_give(memory, vertices, (size_t)points->count, sizeof *vertices);
    bi_give(memory, triangles, 3 * (size_t)faces->count, sizeof *triangles);
    return status == BERTH_OK ? berth_solid_from_mesh(mesh, memory, out) : status;
}

static BerthStatus read_mesh(SceneReader* reader, const YamlNode* node, const char* what, BerthSolid** out) {
    BerthStatus status = bi_yaml_expect_kind(reader->yaml, node, what, YAML_MAP);
    if (status != BERTH_OK) {
        return status;
    }

    const YamlNode* resource = bi_yaml_find(node, "resource");
    if (resource == NULL) {
        return read_inline_mesh(reader, node, what, out);
    }

    double scale[3] = {1.0, 1.0, 1.0};
    const YamlNode* sizes = bi_yaml_find(node, "dimensions");
    if (sizes != NULL) {
        status = bi_yaml_numbers(reader->yaml, sizes, what, 3, BI_COORDINATE_MAX, scale);
    }
    if (status != BERTH_OK) {
        return status;
    }
    return bi_io_read_mesh_solid(reader, resource, what, v3(scale[0], scale[1], scale[2]), false, out);
}

static BerthStatus read_plane(SceneReader* reader, const YamlNode* node, const char* what, BerthSolid** out) {
    const YamlNode* numbers = node->kind == YAML_MAP ? bi_yaml_find(node, "coef") : node;
    double n[4];
    BerthShape shape;
    if (numbers == NULL) {
        return bi_yaml_fail(reader->yaml, node, "%s: 'coef' is missing", what);
    }

    BerthStatus status = bi_yaml_numbers(reader->yaml, numbers, what, 4, BI_COORDINATE_MAX, n);
    if (status == BERTH_OK) {
        // a x + b y + c z + d = 0; taken with all that is below it.
        status = bi_yaml_fail_prefix(reader->yaml, node,
                                     berth_shape_halfspace(v3(n[0], n[1], n[2]), -n[3], &shape));
    }
    return status == BERTH_OK ? berth_solid_from_shape(&shape, &reader->options.allocator, out) : status;
}

// ---- objects -----------------------------------------------------------------------------------------------

typedef struct Object {
    const YamlNode* node;
    const YamlNode* name_node;
    const char* name;
    Pose outer_from_object;  // world, or the link that holds it
    Pose object_from_first;
    const char* attach;
    BerthObjectId id;
    int32_t part_count;
} Object;

static BerthStatus add_part(SceneReader* reader, Object* object, BerthSolid* solid,
                            const Pose* object_from_part) {
    if (object->part_count++ > 0) {
        const Pose first_from_part = pose_between(&object->object_from_first, object_from_part);
        return bi_yaml_fail_prefix(reader->yaml, object->node,
                                   berth_scene_add_part(reader->scene, object->id, &first_from_part, solid));
    }

    BerthObjectDef def = berth_default_object_def();
    def.name = object->name;
    def.solid = solid;
    def.attach = object->attach;
    def.source = "MotionBenchMaker scene";
    def.pose = pose_mul(&object->outer_from_object, object_from_part);
    object->object_from_first = *object_from_part;
    return bi_yaml_fail_prefix(reader->yaml, object->name_node,
                               berth_scene_add_object(reader->scene, &def, &object->id));
}

typedef BerthStatus (*ShapeReader)(SceneReader*, const YamlNode*, const char*, BerthSolid**);

// One list of shapes and its list of poses, which must be as long.
static BerthStatus read_parts(SceneReader* reader, Object* object, const char* shapes_key,
                              const char* poses_key, ShapeReader read_shape) {
    const YamlFile* file = reader->yaml;
    const YamlNode* shapes = bi_yaml_find(object->node, shapes_key);
    const YamlNode* poses = bi_yaml_find(object->node, poses_key);

    if (shapes == NULL || bi_yaml_is_null(shapes)) {
        return BERTH_OK;
    }

    char what[LABEL_SIZE];
    snprintf(what, sizeof what, "object '%.80s': %s", object->name, shapes_key);
    BerthStatus status = bi_yaml_expect_kind(file, shapes, what, YAML_LIST);
    if (status != BERTH_OK) {
        return status;
    }

    const int32_t pose_count = poses != NULL && poses->kind == YAML_LIST ? poses->count : 0;
    if (pose_count != shapes->count) {
        return bi_yaml_fail(file, shapes, "%s: %d of them, but %d in '%s'", what, (int)shapes->count,
                            (int)pose_count, poses_key);
    }

    const YamlNode* pose_node = pose_count > 0 ? poses->first : NULL;
    for (const YamlNode* item = shapes->first; item != NULL && status == BERTH_OK; item = item->next) {
        Pose object_from_part;
        BerthSolid* solid = NULL;
        status = read_pose(file, pose_node, what, &object_from_part);
        if (status == BERTH_OK) {
            status = read_shape(reader, item, what, &solid);
        }
        if (status == BERTH_OK) {
            status = add_part(reader, object, solid, &object_from_part);
        }

        pose_node = pose_node->next;
    }
    return status;
}

// Poses are in the frame that the header names. An object on its own: the world, or a link that stands still. One that
// is attached: the link that holds it, or one that is rigidly joined to it.
static BerthStatus read_frame(SceneReader* reader, const YamlNode* node, const char* attach,
                              Pose* outer_from_frame) {
    *outer_from_frame = pose_identity();
    const YamlNode* header = bi_yaml_find(node, "header");
    const YamlNode* frame = header != NULL ? bi_yaml_find(header, "frame_id") : NULL;
    SceneBodyRef link;
    SceneBodyRef holder = {-1, -1, -1};

    if (frame == NULL || frame->kind != YAML_VALUE || frame->length == 0) {
        return BERTH_OK;
    }
    if (attach != NULL && !bi_scene_resolve_name(reader->scene, attach, true, &holder)) {
        return BERTH_OK;  // adding the object says what is wrong
    }

    if (!bi_scene_resolve_name(reader->scene, frame->text, true, &link)) {
        if (attach != NULL) {
            return bi_yaml_fail(reader->yaml, frame,
                                "frame '%.100s' of an attached object is not a link of the robot",
                                frame->text);
        }
        if (strcmp(frame->text, "world") != 0) {
            bi_io_warn(&reader->options,
                       "%s:%d: frame '%.100s' is not a link of the robot and is taken as the world",
                       reader->path, (int)frame->line, frame->text);
        }
        return BERTH_OK;
    }

    const SceneRobot* robot = &reader->scene->robots[link.robot];
    const RobotLink* given = &robot->robot->links[link.link];
    if (attach != NULL) {
        const RobotLink* held_by = &robot->robot->links[holder.link];
        *outer_from_frame = pose_between(&held_by->frame_from_link, &given->frame_from_link);
        if (given->frame != held_by->frame) {
            return bi_yaml_fail(reader->yaml, frame,
                                "frame '%.100s' moves against link '%.100s', which holds the object",
                                frame->text, attach);
        }
        return BERTH_OK;
    }

    *outer_from_frame = pose_mul(&robot->world_from_base, &given->frame_from_link);
    if (given->frame != 0) {
        return bi_yaml_fail(reader->yaml, frame,
                            "frame '%.100s' moves with the robot: an object that does not hang on it "
                            "cannot be given in it",
                            frame->text);
    }
    return BERTH_OK;
}

static BerthStatus check_object(SceneReader* reader, const YamlNode* node, Object* object) {
    const YamlFile* file = reader->yaml;
    BerthStatus status = bi_yaml_expect_kind(file, node, "collision_objects", YAML_MAP);
    if (status != BERTH_OK) {
        return status;
    }

    const YamlNode* id = bi_yaml_find(node, "id");
    const YamlNode* operation = bi_yaml_find(node, "operation");
    *object = (Object){.node = node, .name_node = id, .outer_from_object = pose_identity()};
    if (id == NULL) {
        return bi_yaml_fail(file, node, "collision_objects: an object has no 'id'");
    }
    status = bi_yaml_text(file, id, "collision_objects: id", &object->name);

    if (status == BERTH_OK && operation != NULL && operation->kind == YAML_VALUE &&
        strcmp(operation->text, "add") != 0 && strcmp(operation->text, "0") != 0) {
        status = bi_yaml_fail(file, operation,
                              "object '%.80s': operation '%.40s'; only 'add' makes sense in a file",
                              object->name, operation->text);
    }

    SceneBodyRef link;
    if (status == BERTH_OK && bi_scene_resolve_name(reader->scene, object->name, true, &link)) {
        status = bi_yaml_fail(file, id, "object '%.80s': a link of the robot has that name", object->name);
    }
    return status;
}

static BerthStatus read_object(SceneReader* reader, const YamlNode* node, const char* attach,
                               BerthObjectId* id) {
    Object object;
    BerthStatus status = check_object(reader, node, &object);
    if (status == BERTH_OK) {
        status = read_frame(reader, node, attach, &object.outer_from_object);
    }

    const YamlNode* pose = status == BERTH_OK ? bi_yaml_find(node, "pose") : NULL;
    if (pose != NULL && !bi_yaml_is_null(pose)) {
        Pose frame_from_object;
        status = read_pose(reader->yaml, pose, "pose", &frame_from_object);
        if (status == BERTH_OK) {
            object.outer_from_object = pose_mul(&object.outer_from_object, &frame_from_object);
        }
    }

    if (status != BERTH_OK) {
        return status;
    }

    object.attach = attach;
    status = read_parts(reader, &object, "primitives", "primitive_poses", read_primitive);
    if (status == BERTH_OK) {
        status = read_parts(reader, &object, "meshes", "mesh_poses", read_mesh);
    }
    if (status == BERTH_OK) {
        status = read_parts(reader, &object, "planes", "plane_poses", read_plane);
    }

    if (status == BERTH_OK && object.part_count == 0) {
        status = bi_yaml_fail(reader->yaml, node, "object '%.80s': it has no primitives, meshes or planes",
                              object.name);
    }

    *id = object.id;
    return status;
}

static BerthStatus read_attached(SceneReader* reader, const YamlNode* node) {
    BerthStatus status = bi_yaml_expect_kind(reader->yaml, node, "attached_collision_objects", YAML_MAP);
    if (status != BERTH_OK) {
        return status;
    }

    const YamlNode* link = bi_yaml_find(node, "link_name");
    const YamlNode* object = bi_yaml_find(node, "object");
    const YamlNode* touch = bi_yaml_find(node, "touch_links");
    const char* attach = NULL;
    if (link == NULL || object == NULL) {
        return bi_yaml_fail(reader->yaml, node,
                            "attached_collision_objects: 'link_name' and 'object' are needed");
    }

    status = bi_yaml_text(reader->yaml, link, "link_name", &attach);
    BerthObjectId id = {0, 0};
    if (status == BERTH_OK) {
        status = read_object(reader, object, attach, &id);
    }

    const YamlNode* item =
        status == BERTH_OK && touch != NULL && touch->kind == YAML_LIST ? touch->first : NULL;
    for (; item != NULL && status == BERTH_OK; item = item->next) {
        const char* body = NULL;
        status = bi_yaml_text(reader->yaml, item, "touch_links", &body);
        if (status == BERTH_OK) {
            status = bi_yaml_fail_prefix(reader->yaml, item, berth_scene_touch(reader->scene, id, body));
        }
    }
    return status;
}

// ---- state and allowed pairs -------------------------------------------------------------------------------

static BerthStatus read_joint_state(SceneReader* reader, const YamlNode* node) {
    const YamlNode* names = node->kind == YAML_MAP ? bi_yaml_find(node, "name") : NULL;
    const YamlNode* positions = node->kind == YAML_MAP ? bi_yaml_find(node, "position") : NULL;
    if (names == NULL || positions == NULL || names->kind != YAML_LIST || positions->kind != YAML_LIST) {
        return BERTH_OK;  // a state that says nothing
    }
    if (names->count != positions->count) {
        return bi_yaml_fail(reader->yaml, positions, "joint_state: %d names, but %d positions",
                            (int)names->count, (int)positions->count);
    }

    const size_t count = (size_t)reader->scene->value_count;
    double* values = bi_arena_take(reader->arena, count, sizeof *values);
    if (values == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", reader->path);
    }
    if (count > 0) {
        memcpy(values, berth_scene_values(reader->scene), count * sizeof *values);
    }

    const YamlNode* position = positions->first;
    for (const YamlNode* name = names->first; name != NULL; name = name->next, position = position->next) {
        double value = 0.0;
        const BerthStatus status = bi_yaml_number(reader->yaml, position, "joint_state", -BI_COORDINATE_MAX,
                                                  BI_COORDINATE_MAX, &value);
        if (status != BERTH_OK) {
            return status;
        }

        // Mimic and fixed joints, and joints of another gripper, are in many of these files.
        const int32_t index =
            name->kind == YAML_VALUE ? berth_scene_find_value(reader->scene, name->text) : -1;
        if (index >= 0) {
            values[index] = value;
        }
    }

    return bi_yaml_fail_prefix(reader->yaml, node, berth_scene_set_values(reader->scene, values));
}

// true, 1 or false, 0.
static bool is_true_value(const YamlNode* node) {
    return node->kind == YAML_VALUE && (strcmp(node->text, "true") == 0 || strcmp(node->text, "1") == 0);
}

static BerthStatus allow_pair(SceneReader* reader, const YamlNode* a, const YamlNode* b, int32_t* unknown) {
    SceneBodyRef place;
    if (a->kind != YAML_VALUE || b->kind != YAML_VALUE || strcmp(a->text, b->text) == 0) {
        return BERTH_OK;
    }

    if (!bi_scene_resolve_name(reader->scene, a->text, false, &place) ||
        !bi_scene_resolve_name(reader->scene, b->text, false, &place)) {
        *unknown += 1;
        return BERTH_OK;
    }
    return bi_yaml_fail_prefix(reader->yaml, b, berth_scene_allow(reader->scene, a->text, b->text));
}

static BerthStatus read_allowed_pairs(SceneReader* reader, const YamlNode* node) {
    const YamlNode* names = node->kind == YAML_MAP ? bi_yaml_find(node, "entry_names") : NULL;
    const YamlNode* rows = node->kind == YAML_MAP ? bi_yaml_find(node, "entry_values") : NULL;
    if (names == NULL || rows == NULL || names->kind != YAML_LIST || rows->kind != YAML_LIST) {
        return BERTH_OK;
    }

    if (names->count != rows->count) {
        return bi_yaml_fail(reader->yaml, rows, "allowed_collision_matrix: %d names, but %d rows",
                            (int)names->count, (int)rows->count);
    }

    int32_t unknown = 0;
    int32_t i = 0;
    const YamlNode* name = names->first;
    for (const YamlNode* row = rows->first; row != NULL; row = row->next, name = name->next, ++i) {
        const YamlNode* cells = row->kind == YAML_MAP ? bi_yaml_find(row, "enabled") : row;
        if (cells == NULL || cells->kind != YAML_LIST || cells->count != names->count) {
            return bi_yaml_fail(reader->yaml, row,
                                "allowed_collision_matrix: a row of %d values was expected",
                                (int)names->count);
        }

        int32_t k = 0;
        const YamlNode* other = names->first;
        for (const YamlNode* cell = cells->first; cell != NULL; cell = cell->next, other = other->next, ++k) {
            if (k <= i || !is_true_value(cell)) {
                continue;
            }
            const BerthStatus status = allow_pair(reader, name, other, &unknown);
            if (status != BERTH_OK) {
                return status;
            }
        }
    }

    if (unknown > 0) {
        bi_io_warn(&reader->options,
                   "%s:%d: allowed_collision_matrix: %d pairs name bodies that are not here", reader->path,
                   (int)node->line, (int)unknown);
    }
    return BERTH_OK;
}

// ---- all of it ---------------------------------------------------------------------------------------------

// A map that holds an octree with data, at any of the two places where it stands.
static bool has_octomap(const YamlNode* node) {
    for (int depth = 0; node != NULL && depth < 3; ++depth) {
        const YamlNode* data = bi_yaml_find(node, "data");
        if (data != NULL && !bi_yaml_is_null(data) && (data->kind == YAML_VALUE || data->count > 0)) {
            return true;
        }
        node = bi_yaml_find(node, "octomap");
    }
    return false;
}

static BerthStatus read_world(SceneReader* reader, const YamlNode* world) {
    BerthStatus status = bi_yaml_expect_kind(reader->yaml, world, "world", YAML_MAP);
    if (status != BERTH_OK) {
        return status;
    }

    if (has_octomap(world)) {
        bi_fail(BERTH_ERR_UNSUPPORTED,
                "world: octomap: an octomap inside of a scene file is not read; a berth scene names one as a "
                "file (map:)");
        return bi_yaml_fail_prefix(reader->yaml, bi_yaml_find(world, "octomap"), BERTH_ERR_UNSUPPORTED);
    }

    const YamlNode* objects = bi_yaml_find(world, "collision_objects");
    if (objects == NULL || bi_yaml_is_null(objects)) {
        return BERTH_OK;
    }

    status = bi_yaml_expect_kind(reader->yaml, objects, "collision_objects", YAML_LIST);
    const YamlNode* item = status == BERTH_OK ? objects->first : NULL;
    for (; item != NULL && status == BERTH_OK; item = item->next) {
        BerthObjectId id;
        status = read_object(reader, item, NULL, &id);
    }
    return status;
}

static BerthStatus read_robot_state(SceneReader* reader, const YamlNode* state) {
    const YamlNode* joints = state->kind == YAML_MAP ? bi_yaml_find(state, "joint_state") : NULL;
    const YamlNode* held = state->kind == YAML_MAP ? bi_yaml_find(state, "attached_collision_objects") : NULL;
    BerthStatus status = joints != NULL ? read_joint_state(reader, joints) : BERTH_OK;
    const YamlNode* item = held != NULL && held->kind == YAML_LIST ? held->first : NULL;
    for (; item != NULL && status == BERTH_OK; item = item->next) {
        status = read_attached(reader, item);
    }
    return status;
}

// Transforms between frames that are not the robot's links; an identity says nothing.
static void warn_transforms(SceneReader* reader, const YamlNode* transforms) {
    const YamlNode* item = transforms->kind == YAML_LIST ? transforms->first : NULL;
    for (; item != NULL; item = item->next) {
        const YamlNode* transform = bi_yaml_find(item, "transform");
        const YamlNode* shift = transform != NULL ? bi_yaml_find(transform, "translation") : NULL;
        const YamlNode* turn = transform != NULL ? bi_yaml_find(transform, "rotation") : NULL;
        double n[3] = {0, 0, 0};
        double q[4] = {0, 0, 0, 1};
        const bool read = (shift == NULL || read_tuple(reader->yaml, shift, "", 3, n) == BERTH_OK) &&
                          (turn == NULL || read_tuple(reader->yaml, turn, "", 4, q) == BERTH_OK);

        if (!read || n[0] != 0 || n[1] != 0 || n[2] != 0 || q[0] != 0 || q[1] != 0 || q[2] != 0) {
            bi_io_warn(&reader->options, "%s:%d: fixed_frame_transforms are ignored", reader->path,
                       (int)item->line);
            return;
        }
    }
}

// Without a robot.
static void warn_left_out(SceneReader* reader, const YamlNode* state, const YamlNode* matrix) {
    const YamlNode* first = state != NULL ? state : matrix;
    if (first != NULL) {
        bi_io_warn(&reader->options,
                   "%s:%d: what is said about a robot is left out: its state, what it holds, pairs that may "
                   "touch",
                   reader->path, (int)first->line);
    }
}

BerthStatus bi_io_read_mbm_scene(SceneReader* reader, const YamlNode* root) {
    const YamlNode* world = bi_yaml_find(root, "world");
    const YamlNode* state = bi_yaml_find(root, "robot_state");
    const YamlNode* matrix = bi_yaml_find(root, "allowed_collision_matrix");
    const YamlNode* transforms = bi_yaml_find(root, "fixed_frame_transforms");

    BerthStatus status = bi_io_read_scene_robot(reader);
    if (status == BERTH_OK && transforms != NULL) {
        warn_transforms(reader, transforms);
    }
    if (status == BERTH_OK && world != NULL && !bi_yaml_is_null(world)) {
        status = read_world(reader, world);
    }
    if (status == BERTH_OK && reader->scene->robot_count == 0) {
        warn_left_out(reader, state, matrix);
        return BERTH_OK;
    }

    if (status == BERTH_OK && state != NULL) {
        status = read_robot_state(reader, state);
    }
    if (status == BERTH_OK && matrix != NULL) {
        status = read_allowed_pairs(reader, matrix);
    }
    return status;
}
