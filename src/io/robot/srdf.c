// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// SRDF: what a URDF does not say. Links and joints that the robot does not have are warnings, because many
// real files name some. Elements of other tools are ignored.
// Entry: bi_srdf_read.

#include <string.h>

#include "io/robot/srdf_proven.h"

// Most values of named states, so that a file cannot make every state name every joint without end.
enum { STATE_VALUE_MAX = 1000000, VIRTUAL_JOINT_MAX = 100 };

// A link by an attribute's name. *link = -1 after a warning when the robot has none of that name.
static BerthStatus read_link_name(RobotRead* read, const XmlNode* node, const char* attribute,
                                  int32_t* link) {
    const char* name = NULL;
    const BerthStatus status = bi_xml_text(&read->srdf, node, attribute, &name);
    if (status != BERTH_OK) {
        return status;
    }

    *link = bi_robot_builder_find_link(read->builder, name);
    if (*link < 0) {
        bi_xml_warn(&read->srdf, node, "%s=\"%.200s\": the robot has no such link; ignored", attribute, name);
    }
    return BERTH_OK;
}

static BerthStatus check_joint_name(RobotRead* read, const XmlNode* node, const char* attribute) {
    const char* name = NULL;
    const BerthStatus status = bi_xml_text(&read->srdf, node, attribute, &name);
    if (status == BERTH_OK && bi_robot_builder_find_joint(read->builder, name) < 0) {
        bi_xml_warn(&read->srdf, node, "%s=\"%.200s\": the robot has no such joint; ignored", attribute,
                    name);
    }
    return status;
}

// ---- pairs ------------------------------------------------------------------------------------------------

static BerthStatus read_pair(RobotRead* read, const XmlNode* node, bool disable) {
    int32_t a = -1, b = -1;
    BerthStatus status = read_link_name(read, node, "link1", &a);
    if (status == BERTH_OK) {
        status = read_link_name(read, node, "link2", &b);
    }
    if (status != BERTH_OK || a < 0 || b < 0) {
        return status;
    }

    if (a == b) {
        bi_xml_warn(&read->srdf, node, "a link with itself is no pair; ignored");
        return BERTH_OK;
    }

    const char* reason = bi_xml_value(node, "reason");
    if (disable) {
        status = berth_robot_disable_pair(read->builder, a, b, reason);
    } else {
        status = berth_robot_enable_pair(read->builder, a, b);
    }
    return status == BERTH_OK ? status : bi_xml_fail_prefix(&read->srdf, node, status);
}

static BerthStatus read_disable_default(RobotRead* read, const XmlNode* node) {
    int32_t link = -1;
    BerthStatus status = read_link_name(read, node, "link", &link);
    if (status == BERTH_OK && link >= 0) {
        status = bi_robot_builder_disable_link(read->builder, link);
        if (status != BERTH_OK) {
            return bi_xml_fail_prefix(&read->srdf, node, status);
        }
    }
    return status;
}

static BerthStatus read_disable(RobotRead* read, const XmlNode* node) {
    return read_pair(read, node, true);
}

static BerthStatus read_enable(RobotRead* read, const XmlNode* node) {
    return read_pair(read, node, false);
}

// ---- the virtual joint ------------------------------------------------------------------------------------

static BerthStatus read_virtual_type(const XmlFile* file, const XmlNode* node, BerthJointType* type) {
    const char* text = NULL;
    const BerthStatus status = bi_xml_text(file, node, "type", &text);
    if (status != BERTH_OK) {
        return status;
    }

    if (strcmp(text, "planar") == 0) {
        *type = BERTH_JOINT_PLANAR;
    } else if (strcmp(text, "floating") == 0) {
        *type = BERTH_JOINT_FLOATING;
    } else if (strcmp(text, "fixed") == 0) {
        *type = BERTH_JOINT_FIXED;
    } else {
        return bi_xml_fail(file, node, BERTH_ERR_PARSE, "type=\"%.60s\": must be fixed, planar or floating",
                           text);
    }
    return BERTH_OK;
}

static bool is_root(const BerthRobotBuilder* builder, int32_t link) {
    for (size_t i = 0; i < builder->joint_count; ++i) {
        if (builder->joints[i].def.child_link == link) {
            return false;
        }
    }
    return true;
}

