// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes hierarchies. One pass from the last frame to the first: when frame f is reached, the balls of all
// links below are in f's axes, so MR_f is around them, every pair whose last common ancestor is f can be
// compared, and a step of f's joint carries them on. The tables of subtrees are minima over children.
// docs/theory/proof.md has the derivations.
// Entry: bi_hierarchy_create.

#include "proof/hierarchy.h"

#include "tree/solid.h"

HierarchyDef bi_hierarchy_default_def(void) {
    return (HierarchyDef){.method = HIERARCHY_BALLS, .step = 0.2};
}

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "hierarchy: out of memory");
}

double bi_hierarchy_ball_gap(Ball a, Ball b) {
    const double reach = a.radius + b.radius;
    if (!(a.radius >= 0.0 && b.radius >= 0.0 && reach < INFINITY)) {
        return -INFINITY;
    }

    const double apart = v3_distance(a.centre, b.centre) - reach;
    const double slack = BI_DISTANCE_SLACK * (v3_length(a.centre) + v3_length(b.centre) + reach);
    return apart == apart ? apart - slack : -INFINITY;
}

// ---- R ------------------------------------------------------------------------------------------------------

static Ball solid_ball(const RobotSolid* solid) {
    const BerthMesh* mesh = solid->solid->mesh;
    if (!solid->solid->is_mesh || mesh == NULL) {
        return (Ball){solid->centre, solid->radius};
    }

    const Ball local = bi_ball_smallest(mesh->vertices, mesh->info.vertex_count);
    const Vec3 c = pose_apply(&solid->frame_from_solid, local.centre);
    const double lengths = v3_length(local.centre) + v3_length(solid->frame_from_solid.t) + local.radius;
    const Ball tight = {c, local.radius + BI_DISTANCE_SLACK * lengths};
    return tight.radius < solid->radius ? tight : (Ball){solid->centre, solid->radius};
}

Ball bi_hierarchy_link_ball(const BerthRobot* robot, int32_t link) {
    const RobotLink* l = &robot->links[link];
    Ball sum = {v3(0, 0, 0), -1.0};
    for (int32_t i = 0; i < l->solid_count; ++i) {
        const Ball one = solid_ball(&robot->solids[l->first_solid + i]);
        sum = sum.radius < 0.0 ? one : bi_ball_merge(sum, one);
    }
    return sum;
}

// ---- the sweep ----------------------------------------------------------------------------------------------

// A ball around balls; without bound when one of them is.
static Ball ball_around(const Ball* balls, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        if (!(balls[i].radius < INFINITY)) {
            return (Ball){v3(0, 0, 0), INFINITY};
        }
    }
    return bi_ball_of_balls(balls, count);
}

static BerthStatus list_links(const BerthRobot* robot, Arena* arena, HierarchyLinks* out) {
    *out = (HierarchyLinks){.count = robot->geometry_count};
    out->link = bi_arena_take(arena, (size_t)robot->geometry_count, sizeof *out->link);
    out->first = bi_arena_take(arena, (size_t)robot->frame_count + 1, sizeof *out->first);
    if (out->link == NULL || out->first == NULL) {
        return no_memory();
    }

    // Counting sort by frame.
    for (int32_t i = 0; i < robot->link_count; ++i) {
        if (robot->links[i].geometry >= 0) {
            out->first[robot->links[i].frame + 1] += 1;
        }
    }

    for (int32_t f = 0; f < robot->frame_count; ++f) {
        out->first[f + 1] += out->first[f];
    }

    for (int32_t i = robot->link_count - 1; i >= 0; --i) {
        // Filled from the end of each frame's range; `first` is restored below.
        if (robot->links[i].geometry >= 0) {
            out->link[--out->first[robot->links[i].frame + 1]] = i;
        }
    }

    for (int32_t f = 0; f < robot->frame_count; ++f) {
        out->first[f] = out->first[f + 1];
    }

    out->first[robot->frame_count] = robot->geometry_count;
    return BERTH_OK;
}

