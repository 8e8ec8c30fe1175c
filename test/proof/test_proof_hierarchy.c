// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The hierarchy of balls along the kinematic tree and its tables: balls against points that move (kinematics in long
// double, which shares no code with ours), tables against random configurations and against their definitions.
// test-share: 0.25
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof/hierarchy.h"
#include "support/arms.h"
#include "support/brute.h"
#include "support/kit.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/starve.h"

int test_proof_hierarchy(void);

enum { VALUE_MAX = 256, FRAME_MAX = 256 };

static Hierarchy* make(const BerthRobot* robot, HierarchyMethod method, double step) {
    HierarchyDef def = bi_hierarchy_default_def();
    def.method = method;
    def.step = step;
    Hierarchy* h = NULL;
    assert_int_equal(bi_hierarchy_create(robot, &def, &h), BERTH_OK);
    return h;
}

static Hierarchy* make_proven(const BerthRobot* robot) {
    BerthProofDef proof = berth_default_proof_def();
    proof.samples = 0;
    HierarchyDef def = bi_hierarchy_default_def();
    def.proof = &proof;
    Hierarchy* h = NULL;
    assert_int_equal(bi_hierarchy_create(robot, &def, &h), BERTH_OK);
    return h;
}

// A random state within limits, often at their ends: that is where balls are left.
static void random_values(const BerthRobot* robot, Random* random, double* values) {
    bi_robot_random_values(robot, random, values);
    for (int32_t i = 0; i < robot->value_count; ++i) {
        const uint64_t kind = bi_random_next(random) % 4;
        if (robot->values[i].has_limits && kind < 2) {
            values[i] = kind == 0 ? robot->values[i].lower : robot->values[i].upper;
        }
    }
}

// ---- kinematics in long double ------------------------------------------------------------------------------

