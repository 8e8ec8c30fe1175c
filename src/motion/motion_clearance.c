// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The smallest gap on a free motion, from both sides. A gap that is measured somewhere bounds it from above;
// then every pair is proven to stay further apart than a share of that, as a verdict proves it with a margin.
// Where that fails because a gap is smaller, that one is measured, and the share refers to it from then on;
// so one pass over the levels is enough. When work runs out the share becomes smaller, and finally what the
// verdict proved is used. Always by second order, whatever the verdict's method. docs/theory/motion.md shows
// why the bounds hold.
// Entries: bi_motion_find_clearance, berth_clearance_lower.

#include "motion/motion.h"

/// Measured gaps may be larger than they are by this share: what is exact costs more than the proofs do (Fanuc: 3 times).
#define MEASURE_TOLERANCE 0.15
/// What is wanted on intervals as short as this share of the gap on them is decided there.
#define TRIAL_DELTA 0.02

/// The share of the upper bound that is required, until this many times the verdict's work was spent.
typedef struct ShareStep {
    double share, work;
} ShareStep;
static const ShareStep steps[] = {{0.9, 0.5}, {0.75, 16.0}, {0.5, 18.0}, {0.25, 20.0}};
enum { STEP_COUNT = sizeof steps / sizeof *steps, WORK_LEAST = 10000, ATTEMPTS = 16, LEVEL_MAX = 40 };

/// One class of pairs: those with others, or those of one robot's own links.
typedef struct ClassSearch {
    BerthClearance* out;
    double margin;   // required: proven by the verdict
    double verdict;  // proven by it
    double proven;   // here, of all pairs so far
    int step;        // of what is required; the search's when that is larger
    bool is_done;    // what the verdict proved is enough, or has to do
} ClassSearch;

/// What the search changes in the checker, to be put back.
typedef struct Asked {
    BerthMethod method;
    double margin, self_margin, delta, local_from, local_last;
} Asked;

typedef struct ClearanceSearch {
    BerthMotionChecker* motion;
    const BerthSegment* segment;
    const SegmentQuery* query;
    BerthMotionStats* stats;
    Asked asked;
    ClassSearch classes[2];  // by ScenePair.self
    int64_t work_start, work_unit;
    int step;
} ClearanceSearch;

// In tests of boxes, which take about 3 ns: how long the others take was measured on pegs and arms.
static int64_t work_of(const BerthMotionChecker* motion, const BerthMotionStats* stats) {
    const BerthCounters* c = &stats->counters;
    return (int64_t)80 * motion->scene->body_count * stats->configurations + 30 * stats->pair_tests +
           c->bv_tests + 60 * c->leaf_tests + 100 * c->shape_tests;
}

static const ScenePair* scene_pair(const ClearanceSearch* search, int32_t index) {
    return &search->motion->scene->pairs[search->motion->pairs[index].pair];
}

// What a class is to be proven to stay apart: no less than its margin.
static double wanted_of(const ClearanceSearch* search, const ClassSearch* of) {
    const int step = of->step > search->step ? of->step : search->step;
    return fmax(of->margin, steps[step < STEP_COUNT ? step : STEP_COUNT - 1].share * of->out->upper);
}

static void set_margins(const ClearanceSearch* search, double others, double self) {
    BerthMotionChecker* motion = search->motion;
    motion->margin = motion->checker->margin = others;
    motion->self_margin = motion->checker->self_margin = self;
}

// What the verdict proved counts for the whole class from here on.
static void take_verdict(ClassSearch* of) {
    of->is_done = true;
    of->proven = fmin(of->proven, of->verdict);
}

// From now on what the upper bounds say is required.
static void ask_for_wanted(ClearanceSearch* search) {
    for (int k = 0; k < 2; ++k) {
        ClassSearch* of = &search->classes[k];
        if (!of->is_done && (of->verdict >= wanted_of(search, of) || !(of->out->upper < (double)INFINITY))) {
            take_verdict(of);
        }
    }

    const double least = fmin(search->classes[0].out->upper, search->classes[1].out->upper);
    const double band = least < (double)INFINITY ? TRIAL_DELTA * least : 0.0;
    search->motion->delta = fmax(search->asked.delta, band);
    search->motion->local_from = search->motion->local_last = search->motion->delta;
    set_margins(search, wanted_of(search, &search->classes[0]), wanted_of(search, &search->classes[1]));
}

// ---- measuring -----------------------------------------------------------------------------------------------

static void note_upper(ClassSearch* of, const ScenePair* pair, double t, double upper, Vec3 a, Vec3 b) {
    if (upper < of->out->upper) {
        of->out->upper = upper;
        of->out->body_a = pair->body_a;
        of->out->body_b = pair->body_b;
        of->out->t = t;
        of->out->point_a = a;
        of->out->point_b = b;
    }
}

static bool place_at(const ClearanceSearch* search, Span span) {
    bi_motion_rates(search->motion, search->segment, span);
    search->stats->configurations += 1;
    return bi_motion_place(search->motion, span);
}

