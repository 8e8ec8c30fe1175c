// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// ADAPTIVE-BISECTION (paper 001, section II; errata 2.1 to 2.6): a queue of pairs between two times. A pair
// is free between them when it cannot travel as far as the sum of its gaps at both; otherwise a configuration
// is placed in between. The other methods' entries use the same queue.
// Entries: bi_queue_run, at the end, which starts a segment (bi_queue_start) and takes its entries
// (bi_queue_step). The functions bi_entry_... and bi_pair_... serve the refined method too.

#include "motion/motion_queue.h"
#include "tree/rss.h"

/// Of what two ends cover alone, so much is used by the covers that stop there: the rest is a clearance.
#define FRONT_SHARE (1.0 - 0x1p-8)
/// What they leave must be at most this share of the whole.
#define FRONT_PROGRESS (1.0 - 0x1p-4)
/// No gap is much of the distance of two bodies' centres: measuring more than this share is wasted work.
#define HOPELESS_SHARE 0.5
/// As much as the proof needs, and no better than this beyond: 1 / 1.5 of the gap costs little more than a yes or no.
#define LOOSE 0.5
/// Times are exact to here; shorter intervals could not be distinguished.
#define HALF_LEAST 0x1p-51
/// Entries of one segment beyond which the deepest come first: memory stays small, and configurations near each other in time.
enum { CROWD = 8192 };
#define DEEP 1e100  // above all other keys
/// Entries with an end within the band that are looked at, beyond twice all entries before the first of them.
enum { BAND_STEPS = 1024 };

static const Span whole = {0.5, 0.5};
static const Span first_end = {0.0, 0.0};
static const Span last_end = {1.0, 0.0};

static const ScenePair* scene_pair(const SegmentQuery* query, int32_t pair) {
    return &query->motion->scene->pairs[query->motion->pairs[pair].pair];
}

static bool is_refined(const SegmentQuery* query) {
    return query->motion->method == BERTH_METHOD_REFINED;
}

static bool is_second_order(const SegmentQuery* query) {
    return query->motion->method == BERTH_METHOD_SECOND_ORDER ||
           query->motion->method == BERTH_METHOD_DEFAULT;
}

// ---- what entries need ---------------------------------------------------------------------------------------

static double slack_of(const SegmentQuery* query, const ScenePair* pair) {
    const CheckBody* states = query->motion->checker->bodies;
    return 2.0 * BI_DISTANCE_SLACK * (states[pair->body_a].size + states[pair->body_b].size);
}

// How much nearer than the placed bodies the pair can be. Gaps of entries are less by that, each at its own time, so that
// what a body does on its own counts as any other motion.
static double reach_of(const SegmentQuery* query, const ScenePair* pair) {
    return bi_check_reach(query->motion->checker, pair);
}

static double needed_of(const SegmentQuery* query, const ScenePair* pair, double error) {
    return bi_motion_margin(query->motion, pair) + pair->padding + error + slack_of(query, pair);
}

PairNeed bi_pair_need(const SegmentQuery* query, int32_t pair, Span span) {
    const PairRates reach = bi_motion_bound_pair_rates(query->motion, pair, span.half);
    const double error = query->hopeless ? 0.0 : reach.error;
    return (PairNeed){needed_of(query, scene_pair(query, pair), error), 2.0 * span.half * reach.speed,
                      slack_of(query, scene_pair(query, pair))};
}

// So much more than its margin is left of a pair's gap.
static void lower_clearance(SegmentQuery* query, int32_t index, double left) {
    const ScenePair* pair = scene_pair(query, index);
    double* clearance = &query->clearances[pair->self];
    *clearance = fmin(*clearance, bi_motion_margin(query->motion, pair) + left);
}

bool bi_entry_prove_covered(SegmentQuery* query, const QueueEntry* entry, double lambda, double needed) {
    const double spare = entry->gap_low + entry->gap_high - 2.0 * needed;
    if (!(lambda < spare)) {
        return false;
    }
    lower_clearance(query, entry->pair, 0.5 * (spare - lambda));
    return true;
}

// So short that no gap changes by more than delta, or than rounding; or there is no bound at all.
static bool is_tight(const SegmentQuery* query, const QueueEntry* entry, double lambda, double slack) {
    const double delta = query->motion->delta;
    return !(lambda > (delta > slack ? delta : slack) && lambda < (double)INFINITY) ||
           !(entry->high - entry->low > 2.0 * HALF_LEAST);
}

