// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Closed surfaces made by code. Every edge is shared by two triangles in opposite directions, winding is outward.

#include "models/surface.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "models/writer.h"

static const double TURN = 6.283185307179586;

// Makes room for one more; null when there is no memory.
static void* grown(void* items, int count, int* room, size_t size) {
    if (count < *room) {
        return items;
    }
    const int wanted = *room > 0 ? 2 * *room : 256;
    void* larger = realloc(items, (size_t)wanted * size);
    if (larger != NULL) {
        *room = wanted;
    }
    return larger;
}

void bi_surface_free(Surface* s) {
    free(s->vertices);
    free(s->triangles);
    *s = (Surface){0};
}

int bi_surface_add_vertex(Surface* s, BerthVec3 point) {
    BerthVec3* vertices = grown(s->vertices, s->vertex_count, &s->vertex_room, sizeof *vertices);
    if (vertices == NULL) {
        s->failed = true;
        return 0;
    }
    s->vertices = vertices;
    s->vertices[s->vertex_count] = point;
    return s->vertex_count++;
}

void bi_surface_add_triangle(Surface* s, int a, int b, int c) {
    int(*triangles)[3] = grown(s->triangles, s->triangle_count, &s->triangle_room, sizeof *triangles);
    if (triangles == NULL) {
        s->failed = true;
        return;
    }
    s->triangles = triangles;
    int* corners = s->triangles[s->triangle_count++];
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

void bi_surface_add_quad(Surface* s, int a, int b, int c, int d) {
    bi_surface_add_triangle(s, a, b, c);
    bi_surface_add_triangle(s, a, c, d);
}

void bi_surface_join_rings(Surface* s, int first, int rings, int sides, int bottom, int top) {
    for (int side = 0; side < sides; ++side) {
        const int next = (side + 1) % sides;
        bi_surface_add_triangle(s, bottom, first + next, first + side);
        for (int ring = 0; ring + 1 < rings; ++ring) {
            const int low = first + ring * sides, high = low + sides;
            bi_surface_add_quad(s, low + side, low + next, high + next, high + side);
        }
        const int last = first + (rings - 1) * sides;
        bi_surface_add_triangle(s, top, last + side, last + next);
    }
}

void bi_surface_add_turned(Surface* s, const ProfilePoint* profile, int count, int sides) {
    const int bottom = bi_surface_add_vertex(s, v3(0, 0, profile[0].height));
    const int top = bi_surface_add_vertex(s, v3(0, 0, profile[count - 1].height));
    const int first = s->vertex_count;
    for (int ring = 0; ring < count; ++ring) {
        for (int side = 0; side < sides; ++side) {
            double sine = 0.0, cosine = 0.0;
            bi_sincos(TURN * side / sides, &sine, &cosine);
            bi_surface_add_vertex(
                s, v3(profile[ring].radius * cosine, profile[ring].radius * sine, profile[ring].height));
        }
    }
    bi_surface_join_rings(s, first, count, sides, bottom, top);
}

// Each of the 8 corners of the box has three vertices, one for each face that meets there: vertex (corner, axis)
// lies on the face across `axis`. Faces, chamfered edges and cut corners all join these 24.
static int box_vertex(int first, int corner, int axis) {
    return first + 3 * corner + axis;
}

static void add_box_face(Surface* s, int first, int axis, int side) {
    const int u = 1 << ((axis + 1) % 3), v = 1 << ((axis + 2) % 3), base = side ? 1 << axis : 0;
    const int a = box_vertex(first, base, axis), b = box_vertex(first, base | u, axis);
    const int c = box_vertex(first, base | u | v, axis), d = box_vertex(first, base | v, axis);
    side ? bi_surface_add_quad(s, a, b, c, d) : bi_surface_add_quad(s, a, d, c, b);
}

// The edge along `axis` between the face across u and the face across v.
static void add_box_edge(Surface* s, int first, int axis, int u_side, int v_side) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const int low = (u_side ? 1 << u : 0) | (v_side ? 1 << v : 0), high = low | 1 << axis;
    const int a = box_vertex(first, low, u), b = box_vertex(first, low, v);
    const int c = box_vertex(first, high, v), d = box_vertex(first, high, u);
    u_side == v_side ? bi_surface_add_quad(s, a, b, c, d) : bi_surface_add_quad(s, a, d, c, b);
}

