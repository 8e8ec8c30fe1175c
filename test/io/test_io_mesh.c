// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Mesh files: real ones, traps, broken ones at every byte; numbers in every locale; files that are none.

// clang-format off
#include <berth/io/mesh.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <ftw.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/mesh/soup.h"
#include "io/syntax/file.h"
#include "io/syntax/number.h"
#include "math/math.h"
#include "mesh/mesh.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

// ---- help --------------------------------------------------------------------------------------------------------

static char g_warnings[4096];
static int g_warning_count;

static void keep_warning(void* user, const char* text) {
    (void)user;
    g_warning_count++;
    snprintf(g_warnings, sizeof g_warnings, "%s", text);
}

static BerthIoOptions options_with_warnings(void) {
    BerthIoOptions options = berth_default_io_options();
    options.warn = keep_warning;
    g_warnings[0] = 0;
    g_warning_count = 0;
    return options;
}

typedef BerthStatus (*Parser)(const char*, const char*, size_t, const BerthIoOptions*, TriangleSoup*);

// Parses an exact copy on the heap, so that a sanitizer sees every byte read too far.
static BerthStatus parse(Parser parser, const char* name, const void* data, size_t size, TriangleSoup* soup) {
    const BerthIoOptions options = options_with_warnings();
    char* copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    copy[size] = 0;
    assert_int_equal(bi_soup_init(soup, v3(1, 1, 1), NULL), BERTH_OK);
    const BerthStatus status = parser(name, copy, size, &options, soup);
    free(copy);
    return status;
}

static void expect_error(Parser parser, const char* name, const char* text, const char* expected) {
    TriangleSoup soup;
    const BerthStatus status = parse(parser, name, text, strlen(text), &soup);
    bi_soup_free(&soup);
    if (status != BERTH_ERR_PARSE || strstr(berth_error_text(), expected) == NULL) {
        fail_msg("status %d, '%s' where '%s' is expected", status, berth_error_text(), expected);
    }
}

static void temporary_path(char* out, size_t size, const char* name) {
    const char* folder = getenv("TMPDIR");
    snprintf(out, size, "%s/berth_mesh_%ld_%s", folder != NULL ? folder : "/tmp", (long)getpid(), name);
}

static void write_file(const char* path, const void* data, size_t size) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// A tetrahedron with legs 1, 2, 3 along the axes: volume 1.
static const float g_corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
static const int g_face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
enum { BINARY_SIZE = 84 + 50 * 4 };

static void make_binary(unsigned char out[BINARY_SIZE]) {
    memset(out, 0, BINARY_SIZE);
    memcpy(out, "solid says nothing", 18);
    out[80] = 4;
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 3; k++) {
            memcpy(out + 84 + 50 * i + 12 + 12 * k, g_corner[g_face[i][k]], 12);
        }
    }
}

static size_t make_text(char* out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "solid a part\n");
    for (int i = 0; i < 4; i++) {
        used += (size_t)snprintf(out + used, size - used, "facet normal nan 0 1\n outer loop\n");
        for (int k = 0; k < 3; k++) {
            const float* p = g_corner[g_face[i][k]];
            used += (size_t)snprintf(out + used, size - used, "  vertex %g %ge0 %.3f\n", (double)p[0],
                                     (double)p[1], (double)p[2]);
        }
        used += (size_t)snprintf(out + used, size - used, " endloop\nendfacet\n");
    }
    return used + (size_t)snprintf(out + used, size - used, "endsolid a part\n");
}

static const char g_obj[] =
    "# a part\nmtllib a.mtl\no part\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 0 2 0 1\nvn 0 0 1\nvt 0 0\nv 0 0 3\n"
    "usemtl x\ns off\nf 1 3/1 2/1/1\nf 1//1 2//1 4//1\nf -3 -2 \\\n  -1\nf 1 4 3 # last\nl 1 2\n";

static void expect_tetrahedron(const TriangleSoup* soup, double volume) {
    BerthMesh* mesh = NULL;
    assert_int_equal(berth_mesh_create(soup->vertices, (int32_t)soup->vertex_count, soup->corners,
                                       (int32_t)soup->triangle_count, NULL, &mesh),
                     BERTH_OK);
    assert_int_equal(berth_mesh_info(mesh).triangle_count, 4);
    assert_int_equal(berth_mesh_info(mesh).vertex_count, 4);
    assert_true(berth_mesh_info(mesh).watertight);
    assert_true(fabs(berth_mesh_info(mesh).volume - volume) < 1e-12);
    berth_mesh_destroy(mesh);
}

// ---- numbers -----------------------------------------------------------------------------------------------------

static void numbers_are_those_of_strtod(void** state) {
    (void)state;
    Random random = {31};
    for (int i = 0; i < test_scaled(200000); i++) {
        const uint64_t bits = bi_random_next(&random);
        double value = 0.0, back = 0.0;
        memcpy(&value, &bits, sizeof value);
        if (i % 2 == 0 || !isfinite(value)) {
            value = (double)(int64_t)(bi_random_next(&random) % 2000001 - 1000000) / 1000.0;
        }
        char text[64];
        const char* const format[] = {"%.17g", "%g", "%.3f", "%.9e", "+%.12g"};
        const int kind = fabs(value) < 1e15 ? i % 5 : i % 2;
        snprintf(text, sizeof text, format[kind], kind == 4 ? fabs(value) : value);
        assert_true(bi_parse_double(text, strlen(text), &back));
        const double expected = strtod(text, NULL);
        assert_memory_equal(&back, &expected, sizeof back);
        assert_null(bi_number_fault(text, strlen(text)));
    }
}