static void note_entry_close(SegmentQuery* query, const QueueEntry* entry) {
    bi_motion_query_note_close(query, entry->low, entry->high, scene_pair(query, entry->pair));
}

// The local method (paper 001, II-F) on a short entry. True when that decides it: free, or too close. A witness is noted; for the
// earliest contact halves come nearer to that.
static bool decide_locally(SegmentQuery* query, const QueueEntry* entry, Span span, bool tight,
                           bool decides) {
    BerthMotionChecker* motion = query->motion;
    const bool last_resort = motion->delta > 0.0;
    const int64_t tests = bi_motion_local_tests(motion, decides);
    const LocalItem item = {entry->part_a, entry->part_b, entry->node_a, entry->node_b};
    PairProof proof = {.clearance = &query->clearances[scene_pair(query, entry->pair)->self],
                       .stats = query->stats,
                       .t = span.middle,
                       .t_low = entry->low,
                       .commanded = query->hopeless,
                       .first_contact = query->request->first_contact};

    if (last_resort && query->hit_t <= 1.0) {  // a bracket of the earliest contact: this is narrow enough
        note_entry_close(query, entry);
        return true;
    }

    if (!bi_queue_place(query, span)) {
        return true;
    }

    const PairState state = bi_motion_prove_pair_locally(motion, query->segment, entry->pair, span,
                                                         is_refined(query) ? &item : NULL, tests, &proof);
    if (state == PAIR_FREE || (state == PAIR_OPEN && !tight)) {
        return state == PAIR_FREE;
    }
    if (proof.spent && !decides) {
        return false;  // halves of the time
    }

    if (state == PAIR_COLLISION) {
        bi_motion_query_note_collision(query, proof.t, scene_pair(query, entry->pair), proof.hit.meeting);
        if (!query->request->first_contact || !tight) {
            return !query->request->first_contact;
        }
    }

    query->full = query->full || (proof.spent && !last_resort);
    bi_motion_query_note_close(query, proof.t_low > entry->low ? proof.t_low : entry->low, entry->high,
                               scene_pair(query, entry->pair));  // before that it is proven
    return true;
}

bool bi_entry_decide_locally(SegmentQuery* query, const QueueEntry* entry, Span span, double lambda,
                             double slack) {
    const bool tight = is_tight(query, entry, lambda, slack);
    const bool decides = tight || lambda <= query->motion->local_last;
    return (tight || lambda <= query->motion->local_from) &&
           decide_locally(query, entry, span, tight, decides);
}

void bi_motion_query_note_in_band(SegmentQuery* query) {
    if (query->band_left < 0 && query->motion->delta > 0.0) {
        query->band_left = BAND_STEPS + 2 * query->steps;
    }
}

bool bi_entry_give_up(SegmentQuery* query, const QueueEntry* entry, double needed) {
    const double least = entry->gap_low < entry->gap_high ? entry->gap_low : entry->gap_high;
    // Once there is a witness, what is before it is bracketed whatever that takes.
    if (query->band_left < 0 || query->hit_t <= 1.0 || least > needed + query->motion->delta) {
        return false;
    }
    if (query->band_left > 0) {
        query->band_left -= 1;
        return false;
    }
    note_entry_close(query, entry);
    return true;
}

static double key_of(const SegmentQuery* query, const QueueEntry* entry, double lambda, double needed) {
    if (query->request->first_contact) {
        return -entry->low;
    }
    if (query->order == BERTH_ORDER_LENGTH) {
        return (entry->high - entry->low) * query->length;
    }
    if (query->heap.count > CROWD) {
        return DEEP / (entry->high - entry->low);
    }
    return lambda - entry->gap_low - entry->gap_high + 2.0 * needed;
}

static void push_entry(SegmentQuery* query, const QueueEntry* entry) {
    MotionQueue* queue = query->queue;
    if (bi_heap_push(&queue->pool, &query->heap, entry)) {
        return;
    }
    const bool room = queue->make_room != NULL && queue->make_room(queue->user, query);
    if (!room || !bi_heap_push(&queue->pool, &query->heap, entry)) {
        note_entry_close(query, entry);
        query->full = true;
    }
}

