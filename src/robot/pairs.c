// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which pairs of a robot's own links are checked (docs/theory/robot.md, Pairs).
//
// Listed (an SRDF): all pairs of links with geometry, except the disabled ones. Not listed: except pairs that never
// move relative to each other, neighbours, and pairs that overlap in the default state and in all of 1,000 random
// states. Among the pairs that a list disables, the same rule decides which are declared and which are only assumed;
// proven.c decides which are proven. A pair whose overlap could not be shown, for whatever reason, stays checked, or
// assumed: the rule errs only in that direction.
// Entries: bi_robot_find_pairs, bi_robot_solid_ball.

#include "robot/builder.h"

#include <string.h>

#include "mesh/mesh.h"
#include "shape/gap.h"

enum {
    RANDOM_STATE_COUNT = 1000,
    QUERY_NODE_BUDGET = 200000,
    // What one build may spend on the default rule; pairs that are undecided then stay checked. Costs are in units of
    // about 50 ns as measured, the dearest shapes (overlapping cylinders: GJK and EPA) taken for all.
    BALL_COST = 1,
    CALL_COST = 5,
    BV_COST = 1,
    LEAF_COST = 4,
    SHAPE_COST = 500,
    OVERLAP_BUDGET = 80000000
};
static const uint64_t RANDOM_SEED = 0x62657274680001u;

void bi_robot_solid_ball(const BerthSolid* solid, Vec3* centre, double* radius) {
    const BerthShape* shape = berth_solid_shape(solid);
    if (shape != NULL) {
        bi_shape_ball(shape, centre, radius);
        return;
    }

    const BerthMesh* mesh = berth_solid_mesh(solid);
    *centre = v3(0, 0, 0);
    *radius = INFINITY;
    if (mesh == NULL) {
        return;
    }

    const BerthMeshInfo info = berth_mesh_info(mesh);
    const Vec3* vertices = berth_mesh_vertices(mesh);
    *centre = v3_lerp(info.low, info.high, 0.5);
    double far_sq = 0.0;
    for (int32_t i = 0; i < info.vertex_count; ++i) {
        const double d_sq = v3_length_sq(v3_sub(vertices[i], *centre));
        far_sq = d_sq > far_sq ? d_sq : far_sq;
    }

    const Vec3 c = v3_max(v3_abs(info.low), v3_abs(info.high));
    *radius = sqrt(far_sq) + BI_DISTANCE_SLACK * (c.x + c.y + c.z);
}

static size_t pair_index(int32_t a, int32_t b) {
    const size_t high = (size_t)(a > b ? a : b);
    const size_t low = (size_t)(a > b ? b : a);
    return high * (high - 1) / 2 + low;
}

// ---- listed pairs -----------------------------------------------------------------------------------------

