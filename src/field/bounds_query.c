// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What each part knows about a point without a search: bounds of its distance, or the distance itself.
// Entries: bi_field_bounds, bi_field_quick_verdicts, bi_field_nearest_of_list, bi_field_best_method.

#include "field/query.h"
#include "math/vec3.h"

// The part that answers fastest of those that are there: measured on 256^3 cells, docs/theory/field.md.
BerthFieldMethod bi_field_best_method(uint32_t parts, BerthMetric metric) {
    static const struct {
        uint32_t part;
        BerthFieldMethod method;
    } order[BERTH_METRIC_COUNT][5] = {[BERTH_METRIC_L2] = {{BERTH_FIELD_EUCLID, BERTH_FIELD_BY_EUCLID},
                                                           {BERTH_FIELD_EODM, BERTH_FIELD_BY_EODM},
                                                           {BERTH_FIELD_DM, BERTH_FIELD_BY_DM},
                                                           {BERTH_FIELD_ODM, BERTH_FIELD_BY_ODM},
                                                           {0, BERTH_FIELD_BY_OCTREE}},
                                      [BERTH_METRIC_L1] = {{BERTH_FIELD_DM, BERTH_FIELD_BY_DM},
                                                           {BERTH_FIELD_EODM, BERTH_FIELD_BY_EODM},
                                                           {BERTH_FIELD_EUCLID, BERTH_FIELD_BY_EUCLID},
                                                           {BERTH_FIELD_ODM, BERTH_FIELD_BY_ODM},
                                                           {0, BERTH_FIELD_BY_OCTREE}}};

    for (int i = 0; i < 5; ++i) {
        if ((parts & order[metric][i].part) != 0) {
            return order[metric][i].method;
        }
    }

    return BERTH_FIELD_BY_OCTREE;
}

// Between the metrics: d1 / sqrt(dim) <= d2 <= d1, the root rounded to the safe side.
static double sqrt_dim(const BerthField* field) {
    return field->info.dim == 3 ? 1.7320508075688774 : 1.4142135623730951;
}

// From an exact answer in one metric to bounds in the other.
static void convert_bounds(const BerthField* field, const CellPoint* point, const FieldNear* near,
                           BerthMetric own, BerthMetric metric, FieldBounds* out) {
    if (own == metric || near->obstacle == UINT32_MAX) {
        *out = (FieldBounds){metric_distance(near->key, metric), metric_distance(near->key, metric), true,
                             *near};
        return;
    }

    const double d = metric_distance(near->key, own);
    out->high = metric_distance(leaf_key(field, field->solids[near->obstacle], point->at, metric), metric);
    out->low = own == BERTH_METRIC_L1 ? d / sqrt_dim(field) : d;
}

static void bounds_by_separation(const BerthField* field, const CellPoint* point, BerthMetric metric,
                                 FieldBounds* out) {
    const FieldNode leaf = field_leaf(field, point->cell);
    if (node_blocks(field, leaf.node)) {
        *out = (FieldBounds){0.0, 0.0, true, {0.0, node_payload(leaf.node), 1}};
        return;
    }

    const uint16_t* separation = field->separations + 2 * (size_t)node_payload(leaf.node);
    out->low = (double)separation[0] / (metric == BERTH_METRIC_L1 ? 1.0 : sqrt_dim(field));
    out->high = separation[1] == UINT16_MAX ? INFINITY : (double)separation[1];
}

// errata 5.6: anywhere in a cell the L1 distance is in [DM - dim, DM].
static void bounds_by_l1(const BerthField* field, const CellPoint* point, BerthMetric metric,
                         FieldBounds* out) {
    const uint16_t dm = field->dense_l1[dense_index(field, point->cell)];
    const double low = (double)dm - field->info.dim;
    out->low = 0.0;
    if (low > 0.0) {
        out->low = low / (metric == BERTH_METRIC_L1 ? 1.0 : sqrt_dim(field));
    }
    out->high = dm == FIELD_DM_MOST ? INFINITY : (double)dm;
}

