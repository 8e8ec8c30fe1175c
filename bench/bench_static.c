// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Static checks side by side with FCL from Debian, one thread, in one run: whole robots in scenes (verdict and
// minimum distance), the mesh pair env/rob, allocations in 100,000 queries, memory a triangle.
//
// FCL gets its poses for free (kinematics is not timed for it), a broad phase over the obstacles that is set up
// once, and the same list of self pairs. berth is timed from joint values to answer. Blocks alternate; the ratio is
// the median over blocks. Answers of both are compared for every configuration.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <berth/berth.h>

#include "check/check.h"
#include "oracle/peer_fcl.h"
#include "support/clock.h"

enum { BLOCKS = 9 };

static int64_t allocation_count;

static void* counting_take(void* user, size_t size, size_t align) {
    (void)user;
    allocation_count += 1;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void counting_give(void* user, void* block, size_t size) {
    (void)user;
    (void)size;
    free(block);
}

static void die(const char* what) {
    fprintf(stderr, "bench static: %s: %s\n", what, berth_error_text());
    exit(2);
}

static void to_rows(const Pose* p, double out[12]) {
    const double rows[12] = {p->x.x, p->y.x, p->z.x, p->x.y, p->y.y, p->z.y,
                             p->x.z, p->y.z, p->z.z, p->t.x, p->t.y, p->t.z};
    memcpy(out, rows, sizeof rows);
}

static PeerFcl* peer_of(const BerthSolid* solid) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    if (mesh != NULL) {
        const BerthMeshInfo info = berth_mesh_info(mesh);
        return peer_fcl_mesh((const double*)berth_mesh_vertices(mesh), info.vertex_count,
                             berth_mesh_triangles(mesh), info.triangle_count);
    }
    const BerthShape* s = berth_solid_shape(solid);
    switch (s->kind) {
    case BERTH_SPHERE:
        return peer_fcl_sphere(s->as.sphere.radius);
    case BERTH_CAPSULE:
        return peer_fcl_capsule(s->as.capsule.radius, s->as.capsule.length);
    case BERTH_BOX:
        return peer_fcl_box(2 * s->as.box.half.x, 2 * s->as.box.half.y, 2 * s->as.box.half.z);
    case BERTH_CYLINDER:
        return peer_fcl_cylinder(s->as.cylinder.radius, s->as.cylinder.length);
    case BERTH_CONE:
        return peer_fcl_cone(s->as.cone.radius, s->as.cone.length);
    default:
        die("a shape that the peer has not");
        return NULL;
    }
}

typedef struct Setting {
    const char* label;
    BerthScene* scene;
    BerthChecker* checker;
    PeerFclWorld* peer;
    int32_t body_parts;  // parts of robots come first in the scene
    double* states;      // count rows
    double* poses;       // count rows of 12 * body_parts
    int count;
} Setting;

static void set_up_peer(Setting* s) {
    const BerthScene* scene = s->scene;
    s->peer = peer_fcl_world_create();
    int32_t* peer_body = calloc((size_t)scene->part_count, sizeof *peer_body);
    for (int32_t i = 0; i < scene->body_count; ++i) {
        const SceneBody* body = &scene->bodies[i];
        for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
            PeerFcl* geometry = peer_of(scene->parts[p].solid);
            if (body->robot >= 0) {
                peer_body[p] = peer_fcl_world_add_body(s->peer, geometry);
                s->body_parts = p + 1;
            } else {
                double pose[12];
                to_rows(&scene->parts[p].frame_from_part, pose);
                peer_fcl_world_add_obstacle(s->peer, geometry, pose);
            }
            peer_fcl_destroy(geometry);
        }
    }
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const SceneBody* a = &scene->bodies[scene->pairs[i].body_a];
        const SceneBody* b = &scene->bodies[scene->pairs[i].body_b];
        for (int32_t p = 0; a->robot >= 0 && b->robot >= 0 && p < a->part_count; ++p) {
            for (int32_t q = 0; q < b->part_count; ++q) {
                peer_fcl_world_add_self_pair(s->peer, peer_body[a->first_part + p],
                                             peer_body[b->first_part + q]);
            }
        }
    }
    free(peer_body);
    peer_fcl_world_setup(s->peer);
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
            to_rows(&s->checker->world_from_part[p],
                    s->poses + ((size_t)i * (size_t)s->body_parts + (size_t)p) * 12);
        }
    }
}