static Lv cross(Lv a, Lv b) {
    return lv(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
// Rodrigues' formula.
static Lv turned(Lv axis, Real angle, Lv v) {
    Lv out = lv_scale(v, cosl(angle));
    out = lv_add(out, lv_scale(cross(axis, v), sinl(angle)));
    return lv_add(out, lv_scale(axis, (1 - cosl(angle)) * lv_dot(axis, v)));
}

// A point in the axes of frame `f`, out of its own in those of f's parent.
static Lv step_up(const RobotFrame* f, const double* values, Lv p) {
    const double* q = values + f->value;
    const Real one = (Real)f->multiplier * q[0] + f->offset;
    const Lv axis = lv_of(f->axis);
    if (f->motion == FRAME_SLIDE) {
        p = lv_add(p, lv_scale(axis, one));
    } else if (f->motion == FRAME_PLANAR) {
        p = turned(axis, q[2], p);
        p = lv_add(p, lv_add(lv_scale(lv_of(f->across[0]), q[0]), lv_scale(lv_of(f->across[1]), q[1])));
    } else if (f->motion == FRAME_FLOATING) {
        const Lv u = lv(q[3], q[4], q[5]);
        const Real n = lv_dot(u, u) + (Real)q[6] * q[6];
        const Lv t = cross(u, p);
        p = lv_add(p, lv_scale(lv_add(lv_scale(t, q[6]), cross(u, t)), 2 / n));
        p = lv_add(p, lv(q[0], q[1], q[2]));
    } else {
        p = turned(axis, one, p);
    }
    const Lpose at = lpose_of(&f->parent_from_joint);
    return lpose_apply(&at, p);
}

// A random point of a solid, in its frame: a vertex of a mesh, else a point of the shape far out.
static Lv solid_point(const RobotSolid* solid, Random* random) {
    const BerthMesh* mesh = berth_solid_mesh(solid->solid);
    const Lpose at = lpose_of(&solid->frame_from_solid);
    if (mesh != NULL) {
        const uint64_t count = (uint64_t)berth_mesh_info(mesh).vertex_count;
        return lpose_apply(&at, lv_of(berth_mesh_vertices(mesh)[bi_random_next(random) % count]));
    }
    const BerthShape* s = berth_solid_shape(solid->solid);
    Vec3 u = v3(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1),
                bi_random_between(random, -1, 1));
    u = v3_scale(v3_unit_or(u, v3(1, 0, 0)), 1.0 - 1e-15);
    Vec3 p = v3(0, 0, 0);  // the middle of a kind that is not told apart here
    if (s->kind == BERTH_SPHERE) {
        p = v3_scale(u, s->as.sphere.radius);
    } else if (s->kind == BERTH_BOX) {
        p = v3(copysign(s->as.box.half.x, u.x), copysign(s->as.box.half.y, u.y),
               copysign(s->as.box.half.z, u.z));
    } else if (s->kind == BERTH_CAPSULE) {
        p = v3_add(v3_scale(u, s->as.capsule.radius), v3(0, 0, copysign(0.5 * s->as.capsule.length, u.z)));
    } else if (s->kind == BERTH_CYLINDER) {
        const double flat = sqrt(u.x * u.x + u.y * u.y);
        const double r = flat > 1e-9 ? (1.0 - 1e-15) * s->as.cylinder.radius / flat : 0.0;
        p = v3(r * u.x, r * u.y, copysign(0.5 * s->as.cylinder.length, u.z));
    }
    return lpose_apply(&at, lv_of(p));
}

static double outside(const Ball* ball, Lv p) {
    return (double)(lv_length(lv_sub(p, lv_of(ball->centre))) - ball->radius);
}

// Balls and tables hold for these values only.
static bool is_within_limits(const Hierarchy* h, const double* values) {
    bool inside = true;
    for (int32_t i = 0; i < h->robot->value_count; ++i) {
        inside = inside && values[i] >= h->low[i] && values[i] <= h->high[i] && isfinite(values[i]);
    }
    return inside;
}

// Points of every link, in every frame above it: R, MR and M must hold them. Returns how near one came to a surface.
static double examine_balls(const BerthRobot* robot, const Hierarchy* h, Random* random, int states) {
    double values[VALUE_MAX];
    double nearest = -INFINITY;
    assert_true(robot->value_count <= VALUE_MAX);
    for (int i = 0; i < states; ++i) {
        random_values(robot, random, values);
        assert_true(is_within_limits(h, values));
        for (int32_t s = 0; s < robot->solid_count; ++s) {
            Lv p = solid_point(&robot->solids[s], random);
            assert_true(outside(&h->rigid[robot->solids[s].frame], p) <= 0);
            for (int32_t f = robot->solids[s].frame; f >= 0; f = robot->frames[f].parent) {
                const double in_frame = outside(&h->both[f], p);
                p = f > 0 ? step_up(&robot->frames[f], values, p) : p;
                const double in_parent = outside(&h->motion[f], p);
                if (!(in_frame <= 0) || !(in_parent <= 0)) {
                    fail_msg("%s: a point of '%s' is outside at frame %d: MR by %g, M by %g", robot->name,
                             robot->links[robot->solids[s].link].name, (int)f, in_frame, in_parent);
                }
                nearest = fmax(nearest, fmax(in_frame, in_parent));
            }
        }
    }
    return nearest;
}

static void balls_contain_moving_points(void** state) {
    (void)state;
    Random random = {5};
    double nearest = -INFINITY;
    for (int i = 0; i < test_scaled(1500); ++i) {
        BerthRobot* robot = test_random_robot(&random, i % 2 == 0);
        Hierarchy* h = make(robot, HIERARCHY_BALLS, 0.1);
        nearest = fmax(nearest, examine_balls(robot, h, &random, 40));
        bi_hierarchy_destroy(h);
        berth_robot_destroy(robot);
    }
    print_message("report random robots: nearest %.2g m\n", nearest);
    assert_true(nearest > -1e-9);  // a frame's own ball touches a point: nothing is merely far too large
}

static void sampled_balls_contain_moving_points(void** state) {
    (void)state;
    Random random = {6};
    for (int i = 0; i < test_scaled(120); ++i) {
        BerthRobot* robot = test_random_robot(&random, i % 2 == 0);
        Hierarchy* h = make(robot, HIERARCHY_SAMPLED, i % 3 == 0 ? 1.2 : i % 3 == 1 ? 0.5 : 0.2);
        (void)examine_balls(robot, h, &random, 60);
        bi_hierarchy_destroy(h);
        berth_robot_destroy(robot);
    }
}

// Three joints about axes that are not parallel: a chain for which the printed error, r (1 - cos(alpha / 2)) with the whole
// reach as r, is too small (errata 3.3). The corrected sum holds.
static void sampling_error_covers_chains(void** state) {
    (void)state;
    const double alpha = 0.8;
    Kit kit = kit_new();
    const Vec3 axes[3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    int link = 0;
    for (int i = 0; i < 3; ++i) {
        link =
            kit_link(&kit, link, BERTH_JOINT_CONTINUOUS, axes[i], i == 0 ? v3(0, 0, 0) : v3(0.5, 0.2, 0.1));
    }
    kit_solid(&kit, link, kit_box(0.002, 0.002, 0.002), v3(0.4, 0.5, 0.3));
    kit_robot(&kit, NULL);
    kit_commit(&kit);
    const BerthRobot* robot = berth_scene_robot(kit.scene, 0, NULL, NULL);
    Hierarchy* rough = make(robot, HIERARCHY_SAMPLED, alpha);
    Hierarchy* fine = make(robot, HIERARCHY_SAMPLED, 0.05);
    Random random = {8};
    (void)examine_balls(robot, rough, &random, 20000);
    (void)examine_balls(robot, fine, &random, 20000);
    // A coarser sampling pays with a larger ball, and both are near the true reach.
    double reach = 0.0;
    for (int i = 0; i < 20000; ++i) {
        double values[3];
        bi_robot_random_values(robot, &random, values);
        Lv p = solid_point(&robot->solids[0], &random);
        for (int32_t f = robot->solids[0].frame; f > 0; f = robot->frames[f].parent) {
            p = step_up(&robot->frames[f], values, p);
        }
        reach = fmax(reach, (double)lv_length(p));
    }
    assert_true(rough->both[0].radius > fine->both[0].radius);
    assert_true(fine->both[0].radius > reach && fine->both[0].radius < 1.02 * reach);
    bi_hierarchy_destroy(rough);
    bi_hierarchy_destroy(fine);
    kit_free(&kit);
}

// ---- tables -------------------------------------------------------------------------------------------------

static bool is_below(const BerthRobot* robot, int32_t frame, int32_t top) {
    return frame >= top && frame < robot->frames[top].end;
}

// Every table from its definition, pair of links by pair of links.
static void examine_definitions(const BerthRobot* robot, const Hierarchy* h) {
    const int32_t n = robot->frame_count;
    float* base = malloc((size_t)n * (size_t)n * sizeof *base);
    assert_non_null(base);
    for (int32_t i = 0; i < n * n; ++i) {
        base[i] = INFINITY;
    }
    for (int32_t a = 0; a < robot->link_count; ++a) {
        for (int32_t b = 0; b < robot->link_count; ++b) {
            if (a == b || berth_robot_pair(robot, a, b, NULL) != BERTH_PAIR_CHECKED) {
                continue;
            }
            const float least = bi_hierarchy_link_gap(h, robot->links[a].geometry, robot->links[b].geometry);
            float* entry = &base[robot->links[a].frame * n + robot->links[b].frame];
            *entry = least < *entry ? least : *entry;
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        base[i * n + i] = INFINITY;  // what is joined rigidly is true
        float self = INFINITY;
        for (int32_t j = 0; j < n; ++j) {
            float rigid = INFINITY, motion = INFINITY;
            for (int32_t k = 0; k < n; ++k) {
                if (is_below(robot, k, j)) {
                    rigid = fminf(rigid, base[i * n + k]);
                }
                for (int32_t l = 0; l < n && is_below(robot, k, i); ++l) {
                    motion = is_below(robot, l, j) && k != l ? fminf(motion, base[k * n + l]) : motion;
                }
            }
            assert_true(bi_hierarchy_entry(h->base, n, i, j) == base[i * n + j]);
            assert_true(bi_hierarchy_entry(h->rigid_motion, n, i, j) == rigid);
            assert_true(bi_hierarchy_entry(h->motion_motion, n, i, j) == motion);
        }
        for (int32_t k = i; k < robot->frames[i].end; ++k) {
            for (int32_t l = i; l < robot->frames[i].end; ++l) {
                self = k == l ? self : fminf(self, base[k * n + l]);
            }
        }
        assert_true(h->self_free[i] == self);
    }
    free(base);
}

static void tables_follow_their_definitions(void** state) {
    (void)state;
    Random random = {9};
    for (int i = 0; i < test_scaled(400); ++i) {
        BerthRobot* robot = test_random_robot(&random, i % 2 == 0);
        Hierarchy* h = make(robot, i % 10 == 0 ? HIERARCHY_SAMPLED : HIERARCHY_BALLS, 0.6);
        examine_definitions(robot, h);
        bi_hierarchy_destroy(h);
        berth_robot_destroy(robot);
    }
}

typedef struct Contradictions {
    int64_t entries, finite, states, measured;
    double nearest;  // gap less entry, the least that was seen
} Contradictions;

// The gap of two links in a state, against the entry: their solids' own balls first, which are not the hierarchy's.
static void examine_pair(const BerthRobot* robot, const Pose* frames, int32_t a, int32_t b, double least,
                         BerthTreeQuery* query, Contradictions* out) {
    const RobotLink *la = &robot->links[a], *lb = &robot->links[b];
    for (int32_t i = 0; i < la->solid_count; ++i) {
        for (int32_t k = 0; k < lb->solid_count; ++k) {
            const RobotSolid* sa = &robot->solids[la->first_solid + i];
            const RobotSolid* sb = &robot->solids[lb->first_solid + k];
            const Vec3 ca = pose_apply(&frames[la->frame], sa->centre);
            const Vec3 cb = pose_apply(&frames[lb->frame], sb->centre);
            if (v3_distance(ca, cb) - sa->radius - sb->radius > least) {
                continue;
            }
            const Pose pa = pose_mul(&frames[la->frame], &sa->frame_from_solid);
            const Pose pb = pose_mul(&frames[lb->frame], &sb->frame_from_solid);
            BerthTreeRequest request = berth_default_tree_request();
            request.max_d = least + 0.001;  // more need not be told apart
            const BerthTreeAnswer answer =
                berth_tree_distance(query, sa->solid, &pa, sb->solid, &pb, &request);
            out->measured += 1;
            out->nearest = fmin(out->nearest, answer.upper - least);
            if (!(answer.upper > least) || !(answer.lower > 0.0)) {
                fail_msg("%s: '%s' and '%s' have the entry %g and the gap %g", robot->name, la->name,
                         lb->name, least, answer.upper);
            }
        }
    }
}

// Random configurations against every entry that says anything (a lower bound above 0).
static Contradictions contradict(const BerthRobot* robot, const Hierarchy* h, int states) {
    Contradictions out = {.nearest = INFINITY, .states = states};
    Pose* frames = calloc((size_t)robot->frame_count, sizeof *frames);
    BerthTreeQuery* query = NULL;
    assert_non_null(frames);
    assert_int_equal(berth_tree_query_create(10000000, NULL, &query), BERTH_OK);
    const Pose base = pose_identity();
    Random random = {10};
    double values[VALUE_MAX];
    for (int i = 0; i < states; ++i) {
        random_values(robot, &random, values);
        bi_robot_frame_poses(robot, &base, values, frames);
        for (int32_t a = 0; a < robot->link_count; ++a) {
            for (int32_t b = 0; b < a && robot->links[a].geometry >= 0; ++b) {
                if (robot->links[b].geometry < 0 || robot->links[a].frame == robot->links[b].frame) {
                    continue;
                }
                const float least =
                    bi_hierarchy_link_gap(h, robot->links[a].geometry, robot->links[b].geometry);
                out.entries += i == 0;
                if (least > 0.0f) {
                    out.finite += i == 0;
                    assert_true(least < INFINITY);
                    examine_pair(robot, frames, a, b, least, query, &out);
                }
            }
        }
    }
    free(frames);
    berth_tree_query_destroy(query);
    return out;
}

// With BERTH_TEST_PROVEN set, by a prover as well, which takes up to a minute a robot.
static void examine_robot(const BerthRobot* robot, const char* name, int states) {
    Hierarchy* h =
        getenv("BERTH_TEST_PROVEN") != NULL ? make_proven(robot) : make(robot, HIERARCHY_BALLS, 0.2);
    if (robot->frame_count < 80) {
        examine_definitions(robot, h);
    }
    Random random = {11};
    (void)examine_balls(robot, h, &random, states / 100 + 1);
    const Contradictions seen = contradict(robot, h, states);
    print_message(
        "report %s: %lld of %lld pairs of links proven apart; %lld states, %lld gaps measured, nearest "
        "to its entry %.3g m\n",
        name, (long long)seen.finite, (long long)seen.entries, (long long)seen.states,
        (long long)seen.measured, seen.nearest);
    bi_hierarchy_destroy(h);
}

static void shared_robots(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("no shared robots");
    }
    for (const TestRobot* robot = test_robots; robot->name != NULL; ++robot) {
        const char* only = getenv("BERTH_TEST_ROBOT");
        if (!test_robot_is_due(robot) || strcmp(robot->name, "romeo_moveit") == 0 ||
            (only != NULL && strcmp(only, robot->name) != 0)) {
            continue;
        }
        BerthRobot* built = test_read_robot(robot, true, true);
        assert_non_null(built);
        examine_robot(built, robot->name, test_scaled(20000));
        berth_robot_destroy(built);
    }
}

static void models(void** state) {
    (void)state;
    static const char* const names[][2] = {{"humanoid23", "humanoid"}, {"two_arms", "arm"}, {"arm6", "arm6"}};
    const BerthIoOptions options = berth_default_io_options();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char urdf[4096];
        BerthRobot* robot = NULL;
        snprintf(urdf, sizeof urdf, "%s/models/%s/%s.urdf", BERTH_BUILD_DIR, names[i][0], names[i][1]);
        const char* only = getenv("BERTH_TEST_ROBOT");
        if (only != NULL && strcmp(only, names[i][0]) != 0) {
            continue;
        }
        if (berth_io_read_robot(urdf, NULL, &options, &robot) != BERTH_OK) {
            fail_msg("%s", berth_error_text());
        }
        examine_robot(robot, names[i][0], test_scaled(20000));
        berth_robot_destroy(robot);
    }
}

// The same tables by the paper's way. Its hulls are tighter than balls: it must prove at least as many pairs.
static void sampled_robots(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("no shared robots");
    }
    BerthRobot* robot = test_read_robot(&test_robots[0], true, true);
    assert_non_null(robot);
    Hierarchy* balls = make(robot, HIERARCHY_BALLS, 0.2);
    Hierarchy* sampled = make(robot, HIERARCHY_SAMPLED, 0.5);
    Random random = {12};
    (void)examine_balls(robot, sampled, &random, test_scaled(400));
    const Contradictions a = contradict(robot, balls, 10);
    const Contradictions b = contradict(robot, sampled, test_scaled(4000));
    print_message(
        "report panda: %lld pairs proven apart by balls, %lld by sampled hulls; reach %.3f and %.3f m\n",
        (long long)a.finite, (long long)b.finite, balls->both[0].radius, sampled->both[0].radius);
    bi_hierarchy_destroy(balls);
    bi_hierarchy_destroy(sampled);
    berth_robot_destroy(robot);
}

