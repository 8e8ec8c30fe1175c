// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Covering spheres over their number: volume of the union over the body's, and how far they protrude, for links of the
// shared robots; beside balls in the cells of a grid, of an octree, and of k-means clusters. All are proven covers: the
// rivals' balls grow, by the same proof, until nothing is outside. bench/pages_cover.py plots the last run.
// usage: bench_cover [MOST]     (most balls of a link, 32; more take longer)

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cover/many.h"
#include "cover/starts.h"
#include "robot/robot.h"
#include "support/cell.h"
#include "support/clock.h"

enum { POINTS = 5000, CELLS = 12000, MEANS_ROUNDS = 30 };

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool never(void* user) {
    (void)user;
    return false;
}

static const CoverStop no_stop = {never, NULL};

static void row(const char* body, const char* way, int32_t asked, int32_t count, double ratio, double reach,
                double seconds) {
    printf("cover,%s,%s,%d,%d,%.5g,%.5g,%.4g,", body, way, (int)asked, (int)count, ratio, 1e3 * reach,
           seconds);
    bench_print_who();
    printf("\n");
    fprintf(stderr, "  %-16s %-8s %3d asked, %3d balls: volume %.3f, protrusion %.1f mm, %.1f s\n", body, way,
            (int)asked, (int)count, ratio, 1e3 * reach, seconds);
}

// Grows the balls until the body is inside, and measures them.
static void tell_rival(CoverBody* body, const char* name, const char* way, int32_t asked, Ball* balls,
                       int32_t count, double solid) {
    for (int32_t i = 0; i < count; ++i) {
        balls[i].radius = fmax(balls[i].radius / (1.0 - BI_COVER_SKIN), body->radius_min);
    }
    CoverProof proof = {.covered = false};
    const CoverQuestion question = {.leaf = body->diagonal / 1500.0, .grow = true, .stop = no_stop};
    for (int32_t round = 0; round < 4 && !proof.covered; ++round) {
        if (bi_cover_prove(body, balls, count, &question, &proof) != BERTH_OK) {
            bench_die("proof");
        }
    }

    const CoverLines lines = bi_cover_lines(body);
    double reach = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        reach = fmax(reach, bi_cover_protrusion(body, &balls[i]));
    }
    row(name, way, asked, count, bi_cover_union_volume(balls, count, &lines) / solid, reach, 0.0);
}

// The finest of its kind that has at most `count` balls.
static int32_t last_start(CoverFit* fit, int kind, int32_t count, Ball* out) {
    CoverStarts starts;
    if (bi_cover_starts_create(fit, &starts) != BERTH_OK) {
        bench_die("starts");
    }
    for (int other = 0; other < COVER_START_COUNT; ++other) {
        starts.kinds[other].ended = other != kind;
    }

    const CoverStart* start = NULL;
    int32_t found = 0;
    while (bi_cover_next_start(&starts, count, &start) == BERTH_OK && start != NULL) {
        memcpy(out, start->balls, (size_t)start->count * sizeof *out);
        found = start->count;
    }
    return found;
}

// Lloyd's rounds from evenly chosen points; then the smallest ball around each cluster.
static int32_t k_means(const CoverFit* fit, int32_t count, Ball* out) {
    const size_t points = fit->points.count;
    int32_t* owner = calloc(points, sizeof *owner);
    Vec3* sum = calloc((size_t)count, sizeof *sum);
    int32_t* size = calloc((size_t)count, sizeof *size);
    Vec3* own = calloc(points, sizeof *own);
    if (owner == NULL || sum == NULL || size == NULL || own == NULL) {
        bench_die("memory");
    }

    for (int32_t k = 0; k < count; ++k) {
        out[k].centre = fit->points.at[points * (size_t)k / (size_t)count];
    }
    for (int32_t round = 0; round < MEANS_ROUNDS; ++round) {
        memset(sum, 0, (size_t)count * sizeof *sum);
        memset(size, 0, (size_t)count * sizeof *size);
        for (size_t i = 0; i < points; ++i) {
            double least = INFINITY;
            for (int32_t k = 0; k < count; ++k) {
                const double away = v3_length_sq(v3_sub(fit->points.at[i], out[k].centre));
                if (away < least) {
                    least = away;
                    owner[i] = k;
                }
            }
            sum[owner[i]] = v3_add(sum[owner[i]], fit->points.at[i]);
            size[owner[i]] += 1;
        }
        for (int32_t k = 0; k < count; ++k) {
            out[k].centre = size[k] > 0 ? v3_scale(sum[k], 1.0 / size[k]) : out[k].centre;
        }
    }

    for (int32_t k = 0; k < count; ++k) {
        int32_t own_count = 0;
        for (size_t i = 0; i < points; ++i) {
            if (owner[i] == k) {
                own[own_count++] = fit->points.at[i];
            }
        }
        out[k] = own_count > 0 ? bi_ball_smallest(own, own_count) : (Ball){out[k].centre, 0.0};
    }
    free(owner);
    free(sum);
    free(size);
    free(own);
    return count;
}

