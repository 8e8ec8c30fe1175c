// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The contents of a scene or robot, as JSON. docs/reference/commands.md lists the keys.
// Entry: info_scene_json.

#include <math.h>

#include "cli/info/info.h"

static void json_map(Json* json, const BerthCellsInfo* cells) {
    json_key_open(json, "map", '{');
    json_key_int(json, "dimensions", cells->dim);
    json_key_number(json, "resolution", cells->resolution);
    json_key_int(json, "occupied", (int64_t)cells->occupied);
    json_key_int(json, "unknown", (int64_t)cells->unknown);
    json_key_text(json, "unknown_is", cells->unknown_is_free ? "free" : "occupied");
    json_key_text(json, "outside_is", cells->outside_is_free ? "free" : "occupied");
    json_key_vec3(json, "low", cells->low);
    json_key_vec3(json, "high", cells->high);
    json_close(json, '}');
}

static void json_solid(Json* json, const BerthSolid* solid, const char* source) {
    json_open(json, '{');
    json_key_text(json, "kind", info_solid_kind(solid));
    json_key_text(json, "source", source);

    const BerthMesh* mesh = berth_solid_mesh(solid);
    if (mesh != NULL) {
        const BerthMeshInfo info = berth_mesh_info(mesh);
        BerthCellsInfo cells;
        if (berth_solid_point_count(solid) > 0) {
            json_key_int(json, "points", berth_solid_point_count(solid));
        } else {
            json_key_int(json, "triangles", info.triangle_count);
            json_key_bool(json, "watertight", info.watertight);
            json_key_bool(json, "convex", info.convex);
        }
        if (berth_solid_cells(solid, &cells)) {
            json_map(json, &cells);
        }
    }

    const BerthShape* shape = mesh == NULL ? berth_solid_shape(solid) : NULL;
    if (shape != NULL && shape->kind == BERTH_HALFSPACE) {
        json_key_vec3(json, "normal", shape->as.halfspace.normal);
        json_key_number(json, "offset", shape->as.halfspace.offset);
    }

    BerthVec3 low, high;
    if (info_solid_box(solid, &low, &high)) {
        json_key_vec3(json, "size", (BerthVec3){high.x - low.x, high.y - low.y, high.z - low.z});
    }

    json_key_int(json, "bytes", (int64_t)berth_solid_bytes(solid));
    json_close(json, '}');
}

// Velocity, acceleration and deceleration limits of a joint for the monitor: from the scene, else from the URDF.
static void json_motion_limits(Json* json, const BerthScene* scene, int32_t robot, int32_t index,
                               const BerthJointInfo* joint) {
    const BerthJointLimit limit = berth_scene_joint_limit(scene, robot, index);
    const double velocity = limit.velocity > 0.0 ? limit.velocity : joint->velocity;

    json_key_open(json, "motion_limits", '{');
    json_key_number(json, "velocity", velocity > 0.0 ? velocity : (double)NAN);
    json_key_number(json, "acceleration", limit.acceleration > 0.0 ? limit.acceleration : (double)NAN);
    json_key_number(json, "deceleration", limit.deceleration > 0.0 ? limit.deceleration : (double)NAN);
    json_close(json, '}');
}