// The gap of a pair at t, which is placed with no interval around it where there is a tracking error: that comes off as it is
// there.
static void measure_pair(ClearanceSearch* search, int32_t index, double t) {
    BerthMotionChecker* motion = search->motion;
    const ScenePair* pair = scene_pair(search, index);
    ClassSearch* of = &search->classes[pair->self];
    const double off = motion->has_error ? bi_motion_bound_pair_rates(motion, index, 0.0).error : 0.0;

    const PairRequest wanted = {
        .max_d = of->out->upper + off, .tolerance = MEASURE_TOLERANCE, .distance = true};
    BerthTreeAnswer answer;
    bi_check_pair(motion->checker, pair, &wanted, &answer);
    search->stats->pair_tests += 1;
    counters_add(&search->stats->counters, &answer.counters);
    note_upper(of, pair, t, answer.upper - off, answer.point_a, answer.point_b);
}

// One pair, in the middle of an interval that is placed and stays so, or at another time on it.
static bool measure_on_interval(ClearanceSearch* search, int32_t index, Span span, double t) {
    const bool elsewhere = t != span.middle || search->motion->has_error;
    bool placed = !elsewhere || place_at(search, (Span){t, 0.0});
    if (placed) {
        set_margins(search, search->classes[0].margin, search->classes[1].margin);
        measure_pair(search, index, t);
        ask_for_wanted(search);
    }
    if (elsewhere) {
        placed = place_at(search, span) && placed;
    }
    return placed;
}

static void measure_constants(ClearanceSearch* search, double t) {
    const BerthChecker* checker = search->motion->checker;
    for (int32_t i = 0; i < checker->constant_count; ++i) {
        const BerthTreeAnswer* answer = &checker->constants[i].answer;
        const ScenePair* pair = &checker->scene->pairs[checker->constants[i].pair];
        const int32_t frame = checker->scene->bodies[pair->body_a].frame;
        const Pose pose = frame >= 0 ? checker->world_from_frame[frame] : pose_identity();
        ClassSearch* of = &search->classes[pair->self];
        note_upper(of, pair, t, answer->upper, pose_apply(&pose, answer->point_a),
                   pose_apply(&pose, answer->point_b));
        of->proven = fmin(of->proven, answer->lower);
    }
}

// Every pair that may be the nearest of its class: first the one whose balls are nearest, which leaves few others.
static bool measure_state(ClearanceSearch* search, double t) {
    BerthMotionChecker* motion = search->motion;
    if (!place_at(search, (Span){t, 0.0})) {
        return false;
    }
    measure_constants(search, t);

    int32_t nearest[2] = {-1, -1};
    double least[2] = {INFINITY, INFINITY};
    for (int32_t i = 0; i < motion->pair_count; ++i) {
        const ScenePair* pair = scene_pair(search, i);
        const double bound = bi_check_pair_bound(motion->checker, pair);
        if (bound < least[pair->self]) {
            least[pair->self] = bound;
            nearest[pair->self] = i;
        }
    }
    for (int k = 0; k < 2; ++k) {
        if (nearest[k] >= 0) {
            measure_pair(search, nearest[k], t);
        }
    }

    for (int32_t i = 0; i < motion->pair_count; ++i) {
        const ScenePair* pair = scene_pair(search, i);
        const bool near = bi_check_pair_bound(motion->checker, pair) < search->classes[pair->self].out->upper;
        if (near && i != nearest[pair->self]) {
            measure_pair(search, i, t);
        }
    }
    return true;
}

// ---- proving -------------------------------------------------------------------------------------------------

// What the verdict proved has to do for this class.
static void give_up_class(ClassSearch* of) {
    if (!of->is_done) {
        take_verdict(of);
        of->out->spent = true;
    }
}

// Less is required when work runs out. False when nothing less can be required.
static bool ask_for_less_when_spent(ClearanceSearch* search) {
    const double done = (double)(work_of(search->motion, search->stats) - search->work_start);
    while (search->step < STEP_COUNT && done > steps[search->step].work * (double)search->work_unit) {
        search->step += 1;
        ask_for_wanted(search);
    }
    return search->step < STEP_COUNT && !bi_motion_query_cancelled(search->query);
}

// True when the pair is proven on the interval, or nothing more can be said; false when its halves may do.
static bool try_pair(ClearanceSearch* search, int32_t index, Span span) {
    BerthMotionChecker* motion = search->motion;
    const ScenePair* pair = scene_pair(search, index);
    ClassSearch* of = &search->classes[pair->self];

    for (int attempt = 0; attempt < ATTEMPTS && ask_for_less_when_spent(search) && !of->is_done; ++attempt) {
        PairProof proof = {.clearance = &of->proven, .stats = search->stats};
        const PairState state = bi_motion_prove_pair(motion, index, span, &proof);
        if (state == PAIR_FREE) {
            return true;
        }
        if (state == PAIR_OPEN && !proof.spent) {
            return false;
        }

        // The gap is about what is required, or below it: a share of what it is here is required from now on.
        const double asked = wanted_of(search, of);
        if (!measure_on_interval(search, index, span, proof.t)) {
            break;
        }
        if (!(wanted_of(search, of) < asked)) {
            of->step = (of->step > search->step ? of->step : search->step) + 1;
            if (of->step >= STEP_COUNT) {
                break;
            }
            ask_for_wanted(search);
        }
    }

    give_up_class(of);
    return true;
}

