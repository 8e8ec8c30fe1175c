// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps for other tools: signed distances and their gradient as .npy, a slice as an image, the surface of the
// occupied cells as a mesh. What would need more than the limit is refused before it is made.
// Entries: berth_io_write_esdf, berth_io_write_slice, berth_io_write_surface.

#include <berth/lab/field.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "base/sort.h"
#include "io/map/map_file.h"
#include "io/syntax/npy.h"

enum { PIXELS_MAX = 1 << 26, SHADES = 32, QUAD_BYTES = 300 };

/// What an export needs to know.
typedef struct Export {
    const char* path;
    const BerthField* field;
    BerthFieldInfo info;
    BerthMapOptions map;
    BerthIoOptions io;
} Export;

static BerthStatus start_export(const char* path, const BerthField* field, const BerthMapOptions* map_options,
                                const BerthIoOptions* options, Export* out) {
    const BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }
    if (map_options == NULL || map_options->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "map options: start from berth_default_map_options()");
    }

    *out = (Export){path, field, berth_field_info(field), *map_options, *options};
    out->io.allocator = bi_allocator_or_default(&options->allocator);
    return BERTH_OK;
}

static BerthStatus go_on(const Export* e, double share) {
    if (e->map.progress != NULL && !e->map.progress(e->map.progress_user, share)) {
        return bi_fail(BERTH_ERR_CANCELLED, "%s: stopped by the caller", e->path);
    }
    return BERTH_OK;
}

static BerthStatus check_bytes(const Export* e, const char* what, double things, double bytes) {
    const double limit = e->map.memory_limit > 0 ? (double)e->map.memory_limit : (double)BI_MAP_MEMORY;
    if (bytes <= limit) {
        return BERTH_OK;
    }
    return bi_fail(
        BERTH_ERR_MEMORY,
        "%s: %.0f %s would need about %.3g bytes, the limit is %.3g: larger cells, or a smaller part of "
        "the map, need less",
        e->path, things, what, bytes, limit);
}

static bool is_obstacle(const BerthFieldInfo* info, BerthCellColour colour) {
    return colour == BERTH_CELL_OCCUPIED || (colour == BERTH_CELL_UNKNOWN && !info->unknown_is_free);
}

static BerthVec3 centre_of(const BerthFieldInfo* info, const int32_t cell[3]) {
    const double r = info->resolution;
    return (BerthVec3){info->origin.x + r * (cell[0] + 0.5), info->origin.y + r * (cell[1] + 0.5),
                       info->dim == 3 ? info->origin.z + r * (cell[2] + 0.5) : 0.0};
}

// ---- signed distances --------------------------------------------------------------------------------------------

/// Dense distances to obstacles, and to what is none.
typedef struct Distances {
    BerthField* outer;
    BerthField* inner;
    uint8_t* blocked;  ///< a byte a cell, x fastest: is it an obstacle?
    size_t count;
    bool outside_occupied;
} Distances;

static void free_distances(const Export* e, Distances* d) {
    berth_field_destroy(d->outer);
    berth_field_destroy(d->inner);
    bi_give(&e->io.allocator, d->blocked, d->count, 1);
}

