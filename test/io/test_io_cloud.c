// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Point clouds: the same random points in every format give the same bits; NaN is dropped and counted; wrong files.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <liblzf/lzf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "io/cloud/cloud.h"
#include "math/math.h"
#include "support/setting.h"

static BerthStatus parse(const char* path, const char* data, size_t size, PointCloud* cloud) {
    bi_cloud_init(cloud, NULL);
    char* copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    copy[size] = '\0';
    const BerthStatus status = bi_io_parse_points(path, copy, size, cloud);
    free(copy);
    return status;
}

static void refuse(const char* path, const char* data, size_t size, const char* expected) {
    PointCloud cloud;
    const BerthStatus status = parse(path, data, size, &cloud);
    if (status == BERTH_OK || strstr(berth_error_text(), expected) == NULL) {
        fail_msg("%s: status %d, text '%s', expected '%s'", data, (int)status, berth_error_text(), expected);
    }
    bi_cloud_free(&cloud);
}

// ---- the same points, written in every way -------------------------------------------------------------------

enum { POINTS = 300, ROOM = 1 << 16 };

typedef struct Points {
    float xyz[POINTS][3];
    int good;
} Points;

static Points random_points(uint64_t seed) {
    Random random = {seed};
    Points points = {.good = 0};
    for (int i = 0; i < POINTS; ++i) {
        bool good = true;
        for (int axis = 0; axis < 3; ++axis) {
            const double dice = bi_random_between(&random, 0, 1);
            points.xyz[i][axis] = dice < 0.02   ? (float)NAN
                                  : dice < 0.03 ? (float)-INFINITY
                                                : (float)bi_random_between(&random, -50, 50);
            good = good && isfinite(points.xyz[i][axis]);
        }
        points.good += good;
    }
    return points;
}

static void must_be(const PointCloud* cloud, const Points* points) {
    assert_int_equal(cloud->count, points->good);
    assert_int_equal(cloud->dropped, POINTS - points->good);
    size_t at = 0;
    for (int i = 0; i < POINTS; ++i) {
        const float* p = points->xyz[i];
        if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])) {
            assert_true(cloud->points[at].x == (double)p[0] && cloud->points[at].y == (double)p[1] &&
                        cloud->points[at].z == (double)p[2]);
            ++at;
        }
    }
}

// A field before, one of two values between and one of eight bytes behind the coordinates.
static size_t pcd_header(char* out, const char* kind) {
    return (size_t)sprintf(
        out,
        "# .PCD v0.7\nVERSION 0.7\nFIELDS intensity x _ y z stamp\nSIZE 2 4 1 4 4 8\nTYPE U F U F F F\n"
        "COUNT 1 1 2 1 1 1\nWIDTH %d\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %d\nDATA %s\n",
        POINTS, POINTS, kind);
}

static size_t pcd_row(char* out, const float* p) {
    memset(out, 7, 2 + 4 + 2 + 4 + 4 + 8);
    memcpy(out + 2, &p[0], 4);
    memcpy(out + 8, &p[1], 4);
    memcpy(out + 12, &p[2], 4);
    return 24;
}

static void write_number(char* out, double value) {
    if (isnan(value)) {
        strcpy(out, "nan");
    } else if (isinf(value)) {
        strcpy(out, "-inf");
    } else {
        sprintf(out, "%.17g", value);
    }
}

