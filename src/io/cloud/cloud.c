// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Point clouds: memory, numbers, plain text, and which reader a file gets.

#include "io/cloud/cloud.h"

#include <berth/io/cloud.h>
#include <math.h>
#include <string.h>

#include "io/syntax/file.h"
#include "io/syntax/npy.h"
#include "io/syntax/number.h"
#include "io/syntax/ply.h"
#include "io/syntax/scan.h"
#include "math/tolerance.h"

enum { POINTS_A_LOOK = 1 << 16 };

void bi_cloud_init(PointCloud* cloud, const BerthAllocator* allocator) {
    *cloud = (PointCloud){.allocator = bi_allocator_or_default(allocator)};
}

void bi_cloud_free(PointCloud* cloud) {
    if (cloud->points != NULL) {
        bi_give(&cloud->allocator, cloud->points, cloud->capacity, sizeof *cloud->points);
    }
    cloud->points = NULL;
    cloud->count = 0;
    cloud->capacity = 0;
}

BerthStatus bi_cloud_reserve(PointCloud* cloud, const char* path, size_t count) {
    if (count <= cloud->capacity) {
        return BERTH_OK;
    }

    BerthVec3* moved = bi_take(&cloud->allocator, count, sizeof *moved);
    if (moved == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu points", path, count);
    }

    if (cloud->count > 0) {
        memcpy(moved, cloud->points, cloud->count * sizeof *moved);
    }
    if (cloud->points != NULL) {
        bi_give(&cloud->allocator, cloud->points, cloud->capacity, sizeof *moved);
    }

    cloud->points = moved;
    cloud->capacity = count;
    return BERTH_OK;
}

BerthStatus bi_cloud_add(PointCloud* cloud, const char* path, bool binary, size_t where, BerthVec3 point) {
    if ((cloud->count + cloud->dropped) % POINTS_A_LOOK == 0 &&
        bi_io_step(cloud->options, path, 1.0) != BERTH_OK) {
        return BERTH_ERR_CANCELLED;
    }

    if (!isfinite(point.x) || !isfinite(point.y) || !isfinite(point.z)) {
        cloud->dropped += 1;
        return BERTH_OK;
    }

    if (!(fabs(point.x) <= BI_COORDINATE_MAX && fabs(point.y) <= BI_COORDINATE_MAX &&
          fabs(point.z) <= BI_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%s%zu: the point (%g, %g, %g) is beyond %g m", path,
                       binary ? " byte " : "", where, point.x, point.y, point.z, BI_COORDINATE_MAX);
    }

    if (cloud->count == cloud->capacity) {
        const BerthStatus status =
            bi_cloud_reserve(cloud, path, cloud->capacity > 0 ? 2 * cloud->capacity : 1024);
        if (status != BERTH_OK) {
            return status;
        }
    }

    cloud->points[cloud->count++] = point;
    return BERTH_OK;
}

bool bi_cloud_parse_number(const char* text, size_t length, double* out) {
    if (bi_parse_double(text, length, out)) {
        return true;
    }

    const bool sign = length > 1 && (text[0] == '-' || text[0] == '+');
    const Word word = {text + sign, length - sign};
    if (bi_word_is(word, "nan") || bi_word_is(word, "nan(ind)") || bi_word_is(word, "inf") ||
        bi_word_is(word, "infinity") || bi_word_is(word, "1.#qnan") || bi_word_is(word, "1.#ind")) {
        *out = NAN;
        return true;
    }
    return false;
}

bool bi_cloud_is_number_kind(char kind, int64_t size) {
    const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
    if (kind == 'F') {
        return size == 4 || size == 8;
    }
    return (kind == 'I' || kind == 'U') && whole;
}

double bi_cloud_read_number(const uint8_t* bytes, char kind, size_t size, bool big_endian) {
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) {
        bits = bits << 8 | bytes[big_endian ? i : size - 1 - i];
    }

    if (kind == 'F' && size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }

    if (kind == 'F') {
        const uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        return (double)value;
    }

    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    if (kind == 'I' && (bits & sign) != 0) {
        // Two's complement by hand: -(not bits + 1), within the size.
        const uint64_t mask = size == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1;
        return -((double)(~bits & mask) + 1.0);
    }
    return (double)bits;
}

