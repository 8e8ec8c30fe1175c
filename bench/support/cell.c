// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Robots and scenes for benchmarks.

#include "support/cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/urdf.h"
#include "io/syntax/file.h"

const BenchPlace bench_places[BENCH_PLACES] = {
    {.label = "panda bookshelf_small",
     .urdf = "panda_mbm/panda.urdf",
     .srdf = "panda_mbm/panda.srdf",
     .problem = "bookshelf_small"},
    {.label = "panda cage",
     .urdf = "panda_mbm/panda.urdf",
     .srdf = "panda_mbm/panda.srdf",
     .problem = "cage"},
    {.label = "panda table_pick",
     .urdf = "panda_mbm/panda.urdf",
     .srdf = "panda_mbm/panda.srdf",
     .problem = "table_pick"},
    {.label = "fanuc table_under_pick (not tuned on)",
     .urdf = "moveit_resources_fanuc_description/urdf/fanuc.urdf",
     .srdf = "moveit_resources_fanuc_moveit_config/config/fanuc.srdf",
     .problem = "table_under_pick"},
    {.label = "ur5 bookshelf_thin (not tuned on)",
     .urdf = "example-robot-data/robots/ur_description/urdf/ur5_robot.urdf",
     .srdf = "example-robot-data/robots/ur_description/srdf/ur5.srdf",
     .problem = "bookshelf_thin"},
};

static const char* const pr2_arm_links[] = {"r_shoulder", "r_upper_arm",    "r_elbow",         "r_forearm",
                                            "r_wrist",    "r_gripper_palm", "torso_lift_link", NULL};
const BenchPlace bench_pr2_arm = {"PR2's arm bookshelf_tall (not tuned on)",
                                  "moveit_resources_pr2_description/urdf/robot.xml",
                                  NULL,
                                  "bookshelf_tall",
                                  pr2_arm_links,
                                  {0, -0.19, 0.5}};

int64_t bench_allocation_count;

static void* counting_take(void* user, size_t size, size_t align) {
    (void)user;
    bench_allocation_count += 1;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void counting_give(void* user, void* block, size_t size) {
    (void)user;
    (void)size;
    free(block);
}

void bench_die(const char* what) {
    fprintf(stderr, "bench: %s: %s\n", what, berth_error_text());
    exit(2);
}

PeerFcl* bench_peer(const BerthSolid* solid) {
    PeerFcl* peer = fcl_solid(solid);
    if (peer == NULL) {
        bench_die("a shape that the peer has not");
    }
    return peer;
}

PeerFclWorld* bench_peer_world(const BerthScene* scene, PeerFcl** known, int32_t* body_parts) {
    PeerFclWorld* world = peer_fcl_world_create();
    int32_t* peer_body = calloc((size_t)scene->part_count, sizeof *peer_body);
    for (int32_t i = 0; i < scene->body_count; ++i) {
        const SceneBody* body = &scene->bodies[i];
        for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
            const bool keeps = known != NULL && body->robot >= 0;
            PeerFcl* geometry = keeps && known[p] != NULL ? known[p] : bench_peer(scene->parts[p].solid);
            if (body->robot >= 0) {
                peer_body[p] = peer_fcl_world_add_body(world, geometry);
                *body_parts = p + 1;
            } else {
                double pose[12];
                fcl_rows(&scene->parts[p].frame_from_part, pose);
                peer_fcl_world_add_obstacle(world, geometry, pose);
            }
            if (keeps) {
                known[p] = geometry;
            } else {
                peer_fcl_destroy(geometry);
            }
        }
    }
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const SceneBody* a = &scene->bodies[scene->pairs[i].body_a];
        const SceneBody* b = &scene->bodies[scene->pairs[i].body_b];
        for (int32_t p = 0; a->robot >= 0 && b->robot >= 0 && p < a->part_count; ++p) {
            for (int32_t q = 0; q < b->part_count; ++q) {
                peer_fcl_world_add_self_pair(world, peer_body[a->first_part + p],
                                             peer_body[b->first_part + q]);
            }
        }
    }
    free(peer_body);
    peer_fcl_world_setup(world);
    return world;
}

static void set_up_states(Setting* s, int count, uint64_t seed) {
    Random random = {seed};
    const int32_t values = s->scene->value_count;
    s->count = count;
    s->states = malloc((size_t)count * (size_t)values * sizeof(double));
    s->poses = malloc((size_t)count * (size_t)s->body_parts * 12 * sizeof(double));
    for (int i = 0; i < count; ++i) {
        double* state = s->states + (size_t)i * (size_t)values;
        for (int32_t r = 0; r < s->scene->robot_count; ++r) {
            bi_robot_random_values(s->scene->robots[r].robot, &random,
                                   state + s->scene->robots[r].first_value);
        }
        bi_check_place(s->checker, state);
        for (int32_t p = 0; p < s->body_parts; ++p) {
            fcl_rows(&s->checker->world_from_part[p],
                     s->poses + ((size_t)i * (size_t)s->body_parts + (size_t)p) * 12);
        }
    }
}

// Commits, makes the checker and the peer, draws the states.
static void set_up(Setting* s, int count) {
    if (berth_scene_commit(s->scene) != BERTH_OK) {
        bench_die("commit");
    }
    BerthCheckerDef def = berth_default_checker_def();
    def.allocator = (BerthAllocator){counting_take, counting_give, NULL};
    if (berth_checker_create(s->scene, &def, &s->checker) != BERTH_OK) {
        bench_die("checker");
    }
    s->peer = bench_peer_world(s->scene, NULL, &s->body_parts);
    set_up_states(s, count, 1);
}

