// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Motions with delta = 0: gaps down to a nanometre are proven, touches are found, and what rounding hides is said to be
// unknown. Boxes whose contact times are rational, pegs that slide and turn in holes with a micrometre to spare, a tool along
// a surface; shapes and meshes, whose hulls overlap.
// test-share: 0.4

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "math/math.h"
#include "oracle/exact.h"
#include "support/courses.h"
#include "support/kit.h"
#include "support/setting.h"

static const BerthMethod provers[] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_ADAPTIVE, BERTH_METHOD_REFINED};
enum { PROVERS = 3, CORNERS = 256, FACES = 512 };
static const double pi = 3.14159265358979323846;

static BerthMotionCheckerDef exact_def(BerthMethod method) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.method = method;
    def.delta = 0.0;
    return def;
}

static int pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

// ---- meshes by hand ---------------------------------------------------------------------------------------------

typedef struct Soup {
    BerthVec3 points[CORNERS];
    int32_t faces[3 * FACES];
    int32_t point_count, face_count;
} Soup;

static int32_t add_corner(Soup* soup, double x, double y, double z) {
    assert_true(soup->point_count < CORNERS);
    soup->points[soup->point_count] = v3(x, y, z);
    return soup->point_count++;
}

static void add_quad(Soup* soup, int32_t a, int32_t b, int32_t c, int32_t d) {
    assert_true(soup->face_count + 2 <= FACES);
    const int32_t corners[6] = {a, b, c, a, c, d};
    memcpy(soup->faces + 3 * (size_t)soup->face_count, corners, sizeof corners);
    soup->face_count += 2;
}

static void add_block(Soup* soup, BerthVec3 low, BerthVec3 high) {
    int32_t c[8];
    for (int k = 0; k < 8; ++k) {
        c[k] = add_corner(soup, k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z);
    }
    add_quad(soup, c[0], c[2], c[3], c[1]);
    add_quad(soup, c[4], c[5], c[7], c[6]);
    add_quad(soup, c[0], c[1], c[5], c[4]);
    add_quad(soup, c[2], c[6], c[7], c[3]);
    add_quad(soup, c[0], c[4], c[6], c[2]);
    add_quad(soup, c[1], c[3], c[7], c[5]);
}

// A prism with `sides` sides whose corners are `radius` from the z axis.
static void add_prism(Soup* soup, int sides, double radius, double low, double high) {
    const int32_t first = soup->point_count;
    for (int k = 0; k < sides; ++k) {
        const double x = radius * cos(2 * pi * k / sides), y = radius * sin(2 * pi * k / sides);
        add_corner(soup, x, y, low);
        add_corner(soup, x, y, high);
    }
    const int32_t bottom = add_corner(soup, 0, 0, low), top = add_corner(soup, 0, 0, high);
    for (int k = 0; k < sides; ++k) {
        const int32_t a = first + 2 * k, b = first + 2 * ((k + 1) % sides);
        add_quad(soup, a, b, b + 1, a + 1);
        const int32_t caps[6] = {bottom, b, a, top, a + 1, b + 1};
        memcpy(soup->faces + 3 * (size_t)soup->face_count, caps, sizeof caps);
        soup->face_count += 2;
    }
}

// A plate with a hole: the hole's corners are `inner` from the z axis, the rim's `outer`. Closed, not convex.
static void add_ring(Soup* soup, int sides, double inner, double outer, double low, double high) {
    const int32_t first = soup->point_count;
    for (int k = 0; k < sides; ++k) {
        const double c = cos(2 * pi * k / sides), s = sin(2 * pi * k / sides);
        add_corner(soup, inner * c, inner * s, low);
        add_corner(soup, inner * c, inner * s, high);
        add_corner(soup, outer * c, outer * s, low);
        add_corner(soup, outer * c, outer * s, high);
    }
    for (int k = 0; k < sides; ++k) {
        const int32_t a = first + 4 * k, b = first + 4 * ((k + 1) % sides);
        add_quad(soup, a + 1, b + 1, b, a);          // the hole's wall
        add_quad(soup, a + 2, b + 2, b + 3, a + 3);  // the rim
        add_quad(soup, a, b, b + 2, a + 2);          // below
        add_quad(soup, a + 3, b + 3, b + 1, a + 1);  // above
    }
}

static BerthSolid* soup_solid(const Soup* soup) {
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    assert_int_equal(
        berth_mesh_create(soup->points, soup->point_count, soup->faces, soup->face_count, NULL, &mesh),
        BERTH_OK);
    assert_int_equal(berth_solid_from_mesh(mesh, NULL, &solid), BERTH_OK);
    return solid;
}

