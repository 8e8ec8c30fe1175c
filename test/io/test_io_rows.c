// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Rows piece by piece are the rows of the whole file: values, refusals and texts, for CSV and .npy, states and segments,
// also where a byte is wrong; in any order; with whatever memory there is.
// test-share: 0.5

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <berth/io/motion.h>

#include "support/arms.h"
#include "support/program.h"
#include "support/setting.h"
#include "support/starve.h"

enum { ROWS_MAX = 400, SIZE_MAX_BYTES = 1 << 20 };

typedef struct Made {
    BerthScene* scene;
    bool segments, binary;
    int rows, row_size;
    char* bytes;
    size_t size;
} Made;

// ---- files -------------------------------------------------------------------------------------------------------

static void put(Made* made, const char* text) {
    const size_t length = strlen(text);
    assert_true(made->size + length < SIZE_MAX_BYTES);
    memcpy(made->bytes + made->size, text, length);
    made->size += length;
}

static void put_csv_header(Made* made, Random* random) {
    if (bi_random_between(random, 0, 1) < 0.3) {
        put(made, "\xEF\xBB\xBF");
    }
    if (bi_random_between(random, 0, 1) < 0.3) {
        put(made, " \n\n");
    }
    for (int i = 0; i < made->row_size; ++i) {
        char name[300], column[320];
        const int values = berth_scene_value_count(made->scene);
        berth_scene_value_name(made->scene, i % values, name, sizeof name);
        snprintf(column, sizeof column, "%s%s%s", i > 0 ? "," : "", name,
                 !made->segments ? ""
                 : i >= values   ? ":to"
                                 : ":from");
        put(made, column);
    }
}

static double random_value(Random* random) {
    return bi_random_between(random, -2.2, 2.2);
}

static void put_csv(Made* made, Random* random) {
    const bool windows = bi_random_between(random, 0, 1) < 0.3;
    const char* end = windows ? "\r\n" : "\n";
    put_csv_header(made, random);
    put(made, end);
    for (int row = 0; row < made->rows; ++row) {
        for (int i = 0; i < made->row_size; ++i) {
            char number[64];
            snprintf(number, sizeof number, "%s%.17g", i > 0 ? "," : "", random_value(random));
            put(made, number);
        }
        put(made, row + 1 < made->rows || bi_random_between(random, 0, 1) < 0.5 ? end : "");
        if (bi_random_between(random, 0, 1) < 0.1) {
            put(made, end);
        }
    }
}

static void put_npy(Made* made, Random* random) {
    const int values = berth_scene_value_count(made->scene);
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    const int length =
        snprintf(header + 10, sizeof header - 10,
                 made->segments ? "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 2, %d), }"
                                : "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                 made->rows, values);
    header[10 + length] = ' ';
    header[127] = '\n';
    memcpy(made->bytes, header, sizeof header);
    made->size = sizeof header;
    for (int i = 0; i < made->rows * made->row_size; ++i) {
        const double value = random_value(random);
        memcpy(made->bytes + made->size, &value, sizeof value);
        made->size += sizeof value;
    }
}

static Made make_file(Random* random, BerthScene* scene) {
    Made made = {.scene = scene,
                 .segments = bi_random_between(random, 0, 1) < 0.5,
                 .binary = bi_random_between(random, 0, 1) < 0.5,
                 .rows = (int)bi_random_between(random, 0, ROWS_MAX)};
    made.row_size = berth_scene_value_count(scene) * (made.segments ? 2 : 1);
    made.bytes = malloc(SIZE_MAX_BYTES);
    assert_non_null(made.bytes);
    made.binary ? put_npy(&made, random) : put_csv(&made, random);
    return made;
}

// One thing goes wrong: a byte, the end, or a number that is none.
static void harm(Made* made, Random* random) {
    const double what = bi_random_between(random, 0, 3);
    const size_t at = (size_t)bi_random_between(random, 0, (double)made->size);
    if (what < 1.0) {
        made->size = at;
    } else if (what < 2.0 || !made->binary || at < 128) {
        static const char odd[] = "x,\n\"0;-\t e.\r9";
        made->bytes[at] = odd[(int)bi_random_between(random, 0, sizeof odd)];
    } else {
        const double nan = bi_random_between(random, 0, 1) < 0.5 ? NAN : 1e30;
        memcpy(made->bytes + 128 + (at - 128) / 8 * 8, &nan, made->size - 128 >= 8 ? sizeof nan : 0);
    }
}

static const char* write_file(const Made* made) {
    const char* path = program_temporary(made->binary ? "rows.npy" : "rows.csv");
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(made->bytes, 1, made->size, file), made->size);
    assert_int_equal(fclose(file), 0);
    return path;
}