// A map of the same size in which what is an obstacle is free, and the other way round.
static BerthStatus build_inner(const Export* e, Distances* d) {
    static const int32_t low[3] = {0, 0, 0};
    const int64_t stride[3] = {1, e->info.size[0], (int64_t)e->info.size[0] * e->info.size[1]};
    berth_field_read_block(e->field, low, e->info.size, stride, d->blocked);
    for (size_t i = 0; i < d->count; ++i) {
        d->blocked[i] =
            is_obstacle(&e->info, (BerthCellColour)d->blocked[i]) ? BERTH_CELL_FREE : BERTH_CELL_OCCUPIED;
    }

    const MapJob job = {.path = e->path, .map = e->map, .io = e->io};
    BerthFieldDef def = bi_map_field_def(&job);
    BerthFieldBuilder* builder = NULL;
    def.dim = e->info.dim;
    def.levels = e->info.levels;
    def.resolution = e->info.resolution;
    def.origin = e->info.origin;
    def.parts = BERTH_FIELD_EUCLID;
    memcpy(def.size, e->info.size, sizeof def.size);

    BerthStatus status = berth_field_builder_create(&def, &builder);
    if (status == BERTH_OK) {
        status = berth_field_add_block(builder, d->blocked, e->info.size, stride, low);
    }
    if (status == BERTH_OK) {
        status = berth_field_build(builder, &d->inner);
    }
    berth_field_builder_destroy(builder);

    // From "this is free in the other map" to "this is an obstacle".
    for (size_t i = 0; i < d->count; ++i) {
        d->blocked[i] = d->blocked[i] == BERTH_CELL_FREE;
    }
    return status;
}

static BerthStatus make_distances(const Export* e, Distances* d) {
    const MapJob job = {.path = e->path, .map = e->map, .io = e->io};
    BerthFieldDef def = bi_map_field_def(&job);
    def.parts = BERTH_FIELD_EUCLID;
    def.unknown_is_free = e->info.unknown_is_free;

    d->blocked = bi_take_raw(&e->io.allocator, d->count, 1);
    BerthStatus status = BERTH_OK;
    if (d->blocked == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu cells", e->path, d->count);
    }
    if (status == BERTH_OK) {
        status = berth_field_remake(e->field, &def, &d->outer);
    }
    return status == BERTH_OK ? build_inner(e, d) : status;
}

/// Of a cell's centre: the square of its distance, half cells, and where to that was.
typedef struct Nearest {
    int64_t square;   ///< -1: to nothing
    int border_axis;  ///< the border of the map on this axis is nearest; -1: it is not
    int border_side;
} Nearest;

static Nearest find_nearest(const Export* e, const Distances* d, const int32_t cell[3], bool blocked) {
    const BerthField* field = blocked ? d->inner : d->outer;
    Nearest nearest = {berth_field_euclid_at(field, cell[0], cell[1], cell[2]), -1, 0};
    for (int axis = 0; axis < e->info.dim && d->outside_occupied && !blocked; ++axis) {
        for (int side = 0; side < 2; ++side) {
            const int64_t way =
                side == 0 ? 2 * (int64_t)cell[axis] + 1 : 2 * ((int64_t)e->info.size[axis] - cell[axis]) - 1;
            if (nearest.square < 0 || way * way < nearest.square) {
                nearest = (Nearest){way * way, axis, side};
            }
        }
    }
    return nearest;
}

static double distance_of(const Export* e, const Nearest* nearest, bool blocked) {
    if (nearest->square < 0) {
        return blocked ? -INFINITY : INFINITY;
    }
    const double way = 0.5 * sqrt((double)nearest->square) * e->info.resolution;
    return blocked ? -way : way;
}

// The direction in which the signed distance grows: away from the nearest obstacle, or to the nearest place that is none. 0 without any.
static void gradient_of(const Export* e, const Distances* d, const int32_t cell[3], const Nearest* nearest,
                        bool blocked, double out[3]) {
    memset(out, 0, 3 * sizeof *out);
    if (nearest->square < 0) {
        return;
    }
    if (nearest->border_axis >= 0) {
        out[nearest->border_axis] = nearest->border_side == 0 ? 1.0 : -1.0;
        return;
    }

    BerthFieldAnswer answer;
    const BerthVec3 c = centre_of(&e->info, cell);
    if (berth_field_query(blocked ? d->inner : d->outer, BERTH_METRIC_L2, c, 0.0, &answer) != BERTH_OK) {
        return;
    }
    const double sign = blocked ? -1.0 : 1.0;
    const double way[3] = {sign * (c.x - answer.nearest.x), sign * (c.y - answer.nearest.y),
                           e->info.dim == 3 ? sign * (c.z - answer.nearest.z) : 0.0};
    const double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    for (int axis = 0; axis < 3 && length > 0.0; ++axis) {
        out[axis] = way[axis] / length;
    }
}

