// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Covering spheres to files. A URDF is copied byte by byte, except for the collision elements of links that
// have spheres: those become spheres. An SRDF is copied likewise, with MoveIt's link_sphere_approximation.
// Numbers read back exactly, so what was proven about the spheres holds for the file.
// Entries: berth_io_write_spherized, berth_io_write_sphere_srdf, berth_io_write_sphere_body.

#include <berth/cover.h>
#include <berth/io/robot.h>
#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/syntax/text_out.h"
#include "io/syntax/xml.h"
#include "robot/robot.h"

/// Bytes [from, to) of the file are left out, and something may stand there instead.
typedef struct Cut {
    size_t from, to;
    int32_t link;  ///< spheres of this link stand here; -1: nothing
} Cut;

typedef struct SourceScan {
    const char* path;
    const BerthRobot* robot;
    const BerthSpheres* spheres;
    bool srdf;
    XML_Parser parser;
    Arena* arena;
    Cut* cuts;
    size_t cut_count, cut_capacity;
    int32_t depth;
    int32_t link;  // of the <link> that is open, when it gets spheres; else -1
    bool cutting;  // within an element that is left out
    size_t cut_from;
    size_t root_end;              // where </robot> begins
    int32_t relative_mesh_count;  // meshes that are named relative to the file
    bool failed;
} SourceScan;

static void add_cut(SourceScan* scan, size_t from, size_t to, int32_t link) {
    Cut* room = bi_arena_grow(scan->arena, scan->cuts, scan->cut_count, scan->cut_count + 1,
                              &scan->cut_capacity, sizeof *room);
    if (room == NULL) {
        scan->failed = true;
        XML_StopParser(scan->parser, XML_FALSE);
        return;
    }

    scan->cuts = room;
    scan->cuts[scan->cut_count++] = (Cut){from, to, link};
}

static const char* attribute_value(const XML_Char** attributes, const char* name) {
    for (int32_t i = 0; attributes[i] != NULL; i += 2) {
        if (strcmp(attributes[i], name) == 0) {
            return attributes[i + 1];
        }
    }
    return NULL;
}

// The link, when it has spheres.
static int32_t sphere_link(const SourceScan* scan, const char* name) {
    const int32_t link = name != NULL ? berth_robot_find_link(scan->robot, name) : -1;
    return link >= 0 && berth_spheres_group(scan->spheres, link).count > 0 ? link : -1;
}

static void XMLCALL on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
    SourceScan* scan = user;
    const int32_t depth = scan->depth++;
    const size_t at = (size_t)XML_GetCurrentByteIndex(scan->parser);

    if (depth == 1 && !scan->srdf && strcmp(name, "link") == 0) {
        scan->link = sphere_link(scan, attribute_value(attributes, "name"));
    }

    bool replaced = false;
    if (scan->srdf) {
        replaced = depth == 1 && strcmp(name, "link_sphere_approximation") == 0 &&
                   sphere_link(scan, attribute_value(attributes, "link")) >= 0;
    } else {
        replaced = depth == 2 && scan->link >= 0 && strcmp(name, "collision") == 0;
    }
    if (replaced) {
        scan->cutting = true;
        scan->cut_from = at;
    }

    const char* file =
        strcmp(name, "mesh") == 0 && !scan->cutting ? attribute_value(attributes, "filename") : NULL;
    if (file != NULL && file[0] != '/' && strstr(file, "://") == NULL) {
        scan->relative_mesh_count += 1;
    }
}

static void XMLCALL on_end(void* user, const XML_Char* name) {
    SourceScan* scan = user;
    (void)name;
    const int32_t depth = --scan->depth;
    const size_t at = (size_t)XML_GetCurrentByteIndex(scan->parser);

    if (scan->cutting && depth == (scan->srdf ? 1 : 2)) {
        add_cut(scan, scan->cut_from, at + (size_t)XML_GetCurrentByteCount(scan->parser), -1);
        scan->cutting = false;
    }
    if (depth == 1 && !scan->srdf && scan->link >= 0) {
        add_cut(scan, at, at, scan->link);
        scan->link = -1;
    }

    if (depth == 0) {
        scan->root_end = at;
    }
}

static BerthStatus scan_file(SourceScan* scan, const FileBytes* bytes) {
    const unsigned char* data = (const unsigned char*)bytes->data;
    if (bytes->size >= 2 && (data[0] == 0 || data[1] == 0 || data[0] >= 0xFE)) {
        return bi_fail(BERTH_ERR_UNSUPPORTED,
                       "%s: only files in UTF-8 and other one-byte encodings are copied", scan->path);
    }

    scan->parser = XML_ParserCreate(NULL);
    if (scan->parser == NULL || bytes->size > INT_MAX) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", scan->path);
    }

    XML_SetUserData(scan->parser, scan);
    XML_SetElementHandler(scan->parser, on_start, on_end);
    const enum XML_Status parsed = XML_Parse(scan->parser, bytes->data, (int)bytes->size, XML_TRUE);

    BerthStatus status = BERTH_OK;
    if (scan->failed || (parsed != XML_STATUS_OK && XML_GetErrorCode(scan->parser) == XML_ERROR_NO_MEMORY)) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", scan->path);
    } else if (parsed != XML_STATUS_OK) {
        status = bi_fail(BERTH_ERR_PARSE, "%s:%lu: %s", scan->path,
                         (unsigned long)XML_GetCurrentLineNumber(scan->parser),
                         XML_ErrorString(XML_GetErrorCode(scan->parser)));
    }

    XML_ParserFree(scan->parser);
    return status;
}