void bi_entry_push(SegmentQuery* query, QueueEntry entry, double lambda, double needed) {
    if (bi_entry_prove_covered(query, &entry, lambda, needed)) {
        return;
    }
    entry.key = key_of(query, &entry, lambda, needed);
    push_entry(query, &entry);
}

static double balls_apart(const SegmentQuery* query, const ScenePair* pair) {
    const CheckBody* a = &query->motion->checker->bodies[pair->body_a];
    const CheckBody* b = &query->motion->checker->bodies[pair->body_b];
    return v3_distance(a->centre, b->centre) - a->radius - b->radius - reach_of(query, pair);
}

// ---- distances (paper 001, Table I) --------------------------------------------------------------------------

// The static check of a pair; the gap that comes back is without padding, less what it can be nearer.
static double check_bodies(SegmentQuery* query, const ScenePair* pair, const PairRequest* wanted,
                           BerthTreeAnswer* answer) {
    bi_check_pair(query->motion->checker, pair, wanted, answer);
    counters_add(&query->stats->counters, &answer->counters);
    if (answer->verdict == BERTH_UNKNOWN && answer->reason == BERTH_REASON_BUDGET) {
        bi_motion_query_note_close(query, 0.0, 1.0, pair);
        query->full = true;
    }
    return answer->lower + pair->padding;
}

// Too close around t, so far that no gap changes by more than delta; from now on only a witness is looked for.
static void note_hopeless(SegmentQuery* query, int32_t index, double t) {
    const double delta = query->motion->delta;
    const double speed = bi_motion_bound_pair_rates(query->motion, index, 0.0).speed;
    const double around = speed > delta ? 0.5 * delta / speed : 0.5;
    bi_motion_query_note_close(query, fmax(0.0, t - around), fmin(1.0, t + around), scene_pair(query, index));
    query->hopeless = true;
    query->band_left = -1;  // that was about gaps less tracking error
}

void bi_motion_query_note_near(SegmentQuery* query, int32_t index, double t, double upper) {
    const BerthMotionChecker* motion = query->motion;
    const double error = bi_motion_bound_pair_rates(motion, index, 0.0).error;
    const double least = bi_motion_margin(motion, scene_pair(query, index)) + error;
    if (bi_motion_query_may_give_up(query) && upper <= least) {
        note_hopeless(query, index, t);
    } else {
        bi_motion_query_note_in_band(query);
    }
}

// The padded gap at the placed configuration from above, where it may be so small that tracking error leaves no hope.
static double upper_gap(SegmentQuery* query, int32_t index) {
    if (!bi_motion_query_may_give_up(query)) {
        return (double)INFINITY;
    }
    const ScenePair* pair = scene_pair(query, index);
    const double least =
        bi_motion_margin(query->motion, pair) + bi_motion_bound_pair_rates(query->motion, index, 0.0).error;
    const PairRequest wanted = {.max_d = least, .enough = least};
    BerthTreeAnswer answer;
    check_bodies(query, pair, &wanted, &answer);
    return answer.upper;
}

bool bi_entry_test_hit(SegmentQuery* query, int32_t index, double t) {
    const ScenePair* pair = scene_pair(query, index);
    const PairRequest wanted = {.max_d = bi_motion_margin(query->motion, pair)};
    BerthTreeAnswer answer;
    check_bodies(query, pair, &wanted, &answer);
    if (answer.verdict == BERTH_COLLISION) {
        bi_motion_query_note_collision(query, t, pair, answer.meeting);
    }
    return answer.verdict == BERTH_COLLISION;
}

