// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The output of `berth new`: a scene that explains its own format, or a converted scene.
// Entries: new_write_template, new_write_converted, new_write_mesh.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/new/new.h"

static const char examples[] =
    "  # Every other kind of object; remove the # to use one:\n"
    "  # - name: ball\n"
    "  #   sphere: {radius: 0.1}\n"
    "  #   pose: {xyz: [0.5, 0.3, 0.6]}\n"
    "  # - name: post                              # cylinder, capsule, cone: along z, centred\n"
    "  #   cylinder: {radius: 0.05, length: 1.2}\n"
    "  #   pose: {xyz: [0.4, -0.5, 0.6], rpy: [0, 0, 0]}\n"
    "  # - name: pipe                              # length is between the centres of its two ends\n"
    "  #   capsule: {radius: 0.03, length: 0.8}\n"
    "  #   pose: {xyz: [0, 0.6, 0.8], rpy: [0, 1.5708, 0]}\n"
    "  # - name: funnel                            # tip at +z\n"
    "  #   cone: {radius: 0.1, length: 0.2}\n"
    "  #   pose: {xyz: [0.6, 0, 0.1]}\n"
    "  # - name: floor                             # solid where normal . x <= offset\n"
    "  #   halfspace: {normal: [0, 0, 1], offset: -0.01}\n"
    "  # - name: part                              # STL, OBJ, DAE, ...; a closed mesh is solid\n"
    "  #   mesh: {file: part.stl, scale: [0.001, 0.001, 0.001]}\n"
    "  #   pose: {xyz: [0.6, 0, 0.45], quat: [0, 0, 0, 1]}\n"
    "  # - name: bench                             # one object made of several bodies\n"
    "  #   parts:\n"
    "  #     - box: {size: [1.0, 0.6, 0.04]}\n"
    "  #     - cylinder: {radius: 0.03, length: 0.7}\n"
    "  #       pose: {xyz: [0.45, 0.25, -0.37]}\n"
    "  #   pose: {xyz: [0.6, 0, 0.7]}\n"
    "  # - name: room                              # .bt, .ot, .lin, .npy, ROS' map_server .yaml "
    "(with height: [z0, z1]), ...\n"
    "  #   map: {file: room.bt, unknown: occupied} # unknown cells: occupied (default) or free; "
    "outside: the same for space beyond the map\n"
    "  # - name: scan                              # .pcd, .ply, .xyz: each point is a ball of this "
    "radius\n"
    "  #   points: {file: scan.pcd, radius: 0.01}\n"
    "  # - name: held                              # moves with a link; pose is relative to it\n"
    "  #   box: {size: [0.05, 0.05, 0.1]}\n";

// A line of YAML that ends in a name.
static void put_named(Text* text, const char* before, const char* name) {
    text_puts(text, before);
    text_quoted(text, name);
    text_puts(text, "\n");
}

// Two names: of a map entry or a pair. Nothing if memory ran out for one of them.
static void put_two_names(Text* text, const Text* a, const char* between, const Text* b, const char* after) {
    text->failed = text->failed || a->failed || b->failed;
    if (!text->failed) {
        text_quoted(text, a->data);
        text_puts(text, between);
        text_quoted(text, b->data);
        text_puts(text, after);
    }
}

static void put_pose(Text* text, const BerthPose* pose) {
    const BerthQuat q = berth_pose_to_quat(pose);
    text_puts(text, "pose: {xyz: ");
    text_triple(text, pose->t);
    if (!(q.x == 0.0 && q.y == 0.0 && q.z == 0.0)) {
        text_puts(text, ", quat: [");
        text_number(text, q.x);
        text_puts(text, ", ");
        text_number(text, q.y);
        text_puts(text, ", ");
        text_number(text, q.z);
        text_puts(text, ", ");
        text_number(text, q.w);
        text_puts(text, "]");
    }
    text_puts(text, "}");
}

static void put_packages(Text* text, const Options* options, const char* folder) {
    if (options->packages.count == 0) {
        return;
    }

    text_puts(text, "packages:\n");
    for (int i = 0; i < options->packages.count; ++i) {
        const char* item = options->packages.items[i];
        const char* equals = strchr(item, '=');
        Text name = {0}, place = {0};
        text_add(&name, item, (size_t)(equals - item));
        if (!files_relative_path(folder, equals + 1, &place)) {
            text_puts(&place, equals + 1);
        }

        text_puts(text, "  ");
        put_two_names(text, &name, ": ", &place, "\n");
        text_free(&name);
        text_free(&place);
    }
}

