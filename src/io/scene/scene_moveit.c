// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// MoveIt's .scene text, old and new. Line 1 is a name; then objects, and "." at the end:
//
//   * id
//   x y z          new format only: the object's pose; the format is new when
//   qx qy qz qw    the line behind the first "* id" has a space in it
//   shape count
//   box            per shape: word, numbers, position, quaternion, colour
//   1 2 3
//   x y z
//   qx qy qz qw
//   r g b a
//   subframe count  new format only, with a name and a pose each
// Entry: bi_io_read_moveit_scene.

#include <stdio.h>
#include <string.h>

#include "io/scene/scene_file.h"
#include "io/syntax/file.h"
#include "io/syntax/number.h"
#include "math/tolerance.h"
#include "scene/scene.h"

enum { WORD_MAX = 64 };

typedef struct SceneScan {
    const char* path;
    const char* at;
    const char* end;
    int32_t line;
} SceneScan;

static BerthStatus scan_fail(const SceneScan* s, const char* text) {
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s", s->path, (int)s->line, text);
}

static BerthStatus scan_fail_prefix(const SceneScan* s, BerthStatus status) {
    if (status == BERTH_OK) {
        return BERTH_OK;
    }
    const bool keeps = status == BERTH_ERR_MEMORY || status == BERTH_ERR_SYSTEM;
    return bi_fail_prefix(keeps ? status : BERTH_ERR_PARSE, "%s:%d", s->path, (int)s->line);
}

// ---- words -------------------------------------------------------------------------------------------------

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_spaces(SceneScan* s) {
    while (s->at < s->end && (is_space(*s->at) || *s->at == '\n')) {
        s->line += *s->at == '\n';
        ++s->at;
    }
}

// The next word, across lines; length 0 at the end of the file.
static const char* next_word(SceneScan* s, size_t* length) {
    skip_spaces(s);
    const char* word = s->at;
    while (s->at < s->end && !is_space(*s->at) && *s->at != '\n') {
        ++s->at;
    }
    *length = (size_t)(s->at - word);
    return word;
}

// What is left of this line, without spaces around it; the scan is then at the next line.
static const char* rest_of_line(SceneScan* s, size_t* length) {
    const char* first = s->at;
    const char* newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
    const char* last = newline != NULL ? newline : s->end;
    s->at = newline != NULL ? newline + 1 : s->end;
    s->line += newline != NULL;

    while (first < last && is_space(*first)) {
        ++first;
    }
    while (first < last && is_space(last[-1])) {
        --last;
    }
    *length = (size_t)(last - first);
    return first;
}

static BerthStatus scan_number(SceneScan* s, const char* what, double limit, double* out) {
    size_t length = 0;
    const char* word = next_word(s, &length);
    if (length == 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s: a number was expected, the file ends here", s->path,
                       (int)s->line, what);
    }

    const int shown = length < WORD_MAX ? (int)length : WORD_MAX;
    if (!bi_parse_double(word, length, out)) {
        const char* fault = bi_number_fault(word, length);
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s: '%.*s': %s", s->path, (int)s->line, what, shown, word,
                       fault != NULL ? fault : "not a number");
    }

    if (!(*out >= -limit && *out <= limit)) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s: %.*s is not within %g", s->path, (int)s->line, what,
                       shown, word, limit);
    }
    return BERTH_OK;
}

static BerthStatus scan_numbers(SceneScan* s, const char* what, int count, double* out) {
    BerthStatus status = BERTH_OK;
    for (int i = 0; i < count && status == BERTH_OK; ++i) {
        status = scan_number(s, what, BI_COORDINATE_MAX, &out[i]);
    }
    return status;
}

