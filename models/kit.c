// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Pieces and their shares of a triangle budget; object files; scene files.

#include "models/kit.h"

#include <errno.h>
#include <string.h>

#include "math/math.h"

static const double QUARTER = 1.5707963267948966;

#define PIECE_MAX 512
#define SIDES_LEAST 6
#define SIDES_MOST 96

static bool is_sheet(const Piece* p) {
    return v3_length_sq(p->sheet.thickness) > 0.0;
}

// Squares along the two directions of a sheet, as square as can be, so that it has at most so many triangles.
static void sheet_steps(const Sheet* sheet, int triangles, int* u, int* v) {
    const double along = v3_distance(sheet->corners[0], sheet->corners[1]);
    const double across = v3_distance(sheet->corners[0], sheet->corners[3]);
    *u = 1;
    *v = 1;
    while (true) {
        const int wider = along * *v >= across * *u ? 1 : 0;
        const int nu = *u + wider, nv = *v + 1 - wider;
        if (4 * nu * nv + 4 * (nu + nv) > triangles) {
            return;
        }
        *u = nu;
        *v = nv;
    }
}

static int least_triangles(const Piece* p) {
    if (p->profile_count > 0) {
        return 2 * SIDES_LEAST * p->profile_count;
    }
    if (p->ring > 0.0) {
        return 2 * SIDES_LEAST * p->sides;
    }
    if (p->slice_count > 0 || p->knot_count > 0) {
        return 2 * p->sides * (p->slice_count > 0 ? p->slice_count : p->knot_count);
    }
    return is_sheet(p) || p->chamfer == 0.0 ? 12 : 44;
}

// So many times around that the triangles are used up, within reason.
static int sides_for(int triangles, int each) {
    const int sides = triangles / (2 * each);
    return sides > SIDES_MOST ? SIDES_MOST : sides;
}

// As many rings as there are triangles for, unless the piece is to have its own only.
static void add_swept(Surface* s, const Piece* p, int triangles) {
    const int own = p->slice_count > 0 ? p->slice_count : p->knot_count;
    const int rings = p->straight || triangles == 0 ? own : triangles / (2 * p->sides);
    if (p->slice_count > 0) {
        bi_surface_add_loft(s, p->slices, own, rings, p->sides);
    } else {
        bi_surface_add_tube(s, p->knots, own, rings, p->sides);
    }
}

static void add_coarse(Surface* s, const Piece* p, int triangles) {
    if (p->profile_count > 0) {
        const int sides = triangles > 0 ? sides_for(triangles, p->profile_count) : p->sides;
        bi_surface_add_turned(s, p->profile, p->profile_count, sides);
    } else if (p->slice_count > 0 || p->knot_count > 0) {
        add_swept(s, p, triangles);
    } else if (p->ring > 0.0) {
        bi_surface_add_torus(s, p->ring, p->tube, triangles / (2 * p->sides), p->sides);
    } else if (is_sheet(p)) {
        int u = 0, v = 0;
        sheet_steps(&p->sheet, triangles, &u, &v);
        bi_surface_add_sheet(s, &p->sheet, u, v);
    } else if (p->chamfer > 0.0) {
        bi_surface_add_box(s, v3(0, 0, 0), p->size, p->chamfer);
    } else {
        bi_surface_add_bar(s, v3(0, 0, 0), p->size);
    }
}

void bi_piece_add(Surface* s, const Piece* p, int triangles) {
    const int first_vertex = s->vertex_count, first = s->triangle_count;
    if (triangles > 0 && triangles < least_triangles(p)) {
        s->failed = true;
        return;
    }
    add_coarse(s, p, triangles);
    if (triangles > 0) {
        bi_surface_refine(s, first, first + triangles);
    }
    const Vec3 turn = v3(p->turn.x * QUARTER, p->turn.y * QUARTER, p->turn.z * QUARTER);
    const BerthPose pose = berth_pose_from_rpy(p->place, turn);
    bi_surface_move(s, first_vertex, &pose);
}

bool bi_share_triangles(const Piece* pieces, int count, int total, int* shares) {
    int left = total;
    double weights = 0.0;
    for (int i = 0; i < count; ++i) {
        shares[i] = least_triangles(&pieces[i]);
        left -= shares[i];
        weights += pieces[i].weight > 0.0 ? pieces[i].weight : 1.0;
    }
    if (left < 0 || total % 2 != 0) {
        errno = EDOM;
        return false;
    }
    const int spare = left;
    for (int i = 0; i < count; ++i) {
        const double weight = pieces[i].weight > 0.0 ? pieces[i].weight : 1.0;
        const int more = i + 1 < count ? 2 * (int)(spare / 2 * weight / weights) : left;
        shares[i] += more;
        left -= more;
    }
    return true;
}

// The end of the run of pieces with the same owner.
static int owner_end(const Piece* pieces, int count, int at) {
    int end = at + 1;
    while (end < count && strcmp(pieces[end].owner, pieces[at].owner) == 0) {
        ++end;
    }
    return end;
}

bool bi_write_objects(const char* folder, const Piece* pieces, int count, int total, double scale) {
    int shares[PIECE_MAX];
    if (count > PIECE_MAX || !bi_share_triangles(pieces, count, total, shares)) {
        return false;
    }
    bool done = true;
    for (int at = 0; at < count && done;) {
        Surface s = {0};
        const int end = owner_end(pieces, count, at);
        char name[64];
        (void)snprintf(name, sizeof name, "%s.stl", pieces[at].owner);
        for (; at < end; ++at) {
            bi_piece_add(&s, &pieces[at], shares[at]);
        }
        bi_surface_scale(&s, scale);
        done = bi_surface_write(&s, folder, name);
        bi_surface_free(&s);
    }
    return done;
}

bool bi_write_cell(const char* folder, const Cell* cell) {
    Writer w;
    bi_writer_open(&w, folder, "cell.yaml");
    bi_writer_print(&w, "# Made by make_models: %s.\nberth: 1\nrobots:\n", cell->about);
    for (int i = 0; i < cell->robot_count; ++i) {
        const CellRobot* robot = &cell->robots[i];
        const Vec3 base = v3_scale(robot->base, cell->scale);
        bi_writer_print(&w, "  - name: %s\n    urdf: %s.urdf\n    srdf: %s.srdf\n", robot->name, robot->file,
                        robot->file);
        bi_writer_print(&w, "    base: {xyz: [%.9g, %.9g, %.9g], rpy: [0, 0, %.17g]}\n    state: start\n",
                        base.x, base.y, base.z, robot->yaw);
    }
    bi_writer_print(&w, "objects:\n");
    for (int i = 0; i < cell->object_count; ++i) {
        const CellObject* object = &cell->objects[i];
        const Vec3 at = object->place;
        bi_writer_print(&w, "  - name: %s\n    mesh: {file: %s}\n    pose: {xyz: [%.17g, %.17g, %.17g]}\n",
                        object->name, object->file, at.x, at.y, at.z);
    }
    for (int i = 0; i < cell->piece_count; i = owner_end(cell->pieces, cell->piece_count, i)) {
        const char* owner = cell->pieces[i].owner;
        bi_writer_print(&w, "  - name: %s\n    mesh: {file: %s.stl}\n", owner, owner);
    }
    for (int i = 0; i < cell->allow_count; ++i) {
        bi_writer_print(&w, "%s  - [%s, %s]\n", i == 0 ? "allow:\n" : "", cell->allow[2 * i],
                        cell->allow[2 * i + 1]);
    }
    return bi_writer_close(&w);
}
