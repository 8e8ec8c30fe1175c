// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The second half of a cycle: which pairs have boxes that touch? Each is reported once. There are two ways to
// the same answer: by lists of mates that are kept from cycle to cycle, sixteen boxes at a time; or leaf by
// leaf, where the lists would be too long or a def requests a plainer way.
// Entry: berth_index_pairs.

#include <string.h>

#include "index/index.h"
#include "math/math.h"

typedef struct PairSearch {
    BerthIndex* index;
    BerthIndexPair* out;
    int32_t capacity, count;
    const IndexBody* mover;
    int32_t mover_body;
    const uint64_t* allowed;
} PairSearch;

// A box with NaN (coordinates that overflow) is apart from nothing.
static bool boxes_touch(const IndexBody* a, const IndexBody* b) {
    for (int axis = 0; axis < INDEX_AXES; ++axis) {
        if (a->box.low[axis] > b->box.high[axis] || b->box.low[axis] > a->box.high[axis]) {
            return false;
        }
    }
    return true;
}

static void report_pair(PairSearch* pairs, int32_t at) {
    if ((pairs->allowed[at / 64] >> (at % 64) & 1) != 0) {
        return;
    }

    if (pairs->count < pairs->capacity) {
        const bool first = pairs->mover_body < at;
        pairs->out[pairs->count] =
            (BerthIndexPair){first ? pairs->mover_body : at, first ? at : pairs->mover_body};
    }
    pairs->count += 1;
}

// ---- leaf by leaf ----------------------------------------------------------------------------------------

// A pair of two movers is reported by the one with the smaller number.
static void test_body(PairSearch* pairs, int32_t at) {
    BerthIndex* index = pairs->index;
    IndexBody* other = &index->bodies[at];
    if (at == pairs->mover_body || (other->mover != INDEX_NONE && at < pairs->mover_body)) {
        return;
    }

    if ((index->def.less & BERTH_LESS_STAMPS) == 0) {
        if (other->seen == index->stamp) {
            return;
        }
        other->seen = index->stamp;
    }

    index->pair_tests += 1;
    if ((index->def.less & BERTH_LESS_BOXES) != 0 || boxes_touch(pairs->mover, other)) {
        report_pair(pairs, at);
    }
}

static void test_all_bodies(PairSearch* pairs) {
    for (int32_t i = 0; i < pairs->index->body_count; ++i) {
        if (pairs->index->bodies[i].shown) {
            test_body(pairs, i);
        }
    }
}

static void test_leaf_mates(PairSearch* pairs) {
    BerthIndex* index = pairs->index;
    for (int32_t p = pairs->mover->first; p != INDEX_NONE; p = index->entries[p].body_next) {
        const IndexNode* leaf = &index->nodes[index->entries[p].leaf];
        for (int32_t q = leaf->first; q != INDEX_NONE; q = index->entries[q].leaf_next) {
            test_body(pairs, index->entries[q].body);
        }
    }

    for (int32_t i = 0; i < index->outside_count; ++i) {
        test_body(pairs, index->outside[i]);
    }
}

// ---- by mates --------------------------------------------------------------------------------------------

// Movers are compared with each other without a tree while they are few.
enum { MOVERS_FEW = 256 };

static bool mates_are_kept(const BerthIndex* index) {
    const bool by_leaves = index->def.kind == BERTH_INDEX_OCTREE || index->def.kind == BERTH_INDEX_GRID;
    return by_leaves && !index->def.exact_nodes && index->def.less == 0 && index->mover_count <= MOVERS_FEW;
}

static void find_mates(BerthIndex* index, const IndexBody* mover, IndexMates* mates) {
    mates->standing = index->standing;
    mates->count = 0;

    for (int32_t p = mover->first; p != INDEX_NONE; p = index->entries[p].body_next) {
        const IndexNode* leaf = &index->nodes[index->entries[p].leaf];
        for (int32_t q = leaf->first; q != INDEX_NONE; q = index->entries[q].leaf_next) {
            IndexBody* other = &index->bodies[index->entries[q].body];
            if (other->mover != INDEX_NONE || other->seen == index->stamp) {
                continue;
            }
            other->seen = index->stamp;
            if (mates->count == INDEX_MATES_MOST) {
                mates->count = INDEX_NONE;
                return;
            }

            mates->bodies[mates->count] = index->entries[q].body;
            set_lane(mates->blocks, mates->count, &other->box);
            mates->count += 1;
        }
    }
}

