// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The contents of a scene or robot, for people.
// Entry: info_scene_text.

#include <math.h>
#include <string.h>

#include "cli/info/info.h"

static void put_value(Text* text, const BerthScene* scene, const BerthJointInfo* joint, int32_t value) {
    char name[512];
    berth_scene_value_name(scene, value, name, sizeof name);
    text_printf(text, "    %3d  %-34s %-10s", (int)value, name, info_joint_type_name(joint->type));
    if (joint->has_limits && joint->value_count == 1) {
        text_printf(text, " %8.4g .. %-8.4g", joint->lower, joint->upper);
    } else {
        text_printf(text, " %-20s", "no limits");
    }
    text_printf(text, "  now %.4g\n", berth_scene_values(scene)[value]);
}

static void put_joints(Text* text, const BerthScene* scene, const BerthRobot* robot, int32_t first_value) {
    text_puts(text, "  values, in the order that states have them:\n");
    for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
        const BerthJointInfo joint = berth_robot_joint(robot, i);
        for (int32_t k = 0; joint.first_value >= 0 && k < joint.value_count; ++k) {
            put_value(text, scene, &joint, first_value + joint.first_value + k);
        }
    }

    for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
        const BerthJointInfo joint = berth_robot_joint(robot, i);
        if (joint.mimic >= 0) {
            text_printf(text, "         %s follows %s: %.4g * it %+.4g\n", joint.name,
                        berth_robot_joint(robot, joint.mimic).name, joint.mimic_multiplier,
                        joint.mimic_offset);
        }
    }
}

// The file's name without its folders.
static const char* source_name(const char* source) {
    if (source == NULL) {
        return "mesh";
    }
    const char* slash = strrchr(source, '/');
    return slash != NULL ? slash + 1 : source;
}

static const char* closed_text(const BerthMeshInfo* info) {
    if (!info->watertight) {
        return "OPEN";
    }
    return info->convex ? "closed, convex" : "closed";
}

static void put_solid(Text* text, const char* name, const BerthSolid* solid, const char* source) {
    const BerthMesh* mesh = berth_solid_mesh(solid);

    text_printf(text, "    %-28s ", name);
    BerthVec3 low = {0, 0, 0}, high = {0, 0, 0};
    const bool boxed = info_solid_box(solid, &low, &high);

    if (mesh != NULL) {
        const BerthMeshInfo info = berth_mesh_info(mesh);
        BerthCellsInfo cells;
        text_printf(text, "%s, ", source_name(source));
        if (berth_solid_cells(solid, &cells)) {
            text_printf(text, "%d-D map, cells of %.4g m: %llu occupied, %llu unknown (%s), %d triangles, ",
                        (int)cells.dim, cells.resolution, (unsigned long long)cells.occupied,
                        (unsigned long long)cells.unknown, cells.unknown_is_free ? "free" : "occupied",
                        (int)info.triangle_count);
        } else if (berth_solid_point_count(solid) > 0) {
            text_printf(text, "%d points, ", (int)berth_solid_point_count(solid));
        } else {
            text_printf(text, "%d triangles, %s, ", (int)info.triangle_count, closed_text(&info));
        }
    } else {
        text_printf(text, "%s%s", info_solid_kind(solid), boxed ? ", " : "");
    }

    if (boxed) {
        text_printf(text, "%.3g x %.3g x %.3g m", high.x - low.x, high.y - low.y, high.z - low.z);
    }
    if (mesh != NULL) {
        text_printf(text, ", %zu kB", (berth_solid_bytes(solid) + 500) / 1000);
    }

    text_puts(text, "\n");
}

static void put_link_solids(Text* text, const BerthRobot* robot) {
    text_puts(text, "  links with geometry:\n");
    for (int32_t i = 0; i < berth_robot_link_count(robot); ++i) {
        const BerthLinkInfo link = berth_robot_link(robot, i);
        for (int32_t k = 0; k < link.solid_count; ++k) {
            BerthPose pose;
            const char* source = NULL;
            const BerthSolid* solid = berth_robot_solid(robot, i, k, &pose, &source);
            put_solid(text, k == 0 ? link.name : "", solid, source);
        }
    }
}

static void put_states_and_groups(Text* text, const BerthRobot* robot) {
    if (berth_robot_group_count(robot) > 0) {
        text_puts(text, "  groups:");
        for (int32_t i = 0; i < berth_robot_group_count(robot); ++i) {
            const int32_t* joints = NULL;
            int32_t count = 0;
            const char* name = berth_robot_group(robot, i, &joints, &count);
            text_printf(text, "%s %s (%d joints)", i > 0 ? "," : "", name, (int)count);
        }
        text_puts(text, "\n");
    }

    if (berth_robot_state_count(robot) > 0) {
        text_puts(text, "  states:");
        for (int32_t i = 0; i < berth_robot_state_count(robot); ++i) {
            const char* group = NULL;
            const char* name = berth_robot_state_name(robot, i, &group);
            text_printf(text, "%s %s%s%s", i > 0 ? "," : "", group != NULL ? group : "",
                        group != NULL ? "/" : "", name);
        }
        text_puts(text, "\n");
    }
}

