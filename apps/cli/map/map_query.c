// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth map query: balls from the command line, a file, random numbers or a robot; their verdicts, distances and times.
// Entry: map_query.

#include <berth/cover.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/map/map.h"

enum { RANDOM_MAX = 100000000, PROGRESS_EVERY = 1024 };
/// Poses of links have an error of a few roundings per metre of distance: balls are enlarged by more than that.
#define POSE_SLACK 1e-13
/// A metre is at most this long in L1: more than the root of 3.
#define L1_OF_METRE 1.75
/// Into the frame of a rotated map and back: some thirty roundings, in metres per metre of distance.
#define TURN_SLACK 1e-14
/// Share of the work of a permanent cover: octahedra are fitted again for every state.
#define POSED_EFFORT 0.1

/// The balls of the query.
typedef struct Balls {
    int64_t count;
    double* own;          // x y z r each, or null
    const double* balls;  // null: random ones, generated as they are needed
    const char** links;   // of a robot's, or null
    BerthBalls file;
    BerthScene* scene;  // the robot's
    BerthSpheres* spheres;
    uint64_t random;      // state
    BerthVec3 low, high;  // of random centres
    double radius;
} Balls;

/// Counts and times of all answers.
typedef struct QueryTotals {
    int64_t of_verdict[3];  // by BerthVerdict
    double seconds;
    float* microseconds;  // count of them, or null
} QueryTotals;

/// The answer for one ball.
typedef struct BallAnswer {
    BerthFieldAnswer field;
    bool at_border;    // the nearest obstacle is the border of the map, outside which everything is occupied
    bool reaches_out;  // it is free, and part of it is outside the map, where space is taken as free
} BallAnswer;

typedef struct Query {
    MapRun* run;
    const BerthField* field;
    BerthFieldInfo info;
    BerthFieldMethod method;
    BerthMetric metric;
    bool outside_is_free;
    bool turned;                 // the map is rotated by its yaw
    BerthPose world_from_cells;  // then
    double slack;  // for the present ball, metres: how far rounding of the rotation may have moved it
    Balls balls;
    QueryTotals totals;
    Text text, stats;
    Text assumed[2];  // of a JSON answer; second: of a free ball that extends beyond the map
    int64_t nearest[64];
} Query;

// ---- where balls come from -----------------------------------------------------------------------------------

static int balls_from_arguments(Query* q) {
    const TextList* list = &q->run->options->map.ball;
    const int dim = q->info.dim;
    q->balls.own = calloc((size_t)list->count, 4 * sizeof *q->balls.own);
    if (q->balls.own == NULL) {
        return cli_out_of_memory();
    }

    for (int i = 0; i < list->count; ++i) {
        double numbers[4] = {0, 0, 0, 0};
        double* ball = q->balls.own + 4 * i;
        if (!cli_read_numbers(list->items[i], dim + 1, numbers) || numbers[dim] < 0.0) {
            return cli_reject("map", "--ball '%s': expected %s with r >= 0, the map is %d-D", list->items[i],
                              dim == 3 ? "x,y,z,r" : "x,y,r", dim);
        }

        memcpy(ball, numbers, (size_t)dim * sizeof *ball);
        ball[3] = numbers[dim];
    }

    q->balls.count = list->count;
    q->balls.balls = q->balls.own;
    return EXIT_FREE;
}

static int balls_from_file(Query* q) {
    const BerthStatus status =
        berth_io_read_balls(q->run->options->map.balls, q->info.dim, q->run->io, &q->balls.file);
    q->balls.count = q->balls.file.count;
    q->balls.balls = q->balls.file.balls;
    return cli_exit_status(status);
}

static int balls_by_chance(Query* q) {
    const Options* options = q->run->options;
    if (options->map.random > RANDOM_MAX) {
        return cli_reject("map", "--random %lld: at most %d", (long long)options->map.random, RANDOM_MAX);
    }

    const double r = q->info.resolution;
    const BerthVec3 side = {r * q->info.size[0], r * q->info.size[1],
                            q->info.dim == 3 ? r * q->info.size[2] : 0.0};
    const double least = fmin(side.x, q->info.dim == 3 ? fmin(side.y, side.z) : side.y);

    q->balls.low = q->info.origin;
    q->balls.high =
        (BerthVec3){q->info.origin.x + side.x, q->info.origin.y + side.y, q->info.origin.z + side.z};
    q->balls.radius = options->map.radius > 0.0 ? options->map.radius : 0.1 * least;
    q->balls.random = (uint64_t)options->seed * 2 + 1;
    q->balls.count = options->map.random;
    return EXIT_FREE;
}