// ---- the whole file ----------------------------------------------------------------------------------------------

typedef struct Whole {
    BerthStatus status;
    char text[1500];
    int rows;
    double* values;
} Whole;

static Whole read_whole(const Made* made, const char* path) {
    Whole whole = {.status = BERTH_OK};
    BerthStates states = {0};
    BerthSegments segments = {0};
    whole.status = made->segments ? berth_io_read_segments(path, made->scene, NULL, &segments)
                                  : berth_io_read_states(path, made->scene, NULL, &states);
    if (whole.status != BERTH_OK) {
        snprintf(whole.text, sizeof whole.text, "%s", berth_error_text());
        return whole;
    }
    whole.rows = made->segments ? segments.segment_count : states.row_count;
    const size_t numbers = (size_t)whole.rows * (size_t)made->row_size;
    whole.values = malloc(numbers * sizeof(double) + 1);
    assert_non_null(whole.values);
    memcpy(whole.values, made->segments ? segments.values : states.values, numbers * sizeof(double));
    berth_io_free_states(&states);
    berth_io_free_segments(&segments);
    return whole;
}

// ---- the same in pieces ------------------------------------------------------------------------------------------

static BerthStatus read_pieces(const Made* made, const char* path, int most, double* values, int* rows_read) {
    BerthRows* rows = NULL;
    BerthRowPiece* piece = NULL;
    BerthStatus status = berth_io_open_rows(path, made->scene, made->segments, NULL, &rows);
    if (status == BERTH_OK) {
        status = berth_row_piece_create(rows, most, &piece);
    }
    *rows_read = 0;
    for (int32_t count = 1; status == BERTH_OK && count > 0; *rows_read += count) {
        status = berth_rows_take(rows, *rows_read, piece, &count);
        if (status == BERTH_OK) {
            status = berth_row_piece_read(piece, values + (ptrdiff_t)*rows_read * made->row_size);
        }
        assert_true(berth_rows_share(rows) >= 0.0 && berth_rows_share(rows) <= 1.0);
    }
    berth_row_piece_destroy(piece);
    berth_io_close_rows(rows);
    return status;
}

static void expect_same(const Made* made, Random* random) {
    const char* path = write_file(made);
    Whole whole = read_whole(made, path);
    double* values = calloc((size_t)(ROWS_MAX + 300) * (size_t)made->row_size, sizeof *values);
    assert_non_null(values);

    const int most = (int)bi_random_between(random, 1, bi_random_between(random, 0, 1) < 0.5 ? 9 : 300);
    int rows = 0;
    const BerthStatus status = read_pieces(made, path, most, values, &rows);
    // A row of numbers that is no segment is named before a line further on that is no row: the whole reader looks for those first.
    const bool earlier = status == BERTH_ERR_PARSE && strstr(berth_error_text(), "half a turn") != NULL;
    const bool differs = status != BERTH_OK && !earlier && strcmp(berth_error_text(), whole.text) != 0;
    if (status != whole.status || differs) {
        fail_msg("%d rows a piece: %s (%s)\nthe whole: %s (%s)", most, berth_status_name(status),
                 berth_error_text(), berth_status_name(whole.status), whole.text);
    }
    if (status == BERTH_OK) {
        assert_int_equal(rows, whole.rows);
        assert_memory_equal(values, whole.values, (size_t)rows * (size_t)made->row_size * sizeof *values);
    }
    free(values);
    free(whole.values);
}

