// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A cover by few balls that protrude no more than a given reach: around a point of depth d a ball of radius d
// + reach protrudes by at most that. Greedy choice of the ball that covers most points that are still open;
// then balls that the others make redundant are dropped.
// Entry: bi_cover_choose_greedily.

#include <math.h>
#include <string.h>

#include "cover/cover.h"
#include "simd/simd.h"

static int32_t count_bits(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int32_t)(word * 0x0101010101010101u >> 56);
}

// ---- which points a ball holds ---------------------------------------------------------------------------------

// Room for float's rounding, as a share of the body's diagonal. Points are counted from the body's middle in diagonals: those
// beyond BODY_SIZES are not tested in float. Each difference of two coordinates is then off by at most 8 u (u = 2^-24), so a
// distance by 14 u, and squaring and adding up costs 12 u more.
#define FLOAT_ROOM 0x1p-18
#define BODY_SIZES 2.0

/// The points as floats, axis by axis, and where the bits about them go.
typedef struct PointField {
    const CoverFit* fit;
    const SimdKernels* kernels;
    float* points;
    size_t words;  // of 64 points each
    Vec3 middle;
    double scale;          // 1 / diagonal
    uint64_t* not_beyond;  // scratch: `words` of them
} PointField;

static float float_along(const PointField* field, Vec3 p, int axis) {
    const double at = (v3_at(p, axis) - v3_at(field->middle, axis)) * field->scale;
    return fabs(at) <= BODY_SIZES ? (float)at : NAN;
}

static void set_field_points(PointField* field) {
    const size_t stride = 64 * field->words;
    for (size_t i = 0; i < field->fit->points.count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            field->points[(size_t)axis * stride + i] = float_along(field, field->fit->points.at[i], axis);
        }
    }
    for (size_t i = field->fit->points.count; i < stride; ++i) {
        field->points[i] = NAN;  // places without a point
    }
}

// One bit a point: is it within `radius` of `centre`? Floats tell for most, and doubles for what they leave open. An
// octahedron has a round ball inside and another around it.
static void find_held(const PointField* field, Vec3 centre, double radius, uint64_t* row) {
    const CoverFit* fit = field->fit;
    const BerthMetric metric = fit->body->metric;
    const double inner = metric == BERTH_METRIC_L1 ? radius / cover_room(metric) : radius;
    const double within = inner * field->scale - FLOAT_ROOM, beyond = radius * field->scale + FLOAT_ROOM;
    const float at[3] = {float_along(field, centre, 0), float_along(field, centre, 1),
                         float_along(field, centre, 2)};
    const float within_sq = within > 0.0 ? (float)(within * within * (1.0 - 1e-6)) : -1.0f;
    const float beyond_sq = beyond > 0.0 ? (float)(beyond * beyond * (1.0 + 1e-6)) : 0.0f;
    field->kernels->points_near(field->points, (int32_t)(64 * field->words), at, within_sq, beyond_sq, row,
                                field->not_beyond);

    field->not_beyond[field->words - 1] &= ~(uint64_t)0 >> (64 * field->words - fit->points.count);
    for (size_t w = 0; w < field->words; ++w) {
        for (uint64_t open = field->not_beyond[w] & ~row[w]; open != 0; open &= open - 1) {
            const size_t k = (size_t)__builtin_ctzll(open);
            row[w] |= (uint64_t)cover_within(metric, centre, radius, fit->points.at[64 * w + k]) << k;
        }
    }
}

// The points that a ball at a place holds, its skin to spare where a part is closed.
static void fill_row(const PointField* field, size_t place, double reach, uint64_t* row) {
    const CoverFit* fit = field->fit;
    const double radius = fit->places.depth[place] + reach;
    const double spare =
        fit->body->open_count < fit->body->part_count ? BI_COVER_SKIN * cover_room(fit->body->metric) : 0.0;
    const double held = radius > 0.0 ? radius * (1.0 - spare) : -1.0;

    if (held > 0.0) {
        find_held(field, fit->places.at[place], held, row);
    } else {
        memset(row, 0, field->words * sizeof *row);
    }
}

// ---- the choice ----------------------------------------------------------------------------------------------

/// The places by how much they covered when last looked at: what they cover of the rest only shrinks, so most need no
/// second look.
typedef struct Gain {
    int32_t count;
    int32_t place;
} Gain;

static void sift_down(Gain* heap, size_t count, size_t at) {
    const Gain moving = heap[at];

    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count &&
                 (heap[child + 1].count > heap[child].count ||
                  (heap[child + 1].count == heap[child].count && heap[child + 1].place < heap[child].place));
        if (heap[child].count < moving.count ||
            (heap[child].count == moving.count && heap[child].place > moving.place)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

static int32_t count_open(const uint64_t* row, const uint64_t* open, size_t words) {
    int32_t sum = 0;
    for (size_t w = 0; w < words; ++w) {
        sum += count_bits(row[w] & open[w]);
    }
    return sum;
}

// Points that no place reaches get balls of their own.
static bool cover_unreached(const CoverFit* fit, double reach, uint64_t* open, int32_t most, Ball* balls,
                            int32_t* count) {
    for (size_t i = 0; i < fit->points.count; ++i) {
        if ((open[i >> 6] >> (i & 63) & 1) == 0) {
            continue;
        }
        if (*count >= most) {
            return false;
        }

        const Ball ball = {fit->points.at[i], reach};
        balls[(*count)++] = ball;
        for (size_t k = i; k < fit->points.count; ++k) {
            if (cover_within(fit->body->metric, ball.centre, reach, fit->points.at[k])) {
                open[k >> 6] &= ~((uint64_t)1 << (k & 63));
            }
        }
    }
    return true;
}

// Adds `change` to how many balls have each of the row's points.
static void count_held(const uint64_t* row, size_t words, int change, uint16_t* times) {
    for (size_t w = 0; w < words; ++w) {
        for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
            uint16_t* time = &times[64 * w + (size_t)__builtin_ctzll(bits)];
            *time = (uint16_t)(*time + change);
        }
    }
}

static bool has_point_of_its_own(const uint64_t* row, size_t words, const uint16_t* times) {
    for (size_t w = 0; w < words; ++w) {
        for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
            if (times[64 * w + (size_t)__builtin_ctzll(bits)] == 1) {
                return true;
            }
        }
    }
    return false;
}

