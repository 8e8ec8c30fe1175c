// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Assembly and machining, with delta 0: pegs in holes, bars in slots and gears, from 20 to 2,000 triangles. Motions are in the
// plane, so the oracle is one of the plane: distances of polygons, edge by edge, at many times. What is free is certified by
// planes between triangles, and the certificate is verified; one that lacks any of them is not. A query whose budget is spent says
// so, names its pair, and is tried again when it is asked again.
// test-share: 0.2

#include <berth/path.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "certificate/certificate.h"
#include "math/math.h"
#include "scene/scene.h"
#include "support/kit.h"
#include "support/setting.h"
#include "tree/rss.h"

static const double pi = 3.14159265358979323846;
enum { CORNERS = 512, POINTS = 4 * CORNERS + 2, FACES = 8 * CORNERS };

/// A closed polygon around the origin, every corner of which is seen from there.
typedef struct Polygon {
    int count;
    double x[CORNERS], y[CORNERS];
} Polygon;

// ---- profiles ------------------------------------------------------------------------------------------------------

static void add_corner(Polygon* p, double x, double y) {
    assert_true(p->count < CORNERS);
    p->x[p->count] = x;
    p->y[p->count++] = y;
}

static Polygon round_profile(int corners, double radius) {
    Polygon p = {.count = 0};
    for (int k = 0; k < corners; ++k) {
        add_corner(&p, radius * cos(2 * pi * k / corners), radius * sin(2 * pi * k / corners));
    }
    return p;
}

// Two half circles, `length` apart.
static Polygon slot_profile(int corners, double radius, double length) {
    Polygon p = {.count = 0};
    const int half = corners / 2;
    for (int k = 0; k < 2 * half; ++k) {
        const double angle = pi * ((double)(k % half) / (half - 1) + (k < half ? -0.5 : 0.5));
        add_corner(&p, radius * cos(angle) + (k < half ? 0.5 : -0.5) * length, radius * sin(angle));
    }
    return p;
}

// Teeth with slanted flanks: four corners each.
static Polygon gear_profile(int teeth, double root, double tip) {
    Polygon p = {.count = 0};
    static const double at[4] = {-0.2, 0.0, 0.2, 0.4};
    for (int k = 0; k < 4 * teeth; ++k) {
        const double angle = 2 * pi * (k / 4 + at[k % 4] + 0.05) / teeth;
        const double r = k % 4 == 1 || k % 4 == 2 ? tip : root;
        add_corner(&p, r * cos(angle), r * sin(angle));
    }
    return p;
}

// ---- the plane: an oracle -------------------------------------------------------------------------------------------

static double point_to_edge(double px, double py, double ax, double ay, double bx, double by) {
    const double dx = bx - ax, dy = by - ay;
    const double length = dx * dx + dy * dy;
    const double s = length > 0 ? fmin(1, fmax(0, ((px - ax) * dx + (py - ay) * dy) / length)) : 0;
    return hypot(px - ax - s * dx, py - ay - s * dy);
}

static bool edges_cross(const double a[4], const double b[4]) {
    const double d1 = (a[2] - a[0]) * (b[1] - a[1]) - (a[3] - a[1]) * (b[0] - a[0]);
    const double d2 = (a[2] - a[0]) * (b[3] - a[1]) - (a[3] - a[1]) * (b[2] - a[0]);
    const double d3 = (b[2] - b[0]) * (a[1] - b[1]) - (b[3] - b[1]) * (a[0] - b[0]);
    const double d4 = (b[2] - b[0]) * (a[3] - b[1]) - (b[3] - b[1]) * (a[2] - b[0]);
    return d1 * d2 <= 0 && d3 * d4 <= 0 && !(d1 == 0 && d2 == 0);
}

// The distance of two outlines; 0 where they cross.
static double outline_distance(const Polygon* a, const Polygon* b) {
    double least = INFINITY;
    for (int i = 0; i < a->count; ++i) {
        const int i2 = (i + 1) % a->count;
        const double ea[4] = {a->x[i], a->y[i], a->x[i2], a->y[i2]};
        for (int k = 0; k < b->count; ++k) {
            const int k2 = (k + 1) % b->count;
            const double eb[4] = {b->x[k], b->y[k], b->x[k2], b->y[k2]};
            if (edges_cross(ea, eb)) {
                return 0;
            }
            least = fmin(least, point_to_edge(ea[0], ea[1], eb[0], eb[1], eb[2], eb[3]));
            least = fmin(least, point_to_edge(eb[0], eb[1], ea[0], ea[1], ea[2], ea[3]));
        }
    }
    return least;
}