// The robot's values as a YAML map, one joint per line; joints with several values keep their default.
static void put_state(Text* text, const BerthScene* scene, const double* values) {
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    bool first = true;
    for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
        const BerthJointInfo joint = berth_robot_joint(robot, i);
        if (joint.first_value >= 0 && joint.value_count == 1) {
            text_puts(text, first ? "    state:\n" : "");
            first = false;
            text_puts(text, "      ");
            text_quoted(text, joint.name);
            text_puts(text, ": ");
            text_number(text, values[joint.first_value]);
            text_puts(text, "\n");
        }
    }
}

// The default values if they are free, else the first named state that is free. Returns its name, "default" or "", or null
// if memory runs out.
static const char* find_free_state(const BerthScene* scene, double* values) {
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    const BerthCheckerDef def = berth_default_checker_def();
    const BerthCheckRequest request = {0};
    BerthChecker* checker = NULL;
    if (berth_checker_create(scene, &def, &checker) != BERTH_OK) {
        return NULL;
    }

    const char* found = NULL;
    for (int32_t i = -1; found == NULL && i < berth_robot_state_count(robot); ++i) {
        const char* group = NULL;
        const char* name = i < 0 ? "default" : berth_robot_state_name(robot, i, &group);
        Text whole = {0};
        text_printf(&whole, "%s%s%s", group != NULL ? group : "",
                    group != NULL && group[0] != '\0' ? "/" : "", name);

        berth_robot_default_values(robot, values);
        BerthCheckResult result = {0};
        const bool named =
            i < 0 || (!whole.failed && berth_robot_named_state(robot, whole.data, values) == BERTH_OK);
        if (named && berth_check_state(checker, values, &request, &result) == BERTH_OK &&
            result.verdict == BERTH_FREE) {
            found = name;
        }

        text_free(&whole);
    }

    if (found == NULL) {
        berth_robot_default_values(robot, values);
        found = "";
    }

    berth_checker_destroy(checker);
    return found;
}

static void put_state_names(Text* text, const BerthRobot* robot) {
    for (int32_t i = 0; i < berth_robot_state_count(robot); ++i) {
        const char* group = NULL;
        const char* name = berth_robot_state_name(robot, i, &group);
        text_puts(text, i == 0 ? "    # named states: " : ", ");
        if (group != NULL && group[0] != '\0') {
            text_printf(text, "%s/", group);
        }
        text_puts(text, name);
    }
    text_puts(text, berth_robot_state_count(robot) > 0 ? " (state: NAME, or check --state NAME)\n" : "");
}

static void put_first_state(Text* text, const BerthScene* scene) {
    double* values = calloc((size_t)berth_scene_value_count(scene) + 1, sizeof *values);
    const char* found = values != NULL ? find_free_state(scene, values) : NULL;
    if (found == NULL) {
        text->failed = true;
    } else {
        if (found[0] == '\0') {
            text_puts(text, "    # The robot touches itself in its default state: choose another.\n");
        } else if (strcmp(found, "default") != 0) {
            text_printf(text, "    # The values of '%s'; in its default state the robot touches itself.\n",
                        found);
        }
        put_state(text, scene, values);
    }
    free(values);
}

static void put_robot_head(Text* text, const BerthScene* scene, const NewNames* names) {
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    const char* name = berth_robot_name(robot);
    const bool usable = name[0] != '\0' && strchr(name, '/') == NULL;

    put_named(text, "robots:\n  - name: ", usable ? name : "robot");
    put_named(text, "    urdf: ", names->urdf);
    if (names->srdf != NULL) {
        put_named(text, "    srdf: ", names->srdf);
    }
}

// The likely hand: among the links at the ends of chains, the one moved by most joints; the last of several.
static int32_t find_holder(const BerthRobot* robot) {
    int32_t found = berth_robot_link_count(robot) - 1;
    int32_t most = 0;
    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        bool ends = true;
        for (int32_t i = 0; ends && i < berth_robot_joint_count(robot); ++i) {
            ends = berth_robot_joint(robot, i).parent_link != link;
        }

        int32_t moved = 0;
        for (int32_t at = berth_robot_link(robot, link).parent_joint; ends && at >= 0;) {
            const BerthJointInfo joint = berth_robot_joint(robot, at);
            moved += joint.type != BERTH_JOINT_FIXED ? 1 : 0;
            at = berth_robot_link(robot, joint.parent_link).parent_joint;
        }

        if (moved > 0 && moved >= most) {
            most = moved;
            found = link;
        }
    }
    return found;
}

// Other links near an object held by `holder`: links rigidly joined to it, else the previous link.
static void put_touched(Text* text, const BerthRobot* robot, int32_t holder) {
    const BerthLinkInfo info = berth_robot_link(robot, holder);
    int32_t count = 0;
    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        const BerthLinkInfo other = berth_robot_link(robot, link);
        if (link != holder && other.frame == info.frame && other.solid_count > 0) {
            text_printf(text, "%s%s", count++ > 0 ? ", " : "", other.name);
        }
    }

    if (count == 0) {
        const int32_t before =
            info.parent_joint >= 0 ? berth_robot_joint(robot, info.parent_joint).parent_link : holder;
        text_puts(text, berth_robot_link(robot, before).name);
    }
}

