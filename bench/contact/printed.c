// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Paper 003 as printed, read as docs/theory/errata.md 4 does where it leaves something open: every leaf lists all features that its ball
// meets (section 3.1's types alone lose contacts), a vertex touches the face it is least deep under of those it is listed
// with, two edges touch when their Gauss arcs cross. A tenth of the smaller body's radius is the most that counts as
// interpenetration: without such a bound a vertex above a body is under its far faces.
// Entries: printed_create, printed_ask.

#include "contact/printed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/polytope.h"
#include "math/math.h"

typedef enum PrintedKind {
    PRINTED_VERTEX_FACE,
    PRINTED_FACE_VERTEX,
    PRINTED_EDGES,
    PRINTED_SPHERE
} PrintedKind;

typedef struct PrintedContact {
    PrintedKind kind;
    int32_t a, b;
    Vec3 point, normal;  // in the world, from A to B
    double depth;
} PrintedContact;

typedef struct Check {
    PrintedKind kind;
    int32_t a, b;
} Check;

typedef struct Solid {
    Arena arena;
    Polytope polytope;
    double radius;  // > 0: a sphere
    // World coordinates, computed at every step.
    Pose pose;
    Vec3 *vertices, *normals, *directions, *sides;
    double *offsets, *side_offsets;
    Vec3 centroid;
} Solid;

struct Printed {
    Solid a, b;
    double reach, deepest;
    struct {
        const BallOctreeNode *a, *b;
    } * oct_contacts;
    int64_t oct_count, oct_capacity;
    Check* checks;
    int64_t check_count, check_capacity;
    uint32_t* seen[3];  // of pairs of features: the step that listed them
    uint32_t step;
    PrintedContact contacts[PRINTED_CONTACTS];
    int32_t contact_count;
    int32_t* touches[2];  // of vertices of A, of B: their contact in the list, or -1
};

// ---- bodies --------------------------------------------------------------------------------------------------------

static bool make_solid(Solid* solid, const BerthVec3* points, int count, double radius, int levels) {
    const BerthAllocator heap = {0};
    bool flat = false;
    bi_arena_init(&solid->arena, &heap, 0);
    solid->pose = pose_identity();
    if (count == 0) {
        solid->radius = radius;
        return true;
    }
    Polytope* p = &solid->polytope;
    if (bi_polytope_create(points, count, &solid->arena, p, &flat) != BERTH_OK || flat ||
        bi_polytope_add_octree(p, levels, true, &solid->arena) != BERTH_OK) {
        return false;
    }
    const size_t corners = (size_t)p->corner_count, faces = (size_t)p->face_count;
    solid->vertices = malloc((size_t)p->vertex_count * sizeof(Vec3));
    solid->normals = malloc(faces * sizeof(Vec3));
    solid->offsets = malloc(faces * sizeof(double));
    solid->directions = malloc((size_t)p->edge_count * sizeof(Vec3));
    solid->sides = malloc(corners * sizeof(Vec3));
    solid->side_offsets = malloc(corners * sizeof(double));
    return solid->vertices && solid->normals && solid->offsets && solid->directions && solid->sides &&
           solid->side_offsets;
}

static void free_solid(Solid* solid) {
    bi_polytope_free(&solid->polytope);
    bi_arena_free(&solid->arena);
    void* blocks[] = {solid->vertices,   solid->normals, solid->offsets,
                      solid->directions, solid->sides,   solid->side_offsets};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i) {
        free(blocks[i]);
    }
}

