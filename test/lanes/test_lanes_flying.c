// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-share: 0.3
// Robots with floating joints: bodies that fly, with arms on them, or at the end of an arm, two in one scene. What lanes call free has
// no state with a gap below 0 by the test's own kinematics (rotations by Rodrigues' formula, arcs by the sine formula), and what they
// call a hit has none above 0; segments are sampled, and moved to where the verdict changes. The double engine never says the
// opposite, all instruction sets say the same. Orientations that are none are never free.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <berth/motion.h>

#include "motion/motion.h"
#include "support/must.h"
#include "support/setting.h"

enum { LINKS = 12, BALLS = 4, POSTS = 12, VALUES = 40, FLIERS = 60, STATES = 96, SEGMENTS = 60, COMPANY = 5 };

/// A matrix and a place.
typedef struct Place {
    double m[3][3], t[3];
} Place;

typedef struct Link {
    int parent;  // -1: the base
    BerthJointType type;
    int value;
    Place at;  // of the joint in the parent
    int ball_count;
    double balls[BALLS][4];
} Link;

/// A ball, or a box with a place.
typedef struct Post {
    bool is_box;
    double radius, half[3];
    Place at;
} Post;

typedef struct Flier {
    Random random;
    BerthScene* scene;
    BerthLanes* lanes;
    LanesQuery* query;
    Link links[LINKS];
    int link_count, value_count, post_count;
    bool skip[LINKS][LINKS];
    Post posts[POSTS];
} Flier;

typedef struct Count {
    int64_t layouts, states, segments, free, hits, open, grazing, judged, doubtful, split;
    double nearest;
} Count;

// ---- the test's own kinematics ----------------------------------------------------------------------------------------

static double draw(Random* random, double low, double high) {
    return bi_random_between(random, low, high);
}

static void turn_about(const double axis[3], double angle, double m[3][3]) {
    const double c = cos(angle), s = sin(angle), v = 1.0 - c;
    const double x = axis[0], y = axis[1], z = axis[2];
    const double all[9] = {c + x * x * v,     x * y * v - z * s, x * z * v + y * s,
                           y * x * v + z * s, c + y * y * v,     y * z * v - x * s,
                           z * x * v - y * s, z * y * v + x * s, c + z * z * v};
    memcpy(m, all, sizeof all);
}

// By its axis and angle.
static void turn_of_quat(const double* q, double m[3][3]) {
    const double way = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    const double axis[3] = {way > 0.0 ? q[0] / way : 1.0, way > 0.0 ? q[1] / way : 0.0,
                            way > 0.0 ? q[2] / way : 0.0};
    turn_about(axis, 2.0 * atan2(way, q[3]), m);
}

static Place after(const Place* a, const Place* b) {
    Place out;
    for (int i = 0; i < 3; ++i) {
        out.t[i] = a->t[i];
        for (int k = 0; k < 3; ++k) {
            out.t[i] += a->m[i][k] * b->t[k];
            out.m[i][k] = a->m[i][0] * b->m[0][k] + a->m[i][1] * b->m[1][k] + a->m[i][2] * b->m[2][k];
        }
    }
    return out;
}

static Place moved(const Link* link, const double* values) {
    Place move = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    const double *q = values + link->value, x[3] = {1, 0, 0};
    if (link->type == BERTH_JOINT_FLOATING) {
        memcpy(move.t, q, sizeof move.t);
        turn_of_quat(q + 3, move.m);
    } else if (link->type == BERTH_JOINT_REVOLUTE) {
        turn_about(x, *q, move.m);
    } else {
        move.t[0] = *q;
    }
    return after(&link->at, &move);
}

static double ball_to_post(const double c[3], double radius, const Post* post) {
    double at[3], sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        at[i] = 0.0;
        for (int k = 0; k < 3; ++k) {
            at[i] += post->at.m[k][i] * (c[k] - post->at.t[k]);
        }
        const double beyond = post->is_box ? fmax(fabs(at[i]) - post->half[i], 0.0) : at[i];
        sum += beyond * beyond;
    }
    return sqrt(sum) - radius - (post->is_box ? 0.0 : post->radius);
}

