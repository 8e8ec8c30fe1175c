// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Queries about balls: metres become cells, a part finds the nearest obstacle, and its distance becomes an
// interval in metres. The verdict is by numbers without rounding where there are such, otherwise by the
// interval.
// Entries: berth_field_query, berth_field_ball, berth_field_balls, berth_field_clearance;
// bi_field_cell_point.

#include "field/query.h"
#include "math/math.h"

// Whole multiples of 1/256 up to 2^16: gaps are below 2^17 and have at most 25 bits, so sums of three are exact, and of three squares.
#define CELL_PARTS 256.0
#define CELL_MOST 65536.0
// Cells; further away squares overflow.
#define FARTHEST 1e150

// x in cells; false when something was rounded. Only for short resolutions: their products with such x are exact.
static bool to_cell(const BerthField* field, double metres, double origin, double* out) {
    const double shifted = metres - origin;
    const double x = shifted / field->info.resolution;
    *out = x;
    if (!field->short_resolution || !(fabs(x) <= CELL_MOST)) {
        return false;
    }

    // What the subtraction lost (Knuth's two-sum), and whether the division did.
    const double back = shifted - metres;
    const bool subtracted = (metres - (shifted - back)) - (origin + back) == 0.0;
    const double parts = x * CELL_PARTS;
    return subtracted && (double)(int32_t)parts == parts && x * field->info.resolution == shifted;
}

// The cell that holds x, moved into the root; 0 for NaN.
static inline int32_t cell_in_root(double x, int32_t cells) {
    if (x >= (double)cells) {
        return cells - 1;
    }
    return x >= 0.0 ? (int32_t)x : 0;
}

// A centre is inside only where rounding cannot have brought it there.
static void leave_border(const BerthFieldInfo* info, CellPoint* point) {
    for (int axis = 0; axis < info->dim; ++axis) {
        const double x = point->at[axis];
        point->inside = point->inside && x >= point->slack && x <= (double)info->size[axis] - point->slack;
    }
}

CellPoint bi_field_cell_point(const BerthField* field, BerthVec3 centre) {
    const BerthFieldInfo* info = &field->info;
    const double metres[3] = {centre.x, centre.y, centre.z};
    const double origin[3] = {info->origin.x, info->origin.y, info->origin.z};
    CellPoint point = {{0, 0, 0}, {0, 0, 0}, 0.0, true, true, true, true};
    double far = 0.0;

    for (int axis = 0; axis < info->dim; ++axis) {
        double x;
        const bool exact = to_cell(field, metres[axis], origin[axis], &x);
        point.finite = point.finite && fabs(x) <= FARTHEST;

        point.exact = point.exact && exact;
        point.at[axis] = x;
        point.inside = point.inside && x >= 0.0 && x <= (double)info->size[axis];
        point.in_root = point.in_root && x >= 0.0 && x <= (double)field->cells;
        point.cell[axis] = cell_in_root(x, field->cells);
        far = fmax(far, fabs(x));
    }

    // The origin is rounded, too: that of an OctoMap is a whole number times a resolution which is a decimal number.
    point.slack = BI_FIELD_SLACK * ((double)field->cells + far) + field->origin_slack;
    if (!point.exact) {
        leave_border(info, &point);
    }
    return point;
}

/// A ball in cells.
typedef struct CellBallQuery {
    CellPoint point;
    double radius;  // rounded
    bool exact;     // the radius, and the point
} CellBallQuery;

static CellBallQuery ball_in_cells(const BerthField* field, BerthVec3 centre, double radius) {
    CellBallQuery ball;
    ball.point = bi_field_cell_point(field, centre);
    const bool exact = to_cell(field, radius, 0.0, &ball.radius);
    ball.exact = exact && ball.point.exact;
    ball.point.finite = ball.point.finite && fabs(radius) <= 1e300;
    return ball;
}

