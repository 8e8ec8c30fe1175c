// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// After every cycle, whatever moved and how far: each body is in exactly the leaves a full descent finds, the pairs told are
// those of the plain list of all pairs, no pair of extended bodies that touch is missing, and the tree keeps its rules. At
// BERTH_TEST_SCALE=14 these are over 100,000 cycles.
// test-share: 0.4

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <berth/io.h>

#include "check/check.h"
#include "index/index.h"
#include "math/math.h"
#include "support/program.h"
#include "support/setting.h"

enum { BODIES = 60, MOVERS = 22, PAIRS = 4 * BODIES * BODIES };

typedef struct World {
    Random random;
    BerthShape shapes[BODIES];
    Pose poses[BODIES];
    double extensions[BODIES];
    bool moves[BODIES], shown[BODIES];
    bool allowed[BODIES][BODIES];
} World;

static double between(World* w, double low, double high) {
    return bi_random_between(&w->random, low, high);
}

static Pose random_pose(World* w, double reach) {
    const BerthQuat q = bi_random_quat(&w->random);
    const Vec3 t = v3(between(w, -reach, reach), between(w, -reach, reach), between(w, -reach, reach));
    return bi_pose_from_unit_quat(q, t);
}

static BerthShape random_shape(World* w) {
    BerthShape shape;
    const double r = between(w, 0.02, 0.25);
    const double l = between(w, 0.0, 0.8);
    switch ((int)between(w, 0.0, 5.0)) {
    case 0:
        assert_int_equal(berth_shape_sphere(r, &shape), BERTH_OK);
        break;
    case 1:
        assert_int_equal(berth_shape_box((BerthVec3){r, 0.05 + l, 0.05}, &shape), BERTH_OK);
        break;
    case 2:
        assert_int_equal(berth_shape_cylinder(r, 0.1 + l, &shape), BERTH_OK);
        break;
    default:
        assert_int_equal(berth_shape_capsule(r, l, &shape), BERTH_OK);
        break;
    }
    return shape;
}

static void make_world(World* w, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->random.state = seed;
    for (int i = 0; i < BODIES; ++i) {
        w->shapes[i] = random_shape(w);
        w->poses[i] = random_pose(w, i % 9 == 0 ? 0.1 : 1.8);
        w->extensions[i] = i % 3 == 0 ? 0.0 : between(w, 0.0, 0.05);
        w->moves[i] = i < MOVERS;
        w->shown[i] = true;
    }
}

static void fill(BerthIndex* index, World* w) {
    for (int i = 0; i < BODIES; ++i) {
        int32_t body = -1;
        assert_int_equal(berth_index_add(index, &w->shapes[i], (const BerthPose*)&w->poses[i],
                                         w->extensions[i], w->moves[i], &body),
                         BERTH_OK);
        assert_int_equal(body, i);
    }
    for (int k = 0; k < BODIES / 2; ++k) {
        const int a = (int)between(w, 0, BODIES);
        const int b = (int)between(w, 0, BODIES);
        berth_index_allow(index, a, b, true);
        w->allowed[a][b] = w->allowed[b][a] = true;
    }
}

// One cycle's motion: mostly short, now and then as far as anywhere, sometimes out of the cube; at times a body is switched.
static void move_some(BerthIndex* index, World* w, double step) {
    for (int i = 0; i < MOVERS; ++i) {
        if (between(w, 0, 1) < 0.3) {
            continue;
        }
        const bool jump = between(w, 0, 1) < 0.01;
        const Vec3 by = v3(between(w, -step, step), between(w, -step, step), between(w, -step, step));
        const Vec3 axis =
            v3_unit_or(v3(between(w, -1, 1), between(w, -1, 1), between(w, -1, 1)), v3(0, 0, 1));
        const Pose turn = bi_pose_axis_angle(axis, between(w, -step, step), by);
        const Vec3 at = w->poses[i].t;
        w->poses[i].t = v3(0, 0, 0);
        w->poses[i] = pose_mul(&turn, &w->poses[i]);
        w->poses[i].t = v3_add(at, by);
        if (jump || v3_length(w->poses[i].t) > 3.0) {
            w->poses[i] = random_pose(w, 2.3);
        }
        if (between(w, 0, 1) < 0.1) {
            w->extensions[i] = between(w, 0.0, 0.06);
        }
        assert_int_equal(berth_index_move(index, i, (const BerthPose*)&w->poses[i], w->extensions[i]),
                         BERTH_OK);
    }
    if (between(w, 0, 1) < 0.05) {
        const int i = (int)between(w, 0, BODIES);
        w->shown[i] = !w->shown[i] || between(w, 0, 1) < 0.5;
        w->shapes[i] = random_shape(w);
        assert_int_equal(berth_index_switch(index, i, w->shown[i] ? &w->shapes[i] : NULL), BERTH_OK);
    }
}

