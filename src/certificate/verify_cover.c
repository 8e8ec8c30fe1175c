// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Do records about parts of two bodies cover all of both, at all times? Records are boxes in time and in the
// leaves of both bodies. The search makes them by halving times and opening volumes, so their union is
// decomposed by cuts that go through none of them; any other union is refused.
// Entry: bi_verify_prove_covered.

#include <stdlib.h>

#include "certificate/verify.h"

/// Where a cut may be: in time, in the leaves of a, in those of b.
typedef enum VerifyAxis { AXIS_TIME, AXIS_A, AXIS_B, AXIS_COUNT } VerifyAxis;

static uint64_t low_of(const VerifyBox* box, VerifyAxis axis) {
    if (axis == AXIS_TIME) {
        return box->start;
    }
    return (uint64_t)(axis == AXIS_A ? box->low_a : box->low_b);
}

static uint64_t high_of(const VerifyBox* box, VerifyAxis axis) {
    if (axis == AXIS_TIME) {
        return box->end;
    }
    return (uint64_t)(axis == AXIS_A ? box->high_a : box->high_b);
}

static bool contains(const VerifyBox* box, const VerifyBox* region) {
    for (VerifyAxis axis = AXIS_TIME; axis < AXIS_COUNT; ++axis) {
        if (low_of(box, axis) > low_of(region, axis) || high_of(box, axis) < high_of(region, axis)) {
            return false;
        }
    }
    return true;
}

static int compare_lows(const VerifyBox* a, const VerifyBox* b, VerifyAxis axis) {
    const uint64_t p = low_of(a, axis);
    const uint64_t q = low_of(b, axis);
    if (p == q) {
        return 0;
    }
    return p < q ? -1 : 1;
}

static int by_time(const void* a, const void* b) {
    return compare_lows(a, b, AXIS_TIME);
}

static int by_leaf_a(const void* a, const void* b) {
    return compare_lows(a, b, AXIS_A);
}

static int by_leaf_b(const void* a, const void* b) {
    return compare_lows(a, b, AXIS_B);
}

// The cut along an axis that leaves about as many boxes on both sides, and none on both: how many are before it, 0 when there is
// none. Sorts the boxes along the axis.
static int64_t find_cut(VerifyBox* boxes, int64_t count, VerifyAxis axis, uint64_t* at) {
    int (*const orders[AXIS_COUNT])(const void*, const void*) = {by_time, by_leaf_a, by_leaf_b};
    qsort(boxes, (size_t)count, sizeof *boxes, orders[axis]);

    int64_t best = 0;
    uint64_t reached = high_of(&boxes[0], axis);
    for (int64_t i = 1; i < count; ++i) {
        const uint64_t low = low_of(&boxes[i], axis);
        if (low >= reached && (best == 0 || llabs(2 * i - count) < llabs(2 * best - count))) {
            best = i;
            *at = low;
        }
        const uint64_t high = high_of(&boxes[i], axis);
        reached = high > reached ? high : reached;
    }
    return best;
}

static VerifyBox part_of(const VerifyBox* region, VerifyAxis axis, uint64_t at, bool after) {
    VerifyBox part = *region;
    if (axis == AXIS_TIME) {
        *(after ? &part.start : &part.end) = at;
    } else if (axis == AXIS_A) {
        *(after ? &part.low_a : &part.high_a) = (int32_t)at;
    } else {
        *(after ? &part.low_b : &part.high_b) = (int32_t)at;
    }
    return part;
}

// One region: true when a box contains it, or two parts of it wait on the stack.
static bool take_region(VerifyBox* boxes, const VerifyRegion* task, VerifyRegion* stack, int64_t* waiting) {
    VerifyBox* own = boxes + task->first;
    for (int64_t i = 0; i < task->count; ++i) {
        if (contains(&own[i], &task->region)) {
            return true;
        }
    }

    for (VerifyAxis axis = AXIS_TIME; axis < AXIS_COUNT && task->count > 1; ++axis) {
        uint64_t at = 0;
        const int64_t before = find_cut(own, task->count, axis, &at);
        if (before > 0) {
            stack[(*waiting)++] =
                (VerifyRegion){part_of(&task->region, axis, at, false), task->first, before};
            stack[(*waiting)++] = (VerifyRegion){part_of(&task->region, axis, at, true), task->first + before,
                                                 task->count - before};
            return true;
        }
    }
    return false;
}

bool bi_verify_prove_covered(VerifyBox* boxes, int64_t count, const VerifyBox* region, VerifyRegion* stack,
                             VerifyBox* left) {
    // Every part that waits has boxes of its own, so there are never more than count of them.
    int64_t waiting = 0;
    stack[waiting++] = (VerifyRegion){*region, 0, count};
    while (waiting > 0) {
        const VerifyRegion task = stack[--waiting];
        if (!take_region(boxes, &task, stack, &waiting)) {
            *left = task.region;
            return false;
        }
    }
    return true;
}
