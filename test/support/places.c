// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Real arms among things.

#include "support/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <berth/io.h>

#include "io/robot/urdf.h"
#include "io/syntax/file.h"
#include "robot/robot.h"
#include "scene/scene.h"
#include "support/grids.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/segments.h"
#include "support/setting.h"

const char* const place_robot_names[PLACE_ROBOTS] = {"Panda", "UR5", "Fanuc", "PR2's arm", "Romeo's arm"};
const char* const place_kind_names[PLACE_KINDS] = {"problem", "thin", "map", "cloud", "held"};

/// A robot of the shared folder, the links of it that keep their geometry (null: all), and where its arm begins. Where sanitizers
/// look only a few links do, with one chart: covers and charts of meshes are most of the time there.
typedef struct Source {
    const char* name;
    const char *keep[8], *few[8];
    BerthVec3 root;
    bool use_srdf;  ///< the PR2's leaves links in that always overlap
} Source;

static const Source sources[PLACE_ROBOTS] = {
    {"panda_mbm", {NULL}, {"panda_link0", "panda_link5", "panda_hand"}, {0, 0, 0}, true},
    {"ur5", {NULL}, {"base_link", "forearm_link", "wrist_3_link"}, {0, 0, 0}, true},
    {"fanuc", {NULL}, {"base_link", "link_3", "link_6"}, {0, 0, 0}, true},
    {"pr2",
     {"r_shoulder", "r_upper_arm", "r_elbow", "r_forearm", "r_wrist", "r_gripper_palm", "torso_lift_link"},
     {"r_upper_arm", "r_gripper_palm", "torso_lift_link"},
     {0, -0.19, 0.5},
     false},
    {"romeo",
     {"RShoulder", "RElbow", "RWrist", "r_wrist", "r_gripper", "body"},
     {"RElbow", "r_gripper", "body"},
     {0, -0.19, 0.1},
     true},
};

static BerthRobot* robots[PLACE_ROBOTS];

// ---- robots -------------------------------------------------------------------------------------------------------

static bool is_kept(const Source* source, const char* link) {
    const char* const* keep = TEST_SANITIZED && !test_is_whole() ? source->few : source->keep;
    bool kept = keep[0] == NULL;
    for (int i = 0; keep[i] != NULL; ++i) {
        kept = kept || strncmp(link, keep[i], strlen(keep[i])) == 0;
    }
    return kept;
}

// Blanks out the collision geometry of links that are not kept: the text stays as long as it was.
static void strip(const Source* source, char* text) {
    static const char begin[] = "<link name=\"", open[] = "<collision", close[] = "</collision>";
    for (char* link = strstr(text, begin); link != NULL; link = strstr(link + 1, begin)) {
        const char* end = strstr(link, "</link>");
        const char* next = strstr(link + 1, begin);
        if (is_kept(source, link + strlen(begin)) || end == NULL || (next != NULL && next < end)) {
            continue;
        }
        for (char* at = strstr(link, open); at != NULL && at < end; at = strstr(at, open)) {
            char* stop = strstr(at, close) + strlen(close);
            memset(at, ' ', (size_t)(stop - at));
        }
    }
}

static BerthRobot* read_robot(const Source* source) {
    const TestRobot* files = test_robot_named(source->name);
    char urdf_path[4096], srdf_path[4096];
    if (!test_shared_path(urdf_path, sizeof urdf_path, files->urdf) ||
        !test_shared_path(srdf_path, sizeof srdf_path, files->srdf)) {
        return NULL;
    }
    const BerthIoOptions options = berth_default_io_options();
    FileBytes urdf = {0}, srdf = {0};
    BerthRobot* out = NULL;
    assert_int_equal(bi_io_read_file(urdf_path, 0, NULL, &urdf), BERTH_OK);
    assert_int_equal(bi_io_read_file(srdf_path, 0, NULL, &srdf), BERTH_OK);
    char* text = malloc(urdf.size + 1);
    memcpy(text, urdf.data, urdf.size);
    text[urdf.size] = 0;
    strip(source, text);

    const RobotText urdf_text = {urdf_path, text, urdf.size};
    const RobotText srdf_text = {srdf_path, srdf.data, srdf.size};
    const RobotRequest ask = {.robot = berth_default_robot_options(), .options = &options};
    const BerthStatus status =
        bi_io_robot_from_text(&urdf_text, source->use_srdf ? &srdf_text : NULL, &ask, &out);
    if (status != BERTH_OK) {
        print_message("%s: %s\n", source->name, berth_error_text());
    }
    assert_true(status == BERTH_OK || strstr(berth_error_text(), "assimp") != NULL);
    free(text);
    bi_io_free_file(&urdf);
    bi_io_free_file(&srdf);
    return out;
}