static void link_soup(Kit* kit, int link, const Soup* soup, BerthVec3 at) {
    const BerthPose pose = kit_at(at.x, at.y, at.z);
    assert_int_equal(berth_robot_add_solid(kit->builder, link, &pose, soup_solid(soup), "soup"), BERTH_OK);
}

static void object_soup(Kit* kit, const Soup* soup, BerthPose pose) {
    BerthObjectDef def = berth_default_object_def();
    BerthObjectId id;
    def.name = "soup";
    def.pose = pose;
    def.solid = soup_solid(soup);
    assert_int_equal(berth_scene_add_object(kit->scene, &def, &id), BERTH_OK);
}

// ---- sliding boxes ----------------------------------------------------------------------------------------------

typedef struct Boxes {
    bool meshes;
    double gap;         // between the faces that pass each other; below 0 they overlap
    double from, to;    // of the slide along x
    double start, end;  // of the overlap in x, as slide values: they pass each other between
} Boxes;

// The moving one is a unit cube, the other lies above it by `gap` and is half as wide; as a mesh it is a bracket around
// the cube, whose hull contains it.
static Kit make_boxes(Boxes* boxes) {
    Kit kit = kit_new();
    const int link = kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
    if (boxes->meshes) {
        Soup cube = {.point_count = 0}, bracket = {.point_count = 0};
        add_block(&cube, v3(-0.5, -0.5, -0.5), v3(0.5, 0.5, 0.5));
        add_block(&bracket, v3(-0.25, -0.75, 0.5 + boxes->gap), v3(0.25, 0.75, 1.0));
        add_block(&bracket, v3(-0.25, -0.75, -1.0), v3(0.25, 0.75, -0.5 - boxes->gap));
        link_soup(&kit, link, &cube, v3(0, 0, 0));
        kit_robot(&kit, NULL);
        object_soup(&kit, &bracket, kit_at(0, 0, 0));
    } else {
        kit_solid(&kit, link, kit_box(1, 1, 1), v3(0, 0, 0));
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_box(0.5, 1.5, 0.5), kit_at(0, 0, 0.75 + boxes->gap), NULL);
    }
    kit_commit(&kit);
    boxes->start = -0.75;
    boxes->end = 0.75;
    return kit;
}

static void expect(BerthVerdict wanted, const BerthMotionResult* r, const BerthMotionCheckerDef* def,
                   const char* what, double number) {
    if (r->verdict != wanted) {
        fail_msg("%s (%s), %.17g: %s (%s) at %.17g to %.17g, clearance %g", what,
                 berth_method_name(def->method), number, berth_verdict_name(r->verdict),
                 berth_reason_name(r->reason), r->t_low, r->t_high, r->clearance);
    }
}

// A face passes another at a gap that is told exactly: dyadic gaps, so that every coordinate is a double.
static void test_passing(void** state) {
    (void)state;
    int64_t configurations = 0, most = 0;
    for (int n = 0; n < PROVERS; ++n) {
        const BerthMotionCheckerDef def = exact_def(provers[n]);
        for (int meshes = 0; meshes < 2; ++meshes) {
            for (int k = 0; k < 34; k += 3) {
                Boxes boxes = {.meshes = meshes != 0, .gap = ldexp(1, -k - 4)};  // to 2^-37, 7e-12
                Kit kit = make_boxes(&boxes);
                const double from = -2, to = 2;
                const BerthMotionResult r = kit_ask(&kit, &def, &from, &to, NULL, false);
                expect(BERTH_FREE, &r, &def, meshes ? "a cube passes a bracket" : "a cube passes a box",
                       boxes.gap);
                assert_true(r.clearance <= boxes.gap && r.clearance >= 0);
                configurations += r.stats.configurations;
                most = r.stats.configurations > most ? r.stats.configurations : most;
                kit_free(&kit);
            }
            Boxes touching = {.meshes = meshes != 0, .gap = 0.0};
            Kit kit = make_boxes(&touching);
            const double from = -2, to = 2;
            const BerthMotionResult r = kit_ask(&kit, &def, &from, &to, NULL, false);
            expect(BERTH_COLLISION, &r, &def, "a cube that touches", 0.0);
            const double x = -2 + 4 * r.t;
            assert_true(x >= touching.start && x <= touching.end);
            kit_free(&kit);
        }
    }
    print_message("report passing: %lld configurations in all, at most %lld a segment\n",
                  (long long)configurations, (long long)most);
}