// splitmix64: the same balls on every machine for the same seed.
static double next_random_share(uint64_t* state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

// In the frame of the cells.
static void random_ball(Balls* balls, double ball[4]) {
    ball[0] = balls->low.x + next_random_share(&balls->random) * (balls->high.x - balls->low.x);
    ball[1] = balls->low.y + next_random_share(&balls->random) * (balls->high.y - balls->low.y);
    ball[2] = balls->low.z + next_random_share(&balls->random) * (balls->high.z - balls->low.z);
    ball[3] = next_random_share(&balls->random) * balls->radius;
}

// ---- a robot's -----------------------------------------------------------------------------------------------

// True if all collision geometry of a robot is spheres; counts them.
static bool count_if_all_spheres(const BerthRobot* robot, int64_t* count) {
    *count = 0;
    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        const int32_t solids = berth_robot_link(robot, link).solid_count;
        for (int32_t i = 0; i < solids; ++i, ++*count) {
            BerthPose pose;
            const BerthShape* shape = berth_solid_shape(berth_robot_solid(robot, link, i, &pose, NULL));
            if (shape == NULL || shape->kind != BERTH_SPHERE) {
                return false;
            }
        }
    }
    return *count > 0;
}

static void add_ball(Balls* balls, const BerthPose* world_from_link, BerthVec3 centre, double radius,
                     const char* link) {
    const BerthVec3 world = berth_pose_apply(world_from_link, centre);
    const double magnitude =
        fabs(world.x) + fabs(world.y) + fabs(world.z) + fabs(centre.x) + fabs(centre.y) + fabs(centre.z);
    const double slack = L1_OF_METRE * POSE_SLACK * (1.0 + magnitude);
    const double ball[4] = {world.x, world.y, world.z, radius + slack};
    memcpy(balls->own + 4 * balls->count, ball, sizeof ball);
    balls->links[balls->count++] = link;
}

static int allocate_balls(Balls* balls, int64_t count) {
    balls->own = calloc((size_t)count, 4 * sizeof *balls->own);
    balls->links = calloc((size_t)count, sizeof *balls->links);
    return balls->own != NULL && balls->links != NULL ? EXIT_FREE : cli_out_of_memory();
}

// A robot's own spheres; with L1 the smallest octahedron around each, whatever the orientation of its link.
static void add_solids(Balls* balls, const BerthRobot* robot, const BerthPose* poses, BerthMetric metric) {
    const double growth = metric == BERTH_METRIC_L1 ? nextafter(sqrt(3.0), 2.0) : 1.0;
    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        const BerthLinkInfo info = berth_robot_link(robot, link);
        for (int32_t i = 0; i < info.solid_count; ++i) {
            BerthPose pose;
            const BerthShape* shape = berth_solid_shape(berth_robot_solid(robot, link, i, &pose, NULL));
            add_ball(balls, &poses[link], pose.t, growth * shape->as.sphere.radius, info.name);
        }
    }
}

// `poses`: the poses of the octahedra for L1; null for spheres.
static int fit_spheres(Query* q, const BerthRobot* robot, const BerthPose* poses, int64_t* count) {
    const Options* options = q->run->options;
    BerthSpheresDef def = berth_default_spheres_def();
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    def.count = options->count;
    def.protrusion = options->protrusion > 0.0 ? options->protrusion : 0.0;
    def.metric = q->metric;
    def.poses = poses;
    if (poses != NULL) {
        def.effort = POSED_EFFORT;
    }
    def.seed = options->seed > 0 ? (uint64_t)options->seed : def.seed;
    def.threads = options->threads;
    if (def.threads <= 0) {
        def.threads = processors > 0 ? (int32_t)processors : 1;
    }

    const BerthStatus status = berth_robot_fit_spheres(robot, -1, &def, &q->balls.spheres);
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    *count = 0;
    for (int32_t i = 0; i < berth_spheres_group_count(q->balls.spheres); ++i) {
        const BerthSphereGroup group = berth_spheres_group(q->balls.spheres, i);
        *count += group.count;
        if (group.has_geometry && !group.covered) {
            fprintf(stderr, "berth map: the cover of link '%s' could not be proven\n",
                    berth_robot_link(robot, i).name);
            return EXIT_UNKNOWN;
        }
    }
    return EXIT_FREE;
}

