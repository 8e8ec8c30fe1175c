// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, check: which trees and tables a checker uses. Verdicts are the same for all.

#ifndef BERTH_LAB_CHECK_H
#define BERTH_LAB_CHECK_H

#include <berth/check.h>
#include <berth/lab/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a checker knows about pairs before it is asked: which ones the joints' limits keep apart. Such a pair is not
/// compared in states within limits; in others every pair is. Verdicts are the same for all.
typedef enum BerthTables {
    BERTH_TABLES_BALLS =
        0,              ///< by balls around links, moved through the ranges of the joints: some milliseconds
    BERTH_TABLES_NONE,  ///< nothing: every pair in every query, for comparison
    BERTH_TABLES_PROVEN,  ///< by balls and then by a BerthProver, which takes seconds; `berth srdf` keeps its findings
    BERTH_TABLES_COUNT  ///< how many there are
} BerthTables;

/// Which balls stand for subtrees of a robot in the walk over its pairs (paper 002, section IV). Verdicts are the same.
typedef enum BerthSubtreeBalls {
    BERTH_SUBTREES_PLACED = 0,  ///< MR: where the subtree's own frame is now, its joints anywhere
    BERTH_SUBTREES_SWEPT,  ///< M, the paper's: in the frame above, the subtree's own joint anywhere, too. Larger
    BERTH_SUBTREES_COUNT  ///< how many there are
} BerthSubtreeBalls;

/// For BerthCheckerDef.lab. All zero is the default.
struct BerthCheckerLab {
    BerthEngine engine;          ///< which trees to go down
    BerthTables tables;          ///< what is worked out at creation
    BerthSubtreeBalls subtrees;  ///< with tables only
};

#ifdef __cplusplus
}
#endif
#endif
