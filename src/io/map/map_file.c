// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A map from a file: which reader, then a field. A .bmap is memory-mapped and used in place.
// Entries: bi_map_open (berth_io_open_map with a reader of scenes), berth_io_close_map, berth_io_read_field,
// berth_io_is_map.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // O_CLOEXEC, mmap
#endif

#include "io/map/map_file.h"

#include <berth/io/mesh.h>
#include <berth/lab/field.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/syntax/files.h"

enum { PATH_SIZE = 4200, SERVER_SIZE_MAX = 65536 };

BerthMapOptions berth_default_map_options(void) {
    return (BerthMapOptions){.levels = -1, .stamp = BI_DEF_STAMP};
}

static BerthStatus check_options(const char* path, const BerthMapOptions* o) {
    if (o == NULL || o->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "map options: start from berth_default_map_options()");
    }

    if (!(o->resolution >= 0.0 && o->resolution <= 1e6)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: a resolution of %g m, 0 to 1e6 are expected", path,
                       o->resolution);
    }
    if (!(o->radius >= 0.0 && o->radius <= 1e6)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: points of radius %g m, 0 to 1e6 are expected", path,
                       o->radius);
    }

    if (o->levels > BI_MAP_LEVELS_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: %d levels, at most %d are possible", path, (int)o->levels,
                       BI_MAP_LEVELS_MAX);
    }

    if (o->has_origin && !(o->origin.x - o->origin.x == 0.0 && o->origin.y - o->origin.y == 0.0 &&
                           o->origin.z - o->origin.z == 0.0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: the origin is not finite", path);
    }
    return BERTH_OK;
}

// ---- kinds ---------------------------------------------------------------------------------------------------

typedef enum MapKind {
    KIND_NONE = 0,
    KIND_LIN,
    KIND_OCTOMAP,
    KIND_NPY,
    KIND_SERVER,
    KIND_BMAP,
    KIND_POINTS,
    KIND_PLY,
    KIND_MESH
} MapKind;

static const struct {
    const char* extension;
    MapKind kind;
} g_kinds[] = {{".lin", KIND_LIN},     {".bt", KIND_OCTOMAP}, {".ot", KIND_OCTOMAP}, {".npy", KIND_NPY},
               {".yaml", KIND_SERVER}, {".yml", KIND_SERVER}, {".bmap", KIND_BMAP},  {".pcd", KIND_POINTS},
               {".xyz", KIND_POINTS},  {".csv", KIND_POINTS}, {".txt", KIND_POINTS}, {".pts", KIND_POINTS},
               {".ply", KIND_PLY}};

static MapKind kind_of(const char* path) {
    for (size_t i = 0; i < sizeof g_kinds / sizeof g_kinds[0]; ++i) {
        if (bi_io_has_extension(path, g_kinds[i].extension)) {
            return g_kinds[i].kind;
        }
    }
    return berth_io_is_mesh(path) ? KIND_MESH : KIND_NONE;
}

bool berth_io_is_map(const char* path) {
    const MapKind kind = kind_of(path);
    FileBytes file;
    if (kind != KIND_SERVER || bi_io_read_file(path, SERVER_SIZE_MAX, NULL, &file) != BERTH_OK) {
        return kind == KIND_LIN || kind == KIND_OCTOMAP || kind == KIND_BMAP;
    }

    const bool server = bi_io_is_map_server(file.data, file.size);
    bi_io_free_file(&file);
    return server;
}

// ---- cells ---------------------------------------------------------------------------------------------------

// The image stands beside its description, unless its name is absolute.
static BerthStatus make_image_path(const MapJob* job, const char* name, char out[PATH_SIZE]) {
    const char* slash = name[0] == '/' ? NULL : strrchr(job->path, '/');
    int length = 0;
    if (slash == NULL) {
        length = snprintf(out, PATH_SIZE, "%s", name);
    } else {
        length = snprintf(out, PATH_SIZE, "%.*s/%s", (int)(slash - job->path), job->path, name);
    }
    if (length <= 0 || length >= PATH_SIZE) {
        return bi_fail(BERTH_ERR_PARSE, "%s: image: the path is too long", job->path);
    }
    return BERTH_OK;
}