// What a prover adds: pairs that are never far apart and never touch.
static void proven_robots(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("no shared robots");
    }
    for (const TestRobot* robot = test_robots; robot->name != NULL; ++robot) {
        if (strcmp(robot->name, "panda") != 0 && strcmp(robot->name, "ur5_gripper") != 0) {
            continue;
        }
        BerthRobot* built = test_read_robot(robot, false, true);
        assert_non_null(built);
        Hierarchy* balls = make(built, HIERARCHY_BALLS, 0.2);
        Hierarchy* proven = make_proven(built);
        examine_definitions(built, proven);
        const Contradictions a = contradict(built, balls, 1);
        const Contradictions b = contradict(built, proven, test_scaled(3000));
        print_message(
            "report %s: %lld pairs proven apart by balls, %lld with a prover; nearest to its entry %.3g m\n",
            robot->name, (long long)a.finite, (long long)b.finite, b.nearest);
        assert_true(b.finite > a.finite);
        const size_t pairs = (size_t)balls->geometry_count * (size_t)(balls->geometry_count - 1) / 2;
        for (size_t i = 0; i < pairs; ++i) {
            assert_true(proven->links[i] == balls->links[i] ||
                        (!(balls->links[i] > 0.0f) && proven->links[i] == BI_HIERARCHY_NEVER));
        }
        bi_hierarchy_destroy(balls);
        bi_hierarchy_destroy(proven);
        berth_robot_destroy(built);
    }
}