static void put_float_header(TextOut* out, const BerthFieldInfo* info, bool gradient) {
    char text[256];
    int length = snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    for (int axis = 0; axis < info->dim; ++axis) {
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%d", axis > 0 ? ", " : "",
                           (int)info->size[axis]);
    }
    length +=
        snprintf(text + length, sizeof text - (size_t)length, gradient ? ", %d), }" : "), }", (int)info->dim);
    bi_npy_put_header(out, text);
}

static void put_double(TextOut* out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    char bytes[8];
    for (int i = 0; i < 8; ++i) {
        bytes[i] = (char)(bits >> (8 * i) & 255);
    }
    bi_text_out_bytes(out, bytes, sizeof bytes);
}

// All cells, z fastest.
static BerthStatus put_distances(const Export* e, const Distances* d, bool gradient, TextOut* out) {
    const int32_t* size = e->info.size;
    put_float_header(out, &e->info, gradient);
    BerthStatus status = BERTH_OK;
    for (int32_t x = 0; x < size[0] && status == BERTH_OK; ++x) {
        for (int32_t y = 0; y < size[1] && status == BERTH_OK; ++y) {
            status = y % 64 == 0 ? go_on(e, (double)x / size[0]) : BERTH_OK;
            for (int32_t z = 0; z < size[2] && status == BERTH_OK; ++z) {
                const int32_t cell[3] = {x, y, z};
                const bool blocked =
                    d->blocked[(size_t)x + (size_t)size[0] * ((size_t)y + (size_t)size[1] * (size_t)z)] != 0;
                const Nearest nearest = find_nearest(e, d, cell, blocked);
                if (!gradient) {
                    put_double(out, distance_of(e, &nearest, blocked));
                    continue;
                }

                double way[3];
                gradient_of(e, d, cell, &nearest, blocked, way);
                for (int axis = 0; axis < e->info.dim; ++axis) {
                    put_double(out, way[axis]);
                }
            }
        }
    }
    return status;
}

BerthStatus berth_io_write_esdf(const char* path, const BerthField* field, bool gradient,
                                bool outside_occupied, const BerthMapOptions* map_options,
                                const BerthIoOptions* options) {
    Export e;
    BerthStatus status = start_export(path, field, map_options, options, &e);
    if (status != BERTH_OK) {
        return status;
    }

    // Two dense maps, a byte, and what is written, twice while it grows.
    const double cells = (double)e.info.size[0] * e.info.size[1] * e.info.size[2];
    status = check_bytes(&e, "cells", cells, cells * (9.0 + (gradient ? 16.0 * e.info.dim : 16.0)));
    if (status != BERTH_OK) {
        return status;
    }

    Distances d = {.count = (size_t)cells, .outside_occupied = outside_occupied};
    TextOut out = {.bytes.allocator = e.io.allocator};
    status = make_distances(&e, &d);
    if (status == BERTH_OK) {
        status = put_distances(&e, &d, gradient, &out);
    }
    free_distances(&e, &d);
    return bi_text_out_write(path, &out, status, &e.io);
}

// ---- slices ------------------------------------------------------------------------------------------------------

/// Red, green and blue a cell, row 0 at the top.
typedef struct Picture {
    int32_t width, height;
    uint8_t* pixels;
    size_t count;  ///< bytes
} Picture;

static BerthStatus find_layer(const Export* e, double z, int32_t* layer) {
    const double at = e->info.dim == 2 ? 0.0 : floor((z - e->info.origin.z) / e->info.resolution);
    if (!(at >= 0.0 && at < e->info.size[2])) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: no slice at z = %g: the map reaches from %g to %g m", e->path,
                       z, e->info.origin.z, e->info.origin.z + e->info.resolution * e->info.size[2]);
    }
    *layer = (int32_t)at;
    return BERTH_OK;
}

