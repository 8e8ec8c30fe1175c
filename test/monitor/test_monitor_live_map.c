// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps that change while the guard runs: after any updates, in parts, doubled, lost and late, the bits are those of a map built anew; nearest
// cells are as by looking at all of them; and silence, blindness, updates that rest on lost ones and cells that are none take the
// permit away until a whole has come (docs/reference/safety.md, rows 3, 4, 5, 8, 18).
// test-share: 0.3

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/math.h"
#include "math/morton.h"
#include "monitor/monitor.h"
#include "support/guard.h"
#include "support/setting.h"

enum { SIDE_MAX = 40, CELLS_MAX = SIDE_MAX * SIDE_MAX * SIDE_MAX };

static const BerthJointLimit slow = {1.0, 4.0, 8.0};

/// What a sender has, and what the guard is to have of it.
typedef struct World {
    BerthMonitorGrid grid;
    BerthMonitorCloud cloud;
    int32_t cells;
    uint8_t colour[CELLS_MAX];      ///< the sender's
    uint8_t applied[CELLS_MAX];     ///< the guard's
    uint64_t changed[CELLS_MAX];    ///< the update that changed a cell last
    uint64_t sequence, applied_at;  ///< updates
    bool known;
    BerthCellRun runs[CELLS_MAX];
} World;

static void world_open(World* world, int32_t x, int32_t y, int32_t z, double resolution) {
    world->grid = (BerthMonitorGrid){.size = {x, y, z},
                                     .resolution = resolution,
                                     .world_from_grid = pose_identity(),
                                     .outside_is_free = true};
    world->cells = x * y * z;
    world->cloud = (BerthMonitorCloud){
        .name = "map", .capacity = world->cells, .speed = 0.5, .uncertainty = 0.02, .grid = &world->grid};
    memset(world->colour, BERTH_CELL_FREE, sizeof world->colour);
    memset(world->changed, 0, sizeof world->changed);
    world->sequence = world->applied_at = 0;
    world->known = false;
}

static BerthMonitorCells message_of(const GuardKit* kit, const World* world) {
    return (BerthMonitorCells){.stream = kit->stream,
                               .sequence = world->sequence,
                               .stamp = kit->now,
                               .received = kit->now,
                               .parts = 1,
                               .alive = true,
                               .runs = world->runs};
}

// Cells of one colour behind each other, of those that changed after `since` or differ from the rest.
static int32_t find_runs(World* world, bool whole, BerthCellColour rest, uint64_t since) {
    int32_t count = 0;
    for (int32_t i = 0; i < world->cells; ++i) {
        const BerthCellColour colour = (BerthCellColour)world->colour[i];
        if (whole ? colour == rest : world->changed[i] <= since) {
            continue;
        }
        BerthCellRun* last = count > 0 ? &world->runs[count - 1] : NULL;
        if (last != NULL && last->colour == colour && last->first + last->count == (uint32_t)i) {
            last->count += 1;
        } else {
            world->runs[count++] = (BerthCellRun){(uint32_t)i, 1, colour};
        }
    }
    return count;
}

static void note_applied(World* world) {
    memcpy(world->applied, world->colour, (size_t)world->cells);
    world->applied_at = world->sequence;
    world->known = true;
}

// The state of the sender now, as changes if the guard can take them, else whole.
static void say_world(GuardKit* kit, int32_t cloud) {
    World* world = kit->map_user;
    world->sequence += 1;
    BerthMonitorCells message = message_of(kit, world);
    message.cloud = cloud;
    message.whole = !world->known;
    message.since = message.whole ? 0 : world->applied_at;
    message.count = find_runs(world, message.whole, BERTH_CELL_FREE, message.since);
    berth_monitor_receive_cells(kit->monitor, &message);
    note_applied(world);
}

static void open_map(GuardKit* kit, World* world, const char* urdf) {
    kit_open(kit, urdf, NULL, false, slow);
    kit->def.clouds = &world->cloud;
    kit->def.cloud_count = 1;
    kit->def.good_needed = 3;
    kit->say_map = say_world;
    kit->map_user = world;
    kit_start(kit);
}

static void expect(BerthPermit permit, BerthStop reason) {
    if (permit.reason != reason) {
        fail_msg("expected %s, got %s", berth_stop_name(reason), berth_stop_name(permit.reason));
    }
}

