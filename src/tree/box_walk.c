// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The walk over two trees of boxes. Both are descended together: eight boxes against eight; the pairs that
// are not proven far enough apart go on the stack, nearest on top. Boxes prune in float with slack; double
// decides at the leaves.
// Entry: bi_tree_box_walk.

#include <float.h>

#include "math/math.h"
#include "tree/walk.h"

#if defined(__GNUC__)
#define BI_PREFETCH(address) __builtin_prefetch(address)
#else
#define BI_PREFETCH(address) (void)(address)
#endif

void bi_tree_box_frame(const BerthSolid* a, const BerthSolid* b, const Pose* a_from_b, BoxFrame* out) {
    const Vec3 column[3] = {a_from_b->x, a_from_b->y, a_from_b->z};
    for (int c = 0; c < 3; ++c) {
        const double entry[3] = {column[c].x, column[c].y, column[c].z};
        for (int row = 0; row < 3; ++row) {
            out->turn[row][c] = (float)entry[row];
            out->abs_turn[row][c] = (float)fabs(entry[row]) + 4.0f * (float)BI_ULP_F;
        }
    }

    out->t[0] = (float)a_from_b->t.x;
    out->t[1] = (float)a_from_b->t.y;
    out->t[2] = (float)a_from_b->t.z;

    const double radius = a->extent + b->extent + v3_length(a_from_b->t);
    out->slack = (float)(32.0 * BI_ULP_F * radius) + FLT_MIN;
}

static void measure_leaves(Walk* walk, int32_t ia, int32_t ib) {
    bi_walk_test_triangles(walk, walk->a->triangles[ia].point, walk->b->triangles[ib].point,
                           walk->a->source[ia], walk->b->source[ib]);
}

// Nodes that will be opened soon come from far away otherwise: they are megabytes in all (3 % of Romeo's verdicts).
static inline void prefetch_node(const BerthSolid* solid, int32_t node) {
    const char* first = (const char*)&solid->nodes[node];
    BI_PREFETCH(first);
    BI_PREFETCH(first + 64);
    BI_PREFETCH(first + 128);
    BI_PREFETCH(&solid->links[node]);
}

static void push_nodes(Walk* walk, int32_t a, int32_t b, float bound_sq) {
    BerthTreeQuery* query = walk->query;
    BI_ASSERT(walk->stack_count < query->stack_capacity);
    query->stack[walk->stack_count++] = (SolidPairEntry){a, b, bound_sq};
    prefetch_node(walk->a, a);
    prefetch_node(walk->b, b);
    if (walk->stack_count > query->stack_high_water) {
        query->stack_high_water = walk->stack_count;
    }
}

enum { NEAREST = 3 };

// Brings the nearest few to the end, nearest last: they are pushed last and opened first. The others stay as they
// are; most of them are cut once the near ones are done, so sorting all 64 cost more than it gained (70 to 40 us on
// two links of a Panda).
static void bring_nearest_last(uint8_t* pair, float* bound, int32_t count, int32_t nearest) {
    const int32_t stop = count > nearest ? count - nearest : 1;

    for (int32_t end = count - 1; end >= stop; --end) {
        int32_t least = 0;
        for (int32_t i = 1; i <= end; ++i) {
            least = bound[i] < bound[least] ? i : least;
        }

        const float b = bound[least];
        const uint8_t p = pair[least];
        bound[least] = bound[end];
        pair[least] = pair[end];
        bound[end] = b;
        pair[end] = p;
    }
}

/// How far the triangles of two bottom nodes reach along the direction of the best pair so far. That direction
/// separates most pairs by more than the best: for convex surfaces, all of them.
typedef struct Reach {
    _Alignas(64) float high_a[BOX_LANES];
    float low_b[BOX_LANES];
    float cut;  // beyond this, with room for float rounding, a pair is of no interest
} Reach;

static void set_reach(const Walk* walk, const BoxLink* la, const BoxLink* lb, Reach* reach) {
    const Vec3 n = walk->out->normal;
    const Vec3 nb = pose_turn_back(walk->a_from_b, n);
    const float n_a[3] = {(float)n.x, (float)n.y, (float)n.z};
    const float n_b[3] = {(float)nb.x, (float)nb.y, (float)nb.z};
    _Alignas(64) float unused[BOX_LANES];

    walk->query->kernels->triangle_span(&walk->a->corners[la->corners], n_a, reach->high_a, unused);
    walk->query->kernels->triangle_span(&walk->b->corners[lb->corners], n_b, unused, reach->low_b);

    const double shift = v3_dot(n, walk->a_from_b->t);
    reach->cut = (float)(walk->cut - shift) + 2.0f * walk->frame.slack;
}

// The pairs of triangles that their planes leave open, a bit each. For a distance the cut is too wide for that to pay.
static uint64_t find_open_pairs(const Walk* walk, const BoxLink* la, const BoxLink* lb, const uint8_t* pair,
                                int32_t count) {
    if (walk->request->sorted || count < 2) {
        return ~(uint64_t)0;
    }

    uint64_t wanted = 0;
    for (int32_t k = 0; k < count; ++k) {
        wanted |= (uint64_t)1 << pair[k];
    }

    const float cut = (float)walk->cut * (1.0f + 8.0f * (float)BI_ULP_F) + 2.0f * walk->frame.slack;
    return walk->query->kernels->triangle_pairs(&walk->a->corners[la->corners],
                                                &walk->b->corners[lb->corners], &walk->frame, cut, wanted);
}

