// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A roadmap: free points, each joined to its nearest neighbours by edges that are not checked until a route
// needs them. What was found out about an edge is kept, so that later queries in the same cell are faster.
// The same points in the same order give the same routes.

#ifndef BI_PLAN_ROADMAP_H
#define BI_PLAN_ROADMAP_H

#include "base/list.h"
#include "plan/plan.h"

typedef enum RoadState { ROAD_OPEN = 0, ROAD_FREE, ROAD_BLOCKED } RoadState;

/// Between two nodes, each of which has its edges in a list.
typedef struct RoadEdge {
    int32_t ends[2], next[2];  ///< next: in the list of that end, -1: none
    double length;
    RoadState state;
} RoadEdge;

/// What a route search knows of a node, and its first edge.
typedef struct RoadNode {
    int32_t first_edge;
    uint32_t round;      ///< of the search that the rest is of
    int32_t heap_place;  ///< -1: not in the heap
    int32_t arrival;     ///< edge that the best way takes last; -1 at its beginning
    double cost;         ///< of that way
    double rank;         ///< cost and what is left at least
    bool is_goal;
} RoadNode;

struct PlanRoadmap {
    BerthAllocator allocator;
    PlanTree points;        ///< by node; its parents mean nothing
    GrowList nodes, edges;  ///< RoadNode, RoadEdge
    GrowList heap;          ///< nodes by rank
    GrowList route;         ///< edges of the route that was found last, from its end to its beginning
    GrowList goals;         ///< nodes of the question's goals
    uint32_t round;
    Random random;  ///< goes on from one question to the next
    double* rest;   ///< values that the points do not have, of the questions that this is of
    int32_t value_count;
};

/// Null when there is no memory.
PlanRoadmap* bi_roadmap_create(const BerthAllocator* allocator, const PlanSpace* space);
void bi_roadmap_destroy(PlanRoadmap* map);
/// No points; its memory stays.
void bi_roadmap_clear(PlanRoadmap* map);
/// A node at a free point, joined to others near it; the one that is there already where there is one. -1: no memory.
int32_t bi_roadmap_add(PlanRoadmap* map, const PlanSpace* space, const double* point);
/// Two nodes are joined by an edge that is proven free, which becomes one where there is none. False: no memory.
bool bi_roadmap_join_free(PlanRoadmap* map, const PlanSpace* space, int32_t a, int32_t b);
/// A short way over edges that are not blocked, or over proven ones only, to any of the goals, into map->route. -1: there is none, else where it ends.
/// `*has_room` is false when there is no memory.
int32_t bi_roadmap_find(PlanRoadmap* map, const PlanSpace* space, int32_t start, const int32_t* goals,
                        int32_t goal_count, bool proven_only, bool* has_room);

static inline RoadEdge* road_edge(const PlanRoadmap* map, int32_t index) {
    return (RoadEdge*)map->edges.data + index;
}
static inline const double* road_point(const PlanRoadmap* map, int32_t node) {
    return plan_tree_point(&map->points, node);
}

#endif