void place_forget_robots(void) {
    for (int i = 0; i < PLACE_ROBOTS; ++i) {
        berth_robot_destroy(robots[i]);
        robots[i] = NULL;
    }
}

// ---- things -------------------------------------------------------------------------------------------------------

static BerthPose from_root(const BerthPose* root, BerthPose pose) {
    return pose_mul(root, &pose);
}

// Somewhere around the arm's root, not too near to it; half of them upright.
static BerthPose somewhere(Random* random, const BerthPose* root) {
    BerthPose pose = test_pose(random, 0.0);
    const double angle = bi_random_between(random, -3.14, 3.14), far = bi_random_between(random, 0.35, 0.95);
    if (bi_random_next(random) % 2 == 0) {
        pose = berth_pose_identity();
    }
    pose.t = (BerthVec3){far * cos(angle), far * sin(angle), bi_random_between(random, -0.2, 1.0)};
    return from_root(root, pose);
}

static void name_of(char name[16], const char* word, int i) {
    snprintf(name, 16, "%s%d", word, i);
}

static void add_thin(Place* place, Random* random, const BerthPose* root, double trunk) {
    for (int i = 0; i < 14; ++i) {
        char name[16];
        name_of(name, "thin", i);
        const BerthPose pose = somewhere(random, root);
        const double thick = bi_random_between(random, 0.001, 0.002);
        const BerthVec3 plate = {bi_random_between(random, 0.05, 0.5), bi_random_between(random, 0.05, 0.5),
                                 thick};
        const double length = bi_random_between(random, 0.2, 0.8);
        const BerthStatus status =
            i % 3 == 0   ? berth_scene_add_box(place->scene, name, plate, &pose, NULL)
            : i % 3 == 1 ? berth_scene_add_cylinder(place->scene, name, 0.5 * thick, length, &pose, NULL)
                         : berth_scene_add_capsule(place->scene, name, 0.5 * thick, length, &pose, NULL);
        assert_int_equal(status, BERTH_OK);
    }
    const double floor = root->t.z - trunk - bi_random_between(random, 0.5, 0.8);
    assert_int_equal(berth_scene_add_halfspace(place->scene, "floor", (BerthVec3){0, 0, 1}, floor, NULL),
                     BERTH_OK);
}

static void add_map(Place* place, Random* random, const BerthPose* root, Grid* grid, BerthPose* pose) {
    grid_random(random, 3, 8, 0.11, grid);
    *pose = from_root(root, test_pose(random, 0.4));
    assert_true(grid_add(grid, place->scene, "map", pose, NULL, true).age > 0);
}

static void tell_map(Place* place, const Grid* grid, const BerthPose* pose) {
    DenseBox* boxes = malloc((size_t)GRID_SIDE * GRID_SIDE * GRID_SIDE * sizeof *boxes);
    int count = 0;
    const double half = 0.5 * grid->resolution;
    for (int i = 0; i < grid->size[0] * grid->size[1] * grid->size[2]; ++i) {
        const int x = i % grid->size[0], y = i / grid->size[0] % grid->size[1],
                  z = i / grid->size[0] / grid->size[1];
        if (grid_blocks(grid, x, y, z)) {
            boxes[count++] =
                (DenseBox){{grid->origin.x + (2 * x + 1) * half, grid->origin.y + (2 * y + 1) * half,
                            grid->origin.z + (2 * z + 1) * half},
                           {half, half, half}};
        }
    }
    dense_set_boxes(place->dense, "map", pose, boxes, count);
    free(boxes);
}

