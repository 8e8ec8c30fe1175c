// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Motions among maps and clouds: what is called free survives a search for the smallest gap with every cell a box of its
// own; hits are hits; certificates hold, damaged ones and those of another map do not. A planar base among the walls of
// a plan.
// test-share: 0.5

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certificate/certificate.h"
#include "scene/scene.h"
#include "support/courses.h"
#include "support/proofs.h"
#include "support/segments.h"
#include "support/sensed.h"
#include "support/setting.h"

typedef struct Count {
    int free, hits, unknown, refuted, false_hits;
    int64_t samples;
} Count;

static void judge(Sensed* sensed, const Course* course, double speed, const BerthMotionResult* r,
                  double margin, Count* count) {
    double values[COURSE_VALUES];
    if (r->verdict == BERTH_FREE) {
        const Lowest lowest =
            course_near(course, speed, 1e-3, margin, margin + 0.01, 150, sensed_gap, sensed);
        count->free += 1;
        count->samples += lowest.samples;
        if (!(lowest.gap > margin) || lowest.gap < r->clearance) {
            count->refuted += 1;
            print_message("seed %d: refuted: gap %.17g at t = %.17g, promised %.17g\n", (int)sensed->seed,
                          lowest.gap, lowest.t, r->clearance);
        }
    } else if (r->verdict == BERTH_COLLISION) {
        course_values(course, r->t, values);
        const double gap = sensed_gap(sensed, values);
        count->hits += 1;
        if (!(gap <= margin + 1e-9)) {
            count->false_hits += 1;
            print_message("seed %d: no hit: gap %.17g at t = %.17g\n", (int)sensed->seed, gap, r->t);
        }
    } else {
        count->unknown += 1;
    }
}

static void free_is_never_refuted(void** state) {
    (void)state;
    Count count = {0};
    const int rounds = test_scaled(60);
    const BerthMethod methods[] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_ADAPTIVE, BERTH_METHOD_REFINED};
    for (int seed = 0; seed < rounds; ++seed) {
        Sensed* sensed = sensed_make((uint64_t)seed * 11 + 5);
        const double margin = seed % 3 == 0 ? 0.02 : 0.0;
        for (int m = 0; m < 3; ++m) {
            const SegmentAsk ask = {.margin = margin, .delta = 1e-4, .method = methods[m]};
            BerthMotionChecker* motion = segment_motion(sensed->world->scene, &ask);
            for (int k = 0; k < 6; ++k) {
                Course course = {0};
                segment_random(&sensed->random, sensed->world, &course);
                const BerthMotionResult r = segment_ask(motion, &course, false);
                judge(sensed, &course, course_speed(&course, sensed->world), &r, margin, &count);
            }
            berth_motion_checker_destroy(motion);
        }
        sensed_destroy(sensed);
    }
    print_message("report %d free (%lld samples), %d refuted, %d hits, %d false, %d unknown\n", count.free,
                  (long long)count.samples, count.refuted, count.hits, count.false_hits, count.unknown);
    assert_int_equal(count.refuted + count.false_hits, 0);
    assert_true(!test_is_whole() || (count.free > rounds && count.hits > rounds));
    assert_true(count.unknown < rounds / 2 + 2);
}

// ---- certificates --------------------------------------------------------------------------------------------

static BerthStatus verify(const ProofCase* c, const BerthScene* scene) {
    BerthCertificateReport report;
    return proof_verify(c->certificate, scene, c->segments, c->count, &c->def, &report);
}

// Any record that claims more than is true, or is about another time, does not hold.
static int damage(ProofCase* c, const BerthScene* scene, Random* random) {
    BerthCertificate* certificate = c->certificate;
    if (certificate->record_count == 0) {
        return 0;
    }
    int caught = 0;
    for (int k = 0; k < 4; ++k) {
        const int64_t at = (int64_t)(bi_random_next(random) % (uint64_t)certificate->record_count);
        CertificateRecord* record = &certificate->records[at];
        const CertificateRecord whole = *record;
        if (k == 0) {
            record->bound = whole.bound * 3.0 + 10.0;
        } else if (k == 1) {
            record->pair = (whole.pair + 1) % scene->pair_count;
        } else if (k == 2) {
            record->level = (uint8_t)(whole.level + 1);
            record->index = whole.index * 2;
        } else {
            record->kind = PROOF_KIND_COUNT;
        }
        caught += verify(c, scene) != BERTH_OK || scene->pair_count == 1;
        *record = whole;
        if (k != 1 || scene->pair_count > 1) {
            assert_int_equal(verify(c, scene), BERTH_OK);
        }
    }
    return caught;
}