static void json_joint(Json* json, const BerthScene* scene, int32_t robot_index, int32_t index,
                       int32_t first_value) {
    const char* robot_name = "";
    const BerthRobot* robot = berth_scene_robot(scene, robot_index, &robot_name, NULL);
    const BerthJointInfo joint = berth_robot_joint(robot, index);
    char name[512];

    json_open(json, '{');
    json_key_text(json, "name", info_whole_name(scene, robot_name, joint.name, name, sizeof name));
    json_key_text(json, "type", info_joint_type_name(joint.type));

    json_key_open(json, "values", '[');
    for (int32_t i = 0; joint.first_value >= 0 && i < joint.value_count; ++i) {
        berth_scene_value_name(scene, first_value + joint.first_value + i, name, sizeof name);
        json_text(json, name);
    }
    json_close(json, ']');

    json_key(json, "limits");
    if (joint.has_limits) {
        json_open(json, '{');
        json_key_number(json, "lower", joint.lower);
        json_key_number(json, "upper", joint.upper);
        json_key_number(json, "velocity", joint.velocity > 0.0 ? joint.velocity : (double)NAN);
        json_close(json, '}');
    } else {
        json_put_null(json);
    }

    json_motion_limits(json, scene, robot_index, index, &joint);

    json_key(json, "mimic");
    if (joint.mimic >= 0) {
        json_open(json, '{');
        json_key_text(json, "joint",
                      info_whole_name(scene, robot_name, berth_robot_joint(robot, joint.mimic).name, name,
                                      sizeof name));
        json_key_number(json, "multiplier", joint.mimic_multiplier);
        json_key_number(json, "offset", joint.mimic_offset);
        json_close(json, '}');
    } else {
        json_put_null(json);
    }

    const char* parent = joint.parent_link >= 0 ? berth_robot_link(robot, joint.parent_link).name : NULL;
    json_key_text(json, "parent",
                  parent != NULL ? info_whole_name(scene, robot_name, parent, name, sizeof name) : NULL);
    const char* child = berth_robot_link(robot, joint.child_link).name;
    json_key_text(json, "child", info_whole_name(scene, robot_name, child, name, sizeof name));

    json_close(json, '}');
}

static void json_joints(Json* json, const BerthScene* scene) {
    json_key_open(json, "joints", '[');

    int32_t first_value = 0;
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const char* robot_name = "";
        const BerthRobot* robot = berth_scene_robot(scene, r, &robot_name, NULL);
        for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
            json_joint(json, scene, r, i, first_value);
        }
        first_value += berth_robot_value_count(robot);
    }
    json_close(json, ']');

    json_key_open(json, "values", '[');
    for (int32_t i = 0; i < berth_scene_value_count(scene); ++i) {
        char name[512];
        berth_scene_value_name(scene, i, name, sizeof name);
        json_open(json, '{');
        json_key_text(json, "name", name);
        json_key_number(json, "now", berth_scene_values(scene)[i]);
        json_close(json, '}');
    }

    json_close(json, ']');
}

static void json_links(Json* json, const BerthScene* scene) {
    json_key_open(json, "links", '[');
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const char* robot_name = "";
        const BerthRobot* robot = berth_scene_robot(scene, r, &robot_name, NULL);
        for (int32_t i = 0; i < berth_robot_link_count(robot); ++i) {
            const BerthLinkInfo link = berth_robot_link(robot, i);
            char name[512];
            json_open(json, '{');
            json_key_text(json, "name", info_whole_name(scene, robot_name, link.name, name, sizeof name));

            json_key_open(json, "solids", '[');
            for (int32_t k = 0; k < link.solid_count; ++k) {
                BerthPose pose;
                const char* source = NULL;
                const BerthSolid* solid = berth_robot_solid(robot, i, k, &pose, &source);
                json_solid(json, solid, source);
            }

            json_close(json, ']');
            json_close(json, '}');
        }
    }
    json_close(json, ']');
}

