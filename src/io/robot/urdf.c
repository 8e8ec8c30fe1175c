// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// URDF: the document as a whole. Links first, then joints, so that either may come first in the file.
// Entries: berth_io_read_robot, berth_default_robot_options, bi_io_robot_from_text; for the other files of the room bi_urdf_read,
// bi_urdf_read_origin, bi_urdf_warn_unknown.

#include "io/robot/urdf.h"

#include <string.h>

#include "io/robot/srdf_proven.h"
#include "io/syntax/file.h"

// More than this for one robot's document is an attack.
#define URDF_ARENA_MAX ((size_t)700 << 20)

// Of spheres that stand for links.
enum { SPHERES_MOST = 32 };
#define SPHERE_PROTRUSION 0.010

static BerthStatus fail_memory(const RobotRead* read) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", read->urdf.path);
}

void bi_urdf_warn_unknown(RobotRead* read, const XmlNode* node, const char* const* known) {
    for (const XmlNode* child = node->first; child != NULL; child = child->next) {
        bool found = strchr(child->name, ':') != NULL;  // another namespace: not ours to know
        for (int32_t i = 0; known[i] != NULL && !found; ++i) {
            found = strcmp(child->name, known[i]) == 0;
        }

        for (int32_t i = 0; i < read->warned_count && !found; ++i) {
            found = strcmp(child->name, read->warned[i]) == 0;
        }

        const int32_t most = (int32_t)(sizeof read->warned / sizeof read->warned[0]);
        if (!found && read->warned_count < most) {
            read->warned[read->warned_count++] = child->name;
            bi_xml_warn(&read->urdf, child, "is unknown here and ignored");
        }
    }
}

BerthStatus bi_urdf_read_origin(const XmlFile* file, const XmlNode* node, Pose* out) {
    *out = pose_identity();
    const XmlNode* origin = NULL;
    BerthStatus status = bi_xml_only_child(file, node, "origin", false, &origin);
    if (status != BERTH_OK || origin == NULL) {
        return status;
    }

    double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
    status = bi_xml_numbers(file, origin, "xyz", false, 3, BI_COORDINATE_MAX, xyz);
    if (status == BERTH_OK) {
        status = bi_xml_numbers(file, origin, "rpy", false, 3, BI_ANGLE_MAX, rpy);
    }
    if (status == BERTH_OK) {
        *out = berth_pose_from_rpy(v3(xyz[0], xyz[1], xyz[2]), v3(rpy[0], rpy[1], rpy[2]));
    }
    return status;
}

// ---- xacro ------------------------------------------------------------------------------------------------

static bool is_xacro_name(const char* name) {
    return strncmp(name, "xacro:", 6) == 0;
}

static bool is_link_or_joint(const char* name) {
    return strcmp(name, "link") == 0 || strcmp(name, "joint") == 0;
}

static BerthStatus fail_xacro(const XmlFile* file, const XmlNode* node, const char* what) {
    return bi_fail(
        BERTH_ERR_PARSE,
        "%s:%d: %.80s: this is a xacro file, not a URDF: expand it first (xacro robot.xacro > robot.urdf)",
        file->path, node->line, what);
}

// Unexpanded macros, in what we read: other tools' elements may hold anything.
static BerthStatus refuse_xacro(const XmlFile* file) {
    const XmlNode* root = file->root;
    if (is_xacro_name(root->name)) {
        return fail_xacro(file, root, root->name);
    }

    for (const XmlNode* top = root->first; top != NULL; top = top->next) {
        if (is_xacro_name(top->name)) {
            return fail_xacro(file, top, top->name);
        }
        if (!is_link_or_joint(top->name)) {
            continue;
        }

        for (const XmlNode* node = top; node != NULL; node = bi_xml_after(node, top)) {
            if (is_xacro_name(node->name)) {
                return fail_xacro(file, node, node->name);
            }
            for (int32_t i = 0; i < node->attribute_count; ++i) {
                const char* value = node->attributes[i].value;
                if (strstr(value, "${") != NULL || strstr(value, "$(") != NULL) {
                    return fail_xacro(file, node, strstr(value, "$"));
                }
            }
        }
    }
    return BERTH_OK;
}

// ---- links and joints -------------------------------------------------------------------------------------