// ---- limits, joints without limits, memory ------------------------------------------------------------------

static void limits_are_respected(void** state) {
    (void)state;
    BerthRobot* robot = test_arm(false, NULL);
    Hierarchy* h = make(robot, HIERARCHY_BALLS, 0.1);
    double values[2] = {2, -2};
    assert_true(is_within_limits(h, values));
    values[0] = nextafter(2, 3);
    assert_false(is_within_limits(h, values));
    values[0] = (double)NAN;
    assert_false(is_within_limits(h, values));
    bi_hierarchy_destroy(h);
    berth_robot_destroy(robot);
}

// A free base: nothing is known against the world, everything about the robot itself.
static void free_bases_are_without_bound(void** state) {
    (void)state;
    BerthRobot* fixed = test_arm(false, NULL);
    BerthRobot* loose = test_arm(true, NULL);
    for (int method = 0; method < 2; ++method) {
        Hierarchy* a = make(fixed, (HierarchyMethod)method, 0.1);
        Hierarchy* b = make(loose, (HierarchyMethod)method, 0.1);
        assert_true(b->motion[1].radius == INFINITY && b->both[0].radius == INFINITY);
        assert_true(b->both[1].radius < INFINITY);
        const size_t pairs = (size_t)a->geometry_count * (size_t)(a->geometry_count - 1) / 2;
        assert_int_equal(a->geometry_count, b->geometry_count);
        for (size_t i = 0; i < pairs; ++i) {
            assert_true(fabsf(a->links[i] - b->links[i]) < 1e-6f || a->links[i] == b->links[i]);
        }
        double values[9] = {1e6, 0, -1e6, 0, 0, 0, 1, 0, 0};
        assert_true(is_within_limits(b, values));
        values[0] = INFINITY;
        assert_false(is_within_limits(b, values));
        bi_hierarchy_destroy(a);
        bi_hierarchy_destroy(b);
    }
    berth_robot_destroy(fixed);
    berth_robot_destroy(loose);
}