static void add_cloud(Place* place, Random* random, const BerthPose* root) {
    enum { POINTS = 300 };
    BerthVec3 points[POINTS];
    const BerthPose pose = from_root(root, test_pose(random, 0.3));
    for (int i = 0; i < POINTS; ++i) {  // on a few patches
        const double far = 0.5 + 0.1 * (i % 3);
        points[i] =
            (BerthVec3){far, bi_random_between(random, -0.4, 0.4), bi_random_between(random, -0.4, 0.4)};
    }
    assert_int_equal(berth_scene_add_points(place->scene, "cloud", points, POINTS,
                                            bi_random_next(random) % 2 == 0 ? 0.0 : 0.01, &pose, NULL),
                     BERTH_OK);
    const TestMeshKind kinds[3] = {TEST_MESH_TORUS, TEST_MESH_SHEET, TEST_MESH_BALL};
    for (int i = 0; i < 3; ++i) {
        char name[16];
        name_of(name, "mesh", i);
        const BerthPose at = somewhere(random, root);
        BerthMesh* mesh = test_mesh(kinds[i], 200, 0.15, random);
        assert_int_equal(berth_scene_add_mesh(place->scene, name, mesh, &at, NULL), BERTH_OK);
    }
}

// In the hand: it may touch the last links.
static void add_held(Place* place, Random* random, const BerthPose* root) {
    const BerthRobot* robot = place->scene->robots[0].robot;
    const char* touch[6];
    int count = 0, last = -1;
    for (int i = robot->link_count - 1; i >= 0 && count < 6; --i) {
        if (robot->links[i].solid_count > 0) {
            last = last < 0 ? i : last;
            touch[count++] = robot->links[i].name;
        }
    }
    BerthObjectDef def = berth_default_object_def();
    const BerthShape box = {.kind = BERTH_BOX, .as.box.half = {0.02, 0.03, 0.1}};
    def.name = "held";
    def.attach = robot->links[last].name;
    def.touch = touch;
    def.touch_count = count;
    def.pose = test_pose(random, 0.08);
    assert_int_equal(berth_solid_from_shape(&box, NULL, &def.solid), BERTH_OK);
    assert_int_equal(berth_scene_add_object(place->scene, &def, NULL), BERTH_OK);

    for (int i = 0; i < 8; ++i) {
        char name[16];
        name_of(name, "box", i);
        BerthPose pose = somewhere(random, root);
        BerthVec3 size = {0.1, bi_random_between(random, 0.05, 0.4), 0.1};
        if (i == 0) {  // a wall of 100 m whose face is 0.8 m away
            pose = *root;
            pose.t = pose_apply(root, (BerthVec3){50.8, 0, 0});
            size = (BerthVec3){100, 100, 100};
        }
        assert_int_equal(berth_scene_add_box(place->scene, name, size, &pose, NULL), BERTH_OK);
    }
}

// Only the objects are wanted: start and goal are the Panda's, so zeros stand in for them.
static bool add_problem(Place* place, Random* random) {
    char path[4096];
    if (!test_shared_path(path, sizeof path, "problems/panda.jsonl")) {
        return false;
    }
    FILE* file = fopen(path, "r");
    char* line = NULL;
    size_t size = 0;
    const int wanted = segment_pick(random, 700);
    for (int i = 0; i <= wanted; ++i) {
        assert_true(getline(&line, &size, file) > 0);
    }
    fclose(file);

    char zeros[1024] = "0";
    for (int32_t i = 1; i < berth_scene_value_count(place->scene); ++i) {
        strcat(zeros, ",0");
    }
    const size_t kept = (size_t)(strstr(line, ", \"start\"") - line);
    char* text = malloc(kept + 2 * sizeof zeros + 64);
    memcpy(text, line, kept);
    snprintf(text + kept, 2 * sizeof zeros + 64, ", \"start\": [%s], \"goals\": [[%s]]}", zeros, zeros);
    char* clash = strstr(text, "\"name\": \"base\"");  // which is a link of the UR5, too
    if (clash != NULL) {
        clash[9] = 'B';
    }
    const BerthIoOptions options = berth_default_io_options();
    BerthProblem problem = {0};
    const BerthProblemText first = {text, strlen(text), path, 1};
    const BerthStatus status = berth_io_read_problem(&first, &options, place->scene, &problem);
    if (status != BERTH_OK) {
        print_error("%s: %s\n", place->label, berth_error_text());
    }
    assert_int_equal(status, BERTH_OK);
    berth_io_free_problem(NULL, &problem);
    free(text);
    free(line);
    return true;
}

