// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The kitchen of paper 002 (Figure 8), 95,000 triangles: a room with units in an L, sink, stove, fridge, table and
// chairs. Dishes, fruit and other small things are in kitchen_things.c. Each object is one mesh of closed pieces.

#include "models/kitchen.h"

#include <stdlib.h>

#include "math/math.h"
#include "models/models.h"

#define KITCHEN_TRIANGLES 95000

void bi_kitchen_put(Kitchen* kitchen, const char* owner, const Piece* parts, int count, BerthVec3 at,
                    int quarters) {
    static const int cosines[] = {1, 0, -1, 0}, sines[] = {0, 1, 0, -1};
    const int c = cosines[quarters & 3], s = sines[quarters & 3];
    for (int i = 0; i < count && kitchen->count < KITCHEN_PIECES_MAX; ++i) {
        Piece* piece = &kitchen->pieces[kitchen->count++];
        *piece = parts[i];
        piece->owner = owner;
        const Vec3 p = parts[i].place;
        piece->place = v3(at.x + c * p.x - s * p.y, at.y + s * p.x + c * p.y, at.z + p.z);
        piece->turn.z += quarters;  // a turn about z comes after the piece's own
    }
}

#define PUT KITCHEN_PUT
#define BOARD KITCHEN_BOARD

// ---- the room: x from -2.4 to 2.4, y from -2 to 2, open in front and above

static void add_room(Kitchen* k) {
    static const Piece ground[] = {
        {.size = {5.0, 4.2, 0.1}, .chamfer = 0.01, .place = {0, 0, -0.05}, .weight = 6}};
    static const Piece back[] = {
        BOARD(0.45, 0.1, 2.5, -2.175, 2.05, 1.25), BOARD(3.35, 0.1, 2.5, 0.725, 2.05, 1.25),
        BOARD(1.02, 0.09, 1.09, -1.45, 2.05, 0.55), BOARD(1.02, 0.09, 0.49, -1.45, 2.05, 2.25)};
    static const Piece left[] = {BOARD(0.1, 4.2, 2.5, -2.45, 0, 1.25)};
    static const Piece right[] = {BOARD(0.1, 2.3, 2.5, 2.45, 0.95, 1.25),
                                  BOARD(0.1, 1.0, 2.5, 2.45, -1.6, 1.25),
                                  BOARD(0.09, 0.92, 0.49, 2.45, -0.65, 2.25)};
    static const Piece window[] = {
        BOARD(0.05, 0.08, 0.85, -0.475, 0.04, 0.425), BOARD(0.05, 0.08, 0.85, 0.475, 0.04, 0.425),
        BOARD(0.92, 0.07, 0.05, 0, 0.04, 0.026),      BOARD(0.92, 0.07, 0.05, 0, 0.04, 0.824),
        BOARD(0.03, 0.04, 0.77, 0, 0.05, 0.425),      BOARD(0.91, 0.03, 0.03, 0, 0.05, 0.5),
        BOARD(1.06, 0.18, 0.03, 0, -0.03, -0.016),    BOARD(0.91, 0.008, 0.76, 0, 0.06, 0.425)};
    PUT(k, "floor", ground, 0, 0, 0, 0);
    PUT(k, "wall_back", back, 0, 0, 0, 0);
    PUT(k, "wall_left", left, 0, 0, 0, 0);
    PUT(k, "wall_right", right, 0, 0, 0, 0);
    PUT(k, "window", window, -1.45, 2.0, 1.1, 0);
}

// ---- units: fronts at y = 0 and facing -y, 0.6 m wide, standing on z = 0

static const Knot upright_bow[] = {{{0, 0.005, -0.07}, 0.007},
                                   {{0, -0.026, -0.06}, 0.006},
                                   {{0, -0.034, 0}, 0.006},
                                   {{0, -0.026, 0.06}, 0.006},
                                   {{0, 0.005, 0.07}, 0.007}};
static const Knot level_bow[] = {{{-0.08, 0.005, 0}, 0.007},
                                 {{-0.07, -0.026, 0}, 0.006},
                                 {{0, -0.034, 0}, 0.006},
                                 {{0.07, -0.026, 0}, 0.006},
                                 {{0.08, 0.005, 0}, 0.007}};