// ---- writing -------------------------------------------------------------------------------------------------

static void put_vec3(TextOut* out, BerthVec3 v) {
    bi_text_out_number(out, v.x);
    bi_text_out_add(out, " ");
    bi_text_out_number(out, v.y);
    bi_text_out_add(out, " ");
    bi_text_out_number(out, v.z);
}

/// Every ball of a group: a text, its centre, a text, its radius, a text.
static void put_balls(TextOut* out, const BerthSphereGroup* group, const char* const texts[3]) {
    for (int32_t i = 0; i < group->count; ++i) {
        bi_text_out_add(out, "%s", texts[0]);
        put_vec3(out, group->balls[i].centre);
        bi_text_out_add(out, "%s", texts[1]);
        bi_text_out_number(out, group->balls[i].radius);
        bi_text_out_add(out, "%s", texts[2]);
    }
}

static void put_collisions(TextOut* out, const BerthSphereGroup* group) {
    static const char* const texts[3] = {"    <collision>\n      <origin rpy=\"0 0 0\" xyz=\"",
                                         "\"/>\n      <geometry>\n        <sphere radius=\"",
                                         "\"/>\n      </geometry>\n    </collision>\n"};
    put_balls(out, group, texts);
}

static void put_approximation(TextOut* out, const char* link, const BerthSphereGroup* group) {
    static const char* const texts[3] = {"    <sphere center=\"", "\" radius=\"", "\"/>\n"};
    bi_text_out_add(out, "  <link_sphere_approximation link=\"");
    bi_text_out_quoted(out, link);
    bi_text_out_add(out, "\">\n");
    put_balls(out, group, texts);
    bi_text_out_add(out, "  </link_sphere_approximation>\n");
}

static void put_approximations(TextOut* out, const BerthRobot* robot, const BerthSpheres* spheres) {
    for (int32_t i = 0; i < robot->link_count; ++i) {
        const BerthSphereGroup group = berth_spheres_group(spheres, i);
        if (group.count > 0) {
            put_approximation(out, robot->links[i].name, &group);
        }
    }
}

// The start of the line when only blanks stand between it and `from`; else `from`.
static size_t line_start_before(const char* data, size_t from, size_t least) {
    size_t at = from;
    while (at > least && (data[at - 1] == ' ' || data[at - 1] == '\t')) {
        --at;
    }
    return at > 0 && data[at - 1] == '\n' ? at : from;
}

static void copy_with_cuts(TextOut* out, const SourceScan* scan, const FileBytes* bytes) {
    size_t done = 0;
    for (size_t i = 0; i < scan->cut_count; ++i) {
        const Cut* cut = &scan->cuts[i];
        const size_t from = line_start_before(bytes->data, cut->from, done);
        size_t to = cut->to;
        bi_text_out_bytes(out, bytes->data + done, from - done);

        if (cut->link >= 0) {
            const BerthSphereGroup group = berth_spheres_group(scan->spheres, cut->link);
            if (from == cut->from) {
                bi_text_out_add(out, "\n");
            }
            put_collisions(out, &group);
            to = from;  // the blanks before </link> stay
        } else if (from < cut->from || from == 0 || bytes->data[from - 1] == '\n') {
            to += to < bytes->size && bytes->data[to] == '\n' ? 1 : 0;
        }

        done = to;
    }
    bi_text_out_bytes(out, bytes->data + done, bytes->size - done);
}

static BerthStatus check_request(const char* path, const char* source, const void* robot, const void* spheres,
                                 const BerthIoOptions** options) {
    if (path == NULL || path[0] == '\0' || robot == NULL || spheres == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "write spheres: a file's name, the robot or the spheres are missing");
    }
    const BerthStatus status = bi_io_settle_options(options);
    if (status != BERTH_OK) {
        return status;
    }

    struct stat written, read;
    if (source != NULL && stat(path, &written) == 0 && stat(source, &read) == 0 &&
        written.st_dev == read.st_dev && written.st_ino == read.st_ino) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: is an input file; choose another output file", path);
    }
    return BERTH_OK;
}

