// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What each part knows about a point without a search: bounds of its distance, or the distance itself.
// Entries: bi_field_bounds, bi_field_look_at_all, bi_field_quick_verdicts, bi_field_closer_look, bi_field_nearest_of_list,
// bi_field_make_looks, bi_field_best_method.

#include "field/query.h"
#include "simd/simd.h"

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

/// A ball in cells, with the rounding that BORDER allows for.
typedef struct PlacedBall {
    double at[3], r;
    int32_t cell[3];
    bool inside;  // by more than BORDER, and all numbers are finite; else the cell proves nothing
} PlacedBall;

static inline PlacedBall place_ball(const BerthField* field, const double ball[4]) {
    const BerthFieldInfo* info = &field->info;
    PlacedBall out;
    out.at[0] = (ball[0] - info->origin.x) * field->per_metre;
    out.at[1] = (ball[1] - info->origin.y) * field->per_metre;
    out.at[2] = info->dim == 3 ? (ball[2] - info->origin.z) * field->per_metre : 0.5;
    out.r = ball[3] * field->per_metre;
    out.inside = (ball[3] >= 0.0) & (out.r <= 1e300);

    for (int axis = 0; axis < 3; ++axis) {
        const double x = out.at[axis];
        const bool in = (x > BORDER) & (x < (double)info->size[axis] - BORDER);
        out.cell[axis] = (int32_t)(in ? x : 0.0);
        out.inside &= in;
    }
    return out;
}

// By the exact distance to the cell's centre where half a diagonal is too much.
static inline BerthVerdict verdict_by_way(const BerthField* field, BerthMetric metric,
                                          const PlacedBall* ball) {
    const uint32_t value = field->dense_euclid[dense_index(field, ball->cell)];
    if (value == FIELD_ENDLESS) {
        return BERTH_FREE;
    }

    // Free or in collision by more than half a cell's diagonal: no root is needed.
    const double half = half_diagonal[field->info.dim];
    const double outer = 2.0 * (ball->r * (1.0 + BORDER) + half),
                 inner = 2.0 * (ball->r * (1.0 - BORDER) - half);
    if ((double)value > outer * outer) {
        return BERTH_FREE;
    }
    if (metric == BERTH_METRIC_L2 && inner > 0.0 && (double)value < inner * inner) {
        return BERTH_COLLISION;
    }

    const double way = way_to_centre(field, ball->at, ball->cell), d = 0.5 * sqrt((double)value);
    if (d - way > ball->r * (1.0 + BORDER) + BORDER) {
        return BERTH_FREE;
    }
    const bool hit = metric == BERTH_METRIC_L2 && d + way < ball->r * (1.0 - BORDER) - BORDER;
    return hit ? BERTH_COLLISION : BERTH_UNKNOWN;
}

static BerthVerdict verdict_by_l1(const BerthField* field, const PlacedBall* ball) {
    const double dm = (double)field->dense_l1[dense_index(field, ball->cell)];
    const bool hit = dm < FIELD_DM_MOST && dm < ball->r * (1.0 - BORDER) - BORDER;
    return hit ? BERTH_COLLISION : BERTH_UNKNOWN;
}

// The verdict that the value of the ball's cell proves.
static inline BerthVerdict verdict_by_value(const BerthField* field, BerthFieldMethod method,
                                            BerthMetric metric, const PlacedBall* ball) {
    if (!ball->inside) {
        return BERTH_UNKNOWN;
    }
    return method == BERTH_FIELD_BY_EUCLID ? verdict_by_way(field, metric, ball) : verdict_by_l1(field, ball);
}

BerthVerdict bi_field_closer_look(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                                  const double ball[4]) {
    const PlacedBall placed = place_ball(field, ball);
    const BerthVerdict verdict = verdict_by_value(field, method, metric, &placed);
    if (verdict != BERTH_UNKNOWN || !placed.inside || method != BERTH_FIELD_BY_EUCLID) {
        return verdict;
    }
    return verdict_by_slope(field, placed.cell, placed.at, placed.r, metric);
}

// The root of a value, in half cells, differs from the distance of a point in the cell by at most a diagonal. Free in L2 is free in L1: that
// distance is no shorter.
void bi_field_make_looks(BerthField* field) {
    const BerthFieldInfo* info = &field->info;
    LookFrame* looks = &field->looks;
    const double origin[3] = {info->origin.x, info->origin.y, info->origin.z};
    looks->per_metre = field->per_metre;
    for (int axis = 0; axis < 3; ++axis) {
        looks->origin[axis] = origin[axis];
        looks->middle[axis] = 0.5 * (double)info->size[axis];
        looks->inside[axis] = looks->middle[axis] - BORDER;
    }

    looks->row = (double)info->size[0];
    looks->rows = (double)info->size[1];
    looks->flat = info->dim == 2;
    looks->most_radius = 16000.0;

    looks->scale = 2.0 * (1.0 + BORDER);
    looks->offset = 2.0 * half_diagonal[info->dim];
    looks->squared = true;
    looks->value_log = 2;
    looks->map = field->dense_euclid;
}