// Octahedra are fitted to the links in their present poses, on the axes of the map's cells, because fixed ones would
// rotate with a link.
static int fit_octahedra(Query* q, const BerthRobot* robot, const BerthPose* poses, int64_t* count) {
    const int32_t links = berth_robot_link_count(robot);
    BerthPose* turned = calloc((size_t)links + 1, sizeof *turned);
    if (turned == NULL) {
        return cli_out_of_memory();
    }

    const BerthPose cells_from_world = berth_pose_inverse(&q->world_from_cells);
    for (int32_t link = 0; link < links; ++link) {
        turned[link] = q->turned ? berth_pose_multiply(&cells_from_world, &poses[link]) : poses[link];
    }

    const int status = fit_spheres(q, robot, turned, count);
    free(turned);
    return status;
}

static int place_balls(Query* q, const BerthRobot* robot, const BerthPose* poses) {
    int64_t given = 0;
    const bool all_spheres = count_if_all_spheres(robot, &given);
    const bool spherized = all_spheres && q->run->options->count == 0 && !(q->run->options->protrusion > 0.0);
    int64_t count = given;
    int status = EXIT_FREE;

    if (!spherized) {
        status = q->metric == BERTH_METRIC_L1 ? fit_octahedra(q, robot, poses, &count)
                                              : fit_spheres(q, robot, NULL, &count);
    }

    if (status == EXIT_FREE && count == 0) {
        status = cli_reject("map", "%s: no link has collision geometry", q->run->options->robot);
    }
    if (status == EXIT_FREE) {
        status = allocate_balls(&q->balls, count);
    }
    if (status != EXIT_FREE) {
        return status;
    }

    if (spherized) {
        add_solids(&q->balls, robot, poses, q->metric);
        return EXIT_FREE;
    }

    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        const BerthSphereGroup group = berth_spheres_group(q->balls.spheres, link);
        for (int32_t i = 0; i < group.count; ++i) {
            add_ball(&q->balls, q->metric == BERTH_METRIC_L1 ? &q->world_from_cells : &poses[link],
                     group.balls[i].centre, group.balls[i].radius, berth_robot_link(robot, link).name);
        }
    }
    return EXIT_FREE;
}

static int balls_of_robot(Query* q) {
    const Options* options = q->run->options;
    const BerthStatus read = berth_io_read_scene(options->robot, q->run->io, &q->balls.scene);
    if (read != BERTH_OK) {
        return cli_report_failure(read);
    }

    BerthPose base;
    const BerthRobot* robot = berth_scene_robot(q->balls.scene, 0, NULL, &base);
    if (berth_scene_robot_count(q->balls.scene) != 1) {
        return cli_reject("map", "--robot %s: expected one robot", options->robot);
    }

    double* values = calloc((size_t)berth_scene_value_count(q->balls.scene) + 1, sizeof *values);
    BerthPose* poses = calloc((size_t)berth_robot_link_count(robot) + 1, sizeof *poses);
    int status = values != NULL && poses != NULL ? cli_make_state("map", options, q->balls.scene, values)
                                                 : cli_out_of_memory();
    if (status == EXIT_FREE) {
        berth_robot_link_poses(robot, &base, values, poses);
        status = place_balls(q, robot, poses);
    }

    q->balls.balls = q->balls.own;
    free(values);
    free(poses);
    return status;
}

static int find_balls(Query* q) {
    const Options* options = q->run->options;
    const int ways = (options->map.ball.count > 0) + (options->map.balls != NULL) +
                     (options->map.random > 0) + (options->robot != NULL);
    if (ways != 1) {
        return cli_reject("map", "query: expected one of --ball, --balls, --random and --robot");
    }
    if (options->map.ball.count > 0) {
        return balls_from_arguments(q);
    }
    if (options->map.balls != NULL) {
        return balls_from_file(q);
    }
    return options->map.random > 0 ? balls_by_chance(q) : balls_of_robot(q);
}

