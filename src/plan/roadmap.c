// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Roadmaps: nodes, edges between neighbours, shortest routes by A* with a heap in which nodes move up.
// Entries: bi_roadmap_create, bi_roadmap_destroy, bi_roadmap_add, bi_roadmap_find.

#include "plan/roadmap.h"

#include <math.h>
#include <string.h>

/// Edges of a new node. For seven joints and a thousand nodes the rule of PRM* (e (1 + 1/d) log n) gives about twenty.
enum { NEIGHBOURS = 16 };
// Edges that were not checked yet count more than proven ones, most of which need no check; and what is left to go counts more than
// what was gone: the first route will do, since it is shortened anyway.
static const double OPEN_TOLL = 2.0, HASTE = 2.0;

static RoadNode* node_of(const PlanRoadmap* map, int32_t index) {
    return (RoadNode*)map->nodes.data + index;
}

// ---- made and destroyed ----------------------------------------------------------------------------------------

PlanRoadmap* bi_roadmap_create(const BerthAllocator* allocator, const PlanSpace* space) {
    PlanRoadmap* map = bi_take(allocator, 1, sizeof *map);
    if (map == NULL) {
        return NULL;
    }
    map->allocator = *allocator;
    map->value_count = space->value_count;
    bi_plan_tree_init(&map->points, allocator, space->dimension);
    bi_list_init(&map->nodes, allocator, sizeof(RoadNode));
    bi_list_init(&map->edges, allocator, sizeof(RoadEdge));
    bi_list_init(&map->heap, allocator, sizeof(int32_t));
    bi_list_init(&map->route, allocator, sizeof(int32_t));
    bi_list_init(&map->goals, allocator, sizeof(int32_t));

    map->rest = bi_take(allocator, (size_t)map->value_count, sizeof *map->rest);
    if (map->rest == NULL) {
        bi_roadmap_destroy(map);
        return NULL;
    }
    return map;
}

void bi_roadmap_destroy(PlanRoadmap* map) {
    if (map == NULL) {
        return;
    }
    const BerthAllocator allocator = map->allocator;
    bi_plan_tree_free(&map->points);
    bi_list_free(&map->nodes);
    bi_list_free(&map->edges);
    bi_list_free(&map->heap);
    bi_list_free(&map->route);
    bi_list_free(&map->goals);
    bi_give(&allocator, map->rest, (size_t)map->value_count, sizeof *map->rest);
    bi_give(&allocator, map, 1, sizeof *map);
}

void bi_roadmap_clear(PlanRoadmap* map) {
    bi_plan_tree_clear(&map->points);
    map->nodes.count = map->edges.count = 0;
    map->round = 0;
}

// ---- nodes and edges -------------------------------------------------------------------------------------------

static bool join(PlanRoadmap* map, const PlanSpace* space, int32_t a, int32_t b) {
    RoadEdge* edge = bi_list_more(&map->edges, 1);
    if (edge == NULL) {
        return false;
    }
    const int32_t index = (int32_t)map->edges.count++;
    RoadNode *from = node_of(map, a), *to = node_of(map, b);
    *edge = (RoadEdge){.ends = {a, b},
                       .next = {from->first_edge, to->first_edge},
                       .length = bi_space_distance(space, road_point(map, a), road_point(map, b))};
    from->first_edge = to->first_edge = index;
    return true;
}

int32_t bi_roadmap_add(PlanRoadmap* map, const PlanSpace* space, const double* point) {
    NearestFound found[NEIGHBOURS];
    int32_t count = 0;
    if (map->points.count > 0) {
        bi_space_scale(space, point, map->points.scaled);
        count = bi_nearest_find_many(&map->points.nearest, map->points.scaled, INFINITY, found, NEIGHBOURS);
    }
    const size_t bytes = (size_t)space->dimension * sizeof *point;
    for (int32_t i = 0; i < count; ++i) {
        if (memcmp(road_point(map, found[i].id), point, bytes) == 0) {
            return found[i].id;
        }
    }

    RoadNode* node = bi_list_more(&map->nodes, 1);
    if (node == NULL) {
        return -1;
    }
    *node = (RoadNode){.first_edge = -1, .heap_place = -1, .arrival = -1};
    const int32_t index = bi_plan_tree_add(&map->points, space, point, -1);
    if (index < 0) {
        return -1;
    }
    map->nodes.count += 1;
    for (int32_t i = 0; i < count; ++i) {
        if (!join(map, space, index, found[i].id)) {
            return -1;
        }
    }
    return index;
}

bool bi_roadmap_join_free(PlanRoadmap* map, const PlanSpace* space, int32_t a, int32_t b) {
    int32_t at = node_of(map, a)->first_edge;
    while (at >= 0) {
        RoadEdge* edge = road_edge(map, at);
        const int side = edge->ends[0] == a ? 0 : 1;
        if (edge->ends[1 - side] == b) {
            edge->state = ROAD_FREE;
            return true;
        }
        at = edge->next[side];
    }

    if (a != b && !join(map, space, a, b)) {
        return false;
    }
    if (a != b) {
        road_edge(map, (int32_t)map->edges.count - 1)->state = ROAD_FREE;
    }
    return true;
}

// ---- the heap of a search --------------------------------------------------------------------------------------