void bi_hierarchy_set_link_gap(Hierarchy* h, int32_t link_a, int32_t link_b, double least) {
    const BerthRobot* robot = h->robot;
    const int32_t a = robot->links[link_a].geometry;
    const int32_t b = robot->links[link_b].geometry;
    const size_t high = (size_t)(a > b ? a : b);
    const size_t low = (size_t)(a > b ? b : a);
    h->links[high * (high - 1) / 2 + low] = bi_float_down(least);
}

// Pairs whose last common ancestor is f: a link of one child's subtree with f's own or with an earlier child's.
static void compare_below(Hierarchy* h, const HierarchyLinks* links, const Ball* carried, int32_t f) {
    const RobotFrame* frames = h->robot->frames;
    for (int32_t c = f + 1; c < frames[f].end; c = frames[c].end) {
        for (int32_t p = links->first[c]; p < links->first[frames[c].end]; ++p) {
            for (int32_t q = links->first[f]; q < links->first[c]; ++q) {
                bi_hierarchy_set_link_gap(h, links->link[p], links->link[q],
                                          bi_hierarchy_ball_gap(carried[p], carried[q]));
            }
        }
    }
}

static BerthStatus sweep_balls(Hierarchy* h, const HierarchyLinks* links, Arena* scratch) {
    const BerthRobot* robot = h->robot;
    Ball* carried = bi_arena_take(scratch, (size_t)links->count, sizeof *carried);
    if (carried == NULL) {
        return no_memory();
    }

    for (int32_t f = h->frame_count - 1; f >= 0; --f) {
        const int32_t first = links->first[f], own = links->first[f + 1];
        const int32_t end = links->first[robot->frames[f].end];

        for (int32_t p = first; p < own; ++p) {
            carried[p] = bi_hierarchy_link_ball(robot, links->link[p]);
        }

        h->rigid[f] = ball_around(carried + first, own - first);
        h->both[f] = ball_around(carried + first, end - first);
        compare_below(h, links, carried, f);

        for (int32_t p = first; p < end; ++p) {
            carried[p] = bi_range_step(&robot->frames[f], carried[p], h->low, h->high);
        }

        // Two balls that both contain M_f: around what was carried, and MR_f moved as a whole.
        const Ball links_moved = ball_around(carried + first, end - first);
        const Ball moved = h->both[f].radius < 0.0
                               ? h->both[f]
                               : bi_range_step(&robot->frames[f], h->both[f], h->low, h->high);
        h->motion[f] = moved.radius < links_moved.radius ? moved : links_moved;
    }
    return BERTH_OK;
}

// ---- proofs -------------------------------------------------------------------------------------------------

// Pairs that are checked and that balls leave open: many links are near each other in every state and never touch. Their
// proof splits the box of joint values (proof/proof.h).
static BerthStatus prove_pairs(Hierarchy* h, const HierarchyLinks* links, BerthProver* prover) {
    const BerthRobot* robot = h->robot;
    for (int32_t p = 0; p < links->count; ++p) {
        for (int32_t q = 0; q < p; ++q) {
            const int32_t a = links->link[p], b = links->link[q];
            const int32_t ga = robot->links[a].geometry, gb = robot->links[b].geometry;
            if (robot->links[a].frame == robot->links[b].frame || bi_hierarchy_link_gap(h, ga, gb) > 0.0f ||
                bi_robot_pair_rule(robot, a, b) != BERTH_PAIR_CHECKED) {
                continue;
            }

            BerthPairProof proof;
            const BerthStatus status = berth_prover_pair(prover, a, b, NULL, NULL, &proof);
            if (status != BERTH_OK) {
                return status;
            }

            if (proof.never) {
                bi_hierarchy_set_link_gap(h, a, b, (double)BI_HIERARCHY_NEVER);
            }
        }
    }
    return BERTH_OK;
}

// What the robot's proven table says, where balls say less.
static void enter_proven_gaps(Hierarchy* h, const HierarchyLinks* links) {
    const BerthRobot* robot = h->robot;
    for (int32_t p = 0; robot->proven != NULL && p < links->count; ++p) {
        for (int32_t q = 0; q < p; ++q) {
            const int32_t a = links->link[p], b = links->link[q];
            const double gap = bi_robot_proven_gap(robot, a, b);
            if (gap > (double)bi_hierarchy_link_gap(h, robot->links[a].geometry, robot->links[b].geometry)) {
                bi_hierarchy_set_link_gap(h, a, b, gap);
            }
        }
    }
}