static void numbers_that_are_none(void** state) {
    (void)state;
    static const char* const bad[][2] = {
        {"", "empty"},
        {"1,5", "decimal comma"},
        {"0.05abc", "trailing"},
        {"nan", "not finite"},
        {"-NaN", "not finite"},
        {"inf", "not finite"},
        {"+Infinity", "not finite"},
        {"0x10", "hexadecimal"},
        {"-0X1p3", "hexadecimal"},
        {"1e", "trailing"},
        {"1e+", "trailing"},
        {".", "not a number"},
        {"-", "not a number"},
        {"e5", "not a number"},
        {" 1", "not a number"},
        {"1 ", "trailing"},
        {"1.2.3", "trailing"},
        {"1e999", "not finite"},
        {"--1", "not a number"},
        {"1f", "trailing"},
        {"1_000", "trailing"},
        {"\xd9\xa1", "not a number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double value = 7.0;
        assert_false(bi_parse_double(bad[i][0], strlen(bad[i][0]), &value));
        assert_true(value == 7.0);
        const char* fault = bi_number_fault(bad[i][0], strlen(bad[i][0]));
        if (fault == NULL || strstr(fault, bad[i][1]) == NULL) {
            fail_msg("'%s': %s", bad[i][0], fault != NULL ? fault : "no fault");
        }
    }
    char digits[500];
    memset(digits, '1', sizeof digits);
    double value = 0.0;
    assert_false(bi_parse_double(digits, sizeof digits, &value));
    assert_true(bi_parse_double(digits, 300, &value) && value > 1e299);
    assert_true(bi_parse_double("-0", 2, &value) && value == 0.0 && signbit(value));
    assert_true(bi_parse_double("5.", 2, &value) && value == 5.0);
    assert_true(bi_parse_double(".5", 2, &value) && value == 0.5);
    assert_true(bi_parse_double("1e-400", 6, &value) && value == 0.0);
    assert_true(bi_parse_double("12345", 2, &value) && value == 12.0);  // only as long as it is told
    int64_t whole = 0;
    assert_true(bi_parse_int("-9223372036854775808", 20, &whole) && whole == INT64_MIN);
    assert_true(bi_parse_int("9223372036854775807", 19, &whole) && whole == INT64_MAX);
    assert_true(bi_parse_int("+0", 2, &whole) && whole == 0);
    assert_false(bi_parse_int("9223372036854775808", 19, &whole));
    assert_false(bi_parse_int("-9223372036854775809", 20, &whole));
    assert_false(bi_parse_int("", 0, &whole) || bi_parse_int("-", 1, &whole) ||
                 bi_parse_int("1.0", 3, &whole) || bi_parse_int("0x1", 3, &whole) ||
                 bi_parse_int(" 1", 2, &whole));
}

// ---- STL and OBJ -------------------------------------------------------------------------------------------------

static void stl_is_read(void** state) {
    (void)state;
    unsigned char binary[BINARY_SIZE];
    char text[4096];
    TriangleSoup soup;
    make_binary(binary);
    assert_int_equal(parse(bi_io_parse_stl, "a.stl", binary, sizeof binary, &soup), BERTH_OK);
    expect_tetrahedron(&soup, 1.0);
    bi_soup_free(&soup);
    const size_t size = make_text(text, sizeof text);
    assert_int_equal(parse(bi_io_parse_stl, "a.stl", text, size, &soup), BERTH_OK);
    expect_tetrahedron(&soup, 1.0);
    bi_soup_free(&soup);
    // Two solids, capitals, carriage returns.
    static const char shouted[] =
        "SOLID\r\nFACET NORMAL 0 0 0\r\nOUTER LOOP\r\nVERTEX 0 0 0\r\nVERTEX 1 0 0\r\nVERTEX 0 1 "
        "0\r\nENDLOOP\r\n"
        "ENDFACET\r\nENDSOLID\r\nsolid b\rendsolid b";
    assert_int_equal(parse(bi_io_parse_stl, "a.stl", shouted, sizeof shouted - 1, &soup), BERTH_OK);
    assert_int_equal(soup.triangle_count, 1);
    bi_soup_free(&soup);
}

// Shorter by any number of bytes is an error; for text, once the last "endsolid" is there only its name is missing.
static void stl_is_refused_when_cut(void** state) {
    (void)state;
    unsigned char binary[BINARY_SIZE + 1];
    char text[4096];
    TriangleSoup soup;
    make_binary(binary);
    for (size_t size = 0; size < BINARY_SIZE; size++) {
        assert_int_equal(parse(bi_io_parse_stl, "a.stl", binary, size, &soup), BERTH_ERR_PARSE);
        // A few bytes of "solid says" are text; later there are zero bytes.
        assert_non_null(strstr(berth_error_text(), size >= 5 && size <= 18 ? "a.stl:1: " : "a.stl: byte "));
        bi_soup_free(&soup);
    }
    binary[BINARY_SIZE] = 0;
    assert_int_equal(parse(bi_io_parse_stl, "a.stl", binary, sizeof binary, &soup), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "a.stl: byte 284: 1 more bytes"));
    bi_soup_free(&soup);
    const size_t whole = make_text(text, sizeof text);
    const size_t enough = whole - strlen(" a part\n");
    for (size_t size = 0; size < whole; size++) {
        const BerthStatus status = parse(bi_io_parse_stl, "a.stl", text, size, &soup);
        assert_int_equal(status, size >= enough ? BERTH_OK : BERTH_ERR_PARSE);
        assert_true(size >= enough || strncmp(berth_error_text(), "a.stl:", 6) == 0);
        bi_soup_free(&soup);
    }
}