// ---- answers -------------------------------------------------------------------------------------------------

static void json_place(Json* json, BerthVec3 p, int32_t dim) {
    json_open(json, '[');
    json_number(json, p.x);
    json_number(json, p.y);
    if (dim == 3) {
        json_number(json, p.z);
    }
    json_close(json, ']');
}

static int64_t find_all_nearest(Query* q, const double ball[4]) {
    const int64_t count =
        berth_field_all_nearest(q->field, q->metric, (BerthVec3){ball[0], ball[1], ball[2]}, q->nearest, 64);
    return count < 64 ? count : 64;
}

static void json_obstacle(Json* json, const Query* q, int64_t index) {
    const BerthFieldLeaf leaf = berth_field_solid_leaf(q->field, index);
    const double r = q->info.resolution;
    const BerthVec3 low = {q->info.origin.x + r * leaf.low[0], q->info.origin.y + r * leaf.low[1],
                           q->info.origin.z + r * leaf.low[2]};
    json_open(json, '{');
    json_key_int(json, "obstacle", index);
    json_key(json, "low");
    json_place(json, q->turned ? berth_pose_apply(&q->world_from_cells, low) : low, q->info.dim);
    json_key_number(json, "width", r * leaf.width);
    json_close(json, '}');
}

// The same for all balls except for space outside the map: written once, because there may be many answers.
static int prepare_assumed(Query* q) {
    for (int i = 0; i < 2; ++i) {
        MapRun run = *q->run;
        Json json = json_writer(&q->assumed[i]);
        run.reaching_out = i;
        (void)map_json_assumed(&json, &run);
    }
    return q->assumed[0].failed || q->assumed[1].failed ? cli_out_of_memory() : EXIT_FREE;
}

// The structure that answers.
static BerthFieldMethod used_method(const Query* q) {
    return q->method != BERTH_FIELD_BY_BEST ? q->method : berth_field_best_method(q->field, q->metric);
}

// `asked` is the ball in the frame of the cells.
static void answer_json(Query* q, int64_t index, const double ball[4], const double asked[4],
                        const BallAnswer* of_ball) {
    Json json = json_writer(&q->text);
    const BerthFieldAnswer* answer = &of_ball->field;
    const bool found = answer->obstacle >= 0 || of_ball->at_border;

    json_open(&json, '{');
    json_key_int(&json, "ball", index);

    if (q->balls.links != NULL) {
        json_key_text(&json, "link", q->balls.links[index]);
        if (q->info.dim == 2) {
            json_key_bool(&json, "projected", true);  // the shadow of a sphere, at all heights
        }
    }

    json_key_text(&json, "verdict", berth_verdict_name(answer->verdict));
    if (answer->verdict == BERTH_UNKNOWN && answer->reason != BERTH_REASON_NONE) {
        json_key_text(&json, "reason", berth_reason_name(answer->reason));
    }
    if (q->metric == BERTH_METRIC_L1 && q->balls.links != NULL) {
        json_key_number(&json, "radius_l1", ball[3]);
    }
    if (answer->outside) {
        json_key_bool(&json, "outside", true);
    } else if (of_ball->reaches_out) {
        json_key_bool(&json, "reaches_out", true);
    }
    if (of_ball->at_border) {
        json_key_bool(&json, "border", true);
    }

    json_key(&json, "distance");
    if (found) {
        json_open(&json, '{');
        json_key_number(&json, "lower", answer->lower);
        json_key_number(&json, "upper", answer->upper);
        json_close(&json, '}');
    } else {
        json_put_null(&json);
    }

    json_key(&json, "nearest");
    if (found) {
        json_place(&json, answer->nearest, q->info.dim);
    } else {
        json_put_null(&json);
    }

    if (q->run->options->all) {
        const int64_t count = find_all_nearest(q, asked);
        json_key_open(&json, "equally_near", '[');
        for (int64_t i = 0; i < count; ++i) {
            json_obstacle(&json, q, q->nearest[i]);
        }
        json_close(&json, ']');
    }

    json_key_text(&json, "structure", map_method_name(used_method(q)));
    text_puts(&q->text, ", ");
    const Text* assumed = &q->assumed[of_ball->reaches_out];
    text_add(&q->text, assumed->data, assumed->size);
    cli_json_no_pairs(&json);
    json_close(&json, '}');
    text_puts(&q->text, "\n");
}

