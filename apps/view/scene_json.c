// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The geometry to draw: scene.json and the bytes that it points into.
// Entries: view_open, view_place, view_write_scene.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

bool view_open(View* view, Question* question, const BerthTrajectory* trajectory,
               BerthInterpolation interpolation, const char* title) {
    *view = (View){
        .question = question, .trajectory = trajectory, .interpolation = interpolation, .title = title};

    int32_t most_links = 0;
    for (int32_t r = 0; r < berth_scene_robot_count(question->scene); ++r) {
        const int32_t links = berth_robot_link_count(berth_scene_robot(question->scene, r, NULL, NULL));
        most_links = links > most_links ? links : most_links;
    }
    view->poses = calloc((size_t)berth_scene_body_count(question->scene) + 1, sizeof *view->poses);
    view->link_poses = calloc((size_t)most_links + 1, sizeof *view->link_poses);
    return view->poses != NULL && view->link_poses != NULL;
}

void view_close(View* view) {
    free(view->poses);
    free(view->link_poses);
    view->poses = view->link_poses = NULL;
}

// ---- poses -------------------------------------------------------------------------------------------------------

static BerthPose body_pose(const View* view, const BerthBodyInfo* body) {
    BerthObjectInfo object;
    if (body->object.age == 0) {
        return view->link_poses[body->link];
    }
    if (berth_scene_object(view->question->scene, body->object, &object) != BERTH_OK) {
        return berth_pose_identity();
    }
    return body->robot < 0 ? object.pose : berth_pose_multiply(&view->link_poses[body->link], &object.pose);
}

void view_place(View* view, const double* values) {
    const BerthScene* scene = view->question->scene;
    const int32_t bodies = berth_scene_body_count(scene);
    const int32_t robots = berth_scene_robot_count(scene);

    // Robot -1: objects on their own.
    for (int32_t r = -1; r < robots; ++r) {
        if (r >= 0) {
            BerthPose world_from_base;
            const BerthRobot* robot = berth_scene_robot(scene, r, NULL, &world_from_base);
            berth_robot_link_poses(robot, &world_from_base, values, view->link_poses);
            values += berth_robot_value_count(robot);
        }
        for (int32_t i = 0; i < bodies; ++i) {
            const BerthBodyInfo body = berth_scene_body(scene, i);
            if (body.robot == r) {
                view->poses[i] = body_pose(view, &body);
            }
        }
    }
}

BerthPose view_body_from_guard(View* view, int32_t body, const double* values) {
    const BerthScene* scene = view->question->scene;
    const BerthBodyInfo info = berth_scene_body(scene, body);
    const BerthPose body_from_world = berth_pose_inverse(&view->poses[body]);
    if (info.fixed) {
        return body_from_world;
    }

    for (int32_t r = 0; r < info.robot; ++r) {
        values += berth_robot_value_count(berth_scene_robot(scene, r, NULL, NULL));
    }
    BerthPose world_from_base;
    const BerthRobot* robot = berth_scene_robot(scene, info.robot, NULL, &world_from_base);
    berth_robot_link_poses(robot, &world_from_base, values, view->link_poses);

    // The frame has the axes of the link after the last moving joint.
    int32_t link = info.link;
    int32_t joint = berth_robot_link(robot, link).parent_joint;
    while (joint >= 0 && berth_robot_joint(robot, joint).type == BERTH_JOINT_FIXED) {
        link = berth_robot_joint(robot, joint).parent_link;
        joint = berth_robot_link(robot, link).parent_joint;
    }
    return berth_pose_multiply(&body_from_world, &view->link_poses[link]);
}

static void json_pose_numbers(Json* json, const BerthPose* pose) {
    const double rows[12] = {pose->x.x, pose->y.x, pose->z.x, pose->t.x, pose->x.y, pose->y.y,
                             pose->z.y, pose->t.y, pose->x.z, pose->y.z, pose->z.z, pose->t.z};
    for (int i = 0; i < 12; ++i) {
        json_number(json, rows[i]);
    }
}

void view_json_pose(Json* json, const BerthPose* pose) {
    json_open(json, '[');
    json_pose_numbers(json, pose);
    json_close(json, ']');
}