static void put_in_place(PlanRoadmap* map, size_t place, int32_t node) {
    ((int32_t*)map->heap.data)[place] = node;
    node_of(map, node)->heap_place = (int32_t)place;
}

// Lower rank first; among equals the node that was added first.
static bool is_before(const PlanRoadmap* map, int32_t a, int32_t b) {
    const double rank_a = node_of(map, a)->rank, rank_b = node_of(map, b)->rank;
    return rank_a < rank_b || (rank_a == rank_b && a < b);
}

static void move_up(PlanRoadmap* map, int32_t node) {
    const int32_t* heap = map->heap.data;
    size_t place = (size_t)node_of(map, node)->heap_place;
    while (place > 0 && is_before(map, node, heap[(place - 1) / 2])) {
        put_in_place(map, place, heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put_in_place(map, place, node);
}

static int32_t take_first(PlanRoadmap* map) {
    const int32_t* heap = map->heap.data;
    const int32_t first = heap[0];
    const size_t count = --map->heap.count;
    node_of(map, first)->heap_place = -1;
    if (count == 0) {
        return first;
    }

    // The last one sinks from the top.
    const int32_t last = heap[count];
    size_t place = 0;
    for (size_t child = 1; child < count; child = 2 * place + 1) {
        if (child + 1 < count && is_before(map, heap[child + 1], heap[child])) {
            child += 1;
        }
        if (!is_before(map, heap[child], last)) {
            break;
        }
        put_in_place(map, place, heap[child]);
        place = child;
    }
    put_in_place(map, place, last);
    return first;
}

// ---- routes ----------------------------------------------------------------------------------------------------

/// One search.
typedef struct Route {
    PlanRoadmap* map;
    const PlanSpace* space;
    const int32_t* goals;
    int32_t goal_count;
    bool proven_only;
} Route;

static double left_at_least(const Route* route, int32_t node) {
    double least = INFINITY;
    for (int32_t i = 0; i < route->goal_count; ++i) {
        least = fmin(least, bi_space_distance(route->space, road_point(route->map, node),
                                              road_point(route->map, route->goals[i])));
    }
    return HASTE * least;
}

// A node of an earlier search becomes one of this.
static RoadNode* visit(const Route* route, int32_t index) {
    RoadNode* node = node_of(route->map, index);
    if (node->round != route->map->round) {
        node->round = route->map->round;
        node->heap_place = -1;
        node->arrival = -1;
        node->cost = INFINITY;
        node->is_goal = false;
    }
    return node;
}

// A way to this node; false when there is no memory.
static bool reach(const Route* route, int32_t index, int32_t edge, double cost) {
    PlanRoadmap* map = route->map;
    RoadNode* node = visit(route, index);
    if (!(cost < node->cost)) {
        return true;
    }

    const double rest = node->cost < (double)INFINITY ? node->rank - node->cost : left_at_least(route, index);
    node->cost = cost;
    node->rank = cost + rest;
    node->arrival = edge;
    if (node->heap_place < 0) {
        if (bi_list_more(&map->heap, 1) == NULL) {
            return false;
        }
        put_in_place(map, map->heap.count++, index);
    }
    move_up(map, index);
    return true;
}

static bool expand(const Route* route, int32_t index) {
    PlanRoadmap* map = route->map;
    const double cost = node_of(map, index)->cost;
    bool has_room = true;
    for (int32_t at = node_of(map, index)->first_edge; at >= 0 && has_room;) {
        const RoadEdge* edge = road_edge(map, at);
        const int side = edge->ends[0] == index ? 0 : 1;
        if (edge->state == ROAD_FREE || (edge->state == ROAD_OPEN && !route->proven_only)) {
            const double toll = edge->state == ROAD_FREE ? 1.0 : OPEN_TOLL;
            has_room = reach(route, edge->ends[1 - side], at, cost + toll * edge->length);
        }
        at = edge->next[side];
    }
    return has_room;
}

// Edges from the end back to the beginning.
static bool note_route(PlanRoadmap* map, int32_t end) {
    map->route.count = 0;
    int32_t at = end;
    while (node_of(map, at)->arrival >= 0) {
        const int32_t edge = node_of(map, at)->arrival;
        int32_t* place = bi_list_more(&map->route, 1);
        if (place == NULL) {
            return false;
        }
        *place = edge;
        map->route.count += 1;
        at = road_edge(map, edge)->ends[0] == at ? road_edge(map, edge)->ends[1]
                                                 : road_edge(map, edge)->ends[0];
    }
    return true;
}

int32_t bi_roadmap_find(PlanRoadmap* map, const PlanSpace* space, int32_t start, const int32_t* goals,
                        int32_t goal_count, bool proven_only, bool* has_room) {
    const Route route = {map, space, goals, goal_count, proven_only};
    map->round += 1;
    map->heap.count = 0;
    for (int32_t i = 0; i < goal_count; ++i) {
        visit(&route, goals[i])->is_goal = true;
    }

    *has_room = reach(&route, start, -1, 0.0);
    while (*has_room && map->heap.count > 0) {
        const int32_t at = take_first(map);
        if (node_of(map, at)->is_goal) {
            *has_room = note_route(map, at);
            return *has_room ? at : -1;
        }
        *has_room = expand(&route, at);
    }
    return -1;
}