// For the L1 map: a distance is at least value - dim, in L2 that over sqrt(3) < 1.7323.
static LookFrame looks_by_l1(const BerthField* field, BerthMetric metric) {
    LookFrame looks = field->looks;
    const double scale = metric == BERTH_METRIC_L1 ? 1.0 : 1.7323;
    looks.scale = scale * (1.0 + BORDER);
    looks.offset = scale * BORDER + (double)field->info.dim;
    looks.squared = false;
    looks.value_log = 1;
    looks.map = field->dense_l1;
    return looks;
}

// Bit k: value k is not above its limit.
static uint64_t euclid_not_above(const uint32_t* map, const uint32_t* index, const uint32_t* above,
                                 int count) {
    uint64_t bits = 0;
    for (int k = 0; k < count; ++k) {
        bits |= (uint64_t)(map[index[k]] <= above[k] ? 1 : 0) << k;
    }
    return bits;
}

static uint64_t l1_not_above(const uint16_t* map, const uint32_t* index, const uint32_t* above, int count) {
    uint64_t bits = 0;
    for (int k = 0; k < count; ++k) {
        bits |= (uint64_t)(map[index[k]] <= above[k] ? 1 : 0) << k;
    }
    return bits;
}

// Bit k: one lookup does not prove ball k free; balls are `stride` doubles apart. The kernel has prefetched all values before the first is
// read here.
static uint64_t find_not_free(const BerthField* field, BerthFieldMethod method, const LookFrame* frame,
                              const double* balls, int64_t stride, int count) {
    uint32_t index[LOOKS_MOST], above[LOOKS_MOST];
    const uint64_t all = UINT64_MAX >> (LOOKS_MOST - count);
    if (!(frame->row * frame->rows * (double)field->info.size[2] < 0x1p31)) {
        return all;
    }

    const uint64_t known = field->kernels->map_looks(frame, balls, stride, count, index, above);
    const uint64_t kept = method == BERTH_FIELD_BY_EUCLID
                              ? euclid_not_above(field->dense_euclid, index, above, count)
                              : l1_not_above(field->dense_l1, index, above, count);
    return (kept | ~known) & all;
}

static int block_of(size_t left) {
    return (int)(left < LOOKS_MOST ? left : LOOKS_MOST);
}

// Every SPREAD-th ball: consecutive balls mostly belong to one link, and where one is deep in an obstacle its neighbours are, too.
enum { SPREAD = 8 };

static bool sample_hits(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                        const LookFrame* frame, const double* balls, size_t count) {
    const size_t taken = (count + SPREAD - 1) / SPREAD;
    for (size_t first = 0; first < taken; first += LOOKS_MOST) {
        const double* block = balls + 4 * SPREAD * first;
        uint64_t open = find_not_free(field, method, frame, block, 4 * SPREAD, block_of(taken - first));
        for (; open != 0; open &= open - 1) {
            const PlacedBall ball = place_ball(field, block + 4 * SPREAD * (size_t)__builtin_ctzll(open));
            if (verdict_by_value(field, method, metric, &ball) == BERTH_COLLISION) {
                return true;
            }
        }
    }
    return false;
}

int bi_field_look_at_all(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                         const double* balls, size_t count, size_t open_balls[FIELD_OPEN_MOST]) {
    LookFrame by_l1;
    const LookFrame* frame = &field->looks;
    if (method == BERTH_FIELD_BY_DM) {
        by_l1 = looks_by_l1(field, metric);
        frame = &by_l1;
    }
    if (count > SPREAD && sample_hits(field, method, metric, frame, balls, count)) {
        return FIELD_HIT;
    }

    int found = 0;
    for (size_t first = 0; first < count; first += LOOKS_MOST) {
        const double* block = balls + 4 * first;
        uint64_t open = find_not_free(field, method, frame, block, 4, block_of(count - first));
        for (; open != 0; open &= open - 1) {
            const size_t k = (size_t)__builtin_ctzll(open);
            const PlacedBall ball = place_ball(field, block + 4 * k);
            const BerthVerdict verdict = verdict_by_value(field, method, metric, &ball);
            if (verdict == BERTH_COLLISION) {
                return FIELD_HIT;
            }
            if (verdict == BERTH_FREE) {
                continue;
            }
            if (found == FIELD_OPEN_MOST) {
                return FIELD_TOO_MANY;
            }
            open_balls[found++] = first + k;
        }
    }
    return found;
}

void bi_field_quick_verdicts(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                             const double* balls, int count, BerthVerdict* verdicts) {
    // The kernel does not pay for one ball.
    uint64_t open = 1;
    if (count > 1) {
        LookFrame by_l1;
        const LookFrame* frame = &field->looks;
        if (method == BERTH_FIELD_BY_DM) {
            by_l1 = looks_by_l1(field, metric);
            frame = &by_l1;
        }
        open = find_not_free(field, method, frame, balls, 4, count);
    }

    for (int i = 0; i < count; ++i) {
        verdicts[i] = BERTH_FREE;
    }
    for (; open != 0; open &= open - 1) {
        const int i = __builtin_ctzll(open);
        verdicts[i] = bi_field_closer_look(field, method, metric, balls + 4 * (size_t)i);
    }
}
