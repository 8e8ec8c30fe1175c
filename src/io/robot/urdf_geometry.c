// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// URDF: the contents of a <link>. Collision geometry becomes solids; of visuals only missing meshes are
// reported.
// Entry: bi_urdf_read_link.

#include <string.h>

#include "io/mesh/mesh_file.h"
#include "io/robot/package.h"
#include "io/robot/urdf.h"
#include "io/syntax/files.h"

static BerthStatus read_size(const XmlFile* file, const XmlNode* node, const char* name, bool may_be_zero,
                             double* out) {
    const BerthStatus status = bi_xml_numbers(file, node, name, true, 1, BI_COORDINATE_MAX, out);
    if (status != BERTH_OK) {
        return status;
    }
    if (*out < 0.0 || (*out == 0.0 && !may_be_zero)) {
        return bi_xml_fail(file, node, BERTH_ERR_PARSE, "%s=\"%.60s\": must be %s", name,
                           bi_xml_value(node, name), may_be_zero ? ">= 0" : "> 0");
    }
    return BERTH_OK;
}

static BerthStatus read_box(const XmlFile* file, const XmlNode* node, BerthShape* out) {
    double size[3] = {0};
    const BerthStatus status = bi_xml_numbers(file, node, "size", true, 3, BI_COORDINATE_MAX, size);
    if (status != BERTH_OK) {
        return status;
    }

    if (size[0] < 0.0 || size[1] < 0.0 || size[2] < 0.0) {
        return bi_xml_fail(file, node, BERTH_ERR_PARSE, "size=\"%.60s\": must not be negative",
                           bi_xml_value(node, "size"));
    }
    return berth_shape_box(v3(size[0], size[1], size[2]), out);
}

static BerthStatus read_sphere(const XmlFile* file, const XmlNode* node, BerthShape* out) {
    double radius = 0.0;
    const BerthStatus status = read_size(file, node, "radius", false, &radius);
    return status == BERTH_OK ? berth_shape_sphere(radius, out) : status;
}

static BerthStatus read_capsule_or_cylinder(const XmlFile* file, const XmlNode* node, BerthShape* out) {
    const bool capsule = strcmp(node->name, "capsule") == 0;
    double radius = 0.0, length = 0.0;
    BerthStatus status = read_size(file, node, "radius", false, &radius);
    if (status == BERTH_OK) {
        status = read_size(file, node, "length", capsule, &length);
    }
    if (status != BERTH_OK) {
        return status;
    }
    return capsule ? berth_shape_capsule(radius, length, out) : berth_shape_cylinder(radius, length, out);
}

static bool wants_hull(const RobotRead* read, const char* link) {
    for (int32_t i = 0; i < read->ask->robot.hull_link_count; ++i) {
        if (strcmp(read->ask->robot.hull_links[i], "*") == 0 ||
            strcmp(read->ask->robot.hull_links[i], link) == 0) {
            return true;
        }
    }
    return false;
}

static BerthStatus read_scale(const XmlFile* file, const XmlNode* node, Vec3* scale) {
    double s[3] = {1, 1, 1};
    const BerthStatus status = bi_xml_numbers(file, node, "scale", false, 3, BI_COORDINATE_MAX, s);
    if (status != BERTH_OK) {
        return status;
    }

    if (s[0] == 0.0 || s[1] == 0.0 || s[2] == 0.0) {
        return bi_xml_fail(file, node, BERTH_ERR_PARSE, "scale=\"%.60s\": must not be zero",
                           bi_xml_value(node, "scale"));
    }
    *scale = v3(s[0], s[1], s[2]);
    return BERTH_OK;
}

static BerthStatus load_mesh(RobotRead* read, const XmlNode* node, const char* path, Vec3 scale, bool as_hull,
                             BerthSolid** out) {
    BerthMesh* mesh = NULL;
    BerthStatus status = berth_io_read_mesh(path, scale, read->ask->options, &mesh);
    if (status != BERTH_OK) {
        return status;  // its text names the mesh file, which is where the fault is
    }

    read->triangle_count += berth_mesh_info(mesh).triangle_count;
    if (read->triangle_count > BI_URDF_TRIANGLE_MAX) {
        berth_mesh_destroy(mesh);
        return bi_xml_fail(&read->urdf, node, BERTH_ERR_CAPACITY,
                           "more than %d triangles in collision meshes", BI_URDF_TRIANGLE_MAX);
    }

    status = bi_io_solid_from_mesh(mesh, as_hull, &read->ask->options->allocator, out);
    return status == BERTH_OK ? status : bi_xml_fail_prefix(&read->urdf, node, status);
}

