// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Segments before FCL and KDL.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/judge.h"

#if BERTH_HAVE_ORACLES
#include "oracle/peer_fcl.h"
#include "oracle/peer_kdl.h"

enum { PARTS = 160, JOINTS = 64, SIDES = 256 };
// FCL's distances of meshes are good to 1e-15 of their sizes, KDL's poses to some 1e-15.
static const double agree = 1e-9;
// Balls and capsules are a needle of this width with a radius: exact but for so much, on the far side.
static const double needle = 1e-6;

/// Triangles with a radius round them, or a half-space.
typedef struct Part {
    int body;
    bool plane;
    double normal[3], offset;
    double* vertices;
    int vertex_count;
    double centre[3], radius;  // a ball round the vertices
    double round;
    double in_body[12], pose[12];
    PeerFcl* peer;
} Part;

typedef struct Pair {
    int a, b;  // parts
    double padding;
} Pair;

struct Judge {
    const BerthScene* scene;
    PeerKdl* kdl;
    int joint_count;
    const char* joints[JOINTS];
    int value[JOINTS];  // that the joint follows, or -1
    double multiplier[JOINTS], offset[JOINTS];
    Part parts[PARTS];
    int part_count;
    Pair* pairs;
    int pair_count, nearest;  // in the last state
};

// ---- poses as twelve numbers ------------------------------------------------------------------------------------

static void apply(const double pose[12], const double p[3], double out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = pose[3 * i] * p[0] + pose[3 * i + 1] * p[1] + pose[3 * i + 2] * p[2] + pose[9 + i];
    }
}

static void multiply(const double a[12], const double b[12], double out[12]) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
    apply(a, b + 9, out + 9);
}

static void rows_of(const BerthPose* p, double out[12]) {
    const double rows[12] = {p->x.x, p->y.x, p->z.x, p->x.y, p->y.y, p->z.y,
                             p->x.z, p->y.z, p->z.z, p->t.x, p->t.y, p->t.z};
    memcpy(out, rows, sizeof rows);
}

// ---- parts ------------------------------------------------------------------------------------------------------

// Owns the vertices from here on.
static bool set_triangles(Part* part, double* vertices, int vertex_count, const int32_t* triangles,
                          int triangle_count) {
    part->vertices = vertices;
    part->vertex_count = vertex_count;
    for (int i = 0; i < 3; ++i) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < vertex_count; ++k) {
            low = fmin(low, vertices[3 * k + i]);
            high = fmax(high, vertices[3 * k + i]);
        }
        part->centre[i] = 0.5 * (low + high);
    }
    for (int k = 0; k < vertex_count; ++k) {
        const double* v = vertices + 3 * k;
        part->radius = fmax(part->radius, hypot(hypot(v[0] - part->centre[0], v[1] - part->centre[1]),
                                                v[2] - part->centre[2]));
    }
    part->radius = part->radius * (1 + 1e-12) + 1e-12;
    part->peer = peer_fcl_mesh(vertices, vertex_count, triangles, triangle_count);
    return part->peer != NULL;
}

static bool set_box(Part* part, BerthVec3 half) {
    static const int32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    double* v = malloc(24 * sizeof *v);
    for (int k = 0; k < 8; ++k) {
        v[3 * k] = (k & 1) != 0 ? half.x : -half.x;
        v[3 * k + 1] = (k & 2) != 0 ? half.y : -half.y;
        v[3 * k + 2] = (k & 4) != 0 ? half.z : -half.z;
    }
    return set_triangles(part, v, 8, faces, 12);
}

// Between two rings or, where the upper radius is 0, a tip. The corners are on the circle, the sides inside of it.
static bool set_prism(Part* part, double low_radius, double high_radius, double length) {
    double* v = malloc((2 * SIDES + 2) * 3 * sizeof *v);
    int32_t* faces = malloc((size_t)4 * SIDES * 3 * sizeof *faces);
    for (int k = 0; k < 2 * SIDES + 2; ++k) {
        const bool high = k % 2 == 1;
        const double radius = k >= 2 * SIDES ? 0.0 : high ? high_radius : low_radius;
        const double angle = 2 * acos(-1.0) * (k / 2) / SIDES;
        v[3 * k] = radius * cos(angle);
        v[3 * k + 1] = radius * sin(angle);
        v[3 * k + 2] = high ? length / 2 : -length / 2;
    }
    int count = 0;
    for (int s = 0; s < SIDES; ++s) {
        const int32_t a = 2 * s, b = 2 * ((s + 1) % SIDES), end = 2 * SIDES;
        const int32_t four[12] = {a, end, b, a, b, b + 1, a, b + 1, a + 1, a + 1, b + 1, end + 1};
        const int used = high_radius > 0 ? 4 : 2;  // a cone has no upper ring
        memcpy(faces + 3 * count, four, (size_t)used * 3 * sizeof *four);
        count += used;
    }
    const bool done = set_triangles(part, v, 2 * SIDES + 2, faces, count);
    free(faces);
    return done;
}

