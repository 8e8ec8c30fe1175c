// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The local method (paper 001, II-F): one pair on one short interval, down to rounding. Pairs of volumes that
// can come within reach are opened down to triangles and shapes, which are convex; each pair of those is
// separated by a plane to second order, in double, and time is halved for those that are left, until all are
// separated, or a middle is a hit, or the interval is so short that the motion on it is lost in rounding.
// docs/theory/motion.md shows why it ends.
// Entries: bi_motion_prove_pair_locally, at the end; bi_convex_plane_gap.

#include "motion/motion.h"
#include "shape/gap.h"
#include "shape/hull.h"
#include "tree/rss.h"

/// Distances that decide between the local method and shorter times: as many times shorter may be.
#define FEW_HALVES 64.0
#define DISTANCE_TOLERANCE 0.5

/// The verifier's sums of what bodies can do may be larger than these by this share.
#define LISTED_SHARE 0x1p-29

/// A volume of one part at the placed configuration: a node of its RSS tree, or the whole shape.
typedef struct Volume {
    const RssNode* node;  // null: a shape
    Vec3 centre;          // of a ball around it, in the world
    double radius;
} Volume;

/// A triangle of a mesh, or a whole shape.
typedef struct Convex {
    BerthShape shape;    // in the part's frame
    const Pose* pose;    // world_from_part
    const Twist* twist;  // against the frame that planes are held in
    double outside;      // its points may be this much further out
} Convex;

typedef struct LocalSearch {
    BerthMotionChecker* motion;
    const ScenePair* pair;
    const BerthSolid *solid_a, *solid_b;  // of the item at hand
    const Pose *pose_a, *pose_b;
    Twist twist_a, twist_b;
    double half;
    bool is_shortest;
    PairBounds bounds;
    PairProof* proof;
    Span span;
    int32_t before_a, before_b;  // leaves of earlier parts of both bodies
    double enough;               // a plane's gap that proves, and can be listed if that is requested
    int64_t tests_left;
    bool is_full;  // there is no room for what must wait: half of the time has less of it
} LocalSearch;

static Volume volume_of(const BerthSolid* solid, const Pose* pose, int32_t node) {
    const RssTree* tree = solid_rss(solid);
    if (tree == NULL) {
        return (Volume){NULL, pose_apply(pose, solid->centre), solid->radius};
    }
    const RssNode* n = &tree->nodes[node];
    return (Volume){n, pose_apply(pose, n->centre),
                    sqrt(n->half[0] * n->half[0] + n->half[1] * n->half[1]) + n->radius};
}

// A triangle or a shape: convex, with nothing to open.
static bool is_leaf(const Volume* v) {
    return v->node == NULL || rss_is_leaf(v->node);
}

static Convex convex_of(const BerthSolid* solid, const Volume* v, const Pose* pose, const Twist* twist) {
    Convex out = {solid->shape, pose, twist, 0.0};
    if (v->node != NULL) {
        const int32_t* corner =
            solid->mesh->triangles + 3 * (size_t)solid_rss(solid)->source[rss_leaf(v->node)];
        out.shape.kind = BERTH_TRIANGLE;
        for (int k = 0; k < 3; ++k) {
            out.shape.as.triangle.point[k] = solid->mesh->vertices[corner[k]];
        }
    } else if (solid->shape.kind == BERTH_HULL) {
        out.outside = solid->shape.as.hull.hull->outside;
    }
    return out;
}

// Largest n . x over the points `time` after the middle, each going straight on: as support_of in motion_pair.c, in double.
static double support_along(const Convex* c, Vec3 n, double time) {
    const Vec3 along = v3_mad(n, time, v3_cross(n, c->twist->spin));
    const Vec3 inside = pose_turn_back(c->pose, along);
    return time * v3_dot(n, c->twist->origin) + v3_dot(along, c->pose->t) +
           v3_dot(inside, bi_shape_support(&c->shape, inside)) + c->outside * v3_length(along);
}

static Convex take_shape(const MovingShape* moving) {
    const BerthShape* shape = moving->shape;
    return (Convex){*shape, moving->pose, moving->twist,
                    shape->kind == BERTH_HULL ? shape->as.hull.hull->outside : 0.0};
}

