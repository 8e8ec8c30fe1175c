// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The L1 distance by perimeter functions: per face the strip that contains the foot, and three functions in
// it. Also the functions of a free node.
// Entries: bi_eodm_within, bi_eodm_nearest, bi_eodm_ask_face, berth_field_intervals.

#include "field/query.h"
#include "math/math.h"

enum { SCAN_MOST = 8 };  // shorter lists are scanned, longer ones halved

// The value of a function at u, cells from the node's corner; +infinity where it says nothing.
static double function_at(const BerthField* field, uint32_t first, uint32_t end, double u,
                          uint32_t* obstacle) {
    if (first == end) {
        return INFINITY;
    }

    const FieldPiece* pieces = field->pieces;
    const double at = 2.0 * u;
    uint32_t low = first;

    while (end - low > SCAN_MOST) {
        const uint32_t middle = low + (end - low) / 2;
        if ((double)piece_start(pieces[middle]) <= at) {
            low = middle;
        } else {
            end = middle;
        }
    }
    while (low + 1 < end && (double)piece_start(pieces[low + 1]) <= at) {
        ++low;
    }

    const FieldPiece piece = pieces[low];
    const double value = (double)piece_value(piece);
    *obstacle = piece_obstacle(piece);

    switch (piece_kind(piece)) {
    case PIECE_RISE:
        return u + value;
    case PIECE_FALL:
        return value - u;
    case PIECE_LEVEL:
        return value;
    default:
        return INFINITY;
    }
}

static void take_nearer(FieldNear* near, double d, uint32_t obstacle) {
    if (d < near->key) {
        near->key = d;
        near->obstacle = obstacle;
    }
}

// The strip of [first, end) that holds v.
static uint32_t strip_at(const BerthField* field, uint32_t first, uint32_t end, double v) {
    while (end - first > SCAN_MOST) {
        const uint32_t middle = first + (end - first) / 2;
        if ((double)field->strips[middle].low <= v) {
            first = middle;
        } else {
            end = middle;
        }
    }

    while (first + 1 < end && (double)field->strips[first + 1].low <= v) {
        ++first;
    }
    return first;
}

void bi_eodm_ask_face(const BerthField* field, uint32_t first, uint32_t end, double m, double u, double v,
                      double width, FieldNear* near) {
    const uint32_t at = strip_at(field, first, end, v);
    const FieldStrip* strip = &field->strips[at];
    uint32_t obstacle = UINT32_MAX;
    double d = m + function_at(field, strip->first, strip->north, u, &obstacle);
    take_nearer(near, d, obstacle);

    const double high = at + 1 < end ? (double)strip[1].low : width;
    d = m + (high - v) + function_at(field, strip->north, strip->south, u, &obstacle);
    take_nearer(near, d, obstacle);

    d = m + (v - (double)strip->low) + function_at(field, strip->south, strip[1].first, u, &obstacle);
    take_nearer(near, d, obstacle);
    near->steps += 3;
}

static void ask_record(const BerthField* field, size_t record, const FieldNode* w, const CellPoint* point,
                       FieldNear* near) {
    const int dim = field->info.dim, faces = 2 * dim;
    const uint32_t* links = field->links + record * (size_t)faces;
    const double width = (double)(1 << w->log_width);
    double p[3] = {0, 0, 0};

    for (int axis = 0; axis < dim; ++axis) {
        p[axis] = point->at[axis] - (double)w->low[axis];
    }

    for (int face = 0; face < faces; ++face) {
        const int normal = face / 2;
        const double m = face % 2 == 0 ? p[normal] : width - p[normal];
        if (links[face] == links[face + 1] || m >= near->key) {
            continue;
        }

        const double u = dim == 2 ? p[1 - normal] : p[(normal + 1) % 3];
        const double v = dim == 2 ? 0.0 : p[(normal + 2) % 3];
        bi_eodm_ask_face(field, links[face], links[face + 1], m, u, v, width, near);
    }
}