static void stl_lies_are_named(void** state) {
    (void)state;
    unsigned char binary[BINARY_SIZE];
    TriangleSoup soup;
    make_binary(binary);
    memset(binary + 80, 0xEE, 4);  // 4,008,636,142 triangles
    assert_int_equal(parse(bi_io_parse_stl, "a.stl", binary, sizeof binary, &soup), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "4008636142 triangles"));
    bi_soup_free(&soup);
    memset(binary + 80, 0, 4);
    assert_int_equal(parse(bi_io_parse_stl, "a.stl", binary, 84, &soup), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "no triangles"));
    bi_soup_free(&soup);
    make_binary(binary);
    const float bad[3] = {NAN, INFINITY, 1e8f};
    for (int i = 0; i < 3; i++) {
        memcpy(binary + 84 + 50 * 2 + 12 + 12 + 8, &bad[i], 4);  // triangle 2, second corner, z
        assert_int_equal(parse(bi_io_parse_stl, "a.stl", binary, sizeof binary, &soup), BERTH_ERR_PARSE);
        assert_non_null(strstr(berth_error_text(), "a.stl: byte 216: triangle 2 has a corner with z ="));
        bi_soup_free(&soup);
    }
    expect_error(bi_io_parse_stl, "a.stl", "", "a.stl: byte 0");
    expect_error(bi_io_parse_stl, "a.stl", "solid x\nendsolid x\n", "a.stl:3: the file has no triangles");
    expect_error(bi_io_parse_stl, "a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 1,5 0\n",
                 "a.stl:4: vertex: '1,5': decimal comma");
    expect_error(bi_io_parse_stl, "a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 nan 0\n",
                 "a.stl:4: vertex: 'nan': not finite");
    expect_error(bi_io_parse_stl, "a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 1e8 0\n",
                 "a.stl:4: vertex");
    expect_error(bi_io_parse_stl, "a.stl", "solid x\nfacet normal 0 0 1\nouter lop\n",
                 "a.stl:3: 'lop', 'loop' is expected");
    expect_error(bi_io_parse_stl, "a.stl", "solid x\nvertex 1 2 3\n",
                 "a.stl:2: 'vertex', 'facet' or 'endsolid'");
    expect_error(bi_io_parse_stl, "a.stl", "solid x\nendsolid\ngarbage\n",
                 "a.stl:3: 'garbage', 'solid' is expected");
}

static void obj_is_read(void** state) {
    (void)state;
    TriangleSoup soup;
    assert_int_equal(parse(bi_io_parse_obj, "a.obj", g_obj, sizeof g_obj - 1, &soup), BERTH_OK);
    expect_tetrahedron(&soup, 1.0);
    assert_int_equal(g_warning_count, 0);
    bi_soup_free(&soup);
    static const char counts[] = "3 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3";
    assert_int_equal(parse(bi_io_parse_obj, "a.obj", counts, sizeof counts - 1, &soup), BERTH_OK);
    assert_int_equal(g_warning_count, 1);
    assert_memory_equal(g_warnings, "a.obj:1: ", 9);
    bi_soup_free(&soup);
    static const char polygon[] = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 3 0\nv 0 2 0\nf 1 2 3 4 5\n";
    assert_int_equal(parse(bi_io_parse_obj, "a.obj", polygon, sizeof polygon - 1, &soup), BERTH_OK);
    assert_int_equal(soup.triangle_count, 3);
    assert_int_equal(g_warning_count, 0);
    bi_soup_free(&soup);
    static const char arrow[] = "v 0 0 0\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\nf 2 3 4 1\n";
    assert_int_equal(parse(bi_io_parse_obj, "a.obj", arrow, sizeof arrow - 1, &soup), BERTH_OK);
    assert_int_equal(g_warning_count, 1);
    assert_memory_equal(g_warnings, "a.obj:5: 1 concave", 18);
    bi_soup_free(&soup);
    static const char later[] = "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n";
    assert_int_equal(parse(bi_io_parse_obj, "a.obj", later, sizeof later - 1, &soup), BERTH_OK);
    bi_soup_free(&soup);
}