double bi_convex_plane_gap(const MovingShape* moving_a, const MovingShape* moving_b, Vec3 n, double half,
                           double nearing) {
    const Convex a = take_shape(moving_a);
    const Convex b = take_shape(moving_b);
    const double before =
        -support_along(&b, v3_neg(n), -half) - support_along(&a, n, -half) + nearing * MOTION_SHRUNK;
    const double after = -support_along(&b, v3_neg(n), half) - support_along(&a, n, half) - nearing;
    return before < after ? before : after;
}

// ---- planes that can be listed -----------------------------------------------------------------------------------

/// Leaves of one part, from `first` on; one for a shape.
typedef struct LeafRange {
    int32_t first, count;
} LeafRange;

// The leaves below a volume: they lie side by side.
static LeafRange leaves_of(const BerthSolid* solid, const Volume* v) {
    if (v->node == NULL) {
        return (LeafRange){0, 1};
    }
    const RssNode* nodes = solid_rss(solid)->nodes;
    const RssNode* low = v->node;
    const RssNode* high = v->node;
    while (!rss_is_leaf(low)) {
        low = &nodes[low->child];
    }
    while (!rss_is_leaf(high)) {
        high = &nodes[high->child + 1];
    }
    const int32_t first = rss_leaf(low) < rss_leaf(high) ? rss_leaf(low) : rss_leaf(high);
    return (LeafRange){first, rss_leaf(low) + rss_leaf(high) - 2 * first + 1};
}

// Largest n . x over the triangles of a range (or a shape) `time` after the middle: as the verifier takes it.
static double range_support(const BerthSolid* solid, LeafRange range, const Convex* c, Vec3 n, double time) {
    const RssTree* tree = solid_rss(solid);
    if (tree == NULL) {
        return support_along(c, n, time);
    }
    const Vec3 along = v3_mad(n, time, v3_cross(n, c->twist->spin));
    const Vec3 inside = pose_turn_back(c->pose, along);
    double most = -(double)INFINITY;
    for (int32_t i = range.first; i < range.first + range.count; ++i) {
        const int32_t* corner = solid->mesh->triangles + 3 * (size_t)tree->source[i];
        for (int k = 0; k < 3; ++k) {
            const double reach = v3_dot(inside, solid->mesh->vertices[corner[k]]);
            most = reach > most ? reach : most;
        }
    }
    return time * v3_dot(n, c->twist->origin) + v3_dot(along, c->pose->t) + most;
}

static Convex whole_shape(const BerthSolid* solid, const Pose* pose, const Twist* twist) {
    const bool hull = solid->rss == NULL && solid->shape.kind == BERTH_HULL;
    return (Convex){solid->shape, pose, twist, hull ? solid->shape.as.hull.hull->outside : 0.0};
}

// The verifier's slack grows with the form whose support it takes, n +- half (n x spin), and it sums bends in its own way.
static double listing_loss(const LocalSearch* local) {
    const double form = 1.0 + local->half * (v3_length(local->twist_a.spin) + v3_length(local->twist_b.spin));
    return local->bounds.slack * form + LISTED_SHARE * local->bounds.bend;
}

// Lists the plane across n between what is in two volumes, when it parts them by enough for the verifier.
static bool list_plane(const LocalSearch* local, const Volume* a, const Volume* b, Vec3 n) {
    const LeafRange range_a = leaves_of(local->solid_a, a);
    const LeafRange range_b = leaves_of(local->solid_b, b);
    const Convex ca = whole_shape(local->solid_a, local->pose_a, &local->twist_a);
    const Convex cb = whole_shape(local->solid_b, local->pose_b, &local->twist_b);
    const double h = local->half;
    const double nearing = local->bounds.nearing;

    // Both ends of the interval, less what comes off.
    const double before = -range_support(local->solid_b, range_b, &cb, v3_neg(n), -h) -
                          range_support(local->solid_a, range_a, &ca, n, -h) + nearing * MOTION_SHRUNK;
    const double after = -range_support(local->solid_b, range_b, &cb, v3_neg(n), h) -
                         range_support(local->solid_a, range_a, &ca, n, h) - nearing;
    const double gap = (before < after ? before : after) - local->bounds.bend - listing_loss(local);
    if (!(gap > local->bounds.needed)) {
        return false;
    }

    const double margin = bi_motion_margin(local->motion, local->pair);
    const CertificateRecord record = {.pair = (int32_t)(local->pair - local->motion->scene->pairs),
                                      .kind = PROOF_PLANE,
                                      .bound = gap - (local->bounds.needed - margin),
                                      .direction = n,
                                      .first_a = local->before_a + range_a.first,
                                      .count_a = range_a.count,
                                      .first_b = local->before_b + range_b.first,
                                      .count_b = range_b.count};
    return bi_certificate_record_proof(local->proof->certificate, local->span, margin, &record);
}

