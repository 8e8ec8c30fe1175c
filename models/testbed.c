// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The three tasks of Shaffer & Herb, section V, as joint angles of every cycle: 1,000, 150 and 2,000 rows. In the first the left
// arm goes to the box on the table in front while the right one goes above the box on the table at its side. The second is
// like it, but the left arm ends in the table in front. In the third the right arm ends in that table as it reaches for the box.
// The paper's files are lost and its motions not printed: the way points are ours, chosen so that tasks run as told there.
// Every leg is a quintic from rest to rest. A row is a cycle of 30 ms, the paper's mean; 24 in/s is never passed.

#include "models/models.h"
#include "models/writer.h"

#define JOINT_COUNT 7
#define CYCLE_SECONDS 0.03
enum { STEPS_MAX = 12 };

/// Joints of the left arm; those of the right one are mirrored: rolls change sign.
typedef struct Stand {
    double values[JOINT_COUNT];
} Stand;

static const Stand home = {{0, -0.9, 0, 1.6, 0, 0.8, 0}};
static const Stand raised = {{0.5, -0.75, 0.55, 0.75, 0.4, -0.3, 0}};
static const Stand reach_front = {{1.05, -0.42, 1.15, -0.21, 0.88, -1.46, 0}};
static const Stand reach_front_turned = {{1.05, -0.42, 1.15, -0.21, 0.88, -1.46, 0.6}};
static const Stand half_side = {{-0.75, -1.2, -0.9, 0.8, 0.1, -0.2, 0}};
static const Stand reach_side = {{-1.51, -1.49, -1.84, 0.02, 0.27, -1.24, 0}};
static const Stand reach_side_turned = {{-1.51, -1.49, -1.84, 0.02, 0.27, -1.24, -0.5}};
static const Stand hit_table = {{0, -0.47, -0.2, 1.27, 0.19, 0.7, 0}};
static const Stand beside_box = {{0.917, -0.311, 1.24, 0.032, 0.972, -1.768, 0}};
static const Stand in_table = {{1.081, -0.096, 1.223, -0.414, 0.863, -1.324, 0}};

/// Both arms reach their stand after so many cycles.
typedef struct Step {
    int cycles;
    const Stand *left, *right;
} Step;

typedef struct Task {
    const char* file;
    int rows;
    Step steps[STEPS_MAX];  // the first one is where it begins, with one row
} Task;

static const Task tasks[] = {
    {"task1.csv",
     1000,
     {{1, &home, &home},
      {330, &raised, &half_side},
      {370, &reach_front, &reach_side},
      {100, &reach_front_turned, &reach_side},
      {99, &reach_front_turned, &reach_side_turned},
      {100, &reach_front, &reach_side}}},
    {"task2.csv", 150, {{1, &home, &home}, {149, &hit_table, &half_side}}},
    {"task3.csv",
     2000,
     {{1, &home, &home},
      {350, &half_side, &raised},
      {400, &half_side, &reach_front},
      {150, &half_side, &reach_front_turned},
      {250, &home, &reach_front},
      {300, &home, &beside_box},
      {149, &home, &beside_box},
      {400, &home, &in_table}}},
};
#define TASK_COUNT ((int)(sizeof tasks / sizeof tasks[0]))

static double mirror_of(int joint) {
    return joint % 2 == 0 ? -1.0 : 1.0;
}

// From 0 to 1, at rest at both ends up to the second derivative; and its derivative by s.
static double ease(double s, double* rate) {
    *rate = 30.0 * s * s * (1.0 - s) * (1.0 - s);
    return s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

static void write_row(Writer* w, int row, const Step* from, const Step* to, double s) {
    double rate;
    const double share = ease(s, &rate);
    bi_writer_print(w, "%.9g", row * CYCLE_SECONDS);
    for (int pass = 0; pass < 2; ++pass) {
        for (int arm = 0; arm < 2; ++arm) {
            const double* a = (arm == 0 ? from->left : from->right)->values;
            const double* b = (arm == 0 ? to->left : to->right)->values;
            for (int i = 0; i < JOINT_COUNT; ++i) {
                const double sign = arm == 0 ? 1.0 : mirror_of(i);
                const double position = a[i] + share * (b[i] - a[i]);
                const double velocity = rate * (b[i] - a[i]) / (to->cycles * CYCLE_SECONDS);
                bi_writer_print(w, ",%.9g", sign * (pass == 0 ? position : velocity) + 0.0);
            }
        }
    }
    bi_writer_print(w, "\n");
}

static bool write_task(const char* folder, const Task* task) {
    Writer w;
    bi_writer_open(&w, folder, task->file);
    bi_writer_print(&w, "time");
    for (int pass = 0; pass < 2; ++pass) {
        for (int arm = 0; arm < 2; ++arm) {
            for (int i = 1; i <= JOINT_COUNT; ++i) {
                bi_writer_print(&w, ",%s/joint%d%s", arm == 0 ? "left" : "right", i,
                                pass == 0 ? "" : ":velocity");
            }
        }
    }
    bi_writer_print(&w, "\n");
    int row = 0;
    for (int k = 0; k < STEPS_MAX && task->steps[k].cycles > 0; ++k) {
        const Step* to = &task->steps[k];
        const Step* from = k > 0 ? to - 1 : to;
        for (int i = 1; i <= to->cycles; ++i) {
            write_row(&w, row, from, to, k > 0 ? (double)i / to->cycles : 1.0);
            row += 1;
        }
    }
    return bi_writer_close(&w) && row == task->rows;
}

bool bi_write_testbed_tasks(const char* folder) {
    for (int i = 0; i < TASK_COUNT; ++i) {
        if (!write_task(folder, &tasks[i])) {
            return false;
        }
    }
    return true;
}
