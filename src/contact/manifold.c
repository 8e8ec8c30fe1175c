// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Points of the contact area of two convex polyhedra along an axis. Along a face's normal: the most opposed face of
// the other body, clipped by the first one's sides; each point is a vertex on a face or two edges that cross, like the
// paper's elemental contacts. Across two edges: the one point where they pass each other.
// Entries: bi_contact_add_manifold, bi_contact_reduce_points, bi_contact_add_point.

#include "contact/contact.h"

void bi_contact_add_point(Work* work, BerthFeature a, BerthFeature b, Vec3 point, Vec3 normal, double depth) {
    BerthContactWorld* world = work->world;
    if (work->found_count >= world->found_capacity) {
        ++work->lost;
        return;
    }
    world->found[work->found_count++] =
        (BerthContact){.feature_a = a, .feature_b = b, .point = point, .normal = normal, .depth = depth};
}

// The reference body R and the other one, I; all in R's frame.
typedef struct Clip {
    Work* work;
    const Polytope* reference;
    const Polytope* incident;
    const PolyFace* face;
    const PolyFace* other;
    Pose reference_from_incident;
    bool flipped;  // R is B
    ClipPoint* points;
    ClipPoint* next;
    int32_t count;
} Clip;

// The face at a vertex that looks most against n.
static int32_t find_facing(const Polytope* p, int32_t vertex, Vec3 n) {
    int32_t best = -1;
    double least = INFINITY;

    for (int32_t k = p->first_around[vertex]; k < p->first_around[vertex + 1]; ++k) {
        const PolyEdge* edge = &p->edges[p->around[k]];
        const int32_t faces[2] = {edge->left, edge->right};
        for (int i = 0; i < 2; ++i) {
            const double along = v3_dot(p->faces[faces[i]].normal, n);
            if (along < least || (along == least && faces[i] < best)) {
                least = along;
                best = faces[i];
            }
        }
    }
    return best;
}

static void start_clip(Clip* clip) {
    const PolyCorner* corners = clip->incident->corners + clip->other->first;

    clip->count = clip->other->count;
    for (int32_t k = 0; k < clip->count; ++k) {
        clip->points[k] = (ClipPoint){
            .at = pose_apply(&clip->reference_from_incident, clip->incident->vertices[corners[k].vertex]),
            .vertex = corners[k].vertex,
            .side = -1,
            .edge = k,
            .cut = -1};
    }
}

// Cuts off what is outside of one side of the reference face. Of more corners than a convex polygon can have nothing stays.
static void clip_by_side(Clip* clip, int32_t side) {
    const PolyCorner* corner = &clip->reference->corners[clip->face->first + side];
    const int32_t most = clip->work->world->clip_capacity - 1;
    int32_t count = 0;

    for (int32_t i = 0; i < clip->count && count < most; ++i) {
        const ClipPoint from = clip->points[i];
        const ClipPoint to = clip->points[i + 1 < clip->count ? i + 1 : 0];
        const double out_from = v3_dot(corner->side, from.at) - corner->offset;
        const double out_to = v3_dot(corner->side, to.at) - corner->offset;
        const bool in_from = out_from <= clip->work->slack, in_to = out_to <= clip->work->slack;

        if (in_from) {
            clip->next[count++] = from;
        }

        if (in_from != in_to) {
            const double share = clamp(out_from / (out_from - out_to), 0.0, 1.0);
            // The line goes on along this side when it leaves, and along its own edge when it comes back.
            clip->next[count++] = (ClipPoint){.at = v3_lerp(from.at, to.at, share),
                                              .vertex = -1,
                                              .side = side,
                                              .edge = in_from ? -1 - side : from.edge,
                                              .cut = from.edge};
        }
    }

    clip->count = count < most ? count : 0;
    ClipPoint* swapped = clip->points;
    clip->points = clip->next;
    clip->next = swapped;
}

// What a clipped point is made of, on the reference body and on the other.
static void name_features(const Clip* clip, const ClipPoint* point, BerthFeature* reference,
                          BerthFeature* incident) {
    const PolyCorner* sides = clip->reference->corners + clip->face->first;
    const PolyCorner* corners = clip->incident->corners + clip->other->first;

    if (point->vertex >= 0) {
        *reference = (BerthFeature){BERTH_FEATURE_FACE, (int32_t)(clip->face - clip->reference->faces)};
        *incident = (BerthFeature){BERTH_FEATURE_VERTEX, point->vertex};
    } else if (point->cut >= 0) {
        *reference = (BerthFeature){BERTH_FEATURE_EDGE, sides[point->side].edge};
        *incident = (BerthFeature){BERTH_FEATURE_EDGE, corners[point->cut].edge};
    } else {
        // Two sides of the reference face meet here: sides are cut in order, so their common corner starts the later
        // one, or the first when the last closes the loop.
        const int32_t one = -1 - point->cut, other = point->side;
        const int32_t start = one + 1 == other ? other : one;
        *reference = (BerthFeature){BERTH_FEATURE_VERTEX, sides[start].vertex};
        *incident = (BerthFeature){BERTH_FEATURE_FACE, (int32_t)(clip->other - clip->incident->faces)};
    }
}

static bool was_found_before(const Work* work, BerthFeature a, BerthFeature b) {
    const BerthContactWorld* world = work->world;
    const PairMemory* memory = work->memory;
    if (!world->def.memory || memory->cycle + 1 != world->cycle) {
        return false;
    }

    for (int32_t i = memory->last_first; i < memory->last_first + memory->last_count; ++i) {
        const BerthContact* old = &world->before[i];
        if (old->feature_a.kind == a.kind && old->feature_a.index == a.index &&
            old->feature_b.kind == b.kind && old->feature_b.index == b.index) {
            return true;
        }
    }
    return false;
}