static BerthStatus add_link(RobotRead* read, const XmlNode* node) {
    const char* name = NULL;
    BerthStatus status = bi_xml_text(&read->urdf, node, "name", &name);
    if (status != BERTH_OK) {
        return status;
    }

    const int32_t other = bi_robot_builder_find_link(read->builder, name);
    if (other >= 0) {
        return bi_xml_fail(&read->urdf, node, BERTH_ERR_PARSE,
                           "there are two links of this name (first in line %d)",
                           read->link_nodes[other]->line);
    }

    int32_t link = -1;
    status = berth_robot_add_link(read->builder, name, &link);
    if (status != BERTH_OK) {
        return bi_xml_fail_prefix(&read->urdf, node, status);
    }

    const XmlNode** grown = bi_arena_grow(read->arena, (void*)read->link_nodes, (size_t)link,
                                          (size_t)link + 1, &read->link_capacity, sizeof(XmlNode*));
    if (grown == NULL) {
        return fail_memory(read);
    }

    read->link_nodes = grown;
    read->link_nodes[link] = node;
    return BERTH_OK;
}

static BerthStatus check_hull_names(const RobotRead* read) {
    for (int32_t i = 0; i < read->ask->robot.hull_link_count; ++i) {
        const char* name = read->ask->robot.hull_links[i];
        if (strcmp(name, "*") != 0 && bi_robot_builder_find_link(read->builder, name) < 0) {
            return bi_fail(BERTH_ERR_ARGUMENT, "hull: there is no link '%s' in %s", name, read->urdf.path);
        }
    }
    return BERTH_OK;
}

static BerthStatus read_links_and_joints(RobotRead* read) {
    const XmlNode* root = read->urdf.root;
    BerthStatus status = BERTH_OK;
    for (const XmlNode* node = bi_xml_next(root->first, "link"); node != NULL && status == BERTH_OK;
         node = bi_xml_next(node->next, "link")) {
        status = add_link(read, node);
    }

    if (status == BERTH_OK && read->link_nodes == NULL) {
        return bi_xml_fail(&read->urdf, root, BERTH_ERR_PARSE,
                           "the robot has no links (if this came from a xacro, its macro was never called)");
    }
    if (status == BERTH_OK) {
        status = check_hull_names(read);
    }

    for (const XmlNode* node = bi_xml_next(root->first, "joint"); node != NULL && status == BERTH_OK;
         node = bi_xml_next(node->next, "joint")) {
        status = bi_urdf_read_joint(read, node);
    }

    int32_t link = 0;
    for (const XmlNode* node = bi_xml_next(root->first, "link"); node != NULL && status == BERTH_OK;
         node = bi_xml_next(node->next, "link")) {
        status = bi_urdf_read_link(read, node, link++);
    }

    return status;
}

BerthStatus bi_urdf_read(RobotRead* read) {
    const XmlNode* root = read->urdf.root;
    const BerthStatus status = refuse_xacro(&read->urdf);
    if (status != BERTH_OK) {
        return status;
    }

    if (strcmp(root->name, "robot") != 0) {
        return bi_xml_fail(&read->urdf, root, BERTH_ERR_PARSE, "a URDF begins with <robot>");
    }

    if (read->ask->options->visual != NULL) {
        const BerthVisual begin = {.link = NULL};
        read->ask->options->visual(read->ask->options->visual_user, &begin);
    }
    return read_links_and_joints(read);
}

// ---- the robot --------------------------------------------------------------------------------------------

static BerthStatus build_robot(RobotRead* read, BerthRobot** out) {
    BerthRobotFault fault = {-1, -1};
    BerthStatus status = berth_robot_build(read->builder, out, &fault);
    if (status == BERTH_OK) {
        status = bi_srdf_judge_tables(read, *out);
        if (status != BERTH_OK) {
            berth_robot_destroy(*out);
            *out = NULL;
        }
        return status;
    }

    // At the element that is to blame, if it is one.
    const XmlNode* node = read->urdf.root;
    if (fault.joint >= 0) {
        node = read->joint_nodes[fault.joint];
    } else if (fault.link >= 0) {
        node = read->link_nodes[fault.link];
    }
    return bi_xml_fail_prefix(&read->urdf, node, status);
}

