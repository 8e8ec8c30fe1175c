// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// SRDFs as documents: what is written reads back as the same, whatever the names are; everything of an old file but its
// pairs is kept; wrong files and failing memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "io/syntax/file.h"
#include "io/syntax/xml.h"
#include "math/math.h"
#include "support/expect.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/starve.h"

int test_io_srdf_write(void);

static BerthSrdf* read_text(const char* text) {
    const char* path = program_temporary("written.srdf");
    const BerthIoOptions options = berth_default_io_options();
    BerthSrdf* srdf = NULL;
    assert_true(program_write_text(path, text));
    if (berth_io_read_srdf(path, &options, &srdf) != BERTH_OK) {
        fail_msg("%s\n%s", berth_error_text(), text);
    }
    return srdf;
}

// Names of any characters that XML can hold, also those that would end an attribute, a comment or an element.
static void random_name(Random* random, char* out, size_t size) {
    static const char* const pieces[] = {"a",  "-", "--", "-->",   "<",           ">",        "&",
                                         "\"", "'", " ",  "&amp;", "]]>",         "\xc3\xa4", "\n",
                                         "\t", "x", "_",  "/",     "\xe2\x82\xac"};
    size_t used = 0;
    const int count = 1 + (int)(bi_random_next(random) % 12);
    out[0] = '\0';
    for (int i = 0; i < count; ++i) {
        const char* piece = pieces[bi_random_next(random) % (sizeof pieces / sizeof pieces[0])];
        // Names of links must not hold control characters; reasons may.
        if (used + strlen(piece) + 1 < size) {
            memcpy(out + used, piece, strlen(piece) + 1);
            used += strlen(piece);
        }
    }
}

static bool has_control(const char* text) {
    return strpbrk(text, "\n\t") != NULL;
}

static void any_names_read_back(void** state) {
    (void)state;
    enum { PAIRS = 20, SIZE = 100 };
    Random random = {41};
    const BerthIoOptions options = berth_default_io_options();
    for (int r = 0; r < test_scaled(300); ++r) {
        static char names[PAIRS][4][SIZE];
        BerthSrdfPair pairs[PAIRS];
        for (int i = 0; i < PAIRS; ++i) {
            for (int k = 0; k < 4; ++k) {
                do {
                    random_name(&random, names[i][k], SIZE);
                } while (k < 2 && has_control(names[i][k]));
            }
            pairs[i] = (BerthSrdfPair){.link_a = names[i][0],
                                       .link_b = names[i][1],
                                       .reason = i % 3 == 0 ? NULL : names[i][2],
                                       .comment = i % 2 == 0 ? names[i][3] : NULL,
                                       .enable = i % 5 == 0};
        }
        char* text = NULL;
        size_t size = 0;
        BerthSrdfDef def = berth_default_srdf_def();
        def.name = names[0][0];
        def.comment = names[0][3];
        def.pairs = pairs;
        def.pair_count = PAIRS;
        assert_int_equal(berth_io_srdf_text(&def, &options, &text, &size), BERTH_OK);
        assert_int_equal(strlen(text), size);
        BerthSrdf* srdf = read_text(text);
        assert_int_equal(berth_srdf_pair_count(srdf), PAIRS);
        for (int i = 0; i < PAIRS; ++i) {
            const BerthSrdfPair pair = berth_srdf_pair(srdf, i);
            assert_string_equal(pair.link_a, pairs[i].link_a);
            assert_string_equal(pair.link_b, pairs[i].link_b);
            assert_true(pair.enable == pairs[i].enable && pair.line > i);
            if (pairs[i].reason == NULL) {
                assert_null(pair.reason);
            } else {
                assert_string_equal(pair.reason, pairs[i].reason);
            }
        }
        berth_io_free_srdf(srdf);
        berth_io_free_srdf_text(&options, text, size);
    }
}

// The elements of two documents but their pairs, in order, attribute by attribute.
static void assert_same_rest(const char* path_a, const char* path_b) {
    const BerthIoOptions options = berth_default_io_options();
    XmlFile files[2];
    Arena arenas[2];
    FileBytes bytes[2] = {{.data = NULL}, {.data = NULL}};
    const char* paths[2] = {path_a, path_b};
    const XmlNode* nodes[2];
    for (int i = 0; i < 2; ++i) {
        bi_arena_init(&arenas[i], NULL, 0);
        files[i] = (XmlFile){.path = paths[i], .options = &options, .arena = &arenas[i]};
        assert_int_equal(bi_io_read_file(paths[i], 0, NULL, &bytes[i]), BERTH_OK);
        assert_int_equal(bi_xml_parse(&files[i], bytes[i].data, bytes[i].size), BERTH_OK);
        nodes[i] = files[i].root;
    }
    int compared = 0;
    for (;;) {
        for (int i = 0; i < 2; ++i) {
            nodes[i] = bi_xml_after(nodes[i], files[i].root);
            while (nodes[i] != NULL && (strcmp(nodes[i]->name, "disable_collisions") == 0 ||
                                        strcmp(nodes[i]->name, "enable_collisions") == 0 ||
                                        strcmp(nodes[i]->name, "disable_default_collisions") == 0)) {
                nodes[i] = bi_xml_after(nodes[i], files[i].root);
            }
        }
        assert_true((nodes[0] == NULL) == (nodes[1] == NULL));
        if (nodes[0] == NULL) {
            break;
        }
        assert_string_equal(nodes[0]->name, nodes[1]->name);
        assert_string_equal(nodes[0]->parent->name, nodes[1]->parent->name);
        assert_int_equal(nodes[0]->attribute_count, nodes[1]->attribute_count);
        for (int32_t k = 0; k < nodes[0]->attribute_count; ++k) {
            assert_string_equal(nodes[0]->attributes[k].name, nodes[1]->attributes[k].name);
            assert_string_equal(nodes[0]->attributes[k].value, nodes[1]->attributes[k].value);
        }
        ++compared;
    }
    print_message("report %d elements\n", compared);
    for (int i = 0; i < 2; ++i) {
        bi_io_free_file(&bytes[i]);
        bi_arena_free(&arenas[i]);
    }
}