static void test_triangles(Walk* walk, const BoxLink* la, const BoxLink* lb, const uint8_t* pair,
                           const float* bound, int32_t count) {
    Reach reach;
    double best = -1.0;
    const uint64_t near = find_open_pairs(walk, la, lb, pair, count);

    for (int32_t k = count - 1; k >= 0 && !walk_is_done(walk); --k) {
        if (bound[k] > walk->limit_sq || ((near >> pair[k]) & 1u) == 0) {
            continue;
        }

        if (best != walk->out->upper) {
            best = walk->out->upper;
            set_reach(walk, la, lb, &reach);
        }

        const int lane_a = pair[k] & (BOX_LANES - 1);
        const int lane_b = pair[k] / BOX_LANES;
        if (!(reach.low_b[lane_b] - reach.high_a[lane_a] > reach.cut)) {
            measure_leaves(walk, la->first + lane_a, lb->first + lane_b);
        }
    }
}

static void test_shape(Walk* walk, const BoxLink* la, const BoxLink* lb, const uint8_t* pair,
                       const float* bound, int32_t count) {
    for (int32_t k = count - 1; k >= 0 && !walk_is_done(walk); --k) {
        if (!(bound[k] > walk->limit_sq)) {
            const BerthSolid* mesh = walk->a->is_mesh ? walk->a : walk->b;
            const int32_t leaf =
                walk->a->is_mesh ? la->first + (pair[k] & (BOX_LANES - 1)) : lb->first + pair[k] / BOX_LANES;
            bi_walk_test_shape(walk, mesh->triangles[leaf].point, mesh->source[leaf]);
        }
    }
}

// One side is at its bottom: the other goes down alone, with the least bound over the lanes of the first.
static void push_one_side(Walk* walk, const SolidPairEntry* top, const BoxLink* la, const BoxLink* lb,
                          const uint8_t* pair, const float* bound, int32_t count) {
    float least[BOX_LANES];
    for (int i = 0; i < BOX_LANES; ++i) {
        least[i] = FLT_MAX;
    }

    for (int32_t k = 0; k < count; ++k) {
        const int lane = la->bottom ? pair[k] / BOX_LANES : pair[k] & (BOX_LANES - 1);
        least[lane] = bound[k] < least[lane] ? bound[k] : least[lane];
    }

    // The lanes that are left, nearest last.
    uint8_t order[BOX_LANES];
    float key[BOX_LANES];
    int32_t used = 0;
    for (int i = 0; i < BOX_LANES; ++i) {
        if (least[i] < FLT_MAX) {
            order[used] = (uint8_t)i;
            key[used] = least[i];
            used += 1;
        }
    }

    bring_nearest_last(order, key, used, NEAREST);
    for (int32_t k = 0; k < used; ++k) {
        if (la->bottom) {
            push_nodes(walk, top->a, lb->first + order[k], key[k]);
        } else {
            push_nodes(walk, la->first + order[k], top->b, key[k]);
        }
    }
}

static void open_box_pair(Walk* walk, const SolidPairEntry* top) {
    const BoxLink* la = &walk->a->links[top->a];
    const BoxLink* lb = &walk->b->links[top->b];

    uint8_t pair[BOX_PAIRS];
    float bound[BOX_PAIRS];
    const int32_t count =
        walk->query->kernels->box_pairs(&walk->a->nodes[top->a], &walk->b->nodes[top->b], lb->count,
                                        &walk->frame, walk->limit_sq, pair, bound);

    walk->out->counters.bv_tests += (int64_t)la->count * lb->count;

    if (la->bottom && lb->bottom) {
        if (walk->request->sorted) {
            bring_nearest_last(pair, bound, count, NEAREST);
        }

        if (walk->a->is_mesh && walk->b->is_mesh) {
            test_triangles(walk, la, lb, pair, bound, count);
        } else {
            test_shape(walk, la, lb, pair, bound, count);
        }
    } else if (la->bottom || lb->bottom) {
        push_one_side(walk, top, la, lb, pair, bound, count);
    } else {
        // A verdict wants to be where they overlap most, and goes there at once.
        bring_nearest_last(pair, bound, count, walk->request->sorted ? NEAREST : 1);
        for (int32_t k = 0; k < count; ++k) {
            push_nodes(walk, la->first + (pair[k] & (BOX_LANES - 1)), lb->first + pair[k] / BOX_LANES,
                       bound[k]);
        }
    }
}

bool bi_tree_box_walk(Walk* walk) {
    bi_tree_box_frame(walk->a, walk->b, walk->a_from_b, &walk->frame);
    push_nodes(walk, 0, 0, 0.0f);
    while (walk->stack_count > 0 && !walk_is_done(walk)) {
        const SolidPairEntry top = walk->query->stack[--walk->stack_count];
        if (top.bound_sq > walk->limit_sq) {
            continue;
        }

        if (walk->nodes_left-- <= 0) {
            return false;
        }
        open_box_pair(walk, &top);
    }
    return true;
}