static bool part_is_there(const BerthField* field, BerthFieldMethod method) {
    static const uint32_t needed[BERTH_FIELD_METHOD_COUNT] = {
        [BERTH_FIELD_BY_ODM] = BERTH_FIELD_ODM,     [BERTH_FIELD_BY_EODM] = BERTH_FIELD_EODM,
        [BERTH_FIELD_BY_DM] = BERTH_FIELD_DM,       [BERTH_FIELD_BY_EUCLID] = BERTH_FIELD_EUCLID,
        [BERTH_FIELD_BY_LISTS] = BERTH_FIELD_LISTS,
    };
    return (uint32_t)method < BERTH_FIELD_METHOD_COUNT && (needed[method] & ~field->info.parts) == 0;
}

// As a key, enlarged by what rounding may hide.
static double key_up(double distance, double slack, BerthMetric metric) {
    const double d = distance + 2.0 * slack;
    return metric == BERTH_METRIC_L1 ? d : d * d;
}

static BerthFieldMethod chosen_method(const BerthField* field, BerthFieldMethod method, BerthMetric metric) {
    return method == BERTH_FIELD_BY_BEST ? (BerthFieldMethod)field->best[metric] : method;
}

static FieldNear find_nearest_by(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                                 const CellPoint* point) {
    const FieldBounds bounds = bi_field_bounds(field, chosen_method(field, method, metric), metric, point);
    if (bounds.known) {
        return bounds.near;
    }

    FieldNear near = bi_field_search_nearest(field, point, metric, key_up(bounds.high, point->slack, metric));
    near.steps += bounds.near.steps;
    return near;
}

// All cells that the point may be in are obstacles, however it was rounded: its distance is 0.
static bool is_inside_obstacle(const BerthField* field, const CellPoint* point) {
    int32_t from[3] = {0, 0, 0}, to[3] = {0, 0, 0};
    for (int axis = 0; axis < field->info.dim; ++axis) {
        const double low = point->at[axis] - point->slack, high = point->at[axis] + point->slack;
        if (!(low >= 0.0 && high < (double)field->cells && point->slack < 0.5)) {
            return false;
        }
        from[axis] = (int32_t)low;
        to[axis] = (int32_t)high;
    }

    const int same = (from[0] == to[0] ? 1 : 0) | (from[1] == to[1] ? 2 : 0) | (from[2] == to[2] ? 4 : 0);
    for (int corner = 0; corner < 8; ++corner) {
        const int32_t cell[3] = {(corner & 1 ? to : from)[0], (corner & 2 ? to : from)[1],
                                 (corner & 4 ? to : from)[2]};
        if ((corner & same) == 0 && !node_blocks(field, field_leaf(field, cell).node)) {
            return false;
        }
    }
    return true;
}

// The distance in metres, rounded outward, from cells that are off by at most `slack`.
static void set_distance(const BerthField* field, const CellPoint* point, BerthMetric metric,
                         const FieldNear* near, BerthFieldAnswer* out) {
    const double resolution = field->info.resolution;
    const double d = metric == BERTH_METRIC_L1 ? near->key : sqrt(near->key);
    const double low = point->exact ? d : fmax(d - point->slack, 0.0);
    const double high = point->exact ? d : d + point->slack;

    out->lower = low * resolution;
    out->upper = high * resolution;

    // A key has at most 52 bits, so a root of at most 26 is exact when its square is the key; it times a short resolution is, too.
    const bool product_exact = point->exact && d <= 4.0 * CELL_MOST &&
                               (double)(int64_t)(d * CELL_PARTS) == d * CELL_PARTS &&
                               (metric == BERTH_METRIC_L1 || d * d == near->key);
    if (!product_exact) {
        out->lower = out->lower > 0.0 ? bi_next_down(bi_next_down(out->lower)) : 0.0;
        out->upper = bi_next_up(bi_next_up(out->upper));
    }
}

static void set_obstacle(const BerthField* field, const CellPoint* point, uint32_t obstacle,
                         BerthFieldAnswer* out) {
    const PackedLeaf leaf = field->solids[obstacle];
    double at[3] = {point->at[0], point->at[1], point->at[2]};
    for (int axis = 0; axis < field->info.dim; ++axis) {
        const double low = (double)leaf_low(leaf, axis);
        at[axis] = clamp(at[axis], low, low + (double)leaf_width(leaf));
    }

    const BerthFieldInfo* info = &field->info;
    out->obstacle = obstacle;
    out->nearest = v3(info->origin.x + at[0] * info->resolution, info->origin.y + at[1] * info->resolution,
                      info->dim == 3 ? info->origin.z + at[2] * info->resolution : 0.0);
}

