// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// SBL (Sanchez and Latombe, 2001) with the adaptive checker, as in paper 001 (V-D, A-SBL): two trees of free
// states whose edges are not checked until a path of them leads from the start to a goal; then all edges of
// that path are checked together, likeliest collision first, and what was found out about each is kept in a
// path cache. An edge that is not free is cut. If it was within a tree, the branch between it and the bridge
// changes sides: its edges are reversed along the path. Where the scene is laid out for wide registers, a
// whole edge is proven in a microsecond and the cache's queues would only be slower: then edges of a path are
// checked one after the other, the bridge first.
// Entry: bi_plan_search_sbl.

#include <berth/path.h>
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "plan/plan.h"
#include "plan/sampled.h"

// New states are at most this share of each value's range from the one they hang on, and bridges this share of the diagonal.
static const double NEIGHBOURHOOD = 0.15, BRIDGE = 0.3;
enum { TRIES = 8, CANDIDATES = 4, CELLS_A_SIDE = 10, PATH_EDGES = 512, CACHE_EDGES = 2048 };
// So many of the nearest are looked at until one has not changed sides.
enum { NEAR_MOST = 16 };
#define CACHE_BYTES ((size_t)96 << 20)
#define CHECK_BUDGET ((int64_t)2000000)

/// A free state. Its edge is the one to its parent.
typedef struct Milestone {
    int32_t parent, first_child, next_sibling;
    int32_t edge;  // number in the cache, or -1
    uint8_t tree;
    bool proven;  // by lanes: the edge is free
} Milestone;

typedef struct Sbl {
    BerthPlanner* planner;
    PlanSpace* space;
    BerthPathCache* cache;
    bool samples;   // lab: edges are sampled, and in `sampled` instead of the cache
    bool by_lanes;  // edges are checked when a path needs them, and there is no cache
    SampledEdges sampled;
    GrowList milestones, points, members[2];  // members: numbers of milestones; some have changed sides
    Nearest near[2];                          // the points of `members`
    float* scaled;                            // scratch: one of them
    int32_t counts[2][CELLS_A_SIDE * CELLS_A_SIDE];
    int32_t axes[2];  // that cells are of
    int32_t cached;   // edges in the cache
    BerthStatus status;
} Sbl;

static Milestone* milestone(const Sbl* sbl, int32_t index) {
    return (Milestone*)sbl->milestones.data + index;
}

static const double* point_of(const Sbl* sbl, int32_t index) {
    return (const double*)sbl->points.data + (size_t)index * (size_t)sbl->space->dimension;
}

static SearchEnd fail(Sbl* sbl, BerthStatus status) {
    sbl->status = status;
    return SEARCH_FAILED;
}

// ---- trees -------------------------------------------------------------------------------------------------------

static int32_t cell_of(const Sbl* sbl, int32_t index) {
    int32_t cell = 0;
    for (int i = 0; i < 2; ++i) {
        const SpaceAxis* axis = &sbl->space->axes[sbl->axes[i]];
        const double width = axis->high - axis->low;
        const double share = width > 0.0 ? (point_of(sbl, index)[sbl->axes[i]] - axis->low) / width : 0.0;
        const int32_t at = (int32_t)(CELLS_A_SIDE * fmin(fmax(share, 0.0), 0.999));
        cell = cell * CELLS_A_SIDE + at;
    }
    return cell;
}

static void hang(Sbl* sbl, int32_t child, int32_t parent) {
    Milestone* m = milestone(sbl, child);
    m->parent = parent;
    m->next_sibling = -1;
    if (parent >= 0) {
        m->next_sibling = milestone(sbl, parent)->first_child;
        milestone(sbl, parent)->first_child = child;
    }
}

static void take_down(Sbl* sbl, int32_t child) {
    const int32_t parent = milestone(sbl, child)->parent;
    int32_t* at = &milestone(sbl, parent)->first_child;
    while (*at != child) {
        at = &milestone(sbl, *at)->next_sibling;
    }
    *at = milestone(sbl, child)->next_sibling;
    milestone(sbl, child)->parent = -1;
}

static bool list_member(Sbl* sbl, int32_t index, uint8_t tree) {
    int32_t* place = bi_list_more(&sbl->members[tree], 1);
    bi_space_scale(sbl->space, point_of(sbl, index), sbl->scaled);
    if (place == NULL || !bi_nearest_add(&sbl->near[tree], sbl->scaled, index)) {
        return false;
    }
    *place = index;
    sbl->members[tree].count += 1;
    return true;
}