// GREEDY-DIST over all parts: more than `limit`, or 0. Containment is looked at with the first configuration only.
static double greedy_gap(SegmentQuery* query, const ScenePair* pair, double limit, bool contained) {
    BerthChecker* checker = query->motion->checker;
    const BerthScene* scene = checker->scene;
    const SceneBody* a = &scene->bodies[pair->body_a];
    const SceneBody* b = &scene->bodies[pair->body_b];
    const double slack =
        BI_DISTANCE_SLACK * (checker->bodies[pair->body_a].size + checker->bodies[pair->body_b].size);

    const double reach = reach_of(query, pair);
    const double raw_limit = limit + reach;
    double least = (double)INFINITY;
    for (int32_t k = 0; k < a->part_count * b->part_count && least > 0.0; ++k) {
        const int32_t i = a->first_part + k / b->part_count;
        const int32_t j = b->first_part + k % b->part_count;
        const Pose a_from_b = pose_between(&checker->world_from_part[i], &checker->world_from_part[j]);
        const BerthSolid* solid_a = scene->parts[i].solid;
        const BerthSolid* solid_b = scene->parts[j].solid;

        const RssTree* tree_a = solid_rss(solid_a);
        const RssTree* tree_b = solid_rss(solid_b);
        const bool surfaces = !contained && tree_a != NULL && tree_b != NULL;
        BerthCounters* counters = &query->stats->counters;
        const double gap = surfaces ? bi_rss_greedy_distance(tree_a, tree_b, &a_from_b, raw_limit, slack,
                                                             checker->query->node_budget, counters)
                                    : bi_solid_greedy_distance(checker->query, solid_a, solid_b, &a_from_b,
                                                               raw_limit, slack, counters);

        least = gap < least ? gap : least;
    }
    return least - reach;
}

// As much as the proof needs: balls, then whether the bodies are further apart than `target`, and a distance if they are not;
// where they cannot be that far apart, only whether they touch.
static double gap_as_needed(SegmentQuery* query, const ScenePair* pair, double target, double limit,
                            BerthTreeAnswer* answer) {
    const double apart = balls_apart(query, pair);
    answer->verdict = BERTH_UNKNOWN;
    if (apart > target) {
        return apart;
    }

    // Far enough, or only whether they touch?
    const CheckBody* bodies = query->motion->checker->bodies;
    const double centres = v3_distance(bodies[pair->body_a].centre, bodies[pair->body_b].centre);
    // A body within a hole of another has its centre there too: without a delta its gap must be known at last.
    const bool is_short = query->motion->delta == 0.0 && target <= query->motion->local_from;
    // Where the next step is as long as the gap, a mere "apart" would be a step of delta.
    const bool steps_by_gap = query->motion->cover != BERTH_COVER_BISECT && query->hit_t > 1.0;
    const bool hopeless = target > HOPELESS_SHARE * centres && !is_short && !steps_by_gap;
    const double max_d = target - pair->padding;
    const PairRequest yes_or_no = {.max_d = hopeless ? limit - pair->padding : max_d,
                                   .enough = hopeless ? 0.0 : max_d};
    const double gap = check_bodies(query, pair, &yes_or_no, answer);
    if (hopeless || gap > target || answer->verdict == BERTH_COLLISION) {
        return gap > apart ? gap : apart;
    }

    const PairRequest wanted = {.max_d = max_d, .tolerance = LOOSE, .distance = true};
    return check_bodies(query, pair, &wanted, answer);
}

static double measure_gap(SegmentQuery* query, const ScenePair* pair, double target, double limit, double t,
                          BerthTreeAnswer* answer) {
    const BerthMotionChecker* motion = query->motion;
    PairRequest wanted;
    switch (motion->distance) {
    case BERTH_DISTANCE_GREEDY:
        answer->verdict = BERTH_UNKNOWN;
        return greedy_gap(query, pair, limit, t == 0.0);
    case BERTH_DISTANCE_EXACT:
        wanted = (PairRequest){.max_d = (double)INFINITY, .distance = true};
        break;
    case BERTH_DISTANCE_APPROXIMATE:
        // Within a share e of the gap: lower >= (1 - e) gap.
        wanted = (PairRequest){.max_d = (double)INFINITY,
                               .tolerance = motion->distance_error / (1.0 - motion->distance_error),
                               .distance = true};
        break;
    default:
        return gap_as_needed(query, pair, target, limit, answer);
    }
    return check_bodies(query, pair, &wanted, answer);
}

