// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// States: CSV in all the shapes that programs write, .npy, and text; wrong ones with their line or byte.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "io/motion/states.h"
#include "io/syntax/npy.h"
#include "scene/scene.h"
#include "support/arms.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

static BerthScene* new_scene(int robots, bool free_base) {
    BerthScene* scene = test_arm_scene("left", robots, free_base);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    return scene;
}

static BerthStatus read_bytes(const char* path, const char* data, size_t size, const BerthScene* scene,
                              BerthStates* out) {
    const BerthIoOptions options = berth_default_io_options();
    return bi_io_states_from_bytes(path, data, size, scene, &options, out);
}

static BerthStatus read_text(const char* text, const BerthScene* scene, BerthStates* out) {
    return read_bytes("s.csv", text, strlen(text), scene, out);
}

// ---- CSV ---------------------------------------------------------------------------------------------------

static void csv_of_every_shape(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    const double ready[] = {0.5, -1.0};
    assert_int_equal(berth_scene_set_values(scene, ready), BERTH_OK);
    const struct {
        const char* text;
        int rows;
        double first[2], last[2];
    } cases[] = {
        {"shoulder,elbow\n0.1,0.2\n0.3,0.4\n", 2, {0.1, 0.2}, {0.3, 0.4}},
        {"elbow,shoulder\n0.1,0.2\n", 1, {0.2, 0.1}, {0.2, 0.1}},
        {"elbow\n0.1\n0.2", 2, {0.5, 0.1}, {0.5, 0.2}},  // the shoulder keeps the scene's state
        {"\xEF\xBB\xBFshoulder,elbow\r\n0.1,0.2\r\n\r\n", 1, {0.1, 0.2}, {0.1, 0.2}},
        {"\n\n \t\n\"shoulder\" , \"elbow\"\n\n 1e-1 ,\t-2.5E-1 \n\n", 1, {0.1, -0.25}, {0.1, -0.25}},
        {"left/shoulder,left/elbow\n\"1\",\"+.5\"\n", 1, {1, 0.5}, {1, 0.5}},
        {"shoulder,elbow\n3,-3\n", 1, {3, -3}, {3, -3}},  // beyond limits: for the caller to judge
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        BerthStates states;
        if (read_text(cases[i].text, scene, &states) != BERTH_OK) {
            fail_msg("case %zu: %s", i, berth_error_text());
        }
        assert_int_equal(states.row_count, cases[i].rows);
        assert_int_equal(states.value_count, 2);
        if (states.row_count > 0) {
            const double* last = states.values + 2 * (states.row_count - 1);
            assert_true(states.values[0] == cases[i].first[0] && states.values[1] == cases[i].first[1]);
            assert_true(last[0] == cases[i].last[0] && last[1] == cases[i].last[1]);
        }
        berth_io_free_states(&states);
        berth_io_free_states(&states);  // twice is fine
    }
    berth_scene_destroy(scene);
}

