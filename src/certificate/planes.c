// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What a search records in a certificate: planes between leaves instead of distances, wherever some can be
// found, since an independent verifier checks a plane by dot products alone.
// Entries: bi_certificate_record_proof, bi_certificate_record_distance, bi_certificate_record_constant.

#include "certificate/planes.h"

#include "scene/scene.h"
#include "shape/gap.h"
#include "tree/rss.h"

/// A bound is recorded smaller by this share of itself: the verifier rounds in its own way.
#define BOUND_SHARE 0x1p-30

static double recorded_bound(double bound, double margin) {
    const double smaller = bound - BOUND_SHARE * fabs(bound);
    return smaller > margin ? smaller : margin;
}

bool bi_certificate_record_proof(BerthCertificate* certificate, Span span, double margin,
                                 const CertificateRecord* record) {
    CertificateRecord full = *record;
    for (double width = 2.0 * span.half; width < 1.0 && full.level < CERTIFICATE_LEVEL_MAX; width *= 2.0) {
        full.level += 1;
    }
    full.index = (uint64_t)((span.middle - span.half) / (2.0 * span.half));
    full.bound = recorded_bound(record->bound, margin);
    return bi_certificate_add(certificate, &full);
}

/// Of one distance: pairs of volumes that are looked at. What needs more stays a distance, which the verifier measures.
enum { VOLUMES_MOST = 4096, VOLUME_STACK = 2 * RSS_STACK };
/// Bounds that are smaller by this share of what they are made of need no further volumes.
#define PLANE_SHARE 0x1p-28

/// One part of a body.
typedef struct GapSide {
    const BerthSolid* solid;
    const BerthShape* hull;
    Pose pose;       // where directions are given
    int32_t before;  // leaves of the parts before it
} GapSide;

/// Two volumes of the parts' trees; -1: the shape itself.
typedef struct GapTask {
    int32_t a, b;
} GapTask;

/// A distance that is to be written as planes.
typedef struct GapList {
    BerthCertificate* certificate;
    const Span* span;  // null: the two never move
    CertificateRecord record;
    double taken;   // what comes off a gap
    double target;  // the bound that is proven, and
    double margin;
    bool whole;  // both bodies are one part
    bool full;   // memory ran out
    int32_t left;
} GapList;

typedef struct LeafRange {
    int32_t first, count;
} LeafRange;

static const RssNode* node_at(const GapSide* side, int32_t node) {
    return node >= 0 ? &solid_rss(side->solid)->nodes[node] : NULL;
}

// The leaves below a volume: they lie side by side.
static LeafRange leaves_below(const GapSide* side, int32_t at) {
    if (at < 0) {
        return (LeafRange){0, 1};
    }
    const RssNode* low = node_at(side, at);
    const RssNode* high = low;
    while (!rss_is_leaf(low)) {
        low = node_at(side, low->child);
    }
    while (!rss_is_leaf(high)) {
        high = node_at(side, high->child + 1);
    }
    const int32_t first = rss_leaf(low) < rss_leaf(high) ? rss_leaf(low) : rss_leaf(high);
    return (LeafRange){first, rss_leaf(low) + rss_leaf(high) - 2 * first + 1};
}

// A convex thing that looks like a volume: the hull of all, the rectangle, the triangle.
static BerthShape volume_shape(const GapSide* side, int32_t at, Pose* part_from_shape) {
    *part_from_shape = pose_identity();
    const RssNode* node = node_at(side, at);
    if (at <= 0) {
        return *side->hull;
    }
    if (!rss_is_leaf(node)) {
        *part_from_shape = (Pose){node->axis[0], node->axis[1], node->axis[2], node->centre};
        return (BerthShape){.kind = BERTH_BOX, .as.box.half = {node->half[0], node->half[1], 0.0}};
    }

    BerthShape out = {.kind = BERTH_TRIANGLE};
    const BerthMesh* mesh = side->solid->mesh;
    const int32_t* corner = mesh->triangles + 3 * (size_t)solid_rss(side->solid)->source[rss_leaf(node)];
    for (int k = 0; k < 3; ++k) {
        out.as.triangle.point[k] = mesh->vertices[corner[k]];
    }
    return out;
}

// Largest n . x over the leaves, as the verifier takes it.
static double reach_along(const GapSide* side, LeafRange range, Vec3 n) {
    const Vec3 inside = pose_turn_back(&side->pose, n);
    const BerthSolid* solid = side->solid;
    if (!solid->is_mesh) {
        const double outside = solid->shape.kind == BERTH_HULL ? solid->shape.as.hull.hull->outside : 0.0;
        return v3_dot(n, side->pose.t) + v3_dot(inside, bi_shape_support(&solid->shape, inside)) + outside;
    }

    double most = -(double)INFINITY;
    for (int32_t i = range.first; i < range.first + range.count; ++i) {
        const int32_t* corner = solid->mesh->triangles + 3 * (size_t)solid_rss(solid)->source[i];
        for (int k = 0; k < 3; ++k) {
            most = fmax(most, v3_dot(inside, solid->mesh->vertices[corner[k]]));
        }
    }
    return v3_dot(n, side->pose.t) + most;
}

