// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How far words are apart, and what of them may be in a message.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <string.h>

#include "base/base.h"

static void words_are_some_letters_apart(void** state) {
    (void)state;
    static const struct {
        const char *a, *b;
        int32_t away;
    } cases[] = {
        {"", "", 0},
        {"joint", "joint", 0},
        {"", "ab", 2},
        {"joint1", "joint2", 1},
        {"joint", "joints", 1},
        {"jont", "joint", 1},
        {"jiont", "joint", 1},  // neighbours swapped: one, not two
        {"ca", "abc", 3},       // a swapped pair is not split by what is added
        {"kitten", "sitting", 3},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(berth_word_distance(cases[i].a, cases[i].b, 10), cases[i].away);
        assert_int_equal(berth_word_distance(cases[i].b, cases[i].a, 10), cases[i].away);
    }
}

static void words_beyond_the_limit_are_not_measured(void** state) {
    (void)state;
    char longest[65];
    memset(longest, 'a', sizeof longest);
    longest[64] = '\0';
    assert_int_equal(berth_word_distance("kitten", "sitting", 2), 3);
    assert_int_equal(berth_word_distance("abcdef", "uvwxyz", 2), 3);
    assert_int_equal(berth_word_distance(longest + 1, longest + 2, 2), 1);
    assert_int_equal(berth_word_distance(longest, longest, 2), 3);
    assert_int_equal(berth_word_distance(longest + 1, longest, 2), 3);
    assert_int_equal(berth_word_distance(NULL, "a", 2), 3);
    assert_int_equal(berth_word_distance("a", NULL, 2), 3);
}

static void messages_are_one_line(void** state) {
    (void)state;
    bi_fail(BERTH_ERR_PARSE, "f.csv:1: column '%s'", "tu\033[31mrn\n\t\x7f \xc3\xa9");
    assert_string_equal(berth_error_text(), "f.csv:1: column 'tu?[31mrn??? \xc3\xa9'");
    bi_fail_prefix(BERTH_ERR_PARSE, "%s", "a\nb");
    assert_string_equal(berth_error_text(), "a?b: f.csv:1: column 'tu?[31mrn??? \xc3\xa9'");
}

int test_base_words(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_some_letters_apart),
        cmocka_unit_test(words_beyond_the_limit_are_not_measured),
        cmocka_unit_test(messages_are_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