static Polygon moved(const Polygon* p, double x, double turn) {
    Polygon out = {.count = p->count};
    for (int i = 0; i < p->count; ++i) {
        out.x[i] = x + p->x[i] * cos(turn) - p->y[i] * sin(turn);
        out.y[i] = p->x[i] * sin(turn) + p->y[i] * cos(turn);
    }
    return out;
}

// ---- things ---------------------------------------------------------------------------------------------------------

typedef struct Soup {
    BerthVec3 points[POINTS];
    int32_t faces[3 * FACES];
    int32_t point_count, face_count;
} Soup;

static void add_face(Soup* s, int32_t a, int32_t b, int32_t c) {
    int32_t* at = s->faces + 3 * (size_t)s->face_count++;
    at[0] = a;
    at[1] = b;
    at[2] = c;
}

static void add_wall(Soup* s, int32_t low, int32_t high, int count, bool outward) {
    for (int k = 0; k < count; ++k) {
        const int32_t a = low + k, b = low + (k + 1) % count;
        const int32_t c = high + k, d = high + (k + 1) % count;
        add_face(s, a, outward ? b : d, outward ? d : b);
        add_face(s, a, outward ? d : c, outward ? c : d);
    }
}

static int32_t add_outline(Soup* s, const Polygon* p, double scale, double z) {
    const int32_t first = s->point_count;
    for (int k = 0; k < p->count; ++k) {
        s->points[s->point_count++] = v3(scale * p->x[k], scale * p->y[k], z);
    }
    return first;
}

static BerthSolid* solid_of(const Soup* s) {
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    assert_int_equal(berth_mesh_create(s->points, s->point_count, s->faces, s->face_count, NULL, &mesh),
                     BERTH_OK);
    assert_int_equal(berth_solid_from_mesh(mesh, NULL, &solid), BERTH_OK);
    return solid;
}

// What is within the outline, from -z to z: four triangles a corner.
static BerthSolid* make_body(const Polygon* p, double z) {
    static Soup s;
    s.point_count = s.face_count = 0;
    const int32_t low = add_outline(&s, p, 1, -z), high = add_outline(&s, p, 1, z);
    add_wall(&s, low, high, p->count, true);
    const int32_t bottom = s.point_count++, top = s.point_count++;
    s.points[bottom] = v3(0, 0, -z);
    s.points[top] = v3(0, 0, z);
    for (int k = 0; k < p->count; ++k) {
        add_face(&s, bottom, low + (k + 1) % p->count, low + k);
        add_face(&s, top, high + k, high + (k + 1) % p->count);
    }
    return solid_of(&s);
}

// A plate with the outline as its hole: eight triangles a corner.
static BerthSolid* make_hole(const Polygon* p, double z) {
    static Soup s;
    s.point_count = s.face_count = 0;
    const int32_t low = add_outline(&s, p, 1, -z), high = add_outline(&s, p, 1, z);
    const int32_t rim_low = add_outline(&s, p, 2, -z), rim_high = add_outline(&s, p, 2, z);
    add_wall(&s, low, high, p->count, false);
    add_wall(&s, rim_low, rim_high, p->count, true);
    add_wall(&s, rim_low, low, p->count, false);
    add_wall(&s, rim_high, high, p->count, true);
    return solid_of(&s);
}

/// Two outlines and how they move: the first slides along x and turns; the second stands at x = `apart`, or turns the other way.
typedef struct Pair {
    const char* what;
    Polygon a, b;
    bool hole;     // the second is a hole
    bool geared;   // the second turns by -turn, and is a link as well
    double apart;  // of their origins
    double from[2], to[2];
} Pair;

static double gap_at(const Pair* pair, double t) {
    const double x = pair->from[0] + t * (pair->to[0] - pair->from[0]);
    const double turn = pair->from[1] + t * (pair->to[1] - pair->from[1]);
    const Polygon a = moved(&pair->a, x, turn);
    const Polygon b = moved(&pair->b, pair->apart, pair->geared ? -turn : 0);
    return outline_distance(&a, &b);
}

static double sampled_gap(const Pair* pair, int samples) {
    double least = INFINITY;
    for (int i = 0; i <= samples; ++i) {
        least = fmin(least, gap_at(pair, (double)i / samples));
    }
    return least;
}