static void change_cells(World* world, Random* random, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        const int32_t at = (int32_t)(bi_random_next(random) % (uint64_t)world->cells);
        const int32_t length = 1 + (int32_t)(bi_random_next(random) % 6);
        const uint8_t colour = (uint8_t)(bi_random_next(random) % BERTH_CELL_COLOUR_COUNT);
        for (int32_t k = at; k < world->cells && k < at + length; ++k) {
            world->colour[k] = colour;
            world->changed[k] = world->sequence + 1;
        }
    }
}

// ---- bits ----------------------------------------------------------------------------------------------------

static bool blocks(const World* world, uint8_t colour) {
    return colour == BERTH_CELL_OCCUPIED || (colour == BERTH_CELL_UNKNOWN && !world->grid.unknown_is_free);
}

static bool is_obstacle(const LiveCells* cells, const int32_t cell[3]) {
    const uint32_t code = (uint32_t)morton_code(3, cell);
    return (cells->bits[cells->start[cells->levels - 1] + (code >> 3)] >> (code & 7u) & 1) != 0;
}

// A map of the applied cells, made anew by another way: every node is asked whether one of its cells is an obstacle.
static void expect_rebuilt(const GuardKit* kit, const World* world, int trial) {
    static uint8_t has[LIVE_CELLS_LEVELS + 1][64 * 64 * 64];
    const MapNow* map = kit->monitor->clouds_now[0].map;
    const LiveCells* cells = &map->cells;
    memset(has, 0, sizeof has);

    int32_t at = 0;
    for (int32_t z = 0; z < world->grid.size[2]; ++z) {
        for (int32_t y = 0; y < world->grid.size[1]; ++y) {
            for (int32_t x = 0; x < world->grid.size[0]; ++x, ++at) {
                const uint8_t colour = world->known ? world->applied[at] : BERTH_CELL_UNKNOWN;
                const bool obstacle = world->known ? blocks(world, colour) : true;
                assert_int_equal(is_obstacle(cells, (int32_t[3]){x, y, z}), obstacle);
                for (int32_t level = 0; obstacle && level <= cells->levels; ++level) {
                    const int down = cells->levels - level;
                    const int wide = 1 << level;
                    has[level][((z >> down) * wide + (y >> down)) * wide + (x >> down)] = 1;
                }
            }
        }
    }

    // Each byte, by the places of its children.
    for (int32_t level = 0; level < cells->levels; ++level) {
        const int wide = 1 << level;
        for (int32_t code = 0; code < wide * wide * wide; ++code) {
            int32_t low[3] = {0, 0, 0};
            for (int32_t bit = 0; bit < 3 * level; ++bit) {
                low[bit % 3] |= (code >> bit & 1) << (bit / 3);
            }
            unsigned bits = 0;
            for (int k = 0; k < 8; ++k) {
                const int x = 2 * low[0] + (k & 1), y = 2 * low[1] + (k >> 1 & 1), z = 2 * low[2] + (k >> 2);
                bits |= (unsigned)has[level + 1][(z * 2 * wide + y) * 2 * wide + x] << k;
            }
            if (cells->bits[cells->start[level] + (uint32_t)code] != bits) {
                fail_msg("trial %d: level %d node %d has %02x, a new build %02x", trial, level, code,
                         cells->bits[cells->start[level] + (uint32_t)code], bits);
            }
        }
    }
}

// An update of the world in parts, in any order, some of them twice, one perhaps lost. True: all of it came.
static bool send_in_parts(GuardKit* kit, World* world, Random* random, BerthMonitorCells message) {
    const int32_t total = message.count;
    const int32_t parts = 1 + (int32_t)(bi_random_next(random) % 5);
    const int32_t lost = bi_random_next(random) % 5 == 0 ? (int32_t)(bi_random_next(random) % 5) : -1;
    const int32_t from = (int32_t)(bi_random_next(random) % 5);

    message.parts = parts;
    for (int32_t i = 0; i < parts; ++i) {
        const int32_t part = (i + from) % parts;
        if (part == lost) {
            continue;
        }
        const int32_t first = (int32_t)((int64_t)total * part / parts);
        message.part = part;
        message.runs = world->runs + first;
        message.count = (int32_t)((int64_t)total * (part + 1) / parts) - first;
        berth_monitor_receive_cells(kit->monitor, &message);
        if (bi_random_next(random) % 4 == 0) {
            berth_monitor_receive_cells(kit->monitor, &message);
        }
    }
    return lost < 0 || lost >= parts;
}

