// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Meshes that are not convex, beyond the budget of convex pieces (here 1): a force is never that of a hull. Bodies are made of the cells of small grids (U, L, rings, a plate with a
// hole as thin as a needle, a hollow box), so that inside and outside are known without any geometry; whether surfaces cross is FCL's
// word.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <berth/contact.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "support/meshes.h"
#include "support/setting.h"

#if BERTH_HAVE_ORACLES
#include "support/fcl.h"

enum { CELLS = 3, LINES = CELLS + 1 };

/// A body of cells between planes.
typedef struct CellBody {
    const char* name;
    double line[3][LINES];
    const char* full;  ///< CELLS^3 letters, x fastest, then y, then z; '#': solid
    bool convex;
} CellBody;

#define EVEN                                          \
    {                                                 \
        {0.0, 0.3, 0.7, 1.0}, {0.0, 0.3, 0.7, 1.0}, { \
            0.0, 0.3, 0.7, 1.0                        \
        }                                             \
    }
#define NEEDLE                                                    \
    {                                                             \
        {0.0, 0.4997, 0.5003, 1.0}, {0.0, 0.4997, 0.5003, 1.0}, { \
            0.0, 0.1, 0.2, 0.3                                    \
        }                                                         \
    }

static const CellBody bodies[] = {
    {"u", EVEN,
     "#.##.####"
     "#.##.####"
     "#.##.####",
     false},
    {"l", EVEN,
     "####..#.."
     "####..#.."
     "####..#..",
     false},
    {"ring", EVEN,
     "####.####"
     "####.####"
     "####.####",
     false},
    {"hollow", EVEN,
     "#########"
     "####.####"
     "#########",
     false},
    {"notch", EVEN,
     "#########"
     "#########"
     "########.",
     false},
    {"needle's eye", NEEDLE,
     "####.####"
     "####.####"
     "####.####",
     false},
    {"block", EVEN,
     "#########"
     "#########"
     "#########",
     true},
    {"plate", EVEN,
     "#########"
     "........."
     ".........",
     true},
};
enum { BODY_COUNT = sizeof bodies / sizeof bodies[0] };

static bool is_full(const CellBody* body, const int cell[3]) {
    for (int k = 0; k < 3; ++k) {
        if (cell[k] < 0 || cell[k] >= CELLS) {
            return false;
        }
    }
    return body->full[cell[0] + CELLS * (cell[1] + CELLS * cell[2])] == '#';
}

static bool holds(const CellBody* body, BerthVec3 p) {
    const double at[3] = {p.x, p.y, p.z};
    int cell[3] = {-1, -1, -1};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < CELLS; ++i) {
            cell[k] = at[k] >= body->line[k][i] && at[k] < body->line[k][i + 1] ? i : cell[k];
        }
    }
    return is_full(body, cell);
}

// Two triangles wherever a solid cell has none beside it.
static BerthSolid* make_solid(const CellBody* body) {
    static BerthVec3 vertices[LINES * LINES * LINES];
    static int32_t triangles[6 * 6 * CELLS * CELLS * CELLS];
    int32_t count = 0;
    for (int i = 0; i < LINES * LINES * LINES; ++i) {
        vertices[i] = (BerthVec3){body->line[0][i % LINES], body->line[1][i / LINES % LINES],
                                  body->line[2][i / LINES / LINES]};
    }

    static const int stride[3] = {1, LINES, LINES * LINES};
    for (int c = 0; c < CELLS * CELLS * CELLS; ++c) {
        const int cell[3] = {c % CELLS, c / CELLS % CELLS, c / CELLS / CELLS};
        for (int side = 0; side < 6 && is_full(body, cell); ++side) {
            const int axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
            int beside[3] = {cell[0], cell[1], cell[2]};
            beside[axis] += side % 2 == 0 ? -1 : 1;
            if (is_full(body, beside)) {
                continue;
            }
            const int32_t first =
                cell[0] * stride[0] + cell[1] * stride[1] + cell[2] * stride[2] + (side % 2) * stride[axis];
            const int32_t a = first + stride[side % 2 == 0 ? v : u], b = first + stride[u] + stride[v];
            const int32_t d = first + stride[side % 2 == 0 ? u : v];
            const int32_t both[6] = {first, a, b, first, b, d};
            memcpy(triangles + 3 * (size_t)count, both, sizeof both);
            count += 2;
        }
    }

    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    assert_int_equal(berth_mesh_create(vertices, LINES * LINES * LINES, triangles, count, NULL, &mesh),
                     BERTH_OK);
    assert_true(berth_mesh_info(mesh).watertight);
    assert_int_equal(berth_solid_from_mesh(mesh, NULL, &solid), BERTH_OK);
    return solid;
}