/// The smallest gap, and that of links with each other alone, which hold in any place.
static double gap_at(const Flier* flier, const double* values) {
    double centres[LINKS][BALLS][3], least = INFINITY;
    Place places[LINKS];
    for (int i = 0; i < flier->link_count; ++i) {
        const Link* link = &flier->links[i];
        const Place here = moved(link, values);
        places[i] = link->parent >= 0 ? after(&places[link->parent], &here) : here;
        for (int b = 0; b < link->ball_count; ++b) {
            const Place ball = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                {link->balls[b][0], link->balls[b][1], link->balls[b][2]}};
            memcpy(centres[i][b], after(&places[i], &ball).t, sizeof centres[i][b]);
            for (int p = 0; p < flier->post_count; ++p) {
                least = fmin(least, ball_to_post(centres[i][b], link->balls[b][3], &flier->posts[p]));
            }
            for (int j = 0; j < i; ++j) {
                for (int k = 0; k < flier->links[j].ball_count && !flier->skip[i][j]; ++k) {
                    const double* other = centres[j][k];
                    const double d[3] = {centres[i][b][0] - other[0], centres[i][b][1] - other[1],
                                         centres[i][b][2] - other[2]};
                    least = fmin(least, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - link->balls[b][3] -
                                            flier->links[j].balls[k][3]);
                }
            }
        }
    }
    return least;
}

// Orientations go the shorter way at constant speed.
static void values_at(const Flier* flier, const double* from, const double* to, double t, double* out) {
    for (int i = 0; i < flier->value_count; ++i) {
        out[i] = from[i] + t * (to[i] - from[i]);
    }
    for (int l = 0; l < flier->link_count; ++l) {
        if (flier->links[l].type != BERTH_JOINT_FLOATING) {
            continue;
        }
        double a[4], b[4], na = 0.0, nb = 0.0, dot = 0.0;
        const int first = flier->links[l].value + 3;
        for (int k = 0; k < 4; ++k) {
            na += from[first + k] * from[first + k];
            nb += to[first + k] * to[first + k];
            dot += from[first + k] * to[first + k];
        }
        for (int k = 0; k < 4; ++k) {
            a[k] = from[first + k] / sqrt(na);
            b[k] = to[first + k] / sqrt(nb) * (dot < 0.0 ? -1.0 : 1.0);
        }
        double apart_sq = 0.0;
        for (int k = 0; k < 4; ++k) {
            apart_sq += (a[k] - b[k]) * (a[k] - b[k]);
        }
        const double angle = 2.0 * asin(fmin(0.5 * sqrt(apart_sq), 1.0));
        for (int k = 0; k < 4; ++k) {
            out[first + k] = angle > 1e-9
                                 ? (sin((1.0 - t) * angle) * a[k] + sin(t * angle) * b[k]) / sin(angle)
                                 : (1.0 - t) * a[k] + t * b[k];
        }
    }
}

// From samples, closer around the least: never less than the smallest gap.
static double least_gap(const Flier* flier, const double* from, const double* to, int samples) {
    double low = 0.0, high = 1.0, least = INFINITY, values[VALUES];
    for (int round = 0; round < 3; ++round) {
        double best = low;
        for (int i = 0; i <= samples; ++i) {
            const double t = low + (high - low) * i / samples;
            values_at(flier, from, to, t, values);
            const double gap = gap_at(flier, values);
            best = gap < least ? t : best;
            least = fmin(least, gap);
        }
        const double step = (high - low) / samples;
        low = fmax(best - step, 0.0);
        high = fmin(best + step, 1.0);
    }
    return least;
}

// ---- robots -----------------------------------------------------------------------------------------------------------

static Place any_place(Random* random, double reach) {
    Place place;
    double axis[3], length = 0.0;
    for (int i = 0; i < 3; ++i) {
        axis[i] = draw(random, -1, 1);
        length += axis[i] * axis[i];
        place.t[i] = draw(random, -reach, reach);
    }
    for (int i = 0; i < 3; ++i) {
        axis[i] /= sqrt(length);
    }
    turn_about(axis, draw(random, 0, 3), place.m);
    return place;
}

