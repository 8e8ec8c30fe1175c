// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What stands about in the kitchen: dishes, fruit, pots, small machines, a lamp. Each thing stands on z = 0 of its own
// frame. Open vessels are turned profiles that go up outside, over the rim and down inside.

#include "models/kitchen.h"

#define PUT KITCHEN_PUT
#define BOARD KITCHEN_BOARD
#define TABLE_TOP 0.753
#define WORKTOP 0.9005

// ---- the table is laid

static const Knot mug_ear[] = {{{0.033, 0, 0.075}, 0.005},
                               {{0.055, 0, 0.072}, 0.005},
                               {{0.062, 0, 0.05}, 0.005},
                               {{0.052, 0, 0.028}, 0.005},
                               {{0.032, 0, 0.022}, 0.005}};
static const Knot handle_stick[] = {
    {{0, 0, 0.004}, 0.003}, {{0, 0.05, 0.006}, 0.003}, {{0, 0.11, 0.004}, 0.004}};
static const Knot tine[] = {{{0, 0, 0.004}, 0.002}, {{0, -0.02, 0.003}, 0.002}, {{0, -0.055, 0.006}, 0.001}};
static const Slice spoon_bowl[] = {{0.001, 0.009, 0.016, 0, 0, 0},
                                   {0.004, 0.018, 0.027, 0, 0, 0},
                                   {0.008, 0.020, 0.030, 0, 0, 0},
                                   {0.0075, 0.018, 0.028, 0, 0, 0},
                                   {0.004, 0.009, 0.015, 0, 0, 0}};
static const Slice blade[] = {{0.001, 0.009, 0.055, 0, 0, 0.4}, {0.004, 0.009, 0.055, 0, 0, 0.4}};

static const Piece plate[] = {{.profile = {{0.07, 0},
                                           {0.078, 0.004},
                                           {0.118, 0.016},
                                           {0.130, 0.022},
                                           {0.130, 0.025},
                                           {0.117, 0.020},
                                           {0.08, 0.009},
                                           {0.06, 0.008}},
                               .profile_count = 8,
                               .weight = 5}};
static const Piece glass[] = {
    {.profile = {{0.026, 0}, {0.029, 0.003}, {0.036, 0.115}, {0.0345, 0.116}, {0.028, 0.010}, {0.02, 0.008}},
     .profile_count = 6,
     .weight = 4}};
static const Piece mug[] = {{.profile = {{0.032, 0},
                                         {0.036, 0.004},
                                         {0.037, 0.088},
                                         {0.036, 0.09},
                                         {0.034, 0.089},
                                         {0.032, 0.010},
                                         {0.02, 0.007}},
                             .profile_count = 7,
                             .weight = 4},
                            {TUBE(mug_ear), .sides = 12, .weight = 2.5}};
static const Piece cutlery[] = {
    {TUBE(handle_stick), .sides = 8, .place = {-0.16, -0.02, 0}},
    {TUBE(tine), .sides = 6, .place = {-0.168, -0.02, 0}, .weight = 0.5},
    {TUBE(tine), .sides = 6, .place = {-0.16, -0.02, 0}, .weight = 0.5},
    {TUBE(tine), .sides = 6, .place = {-0.152, -0.02, 0}, .weight = 0.5},
    {.size = {0.022, 0.012, 0.004}, .chamfer = 0.001, .place = {-0.16, -0.02, 0.004}, .weight = 0.2},
    {TUBE(handle_stick), .sides = 8, .place = {0.16, -0.02, 0}},
    {LOFT(blade), .sides = 20, .straight = true, .place = {0.16, -0.07, 0}, .weight = 0.5},
    {TUBE(handle_stick), .sides = 8, .place = {0.19, -0.02, 0}},
    {LOFT(spoon_bowl), .sides = 20, .place = {0.19, -0.045, 0}, .weight = 1.5}};