// What one direction leaves between two convex things on the whole interval.
static double plane_gap(const LocalSearch* local, const Convex* a, const Convex* b, Vec3 n) {
    const double h = local->half;
    const double nearing = local->bounds.nearing;
    const double before =
        -support_along(b, v3_neg(n), -h) - support_along(a, n, -h) + nearing * MOTION_SHRUNK;
    const double after = -support_along(b, v3_neg(n), h) - support_along(a, n, h) - nearing;
    return (before < after ? before : after) - local->bounds.bend;
}

// A half-space, seen from itself, against the other's points.
static double half_space_gap(const LocalSearch* local, const Convex* space, const Convex* other) {
    const Vec3 n = pose_turn(space->pose, space->shape.as.halfspace.normal);
    const double offset = space->shape.as.halfspace.offset + v3_dot(n, space->pose->t);
    const double before =
        -support_along(other, v3_neg(n), -local->half) + local->bounds.nearing * MOTION_SHRUNK;
    const double after = -support_along(other, v3_neg(n), local->half) - local->bounds.nearing;
    return (before < after ? before : after) - offset - local->bounds.bend;
}

/// Directions across the faces and along the edges of a convex thing, in the world.
typedef struct Features {
    Vec3 faces[3], edges[3];
    int face_count, edge_count;
} Features;

static Features features_of(const Convex* c) {
    Features f = {.face_count = 0, .edge_count = 0};
    if (c->shape.kind == BERTH_TRIANGLE) {
        const Vec3* p = c->shape.as.triangle.point;
        for (int k = 0; k < 3; ++k) {
            f.edges[k] = pose_turn(c->pose, v3_sub(p[(k + 1) % 3], p[k]));
        }
        f.edge_count = 3;
        f.faces[f.face_count++] = v3_cross(f.edges[0], f.edges[1]);
    } else if (c->shape.kind == BERTH_BOX) {
        f = (Features){{c->pose->x, c->pose->y, c->pose->z}, {c->pose->x, c->pose->y, c->pose->z}, 3, 3};
    } else if (c->shape.kind == BERTH_CYLINDER || c->shape.kind == BERTH_CAPSULE) {
        f.faces[f.face_count++] = f.edges[f.edge_count++] = c->pose->z;
    }
    return f;
}

// The direction between two nearest points is no better than the points are: at small gaps that is not enough for faces that
// pass each other. Directions of faces and of pairs of edges are as good as their corners.
static double best_plane(const LocalSearch* local, const Convex* a, const Convex* b, Vec3* direction) {
    const Vec3 first = *direction;
    double best = plane_gap(local, a, b, first);
    const Features fa = features_of(a);
    const Features fb = features_of(b);
    const int crosses = fa.edge_count * fb.edge_count;

    // The faces of a, then those of b, then each edge of a with each edge of b.
    for (int k = 0; k < fa.face_count + fb.face_count + crosses && !(best > local->enough); ++k) {
        const int cross = k - fa.face_count - fb.face_count;
        Vec3 n = k < fa.face_count ? fa.faces[k] : v3(0, 0, 0);
        if (cross >= 0) {
            n = v3_cross(fa.edges[cross % fa.edge_count], fb.edges[cross / fa.edge_count]);
        } else if (k >= fa.face_count) {
            n = fb.faces[k - fa.face_count];
        }

        n = v3_unit_or(n, first);
        n = v3_dot(n, first) < 0.0 ? v3_neg(n) : n;
        const double gap = plane_gap(local, a, b, n);
        if (gap > best) {
            best = gap;
            *direction = n;
        }
    }
    return best;
}

// Lowers the clearance to what the gap proves when it is enough, else returns false.
static bool prove_by_gap(const LocalSearch* local, double gap) {
    if (!(gap > local->bounds.needed)) {
        return false;
    }
    const double bound = gap - (local->bounds.needed - bi_motion_margin(local->motion, local->pair));
    double* clearance = local->proof->clearance;
    *clearance = bound < *clearance ? bound : *clearance;
    return true;
}

