// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Files that are written together: all or none; modes and links stay; nothing that was read is written over, under whatever
// name. What is on the disk is looked at with stat and fopen, not with the reader.

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/syntax/files.h"
#include "support/expect.h"
#include "support/starve.h"

static BerthFiles* new_files(void) {
    BerthFiles* files = NULL;
    assert_int_equal(berth_io_files_create(NULL, &files), BERTH_OK);
    return files;
}

static BerthStatus put(BerthFiles* files, const char* path, const char* text) {
    return berth_io_files_write(files, path, text, strlen(text), true);
}

static mode_t mode_of(const char* path) {
    struct stat state;
    assert_int_equal(lstat(path, &state), 0);
    return state.st_mode;
}

static bool is_there(const char* path) {
    struct stat state;
    return lstat(path, &state) == 0;
}

static int entries_beside(const char* path) {
    char folder[512];
    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    DIR* listing = opendir(folder);
    assert_non_null(listing);
    int count = 0;
    while (readdir(listing) != NULL) {
        ++count;
    }
    (void)closedir(listing);
    return count;
}

static void expect_error(BerthStatus got, BerthStatus wanted, const char* part) {
    if (got != wanted || strstr(berth_error_text(), part) == NULL) {
        fail_msg("status %d, '%s'; expected %d, '%s'", got, berth_error_text(), wanted, part);
    }
}

static void nothing_is_there_before(void** state) {
    (void)state;
    const char* a = program_temporary("a.txt");
    const char* b = expect_written("b.txt", "old b");
    const int before = entries_beside(a);
    BerthFiles* files = new_files();
    assert_int_equal(put(files, a, "new a"), BERTH_OK);
    assert_int_equal(put(files, b, "new b"), BERTH_OK);
    assert_false(is_there(a));
    expect_text(b, "old b");
    assert_int_equal(berth_io_files_commit(files), BERTH_OK);
    expect_text(a, "new a");
    expect_text(b, "new b");
    assert_int_equal(entries_beside(a), before + 1);

    // What is not committed was never there.
    assert_int_equal(put(files, a, "newer a"), BERTH_OK);
    berth_io_files_destroy(files);
    expect_text(a, "new a");
    assert_int_equal(entries_beside(a), before + 1);
    program_remove_temporary();
}

// The last of three cannot be placed: a folder has taken its place. The first, which was there, and the second, which
// was not, are as they were.
static void all_or_none(void** state) {
    (void)state;
    const char* a = expect_written("a.txt", "old a");
    const char* b = program_temporary("b.txt");
    const char* c = program_temporary("c.txt");
    BerthFiles* files = new_files();
    assert_int_equal(put(files, a, "new a"), BERTH_OK);
    assert_int_equal(put(files, b, "new b"), BERTH_OK);
    assert_int_equal(put(files, c, "new c"), BERTH_OK);
    assert_int_equal(mkdir(c, 0777), 0);
    expect_error(berth_io_files_commit(files), BERTH_ERR_ARGUMENT, "c.txt: cannot be written");
    expect_text(a, "old a");
    assert_false(is_there(b));
    assert_int_equal(entries_beside(a), 4);  // . .. a.txt c.txt
    berth_io_files_destroy(files);
    program_remove_temporary();
}

static void modes_and_links_stay(void** state) {
    (void)state;
    const char* plain = expect_written("plain.txt", "old");
    const char* fresh = program_temporary("fresh.txt");
    const char* link_one = program_temporary("link1.txt");
    const char* link_two = program_temporary("link2.txt");
    const char* dangling = program_temporary("dangling.txt");
    const char* second = program_temporary("second.txt");
    assert_int_equal(chmod(plain, 0640), 0);
    assert_int_equal(symlink("plain.txt", link_one), 0);
    assert_int_equal(symlink(link_one, link_two), 0);
    assert_int_equal(symlink("not_yet.txt", dangling), 0);
    assert_int_equal(link(plain, second), 0);

    const mode_t mask = umask(027);
    BerthFiles* files = new_files();
    assert_int_equal(put(files, link_two, "new"), BERTH_OK);
    assert_int_equal(put(files, fresh, "fresh"), BERTH_OK);
    assert_int_equal(put(files, dangling, "came"), BERTH_OK);
    assert_int_equal(berth_io_files_commit(files), BERTH_OK);
    (void)umask(mask);

    assert_true(S_ISLNK(mode_of(link_one)) && S_ISLNK(mode_of(link_two)) && S_ISLNK(mode_of(dangling)));
    expect_text(plain, "new");
    expect_text(program_temporary("not_yet.txt"), "came");
    assert_int_equal(mode_of(plain) & 07777, 0640);
    assert_int_equal(mode_of(fresh) & 07777, 0640);
    // The second name of the old file keeps the old file, whole.
    expect_text(second, "old");
    berth_io_files_destroy(files);
    program_remove_temporary();
}