static void updates_are_a_rebuild(void** state) {
    (void)state;
    static GuardKit kit;
    static World world;
    Random random = {5};
    int64_t applied = 0, dropped = 0;

    const int rounds = test_scaled(60) < 6 ? 6 : test_scaled(60);
    for (int round = 0; round < rounds; ++round) {
        world_open(&world, 1 + (int32_t)(bi_random_next(&random) % SIDE_MAX),
                   1 + (int32_t)(bi_random_next(&random) % SIDE_MAX),
                   1 + (int32_t)(bi_random_next(&random) % SIDE_MAX), 0.1);
        world.grid.unknown_is_free = round % 3 == 0;
        world.cloud.capacity = 4 * world.cells;
        open_map(&kit, &world, kit_arm);
        expect_rebuilt(&kit, &world, 0);

        for (int trial = 0; trial < 40; ++trial) {
            change_cells(&world, &random, 1 + (int32_t)(bi_random_next(&random) % 60));
            world.sequence += 1;
            if (bi_random_next(&random) % 4 == 0) {
                continue;  // never sent
            }

            BerthMonitorCells message = message_of(&kit, &world);
            message.whole = bi_random_next(&random) % 5 == 0;
            message.rest = message.whole && trial % 2 == 0 ? BERTH_CELL_UNKNOWN : BERTH_CELL_FREE;
            if (!message.whole) {
                const uint64_t back = 1 + bi_random_next(&random) % 4;
                message.since = world.sequence > back ? world.sequence - back : 0;
            }
            message.count = find_runs(&world, message.whole, message.rest, message.since);

            const bool usable = message.whole || (world.known && message.since <= world.applied_at);
            const bool came = send_in_parts(&kit, &world, &random, message);
            if (came && usable) {
                note_applied(&world);
            }
            applied += came && usable;
            dropped += !(came && usable);
            kit_say_joints(&kit);
            (void)kit_cycle(&kit);
            expect_rebuilt(&kit, &world, trial);
        }
        assert_int_equal(berth_monitor_counters(kit.monitor).overflows, 0);
        kit_close(&kit);
    }
    print_message("%lld updates applied, %lld lost\n", (long long)applied, (long long)dropped);
    assert_true(applied > 20 && dropped > 20);
}

// ---- distances -----------------------------------------------------------------------------------------------

// Metres to spare of the worst pair: every guard against every cell, and against what is outside.
static double brute_spare(const GuardKit* kit, const World* world) {
    const BerthMonitor* m = kit->monitor;
    const double r = world->grid.resolution;
    double worst = INFINITY;
    for (int32_t g = 0; g < m->simple_count; ++g) {
        const BerthSimpleBody body = berth_monitor_body(m, g);
        if (m->simple_bodies[g].row_count == 1) {
            continue;
        }
        const double reach =
            world->cloud.speed * (berth_monitor_horizon(m, 0.0) + 0.25) + world->cloud.uncertainty;
        const double required = m->safety.margin + body.buffer + reach + world->cloud.radius;
        const Pose pose = pose_between(&world->grid.world_from_grid, &body.pose);

        for (int32_t i = 0; i < world->cells; ++i) {
            if (!blocks(world, world->applied[i])) {
                continue;
            }
            const int32_t nx = world->grid.size[0], ny = world->grid.size[1];
            const BerthShape box = {.kind = BERTH_BOX, .as.box.half = {0.5 * r, 0.5 * r, 0.5 * r}};
            const BerthPose at =
                kit_at((BerthVec3){r * (i % nx + 0.5), r * (i / nx % ny + 0.5), r * (i / nx / ny + 0.5)});
            worst = fmin(worst, berth_shape_gap(&body.shape, &pose, &box, &at).lower - required);
        }
        for (int side = 0; side < 6 && !world->grid.outside_is_free; ++side) {
            const int axis = side / 2;
            const double sign = side % 2 == 0 ? 1.0 : -1.0;  // the solid half-space's normal points inside
            BerthShape half = {.kind = BERTH_HALFSPACE};
            half.as.halfspace.normal = v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
            half.as.halfspace.offset = side % 2 == 0 ? 0.0 : -r * world->grid.size[axis];
            const BerthPose still = pose_identity();
            worst = fmin(worst, berth_shape_gap(&body.shape, &pose, &half, &still).lower - required);
        }
    }
    return worst;
}

