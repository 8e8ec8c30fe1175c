// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lofts and tubes: rings of vertices through a few given ones, closed at both ends. Between the given rings every
// number goes along a Catmull-Rom spline, so bodies are round and bows are bent.

#include "math/math.h"
#include "models/surface.h"

static const double TURN = 6.283185307179586;

// A place on the spline: between keys at[1] and at[2], with the weights of four keys. The ends count twice.
typedef struct Blend {
    int at[4];
    double weight[4];
    double slope[4];  // of the weights
} Blend;

static int clamp_index(int index, int count) {
    return index < 0 ? 0 : index >= count ? count - 1 : index;
}

// Ring `ring` of `rings` through `count` keys.
static Blend blend_at(int ring, int rings, int count) {
    const int cell = clamp_index(ring * (count - 1) / (rings - 1), count - 1);
    const double t = (double)(ring * (count - 1) - cell * (rings - 1)) / (rings - 1);
    Blend b;
    for (int i = 0; i < 4; ++i) {
        b.at[i] = clamp_index(cell - 1 + i, count);
    }
    b.weight[0] = 0.5 * t * (t * (2 - t) - 1);
    b.weight[1] = 0.5 * (t * t * (3 * t - 5) + 2);
    b.weight[2] = 0.5 * t * (t * (4 - 3 * t) + 1);
    b.weight[3] = 0.5 * t * t * (t - 1);
    b.slope[0] = 0.5 * (t * (4 - 3 * t) - 1);
    b.slope[1] = 0.5 * t * (9 * t - 10);
    b.slope[2] = 0.5 * (t * (8 - 9 * t) + 1);
    b.slope[3] = 0.5 * t * (3 * t - 2);
    return b;
}

// Closes both ends of the rings around a middle.
static void close_rings(Surface* s, int first, int rings, int sides, Vec3 begin, Vec3 end) {
    const int bottom = bi_surface_add_vertex(s, begin), top = bi_surface_add_vertex(s, end);
    bi_surface_join_rings(s, first, rings, sides, bottom, top);
}

static Slice slice_at(const Slice* keys, const Blend* b) {
    Slice out = {0};
    for (int i = 0; i < 4; ++i) {
        const Slice* key = &keys[b->at[i]];
        out.height += b->weight[i] * key->height;
        out.half_x += b->weight[i] * key->half_x;
        out.half_y += b->weight[i] * key->half_y;
        out.x += b->weight[i] * key->x;
        out.y += b->weight[i] * key->y;
        out.square += b->weight[i] * key->square;
    }
    return out;
}

// How far a rounded square reaches in a direction, against the circle inside it: |x|^8 + |y|^8 = 1.
static double square_reach(double sine, double cosine) {
    const double s2 = sine * sine, c2 = cosine * cosine;
    const double s4 = s2 * s2, c4 = c2 * c2;
    return 1.0 / sqrt(sqrt(sqrt(s4 * s4 + c4 * c4)));
}

void bi_surface_add_loft(Surface* s, const Slice* keys, int count, int rings, int sides) {
    if (count < 2 || rings < 2 || sides < 3) {
        s->failed = true;
        return;
    }
    const int first = s->vertex_count;
    for (int ring = 0; ring < rings; ++ring) {
        const Blend blend = blend_at(ring, rings, count);
        const Slice slice = rings == count ? keys[ring] : slice_at(keys, &blend);
        for (int side = 0; side < sides; ++side) {
            double sine = 0.0, cosine = 0.0;
            bi_sincos(TURN * side / sides, &sine, &cosine);
            const double reach = 1.0 + slice.square * (square_reach(sine, cosine) - 1.0);
            bi_surface_add_vertex(s, v3(slice.x + slice.half_x * reach * cosine,
                                        slice.y + slice.half_y * reach * sine, slice.height));
        }
    }
    const Slice *low = &keys[0], *high = &keys[count - 1];
    close_rings(s, first, rings, sides, v3(low->x, low->y, low->height), v3(high->x, high->y, high->height));
}

// Some direction across `along`, the same for the same input everywhere.
static Vec3 across(Vec3 along) {
    const Vec3 axis = along.x * along.x > 0.5 * v3_length_sq(along) ? v3(0, 1, 0) : v3(1, 0, 0);
    return axis;
}

static Vec3 made_square(Vec3 v, Vec3 along) {
    const Vec3 flat = v3_sub(v, v3_scale(along, v3_dot(v, along)));
    return v3_unit_or(flat, v3(0, 0, 1));
}

void bi_surface_add_tube(Surface* s, const Knot* keys, int count, int rings, int sides) {
    if (count < 2 || rings < 2 || sides < 3) {
        s->failed = true;
        return;
    }
    const int first = s->vertex_count;
    Vec3 u = across(v3_sub(keys[1].at, keys[0].at));
    for (int ring = 0; ring < rings; ++ring) {
        const Blend blend = blend_at(ring, rings, count);
        Vec3 at = v3(0, 0, 0), along = v3(0, 0, 0);
        double radius = 0.0;
        for (int i = 0; i < 4; ++i) {
            const Knot* key = &keys[blend.at[i]];
            at = v3_add(at, v3_scale(key->at, blend.weight[i]));
            along = v3_add(along, v3_scale(key->at, blend.slope[i]));
            radius += blend.weight[i] * key->radius;
        }
        along = v3_unit_or(along, v3(0, 0, 1));
        u = made_square(u, along);  // carried along, so that the tube does not twist
        const Vec3 v = v3_cross(along, u);
        for (int side = 0; side < sides; ++side) {
            double sine = 0.0, cosine = 0.0;
            bi_sincos(TURN * side / sides, &sine, &cosine);
            const Vec3 out = v3_add(v3_scale(u, radius * cosine), v3_scale(v, radius * sine));
            bi_surface_add_vertex(s, v3_add(at, out));
        }
    }
    close_rings(s, first, rings, sides, keys[0].at, keys[count - 1].at);
}