// ---- oracles ---------------------------------------------------------------------------------------------

static bool extended_touch(const World* w, int a, int b) {
    const BerthGap gap = berth_shape_gap(&w->shapes[a], (const BerthPose*)&w->poses[a], &w->shapes[b],
                                         (const BerthPose*)&w->poses[b]);
    return gap.upper <= w->extensions[a] + w->extensions[b];
}

static bool is_asked(const World* w, int a, int b) {
    return (w->moves[a] || w->moves[b]) && w->shown[a] && w->shown[b] && !w->allowed[a][b];
}

static bool leaf_is_live(const BerthIndex* index, int32_t at) {
    int32_t node = at;
    while (index->nodes[node].parent != INDEX_NONE) {
        const IndexNode* parent = &index->nodes[index->nodes[node].parent];
        if (parent->child == INDEX_NONE || node < parent->child || node >= parent->child + INDEX_CHILDREN) {
            return false;
        }
        node = index->nodes[node].parent;
    }
    return (index->def.kind == BERTH_INDEX_GRID || node == 0) && index->nodes[at].child == INDEX_NONE;
}

static bool has_entry(const BerthIndex* index, int32_t leaf, int32_t body, int* times) {
    *times = 0;
    for (int32_t p = index->nodes[leaf].first; p != INDEX_NONE; p = index->entries[p].leaf_next) {
        assert_int_equal(index->entries[p].leaf, leaf);
        *times += index->entries[p].body == body;
    }
    return *times > 0;
}

// Every live leaf against every body; list lengths; the split and merge rules.
static void check_structure(BerthIndex* index) {
    int64_t entries = 0;
    for (int32_t n = 0; n < index->node_count; ++n) {
        if (!leaf_is_live(index, n)) {
            continue;
        }
        const IndexNode* leaf = &index->nodes[n];
        int32_t length = 0;
        for (int32_t p = leaf->first; p != INDEX_NONE; p = index->entries[p].leaf_next) {
            length += 1;
        }
        assert_int_equal(length, leaf->count);
        entries += length;
        if (index->def.kind == BERTH_INDEX_OCTREE && leaf->size > 1 && index->entry_left > 2000) {
            assert_true(leaf->count <= index->def.leaf_limit);
        }
        for (int32_t b = 0; b < index->body_count; ++b) {
            const IndexBody* body = &index->bodies[b];
            const bool wanted =
                body->shown && body->outside == INDEX_NONE && bi_index_test_node(index, body, leaf);
            int times = 0;
            if (has_entry(index, n, b, &times) != wanted || times > 1) {
                fail_msg("body %d is %d times in leaf %d, a descent %s it there", b, times, n,
                         wanted ? "finds" : "does not find");
            }
        }
    }
    assert_int_equal(entries + index->entry_left, index->def.entry_limit);
    assert_int_equal(index->check_count, 0);
}

static void check_pairs(BerthIndex* index, const World* w, int bodies, BerthIndexPair* pairs, uint8_t* told,
                        bool exact) {
    memset(told, 0, (size_t)BODIES * BODIES);
    const int32_t count = berth_index_pairs(index, pairs, PAIRS);
    assert_true(count <= PAIRS);
    for (int32_t i = 0; i < count; ++i) {
        assert_true(pairs[i].a < pairs[i].b && is_asked(w, pairs[i].a, pairs[i].b));
        told[pairs[i].a * BODIES + pairs[i].b] += 1;
        assert_true((index->def.less & BERTH_LESS_STAMPS) != 0 ||
                    told[pairs[i].a * BODIES + pairs[i].b] == 1);
    }
    for (int a = 0; a < bodies; ++a) {
        for (int b = a + 1; b < bodies; ++b) {
            const bool is_told = told[a * BODIES + b] > 0;
            if (is_asked(w, a, b) && extended_touch(w, a, b) && !is_told) {
                fail_msg("bodies %d and %d touch and were not told", a, b);
            }
            const IndexBody* x = &index->bodies[a];
            const IndexBody* y = &index->bodies[b];
            bool boxes = true;
            for (int axis = 0; axis < INDEX_AXES; ++axis) {
                boxes =
                    boxes && x->box.low[axis] <= y->box.high[axis] && y->box.low[axis] <= x->box.high[axis];
            }
            if (exact && is_told != (boxes && is_asked(w, a, b))) {
                fail_msg("bodies %d and %d: told %d, the list of all pairs says %d", a, b, is_told, boxes);
            }
        }
    }
}