static void certificates_hold(void** state) {
    (void)state;
    ProofCase* c = malloc(sizeof *c);
    int proven = 0, damaged = 0, caught = 0, others = 0;
    int64_t records = 0, distances = 0;
    const int rounds = test_scaled(60);
    for (int seed = 0; seed < rounds; ++seed) {
        Sensed* sensed = sensed_make((uint64_t)seed * 13 + 9);
        proof_open(c, sensed->world->scene, seed % 3 == 0 ? 0.01 : 0.0, seed % 4 == 0 ? 0.001 : 0.0,
                   seed % 5 == 0 ? BERTH_METHOD_ADAPTIVE : BERTH_METHOD_DEFAULT);
        proof_random(c, sensed->world, &sensed->random, 12, 4);
        if (c->count > 0) {
            if (verify(c, sensed->world->scene) != BERTH_OK) {
                fail_msg("%s", berth_error_text());
            }
            proven += c->count;
            records += c->certificate->record_count;
            for (int64_t i = 0; i < c->certificate->record_count; ++i) {
                distances += c->certificate->records[i].kind == PROOF_DISTANCE;
            }
            if (c->certificate->record_count > 0) {
                damaged += 4;
                caught += damage(c, sensed->world->scene, &sensed->random);
            }
            // One cell more or less, wherever it is: another scene.
            BerthScene* scene = sensed->world->scene;
            berth_scene_remove_object(scene, berth_scene_find_object(scene, "map"));
            sensed->grid.colour[0][0][0] = grid_blocks(&sensed->grid, 0, 0, 0) ? 0 : 1;
            sensed->grid.colour[1][1][0] = 1;
            assert_true(grid_add(&sensed->grid, scene, "map", &sensed->map_pose, NULL, true).age > 0);
            assert_int_equal(berth_scene_commit(scene), BERTH_OK);
            assert_int_not_equal(verify(c, scene), BERTH_OK);
            others += 1;
        }
        proof_close(c);
        sensed_destroy(sensed);
    }
    print_message(
        "report %d segments proven, %lld records, %lld of them distances; %d of %d damages caught, %d maps "
        "that changed\n",
        proven, (long long)records, (long long)distances, caught, damaged, others);
    assert_int_equal(caught, damaged);
    assert_true(proven > rounds);
    assert_true(distances > 0 || rounds < 60);  // most become planes: few cases may have none
    free(c);
}

// ---- a map that moves ----------------------------------------------------------------------------------------

// An arm that holds a map, or the same cells as boxes, among boards, a ball and a floor.
static Kit holding(const Grid* grid, const BerthPose* at, bool boxes) {
    Kit kit = kit_new();
    kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0.5));
    kit_link(&kit, 1, BERTH_JOINT_REVOLUTE, v3(0, 1, 0), v3(0.6, 0, 0));
    kit_solid(&kit, 0, kit_box(0.2, 0.2, 0.4), v3(0, 0, 0.2));
    kit_solid(&kit, 1, kit_box(0.4, 0.05, 0.05), v3(0.3, 0, 0));
    kit_robot(&kit, (const int[]){0, 1, -1});
    kit_object(&kit, kit_box(0.05, 1.0, 1.0), (BerthPose){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1.3, 0.4, 0.5}},
               NULL);
    kit_object(&kit, kit_ball(0.2), (BerthPose){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-0.6, -0.8, 0.6}}, NULL);
    kit_object(&kit, kit_plane(v3(0, 0, 1), -0.3), pose_identity(), NULL);
    BerthObjectId id = {0, 0};
    BerthPose first = *at;  // of the object's own part; the others are in its frame
    if (!boxes) {
        id = grid_add(grid, kit.scene, "held", at, "link2", true);
    }
    for (int k = 0; boxes && k < GRID_SIDE * GRID_SIDE * GRID_SIDE; ++k) {
        const int x = k % GRID_SIDE, y = k / GRID_SIDE % GRID_SIDE, z = k / GRID_SIDE / GRID_SIDE;
        if (x >= grid->size[0] || y >= grid->size[1] || z >= grid->size[2] || !grid_blocks(grid, x, y, z)) {
            continue;
        }
        const double r = grid->resolution;
        const BerthShape shape = kit_box(r, r, r);
        const BerthPose cell = {{1, 0, 0},
                                {0, 1, 0},
                                {0, 0, 1},
                                v3_add(grid->origin, v3((x + 0.5) * r, (y + 0.5) * r, (z + 0.5) * r))};
        const BerthPose pose = pose_mul(at, &cell);
        BerthSolid* solid = NULL;
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        BerthObjectDef def = berth_default_object_def();
        def.name = "held";
        def.attach = "link2";
        def.pose = pose;
        def.solid = solid;
        if (id.age == 0) {
            first = pose;
            assert_int_equal(berth_scene_add_object(kit.scene, &def, &id), BERTH_OK);
        } else {
            const BerthPose within = pose_between(&first, &pose);
            assert_int_equal(berth_scene_add_part(kit.scene, id, &within, solid), BERTH_OK);
        }
    }
    assert_true(id.age > 0);
    kit_commit(&kit);
    return kit;
}