// ---- text ----------------------------------------------------------------------------------------------------

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

// The next column of a line, without blanks around it. Where there is a comma or semicolon columns are ended by these
// alone, so that a decimal comma is never taken for the end of one.
static bool next_column(const char** at, const char* end, bool commas, Word* out) {
    while (*at < end && is_blank(**at)) {
        ++*at;
    }
    out->text = *at;
    while (*at < end && (commas ? **at != ',' && **at != ';' : !is_blank(**at))) {
        ++*at;
    }

    const char* last = *at;
    while (last > out->text && is_blank(last[-1])) {
        --last;
    }
    out->length = (size_t)(last - out->text);

    const bool more = *at < end;
    *at += more;
    return out->length > 0 || (commas && more);
}

// A first line of words must name the columns.
static BerthStatus check_header(const char* path, size_t line, const Word words[3], int count, int wanted) {
    static const char* const names[3] = {"x", "y", "z"};
    bool named = count == wanted;
    for (int i = 0; i < count && named; ++i) {
        named = bi_word_is(words[i], names[i]);
    }
    if (named) {
        return BERTH_OK;
    }
    return bi_fail(BERTH_ERR_PARSE, "%s:%zu: '%s': %s numbers, or a header that begins with %s, are expected",
                   path, line, bi_word_show(words[0]).text, wanted == 2 ? "two" : "three",
                   wanted == 2 ? "x,y" : "x,y,z");
}

static BerthStatus read_line(const char* path, size_t line, const char* at, const char* end,
                             bool* first_line_seen, PointCloud* out) {
    const int wanted = out->dim == 2 ? 2 : 3;
    Word words[3];
    double xyz[3] = {0.0, 0.0, 0.0};
    int count = 0;
    const bool commas =
        memchr(at, ',', (size_t)(end - at)) != NULL || memchr(at, ';', (size_t)(end - at)) != NULL;

    while (count < wanted && next_column(&at, end, commas, &words[count])) {
        ++count;
    }
    if (count == 0) {
        return BERTH_OK;
    }

    int numbers = 0;
    while (numbers < count &&
           bi_cloud_parse_number(words[numbers].text, words[numbers].length, &xyz[numbers])) {
        ++numbers;
    }

    const bool header = !*first_line_seen && numbers == 0;
    *first_line_seen = true;
    if (header) {
        return check_header(path, line, words, count, wanted);
    }

    if (numbers < wanted) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%zu: '%s': %s are expected", path, line,
                       bi_word_show(words[numbers < count ? numbers : count - 1]).text,
                       wanted == 2 ? "two numbers x y" : "three numbers x y z");
    }

    return bi_cloud_add(out, path, false, line, (BerthVec3){xyz[0], xyz[1], xyz[2]});
}

BerthStatus bi_io_parse_xyz(const char* path, const char* data, size_t size, PointCloud* out) {
    static const char mark[] = "\xef\xbb\xbf";
    const char* at = size >= 3 && memcmp(data, mark, 3) == 0 ? data + 3 : data;
    const char* end = data + size;
    bool first_line_seen = false;

    for (size_t line = 1; at < end; ++line) {
        const char* newline = memchr(at, '\n', (size_t)(end - at));
        const char* last = newline != NULL ? newline : end;
        const char* comment = memchr(at, '#', (size_t)(last - at));
        const char* stop = comment != NULL ? comment : last;

        if (stop > at && stop[-1] == '\r') {
            --stop;
        }

        const BerthStatus status = read_line(path, line, at, stop, &first_line_seen, out);
        if (status != BERTH_OK) {
            return status;
        }
        at = newline != NULL ? newline + 1 : end;
    }
    return BERTH_OK;
}

// ---- which one -----------------------------------------------------------------------------------------------

bool bi_io_has_cloud_extension(const char* path) {
    static const char* const extensions[] = {".pcd", ".ply", ".xyz", ".csv", ".txt", ".pts"};
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; ++i) {
        if (bi_io_has_extension(path, extensions[i])) {
            return true;
        }
    }
    return false;
}