static BerthStatus prove_open_pairs(Hierarchy* h, const HierarchyDef* def, const HierarchyLinks* links) {
    BerthProofModel* model = NULL;
    BerthProver* prover = NULL;

    BerthStatus status = berth_proof_model_create(h->robot, &h->allocator, &model);
    if (status == BERTH_OK) {
        status = berth_prover_create(model, def->proof, &h->allocator, &prover);
    }
    if (status == BERTH_OK) {
        status = prove_pairs(h, links, prover);
    }

    berth_prover_destroy(prover);
    berth_proof_model_destroy(model);
    return status;
}

// ---- tables -------------------------------------------------------------------------------------------------

static float least_of(float a, float b) {
    return a < b ? a : b;
}

// Pairs of links that the rules check, seen as pairs of frames. Links of one frame never move against each other, and
// a pair that is not checked is true by declaration: both are +infinity.
static void fill_base(Hierarchy* h) {
    const BerthRobot* robot = h->robot;
    const size_t n = (size_t)h->frame_count;

    for (size_t i = 0; i < n * n; ++i) {
        h->base[i] = INFINITY;
    }

    for (int32_t a = 0; a < robot->link_count; ++a) {
        for (int32_t b = 0; b < a && robot->links[a].geometry >= 0; ++b) {
            const int32_t i = robot->links[a].frame, j = robot->links[b].frame;
            const BerthPairRule rule = bi_robot_pair_rule(robot, a, b);
            if (i == j || (rule != BERTH_PAIR_CHECKED && rule != BERTH_PAIR_PROVEN)) {
                continue;
            }

            float* entry = &h->base[(size_t)i * n + (size_t)j];
            *entry = least_of(*entry,
                              bi_hierarchy_link_gap(h, robot->links[a].geometry, robot->links[b].geometry));
            h->base[(size_t)j * n + (size_t)i] = *entry;
        }
    }
}

// Eq. (3) and (4): what holds for a subtree is the least over its frame and its children's subtrees. Parents come
// before children, so one pass from the back is enough.
static void fill_subtrees(Hierarchy* h) {
    const RobotFrame* frames = h->robot->frames;
    const size_t n = (size_t)h->frame_count;

    for (size_t i = 0; i < n * n; ++i) {
        h->rigid_motion[i] = h->base[i];
    }

    for (size_t i = 0; i < n; ++i) {
        float* row = h->rigid_motion + i * n;
        for (size_t j = n - 1; j > 0; --j) {
            const size_t parent = (size_t)frames[j].parent;
            row[parent] = least_of(row[parent], row[j]);
        }
    }

    for (size_t i = 0; i < n * n; ++i) {
        h->motion_motion[i] = h->rigid_motion[i];
    }

    for (size_t i = n - 1; i > 0; --i) {
        float* parent = h->motion_motion + (size_t)frames[i].parent * n;
        const float* row = h->motion_motion + i * n;
        for (size_t j = 0; j < n; ++j) {
            parent[j] = least_of(parent[j], row[j]);
        }
    }
}

// Eq. (9) to (12), with one difference: a list may have neighbours checked, so R_i is compared with all of its
// children's subtrees and not only with their children's. Where neighbours are skipped it is the same.
static void fill_self(Hierarchy* h) {
    const RobotFrame* frames = h->robot->frames;
    const int32_t n = h->frame_count;
    for (int32_t f = n - 1; f >= 0; --f) {
        float least = INFINITY;
        for (int32_t c = f + 1; c < frames[f].end; c = frames[c].end) {
            least = least_of(least, bi_hierarchy_entry(h->rigid_motion, n, f, c));
            least = least_of(least, h->self_free[c]);
            for (int32_t d = f + 1; d < c; d = frames[d].end) {
                least = least_of(least, bi_hierarchy_entry(h->motion_motion, n, c, d));
            }
        }
        h->self_free[f] = least;
    }
}