static void real_files_keep_the_rest(void** state) {
    (void)state;
    const BerthIoOptions options = berth_default_io_options();
    int files = 0;
    for (const TestRobot* entry = test_robots; entry->name != NULL; ++entry) {
        char path[4096];
        BerthSrdf* old = NULL;
        if (entry->srdf == NULL || !test_shared_path(path, sizeof path, entry->srdf)) {
            continue;
        }
        assert_int_equal(berth_io_read_srdf(path, &options, &old), BERTH_OK);
        const BerthSrdfPair pair = {.link_a = "a", .link_b = "b", .reason = "Never", .comment = "proven"};
        char* text = NULL;
        size_t size = 0;
        BerthSrdfDef def = berth_default_srdf_def();
        def.name = "r";
        def.comment = "top";
        def.rest = old;
        def.pairs = &pair;
        def.pair_count = 1;
        assert_int_equal(berth_io_srdf_text(&def, &options, &text, &size), BERTH_OK);
        const char* written = program_temporary("kept.srdf");
        assert_true(program_write_text(written, text));
        assert_same_rest(path, written);
        BerthSrdf* again = NULL;
        assert_int_equal(berth_io_read_srdf(written, &options, &again), BERTH_OK);
        assert_int_equal(berth_srdf_pair_count(again), 1);
        berth_io_free_srdf(again);
        berth_io_free_srdf_text(&options, text, size);
        berth_io_free_srdf(old);
        ++files;
    }
    if (files == 0) {
        TEST_SKIP("the shared robots are not there");
    }
}

static void wrong_files_are_named(void** state) {
    (void)state;
    static const struct {
        const char* text;
        const char* expected;
    } cases[] = {
        {"", "wrong.srdf"},
        {"<robot name='r'>", "wrong.srdf:1"},
        {"<srdf/>", "begins with <robot>"},
        {"<robot name='r'>\n<disable_collisions link1='a'/></robot>", "wrong.srdf:2: <disable_collisions>"},
        {"<robot name='r'>\n\n<enable_collisions link2='a'/></robot>", "wrong.srdf:3: <enable_collisions>"},
        {"<!DOCTYPE robot><robot name='r'/>", "DOCTYPE"},
    };
    const BerthIoOptions options = berth_default_io_options();
    const char* path = program_temporary("wrong.srdf");
    BerthSrdf* srdf = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_true(program_write_text(path, cases[i].text));
        assert_int_equal(berth_io_read_srdf(path, &options, &srdf), BERTH_ERR_PARSE);
        assert_null(srdf);
        if (strstr(berth_error_text(), cases[i].expected) == NULL) {
            fail_msg("%s: expected '%s', got '%s'", cases[i].text, cases[i].expected, berth_error_text());
        }
    }
    assert_int_not_equal(berth_io_read_srdf(program_temporary("none.srdf"), &options, &srdf), BERTH_OK);
}

static BerthStatus read_and_write(void* path, const BerthAllocator* allocator) {
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    BerthSrdf* srdf = NULL;
    char* text = NULL;
    size_t size = 0;
    BerthStatus status = berth_io_read_srdf(path, &options, &srdf);
    if (status == BERTH_OK) {
        const BerthSrdfPair pair = berth_srdf_pair(srdf, 0);
        BerthSrdfDef def = berth_default_srdf_def();
        def.name = "r";
        def.rest = srdf;
        def.pairs = &pair;
        def.pair_count = 1;
        status = berth_io_srdf_text(&def, &options, &text, &size);
    }
    berth_io_free_srdf_text(&options, text, size);
    berth_io_free_srdf(srdf);
    return status;
}

static void every_failed_allocation_is_clean(void** state) {
    (void)state;
    char* path = strdup(expect_written("small.srdf",
                                       "<robot name='r'><group name='g'><link name='a'/></group>"
                                       "<disable_collisions link1='a' link2='b' reason='Never'/></robot>"));
    assert_true(starve(read_and_write, path) > 3);
    free(path);
}

static void a_def_needs_its_stamp(void** state) {
    (void)state;
    const BerthSrdfDef def = {.name = "r"};
    char* text = NULL;
    size_t size = 1;
    assert_int_equal(berth_io_srdf_text(&def, NULL, &text, &size), BERTH_ERR_ARGUMENT);
    assert_string_equal(berth_error_text(), "SRDF def: start from berth_default_srdf_def()");
    assert_null(text);
    assert_int_equal(size, 0);
}

int test_io_srdf_write(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_names_read_back),
        cmocka_unit_test(real_files_keep_the_rest),
        cmocka_unit_test(wrong_files_are_named),
        cmocka_unit_test(a_def_needs_its_stamp),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