static double way_to_centre(const BerthField* field, const double at[3], const int32_t cell[3]) {
    double way_sq = 0.0;
    for (int axis = 0; axis < field->info.dim; ++axis) {
        const double way = at[axis] - ((double)cell[axis] + 0.5);
        way_sq += way * way;
    }
    return sqrt(way_sq);
}

// A distance changes by at most the way to the cell's centre.
static void bounds_by_euclid(const BerthField* field, const CellPoint* point, BerthMetric metric,
                             FieldBounds* out) {
    const uint32_t value = field->dense_euclid[dense_index(field, point->cell)];
    if (value == FIELD_ENDLESS) {
        out->low = INFINITY;
        return;
    }

    const double d = 0.5 * sqrt((double)value), way = way_to_centre(field, point->at, point->cell);
    out->low = d - way;
    out->high = (d + way) * (metric == BERTH_METRIC_L1 ? sqrt_dim(field) : 1.0);
}

FieldBounds bi_field_bounds(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                            const CellPoint* point) {
    FieldBounds out = {0.0, INFINITY, false, {INFINITY, UINT32_MAX, 1}};
    if (!point->in_root) {
        return out;
    }

    CellPoint held = *point;  // dense maps end with the map's size
    switch (method) {
    case BERTH_FIELD_BY_ODM:
        bounds_by_separation(field, point, metric, &out);
        break;
    case BERTH_FIELD_BY_EODM: {
        const FieldNear near = bi_eodm_nearest(field, point);
        out.near.steps = near.steps;
        convert_bounds(field, point, &near, BERTH_METRIC_L1, metric, &out);
        break;
    }
    case BERTH_FIELD_BY_LISTS: {
        const FieldNear near = bi_field_nearest_of_list(field, point);
        out.near.steps = near.steps;
        convert_bounds(field, point, &near, BERTH_METRIC_L2, metric, &out);
        break;
    }
    case BERTH_FIELD_BY_DM:
    case BERTH_FIELD_BY_EUCLID:
        if (!point->inside) {
            break;
        }
        for (int axis = 0; axis < field->info.dim; ++axis) {
            held.cell[axis] =
                held.cell[axis] < field->info.size[axis] ? held.cell[axis] : field->info.size[axis] - 1;
        }
        (method == BERTH_FIELD_BY_DM ? bounds_by_l1 : bounds_by_euclid)(field, &held, metric, &out);
        break;
    default:
        break;
    }

    return out;
}

FieldNear bi_field_nearest_of_list(const BerthField* field, const CellPoint* point) {
    const FieldNode leaf = field_leaf(field, point->cell);
    if (node_blocks(field, leaf.node)) {
        return (FieldNear){0.0, node_payload(leaf.node), 1};
    }

    FieldNear near = {INFINITY, UINT32_MAX, 0};
    const uint32_t slot = node_payload(leaf.node);
    for (uint32_t i = field->list_first[slot]; i < field->list_first[slot + 1]; ++i) {
        const double key = leaf_key(field, field->solids[field->list_items[i]], point->at, BERTH_METRIC_L2);
        ++near.steps;
        if (key < near.key) {
            near.key = key;
            near.obstacle = field->list_items[i];
        }
    }
    return near;
}

// ---- by one look into a dense map -----------------------------------------------------------------------------------------------------

// Half a cell's diagonal, by dimension, rounded up by far more than a point's coordinates are.
static const double half_diagonal[4] = {0.0, 0.0, 0.7072, 0.8661};
// Nearer to the border of the map than this many cells it is left to the careful way; it is also twice what coordinates may
// have been rounded by; otherwise this is not reached.
#define BORDER (2.0 * FIELD_ROUGH)