static const Knot long_bow[] = {{{0, 0.005, -0.26}, 0.011},
                                {{0, -0.04, -0.24}, 0.010},
                                {{0, -0.05, 0}, 0.010},
                                {{0, -0.04, 0.24}, 0.010},
                                {{0, 0.005, 0.26}, 0.011}};

#define BOW(table, x, y, z) \
    { TUBE(table), .sides = 12, .place = {(x), (y), (z)}, .weight = 2.2 }
#define FRONT(wide, high, x, z)                                                                     \
    {.size = {(wide), 0.02, (high)}, .chamfer = 0.005, .place = {(x), 0.01, (z)}, .weight = 0.4}, { \
        .size = {(wide)-0.14, 0.012, (high)-0.14}, .chamfer = 0.005, .place = {(x), -0.003, (z)},   \
        .weight = 0.4                                                                               \
    }
#define KNOB(x, z)                                                                               \
    {                                                                                            \
        .profile = {{0.022, 0}, {0.022, 0.006}, {0.017, 0.009}, {0.016, 0.025}, {0.012, 0.028}}, \
        .profile_count = 5, .place = {(x), 0.002, (z)}, .turn = {1, 0, 0}, .weight = 1.5         \
    }

static const Piece door_unit[] = {BOARD(0.58, 0.50, 0.10, 0, 0.30, 0.05),
                                  BOARD(0.598, 0.55, 0.755, 0, 0.296, 0.4785), FRONT(0.59, 0.74, 0, 0.48),
                                  BOW(upright_bow, 0.25, 0, 0.72)};
// Hollow, for the basin.
static const Piece sink_unit[] = {BOARD(0.58, 0.50, 0.10, 0, 0.30, 0.05),
                                  BOARD(0.018, 0.55, 0.755, -0.29, 0.296, 0.4785),
                                  BOARD(0.018, 0.55, 0.755, 0.29, 0.296, 0.4785),
                                  BOARD(0.57, 0.54, 0.02, 0, 0.296, 0.115),
                                  BOARD(0.57, 0.01, 0.74, 0, 0.56, 0.4785),
                                  FRONT(0.59, 0.74, 0, 0.48),
                                  BOW(upright_bow, 0.25, 0, 0.72)};
static const Piece drawer_unit[] = {BOARD(0.58, 0.50, 0.10, 0, 0.30, 0.05),
                                    BOARD(0.598, 0.55, 0.755, 0, 0.296, 0.4785),
                                    FRONT(0.59, 0.28, 0, 0.245),
                                    FRONT(0.59, 0.23, 0, 0.505),
                                    FRONT(0.59, 0.22, 0, 0.735),
                                    BOW(level_bow, 0, 0, 0.26),
                                    BOW(level_bow, 0, 0, 0.52),
                                    BOW(level_bow, 0, 0, 0.75)};
static const Piece dishwasher[] = {BOARD(0.58, 0.50, 0.10, 0, 0.30, 0.05),
                                   BOARD(0.598, 0.55, 0.755, 0, 0.296, 0.4785),
                                   BOARD(0.59, 0.03, 0.61, 0, 0.006, 0.415),
                                   BOARD(0.59, 0.03, 0.12, 0, 0.006, 0.79),
                                   BOW(level_bow, 0, -0.008, 0.66),
                                   KNOB(0.2, 0.79),
                                   KNOB(0.14, 0.79)};
static const Piece oven[] = {
    BOARD(0.58, 0.50, 0.10, 0, 0.30, 0.05),
    BOARD(0.598, 0.55, 0.755, 0, 0.296, 0.4785),
    BOARD(0.57, 0.03, 0.52, 0, 0.006, 0.40),
    {.size = {0.40, 0.01, 0.26}, .chamfer = 0.004, .place = {0, -0.01, 0.38}, .weight = 0.4},
    BOARD(0.57, 0.03, 0.14, 0, 0.006, 0.765),
    {TUBE(long_bow), .sides = 14, .place = {0, -0.008, 0.60}, .turn = {0, 1, 0}, .weight = 3},
    KNOB(-0.22, 0.765),
    KNOB(-0.11, 0.765),
    KNOB(0, 0.765),
    KNOB(0.11, 0.765),
    KNOB(0.22, 0.765)};
static const Piece wall_unit[] = {BOARD(0.598, 0.328, 0.70, 0, 0.185, 0.35), FRONT(0.59, 0.69, 0, 0.35),
                                  BOW(upright_bow, 0.25, 0, 0.11)};
