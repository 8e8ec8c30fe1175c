// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A cover by few balls that protrude no more than a given reach: around a place of depth d a ball of radius d + reach
// protrudes by at most that. Greedy choice of the ball that covers most points that are still open; then balls that the
// others make needless go.
//
// Entry: bi_cover_choose_greedily.

#include <float.h>
#include <string.h>

#include "cover/cover.h"

static int32_t count_bits(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int32_t)(word * 0x0101010101010101u >> 56);
}

// One row of bits a place: which points a ball there covers.
static void fill_row(const CoverFit* fit, size_t place, double reach, uint64_t* row, size_t words) {
    const BerthMetric metric = fit->body->metric;
    const Vec3 c = fit->places.at[place];
    const double radius = fit->places.depth[place] + reach;
    const double spare =
        fit->body->open_count < fit->body->part_count ? BI_COVER_SKIN * cover_room(metric) : 0.0;
    const double held = radius > 0.0 ? radius * (1.0 - spare) : -1.0;

    for (size_t w = 0; w < words; ++w) {
        const size_t first = 64 * w;
        const size_t count = fit->points.count - first < 64 ? fit->points.count - first : 64;
        uint64_t bits = 0;
        for (size_t k = 0; k < count; ++k) {
            bits |= (uint64_t)(held > 0.0 && cover_within(metric, c, held, fit->points.at[first + k])) << k;
        }
        row[w] = bits;
    }
}

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

static void drop_needless_balls(const CoverFit* fit, Ball* balls, int32_t* count) {
    const BerthMetric metric = fit->body->metric;
    for (int32_t i = *count - 1; i >= 0 && *count > 1 && !fit->stop.asked(fit->stop.user); --i) {
        bool needed = false;
        for (size_t k = 0; k < fit->points.count && !needed; ++k) {
            const Vec3 p = fit->points.at[k];
            if (!cover_within(metric, balls[i].centre, balls[i].radius, p)) {
                continue;
            }

            bool other = false;
            for (int32_t j = 0; j < *count && !other; ++j) {
                other = j != i && cover_within(metric, balls[j].centre, balls[j].radius, p);
            }
            needed = !other;
        }

        if (!needed) {
            memmove(balls + i, balls + i + 1, (size_t)(*count - i - 1) * sizeof *balls);
            *count -= 1;
        }
    }
}

bool bi_cover_choose_greedily(CoverFit* fit, double reach, int32_t most, Ball* balls, int32_t* count) {
    const size_t words = (fit->points.count + 63) / 64;
    const size_t rows = fit->places.count;
    const size_t needed = words * (rows + 1) + rows;
    *count = 0;

    if (fit->cover_capacity < needed) {
        fit->cover = bi_arena_take(&fit->body->arena, needed + needed / 8, sizeof *fit->cover);
        fit->cover_capacity = fit->cover != NULL ? needed + needed / 8 : 0;
        if (fit->cover == NULL) {
            return false;
        }
    }

    uint64_t* open = fit->cover;
    uint64_t* table = open + words;
    Gain* heap = (Gain*)(table + words * rows);

    // All points are open; the heap has the place that covers most of them on top.
    memset(open, 0, words * sizeof *open);
    for (size_t i = 0; i < fit->points.count; ++i) {
        open[i >> 6] |= (uint64_t)1 << (i & 63);
    }
    for (size_t i = 0; i < rows; ++i) {
        if ((i & 63) == 0 && fit->stop.asked(fit->stop.user)) {
            return false;
        }
        fill_row(fit, i, reach, table + i * words, words);
        heap[i] = (Gain){count_open(table + i * words, open, words), (int32_t)i};
    }
    for (size_t i = rows / 2; i-- > 0;) {
        sift_down(heap, rows, i);
    }

    // The best place gets a ball, unless what it covers has shrunk since it was last counted.
    while (rows > 0 && heap[0].count > 0) {
        const uint64_t* row = table + (size_t)heap[0].place * words;
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
    drop_needless_balls(fit, balls, count);
    return true;
}