static const Slice pot_body[] = {
    {0, 0.045, 0.045, 0, 0, 0},     {0.006, 0.06, 0.06, 0, 0, 0},   {0.05, 0.085, 0.085, 0, 0, 0},
    {0.095, 0.078, 0.078, 0, 0, 0}, {0.125, 0.05, 0.05, 0, 0, 0},   {0.135, 0.03, 0.03, 0, 0, 0},
    {0.140, 0.010, 0.010, 0, 0, 0}, {0.150, 0.013, 0.013, 0, 0, 0}, {0.158, 0.008, 0.008, 0, 0, 0}};
static const Knot pot_spout[] = {{{0.07, 0, 0.04}, 0.016},
                                 {{0.105, 0, 0.06}, 0.012},
                                 {{0.125, 0, 0.10}, 0.009},
                                 {{0.15, 0, 0.125}, 0.008}};
static const Knot pot_ear[] = {{{-0.07, 0, 0.10}, 0.007},
                               {{-0.11, 0, 0.11}, 0.007},
                               {{-0.128, 0, 0.08}, 0.007},
                               {{-0.115, 0, 0.045}, 0.007},
                               {{-0.075, 0, 0.035}, 0.007}};
static const Piece teapot[] = {{LOFT(pot_body), .sides = 40, .weight = 9},
                               {TUBE(pot_spout), .sides = 14, .weight = 3},
                               {TUBE(pot_ear), .sides = 12, .weight = 3}};
static const Piece bottle[] = {{.profile = {{0.034, 0},
                                            {0.037, 0.005},
                                            {0.037, 0.17},
                                            {0.030, 0.20},
                                            {0.015, 0.23},
                                            {0.014, 0.29},
                                            {0.016, 0.295},
                                            {0.016, 0.305}},
                                .profile_count = 8,
                                .weight = 4}};

static void lay_table(Kitchen* k) {
    PUT(k, "plate_1", plate, 0.7, -0.95, TABLE_TOP, 0);
    PUT(k, "plate_2", plate, 1.3, -0.95, TABLE_TOP, 0);
    PUT(k, "plate_3", plate, 0.7, -0.45, TABLE_TOP, 0);
    PUT(k, "plate_4", plate, 1.3, -0.45, TABLE_TOP, 0);
    PUT(k, "cutlery_1", cutlery, 0.7, -0.95, TABLE_TOP, 2);
    PUT(k, "cutlery_2", cutlery, 1.3, -0.95, TABLE_TOP, 2);
    PUT(k, "cutlery_3", cutlery, 0.7, -0.45, TABLE_TOP, 0);
    PUT(k, "cutlery_4", cutlery, 1.3, -0.45, TABLE_TOP, 0);
    PUT(k, "glass_1", glass, 0.88, -0.80, TABLE_TOP, 0);
    PUT(k, "glass_2", glass, 1.48, -0.80, TABLE_TOP, 0);
    PUT(k, "glass_3", glass, 0.52, -0.60, TABLE_TOP, 0);
    PUT(k, "glass_4", glass, 1.12, -0.60, TABLE_TOP, 0);
    PUT(k, "mug_1", mug, 0.55, -0.76, TABLE_TOP, 1);
    PUT(k, "mug_2", mug, 1.12, -0.82, TABLE_TOP, 0);
    PUT(k, "teapot", teapot, 1.28, -0.70, TABLE_TOP, 2);
    PUT(k, "bottle_1", bottle, 0.70, -0.68, TABLE_TOP, 0);
}

// ---- fruit, some of it in a bowl

static const Slice apple_body[] = {{0.001, 0.010, 0.010, 0, 0, 0}, {0.002, 0.022, 0.022, 0, 0, 0},
                                   {0.022, 0.036, 0.036, 0, 0, 0}, {0.045, 0.040, 0.040, 0, 0, 0},
                                   {0.063, 0.030, 0.030, 0, 0, 0}, {0.068, 0.018, 0.018, 0, 0, 0},
                                   {0.061, 0.005, 0.005, 0, 0, 0}};