// Anywhere around the arm, turned any way.
static void place_grid(World* world, Random* random) {
    const double side = world->grid.resolution;
    const double angle = bi_random_between(random, -3.0, 3.0), tilt = bi_random_between(random, -0.5, 0.5);
    const Vec3 x = v3(cos(angle), sin(angle), 0.0);
    const Vec3 z = v3_unit_or(v3(tilt * sin(angle), -tilt * cos(angle), 1.0), v3(0, 0, 1));
    const Vec3 y = v3_cross(z, x);
    const Vec3 half =
        v3_scale(v3(world->grid.size[0], world->grid.size[1], world->grid.size[2]), -0.5 * side);
    Pose pose = {x, y, z, {0, 0, 0}};
    pose.t = v3_add(pose_turn(&pose, half),
                    v3(bi_random_between(random, -0.7, 0.7), bi_random_between(random, -0.7, 0.7),
                       bi_random_between(random, -0.3, 0.3)));
    world->grid.world_from_grid = pose;
}

// A place that is no number is near everything. The distance that was looked for came back as a proven one.
static void no_number_is_near(void** state) {
    (void)state;
    static uint8_t bits[4096];
    const int32_t size[3] = {8, 8, 8};
    LiveCells cells = bi_live_cells_shape(size, 0.1);
    assert_true(bi_live_cells_bytes(&cells) <= sizeof bits);
    cells.bits = bits;
    bi_live_cells_copy(&cells, NULL);
    bi_live_cells_set(&cells, 0, 1, true);

    BerthShape ball;
    assert_int_equal(berth_shape_sphere(0.05, &ball), BERTH_OK);
    for (int i = 0; i < 3; ++i) {
        Pose pose = pose_identity();
        pose.t = v3(i == 0 ? NAN : 0.5, 0.5, 0.5);
        pose.x.x = i == 1 ? NAN : 1.0;
        int32_t nodes = 1000;
        LiveCellsNearest nearest;
        assert_true(bi_live_cells_nearest(&cells, &ball, &pose, i == 2 ? NAN : 0.0, 0.2, &nodes, &nearest));
        assert_true(nearest.spent && nearest.gap.lower == -(double)INFINITY);
    }
}

static void nearest_cells_as_by_looking_at_all(void** state) {
    (void)state;
    static GuardKit kit;
    static World world;
    Random random = {11};
    int64_t near = 0, go = 0, short_of = 0;

    const int rounds = test_scaled(300) < 12 ? 12 : test_scaled(300);
    for (int round = 0; round < rounds; ++round) {
        const int32_t side = 1 + (int32_t)(bi_random_next(&random) % 22);
        world_open(&world, side, 1 + (int32_t)(bi_random_next(&random) % 22),
                   1 + (int32_t)(bi_random_next(&random) % 12), bi_random_between(&random, 0.02, 0.25));
        world.grid.outside_is_free = round % 2 == 0;
        world.grid.unknown_is_free = round % 3 == 0;
        world.cloud.radius = round % 5 == 0 ? 0.03 : 0.0;
        const int32_t nodes[] = {0, 0, 0, 2, 30, 300};
        world.grid.nodes = nodes[round % 6];
        place_grid(&world, &random);
        world.cloud.capacity = 4 * world.cells;

        kit_open(&kit, kit_arm, NULL, false, (BerthJointLimit){1.0, 0.0, 4.0});
        kit.def.clouds = &world.cloud;
        kit.def.cloud_count = 1;
        kit.def.good_needed = 1;
        kit.def.jump_slack = 10.0;
        kit.say_map = say_world;
        kit.map_user = &world;
        kit_start(&kit);
        for (int n = 0; n < 30; ++n) {
            change_cells(&world, &random, n % 10 == 0 ? 2 * world.cells / 5 : 3);
            if (n % 3 == 0) {
                memset(world.colour, BERTH_CELL_FREE, (size_t)world.cells);
                for (int32_t i = 0; i < world.cells; ++i) {
                    world.changed[i] = world.sequence + 1;
                }
                change_cells(&world, &random, 1 + n / 8);
            }
            kit.q[0] = bi_random_between(&random, -3.0, 3.0);
            kit.q[1] = bi_random_between(&random, -2.4, 2.4);
            berth_monitor_reset(kit.monitor);
            kit_say(&kit);
            const BerthPermit permit = kit_cycle(&kit);
            const double spare = brute_spare(&kit, &world);
            if (permit.go && !(spare > -1e-12)) {
                fail_msg("round %d.%d: a permit with %g m to spare", round, n, spare);
            }
            const bool spent = world.grid.nodes != 0;
            if (!spent && fabs(spare) > 1e-9 && permit.go != (spare > 0.0)) {
                fail_msg("round %d.%d: %s with %g m to spare", round, n, berth_stop_name(permit.reason),
                         spare);
            }
            const double told = permit.distance - permit.required + (permit.cloud == 0 ? 0.0 : NAN);
            if (!spent && !permit.go && permit.distance > 0.0 && !(fabs(told - spare) < 1e-9)) {
                fail_msg("round %d.%d: %g m to spare, told %g", round, n, spare, told);
            }
            near += !permit.go;
            go += permit.go;
            short_of += spent && !permit.go && spare > 0.0;
        }
        kit_close(&kit);
    }
    print_message("%lld permits, %lld STOPs, %lld of them for want of nodes\n", (long long)go,
                  (long long)near, (long long)short_of);
    assert_true(near > 50 && go > 20 && (short_of > 0 || rounds < 50));
}