static void wrong_requests_are_refused(void** state) {
    (void)state;
    BerthRobot* robot = test_arm(false, NULL);
    HierarchyDef def = bi_hierarchy_default_def();
    Hierarchy* h = NULL;
    def.method = HIERARCHY_SAMPLED;
    const double steps[] = {0.0, -1.0, 2.0, (double)NAN};
    for (int i = 0; i < 4; ++i) {
        def.step = steps[i];
        assert_int_equal(bi_hierarchy_create(robot, &def, &h), BERTH_ERR_ARGUMENT);
        assert_null(h);
    }
    berth_robot_destroy(robot);
    BerthRobotBuilder* builder = NULL;
    assert_int_equal(berth_robot_builder_create("long", NULL, &builder), BERTH_OK);
    for (int i = 0; i <= BI_HIERARCHY_FRAME_MAX; ++i) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        assert_int_equal(berth_robot_add_link(builder, name, NULL), BERTH_OK);
        BerthJointDef joint = berth_default_joint_def();
        joint.name = name;
        joint.type = BERTH_JOINT_REVOLUTE;
        joint.parent_link = i - 1;
        joint.child_link = i;
        if (i > 0) {
            assert_int_equal(berth_robot_add_joint(builder, &joint, NULL), BERTH_OK);
        }
    }
    assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
    def = bi_hierarchy_default_def();
    assert_int_equal(bi_hierarchy_create(robot, &def, &h), BERTH_ERR_CAPACITY);
    berth_robot_builder_destroy(builder);
    berth_robot_destroy(robot);
}

