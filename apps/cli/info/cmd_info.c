// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth info: robots and scenes, meshes, maps, clouds, certificates, files of states and motions.
// Entry: cli_run_info.

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/info/info.h"
#include "cli/map/map.h"

const char cli_info_help[] =
    "Each FILE is a robot (.urdf, .xml), a scene (.yaml, .scene), a mesh (.stl .obj .dae .ply .glb "
    ".gltf), a map (.bmap .lin .bt .ot, .yaml of map_server), a cloud (.pcd .xyz .pts .txt, .ply without "
    "faces, .csv of x, y, z), a certificate, or a file of states, segments or a trajectory (.csv, .npy, "
    ".json, .yaml), which is read with the robot or scene named before it. MoveIt's .scene and "
    "MotionBenchMaker's scenes contain no robot: without --robot only the objects are shown.\n"
    "\n"
    "It prints joints with their limits and the order of values; links with their geometry, triangles, "
    "whether a mesh is closed (a closed mesh is solid, an open one only a surface), size and memory; the "
    "pairs that are checked, and why others are not; reach, groups, named states; what every answer will "
    "assume; and what looks wrong.\n"
    "\n"
    "examples:\n"
    "  berth info panda.urdf --srdf panda.srdf --pairs\n"
    "  berth info cell.yaml samples.csv\n"
    "  berth info gripper.dae --json\n"
    "  berth info cell.yaml --capsules     what berth monitor guards: each link enclosed by a few capsules\n"
    "\n"
    "with --json, one line per file (shortened):\n"
    "  {\"file\": \"arm.urdf\", \"kind\": \"robot\", \"robots\": [{\"name\": \"arm\", \"reach\": 1.905, "
    "...}],\n"
    "   \"joints\": [{\"name\": \"joint1\", \"type\": \"revolute\", \"values\": [\"joint1\"],\n"
    "   \"limits\": {\"lower\": -3, \"upper\": 3, \"velocity\": 0.32}, \"mimic\": null, ...}],\n"
    "   \"links\": [{\"name\": \"link1\", \"solids\": [{\"kind\": \"capsule\", ...}]}],\n"
    "   \"pairs\": {\"checked\": 15, \"skipped\": {\"no_geometry\": 7, \"rigid\": 0, \"adjacent\": 6, "
    "...}},\n"
    "   \"assumed\": [], \"declared\": [{\"what\": \"adjacent_pairs\", \"detail\": \"...\", \"count\": "
    "6}], \"proven\": 0,\n"
    "   \"warnings\": []}\n"
    "\n"
    "exit status: 0 done, 2 wrong request or file, 3 --strict and something is assumed or warned about, "
    "4 the machine failed\n";

static bool has_extension(const char* path, const char* const* list) {
    const char* dot = strrchr(path, '.');
    for (int i = 0; dot != NULL && list[i] != NULL; ++i) {
        size_t k = 0;
        while (dot[k] != '\0' && tolower((unsigned char)dot[k]) == list[i][k]) {
            ++k;
        }
        if (dot[k] == '\0' && list[i][k] == '\0') {
            return true;
        }
    }
    return false;
}

static const char* const robot_extensions[] = {".urdf", ".xml", NULL};
static const char* const states_extensions[] = {".csv", ".npy", NULL};
static const char* const message_extensions[] = {".json", ".yaml", ".yml", NULL};

typedef struct Info {
    const Options* options;
    const BerthIoOptions* io;
    Warnings* warnings;
    BerthScene* scene;  // the last one read: files of states refer to it
    bool assumed;       // something was assumed
} Info;

static int describe_scene(Info* info, const char* path, bool robot, Text* text) {
    BerthScene* scene = NULL;
    BerthIoOptions io = *info->io;
    io.world_only = true;
    BerthStatus status = berth_io_read_scene(path, &io, &scene);
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    berth_scene_destroy(info->scene);
    info->scene = scene;
    info->assumed = info->assumed || berth_scene_assumed_count(scene) > 0;
    const char* kind = robot ? "robot" : "scene";
    if (berth_scene_robot_count(scene) == 0) {
        kind = "world";
    }

    if (info->options->json) {
        Json json = json_writer(text);
        json_open(&json, '{');
        json_key_text(&json, "file", path);
        json_key_text(&json, "kind", kind);
        info_scene_json(&json, scene, info->options);
        status = info->options->show_capsules ? info_capsules_json(&json, scene) : BERTH_OK;
        info_json_warnings(&json, info->warnings);
        json_close(&json, '}');
        text_puts(text, "\n");
    } else {
        text_printf(text, "%s: a %s\n", path, kind);
        info_scene_text(text, scene, info->options);
        status = info->options->show_capsules ? info_capsules_text(text, scene) : BERTH_OK;
    }

    return cli_exit_status(status);
}