static bool add_gap(GapList* list, const CertificateRecord* record) {
    if (list->span != NULL) {
        return bi_certificate_record_proof(list->certificate, *list->span, list->margin, record);
    }
    CertificateConstant constant = *record;
    constant.bound = recorded_bound(record->bound, list->margin);
    list->full = !bi_certificate_add_constant(list->certificate, &constant);
    return !list->full;
}

// The plane between two volumes, when it leaves enough; `leaves`: there is nothing to open, so that the margin is enough.
static bool list_gap(GapList* list, const GapSide* a, const GapSide* b, GapTask task, bool leaves) {
    Pose part_a, part_b;
    const BerthShape shape_a = volume_shape(a, task.a, &part_a);
    const BerthShape shape_b = volume_shape(b, task.b, &part_b);
    const Pose pose_a = pose_mul(&a->pose, &part_a);
    const Pose pose_b = pose_mul(&b->pose, &part_b);
    const Pose a_from_b = pose_between(&pose_a, &pose_b);
    const BerthGap now = bi_shape_gap(&shape_a, &shape_b, &a_from_b, (double)INFINITY);
    const Vec3 n = v3_unit_or(pose_turn(&pose_a, now.normal), v3(0, 0, 0));

    const LeafRange range_a = leaves_below(a, task.a);
    const LeafRange range_b = leaves_below(b, task.b);
    const double gap = -reach_along(b, range_b, v3_neg(n)) - reach_along(a, range_a, n);
    const double bound = gap - list->taken;
    const double least =
        leaves ? list->margin : list->target - PLANE_SHARE * (fabs(list->target) + fabs(list->taken));
    if (!(v3_length_sq(n) > 0.5) || !(bound > list->margin) || !(bound >= least)) {
        return false;
    }

    CertificateRecord record = list->record;
    record.kind = PROOF_GAP;
    record.direction = n;
    record.bound = fmin(bound, list->target);
    if (!list->whole || task.a > 0 || task.b > 0) {
        record.first_a = a->before + range_a.first;
        record.count_a = range_a.count;
        record.first_b = b->before + range_b.first;
        record.count_b = range_b.count;
    }
    return add_gap(list, &record);
}

// All of two parts: planes between volumes, the larger of two opened where there is none.
static bool list_parts(GapList* list, const GapSide* a, const GapSide* b) {
    GapTask stack[VOLUME_STACK] = {{a->solid->is_mesh ? 0 : -1, b->solid->is_mesh ? 0 : -1}};
    int count = 1;
    while (count > 0) {
        const GapTask task = stack[--count];
        if (--list->left < 0 || count + 2 > VOLUME_STACK) {
            return false;
        }

        const RssNode* node_a = node_at(a, task.a);
        const RssNode* node_b = node_at(b, task.b);
        const bool opens_a = node_a != NULL && !rss_is_leaf(node_a);
        const bool opens_b = node_b != NULL && !rss_is_leaf(node_b);
        if (list_gap(list, a, b, task, !opens_a && !opens_b)) {
            continue;
        }
        if (!opens_a && !opens_b) {
            return false;
        }

        const bool first = opens_a && (!opens_b || rss_size(node_a) >= rss_size(node_b));
        for (int k = 1; k >= 0; --k) {
            stack[count++] =
                first ? (GapTask){node_a->child + k, task.b} : (GapTask){task.a, node_b->child + k};
        }
    }
    return true;
}

// A map says by its cells what is inside of it, and a half-space has no end: these stay distances.
static bool can_be_listed(const BerthScene* scene, int32_t body) {
    bool can = true;
    for (int32_t i = 0; i < scene->bodies[body].part_count && can; ++i) {
        const BerthSolid* solid = scene->parts[scene->bodies[body].first_part + i].solid;
        can = solid->cells == NULL && (solid->is_mesh || solid->shape.kind != BERTH_HALFSPACE) &&
              (!solid->is_mesh || solid_rss(solid) != NULL);
    }
    return can;
}

static GapSide gap_side(const PlaneBodies* bodies, int32_t part, bool moves, int32_t before) {
    return (GapSide){
        .solid = bodies->scene->parts[part].solid,
        .hull = &bodies->hulls[part],
        .pose = moves ? bodies->world_from_part[part] : bodies->scene->parts[part].frame_from_part,
        .before = before};
}

