// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Finding files: the order of places, staying inside packages, and what is said when there is nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/robot/package.h"
#include "support/meshes.h"
#include "support/starve.h"
#include "support/urdf_text.h"

int test_io_package(void);

static char top[200];  // a folder of our own

static const char* in_top(const char* path) {
    static char text[8][600];
    static int turn;
    char* out = text[turn++ % 8];
    snprintf(out, sizeof text[0], "%s/%s", top, path);
    return out;
}

static void put_file(const char* path, const char* content) {
    char folder[600];
    snprintf(folder, sizeof folder, "%s", in_top(path));
    for (char* at = folder + strlen(top) + 1; (at = strchr(at, '/')) != NULL; ++at) {
        *at = '\0';
        mkdir(folder, 0700);
        *at = '/';
    }
    FILE* file = fopen(folder, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static int make_tree(void** state) {
    (void)state;
    snprintf(top, sizeof top, "/tmp/berth_package_XXXXXX");
    if (mkdtemp(top) == NULL) {
        return -1;
    }
    put_file("given/mesh.stl", "");
    put_file("given2/only2.stl", "");
    put_file("ros/pkg/mesh.stl", "");
    put_file("ros/stack/pkg/nested.stl", "");
    put_file("ros/stack/deep/pkg2/toodeep.stl", "");
    put_file("named/package.xml", "<package>\n<name> pkg </name></package>");
    put_file("named/own.stl", "");
    put_file("ament/share/pkg/ament.stl", "");
    put_file("ament/share/pkg/mesh.stl", "");
    put_file("ws/pkg/urdf/robot.urdf", "<robot/>");
    put_file("ws/pkg/urdf/beside.stl", "");
    put_file("ws/pkg/mesh.stl", "");
    put_file("ws/pkg/meshes/far.stl", "");
    put_file("ws/sister/sister.stl", "");
    put_file("ws/other-folder/package.xml", "<package><name>renamed</name></package>");
    put_file("ws/other-folder/urdf/robot.urdf", "<robot/>");
    put_file("ws/other-folder/renamed.stl", "");
    put_file("secret.stl", "");
    const bool linked = symlink("../../secret.stl", in_top("ws/pkg/link_out.stl")) == 0 &&
                        symlink("meshes/far.stl", in_top("ws/pkg/link_in.stl")) == 0;
    unsetenv("ROS_PACKAGE_PATH");
    unsetenv("AMENT_PREFIX_PATH");
    return linked ? 0 : -1;
}

static int remove_tree(void** state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", top);
    unsetenv("ROS_PACKAGE_PATH");
    unsetenv("AMENT_PREFIX_PATH");
    return strncmp(top, "/tmp/berth_package_", 19) == 0 ? system(command) : -1;
}

static const char* const no_packages[] = {NULL};

// Null when the answer is `expected` (below top), else what it was.
static const char* wrong_answer(const char* uri, const char* from, const char* const* packages,
                                const char* expected) {
    static char said[3000];
    Arena arena;
    bi_arena_init(&arena, NULL, 0);
    BerthIoOptions options = berth_default_io_options();
    options.packages = packages;
    while (packages[options.package_count] != NULL) {
        ++options.package_count;
    }
    const char* path = NULL;
    char real[4096] = "", wanted[4096] = "";
    const BerthStatus status = bi_io_resolve_uri(uri, in_top(from), &options, &arena, &path);
    const bool found =
        status == BERTH_OK && realpath(path, real) != NULL && realpath(in_top(expected), wanted) != NULL;
    const bool right = found && strcmp(real, wanted) == 0;
    snprintf(said, sizeof said, "%s", status == BERTH_OK ? path : berth_error_text());
    bi_arena_free(&arena);
    return right ? NULL : said;
}

#define ASSERT_FOUND(uri, from, packages, expected)                       \
    do {                                                                  \
        const char* answer = wrong_answer(uri, from, packages, expected); \
        if (answer != NULL) {                                             \
            fail_msg("%s: expected %s, got %s", uri, expected, answer);   \
        }                                                                 \
    } while (0)
#define ASSERT_SAYS(uri, from, packages, text)                                \
    do {                                                                      \
        const char* answer = wrong_answer(uri, from, packages, "secret.stl"); \
        if (answer == NULL || strstr(answer, text) == NULL) {                 \
            fail_msg("%s: expected '%s', got %s", uri, text, answer);         \
        }                                                                     \
    } while (0)

static const char urdf[] = "ws/pkg/urdf/robot.urdf";

static void places_come_in_order(void** state) {
    (void)state;
    char given[600], given2[600], ros[1300];
    snprintf(given, sizeof given, "pkg=%s", in_top("given"));
    snprintf(given2, sizeof given2, "pkg=%s", in_top("given2"));
    const char* const packages[] = {"pk=/nowhere", "pkgs=/nowhere", given, given2, NULL};
    // ancestors
    ASSERT_FOUND("package://pkg/mesh.stl", urdf, no_packages, "ws/pkg/mesh.stl");
    ASSERT_FOUND("model://pkg/meshes/far.stl", urdf, no_packages, "ws/pkg/meshes/far.stl");
    ASSERT_FOUND("package://sister/sister.stl", urdf, no_packages, "ws/sister/sister.stl");
    ASSERT_FOUND("package://renamed/renamed.stl", "ws/other-folder/urdf/robot.urdf", no_packages,
                 "ws/other-folder/renamed.stl");
    // ament before ancestors
    setenv("AMENT_PREFIX_PATH", in_top("ament"), 1);
    ASSERT_FOUND("package://pkg/mesh.stl", urdf, no_packages, "ament/share/pkg/mesh.stl");
    ASSERT_FOUND("package://pkg/ament.stl", urdf, no_packages, "ament/share/pkg/ament.stl");
    // ROS before ament; the folder, the folder itself by its package.xml, one level further down
    snprintf(ros, sizeof ros, "/nowhere:%s::%s", in_top("ros"), in_top("named"));
    setenv("ROS_PACKAGE_PATH", ros, 1);
    ASSERT_FOUND("package://pkg/mesh.stl", urdf, no_packages, "ros/pkg/mesh.stl");
    ASSERT_FOUND("package://pkg/own.stl", urdf, no_packages, "named/own.stl");
    ASSERT_FOUND("package://pkg/nested.stl", urdf, no_packages, "ros/stack/pkg/nested.stl");
    ASSERT_SAYS("package://pkg2/toodeep.stl", urdf, no_packages,
                "no such file; tried /nowhere/pkg2/toodeep.stl");
    // given before all, each of several; what is in none of them is looked for further on
    ASSERT_FOUND("package://pkg/mesh.stl", urdf, packages, "given/mesh.stl");
    ASSERT_FOUND("package://pkg/only2.stl", urdf, packages, "given2/only2.stl");
    ASSERT_FOUND("package://pkg/meshes/far.stl", urdf, packages, "ws/pkg/meshes/far.stl");
    unsetenv("ROS_PACKAGE_PATH");
    unsetenv("AMENT_PREFIX_PATH");
}

static void packages_cannot_be_left(void** state) {
    (void)state;
    ASSERT_SAYS("package://pkg/../../secret.stl", urdf, no_packages, "is outside of its package 'pkg'");
    ASSERT_SAYS("package://pkg/link_out.stl", urdf, no_packages, "is outside of its package 'pkg'");
    ASSERT_FOUND("package://pkg/link_in.stl", urdf, no_packages, "ws/pkg/meshes/far.stl");
    ASSERT_FOUND("package://pkg/meshes/../mesh.stl", urdf, no_packages, "ws/pkg/mesh.stl");
    ASSERT_SAYS("package://pkg/meshes", urdf, no_packages, "no such file");  // a folder
    ASSERT_SAYS("package://../ws/pkg/mesh.stl", urdf, no_packages, "must be package://NAME/path");
    ASSERT_FOUND("../../../secret.stl", urdf, no_packages, "secret.stl");  // a relative path may
}

static void other_names_are_plain(void** state) {
    (void)state;
    char uri[700];
    ASSERT_FOUND("beside.stl", urdf, no_packages, "ws/pkg/urdf/beside.stl");
    ASSERT_FOUND("../meshes/far.stl", urdf, no_packages, "ws/pkg/meshes/far.stl");
    ASSERT_FOUND(in_top("given/mesh.stl"), urdf, no_packages, "given/mesh.stl");
    snprintf(uri, sizeof uri, "file://%s", in_top("given/mesh.stl"));
    ASSERT_FOUND(uri, urdf, no_packages, "given/mesh.stl");
    snprintf(uri, sizeof uri, "file://localhost%s", in_top("given/mesh.stl"));
    ASSERT_FOUND(uri, urdf, no_packages, "given/mesh.stl");
    ASSERT_SAYS("gone.stl", urdf, no_packages, "'gone.stl': no such file; tried ");
    ASSERT_SAYS("file://relative.stl", urdf, no_packages, "must be file:///path");
    ASSERT_SAYS("https://example.org/a.stl", urdf, no_packages,
                "must be package://, model://, file:// or a path");
    ASSERT_SAYS("package://pkg", urdf, no_packages, "must be package://NAME/path");
    ASSERT_SAYS("package:///mesh.stl", urdf, no_packages, "must be package://NAME/path");
    ASSERT_SAYS("package:////pkg/mesh.stl", urdf, no_packages, "must be package://NAME/path");
    ASSERT_SAYS("", urdf, no_packages, "a file name is empty");
    ASSERT_SAYS("a\nb", urdf, no_packages, "control character");
    ASSERT_SAYS("/dev/zero", urdf, no_packages, "not a regular file");
    char* huge = malloc(100001);
    assert_non_null(huge);
    memset(huge, 'a', 100000);
    huge[100000] = '\0';
    ASSERT_SAYS(huge, urdf, no_packages, "longer than");
    free(huge);
}

static void every_place_is_listed(void** state) {
    (void)state;
    setenv("AMENT_PREFIX_PATH", in_top("ament"), 1);
    const char* answer = wrong_answer("package://pkg/gone.stl", urdf, no_packages, "secret.stl");
    assert_non_null(answer);
    assert_non_null(strstr(answer, in_top("ament/share/pkg/gone.stl")));
    assert_non_null(strstr(answer, in_top("ws/pkg/gone.stl")));
    assert_non_null(strstr(answer, ", /pkg/gone.stl") != NULL ? answer : strstr(answer, "/tmp/pkg/gone.stl"));
    unsetenv("AMENT_PREFIX_PATH");
}

static void missing_meshes_of_robots(void** state) {
    (void)state;
    put_file("ws/pkg/urdf/visual.urdf",
             "<robot name='r'>\n<link name='a'>\n<visual><geometry>\n<mesh "
             "filename='package://pkg/gone.dae'/></geometry>"
             "</visual></link></robot>");
    put_file("ws/pkg/urdf/collision.urdf",
             "<robot name='r'>\n<link name='a'>\n<collision><geometry>\n<mesh "
             "filename='package://pkg/gone.dae'/></geometry>"
             "</collision></link></robot>");
    TestTalk talk = {0};
    BerthIoOptions options = berth_default_io_options();
    options.warn = test_hear;
    options.user = &talk;
    BerthRobot* robot = NULL;
    assert_int_equal(berth_io_read_robot(in_top("ws/pkg/urdf/visual.urdf"), NULL, &options, &robot),
                     BERTH_OK);
    berth_robot_destroy(robot);
    assert_int_equal(talk.warning_count, 1);
    assert_non_null(strstr(talk.first,
                           "visual.urdf:4: <link name=\"a\">: <mesh>: visual mesh, not used for checking: "
                           "'package://pkg/gone.dae'"));
    assert_int_equal(berth_io_read_robot(in_top("ws/pkg/urdf/collision.urdf"), NULL, &options, &robot),
                     BERTH_ERR_PARSE);
    assert_non_null(
        strstr(berth_error_text(), "collision.urdf:4: <link name=\"a\">: <mesh>: 'package://pkg/gone.dae'"));
    assert_non_null(strstr(berth_error_text(), in_top("ws/pkg/gone.dae")));
}

static BerthStatus resolve_renamed(void* user, const BerthAllocator* allocator) {
    (void)user;
    Arena arena;
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    bi_arena_init(&arena, allocator, 0);
    const char* path = NULL;
    const BerthStatus status = bi_io_resolve_uri(
        "package://renamed/renamed.stl", in_top("ws/other-folder/urdf/robot.urdf"), &options, &arena, &path);
    bi_arena_free(&arena);
    return status;
}

static BerthStatus read_mesh_robot(void* user, const BerthAllocator* allocator) {
    (void)user;
    const char* const hull[] = {"b"};
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    BerthRobotOptions robot_options = berth_default_robot_options();
    robot_options.hull_links = hull;
    robot_options.hull_link_count = 1;
    BerthRobot* robot = NULL;
    const BerthStatus status =
        berth_io_read_robot(in_top("ws/pkg/urdf/meshes.urdf"), &robot_options, &options, &robot);
    berth_robot_destroy(robot);
    return status;
}

static void every_failed_allocation_is_clean(void** state) {
    (void)state;
    setenv("ROS_PACKAGE_PATH", in_top("ros"), 1);
    assert_true(starve(resolve_renamed, NULL) > 0);
    unsetenv("ROS_PACKAGE_PATH");
}

// A whole robot from disk, with a mesh, a hull and a visual: each allocation fails once.
static void every_failed_allocation_of_a_robot_is_clean(void** state) {
    (void)state;
    put_file("ws/pkg/tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    put_file("ws/pkg/urdf/meshes.urdf",
             "<robot name='r'><link name='a'><visual><geometry><mesh "
             "filename='package://pkg/tetra.obj'/></geometry></visual>"
             "<collision><geometry><mesh filename='package://pkg/tetra.obj'/></geometry></collision></link>"
             "<link name='b'><collision><geometry><mesh filename='../tetra.obj' scale='-1 1 "
             "1'/></geometry></collision>"
             "</link><link name='c'><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
             "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
             "<joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint></robot>");
    assert_true(starve(read_mesh_robot, NULL) > 20);
}

int test_io_package(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_come_in_order),
        cmocka_unit_test(packages_cannot_be_left),
        cmocka_unit_test(other_names_are_plain),
        cmocka_unit_test(every_place_is_listed),
        cmocka_unit_test(missing_meshes_of_robots),
        cmocka_unit_test(every_failed_allocation_is_clean),
        cmocka_unit_test(every_failed_allocation_of_a_robot_is_clean),
    };
    return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