static bool set_needle(Part* part, double radius, double length) {
    const int32_t face[3] = {0, 1, 2};
    const double end = length / 2 + needle / 4;
    const double at[9] = {-needle / 2, 0, -end, -needle / 2, 0, end, needle / 2, 0, 0};
    double* v = malloc(sizeof at);
    memcpy(v, at, sizeof at);
    part->round = fmax(0, radius - needle);
    return set_triangles(part, v, 3, face, 1);
}

static bool set_part(Part* part, const BerthSolid* solid) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    if (mesh != NULL) {
        const BerthMeshInfo info = berth_mesh_info(mesh);
        const size_t size = (size_t)info.vertex_count * 3 * sizeof(double);
        double* v = malloc(size);
        memcpy(v, berth_mesh_vertices(mesh), size);
        return set_triangles(part, v, info.vertex_count, berth_mesh_triangles(mesh), info.triangle_count);
    }
    const BerthShape* s = berth_solid_shape(solid);
    switch (s->kind) {
    case BERTH_SPHERE:
        return set_needle(part, s->as.sphere.radius, 0);
    case BERTH_CAPSULE:
        return set_needle(part, s->as.capsule.radius, s->as.capsule.length);
    case BERTH_BOX:
        return set_box(part, s->as.box.half);
    case BERTH_CYLINDER:
        return set_prism(part, s->as.cylinder.radius, s->as.cylinder.radius, s->as.cylinder.length);
    case BERTH_CONE:
        return set_prism(part, s->as.cone.radius, 0, s->as.cone.length);
    case BERTH_HALFSPACE:
        part->plane = true;
        part->normal[0] = s->as.halfspace.normal.x;
        part->normal[1] = s->as.halfspace.normal.y;
        part->normal[2] = s->as.halfspace.normal.z;
        part->offset = s->as.halfspace.offset;
        return true;
    default:
        return false;
    }
}

static bool add_parts(Judge* judge, const BerthRobot* robot, int body) {
    const BerthBodyInfo info = berth_scene_body(judge->scene, body);
    for (int i = 0; i < info.part_count; ++i) {
        if (judge->part_count == PARTS) {
            return false;
        }
        Part* part = &judge->parts[judge->part_count++];
        part->body = body;
        BerthPose pose;
        const BerthSolid* solid;
        if (info.object.age == 0) {
            solid = berth_robot_solid(robot, info.link, i, &pose, NULL);
            rows_of(&pose, part->in_body);
        } else {
            BerthObjectInfo object;
            double outer[12], inner[12];
            assert_int_equal(berth_scene_object(judge->scene, info.object, &object), BERTH_OK);
            solid = berth_scene_object_part(judge->scene, info.object, i, &pose);
            rows_of(&object.pose, outer);
            rows_of(&pose, inner);
            multiply(outer, inner, part->in_body);
        }
        memcpy(part->pose, part->in_body, sizeof part->pose);
        if ((info.object.age != 0 && info.link >= 0) || !set_part(part, solid)) {
            return false;
        }
    }
    return true;
}

static void add_pairs(Judge* judge, double padding) {
    judge->pairs = malloc((size_t)(judge->part_count * judge->part_count + 1) * sizeof *judge->pairs);
    for (int p = 0; p < berth_scene_pair_count(judge->scene); ++p) {
        int32_t a = -1, b = -1;
        berth_scene_pair(judge->scene, p, &a, &b);
        const bool own =
            berth_scene_body(judge->scene, a).link >= 0 && berth_scene_body(judge->scene, b).link >= 0;
        for (int i = 0; i < judge->part_count; ++i) {
            for (int k = 0; judge->parts[i].body == a && k < judge->part_count; ++k) {
                if (judge->parts[k].body == b) {
                    judge->pairs[judge->pair_count++] = (Pair){i, k, own ? 0.0 : padding};
                }
            }
        }
    }
}

// ---- kinematics -------------------------------------------------------------------------------------------------