static void set_verdict(const CellBallQuery* ball, BerthMetric metric, const FieldNear* near,
                        BerthFieldAnswer* out) {
    const double limit = metric == BERTH_METRIC_L1 ? ball->radius : ball->radius * ball->radius;
    bool hit = near->key <= limit, free = near->key > limit;

    if (!ball->exact) {
        const double d = metric_distance(near->key, metric);
        const double margin = ball->point.slack + BI_FIELD_SLACK * ball->radius;
        hit = d <= ball->radius - margin;
        free = d > ball->radius + margin;
    }

    if (hit) {
        out->verdict = BERTH_COLLISION;
    } else {
        out->verdict = free && !out->outside ? BERTH_FREE : BERTH_UNKNOWN;
    }
    out->reason = out->verdict != BERTH_UNKNOWN || out->outside ? BERTH_REASON_NONE : BERTH_REASON_NUMERIC;
}

BerthStatus berth_field_query_by(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                                 BerthVec3 centre, double radius, BerthFieldAnswer* out) {
    *out = (BerthFieldAnswer){BERTH_UNKNOWN, BERTH_REASON_NUMERIC, 0.0, INFINITY, {0, 0, 0}, -1, false, 0};
    if (!part_is_there(field, method) || (uint32_t)metric >= BERTH_METRIC_COUNT || radius < 0.0) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    const CellBallQuery ball = ball_in_cells(field, centre, radius);
    if (!ball.point.finite) {
        return BERTH_OK;
    }

    const FieldNear near = find_nearest_by(field, method, metric, &ball.point);
    out->steps = near.steps;
    out->outside = !ball.point.inside;
    if (near.obstacle == UINT32_MAX) {
        out->lower = out->upper = INFINITY;
        out->verdict = out->outside ? BERTH_UNKNOWN : BERTH_FREE;
        out->reason = BERTH_REASON_NONE;
        return BERTH_OK;
    }

    set_distance(field, &ball.point, metric, &near, out);
    set_obstacle(field, &ball.point, near.obstacle, out);
    set_verdict(&ball, metric, &near, out);

    if (near.key == 0.0 && is_inside_obstacle(field, &ball.point)) {
        out->lower = out->upper = 0.0;
        out->verdict = BERTH_COLLISION;
        out->reason = BERTH_REASON_NONE;
    }
    return BERTH_OK;
}

// By a search of the tree, as far as the radius.
static BerthVerdict verdict_by_tree(const BerthField* field, bool thesis, BerthMetric metric,
                                    const CellBallQuery* ball, double margin) {
    FieldNear (*search)(const BerthField*, const CellPoint*, BerthMetric, double) =
        thesis ? bi_field_search_as_thesis : bi_field_search_touching;
    const bool l1 = metric == BERTH_METRIC_L1;
    const double r = ball->radius;

    if (ball->exact) {
        const FieldNear near = search(field, &ball->point, metric, l1 ? r : r * r);
        return near.obstacle != UINT32_MAX ? BERTH_COLLISION : BERTH_FREE;
    }

    const double outer = r + margin, inner = r - margin;
    const FieldNear near = search(field, &ball->point, metric, l1 ? outer : outer * outer);
    if (near.obstacle == UINT32_MAX) {
        return BERTH_FREE;
    }

    if (!(inner >= 0.0)) {
        return BERTH_UNKNOWN;
    }

    const double limit = l1 ? inner : inner * inner;
    if (near.key <= limit) {
        return BERTH_COLLISION;
    }
    return search(field, &ball->point, metric, limit).obstacle != UINT32_MAX ? BERTH_COLLISION
                                                                             : BERTH_UNKNOWN;
}