static bool pair_before(const BuildPair* a, const BuildPair* b) {
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

// Merge sort, from runs of one upward: no recursion, no foreign memory, and equal pairs stay in order.
static BuildPair* sort_pairs(BuildPair* pairs, BuildPair* spare, size_t count) {
    for (size_t size = 1; size < count; size *= 2) {
        for (size_t start = 0; start < count; start += 2 * size) {
            const size_t middle = start + size < count ? start + size : count;
            const size_t end = middle + size < count ? middle + size : count;
            size_t i = start, j = middle;

            for (size_t k = start; k < end; ++k) {
                if (i == middle || (j < end && pair_before(&pairs[j], &pairs[i]))) {
                    spare[k] = pairs[j++];
                } else {
                    spare[k] = pairs[i++];
                }
            }
        }

        BuildPair* swap = pairs;
        pairs = spare;
        spare = swap;
    }
    return pairs;
}

static BerthStatus store_reasons(BerthRobot* robot, BerthRobotBuilder* builder) {
    const size_t count = builder->disabled_count;
    BuildPair* spare = bi_arena_take(&builder->arena, count, sizeof *spare);
    robot->reasons = bi_arena_take(&robot->arena, count, sizeof *robot->reasons);
    if (spare == NULL || robot->reasons == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
    }

    const BuildPair* sorted = sort_pairs(builder->disabled, spare, count);
    for (size_t i = 0; i < count; ++i) {
        if (i > 0 && !pair_before(&sorted[i - 1], &sorted[i])) {
            continue;  // listed twice: the first reason stays
        }

        // Few reasons occur many times: the one before is often the same text.
        const RobotPairReason* last =
            robot->reason_count > 0 ? &robot->reasons[robot->reason_count - 1] : NULL;
        const char* reason = NULL;
        if (last != NULL && strcmp(last->reason, sorted[i].reason) == 0) {
            reason = last->reason;
        } else {
            reason = bi_arena_copy_text(&robot->arena, sorted[i].reason, strlen(sorted[i].reason));
        }

        if (reason == NULL) {
            return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
        }

        robot->reasons[robot->reason_count++] = (RobotPairReason){sorted[i].a, sorted[i].b, reason};
    }
    return BERTH_OK;
}

static void set_rule(BerthRobot* robot, int32_t link_a, int32_t link_b, BerthPairRule rule) {
    const int32_t a = robot->links[link_a].geometry;
    const int32_t b = robot->links[link_b].geometry;
    if (a >= 0 && b >= 0) {
        robot->rules[pair_index(a, b)] = (uint8_t)rule;
    }
}

// Defaults off, then enabled, then disabled.
static BerthStatus apply_listed_pairs(BerthRobot* robot, BerthRobotBuilder* builder) {
    for (int32_t i = 0; i < (int32_t)builder->link_disabled_count; ++i) {
        const int32_t self = robot->links[i].geometry;
        for (int32_t other = 0; builder->link_disabled[i] && self >= 0 && other < robot->geometry_count;
             ++other) {
            if (other != self) {
                robot->rules[pair_index(self, other)] = BERTH_PAIR_DISABLED;
            }
        }
    }

    for (size_t i = 0; i < builder->enabled_count; ++i) {
        set_rule(robot, builder->enabled[i].a, builder->enabled[i].b, BERTH_PAIR_CHECKED);
    }

    for (size_t i = 0; i < builder->disabled_count; ++i) {
        set_rule(robot, builder->disabled[i].a, builder->disabled[i].b, BERTH_PAIR_DISABLED);
    }

    return store_reasons(robot, builder);
}

// ---- the default rule -------------------------------------------------------------------------------------

static bool are_neighbours(const BerthRobot* robot, int32_t frame_a, int32_t frame_b) {
    return robot->frames[frame_a].parent == frame_b || robot->frames[frame_b].parent == frame_a;
}

typedef struct Suspect {
    int32_t a, b;  // links
} Suspect;

typedef struct Overlap {
    const BerthRobot* robot;
    BerthTreeQuery* query;
    Pose* frames;
    double* values;
    int64_t work_left;
} Overlap;

// True when two links are shown to overlap where overlap->frames has them. Pays from overlap->work_left.
static bool prove_links_overlap(Overlap* overlap, int32_t a, int32_t b) {
    const BerthRobot* robot = overlap->robot;
    const RobotLink* link_a = &robot->links[a];
    const RobotLink* link_b = &robot->links[b];

    for (int32_t i = 0; i < link_a->solid_count; ++i) {
        const RobotSolid* solid_a = &robot->solids[link_a->first_solid + i];
        const Vec3 centre_a = pose_apply(&overlap->frames[solid_a->frame], solid_a->centre);
        for (int32_t j = 0; j < link_b->solid_count; ++j) {
            const RobotSolid* solid_b = &robot->solids[link_b->first_solid + j];
            const Vec3 centre_b = pose_apply(&overlap->frames[solid_b->frame], solid_b->centre);

            overlap->work_left -= BALL_COST;
            if (overlap->work_left < 0) {
                return false;
            }
            if (v3_distance(centre_a, centre_b) > solid_a->radius + solid_b->radius) {
                continue;
            }

            const Pose pose_a = pose_mul(&overlap->frames[solid_a->frame], &solid_a->frame_from_solid);
            const Pose pose_b = pose_mul(&overlap->frames[solid_b->frame], &solid_b->frame_from_solid);
            const BerthTreeAnswer answer =
                berth_tree_collide(overlap->query, solid_a->solid, &pose_a, solid_b->solid, &pose_b, 0.0);
            overlap->work_left -= BV_COST * answer.counters.bv_tests +
                                  LEAF_COST * answer.counters.leaf_tests +
                                  SHAPE_COST * answer.counters.shape_tests + CALL_COST;

            if (answer.verdict == BERTH_COLLISION) {
                return true;
            }
        }
    }

    return false;
}

// Marks rigid pairs and neighbours, and lists the other pairs that overlap in the default state. With a list: of the
// pairs that it disables. Links joined by fixed joints only are one body whatever a list says: one that leaves them out does
// not mean that they collide (the UR5's does not name its flange and the tool frame that sits in it).
static BerthStatus find_suspects(BerthRobot* robot, Overlap* overlap, Arena* arena, Suspect** out,
                                 size_t* count) {
    size_t capacity = 0;
    int32_t* with = bi_arena_take(arena, (size_t)robot->geometry_count, sizeof *with);
    if (with == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
    }

    for (int32_t i = 0; i < robot->link_count; ++i) {
        if (robot->links[i].geometry >= 0) {
            with[robot->links[i].geometry] = i;
        }
    }

    for (int32_t i = 1; i < robot->geometry_count; ++i) {
        for (int32_t j = 0; j < i; ++j) {
            const int32_t a = with[j], b = with[i];
            const int32_t frame_a = robot->links[a].frame, frame_b = robot->links[b].frame;
            uint8_t* rule = &robot->rules[pair_index(i, j)];

            if (frame_a == frame_b) {
                *rule = BERTH_PAIR_RIGID;
            } else if (robot->listed_pairs && *rule != BERTH_PAIR_DISABLED) {
                continue;
            } else if (are_neighbours(robot, frame_a, frame_b)) {
                *rule = BERTH_PAIR_ADJACENT;
            } else if (prove_links_overlap(overlap, a, b)) {
                Suspect* grown = bi_arena_grow(arena, *out, *count, *count + 1, &capacity, sizeof *grown);
                if (grown == NULL) {
                    return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
                }
                *out = grown;
                (*out)[(*count)++] = (Suspect){a, b};
            }
        }
    }

    return BERTH_OK;
}

// Suspects that stand apart in some random state are cleared; the rest always overlap.
static void keep_always_overlapping(BerthRobot* robot, Overlap* overlap, Suspect* suspects, size_t count) {
    const Pose base = pose_identity();
    Random random = {RANDOM_SEED};
    for (int state = 0; state < RANDOM_STATE_COUNT && count > 0; ++state) {
        bi_robot_random_values(robot, &random, overlap->values);
        bi_robot_frame_poses(robot, &base, overlap->values, overlap->frames);

        size_t kept = 0;
        for (size_t i = 0; i < count; ++i) {
            if (prove_links_overlap(overlap, suspects[i].a, suspects[i].b)) {
                suspects[kept++] = suspects[i];
            }
        }

        count = kept;
    }

    for (size_t i = 0; i < count; ++i) {
        set_rule(robot, suspects[i].a, suspects[i].b, BERTH_PAIR_ALWAYS_OVERLAP);
    }
}

// Over all pairs, or with a list over those that it disables.
static BerthStatus apply_default_rule(BerthRobot* robot, BerthRobotBuilder* builder) {
    Arena* arena = &builder->arena;
    Overlap overlap = {.robot = robot, .work_left = OVERLAP_BUDGET};
    overlap.frames = bi_arena_take(arena, (size_t)robot->frame_count, sizeof *overlap.frames);
    overlap.values = bi_arena_take(arena, (size_t)robot->value_count, sizeof *overlap.values);
    if (overlap.frames == NULL || overlap.values == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
    }

    BerthStatus status = berth_tree_query_create(QUERY_NODE_BUDGET, &robot->allocator, &overlap.query);
    if (status != BERTH_OK) {
        return status;
    }

    const Pose base = pose_identity();
    berth_robot_default_values(robot, overlap.values);
    bi_robot_frame_poses(robot, &base, overlap.values, overlap.frames);

    Suspect* suspects = NULL;
    size_t count = 0;
    status = find_suspects(robot, &overlap, arena, &suspects, &count);
    if (status == BERTH_OK) {
        keep_always_overlapping(robot, &overlap, suspects, count);
    }

    berth_tree_query_destroy(overlap.query);
    return status;
}

BerthStatus bi_robot_find_pairs(BerthRobot* robot, BerthRobotBuilder* builder) {
    const size_t n = (size_t)robot->geometry_count;
    robot->listed_pairs = builder->listed_pairs;
    robot->rules = bi_arena_take(&robot->arena, n > 1 ? n * (n - 1) / 2 : 0, 1);
    if (robot->rules == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
    }

    // What a list disables is declared where the default rule would skip it too, proven where a table says so
    // (proven.c), and taken on trust otherwise.
    BerthStatus status = BERTH_OK;
    if (builder->listed_pairs) {
        status = apply_listed_pairs(robot, builder);
    }
    if (status == BERTH_OK && n > 1) {
        status = apply_default_rule(robot, builder);
    }
    return status;
}