void new_write_template(Text* text, const BerthScene* scene, const Options* options, const NewNames* names) {
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    const double reach = berth_robot_reach(robot);
    const double away = isfinite(reach) && reach < 1e5 ? ceil(reach * 10.0) / 10.0 + 0.5 : 3.0;
    const int32_t holder = find_holder(robot);

    text_puts(text,
              "# A first scene, made by `berth new`. Edit it, then run: berth check THIS_FILE --distance\n"
              "# Units: metre, radian. File names are relative to this file. Misspelt keys are errors.\n"
              "berth: 1\n");

    put_packages(text, options, names->folder);
    put_robot_head(text, scene, names);

    if (names->srdf == NULL) {
        text_puts(text,
                  "    # srdf: robot.srdf                        # pairs that need no check, groups, named "
                  "states\n");
    }

    text_puts(text, "    base: {xyz: [0, 0, 0], rpy: [0, 0, 0]}    # or quat: [x, y, z, w]\n");
    put_state_names(text, robot);
    put_first_state(text, scene);

    text_puts(text,
              "    # padding: 0.01                           # metres all round, against everything but "
              "itself\n"
              "    # hull: true                              # use the convex hulls of meshes; or a list of "
              "links\n"
              "objects:\n"
              "  # A table to edit. It is out of the robot's reach.\n"
              "  - name: table\n"
              "    box: {size: [1.2, 0.8, 0.05]}             # full sizes, centred\n"
              "    pose: {xyz: [");

    text_number(text, away + 0.6);
    text_puts(text, ", 0, 0.4], rpy: [0, 0, 0]}\n");
    text_puts(text, examples);

    text_printf(text, "  #   pose: {xyz: [0, 0, 0.1]}\n  #   attach: %s\n  #   touch: [",
                berth_robot_link(robot, holder).name);
    put_touched(text, robot, holder);
    text_printf(text,
                "]    # other links that it may touch, also fixed ones (not its holder)\n"
                "  #   mass: 0.5\n"
                "# allow:                                      # pairs that may touch\n"
                "#   - [%s, table]\n",
                berth_robot_link(robot, 0).name);
}

// ---- conversion ----------------------------------------------------------------------------------------------

static bool put_shape(Text* text, const BerthShape* shape) {
    const char* name = berth_shape_name(shape->kind);
    double radius = 0.0, length = 0.0;

    switch (shape->kind) {
    case BERTH_SPHERE:
        text_puts(text, "sphere: {radius: ");
        text_number(text, shape->as.sphere.radius);
        text_puts(text, "}");
        return true;
    case BERTH_BOX: {
        const BerthVec3 half = shape->as.box.half;
        text_puts(text, "box: {size: ");
        text_triple(text, (BerthVec3){2 * half.x, 2 * half.y, 2 * half.z});
        text_puts(text, "}");
        return true;
    }
    case BERTH_HALFSPACE:
        text_puts(text, "halfspace: {normal: ");
        text_triple(text, shape->as.halfspace.normal);
        text_puts(text, ", offset: ");
        text_number(text, shape->as.halfspace.offset);
        text_puts(text, "}");
        return true;
    case BERTH_CAPSULE:
        radius = shape->as.capsule.radius;
        length = shape->as.capsule.length;
        break;
    case BERTH_CYLINDER:
        radius = shape->as.cylinder.radius;
        length = shape->as.cylinder.length;
        break;
    case BERTH_CONE:
        radius = shape->as.cone.radius;
        length = shape->as.cone.length;
        break;
    default:
        return false;
    }

    text_printf(text, "%s: {radius: ", name);
    text_number(text, radius);
    text_puts(text, ", length: ");
    text_number(text, length);
    text_puts(text, "}");
    return true;
}

static void put_attachment(Text* text, const BerthScene* scene, const BerthObjectInfo* object) {
    if (object->robot < 0 || object->link < 0) {
        return;
    }

    const BerthRobot* robot = berth_scene_robot(scene, object->robot, NULL, NULL);
    put_named(text, "    attach: ", berth_robot_link(robot, object->link).name);

    bool first = true;
    for (int32_t i = 0; i < berth_scene_exception_count(scene); ++i) {
        char a[1024], b[1024];
        bool touch = false;
        if (berth_scene_exception(scene, i, a, b, sizeof a, &touch) == BERTH_OK && touch &&
            strcmp(a, object->name) == 0) {
            text_puts(text, first ? "    touch: [" : ", ");
            text_quoted(text, b);
            first = false;
        }
    }

    text_puts(text, first ? "" : "]\n");
}