static BerthStatus read_mesh(RobotRead* read, const XmlNode* node, const char* link, const char** source,
                             BerthSolid** out) {
    const char* uri = NULL;
    Vec3 scale = v3(1, 1, 1);
    BerthStatus status = bi_xml_text(&read->urdf, node, "filename", &uri);
    if (status == BERTH_OK) {
        status = read_scale(&read->urdf, node, &scale);
    }
    if (status != BERTH_OK) {
        return status;
    }

    *source = uri;
    if (read->ask->no_files) {
        BerthShape box;
        status = berth_shape_box(v3(0.1, 0.1, 0.1), &box);
        if (status != BERTH_OK) {
            return status;
        }
        return berth_solid_from_shape(&box, &read->ask->options->allocator, out);
    }

    status = bi_io_resolve_uri(uri, read->urdf.path, read->ask->options, read->arena, source);
    if (status != BERTH_OK) {
        return bi_xml_fail_prefix(&read->urdf, node, status);
    }
    return load_mesh(read, node, *source, scale, wants_hull(read, link), out);
}

static BerthStatus read_shape(RobotRead* read, const XmlNode* node,
                              BerthStatus (*make)(const XmlFile*, const XmlNode*, BerthShape*),
                              BerthSolid** out) {
    BerthShape shape;
    BerthStatus status = make(&read->urdf, node, &shape);
    const bool has_place =
        status == BERTH_ERR_PARSE;  // the text is ours and names the line; else it is the shape room's
    if (status == BERTH_OK) {
        status = berth_solid_from_shape(&shape, &read->ask->options->allocator, out);
    }
    return status == BERTH_OK || has_place ? status : bi_xml_fail_prefix(&read->urdf, node, status);
}

static BerthStatus read_geometry(RobotRead* read, const XmlNode* geometry, const char* link,
                                 const char** source, BerthSolid** out) {
    static const char* const known[] = {"box", "cylinder", "sphere", "capsule", "mesh", NULL};
    const XmlNode* found = NULL;

    for (const XmlNode* node = geometry->first; node != NULL; node = node->next) {
        for (int32_t i = 0; known[i] != NULL; ++i) {
            if (strcmp(node->name, known[i]) != 0) {
                continue;
            }
            if (found != NULL) {
                return bi_xml_fail(&read->urdf, node, BERTH_ERR_PARSE,
                                   "a second shape in one <geometry> (first <%s>)", found->name);
            }
            found = node;
        }
    }

    if (found == NULL) {
        const XmlNode* other = geometry->first != NULL ? geometry->first : geometry;
        return bi_xml_fail(&read->urdf, other, BERTH_ERR_PARSE,
                           "<geometry> must hold one of <box>, <cylinder>, <sphere>, <capsule>, <mesh>");
    }

    bi_urdf_warn_unknown(read, geometry, known);
    *source = found->name;
    switch (found->name[0]) {
    case 'b':
        return read_shape(read, found, read_box, out);
    case 's':
        return read_shape(read, found, read_sphere, out);
    case 'c':
        return read_shape(read, found, read_capsule_or_cylinder, out);
    default:
        return read_mesh(read, found, link, source, out);
    }
}

static BerthStatus read_collision(RobotRead* read, const XmlNode* node, const char* name, int32_t link) {
    static const char* const known[] = {"origin",  "geometry",     "contact_coefficients",
                                        "verbose", "max_contacts", NULL};
    Pose link_from_solid;
    const XmlNode* geometry = NULL;
    BerthStatus status = bi_urdf_read_origin(&read->urdf, node, &link_from_solid);
    if (status == BERTH_OK) {
        status = bi_xml_only_child(&read->urdf, node, "geometry", true, &geometry);
    }
    if (status != BERTH_OK) {
        return status;
    }

    bi_urdf_warn_unknown(read, node, known);
    const char* source = "";
    BerthSolid* solid = NULL;
    status = read_geometry(read, geometry, name, &source, &solid);
    if (status != BERTH_OK) {
        return status;
    }

    status = berth_robot_add_solid(read->builder, link, &link_from_solid, solid, source);
    return status == BERTH_OK ? status : bi_xml_fail_prefix(&read->urdf, node, status);
}

