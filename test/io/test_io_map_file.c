// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps from files to fields and back: every format holds the same cells, distances are those of brute force, damage of a
// .bmap is found, memory that fails leaves nothing.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "io/map/map_file.h"
#include "math/math.h"
#include "support/program.h"
#include "support/setting.h"
#include "support/starve.h"

enum { SIDE = 20 };

typedef struct Volume {
    int dim, size[3];
    uint8_t cells[SIDE * SIDE * SIDE];  // BerthCellColour, x fastest
} Volume;

static uint8_t* cell_of(Volume* v, int x, int y, int z) {
    return &v->cells[(z * v->size[1] + y) * v->size[0] + x];
}

static Volume random_volume(Random* random, int dim, bool unknown) {
    Volume v = {.dim = dim};
    for (int axis = 0; axis < 3; ++axis) {
        v.size[axis] = axis < dim ? (int)bi_random_between(random, 3, SIDE) : 1;
    }
    for (int b = 0; b < 12; ++b) {
        int low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = (int)bi_random_between(random, 0, v.size[axis] - 1e-9);
            high[axis] = low[axis] + 1 + (int)bi_random_between(random, 0, 3);
            high[axis] = high[axis] < v.size[axis] ? high[axis] : v.size[axis];
        }
        const uint8_t colour = unknown && b % 3 == 0 ? BERTH_CELL_UNKNOWN : BERTH_CELL_OCCUPIED;
        for (int z = low[2]; z < high[2]; ++z) {
            for (int y = low[1]; y < high[1]; ++y) {
                for (int x = low[0]; x < high[0]; ++x) {
                    *cell_of(&v, x, y, z) = colour;
                }
            }
        }
    }
    return v;
}

// int8, as ROS has it.
static void write_npy(const char* path, Volume* v) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    char header[200];
    const int length = v->dim == 3
                           ? snprintf(header, sizeof header,
                                      "{'descr': '|i1', 'fortran_order': False, 'shape': (%d, %d, %d), }\n",
                                      v->size[0], v->size[1], v->size[2])
                           : snprintf(header, sizeof header,
                                      "{'descr': '|i1', 'fortran_order': False, 'shape': (%d, %d), }\n",
                                      v->size[0], v->size[1]);
    fwrite("\x93NUMPY\1\0", 1, 8, file);
    fputc(length, file);
    fputc(0, file);
    fwrite(header, 1, (size_t)length, file);
    for (int x = 0; x < v->size[0]; ++x) {
        for (int y = 0; y < v->size[1]; ++y) {
            for (int z = 0; z < v->size[2]; ++z) {
                const uint8_t c = *cell_of(v, x, y, z);
                fputc(c == BERTH_CELL_UNKNOWN ? 255 : c == BERTH_CELL_OCCUPIED ? 100 : 0, file);
            }
        }
    }
    fclose(file);
}

