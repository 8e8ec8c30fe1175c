// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Paper 003's objects and scene, two parts of 64 convex pieces each that lie on each other, and a mug to take hold of.

#include "models/touch.h"

#include "math/math.h"
#include "models/models.h"
#include "models/surface.h"
#include "models/writer.h"

static const double TURN = 6.283185307179586;

const TouchBody bi_touch_scene[TOUCH_BODY_COUNT] = {
    {"cube", TOUCH_CUBE, {0.35, 0.1, 0.1}, 0.3},
    {"rectangle", TOUCH_RECTANGLE, {0.0, 0.0, 0.06}, 0.0},
    {"cylinder", TOUCH_CYLINDER, {-0.35, 0.15, 0.12}, 0.0},
    {"cone", TOUCH_CONE, {0.05, 0.35, 0.1}, 0.0},
    {"sphere", TOUCH_SPHERE, {-0.1, -0.35, 0.08}, 0.0},
    {"follower", TOUCH_CUBE, {0.05, 0.02, 0.2195}, 0.4},
};

static int box_points(double x, double y, double z, BerthVec3* out) {
    for (int i = 0; i < 8; ++i) {
        out[i] = v3(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    }
    return 8;
}

static int ring_points(int sides, double radius, double z, BerthVec3* out) {
    for (int i = 0; i < sides; ++i) {
        double sine = 0.0, cosine = 0.0;
        bi_sincos(TURN * i / sides, &sine, &cosine);
        out[i] = v3(radius * cosine, radius * sine, z);
    }
    return sides;
}

int bi_touch_prism(int sides, BerthVec3* out) {
    const int count = ring_points(sides, 0.08, -0.12, out);
    return count + ring_points(sides, 0.08, 0.12, out + count);
}

int bi_touch_points(TouchObject object, BerthVec3* out) {
    switch (object) {
    case TOUCH_CUBE:
        return box_points(0.1, 0.1, 0.1, out);
    case TOUCH_RECTANGLE:
        return box_points(0.2, 0.12, 0.06, out);
    case TOUCH_CYLINDER:
        return bi_touch_prism(10, out);
    case TOUCH_CONE: {
        const int count = ring_points(10, 0.1, -0.1, out);
        out[count] = v3(0.0, 0.0, 0.1);
        return count + 1;
    }
    default:
        return 0;
    }
}

// A prism or, with one point less above, a pyramid, as a closed surface of exactly these vertices.
static bool write_solid(const char* folder, const char* name, TouchObject object) {
    BerthVec3 points[20];
    const int count = bi_touch_points(object, points);
    const bool cone = object == TOUCH_CONE;
    Surface s = {0};
    for (int i = 0; i < count; ++i) {
        bi_surface_add_vertex(&s, points[i]);
    }
    for (int i = 0; i < 10; ++i) {
        const int next = (i + 1) % 10;
        if (cone) {
            bi_surface_add_triangle(&s, i, next, 10);
        } else {
            bi_surface_add_quad(&s, i, next, 10 + next, 10 + i);
        }
        if (i >= 2) {
            bi_surface_add_triangle(&s, 0, i, i - 1);
        }
        if (i >= 2 && !cone) {
            bi_surface_add_triangle(&s, 10, 10 + i - 1, 10 + i);
        }
    }
    const bool good = bi_surface_write(&s, folder, name);
    bi_surface_free(&s);
    return good;
}

static void print_shape(Writer* w, TouchObject object) {
    switch (object) {
    case TOUCH_CUBE:
        bi_writer_print(w, "    box: {size: [0.2, 0.2, 0.2]}\n");
        break;
    case TOUCH_RECTANGLE:
        bi_writer_print(w, "    box: {size: [0.4, 0.24, 0.12]}\n");
        break;
    case TOUCH_CYLINDER:
        bi_writer_print(w, "    mesh: {file: cylinder.stl}\n");
        break;
    case TOUCH_CONE:
        bi_writer_print(w, "    mesh: {file: cone.stl}\n");
        break;
    default:
        bi_writer_print(w, "    sphere: {radius: %g}\n", TOUCH_RADIUS);
        break;
    }
}

static bool write_scene(const char* folder) {
    Writer w;
    bi_writer_open(&w, folder, "cell.yaml");
    bi_writer_print(
        &w, "%s",
        "# Made by make_models: the five objects of Tzafestas & Coiffet and a follower on one of them.\n"
        "# berth contact cell.yaml; berth contact cell.yaml --follower follower=hand.csv --constrain\n"
        "berth: 1\n"
        "objects:\n"
        "  - name: table\n"
        "    box: {size: [1.2, 1.2, 0.05]}\n"
        "    pose: {xyz: [0, 0, -0.025]}\n");
    for (int i = 0; i < TOUCH_BODY_COUNT; ++i) {
        const TouchBody* body = &bi_touch_scene[i];
        bi_writer_print(&w, "  - name: %s\n", body->name);
        print_shape(&w, body->object);
        bi_writer_print(&w, "    pose: {xyz: [%g, %g, %g], rpy: [0, 0, %g]}\n    mass: 1\n", body->at.x,
                        body->at.y, body->at.z, body->yaw);
    }
    bi_writer_print(&w,
                    "materials: {default: {stiffness: 1.0e4, damping: 40, viscosity: 10, friction: 0.5}}\n");
    return bi_writer_close(&w);
}

// A hand that brings the follower over the rectangle, presses it in, drags it over the edge and into the cube.
static bool write_hand(const char* folder) {
    static const double way[][4] = {{0.05, 0.02, 0.30, 0.4},  {0.05, 0.02, 0.20, 0.4},
                                    {0.10, 0.05, 0.20, 0.9},  {0.40, 0.10, 0.20, 0.9},
                                    {0.40, -0.20, 0.08, 0.2}, {0.00, -0.30, 0.05, 0.0}};
    enum { KNOTS = sizeof way / sizeof way[0], STEPS = 100 };
    Writer w;
    bi_writer_open(&w, folder, "hand.csv");
    bi_writer_print(&w, "time,x,y,z,roll,pitch,yaw\n");
    for (int i = 0; i <= (KNOTS - 1) * STEPS; ++i) {
        const int k = i < (KNOTS - 1) * STEPS ? i / STEPS : KNOTS - 2;
        const double u = (double)(i - k * STEPS) / STEPS;
        bi_writer_print(&w, "%.4f", 0.001 * i);
        for (int c = 0; c < 4; ++c) {
            bi_writer_print(&w, c == 3 ? ",0,0,%.6f" : ",%.6f", way[k][c] + u * (way[k + 1][c] - way[k][c]));
        }
        bi_writer_print(&w, "\n");
    }
    return bi_writer_close(&w);
}

bool bi_write_touch(const char* folder) {
    return write_solid(folder, "cylinder.stl", TOUCH_CYLINDER) &&
           write_solid(folder, "cone.stl", TOUCH_CONE) && write_scene(folder) && write_hand(folder);
}

// Eight by eight barrels of 78 triangles each, a finger apart: 64 closed convex pieces in one mesh.
static bool write_part(const char* folder, const char* name) {
    static const ProfilePoint barrel[3] = {{0.010, -0.02}, {0.014, 0.0}, {0.010, 0.02}};
    Surface s = {0};
    for (int i = 0; i < 64; ++i) {
        const int first = s.vertex_count;
        bi_surface_add_turned(&s, barrel, 3, 13);
        BerthPose place = berth_pose_identity();
        place.t = v3(0.03 * (i % 8) - 0.105, 0.03 * (i / 8) - 0.105, 0.002 * ((i * 5) % 3));
        bi_surface_move(&s, first, &place);
    }
    const bool good = bi_surface_write(&s, folder, name);
    bi_surface_free(&s);
    return good;
}

bool bi_write_touch_parts(const char* folder) {
    Writer w;
    bi_writer_open(&w, folder, "cell.yaml");
    bi_writer_print(
        &w, "%s",
        "# Made by make_models: two parts of 64 convex pieces each, 9,984 triangles, one on the other.\n"
        "berth: 1\n"
        "objects:\n"
        "  - name: lower\n"
        "    mesh: {file: part.stl}\n"
        "  - name: upper\n"
        "    mesh: {file: part.stl}\n"
        "    pose: {xyz: [0.004, 0.003, 0.0402], rpy: [0.004, -0.003, 0.02]}\n"
        "    mass: 0.5\n"
        "materials: {default: {stiffness: 1.0e4, damping: 20, viscosity: 5, friction: 0.5}}\n");
    return write_part(folder, "part.stl") && bi_writer_close(&w);
}

// ---- a mug -------------------------------------------------------------------------------------------------------

static const double MUG_OUTER = 0.035, MUG_INNER = 0.031, MUG_HEIGHT = 0.09, MUG_FLOOR = 0.005;

// One closed surface that is not convex: up outside, over the rim, down inside.
static bool write_cup(const char* folder) {
    enum { SIDES = 24 };
    const struct {
        double radius, height;
    } rings[4] = {{MUG_OUTER, 0.0}, {MUG_OUTER, MUG_HEIGHT}, {MUG_INNER, MUG_HEIGHT}, {MUG_INNER, MUG_FLOOR}};
    Surface s = {0};
    for (int i = 0; i < 4; ++i) {
        BerthVec3 points[SIDES];
        (void)ring_points(SIDES, rings[i].radius, rings[i].height, points);
        for (int k = 0; k < SIDES; ++k) {
            bi_surface_add_vertex(&s, points[k]);
        }
    }
    const int bottom = bi_surface_add_vertex(&s, v3(0.0, 0.0, 0.0));
    const int top = bi_surface_add_vertex(&s, v3(0.0, 0.0, MUG_FLOOR));
    bi_surface_join_rings(&s, 0, 4, SIDES, bottom, top);
    const bool good = bi_surface_write(&s, folder, "cup.stl");
    bi_surface_free(&s);
    return good;
}

bool bi_write_touch_mug(const char* folder) {
    Writer w;
    bi_writer_open(&w, folder, "cell.yaml");
    bi_writer_print(&w, "%s",
                    "# Made by make_models: a mug of 300 g, a hollow cup with three bars for an ear, 2 mm "
                    "above a table.\n"
                    "# berth contact cell.yaml --steps 2000\n"
                    "berth: 1\n"
                    "objects:\n"
                    "  - name: table\n"
                    "    box: {size: [0.6, 0.6, 0.05]}\n"
                    "    pose: {xyz: [0, 0, -0.025]}\n"
                    "  - name: mug\n"
                    "    parts:\n"
                    "      - mesh: {file: cup.stl}\n"
                    "      - box: {size: [0.022, 0.008, 0.006]}\n"
                    "        pose: {xyz: [0.0445, 0, 0.075]}\n"
                    "      - box: {size: [0.022, 0.008, 0.006]}\n"
                    "        pose: {xyz: [0.0445, 0, 0.025]}\n"
                    "      - box: {size: [0.006, 0.008, 0.056]}\n"
                    "        pose: {xyz: [0.0585, 0, 0.05]}\n"
                    "    pose: {xyz: [0, 0, 0.002]}\n"
                    "    mass: 0.3\n");
    return write_cup(folder) && bi_writer_close(&w);
}