static void put_robot(Text* text, const BerthScene* scene, int32_t index, int32_t first_value) {
    const char* name = "";
    const BerthRobot* robot = berth_scene_robot(scene, index, &name, NULL);
    const double reach = berth_robot_reach(robot);
    text_printf(text, "robot %s%s%s%s: %d links, %d joints, %d values, reach ", berth_robot_name(robot),
                name != NULL && name[0] != '\0' ? " as '" : "", name != NULL ? name : "",
                name != NULL && name[0] != '\0' ? "'" : "", (int)berth_robot_link_count(robot),
                (int)berth_robot_joint_count(robot), (int)berth_robot_value_count(robot));

    if (isfinite(reach)) {
        text_length(text, reach);
        text_puts(text, "\n");
    } else {
        text_puts(text, "without bound\n");
    }

    put_joints(text, scene, robot, first_value);
    put_link_solids(text, robot);
    put_states_and_groups(text, robot);
}

static void put_objects(Text* text, const BerthScene* scene) {
    const int32_t count = berth_scene_object_count(scene);
    if (count > 0) {
        text_printf(text, "objects: %d\n", (int)count);
    }

    for (int32_t i = 0; i < count; ++i) {
        BerthObjectInfo object;
        if (berth_scene_object(scene, berth_scene_object_at(scene, i), &object) == BERTH_OK) {
            put_solid(text, object.name, object.solid, object.source);

            if (object.radius > 0.0) {
                text_printf(text, "    %-28s with a radius of %.4g m\n", "", object.radius);
            }
            if (object.part_count > 1) {
                text_printf(text, "    %-28s and %d more parts\n", "", (int)object.part_count - 1);
            }
            if (object.moving || object.person) {
                text_printf(text, "    %-28s %s, at most %.4g m/s\n", "",
                            object.person ? "a person" : "may move on its own", object.speed);
            }
            if (object.robot >= 0 && object.link >= 0) {
                const BerthRobot* robot = berth_scene_robot(scene, object.robot, NULL, NULL);
                text_printf(text, "    %-28s attached to %s\n", "",
                            berth_robot_link(robot, object.link).name);
            }
        }
    }
}

static void put_pair_list(Text* text, const BerthScene* scene) {
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
        for (int32_t a = 0; a < berth_robot_link_count(robot); ++a) {
            for (int32_t b = a + 1; b < berth_robot_link_count(robot); ++b) {
                const char* reason = NULL;
                const BerthPairRule rule = berth_robot_pair(robot, a, b, &reason);
                if (rule != BERTH_PAIR_NO_GEOMETRY) {
                    const bool why = rule >= BERTH_PAIR_ADJACENT && reason != NULL && reason[0] != '\0';
                    text_printf(text, "    %s - %s: %s%s%s%s\n", berth_robot_link(robot, a).name,
                                berth_robot_link(robot, b).name, info_rule_name(rule), why ? " (" : "",
                                why ? reason : "", why ? ")" : "");
                }
            }
        }
    }
}

void info_scene_text(Text* text, const BerthScene* scene, const Options* options) {
    int32_t first_value = 0;
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        put_robot(text, scene, r, first_value);
        first_value += berth_robot_value_count(berth_scene_robot(scene, r, NULL, NULL));
    }

    put_objects(text, scene);

    const PairCounts counts = info_count_pairs(scene);
    text_printf(
        text,
        "pairs: %d of %d bodies are checked, %d of them proven apart within joint limits; of pairs of links "
        "%d "
        "are disabled, %d neighbours, %d always overlap, %d are rigidly joined, %d have no geometry\n",
        (int)berth_scene_pair_count(scene), (int)berth_scene_body_count(scene),
        (int)counts.of_rule[BERTH_PAIR_PROVEN], (int)counts.of_rule[BERTH_PAIR_DISABLED],
        (int)counts.of_rule[BERTH_PAIR_ADJACENT], (int)counts.of_rule[BERTH_PAIR_ALWAYS_OVERLAP],
        (int)counts.of_rule[BERTH_PAIR_RIGID], (int)counts.of_rule[BERTH_PAIR_NO_GEOMETRY]);

    if (options->pairs) {
        put_pair_list(text, scene);
    }

    for (int32_t i = 0; i < berth_scene_declared_count(scene); ++i) {
        text_printf(text, "declared: %s\n", berth_scene_declared(scene, i).detail);
    }
    for (int32_t i = 0; i < berth_scene_assumed_count(scene); ++i) {
        text_printf(text, "assumed: %s\n", berth_scene_assumed(scene, i).detail);
    }
}