// From the last to the first: a ball whose every point is in another one goes. `times` counts the balls that have each point, `row` is
// scratch.
static void drop_needless_balls(const PointField* field, uint64_t* row, uint16_t* times, Ball* balls,
                                int32_t* count) {
    const CoverStop stop = field->fit->stop;
    memset(times, 0, 64 * field->words * sizeof *times);
    for (int32_t i = 0; i < *count; ++i) {
        find_held(field, balls[i].centre, balls[i].radius, row);
        count_held(row, field->words, 1, times);
    }

    for (int32_t i = *count - 1; i >= 0 && *count > 1 && !stop.asked(stop.user); --i) {
        find_held(field, balls[i].centre, balls[i].radius, row);
        if (has_point_of_its_own(row, field->words, times)) {
            continue;
        }
        count_held(row, field->words, -1, times);
        memmove(balls + i, balls + i + 1, (size_t)(*count - i - 1) * sizeof *balls);
        *count -= 1;
    }
}

/// What the choice works in, all of it in one block that later choices use again.
typedef struct GreedyRoom {
    PointField field;
    uint64_t* open;   // points that no ball has yet
    uint64_t* row;    // scratch
    uint64_t* table;  // one row a place
    Gain* heap;
    uint16_t* times;
} GreedyRoom;

enum { FIELD_ALIGN = 64 };

// False without memory.
static bool take_room(CoverFit* fit, GreedyRoom* room) {
    const size_t words = (fit->points.count + 63) / 64, rows = fit->places.count;
    const size_t field_size = FIELD_ALIGN + 3 * 64 * words * sizeof(float);
    const size_t times_size = 64 * words * sizeof(uint16_t);
    const size_t needed = words * (rows + 3) + rows + (field_size + times_size) / sizeof(uint64_t) + 1;
    if (fit->cover_capacity < needed) {
        fit->cover = bi_arena_take(&fit->body->arena, needed + needed / 8, sizeof *fit->cover);
        fit->cover_capacity = fit->cover != NULL ? needed + needed / 8 : 0;
        if (fit->cover == NULL) {
            return false;
        }
    }

    const uintptr_t past = (uintptr_t)fit->cover % FIELD_ALIGN;
    float* points = (float*)((char*)fit->cover + (past > 0 ? FIELD_ALIGN - past : 0));
    uint64_t* open = fit->cover + field_size / sizeof(uint64_t);
    uint64_t* table = open + 3 * words;
    Gain* heap = (Gain*)(table + words * rows);
    const double diagonal = fit->body->diagonal;
    *room = (GreedyRoom){.field = {.fit = fit,
                                   .kernels = bi_simd_kernels(),
                                   .points = points,
                                   .words = words,
                                   .middle = v3_scale(v3_add(fit->body->low, fit->body->high), 0.5),
                                   .scale = diagonal > 0.0 ? 1.0 / diagonal : 0.0,
                                   .not_beyond = open + 2 * words},
                         .open = open,
                         .row = open + words,
                         .table = table,
                         .heap = heap,
                         .times = (uint16_t*)(heap + rows)};
    return true;
}

bool bi_cover_choose_greedily(CoverFit* fit, double reach, int32_t most, Ball* balls, int32_t* count) {
    GreedyRoom room;
    *count = 0;
    if (!take_room(fit, &room)) {
        return false;
    }
    if (fit->points.count == 0) {
        return true;
    }
    const size_t words = room.field.words, rows = fit->places.count;
    uint64_t* open = room.open;
    Gain* heap = room.heap;
    set_field_points(&room.field);

    // All points are open; the heap has the place that covers most of them on top.
    memset(open, 0, words * sizeof *open);
    for (size_t i = 0; i < fit->points.count; ++i) {
        open[i >> 6] |= (uint64_t)1 << (i & 63);
    }
    for (size_t i = 0; i < rows; ++i) {
        if ((i & 63) == 0 && fit->stop.asked(fit->stop.user)) {
            return false;
        }
        uint64_t* row = room.table + i * words;
        fill_row(&room.field, i, reach, row);
        heap[i] = (Gain){count_open(row, open, words), (int32_t)i};
    }
    for (size_t i = rows / 2; i-- > 0;) {
        sift_down(heap, rows, i);
    }

    // The best place gets a ball, unless what it covers has shrunk since it was last counted.
    while (rows > 0 && heap[0].count > 0) {
        const uint64_t* row = room.table + (size_t)heap[0].place * words;
        const int32_t now = count_open(row, open, words);
        if (now < heap[0].count) {
            heap[0].count = now;
            sift_down(heap, rows, 0);
            continue;
        }

        if (*count >= most) {
            return false;
        }

        const size_t place = (size_t)heap[0].place;
        balls[(*count)++] = (Ball){fit->places.at[place], fit->places.depth[place] + reach};
        for (size_t w = 0; w < words; ++w) {
            open[w] &= ~row[w];
        }
    }

    if (!cover_unreached(fit, reach, open, most, balls, count)) {
        return false;
    }
    drop_needless_balls(&room.field, room.row, room.times, balls, count);
    return true;
}