static void obj_lies_are_named(void** state) {
    (void)state;
    TriangleSoup soup;
    for (size_t size = 0; size < sizeof g_obj - 1;
         size++) {  // cut anywhere: fewer triangles or an error with a line
        const BerthStatus status = parse(bi_io_parse_obj, "a.obj", g_obj, size, &soup);
        assert_true(status == BERTH_OK
                        ? soup.triangle_count >= 1 && soup.triangle_count <= 4
                        : status == BERTH_ERR_PARSE && strncmp(berth_error_text(), "a.obj:", 6) == 0);
        bi_soup_free(&soup);
    }
    expect_error(bi_io_parse_obj, "a.obj", "", "a.obj:1: the file has no faces");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\nv 0 0,5 1\n", "a.obj:2: v: '0,5': decimal comma");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\nv 0 0\n", "a.obj:2: v with 2 numbers");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 inf\n", "a.obj:1: v: 'inf': not finite");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 2e7\n", "a.obj:1: vertex");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0 2\n", "a.obj:1: v has weight 2");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\n\nf 1 1 0\n",
                 "a.obj:3: f: '0': there is no such vertex");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\nf 1 1 -2\n", "a.obj:2: f: '-2'");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\nf 1 1 2\nv 0 0 0 \nf 1 1 5\n#\n",
                 "a.obj:4: f: there is no vertex 5, the file has 2");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\nf 1 1\n", "a.obj:2: f with 2 corners");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\nf 1 1 1/\n", "a.obj:2: f: '1/'");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\nf 1 1 1/1/1/1\n", "a.obj:2: f: '1/1/1/1'");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\nf 1 1 1.0\n", "a.obj:2: f: '1.0'");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\nsurf 0 1 0 1\n", "a.obj:2: unknown keyword 'surf'");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\n3 4\n", "a.obj:2: unknown keyword '3'");
    expect_error(bi_io_parse_obj, "a.obj", "v 0 0 0\n\x01\xff\n", "a.obj:2: unknown keyword '\?\?'");
}

// ---- whole files -------------------------------------------------------------------------------------------------

static void scale_and_mirror(void** state) {
    (void)state;
    unsigned char binary[BINARY_SIZE];
    make_binary(binary);
    char path[512];
    temporary_path(path, sizeof path, "scaled.STL");
    write_file(path, binary, sizeof binary);
    const Vec3 scale[4] = {{1, 1, 1}, {-1, 1, 1}, {0.001, -2, -3}, {-1, -1, -1}};
    for (int i = 0; i < 4; i++) {
        BerthMesh* mesh = NULL;
        assert_int_equal(berth_io_read_mesh(path, scale[i], NULL, &mesh), BERTH_OK);
        const BerthMeshInfo info = berth_mesh_info(mesh);
        assert_true(info.watertight);
        assert_true(fabs(info.volume - fabs(scale[i].x * scale[i].y * scale[i].z)) < 1e-12);
        assert_true((scale[i].y < 0 ? info.low.y : info.high.y) == 2 * scale[i].y);
        berth_mesh_destroy(mesh);
        // The winding is right before anything is turned by volume, too: open meshes depend on it.
        TriangleSoup soup;
        assert_int_equal(bi_soup_init(&soup, scale[i], NULL), BERTH_OK);
        const BerthIoOptions options = berth_default_io_options();
        assert_int_equal(bi_io_parse_stl("a.stl", (const char*)binary, sizeof binary, &options, &soup),
                         BERTH_OK);
        const int32_t* c = soup.corners + 3 * 2;  // the slanted face: its normal points away from the origin
        const Vec3 a = soup.vertices[c[0]];
        const Vec3 normal = v3_cross(v3_sub(soup.vertices[c[1]], a), v3_sub(soup.vertices[c[2]], a));
        assert_true(v3_dot(normal, a) > 0.0);
        bi_soup_free(&soup);
    }
    const Vec3 bad[3] = {{0, 1, 1}, {1, NAN, 1}, {1, 1, INFINITY}};
    for (int i = 0; i < 3; i++) {
        BerthMesh* mesh = NULL;
        assert_int_equal(berth_io_read_mesh(path, bad[i], NULL, &mesh), BERTH_ERR_ARGUMENT);
        assert_non_null(strstr(berth_error_text(), "scale"));
        assert_null(mesh);
    }
    // A tetrahedron of 3 km: warned about.
    const BerthIoOptions options = options_with_warnings();
    BerthMesh* mesh = NULL;
    assert_int_equal(berth_io_read_mesh(path, v3(1000, 1000, 1000), &options, &mesh), BERTH_OK);
    assert_int_equal(g_warning_count, 1);
    assert_non_null(strstr(g_warnings, "3e+03 m large"));
    berth_mesh_destroy(mesh);
    unlink(path);
}

static void things_that_are_no_files(void** state) {
    (void)state;
    char path[512];
    BerthMesh* mesh = NULL;
    temporary_path(path, sizeof path, "missing.stl");
    assert_int_equal(berth_io_read_mesh(path, v3(1, 1, 1), NULL, &mesh), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "missing.stl: cannot be opened"));
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(berth_io_read_mesh(path, v3(1, 1, 1), NULL, &mesh), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "a directory"));
    rmdir(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(berth_io_read_mesh(path, v3(1, 1, 1), NULL, &mesh),
                     BERTH_ERR_ARGUMENT);  // and does not wait
    assert_non_null(strstr(berth_error_text(), "a FIFO"));
    unlink(path);
    FileBytes file;
    assert_int_equal(bi_io_read_file("/dev/null", 0, NULL, &file), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "a device"));
    assert_int_equal(bi_io_read_file("", 0, NULL, &file), BERTH_ERR_ARGUMENT);
    write_file(path, "12345", 5);
    assert_int_equal(bi_io_read_file(path, 4, NULL, &file), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "has 5 bytes, at most 4"));
    assert_null(file.data);
    assert_int_equal(bi_io_read_file(path, 5, NULL, &file), BERTH_OK);
    assert_int_equal(file.size, 5);
    assert_string_equal(file.data, "12345");
    bi_io_free_file(&file);
    bi_io_free_file(&file);
    write_file(path, "", 0);
    assert_int_equal(berth_io_read_mesh(path, v3(1, 1, 1), NULL, &mesh), BERTH_ERR_PARSE);
    unlink(path);
    assert_int_equal(berth_io_read_mesh("part.step", v3(1, 1, 1), NULL, &mesh), BERTH_ERR_UNSUPPORTED);
    assert_non_null(strstr(berth_error_text(), "'.step'"));
    assert_int_equal(berth_io_read_mesh(NULL, v3(1, 1, 1), NULL, &mesh), BERTH_ERR_ARGUMENT);
    BerthIoOptions unset;
    memset(&unset, 0, sizeof unset);
    assert_int_equal(berth_io_read_mesh("a.stl", v3(1, 1, 1), &unset, &mesh), BERTH_ERR_ARGUMENT);
    assert_true(bi_io_has_extension("a.StL", ".stl") && !bi_io_has_extension("stl", ".stl"));
}