static BerthStatus check_visual_mesh(RobotRead* read, const XmlNode* node) {
    const XmlNode* geometry = bi_xml_next(node->first, "geometry");
    const XmlNode* mesh = geometry != NULL ? bi_xml_next(geometry->first, "mesh") : NULL;
    const char* uri = mesh != NULL ? bi_xml_value(mesh, "filename") : NULL;
    if (uri == NULL || read->ask->no_files || ++read->visual_count > BI_URDF_VISUAL_MAX) {
        return BERTH_OK;
    }

    const char* path = NULL;
    const BerthStatus status =
        bi_io_resolve_uri(uri, read->urdf.path, read->ask->options, read->arena, &path);
    if (status == BERTH_ERR_MEMORY || status == BERTH_ERR_SYSTEM) {
        return bi_xml_fail_prefix(&read->urdf, mesh, status);
    }

    // It is not read, and still must not be overwritten.
    if (status == BERTH_OK) {
        return bi_io_files_note_named(read->ask->options->files, path);
    }

    bi_xml_warn(&read->urdf, mesh, "visual mesh, not used for checking: %s", berth_error_text());
    return BERTH_OK;
}

// The colour of a visual: its own, or that of the robot's material of the same name.
static void read_colour(const RobotRead* read, const XmlNode* visual, BerthVisual* out) {
    const XmlNode* material = bi_xml_next(visual->first, "material");
    const char* name = material != NULL ? bi_xml_value(material, "name") : NULL;
    const XmlNode* colour = material != NULL ? bi_xml_next(material->first, "color") : NULL;
    const XmlNode* other = name != NULL ? bi_xml_next(read->urdf.root->first, "material") : NULL;
    for (; colour == NULL && other != NULL; other = bi_xml_next(other->next, "material")) {
        const char* known = bi_xml_value(other, "name");
        colour = known != NULL && strcmp(known, name) == 0 ? bi_xml_next(other->first, "color") : NULL;
    }
    out->has_colour =
        colour != NULL && bi_xml_numbers(&read->urdf, colour, "rgba", true, 4, 1.0, out->colour) == BERTH_OK;
}

static bool read_visual_shape(RobotRead* read, const XmlNode* geometry, BerthVisual* out) {
    static const struct {
        const char* name;
        BerthStatus (*make)(const XmlFile*, const XmlNode*, BerthShape*);
    } kinds[] = {{"box", read_box},
                 {"sphere", read_sphere},
                 {"cylinder", read_capsule_or_cylinder},
                 {"capsule", read_capsule_or_cylinder}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        const XmlNode* node = bi_xml_next(geometry->first, kinds[i].name);
        if (node != NULL) {
            return kinds[i].make(&read->urdf, node, &out->shape) == BERTH_OK;
        }
    }

    const XmlNode* mesh = bi_xml_next(geometry->first, "mesh");
    const char* uri = mesh != NULL ? bi_xml_value(mesh, "filename") : NULL;
    return uri != NULL && read_scale(&read->urdf, mesh, &out->scale) == BERTH_OK &&
           bi_io_resolve_uri(uri, read->urdf.path, read->ask->options, read->arena, &out->mesh) == BERTH_OK;
}

// For pictures. A faulty visual is left out without a message.
static void tell_visual(RobotRead* read, const XmlNode* node, const char* link) {
    const XmlNode* geometry = bi_xml_next(node->first, "geometry");
    BerthVisual visual = {.link = link, .scale = v3(1, 1, 1)};
    if (read->ask->no_files || geometry == NULL || link == NULL ||
        bi_urdf_read_origin(&read->urdf, node, &visual.link_from_visual) != BERTH_OK ||
        !read_visual_shape(read, geometry, &visual)) {
        return;
    }
    read_colour(read, node, &visual);
    read->ask->options->visual(read->ask->options->visual_user, &visual);
}

BerthStatus bi_urdf_read_link(RobotRead* read, const XmlNode* node, int32_t link) {
    static const char* const known[] = {"visual", "collision", "inertial", NULL};
    const char* name = bi_xml_value(node, "name");
    bi_urdf_warn_unknown(read, node, known);

    BerthStatus status = BERTH_OK;
    for (const XmlNode* child = node->first; child != NULL && status == BERTH_OK; child = child->next) {
        if (strcmp(child->name, "collision") == 0) {
            status = read_collision(read, child, name, link);
        } else if (strcmp(child->name, "visual") == 0) {
            status = check_visual_mesh(read, child);
            if (status == BERTH_OK && read->ask->options->visual != NULL) {
                tell_visual(read, child, name);
            }
        }
    }
    return status;
}