// Head on: the faces are at gap g when the slide stops. First contact is at a rational time, found to rounding.
static void test_head_on(void** state) {
    (void)state;
    Random random = {71};
    double widest = 0;
    for (int i = 0; i < test_scaled(300); ++i) {
        const BerthMotionCheckerDef def = exact_def(provers[i % PROVERS]);
        Boxes boxes = {.meshes = i % 2 == 0, .gap = -0.125};
        Kit kit = make_boxes(&boxes);
        // start + q (end - start): contact where the slide is -0.75.
        const double from = -0.75 - ldexp(1 + pick(&random, 64), -6);
        const double gap = pick(&random, 2) == 0 ? ldexp(1, -10 - pick(&random, 24)) : 0.0;
        const bool stops = pick(&random, 2) == 0;
        const double to = stops ? -0.75 - gap : -0.75 + ldexp(1 + pick(&random, 64), -7);
        const BerthMotionResult r = kit_ask(&kit, &def, &from, &to, NULL, true);
        if (stops && gap > 0) {
            expect(BERTH_FREE, &r, &def, "a cube stops before a box", gap);
            assert_true(r.clearance <= gap);
        } else {
            expect(BERTH_COLLISION, &r, &def, "a cube runs into a box", gap);
            const double touch = (-0.75 - from) / (to - from);
            if (!(r.t_low <= touch + 1e-13 / (to - from)) || !(r.t_high >= touch - 1e-13 / (to - from)) ||
                !(r.t_high - r.t_low < 1e-11)) {
                fail_msg("(%s) contact at %.17g, bracket %.17g to %.17g", berth_method_name(def.method),
                         touch, r.t_low, r.t_high);
            }
            widest = fmax(widest, r.t_high - r.t_low);
        }
        kit_free(&kit);
    }
    print_message("report head on: widest bracket %.3g\n", widest);
}

// ---- pegs -------------------------------------------------------------------------------------------------------

typedef struct Peg {
    int sides;      // 0: a cylinder
    double radius;  // of the peg, where its corners are
    double spare;   // between it and the hole's walls
    double length, turn;
} Peg;

// It slides in along z and turns about z in a hole of `sides` walls. The walls' nearest points are `radius + spare` away.
static BerthMotionResult ask_peg(const Peg* peg, const BerthMotionCheckerDef* def, double share) {
    Kit kit = kit_new();
    const int slide = kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(0, 0, 1), v3(0, 0, 0));
    const int turn = kit_link(&kit, slide, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
    if (peg->sides == 0) {
        kit_solid(&kit, turn, kit_cylinder(peg->radius, peg->length), v3(0, 0, 0));
    } else {
        Soup prism = {.point_count = 0};
        add_prism(&prism, peg->sides, peg->radius, -0.5 * peg->length, 0.5 * peg->length);
        link_soup(&kit, turn, &prism, v3(0, 0, 0));
    }
    kit_robot(&kit, NULL);
    Soup ring = {.point_count = 0};
    const int sides = 16;
    const double wall = peg->radius + peg->spare;
    add_ring(&ring, sides, wall / cos(pi / sides), 4 * peg->radius, -0.5 * peg->length, 0.5 * peg->length);
    object_soup(&kit, &ring, kit_at(0, 0, 0));
    kit_commit(&kit);
    const double from[2] = {1.5 * peg->length, 0}, to[2] = {1.5 * peg->length * (1 - share), peg->turn};
    const BerthMotionResult r = kit_ask(&kit, def, from, to, NULL, false);
    kit_free(&kit);
    return r;
}

static void test_pegs(void** state) {
    (void)state;
    int64_t tests = 0, configurations = 0;
    for (int n = 0; n < PROVERS; ++n) {
        const BerthMotionCheckerDef def = exact_def(provers[n]);
        static const Peg pegs[] = {
            {0, 0.01, 1e-6, 0.05, 0.0}, {0, 0.01, 1e-6, 0.05, 1.0},  {8, 0.01, 1e-6, 0.05, 0.0},
            {8, 0.01, 1e-6, 0.05, 0.7}, {16, 0.01, 1e-7, 0.05, 0.3}, {8, 0.01, 1e-8, 0.05, 0.05},
        };
        for (size_t i = 0; i < sizeof pegs / sizeof pegs[0]; ++i) {
            const BerthMotionResult r = ask_peg(&pegs[i], &def, 0.9);
            expect(BERTH_FREE, &r, &def, "a peg goes into its hole", (double)i);
            assert_true(r.clearance <= pegs[i].spare + 1e-15 || (pegs[i].sides > 0 && pegs[i].turn < 0.4));
            tests += r.stats.counters.leaf_tests;
            configurations += r.stats.configurations;
            Peg thick = pegs[i];  // the walls are where they were, or nearer than the corners
            thick.spare = -1e-7;
            if (thick.sides == 0 || thick.turn > 0.4) {
                const BerthMotionResult hit = ask_peg(&thick, &def, 0.9);
                expect(BERTH_COLLISION, &hit, &def, "a peg that is too thick", (double)i);
            }
        }
    }
    print_message("report pegs: %lld configurations, %lld pairs of triangles\n", (long long)configurations,
                  (long long)tests);
}