static Kit kit_of(const Pair* pair) {
    Kit kit = kit_new();
    const BerthPose here = kit_at(0, 0, 0);
    const int slide = kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
    const int turn = kit_link(&kit, slide, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
    assert_int_equal(berth_robot_add_solid(kit.builder, turn, &here, make_body(&pair->a, 0.012), "a"),
                     BERTH_OK);
    if (pair->geared) {
        const int other =
            kit_mimic(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(pair->apart, 0, 0), 1, -1, 0);
        assert_int_equal(berth_robot_add_solid(kit.builder, other, &here, make_body(&pair->b, 0.01), "b"),
                         BERTH_OK);
    }
    kit_robot(&kit, NULL);
    if (!pair->geared) {
        BerthObjectDef def = berth_default_object_def();
        BerthObjectId id;
        def.name = "other";
        def.pose = kit_at(pair->apart, 0, 0);
        def.solid = pair->hole ? make_hole(&pair->b, 0.01) : make_body(&pair->b, 0.01);
        assert_int_equal(berth_scene_add_object(kit.scene, &def, &id), BERTH_OK);
    }
    kit_commit(&kit);
    return kit;
}

// The certificate of what is free holds; without any one of some of its records it does not.
static void certify(const Kit* kit, const Pair* pair, const BerthMotionCheckerDef* def, double least,
                    int64_t* planes) {
    BerthMotionChecker* motion = NULL;
    BerthCertificate* certificate = NULL;
    assert_int_equal(berth_motion_checker_create(kit->scene, def, &motion), BERTH_OK);
    assert_int_equal(berth_certificate_create(motion, NULL, &certificate), BERTH_OK);
    const BerthMotionRequest request = {.certificate = certificate};
    const BerthSegment segment = {.value_count = 2, .from = pair->from, .to = pair->to};
    BerthMotionResult r;
    assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
    if (r.verdict != BERTH_FREE) {
        fail_msg("%s, %d corners: free, but %s with a certificate", pair->what, pair->a.count,
                 berth_verdict_name(r.verdict));
    }

    BerthCertificateReport report;
    const BerthVerifyDef asked = berth_motion_verify_def(def);
    if (berth_certificate_verify(certificate, kit->scene, &segment, 1, &asked, &report) != BERTH_OK) {
        fail_msg("%s, %d corners: %s", pair->what, pair->a.count, berth_error_text());
    }
    assert_true(report.clearance <= least + 1e-12);

    // A record less, or one that is about less: something is not covered.
    Random random = {(uint64_t)certificate->record_count};
    for (int k = 0; k < 12; ++k) {
        CertificateRecord* last = &certificate->records[certificate->record_count - 1];
        CertificateRecord* one =
            &certificate->records[bi_random_next(&random) % (uint64_t)certificate->record_count];
        const CertificateRecord kept = *one;
        const bool drops = k % 3 == 0 || one->count_a < 2;
        if (drops) {
            *one = *last;
            certificate->record_count -= 1;
            certificate->segments[0].count -= 1;
        } else if (k % 3 == 1) {
            one->count_a -= 1;
        } else {
            one->first_a += 1;
        }
        assert_int_equal(berth_certificate_verify(certificate, kit->scene, &segment, 1, &asked, &report),
                         BERTH_ERR_ARGUMENT);
        if (drops) {
            certificate->record_count += 1;
            certificate->segments[0].count += 1;
        }
        *one = kept;
    }

    for (int64_t i = 0; i < certificate->record_count; ++i) {
        *planes += certificate->records[i].count_a > 0;
    }
    berth_certificate_destroy(certificate);
    berth_motion_checker_destroy(motion);
}

/// What came out of some pairs.
typedef struct ExactCount {
    int free, hits, certified;
    int64_t planes;
} ExactCount;

static void ask_pair(const Pair* pair, BerthMethod method, bool certifies, ExactCount* count) {
    // Samples, and how much nearer it can be between two of them.
    const int samples = pair->a.count > 100 ? 100 : 1000;
    const double least = sampled_gap(pair, samples);
    const double speed = fabs(pair->to[0] - pair->from[0]) + 0.15 * fabs(pair->to[1] - pair->from[1]);
    const double sure = least - speed / samples;
    Kit kit = kit_of(pair);
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.method = method;
    def.delta = 0;
    const BerthMotionResult r = kit_ask(&kit, &def, pair->from, pair->to, NULL, false);

    const bool wrong = r.verdict == BERTH_FREE ? !(least > 0 && r.clearance <= least + 1e-12) : sure > 0;
    if (wrong || r.verdict == BERTH_UNKNOWN) {
        fail_msg("%s, %d and %d corners (%s): %s (%s), clearance %.9g; %d samples have %.9g", pair->what,
                 pair->a.count, pair->b.count, berth_method_name(method), berth_verdict_name(r.verdict),
                 berth_reason_name(r.reason), r.clearance, samples, least);
    }
    if (r.verdict == BERTH_COLLISION) {
        assert_true(gap_at(pair, r.t) < 1e-9);
    }
    count->free += r.verdict == BERTH_FREE;
    count->hits += r.verdict == BERTH_COLLISION;
    if (r.verdict == BERTH_FREE && certifies) {
        certify(&kit, pair, &def, least, &count->planes);
        count->certified += 1;
    }
    kit_free(&kit);
}

static void report(const char* what, const ExactCount* count) {
    print_message("report %s: %d free, %d hits, none unknown; %d certified, with %lld planes between parts\n",
                  what, count->free, count->hits, count->certified, (long long)count->planes);
    assert_true(count->free > 0 && count->hits > 0 && count->certified > 0);
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static const BerthMethod provers[] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_ADAPTIVE, BERTH_METHOD_REFINED};

// The corners of the peg are as far from the axis as the walls of the hole, less what there is to spare. 5 corners are 20 triangles,
// 500 are 2,000: with 1 mm to spare the last was unknown for its budget.
static void test_pegs(void** state) {
    (void)state;
    static const int corners[] = {5, 16, 40, 120, 500};
    static const double spares[] = {1e-3, 1e-5, 1e-8, -1e-5};
    ExactCount count = {0};
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 4; ++k) {
            const bool large = corners[i] > 40;
            if ((large && k > 0) || (corners[i] > 120 && test_scaled(100) < 20)) {
                continue;  // seconds each
            }
            const double wall = 0.05 + spares[k];
            const Pair pair = {.what = "a peg",
                               .a = round_profile(corners[i], 0.05),
                               .b = round_profile(corners[i], wall / cos(pi / corners[i])),
                               .hole = true,
                               .to = {0, 1.0}};
            ask_pair(&pair, provers[large ? 0 : (i + k) % 3], corners[i] <= 16 || k == 0, &count);
        }
    }
    report("pegs", &count);
}