static BerthStatus read_mesh(void* path, const BerthAllocator* allocator) {
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    BerthMesh* mesh = NULL;
    const BerthStatus status = berth_io_read_mesh(path, v3(1, 1, 1), &options, &mesh);
    berth_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    unsigned char binary[BINARY_SIZE];
    char path[3][512], text[4096];
    make_binary(binary);
    temporary_path(path[0], sizeof path[0], "b.stl");
    temporary_path(path[1], sizeof path[1], "t.stl");
    temporary_path(path[2], sizeof path[2], "o.obj");
    write_file(path[0], binary, sizeof binary);
    write_file(path[1], text, make_text(text, sizeof text));
    write_file(path[2], g_obj, sizeof g_obj - 1);
    for (int i = 0; i < 3; i++) {
        assert_true(starve(read_mesh, path[i]) < 1000);
        unlink(path[i]);
    }
}

// ---- through assimp ----------------------------------------------------------------------------------------------

static const char g_dae_head[] =
    "<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
    "version=\"1.4.1\">\n";
static const char g_dae_tail[] =
    "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"pa\" count=\"12\">"
    "0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common><accessor source=\"#pa\" count=\"4\" "
    "stride=\"3\">"
    "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" "
    "type=\"float\"/></accessor>"
    "</technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
    "<triangles count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 2 1 0 1 3 1 2 3 0 3 "
    "2</p></triangles>"
    "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene "
    "id=\"s\"><node><instance_geometry url=\"#g\"/>"
    "</node></visual_scene></library_visual_scenes><scene><instance_visual_scene "
    "url=\"#s\"/></scene></COLLADA>\n";

static BerthStatus read_dae(const char* asset, const BerthIoOptions* options, BerthMesh** mesh) {
    char path[512], text[4096];
    temporary_path(path, sizeof path, "part.dae");
    const int size = snprintf(text, sizeof text, "%s%s%s", g_dae_head, asset, g_dae_tail);
    write_file(path, text, (size_t)size);
    const BerthStatus status = berth_io_read_mesh(path, v3(1, 1, 1), options, mesh);
    unlink(path);
    return status;
}

static bool has_own_reader(const char* path) {
    return bi_io_has_extension(path, ".stl") || bi_io_has_extension(path, ".obj");
}

static bool has_assimp(void) {
    BerthMesh* mesh = NULL;
    const BerthStatus status = read_dae("<asset/>\n", NULL, &mesh);
    berth_mesh_destroy(mesh);
    if (status == BERTH_ERR_UNSUPPORTED) {
        test_say_skip("this build has no assimp");
    }
    return status != BERTH_ERR_UNSUPPORTED;
}

static void collada_units_and_lies(void** state) {
    (void)state;
    if (!has_assimp()) {
        skip();
    }
    BerthIoOptions options = options_with_warnings();
    BerthMesh* mesh = NULL;
    // Up axis is ignored, the unit is obeyed.
    assert_int_equal(read_dae("<asset><unit name=\"dm\" meter=\"0.1\"/><up_axis>Y_UP</up_axis></asset>\n",
                              &options, &mesh),
                     BERTH_OK);
    assert_true(fabs(mesh->info.high.y - 0.2) < 1e-7 && fabs(mesh->info.high.z - 0.3) < 1e-7);
    assert_true(mesh->info.watertight && g_warning_count == 0);
    berth_mesh_destroy(mesh);
    assert_int_equal(
        read_dae("<asset>\n<unit meter=\"0.001\"/><up_axis>Z_UP</up_axis></asset>\n", &options, &mesh),
        BERTH_OK);
    assert_true(fabs(mesh->info.high.z - 0.003) < 1e-9);
    assert_int_equal(g_warning_count, 1);
    assert_non_null(strstr(g_warnings, "part.dae:4: with its unit of 0.001 m"));
    assert_non_null(strstr(g_warnings, "is the unit wrong?"));
    berth_mesh_destroy(mesh);
    options.ignore_dae_units = true;
    g_warning_count = 0;
    assert_int_equal(read_dae("<asset><unit meter=\"0.001\"/></asset>\n", &options, &mesh), BERTH_OK);
    assert_true(fabs(mesh->info.high.z - 3) < 1e-6);
    assert_int_equal(g_warning_count, 0);
    berth_mesh_destroy(mesh);
    static const char* const bad[][2] = {
        {"<asset><unit meter=\"0,01\"/></asset>", "part.dae:3: <unit>: meter=\"0,01\": decimal comma"},
        {"<asset><unit meter=\"0\"/></asset>", "part.dae:3: <unit>: meter=\"0\""},
        {"<asset><unit meter=\"-1\"/></asset>", "part.dae:3: <unit>"},
        {"<asset>\n<unit", "part.dae:"},
        {"<asset></assets>", "part.dae:3: mismatched tag"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(read_dae(bad[i][0], &options, &mesh), BERTH_ERR_PARSE);
        assert_null(mesh);
        assert_non_null(strstr(berth_error_text(), bad[i][1]));
    }
}

static void collada_is_looked_through(void** state) {
    (void)state;
    MeshUnits units;
    static char deep[40000];
    size_t used = (size_t)snprintf(deep, sizeof deep, "<COLLADA>");
    for (int i = 0; i < 2000; i++) {
        used += (size_t)snprintf(deep + used, sizeof deep - used, "<node>");
    }
    assert_int_equal(bi_io_scan_collada("d.dae", deep, used, NULL, &units), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "d.dae:1: elements are nested deeper"));
    static const char entity[] = "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"c\">]>\n<COLLADA/>";
    assert_int_equal(bi_io_scan_collada("d.dae", entity, sizeof entity - 1, NULL, &units), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "d.dae:2: DOCTYPE"));
    static const char other[] = "\n<robot/>";
    assert_int_equal(bi_io_scan_collada("d.dae", other, sizeof other - 1, NULL, &units), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "d.dae:2: the document is <robot>"));
    assert_int_equal(bi_io_scan_collada("d.dae", "", 0, NULL, &units), BERTH_ERR_PARSE);
    static const char good[] =
        "<COLLADA><asset><unit meter=\"2.5e-2\"/></asset><x><asset><unit meter=\"7\"/></asset></x></COLLADA>";
    assert_int_equal(bi_io_scan_collada("d.dae", good, sizeof good - 1, NULL, &units), BERTH_OK);
    assert_true(units.metres == 0.025 && units.line == 1);
}