Setting bench_open_scene(const char* label, const char* path, const char* srdf, int count) {
    Setting s = {.label = label};
    BerthIoOptions options = berth_default_io_options();
    options.srdf = srdf;
    if (berth_io_read_scene(path, &options, &s.scene) != BERTH_OK) {
        bench_die(path);
    }
    set_up(&s, count);
    return s;
}

static bool is_kept(const char* const* keep, const char* link) {
    bool kept = false;
    for (int i = 0; keep[i] != NULL; ++i) {
        kept = kept || strncmp(link, keep[i], strlen(keep[i])) == 0;
    }
    return kept;
}

// Blanks out the collision geometry of links that are not kept.
static void strip_links(const char* const* keep, char* text) {
    static const char begin[] = "<link name=\"", open[] = "<collision", close[] = "</collision>";
    for (char* link = strstr(text, begin); link != NULL; link = strstr(link + 1, begin)) {
        const char* end = strstr(link, "</link>");
        const char* next = strstr(link + 1, begin);
        if (is_kept(keep, link + strlen(begin)) || end == NULL || (next != NULL && next < end)) {
            continue;
        }
        for (char* at = strstr(link, open); at != NULL && at < end; at = strstr(at, open)) {
            char* stop = strstr(at, close) + strlen(close);
            memset(at, ' ', (size_t)(stop - at));
        }
    }
}

// Some links of a robot, without an SRDF.
static BerthScene* read_some_links(const BenchPlace* place, const char* path, const BerthIoOptions* options) {
    FileBytes urdf = {0};
    if (bi_io_read_file(path, 0, NULL, &urdf) != BERTH_OK) {
        bench_die(path);
    }
    char* text = malloc(urdf.size + 1);
    memcpy(text, urdf.data, urdf.size);
    text[urdf.size] = 0;
    strip_links(place->keep, text);

    BerthScene* scene = NULL;
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.own = true;
    def.world_from_base.t = (BerthVec3){-place->root.x, -place->root.y, -place->root.z};
    const RobotText given = {path, text, urdf.size};
    const RobotRequest ask = {.robot = berth_default_robot_options(), .options = options};
    if (bi_io_robot_from_text(&given, NULL, &ask, &def.robot) != BERTH_OK ||
        berth_scene_create(NULL, &scene) != BERTH_OK ||
        berth_scene_add_robot(scene, &def, NULL) != BERTH_OK) {
        bench_die(path);
    }
    free(text);
    bi_io_free_file(&urdf);
    return scene;
}

static BerthScene* read_robot(const BenchPlace* place, BerthIoOptions* options) {
    char path[4096], srdf_path[4096];
    snprintf(path, sizeof path, "%s/robots/%s", BERTH_SHARED_DIR, place->urdf);
    if (place->keep != NULL) {
        return read_some_links(place, path, options);
    }
    BerthScene* scene = NULL;
    snprintf(srdf_path, sizeof srdf_path, "%s/robots/%s", BERTH_SHARED_DIR, place->srdf);
    options->srdf = srdf_path;
    if (berth_io_read_scene(path, options, &scene) != BERTH_OK) {
        bench_die(path);
    }
    options->srdf = NULL;
    return scene;
}

Setting bench_open(const BenchPlace* place, int count) {
    Setting s = {.label = place->label};
    char path[4096];
    BerthIoOptions options = berth_default_io_options();
    s.scene = read_robot(place, &options);
    // The first problem of that name gives the obstacles.
    snprintf(path, sizeof path, "%s/problems/panda.jsonl", BERTH_SHARED_DIR);
    FILE* file = fopen(path, "r");
    char* line = NULL;
    size_t size = 0;
    char key[256];
    // "bookshelf_small" is the first of that set, "bookshelf_small/0003" that one.
    snprintf(key, sizeof key, strchr(place->problem, '/') != NULL ? "{\"name\": \"%s\"" : "{\"name\": \"%s/",
             place->problem);
    BerthProblem found = {0};
    while (file != NULL && getline(&line, &size, file) > 0) {
        if (strncmp(line, key, strlen(key)) == 0) {
            // Only the objects are wanted: start and goal are the Panda's, so zeros stand in for them.
            char zeros[1024] = "0";
            for (int32_t i = 1; i < s.scene->value_count && i < 200; ++i) {
                strcat(zeros, ",0");
            }
            const size_t kept = (size_t)(strstr(line, ", \"start\"") - line);
            line = realloc(line, kept + 2 * sizeof zeros + 64);
            snprintf(line + kept, 2 * sizeof zeros + 64, ", \"start\": [%s], \"goals\": [[%s]]}", zeros,
                     zeros);
            const BerthProblemText text = {line, strlen(line), path, 1};
            if (berth_io_read_problem(&text, &options, s.scene, &found) != BERTH_OK) {
                bench_die(path);
            }
            break;
        }
    }
    free(line);
    fclose(file);
    berth_io_free_problem(NULL, &found);
    set_up(&s, count);
    return s;
}

void bench_close(Setting* s) {
    peer_fcl_world_destroy(s->peer);
    berth_checker_destroy(s->checker);
    berth_scene_destroy(s->scene);
    free(s->states);
    free(s->poses);
}
