// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Pairs of bodies as a hierarchy (paper 002, section IV): instead of comparing every pair's balls, balls
// around whole subtrees of a robot and around groups of objects are compared first. The three steps of the
// paper - a link against its grandchildren's subtrees, children's subtrees against each other, the same
// within each child - are unrolled when the checker is made into one list of comparisons. A comparison whose
// balls are proven apart, or whose table entry says so, skips everything below it. So a query is one loop
// without a stack, and the pairs that it covers can be read off the list.
//
// Balls of subtrees hold within joint limits only: outside them every pair is compared, as without a list.

#ifndef BI_COMPARE_H
#define BI_COMPARE_H

#include "proof/hierarchy.h"
#include "scene/scene.h"

/// Scenes of more pairs get no list: it would be larger than all the rest.
enum { BI_COMPARE_PAIR_MAX = 4000000 };

/// One comparison.
typedef struct CompareStep {
    int32_t a, b;   ///< balls
    int32_t skip;   ///< steps to go on by when they are apart; 1 for a pair
    int32_t pair;   ///< of the scene, or -1: balls around several
    float least;    ///< proven lower bound of the padded gap of every pair below, within limits
    float padding;  ///< largest of the pairs below, rounded up
} CompareStep;

/// A ball of the list, as it is when the list is made: [0, body_count) are those of bodies.
typedef struct CompareBall {
    Vec3 local;  ///< in its frame
    double radius;
    double still_size;  ///< as CheckBody
    int32_t frame;      ///< of the scene; -1: the world
    int32_t robot;      ///< whose values move it, or -1
} CompareBall;

/// The same, placed: where the current state has it.
typedef struct PlacedBall {
    Vec3 centre;
    double reach;  ///< radius and slack
} PlacedBall;

typedef struct CompareRange {
    int32_t first, end;
} CompareRange;

typedef struct CompareList {
    Arena arena;  ///< everything below
    int32_t ball_count;
    int32_t body_count, moved_body_count;  ///< as the scene's
    int32_t moved_end;  ///< balls [body_count, this) are of frames, the rest are of groups and stand still
    CompareBall* balls;
    PlacedBall* placed;
    double *low, *high;  ///< limits of all values of the scene
    double margin;       ///< that `near` was made for: the largest of any pair
    // Two lists: all pairs, for distances; and those that are not proven further apart than the margin.
    CompareStep* every;
    CompareStep* near;
    int32_t every_count, near_count;
    CompareRange *every_self, *near_self;  ///< one a robot: the part of the list about its own pairs
} CompareList;

/// What the list is made from.
typedef struct CompareInput {
    const BerthScene* scene;
    const CompareBall* bodies;  ///< balls of bodies, body_count
    double margin;
    const Hierarchy* const* hierarchies;  ///< one a robot
    bool swept;                           ///< subtrees by M, in the axes of the frame above, instead of MR
} CompareInput;

BerthStatus bi_compare_create(const CompareInput* input, const BerthAllocator* allocator, CompareList* out);
void bi_compare_destroy(CompareList* list);

#endif