static const Slice pear_body[] = {{0.001, 0.010, 0.010, 0, 0, 0}, {0.004, 0.022, 0.022, 0, 0, 0},
                                  {0.030, 0.037, 0.037, 0, 0, 0}, {0.060, 0.030, 0.030, 0, 0, 0},
                                  {0.085, 0.018, 0.018, 0, 0, 0}, {0.097, 0.012, 0.012, 0, 0, 0},
                                  {0.100, 0.004, 0.004, 0, 0, 0}};
static const Knot stem[] = {{{0, 0, 0.055}, 0.0015}, {{0.001, 0, 0.07}, 0.0015}, {{0.006, 0, 0.085}, 0.002}};
static const Knot pear_stem[] = {
    {{0, 0, 0.09}, 0.0015}, {{0.002, 0, 0.105}, 0.0015}, {{0.008, 0, 0.12}, 0.002}};
static const Knot banana_bow[] = {{{-0.085, 0, 0.045}, 0.004}, {{-0.075, 0, 0.038}, 0.009},
                                  {{-0.045, 0, 0.022}, 0.016}, {{0, 0, 0.018}, 0.018},
                                  {{0.045, 0, 0.028}, 0.016},  {{0.075, 0, 0.048}, 0.009},
                                  {{0.092, 0, 0.066}, 0.005},  {{0.097, 0, 0.073}, 0.004}};
static const Piece bowl[] = {{.profile = {{0.05, 0},
                                          {0.06, 0.006},
                                          {0.11, 0.045},
                                          {0.138, 0.085},
                                          {0.134, 0.087},
                                          {0.104, 0.048},
                                          {0.06, 0.014},
                                          {0.04, 0.011}},
                              .profile_count = 8,
                              .weight = 6}};
static const Piece apple[] = {{LOFT(apple_body), .sides = 28, .weight = 5},
                              {TUBE(stem), .sides = 6, .weight = 0.5}};
static const Piece pear[] = {{LOFT(pear_body), .sides = 28, .weight = 5},
                             {TUBE(pear_stem), .sides = 6, .weight = 0.5}};
static const Piece orange[] = {{BALL(0.038), .place = {0, 0, 0.038}, .weight = 6}};
static const Piece banana[] = {{TUBE(banana_bow), .sides = 18, .weight = 5}};

static void add_fruit(Kitchen* k) {
    PUT(k, "bowl", bowl, 0.98, -0.70, TABLE_TOP, 0);
    PUT(k, "apple_1", apple, 0.94, -0.73, TABLE_TOP + 0.025, 0);
    PUT(k, "apple_2", apple, 1.02, -0.73, TABLE_TOP + 0.025, 1);
    PUT(k, "orange_1", orange, 0.98, -0.66, TABLE_TOP + 0.025, 0);
    PUT(k, "pear_1", pear, 1.04, -0.66, TABLE_TOP + 0.045, 0);
    PUT(k, "banana_1", banana, 0.98, -0.70, TABLE_TOP + 0.085, 0);
    PUT(k, "orange_2", orange, 0.62, 1.60, WORKTOP, 0);
    PUT(k, "orange_3", orange, 0.71, 1.63, WORKTOP, 0);
    PUT(k, "apple_3", apple, -2.05, -0.30, WORKTOP, 0);
    PUT(k, "banana_2", banana, 0.65, 1.74, WORKTOP, 0);
    PUT(k, "banana_3", banana, 0.66, 1.78, WORKTOP, 0);
}

// ---- on the stove and on the worktop

static const Knot pot_grip[] = {{{0.098, -0.035, 0.095}, 0.006},
                                {{0.118, -0.03, 0.10}, 0.006},
                                {{0.128, 0, 0.10}, 0.006},
                                {{0.118, 0.03, 0.10}, 0.006},
                                {{0.098, 0.035, 0.095}, 0.006}};
static const Knot pan_grip[] = {{{0.12, 0, 0.035}, 0.008},
                                {{0.20, 0, 0.055}, 0.009},
                                {{0.30, 0, 0.065}, 0.012},
                                {{0.34, 0, 0.066}, 0.010},
                                {{0.345, 0, 0.066}, 0.005}};