// ---- a tool along a surface -------------------------------------------------------------------------------------

// A ball-nosed tool at the end of an arm of length l turns about z, its nose a micrometre above a table; then over a step.
static void test_tool(void** state) {
    (void)state;
    for (int n = 0; n < PROVERS; ++n) {
        const BerthMotionCheckerDef def = exact_def(provers[n]);
        for (int kind = 0; kind < 3; ++kind) {
            for (int k = 0; k < 3; ++k) {
                const double gap = k == 0 ? 1e-6 : k == 1 ? 1e-9 : -1e-9;
                Kit kit = kit_new();
                const int arm = kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
                kit_solid(&kit, arm, kit_cylinder(0.01, 0.1), v3(0.5, 0, 0.05 + gap));
                kit_robot(&kit, NULL);
                if (kind == 0) {
                    kit_object(&kit, kit_box(2, 2, 0.2), kit_at(0, 0, -0.1), NULL);
                } else if (kind == 1) {
                    kit_object(&kit, kit_plane(v3(0, 0, 1), 0), kit_at(0, 0, 0), NULL);
                } else {  // a trough: two walls beside the path, and its floor
                    Soup trough = {.point_count = 0};
                    add_block(&trough, v3(-1, -1, -0.2), v3(1, 1, 0));
                    add_block(&trough, v3(0.6, -1, -0.05), v3(0.8, 1, 0.3));
                    add_block(&trough, v3(0.1, -1, -0.05), v3(0.3, 1, 0.3));
                    object_soup(&kit, &trough, kit_at(0, 0, 0));
                }
                kit_commit(&kit);
                const double from = -0.4, to = 0.4;
                const BerthMotionResult r = kit_ask(&kit, &def, &from, &to, NULL, false);
                expect(gap > 0 ? BERTH_FREE : BERTH_COLLISION, &r, &def, "a tool above a table", gap);
                assert_true(gap < 0 || r.clearance <= gap + 1e-15);
                kit_free(&kit);
            }
        }
    }
}

// ---- against exact arithmetic ------------------------------------------------------------------------------------

