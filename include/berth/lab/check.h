// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, check: which trees and tables a checker uses. The verdicts are the same for all.

#ifndef BERTH_LAB_CHECK_H
#define BERTH_LAB_CHECK_H

#include <berth/check.h>
#include <berth/lab/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a checker determines about pairs in advance: which of them the joint limits keep apart. Such a pair
/// is not compared in states within limits; in others every pair is. The verdicts are the same for all.
typedef enum BerthTables {
    /// By balls around links, moved through the ranges of the joints; takes some milliseconds
    BERTH_TABLES_BALLS = 0,
    BERTH_TABLES_NONE,  ///< nothing: every pair in every query
    /// By balls and then by a BerthProver, which takes seconds; `berth srdf` saves its results
    BERTH_TABLES_PROVEN,
    BERTH_TABLES_COUNT  ///< how many there are
} BerthTables;

/// Which balls bound the subtrees of a robot in the traversal of its pairs (paper 002, section IV). The
/// verdicts are the same.
typedef enum BerthSubtreeBalls {
    /// MR: at the present pose of the subtree's own frame, with any values of its joints
    BERTH_SUBTREES_PLACED = 0,
    /// M, the paper's: in the parent frame, with any value of the subtree's own joint, too. Larger
    BERTH_SUBTREES_SWEPT,
    BERTH_SUBTREES_COUNT  ///< how many there are
} BerthSubtreeBalls;

/// For BerthCheckerDef.lab. All zero is the default.
struct BerthCheckerLab {
    BerthEngine engine;          ///< which trees are descended
    BerthTables tables;          ///< what is determined at creation
    BerthSubtreeBalls subtrees;  ///< with tables only
};

#ifdef __cplusplus
}
#endif
#endif