// A whole number from 0; each counted thing needs at least two bytes of the file, so a wrong one costs nothing.
static BerthStatus scan_count(SceneScan* s, const char* what, int32_t* out) {
    size_t length = 0;
    const char* word = next_word(s, &length);
    int64_t number = 0;
    if (!bi_parse_int(word, length, &number) || number < 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s: a whole number from 0 was expected, here is '%.*s'",
                       s->path, (int)s->line, what, length < WORD_MAX ? (int)length : WORD_MAX, word);
    }

    if (number > (s->end - s->at) / 2) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s: %lld of them do not fit into what is left of the file",
                       s->path, (int)s->line, what, (long long)number);
    }
    *out = (int32_t)number;
    return BERTH_OK;
}

static BerthStatus scan_pose(SceneScan* s, const char* what, Pose* out) {
    double xyz[3];
    double quat[4];
    BerthStatus status = scan_numbers(s, what, 3, xyz);
    if (status == BERTH_OK) {
        status = scan_numbers(s, what, 4, quat);
    }
    if (status != BERTH_OK) {
        return status;
    }

    if (!bi_io_normalize_quat(quat)) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s: the quaternion is zero", s->path, (int)s->line, what);
    }
    return berth_pose_from_quat(v3(xyz[0], xyz[1], xyz[2]), (BerthQuat){quat[0], quat[1], quat[2], quat[3]},
                                out);
}

// ---- shapes ------------------------------------------------------------------------------------------------

static BerthStatus scan_mesh_arrays(SceneScan* s, Vec3* vertices, int32_t vertex_count, int32_t* triangles,
                                    int32_t triangle_count) {
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < vertex_count && status == BERTH_OK; ++i) {
        double xyz[3];
        status = scan_numbers(s, "mesh: vertex", 3, xyz);
        vertices[i] = status == BERTH_OK ? v3(xyz[0], xyz[1], xyz[2]) : v3(0, 0, 0);
    }

    for (int32_t i = 0; i < 3 * triangle_count && status == BERTH_OK; ++i) {
        size_t length = 0;
        const char* word = next_word(s, &length);
        int64_t number = 0;
        if (!bi_parse_int(word, length, &number) || number < 0 || number >= vertex_count) {
            status = bi_fail(BERTH_ERR_PARSE, "%s:%d: mesh: triangle: '%.*s' is not a vertex from 0 to %d",
                             s->path, (int)s->line, length < WORD_MAX ? (int)length : WORD_MAX, word,
                             (int)vertex_count - 1);
        }
        triangles[i] = (int32_t)number;
    }
    return status;
}

static BerthStatus scan_mesh(SceneReader* reader, SceneScan* s, BerthSolid** out) {
    const BerthAllocator* memory = &reader->options.allocator;
    int32_t vertex_count = 0;
    int32_t triangle_count = 0;
    BerthStatus status = scan_count(s, "mesh: vertices", &vertex_count);
    if (status == BERTH_OK) {
        status = scan_count(s, "mesh: triangles", &triangle_count);
    }
    if (status == BERTH_OK && triangle_count > INT32_MAX / 3) {
        status = scan_fail(s, "mesh: too many triangles");
    }
    if (status != BERTH_OK) {
        return status;
    }

    Vec3* vertices = bi_take(memory, (size_t)vertex_count, sizeof *vertices);
    int32_t* triangles = bi_take(memory, 3 * (size_t)triangle_count, sizeof *triangles);
    BerthMesh* mesh = NULL;
    if (vertices == NULL || triangles == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", s->path);
    } else {
        status = scan_mesh_arrays(s, vertices, vertex_count, triangles, triangle_count);
    }

    if (status == BERTH_OK) {
        status = scan_fail_prefix(
            s, berth_mesh_create(vertices, vertex_count, triangles, triangle_count, memory, &mesh));
    }

    bi_give(memory, vertices, (size_t)vertex_count, sizeof *vertices);
    bi_give(memory, triangles, 3 * (size_t)triangle_count, sizeof *triangles);
    return status == BERTH_OK ? scan_fail_prefix(s, berth_solid_from_mesh(mesh, memory, out)) : status;
}

