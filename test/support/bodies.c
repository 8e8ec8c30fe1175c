// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Convex bodies and brute force about them.

#include "support/bodies.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>

static double brute_tolerance(const BruteBody* body) {
    return 1e-11 * body->size;
}

// Planes through three corners with nothing outside; the same plane once.
static void find_faces(BruteBody* b) {
    const double near = brute_tolerance(b);
    for (int i = 0; i < b->corner_count; ++i) {
        for (int j = i + 1; j < b->corner_count; ++j) {
            for (int k = j + 1; k < b->corner_count; ++k) {
                Vec3 n = v3_cross(v3_sub(b->corner[j], b->corner[i]), v3_sub(b->corner[k], b->corner[i]));
                const double length = v3_length(n);
                if (length < 1e-9 * b->size * b->size) {
                    continue;
                }
                n = v3_scale(n, 1.0 / length);
                double high = -INFINITY, low = INFINITY;
                for (int m = 0; m < b->corner_count; ++m) {
                    const double h = v3_dot(n, v3_sub(b->corner[m], b->corner[i]));
                    high = fmax(high, h);
                    low = fmin(low, h);
                }
                if (high > near && low < -near) {
                    continue;
                }
                n = high > near ? v3_neg(n) : n;
                bool known = false;
                for (int f = 0; f < b->face_count; ++f) {
                    known = known || v3_distance(b->face[f].normal, n) < 1e-6;
                }
                if (!known) {
                    assert_true(b->face_count < BODY_FACES);
                    b->face[b->face_count].normal = n;
                    b->face[b->face_count++].offset = v3_dot(n, b->corner[i]);
                }
            }
        }
    }
}

// Two corners with two faces in common.
static void find_edges(BruteBody* b) {
    const double near = 10.0 * brute_tolerance(b);
    for (int i = 0; i < b->corner_count; ++i) {
        for (int j = i + 1; j < b->corner_count; ++j) {
            int common = 0;
            for (int f = 0; f < b->face_count; ++f) {
                common += fabs(v3_dot(b->face[f].normal, b->corner[i]) - b->face[f].offset) < near &&
                          fabs(v3_dot(b->face[f].normal, b->corner[j]) - b->face[f].offset) < near;
            }
            if (common >= 2) {
                assert_true(b->edge_count < BODY_EDGES);
                b->edge[b->edge_count].a = i;
                b->edge[b->edge_count++].b = j;
            }
        }
    }
    assert_int_equal(b->corner_count - b->edge_count + b->face_count, 2);
}