typedef struct Variant {
    BerthIndexKind kind;
    BerthIndexUpdate update;
    bool exact_nodes;
    int32_t less, leaf_limit, merge_limit, entries;
    double step;
    int cycles;
} Variant;

static void run_variant(const Variant* v, uint64_t seed, int64_t* fallbacks) {
    static World w;
    static BerthIndexPair pairs[PAIRS];
    static uint8_t told[BODIES * BODIES];
    make_world(&w, seed);
    BerthIndexDef def = berth_default_index_def();
    def.kind = v->kind;
    def.update = v->update;
    def.exact_nodes = v->exact_nodes;
    def.less = v->less;
    def.leaf_limit = v->leaf_limit;
    def.merge_limit = v->merge_limit;
    def.low = (BerthVec3){-2.1, -2.0, -1.9};
    def.edge = 4.0;
    def.smallest = v->kind == BERTH_INDEX_REGION ? 0.2 : 0.1;
    def.body_limit = BODIES;
    def.mover_limit = MOVERS;
    def.entry_limit = v->entries;
    BerthIndex* index = NULL;
    assert_int_equal(berth_index_create(&def, &index), BERTH_OK);
    fill(index, &w);
    const bool by_boxes =
        !v->exact_nodes && v->kind != BERTH_INDEX_REGION && (v->less & BERTH_LESS_BOXES) == 0;
    const int cycles = test_scaled(v->cycles);
    for (int cycle = 0; cycle < cycles; ++cycle) {
        berth_index_update(index);
        check_structure(index);
        check_pairs(index, &w, BODIES, pairs, told, by_boxes);
        move_some(index, &w, v->step);
    }
    *fallbacks += index->fallbacks;
    berth_index_destroy(index);
}

static void every_kind_tells_every_pair(void** state) {
    (void)state;
    const Variant variants[] = {
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_DESCENT, false, 0, 10, 6, 65536, 0.05, 1500},
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_DESCENT, true, 0, 10, 6, 65536, 0.05, 600},
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_DESCENT, false, 0, 1, 0, 65536, 0.2, 300},
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_DESCENT, false, BERTH_LESS_STAMPS | BERTH_LESS_INSIDE, 4, 3, 65536,
         0.1, 300},
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_DESCENT, false, BERTH_LESS_BOXES, 5, 4, 65536, 0.1, 300},
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_DESCENT, false, 0, 6, 4, 150, 0.1, 600},  // entries run out
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_NEIGHBOURS, false, 0, 10, 6, 65536, 0.03, 1500},
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_NEIGHBOURS, true, 0, 5, 3, 65536, 0.02, 600},
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_NEIGHBOURS, false, BERTH_LESS_DIRECTION, 5, 3, 65536, 0.04, 300},
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_NEIGHBOURS, false, 0, 5, 3, 300, 0.3, 300},
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_REINSERT, false, 0, 10, 10, 65536, 0.1, 300},
        {BERTH_INDEX_OCTREE, BERTH_UPDATE_REBUILD, false, 0, 10, 6, 65536, 0.1, 300},
        {BERTH_INDEX_LIST, BERTH_UPDATE_DESCENT, false, 0, 10, 6, 65536, 0.1, 300},
        {BERTH_INDEX_GRID, BERTH_UPDATE_DESCENT, false, 0, 10, 6, 65536, 0.1, 200},
        {BERTH_INDEX_GRID, BERTH_UPDATE_NEIGHBOURS, true, 0, 10, 6, 65536, 0.1, 60},
        {BERTH_INDEX_GRID, BERTH_UPDATE_NEIGHBOURS, true, 0, 10, 6, 65536, 0.02, 300},
        {BERTH_INDEX_GRID, BERTH_UPDATE_NEIGHBOURS, false, 0, 10, 6, 65536, 0.02, 300},
        {BERTH_INDEX_REGION, BERTH_UPDATE_DESCENT, true, 0, 10, 6, 65536, 0.1, 60},
    };
    int64_t fallbacks = 0;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i) {
        run_variant(&variants[i], 77 + i, &fallbacks);
    }
    assert_true(fallbacks > 100);  // the neighbour search did meet motions that were too long for it
}