static void held_maps(void** state) {
    (void)state;
    static Grid grid;
    int free_count = 0, hits = 0, unknown = 0;
    const int rounds = test_scaled(60);
    for (int seed = 0; seed < rounds; ++seed) {
        Random random = {(uint64_t)seed * 101 + 3};
        grid_random(&random, 3, 4, 0.1, &grid);
        BerthPose at = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0, 0}};
        berth_pose_from_quat(at.t, bi_random_quat(&random), &at);
        Kit map = holding(&grid, &at, false), boxes = holding(&grid, &at, true);
        for (int k = 0; k < 8; ++k) {
            double from[2], to[2];
            for (int i = 0; i < 2; ++i) {
                from[i] = bi_random_between(&random, -1.5, 1.5);
                to[i] = from[i] + bi_random_between(&random, -1.0, 1.0);
            }
            BerthMotionCheckerDef def = berth_default_motion_checker_def();
            def.method = k % 2 == 0 ? BERTH_METHOD_DEFAULT : BERTH_METHOD_ADAPTIVE;
            const BerthMotionResult a = kit_ask(&map, &def, from, to, NULL, false);
            const BerthMotionResult b = kit_ask(&boxes, &def, from, to, NULL, false);
            if (a.verdict != b.verdict && a.verdict != BERTH_UNKNOWN && b.verdict != BERTH_UNKNOWN) {
                fail_msg("seed %d: held map %d, held boxes %d", seed, (int)a.verdict, (int)b.verdict);
            }
            free_count += a.verdict == BERTH_FREE;
            hits += a.verdict == BERTH_COLLISION;
            unknown += a.verdict == BERTH_UNKNOWN;
        }
        kit_free(&map);
        kit_free(&boxes);
    }
    print_message("report held maps: %d free, %d hits, %d unknown\n", free_count, hits, unknown);
    assert_true(!test_is_whole() || (free_count > rounds && hits > rounds / 3 && unknown <= rounds / 5));
}

// ---- a plan ----------------------------------------------------------------------------------------------------

// A base of 0.4 x 0.3 m in rooms of 2 m with a door of 0.6 m: through the door, into the wall beside it, and past the end.
static void base_in_a_plan(void** state) {
    (void)state;
    static Grid grid;
    grid = (Grid){.dim = 2, .size = {20, 20, 1}, .resolution = 0.2, .origin = {-2, -2, 0}, .height = {0, 1}};
    for (int i = 0; i < 20; ++i) {
        grid.colour[i][0][0] = grid.colour[i][19][0] = grid.colour[0][i][0] = grid.colour[19][i][0] = 1;
        if (i < 8 || i > 10) {
            grid.colour[10][i][0] = 1;  // a wall from x = 0 to 0.2, its door at y from -0.4 to 0.2
        }
    }
    Kit kit = kit_new();
    kit_link(&kit, 0, BERTH_JOINT_PLANAR, v3(0, 0, 1), v3(0, 0, 0.2));
    kit_solid(&kit, 1, kit_box(0.4, 0.3, 0.3), v3(0, 0, 0));
    kit_robot(&kit, NULL);
    const BerthPose still = pose_identity();
    assert_true(grid_add(&grid, kit.scene, "plan", &still, NULL, false).age > 0);
    kit_commit(&kit);
    assert_int_equal(berth_scene_assumed_count(kit.scene), 0);
    const struct {
        double from[3], to[3];
        BerthVerdict verdict;
    } ways[] = {
        {{-1, -0.1, 0}, {1, -0.1, 0}, BERTH_FREE},     // through the door
        {{-1, 0.2, 0}, {1, 0.2, 0}, BERTH_COLLISION},  // its frame
        {{-1, -0.1, 0}, {1, -0.1, 1.57}, BERTH_FREE},  // turning on the way
        {{-1, -1, 0}, {-1, 1, 6.28}, BERTH_FREE},      // along the wall
        {{-1, 0, 0}, {-3, 0, 0}, BERTH_COLLISION},     // out of the house
        {{-5, 0, 0}, {-6, 0, 0}, BERTH_COLLISION},     // outside: not known
    };
    const BerthMethod methods[] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_ADAPTIVE};
    for (int m = 0; m < 2; ++m) {
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        def.method = methods[m];
        for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
            const BerthMotionResult r = kit_ask(&kit, &def, ways[i].from, ways[i].to, NULL, false);
            if (r.verdict != ways[i].verdict) {
                fail_msg("way %d by method %d: verdict %d, t %g", (int)i, m, (int)r.verdict, r.t);
            }
        }
    }
    const double from[3] = {-1, 0.2, 0}, to[3] = {1, 0.2, 0};
    const BerthMotionCheckerDef def = berth_default_motion_checker_def();
    const BerthMotionResult r = kit_ask(&kit, &def, from, to, NULL, true);
    assert_int_equal(r.verdict, BERTH_COLLISION);  // its front reaches x = 0 when the middle is at -0.2
    assert_true(r.t_low <= 0.4 && r.t_high >= 0.4 - 1e-9 && r.t_high - r.t_low < 1e-3);
    kit_free(&kit);
}

int test_motion_map(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_is_never_refuted),
        cmocka_unit_test(certificates_hold),
        cmocka_unit_test(held_maps),
        cmocka_unit_test(base_in_a_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
