// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// make_models FOLDER [ZETA]: writes every model into FOLDER/NAME/, the grazing ones with clearance ZETA.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "models/models.h"

static int usage(void) {
    fprintf(stderr,
            "usage: make_models FOLDER [ZETA]\n"
            "ZETA: clearance of the grazing paths, 1e-6 to 0.3 m (default %g)\n"
            "Writes into FOLDER/NAME/:\n",
            GRAZE_ZETA);
    for (int i = 0; i < bi_model_count; ++i) {
        fprintf(stderr, "  %-10s %s\n", bi_models[i].name, bi_models[i].about);
    }
    return 2;
}

static int failed(const char* parent, const char* name) {
    fprintf(stderr, "make_models: %s/%s: %s\n", parent, name, strerror(errno));
    return 4;
}

// Over what was written with the default clearance.
static int write_grazing(const char* parent, double zeta) {
    static const char* const names[] = {"graze_a", "graze_b", "graze_c"};
    for (int i = 0; i < 3; ++i) {
        char folder[4096];
        const int length = snprintf(folder, sizeof folder, "%s/%s", parent, names[i]);
        if (length < 0 || (size_t)length >= sizeof folder || !bi_write_graze(folder, (GrazeCase)i, zeta)) {
            return failed(parent, names[i]);
        }
    }
    return 0;
}

int main(int argc, char** argv) {
    double zeta = GRAZE_ZETA;
    if (argc == 3) {
        char* end = NULL;
        zeta = strtod(argv[2], &end);
        if (*end != '\0' || !(zeta >= 1e-6 && zeta <= 0.3)) {
            return usage();
        }
    }
    if ((argc != 2 && argc != 3) || argv[1][0] == '-') {
        return usage();
    }
    if (mkdir(argv[1], 0777) != 0 && errno != EEXIST) {
        return failed(argv[1], "");
    }
    for (int i = 0; i < bi_model_count; ++i) {
        if (!bi_model_write(&bi_models[i], argv[1])) {
            return failed(argv[1], bi_models[i].name);
        }
    }
    return argc == 3 ? write_grazing(argv[1], zeta) : 0;
}
