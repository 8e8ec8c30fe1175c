// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// URDF: one <joint>.
// Entry: bi_urdf_read_joint.

#include <string.h>

#include "io/robot/urdf.h"

// Numbers that are no lengths and no angles: efforts, velocities, multipliers. The most a file needs is far below.
#define NUMBER_MAX 1e30

static BerthStatus read_type(const XmlFile* file, const XmlNode* node, BerthJointType* type) {
    static const struct {
        const char* name;
        BerthJointType type;
    } types[] = {{"revolute", BERTH_JOINT_REVOLUTE},   {"continuous", BERTH_JOINT_CONTINUOUS},
                 {"prismatic", BERTH_JOINT_PRISMATIC}, {"fixed", BERTH_JOINT_FIXED},
                 {"floating", BERTH_JOINT_FLOATING},   {"planar", BERTH_JOINT_PLANAR}};

    const char* text = NULL;
    const BerthStatus status = bi_xml_text(file, node, "type", &text);
    if (status != BERTH_OK) {
        return status;
    }

    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        if (strcmp(text, types[i].name) == 0) {
            *type = types[i].type;
            return BERTH_OK;
        }
    }

    return bi_xml_fail(file, node, BERTH_ERR_PARSE,
                       "type=\"%.60s\": must be revolute, continuous, prismatic, fixed, floating or planar",
                       text);
}

static BerthStatus read_joint_end(RobotRead* read, const XmlNode* node, const char* which, int32_t* link) {
    const XmlNode* end = NULL;
    const char* name = NULL;
    BerthStatus status = bi_xml_only_child(&read->urdf, node, which, true, &end);
    if (status == BERTH_OK) {
        status = bi_xml_text(&read->urdf, end, "link", &name);
    }
    if (status != BERTH_OK) {
        return status;
    }

    *link = bi_robot_builder_find_link(read->builder, name);
    if (*link < 0) {
        return bi_xml_fail(&read->urdf, end, BERTH_ERR_PARSE, "there is no link '%.200s'", name);
    }
    return BERTH_OK;
}

static BerthStatus read_axis(const XmlFile* file, const XmlNode* node, BerthJointDef* def) {
    const XmlNode* axis = NULL;
    BerthStatus status = bi_xml_only_child(file, node, "axis", false, &axis);
    if (status != BERTH_OK || axis == NULL) {
        return status;
    }

    double xyz[3] = {1, 0, 0};
    status = bi_xml_numbers(file, axis, "xyz", false, 3, NUMBER_MAX, xyz);
    if (status != BERTH_OK) {
        return status;
    }

    const bool zero = xyz[0] == 0.0 && xyz[1] == 0.0 && xyz[2] == 0.0;
    if (zero && def->type != BERTH_JOINT_FIXED && def->type != BERTH_JOINT_FLOATING) {
        return bi_xml_fail(file, axis, BERTH_ERR_PARSE,
                           "xyz=\"%.60s\": the axis of a joint that moves cannot be zero",
                           bi_xml_value(axis, "xyz"));
    }

    def->axis = v3(xyz[0], xyz[1], xyz[2]);
    return BERTH_OK;
}

static BerthStatus read_limit(RobotRead* read, const XmlNode* node, BerthJointDef* def) {
    const XmlFile* file = &read->urdf;
    const bool needed = def->type == BERTH_JOINT_REVOLUTE || def->type == BERTH_JOINT_PRISMATIC;
    const XmlNode* limit = NULL;
    BerthStatus status = bi_xml_only_child(file, node, "limit", false, &limit);
    if (status != BERTH_OK) {
        return status;
    }

    if (limit == NULL && needed) {
        const bool revolute = def->type == BERTH_JOINT_REVOLUTE;
        return bi_xml_fail(file, node, BERTH_ERR_PARSE, "has no <limit>: %s joints need one%s",
                           revolute ? "revolute" : "prismatic", revolute ? " (continuous ones do not)" : "");
    }
    if (limit == NULL) {
        return BERTH_OK;
    }

    const struct {
        const char* name;
        double* out;
    } fields[] = {{"lower", &def->lower},
                  {"upper", &def->upper},
                  {"velocity", &def->velocity},
                  {"effort", &def->effort}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && status == BERTH_OK; ++i) {
        status = bi_xml_numbers(file, limit, fields[i].name, false, 1, NUMBER_MAX, fields[i].out);
    }
    if (status != BERTH_OK) {
        return status;
    }

    if (def->velocity < 0.0 || def->effort < 0.0) {
        return bi_xml_fail(file, limit, BERTH_ERR_PARSE, "velocity %g, effort %g: must not be negative",
                           def->velocity, def->effort);
    }

    if (!needed) {
        return BERTH_OK;
    }
    if (def->lower > def->upper) {
        return bi_xml_fail(file, limit, BERTH_ERR_PARSE, "lower limit %g is above upper limit %g", def->lower,
                           def->upper);
    }
    if (bi_xml_value(limit, "lower") == NULL && bi_xml_value(limit, "upper") == NULL) {
        bi_xml_warn(&read->urdf, limit, "has neither lower nor upper: both are 0, the joint cannot move");
    }

    def->has_limits = true;
    return BERTH_OK;
}

