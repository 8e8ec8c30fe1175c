// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which leaves of two groups can meet at all while values are within limits: boxes of the joints between them
// are halved; in each, a pair of leaves that is further apart at the middle than the joints can move them is
// done. Pairs that meet at a middle, or are left when the work is spent, can meet.
// Entry: bi_lanes_make_meetings.

#include <string.h>

#include "lanes/lanes.h"

enum {
    JOINTS_MOST = 8,     // between two groups; more: all leaves can meet
    PAIRS_MOST = 65536,  // of leaves
    DEPTH_MOST = 24,     // of halved boxes
    WORK_MOST = 20000,   // pairs of leaves looked at, of one pair of groups,
    WORK_FEW = 400000,   // with few joints between them, where boxes get small soon
    JOINTS_FEW = 3
};

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "lanes: out of memory");
}

/// A value between two groups, and how far it can carry a leaf of one against one of the other.
typedef struct Between {
    int32_t value;
    double lever;
    double low, high;
} Between;

/// Two groups while their leaves are looked at.
typedef struct Meet {
    LanesBuild* build;
    const KernelPair* pair;
    int32_t shared;
    Between between[JOINTS_MOST];
    int32_t between_count;
    int32_t (*leaves)[2];  // pairs that are left, box by box on top of each other
    bool* meets;           // by pair of leaves
    int32_t first_a, first_b, count_a, count_b;
    Vec3 *at_a, *at_b;  // leaves in the frame that both share
    int64_t work, work_most;
} Meet;

// ---- where leaves are -----------------------------------------------------------------------------------------------

static Vec3 leaf_centre(const LanesBuild* build, int32_t leaf) {
    const float* at = build->leaves[leaf].centre;
    return v3((double)at[0], (double)at[1], (double)at[2]);
}

static double value_at(const Meet* meet, const double* middle, int32_t value) {
    for (int32_t k = 0; k < meet->between_count; ++k) {
        if (meet->between[k].value == value) {
            return middle[k];
        }
    }
    return 0.0;
}

// A group's leaves in the frame that both share: of a group that stands still, in the world.
static void place_side(const Meet* meet, int32_t group, const double* middle, int32_t first, int32_t count,
                       Vec3* at) {
    const LanesGroup* levers = &meet->build->lanes->groups[group];
    Pose pose = pose_identity();
    for (int32_t i = meet->shared; i < levers->lever_count; ++i) {
        const KernelFrame* frame = &meet->build->lane_frames[levers->levers[i].frame];
        const Pose step = bi_lanes_frame_pose(frame, value_at(meet, middle, frame->value));
        pose = pose_mul(&pose, &step);
    }
    for (int32_t k = 0; k < count; ++k) {
        at[k] = pose_apply(&pose, leaf_centre(meet->build, first + k));
    }
}

// ---- boxes of joints ------------------------------------------------------------------------------------------------

/// A box of values with the pairs of leaves that are left in it.
typedef struct JointBox {
    double middle[JOINTS_MOST], half[JOINTS_MOST];
    int32_t first, count, depth;
} JointBox;

// Pairs of a box that are not proven apart go to its end of the list; returns how many.
static int32_t look_at_box(Meet* meet, const JointBox* box) {
    double carried = 1e-5 + 128.0 * LANES_U * meet->build->lanes->reach;  // floats move places by far less
    for (int32_t k = 0; k < meet->between_count; ++k) {
        carried += meet->between[k].lever * box->half[k];
    }
    place_side(meet, meet->pair->group_a, box->middle, meet->first_a, meet->count_a, meet->at_a);
    place_side(meet, meet->pair->group_b, box->middle, meet->first_b, meet->count_b, meet->at_b);

    int32_t left = 0;
    int32_t(*next)[2] = meet->leaves + box->first + box->count;
    for (int32_t i = 0; i < box->count; ++i) {
        const int32_t a = meet->leaves[box->first + i][0], b = meet->leaves[box->first + i][1];
        const double radii = (double)meet->build->leaves[meet->first_a + a].radius +
                             (double)meet->build->leaves[meet->first_b + b].radius +
                             (double)meet->pair->extra;
        const double apart = v3_distance(meet->at_a[a], meet->at_b[b]) - radii * 1.0001;
        bool* meets = &meet->meets[(size_t)a * (size_t)meet->count_b + (size_t)b];
        *meets = *meets || !(apart > 0.0);
        if (!*meets && !(apart > carried)) {
            next[left][0] = a;
            next[left++][1] = b;
        }
    }
    meet->work += box->count;
    return left;
}

static int32_t widest_joint(const Meet* meet, const JointBox* box) {
    int32_t widest = 0;
    for (int32_t k = 1; k < meet->between_count; ++k) {
        if (meet->between[k].lever * box->half[k] > meet->between[widest].lever * box->half[widest]) {
            widest = k;
        }
    }
    return widest;
}