/// A hierarchy to be made.
typedef struct HierarchyTry {
    const BerthRobot* robot;
    HierarchyDef def;
} HierarchyTry;

static BerthStatus make_hierarchy(void* user, const BerthAllocator* allocator) {
    const HierarchyTry* from = user;
    HierarchyDef def = from->def;
    def.allocator = *allocator;
    Hierarchy* h = NULL;
    const BerthStatus status = bi_hierarchy_create(from->robot, &def, &h);
    bi_hierarchy_destroy(h);
    return status;
}

static void memory_may_run_out(void** state) {
    (void)state;
    Random random = {13};
    BerthRobot* robot = test_random_robot(&random, false);
    while (robot->geometry_count < 3) {
        berth_robot_destroy(robot);
        robot = test_random_robot(&random, false);
    }
    BerthProofDef proof = berth_default_proof_def();
    proof.budget = 100;
    for (int method = 0; method < 3; ++method) {  // balls, sampled, proven
        HierarchyTry from = {robot, bi_hierarchy_default_def()};
        from.def.method = method == 1 ? HIERARCHY_SAMPLED : HIERARCHY_BALLS;
        from.def.step = 0.7;
        from.def.proof = method == 2 ? &proof : NULL;
        assert_true(starve(make_hierarchy, &from) >= 3);
    }
    berth_robot_destroy(robot);
}

int test_proof_hierarchy(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_contain_moving_points),
        cmocka_unit_test(sampled_balls_contain_moving_points),
        cmocka_unit_test(sampling_error_covers_chains),
        cmocka_unit_test(tables_follow_their_definitions),
        cmocka_unit_test(shared_robots),
        cmocka_unit_test(models),
        cmocka_unit_test(sampled_robots),
        cmocka_unit_test(proven_robots),
        cmocka_unit_test(limits_are_respected),
        cmocka_unit_test(free_bases_are_without_bound),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
