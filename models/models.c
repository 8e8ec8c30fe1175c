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
    {"tori", "two skinny 20-joint arms (320 triangles each) and three thin rings (6,000 each)",
     bi_write_tori},
    {"cage6", "a 6-joint arm (2,990 triangles) in a cage of thin bars (432)", bi_write_cage6},
    {"cage6_gun", "a 6-joint arm with a welding gun (2,502) in a cage of thin bars (432)",
     bi_write_cage6_gun},
    {"lattice20", "a skinny 20-joint arm (320) in a lattice of bars (384)", bi_write_lattice20},
    {"machine", "the arm with the welding gun (2,502) at a machine tool (34,170)", bi_write_machine},
    {"workshop", "a 6-joint arm (5,450) in a workshop (74,680)", bi_write_workshop},
    {"car6", "six arms with welding guns (3,594 each) around a car body (19,668)", bi_write_car6},
    {"car6_small", "six arms with welding guns (2,502 each) around a car body (4,016)", bi_write_car6_small},
    {"graze_a", "a tool that passes close above a floor (8,000) during a whole turn", bi_write_graze_a},
    {"graze_b", "a tool that passes close above a wide box (48,000)", bi_write_graze_b},
    {"graze_c", "a tool that passes close above a narrow box (48,000)", bi_write_graze_c},
    {"humanoid23", "a humanoid of 23 joints in five subsystems (16,440)", bi_write_humanoid23},
    {"kitchen", "the humanoid in a kitchen (95,000)", bi_write_kitchen},
    {"arm159", "a 7-joint arm of capsules for 159 balls, a floor, a table with a box, a wall",
     bi_write_arm159},
    {"touch", "the five objects of paper 003, a follower that touches one, a recorded hand", bi_write_touch},
    {"touch_parts", "two parts of 64 convex pieces each (9,984), one on the other", bi_write_touch_parts},
    {"touch_mug", "a hollow mug with an ear above a table", bi_write_touch_mug},
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