/// Two bodies in a world of contacts, and as FCL's.
typedef struct Pair {
    const CellBody* body[2];
    BerthSolid* solid[2];
    PeerFcl* peer[2];
    BerthScene* scene;
    BerthContactWorld* world;
    BerthPose pose[2];
} Pair;

static void open_pair(Pair* pair, const CellBody* a, const CellBody* b) {
    *pair = (Pair){.body = {a, b}};
    assert_int_equal(berth_scene_create(NULL, &pair->scene), BERTH_OK);
    for (int k = 0; k < 2; ++k) {
        BerthObjectDef object = berth_default_object_def();
        pair->solid[k] = make_solid(pair->body[k]);
        pair->peer[k] = fcl_solid(pair->solid[k]);
        object.name = k == 0 ? "a" : "b";
        object.solid = make_solid(pair->body[k]);
        object.mass = k == 0 ? 0.0 : 2.0;
        assert_int_equal(berth_scene_add_object(pair->scene, &object, NULL), BERTH_OK);
    }
    assert_int_equal(berth_scene_commit(pair->scene), BERTH_OK);
    BerthContactDef contact = berth_default_contact_def();
    contact.pieces = 1;
    assert_int_equal(berth_contact_from_scene(pair->scene, &contact, false, &pair->world), BERTH_OK);
}

static void close_pair(Pair* pair) {
    berth_contact_destroy(pair->world);
    berth_scene_destroy(pair->scene);
    for (int k = 0; k < 2; ++k) {
        peer_fcl_destroy(pair->peer[k]);
        berth_solid_destroy(pair->solid[k]);
    }
}

static void place(Pair* pair, const BerthPose* a, const BerthPose* b) {
    pair->pose[0] = *a;
    pair->pose[1] = *b;
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(berth_contact_move(pair->world, k, &pair->pose[k], NULL, NULL), BERTH_OK);
    }
}

// Is a corner of the one in the other? With surfaces that do not cross, that is whether it is inside.
static bool is_inside(const Pair* pair, int inner) {
    const BerthVec3 corner = berth_mesh_vertices(berth_solid_mesh(pair->solid[inner]))[0];
    const BerthVec3 world = pose_apply(&pair->pose[inner], corner);
    return holds(pair->body[1 - inner], pose_apply_back(&pair->pose[1 - inner], world));
}

// Metres between them; -1: they have a point in common.
static double true_gap(const Pair* pair) {
    double rows[2][12];
    fcl_rows(&pair->pose[0], rows[0]);
    fcl_rows(&pair->pose[1], rows[1]);
    const double gap = peer_fcl_distance(pair->peer[0], rows[0], pair->peer[1], rows[1], NULL, NULL);
    return gap > 0.0 && !is_inside(pair, 0) && !is_inside(pair, 1) ? gap : -1.0;
}

static bool is_zero(const BerthWrench* w) {
    return w->force.x == 0.0 && w->force.y == 0.0 && w->force.z == 0.0 && w->moment.x == 0.0 &&
           w->moment.y == 0.0 && w->moment.z == 0.0;
}