// From 0, beside an obstacle, to SHADES - 1; -1 occupied, -2 unknown.
static void put_pixel(uint8_t* pixel, int shade) {
    const double share = (double)shade / (SHADES - 1);
    if (shade < 0) {
        memset(pixel, shade == -1 ? 0 : 128, 3);
        return;
    }
    pixel[0] = (uint8_t)(90.0 + 165.0 * share);
    pixel[1] = (uint8_t)(130.0 + 125.0 * share);
    pixel[2] = 255;
}

static BerthStatus paint_slice(const Export* e, int32_t layer, float* distances, Picture* picture) {
    const int32_t width = picture->width, height = picture->height;
    double most = 0.0;
    for (int32_t y = 0; y < height; ++y) {
        const BerthStatus status = go_on(e, (double)y / height);
        if (status != BERTH_OK) {
            return status;
        }
        for (int32_t x = 0; x < width; ++x) {
            const int32_t cell[3] = {x, y, layer};
            BerthFieldAnswer answer;
            (void)berth_field_query(e->field, BERTH_METRIC_L2, centre_of(&e->info, cell), 0.0, &answer);
            distances[(size_t)y * (size_t)width + (size_t)x] = (float)answer.lower;
            most = isfinite(answer.lower) ? fmax(most, answer.lower) : most;
        }
    }

    for (int32_t y = 0; y < height; ++y) {
        for (int32_t x = 0; x < width; ++x) {
            const BerthCellColour colour = berth_field_colour_at(e->field, x, y, layer);
            const double d = (double)distances[(size_t)y * (size_t)width + (size_t)x];
            int shade = most > 0.0 && d < most ? (int)(d / most * (SHADES - 1)) : SHADES - 1;
            if (colour != BERTH_CELL_FREE) {
                shade = colour == BERTH_CELL_OCCUPIED ? -1 : -2;
            }
            put_pixel(picture->pixels + 3 * ((size_t)(height - 1 - y) * (size_t)width + (size_t)x), shade);
        }
    }
    return BERTH_OK;
}

// A rectangle for each run of equal pixels in a row; free space that is far is the ground.
static void put_svg(const Picture* picture, TextOut* out) {
    bi_text_out_add(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                    "shape-rendering=\"crispEdges\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
                    (int)picture->width, (int)picture->height, (int)picture->width, (int)picture->height);

    for (int32_t y = 0; y < picture->height; ++y) {
        const uint8_t* row = picture->pixels + 3 * (size_t)y * (size_t)picture->width;
        for (int32_t x = 0; x < picture->width;) {
            const uint8_t* pixel = row + 3 * (size_t)x;
            int32_t end = x + 1;
            while (end < picture->width && memcmp(row + 3 * (size_t)end, pixel, 3) == 0) {
                ++end;
            }
            bi_text_out_add(out,
                            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"1\" fill=\"#%02x%02x%02x\"/>\n",
                            (int)x, (int)y, (int)(end - x), pixel[0], pixel[1], pixel[2]);
            x = end;
        }
    }
    bi_text_out_add(out, "</svg>\n");
}