// By perimeter functions, as far as the radius; in L2 by d1 <= sqrt(dim) d2, and by the tree where that is not enough.
static BerthVerdict verdict_by_eodm(const BerthField* field, BerthMetric metric, const CellBallQuery* ball,
                                    double margin) {
    const double r = ball->radius, outer = ball->exact ? r : r + margin;
    const bool l1 = metric == BERTH_METRIC_L1;
    const FieldNear near = bi_eodm_within(field, &ball->point, l1 ? outer : 2.0 * outer + margin);
    if (near.obstacle == UINT32_MAX) {
        return BERTH_FREE;
    }

    const double key = l1 ? near.key : leaf_key(field, field->solids[near.obstacle], ball->point.at, metric);

    bool hit = false;
    if (ball->exact) {
        hit = key <= (l1 ? r : r * r);
    } else {
        hit = metric_distance(key, metric) <= r - margin;
    }

    if (hit) {
        return BERTH_COLLISION;
    }
    return l1 ? BERTH_UNKNOWN : verdict_by_tree(field, false, metric, ball, margin);
}

// With every bit that the numbers have, and a search where a part does not know.
static BerthVerdict verdict_carefully(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                                      BerthVec3 centre, double radius) {
    const CellBallQuery ball = ball_in_cells(field, centre, radius);
    if (!ball.point.finite) {
        return BERTH_UNKNOWN;
    }

    // The slack of the point, and what dividing the radius and comparing cost.
    const double margin = ball.point.slack + BI_FIELD_SLACK * ball.radius;

    BerthVerdict verdict = BERTH_UNKNOWN;
    const bool by_eodm = method == BERTH_FIELD_BY_EODM && ball.point.in_root;
    const FieldBounds bounds =
        by_eodm ? (FieldBounds){0} : bi_field_bounds(field, method, metric, &ball.point);

    if (by_eodm) {
        verdict = verdict_by_eodm(field, metric, &ball, margin);
    } else if (bounds.known && ball.exact) {
        const double limit = metric == BERTH_METRIC_L1 ? ball.radius : ball.radius * ball.radius;
        verdict = bounds.near.key <= limit ? BERTH_COLLISION : BERTH_FREE;
    } else if (bounds.low > ball.radius + margin) {
        verdict = BERTH_FREE;
    } else if (bounds.high < ball.radius - margin ||
               (ball.radius <= margin && is_inside_obstacle(field, &ball.point))) {
        verdict = BERTH_COLLISION;
    } else if (!bounds.known) {
        verdict = verdict_by_tree(field, method == BERTH_FIELD_BY_THESIS, metric, &ball, margin);
    }

    return verdict == BERTH_FREE && !ball.point.inside ? BERTH_UNKNOWN : verdict;
}

static bool has_dense_map(BerthFieldMethod method) {
    return method == BERTH_FIELD_BY_EUCLID || method == BERTH_FIELD_BY_DM;
}

BerthVerdict berth_field_ball_by(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                                 BerthVec3 centre, double radius) {
    return berth_field_balls_by(field, method, metric, (double[4]){centre.x, centre.y, centre.z, radius}, 1,
                                NULL);
}

static BerthVerdict worse_verdict(BerthVerdict all, BerthVerdict one) {
    return one == BERTH_COLLISION || (one == BERTH_UNKNOWN && all == BERTH_FREE) ? one : all;
}

// Whether any ball collides, by dense maps: most collisions are found by a lookup, so no ball is searched for before all have been looked up.
// False: too many balls are not decided by a lookup.
static bool try_all_at_a_look(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                              const double* balls, size_t count, BerthVerdict* all) {
    size_t open[FIELD_OPEN_MOST];
    const int found = bi_field_look_at_all(field, method, metric, balls, count, open);
    *all = found == FIELD_HIT ? BERTH_COLLISION : BERTH_FREE;
    if (found <= 0) {
        return found != FIELD_TOO_MANY;
    }

    int left = 0;
    for (int i = 0; i < found; ++i) {
        const BerthVerdict one = bi_field_closer_look(field, method, metric, balls + 4 * open[i]);
        if (one == BERTH_COLLISION) {
            *all = one;
            return true;
        }
        open[left] = open[i];
        left += one == BERTH_FREE ? 0 : 1;
    }

    for (int i = 0; i < left && *all != BERTH_COLLISION; ++i) {
        const double* b = balls + 4 * open[i];
        const BerthVerdict one = b[3] >= 0.0
                                     ? verdict_carefully(field, method, metric, v3(b[0], b[1], b[2]), b[3])
                                     : BERTH_UNKNOWN;
        *all = worse_verdict(*all, one);
    }
    return true;
}