// Joints that follow others do so as urdfdom says.
static bool add_joints(Judge* judge) {
    judge->joint_count = peer_kdl_joint_count(judge->kdl);
    if (judge->joint_count > JOINTS) {
        return false;
    }
    for (int i = 0; i < judge->joint_count; ++i) {
        judge->joints[i] = peer_kdl_joint_name(judge->kdl, i);
        judge->multiplier[i] = 1;
        const char* leader = peer_kdl_joint_mimics(judge->kdl, i, &judge->multiplier[i], &judge->offset[i]);
        judge->value[i] = berth_scene_find_value(judge->scene, leader != NULL ? leader : judge->joints[i]);
        if (judge->value[i] < 0) {
            return false;
        }
    }
    return true;
}

static void place(Judge* judge, const double* values) {
    double at[JOINTS], link[12];
    for (int i = 0; i < judge->joint_count; ++i) {
        at[i] = judge->multiplier[i] * values[judge->value[i]] + judge->offset[i];
    }
    for (int i = 0, last = -1; i < judge->part_count; ++i) {
        Part* part = &judge->parts[i];
        if (berth_scene_body(judge->scene, part->body).link < 0) {
            continue;
        }
        if (part->body != last) {
            assert_int_equal(peer_kdl_link_pose(judge->kdl, berth_scene_body_name(judge->scene, part->body),
                                                judge->joints, at, judge->joint_count, link),
                             0);
            last = part->body;
        }
        multiply(link, part->in_body, part->pose);
    }
}

// ---- gaps -------------------------------------------------------------------------------------------------------

static double plane_gap(const Part* plane, const Part* other) {
    double least = INFINITY;
    for (int k = 0; k < other->vertex_count; ++k) {
        double at[3], height = -plane->offset;
        apply(other->pose, other->vertices + 3 * k, at);
        for (int i = 0; i < 3; ++i) {
            const double along = plane->pose[i] * (at[0] - plane->pose[9]) +
                                 plane->pose[3 + i] * (at[1] - plane->pose[10]) +
                                 plane->pose[6 + i] * (at[2] - plane->pose[11]);
            height += plane->normal[i] * along;
        }
        least = fmin(least, height);
    }
    return least - other->round;
}

// The gap of a pair, or anything above `enough` when that is smaller.
static double pair_gap(const Judge* judge, const Pair* pair, double enough) {
    const Part *a = &judge->parts[pair->a], *b = &judge->parts[pair->b];
    if (a->plane || b->plane) {
        return plane_gap(a->plane ? a : b, a->plane ? b : a) - pair->padding;
    }
    const double off = a->round + b->round + pair->padding;
    double p[3], q[3];
    apply(a->pose, a->centre, p);
    apply(b->pose, b->centre, q);
    const double apart = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]) - a->radius - b->radius - off;
    if (apart > enough) {
        return apart;
    }
    const double found = peer_fcl_distance_within(a->peer, a->pose, b->peer, b->pose, enough + off);
    return fmax(found, 0) - off;
}

double judge_gap(void* user, const double* values) {
    Judge* judge = user;
    place(judge, values);
    // What was nearest in the last state leaves little to do for the others.
    const int first = judge->nearest;
    double least = judge->pair_count > 0 ? pair_gap(judge, &judge->pairs[first], INFINITY) : INFINITY;
    for (int p = 0; p < judge->pair_count; ++p) {
        const double gap = p == first ? least : pair_gap(judge, &judge->pairs[p], least);
        if (gap < least) {
            least = gap;
            judge->nearest = p;
        }
    }
    return least;
}

// ---- segments ---------------------------------------------------------------------------------------------------

static double gap_at(Judge* judge, const Course* course, double t, JudgeFound* found) {
    double values[COURSE_VALUES];
    for (int i = 0; i < course->count; ++i) {
        long double sum = course->from[i] + (long double)t * ((long double)course->to[i] - course->from[i]);
        if (course->curved) {
            long double power = 1;
            sum = 0;
            for (int k = 0; k < BERTH_CURVE_TERMS; ++k, power *= t) {
                sum += power * course->curves[i].term[k];
            }
        }
        values[i] = (double)sum;
    }
    const double gap = judge_gap(judge, values);
    found->samples += 1;
    if (gap < found->gap) {
        const Pair* pair = &judge->pairs[judge->nearest];
        found->gap = gap;
        found->t = t;
        found->body_a = berth_scene_body_name(judge->scene, judge->parts[pair->a].body);
        found->body_b = berth_scene_body_name(judge->scene, judge->parts[pair->b].body);
    }
    return gap;
}