void view_json_poses(Json* json, const View* view) {
    json_key_open(json, "poses", '[');
    for (int32_t i = 0; i < berth_scene_body_count(view->question->scene); ++i) {
        json_pose_numbers(json, &view->poses[i]);
    }
    json_close(json, ']');
}

bool view_read_pose(const json_t* numbers, BerthPose* out) {
    double v[12];
    if (!json_is_array(numbers) || json_array_size(numbers) != 12) {
        return false;
    }
    for (size_t i = 0; i < 12; ++i) {
        const json_t* number = json_array_get(numbers, i);
        v[i] = json_number_value(number);
        if (!json_is_number(number) || !(fabs(v[i]) <= 1e7)) {
            return false;
        }
    }

    // A page computes in floats: the nearest quaternion turns its result into a rotation again.
    const BerthPose pose = {{v[0], v[4], v[8]}, {v[1], v[5], v[9]}, {v[2], v[6], v[10]}, {v[3], v[7], v[11]}};
    const BerthVec3 columns[3] = {pose.x, pose.y, pose.z};
    for (int i = 0; i < 3; ++i) {
        const BerthVec3 a = columns[i], b = columns[(i + 1) % 3];
        const double length = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
        if (!(fabs(length - 1.0) < 1e-3) || !(fabs(a.x * b.x + a.y * b.y + a.z * b.z) < 1e-3)) {
            return false;
        }
    }
    const double turn = pose.x.x * (pose.y.y * pose.z.z - pose.y.z * pose.z.y) -
                        pose.y.x * (pose.x.y * pose.z.z - pose.x.z * pose.z.y) +
                        pose.z.x * (pose.x.y * pose.y.z - pose.x.z * pose.y.y);
    return turn > 0.0 && berth_pose_from_quat(pose.t, berth_pose_to_quat(&pose), out) == BERTH_OK;
}

// ---- shapes ------------------------------------------------------------------------------------------------------

static int64_t add_vertices(ViewGeometry* geometry, const BerthVec3* points, int32_t count) {
    const int64_t first = (int64_t)(geometry->vertices.size / (3 * sizeof(float)));
    for (int32_t i = 0; i < count; ++i) {
        const float point[3] = {(float)points[i].x, (float)points[i].y, (float)points[i].z};
        text_add(&geometry->vertices, (const char*)point, sizeof point);
    }
    return first;
}

ViewMesh view_add_mesh(ViewGeometry* geometry, const BerthVec3* vertices, int32_t vertex_count,
                       const int32_t* triangles, int32_t triangle_count) {
    const ViewMesh mesh = {.first_vertex = add_vertices(geometry, vertices, vertex_count),
                           .vertex_count = vertex_count,
                           .first_index = (int64_t)(geometry->indices.size / sizeof(uint32_t)),
                           .index_count = 3 * (int64_t)triangle_count};
    text_add(&geometry->indices, (const char*)triangles, 3 * sizeof(uint32_t) * (size_t)triangle_count);
    return mesh;
}

static void json_mesh(Json* json, const ViewMesh* mesh) {
    json_key_text(json, "kind", "mesh");
    json_key_int(json, "first_vertex", mesh->first_vertex);
    json_key_int(json, "vertex_count", mesh->vertex_count);
    json_key_int(json, "first_index", mesh->first_index);
    json_key_int(json, "index_count", mesh->index_count);
}

static void json_triangles(Json* json, ViewGeometry* geometry, const BerthVec3* vertices,
                           int32_t vertex_count, const int32_t* triangles, int32_t triangle_count) {
    const ViewMesh mesh = view_add_mesh(geometry, vertices, vertex_count, triangles, triangle_count);
    json_mesh(json, &mesh);
}

static void json_round(Json* json, double radius, double length) {
    json_key_number(json, "radius", radius);
    json_key_number(json, "length", length);
}

static void json_hull(Json* json, ViewGeometry* geometry, const BerthHull* hull) {
    int32_t vertex_count = 0, face_count = 0;
    const BerthVec3* vertices = berth_hull_vertices(hull, &vertex_count);
    const int32_t* faces = berth_hull_faces(hull, &face_count);
    json_triangles(json, geometry, vertices, vertex_count, faces, face_count);
}