// The pairs that are open on one interval; those that stay open are appended to `to` with both halves.
static bool try_interval(ClearanceSearch* search, const Interval* interval, int level, const Level* from,
                         Level* to) {
    BerthMotionChecker* motion = search->motion;
    const double width = 1.0 / (double)((uint64_t)1 << level);
    const Span span = {((double)interval->index + 0.5) * width, 0.5 * width};
    search->stats->intervals += 1;
    if (!ask_for_less_when_spent(search) || level >= LEVEL_MAX || !place_at(search, span) ||
        to->interval_count + 2 > motion->interval_capacity) {
        return false;
    }

    const int32_t first = to->pair_count;
    for (int32_t k = interval->first; k < interval->first + interval->count; ++k) {
        if (try_pair(search, from->pairs[k], span)) {
            continue;
        }
        if (to->pair_count >= motion->list_capacity) {
            return false;
        }
        to->pairs[to->pair_count++] = from->pairs[k];
    }

    const int32_t count = to->pair_count - first;
    for (uint64_t half = 0; half < 2 && count > 0; ++half) {
        to->intervals[to->interval_count++] = (Interval){2 * interval->index + half, first, count};
    }
    return true;
}

// Nothing more is done: what is open on these intervals is as the verdict left it.
static void give_up(ClearanceSearch* search, const Level* level, int32_t first) {
    for (int32_t i = first; i < level->interval_count; ++i) {
        const Interval* interval = &level->intervals[i];
        for (int32_t k = interval->first; k < interval->first + interval->count; ++k) {
            give_up_class(&search->classes[scene_pair(search, level->pairs[k])->self]);
        }
    }
}

static void search_levels(ClearanceSearch* search) {
    BerthMotionChecker* motion = search->motion;
    Level* from = &motion->levels[0];
    Level* to = &motion->levels[1];

    // All pairs except those whose proven table says more than is required, now and from now on.
    bi_motion_find_within(motion, search->segment);
    from->pair_count = 0;
    for (int32_t i = 0; i < motion->pair_count; ++i) {
        ClassSearch* of = &search->classes[scene_pair(search, i)->self];
        if (bi_motion_is_proven(motion, i)) {
            of->proven = fmin(of->proven, scene_pair(search, i)->proven_gap);
        } else {
            from->pairs[from->pair_count++] = i;
        }
        motion->normals[i] = motion->queue != NULL ? v3(0, 0, 0) : motion->normals[i];
    }
    from->interval_count = 1;
    from->intervals[0] = (Interval){0, 0, from->pair_count};

    for (int level = 0; from->interval_count > 0; ++level) {
        to->interval_count = 0;
        to->pair_count = 0;
        for (int32_t i = 0; i < from->interval_count; ++i) {
            if (!try_interval(search, &from->intervals[i], level, from, to)) {
                give_up(search, from, i);
                give_up(search, to, 0);
                return;
            }
        }

        Level* swap = from;
        from = to;
        to = swap;
    }
}

// ---- the whole of it -----------------------------------------------------------------------------------------

static ClassSearch class_search(BerthClearance* out, double margin) {
    return (ClassSearch){.out = out, .margin = margin, .verdict = out->lower, .proven = INFINITY};
}

void bi_motion_find_clearance(const SegmentQuery* query, BerthMotionResult* out) {
    BerthMotionChecker* motion = query->motion;
    const Asked asked = {motion->method, motion->margin,     motion->self_margin,
                         motion->delta,  motion->local_from, motion->local_last};
    const int64_t work = work_of(motion, &out->stats);
    ClearanceSearch search = {.motion = motion,
                              .segment = query->segment,
                              .query = query,
                              .stats = &out->stats,
                              .asked = asked,
                              .classes = {class_search(&out->environment, motion->margin),
                                          class_search(&out->self, motion->self_margin)},
                              .work_start = work,
                              .work_unit = work + WORK_LEAST};

    // A witness in the middle, then proofs downward from it.
    motion->method = BERTH_METHOD_SECOND_ORDER;
    const bool measured = measure_state(&search, 0.5);
    if (measured) {
        ask_for_wanted(&search);
        search_levels(&search);
    }

    motion->method = asked.method;
    motion->delta = asked.delta;
    motion->local_from = asked.local_from;
    motion->local_last = asked.local_last;
    set_margins(&search, asked.margin, asked.self_margin);

    for (int k = 0; k < 2 && measured; ++k) {
        const ClassSearch* of = &search.classes[k];
        of->out->lower = fmax(of->verdict, of->proven);
        of->out->upper = fmax(of->out->upper, of->out->lower);
    }
    out->clearance = fmin(out->self.lower, out->environment.lower);
}

void berth_clearance_lower(BerthClearance* least, const BerthClearance* more) {
    const double lower = fmin(least->lower, more->lower);
    const bool spent = least->spent || more->spent;
    if (more->upper < least->upper) {
        *least = *more;
    }
    least->lower = lower;
    least->spent = spent;
}
