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

/// The points of one word of bits: neighbours mostly, as the surface's triangles are.
typedef struct WordBox {
    Vec3 centre, half;
} WordBox;

static void box_words(const CoverFit* fit, WordBox* boxes, size_t words) {
    for (size_t w = 0; w < words; ++w) {
        Vec3 low = fit->points.at[64 * w], high = low;
        for (size_t i = 64 * w + 1; i < 64 * w + 64 && i < fit->points.count; ++i) {
            low = v3_min(low, fit->points.at[i]);
            high = v3_max(high, fit->points.at[i]);
        }
        boxes[w] = (WordBox){v3_scale(v3_add(low, high), 0.5), v3_scale(v3_sub(high, low), 0.5)};
    }
}

// The nearest and the farthest point of a box from a point tell most words at once.
static bool box_within(BerthMetric metric, const WordBox* box, Vec3 c, double radius) {
    const Vec3 far = v3_add(v3_abs(v3_sub(box->centre, c)), box->half);
    return cover_within(metric, v3(0, 0, 0), radius * (1.0 - 1e-12), far);
}

static bool box_beyond(BerthMetric metric, const WordBox* box, Vec3 c, double radius) {
    const Vec3 away = v3_sub(v3_abs(v3_sub(box->centre, c)), box->half);
    return !cover_within(metric, v3(0, 0, 0), radius * (1.0 + 1e-12), v3_max(away, v3(0, 0, 0)));
}

// One row of bits a place: which points a ball there covers.
static void fill_row(const CoverFit* fit, size_t place, double reach, const WordBox* boxes, uint64_t* row,
                     size_t words) {
    const BerthMetric metric = fit->body->metric;
    const Vec3 c = fit->places.at[place];
    const double radius = fit->places.depth[place] + reach;
    const double spare =
        fit->body->open_count < fit->body->part_count ? BI_COVER_SKIN * cover_room(metric) : 0.0;
    const double held = radius > 0.0 ? radius * (1.0 - spare) : -1.0;

    for (size_t w = 0; w < words; ++w) {
        const size_t first = 64 * w;
        const size_t count = fit->points.count - first < 64 ? fit->points.count - first : 64;
        row[w] = 0;
        if (!(held > 0.0) || box_beyond(metric, &boxes[w], c, held)) {
            continue;
        }
        if (box_within(metric, &boxes[w], c, held)) {
            row[w] = count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
            continue;
        }

        uint64_t bits = 0;
        for (size_t k = 0; k < count; ++k) {
            bits |= (uint64_t)cover_within(metric, c, held, fit->points.at[first + k]) << k;
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

// From the last to the first: a ball whose every point is in another one goes. `times` tells how many have each point.
static void drop_needless_balls(const CoverFit* fit, uint16_t* times, Ball* balls, int32_t* count) {
    const BerthMetric metric = fit->body->metric;
    for (size_t k = 0; k < fit->points.count; ++k) {
        times[k] = 0;
    }
    for (int32_t i = 0; i < *count; ++i) {
        for (size_t k = 0; k < fit->points.count; ++k) {
            const bool held = cover_within(metric, balls[i].centre, balls[i].radius, fit->points.at[k]);
            times[k] = (uint16_t)(times[k] + (held ? 1 : 0));
        }
    }

    for (int32_t i = *count - 1; i >= 0 && *count > 1 && !fit->stop.asked(fit->stop.user); --i) {
        bool needed = false;
        for (size_t k = 0; k < fit->points.count && !needed; ++k) {
            needed =
                times[k] == 1 && cover_within(metric, balls[i].centre, balls[i].radius, fit->points.at[k]);
        }
        if (needed) {
            continue;
        }

        for (size_t k = 0; k < fit->points.count; ++k) {
            const bool held = cover_within(metric, balls[i].centre, balls[i].radius, fit->points.at[k]);
            times[k] = (uint16_t)(times[k] - (held ? 1 : 0));
        }
        memmove(balls + i, balls + i + 1, (size_t)(*count - i - 1) * sizeof *balls);
        *count -= 1;
    }
}

bool bi_cover_choose_greedily(CoverFit* fit, double reach, int32_t most, Ball* balls, int32_t* count) {
    const size_t words = (fit->points.count + 63) / 64;
    const size_t rows = fit->places.count;
    const size_t needed = words * (rows + 1) + rows + words * (sizeof(WordBox) / sizeof(uint64_t)) +
                          64 * words * sizeof(uint16_t) / sizeof(uint64_t);
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
    WordBox* boxes = (WordBox*)(table + words * rows);
    Gain* heap = (Gain*)(boxes + words);
    uint16_t* times = (uint16_t*)(heap + rows);
    box_words(fit, boxes, words);

    // All points are open; the heap has the place that covers most of them on top.
    memset(open, 0, words * sizeof *open);
    for (size_t i = 0; i < fit->points.count; ++i) {
        open[i >> 6] |= (uint64_t)1 << (i & 63);
    }
    for (size_t i = 0; i < rows; ++i) {
        if ((i & 63) == 0 && fit->stop.asked(fit->stop.user)) {
            return false;
        }
        fill_row(fit, i, reach, boxes, table + i * words, words);
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
    drop_needless_balls(fit, times, balls, count);
    return true;
}