static void expect_no_force(const Pair* pair, const BerthContactResult* r) {
    if (r->contact_count != 0 || r->verdict != BERTH_UNKNOWN || r->reason != BERTH_REASON_TOO_CLOSE ||
        r->unknown_pairs != 1 || r->unknown[0].doubt != BERTH_DOUBT_NOT_CONVEX || !r->unknown[0].touching ||
        !is_zero(&r->wrenches[0]) || !is_zero(&r->wrenches[1])) {
        fail_msg("%s and %s touch: verdict %d, %d contacts, %d unknown pairs", pair->body[0]->name,
                 pair->body[1]->name, (int)r->verdict, (int)r->contact_count, (int)r->unknown_pairs);
    }
}

static void judge(Pair* pair, int64_t counts[3]) {
    const bool convex = pair->body[0]->convex && pair->body[1]->convex;
    const double gap = true_gap(pair);
    BerthContactResult r;
    assert_int_equal(berth_contact_cycle(pair->world, &r), BERTH_OK);

    if (gap > 0.0) {
        counts[0] += 1;
        if (r.verdict != BERTH_FREE && gap > 1e-9) {
            fail_msg("%s and %s are %.3g m apart: verdict %d", pair->body[0]->name, pair->body[1]->name, gap,
                     (int)r.verdict);
        }
        return;
    }

    if (convex) {
        counts[1] += 1;
        assert_true(r.verdict == BERTH_COLLISION && r.contact_count > 0 && r.unknown_pairs == 0);
        return;
    }

    counts[2] += 1;
    expect_no_force(pair, &r);

    // Nobody knows where it goes from here: it does not move.
    BerthContactBody before, after;
    assert_int_equal(berth_contact_body(pair->world, 1, &before), BERTH_OK);
    assert_int_equal(berth_contact_step(pair->world, 0.001, &r), BERTH_ERR_UNSUPPORTED);
    expect_no_force(pair, &r);
    assert_int_equal(berth_contact_body(pair->world, 1, &after), BERTH_OK);
    assert_memory_equal(&before.world_from_body, &after.world_from_body, sizeof before.world_from_body);
}

static void bodies_of_cells(void** state) {
    (void)state;
    Random random = {21};
    int64_t counts[3] = {0, 0, 0};
    for (int a = 0; a < BODY_COUNT; ++a) {
        for (int b = 0; b < BODY_COUNT; ++b) {
            Pair pair;
            open_pair(&pair, &bodies[a], &bodies[b]);
            for (int n = 0; n < test_scaled(150); ++n) {
                const BerthPose one = test_pose(&random, 0.2), other = test_pose(&random, 1.2);
                place(&pair, &one, &other);
                judge(&pair, counts);
            }
            close_pair(&pair);
        }
    }
    print_message("%lld apart, %lld convex ones touch, %lld others touch\n", (long long)counts[0],
                  (long long)counts[1], (long long)counts[2]);
    assert_true(counts[0] > 10 && counts[1] > 10 && counts[2] > 10);
}

// A ball and a peg of a convex mesh's kind in every hollow there is: within the hull, apart, and free; and then on the wall.
static void in_hollows(void** state) {
    (void)state;
    static const struct {
        int body;
        BerthVec3 at;
        double radius;  ///< of the largest ball there
    } hollows[] = {{0, {0.5, 0.3, 0.5}, 0.2},
                   {1, {0.7, 0.7, 0.5}, 0.4},
                   {2, {0.5, 0.5, 0.5}, 0.2},
                   {3, {0.5, 0.5, 0.5}, 0.2},
                   {5, {0.5, 0.5, 0.15}, 0.0003}};
    for (size_t i = 0; i < sizeof hollows / sizeof hollows[0]; ++i) {
        for (int touches = 0; touches < 2; ++touches) {
            const double radius = hollows[i].radius * (touches ? 1.01 : 0.99);
            const BerthShape ball = {.kind = BERTH_SPHERE, .as.sphere = {.radius = radius}};
            BerthScene* scene = NULL;
            BerthContactWorld* world = NULL;
            assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
            BerthObjectDef object = berth_default_object_def();
            object.name = "a";
            object.solid = make_solid(&bodies[hollows[i].body]);
            assert_int_equal(berth_scene_add_object(scene, &object, NULL), BERTH_OK);
            object = berth_default_object_def();
            object.name = "ball";
            object.mass = 1.0;
            object.pose.t = hollows[i].at;
            assert_int_equal(berth_solid_from_shape(&ball, NULL, &object.solid), BERTH_OK);
            assert_int_equal(berth_scene_add_object(scene, &object, NULL), BERTH_OK);
            assert_int_equal(berth_scene_commit(scene), BERTH_OK);
            BerthContactDef contact = berth_default_contact_def();
            contact.pieces = 1;
            assert_int_equal(berth_contact_from_scene(scene, &contact, false, &world), BERTH_OK);

            BerthContactResult r;
            assert_int_equal(berth_contact_cycle(world, &r), BERTH_OK);
            if (r.verdict != (touches ? BERTH_UNKNOWN : BERTH_FREE) || r.contact_count != 0) {
                fail_msg("%s: verdict %d, %d contacts", bodies[hollows[i].body].name, (int)r.verdict,
                         (int)r.contact_count);
            }
            assert_int_equal(r.unknown_pairs, touches);
            berth_contact_destroy(world);
            berth_scene_destroy(scene);
        }
    }
}