// A lower bound of the gap at the placed configuration: above `needed` + delta, or all there is. More than `target` is of no
// use. *hit: a witness was found and noted.
static double lower_gap_at(SegmentQuery* query, int32_t index, double needed, double target, double t,
                           bool* hit) {
    const ScenePair* pair = scene_pair(query, index);
    const double limit = needed + query->motion->delta;
    BerthTreeAnswer answer;
    query->stats->pair_tests += 1;

    double gap = measure_gap(query, pair, target > limit ? target : limit, limit, t, &answer);
    if (!(gap > limit) && answer.verdict != BERTH_COLLISION) {
        const PairRequest sharp = {.max_d = limit - pair->padding};
        const double better = check_bodies(query, pair, &sharp, &answer);
        gap = better > gap ? better : gap;
    }

    *hit = answer.verdict == BERTH_COLLISION;
    if (*hit) {
        bi_motion_query_note_collision(query, t, pair, answer.meeting);
    } else if (!(gap > limit)) {
        bi_motion_query_note_near(query, index, t, upper_gap(query, index));
    }

    // No two bodies are nearer than that.
    const double least = -reach_of(query, pair);
    return !*hit && gap > least ? gap : least;
}

// ---- the start of a segment ----------------------------------------------------------------------------------

bool bi_pair_prove_by_balls(SegmentQuery* query, int32_t index, double travel, double needed) {
    const double left = balls_apart(query, scene_pair(query, index)) - travel - needed;
    if (!(left > 0.0)) {
        return false;
    }
    lower_clearance(query, index, left);
    return true;
}

// Bounds by the sums along both chains: cheaper than bi_motion_bound_pair_rates, and enough for pairs that are far apart.
static bool prove_by_balls_and_chain_sums(SegmentQuery* query, int32_t index, Span span) {
    const BerthMotionChecker* motion = query->motion;
    const MotionPair* ends = &motion->pairs[index];
    const ScenePair* pair = scene_pair(query, index);
    if (ends->endless) {
        return false;
    }
    double speed = bi_motion_reach_rate(motion, query->segment, pair);
    for (int side = 0; side < 2; ++side) {
        const MotionBody* body = &motion->bodies[side == 0 ? pair->body_a : pair->body_b];
        const ChainSum* rows = motion->chains + body->first_chain;
        const ChainSum* high = &rows[body->chain_count - 1];
        speed += (high->speed - rows[side == 0 ? ends->row_a : ends->row_b].speed) + 0x1p-40 * high->speed;
    }
    return bi_pair_prove_by_balls(query, index, span.half * speed * MOTION_GROWN,
                                  needed_of(query, pair, bi_motion_pair_tracking_error(motion, ends)));
}

// An entry for the pair; for the refined method, one for each pair of parts at the roots of their trees.
static void list_pair(SegmentQuery* query, EntryHeap* list, const QueueEntry* entry) {
    const BerthScene* scene = query->motion->scene;
    const ScenePair* pair = scene_pair(query, entry->pair);
    const SceneBody* a = &scene->bodies[pair->body_a];
    const SceneBody* b = &scene->bodies[pair->body_b];
    const int32_t count = is_refined(query) ? a->part_count * b->part_count : 1;

    for (int32_t k = 0; k < count && !query->full; ++k) {
        QueueEntry one = *entry;
        one.part_a = a->first_part + k / b->part_count;
        one.part_b = b->first_part + k % b->part_count;
        MotionQueue* queue = query->queue;
        if (!bi_heap_push(&queue->pool, list, &one)) {
            const bool room = queue->make_room != NULL && queue->make_room(queue->user, query);
            query->full = !room || !bi_heap_push(&queue->pool, list, &one);
        }
        if (query->full) {
            note_entry_close(query, entry);
        }
    }
}

// Every pair that balls do not part on the whole segment, nearest first; its key is what it needs.
static void list_pairs(SegmentQuery* query, EntryHeap* list) {
    const BerthMotionChecker* motion = query->motion;
    for (int32_t i = 0; i < motion->pair_count && !query->full; ++i) {
        if (bi_motion_query_skip_proven(query, i) || prove_by_balls_and_chain_sums(query, i, whole)) {
            continue;
        }
        const PairNeed need = bi_pair_need(query, i, whole);
        if (!bi_pair_prove_by_balls(query, i, 0.5 * need.lambda, need.needed)) {
            const QueueEntry entry = {.high = 1.0,
                                      .gap_low = need.needed,
                                      .gap_high = need.lambda,
                                      .key = -balls_apart(query, scene_pair(query, i)),
                                      .pair = i};
            list_pair(query, list, &entry);
        }
    }
}