FieldNear bi_eodm_within(const BerthField* field, const CellPoint* point, double limit) {
    FieldNear near = {limit < INFINITY ? bi_next_up(limit) : limit, UINT32_MAX,
                      0};  // only what is below counts
    FieldNode at = field_root(field);
    const int32_t* cell = point->cell;

    while (node_colour(at.node) == FIELD_GREY) {
        const int32_t b = at.log_width - 1;
        at = field_child(field, &at, (cell[0] >> b & 1) | (cell[1] >> b & 1) << 1 | (cell[2] >> b & 1) << 2);
        if (field->info.local) {
            ask_record(field, at.index, &at, point, &near);
        }
    }

    if (node_blocks(field, at.node)) {
        return (FieldNear){0.0, node_payload(at.node), near.steps + 1};
    }

    if (!field->info.local) {
        ask_record(field, node_payload(at.node), &at, point, &near);
    }

    near.key = near.obstacle == UINT32_MAX ? INFINITY : near.key;
    return near;
}

FieldNear bi_eodm_nearest(const BerthField* field, const CellPoint* point) {
    return bi_eodm_within(field, point, INFINITY);
}

// ---- the functions themselves -------------------------------------------------------------------------------------------------------

typedef struct IntervalList {
    const BerthField* field;
    BerthFieldInterval base;
    BerthFieldInterval* out;
    int64_t count, capacity;
} IntervalList;

static void list_function(IntervalList* t, uint32_t first, uint32_t end, double corner, double width) {
    for (uint32_t i = first; i < end; ++i) {
        const FieldPiece piece = t->field->pieces[i];
        const uint32_t kind = piece_kind(piece);
        if (kind == PIECE_NONE) {
            continue;
        }

        BerthFieldInterval interval = t->base;
        interval.from = corner + 0.5 * (double)piece_start(piece);
        interval.to =
            i + 1 < end ? corner + 0.5 * (double)piece_start(t->field->pieces[i + 1]) : corner + width;
        interval.slope = (kind == PIECE_RISE) - (kind == PIECE_FALL);
        interval.value = (double)piece_value(piece) - interval.slope * corner;
        interval.obstacle = piece_obstacle(piece);

        if (t->count < t->capacity) {
            t->out[t->count] = interval;
        }
        ++t->count;
    }
}

int64_t berth_field_intervals(const BerthField* field, int32_t x, int32_t y, int32_t z,
                              BerthFieldInterval* out, int64_t capacity) {
    const int dim = field->info.dim, faces = 2 * dim;
    const int32_t cell[3] = {x, y, dim == 2 ? 0 : z};

    for (int axis = 0; axis < 3; ++axis) {
        if (cell[axis] < 0 || cell[axis] >= field->cells) {
            return 0;
        }
    }

    const FieldNode at = field_leaf(field, cell);
    if ((field->info.parts & BERTH_FIELD_EODM) == 0 || field->info.local || node_blocks(field, at.node)) {
        return 0;
    }

    const uint32_t* links = field->links + (size_t)node_payload(at.node) * (size_t)faces;
    const double width = (double)(1 << at.log_width);
    IntervalList t = {field, {0}, out, 0, capacity};

    for (int face = 0; face < faces; ++face) {
        const int normal = face / 2;
        const double corner = (double)at.low[dim == 2 ? 1 - normal : (normal + 1) % 3];
        const double corner_v = dim == 2 ? 0.0 : (double)at.low[(normal + 2) % 3];

        for (uint32_t i = links[face]; i < links[face + 1]; ++i) {
            const FieldStrip* strip = &field->strips[i];
            t.base.face = face;
            t.base.strip_low = corner_v + (double)strip->low;
            t.base.strip_high = corner_v + (i + 1 < links[face + 1] ? (double)strip[1].low : width);

            t.base.function = 0;
            list_function(&t, strip->first, strip->north, corner, width);
            t.base.function = 1;
            list_function(&t, strip->north, strip->south, corner, width);
            t.base.function = 2;
            list_function(&t, strip->south, strip[1].first, corner, width);
        }
    }
    return t.count;
}
