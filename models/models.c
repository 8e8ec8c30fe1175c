// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The list of models.

#include "models/models.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

const Model bi_models[] = {
    {"two_arms", "two 7-joint arms of capsules among 21 fixed boxes: 35 primitives", bi_write_two_arms},
    {"arm6", "a 6-joint industrial arm of closed meshes, a table, a fence and a part", bi_write_arm6},
    {"room", "a 4-joint arm among one object of every primitive kind", bi_write_room},
};
const int bi_model_count = (int)(sizeof bi_models / sizeof bi_models[0]);

bool bi_model_write(const Model* model, const char* parent) {
    char folder[4096];
    const int length = snprintf(folder, sizeof folder, "%s/%s", parent, model->name);
    if (length < 0 || (size_t)length >= sizeof folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return false;
    }
    return model->write(folder);
}