static BerthPose pose_of(const Place* p) {
    return (BerthPose){{p->m[0][0], p->m[1][0], p->m[2][0]},
                       {p->m[0][1], p->m[1][1], p->m[2][1]},
                       {p->m[0][2], p->m[1][2], p->m[2][2]},
                       {p->t[0], p->t[1], p->t[2]}};
}

static void add_link(Flier* flier, BerthRobotBuilder* builder, int first, int parent, BerthJointType type) {
    Link* link = &flier->links[flier->link_count];
    char name[16], joint[16];
    *link = (Link){.parent = parent, .type = type, .value = flier->value_count};
    link->at = any_place(&flier->random, 0.15);
    flier->value_count += type == BERTH_JOINT_FLOATING ? 7 : 1;

    const int index = flier->link_count++ - first;
    snprintf(name, sizeof name, "link%d", index);
    snprintf(joint, sizeof joint, "joint%d", index);
    MUST(berth_robot_add_link(builder, name, NULL));
    BerthJointDef def = berth_default_joint_def();
    def.name = joint;
    def.type = type;
    def.parent_link = parent >= 0 ? parent - first + 1 : 0;
    def.child_link = index + 1;
    def.axis = (BerthVec3){1, 0, 0};
    def.parent_from_joint = pose_of(&link->at);
    def.has_limits = type != BERTH_JOINT_FLOATING;
    def.lower = type == BERTH_JOINT_PRISMATIC ? -0.2 : -2.5;
    def.upper = type == BERTH_JOINT_PRISMATIC ? 0.3 : 2.5;
    MUST(berth_robot_add_joint(builder, &def, NULL));

    link->ball_count = 1 + (int)(bi_random_next(&flier->random) % BALLS);
    for (int b = 0; b < link->ball_count; ++b) {
        for (int k = 0; k < 3; ++k) {
            link->balls[b][k] = draw(&flier->random, -0.12, 0.12);
        }
        link->balls[b][3] = draw(&flier->random, 0.01, 0.06);
        BerthShape shape;
        BerthSolid* solid = NULL;
        BerthPose pose = berth_pose_identity();
        pose.t = (BerthVec3){link->balls[b][0], link->balls[b][1], link->balls[b][2]};
        MUST(berth_shape_sphere(link->balls[b][3], &shape));
        MUST(berth_solid_from_shape(&shape, NULL, &solid));
        MUST(berth_robot_add_solid(builder, index + 1, &pose, solid, "flier"));
    }
}

// A body that flies with an arm on it; or an arm at whose end one flies.
static void add_robot(Flier* flier, const char* name) {
    const int first = flier->link_count;
    BerthRobotBuilder* builder = NULL;
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    MUST(berth_robot_builder_create("flier", NULL, &builder));
    MUST(berth_robot_add_link(builder, "base", NULL));
    const bool by_arm = bi_random_next(&flier->random) % 3 == 0;
    add_link(flier, builder, first, -1, by_arm ? BERTH_JOINT_REVOLUTE : BERTH_JOINT_FLOATING);
    add_link(flier, builder, first, first, by_arm ? BERTH_JOINT_FLOATING : BERTH_JOINT_REVOLUTE);
    add_link(flier, builder, first, first + 1, BERTH_JOINT_PRISMATIC);
    add_link(flier, builder, first, first, BERTH_JOINT_REVOLUTE);  // a branch

    MUST(berth_robot_use_listed_pairs(builder));
    for (int a = first; a < flier->link_count; ++a) {
        for (int b = first; b < a; ++b) {
            const bool off = flier->links[a].parent == b || bi_random_next(&flier->random) % 2 == 0;
            flier->skip[a][b] = off;
            if (off) {
                MUST(berth_robot_disable_pair(builder, b - first + 1, a - first + 1, "flier"));
            }
        }
    }
    MUST(berth_robot_build(builder, &def.robot, NULL));
    berth_robot_builder_destroy(builder);
    def.name = name;
    def.own = true;
    MUST(berth_scene_add_robot(flier->scene, &def, NULL));
}