// Only a planar or floating one that moves the root can be the free base; the first one becomes it.
static BerthStatus try_virtual_joint(RobotRead* read, const XmlNode* node, bool* done) {
    const char* name = NULL;
    const char* parent = NULL;
    int32_t child = -1;
    BerthJointType type = BERTH_JOINT_FIXED;
    BerthStatus status = bi_xml_text(&read->srdf, node, "name", &name);
    if (status == BERTH_OK) {
        status = read_virtual_type(&read->srdf, node, &type);
    }
    if (status == BERTH_OK) {
        status = bi_xml_text(&read->srdf, node, "parent_frame", &parent);
    }
    if (status == BERTH_OK) {
        status = read_link_name(read, node, "child_link", &child);
    }

    const bool moves = type != BERTH_JOINT_FIXED && child >= 0;
    if (status != BERTH_OK || !read->ask->robot.free_base || *done || !moves) {
        return status;
    }
    if (!is_root(read->builder, child)) {
        return bi_xml_fail(&read->srdf, node, BERTH_ERR_PARSE,
                           "a free base is asked for, but child_link=\"%.200s\" is not the robot's root",
                           bi_xml_value(node, "child_link"));
    }

    status = berth_robot_set_free_base(read->builder, name, type);
    *done = status == BERTH_OK;
    return status == BERTH_OK ? status : bi_xml_fail_prefix(&read->srdf, node, status);
}

static BerthStatus read_virtual_joints(RobotRead* read) {
    const XmlNode* root = read->srdf.root;
    bool done = false;
    int32_t count = 0;
    const XmlNode* first_found = NULL;

    for (const XmlNode* node = bi_xml_next(root->first, "virtual_joint"); node != NULL;
         node = bi_xml_next(node->next, "virtual_joint")) {
        if (first_found == NULL) {
            first_found = node;
        }
        if (++count > VIRTUAL_JOINT_MAX) {
            return bi_xml_fail(&read->srdf, node, BERTH_ERR_CAPACITY, "more than %d virtual joints",
                               VIRTUAL_JOINT_MAX);
        }

        const BerthStatus status = try_virtual_joint(read, node, &done);
        if (status != BERTH_OK) {
            return status;
        }
    }

    if (!read->ask->robot.free_base || done) {
        return BERTH_OK;
    }
    return bi_xml_fail(&read->srdf, first_found != NULL ? first_found : root, BERTH_ERR_PARSE,
                       "a free base is asked for, but %s",
                       first_found == NULL
                           ? "there is no <virtual_joint>"
                           : "no <virtual_joint> is planar or floating and moves a link of the robot");
}

static bool is_virtual_joint(const RobotRead* read, const char* name) {
    for (const XmlNode* node = bi_xml_next(read->srdf.root->first, "virtual_joint"); node != NULL;
         node = bi_xml_next(node->next, "virtual_joint")) {
        const char* other = bi_xml_value(node, "name");
        if (other != NULL && strcmp(other, name) == 0) {
            return true;
        }
    }
    return false;
}

// ---- named states -----------------------------------------------------------------------------------------

static BerthStatus read_state_joint(RobotRead* read, const XmlNode* node, int32_t state) {
    const char* name = NULL;
    double values[7];
    int32_t count = 0;
    BerthStatus status = bi_xml_text(&read->srdf, node, "name", &name);
    if (status == BERTH_OK) {
        status = bi_xml_number_list(&read->srdf, node, "value", BI_COORDINATE_MAX, 7, values, &count);
    }
    if (status != BERTH_OK) {
        return status;
    }

    if (count < 1 || count > 7) {
        return bi_xml_fail(&read->srdf, node, BERTH_ERR_PARSE,
                           "value=\"%.60s\": %d numbers, 1 to 7 are needed", bi_xml_value(node, "value"),
                           count);
    }
    if (read->builder->state_value_count >= STATE_VALUE_MAX) {
        return bi_xml_fail(&read->srdf, node, BERTH_ERR_CAPACITY, "more than %d values of named states",
                           STATE_VALUE_MAX);
    }

    // A virtual joint that is not the free base has no values here, and that is no mistake.
    const BerthRobotBuilder* builder = read->builder;
    const bool is_base = builder->base_name != NULL && strcmp(builder->base_name, name) == 0;
    if (!is_base && bi_robot_builder_find_joint(builder, name) < 0) {
        if (!is_virtual_joint(read, name)) {
            bi_xml_warn(&read->srdf, node, "the robot has no such joint; ignored");
        }
        return BERTH_OK;
    }

    status = berth_robot_add_state_value(read->builder, state, name, values, count);
    return status == BERTH_OK ? status : bi_xml_fail_prefix(&read->srdf, node, status);
}

static BerthStatus read_state(RobotRead* read, const XmlNode* node) {
    const char* name = NULL;
    const char* group = NULL;
    int32_t state = -1;
    BerthStatus status = bi_xml_text(&read->srdf, node, "name", &name);
    if (status == BERTH_OK) {
        status = bi_xml_text(&read->srdf, node, "group", &group);
    }
    if (status != BERTH_OK) {
        return status;
    }

    status = berth_robot_add_state(read->builder, group, name, &state);
    if (status != BERTH_OK) {
        return bi_xml_fail_prefix(&read->srdf, node, status);
    }

    for (const XmlNode* joint = bi_xml_next(node->first, "joint"); joint != NULL && status == BERTH_OK;
         joint = bi_xml_next(joint->next, "joint")) {
        status = read_state_joint(read, joint, state);
    }
    return status;
}