static BerthMap* open_map(const char* path, const BerthMapOptions* options) {
    const BerthIoOptions io = berth_default_io_options();
    BerthMap* map = NULL;
    if (berth_io_open_map(path, options, &io, &map) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return map;
}

static void write_map(const char* path, const BerthMap* map) {
    const BerthIoOptions io = berth_default_io_options();
    const BerthMapFacts facts = berth_map_facts(map);
    if (berth_io_write_map(path, berth_map_field(map), &facts, &io) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
}

static void must_hold(const BerthMap* map, Volume* v, const int shift[3]) {
    const BerthField* field = berth_map_field(map);
    for (int z = 0; z < v->size[2]; ++z) {
        for (int y = 0; y < v->size[1]; ++y) {
            for (int x = 0; x < v->size[0]; ++x) {
                assert_int_equal(berth_field_colour_at(field, x + shift[0], y + shift[1], z + shift[2]),
                                 *cell_of(v, x, y, z));
            }
        }
    }
}

// All cells that the file has beyond the volume are of the colour.
static void must_be_outside(const BerthMap* map, const Volume* v, BerthCellColour colour) {
    const BerthFieldInfo info = berth_field_info(berth_map_field(map));
    for (int z = 0; z < info.size[2]; ++z) {
        for (int y = 0; y < info.size[1]; ++y) {
            for (int x = 0; x < info.size[0]; ++x) {
                if (x >= v->size[0] || y >= v->size[1] || z >= v->size[2]) {
                    assert_int_equal(berth_field_colour_at(berth_map_field(map), x, y, z), colour);
                }
            }
        }
    }
}

// The square of the distance from p (in cells) to the nearest obstacle, one cell after the other.
static double brute_sq(Volume* v, const double p[3], bool unknown_is_free) {
    double best = INFINITY;
    for (int z = 0; z < v->size[2]; ++z) {
        for (int y = 0; y < v->size[1]; ++y) {
            for (int x = 0; x < v->size[0]; ++x) {
                const uint8_t c = *cell_of(v, x, y, z);
                if (c == BERTH_CELL_FREE || (c == BERTH_CELL_UNKNOWN && unknown_is_free)) {
                    continue;
                }
                const int low[3] = {x, y, z};
                double sum = 0.0;
                for (int axis = 0; axis < v->dim; ++axis) {
                    const double gap = fmax(0.0, fmax(low[axis] - p[axis], p[axis] - (low[axis] + 1)));
                    sum += gap * gap;
                }
                best = fmin(best, sum);
            }
        }
    }
    return best;
}

static void must_measure(const BerthMap* map, Volume* v, Random* random, bool unknown_is_free) {
    const BerthField* field = berth_map_field(map);
    const BerthFieldInfo info = berth_field_info(field);
    for (int i = 0; i < 30; ++i) {
        double p[3], world[3] = {info.origin.x, info.origin.y, info.origin.z};
        for (int axis = 0; axis < 3; ++axis) {
            p[axis] = bi_random_between(random, 0, v->size[axis]);
            world[axis] += info.resolution * p[axis];
        }
        BerthFieldAnswer answer;
        assert_int_equal(
            berth_field_query(field, BERTH_METRIC_L2, v3(world[0], world[1], world[2]), 0.0, &answer),
            BERTH_OK);
        const double expected = info.resolution * sqrt(brute_sq(v, p, unknown_is_free));
        if (isinf(expected)) {
            assert_true(isinf(answer.lower));
        } else {
            assert_true(fabs(answer.lower - expected) < 1e-9 && fabs(answer.upper - expected) < 1e-9);
        }
    }
}

// ---- one volume through every format -------------------------------------------------------------------------

static void through_every_format(void** state) {
    (void)state;
    Random random = {21};
    static const int none[3] = {0, 0, 0};
    const int tries = test_scaled(24);
    for (int i = 0; i < tries; ++i) {
        Volume v = random_volume(&random, 2 + i % 2, i % 4 > 1);
        const char* npy = program_temporary("v.npy");
        write_npy(npy, &v);
        BerthMapOptions options = berth_default_map_options();
        options.resolution = 0.25;
        options.has_origin = true;
        options.origin = v3(-1.5, 2.0, v.dim == 3 ? 0.25 : 0.0);
        options.unknown_given = true;
        options.unknown_is_free = i % 8 > 3;
        options.parts = i % 3 == 0 ? BERTH_FIELD_EODM : i % 3 == 1 ? BERTH_FIELD_ALL_PARTS : 0;
        BerthMap* map = open_map(npy, &options);
        must_hold(map, &v, none);
        must_measure(map, &v, &random, options.unknown_is_free);

        // berth's own: the same in place, with all it had.
        const char* own = program_temporary("v.bmap");
        write_map(own, map);
        const BerthMapOptions plain = berth_default_map_options();
        BerthMap* again = open_map(own, &plain);
        const BerthFieldInfo info = berth_field_info(berth_map_field(again));
        assert_int_equal(info.parts, options.parts);
        assert_int_equal(info.unknown_is_free, options.unknown_is_free);
        assert_string_equal(berth_map_facts(again).format, "bmap");
        must_hold(again, &v, none);
        must_measure(again, &v, &random, options.unknown_is_free);
        berth_io_close_map(again);
        // Asked for more than it has, or for another choice about unknown cells: built, and right.
        BerthMapOptions more = plain;
        more.parts = BERTH_FIELD_EUCLID;
        more.unknown_given = true;
        more.unknown_is_free = !options.unknown_is_free;
        again = open_map(own, &more);
        assert_true((berth_field_info(berth_map_field(again)).parts & BERTH_FIELD_EUCLID) != 0);
        must_measure(again, &v, &random, more.unknown_is_free);
        berth_io_close_map(again);

        const char* other = program_temporary("w.npy");
        write_map(other, map);
        again = open_map(other, &options);
        must_hold(again, &v, none);
        berth_io_close_map(again);
        if (v.dim == 2) {
            const char* yaml = program_temporary("w \"q\".yaml");
            write_map(yaml, map);
            again = open_map(yaml, &plain);
            must_hold(again, &v, none);
            assert_true(berth_field_info(berth_map_field(again)).origin.x == -1.5);
            berth_io_close_map(again);
        } else {
            const char* tree = program_temporary("w.bt");
            write_map(tree, map);
            again = open_map(tree, &plain);
            const BerthFieldInfo there = berth_field_info(berth_map_field(again));
            const int shift[3] = {(int)lround((-1.5 - there.origin.x) / 0.25),
                                  (int)lround((2.0 - there.origin.y) / 0.25),
                                  (int)lround((0.25 - there.origin.z) / 0.25)};
            must_hold(again, &v, shift);
            // What the map is not about, OctoMap does not know.
            for (int axis = 0; axis < 3; ++axis) {
                int32_t cell[3] = {shift[0], shift[1], shift[2]};
                cell[axis] = shift[axis] + v.size[axis];
                assert_int_equal(berth_field_colour_at(berth_map_field(again), cell[0], cell[1], cell[2]),
                                 BERTH_CELL_UNKNOWN);
            }
            berth_io_close_map(again);
        }
        // .lin holds obstacles only.
        const char* lin = program_temporary("w.lin");
        write_map(lin, map);
        again = open_map(lin, &plain);
        for (int c = 0; c < v.size[0] * v.size[1] * v.size[2]; ++c) {
            const bool blocks = v.cells[c] == BERTH_CELL_OCCUPIED ||
                                (v.cells[c] == BERTH_CELL_UNKNOWN && !options.unknown_is_free);
            v.cells[c] = blocks ? BERTH_CELL_OCCUPIED : BERTH_CELL_FREE;
        }
        must_hold(again, &v, none);
        must_be_outside(again, &v, options.unknown_is_free ? BERTH_CELL_FREE : BERTH_CELL_OCCUPIED);
        berth_io_close_map(again);
        berth_io_close_map(map);
    }
    program_remove_temporary();
}

// What is known of an octree ends somewhere: there unknown space begins, on all sides, and it is an obstacle.
static void unknown_begins_where_knowledge_ends(void** state) {
    (void)state;
    const char* path = program_temporary("free.bt");
    // A free cube of 4 cells a side from cell 32768 on: child 7 of the root, then always the first, down to scale 2.
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "# Octomap OcTree binary file\nid OcTree\nsize 15\nres 0.5\ndata\n");
    fwrite("\0\xc0", 1, 2, file);
    for (int depth = 1; depth < 13; ++depth) {
        fwrite("\3\0", 1, 2, file);
    }
    fwrite("\1\0", 1, 2, file);
    fclose(file);
    BerthMapOptions options = berth_default_map_options();
    BerthMap* map = open_map(path, &options);
    static const double at[6][3] = {{0.25, 1, 1}, {1.75, 1, 1}, {1, 0.25, 1},
                                    {1, 1.75, 1}, {1, 1, 0.25}, {1, 1, 1.75}};
    BerthFieldAnswer answer;
    for (int i = 0; i < 6; ++i) {
        (void)berth_field_query(berth_map_field(map), BERTH_METRIC_L2, v3(at[i][0], at[i][1], at[i][2]), 0.2,
                                &answer);
        assert_true(answer.lower == 0.25 && answer.upper == 0.25);
        assert_int_equal(answer.verdict, BERTH_FREE);
    }
    berth_io_close_map(map);
    options.unknown_given = true;
    options.unknown_is_free = true;
    map = open_map(path, &options);
    (void)berth_field_query(berth_map_field(map), BERTH_METRIC_L2, v3(1, 1, 1), 5.0, &answer);
    assert_true(isinf(answer.lower) && answer.verdict == BERTH_FREE);
    berth_io_close_map(map);
    program_remove_temporary();
}

// ---- .bmap ---------------------------------------------------------------------------------------------------

static char* read_whole(const char* path, size_t* size) {
    FileBytes bytes;
    assert_int_equal(bi_io_read_file(path, 0, NULL, &bytes), BERTH_OK);
    char* copy = aligned_alloc(64, (bytes.size + 63) / 64 * 64);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.size);
    *size = bytes.size;
    bi_io_free_file(&bytes);
    return copy;
}