Printed* printed_create(const BerthVec3* a, int count_a, const BerthVec3* b, int count_b, double radius,
                        int levels, double reach) {
    Printed* printed = calloc(1, sizeof *printed);
    if (printed == NULL) {
        return NULL;
    }
    bool good = make_solid(&printed->a, a, count_a, radius, levels) &&
                make_solid(&printed->b, b, count_b, radius, levels);
    const Polytope *p = &printed->a.polytope, *q = &printed->b.polytope;
    const double small = count_b == 0 ? fmin(p->radius, radius) : fmin(p->radius, q->radius);
    printed->reach = reach;
    printed->deepest = 0.1 * small;

    const size_t pairs[3] = {(size_t)p->vertex_count * (size_t)q->face_count,
                             (size_t)p->face_count * (size_t)q->vertex_count,
                             (size_t)p->edge_count * (size_t)q->edge_count};
    for (int i = 0; i < 3; ++i) {
        printed->seen[i] = calloc(pairs[i] + 1, sizeof(uint32_t));
        good = good && printed->seen[i] != NULL;
        printed->check_capacity += (int64_t)pairs[i];
    }
    printed->check_capacity += p->vertex_count + p->edge_count + p->face_count;
    printed->oct_capacity = (int64_t)p->octree.leaf_count * (count_b > 0 ? q->octree.leaf_count : 1);
    printed->oct_contacts = malloc((size_t)printed->oct_capacity * sizeof *printed->oct_contacts);
    printed->checks = malloc((size_t)printed->check_capacity * sizeof *printed->checks);
    printed->touches[0] = calloc((size_t)p->vertex_count + 1, sizeof(int32_t));
    printed->touches[1] = calloc((size_t)q->vertex_count + 1, sizeof(int32_t));
    good = good && printed->oct_contacts != NULL && printed->checks != NULL && printed->touches[0] != NULL &&
           printed->touches[1] != NULL;
    if (!good) {
        fprintf(stderr, "printed: %s\n", berth_error_text());
        printed_destroy(printed);
        return NULL;
    }
    return printed;
}

void printed_destroy(Printed* printed) {
    if (printed == NULL) {
        return;
    }
    free_solid(&printed->a);
    free_solid(&printed->b);
    for (int i = 0; i < 3; ++i) {
        free(printed->seen[i]);
    }
    free(printed->oct_contacts);
    free(printed->checks);
    free(printed->touches[0]);
    free(printed->touches[1]);
    free(printed);
}

void printed_forget(Printed* printed) {
    printed->contact_count = 0;
}

// "The world coordinates of all the necessary vectors are computed on-line."
static void update_world(Solid* solid, const Pose* pose) {
    const Polytope* p = &solid->polytope;
    solid->pose = *pose;
    solid->centroid = solid->radius > 0.0 ? pose->t : pose_apply(pose, p->centroid);
    for (int32_t i = 0; i < p->vertex_count; ++i) {
        solid->vertices[i] = pose_apply(pose, p->vertices[i]);
    }
    for (int32_t i = 0; i < p->face_count; ++i) {
        solid->normals[i] = pose_turn(pose, p->faces[i].normal);
        solid->offsets[i] = p->faces[i].offset + v3_dot(solid->normals[i], pose->t);
    }
    for (int32_t i = 0; i < p->edge_count; ++i) {
        solid->directions[i] = pose_turn(pose, p->edges[i].direction);
    }
    for (int32_t i = 0; i < p->corner_count; ++i) {
        solid->sides[i] = pose_turn(pose, p->corners[i].side);
        solid->side_offsets[i] = p->corners[i].offset + v3_dot(solid->sides[i], pose->t);
    }
}

// ---- first stage -----------------------------------------------------------------------------------------------------

// Phase 1-1, procedure interoct(): the list Oct-Contacts.
static void list_leaves(void* user, const BallOctreeNode* leaf_a, const BallOctreeNode* leaf_b) {
    Printed* printed = user;
    if (printed->oct_count < printed->oct_capacity) {
        printed->oct_contacts[printed->oct_count].a = leaf_a;
        printed->oct_contacts[printed->oct_count++].b = leaf_b;
    }
}

static void list_check(Printed* printed, PrintedKind kind, int32_t a, int32_t b, int32_t width) {
    uint32_t* seen = &printed->seen[kind][(size_t)a * (size_t)width + (size_t)b];
    if (*seen != printed->step) {
        *seen = printed->step;
        printed->checks[printed->check_count++] = (Check){kind, a, b};
    }
}