// A distance changes by at most the way between two points, and by nearly all of it along the line to the nearest obstacle. So a
// cell further off on that line bounds the distance from below much better than the own one, and a nearer one from above. Where the line
// runs is guessed from the six neighbours; a bad guess proves nothing.
static BerthVerdict verdict_by_slope(const BerthField* field, const int32_t own[3], const double at[3],
                                     double r, BerthMetric metric) {
    const int dim = field->info.dim;
    double slope[3] = {0.0, 0.0, 0.0}, square = 0.0;

    for (int axis = 0; axis < dim; ++axis) {
        if (own[axis] < 1 || own[axis] + 1 >= field->info.size[axis]) {
            return BERTH_UNKNOWN;
        }
        int32_t next[3] = {own[0], own[1], own[2]};
        next[axis] += 1;
        slope[axis] = sqrt((double)field->dense_euclid[dense_index(field, next)]);
        next[axis] -= 2;
        slope[axis] -= sqrt((double)field->dense_euclid[dense_index(field, next)]);
        square += slope[axis] * slope[axis];
    }

    const double step = square > 0.0 ? 1.5 / sqrt(square) : 0.0;
    // Away from the obstacle first, then towards it.
    for (int side = 1; side >= -1; side -= 2) {
        int32_t cell[3] = {own[0], own[1], own[2]};
        for (int axis = 0; axis < dim; ++axis) {
            cell[axis] += (int32_t)floor(side * step * slope[axis] + 0.5);
            cell[axis] = cell[axis] < 0 ? 0 : cell[axis];
            cell[axis] = cell[axis] < field->info.size[axis] ? cell[axis] : field->info.size[axis] - 1;
        }

        const double d = 0.5 * sqrt((double)field->dense_euclid[dense_index(field, cell)]),
                     way = way_to_centre(field, at, cell);
        if (d - way > r * (1.0 + BORDER) + BORDER) {
            return BERTH_FREE;
        }
        if (metric == BERTH_METRIC_L2 && d + way < r * (1.0 - BORDER) - BORDER) {
            return BERTH_COLLISION;
        }
    }

    return BERTH_UNKNOWN;
}

/// A ball in cells, roughly, and where the map is looked at.
typedef struct QuickBall {
    double at[3], r;
    int32_t cell[3];
    bool inside;  // clearly; else nothing can be said
    size_t index;
} QuickBall;

// Only prefetches the memory: a load would hold up all that comes after it, and so few of them would be under way.
static inline QuickBall place_ball(const BerthField* field, BerthFieldMethod method, BerthVec3 centre,
                                   double radius) {
    const BerthFieldInfo* info = &field->info;
    QuickBall ball;

    ball.at[0] = (centre.x - info->origin.x) * field->per_metre;
    ball.at[1] = (centre.y - info->origin.y) * field->per_metre;
    ball.at[2] = info->dim == 3 ? (centre.z - info->origin.z) * field->per_metre : 0.5;
    ball.r = radius * field->per_metre;
    ball.inside = ball.r >= 0.0 && ball.r <= 1e300;

    for (int axis = 0; axis < 3; ++axis) {
        const double x = ball.at[axis];
        const bool in = (x > BORDER) & (x < (double)info->size[axis] - BORDER);
        ball.cell[axis] = (int32_t)(in ? x : 0.0);
        ball.inside &= in;
    }

    ball.index = dense_index(field, ball.cell);
    __builtin_prefetch(method == BERTH_FIELD_BY_EUCLID ? (const void*)&field->dense_euclid[ball.index]
                                                       : (const void*)&field->dense_l1[ball.index]);
    return ball;
}

// In half cells: the root of what is read is off by at most twice half a diagonal. In L1, too: it is no shorter.
static inline bool is_free_at_once(const BerthField* field, const QuickBall* ball) {
    const uint32_t square = field->dense_euclid[ball->index];
    const double outer = 2.0 * (ball->r * (1.0 + BORDER) + half_diagonal[field->info.dim]);
    return square == FIELD_ENDLESS || (double)square > outer * outer;
}

