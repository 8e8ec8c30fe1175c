// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lazy PRM (Bohlin and Kavraki, 2000) on certified edges: a short route over a roadmap is checked edge by
// edge; an edge that is not proven free is blocked for good, and the next route is searched for; when there
// is none the roadmap grows. When that does not help soon, two trees search as in RRT-Connect, and the path
// that they find becomes part of the roadmap. It is kept from one query to the next, as long as the values
// that may not change are the same, and is discarded when it is full.
// Entry: bi_plan_prm.

#include <string.h>

#include "plan/roadmap.h"

/// Samples of one growth.
enum { GROWTH = 32 };
/// Growths and blocked routes of one question before two trees search: where passages are narrow, routes over random points fail many
/// times before one holds. In a cage a roadmap alone took 20 times as long as trees.
enum { GROWTHS_MOST = 2, BLOCKED_MOST = 40 };
// Where samples are drawn: between start and a goal or a little beyond, around the middle of an edge that is blocked, else anywhere.
static const double NEAR_SAMPLES = 0.5, NEAR_BEYOND = 0.15, EDGE_SAMPLES = 0.3, EDGE_REACH = 0.1;

typedef struct Prm {
    BerthPlanner* planner;
    PlanSpace* space;
    PlanRoadmap* map;
    int32_t start;
    const int32_t* goals;  // nodes, by root of the goal tree
    int32_t goal_count;
    int32_t growths, blocked;  // so far
    BerthStatus status;
} Prm;

static SearchEnd fail(Prm* prm, BerthStatus status) {
    prm->status = status;
    return SEARCH_FAILED;
}

// ---- begin and end ---------------------------------------------------------------------------------------------

// Do values that the points do not have differ from those of the questions before?
static bool rest_differs(const Prm* prm) {
    const PlanSpace* space = prm->space;
    int32_t axis = 0;
    for (int32_t value = 0; value < space->value_count; ++value) {
        if (axis < space->dimension && space->axes[axis].value == value) {
            axis += 1;
        } else if (space->rest[value] != prm->map->rest[value]) {
            return true;
        }
    }
    return false;
}

// The roadmap is there, of this question's cell, and has room; start and goals are nodes of it.
static SearchEnd begin(Prm* prm) {
    BerthPlanner* planner = prm->planner;
    PlanSpace* space = prm->space;
    if (planner->roadmap == NULL) {
        planner->roadmap = bi_roadmap_create(&planner->allocator, space);
    }
    PlanRoadmap* map = prm->map = planner->roadmap;
    if (map == NULL) {
        return fail(prm, BERTH_ERR_MEMORY);
    }

    const int64_t needed = (int64_t)map->points.count + planner->trees[0].count + planner->trees[1].count;
    if (map->points.count == 0 || rest_differs(prm) || needed >= space->def.state_limit) {
        bi_roadmap_clear(map);
        map->random = space->random;
        memcpy(map->rest, space->rest, (size_t)space->value_count * sizeof *map->rest);
    }
    space->random = map->random;

    prm->start = bi_roadmap_add(map, space, plan_tree_point(&planner->trees[0], 0));
    prm->goal_count = planner->trees[1].count;
    map->goals.count = 0;
    int32_t* goals = bi_list_more(&map->goals, (size_t)prm->goal_count);
    bool has_room = prm->start >= 0 && goals != NULL;
    for (int32_t i = 0; i < prm->goal_count && has_room; ++i) {
        goals[i] = bi_roadmap_add(map, space, plan_tree_point(&planner->trees[1], i));
        has_room = goals[i] >= 0;
    }
    prm->goals = goals;
    return has_room ? SEARCH_FOUND : fail(prm, BERTH_ERR_MEMORY);
}

// ---- growth ----------------------------------------------------------------------------------------------------

static void draw_sample(Prm* prm, double* sample) {
    PlanSpace* space = prm->space;
    const PlanRoadmap* map = prm->map;
    const double choice = bi_random_between(&space->random, 0.0, 1.0);
    const uint64_t any = bi_random_next(&space->random);
    if (choice < NEAR_SAMPLES) {
        const int32_t goal = prm->goals[any % (uint64_t)prm->goal_count];
        bi_space_sample_between(space, road_point(map, prm->start), road_point(map, goal), NEAR_BEYOND,
                                sample);
        return;
    }

    // New ways are wanted most where old ones ended.
    if (choice < NEAR_SAMPLES + EDGE_SAMPLES && map->edges.count > 0) {
        const RoadEdge* edge = road_edge(map, (int32_t)(any % map->edges.count));
        if (edge->state == ROAD_BLOCKED) {
            double* middle = prm->planner->scratch + (size_t)space->dimension;
            bi_space_between(space, road_point(map, edge->ends[0]), road_point(map, edge->ends[1]), 0.5,
                             middle);
            bi_space_sample_near(space, middle, EDGE_REACH, sample);
            return;
        }
    }
    bi_space_sample(space, sample);
}

// Samples that are free become nodes.
static SearchEnd grow(Prm* prm) {
    PlanSpace* space = prm->space;
    double* sample = prm->planner->scratch;
    for (int i = 0; i < GROWTH; ++i) {
        const SearchEnd budget = bi_plan_check_budget(prm->planner, &prm->status);
        if (budget != SEARCH_FOUND) {
            return budget;
        }

        uint8_t is_free = 0;
        draw_sample(prm, sample);
        const BerthStatus status = bi_space_ask_points(space, sample, 1, &is_free);
        if (status != BERTH_OK) {
            return fail(prm, status);
        }
        if (is_free && bi_roadmap_add(prm->map, space, sample) < 0) {
            return fail(prm, BERTH_ERR_MEMORY);
        }
    }
    return SEARCH_FOUND;
}