// Those that have changed sides are left in the lists until they are too many.
static bool tidy_members(Sbl* sbl, uint8_t tree) {
    if (sbl->members[tree].count < 2 * sbl->milestones.count + 64) {
        return true;
    }
    bool has_room = true;
    sbl->members[tree].count = 0;
    bi_nearest_clear(&sbl->near[tree]);
    for (int32_t i = 0; i < (int32_t)sbl->milestones.count && has_room; ++i) {
        has_room = milestone(sbl, i)->tree != tree || list_member(sbl, i, tree);
    }
    return has_room;
}

static bool join_members(Sbl* sbl, int32_t index, uint8_t tree) {
    if (!tidy_members(sbl, tree) || !list_member(sbl, index, tree)) {
        return false;
    }
    milestone(sbl, index)->tree = tree;
    sbl->counts[tree][cell_of(sbl, index)] += 1;
    return true;
}

// A new milestone; -1 when there is no memory.
static int32_t add(Sbl* sbl, const double* point, int32_t parent, uint8_t tree) {
    const size_t dimension = (size_t)sbl->space->dimension;
    Milestone* m = bi_list_more(&sbl->milestones, 1);
    double* p = bi_list_more(&sbl->points, dimension);
    if (m == NULL || p == NULL) {
        return -1;
    }
    const int32_t index = (int32_t)sbl->milestones.count++;
    *m = (Milestone){.parent = -1, .first_child = -1, .next_sibling = -1, .edge = -1};
    memcpy(p, point, dimension * sizeof *p);
    sbl->points.count += dimension;
    hang(sbl, index, parent);
    return join_members(sbl, index, tree) ? index : -1;
}

// A member of the tree, one of few others around it where there are such.
static int32_t pick(Sbl* sbl, uint8_t tree) {
    const GrowList* members = &sbl->members[tree];
    int32_t best = -1, least = INT32_MAX;
    for (int i = 0; i < CANDIDATES || best < 0; ++i) {
        const size_t at = (size_t)(bi_random_next(&sbl->space->random) % members->count);
        const int32_t index = ((const int32_t*)members->data)[at];
        if (milestone(sbl, index)->tree != tree) {
            continue;  // it has changed sides
        }
        const int32_t count = sbl->counts[tree][cell_of(sbl, index)];
        if (count < least) {
            least = count;
            best = index;
        }
    }
    return best;
}