static BerthVerdict quick_by_euclid(const BerthField* field, BerthMetric metric, const QuickBall* ball) {
    const double value = (double)field->dense_euclid[ball->index], r = ball->r;
    const double inner = 2.0 * (r * (1.0 - BORDER) - half_diagonal[field->info.dim]);
    if (is_free_at_once(field, ball)) {
        return BERTH_FREE;
    }
    if (metric == BERTH_METRIC_L2 && inner > 0.0 && value < inner * inner) {
        return BERTH_COLLISION;
    }

    // With the way to the centre itself, which is shorter.
    const double way = way_to_centre(field, ball->at, ball->cell), d = 0.5 * sqrt(value);
    if (d - way > r * (1.0 + BORDER) + BORDER) {
        return BERTH_FREE;
    }
    if (metric == BERTH_METRIC_L2 && d + way < r * (1.0 - BORDER) - BORDER) {
        return BERTH_COLLISION;
    }

    return verdict_by_slope(field, ball->cell, ball->at, r, metric);
}

static BerthVerdict quick_by_l1(const BerthField* field, BerthMetric metric, const QuickBall* ball) {
    const double dm = (double)field->dense_l1[ball->index], r = ball->r;
    const double least =
        (dm - field->info.dim) * (metric == BERTH_METRIC_L1 ? 1.0 : 0.5773);  // < 1 / sqrt(3)

    if (least > r * (1.0 + BORDER) + BORDER) {
        return BERTH_FREE;
    }
    return dm < FIELD_DM_MOST && dm < r * (1.0 - BORDER) - BORDER ? BERTH_COLLISION : BERTH_UNKNOWN;
}

// Balls that follow each other are mostly of one link: where a ball around eight of them is free nothing else is looked at.
enum { GROUP = 8 };

// Around these balls, if all centres are clearly inside of the map and all numbers are numbers; else `inside` is false.
static QuickBall place_group(const BerthField* field, const double* balls, int count) {
    Vec3 low = v3(balls[0], balls[1], balls[2]), high = low;
    double least = balls[3], most = balls[3], numbers = 0.0;
    for (const double* b = balls; b < balls + 4 * (size_t)count; b += 4) {
        const Vec3 at = v3(b[0], b[1], b[2]);
        low = v3_min(low, at);
        high = v3_max(high, at);
        least = b[3] < least ? b[3] : least;
        most = b[3] > most ? b[3] : most;
        numbers += 0.0 * (b[0] + b[1] + b[2] + b[3]);  // NaN when one is, or is infinite
    }

    const Vec3 middle = v3_scale(v3_add(low, high), 0.5), half = v3_sub(high, middle);
    QuickBall out = place_ball(field, BERTH_FIELD_BY_EUCLID, middle, v3_length(half) + most);
    out.inside = out.inside && numbers == 0.0 && least >= 0.0 &&
                 place_ball(field, BERTH_FIELD_BY_EUCLID, low, 0.0).inside &&
                 place_ball(field, BERTH_FIELD_BY_EUCLID, high, 0.0).inside;
    return out;
}

void bi_field_quick_verdicts(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                             const double* balls, int count, BerthVerdict* verdicts) {
    // All places first: memory is on its way for many balls at the same time.
    QuickBall places[FIELD_QUICK_MOST], groups[FIELD_QUICK_MOST / GROUP];
    BI_ASSERT(count <= FIELD_QUICK_MOST);

    const bool may_group = method == BERTH_FIELD_BY_EUCLID && count >= GROUP;
    for (int i = 0; may_group && i < count; i += GROUP) {
        groups[i / GROUP] = place_group(field, balls + 4 * (size_t)i, count - i < GROUP ? count - i : GROUP);
    }
    for (int i = 0; i < count; ++i) {
        const double* b = balls + 4 * (size_t)i;
        verdicts[i] = may_group && groups[i / GROUP].inside && is_free_at_once(field, &groups[i / GROUP])
                          ? BERTH_FREE
                          : BERTH_UNKNOWN;
        if (verdicts[i] != BERTH_FREE) {
            places[i] = place_ball(field, method, v3(b[0], b[1], b[2]), b[3]);
        }
    }

    for (int i = 0; i < count; ++i) {
        if (verdicts[i] != BERTH_FREE && places[i].inside) {
            verdicts[i] = method == BERTH_FIELD_BY_EUCLID ? quick_by_euclid(field, metric, &places[i])
                                                          : quick_by_l1(field, metric, &places[i]);
        }
    }
}