// Phase 1-2: features of leaves that meet, each pair once, as the list Checks.
static void list_checks(Printed* printed) {
    const Polytope *p = &printed->a.polytope, *q = &printed->b.polytope;
    printed->check_count = 0;
    for (int64_t i = 0; i < printed->oct_count; ++i) {
        const BallOctreeNode *one = printed->oct_contacts[i].a, *other = printed->oct_contacts[i].b;
        const int32_t *va = ball_octree_vertices(&p->octree, one),
                      *vb = ball_octree_vertices(&q->octree, other);
        const int32_t *ea = ball_octree_edges(&p->octree, one), *eb = ball_octree_edges(&q->octree, other);
        const int32_t *fa = ball_octree_faces(&p->octree, one), *fb = ball_octree_faces(&q->octree, other);
        for (int32_t k = 0; k < one->vertex_count; ++k) {
            for (int32_t m = 0; m < other->face_count; ++m) {
                list_check(printed, PRINTED_VERTEX_FACE, va[k], fb[m], q->face_count);
            }
        }
        for (int32_t k = 0; k < one->face_count; ++k) {
            for (int32_t m = 0; m < other->vertex_count; ++m) {
                list_check(printed, PRINTED_FACE_VERTEX, fa[k], vb[m], q->vertex_count);
            }
        }
        for (int32_t k = 0; k < one->edge_count; ++k) {
            for (int32_t m = 0; m < other->edge_count; ++m) {
                list_check(printed, PRINTED_EDGES, ea[k], eb[m], q->edge_count);
            }
        }
    }
}

// ---- second stage ----------------------------------------------------------------------------------------------------

// How far a point is under a face, when its foot is inside of the face's coboundary; NaN else.
static double depth_under(const Printed* printed, const Solid* solid, int32_t index, Vec3 point) {
    const PolyFace* face = &solid->polytope.faces[index];
    const double height = v3_dot(solid->normals[index], point) - solid->offsets[index];
    if (!(height <= 0.0 && -height <= printed->deepest)) {
        return NAN;
    }
    for (int32_t k = face->first; k < face->first + face->count; ++k) {
        if (v3_dot(solid->sides[k], point) > solid->side_offsets[k]) {
            return NAN;
        }
    }
    return -height;
}

// Do two edges pass each other between their ends, A's side out of B by less than what counts?
static bool edges_touch(const Printed* printed, int32_t index_a, int32_t index_b, PrintedContact* out) {
    const Solid *a = &printed->a, *b = &printed->b;
    const PolyEdge *one = &a->polytope.edges[index_a], *other = &b->polytope.edges[index_b];
    const Vec3 d = a->directions[index_a], e = b->directions[index_b];
    const Vec3 p = a->vertices[one->tail], between = v3_sub(b->vertices[other->tail], p);
    const Vec3 across = v3_cross(d, e);
    const double length_sq = v3_length_sq(across), de = v3_dot(d, e);
    if (!(length_sq > 1e-14)) {
        return false;
    }
    const double along_d = v3_dot(between, d), along_e = v3_dot(between, e);
    const double s = (along_d - along_e * de) / length_sq, t = (along_d * de - along_e) / length_sq;
    if (!(s >= 0.0 && s <= one->length && t >= 0.0 && t <= other->length)) {
        return false;
    }

    const double lb = v3_dot(b->normals[other->left], d), rb = v3_dot(b->normals[other->right], d);
    const double la = v3_dot(a->normals[one->left], e), ra = v3_dot(a->normals[one->right], e);
    if (!(lb * rb < 0.0 && la * ra < 0.0 && lb * ra < 0.0)) {
        return false;
    }
    const Vec3 outward = v3_add(a->normals[one->left], a->normals[one->right]);
    const Vec3 n = v3_scale(across, (v3_dot(across, outward) >= 0.0 ? 1.0 : -1.0) / sqrt(length_sq));
    const double depth = -v3_dot(n, between);
    if (!(depth >= 0.0 && depth <= printed->deepest)) {
        return false;
    }
    out->point = v3_mad(v3_mad(p, s, d), -0.5 * depth, n);
    out->normal = n;
    out->depth = depth;
    return true;
}