// ---- the paper's tasks -----------------------------------------------------------------------------------

/// The testbed: links that follow a task, and what stands.
typedef struct Script {
    BerthScene* scene;
    BerthChecker* checker;
    BerthTrajectory rows;
    World world;
    int32_t count;
} Script;

static void open_script(Script* s, int task) {
    memset(s, 0, sizeof *s);
    char name[64];
    snprintf(name, sizeof name, "two_arms/task%d.csv", task);
    const BerthIoOptions options = berth_default_io_options();
    const BerthCheckerDef def = berth_default_checker_def();
    assert_int_equal(berth_io_read_scene(program_model("two_arms/testbed.yaml"), &options, &s->scene),
                     BERTH_OK);
    assert_int_equal(berth_io_read_trajectory(program_model(name), s->scene, &options, &s->rows), BERTH_OK);
    assert_int_equal(berth_checker_create(s->scene, &def, &s->checker), BERTH_OK);
    World* w = &s->world;
    int32_t part_body[BODIES] = {0};
    for (int32_t b = 0; b < s->scene->body_count; ++b) {
        const SceneBody* body = &s->scene->bodies[b];
        for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p, ++s->count) {
            assert_int_equal(p, s->count);
            w->shapes[p] = *berth_solid_shape(s->scene->parts[p].solid);
            w->poses[p] = s->scene->parts[p].frame_from_part;
            w->moves[p] = body->robot >= 0;
            w->extensions[p] = w->moves[p] ? 0.03048 : 0.0;
            w->shown[p] = true;
            part_body[p] = b;
        }
    }
    assert_int_equal(s->count, 35);
    for (int32_t a = 0; a < s->count; ++a) {
        for (int32_t b = 0; b < s->count; ++b) {
            w->allowed[a][b] = true;
            for (int32_t i = 0; i < s->scene->pair_count; ++i) {
                const ScenePair* pair = &s->scene->pairs[i];
                if ((pair->body_a == part_body[a] && pair->body_b == part_body[b]) ||
                    (pair->body_a == part_body[b] && pair->body_b == part_body[a])) {
                    w->allowed[a][b] = false;
                }
            }
        }
    }
}

static void place_row(Script* s, int row) {
    assert_true(bi_check_place(s->checker, s->rows.positions + (size_t)row * (size_t)s->rows.value_count));
    for (int32_t p = 0; p < s->count; ++p) {
        if (s->world.moves[p]) {
            s->world.poses[p] = s->checker->world_from_part[p];
        }
    }
}

// Every `stride`-th row of the task: the longer the stride, the further over what neighbours allow.
static void run_script(Script* s, BerthIndexUpdate update, bool exact_nodes, int stride, int64_t* fallbacks) {
    static BerthIndexPair pairs[PAIRS];
    static uint8_t told[BODIES * BODIES];
    BerthIndexDef def = berth_default_index_def();
    def.update = update;
    def.exact_nodes = exact_nodes;
    def.low = (BerthVec3){-3.175, -3.175, -0.1};
    def.edge = 6.35;
    def.smallest = 6.35 / 128;
    def.body_limit = s->count;
    def.mover_limit = 14;
    BerthIndex* index = NULL;
    assert_int_equal(berth_index_create(&def, &index), BERTH_OK);
    place_row(s, 0);
    for (int32_t i = 0; i < s->count; ++i) {
        int32_t body = -1;
        assert_int_equal(berth_index_add(index, &s->world.shapes[i], (const BerthPose*)&s->world.poses[i],
                                         s->world.extensions[i], s->world.moves[i], &body),
                         BERTH_OK);
        assert_int_equal(body, i);
    }
    for (int32_t a = 0; a < s->count; ++a) {
        for (int32_t b = 0; b < a; ++b) {
            berth_index_allow(index, a, b, s->world.allowed[a][b]);
        }
    }
    for (int row = 0; row < s->rows.row_count; row += stride) {
        place_row(s, row);
        for (int32_t i = 0; i < s->count; ++i) {
            if (s->world.moves[i]) {
                assert_int_equal(berth_index_move(index, i, (const BerthPose*)&s->world.poses[i], 0.03048),
                                 BERTH_OK);
            }
        }
        berth_index_update(index);
        check_structure(index);
        check_pairs(index, &s->world, s->count, pairs, told, !exact_nodes);
    }
    *fallbacks += index->fallbacks;
    berth_index_destroy(index);
}