// A bar slides along a slot and tilts a little.
static void test_slots(void** state) {
    (void)state;
    ExactCount count = {0};
    Random random = {93};
    for (int i = 0; i < 8 + test_scaled(16); ++i) {
        const int corners = 8 + 4 * (int)(bi_random_next(&random) % 8);
        const double spare = exp(bi_random_between(&random, log(1e-7), log(1e-3)));
        const double tilt = bi_random_between(&random, -3, 3) * spare / 0.03;
        const Pair pair = {.what = "a bar in a slot",
                           .a = slot_profile(corners, 0.02, 0.04),
                           .b = slot_profile(32, 0.02 + spare, 0.1),
                           .hole = true,
                           .from = {-0.028, -tilt},
                           .to = {0.028, tilt}};
        ask_pair(&pair, provers[i % 3], i % 2 == 0, &count);
    }
    report("slots", &count);
}

// Two gears turn against each other, in mesh.
static void test_gears(void** state) {
    (void)state;
    ExactCount count = {0};
    Random random = {94};
    for (int i = 0; i < 8 + test_scaled(10); ++i) {
        const int teeth = 6 + 2 * (int)(bi_random_next(&random) % (i % 6 == 0 ? 12 : 5));
        const double root = 0.04, tip = root + 0.4 * 2 * pi * root / teeth;
        const Pair pair = {.what = "gears",
                           .a = gear_profile(teeth, root, tip),
                           .b = gear_profile(teeth, root, tip),
                           .geared = true,
                           .apart = root + tip + bi_random_between(&random, -0.002, 0.012),
                           .from = {0, 0},
                           .to = {0, bi_random_between(&random, 0.1, 1.0)}};
        ask_pair(&pair, provers[i % 3], teeth <= 16, &count);
    }
    report("gears", &count);
}