static BerthStatus parse_bmap(const char* data, size_t size) {
    BerthMapFacts facts = {0};
    BerthField* field = NULL;
    const BerthStatus status = bi_bmap_parse("m.bmap", data, size, false, NULL, &facts, &field);
    berth_field_destroy(field);
    return status;
}

// Every byte that changes, and every cut, is noticed.
static void damage_is_found(void** state) {
    (void)state;
    Random random = {4};
    Volume v = random_volume(&random, 3, true);
    const char* npy = program_temporary("v.npy");
    const char* own = program_temporary("v.bmap");
    write_npy(npy, &v);
    BerthMapOptions options = berth_default_map_options();
    options.resolution = 1.0;
    options.parts = BERTH_FIELD_EODM;
    BerthMap* map = open_map(npy, &options);
    write_map(own, map);
    berth_io_close_map(map);
    size_t size = 0;
    char* bytes = read_whole(own, &size);
    assert_int_equal(parse_bmap(bytes, size), BERTH_OK);
    const int tries = test_scaled(400);
    for (int i = 0; i < tries; ++i) {
        const size_t at = i < 128 ? (size_t)i : (size_t)bi_random_between(&random, 128, (double)size - 1);
        const char before = bytes[at];
        bytes[at] = (char)(before ^ (1 << i % 8));
        assert_int_equal(parse_bmap(bytes, size), BERTH_ERR_PARSE);
        assert_non_null(strstr(berth_error_text(), "m.bmap: byte "));
        bytes[at] = before;
    }
    for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 997) {
        assert_int_equal(parse_bmap(bytes, cut), BERTH_ERR_PARSE);
    }
    bytes[8] = 2;
    assert_int_equal(parse_bmap(bytes, size), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "version 2, this berth reads version 1"));
    free(bytes);
    program_remove_temporary();
}