static void twice_is_refused(void** state) {
    (void)state;
    const char* a = expect_written("a.txt", "old");
    const char* alias = program_temporary("alias.txt");
    const char* second = program_temporary("second.txt");
    const char* fresh = program_temporary("fresh.txt");
    char dotted[600];
    assert_int_equal(symlink("a.txt", alias), 0);
    assert_int_equal(link(a, second), 0);
    snprintf(dotted, sizeof dotted, "%.*s/./fresh.txt", (int)(strrchr(fresh, '/') - fresh), fresh);

    const char* const pairs[][2] = {{a, a},      {a, alias},      {alias, a},
                                    {a, second}, {fresh, dotted}, {fresh, fresh}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
        BerthFiles* files = new_files();
        assert_int_equal(berth_io_files_reserve(files, pairs[i][0]), BERTH_OK);
        expect_error(berth_io_files_reserve(files, pairs[i][1]), BERTH_ERR_ARGUMENT,
                     "would be written twice");
        assert_int_equal(put(files, pairs[i][0], "x"), BERTH_OK);
        expect_error(put(files, pairs[i][1], "y"), BERTH_ERR_ARGUMENT, "would be written twice");
        berth_io_files_destroy(files);
    }
    expect_text(a, "old");
    program_remove_temporary();
}

static BerthStatus read_with(BerthFiles* files, const char* path) {
    BerthIoOptions options = berth_default_io_options();
    options.files = files;
    FileBytes bytes;
    const BerthStatus status = bi_io_read_file(path, 0, &options, &bytes);
    bi_io_free_file(&bytes);
    return status;
}

static void what_was_read_stays(void** state) {
    (void)state;
    const char* a = expect_written("a.txt", "input");
    const char* alias = program_temporary("alias.txt");
    const char* second = program_temporary("second.txt");
    assert_int_equal(symlink("a.txt", alias), 0);
    assert_int_equal(link(a, second), 0);
    const char* const names[] = {a, alias, second};

    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            BerthFiles* files = new_files();
            assert_int_equal(read_with(files, names[i]), BERTH_OK);
            expect_error(put(files, names[k], "x"), BERTH_ERR_ARGUMENT, "is an input file");
            expect_error(berth_io_files_reserve(files, names[k]), BERTH_ERR_ARGUMENT, "is an input file");
            expect_error(berth_io_files_try(files, names[k]), BERTH_ERR_ARGUMENT, "is an input file");
            berth_io_files_destroy(files);

            // What was read for something else, and is used here.
            BerthFiles* before = new_files();
            files = new_files();
            assert_int_equal(read_with(before, names[i]), BERTH_OK);
            assert_int_equal(berth_io_files_add(files, before), BERTH_OK);
            berth_io_files_destroy(before);
            expect_error(put(files, names[k], "x"), BERTH_ERR_ARGUMENT, "is an input file");
            berth_io_files_destroy(files);

            // The other way round: reserved, then met by a reader.
            files = new_files();
            assert_int_equal(berth_io_files_reserve(files, names[i]), BERTH_OK);
            expect_error(read_with(files, names[k]), BERTH_ERR_ARGUMENT, "is an input file");
            berth_io_files_destroy(files);
        }
    }

    // Read between writing and committing.
    const char* b = expect_written("b.txt", "b");
    const char* c = program_temporary("c.txt");
    BerthFiles* files = new_files();
    assert_int_equal(put(files, c, "x"), BERTH_OK);
    assert_int_equal(read_with(files, b), BERTH_OK);
    assert_int_equal(rename(b, c), 0);
    expect_error(berth_io_files_commit(files), BERTH_ERR_ARGUMENT, "is an input file");
    expect_text(c, "b");
    berth_io_files_destroy(files);
    expect_text(a, "input");
    program_remove_temporary();
}

static void what_cannot_be_written(void** state) {
    (void)state;
    BerthFiles* files = new_files();
    const char* folder = program_temporary("folder");
    const char* pipe_path = program_temporary("pipe");
    const char* loop = program_temporary("loop");
    const char* a = expect_written("a.txt", "old");
    char inside[600], slash[600], below[600];
    snprintf(inside, sizeof inside, "%s/none/a.txt", folder);
    snprintf(slash, sizeof slash, "%s/fresh/", folder);
    snprintf(below, sizeof below, "%s/b.txt", a);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(mkfifo(pipe_path, 0666), 0);
    assert_int_equal(symlink("loop", loop), 0);

    expect_error(put(files, folder, "x"), BERTH_ERR_ARGUMENT, "not a regular file");
    expect_error(put(files, pipe_path, "x"), BERTH_ERR_ARGUMENT, "not a regular file");
    expect_error(put(files, "/dev/null", "x"), BERTH_ERR_ARGUMENT, "not a regular file");
    expect_error(put(files, inside, "x"), BERTH_ERR_ARGUMENT, "No such file");
    expect_error(put(files, below, "x"), BERTH_ERR_ARGUMENT, "Not a directory");
    expect_error(put(files, slash, "x"), BERTH_ERR_ARGUMENT, "Is a directory");
    expect_error(put(files, loop, "x"), BERTH_ERR_ARGUMENT, "symbolic links");
    expect_error(put(files, "", "x"), BERTH_ERR_ARGUMENT, "name is missing");
    expect_error(berth_io_files_write(files, a, "x", 1, false), BERTH_ERR_ARGUMENT, "already exists");
    assert_int_equal(berth_io_files_commit(files), BERTH_OK);
    expect_text(a, "old");

    // Devices may be reserved as often as wanted: a log and statistics to /dev/null.
    assert_int_equal(berth_io_files_reserve(files, "/dev/null"), BERTH_OK);
    assert_int_equal(berth_io_files_reserve(files, "/dev/null"), BERTH_OK);
    berth_io_files_destroy(files);
    program_remove_temporary();
}