static BerthStatus read_mimic(const XmlFile* file, const XmlNode* node, BerthJointDef* def) {
    const XmlNode* mimic = NULL;
    BerthStatus status = bi_xml_only_child(file, node, "mimic", false, &mimic);
    if (status != BERTH_OK || mimic == NULL) {
        return status;
    }

    status = bi_xml_text(file, mimic, "joint", &def->mimic);
    if (status == BERTH_OK) {
        status = bi_xml_numbers(file, mimic, "multiplier", false, 1, NUMBER_MAX, &def->mimic_multiplier);
    }
    if (status == BERTH_OK) {
        status = bi_xml_numbers(file, mimic, "offset", false, 1, NUMBER_MAX, &def->mimic_offset);
    }
    return status;
}

static BerthStatus read_joint_name(const RobotRead* read, const XmlNode* node, BerthJointDef* def) {
    const BerthStatus status = bi_xml_text(&read->urdf, node, "name", &def->name);
    if (status != BERTH_OK) {
        return status;
    }

    const int32_t other = bi_robot_builder_find_joint(read->builder, def->name);
    if (other >= 0) {
        return bi_xml_fail(&read->urdf, node, BERTH_ERR_PARSE,
                           "there are two joints of this name (first in line %d)",
                           read->joint_nodes[other]->line);
    }
    return BERTH_OK;
}

static BerthStatus read_joint_def(RobotRead* read, const XmlNode* node, BerthJointDef* def) {
    BerthStatus status = read_joint_name(read, node, def);
    if (status == BERTH_OK) {
        status = read_type(&read->urdf, node, &def->type);
    }
    if (status == BERTH_OK) {
        status = read_joint_end(read, node, "parent", &def->parent_link);
    }
    if (status == BERTH_OK) {
        status = read_joint_end(read, node, "child", &def->child_link);
    }

    if (status == BERTH_OK) {
        status = bi_urdf_read_origin(&read->urdf, node, &def->parent_from_joint);
    }
    if (status == BERTH_OK) {
        status = read_axis(&read->urdf, node, def);
    }
    if (status == BERTH_OK) {
        status = read_limit(read, node, def);
    }
    return status == BERTH_OK ? read_mimic(&read->urdf, node, def) : status;
}

BerthStatus bi_urdf_read_joint(RobotRead* read, const XmlNode* node) {
    static const char* const known[] = {
        "parent", "child", "origin", "axis", "limit", "mimic", "dynamics", "calibration", "safety_controller",
        NULL};

    BerthJointDef def = berth_default_joint_def();
    BerthStatus status = read_joint_def(read, node, &def);
    if (status != BERTH_OK) {
        return status;
    }

    bi_urdf_warn_unknown(read, node, known);
    int32_t joint = -1;
    status = berth_robot_add_joint(read->builder, &def, &joint);
    if (status != BERTH_OK) {
        return bi_xml_fail_prefix(&read->urdf, node, status);
    }

    const XmlNode** grown = bi_arena_grow(read->arena, (void*)read->joint_nodes, (size_t)joint,
                                          (size_t)joint + 1, &read->joint_capacity, sizeof(XmlNode*));
    if (grown == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", read->urdf.path);
    }

    read->joint_nodes = grown;
    read->joint_nodes[joint] = node;
    return BERTH_OK;
}