static const Piece pot[] = {{.profile = {{0.09, 0},
                                         {0.1, 0.006},
                                         {0.1, 0.12},
                                         {0.105, 0.125},
                                         {0.096, 0.126},
                                         {0.095, 0.012},
                                         {0.08, 0.006}},
                             .profile_count = 7,
                             .weight = 5},
                            {.profile = {{0.104, 0},
                                         {0.104, 0.004},
                                         {0.06, 0.022},
                                         {0.02, 0.028},
                                         {0.011, 0.03},
                                         {0.011, 0.04},
                                         {0.018, 0.044},
                                         {0.016, 0.054}},
                             .profile_count = 8,
                             .place = {0, 0, 0.1265},
                             .weight = 4},
                            {TUBE(pot_grip), .sides = 12, .weight = 2.5},
                            {TUBE(pot_grip), .sides = 12, .turn = {0, 0, 2}, .weight = 2.5}};
static const Piece pan[] = {
    {.profile = {{0.10, 0}, {0.105, 0.003}, {0.128, 0.04}, {0.125, 0.041}, {0.103, 0.007}, {0.09, 0.005}},
     .profile_count = 6,
     .weight = 4},
    {TUBE(pan_grip), .sides = 14, .weight = 3}};

static const Slice kettle_body[] = {{0, 0.075, 0.075, 0, 0, 0},     {0.008, 0.082, 0.082, 0, 0, 0},
                                    {0.08, 0.078, 0.078, 0, 0, 0},  {0.16, 0.062, 0.062, 0, 0, 0},
                                    {0.20, 0.050, 0.050, 0, 0, 0},  {0.215, 0.02, 0.02, 0, 0, 0},
                                    {0.225, 0.014, 0.014, 0, 0, 0}, {0.235, 0.010, 0.010, 0, 0, 0}};
static const Knot kettle_grip[] = {{{-0.055, 0, 0.19}, 0.010},
                                   {{-0.10, 0, 0.20}, 0.011},
                                   {{-0.125, 0, 0.15}, 0.011},
                                   {{-0.12, 0, 0.08}, 0.010},
                                   {{-0.075, 0, 0.05}, 0.009}};
static const Knot kettle_spout[] = {
    {{0.05, 0, 0.13}, 0.02}, {{0.085, 0, 0.165}, 0.014}, {{0.105, 0, 0.195}, 0.009}};
static const Piece kettle[] = {{LOFT(kettle_body), .sides = 40, .weight = 7},
                               {TUBE(kettle_grip), .sides = 14, .weight = 3},
                               {TUBE(kettle_spout), .sides = 14, .weight = 2}};

static const Slice toaster_body[] = {{0.01, 0.075, 0.13, 0, 0, 0.7},
                                     {0.02, 0.085, 0.14, 0, 0, 0.7},
                                     {0.15, 0.080, 0.135, 0, 0, 0.7},
                                     {0.18, 0.070, 0.125, 0, 0, 0.7},
                                     {0.188, 0.045, 0.105, 0, 0, 0.7}};
static const Piece toaster[] = {{LOFT(toaster_body), .sides = 40, .weight = 6},
                                BOARD(0.018, 0.18, 0.02, -0.025, 0, 0.185),
                                BOARD(0.018, 0.18, 0.02, 0.025, 0, 0.185),
                                BOARD(0.03, 0.03, 0.012, 0, -0.15, 0.11),
                                BOARD(0.13, 0.24, 0.012, 0, 0, 0.0065)};
static const Knot oven_bar[] = {{{0, 0.005, -0.11}, 0.006},
                                {{0, -0.03, -0.10}, 0.006},
                                {{0, -0.03, 0.10}, 0.006},
                                {{0, 0.005, 0.11}, 0.006}};