static size_t write_pcd(char* out, const Points* points, int kind) {
    static const char* const kinds[] = {"ascii", "binary", "binary_compressed"};
    size_t size = pcd_header(out, kinds[kind]);
    if (kind == 0) {
        for (int i = 0; i < POINTS; ++i) {
            char x[32], y[32], z[32];
            write_number(x, (double)points->xyz[i][0]);
            write_number(y, (double)points->xyz[i][1]);
            write_number(z, (double)points->xyz[i][2]);
            size += (size_t)sprintf(out + size, "17 %s 1 2 %s %s 1e9\n", x, y, z);
        }
        return size;
    }
    char rows[24 * POINTS], columns[24 * POINTS];
    for (int i = 0; i < POINTS; ++i) {
        pcd_row(rows + 24 * i, points->xyz[i]);
    }
    if (kind == 1) {
        memcpy(out + size, rows, sizeof rows);
        return size + sizeof rows;
    }
    const int widths[] = {2, 4, 2, 4, 4, 8};
    size_t to = 0, from = 0;
    for (int f = 0; f < 6; ++f) {
        for (int i = 0; i < POINTS; ++i, to += (size_t)widths[f]) {
            memcpy(columns + to, rows + 24 * i + from, (size_t)widths[f]);
        }
        from += (size_t)widths[f];
    }
    const uint32_t plain = sizeof columns;
    const uint32_t packed = lzf_compress(columns, plain, out + size + 8, ROOM - (unsigned)size - 8);
    assert_true(packed > 0);
    memcpy(out + size, &packed, 4);
    memcpy(out + size + 4, &plain, 4);
    return size + 8 + packed;
}

static void put_turned(char* out, const void* value, size_t size, bool turn) {
    for (size_t i = 0; i < size; ++i) {
        out[i] = ((const char*)value)[turn ? size - 1 - i : i];
    }
}