BerthVerdict berth_field_balls_by(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                                  const double* balls, size_t count, BerthVerdict* verdicts) {
    const bool can = part_is_there(field, method) && (uint32_t)metric < BERTH_METRIC_COUNT;
    method = can ? chosen_method(field, method, metric) : method;
    const bool quick = can && has_dense_map(method) && field->rough_is_enough;
    BerthVerdict all = BERTH_FREE, block[LOOKS_MOST];

    if (quick && verdicts == NULL && count > 1 &&
        try_all_at_a_look(field, method, metric, balls, count, &all)) {
        return all;
    }

    for (size_t first = 0; first < count; first += LOOKS_MOST) {
        const int n = (int)(count - first < LOOKS_MOST ? count - first : LOOKS_MOST);
        if (quick) {
            bi_field_quick_verdicts(field, method, metric, balls + 4 * first, n, block);
        }

        for (int i = 0; i < n; ++i) {
            const double* b = balls + 4 * (first + (size_t)i);
            BerthVerdict one = quick ? block[i] : BERTH_UNKNOWN;
            if (one == BERTH_UNKNOWN && can && b[3] >= 0.0) {
                one = verdict_carefully(field, method, metric, v3(b[0], b[1], b[2]), b[3]);
            }

            if (verdicts != NULL) {
                verdicts[first + (size_t)i] = one;
            } else if (one == BERTH_COLLISION) {
                return BERTH_COLLISION;
            }

            all = worse_verdict(all, one);
        }
    }

    return all;
}

// A lower bound of distance - radius of one ball.
static double ball_clearance(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                             const double b[4], double enough) {
    const CellBallQuery ball = ball_in_cells(field, v3(b[0], b[1], b[2]), b[3]);
    if (!ball.point.finite || !(b[3] >= 0.0)) {
        return -INFINITY;
    }

    // What comes off a distance in cells: rounding of the point, of the radius, and of the way back to metres.
    const double off = ball.radius + ball.point.slack + BI_FIELD_SLACK * ball.radius;
    const FieldBounds bounds = bi_field_bounds(field, method, metric, &ball.point);
    double clear = bi_next_down((bounds.low - off) * field->info.resolution);

    if (!bounds.known && !(clear > enough)) {
        const FieldNear near = find_nearest_by(field, method, metric, &ball.point);
        clear = bi_next_down((metric_distance(near.key, metric) - off) * field->info.resolution);
    }
    return clear;
}

double berth_field_clearance_by(const BerthField* field, BerthFieldMethod method, BerthMetric metric,
                                const double* balls, size_t count, double enough, size_t* worst) {
    if (!part_is_there(field, method) || (uint32_t)metric >= BERTH_METRIC_COUNT) {
        return -INFINITY;
    }

    double least = INFINITY;
    for (size_t i = 0; i < count; ++i) {
        const double clear =
            ball_clearance(field, chosen_method(field, method, metric), metric, balls + 4 * i, enough);
        if (!(clear >= least)) {
            least = clear;
            if (worst != NULL) {
                *worst = i;
            }
        }
    }
    return least;
}

// ---- by the best part that is there -----------------------------------------------------------------------------

BerthStatus berth_field_query(const BerthField* field, BerthMetric metric, BerthVec3 centre, double radius,
                              BerthFieldAnswer* out) {
    return berth_field_query_by(field, BERTH_FIELD_BY_BEST, metric, centre, radius, out);
}

BerthVerdict berth_field_ball(const BerthField* field, BerthMetric metric, BerthVec3 centre, double radius) {
    return berth_field_ball_by(field, BERTH_FIELD_BY_BEST, metric, centre, radius);
}

BerthVerdict berth_field_balls(const BerthField* field, BerthMetric metric, const double* balls, size_t count,
                               BerthVerdict* verdicts) {
    return berth_field_balls_by(field, BERTH_FIELD_BY_BEST, metric, balls, count, verdicts);
}

double berth_field_clearance(const BerthField* field, BerthMetric metric, const double* balls, size_t count,
                             double enough, size_t* worst) {
    return berth_field_clearance_by(field, BERTH_FIELD_BY_BEST, metric, balls, count, enough, worst);
}