// How far any point of A can go against any point of B: by the velocities of the centres, the turning of what is around them,
// the bend, and what moves on its own.
static double relative_travel(const LocalSearch* local, const Volume* a, const Volume* b) {
    const Vec3 va = twist_velocity(&local->twist_a, a->centre);
    const Vec3 vb = twist_velocity(&local->twist_b, b->centre);
    const double turn_a = v3_length(local->twist_a.spin);
    const double turn_b = v3_length(local->twist_b.spin);
    const double speed = v3_distance(va, vb) + (turn_a > 0.0 ? turn_a * a->radius : 0.0) +
                         (turn_b > 0.0 ? turn_b * b->radius : 0.0);
    return (local->half * speed + local->bounds.bend + local->bounds.nearing) * MOTION_GROWN +
           local->bounds.slack;
}

static PairState try_leaves(LocalSearch* local, const Volume* a, const Volume* b) {
    const Convex ca = convex_of(local->solid_a, a, local->pose_a, &local->twist_a);
    const Convex cb = convex_of(local->solid_b, b, local->pose_b, &local->twist_b);
    local->proof->stats->counters.leaf_tests += 1;

    double gap = 0.0;
    Vec3 n = {0, 0, 0};
    if (ca.shape.kind == BERTH_HALFSPACE && cb.shape.kind == BERTH_HALFSPACE) {
        return PAIR_OPEN;
    }
    if (ca.shape.kind == BERTH_HALFSPACE || cb.shape.kind == BERTH_HALFSPACE) {
        const bool first = ca.shape.kind == BERTH_HALFSPACE;
        gap = half_space_gap(local, first ? &ca : &cb, first ? &cb : &ca);
    } else {
        const Pose a_from_b = pose_between(local->pose_a, local->pose_b);
        const BerthGap now = bi_shape_gap(&ca.shape, &cb.shape, &a_from_b, INFINITY);
        n = v3_unit_or(pose_turn(local->pose_a, now.normal), v3(0, 0, 0));
        gap = v3_length_sq(n) > 0.5 ? best_plane(local, &ca, &cb, &n) : -(double)INFINITY;
    }

    if (local->proof->certificate != NULL && !(gap > local->enough && list_plane(local, a, b, n))) {
        return PAIR_OPEN;
    }
    return prove_by_gap(local, gap) ? PAIR_FREE : PAIR_OPEN;
}

static BerthShape flat_box(const RssNode* node) {
    return (BerthShape){.kind = BERTH_BOX, .as.box.half = {node->half[0], node->half[1], 0.0}};
}

// A lower bound of the gap of two volumes at the middle, one of which is not a leaf.
static double volume_gap(const LocalSearch* local, const Volume* a, const Volume* b) {
    const Pose a_from_b = pose_between(local->pose_a, local->pose_b);
    if (a->node != NULL && b->node != NULL) {
        return bi_rss_gap(a->node, b->node, &a_from_b);
    }
    const bool first = a->node != NULL;
    const RssNode* node = first ? a->node : b->node;
    const Pose part_from_node = {node->axis[0], node->axis[1], node->axis[2], node->centre};
    const BerthShape box = flat_box(node);
    const BerthShape* shape = first ? &local->solid_b->shape : &local->solid_a->shape;
    const Pose b_from_a = pose_inverse(&a_from_b);
    const Pose part_from_shape = first ? a_from_b : b_from_a;
    const Pose node_from_shape = pose_between(&part_from_node, &part_from_shape);
    return bi_shape_gap(&box, shape, &node_from_shape, INFINITY).lower - node->radius;
}

