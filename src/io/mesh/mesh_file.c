// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One mesh file: which reader, then welding, then a check of its size for plausibility.
// Entries: berth_io_read_mesh, berth_io_is_mesh, bi_io_solid_from_mesh.

#include <stdio.h>
#include <string.h>

#include "io/mesh/mesh_file.h"
#include "io/mesh/soup.h"
#include "io/syntax/file.h"
#include "mesh/mesh.h"

// Links of robots are within this; anything else is warned about, in metres.
#define SIZE_LARGE 5.0
#define SIZE_SMALL 1e-3
// What a part is likely to measure, used to doubt a unit: below, and plausible without the unit, is
// suspicious.
#define SIZE_PLAUSIBLE 0.02

// assimp needs several times the file's size, and is no place for hostile gigabytes.
#define FOREIGN_FILE_LIMIT ((size_t)256 << 20)

/// Every mesh format: its extension, and our own reader; without one it is assimp's.
static const struct {
    const char* extension;
    BerthStatus (*parse)(const char* path, const char* data, size_t size, const BerthIoOptions* options,
                         TriangleSoup* soup);
} formats[] = {{".stl", bi_io_parse_stl},
               {".obj", bi_io_parse_obj},
               {".dae", NULL},
               {".ply", NULL},
               {".gltf", NULL},
               {".glb", NULL}};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

// The format of a file by its name, or -1.
static int find_format(const char* path) {
    for (int i = 0; i < FORMAT_COUNT; ++i) {
        if (bi_io_has_extension(path, formats[i].extension)) {
            return i;
        }
    }
    return -1;
}

bool berth_io_is_mesh(const char* path) {
    return path != NULL && find_format(path) >= 0;
}

static double largest_side(const BerthMesh* mesh) {
    const Vec3 side = v3_sub(mesh->info.high, mesh->info.low);
    const double larger = side.x > side.y ? side.x : side.y;
    return larger > side.z ? larger : side.z;
}

static bool is_plausible(double size) {
    return size >= SIZE_PLAUSIBLE && size <= SIZE_LARGE;
}

static void warn_about_size(const char* path, const BerthMesh* mesh, const MeshUnits* units,
                            const BerthIoOptions* options) {
    const double size = largest_side(mesh);
    const bool unit_obeyed = units->metres != 1.0 && !options->ignore_dae_units;

    if (unit_obeyed && !is_plausible(size) && is_plausible(size / units->metres)) {
        bi_io_warn(
            options,
            "%s:%d: with its unit of %g m the mesh is %.3g m large, without it %.3g m: is the unit wrong?",
            path, units->line, units->metres, size, size / units->metres);
    } else if (size > SIZE_LARGE || size < SIZE_SMALL) {
        bi_io_warn(options,
                   "%s: the mesh is %.3g m large, a robot's part is expected to be %g m to %g m: is its "
                   "scale right?",
                   path, size, SIZE_SMALL, SIZE_LARGE);
    }
}

// The soup's arrays become the mesh's, unless they are refused. Readers refuse too many with the line; here is who forgets.
static BerthStatus make_mesh(const char* path, TriangleSoup* soup, const BerthIoOptions* options,
                             BerthMesh** out) {
    if (soup->triangle_count > BI_MESH_TRIANGLES_MAX ||
        soup->vertex_count > 3 * (size_t)BI_MESH_TRIANGLES_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s: more than %d triangles, or three times as many vertices", path,
                       BI_MESH_TRIANGLES_MAX);
    }

    MeshArrays arrays = {soup->vertices,
                         soup->corners,
                         (int32_t)soup->vertex_count,
                         (int32_t)soup->triangle_count,
                         (int32_t)soup->vertex_capacity,
                         (int32_t)soup->triangle_capacity};
    const BerthStatus status = bi_mesh_create_from_arrays(&arrays, &options->allocator, out);
    if (arrays.vertices == NULL) {
        *soup = (TriangleSoup){.allocator = soup->allocator};
    }
    if (status == BERTH_ERR_ARGUMENT) {
        return bi_fail_prefix(BERTH_ERR_PARSE, "%s", path);
    }

    const int32_t lost = status == BERTH_OK ? berth_mesh_info(*out).lost_count : 0;
    if (lost > 0) {
        bi_io_warn(options,
                   "%s: %d triangle%s named a point twice, and no other triangle has %s edge: these lines "
                   "and points "
                   "are no obstacles",
                   path, (int)lost, lost == 1 ? "" : "s", lost == 1 ? "that" : "their");
    }
    return status == BERTH_OK ? status : bi_fail_prefix(status, "%s", path);
}

static BerthStatus fail_format(const char* path) {
    char list[16 * FORMAT_COUNT] = "";
    size_t used = 0;
    for (int i = 0; i < FORMAT_COUNT; ++i) {
        const char* separator = i + 1 < FORMAT_COUNT ? ", " : " and ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? separator : "",
                                 formats[i].extension);
    }

    const char* dot = strrchr(path, '.');
    return bi_fail(BERTH_ERR_UNSUPPORTED, "%s: mesh files of type '%s' are not read; %s are", path,
                   dot != NULL && strchr(dot, '/') == NULL ? dot : "", list);
}

static BerthStatus read_soup(const char* path, const BerthIoOptions* options, TriangleSoup* soup,
                             MeshUnits* units) {
    const int format = find_format(path);
    if (format < 0) {
        return fail_format(path);
    }

    const bool own = formats[format].parse != NULL;
    FileBytes file;
    BerthStatus status = bi_io_read_file(path, own ? 0 : FOREIGN_FILE_LIMIT, options, &file);
    if (status == BERTH_OK && own) {
        status = formats[format].parse(path, file.data, file.size, options, soup);
    } else if (status == BERTH_OK) {
        status = bi_io_parse_foreign(path, file.data, file.size, options, soup, units);
    }
    bi_io_free_file(&file);
    return status;
}

BerthStatus bi_io_solid_from_mesh(BerthMesh* mesh, bool as_hull, const BerthAllocator* allocator,
                                  BerthSolid** out) {
    if (!as_hull) {
        return berth_solid_from_mesh(mesh, allocator, out);
    }

    BerthHull* hull = NULL;
    const BerthStatus status =
        berth_hull_create(berth_mesh_vertices(mesh), berth_mesh_info(mesh).vertex_count, allocator, &hull);
    berth_mesh_destroy(mesh);
    return status == BERTH_OK ? berth_solid_from_hull(hull, allocator, out) : status;
}

BerthStatus berth_io_read_mesh(const char* path, BerthVec3 scale, const BerthIoOptions* options,
                               BerthMesh** out) {
    if (out == NULL || path == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "mesh file: a path and a place for the result are expected");
    }
    *out = NULL;
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    TriangleSoup soup;
    status = bi_soup_init(&soup, scale, &options->allocator);
    if (status != BERTH_OK) {
        return bi_fail_prefix(status, "%s", path);
    }

    MeshUnits units = {.metres = 1.0};
    status = read_soup(path, options, &soup, &units);
    if (status == BERTH_OK) {
        status = bi_io_step(options, path, 1.0);
    }
    if (status == BERTH_OK) {
        status = make_mesh(path, &soup, options, out);
    }

    bi_soup_free(&soup);
    if (status == BERTH_OK) {
        warn_about_size(path, *out, &units, options);
    }
    return status;
}