static void other_formats(void** state) {
    (void)state;
    if (!has_assimp()) {
        skip();
    }
    char path[512];
    BerthMesh* mesh = NULL;
    static const char ply[] =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
        "z\nelement face 4\n"
        "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 2 0\n0 0 3\n3 0 2 1\n3 0 1 3\n3 "
        "1 2 3\n3 0 3 2\n";
    temporary_path(path, sizeof path, "a.ply");
    write_file(path, ply, sizeof ply - 1);
    assert_int_equal(berth_io_read_mesh(path, v3(1, 1, -1), NULL, &mesh), BERTH_OK);
    assert_true(mesh->info.watertight && fabs(mesh->info.volume - 1) < 1e-6 && mesh->info.low.z == -3);
    berth_mesh_destroy(mesh);
    write_file(path, "not a ply", 9);
    assert_int_equal(berth_io_read_mesh(path, v3(1, 1, 1), NULL, &mesh), BERTH_ERR_PARSE);
    unlink(path);
    // A .gltf may use the buffer beside it, and nothing else.
    char buffer[512], text[2048];
    temporary_path(path, sizeof path, "a.gltf");
    temporary_path(buffer, sizeof buffer, "a.bin");
    const float corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    write_file(buffer, corner, sizeof corner);
    const char* slash = strrchr(buffer, '/');
    const char* const prefix[2] = {"", "../"};
    for (int i = 0; i < 2; i++) {
        const int size = snprintf(text, sizeof text,
                                  "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                                  "\"nodes\":[{\"mesh\":0}],\"meshes\":[{"
                                  "\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{"
                                  "\"bufferView\":0,\"componentType\":5126,"
                                  "\"count\":3,\"type\":\"VEC3\"}],\"bufferViews\":[{\"buffer\":0,"
                                  "\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,"
                                  "\"uri\":\"%s%s\"}]}",
                                  prefix[i], slash + 1);
        write_file(path, text, (size_t)size);
        assert_int_equal(berth_io_read_mesh(path, v3(1, 1, 1), NULL, &mesh),
                         i == 0 ? BERTH_OK : BERTH_ERR_PARSE);
        berth_mesh_destroy(mesh);
    }
    static char deep[10000];
    memset(deep, '[', sizeof deep);
    write_file(path, deep, sizeof deep);
    assert_int_equal(berth_io_read_mesh(path, v3(1, 1, 1), NULL, &mesh), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "a.gltf:1: maximum parsing depth"));
    unlink(path);
    unlink(buffer);
}

static BerthStatus scan_good_collada(void* units, const BerthAllocator* allocator) {
    static const char good[] =
        "<COLLADA><node id=\"a\"><instance_geometry url=\"#g\"/></node><node><instance_node url=\"#a\"/>"
        "<instance_node url=\"#a\"/></node><geometry id=\"g\"><x count=\"3\"/></geometry></COLLADA>";
    return bi_io_scan_collada("d.dae", good, sizeof good - 1, allocator, units);
}