static void answer_text(Query* q, int64_t index, const double ball[4], const double asked[4],
                        const BallAnswer* of_ball) {
    Text* text = &q->text;
    const BerthFieldAnswer* answer = &of_ball->field;

    text_printf(text, "ball %lld", (long long)index);
    if (q->balls.links != NULL) {
        text_printf(text, " of %s", q->balls.links[index]);
    }

    if (q->info.dim == 3) {
        text_printf(text, " (%.6g, %.6g, %.6g)", ball[0], ball[1], ball[2]);
    } else {
        text_printf(text, " (%.6g, %.6g)", ball[0], ball[1]);
    }

    text_printf(text, " r %.6g", ball[3]);
    if (q->metric == BERTH_METRIC_L1 && q->balls.links != NULL) {
        text_puts(text, q->info.dim == 3 ? " (an octahedron)" : " (a diamond)");
    }
    text_printf(text, ": %s", berth_verdict_name(answer->verdict));
    if (answer->verdict == BERTH_UNKNOWN && answer->reason != BERTH_REASON_NONE) {
        text_printf(text, " (%s)", berth_reason_name(answer->reason));
    }
    if (answer->outside) {
        text_puts(text, ", its centre is outside the map");
    }
    if (!q->outside_is_free && answer->verdict != BERTH_FREE && (answer->outside || of_ball->at_border)) {
        text_puts(text, ", which is an obstacle without --outside free");
    }

    if (answer->obstacle >= 0 || of_ball->at_border) {
        text_printf(text, ", %s %.6g m from its centre, at ",
                    of_ball->at_border ? "the border of the map" : "nearest obstacle", answer->lower);
        if (q->info.dim == 3) {
            text_printf(text, "(%.6g, %.6g, %.6g)", answer->nearest.x, answer->nearest.y, answer->nearest.z);
        } else {
            text_printf(text, "(%.6g, %.6g)", answer->nearest.x, answer->nearest.y);
        }
    } else if (!answer->outside) {
        text_puts(text, ", there is no obstacle");
    }

    if (q->run->options->all) {
        text_printf(text, "; %lld equally near", (long long)find_all_nearest(q, asked));
    }
    text_puts(text, "\n");
}

static void add_stats(Query* q, int64_t index, const double ball[4], const BallAnswer* of_ball,
                      double seconds) {
    const BerthFieldAnswer* answer = &of_ball->field;
    Text* text = &q->stats;

    text_printf(text, "%lld,", (long long)index);
    for (int i = 0; i < 4; ++i) {
        text_number(text, ball[i]);
        text_puts(text, ",");
    }

    text_printf(text, "%s,", berth_verdict_name(answer->verdict));
    if (answer->obstacle >= 0 || of_ball->at_border) {
        text_number(text, answer->lower);
    }
    text_printf(text, ",%d,", (int)answer->steps);
    text_number(text, round(1e9 * seconds) / 1e3);
    text_puts(text, "\n");
}

// The ball, enlarged by how far rounding of the rotation may have moved it.
static BerthStatus ask_ball(const Query* q, const double ball[4], BerthFieldAnswer* out) {
    const BerthVec3 centre = {ball[0], ball[1], ball[2]};
    return berth_field_query_by(q->field, q->method, q->metric, centre, ball[3] + q->slack, out);
}

// The centre is in an obstacle, and further from its faces than rounding may have moved it.
static bool is_deep_inside(const Query* q, const double ball[4]) {
    const double r = q->info.resolution;
    const double at[2] = {(ball[0] - q->info.origin.x) / r, (ball[1] - q->info.origin.y) / r};
    const double room = 2.0 * q->slack / r;
    const BerthFieldLeaf leaf =
        berth_field_leaf_at(q->field, (int32_t)floor(at[0]), (int32_t)floor(at[1]), 0);
    const bool blocks = leaf.level >= 0 && (leaf.colour == BERTH_CELL_OCCUPIED ||
                                            (leaf.colour == BERTH_CELL_UNKNOWN && !q->info.unknown_is_free));
    return blocks && at[0] > leaf.low[0] + room && at[0] < leaf.low[0] + leaf.width - room &&
           at[1] > leaf.low[1] + room && at[1] < leaf.low[1] + leaf.width - room;
}

