// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Straight segments: LANES intervals at once, of one segment or of many, each by its middle configuration and
// velocity; what is not proven is cut so that the lanes are full again, and only what was open is checked
// again. The test on an interval is in docs/theory/lanes.md.
// Entry: bi_lanes_ask_segments.

#include <string.h>

#include "lanes/lanes.h"
#include "lanes/values.h"

enum {
    FIRST_LEVEL = 4,  // of a segment that is checked alone: LANES intervals
    LEVEL_MOST = 20,  // intervals of this level are not cut again
    LEVEL_UNIT = 24,  // no interval is of a higher level
    WHOLE_SET = -1    // of groups and pairs: all of them
};

/// A segment among others starts with so many intervals that second derivatives can add this much to radii, metres.
#define FIRST_BEND 0.006f

/// Segments that are being checked.
typedef struct Search {
    LanesQuery* query;
    double tight;  // metres
    int32_t count;
    bool within;   // everything in the present call is within the layout's ranges
    bool bounded;  // the speed of a segment that is checked alone is known: only what is open needs it
    int32_t stacked;
    LanesSegmentAnswer* answers;
    uint32_t
        settled[LANES_SEGMENTS];  // how much of each segment is proven or noted as open, in 1 / 2^LEVEL_UNIT
    bool open[LANES_SEGMENTS];    // something of it is noted
} Search;

// ---- reading ------------------------------------------------------------------------------------------------------

// Where values start and how far they go, and whether the layout holds all of the segment. A turn that is outside of its range
// is brought into it as a whole: both ends by the same turns.
static bool read_segment(LanesQuery* query, int32_t segment, const double* from, const double* to,
                         bool* within) {
    const BerthLanes* lanes = query->lanes;
    const int32_t count = lanes->model.value_count;
    float* values = query->segment_values + (ptrdiff_t)segment * count;
    float* goes = query->segment_goes + (ptrdiff_t)segment * count;
    *within = true;
    for (int32_t v = 0; v < lanes->state_size; ++v) {
        const LanesRange* range = &lanes->ranges[v];
        const double low = from[v] < to[v] ? from[v] : to[v], high = from[v] < to[v] ? to[v] : from[v];
        double start = from[v];

        if (!(low >= range->low && high <= range->high)) {
            *within = false;
            const double middle = 0.5 * (low + high);
            const double brought = lanes_bring_into_range(range, middle);
            start += brought - middle;
            if (!(fabs(brought) + 0.5 * (high - low) <= 8.0)) {
                return false;
            }
        }

        values[v] = (float)start;
        goes[v] = (float)(to[v] - from[v]);
    }
    return lanes->float_count == 0 || bi_lanes_read_float_arcs(lanes, from, to, values, goes);
}

// How fast any point moves at most, and how large second derivatives get; both per unit of segment time.
static float bound_segment(LanesQuery* query, int32_t segment) {
    const BerthLanes* lanes = query->lanes;
    const float* goes = query->segment_goes + (ptrdiff_t)segment * lanes->model.value_count;
    float speed = 0.0f, bend = 0.0f;
    for (int32_t f = 0; f < lanes->model.frame_count; ++f) {
        const KernelFrame* frame = &lanes->model.frames[f];
        const float before = frame->parent >= 0 ? query->turn_sums[frame->parent] : 0.0f;
        const float rate = fabsf(goes[frame->value] * frame->multiplier);
        const float turn = frame->motion == LANE_TURN ? rate : 0.0f;
        query->turn_sums[f] = before + turn;
        speed += rate * lanes->frame_levers[f];
        bend += rate * (turn + 2.0f * before) * lanes->frame_levers[f];
    }
    query->segment_speeds[segment] = speed;
    return bend;
}

static int32_t first_level(float bend) {
    int32_t level = 0;
    // Half an interval is 1 / 2^(level + 1): what it adds is bend / 2^(2 level + 3).
    for (float added = 0.125f * bend; added > FIRST_BEND && level < FIRST_LEVEL; added *= 0.25f) {
        level += 1;
    }
    return level;
}

// ---- blocks -------------------------------------------------------------------------------------------------------

static uint64_t* set_at(const Search* search, int32_t set) {
    return search->query->sets + (size_t)set * (size_t)search->query->lanes->set_words;
}