static void json_shape(Json* json, ViewGeometry* geometry, const BerthShape* shape) {
    if (shape->kind == BERTH_HULL) {
        json_hull(json, geometry, shape->as.hull.hull);
        return;
    }
    if (shape->kind == BERTH_TRIANGLE) {
        static const int32_t corners[3] = {0, 1, 2};
        json_triangles(json, geometry, shape->as.triangle.point, 3, corners, 1);
        return;
    }

    json_key_text(json, "kind", berth_shape_name(shape->kind));
    switch (shape->kind) {
    case BERTH_SPHERE:
        json_key_number(json, "radius", shape->as.sphere.radius);
        break;
    case BERTH_CAPSULE:
        json_round(json, shape->as.capsule.radius, shape->as.capsule.length);
        break;
    case BERTH_BOX:
        json_key_vec3(json, "half", shape->as.box.half);
        break;
    case BERTH_CYLINDER:
        json_round(json, shape->as.cylinder.radius, shape->as.cylinder.length);
        break;
    case BERTH_CONE:
        json_round(json, shape->as.cone.radius, shape->as.cone.length);
        break;
    case BERTH_HALFSPACE:
        json_key_vec3(json, "normal", shape->as.halfspace.normal);
        json_key_number(json, "offset", shape->as.halfspace.offset);
        break;
    default:
        break;
    }
}

// Points of a cloud are drawn as cubes of their radius, but large enough to be seen.
static void json_cloud(Json* json, ViewGeometry* geometry, const BerthMesh* mesh, double radius) {
    const BerthMeshInfo info = berth_mesh_info(mesh);
    json_key_text(json, "kind", "cells");
    json_key_int(json, "first_vertex", add_vertices(geometry, berth_mesh_vertices(mesh), info.vertex_count));
    json_key_int(json, "count", info.vertex_count);
    json_key_number(json, "size", fmax(2.0 * radius, 0.004));
}

static void json_solid(Json* json, ViewGeometry* geometry, const BerthSolid* solid, double radius) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    const BerthShape* shape = berth_solid_shape(solid);

    if (berth_solid_point_count(solid) > 0 && mesh != NULL) {
        json_cloud(json, geometry, mesh, radius);
    } else if (mesh != NULL) {
        const BerthMeshInfo info = berth_mesh_info(mesh);
        json_triangles(json, geometry, berth_mesh_vertices(mesh), info.vertex_count,
                       berth_mesh_triangles(mesh), info.triangle_count);
    } else if (shape != NULL) {
        json_shape(json, geometry, shape);
    }
}

static void begin_part(Json* json, int32_t body, const char* layer) {
    json_open(json, '{');
    json_key_int(json, "body", body);
    json_key_text(json, "layer", layer);
    json_key_open(json, "shape", '{');
}

static void end_part(Json* json, const BerthPose* body_from_part, const double* colour) {
    json_close(json, '}');
    json_key(json, "pose");
    view_json_pose(json, body_from_part);
    if (colour != NULL) {
        json_key_values(json, "color", colour, 4);
    }
    json_close(json, '}');
}

void view_json_part(Json* json, ViewGeometry* geometry, int32_t body, const char* layer,
                    const BerthPose* body_from_part, const BerthSolid* solid, double radius,
                    const double* colour) {
    begin_part(json, body, layer);
    json_solid(json, geometry, solid, radius);
    end_part(json, body_from_part, colour);
}

void view_json_mesh_part(Json* json, int32_t body, const char* layer, const BerthPose* body_from_part,
                         const ViewMesh* mesh, const double* colour) {
    begin_part(json, body, layer);
    json_mesh(json, mesh);
    end_part(json, body_from_part, colour);
}

// ---- scene.json --------------------------------------------------------------------------------------------------

static const char* joint_type_name(BerthJointType type) {
    switch (type) {
    case BERTH_JOINT_REVOLUTE:
        return "revolute";
    case BERTH_JOINT_CONTINUOUS:
        return "continuous";
    case BERTH_JOINT_PRISMATIC:
        return "prismatic";
    case BERTH_JOINT_PLANAR:
        return "planar";
    case BERTH_JOINT_FLOATING:
        return "floating";
    default:
        return "fixed";
    }
}