void bi_surface_add_box(Surface* s, BerthVec3 centre, BerthVec3 size, double chamfer) {
    const int first = s->vertex_count;
    for (int corner = 0; corner < 8; ++corner) {
        for (int axis = 0; axis < 3; ++axis) {
            double p[3];
            for (int k = 0; k < 3; ++k) {
                const double half = v3_at(size, k) / 2 - (k == axis ? 0.0 : chamfer);
                p[k] = v3_at(centre, k) + (corner >> k & 1 ? half : -half);
            }
            bi_surface_add_vertex(s, v3(p[0], p[1], p[2]));
        }
    }
    for (int axis = 0; axis < 3 && !s->failed; ++axis) {
        for (int side = 0; side < 2; ++side) {
            add_box_face(s, first, axis, side);
            add_box_edge(s, first, axis, side, 0);
            add_box_edge(s, first, axis, side, 1);
        }
    }
    for (int corner = 0; corner < 8; ++corner) {
        const int x = box_vertex(first, corner, 0), y = box_vertex(first, corner, 1),
                  z = box_vertex(first, corner, 2);
        const bool outward = (((corner & 1) + (corner >> 1 & 1) + (corner >> 2 & 1)) & 1) != 0;
        outward ? bi_surface_add_triangle(s, x, y, z) : bi_surface_add_triangle(s, x, z, y);
    }
}

void bi_surface_scale(Surface* s, double scale) {
    for (int i = 0; i < s->vertex_count; ++i) {
        s->vertices[i] = v3_scale(s->vertices[i], scale);
    }
}

void bi_surface_move(Surface* s, int first, const BerthPose* outer_from_inner) {
    for (int i = first; i < s->vertex_count; ++i) {
        s->vertices[i] = pose_apply(outer_from_inner, s->vertices[i]);
    }
}

static void write_obj(const Surface* s, Writer* writer) {
    bi_writer_print(writer, "# made by make_models\n");
    for (int i = 0; i < s->vertex_count; ++i) {
        const Vec3 p = s->vertices[i];
        bi_writer_print(writer, "v %.9g %.9g %.9g\n", p.x, p.y, p.z);
    }
    for (int i = 0; i < s->triangle_count; ++i) {
        const int* t = s->triangles[i];
        bi_writer_print(writer, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
}

// Little-endian whatever the machine.
static unsigned char* put_u32(unsigned char* at, uint32_t value) {
    for (int i = 0; i < 4; ++i) {
        *at++ = (unsigned char)(value >> (8 * i) & 255u);
    }
    return at;
}

static unsigned char* put_vec(unsigned char* at, Vec3 v) {
    for (int i = 0; i < 3; ++i) {
        const float value = (float)v3_at(v, i);
        uint32_t bits = 0;
        memcpy(&bits, &value, sizeof bits);
        at = put_u32(at, bits);
    }
    return at;
}

static void write_stl(const Surface* s, Writer* writer) {
    unsigned char head[84] = "made by make_models, metres";
    put_u32(head + 80, (uint32_t)s->triangle_count);
    bi_writer_bytes(writer, head, sizeof head);
    for (int i = 0; i < s->triangle_count; ++i) {
        const int* t = s->triangles[i];
        const Vec3 a = s->vertices[t[0]], b = s->vertices[t[1]], c = s->vertices[t[2]];
        unsigned char record[50] = {0};
        const Vec3 normal = v3_unit_or(v3_cross(v3_sub(b, a), v3_sub(c, a)), v3(0, 0, 0));
        put_vec(put_vec(put_vec(put_vec(record, normal), a), b), c);
        bi_writer_bytes(writer, record, sizeof record);
    }
}

bool bi_surface_write(const Surface* s, const char* folder, const char* name) {
    if (s->failed) {
        errno = ENOMEM;
        return false;
    }
    Writer writer;
    bi_writer_open(&writer, folder, name);
    const size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".obj") == 0) {
        write_obj(s, &writer);
    } else {
        write_stl(s, &writer);
    }
    return bi_writer_close(&writer);
}