// ---- the protocol --------------------------------------------------------------------------------------------

// Changes alone never bring a permit: before the first whole nothing is known.
static void no_permit_before_a_whole(void** state) {
    (void)state;
    static GuardKit kit;
    static World world;
    world_open(&world, 9, 7, 5, 0.1);
    world.grid.world_from_grid.t = v3(5, 5, 5);
    open_map(&kit, &world, kit_arm);
    berth_monitor_reset(kit.monitor);
    for (int i = 0; i < 20; ++i) {
        world.sequence += 1;
        BerthMonitorCells message = message_of(&kit, &world);
        message.since = 0;
        berth_monitor_receive_cells(kit.monitor, &message);
        kit_say_joints(&kit);
        assert_false(kit_cycle(&kit).go);
        berth_monitor_reset(kit.monitor);
    }
    assert_int_equal(berth_monitor_counters(kit.monitor).incomplete, 20);
    expect(kit_wake(&kit), BERTH_STOP_NONE);

    // Nothing changes, and the sensor lives: as fresh as ever. Then it is silent.
    for (int i = 0; i < 30; ++i) {
        kit_say(&kit);
        expect(kit_cycle(&kit), BERTH_STOP_NONE);
    }
    for (int i = 0; i < 4; ++i) {
        kit_say_joints(&kit);
        expect(kit_cycle(&kit), BERTH_STOP_NONE);
    }
    kit_say_joints(&kit);
    (void)kit_cycle(&kit);  // five milliseconds old, or a little more
    kit_say_joints(&kit);
    const BerthPermit permit = kit_cycle(&kit);
    assert_false(permit.go);
    assert_true(permit.reason == BERTH_STOP_OBJECT || permit.cause == BERTH_STOP_OBJECT);
    assert_int_equal(permit.cloud, 0);
    expect(kit_wake(&kit), BERTH_STOP_NONE);
    kit_close(&kit);
}

/// One wrong message, and what it is to be answered with.
typedef struct Wrong {
    const char* name;
    BerthStop stop;  ///< NONE: dropped, no fault
    void (*spoil)(BerthMonitorCells* message, World* world);
} Wrong;

static void spoil_range(BerthMonitorCells* m, World* w) {
    w->runs[0] = (BerthCellRun){(uint32_t)w->cells - 1, 2, BERTH_CELL_FREE};
    m->count = 1;
}
static void spoil_far(BerthMonitorCells* m, World* w) {
    w->runs[0] = (BerthCellRun){UINT32_MAX, UINT32_MAX, BERTH_CELL_FREE};
    m->count = 1;
}
static void spoil_count(BerthMonitorCells* m, World* w) {
    w->runs[0] = (BerthCellRun){0, 0, BERTH_CELL_FREE};
    m->count = 1;
}
static void spoil_colour(BerthMonitorCells* m, World* w) {
    w->runs[0] = (BerthCellRun){0, 1, BERTH_CELL_COLOUR_COUNT};
    m->count = 1;
}
static void spoil_overflow(BerthMonitorCells* m, World* w) {
    w->runs[0] = (BerthCellRun){0, (uint32_t)w->cloud.capacity + 1, BERTH_CELL_FREE};
    m->count = 1;
}
static void spoil_blind(BerthMonitorCells* m, World* w) {
    (void)w;
    m->alive = false;
}
static void spoil_stream(BerthMonitorCells* m, World* w) {
    (void)w;
    m->stream += 1;
}
static void spoil_back(BerthMonitorCells* m, World* w) {
    (void)w;
    m->sequence = 1;
    m->since = 0;
}
static void spoil_stamp(BerthMonitorCells* m, World* w) {
    (void)w;
    m->stamp -= 3600.0;
}
static void spoil_rest(BerthMonitorCells* m, World* w) {
    (void)w;
    m->whole = true;
    m->since = 0;
    m->rest = BERTH_CELL_OCCUPIED;
}
static void spoil_parts(BerthMonitorCells* m, World* w) {
    (void)w;
    m->part = 1;
}
static void spoil_since(BerthMonitorCells* m, World* w) {
    (void)w;
    m->since = m->sequence;
}
static void spoil_runs(BerthMonitorCells* m, World* w) {
    (void)w;
    m->runs = NULL;
    m->count = 1;
}