static Setting open_setting(const char* label, const char* urdf, const char* srdf, const char* problem,
                            int count) {
    Setting s = {.label = label};
    char path[4096];
    BerthIoOptions options = berth_default_io_options();
    snprintf(path, sizeof path, "%s/robots/%s", BERTH_SHARED_DIR, urdf);
    char srdf_path[4096];
    snprintf(srdf_path, sizeof srdf_path, "%s/robots/%s", BERTH_SHARED_DIR, srdf);
    options.srdf = srdf_path;
    if (berth_io_read_scene(path, &options, &s.scene) != BERTH_OK) {
        die(path);
    }
    // The first problem of that name gives the obstacles.
    snprintf(path, sizeof path, "%s/problems/panda.jsonl", BERTH_SHARED_DIR);
    FILE* file = fopen(path, "r");
    char* line = NULL;
    size_t size = 0;
    char key[256];
    snprintf(key, sizeof key, "{\"name\": \"%s/", problem);
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
            if (berth_io_read_problem(line, strlen(line), path, 1, &options, s.scene, &found) != BERTH_OK) {
                die(path);
            }
            break;
        }
    }
    free(line);
    fclose(file);
    berth_io_free_problem(NULL, &found);
    if (berth_scene_commit(s.scene) != BERTH_OK) {
        die("commit");
    }
    BerthCheckerDef def = berth_default_checker_def();
    def.allocator = (BerthAllocator){counting_take, counting_give, NULL};
    if (berth_checker_create(s.scene, &def, &s.checker) != BERTH_OK) {
        die("checker");
    }
    set_up_peer(&s);
    set_up_states(&s, count, 1);
    return s;
}

static void close_setting(Setting* s) {
    peer_fcl_world_destroy(s->peer);
    berth_checker_destroy(s->checker);
    berth_scene_destroy(s->scene);
    free(s->states);
    free(s->poses);
}

static void report(const char* label, const char* question, double ours, double theirs, double ratio,
                   int differ, int hits, int count) {
    fprintf(stderr, "%-34s %-22s berth %9.1f/s   FCL %9.1f/s   ratio %5.2f   (%d of %d collide, %d differ)\n",
            label, question, 1.0 / ours, 1.0 / theirs, ratio, hits, count, differ);
    printf("static,%s,%s,%.6g,%.6g,%.4g,%d,%d,%d,", label, question, 1.0 / ours, 1.0 / theirs, ratio, hits,
           count, differ);
    bench_print_who();
    printf("\n");
}