static void add_posts(Flier* flier) {
    flier->post_count = 3 + (int)(bi_random_next(&flier->random) % (POSTS - 3));
    for (int i = 0; i < flier->post_count; ++i) {
        Post* post = &flier->posts[i];
        char name[16];
        snprintf(name, sizeof name, "post%d", i);
        *post = (Post){.is_box = i % 2 == 0, .radius = draw(&flier->random, 0.02, 0.15)};
        post->at = any_place(&flier->random, 0.9);
        for (int k = 0; k < 3; ++k) {
            post->half[k] = draw(&flier->random, 0.001, 0.15);
        }
        const BerthPose pose = pose_of(&post->at);
        const BerthVec3 size = {2 * post->half[0], 2 * post->half[1], 2 * post->half[2]};
        if (post->is_box) {
            MUST(berth_scene_add_box(flier->scene, name, size, &pose, NULL));
        } else {
            MUST(berth_scene_add_sphere(flier->scene, name, post->radius, pose.t, NULL));
        }
    }
}

static void open_flier(Flier* flier, uint64_t seed) {
    *flier = (Flier){.random = {seed}};
    MUST(berth_scene_create(NULL, &flier->scene));
    add_robot(flier, "one");
    if (seed % 3 == 0) {
        add_robot(flier, "two");
    }
    add_posts(flier);
    MUST(berth_scene_commit(flier->scene));
    assert_int_equal(berth_scene_value_count(flier->scene), flier->value_count);

    BerthLanesDef def = berth_default_lanes_def();
    def.expected_segments = (int64_t)(seed % 2);
    MUST(berth_lanes_create(flier->scene, &def, &flier->lanes));
    assert_non_null(flier->lanes);
    MUST(bi_lanes_query_create(flier->lanes, &flier->query));
}

static void close_flier(Flier* flier) {
    bi_lanes_query_destroy(flier->query);
    berth_lanes_destroy(flier->lanes);
    berth_scene_destroy(flier->scene);
}

// Anywhere, or close to another state; orientations with any length and sign, now and then along an axis.
static void draw_state(Flier* flier, double* out) {
    Random* random = &flier->random;
    for (int l = 0; l < flier->link_count; ++l) {
        const Link* link = &flier->links[l];
        double* q = out + link->value;
        if (link->type != BERTH_JOINT_FLOATING) {
            *q = link->type == BERTH_JOINT_PRISMATIC ? draw(random, -0.2, 0.3) : draw(random, -2.5, 2.5);
            continue;
        }
        const BerthQuat turn = bi_random_quat(random);
        const double size = bi_random_next(random) % 2 == 0 ? 1.0 : draw(random, 0.1, 3.0);
        const double sign = bi_random_next(random) % 2 == 0 ? 1.0 : -1.0;
        const double all[4] = {turn.x, turn.y, turn.z, turn.w};
        const uint64_t kind = bi_random_next(random) % 6;
        for (int k = 0; k < 3; ++k) {
            q[k] = draw(random, -0.9, 0.9);
        }
        for (int k = 0; k < 4; ++k) {
            const double along = k == (int)kind ? 1.0 : 0.0;  // a turn by half about x, y, z, or none
            q[3 + k] = sign * size * (kind < 4 ? along : all[k]);
        }
    }
}

// ---- states -----------------------------------------------------------------------------------------------------------

static void judge(const Flier* flier, LanesVerdict verdict, double gap, Count* count) {
    (void)flier;
    count->free += verdict == LANES_FREE;
    count->hits += verdict == LANES_HIT;
    count->open += verdict == LANES_OPEN;
    if (verdict == LANES_FREE) {
        count->nearest = fmin(count->nearest, gap);
        count->doubtful += gap < 0.01;  // what a judge would refute who takes all to be a centimetre nearer
        assert_true(gap > -1e-9);
    } else if (verdict == LANES_HIT) {
        assert_true(gap < 1e-9);
    }
}