// A box within a solid one: planes part all triangles of the one from all of the other, at all times. Surfaces that are apart prove
// nothing while one is inside of the other, and the verifier sees that.
static void test_planes_do_not_prove_what_is_inside(void** state) {
    (void)state;
    const Pair pair = {.what = "a box in a box",
                       .a = round_profile(4, 0.05),
                       .b = round_profile(4, 1.0),
                       .from = {-0.01, 0},
                       .to = {0.01, 0}};
    Kit kit = kit_of(&pair);
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    BerthCertificate* forged = NULL;
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
    assert_int_equal(berth_certificate_create(motion, NULL, &forged), BERTH_OK);
    const BerthSegment segment = {.value_count = 2, .from = pair.from, .to = pair.to};
    uint8_t hash[SHA256_SIZE];
    bi_certificate_hash_segment(&segment, BERTH_MOVING_STAND, hash);
    assert_true(bi_certificate_begin(forged, hash, 0, 0));

    // The small box against each triangle of the large one, across that triangle.
    const ScenePair* only = &kit.scene->pairs[0];
    const BerthSolid* large = kit.scene->parts[kit.scene->bodies[only->body_b].first_part].solid;
    const int32_t leaves = bi_certificate_leaf_count(kit.scene, only->body_b);
    const BerthVec3* points = large->mesh->vertices;
    for (int32_t i = 0; i < leaves; ++i) {
        const int32_t* corner = large->mesh->triangles + 3 * (size_t)solid_rss(large)->source[i];
        const BerthVec3 out = v3_cross(v3_sub(points[corner[1]], points[corner[0]]),
                                       v3_sub(points[corner[2]], points[corner[0]]));
        const double side = v3_dot(out, points[corner[0]]) < 0 ? -1 : 1;
        const CertificateRecord record = {.kind = PROOF_PLANE,
                                          .direction = v3_unit_or(v3_scale(out, side), v3(0, 0, 1)),
                                          .count_a = bi_certificate_leaf_count(kit.scene, only->body_a),
                                          .first_b = i,
                                          .count_b = 1};
        assert_true(bi_certificate_add(forged, &record));
    }
    assert_int_equal(bi_certificate_end(forged, true), BERTH_OK);

    BerthCertificateReport report;
    const BerthVerifyDef asked = berth_motion_verify_def(&def);
    assert_int_equal(berth_certificate_verify(forged, kit.scene, &segment, 1, &asked, &report),
                     BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "are not apart at t = 0.5"));
    berth_certificate_destroy(forged);
    berth_motion_checker_destroy(motion);
    kit_free(&kit);
}

// Nodes run out: that is a budget, with the pair that it was spent on, and it is tried again when it is asked again. The path
// cache told it as too close, and kept that.
static void test_spent_nodes(void** state) {
    (void)state;
    const Pair pair = {.what = "a peg",
                       .a = round_profile(24, 0.05),
                       .b = round_profile(24, 0.0501 / cos(pi / 24)),
                       .hole = true,
                       .to = {0, 1.0}};
    Kit kit = kit_of(&pair);
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.node_budget = 20;
    BerthMotionResult r = kit_ask(&kit, &def, pair.from, pair.to, NULL, false);
    assert_true(r.verdict == BERTH_UNKNOWN && r.reason == BERTH_REASON_BUDGET);
    assert_true(r.body_a >= 0 && r.body_b >= 0);

    BerthMotionChecker* motion = NULL;
    BerthPathCache* cache = NULL;
    BerthPathCacheDef cache_def = berth_default_path_cache_def();
    int32_t number = 0, at = 0;
    const BerthSegment segment = {.value_count = 2, .from = pair.from, .to = pair.to};
    assert_int_equal(berth_motion_checker_create(kit.scene, &def, &motion), BERTH_OK);
    assert_int_equal(berth_path_cache_create(motion, &cache_def, &cache), BERTH_OK);
    assert_int_equal(berth_path_cache_add(cache, &segment, &number), BERTH_OK);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(berth_path_cache_check(cache, &number, 1, 1000000, &at, &r), BERTH_OK);
        assert_true(r.verdict == BERTH_UNKNOWN && r.reason == BERTH_REASON_BUDGET);
        assert_true(r.stats.configurations > 0 && r.body_a >= 0 && r.body_b >= 0);
    }
    berth_path_cache_destroy(cache);
    berth_motion_checker_destroy(motion);
    kit_free(&kit);
}

int test_motion_exact(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pegs),        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_gears),       cmocka_unit_test(test_planes_do_not_prove_what_is_inside),
        cmocka_unit_test(test_spent_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