static void tasks_tell_every_pair(void** state) {
    (void)state;
    int64_t fallbacks = 0;
    const int strides[] = {1, 7, 61, 333};  // 61 rows: arms go some smallest leaves further
    for (int task = 1; task <= 3; ++task) {
        static Script script;
        open_script(&script, task);
        for (size_t k = 0; k < sizeof strides / sizeof strides[0]; ++k) {
            run_script(&script, BERTH_UPDATE_DESCENT, false, strides[k], &fallbacks);
            run_script(&script, BERTH_UPDATE_NEIGHBOURS, k % 2 == 1, strides[k], &fallbacks);
            run_script(&script, BERTH_UPDATE_REINSERT, true, 10 * strides[k], &fallbacks);
        }
        berth_io_free_trajectory(&script.rows);
        berth_checker_destroy(script.checker);
        berth_scene_destroy(script.scene);
    }
    assert_true(fallbacks > 20);
}

// What stands may be put elsewhere, too: lists of mates that were kept must follow.
static void what_stands_may_be_moved(void** state) {
    (void)state;
    static World w;
    static BerthIndexPair pairs[PAIRS];
    static uint8_t told[BODIES * BODIES];
    make_world(&w, 4711);
    BerthIndexDef def = berth_default_index_def();
    def.low = (BerthVec3){-2.1, -2.0, -1.9};
    def.edge = 4.0;
    def.smallest = 0.1;
    def.body_limit = BODIES;
    def.mover_limit = MOVERS;
    BerthIndex* index = NULL;
    assert_int_equal(berth_index_create(&def, &index), BERTH_OK);
    fill(index, &w);
    for (int cycle = 0; cycle < test_scaled(600); ++cycle) {
        berth_index_update(index);
        check_structure(index);
        check_pairs(index, &w, BODIES, pairs, told, true);
        assert_true(bi_index_mates_are_current(index));
        const int at = cycle % 3 == 0 ? (int)between(&w, 0, MOVERS) : (int)between(&w, MOVERS, BODIES);
        // By so little that its cells stay the same, or anywhere.
        if (cycle % 2 == 0) {
            w.poses[at].t.x += between(&w, -0.004, 0.004);
        } else {
            w.poses[at] = random_pose(&w, 1.8);
        }
        assert_int_equal(berth_index_move(index, at, (const BerthPose*)&w.poses[at], w.extensions[at]),
                         BERTH_OK);
    }
    berth_index_destroy(index);
}

static void wrong_defs_are_refused(void** state) {
    (void)state;
    BerthIndex* index = NULL;
    BerthIndexDef def = berth_default_index_def();
    def.edge = NAN;
    assert_int_equal(berth_index_create(&def, &index), BERTH_ERR_ARGUMENT);
    def = berth_default_index_def();
    def.smallest = 0.0;
    assert_int_equal(berth_index_create(&def, &index), BERTH_ERR_ARGUMENT);
    def = berth_default_index_def();
    def.stamp = 0;
    assert_int_equal(berth_index_create(&def, &index), BERTH_ERR_ARGUMENT);
    assert_null(index);
    def = berth_default_index_def();
    def.body_limit = 2;
    def.mover_limit = 1;
    assert_int_equal(berth_index_create(&def, &index), BERTH_OK);
    BerthShape ball;
    assert_int_equal(berth_shape_sphere(0.1, &ball), BERTH_OK);
    Pose pose = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    int32_t body = -1;
    assert_int_equal(berth_index_add(index, &ball, (const BerthPose*)&pose, -1.0, true, &body),
                     BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_index_add(index, &ball, (const BerthPose*)&pose, NAN, true, &body),
                     BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_index_add(index, &ball, (const BerthPose*)&pose, 0.0, true, &body), BERTH_OK);
    assert_int_equal(berth_index_add(index, &ball, (const BerthPose*)&pose, 0.0, true, &body),
                     BERTH_ERR_CAPACITY);
    assert_int_equal(berth_index_add(index, &ball, (const BerthPose*)&pose, 0.0, false, &body), BERTH_OK);
    assert_int_equal(berth_index_add(index, &ball, (const BerthPose*)&pose, 0.0, false, &body),
                     BERTH_ERR_CAPACITY);
    pose.t.x = NAN;
    assert_int_equal(berth_index_move(index, 0, (const BerthPose*)&pose, 0.0), BERTH_ERR_ARGUMENT);
    berth_index_update(index);
    BerthIndexPair pair;
    assert_int_equal(berth_index_pairs(index, &pair, 1), 1);
    berth_index_remove(index, 1);
    berth_index_update(index);
    assert_int_equal(berth_index_pairs(index, &pair, 1), 0);
    berth_index_destroy(index);
}