// ---- routes ----------------------------------------------------------------------------------------------------

// Is every edge of the route free? The first that is not is blocked from now on.
static SearchEnd ask_route(Prm* prm) {
    PlanRoadmap* map = prm->map;
    const int32_t* route = map->route.data;
    for (size_t i = map->route.count; i > 0; --i) {
        RoadEdge* edge = road_edge(map, route[i - 1]);
        bool is_free = edge->state == ROAD_FREE;
        if (!is_free) {
            const BerthStatus status = bi_space_ask_edge(prm->space, road_point(map, edge->ends[0]),
                                                         road_point(map, edge->ends[1]), &is_free);
            if (status != BERTH_OK) {
                return fail(prm, status);
            }
        }

        // What was not decided for lack of time is not blocked: the next question may have more.
        if (!is_free && bi_space_poll_stop(prm->space) != SPACE_GOES_ON) {
            return SEARCH_SPENT;
        }
        if (is_free && edge->state != ROAD_FREE) {
            bi_space_tell_edge(prm->space, 0, road_point(map, edge->ends[0]), road_point(map, edge->ends[1]));
        }
        edge->state = is_free ? ROAD_FREE : ROAD_BLOCKED;
        if (!is_free) {
            return SEARCH_SPENT;
        }
    }
    return SEARCH_FOUND;
}

static SearchEnd tell_route(Prm* prm) {
    const PlanRoadmap* map = prm->map;
    const int32_t* route = map->route.data;
    PlanPath* path = &prm->planner->path;
    int32_t at = prm->start;
    path->count = 0;
    bool has_room = bi_plan_path_add(path, road_point(map, at));
    for (size_t i = map->route.count; i > 0 && has_room; --i) {
        const RoadEdge* edge = road_edge(map, route[i - 1]);
        at = edge->ends[0] == at ? edge->ends[1] : edge->ends[0];
        has_room = bi_plan_path_add(path, road_point(map, at));
    }
    return has_room ? SEARCH_FOUND : fail(prm, BERTH_ERR_MEMORY);
}

// Two trees, whose way joins the roadmap: its edges are proven.
static SearchEnd search_by_trees(Prm* prm) {
    BerthPlanner* planner = prm->planner;
    PlanRoadmap* map = prm->map;
    const SearchEnd end = bi_plan_search_rrt_connect(planner, &prm->status);
    if (end != SEARCH_FOUND) {
        return end;
    }

    int32_t before = -1;
    for (int32_t i = 0; i < planner->path.count && map->points.count < prm->space->def.state_limit; ++i) {
        const int32_t node = bi_roadmap_add(map, prm->space, plan_path_point(&planner->path, i));
        if (node < 0 || (before >= 0 && !bi_roadmap_join_free(map, prm->space, before, node))) {
            return fail(prm, BERTH_ERR_MEMORY);
        }
        before = node;
    }
    return SEARCH_FOUND;
}

// False when there is no route, or no memory. Over proven edges only there is nothing to ask about.
static bool find_route(Prm* prm, bool proven_only) {
    bool has_room = true;
    const int32_t reached = bi_roadmap_find(prm->map, prm->space, prm->start, prm->goals, prm->goal_count,
                                            proven_only, &has_room);
    prm->status = has_room ? BERTH_OK : BERTH_ERR_MEMORY;
    return reached >= 0;
}

// One route or one growth. FOUND: the way is there. SPENT: go on, unless `*over`.
static SearchEnd step(Prm* prm, bool* over) {
    *over = false;
    SearchEnd end = bi_plan_check_budget(prm->planner, &prm->status);
    if (end != SEARCH_FOUND) {
        *over = true;
        return end;
    }

    const bool routed = find_route(prm, false);
    if (prm->status != BERTH_OK) {
        return SEARCH_FAILED;
    }
    if (!routed) {
        prm->growths += 1;
        end = grow(prm);
        *over = end == SEARCH_SPENT;
        return end == SEARCH_FOUND ? SEARCH_SPENT : end;
    }

    prm->blocked += 1;
    end = ask_route(prm);
    return end == SEARCH_FOUND ? tell_route(prm) : end;
}

static SearchEnd search(Prm* prm) {
    // What is proven already needs no question: lazy routes would try many shorter ones first.
    if (find_route(prm, true)) {
        return tell_route(prm);
    }
    if (prm->status != BERTH_OK) {
        return SEARCH_FAILED;
    }

    while (prm->growths < GROWTHS_MOST && prm->blocked < BLOCKED_MOST) {
        bool over = false;
        const SearchEnd end = step(prm, &over);
        if (end != SEARCH_SPENT || over) {
            return end;
        }
    }
    return search_by_trees(prm);
}

SearchEnd bi_plan_prm(BerthPlanner* planner, BerthStatus* status) {
    Prm prm = {.planner = planner, .space = &planner->space, .status = BERTH_OK};
    SearchEnd end = begin(&prm);
    if (end == SEARCH_FOUND) {
        end = search(&prm);
    }
    if (prm.map != NULL) {
        prm.map->random = prm.space->random;
    }
    *status = prm.status;
    return end;
}