// A ball in a rotated (2-D) map: free if the ball enlarged by the slack is free, hit if the ball reduced by it is hit.
static BerthStatus ask_turned(const Query* q, const double ball[4], BerthFieldAnswer* out) {
    BerthStatus status = ask_ball(q, ball, out);
    if (status == BERTH_OK && out->verdict == BERTH_COLLISION && !is_deep_inside(q, ball)) {
        BerthFieldAnswer inner = {.verdict = BERTH_UNKNOWN};
        if (ball[3] >= q->slack) {
            status = berth_field_query_by(q->field, q->method, q->metric, (BerthVec3){ball[0], ball[1], 0.0},
                                          ball[3] - q->slack, &inner);
        }
        if (inner.verdict != BERTH_COLLISION) {
            out->verdict = BERTH_UNKNOWN;
            out->reason = BERTH_REASON_NUMERIC;
        }
    }
    out->lower = fmax(out->lower - q->slack, 0.0);
    out->upper += q->slack;
    return status;
}

static void turn_into_map(Query* q, const double ball[4], double out[4]) {
    const BerthPose* pose = &q->world_from_cells;
    const double dx = ball[0] - pose->t.x, dy = ball[1] - pose->t.y;
    out[0] = pose->x.x * dx + pose->x.y * dy;
    out[1] = pose->y.x * dx + pose->y.y * dy;
    out[2] = 0.0;
    out[3] = ball[3];
    q->slack = L1_OF_METRE * TURN_SLACK *
               (1.0 + fabs(ball[0]) + fabs(ball[1]) + fabs(pose->t.x) + fabs(pose->t.y) +
                fabs(q->info.origin.x) + fabs(q->info.origin.y));
}

// The space beyond the border is an obstacle, unless it is taken as free, which is then assumed.
static void count_outside(const Query* q, const double ball[4], BallAnswer* out) {
    MapBorder border = map_border(&q->info, ball);
    border.lower = fmax(border.lower - q->slack, 0.0);
    border.upper += q->slack;
    BerthFieldAnswer* answer = &out->field;
    if (q->outside_is_free) {
        // For a centre outside the map, its distance from the obstacles in the map decides.
        if (answer->verdict == BERTH_UNKNOWN && answer->outside && answer->reason == BERTH_REASON_NONE) {
            const bool apart = answer->lower > ball[3];
            answer->verdict = apart ? BERTH_FREE : BERTH_UNKNOWN;
            answer->reason = apart ? BERTH_REASON_NONE : BERTH_REASON_NUMERIC;
        }
        out->reaches_out = answer->verdict == BERTH_FREE && !(ball[3] <= border.lower);
        return;
    }

    if (border.upper <= answer->upper) {
        out->at_border = true;
        answer->nearest = border.nearest;
    }
    answer->lower = fmin(answer->lower, border.lower);
    answer->upper = fmin(answer->upper, border.upper);

    if (ball[3] >= border.upper) {
        answer->verdict = BERTH_COLLISION;
        answer->reason = BERTH_REASON_NONE;
    } else if (answer->verdict == BERTH_UNKNOWN ||
               (answer->verdict == BERTH_FREE && !(ball[3] < border.lower))) {
        // A centre within rounding of the border: there is no other reason.
        answer->verdict = BERTH_UNKNOWN;
        answer->reason = answer->reason != BERTH_REASON_NONE ? answer->reason : BERTH_REASON_NUMERIC;
    }
}