BerthStatus berth_io_write_slice(const char* path, const BerthField* field, double z,
                                 const BerthMapOptions* map_options, const BerthIoOptions* options) {
    Export e;
    int32_t layer = 0;
    BerthStatus status = start_export(path, field, map_options, options, &e);
    if (status == BERTH_OK) {
        status = find_layer(&e, z, &layer);
    }
    if (status != BERTH_OK) {
        return status;
    }

    const bool svg = bi_io_has_extension(path, ".svg");
    const size_t pixels = (size_t)e.info.size[0] * (size_t)e.info.size[1];
    if ((!svg && !bi_io_has_extension(path, ".png")) || pixels > PIXELS_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "%s: a slice of %d x %d cells: pictures are .png or .svg, of at most %d cells", path,
                       (int)e.info.size[0], (int)e.info.size[1], PIXELS_MAX);
    }

    Picture picture = {e.info.size[0], e.info.size[1], NULL, 3 * pixels};
    TextOut out = {.bytes.allocator = e.io.allocator};
    float* distances = bi_take_raw(&e.io.allocator, pixels, sizeof *distances);
    picture.pixels = bi_take_raw(&e.io.allocator, picture.count, 1);
    if (distances == NULL || picture.pixels == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu pixels", path, pixels);
    } else {
        status = paint_slice(&e, layer, distances, &picture);
    }

    if (status == BERTH_OK && svg) {
        put_svg(&picture, &out);
    } else if (status == BERTH_OK) {
        status = bi_io_png_bytes(path, picture.width, picture.height, picture.pixels, &out);
    }
    bi_give(&e.io.allocator, distances, pixels, sizeof *distances);
    bi_give(&e.io.allocator, picture.pixels, picture.count, 1);
    return bi_text_out_write(path, &out, status, &e.io);
}

// ---- the surface ---------------------------------------------------------------------------------------------------

/// Corners of faces, four each: 17 bits an axis.
typedef struct Surface {
    GrowList corners;  ///< uint64_t
} Surface;

static uint64_t corner_key(const int32_t at[3]) {
    return (uint64_t)(uint32_t)at[0] << 34 | (uint64_t)(uint32_t)at[1] << 17 | (uint64_t)(uint32_t)at[2];
}