static void tell_rivals(const BerthRobot* robot, int32_t link, const char* name, int32_t most, double solid) {
    const RobotLink* info = &robot->links[link];
    CoverPiece pieces[16];
    for (int32_t i = 0; i < info->solid_count && i < 16; ++i) {
        const RobotSolid* one = &robot->solids[info->first_solid + i];
        pieces[i] = (CoverPiece){one->solid, one->link_from_solid};
    }
    CoverBody* body = NULL;
    CoverFit fit;
    if (bi_cover_body_create(pieces, info->solid_count, BERTH_METRIC_L2, NULL, &body) != BERTH_OK ||
        bi_cover_start(body, POINTS, CELLS, 1, no_stop, &fit) != BERTH_OK) {
        bench_die("body");
    }

    static Ball balls[BI_COVER_BALLS_MAX];
    for (int32_t count = 4; count <= most; count *= 2) {
        const int32_t grid = last_start(&fit, COVER_START_GRID, count, balls);
        tell_rival(body, name, "grid", count, balls, grid, solid);
        const int32_t octree = last_start(&fit, COVER_START_OCTREE, count, balls);
        tell_rival(body, name, "octree", count, balls, octree, solid);
        tell_rival(body, name, "k-means", count, balls, k_means(&fit, count, balls), solid);
    }
    bi_cover_body_destroy(body);
}

static void tell_link(const BerthRobot* robot, const char* robot_name, const char* link_name, int32_t most) {
    const int32_t link = berth_robot_find_link(robot, link_name);
    if (link < 0) {
        fprintf(stderr, "  SKIP: %s has no link %s\n", robot_name, link_name);
        return;
    }

    char name[128];
    snprintf(name, sizeof name, "%s %s", robot_name, link_name);
    double solid = 1.0;
    for (int32_t count = 4; count <= most; count *= 2) {
        BerthSpheresDef def = berth_default_spheres_def();
        def.count = count;
        BerthSpheres* spheres = NULL;
        const double start = cpu_now();
        if (berth_robot_fit_spheres(robot, link, &def, &spheres) != BERTH_OK) {
            bench_die("fit");
        }
        const BerthSphereGroup group = berth_spheres_group(spheres, link);
        if (!(group.solid_volume > 0.0)) {
            fprintf(stderr, "  SKIP: %s has open meshes, so it has no volume\n", name);
            berth_spheres_destroy(spheres);
            return;
        }
        solid = group.solid_volume;
        row(name, "berth", count, group.count, group.volume / solid, group.protrusion, cpu_now() - start);
        berth_spheres_destroy(spheres);
    }
    tell_rivals(robot, link, name, most, solid);
}

int main(int count, char** arguments) {
    static const struct {
        const char* name;
        const char* file;
        const char* links[3];
    } robots[] = {
        {"panda", "moveit_resources_panda_description/urdf/panda.urdf", {"panda_link5", "panda_hand", NULL}},
        {"fanuc", "moveit_resources_fanuc_description/urdf/fanuc.urdf", {"link_2", "link_4", NULL}},
        {"pr2", "moveit_resources_pr2_description/urdf/robot.xml", {"r_upper_arm_link", "base_link", NULL}},
    };
    const int asked = count > 1 ? atoi(arguments[1]) : 32;
    printf(
        "bench,body,way,asked,balls,volume_over_solid,protrusion_mm,processor_s,machine,compiler,commit\n");

    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; ++i) {
        char path[4096];
        snprintf(path, sizeof path, "%s/robots/%s", BERTH_SHARED_DIR, robots[i].file);
        const BerthIoOptions options = berth_default_io_options();
        BerthRobot* robot = NULL;
        if (berth_io_read_robot(path, NULL, &options, &robot) != BERTH_OK) {
            fprintf(stderr, "  SKIP: %s\n", berth_error_text());
            continue;
        }
        for (int k = 0; robots[i].links[k] != NULL; ++k) {
            tell_link(robot, robots[i].name, robots[i].links[k], asked < BI_COVER_BALLS_MAX ? asked : 64);
        }
        berth_robot_destroy(robot);
    }
    return 0;
}