// By looking at all of them.
static int32_t scan_nearest(const Sbl* sbl, uint8_t tree, const double* point, double reach) {
    int32_t best = -1;
    double least = reach;
    for (int32_t i = 0; i < (int32_t)sbl->milestones.count; ++i) {
        const double distance = milestone(sbl, i)->tree == tree
                                    ? bi_space_distance(sbl->space, point, point_of(sbl, i))
                                    : (double)INFINITY;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

// The milestone of a tree that is nearest to a point, none beyond `reach`; -1 where there is none.
static int32_t nearest(const Sbl* sbl, uint8_t tree, const double* point, double reach) {
    NearestFound found[NEAR_MOST];
    bi_space_scale(sbl->space, point, sbl->scaled);
    const int32_t count = bi_nearest_find_many(&sbl->near[tree], sbl->scaled, (float)reach, found, NEAR_MOST);
    for (int32_t i = 0; i < count; ++i) {
        if (milestone(sbl, found[i].id)->tree == tree) {
            return found[i].id;
        }
    }

    // All of these have changed sides.
    return count == NEAR_MOST ? scan_nearest(sbl, tree, point, reach) : -1;
}

// ---- edges -------------------------------------------------------------------------------------------------------

static void drop_edge(Sbl* sbl, int32_t number) {
    if (sbl->samples) {
        bi_sampled_drop(&sbl->sampled, number);
    } else {
        berth_path_cache_drop(sbl->cache, number);
    }
    sbl->cached -= 1;
}

static void forget_edge(Sbl* sbl, Milestone* m) {
    if (m->edge >= 0) {
        drop_edge(sbl, m->edge);
        m->edge = -1;
    }
}

// The edge from a milestone to another point, in the cache. By lanes it needs no number.
static bool put_in_cache(Sbl* sbl, int32_t from, const double* to, int32_t* number) {
    PlanSpace* space = sbl->space;
    const int32_t values = space->value_count;
    *number = -1;
    if (sbl->by_lanes) {
        return true;
    }

    if (sbl->samples) {
        *number = bi_sampled_add(&sbl->sampled, point_of(sbl, from), to);
        sbl->status = *number >= 0 ? BERTH_OK : BERTH_ERR_MEMORY;
        sbl->cached += *number >= 0;
        return *number >= 0;
    }
    bi_space_state_from_point(space, point_of(sbl, from), space->edge);
    bi_space_state_from_point(space, to, space->edge + values);
    const BerthSegment segment = {.value_count = values, .from = space->edge, .to = space->edge + values};
    sbl->status = berth_path_cache_add(sbl->cache, &segment, number);
    sbl->cached += sbl->status == BERTH_OK;
    return sbl->status == BERTH_OK;
}

/// The path through a bridge: edges that are not proven yet, by the milestone below each; -1 is the bridge.
typedef struct Candidate {
    int32_t ends[2];  // of the bridge, by tree
    int32_t numbers[PATH_EDGES], owners[PATH_EDGES];
    int32_t count, bridge;
} Candidate;

// False where the path is too long, or something failed.
static bool list_edges(Sbl* sbl, Candidate* path) {
    path->count = 0;
    path->bridge = -1;
    // When the cache has no room for a path, all that is known is dropped.
    for (int32_t i = 0; sbl->cached > CACHE_EDGES - PATH_EDGES && i < (int32_t)sbl->milestones.count; ++i) {
        forget_edge(sbl, milestone(sbl, i));
    }

    if (!put_in_cache(sbl, path->ends[0], point_of(sbl, path->ends[1]), &path->bridge)) {
        return false;
    }

    path->numbers[path->count] = path->bridge;
    path->owners[path->count++] = -1;
    for (int side = 0; side < 2; ++side) {
        for (int32_t at = path->ends[side]; milestone(sbl, at)->parent >= 0;
             at = milestone(sbl, at)->parent) {
            Milestone* m = milestone(sbl, at);
            if (m->proven) {
                continue;
            }
            if (path->count == PATH_EDGES) {
                return false;
            }
            if (m->edge < 0 && !put_in_cache(sbl, at, point_of(sbl, m->parent), &m->edge)) {
                return false;
            }
            path->numbers[path->count] = m->edge;
            path->owners[path->count++] = at;
        }
    }

    return true;
}

// ---- cutting -----------------------------------------------------------------------------------------------------

// All that hangs on `top`, itself included, is of the other tree from now on.
static bool change_sides(Sbl* sbl, int32_t top, uint8_t tree) {
    bool has_room = true;
    for (int32_t at = top; at >= 0 && has_room;) {
        sbl->counts[1 - tree][cell_of(sbl, at)] -= 1;
        has_room = join_members(sbl, at, tree);

        // Down, else to the next sibling of the nearest one above that has any.
        int32_t next = milestone(sbl, at)->first_child;
        while (next < 0 && at != top) {
            next = milestone(sbl, at)->next_sibling;
            at = next < 0 ? milestone(sbl, at)->parent : at;
        }
        at = next;
    }
    return has_room;
}

// The edge above `cut` is not free. The branch from there to the bridge's end is turned round and hangs on the other end.
static bool cut_tree(Sbl* sbl, const Candidate* path, int32_t cut) {
    const uint8_t tree = milestone(sbl, cut)->tree;
    int32_t at = path->ends[tree], above = path->ends[1 - tree];
    forget_edge(sbl, milestone(sbl, cut));
    take_down(sbl, cut);

    // From the bridge's end upward each parent becomes the child; edges are the same ones seen from the other side.
    int32_t edge = path->bridge;
    bool proven = sbl->by_lanes;  // the bridge was checked first
    for (;;) {
        Milestone* m = milestone(sbl, at);
        const int32_t parent = m->parent, own_edge = m->edge;
        const bool own_proven = m->proven;
        if (parent >= 0) {
            take_down(sbl, at);
        }
        m->edge = edge;
        m->proven = proven;
        hang(sbl, at, above);
        if (at == cut) {
            break;
        }
        above = at;
        at = parent;
        edge = own_edge;
        proven = own_proven;
    }
    return change_sides(sbl, path->ends[tree], (uint8_t)(1 - tree));
}

static void drop_bridge(Sbl* sbl, const Candidate* path) {
    if (path->bridge >= 0) {
        drop_edge(sbl, path->bridge);
    }
}

// The same by lanes, up to the first that is not free.
static bool ask_by_lanes(Sbl* sbl, const Candidate* path, int32_t* blocked) {
    for (int32_t i = 0; i < path->count; ++i) {
        const int32_t owner = path->owners[i];
        const int32_t from = owner >= 0 ? owner : path->ends[0];
        const int32_t to = owner >= 0 ? milestone(sbl, owner)->parent : path->ends[1];
        bool is_free = false;
        sbl->status = bi_space_ask_edge(sbl->space, point_of(sbl, from), point_of(sbl, to), &is_free);
        if (sbl->status != BERTH_OK || !is_free) {
            *blocked = i;
            return false;
        }
        if (owner >= 0) {
            milestone(sbl, owner)->proven = true;
        }
    }
    return true;
}

// Are all edges of the path free? `*blocked` is the first that is known not to be.
static bool ask_edges(Sbl* sbl, const Candidate* path, int32_t* blocked) {
    BerthMotionResult result;
    if (sbl->by_lanes) {
        return ask_by_lanes(sbl, path, blocked);
    }
    if (sbl->samples) {
        sbl->status = bi_sampled_check(&sbl->sampled, path->numbers, path->count, blocked);
        return sbl->status == BERTH_OK && *blocked < 0;
    }
    sbl->status =
        berth_path_cache_check(sbl->cache, path->numbers, path->count, CHECK_BUDGET, blocked, &result);
    return sbl->status == BERTH_OK && result.verdict == BERTH_FREE;
}

// Is the whole path free? If not, what stands in its way is cut.
static SearchEnd check_path(Sbl* sbl, Candidate* path) {
    BerthPlanStats* stats = &sbl->space->stats;
    int32_t blocked = -1;
    if (!list_edges(sbl, path)) {
        drop_bridge(sbl, path);
        return sbl->status != BERTH_OK ? SEARCH_FAILED : SEARCH_SPENT;
    }
    const bool is_free = ask_edges(sbl, path, &blocked);
    if (sbl->status != BERTH_OK) {
        return SEARCH_FAILED;
    }

    if (!sbl->by_lanes) {  // else each was counted when it was checked
        stats->edges += path->count;
        stats->free_edges += is_free ? path->count : 0;
    }
    if (is_free) {
        return SEARCH_FOUND;
    }
    if (blocked <= 0) {
        drop_bridge(sbl, path);
        return SEARCH_SPENT;
    }
    return cut_tree(sbl, path, path->owners[blocked]) ? SEARCH_SPENT : fail(sbl, BERTH_ERR_MEMORY);
}

// ---- the search --------------------------------------------------------------------------------------------------

// A free state near a member of the tree, nearer with every try. -1: none was found.
static int32_t expand(Sbl* sbl, uint8_t tree) {
    PlanSpace* space = sbl->space;
    double* sample = sbl->planner->scratch;
    const int32_t parent = pick(sbl, tree);
    for (int i = 1; i <= TRIES; ++i) {
        uint8_t is_free = 0;
        bi_space_sample_near(space, point_of(sbl, parent), NEIGHBOURHOOD / i, sample);
        sbl->status = bi_space_ask_points(space, sample, 1, &is_free);
        if (sbl->status != BERTH_OK) {
            return -1;
        }
        if (is_free) {
            const int32_t added = add(sbl, sample, parent, tree);
            sbl->status = added >= 0 ? BERTH_OK : BERTH_ERR_MEMORY;
            if (added >= 0) {
                bi_space_tell_edge(space, tree, point_of(sbl, parent), point_of(sbl, added));
            }
            return added;
        }
    }

    return -1;
}

// Both trees' branches, from the start through the bridge to the goal.
static bool tell_path(Sbl* sbl, const Candidate* found) {
    PlanPath* path = &sbl->planner->path;
    int32_t at = found->ends[0];
    bool has_room = true;
    // Upward from the bridge to the start, turned round below by pushing from the root.
    int32_t depth = 0;
    for (int32_t i = at; i >= 0; i = milestone(sbl, i)->parent) {
        depth += 1;
    }

    path->count = 0;
    for (int32_t level = depth - 1; level >= 0 && has_room; --level) {
        at = found->ends[0];
        for (int32_t i = 0; i < level; ++i) {
            at = milestone(sbl, at)->parent;
        }
        has_room = bi_plan_path_add(path, point_of(sbl, at));
    }

    for (at = found->ends[1]; at >= 0 && has_room; at = milestone(sbl, at)->parent) {
        has_room = bi_plan_path_add(path, point_of(sbl, at));
    }

    return has_room;
}

static SearchEnd turn(Sbl* sbl) {
    const uint8_t tree = (uint8_t)(bi_random_next(&sbl->space->random) & 1u);
    const int32_t added = expand(sbl, tree);
    if (added < 0) {
        return sbl->status != BERTH_OK ? SEARCH_FAILED : SEARCH_SPENT;
    }

    const double reach = BRIDGE * bi_space_extent(sbl->space);
    const int32_t other = nearest(sbl, (uint8_t)(1 - tree), point_of(sbl, added), reach);
    if (other < 0 || bi_space_turns_half(sbl->space, point_of(sbl, added), point_of(sbl, other))) {
        return SEARCH_SPENT;
    }
    Candidate path;
    path.ends[tree] = added;
    path.ends[1 - tree] = other;
    const SearchEnd end = check_path(sbl, &path);
    if (end != SEARCH_FOUND) {
        return end;
    }
    return tell_path(sbl, &path) ? SEARCH_FOUND : fail(sbl, BERTH_ERR_MEMORY);
}

static SearchEnd search(Sbl* sbl) {
    BerthPlanner* planner = sbl->planner;
    for (;;) {
        BerthStatus status = BERTH_OK;
        SearchEnd end = bi_plan_check_budget(planner, &status);
        if (end != SEARCH_FOUND || (int64_t)sbl->milestones.count >= sbl->space->def.state_limit) {
            return end == SEARCH_FAILED ? fail(sbl, status) : SEARCH_SPENT;
        }
        end = turn(sbl);
        if (end != SEARCH_SPENT) {
            return end;
        }
    }
}

// The roots of the planner's trees are the roots of these.
static bool plant(Sbl* sbl) {
    const PlanTree* trees = sbl->planner->trees;
    for (int tree = 0; tree < 2; ++tree) {
        for (int32_t i = 0; i < trees[tree].count; ++i) {
            if (add(sbl, plan_tree_point(&trees[tree], i), -1, (uint8_t)tree) < 0) {
                return false;
            }
        }
    }
    return true;
}

// Everything but the cache; close_search is due in any case.
static bool open_search(Sbl* sbl) {
    const BerthAllocator* allocator = &sbl->planner->allocator;
    bi_list_init(&sbl->milestones, allocator, sizeof(Milestone));
    bi_list_init(&sbl->points, allocator, sizeof(double));
    for (int tree = 0; tree < 2; ++tree) {
        bi_list_init(&sbl->members[tree], allocator, sizeof(int32_t));
        bi_nearest_init(&sbl->near[tree], allocator, sbl->space->dimension);
    }
    bi_sampled_create(&sbl->sampled, sbl->space);
    sbl->samples = sbl->space->resolution > 0.0;
    sbl->by_lanes = !sbl->samples && sbl->space->motion->lanes != NULL;
    sbl->axes[1] = sbl->space->dimension > 1 ? 1 : 0;
    sbl->scaled = bi_take_raw(allocator, (size_t)sbl->space->dimension, sizeof *sbl->scaled);
    return sbl->scaled != NULL;
}

static void close_search(Sbl* sbl) {
    berth_path_cache_destroy(sbl->cache);
    bi_sampled_destroy(&sbl->sampled);
    bi_give(&sbl->planner->allocator, sbl->scaled, (size_t)sbl->space->dimension, sizeof *sbl->scaled);
    for (int tree = 0; tree < 2; ++tree) {
        bi_list_free(&sbl->members[tree]);
        bi_nearest_free(&sbl->near[tree]);
    }
    bi_list_free(&sbl->milestones);
    bi_list_free(&sbl->points);
}

static BerthStatus create_cache(Sbl* sbl) {
    BerthPathCacheDef def = berth_default_path_cache_def();
    def.byte_limit = CACHE_BYTES;
    def.segment_limit = CACHE_EDGES;
    def.allocator = sbl->planner->allocator;
    return berth_path_cache_create(sbl->space->motion, &def, &sbl->cache);
}

SearchEnd bi_plan_search_sbl(BerthPlanner* planner, BerthStatus* status) {
    Sbl sbl = {.planner = planner, .space = &planner->space, .status = BERTH_OK};
    *status = open_search(&sbl) ? BERTH_OK : BERTH_ERR_MEMORY;
    if (*status == BERTH_OK && !sbl.samples && !sbl.by_lanes) {
        *status = create_cache(&sbl);
    }

    SearchEnd end = SEARCH_FAILED;
    if (*status == BERTH_OK) {
        end = plant(&sbl) ? search(&sbl) : fail(&sbl, BERTH_ERR_MEMORY);
        *status = sbl.status;
        planner->milestone_count = (int64_t)sbl.milestones.count;
    }
    close_search(&sbl);
    return end;
}