// Its door stands open, hinged at the right.
static const Piece open_unit[] = {
    BOARD(0.02, 0.328, 0.70, -0.29, 0.185, 0.35),
    BOARD(0.02, 0.328, 0.70, 0.29, 0.185, 0.35),
    BOARD(0.57, 0.32, 0.02, 0, 0.185, 0.012),
    BOARD(0.57, 0.32, 0.02, 0, 0.185, 0.688),
    BOARD(0.57, 0.31, 0.02, 0, 0.188, 0.34),
    BOARD(0.57, 0.01, 0.67, 0, 0.340, 0.35),
    BOARD(0.02, 0.59, 0.69, 0.29, -0.285, 0.35),
    {.size = {0.012, 0.45, 0.55}, .chamfer = 0.005, .place = {0.302, -0.285, 0.35}, .weight = 0.4},
    {TUBE(upright_bow), .sides = 12, .place = {0.30, -0.54, 0.11}, .turn = {0, 0, 1}, .weight = 2.2}};
static const Piece fridge[] = {
    {.size = {0.62, 0.58, 1.86}, .chamfer = 0.02, .place = {0, 0.34, 0.95}, .weight = 1.5},
    {.size = {0.61, 0.05, 1.12}, .chamfer = 0.015, .place = {0, 0.02, 1.32}, .weight = 1},
    {.size = {0.61, 0.05, 0.66}, .chamfer = 0.015, .place = {0, 0.02, 0.41}, .weight = 1},
    {TUBE(long_bow), .sides = 14, .place = {-0.25, -0.004, 1.15}, .weight = 3},
    {TUBE(long_bow), .sides = 14, .place = {-0.25, -0.004, 0.46}, .weight = 3},
    {ROLLER(0.02, 0.02, 0.004), .place = {0.25, 0.1, 0.021}},
    {ROLLER(0.02, 0.02, 0.004), .place = {-0.25, 0.1, 0.021}}};

static void add_units(Kitchen* k) {
    PUT(k, "unit_sink", sink_unit, -1.45, 1.42, 0, 0);
    PUT(k, "dishwasher", dishwasher, -0.85, 1.42, 0, 0);
    PUT(k, "oven", oven, -0.25, 1.42, 0, 0);
    PUT(k, "unit_drawers", drawer_unit, 0.35, 1.42, 0, 0);
    PUT(k, "unit_right", door_unit, 0.95, 1.42, 0, 0);
    PUT(k, "unit_left_1", door_unit, -1.82, 1.05, 0, 1);
    PUT(k, "unit_left_2", drawer_unit, -1.82, 0.45, 0, 1);
    PUT(k, "unit_left_3", door_unit, -1.82, -0.15, 0, 1);
    PUT(k, "cupboard_1", wall_unit, 0.35, 1.65, 1.4, 0);
    PUT(k, "cupboard_open", open_unit, 0.95, 1.65, 1.4, 0);
    PUT(k, "cupboard_2", wall_unit, -2.05, 0.45, 1.4, 1);
    PUT(k, "cupboard_3", wall_unit, -2.05, -0.15, 1.4, 1);
    PUT(k, "fridge", fridge, 1.62, 1.36, 0, 0);
}

// ---- worktop, sink and stove

static const Slice basin[] = {{0.70, 0.22, 0.14, 0, 0, 0.8},    {0.71, 0.24, 0.155, 0, 0, 0.9},
                              {0.895, 0.262, 0.172, 0, 0, 0.9}, {0.902, 0.30, 0.21, 0, 0, 0.9},
                              {0.908, 0.30, 0.21, 0, 0, 0.9},   {0.900, 0.252, 0.162, 0, 0, 0.9},
                              {0.73, 0.235, 0.150, 0, 0, 0.9},  {0.72, 0.21, 0.13, 0, 0, 0.8}};
static const Knot spout[] = {{{0, 0, 0.02}, 0.013},      {{0, 0, 0.15}, 0.012},
                             {{0, -0.015, 0.25}, 0.012}, {{0, -0.07, 0.30}, 0.012},
                             {{0, -0.13, 0.28}, 0.012},  {{0, -0.155, 0.22}, 0.013}};