static BerthStatus read_server(const MapJob* job, const FileBytes* file, MapCells* cells) {
    MapServer server;
    char path[PATH_SIZE];
    FileBytes image_file;
    GreyImage image = {.allocator = cells->allocator, .options = &job->io};

    BerthStatus status =
        bi_io_parse_map_server(job->path, file->data, file->size, &cells->allocator, &server);
    if (status == BERTH_OK) {
        status = make_image_path(job, server.image, path);
    }
    if (status == BERTH_OK) {
        status = bi_io_read_file(path, cells->memory_limit, &job->io, &image_file);
    }
    if (status != BERTH_OK) {
        return status;
    }

    status = bi_io_parse_image(path, image_file.data, image_file.size, cells->memory_limit, &image);
    bi_io_free_file(&image_file);

    if (status == BERTH_OK) {
        status = bi_map_cells_from_image(path, &server, &image, cells);
    }
    cells->yaw = server.origin[2];
    bi_image_free(&image);
    return status;
}

// A field is never turned: whoever uses the map must do it.
static BerthStatus check_yaw(const MapJob* job) {
    if (job->facts.yaw == 0.0 || job->map.obey_yaw) {
        return BERTH_OK;
    }
    return bi_fail(
        BERTH_ERR_UNSUPPORTED,
        "%s: origin: yaw %g: rotated cells are not supported here; set it to 0 and give the map a pose "
        "in a scene",
        job->path, job->facts.yaw);
}

static BerthStatus fail_own_grid(const MapJob* job) {
    return bi_fail(BERTH_ERR_ARGUMENT,
                   "%s: the file has a resolution and an origin of its own: they cannot be given", job->path);
}

static BerthStatus read_cells(MapJob* job, MapKind kind, const FileBytes* file, MapCells* cells) {
    const bool own = kind == KIND_OCTOMAP || kind == KIND_SERVER;
    if (own && (job->map.resolution > 0.0 || job->map.has_origin)) {
        return fail_own_grid(job);
    }

    if (kind == KIND_NPY && !(job->map.resolution > 0.0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: a resolution is needed: how many metres a cell is wide",
                       job->path);
    }

    BerthStatus status = BERTH_OK;
    switch (kind) {
    case KIND_LIN:
        job->facts.format = "lin";
        status = bi_io_parse_lin(job->path, file->data, file->size, cells);
        break;
    case KIND_OCTOMAP:
        job->facts.format = "octomap";
        status = bi_io_parse_octomap(job->path, file->data, file->size, cells);
        break;
    case KIND_NPY:
        job->facts.format = "npy";
        status = bi_io_parse_npy_volume(job->path, file->data, file->size, cells);
        break;
    default:
        job->facts.format = "map_server";
        status = read_server(job, file, cells);
    }

    if (!own) {
        cells->resolution = job->map.resolution > 0.0 ? job->map.resolution : 1.0;
        cells->origin = job->map.has_origin ? job->map.origin : (BerthVec3){0.0, 0.0, 0.0};
    }
    return status;
}

static BerthStatus build_from_cells(MapJob* job, MapKind kind, const FileBytes* file, BerthField** out) {
    MapCells cells;
    bi_map_cells_init(&cells, &job->io.allocator, job->map.memory_limit);
    cells.options = &job->io;
    cells.path = job->path;
    BerthStatus status = read_cells(job, kind, file, &cells);
    job->facts.yaw = cells.yaw;
    status = status == BERTH_OK ? check_yaw(job) : status;
    if (status == BERTH_OK) {
        status = bi_map_from_cells(job, &cells, out);
    }
    bi_map_cells_free(&cells);
    return status;
}

// ---- points and meshes ---------------------------------------------------------------------------------------

static BerthStatus build_from_points(MapJob* job, const FileBytes* file, BerthField** out) {
    PointCloud cloud;
    job->facts.format = "points";
    bi_cloud_init(&cloud, &job->io.allocator);
    cloud.options = &job->io;

    BerthStatus status = bi_io_parse_points(job->path, file->data, file->size, &cloud);
    if (status == BERTH_OK && cloud.has_viewpoint) {
        bi_io_warn(&job->io, "%s: its VIEWPOINT is not applied: points are taken as they are", job->path);
    }
    if (status == BERTH_OK) {
        status = bi_map_from_points(job, &cloud, out);
    }

    bi_cloud_free(&cloud);
    return status;
}