// One question on all states, in alternating blocks.
static void compare(Setting* s, bool distance) {
    const size_t values = (size_t)s->scene->value_count;
    const size_t poses = (size_t)s->body_parts * 12;
    double* our_answer = malloc((size_t)s->count * sizeof(double));
    double* peer_answer = malloc((size_t)s->count * sizeof(double));
    double ours[BLOCKS], theirs[BLOCKS], ratio[BLOCKS];
    const BerthCheckRequest request = {.distance = distance};
    for (int block = 0; block < BLOCKS; ++block) {
        const int begin = s->count * block / BLOCKS;
        const int end = s->count * (block + 1) / BLOCKS;
        const double t0 = bench_now();
        for (int i = begin; i < end; ++i) {
            BerthCheckResult result;
            berth_check_state(s->checker, s->states + (size_t)i * values, &request, &result);
            our_answer[i] = result.verdict == BERTH_HIT    ? -1.0
                            : result.verdict == BERTH_FREE ? result.clearance.upper
                                                           : (double)NAN;
        }
        const double t1 = bench_now();
        for (int i = begin; i < end; ++i) {
            const double* p = s->poses + (size_t)i * poses;
            peer_answer[i] = distance ? peer_fcl_world_distance_self(s->peer, p)
                                      : -(double)peer_fcl_world_check(s->peer, p);
        }
        const double t2 = bench_now();
        ours[block] = (t1 - t0) / (end - begin);
        theirs[block] = (t2 - t1) / (end - begin);
        ratio[block] = theirs[block] / ours[block];
    }
    int differ = 0, hits = 0;
    for (int i = 0; i < s->count; ++i) {
        hits += our_answer[i] < 0;
        const bool same = distance ? fabs(our_answer[i] - peer_answer[i]) < 1e-6 ||
                                         (our_answer[i] < 0 && peer_answer[i] < 1e-9)
                                   : (our_answer[i] < 0) == (peer_answer[i] < 0);
        differ += !same;
        if (!same && getenv("BERTH_BENCH_DIFFER") != NULL) {
            fprintf(stderr, "  state %d: berth %g FCL %g\n", i, our_answer[i], peer_answer[i]);
        }
    }
    report(s->label, distance ? "minimum distance" : "whole-robot check", bench_median(ours, BLOCKS),
           bench_median(theirs, BLOCKS), bench_median(ratio, BLOCKS), differ, hits, s->count);
    free(our_answer);
    free(peer_answer);
}

static void count_allocations(Setting* s) {
    const size_t values = (size_t)s->scene->value_count;
    const int64_t before = allocation_count;
    for (int i = 0; i < 100000; ++i) {
        BerthCheckResult result;
        const BerthCheckRequest request = {.distance = i % 10 == 0, .all = i % 20 == 0};
        berth_check_state(s->checker, s->states + (size_t)(i % s->count) * values, &request, &result);
    }
    fprintf(stderr, "%-34s %lld allocations in 100000 queries\n", s->label,
            (long long)(allocation_count - before));
    printf("static,%s,allocations in 100000 queries,%lld,,,,,,", s->label,
           (long long)(allocation_count - before));
    bench_print_who();
    printf("\n");
}

static BerthSolid* read_solid(const char* name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/meshes/%s", BERTH_SHARED_DIR, name);
    const BerthIoOptions options = berth_default_io_options();
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    if (berth_io_read_mesh(path, v3(1, 1, 1), &options, &mesh) != BERTH_OK ||
        berth_solid_from_mesh(mesh, NULL, &solid) != BERTH_OK) {
        die(path);
    }
    return solid;
}