static void wrong_csv_is_named(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, true);
    const struct {
        const char* text;
        const char* start;
        const char* fragment;
    } cases[] = {
        {"", "s.csv:1: ", "empty"},
        {"\n \n", "s.csv:1: ", "empty"},
        {"shoulder,\n1,2\n", "s.csv:1: ", "column 2 has no name"},
        {"shoulder,shoulder\n1,2\n", "s.csv:1: ", "column 'shoulder' appears twice"},
        {"shoulder,left/shoulder\n1,2\n", "s.csv:1: ", "are the same joint"},
        {"shouldr\n1\n",
         "s.csv:1: ", "column 'shouldr': there is no joint of that name; did you mean 'shoulder'?"},
        {"\"el\"\"b,ow\"\n1\n", "s.csv:1: ", "column 'el\"b,ow'"},
        {"time,shoulder\n1,1\n", "s.csv:1: ", "column 'time'"},
        {"wrist\n1\n", "s.csv:1: ", "column 'wrist'"},
        {"world_joint\n1\n", "s.csv:1: ", "column 'world_joint'"},
        {"0.1,0.2\n1,2\n", "s.csv:1: ", "a header of joint names was expected"},
        {"shoulder;elbow\n1;2\n", "s.csv:1: ", "separated by commas"},
        {"shoulder,elbow\n1,2\n\n1\n",
         "s.csv:4: ", "1 values, the header has 2 columns (no value for 'elbow')"},
        {"shoulder,elbow\n1,2,3\n", "s.csv:2: ", "more values"},
        {"shoulder,elbow\n1,\n", "s.csv:2: ", "column 'elbow': '': a number was expected"},
        {"shoulder,elbow\n1,nan\n", "s.csv:2: ", "column 'elbow': 'nan'"},
        {"shoulder,elbow\n1,inf\n", "s.csv:2: ", "column 'elbow': 'inf'"},
        {"shoulder,elbow\n1,1e999\n", "s.csv:2: ", "column 'elbow': '1e999'"},
        {"shoulder,elbow\n1,0x1\n", "s.csv:2: ", "column 'elbow'"},
        {"shoulder,elbow\n1,1 2\n", "s.csv:2: ", "column 'elbow': '1 2'"},
        {"shoulder,elbow\n# no\n", "s.csv:2: ", "column 'shoulder': '# no'"},
        {"shoulder\n2e6\n", "s.csv:2: ", "joint 'shoulder'"},
        {"world_joint/x\n2e7\n", "s.csv:2: ", "joint 'world_joint'"},
        {"elbow,world_joint/qw\n1,1\n2,0\n", "s.csv:3: ", "quaternion is zero"},
        {"\"shoulder\n1\n", "s.csv:1: ", "a quote is not closed"},
        {"\"shoulder\"x\n1\n", "s.csv:1: ", "behind a closing quote"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        BerthStates states;
        const BerthStatus status = read_text(cases[i].text, scene, &states);
        if (status != BERTH_ERR_PARSE ||
            strncmp(berth_error_text(), cases[i].start, strlen(cases[i].start)) != 0 ||
            strstr(berth_error_text(), cases[i].fragment) == NULL) {
            fail_msg("case %zu: %s '%s'", i, berth_status_name(status), berth_error_text());
        }
        assert_null(states.values);
    }
    berth_scene_destroy(scene);
}

static void quaternions_are_made_unit(void** state) {
    (void)state;
    BerthScene* scene = new_scene(2, true);
    BerthStates states;
    assert_int_equal(
        read_text("right/world_joint/qx,right/world_joint/qw,left/world_joint/x\n0,-4,7\n3,4,7\n", scene,
                  &states),
        BERTH_OK);
    const int32_t qx = berth_scene_find_value(scene, "right/world_joint/qx");
    assert_true(states.values[qx + 3] == -1.0);
    const double* second = states.values + states.value_count;
    assert_true(fabs(second[qx] - 0.6) < 1e-15 && fabs(second[qx + 3] - 0.8) < 1e-15);
    assert_true(second[berth_scene_find_value(scene, "left/world_joint/x")] == 7.0);
    berth_io_free_states(&states);
    berth_scene_destroy(scene);
}