// The gap of an entry at one end of the segment.
static double lower_gap_at_end(SegmentQuery* query, const QueueEntry* entry, double needed, double lambda,
                               Span end, bool* hit) {
    if (is_refined(query)) {
        return bi_refined_measure_gap(query, entry, end, needed, hit);
    }
    return lower_gap_at(query, entry->pair, needed, 0.5 * lambda + needed, end.middle, hit);
}

static bool is_over(const SegmentQuery* query) {
    return query->full || query->hit_t <= 0.0 || (query->hit_t <= 1.0 && !query->request->first_contact);
}

// One end for every entry of a list. What an entry needs, and lambda, are carried where gaps will stand.
static void test_entries_at_end(SegmentQuery* query, EntryHeap* from, EntryHeap* to, Span end) {
    EntryPool* pool = &query->queue->pool;
    QueueEntry entry;

    while (!is_over(query) && bi_heap_pop(pool, from, &entry)) {
        bool hit = false;
        const double needed = entry.gap_low;
        const double lambda = entry.gap_high;
        const double gap = lower_gap_at_end(query, &entry, needed, lambda, end, &hit);

        if (end.middle == 0.0) {
            entry.key = gap;  // waits there for the other end
            (void)bi_heap_push(pool, to, &entry);
        } else {
            entry.gap_low = entry.key;
            entry.gap_high = gap;
            bi_entry_push(query, entry, lambda, needed);
        }
    }
}

static BerthStatus start_second_order(SegmentQuery* query) {
    PlacedCache* placed = &query->queue->placed;
    bi_placed_cache_leave(placed, query->motion);
    BerthVerdict verdict;
    BerthStatus status = bi_motion_query_check_state(query, 0.0, &verdict);
    if (status == BERTH_OK && query->hit_t > 1.0) {
        status = bi_motion_query_check_state(query, 1.0, &verdict);
    }
    bi_placed_cache_enter(placed, query->motion);
    for (int32_t i = 0; status == BERTH_OK && !is_over(query) && i < query->motion->pair_count; ++i) {
        const QueueEntry entry = {.high = 1.0, .key = (double)INFINITY, .pair = i};
        if (!bi_motion_query_skip_proven(query, i)) {
            push_entry(query, &entry);
        }
    }
    return status;
}

// Constant pairs that touch do so anywhere, so at the first end.
static void note_constant_hits(SegmentQuery* query) {
    const BerthChecker* checker = query->motion->checker;
    for (int32_t i = 0; i < checker->constant_count; ++i) {
        const CheckConstant* constant = &checker->constants[i];
        const ScenePair* pair = &checker->scene->pairs[constant->pair];
        if (constant->answer.verdict == BERTH_COLLISION) {
            const int32_t frame = checker->scene->bodies[pair->body_a].frame;
            const Vec3 point = constant->answer.meeting;
            bi_motion_query_note_collision(
                query, 0.0, pair, frame < 0 ? point : pose_apply(&checker->world_from_frame[frame], point));
        }
    }
}