static void give_up(Meet* meet, int32_t first, int32_t count) {
    for (int32_t i = first; i < first + count; ++i) {
        meet->meets[(size_t)meet->leaves[i][0] * (size_t)meet->count_b + (size_t)meet->leaves[i][1]] = true;
    }
}

// Depth first: the second half waits with the list that both share.
static void halve_boxes(Meet* meet, const JointBox* whole) {
    JointBox stack[DEPTH_MOST + 2];
    int32_t depth = 1;
    stack[0] = *whole;
    while (depth > 0) {
        const JointBox box = stack[--depth];
        const int32_t left = look_at_box(meet, &box);
        const int32_t first = box.first + box.count;
        if (left == 0) {
            continue;
        }
        const bool spent = meet->work > meet->work_most || box.depth >= DEPTH_MOST ||
                           meet->between_count == 0 || first + 2 * left > PAIRS_MOST;
        if (spent) {
            give_up(meet, first, left);
            continue;
        }

        const int32_t k = widest_joint(meet, &box);
        JointBox half = box;
        half.first = first;
        half.count = left;
        half.depth = box.depth + 1;
        half.half[k] *= 0.5;
        half.middle[k] = box.middle[k] - half.half[k];
        stack[depth++] = half;
        half.middle[k] = box.middle[k] + half.half[k];
        stack[depth++] = half;
    }
}

// ---- a pair of groups -----------------------------------------------------------------------------------------------

// Values between the two groups. False when there are too many, or one has no limits that can be halved.
static bool find_between(Meet* meet) {
    const BerthLanes* lanes = meet->build->lanes;
    const int32_t groups[2] = {meet->pair->group_a, meet->pair->group_b};
    for (int side = 0; side < 2; ++side) {
        const LanesGroup* group = &lanes->groups[groups[side]];
        for (int32_t i = meet->shared; i < group->lever_count; ++i) {
            const LanesLever* lever = &group->levers[i];

            int32_t k = 0;
            while (k < meet->between_count && meet->between[k].value != lever->value) {
                k += 1;
            }
            if (k == JOINTS_MOST) {
                return false;
            }

            if (k == meet->between_count) {
                const LanesRange* range = &lanes->ranges[lever->value];
                meet->between[meet->between_count++] = (Between){lever->value, 0.0, range->low, range->high};
            }
            meet->between[k].lever += lever->share * lever->lever;
        }
    }
    return true;
}

static void leaves_of(const LanesBuild* build, int32_t group, int32_t* first, int32_t* count) {
    const KernelGroup* g = &build->lane_groups[group];
    *first = build->clusters[g->first_cluster].first_leaf;
    *count = 0;
    for (int32_t c = g->first_cluster; c < g->first_cluster + g->cluster_count; ++c) {
        *count += build->clusters[c].leaf_count;
    }
}

// Pairs of clusters with leaves that meet, and those leaves.
static BerthStatus write_meetings(Meet* meet, KernelPair* pair) {
    LanesBuild* build = meet->build;
    Arena* arena = &build->lanes->arena;
    const KernelGroup* ga = &build->lane_groups[pair->group_a];
    const KernelGroup* gb = &build->lane_groups[pair->group_b];
    LaneMeeting* meetings =
        bi_arena_take(arena, (size_t)ga->cluster_count * (size_t)gb->cluster_count, sizeof *meetings);
    if (meetings == NULL) {
        return no_memory();
    }

    for (int32_t a = ga->first_cluster; a < ga->first_cluster + ga->cluster_count; ++a) {
        for (int32_t b = gb->first_cluster; b < gb->first_cluster + gb->cluster_count; ++b) {
            LaneMeeting meeting = {a, b, build->leaf_pair_count, 0};
            const LaneCluster *ca = &build->clusters[a], *cb = &build->clusters[b];
            const size_t most = (size_t)ca->leaf_count * (size_t)cb->leaf_count;
            int32_t(*pairs)[2] = bi_arena_grow(arena, build->own_leaf_pairs, (size_t)build->leaf_pair_count,
                                               (size_t)build->leaf_pair_count + most,
                                               &build->leaf_pair_capacity, sizeof *pairs);
            if (pairs == NULL) {
                return no_memory();
            }
            build->own_leaf_pairs = pairs;
            build->leaf_pairs = (const int32_t(*)[2])pairs;
            for (int32_t i = ca->first_leaf; i < ca->first_leaf + ca->leaf_count; ++i) {
                for (int32_t k = cb->first_leaf; k < cb->first_leaf + cb->leaf_count; ++k) {
                    if (meet->meets[(size_t)(i - meet->first_a) * (size_t)meet->count_b +
                                    (size_t)(k - meet->first_b)]) {
                        pairs[build->leaf_pair_count][0] = i;
                        pairs[build->leaf_pair_count++][1] = k;
                        meeting.count += 1;
                    }
                }
            }
            if (meeting.count > 0) {
                meetings[pair->meeting_count++] = meeting;
            }
        }
    }
    pair->meetings = meetings;
    return BERTH_OK;
}