// The key that defines a part: its shape, or the mesh file that new_write_mesh will write.
static bool put_solid_key(Text* text, const BerthSolid* solid, const char* mesh_stem, int32_t* mesh_count) {
    if (berth_solid_mesh(solid) == NULL) {
        const BerthShape* shape = berth_solid_shape(solid);
        return shape != NULL && put_shape(text, shape);
    }

    Text file = {0};
    text_printf(&file, "%s_%d.obj", mesh_stem, (int)++*mesh_count);
    text_puts(text, "mesh: {file: ");
    text_quoted(text, file.failed ? "" : file.data);
    text_puts(text, "}");
    text->failed = text->failed || file.failed;
    text_free(&file);
    return true;
}

static bool put_object(Text* text, const BerthScene* scene, BerthObjectId id, const char* mesh_stem,
                       int32_t* mesh_count) {
    BerthObjectInfo object;
    if (berth_scene_object(scene, id, &object) != BERTH_OK) {
        return true;
    }

    put_named(text, "  - name: ", object.name);
    const bool has_parts = object.part_count > 1;
    text_puts(text, has_parts ? "    parts:\n" : "");

    bool known = true;
    for (int32_t part = 0; known && part < object.part_count; ++part) {
        BerthPose object_from_part;
        const BerthSolid* solid = berth_scene_object_part(scene, id, part, &object_from_part);
        text_puts(text, has_parts ? "      - " : "    ");
        known = put_solid_key(text, solid, mesh_stem, mesh_count);

        text_puts(text, has_parts ? "\n        " : "\n    ");
        const BerthPose whole = berth_pose_multiply(&object.pose, &object_from_part);
        put_pose(text, has_parts ? &object_from_part : &whole);
        text_puts(text, "\n");
    }

    if (has_parts) {
        text_puts(text, "    ");
        put_pose(text, &object.pose);
        text_puts(text, "\n");
    }
    put_attachment(text, scene, &object);
    return known;
}

static void put_allowed_pair(Text* text, const char* a, const char* b) {
    text_puts(text, "  - [");
    text_quoted(text, a);
    text_puts(text, ", ");
    text_quoted(text, b);
    text_puts(text, "]\n");
}

bool new_write_converted(Text* text, const BerthScene* scene, const Options* options, const NewNames* names,
                         int32_t* mesh_count) {
    text_puts(text, "# Made by `berth new` from a scene of another format. Metres and radians.\nberth: 1\n");
    put_packages(text, options, names->folder);
    put_robot_head(text, scene, names);
    put_state(text, scene, berth_scene_values(scene));

    *mesh_count = 0;
    bool known = true;

    for (int32_t i = 0; known && i < berth_scene_object_count(scene); ++i) {
        text_puts(text, i == 0 ? "objects:\n" : "");
        known = put_object(text, scene, berth_scene_object_at(scene, i), names->mesh_stem, mesh_count);
    }

    bool first = true;
    for (int32_t i = 0; i < berth_scene_exception_count(scene); ++i) {
        char a[1024], b[1024];
        bool touch = false;
        if (berth_scene_exception(scene, i, a, b, sizeof a, &touch) == BERTH_OK && !touch) {
            text_puts(text, first ? "allow:\n" : "");
            first = false;
            put_allowed_pair(text, a, b);
        }
    }

    return known;
}

void new_write_mesh(Text* text, const BerthScene* scene, int32_t wanted) {
    int32_t mesh_index = 0;

    for (int32_t i = 0; i < berth_scene_object_count(scene); ++i) {
        const BerthObjectId id = berth_scene_object_at(scene, i);
        const BerthSolid* solid = NULL;
        for (int32_t part = 0; (solid = berth_scene_object_part(scene, id, part, NULL)) != NULL; ++part) {
            const BerthMesh* mesh = berth_solid_mesh(solid);
            if (mesh == NULL || mesh_index++ != wanted) {
                continue;
            }

            const BerthMeshInfo info = berth_mesh_info(mesh);
            const BerthVec3* vertices = berth_mesh_vertices(mesh);
            const int32_t* triangles = berth_mesh_triangles(mesh);
            text_puts(text, "# made by berth new\n");

            for (int32_t v = 0; v < info.vertex_count; ++v) {
                text_puts(text, "v ");
                text_number(text, vertices[v].x);
                text_puts(text, " ");
                text_number(text, vertices[v].y);
                text_puts(text, " ");
                text_number(text, vertices[v].z);
                text_puts(text, "\n");
            }

            for (int32_t t = 0; t < info.triangle_count; ++t) {
                text_printf(text, "f %d %d %d\n", (int)triangles[3 * t] + 1, (int)triangles[3 * t + 1] + 1,
                            (int)triangles[3 * t + 2] + 1);
            }
        }
    }
}
