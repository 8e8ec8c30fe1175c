// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of an occupancy tree. Nodes are in blocks of eight siblings: the log-odds of each and the
// block below it, 64 bytes per block and none for leaves. Inner nodes have the largest log-odds of their
// children, as in OctoMap; eight leaves of equal log-odds are merged. In the plane four of the eight entries
// are used.

#ifndef BI_OCCUPANCY_H
#define BI_OCCUPANCY_H

#include <berth/occupancy.h>

#include "base/base.h"
#include "base/list.h"

enum {
    OCCUPANCY_LEVELS = BERTH_FIELD_LEVELS_MAX,
    OCCUPANCY_SIDE = 1 << OCCUPANCY_LEVELS,
    NODE_ABSENT = 0,  ///< nothing is known
    NODE_LEAF = 1,
    ROOT_BLOCK = 1,  ///< its first place is the root; block 0 is none, so numbers of blocks are > NODE_LEAF
};

/// Siblings: log-odds, and NODE_ABSENT, NODE_LEAF or the block of the children.
typedef struct NodeBlock {
    float log_odds[8];
    uint32_t below[8];
} NodeBlock;

struct BerthOccupancy {
    BerthOccupancyDef def;
    float hit, miss, least, most;  ///< log-odds
    GrowList blocks;               ///< NodeBlock
    uint32_t unused;               ///< a block that is not used, or 0; its first `below` is the next
    int64_t node_count;
    GrowList changes;  ///< BerthFieldChange
};

/// A cube of 2^log_width cells a side.
typedef struct OccupancyNode {
    int32_t low[3];
    int32_t log_width;
    float log_odds;
    uint32_t children;  ///< bits of those that are there; 0: a leaf
} OccupancyNode;

/// Told of every node, parents before children, children in the order of codes. Anything but BERTH_OK ends the walk.
typedef BerthStatus OccupancyVisit(void* user, const OccupancyNode* node);
BerthStatus bi_occupancy_walk(const BerthOccupancy* occupancy, OccupancyVisit* visit, void* user);

/// The node becomes a leaf of these log-odds, or unknown (NaN). `log_width` 0 is a cell.
BerthStatus bi_occupancy_set_node(BerthOccupancy* occupancy, const int32_t low[3], int32_t log_width,
                                  float log_odds);
/// Adds to the log-odds of a cell and clamps them.
BerthStatus bi_occupancy_add(BerthOccupancy* occupancy, const int32_t cell[3], float log_odds);
/// The log-odds of a chance.
float bi_occupancy_odds_of(double chance);
/// Room for one note. Before the cell is changed: one that changed without a note would never reach a map.
BerthStatus bi_occupancy_reserve_note(BerthOccupancy* occupancy);
/// Notes that a cell's colour changed, if it did. There is room.
void bi_occupancy_note(BerthOccupancy* occupancy, const int32_t cell[3], BerthCellColour before,
                       BerthOccupancyReport* report);
BerthStatus bi_occupancy_go_on(const BerthOccupancy* occupancy);
uint64_t bi_occupancy_limit(const BerthOccupancy* occupancy);

#endif
