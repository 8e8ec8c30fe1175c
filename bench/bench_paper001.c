// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Paper 001's tables and figures, measured again on models of its sizes and printed beside its own. Counts are what can be
// compared; times are ratios. `./dev bench motion` runs it after the comparison with FCL; `./dev bench plan paper` its experiments with
// planners, which take longest and are run by name only.
// usage: bench_paper001 [PART ...] [SHARE]      SHARE of the paper's thousand segments; without parts: all

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper001/paper.h"
#include "support/clock.h"

static const struct {
    const char* name;
    const char* group;
    void (*run)(PaperScale scale);
} parts[] = {
    {"table1", "tables", paper_table1},      {"table3", "tables", paper_table3},
    {"table8", "tables", paper_table8},      {"table11", "tables", paper_table11},
    {"distance", "choices", paper_distance}, {"covers", "choices", paper_covers},
    {"order", "choices", paper_order},       {"lambda", "figures", paper_lambda},
    {"trace", "figures", paper_trace},       {"growth", "figures", paper_growth},
    {"table4", "planning", paper_table4},    {"table4_six", "planning", paper_table4_six},
    {"table7", "planning", paper_table7},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static bool is_part(const char* word, int part) {
    return strcmp(word, parts[part].name) == 0 || strcmp(word, parts[part].group) == 0;
}

int main(int argc, char** argv) {
    bool wanted[PARTS] = {false};
    int named = 0;
    PaperScale scale = {.share = 1.0, .seconds = 12.0};
    for (int i = 1; i < argc; ++i) {
        bool known = false;
        for (int p = 0; p < PARTS; ++p) {
            known = known || is_part(argv[i], p);
            wanted[p] = wanted[p] || is_part(argv[i], p);
        }
        named += known;
        if (!known && !(strtod(argv[i], NULL) > 0.0)) {
            fprintf(stderr, "bench: no part is called '%s'; there are: tables choices figures planning",
                    argv[i]);
            for (int p = 0; p < PARTS; ++p) {
                fprintf(stderr, " %s", parts[p].name);
            }
            fprintf(stderr, "\n");
            return 2;
        }
        scale.share = known ? scale.share : strtod(argv[i], NULL);
    }
    scale.seconds *= scale.share;
    printf("bench,part,row,column,paper,ours,machine,compiler,commit\n");
    for (int p = 0; p < PARTS; ++p) {
        const bool by_name_only = strcmp(parts[p].group, "planning") == 0;
        if ((named == 0 && !by_name_only) || wanted[p]) {
            const double t0 = bench_now();
            parts[p].run(scale);
            fprintf(stderr, "(%s: %.0f s)\n\n", parts[p].name, bench_now() - t0);
            fflush(stdout);
        }
    }
    return 0;
}