// After each of these nothing but a whole brings permits back: changes that would be good are no answer.
static void what_is_wrong_stops_until_a_whole(void** state) {
    (void)state;
    static GuardKit kit;
    static World world;
    const Wrong all[] = {{"cells beyond the last", BERTH_STOP_VALUE, spoil_range},
                         {"numbers that wrap", BERTH_STOP_VALUE, spoil_far},
                         {"no cells", BERTH_STOP_VALUE, spoil_count},
                         {"no colour", BERTH_STOP_VALUE, spoil_colour},
                         {"too many cells", BERTH_STOP_OBJECT, spoil_overflow},
                         {"a covered lens", BERTH_STOP_OBJECT, spoil_blind},
                         {"another stream", BERTH_STOP_SEQUENCE, spoil_stream},
                         {"a sequence that was long ago", BERTH_STOP_SEQUENCE, spoil_back},
                         {"a stamp of an hour ago", BERTH_STOP_SKEW, spoil_stamp},
                         {"a rest that is occupied", BERTH_STOP_VALUE, spoil_rest},
                         {"a part that is none", BERTH_STOP_NONE, spoil_parts},
                         {"changes since themselves", BERTH_STOP_NONE, spoil_since},
                         {"no list", BERTH_STOP_NONE, spoil_runs}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        world_open(&world, 20, 20, 9, 0.1);
        world.cloud.capacity = 500;
        world.grid.world_from_grid.t = v3(5, 5, 5);
        open_map(&kit, &world, kit_arm);
        expect(kit_wake(&kit), BERTH_STOP_NONE);
        for (int i = 0; i < 12; ++i) {
            kit_say(&kit);
            expect(kit_cycle(&kit), BERTH_STOP_NONE);
        }

        world.sequence += 1;
        BerthMonitorCells message = message_of(&kit, &world);
        message.since = world.applied_at;
        all[k].spoil(&message, &world);
        const int64_t malformed = berth_monitor_counters(kit.monitor).malformed;
        berth_monitor_receive_cells(kit.monitor, &message);
        kit_say_joints(&kit);
        const BerthPermit permit = kit_cycle(&kit);
        if (permit.reason != all[k].stop) {
            fail_msg("%s: %s", all[k].name, berth_stop_name(permit.reason));
        }
        if (all[k].stop == BERTH_STOP_NONE) {
            assert_int_equal(berth_monitor_counters(kit.monitor).malformed, malformed + 1);
            kit_close(&kit);
            continue;
        }

        assert_int_equal(permit.cloud, 0);
        for (int i = 0; i < 10; ++i) {
            assert_false(kit_wake(&kit).go);
        }
        world.known = false;  // the next one is a whole
        expect(kit_wake(&kit), BERTH_STOP_NONE);
        kit_close(&kit);
    }
}

// One update in three is lost: who names what changed over the last few keeps the permit, who names the last one only loses it.
static void losses(void** state) {
    (void)state;
    static GuardKit kit;
    static World world;
    for (int window = 1; window <= 4; window += 3) {
        Random random = {(uint64_t)window};
        world_open(&world, 20, 20, 9, 0.1);
        world.grid.world_from_grid.t = v3(5, 5, 5);
        open_map(&kit, &world, kit_arm);
        expect(kit_wake(&kit), BERTH_STOP_NONE);
        int64_t go = 0;
        int lost_in_a_row = 0;
        for (int i = 0; i < 300; ++i) {
            change_cells(&world, &random, 3);
            world.sequence += 1;
            BerthMonitorCells message = message_of(&kit, &world);
            message.since = world.sequence - (uint64_t)window;
            message.count = find_runs(&world, false, BERTH_CELL_FREE, message.since);
            const bool lost = lost_in_a_row < 2 && bi_random_next(&random) % 3 == 0;
            lost_in_a_row = lost ? lost_in_a_row + 1 : 0;
            if (!lost) {
                berth_monitor_receive_cells(kit.monitor, &message);
            }
            kit_say_joints(&kit);
            go += kit_cycle(&kit).go;
        }
        assert_true(window == 1 ? go < 100 : go == 300);
        kit_close(&kit);
    }
}