static size_t write_ply(char* out, const Points* points, int kind) {
    static const char* const kinds[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    size_t size = (size_t)sprintf(
        out,
        "ply\nformat %s 1.0\ncomment made\nelement camera 1\nproperty list uchar int stuff\n"
        "element vertex %d\nproperty double y\nproperty uchar red\nproperty float x\n"
        "property float z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n",
        kinds[kind], POINTS);
    if (kind == 0) {
        size += (size_t)sprintf(out + size, "3 1 2 3\n");
    } else {
        out[size] = 1;
        memset(out + size + 1, 9, 4);
        size += 5;
    }
    for (int i = 0; i < POINTS; ++i) {
        const float* p = points->xyz[i];
        const double y = (double)p[1];
        if (kind == 0) {
            char text[3][32];
            for (int axis = 0; axis < 3; ++axis) {
                write_number(text[axis], (double)p[axis]);
            }
            size += (size_t)sprintf(out + size, "%s 255 %s %s\n", text[1], text[0], text[2]);
            continue;
        }
        put_turned(out + size, &y, 8, kind == 2);
        out[size + 8] = (char)200;
        put_turned(out + size + 9, &p[0], 4, kind == 2);
        put_turned(out + size + 13, &p[2], 4, kind == 2);
        size += 17;
    }
    return size;
}

static size_t write_xyz(char* out, const Points* points, int kind) {
    size_t size = kind == 0 ? 0 : (size_t)sprintf(out, "X,Y,Z,colour\r\n");
    for (int i = 0; i < POINTS; ++i) {
        char text[3][32];
        for (int axis = 0; axis < 3; ++axis) {
            write_number(text[axis], (double)points->xyz[i][axis]);
        }
        size += (size_t)sprintf(out + size, kind == 0 ? "  %s\t%s %s 7 # x\n\n" : "%s,%s,%s,red\r\n", text[0],
                                text[1], text[2]);
    }
    return size;
}

static void every_format(void** state) {
    (void)state;
    char* bytes = malloc(ROOM);
    assert_non_null(bytes);
    for (uint64_t seed = 1; seed <= (uint64_t)test_scaled(5); ++seed) {
        const Points points = random_points(seed);
        for (int way = 0; way < 8; ++way) {
            static const char* const names[] = {"a.pcd", "b.PCD", "c.pcd", "a.ply",
                                                "b.ply", "c.ply", "a.xyz", "a.csv"};
            const size_t size = way < 3   ? write_pcd(bytes, &points, way)
                                : way < 6 ? write_ply(bytes, &points, way - 3)
                                          : write_xyz(bytes, &points, way - 6);
            PointCloud cloud;
            if (parse(names[way], bytes, size, &cloud) != BERTH_OK) {
                fail_msg("%s", berth_error_text());
            }
            must_be(&cloud, &points);
            assert_false(cloud.has_viewpoint);
            bi_cloud_free(&cloud);
        }
    }
    free(bytes);
}

// No cut of a file with a count is taken for the whole.
static void cut_files(void** state) {
    (void)state;
    char* bytes = malloc(ROOM);
    assert_non_null(bytes);
    const Points points = random_points(3);
    for (int way = 1; way < 6; ++way) {
        const size_t size = way < 3 ? write_pcd(bytes, &points, way) : write_ply(bytes, &points, way - 3);
        for (size_t cut = 0; cut + 2 < size; cut += cut < 400 ? 1 : 97) {
            PointCloud cloud;
            assert_int_not_equal(parse(way < 3 ? "a.pcd" : "a.ply", bytes, cut, &cloud), BERTH_OK);
            bi_cloud_free(&cloud);
        }
    }
    free(bytes);
}

// ---- numbers -------------------------------------------------------------------------------------------------

static void values_of_every_kind(void** state) {
    (void)state;
    const uint8_t bytes[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    assert_true(bi_cloud_read_number(bytes, 'I', 1, false) == -2.0 &&
                bi_cloud_read_number(bytes, 'U', 1, false) == 254.0);
    assert_true(bi_cloud_read_number(bytes, 'I', 2, false) == -2.0 &&
                bi_cloud_read_number(bytes, 'U', 2, true) == 65279.0);
    assert_true(bi_cloud_read_number(bytes, 'I', 4, false) == -2.0 &&
                bi_cloud_read_number(bytes, 'I', 8, false) == -2.0);
    assert_true(bi_cloud_read_number(bytes, 'U', 4, false) == 4294967294.0);
    assert_false(bi_cloud_is_number_kind('F', 2) || bi_cloud_is_number_kind('U', 3) ||
                 bi_cloud_is_number_kind('x', 4));
    double value = 0.0;
    assert_true(bi_cloud_parse_number("-nan", 4, &value) && isnan(value));
    assert_true(bi_cloud_parse_number("Inf", 3, &value) && isnan(value));
    assert_false(bi_cloud_parse_number("nano", 4, &value) || bi_cloud_parse_number("", 0, &value) ||
                 bi_cloud_parse_number("-", 1, &value));
}

// ---- wrong files ---------------------------------------------------------------------------------------------

#define PCD "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"

static void wrong_files(void** state) {
    (void)state;
    static const struct {
        const char* path;
        const char* text;
        const char* expected;
    } cases[] = {
        {"a.pcd", "", "a.pcd:1: the file ends, 'DATA'"},
        {"a.pcd", "hello\n", "a.pcd:1: 'hello'"},
        {"a.pcd", "FIELDS x y\n", "a.pcd:1: FIELDS: x, y and z"},
        {"a.pcd", "FIELDS x y z x\n", "the field appears twice"},
        {"a.pcd", "FIELDS x y z\nFIELDS x y z\n", "a.pcd:2: 'FIELDS': it appears twice"},
        {"a.pcd", "SIZE 4 4 4\n", "FIELDS is expected before it"},
        {"a.pcd", "FIELDS x y z\nSIZE 4 4\n", "fewer values"},
        {"a.pcd", "FIELDS x y z\nSIZE 4 4 4 4\n", "more values"},
        {"a.pcd", "FIELDS x y z\nSIZE 4 4 -4\n", "'-4'"},
        {"a.pcd", "FIELDS x y z\nTYPE F F G\n", "TYPE: F, I or U"},
        {"a.pcd", "FIELDS x y z\nCOUNT 1 1 99999999\n", "'99999999'"},
        {"a.pcd", "FIELDS x y z\nSIZE 4 4 2\nTYPE F F F\nPOINTS 0\nDATA ascii\n", "field 3: F of 2 bytes"},
        {"a.pcd", "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 2\nPOINTS 0\nDATA ascii\n",
         "field z has 2 values"},
        {"a.pcd", PCD "DATA ascii\n", "are needed before DATA"},
        {"a.pcd", PCD "POINTS 1\nDATA text\n", "'text': DATA:"},
        {"a.pcd", PCD "WIDTH 2\nHEIGHT 2\nPOINTS 5\nDATA ascii\n", "WIDTH 2 times HEIGHT 2 is not POINTS 5"},
        {"a.pcd", PCD "WIDTH 5000000000\nHEIGHT 5000000000\nDATA ascii\n", "WIDTH 5000000000"},
        {"a.pcd", PCD "POINTS 4000000000\nDATA ascii\n1 2 3\n", "4000000000 points, the file of"},
        {"a.pcd", PCD "POINTS 4000000000\nDATA binary\n123", "4000000000 points"},
        {"a.pcd", PCD "POINTS 4000000000\nDATA binary_compressed\n123", "4000000000 points"},
        {"a.pcd", PCD "POINTS 2\nDATA ascii\n1 2 3\n", "fewer points than the header says, which is 2"},
        {"a.pcd", PCD "POINTS 1\nDATA ascii\n1 2 3\n1 2 3\n", "more points than the header says, which is 1"},
        {"a.pcd", PCD "POINTS 1\nDATA ascii\n1 2\n", "a.pcd:8: 2 values, 3 are expected"},
        {"a.pcd", PCD "POINTS 1\nDATA ascii\n1 2 x\n", "a.pcd:8: 'x': a number"},
        {"a.pcd", PCD "POINTS 1\nDATA ascii\n1 2 1e8\n", "a.pcd:8: the point (1, 2, 1e+08) is beyond"},
        {"a.pcd", PCD "VIEWPOINT 1 2 3\nPOINTS 0\nDATA ascii\n", "seven numbers"},
        {"a.pcd", PCD "POINTS 1\nDATA binary\n12345", "the file ends, 1 points of 12 bytes"},
        {"a.pcd", PCD "POINTS 1\nDATA binary_compressed\n12345", "sizes of the compressed points"},
        {"a.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1 2\n",
         "no property 'z'"},
        {"a.ply", "ply\nformat ascii 1.0\nelement face 1\nproperty float x\nend_header\n1 2\n",
         "no element vertex"},
        {"a.ply",
         "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float "
         "z\nend_header\n1 2 3 4",
         "item 1 of the vertices"},
        {"a.ply", "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n",
         "that the file can hold"},
        {"a.xyz", "1 2\n", "a.xyz:1: '2': three numbers"},
        {"a.xyz", "a b c\n", "a header that begins with x,y,z"},
        {"a.xyz", "1 2 3\nx y z\n", "a.xyz:2: 'x': three numbers"},
        {"a.xyz", "1 2 3\n1,5 2,5 3,5\n", "a.xyz:2: '5 2': three numbers"},
        {"a.csv", "1,,3\n", "a.csv:1: '': three numbers"},
        {"a.las", "LASF", "a point cloud is expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        refuse(cases[i].path, cases[i].text, strlen(cases[i].text), cases[i].expected);
    }
    // Sizes that lie about compressed points, and damage within.
    char bytes[512];
    const size_t at = (size_t)sprintf(bytes, PCD "POINTS 4\nDATA binary_compressed\n");
    const uint32_t sizes[][2] = {{1000, 48}, {10, 4000000000u}, {10, 47}, {0, 48}};
    for (int i = 0; i < 4; ++i) {
        memcpy(bytes + at, sizes[i], 8);
        memset(bytes + at + 8, 0, 16);
        refuse("a.pcd", bytes, at + 24, "bytes that become");
    }
    const uint32_t damaged[] = {16, 48};
    memcpy(bytes + at, damaged, 8);
    memset(bytes + at + 8, 0xff, 16);
    refuse("a.pcd", bytes, at + 24, "damaged");
    PointCloud cloud;
    static const char seen[] = PCD "VIEWPOINT 0 0 1 1 0 0 0\nPOINTS 0\nDATA ascii\n";
    assert_int_equal(parse("a.pcd", seen, strlen(seen), &cloud), BERTH_OK);
    assert_true(cloud.has_viewpoint && cloud.count == 0);
    bi_cloud_free(&cloud);
}

int test_io_cloud(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format),
        cmocka_unit_test(cut_files),
        cmocka_unit_test(values_of_every_kind),
        cmocka_unit_test(wrong_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