// The direction across two volumes that are apart, one of which is not a leaf, from a to b; in the world.
static Vec3 volume_direction(const LocalSearch* local, const Volume* a, const Volume* b) {
    const BerthShape shape_a = a->node != NULL ? flat_box(a->node) : local->solid_a->shape;
    const BerthShape shape_b = b->node != NULL ? flat_box(b->node) : local->solid_b->shape;
    Pose world_from_a = *local->pose_a;
    Pose world_from_b = *local->pose_b;
    if (a->node != NULL) {
        const Pose own = {a->node->axis[0], a->node->axis[1], a->node->axis[2], a->node->centre};
        world_from_a = pose_mul(local->pose_a, &own);
    }
    if (b->node != NULL) {
        const Pose own = {b->node->axis[0], b->node->axis[1], b->node->axis[2], b->node->centre};
        world_from_b = pose_mul(local->pose_b, &own);
    }

    const Pose a_from_b = pose_between(&world_from_a, &world_from_b);
    const BerthGap gap = bi_shape_gap(&shape_a, &shape_b, &a_from_b, INFINITY);
    return v3_unit_or(pose_turn(&world_from_a, gap.normal), v3(0, 0, 1));
}

// One pair of volumes. *open: look at what is in them now.
static PairState try_volumes(LocalSearch* local, const Volume* a, const Volume* b, bool* open) {
    *open = false;
    local->proof->stats->pair_tests += 1;
    if (is_leaf(a) && is_leaf(b)) {
        return try_leaves(local, a, b);
    }

    local->proof->stats->counters.bv_tests += 1;
    const double moved = relative_travel(local, a, b);
    const double gap = volume_gap(local, a, b) - moved;
    const bool lists = local->proof->certificate != NULL;
    if ((!lists || (gap > local->bounds.needed && list_plane(local, a, b, volume_direction(local, a, b)))) &&
        prove_by_gap(local, gap)) {
        return PAIR_FREE;
    }
    // Smaller volumes help as long as they are what is in the way; then shorter times do.
    *open = !(moved > a->radius + b->radius);
    return PAIR_OPEN;
}

static bool append_item(BerthMotionChecker* motion, int32_t* count, LocalItem item) {
    if (*count >= LOCAL_ITEMS) {
        return false;
    }
    motion->local_items[(*count)++] = item;
    return true;
}

// Leaves of the parts of a body that come before this one.
static int32_t leaves_before(const BerthScene* scene, int32_t body, int32_t part) {
    int32_t count = 0;
    for (int32_t i = scene->bodies[body].first_part; i < part; ++i) {
        count += solid_leaf_count(scene->parts[i].solid);
    }
    return count;
}

// Goes down from one item. What must wait for shorter times is appended. False when room or budget ran out.
static bool descend(LocalSearch* local, LocalItem item, int32_t* count) {
    const BerthScene* scene = local->motion->scene;

    local->before_a = leaves_before(scene, local->pair->body_a, item.part_a);
    local->before_b = leaves_before(scene, local->pair->body_b, item.part_b);
    local->solid_a = scene->parts[item.part_a].solid;
    local->solid_b = scene->parts[item.part_b].solid;
    local->pose_a = &local->motion->checker->world_from_part[item.part_a];
    local->pose_b = &local->motion->checker->world_from_part[item.part_b];

    int32_t stack[2 * RSS_STACK][2];
    int32_t depth = 0;
    stack[depth][0] = item.node_a;
    stack[depth++][1] = item.node_b;

    while (depth > 0) {
        const int32_t ia = stack[--depth][0];
        const int32_t ib = stack[depth][1];
        const Volume a = volume_of(local->solid_a, local->pose_a, ia);
        const Volume b = volume_of(local->solid_b, local->pose_b, ib);
        bool open = false;

        if (local->tests_left-- <= 0) {
            return false;
        }
        if (try_volumes(local, &a, &b, &open) == PAIR_FREE) {
            continue;
        }

        // Smaller volumes will not help: it waits for shorter times.
        if (!open) {
            local->is_full =
                !append_item(local->motion, count, (LocalItem){item.part_a, item.part_b, ia, ib});
            if (local->is_full) {
                return false;
            }
            continue;
        }

        // The larger of the two is opened.
        BI_ASSERT(depth + 2 <= 2 * RSS_STACK);
        const bool first = is_leaf(&b) || (!is_leaf(&a) && a.radius >= b.radius);
        for (int32_t k = 0; k < 2; ++k) {
            stack[depth][0] = first ? a.node->child + k : ia;
            stack[depth++][1] = first ? ib : b.node->child + k;
        }
    }
    return true;
}

/// An interval of time that waits, with what is open on it.
typedef struct WaitingInterval {
    Span span;
    int32_t first, count;  // in motion->local_items
} WaitingInterval;