static int answer_ball(Query* q, int64_t index) {
    const Options* options = q->run->options;
    double random[4];
    const double* ball = random;

    if (q->balls.balls != NULL) {
        ball = q->balls.balls + 4 * index;
    } else {
        random_ball(&q->balls, random);
        const BerthVec3 at =
            berth_pose_apply(&q->world_from_cells, (BerthVec3){random[0], random[1], random[2]});
        memcpy(random, (double[3]){at.x, at.y, at.z}, 3 * sizeof *random);
    }

    BallAnswer answer = {.at_border = false};
    double turned[4];
    const double* asked = ball;
    if (q->turned) {
        turn_into_map(q, ball, turned);
        asked = turned;
    }

    const double start = cli_seconds();
    const BerthStatus status =
        q->turned ? ask_turned(q, asked, &answer.field) : ask_ball(q, asked, &answer.field);
    const double seconds = cli_seconds() - start;

    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    count_outside(q, asked, &answer);
    if (q->turned) {
        answer.field.nearest = berth_pose_apply(&q->world_from_cells, answer.field.nearest);
    }
    q->totals.of_verdict[answer.field.verdict] += 1;
    q->run->reaching_out += answer.reaches_out;
    q->totals.seconds += seconds;

    // Only the requested results are kept or printed.
    if (q->totals.microseconds != NULL) {
        q->totals.microseconds[index] = (float)(1e6 * seconds);
    }
    if (options->map.stats != NULL) {
        add_stats(q, index, ball, &answer, seconds);
    }
    if (!options->summary) {
        if (options->json) {
            answer_json(q, index, ball, asked, &answer);
        } else {
            answer_text(q, index, ball, asked, &answer);
        }
    }

    return EXIT_FREE;
}

// ---- totals --------------------------------------------------------------------------------------------------