static void json_joint_values(Json* json, const BerthScene* scene, int32_t robot, int32_t first,
                              const BerthJointInfo* joint, const double* values) {
    for (int32_t i = 0; i < joint->value_count; ++i) {
        const int32_t value = first + joint->first_value + i;
        char name[256];
        berth_scene_value_name(scene, value, name, sizeof name);

        json_open(json, '{');
        json_key_text(json, "name", name);
        json_key_int(json, "robot", robot);
        json_key_text(json, "type", joint_type_name(joint->type));
        json_key_number(json, "lower", joint->has_limits ? joint->lower : (double)NAN);
        json_key_number(json, "upper", joint->has_limits ? joint->upper : (double)NAN);
        json_key_number(json, "value", values[value]);
        json_close(json, '}');
    }
}

// In the order of a state, which is that of the joints except for a free base.
static void json_values(Json* json, const View* view) {
    const BerthScene* scene = view->question->scene;
    int32_t first = 0;
    json_key_open(json, "values", '[');

    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
        const int32_t count = berth_robot_value_count(robot);
        for (int32_t next = 0; next < count;) {
            const int32_t before = next;
            for (int32_t j = 0; j < berth_robot_joint_count(robot); ++j) {
                const BerthJointInfo joint = berth_robot_joint(robot, j);
                if (joint.first_value == next && joint.value_count > 0) {
                    json_joint_values(json, scene, r, first, &joint, view->question->values);
                    next += joint.value_count;
                }
            }
            if (next == before) {
                break;  // no joint has this value: impossible
            }
        }
        first += count;
    }
    json_close(json, ']');
}

static void json_named_states(Json* json, const View* view, int32_t robot_index, int32_t first) {
    const BerthScene* scene = view->question->scene;
    const BerthRobot* robot = berth_scene_robot(scene, robot_index, NULL, NULL);
    const size_t count = (size_t)berth_robot_value_count(robot);
    double* values = calloc(count + 1, sizeof *values);

    json_key_open(json, "named_states", '[');
    for (int32_t s = 0; s < berth_robot_state_count(robot) && values != NULL; ++s) {
        const char* group = NULL;
        const char* state = berth_robot_state_name(robot, s, &group);
        char whole[512];
        (void)snprintf(whole, sizeof whole, "%s%s%s", group != NULL ? group : "",
                       group != NULL && group[0] != '\0' ? "/" : "", state);

        // A value that the state does not name keeps an impossible value.
        for (size_t i = 0; i < count; ++i) {
            values[i] = (double)NAN;
        }
        if (berth_robot_named_state(robot, whole, values) != BERTH_OK) {
            continue;
        }
        json_open(json, '{');
        json_key_text(json, "name", whole);
        json_key_open(json, "values", '{');
        for (size_t i = 0; i < count; ++i) {
            char name[256];
            berth_scene_value_name(scene, first + (int32_t)i, name, sizeof name);
            if (isfinite(values[i])) {
                json_key_number(json, name, values[i]);
            }
        }
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
    free(values);
}

// The last link of a chain that has geometry.
bool view_is_tip(const BerthScene* scene, int32_t index) {
    const BerthBodyInfo body = berth_scene_body(scene, index);
    bool is_tip = body.robot >= 0 && body.object.age == 0 && !body.fixed;
    const BerthRobot* robot = is_tip ? berth_scene_robot(scene, body.robot, NULL, NULL) : NULL;
    for (int32_t k = 0; k < berth_scene_body_count(scene) && is_tip; ++k) {
        const BerthBodyInfo other = berth_scene_body(scene, k);
        int32_t link = other.robot == body.robot && other.object.age == 0 && k != index ? other.link : -1;
        while (link >= 0 && is_tip) {
            const int32_t joint = berth_robot_link(robot, link).parent_joint;
            link = joint >= 0 ? berth_robot_joint(robot, joint).parent_link : -1;
            is_tip = link != body.link;
        }
    }
    return is_tip;
}

static void json_tips(Json* json, const BerthScene* scene, int32_t robot) {
    json_key_open(json, "tips", '[');
    for (int32_t i = 0; i < berth_scene_body_count(scene); ++i) {
        if (berth_scene_body(scene, i).robot == robot && view_is_tip(scene, i)) {
            json_int(json, i);
        }
    }
    json_close(json, ']');
}

static void json_robots(Json* json, const View* view) {
    const BerthScene* scene = view->question->scene;
    int32_t first = 0;
    json_key_open(json, "robots", '[');
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const char* name = NULL;
        const BerthRobot* robot = berth_scene_robot(scene, r, &name, NULL);
        json_open(json, '{');
        json_key_text(json, "name", name != NULL && name[0] != '\0' ? name : berth_robot_name(robot));
        json_named_states(json, view, r, first);
        json_tips(json, scene, r);
        json_close(json, '}');
        first += berth_robot_value_count(robot);
    }
    json_close(json, ']');
}

