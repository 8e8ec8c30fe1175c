// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Facts about robots and scenes that both forms of `berth info` print.

#include <string.h>

#include "cli/info/info.h"

const char* info_rule_name(BerthPairRule rule) {
    switch (rule) {
    case BERTH_PAIR_CHECKED:
        return "checked";
    case BERTH_PAIR_NO_GEOMETRY:
        return "no_geometry";
    case BERTH_PAIR_RIGID:
        return "rigid";
    case BERTH_PAIR_ADJACENT:
        return "adjacent";
    case BERTH_PAIR_ALWAYS_OVERLAP:
        return "always_overlap";
    case BERTH_PAIR_DISABLED:
        return "disabled";
    case BERTH_PAIR_PROVEN:
        return "proven";
    }
    return "checked";
}

const char* info_joint_type_name(BerthJointType type) {
    static const char* const names[] = {"fixed", "revolute", "continuous", "prismatic", "floating", "planar"};
    return type <= BERTH_JOINT_PLANAR ? names[type] : "unknown";
}

const char* info_whole_name(const BerthScene* scene, const char* robot, const char* name, char* text,
                            size_t size) {
    if (berth_scene_robot_count(scene) > 1) {
        (void)snprintf(text, size, "%s/%s", robot, name);
    } else {
        (void)snprintf(text, size, "%s", name);
    }
    return text;
}

PairCounts info_count_pairs(const BerthScene* scene) {
    PairCounts counts = {{0}};
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
        for (int32_t b = 1; b < berth_robot_link_count(robot); ++b) {
            for (int32_t a = 0; a < b; ++a) {
                const BerthPairRule rule = berth_robot_pair(robot, a, b, NULL);
                counts.of_rule[rule] += 1;
            }
        }
    }
    return counts;
}

const char* info_solid_kind(const BerthSolid* solid) {
    const BerthShape* shape = berth_solid_shape(solid);
    if (berth_solid_cells(solid, NULL)) {
        return "map";
    }
    if (berth_solid_point_count(solid) > 0) {
        return "points";
    }
    if (berth_solid_mesh(solid) != NULL) {
        return "mesh";
    }
    return shape != NULL ? berth_shape_name(shape->kind) : "unknown";
}

static bool shape_half_size(const BerthShape* shape, BerthVec3* half) {
    switch (shape->kind) {
    case BERTH_SPHERE:
        *half = (BerthVec3){shape->as.sphere.radius, shape->as.sphere.radius, shape->as.sphere.radius};
        return true;
    case BERTH_CAPSULE:
        *half = (BerthVec3){shape->as.capsule.radius, shape->as.capsule.radius,
                            shape->as.capsule.radius + shape->as.capsule.length / 2};
        return true;
    case BERTH_BOX:
        *half = shape->as.box.half;
        return true;
    case BERTH_CYLINDER:
        *half =
            (BerthVec3){shape->as.cylinder.radius, shape->as.cylinder.radius, shape->as.cylinder.length / 2};
        return true;
    case BERTH_CONE:
        *half = (BerthVec3){shape->as.cone.radius, shape->as.cone.radius, shape->as.cone.length / 2};
        return true;
    default:
        return false;
    }
}

bool info_solid_box(const BerthSolid* solid, BerthVec3* low, BerthVec3* high) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    if (mesh != NULL) {
        const BerthMeshInfo info = berth_mesh_info(mesh);
        *low = info.low;
        *high = info.high;
        return true;
    }

    const BerthShape* shape = berth_solid_shape(solid);
    BerthVec3 half;
    if (shape == NULL || !shape_half_size(shape, &half)) {
        return false;
    }

    *low = (BerthVec3){-half.x, -half.y, -half.z};
    *high = half;
    return true;
}