bool bi_io_ply_has_faces(const char* path, const char* data, size_t size) {
    PlyHeader plan;
    const char* body = NULL;
    if (bi_ply_parse_header(path, data, size, &plan, &body) != BERTH_OK) {
        return false;
    }

    for (int i = 0; i < plan.element_count; ++i) {
        if (plan.names[i].length == 4 && memcmp(plan.names[i].text, "face", 4) == 0 && plan.items[i] > 0) {
            return true;
        }
    }
    return false;
}

// A header of columns among which are x, y and z.
static bool has_xyz_header(const char* data, size_t size) {
    const char* end = memchr(data, '\n', size);
    end = end != NULL ? end : data + size;
    int found = 0;  // a bit each

    for (const char* at = data; at < end;) {
        const char* comma = memchr(at, ',', (size_t)(end - at));
        const char* stop = comma != NULL ? comma : end;
        while (at < stop && (*at == ' ' || *at == '"')) {
            ++at;
        }

        const bool single = at < stop && (at + 1 == stop || strchr(" \"\r", at[1]) != NULL);
        if (single && *at >= 'x' && *at <= 'z') {
            found |= 1 << (*at - 'x');
        }
        at = comma != NULL ? comma + 1 : end;
    }
    return found == 7;
}

bool berth_io_is_cloud(const char* path) {
    const bool ply = path != NULL && bi_io_has_extension(path, ".ply");
    const bool csv = path != NULL && bi_io_has_extension(path, ".csv");
    if (!ply && !csv) {
        return path != NULL && bi_io_has_cloud_extension(path);
    }

    FileBytes file;
    if (bi_io_read_file(path, 0, NULL, &file) != BERTH_OK) {
        return false;
    }
    const bool cloud =
        ply ? !bi_io_ply_has_faces(path, file.data, file.size) : has_xyz_header(file.data, file.size);
    bi_io_free_file(&file);
    return cloud;
}

// (n, 3) numbers, or (n, 2) in the plane.
static BerthStatus parse_npy_points(const char* path, const char* data, size_t size, PointCloud* out) {
    NpyArray array;
    const BerthStatus status = bi_npy_parse(data, size, path, &array);
    if (status != BERTH_OK) {
        return status;
    }
    if (array.dimension_count != 2 || (array.shape[1] != 3 && (array.shape[1] != 2 || out->dim == 3))) {
        return bi_fail(BERTH_ERR_PARSE, "%s: points are of shape (n, 3)%s", path,
                       out->dim == 3 ? ", the map is 3-D" : ", or (n, 2) in the plane");
    }

    for (int64_t i = 0; i < array.shape[0]; ++i) {
        const int64_t at = i * array.shape[1];
        const BerthVec3 point = {bi_npy_value(data, &array, at), bi_npy_value(data, &array, at + 1),
                                 array.shape[1] == 3 ? bi_npy_value(data, &array, at + 2) : 0.0};
        const BerthStatus added = bi_cloud_add(out, path, true, array.offset + 8 * (size_t)at, point);
        if (added != BERTH_OK) {
            return added;
        }
    }
    return BERTH_OK;
}

BerthStatus bi_io_parse_points(const char* path, const char* data, size_t size, PointCloud* out) {
    if (bi_io_has_extension(path, ".ply") || (size >= 4 && memcmp(data, "ply", 3) == 0)) {
        return bi_io_parse_ply_points(path, data, size, out);
    }
    if (bi_io_has_extension(path, ".pcd")) {
        return bi_io_parse_pcd(path, data, size, out);
    }
    if (bi_io_has_extension(path, ".npy")) {
        return parse_npy_points(path, data, size, out);
    }
    if (bi_io_has_cloud_extension(path)) {
        return bi_io_parse_xyz(path, data, size, out);
    }
    return bi_fail(BERTH_ERR_PARSE,
                   "%s: a point cloud is expected: .pcd, .ply, .npy, or text (.xyz, .csv, .txt, .pts)", path);
}