// A whole in parts beside changes that go on: it is used when it is newer than what is known, and no cycle sees half of it.
static void a_whole_among_changes(void** state) {
    (void)state;
    static GuardKit kit;
    static World world;
    world_open(&world, 16, 16, 16, 0.1);
    world.grid.world_from_grid.t = v3(5, 5, 5);
    open_map(&kit, &world, kit_arm);
    expect(kit_wake(&kit), BERTH_STOP_NONE);

    // The whole begins with the next number, and changes that rest on what the guard has overtake it.
    BerthMonitorCells whole = message_of(&kit, &world);
    whole.sequence = world.sequence + 1;
    whole.whole = true;
    whole.rest = BERTH_CELL_UNKNOWN;  // all obstacles
    whole.parts = 3;
    whole.count = 0;
    berth_monitor_receive_cells(kit.monitor, &whole);
    expect_rebuilt(&kit, &world, 0);
    world.sequence += 1;
    for (int i = 0; i < 20; ++i) {
        kit_say(&kit);
        expect(kit_cycle(&kit), BERTH_STOP_NONE);
    }
    whole.part = 1;
    whole.received = kit.now;
    berth_monitor_receive_cells(kit.monitor, &whole);
    whole.part = 2;
    berth_monitor_receive_cells(kit.monitor, &whole);
    expect_rebuilt(&kit, &world, 1);
    kit_say(&kit);
    expect(kit_cycle(&kit), BERTH_STOP_NONE);

    // Of two that begin between two cycles the second is dropped, whatever it says.
    world.sequence += 1;
    BerthMonitorCells twice = message_of(&kit, &world);
    twice.whole = true;
    berth_monitor_receive_cells(kit.monitor, &twice);
    note_applied(&world);
    twice.sequence += 1;
    twice.rest = BERTH_CELL_UNKNOWN;
    berth_monitor_receive_cells(kit.monitor, &twice);
    expect_rebuilt(&kit, &world, 2);
    kit_say(&kit);
    expect(kit_cycle(&kit), BERTH_STOP_NONE);

    // More cells than may be set between two cycles are dropped; in the next cycle they may come again.
    world.known = false;
    memset(world.colour, BERTH_CELL_OCCUPIED, (size_t)world.cells);
    world.sequence += 1;
    BerthMonitorCells many = message_of(&kit, &world);
    many.whole = true;
    many.parts = 4;
    many.count = 1;
    world.runs[0] = (BerthCellRun){0, (uint32_t)world.cells, BERTH_CELL_OCCUPIED};
    const int64_t before = berth_monitor_counters(kit.monitor).incomplete;
    for (many.part = 0; many.part < 3; ++many.part) {
        berth_monitor_receive_cells(kit.monitor, &many);
    }
    assert_int_equal(berth_monitor_counters(kit.monitor).incomplete, before + 1);
    kit_close(&kit);
}