static BerthStatus build_from_mesh(MapJob* job, BerthField** out) {
    BerthMesh* mesh = NULL;
    job->facts.format = "mesh";
    BerthStatus status = berth_io_read_mesh(job->path, (BerthVec3){1, 1, 1}, &job->io, &mesh);
    if (status == BERTH_OK) {
        status = bi_map_from_mesh(job, mesh, out);
    }
    berth_mesh_destroy(mesh);
    return status;
}

static BerthStatus build_from_scene(MapJob* job, BerthField** out) {
    if (job->from_scene == NULL) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s:1: not a map: a YAML file of ROS' map_server has a line 'image: ...'", job->path);
    }

    job->facts.format = "scene";
    return job->from_scene(job, out);
}

static BerthStatus build_from_file(MapJob* job, MapKind kind, BerthField** out) {
    FileBytes file;
    if (kind == KIND_MESH) {
        return build_from_mesh(job, out);
    }

    BerthStatus status = bi_io_read_file(
        job->path, job->map.memory_limit > 0 ? job->map.memory_limit : BI_MAP_MEMORY, &job->io, &file);
    if (status != BERTH_OK) {
        return status;
    }

    job->facts.file_bytes = file.size;
    if (kind == KIND_PLY && bi_io_ply_has_faces(job->path, file.data, file.size)) {
        status = build_from_mesh(job, out);
    } else if (kind == KIND_SERVER && !bi_io_is_like_map_server(file.data, file.size)) {
        status = build_from_scene(job, out);
    } else if (kind == KIND_PLY || kind == KIND_POINTS) {
        status = build_from_points(job, &file, out);
    } else {
        status = build_from_cells(job, kind, &file, out);
    }

    bi_io_free_file(&file);
    return status;
}

// ---- .bmap ---------------------------------------------------------------------------------------------------

static BerthStatus map_bmap_file(const char* path, const BerthIoOptions* options, BerthMap* map) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat state;
    int code = descriptor < 0 || fstat(descriptor, &state) != 0 ? errno : 0;
    if (code == 0 && (!S_ISREG(state.st_mode) || state.st_size <= 0)) {
        close(descriptor);
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 0: it is empty or no regular file, a .bmap is expected",
                       path);
    }

    const BerthStatus noted = code == 0 ? bi_io_files_note_read(options->files, &state) : BERTH_OK;
    if (noted != BERTH_OK) {
        close(descriptor);
        return noted;
    }

    if (code == 0) {
        void* mapping = mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        code = mapping == MAP_FAILED ? errno : 0;
        map->mapping = code == 0 ? mapping : NULL;
        map->mapping_size = code == 0 ? (size_t)state.st_size : 0;
    }

    if (descriptor >= 0) {
        close(descriptor);
    }

    if (code != 0) {
        char text[128] = "";
        const bool machine = code == EMFILE || code == ENFILE || code == ENOMEM || code == EIO;
        return bi_fail(machine ? BERTH_ERR_SYSTEM : BERTH_ERR_ARGUMENT, "%s: cannot be opened: %s", path,
                       strerror_r(code, text, sizeof text));
    }
    return BERTH_OK;
}

// Parts that it does not have are built, in memory; then the file is not needed any more.
static BerthStatus build_missing_parts(const MapJob* job, BerthMap* map) {
    const BerthFieldInfo info = berth_field_info(map->field);
    const bool unknown_is_free = job->map.unknown_given ? job->map.unknown_is_free : info.unknown_is_free;
    if ((job->map.parts & ~info.parts) == 0 && unknown_is_free == info.unknown_is_free) {
        return BERTH_OK;
    }

    BerthFieldDef def = bi_map_field_def(job);
    BerthField* made = NULL;
    def.parts |= info.parts;
    def.unknown_is_free = unknown_is_free;
    def.local = info.local;

    const BerthStatus status = berth_field_remake(map->field, &def, &made);
    if (status != BERTH_OK) {
        return status == BERTH_ERR_CANCELLED ? status : bi_fail_prefix(status, "%s", job->path);
    }

    berth_field_destroy(map->field);
    map->field = made;
    return BERTH_OK;
}

static BerthStatus read_bmap(MapJob* job, bool in_place, BerthMap* map) {
    if (job->map.resolution > 0.0 || job->map.has_origin) {
        return fail_own_grid(job);
    }

    BerthStatus status = map_bmap_file(job->path, &job->io, map);
    if (status == BERTH_OK) {
        job->facts.file_bytes = map->mapping_size;
        status = bi_bmap_parse(job->path, map->mapping, map->mapping_size, in_place, &job->io.allocator,
                               &job->facts, &map->field);
    }
    status = status == BERTH_OK ? check_yaw(job) : status;
    return status == BERTH_OK ? build_missing_parts(job, map) : status;
}