// Where each lane's segment starts and how far it goes; lanes without an interval repeat the last.
static void fill_rows(const Search* search, const LanesInterval* intervals, int32_t count) {
    LanesQuery* query = search->query;
    const int32_t values = query->lanes->model.value_count;
    for (int32_t lane = 0; lane < LANES; ++lane) {
        const int32_t segment = intervals[lane < count ? lane : count - 1].segment;
        const float* value = query->segment_values + (ptrdiff_t)segment * values;
        const float* go = query->segment_goes + (ptrdiff_t)segment * values;
        for (int32_t v = 0; v < values; ++v) {
            query->values[v * LANES + lane] = value[v];
            query->goes[v * LANES + lane] = go[v];
        }
    }
}

/// Half the length of an interval, by level.
static const float halves[LEVEL_UNIT + 1] = {
    0x1p-1f,  0x1p-2f,  0x1p-3f,  0x1p-4f,  0x1p-5f,  0x1p-6f,  0x1p-7f,  0x1p-8f,  0x1p-9f,
    0x1p-10f, 0x1p-11f, 0x1p-12f, 0x1p-13f, 0x1p-14f, 0x1p-15f, 0x1p-16f, 0x1p-17f, 0x1p-18f,
    0x1p-19f, 0x1p-20f, 0x1p-21f, 0x1p-22f, 0x1p-23f, 0x1p-24f, 0x1p-25f};

// The intervals' middles and half lengths: exact in floats.
static void fill_block(const Search* search, const LanesInterval* intervals, int32_t count) {
    LanesQuery* query = search->query;
    for (int32_t lane = 0; lane < LANES; ++lane) {
        const LanesInterval* interval = &intervals[lane < count ? lane : count - 1];
        const float half = halves[interval->level];
        query->middle[lane] = (float)(2 * (int32_t)interval->index + 1) * half;
        query->half[lane] = half;
    }
    if (search->count > 1) {
        fill_rows(search, intervals, count);
    }
}

// Groups and pairs of a set, in the order of the layout.
static void list_set(const Search* search, const uint64_t* set, LaneQuestion* question) {
    LanesQuery* query = search->query;
    const BerthLanes* lanes = query->lanes;
    question->group_count = 0;
    question->pair_count = 0;

    for (int32_t i = 0; i < lanes->all_group_count; ++i) {
        const int32_t g = lanes->all_groups[i];
        if ((set[g / 64] >> (g % 64) & 1u) != 0) {
            query->groups[question->group_count++] = g;
        }
    }
    for (int32_t i = 0; i < lanes->all_pair_count; ++i) {
        const int32_t p = lanes->all_pairs[i], bit = lanes->model.group_count + p;
        if ((set[bit / 64] >> (bit % 64) & 1u) != 0) {
            query->pairs[question->pair_count++] = p;
        }
    }
    question->groups = query->groups;
    question->pairs = query->pairs;
}

// The group, or the pair of groups, of an entry as a bit of a set.
static int32_t bit_of_entry(const BerthLanes* lanes, const LaneEntry* entry) {
    const int32_t a = lanes->model.clusters[entry->cluster].group;
    if (entry->other >= -1) {
        return a;
    }
    const int32_t b = lanes->model.clusters[-2 - entry->other].group;
    for (int32_t p = 0; p < lanes->model.pair_count; ++p) {
        if (lanes->model.pairs[p].group_a == a && lanes->model.pairs[p].group_b == b) {
            return lanes->model.group_count + p;
        }
    }
    return -1;
}

// ---- what is not proven -------------------------------------------------------------------------------------------

// Where much is open, two bodies are noted once on a segment, on an interval that holds all of theirs.
static void note_open(Search* search, const LanesInterval* interval, const LaneEntry* entry) {
    LanesQuery* query = search->query;
    LanesOpen open = {interval->index, interval->level, interval->segment, -1, -1};
    bi_lanes_bodies_of_entry(query->lanes, entry, &open.body_a, &open.body_b);
    LanesOpen* same = NULL;
    for (int32_t i = query->open_count - 1; i >= 0; --i) {
        LanesOpen* other = &query->open[i];
        if (other->segment == open.segment && other->body_a == open.body_a && other->body_b == open.body_b) {
            if (other->index == open.index && other->level == open.level) {
                return;
            }
            same = other;
        }
    }

    search->open[open.segment] = true;
    if (same != NULL && query->open_count >= LANES_OPEN_APART) {
        lanes_widen(&same->index, &same->level, open.index, open.level);
    } else if (query->open_count < LANES_OPEN_MAX) {
        query->open[query->open_count++] = open;
    } else {
        search->answers[open.segment].open_complete = false;
    }
}