// A sender frees a room and puts what is in it on top, or the other way round, in one part or in two that overtake each other: nothing
// that is named an obstacle is free because it was named free, too.
static void a_cell_named_twice_stays_an_obstacle(void** state) {
    (void)state;
    static GuardKit kit;
    static World world;
    world_open(&world, 16, 16, 16, 0.1);
    world.grid.world_from_grid.t = v3(5, 5, 5);
    open_map(&kit, &world, kit_arm);
    expect(kit_wake(&kit), BERTH_STOP_NONE);
    const BerthCellRun room = {0, (uint32_t)world.cells, BERTH_CELL_FREE};
    const BerthCellRun post = {100, 70, BERTH_CELL_OCCUPIED};

    for (int k = 0; k < 8; ++k) {
        const BerthCellRun both[2] = {k & 1 ? room : post, k & 1 ? post : room};
        world.sequence += 1;
        BerthMonitorCells whole = message_of(&kit, &world);
        whole.whole = true;
        whole.rest = k & 2 ? BERTH_CELL_UNKNOWN : BERTH_CELL_FREE;
        whole.parts = k & 4 ? 2 : 1;
        for (whole.part = 0; whole.part < whole.parts; ++whole.part) {
            whole.runs = both + whole.part;
            whole.count = 2 / whole.parts;
            berth_monitor_receive_cells(kit.monitor, &whole);
        }
        memset(world.colour, BERTH_CELL_FREE, (size_t)world.cells);
        memset(world.colour + post.first, BERTH_CELL_OCCUPIED, post.count);
        note_applied(&world);
        expect_rebuilt(&kit, &world, k);
        kit_say(&kit);
        expect(kit_cycle(&kit), BERTH_STOP_NONE);

        // The next whole begins anew: where the post was is free.
        world.sequence += 1;
        whole = message_of(&kit, &world);
        whole.whole = true;
        whole.rest = BERTH_CELL_UNKNOWN;
        whole.runs = &room;
        whole.count = 1;
        berth_monitor_receive_cells(kit.monitor, &whole);
        memset(world.colour, BERTH_CELL_FREE, (size_t)world.cells);
        note_applied(&world);
        expect_rebuilt(&kit, &world, k);
        kit_say(&kit);
        expect(kit_cycle(&kit), BERTH_STOP_NONE);
    }
    kit_close(&kit);
}

// What is in the cells is no part of the model; how they lie is.
static void the_hash_is_of_the_grid(void** state) {
    (void)state;
    static GuardKit kit;
    static World world;
    uint8_t first[32];
    for (int k = 0; k < 6; ++k) {
        world_open(&world, 16, 16, 16, 0.1);
        world.grid.world_from_grid.t = v3(5, 5, 5);
        world.grid.resolution = k == 1 ? 0.2 : 0.1;
        world.grid.size[2] = k == 2 ? 15 : 16;
        world.grid.unknown_is_free = k == 3;
        world.grid.world_from_grid.t.z = k == 4 ? 6.0 : 5.0;
        world.cells = 16 * 16 * world.grid.size[2];
        open_map(&kit, &world, kit_arm);
        BerthPermit permit = kit_wake(&kit);
        expect(permit, BERTH_STOP_NONE);
        if (k == 0) {
            memcpy(first, permit.model, sizeof first);
        }
        memset(world.colour, BERTH_CELL_OCCUPIED, 40);
        for (int i = 0; i < 40; ++i) {
            world.changed[i] = world.sequence + 1;
        }
        kit_say(&kit);
        permit = kit_cycle(&kit);
        expect(permit, BERTH_STOP_NONE);
        assert_int_equal(memcmp(first, permit.model, sizeof first) == 0, k == 0 || k == 5);
        assert_true(berth_monitor_check_model(kit.monitor, berth_monitor_model_bytes(kit.monitor)));
        kit_close(&kit);
    }
}

static void what_is_refused(void** state) {
    (void)state;
    static GuardKit kit;
    static World world;
    for (int k = 0; k < 8; ++k) {
        world_open(&world, 16, 16, 16, 0.1);
        world.grid.size[k % 3] = k < 2 ? 257 * k : 16;
        world.grid.resolution = k == 2 ? 0.0 : 0.1;
        world.grid.resolution = k == 3 ? NAN : world.grid.resolution;
        world.grid.world_from_grid.x.x = k == 4 ? 1.1 : 1.0;
        world.grid.world_from_grid.t.y = k == 5 ? 1e8 : 0.0;
        world.grid.nodes = k == 6 ? -1 : 0;
        world.cloud.capacity = k == 7 ? 0 : 100;
        kit_open(&kit, kit_arm, NULL, false, slow);
        kit.def.clouds = &world.cloud;
        kit.def.cloud_count = 1;
        assert_int_equal(berth_scene_commit(kit.scene), BERTH_OK);
        assert_int_equal(berth_monitor_create(kit.scene, &kit.def, &kit.monitor), BERTH_ERR_ARGUMENT);
        kit_close(&kit);
    }
}

int test_monitor_live_map(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_are_a_rebuild),
        cmocka_unit_test(nearest_cells_as_by_looking_at_all),
        cmocka_unit_test(no_number_is_near),
        cmocka_unit_test(no_permit_before_a_whole),
        cmocka_unit_test(what_is_wrong_stops_until_a_whole),
        cmocka_unit_test(losses),
        cmocka_unit_test(a_whole_among_changes),
        cmocka_unit_test(a_cell_named_twice_stays_an_obstacle),
        cmocka_unit_test(the_hash_is_of_the_grid),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