// Is this pair of features a contact where the bodies are now?
static bool is_contact(const Printed* printed, PrintedKind kind, int32_t a, int32_t b, PrintedContact* out) {
    *out = (PrintedContact){.kind = kind, .a = a, .b = b};
    if (kind == PRINTED_EDGES) {
        return edges_touch(printed, a, b, out);
    }
    const bool of_a = kind == PRINTED_VERTEX_FACE;
    const Solid* faces = of_a ? &printed->b : &printed->a;
    const Vec3 at = of_a ? printed->a.vertices[a] : printed->b.vertices[b];
    const int32_t face = of_a ? b : a;
    out->depth = depth_under(printed, faces, face, at);
    if (!(out->depth >= 0.0)) {
        return false;
    }
    const Vec3 n = faces->normals[face];
    out->point = v3_mad(at, 0.5 * out->depth, n);
    out->normal = of_a ? v3_neg(n) : n;
    return true;
}

static void add_contact(Printed* printed, const PrintedContact* contact) {
    if (printed->contact_count >= PRINTED_CONTACTS) {
        return;
    }
    const int32_t index = printed->contact_count++;
    printed->contacts[index] = *contact;
    if (contact->kind == PRINTED_VERTEX_FACE) {
        printed->touches[0][contact->a] = index;
    } else if (contact->kind == PRINTED_FACE_VERTEX) {
        printed->touches[1][contact->b] = index;
    }
}

// verif-contacts(): those of the step before that still hold.
static void verify_contacts(Printed* printed) {
    const int32_t before = printed->contact_count;
    printed->contact_count = 0;
    for (int32_t i = 0; i < printed->a.polytope.vertex_count; ++i) {
        printed->touches[0][i] = -1;
    }
    for (int32_t i = 0; i < printed->b.polytope.vertex_count; ++i) {
        printed->touches[1][i] = -1;
    }
    for (int32_t i = 0; i < before; ++i) {
        const PrintedContact old = printed->contacts[i];
        PrintedContact now;
        if (is_contact(printed, old.kind, old.a, old.b, &now)) {
            add_contact(printed, &now);
        }
    }
}

// check-vfs() and check-ees(). Proposition 1: a vertex has one face; of several the one it is least deep under.
static void detect_contacts(Printed* printed) {
    const int32_t kept = printed->contact_count;
    for (int pass = 0; pass < 2; ++pass) {
        for (int64_t i = 0; i < printed->check_count; ++i) {
            const Check* check = &printed->checks[i];
            PrintedContact now;
            if ((check->kind == PRINTED_EDGES) != (pass == 1)) {
                continue;
            }
            if (pass == 1) {
                bool known = false;
                for (int32_t k = 0; k < kept && !known; ++k) {
                    const PrintedContact* c = &printed->contacts[k];
                    known = c->kind == PRINTED_EDGES && c->a == check->a && c->b == check->b;
                }
                if (!known && is_contact(printed, check->kind, check->a, check->b, &now)) {
                    add_contact(printed, &now);
                }
                continue;
            }

            const bool of_a = check->kind == PRINTED_VERTEX_FACE;
            const int32_t own = of_a ? printed->touches[0][check->a] : printed->touches[1][check->b];
            if ((own >= 0 && own < kept) || !is_contact(printed, check->kind, check->a, check->b, &now)) {
                continue;
            }
            if (own < 0) {
                add_contact(printed, &now);
            } else if (now.depth < printed->contacts[own].depth) {
                printed->contacts[own] = now;
            }
        }
    }
}

// inter-ps(): check-vs(), check-es(), check-fs() of the leaves that the sphere meets; the nearest feature counts.
static void list_leaf(void* user, const BallOctreeNode* leaf, const BallOctreeNode* none) {
    list_leaves(user, leaf, none);
}

static void touch_sphere(Printed* printed, PrintedContact* best, Vec3 nearest, PrintedAnswer* out) {
    const Vec3 apart = v3_sub(printed->b.pose.t, nearest);
    const double distance = v3_length(apart), depth = printed->b.radius - distance;
    ++out->checks;
    if (depth >= 0.0 && depth > best->depth && distance > 0.0) {
        best->depth = depth;
        best->normal = v3_scale(apart, 1.0 / distance);
        best->point = v3_mad(nearest, -0.5 * depth, best->normal);
    }
}