static const Knot lever[] = {{{0.015, 0, 0.07}, 0.009}, {{0.05, 0, 0.085}, 0.007}, {{0.10, 0, 0.11}, 0.006}};
static const Slice cowl[] = {{0, 0.30, 0.24, 0, 0, 0.9},
                             {0.05, 0.30, 0.24, 0, 0, 0.9},
                             {0.25, 0.12, 0.11, 0, 0.1, 0.9},
                             {0.95, 0.12, 0.11, 0, 0.1, 0.9}};

#define BURNER(x, y, r)                                                                          \
    {.ring = (r), .tube = 0.005, .sides = 12, .place = {(x), (y), 0.016}, .weight = 2}, {        \
        .profile = {{0.5 * (r), 0}, {0.5 * (r), 0.008}, {0.4 * (r), 0.014}}, .profile_count = 3, \
        .place = {(x), (y), 0.004}, .weight = 1                                                  \
    }

static void add_worktop(Kitchen* k) {
    static const Piece worktop[] = {
        BOARD(0.67, 0.61, 0.04, -2.065, 1.695, 0.88), BOARD(2.44, 0.61, 0.04, 0.05, 1.695, 0.88),
        BOARD(0.58, 0.11, 0.038, -1.45, 1.446, 0.88), BOARD(0.58, 0.12, 0.038, -1.45, 1.939, 0.88),
        BOARD(0.60, 1.86, 0.038, -2.095, 0.48, 0.88), BOARD(3.67, 0.012, 0.08, -0.565, 1.993, 0.94)};
    static const Piece sink[] = {
        {LOFT(basin), .sides = 48, .straight = true, .weight = 6},
        {.ring = 0.03, .tube = 0.004, .sides = 8, .place = {0, 0, 0.722}, .weight = 2}};
    static const Piece tap[] = {
        {.profile = {{0.026, 0}, {0.026, 0.02}, {0.02, 0.03}, {0.018, 0.09}, {0.013, 0.1}},
         .profile_count = 5,
         .weight = 2},
        {TUBE(spout), .sides = 16, .weight = 5},
        {TUBE(lever), .sides = 10, .weight = 1.5}};
    static const Piece hob[] = {{.size = {0.56, 0.50, 0.008}, .chamfer = 0.002, .weight = 0.5},
                                BURNER(-0.13, -0.12, 0.08),
                                BURNER(0.13, -0.12, 0.065),
                                BURNER(-0.13, 0.12, 0.065),
                                BURNER(0.13, 0.12, 0.09)};
    static const Piece hood[] = {{LOFT(cowl), .sides = 40, .straight = true, .weight = 2},
                                 {.size = {0.4, 0.02, 0.02}, .chamfer = 0.004, .place = {0, -0.24, 0.025}},
                                 {.size = {0.5, 0.3, 0.01}, .chamfer = 0.003, .place = {0, 0, -0.003}}};
    PUT(k, "worktop", worktop, 0, 0, 0, 0);
    PUT(k, "sink", sink, -1.45, 1.69, 0, 0);
    PUT(k, "tap", tap, -1.45, 1.94, 0.9, 0);
    PUT(k, "hob", hob, -0.25, 1.69, 0.904, 0);
    PUT(k, "hood", hood, -0.25, 1.75, 1.55, 0);
}

// ---- table and chairs; a chair faces +y

static const Slice seat[] = {{0.43, 0.18, 0.18, 0, 0, 0.6},   {0.437, 0.205, 0.20, 0, 0, 0.6},
                             {0.455, 0.21, 0.205, 0, 0, 0.6}, {0.462, 0.20, 0.195, 0, 0, 0.6},
                             {0.458, 0.14, 0.14, 0, 0, 0.4},  {0.452, 0.05, 0.05, 0, 0, 0}};
static const Knot front_leg[] = {
    {{0, 0.015, 0.001}, 0.012}, {{0, 0.008, 0.15}, 0.016}, {{0, 0, 0.30}, 0.018}, {{0, 0, 0.44}, 0.016}};
static const Knot back_post[] = {{{0, -0.05, 0.001}, 0.012}, {{0, -0.01, 0.22}, 0.016},
                                 {{0, 0, 0.44}, 0.018},      {{0, -0.03, 0.70}, 0.016},
                                 {{0, -0.08, 0.92}, 0.013},  {{0, -0.087, 0.94}, 0.006}};