static const Piece microwave[] = {
    {.size = {0.48, 0.34, 0.28}, .chamfer = 0.008, .place = {0, 0.19, 0.15}, .weight = 0.8},
    BOARD(0.35, 0.02, 0.25, -0.055, 0.012, 0.15),
    BOARD(0.24, 0.01, 0.16, -0.08, 0.001, 0.15),
    BOARD(0.10, 0.02, 0.25, 0.18, 0.012, 0.15),
    {TUBE(oven_bar), .sides = 12, .place = {0.105, 0, 0.15}, .weight = 2},
    {.profile = {{0.02, 0}, {0.02, 0.01}, {0.016, 0.02}},
     .profile_count = 3,
     .place = {0.18, 0.005, 0.10},
     .turn = {1, 0, 0},
     .weight = 1.5},
    {.profile = {{0.02, 0}, {0.02, 0.01}, {0.016, 0.02}},
     .profile_count = 3,
     .place = {0.18, 0.005, 0.17},
     .turn = {1, 0, 0},
     .weight = 1.5}};
static const Piece jar[] = {
    {.profile = {{0.045, 0}, {0.05, 0.005}, {0.05, 0.11}, {0.04, 0.125}}, .profile_count = 4, .weight = 3},
    {.profile = {{0.043, 0}, {0.043, 0.02}, {0.012, 0.024}, {0.014, 0.036}},
     .profile_count = 4,
     .place = {0, 0, 0.123},
     .weight = 3}};
static const Piece roll[] = {
    {.profile = {{0.075, 0}, {0.075, 0.01}, {0.012, 0.014}, {0.010, 0.28}, {0.016, 0.285}, {0.016, 0.30}},
     .profile_count = 6,
     .weight = 2},
    {.profile = {{0.055, 0.016}, {0.057, 0.02}, {0.057, 0.24}, {0.055, 0.244}},
     .profile_count = 4,
     .weight = 3}};
static const Piece knives[] = {
    {.size = {0.10, 0.14, 0.20}, .chamfer = 0.01, .place = {0, 0, 0.10}, .weight = 0.5},
    {ROLLER(0.011, 0.05, 0.004), .place = {-0.025, -0.03, 0.245}, .weight = 1.5},
    {ROLLER(0.011, 0.05, 0.004), .place = {0.025, -0.03, 0.245}, .weight = 1.5},
    {ROLLER(0.011, 0.045, 0.004), .place = {-0.025, 0.03, 0.24}, .weight = 1.5},
    {ROLLER(0.011, 0.045, 0.004), .place = {0.025, 0.03, 0.24}, .weight = 1.5}};
static const Piece cutting_board[] = {
    {.size = {0.36, 0.24, 0.018}, .chamfer = 0.005, .place = {0, 0, 0.009}, .weight = 0.8}};

static void add_worktop_things(Kitchen* k) {
    PUT(k, "pot", pot, -0.38, 1.57, 0.925, 1);
    PUT(k, "pan", pan, -0.12, 1.81, 0.925, 0);
    PUT(k, "kettle", kettle, -2.10, 0.80, WORKTOP, 3);
    PUT(k, "toaster", toaster, -2.12, 0.42, WORKTOP, 0);
    PUT(k, "microwave", microwave, -1.98, 0.02, WORKTOP, 1);
    PUT(k, "jar_1", jar, 0.16, 1.88, WORKTOP, 0);
    PUT(k, "jar_2", jar, 0.28, 1.88, WORKTOP, 0);
    PUT(k, "jar_3", jar, 0.40, 1.88, WORKTOP, 0);
    PUT(k, "paper_roll", roll, 1.16, 1.85, WORKTOP, 0);
    PUT(k, "knives", knives, 0.98, 1.85, WORKTOP, 0);
    PUT(k, "cutting_board", cutting_board, -0.80, 1.62, WORKTOP, 0);
    PUT(k, "mug_3", mug, -1.02, 1.86, WORKTOP, 0);
    PUT(k, "bottle_2", bottle, -0.65, 1.88, WORKTOP, 0);
    PUT(k, "cupboard_plates", plate, 0.82, 1.83, 1.4205, 0);
    PUT(k, "cupboard_plates", plate, 0.82, 1.83, 1.432, 0);
    PUT(k, "cupboard_plates", plate, 0.82, 1.83, 1.4435, 0);
    PUT(k, "mug_4", mug, 1.06, 1.80, 1.4205, 0);
    PUT(k, "glass_5", glass, 0.85, 1.80, 1.7505, 0);
    PUT(k, "glass_6", glass, 0.95, 1.80, 1.7505, 0);
    PUT(k, "glass_7", glass, 1.05, 1.80, 1.7505, 0);
}