// In a process of its own, without an administrator's rights: a folder that may not be written, a file that may not.
static void without_rights(void** state) {
    (void)state;
    const char* folder = program_temporary("locked");
    const char* guarded = expect_written("guarded.txt", "old");
    char inside[600];
    snprintf(inside, sizeof inside, "%s/a.txt", folder);
    assert_int_equal(mkdir(folder, 0555), 0);
    assert_int_equal(chmod(guarded, 0444), 0);

    const pid_t child = fork();
    if (child == 0) {
        int wrong = getuid() == 0 && setuid(65534) != 0 ? 1 : 0;
        BerthFiles* files = new_files();
        wrong |= put(files, inside, "x") != BERTH_ERR_ARGUMENT || strstr(berth_error_text(), "denied") == NULL
                     ? 2
                     : 0;
        wrong |=
            put(files, guarded, "x") != BERTH_ERR_ARGUMENT || strstr(berth_error_text(), "denied") == NULL
                ? 4
                : 0;
        wrong |= berth_io_files_try(files, inside) != BERTH_ERR_ARGUMENT ? 8 : 0;
        berth_io_files_destroy(files);
        _exit(wrong);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 0);
    expect_text(guarded, "old");
    assert_int_equal(chmod(folder, 0777), 0);
    program_remove_temporary();
}

// More than may wait without a name; and names as long as names can be.
static void many_files_and_long_names(void** state) {
    (void)state;
    char name[256], path[1024];
    memset(name, 'n', 255);
    name[255] = '\0';
    const char* some = program_temporary("x");
    BerthFiles* files = new_files();
    for (int i = 0; i < 200; ++i) {
        char number[8];
        snprintf(number, sizeof number, "%03d", i);
        memcpy(name, number, 3);
        snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(some, '/') - some), some, name);
        assert_int_equal(put(files, path, number), BERTH_OK);
    }
    assert_int_equal(berth_io_files_commit(files), BERTH_OK);
    assert_int_equal(entries_beside(some), 202);
    expect_text(path, "199");
    berth_io_files_destroy(files);
    program_remove_temporary();
}

// What a program with the same process number left behind blocked writing for ever (number 1, in a container).
static void leftovers_block_nothing(void** state) {
    (void)state;
    char name[64];
    snprintf(name, sizeof name, "a.txt.%ld.part", (long)getpid());
    const char* left = expect_written(name, "left");
    const char* a = program_temporary("a.txt");
    const BerthIoOptions options = berth_default_io_options();
    char text[] = "new";
    const FileBytes bytes = {.data = text, .size = 3};
    assert_int_equal(bi_io_write_file(a, &bytes, &options), BERTH_OK);
    expect_text(a, "new");
    expect_text(left, "left");
    program_remove_temporary();
}

static BerthStatus write_starved(void* user, const BerthAllocator* allocator) {
    BerthFiles* files = NULL;
    BerthStatus status = berth_io_files_create(allocator, &files);
    status = status == BERTH_OK ? berth_io_files_reserve(files, ((const char**)user)[0]) : status;
    status = status == BERTH_OK ? read_with(files, ((const char**)user)[1]) : status;
    status = status == BERTH_OK ? put(files, ((const char**)user)[0], "new") : status;
    status = status == BERTH_OK ? berth_io_files_commit(files) : status;
    berth_io_files_destroy(files);
    return status;
}

static void memory_runs_out(void** state) {
    (void)state;
    const char* paths[] = {expect_written("a.txt", "old"), expect_written("in.txt", "in")};
    assert_true(starve(write_starved, paths) >= 3);
    expect_text(paths[0], "new");
    program_remove_temporary();
}

int test_io_files(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_there_before), cmocka_unit_test(all_or_none),
        cmocka_unit_test(modes_and_links_stay),    cmocka_unit_test(twice_is_refused),
        cmocka_unit_test(what_was_read_stays),     cmocka_unit_test(what_cannot_be_written),
        cmocka_unit_test(without_rights),          cmocka_unit_test(many_files_and_long_names),
        cmocka_unit_test(leftovers_block_nothing), cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests_name("io_files", tests, NULL, expect_clean_up);
}
