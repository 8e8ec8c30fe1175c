// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Queues of paper 001 (section II): what is left to prove about a segment, most likely collision first.
// Entries live in one pool for many segments, each segment has a heap of them; placed configurations are kept
// by segment and time; the refined method remembers gaps of volumes. All memory is taken at creation.

#ifndef BI_MOTION_QUEUE_H
#define BI_MOTION_QUEUE_H

#include "motion/motion.h"

/// One pair (REFINED: one pair of volumes of it) between two times at which its gap has lower bounds.
typedef struct QueueEntry {
    double low, high;  ///< dyadic numbers when the cover is BISECT
    /// Of the bodies without padding, at both times; less what one of them can have come nearer on its own till then.
    double gap_low, gap_high;
    double key;              ///< largest first
    int32_t pair;            ///< motion pair
    int32_t part_a, part_b;  ///< REFINED: parts of the scene,
    int32_t node_a, node_b;  ///< and nodes of their RSS trees; 0 for a shape
    int32_t child, next;     ///< of the heap, -1: none
} QueueEntry;

typedef struct EntryPool {
    QueueEntry* entries;
    int32_t capacity;
    int32_t fresh;  ///< entries from here on were never used
    int32_t free;   ///< first of those given back, by `next`; -1: none
    int32_t used, used_most;
} EntryPool;

// Pairing heaps: many of them share a pool, and none needs room of its own.
void bi_pool_reset(EntryPool* pool);
/// False when the pool is full.
bool bi_heap_push(EntryPool* pool, EntryHeap* heap, const QueueEntry* entry);
/// False when the heap is empty.
bool bi_heap_pop(EntryPool* pool, EntryHeap* heap, QueueEntry* out);
/// Gives all entries back.
void bi_heap_clear(EntryPool* pool, EntryHeap* heap);

/// Everything that bi_motion_rates and bi_motion_place write. It is swapped as a whole.
typedef struct PlacedState {
    double* values;
    Pose* world_from_frame;
    Pose* world_from_part;
    CheckMoved* moved;
    CheckBody* bodies;
    FrameRate* rates;
    Twist* twists;
    ChainSum* chains;
    double* levers;
    double elapsed;
    bool has_values;
} PlacedState;

typedef struct PlacedSlot {
    PlacedState state;
    uint64_t serial;  ///< of the segment; 0: nothing is in it
    Span span;
    uint64_t used;  ///< when it was last used
} PlacedSlot;

/// Forward kinematics by segment and time: sets of four slots, the one not used for longest gives way.
enum { PLACED_WAYS = 4 };
typedef struct PlacedCache {
    PlacedSlot* slots;
    int32_t slot_count;
    void* block;  ///< of all slots' arrays
    size_t block_bytes;
    PlacedState home;  ///< the motion's own arrays, while a slot's are in their place
    bool away;
    const PlacedSlot* current;
    uint64_t clock;
} PlacedCache;

/// A gap of two volumes at a time of a segment.
typedef struct MemoRecord {
    uint64_t serial;  ///< 0: nothing
    double time, gap;
    int32_t part_a, part_b, node_a, node_b;
    int32_t internal;  ///< the volumes are near: what is known is the least over their children
} MemoRecord;

enum { MEMO_WAYS = 4 };
typedef struct GapMemo {
    MemoRecord* records;
    int32_t count;  ///< a power of two
    uint32_t clock;
} GapMemo;

struct MotionQueue {
    BerthAllocator allocator;
    EntryPool pool;
    PlacedCache placed;
    GapMemo memo;
    uint64_t serials;  ///< given so far
    /// Called when the pool is full: true when it has room now. Null: nothing is called.
    bool (*make_room)(void* user, const SegmentQuery* query);
    void* user;
};

/// `byte_limit` 0: as much as a single segment may need. Else all is taken, and must be at least bi_queue_least_bytes.
BerthStatus bi_queue_create(const BerthMotionChecker* motion, const BerthAllocator* allocator,
                            size_t byte_limit, MotionQueue** out);
size_t bi_queue_least_bytes(const BerthMotionChecker* motion);
void bi_queue_destroy(MotionQueue* queue);
size_t bi_queue_bytes(const MotionQueue* queue);

/// Between these two the motion's arrays are those of some slot.
void bi_placed_cache_enter(PlacedCache* cache, const BerthMotionChecker* motion);
void bi_placed_cache_leave(PlacedCache* cache, BerthMotionChecker* motion);
/// The configuration in the middle of the span, with bounds on it. False when a value is no good: the query is over then.
bool bi_queue_place(SegmentQuery* query, Span span);

/// Ends first: places them, leaves out what balls part on the whole segment, and queues the rest. An error when an end is no
/// state at all.
BerthStatus bi_queue_start(SegmentQuery* query);
/// Takes one entry and proves it, or queues its parts. Does nothing when the heap is empty.
void bi_queue_step(SegmentQuery* query);
/// Starts, and steps until there is an answer.
BerthStatus bi_queue_run(SegmentQuery* query);

/// What must be left of a pair's gap: margin, padding, tracking error and slack; and what it can change on an interval.
typedef struct PairNeed {
    double needed;
    double lambda;  ///< between any two times of the interval
    double slack;   ///< in `needed`: what doubles lose
} PairNeed;
/// For the span that is placed.
PairNeed bi_pair_need(const SegmentQuery* query, int32_t pair, Span span);
/// Lemma 1 with both ends (errata 2.1): true when the entry is free; the clearance is then lowered.
bool bi_entry_prove_covered(SegmentQuery* query, const QueueEntry* entry, double lambda, double needed);
/// Do balls around the bodies part them while no gap changes by more than `travel` from the placed configuration?
bool bi_pair_prove_by_balls(SegmentQuery* query, int32_t pair, double travel, double needed);
/// Queues what is not covered.
void bi_entry_push(SegmentQuery* query, QueueEntry entry, double lambda, double needed);
/// True when the entry is so short that the local method was used, and that decided it: free, or too close and noted. The
/// pair does not touch at the middle of the span, which is placed again.
bool bi_entry_decide_locally(SegmentQuery* query, const QueueEntry* entry, Span span, double lambda,
                             double slack);
/// A gap within delta of what is needed was met: it need not be distinguished from a collision, and little work is spent on that.
void bi_motion_query_note_in_band(SegmentQuery* query);
/// The same of a pair at t, which is placed; `upper`: its padded gap is at most that. No more than margin and tracking error: the
/// motion is hopeless, and too close around t.
void bi_motion_query_note_near(SegmentQuery* query, int32_t index, double t, double upper);
/// True when such an entry is not worth looking at any more: it is noted as too close.
bool bi_entry_give_up(SegmentQuery* query, const QueueEntry* entry, double needed);

/// The static check of a pair at the placed configuration: COLLISION is noted.
bool bi_entry_test_hit(SegmentQuery* query, int32_t pair, double t);

/// REFINED: the gap of the entry's volumes at `at`, which is placed, from the memory or by
/// GREEDY-DIST2. *hit: a witness was found and noted.
double bi_refined_measure_gap(SegmentQuery* query, const QueueEntry* entry, Span at, double needed,
                              bool* hit);
/// REFINED: COLLISION-TEST of paper 001, Figure 16. The span is placed.
void bi_refined_step(SegmentQuery* query, const QueueEntry* entry, Span span);

#endif