// Are both sides the bodies themselves? Then shorter intervals show a hit, or that there is none.
static bool is_exact(const BerthLanes* lanes, const LaneEntry* entry) {
    const LaneCluster* cluster = &lanes->model.clusters[entry->cluster];
    if (entry->other <= -2) {
        return cluster->exact && lanes->model.clusters[-2 - entry->other].exact;
    }
    if (entry->other < 0) {
        return false;
    }
    const LaneField* field = &lanes->model.fields[lanes->model.groups[cluster->group].field];
    return cluster->exact && field->items[entry->other].sure > LANE_UNSURE;
}

// Does the pair have a floor that tells more of a shorter interval? Down to the size of its cells.
static bool has_finer_floor(const Search* search, int32_t bit, const LanesInterval* interval) {
    const LaneModel* model = &search->query->lanes->model;
    const int32_t pair = bit - model->group_count, chart = pair >= 0 ? model->pairs[pair].chart : -1;
    if (chart < 0 || !search->within || !model->charts[chart].floor.for_states) {
        return false;
    }
    const LaneChart* c = &model->charts[chart];
    const float* goes = search->query->segment_goes + (ptrdiff_t)interval->segment * model->value_count;
    float reach = 0.0f;
    for (int k = 0; k < 2; ++k) {
        reach = fmaxf(reach, fabsf(goes[c->value[k]]) * c->floor.inverse_width[k]);
    }
    return reach * halves[interval->level] > 0.5f;
}

// Nothing more is tested for a segment with a hit, or that is left to the bodies themselves.
static bool is_over(const Search* search, int32_t segment) {
    const LanesSegmentAnswer* answer = &search->answers[segment];
    return answer->verdict == LANES_HIT || !answer->open_complete;
}

// What of the block is still to be tested, lane by lane; what shorter intervals will not decide is listed as open.
static uint32_t sort_entries(Search* search, const LanesInterval* intervals, uint64_t* open_set) {
    LanesQuery* query = search->query;
    const BerthLanes* lanes = query->lanes;
    uint32_t again = 0;
    if (!search->bounded) {
        (void)bound_segment(query, 0);
        search->bounded = true;
    }
    memset(open_set, 0, (size_t)lanes->set_words * sizeof *open_set);

    for (int32_t i = 0; i < query->answer.count; ++i) {
        const LaneEntry* entry = &query->answer.entries[i];
        const int32_t bit = bit_of_entry(lanes, entry);
        for (uint32_t left = entry->open; left != 0; left &= left - 1) {
            const int32_t lane = __builtin_ctz(left);
            const LanesInterval* interval = &intervals[lane];
            if (is_over(search, interval->segment)) {
                continue;
            }

            const double whole = 1.0 / (double)((uint64_t)1 << interval->level);
            const bool still = whole * (double)query->segment_speeds[interval->segment] <= search->tight;
            const bool stuck = (entry->overlap >> lane & 1u) != 0 && !is_exact(lanes, entry) &&
                               !has_finer_floor(search, bit, interval);
            if (stuck || still || bit < 0 || interval->level >= LEVEL_MOST) {
                note_open(search, interval, entry);
            } else {
                again |= 1u << lane;
                open_set[bit / 64] |= (uint64_t)1 << (bit % 64);
            }
        }
    }
    return again;
}

static void note_hits(Search* search, const LanesInterval* intervals) {
    LanesQuery* query = search->query;
    for (int32_t i = 0; i < query->answer.count; ++i) {
        const LaneEntry* entry = &query->answer.entries[i];
        for (uint32_t left = entry->hit; left != 0; left &= left - 1) {
            const LanesInterval* interval = &intervals[__builtin_ctz(left)];
            LanesSegmentAnswer* answer = &search->answers[interval->segment];
            if (answer->verdict == LANES_HIT) {
                continue;
            }
            answer->verdict = LANES_HIT;
            answer->t = ((double)interval->index + 0.5) / (double)((uint64_t)1 << interval->level);
            bi_lanes_bodies_of_entry(query->lanes, entry, &answer->body_a, &answer->body_b);
        }
    }
}