static BerthStatus read_srdf(RobotRead* read, const RobotText* srdf) {
    if (srdf == NULL) {
        if (!read->ask->robot.free_base) {
            return BERTH_OK;
        }
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "a free base is asked for: that needs an SRDF with a planar or floating "
                       "<virtual_joint>, which %s has not",
                       read->urdf.path);
    }

    read->srdf = (XmlFile){.path = srdf->path, .options = read->ask->options, .arena = read->arena};
    const BerthStatus status = bi_xml_parse(&read->srdf, srdf->data, srdf->size);
    return status == BERTH_OK ? bi_srdf_read(read) : status;
}

static BerthStatus read_documents(RobotRead* read, const RobotText* urdf, const RobotText* srdf,
                                  BerthRobot** out) {
    read->urdf = (XmlFile){.path = urdf->path, .options = read->ask->options, .arena = read->arena};
    BerthStatus status = bi_xml_parse(&read->urdf, urdf->data, urdf->size);
    if (status != BERTH_OK) {
        return status;
    }

    const char* name = bi_xml_value(read->urdf.root, "name");
    status = berth_robot_builder_create(name, &read->arena->allocator, &read->builder);
    if (status != BERTH_OK) {
        return fail_memory(read);
    }

    status = bi_urdf_read(read);
    if (status == BERTH_OK) {
        status = read_srdf(read, srdf);
    }
    if (status == BERTH_OK && read->ask->options->spheres_only) {
        status = berth_robot_use_spheres(read->builder, SPHERE_PROTRUSION, SPHERES_MOST);
    }
    if (status == BERTH_OK) {
        status = build_robot(read, out);
    }

    berth_robot_builder_destroy(read->builder);
    return status;
}

BerthStatus bi_io_robot_from_text(const RobotText* urdf, const RobotText* srdf, const RobotRequest* ask,
                                  BerthRobot** out) {
    *out = NULL;
    Arena arena;
    bi_arena_init(&arena, &ask->options->allocator, URDF_ARENA_MAX);
    RobotRead read = {.ask = ask, .arena = &arena};
    const BerthStatus status = read_documents(&read, urdf, srdf, out);
    bi_arena_free(&arena);
    return status;
}

// Null becomes the default ones.
static BerthStatus settle_robot_options(const BerthRobotOptions* given, BerthRobotOptions* out) {
    *out = given != NULL ? *given : berth_default_robot_options();
    if (out->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot options: start from berth_default_robot_options()");
    }
    if (out->hull_link_count < 0 || (out->hull_links == NULL && out->hull_link_count > 0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot options: hull_link_count is %d, hull_links %s",
                       out->hull_link_count, out->hull_links == NULL ? "null" : "given");
    }
    return BERTH_OK;
}

BerthRobotOptions berth_default_robot_options(void) {
    return (BerthRobotOptions){.stamp = BI_DEF_STAMP};
}

BerthStatus berth_io_read_robot(const char* urdf_path, const BerthRobotOptions* robot_options,
                                const BerthIoOptions* options, BerthRobot** out) {
    if (urdf_path == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "read robot: path or out is null");
    }

    *out = NULL;
    RobotRequest ask = {0};
    BerthStatus status = settle_robot_options(robot_options, &ask.robot);
    if (status == BERTH_OK) {
        status = bi_io_settle_options(&options);
    }
    if (status != BERTH_OK) {
        return status;
    }
    ask.options = options;
    const char* srdf_path = ask.robot.srdf != NULL ? ask.robot.srdf : options->srdf;

    FileBytes urdf = {0}, srdf = {0};
    status = bi_io_read_file(urdf_path, BI_XML_FILE_MAX, options, &urdf);
    if (status == BERTH_OK && srdf_path != NULL) {
        status = bi_io_read_file(srdf_path, BI_XML_FILE_MAX, options, &srdf);
    }

    if (status == BERTH_OK) {
        const RobotText urdf_text = {urdf_path, urdf.data, urdf.size};
        const RobotText srdf_text = {srdf_path, srdf.data, srdf.size};
        status = bi_io_robot_from_text(&urdf_text, srdf_path != NULL ? &srdf_text : NULL, &ask, out);
    }

    bi_io_free_file(&urdf);
    bi_io_free_file(&srdf);
    return status;
}