// ---- lamp, plant and bin

static const Knot cord[] = {{{0, 0, 0.17}, 0.006}, {{0, 0, 0.4}, 0.005}, {{0, 0, 0.63}, 0.005}};
static const Slice bulb[] = {{0.03, 0.010, 0.010, 0, 0, 0}, {0.035, 0.020, 0.020, 0, 0, 0},
                             {0.06, 0.030, 0.030, 0, 0, 0}, {0.10, 0.020, 0.020, 0, 0, 0},
                             {0.12, 0.014, 0.014, 0, 0, 0}, {0.17, 0.014, 0.014, 0, 0, 0}};
static const Piece lamp[] = {
    {.profile = {{0.02, 0.165},
                 {0.095, 0.140},
                 {0.185, 0.055},
                 {0.197, 0},
                 {0.200, 0},
                 {0.190, 0.060},
                 {0.100, 0.148},
                 {0.025, 0.180}},
     .profile_count = 8,
     .weight = 8},
    {LOFT(bulb), .sides = 24, .weight = 4},
    {TUBE(cord), .sides = 8, .weight = 1},
    {.profile = {{0.02, 0.60}, {0.05, 0.63}, {0.05, 0.65}}, .profile_count = 3, .weight = 1.5}};

static const Knot leaf_1[] = {{{0, 0, 0.09}, 0.004},
                              {{0.01, 0.01, 0.16}, 0.014},
                              {{0.03, 0.02, 0.22}, 0.012},
                              {{0.07, 0.03, 0.25}, 0.003}};
static const Knot leaf_2[] = {{{0, 0, 0.09}, 0.004},
                              {{-0.02, 0, 0.15}, 0.013},
                              {{-0.05, 0.01, 0.19}, 0.012},
                              {{-0.09, 0.015, 0.20}, 0.003}};
static const Knot leaf_3[] = {{{0, 0, 0.09}, 0.004},
                              {{0, -0.01, 0.17}, 0.014},
                              {{-0.005, -0.02, 0.25}, 0.011},
                              {{-0.01, -0.03, 0.30}, 0.003}};
static const Piece plant[] = {{.profile = {{0.04, 0},
                                           {0.042, 0.003},
                                           {0.055, 0.09},
                                           {0.06, 0.095},
                                           {0.06, 0.11},
                                           {0.052, 0.11},
                                           {0.05, 0.095}},
                               .profile_count = 7,
                               .weight = 3},
                              {TUBE(leaf_1), .sides = 12, .weight = 1.5},
                              {TUBE(leaf_2), .sides = 12, .weight = 1.5},
                              {TUBE(leaf_3), .sides = 12, .weight = 1.5}};
static const Piece bin[] = {{.profile = {{0.11, 0.001},
                                         {0.115, 0.006},
                                         {0.15, 0.40},
                                         {0.155, 0.41},
                                         {0.146, 0.41},
                                         {0.11, 0.014},
                                         {0.09, 0.008}},
                             .profile_count = 7,
                             .weight = 4}};

void bi_kitchen_add_things(Kitchen* k) {
    lay_table(k);
    add_fruit(k);
    add_worktop_things(k);
    PUT(k, "lamp", lamp, 1.0, -0.7, 1.62, 0);
    PUT(k, "plant", plant, -1.15, 1.93, 1.1, 0);
    PUT(k, "bin", bin, -2.1, -0.75, 0, 0);
}