// The cylsphere's own test of a cube against the general distance: nothing that is nearer than its extension is left out, nothing that
// is further away by more than rounding is taken.
static void capsules_against_cubes(void** state) {
    (void)state;
    BerthIndexDef def = berth_default_index_def();
    def.exact_nodes = true;
    def.low = (BerthVec3){-1, -1, -1};
    def.edge = 2.0;
    def.smallest = 0.01;
    BerthIndex* index = NULL;
    assert_int_equal(berth_index_create(&def, &index), BERTH_OK);
    Random random = {29};
    int near = 0;
    int apart = 0;
    for (int n = 0; n < test_scaled(300000); ++n) {
        // A cube of any cells, and a capsule that is mostly about as far from it as counts.
        const int32_t size = 1 << (bi_random_next(&random) % 6);
        IndexNode node = {.size = size, .child = INDEX_NONE, .parent = INDEX_NONE, .first = INDEX_NONE};
        for (int axis = 0; axis < INDEX_AXES; ++axis) {
            node.cell[axis] = (int32_t)(bi_random_next(&random) % (uint64_t)(index->cells - size + 1));
        }
        const double half = 0.5 * size * index->cell_edge;
        const BerthVec3 centre = {-1 + (node.cell[0] + 0.5 * size) * index->cell_edge,
                                  -1 + (node.cell[1] + 0.5 * size) * index->cell_edge,
                                  -1 + (node.cell[2] + 0.5 * size) * index->cell_edge};

        IndexBody body = {.extension = bi_random_between(&random, 0.0, 0.1)};
        const double radius = bi_random_between(&random, 0.001, 0.2);
        const double length = bi_random_next(&random) % 8 == 0 ? 0.0 : bi_random_between(&random, 0.0, 0.8);
        assert_int_equal(berth_shape_capsule(radius, length, &body.shape), BERTH_OK);
        assert_int_equal(berth_pose_from_quat(v3(0, 0, 0), bi_random_quat(&random), &body.pose), BERTH_OK);
        if (bi_random_next(&random) % 4 == 0) {
            body.pose = pose_identity();  // along an axis: edges and faces in line
        }
        const double out = half + radius + body.extension;
        body.pose.t = v3(centre.x + bi_random_between(&random, -out, out) * 1.1,
                         centre.y + bi_random_between(&random, -out, out) * 1.1,
                         centre.z + bi_random_between(&random, -out, out) * 1.1);
        bi_index_measure(index, &body);

        BerthShape cube;
        assert_int_equal(berth_shape_box((BerthVec3){2 * half, 2 * half, 2 * half}, &cube), BERTH_OK);
        Pose at = pose_identity();
        at.t = v3(centre.x, centre.y, centre.z);
        const BerthGap gap = berth_shape_gap(&body.shape, &body.pose, &cube, &at);
        const bool met = bi_index_test_node(index, &body, &node);
        if (gap.upper <= body.extension) {
            near += 1;
            assert_true(met);
        } else if (gap.lower > body.extension + 1e-6) {
            apart += 1;
            assert_false(met);
        }
    }
    print_message("%d near, %d apart\n", near, apart);
    assert_true(near > 1000 && apart > 1000);
    berth_index_destroy(index);
}

int test_index_cycle(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_tells_every_pair), cmocka_unit_test(tasks_tell_every_pair),
        cmocka_unit_test(capsules_against_cubes),      cmocka_unit_test(what_stands_may_be_moved),
        cmocka_unit_test(wrong_defs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