static BerthStatus add_face(const Export* e, Surface* s, const int32_t cell[3], int axis, int side) {
    static const int turns[2][4][2] = {{{0, 0}, {0, 1}, {1, 1}, {1, 0}}, {{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double quads = (double)(s->corners.count / 4 + 1);
    BerthStatus status = s->corners.count % (1 << 18) == 0 ? go_on(e, 0.0) : BERTH_OK;
    if (status == BERTH_OK) {
        status = check_bytes(e, "faces", quads, QUAD_BYTES * quads);
    }
    if (status != BERTH_OK) {
        return status;
    }

    uint64_t* keys = bi_list_more(&s->corners, 4);
    if (keys == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %.0f faces", e->path, quads);
    }
    for (int i = 0; i < 4; ++i) {
        int32_t at[3] = {cell[0], cell[1], cell[2]};
        at[axis] += side;
        at[u] += turns[side][i][0];
        at[v] += turns[side][i][1];
        keys[i] = corner_key(at);
    }
    s->corners.count += 4;
    return BERTH_OK;
}

// The cells of one side of a leaf behind which nothing is occupied.
static BerthStatus add_side(const Export* e, Surface* s, const BerthFieldLeaf* leaf, int axis, int side) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < leaf->width && status == BERTH_OK; ++i) {
        for (int32_t k = 0; k < leaf->width && status == BERTH_OK; ++k) {
            int32_t cell[3];
            cell[axis] = leaf->low[axis] + (side == 1 ? leaf->width - 1 : 0);
            cell[u] = leaf->low[u] + i;
            cell[v] = leaf->low[v] + k;

            int32_t beside[3] = {cell[0], cell[1], cell[2]};
            beside[axis] += side == 1 ? 1 : -1;
            if (berth_field_colour_at(e->field, beside[0], beside[1], beside[2]) != BERTH_CELL_OCCUPIED) {
                status = add_face(e, s, cell, axis, side);
            }
        }
    }
    return status;
}

static BerthStatus find_surface(const Export* e, Surface* s) {
    BerthStatus status = BERTH_OK;
    for (int64_t i = 0; i < e->info.occupied_count + e->info.unknown_count && status == BERTH_OK; ++i) {
        const BerthFieldLeaf leaf = berth_field_solid_leaf(e->field, i);
        for (int k = 0; k < 6 && status == BERTH_OK && leaf.colour == BERTH_CELL_OCCUPIED; ++k) {
            status = add_side(e, s, &leaf, k / 2, k % 2);
        }
        if (status == BERTH_OK && i % 4096 == 0) {
            status = go_on(e, 0.0);
        }
    }
    return status;
}

static uint32_t find_key(const SortItem* items, size_t count, uint64_t key) {
    size_t low = 0, high = count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (items[middle].key <= key) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

static void put_vertex(const Export* e, TextOut* out, uint64_t key) {
    const int32_t mask = (1 << 17) - 1;
    const double r = e->info.resolution;
    put_double(out, fma((double)((int32_t)(key >> 34) & mask), r, e->info.origin.x));
    put_double(out, fma((double)((int32_t)(key >> 17) & mask), r, e->info.origin.y));
    put_double(out, fma((double)((int32_t)key & mask), r, e->info.origin.z));
}

static void put_triangle(TextOut* out, const uint32_t corners[3]) {
    char bytes[13] = {3};
    for (int i = 0; i < 12; ++i) {
        bytes[1 + i] = (char)(corners[i / 4] >> (8 * (i % 4)) & 255);
    }
    bi_text_out_bytes(out, bytes, sizeof bytes);
}

// Binary PLY: corners that are equal are one vertex.
static BerthStatus put_surface(const Export* e, const Surface* s, TextOut* out) {
    const size_t count = s->corners.count;
    const uint64_t* keys = s->corners.data;
    SortItem* items = bi_take_raw(&e->io.allocator, 2 * count, sizeof *items);
    if (items == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu faces", e->path, count / 4);
    }

    for (size_t i = 0; i < count; ++i) {
        items[i] = (SortItem){keys[i], 0};
    }
    bi_sort_items(items, items + count, count);
    size_t vertices = 0;
    for (size_t i = 0; i < count; ++i) {
        if (vertices == 0 || items[vertices - 1].key != items[i].key) {
            items[vertices++] = items[i];
        }
    }

    bi_text_out_add(out,
                    "ply\nformat binary_little_endian 1.0\ncomment written by berth\nelement vertex %zu\n"
                    "property double x\nproperty double y\nproperty double z\nelement face %zu\n"
                    "property list uchar uint vertex_indices\nend_header\n",
                    vertices, count / 2);
    for (size_t i = 0; i < vertices; ++i) {
        put_vertex(e, out, items[i].key);
    }
    for (size_t i = 0; i < count; i += 4) {
        uint32_t at[4];
        for (int k = 0; k < 4; ++k) {
            at[k] = find_key(items, vertices, keys[i + (size_t)k]);
        }
        put_triangle(out, (const uint32_t[3]){at[0], at[1], at[2]});
        put_triangle(out, (const uint32_t[3]){at[0], at[2], at[3]});
    }
    bi_give(&e->io.allocator, items, 2 * count, sizeof *items);
    return BERTH_OK;
}

BerthStatus berth_io_write_surface(const char* path, const BerthField* field,
                                   const BerthMapOptions* map_options, const BerthIoOptions* options) {
    Export e;
    BerthStatus status = start_export(path, field, map_options, options, &e);
    if (status == BERTH_OK && e.info.dim != 3) {
        status = bi_fail(BERTH_ERR_UNSUPPORTED, "%s: a surface is of a 3-D map, this one is 2-D", path);
    }
    if (status != BERTH_OK) {
        return status;
    }

    Surface s;
    TextOut out = {.bytes.allocator = e.io.allocator};
    bi_list_init(&s.corners, &e.io.allocator, sizeof(uint64_t));
    status = find_surface(&e, &s);
    if (status == BERTH_OK && s.corners.count == 0) {
        status = bi_fail(BERTH_ERR_ARGUMENT, "%s: nothing is occupied: there is no surface", path);
    }
    if (status == BERTH_OK) {
        status = put_surface(&e, &s, &out);
    }
    bi_list_free(&s.corners);
    return bi_text_out_write(path, &out, status, &e.io);
}
