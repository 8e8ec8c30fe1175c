// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The guard's index: the figures of paper 000 on its testbed and tasks, and side by side with FCL's dynamic tree and Bullet's in
// one run. Rows of docs/results/paper000.md, which bench/pages000.py makes.
//   bench_monitor [paper|rivals] [SHARE]      SHARE of the cycles of the rivals, 1 unless told

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/testbed.h"

int main(int argc, char** argv) {
    const char* part = argc > 1 ? argv[1] : "";
    const double share = argc > 2 ? strtod(argv[2], NULL) : 1.0;
    if (!(share > 0.0) ||
        (strcmp(part, "") != 0 && strcmp(part, "paper") != 0 && strcmp(part, "rivals") != 0)) {
        fprintf(stderr, "usage: bench_monitor [paper|rivals] [SHARE]\n");
        return 2;
    }
    printf("table,series,x,value,machine,compiler,commit\n");
    if (strcmp(part, "rivals") != 0) {
        bench_paper000();
    }
    if (strcmp(part, "paper") != 0) {
        bench_rivals((int)(8000 * share));
    }
    return 0;
}