// Each of these crashed assimp 5.2, or made it take all memory.
static void documents_that_use_themselves(void** state) {
    (void)state;
    MeshUnits units;
    static const char* const bad[][2] = {
        {"<COLLADA><node id=\"a\"><node><instance_node url=\"#a\"/></node></node></COLLADA>",
         "d.dae:1: the node uses itself"},
        {"<COLLADA><node name=\"a\"><instance_node url=\"#b\"/></node>\n<node id=\"b\"><instance_node "
         "url=\"#a\"/></node></COLLADA>",
         "the node uses itself"},
        {"<COLLADA>\n<float_array count=\"4000000000\"/></COLLADA>", "d.dae:2: <float_array>: count"},
        {"<COLLADA><p>0 1\n2 3/1</p></COLLADA>", "d.dae:2: '/' among numbers"},
        {"<COLLADA><float_array>0,5 1</float_array></COLLADA>", "d.dae:1: ',' among numbers"},
        {"<COLLADA><p count=\"-1\"/></COLLADA>", "d.dae:1: <p>: count"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(bi_io_scan_collada("d.dae", bad[i][0], strlen(bad[i][0]), NULL, &units),
                         BERTH_ERR_PARSE);
        assert_non_null(strstr(berth_error_text(), bad[i][1]));
    }
    static char text[65536];
    for (int kind = 0; kind < 2; kind++) {  // doubles itself 40 times; hangs on a chain of 1000
        const int count = kind == 0 ? 40 : 1000;
        size_t used = (size_t)snprintf(text, sizeof text, "<COLLADA>");
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < 2 - kind; k++) {
                used += (size_t)snprintf(text + used, sizeof text - used,
                                         k == 0 ? "<node id=\"n%d\"><instance_node url=\"#n%d\"/>"
                                                : "<instance_node url=\"#n%d\"/>",
                                         k == 0 ? i : i + 1, i + 1);
            }
            used += (size_t)snprintf(text + used, sizeof text - used, "</node>");
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "</COLLADA>");
        assert_int_equal(bi_io_scan_collada("d.dae", text, used, NULL, &units), BERTH_ERR_PARSE);
        assert_non_null(
            strstr(berth_error_text(), kind == 0 ? "with every use counted" : "more than 200 deep"));
    }
    // Used twice is fine, and every allocation may fail.
    assert_true(starve(scan_good_collada, &units) < 100);
    static const char* const circle[][2] = {
        {"{\"nodes\":[{\"children\":[0]}]}", "in a circle"},
        {"{\"nodes\":[{\"children\":[1,1]},{}]}", "another node has"},
        {"{\"nodes\":[{\"children\":[7]}]}", "not there"},
        {"{\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"indices\":0}]}],\"accessors\":[{"
         "\"count\":4000000000}]}",
         "every use counted"},
        {"[]", "no object"},
        {"{\"nodes\":[}", "d.gltf:1: "},
    };
    for (size_t i = 0; i < sizeof circle / sizeof circle[0]; i++) {
        assert_int_equal(bi_io_scan_gltf("d.gltf", circle[i][0], strlen(circle[i][0]), false, NULL),
                         BERTH_ERR_PARSE);
        if (strstr(berth_error_text(), circle[i][1]) == NULL) {
            fail_msg("%s", berth_error_text());
        }
    }
    assert_int_equal(bi_io_scan_gltf("d.glb", "glTF", 4, true, NULL), BERTH_ERR_PARSE);
    static const char* const ply[][2] = {
        {"ply\nformat ascii 1.0\nelement vertex 4000000000\nend_header\n", "d.ply:3: 'element'"},
        {"ply\nformat ascii 1.0\nelevent vertex 3\nend_header\n", "d.ply:3: 'elevent'"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float \xa9y\nend_header\n",
         "d.ply:4: 'property'"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nEnd_header\n", "d.ply:4: 'End_header'"},
        {"ply\nformat ascii 1.0\ncomment\n", "d.ply:4: the file ends"},
        {"ply\nformat ascii 2.0\nend_header\n", "d.ply:2: 'format'"},
        // A list that says it has four billion entries: assimp made room for them first (34 GB were seen).
        {"ply\nformat ascii 1.0\nelement face 1\nproperty list uint int i\nend_header\n4000000000 1 2 3\n",
         "item 0 of element 0"},
        {"ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uint int i\nend_header\n"
         "\xf0\xff\xff\xff\x01\x01\x01\x01",
         "item 0 of element 0"},
        {"ply\nformat ascii 1.0\nelement face 1\nproperty list char int i\nend_header\n-1 1 2 3\n",
         "item 0 of element 0"},
        {"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nend_header\n1\n", "item 1 of element 0"},
        {"ply\nformat ascii 1.0\nelement face 1\nproperty list float int i\nend_header\n3 1 2 3\n",
         "d.ply:4:"},
        {"", "d.ply:1: ''"},
    };
    for (size_t i = 0; i < sizeof ply / sizeof ply[0]; i++) {
        assert_int_equal(bi_io_scan_ply("d.ply", ply[i][0], strlen(ply[i][0])), BERTH_ERR_PARSE);
        if (strstr(berth_error_text(), ply[i][1]) == NULL) {
            fail_msg("%s", berth_error_text());
        }
    }
}

// ---- shared files ------------------------------------------------------------------------------------------------