// What is printed with 17 digits is read back bit for bit, in any order of columns, in a locale with commas too.
static void random_tables_come_back(void** state) {
    (void)state;
    BerthScene* scene = new_scene(2, false);
    Random random = {11};
    char* text = malloc(1 << 20);
    assert_non_null(text);
    const int rounds = test_scaled(200);
    for (int round = 0; round < rounds; ++round) {
        int order[4] = {0, 1, 2, 3};
        for (int i = 3; i > 0; --i) {
            const int k = (int)(bi_random_next(&random) % (uint64_t)(i + 1));
            const int swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
        const int columns = 1 + (int)(bi_random_next(&random) % 4);
        const int rows = 1 + (int)(bi_random_next(&random) % 99);
        double expected[100][4];
        size_t used = 0;
        for (int c = 0; c < columns; ++c) {
            char name[64];
            berth_scene_value_name(scene, order[c], name, sizeof name);
            used += (size_t)sprintf(text + used, "%s%s", c > 0 ? "," : "", name);
        }
        for (int r = 0; r < rows; ++r) {
            memcpy(expected[r], berth_scene_values(scene), sizeof expected[r]);
            for (int c = 0; c < columns; ++c) {
                const double value =
                    bi_random_between(&random, -2, 2) * pow(10.0, -(double)(bi_random_next(&random) % 20));
                expected[r][order[c]] = value;
                used += (size_t)sprintf(text + used, "%s%.17g",
                                        c > 0            ? ","
                                        : round % 2 == 0 ? "\n"
                                                         : "\r\n",
                                        value);
            }
        }
        text[used] = '\0';
        if (round == rounds / 2) {
            setlocale(LC_ALL, "de_DE.UTF-8");
        }
        BerthStates states;
        const BerthStatus status = read_text(text, scene, &states);
        setlocale(LC_ALL, "C");
        assert_int_equal(status, BERTH_OK);
        assert_int_equal(states.row_count, rows);
        assert_memory_equal(states.values, expected, (size_t)rows * sizeof expected[0]);
        berth_io_free_states(&states);
    }
    free(text);
    berth_scene_destroy(scene);
}

// ---- .npy --------------------------------------------------------------------------------------------------

// A file as NumPy writes it, with any header text. Returns its size.
static size_t make_npy(char* out, int version, const char* header, const double* numbers, size_t count) {
    const size_t start = version == 1 ? 10 : 12;
    const size_t length = strlen(header);
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (char)version;
    out[7] = 0;
    for (size_t i = 0; i < start - 8; ++i) {
        out[8 + i] = (char)(unsigned char)(length >> (8 * i));
    }
    memcpy(out + start, header, length);
    if (count > 0) {
        memcpy(out + start + length, numbers, 8 * count);
    }
    return start + length + 8 * count;
}

static void npy_is_read(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    const double numbers[] = {0.1, 0.2, 0.3, -0.4, 1e-300, -0.0};
    const char* const headers[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }          \n",
        "{\"shape\":(3,2),\"descr\":\"<f8\",\"fortran_order\":False}",
    };
    for (int i = 0; i < 4; ++i) {
        char file[256];
        const size_t size = make_npy(file, 1 + i / 2, headers[i % 2], numbers, 6);
        BerthStates states;
        if (read_bytes("s.npy", file, size, scene, &states) != BERTH_OK) {
            fail_msg("%s", berth_error_text());
        }
        assert_int_equal(states.row_count, 3);
        assert_memory_equal(states.values, numbers, sizeof numbers);
        berth_io_free_states(&states);
        // Every file that is one byte short or long, and every part of the header, is refused.
        for (size_t cut = 0; cut < size; ++cut) {
            assert_int_equal(read_bytes("s.npy", file, cut, scene, &states), BERTH_ERR_PARSE);
            assert_int_equal(strncmp(berth_error_text(), "s.npy: byte ", 12), 0);
        }
        file[size] = 0;
        assert_int_equal(read_bytes("s.npy", file, size + 1, scene, &states), BERTH_ERR_PARSE);
    }
    char file[256];
    BerthStates states;
    size_t size = make_npy(file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2), }\n", NULL, 0);
    assert_int_equal(read_bytes("s.npy", file, size, scene, &states), BERTH_ERR_PARSE);
    assert_string_equal(berth_error_text(),
                        "s.npy: byte 8: shape (0, ...): there are no states, at least one was expected");
    const double bad[] = {0, 0, 0, NAN};
    size = make_npy(file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", bad, 4);
    assert_int_equal(read_bytes("s.npy", file, size, scene, &states), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "state 1: joint 'elbow'"));
    berth_scene_destroy(scene);
}

static void wrong_npy_is_named(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    const double numbers[] = {0, 0, 0, 0, 0, 0};
    const struct {
        const char* header;
        int count;
        const char* fragment;
    } cases[] = {
        {"", 4, "'{' was expected"},
        {"{}", 4, "are all needed"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", 4, "'<f8'"},
        {"{'descr': '>f8', 'fortran_order': False, 'shape': (2, 2), }", 4, "'<f8'"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }", 4, "'<f8'"},
        {"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", 4, "False (C order)"},
        {"{'descr': '<f8', 'fortran_order': False}", 4, "are all needed"},
        {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False}", 4, "a key twice"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), 'x': 1}", 4,
         "'descr', 'fortran_order' or 'shape'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, -2), }", 4, "a whole number"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2 2), }", 4, "',' or ')'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 4, }", 4, "'('"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 2, 2), }", 4, "three dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", 4, "shape (n, 2) was expected"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 1, "shape (n, 2) was expected"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 6, "shape (n, 2) was expected"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 2), }", 4, "shape (n, 2) was expected"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", 4, "the header says 6 numbers"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 2), }", 4, "too large"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 2), }", 4,
         "a whole number"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), } x", 4, "behind '}'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char file[512];
        const size_t size = make_npy(file, 1, cases[i].header, numbers, (size_t)cases[i].count);
        BerthStates states;
        const BerthStatus status = read_bytes("s.npy", file, size, scene, &states);
        if (status != BERTH_ERR_PARSE || strncmp(berth_error_text(), "s.npy: byte ", 12) != 0 ||
            strstr(berth_error_text(), cases[i].fragment) == NULL) {
            fail_msg("case %zu: %s '%s'", i, berth_status_name(status), berth_error_text());
        }
    }
    char file[512];
    BerthStates states;
    const size_t size =
        make_npy(file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", numbers, 4);
    file[6] = 3;
    assert_int_equal(read_bytes("s.npy", file, size, scene, &states), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "version 1 or 2"));
    assert_int_equal(read_bytes("s.npy", "elbow\n1\n", 8, scene, &states), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "not a .npy file"));
    berth_scene_destroy(scene);
}