// Points below the reference plane, into A's frame.
static void add_clipped_points(Clip* clip) {
    Work* work = clip->work;
    for (int32_t i = 0; i < clip->count; ++i) {
        const ClipPoint* p = &clip->points[i];
        const double depth = clip->face->offset - v3_dot(clip->face->normal, p->at);
        if (depth < -work->keep) {
            continue;
        }

        BerthFeature reference, incident;
        name_features(clip, p, &reference, &incident);
        const BerthFeature a = clip->flipped ? incident : reference;
        const BerthFeature b = clip->flipped ? reference : incident;

        // One that was there stays until it is clearly out (verif-contacts); a new one must touch.
        if (depth < -work->slack && !was_found_before(work, a, b)) {
            continue;
        }

        const double shown = depth > 0.0 ? depth : 0.0;
        const Vec3 middle = v3_mad(p->at, 0.5 * shown, clip->face->normal);
        const Vec3 n = clip->face->normal;
        if (clip->flipped) {
            bi_contact_add_point(work, a, b, pose_apply(&work->a_from_b, middle),
                                 v3_neg(pose_turn(&work->a_from_b, n)), shown);
        } else {
            bi_contact_add_point(work, a, b, middle, n, shown);
        }
    }
}

static void clip_faces(Work* work, const Axis* axis) {
    const bool flipped = axis->kind == AXIS_FACE_B;
    Clip clip = {.work = work,
                 .flipped = flipped,
                 .reference = flipped ? &work->b->polytope : &work->a->polytope,
                 .incident = flipped ? &work->a->polytope : &work->b->polytope,
                 .points = work->world->clip[0],
                 .next = work->world->clip[1]};
    clip.reference_from_incident = flipped ? pose_inverse(&work->a_from_b) : work->a_from_b;
    clip.face = &clip.reference->faces[flipped ? axis->b : axis->a];

    const Vec3 n = pose_turn_back(&clip.reference_from_incident, clip.face->normal);
    const int32_t vertex = polytope_support(clip.incident, v3_neg(n), flipped ? axis->a : axis->b);
    clip.other = &clip.incident->faces[find_facing(clip.incident, vertex, n)];

    start_clip(&clip);
    for (int32_t side = 0; side < clip.face->count && clip.count > 0; ++side) {
        clip_by_side(&clip, side);
    }
    add_clipped_points(&clip);
}

static void add_edge_crossing(Work* work, const Axis* axis) {
    const EdgePair pair = bi_contact_edge_pair(work, axis->a, axis->b);
    bi_contact_add_point(
        work, (BerthFeature){BERTH_FEATURE_EDGE, axis->a}, (BerthFeature){BERTH_FEATURE_EDGE, axis->b},
        v3_lerp(pair.point_a, pair.point_b, 0.5), axis->n, axis->depth > 0.0 ? axis->depth : 0.0);
}

void bi_contact_add_manifold(Work* work, const Axis* axis) {
    if (axis->kind == AXIS_EDGES) {
        add_edge_crossing(work, axis);
    } else if (axis->kind == AXIS_FACE_A || axis->kind == AXIS_FACE_B) {
        clip_faces(work, axis);
    }
}

// ---- fewer points ------------------------------------------------------------------------------------------

static void move_to_front(BerthContact* contacts, int32_t from, int32_t to) {
    const BerthContact chosen = contacts[from];
    for (int32_t i = from; i > to; --i) {
        contacts[i] = contacts[i - 1];
    }
    contacts[to] = chosen;
}

// How much a point adds to those chosen already: depth for the first, then distance, then area, then the area it adds
// on the other side. Points of the last cycle count a little more, so that the choice does not jump between equals.
static double point_worth(const Work* work, int32_t chosen, int32_t i) {
    const BerthContact* c = work->world->found;

    const double bonus =
        was_found_before(work, c[i].feature_a, c[i].feature_b) ? 1.0 + BI_CONTACT_KEEP_SHARE : 1.0;
    if (chosen == 0) {
        return (c[i].depth + work->keep) * bonus;
    }

    const Vec3 p = v3_sub(c[i].point, c[0].point);
    if (chosen == 1) {
        return v3_length_sq(p) * bonus;
    }

    const Vec3 along = v3_sub(c[1].point, c[0].point), n = c[0].normal;
    const double area = v3_dot(v3_cross(along, p), n);
    if (chosen == 2) {
        return fabs(area) * bonus;
    }

    // Area outside the triangle of the first three, over its three sides.
    const Vec3 third = v3_sub(c[2].point, c[0].point);
    const double turn = v3_dot(v3_cross(along, third), n) >= 0.0 ? -1.0 : 1.0;
    const double first = turn * area;
    const double second = turn * v3_dot(v3_cross(v3_sub(third, along), v3_sub(p, along)), n);
    const double last = turn * v3_dot(v3_cross(v3_neg(third), v3_sub(p, third)), n);
    return fmax(first, fmax(second, last)) * bonus;
}

void bi_contact_reduce_points(Work* work) {
    const int32_t most = work->world->def.points;
    if (most < 1 || work->found_count <= most) {
        return;
    }

    for (int32_t chosen = 0; chosen < most; ++chosen) {
        int32_t best = chosen;
        double high = point_worth(work, chosen, chosen);
        for (int32_t i = chosen + 1; i < work->found_count; ++i) {
            const double value = point_worth(work, chosen, i);
            if (value > high * (1.0 + BI_CONTACT_TIE)) {
                high = value;
                best = i;
            }
        }

        move_to_front(work->world->found, best, chosen);
    }

    work->found_count = most;
}