// ---- clouds and meshes ---------------------------------------------------------------------------------------

static void clouds_and_meshes(void** state) {
    (void)state;
    const BerthIoOptions io = berth_default_io_options();
    const char* cloud = program_temporary("c.xyz");
    assert_true(program_write_text(cloud, "0.05 0.05 0.05\n1 2 3\nnan 0 0\n-1 0 0\n"));
    BerthMapOptions options = berth_default_map_options();
    BerthMap* map = NULL;
    assert_int_equal(berth_io_open_map(cloud, &options, &io, &map), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "c.xyz: a resolution is needed"));
    options.resolution = 0.1;
    map = open_map(cloud, &options);
    BerthMapFacts facts = berth_map_facts(map);
    BerthFieldInfo info = berth_field_info(berth_map_field(map));
    assert_int_equal(facts.points, 3);
    assert_int_equal(facts.dropped, 1);
    assert_true(facts.background_taken_free);
    assert_true(info.occupied_cells >= 3 && info.occupied_cells <= 3 * 8);
    BerthFieldAnswer answer;
    (void)berth_field_query(berth_map_field(map), BERTH_METRIC_L2, v3(1, 2, 3), 1e-6, &answer);
    assert_int_equal(answer.verdict, BERTH_COLLISION);
    const char* own = program_temporary("c.bmap");
    write_map(own, map);
    berth_io_close_map(map);
    const BerthMapOptions plain = berth_default_map_options();
    map = open_map(own, &plain);
    facts = berth_map_facts(map);
    assert_true(facts.points == 3 && facts.dropped == 1 && facts.background_taken_free);
    berth_io_close_map(map);
    // Too fine for what it spans.
    options.resolution = 1e-5;
    assert_int_equal(berth_io_open_map(cloud, &options, &io, &map), BERTH_ERR_CAPACITY);
    assert_non_null(strstr(berth_error_text(), "at most 65536 are possible"));
    // Told where to look: what is outside is dropped.
    options.resolution = 0.1;
    options.has_origin = true;
    options.origin = v3(0, 0, 0);
    options.levels = 2;
    map = open_map(cloud, &options);
    facts = berth_map_facts(map);
    assert_true(facts.points == 1 && facts.dropped == 3);
    berth_io_close_map(map);
    assert_true(program_write_text(cloud, "nan 0 0\n"));
    assert_int_equal(berth_io_open_map(cloud, &options, &io, &map), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "it holds no point (1 with NaN"));
    // A closed mesh is solid, an open one a surface.
    const char* mesh = program_temporary("m.obj");
    assert_true(
        program_write_text(mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"));
    options = berth_default_map_options();
    options.resolution = 0.05;
    map = open_map(mesh, &options);
    facts = berth_map_facts(map);
    assert_string_equal(facts.format, "mesh");
    assert_int_equal(facts.open_meshes, 0);
    (void)berth_field_query(berth_map_field(map), BERTH_METRIC_L2, v3(0.21, 0.22, 0.23), 1e-6, &answer);
    assert_int_equal(answer.verdict, BERTH_COLLISION);
    berth_io_close_map(map);
    assert_true(program_write_text(mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"));
    map = open_map(mesh, &options);
    assert_int_equal(berth_map_facts(map).open_meshes, 1);
    berth_io_close_map(map);
    program_remove_temporary();
}

// ---- scenes --------------------------------------------------------------------------------------------------

static const char objects[] =
    "berth: 1\n"
    "objects:\n"
    "  - {name: a, box: {size: [0.6, 0.3, 0.2]}, pose: {xyz: [0.4, 0.1, 0.2], rpy: [0.3, 0.5, 0.9]}}\n"
    "  - {name: b, sphere: {radius: 0.25}, pose: {xyz: [-0.5, 0.2, 0.1]}}\n"
    "  - {name: c, cone: {radius: 0.2, length: 0.5}, pose: {xyz: [0, -0.6, 0.3], rpy: [1, 0, 0]}}\n"
    "  - {name: d, capsule: {radius: 0.1, length: 0.4}, pose: {xyz: [0, 0.6, 0.3], rpy: [0, 1, 0]}}\n"
    "  - {name: e, halfspace: {normal: [0.1, 0, 1], offset: -0.2}}\n"
    "  - {name: gone, sphere: {radius: 0.5}, pose: {xyz: [2, 2, 2]}, moving: {speed: 1}}\n";

// Least upper and lower bound of the gap between a body and the five shapes above.
static double gap_to_objects(const BerthScene* scene, const BerthShape* body, const BerthPose* pose,
                             bool upper) {
    double best = INFINITY;
    for (int32_t i = 0; i < berth_scene_object_count(scene); ++i) {
        BerthObjectInfo info;
        assert_int_equal(berth_scene_object(scene, berth_scene_object_at(scene, i), &info), BERTH_OK);
        if (!info.moving) {
            const BerthGap gap = berth_shape_gap(berth_solid_shape(info.solid), &info.pose, body, pose);
            best = fmin(best, upper ? gap.upper : gap.lower);
        }
    }
    return best;
}

static void keep_warning(void* user, const char* text) {
    snprintf(user, 200, "%s", text);
}

// Every point of an object is in an occupied cell, and every occupied cell touches an object.
static void scenes_become_cells(void** state) {
    (void)state;
    const char* path = program_temporary("s.yaml");
    assert_true(program_write_text(path, objects));
    const BerthIoOptions io = berth_default_io_options();
    BerthScene* scene = NULL;
    if (berth_io_read_scene(path, &io, &scene) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    BerthMapOptions options = berth_default_map_options();
    options.resolution = 0.04;
    BerthMap* map = open_map(path, &options);
    const BerthField* field = berth_map_field(map);
    const BerthFieldInfo info = berth_field_info(field);
    assert_string_equal(berth_map_facts(map).format, "scene");
    assert_true(berth_map_facts(map).background_taken_free);
    BerthShape point, cell;
    assert_int_equal(berth_shape_sphere(0.0, &point), BERTH_OK);
    assert_int_equal(berth_shape_box(v3(0.04, 0.04, 0.04), &cell), BERTH_OK);
    Random random = {17};
    int inside = 0, occupied = 0;
    const int tries = test_scaled(20000);
    for (int i = 0; i < tries; ++i) {
        int32_t at[3];
        double world[3] = {info.origin.x, info.origin.y, info.origin.z};
        for (int axis = 0; axis < 3; ++axis) {
            const double share = bi_random_between(&random, 0.0, info.size[axis] - 1e-6);
            at[axis] = (int32_t)share;
            world[axis] += 0.04 * share;
        }
        BerthPose pose = berth_pose_identity();
        pose.t = v3(world[0], world[1], world[2]);
        const bool black = berth_field_colour_at(field, at[0], at[1], at[2]) == BERTH_CELL_OCCUPIED;
        if (gap_to_objects(scene, &point, &pose, true) <= 0.0) {
            assert_true(black);
            inside += 1;
        }
        if (black) {
            pose.t = v3(info.origin.x + 0.04 * (at[0] + 0.5), info.origin.y + 0.04 * (at[1] + 0.5),
                        info.origin.z + 0.04 * (at[2] + 0.5));
            assert_true(gap_to_objects(scene, &cell, &pose, false) <= 1e-6);
            occupied += 1;
        }
    }
    assert_true(inside > tries / 100 && occupied > inside);
    berth_io_close_map(map);
    berth_scene_destroy(scene);
    // What is held or moves is not in the map, and that is said.
    char warning[200] = "";
    BerthIoOptions hearing = io;
    hearing.warn = keep_warning;
    hearing.user = warning;
    assert_int_equal(berth_io_open_map(path, &options, &hearing, &map), BERTH_OK);
    assert_non_null(
        strstr(warning, "s.yaml: 1 object is not in the map, because it is held or moves: 'gone'"));
    berth_io_close_map(map);
    // A scene may not be the map of a scene: it could name itself.
    BerthField* alone = NULL;
    assert_int_equal(berth_io_read_field(path, &options, &io, &alone, NULL), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "s.yaml:1: not a map"));
    assert_true(program_write_text(path, "berth: 1\nobjects:\n  - {name: m, map: {file: s.yaml}}\n"));
    assert_int_equal(berth_io_open_map(path, &options, &io, &map), BERTH_ERR_PARSE);
    assert_true(program_write_text(path, "berth: 1\nobjects: []\n"));
    assert_int_equal(berth_io_open_map(path, &options, &io, &map), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "no object that stands still"));
    assert_true(program_write_text(
        path, "berth: 1\nobjects:\n  - {name: e, halfspace: {normal: [0, 0, 1], offset: 0}}\n"));
    assert_int_equal(berth_io_open_map(path, &options, &io, &map), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "have no end"));
    options.has_origin = true;
    options.origin = v3(-1, -1, -1);
    options.levels = 4;
    map = open_map(path, &options);
    berth_io_close_map(map);
    program_remove_temporary();
}

// ---- wrong requests ------------------------------------------------------------------------------------------

static void refuse(const char* path, BerthMapOptions options, const char* expected) {
    const BerthIoOptions io = berth_default_io_options();
    BerthMap* map = NULL;
    const BerthStatus status = berth_io_open_map(path, &options, &io, &map);
    if (status == BERTH_OK || map != NULL || strstr(berth_error_text(), expected) == NULL) {
        fail_msg("status %d, text '%s', expected '%s'", (int)status, berth_error_text(), expected);
    }
}

static void wrong_requests(void** state) {
    (void)state;
    const BerthMapOptions plain = berth_default_map_options();
    BerthMapOptions odd = plain;
    refuse("", plain, "name is missing");
    refuse("x.las", plain, "x.las: not a map by its name");
    refuse("/nowhere/x.lin", plain, "/nowhere/x.lin: cannot be opened");
    refuse("/nowhere/x.bmap", plain, "/nowhere/x.bmap: cannot be opened");
    odd.resolution = -1.0;
    refuse("x.npy", odd, "a resolution of -1 m");
    odd.resolution = (double)NAN;
    refuse("x.npy", odd, "a resolution of");
    odd = plain;
    odd.levels = 17;
    refuse("x.pcd", odd, "17 levels, at most 16");
    odd = plain;
    odd.has_origin = true;
    odd.origin.y = (double)INFINITY;
    refuse("x.npy", odd, "the origin is not finite");
    odd = plain;
    odd.stamp = 0;
    refuse("x.npy", odd, "berth_default_map_options");
    const char* npy = program_temporary("v.npy");
    Random random = {2};
    Volume v = random_volume(&random, 3, false);
    write_npy(npy, &v);
    refuse(npy, plain, "v.npy: a resolution is needed");

    // Of a scene's map its line is named as well: nothing is wrong in the file.
    const char* scene_path = program_temporary("s.yaml");
    char text[1600];
    snprintf(text, sizeof text, "berth: 1\nobjects:\n  - name: m\n    map: {file: %s}\n", npy);
    assert_true(program_write_text(scene_path, text));
    const BerthIoOptions scene_options = berth_default_io_options();
    BerthScene* scene = NULL;
    assert_int_equal(berth_io_read_scene(scene_path, &scene_options, &scene), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "s.yaml:4: object 'm': map: "));
    assert_non_null(strstr(berth_error_text(), "v.npy: a resolution is needed"));
    odd = plain;
    odd.resolution = 1.0;
    odd.memory_limit = 1000;
    refuse(npy, odd, "v.npy: ");
    const char* yaml = program_temporary("m.yaml");
    assert_true(program_write_text(yaml, "image: none.pgm\nresolution: 1\norigin: [0, 0, 0]\n"));
    refuse(yaml, plain, "none.pgm: cannot be opened");
    odd = plain;
    odd.resolution = 1.0;
    refuse(yaml, odd, "has a resolution and an origin of its own");
    assert_true(program_write_text(yaml, "berth: 1\n"));
    refuse(yaml, plain, "m.yaml");
    program_remove_temporary();
}