static bool is_word(const char* word, size_t length, const char* text) {
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

static BerthStatus scan_shape(SceneReader* reader, SceneScan* s, BerthSolid** out) {
    size_t length = 0;
    const char* word = next_word(s, &length);
    if (is_word(word, length, "mesh")) {
        return scan_mesh(reader, s, out);
    }

    BerthShape shape;
    double n[4];
    BerthStatus status;
    if (is_word(word, length, "box")) {
        status = scan_numbers(s, "box", 3, n);
        if (status == BERTH_OK) {
            status = scan_fail_prefix(s, berth_shape_box(v3(n[0], n[1], n[2]), &shape));
        }
    } else if (is_word(word, length, "sphere")) {
        status = scan_numbers(s, "sphere", 1, n);
        if (status == BERTH_OK) {
            status = scan_fail_prefix(s, berth_shape_sphere(n[0], &shape));
        }
    } else if (is_word(word, length, "cylinder")) {
        status = scan_numbers(s, "cylinder", 2, n);
        if (status == BERTH_OK) {
            status = scan_fail_prefix(s, berth_shape_cylinder(n[0], n[1], &shape));
        }
    } else if (is_word(word, length, "cone")) {
        status = scan_numbers(s, "cone", 2, n);
        if (status == BERTH_OK) {
            status = scan_fail_prefix(s, berth_shape_cone(n[0], n[1], &shape));
        }
    } else if (is_word(word, length, "plane")) {
        // a x + b y + c z + d = 0; taken with all that is below it, which no robot may enter either.
        status = scan_numbers(s, "plane", 4, n);
        if (status == BERTH_OK) {
            status = scan_fail_prefix(s, berth_shape_halfspace(v3(n[0], n[1], n[2]), -n[3], &shape));
        }
    } else {
        return bi_fail(
            BERTH_ERR_PARSE,
            "%s:%d: '%.*s' is no shape; one of box, sphere, cylinder, cone, plane, mesh was expected",
            s->path, (int)s->line, length < WORD_MAX ? (int)length : WORD_MAX, word);
    }

    if (status != BERTH_OK) {
        return status;
    }
    return scan_fail_prefix(s, berth_solid_from_shape(&shape, &reader->options.allocator, out));
}

// ---- objects -----------------------------------------------------------------------------------------------

typedef struct Object {
    char name[BI_SCENE_NAME_MAX + 1];
    int32_t line;
    Pose world_from_object;
    Pose object_from_first;  // the first shape is the object's origin for the scene
    BerthObjectId id;
} Object;

static BerthStatus add_shape(SceneReader* reader, SceneScan* s, Object* object, int32_t index) {
    BerthSolid* solid = NULL;
    Pose object_from_shape;
    double colour[4];
    BerthStatus status = scan_shape(reader, s, &solid);
    if (status != BERTH_OK) {
        return status;
    }

    status = scan_pose(s, "shape's pose", &object_from_shape);
    if (status == BERTH_OK) {
        status = scan_numbers(s, "colour", 4, colour);
    }
    if (status != BERTH_OK) {
        berth_solid_destroy(solid);
        return status;
    }

    if (index > 0) {
        const Pose first_from_shape = pose_between(&object->object_from_first, &object_from_shape);
        return scan_fail_prefix(s, berth_scene_add_part(reader->scene, object->id, &first_from_shape, solid));
    }

    BerthObjectDef def = berth_default_object_def();
    def.name = object->name;
    def.solid = solid;
    def.source = "MoveIt scene";
    def.pose = pose_mul(&object->world_from_object, &object_from_shape);
    object->object_from_first = object_from_shape;

    const SceneScan there = {.path = s->path, .line = object->line};
    return scan_fail_prefix(&there, berth_scene_add_object(reader->scene, &def, &object->id));
}

static BerthStatus skip_subframes(SceneScan* s) {
    int32_t count = 0;
    BerthStatus status = scan_count(s, "subframes", &count);
    for (int32_t i = 0; i < count && status == BERTH_OK; ++i) {
        size_t length = 0;
        Pose pose;
        skip_spaces(s);
        rest_of_line(s, &length);
        if (length == 0) {
            return scan_fail(s, "a subframe has no name");
        }
        status = scan_pose(s, "subframe", &pose);
    }
    return status;
}

static BerthStatus read_name(SceneScan* s, Object* object) {
    object->line = s->line;
    size_t length = 0;
    const char* name = rest_of_line(s, &length);
    if (length == 0 || length > BI_SCENE_NAME_MAX || memchr(name, '\0', length) != NULL) {
        const SceneScan there = {.path = s->path, .line = object->line};
        return scan_fail(&there, length == 0 ? "an object has no name" : "an object's name is too long");
    }

    memcpy(object->name, name, length);
    object->name[length] = '\0';
    return BERTH_OK;
}

static BerthStatus read_object(SceneReader* reader, SceneScan* s, bool is_new) {
    Object object = {.world_from_object = pose_identity()};
    int32_t shape_count = 0;
    BerthStatus status = read_name(s, &object);
    if (status == BERTH_OK && is_new) {
        status = scan_pose(s, "object's pose", &object.world_from_object);
    }
    if (status == BERTH_OK) {
        status = scan_count(s, "shapes", &shape_count);
    }

    SceneBodyRef link;
    if (status == BERTH_OK && bi_scene_resolve_name(reader->scene, object.name, true, &link)) {
        status = bi_fail(BERTH_ERR_PARSE, "%s:%d: object '%s': a link of the robot has that name", s->path,
                         (int)object.line, object.name);
    }

    for (int32_t i = 0; i < shape_count && status == BERTH_OK; ++i) {
        status = add_shape(reader, s, &object, i);
    }

    if (status == BERTH_OK && shape_count == 0) {
        bi_io_warn(&reader->options, "%s:%d: object '%s' has no shape and is left out", s->path,
                   (int)object.line, object.name);
    }
    return status == BERTH_OK && is_new ? skip_subframes(s) : status;
}

// The line behind the first "* id" holds a position in the new format, a count in the old one.
static bool is_new_format(SceneScan s) {
    size_t length = 0;
    while (s.at < s.end) {
        const char* line = rest_of_line(&s, &length);
        if (length > 0 && line[0] == '*') {
            line = rest_of_line(&s, &length);
            return memchr(line, ' ', length) != NULL || memchr(line, '\t', length) != NULL;
        }
    }
    return false;
}

BerthStatus bi_io_read_moveit_scene(SceneReader* reader, const char* data, size_t size) {
    SceneScan s = {.path = reader->path, .at = data, .end = data + size, .line = 1};
    size_t length = 0;

    if (size > BI_YAML_SIZE_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s: %zu bytes, more than the %d that are read", s.path, size,
                       BI_YAML_SIZE_MAX);
    }

    rest_of_line(&s, &length);
    const bool is_new = is_new_format(s);
    BerthStatus status = bi_io_read_scene_robot(reader);

    while (status == BERTH_OK) {
        const char* word = next_word(&s, &length);
        if (length == 1 && *word == '.') {
            break;
        }
        if (length == 1 && *word == '*') {
            status = read_object(reader, &s, is_new);
        } else if (length == 0) {
            status = scan_fail(&s, "the file ends without its final '.': it was cut off");
        } else {
            status = bi_fail(BERTH_ERR_PARSE,
                             "%s:%d: '* name' of an object or the final '.' was expected, here is '%.*s'",
                             s.path, (int)s.line, length < WORD_MAX ? (int)length : WORD_MAX, word);
        }
    }

    if (status == BERTH_OK) {
        next_word(&s, &length);
        if (length > 0) {
            status = scan_fail(&s, "there is more behind the final '.'");
        }
    }
    return status;
}