BerthStatus bi_queue_start(SegmentQuery* query) {
    EntryPool* pool = &query->queue->pool;
    query->heap = (EntryHeap){-1, 0};
    bi_motion_query_check_constants(query);
    bi_motion_find_within(query->motion, query->segment);
    if (is_second_order(query)) {
        return start_second_order(query);
    }

    if (!bi_queue_place(query, last_end) || !bi_queue_place(query, first_end)) {
        query->out->reason = BERTH_REASON_NUMERIC;
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    note_constant_hits(query);
    if (query->hit_t <= 1.0 || !bi_queue_place(query, whole)) {
        return BERTH_OK;
    }

    // Both ends for every pair that balls leave, nearest first.
    EntryHeap near = {-1, 0};
    EntryHeap waiting = {-1, 0};
    list_pairs(query, &near);
    if (near.count > 0 && bi_queue_place(query, first_end)) {
        test_entries_at_end(query, &near, &waiting, first_end);
    }
    if (waiting.count > 0 && bi_queue_place(query, last_end)) {
        test_entries_at_end(query, &waiting, &query->heap, last_end);
    }

    bi_heap_clear(pool, &near);
    bi_heap_clear(pool, &waiting);
    return BERTH_OK;
}

// ---- one entry -----------------------------------------------------------------------------------------------

// A configuration at t within an entry: both sides of it, or what decides the whole of it. What hits there is wanted only
// before it.
static void split_entry_at(SegmentQuery* query, const QueueEntry* entry, double t, Span span, PairNeed need) {
    const double least = entry->gap_low < entry->gap_high ? entry->gap_low : entry->gap_high;
    const double width = entry->high - entry->low;
    bool hit = false;

    const double gap =
        lower_gap_at(query, entry->pair, need.needed, 0.5 * need.lambda + 2.0 * need.needed - least, t, &hit);
    if (is_over(query)) {
        return;
    }

    QueueEntry left = *entry;
    QueueEntry right = *entry;
    left.high = right.low = t;
    left.gap_high = right.gap_low = gap;

    const double lambda_left = need.lambda * ((t - entry->low) / width) * MOTION_GROWN;
    const double lambda_right = need.lambda * ((entry->high - t) / width) * MOTION_GROWN;
    const bool left_free = bi_entry_prove_covered(query, &left, lambda_left, need.needed);
    const bool right_free = hit || bi_entry_prove_covered(query, &right, lambda_right, need.needed);
    if (left_free && right_free) {
        return;
    }

    // On an interval this short a witness, or the local method, settles it.
    if (hit && is_tight(query, entry, need.lambda, need.slack)) {
        note_entry_close(query, &left);
        return;
    }
    if (!hit && bi_entry_decide_locally(query, entry, span, need.lambda, need.slack)) {
        return;
    }

    if (!left_free) {
        bi_entry_push(query, left, lambda_left, need.needed);
    }
    if (!right_free) {
        bi_entry_push(query, right, lambda_right, need.needed);
    }
}

/// What both ends of an entry cover alone.
typedef struct Fronts {
    double low, high;  // times where that stops
    double speed;
} Fronts;

// How far into the entry the gap at one end reaches alone, at most to its middle. No further than is proven.
static double front_step(double gap, double width, double speed, double needed) {
    const double room = FRONT_SHARE * (gap - needed) / speed;
    const double step = room > 0.5 * width ? 0.5 * width : room;
    return gap - step * speed * MOTION_GROWN > needed ? step : 0.0;
}

static Fronts fronts_of(const QueueEntry* entry, PairNeed need) {
    const double width = entry->high - entry->low;
    Fronts out = {entry->low, entry->high, need.lambda / width * MOTION_GROWN};
    out.low += front_step(entry->gap_low, width, out.speed, need.needed);
    out.high -= front_step(entry->gap_high, width, out.speed, need.needed);
    return out;
}

// Figure 3 c: both configurations where an end's own cover stops; only what is between them is left.
static void cover_fronts(SegmentQuery* query, const QueueEntry* entry, const Fronts* fronts, PairNeed need) {
    const double needed = need.needed;
    const double target = needed + 0.5 * need.lambda;
    QueueEntry rest = *entry;
    bool hit = false;

    // What the ends cover alone is proven.
    lower_clearance(query, entry->pair, entry->gap_low - (fronts->low - entry->low) * fronts->speed - needed);
    lower_clearance(query, entry->pair,
                    entry->gap_high - (entry->high - fronts->high) * fronts->speed - needed);
    rest.low = fronts->low;
    rest.high = fronts->high;

    if (bi_queue_place(query, (Span){rest.low, 0.0})) {
        rest.gap_low = lower_gap_at(query, entry->pair, needed, target, rest.low, &hit);
    }
    if (!is_over(query) && bi_queue_place(query, (Span){rest.high, 0.0})) {
        rest.gap_high = lower_gap_at(query, entry->pair, needed, target, rest.high, &hit);
    }

    if (!is_over(query)) {
        const double lambda = fronts->speed * (rest.high - rest.low) * MOTION_GROWN;
        bi_entry_push(query, rest, lambda, needed);
    }
}

static void step_adaptive(SegmentQuery* query, const QueueEntry* entry, Span span) {
    const PairNeed need = bi_pair_need(query, entry->pair, span);
    if (bi_pair_prove_by_balls(query, entry->pair, 0.5 * need.lambda, need.needed) ||
        bi_entry_prove_covered(query, entry, need.lambda, need.needed) ||
        bi_entry_give_up(query, entry, need.needed)) {
        return;
    }

    const BerthCover cover = query->motion->cover;
    const Fronts fronts = fronts_of(entry, need);
    // Where the ends cover next to nothing, and where the earliest contact is wanted, halves do: so that every step leaves less.
    const double left = fronts.high - fronts.low;
    const bool real = left > 0.0 && left <= FRONT_PROGRESS * (entry->high - entry->low);
    if (cover == BERTH_COVER_BISECT || !real || query->request->first_contact) {
        split_entry_at(query, entry, span.middle, span, need);
    } else if (cover == BERTH_COVER_FRONTS) {
        cover_fronts(query, entry, &fronts, need);
    } else {
        const double t = 0.5 * (fronts.low + fronts.high);
        if (bi_queue_place(query, (Span){t, 0.0})) {
            split_entry_at(query, entry, t, span, need);
        }
    }
}

static void step_second_order(SegmentQuery* query, const QueueEntry* entry, Span span) {
    BerthMotionChecker* motion = query->motion;
    PairProof proof = {.clearance = &query->clearances[scene_pair(query, entry->pair)->self],
                       .stats = query->stats,
                       .commanded = query->hopeless,
                       .may_give_up = bi_motion_query_may_give_up(query)};
    const PairState state = bi_motion_prove_pair(motion, entry->pair, span, &proof);
    if (proof.hopeless) {
        note_hopeless(query, entry->pair, span.middle);
    }
    if (proof.spent) {
        note_entry_close(query, entry);
        query->full = true;
        return;
    }

    switch (state) {
    case PAIR_FREE:
        return;
    case PAIR_COLLISION:
        bi_motion_query_note_collision(query, proof.t, scene_pair(query, entry->pair), proof.hit.meeting);
        return;
    case PAIR_CLOSE:
        note_entry_close(query, entry);
        return;
    default:
        break;
    }

    if (!(span.half > HALF_LEAST)) {
        note_entry_close(query, entry);
        return;
    }

    // Both halves go on.
    const PairNeed need = bi_pair_need(query, entry->pair, span);
    const double apart = balls_apart(query, scene_pair(query, entry->pair));
    QueueEntry half = *entry;
    for (int k = 0; k < 2; ++k) {
        half.low = k == 0 ? entry->low : span.middle;
        half.high = k == 0 ? span.middle : entry->high;
        half.gap_low = half.gap_high = apart;  // only for its key: second order proves at middles
        half.key = key_of(query, &half, 0.5 * need.lambda, need.needed);
        push_entry(query, &half);
    }
}

void bi_queue_step(SegmentQuery* query) {
    QueueEntry entry;
    if (query->intervals_left <= 0 || bi_motion_query_cancelled(query)) {
        query->full = true;  // with all entries in place: it can go on
        if (query->heap.top >= 0) {
            note_entry_close(query, &query->queue->pool.entries[query->heap.top]);
        }
        return;
    }

    if (!bi_heap_pop(&query->queue->pool, &query->heap, &entry) || entry.low >= query->hit_t) {
        return;  // nothing left, or a witness stands before it
    }

    query->intervals_left -= 1;
    query->steps += 1;
    query->stats->intervals += 1;

    Span span = {0.5 * (entry.low + entry.high), 0.5 * (entry.high - entry.low)};
    if (query->motion->method == BERTH_METHOD_ADAPTIVE && query->motion->cover != BERTH_COVER_BISECT) {
        span.half = (span.half + 0x1p-52) * MOTION_GROWN;  // real numbers: the middle is rounded
    }

    if (!bi_queue_place(query, span)) {
        note_entry_close(query, &entry);
        return;
    }
    if (is_refined(query)) {
        bi_refined_step(query, &entry, span);
    } else if (is_second_order(query)) {
        step_second_order(query, &entry, span);
    } else {
        step_adaptive(query, &entry, span);
    }

    if (query->full && query->out->body_a < 0) {
        note_entry_close(query, &entry);
    }
}

BerthStatus bi_queue_run(SegmentQuery* query) {
    MotionQueue* queue = query->queue;
    bi_placed_cache_enter(&queue->placed, query->motion);
    query->serial = ++queue->serials;
    const BerthStatus status = bi_queue_start(query);
    while (status == BERTH_OK && query->heap.count > 0 && !is_over(query)) {
        bi_queue_step(query);
    }
    bi_heap_clear(&queue->pool, &query->heap);
    bi_placed_cache_leave(&queue->placed, query->motion);
    return status;
}
