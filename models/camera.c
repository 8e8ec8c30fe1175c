// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The depth camera: triangles from STL files in a grid of cubes, rays from cube to cube.

#include "models/camera.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUBE 0.08  // metres
#define FLAT 1e-12

enum { STL_HEAD = 84, STL_RECORD = 50 };

typedef struct Point {
    double c[3];
} Point;

struct DepthScene {
    Point* corners;  // three a triangle
    int count, capacity;
    double low[3];
    int size[3];  // cubes
    int* first;   // of each cube, and one more
    int* items;   // triangles
};

// ---- triangles ---------------------------------------------------------------------------------------------------

static float read_float(const unsigned char* bytes) {
    const uint32_t bits =
        (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool add_triangle(DepthScene* s, const unsigned char* record) {
    if (s->count == s->capacity) {
        const int capacity = s->capacity > 0 ? 2 * s->capacity : 4096;
        Point* more = realloc(s->corners, (size_t)capacity * 3 * sizeof *more);
        if (more == NULL) {
            return false;
        }
        s->corners = more;
        s->capacity = capacity;
    }
    for (int i = 0; i < 9; ++i) {
        s->corners[3 * s->count + i / 3].c[i % 3] = (double)read_float(record + 12 + 4 * i);
    }
    ++s->count;
    return true;
}

static bool read_stl(DepthScene* s, const char* path) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    unsigned char bytes[STL_HEAD];
    bool good = fread(bytes, 1, STL_HEAD, file) == STL_HEAD;
    while (good && fread(bytes, 1, STL_RECORD, file) == STL_RECORD) {
        good = add_triangle(s, bytes);
    }
    fclose(file);
    return good;
}

// Objects are lines of cell.yaml that end in `mesh: {file: NAME}`; the robot's meshes are in its URDF.
static bool read_objects(DepthScene* s, const char* folder) {
    char path[4096], line[512], name[256];
    (void)snprintf(path, sizeof path, "%s/cell.yaml", folder);
    FILE* file = fopen(path, "r");
    bool good = file != NULL;
    while (good && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, " mesh: {file: %255[^}]}", name) == 1) {
            (void)snprintf(path, sizeof path, "%s/%s", folder, name);
            good = read_stl(s, path);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return good && s->count > 0;
}

// ---- the grid ----------------------------------------------------------------------------------------------------

static int cube_of(const DepthScene* s, double at, int axis) {
    const int cube = (int)floor((at - s->low[axis]) / CUBE);
    return cube < 0 ? 0 : cube >= s->size[axis] ? s->size[axis] - 1 : cube;
}

static void span_of(const DepthScene* s, int triangle, int from[3], int to[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 3; ++i) {
            low = fmin(low, s->corners[3 * triangle + i].c[axis]);
            high = fmax(high, s->corners[3 * triangle + i].c[axis]);
        }
        from[axis] = cube_of(s, low - 1e-9, axis);
        to[axis] = cube_of(s, high + 1e-9, axis);
    }
}

static int index_of(const DepthScene* s, int x, int y, int z) {
    return (x * s->size[1] + y) * s->size[2] + z;
}

// Counts first, then places: each triangle is in all cubes that its box meets.
static void fill_cubes(DepthScene* s, bool place) {
    for (int t = 0; t < s->count; ++t) {
        int from[3], to[3];
        span_of(s, t, from, to);
        for (int x = from[0]; x <= to[0]; ++x) {
            for (int y = from[1]; y <= to[1]; ++y) {
                for (int z = from[2]; z <= to[2]; ++z) {
                    const int cube = index_of(s, x, y, z);
                    if (place) {
                        s->items[--s->first[cube]] = t;
                    } else {
                        ++s->first[cube];
                    }
                }
            }
        }
    }
}

static bool make_grid(DepthScene* s) {
    int cubes = 1;
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 3 * s->count; ++i) {
            low = fmin(low, s->corners[i].c[axis]);
            high = fmax(high, s->corners[i].c[axis]);
        }
        s->low[axis] = low - 0.5 * CUBE;
        s->size[axis] = (int)ceil((high - low) / CUBE) + 2;
        cubes *= s->size[axis];
    }
    s->first = calloc((size_t)cubes + 1, sizeof *s->first);
    if (s->first == NULL) {
        return false;
    }
    fill_cubes(s, false);
    for (int i = 1; i <= cubes; ++i) {
        s->first[i] += s->first[i - 1];
    }
    s->items = calloc((size_t)s->first[cubes] + 1, sizeof *s->items);
    if (s->items != NULL) {
        fill_cubes(s, true);
    }
    return s->items != NULL;
}

DepthScene* bi_depth_open(const char* folder) {
    DepthScene* s = calloc(1, sizeof *s);
    if (s != NULL && read_objects(s, folder) && make_grid(s)) {
        return s;
    }
    bi_depth_close(s);
    return NULL;
}

void bi_depth_close(DepthScene* scene) {
    if (scene != NULL) {
        free(scene->corners);
        free(scene->first);
        free(scene->items);
        free(scene);
    }
}

int bi_depth_triangles(const DepthScene* scene) {
    return scene->count;
}

// ---- rays --------------------------------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// Where the ray meets the triangle (Moeller and Trumbore), from either side; INFINITY where it does not.
static double meet(const Point corners[3], const double from[3], const double way[3]) {
    double a[3], b[3], s[3], p[3], q[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = corners[1].c[i] - corners[0].c[i];
        b[i] = corners[2].c[i] - corners[0].c[i];
        s[i] = from[i] - corners[0].c[i];
    }
    cross(way, b, p);
    const double volume = dot(a, p);
    if (fabs(volume) < FLAT) {
        return INFINITY;
    }
    cross(s, a, q);
    const double u = dot(s, p) / volume, v = dot(way, q) / volume, t = dot(b, q) / volume;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0 ? t : INFINITY;
}

