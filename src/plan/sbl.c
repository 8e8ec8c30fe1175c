// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// SBL (Sanchez and Latombe, 2001) with the adaptive checker, as paper 001 has it (V-D, A-SBL): two trees of free states whose
// edges are not checked until a path of them leads from the start to a goal; then all edges of that path are checked
// together, likeliest collision first, and what was found out about each is kept in a path cache. An edge that is not free is
// cut. If it was within a tree, what hangs between it and the bridge changes sides: its edges are turned round along the path.
// Entry: bi_plan_sbl.

#include <math.h>
#include <string.h>

#include "base/list.h"
#include "plan/plan.h"

// New states are at most this share of each value's range from the one they hang on, and bridges this share of the diagonal.
static const double NEIGHBOURHOOD = 0.15, BRIDGE = 0.3;
enum { TRIES = 8, CANDIDATES = 4, CELLS_A_SIDE = 10, PATH_EDGES = 512, CACHE_EDGES = 2048 };
#define CACHE_BYTES ((size_t)96 << 20)
#define CHECK_BUDGET ((int64_t)2000000)

/// A free state. Its edge is the one to its parent.
typedef struct Milestone {
    int32_t parent, first_child, next_sibling;
    int32_t edge;  // number in the cache, or -1
    uint8_t tree;
} Milestone;