// ---- all of it ----------------------------------------------------------------------------------------------

static BerthStatus check_def(const BerthRobot* robot, const HierarchyDef* def) {
    if (robot->frame_count > BI_HIERARCHY_FRAME_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "hierarchy: robot '%s' has %d moving parts, at most %d",
                       robot->name, (int)robot->frame_count, (int)BI_HIERARCHY_FRAME_MAX);
    }
    if (def->method == HIERARCHY_SAMPLED && !(def->step > 0.0 && def->step <= 1.5)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "hierarchy: step is %g rad, must be above 0 and at most 1.5",
                       def->step);
    }
    return BERTH_OK;
}

static bool take_arrays(Hierarchy* h) {
    const size_t n = (size_t)h->frame_count, g = (size_t)h->geometry_count;
    const size_t values = (size_t)h->robot->value_count;

    h->low = bi_arena_take(&h->arena, values, sizeof *h->low);
    h->high = bi_arena_take(&h->arena, values, sizeof *h->high);
    h->rigid = bi_arena_take(&h->arena, n, sizeof *h->rigid);
    h->motion = bi_arena_take(&h->arena, n, sizeof *h->motion);
    h->both = bi_arena_take(&h->arena, n, sizeof *h->both);

    h->links = bi_arena_take(&h->arena, g > 0 ? g * (g - 1) / 2 : 0, sizeof *h->links);
    h->base = bi_arena_take(&h->arena, n * n, sizeof *h->base);
    h->rigid_motion = bi_arena_take(&h->arena, n * n, sizeof *h->rigid_motion);
    h->motion_motion = bi_arena_take(&h->arena, n * n, sizeof *h->motion_motion);
    h->self_free = bi_arena_take(&h->arena, n, sizeof *h->self_free);

    return h->low && h->high && h->rigid && h->motion && h->both && h->links && h->base && h->rigid_motion &&
           h->motion_motion && h->self_free;
}

static BerthStatus fill_hierarchy(Hierarchy* h, const HierarchyDef* def, Arena* scratch) {
    if (!take_arrays(h)) {
        return no_memory();
    }

    bi_range_limits(h->robot, h->low, h->high);
    const size_t g = (size_t)h->geometry_count;
    for (size_t i = 0; i < (g > 0 ? g * (g - 1) / 2 : 0); ++i) {
        h->links[i] = INFINITY;  // of one frame, until a sweep says otherwise
    }

    HierarchyLinks links;
    BerthStatus status = list_links(h->robot, scratch, &links);
    if (status == BERTH_OK) {
        status = def->method == HIERARCHY_SAMPLED ? bi_hierarchy_sample(h, def, &links)
                                                  : sweep_balls(h, &links, scratch);
    }

    if (status == BERTH_OK) {
        enter_proven_gaps(h, &links);
    }
    if (status == BERTH_OK && def->proof != NULL) {
        status = prove_open_pairs(h, def, &links);
    }

    if (status == BERTH_OK) {
        fill_base(h);
        fill_subtrees(h);
        fill_self(h);
    }
    return status;
}

BerthStatus bi_hierarchy_create(const BerthRobot* robot, const HierarchyDef* def, Hierarchy** out) {
    *out = NULL;
    BerthStatus status = check_def(robot, def);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    Hierarchy* h = bi_take(&from, 1, sizeof *h);
    if (h == NULL) {
        return no_memory();
    }

    h->allocator = from;
    h->robot = robot;
    h->frame_count = robot->frame_count;
    h->geometry_count = robot->geometry_count;
    bi_arena_init(&h->arena, &from, 0);

    Arena scratch;
    bi_arena_init(&scratch, &from, 0);
    status = fill_hierarchy(h, def, &scratch);
    bi_arena_free(&scratch);

    if (status != BERTH_OK) {
        bi_hierarchy_destroy(h);
        return status;
    }

    *out = h;
    return BERTH_OK;
}

void bi_hierarchy_destroy(Hierarchy* h) {
    if (h != NULL) {
        const BerthAllocator from = h->allocator;
        bi_arena_free(&h->arena);
        bi_give(&from, h, 1, sizeof *h);
    }
}
