// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Measures of balls around a body: volume, how far they protrude, and how much of the body is outside them.
// Entries: bi_cover_protrusion, bi_cover_largest_protrusion, bi_cover_measure.

#include <float.h>
#include <string.h>

#include "cover/cover.h"

enum { SPHERE_SAMPLES = 160, SOLID_CELLS = 60000, SPLIT_STACK = 64 };

// Depths are computed with errors of this share of the body's size.
#define DEPTH_SLACK 1e-9

// The ball around c of the body's depth d at c is inside it, so nothing of a ball of radius r is further away than r - d.
// An octahedron of radius r is inside that ball.
double bi_cover_protrusion(const CoverBody* body, const Ball* ball) {
    double excess = 0.0;
    for (int32_t i = 0; i < body->part_count; ++i) {
        excess = fmax(excess, body->parts[i].excess);
    }
    return ball->radius - bi_cover_depth(body, ball->centre) + excess + DEPTH_SLACK * body->diagonal;
}

double bi_cover_largest_protrusion(const CoverBody* body, const Ball* balls, int32_t count) {
    double reach = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        reach = fmax(reach, bi_cover_protrusion(body, &balls[i]));
    }
    return reach;
}

static bool in_another(BerthMetric metric, const Ball* balls, int32_t count, int32_t own, Vec3 p) {
    for (int32_t i = 0; i < count; ++i) {
        if (i != own && cover_within(metric, balls[i].centre, balls[i].radius, p)) {
            return true;
        }
    }
    return false;
}

// Points spread evenly over each sphere (a golden spiral); what is inside another ball is not surface of the union.
static double mean_reach(const CoverBody* body, const Ball* balls, int32_t count, CoverStop stop) {
    const double golden = 2.399963229728653;
    double sum = 0.0, weight = 0.0;
    const int32_t samples = count > 400 ? 24 : SPHERE_SAMPLES;

    for (int32_t i = 0; i < count && !stop.asked(stop.user); ++i) {
        const double share = balls[i].radius * balls[i].radius / samples;
        for (int32_t k = 0; k < samples; ++k) {
            const double z = 1.0 - (2.0 * k + 1.0) / samples;
            const double across = sqrt(fmax(0.0, 1.0 - z * z));
            double s, c;
            bi_sincos(golden * k, &s, &c);
            const Vec3 out = v3(across * c, across * s, z);
            const Vec3 p = v3_mad(balls[i].centre, balls[i].radius / cover_length(body->metric, out), out);
            if (!in_another(body->metric, balls, count, i, p)) {
                sum += share * fmax(0.0, -bi_cover_depth(body, p));
                weight += share;
            }
        }
    }

    return weight > 0.0 ? sum / weight : 0.0;
}

static double distance_to_balls(BerthMetric metric, const Ball* balls, int32_t count, Vec3 p) {
    double least = DBL_MAX;
    for (int32_t i = 0; i < count; ++i) {
        least = fmin(least, cover_length(metric, v3_sub(p, balls[i].centre)) - balls[i].radius);
    }
    return least;
}

// Area by small triangles, each in or out by its middle; how far by their corners and middles.
static void measure_outside(const CoverBody* body, const Ball* balls, int32_t count, CoverStop stop,
                            CoverMeasure* out) {
    const double edge = body->diagonal / 150.0;
    double outside = 0.0, total = 0.0;
    int64_t looked = 0;
    out->outside_most = 0.0;

    for (int32_t i = 0; i < body->triangle_count; ++i) {
        Triangle stack[SPLIT_STACK];
        int32_t waiting = 1;
        stack[0] = body->triangles[i];
        while (waiting > 0 && ((++looked & 1023) != 0 || !stop.asked(stop.user))) {
            const Triangle cell = stack[--waiting];
            const Vec3* t = cell.point;

            // Too large: halved across its longest edge.
            double longest_sq;
            const int32_t k = cover_longest_edge(t, &longest_sq);
            if (longest_sq > edge * edge && waiting + 2 <= SPLIT_STACK) {
                const Vec3 middle = v3_lerp(t[k], t[(k + 1) % 3], 0.5);
                stack[waiting++] = (Triangle){{t[k], middle, t[(k + 2) % 3]}};
                stack[waiting++] = (Triangle){{middle, t[(k + 1) % 3], t[(k + 2) % 3]}};
                continue;
            }

            const Vec3 middle = v3_scale(v3_add(v3_add(t[0], t[1]), t[2]), 1.0 / 3.0);
            const double area = v3_length(v3_cross(v3_sub(t[1], t[0]), v3_sub(t[2], t[0])));
            const double gap = distance_to_balls(body->metric, balls, count, middle);

            total += area;
            outside += gap > 0.0 ? area : 0.0;
            out->outside_most = fmax(out->outside_most, gap);

            for (int32_t corner = 0; corner < 3 && gap > -2.0 * edge; ++corner) {
                out->outside_most =
                    fmax(out->outside_most, distance_to_balls(body->metric, balls, count, t[corner]));
            }
        }
    }

    out->outside_share = total > 0.0 ? outside / total : 0.0;
}

// One closed part knows its volume; of several the union is counted in small cells.
static double solid_volume(const CoverBody* body, CoverStop stop) {
    if (body->open_count > 0) {
        return 0.0;
    }
    if (body->given_count > 0) {
        const CoverLines lines = bi_cover_lines(body);
        return bi_cover_union_volume(body->given, body->given_count, &lines);
    }
    if (body->part_count == 1) {
        return body->parts[0].solid->mesh->info.volume;
    }

    const Vec3 size = v3_sub(body->high, body->low);
    const double step = fmax(cbrt(size.x * size.y * size.z / SOLID_CELLS), body->diagonal / 400.0);

    int64_t inside = 0;
    for (double x = body->low.x + 0.5 * step; x < body->high.x; x += step) {
        for (double y = body->low.y + 0.5 * step; y < body->high.y && !stop.asked(stop.user); y += step) {
            for (double z = body->low.z + 0.5 * step; z < body->high.z; z += step) {
                bool in = false;
                for (int32_t i = 0; i < body->part_count && !in; ++i) {
                    const CoverPart* part = &body->parts[i];
                    const Vec3 at = pose_apply_back(&part->body_from_solid, v3(x, y, z));
                    in = at.x > part->solid->low.x && at.y > part->solid->low.y &&
                         at.z > part->solid->low.z && at.x < part->solid->high.x &&
                         at.y < part->solid->high.y && at.z < part->solid->high.z &&
                         bi_solid_contains(part->solid, at);
                }
                inside += in ? 1 : 0;
            }
        }
    }

    return (double)inside * step * step * step;
}

BerthStatus bi_cover_measure(const CoverBody* body, const Ball* balls, int32_t count, bool covered,
                             CoverStop stop, CoverMeasure* out) {
    const CoverLines lines = bi_cover_lines(body);
    *out = (CoverMeasure){.volume = bi_cover_union_volume(balls, count, &lines)};

    out->solid_volume = solid_volume(body, stop);
    out->reach = bi_cover_largest_protrusion(body, balls, count);
    out->mean_reach = mean_reach(body, balls, count, stop);
    if (!covered) {
        measure_outside(body, balls, count, stop, out);
    }
    return stop.asked(stop.user) ? bi_fail(BERTH_ERR_CANCELLED, "cover: stopped") : BERTH_OK;
}
