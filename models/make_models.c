// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// make_models FOLDER: writes every model into FOLDER/NAME/.

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "models/models.h"

int main(int argc, char** argv) {
    if (argc != 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: make_models FOLDER\nWrites into FOLDER/NAME/:\n");
        for (int i = 0; i < bi_model_count; ++i) {
            fprintf(stderr, "  %-10s %s\n", bi_models[i].name, bi_models[i].about);
        }
        return 2;
    }
    if (mkdir(argv[1], 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "make_models: %s: %s\n", argv[1], strerror(errno));
        return 4;
    }
    for (int i = 0; i < bi_model_count; ++i) {
        if (!bi_model_write(&bi_models[i], argv[1])) {
            fprintf(stderr, "make_models: %s/%s: %s\n", argv[1], bi_models[i].name, strerror(errno));
            return 4;
        }
    }
    return 0;
}