// Where everything is in the middle of the interval, and what it can do. FREE: the pair is apart there; HIT; or CLOSE.
static PairState place_middle(LocalSearch* local, int32_t index, Span span, bool is_placed,
                              const BerthSegment* segment) {
    BerthMotionChecker* motion = local->motion;

    if (!is_placed) {
        bi_motion_rates(motion, segment, span);
        local->proof->stats->configurations += 1;
        local->proof->stats->intervals += 1;
        if (!bi_motion_place(motion, span)) {
            local->proof->spent = true;
            return PAIR_CLOSE;
        }
    }

    // What the pair can do on the interval.
    const int32_t ancestor = motion->pairs[index].ancestor;
    local->span = span;
    local->half = span.half;
    local->bounds = bi_motion_pair_bounds(motion, index, span.half);
    local->twist_a = twist_against(motion, motion->scene->bodies[local->pair->body_a].frame, ancestor);
    local->twist_b = twist_against(motion, motion->scene->bodies[local->pair->body_b].frame, ancestor);

    local->enough = local->bounds.needed + (local->proof->certificate != NULL ? listing_loss(local) : 0.0);

    // So short that no gap changes by more than poses are rounded: gaps are the margin, as far as doubles can tell.
    local->is_shortest = !(2.0 * local->bounds.travel > local->bounds.slack && span.half > LOCAL_HALF_MIN);

    // Who placed it has checked it already.
    if (is_placed) {
        return PAIR_FREE;
    }
    const double margin = bi_motion_margin(motion, local->pair);
    const PairRequest wanted = {.max_d = margin, .enough = margin};
    BerthTreeAnswer answer;
    bi_check_pair(motion->checker, local->pair, &wanted, &answer);
    if (answer.verdict == BERTH_COLLISION) {
        local->proof->hit = answer;
    }
    local->proof->spent = answer.verdict == BERTH_UNKNOWN && answer.reason == BERTH_REASON_BUDGET;

    switch (answer.verdict) {
    case BERTH_FREE:
        return PAIR_FREE;
    case BERTH_COLLISION:
        return PAIR_COLLISION;
    default:
        return PAIR_CLOSE;
    }
}

// What was listed so far, and what to forget when it leads nowhere.
static int64_t count_listed(const PairProof* proof) {
    return proof->certificate != NULL ? bi_certificate_record_count(proof->certificate) : 0;
}

static void drop_listed(const PairProof* proof, int64_t count) {
    if (proof->certificate != NULL) {
        bi_certificate_drop_records(proof->certificate, count);
    }
}

// All items of one interval. OPEN: what was appended waits for its halves, or, `is_full`, all of them do; CLOSE: nothing can be
// said.
static PairState try_items(LocalSearch* local, const WaitingInterval* at, int32_t* count) {
    const int32_t start = *count;
    const int64_t listed = count_listed(local->proof);
    local->is_full = false;
    for (int32_t k = at->first; k < at->first + at->count; ++k) {
        if (descend(local, local->motion->local_items[k], count)) {
            continue;
        }
        if (!local->is_full || local->is_shortest) {
            local->proof->spent = true;
            return PAIR_CLOSE;
        }
        *count = start;
        drop_listed(local->proof, listed);
        return PAIR_OPEN;
    }

    if (*count == start) {
        return PAIR_FREE;
    }
    return local->is_shortest ? PAIR_CLOSE : PAIR_OPEN;
}

static bool list_parts(BerthMotionChecker* motion, const ScenePair* pair, int32_t* count) {
    const SceneBody* a = &motion->scene->bodies[pair->body_a];
    const SceneBody* b = &motion->scene->bodies[pair->body_b];
    for (int32_t k = 0; k < a->part_count * b->part_count; ++k) {
        const LocalItem item = {a->first_part + k / b->part_count, b->first_part + k % b->part_count, 0, 0};
        if (!append_item(motion, count, item)) {
            return false;
        }
    }
    return true;
}