static void note_settled(Search* search, const LanesInterval* intervals, uint32_t lanes) {
    if (search->count == 1 && intervals[0].set == WHOLE_SET) {  // all of one segment, and of its first level
        search->settled[0] += (uint32_t)__builtin_popcount(lanes) << (LEVEL_UNIT - FIRST_LEVEL);
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        const LanesInterval* interval = &intervals[__builtin_ctz(lanes)];
        search->settled[interval->segment] += 1u << (LEVEL_UNIT - interval->level);
    }
}

// ---- cutting ------------------------------------------------------------------------------------------------------

// Cuts the lanes that are tested again so that they fill a block, and puts them on the stack. False when it is full.
static bool push_parts(Search* search, const LanesInterval* intervals, uint32_t again, int32_t set) {
    const int32_t lanes = __builtin_popcount(again);
    int32_t deeper = 1;
    while (lanes << (deeper + 1) <= LANES) {
        deeper += 1;
    }

    if (search->stacked + (lanes << deeper) > LANES_STACK) {
        return false;
    }
    for (uint32_t left = again; left != 0; left &= left - 1) {
        const LanesInterval* interval = &intervals[__builtin_ctz(left)];
        for (uint32_t k = 0; k < 1u << deeper; ++k) {
            search->query->stack[search->stacked++] = (LanesInterval){
                (interval->index << deeper) + k, (int16_t)(interval->level + deeper), interval->segment, set};
        }
    }
    return true;
}

// The intervals on top of the stack that ask for the same set.
static int32_t pop_block(Search* search, LanesInterval* intervals) {
    const LanesInterval* stack = search->query->stack;
    const int32_t set = stack[search->stacked - 1].set;
    int32_t count = 0;
    while (count < LANES && search->stacked > 0 && stack[search->stacked - 1].set == set) {
        const LanesInterval* top = &stack[--search->stacked];
        if (!is_over(search, top->segment)) {
            intervals[count++] = *top;
        }
    }
    return count;
}

/// The first block of a segment that is asked alone, and so mostly the only one.
#define FIRST_INTERVAL(index) \
    { index, FIRST_LEVEL, 0, WHOLE_SET }
static const LanesInterval first_block[LANES] = {
    FIRST_INTERVAL(0),  FIRST_INTERVAL(1),  FIRST_INTERVAL(2),  FIRST_INTERVAL(3),
    FIRST_INTERVAL(4),  FIRST_INTERVAL(5),  FIRST_INTERVAL(6),  FIRST_INTERVAL(7),
    FIRST_INTERVAL(8),  FIRST_INTERVAL(9),  FIRST_INTERVAL(10), FIRST_INTERVAL(11),
    FIRST_INTERVAL(12), FIRST_INTERVAL(13), FIRST_INTERVAL(14), FIRST_INTERVAL(15)};
/// Middles and half lengths of these.
static const _Alignas(64) float first_middles[LANES] = {
    0x1p-5f,  0x3p-5f,  0x5p-5f,  0x7p-5f,  0x9p-5f,  0xbp-5f,  0xdp-5f,  0xfp-5f,
    0x11p-5f, 0x13p-5f, 0x15p-5f, 0x17p-5f, 0x19p-5f, 0x1bp-5f, 0x1dp-5f, 0x1fp-5f};
static const _Alignas(64) float first_halves[LANES] = {0x1p-5f, 0x1p-5f, 0x1p-5f, 0x1p-5f, 0x1p-5f, 0x1p-5f,
                                                       0x1p-5f, 0x1p-5f, 0x1p-5f, 0x1p-5f, 0x1p-5f, 0x1p-5f,
                                                       0x1p-5f, 0x1p-5f, 0x1p-5f, 0x1p-5f};

/// More blocks than this for each segment, and those that are left are for the bodies themselves.
enum { BLOCKS_MOST = 48 };

static void ask_block(Search* search, const LanesInterval* intervals, int32_t count) {
    LanesQuery* query = search->query;
    const BerthLanes* lanes = query->lanes;
    const bool alone = search->count == 1, whole = intervals[0].set == WHOLE_SET;
    LaneQuestion question = {
        .values = alone ? query->segment_values : query->values,
        .goes = alone ? query->segment_goes : query->goes,
        .alike = alone,
        .middle = alone && whole ? first_middles : query->middle,
        .half = alone && whole ? first_halves : query->half,
        .groups = lanes->all_groups,
        .group_count = lanes->all_group_count,
        .pairs = search->within ? lanes->unproven_pairs : lanes->all_pairs,
        .pair_count = search->within ? lanes->unproven_pair_count : lanes->all_pair_count,
        .lanes = (1u << count) - 1u,
        .stop = alone,
        .within = search->within};

    if (!whole) {
        list_set(search, set_at(search, intervals[0].set), &question);
    }
    if (!alone || !whole) {
        fill_block(search, intervals, count);
    }
    lanes->kernels->lane_block(&lanes->model, &question, &query->scratch, &query->answer);
    query->blocks += 1;
}