static void json_robots(Json* json, const BerthScene* scene) {
    json_key_open(json, "robots", '[');
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const char* robot_name = "";
        BerthPose base;
        const BerthRobot* robot = berth_scene_robot(scene, r, &robot_name, &base);

        json_open(json, '{');
        json_key_text(json, "name",
                      robot_name != NULL && robot_name[0] != '\0' ? robot_name : berth_robot_name(robot));
        json_key_text(json, "model", berth_robot_name(robot));
        json_key_int(json, "values", berth_robot_value_count(robot));
        json_key_number(json, "reach", berth_robot_reach(robot));
        json_key_number(json, "padding", berth_scene_padding(scene, r));
        json_key_vec3(json, "base", base.t);

        json_key_open(json, "states", '[');
        for (int32_t i = 0; i < berth_robot_state_count(robot); ++i) {
            const char* group = NULL;
            const char* state = berth_robot_state_name(robot, i, &group);
            json_open(json, '{');
            json_key_text(json, "name", state);
            json_key_text(json, "group", group);
            json_close(json, '}');
        }
        json_close(json, ']');

        json_key_open(json, "groups", '[');
        for (int32_t i = 0; i < berth_robot_group_count(robot); ++i) {
            const int32_t* joints = NULL;
            int32_t count = 0;
            json_open(json, '{');
            json_key_text(json, "name", berth_robot_group(robot, i, &joints, &count));
            json_key_open(json, "joints", '[');
            for (int32_t k = 0; k < count; ++k) {
                json_text(json, berth_robot_joint(robot, joints[k]).name);
            }
            json_close(json, ']');
            json_close(json, '}');
        }
        json_close(json, ']');

        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_pose(Json* json, const BerthPose* pose) {
    const BerthQuat q = berth_pose_to_quat(pose);
    json_key_vec3(json, "position", pose->t);
    json_key_open(json, "orientation", '[');
    json_number(json, q.x);
    json_number(json, q.y);
    json_number(json, q.z);
    json_number(json, q.w);
    json_close(json, ']');
}

// Every part with its pose on the object, unless the object is one solid at its origin.
static void json_part_list(Json* json, const BerthScene* scene, BerthObjectId id) {
    json_key_open(json, "part_list", '[');
    const BerthSolid* solid = NULL;
    BerthPose object_from_part;
    for (int32_t i = 0; (solid = berth_scene_object_part(scene, id, i, &object_from_part)) != NULL; ++i) {
        json_open(json, '{');
        json_key(json, "solid");
        json_solid(json, solid, "");
        json_pose(json, &object_from_part);
        json_close(json, '}');
    }
    json_close(json, ']');
}

// Whether it may move on its own, and how.
static void json_object_motion(Json* json, const BerthObjectInfo* object) {
    if (object->moving) {
        json_key_open(json, "moving", '{');
        json_key_number(json, "speed", object->speed);
        json_close(json, '}');
    }
    if (object->person) {
        json_key_open(json, "person", '{');
        json_key_number(json, "speed", object->speed);
        json_key_number(json, "intrusion", object->intrusion);
        json_key_number(json, "uncertainty", object->uncertainty);
        json_close(json, '}');
    }
    if (object->mass > 0.0) {
        json_key_number(json, "mass", object->mass);
    }
}

static void json_safety(Json* json, const BerthScene* scene) {
    BerthSafety safety;
    if (!berth_scene_safety(scene, &safety)) {
        return;
    }
    json_key_open(json, "safety", '{');
    json_key_number(json, "period", safety.period);
    json_key_number(json, "latency", safety.latency);
    json_key_number(json, "reaction", safety.reaction);
    json_key_number(json, "silence", safety.silence);
    json_key_number(json, "margin", safety.margin);
    json_key_number(json, "hysteresis", safety.hysteresis);
    json_key_number(json, "noise", safety.noise);
    json_key_number(json, "drift", safety.drift);
    json_close(json, '}');
}

static void json_materials(Json* json, const BerthScene* scene) {
    json_key_open(json, "materials", '[');
    const char* name = NULL;
    BerthMaterial material;

    for (int32_t i = 0; (name = berth_scene_material_name(scene, i)) != NULL; ++i) {
        if (berth_scene_material(scene, name, &material)) {
            json_open(json, '{');
            json_key_text(json, "name", name);
            json_key_number(json, "stiffness", material.stiffness);
            json_key_number(json, "foundation", material.foundation);
            json_key_number(json, "damping", material.damping);
            json_key_number(json, "viscosity", material.viscosity);
            json_key_number(json, "friction", material.friction);
            json_close(json, '}');
        }
    }
    json_close(json, ']');
}

static void json_objects(Json* json, const BerthScene* scene) {
    json_key_open(json, "objects", '[');
    for (int32_t i = 0; i < berth_scene_object_count(scene); ++i) {
        BerthObjectInfo object;
        const BerthObjectId id = berth_scene_object_at(scene, i);
        if (berth_scene_object(scene, id, &object) != BERTH_OK) {
            continue;
        }

        json_open(json, '{');
        json_key_text(json, "name", object.name);
        json_key_int(json, "parts", object.part_count);
        json_key(json, "solid");
        json_solid(json, object.solid, object.source);
        json_pose(json, &object.pose);
        json_part_list(json, scene, id);

        if (object.radius > 0.0) {
            json_key_number(json, "radius", object.radius);
        }
        json_object_motion(json, &object);

        json_key(json, "attached");
        if (object.robot >= 0 && object.link >= 0) {
            const char* robot_name = "";
            const BerthRobot* robot = berth_scene_robot(scene, object.robot, &robot_name, NULL);
            char name[512];
            json_text(json, info_whole_name(scene, robot_name, berth_robot_link(robot, object.link).name,
                                            name, sizeof name));
        } else {
            json_put_null(json);
        }

        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_pair_list(Json* json, const BerthScene* scene) {
    json_key_open(json, "list", '[');

    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const char* robot_name = "";
        const BerthRobot* robot = berth_scene_robot(scene, r, &robot_name, NULL);
        for (int32_t a = 0; a < berth_robot_link_count(robot); ++a) {
            for (int32_t b = a + 1; b < berth_robot_link_count(robot); ++b) {
                const char* reason = NULL;
                const BerthPairRule rule = berth_robot_pair(robot, a, b, &reason);
                if (rule == BERTH_PAIR_NO_GEOMETRY) {
                    continue;
                }

                char name[512];
                json_open(json, '{');
                json_key_text(
                    json, "a",
                    info_whole_name(scene, robot_name, berth_robot_link(robot, a).name, name, sizeof name));
                json_key_text(
                    json, "b",
                    info_whole_name(scene, robot_name, berth_robot_link(robot, b).name, name, sizeof name));
                json_key_text(json, "rule", info_rule_name(rule));
                json_key_text(json, "reason", rule != BERTH_PAIR_CHECKED ? reason : NULL);
                json_close(json, '}');
            }
        }
    }

    json_close(json, ']');
}

static void json_detail(Json* json, BerthAssumed one) {
    json_open(json, '{');
    json_key_text(json, "what", one.what);
    json_key_text(json, "detail", one.detail);
    json_key_int(json, "count", one.count);
    json_close(json, '}');
}

void info_scene_json(Json* json, const BerthScene* scene, const Options* options) {
    json_robots(json, scene);
    json_joints(json, scene);
    json_links(json, scene);
    json_objects(json, scene);
    json_safety(json, scene);
    json_materials(json, scene);

    json_key_int(json, "bodies", berth_scene_body_count(scene));
    const PairCounts counts = info_count_pairs(scene);

    json_key_open(json, "pairs", '{');
    json_key_int(json, "checked", berth_scene_pair_count(scene));
    json_key_open(json, "skipped", '{');
    for (int rule = BERTH_PAIR_NO_GEOMETRY; rule <= BERTH_PAIR_PROVEN; ++rule) {
        json_key_int(json, info_rule_name((BerthPairRule)rule), counts.of_rule[rule]);
    }
    json_close(json, '}');

    if (options->pairs) {
        json_pair_list(json, scene);
    }
    json_close(json, '}');

    json_key_open(json, "assumed", '[');
    for (int32_t i = 0; i < berth_scene_assumed_count(scene); ++i) {
        json_detail(json, berth_scene_assumed(scene, i));
    }
    json_close(json, ']');

    json_key_open(json, "declared", '[');
    for (int32_t i = 0; i < berth_scene_declared_count(scene); ++i) {
        json_detail(json, berth_scene_declared(scene, i));
    }
    json_close(json, ']');
    json_key_int(json, "proven", counts.of_rule[BERTH_PAIR_PROVEN]);
}