static BerthScene* new_scene(Random* random) {
    BerthScene* scene = test_arm_scene("left", 1 + (int)bi_random_between(random, 0, 2),
                                       bi_random_between(random, 0, 1) < 0.3);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    return scene;
}

static void pieces_are_the_whole(void** state) {
    (void)state;
    Random random = {3};
    for (int i = 0; i < test_scaled(400) + 40; ++i) {
        BerthScene* scene = new_scene(&random);
        Made made = make_file(&random, scene);
        expect_same(&made, &random);
        free(made.bytes);
        berth_scene_destroy(scene);
    }
    program_remove_temporary();
}

static void wrong_files_are_refused_alike(void** state) {
    (void)state;
    Random random = {4};
    for (int i = 0; i < test_scaled(2000) + 100; ++i) {
        BerthScene* scene = new_scene(&random);
        Made made = make_file(&random, scene);
        harm(&made, &random);
        expect_same(&made, &random);
        free(made.bytes);
        berth_scene_destroy(scene);
    }
    program_remove_temporary();
}

// ---- in any order ------------------------------------------------------------------------------------------------

static void rows_are_found_again(void** state) {
    (void)state;
    Random random = {5};
    for (int i = 0; i < test_scaled(60) + 6; ++i) {
        BerthScene* scene = new_scene(&random);
        Made made = make_file(&random, scene);
        const char* path = write_file(&made);
        Whole whole = read_whole(&made, path);
        BerthRows* rows = NULL;
        BerthRowPiece* piece = NULL;
        const int most = 1 + (int)bi_random_between(&random, 0, 50);
        double* values = calloc((size_t)most * (size_t)made.row_size, sizeof *values);
        if (whole.status == BERTH_OK) {
            assert_int_equal(berth_io_open_rows(path, scene, made.segments, NULL, &rows), BERTH_OK);
            assert_int_equal(berth_rows_row_size(rows), made.row_size);
            assert_int_equal(berth_rows_count(rows), made.binary ? whole.rows : -1);
            assert_int_equal(berth_row_piece_create(rows, most, &piece), BERTH_OK);
        }
        for (int k = 0; k < 20 && rows != NULL; ++k) {
            const int first = (int)bi_random_between(&random, 0, whole.rows + 20);
            const int left = whole.rows - first;
            const int expected = left < 0 ? 0 : left < most ? left : most;
            int32_t count = -1;
            assert_int_equal(berth_rows_take(rows, first, piece, &count), BERTH_OK);
            assert_int_equal(count, expected);
            assert_int_equal(berth_row_piece_read(piece, values), BERTH_OK);
            assert_memory_equal(values, whole.values + (ptrdiff_t)(count > 0 ? first : 0) * made.row_size,
                                (size_t)count * (size_t)made.row_size * sizeof *values);
        }
        berth_row_piece_destroy(piece);
        berth_io_close_rows(rows);
        free(values);
        free(whole.values);
        free(made.bytes);
        berth_scene_destroy(scene);
    }
    program_remove_temporary();
}

static void places_are_named(void** state) {
    (void)state;
    BerthScene* scene = test_arm_scene("left", 1, false);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    const char* path = program_temporary("places.csv");
    assert_true(program_write_text(path, "\nshoulder,elbow\n\n0,0\n\n1,1\n0.5,0.5\n"));
    BerthRows* rows = NULL;
    BerthRowPiece* piece = NULL;
    double values[8];
    int32_t count = 0;
    char text[2000], expected[2000];
    assert_int_equal(berth_io_open_rows(path, scene, false, NULL, &rows), BERTH_OK);
    assert_int_equal(berth_row_piece_create(rows, 2, &piece), BERTH_OK);
    assert_int_equal(berth_rows_take(rows, 1, piece, &count), BERTH_OK);
    assert_int_equal(count, 2);
    assert_int_equal(berth_row_piece_read(piece, values), BERTH_OK);
    for (int i = 0; i < 2; ++i) {
        berth_row_piece_line(piece, i, text, sizeof text);
        snprintf(expected, sizeof expected, "%s:%d", path, 6 + i);
        assert_string_equal(text, expected);
    }
    berth_row_piece_destroy(piece);
    berth_io_close_rows(rows);
    berth_scene_destroy(scene);
    program_remove_temporary();
}