// A corner of a tilted prism that slides past a soup on dyadic numbers: what is called free is free at exact sampled times,
// what is called a collision touches exactly.
static void test_against_exact(void** state) {
    (void)state;
    int verdicts[3] = {0};
    int64_t asked = 0;
    for (int i = 0; i < test_scaled(120); ++i) {
        Random random = {(uint64_t)i + 9100};
        const BerthMotionCheckerDef def = exact_def(provers[i % PROVERS]);
        Soup moving = {.point_count = 0}, fixed = {.point_count = 0};
        const double unit = ldexp(1, -8);
        const double gap = i % 4 == 0 ? 0.0 : ldexp(1 + pick(&random, 3), -12 - pick(&random, 16));
        for (int k = 0; k < 2; ++k) {  // two blocks each, and their hulls overlap
            const double y = unit * pick(&random, 128);
            add_block(&moving, v3(-0.25, y - 1, k), v3(0.25, y, k + 0.5));
            add_block(&fixed, v3(unit * pick(&random, 64), y - 1.5, k + 0.5 + gap),
                      v3(1, y - 0.25, k + 1.0 - gap));
        }
        Kit kit = kit_new();
        const int link = kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
        link_soup(&kit, link, &moving, v3(0, 0, 0));
        kit_robot(&kit, NULL);
        object_soup(&kit, &fixed, kit_at(0, 0, 0));
        kit_commit(&kit);
        const double from = -2, to = ldexp(pick(&random, 512), -8) - 1;
        const BerthMotionResult r = kit_ask(&kit, &def, &from, &to, NULL, false);
        verdicts[r.verdict] += 1;
        double vertices[2][3 * CORNERS];
        const Soup* soups[2] = {&moving, &fixed};
        for (int s = 0; s < 2; ++s) {
            for (int32_t k = 0; k < soups[s]->point_count; ++k) {
                memcpy(vertices[s] + 3 * k, &soups[s]->points[k], 3 * sizeof(double));
            }
        }
        const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        bool touched = false;
        for (int k = 0; k <= 64; ++k) {  // times at which values are doubles
            const double t = k / 64.0, x = from + t * (to - from);
            const double back[3] = {-x, 0, 0};
            touched = touched || exact_meshes_touch(vertices[0], moving.faces, moving.face_count, vertices[1],
                                                    fixed.faces, fixed.face_count, identity, back) != 0;
            asked += 1;
        }
        if (touched ? r.verdict != BERTH_COLLISION : r.verdict == BERTH_COLLISION) {
            fail_msg("case %d (%s), gap %g: %s (%s), but it %s", i, berth_method_name(def.method), gap,
                     berth_verdict_name(r.verdict), berth_reason_name(r.reason),
                     touched ? "touches" : "does not touch");
        }
        if (r.verdict == BERTH_UNKNOWN) {
            fail_msg("case %d (%s), gap %g, to %g: unknown (%s) from %.17g to %.17g", i,
                     berth_method_name(def.method), gap, to, berth_reason_name(r.reason), r.t_low, r.t_high);
        }
        kit_free(&kit);
    }
    print_message("report exact: %d free, %d hits, %d unknown; %lld exact answers\n", verdicts[BERTH_FREE],
                  verdicts[BERTH_COLLISION], verdicts[BERTH_UNKNOWN], (long long)asked);
    assert_true((verdicts[BERTH_FREE] > 10 && verdicts[BERTH_COLLISION] > 10) || test_scaled(120) < 120);
}

// ---- where it ends ----------------------------------------------------------------------------------------------

// A ball that comes to a wall by a parabola whose top touches it at a third: no double is that time, so no configuration is
// a witness, and no interval around it is free.
static void test_numeric(void** state) {
    (void)state;
    for (int n = 0; n < PROVERS; ++n) {
        const BerthMotionCheckerDef def = exact_def(provers[n]);
        Kit kit = kit_new();
        const int link = kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
        kit_solid(&kit, link, kit_box(0.5, 0.5, 0.5), v3(0, 0, 0));
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_box(1, 1, 1), kit_at(0.75, 0, 0), NULL);
        kit_commit(&kit);
        // -(t - 1/3)^2 - off, in doubles
        for (int k = 0; k < 3; ++k) {
            const double off = k == 0 ? 0.0 : k == 1 ? 1e-9 : -1e-9;
            const BerthCurve curve = {.term = {-1.0 / 9 - off, 2.0 / 3, -1, 0, 0, 0}};
            const double from = curve.term[0], to = -4.0 / 9 - off;
            const BerthMotionResult r = kit_ask(&kit, &def, &from, &to, &curve, false);
            if (k == 0) {
                assert_true(r.verdict != BERTH_FREE || r.clearance < 1e-15);
                if (r.verdict == BERTH_UNKNOWN) {
                    assert_int_equal(r.reason, BERTH_REASON_NUMERIC);
                    assert_true(r.t_low <= 1.0 / 3 + 1e-6 && r.t_high >= 1.0 / 3 - 1e-6);
                }
            } else {
                expect(k == 1 ? BERTH_FREE : BERTH_COLLISION, &r, &def, "a parabola", off);
            }
        }
        kit_free(&kit);
    }
}

// Budgets: two combs of many teeth, micrometres apart. Too few tests: unknown, `budget`; enough: free.
static void test_budget(void** state) {
    (void)state;
    for (int n = 0; n < PROVERS; ++n) {
        for (int k = 0; k < 2; ++k) {
            BerthMotionCheckerDef def = exact_def(provers[n]);
            def.node_budget = k == 0 ? 40 : berth_default_motion_checker_def().node_budget;
            Kit kit = kit_new();
            const int link = kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
            Soup moving = {.point_count = 0}, fixed = {.point_count = 0};
            for (int i = 0; i < 12; ++i) {
                add_block(&moving, v3(-1, -1, i), v3(1, 1, i + 0.5));
                add_block(&fixed, v3(-1, -1, i + 0.5 + 1e-6), v3(1, 1, i + 1 - 1e-6));
            }
            link_soup(&kit, link, &moving, v3(0, 0, 0));
            kit_robot(&kit, NULL);
            object_soup(&kit, &fixed, kit_at(0, 0, 0));
            kit_commit(&kit);
            const double from = -3, to = 0.5;
            const BerthMotionResult r = kit_ask(&kit, &def, &from, &to, NULL, false);
            if (k == 0) {
                assert_int_equal(r.verdict, BERTH_UNKNOWN);
                assert_int_equal(r.reason, BERTH_REASON_BUDGET);
            } else {
                expect(BERTH_FREE, &r, &def, "combs", 1e-6);
            }
            kit_free(&kit);
        }
    }
}