double bi_depth_cast_slowly(const DepthScene* scene, BerthVec3 from, BerthVec3 direction) {
    const double at[3] = {from.x, from.y, from.z}, way[3] = {direction.x, direction.y, direction.z};
    double best = INFINITY;
    for (int t = 0; t < scene->count; ++t) {
        best = fmin(best, meet(scene->corners + 3 * t, at, way));
    }
    return best;
}

// Where the ray enters and leaves the grid.
static bool clip(const DepthScene* s, const double at[3], const double way[3], double* enter, double* leave) {
    *enter = 0.0;
    *leave = INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        const double low = s->low[axis] - at[axis], high = low + CUBE * s->size[axis];
        if (way[axis] == 0.0) {
            if (low > 0.0 || high < 0.0) {
                return false;
            }
            continue;
        }
        const double a = low / way[axis], b = high / way[axis];
        *enter = fmax(*enter, fmin(a, b));
        *leave = fmin(*leave, fmax(a, b));
    }
    return *enter <= *leave;
}

double bi_depth_cast(const DepthScene* scene, BerthVec3 from, BerthVec3 direction) {
    const double at[3] = {from.x, from.y, from.z}, way[3] = {direction.x, direction.y, direction.z};
    double enter, leave, best = INFINITY;
    if (!clip(scene, at, way, &enter, &leave)) {
        return INFINITY;
    }

    int cube[3];
    double next[3], stride[3];
    for (int axis = 0; axis < 3; ++axis) {
        cube[axis] = cube_of(scene, at[axis] + enter * way[axis], axis);
        const double border = scene->low[axis] + CUBE * (cube[axis] + (way[axis] > 0.0 ? 1 : 0));
        next[axis] = way[axis] != 0.0 ? (border - at[axis]) / way[axis] : INFINITY;
        stride[axis] = way[axis] != 0.0 ? CUBE / fabs(way[axis]) : INFINITY;
    }

    // A triangle of this cube may be met behind it: the search goes on until the cubes begin behind what was met.
    for (double begin = enter; begin <= best + 1e-9;) {
        const int index = index_of(scene, cube[0], cube[1], cube[2]);
        for (int i = scene->first[index]; i < scene->first[index + 1]; ++i) {
            best = fmin(best, meet(scene->corners + 3 * scene->items[i], at, way));
        }
        int axis = next[0] < next[1] ? 0 : 1;
        axis = next[axis] < next[2] ? axis : 2;
        cube[axis] += way[axis] > 0.0 ? 1 : -1;
        if (cube[axis] < 0 || cube[axis] >= scene->size[axis]) {
            break;
        }
        begin = next[axis];
        next[axis] += stride[axis];
    }
    return best;
}

// ---- the camera --------------------------------------------------------------------------------------------------

static double share(uint64_t* random) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (double)(*random >> 33) / 2147483648.0;
}

// Nearly normal: twelve even ones.
static double bell(uint64_t* random) {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) {
        sum += share(random);
    }
    return sum;
}

static void make_unit(double v[3]) {
    const double length = sqrt(dot(v, v));
    for (int i = 0; i < 3; ++i) {
        v[i] /= length;
    }
}

DepthCamera bi_depth_camera(void) {
    return (DepthCamera){
        .columns = 80, .rows = 60, .width = 1.4, .nearest = 0.4, .farthest = 4.0, .noise = 1.0, .lost = 0.03};
}

void bi_depth_flight(int frame, int frames, BerthVec3* eye, BerthVec3* target) {
    const double turn = 4.0 * 3.14159265358979323846 * (frame + 0.5) / frames;
    const double c = cos(turn), s = sin(turn);
    if (2 * frame < frames) {
        *eye = (BerthVec3){0.6 * c, 0.5 * s, 1.75};
        *target = (BerthVec3){2.4 * c, 2.0 * s, 0.9};
    } else {
        *eye = (BerthVec3){1.5 * c, 1.2 * s, 2.2};
        *target = (BerthVec3){0.3 * c, 0.3 * s, 0.5};
    }
}

int bi_depth_picture(const DepthScene* scene, const DepthCamera* camera, BerthVec3 eye, BerthVec3 target,
                     uint64_t* random, BerthVec3* points) {
    double axis[3] = {target.x - eye.x, target.y - eye.y, target.z - eye.z}, right[3], down[3];
    const double up[3] = {0, 0, 1};
    make_unit(axis);
    cross(axis, up, right);
    make_unit(right);
    cross(axis, right, down);

    int count = 0;
    for (int pixel = 0; pixel < camera->columns * camera->rows; ++pixel) {
        const double scale = camera->width / camera->columns;
        const double u = scale * (pixel % camera->columns + 0.5 - 0.5 * camera->columns);
        const double v = scale * (pixel / camera->columns + 0.5 - 0.5 * camera->rows);
        double way[3];
        for (int i = 0; i < 3; ++i) {
            way[i] = axis[i] + u * right[i] + v * down[i];
        }
        make_unit(way);
        const double far = bi_depth_cast(scene, eye, (BerthVec3){way[0], way[1], way[2]});
        const double depth = far * dot(way, axis);
        const bool lost = share(random) < camera->lost;
        const double sigma = camera->noise * (0.0012 + 0.0019 * (depth - 0.4) * (depth - 0.4));
        const double told = depth + sigma * bell(random);
        if (lost || !(told >= camera->nearest && told <= camera->farthest)) {
            continue;
        }
        const double along = told / dot(way, axis);
        points[count++] = (BerthVec3){eye.x + along * way[0], eye.y + along * way[1], eye.z + along * way[2]};
    }
    return count;
}