static void ask_states(Flier* flier, Count* count) {
    static const BerthCheckRequest request = {0};
    double rows[LANES][VALUES];
    BerthCheckerDef def = berth_default_checker_def();
    BerthChecker *with = NULL, *without = NULL;
    MUST(berth_checker_create(flier->scene, &def, &without));
    def.lanes = flier->lanes;
    MUST(berth_checker_create(flier->scene, &def, &with));
    assert_non_null(with->lanes);
    for (int round = 0; round < STATES / LANES; ++round) {
        const int asked = 1 + round % LANES;
        for (int i = 0; i < asked; ++i) {
            draw_state(flier, rows[i]);
        }
        uint8_t verdicts[SIMD_ISA_COUNT][LANES];
        const SimdKernels* own = flier->lanes->kernels;
        for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
            const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
            flier->lanes->kernels = kernels != NULL ? kernels : own;
            assert_true(bi_lanes_ask_states(flier->query, rows[0], VALUES, asked, verdicts[isa]));
        }
        flier->lanes->kernels = own;

        for (int i = 0; i < asked; ++i) {
            const double gap = gap_at(flier, rows[i]);
            for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
                judge(flier, (LanesVerdict)verdicts[isa][i], gap, count);
            }
            BerthCheckResult a, b;
            MUST(berth_check_state(with, rows[i], &request, &a));
            MUST(berth_check_state(without, rows[i], &request, &b));
            assert_int_equal(a.verdict, b.verdict);
            count->states += 1;
        }
    }
    berth_checker_destroy(with);
    berth_checker_destroy(without);
}

// ---- segments ---------------------------------------------------------------------------------------------------------

static LanesVerdict ask_segment(Flier* flier, const double* from, const double* to, int company) {
    double rows[COMPANY + 1][2 * VALUES];
    LanesSegmentAnswer answers[COMPANY + 1];
    const size_t bytes = (size_t)flier->value_count * sizeof(double);
    for (int i = 0; i <= company; ++i) {
        memcpy(rows[i], from, bytes);
        memcpy(rows[i] + flier->value_count, i == company ? to : from, bytes);
    }
    bi_lanes_ask_segments(flier->query, rows[0], 2 * VALUES, company + 1, 1e-4, answers);
    return answers[company].verdict;
}

static void judge_segment(Flier* flier, const double* from, const double* to, Count* count) {
    const double gap = least_gap(flier, from, to, 200);
    const SimdKernels* own = flier->lanes->kernels;
    for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
        const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
        if (kernels == NULL) {
            continue;
        }
        flier->lanes->kernels = kernels;
        for (int company = 0; company <= COMPANY; company += COMPANY) {
            const LanesVerdict verdict = ask_segment(flier, from, to, company);
            judge(flier, verdict, verdict == LANES_HIT ? fmin(gap, 0.0) : gap, count);
            assert_true(verdict != LANES_HIT || gap < 1e-3);  // samples may miss what is deeper between them
        }
    }
    flier->lanes->kernels = own;
    count->segments += 1;
}

// Both engines, end to end: they may differ only where it is too close to tell.
static void compare_engines(Flier* flier, BerthMotionChecker* const both[2], const double* from,
                            const double* to, Count* count) {
    static const BerthMotionRequest request = {0};
    BerthMotionResult results[2];
    for (int k = 0; k < 2; ++k) {
        const BerthSegment segment = {.value_count = flier->value_count, .from = from, .to = to};
        MUST(berth_motion_check_segment(both[k], &segment, &request, &results[k]));
    }
    if (results[0].verdict != results[1].verdict) {
        count->split += 1;
        assert_true(results[0].verdict == BERTH_UNKNOWN || results[1].verdict == BERTH_UNKNOWN);
        assert_true(least_gap(flier, from, to, 200) < 1.1e-4);
    }
}