// Asks, and puts what is to be cut on the stack. `round`: the blocks before it.
static void settle_block(Search* search, const LanesInterval* intervals, int32_t count, int32_t round) {
    LanesQuery* query = search->query;
    ask_block(search, intervals, count);
    if (query->answer.hit != 0) {
        note_hits(search, intervals);
        if (search->count == 1) {
            return;  // a segment alone is answered
        }
    }
    note_settled(search, intervals, ((1u << count) - 1u) & ~query->answer.open);
    if (query->answer.open == 0) {
        return;
    }

    // Sets are taken in the order of the stack, so those above its top are free again.
    const int32_t set = search->stacked > 0 ? query->stack[search->stacked - 1].set + 1 : 0;
    const uint32_t again = sort_entries(search, intervals, set_at(search, set));
    const bool spent = query->answer.full || round >= BLOCKS_MOST * search->count ||
                       (again != 0 && !push_parts(search, intervals, again, set));
    for (int32_t lane = 0; spent && lane < count; ++lane) {
        if ((query->answer.open >> lane & 1u) != 0) {
            search->answers[intervals[lane].segment].open_complete = false;
        }
    }
}

// Until the stack is empty.
static void ask_intervals(Search* search, int32_t rounds) {
    LanesInterval intervals[LANES];
    for (int32_t round = rounds; search->stacked > 0; ++round) {
        const int32_t count = pop_block(search, intervals);
        if (count > 0) {
            settle_block(search, intervals, count, round);
        }
    }
}

static void ask_alone(Search* search) {
    search->within = search->answers[0].within;
    settle_block(search, first_block, LANES, 0);
    ask_intervals(search, 1);
}

// Those that are, or are not, within the layout's ranges: what a proof holds for differs.
static void ask_some(Search* search, const bool* held, bool within) {
    LanesQuery* query = search->query;
    search->within = within;
    search->stacked = 0;
    for (int32_t s = search->count - 1; s >= 0; --s) {
        if (!held[s] || search->answers[s].within != within) {
            continue;
        }
        const int32_t level = first_level(bound_segment(query, s));
        for (int32_t i = (1 << level) - 1; i >= 0; --i) {
            query->stack[search->stacked++] =
                (LanesInterval){(uint32_t)i, (int16_t)level, (int16_t)s, WHOLE_SET};
        }
    }
    ask_intervals(search, 0);
}

void bi_lanes_ask_segments(LanesQuery* query, const double* rows, int64_t stride, int32_t count, double tight,
                           LanesSegmentAnswer* answers) {
    Search search;
    search.query = query;
    search.tight = tight;
    search.count = count;
    search.within = false;
    search.bounded = count > 1;
    search.stacked = 0;
    search.answers = answers;
    const int32_t values = query->lanes->state_size;
    bool held[LANES_SEGMENTS], any[2] = {false, false};
    query->open_count = 0;

    for (int32_t s = 0; s < count; ++s) {
        const double* from = rows + s * stride;
        answers[s] = (LanesSegmentAnswer){.body_a = -1, .body_b = -1};
        search.settled[s] = 0;
        search.open[s] = false;
        held[s] = read_segment(query, s, from, from + values, &answers[s].within);
        answers[s].open_complete = held[s];
        any[answers[s].within] = any[answers[s].within] || held[s];
    }

    if (count == 1 && held[0]) {
        ask_alone(&search);
    }
    for (int within = 0; count > 1 && within < 2; ++within) {
        if (any[within]) {
            ask_some(&search, held, within != 0);
        }
    }

    // Free is what was settled from one end to the other, with nothing left open.
    for (int32_t s = 0; s < count; ++s) {
        if (answers[s].verdict != LANES_HIT && search.settled[s] == 1u << LEVEL_UNIT && !search.open[s]) {
            answers[s].verdict = LANES_FREE;
        }
    }
}