// ---- first contact of random motions ------------------------------------------------------------------------------

// Brackets against dense samples by the static check, half of them just before the bracket, and a few by the brute model: before
// t_low nothing touches, at t_high something does.
static void test_first_contact(void** state) {
    (void)state;
    int64_t brackets = 0, samples = 0;
    double widest = 0;
    for (int w = 0; w < test_scaled(120); ++w) {
        Random random = {(uint64_t)w + 33000};
        const WorldPlan plan = {.style = w % 3 == 0 ? WORLD_PLAIN : WORLD_CONVEX,
                                .robots = 1,
                                .joints = 2 + pick(&random, 4),
                                .objects = 2 + pick(&random, 3)};
        World* world = world_make(&random, &plan);
        BerthCheckerDef checker_def = berth_default_checker_def();
        BerthChecker* checker = NULL;
        assert_int_equal(berth_checker_create(world->scene, &checker_def, &checker), BERTH_OK);
        for (int k = 0; k < 12; ++k) {
            Course course;
            course_of_world(&course, world);
            course.curved = false;
            world_values(world, &random, course.from);
            world_values(world, &random, course.to);
            if (!(course_checker_gap(checker, course.from) > 0)) {
                continue;
            }
            BerthMotionCheckerDef def = berth_default_motion_checker_def();
            def.method = provers[k % PROVERS];
            def.delta = k % 2 == 0 ? 0.0 : 1e-4;
            BerthMotionChecker* motion = NULL;
            assert_int_equal(berth_motion_checker_create(world->scene, &def, &motion), BERTH_OK);
            const BerthSegment segment = course_segment(&course);
            const BerthMotionRequest request = {.first_contact = true};
            BerthMotionResult r;
            assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
            berth_motion_checker_destroy(motion);
            if (r.verdict != BERTH_COLLISION) {
                continue;
            }
            brackets += 1;
            widest = fmax(widest, def.delta == 0.0 ? r.t_high - r.t_low : 0.0);
            double values[COURSE_VALUES];
            course_values(&course, r.t_high, values);
            // The static check does not call it free; where round bodies touch it may leave it open.
            const BerthCheckRequest plain = {0};
            BerthCheckResult state_there;
            assert_int_equal(berth_check_state(checker, values, &plain, &state_there), BERTH_OK);
            assert_true(state_there.verdict != BERTH_FREE);
            // Refuted only by a gap that is proven: where round bodies touch the brute model has a bracket, too.
            const double gap = course_brute_lower(world, values);
            if (!(gap <= 1e-12)) {
                fail_msg("world %d, course %d (%s, delta %g): called a hit at %.17g, but the gap is %g", w, k,
                         berth_method_name(def.method), def.delta, r.t_high, gap);
            }
            for (int i = 0; i < 400; ++i) {
                const double back = i % 2 == 0 ? bi_random_between(&random, 0, 1)
                                               : pow(10, bi_random_between(&random, -9, 0));
                const double t = r.t_low * (1 - back);
                course_values(&course, t, values);
                samples += 1;
                if (!(course_checker_gap(checker, values) > 0) ||
                    (i < 8 && !(course_brute_gap(world, values) > 0))) {
                    fail_msg(
                        "world %d, course %d (%s, delta %g): bracket %.17g to %.17g, but it touches at %.17g",
                        w, k, berth_method_name(def.method), def.delta, r.t_low, r.t_high, t);
                }
            }
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    print_message(
        "report first contact: %lld brackets, %lld samples before them; widest without delta %.3g\n",
        (long long)brackets, (long long)samples, widest);
    assert_true(brackets > 20 || test_scaled(120) < 120);
}

int test_motion_local(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passing), cmocka_unit_test(test_head_on),       cmocka_unit_test(test_pegs),
        cmocka_unit_test(test_tool),    cmocka_unit_test(test_against_exact), cmocka_unit_test(test_numeric),
        cmocka_unit_test(test_budget),  cmocka_unit_test(test_first_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