// Bit i, of the first `count` lanes: it touches the box. Written so that compilers make vectors of it; what is no number
// is apart from nothing here too.
static uint32_t touching_lanes(const BoxBlock* block, int32_t count, const IndexBox* box) {
    int32_t apart[INDEX_LANES];
    for (int i = 0; i < INDEX_LANES; ++i) {
        apart[i] = (block->low[0][i] > box->high[0]) | (box->low[0] > block->high[0][i]) |
                   (block->low[1][i] > box->high[1]) | (box->low[1] > block->high[1][i]) |
                   (block->low[2][i] > box->high[2]) | (box->low[2] > block->high[2][i]);
    }

    uint32_t bits = 0;
    for (int i = 0; i < INDEX_LANES; ++i) {
        bits |= (uint32_t)apart[i] << i;
    }

    const uint32_t used = count < INDEX_LANES ? ((uint32_t)1 << count) - 1 : ((uint32_t)1 << INDEX_LANES) - 1;
    return ~bits & used;
}

static void test_kept_mates(PairSearch* pairs, const IndexMates* mates) {
    BerthIndex* index = pairs->index;
    const IndexBox* box = &pairs->mover->box;

    // Bodies that stand.
    for (int32_t first = 0; first < mates->count; first += INDEX_LANES) {
        uint32_t bits = touching_lanes(&mates->blocks[first / INDEX_LANES], mates->count - first, box);
        for (; bits != 0; bits &= bits - 1) {
            report_pair(pairs, mates->bodies[first + __builtin_ctz(bits)]);
        }
    }
    index->pair_tests += mates->count;

    // Movers, each pair from the side of the smaller number.
    for (int32_t first = 0; first < index->mover_count; first += INDEX_LANES) {
        uint32_t bits =
            touching_lanes(&index->mover_blocks[first / INDEX_LANES], index->mover_count - first, box);
        for (; bits != 0; bits &= bits - 1) {
            const int32_t at = index->movers[first + __builtin_ctz(bits)];
            if (at > pairs->mover_body && index->bodies[at].shown) {
                report_pair(pairs, at);
            }
        }
    }
    index->pair_tests += index->mover_count;

    // Standing bodies on the outside list; its movers were compared above.
    for (int32_t i = 0; i < index->outside_count; ++i) {
        const IndexBody* other = &index->bodies[index->outside[i]];
        if (other->mover == INDEX_NONE) {
            index->pair_tests += 1;
            if (boxes_touch(pairs->mover, other)) {
                report_pair(pairs, index->outside[i]);
            }
        }
    }
}

static void test_near_bodies(PairSearch* pairs, int32_t mover, bool keeps_mates) {
    BerthIndex* index = pairs->index;
    IndexMates* mates = &index->mates[mover];
    if (keeps_mates && mates->standing != index->standing) {
        find_mates(index, pairs->mover, mates);
    }
    if (keeps_mates && mates->count != INDEX_NONE) {
        test_kept_mates(pairs, mates);
        return;
    }

    index->stamp += 1;  // find_mates has used this one
    test_leaf_mates(pairs);
}

bool bi_index_mates_are_current(const BerthIndex* index) {
    for (int32_t m = 0; m < index->mover_count; ++m) {
        const IndexMates* mates = &index->mates[m];
        const int32_t count = mates->standing == index->standing ? mates->count : 0;
        for (int32_t i = 0; i < count; ++i) {
            const BoxBlock* block = &mates->blocks[i / INDEX_LANES];
            const int32_t at = mates->bodies[i];

            bool same = at >= 0 && at < index->body_count;
            for (int axis = 0; axis < INDEX_AXES && same; ++axis) {
                const IndexBox* box = &index->bodies[at].box;
                same = block->low[axis][i % INDEX_LANES] == box->low[axis] &&
                       block->high[axis][i % INDEX_LANES] == box->high[axis];
            }
            if (!same) {
                return false;
            }
        }
    }

    return true;
}

int32_t berth_index_pairs(BerthIndex* index, BerthIndexPair* out, int32_t capacity) {
    PairSearch pairs = {.index = index, .out = out, .capacity = capacity};
    const bool keeps_mates = mates_are_kept(index);

    for (int32_t m = 0; m < index->mover_count; ++m) {
        if (index->movers[m] == INDEX_NONE || !index->bodies[index->movers[m]].shown) {
            continue;
        }

        pairs.mover_body = index->movers[m];
        pairs.mover = &index->bodies[pairs.mover_body];
        pairs.allowed = index->allowed + (size_t)m * (size_t)index->row_words;

        index->stamp += 1;
        if (pairs.mover->outside != INDEX_NONE) {
            test_all_bodies(&pairs);
        } else {
            test_near_bodies(&pairs, m, keeps_mates);
        }
    }
    return pairs.count;
}