// Golden sections; the smallest on the way is kept in `found`.
static void look_closer(Judge* judge, const Course* course, double low, double high, JudgeFound* found) {
    const double golden = 0.5 * (sqrt(5.0) - 1);
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double gap_a = gap_at(judge, course, a, found), gap_b = gap_at(judge, course, b, found);
    for (int k = 2; k < JUDGE_STEPS; ++k) {
        if (gap_a < gap_b) {
            high = b;
            b = a;
            gap_b = gap_a;
            a = high - golden * (high - low);
            gap_a = gap_at(judge, course, a, found);
        } else {
            low = a;
            a = b;
            gap_a = gap_b;
            b = low + golden * (high - low);
            gap_b = gap_at(judge, course, b, found);
        }
    }
}

JudgeFound judge_course(Judge* judge, const Course* course) {
    JudgeFound found = {.gap = INFINITY, .body_a = "nothing", .body_b = "nothing"};
    double gaps[JUDGE_SAMPLES];
    const int last = JUDGE_SAMPLES - 1;
    assert_int_equal(course->quat_count, 0);
    for (int i = 0; i <= last; ++i) {
        gaps[i] = gap_at(judge, course, (double)i / last, &found);
    }
    bool seen[JUDGE_SAMPLES] = {false};
    for (int k = 0; k < JUDGE_CLOSER; ++k) {
        int dip = -1;
        for (int i = 0; i <= last; ++i) {
            const bool low = (i == 0 || gaps[i] <= gaps[i - 1]) && (i == last || gaps[i] <= gaps[i + 1]);
            if (low && !seen[i] && (dip < 0 || gaps[i] < gaps[dip])) {
                dip = i;
            }
        }
        if (dip < 0) {
            break;
        }
        seen[dip] = true;
        look_closer(judge, course, (double)(dip > 0 ? dip - 1 : 0) / last,
                    (double)(dip < last ? dip + 1 : last) / last, &found);
    }
    return found;
}

JudgeFound judge_free(Judge* judge, const Course* course, const SegmentAsk* ask, const BerthMotionResult* r,
                      SegmentCount* count) {
    const JudgeFound found = judge_course(judge, course);
    if (r->verdict == BERTH_FREE && !(found.gap > fmax(r->clearance, ask->margin) - agree)) {
        count->refuted += 1;
        segment_wrong(
            count,
            "FREE (%s, margin %g) with clearance %.12g, but FCL and KDL find %s and %s %.12g apart at "
            "%.17g",
            berth_method_name(ask->method), ask->margin, r->clearance, found.body_a, found.body_b, found.gap,
            found.t);
    }
    return found;
}

// ---- opening ----------------------------------------------------------------------------------------------------

Judge* judge_open(const BerthScene* scene, const BerthRobot* robot, const char* urdf, double padding) {
    Judge* judge = calloc(1, sizeof *judge);
    judge->scene = scene;
    judge->kdl = peer_kdl_open(urdf);
    bool good = judge->kdl != NULL && add_joints(judge);
    for (int b = 0; good && b < berth_scene_body_count(scene); ++b) {
        good = add_parts(judge, robot, b);
    }
    if (!good) {
        print_message("judge: %s is not for KDL and FCL\n", urdf);
        judge_close(judge);
        return NULL;
    }
    add_pairs(judge, padding);
    return judge;
}

void judge_close(Judge* judge) {
    if (judge == NULL) {
        return;
    }
    for (int i = 0; i < judge->part_count; ++i) {
        peer_fcl_destroy(judge->parts[i].peer);
        free(judge->parts[i].vertices);
    }
    peer_kdl_close(judge->kdl);
    free(judge->pairs);
    free(judge);
}
#else
Judge* judge_open(const BerthScene* scene, const BerthRobot* robot, const char* urdf, double padding) {
    (void)scene, (void)robot, (void)urdf, (void)padding;
    return NULL;
}

void judge_close(Judge* judge) {
    (void)judge;
}

double judge_gap(void* judge, const double* values) {
    (void)judge, (void)values;
    return NAN;
}

JudgeFound judge_course(Judge* judge, const Course* course) {
    (void)judge, (void)course;
    return (JudgeFound){.gap = NAN};
}

JudgeFound judge_free(Judge* judge, const Course* course, const SegmentAsk* ask, const BerthMotionResult* r,
                      SegmentCount* count) {
    (void)ask, (void)r, (void)count;
    return judge_course(judge, course);
}
#endif