static int compare_times(const void* a, const void* b) {
    const float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static const char* overall_verdict(const QueryTotals* totals) {
    BerthVerdict verdict = BERTH_FREE;
    if (totals->of_verdict[BERTH_COLLISION] > 0) {
        verdict = BERTH_COLLISION;
    } else if (totals->of_verdict[BERTH_UNKNOWN] > 0) {
        verdict = BERTH_UNKNOWN;
    }
    return berth_verdict_name(verdict);
}

static void write_summary(Query* q) {
    QueryTotals* totals = &q->totals;
    const int64_t count = q->balls.count;
    double share[3] = {0, 0, 0};

    if (count > 0) {
        qsort(totals->microseconds, (size_t)count, sizeof *totals->microseconds, compare_times);
        share[0] = (double)totals->microseconds[count / 2];
        share[1] = (double)totals->microseconds[count - 1 - count / 100];
        share[2] = (double)totals->microseconds[count - 1];
    }

    if (!q->run->options->json) {
        text_printf(&q->text,
                    "%lld balls: %lld free, %lld collisions, %lld unknown; %.3g s, a query %.3g us (median), "
                    "%.3g (99 %%), %.3g (most)\n",
                    (long long)count, (long long)totals->of_verdict[BERTH_FREE],
                    (long long)totals->of_verdict[BERTH_COLLISION],
                    (long long)totals->of_verdict[BERTH_UNKNOWN], totals->seconds, share[0], share[1],
                    share[2]);
        return;
    }

    Json json = json_writer(&q->text);
    json_open(&json, '{');
    json_key_int(&json, "balls", count);
    json_key_text(&json, "verdict", overall_verdict(totals));

    json_key_int(&json, "free", totals->of_verdict[BERTH_FREE]);
    json_key_int(&json, "collisions", totals->of_verdict[BERTH_COLLISION]);
    json_key_int(&json, "unknown", totals->of_verdict[BERTH_UNKNOWN]);
    json_key_text(&json, "metric", berth_metric_name(q->metric));
    json_key_text(&json, "structure", map_method_name(used_method(q)));
    json_key_number(&json, "seconds", totals->seconds);

    json_key_open(&json, "microseconds", '{');
    json_key_number(&json, "p50", share[0]);
    json_key_number(&json, "p99", share[1]);
    json_key_number(&json, "max", share[2]);
    json_close(&json, '}');

    (void)map_json_assumed(&json, q->run);
    cli_json_no_pairs(&json);
    json_close(&json, '}');
    text_puts(&q->text, "\n");
}

static int write_stats(Query* q) {
    const int status = files_write(q->run->options->map.stats, &q->stats, true);
    return status == EXIT_FREE ? files_commit() : status;
}

// ---- all of it -----------------------------------------------------------------------------------------------

static int answer_all(Query* q) {
    const Options* options = q->run->options;

    int status = EXIT_FREE;
    if (options->summary) {
        q->totals.microseconds = calloc((size_t)q->balls.count + 1, sizeof *q->totals.microseconds);
        status = q->totals.microseconds != NULL ? EXIT_FREE : cli_out_of_memory();
    }

    if (options->map.stats != NULL) {
        text_puts(&q->stats, "ball,x,y,z,r,verdict,distance,steps,microseconds\n");
    }
    if (status == EXIT_FREE && options->json && !options->summary) {
        status = prepare_assumed(q);
    }

    cli_hold_interrupts();  // never released: from here on answers are kept
    int64_t done = 0;
    for (; done < q->balls.count && status == EXIT_FREE; ++done) {
        if (done % PROGRESS_EVERY == 0) {
            if (cli_interrupted()) {
                status = EXIT_INTERRUPTED;
                break;
            }
            progress_show(&q->run->progress, options, (int32_t)done, (int32_t)q->balls.count, "balls");
        }

        status = answer_ball(q, done);
        // Long output is written as it is produced.
        if (q->text.size > (1u << 20) && status == EXIT_FREE) {
            status = cli_write_output(&q->text);
        }
    }

    // Summaries, and other requested output.
    progress_end(&q->run->progress);
    if (status == EXIT_FREE && options->summary) {
        write_summary(q);
    }

    const bool one_robot =
        status == EXIT_FREE && !options->summary && !options->json && q->balls.links != NULL;
    if (one_robot) {
        text_printf(&q->text, "all %lld spheres%s: %s\n", (long long)q->balls.count,
                    q->info.dim == 2 ? ", as shadows on the plane" : "", overall_verdict(&q->totals));
    }
    if (status == EXIT_FREE && !options->json && !options->quiet) {
        text_printf(&q->text, "answered by: %s\n", map_method_name(used_method(q)));
    }

    if (status == EXIT_FREE && !options->json && !options->quiet) {
        (void)map_text_assumed(&q->text, q->run);
    }
    if (status == EXIT_FREE && options->map.stats != NULL) {
        status = write_stats(q);
    }

    if (status == EXIT_FREE || status == EXIT_INTERRUPTED) {
        const int written = cli_write_output(&q->text);
        if (status == EXIT_INTERRUPTED) {
            fprintf(stderr, "berth map: interrupted after %lld of %lld balls\n", (long long)done,
                    (long long)q->balls.count);
        }
        status = status == EXIT_FREE ? written : status;
    }

    return status;
}

static bool read_metric(const Options* options, BerthMetric* out) {
    for (int i = 0; options->map.metric != NULL && i < BERTH_METRIC_COUNT; ++i) {
        if (strcmp(options->map.metric, berth_metric_name((BerthMetric)i)) == 0) {
            *out = (BerthMetric)i;
            return true;
        }
    }
    if (options->map.metric != NULL) {
        cli_reject("map", "--metric '%s': expected l1 or l2", options->map.metric);
    }
    return options->map.metric == NULL;
}

static bool read_outside(const Options* options, bool* is_free) {
    const char* text = options->map.outside;
    *is_free = text != NULL && strcmp(text, "free") == 0;
    if (text != NULL && !*is_free && strcmp(text, "occupied") != 0) {
        cli_reject("map", "--outside '%s': expected free or occupied", text);
        return false;
    }
    return true;
}

int map_query(MapRun* run) {
    Query q = {.run = run, .method = BERTH_FIELD_BY_BEST, .metric = BERTH_METRIC_L2};
    uint32_t parts = 0;

    if (!read_metric(run->options, &q.metric) || !read_outside(run->options, &q.outside_is_free) ||
        (run->options->map.structure != NULL &&
         !map_method(run->options->map.structure, &q.method, &parts))) {
        return EXIT_WRONG;
    }

    int status = map_open(run, parts);
    if (status == EXIT_FREE) {
        q.field = berth_map_field(run->map);
        q.info = berth_field_info(q.field);
        q.turned = map_turn(run, &q.world_from_cells);
    }
    if (status == EXIT_FREE) {
        status = find_balls(&q);
    }
    if (status == EXIT_FREE) {
        status = answer_all(&q);
    }

    berth_io_free_balls(&q.balls.file);
    free(q.balls.own);
    free((void*)q.balls.links);
    berth_spheres_destroy(q.balls.spheres);
    berth_scene_destroy(q.balls.scene);
    free(q.totals.microseconds);
    text_free(&q.text);
    text_free(&q.stats);
    text_free(&q.assumed[0]);
    text_free(&q.assumed[1]);
    return status;
}