static void traps(void** state) {
    (void)state;
    static const struct {
        const char* name;
        BerthStatus status;
        const char* text;
    } trap[] = {
        {"binary-starting-with-solid.stl", BERTH_OK, NULL},
        {"truncated.stl", BERTH_ERR_PARSE, "truncated.stl: byte 200"},
        {"nan-vertex.stl", BERTH_ERR_PARSE, "nan-vertex.stl: byte 96"},
        {"empty.stl", BERTH_ERR_PARSE, "empty.stl:3"},
        {"collada-convex_mesh.dae", BERTH_ERR_PARSE, "no triangles"},
        {"wrong-unit-centimeter.dae", BERTH_OK, NULL},
    };
    if (test_shared_dir() == NULL) {
        TEST_SKIP("no shared folder with mesh traps");
    }
    const bool assimp = has_assimp();
    for (size_t i = 0; i < sizeof trap / sizeof trap[0]; i++) {
        char path[1024], relative[256];
        snprintf(relative, sizeof relative, "robots/mesh-traps/%s", trap[i].name);
        if (!test_shared_path(path, sizeof path, relative)) {
            TEST_SKIP("no %s", relative);
        }
        if (!assimp && !has_own_reader(path)) {
            continue;
        }
        BerthIoOptions options = options_with_warnings();
        BerthMesh* mesh = NULL;
        assert_int_equal(berth_io_read_mesh(path, v3(1, 1, 1), &options, &mesh), trap[i].status);
        assert_true(trap[i].text == NULL || strstr(berth_error_text(), trap[i].text) != NULL);
        if (i == 0) {
            assert_true(mesh->info.triangle_count == 4 && mesh->info.watertight);
        }
        if (i == 5) {
            assert_true(fabs(mesh->info.high.y - mesh->info.low.y - 0.0028) < 1e-4);
            assert_int_equal(g_warning_count, 1);
            assert_non_null(strstr(g_warnings, "is the unit wrong?"));
        }
        berth_mesh_destroy(mesh);
    }
}

static int g_read_count, g_watertight_count, g_failed_count;

static int read_one(const char* path, const struct stat* info, int kind, struct FTW* where) {
    (void)info, (void)where;
    if (kind != FTW_F || strstr(path, "mesh-traps") != NULL || !berth_io_is_mesh(path)) {
        return 0;
    }
    BerthMesh* mesh = NULL;
    const BerthStatus status = berth_io_read_mesh(path, v3(1, 1, 1), NULL, &mesh);
    if (status == BERTH_OK) {
        g_read_count++;
        g_watertight_count += berth_mesh_info(mesh).watertight;
    } else if (status != BERTH_ERR_UNSUPPORTED) {
        print_message("%s\n", berth_error_text());
        g_failed_count++;
    }
    berth_mesh_destroy(mesh);
    return 0;
}

static void real_meshes_load(void** state) {
    (void)state;
    char path[1024];
    if (!test_shared_path(path, sizeof path, "robots")) {
        TEST_SKIP("no shared folder with robots");
    }
    const bool assimp = has_assimp();
    g_read_count = g_watertight_count = g_failed_count = 0;
    assert_int_equal(nftw(path, read_one, 16, FTW_PHYS), 0);
    assert_int_equal(g_failed_count, 0);
    assert_true(g_read_count >= (assimp ? 120 : 60));
    assert_true(g_watertight_count >= (assimp ? 80 : 20));
}

// Numbers mean the same where a comma is the decimal sign. Runs last: it changes the process's locale for a while.
static void german_numbers(void** state) {
    (void)state;
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    const char* old = setlocale(LC_ALL, NULL);
    char saved[256];
    snprintf(saved, sizeof saved, "%s", old != NULL ? old : "C");
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++) {
        found = setlocale(LC_ALL, names[i]) != NULL;
    }
    if (!found) {  // make one
        char folder[512], command[1200];
        temporary_path(folder, sizeof folder, "locale");
        snprintf(command, sizeof command,
                 "mkdir -p %s && localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder, folder);
        if (system(command) == 0) {
            setenv("LOCPATH", folder, 1);
            found = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
        }
        snprintf(command, sizeof command, "rm -rf %s", folder);
        if (system(command) != 0) {
            print_message("%s is left behind\n", folder);
        }
        unsetenv("LOCPATH");
    }
    if (!found || localeconv()->decimal_point[0] != ',') {
        setlocale(LC_ALL, saved);
        TEST_SKIP("no locale with a decimal comma, and localedef cannot make one");
    }
    double value = 0.0;
    const bool read =
        bi_parse_double("0.12345678901234567890123", 25, &value) && value == 0.12345678901234567890123;
    const bool comma = bi_parse_double("1,5", 3, &value);
    TriangleSoup soup;
    const BerthStatus status = parse(bi_io_parse_obj, "a.obj", g_obj, sizeof g_obj - 1, &soup);
    bi_soup_free(&soup);
    BerthMesh* mesh = NULL;
    const BerthStatus dae = read_dae("<asset><unit meter=\"0.5\"/></asset>", NULL, &mesh);
    const double height = mesh != NULL ? mesh->info.high.z : 1.5;
    berth_mesh_destroy(mesh);
    setlocale(LC_ALL, saved);
    assert_true(read);
    assert_false(comma);
    assert_int_equal(status, BERTH_OK);
    assert_true(dae == BERTH_OK || dae == BERTH_ERR_UNSUPPORTED);
    assert_true(fabs(height - 1.5) < 1e-6);
}

int test_io_mesh(void);
int test_io_mesh(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_strtod),
        cmocka_unit_test(numbers_that_are_none),
        cmocka_unit_test(stl_is_read),
        cmocka_unit_test(stl_is_refused_when_cut),
        cmocka_unit_test(stl_lies_are_named),
        cmocka_unit_test(obj_is_read),
        cmocka_unit_test(obj_lies_are_named),
        cmocka_unit_test(scale_and_mirror),
        cmocka_unit_test(things_that_are_no_files),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(collada_units_and_lies),
        cmocka_unit_test(collada_is_looked_through),
        cmocka_unit_test(other_formats),
        cmocka_unit_test(documents_that_use_themselves),
        cmocka_unit_test(traps),
        cmocka_unit_test(real_meshes_load),
        cmocka_unit_test(german_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