// A dense map that would need more than there may be: said before it is tried.
static void too_large(void** state) {
    (void)state;
    const char* lin = program_temporary("large.lin");
    assert_true(program_write_text(lin, "12\n4096 4096 4096\n000000000000 12\n"));
    BerthMapOptions options = berth_default_map_options();
    options.parts = BERTH_FIELD_DM;
    options.memory_limit = (size_t)1 << 30;
    refuse(lin, options, "large.lin: ");
    assert_non_null(
        strstr(berth_error_text(), "would need 137438953472 bytes, more than the limit of 1073741824"));
    options.parts = BERTH_FIELD_EODM;
    BerthMap* map = open_map(lin, &options);
    berth_io_close_map(map);
    program_remove_temporary();
}

// ---- balls ---------------------------------------------------------------------------------------------------

static void files_of_balls(void** state) {
    (void)state;
    const BerthIoOptions io = berth_default_io_options();
    const char* path = program_temporary("b.csv");
    BerthBalls balls;
    assert_true(program_write_text(path, "r,x,z,y\n0.5,1,3,2\n0,-1,-3,-2\n"));
    assert_int_equal(berth_io_read_balls(path, 3, &io, &balls), BERTH_OK);
    const double expected[] = {1, 2, 3, 0.5, -1, -2, -3, 0};
    assert_int_equal(balls.count, 2);
    assert_memory_equal(balls.balls, expected, sizeof expected);
    berth_io_free_balls(&balls);
    assert_true(program_write_text(path, "\n1,2,3,0.5\n-1,-2,-3,0\n"));
    assert_int_equal(berth_io_read_balls(path, 3, &io, &balls), BERTH_OK);
    assert_memory_equal(balls.balls, expected, sizeof expected);
    berth_io_free_balls(&balls);
    static const struct {
        const char* text;
        int dim;
        const char* expected;
    } cases[] = {
        {"x,y,r\n1,2,3\n", 3, "b.csv:1: columns x,y,z,r are expected, the map is 3-D"},
        {"x,y,z,r\n1,2,3,4\n", 2, "b.csv:1: columns x,y,r are expected, the map is 2-D"},
        {"x,y,z,q\n1,2,3,4\n", 3, "b.csv:1: columns"},
        {"x,y,z,r,s\n1,2,3,4,5\n", 3, "b.csv:1: columns"},
        {"x,y,z,r\n1,2,3,-4\n", 3, "b.csv:2: column 'r': the radius is -4"},
        {"x,y,z,r\n1,2,3,4\n1,1e9,3,4\n", 3, "b.csv:3: column 'y': 1e+09 is beyond"},
        {"x,y,z,r\n1,2,nan,4\n", 3, "b.csv:2"},
        {"1,2,3,4\n1,2,3,-4\n", 3, "b.csv:2: column 'r': the radius is -4"},
        {"1,2,3\n1,2,3\n", 3, "b.csv:1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_true(program_write_text(path, cases[i].text));
        const BerthStatus status = berth_io_read_balls(path, cases[i].dim, &io, &balls);
        if (status == BERTH_OK || strstr(berth_error_text(), cases[i].expected) == NULL) {
            fail_msg("status %d, text '%s', expected '%s'", (int)status, berth_error_text(),
                     cases[i].expected);
        }
    }
    BerthPoints points;
    const char* cloud = program_temporary("p.xyz");
    assert_true(program_write_text(cloud, "1 2 3\nnan 0 0\n"));
    assert_int_equal(berth_io_read_points(cloud, &io, &points), BERTH_OK);
    assert_true(points.count == 1 && points.dropped == 1 && points.points[0].z == 3.0);
    berth_io_free_points(&points);
    program_remove_temporary();
}

// ---- memory --------------------------------------------------------------------------------------------------

/// A map to be read, and where it is written to again.
typedef struct MapCopy {
    const char *from, *to;
    BerthMapOptions options;
} MapCopy;

static BerthStatus copy_map(void* user, const BerthAllocator* allocator) {
    const MapCopy* copy = user;
    BerthIoOptions io = berth_default_io_options();
    io.allocator = *allocator;
    BerthMap* map = NULL;
    BerthStatus status = berth_io_open_map(copy->from, &copy->options, &io, &map);
    struct stat info;
    remove(copy->to);
    if (status == BERTH_OK) {
        const BerthMapFacts facts = berth_map_facts(map);
        status = berth_io_write_map(copy->to, berth_map_field(map), &facts, &io);
        assert_int_equal(stat(copy->to, &info) == 0, status == BERTH_OK);
    }
    berth_io_close_map(map);
    return status;
}

// The n-th allocation fails, for all n, for every format: a status, nothing left, no file half-written.
static void memory_fails(void** state) {
    (void)state;
    Random random = {8};
    Volume v = random_volume(&random, 3, true);
    const char* paths[5] = {program_temporary("v.npy"), program_temporary("v.bmap"),
                            program_temporary("v.bt"), program_temporary("v.lin"),
                            program_temporary("c.xyz")};
    write_npy(paths[0], &v);
    BerthMapOptions options = berth_default_map_options();
    options.resolution = 0.5;
    options.parts = BERTH_FIELD_EODM;
    BerthMap* map = open_map(paths[0], &options);
    for (int i = 1; i < 4; ++i) {
        write_map(paths[i], map);
    }
    berth_io_close_map(map);
    assert_true(program_write_text(paths[4], "1 2 3\n4 5 6\n"));
    for (int i = 0; i < 5; ++i) {
        static const char* const outs[5] = {"out.bmap", "out.npy", "out.bt", "out.lin", "out.lin"};
        MapCopy copy = {paths[i], program_temporary(outs[i]), berth_default_map_options()};
        copy.options.resolution = i == 0 || i == 4 ? 0.5 : 0.0;
        copy.options.parts = i == 1 ? BERTH_FIELD_EODM | BERTH_FIELD_ODM : BERTH_FIELD_EODM;
        const int64_t requests = starve(copy_map, &copy);
        assert_true(requests > 2 && requests < 3000);
    }
    program_remove_temporary();
}

// Work that is stopped tells so.
static bool stop_at_once(void* user, double share) {
    (void)share;
    *(int*)user += 1;
    return false;
}

static void work_can_be_stopped(void** state) {
    (void)state;
    Random random = {8};
    Volume v = random_volume(&random, 3, true);
    const char* npy = program_temporary("v.npy");
    write_npy(npy, &v);
    BerthMapOptions options = berth_default_map_options();
    int calls = 0;
    options.resolution = 0.5;
    options.parts = BERTH_FIELD_ALL_PARTS;
    options.progress = stop_at_once;
    options.progress_user = &calls;
    const BerthIoOptions io = berth_default_io_options();
    BerthMap* map = NULL;
    assert_int_equal(berth_io_open_map(npy, &options, &io, &map), BERTH_ERR_CANCELLED);
    assert_null(map);
    assert_true(calls >= 1);
    program_remove_temporary();
}

int test_io_map_file(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(through_every_format),
        cmocka_unit_test(unknown_begins_where_knowledge_ends),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(clouds_and_meshes),
        cmocka_unit_test(scenes_become_cells),
        cmocka_unit_test(wrong_requests),
        cmocka_unit_test(too_large),
        cmocka_unit_test(files_of_balls),
        cmocka_unit_test(memory_fails),
        cmocka_unit_test(work_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