// ---- text --------------------------------------------------------------------------------------------------

static void text_changes_what_it_names(void** state) {
    (void)state;
    BerthScene* scene = new_scene(2, true);
    double values[18];
    memcpy(values, berth_scene_values(scene), sizeof values);
    assert_int_equal(
        berth_io_parse_state("left/elbow=0.5, right/shoulder = -1e-1,right/world_joint/qw=-2", scene, values),
        BERTH_OK);
    assert_true(values[8] == 0.5 && values[16] == -0.1 && values[15] == -1.0 && values[7] == 0.0);
    const char* const bad[][2] = {
        {"", "joint=value"},
        {"left/elbow", "joint=value"},
        {"left/elbow=", "a number was expected"},
        {"=1", "'': there is no joint of that name"},
        {"left/world_joint=1", "that joint has 7 values: name each, like 'left/world_joint/x'"},
        {"left/elbow=1,", "joint=value"},
        {"left/elbow=1x", "trailing"},
        {"left/elbow=nan", "left/elbow=nan"},
        {"elbow=1", "did you mean 'left/elbow'?"},
        {"left/elbo=1", "did you mean 'left/elbow'?"},
        {"left/elbow=1,left/elbow=1", "appears twice"},
        {"left/elbow=1e7", "joint 'left/elbow'"},
        {"left/world_joint/qw=0", "quaternion is zero"},
        {"left/shoulder=1,left/elbow=1;5", "'left/elbow=1;5'"},
    };
    double before[18];
    memcpy(before, values, sizeof before);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_int_equal(berth_io_parse_state(bad[i][0], scene, values), BERTH_ERR_ARGUMENT);
        if (strstr(berth_error_text(), bad[i][1]) == NULL) {
            fail_msg("%s: %s", bad[i][0], berth_error_text());
        }
        assert_memory_equal(values, before, sizeof before);  // nothing is changed by a wrong text
    }
    berth_scene_destroy(scene);
}

// ---- memory and the disk -----------------------------------------------------------------------------------

static BerthStatus read_hundred_states(void* scene, const BerthAllocator* allocator) {
    char text[4096] = "elbow,shoulder\n";
    for (int i = 0; i < 100; ++i) {
        strcat(text, "0.5,0.25\n");
    }
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    BerthStates states;
    const BerthStatus status = bi_io_states_from_bytes("s.csv", text, strlen(text), scene, &options, &states);
    if (status == BERTH_OK) {
        assert_int_equal(states.row_count, 100);
        berth_io_free_states(&states);
    }
    return status;
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    assert_true(starve(read_hundred_states, scene) > 2);
    berth_scene_destroy(scene);
}

static void files_are_read(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    char path[] = "/tmp/berth_states_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "elbow\n1\n", 8), 8);
    close(file);
    const BerthIoOptions options = berth_default_io_options();
    BerthStates states;
    assert_int_equal(berth_io_read_states(path, scene, &options, &states), BERTH_OK);
    assert_int_equal(states.row_count, 1);
    berth_io_free_states(&states);
    unlink(path);
    assert_int_not_equal(berth_io_read_states(path, scene, &options, &states), BERTH_OK);
    assert_non_null(strstr(berth_error_text(), path));
    assert_int_equal(berth_io_read_states(NULL, scene, &options, &states), BERTH_ERR_ARGUMENT);
    berth_scene_destroy(scene);
}

int test_io_states(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_of_every_shape),
        cmocka_unit_test(wrong_csv_is_named),
        cmocka_unit_test(quaternions_are_made_unit),
        cmocka_unit_test(random_tables_come_back),
        cmocka_unit_test(npy_is_read),
        cmocka_unit_test(wrong_npy_is_named),
        cmocka_unit_test(text_changes_what_it_names),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