// True when both files are in one folder, or that cannot be determined.
static bool same_folder(const char* a, const char* b) {
    char folder_a[PATH_MAX], folder_b[PATH_MAX], real_a[PATH_MAX], real_b[PATH_MAX];
    const char* slash_a = strrchr(a, '/');
    const char* slash_b = strrchr(b, '/');
    const size_t length_a = slash_a != NULL ? (size_t)(slash_a - a) + 1 : 0;
    const size_t length_b = slash_b != NULL ? (size_t)(slash_b - b) + 1 : 0;
    if (length_a >= PATH_MAX - 2 || length_b >= PATH_MAX - 2) {
        return true;
    }

    memcpy(folder_a, a, length_a);
    memcpy(folder_b, b, length_b);
    memcpy(folder_a + length_a, ".", 2);
    memcpy(folder_b + length_b, ".", 2);
    return realpath(folder_a, real_a) == NULL || realpath(folder_b, real_b) == NULL ||
           strcmp(real_a, real_b) == 0;
}

BerthStatus berth_io_write_spherized(const char* path, const char* urdf_path, const BerthRobot* robot,
                                     const BerthSpheres* spheres, const BerthIoOptions* options) {
    BerthStatus status = check_request(path, urdf_path, robot, spheres, &options);
    FileBytes bytes = {0};
    if (status == BERTH_OK) {
        status = bi_io_read_file(urdf_path, BI_XML_FILE_MAX, options, &bytes);
    }
    if (status != BERTH_OK) {
        return status;
    }

    Arena arena;
    bi_arena_init(&arena, &options->allocator, 0);
    SourceScan scan = {.path = urdf_path, .robot = robot, .spheres = spheres, .arena = &arena, .link = -1};
    TextOut out = {.bytes = {.allocator = bi_allocator_or_default(&options->allocator)}};

    status = scan_file(&scan, &bytes);
    if (status == BERTH_OK) {
        copy_with_cuts(&out, &scan, &bytes);
    }
    status = bi_text_out_write(path, &out, status, options);

    if (status == BERTH_OK && scan.relative_mesh_count > 0 && !same_folder(path, urdf_path)) {
        bi_io_warn(options, "%s: names %d meshes relative to its folder, which is not that of %s", path,
                   (int)scan.relative_mesh_count, urdf_path);
    }

    bi_arena_free(&arena);
    bi_io_free_file(&bytes);
    return status;
}

BerthStatus berth_io_write_sphere_srdf(const char* path, const char* srdf_path, const BerthRobot* robot,
                                       const BerthSpheres* spheres, const BerthIoOptions* options) {
    BerthStatus status = check_request(path, srdf_path, robot, spheres, &options);
    if (status != BERTH_OK) {
        return status;
    }

    // Without a file to copy: one that holds nothing but the spheres.
    TextOut out = {.bytes = {.allocator = bi_allocator_or_default(&options->allocator)}};
    if (srdf_path == NULL) {
        bi_text_out_add(&out, "<?xml version=\"1.0\"?>\n<robot name=\"");
        bi_text_out_quoted(&out, robot->name);
        bi_text_out_add(&out, "\">\n");
        put_approximations(&out, robot, spheres);
        bi_text_out_add(&out, "</robot>\n");
        return bi_text_out_write(path, &out, status, options);
    }

    FileBytes bytes = {0};
    status = bi_io_read_file(srdf_path, BI_XML_FILE_MAX, options, &bytes);
    if (status != BERTH_OK) {
        return status;
    }

    Arena arena;
    bi_arena_init(&arena, &options->allocator, 0);
    SourceScan scan = {
        .path = srdf_path, .robot = robot, .spheres = spheres, .srdf = true, .arena = &arena, .link = -1};

    status = scan_file(&scan, &bytes);
    if (status == BERTH_OK) {
        const size_t end = scan.root_end;
        FileBytes head = bytes;
        head.size = end;
        copy_with_cuts(&out, &scan, &head);
        put_approximations(&out, robot, spheres);
        bi_text_out_bytes(&out, bytes.data + end, bytes.size - end);
    }

    status = bi_text_out_write(path, &out, status, options);
    bi_arena_free(&arena);
    bi_io_free_file(&bytes);
    return status;
}

BerthStatus berth_io_write_sphere_body(const char* path, const char* name, const BerthSpheres* spheres,
                                       const BerthIoOptions* options) {
    const BerthStatus status = check_request(path, NULL, name, spheres, &options);
    if (status != BERTH_OK) {
        return status;
    }
    TextOut out = {.bytes = {.allocator = bi_allocator_or_default(&options->allocator)}};
    const BerthSphereGroup group = berth_spheres_group(spheres, 0);
    bi_text_out_add(&out, "<?xml version=\"1.0\"?>\n<robot name=\"");
    bi_text_out_quoted(&out, name);
    bi_text_out_add(&out, "\">\n  <link name=\"");
    bi_text_out_quoted(&out, name);
    bi_text_out_add(&out, "\">\n");
    put_collisions(&out, &group);
    bi_text_out_add(&out, "  </link>\n</robot>\n");
    return bi_text_out_write(path, &out, status, options);
}
