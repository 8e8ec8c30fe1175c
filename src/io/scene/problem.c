// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Planning problems, one JSON object per line: objects that are added to a scene, a start and goals. JSON is
// read as the YAML that it is.
// Entries: berth_io_read_problem, berth_io_free_problem, bi_io_problem_from_text,
// berth_io_read_problem_lines.

#include <stdio.h>
#include <string.h>

#include "io/scene/scene_file.h"
#include "io/syntax/file.h"
#include "math/tolerance.h"
#include "scene/scene.h"

static BerthStatus fail_memory(const char* path) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
}

static BerthStatus read_values(const SceneReader* reader, const YamlNode* node, const char* what,
                               double* out) {
    const int32_t count = berth_scene_value_count(reader->scene);
    BerthStatus status = bi_yaml_numbers(reader->yaml, node, what, count, BI_COORDINATE_MAX, out);
    if (status == BERTH_OK) {
        status = berth_scene_check_values(reader->scene, out, NULL, NULL);
        if (status != BERTH_OK) {
            bi_fail_prefix(status, "%s", what);
            return bi_yaml_fail_prefix(reader->yaml, node, status);
        }
    }
    return status;
}

static BerthStatus read_goals(const SceneReader* reader, const YamlNode* node, BerthProblem* problem) {
    BerthStatus status = bi_yaml_expect_kind(reader->yaml, node, "goals", YAML_LIST);
    if (status != BERTH_OK) {
        return status;
    }

    const size_t each = (size_t)problem->value_count;
    problem->goals = bi_take(&problem->allocator, (size_t)node->count * each, sizeof *problem->goals);
    if (problem->goals == NULL) {
        return fail_memory(reader->path);
    }
    problem->goal_count = node->count;

    int32_t i = 0;
    for (const YamlNode* item = node->first; item != NULL && status == BERTH_OK; item = item->next, ++i) {
        char what[48];
        snprintf(what, sizeof what, "goals: goal %d", (int)i);
        status = read_values(reader, item, what, problem->goals + (size_t)i * each);
    }
    return status;
}

static BerthStatus find_required(const YamlFile* file, const YamlNode* root, const char* key,
                                 const YamlNode** out) {
    *out = bi_yaml_find(root, key);
    return *out != NULL ? BERTH_OK : bi_yaml_fail(file, root, "problem: '%s' is missing", key);
}

static BerthStatus read_name_start_goals(const SceneReader* reader, const YamlNode* root,
                                         BerthProblem* problem) {
    const YamlNode* name = NULL;
    const YamlNode* start = NULL;
    const YamlNode* goals = NULL;
    const char* text = NULL;
    BerthStatus status = find_required(reader->yaml, root, "name", &name);
    if (status == BERTH_OK) {
        status = bi_yaml_text(reader->yaml, name, "problem: name", &text);
    }
    if (status == BERTH_OK && !bi_is_one_line(text)) {
        status = bi_yaml_fail(reader->yaml, name, "problem: name: a control character is in it");
    }
    if (status == BERTH_OK) {
        status = find_required(reader->yaml, root, "start", &start);
    }
    if (status == BERTH_OK) {
        status = find_required(reader->yaml, root, "goals", &goals);
    }
    if (status != BERTH_OK) {
        return status;
    }

    problem->name = bi_scene_copy_text(&problem->allocator, text);
    problem->start = bi_take(&problem->allocator, (size_t)problem->value_count, sizeof *problem->start);
    if (problem->name == NULL || problem->start == NULL) {
        return fail_memory(reader->path);
    }

    status = read_values(reader, start, "start", problem->start);
    return status == BERTH_OK ? read_goals(reader, goals, problem) : status;
}

static BerthStatus read_objects(SceneReader* reader, const YamlNode* root, BerthProblem* problem) {
    static const char* const scene_keys[] = {"objects", NULL};
    const YamlNode* scene = bi_yaml_find(root, "scene");
    if (scene == NULL) {
        return bi_yaml_fail(reader->yaml, root, "problem: 'scene' is missing");
    }

    BerthStatus status = bi_yaml_check_keys(reader->yaml, scene, "problem: scene", scene_keys);
    const YamlNode* objects = status == BERTH_OK ? bi_yaml_find(scene, "objects") : NULL;
    if (objects == NULL) {
        return status;
    }

    status = bi_yaml_expect_kind(reader->yaml, objects, "objects", YAML_LIST);
    if (status != BERTH_OK) {
        return status;
    }

    problem->objects = bi_take(&problem->allocator, (size_t)objects->count, sizeof *problem->objects);
    if (problem->objects == NULL) {
        return fail_memory(reader->path);
    }
    problem->object_count = objects->count;  // those not yet read have ids of zeros
    return bi_io_read_objects(reader, objects, problem->objects);
}

static BerthStatus read_problem(SceneReader* reader, const YamlNode* root, BerthProblem* problem) {
    static const char* const keys[] = {"name", "scene", "start", "goals", NULL};
    BerthStatus status = bi_yaml_check_keys(reader->yaml, root, "problem", keys);
    if (status == BERTH_OK) {
        status = read_name_start_goals(reader, root, problem);
    }
    if (status == BERTH_OK) {
        status = read_objects(reader, root, problem);
    }
    // A scene to which nothing was added stays as it is, and so does what was made of it: roadmaps.
    if (status == BERTH_OK && (problem->object_count > 0 || !reader->scene->committed)) {
        status = bi_yaml_fail_prefix(reader->yaml, root, berth_scene_commit(reader->scene));
    }
    return status;
}