// A follower goes into the hollow of a U and stops at its walls; one that is a U itself is refused: how thin it is is not known.
static void followers(void** state) {
    (void)state;
    Pair pair;
    Random random = {22};
    open_pair(&pair, &bodies[0], &bodies[6]);
    BerthFollow follow;
    for (int n = 0; n < test_scaled(60); ++n) {
        const BerthPose here = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
        BerthPose away = here;
        away.t = (BerthVec3){1.5, 0.0, 0.0};
        place(&pair, &here, &away);
        const BerthPose target = test_pose(&random, 0.5);
        assert_int_equal(berth_contact_follow(pair.world, 1, &target, &follow), BERTH_OK);
        pair.pose[1] = follow.world_from_body;
        assert_true(true_gap(&pair) > 0.0 && follow.depth == 0.0);
        assert_int_equal(berth_contact_follow(pair.world, 0, &target, &follow), BERTH_ERR_UNSUPPORTED);
    }
    close_pair(&pair);
}

// An L and a plate over it, one mesh: the plate has a force of its own. But not while the L touches as well: a part of what pushes is
// not what pushes.
static void one_part_is_not_all(void** state) {
    (void)state;
    static const CellBody two = {"l and plate", EVEN,
                                 "####..#.."
                                 "........."
                                 "#########",
                                 false};
    static const struct {
        double z;  ///< of the block's bottom; the L reaches to 0.3, the plate from 0.7 to 1
        int contacts, unknown;
        BerthVerdict verdict;
    } cases[] = {{0.99, 1, 0, BERTH_COLLISION},
                 {0.29, 0, 1, BERTH_COLLISION},
                 {-0.99, 0, 1, BERTH_UNKNOWN},
                 {1.01, 0, 0, BERTH_FREE},
                 {0.99, 1, 0, BERTH_COLLISION}};
    Pair pair;
    open_pair(&pair, &two, &bodies[6]);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const BerthPose here = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
        BerthPose block = here;
        block.t = (BerthVec3){0.05, 0.04, cases[i].z};
        place(&pair, &here, &block);
        BerthContactResult r;
        assert_int_equal(berth_contact_cycle(pair.world, &r), BERTH_OK);
        assert_int_equal(r.contact_count > 0, cases[i].contacts);
        assert_int_equal(r.unknown_pairs, cases[i].unknown);
        assert_int_equal(r.verdict, cases[i].verdict);
        assert_true((r.wrenches[1].force.z > 0.0) == (cases[i].contacts > 0));
        assert_true(cases[i].contacts > 0 || is_zero(&r.wrenches[1]));
    }
    close_pair(&pair);
}
#endif

int test_contact_concave(void) {
#if BERTH_HAVE_ORACLES
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_cells),
        cmocka_unit_test(in_hollows),
        cmocka_unit_test(followers),
        cmocka_unit_test(one_part_is_not_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    test_say_skip("built without FCL");
    return 0;
#endif
}