static void write_mesh_json(Text* text, const char* path, const BerthMeshInfo* mesh, size_t bytes,
                            const Warnings* warnings) {
    Json json = json_writer(text);
    json_open(&json, '{');
    json_key_text(&json, "file", path);
    json_key_text(&json, "kind", "mesh");

    json_key_int(&json, "vertices", mesh->vertex_count);
    json_key_int(&json, "triangles", mesh->triangle_count);
    json_key_int(&json, "degenerate", mesh->degenerate_count);
    json_key_int(&json, "lost", mesh->lost_count);
    json_key_int(&json, "duplicate", mesh->duplicate_count);
    json_key_int(&json, "open_edges", mesh->open_edge_count);
    json_key_int(&json, "components", mesh->component_count);

    json_key_bool(&json, "watertight", mesh->watertight);
    json_key_bool(&json, "convex", mesh->convex);
    json_key_vec3(&json, "low", mesh->low);
    json_key_vec3(&json, "high", mesh->high);
    json_key_number(&json, "volume", mesh->watertight ? mesh->volume : (double)NAN);
    json_key_number(&json, "area", mesh->area);
    json_key_int(&json, "bytes", (int64_t)bytes);

    json_key_open(&json, "assumed", '[');
    if (!mesh->watertight) {
        json_open(&json, '{');
        json_key_text(&json, "what", "open_meshes");
        json_key_text(&json, "detail",
                      "the mesh is not closed: it is only a surface, and bodies inside it are not detected");
        json_key_int(&json, "count", 1);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    cli_json_no_pairs(&json);

    info_json_warnings(&json, warnings);
    json_close(&json, '}');
    text_puts(text, "\n");
}

static void write_mesh_text(Text* text, const char* path, const BerthMeshInfo* mesh, size_t bytes) {
    text_printf(text, "%s: a mesh\n  %d triangles, %d vertices, %d piece%s; %zu kB with its trees\n", path,
                (int)mesh->triangle_count, (int)mesh->vertex_count, (int)mesh->component_count,
                mesh->component_count == 1 ? "" : "s", bytes / 1000);
    text_printf(text, "  size %.4g x %.4g x %.4g m, from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g)\n",
                mesh->high.x - mesh->low.x, mesh->high.y - mesh->low.y, mesh->high.z - mesh->low.z,
                mesh->low.x, mesh->low.y, mesh->low.z, mesh->high.x, mesh->high.y, mesh->high.z);

    if (mesh->watertight) {
        text_printf(text, "  closed%s: it is solid, volume %.4g m3\n", mesh->convex ? " and convex" : "",
                    mesh->volume);
    } else {
        text_printf(
            text,
            "  open (%d edges): it is only a surface, and bodies inside it are not detected; hull: true "
            "makes it solid\n",
            (int)mesh->open_edge_count);
    }

    if (mesh->degenerate_count > 0 || mesh->duplicate_count > 0) {
        text_printf(text, "  %d triangles without area and %d duplicates were dropped\n",
                    (int)mesh->degenerate_count, (int)mesh->duplicate_count);
    }
}

static int describe_mesh(Info* info, const char* path, Text* text) {
    BerthMesh* mesh = NULL;
    BerthStatus status = berth_io_read_mesh(path, (BerthVec3){1, 1, 1}, info->io, &mesh);
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    const BerthMeshInfo facts = berth_mesh_info(mesh);
    BerthSolid* solid = NULL;
    status = berth_solid_from_mesh(mesh, NULL, &solid);  // takes the mesh
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    info->assumed = info->assumed || !facts.watertight;
    if (info->options->json) {
        write_mesh_json(text, path, &facts, berth_solid_bytes(solid), info->warnings);
    } else {
        write_mesh_text(text, path, &facts, berth_solid_bytes(solid));
    }

    berth_solid_destroy(solid);
    return EXIT_FREE;
}

// The line number at the beginning of a text about a file; 0 if there is none.
static long failed_line_number(const char* text, const char* path) {
    const size_t length = strlen(path);
    return strncmp(text, path, length) == 0 && text[length] == ':' ? strtol(text + length + 1, NULL, 10) : 0;
}

// A table of numbers is read as states, else as a trajectory, else as segments; the error is that of the reader that got
// furthest.
static int describe_table(Info* info, const char* path, Text* text) {
    if (info->scene == NULL) {
        return cli_reject(
            "info", "%s: name the robot or scene of these states before it: berth info SCENE %s", path, path);
    }

    char failure[1200] = "";
    long farthest = -1;
    BerthStatus status = BERTH_ERR_PARSE;

    for (int kind = 0; kind < INFO_ROWS_KINDS && status == BERTH_ERR_PARSE; ++kind) {
        InfoRows rows;
        status = info_read_rows((InfoRowsKind)kind, path, info->scene, info->io, &rows);
        if (status == BERTH_OK) {
            info_write_rows(text, &rows, path, info->scene, info->options, info->warnings);
            info_free_rows(&rows);
            return EXIT_FREE;
        }

        const long line = failed_line_number(berth_error_text(), path);
        if (line > farthest || status != BERTH_ERR_PARSE) {
            farthest = line;
            (void)snprintf(failure, sizeof failure, "%s", berth_error_text());
        }
    }

    fprintf(stderr, "%s\n", failure);
    return status == BERTH_ERR_MEMORY || status == BERTH_ERR_SYSTEM ? EXIT_MACHINE : EXIT_WRONG;
}

// A JSON or YAML file after a robot or scene may be a trajectory. False if it is not.
static bool describe_message(const Info* info, const char* path, Text* text) {
    InfoRows rows;
    if (info->scene == NULL ||
        info_read_rows(INFO_ROWS_TRAJECTORY, path, info->scene, info->io, &rows) != BERTH_OK) {
        return false;
    }
    info_write_rows(text, &rows, path, info->scene, info->options, info->warnings);
    info_free_rows(&rows);
    return true;
}

static int describe_file(Info* info, const char* path, Text* text) {
    info->warnings->kept.size = 0;  // each file has its own warnings

    if (berth_io_is_certificate(path)) {
        return info_describe_certificate(info->options, info->io, info->warnings, path, text, &info->assumed);
    }

    // A .csv after a robot or scene refers to it, whatever its column names.
    const bool table = has_extension(path, states_extensions);
    if (!(table && info->scene != NULL) && berth_io_is_cloud(path)) {
        return map_describe_points(info->options, info->io, info->warnings, path, text);
    }
    if (berth_io_is_mesh(path)) {
        return describe_mesh(info, path, text);
    }
    if (berth_io_is_map(path)) {
        return map_describe(info->options, info->io, info->warnings, path, text, &info->assumed);
    }

    if (table) {
        return describe_table(info, path, text);
    }
    if (has_extension(path, message_extensions) && describe_message(info, path, text)) {
        return EXIT_FREE;
    }
    return describe_scene(info, path, has_extension(path, robot_extensions), text);
}

int cli_run_info(const Options* options) {
    if (options->argument_count == 0) {
        return cli_reject("info",
                          "which file? usage: berth info FILE... [OPTIONS]; 'berth help info' has more");
    }

    Warnings warnings;
    BerthIoOptions io;
    if (!cli_start("info", options, &warnings, &io)) {
        return EXIT_WRONG;
    }

    Info info = {.options = options, .io = &io, .warnings = &warnings};
    Text text = {0};
    int status = EXIT_FREE;

    // Everything is read before anything is printed: a wrong file gives one message and no partial answer.
    for (int i = 0; status == EXIT_FREE && i < options->argument_count; ++i) {
        status = describe_file(&info, options->arguments[i], &text);
        if (status == EXIT_FREE && cli_interrupted()) {
            status = EXIT_INTERRUPTED;
        }
    }

    static const char* const of_scenes[] = {"pairs", "capsules", NULL};
    if (status == EXIT_FREE && info.scene == NULL) {
        status = cli_refuse_idle("info", options, of_scenes, "without a robot or scene among the files");
    }

    if (status == EXIT_FREE) {
        status = cli_write_output(&text);
    }
    if (status == EXIT_FREE && options->strict && (info.assumed || warnings.count > 0)) {
        status = EXIT_UNKNOWN;
    }

    berth_scene_destroy(info.scene);
    text_free(&text);
    warnings_close(&warnings);
    return status;
}