// Earlier times first: what is before the interval at hand is proven. Where the earliest contact is wanted, a witness leaves
// only what is before it.
static PairState search_times(LocalSearch* local, const BerthSegment* segment, int32_t index, Span span,
                              int32_t listed) {
    PairProof* proof = local->proof;
    WaitingInterval waiting[LOCAL_DEPTH + 2];
    int32_t depth = 0;
    waiting[depth++] = (WaitingInterval){span, 0, listed};
    PairState found = PAIR_FREE;

    for (bool is_placed = true; depth > 0; is_placed = false) {
        const WaitingInterval at = waiting[--depth];
        const double h = 0.5 * at.span.half;
        const int32_t next = at.first + at.count;
        int32_t count = next;

        PairState state = place_middle(local, index, at.span, is_placed, segment);
        proof->t_low = at.span.middle - at.span.half;

        // A witness ends the search, or leaves only what is before it.
        if (state == PAIR_FREE) {
            state = try_items(local, &at, &count);
        } else if (state == PAIR_COLLISION) {
            found = PAIR_COLLISION;
            proof->t = at.span.middle;
            if (!proof->first_contact || local->is_shortest || local->motion->delta > 0.0) {
                return PAIR_COLLISION;  // with a delta, the whole interval is short enough
            }
            depth = 0;
            waiting[depth++] = (WaitingInterval){{at.span.middle - h, h}, at.first, at.count};
            continue;
        }

        if (state == PAIR_CLOSE) {
            return found == PAIR_COLLISION ? PAIR_COLLISION : PAIR_CLOSE;
        }

        // The earlier half is on top. Both begin with what is left, or where there was no room for that, with what was tried.
        if (state == PAIR_OPEN) {
            BI_ASSERT(depth + 2 <= LOCAL_DEPTH + 2);
            const int32_t first = local->is_full ? at.first : next;
            const int32_t left = local->is_full ? at.count : count - next;
            waiting[depth++] = (WaitingInterval){{at.span.middle + h, h}, first, left};
            waiting[depth++] = (WaitingInterval){{at.span.middle - h, h}, first, left};
        }
    }

    proof->t_low = proof->t;
    return found;
}

// Is the gap at the middle so much of what the pair can travel that a few halves of the time are proven by distances? These are
// cheaper than planes between all triangles within reach.
static bool test_far_enough(const BerthMotionChecker* motion, const ScenePair* pair, int32_t index, Span span,
                            PairProof* proof) {
    const PairBounds bounds = bi_motion_pair_bounds(motion, index, span.half);
    const PairRequest wanted = {
        .max_d = bounds.needed + bounds.travel, .tolerance = DISTANCE_TOLERANCE, .distance = true};
    BerthTreeAnswer answer;
    bi_check_pair(motion->checker, pair, &wanted, &answer);
    counters_add(&proof->stats->counters, &answer.counters);
    const double gap = answer.lower + bi_check_padding(motion->checker, pair);
    return FEW_HALVES * (gap - bounds.needed) > bounds.travel;
}

PairState bi_motion_prove_pair_locally(BerthMotionChecker* motion, const BerthSegment* segment, int32_t index,
                                       Span span, const LocalItem* only, int64_t tests, PairProof* proof) {
    if (motion->function != NULL) {
        return PAIR_OPEN;  // planes to second order are all it has
    }

    const MotionPair* ends = &motion->pairs[index];
    const ScenePair* pair = &motion->scene->pairs[ends->pair];
    if (ends->endless && ends->half_space < 0) {
        return PAIR_OPEN;  // of several parts, or two half-spaces: planes are held in neither's frame
    }

    if (motion->delta == 0.0 && only == NULL && test_far_enough(motion, pair, index, span, proof)) {
        return PAIR_OPEN;
    }

    const double clearance = *proof->clearance;
    const int64_t records = count_listed(proof);
    LocalSearch local = {.motion = motion, .pair = pair, .proof = proof, .tests_left = tests};
    int32_t listed = 0;
    const bool has_room =
        only != NULL ? append_item(motion, &listed, *only) : list_parts(motion, pair, &listed);
    const PairState state = has_room ? search_times(&local, segment, index, span, listed) : PAIR_CLOSE;
    proof->spent = proof->spent || !has_room;

    // What was proven of one half does not hold for the whole.
    if (state != PAIR_FREE) {
        *proof->clearance = clearance;
        drop_listed(proof, records);
    }
    proof->listed = state == PAIR_FREE && proof->certificate != NULL;

    bi_motion_rates(motion, segment, span);
    const bool placed = bi_motion_place(motion, span);
    return placed ? state : PAIR_CLOSE;
}
