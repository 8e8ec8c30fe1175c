// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth batch: one process of two threads against two processes of one thread, each with half of the rows, in the same run;
// and what a state costs. Usage: bench_batch [STATES [ROUNDS]]. States are of the Panda at a table with a shelf.

#include <berth/berth.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "math/math.h"
#include "support/cell.h"
#include "support/clock.h"

extern char** environ;

enum { ROUNDS_MAX = 25, PIECE = 10000, NPY_HEADER = 128 };

static const char folder[] = BERTH_BUILD_DIR "/batch_files";
static const char scene_path[] = BERTH_BUILD_DIR "/batch_files/cell.yaml";

// ---- what is asked -----------------------------------------------------------------------------------------------

static void write_scene(void) {
    (void)mkdir(folder, 0777);
    FILE* file = fopen(scene_path, "w");
    if (file == NULL) {
        bench_die(scene_path);
    }
    fprintf(file,
            "berth: 1\nrobots:\n  - urdf: %s/robots/panda_mbm/panda.urdf\n    srdf: "
            "%s/robots/panda_mbm/panda.srdf\nobjects:\n"
            "  - {name: table, box: {size: [0.8, 1.4, 0.05]}, pose: {xyz: [0.75, 0, 0.15]}}\n"
            "  - {name: left, box: {size: [0.4, 0.03, 0.8]}, pose: {xyz: [0.8, 0.4, 0.6]}}\n"
            "  - {name: right, box: {size: [0.4, 0.03, 0.8]}, pose: {xyz: [0.8, -0.4, 0.6]}}\n"
            "  - {name: middle, box: {size: [0.4, 0.8, 0.03]}, pose: {xyz: [0.8, 0, 0.6]}}\n"
            "  - {name: top, box: {size: [0.4, 0.8, 0.03]}, pose: {xyz: [0.8, 0, 1.0]}}\n",
            BERTH_SHARED_DIR, BERTH_SHARED_DIR);
    fclose(file);
}

static void write_header(FILE* file, long rows, int values) {
    char header[NPY_HEADER];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    const int length =
        snprintf(header + 10, sizeof header - 10,
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (%ld, %d), }", rows, values);
    header[10 + length] = ' ';
    header[NPY_HEADER - 1] = '\n';
    fwrite(header, 1, sizeof header, file);
}

// Random states within limits; the same for the same seed.
static void write_states(const BerthScene* scene, const char* name, long rows, uint64_t seed) {
    const int values = berth_scene_value_count(scene);
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "wb");
    double* row = calloc((size_t)values, sizeof *row);
    if (file == NULL || row == NULL) {
        bench_die(path);
    }

    Random random = {seed};
    write_header(file, rows, values);
    for (long i = 0; i < rows; ++i) {
        for (int32_t k = 0; k < berth_robot_joint_count(robot); ++k) {
            const BerthJointInfo joint = berth_robot_joint(robot, k);
            if (joint.first_value >= 0) {
                row[joint.first_value] = bi_random_between(&random, joint.lower, joint.upper);
            }
        }
        fwrite(row, sizeof *row, (size_t)values, file);
    }
    if (fclose(file) != 0) {
        bench_die(path);
    }
    free(row);
}

// ---- running -----------------------------------------------------------------------------------------------------

static pid_t start(const char* states, const char* output, const char* threads) {
    char in[4096], out[4096];
    snprintf(in, sizeof in, "%s/%s", folder, states);
    snprintf(out, sizeof out, "%s/%s", folder, output);
    const char* const argv[] = {BERTH_BUILD_DIR "/berth",
                                "batch",
                                scene_path,
                                in,
                                "-o",
                                out,
                                "--threads",
                                threads,
                                "--quiet",
                                "--json",
                                "--force",
                                NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    pid_t child = 0;
    if (posix_spawn(&child, argv[0], &actions, NULL, (char* const*)argv, environ) != 0) {
        bench_die(argv[0]);
    }
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

// Processor time of all that ran: what is left to say of a machine that does other things as well.
static void finish(pid_t child, double* cpu) {
    int status = 0;
    struct rusage used;
    if (wait4(child, &status, 0, &used) != child || status != 0) {
        fprintf(stderr, "berth batch failed\n");
        exit(1);
    }
    *cpu += (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
    *cpu += (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
}

static double one_process(double* cpu) {
    const double begin = bench_now();
    finish(start("all.npy", "all_out.npy", "2"), cpu);
    return bench_now() - begin;
}

static double two_processes(double* cpu) {
    const double begin = bench_now();
    const pid_t first = start("first.npy", "first_out.npy", "1");
    const pid_t second = start("second.npy", "second_out.npy", "1");
    finish(first, cpu);
    finish(second, cpu);
    return bench_now() - begin;
}

int main(int argc, char** argv) {
    const long states = argc > 1 ? atol(argv[1]) : 10000000;
    const int rounds = argc > 2 ? atoi(argv[2]) : 3;
    if (states < 2 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: bench_batch [STATES [ROUNDS]]\n");
        return 2;
    }

    write_scene();
    BerthScene* scene = NULL;
    if (berth_io_read_scene(scene_path, NULL, &scene) != BERTH_OK) {
        bench_die(scene_path);
    }
    write_states(scene, "all.npy", states, 1);
    write_states(scene, "first.npy", states / 2, 1);
    write_states(scene, "second.npy", states - states / 2, 2);
    berth_scene_destroy(scene);

    // In turn, so that what else the machine does is spread over both.
    double one[ROUNDS_MAX], two[ROUNDS_MAX], ratio[ROUNDS_MAX], one_cpu = 0.0, two_cpu = 0.0;
    for (int i = 0; i < rounds; ++i) {
        one[i] = one_process(&one_cpu);
        two[i] = two_processes(&two_cpu);
        ratio[i] = two[i] / one[i];
        fprintf(stderr, "round %d: 2 threads %.2f s, 2 processes %.2f s, ratio %.3f\n", i + 1, one[i], two[i],
                ratio[i]);
    }
    const double seconds = bench_median(one, rounds), apart = bench_median(two, rounds);
    const double asked = (double)states * rounds;
    printf(
        "bench,setting,states,rounds,threads_2_per_s,processes_2_per_s,ratio,threads_2_cpu_us,processes_2_"
        "cpu_us,"
        "machine,compiler,commit\n");
    printf("batch,panda table,%ld,%d,%.6g,%.6g,%.3f,%.3f,%.3f,", states, rounds, (double)states / seconds,
           (double)states / apart, bench_median(ratio, rounds), 1e6 * one_cpu / asked, 1e6 * two_cpu / asked);
    bench_print_who();
    printf("\n");
    return 0;
}