static void compare_meshes(int count, double range, const char* label) {
    BerthSolid* env = read_solid("env.obj");
    BerthSolid* rob = read_solid("rob.obj");
    PeerFcl* peer_env = peer_of(env);
    PeerFcl* peer_rob = peer_of(rob);
    BerthTreeQuery* query = NULL;
    if (berth_tree_query_create(1 << 30, NULL, &query) != BERTH_OK) {
        die("query");
    }
    Pose* pose = malloc((size_t)count * sizeof *pose);
    double* rows = malloc((size_t)count * 12 * sizeof *rows);
    double still[12];
    const Pose at = pose_identity();
    to_rows(&at, still);
    Random random = {2};
    for (int i = 0; i < count; ++i) {
        pose[i] =
            bi_pose_from_unit_quat(bi_random_quat(&random), v3(bi_random_between(&random, -range, range),
                                                               bi_random_between(&random, -range, range),
                                                               bi_random_between(&random, -range, range)));
        to_rows(&pose[i], rows + 12 * (size_t)i);
    }
    for (int distance = 0; distance < 2; ++distance) {
        double ours[BLOCKS], theirs[BLOCKS], ratio[BLOCKS];
        int differ = 0, hits = 0;
        int64_t bv = 0, leaf = 0;
        for (int block = 0; block < BLOCKS; ++block) {
            const int begin = count * block / BLOCKS;
            const int end = count * (block + 1) / BLOCKS;
            double* answer = malloc((size_t)(end - begin) * sizeof *answer);
            const BerthTreeRequest request = berth_default_tree_request();
            const double t0 = bench_now();
            for (int i = begin; i < end; ++i) {
                const BerthTreeAnswer a = distance
                                              ? berth_tree_distance(query, env, &at, rob, &pose[i], &request)
                                              : berth_tree_collide(query, env, &at, rob, &pose[i], 0.0);
                answer[i - begin] = a.verdict == BERTH_HIT ? -1.0 : a.upper;
                bv += a.counters.bv_tests;
                leaf += a.counters.leaf_tests;
            }
            const double t1 = bench_now();
            for (int i = begin; i < end; ++i) {
                const double* p = rows + 12 * (size_t)i;
                const double peer = distance ? peer_fcl_distance(peer_env, still, peer_rob, p, NULL, NULL)
                                             : -(double)peer_fcl_collide(peer_env, still, peer_rob, p);
                hits += answer[i - begin] < 0;
                differ += distance ? fabs(answer[i - begin] - peer) > 1e-3 &&
                                         !(answer[i - begin] < 0 && peer < 1e-6)
                                   : (answer[i - begin] < 0) != (peer < 0);
            }
            const double t2 = bench_now();
            ours[block] = (t1 - t0) / (end - begin);
            theirs[block] = (t2 - t1) / (end - begin);
            ratio[block] = theirs[block] / ours[block];
            free(answer);
        }
        report(label, distance ? "mesh distance" : "mesh collide", bench_median(ours, BLOCKS),
               bench_median(theirs, BLOCKS), bench_median(ratio, BLOCKS), differ, hits, count);
        fprintf(stderr, "%-34s %-22s %.1f box pairs, %.1f triangle pairs a query\n", "", "",
                (double)bv / count, (double)leaf / count);
    }
    const BerthMeshInfo info = berth_mesh_info(berth_solid_mesh(env));
    fprintf(stderr, "%-34s %.0f bytes a triangle (mesh, box tree and RSS tree together)\n", label,
            (double)berth_solid_bytes(env) / info.triangle_count);
    free(pose);
    free(rows);
    peer_fcl_destroy(peer_env);
    peer_fcl_destroy(peer_rob);
    berth_tree_query_destroy(query);
    berth_solid_destroy(env);
    berth_solid_destroy(rob);
}

int main(int argc, char** argv) {
    const char* only = argc > 1 ? argv[1] : "";  // settings whose label holds this word
    static const char* const place[][5] = {
        // label, urdf, srdf, problem, "" or "not tuned on"
        {"panda bookshelf_small", "panda_mbm/panda.urdf", "panda_mbm/panda.srdf", "bookshelf_small"},
        {"panda cage", "panda_mbm/panda.urdf", "panda_mbm/panda.srdf", "cage"},
        {"panda table_pick", "panda_mbm/panda.urdf", "panda_mbm/panda.srdf", "table_pick"},
        {"fanuc table_under_pick (not tuned on)", "moveit_resources_fanuc_description/urdf/fanuc.urdf",
         "moveit_resources_fanuc_moveit_config/config/fanuc.srdf", "table_under_pick"},
        {"ur5 bookshelf_thin (not tuned on)", "example-robot-data/robots/ur_description/urdf/ur5_robot.urdf",
         "example-robot-data/robots/ur_description/srdf/ur5.srdf", "bookshelf_thin"},
    };
    printf(
        "bench,setting,question,berth_per_s,fcl_per_s,ratio,collide,count,differ,machine,compiler,commit\n");
    for (size_t i = 0; i < sizeof place / sizeof place[0]; ++i) {
        if (strstr(place[i][0], only) == NULL) {
            continue;
        }
        Setting s = open_setting(place[i][0], place[i][1], place[i][2], place[i][3], 10000);
        compare(&s, false);
        s.count = 2000;
        compare(&s, true);
        s.count = 10000;
        count_allocations(&s);
        close_setting(&s);
    }
    if (strstr("env.obj / rob.obj", only) != NULL) {
        compare_meshes(2000, 3000.0, "env.obj / rob.obj");
    }
    return 0;
}