// ---- what is only checked -------------------------------------------------------------------------------

static BerthStatus check_end_effector(RobotRead* read, const XmlNode* node) {
    const char* text = NULL;
    int32_t link = -1;
    BerthStatus status = bi_xml_text(&read->srdf, node, "name", &text);
    if (status == BERTH_OK) {
        status = bi_xml_text(&read->srdf, node, "group", &text);
    }
    return status == BERTH_OK ? read_link_name(read, node, "parent_link", &link) : status;
}

static BerthStatus check_passive_joint(RobotRead* read, const XmlNode* node) {
    return check_joint_name(read, node, "name");
}

static BerthStatus check_joint_property(RobotRead* read, const XmlNode* node) {
    return check_joint_name(read, node, "joint_name");
}

// Spheres that other tools use in place of a link. Our answers are about the link's own geometry, so they change
// nothing, not even the single sphere of radius 0 by which those tools leave a link out.
static BerthStatus check_spheres(RobotRead* read, const XmlNode* node) {
    int32_t link = -1;
    BerthStatus status = read_link_name(read, node, "link", &link);
    for (const XmlNode* sphere = bi_xml_next(node->first, "sphere"); sphere != NULL && status == BERTH_OK;
         sphere = bi_xml_next(sphere->next, "sphere")) {
        double centre[3], radius = 0.0;
        status = bi_xml_numbers(&read->srdf, sphere, "center", true, 3, BI_COORDINATE_MAX, centre);
        if (status == BERTH_OK) {
            status = bi_xml_numbers(&read->srdf, sphere, "radius", true, 1, BI_COORDINATE_MAX, &radius);
        }
        if (status == BERTH_OK && radius < 0.0) {
            status = bi_xml_fail(&read->srdf, sphere, BERTH_ERR_PARSE, "radius=\"%.60s\": must be >= 0",
                                 bi_xml_value(sphere, "radius"));
        }
    }
    return status;
}

// ---- the document -----------------------------------------------------------------------------------------

static BerthStatus read_elements(RobotRead* read) {
    static const struct {
        const char* name;
        BerthStatus (*read)(RobotRead*, const XmlNode*);
    } readers[] = {
        {"disable_default_collisions", read_disable_default},
        {"enable_collisions", read_enable},
        {"disable_collisions", read_disable},
        {"group_state", read_state},
        {"end_effector", check_end_effector},
        {"passive_joint", check_passive_joint},
        {"joint_property", check_joint_property},
        {"link_sphere_approximation", check_spheres},
        {BI_SRDF_TABLE, bi_srdf_read_table},
    };

    for (const XmlNode* node = read->srdf.root->first; node != NULL; node = node->next) {
        for (size_t i = 0; i < sizeof readers / sizeof readers[0]; ++i) {
            if (strcmp(node->name, readers[i].name) == 0) {
                const BerthStatus status = readers[i].read(read, node);
                if (status != BERTH_OK) {
                    return status;
                }
            }
        }
    }
    return BERTH_OK;
}

static BerthStatus check_document(RobotRead* read) {
    const XmlNode* root = read->srdf.root;
    if (strncmp(root->name, "xacro:", 6) == 0 || bi_xml_next(root->first, "xacro:include") != NULL ||
        bi_xml_next(root->first, "xacro:macro") != NULL) {
        return bi_xml_fail(
            &read->srdf, root, BERTH_ERR_PARSE,
            "this is a xacro file, not an SRDF: expand it first (xacro robot.srdf.xacro > robot.srdf)");
    }

    if (strcmp(root->name, "robot") != 0) {
        return bi_xml_fail(&read->srdf, root, BERTH_ERR_PARSE, "an SRDF begins with <robot>");
    }
    if (bi_xml_next(root->first, "link") != NULL) {
        return bi_xml_fail(&read->srdf, bi_xml_next(root->first, "link"), BERTH_ERR_PARSE,
                           "this is a URDF, not an SRDF: an SRDF defines no links");
    }

    const char* name = bi_xml_value(root, "name");
    const char* robot = bi_xml_value(read->urdf.root, "name");
    if (name != NULL && robot != NULL && strcmp(name, robot) != 0) {
        bi_xml_warn(&read->srdf, root, "the URDF's robot is named \"%.100s\"", robot);
    }
    return BERTH_OK;
}

BerthStatus bi_srdf_read(RobotRead* read) {
    BerthStatus status = check_document(read);
    if (status == BERTH_OK) {
        status = berth_robot_use_listed_pairs(read->builder);
    }
    if (status == BERTH_OK) {
        status = read_virtual_joints(read);
    }
    if (status == BERTH_OK) {
        status = bi_srdf_read_groups(read);
    }
    return status == BERTH_OK ? read_elements(read) : status;
}