static const char* body_kind(const BerthBodyInfo* body) {
    if (body->object.age == 0) {
        return "link";
    }
    return body->robot >= 0 ? "attached" : "object";
}

// Marks objects that are maps, so that the page can offer functions for maps.
static void json_map(Json* json, const View* view, int32_t body) {
    const ViewField* item = fields_find(view, body);
    if (item != NULL) {
        const BerthFieldInfo info = berth_field_info(item->field);
        json_key_open(json, "map", '{');
        json_key_int(json, "dim", info.dim);
        json_key_number(json, "resolution", info.resolution);
        json_close(json, '}');
    }
}

static void json_bodies(Json* json, const View* view) {
    const BerthScene* scene = view->question->scene;
    json_key_open(json, "bodies", '[');
    for (int32_t i = 0; i < berth_scene_body_count(scene); ++i) {
        const BerthBodyInfo body = berth_scene_body(scene, i);
        json_open(json, '{');
        json_key_text(json, "name", body.name);
        json_key_text(json, "kind", body_kind(&body));

        json_key(json, "robot");
        if (body.robot >= 0) {
            json_int(json, body.robot);
        } else {
            json_put_null(json);
        }
        json_key_bool(json, "moves", !body.fixed);
        json_map(json, view, i);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_link_parts(Json* json, ViewGeometry* geometry, const BerthScene* scene, int32_t index,
                            const BerthBodyInfo* body) {
    const BerthRobot* robot = berth_scene_robot(scene, body->robot, NULL, NULL);
    const int32_t count = berth_robot_link(robot, body->link).solid_count;
    for (int32_t i = 0; i < count; ++i) {
        BerthPose link_from_solid;
        const BerthSolid* solid = berth_robot_solid(robot, body->link, i, &link_from_solid, NULL);
        view_json_part(json, geometry, index, "collision", &link_from_solid, solid, 0.0, NULL);
    }
}

// The walls around a map mean that space outside is not free: they are unbounded and would hide everything.
static bool is_wall_of_map(const BerthScene* scene, BerthObjectId id, int32_t part_count,
                           const BerthSolid* part) {
    const BerthShape* shape = berth_solid_shape(part);
    bool has_cells = false;
    for (int32_t i = 0; i < part_count && shape != NULL && shape->kind == BERTH_HALFSPACE; ++i) {
        BerthPose unused;
        has_cells |= berth_solid_cells(berth_scene_object_part(scene, id, i, &unused), NULL);
    }
    return has_cells;
}

void view_json_object(Json* json, ViewGeometry* geometry, const BerthScene* scene, int32_t index,
                      const BerthBodyInfo* body) {
    BerthObjectInfo object;
    if (berth_scene_object(scene, body->object, &object) != BERTH_OK) {
        return;
    }
    for (int32_t i = 0; i < object.part_count; ++i) {
        BerthPose object_from_part;
        const BerthSolid* solid = berth_scene_object_part(scene, body->object, i, &object_from_part);
        if (solid != NULL && !is_wall_of_map(scene, body->object, object.part_count, solid)) {
            view_json_part(json, geometry, index, "collision", &object_from_part, solid, object.radius, NULL);
        }
    }
}

static void json_parts(Json* json, ViewGeometry* geometry, const View* view) {
    const BerthScene* scene = view->question->scene;
    json_key_open(json, "parts", '[');
    for (int32_t i = 0; i < berth_scene_body_count(scene); ++i) {
        const BerthBodyInfo body = berth_scene_body(scene, i);
        if (body.object.age == 0) {
            json_link_parts(json, geometry, scene, i, &body);
        } else {
            view_json_object(json, geometry, scene, i, &body);
        }
    }

    if (view->visuals != NULL && view->visuals->differ && !view->visuals_later) {
        view_json_visuals(json, geometry, view);
    }
    if (view->spheres != NULL) {
        view_json_spheres(json, geometry, scene, 0, view->spheres);
    }
    json_close(json, ']');
}

static void json_trajectory(Json* json, const View* view) {
    const BerthTrajectory* trajectory = view->trajectory;
    json_key(json, "trajectory");
    if (trajectory == NULL) {
        json_put_null(json);
        return;
    }

    json_open(json, '{');
    json_key(json, "times");
    if (trajectory->times != NULL) {
        json_open(json, '[');
        for (int32_t i = 0; i < trajectory->row_count; ++i) {
            json_number(json, trajectory->times[i]);
        }
        json_close(json, ']');
    } else {
        json_put_null(json);
    }

    json_key_open(json, "rows", '[');
    for (int32_t i = 0; i < trajectory->row_count; ++i) {
        json_open(json, '[');
        for (int32_t k = 0; k < trajectory->value_count; ++k) {
            json_number(json, trajectory->positions[(size_t)i * (size_t)trajectory->value_count + (size_t)k]);
        }
        json_close(json, ']');
    }
    json_close(json, ']');
    json_key_text(json, "interpolation", berth_interpolation_name(view->interpolation));
    json_close(json, '}');
}

static void json_warnings(Json* json, const Warnings* warnings) {
    json_key_open(json, "warnings", '[');
    const char* line = warnings->kept.data;
    for (int i = 0; i < warnings->count && line != NULL && line < warnings->kept.data + warnings->kept.size;
         ++i) {
        json_text(json, line);
        line += strlen(line) + 1;
    }
    json_close(json, ']');
}

void view_write_scene(const View* view, Text* text, ViewGeometry* geometry) {
    const BerthScene* scene = view->question->scene;
    const double* values = view->question->values;
    Json json = json_writer(text);

    json_open(&json, '{');
    json_key_text(&json, "version", berth_version());
    json_key_text(&json, "title", view->title);
    json_values(&json, view);
    json_robots(&json, view);
    json_bodies(&json, view);
    json_parts(&json, geometry, view);
    json_trajectory(&json, view);
    json_key_bool(&json, "live", view->live);

    int32_t outside = 0;
    (void)berth_scene_check_values(scene, values, &outside, NULL);
    cli_json_assumed(&json, scene, BERTH_MOVING_STAND, outside, 0,
                     berth_scene_proven_count(scene, values, values, 0.0));
    json_warnings(&json, &view->question->warnings);

    json_key_open(&json, "later", '[');
    if (view->visuals != NULL && view->visuals->differ && view->visuals_later) {
        json_text(&json, "visual");
    }
    json_close(&json, ']');
    view_json_geometry(&json, geometry);
    json_close(&json, '}');
}

void view_json_geometry(Json* json, const ViewGeometry* geometry) {
    json_key_open(json, "geometry", '{');
    json_key_int(json, "vertices", (int64_t)(geometry->vertices.size / (3 * sizeof(float))));
    json_key_int(json, "indices", (int64_t)(geometry->indices.size / sizeof(uint32_t)));
    json_close(json, '}');
}

void view_join_geometry(ViewGeometry* geometry, Text* out) {
    *out = geometry->vertices;
    if (geometry->indices.size > 0) {
        text_add(out, geometry->indices.data, geometry->indices.size);
    }
    out->failed |= geometry->indices.failed;
    text_free(&geometry->indices);
    *geometry = (ViewGeometry){0};
}