// Which leaves of rows can meet each leaf of the group with fewer, for lanes that are tested alone. `meets` is null: all can.
static BerthStatus write_masks(LanesBuild* build, KernelPair* pair, const Meet* meet) {
    const KernelGroup* a = &build->lane_groups[pair->group_a];
    const KernelGroup* b = &build->lane_groups[pair->group_b];
    const bool few_is_a = a->leaf_count < b->leaf_count;
    const KernelGroup *few = few_is_a ? a : b, *many = few_is_a ? b : a;
    pair->few = few_is_a ? pair->group_a : pair->group_b;
    if (few->leaf_count > LANE_ALONE_LEAVES) {
        return BERTH_OK;
    }

    const size_t count = (size_t)few->leaf_count * (size_t)many->row_count;
    uint16_t* meets = bi_arena_take(&build->lanes->arena, 2 * count, sizeof *meets);
    if (meets == NULL) {
        return no_memory();
    }
    for (int32_t i = 0; i < few->leaf_count; ++i) {
        for (int32_t k = 0; k < many->leaf_count; ++k) {
            const size_t at = (size_t)i * (size_t)many->row_count + (size_t)(k / LANES);
            const size_t pair_at = few_is_a ? (size_t)i * (size_t)b->leaf_count + (size_t)k
                                            : (size_t)k * (size_t)b->leaf_count + (size_t)i;
            const unsigned bit = 1u << (k % LANES);
            meets[count + at] |= (uint16_t)bit;
            if (meet == NULL || meet->meets[pair_at]) {
                meets[at] |= (uint16_t)bit;
            }
        }
    }
    pair->meets = meets;
    pair->exist = meets + count;
    return BERTH_OK;
}

static BerthStatus make_pair_meetings(LanesBuild* build, int32_t index) {
    KernelPair* pair = &build->lane_pairs[index];
    Meet meet = {.build = build, .pair = pair, .shared = build->lanes->pairs[index].shared};
    leaves_of(build, pair->group_a, &meet.first_a, &meet.count_a);
    leaves_of(build, pair->group_b, &meet.first_b, &meet.count_b);
    const size_t total = (size_t)meet.count_a * (size_t)meet.count_b;
    if (!find_between(&meet) || total > PAIRS_MOST / 4) {
        return write_masks(build, pair, NULL);
    }
    meet.work_most = meet.between_count <= JOINTS_FEW ? WORK_FEW : WORK_MOST;

    Arena scratch;
    bi_arena_init(&scratch, &build->lanes->allocator, 0);
    meet.leaves = bi_arena_take(&scratch, PAIRS_MOST, sizeof *meet.leaves);
    meet.meets = bi_arena_take(&scratch, total, sizeof *meet.meets);
    meet.at_a = bi_arena_take(&scratch, (size_t)meet.count_a, sizeof *meet.at_a);
    meet.at_b = bi_arena_take(&scratch, (size_t)meet.count_b, sizeof *meet.at_b);
    BerthStatus status = meet.leaves && meet.meets && meet.at_a && meet.at_b ? BERTH_OK : no_memory();
    if (status == BERTH_OK) {
        JointBox whole = {.count = (int32_t)total};
        for (int32_t k = 0; k < meet.between_count; ++k) {
            whole.middle[k] = 0.5 * (meet.between[k].low + meet.between[k].high);
            whole.half[k] = 0.5 * (meet.between[k].high - meet.between[k].low) * (1.0 + 1e-9) + 1e-9;
        }
        for (size_t i = 0; i < total; ++i) {
            meet.leaves[i][0] = (int32_t)(i / (size_t)meet.count_b);
            meet.leaves[i][1] = (int32_t)(i % (size_t)meet.count_b);
        }
        halve_boxes(&meet, &whole);
        status = write_meetings(&meet, pair);
    }
    if (status == BERTH_OK) {
        status = write_masks(build, pair, &meet);
    }
    bi_arena_free(&scratch);
    return status;
}

// Which leaves meet is about balls and joints alone.
static void take_meetings(LanesBuild* build) {
    const LaneModel* from = &build->like->model;
    build->leaf_pairs = from->leaf_pairs;
    for (int32_t p = 0; p < from->pair_count; ++p) {
        KernelPair* pair = &build->lane_pairs[p];
        pair->meetings = from->pairs[p].meetings;
        pair->meeting_count = from->pairs[p].meeting_count;
        pair->meets = from->pairs[p].meets;
        pair->exist = from->pairs[p].exist;
        pair->few = from->pairs[p].few;
    }
}

BerthStatus bi_lanes_make_meetings(LanesBuild* build) {
    if (build->like != NULL) {
        take_meetings(build);
        return BERTH_OK;
    }

    BerthStatus status = BERTH_OK;
    for (int32_t p = 0; p < build->lanes->model.pair_count && status == BERTH_OK; ++p) {
        const bool all = build->quick || build->lanes->pairs[p].proven;
        status = all ? write_masks(build, &build->lane_pairs[p], NULL) : make_pair_meetings(build, p);
    }
    return status;
}