static void add_box(BruteBody* b, double x, double y, double z) {
    for (int i = 0; i < 8; ++i) {
        b->corner[b->corner_count++] = v3(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    }
}

static void add_ring(BruteBody* b, int sides, double radius, double z) {
    for (int i = 0; i < sides; ++i) {
        double s = 0.0, c = 0.0;
        bi_sincos(2.0 * M_PI * i / sides, &s, &c);
        b->corner[b->corner_count++] = v3(radius * c, radius * s, z);
    }
}

void brute_body(int kind, double scale, Random* random, BruteBody* out) {
    *out = (BruteBody){.size = 0.0};
    switch (kind) {
    case 0:
        add_box(out, 0.5, 0.5, 0.5);
        break;
    case 1:
        add_box(out, 1.0, 0.6, 0.4);
        break;
    case 2:
        add_ring(out, 10, 0.5, -0.6);
        add_ring(out, 10, 0.5, 0.6);
        break;
    case 3:
        add_ring(out, 10, 0.6, -0.5);
        out->corner[out->corner_count++] = v3(0.0, 0.0, 0.5);
        break;
    case 4:
        add_box(out, 1.0, 0.8, 0.01);
        break;
    case 5:
        add_box(out, 1.0, 0.02, 0.02);
        break;
    case 6:
        for (int i = 0; i < 4; ++i) {
            out->corner[out->corner_count++] =
                v3(i & 1 ? 0.6 : -0.6, i & 2 ? 0.6 : -0.6, (i == 0) == (i == 3) ? -0.6 : 0.6);
        }
        break;
    case 7:
        for (int i = 0; i < 6; ++i) {
            const double side = i & 1 ? 0.7 : -0.7;
            out->corner[out->corner_count++] =
                v3(i / 2 == 0 ? side : 0.0, i / 2 == 1 ? side : 0.0, i / 2 == 2 ? side : 0.0);
        }
        break;
    case 8:
        add_ring(out, 3, 0.7, -0.3);
        add_ring(out, 3, 0.7, 0.3);
        break;
    default:
        // Points on an ellipsoid: all of them are corners.
        for (int i = 0; i < 5 + kind - 9 + (int)(bi_random_next(random) % 8); ++i) {
            const BerthQuat q = bi_random_quat(random);
            const Vec3 u = v3_unit_or(v3(q.x, q.y, q.z), v3(1.0, 0.0, 0.0));
            out->corner[out->corner_count++] = v3(u.x, 0.7 * u.y, 0.5 * u.z);
        }
        break;
    }
    for (int i = 0; i < out->corner_count; ++i) {
        out->corner[i] = v3_scale(out->corner[i], scale);
        out->size = fmax(out->size, v3_length(out->corner[i]));
    }
    find_faces(out);
    find_edges(out);
}

void brute_add(BerthContactWorld* world, const BruteBody* body, int32_t levels, BerthBodyMotion motion) {
    BerthHull* hull = NULL;
    assert_int_equal(berth_hull_create(body->corner, body->corner_count, NULL, &hull), BERTH_OK);
    BerthContactPiece piece = {.body_from_shape = pose_identity()};
    assert_int_equal(berth_shape_hull(hull, &piece.shape), BERTH_OK);
    BerthContactBodyDef def = berth_default_contact_body_def();
    def.pieces = &piece;
    def.piece_count = 1;
    def.motion = motion;
    def.mass = 1.0;
    def.octree_levels = levels;
    assert_int_equal(berth_contact_add_body(world, &def, NULL), BERTH_OK);
    berth_hull_destroy(hull);
}

double brute_along(const BruteBody* a, const Pose* pose_a, const BruteBody* b, const Pose* pose_b, Vec3 n) {
    const Vec3 in_a = pose_turn_back(pose_a, n), in_b = pose_turn_back(pose_b, n);
    double high = -INFINITY, low = INFINITY;
    for (int i = 0; i < a->corner_count; ++i) {
        high = fmax(high, v3_dot(in_a, a->corner[i]));
    }
    for (int i = 0; i < b->corner_count; ++i) {
        low = fmin(low, v3_dot(in_b, b->corner[i]));
    }
    return high - low + v3_dot(n, v3_sub(pose_a->t, pose_b->t));
}

double brute_depth(const BruteBody* a, const Pose* pose_a, const BruteBody* b, const Pose* pose_b,
                   Vec3* axis) {
    double least = INFINITY;
    for (int f = 0; f < a->face_count + b->face_count; ++f) {
        const Vec3 n = f < a->face_count ? pose_turn(pose_a, a->face[f].normal)
                                         : v3_neg(pose_turn(pose_b, b->face[f - a->face_count].normal));
        const double depth = brute_along(a, pose_a, b, pose_b, n);
        *axis = depth < least ? n : *axis;
        least = fmin(least, depth);
    }
    for (int i = 0; i < a->edge_count; ++i) {
        const Vec3 d = pose_turn(pose_a, v3_sub(a->corner[a->edge[i].b], a->corner[a->edge[i].a]));
        for (int k = 0; k < b->edge_count; ++k) {
            const Vec3 e = pose_turn(pose_b, v3_sub(b->corner[b->edge[k].b], b->corner[b->edge[k].a]));
            Vec3 n = v3_cross(d, e);
            const double length = v3_length(n);
            if (length < 1e-9 * v3_length(d) * v3_length(e)) {
                continue;
            }
            n = v3_scale(n, 1.0 / length);
            for (int side = 0; side < 2; ++side, n = v3_neg(n)) {
                const double depth = brute_along(a, pose_a, b, pose_b, n);
                *axis = depth < least ? n : *axis;
                least = fmin(least, depth);
            }
        }
    }
    return least;
}

double brute_height(const BruteBody* body, const Pose* pose, Vec3 point) {
    const Vec3 p = pose_apply_back(pose, point);
    double high = -INFINITY;
    for (int f = 0; f < body->face_count; ++f) {
        high = fmax(high, v3_dot(body->face[f].normal, p) - body->face[f].offset);
    }
    return high;
}

static Pose quarter_turns(Random* random) {
    Pose pose = pose_identity();
    const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; ++i) {
        const Vec3 axis = axes[bi_random_next(random) % 3];
        // Exact: columns are permuted, not rotated.
        const Pose turn = axis.x > 0   ? (Pose){{1, 0, 0}, {0, 0, 1}, {0, -1, 0}, {0, 0, 0}}
                          : axis.y > 0 ? (Pose){{0, 0, -1}, {0, 1, 0}, {1, 0, 0}, {0, 0, 0}}
                                       : (Pose){{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, 0}};
        pose = pose_mul(&turn, &pose);
    }
    return pose;
}

Pose brute_meet(const BruteBody* a, const BruteBody* b, int way, Random* random) {
    const Vec3 zero = {0.0, 0.0, 0.0};
    const double size = a->size + b->size;
    Pose pose = bi_pose_from_unit_quat(bi_random_quat(random), zero);
    if (way == 0 || (way == 3 && bi_random_next(random) % 2)) {
        pose = quarter_turns(random);
    } else if (way == 2) {
        const Pose turn = bi_pose_axis_angle(v3(0, 0, 1), bi_random_between(random, -M_PI, M_PI), zero);
        const Pose quarter = quarter_turns(random);
        pose = pose_mul(&turn, &quarter);
    }
    const BerthQuat q = bi_random_quat(random);
    const Vec3 way_out = v3_unit_or(v3(q.x, q.y, q.z), v3(1, 0, 0));
    pose.t = v3_scale(way_out, bi_random_between(random, 0.0, 0.5) * size);
    if (way == 3) {
        // A corner of B on the middle of an edge of A.
        const int e = (int)(bi_random_next(random) % (uint64_t)a->edge_count);
        const Vec3 on =
            v3_lerp(a->corner[a->edge[e].a], a->corner[a->edge[e].b], bi_random_between(random, 0.1, 0.9));
        const Vec3 corner = pose_turn(&pose, b->corner[bi_random_next(random) % (uint64_t)b->corner_count]);
        pose.t = v3_sub(on, corner);
    }
    if (way == 5) {
        pose.t = v3_scale(way_out, 0.02 * size);  // contained, or nearly
    }
    if (way >= 3) {
        return pose;
    }
    // Along the least axis to the depth that is wanted.
    static const double depths[] = {0.0, 1e-13, 1e-10, 1e-6, 1e-3, 0.03, -1e-13, -1e-10, -1e-3};
    const double wanted = depths[bi_random_next(random) % 9] * size;
    const Pose here = pose_identity();
    for (int round = 0; round < 3; ++round) {
        Vec3 axis = {0, 0, 1};
        const double depth = brute_depth(a, &here, b, &pose, &axis);
        pose.t = v3_mad(pose.t, depth - wanted, axis);
    }
    return pose;
}