typedef struct Sbl {
    BerthPlanner* planner;
    PlanSpace* space;
    BerthPathCache* cache;
    GrowList milestones, points, members[2];  // members: numbers of milestones; some have changed sides
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

// Those that have changed sides are left in the list until they are too many.
static void tidy_members(Sbl* sbl, uint8_t tree) {
    GrowList* members = &sbl->members[tree];
    if (members->count < 2 * sbl->milestones.count + 64) {
        return;
    }
    int32_t* list = members->data;
    members->count = 0;
    for (int32_t i = 0; i < (int32_t)sbl->milestones.count; ++i) {
        if (milestone(sbl, i)->tree == tree) {
            list[members->count++] = i;
        }
    }
}

static bool join_members(Sbl* sbl, int32_t index, uint8_t tree) {
    tidy_members(sbl, tree);
    int32_t* place = bi_list_more(&sbl->members[tree], 1);
    if (place == NULL) {
        return false;
    }
    *place = index;
    sbl->members[tree].count += 1;
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

static int32_t nearest(const Sbl* sbl, uint8_t tree, const double* point, double* distance) {
    int32_t best = -1;
    *distance = INFINITY;
    for (int32_t i = 0; i < (int32_t)sbl->milestones.count; ++i) {
        if (milestone(sbl, i)->tree == tree) {
            const double d = bi_space_distance(sbl->space, point, point_of(sbl, i));
            if (d < *distance) {
                *distance = d;
                best = i;
            }
        }
    }
    return best;
}

// ---- edges -------------------------------------------------------------------------------------------------------

static void forget_edge(Sbl* sbl, Milestone* m) {
    if (m->edge >= 0) {
        berth_path_cache_drop(sbl->cache, m->edge);
        m->edge = -1;
        sbl->cached -= 1;
    }
}

// The edge from a milestone to another point, in the cache.
static bool put_in_cache(Sbl* sbl, int32_t from, const double* to, int32_t* number) {
    PlanSpace* space = sbl->space;
    const int32_t values = space->value_count;
    bi_space_state(space, point_of(sbl, from), space->edge);
    bi_space_state(space, to, space->edge + values);
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
    bool fits = true;
    for (int32_t at = top; at >= 0 && fits;) {
        sbl->counts[1 - tree][cell_of(sbl, at)] -= 1;
        fits = join_members(sbl, at, tree);

        // Down, else to the next sibling of the nearest one above that has any.
        int32_t next = milestone(sbl, at)->first_child;
        while (next < 0 && at != top) {
            next = milestone(sbl, at)->next_sibling;
            at = next < 0 ? milestone(sbl, at)->parent : at;
        }
        at = next;
    }
    return fits;
}

// The edge above `cut` is not free. The branch from there to the bridge's end is turned round and hangs on the other end.
static bool cut_tree(Sbl* sbl, const Candidate* path, int32_t cut) {
    const uint8_t tree = milestone(sbl, cut)->tree;
    int32_t at = path->ends[tree], above = path->ends[1 - tree];
    forget_edge(sbl, milestone(sbl, cut));
    take_down(sbl, cut);

    // From the bridge's end upward each parent becomes the child; edges are the same ones seen from the other side.
    int32_t edge = path->bridge;
    for (;;) {
        Milestone* m = milestone(sbl, at);
        const int32_t parent = m->parent, own_edge = m->edge;
        if (parent >= 0) {
            take_down(sbl, at);
        }
        m->edge = edge;
        hang(sbl, at, above);
        if (at == cut) {
            break;
        }
        above = at;
        at = parent;
        edge = own_edge;
    }
    return change_sides(sbl, path->ends[tree], (uint8_t)(1 - tree));
}

static void drop_bridge(Sbl* sbl, const Candidate* path) {
    if (path->bridge >= 0) {
        berth_path_cache_drop(sbl->cache, path->bridge);
        sbl->cached -= 1;
    }
}

// Is the whole path free? If not, what stands in its way is cut.
static SearchEnd check_path(Sbl* sbl, Candidate* path) {
    BerthPlanStats* stats = &sbl->space->stats;
    int32_t blocked = -1;
    BerthMotionResult result;
    if (!list_edges(sbl, path)) {
        drop_bridge(sbl, path);
        return sbl->status != BERTH_OK ? SEARCH_FAILED : SEARCH_SPENT;
    }
    sbl->status =
        berth_path_cache_check(sbl->cache, path->numbers, path->count, CHECK_BUDGET, &blocked, &result);
    if (sbl->status != BERTH_OK) {
        return SEARCH_FAILED;
    }
    stats->edges += path->count;

    if (result.verdict == BERTH_FREE) {
        stats->free_edges += path->count;
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
            return added;
        }
    }

    return -1;
}

// Both trees' branches, from the start through the bridge to the goal.
static bool tell_path(Sbl* sbl, const Candidate* found) {
    PlanPath* path = &sbl->planner->path;
    int32_t at = found->ends[0];
    bool fits = true;
    // Upward from the bridge to the start, turned round below by pushing from the root.
    int32_t depth = 0;
    for (int32_t i = at; i >= 0; i = milestone(sbl, i)->parent) {
        depth += 1;
    }

    path->count = 0;
    for (int32_t level = depth - 1; level >= 0 && fits; --level) {
        at = found->ends[0];
        for (int32_t i = 0; i < level; ++i) {
            at = milestone(sbl, at)->parent;
        }
        fits = bi_plan_path_add(path, point_of(sbl, at));
    }

    for (at = found->ends[1]; at >= 0 && fits; at = milestone(sbl, at)->parent) {
        fits = bi_plan_path_add(path, point_of(sbl, at));
    }

    return fits;
}

static SearchEnd turn(Sbl* sbl) {
    const uint8_t tree = (uint8_t)(bi_random_next(&sbl->space->random) & 1u);
    const int32_t added = expand(sbl, tree);
    if (added < 0) {
        return sbl->status != BERTH_OK ? SEARCH_FAILED : SEARCH_SPENT;
    }

    double distance;
    const int32_t other = nearest(sbl, (uint8_t)(1 - tree), point_of(sbl, added), &distance);
    if (other < 0 || !(distance <= BRIDGE * bi_space_extent(sbl->space))) {
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
        SearchEnd end = bi_plan_budget(planner, &status);
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

SearchEnd bi_plan_sbl(BerthPlanner* planner, BerthStatus* status) {
    static const size_t int_size = sizeof(int32_t);
    Sbl sbl = {.planner = planner, .space = &planner->space, .status = BERTH_OK};
    bi_list_init(&sbl.milestones, &planner->allocator, sizeof(Milestone));
    bi_list_init(&sbl.points, &planner->allocator, sizeof(double));
    bi_list_init(&sbl.members[0], &planner->allocator, int_size);
    bi_list_init(&sbl.members[1], &planner->allocator, int_size);
    sbl.axes[1] = sbl.space->dimension > 1 ? 1 : 0;

    BerthPathCacheDef def = berth_default_path_cache_def();
    def.byte_limit = CACHE_BYTES;
    def.segment_limit = CACHE_EDGES;
    def.allocator = planner->allocator;
    *status = berth_path_cache_create(sbl.space->motion, &def, &sbl.cache);
    SearchEnd end = SEARCH_FAILED;
    if (*status == BERTH_OK) {
        end = plant(&sbl) ? search(&sbl) : fail(&sbl, BERTH_ERR_MEMORY);
        *status = sbl.status;
        planner->milestone_count = (int64_t)sbl.milestones.count;
    }

    berth_path_cache_destroy(sbl.cache);
    bi_list_free(&sbl.milestones);
    bi_list_free(&sbl.points);
    bi_list_free(&sbl.members[0]);
    bi_list_free(&sbl.members[1]);
    return end;
}
