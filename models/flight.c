// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the depth camera tells on its way through the kitchen, as a program receives it: a text of scans, for examples that have no
// camera.

#include <stdlib.h>

#include "models/camera.h"
#include "models/models.h"
#include "models/writer.h"

enum { FRAMES = 30, PIXELS_MAX = 80 * 60 };

// "scan X Y Z COUNT", where the sensor was and how many points follow, one a line, all in metres of the world.
static void write_scan(Writer* w, const DepthScene* scene, int frame, uint64_t* random, BerthVec3* points) {
    const DepthCamera camera = bi_depth_camera();
    BerthVec3 eye, target;
    bi_depth_flight(frame, FRAMES, &eye, &target);
    const int count = bi_depth_picture(scene, &camera, eye, target, random, points);

    bi_writer_print(w, "scan %.4f %.4f %.4f %d\n", eye.x, eye.y, eye.z, count);
    for (int i = 0; i < count; ++i) {
        bi_writer_print(w, "%.4f %.4f %.4f\n", points[i].x, points[i].y, points[i].z);
    }
}

bool bi_write_flight(const char* folder) {
    DepthScene* scene = bi_depth_open(folder);
    BerthVec3* points = calloc(PIXELS_MAX, sizeof *points);
    uint64_t random = 11;
    bool done = scene != NULL && points != NULL;
    if (done) {
        Writer w;
        bi_writer_open(&w, folder, "flight.txt");
        for (int frame = 0; frame < FRAMES; ++frame) {
            write_scan(&w, scene, frame, &random, points);
        }
        done = bi_writer_close(&w);
    }
    free(points);
    bi_depth_close(scene);
    return done;
}