static void ask_segments(Flier* flier, Count* count) {
    double free_end[VALUES], from[VALUES], to[VALUES], middle[VALUES];
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* both[2] = {NULL, NULL};
    MUST(berth_motion_checker_create(flier->scene, &def, &both[0]));
    def.lanes = flier->lanes;
    MUST(berth_motion_checker_create(flier->scene, &def, &both[1]));
    assert_non_null(both[1]->lanes);

    const size_t bytes = (size_t)flier->value_count * sizeof(double);
    for (int i = 0; i < SEGMENTS; ++i) {
        draw_state(flier, from);
        draw_state(flier, to);
        const double share = i % 3 == 0 ? 1.0 : exp(draw(&flier->random, log(1e-3), 0.0));
        values_at(flier, from, to, share, middle);
        memcpy(to, middle, bytes);
        judge_segment(flier, from, to, count);
        compare_engines(flier, both, from, to, count);
        if (gap_at(flier, from) < 1e-3 || ask_segment(flier, from, to, 0) == LANES_FREE) {
            continue;
        }

        // Shorter and shorter, to where it is just free.
        double low = 0.0, high = 1.0;
        for (int k = 0; k < 14; ++k) {
            const double at = 0.5 * (low + high);
            values_at(flier, from, to, at, middle);
            if (ask_segment(flier, from, middle, 0) == LANES_FREE) {
                low = at;
                memcpy(free_end, middle, bytes);
            } else {
                high = at;
            }
        }
        if (low > 0.0) {
            judge_segment(flier, from, free_end, count);
            compare_engines(flier, both, from, free_end, count);
            count->grazing += 1;
        }
    }
    berth_motion_checker_destroy(both[0]);
    berth_motion_checker_destroy(both[1]);
}

// ---- orientations that are none ---------------------------------------------------------------------------------------

static void expect_nothing_free(Flier* flier, Count* count) {
    const double bad[] = {0.0, NAN, INFINITY, 1e-200, 1e200};
    double good[VALUES], state[VALUES];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        for (int l = 0; l < flier->link_count; ++l) {
            if (flier->links[l].type != BERTH_JOINT_FLOATING) {
                continue;
            }
            draw_state(flier, good);
            memcpy(state, good, sizeof state);
            for (int k = 3; k < 7; ++k) {
                state[flier->links[l].value + k] = bad[i];
            }
            uint8_t verdict = LANES_FREE;
            assert_false(bi_lanes_ask_states(flier->query, state, VALUES, 1, &verdict));
            assert_int_equal(verdict, LANES_OPEN);
            assert_int_equal(ask_segment(flier, good, state, 0), LANES_OPEN);
            assert_int_equal(ask_segment(flier, state, good, COMPANY), LANES_OPEN);
            count->judged += 1;
        }
    }
}

static void bodies_fly(void** state) {
    (void)state;
    Count count = {.nearest = INFINITY};
    const int fliers = test_scaled(FLIERS);
    for (int i = 0; i < fliers; ++i) {
        static Flier flier;
        open_flier(&flier, (uint64_t)(77 + i));
        count.layouts += 1;
        ask_states(&flier, &count);
        ask_segments(&flier, &count);
        expect_nothing_free(&flier, &count);
        close_flier(&flier);
    }
    print_message(
        "report lanes flying: %lld layouts, %lld states, %lld segments (%lld grazing): %lld free, %lld hits, "
        "%lld open; 0 refuted; nearest %.3g m, %lld free ones come nearer than 1 cm; %lld told differently "
        "within delta\n",
        (long long)count.layouts, (long long)count.states, (long long)count.segments,
        (long long)count.grazing, (long long)count.free, (long long)count.hits, (long long)count.open,
        count.nearest, (long long)count.doubtful, (long long)count.split);
    assert_true(count.doubtful > 0 && count.grazing > 0 && count.judged > 0);
    assert_true(5 * count.open < count.free + count.hits);
}

int test_lanes_flying(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_fly),
    };
    return cmocka_run_group_tests_name("lanes: bodies that fly", tests, NULL, NULL);
}