// All parts of both bodies. False: some are left, and what was added is of no use.
static bool list_bodies(GapList* list, const PlaneBodies* bodies) {
    const BerthScene* scene = bodies->scene;
    const ScenePair* pair = &scene->pairs[list->record.pair];
    const SceneBody* a = &scene->bodies[pair->body_a];
    const SceneBody* b = &scene->bodies[pair->body_b];
    if (!can_be_listed(scene, pair->body_a) || !can_be_listed(scene, pair->body_b)) {
        return false;
    }

    list->whole = a->part_count == 1 && b->part_count == 1;
    bool listed = true;
    int32_t before_a = 0;
    for (int32_t i = a->first_part; i < a->first_part + a->part_count && listed; ++i) {
        const GapSide side_a = gap_side(bodies, i, list->span != NULL, before_a);
        int32_t before_b = 0;
        for (int32_t k = b->first_part; k < b->first_part + b->part_count && listed; ++k) {
            const GapSide side_b = gap_side(bodies, k, list->span != NULL, before_b);
            listed = list_parts(list, &side_a, &side_b);
            before_b += solid_leaf_count(scene->parts[k].solid);
        }
        before_a += solid_leaf_count(scene->parts[i].solid);
    }
    return listed;
}

bool bi_certificate_record_distance(BerthCertificate* certificate, const PlaneBodies* bodies, Span span,
                                    double margin, double taken, const CertificateRecord* record) {
    GapList list = {.certificate = certificate,
                    .span = &span,
                    .record = *record,
                    .taken = taken,
                    .target = record->bound,
                    .margin = margin,
                    .left = VOLUMES_MOST};
    const int64_t count = bi_certificate_record_count(certificate);
    if (list_bodies(&list, bodies)) {
        return true;
    }
    bi_certificate_drop_records(certificate, count);
    return bi_certificate_record_proof(certificate, span, margin, record);
}

// The half-space that a body is, or null.
static const GapSide* half_space_side(const PlaneBodies* bodies, int32_t body, GapSide* out) {
    const SceneBody* b = &bodies->scene->bodies[body];
    *out = gap_side(bodies, b->first_part, false, 0);
    return b->part_count == 1 && !out->solid->is_mesh && out->solid->shape.kind == BERTH_HALFSPACE ? out
                                                                                                   : NULL;
}

// One of the two is a half-space: what the other leaves of its plane, or -infinity.
static double constant_half_space_gap(const PlaneBodies* bodies, const ScenePair* pair) {
    GapSide side;
    const bool first = half_space_side(bodies, pair->body_a, &side) != NULL;
    const int32_t body = first ? pair->body_b : pair->body_a;
    if ((!first && half_space_side(bodies, pair->body_b, &side) == NULL) ||
        !can_be_listed(bodies->scene, body)) {
        return -(double)INFINITY;
    }

    const Vec3 n = pose_turn(&side.pose, side.solid->shape.as.halfspace.normal);
    double least = INFINITY;
    for (int32_t i = 0; i < bodies->scene->bodies[body].part_count; ++i) {
        const GapSide other = gap_side(bodies, bodies->scene->bodies[body].first_part + i, false, 0);
        const LeafRange all = {0, solid_leaf_count(other.solid)};
        least = fmin(least, -reach_along(&other, all, v3_neg(n)));
    }
    return least - side.solid->shape.as.halfspace.offset - v3_dot(n, side.pose.t);
}

bool bi_certificate_record_constant(BerthCertificate* certificate, const PlaneBodies* bodies, int32_t at,
                                    double lower) {
    const ScenePair* pair = &bodies->scene->pairs[at];
    const double margin = bi_certificate_margin(certificate, pair->self);
    CertificateRecord record = {.pair = at, .kind = PROOF_DISTANCE, .bound = recorded_bound(lower, margin)};
    GapList list = {.certificate = certificate,
                    .record = record,
                    .taken = pair->padding + 2.0 * (bi_constant_slack(bodies->scene, pair->body_a) +
                                                    bi_constant_slack(bodies->scene, pair->body_b)),
                    .target = record.bound,
                    .margin = margin,
                    .left = VOLUMES_MOST};
    const int64_t count = certificate->constant_count;
    if (list_bodies(&list, bodies)) {
        return true;
    }
    certificate->constant_count = count;
    if (list.full) {
        return false;
    }

    const double beyond = constant_half_space_gap(bodies, pair) - list.taken;
    if (beyond > margin) {
        record.kind = PROOF_HALF_SPACE;
        record.bound = recorded_bound(fmin(beyond, record.bound), margin);
    }
    return bi_certificate_add_constant(certificate, &record);
}