static const Knot rung[] = {{{-0.165, 0, 0}, 0.008}, {{0, 0, 0}, 0.012}, {{0.165, 0, 0}, 0.008}};

#define SLAT(y, z)                                 \
    {                                              \
        .sheet = {{{0.16, (y), (z)},               \
                   {-0.16, (y), (z)},              \
                   {-0.16, (y)-0.008, (z) + 0.05}, \
                   {0.16, (y)-0.008, (z) + 0.05}}, \
                  {0, -0.025, 0},                  \
                  {0, -0.012, 0}},                 \
        .weight = 2                                \
    }
#define TABLE_LEG(x, y)                                                            \
    {                                                                              \
        .profile = {{0.022, 0.001}, {0.03, 0.02},  {0.02, 0.06},  {0.026, 0.3},    \
                    {0.036, 0.52},  {0.024, 0.57}, {0.036, 0.60}, {0.036, 0.718}}, \
        .profile_count = 8, .place = {(x), (y), 0}, .weight = 4                    \
    }

static const Piece chair[] = {{LOFT(seat), .sides = 36, .weight = 6},
                              {TUBE(front_leg), .sides = 14, .place = {0.16, 0.16, 0}, .weight = 3},
                              {TUBE(front_leg), .sides = 14, .place = {-0.16, 0.16, 0}, .weight = 3},
                              {TUBE(back_post), .sides = 14, .place = {0.165, -0.17, 0}, .weight = 4},
                              {TUBE(back_post), .sides = 14, .place = {-0.165, -0.17, 0}, .weight = 4},
                              {TUBE(rung), .sides = 10, .place = {0, 0.165, 0.2}, .weight = 1.2},
                              {TUBE(rung), .sides = 10, .place = {0, -0.185, 0.2}, .weight = 1.2},
                              SLAT(-0.175, 0.60),
                              SLAT(-0.195, 0.72),
                              SLAT(-0.225, 0.84)};

static void add_table(Kitchen* k) {
    static const Piece table[] = {
        {.size = {1.2, 0.8, 0.035}, .chamfer = 0.008, .place = {0, 0, 0.735}, .weight = 3},
        BOARD(1.0, 0.02, 0.08, 0, 0.33, 0.678),
        BOARD(1.0, 0.02, 0.08, 0, -0.33, 0.678),
        BOARD(0.02, 0.62, 0.08, 0.53, 0, 0.678),
        BOARD(0.02, 0.62, 0.08, -0.53, 0, 0.678),
        TABLE_LEG(0.53, 0.33),
        TABLE_LEG(-0.53, 0.33),
        TABLE_LEG(0.53, -0.33),
        TABLE_LEG(-0.53, -0.33)};
    PUT(k, "table", table, 1.0, -0.7, 0, 0);
    PUT(k, "chair_1", chair, 0.7, -1.3, 0, 0);
    PUT(k, "chair_2", chair, 1.3, -1.3, 0, 0);
    PUT(k, "chair_3", chair, 0.7, -0.1, 0, 2);
    PUT(k, "chair_4", chair, 1.3, -0.1, 0, 2);
}

bool bi_write_kitchen(const char* folder) {
    Kitchen* kitchen = calloc(1, sizeof *kitchen);
    if (kitchen == NULL) {
        return false;
    }
    add_room(kitchen);
    add_units(kitchen);
    add_worktop(kitchen);
    add_table(kitchen);
    bi_kitchen_add_things(kitchen);
    static const CellRobot robots[] = {{"humanoid", "humanoid", {-0.7, 0.2, 0}, 0}};
    static const char* const allow[] = {"base", "floor"};
    const Cell cell = {.about = "a humanoid in a kitchen (paper 002, Figure 8)",
                       .robots = robots,
                       .robot_count = 1,
                       .pieces = kitchen->pieces,
                       .piece_count = kitchen->count,
                       .scale = 1,
                       .allow = allow,
                       .allow_count = 1};
    const bool done = kitchen->count < KITCHEN_PIECES_MAX && bi_write_humanoid(folder) &&
                      bi_write_objects(folder, kitchen->pieces, kitchen->count, KITCHEN_TRIANGLES, 1.0) &&
                      bi_write_cell(folder, &cell) && bi_write_flight(folder);
    free(kitchen);
    return done;
}