void berth_io_free_problem(BerthScene* scene, BerthProblem* problem) {
    if (problem == NULL || problem->allocator.take == NULL) {
        return;
    }
    for (int32_t i = 0; i < problem->object_count; ++i) {
        if (bi_scene_object(scene, problem->objects[i]) != NULL) {
            berth_scene_remove_object(scene, problem->objects[i]);
        }
    }

    const size_t each = (size_t)problem->value_count;
    bi_scene_free_text(&problem->allocator, problem->name);
    bi_give(&problem->allocator, problem->start, each, sizeof *problem->start);
    bi_give(&problem->allocator, problem->goals, (size_t)problem->goal_count * each, sizeof *problem->goals);
    bi_give(&problem->allocator, problem->objects, (size_t)problem->object_count, sizeof *problem->objects);
    *problem = (BerthProblem){.name = NULL};
}

BerthStatus bi_io_problem_from_text(const BerthProblemText* line, const BerthIoOptions* options,
                                    const SceneFiles* files, BerthScene* scene, BerthProblem* out) {
    const BerthAllocator memory = bi_allocator_or_default(&options->allocator);
    *out = (BerthProblem){.allocator = memory, .value_count = berth_scene_value_count(scene)};
    const bool was_committed = scene->committed;

    Arena arena;
    bi_arena_init(&arena, &memory, 0);

    YamlFile yaml;
    BerthStatus status = bi_yaml_parse(line->text, line->length, line->path,
                                       line->line_number > 0 ? line->line_number : 1, &memory, &yaml);
    if (status == BERTH_OK) {
        SceneReader reader = {.path = line->path,
                              .yaml = &yaml,
                              .options = *options,
                              .files = bi_io_scene_files_or_disk(files),
                              .scene = scene,
                              .arena = &arena};
        reader.options.allocator = memory;
        status = read_problem(&reader, yaml.root, out);
    }

    bi_yaml_free(&yaml);
    bi_arena_free(&arena);
    if (status != BERTH_OK) {
        berth_io_free_problem(scene, out);
        if (was_committed && !scene->committed) {
            // What was committed before can be committed again; only memory can be missing, and then the scene says
            // that it is not committed. The text is about the problem, so it is kept.
            char text[512];
            snprintf(text, sizeof text, "%s", berth_error_text());
            berth_scene_commit(scene);
            bi_fail(status, "%s", text);
        }
    }
    return status;
}

BerthStatus berth_io_read_problem(const BerthProblemText* line, const BerthIoOptions* options,
                                  BerthScene* scene, BerthProblem* out) {
    if (line == NULL || line->text == NULL || line->path == NULL || scene == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "read problem: give a text, a path, a scene and a place");
    }
    const BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }
    return bi_io_problem_from_text(line, options, NULL, scene, out);
}

// ---- many ------------------------------------------------------------------------------------------------------

static bool is_blank(const char* text, size_t length) {
    return strspn(text, " \t\r") >= length;
}

// Finds lines that are not empty; with arrays in `lines` notes them. Returns how many.
static int32_t find_lines(const FileBytes* file, BerthProblemLines* lines) {
    int32_t count = 0, number = 1;
    for (size_t start = 0; start < file->size; ++number) {
        const char* end = memchr(file->data + start, '\n', file->size - start);
        const size_t length = end != NULL ? (size_t)(end - file->data) - start : file->size - start;
        if (!is_blank(file->data + start, length)) {
            if (lines->starts != NULL) {
                lines->starts[count] = start;
                lines->lengths[count] = length;
                lines->numbers[count] = number;
            }
            count += 1;
        }
        start += length + 1;
    }
    return count;
}

void berth_io_free_problem_lines(BerthProblemLines* lines) {
    if (lines == NULL || lines->allocator.take == NULL) {
        return;
    }
    const size_t count = (size_t)lines->count;
    bi_give(&lines->allocator, lines->text, lines->capacity, 1);
    bi_give(&lines->allocator, lines->starts, count, sizeof *lines->starts);
    bi_give(&lines->allocator, lines->lengths, count, sizeof *lines->lengths);
    bi_give(&lines->allocator, lines->numbers, count, sizeof *lines->numbers);
    *lines = (BerthProblemLines){.text = NULL};
}

BerthStatus berth_io_read_problem_lines(const char* path, const BerthIoOptions* options,
                                        BerthProblemLines* out) {
    if (path == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "read problems: give a path and a place");
    }
    *out = (BerthProblemLines){.text = NULL};
    BerthStatus status = bi_io_settle_options(&options);
    FileBytes file;
    if (status == BERTH_OK) {
        status = bi_io_read_file(path, 0, options, &file);
    }
    if (status != BERTH_OK) {
        return status;
    }

    // The bytes of the file are the lines' own from here on.
    *out = (BerthProblemLines){.allocator = file.allocator, .text = file.data, .capacity = file.capacity};
    const int32_t count = find_lines(&file, out);
    out->count = count;
    out->starts = bi_take(&out->allocator, (size_t)count, sizeof *out->starts);
    out->lengths = bi_take(&out->allocator, (size_t)count, sizeof *out->lengths);
    out->numbers = bi_take(&out->allocator, (size_t)count, sizeof *out->numbers);
    if (out->starts == NULL || out->lengths == NULL || out->numbers == NULL) {
        status = fail_memory(path);
    } else if (count == 0) {
        status =
            bi_fail(BERTH_ERR_PARSE, "%s: there is no problem in it: a JSON object a line is expected", path);
    }
    if (status != BERTH_OK) {
        berth_io_free_problem_lines(out);
        return status;
    }
    (void)find_lines(&file, out);
    return BERTH_OK;
}