static void ask_sphere(Printed* printed, PrintedAnswer* out) {
    const Solid* a = &printed->a;
    const Polytope* p = &a->polytope;
    const Vec3 centre = printed->b.pose.t;
    PrintedContact best = {.kind = PRINTED_SPHERE, .depth = -1.0};
    out->node_tests = bi_octree_walk_ball(&p->octree, pose_apply_back(&a->pose, centre),
                                          printed->b.radius + printed->reach, list_leaf, printed);
    for (int64_t i = 0; i < printed->oct_count; ++i) {
        const BallOctreeNode* leaf = printed->oct_contacts[i].a;
        const int32_t *v = ball_octree_vertices(&p->octree, leaf), *e = ball_octree_edges(&p->octree, leaf);
        const int32_t* f = ball_octree_faces(&p->octree, leaf);
        for (int32_t k = 0; k < leaf->vertex_count; ++k) {
            touch_sphere(printed, &best, a->vertices[v[k]], out);
        }
        for (int32_t k = 0; k < leaf->edge_count; ++k) {
            const PolyEdge* edge = &p->edges[e[k]];
            const Vec3 tail = a->vertices[edge->tail], d = a->directions[e[k]];
            const double along = v3_dot(v3_sub(centre, tail), d);
            if (along > 0.0 && along < edge->length) {
                touch_sphere(printed, &best, v3_mad(tail, along, d), out);
            }
        }
        for (int32_t k = 0; k < leaf->face_count; ++k) {
            const PolyFace* face = &p->faces[f[k]];
            const double height = v3_dot(a->normals[f[k]], centre) - a->offsets[f[k]];
            bool inside = height > 0.0;
            for (int32_t c = face->first; c < face->first + face->count && inside; ++c) {
                inside = v3_dot(a->sides[c], centre) <= a->side_offsets[c];
            }
            if (inside) {
                touch_sphere(printed, &best, v3_mad(centre, -height, a->normals[f[k]]), out);
            }
        }
    }
    printed->contact_count = 0;
    if (best.depth >= 0.0) {
        add_contact(printed, &best);
    }
}

// ---- forces ----------------------------------------------------------------------------------------------------------

// Equation (1), summed about the centroids.
static void add_forces(const Printed* printed, BerthVec3 velocity, PrintedAnswer* out) {
    static const double stiffness = 1e4, damping = 50.0, viscosity = 5.0;
    for (int32_t i = 0; i < printed->contact_count; ++i) {
        const PrintedContact* c = &printed->contacts[i];
        const Vec3 dv = v3_neg(velocity);
        const double closing = v3_dot(dv, c->normal);
        const double press = fmax(0.0, stiffness * c->depth + damping * closing);
        const Vec3 force = v3_mad(v3_scale(v3_mad(dv, -closing, c->normal), -viscosity), -press, c->normal);
        out->on_a.force = v3_add(out->on_a.force, force);
        out->on_b.force = v3_sub(out->on_b.force, force);
        out->on_a.moment = v3_add(out->on_a.moment, v3_cross(v3_sub(c->point, printed->a.centroid), force));
        out->on_b.moment = v3_sub(out->on_b.moment, v3_cross(v3_sub(c->point, printed->b.centroid), force));
        out->deepest = fmax(out->deepest, c->depth);
    }
}

PrintedAnswer printed_ask(Printed* printed, const BerthPose* world_from_b, BerthVec3 velocity) {
    PrintedAnswer out = {.contacts = 0};
    ++printed->step;
    update_world(&printed->a, &printed->a.pose);
    update_world(&printed->b, world_from_b);
    printed->oct_count = 0;

    if (printed->b.radius > 0.0) {
        ask_sphere(printed, &out);
    } else {
        const Pose a_from_b = pose_between(&printed->a.pose, &printed->b.pose);
        out.node_tests = bi_octree_walk_two_phases(&printed->a.polytope.octree, &printed->b.polytope.octree,
                                                   &a_from_b, printed->reach, list_leaves, printed);
        list_checks(printed);
        verify_contacts(printed);
        detect_contacts(printed);
        out.checks = printed->check_count;
    }
    out.oct_contacts = printed->oct_count;
    out.contacts = printed->contact_count;
    add_forces(printed, velocity, &out);
    return out;
}