// What stands against what stands is no question of motions.
static void allow_fixed(Place* place) {
    BerthScene* scene = place->scene;
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    char names[512][2][64];
    int count = 0;
    for (int i = 0; i < scene->pair_count; ++i) {
        if (scene->pairs[i].constant && count < 512) {
            snprintf(names[count][0], 64, "%s", scene->bodies[scene->pairs[i].body_a].name);
            snprintf(names[count++][1], 64, "%s", scene->bodies[scene->pairs[i].body_b].name);
        }
    }
    for (int i = 0; i < count; ++i) {
        assert_int_equal(berth_scene_allow(scene, names[i][0], names[i][1]), BERTH_OK);
    }
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
}

// ---- a place ------------------------------------------------------------------------------------------------------

bool place_open(Place* place, PlaceRobot robot, PlaceKind kind, uint64_t seed) {
    Random random = {seed * 977 + (uint64_t)robot * 31 + (uint64_t)kind};
    *place = (Place){0};
    if (robots[robot] == NULL) {
        robots[robot] = read_robot(&sources[robot]);
    }
    if (robots[robot] == NULL) {
        return false;
    }
    snprintf(place->label, sizeof place->label, "%s %s %llu", place_robot_names[robot],
             place_kind_names[kind], (unsigned long long)seed);

    // The arm's root is at the origin of what stands around it.
    BerthPose root = berth_pose_identity();
    if (kind != PLACE_PROBLEM) {
        root = test_pose(&random, kind == PLACE_THIN && seed % 2 == 1 ? 100.0 : 0.5);
        root.x = (BerthVec3){1, 0, 0}, root.y = (BerthVec3){0, 1, 0}, root.z = (BerthVec3){0, 0, 1};
    }
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    const BerthVec3 from = sources[robot].root;
    def.robot = robots[robot];
    def.world_from_base = root;
    def.world_from_base.t = pose_apply(&root, (BerthVec3){-from.x, -from.y, -from.z});
    def.padding = kind == PLACE_HELD ? 0.004 : 0.0;
    place->margin = kind == PLACE_CLOUD ? 0.003 : 0.0;
    assert_int_equal(berth_scene_create(NULL, &place->scene), BERTH_OK);
    assert_int_equal(berth_scene_add_robot(place->scene, &def, NULL), BERTH_OK);

    Grid grid;
    BerthPose map_pose;
    bool there = true;
    if (kind == PLACE_PROBLEM) {
        there = add_problem(place, &random);
    } else if (kind == PLACE_THIN) {
        add_thin(place, &random, &root, robot >= PLACE_PR2_ARM ? 0.6 : 0.0);
    } else if (kind == PLACE_MAP) {
        add_map(place, &random, &root, &grid, &map_pose);
    } else if (kind == PLACE_CLOUD) {
        add_cloud(place, &random, &root);
    } else {
        add_held(place, &random, &root);
    }
    allow_fixed(place);
    place->dense = dense_open(place->scene, place->margin);
    if (kind == PLACE_MAP) {
        tell_map(place, &grid, &map_pose);
    }
    return there;
}

void place_close(Place* place) {
    dense_close(place->dense);
    berth_scene_destroy(place->scene);
}

void place_values(const Place* place, Random* random, double* values) {
    bi_robot_random_values(place->scene->robots[0].robot, random, values);
}

void place_course(const Place* place, Random* random, Course* course) {
    double other[COURSE_VALUES];
    *course = (Course){.count = place->scene->value_count};
    place_values(place, random, course->from);
    place_values(place, random, other);
    const double share = segment_log_between(random, 0.02, 1.0);
    for (int i = 0; i < course->count; ++i) {
        course->to[i] = course->from[i] + share * (other[i] - course->from[i]);
    }
}