// ---- maps ----------------------------------------------------------------------------------------------------

static void unmap_file(BerthMap* map) {
    if (map->mapping != NULL) {
        munmap(map->mapping, map->mapping_size);
    }
    map->mapping = NULL;
}

// For readers, where the map's options have a `progress`.
static bool is_map_cancelled(void* user) {
    const MapJob* job = user;
    return !job->map.progress(job->map.progress_user, 0.0);
}

// For builders, where they have none.
static bool go_on_with_map(void* user, double share) {
    (void)share;
    const MapJob* job = user;
    return bi_io_step(&job->io, job->path, 1.0) == BERTH_OK;
}

static BerthStatus read_map(const char* path, const BerthMapOptions* map_options,
                            const BerthIoOptions* options, MapFromScene* from_scene, bool in_place,
                            BerthMap* map) {
    if (path == NULL || path[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "a file's name is missing");
    }
    BerthStatus status = check_options(path, map_options);
    if (status != BERTH_OK) {
        return status;
    }

    MapJob job = {.path = path, .map = *map_options, .io = *options, .from_scene = from_scene};
    job.io.allocator = map->allocator;

    // One of the two says when to stop, for readers and for builders.
    if (map_options->progress != NULL) {
        job.io.cancelled = is_map_cancelled;
        job.io.cancelled_user = &job;
    } else {
        job.map.progress = go_on_with_map;
        job.map.progress_user = &job;
    }

    const MapKind kind = kind_of(path);
    if (kind == KIND_NONE) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "%s: not a map by its name: .lin, .bt, .ot, .yaml (map_server), .npy, .bmap, a cloud "
                       "(.pcd, .ply, .xyz) or a mesh (.stl, .obj) is expected",
                       path);
    }

    status = kind == KIND_BMAP ? read_bmap(&job, in_place, map) : build_from_file(&job, kind, &map->field);
    map->facts = job.facts;
    return status;
}

BerthStatus bi_map_open(const char* path, const BerthMapOptions* map_options, const BerthIoOptions* options,
                        MapFromScene* from_scene, BerthMap** out) {
    *out = NULL;
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator allocator = bi_allocator_or_default(&options->allocator);
    BerthMap* map = bi_take(&allocator, 1, sizeof *map);
    if (map == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for a map", path);
    }

    map->allocator = allocator;
    status = read_map(path, map_options, options, from_scene, true, map);
    if (status != BERTH_OK) {
        berth_io_close_map(map);
        return status;
    }

    *out = map;
    return BERTH_OK;
}

void berth_io_close_map(BerthMap* map) {
    if (map == NULL) {
        return;
    }

    berth_field_destroy(map->field);
    unmap_file(map);
    const BerthAllocator allocator = map->allocator;
    bi_give(&allocator, map, 1, sizeof *map);
}

const BerthField* berth_map_field(const BerthMap* map) {
    return map->field;
}

BerthStatus berth_map_add_parts(BerthMap* map, uint32_t parts, const BerthMapOptions* map_options,
                                const BerthIoOptions* options) {
    BerthStatus status = bi_io_settle_options(&options);
    if (status == BERTH_OK) {
        status = check_options("map", map_options);
    }
    if (status != BERTH_OK) {
        return status;
    }

    MapJob job = {.path = "map", .map = *map_options, .io = *options};
    job.io.allocator = map->allocator;
    job.map.parts = parts;
    job.map.unknown_given = false;
    return build_missing_parts(&job, map);
}

BerthMapFacts berth_map_facts(const BerthMap* map) {
    return map->facts;
}

BerthStatus berth_io_read_field(const char* path, const BerthMapOptions* map_options,
                                const BerthIoOptions* options, BerthField** out, BerthMapFacts* facts) {
    *out = NULL;
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    BerthMap map = {.allocator = bi_allocator_or_default(&options->allocator)};
    status = read_map(path, map_options, options, NULL, false, &map);
    unmap_file(&map);

    if (status != BERTH_OK) {
        berth_field_destroy(map.field);
        map.field = NULL;
    }

    *out = map.field;
    if (facts != NULL) {
        *facts = map.facts;
    }
    return status;
}