// A line that is longer than the window grows it.
static void long_lines_are_read(void** state) {
    (void)state;
    BerthScene* scene = test_arm_scene("left", 1, false);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    const char* path = program_temporary("long.csv");
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%*sshoulder,elbow\n0.1,0.2\n%*s0.3,0.4\n", 3 << 20, "", 3 << 20, "");
    assert_int_equal(fclose(file), 0);

    const Made made = {.scene = scene, .row_size = 2};
    double values[20] = {0};
    int rows = 0;
    assert_int_equal(read_pieces(&made, path, 4, values, &rows), BERTH_OK);
    assert_int_equal(rows, 2);
    assert_true(values[0] == 0.1 && values[1] == 0.2 && values[2] == 0.3 && values[3] == 0.4);
    berth_scene_destroy(scene);
    program_remove_temporary();
}

// ---- memory ------------------------------------------------------------------------------------------------------

typedef struct Starved {
    const BerthScene* scene;
    const char* path;
} Starved;

static BerthStatus read_starved(void* user, const BerthAllocator* allocator) {
    const Starved* starved = user;
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    BerthRows* rows = NULL;
    BerthRowPiece* piece = NULL;
    int32_t count = 0;
    double values[200];
    BerthStatus status = berth_io_open_rows(starved->path, starved->scene, false, &options, &rows);
    if (status == BERTH_OK) {
        status = berth_row_piece_create(rows, 50, &piece);
    }
    if (status == BERTH_OK) {
        status = berth_rows_take(rows, 0, piece, &count);
    }
    if (status == BERTH_OK) {
        status = berth_row_piece_read(piece, values);
    }
    berth_row_piece_destroy(piece);
    berth_io_close_rows(rows);
    return status;
}

static void no_memory_is_lost(void** state) {
    (void)state;
    BerthScene* scene = test_arm_scene("left", 1, false);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    const double values[] = {0.1, 0.2, 0.3, 0.4};
    Starved starved = {scene, program_temporary("starved.csv")};
    assert_true(program_write_csv(starved.path, scene, values, 2));
    assert_true(starve(read_starved, &starved) >= 5);
    starved.path = program_temporary("starved.npy");
    assert_true(program_write_npy(starved.path, scene, values, 2));
    assert_true(starve(read_starved, &starved) >= 4);
    berth_scene_destroy(scene);
    program_remove_temporary();
}

static void wrong_requests_are_refused(void** state) {
    (void)state;
    BerthScene* scene = test_arm_scene("left", 1, false);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    BerthRows* rows = NULL;
    BerthRowPiece* piece = NULL;
    int32_t count = 0;
    assert_int_equal(berth_io_open_rows(NULL, scene, false, NULL, &rows), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_io_open_rows("x.csv", NULL, false, NULL, &rows), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_io_open_rows("/nowhere/x.csv", scene, false, NULL, &rows), BERTH_ERR_ARGUMENT);
    assert_null(rows);
    assert_int_equal(berth_io_open_rows("/tmp", scene, false, NULL, &rows), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "a directory"));
    assert_int_equal(berth_row_piece_create(NULL, 1, &piece), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_rows_take(NULL, 0, NULL, &count), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_row_piece_read(NULL, NULL), BERTH_ERR_ARGUMENT);
    berth_row_piece_destroy(NULL);
    berth_io_close_rows(NULL);
    berth_scene_destroy(scene);
}

int test_io_rows(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_the_whole),       cmocka_unit_test(wrong_files_are_refused_alike),
        cmocka_unit_test(rows_are_found_again),       cmocka_unit_test(places_are_named),
        cmocka_unit_test(long_lines_are_read),        cmocka_unit_test(no_memory_is_lost),
        cmocka_unit_test(wrong_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
